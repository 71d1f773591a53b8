//! A study of sampling, as text, JSON and a page: all from one [`StudyReport`].

mod html;
mod text;

use super::labelled;
use crate::{Style, json_text};
use p5_samples::study::{BiasRow, ErrorRow, Study, WaitRow};
use p5_samples::{Grouping, Recording};
use schemars::{JsonSchema, generate::SchemaSettings};
use serde::Serialize;
use std::io::{self, Write};

/// Increased when a field of the JSON is removed or changes its meaning.
const SCHEMA_VERSION: u32 = 1;
/// The chance below which samples are not taken for a choice by chance.
const REJECTED: f64 = 0.001;

/// The forms of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyForm {
    /// A curve and tables, for reading.
    Text,
    /// One object that follows [`study_schema`].
    Json,
    /// A page that needs no network.
    Html,
}

/// How good sampling is on one run of a program, of which everything is known exactly.
#[derive(Serialize, JsonSchema)]
#[schemars(title = "p5inst study")]
struct StudyReport<'a> {
    /// Version of this schema; within one version fields are only added.
    schema_version: u32,
    /// The program that was sampled.
    program: &'a str,
    /// The full name of the chip.
    chip: &'a str,
    /// The memory preset.
    memory: &'a str,
    /// The ops of the run.
    ops: u64,
    /// The clocks of the run.
    clocks: u64,
    /// What shares are of: `insn`, `proc` or `line`.
    by: &'static str,
    /// The first seed.
    first_seed: u64,
    /// How many seeds there are; each is one more than the one before.
    seeds: u32,
    /// What the op sampler of `errors` counts: `cycles` or `dispatch`.
    mode: &'static str,
    /// How the distance of `errors` varies: `none`, `hw` or `lfsr12`.
    randomization: &'static str,
    /// The ops of a round of the loop around the instruction executed most often; null if there is no steady loop.
    loop_ops: Option<u64>,
    /// The error of shares by period, ascending.
    errors: Vec<ErrorReport>,
    /// How evenly instructions are taken by period and kind of distance.
    biases: Vec<BiasReport>,
    /// The period of samples by clocks, in clocks; `--rand` is `hw`.
    clocks_period: u64,
    /// Samples by clocks of all seeds.
    clocks_samples: u64,
    /// Attempts by clocks at which there was nothing to take.
    clocks_dropped: u64,
    /// What samples by clocks show of each group, those most over-represented first.
    waits: Vec<WaitReport>,
    /// What the reader should know.
    notes: Vec<String>,
}

/// The error of shares at one period.
#[derive(Serialize, JsonSchema)]
struct ErrorReport {
    /// Ops or clocks from one sample to the next, on average.
    period: u64,
    /// Samples of a seed, on average.
    samples: f64,
    /// The root of the mean square of the errors of all groups and seeds, in percentage points.
    rms: f64,
    /// What theory expects of ops chosen by chance: it falls with the square root of `samples`.
    expected: f64,
    /// The largest error, in percentage points.
    largest: f64,
}

/// How evenly instructions are taken.
#[derive(Serialize, JsonSchema)]
struct BiasReport {
    /// Ops from one sample to the next, on average.
    period: u64,
    /// What is left of the period behind whole rounds of the loop, in ops; null without a loop.
    left: Option<u64>,
    /// How the distance varies: `none` (one seed), `hw` or `lfsr12` (all seeds).
    randomization: &'static str,
    /// How many samples.
    samples: u64,
    /// The linear address of the instruction that was taken most often.
    address: u32,
    /// Its label, with the distance from it.
    label: String,
    /// The instruction.
    text: String,
    /// Its share of the samples, in percent.
    share: f64,
    /// Its share of the ops, in percent.
    exact: f64,
    /// Pearson's chi-square of all instructions against their exact shares; null with a single one to tell apart.
    chi_square: Option<f64>,
    /// Its degrees of freedom; instructions of which fewer than five samples are expected are joined.
    freedom: Option<u32>,
    /// The chance of so large a value if ops are chosen by chance.
    p: Option<f64>,
}

