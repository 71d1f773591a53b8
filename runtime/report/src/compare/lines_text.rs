//! The lines of a comparison that changed, as a table.

use super::saved_lines::instruction;
use super::tables::{explain_sum, figure_width, rest_word, table_with_causes, told};
use super::{Comparison, Line, Pair};
use crate::printable::{cut, printable};
use crate::{Column, Detail, LEAST_TEXT, PADDING, Style, heading};
use std::io::{self, Write};

/// The maximum number of lines shown without `--long`.
const LINES: usize = 20;
/// The width that the place of a line leaves to its text, if there is room, and the least one of a place.
const ROOM: usize = 20;
const LEAST_PLACE: usize = 11;
/// The index of the column with the text of a changed line, if no column names its file.
const TEXT: usize = 2;

/// Writes the lines that changed, each with its causes.
pub(super) fn write(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if comparison.lines.is_empty() || comparison.unrelated && style.detail == Detail::Short {
        return Ok(());
    }
    heading(style, "Lines that changed, clocks of the last run", out)?;
    let pairs: Vec<&Pair> = comparison.lines.iter().map(|line| &line.clocks).collect();
    let own = comparison.lines.iter().filter(|line| !line.of_library).count();
    let (shown, rest) = comparison.shown(&pairs, own, LINES, style);
    let mut rows: Vec<Vec<String>> = Vec::new();
    // The files of a program with several, and functions without lines, stand before the numbers.
    let mut places: Vec<Option<&Line>> = Vec::new();
    // What is said of rows.
    let mut caused: Vec<(usize, String)> = Vec::new();
    let shown_lines = || shown.iter().filter_map(|&at| comparison.lines.get(at));
    let several = shown_lines()
        .any(|line| !comparison.of_main && line.file != comparison.lines[0].file || line.function.is_some());
    for line in shown_lines() {
        let shown = |text: &Option<String>| text.as_deref().map(printable);
        let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        let text = match (shown(&line.old_text), shown(&line.new_text)) {
            (Some(old), Some(new)) if line.has_changed() => {
                caused.push((rows.len(), format!("in place of `{old}`")));
                new
            }
            (old, new) => new.or(old).unwrap_or_default(),
        };
        rows.push(
            [
                vec![number(line.old_line), number(line.new_line)],
                comparison.row(text, &line.clocks),
            ]
            .concat(),
        );
        places.push(Some(line));
        caused.extend(told(&line.causes, &line.clocks).map(|words| (rows.len() - 1, words)));
    }
    let word = rest_word(&pairs, &shown, &rest);
    if let Some(sum) = comparison.summed(&rest, word) {
        rows.push([vec![String::new(); 2], sum].concat());
        places.push(None);
    }
    let mut columns: Vec<(&str, Column)> = vec![
        ("old\nline", Column::Number),
        ("new\nline", Column::Number),
        ("", Column::Name),
        ("old\nclocks", Column::Number),
        ("new\nclocks", Column::Number),
        ("change", Column::Number),
        ("", Column::Number),
    ];
    let mut text = TEXT;
    if shown_lines().all(|line| line.old_line == line.new_line && !line.has_changed()) {
        columns.remove(0);
        columns[0].0 = "line";
        for row in &mut rows {
            row.remove(0);
        }
        text -= 1;
    }
    // Code without source lines has no numbers.
    while text > 0 && rows.iter().all(|row| row[0].is_empty()) {
        columns.remove(0);
        rows.iter_mut().for_each(|row| drop(row.remove(0)));
        text -= 1;
    }
    let figures = |columns: &[(&str, Column)], rows: &[Vec<String>], text: usize| -> usize {
        let others = (0..columns.len()).filter(|&index| index != text);
        others.map(|index| figure_width(columns, rows, index)).sum()
    };
    if several {
        // The text is worth more than the place.
        let left = style
            .width
            .saturating_sub(figures(&columns, &rows, text) + 2 * PADDING + ROOM);
        let most = left.clamp(LEAST_PLACE, (style.width / 4).max(LEAST_PLACE));
        columns.insert(0, ("place", Column::Name));
        for (row, line) in rows.iter_mut().zip(places) {
            row.insert(0, line.map_or_else(String::new, |line| place(line, most)));
        }
        text += 1;
    }
    let width = style.width.saturating_sub(figures(&columns, &rows, text) + PADDING);
    // If the terminal is too narrow for a table, each line is a paragraph.
    let width = if width < LEAST_TEXT { style.width / 2 } else { width };
    for row in &mut rows {
        row[text] = cut(&row[text], width);
    }
    table_with_causes(style, &columns, &rows, &caused, out)?;
    explain_sum(!rest.is_empty(), word, style, out)
}

impl Line {
    /// Its instruction, without label and comment, in the newer run if that has it.
    pub(super) fn shown_instruction(&self) -> String {
        let text = self.new_text.as_ref().or(self.old_text.as_ref());
        text.map(|text| instruction(text)).unwrap_or_default()
    }

    /// Whether its text differs. A jump in code without source lines has the address of its target, which says nothing.
    fn has_changed(&self) -> bool {
        let text = |text: &Option<String>| match (text, &self.function) {
            (Some(text), Some(_)) => text.split_whitespace().next().map(str::to_owned),
            (text, _) => text.clone(),
        };
        self.old_text != self.new_text && text(&self.old_text) != text(&self.new_text)
    }
}

/// The file of a line, or the function of code without lines, in at most `most` columns; the distance from the
/// beginning of a function is kept.
fn place(line: &Line, most: usize) -> String {
    let Some(function) = &line.function else {
        return cut(&printable(&line.file), most);
    };
    match function.rsplit_once('+') {
        Some((name, distance)) => {
            let name = cut(&printable(name), most.saturating_sub(distance.len() + 1));
            format!("{name}+{distance}")
        }
        None => cut(&printable(function), most),
    }
}
