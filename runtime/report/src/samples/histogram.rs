//! `hist`: the values of a field in eight buckets, with a bar for each, or by instruction, procedure or line.

use super::super::header::counted;
use super::{Answer, Exactly, Unit, Value, begin, graded, group, known, percent, truth_missing, warn_of_choice};
use p5_chips::ibs::{Field, FieldUnit};
use p5_samples::{Bucket, ENOUGH, Grouping, Histogram, Recording, SampleKind, Sum};

/// The longest bar, in characters.
const BAR: usize = 24;

/// The distribution of a field.
pub fn histogram<'a>(recording: &'a Recording, field: &Field, truth: bool) -> Answer<'a> {
    let mut answer = begin("hist", recording);
    answer.lead(format!("{}: {}", field.name, field.title));
    let (kind, registers) = recording.behind(field);
    let so = format!("{} is not known", field.name);
    if !known(&mut answer, recording.lack(kind, registers), &so) {
        return answer;
    }
    let found = recording.histogram(field, truth);
    summarize(&mut answer, field, &found);
    let latency = field.unit == FieldUnit::Clocks;
    let unit = unit(field);
    answer.column("from", "from", unit);
    answer.column("to", "to", unit);
    answer.column("samples", "samples", Unit::Count);
    answer.column("share_percent", "share", Unit::Percent);
    answer.column("cumulative_percent", "up to", Unit::Percent);
    answer.column(
        "total_share_percent",
        if latency { "of all\nclocks" } else { "" },
        Unit::Percent,
    );
    let asked = truth;
    let truth = truth && found.population.is_some();
    if truth {
        answer.column("exact", "exact", Unit::Count);
        answer.column("exact_share_percent", "exact\nshare", Unit::Percent);
        answer.column("error_sigmas", "sigmas", Unit::Sigmas);
    }
    answer.column("bar", if truth { "" } else { "plot" }, Unit::Text);
    let tallest = found.buckets.iter().map(|bucket| bucket.samples).max().unwrap_or(0);
    let scale = recording.scale(kind.unwrap_or(SampleKind::Op));
    let mut below = 0;
    for bucket in &found.buckets {
        below += bucket.samples;
        let samples = found.samples as f64;
        let mut row = vec![
            value(field, bucket.from),
            value(field, bucket.to),
            Value::Integer(u128::from(bucket.samples)),
            percent(bucket.samples as f64, samples),
            percent(below as f64, samples),
            percent(bucket.total as f64, found.total as f64),
        ];
        if truth {
            let sum = Sum {
                samples: bucket.samples,
                total: bucket.samples,
                squares: u128::from(bucket.samples),
            };
            let [exact, sigmas] = graded(&sum, scale, bucket.exact);
            let share = bucket.exact.zip(found.population);
            let share = share.map_or(Value::Missing, |(exact, all)| percent(exact as f64, all as f64));
            row.extend([exact, share, sigmas]);
        }
        let length = (bucket.samples as usize * BAR).div_ceil((tallest as usize).max(1));
        row.push(Value::Text("#".repeat(length)));
        answer.row(row);
    }
    if let Some(population) = found.population.filter(|_| truth) {
        answer.lead(format!("{population} in all, sampled or not"));
    }
    truth_missing(&mut answer, recording, asked, Exactly::Everything);
    warn_of_choice(&mut answer, recording, &[kind.unwrap_or(SampleKind::Op)]);
    if asked && recording.truth.is_some() && !latency {
        answer.note(format!(
            "exact figures of {} are not in this file: of fields only those of latencies are",
            field.name
        ));
    }
    few(&mut answer, found.samples);
    answer
}

