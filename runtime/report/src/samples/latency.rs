//! `ear`: loads of at least some latency, each with its instruction and its data.

use super::super::phrases::counted;
use super::{Answer, Columns, Exactly, Shown, Unit, Value, begin, graded, known, labelled, truth_missing, warn};
use p5_chips::ibs::{IBS_DC_LIN_AD, IBS_OP_DATA2, IBS_OP_DATA3};
use p5_record::SampleKind;
use p5_samples::{Analysis, SlowLoad};

/// Where data came from, as the field of that name numbers it.
fn source(code: u64) -> String {
    match code {
        0 => "-".to_owned(),
        1 => "near cache".to_owned(),
        2 => "other core".to_owned(),
        3 => "memory".to_owned(),
        7 => "device".to_owned(),
        other => format!("source {other}"),
    }
}

/// The sampled loads that waited at least `least` clocks, the slowest first.
pub fn slow_loads(recording: &Analysis, least: u64, shown: Shown) -> Answer<'_> {
    let truth = shown.truth;
    let mut answer = begin("ear", recording, shown.rows);
    let ops = Some(SampleKind::Op);
    if !known(
        &mut answer,
        recording.lack(ops, [IBS_OP_DATA3]),
        "no load that waited is known",
    ) {
        return answer;
    }
    for (lack, so) in [
        (recording.lack(ops, [IBS_OP_DATA2]), "where data came from is not known"),
        (recording.lack(ops, [IBS_DC_LIN_AD]), "what was loaded is not known"),
        (
            recording.lack_of_addresses(SampleKind::Op),
            "what loaded it is not known",
        ),
    ] {
        known(&mut answer, lack, so);
    }
    let found = recording.slow_loads(least);
    let scale = recording.scale(SampleKind::Op);
    let error = recording.error(SampleKind::Op, &found.sum);
    let stands = match scale.zip(error) {
        Some(_) if recording.is_census(SampleKind::Op) => ", of all ops".to_owned(),
        Some((scale, error)) => format!(
            ", which stand for {:.0} (give or take {error:.0})",
            found.sum.estimate(scale)
        ),
        None => String::new(),
    };
    answer.lead(format!(
        "{} waited {} or more{stands}",
        counted(found.sum.total, "sampled load"),
        counted(least, "clock")
    ));
    if let Some(exact) = found.exact.filter(|_| truth) {
        let [_, sigmas] = graded(&found.sum, scale, Some(exact));
        let off = match sigmas {
            Value::Real(sigmas) => format!(": the estimate is {sigmas:+.2} standard errors off"),
            _ => String::new(),
        };
        answer.lead(format!("exactly {exact} did{off}"));
    }
    let place = |load: &SlowLoad| load.instruction.and_then(|address| recording.place(address));
    let mut columns = Columns::default();
    columns.add("number", "sample", Unit::Count, |load: &&SlowLoad| {
        Value::count(load.number)
    });
    columns.add("latency_clocks", "latency", Unit::Clocks, |load| {
        Value::count(load.latency)
    });
    columns.add("source", "from", Unit::Text, |load| {
        Value::words(load.source.map(source))
    });
    columns.add("data_address", "data at", Unit::Address, |load| {
        Value::address(load.data)
    });
    columns.add("data", "data", Unit::Text, |load| {
        Value::words(load.data.and_then(|address| {
            let symbol = recording.datum(address)?;
            Some(match address - symbol.address {
                0 => symbol.name.clone(),
                offset => format!("{}+{offset:X}h", symbol.name),
            })
        }))
    });
    columns.add("instruction_address", "", Unit::Address, |load| {
        Value::address(load.instruction)
    });
    columns.add("place", "", Unit::Text, |load| Value::words(place(load)));
    columns.add("location", "load at", Unit::Text, |load| {
        Value::words(load.instruction.map(|address| {
            let place = place(load).map_or(String::new(), |place| format!(" {place}"));
            format!("{}{place}", labelled(recording, address))
        }))
    });
    answer.table(columns, &found.loads);
    truth_missing(&mut answer, recording, truth, Exactly::SlowLoads);
    warn(&mut answer, recording, &[SampleKind::Op]);
    answer
}
