//! `p5inst host run` as text: every region in both worlds.

use super::super::{Column, Format, NARROW, Style, heading, paragraph, printable, summary, table};
use super::{Notes, Worlds, figure, head, json, mean};
use crate::native::summary::{RegionTiming, Summary};
use crate::run::{RegionResult, Run};
use std::io::{self, Write};

/// The most columns of a region's name.
const NAME_SHOWN: usize = 20;
/// The same where there are few.
const NAME_SHOWN_NARROW: usize = 12;
const COLUMNS: &[(&str, Column)] = &[
    ("\nregion", Column::Name),
    ("\nlines", Column::Number),
    ("simulated\npasses", Column::Number),
    ("measured\nmin", Column::Number),
    ("\nmedian", Column::Number),
    ("\ntrue", Column::Number),
    ("host\npasses", Column::Number),
    ("ticks\nmin", Column::Number),
    ("\nmedian", Column::Number),
    ("\nmean", Column::Number),
    ("core\nclocks", Column::Number),
    ("\nnotes", Column::Name),
];

/// Writes a program's simulated and native runs side by side.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_run(format: Format, worlds: &Worlds, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let summary = worlds.summary();
    if format == Format::Json {
        return json::write(&json::run(worlds, &summary), out);
    }
    head(worlds, &summary, style, out)?;
    let mut notes = Notes::default();
    if worlds.run.regions.is_empty() {
        paragraph(
            style,
            "There is no region in this file: StartTSC and EndTSC around some lines make one.",
            out,
        )?;
    } else {
        heading(style, "Regions", out)?;
        let mut rows = Vec::new();
        for (index, region) in worlds.run.regions.iter().enumerate() {
            let host = host(worlds, &summary, index);
            rows.extend(region_rows(worlds.run, region, &host, style.width < NARROW, &mut notes));
        }
        table(style, COLUMNS, rows, out)?;
        paragraph(
            style,
            "measured, true: clocks of the simulated chip, warm, what the macros read and the simulator's own count; ticks: the \
             host's time stamp counter, the probe's own taken off, with the mean's standard error, without the first run, \
             which is cold; a single pass may lie a step of the counter off, below 0 too; core clocks: of the host, \
             estimated as the mean times the core clocks a tick; a region's first few pass \
             beside the probe's own and are not seen",
            out,
        )?;
        notes.write(style, out)?;
    }
    whole(worlds, &summary, style, out)?;
    remarks(worlds, &summary, style, out)
}

/// A region's native side; the reason if there is none.
pub(super) fn host(worlds: &Worlds, summary: &Result<Summary, String>, index: usize) -> RegionTiming {
    let missing = |why: &str| RegionTiming {
        timing: Err(why.to_owned()),
        core_clocks: Err(why.to_owned()),
        notes: Vec::new(),
    };
    let summary = match summary {
        Ok(summary) => summary,
        Err(why) => return missing(why),
    };
    let simulated = worlds.run.regions.get(index).map(|one| (one.start_line, one.end_line));
    let native = worlds
        .image
        .regions
        .get(index)
        .map(|one| (one.start_line, one.end_line));
    match summary.regions.get(index) {
        Some(region) if simulated == native => region.clone(),
        // A source can ask which library it is assembled with, and differ.
        _ => missing("the source has this region in the simulated world only"),
    }
}

/// Why a simulated figure of a region is missing, if one is.
pub(super) fn unsimulated(region: &RegionResult, summary: &summary::RegionSummary) -> Option<&'static str> {
    match &summary.warm {
        // It may have been entered: a pass is what reached its end.
        _ if region.pass_count == 0 => Some("no pass reached its end macro in the simulated run"),
        None => Some("one simulated pass only, so nothing is warm; `p5inst` itself shows the cold one"),
        Some(warm) if warm.measured.is_none() => Some("the end macro left no result in the simulated run"),
        Some(_) => None,
    }
}

