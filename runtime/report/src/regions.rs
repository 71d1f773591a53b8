//! The region table: the program's own measurements beside the true figures.

use super::phrases::{counted, lines_from};
use super::printable::signed;
use super::reasons::plain;
use super::summary::{self, RegionSummary, Spread, WarmSource};
use super::sure;
use super::{Column, Detail, HEADING, NARROW, Style, painted, paragraph, printable, table};
use p5_results::{Levels, RegionResult, Run};
use std::io::{self, Write};

/// The maximum width of a region's name in columns, here and in a narrow table.
const NAME_SHOWN: usize = 24;
const NAME_BRIEF: usize = 12;
const COLUMNS: &[(&str, Column)] = &[
    ("region", Column::Name),
    ("lines", Column::Number),
    ("passes", Column::Number),
    ("cold", Column::Number),
    ("min", Column::Number),
    ("median", Column::Number),
    ("max", Column::Number),
    ("over-\nhead", Column::Number),
    ("true", Column::Number),
    ("off\nby", Column::Number),
    ("counts", Column::Name),
];

pub(super) fn write(run: &Run, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if run.regions.is_empty() || style.detail == Detail::Short {
        return Ok(());
    }
    super::heading(style, "Regions", out)?;
    let mut rows = Vec::new();
    let mut footnotes = Vec::new();
    let mut selectors = Vec::new();
    let mut sources = Vec::new();
    for region in &run.regions {
        let summary = summary::region(run, region);
        for figure in 0..summary::figures(region.kind) {
            rows.push(row(region, &summary, figure, style.width < NARROW));
        }
        if style.width < NARROW {
            for (selector, event) in region.events.into_iter().flatten() {
                let words = format!("{selector:02X}h: {}", event.name());
                if !selectors.contains(&words) {
                    selectors.push(words);
                }
            }
        }
        footnotes.extend(missing(region, &summary));
        sources.extend(summary.warm.map(|warm| warm.source));
    }
    table(style, COLUMNS, &rows, out)?;
    let mut legend = "cold: measured in the first pass; min, median, max: measured in the warm passes".to_owned();
    if sources.contains(&WarmSource::LastRun) {
        legend += " of the last run";
    }
    if sources.contains(&WarmSource::AfterFirst) {
        legend += if sources.contains(&WarmSource::LastRun) {
            " or else all but the first"
        } else {
            ", all but the first"
        };
    }
    legend += "; overhead: what the macros subtracted; true: the median of the simulator's own counts of these; off \
               by: measured minus true";
    paragraph(style, &legend, out)?;
    paragraph(style, &selectors.join("; "), out)?;
    footnotes.iter().try_for_each(|note| paragraph(style, note, out))
}

/// The words for a region that no run has passed through.
fn without_pass(region: &RegionResult) -> &'static str {
    match region.unbegun > 0 && region.left == 0 {
        true => "no pass: its end macro was reached, but not its start macro",
        false => "no pass reached its end macro",
    }
}

/// What a measurement has beyond the clocks of the region, if it is what the first instruction waited before that.
fn before(region: &RegionResult, summary: &RegionSummary, measured: i64) -> String {
    let Some(first) = region.trace.issued.first().filter(|first| first.late > 0) else {
        return String::new();
    };
    let clocks = i64::try_from(summary.clocks().unwrap_or(0)).unwrap_or(i64::MAX);
    match first.waited.main() {
        Some(main) if summary::figures(region.kind) == 1 && measured == clocks.saturating_add(first.late.into()) => {
            format!(
                ", with {} before it: {}",
                counted(first.late.into(), "clock"),
                plain(main.cause)
            )
        }
        _ => String::new(),
    }
}

