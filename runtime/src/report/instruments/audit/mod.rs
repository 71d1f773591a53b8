//! `p5inst audit` as text: what the measuring macros reported, what was true, and the difference by cause.

mod json;
mod schema;

pub use schema::audit_schema;

use super::super::header::{self, counted, lines};
use super::super::printable::{printable, signed};
use super::super::{Column, Detail, Format, Style, heading, json_text, paragraph, table};
use super::{LIMIT, ending, head};
use crate::image::RegionKind;
use crate::instruments::{Audit, Doubt, Incomparable, LARGE, PassAudit, RegionAudit, Subject, Uncopied};
use crate::run::Cause;
use std::io::{self, Write};

/// The most groups of equal passes that are shown, unless all are.
const GROUPS: usize = 6;

/// Writes the audit of a program's regions.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_audit(format: Format, audit: &Audit, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return json_text::write_json(&json::report(audit), out);
    }
    head(&audit.subject, style, out)?;
    ending(&audit.subject, style, out)?;
    if audit.regions.is_empty() {
        return lines(
            "no region is measured: put StartTSC and EndTSC around some code",
            style,
            out,
        );
    }
    for one in &audit.regions {
        region(one, &audit.subject, style, out)?;
    }
    Ok(())
}

/// A calibrated result with its sign, as [`signed`] has it, but perhaps with a fraction.
fn signed_part(number: f64) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    if rounded == 0.0 {
        "0".to_owned()
    } else {
        format!("{rounded:+}")
    }
}

/// Passes with the same figures, in their order.
struct Group<'a> {
    pass: &'a PassAudit,
    first: (u32, u64),
    last: (u32, u64),
    count: u64,
}

fn groups(passes: &[PassAudit]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group> = Vec::new();
    for pass in passes {
        let place = (pass.run + 1, pass.number + 1);
        match groups.last_mut().filter(|group| group.pass.same(pass)) {
            Some(group) => (group.last, group.count) = (place, group.count + 1),
            None => groups.push(Group {
                pass,
                first: place,
                last: place,
                count: 1,
            }),
        }
    }
    groups
}

impl Group<'_> {
    /// Which passes they are: runs, and unless each run has one `alone`, the number in the run.
    fn name(&self, alone: bool) -> String {
        let ((run, pass), (last_run, last)) = (self.first, self.last);
        match (alone, self.count) {
            (true, 1) => format!("run {run}"),
            (true, _) => format!("runs {run}-{last_run}"),
            (false, 1) => format!("run {run}, {pass}"),
            (false, _) if run == last_run => format!("run {run}, {pass}-{last}"),
            (false, _) => format!("run {run}, {pass} to {last_run}, {last}"),
        }
    }
}

fn region(region: &RegionAudit, subject: &Subject, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let place = format!("lines {}-{}", region.start_line, region.end_line);
    let name = match region.name == format!("line {}", region.start_line) {
        true => place,
        false => format!("{}, {place}", printable(&region.name)),
    };
    heading(style, &format!("Region {name}"), out)?;
    if region.passes.is_empty() {
        return paragraph(style, "no pass: it was not reached, or its end was not", out);
    }
    let all = groups(&region.passes);
    let most = if style.detail == Detail::All {
        usize::MAX
    } else {
        GROUPS
    };
    let skipped = all.len().saturating_sub(most);
    // The first ones and the last one, which is the warmest.
    let shown: Vec<&Group> = match skipped {
        0 => all.iter().collect(),
        _ => all[..most - 1].iter().chain(all.last()).collect(),
    };
    let alone = region.passes.iter().all(|pass| pass.number == 0);
    match region.kind {
        RegionKind::Tsc => clocks(&shown, alone, style, out)?,
        RegionKind::Profile => counts(region, &shown, alone, style, out)?,
    }
    if skipped > 0 {
        let words = format!(
            "{} in between, which `--all` shows",
            counted(skipped as u64, "other figure")
        );
        paragraph(style, &words, out)?;
    }
    let left_out = region.pass_count.saturating_sub(region.passes.len() as u64);
    if left_out > 0 {
        let words = format!("{left_out} of {} passes are not audited", region.pass_count);
        paragraph(style, &words, out)?;
    }
    if region.kind == RegionKind::Tsc {
        let mut reasons: Vec<Incomparable> = Vec::new();
        for why in region.passes.iter().filter_map(|pass| pass.without.err()) {
            if !reasons.contains(&why) {
                reasons.push(why);
            }
        }
        for why in reasons {
            let words = format!(
                "without macros: {}; the error is that against `true`",
                incomparable(why)
            );
            paragraph(style, &words, out)?;
        }
    }
    if region.kind == RegionKind::Tsc {
        causes(&all, alone, style, out)?;
        calibrations(region, subject, style, out)?;
    }
    for one in region.doubts() {
        paragraph(style, &format!("doubtful: {}", doubt(one).1), out)?;
    }
    Ok(())
}

