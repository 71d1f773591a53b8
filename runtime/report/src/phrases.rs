//! Phrases that every text report has: a number with its noun, lines from the first to the last, and a sentence that is
//! folded to the width.

use super::{Style, printable};
use std::io::{self, Write};

/// A number with its noun, in the singular or plural: `1 clock`, `2 clocks`.
pub fn counted(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// Lines from the first to the last, in words.
pub(super) fn lines_from((first, last): (u32, u32)) -> String {
    match first == last {
        true => format!("line {first}"),
        false => format!("lines {first}-{last}"),
    }
}

/// Writes a sentence, folded to the width.
pub(super) fn lines(words: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let fits = words.chars().count() <= style.width;
    let width = if fits {
        style.width
    } else {
        style.width.saturating_sub(2)
    };
    let mut lines = printable::folded(words, width).into_iter();
    writeln!(out, "{}", lines.next().unwrap_or_default())?;
    lines.try_for_each(|line| writeln!(out, "  {line}"))
}
