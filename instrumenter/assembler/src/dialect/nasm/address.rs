//! What stands in brackets: registers with their factors, and the rest, which is a number or an address.
//!
//! NASM computes with registers as with other operands, so that `[eax*3]` and `[eax+eax*2]` are the same, and chooses
//! the shortest form of the sum.

use super::Parser;
use super::expression::{binary, expression, unary, word_at};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, NodeKind, Unary};
use crate::lex::{Cursor, Kind};
use crate::program::{Value, evaluate};
use iced_x86::Register;

/// The registers of a sum, each with its factor, in the order of their first places, and the rest.
#[derive(Default)]
struct Sum {
    registers: Vec<(Register, i64)>,
    /// The register with a factor of 1 that was written as a product, which is an index if that is possible.
    scaled: Option<Register>,
    rest: Option<ExpressionId>,
}

impl Sum {
    fn add(&mut self, register: Register, factor: i64) {
        match self.registers.iter_mut().find(|(known, _)| *known == register) {
            Some((_, known)) => *known += factor,
            None => self.registers.push((register, factor)),
        }
    }
}

/// Parses `[...]` to a memory operand.
pub(super) fn memory(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<ExpressionId, Fault> {
    let span = cursor.here();
    cursor.at += 1;
    let mut whole = false;
    while let Some(word) = word_at(parser, cursor) {
        match word.as_str() {
            // There is no other way here to find an address.
            "abs" | "rel" => {}
            "nosplit" => whole = true,
            "byte" | "word" | "dword" | "qword" => {
                let help = "leave it out: the shortest address that holds the number is taken";
                return Err(super::unsupported(cursor.here(), &format!("[{word} ...]"), help));
            }
            _ => break,
        }
        cursor.at += 1;
    }
    let segment = segment(parser, cursor)?;
    let inside = expression(parser, cursor)?;
    if !cursor.eat(b']') {
        let label = if cursor.is(b',') {
            "one address has one expression"
        } else {
            "unclosed bracket"
        };
        return Err(fault(cursor.here(), "expected `]`").with_label(label));
    }
    let mut sum = Sum::default();
    collect(parser, inside, 1, &mut sum)?;
    let address = ordered(parser, sum, whole, span)?;
    let memory = unary(parser, Unary::Bracket, address, span)?;
    match segment {
        Some(segment) => binary(parser, Binary::Override, (segment, memory), span),
        None => Ok(memory),
    }
}

/// The segment register and the colon at the cursor.
fn segment(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Option<ExpressionId>, Fault> {
    let Some(name) = cursor.peek_name() else {
        return Ok(None);
    };
    let register = parser.session.names.info(name).register;
    if !register.is_segment_register() {
        return Ok(None);
    }
    let span = cursor.here();
    cursor.at += 1;
    match cursor.eat(b':') {
        true => Ok(Some(
            parser.session.expressions.push(NodeKind::Register(register), span),
        )),
        false => Err(fault(cursor.here(), "expected `:` after the segment register")),
    }
}

/// Whether an expression contains a register.
pub(super) fn has_register(parser: &Parser<'_>, id: ExpressionId) -> bool {
    match parser.session.expressions.node(id).kind {
        NodeKind::Register(_) => true,
        NodeKind::Unary(_, operand) => has_register(parser, operand),
        NodeKind::Binary(_, left, right) => has_register(parser, left) || has_register(parser, right),
        _ => false,
    }
}

/// Adds `factor` times an expression to a sum.
fn collect(parser: &mut Parser<'_>, id: ExpressionId, factor: i64, sum: &mut Sum) -> Result<(), Fault> {
    let node = *parser.session.expressions.node(id);
    if !has_register(parser, id) {
        let (operator, scaled) = match factor {
            1 => (Binary::Add, id),
            -1 => (Binary::Subtract, id),
            _ => {
                let number = parser.session.expressions.push(NodeKind::Number(factor), node.span);
                (Binary::Add, binary(parser, Binary::Multiply, (id, number), node.span)?)
            }
        };
        sum.rest = Some(match (sum.rest, operator) {
            (None, Binary::Add) => scaled,
            (None, _) => unary(parser, Unary::Minus, scaled, node.span)?,
            (Some(rest), operator) => binary(parser, operator, (rest, scaled), node.span)?,
        });
        return Ok(());
    }
    match node.kind {
        NodeKind::Register(register) => {
            sum.add(register, factor);
            Ok(())
        }
        NodeKind::Unary(Unary::Minus, operand) => collect(parser, operand, -factor, sum),
        NodeKind::Binary(Binary::Add, left, right) => {
            collect(parser, left, factor, sum)?;
            collect(parser, right, factor, sum)
        }
        NodeKind::Binary(Binary::Subtract, left, right) => {
            collect(parser, left, factor, sum)?;
            collect(parser, right, -factor, sum)
        }
        NodeKind::Binary(Binary::Multiply, left, right) => {
            let (operand, number) = if has_register(parser, left) {
                (left, right)
            } else {
                (right, left)
            };
            let times = evaluate(parser.session, parser.program, number)?;
            if has_register(parser, number) || !is_settled(&times) {
                return Err(fault(
                    node.span,
                    "the factor of a register must be a number that is known here",
                ));
            }
            if let (NodeKind::Register(register), 1) = (parser.session.expressions.node(operand).kind, times.number) {
                sum.scaled = sum.scaled.or(Some(register));
            }
            collect(parser, operand, factor.wrapping_mul(times.number), sum)
        }
        _ => Err(fault(
            node.span,
            "only sums and products with numbers can contain registers",
        )),
    }
}

fn is_settled(value: &Value) -> bool {
    value.is_number() && !value.relocatable && !value.unresolved && !value.volatile
}

/// The sum in the form that the processor has: a base, an index with a factor, and the rest.
fn ordered(parser: &mut Parser<'_>, sum: Sum, whole: bool, span: Span) -> Result<ExpressionId, Fault> {
    let Sum {
        registers,
        scaled,
        rest,
    } = sum;
    let registers: Vec<(Register, i64)> = registers.into_iter().filter(|(_, factor)| *factor != 0).collect();
    let invalid = || {
        fault(span, "invalid effective address")
            .with_help("it has a base, an index times 1, 2, 4 or 8, and a number: `[ebx+ecx*4+8]`")
    };
    if let Some((register, _)) = registers.iter().find(|(one, _)| !one.is_gpr32() && !one.is_gpr16()) {
        let name = format!("{register:?}").to_ascii_lowercase();
        return Err(fault(span, format!("`{name}` cannot be part of an address"))
            .with_help("only 32-bit and 16-bit general registers form an address"));
    }
    let (mut base, mut index) = match registers[..] {
        [] => (None, None),
        [one] => (None, Some(one)),
        [(first, 1), second] if second.1 != 1 => (Some(first), Some(second)),
        [first, (second, 1)] if first.1 != 1 => (Some(second), Some(first)),
        // `[eax*1+ebx]`: what was multiplied is the index.
        [(first, 1), (second, 1)] if scaled == Some(first) && first != Register::ESP => {
            (Some(second), Some((first, 1)))
        }
        [(first, 1), second] => (Some(first), Some(second)),
        _ => return Err(invalid()),
    };
    let is_stack = |register: Register| matches!(register, Register::ESP | Register::SP);
    if let Some((register, 1)) = index
        && is_stack(register)
        && let Some(other) = base
    {
        (base, index) = (Some(register), Some((other, 1)));
    }
    if let (None, Some((register, factor))) = (base, index) {
        let split = match factor {
            1 => Some(0),
            2 if !whole && !is_stack(register) => Some(1),
            3 | 5 | 9 => Some(factor - 1),
            _ => None,
        };
        if let Some(left) = split {
            base = Some(register);
            index = (left > 0).then_some((register, left));
        }
    }
    if index.is_some_and(|(register, factor)| is_stack(register) || !matches!(factor, 1 | 2 | 4 | 8)) {
        return Err(invalid());
    }
    let mut node = None;
    if let Some(base) = base {
        node = Some(parser.session.expressions.push(NodeKind::Register(base), span));
    }
    if let Some((register, factor)) = index {
        let mut part = parser.session.expressions.push(NodeKind::Register(register), span);
        if register.is_gpr32() {
            let number = parser.session.expressions.push(NodeKind::Number(factor), span);
            part = binary(parser, Binary::Multiply, (part, number), span)?;
        } else if factor != 1 {
            return Err(invalid());
        }
        node = Some(match node {
            Some(base) => binary(parser, Binary::Index, (base, part), span)?,
            None => part,
        });
    }
    let Some(rest) = rest else {
        return node.ok_or_else(invalid);
    };
    let value = evaluate(parser.session, parser.program, rest)?;
    let Some(node) = node else { return Ok(rest) };
    // A number that is 0 takes no byte.
    if is_settled(&value) && value.number as i32 == 0 {
        return Ok(node);
    }
    binary(parser, Binary::Add, (node, rest), span)
}

/// Whether brackets begin at the cursor.
pub(super) fn begins(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek().map(|token| token.kind), Some(Kind::Mark(b'[')))
}
