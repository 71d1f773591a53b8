//! `calc`, `topstalls` and `whatcg`: clocks, estimated from samples as DCPI's tools of these names do it.

mod destinations;

pub use destinations::where_clocks_go;

use super::super::phrases::counted;
use super::{Answer, Columns, Exactly, Shown, Unit, Value};
use super::{begin, graded, known, labelled, percent, truth_missing, warn};
use p5_record::SampleKind;
use p5_samples::{
    ALIKE, Analysis, Blame, Clocks, ENOUGH, MOST_INSTRUCTIONS, NoStalls, StallRow, Stalls, Told, UNEXPLAINED,
};
use std::collections::BTreeSet;

/// The letter of what the code says of ops that do not pair.
const ALONE: char = 'n';

/// The share of all clocks that is worth a word if no row has it.
const MUCH: f64 = 0.1;

/// The standard errors that chance hardly reaches.
const BEYOND_CHANCE: f64 = 4.0;

/// The words for the reason why there is no answer.
pub fn no_stalls(why: NoStalls) -> String {
    match why {
        NoStalls::NoOps => "no ops were sampled; record with `--op`".to_owned(),
        NoStalls::Cycles => "ops were sampled by clocks (`--mode cycles`): stalls attract samples, which does not \
                             tell how often each op was executed; record with `--mode dispatch`"
            .to_owned(),
        NoStalls::Filtered => "only some ops were kept, by a filter; record without it".to_owned(),
        NoStalls::NotKept(name) => format!("{name} was not kept; record with it"),
        NoStalls::TooMany => format!(
            "ops of more than {MOST_INSTRUCTIONS} instructions were sampled, whose stalls are too many to estimate; \
             record a part of the program, or fewer samples"
        ),
        NoStalls::NoWidth => "it is not known how many ops this machine issues in a clock at best, so that the clocks \
                              of a stall cannot be told from those of issue; `p5inst sample` records a chip of which \
                              it is known"
            .to_owned(),
    }
}

/// The letters of the causes that occur, in words; with `truth`, also of those that truly occur.
fn legend(stalls: &Stalls, truth: bool) -> String {
    let exact = || {
        stalls
            .rows
            .iter()
            .filter_map(|row| row.exact.as_ref())
            .filter(|_| truth)
    };
    let occurs =
        |blame: Blame| stalls.cause(blame).clocks > 0.0 || exact().any(|exact| exact.causes[blame as usize] > 0);
    let occur = Blame::ALL.into_iter().filter(|&blame| occurs(blame));
    let mut words: Vec<String> = occur
        .map(|blame| {
            let how = match blame.told() {
                Told::ByCode if stalls.code_known => " (inferred from the code)",
                Told::Nowhere => " (not inferred)",
                _ => "",
            };
            format!("{} {}{how}", blame.letter(), blame.title())
        })
        .collect();
    let unexplained = stalls.rows.iter().any(|row| row.unexplained.clocks > 0.0);
    if unexplained || exact().any(|exact| exact.others > 0) {
        words.push(format!("{UNEXPLAINED} none of these"));
    }
    words.join(", ")
}

fn inferred() -> String {
    let by_code = Blame::ALL.into_iter().filter(|blame| blame.told() == Told::ByCode);
    let letters = std::iter::once(ALONE).chain(by_code.map(Blame::letter));
    letters.map(String::from).collect::<Vec<_>>().join(", ")
}

