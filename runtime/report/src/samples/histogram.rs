//! `hist`: the values of a field in eight buckets, with a bar for each, or by instruction, procedure or line.

use super::super::phrases::counted;
use super::{Answer, Columns, Exactly, Shown, Unit, Value};
use super::{begin, graded, known, percent, place_columns, truth_missing, warn_of_choice};
use p5_chips::ibs::{Field, FieldUnit};
use p5_record::{Grouping, SampleKind};
use p5_samples::{Analysis, Bucket, ENOUGH, Histogram, HistogramRow, Sum};

/// The longest bar, in characters.
const BAR: usize = 24;

/// The beginning of an answer about a field, and whether the field is known.
fn begun<'a>(recording: &'a Analysis, field: &Field, shown: Shown) -> (Answer<'a>, bool) {
    let mut answer = begin("hist", recording, shown.rows);
    answer.lead(format!("{}: {}", field.name, field.title));
    let (kind, registers) = recording.behind(field);
    let so = format!("{} is not known", field.name);
    let is_known = known(&mut answer, recording.lack(kind, registers), &so);
    (answer, is_known)
}

/// The distribution of a field.
pub fn histogram<'a>(recording: &'a Analysis, field: &Field, shown: Shown) -> Answer<'a> {
    let truth = shown.truth;
    let (mut answer, is_known) = begun(recording, field, shown);
    if !is_known {
        return answer;
    }
    let (kind, _) = recording.behind(field);
    let found = recording.histogram(field, truth);
    summarize(&mut answer, field, &found);
    let latency = field.unit == FieldUnit::Clocks;
    let unit = unit(field);
    let asked = truth;
    let truth = truth && found.population.is_some();
    let (all, samples) = (found.total as f64, found.samples as f64);
    let mut below = 0;
    let rows = found.buckets.iter().map(|bucket| {
        below += bucket.samples;
        (bucket, below)
    });
    let mut columns = Columns::default();
    columns.add("from", "from", unit, |(bucket, _): &(&Bucket, u64)| {
        value(field, bucket.from)
    });
    columns.add("to", "to", unit, |(bucket, _)| value(field, bucket.to));
    columns.add("samples", "samples", Unit::Count, |(bucket, _)| {
        Value::count(bucket.samples)
    });
    columns.add("share_percent", "share", Unit::Percent, |(bucket, _)| {
        percent(bucket.samples as f64, samples)
    });
    columns.add("cumulative_percent", "up to", Unit::Percent, |(_, below)| {
        percent(*below as f64, samples)
    });
    let of_all = if latency { "of all\nclocks" } else { "" };
    columns.add("total_share_percent", of_all, Unit::Percent, |(bucket, _)| {
        percent(bucket.total as f64, all)
    });
    if truth {
        let scale = recording.scale(kind.unwrap_or(SampleKind::Op));
        let exact = move |bucket: &Bucket| {
            let sum = Sum {
                samples: bucket.samples,
                total: bucket.samples,
                squares: u128::from(bucket.samples),
            };
            graded(&sum, scale, bucket.exact)
        };
        columns.add("exact", "exact", Unit::Count, move |(bucket, _)| {
            let [exact, _] = exact(bucket);
            exact
        });
        columns.add("exact_share_percent", "exact\nshare", Unit::Percent, |(bucket, _)| {
            let share = bucket.exact.zip(found.population);
            share.map_or(Value::Missing, |(exact, all)| percent(exact as f64, all as f64))
        });
        columns.add("error_sigmas", "sigmas", Unit::Sigmas, move |(bucket, _)| {
            let [_, sigmas] = exact(bucket);
            sigmas
        });
    }
    let tallest = found.buckets.iter().map(|bucket| bucket.samples).max().unwrap_or(0);
    columns.add("bar", if truth { "" } else { "plot" }, Unit::Text, |(bucket, _)| {
        let length = (bucket.samples as usize * BAR).div_ceil((tallest as usize).max(1));
        Value::Text("#".repeat(length))
    });
    answer.table(columns, rows);
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
pub fn histograms<'a>(recording: &'a Analysis, field: &Field, by: Grouping, shown: Shown) -> Answer<'a> {
    let truth = shown.truth;
    let (mut answer, is_known) = begun(recording, field, shown);
    if !is_known {
        return answer;
    }
    let (kind, _) = recording.behind(field);
    let whole = recording.histogram(field, false);
    summarize(&mut answer, field, &whole);
    let summed = !matches!(field.unit, FieldUnit::Address | FieldUnit::Code);
    let rows = recording.histograms(field, &whole, by);
    // Rows that are left out are no business of the reader.
    let few_samples = rows.iter().take(shown.rows).filter(|row| row.samples < ENOUGH).count();
    let mut columns = Columns::default();
    let address = if by == Grouping::Instruction { "address" } else { "" };
    columns.add("address", address, Unit::Address, |row: &HistogramRow| {
        Value::address(row.group.address())
    });
    columns.add("samples", "samples", Unit::Count, |row| Value::count(row.samples));
    let of_all = match (summed, field.unit) {
        (false, _) => "",
        (true, FieldUnit::Clocks) => "of all\nclocks",
        (true, _) => "of the\nsum",
    };
    columns.add("total_share_percent", of_all, Unit::Percent, |row| {
        percent(row.total as f64, whole.total as f64)
    });
    columns.add("mean", if summed { "mean" } else { "" }, Unit::Clocks, |row| {
        Value::Real(row.total as f64 / row.samples as f64)
    });
    let median = if summed { "median" } else { "" };
    columns.add("median", median, unit(field), |row| value(field, row.median));
    for (index, bucket) in whole.buckets.iter().enumerate() {
        let Bucket { from, to, .. } = bucket;
        let (name, text) = match (field.unit, from == to) {
            (FieldUnit::Address, true) => (format!("{from:X}h"), format!("{from:X}h")),
            (FieldUnit::Address, false) => (format!("{from:X}h_to_{to:X}h"), format!("{from:X}h\nto {to:X}h")),
            (_, true) => (format!("{from}"), format!("{from}")),
            (_, false) => (format!("{from}_to_{to}"), format!("{from}\nto {to}")),
        };
        columns.add(format!("samples_of_{name}"), "", Unit::Count, move |row| {
            Value::count(row.buckets[index])
        });
        columns.add(format!("share_of_{name}_percent"), text, Unit::Percent, move |row| {
            percent(row.buckets[index] as f64, row.samples as f64)
        });
    }
    place_columns(&mut columns, recording, by, |row| row.group);
    answer.spare(&["address", "median", "mean", "samples"]);
    answer.table(columns, rows);
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

fn unit(field: &Field) -> Unit {
    match field.unit {
        FieldUnit::Clocks => Unit::Clocks,
        FieldUnit::Address => Unit::Address,
        _ => Unit::Count,
    }
}

fn value(field: &Field, value: u64) -> Value {
    match field.unit {
        FieldUnit::Address => Value::Address(value),
        _ => Value::Integer(u128::from(value)),
    }
}

/// Adds the number of samples with the range, the median and the mean of their values.
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

fn few(answer: &mut Answer<'_>, samples: u64) {
    if samples > 0 && samples < ENOUGH {
        let samples = counted(samples, "sample");
        answer.note(format!("{samples}: under {ENOUGH} is not enough to act on"));
    }
}