/// The passes of a region whose clocks are measured.
fn clocks(groups: &[&Group], alone: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let number = |value: Option<i64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    let rows = groups.iter().map(|group| {
        let pass = group.pass;
        vec![
            group.name(alone),
            group.count.to_string(),
            number(pass.reported.map(|[clocks, _]| clocks)),
            pass.truth[0].to_string(),
            number(pass.without.ok()),
            pass.error().map_or_else(|| "-".to_owned(), |[error, _]| signed(error)),
        ]
    });
    let columns = [
        ("", Column::Name),
        ("passes", Column::Number),
        ("reported", Column::Number),
        ("true", Column::Number),
        ("without macros", Column::Number),
        ("error", Column::Number),
    ];
    table(style, &columns, &rows.collect::<Vec<_>>(), out)
}

/// The passes of a region whose events are counted.
fn counts(region: &RegionAudit, groups: &[&Group], alone: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if let Some([zero, one]) = region.events {
        let words = format!("counter 0: {}; counter 1: {}", zero.1.name(), one.1.name());
        paragraph(style, &words, out)?;
    }
    let mut rows = Vec::new();
    for group in groups {
        let pass = group.pass;
        for at in [0, 1] {
            let of = |both: Option<[i64; 2]>| both.map_or_else(|| "-".to_owned(), |both| both[at].to_string());
            rows.push(vec![
                if at == 0 { group.name(alone) } else { String::new() },
                at.to_string(),
                of(pass.reported),
                of(Some(pass.truth)),
                of(pass.counted.map(|counted| counted[0])),
                of(pass.counted.map(|counted| counted[1])),
                of(pass.subtracted),
                pass.error().map_or_else(|| "-".to_owned(), |error| signed(error[at])),
            ]);
        }
    }
    let columns = [
        ("", Column::Name),
        ("counter", Column::Number),
        ("reported", Column::Number),
        ("true", Column::Number),
        ("in front", Column::Number),
        ("behind", Column::Number),
        ("subtracted", Column::Number),
        ("error", Column::Number),
    ];
    table(style, &columns, &rows, out)
}

/// The error of the last passes by cause, and those of the first ones and of the worst of the others if they differ.
fn causes(groups: &[Group], alone: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let error = |group: &&Group| group.pass.error().map_or(0, |[error, _]| error.unsigned_abs());
    // Of equal ones the last.
    let worst = groups.iter().skip(1).max_by_key(error);
    let worst = worst.filter(|worst| groups.last().is_some_and(|last| error(worst) > error(&last)));
    let mut shown: Vec<&Group> = groups.first().into_iter().chain(worst).chain(groups.last()).collect();
    shown.sort_by_key(|group| group.first);
    shown.dedup_by_key(|group| group.first);
    for group in shown {
        let Some(edges) = group.pass.edges else { continue };
        let stacks = [Some(edges.error()), group.pass.changed, group.pass.causes()];
        let mut rows: Vec<Vec<String>> = Vec::new();
        for &cause in Cause::ALL {
            let parts = stacks.map(|stack| stack.map(|stack| stack.of(cause)));
            if parts.iter().flatten().any(|&clocks| clocks != 0) {
                let mut row = vec![cause.name().to_owned()];
                row.extend(parts.map(|part| part.map_or_else(|| "-".to_owned(), signed)));
                row.push(words(cause, edges.error().of(cause), edges.calibrated.is_some()).to_owned());
                rows.push(row);
            }
        }
        let uncalibrated = group.pass.uncalibrated();
        if uncalibrated != 0 {
            let error = signed(-uncalibrated);
            let all = if group.pass.changed.is_some() { &*error } else { "-" };
            let row = ["subtracted", &error, "", all, "the program's constant"];
            rows.push(row.map(str::to_owned).to_vec());
        }
        let name = group.name(alone);
        if rows.is_empty() {
            let words = match group.pass.changed {
                Some(_) => "no cause of an error",
                None => "no cause of an error at the edges; what the macros change in the region is not known",
            };
            paragraph(style, &format!("{name}: {words}"), out)?;
            continue;
        }
        writeln!(out)?;
        paragraph(style, &format!("error by cause, {name}"), out)?;
        let columns = [
            ("cause", Column::Name),
            ("edges", Column::Number),
            ("region", Column::Number),
            ("error", Column::Number),
            ("", Column::Name),
        ];
        table(style, &columns, &rows, out)?;
    }
    Ok(())
}

