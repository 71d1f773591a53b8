//! Segments, memory models, and what segment registers are assumed to hold.

use super::Named;
use crate::diag::Span;
use crate::expression::ExpressionId;
use crate::names::NameId;
use crate::operand::CodeSize;

/// Selects the segment for the following bytes.
pub(crate) enum Segment<'l> {
    /// A standard segment; code segments may have a separate name.
    Usual {
        role: SegmentRole,
        name: Option<&'l str>,
    },
    Begin(Box<SegmentHead<'l>>),
    /// Saves the current segment.
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
    /// Whether its class is that of code.
    pub(crate) code: bool,
    /// The size of its code, if the line says so.
    pub(crate) size: Option<CodeSize>,
    /// The size if no line says so.
    pub(crate) default_size: CodeSize,
    /// Its address is a multiple of this.
    pub(crate) alignment: Option<u32>,
    pub(crate) placing: Option<Placing>,
}

/// A memory model with 16-bit segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryModel {
    /// Whether code and data share one segment.
    pub(crate) tiny: bool,
    /// Text macros that describe it.
    pub(crate) texts: [(&'static str, &'static str); 2],
    /// Numbers that describe it.
    pub(crate) numbers: [(&'static str, i64); 4],
}

/// What a segment register is assumed to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    Nothing,
    /// The segment or group of this name, which may not be defined yet.
    Named(NameId, Span),
    /// The segment of this address.
    SegmentOf(ExpressionId),
}

/// The contents of a standard segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SegmentRole {
    Code,
    Data,
    Uninitialised,
    Constants,
    /// Data outside the group of the others.
    Far,
}

/// The names of the standard segments.
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

/// How a segment is to be placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placing {
    /// After the segments before it.
    InOrder,
    /// As the stack.
    Stack,
    /// At a paragraph that does not belong to the program, such as 40h.
    At(u16),
    /// Where the code that the program starts with can reach it.
    Library,
}
