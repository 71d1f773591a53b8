//! Segments as runs of fragments, and their addresses.
//!
//! Bytes of fixed length go into data fragments, so distances inside one are final at once.
//! Branches that may be short or near, and instructions with unknown names, are separate fragments. The last
//! fragment of a segment is always a data fragment, so the current location is known without creating one.

use super::SegmentKind;
use super::contents::{Fragment, FragmentKind, SegmentData};
use super::frame::{Assumed, Frame, Group, MOST_OF_SEGMENT};
use super::padding::Padding;
use super::{PlacedExtent, Record, refused};
use crate::diag::{Fault, Span};
use crate::expression::{Location, low_dword};
use crate::names::{NONE, NameId};
use crate::operand::{CodeSize, Place};
use crate::statement::{Instruction, Placing, SegmentNames, SegmentRole};
use p5_image::{LineRow, Lines, STACK_TOP};
use p5_words::isa::PAGE;
use std::collections::HashMap;

/// The base of the image, at which the stack ends. Addresses in objects may be relative to it.
pub(crate) const IMAGE_BASE: u32 = STACK_TOP;
/// The address of the first code segment, one page above the base as in a program with headers.
pub(crate) const FIRST_SEGMENT: u32 = IMAGE_BASE + PAGE;

/// The size of a paragraph, at whose multiples segments begin.
const PARAGRAPH: u32 = 16;

#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenSegment {
    pub(crate) segment: u32,
    /// The segment that was current before.
    pub(crate) outer: u32,
    pub(crate) span: Span,
}

pub(crate) struct Layout {
    pub(crate) segments: Vec<SegmentData>,
    /// The segments by their names in lower case.
    by_name: HashMap<String, u32>,
    /// The segment that receives the next byte.
    pub(crate) current: u32,
    /// The code segment that was current last.
    pub(crate) code_segment: u32,
    /// The segments saved by directives.
    pub(crate) saved: Vec<u32>,
    pub(crate) open: Vec<OpenSegment>,
    /// Whether there was no segment directive: code runs from its first instruction to its end.
    pub(crate) snippet: bool,
    /// Whether the text is one of a compiler, whose sections make it no program: it may be a function that others call.
    pub(crate) sections: bool,
    /// Whether a compiler wrote the text.
    pub(crate) compiled: bool,
    /// Whether names have no types: data gives memory no size, numbers have 64 bits, and a register goes to another one
    /// in the form that stores it.
    pub(crate) untyped: bool,
    /// Whether a standard segment was begun that nothing has ended.
    pub(super) simplified: bool,
    /// Whether the last item placed in a snippet was named data, which goes into the data segment.
    pub(crate) after_data: bool,
    pub(crate) first_code: Option<Location>,
    /// The last label, and the first data with a name behind the last instruction, in a snippet that has both in one
    /// segment.
    pub(crate) labelled: Option<(Location, NameId)>,
    pub(crate) data_behind: Option<(Location, NameId)>,
    /// Whether addresses are final and every name must be defined.
    pub(crate) resolved: bool,
    /// The record for a listing, if one is requested.
    pub(crate) record: Option<Record>,
    /// Whether the program has 16-bit segments and starts in real mode.
    pub(crate) segmented: bool,
    /// Whether the segments are in the order of a memory model.
    pub(crate) ordered: bool,
    /// Whether the first segment begins at 100h, after the prefix that DOS makes.
    pub(crate) com: bool,
    pub(crate) groups: Vec<Group>,
    /// The segments and groups by their names.
    pub(super) frames: HashMap<NameId, Frame>,
    /// The group that each segment of this name belongs to.
    pub(super) members: HashMap<NameId, u32>,
    /// All assumed contents of segment registers, which instructions refer to by index.
    pub(super) assumed: Vec<Assumed>,
    /// The segments and groups that the source assumes segment registers to hold.
    assumed_names: Vec<(NameId, Span)>,
    /// The names of the segments that the source puts into groups.
    grouped_names: Vec<(NameId, Span)>,
    /// The index of the current assumptions.
    pub(crate) assumes: u32,
    /// The indices of saved assumptions.
    pub(super) kept_assumes: Vec<u32>,
    /// The segment in which a segmented program starts.
    pub(crate) entered: u32,
    /// The address after the last byte of a segmented program.
    pub(crate) loaded_end: u32,
    pub(super) names: SegmentNames,
    bytes: u64,
    /// The maximum size of a program in bytes.
    limit: u64,
    /// What pads its code.
    padding: Padding,
}

