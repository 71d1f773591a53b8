//! Directives whose operand is text of any words: titles, messages and the names of files. A word in it that elsewhere
//! defines the name before it means nothing there.

use super::line::is_title;
use super::{Keyword, Parser, condition, keyword};
use crate::lex::{Cursor, Kind, Token};
use crate::names::NONE;

/// Whether the rest of the line is the text of the directive that begins it, although its second word would define a
/// name: `title Segment registers`, `include macro.inc`.
pub(super) fn has_text(parser: &Parser<'_>, word: Keyword, spelling: &str, cursor: &Cursor<'_>) -> bool {
    let Some(Token { kind: second, .. }) = cursor.peek_second() else {
        return false;
    };
    let after: Vec<Kind> = cursor
        .tokens
        .iter()
        .skip(cursor.at + 2)
        .map(|token| token.kind)
        .collect();
    let second_word = match second {
        Kind::Name(second) => keyword(second),
        _ => None,
    };
    match word {
        Keyword::Include => second_word.is_some_and(Keyword::concerns_name_before),
        Keyword::Echo => spelling == "%out" && second_word.is_some(),
        Keyword::Tolerated if is_title(spelling) => match second {
            // A label before a statement, or a number that gets a value.
            Kind::Mark(b':') => after.first().is_some_and(|&third| !begins_statement(parser, third)),
            Kind::Mark(b'=') => after.len() != 1,
            _ => match second_word {
                Some(
                    Keyword::Define(_)
                    | Keyword::TypeOfSize(_)
                    | Keyword::Equ
                    | Keyword::TextEqu
                    | Keyword::SubString
                    | Keyword::InString
                    | Keyword::SizeString,
                ) => !begins_value(&after),
                other => other.is_some_and(Keyword::concerns_name_before),
            },
        },
        _ => second_word == Some(Keyword::Macro) && condition::concerns(word) && !spelling.starts_with('.'),
    }
}

/// Whether `echo`, a directive of MASM 6 alone, is the name of a procedure that this line begins or ends.
pub(super) fn is_procedure(second: Keyword, cursor: &Cursor<'_>) -> bool {
    let after = cursor.tokens.get(cursor.at + 2..).unwrap_or(&[]);
    let third = after.first().and_then(|token| match token.kind {
        Kind::Name(word) => keyword(word),
        _ => None,
    });
    match second {
        Keyword::EndProc => after.is_empty(),
        Keyword::Proc => after.is_empty() || matches!(third, Some(Keyword::Near(_) | Keyword::Far(_) | Keyword::Uses)),
        _ => false,
    }
}

fn begins_statement(parser: &Parser<'_>, token: Kind) -> bool {
    let Kind::Name(name) = token else { return false };
    let info = parser.session.names.info(name);
    info.mnemonic || info.body != NONE || keyword(name).is_some()
}

/// Whether these tokens begin as the values of data do, and not as a sentence.
fn begins_value(tokens: &[Kind]) -> bool {
    match tokens {
        [Kind::Name(_)] => false,
        [Kind::Name(first), second, ..] => {
            keyword(*first).is_some_and(Keyword::is_operator) || matches!(second, Kind::Mark(b',' | b'+' | b'-' | b'*'))
        }
        [Kind::Mark(mark), ..] => b"?<({-+$".contains(mark),
        [_, ..] => true,
        [] => false,
    }
}
