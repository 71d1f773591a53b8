//! Conditions: `%if` and its kin.

use super::arguments::arguments;
use super::expression::constant;
use super::instruction::expect_end;
use super::lines::percent_word;
use super::single::expanded;
use super::substitute::with_arguments;
use super::tokens::{begins_name, is_word, string_length, tokens};
use super::{Parser, lines, unsupported};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::lex::{Cursor, Kind, Line, Token};
use crate::names::NONE;
use crate::statement::{Answer, ConditionWord, Statement};

/// What a condition asks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asks {
    /// Whether a number is not 0.
    Number,
    /// Whether names are macros within a line.
    Single,
    /// Whether a name is a macro of several lines.
    Several,
    /// Whether two texts are the same.
    Same {
        any_case: bool,
    },
    Empty,
    Identifier,
    NumberToken,
    Text,
    /// Whether it is one token.
    Token,
    /// What is not supported.
    Other,
}

/// The question of the end of a word, such as `def` of `%ifdef`, and whether it is asked the other way round.
fn question(end: &str) -> (Asks, bool) {
    let asked = |end: &str| {
        Some(match end {
            "" => Asks::Number,
            "def" => Asks::Single,
            "macro" => Asks::Several,
            "idn" => Asks::Same { any_case: false },
            "idni" => Asks::Same { any_case: true },
            "empty" => Asks::Empty,
            "id" => Asks::Identifier,
            "num" => Asks::NumberToken,
            "str" => Asks::Text,
            "token" => Asks::Token,
            _ => return None,
        })
    };
    match asked(end) {
        Some(asks) => (asks, false),
        None => match end.strip_prefix('n').and_then(asked) {
            Some(asks) => (asks, true),
            None => (Asks::Other, false),
        },
    }
}

/// The end of a word that begins a condition or another branch of one, and whether it is the latter.
fn asked(word: &str) -> Option<(&str, bool)> {
    match word.strip_prefix("%elif") {
        Some(end) => Some((end, true)),
        None => word.strip_prefix("%if").map(|end| (end, false)),
    }
}

/// Whether a word concerns conditions.
pub(super) fn is_directive(word: &str) -> bool {
    matches!(word, "%else" | "%endif") || asked(word).is_some()
}

/// The statement of a word that concerns conditions; the cursor is behind it.
pub(super) fn directive(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, word: &str, span: Span) -> Parsed<'static> {
    let word = match asked(word) {
        // The lines up to here were read: no other branch is.
        Some((_, true)) => {
            cursor.at = cursor.tokens.len();
            ConditionWord::ElseIf(Answer::Unknown)
        }
        Some((end, false)) => {
            let answer = answer(parser, cursor, end, span);
            ConditionWord::If(told(parser, answer))
        }
        None if word == "%else" => ConditionWord::Else,
        None => ConditionWord::EndIf,
    };
    cursor.at = cursor.tokens.len();
    Ok(Some(Statement::Condition { word, span }))
}

/// The answer of a condition, whose error is reported.
fn told(parser: &mut Parser<'_>, answer: Result<bool, Fault>) -> Answer {
    match answer {
        Ok(holds) => holds.into(),
        Err(problem) => {
            parser.session.report(problem);
            Answer::Unknown
        }
    }
}

