//! Macros within a line: `%define` and `%assign`, with and without parameters.

use super::arguments::arguments;
use super::tokens::{begins_name, is_word, name_length, string_length};
use super::{Modes, Parser};
use crate::diag::{Fault, Span, fault};

/// A macro within a line: those of the same name with other numbers of parameters are others.
pub(super) struct Single {
    /// The parameters; `None` for a name without parentheses.
    pub(super) parameters: Option<Vec<String>>,
    pub(super) text: String,
    /// Whether its name is found in any case.
    pub(super) any_case: bool,
}

/// The deepest macros within macros.
const DEEPEST: usize = 256;

impl Modes {
    /// Defines a macro; another one with as many parameters gives way.
    pub(super) fn define(&mut self, name: &str, single: Single) {
        let key = match single.any_case {
            true => name.to_ascii_lowercase(),
            false => name.to_owned(),
        };
        let known = self.singles.entry(key).or_default();
        let count = |one: &Single| one.parameters.as_ref().map(Vec::len);
        // One without parentheses replaces all, and is replaced by any other.
        let plain = single.parameters.is_none();
        known.retain(|one| !plain && one.parameters.is_some() && count(one) != count(&single));
        known.push(single);
    }

    pub(super) fn undefine(&mut self, name: &str) {
        self.singles.remove(name);
        let lower = name.to_ascii_lowercase();
        if self
            .singles
            .get(&lower)
            .is_some_and(|known| known.iter().any(|one| one.any_case))
        {
            self.singles.remove(&lower);
        }
    }

    /// The macros of a name.
    pub(super) fn single(&self, name: &str) -> Option<&[Single]> {
        if let Some(known) = self.singles.get(name) {
            return Some(known);
        }
        let known = self.singles.get(&name.to_ascii_lowercase())?;
        known.iter().any(|one| one.any_case).then_some(known)
    }
}

/// A part of a text that other text replaces.
pub(super) struct Edit {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

/// A text with all its macros replaced.
pub(super) fn expanded(parser: &Parser<'_>, text: &str, span: Span) -> Result<String, Fault> {
    let mut state = State::new(parser, span);
    let all = state.replaced(text)?;
    Ok(joined(&all))
}

/// The macros of a text, each with what replaces it, in ascending order.
pub(super) fn edits(parser: &Parser<'_>, text: &str, span: Span, line: u32) -> Result<Vec<Edit>, Fault> {
    let mut state = State::new(parser, span);
    state.line = line;
    let mut found = Vec::new();
    state.scan(text, |start, end, made| {
        found.push(Edit { start, end, text: made });
    })?;
    Ok(found)
}

/// A text in which `%+` has joined what is beside it.
pub(super) fn joined(text: &str) -> String {
    let Some(at) = find_outside(text, "%+") else {
        return text.to_owned();
    };
    let mut made = text[..at].trim_end().to_owned();
    made.push_str(&joined(text[at + 2..].trim_start()));
    made
}

/// The first place of a mark outside of strings and comments.
pub(super) fn find_outside(text: &str, mark: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        match rest.as_bytes()[0] {
            b';' => return None,
            b'\'' | b'"' | b'`' => at += string_length(rest),
            _ if rest.starts_with(mark) => return Some(at),
            _ => at += rest.chars().next().map_or(1, char::len_utf8),
        }
    }
    None
}

/// The macros that are being replaced, and how much they made.
struct State<'p, 'm> {
    parser: &'p Parser<'m>,
    span: Span,
    line: u32,
    /// The names of the macros whose texts are being read: none of them is replaced again within itself.
    busy: Vec<String>,
    made: usize,
}

impl<'p, 'm> State<'p, 'm> {
    fn new(parser: &'p Parser<'m>, span: Span) -> State<'p, 'm> {
        State {
            parser,
            span,
            line: span.line,
            busy: Vec::new(),
            made: 0,
        }
    }

    fn replaced(&mut self, text: &str) -> Result<String, Fault> {
        let mut all = String::new();
        let mut last = 0;
        self.scan(text, |start, end, made| {
            all.push_str(&text[last..start]);
            all.push_str(&made);
            last = end;
        })?;
        all.push_str(&text[last..]);
        Ok(all)
    }

    /// Calls `edit` for each macro of a text.
    fn scan(&mut self, text: &str, mut edit: impl FnMut(usize, usize, String)) -> Result<(), Fault> {
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(&first) = bytes.get(at) {
            let rest = &text[at..];
            match first {
                b';' => break,
                b'\'' | b'"' | b'`' => at += string_length(rest),
                b'%' if rest.starts_with("%[") => {
                    let Some(end) = rest.find(']') else {
                        return Err(fault(self.span, "expected `]` after `%[`"));
                    };
                    let inside = self.replaced(&rest[2..end])?;
                    edit(at, at + end + 1, joined(&inside));
                    at += end + 1;
                }
                b'0'..=b'9' => at += rest.bytes().take_while(|&byte| is_word(byte)).count(),
                b'$' if rest[1..].bytes().next().is_some_and(is_word) => {
                    at += 1 + rest[1..].bytes().take_while(|&byte| is_word(byte)).count();
                }
                _ if begins_name(first) => {
                    let length = name_length(rest);
                    let end = at + length;
                    match self.macro_at(&rest[..length], &text[end..])? {
                        Some((made, behind)) => {
                            edit(at, end + behind, made);
                            at = end + behind;
                        }
                        None => at = end,
                    }
                }
                _ => at += rest.chars().next().map_or(1, char::len_utf8),
            }
        }
        Ok(())
    }

