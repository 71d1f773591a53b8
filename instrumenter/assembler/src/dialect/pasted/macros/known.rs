//! The values of names and expressions where lines are read, and which names are defined by then.

use super::super::expression::value;
use super::super::tree::{self, Atom};
use super::super::word::{character, is_name};
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Known {
    /// The names that are defined so far, with the values of those that have one.
    names: HashMap<String, Option<i64>>,
}

impl Known {
    pub(super) fn define(&mut self, name: &str, value: Option<i64>) {
        match self.names.get_mut(name) {
            Some(known) => *known = value,
            None => _ = self.names.insert(name.to_owned(), value),
        }
    }

    pub(super) fn is_defined(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    fn atom(&self, text: &str, at: usize) -> Option<(usize, Atom)> {
        let rest = &text[at..];
        if rest.starts_with('\'') {
            let (value, length) = character(rest);
            return Some((at + length, Atom::Number(i64::from(value?))));
        }
        let length = rest.bytes().take_while(|byte| is_name(*byte)).count();
        let word = &rest[..length];
        let end = at + length;
        match word.bytes().next()? {
            b'0'..=b'9' => Some((end, Atom::Number(value(word)? as i64))),
            _ => Some(match self.names.get(word).copied().flatten() {
                Some(number) => (end, Atom::Number(number)),
                None => (end, Atom::Text(word.to_owned())),
            }),
        }
    }

    /// The value of an expression; why it has none here.
    pub(super) fn number(&self, text: &str) -> Result<i64, String> {
        if let Some(number) = tree::number(text, 0, &|at| self.atom(text, at)) {
            return Ok(number);
        }
        let words = text.split(|byte: char| !byte.is_ascii() || !is_name(byte as u8));
        let mut names = words.filter(|word| !word.is_empty() && !word.starts_with(|one: char| one.is_ascii_digit()));
        Err(
            match names.find(|name| !matches!(self.names.get(*name), Some(Some(_)))) {
                Some(".") => "the address here is not known where lines are read".to_owned(),
                Some(name) if self.is_defined(name) => {
                    format!("the address of `{name}` is not known where lines are read")
                }
                Some(name) => format!("`{name}` has no value before this line"),
                None if text.trim().is_empty() => "expected a number".to_owned(),
                None => format!("`{}` is not a number", text.trim()),
            },
        )
    }
}
