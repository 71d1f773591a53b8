//! `calc`, `topstalls` and `whatcg`: clocks, estimated from samples as DCPI's tools of these names do it.

use super::super::header::counted;
use super::{Answer, Exactly, Unit, Value, begin, graded, known, labelled, percent, truth_missing, warn};
use p5_results::Cause;
use p5_samples::{ALIKE, Blame, Clocks, ENOUGH, NoStalls, Recording, SampleKind, StallRow, Stalls, Told, UNEXPLAINED};
use std::collections::BTreeSet;

/// In place of a letter: what ops take at best.
const BEST: char = ' ';

/// The letter of what the code says of ops that do not pair.
const ALONE: char = 'n';

/// The letter of misses of code: a fetch shows how long it took, not how long anything waited for it.
const READ_AHEAD: char = Blame::CodeMiss.letter();

/// The share of all clocks that is worth a word if no row has it.
const MUCH: f64 = 0.1;

/// Sigmas that chance hardly makes.
const BEYOND_CHANCE: f64 = 4.0;

/// Why there is no answer.
pub fn no_stalls(why: NoStalls) -> String {
    match why {
        NoStalls::NoOps => "no ops were sampled; record with `--op`".to_owned(),
        NoStalls::Cycles => "ops were sampled by clocks (`--mode cycles`): stalls attract samples, which does not tell how \
                             often each op was executed; record with `--mode dispatch`"
            .to_owned(),
        NoStalls::Filtered => "only some ops were kept, by a filter; record without it".to_owned(),
        NoStalls::NotKept(name) => format!("{name} was not kept; record with it"),
        NoStalls::NoWidth => "it is not known how many ops this machine issues in a clock at best, so that the clocks of a \
                              stall cannot be told from those of issue; `p5inst sample` records a chip of which it is known"
            .to_owned(),
    }
}

/// The letters of the causes that occur, in words; with those that truly occur.
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

/// The letters of what is inferred from the code.
fn inferred() -> String {
    let by_code = Blame::ALL.into_iter().filter(|blame| blame.told() == Told::ByCode);
    let letters = std::iter::once(ALONE).chain(by_code.map(Blame::letter));
    letters.map(String::from).collect::<Vec<_>>().join(", ")
}

