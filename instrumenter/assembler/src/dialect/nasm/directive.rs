//! Words of the preprocessor, which begin with a percent sign.

use super::data::quoted;
use super::expression::constant;
use super::instruction::expect_end;
use super::lines::expanded_rest;
use super::single::{Single, parameters};
use super::tokens::{comment_start, name_length, string_bytes};
use super::{Parser, condition, lines, unsupported};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::lex::{Cursor, Kind};
use crate::statement::Statement;

/// Words that are refused, each with what to do.
const REFUSED: [(&str, &str); 22] = [
    ("%push", "name labels of a macro `%%name`"),
    ("%pop", "name labels of a macro `%%name`"),
    ("%repl", "name labels of a macro `%%name`"),
    ("%use", "write the macros of the package in the source"),
    ("%line", "lines are those of the source"),
    ("%depend", "it only concerns makefiles"),
    ("%pathsearch", "write the path in the name of the file"),
    ("%arg", "write `[ebp+8]`, or `%define count ebp+8`"),
    ("%local", "write `[ebp-4]`, or `%define count ebp-4`"),
    ("%stacksize", "write `[ebp+8]`, or `%define count ebp+8`"),
    ("%deftok", "write `%define` with the name itself"),
    ("%ideftok", "write `%define` with the name itself"),
    ("%clear", "write `%undef` for each name"),
    ("%while", "write `%rep` with `%exitrep`"),
    ("%endwhile", "write `%rep` with `%exitrep`"),
    ("%defalias", "write `%define`"),
    ("%idefalias", "write `%define`"),
    ("%undefalias", "write `%undef`"),
    ("%aliases", "write `%define`"),
    ("%comment", "write `;` before each line"),
    ("%endcomment", "write `;` before each line"),
    ("%exitmacro", "write `%if` around the rest of the macro"),
];

/// The statement of a word with a percent sign, in lower case; the cursor is behind it.
pub(super) fn directive<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, word: &str, span: Span) -> Parsed<'l> {
    if condition::is_directive(word) {
        return condition::directive(parser, cursor, word, span);
    }
    if let Some((_, help)) = REFUSED.iter().find(|(name, _)| *name == word) {
        return Err(unsupported(span, word, help));
    }
    match word {
        "%define" | "%idefine" => define(parser, cursor, (false, word == "%idefine")),
        "%xdefine" | "%ixdefine" => define(parser, cursor, (true, word == "%ixdefine")),
        "%undef" => {
            let name = defined(cursor)?;
            parser.modes.undefine(&name);
            Ok(None)
        }
        "%assign" | "%iassign" => {
            let name = defined(cursor)?;
            let place = cursor.here();
            let text = expanded_rest(parser, cursor)?;
            let number = super::number_in(parser, &text, place)?;
            set(parser, &name, number.to_string(), word == "%iassign");
            Ok(None)
        }
        "%defstr" | "%idefstr" => {
            let name = defined(cursor)?;
            let text = expanded_rest(parser, cursor)?;
            set(parser, &name, in_quotes(text.trim()), word == "%idefstr");
            Ok(None)
        }
        "%strlen" => {
            let name = defined(cursor)?;
            let bytes = strings(parser, cursor)?.concat();
            set(parser, &name, bytes.len().to_string(), false);
            Ok(None)
        }
        "%strcat" => {
            let name = defined(cursor)?;
            let bytes = strings(parser, cursor)?.concat();
            set(parser, &name, in_back_quotes(&bytes), false);
            Ok(None)
        }
        "%substr" => substring(parser, cursor),
        "%macro" | "%rmacro" => Ok(Some(lines::begin_macro(parser, cursor, false, span))),
        "%imacro" | "%irmacro" => Ok(Some(lines::begin_macro(parser, cursor, true, span))),
        "%unmacro" | "%unimacro" => unmacro(parser, cursor),
        "%rep" => {
            let place = cursor.here();
            let text = expanded_rest(parser, cursor)?;
            with_tokens(parser, &text, place, |parser, cursor| {
                Ok(Some(lines::begin_repeat(parser, cursor, span)))
            })
        }
        "%exitrep" => match parser.expander.in_repeat() {
            true => Ok(Some(Statement::Exit { value: None, span })),
            false => Err(fault(span, "`%exitrep` outside of `%rep`")),
        },
        "%rotate" => {
            let place = cursor.here();
            let text = expanded_rest(parser, cursor)?;
            let by = super::number_in(parser, &text, place)?;
            match parser.expander.open_arguments() {
                Some(_) => Ok(Some(Statement::Rotate { by })),
                None => Err(fault(span, "`%rotate` outside of a macro")),
            }
        }
        "%include" => {
            let text = expanded_rest(parser, cursor)?;
            with_tokens(parser, &text, span, |parser, cursor| {
                let Some(name) = quoted(cursor) else {
                    return Err(fault(span, "expected the name of a file in quotes"));
                };
                expect_end(parser, cursor)?;
                Ok(Some(Statement::Include { name, span }))
            })
        }
        "%error" | "%fatal" | "%warning" | "%note" => said(parser, cursor, word, span),
        "%pragma" => {
            cursor.at = cursor.tokens.len();
            Ok(None)
        }
        "%endmacro" | "%endm" => Err(fault(span, format!("`{word}` without `%macro`"))),
        "%endrep" => Err(fault(span, "`%endrep` without `%rep`")),
        _ => Err(fault(span, format!("unknown directive `{word}` of the preprocessor"))),
    }
}

