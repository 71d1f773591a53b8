//! MASM macros and repeats: headers, calls, and bodies split at the parameters.

use super::Parser;
use super::argument::{angle_literal, begins_with_name, one_argument, split_arguments, split_at_blanks, words};
use super::expression::constant;
use super::function::expanded_expression;
use super::line::{begins_body, body_words, comment_start, uncommented_rest};
use super::parameter::parameters;
use super::{Keyword, keyword};
use crate::diag::{Fault, Span, fault};
use crate::expand::{Body, BodyLine, Collected, Piece};
use crate::lex::{Cursor, Kind, is_word};
use crate::names::{NameId, Names};
use crate::statement::{Collect, Head, Named, Repeat, Signature, Statement};
use std::rc::Rc;

/// Parses `name MACRO parameters`; the body follows.
pub(super) fn begin_macro<'l>(parser: &mut Parser<'_>, named: Named<'l>, cursor: &mut Cursor<'l>) -> Statement<'l> {
    let span = named.span;
    let mut signature = Signature {
        name: named.name,
        spelled: named.spelled.to_owned(),
        parameters: Vec::new(),
    };
    // MASM 6 reserves these words, so that it is MASM 5 whose macros they are.
    parser.modes.old_macros |= matches!(keyword(named.name), Some(Keyword::Block(_)));
    let text = uncommented_rest(cursor);
    let mut first = None;
    let mut head = Ok(());
    if begins_statement(parser, cursor) {
        // In listings that lost line ends, the body's first line is on this one; no parameter looks like an
        // instruction.
        let column = cursor.offset();
        first = Some(format!("{:column$}{text}", ""));
    } else {
        head = parameters(&mut parser.session.names, text, span).map(|parameters| signature.parameters = parameters);
    }
    let head = match head {
        Ok(()) => Head::Macro(signature),
        Err(problem) => {
            parser.session.report(problem);
            Head::Dropped
        }
    };
    Statement::Collect(Box::new(Collect { head, first, span }))
}

/// Parses the header of a macro without a name, so that its body is not assembled.
pub(super) fn unnamed_macro(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Statement<'static> {
    cursor.at = cursor.tokens.len();
    let problem = fault(span, "expected a name before `macro`").with_help("write `name macro`");
    parser.session.report(problem);
    let head = Head::Dropped;
    Statement::Collect(Box::new(Collect {
        head,
        first: None,
        span,
    }))
}

/// Whether a data directive or an instruction with operands follows the cursor.
fn begins_statement(parser: &Parser<'_>, cursor: &Cursor<'_>) -> bool {
    let Some(Kind::Name(name)) = cursor.peek().map(|token| token.kind) else {
        return false;
    };
    let statement = parser.session.names.info(name).mnemonic || matches!(keyword(name), Some(Keyword::Define(_)));
    let behind = cursor.peek_second().map(|token| token.kind);
    statement && behind.is_some_and(|kind| !matches!(kind, Kind::Mark(b',' | b':')))
}

/// Parses the header of a repeat; its body follows.
pub(super) fn begin_repeat(
    parser: &mut Parser<'_>,
    word: Keyword,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Statement<'static> {
    let mut signature = Signature::default();
    if let Some(first) = cursor.at.checked_sub(1).and_then(|at| cursor.tokens.get(at)) {
        signature.spelled = cursor.text(*first).to_ascii_uppercase();
        signature.name = parser.session.names.intern(cursor.text(*first));
    }
    let head = match repeat(parser, word, cursor, &mut signature, span) {
        Ok(repeat) => Head::Repeat { signature, repeat },
        Err(problem) => {
            parser.session.report(problem);
            Head::Dropped
        }
    };
    Statement::Collect(Box::new(Collect {
        head,
        first: None,
        span,
    }))
}

