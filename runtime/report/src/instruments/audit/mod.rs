//! `p5inst audit` as text: the results of the measuring macros, the true figures, and the difference by cause.

pub(crate) mod json;
mod wording;

use super::super::phrases::{counted, lines, lines_from};
use super::super::printable::{printable, signed};
use super::super::{Column, Detail, Format, Style, heading, json_text, paragraph, table};
use super::{ending, head};
use p5_image::RegionKind;
use p5_machine::instruments::{Audit, Calibration, Doubt, Incomparable, PassAudit, RegionAudit, Subject};
use p5_results::Cause;
use std::io::{self, Write};
use wording::{doubt, first_pass, incomparable, uncopied, words};

/// The maximum number of groups of equal passes, unless all are shown.
const GROUPS: usize = 6;

/// Writes the audit of a program's regions.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_audit(format: Format, audit: &Audit, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if format == Format::Json {
        return json_text::write_json(&json::AuditReport::of(audit), out);
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

/// A calibrated result in the form of [`signed`], but possibly with a fraction.
fn signed_part(number: f64) -> String {
    let rounded = (number * 100.0).round() / 100.0;
    if rounded == 0.0 {
        "0".to_owned()
    } else {
        format!("{rounded:+}")
    }
}

/// Successive passes with the same figures.
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
    /// The name of the passes: their runs and, unless each run has one pass (`alone`), the number in the run.
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
    let place = lines_from((region.start_line, region.end_line));
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
    // The first ones are shown, and the last one, which is the warmest.
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
    let wrong = |pass: &PassAudit| pass.error().is_some_and(|error| error != [0, 0]);
    if region.kind == RegionKind::Profile && region.passes.iter().any(wrong) {
        paragraph(
            style,
            "errors of counts are not split by cause: causes are of clocks",
            out,
        )?;
    }
    let doubts = region.doubts();
    for (more, counter) in region.first_passes() {
        if !doubts.contains(&Doubt::First(more, counter)) {
            let words = format!("{}, rightly: it was cold", first_pass(more, counter));
            paragraph(style, &words, out)?;
        }
    }
    for one in doubts {
        paragraph(style, &format!("doubtful: {}", doubt(one).1), out)?;
    }
    Ok(())
}

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
        ("before", Column::Number),
        ("after", Column::Number),
        ("subtracted", Column::Number),
        ("error", Column::Number),
    ];
    table(style, &columns, &rows, out)
}

/// Writes the error of the last passes by cause, and the errors of the first and of the worst other passes if they
/// differ.
fn causes(groups: &[Group], alone: bool, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let error = |group: &&Group| group.pass.error().map_or(0, |[error, _]| error.unsigned_abs());
    // Among equal groups, the last one is taken.
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
                let at_edges = edges.error().of(cause);
                let inside = group.pass.changed.map_or(0, |stack| stack.of(cause));
                let more = if inside == 0 { at_edges } else { inside };
                row.push(words(cause, at_edges, more, edges.calibrated.is_some()));
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
            ("", Column::Text),
        ];
        table(style, &columns, &rows, out)?;
    }
    Ok(())
}

fn calibrations(region: &RegionAudit, subject: &Subject, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some((last, [reported, _])) = region.last().and_then(|last| Some((last, last.reported?))) else {
        return Ok(());
    };
    let Some(known) = region.calibrations() else {
        return Ok(());
    };
    let subtracted = last.subtracted.map_or(0, |[subtracted, _]| subtracted);
    let how = match last.calibration() {
        Some(Calibration::DryRun) => "dry run",
        Some(Calibration::Constant(_)) => "constant",
        Some(Calibration::Nothing) => "none",
        None => "not known",
    };
    let mut rows = vec![vec![
        how.to_owned(),
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