/// What samples cannot show, and how far to trust them.
fn caveats(answer: &mut Answer<'_>, recording: &Recording, stalls: &Stalls, truth: bool) {
    let words = legend(stalls, truth);
    if !words.is_empty() {
        answer.note(words);
    }
    if stalls.rows.iter().any(StallRow::is_undecided) {
        answer.note(format!(
            "{ALIKE} stands between causes that the samples cannot tell apart: they differ by no more than two standard \
             errors of their difference"
        ));
    }
    if stalls.cause(Blame::CodeMiss).clocks > 0.0 {
        answer.note(
            "i is the most that it can be: a line that is read before it is needed is not waited for all that time"
                .to_owned(),
        );
    }
    if !stalls.chip_known {
        answer.note(format!(
            "this p5inst does not know the chip, so p, m, b and what is inferred from the code ({}) have no clocks",
            inferred()
        ));
    }
    if stalls.chip_known && !stalls.code_known {
        answer.note(format!(
            "the code is not in this file, so what is inferred from it ({}) is not known",
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
                 behind the last one"
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
            answer.note(format!(
                "instructions that were executed and not sampled: {}, with {} ops in all",
                missed.len(),
                missed.iter().sum::<u64>()
            ));
        }
    }
    if let Some(right) = stalls.blamed_right().filter(|_| truth) {
        answer.note(format!(
            "{:.1}% of the exact stall clocks belong to the cause that the estimate puts first for their instruction{}",
            right * 100.0,
            if stalls.rows.iter().any(StallRow::is_undecided) {
                ", or that it cannot tell from it"
            } else {
                ""
            }
        ));
    }
    truth_missing(answer, recording, truth, Exactly::Instructions);
    warn(answer, recording, &[SampleKind::Op]);
}

/// Best and actual clocks per instruction.
fn speeds(answer: &mut Answer<'_>, recording: &Recording, stalls: &Stalls, truth: bool) {
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

/// Every sampled instruction in address order: how often it was executed, what an execution costs, and why.
pub fn calculation<'a>(recording: &'a Recording, stalls: &Stalls, truth: bool) -> Answer<'a> {
    let mut answer = begin("calc", recording);
    speeds(&mut answer, recording, stalls, truth);
    answer.column("address", "address", Unit::Address);
    answer.column("samples", if truth { "" } else { "samples" }, Unit::Count);
    answer.column("ops", "ops", Unit::Count);
    answer.column("clocks_per_op", "clocks\nper op", Unit::Clocks);
    answer.column("stall_per_op", "", Unit::Clocks);
    answer.column("causes", "why", Unit::Text);
    if truth {
        answer.column("exact_ops", "exact\nops", Unit::Count);
        answer.column("ops_error_sigmas", "sigmas", Unit::Sigmas);
        answer.column("exact_clocks_per_op", "exact\nclocks", Unit::Clocks);
        answer.column("exact_cause", "true", Unit::Text);
        answer.column("blame", "", Unit::Text);
    }
    answer.column("place", "", Unit::Text);
    answer.column("instruction", "instruction", Unit::Text);
    answer.spare(&["address", "samples", "sigmas"]);
    let mut procedure = None;
    for row in stalls.rows.iter().filter(|row| row.samples.samples > 0) {
        let stall = row.stall.clocks / row.samples.estimate(stalls.scale);
        let mut cells = vec![
            Value::Address(u64::from(row.address)),
            Value::Integer(u128::from(row.samples.samples)),
            Value::Rounded(row.samples.estimate(stalls.scale)),
            Value::Real(row.clocks_per_op(stalls.width, stalls.scale)),
            Value::Real(stall),
            Value::Text(row.letters()),
        ];
        if truth {
            let exact = row.exact.as_ref();
            cells.extend(graded(&row.samples, Some(stalls.scale), exact.map(|exact| exact.ops)));
            let clocks = exact
                .filter(|exact| exact.ops > 0)
                .map(|exact| exact.clocks as f64 / exact.ops as f64);
            cells.push(clocks.map_or(Value::Missing, Value::Real));
            cells.push(true_cause(row));
            cells.push(judgement(row));
        }
        cells.push(recording.place(row.address).map_or(Value::Missing, Value::Text));
        let text = recording.instruction(row.address).map(|one| one.text.clone());
        let own = recording.procedure(row.address).map(|symbol| symbol.name.as_str());
        let shown = match (text, own) {
            (Some(text), Some(name)) if own != procedure => format!("{text}  ; {name}"),
            (Some(text), _) => text,
            (None, _) => labelled(recording, row.address),
        };
        procedure = own;
        cells.push(Value::Text(shown));
        answer.row(cells);
    }
    caveats(&mut answer, recording, stalls, truth);
    answer
}