/// What samples by clocks show of a line, procedure or instruction.
#[derive(Serialize, JsonSchema)]
struct WaitReport {
    /// The linear address of its first instruction that was executed.
    address: u32,
    /// Its name: `file:line`, or a label.
    place: String,
    /// Its first instruction that was executed.
    text: String,
    /// Its share of ops, in percent.
    executed: f64,
    /// Its share of samples by clocks, in percent.
    sampled: f64,
    /// The share of clocks at which a sampler takes it, in percent: what `sampled` estimates.
    clocks: f64,
    /// Clocks that one of its ops waits to enter the pipeline, on average.
    waited: f64,
    /// What it waits for, in words; null if it is not over-represented or nothing is known.
    why: Option<String>,
}

/// Writes a study of the program in `recording`, whose truth names the instructions.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_study(
    form: StudyForm,
    study: &Study,
    recording: &Recording,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = report(study, recording);
    match form {
        StudyForm::Text => text::write(&report, style, out),
        StudyForm::Json => json_text::write_json(&report, out),
        StudyForm::Html => html::write(&report, out),
    }
}

/// The JSON schema (draft 2020-12) of what [`write_study`] writes as JSON.
pub fn study_schema() -> serde_json::Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    settings
        .into_generator()
        .into_root_schema_for::<StudyReport>()
        .to_value()
}

fn report<'a>(study: &Study, recording: &'a Recording) -> StudyReport<'a> {
    let plan = &study.plan;
    let instruction = |address: u32| {
        recording
            .instruction(address)
            .map_or_else(String::new, |one| one.text.clone())
    };
    let place = |address: u32| match plan.by {
        Grouping::Line => recording.place(address),
        Grouping::Procedure => recording.routine(address).map(|symbol| symbol.name.clone()),
        Grouping::Instruction => Some(labelled(recording, address)).filter(|label| !label.is_empty()),
    };
    let place = |address: u32| place(address).unwrap_or_else(|| format!("{address:08X}h"));
    let error = |row: &ErrorRow| ErrorReport {
        period: row.period,
        samples: row.samples,
        rms: row.root_mean_square * 100.0,
        expected: row.expected * 100.0,
        largest: row.largest * 100.0,
    };
    let bias = |row: &BiasRow| BiasReport {
        period: row.period,
        left: row.left,
        randomization: row.randomization.name(),
        samples: row.samples,
        address: row.most,
        label: labelled(recording, row.most),
        text: instruction(row.most),
        share: row.share * 100.0,
        exact: row.exact * 100.0,
        chi_square: row.test.map(|test| test.value),
        freedom: row.test.map(|test| test.freedom),
        p: row.test.map(|test| test.p),
    };
    let wait = |row: &WaitRow| WaitReport {
        address: row.group,
        place: place(row.group),
        text: instruction(row.group),
        executed: row.executed * 100.0,
        sampled: row.sampled * 100.0,
        clocks: row.clocks * 100.0,
        waited: row.waited,
        why: row.why.map(|why| {
            let (cause, clocks) = (why.cause.name(), why.clocks);
            format!("{}: {cause}, {clocks:.1} clocks", instruction(why.address))
        }),
    };
    let mut notes = Vec::new();
    if plan.round.is_none() {
        notes.push("no loop has a steady length, so distances are compared at the periods of the curve".to_owned());
    }
    if recording.truth.as_ref().is_some_and(|truth| truth.instructions_cut) {
        notes.push("not all instructions have their text and clocks: there were too many".to_owned());
    }
    StudyReport {
        schema_version: SCHEMA_VERSION,
        program: &recording.program,
        chip: &recording.machine.chip_title,
        memory: &recording.machine.memory,
        ops: study.ops,
        clocks: recording.truth.as_ref().map_or(0, |truth| truth.clocks),
        by: match plan.by {
            Grouping::Instruction => "insn",
            Grouping::Procedure => "proc",
            Grouping::Line => "line",
        },
        first_seed: plan.seeds.0,
        seeds: plan.seeds.1,
        mode: plan.mode.name(),
        randomization: plan.randomization.name(),
        loop_ops: plan.round,
        errors: study.errors.iter().map(error).collect(),
        biases: study.biases.iter().map(bias).collect(),
        clocks_period: plan.clocks,
        clocks_samples: study.by_clocks.0,
        clocks_dropped: study.by_clocks.1,
        waits: study.waits.iter().map(wait).collect(),
        notes,
    }
}