/// The limits of samples, and how far to trust them.
fn caveats(answer: &mut Answer<'_>, recording: &Analysis, stalls: &Stalls, truth: bool) {
    let words = legend(stalls, truth);
    if !words.is_empty() {
        answer.note(words);
    }
    if stalls.rows.iter().any(StallRow::is_undecided) {
        answer.note(format!(
            "{ALIKE} stands between causes that the samples cannot tell apart: they differ by no more than two \
             standard errors of their difference"
        ));
    }
    if stalls.cause(Blame::CodeMiss).clocks > 0.0 {
        answer.note(
            "i is the most that it can be: a line that is read before it is needed is not waited for all that time; \
             any other cause of its row may be greater"
                .to_owned(),
        );
    }
    if !stalls.chip_known {
        answer.note(format!(
            "this p5inst does not know the chip, an assumption about it or the memory, so p, m, b and what is inferred \
             from the code ({}) have no clocks",
            inferred()
        ));
    }
    if stalls.chip_known && !stalls.code_known {
        answer.note(format!(
            "the code is not in this file, so what is inferred from it ({}) is not known",
            inferred()
        ));
    }
    if stalls.without_code > 0 {
        answer.note(format!(
            "the code of {} is not in this file, so what is inferred from it ({}) is not known there",
            counted(stalls.without_code, "sample"),
            inferred()
        ));
    }
    if stalls.of_transfers > 0 {
        answer.note(format!(
            "{} of far transfers, software interrupts and HLT: how long they take is not inferred",
            counted(stalls.of_transfers, "sample")
        ));
    }
    if stalls.census {
        answer.note("every op was sampled, so that figures of ops have no error by chance".to_owned());
        if truth {
            answer.note(
                "where they differ from exact ones, the clocks were blamed otherwise, or lie before the first op or \
                 after the last one"
                    .to_owned(),
            );
        }
    }
    known(answer, stalls.code_lack.clone(), "stalls for code (i, I) are not known");
    known(
        answer,
        recording.lack(Some(SampleKind::Op), []),
        "where clocks go is not known",
    );
    if let Some(exact) = recording.truth.as_ref().filter(|_| truth) {
        let sampled: BTreeSet<u32> = stalls.rows.iter().map(|row| row.address).collect();
        let missed: Vec<u64> = exact
            .instructions
            .iter()
            .filter(|one| !sampled.contains(&one.address))
            .map(|one| one.ops)
            .collect();
        if !missed.is_empty() {
            let of = if exact.instructions_cut {
                " of those with exact figures"
            } else {
                ""
            };
            answer.note(format!(
                "instructions{of} that were executed and not sampled: {}, with {} ops in all",
                missed.len(),
                missed.iter().sum::<u64>()
            ));
        }
    }
    let right = stalls.blamed_right().zip(stalls.estimated_right());
    if let Some((exact, estimated)) = right.filter(|_| truth) {
        answer.note(format!(
            "{:.1}% of the exact stall clocks, and {:.1}% of the estimated ones, are of instructions whose true cause \
             the estimate puts first{}",
            exact * 100.0,
            estimated * 100.0,
            if stalls.rows.iter().any(StallRow::is_undecided) {
                ", or cannot tell from the first"
            } else {
                ""
            }
        ));
    }
    truth_missing(answer, recording, truth, Exactly::Instructions);
    warn(answer, recording, &[SampleKind::Op]);
}

fn speeds(answer: &mut Answer<'_>, recording: &Analysis, stalls: &Stalls, truth: bool) {
    let ops = stalls.samples() as f64 * stalls.scale;
    if ops <= 0.0 {
        answer.lead("no op samples".to_owned());
        return;
    }
    let best = stalls.best() / ops;
    answer.lead(format!(
        "best case {best:.2} clocks per op, actual {:.2} by the clocks of the samples",
        stalls.span as f64 / ops
    ));
    let exact = recording.truth.as_ref().filter(|_| truth);
    if let Some(exact) = exact {
        let total: u64 = exact.instructions.iter().map(|one| one.ops).sum();
        let executions: u64 = exact.instructions.iter().map(|one| one.executions).sum();
        if exact.instructions_cut {
            answer.lead(format!("exact: {} clocks", exact.clocks));
        } else if total > 0 && executions > 0 {
            answer.lead(format!(
                "exact: {:.2} clocks per op, {:.2} per instruction, {} clocks",
                exact.clocks as f64 / total as f64,
                exact.clocks as f64 / executions as f64,
                exact.clocks
            ));
        }
    }
}

