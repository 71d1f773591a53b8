//! The conditions that leave out statements.

use super::arguments::{quoted, scrubbed};
use super::known::Known;
use crate::diag::Span;

/// An open condition.
pub(super) struct Condition {
    pub(super) span: Span,
    /// Whether its statements are read now.
    pub(super) reads: bool,
    /// Whether a branch of it was read, or none may be.
    pub(super) is_done: bool,
    pub(super) has_else: bool,
}

/// Whether a word in lower case belongs to conditions.
pub(super) fn is_condition(word: &str) -> bool {
    begins(word) || matches!(word, ".else" | ".elseif" | ".elsec" | ".endif" | ".endc")
}

/// Whether a word in lower case begins a condition.
pub(super) fn begins(word: &str) -> bool {
    matches!(
        word,
        ".if"
            | ".ifdef"
            | ".ifndef"
            | ".ifnotdef"
            | ".ifb"
            | ".ifnb"
            | ".ifc"
            | ".ifnc"
            | ".ifeqs"
            | ".ifnes"
            | ".ifeq"
            | ".ifne"
            | ".ifge"
            | ".ifgt"
            | ".ifle"
            | ".iflt"
    )
}

/// The two texts of a comparison, up to the first comma outside quotes, and behind it.
fn two(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    let comma = text.char_indices().find(|(_, one)| {
        match quote {
            Some(open) if open == *one => quote = None,
            None if matches!(one, '"' | '\'') => quote = Some(*one),
            _ => {}
        }
        quote.is_none() && *one == ','
    });
    let (at, _) = comma?;
    Some((text[..at].trim(), text[at + 1..].trim()))
}

/// Whether a condition holds; why that is not known.
pub(super) fn holds(word: &str, text: &str, known: &Known) -> Result<bool, String> {
    let text = text.trim();
    let both = || two(text).ok_or_else(|| "expected two texts with a comma between them".to_owned());
    Ok(match word {
        ".ifdef" | ".ifndef" | ".ifnotdef" if text.is_empty() => return Err("expected a name".to_owned()),
        ".ifdef" => known.is_defined(text),
        ".ifndef" | ".ifnotdef" => !known.is_defined(text),
        ".ifb" => text.is_empty(),
        ".ifnb" => !text.is_empty(),
        ".ifc" | ".ifnc" => {
            let (left, right) = both()?;
            (scrubbed(left) == scrubbed(right)) == (word == ".ifc")
        }
        ".ifeqs" | ".ifnes" => {
            let (left, right) = both()?;
            let of = |text| quoted(text).ok_or_else(|| "expected texts in quotation marks".to_owned());
            (of(left)? == of(right)?) == (word == ".ifeqs")
        }
        _ => {
            let number = known.number(text)?;
            match word {
                ".ifeq" => number == 0,
                ".ifge" => number >= 0,
                ".ifgt" => number > 0,
                ".ifle" => number <= 0,
                ".iflt" => number < 0,
                _ => number != 0,
            }
        }
    })
}
