//! `whatcg`: all clocks by their destination.

use super::super::{Columns, Shown, Unit, Value, begin, percent};
use super::{ALONE, BEYOND_CHANCE, caveats, compared, speeds};
use crate::samples::Answer;
use p5_record::SampleKind;
use p5_results::Cause;
use p5_samples::{Analysis, Blame, Clocks, ENOUGH, Stalls, Told, UNEXPLAINED};

/// The use of some clocks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Destination {
    /// Issue, if pairs fill all pipes.
    AtBest,
    /// Issue of ops that do not pair.
    Alone,
    /// A stall.
    Stall(Blame),
    /// None of these.
    Unexplained,
}

impl Destination {
    /// The letter in tables; empty for issue at best.
    fn letter(self) -> String {
        match self {
            Destination::AtBest => String::new(),
            Destination::Alone => ALONE.to_string(),
            Destination::Stall(blame) => blame.letter().to_string(),
            Destination::Unexplained => UNEXPLAINED.to_string(),
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Destination::AtBest => "ops, at best",
            Destination::Alone => "ops that issue alone",
            Destination::Stall(blame) => blame.title(),
            Destination::Unexplained => "none of these",
        }
    }

    /// Whether it is estimated from samples of fetches rather than of ops.
    fn is_of_fetches(self) -> bool {
        matches!(self, Destination::Stall(Blame::CodeMiss | Blame::CodeTlb))
    }

    /// Whether the figure is a bound, which cannot be wrong by chance: the least issue takes, the most of code misses.
    fn is_bound(self) -> bool {
        matches!(self, Destination::AtBest | Destination::Stall(Blame::CodeMiss))
    }

    fn is_inferred(self) -> bool {
        match self {
            Destination::Stall(blame) => blame.told() == Told::ByCode,
            other => other == Destination::Alone,
        }
    }
}

/// Clocks by their destination.
struct Row {
    to: Destination,
    estimate: Clocks,
    exact: Option<u64>,
    /// Whether the recording has what the estimate needs.
    known: bool,
}

/// A line of the answer.
struct Line {
    to: Destination,
    clocks: Value,
    share: Value,
    error: Value,
    exact: Value,
    exact_share: Value,
    sigmas: Value,
}

fn columns(truth: bool) -> Columns<'static, Line> {
    let mut columns = Columns::default();
    columns.add("letter", "", Unit::Text, |line: &Line| Value::Text(line.to.letter()));
    columns.add("cause", "clocks went to", Unit::Text, |line| {
        Value::Text(line.to.title().to_owned())
    });
    columns.add("clocks", "estimate", Unit::Clocks, |line| line.clocks.clone());
    columns.add("share_percent", "share", Unit::Percent, |line| line.share.clone());
    columns.add("standard_error", "give or\ntake", Unit::Clocks, |line| {
        line.error.clone()
    });
    if truth {
        columns.add("exact", "exact", Unit::Clocks, |line| line.exact.clone());
        columns.add("exact_share_percent", "share", Unit::Percent, |line| {
            line.exact_share.clone()
        });
        columns.add("error_sigmas", "sigmas", Unit::Sigmas, |line| line.sigmas.clone());
    }
    columns
}

/// The destinations of all clocks.
pub fn where_clocks_go<'a>(recording: &'a Analysis, stalls: &Stalls, shown: Shown) -> Answer<'a> {
    let truth = shown.truth;
    let mut answer = begin("whatcg", recording, shown.rows);
    speeds(&mut answer, recording, stalls, truth);
    if stalls.samples() == 0 {
        caveats(&mut answer, recording, stalls, truth);
        return answer;
    }
    // Sums over instructions are not sums of the whole run if some are not listed.
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
        ..Clocks::default()
    };
    let ops: Option<u64> = listed.map(|truth| truth.instructions.iter().map(|one| one.ops).sum());
    // All ops but one of an instruction take clocks of execution instead of issue, so there may be fewer clocks of
    // issue than pipes would take for all ops.
    let issue = exact_of(&[Cause::Issue]);
    let at_best = ops.zip(issue);
    let at_best = at_best.map(|(ops, issue)| issue.min(ops / u64::from(stalls.width.max(1))));
    let alone = issue.zip(at_best).map(|(issue, best)| issue - best);
    let (mut best, mut estimated_alone) = (best, stalls.alone);
    if estimated_alone.clocks < 0.0 {
        best.clocks += std::mem::take(&mut estimated_alone.clocks);
    }
    let row = |to, estimate, exact, known| Row {
        to,
        estimate,
        exact,
        known,
    };
    let mut rows = vec![
        row(Destination::AtBest, best, at_best, true),
        row(Destination::Alone, estimated_alone, alone, stalls.code_known),
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
        let (estimate, known) = (stalls.cause(blame), stalls.knows(blame));
        rows.push(row(Destination::Stall(blame), estimate, exact, known));
    }
    let explained: f64 = rows.iter().map(|row| row.estimate.clocks).sum();
    let all_fetches = recording.is_census(SampleKind::Fetch);
    let mut beyond_chance: Vec<&str> = Vec::new();
    let mut lines = Vec::new();
    let mut squared_errors = 0.0;
    for row in &rows {
        let (to, sum) = (row.to, &row.estimate);
        let by_chance = match to.is_of_fetches() {
            true => !all_fetches,
            false => !stalls.census,
        };
        let known = |value: Value| if row.known { value } else { Value::Missing };
        let [exact, sigmas] = compared(sum, stalls.scale, row.exact, by_chance);
        let sigmas = if to.is_bound() { Value::Missing } else { known(sigmas) };
        if truth && to.is_inferred() && matches!(sigmas, Value::Real(sigmas) if sigmas.abs() > BEYOND_CHANCE) {
            beyond_chance.push(to.title());
        }
        let error = if by_chance { sum.error() } else { 0.0 };
        squared_errors += if row.known { error.powi(2) } else { 0.0 };
        lines.push(Line {
            to,
            clocks: known(Value::Rounded(sum.clocks)),
            share: known(percent(sum.clocks, actual)),
            error: known(Value::Rounded(error)),
            exact,
            exact_share: exact_share(row.exact),
            sigmas,
        });
    }
    // What is left of the clocks is as uncertain as what is taken from them.
    let rest_error = squared_errors.sqrt();
    let rest = actual - explained;
    let rest_known = |value: Value| {
        if rest + rest_error >= 0.0 {
            value
        } else {
            Value::Missing
        }
    };
    let known: u64 = rows.iter().filter_map(|row| row.exact).sum();
    let others = listed.map(|truth| truth.clocks.saturating_sub(known));
    lines.push(Line {
        to: Destination::Unexplained,
        clocks: rest_known(Value::Rounded(rest.max(0.0))),
        share: rest_known(percent(rest.max(0.0), actual)),
        error: rest_known(Value::Rounded(rest_error)),
        exact: others.map_or(Value::Missing, Value::count),
        exact_share: exact_share(others),
        sigmas: Value::Missing,
    });
    // The sigmas of an estimate say as much where the truth is known.
    answer.spare(&["give or\ntake", "sigmas"]);
    answer.table(columns(truth), lines);
    if rest + rest_error < 0.0 {
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
