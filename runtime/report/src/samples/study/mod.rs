//! A study of sampling, as text, JSON and a page: all from one [`StudyReport`].

mod html;
mod text;

use super::labelled;
use crate::{
    Style,
    document::{P5INST, document},
    json_text,
};
use p5_chips::ibs::CLOCKS_TO_A_GROUP;
use p5_record::Grouping;
use p5_samples::Analysis;
use p5_samples::study::{BiasRow, ErrorRow, Study, WaitRow};
use std::io::{self, Write};

/// The chance below which the choice of samples does not count as random.
const REJECTED: f64 = 0.001;

/// The forms of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StudyForm {
    /// A curve and tables, for reading.
    Text,
    /// One object that follows the schema `study` of [`crate::SCHEMAS`].
    Json,
    /// A page that needs no network.
    Html,
}

document! {
    /// The quality of sampling on one run of a program with exact figures.
    #[cfg_attr(test, schemars(title = "p5inst study"))]
    pub(crate) struct StudyReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program that was sampled.
        program: &'a str = &recording.program,
        /// The full name of the chip.
        chip: &'a str = &recording.machine.chip_title,
        /// The memory preset.
        memory: &'a str = &recording.machine.memory,
        /// The ops of the run.
        ops: u64 = study.ops,
        /// The clocks of the run.
        clocks: u64 = recording.truth.as_ref().map_or(0, |truth| truth.clocks),
        /// The groups of the shares: `insn`, `proc` or `line`.
        by: &'static str = match plan.by {
            Grouping::Instruction => "insn",
            Grouping::Procedure => "proc",
            Grouping::Line => "line",
        },
        /// The first seed.
        first_seed: u64 = plan.seeds.0,
        /// The number of seeds; each is one more than the one before.
        seeds: u32 = plan.seeds.1,
        /// The unit that the op sampler of `errors` counts: `cycles` or `dispatch`.
        mode: &'static str = plan.mode.name(),
        /// How the distance of `errors` varies: `none`, `hw` or `lfsr12`.
        randomization: &'static str = plan.randomization.name(),
        /// The ops of a round of the loop around the instruction executed most often; null if there is no steady loop.
        loop_ops: Option<u64> = plan.round,
        /// The error of shares by period, ascending.
        errors: Vec<ErrorReport> = study.errors.iter().map(ErrorReport::of).collect(),
        /// The evenness of sampling by period and kind of distance.
        biases: Vec<BiasReport> = study.biases.iter().map(|row| BiasReport::of(row, recording)).collect(),
        /// The period of samples by clocks, in clocks; `--rand` is `hw`.
        clocks_period: u64 = plan.clocks,
        /// Samples by clocks of all seeds.
        clocks_samples: u64 = study.by_clocks.0,
        /// Attempts by clocks at which there was nothing to take.
        clocks_dropped: u64 = study.by_clocks.1,
        /// The shares of each group in samples by clocks, the most over-represented first.
        waits: Vec<WaitReport> = study.waits.iter().map(|row| WaitReport::of(row, study, recording)).collect(),
        /// Notes for the reader.
        notes: Vec<String> = notes(study, recording),
    }
    from (study: &Study, recording: &'a Analysis) {
        let plan = &study.plan;
    }

    /// The error of shares at one period.
    pub(crate) struct ErrorReport {
        /// Ops or clocks from one sample to the next, on average.
        period: u64 = row.period,
        /// Samples of a seed, on average.
        samples: f64 = row.samples,
        /// The root of the mean square of the errors of all groups and seeds, in percentage points.
        rms: f64 = row.root_mean_square * 100.0,
        /// The value that theory expects for ops chosen by chance: it falls with the square root of `samples`.
        expected: f64 = row.expected * 100.0,
        /// The largest error, in percentage points.
        largest: f64 = row.largest * 100.0,
    }
    from (row: &ErrorRow)

    /// The evenness with which instructions are sampled.
    pub(crate) struct BiasReport {
        /// Ops from one sample to the next, on average.
        period: u64 = row.period,
        /// The remainder of the period after whole rounds of the loop, in ops; null without a loop.
        left: Option<u64> = row.left,
        /// How the distance varies: `none` (one seed), `hw` or `lfsr12` (all seeds).
        randomization: &'static str = row.randomization.name(),
        /// The number of samples.
        samples: u64 = row.samples,
        /// The linear address of the instruction that was taken most often.
        address: u32 = row.most,
        /// Its label, with the distance from it.
        label: String = labelled(recording, row.most),
        /// The instruction.
        text: String = instruction(recording, row.most),
        /// Its share of the samples, in percent.
        share: f64 = row.share * 100.0,
        /// Its share of the ops, in percent.
        exact: f64 = row.exact * 100.0,
        /// Pearson's chi-square of all instructions against their exact shares; null with a single one to tell apart.
        chi_square: Option<f64> = row.test.map(|test| test.value),
        /// Its degrees of freedom; instructions of which fewer than five samples are expected are joined.
        freedom: Option<u32> = row.test.map(|test| test.freedom),
        /// The chance of so large a value if ops are chosen by chance.
        p: Option<f64> = row.test.map(|test| test.p),
    }
    from (row: &BiasRow, recording: &Analysis)

    /// The over-representation of a line, procedure or instruction in samples by clocks.
    pub(crate) struct WaitReport {
        /// The linear address of its first instruction that was executed.
        address: u32 = row.group,
        /// Its name: `file:line`, or a label.
        place: String = place(study, recording, row.group),
        /// Its first instruction that was executed.
        text: String = instruction(recording, row.group),
        /// Its share of ops, in percent.
        executed: f64 = row.executed * 100.0,
        /// Its share of samples by clocks, in percent.
        sampled: f64 = row.sampled * 100.0,
        /// The share of clocks at which a sampler takes it, in percent: the value that `sampled` estimates.
        clocks: f64 = row.clocks * 100.0,
        /// Clocks that one of its ops waits to enter the pipeline, on average.
        waited: f64 = row.waited,
        /// The cause of the wait, in words; null if nothing is known, or without a wait that makes it over-represented
        /// or lasts more than a clock.
        why: Option<String> = row.why.map(|why| {
            let (cause, clocks) = (why.cause.name(), why.clocks);
            format!("{}: {cause}, {clocks:.1} clocks", instruction(recording, why.address))
        }),
    }
    from (row: &WaitRow, study: &Study, recording: &Analysis)
}

