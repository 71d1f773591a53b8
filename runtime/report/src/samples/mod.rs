//! Answers to questions about a recording of samples: one table each, from which text, JSON and CSV are written.

pub(crate) mod answer;
mod data;
mod derived;
mod differences;
mod histogram;
mod latency;
mod names;
mod overview;
mod pairs;
#[cfg(feature = "parquet")]
mod parquet;
mod partition;
mod ratios;
mod stalls;
pub(crate) mod study;

pub use answer::{Answer, AnswerForm, Columns, Heading, Unit, Value, write_answer};
pub use data::data;
pub use derived::derived;
pub use differences::differences;
pub use histogram::{histogram, histograms};
pub use latency::slow_loads;
pub use names::{fields, names};
pub use overview::overview;
pub use pairs::pairs;
#[cfg(feature = "parquet")]
pub use parquet::parquet_files;
pub use partition::Partition;
#[cfg(not(feature = "parquet"))]
pub use partition::parquet_files;
pub use ratios::{bad_question, top};
pub use stalls::{calculation, no_stalls, top_stalls, where_clocks_go};
pub use study::{StudyForm, write_study};

use super::phrases::counted;
use p5_chips::ibs::{CLOCKS_TO_A_GROUP, FETCH_COMP};
use p5_record::{Choice, CountMode, Group, Grouping, Lack, SampleKind, Truth};
use p5_samples::{Analysis, ENOUGH, Sum};

/// What of an answer is shown.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// Whether exact figures stand beside the estimates.
    pub truth: bool,
    /// The most rows.
    pub rows: usize,
}

fn begin<'a>(question: &'static str, recording: &'a Analysis, rows: usize) -> Answer<'a> {
    let machine = &recording.machine;
    let mut answer = Answer::new(question, &recording.program, &machine.chip_title, &machine.memory);
    answer.at_most(rows);
    if let Some(stopped) = &recording.stopped {
        answer.lead(format!("{stopped}; what is here is of the run until then"));
    }
    if recording.sampling.cut > 0 {
        answer.note(format!(
            "{} more samples were taken and not kept; estimates allow for them{}",
            recording.sampling.cut,
            match recording.sampling.lost {
                0 => String::new(),
                lost => format!(", as if chance had chosen the {lost} of them that the recorder lost"),
            }
        ));
    }
    answer
}

/// Says when samples are too few or not random, and that ops counted by clocks are no measure of frequency.
fn warn(answer: &mut Answer<'_>, recording: &Analysis, kinds: &[SampleKind]) {
    for &kind in kinds {
        let count = recording.count(kind);
        if count > 0 && count < ENOUGH {
            let samples = counted(count, &format!("{} sample", kind.name()));
            answer.note(format!("{samples}: under {ENOUGH} is not enough to act on"));
        }
    }
    warn_of_choice(answer, recording, kinds);
}

/// Says when samples are not random, and that ops counted by clocks are no measure of frequency.
fn warn_of_choice(answer: &mut Answer<'_>, recording: &Analysis, kinds: &[SampleKind]) {
    let repeats = kinds.iter().filter(|&&kind| recording.count(kind) > 0);
    if repeats.clone().any(|&kind| recording.has_fixed_distances(kind)) {
        answer.note(
            "distances were fixed, so that samples may meet the same part of a loop again and again, and errors are \
             not those of chance; record with `--rand hw`"
                .to_owned(),
        );
    }
    if kinds.contains(&SampleKind::Fetch) {
        after_given_up(recording)
            .into_iter()
            .for_each(|words| answer.note(words));
    }
    if kinds.contains(&SampleKind::Op) && recording.sampling.choice.mode == CountMode::Cycles {
        let dropped = recording.sampling.op.and_then(|attempts| attempts.dropped);
        let unseen = match dropped {
            None | Some(0) => String::new(),
            Some(dropped) => format!(
                " (of a stall of more than {CLOCKS_TO_A_GROUP} clocks the sampler sees the last {CLOCKS_TO_A_GROUP} \
                 only: it dropped {dropped} attempts)"
            ),
        };
        answer.note(format!(
            "ops were sampled by clocks, so those after a stall are over-represented{unseen} and counts of two \
             instructions cannot be compared; record with `--mode dispatch`"
        ));
    }
}

