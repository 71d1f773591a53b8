//! `pairs`: what runs beside an instruction, and how many issue slots are left empty while it is in flight.

use super::super::header::counted;
use super::{Answer, Exactly, Unit, Value, begin, known, labelled, truth_missing};
use p5_chips::ibs::{IBS_OP_DATA, IBS_OP_RIP};
use p5_samples::{ENOUGH, Recording, SampleKind};

/// The pairs by the instruction of their first op, those that leave most slots empty first.
pub fn pairs(recording: &Recording, truth: bool) -> Answer<'_> {
    let mut answer = begin("pairs", recording);
    let Some(window) = recording.sampling.choice.window else {
        answer.note("no pairs were sampled; record with `--paired`".to_owned());
        return answer;
    };
    let lack = recording.lack(Some(SampleKind::Op), [IBS_OP_RIP, IBS_OP_DATA]);
    if !known(&mut answer, lack, "nothing is known of pairs") {
        return answer;
    }
    let rows = recording.pairs();
    let all: u64 = rows.iter().map(|row| row.pairs).sum();
    answer.lead(format!("{all} pairs; the second op is 1 to {window} behind the first"));
    let asked = truth;
    let truth = truth && recording.comparable(SampleKind::Op).is_some();
    answer.column("address", "address", Unit::Address);
    answer.column("pairs", "pairs", Unit::Count);
    answer.column("overlap_percent", "overlap", Unit::Percent);
    if truth {
        answer.column("exact_overlap_percent", "exact", Unit::Percent);
        answer.column("overlap_error_sigmas", "sigmas", Unit::Sigmas);
    }
    answer.column("wasted_slots", "slots\nunused", Unit::Count);
    answer.column(
        "wasted_standard_error",
        if truth { "" } else { "give or\ntake" },
        Unit::Count,
    );
    if truth {
        answer.column("exact_wasted_slots", "exact", Unit::Count);
        answer.column("wasted_error_sigmas", "sigmas", Unit::Sigmas);
    }
    answer.column("place", "", Unit::Text);
    answer.column("location", "where", Unit::Text);
    for row in &rows {
        let (wasted, error) = (row.wasted(window), row.wasted_error(window));
        let sigmas = |off: f64, error: f64| {
            if error > 0.0 {
                Value::Real(off / error)
            } else {
                Value::Missing
            }
        };
        let of_slots = |value: f64| wasted.map_or(Value::Missing, |_| Value::Real(value));
        let mut cells = vec![
            Value::Address(u64::from(row.address)),
            Value::Integer(u128::from(row.pairs)),
            Value::Percent(row.overlap() * 100.0),
        ];
        if truth {
            let exact = row.exact_overlap();
            cells.push(exact.map_or(Value::Missing, |exact| Value::Percent(exact * 100.0)));
            cells.push(exact.map_or(Value::Missing, |exact| {
                let error = (exact * (1.0 - exact) / row.pairs as f64).sqrt();
                sigmas(row.overlap() - exact, error)
            }));
        }
        cells.extend([wasted.map_or(Value::Missing, Value::Real), of_slots(error)]);
        if truth {
            let exact = row.exact_wasted();
            cells.push(exact.map_or(Value::Missing, Value::Real));
            cells.push(
                wasted
                    .zip(exact)
                    .map_or(Value::Missing, |(wasted, exact)| sigmas(wasted - exact, error)),
            );
        }
        cells.push(recording.place(row.address).map_or(Value::Missing, Value::Text));
        cells.push(Value::Text(labelled(recording, row.address)));
        answer.row(cells);
    }
    if recording.machine.width.is_none() {
        answer.note(
            "how many ops this machine issues in a clock at best is not known, so unused slots are not known either"
                .to_owned(),
        );
    }
    if rows
        .iter()
        .any(|row| row.wasted(window).is_some_and(|wasted| wasted < 0.0))
    {
        answer.note(
            "figures of unused slots below 0 are chance: the slots of the clocks less the estimate of those used"
                .to_owned(),
        );
    }
    let few = rows.iter().filter(|row| row.pairs < ENOUGH).count();
    if few > 0 {
        answer.note(format!(
            "{} with fewer than {ENOUGH} pairs, which is not enough to act on",
            counted(few as u64, "row")
        ));
    }
    answer.note("pairs overlap if the second op is tagged before the first retires".to_owned());
    answer.note(
        "unused are slots of the clocks between an op's tag and its retirement that no op up to the window's end took"
            .to_owned(),
    );
    truth_missing(&mut answer, recording, asked, Exactly::Instructions);
    answer
}