/// The statement of a line that is passed over: only conditions matter.
pub(super) fn skipped(parser: &mut Parser<'_>, line: &Line, found: &mut Vec<Token>) -> Parsed<'static> {
    let Some(word) = percent_word(&line.text).filter(|word| is_directive(word)) else {
        return Ok(None);
    };
    let length = (line.text.len() - line.text.trim_start().len() + word.len()) as u32;
    let span = line.span(length - word.len() as u32, length);
    let word = match asked(&word) {
        Some((_, false)) => ConditionWord::If(Answer::Unknown),
        Some((end, true)) if parser.expander.asks_else_if() => {
            let with = with_arguments(parser, line)?;
            let line = with.as_ref().unwrap_or(line);
            tokens(&line.text, &mut parser.session.names, found);
            let mut cursor = Cursor::new(line, found);
            cursor.at = 1;
            let answer = answer(parser, &mut cursor, end, span);
            ConditionWord::ElseIf(told(parser, answer))
        }
        Some((_, true)) => ConditionWord::ElseIf(Answer::Unknown),
        None if word == "%else" => ConditionWord::Else,
        None => ConditionWord::EndIf,
    };
    Ok(Some(Statement::Condition { word, span }))
}

fn answer(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, end: &str, span: Span) -> Result<bool, Fault> {
    let (asks, opposite) = question(end);
    let place = cursor.here();
    let raw = cursor.rest().to_owned();
    let replaced = |parser: &Parser<'_>| expanded(parser, &raw, place);
    let holds = match asks {
        Asks::Number => {
            let text = replaced(parser)?;
            if text.trim().is_empty() {
                return Err(fault(span, "expected a number after the condition"));
            }
            // The columns are those of the line, if nothing in it was replaced.
            match text == raw {
                true => {
                    let number = constant(parser, cursor)?;
                    expect_end(parser, cursor)?;
                    number != 0
                }
                false => super::number_in(parser, &text, place)? != 0,
            }
        }
        Asks::Single => raw
            .split([' ', '\t', ','])
            .filter(|name| !name.is_empty())
            .any(|name| is_single(parser, name)),
        Asks::Several => {
            let name = raw.split([' ', '\t']).next().unwrap_or_default();
            let id = parser.session.names.intern(name);
            lines::is_name(parser, name) || parser.session.names.info(id).body != NONE
        }
        Asks::Same { any_case } => {
            let text = replaced(parser)?;
            let both = arguments(&text);
            let [first, second] = both.as_slice() else {
                return Err(fault(place, "expected two texts with a comma between them"));
            };
            let [first, second] = [first, second].map(|one| spaced(one));
            match any_case {
                true => first.eq_ignore_ascii_case(&second),
                false => first == second,
            }
        }
        Asks::Empty => replaced(parser)?.trim().is_empty(),
        Asks::Identifier | Asks::NumberToken | Asks::Text | Asks::Token => {
            let text = replaced(parser)?;
            let mut found = Vec::new();
            tokens(&text, &mut parser.session.names, &mut found);
            let kinds: Vec<Kind> = found.iter().map(|token| token.kind).collect();
            match (asks, kinds.as_slice()) {
                (Asks::Identifier, [Kind::Name(_), ..]) | (Asks::Text, [Kind::String, ..]) => true,
                (Asks::NumberToken, [Kind::Number(_), ..] | [Kind::Mark(b'-' | b'+'), Kind::Number(_), ..]) => true,
                (Asks::Token, all) => all.len() == 1,
                _ => false,
            }
        }
        Asks::Other => {
            let help = "write `%if`, `%ifdef`, `%ifmacro`, `%ifidn`, `%ifempty`, `%ifid`, `%ifnum` or `%ifstr`";
            return Err(unsupported(span, &format!("%if{end}"), help));
        }
    };
    Ok(holds != opposite)
}

/// Whether a name is a macro within a line, or one that the command line defines.
pub(super) fn is_single(parser: &mut Parser<'_>, name: &str) -> bool {
    let id = parser.session.names.intern(name);
    let of_command_line = parser.session.names.info(id).of_command_line;
    if of_command_line {
        parser.session.note_value_of(id);
        parser.session.note_decision();
    }
    parser.modes.single(name).is_some() || of_command_line
}

/// A text with one blank between its tokens.
fn spaced(text: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(&first) = text.as_bytes().get(at) {
        let rest = &text[at..];
        let length = match first {
            b' ' | b'\t' => {
                at += 1;
                continue;
            }
            b'\'' | b'"' | b'`' => string_length(rest),
            _ if begins_name(first) || first.is_ascii_digit() => rest.bytes().take_while(|&byte| is_word(byte)).count(),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        parts.push(&rest[..length]);
        at += length;
    }
    parts.join(" ")
}