impl Layout {
    pub(crate) fn new(names: SegmentNames, limit: u64, padding: Padding) -> Layout {
        let mut layout = Layout {
            segments: Vec::new(),
            by_name: HashMap::new(),
            current: 0,
            code_segment: 0,
            saved: Vec::new(),
            open: Vec::new(),
            snippet: true,
            sections: false,
            compiled: false,
            untyped: false,
            simplified: false,
            after_data: false,
            first_code: None,
            labelled: None,
            data_behind: None,
            resolved: false,
            record: None,
            segmented: false,
            ordered: false,
            com: false,
            groups: Vec::new(),
            frames: HashMap::new(),
            members: HashMap::new(),
            assumed: vec![[Frame::NONE; 6]],
            assumed_names: Vec::new(),
            grouped_names: Vec::new(),
            assumes: 0,
            kept_assumes: Vec::new(),
            entered: 0,
            loaded_end: 0,
            names,
            bytes: 0,
            limit,
            padding,
        };
        layout.usual(SegmentRole::Code);
        layout
    }

    /// Prepares for a text of a compiler, whose assembler pads code so.
    pub(crate) fn read_compiled(&mut self, padding: Padding) {
        self.sections = true;
        self.compiled = true;
        self.padding = padding;
        for segment in &mut self.segments {
            segment.padding = self.padding;
        }
    }

    /// Prepares for a source in whose dialect names have no types and sections hold code and data.
    pub(crate) fn read_untyped(&mut self) {
        self.sections = true;
        self.untyped = true;
    }

    /// Whether the text is one for GNU's assembler.
    pub(crate) fn is_of_gnu(&self) -> bool {
        self.compiled && self.padding == Padding::Leas
    }

    /// What a field of this many bytes takes of a number: in a text for GNU's assembler, which computes with 64 bits,
    /// one of four bytes takes the low ones.
    pub(crate) fn taken(&self, number: i64, size: u8) -> i64 {
        match (self.is_of_gnu() || self.untyped) && size == 4 {
            true => low_dword(number),
            false => number,
        }
    }

    /// The standard segment of a role, created if it is new.
    pub(crate) fn usual(&mut self, role: SegmentRole) -> u32 {
        if let Some(known) = self.with_role(role) {
            return known;
        }
        let kind = match role {
            SegmentRole::Code => SegmentKind::Code,
            SegmentRole::Data | SegmentRole::Uninitialised | SegmentRole::Constants | SegmentRole::Far => {
                SegmentKind::Data
            }
        };
        // The source may have opened it by its name.
        let index = self.segment(self.names.of(role), kind);
        self.segments[index as usize].role = Some(role);
        index
    }

    fn with_role(&self, role: SegmentRole) -> Option<u32> {
        let index = self.segments.iter().position(|segment| segment.role == Some(role))?;
        Some(index as u32)
    }

    /// The segment named `name`, created if it is new.
    pub(crate) fn segment(&mut self, name: &str, kind: SegmentKind) -> u32 {
        let index = self.segments.len() as u32;
        let index = *self.by_name.entry(name.to_ascii_lowercase()).or_insert(index);
        if (index as usize) < self.segments.len() {
            return index;
        }
        self.segments.push(SegmentData {
            name: name.to_owned(),
            kind,
            role: None,
            bytes: Vec::new(),
            fragments: vec![Fragment {
                kind: FragmentKind::Data,
                start: 0,
                length: 0,
                address: 0,
            }],
            rows: Lines::default(),
            // This is an estimate, far enough from the other segments.
            base: match self.segmented {
                true => 0,
                false => FIRST_SEGMENT.wrapping_add(index.wrapping_mul(0x0400_0000)),
            },
            frame: 0,
            size: match self.segmented {
                true => CodeSize::Bits16,
                false => CodeSize::Bits32,
            },
            declared: false,
            group: NONE,
            alignment: PARAGRAPH,
            placing: Placing::InOrder,
            class: None,
            combine: None,
            padding: self.padding,
            turned_back: false,
        });
        index
    }

    pub(crate) fn segment_names(&self) -> &SegmentNames {
        &self.names
    }

    pub(crate) fn location(&self) -> Location {
        self.location_in(self.current)
    }

