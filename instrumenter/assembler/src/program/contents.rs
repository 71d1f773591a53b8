//! Segments as the fragments they consist of.

use super::SegmentKind;
use super::padding::{Padding, pad};
use crate::module::{CONSTANTS, Combine};
use crate::operand::CodeSize;
use crate::statement::{Alignment, Placing, SegmentRole};
use p5_image::Lines;
use p5_image::dos::PREFIX_SIZE;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FragmentKind {
    /// A range of the segment's `bytes`, from `start` on.
    Data,
    Zeroes,
    /// Pads to a multiple of this many bytes.
    Align(Alignment),
    /// Continues at this offset in the segment, which may lie before what is already placed.
    Origin(u32),
    /// A deferred instruction whose length is not final.
    Variable(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) kind: FragmentKind,
    pub(crate) start: u32,
    pub(crate) length: u32,
    /// The offset from the start of the segment; an estimate until the layout is settled.
    pub(crate) address: u32,
}

impl Fragment {
    /// The offset after its last byte.
    pub(crate) fn end(&self) -> u32 {
        self.address.saturating_add(self.length)
    }

    /// The offset at which the next fragment begins.
    pub(super) fn next(&self) -> u32 {
        match self.kind {
            FragmentKind::Origin(target) => target,
            _ => self.end(),
        }
    }
}

/// The bytes that align an offset: none, if they would be too many.
pub(super) fn missing(offset: u32, alignment: Alignment) -> u32 {
    let missing = offset.next_multiple_of(alignment.unit) - offset;
    if missing <= alignment.most { missing } else { 0 }
}

pub(crate) struct SegmentData {
    pub(crate) name: String,
    pub(crate) kind: SegmentKind,
    pub(super) role: Option<SegmentRole>,
    pub(crate) bytes: Vec<u8>,
    pub(crate) fragments: Vec<Fragment>,
    /// The lines of its bytes, grouped by fragment. A length of 0 means the length of the fragment, which the layout
    /// knows.
    pub(crate) rows: Lines,
    /// The offset of its first byte from its frame; in a flat program its address.
    pub(crate) base: u32,
    /// The linear address of its frame; 0 in a flat program.
    pub(crate) frame: u32,
    pub(crate) size: CodeSize,
    /// Whether the source has opened it by its name, and so decided the size.
    pub(crate) declared: bool,
    /// The group that contains it, or `NONE`.
    pub(crate) group: u32,
    /// In a segmented program, its address is a multiple of this.
    pub(crate) alignment: u32,
    pub(crate) placing: Placing,
    /// Its class, if the source gives one.
    pub(crate) class: Option<String>,
    /// How a linker joins it with segments of the same name, if the source says so.
    pub(crate) combine: Option<Combine>,
    /// What pads it if it is code.
    pub(super) padding: Padding,
    /// Whether an origin has moved back.
    pub(super) turned_back: bool,
}

impl SegmentData {
    /// The class that linkers see, and the rank in a memory model: code, other, data, uninitialised, stack.
    pub(crate) fn class_and_rank(&self) -> (&str, u32) {
        let (class, rank) = match (self.role(), self.placing) {
            (_, Placing::Stack) => ("STACK", 4),
            (Some(SegmentRole::Uninitialised), _) => ("BSS", 3),
            (Some(SegmentRole::Data), _) => ("DATA", 2),
            (Some(SegmentRole::Constants), _) => (CONSTANTS, 2),
            (Some(SegmentRole::Far), _) => ("FAR_DATA", 1),
            _ if self.kind == SegmentKind::Code => ("CODE", 0),
            _ => ("DATA", 1),
        };
        // What the source does not name with its own word has no class.
        let unnamed = self.combine.is_some() && self.role().is_none() && self.placing != Placing::Stack;
        match self.class.as_deref() {
            Some(class) => (class, rank),
            None if unnamed => ("", rank),
            None => (class, rank),
        }
    }

    /// Appends `length` bytes of padding.
    pub(crate) fn pad(&self, bytes: &mut Vec<u8>, length: usize, fill: Option<u8>) {
        match fill {
            Some(fill) => bytes.resize(bytes.len() + length, fill),
            None => pad(bytes, length, self.kind, self.size, self.padding),
        }
    }

    /// Whether nothing but origins stands in it, so that what follows decides the size of its code.
    pub(super) fn has_only_origins(&self) -> bool {
        let is_empty = |fragment: &Fragment| matches!(fragment.kind, FragmentKind::Data | FragmentKind::Origin(_));
        self.bytes.is_empty() && self.fragments.iter().all(is_empty)
    }

    /// Whether an origin leaves room for the prefix that DOS makes for a COM program.
    pub(super) fn begins_after_prefix(&self) -> bool {
        let is_prefix = |fragment: &Fragment| matches!(fragment.kind, FragmentKind::Origin(PREFIX_SIZE));
        self.fragments.iter().any(is_prefix)
    }

    pub(crate) fn role(&self) -> Option<SegmentRole> {
        self.role
    }

    /// The number of bytes from its start to its end, once it is laid out.
    pub(crate) fn length(&self) -> u32 {
        self.fragments.iter().map(Fragment::end).max().unwrap_or(0)
    }

    /// Gives every fragment its offset in the segment; returns the end of the last one.
    pub(super) fn lay_out(&mut self) -> u32 {
        let mut address: u32 = 0;
        let mut end = 0;
        for fragment in &mut self.fragments {
            fragment.address = address;
            match fragment.kind {
                FragmentKind::Align(alignment) => fragment.length = missing(address, alignment),
                FragmentKind::Origin(target) => fragment.length = target.saturating_sub(address),
                _ => {}
            }
            end = fragment.end().max(end);
            address = fragment.next();
        }
        end
    }
}