/// What a cause of an error is that has these clocks at the `edges`, in front of and behind the region. Unless the
/// macros have been `calibrated`, these are all of their clocks.
fn words(cause: Cause, edges: i64, calibrated: bool) -> &'static str {
    let less = edges < 0;
    match cause {
        Cause::Issue | Cause::Execution if edges != 0 && !calibrated => "the macros' own clocks",
        Cause::DataReadMiss
        | Cause::DataTlbMiss
        | Cause::WriteBufferFull
        | Cause::WriteOrder
        | Cause::CodeMiss
        | Cause::CodeTlbMiss
        | Cause::PrefetchQueue
            if less =>
        {
            "less than when calibrated"
        }
        Cause::DataReadMiss | Cause::WriteBufferFull | Cause::WriteOrder if edges > 0 => {
            "macros' data or stack evicted"
        }
        Cause::DataTlbMiss | Cause::CodeTlbMiss if edges > 0 => "macros' pages out of the TLB",
        Cause::CodeMiss if edges > 0 => "macros' code evicted",
        Cause::Issue => "pairs lost (+) or gained (-)",
        Cause::Prefix => "prefixes hidden or no longer",
        Cause::DataReadMiss => "lines the macros cache or evict",
        Cause::DataTlbMiss => "pages the macros look up or evict",
        Cause::WriteBufferFull | Cause::WriteOrder => "writes of the macros under way",
        Cause::CodeMiss => "code lines lie elsewhere",
        Cause::CodeTlbMiss => "code pages lie elsewhere",
        Cause::PrefetchQueue => "fetches wait for data or no longer",
        Cause::Agi => "an address waits or no longer",
        Cause::BankConflict => "other accesses pair",
        Cause::Misaligned => "another address or no longer",
        Cause::Misprediction => "predictions of the edge",
        Cause::Execution | Cause::FloatingPoint | Cause::Lockstep => "work under way at the edge",
        Cause::LockedBus | Cause::Io => "the bus is busy or no longer",
        Cause::Serialize => "writes to wait for, or no longer",
    }
}

/// Both calibrations, by the last pass.
fn calibrations(region: &RegionAudit, subject: &Subject, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some((last, [reported, _])) = region.last().and_then(|last| Some((last, last.reported?))) else {
        return Ok(());
    };
    let Some(known) = region.calibrations() else {
        return Ok(());
    };
    let subtracted = last.subtracted.map_or(0, |[subtracted, _]| subtracted);
    let mut rows = vec![vec![
        if last.uncalibrated() == 0 {
            "dry run"
        } else {
            "constant"
        }
        .to_owned(),
        reported.to_string(),
        signed(known.subtracted.1),
        format!("the macros subtract {}", counted(subtracted.unsigned_abs(), "clock")),
    ]];
    let why = match (&region.copies, known.copies) {
        (Ok(copies), Some((estimate, error))) => {
            let [one, two] = copies.reported;
            let estimate = (estimate * 100.0).round() / 100.0;
            rows.push(vec![
                "copies".to_owned(),
                estimate.to_string(),
                signed_part(error),
                format!("{} reported {one}, {} {two}", copies.number, 2 * copies.number),
            ]);
            None
        }
        (copies, _) => copies.as_ref().err().map(|why| uncopied(why, subject)),
    };
    writeln!(out)?;
    let columns = [
        ("calibration", Column::Name),
        ("result", Column::Number),
        ("error", Column::Number),
        ("", Column::Name),
    ];
    table(style, &columns, &rows, out)?;
    match why {
        Some(why) => paragraph(style, &format!("copies: {why}"), out),
        None => Ok(()),
    }
}

/// Why there are no figures without measuring macros.
fn incomparable(why: Incomparable) -> String {
    match why {
        Incomparable::NoSource => "not available: there is no source to leave them out of".to_owned(),
        Incomparable::Passes(passes) => {
            format!("not comparable: the number of passes is then {passes}")
        }
        Incomparable::NoSuchPass => "not comparable: a run has fewer passes then".to_owned(),
        Incomparable::Events => "not available: nothing is counted then".to_owned(),
    }
}