fn region_rows(
    run: &Run,
    region: &RegionResult,
    host: &RegionTiming,
    narrow: bool,
    notes: &mut Notes,
) -> Vec<Vec<String>> {
    let summary = summary::region(run, region);
    let dash = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let mut numbers = Vec::new();
    numbers.extend(unsimulated(region, &summary).map(|why| notes.number(why)));
    if let Some(events) = region.events {
        let names = events.map(|(_, event)| event.name());
        numbers.push(notes.number(&format!(
            "simulated: counts of {} and {}, not clocks",
            names[0], names[1]
        )));
    }
    for why in host
        .timing
        .as_ref()
        .err()
        .into_iter()
        .chain(host.core_clocks.as_ref().err())
    {
        let number = notes.number(why);
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers.extend(host.notes.iter().map(|note| notes.number(note)));
    if let Ok(timing) = &host.timing
        && timing.disturbed > 0
    {
        numbers.push(notes.number(&format!(
            "{}: passes left out on the host as interrupted: {}",
            printable::printable(&region.name),
            timing.disturbed
        )));
    }
    numbers.sort_unstable();
    let refers: Vec<String> = numbers.iter().map(|number| format!("[{number}]")).collect();
    let figures = summary::figures(region.kind);
    (0..figures)
        .map(|index| {
            let warm = summary.warm.as_ref();
            let measured = warm.and_then(|warm| warm.measured).map(|pair| pair[index]);
            let mut row = if index == 0 {
                let shown = if narrow { NAME_SHOWN_NARROW } else { NAME_SHOWN };
                vec![
                    printable::cut(&printable::printable(&region.name), shown),
                    format!("{}-{}", region.start_line, region.end_line),
                    region.pass_count.to_string(),
                ]
            } else {
                vec![String::new(); 3]
            };
            row.extend([
                dash(measured.map(|spread| spread.min)),
                dash(measured.map(|spread| spread.median)),
                dash(warm.map(|warm| warm.truth[index].median)),
            ]);
            if index > 0 {
                row.resize(COLUMNS.len(), String::new());
                return row;
            }
            match &host.timing {
                Ok(timing) => row.extend([
                    timing.kept.to_string(),
                    figure(timing.min),
                    figure(timing.median),
                    mean(timing),
                ]),
                Err(_) => row.extend(std::iter::repeat_n("-".to_owned(), 4)),
            }
            row.push(
                host.core_clocks
                    .as_ref()
                    .map_or_else(|_| "-".to_owned(), |&clocks| figure(clocks)),
            );
            row.push(refers.join(" "));
            row
        })
        .collect()
}

fn whole(worlds: &Worlds, summary: &Result<Summary, String>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    heading(style, "Whole program", out)?;
    paragraph(
        style,
        &format!("simulated: {} clocks in the last run", worlds.run.totals.cycles),
        out,
    )?;
    let words = match summary
        .as_ref()
        .map(|summary| (&summary.whole, &summary.whole_core_clocks))
    {
        Ok((Ok(timing), clocks)) => {
            let mut words = format!(
                "host: {} ticks (mean of {}; min {}, median {})",
                mean(timing),
                super::super::header::counted(timing.kept, "run"),
                figure(timing.min),
                figure(timing.median)
            );
            words += &match clocks {
                Ok(clocks) => format!(", about {} core clocks", figure(*clocks)),
                Err(why) => format!("; core clocks unknown: {why}"),
            };
            if timing.disturbed > 0 {
                words += &format!("; runs left out as interrupted: {}", timing.disturbed);
            }
            words
        }
        Ok((Err(why), _)) => format!("host: -, {why}"),
        Err(why) => format!("host: -, {why}"),
    };
    paragraph(style, &words, out)?;
    if worlds.image.log.is_some() {
        paragraph(
            style,
            "Both with their macros and calibration; `p5inst host cpi` leaves those out.",
            out,
        )?;
    }
    Ok(())
}

/// What disturbed the host, and the notes of both worlds.
pub(super) fn remarks(
    worlds: &Worlds,
    summary: &Result<Summary, String>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Ok(summary) = summary
        && !summary.disturbances.is_empty()
    {
        heading(style, "The host was not quiet", out)?;
        for disturbance in &summary.disturbances {
            paragraph(style, disturbance, out)?;
        }
    }
    let native = worlds.native.map_or(&[][..], |native| &native.notes);
    if native.is_empty() && worlds.run.notes.is_empty() {
        return Ok(());
    }
    heading(style, "Notes", out)?;
    for note in native {
        paragraph(style, &format!("host: {note}"), out)?;
    }
    for note in &worlds.run.notes {
        paragraph(style, &format!("simulated: {note}"), out)?;
    }
    Ok(())
}