impl StudyReport<'_> {
    /// What was studied.
    fn setting(&self) -> [String; 2] {
        let last = self.first_seed.wrapping_add(u64::from(self.seeds.saturating_sub(1)));
        let seeds = match self.seeds {
            1 => format!("seed {last}"),
            _ => format!("seeds {} to {last}", self.first_seed),
        };
        [
            format!("{} on {}, memory {}", self.program, self.chip, self.memory),
            format!(
                "{} ops in {} clocks of the last run; shares by {}, {seeds}",
                self.ops, self.clocks, self.by
            ),
        ]
    }

    /// What the curve shows.
    fn about_errors(&self) -> String {
        format!(
            "`--mode {}`, `--rand {}`: root mean square of the error of a share, in percentage points, and what \
             chance lets expect, which falls with the square root of the number of samples, on a logarithmic scale",
            self.mode, self.randomization
        )
    }

    /// What the comparison shows.
    fn about_biases(&self) -> String {
        let round = match self.loop_ops {
            Some(ops) => format!("A round of the innermost loop is {ops} ops; left is what it leaves of a period. "),
            None => String::new(),
        };
        let mode = match self.mode {
            "cycles" => "Periods here are of ops, by `--mode dispatch`. ",
            _ => "",
        };
        format!(
            "{mode}{round}`none` has the samples of one seed, as all have the same, the others those of {} seeds. The \
             instruction that each kind of distance takes most often, its share of the samples and of the \
             ops, and the chance p of so uneven samples if ops are chosen by chance: below {REJECTED} they are not. \
             Near 1 they are more even than chance",
            self.seeds
        )
    }

    /// What the last table shows.
    fn about_waits(&self) -> String {
        format!(
            "`--mode cycles`, {} clocks and the wait for an op apart, {} samples, {} attempts without an op: shares of \
             ops, of samples, and of the clocks at which an op is due to be taken; those first whose share of clocks \
             exceeds that of ops most. Samples follow clocks, not executions: an op that waits is taken more often \
             by as much as it waits",
            self.clocks_period, self.clocks_samples, self.clocks_dropped
        )
    }
}

impl ErrorReport {
    /// Places of the error and of what is expected on a logarithmic scale.
    fn places(&self, [least, most]: [f64; 2]) -> [f64; 2] {
        [self.rms, self.expected].map(|error| {
            let range = (most / least).ln();
            if error > 0.0 && range > 0.0 {
                ((error / least).ln() / range).clamp(0.0, 1.0)
            } else {
                0.0
            }
        })
    }
}

/// The least error that is not 0, and the largest, of those drawn; none without any.
fn scale(errors: &[ErrorReport]) -> Option<[f64; 2]> {
    let drawn = errors
        .iter()
        .flat_map(|row| [row.rms, row.expected])
        .filter(|error| *error > 0.0);
    drawn.fold(None, |ends: Option<[f64; 2]>, error| match ends {
        Some([least, most]) => Some([least.min(error), most.max(error)]),
        None => Some([error, error]),
    })
}

/// A chance, with as many digits as it needs.
fn chance(p: f64) -> String {
    match p {
        tiny if tiny < 1e-99 => "<1e-99".to_owned(),
        small if small < REJECTED => format!("{small:.0e}"),
        _ => format!("{p:.3}"),
    }
}

/// How often samples have as much as ops.
fn ratio(sampled: f64, executed: f64) -> String {
    if executed > 0.0 {
        format!("{:.2}", sampled / executed)
    } else {
        "-".to_owned()
    }
}
