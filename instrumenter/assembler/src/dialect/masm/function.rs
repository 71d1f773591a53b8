//! Functions within a line: the built-in text functions and macros that return text.

use super::Parser;
use super::argument::{angle_literal, one_argument};
use super::equate::text;
use super::line::comment_start;
use super::macros::arguments;
use super::{Keyword, keyword, number_in};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Substitution;
use crate::expression::NodeKind;
use crate::lex::{Cursor, Kind, Line, Token, is_word};
use crate::names::{NONE, NameId};
use crate::statement::{Named, Statement};

pub(super) const BUILT_IN: [&str; 4] = ["@catstr", "@substr", "@instr", "@sizestr"];

/// What the words among the texts of a function or directive are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Words {
    Verbatim,
    /// The text macros among them stand for their texts.
    Expanded,
    /// So do the text macros in these texts.
    Full,
    /// All of them have a meaning.
    Known,
}

#[derive(Clone, Copy)]
enum TextFunction {
    Join,
    Part,
    Position,
    Length,
}

fn built_in(name: &str) -> Option<TextFunction> {
    match name {
        "@catstr" => Some(TextFunction::Join),
        "@substr" => Some(TextFunction::Part),
        "@instr" => Some(TextFunction::Position),
        "@sizestr" => Some(TextFunction::Length),
        _ => None,
    }
}

/// The last function call in a line, or the line with its result: inner calls are evaluated before outer ones.
pub(super) fn function_call(parser: &mut Parser<'_>, line: &Line, tokens: &[Token]) -> Result<Substitution, Fault> {
    let word_at = |place: usize| match tokens.get(place).map(|token| token.kind) {
        Some(Kind::Name(name)) => Some(name),
        _ => None,
    };
    let defines = word_at(1).and_then(keyword) == Some(Keyword::Macro);
    let untouched = matches!(
        word_at(0).and_then(keyword),
        Some(
            Keyword::Comment
                | Keyword::Include
                | Keyword::Tolerated
                | Keyword::Processor(_)
                | Keyword::Coprocessor(_)
                | Keyword::Purge
                | Keyword::Echo
        )
    );
    if defines || untouched {
        return Ok(Substitution::None);
    }
    for (place, token) in tokens.iter().enumerate().rev() {
        let Kind::Name(name) = token.kind else { continue };
        let opens = matches!(tokens.get(place + 1).map(|token| token.kind), Some(Kind::Mark(b'(')));
        if !opens || !parser.session.names.info(name).function {
            continue;
        }
        let Some(open) = tokens.get(place + 1) else { continue };
        let span = line.span(token.start, token.end);
        match call(parser, line, name, (token.start as usize, open.end as usize), span)? {
            Substitution::None => {}
            called => return Ok(called),
        }
    }
    Ok(Substitution::None)
}

/// The call of the function `name`, which the line has at `start`; its arguments begin at `inside`.
pub(super) fn call(
    parser: &mut Parser<'_>,
    line: &Line,
    name: NameId,
    (start, inside): (usize, usize),
    span: Span,
) -> Result<Substitution, Fault> {
    let Some(text) = parenthesised(line.text.get(inside..).unwrap_or("")) else {
        return Err(fault(span, "expected `)` after the arguments").with_label("unclosed function call"));
    };
    let end = inside + text.len() + 1;
    if parser.session.names.info(name).body != NONE {
        return Ok(Substitution::Call {
            name,
            arguments: arguments(parser, text, span)?,
            span,
            start,
            end,
        });
    }
    // Arguments are taken as they are, so that parts of names can be joined; a `%` before the line expands all of it.
    let words = match line.text.trim_start().starts_with('%') {
        true => Words::Expanded,
        false => Words::Verbatim,
    };
    let result = match built_in(parser.session.names.text(name)) {
        Some(function) => text_function(parser, function, text, words, span)?,
        None => String::new(),
    };
    Ok(match line.pasted(start, end, &result) {
        Some(pasted) => Substitution::Pasted(pasted),
        None => Substitution::None,
    })
}

/// The result of a function.
fn text_function(
    parser: &mut Parser<'_>,
    function: TextFunction,
    text: &str,
    words: Words,
    span: Span,
) -> Result<String, Fault> {
    match function {
        TextFunction::Join => text_items(parser, text, words, span).map(|items| items.concat()),
        TextFunction::Part => part(parser, text, words, span),
        TextFunction::Position => position(parser, text, words, span).map(|number| number.to_string()),
        TextFunction::Length => {
            let items = text_items(parser, text, words, span)?;
            Ok(items.first().map_or(0, |item| item.chars().count()).to_string())
        }
    }
}