    /// What replaces a name, and the bytes of its arguments behind it.
    fn macro_at(&mut self, name: &str, behind: &str) -> Result<Option<(String, usize)>, Fault> {
        let parser = self.parser;
        if self.busy.iter().any(|busy| busy == name) {
            return Ok(None);
        }
        let Some(known) = parser.modes.single(name) else {
            return Ok(self.built_in(name).map(|made| (made, 0)));
        };
        let blanks = behind.len() - behind.trim_start().len();
        let listed = behind[blanks..].starts_with('(');
        let given = if listed { parenthesised(&behind[blanks..]) } else { None };
        let (found, given, length) = match given {
            Some((given, length)) if known.iter().any(|one| one.parameters.is_some()) => {
                let count = given.len();
                let takes = |one: &&Single| one.parameters.as_ref().is_some_and(|all| all.len() == count);
                // `name()` may have no parameter, or one that is empty.
                let none = |one: &&Single| {
                    count == 1 && given[0].is_empty() && one.parameters.as_ref().is_some_and(Vec::is_empty)
                };
                let found = known.iter().find(takes).or_else(|| known.iter().find(none));
                let Some(found) = found else {
                    let message = format!("macro `{name}` does not take {count} arguments");
                    return Err(fault(self.span, message));
                };
                (found, given, blanks + length)
            }
            _ => match known.iter().find(|one| one.parameters.is_none()) {
                Some(found) => (found, Vec::new(), 0),
                None => return Ok(None),
            },
        };
        if self.busy.len() >= DEEPEST {
            return Err(fault(self.span, format!("macros are nested deeper than {DEEPEST}")));
        }
        let mut text = found.text.clone();
        if let Some(parameters) = &found.parameters {
            let mut values = Vec::new();
            for argument in &given {
                values.push(self.replaced(argument)?);
            }
            text = with_arguments(&text, parameters, &values);
        }
        self.made += text.len();
        if self.made > parser.session.limits.line {
            return Err(fault(
                self.span,
                format!(
                    "the macros of the line expand to more than {} KiB",
                    parser.session.limits.line >> 10
                ),
            ));
        }
        self.busy.push(name.to_owned());
        let made = self.replaced(&text);
        self.busy.pop();
        Ok(Some((joined(&made?), length)))
    }

    /// The text of a name that NASM itself defines.
    fn built_in(&self, name: &str) -> Option<String> {
        let inside = name.strip_prefix("__")?.strip_suffix("__")?;
        let inside = inside
            .strip_prefix('?')
            .and_then(|name| name.strip_suffix('?'))
            .unwrap_or(inside);
        match inside {
            "BITS" => Some(match self.parser.modes.bits {
                crate::operand::CodeSize::Bits16 => "16".to_owned(),
                crate::operand::CodeSize::Bits32 => "32".to_owned(),
            }),
            "LINE" => Some(self.line.to_string()),
            _ => None,
        }
    }
}

/// The arguments in the parentheses at the start of a text, with their length.
fn parenthesised(text: &str) -> Option<(Vec<String>, usize)> {
    let mut depth = 0usize;
    let mut at = 0;
    let mut parts = vec![String::new()];
    while let Some(&byte) = text.as_bytes().get(at) {
        let length = match byte {
            b'\'' | b'"' | b'`' => string_length(&text[at..]),
            _ => text[at..].chars().next().map_or(1, char::len_utf8),
        };
        let part = &text[at..at + length];
        at += length;
        match byte {
            b'(' => {
                depth += 1;
                if depth == 1 {
                    continue;
                }
            }
            b')' => {
                depth -= 1;
                if depth == 0 {
                    let all = parts.iter().map(|part| part.trim().to_owned()).collect();
                    return Some((all, at));
                }
            }
            b',' if depth == 1 => {
                parts.push(String::new());
                continue;
            }
            b';' => return None,
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push_str(part);
        }
    }
    None
}

/// A text with the values of parameters in place of their names.
fn with_arguments(text: &str, parameters: &[String], values: &[String]) -> String {
    let mut all = String::new();
    let mut at = 0;
    while let Some(&first) = text.as_bytes().get(at) {
        let rest = &text[at..];
        let length = match first {
            b'\'' | b'"' | b'`' => string_length(rest),
            b'0'..=b'9' => rest.bytes().take_while(|&byte| is_word(byte)).count(),
            _ if begins_name(first) => name_length(rest),
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        let word = &rest[..length];
        let place = parameters.iter().position(|parameter| parameter == word);
        match place.and_then(|place| values.get(place)) {
            Some(value) => all.push_str(value),
            None => all.push_str(word),
        }
        at += length;
    }
    all
}

/// The parameters in the parentheses directly behind a name that is being defined, with their length.
pub(super) fn parameters(text: &str) -> Option<(Vec<String>, usize)> {
    if !text.starts_with('(') {
        return None;
    }
    let end = text.find(')')?;
    Some((arguments(&text[1..end]), end + 1))
}
