//! The instructions that push an argument of a call: of 16 and of 32 bits, of registers, constants, variables and
//! addresses.

use super::block_condition::is_signed_operand;
use super::expression::expression;
use super::generated::generate_instruction;
use super::keyword::Processor;
use super::procedure::elements;
use super::{Keyword, Parser, keyword_at};
use crate::diag::{Fault, Span, fault};
use crate::expression::Type;
use crate::lex::{Cursor, Line};
use crate::program::{Value, evaluate};
use iced_x86::Register;
use p5_image::ElementKind;

/// The parts of EAX and EDX through which arguments are pushed, as bits.
const AL: u8 = 1;
const AH: u8 = 2;
const AX: u8 = AL | AH;
const EAX: u8 = AX | 4;
const DX: u8 = 8;
const PARTS: [u8; 4] = [AL, AH, 4, DX];

/// For each part of EAX and EDX the argument of this call that was pushed through it last.
#[derive(Default)]
pub(super) struct Overwritten([Option<String>; PARTS.len()]);

impl Overwritten {
    fn add(&mut self, parts: u8, argument: &str) {
        for (by, part) in self.0.iter_mut().zip(PARTS) {
            if parts & part != 0 {
                *by = Some(argument.to_owned());
            }
        }
    }

    /// Refuses a register whose value an argument pushed before has overwritten: MASM's error A2133.
    pub(super) fn check(&self, register: Register, span: Span) -> Result<(), Fault> {
        let parts = parts_of(register);
        let mut overwritten = self.0.iter().zip(PARTS).filter(|(_, part)| parts & part != 0);
        let Some(argument) = overwritten.find_map(|(by, _)| by.as_deref()) else {
            return Ok(());
        };
        let whole = match self.0 {
            _ if parts == DX => "DX",
            [_, _, Some(_), _] => "EAX",
            _ => "AX",
        };
        let name = format!("{register:?}").to_ascii_lowercase();
        let other = match register.size() {
            1 => "cl",
            2 => "cx",
            _ => "ecx",
        };
        let message = format!("`{name}` has lost its value here: `{argument}` is pushed first, by way of {whole}");
        Err(fault(span, message).with_help(format!(
            "copy it to another register before the call, as in `mov {other},{name}`, and write that one here"
        )))
    }

    fn check_value(&self, value: &Value, span: Span) -> Result<(), Fault> {
        let mut registers = [value.register, value.base, value.index].into_iter();
        registers.try_for_each(|register| self.check(register, span))
    }

    /// Warns of the target of a call that a register holds which an argument has overwritten: MASM takes it.
    pub(super) fn check_target(&self, parser: &mut Parser<'_>, text: &str, span: Span) {
        if self.0.iter().all(Option::is_none) {
            return;
        }
        if let Ok((value, _)) = argument_value(parser, text, span)
            && let Err(problem) = self.check_value(&value, span)
        {
            parser.session.warn(problem);
        }
    }
}

fn parts_of(register: Register) -> u8 {
    match register {
        Register::AL => AL,
        Register::AH => AH,
        Register::AX => AX,
        Register::EAX => EAX,
        Register::DL | Register::DH | Register::DX | Register::EDX => DX,
        _ => 0,
    }
}

/// The halves of an argument `dx::ax`.
pub(super) fn register_pair<'t>(parser: &mut Parser<'_>, text: &'t str) -> Option<[(&'t str, Register); 2]> {
    let (high, low) = text.split_once("::")?;
    let mut half = |text: &'t str| {
        let name = parser.session.names.intern(text.trim());
        let register = parser.session.names.info(name).register;
        (register != Register::None).then_some((text.trim(), register))
    };
    Some([half(high)?, half(low)?])
}

