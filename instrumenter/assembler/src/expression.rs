//! Expressions: nodes in one arena, free of any dialect.

use crate::diag::Span;
use crate::names::NameId;
use iced_x86::Register;

pub(crate) type ExpressionId = u32;

/// A location in the program before its address is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    /// Index of the segment.
    pub(crate) segment: u32,
    /// Index of the fragment within the segment.
    pub(crate) fragment: u32,
    /// The offset from the fragment's start, in bytes.
    pub(crate) offset: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    None,
    /// Data with elements of this many bytes.
    Bytes(u8),
    /// Code in the current segment.
    Near,
    /// Code in another segment.
    Far,
    /// A structure, by its number.
    Structure(u32),
}

impl Type {
    /// The size of one plain element; 0 for code and for structures, whose fields have separate sizes.
    pub(crate) fn element(self) -> u8 {
        match self {
            Type::Bytes(size) => size,
            Type::None | Type::Near | Type::Far | Type::Structure(_) => 0,
        }
    }
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
    /// What kind of operand it is, as bits.
    Attributes,
    This,
    Size,
    Length,
    /// The size and the number of elements of what a `dup` that begins a definition repeats; of one element without.
    FirstSize,
    FirstLength,
    Short,
    /// The 32-bit form of a number.
    Large,
    /// The 16-bit form of a number.
    Small,
    Bracket,
    /// Brackets that make no memory operand of a plain number.
    Subscript,
    StackRegister,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    /// The sum of an operand and the part in brackets after it.
    Index,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    /// The quotient and the remainder of numbers of 64 bits without a sign, as NASM has them.
    DivideOf64,
    ModuloOf64,
    ShiftLeft,
    ShiftRight,
    /// The same of a number of 64 bits, as GNU's assembler has it.
    ShiftRightOf64,
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
    /// A name that was not a number when it was read, and the number of the enclosing procedure, or 0.
    Symbol(NameId, u32),
    /// A symbol by its index: one of several definitions of a name.
    Variable(u32),
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
    /// The depth of the subtree, limited so that evaluation cannot exhaust the stack.
    pub(crate) depth: u16,
}

/// The arena of all live expressions.
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

    /// The number of nodes, a mark for [`Expressions::forget`].
    pub(crate) fn mark(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn forget(&mut self, mark: usize) {
        self.nodes.truncate(mark);
    }

    /// Drops every node made after the node `last`, and their memory. The operands of an expression precede it.
    pub(crate) fn release_after(&mut self, last: Option<ExpressionId>) {
        self.nodes.truncate(last.map_or(0, |last| last as usize + 1));
        self.nodes.shrink_to_fit();
    }

    /// Whether an expression contains a name that is not defined yet.
    pub(crate) fn mentions(&self, id: ExpressionId, name: NameId) -> bool {
        match self.node(id).kind {
            NodeKind::Symbol(found, _) => found == name,
            NodeKind::Unary(_, operand) | NodeKind::Field(operand, _) => self.mentions(operand, name),
            NodeKind::Binary(_, left, right) => self.mentions(left, name) || self.mentions(right, name),
            _ => false,
        }
    }

    /// Whether an expression contains one of several definitions of a name.
    pub(crate) fn has_variable(&self, id: ExpressionId) -> bool {
        match self.node(id).kind {
            NodeKind::Variable(_) => true,
            NodeKind::Unary(_, operand) | NodeKind::Field(operand, _) => self.has_variable(operand),
            NodeKind::Binary(_, left, right) => self.has_variable(left) || self.has_variable(right),
            _ => false,
        }
    }

    pub(crate) fn extent(&self, id: ExpressionId) -> Span {
        let node = self.node(id);
        let mut span = node.span;
        let mut join = |below: ExpressionId| {
            let other = self.extent(below);
            if other.file == span.file && other.line == span.line {
                span.start = span.start.min(other.start);
                span.end = span.end.max(other.end);
            }
        };
        match node.kind {
            NodeKind::Unary(_, operand) | NodeKind::Field(operand, _) => join(operand),
            NodeKind::Binary(_, left, right) => {
                join(left);
                join(right);
            }
            _ => {}
        }
        span
    }
}

impl Binary {
    /// Whether its result tells the order of its operands, and nothing else.
    pub(crate) fn compares(self) -> bool {
        use Binary::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        matches!(self, Equal | NotEqual | Less | LessOrEqual | Greater | GreaterOrEqual)
    }
}

/// The result of the operator on two plain numbers; `None` for division by zero and non-arithmetic operators.
pub(crate) fn arithmetic(operator: Binary, left: i64, right: i64) -> Option<i64> {
    let truth = |holds: bool| -i64::from(holds);
    Some(match operator {
        Binary::Add | Binary::Index => left.wrapping_add(right),
        Binary::Subtract => left.wrapping_sub(right),
        Binary::Multiply => left.wrapping_mul(right),
        Binary::Divide | Binary::Modulo | Binary::DivideOf64 | Binary::ModuloOf64 if right == 0 => return None,
        Binary::Divide => left.wrapping_div(right),
        Binary::Modulo => left.wrapping_rem(right),
        Binary::DivideOf64 => (left as u64 / right as u64) as i64,
        Binary::ModuloOf64 => (left as u64 % right as u64) as i64,
        Binary::ShiftLeft => match u32::try_from(right) {
            Ok(count) if count < 64 => left.wrapping_shl(count),
            _ => 0,
        },
        Binary::ShiftRight => {
            // MASM numbers have 32 bits: shifting a negative one brings in zeroes at bit 31.
            let unsigned = if left < 0 && left >= i64::from(i32::MIN) {
                u64::from(left as u32)
            } else {
                left as u64
            };
            shifted_right(unsigned, right)
        }
        Binary::ShiftRightOf64 => shifted_right(left as u64, right),
        Binary::Equal => truth(left == right),
        Binary::NotEqual => truth(left != right),
        Binary::Less => truth(left < right),
        Binary::LessOrEqual => truth(left <= right),
        Binary::Greater => truth(left > right),
        Binary::GreaterOrEqual => truth(left >= right),
        Binary::And => left & right,
        Binary::Or => left | right,
        Binary::Xor => left ^ right,
        Binary::Ptr | Binary::Override => return None,
    })
}

fn shifted_right(number: u64, count: i64) -> i64 {
    match u32::try_from(count) {
        Ok(count) if count < 64 => (number >> count) as i64,
        _ => 0,
    }
}

/// The low 32 bits of a number that has more, with their sign: what GNU's assembler takes of it.
pub(crate) fn low_dword(number: i64) -> i64 {
    match i64::from(i32::MIN) <= number && number <= i64::from(u32::MAX) {
        true => number,
        false => i64::from(number as i32),
    }
}
