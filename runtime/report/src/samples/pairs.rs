//! `pairs`: the overlap of an instruction with others, and the issue slots left empty while it is in flight.

use super::super::phrases::counted;
use super::{Answer, Columns, Exactly, Shown, Unit, Value, begin, known, labelled, truth_missing};
use p5_chips::ibs::{IBS_OP_DATA, IBS_OP_RIP};
use p5_record::SampleKind;
use p5_samples::{Analysis, ENOUGH, PairRow};

/// The pairs by the instruction of their first op, those that leave most slots empty first.
pub fn pairs(recording: &Analysis, shown: Shown) -> Answer<'_> {
    let truth = shown.truth;
    let mut answer = begin("pairs", recording, shown.rows);
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
    answer.lead(format!("{all} pairs; the second op is 1 to {window} after the first"));
    let asked = truth;
    let truth = truth && recording.comparable(SampleKind::Op).is_some();
    let sigmas = |off: f64, error: f64| Value::real((error > 0.0).then(|| off / error));
    let mut columns = Columns::default();
    columns.add("address", "address", Unit::Address, |row: &&PairRow| {
        Value::Address(u64::from(row.address))
    });
    columns.add("pairs", "pairs", Unit::Count, |row| Value::count(row.pairs));
    columns.add("overlap_percent", "overlap", Unit::Percent, |row| {
        Value::Percent(row.overlap() * 100.0)
    });
    if truth {
        columns.add("exact_overlap_percent", "exact", Unit::Percent, |row| {
            row.exact_overlap()
                .map_or(Value::Missing, |exact| Value::Percent(exact * 100.0))
        });
        columns.add("overlap_error_sigmas", "sigmas", Unit::Sigmas, |row| {
            row.exact_overlap().map_or(Value::Missing, |exact| {
                let error = (exact * (1.0 - exact) / row.pairs as f64).sqrt();
                sigmas(row.overlap() - exact, error)
            })
        });
    }
    columns.add("wasted_slots", "slots\nunused", Unit::Count, |row| {
        Value::real(row.wasted(window))
    });
    let error = if truth { "" } else { "give or\ntake" };
    columns.add("wasted_standard_error", error, Unit::Count, |row| {
        Value::real(row.wasted(window).map(|_| row.wasted_error(window)))
    });
    if truth {
        columns.add("exact_wasted_slots", "exact", Unit::Count, |row| {
            Value::real(row.exact_wasted())
        });
        columns.add("wasted_error_sigmas", "sigmas", Unit::Sigmas, |row| {
            let both = row.wasted(window).zip(row.exact_wasted());
            both.map_or(Value::Missing, |(wasted, exact)| {
                sigmas(wasted - exact, row.wasted_error(window))
            })
        });
    }
    columns.add("place", "", Unit::Text, |row| {
        Value::words(recording.place(row.address))
    });
    columns.add("location", "where", Unit::Text, |row| {
        Value::Text(labelled(recording, row.address))
    });
    answer.table(columns, &rows);
    // Rows that are left out are no business of the reader.
    let rows = &rows[..rows.len().min(shown.rows)];
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
