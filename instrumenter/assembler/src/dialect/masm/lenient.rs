//! Warnings of what versions of the assemblers read differently.

use super::Parser;
use crate::diag::fault;
use crate::lex::{Cursor, Kind};

/// Whether text after a complete statement is only worth a warning, as in MASM up to version 5 and in TASM.
pub(super) fn passes_over_extra(parser: &Parser<'_>) -> bool {
    !parser.session.in_library && (parser.is_narrow() || parser.modes.of_tasm)
}

pub(super) fn warn_of_extra(parser: &mut Parser<'_>, cursor: &Cursor<'_>, at: usize) {
    let (Some(first), Some(last)) = (cursor.tokens.get(at), cursor.tokens.last()) else {
        return;
    };
    let span = cursor.line.span(first.start, last.end);
    let message = "this text behind the statement is passed over, as by MASM 5 and TASM";
    let help = "write `;` before it, if it is a comment";
    parser.session.warn(fault(span, message).with_help(help));
}

/// Warns once of a number that ends with `b` or `d` where these are digits of the radix, too.
pub(super) fn warn_of_suffixes(parser: &mut Parser<'_>, cursor: &Cursor<'_>) {
    if parser.modes.radix <= 11 || parser.modes.warned_of_suffix {
        return;
    }
    let radix = parser.modes.radix;
    let ambiguous = cursor.tokens.iter().find_map(|&token| match token.kind {
        Kind::Number(number) => {
            let other = u64::from_str_radix(cursor.text(token), radix).ok()?;
            (other != number).then_some((token, number))
        }
        _ => None,
    });
    let Some((token, number)) = ambiguous else { return };
    parser.modes.warned_of_suffix = true;
    let text = cursor.text(token);
    let message = format!("`{text}` is {number}, as for MASM 5 and TASM; for MASM 6 its last letter is a digit");
    let help = format!("write `{number}t`, or `{text}h` for the number in hexadecimal digits");
    parser.session.warn(fault(cursor.span(token), message).with_help(help));
}