fn repeat(
    parser: &mut Parser<'_>,
    word: Keyword,
    cursor: &mut Cursor<'_>,
    signature: &mut Signature,
    span: Span,
) -> Result<Repeat, Fault> {
    match word {
        Keyword::Repeat => {
            let place = cursor.here();
            let count = constant(parser, cursor)?;
            let Ok(count) = u64::try_from(count) else {
                return Err(fault(place, format!("invalid repeat count {count}")));
            };
            let most = parser.session.limits.repeats;
            if count > most {
                return Err(fault(
                    place,
                    format!("repeat count {count} exceeds the limit of {most}"),
                ));
            }
            Ok(Repeat::Count(count))
        }
        Keyword::While => Ok(Repeat::While {
            expression: Rc::from(cursor.take_rest()),
            passes: 0,
        }),
        _ => {
            let text = uncommented_rest(cursor);
            let split = text.split_once(',');
            let split = split.filter(|(parameter, _)| parameter.contains(':') || !parameter.contains('<'));
            let Some((parameter, list)) = split else {
                return Err(fault(span, "expected a parameter, a comma and values")
                    .with_help("write, for example, `irp reg, <eax, ebx, ecx>`"));
            };
            signature.parameters = parameters(&mut parser.session.names, parameter, span)?;
            if signature.parameters.len() != 1 {
                return Err(fault(span, "expected exactly one parameter before the values"));
            }
            let list = list.trim();
            parser.session.count_text(list.len(), span)?;
            let inside = angle_literal(list).map_or_else(|| list.to_owned(), |(inside, _)| inside);
            let values = if word == Keyword::ForCharacter {
                inside.chars().map(String::from).collect()
            } else {
                split_arguments(&inside)
            };
            let values = filled_in(parser, signature, values, span)?;
            Ok(Repeat::Values { values, next: 0 })
        }
    }
}

/// The values of a repeat with the default of its parameter in place of empty ones.
fn filled_in(
    parser: &mut Parser<'_>,
    signature: &Signature,
    mut values: Vec<String>,
    span: Span,
) -> Result<Vec<String>, Fault> {
    let Some(parameter) = signature.parameters.first() else {
        return Ok(values);
    };
    let empty = values.iter().filter(|value| value.trim().is_empty()).count();
    if parameter.required && empty > 0 {
        return Err(fault(span, format!("a value of `{}` is empty", parameter.spelled)));
    }
    if let Some(default) = &parameter.default {
        parser.session.count_text(empty.saturating_mul(default.len()), span)?;
        let empty = values.iter_mut().filter(|value| value.trim().is_empty());
        empty.for_each(|value| value.clone_from(default));
    }
    Ok(values)
}

pub(super) fn call(
    parser: &mut Parser<'_>,
    name: NameId,
    cursor: &Cursor<'_>,
    span: Span,
) -> Result<Statement<'static>, Fault> {
    let text = cursor.raw_rest();
    let text = text[..comment_start(text)].trim_end();
    let info = parser.session.names.info(name);
    let places = match info.library || info.body_of_library {
        true => places(cursor, text),
        false => Vec::new(),
    };
    let given = match by_blanks(parser, name, text) {
        Some(given) => given,
        None => split_arguments(text),
    };
    Ok(Statement::Call {
        name,
        arguments: evaluated(parser, given, span)?,
        places,
        span,
    })
}

/// The arguments of a call that separates them by blanks, as MASM 5 and TASM take them; `None` if commas alone do.
/// Without the option for it, blanks separate arguments only after a name that the macro defines, or if they give more
/// arguments than commas do and no more than the macro has parameters.
fn by_blanks(parser: &mut Parser<'_>, name: NameId, text: &str) -> Option<Vec<String>> {
    if !text.trim().bytes().any(|byte| matches!(byte, b' ' | b'\t')) {
        return None;
    }
    let info = parser.session.names.info(name);
    let body = parser.expander.macro_of(parser.session, name)?;
    let (count, library) = (body.parameters.len(), info.library || info.body_of_library);
    if body.defines && !library && begins_with_name(text) {
        // No line can define a name of several words.
        return Some(words(text));
    }
    let variable = body.parameters.last().is_some_and(|last| last.variable);
    let asked = parser.modes.old_macros;
    if library || (!asked && (variable || count < 2)) {
        return None;
    }
    if !asked && let Some(computed) = computed_by_blanks(parser, text, count) {
        return Some(computed);
    }
    let split = split_at_blanks(text, asked)?;
    if split.len() > count || (!asked && split_arguments(text).len() >= split.len()) {
        return None;
    }
    let mut whole = true;
    for (place, word) in split.iter().enumerate() {
        let name = parser.session.names.intern(word);
        let operator = keyword(name).is_some_and(|word| match asked {
            // MASM 5 separates all words; what cannot stand alone is left together.
            true => matches!(word, Keyword::Ptr | Keyword::Offset | Keyword::Seg),
            false => !word.may_be_a_name(),
        });
        // An instruction with its operands is one argument of MASM 6.
        let instruction = place == 0 && !asked && parser.session.names.info(name).mnemonic;
        whole &= !operator && !instruction;
    }
    whole.then_some(split)
}

