//! `hist`: the values of a field in eight buckets, with a bar for each.

use super::{Answer, Exactly, Unit, Value, begin, graded, known, percent, truth_missing, warn_of_choice};
use crate::model::ibs::{Field, FieldUnit};
use crate::samples::{ENOUGH, Recording, SampleKind, Sum, behind};

/// The longest bar, in characters.
const BAR: usize = 24;

/// The distribution of a field.
pub fn histogram<'a>(recording: &'a Recording, field: &Field, truth: bool) -> Answer<'a> {
    let mut answer = begin("hist", recording);
    answer.lead(format!("{}: {}", field.name, field.title));
    let (kind, registers) = behind(field);
    let so = format!("{} is not known", field.name);
    if !known(&mut answer, recording.lack(kind, registers), &so) {
        return answer;
    }
    let found = recording.histogram(field);
    let latency = field.unit == FieldUnit::Clocks;
    if let (Some((least, most)), Some(median)) = (found.range, found.median) {
        let mean = found.total as f64 / found.samples as f64;
        let words = match field.unit {
            FieldUnit::Address => format!("{} samples, {least:X}h to {most:X}h", found.samples),
            _ => format!(
                "{} samples: least {least}, median {median}, mean {mean:.1}, most {most}",
                found.samples
            ),
        };
        answer.lead(words);
    } else {
        answer.lead("no sample has it".to_owned());
    }
    let unit = match field.unit {
        FieldUnit::Clocks => Unit::Clocks,
        FieldUnit::Address => Unit::Address,
        _ => Unit::Count,
    };
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
    let value = |value: u64| match field.unit {
        FieldUnit::Address => Value::Address(value),
        _ => Value::Integer(u128::from(value)),
    };
    let tallest = found.buckets.iter().map(|bucket| bucket.samples).max().unwrap_or(0);
    let scale = recording.scale(kind.unwrap_or(SampleKind::Op));
    let mut below = 0;
    for bucket in &found.buckets {
        below += bucket.samples;
        let samples = found.samples as f64;
        let mut row = vec![
            value(bucket.from),
            value(bucket.to),
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
    if found.samples > 0 && found.samples < ENOUGH {
        answer.note(format!(
            "{} samples: under {ENOUGH} is not enough to act on",
            found.samples
        ));
    }
    answer
}
