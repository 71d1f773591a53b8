//! Segments, memory models, and the assumed contents of segment registers.

use super::Named;
use crate::diag::Span;
use crate::expression::ExpressionId;
use crate::module::Combine;
use crate::names::NameId;
use crate::operand::CodeSize;

/// A selection of the segment for the following bytes.
pub(crate) enum Segment<'l> {
    /// A standard segment; code segments may have a separate name.
    Usual {
        role: SegmentRole,
        name: Option<&'l str>,
    },
    Begin(Box<SegmentHead<'l>>),
    Save {
        span: Span,
    },
    Restore {
        span: Span,
    },
}

/// The line that opens a segment.
pub(crate) struct SegmentHead<'l> {
    pub(crate) named: Named<'l>,
    /// Whether its class is a code class.
    pub(crate) code: bool,
    /// The size of its code, if the line gives it.
    pub(crate) size: Option<CodeSize>,
    /// The size of its code if no line gives it.
    pub(crate) default_size: CodeSize,
    /// The alignment of its address in bytes.
    pub(crate) alignment: Option<u32>,
    pub(crate) placing: Option<Placing>,
    /// Its class, if the line gives one.
    pub(crate) class: Option<&'l str>,
    /// How a linker joins it with segments of the same name in other modules, if the line says so.
    pub(crate) combine: Option<Combine>,
}

/// A memory model with 16-bit segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryModel {
    /// Whether code and data share one segment.
    pub(crate) tiny: bool,
    /// The text macros that describe it.
    pub(crate) texts: [(&'static str, &'static str); 2],
    /// The numbers that describe it.
    pub(crate) numbers: [(&'static str, i64); 5],
}

/// The assumed contents of a segment register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    Nothing,
    /// The segment or group of this name, which may not be defined yet.
    Named(NameId, Span),
    /// The segment that contains this address.
    SegmentOf(ExpressionId),
}

/// The role of a standard segment, by its contents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentRole {
    Code,
    Data,
    Uninitialised,
    Constants,
    /// Data outside the group of the others.
    Far,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentNames {
    pub(crate) code: &'static str,
    pub(crate) data: &'static str,
    pub(crate) uninitialised: &'static str,
    pub(crate) constants: &'static str,
    pub(crate) far: &'static str,
    pub(crate) stack: &'static str,
    /// The group of all data of a memory model.
    pub(crate) group: &'static str,
    /// The text macro that names the current segment.
    pub(crate) current: Option<&'static str>,
}

impl SegmentNames {
    /// The name of the segment with this role.
    pub(crate) fn of(&self, role: SegmentRole) -> &'static str {
        match role {
            SegmentRole::Code => self.code,
            SegmentRole::Data => self.data,
            SegmentRole::Uninitialised => self.uninitialised,
            SegmentRole::Constants => self.constants,
            SegmentRole::Far => self.far,
        }
    }
}

/// What fills the space before an aligned address in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Padding {
    Zeroes,
    /// One instruction after another of one byte each.
    Nops,
    /// As few instructions as possible, which change no register.
    Instructions,
}

/// Instructions that change no register, by their length less 1, as MASM 6 pads code of 16 bits and of 32 bits. For
/// five bytes MASM has one that changes flags; this is the one of its clones.
const NARROW: [&[u8]; 3] = [&[0x90], &[0x8B, 0xC0], &[0x2E, 0x8B, 0xC0]];
const WIDE: [&[u8]; 7] = [
    &[0x90],
    &[0x8B, 0xFF],
    &[0x8D, 0x40, 0],
    &[0x8D, 0x44, 0x20, 0],
    &[0x2E, 0x8D, 0x44, 0x20, 0],
    &[0x8D, 0x80, 0, 0, 0, 0],
    &[0x8D, 0xA4, 0x24, 0, 0, 0, 0],
];

impl Padding {
    /// Appends `length` bytes of padding for code of this size.
    pub(crate) fn fill(self, length: usize, size: CodeSize, bytes: &mut Vec<u8>) {
        let forms: &[&[u8]] = match (self, size) {
            (Padding::Zeroes, _) => return bytes.resize(bytes.len() + length, 0),
            (Padding::Nops, _) => return bytes.resize(bytes.len() + length, 0x90),
            (Padding::Instructions, CodeSize::Bits16) => &NARROW,
            (Padding::Instructions, CodeSize::Bits32) => &WIDE,
        };
        let mut left = length;
        while left > 0 {
            let form = forms.get(left.min(forms.len()) - 1).unwrap_or(&forms[0]);
            bytes.extend_from_slice(form);
            left -= form.len();
        }
    }
}

/// The place of a segment in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placing {
    /// After the preceding segments.
    InOrder,
    Stack,
    /// At a paragraph that does not belong to the program, such as 40h.
    At(u16),
    /// In the segment of the entry, so that near calls reach it.
    Library,
}
