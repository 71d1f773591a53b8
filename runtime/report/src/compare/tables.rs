//! What the tables of a comparison share: the figures of a row, which changes have one, and the causes below a row.

use super::causes::{ChangedCause, in_words};
use super::{Comparison, Pair};
use crate::printable::{folded, printable};
use crate::summary::change;
use crate::{Column, Detail, PADDING, Style, laid_out, paragraph, paragraphs, write_table};
use std::io::{self, Write};

/// One in this many changes is of code without source text, if there is so much.
const OTHERS: usize = 4;
/// Without `--long`, changes of less than one clock in this many are summed.
const NOISE: u64 = 1_000;
/// Shares of fewer clocks than this say nothing that the clocks do not.
const LEAST_SHARED: u64 = 10;
/// What comes before the causes that changed, which stand below what they belong to.
const INDENT: &str = "    ";

impl Comparison {
    /// Which of some changes are shown one by one, and those that are not. The first `own` are of code with source
    /// text, both parts in descending order; unless all are asked for, `most` are shown, or a few more, so that none of
    /// the parts is missing. A single one needs no less room if it is summed.
    pub(super) fn shown<'a>(
        &self,
        changes: &[&'a Pair],
        own: usize,
        most: usize,
        style: &Style,
    ) -> (Vec<usize>, Vec<&'a Pair>) {
        let clocks = self.total.old.max(self.total.new).unwrap_or(0);
        let is_large = |at: &usize| changes[*at].weight().saturating_mul(NOISE) >= clocks;
        let all = || 0..changes.len();
        let mut shown: Vec<usize> = (0..own).filter(is_large).take(most).collect();
        let others = most.saturating_sub(shown.len()).max(most / OTHERS);
        shown.extend((own..changes.len()).filter(is_large).take(others));
        if style.detail == Detail::All || shown.len() + 1 == changes.len() {
            return (all().collect(), Vec::new());
        }
        let rest = all().filter(|at| !shown.contains(at)).map(|at| changes[at]).collect();
        (shown, rest)
    }

    /// A row: a name, the clocks of both runs and their difference, which says nothing if a run was stopped.
    pub(super) fn row(&self, name: String, clocks: &Pair) -> Vec<String> {
        let figure = |figure: Option<u64>| figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string());
        let share = |old: u64, difference| match old < LEAST_SHARED {
            true => String::new(),
            false => change(old, difference),
        };
        let (change, share) = match (clocks.old, clocks.new, clocks.difference) {
            (Some(_), Some(_), _) if self.stopped => ("stopped".to_owned(), String::new()),
            (_, _, Some(0)) => ("0".to_owned(), String::new()),
            (Some(old), _, Some(difference)) => (format!("{difference:+}"), share(old, difference)),
            (None, Some(_), _) => ("new".to_owned(), String::new()),
            (Some(_), None, _) => ("gone".to_owned(), String::new()),
            _ => ("-".to_owned(), String::new()),
        };
        vec![name, figure(clocks.old), figure(clocks.new), change, share]
    }

    /// The row of changes that are not shown one by one.
    pub(super) fn summed(&self, pairs: &[&Pair], word: &str) -> Option<Vec<String>> {
        let sum = |clocks: fn(&Pair) -> Option<u64>| {
            let clocks = pairs.iter().filter_map(|pair| clocks(pair));
            clocks.fold(0, u64::saturating_add)
        };
        let (old, new) = (sum(|pair| pair.old), sum(|pair| pair.new));
        let name = format!("{} {word}", pairs.len());
        (!pairs.is_empty()).then(|| self.row(name, &Pair::of(Some(old), Some(new), None)))
    }
}

/// The word for changes that are not shown one by one, while others are.
pub(super) fn rest_word(pairs: &[&Pair], shown: &[usize], rest: &[&Pair]) -> &'static str {
    let least = shown.iter().map(|&at| pairs[at].weight()).min();
    let largest = rest.iter().map(|pair| pair.weight()).max();
    if largest > least { "more" } else { "smaller" }
}

/// Says how the changes are shown that a row has summed under this word.
pub(super) fn explain_sum(is_summed: bool, word: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let after = match word {
        "more" => "not among those above",
        _ => "after those above",
    };
    match is_summed {
        false => Ok(()),
        true => paragraph(
            style,
            &format!("{word}: the changes {after}, summed; `--long` shows each"),
            out,
        ),
    }
}

/// The causes that are told of a function or a line, in words; if one run lacks it, all are new or gone, and only what
/// belongs to other lines is told.
pub(super) fn told(causes: &[ChangedCause], clocks: &Pair) -> Option<String> {
    let Some(difference) = clocks.difference else {
        let words: Vec<String> = causes.iter().filter_map(ChangedCause::words_of_others).collect();
        return (!words.is_empty()).then(|| words.join(", "));
    };
    (!causes.is_empty()).then(|| in_words(causes, difference > 0))
}

/// Writes a table with what is said of some rows, by their index, below them across its whole width. No cell is
/// folded.
pub(super) fn table_with_causes(
    style: &Style,
    columns: &[(&str, Column)],
    rows: &[Vec<String>],
    said: &[(usize, String)],
    out: &mut dyn Write,
) -> io::Result<()> {
    let of_row = |row: usize| said.iter().filter(move |one| one.0 == row).map(|one| &one.1);
    let table = laid_out(style, columns, rows);
    if table.lines().any(|line| line.trim_end().chars().count() > style.width) {
        for (at, row) in rows.iter().enumerate() {
            paragraphs(style, columns, std::slice::from_ref(row), out)?;
            of_row(at).try_for_each(|words| paragraph(style, &format!("  {words}"), out))?;
        }
        return Ok(());
    }
    let mut written = Vec::new();
    write_table(style, columns, &table, &mut written)?;
    let text = String::from_utf8_lossy(&written);
    let head = text.lines().count().saturating_sub(rows.len());
    for (at, line) in text.lines().enumerate() {
        writeln!(out, "{line}")?;
        for words in at.checked_sub(head).into_iter().flat_map(of_row) {
            for line in folded(&printable(words), style.width.saturating_sub(INDENT.len())) {
                writeln!(out, "{INDENT}{line}")?;
            }
        }
    }
    Ok(())
}

/// The width of a column of figures, including its blanks.
pub(super) fn figure_width(columns: &[(&str, Column)], rows: &[Vec<String>], index: usize) -> usize {
    let cells = rows.iter().map(|row| row[index].chars().count());
    let heading = columns[index].0.lines().map(|line| line.chars().count());
    cells.chain(heading).max().unwrap_or(0) + PADDING
}
