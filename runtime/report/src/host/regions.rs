//! `p5inst host run` as text: the simulated and the native figures of every region.

use super::super::footnotes::Footnotes;
use super::super::phrases::counted;
use super::super::regions::{counted_event, not_available};
use super::super::wording::note as simulated_note;
use super::super::{Column, Format, NARROW, Style, heading, paragraph, printable, summary, table};
use super::figures::{self, unsimulated};
use super::{Worlds, figure, head, json, mean, wording};
use crate::write_json;
use p5_host::native::Missing;
use p5_host::native::summary::{RegionTiming, Summary, Timing};
use p5_results::RegionResult;
use std::io::{self, Write};

pub(super) const NOT_SIMULATED: &str = "the program did not complete in the simulation";
/// The maximum width of a region's name in columns, here and on a narrow terminal.
const NAME_SHOWN: usize = 20;
const NAME_SHOWN_NARROW: usize = 12;
/// The columns of the first table, and of the second one, which does not fit beside it in 80 columns.
const SIDE_BY_SIDE: &[(&str, Column)] = &[
    ("\n\nregion", Column::Name),
    ("simulated\nmeasured\nmedian", Column::Number),
    ("\n\ntrue", Column::Number),
    ("host\nticks\nmedian", Column::Number),
    ("\n\nmean", Column::Number),
    ("\ncore\nclocks", Column::Number),
    ("\n\nnotes", Column::Name),
];
const PASSES: &[(&str, Column)] = &[
    ("\n\nregion", Column::Name),
    ("\n\nlines", Column::Number),
    ("simulated\n\npasses", Column::Number),
    ("\nmeasured\nmin", Column::Number),
    ("host\n\npasses", Column::Number),
    ("\nticks\nmin", Column::Number),
];

/// Writes a program's simulated and native runs side by side.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_run(format: Format, worlds: &Worlds, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let summary = worlds.summary();
    if format == Format::Json {
        return write_json(&json::RunReport::of(worlds, &summary), out);
    }
    head(worlds, &summary, style, out)?;
    if worlds.none_completed() {
        return remarks(worlds, &summary, style, out);
    }
    let mut notes = Footnotes::default();
    if worlds.run.regions.is_empty() {
        paragraph(
            style,
            "This file has no region; put StartTSC and EndTSC around the lines to measure.",
            out,
        )?;
    } else {
        heading(style, "Regions", out)?;
        let narrow = style.width < NARROW;
        let (mut side_by_side, mut passes) = (Vec::new(), Vec::new());
        let regions = worlds.run.regions.iter().enumerate();
        let regions: Vec<_> = regions
            .map(|(index, region)| (region, figures::region(worlds, &summary, index)))
            .collect();
        let interrupted = interrupted(&regions);
        for (region, host) in &regions {
            for [beside, of_passes] in region_rows(worlds, region, host, narrow, &interrupted, &mut notes) {
                side_by_side.push(beside);
                passes.push(of_passes);
            }
        }
        table(style, SIDE_BY_SIDE, &side_by_side, out)?;
        writeln!(out)?;
        table(style, PASSES, &passes, out)?;
        paragraph(
            style,
            "measured, true: warm clocks of the simulated chip, as the macros read them and as the simulator counts \
             them; ticks: of the host's time stamp counter, net of probe overhead, the cold first run excluded, with \
             the standard error of the mean; a single pass may be off by a step of the counter, and so below 0; core \
             clocks: of the host, estimated as the mean times the core clocks per tick; a region's first few core \
             clocks overlap the probe and are not seen",
            out,
        )?;
        notes.write(style, out)?;
    }
    whole(worlds, &summary, style, out)?;
    remarks(worlds, &summary, style, out)
}

/// The maximum number of regions named in a note.
const NAMED: usize = 6;

/// The number of interrupted passes of each region on the host, in words.
fn interrupted(regions: &[(&RegionResult, RegionTiming)]) -> String {
    let disturbed = regions.iter().filter_map(|(region, host)| {
        let passes = host.timing.as_ref().ok()?.disturbed;
        (passes > 0).then(|| format!("{} {passes}", printable::printable(&region.name)))
    });
    let mut disturbed: Vec<String> = disturbed.collect();
    let more = disturbed.len().saturating_sub(NAMED);
    disturbed.truncate(NAMED);
    if more > 0 {
        disturbed.push(format!("and in {} more", counted(more as u64, "region")));
    }
    format!("interrupted passes excluded on the host: {}", disturbed.join(", "))
}

