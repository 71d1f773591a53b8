//! Which statement a line is: a label, a directive, data, an instruction, or the call of a macro.

use super::data::{Word, data, word as data_word};
use super::expression::{expression, has_marks};
use super::instruction::{begins_instruction, expect_end, instruction, unknown_instruction};
use super::{Parser, Pending, directive, lines, section, structure};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::expression::{ExpressionId, NodeKind};
use crate::lex::{Cursor, Kind, Token};
use crate::names::{NONE, NameId};
use crate::program::{constant, evaluate};
use crate::statement::{Equated, Named, Statement};

/// The next statement of a line.
pub(super) fn statement<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    if !parser.modes.begun
        && let Some(token) = cursor.peek()
    {
        section::begin(parser, cursor.span(token));
    }
    match parser.modes.pending.pop_front() {
        Some(Pending::Statement(statement)) => return Ok(Some(statement)),
        Some(Pending::ComOrigin(span)) => return Ok(Some(section::com_origin(parser, span))),
        None => {}
    }
    section::note_start(parser);
    let parsed = parse(parser, cursor);
    if parsed.is_err() {
        cursor.at = cursor.tokens.len();
    }
    parsed
}

fn parse<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    let Some(token) = cursor.peek() else { return Ok(None) };
    let span = cursor.span(token);
    if structure::keeps_out(parser, cursor) {
        return structure::field(parser, cursor);
    }
    let name = match token.kind {
        Kind::Name(name) => name,
        // `[bits 32]`
        Kind::Mark(b'[') => return bracketed(parser, cursor, span),
        Kind::Bad(why) => return Err(fault(span, why)),
        _ => {
            return Err(fault(span, "expected a statement")
                .with_help("write `label: instruction operands`, a directive or a macro call"));
        }
    };
    let text = parser.session.names.text(name).to_owned();
    if text.starts_with('%') {
        cursor.at += 1;
        return directive::directive(parser, cursor, &text, span);
    }
    let colon = cursor.peek_second().map(|next| next.kind) == Some(Kind::Mark(b':'));
    if !colon && let Some(parsed) = meaning(parser, cursor, (name, &text), span) {
        return parsed;
    }
    let spelled = cursor.text(token);
    let named = Named {
        name,
        spelled: spelled.strip_prefix('$').unwrap_or(spelled),
        span,
    };
    cursor.at += 1 + usize::from(colon);
    labelled(parser, cursor, named, colon)
}

/// The statement that a word begins; `None` if it has no meaning at the start of a line.
fn meaning<'l>(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'l>,
    (name, text): (NameId, &str),
    span: Span,
) -> Option<Parsed<'l>> {
    if lines::is_macro(parser, cursor) || parser.session.names.info(name).body != NONE {
        return Some(lines::call(parser, cursor).map(Some));
    }
    if text == "times" {
        return Some(times(parser, cursor, None));
    }
    if let Some(word) = data_word(text) {
        cursor.at += 1;
        return Some(data(parser, cursor, None, (word, span), None).map(Some));
    }
    if begins_instruction(parser, name) {
        return Some(instruction(parser, cursor).map(|()| Some(Statement::Instruction)));
    }
    if section::is_directive(text) {
        cursor.at += 1;
        return Some(section::directive(parser, cursor, text, span));
    }
    if structure::is_directive(text) {
        cursor.at += 1;
        return Some(structure::directive(parser, cursor, text, span));
    }
    (text == "equ").then(|| Err(fault(span, "expected a name before `equ`")))
}

/// `[section .text]`: a directive in brackets.
fn bracketed<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, span: Span) -> Parsed<'l> {
    let close = |token: &Token| token.kind == Kind::Mark(b']');
    let Some(end) = cursor.tokens.iter().rposition(close) else {
        return Err(fault(span, "expected `]`").with_label("unclosed bracket"));
    };
    let mut inside = Cursor {
        tokens: &cursor.tokens[..end],
        at: cursor.at + 1,
        ..*cursor
    };
    let word = super::expression::word_at(parser, &inside).unwrap_or_default();
    let place = inside.here();
    if !section::is_directive(&word) {
        return Err(fault(place, format!("`[{word}]` is no directive")));
    }
    inside.at += 1;
    let parsed = section::directive(parser, &mut inside, &word, place);
    cursor.at = match inside.at {
        0 => 0,
        _ => end + 1,
    };
    parsed
}

