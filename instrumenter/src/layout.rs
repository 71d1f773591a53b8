//! Segments as runs of fragments, and the fixpoint that gives each fragment its address.
//!
//! Bytes whose length is certain lie in data fragments, so distances inside one are final the moment they are known.
//! Branches that may be short or near, and instructions with names not known yet, are fragments of their own. Branches
//! only grow, so the passes end.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::{ExpressionId, Instruction, Location};
use crate::diag::Span;
use crate::names::NONE;
use crate::operand::Distance;

/// Where the first code segment is mapped.
const IMAGE_BASE: u32 = 0x0040_1000;
const PAGE: u32 = 0x1000;

/// What a segment mainly holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentKind {
    Code,
    Data,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FragmentKind {
    /// Bytes of the segment's `bytes`, from `start` on.
    Data,
    Zeroes,
    /// Fills up to a multiple of so many bytes.
    Align(u32),
    /// Fills up to this offset of the segment.
    Origin(u32),
    /// A deferred instruction whose length is not certain.
    Variable(u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment {
    pub(crate) kind: FragmentKind,
    pub(crate) start: u32,
    pub(crate) length: u32,
    /// Offset from the segment's start; an estimate until the layout is settled.
    pub(crate) address: u32,
}

/// A line's bytes in a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) fragment: u32,
    pub(crate) offset: u32,
    /// 0 for a fragment of its own, whose length the layout knows.
    pub(crate) length: u32,
    pub(crate) file: u32,
    pub(crate) line: u32,
    pub(crate) origin: u32,
    pub(crate) data: bool,
}

pub(crate) struct SegmentData {
    pub(crate) name: String,
    pub(crate) kind: SegmentKind,
    pub(crate) bytes: Vec<u8>,
    pub(crate) fragments: Vec<Fragment>,
    pub(crate) rows: Vec<Row>,
    pub(crate) base: u32,
}

/// An instruction to be encoded again when addresses are known.
pub(crate) struct Deferred {
    pub(crate) instruction: Instruction,
    pub(crate) location: Location,
    pub(crate) length: u32,
    /// Whether it is a branch whose distance the layout chooses, and has it grown.
    pub(crate) branch: Option<bool>,
    /// Set when its error was reported.
    pub(crate) failed: bool,
}

/// An element of data to be written when addresses are known.
pub(crate) struct Fixup {
    pub(crate) location: Location,
    pub(crate) size: u8,
    pub(crate) expression: ExpressionId,
    pub(crate) span: Span,
    pub(crate) origin: u32,
}

impl Assembler<'_> {
    /// The segment called `name`, made now if it is new.
    pub(crate) fn segment(&mut self, name: &str, kind: SegmentKind) -> u32 {
        let known = self
            .segments
            .iter()
            .position(|segment| segment.name.eq_ignore_ascii_case(name));
        if let Some(index) = known {
            return index as u32;
        }
        self.segments.push(SegmentData {
            name: name.to_owned(),
            kind,
            bytes: Vec::new(),
            fragments: Vec::new(),
            rows: Vec::new(),
            // Only an estimate, far enough from the others.
            base: IMAGE_BASE.wrapping_add((self.segments.len() as u32).wrapping_mul(0x0400_0000)),
        });
        self.segments.len() as u32 - 1
    }

    /// The place where the next byte goes.
    pub(crate) fn location(&mut self) -> Location {
        let current = self.current;
        let segment = &mut self.segments[current as usize];
        let (address, start) = match segment.fragments.last() {
            Some(last) if last.kind == FragmentKind::Data => {
                return Location {
                    segment: current,
                    fragment: segment.fragments.len() as u32 - 1,
                    offset: last.length,
                };
            }
            Some(last) => (last.address.saturating_add(last.length), segment.bytes.len() as u32),
            None => (0, 0),
        };
        segment.fragments.push(Fragment {
            kind: FragmentKind::Data,
            start,
            length: 0,
            address,
        });
        Location {
            segment: current,
            fragment: segment.fragments.len() as u32 - 1,
            offset: 0,
        }
    }

    /// The linear address of a place, as far as it is known.
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

    /// Counts `count` more bytes against the image's limit.
    pub(crate) fn reserve(&mut self, count: u64, span: Span) -> Result<(), Fault> {
        let total = self.image_bytes.saturating_add(count);
        if total > self.limits.image {
            return Err(fault(
                span,
                format!("the program would be larger than {} MiB", self.limits.image >> 20),
            )
            .with_label(format!("{count} bytes here")));
        }
        self.image_bytes = total;
        Ok(())
    }

    /// Appends bytes to the current segment.
    pub(crate) fn emit(&mut self, bytes: &[u8], span: Span) -> Result<Location, Fault> {
        self.reserve(bytes.len() as u64, span)?;
        let location = self.location();
        let segment = &mut self.segments[self.current as usize];
        segment.bytes.extend_from_slice(bytes);
        if let Some(last) = segment.fragments.last_mut() {
            last.length += bytes.len() as u32;
        }
        Ok(location)
    }

    /// Appends a fragment that is not plain bytes.
    pub(crate) fn emit_fragment(&mut self, kind: FragmentKind, length: u32) -> Location {
        let at = self.location();
        let segment = &mut self.segments[self.current as usize];
        let address = segment
            .fragments
            .last()
            .map_or(0, |last| last.address.saturating_add(last.length));
        let start = segment.bytes.len() as u32;
        segment.fragments.push(Fragment {
            kind,
            start,
            length,
            address,
        });
        Location {
            segment: at.segment,
            fragment: segment.fragments.len() as u32 - 1,
            offset: 0,
        }
    }

    /// Notes that the line being read made `length` bytes at `location`.
    pub(crate) fn note_row(&mut self, location: Location, length: u32, span: Span, data: bool) {
        let origin = self.origin;
        let segment = &mut self.segments[location.segment as usize];
        if !data {
            segment.kind = SegmentKind::Code;
            self.after_data = false;
        } else if segment.kind == SegmentKind::Data {
            return;
        }
        if self.first_code.is_none() {
            self.first_code = Some(location);
        }
        segment.rows.push(Row {
            fragment: location.fragment,
            offset: location.offset,
            length,
            file: span.file,
            line: span.line,
            origin,
            data,
        });
    }

    /// Gives every fragment its final address.
    pub(crate) fn settle(&mut self) {
        self.resolved = true;
        self.place();
        // With every name known, all lengths but those of branches are certain after one look.
        for index in 0..self.deferred.len() {
            if let Err(problem) = self.settle_length(index) {
                let origin = self.deferred[index].instruction.origin;
                self.deferred[index].failed = true;
                self.report_at(problem, origin);
            }
        }
        self.place();
        let branches: Vec<usize> = (0..self.deferred.len())
            .filter(|&index| self.deferred[index].branch == Some(false) && !self.deferred[index].failed)
            .collect();
        for pass in 0.. {
            let mut grown = false;
            for &index in &branches {
                grown |= self.grow(index);
            }
            if !grown {
                break;
            }
            self.place();
            if pass >= self.limits.passes {
                let span = branches.first().map(|&index| self.deferred[index].instruction.span);
                self.report(fault(
                    span.unwrap_or_default(),
                    format!(
                        "the branch distances did not settle within {} passes",
                        self.limits.passes
                    ),
                ));
                break;
            }
        }
    }

    fn settle_length(&mut self, index: usize) -> Result<(), Fault> {
        let deferred = &self.deferred[index];
        let location = deferred.location;
        let fragment = &self.segments[location.segment as usize].fragments[location.fragment as usize];
        if !matches!(fragment.kind, FragmentKind::Variable(_)) {
            return Ok(());
        }
        let instruction = deferred.instruction;
        let mut values = [crate::evaluate::Value::number(0); crate::ast::MOST_OPERANDS];
        self.evaluate_operands(&instruction, &mut values)?;
        let address = self.address(location);
        let encoded = match self.deferred[index].branch {
            // Short until it proves too short.
            Some(_) => self.encode_values(&instruction, &values, address, Some(Distance::Short), true)?,
            None => {
                let free = self.encode_values(&instruction, &values, address, None, true)?;
                if free.relaxable {
                    self.deferred[index].branch = Some(false);
                }
                free
            }
        };
        self.set_length(index, u32::from(encoded.length));
        Ok(())
    }

    fn set_length(&mut self, index: usize, length: u32) {
        let deferred = &mut self.deferred[index];
        deferred.length = length;
        let location = deferred.location;
        self.segments[location.segment as usize].fragments[location.fragment as usize].length = length;
    }

    /// Makes a short branch near if its target is out of reach; says whether it did.
    fn grow(&mut self, index: usize) -> bool {
        let deferred = &self.deferred[index];
        if deferred.branch != Some(false) {
            return false;
        }
        let instruction = deferred.instruction;
        let after = i64::from(self.address(deferred.location)) + i64::from(deferred.length);
        let mut values = [crate::evaluate::Value::number(0); crate::ast::MOST_OPERANDS];
        if self.evaluate_operands(&instruction, &mut values).is_err() {
            return false;
        }
        if values[0].short || i8::try_from(values[0].number - after).is_ok() {
            return false;
        }
        let address = self.address(self.deferred[index].location);
        if let Ok(encoded) = self.encode_values(&instruction, &values, address, Some(Distance::Near), false) {
            self.deferred[index].branch = Some(true);
            self.set_length(index, u32::from(encoded.length));
            return true;
        }
        false
    }

    /// Lays out fragments and segments with the lengths known now: code first, then data, each on a page of its own.
    fn place(&mut self) {
        let mut base = u64::from(IMAGE_BASE);
        for kind in [SegmentKind::Code, SegmentKind::Data] {
            for segment in self.segments.iter_mut().filter(|segment| segment.kind == kind) {
                segment.base = base as u32;
                let mut address: u32 = 0;
                for fragment in &mut segment.fragments {
                    fragment.address = address;
                    match fragment.kind {
                        FragmentKind::Align(unit) => fragment.length = address.next_multiple_of(unit) - address,
                        FragmentKind::Origin(target) => fragment.length = target.saturating_sub(address),
                        _ => {}
                    }
                    address = address.saturating_add(fragment.length);
                }
                base += u64::from(address.next_multiple_of(PAGE));
            }
        }
    }

    /// The location of a symbol, if it is an address.
    pub(crate) fn location_of(&self, name: &str) -> Option<Location> {
        let symbol = self
            .symbols
            .iter()
            .find(|symbol| symbol.spelled.eq_ignore_ascii_case(name))?;
        match symbol.definition {
            crate::symbols::Definition::Address(location) => Some(location),
            _ => None,
        }
    }
}

/// Whether an origin index stands for something.
pub(crate) fn some_origin(origin: u32) -> Option<u32> {
    (origin != NONE).then_some(origin)
}
