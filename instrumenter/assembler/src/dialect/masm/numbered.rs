//! Labels that are numbers, as lines of inline assembly have them: `1:`, which `1b` after it and `1f` before it lead
//! to. Fragments may have them; a program for MASM has `@@:` instead.

use super::Parser;
use super::generated::later;
use crate::diag::fault;
use crate::expression::{ExpressionId, NodeKind};
use crate::lex::{Cursor, Kind, Token};
use crate::statement::Named;

/// The most digits of such a label.
const DIGITS: usize = 9;

/// The number that a text of digits is.
fn number(text: &str) -> Option<u32> {
    let digits = (1..=DIGITS).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// The label with which the line begins, if it is a number.
pub(super) fn label<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, token: Token) -> Option<Named<'l>> {
    let spelled = cursor.text(token);
    let number = number(spelled)?;
    if cursor.peek_second().map(|token| token.kind) != Some(Kind::Mark(b':')) {
        return None;
    }
    let span = cursor.span(token);
    let program = &parser.program;
    let may_be = program.may_be_fragment && program.layout.snippet;
    if !may_be && !program.layout.sections {
        let help = format!("write `@@:`, `@b` for `{spelled}b` and `@f` for `{spelled}f`, or a name");
        let problem = fault(span, "a number is no label in MASM and TASM").with_help(help);
        later(parser, Err(problem));
    }
    cursor.at += 2;
    let name = parser.modes.labels.place_number(&mut parser.session.names, number);
    Some(Named { name, spelled, span })
}

/// The only operand of a branch, if it is `1f`, or `1b` after `1:`.
pub(super) fn target(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Option<ExpressionId> {
    let token = cursor.peek()?;
    match cursor.peek_second() {
        None => label_at(parser, cursor, token),
        Some(_) => None,
    }
}

/// The same as an operand of any expression in a text for GNU's assembler.
pub(super) fn operand(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, token: Token) -> Option<ExpressionId> {
    match parser.program.layout.is_of_gnu() {
        true => label_at(parser, cursor, token),
        false => None,
    }
}

/// Whether a token may be such an operand rather than a number.
pub(super) fn may_be_label(parser: &Parser<'_>, text: &str) -> bool {
    parser.program.layout.is_of_gnu() && text.ends_with(['b', 'f'])
}

fn label_at(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, token: Token) -> Option<ExpressionId> {
    if !matches!(token.kind, Kind::Number(_) | Kind::Bad(_)) {
        return None;
    }
    let text = cursor.text(token);
    let number = number(text.get(..text.len().checked_sub(1)?)?)?;
    let Parser { session, modes, .. } = parser;
    let name = match text.as_bytes().last()? | 32 {
        b'b' => modes.labels.number_before(number)?,
        b'f' => modes.labels.number_behind(&mut session.names, number),
        _ => return None,
    };
    let procedure = parser.program.procedures.procedure_number();
    let span = cursor.span(token);
    cursor.at += 1;
    Some(parser.session.expressions.push(NodeKind::Symbol(name, procedure), span))
}