/// Pushes an argument in 16-bit code for a parameter of `wanted` bytes, or of any size if that is 0; returns its size
/// in bytes.
pub(super) fn push_word_argument(
    parser: &mut Parser<'_>,
    text: &str,
    wanted: u32,
    overwritten: &mut Overwritten,
    span: Span,
) -> Result<u32, Fault> {
    if let Some(name) = addressed(text) {
        let (value, _) = argument_value(parser, name, span)?;
        overwritten.check_value(&value, span)?;
        overwritten.add(AX, text);
        // A far pointer: the segment of the variable, then its offset.
        let far = wanted == 4;
        let on_stack = value.has_registers();
        if far {
            let segment = if on_stack {
                "push ss".to_owned()
            } else {
                format!("push seg {name}")
            };
            generate_instruction(parser, segment, span);
        }
        let offset = if far && !on_stack {
            format!("mov ax,offset {name}")
        } else {
            format!("lea ax,{name}")
        };
        generate_instruction(parser, offset, span);
        generate_instruction(parser, "push ax", span);
        return Ok(if far { 4 } else { 2 });
    }
    let (value, offset) = argument_value(parser, text, span)?;
    overwritten.check_value(&value, span)?;
    if value.register != Register::None {
        let high = wanted == 4 && value.register.size() <= 2;
        if value.register.is_gpr8() {
            return Ok(push_extended(parser, (text, text), (1, false, high), overwritten, span));
        }
        if high {
            generate_instruction(parser, "push 0", span);
        }
        generate_instruction(parser, format!("push {text}"), span);
        return Ok(if high { 4 } else { value.register.size() as u32 });
    }
    if !is_variable(&value) {
        if wanted == 4 && value.is_number() && !value.relocatable && !value.unresolved {
            // Two words: 386 forms of `push` are not for every processor that the source names.
            generate_instruction(parser, format!("push {}t", (value.number >> 16) as i16), span);
            generate_instruction(parser, format!("push {}t", value.number as i16), span);
            return Ok(4);
        }
        let address = offset || matches!(value.kind, Type::Near | Type::Far);
        if wanted == 4 && address {
            let name = text.trim_start_matches(|letter: char| !letter.is_whitespace()).trim();
            let name = if offset { name } else { text };
            generate_instruction(parser, format!("push seg {name}"), span);
        }
        push_constant(parser, text, (&value, offset), span);
        return Ok(if wanted == 4 && address { 4 } else { 2 });
    }
    let size = parser.program.structures.size_of(value.kind);
    let high = wanted == 4 && size <= 2;
    let signed = is_signed(parser, &value, text);
    match size {
        1 => {
            let operand = typed(&value, "byte", text);
            return Ok(push_extended(
                parser,
                (text, &operand),
                (1, signed, high),
                overwritten,
                span,
            ));
        }
        2 if high && signed => {
            let operand = typed(&value, "word", text);
            return Ok(push_extended(
                parser,
                (text, &operand),
                (2, signed, high),
                overwritten,
                span,
            ));
        }
        0 | 2 => {
            if high {
                generate_instruction(parser, "push 0", span);
            }
            generate_instruction(parser, format!("push {}", typed(&value, "word", text)), span);
        }
        4 if parser.modes.processor < Processor::Wide => {
            // Two words: no register of this processor has 32 bits.
            generate_instruction(parser, format!("push word ptr {text}+2"), span);
            generate_instruction(parser, format!("push word ptr {text}"), span);
        }
        4 => generate_instruction(parser, format!("push {}", typed(&value, "dword", text)), span),
        size => return Err(large_argument(size, span)),
    }
    Ok(if high || size == 4 { 4 } else { 2 })
}

/// Pushes an operand of `size` bytes, one or two, in 16-bit code as a word, or as a doubleword; returns the bytes.
fn push_extended(
    parser: &mut Parser<'_>,
    (text, operand): (&str, &str),
    (size, signed, double): (u32, bool, bool),
    overwritten: &mut Overwritten,
    span: Span,
) -> u32 {
    let name = parser.session.names.intern(text);
    let kept = match parser.session.names.info(name).register {
        Register::AL => AL,
        _ => 0,
    };
    let mut parts = AX & !kept;
    let mut lines = Vec::new();
    if double && !signed {
        lines.push("push 0".to_owned());
    }
    let wide = parser.modes.processor >= Processor::Wide;
    if wide && double && signed {
        parts = EAX;
        lines.extend([format!("movsx eax,{operand}"), "push eax".to_owned()]);
    } else if wide {
        let widen = if signed { "movsx" } else { "movzx" };
        lines.extend([format!("{widen} ax,{operand}"), "push ax".to_owned()]);
    } else {
        // Processors before the 386 extend numbers in AX alone.
        if kept == 0 {
            lines.push(format!("mov {},{operand}", if size == 1 { "al" } else { "ax" }));
        }
        if size == 1 {
            lines.push(if signed { "cbw" } else { "xor ah,ah" }.to_owned());
        }
        if double && signed {
            parts |= DX;
            lines.extend(["cwd", "push dx"].map(str::to_owned));
        }
        lines.push("push ax".to_owned());
    }
    for line in lines {
        generate_instruction(parser, line, span);
    }
    overwritten.add(parts, text);
    if double { 4 } else { 2 }
}

/// What follows `addr` in an argument that begins with it.
fn addressed(text: &str) -> Option<&str> {
    let (word, rest) = text.split_at(text.find([' ', '\t', '(', '[']).unwrap_or(text.len()));
    word.eq_ignore_ascii_case("addr").then(|| rest.trim())
}

/// Whether the value of a variable is signed: by the type before `ptr`, or else by its declaration.
fn is_signed(parser: &mut Parser<'_>, value: &Value, text: &str) -> bool {
    if !value.explicit {
        return is_signed_operand(parser, text);
    }
    let mut words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    words.any(|word| elements(&word.to_ascii_lowercase()) == ElementKind::Signed)
}