/// Writes a study of the program in `recording`, whose truth names the instructions.
///
/// # Errors
/// Only what `out` itself reports, such as a broken pipe.
pub fn write_study(
    form: StudyForm,
    study: &Study,
    recording: &Analysis,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let report = StudyReport::of(study, recording);
    match form {
        StudyForm::Text => text::write(&report, style, out),
        StudyForm::Json => json_text::write_json(&report, out),
        StudyForm::Html => html::write(&report, out),
    }
}

/// The reasons why a period or an instruction is not shown as one might expect.
fn notes(study: &Study, recording: &Analysis) -> Vec<String> {
    let mut notes = Vec::new();
    if study.plan.round.is_none() {
        notes.push("no loop has a steady length, so distances are compared at the periods of the curve".to_owned());
    }
    if recording.truth.as_ref().is_some_and(|truth| truth.instructions_cut) {
        notes.push("not all instructions have their text and clocks: the run sums the others by line".to_owned());
    }
    notes
}

/// The text of the instruction at an address; empty if it is not known.
fn instruction(recording: &Analysis, address: u32) -> String {
    let one = recording.instruction(address);
    one.map_or_else(String::new, |one| one.text.clone())
}

fn place(study: &Study, recording: &Analysis, address: u32) -> String {
    let name = match study.plan.by {
        Grouping::Line => recording.place(address),
        Grouping::Procedure => recording.routine(address).map(|routine| routine.name().into_owned()),
        Grouping::Instruction => Some(labelled(recording, address)).filter(|label| !label.is_empty()),
    };
    name.unwrap_or_else(|| format!("{address:08X}h"))
}

impl StudyReport<'_> {
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

    fn about_errors(&self) -> String {
        format!(
            "`--mode {}`, `--rand {}`: root mean square of the error of a share, in percentage points, and what \
             chance lets expect, which falls with the square root of the number of samples, on a logarithmic scale",
            self.mode, self.randomization
        )
    }

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

    fn about_waits(&self) -> String {
        let unseen = match self.clocks_dropped {
            0 => String::new(),
            dropped => format!(
                ", up to {CLOCKS_TO_A_GROUP} clocks. Of a longer wait the sampler sees the last {CLOCKS_TO_A_GROUP} \
                 clocks only: {:.1}% of the attempts found no op, and ops that waited longer have fewer samples than \
                 clocks",
                100.0 * dropped as f64 / (self.clocks_samples + dropped) as f64
            ),
        };
        format!(
            "`--mode cycles`, {} clocks and the wait for an op apart, {} samples, {} attempts without an op: shares of \
             ops, of samples, and of the clocks at which an op is due to be taken; those first whose share of clocks \
             exceeds that of ops most. Samples follow clocks, not executions: an op that waits is taken more often \
             by as much as it waits{unseen}",
            self.clocks_period, self.clocks_samples, self.clocks_dropped
        )
    }
}

impl ErrorReport {
    /// The positions of the error and of its expected value on a logarithmic scale.
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

/// A chance, with the digits that it needs.
fn chance(p: f64) -> String {
    match p {
        tiny if tiny < 1e-99 => "<1e-99".to_owned(),
        small if small < REJECTED => format!("{small:.0e}"),
        _ => format!("{p:.3}"),
    }
}

/// The share of samples as a multiple of the share of ops.
fn ratio(sampled: f64, executed: f64) -> String {
    if executed > 0.0 {
        format!("{:.2}", sampled / executed)
    } else {
        "-".to_owned()
    }
}
