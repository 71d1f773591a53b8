//! A comparison as text.

use super::causes::ChangedCause;
use super::ends_text::first;
use super::hottest::Hot;
use super::tables::{explain_sum, figure_width, rest_word, table_with_causes, told};
use super::{Comparison, Pair, ends_text, lines_text};
use crate::budgets::limit_text;
use crate::printable::{cut, printable};
use crate::summary::percent;
use crate::{Column, Detail, FAILURE, HEADING, LEAST_TEXT, PADDING, Style, heading, painted, paragraph, table};
use std::io::{self, Write};

/// The maximum number of functions shown without `--long`.
const FUNCTIONS: usize = 10;
/// The width of the figures beside the name of a region, in columns.
const FIGURES: usize = 48;

pub(super) fn write(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sides = [("old", &comparison.old), ("new", &comparison.new)];
    let same = comparison.old == comparison.new;
    for (name, side) in sides {
        // A run that was not saved has no report file.
        let report = match &*side.report {
            "" => String::new(),
            report if report == side.program => String::new(),
            report => format!("{report}: "),
        };
        let options = side.options.as_ref().map(|options| format!(" {options}"));
        let options = options.unwrap_or_default();
        let words = format!("{report}{}{options} on {}", side.program, side.machine);
        let words = cut(&printable(&words), style.width.saturating_sub(5));
        writeln!(out, "{}  {words}", painted(style, HEADING, name))?;
    }
    if same && comparison.old.report == comparison.old.program {
        let words = match comparison.old.built {
            false => {
                "both runs are of one program with the same options; `--only-old` and `--only-new` give options to one \
                 of them, as in `--only-new \"-D FAST\"`"
                    .to_owned()
            }
            // What is built takes no definitions, and its own arguments are for both.
            true => {
                "both runs are of one program with the same arguments; `--old-args` and `--new-args` give arguments to one \
                 of them, as in `--new-args large.txt`, and `--only-new` another machine, as in `--only-new \"--memory \
                 vga\"`"
                    .to_owned()
            }
        };
        paragraph(style, &words, out)?;
    }
    writeln!(out)?;
    incomparable(comparison, style, out)?;
    let mut rows = vec![
        comparison.row("last run".to_owned(), &comparison.total),
        comparison.row("first run".to_owned(), &comparison.cold),
    ];
    let most = style.width.saturating_sub(FIGURES).max(8);
    let name = |name: &str| format!("region {}", cut(&printable(name), most));
    let regions = comparison.regions.iter();
    rows.extend(regions.map(|region| comparison.row(name(&region.name), &region.clocks)));
    let mut columns = vec![("clocks", Column::Name)];
    let figures = [("old", Column::Number), ("new", Column::Number)];
    columns.extend(figures);
    columns.extend([("change", Column::Number), ("", Column::Number)]);
    table(style, &columns, &rows, out)?;
    let bytes = comparison.regions.iter().filter_map(|region| match region.code_bytes {
        [Some(before), Some(after)] if before != after => {
            Some(format!("{}: {before}, then {after}", name(&region.name)))
        }
        _ => None,
    });
    let bytes: Vec<String> = bytes.collect();
    if !bytes.is_empty() {
        paragraph(style, &format!("bytes of code: {}", bytes.join("; ")), out)?;
    }
    if let Some(ChangedCause { cause, old, new, .. }) = comparison.both_wait.as_ref().filter(|_| !comparison.stopped) {
        let (clocks, whole) = ([*old, *new], [comparison.total.old, comparison.total.new]);
        let [before, after] = [0, 1].map(|side| percent(clocks[side], whole[side].unwrap_or(0)));
        let cause = printable(cause);
        let words = format!("both wait most for one thing, `{cause}`: {before} of the clocks, then {after}");
        paragraph(style, &words, out)?;
    }
    ends_text::write(comparison, style, out)?;
    // Up to where runs were stopped, few clocks are of the same work.
    if !comparison.stopped || style.detail != Detail::Short {
        functions(comparison, style, out)?;
        hottest(comparison, style, out)?;
        lines_text::write(comparison, style, out)?;
    }
    let sides = [("older", &comparison.old), ("newer", &comparison.new)];
    for (age, side) in sides.into_iter().filter(|(_, side)| side.failed_budgets > 0) {
        let budgets = crate::phrases::counted(side.failed_budgets as u64, "budget");
        let names = first(side.failed.iter().map(|name| format!("`{}`", printable(name))));
        paragraph(style, &format!("the {age} run does not keep {budgets}: {names}"), out)?;
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
                     by totals, functions and the lines with the most clocks";
        let lines = (!comparison.lines.is_empty() && style.detail == Detail::Short)
            .then_some("; `--long` shows the lines of both");
        paragraph(style, &format!("{words}{}", lines.unwrap_or_default()), out)?;
    }
    verdict(comparison, style, out)
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
    let mut caused: Vec<(usize, String)> = Vec::new();
    for function in shown.iter().filter_map(|&at| comparison.functions.get(at)) {
        rows.push(match &*function.name {
            "" => comparison.row("other code".to_owned(), &function.clocks),
            name => comparison.row(cut(&printable(name), room), &function.clocks),
        });
        caused.extend(told(&function.causes, &function.clocks).map(|words| (rows.len() - 1, words)));
    }
    let word = rest_word(&pairs, &shown, &rest);
    rows.extend(comparison.summed(&rest, word));
    table_with_causes(style, &columns, &rows, &caused, out)?;
    explain_sum(!rest.is_empty(), word, style, out)
}

/// Writes the lines with the most clocks of both, if their lines do not correspond.
fn hottest(comparison: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let sides: [(&str, &[Hot], Option<u64>); 2] = [
        ("old", &comparison.hottest_old, comparison.total.old),
        ("new", &comparison.hottest_new, comparison.total.new),
    ];
    if sides.iter().all(|(_, lines, _)| lines.is_empty()) {
        return Ok(());
    }
    heading(style, "Lines with the most clocks in the last run", out)?;
    let columns = [
        ("run", Column::Name),
        ("line", Column::Number),
        ("", Column::Name),
        ("clocks", Column::Number),
        ("", Column::Number),
    ];
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (name, lines, whole) in sides {
        rows.extend(lines.iter().map(|line| {
            vec![
                name.to_owned(),
                line.line.map_or_else(String::new, |number| number.to_string()),
                printable(&line.text),
                line.cycles.to_string(),
                percent(line.cycles, whole.unwrap_or(0)),
            ]
        }));
    }
    let others = [0, 1, 3, 4].map(|index| figure_width(&columns, &rows, index));
    let width = style.width.saturating_sub(others.iter().sum::<usize>() + PADDING);
    for row in &mut rows {
        row[2] = cut(&row[2], width.max(LEAST_TEXT));
    }
    table(style, &columns, &rows, out)
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
    if comparison.same_results && comparison.ends.same != Some(true) {
        let words = match comparison.ends.same {
            Some(_) => "the results are not the same",
            None if comparison.stopped => "a run was stopped, so that the results are not known to be the same",
            None => "neither variables nor output are known in both runs, so that no results are compared",
        };
        writeln!(out)?;
        failure(words, style, out)?;
    }
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
