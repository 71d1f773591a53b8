//! A comparison as text.

use super::causes::{ChangedCause, in_words};
use super::results::Differing;
use super::{Comparison, Line, Pair};
use crate::budgets::limit_text;
use crate::printable::{cut, printable};
use crate::summary::{change, percent};
use crate::{Column, Detail, FAILURE, HEADING, LEAST_TEXT, PADDING, Style, heading, painted, paragraph, table};
use std::io::{self, Write};

/// The maximum number of functions and of lines shown without `--long`.
const FUNCTIONS: usize = 10;
const LINES: usize = 20;
/// One in this many of them is of code without source text, if there is so much.
const OTHERS: usize = 4;
/// Without `--long`, changes of less than one clock in this many are summed.
const NOISE: u64 = 1_000;
/// The width that the place of a line leaves to its text, if there is room, and the least one of a place.
const ROOM: usize = 20;
const LEAST_PLACE: usize = 11;
/// The width of the figures beside the name of a region, in columns.
const FIGURES: usize = 48;
/// The maximum number of budgets that are named, and of variables that differ.
const NAMED: usize = 4;
/// What comes before the causes that changed, which stand below what they belong to.
const INDENT: &str = "  ";
/// The index of the column with the text of a changed line, if no column names its file.
const TEXT: usize = 2;

pub(super) fn write(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sides = [("old", &comparison.old), ("new", &comparison.new)];
    let same = comparison.old == comparison.new;
    for (name, side) in sides.into_iter().filter(|_| !same) {
        // A run that was not saved has no report file.
        let report = match &*side.report {
            "" => String::new(),
            report => format!("{report}: "),
        };
        let words = format!("{report}{} on {}", side.program, side.machine);
        let words = cut(&printable(&words), style.width.saturating_sub(5));
        writeln!(out, "{}  {words}", painted(style, HEADING, name))?;
    }
    if !same {
        writeln!(out)?;
    }
    incomparable(comparison, style, out)?;
    let mut rows = vec![
        row("last run".to_owned(), &comparison.total),
        row("first run".to_owned(), &comparison.cold),
    ];
    let most = style.width.saturating_sub(FIGURES).max(8);
    let name = |name: &str| format!("region {}", cut(&printable(name), most));
    let regions = comparison.regions.iter();
    rows.extend(regions.map(|region| row(name(&region.name), &region.clocks)));
    let mut columns = vec![("clocks", Column::Name)];
    let figures = [("old", Column::Number), ("new", Column::Number)];
    columns.extend(figures);
    columns.extend([("change", Column::Number), ("", Column::Number)]);
    table(style, &columns, &rows, out)?;
    if let Some(ChangedCause { cause, old, new }) = &comparison.both_wait {
        let (clocks, whole) = ([*old, *new], [comparison.total.old, comparison.total.new]);
        let [before, after] = [0, 1].map(|side| percent(clocks[side], whole[side].unwrap_or(0)));
        let cause = printable(cause);
        let words = format!("both wait most for one thing, `{cause}`: {before} of the clocks, then {after}");
        paragraph(style, &words, out)?;
    }
    // Up to where runs were stopped, few clocks are of the same work.
    if !comparison.stopped || style.detail != Detail::Short {
        functions(comparison, style, out)?;
        lines(comparison, style, out)?;
    }
    let sides = [("older", &comparison.old), ("newer", &comparison.new)];
    for (age, side) in sides.into_iter().filter(|(_, side)| side.failed_budgets > 0) {
        let budgets = crate::phrases::counted(side.failed_budgets as u64, "budget");
        let names = first(side.failed.iter().map(|name| format!("`{}`", printable(name))));
        paragraph(style, &format!("the {age} run does not keep {budgets}: {names}"), out)?;
    }
    if !comparison.stopped || style.detail != Detail::Short {
        results(comparison, style, out)?;
    }
    if !comparison.without_text.is_empty() {
        let files: Vec<String> = comparison
            .without_text
            .iter()
            .map(|file| format!("`{}`", printable(file)))
            .collect();
        let words = format!(
            "the lines of {} are not compared, because a report lacks their text: write it again where the source is \
             read, as `p5inst explain sources` says",
            files.join(", ")
        );
        paragraph(style, &words, out)?;
    }
    if comparison.paired_anywhere {
        let words = "the programs differ in so much that equal lines are paired wherever they stand; the line of each \
                     may be another one of the same text";
        paragraph(style, words, out)?;
    }
    if comparison.unrelated {
        let words = "the programs have few lines and no region in common: they are compared as different programs, \
                     by totals and functions";
        let lines = (!comparison.lines.is_empty() && style.detail == Detail::Short)
            .then_some("; `--long` shows the lines of both");
        paragraph(style, &format!("{words}{}", lines.unwrap_or_default()), out)?;
    }
    verdict(comparison, style, out)
}

