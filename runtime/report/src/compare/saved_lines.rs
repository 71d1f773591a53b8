//! The lines and the instructions of a saved run.

use crate::lines::WITHOUT_LINES;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The most characters of a hexadecimal number, with its `h`, that no linker has chosen.
const PLACED: usize = 5;

#[derive(Debug, Deserialize)]
pub(super) struct SavedLine {
    pub(super) file: String,
    pub(super) line: u32,
    // Only code without a source line has one, in reports that are not older than the field.
    #[serde(default)]
    pub(super) function: Option<String>,
    pub(super) text: String,
    pub(super) cycles: u64,
    #[serde(default)]
    pub(super) reasons: BTreeMap<String, u64>,
    pub(super) library: bool,
    // Reports older than the field lack it.
    #[serde(default)]
    unlisted: u64,
}

impl SavedLine {
    /// Whether it sums up instructions of a function that the report does not list.
    pub(super) fn is_sum(&self) -> bool {
        self.line == 0 && self.unlisted > 0 && self.text == WITHOUT_LINES
    }

    /// The instruction without the numbers that a linker chooses, which differ from program to program.
    pub(super) fn unplaced(&self) -> String {
        let mut words = String::new();
        let instruction = self.instruction();
        let mut rest = &*instruction;
        while let Some(at) = rest.find(|letter: char| letter.is_ascii_alphanumeric()) {
            let (before, from) = rest.split_at(at);
            let end = from
                .find(|letter: char| !letter.is_ascii_alphanumeric())
                .unwrap_or(from.len());
            let (word, after) = from.split_at(end);
            let placed = is_number(word) && word.len() > PLACED;
            words += before;
            words += if placed { "#" } else { word };
            rest = after;
        }
        words + rest
    }

    /// The distance of code without a source line from the beginning of its function, if it belongs to one.
    pub(super) fn distance(&self) -> Option<u32> {
        let place = self.function.as_deref().filter(|_| self.line == 0)?;
        self.own_function()?;
        match place.rsplit_once('+') {
            Some((_, distance)) if is_number(distance) => u32::from_str_radix(distance.strip_suffix('h')?, 16).ok(),
            _ => Some(0),
        }
    }

    /// The instruction, without what tells nothing of it: label, comment, the width of gaps, and the address of a jump
    /// in code without source lines.
    pub(super) fn instruction(&self) -> String {
        let words = instruction(&self.text);
        match words.split_once(' ') {
            Some((mnemonic, address)) if self.function.is_some() && is_number(address) => mnemonic.to_owned(),
            _ => words,
        }
    }

    /// Whether it has no source text, as code of a library that was linked.
    pub(super) fn is_of_library(&self) -> bool {
        self.line == 0 || self.text.is_empty()
    }

    /// The label before its instruction.
    pub(super) fn label(&self) -> Option<&str> {
        parts(&self.text).0
    }

    /// The name of the function of code without a source line, if it belongs to one.
    pub(super) fn own_function(&self) -> Option<&str> {
        let place = self.function.as_deref()?;
        match place.rsplit_once('+') {
            Some((name, distance)) if is_number(distance) => Some(name),
            _ => Some(place).filter(|place| !is_number(place)),
        }
    }
}

/// An instruction read back from a report.
#[derive(Debug, Deserialize)]
pub(super) struct SavedInstruction {
    pub(super) text: String,
    #[serde(default)]
    pub(super) file: Option<String>,
    #[serde(default)]
    pub(super) line: Option<u32>,
    // The function that it belongs to, with the distance from its beginning.
    #[serde(default)]
    pub(super) function: Option<String>,
    #[serde(default)]
    pub(super) reasons: BTreeMap<String, u64>,
    // Whether its clocks of `agi` are those of the next instruction, beside it in V.
    #[serde(default)]
    pub(super) agi_of_next: bool,
}

impl SavedInstruction {
    /// Its mnemonic, with a prefix that repeats it.
    pub(super) fn mnemonic(&self) -> String {
        let words = || self.text.split_whitespace();
        let repeats = words().next().is_some_and(|word| word.starts_with("rep"));
        words().take(1 + usize::from(repeats)).collect::<Vec<_>>().join(" ")
    }
}

/// Whether `text` is a hexadecimal number as reports write it.
fn is_number(text: &str) -> bool {
    let digits = text.strip_suffix('h').unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The instruction of a line: without its label, its comment and the width of its gaps.
pub(super) fn instruction(text: &str) -> String {
    let code = parts(text).1;
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The label of a line, if it has one before an instruction, and the rest without its comment.
fn parts(text: &str) -> (Option<&str>, &str) {
    let mut quote = None;
    let comment = text.find(|letter: char| {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            _ => {}
        }
        letter == ';' && quote.is_none()
    });
    let code = text[..comment.unwrap_or(text.len())].trim();
    let named = |name: &str| {
        !name.is_empty() && !name.contains(|letter: char| letter.is_whitespace() || "'\"[".contains(letter))
    };
    match code.split_once(':') {
        Some((label, rest)) if named(label.trim_end()) && !rest.trim().is_empty() => (Some(label.trim_end()), rest),
        _ => (None, code),
    }
}