/// The texts of a list, whose items are `<literal>`, `%expression` or words.
pub(super) fn text_items(parser: &mut Parser<'_>, text: &str, words: Words, span: Span) -> Result<Vec<String>, Fault> {
    let mut items = Vec::new();
    let mut rest = text.trim();
    let mut total = 0;
    while !rest.is_empty() {
        let literal = rest.starts_with('<') && angle_literal(rest).is_some();
        let (argument, after) = one_argument(rest);
        let item = match argument.strip_prefix('%') {
            Some(expression) if !literal => expanded_expression(parser, expression, span)?,
            _ if literal => argument,
            _ if words == Words::Verbatim => argument.trim().to_owned(),
            _ => {
                let word = argument.trim();
                // The marks that join a parameter in a macro may stand beside a text macro, too.
                let name = parser.session.names.intern(word.trim_matches('&'));
                match parser.expander.text_of(parser.session, name) {
                    Some(text) if matches!(words, Words::Full | Words::Known) => {
                        let text = text.to_owned();
                        let mut full = String::new();
                        add_full_text(parser, &text, &mut vec![name], &mut full, span)?;
                        full
                    }
                    Some(text) => text.to_owned(),
                    None if words == Words::Known && is_unknown(parser, word, name) => {
                        return Err(fault(span, format!("`{word}` is no text macro"))
                            .with_help(format!("write `<{word}>` for these characters")));
                    }
                    None => word.to_owned(),
                }
            }
        };
        total += item.len();
        // Text functions read the whole text.
        parser.session.count_text(item.len(), span)?;
        items.push(item);
        if total > parser.session.limits.line {
            return Err(fault(
                span,
                format!("text longer than {} KiB", parser.session.limits.line >> 10),
            ));
        }
        rest = match after.trim_start().strip_prefix(',') {
            Some(next) => next.trim_start(),
            None => "",
        };
    }
    Ok(items)
}

/// How many text macros may stand for one another.
const DEPTH: usize = 20;

/// Adds `text` to `full` with the texts of the text macros in it, outside of quotes and of those that are `open`.
fn add_full_text(
    parser: &mut Parser<'_>,
    text: &str,
    open: &mut Vec<NameId>,
    full: &mut String,
    span: Span,
) -> Result<(), Fault> {
    parser.session.count_text(text.len(), span)?;
    let mut rest = text;
    while let Some(first) = rest.chars().next().filter(|_| full.len() <= parser.session.limits.line) {
        let quoted = matches!(first, '\'' | '"').then(|| rest[1..].find(first)).flatten();
        let length = match quoted {
            Some(inside) => inside + 2,
            None => rest
                .bytes()
                .take_while(|&byte| is_word(byte))
                .count()
                .max(first.len_utf8()),
        };
        let (word, behind) = rest.split_at(length);
        rest = behind;
        let name = parser
            .session
            .names
            .known(word)
            .filter(|name| !open.contains(name) && open.len() < DEPTH);
        let inner = name.and_then(|name| Some((name, parser.expander.text_of(parser.session, name)?.to_owned())));
        if let Some((name, inner)) = inner {
            open.push(name);
            add_full_text(parser, &inner, open, full, span)?;
            open.pop();
        } else {
            full.push_str(word);
        }
    }
    Ok(())
}

/// Whether the word is a name without any meaning so far.
fn is_unknown(parser: &Parser<'_>, word: &str, name: NameId) -> bool {
    let is_name = word.bytes().all(is_word) && word.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    is_name && keyword(name).is_none() && !parser.program.is_defined(&parser.session.names, name)
}