/// The arguments of a call in 16-bit code of whose words all but the first have a `%`, as in `label else %level`: each
/// of them is an argument.
fn computed_by_blanks(parser: &Parser<'_>, text: &str, most: usize) -> Option<Vec<String>> {
    let words = split_at_blanks(text, true).filter(|_| parser.is_narrow())?;
    let computed = words.len() > 1 && words.iter().skip(1).all(|word| word.starts_with('%'));
    (computed && words.len() <= most && split_arguments(text).len() == 1).then_some(words)
}

/// Whether a line of a body, from this piece on, defines what the first parameter names.
fn defines(names: &mut Names, body: &Body, first: usize) -> bool {
    let text = |start: u32, end: u32| body.text.get(start as usize..end as usize).unwrap_or("");
    let pieces = match body.pieces.get(first..).unwrap_or(&[]) {
        [Piece::Text { start, end, .. }, rest @ ..] if text(*start, *end).trim().is_empty() => rest,
        pieces => pieces,
    };
    let [Piece::Parameter { index: 0, .. }, Piece::Text { start, end, .. }, ..] = *pieces else {
        return false;
    };
    let rest = text(start, end);
    let word = rest.split_whitespace().next().unwrap_or("");
    let mut is_defining = || word == "=" || keyword(names.intern(word)).is_some_and(Keyword::defines_name_before);
    rest.starts_with(':') || rest.starts_with([' ', '\t']) && is_defining()
}

/// The places of the arguments in `text`, which begins at the cursor.
fn places(cursor: &Cursor<'_>, text: &str) -> Vec<Span> {
    let mut places = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let start = cursor.offset() + (text.len() - rest.len());
        let (_, after) = one_argument(rest);
        let written = rest[..rest.len() - after.len()].trim_end();
        places.push(cursor.line.span(start as u32, (start + written.len()) as u32));
        rest = after.trim_start().strip_prefix(',').unwrap_or_default().trim_start();
    }
    places
}

/// Evaluates the arguments of a call; `%` before one replaces it with its value.
pub(super) fn arguments(parser: &mut Parser<'_>, text: &str, span: Span) -> Result<Vec<String>, Fault> {
    let given = split_arguments(text);
    evaluated(parser, given, span)
}

fn evaluated(parser: &mut Parser<'_>, mut arguments: Vec<String>, span: Span) -> Result<Vec<String>, Fault> {
    for argument in &mut arguments {
        if let Some(expression) = argument.strip_prefix('%') {
            *argument = expanded_expression(parser, expression, span)?;
        }
    }
    Ok(arguments)
}

/// Splits the collected lines at the parameters and, in a macro, at its local names.
pub(super) fn body(names: &mut Names, signature: Signature, kept: &Collected, is_macro: bool) -> Body {
    let mut replaced: Vec<NameId> = signature.parameters.iter().map(|parameter| parameter.name).collect();
    let mut body = Body::new(signature, kept);
    let mut locals_may_follow = true;
    let mut nested = 0u32;
    for line in &kept.lines {
        let text = line.text.as_str();
        let (_, first, _) = body_words(text);
        if locals_may_follow && !first.is_empty() {
            let place = text.len() - text.trim_start().len() + first.len();
            let list = text.get(place..comment_start(text).max(place)).unwrap_or("");
            // A variable of a procedure has a type; a repeat has only names.
            if first.eq_ignore_ascii_case("local") && (is_macro || !list.contains(':')) {
                for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                    replaced.push(names.intern(name));
                    body.locals += 1;
                }
                continue;
            }
            locals_may_follow = false;
        }
        if nested == 0
            && let Some(label) = text.trim_start().strip_prefix(':')
        {
            let length = label.bytes().take_while(|&byte| is_word(byte)).count();
            body.labels.push((names.intern(&label[..length]), body.lines.len()));
            continue;
        }
        body.function |= nested == 0 && exits_with_value(text);
        // Comments in a nested definition are removed when the inner definition is collected.
        if begins_body(names, text) {
            nested += 1;
        } else if nested > 0 && first.eq_ignore_ascii_case("endm") {
            nested -= 1;
        }
        let end = if nested > 0 {
            text.find(";;").map_or(text.len(), |at| at.max(comment_start(text)))
        } else {
            comment_start(text)
        };
        let from = body.pieces.len() as u32;
        let text = text.get(..end).unwrap_or(text).trim_end();
        cut(names, text, &replaced, &mut body, nested > 0);
        body.defines |= is_macro && defines(names, &body, from as usize);
        body.lines.push(BodyLine {
            first: from,
            last: body.pieces.len() as u32,
            file: line.file,
            number: line.number,
        });
    }
    body
}