/// A name that no word gives a meaning: a label, or what the rest of the line defines.
fn labelled<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, named: Named<'l>, colon: bool) -> Parsed<'l> {
    let is_local = parser.modes.local || named.spelled.starts_with('.');
    let next = cursor.peek_name();
    let word = next
        .map(|next| parser.session.names.text(next).to_owned())
        .unwrap_or_default();
    if word == "equ" {
        cursor.at += 1;
        return equate(parser, cursor, named).map(Some);
    }
    let begins = next.is_some_and(|next| {
        data_word(&word).is_some()
            || word == "times"
            || begins_instruction(parser, next)
            || structure::is_directive(&word)
            || lines::is_macro(parser, cursor)
            || parser.session.names.info(next).body != NONE
    });
    if !colon && !begins && !cursor.done() {
        if has_marks(cursor, "=") {
            let help = format!("write `{} equ ...`, or `%assign` for one that changes", named.spelled);
            return Err(fault(named.span, "`=` defines no name in NASM").with_help(help));
        }
        return Err(unknown_instruction(named.spelled, named.span));
    }
    if !colon && cursor.done() && !is_local && crate::select::is_foreign(named.spelled) {
        return Err(unknown_instruction(named.spelled, named.span));
    }
    if !is_local {
        named.spelled.clone_into(&mut parser.modes.parent);
    }
    if let Some(word) = data_word(&word).filter(|word| *word != Word::File) {
        let span = cursor.here();
        cursor.at += 1;
        return data(parser, cursor, Some(named), (word, span), None).map(Some);
    }
    if word == "times" {
        return times(parser, cursor, Some(named));
    }
    Ok(Some(Statement::Label { named, global: true }))
}

/// `times count` before data or an instruction.
fn times<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, named: Option<Named<'l>>) -> Parsed<'l> {
    let before = cursor.at;
    cursor.at += 1;
    let place = cursor.here();
    let mark = parser.session.expressions.mark();
    let count = expression(parser, cursor)?;
    let span = cursor.here();
    let next = cursor.peek_name();
    let word = next.and_then(|next| data_word(parser.session.names.text(next)));
    if let Some(word) = word {
        cursor.at += 1;
        return data(parser, cursor, named, (word, span), Some(count)).map(Some);
    }
    if let Some(named) = named {
        // The label stands before what is repeated.
        cursor.at = before;
        return Ok(Some(Statement::Label { named, global: true }));
    }
    if next.is_none() {
        return Err(fault(
            span,
            "expected data or an instruction after `times` and its number",
        ));
    }
    let count = constant(parser.session, parser.program, count, place, mark)?;
    parser.session.note_decision();
    let times = lines::passes(parser, count, place)?;
    let column = cursor.offset();
    let rest = format!("{:column$}{}", "", cursor.take_rest());
    Ok(Some(Statement::Lines {
        lines: vec![rest],
        times,
        span: place,
    }))
}

/// `name equ expression`, whose value is that of its first reading.
fn equate<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, named: Named<'l>) -> Result<Statement<'l>, Fault> {
    let mark = parser.session.expressions.mark();
    let id: ExpressionId = expression(parser, cursor)?;
    if cursor.is(b':') {
        let help = "write the segment and the offset as two numbers";
        return Err(super::unsupported(cursor.here(), "equ segment:offset", help));
    }
    expect_end(parser, cursor)?;
    if let NodeKind::Register(_) = parser.session.expressions.node(id).kind {
        let span = parser.session.expressions.extent(id);
        let help = format!("write `%define {} register` to give a register a name", named.spelled);
        return Err(fault(span, "`equ` names a number, not a register").with_help(help));
    }
    let value = evaluate(parser.session, parser.program, id)?;
    let is_number = value.is_number() && !value.relocatable && !value.volatile && !value.unresolved;
    let value = match is_number {
        true => {
            parser.session.expressions.forget(mark);
            Equated::Number(value.number)
        }
        false => Equated::Expression(id),
    };
    Ok(Statement::Equate { named, value })
}