/// Whether an argument is the value of a variable, which another module may define.
fn is_variable(value: &Value) -> bool {
    let typed = matches!(value.kind, Type::Bytes(_) | Type::Structure(_));
    value.memory && (typed || !value.unresolved)
}

/// The text of an argument, with the type `kind` unless it has one of its own.
fn typed(value: &Value, kind: &str, text: &str) -> String {
    match value.explicit {
        true => text.to_owned(),
        false => format!("{kind} ptr {text}"),
    }
}

/// The value of an argument, and whether it is an offset.
fn argument_value(parser: &mut Parser<'_>, text: &str, span: Span) -> Result<(Value, bool), Fault> {
    let line = Line::within(span, text);
    let mut tokens = Vec::new();
    parser.lex(&line.text, &mut tokens);
    let mut cursor = Cursor::new(&line, &tokens);
    let offset = keyword_at(&cursor) == Some(Keyword::Offset);
    let mark = parser.session.expressions.mark();
    let id = expression(parser, &mut cursor)?;
    let value = evaluate(parser.session, parser.program, id)?;
    parser.session.expressions.forget(mark);
    cursor.expect_end()?;
    Ok((value, offset))
}

/// Pushes an argument that is a constant; the name of code stands for its offset.
fn push_constant(parser: &mut Parser<'_>, text: &str, (value, offset): (&Value, bool), span: Span) {
    let code = !offset && matches!(value.kind, Type::Near | Type::Far);
    let operator = if code { "offset " } else { "" };
    generate_instruction(parser, format!("push {operator}{text}"), span);
}

/// The fault for an argument that cannot be pushed.
fn large_argument(size: u32, span: Span) -> Fault {
    fault(span, format!("cannot push an argument of {size} bytes")).with_help("pass its address: `addr name`")
}

/// Refuses an argument that is larger than its parameter, MASM's error A2114.
fn check_size(size: usize, most: Option<u32>, span: Span) -> Result<(), Fault> {
    match most {
        Some(most) if size > most as usize => {
            let message = format!("the argument has {size} bytes, but the parameter has {most}");
            Err(fault(span, message).with_help("pass a part of it, or declare the parameter larger"))
        }
        _ => Ok(()),
    }
}

/// Pushes an argument in 32-bit code for a parameter of at `most` so many bytes; returns its size in bytes.
pub(super) fn push_argument(
    parser: &mut Parser<'_>,
    text: &str,
    most: Option<u32>,
    overwritten: &mut Overwritten,
    span: Span,
) -> Result<u32, Fault> {
    if let Some(name) = addressed(text) {
        let (value, _) = argument_value(parser, name, span)?;
        overwritten.check_value(&value, span)?;
        check_size(4, most, span)?;
        if !value.has_registers() {
            // As MASM does: the address is a constant.
            generate_instruction(parser, format!("push offset {name}"), span);
            return Ok(4);
        }
        overwritten.add(EAX, text);
        generate_instruction(parser, format!("lea eax,{name}"), span);
        generate_instruction(parser, "push eax", span);
        return Ok(4);
    }
    let (value, offset) = argument_value(parser, text, span)?;
    overwritten.check_value(&value, span)?;
    if value.register != Register::None {
        check_size(value.register.size(), most, span)?;
        let narrow = value.register.is_gpr8() || value.register.is_gpr16();
        if narrow {
            generate_instruction(parser, format!("movzx eax,{text}"), span);
            // AL and AX keep their values when they are extended.
            let kept = match value.register {
                Register::AL | Register::AX => parts_of(value.register),
                _ => 0,
            };
            overwritten.add(EAX & !kept, text);
        }
        generate_instruction(parser, format!("push {}", if narrow { "eax" } else { text }), span);
        return Ok(4);
    }
    if !is_variable(&value) {
        push_constant(parser, text, (&value, offset), span);
        return Ok(4);
    }
    let size = parser.program.structures.size_of(value.kind);
    check_size(size as usize, most, span)?;
    match size {
        1 | 2 => {
            let widen = if is_signed(parser, &value, text) {
                "movsx"
            } else {
                "movzx"
            };
            let kind = if size == 1 { "byte" } else { "word" };
            generate_instruction(parser, format!("{widen} eax,{}", typed(&value, kind, text)), span);
            generate_instruction(parser, "push eax", span);
            overwritten.add(EAX, text);
            Ok(4)
        }
        8 if !value.explicit => {
            generate_instruction(parser, format!("push dword ptr {text}+4"), span);
            generate_instruction(parser, format!("push dword ptr {text}"), span);
            Ok(8)
        }
        0 | 4 => {
            generate_instruction(parser, format!("push {}", typed(&value, "dword", text)), span);
            Ok(4)
        }
        size => Err(large_argument(size, span)),
    }
}