/// Whether the line is an `exitm` with a value.
fn exits_with_value(text: &str) -> bool {
    let (label, ..) = body_words(text);
    let text = text.get(label..).unwrap_or("").trim_start();
    let exits = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("exitm"));
    let behind = text.get(5..).unwrap_or("");
    exits && !behind.starts_with(|next: char| next.is_ascii() && is_word(next as u8)) && {
        let behind = behind.trim_start();
        !behind.is_empty() && !behind.starts_with(';')
    }
}

/// Whether the quote at `at` is the last character in angle brackets, and the only quote in them: `<">`.
fn is_lone(bytes: &[u8], at: usize) -> bool {
    let mut before = bytes[..at].iter().rev();
    let opened = before.find(|byte| matches!(byte, b'<' | b'>' | b'\'' | b'"')) == Some(&b'<');
    opened && bytes.get(at + 1) == Some(&b'>') && bytes.get(at + 2) != bytes.get(at)
}

/// Splits a line at its parameters: whole words outside strings, and anywhere next to an `&`. Of several `&`, a line
/// of a `nested` body keeps those of its own parameters: `x&&z`.
fn cut(names: &mut Names, text: &str, parameters: &[NameId], body: &mut Body, nested: bool) {
    let base = body.text.len() as u32;
    body.text.push_str(text);
    let bytes = text.as_bytes();
    let mut copied = 0usize;
    let mut at = 0usize;
    let mut quote = 0u8;
    while at < bytes.len() && !parameters.is_empty() {
        let byte = bytes[at];
        if quote != 0 && byte == quote {
            quote = 0;
            at += 1;
        } else if quote == 0 && byte == b'!' && matches!(bytes.get(at + 1), Some(b'\'' | b'"')) {
            // `!"` in angle brackets is a character, and no string begins.
            at += 2;
        } else if quote == 0 && matches!(byte, b'\'' | b'"') {
            quote = if is_lone(bytes, at) { 0 } else { byte };
            at += 1;
        } else if is_word(byte) {
            let start = at;
            while at < bytes.len() && is_word(bytes[at]) {
                at += 1;
            }
            let before = start > 0 && bytes[start - 1] == b'&';
            let after = at < bytes.len() && bytes[at] == b'&';
            if quote != 0 && !before && !after {
                continue;
            }
            let name = names.intern(&text[start..at]);
            let Some(index) = parameters.iter().position(|&parameter| parameter == name) else {
                continue;
            };
            let joined = |marks: &[u8], first: bool| match nested {
                true => usize::from(first),
                false => marks.iter().take_while(|&&mark| mark == b'&').count(),
            };
            let marks: Vec<u8> = bytes[copied..start].iter().rev().copied().collect();
            let end_of_text = start - joined(&marks, before && start > copied);
            if end_of_text > copied {
                body.pieces.push(Piece::Text {
                    start: base + copied as u32,
                    end: base + end_of_text as u32,
                    column: copied as u32,
                });
            }
            body.pieces.push(Piece::Parameter {
                index: index as u32,
                column: start as u32,
                end: at as u32,
            });
            at += joined(&bytes[at..], after);
            copied = at;
        } else {
            at += 1;
        }
    }
    if copied < text.len() {
        body.pieces.push(Piece::Text {
            start: base + copied as u32,
            end: base + text.len() as u32,
            column: copied as u32,
        });
    }
}