/// Every sampled instruction in address order: its executions, the clocks of one, and their causes.
pub fn calculation<'a>(recording: &'a Analysis, stalls: &Stalls, shown: Shown) -> Answer<'a> {
    let truth = shown.truth;
    let mut answer = begin("calc", recording, shown.rows);
    speeds(&mut answer, recording, stalls, truth);
    let mut columns = Columns::default();
    columns.add("address", "address", Unit::Address, |row: &&StallRow| {
        Value::Address(u64::from(row.address))
    });
    columns.add("samples", if truth { "" } else { "samples" }, Unit::Count, |row| {
        Value::count(row.samples.samples)
    });
    columns.add("ops", "ops", Unit::Count, |row| {
        Value::Rounded(row.samples.estimate(stalls.scale))
    });
    columns.add("clocks_per_op", "clocks\nper op", Unit::Clocks, |row| {
        Value::Real(row.clocks_per_op(stalls.width, stalls.scale))
    });
    columns.add("stall_per_op", "", Unit::Clocks, |row| {
        Value::Real(row.stall.clocks / row.samples.estimate(stalls.scale))
    });
    columns.add("causes", "why", Unit::Text, |row| Value::Text(row.letters()));
    if truth {
        let exact = |row: &StallRow| {
            graded(
                &row.samples,
                Some(stalls.scale),
                row.exact.as_ref().map(|exact| exact.ops),
            )
        };
        columns.add_graded(
            ("exact_ops", "exact\nops", Unit::Count),
            "ops_error_sigmas",
            move |row| exact(row),
        );
        columns.add("exact_clocks_per_op", "exact\nclocks", Unit::Clocks, |row| {
            let exact = row.exact.as_ref().filter(|exact| exact.ops > 0);
            Value::real(exact.map(|exact| exact.clocks as f64 / exact.ops as f64))
        });
        columns.add("exact_cause", "true", Unit::Text, |row| true_cause(row));
        columns.add("blame", "", Unit::Text, |row| judgement(row));
    }
    columns.add("place", "", Unit::Text, |row| {
        Value::words(recording.place(row.address))
    });
    let rows: Vec<&StallRow> = stalls.rows.iter().filter(|row| row.samples.samples > 0).collect();
    let procedure = |row: &StallRow| recording.procedure(row.address).map(|symbol| symbol.name.as_str());
    // The first row of each procedure has its name.
    let pairs = rows.windows(2).filter(|pair| procedure(pair[0]) != procedure(pair[1]));
    let named: BTreeSet<u32> = rows
        .iter()
        .take(1)
        .copied()
        .chain(pairs.map(|pair| pair[1]))
        .map(|row| row.address)
        .collect();
    columns.add("instruction", "instruction", Unit::Text, move |row| {
        let text = recording.instruction(row.address).map(|one| one.text.clone());
        Value::Text(match (text, procedure(row)) {
            (Some(text), Some(name)) if named.contains(&row.address) => format!("{text}  ; {name}"),
            (Some(text), _) => text,
            (None, _) => labelled(recording, row.address),
        })
    });
    answer.spare(&["address", "samples", "sigmas"]);
    answer.table(columns, rows);
    caveats(&mut answer, recording, stalls, truth);
    answer
}

/// The exact clocks, and the distance of the estimate from them in sigmas. An estimate that involves no chance is at
/// distance 0 if it is equal; otherwise its clocks were charged to another cause, and it has no distance.
fn compared(estimate: &Clocks, scale: f64, exact: Option<u64>, by_chance: bool) -> [Value; 2] {
    let exact_value = exact.map_or(Value::Missing, |exact| Value::Integer(u128::from(exact)));
    if !by_chance {
        let equal = exact.is_some_and(|exact| estimate.clocks.round() == exact as f64);
        return [exact_value, if equal { Value::Real(0.0) } else { Value::Missing }];
    }
    // If no sample has any of these clocks, it is not known how many come at once.
    let known = exact.filter(|&exact| estimate.samples > 0 || exact == 0);
    let sigmas = known.and_then(|exact| estimate.sigmas(scale, exact));
    [exact_value, sigmas.map_or(Value::Missing, Value::Real)]
}

fn true_cause(row: &StallRow) -> Value {
    match &row.exact {
        None => Value::Missing,
        Some(exact) => Value::Text(exact.letter().map(String::from).unwrap_or_default()),
    }
}