/// The effect of fetches that were given up on samples of fetches, if there are enough of them.
fn after_given_up(recording: &Analysis) -> Option<String> {
    let period = recording
        .sampling
        .fetch
        .map(|attempts| attempts.period)
        .filter(|&period| period > 1)?;
    let fetches = recording
        .samples
        .iter()
        .filter(|sample| sample.kind == SampleKind::Fetch);
    let known = fetches.filter_map(|sample| sample.images.field(&FETCH_COMP));
    let (all, completed) = known.fold((0u64, 0u64), |(all, completed), flag| (all + 1, completed + flag));
    let given_up = all - completed;
    if given_up * FEW_GIVEN_UP <= all {
        return None;
    }
    let short = match period {
        // Each period that ends with one is a fetch short.
        period if period < SHORT_PERIOD => format!(
            "; at a period of {period}, counts are up to {:.0}% too large besides",
            100.0 / (period - 1) as f64
        ),
        _ => String::new(),
    };
    Some(format!(
        "{given_up} of {all} sampled fetches were killed or aborted: the sampler counts completed fetches and tags \
         the next one of any kind, so that completed ones right after those are not sampled{short}"
    ))
}

/// Given-up fetches are mentioned if they are at least one in this many of the sampled ones.
const FEW_GIVEN_UP: u64 = 100;
/// From this period of fetches on, one more or less in each is less than 7 %.
const SHORT_PERIOD: u64 = 16;

/// The scope of exact figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exactly {
    /// All fetches or ops.
    Everything,
    /// The ops of each instruction.
    Instructions,
    /// The accesses to each line of data.
    Data,
    /// The loads that a filter of latency keeps.
    SlowLoads,
}

/// States what a filter left out, and why exact figures are missing or incomplete.
fn truth_missing(answer: &mut Answer<'_>, recording: &Analysis, truth: bool, of: Exactly) {
    let mut sampled = SampleKind::ALL.into_iter().filter(|&kind| recording.count(kind) > 0);
    let choice = &recording.sampling.choice;
    let filtered = match of {
        Exactly::SlowLoads => choice.last_level_misses_only,
        _ => sampled.any(|kind| recording.is_filtered(kind)),
    };
    let known = recording.truth.as_ref().filter(|_| truth);
    if filtered {
        let exact = match known {
            Some(_) => "; exact figures, which are of all, are no measure of that",
            None => "",
        };
        answer.note(format!(
            "a filter ({}) kept only some samples: figures are of those alone{exact}",
            filters(choice)
        ));
    }
    if truth && known.is_none() {
        answer.note("exact figures are not in this file; `p5inst sample --truth` records them".to_owned());
    }
    let Some(known) = known else {
        return;
    };
    if of == Exactly::Instructions && known.instructions_cut {
        answer.note(few_instructions(known));
    }
    if of == Exactly::Data && known.data_cut > 0 {
        answer.note(format!(
            "exact figures lack {} accesses to other lines, because there were too many lines",
            known.data_cut
        ));
    }
}

/// The note that exact figures are known of some instructions only.
fn few_instructions(known: &Truth) -> String {
    format!(
        "exact figures are known of {} only, because the run sums the others by line: rows of others have none, and rows \
         that sum several may be too low",
        counted(known.instructions.len() as u64, "instruction")
    )
}

/// States what the exact figures lack that a question of the user's own reads from the tables `truth_...`.
pub fn note_partial_truth(answer: &mut Answer<'_>, recording: &Analysis, question: &str) {
    let known = recording.truth.as_ref().filter(|known| known.instructions_cut);
    let asked = ["truth_instructions", "truth_causes", "truth_events"];
    let question = question.to_ascii_lowercase();
    if let Some(known) = known.filter(|_| asked.iter().any(|table| question.contains(table))) {
        answer.note(few_instructions(known));
    }
}

/// The filters of samples, as the options that set them.
fn filters(choice: &Choice) -> String {
    let latency = choice.load_latency.map(|clocks| format!("--ldlat {clocks}"));
    let misses = choice.last_level_misses_only.then(|| "--l2miss-only".to_owned());
    let options: Vec<String> = latency.into_iter().chain(misses).collect();
    options.join(", ")
}

