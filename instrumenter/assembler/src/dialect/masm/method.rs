//! Calls of methods of TASM's objects: of their procedures, or through the table of the object.

use super::generated::{generate_instruction, later};
use super::invoke::call_target;
use super::next_generated::next_generated;
use super::object::{object_named, pointer_place};
use super::{Keyword, Parser, keyword_at};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::lex::{Cursor, Kind, Line, Token};
use iced_x86::Register;

/// `call instance method object:name uses es:bx c, arguments`, or `jmp`. Returns whether the line is one.
pub(super) fn method_call<'l>(
    parser: &mut Parser<'_>,
    word: &str,
    cursor: &mut Cursor<'l>,
    span: Span,
) -> Option<Parsed<'l>> {
    let rest = cursor.tokens.get(cursor.at..)?;
    let is_method =
        |token: &Token| matches!(token.kind, Kind::Name(_)) && cursor.text(*token).eq_ignore_ascii_case("method");
    let at = rest
        .iter()
        .position(is_method)
        .filter(|&at| at > 0 && at + 1 < rest.len())?;
    let start = cursor.offset();
    let end = rest.get(at)?.start as usize;
    let instance = cursor.line.text.get(start..end)?.trim().to_owned();
    cursor.at += at + 1;
    let made = to_method(parser, (word, &instance), cursor, span);
    later(parser, made);
    Some(next_generated(parser).transpose())
}

fn to_method(
    parser: &mut Parser<'_>,
    (word, instance): (&str, &str),
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<(), Fault> {
    let mut name = parser.modes.object;
    let place = cursor.here();
    let Some((mut called, mut token)) = cursor.name() else {
        return Err(fault(place, "expected a method").with_help("write `call instance method object:name`"));
    };
    if cursor.eat(b':') {
        name = called;
        let place = cursor.here();
        let Some(behind) = cursor.name() else {
            return Err(fault(place, "expected a method after `:`"));
        };
        (called, token) = behind;
    }
    let object = object_named(parser, name, place)?;
    let Some(method) = object.methods.iter().find(|method| method.name == called).cloned() else {
        let text = cursor.text(token);
        let message = format!("`{}` has no method `{text}`", object.spelled);
        return Err(fault(cursor.span(token), message));
    };
    // The registers through which the table is reached.
    let wide = !parser.is_narrow();
    let far = !wide && object.pointer_size == 4;
    let mut register = if wide { "ebx" } else { "bx" }.to_owned();
    let mut segment = if far { "es:" } else { "" }.to_owned();
    if keyword_at(cursor) == Some(Keyword::Uses) {
        cursor.at += 1;
        let place = cursor.here();
        if cursor.peek_second().is_some_and(|token| cursor.text(token) == ":") {
            let named = named_register(parser, cursor, Register::is_segment_register)?;
            // No instruction loads CS.
            if named.eq_ignore_ascii_case("cs") {
                return Err(no_register(place));
            }
            segment = format!("{named}:");
            cursor.at += 1;
        }
        register = named_register(parser, cursor, |register| register.is_gpr16() || register.is_gpr32())?;
    }
    let rest = cursor.here();
    let arguments = cursor.take_rest().trim().to_owned();
    if word == "jmp" && !arguments.is_empty() {
        return Err(
            fault(rest, "`jmp` to a method pushes no arguments").with_help("write `call`, or `jmp` without them")
        );
    }
    let mut loading = None;
    let target = if method.through_table {
        let place = pointer_place(parser, name, &object);
        loading = Some(match (far, wide) {
            (true, _) => {
                let load = segment.get(..2).unwrap_or("es");
                format!("l{load} {register},[dword ptr {instance}+{place}t]")
            }
            (false, true) => format!("mov {register},[dword ptr {instance}+{place}t]"),
            (false, false) => format!("mov {register},[word ptr {instance}+{place}t]"),
        });
        let size = match method.size {
            2 => "word",
            4 => "dword",
            _ => "fword",
        };
        let segment = if far { segment.as_str() } else { "" };
        format!("[{size} ptr {segment}{register}+{}t]", object.place(called))
    } else {
        let Some(procedure) = method.value else {
            return Err(fault(span, format!("method `{}` has no procedure", method.spelled))
                .with_help("write `name:word=procedure` among the methods"));
        };
        procedure.to_string()
    };
    if arguments.is_empty() {
        if let Some(load) = loading {
            generate_instruction(parser, load, span);
        }
        generate_instruction(parser, format!("{word} {target}"), span);
        return Ok(());
    }
    let text = format!("{target} {arguments}");
    let line = Line::within(span, &text);
    let mut tokens = Vec::new();
    parser.lex(&line.text, &mut tokens);
    let mut cursor = Cursor::new(&line, &tokens);
    call_target(parser, &mut cursor, span, loading)
}

/// The next word, which has to be a register of a kind.
fn named_register(
    parser: &Parser<'_>,
    cursor: &mut Cursor<'_>,
    is_of_kind: impl Fn(Register) -> bool,
) -> Result<String, Fault> {
    let place = cursor.here();
    let (_, token) = cursor
        .name()
        .filter(|&(name, _)| is_of_kind(parser.session.names.info(name).register))
        .ok_or_else(|| no_register(place))?;
    Ok(cursor.text(token).to_owned())
}

fn no_register(place: Span) -> Fault {
    let problem = fault(place, "the address of a table is not loaded into this");
    problem.with_help("write `uses` with a register, or with ES, DS, SS, FS or GS and a register: `uses es:bx`")
}