/// Why there is no calibration by copies.
fn uncopied(why: &Uncopied, subject: &Subject) -> String {
    match why {
        Uncopied::NoSource => {
            "not available: the region is not made of consecutive lines of the program's own source".to_owned()
        }
        Uncopied::Empty => "not available: there is no line between the macros".to_owned(),
        Uncopied::NotWanted => "not wanted: `--copies` is 0".to_owned(),
        Uncopied::Events => "not available for events".to_owned(),
        Uncopied::NotAssembled(message) => format!("not available, they do not assemble: {message}"),
        Uncopied::NotEnded(number) => {
            format!("not available: the program with {number} copies does not end by itself in time")
        }
        Uncopied::NeverEnds => {
            let ended = header::ended(&subject.stop, &subject.files, LIMIT);
            format!("not available: the program itself does not end by itself, it is {ended}")
        }
        Uncopied::Stopped(number, stop) => {
            let ended = header::ended(stop, &subject.files, LIMIT);
            format!("not available: the program with {number} copies is {ended}; it cannot do the same so often")
        }
        Uncopied::Unmeasured => "not available: the copies have no measured pass".to_owned(),
        Uncopied::TooMany(most) => format!("not available: only the first {most} regions are copied"),
        Uncopied::OutOfTime => "not available: the time limit, `--timeout`, was reached before".to_owned(),
    }
}

/// The kind of a doubt, and what it says.
fn doubt(doubt: Doubt) -> (&'static str, String) {
    let clocks = |number: i64| counted(number.unsigned_abs(), "clock");
    let more = |number: i64| if number > 0 { "more" } else { "fewer" };
    match doubt {
        Doubt::Unfinished(1) => (
            "unfinished",
            "the end macro did not finish in one pass, which has no result".to_owned(),
        ),
        Doubt::Unfinished(passes) => (
            "unfinished",
            format!("the end macro did not finish in {passes} passes, which have no result"),
        ),
        Doubt::OnlyPass => (
            "only-pass",
            "the only pass is the first one, with cold caches; `--runs` makes more".to_owned(),
        ),
        Doubt::First(number, None) => (
            "first-pass",
            format!(
                "the first pass reported {} {} than the last one: its caches and predictions were not those of the \
                 calibration",
                clocks(number),
                more(number)
            ),
        ),
        Doubt::First(number, Some(counter)) => (
            "first-pass",
            format!(
                "counter {counter} counted {} {} in the first pass than in the last one, which had warm caches and \
                 predictions",
                counted(number.unsigned_abs(), "event"),
                more(number)
            ),
        ),
        Doubt::NotCalibrated(number) => (
            "not-calibrated",
            format!(
                "no empty region was measured; the program subtracts {}, wherever it runs",
                clocks(number)
            ),
        ),
        Doubt::DataEvicted(number) => (
            "data-evicted",
            format!(
                "the macros wait {} for memory that they did not wait for when they were calibrated: the region evicts \
                 a line of their stack, variables or result, or leaves writes under way",
                clocks(number)
            ),
        ),
        Doubt::CodeEvicted(number) => (
            "code-evicted",
            format!(
                "the macros wait {} for their own code, which the region evicts",
                clocks(number)
            ),
        ),
        Doubt::Changed(inside, by) => {
            let parts = by
                .parts()
                .map(|(cause, clocks)| format!("{} {}", cause.name(), signed(clocks)));
            (
                "changed",
                format!(
                    "with macros around it, the region takes {} {} than without: {inside}, not {} ({})",
                    clocks(by.total()),
                    more(by.total()),
                    inside - by.total(),
                    parts.collect::<Vec<_>>().join(", ")
                ),
            )
        }
        Doubt::Large(error, right, counter) => {
            let of = match counter {
                None => "clocks".to_owned(),
                Some(counter) => format!("events on counter {counter}"),
            };
            let share = match right {
                0 => String::new(),
                _ => format!(", {:.0}%", error.abs() as f64 * 100.0 / right.abs() as f64),
            };
            (
                "large",
                format!(
                    "the error is {} where {right} {of} are right{share}; {LARGE}% of what is right is much",
                    signed(error)
                ),
            )
        }
        Doubt::Disagree(empty, copies) => (
            "disagree",
            format!(
                "the two calibrations differ: {empty} by what the macros subtract, {} by copies",
                (copies * 100.0).round() / 100.0
            ),
        ),
    }
}