/// Exact clocks and error in sigmas behind an estimate. A figure without chance is equal, or was blamed otherwise.
fn compared(estimate: &Clocks, scale: f64, exact: Option<u64>, by_chance: bool) -> [Value; 2] {
    let exact_value = exact.map_or(Value::Missing, |exact| Value::Integer(u128::from(exact)));
    if !by_chance {
        let equal = exact.is_some_and(|exact| estimate.clocks.round() == exact as f64);
        return [exact_value, if equal { Value::Real(0.0) } else { Value::Missing }];
    }
    // Of clocks that no sample has, it is not known how many come at once.
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
pub fn top_stalls<'a>(recording: &'a Recording, stalls: &Stalls, truth: bool) -> Answer<'a> {
    let mut answer = begin("topstalls", recording);
    let mut rows: Vec<&StallRow> = stalls.rows.iter().filter(|row| row.stall.clocks > 0.0).collect();
    rows.sort_by(|one, other| other.stall.clocks.total_cmp(&one.stall.clocks));
    let all: f64 = rows.iter().map(|row| row.stall.clocks).sum();
    speeds(&mut answer, recording, stalls, truth);
    answer.column("share_percent", "share", Unit::Percent);
    answer.column("cumulative_percent", "up to", Unit::Percent);
    answer.column("stall_clocks", "stall\nclocks", Unit::Clocks);
    answer.column("samples", "samples", Unit::Count);
    answer.column("confidence", "", Unit::Text);
    answer.column("mean_stall", "mean", Unit::Clocks);
    answer.column("causes", "why", Unit::Text);
    if truth {
        answer.column("exact_stall_clocks", "exact", Unit::Clocks);
        answer.column("error_sigmas", "sigmas", Unit::Sigmas);
        answer.column("exact_cause", "true", Unit::Text);
        answer.column("blame", "blame", Unit::Text);
    }
    answer.column("address", if truth { "" } else { "address" }, Unit::Address);
    answer.column("place", "", Unit::Text);
    answer.column("location", "where", Unit::Text);
    answer.spare(&["up to", "samples", "mean", "sigmas", "address"]);
    let fetches = recording.count(SampleKind::Fetch) > 0 && !recording.is_census(SampleKind::Fetch);
    let by_chance = !stalls.census || fetches;
    let mut below = 0.0;
    for row in &rows {
        below += row.stall.clocks;
        let confidence = row.confidence();
        let mut cells = vec![
            percent(row.stall.clocks, all),
            percent(below, all),
            Value::Rounded(row.stall.clocks),
            Value::Integer(u128::from(row.stall.samples)),
            Value::Text(confidence.letter().to_owned()),
            Value::Real(row.stall.clocks / row.stall.samples as f64 / stalls.scale),
            Value::Text(format!("{} {}", confidence.letter(), row.letters())),
        ];
        if truth {
            let exact = row.exact.as_ref().map(|exact| exact.stall());
            cells.extend(compared(&row.stall, stalls.scale, exact, by_chance));
            cells.push(true_cause(row));
            cells.push(judgement(row));
        }
        cells.push(Value::Address(u64::from(row.address)));
        cells.push(recording.place(row.address).map_or(Value::Missing, Value::Text));
        let place = recording.place(row.address);
        let place = place.map_or(String::new(), |place| format!(" {place}"));
        cells.push(Value::Text(format!("{}{place}", labelled(recording, row.address))));
        answer.row(cells);
    }
    if !rows.is_empty() {
        answer.note(
            "the first letter under `why` is the confidence: H for a standard error up to 10%, M up to 30%, L above, or if \
             most of a stall has no cause or its greatest cause is not certain"
                .to_owned(),
        );
    }
    let explained = stalls.best() + stalls.alone.clocks + all;
    let rest = stalls.span as f64 - explained;
    if rest > MUCH * stalls.span as f64 && stalls.samples() >= ENOUGH {
        answer.note(format!(
            "{:.0}% of the clocks of the samples are in none of these rows, and not those of issue: `whatcg` has them as \
             none of these",
            rest * 100.0 / stalls.span as f64
        ));
    }
    caveats(&mut answer, recording, stalls, truth);
    answer
}