/// Parses a text whose macros are replaced.
fn with_tokens(
    parser: &mut Parser<'_>,
    text: &str,
    place: Span,
    parse: impl FnOnce(&mut Parser<'_>, &mut Cursor<'_>) -> Parsed<'static>,
) -> Parsed<'static> {
    let line = crate::lex::Line::within(place, text);
    let mut found = Vec::new();
    super::tokens::tokens(&line.text, &mut parser.session.names, &mut found);
    parse(parser, &mut Cursor::new(&line, &found))
}

/// The name that a directive defines.
fn defined(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    match cursor.name() {
        Some((_, token)) => Ok(cursor.text(token).to_owned()),
        None => Err(fault(cursor.here(), "expected a name")),
    }
}

/// Gives a name a text without parameters.
fn set(parser: &mut Parser<'_>, name: &str, text: String, any_case: bool) {
    parser.modes.define(
        name,
        Single {
            parameters: None,
            text,
            any_case,
        },
    );
}

/// `%define name(parameters) text`, whose macros are replaced now if it is `expanded`.
fn define(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, (expanded, any_case): (bool, bool)) -> Parsed<'static> {
    let span = cursor.here();
    let raw = cursor.raw_rest();
    let raw = raw[..comment_start(raw)].trim_end();
    cursor.at = cursor.tokens.len();
    let length = name_length(raw);
    let name = &raw[..length];
    if name.is_empty() {
        return Err(fault(span, "expected a name").with_help("write `%define name text`"));
    }
    let behind = &raw[length..];
    let (parameters, rest) = match parameters(behind) {
        Some((parameters, length)) => (Some(parameters), &behind[length..]),
        None if behind.starts_with('(') => return Err(fault(span, "expected `)` behind the parameters")),
        None => (None, behind),
    };
    if let Some(strange) = parameters
        .iter()
        .flatten()
        .find(|one| name_length(one) != one.len() || one.is_empty())
    {
        let help = "a parameter is a plain name here";
        return Err(unsupported(span, &format!("%define {name}({strange})"), help));
    }
    let mut text = rest.trim().to_owned();
    if expanded {
        text = super::single::expanded(parser, &text, span)?;
    }
    parser.session.count_text(text.len(), span)?;
    parser.modes.define(
        name,
        Single {
            parameters,
            text,
            any_case,
        },
    );
    Ok(None)
}

/// A text as a string.
fn in_quotes(text: &str) -> String {
    match text.contains('\'') {
        false => format!("'{text}'"),
        true if !text.contains('"') => format!("\"{text}\""),
        true => in_back_quotes(text.as_bytes()),
    }
}

