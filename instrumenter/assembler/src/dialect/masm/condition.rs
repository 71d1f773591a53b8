//! Conditional assembly: the `if` family, `else`, `elseif...`, `endif`, and forced errors.

use super::Parser;
use super::argument::split_arguments;
use super::expression::constant;
use super::generated::later;
use super::keyword::{ErrorTest, Keyword, keyword};
use super::line::uncommented_rest;
use super::macros::arguments;
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::lex::{Cursor, Kind, Line, Token, first_words};
use crate::statement::{Answer, ConditionWord, Statement};

/// The `if...` equivalent of an `elseif...`, and whether the keyword is one.
fn plain(word: Keyword) -> (Keyword, bool) {
    match word {
        Keyword::ElseIf => (Keyword::If, true),
        Keyword::ElseIfNot => (Keyword::IfNot, true),
        Keyword::ElseIfDefined => (Keyword::IfDefined, true),
        Keyword::ElseIfNotDefined => (Keyword::IfNotDefined, true),
        Keyword::ElseIfBlank => (Keyword::IfBlank, true),
        Keyword::ElseIfNotBlank => (Keyword::IfNotBlank, true),
        Keyword::ElseIfIdentical => (Keyword::IfIdentical, true),
        Keyword::ElseIfIdenticalAnyCase => (Keyword::IfIdenticalAnyCase, true),
        Keyword::ElseIfDifferent => (Keyword::IfDifferent, true),
        Keyword::ElseIfDifferentAnyCase => (Keyword::IfDifferentAnyCase, true),
        word => (word, false),
    }
}

pub(super) fn opens(word: Keyword) -> bool {
    matches!(
        word,
        Keyword::If
            | Keyword::IfNot
            | Keyword::IfDefined
            | Keyword::IfNotDefined
            | Keyword::IfBlank
            | Keyword::IfNotBlank
            | Keyword::IfIdentical
            | Keyword::IfIdenticalAnyCase
            | Keyword::IfDifferent
            | Keyword::IfDifferentAnyCase
            | Keyword::IfFirstPass
            | Keyword::IfSecondPass
    )
}

pub(super) fn concerns(word: Keyword) -> bool {
    opens(word) || plain(word).1 || matches!(word, Keyword::Else | Keyword::EndIf)
}

/// Whether the condition's operands are text rather than expressions.
pub(super) fn takes_text(word: Keyword) -> bool {
    concerns(word) && !matches!(plain(word).0, Keyword::If | Keyword::IfNot)
}

