//! What is parsed: expressions as nodes in one arena, and the instructions that wait for addresses.

use crate::diag::Span;
use crate::names::NameId;
use iced_x86::Register;

/// An expression's number in [`Expressions`].
pub(crate) type ExpressionId = u32;

/// A place in the program before addresses are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// Index of the segment.
    pub(crate) segment: u32,
    /// Index of the fragment within the segment.
    pub(crate) fragment: u32,
    /// Bytes from the fragment's start.
    pub(crate) offset: u32,
}

/// What a symbol or an operand is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// Nothing is known.
    None,
    /// Data of so many bytes an element.
    Bytes(u8),
    /// Code in this segment.
    Near,
    /// Code elsewhere.
    Far,
    /// A structure.
    Structure(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Minus,
    Not,
    High,
    Low,
    HighWord,
    LowWord,
    Offset,
    Segment,
    Type,
    This,
    Size,
    Length,
    Short,
    Bracket,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    Xor,
    Ptr,
    Override,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum NodeKind {
    Number(i64),
    /// A name that was not a number when it was read, and the number of the procedure it stands in, or 0.
    Symbol(NameId, u32),
    Register(Register),
    Here(Location),
    TypeName(Type),
    Unary(Unary, ExpressionId),
    Binary(Binary, ExpressionId, ExpressionId),
    /// `operand.field`.
    Field(ExpressionId, NameId),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) span: Span,
    /// How deep the tree below is, so that evaluating it cannot exhaust the stack.
    pub(crate) depth: u16,
}

/// The arena of all expressions still needed.
#[derive(Default)]
pub(crate) struct Expressions {
    nodes: Vec<Node>,
}

impl Expressions {
    pub(crate) fn push(&mut self, kind: NodeKind, span: Span) -> ExpressionId {
        let below = |id: ExpressionId| self.nodes[id as usize].depth;
        let depth = match kind {
            NodeKind::Unary(_, operand) | NodeKind::Field(operand, _) => below(operand).saturating_add(1),
            NodeKind::Binary(_, left, right) => below(left).max(below(right)).saturating_add(1),
            _ => 1,
        };
        self.nodes.push(Node { kind, span, depth });
        self.nodes.len() as u32 - 1
    }

    pub(crate) fn node(&self, id: ExpressionId) -> &Node {
        &self.nodes[id as usize]
    }

    /// How many nodes there are, to come back to with [`Expressions::forget`].
    pub(crate) fn mark(&self) -> usize {
        self.nodes.len()
    }

    /// Drops every node made since `mark`.
    pub(crate) fn forget(&mut self, mark: usize) {
        self.nodes.truncate(mark);
    }
}

/// The most operands an instruction has.
pub(crate) const MOST_OPERANDS: usize = 4;

/// An instruction as written, kept for when addresses are known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub(crate) mnemonic: NameId,
    pub(crate) lock: bool,
    /// 0 none, 1 rep, 2 repe, 3 repne.
    pub(crate) repeat: u8,
    pub(crate) operands: [ExpressionId; MOST_OPERANDS],
    pub(crate) operand_count: u8,
    /// The mnemonic's place; its line is the instruction's line.
    pub(crate) span: Span,
    pub(crate) origin: u32,
}