/// Bytes as a string with escapes.
fn in_back_quotes(bytes: &[u8]) -> String {
    let mut text = "`".to_owned();
    for &byte in bytes {
        match byte {
            b'`' | b'\\' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            0x20..=0x7E => text.push(char::from(byte)),
            _ => text.push_str(&format!("\\x{byte:02x}")),
        }
    }
    text.push('`');
    text
}

/// The strings at the cursor, with commas or blanks between them.
fn strings(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Vec<Vec<u8>>, Fault> {
    let place = cursor.here();
    let text = expanded_rest(parser, cursor)?;
    let mut all = Vec::new();
    let mut found = Vec::new();
    super::tokens::tokens(&text, &mut parser.session.names, &mut found);
    for token in found {
        match token.kind {
            Kind::String => {
                let mut bytes = Vec::new();
                string_bytes(&text[token.start as usize..token.end as usize], &mut bytes);
                all.push(bytes);
            }
            Kind::Mark(b',') => {}
            _ => return Err(fault(place, "expected a string in quotes")),
        }
    }
    parser.session.count_text(text.len(), place)?;
    Ok(all)
}

/// `%substr name 'string' first, count`.
fn substring(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Parsed<'static> {
    let name = defined(cursor)?;
    let place = cursor.here();
    let text = expanded_rest(parser, cursor)?;
    let mut part = Vec::new();
    with_tokens(parser, &text, place, |parser, cursor| {
        cursor.eat(b',');
        let Some(token) = cursor.next().filter(|token| token.kind == Kind::String) else {
            return Err(fault(place, "expected a string in quotes"));
        };
        let mut bytes = Vec::new();
        string_bytes(cursor.text(token), &mut bytes);
        cursor.eat(b',');
        let first = constant(parser, cursor)?;
        let mut count = 1;
        if cursor.eat(b',') {
            count = constant(parser, cursor)?;
        }
        expect_end(parser, cursor)?;
        let length = bytes.len() as i64;
        let start = (first - 1).clamp(0, length);
        // A negative count is that of the characters from the end.
        let end = match count < 0 {
            true => length + count + 1,
            false => start.saturating_add(count),
        };
        let end = end.clamp(start, length);
        part = bytes.get(start as usize..end as usize).unwrap_or_default().to_vec();
        Ok(None)
    })?;
    set(parser, &name, in_back_quotes(&part), false);
    Ok(None)
}

/// `%unmacro name 1-2`.
fn unmacro(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Parsed<'static> {
    let name = defined(cursor)?;
    let least = if cursor.done() { 0 } else { constant_alone(cursor)? };
    let most = match cursor.eat(b'-') {
        true if cursor.eat(b'*') => usize::MAX,
        true => constant_alone(cursor)?,
        false => least,
    };
    cursor.at = cursor.tokens.len();
    lines::forget(parser, &name, least, most);
    Ok(None)
}

/// The number at the cursor.
fn constant_alone(cursor: &mut Cursor<'_>) -> Result<usize, Fault> {
    match cursor.next().map(|token| token.kind) {
        Some(Kind::Number(number)) => Ok(usize::try_from(number).unwrap_or(usize::MAX)),
        _ => Err(fault(cursor.here(), "expected a number of arguments")),
    }
}

/// What the source itself says: an error or a warning.
fn said(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, word: &str, span: Span) -> Parsed<'static> {
    let text = expanded_rest(parser, cursor)?;
    let text = text.trim();
    let quoted = text.len() > 1 && text.starts_with(['\'', '"', '`']) && text.ends_with(['\'', '"', '`']);
    let message = if quoted { &text[1..text.len() - 1] } else { text };
    let message = match message.is_empty() {
        true => format!("`{word}`"),
        false => message.to_owned(),
    };
    match word {
        "%error" => Err(fault(span, message)),
        "%fatal" => Err(fault(span, message).ending()),
        "%warning" => {
            parser.session.warn(fault(span, message));
            Ok(None)
        }
        _ => Ok(None),
    }
}
