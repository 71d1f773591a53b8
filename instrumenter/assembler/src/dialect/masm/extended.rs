//! TASM's extended instructions, which become several: `setfield` and `getfield` move a field of a record, `fastimul`
//! multiplies by a constant.
//!
//! The manual names the instructions that they become, not their order: for some operands TASM's own are others.

use super::Parser;
use super::expression::{constant, expression};
use super::generated::generate_instruction;
use super::keyword::Processor;
use crate::diag::{Fault, Span, fault};
use crate::expression::{ExpressionId, NodeKind, Type};
use crate::lex::Cursor;
use crate::program::evaluate;
use iced_x86::Register;

/// An operand: its text, its register if it is one, and its size in bytes, 0 if nothing tells it.
struct Operand {
    text: String,
    register: Register,
    size: usize,
}

fn operand(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Operand, Fault> {
    let start = cursor.offset();
    let id = expression(parser, cursor)?;
    let last = cursor.at.checked_sub(1).and_then(|at| cursor.tokens.get(at));
    let end = last.map_or(start, |last| last.end as usize);
    let text = cursor.line.text.get(start..end).unwrap_or("").trim().to_owned();
    Ok(sized(parser, id, text))
}

fn sized(parser: &Parser<'_>, id: ExpressionId, text: String) -> Operand {
    if let NodeKind::Register(register) = parser.session.expressions.node(id).kind {
        let size = register.size();
        return Operand { text, register, size };
    }
    let value = evaluate(parser.session, parser.program, id).ok();
    let size = match value.map(|value| value.kind) {
        Some(Type::Bytes(size)) => usize::from(size),
        _ => 0,
    };
    Operand {
        text,
        register: Register::None,
        size,
    }
}

/// The register of `size` bytes whose lowest byte is that of `register`; `None` for AH and its kin.
fn whole(register: Register, size: usize) -> Option<Register> {
    if matches!(register, Register::AH | Register::BH | Register::CH | Register::DH) && size > 1 {
        return None;
    }
    let wide = register.full_register32();
    let number = wide.number();
    Some(match size {
        _ if register.size() == size => register,
        1 if number < 4 => Register::AL + number as u32,
        2 => Register::AX + number as u32,
        4 => wide,
        _ => return None,
    })
}

fn name(register: Register) -> String {
    format!("{register:?}").to_ascii_lowercase()
}

/// `setfield field destination, source`, or `getfield` with `into` false.
pub(super) fn move_field(
    parser: &mut Parser<'_>,
    into: bool,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<(), Fault> {
    let place = cursor.here();
    let found = cursor
        .name()
        .map(|(field, _)| parser.program.structures.bit_fields.get(&field).copied());
    let Some(Some(field)) = found else {
        return Err(fault(place, "expected a field of a record").with_help("write `getfield field al, operand`"));
    };
    cursor.eat(b',');
    let place = cursor.here();
    let destination = operand(parser, cursor)?;
    if !cursor.eat(b',') {
        return Err(fault(cursor.here(), "expected `,` and the source"));
    }
    let source = operand(parser, cursor)?;
    cursor.expect_end()?;
    let (record, value) = match into {
        true => (&destination, &source),
        false => (&source, &destination),
    };
    let size = match record.size {
        0 => value.size,
        size => size,
    };
    let operating = whole(value.register, size).filter(|_| value.register.is_gpr() && value.size <= size);
    let Some(operating) = operating else {
        let message = "expected a register that is the low part of one of the record's size";
        return Err(fault(place, message).with_help("use AL, BL, CL or DL, or a register as large as the record"));
    };
    let bits = size as u32 * 8;
    if field.shift + field.width > bits {
        let message = format!(
            "the field ends at bit {}, but the operand has {bits}",
            field.shift + field.width
        );
        return Err(fault(place, message).with_help("use an operand as large as the record"));
    }
    let lines = match into {
        true => inserted(parser, operating, &source, &destination, (field.shift, bits)),
        false => extracted(parser, operating, &source, (field.shift, field.width, bits)),
    };
    for line in lines {
        generate_instruction(parser, line, span);
    }
    Ok(())
}

/// The source at the place of the field, then joined with the destination.
fn inserted(
    parser: &Parser<'_>,
    operating: Register,
    source: &Operand,
    destination: &Operand,
    (shift, bits): (u32, u32),
) -> Vec<String> {
    let mut lines = Vec::new();
    if operating != source.register {
        if parser.modes.processor == Processor::Wide {
            lines.push(format!("movzx {},{}", name(operating), source.text));
        } else {
            let high = name(Register::AH + (operating.number() as u32));
            lines.push(format!("xor {high},{high}"));
        }
    }
    lines.extend(rotated(parser, operating, shift, bits));
    if destination.register != operating {
        lines.push(format!("or {},{}", destination.text, name(operating)));
    }
    lines
}

/// The record in the register, its field moved to the lowest bits and the others cleared.
fn extracted(
    parser: &Parser<'_>,
    operating: Register,
    source: &Operand,
    (shift, width, bits): (u32, u32, u32),
) -> Vec<String> {
    let mut lines = Vec::new();
    if source.register != operating {
        lines.push(format!("mov {},{}", name(operating), source.text));
    }
    lines.extend(rotated(parser, operating, (bits - shift) % bits, bits));
    if width < bits {
        let mask = (1u64 << width) - 1;
        lines.push(format!("and {},0{mask:x}h", name(operating)));
    }
    lines
}

/// A rotation to the left, by the shorter way.
fn rotated(parser: &Parser<'_>, register: Register, left: u32, bits: u32) -> Vec<String> {
    let (word, count) = match left {
        0 => return Vec::new(),
        _ if left * 2 > bits => ("ror", bits - left),
        _ => ("rol", left),
    };
    let low = register.number() as u32;
    if bits == 16 && count == 8 && low < 4 {
        let halves = (name(Register::AL + low), name(Register::AH + low));
        return vec![format!("xchg {},{}", halves.0, halves.1)];
    }
    let register = name(register);
    match parser.modes.processor {
        Processor::I86 => vec![format!("{word} {register},1"); count as usize],
        _ => vec![format!("{word} {register},{count}t")],
    }
}

/// `fastimul destination, source, constant`.
pub(super) fn fast_multiply(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<(), Fault> {
    let place = cursor.here();
    let destination = operand(parser, cursor)?;
    if !destination.register.is_gpr() || destination.size < 2 {
        return Err(fault(place, "expected a register of a word or a dword"));
    }
    let mut parts = Vec::new();
    for what in ["source", "constant"] {
        if !cursor.eat(b',') {
            return Err(fault(cursor.here(), format!("expected `,` and the {what}")));
        }
        if what == "source" {
            parts.push(operand(parser, cursor)?);
        }
    }
    let factor = constant(parser, cursor)?;
    cursor.expect_end()?;
    let Some(source) = parts.pop() else { return Ok(()) };
    let sums = factor.unsigned_abs().count_ones() > 1 && parser.modes.processor == Processor::I86;
    if sums && source.register == destination.register {
        let message = "the 8086 needs the source in another register to multiply by this constant";
        return Err(fault(place, message).with_help("name another source, or write `.186` before it"));
    }
    for line in product(parser, &destination, &source, factor) {
        generate_instruction(parser, line, span);
    }
    Ok(())
}

fn product(parser: &Parser<'_>, destination: &Operand, source: &Operand, factor: i64) -> Vec<String> {
    let to = &destination.text;
    let other = source.register != destination.register;
    let bits = destination.size as u32 * 8;
    let magnitude = factor.unsigned_abs();
    let mut lines = Vec::new();
    if magnitude == 0 {
        return vec![format!("xor {to},{to}")];
    }
    let power = magnitude.is_power_of_two() && magnitude.trailing_zeros() < bits;
    if !power && parser.modes.processor != Processor::I86 {
        return vec![format!("imul {to},{},{factor}t", source.text)];
    }
    if other {
        lines.push(format!("mov {to},{}", source.text));
    }
    let shift = |lines: &mut Vec<String>, count: u32| match parser.modes.processor {
        _ if count == 0 => {}
        Processor::I86 => lines.extend(vec![format!("shl {to},1"); count as usize]),
        _ => lines.push(format!("shl {to},{count}t")),
    };
    let top = 63 - magnitude.leading_zeros();
    let mut pending = 0;
    for bit in (0..top).rev() {
        pending += 1;
        if magnitude >> bit & 1 == 1 {
            shift(&mut lines, pending);
            pending = 0;
            lines.push(format!("add {to},{}", source.text));
        }
    }
    shift(&mut lines, pending);
    if factor < 0 {
        lines.push(format!("neg {to}"));
    }
    lines
}