    fn location_in(&self, segment: u32) -> Location {
        let fragments = self.segments.get(segment as usize).map(|segment| &segment.fragments);
        let last = fragments.and_then(|fragments| fragments.last());
        Location {
            segment,
            fragment: fragments.map_or(0, |fragments| fragments.len() as u32 - 1),
            offset: last.map_or(0, |last| last.length),
        }
    }

    /// Whether a segment is the one before all that the source opens, in which nothing lies.
    pub(crate) fn is_before_all(&self, segment: u32) -> bool {
        segment == 0 && !self.snippet && self.segments.first().is_some_and(|first| first.length() == 0)
    }

    /// The location for named data, which without segment directives does not lie between instructions.
    pub(crate) fn data_location(&mut self, in_library: bool) -> Location {
        if self.snippet && !self.sections && !in_library {
            let data = self.usual(SegmentRole::Data);
            return self.location_in(data);
        }
        self.location()
    }

    /// The value of `$` in a definition. After named data of a program without segment directives, it is the end of the
    /// data.
    pub(crate) fn location_behind_data(&self, in_library: bool) -> Location {
        match self.with_role(SegmentRole::Data) {
            Some(data) if self.after_data && self.snippet && !self.sections && !in_library => self.location_in(data),
            _ => self.location(),
        }
    }

    /// The linear address of a location, once everything is placed.
    pub(crate) fn linear(&self, location: Location) -> u32 {
        let segment = self.segments.get(location.segment as usize);
        self.address(location)
            .wrapping_add(segment.map_or(0, |segment| segment.frame))
    }

    /// The place of an instruction at a location.
    pub(crate) fn place_of(&self, location: Location) -> Place {
        Place {
            address: self.address(location),
            size: self.size_of(location.segment),
        }
    }

    /// The offset of a location from the frame of its segment, as far as it is known. In a flat program it is the
    /// address.
    pub(crate) fn address(&self, location: Location) -> u32 {
        let Some(segment) = self.segments.get(location.segment as usize) else {
            return 0;
        };
        let fragment = segment.fragments.get(location.fragment as usize);
        segment
            .base
            .wrapping_add(fragment.map_or(0, |fragment| fragment.address))
            .wrapping_add(location.offset)
    }

    /// The address after the last byte, once everything is placed.
    pub(crate) fn end(&self) -> u64 {
        let ends = self
            .segments
            .iter()
            .map(|segment| u64::from(segment.base) + u64::from(segment.length()));
        ends.max().unwrap_or(0)
    }

    /// The current offset in the current segment, or an estimate of it.
    pub(crate) fn location_in_segment(&self) -> u32 {
        let base = self
            .segments
            .get(self.current as usize)
            .map_or(0, |segment| segment.base);
        self.address(self.location()).wrapping_sub(base)
    }

    /// Notes that a segment register is assumed to hold a segment or group of this name.
    pub(super) fn note_assumed(&mut self, name: NameId, span: Span) {
        if !self.assumed_names.iter().any(|known| known.0 == name) {
            self.assumed_names.push((name, span));
        }
    }

    /// The undefined names that segment registers are assumed to hold.
    pub(super) fn unknown_assumed(&self) -> impl Iterator<Item = (NameId, Span)> {
        let known = |name| self.segmented && !self.frames.contains_key(&name);
        self.assumed_names.iter().copied().filter(move |&(name, _)| known(name))
    }

    /// Notes that a group shall contain a segment of this name.
    pub(super) fn note_grouped(&mut self, name: NameId, span: Span) {
        self.grouped_names.push((name, span));
    }

    /// The names in groups that no segment has.
    pub(super) fn unknown_grouped(&self) -> impl Iterator<Item = (NameId, Span)> {
        let known = |name| self.segmented && !self.frames.contains_key(&name);
        self.grouped_names.iter().copied().filter(move |&(name, _)| known(name))
    }

    /// The number of bytes that the size limit leaves.
    pub(crate) fn room(&self) -> u64 {
        self.limit.saturating_sub(self.bytes)
    }

    /// Whether an origin has moved back in the current segment.
    pub(super) fn has_turned_back(&self) -> bool {
        let segment = self.segments.get(self.current as usize);
        segment.is_some_and(|segment| segment.turned_back)
    }

    /// Counts `count` more bytes against the size limit.
    pub(crate) fn reserve(&mut self, count: u64, span: Span) -> Result<(), Fault> {
        let total = self.bytes.saturating_add(count);
        if self.segmented {
            self.reserve_in_segment(count, span)?;
        }
        if total > self.limit {
            return Err(refused::too_large(self.limit, span).with_label(format!("{count} bytes here")));
        }
        self.bytes = total;
        Ok(())
    }