/// The first of these texts, and how many more there are.
fn first(all: impl ExactSizeIterator<Item = String>) -> String {
    let more = all.len().saturating_sub(NAMED);
    let mut words = all.take(NAMED).collect::<Vec<_>>().join(", ");
    if more > 0 {
        words += &format!(" and {more} more");
    }
    words
}

/// Writes which variables differ at the ends of the two runs.
fn results(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let all = &comparison.results;
    if all.is_empty() {
        return Ok(());
    }
    let values = |one: &Differing| match (&one.texts, one.old, one.new) {
        (Some([old, new]), ..) => format!(" ({}, then {})", printable(old), printable(new)),
        (None, Some(old), Some(new)) if old != new => format!(" ({old}, then {new})"),
        _ => String::new(),
    };
    let words = first(all.iter().map(|one| {
        let element = one.element.map_or(String::new(), |at| format!("[{at}]"));
        let field = one.field.as_deref().map_or(String::new(), printable);
        format!("`{}{element}{field}`{}", printable(&one.name), values(one))
    }));
    paragraph(style, &format!("the two runs end with other values of {words}"), out)
}

/// Writes the functions that changed, of programs without regions.
fn functions(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if comparison.functions.is_empty() || !comparison.regions.is_empty() {
        return Ok(());
    }
    heading(style, "Functions that changed, clocks of the last run", out)?;
    let pairs: Vec<&Pair> = comparison.functions.iter().map(|one| &one.clocks).collect();
    let own = comparison.functions.iter().filter(|one| !one.of_library).count();
    let (shown, rest) = comparison.shown(&pairs, own, FUNCTIONS, style);
    let room = style.width.saturating_sub(FIGURES).max(8);
    let columns = [
        ("function", Column::Name),
        ("old", Column::Number),
        ("new", Column::Number),
        ("change", Column::Number),
        ("", Column::Number),
    ];
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut caused: Vec<(usize, &[ChangedCause])> = Vec::new();
    for function in shown.iter().filter_map(|&at| comparison.functions.get(at)) {
        rows.push(match &*function.name {
            "" => row("other code".to_owned(), &function.clocks),
            name => row(cut(&printable(name), room), &function.clocks),
        });
        let causes = told(&function.causes, &function.clocks);
        if !causes.is_empty() {
            caused.push((rows.len(), causes));
            rows.push(vec![String::new(); columns.len()]);
        }
    }
    let word = rest_word(&pairs, &shown, &rest);
    rows.extend(summed(&rest, word));
    let figures: usize = (1..columns.len())
        .map(|index| figure_width(&columns, &rows, index))
        .sum();
    let width = style.width.saturating_sub(figures + PADDING).max(room);
    for (at, causes) in caused {
        rows[at][0] = indented(causes, width);
    }
    table(style, &columns, &rows, out)?;
    explain_sum(!rest.is_empty(), word, style, out)
}

/// The causes that changed, below what they belong to.
fn indented(causes: &[ChangedCause], width: usize) -> String {
    format!("{INDENT}{}", in_words(causes, width.saturating_sub(INDENT.len())))
}

/// The causes that are told of a function or a line: if one run lacks it, all are new or gone.
fn told<'a>(causes: &'a [ChangedCause], clocks: &Pair) -> &'a [ChangedCause] {
    match clocks.difference {
        Some(_) => causes,
        None => &[],
    }
}

/// The row of changes that are not shown one by one.
fn summed(pairs: &[&Pair], word: &str) -> Option<Vec<String>> {
    let sum = |clocks: fn(&Pair) -> Option<u64>| {
        let clocks = pairs.iter().filter_map(|pair| clocks(pair));
        clocks.fold(0, u64::saturating_add)
    };
    let (old, new) = (sum(|pair| pair.old), sum(|pair| pair.new));
    let name = format!("{} {word}", pairs.len());
    (!pairs.is_empty()).then(|| row(name, &Pair::of(Some(old), Some(new), None)))
}

/// The word for changes that are not shown one by one, while others are.
fn rest_word(pairs: &[&Pair], shown: &[usize], rest: &[&Pair]) -> &'static str {
    let least = shown.iter().map(|&at| pairs[at].weight()).min();
    let largest = rest.iter().map(|pair| pair.weight()).max();
    if largest > least { "more" } else { "smaller" }
}

/// Says how the changes are shown that a row has summed under this word.
fn explain_sum(is_summed: bool, word: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
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

impl Comparison {
    /// Which of some changes are shown one by one, and those that are not. The first `own` are of code with source
    /// text, both parts in descending order; unless all are asked for, `most` are shown, or a few more, so that none of
    /// the parts is missing. A single one needs no less room if it is summed.
    fn shown<'a>(&self, changes: &[&'a Pair], own: usize, most: usize, style: &Style) -> (Vec<usize>, Vec<&'a Pair>) {
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
}

