//! `data`: accesses by the accessed data rather than by instruction.

use super::super::phrases::counted;
use super::{
    Answer, Columns, Exactly, Shown, Unit, Value, begin, estimated, graded, known, percent, truth_missing, warn,
};
use p5_record::SampleKind;
use p5_samples::{Analysis, DataGrouping, DataPlace, DataRow};

/// The name of memory without symbols.
fn area(place: DataPlace) -> &'static str {
    match place {
        DataPlace::Stack => "(stack)",
        DataPlace::Heap => "(heap)",
        DataPlace::Symbol(..) | DataPlace::At(..) | DataPlace::Nameless(_) => "",
    }
}

/// Accesses by symbol, line or page.
pub fn data(recording: &Analysis, by: DataGrouping, shown: Shown) -> Answer<'_> {
    let truth = shown.truth;
    let mut answer = begin("data", recording, shown.rows);
    if !known(&mut answer, recording.lack_of_data(), "nothing is known of data") {
        return answer;
    }
    let rows = recording.data(by);
    let truth_known = recording.comparable(SampleKind::Op).is_some();
    let sum = |figure: &dyn Fn(&DataRow) -> u64| rows.iter().map(|(_, row)| figure(row)).sum::<u64>();
    let accesses = sum(&|row| row.accesses.total);
    let misses = sum(&|row| row.misses.total);
    let latency = sum(&|row| row.latency.total);
    let timed = sum(&|row| row.latency.samples);
    let all_exact = sum(&|row| row.exact.as_ref().map_or(0, |exact| exact.accesses));
    answer.lead(format!(
        "{accesses} sampled accesses, {misses} of them missed the data cache"
    ));
    let scale = recording.scale(SampleKind::Op);
    let bytes = recording.machine.line_bytes;
    let share = |share: Option<f64>| share.map_or(Value::Missing, |share| Value::Percent(share * 100.0));
    let mut columns = Columns::default();
    if by != DataGrouping::Symbol {
        columns.add(
            "address",
            "address",
            Unit::Address,
            |(place, _): &(DataPlace, DataRow)| match place {
                DataPlace::At(address, _) => Value::Address(u64::from(*address)),
                _ => Value::Missing,
            },
        );
    }
    columns.add("symbol", "data", Unit::Text, |(place, _)| {
        Value::Text(match place {
            DataPlace::Symbol(name, _) => name.clone(),
            DataPlace::At(_, Some(name)) => name.clone(),
            DataPlace::At(address, None) => recording.area(*address).map_or("", area).to_owned(),
            DataPlace::Nameless(page) => format!("(no symbol) {page:08X}h"),
            DataPlace::Stack => area(DataPlace::Stack).to_owned(),
            DataPlace::Heap => area(DataPlace::Heap).to_owned(),
        })
    });
    // The estimate stands beside an exact figure.
    let stands = truth && truth_known && scale.is_some();
    columns.add("accesses", "samples", Unit::Count, |(_, row)| {
        Value::count(row.accesses.total)
    });
    columns.add("share_percent", "share", Unit::Percent, |(_, row)| {
        percent(row.accesses.total as f64, accesses as f64)
    });
    columns.add("misses", "misses", Unit::Count, |(_, row)| {
        Value::count(row.misses.total)
    });
    columns.add("miss_percent", "missed", Unit::Percent, |(_, row)| {
        percent(row.misses.total as f64, row.accesses.total as f64)
    });
    columns.add("latency_clocks", "", Unit::Clocks, |(_, row)| {
        Value::count(row.latency.total)
    });
    columns.add("latency_share_percent", "of all\nlatency", Unit::Percent, |(_, row)| {
        percent(row.latency.total as f64, latency as f64)
    });
    columns.add(
        "mean_latency_clocks",
        "mean\nlatency",
        Unit::Clocks,
        |(_, row)| match row.latency.samples {
            0 => Value::Missing,
            samples => Value::Real(row.latency.total as f64 / samples as f64),
        },
    );
    let lines = if by == DataGrouping::Symbol { "lines" } else { "" };
    columns.add("lines", lines, Unit::Count, |(_, row)| {
        Value::Integer(row.lines() as u128)
    });
    columns.add("used_percent", "bytes\nused", Unit::Percent, |(_, row)| {
        share(row.utilization(bytes))
    });
    columns.add(
        "estimate",
        if stands { "stands\nfor" } else { "" },
        Unit::Count,
        |(_, row)| estimated(&row.accesses, scale),
    );
    if truth && truth_known {
        let exact = |row: &DataRow| graded(&row.accesses, scale, row.exact.as_ref().map(|exact| exact.accesses));
        columns.add("exact", "exact", Unit::Count, move |(_, row)| {
            let [count, _] = exact(row);
            count
        });
        columns.add("exact_share_percent", "exact\nshare", Unit::Percent, |(_, row)| {
            let exact = row.exact.as_ref();
            exact.map_or(Value::Missing, |exact| percent(exact.accesses as f64, all_exact as f64))
        });
        columns.add("error_sigmas", "sigmas", Unit::Sigmas, move |(_, row)| {
            let [_, sigmas] = exact(row);
            sigmas
        });
        columns.add("exact_misses", "exact\nmisses", Unit::Count, |(_, row)| {
            row.exact
                .as_ref()
                .map_or(Value::Missing, |exact| Value::count(exact.misses))
        });
        columns.add("exact_used_percent", "exact\nused", Unit::Percent, |(_, row)| {
            share(row.exact.as_ref().and_then(|exact| exact.utilization(bytes)))
        });
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
        // Where no symbol is, the address alone tells what is meant.
        let is_named = |place: &DataPlace| matches!(place, DataPlace::At(_, Some(_)));
        match rows.iter().all(|(place, _)| is_named(place)) {
            true => answer.spare(&["missed", "address"]),
            false => answer.spare(&["missed", "of all\nlatency", "bytes\nused"]),
        }
    }
    let shown: Vec<(DataPlace, DataRow)> = rows
        .into_iter()
        .filter(|(_, row)| row.accesses.total > 0 || truth)
        .collect();
    let areas = [(DataPlace::Stack, recording.stack), (DataPlace::Heap, recording.heap)];
    let told = |place: &DataPlace| shown.iter().any(|(other, _)| other == place);
    let reaches: Vec<String> = areas
        .into_iter()
        .filter(|(place, _)| told(place))
        .filter_map(|(place, reach)| Some((area(place), reach?)))
        .map(|(name, (first, last))| format!("{name}: {first:08X}h to {last:08X}h"))
        .collect();
    answer.table(columns, shown);
    if !reaches.is_empty() {
        answer.note(format!("{}, where no symbol is", reaches.join("; ")));
    }
    answer
        .note("bytes used are those that samples touched of the lines they touched: more samples find more".to_owned());
    if timed < misses {
        answer.note(format!(
            "latency is that of the {} that missed: samples of stores do not say how long a miss takes",
            counted(timed, "load")
        ));
    }
    truth_missing(&mut answer, recording, truth, Exactly::Data);
    warn(&mut answer, recording, &[SampleKind::Op]);
    answer
}
