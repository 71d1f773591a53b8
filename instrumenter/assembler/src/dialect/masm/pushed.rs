//! The instructions that push an argument of a call: of 16 and of 32 bits, of registers, constants, variables and
//! addresses.

use super::expression::expression;
use super::generated::generate_instruction;
use super::keyword::Processor;
use super::{Keyword, Parser, keyword_at};
use crate::diag::{Fault, Span, fault};
use crate::expression::Type;
use crate::lex::{Cursor, Line};
use crate::program::{Value, evaluate};
use iced_x86::Register;
use p5_image::ElementKind;

/// The halves of an argument `dx::ax`.
pub(super) fn register_pair<'t>(parser: &mut Parser<'_>, text: &'t str) -> Option<(&'t str, &'t str)> {
    let (high, low) = text.split_once("::")?;
    let halves = (high.trim(), low.trim());
    let mut is_register = |text: &str| {
        let name = parser.session.names.intern(text);
        parser.session.names.info(name).register != Register::None
    };
    (is_register(halves.0) && is_register(halves.1)).then_some(halves)
}

/// Pushes an argument in 16-bit code for a parameter of `wanted` bytes, or of any size if that is 0; returns its size
/// in bytes.
pub(super) fn push_word_argument(parser: &mut Parser<'_>, text: &str, wanted: u32, span: Span) -> Result<u32, Fault> {
    let (word, rest) = text.split_at(text.find([' ', '\t', '(', '[']).unwrap_or(text.len()));
    if word.eq_ignore_ascii_case("addr") {
        if wanted == 4 {
            // A far pointer: the segment of the variable, then its offset.
            let on_stack = argument_value(parser, rest.trim(), span)?.0.has_registers();
            let segment = if on_stack {
                "push ss".to_owned()
            } else {
                format!("push seg {}", rest.trim())
            };
            generate_instruction(parser, segment, span);
            let offset = if on_stack {
                format!("lea ax,{rest}")
            } else {
                format!("mov ax,offset {}", rest.trim())
            };
            generate_instruction(parser, offset, span);
            generate_instruction(parser, "push ax", span);
            return Ok(4);
        }
        generate_instruction(parser, format!("lea ax,{rest}"), span);
        generate_instruction(parser, "push ax", span);
        return Ok(2);
    }
    let (value, offset) = argument_value(parser, text, span)?;
    if value.register != Register::None {
        let high = wanted == 4 && value.register.size() <= 2;
        if high {
            generate_instruction(parser, "push 0", span);
        }
        if value.register.is_gpr8() {
            generate_instruction(parser, format!("movzx ax,{text}"), span);
            generate_instruction(parser, "push ax", span);
            return Ok(if high { 4 } else { 2 });
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
    if high {
        generate_instruction(parser, "push 0", span);
    }
    match size {
        1 => {
            generate_instruction(parser, format!("movzx ax,{}", typed(&value, "byte", text)), span);
            generate_instruction(parser, "push ax", span);
        }
        0 | 2 => generate_instruction(parser, format!("push {}", typed(&value, "word", text)), span),
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

/// Whether an argument is the value of a variable, which another module may define.
fn is_variable(value: &Value) -> bool {
    let typed = matches!(value.kind, Type::Bytes(_) | Type::Structure(_));
    value.memory && (typed || !value.unresolved)
}

/// An argument with a type, unless it has one.
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
    let mut cursor = Cursor {
        line: &line,
        tokens: &tokens,
        at: 0,
        extra: None,
    };
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

/// Pushes an argument; returns its size in bytes.
pub(super) fn push_argument(parser: &mut Parser<'_>, text: &str, span: Span) -> Result<u32, Fault> {
    let (word, rest) = text.split_at(text.find([' ', '\t', '(', '[']).unwrap_or(text.len()));
    if word.eq_ignore_ascii_case("addr") {
        generate_instruction(parser, format!("lea eax,{rest}"), span);
        generate_instruction(parser, "push eax", span);
        return Ok(4);
    }
    let (value, offset) = argument_value(parser, text, span)?;
    if value.register != Register::None {
        let narrow = value.register.is_gpr8() || value.register.is_gpr16();
        if narrow {
            generate_instruction(parser, format!("movzx eax,{text}"), span);
        }
        generate_instruction(parser, format!("push {}", if narrow { "eax" } else { text }), span);
        return Ok(4);
    }
    if !is_variable(&value) {
        push_constant(parser, text, (&value, offset), span);
        return Ok(4);
    }
    match parser.program.structures.size_of(value.kind) {
        size @ (1 | 2) => {
            let signed = parser
                .program
                .symbols
                .get(value.symbol)
                .is_some_and(|symbol| symbol.elements == ElementKind::Signed);
            let widen = if signed { "movsx" } else { "movzx" };
            let kind = if size == 1 { "byte" } else { "word" };
            generate_instruction(parser, format!("{widen} eax,{}", typed(&value, kind, text)), span);
            generate_instruction(parser, "push eax", span);
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
