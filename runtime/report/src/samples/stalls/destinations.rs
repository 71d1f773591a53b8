//! `whatcg`: where all clocks have gone.

use super::super::{Columns, Unit, Value, begin, percent};
use super::{ALONE, BEST, BEYOND_CHANCE, READ_AHEAD, caveats, compared, speeds};
use crate::samples::Answer;
use p5_record::SampleKind;
use p5_results::Cause;
use p5_samples::{Analysis, Blame, Clocks, ENOUGH, Stalls, Told, UNEXPLAINED};

/// What clocks went to.
struct Destination {
    letter: String,
    cause: &'static str,
    clocks: Value,
    share: Value,
    error: Value,
    /// The exact clocks, their share, and the error in sigmas.
    exact: [Value; 3],
}

fn destination_columns(truth: bool) -> Columns<'static, Destination> {
    let mut columns = Columns::default();
    columns.add("letter", "", Unit::Text, |row: &Destination| {
        Value::Text(row.letter.clone())
    });
    columns.add("cause", "clocks went to", Unit::Text, |row| {
        Value::Text(row.cause.to_owned())
    });
    columns.add("clocks", "estimate", Unit::Clocks, |row| row.clocks.clone());
    columns.add("share_percent", "share", Unit::Percent, |row| row.share.clone());
    columns.add("standard_error", "give or\ntake", Unit::Clocks, |row| row.error.clone());
    if truth {
        columns.add("exact", "exact", Unit::Clocks, |row| row.exact[0].clone());
        columns.add("exact_share_percent", "share", Unit::Percent, |row| {
            row.exact[1].clone()
        });
        columns.add("error_sigmas", "sigmas", Unit::Sigmas, |row| row.exact[2].clone());
    }
    columns
}

/// Where all clocks have gone.
pub fn where_clocks_go<'a>(recording: &'a Analysis, stalls: &Stalls, truth: bool) -> Answer<'a> {
    let mut answer = begin("whatcg", recording);
    speeds(&mut answer, recording, stalls, truth);
    if stalls.samples() == 0 {
        caveats(&mut answer, recording, stalls, truth);
        return answer;
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
    let mut unseen: Vec<&str> = Vec::new();
    for blame in Blame::ALL {
        let exact = exact_of(blame.causes());
        if blame.told() == Told::Nowhere {
            if !truth || exact.unwrap_or(0) == 0 {
                continue;
            }
            unseen.push(blame.title());
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
    let mut beyond_chance: Vec<&str> = Vec::new();
    let mut destinations = Vec::new();
    for (letter, title, sum, exact, known) in &rows {
        let estimate = |value: Value| if *known { value } else { Value::Missing };
        let [count, sigmas] = compared(sum, stalls.scale, *exact, by_chance(*letter));
        // What is the least or the most is no estimate, so it cannot be wrong.
        let sigmas = if [BEST, READ_AHEAD].contains(letter) {
            Value::Missing
        } else {
            estimate(sigmas)
        };
        let told = Blame::by_letter(*letter).map(Blame::told);
        let inferred = *letter == ALONE || told == Some(Told::ByCode);
        if truth && inferred && matches!(sigmas, Value::Real(sigmas) if sigmas.abs() > BEYOND_CHANCE) {
            beyond_chance.push(title);
        }
        destinations.push(Destination {
            letter: letter.to_string().trim().to_owned(),
            cause: title,
            clocks: estimate(Value::Rounded(sum.clocks)),
            share: estimate(percent(sum.clocks, actual)),
            error: estimate(match by_chance(*letter) {
                true => Value::Rounded(sum.error()),
                false => Value::Rounded(0.0),
            }),
            exact: [count, exact_share(*exact), sigmas],
        });
    }
    let rest = actual - explained;
    let rest_known = |value: Value| if rest >= 0.0 { value } else { Value::Missing };
    let known: u64 = rows.iter().filter_map(|(.., exact, _)| *exact).sum();
    let others = recording.truth.as_ref().map(|truth| truth.clocks.saturating_sub(known));
    destinations.push(Destination {
        letter: UNEXPLAINED.to_string(),
        cause: "none of these",
        clocks: rest_known(Value::Rounded(rest)),
        share: rest_known(percent(rest, actual)),
        error: Value::Missing,
        exact: [
            others.map_or(Value::Missing, Value::count),
            exact_share(others),
            Value::Missing,
        ],
    });
    answer.table(destination_columns(truth), destinations);
    if rest < 0.0 {
        answer.note(
            "the causes add up to more than the clocks of the samples: stalls overlap, code is read ahead, or the \
             samples are too few"
                .to_owned(),
        );
    }
    if !unseen.is_empty() {
        answer.note(format!(
            "samples do not tell how long HLT sleeps and interrupts are delivered ({}): in the estimate, that is \
             `none of these`",
            unseen.join(", ")
        ));
    }
    if !beyond_chance.is_empty() {
        answer.note(format!(
            "off by more than chance: {}; they are inferred from replayed code, which meets what the packets say, \
             though not always at the same time",
            beyond_chance.join(", ")
        ));
    }
    if stalls.samples() < ENOUGH {
        answer.note("what is none of these is the difference of two uncertain figures here".to_owned());
    }
    caveats(&mut answer, recording, stalls, truth);
    answer
}