/// Writes a region in a line: its clocks or events, warm and cold, and the program's own measurement.
pub(super) fn heading(run: &Run, region: &RegionResult, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let summary = summary::region(run, region);
    let lines = lines_from((region.start_line, region.end_line));
    // A region without a name is named after its first line, which is one of its lines.
    let (name, mut words) = if region.name == format!("line {}", region.start_line) {
        (lines, ":".to_owned())
    } else {
        let name = printable::cut(&printable::printable(&region.name), NAME_SHOWN);
        (name, format!(", {lines}:"))
    };
    let shown = summary.shown();
    let head = |words: &str, out: &mut dyn Write| {
        // The first line of the text begins with the name.
        let mut lines = printable::folded(words, style.width.saturating_sub(name.chars().count())).into_iter();
        let first = lines.next().unwrap_or_default();
        writeln!(out, "{}{first}", painted(style, HEADING, &name))?;
        let rest = lines.collect::<Vec<_>>().join(" ");
        let lines = printable::folded(&rest, style.width.saturating_sub(2));
        lines.iter().try_for_each(|line| writeln!(out, "  {line}"))
    };
    let left = left(region).map_or_else(String::new, |left| format!("; {left}"));
    let Some(truth) = shown.truth else {
        return head(&(words + " " + without_pass(region) + &left), out);
    };
    let which = if summary.warm.is_some() {
        "warm"
    } else {
        "cold, its only pass"
    };
    let profile = summary::figures(region.kind) == 2;
    let cycles = summary.warm.as_ref().map(|warm| warm.cycles);
    let cold = summary.cold.map(|cold| cold.cycles);
    words += &format!(" {} {which}", counted(summary.clocks().unwrap_or(0), "clock"));
    if let Some(spread) = cycles.filter(|spread| spread.min != spread.max) {
        words += &format!(" ({} to {})", spread.min, spread.max);
    }
    if let (Some(_), Some(cold)) = (cycles, cold) {
        words += &format!(", {cold} cold");
    }
    let warm = summary.warm.as_ref();
    let warm = warm.map(|warm| warm.measured.map(|pair| pair.map(|spread| spread.median)));
    let measured = warm.unwrap_or(summary.cold.and_then(|cold| cold.measured));
    let said = |figure: usize| match measured {
        Some(measured) => format!(
            "; measured {}{}",
            measured[figure],
            before(region, &summary, measured[figure])
        ),
        None if !region.measures => "; not measured".to_owned(),
        None => "; the end macro left no result".to_owned(),
    };
    if !profile {
        words += &said(0);
    }
    words += &passes(run, region, &summary);
    if style.detail != Detail::Short {
        words += &format!("; {} of code", counted(summary::code_bytes(run, region), "byte"));
    }
    words += &left;
    let shown = summary::traced_cycles(region);
    if let Some((shown, _)) = shown
        .zip(summary.warm_clocks())
        .filter(|&(shown, median)| shown != median)
    {
        words += &format!("; in the pass shown {shown}");
    }
    head(&words, out)?;
    let index = run.regions.iter().position(|other| std::ptr::eq(other, region));
    if let Some(bar) = index.and_then(|index| sure::region(run, index)) {
        sure::write(&bar, style, out)?;
    }
    sure::write_cold(index.and_then(|index| sure::cold_region(run, index)), style, out)?;
    if !profile {
        return Ok(());
    }
    let wide = [0, 1].map(|figure| counted_event(region, figure).chars().count());
    let wide = wide[0].max(wide[1]);
    for figure in [0, 1] {
        if let Some(why) = region.unavailable[figure] {
            event_line(&counted_event(region, figure), wide, &not_available(why), style, out)?;
            continue;
        }
        let mut words = format!("{} {which}", truth[figure]);
        if let (Some(_), Some(cold)) = (cycles, summary.cold) {
            words += &format!(", {} cold", cold.truth[figure]);
        }
        words += &said(figure);
        if let Some(range) = index.and_then(|index| sure::count(run, index, figure)?.words()) {
            words += &format!("; {range}");
        }
        event_line(&counted_event(region, figure), wide, &words, style, out)?;
    }
    Ok(())
}

/// The minimum number of columns beside the name of an event.
const BESIDE_EVENT: usize = 32;

/// Writes an event in a column `wide` columns wide, and `words` beside it if there is room, otherwise below.
fn event_line(event: &str, wide: usize, words: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let fits = 4 + wide + words.chars().count() <= style.width;
    if !fits && 4 + wide + BESIDE_EVENT > style.width {
        writeln!(out, "  {event}")?;
        let lines = printable::folded(words, style.width.saturating_sub(4));
        return lines.iter().try_for_each(|line| writeln!(out, "    {line}"));
    }
    let lines = printable::folded(words, style.width.saturating_sub(wide + 4));
    let indent = " ".repeat(wide + 4);
    writeln!(out, "  {event:<wide$}  {}", lines.join(&format!("\n{indent}")))
}

/// How often the last run began the region again before it had ended, if it did.
fn left(region: &RegionResult) -> Option<String> {
    let times = counted(region.left, "time");
    (region.left > 0).then(|| match region.unbegun {
        0 => format!("left {times} without its end macro"),
        // Each start has an end, but other starts are in between.
        _ => format!("begun again {times} before it ended"),
    })
}

/// The number of a run's passes through a region, in words, if there are several.
fn passes(run: &Run, region: &RegionResult, summary: &RegionSummary) -> String {
    let runs = run.runs.len();
    if region.pass_count <= runs as u64 {
        return String::new();
    }
    let each = summary::passes_by_run(run, region);
    match each.first() {
        Some(&first) if first * runs as u64 == region.pass_count && each.iter().all(|&passes| passes == first) => {
            format!("; {first} passes a run")
        }
        _ => {
            let warm = summary.warm.as_ref().map(|warm| warm.passes);
            let warm = warm.filter(|_| region.pass_count > region.passes.len() as u64);
            let warm = warm.map_or_else(String::new, |passes| format!(", the warm figure is of {passes}"));
            let runs = counted(runs as u64, "run");
            format!("; {} passes in {runs}{warm}", region.pass_count)
        }
    }
}

