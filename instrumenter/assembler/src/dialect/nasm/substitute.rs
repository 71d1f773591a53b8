//! What a line becomes before it is parsed: the arguments of the macro around it, labels of its own, and the macros
//! within it are replaced.

use super::lines::percent_word;
use super::single::{Edit, edits, find_outside};
use super::tokens::{is_word, name_length, string_length};
use super::{Parser, structure, unsupported};
use crate::diag::{Fault, fault};
use crate::dialect::Substitution;
use crate::lex::{Kind, Line, Token};

/// The conditions of branches, each with its opposite.
const CONDITIONS: [(&str, &str); 17] = [
    ("a", "na"),
    ("ae", "nae"),
    ("b", "nb"),
    ("be", "nbe"),
    ("c", "nc"),
    ("e", "ne"),
    ("g", "ng"),
    ("ge", "nge"),
    ("l", "nl"),
    ("le", "nle"),
    ("o", "no"),
    ("p", "np"),
    ("pe", "po"),
    ("s", "ns"),
    ("z", "nz"),
    ("po", "pe"),
    ("nz", "z"),
];

/// The substitution to make in a line before it is parsed.
pub(super) fn substitute(parser: &mut Parser<'_>, line: &Line, tokens: &[Token]) -> Result<Substitution, Fault> {
    let uses_library = |token: &Token| match token.kind {
        Kind::Name(name) => parser.session.names.info(name).library,
        _ => false,
    };
    if tokens.iter().any(uses_library) {
        return Ok(Substitution::Library);
    }
    if parser
        .modes
        .replaced
        .take()
        .is_some_and(|replaced| replaced == line.text)
    {
        return Ok(Substitution::None);
    }
    let mut changed: Option<Line> = None;
    if let Some(made) = with_arguments(parser, line)? {
        changed = Some(made);
    }
    let current = changed.as_ref().unwrap_or(line);
    if percent_word(&current.text).is_none() {
        let span = current.span(0, current.text.len() as u32);
        let found = edits(parser, &current.text, span, line.number)?;
        if let Some(made) = edited(current, &found) {
            changed = Some(made);
        }
        let current = changed.as_ref().unwrap_or(line);
        if let Some(made) = without_joins(current) {
            changed = Some(made);
        }
        let current = changed.as_ref().unwrap_or(line);
        let whole = with_whole_name(parser, current);
        parser.modes.local = whole.is_some();
        if let Some(made) = whole {
            changed = Some(made);
        }
    }
    match changed {
        Some(made) => {
            parser.modes.replaced = Some(made.text.clone());
            Ok(Substitution::Pasted(made))
        }
        None => Ok(Substitution::None),
    }
}

/// A line with edits; `None` if there are none.
fn edited(line: &Line, edits: &[Edit]) -> Option<Line> {
    let mut made: Option<Line> = None;
    for edit in edits.iter().rev() {
        let current = made.as_ref().unwrap_or(line);
        made = Some(current.pasted(edit.start, edit.end, &edit.text)?);
    }
    made
}

/// A line in which `%+` has joined what is beside it.
fn without_joins(line: &Line) -> Option<Line> {
    let mut made: Option<Line> = None;
    loop {
        let current = made.as_ref().unwrap_or(line);
        let text = &current.text;
        let Some(at) = find_outside(text, "%+") else {
            return made;
        };
        let start = text[..at].trim_end().len();
        let end = text.len() - text[at + 2..].trim_start().len();
        made = Some(current.pasted(start, end, "")?);
    }
}

/// A line whose first word is a label with a dot, with the name of the label that it belongs to; and the end of a
/// structure with the name of its size.
fn with_whole_name(parser: &Parser<'_>, line: &Line) -> Option<Line> {
    let start = line.text.len() - line.text.trim_start().len();
    let rest = &line.text[start..];
    let word = &rest[..name_length(rest)];
    if word.eq_ignore_ascii_case("endstruc") {
        let name = structure::size_name(parser.modes)?;
        return line.pasted(start, start, &format!("{name} "));
    }
    let is_local = word.starts_with('.') && !word.starts_with("..") && word.len() > 1;
    if !is_local || parser.modes.parent.is_empty() {
        return None;
    }
    line.pasted(start, start, &parser.modes.parent)
}

/// A line with the arguments of the macro around it; `None` if it asks for none.
pub(super) fn with_arguments(parser: &Parser<'_>, line: &Line) -> Result<Option<Line>, Fault> {
    let Some((arguments, number)) = parser.expander.open_arguments() else {
        return Ok(None);
    };
    if !line.text.contains('%') {
        return Ok(None);
    }
    let text = &line.text;
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let length = match rest.as_bytes()[0] {
            b';' => break,
            b'\'' | b'"' | b'`' => string_length(rest),
            b'%' => {
                let span = line.span(at as u32, at as u32 + 2);
                match argument(rest, arguments, number).map_err(|message| fault(span, message))? {
                    Some((made, length)) => {
                        found.push(Edit {
                            start: at,
                            end: at + length,
                            text: made,
                        });
                        length
                    }
                    None if rest.starts_with("%{") || rest.starts_with("%00") => {
                        let help = "write `%1` for one argument, and `%rep` with `%rotate` for all";
                        return Err(unsupported(span, &rest[..2], help));
                    }
                    None => 1,
                }
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        at += length;
    }
    Ok(edited(line, &found))
}

/// What replaces the parameter at the start of a text, and the length of that.
fn argument(text: &str, arguments: &[String], number: u32) -> Result<Option<(String, usize)>, String> {
    let rest = &text[1..];
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let value = |digits: &str| match digits.parse::<usize>() {
        Ok(0) => arguments.len().to_string(),
        Ok(place) => arguments.get(place - 1).cloned().unwrap_or_default(),
        Err(_) => String::new(),
    };
    if let Some(local) = rest.strip_prefix('%') {
        let length = local.bytes().take_while(|&byte| is_word(byte)).count();
        let begins = name_length(local) > 0;
        return Ok(begins.then(|| (format!("..@{number}.{}", &local[..length]), length + 2)));
    }
    if rest.starts_with("00") {
        return Ok(None);
    }
    let length = digits(rest);
    if length > 0 {
        return Ok(Some((value(&rest[..length]), length + 1)));
    }
    if let Some(inside) = rest.strip_prefix('{') {
        let length = digits(inside);
        let closed = inside.as_bytes().get(length) == Some(&b'}');
        return Ok((length > 0 && closed).then(|| (value(&inside[..length]), length + 3)));
    }
    let sign = rest.bytes().next();
    if let Some(sign @ (b'+' | b'-')) = sign {
        let length = digits(&rest[1..]);
        if length == 0 {
            return Ok(None);
        }
        let code = value(&rest[1..=length]).to_ascii_lowercase();
        if sign == b'+' {
            return Ok(Some((code, length + 2)));
        }
        let pairs = CONDITIONS.iter();
        let opposite = pairs
            .clone()
            .find(|(name, _)| *name == code)
            .map(|pair| pair.1)
            .or_else(|| pairs.clone().find(|(_, opposite)| *opposite == code).map(|pair| pair.0));
        return match opposite {
            Some(opposite) => Ok(Some((opposite.to_owned(), length + 2))),
            None => Err(format!("`{code}` is no condition of a branch, which has an opposite")),
        };
    }
    Ok(None)
}