/// The statement of a skipped line.
pub(super) fn skipped(parser: &mut Parser<'_>, line: &Line, tokens: &mut Vec<Token>) -> Parsed<'static> {
    let (first, _) = first_words(&line.text);
    if first.len() < 2 || !matches!(first.as_bytes().first().map(|byte| byte | 32), Some(b'i' | b'e')) {
        return Ok(None);
    }
    parser.lex(&line.text, tokens);
    let Some(&Token {
        kind: Kind::Name(name),
        start,
        end,
    }) = tokens.first()
    else {
        return Ok(None);
    };
    let Some(word) = keyword(name).filter(|&word| concerns(word)) else {
        return Ok(None);
    };
    let mut cursor = Cursor { line, tokens, at: 1 };
    Ok(Some(condition(parser, word, &mut cursor, line.span(start, end))))
}

/// Parses a conditional assembly directive. Its operands are evaluated only if they matter.
pub(super) fn condition(
    parser: &mut Parser<'_>,
    word: Keyword,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Statement<'static> {
    let (test_word, is_else_if) = plain(word);
    let asked = if is_else_if {
        parser.expander.asks_else_if()
    } else {
        opens(word) && !parser.expander.is_skipping()
    };
    let mut answer = Answer::Unknown;
    if asked {
        match test(parser, test_word, cursor, span) {
            Ok(holds) => answer = Answer::from(holds),
            Err(problem) => later(parser, Err(problem)),
        }
    }
    let word = match word {
        Keyword::Else => ConditionWord::Else,
        Keyword::EndIf => ConditionWord::EndIf,
        _ if is_else_if => ConditionWord::ElseIf(answer),
        _ => ConditionWord::If(answer),
    };
    Statement::Condition { word, span }
}

fn test(parser: &mut Parser<'_>, word: Keyword, cursor: &mut Cursor<'_>, span: Span) -> Result<bool, Fault> {
    match word {
        Keyword::If | Keyword::IfNot => {
            if cursor.done() {
                return Err(fault(span, "expected an expression after `if`"));
            }
            let number = constant(parser, cursor)?;
            if !cursor.done() {
                return Err(fault(cursor.here(), "expected the end of the condition"));
            }
            Ok((number != 0) == (word == Keyword::If))
        }
        Keyword::IfDefined | Keyword::IfNotDefined => {
            let Some((name, _)) = cursor.name() else {
                return Err(fault(cursor.here(), "expected a name"));
            };
            Ok(parser.program.is_defined(&parser.session.names, name) == (word == Keyword::IfDefined))
        }
        Keyword::IfFirstPass => Ok(true),
        Keyword::IfSecondPass => Ok(false),
        _ => text_test(parser, word, cursor, span),
    }
}

/// Evaluates a condition on text.
fn text_test(parser: &mut Parser<'_>, word: Keyword, cursor: &mut Cursor<'_>, span: Span) -> Result<bool, Fault> {
    let arguments = arguments(parser, uncommented_rest(cursor), span)?;
    if matches!(word, Keyword::IfBlank | Keyword::IfNotBlank) {
        let blank = arguments.iter().all(|argument| argument.trim().is_empty());
        return Ok(blank == (word == Keyword::IfBlank));
    }
    let [first, second] = arguments.as_slice() else {
        return Err(fault(span, "expected two text arguments").with_help("write `<text>, <text>`"));
    };
    let same = match word {
        Keyword::IfIdentical | Keyword::IfDifferent => first == second,
        _ => first.eq_ignore_ascii_case(second),
    };
    Ok(same == matches!(word, Keyword::IfIdentical | Keyword::IfIdenticalAnyCase))
}

/// The fault of `.err` and its text.
pub(super) fn error(cursor: &Cursor<'_>, span: Span) -> Fault {
    let text = uncommented_rest(cursor).trim_matches(['<', '>', '"', '\'']);
    let text = if text.is_empty() { "forced error" } else { text };
    fault(span, text.to_owned()).with_label("forced by `.err`")
}

/// The fault of `.errnz` and similar directives.
pub(super) fn error_if(
    parser: &mut Parser<'_>,
    test: ErrorTest,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<(), Fault> {
    let mut arguments = split_arguments(uncommented_rest(cursor));
    let (holds, operands) = match test {
        ErrorTest::Zero => (constant(parser, cursor)? == 0, 1),
        ErrorTest::NonZero => (constant(parser, cursor)? != 0, 1),
        ErrorTest::Defined | ErrorTest::NotDefined => {
            let Some((name, _)) = cursor.name() else {
                return Err(fault(cursor.here(), "expected a name"));
            };
            (
                parser.program.is_defined(&parser.session.names, name) == (test == ErrorTest::Defined),
                1,
            )
        }
        ErrorTest::Blank => (arguments.first().is_none_or(|text| text.trim().is_empty()), 1),
        ErrorTest::NotBlank => (arguments.first().is_some_and(|text| !text.trim().is_empty()), 1),
        _ => {
            let [first, second, ..] = arguments.as_slice() else {
                return Err(fault(span, "expected two text arguments").with_help("write `<text>, <text>`"));
            };
            let holds = match test {
                ErrorTest::Identical => first == second,
                ErrorTest::Different => first != second,
                ErrorTest::IdenticalAnyCase => first.eq_ignore_ascii_case(second),
                _ => !first.eq_ignore_ascii_case(second),
            };
            (holds, 2)
        }
    };
    if !holds {
        return Ok(());
    }
    let message = (arguments.len() > operands).then(|| arguments.swap_remove(operands));
    let message = message.filter(|message| !message.is_empty());
    let message = message.map(|message| message.trim_matches(['"', '\'']).to_owned());
    let message = message.unwrap_or_else(|| "forced error".to_owned());
    Err(fault(span, message).with_label("this condition is true"))
}