/// The reason why something is not known, followed by its consequence `so`.
fn lacking(lack: &Lack, so: &str) -> String {
    let of_kind = |kind: &SampleKind| match kind {
        SampleKind::Fetch => "fetches",
        SampleKind::Op => "ops",
    };
    match lack {
        Lack::Off(kind) => format!(
            "no {} were sampled, so {so}; record with `--{}`",
            of_kind(kind),
            kind.name()
        ),
        Lack::NoSample(kind) => format!(
            "no sample of {} was taken, so {so}; record with a smaller period, or a longer run",
            of_kind(kind)
        ),
        Lack::Filtered(kind) => format!(
            "the filter left no sample of {}, so {so}; record without `--ldlat` or `--l2miss-only`",
            of_kind(kind)
        ),
        Lack::NotKept(names) => {
            let (list, it) = match names.as_slice() {
                [first @ .., last] if !first.is_empty() => (format!("{} or {last}", first.join(", ")), "them"),
                names => (names.concat(), "it"),
            };
            format!("no sample has {list}, so {so}; record with {it}")
        }
    }
}

/// States why something is not known; returns whether it is known.
fn known(answer: &mut Answer<'_>, lack: Option<Lack>, so: &str) -> bool {
    if let Some(lack) = &lack {
        answer.note(lacking(lack, so));
    }
    lack.is_none()
}

/// The exact figure and the error in sigmas of an estimated count.
fn graded(sum: &Sum, scale: Option<f64>, exact: Option<u64>) -> [Value; 2] {
    graded_by(sum, scale, exact, 1.0)
}

/// The same for a sum to which one event usually contributes `usual`.
fn graded_by(sum: &Sum, scale: Option<f64>, exact: Option<u64>, usual: f64) -> [Value; 2] {
    let exact_value = exact.map_or(Value::Missing, |exact| Value::Integer(u128::from(exact)));
    let sigmas = scale
        .zip(exact)
        .and_then(|(scale, exact)| sum.sigmas(scale, exact, usual));
    [exact_value, sigmas.map_or(Value::Missing, Value::Real)]
}

fn estimated(sum: &Sum, scale: Option<f64>) -> Value {
    scale.map_or(Value::Missing, |scale| Value::Rounded(sum.estimate(scale)))
}

/// A share in percent; missing without a whole.
fn percent(part: f64, whole: f64) -> Value {
    if whole > 0.0 {
        Value::Percent(part * 100.0 / whole)
    } else {
        Value::Missing
    }
}

/// Adds the place of a group of samples: its line, and its name.
fn place_columns<'c, R>(
    columns: &mut Columns<'c, R>,
    recording: &'c Analysis,
    by: Grouping,
    group: impl Fn(&R) -> Group + Copy + 'c,
) {
    let line = if by == Grouping::Line { "line" } else { "" };
    columns.add("place", line, Unit::Text, move |row| match group(row) {
        Group::At(address) => Value::words(recording.place(address)),
        group => Value::Nameless(nameless(group, by)),
    });
    let (name, text) = match by {
        Grouping::Procedure => ("procedure", "where"),
        Grouping::Instruction => ("location", "where"),
        Grouping::Line => ("location", ""),
    };
    columns.add(name, text, Unit::Text, move |row| {
        let group = group(row);
        let name = group.address().map(|address| match by {
            Grouping::Procedure => recording
                .routine(address)
                .map_or(String::new(), |routine| routine.name().into_owned()),
            _ => labelled(recording, address),
        });
        // The reader of JSON, too, has to tell the groups without an address apart.
        Value::Text(name.unwrap_or_else(|| nameless(group, by).to_owned()))
    });
}

/// The words for a group without a first address.
fn nameless(group: Group, by: Grouping) -> &'static str {
    match (group, by) {
        (Group::NoAddress, _) => "(no address)",
        (_, Grouping::Line) => "(no line)",
        _ => "(no symbol)",
    }
}

/// An address of code with the label before it.
fn labelled(recording: &Analysis, address: u32) -> String {
    match recording.procedure(address) {
        Some(symbol) if symbol.address == address => symbol.name.clone(),
        Some(symbol) => format!("{}+{:X}h", symbol.name, address - symbol.address),
        None => String::new(),
    }
}
