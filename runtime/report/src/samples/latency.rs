//! `ear`: loads of at least some latency, each with its instruction and its data.

use super::super::header::counted;
use super::{Answer, Exactly, Unit, Value, begin, graded, known, labelled, truth_missing, warn};
use p5_chips::ibs::{IBS_DC_LIN_AD, IBS_OP_DATA2, IBS_OP_DATA3};
use p5_samples::{Recording, SampleKind};

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
pub fn slow_loads(recording: &Recording, least: u64, truth: bool) -> Answer<'_> {
    let mut answer = begin("ear", recording);
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
    answer.column("number", "sample", Unit::Count);
    answer.column("latency_clocks", "latency", Unit::Clocks);
    answer.column("source", "from", Unit::Text);
    answer.column("data_address", "data at", Unit::Address);
    answer.column("data", "data", Unit::Text);
    answer.column("instruction_address", "", Unit::Address);
    answer.column("place", "", Unit::Text);
    answer.column("location", "load at", Unit::Text);
    for load in &found.loads {
        let address =
            |address: Option<u32>| address.map_or(Value::Missing, |address| Value::Address(u64::from(address)));
        let datum = load.data.and_then(|address| {
            let symbol = recording.datum(address)?;
            Some(match address - symbol.address {
                0 => symbol.name.clone(),
                offset => format!("{}+{offset:X}h", symbol.name),
            })
        });
        let place = load.instruction.and_then(|address| recording.place(address));
        let shown = load.instruction.map(|address| {
            let place = place.as_ref().map_or(String::new(), |place| format!(" {place}"));
            format!("{}{place}", labelled(recording, address))
        });
        answer.row(vec![
            Value::Integer(u128::from(load.number)),
            Value::Integer(u128::from(load.latency)),
            load.source.map_or(Value::Missing, |code| Value::Text(source(code))),
            address(load.data),
            datum.map_or(Value::Missing, Value::Text),
            address(load.instruction),
            place.map_or(Value::Missing, Value::Text),
            shown.map_or(Value::Missing, Value::Text),
        ]);
    }
    truth_missing(&mut answer, recording, truth, Exactly::SlowLoads);
    warn(&mut answer, recording, &[SampleKind::Op]);
    answer
}
