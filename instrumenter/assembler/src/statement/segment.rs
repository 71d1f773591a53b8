//! Segments, memory models, and the assumed contents of segment registers.

use super::Named;
use crate::diag::Span;
use crate::expression::ExpressionId;
use crate::module::Combine;
use crate::names::NameId;
use crate::operand::CodeSize;

/// What a directive that aligns asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Alignment {
    /// Addresses are multiples of it.
    pub(crate) unit: u32,
    /// The most bytes that it takes; where more are missing, it takes none.
    pub(crate) most: u32,
    /// The byte that fills it, or what pads the segment.
    pub(crate) fill: Option<u8>,
}

impl Alignment {
    pub(crate) fn of(unit: u32) -> Alignment {
        Alignment {
            unit,
            most: u32::MAX,
            fill: None,
        }
    }
}

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
