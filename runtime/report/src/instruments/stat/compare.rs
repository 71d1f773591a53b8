//! `p5inst stat --compare` as text: two programs side by side, with ratios.

use super::super::figures::{Figures, Scale, multiple, ratio, side_by_side};
use super::super::{ending, head, title};
use super::{agreement, count, executions, remarks};
use crate::event_list::selector;
use crate::footnotes::Footnotes;
use crate::phrases::lines;
use crate::{Column, Style, table};
use p5_machine::instruments::{Line, Stat};
use std::io::{self, Write};

const NAMES: [&str; 2] = ["A", "B"];
/// The text that replaces a multiple of 0.
const NEW: &str = "new";

const EVENTS: &[(&str, Column)] = &[
    ("event", Column::Number),
    ("A", Column::Number),
    ("B", Column::Number),
    ("B/A", Column::Number),
    ("counts", Column::Text),
];

const FIGURES: &[(&str, Column)] = &[
    ("", Column::Name),
    ("A", Column::Number),
    ("B", Column::Number),
    ("B/A", Column::Number),
];

pub(super) fn write(stats: [&Stat; 2], scale: Scale, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for (name, stat) in NAMES.iter().zip(stats) {
        write!(out, "{name}: ")?;
        let narrower = Style {
            width: style.width.saturating_sub(name.len() + 2),
            ..*style
        };
        head(&stat.subject, &narrower, out)?;
        ending(&stat.subject, style, out)?;
    }
    match stats.map(executions) {
        [one, other] if one == other => lines(&format!("each {one}"), style, out)?,
        each => {
            for (name, executions) in NAMES.iter().zip(each) {
                lines(&format!("{name}: {executions}"), style, out)?;
            }
        }
    }
    writeln!(out)?;
    table(style, FIGURES, &figures(stats, scale), out)?;
    writeln!(out)?;
    let mut footnotes = Footnotes::default();
    let rows = side_by_side(stats[0], stats[1]).into_iter().map(|pair| {
        let selection = pair[0].or(pair[1]).map(|line| line.selection);
        let mut refers = String::new();
        for (line, name) in pair.iter().zip(NAMES) {
            match line {
                Some(line) => refers += &remarks(line, &mut footnotes),
                None => {
                    let lacks = format!("the chip of {name} does not count it");
                    refers += &format!(" [{}]", footnotes.number(&lacks));
                }
            }
        }
        // Both figures may refer to the same footnote.
        let mut once: Vec<&str> = Vec::new();
        for reference in refers.split_whitespace() {
            if !once.contains(&reference) {
                once.push(reference);
            }
        }
        vec![
            selection.map_or(String::new(), |one| selector(one.selector, one.counter)),
            count(pair[0]),
            count(pair[1]),
            times(pair),
            selection.map_or(String::new(), |one| [&[&*title(one)], &once[..]].concat().join(" ")),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    table(style, EVENTS, &rows, out)?;
    if rows.iter().flatten().any(|cell| cell == NEW) {
        writeln!(out, "  {NEW}: A counts none")?;
    }
    footnotes.write(style, out)?;
    writeln!(out)?;
    for (name, stat) in NAMES.iter().zip(stats) {
        lines(&format!("{name}: {}", agreement(stat)), style, out)?;
    }
    Ok(())
}

fn figures(stats: [&Stat; 2], scale: Scale) -> Vec<Vec<String>> {
    let figures = stats.map(|stat| Figures::of(stat, scale));
    let row = |name: &str, digits: usize, of: &dyn Fn(&Figures) -> Option<f64>| {
        let [first, second] = [0, 1].map(|side| of(&figures[side]));
        let multiple = first.zip(second).and_then(|(first, second)| ratio(second, first));
        vec![
            name.to_owned(),
            shown(first, digits),
            shown(second, digits),
            multiple.map_or_else(|| shown(None, 2), small),
        ]
    };
    let mut rows = vec![
        row("clocks, cold", 0, &|one| one.cold.map(|clocks| clocks as f64)),
        row("clocks, warm", 0, &|one| one.clocks.map(|clocks| clocks as f64)),
        row("instructions", 0, &|one| one.instructions.map(|count| count as f64)),
        row("% of them in V", 1, &|one| one.v_share.map(|share| share * 100.0)),
    ];
    if scale.bytes.is_some() {
        rows.push(row("clocks per byte", 2, &|one| one.clocks_per_byte));
    }
    if let Some(megahertz) = scale.megahertz {
        rows.push(row(&format!("microseconds at {megahertz} MHz"), 2, &|one| {
            one.seconds.map(|seconds| seconds * 1e6)
        }));
        if scale.bytes.is_some() {
            rows.push(row(&format!("MB/s at {megahertz} MHz"), 1, &|one| {
                one.megabytes_per_second
            }));
        }
    }
    rows
}

fn times(pair: [Option<&Line>; 2]) -> String {
    let [first, second] = pair.map(|line| line.and_then(|line| line.count.ok()));
    match (multiple(pair), first, second) {
        (Some(multiple), ..) => small(multiple),
        (None, Some(0), Some(1..)) => NEW.to_owned(),
        (None, ..) => shown(None, 2),
    }
}

/// A multiple with two decimals; a small nonzero one is not shown as 0.
fn small(multiple: f64) -> String {
    match multiple > 0.0 && multiple < 0.005 {
        true => "<0.01".to_owned(),
        false => shown(Some(multiple), 2),
    }
}

fn shown(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}
