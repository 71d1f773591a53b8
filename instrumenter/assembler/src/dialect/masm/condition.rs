//! Conditional assembly: the `if` family, `else`, `elseif...`, `endif`, and forced errors.

use super::Parser;
use super::argument::one_argument;
use super::expression::{condition_number, constant};
use super::function::expanded_expression;
use super::generated::later;
use super::keyword::{ErrorTest, Keyword};
use super::line::uncommented_rest;
use super::reserved::keyword;
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::lex::{Cursor, Kind, Line, Token, first_words, is_word};
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
    let mut cursor = Cursor {
        line,
        tokens,
        at: 1,
        extra: None,
    };
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
            let number = condition_number(parser, cursor)?;
            if !cursor.done() {
                return Err(fault(cursor.here(), "expected the end of the condition"));
            }
            Ok((number != 0) == (word == Keyword::If))
        }
        Keyword::IfDefined | Keyword::IfNotDefined => {
            // MASM 5 takes the name in angle brackets, too.
            cursor.eat(b'<');
            // A parameter without an argument is no name, and so not defined.
            if cursor.done() && parser.expander.in_body() {
                return Ok(word == Keyword::IfNotDefined);
            }
            let Some((name, _)) = cursor.name() else {
                return Err(fault(cursor.here(), "expected a name"));
            };
            Ok(parser.program.is_defined(&parser.session.names, name) == (word == Keyword::IfDefined))
        }
        Keyword::IfFirstPass => Ok(true),
        // What stands there makes no bytes, or the passes would differ.
        Keyword::IfSecondPass => Ok(true),
        _ => text_test(parser, word, cursor, span),
    }
}

/// The texts that a condition compares: in angle brackets, after `%`, or the names of text macros.
fn texts(parser: &mut Parser<'_>, text: &str, span: Span) -> Result<Vec<String>, Fault> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let literal = rest.starts_with('<');
        let (argument, after) = one_argument(rest);
        let word = argument.trim();
        all.push(match word.strip_prefix('%') {
            Some(expression) if !literal => expanded_expression(parser, expression, span)?,
            None if !literal && !word.is_empty() && word.bytes().all(is_word) => {
                let name = parser.session.names.intern(word);
                let known = parser.expander.text_of(parser.session, name);
                known.map_or(argument, str::to_owned)
            }
            _ => argument,
        });
        let Some(next) = after.trim_start().strip_prefix(',') else {
            break;
        };
        rest = next.trim_start();
        if rest.is_empty() {
            all.push(String::new());
        }
    }
    Ok(all)
}

/// Evaluates a condition on text.
fn text_test(parser: &mut Parser<'_>, word: Keyword, cursor: &mut Cursor<'_>, span: Span) -> Result<bool, Fault> {
    let arguments = texts(parser, uncommented_rest(cursor), span)?;
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

/// The fault of `.err`, as it is spelled, and its text.
pub(super) fn error(cursor: &Cursor<'_>, spelled: &str, span: Span) -> Fault {
    let text = uncommented_rest(cursor).trim_matches(['<', '>', '"', '\'']);
    let text = if text.is_empty() { "forced error" } else { text };
    fault(span, text.to_owned()).with_label(format!("forced by `{spelled}`"))
}

/// The fault of `.errnz` and similar directives.
pub(super) fn error_if(
    parser: &mut Parser<'_>,
    test: ErrorTest,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<(), Fault> {
    let mut arguments = texts(parser, uncommented_rest(cursor), span)?;
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