/// `text, start [, length]`: a part of a text. Positions count from 1.
fn part(parser: &mut Parser<'_>, text: &str, words: Words, span: Span) -> Result<String, Fault> {
    let (_, after) = one_argument(text.trim_start());
    let whole = text_items(parser, text, words, span)?
        .into_iter()
        .next()
        .unwrap_or_default();
    let mut numbers = after.trim_start().trim_start_matches(',').splitn(2, ',');
    let start = number_in(parser, numbers.next().unwrap_or(""), span)?;
    let available = whole.chars().count();
    let Some(skipped) = usize::try_from(start)
        .ok()
        .and_then(|start| start.checked_sub(1))
        .filter(|&skipped| skipped <= available)
    else {
        return Err(fault(
            span,
            format!("position {start} is outside the text of {available} characters"),
        )
        .with_help("count positions from 1"));
    };
    let length = match numbers.next() {
        Some(length) if !length.trim().is_empty() => number_in(parser, length, span)?,
        _ => available as i64,
    };
    let Ok(length) = usize::try_from(length) else {
        return Err(fault(span, format!("invalid length {length}")));
    };
    Ok(whole.chars().skip(skipped).take(length).collect())
}

/// `[start,] text, part`: the position of the part in the text, or 0.
fn position(parser: &mut Parser<'_>, text: &str, words: Words, span: Span) -> Result<i64, Fault> {
    let mut items = text_items(parser, text, words, span)?;
    let mut start = 1;
    if items.len() == 3 {
        let first = items.remove(0);
        if !first.trim().is_empty() {
            start = number_in(parser, &first, span)?;
        }
    }
    let [whole, part] = items.as_slice() else {
        return Err(fault(span, "expected a text and the part to find")
            .with_help("write `<text>, <part>`, or `start, <text>, <part>`"));
    };
    let skipped = usize::try_from(start)
        .ok()
        .and_then(|start| start.checked_sub(1))
        .unwrap_or(0);
    let Some((from, _)) = whole.char_indices().chain([(whole.len(), ' ')]).nth(skipped) else {
        return Ok(0);
    };
    let found = whole.get(from..).and_then(|rest| rest.find(part.as_str()));
    Ok(found.map_or(0, |at| whole[..from + at].chars().count() as i64 + 1))
}

/// The text from the cursor up to the comment; a semicolon in the angle brackets with which it begins is none.
fn literal_rest<'l>(cursor: &Cursor<'l>) -> &'l str {
    let text = if cursor.done() { "" } else { cursor.raw_rest() };
    let length = angle_literal(text).map_or(0, |(_, length)| length);
    let behind = text.get(length..).unwrap_or_default();
    text.get(..length + comment_start(behind)).unwrap_or(text).trim()
}

/// `name substr text, start, length` and similar directives.
pub(super) fn text_directive<'l>(
    parser: &mut Parser<'_>,
    word: Keyword,
    named: Named<'l>,
    cursor: &mut Cursor<'l>,
) -> Result<Statement<'l>, Fault> {
    let raw = literal_rest(cursor);
    let function = match word {
        Keyword::SubString => TextFunction::Part,
        Keyword::InString => TextFunction::Position,
        Keyword::SizeString => TextFunction::Length,
        _ => TextFunction::Join,
    };
    // What a macro or a function put into the line may be its result, which is a text itself.
    let words = match cursor.line.columns.iter().all(|column| column.copied) {
        true => Words::Known,
        false => Words::Full,
    };
    let result = text_function(parser, function, raw, words, named.span)?;
    if matches!(function, TextFunction::Join | TextFunction::Part) {
        return Ok(text(named, result, cursor));
    }
    let number = NodeKind::Number(result.parse().unwrap_or(0));
    Ok(Statement::Assign {
        named,
        value: parser.session.expressions.push(number, named.span),
        place: named.span,
    })
}

/// `%expression`: the number in decimal, or the text of a text macro.
pub(super) fn expanded_expression(parser: &mut Parser<'_>, text: &str, span: Span) -> Result<String, Fault> {
    let word = text.trim();
    if !word.is_empty() && word.bytes().all(is_word) {
        let name = parser.session.names.intern(word);
        if let Some(known) = parser.expander.text_of(parser.session, name) {
            return Ok(known.to_owned());
        }
    }
    number_in(parser, text, span).map(|number| number.to_string())
}

/// The text before the parenthesis that closes the one just opened.
fn parenthesised(text: &str) -> Option<&str> {
    let mut depth = 0u32;
    let mut angles = 0u32;
    let mut quote = 0u8;
    let mut escaped = false;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'!' if angles > 0 => escaped = true,
            _ if quote != 0 => quote = if byte == quote { 0 } else { quote },
            b'\'' | b'"' if angles == 0 => quote = byte,
            b'<' => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            b'(' if angles == 0 => depth += 1,
            b')' if angles == 0 => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return text.get(..at),
            },
            _ => {}
        }
    }
    None
}