fn lines(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
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
    // The rows of causes.
    let mut caused: Vec<(usize, &[ChangedCause])> = Vec::new();
    let shown_lines = || shown.iter().filter_map(|&at| comparison.lines.get(at));
    let several = shown_lines().any(|line| line.file != comparison.lines[0].file || line.function.is_some());
    for line in shown_lines() {
        let shown = |text: &Option<String>| text.as_deref().map(printable);
        let number = |number: Option<u32>| number.map_or_else(String::new, |number| number.to_string());
        let text = match (shown(&line.old_text), shown(&line.new_text)) {
            (Some(old), Some(new)) if line.has_changed() => {
                // There are two rows; the row of the older text has no figures.
                let mut replaced = vec![number(line.old_line), String::new(), format!("was {old}")];
                replaced.resize(7, String::new());
                rows.push(replaced);
                places.push(None);
                new
            }
            (old, new) => new.or(old).unwrap_or_default(),
        };
        // The number of a replaced line stands beside its own text.
        let old_line = line.old_line.filter(|_| line.new_line.is_none() || !line.has_changed());
        rows.push([vec![number(old_line), number(line.new_line)], row(text, &line.clocks)].concat());
        places.push(Some(line));
        let causes = told(&line.causes, &line.clocks);
        if !causes.is_empty() {
            caused.push((rows.len(), causes));
            rows.push(vec![String::new(); 7]);
            places.push(None);
        }
    }
    let word = rest_word(&pairs, &shown, &rest);
    if let Some(sum) = summed(&rest, word) {
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
    for (at, causes) in caused {
        rows[at][text] = indented(causes, width);
    }
    for row in &mut rows {
        row[text] = cut(&row[text], width);
    }
    table(style, &columns, &rows, out)?;
    explain_sum(!rest.is_empty(), word, style, out)
}

impl Line {
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

/// The width of a column of figures, including its blanks.
fn figure_width(columns: &[(&str, Column)], rows: &[Vec<String>], index: usize) -> usize {
    let cells = rows.iter().map(|row| row[index].chars().count());
    let heading = columns[index].0.lines().map(|line| line.chars().count());
    cells.chain(heading).max().unwrap_or(0) + PADDING
}

/// Why the clocks do not tell which program is faster, before any of them.
fn incomparable(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for why in &comparison.incomparable {
        let words = format!("not comparable: {}", printable(why));
        match comparison.fail_over_millionths {
            Some(_) => failure(&words, style, out)?,
            None => paragraph(style, &words, out)?,
        }
    }
    if !comparison.incomparable.is_empty() {
        writeln!(out)?;
    }
    Ok(())
}

fn verdict(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let limited = comparison.fail_over_millionths;
    let Some(limit) = limited.filter(|_| comparison.ok || comparison.slower()) else {
        return Ok(());
    };
    let limit = limit_text(limit);
    if comparison.ok {
        // What is as fast may still be wrong.
        let broken = comparison.new.failed_budgets > comparison.old.failed_budgets;
        let but = if broken { ", but more budgets fail" } else { "" };
        return writeln!(out, "\nNothing is slower by more than {limit}%{but}");
    }
    let total = comparison.total.slower.then(|| "the last run".to_owned());
    let regions = comparison.regions.iter().filter(|region| region.clocks.slower);
    let slower: Vec<String> = total
        .into_iter()
        .chain(regions.map(|region| printable(&region.name)))
        .collect();
    let words = format!("slower by more than {limit}%: {}", slower.join(", "));
    writeln!(out)?;
    failure(&words, style, out)
}

fn failure(words: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut text = Vec::new();
    paragraph(style, words, &mut text)?;
    let text = String::from_utf8_lossy(&text);
    writeln!(out, "{}", painted(style, FAILURE, text.trim()))
}

fn row(name: String, clocks: &Pair) -> Vec<String> {
    let figure = |figure: Option<u64>| figure.map_or_else(|| "-".to_owned(), |figure| figure.to_string());
    let (change, share) = match (clocks.old, clocks.new, clocks.difference) {
        (_, _, Some(0)) => ("0".to_owned(), String::new()),
        (Some(old), _, Some(difference)) => (format!("{difference:+}"), change(old, difference)),
        (None, Some(_), _) => ("new".to_owned(), String::new()),
        (Some(_), None, _) => ("gone".to_owned(), String::new()),
        _ => ("-".to_owned(), String::new()),
    };
    vec![name, figure(clocks.old), figure(clocks.new), change, share]
}
