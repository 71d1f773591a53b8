//! `data`: what is accessed, rather than what accesses it.

use super::{Answer, Exactly, Unit, Value, begin, estimated, graded, known, percent, truth_missing, warn};
use p5_samples::{DataGrouping, DataPlace, DataRow, Recording, SampleKind};

/// Accesses by symbol, line or page.
pub fn data(recording: &Recording, by: DataGrouping, truth: bool) -> Answer<'_> {
    let mut answer = begin("data", recording);
    if !known(&mut answer, recording.lack_of_data(), "nothing is known of data") {
        return answer;
    }
    let rows = recording.data(by);
    let truth_known = recording.comparable(SampleKind::Op).is_some();
    let sum = |figure: &dyn Fn(&DataRow) -> u64| rows.iter().map(|(_, row)| figure(row)).sum::<u64>();
    let accesses = sum(&|row| row.accesses.total);
    let misses = sum(&|row| row.misses.total);
    let latency = sum(&|row| row.latency.total);
    let all_exact = sum(&|row| row.exact.as_ref().map_or(0, |exact| exact.accesses));
    answer.lead(format!(
        "{accesses} sampled accesses, {misses} of them missed the data cache"
    ));
    if by != DataGrouping::Symbol {
        answer.column("address", "address", Unit::Address);
    }
    answer.column("symbol", "data", Unit::Text);
    let scale = recording.scale(SampleKind::Op);
    // Beside an exact figure stands what the samples stand for.
    let stands = truth && truth_known && scale.is_some();
    answer.column("accesses", "samples", Unit::Count);
    answer.column("share_percent", "share", Unit::Percent);
    answer.column("misses", "misses", Unit::Count);
    answer.column("miss_percent", "missed", Unit::Percent);
    answer.column("latency_clocks", "", Unit::Clocks);
    answer.column("latency_share_percent", "of all\nlatency", Unit::Percent);
    answer.column("mean_latency_clocks", "mean\nlatency", Unit::Clocks);
    answer.column(
        "lines",
        if by == DataGrouping::Symbol { "lines" } else { "" },
        Unit::Count,
    );
    answer.column("used_percent", "bytes\nused", Unit::Percent);
    answer.column("estimate", if stands { "stands\nfor" } else { "" }, Unit::Count);
    if truth && truth_known {
        answer.column("exact", "exact", Unit::Count);
        answer.column("exact_share_percent", "exact\nshare", Unit::Percent);
        answer.column("error_sigmas", "sigmas", Unit::Sigmas);
        answer.column("exact_misses", "exact\nmisses", Unit::Count);
        answer.column("exact_used_percent", "exact\nused", Unit::Percent);
    }
    if truth && truth_known {
        let spare = [
            "samples",
            "missed",
            "of all\nlatency",
            "mean\nlatency",
            "exact\nmisses",
            "lines",
            "share",
        ];
        if !stands {
            answer.spare(&["sigmas"]);
        }
        answer.spare(&spare);
    } else {
        answer.spare(&["missed", "address"]);
    }
    let bytes = recording.machine.line_bytes;
    let share = |share: Option<f64>| share.map_or(Value::Missing, |share| Value::Percent(share * 100.0));
    for (place, row) in &rows {
        let (address, name) = match place {
            DataPlace::Symbol(name, _) => (None, name.clone()),
            DataPlace::At(address, name) => (Some(*address), name.clone().unwrap_or_default()),
            DataPlace::Unknown => (None, "(no symbol)".to_owned()),
        };
        if row.accesses.total == 0 && !truth {
            continue;
        }
        let mut cells = Vec::new();
        if by != DataGrouping::Symbol {
            cells.push(address.map_or(Value::Missing, |address| Value::Address(u64::from(address))));
        }
        cells.extend([
            Value::Text(name),
            Value::Integer(u128::from(row.accesses.total)),
            percent(row.accesses.total as f64, accesses as f64),
            Value::Integer(u128::from(row.misses.total)),
            percent(row.misses.total as f64, row.accesses.total as f64),
            Value::Integer(u128::from(row.latency.total)),
            percent(row.latency.total as f64, latency as f64),
            match row.latency.samples {
                0 => Value::Missing,
                samples => Value::Real(row.latency.total as f64 / samples as f64),
            },
            Value::Integer(row.lines() as u128),
            share(row.utilization(bytes)),
            estimated(&row.accesses, scale),
        ]);
        if truth && truth_known {
            let exact = row.exact.as_ref();
            let [count, sigmas] = graded(&row.accesses, scale, exact.map(|exact| exact.accesses));
            cells.extend([
                count,
                exact.map_or(Value::Missing, |exact| percent(exact.accesses as f64, all_exact as f64)),
                sigmas,
                exact.map_or(Value::Missing, |exact| Value::Integer(u128::from(exact.misses))),
                share(exact.and_then(|exact| exact.utilization(bytes))),
            ]);
        }
        answer.row(cells);
    }
    answer
        .note("bytes used are those that samples touched of the lines they touched: more samples find more".to_owned());
    truth_missing(&mut answer, recording, truth, Exactly::Data);
    warn(&mut answer, recording, &[SampleKind::Op]);
    answer
}