    /// Checks that `count` more bytes fit into the current segment, if it has 16 bits.
    fn reserve_in_segment(&self, count: u64, span: Span) -> Result<(), Fault> {
        match self.segments.get(self.current as usize) {
            Some(segment)
                if segment.size == CodeSize::Bits16
                    && u64::from(self.location_in_segment()) + count > u64::from(MOST_OF_SEGMENT) =>
            {
                Err(refused::segment_too_large(&segment.name, span))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn emit(&mut self, bytes: &[u8], span: Span) -> Result<Location, Fault> {
        self.reserve(bytes.len() as u64, span)?;
        Ok(self.append(bytes))
    }

    /// Appends previously reserved bytes to the current segment.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Location {
        let location = self.location();
        let segment = &mut self.segments[self.current as usize];
        segment.bytes.extend_from_slice(bytes);
        if let Some(last) = segment.fragments.last_mut() {
            last.length += bytes.len() as u32;
        }
        location
    }

    /// Appends a fragment other than plain bytes.
    pub(crate) fn emit_fragment(&mut self, kind: FragmentKind, length: u32) -> Location {
        let current = self.current;
        let segment = &mut self.segments[current as usize];
        let start = segment.bytes.len() as u32;
        let fragment = segment.fragments.len() as u32;
        let added = Fragment {
            kind,
            start,
            length,
            address: segment.fragments.last().map_or(0, Fragment::next),
        };
        segment.fragments.push(added);
        segment.fragments.push(Fragment {
            kind: FragmentKind::Data,
            start,
            length: 0,
            address: added.next(),
        });
        Location {
            segment: current,
            fragment,
            offset: 0,
        }
    }

    /// Overwrites bytes of a data fragment.
    pub(crate) fn patch(&mut self, location: Location, bytes: &[u8]) {
        let segment = &mut self.segments[location.segment as usize];
        if let Some(fragment) = segment.fragments.get(location.fragment as usize) {
            let start = (fragment.start + location.offset) as usize;
            if let Some(target) = segment.bytes.get_mut(start..start + bytes.len()) {
                target.copy_from_slice(bytes);
            }
        }
    }

    /// Records that a data directive in a line with this `origin` generated `length` bytes at `location`.
    pub(crate) fn note_data(&mut self, origin: u32, location: Location, length: u32, span: Span) {
        self.note_row(origin, location, length, span, (0, 0), true);
    }

    /// Records that an instruction in a line with this `origin` generated `length` bytes at `location`. `written` is
    /// the range of the line that spells it.
    pub(crate) fn note_instruction(&mut self, origin: u32, location: Location, length: u32, instruction: &Instruction) {
        self.note_row(origin, location, length, instruction.span, instruction.written, false);
    }

    fn note_row(&mut self, origin: u32, location: Location, length: u32, span: Span, written: (u32, u32), data: bool) {
        if let Some(record) = &mut self.record {
            record.place(
                location,
                match length {
                    0 => PlacedExtent::Fragment,
                    length => PlacedExtent::Bytes(length),
                },
            );
        }
        let segment = &mut self.segments[location.segment as usize];
        if !data {
            segment.kind = SegmentKind::Code;
            self.after_data = false;
        } else if segment.kind == SegmentKind::Data {
            return;
        }
        // Compilers may put data before code, and say where a function begins.
        if self.first_code.is_none() && !(data && self.sections) {
            self.first_code = Some(location);
        }
        let row = LineRow {
            address: location.offset,
            length,
            file: span.file,
            line: span.line,
            written,
            origin: (origin != NONE).then_some(origin),
            data,
            bits: match segment.size {
                CodeSize::Bits16 => 16,
                CodeSize::Bits32 => 32,
            },
        };
        segment.rows.push_in(location.fragment, row);
    }

    /// Lays out fragments and segments with the current lengths: code first, then data, each from a new page on.
    pub(crate) fn place(&mut self) {
        if self.segmented {
            return self.place_segmented();
        }
        let mut base = u64::from(FIRST_SEGMENT);
        for kind in [SegmentKind::Code, SegmentKind::Data] {
            for segment in self.segments.iter_mut().filter(|segment| segment.kind == kind) {
                segment.base = base as u32;
                base += u64::from(segment.lay_out().next_multiple_of(PAGE));
            }
        }
    }
}