fn judgement(row: &StallRow) -> Value {
    match row.right() {
        None => Value::Missing,
        Some(true) => Value::Text("right".to_owned()),
        Some(false) => Value::Text("wrong".to_owned()),
    }
}

/// The instructions with the most stall clocks.
pub fn top_stalls<'a>(recording: &'a Analysis, stalls: &Stalls, shown: Shown) -> Answer<'a> {
    let truth = shown.truth;
    let mut answer = begin("topstalls", recording, shown.rows);
    let mut rows: Vec<&StallRow> = stalls.rows.iter().filter(|row| row.stall.clocks > 0.0).collect();
    rows.sort_by(|one, other| other.stall.clocks.total_cmp(&one.stall.clocks));
    let all: f64 = rows.iter().map(|row| row.stall.clocks).sum();
    speeds(&mut answer, recording, stalls, truth);
    let fetches = recording.count(SampleKind::Fetch) > 0 && !recording.is_census(SampleKind::Fetch);
    let by_chance = !stalls.census || fetches;
    let mut below = 0.0;
    let cumulated = rows.iter().map(|row| {
        below += row.stall.clocks;
        (*row, below)
    });
    let mut columns = Columns::default();
    columns.add(
        "share_percent",
        "share",
        Unit::Percent,
        |(row, _): &(&StallRow, f64)| percent(row.stall.clocks, all),
    );
    columns.add("cumulative_percent", "up to", Unit::Percent, |(_, below)| {
        percent(*below, all)
    });
    columns.add("stall_clocks", "stall\nclocks", Unit::Clocks, |(row, _)| {
        Value::Rounded(row.stall.clocks)
    });
    columns.add("samples", "samples", Unit::Count, |(row, _)| {
        Value::count(row.stall.samples)
    });
    columns.add("confidence", "", Unit::Text, |(row, _)| {
        Value::Text(row.confidence().letter().to_owned())
    });
    columns.add("mean_stall", "mean", Unit::Clocks, |(row, _)| {
        Value::Real(row.stall.clocks / row.stall.samples as f64 / stalls.scale)
    });
    columns.add("causes", "why", Unit::Text, |(row, _)| {
        Value::Text(format!("{} {}", row.confidence().letter(), row.letters()))
    });
    if truth {
        let exact = move |row: &StallRow| {
            let exact = row.exact.as_ref().map(|exact| exact.stall());
            compared(&row.stall, stalls.scale, exact, by_chance)
        };
        let heading = ("exact_stall_clocks", "exact", Unit::Clocks);
        columns.add_graded(heading, "error_sigmas", move |(row, _)| exact(row));
        columns.add("exact_cause", "true", Unit::Text, |(row, _)| true_cause(row));
        columns.add("blame", "blame", Unit::Text, |(row, _)| judgement(row));
    }
    let address = if truth { "" } else { "address" };
    columns.add("address", address, Unit::Address, |(row, _)| {
        Value::Address(u64::from(row.address))
    });
    columns.add("place", "", Unit::Text, |(row, _)| {
        Value::words(recording.place(row.address))
    });
    columns.add("location", "where", Unit::Text, |(row, _)| {
        let place = recording
            .place(row.address)
            .map_or(String::new(), |place| format!(" {place}"));
        Value::Text(format!("{}{place}", labelled(recording, row.address)))
    });
    answer.spare(&["up to", "samples", "mean", "sigmas", "address"]);
    answer.table(columns, cumulated);
    if !rows.is_empty() {
        answer.note(
            "the first letter under `why` is the confidence: H for a standard error up to 10%, M up to 30%, L above, \
             or if most of a stall has no cause or its greatest cause is not certain"
                .to_owned(),
        );
    }
    let explained = stalls.best() + stalls.alone.clocks + all;
    let rest = stalls.span as f64 - explained;
    if rest > MUCH * stalls.span as f64 && stalls.samples() >= ENOUGH {
        answer.note(format!(
            "{:.0}% of the clocks of the samples are in none of these rows, and not those of issue: `whatcg` has them \
             as none of these",
            rest * 100.0 / stalls.span as f64
        ));
    }
    caveats(&mut answer, recording, stalls, truth);
    answer
}