/// The distribution of a field in each instruction, procedure or line.
pub fn histograms<'a>(recording: &'a Recording, field: &Field, by: Grouping, truth: bool) -> Answer<'a> {
    let mut answer = begin("hist", recording);
    answer.lead(format!("{}: {}", field.name, field.title));
    let (kind, registers) = recording.behind(field);
    let so = format!("{} is not known", field.name);
    if !known(&mut answer, recording.lack(kind, registers), &so) {
        return answer;
    }
    let whole = recording.histogram(field, false);
    summarize(&mut answer, field, &whole);
    let summed = !matches!(field.unit, FieldUnit::Address | FieldUnit::Code);
    answer.column(
        "address",
        if by == Grouping::Instruction { "address" } else { "" },
        Unit::Address,
    );
    answer.column("samples", "samples", Unit::Count);
    answer.column(
        "total_share_percent",
        match (summed, field.unit) {
            (false, _) => "",
            (true, FieldUnit::Clocks) => "of all\nclocks",
            (true, _) => "of the\nsum",
        },
        Unit::Percent,
    );
    answer.column("mean", if summed { "mean" } else { "" }, Unit::Clocks);
    answer.column("median", if summed { "median" } else { "" }, unit(field));
    for bucket in &whole.buckets {
        let Bucket { from, to, .. } = bucket;
        let (name, text) = match (field.unit, from == to) {
            (FieldUnit::Address, true) => (format!("{from:X}h"), format!("{from:X}h")),
            (FieldUnit::Address, false) => (format!("{from:X}h_to_{to:X}h"), format!("{from:X}h\nto {to:X}h")),
            (_, true) => (format!("{from}"), format!("{from}")),
            (_, false) => (format!("{from}_to_{to}"), format!("{from}\nto {to}")),
        };
        answer.column(&format!("samples_of_{name}"), "", Unit::Count);
        answer.column(&format!("share_of_{name}_percent"), &text, Unit::Percent);
    }
    answer.column("place", if by == Grouping::Line { "line" } else { "" }, Unit::Text);
    let (name, text) = match by {
        Grouping::Procedure => ("procedure", "where"),
        Grouping::Instruction => ("location", "where"),
        Grouping::Line => ("location", ""),
    };
    answer.column(name, text, Unit::Text);
    answer.spare(&["address", "median", "mean", "samples"]);
    let rows = recording.histograms(field, &whole, by);
    let few_samples = rows.iter().filter(|row| row.samples < ENOUGH).count();
    for row in rows {
        let samples = row.samples as f64;
        let mut cells = vec![
            row.address
                .map_or(Value::Missing, |address| Value::Address(u64::from(address))),
            Value::Integer(u128::from(row.samples)),
            percent(row.total as f64, whole.total as f64),
            Value::Real(row.total as f64 / samples),
            value(field, row.median),
        ];
        for inside in row.buckets {
            cells.push(Value::Integer(u128::from(inside)));
            cells.push(percent(inside as f64, samples));
        }
        let [place, name] = group(recording, row.address, by);
        cells.extend([place, name]);
        answer.row(cells);
    }
    let kinds = kind.map_or(SampleKind::ALL.to_vec(), |kind| vec![kind]);
    for &kind in kinds.iter().filter(|&&kind| recording.count(kind) > 0) {
        known(
            &mut answer,
            recording.lack_of_addresses(kind),
            "where they belong is not known",
        );
    }
    if whole.samples > 0 {
        answer.note("each column of a value or of a range of values has the share of the row's samples".to_owned());
    }
    if few_samples > 0 {
        answer.note(format!(
            "{} with fewer than {ENOUGH} samples, which is not enough to act on",
            counted(few_samples as u64, "row")
        ));
    }
    if truth {
        answer.note("exact distributions are of the whole run: without `--by`, they are shown".to_owned());
    }
    warn_of_choice(&mut answer, recording, &kinds);
    answer
}

/// The unit of a field's values in a column.
fn unit(field: &Field) -> Unit {
    match field.unit {
        FieldUnit::Clocks => Unit::Clocks,
        FieldUnit::Address => Unit::Address,
        _ => Unit::Count,
    }
}

/// A field's value in a cell.
fn value(field: &Field, value: u64) -> Value {
    match field.unit {
        FieldUnit::Address => Value::Address(value),
        _ => Value::Integer(u128::from(value)),
    }
}

/// The least and the largest value, and what is between them.
fn summarize(answer: &mut Answer<'_>, field: &Field, found: &Histogram) {
    let (Some((least, most)), Some(median)) = (found.range, found.median) else {
        return answer.lead("no sample has it".to_owned());
    };
    let mean = found.total as f64 / found.samples as f64;
    answer.lead(match field.unit {
        FieldUnit::Address => format!("{} samples, {least:X}h to {most:X}h", found.samples),
        _ => format!(
            "{} samples: least {least}, median {median}, mean {mean:.1}, most {most}",
            found.samples
        ),
    });
}

/// Says if there are too few samples.
fn few(answer: &mut Answer<'_>, samples: u64) {
    if samples > 0 && samples < ENOUGH {
        answer.note(format!("{samples} samples: under {ENOUGH} is not enough to act on"));
    }
}