/// Where all clocks have gone.
pub fn where_clocks_go<'a>(recording: &'a Recording, stalls: &Stalls, truth: bool) -> Answer<'a> {
    let mut answer = begin("whatcg", recording);
    speeds(&mut answer, recording, stalls, truth);
    if stalls.samples() == 0 {
        caveats(&mut answer, recording, stalls, truth);
        return answer;
    }
    answer.column("letter", "", Unit::Text);
    answer.column("cause", "clocks went to", Unit::Text);
    answer.column("clocks", "estimate", Unit::Clocks);
    answer.column("share_percent", "share", Unit::Percent);
    answer.column("standard_error", "give or\ntake", Unit::Clocks);
    if truth {
        answer.column("exact", "exact", Unit::Clocks);
        answer.column("exact_share_percent", "share", Unit::Percent);
        answer.column("error_sigmas", "sigmas", Unit::Sigmas);
    }
    // Sums over instructions are none of the whole run if some are not listed.
    let listed = recording.truth.as_ref().filter(|truth| !truth.instructions_cut);
    let exact_of = |causes: &[Cause]| {
        let truth = listed?;
        let of = truth.instructions.iter().flat_map(|one| &one.causes);
        let of = of.filter(|(cause, _)| causes.contains(cause));
        Some(of.map(|(_, clocks)| clocks).sum::<u64>())
    };
    let all_exact = recording.truth.as_ref().map(|truth| truth.clocks as f64);
    let exact_share = |exact: Option<u64>| {
        let known = exact.zip(all_exact);
        known.map_or(Value::Missing, |(exact, all)| percent(exact as f64, all))
    };
    let actual = stalls.span as f64;
    let each = stalls.scale / f64::from(stalls.width.max(1));
    let best = Clocks {
        samples: stalls.samples(),
        clocks: stalls.best(),
        squares: stalls.samples() as f64 * each * each,
        inferred: 0.0,
    };
    let ops: Option<u64> = listed.map(|truth| truth.instructions.iter().map(|one| one.ops).sum());
    // Of an instruction of many ops, all but one take clocks of execution instead of issue, so that there may be fewer
    // clocks of issue than pipes would take for all ops.
    let issue = exact_of(&[Cause::Issue]);
    let at_best = ops.zip(issue);
    let at_best = at_best.map(|(ops, issue)| issue.min(ops / u64::from(stalls.width.max(1))));
    let alone = issue.zip(at_best).map(|(issue, best)| issue - best);
    let (mut best, mut estimated_alone) = (best, stalls.alone);
    if estimated_alone.clocks < 0.0 {
        best.clocks += std::mem::take(&mut estimated_alone.clocks);
    }
    let mut rows = vec![
        (BEST, "ops, at best", best, at_best, true),
        (ALONE, "ops that issue alone", estimated_alone, alone, stalls.code_known),
    ];
    let mut unseen = String::new();
    for blame in Blame::ALL {
        let exact = exact_of(blame.causes());
        if blame.told() == Told::Nowhere {
            if !truth || exact.unwrap_or(0) == 0 {
                continue;
            }
            unseen.push_str(if unseen.is_empty() { "" } else { ", " });
            unseen.push(blame.letter());
        }
        rows.push((
            blame.letter(),
            blame.title(),
            stalls.cause(blame),
            exact,
            stalls.knows(blame),
        ));
    }
    let explained: f64 = rows.iter().map(|(_, _, sum, ..)| sum.clocks).sum();
    let all_fetches = recording.is_census(SampleKind::Fetch);
    let by_chance = |letter: char| match letter {
        'i' | 'I' => !all_fetches,
        _ => !stalls.census,
    };
    let mut beyond_chance = String::new();
    for (letter, title, sum, exact, known) in &rows {
        let estimate = |value: Value| if *known { value } else { Value::Missing };
        let mut cells = vec![
            Value::Text(letter.to_string().trim().to_owned()),
            Value::Text((*title).to_owned()),
            estimate(Value::Rounded(sum.clocks)),
            estimate(percent(sum.clocks, actual)),
            estimate(match by_chance(*letter) {
                true => Value::Rounded(sum.error()),
                false => Value::Rounded(0.0),
            }),
        ];
        if truth {
            let [count, sigmas] = compared(sum, stalls.scale, *exact, by_chance(*letter));
            // What is the least or the most is no estimate, so it cannot be wrong.
            let sigmas = if [BEST, READ_AHEAD].contains(letter) {
                Value::Missing
            } else {
                estimate(sigmas)
            };
            let told = Blame::by_letter(*letter).map(Blame::told);
            let inferred = *letter == ALONE || told == Some(Told::ByCode);
            if inferred && matches!(sigmas, Value::Real(sigmas) if sigmas.abs() > BEYOND_CHANCE) {
                beyond_chance.push_str(if beyond_chance.is_empty() { "" } else { ", " });
                beyond_chance.push(*letter);
            }
            cells.extend([count, exact_share(*exact), sigmas]);
        }
        answer.row(cells);
    }
    let rest = actual - explained;
    let rest_known = |value: Value| if rest >= 0.0 { value } else { Value::Missing };
    let mut cells = vec![
        Value::Text(UNEXPLAINED.to_string()),
        Value::Text("none of these".to_owned()),
        rest_known(Value::Rounded(rest)),
        rest_known(percent(rest, actual)),
        Value::Missing,
    ];
    if truth {
        let known: u64 = rows.iter().filter_map(|(.., exact, _)| *exact).sum();
        let others = recording.truth.as_ref().map(|truth| truth.clocks.saturating_sub(known));
        cells.push(others.map_or(Value::Missing, |others| Value::Integer(u128::from(others))));
        cells.push(exact_share(others));
        cells.push(Value::Missing);
    }
    answer.row(cells);
    if rest < 0.0 {
        answer.note(
            "the causes add up to more than the clocks of the samples: stalls overlap, code is read ahead, or the \
             samples are too few"
                .to_owned(),
        );
    }
    if !unseen.is_empty() {
        answer.note(format!(
            "samples do not tell how long HLT sleeps and interrupts are delivered ({unseen}): in the estimate, that is \
             `none of these`"
        ));
    }
    if !beyond_chance.is_empty() {
        answer.note(format!(
            "off by more than chance: {beyond_chance}; they are inferred from replayed code, which meets what the packets say, \
             though not always at the same time"
        ));
    }
    if stalls.samples() < ENOUGH {
        answer.note("what is none of these is the difference of two uncertain figures here".to_owned());
    }
    caveats(&mut answer, recording, stalls, truth);
    answer
}