/// The words for a counter whose event is never raised.
pub(super) fn not_available(why: &str) -> String {
    format!("not available: {why}; what the program read means nothing")
}

/// The name of the event that a profile region's counter counts, with its qualification.
pub(super) fn counted_event(region: &RegionResult, figure: usize) -> String {
    let clocks = if region.in_clocks[figure] { " in clocks" } else { "" };
    let levels = match region.levels[figure] {
        Levels::All => "",
        Levels::System => " at CPL 0 to 2",
        Levels::User => " at CPL 3",
        Levels::None => " at no CPL",
    };
    match region.events {
        Some(events) => format!("{}{clocks}{levels}", events[figure].1.name()),
        None => format!("counter {figure}{clocks}{levels}"),
    }
}

fn row(region: &RegionResult, summary: &RegionSummary, figure: usize, brief: bool) -> Vec<String> {
    let (name, lines, passes) = if figure == 0 {
        (
            printable::cut(
                &printable::printable(&region.name),
                if brief { NAME_BRIEF } else { NAME_SHOWN },
            ),
            format!("{}-{}", region.start_line, region.end_line),
            region.pass_count.to_string(),
        )
    } else {
        Default::default()
    };
    // A footnote gives the reason.
    let available = region.unavailable[figure].is_none();
    let of = |pair: Option<[i64; 2]>| pair.filter(|_| available).map(|pair| pair[figure]);
    let warm = summary.warm.as_ref().filter(|_| available);
    let measured = warm.and_then(|warm| warm.measured).map(|pair| pair[figure]);
    // A footnote says so if these figures are those of the cold pass.
    let shown = summary.shown();
    let number = |of: fn(Spread) -> i64| dash(measured.map(of));
    vec![
        name,
        lines,
        passes,
        dash(of(summary.cold.and_then(|pass| pass.measured))),
        number(|spread| spread.min),
        number(|spread| spread.median),
        number(|spread| spread.max),
        dash(of(shown.overhead)),
        dash(of(shown.truth)),
        of(shown.difference).map_or_else(|| "-".to_owned(), signed),
        counts(region, figure, brief),
    ]
}

fn dash(value: Option<i64>) -> String {
    value.map_or_else(|| "-".to_owned(), |value| value.to_string())
}

fn counts(region: &RegionResult, figure: usize, brief: bool) -> String {
    if summary::figures(region.kind) == 1 {
        return "clocks".to_owned();
    }
    let levels = match region.levels[figure] {
        Levels::All => "",
        Levels::System => ", CPL 0-2",
        Levels::User => ", CPL 3",
        Levels::None => ", no CPL",
    };
    match region.events {
        Some(events) => {
            let (selector, event) = events[figure];
            let name = if brief {
                String::new()
            } else {
                format!(" {}", event.name())
            };
            let clocks = if region.in_clocks[figure] { ", clocks" } else { "" };
            format!("{selector:02X}h{name}{clocks}{levels}")
        }
        None => format!("counter {figure}{levels}"),
    }
}

/// The footnotes that explain each `-` in the region's rows, and the omissions of these rows.
pub(super) fn missing(region: &RegionResult, summary: &RegionSummary) -> Vec<String> {
    let name = printable::printable(&region.name);
    let kept = region.passes.len() as u64;
    let mut notes = Vec::new();
    notes.extend(left(region).map(|left| format!("{name}: {left}, which is no pass")));
    if kept == 0 {
        notes.insert(0, format!("- {name}: {}", without_pass(region)));
        return notes;
    }
    for (figure, why) in region.unavailable.iter().enumerate() {
        notes.extend(why.map(|why| format!("- {name}: {} is {}", counted_event(region, figure), not_available(why))));
    }
    if summary.unmeasured > 0 && region.measures {
        notes.push(format!(
            "- {name}: the end macro left no result in {} of {kept} passes",
            summary.unmeasured
        ));
    }
    if summary.unread > summary.unmeasured {
        notes.push(format!(
            "- {name}: the macros read no counter in {} of {kept} passes, so their overhead is unknown",
            summary.unread
        ));
    }
    if summary.warm.is_none() {
        notes.push(format!(
            "- {name}: only one pass, so there is no warm figure; overhead, true and off by are those of the cold pass"
        ));
    }
    if summary::figures(region.kind) == 2 && region.events.is_none() {
        notes.push(format!(
            "{name}: line {} selects what counters 0 and 1 count",
            region.start_line
        ));
    }
    if region.pass_count > kept {
        let warm = summary.warm.as_ref().map_or(0, |warm| warm.passes);
        notes.push(format!(
            "{name}: {kept} of {} passes were kept, at equal distances in each run; the warm figures are of {warm}",
            region.pass_count
        ));
    }
    if region.trace.full {
        notes.push(format!(
            "{name}: the clock column covers the first {} instructions of a pass",
            region.trace.issued.len()
        ));
    }
    notes
}
