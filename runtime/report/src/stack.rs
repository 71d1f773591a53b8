//! The cycle stacks: the clocks of the last run by cause, which add up to the total of each part.

use super::header::library;
use super::{Column, Detail, Style, heading, lines, paragraph, summary, table};
use p5_results::{Cause, Part, Run};
use std::io::{self, Write};

/// The maximum width of a bar, in columns.
const BAR: usize = 30;
/// The maximum width of a share, in columns.
const SHARE: usize = "100.0%".len();
/// The number of blanks in a line, without those at its end.
const BLANKS: usize = 7;
const COLUMNS: &[(&str, Column)] = &[
    ("cause", Column::Name),
    ("clocks", Column::Number),
    ("share", Column::Number),
    ("", Column::Name),
];

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    heading(style, "Where the clocks went", out)?;
    let packed = run
        .instructions
        .iter()
        .any(|one| !one.library && lines::packed(one) > 0);
    part(&run.own, packed, style, out)?;
    if let (Some(probes), Some(name), Detail::All) = (&run.probes, library(run), style.detail) {
        heading(style, &format!("Where the clocks of {name} went"), out)?;
        part(probes, false, style, out)?;
    }
    let unexplained = summary::unexplained(run);
    if unexplained != 0 {
        // This is never hidden: a stack that does not add up is a bug of the simulator, and the reader must know.
        paragraph(
            style,
            &format!("{unexplained} clocks have no cause: this is a bug in the simulator"),
            out,
        )?;
    }
    Ok(())
}

/// Writes the stack of a part; `packed` tells whether instructions of MMX waited, too.
fn part(part: &Part, packed: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let name = |cause: Cause| match cause {
        Cause::FloatingPoint if packed => "floating point, mmx",
        _ => cause.name(),
    };
    let total = part.totals.cycles;
    let parts = || part.cycle_stack.iter().filter(|part| part.cycles > 0);
    let names = parts().map(|part| name(part.cause).len()).max().unwrap_or(0);
    let figures = names + total.to_string().len().max("clocks".len()) + SHARE + BLANKS;
    let bar = BAR.min(style.width.saturating_sub(figures));
    let longest = parts().map(|part| part.cycles).max().unwrap_or(0).max(1);
    let mut rows: Vec<Vec<String>> = parts()
        .map(|part| {
            // Wide arithmetic is needed: a long run's clocks times the bar's length may exceed 64 bits.
            let length = u128::from(part.cycles) * bar as u128 / u128::from(longest);
            vec![
                name(part.cause).to_owned(),
                part.cycles.to_string(),
                summary::percent(part.cycles, total),
                "#".repeat(usize::try_from(length).unwrap_or(0)),
            ]
        })
        .collect();
    rows.push(vec![
        "total".to_owned(),
        total.to_string(),
        summary::percent(total, total),
        String::new(),
    ]);
    table(style, COLUMNS, &rows, out)
}