fn region_rows(
    worlds: &Worlds,
    region: &RegionResult,
    host: &RegionTiming,
    narrow: bool,
    interrupted: &str,
    notes: &mut Footnotes,
) -> Vec<[Vec<String>; 2]> {
    let summary = summary::region(worlds.run, region);
    let dash = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let mut numbers = Vec::new();
    numbers.extend(unsimulated(region, &summary).map(|why| notes.number(why)));
    if let Some(events) = region.events {
        let [first, second] = [0, 1].map(|counter| counted_event(region, counter));
        numbers.push(notes.number(&format!("simulated: counts of {first} and {second}, not clocks")));
        for (counter, (_, event)) in events.into_iter().enumerate() {
            let why = region.unavailable[counter].map(not_available);
            numbers.extend(why.map(|why| notes.number(&format!("{} is {why}", event.name()))));
        }
    }
    for why in host
        .timing
        .as_ref()
        .err()
        .into_iter()
        .chain(host.core_clocks.as_ref().err())
    {
        let number = notes.number(&worlds.words(why));
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    numbers.extend(host.notes.iter().map(|note| notes.number(&wording::region_note(note))));
    if let Ok(timing) = &host.timing
        && timing.disturbed > 0
    {
        numbers.push(notes.number(interrupted));
    }
    numbers.sort_unstable();
    let refers: Vec<String> = numbers.iter().map(|number| format!("[{number}]")).collect();
    let figures = summary::figures(region.kind);
    (0..figures)
        .map(|index| {
            let warm = summary.warm.as_ref().filter(|_| region.unavailable[index].is_none());
            let measured = warm.and_then(|warm| warm.measured).map(|pair| pair[index]);
            let first = index == 0;
            let of_region = |text: String| if first { text } else { String::new() };
            let of_host = |text: &dyn Fn(&Timing) -> String| {
                of_region(host.timing.as_ref().map_or_else(|_| "-".to_owned(), text))
            };
            let shown = if narrow { NAME_SHOWN_NARROW } else { NAME_SHOWN };
            let name = of_region(printable::cut(&printable::printable(&region.name), shown));
            let core_clocks = host.core_clocks.as_ref();
            [
                vec![
                    name.clone(),
                    dash(measured.map(|spread| spread.median)),
                    dash(warm.map(|warm| warm.truth[index].median)),
                    of_host(&|timing| figure(timing.median)),
                    of_host(&mean),
                    of_region(core_clocks.map_or_else(|_| "-".to_owned(), |&clocks| figure(clocks))),
                    of_region(refers.join(" ")),
                ],
                vec![
                    name,
                    of_region(format!("{}-{}", region.start_line, region.end_line)),
                    of_region(region.pass_count.to_string()),
                    dash(measured.map(|spread| spread.min)),
                    of_host(&|timing| timing.kept.to_string()),
                    of_host(&|timing| figure(timing.min)),
                ],
            ]
        })
        .collect()
}

fn whole(worlds: &Worlds, summary: &Result<Summary, Missing>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    heading(style, "Whole program", out)?;
    let simulated = if worlds.simulated_completed() {
        format!("simulated: {} clocks in the last run", worlds.run.whole.totals.cycles)
    } else {
        format!("simulated: -, {NOT_SIMULATED}")
    };
    paragraph(style, &simulated, out)?;
    let words = match summary
        .as_ref()
        .map(|summary| (&summary.whole, &summary.whole_core_clocks))
    {
        Ok((Ok(timing), clocks)) => {
            let mut words = format!(
                "host: {} ticks (mean of {}; min {}, median {})",
                mean(timing),
                counted(timing.kept, "run"),
                figure(timing.min),
                figure(timing.median)
            );
            words += &match clocks {
                Ok(clocks) => format!(", about {} core clocks", figure(*clocks)),
                Err(why) => format!("; core clocks unknown: {}", worlds.words(why)),
            };
            if timing.disturbed > 0 {
                words += &format!("; interrupted runs excluded: {}", timing.disturbed);
            }
            words
        }
        Ok((Err(why), _)) | Err(why) => format!("host: -, {}", worlds.words(why)),
    };
    paragraph(style, &words, out)?;
    if worlds.image.log.is_some() {
        paragraph(
            style,
            "Both include their macros and calibration; `p5inst host cpi` excludes them.",
            out,
        )?;
    }
    Ok(())
}

/// Writes the disturbances of the host and the notes of both worlds.
pub(super) fn remarks(
    worlds: &Worlds,
    summary: &Result<Summary, Missing>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if let Ok(summary) = summary
        && !summary.disturbances.is_empty()
    {
        heading(style, "Disturbances", out)?;
        for disturbance in &summary.disturbances {
            paragraph(style, &wording::disturbance(disturbance), out)?;
        }
    }
    let native = worlds.native.map_or(&[][..], |native| &native.notes);
    let native: Vec<String> = native.iter().map(wording::note).collect();
    let simulated: Vec<String> = worlds.run.notes.iter().map(simulated_note).collect();
    if native.is_empty() && simulated.is_empty() {
        return Ok(());
    }
    heading(style, "Notes", out)?;
    for note in &native {
        let world = if simulated.contains(note) { "both" } else { "host" };
        paragraph(style, &format!("{world}: {note}"), out)?;
    }
    for note in simulated.iter().filter(|note| !native.contains(note)) {
        paragraph(style, &format!("simulated: {note}"), out)?;
    }
    Ok(())
}
