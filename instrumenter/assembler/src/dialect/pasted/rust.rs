//! What is peculiar to the output of Rust's compiler: how it is told, the lines of source between its instructions, and
//! a text that it left all functions out of.

use super::clean::Clean;
use crate::diag::{Fault, Span, fault};
use std::borrow::Cow;

/// Whether Rust's compiler says that it wrote a text.
pub(super) fn is_of_rustc(text: &str) -> bool {
    text.lines().any(says_rustc)
}

fn says_rustc(line: &str) -> bool {
    let operand = line.trim_start().strip_prefix(".ident").map(str::trim_start);
    operand.is_some_and(|operand| operand.starts_with("\"rustc version"))
}

/// The text with empty lines in place of lines of source, each of which follows a comment with its place and stands as
/// far from the margin: `// src/lib.rs:5`.
pub(super) fn without_source(text: &str) -> Cow<'_, str> {
    // Nearly every text has none, and is not looked at line by line.
    if !text.contains(".rs:") {
        return Cow::Borrowed(text);
    }
    let is_after_place = |(place, line): (&str, &str)| {
        let (margin, comment) = place.split_at(place.len() - place.trim_start().len());
        let stands = line
            .strip_prefix(margin)
            .is_some_and(|rest| !rest.starts_with(char::is_whitespace));
        stands && !margin.is_empty() && is_place(comment) && !is_place(line.trim_start())
    };
    let lines = || text.lines();
    if !lines().zip(lines().skip(1)).any(is_after_place) {
        return Cow::Borrowed(text);
    }
    let before = std::iter::once("").chain(lines());
    let kept = before
        .zip(lines())
        .map(|(place, line)| match is_after_place((place, line)) {
            true => "\n".to_owned(),
            false => format!("{line}\n"),
        });
    Cow::Owned(kept.collect())
}

/// Whether a comment has a place in a source of Rust, and nothing else.
fn is_place(comment: &str) -> bool {
    let place = comment.strip_prefix("//").map(str::trim);
    let place = place.and_then(|place| place.split_once(".rs:"));
    place.is_some_and(|(path, numbers)| {
        let digits = |number: &str| number.trim().parse::<u32>().is_ok();
        !path.is_empty() && numbers.split(':').all(digits)
    })
}

/// The fault of a text of Rust's compiler without any code or data.
pub(super) fn left_out(lines: &[Clean]) -> Option<Fault> {
    let says = lines.iter().find(|line| says_rustc(&line.text))?;
    let tells = |line: &Clean| {
        let mut statements = line.statements.iter().map(|statement| &line.text[statement.clone()]);
        statements.all(|statement| statement.starts_with('.') && !statement.ends_with(':'))
    };
    lines.iter().all(tells).then(|| {
        let span = says.statements.first().cloned().unwrap_or_default();
        fault(
            Span::of(says.number, &span),
            "rustc left all functions out: nothing calls them",
        )
        .with_help(
            "write `#[unsafe(no_mangle)]` before a function to keep it, or `#[inline(never)]` where it is called, and \
             compile again; a generic function has no code until something calls it",
        )
    })
}
