//! The arguments of the commands that read the counters and the other model specific registers.

use super::super::examples::MSR_EXAMPLES;
use super::{Color, Form, Presentation, ProgramArguments, RunArguments, clocks};
use clap::{Args, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// A program whose events are counted.
#[derive(Args, Debug)]
pub(crate) struct StatArguments {
    /// The program and its machine.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// Instead, the mean clocks of this event, by number or name
    ///
    /// A text that only its name or description has is a name, too; `2Bh:1` where the counters count different events
    /// under one number. With --every, up to two.
    #[arg(long, value_name = "EVENT", conflicts_with_all = ["all", "compare", "against", "bytes", "mhz"])]
    pub(crate) event: Vec<String>,
    /// With --event: show it in each interval of so many clocks
    ///
    /// An interval ends with the first block of instructions after them. What follows the first 100,000 intervals, or
    /// in JSON the first 8 MiB of them, is shown as one.
    #[arg(long, value_name = "CLOCKS", requires = "event", value_parser = interval)]
    pub(crate) every: Option<NonZeroU64>,
    /// Also count the events that Mathisen's list leaves out
    #[arg(long)]
    pub(crate) all: bool,
    /// Show two programs side by side: `--compare A B`
    ///
    /// Arguments after them are for both, and both share `--timeout`: each has at least half of it.
    #[arg(long)]
    pub(crate) compare: bool,
    /// Compare with the program under further options
    ///
    /// All options up to the end of the line are of the second side.
    #[arg(long, value_name = "OPTION", num_args = 1.., allow_hyphen_values = true)]
    pub(crate) against: Vec<OsString>,
    /// The bytes that the program works on
    ///
    /// For clocks per byte.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) bytes: Option<u64>,
    /// The chip's clock rate in MHz, for seconds
    ///
    /// With `--bytes` also for MB/s, and for a program that asks for the time.
    #[arg(long, value_name = "RATE", value_parser = megahertz)]
    pub(crate) mhz: Option<f64>,
    /// The format [default: that of the file's extension, or else text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<StatForm>,
    /// Write the report to this file: .csv, .json or .txt
    ///
    /// A file is replaced once the report is complete.
    #[arg(short = 'o', long, value_name = "FILE", conflicts_with = "event")]
    pub(crate) output: Option<PathBuf>,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// The formats of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StatForm {
    /// Tables
    Text,
    /// JSON
    Json,
    /// A row for each event of each program, for spreadsheets
    Csv,
}

impl StatArguments {
    /// The format: the one that is named, or else that of the file.
    pub(crate) fn form(&self) -> StatForm {
        let extension = self.output.as_deref().and_then(Path::extension);
        self.format
            .unwrap_or_else(|| match extension.and_then(|name| name.to_str()) {
                Some("csv") => StatForm::Csv,
                Some("json") => StatForm::Json,
                _ => StatForm::Text,
            })
    }

    /// The form of a report of single events, which have no table of values.
    pub(crate) fn presentation(&self) -> Result<Presentation, String> {
        let format = match self.form() {
            StatForm::Text => Form::Text,
            StatForm::Json => Form::Json,
            StatForm::Csv => return Err("`--format csv` is of all events; with `--event`, take json".to_owned()),
        };
        Ok(Presentation {
            format,
            color: self.color,
        })
    }
}

/// An event whose mean length is measured, and a program.
#[derive(Args, Debug)]
pub(crate) struct RatioArguments {
    /// The event: its number, its name, or a text that only its name or description has; `2Bh:1` where the counters
    /// count different events under one number
    #[arg(value_name = "EVENT")]
    pub(crate) event: String,
    /// The program and its machine.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// The form of the report.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}

/// A program whose measurements are audited.
#[derive(Args, Debug)]
pub(crate) struct AuditArguments {
    /// The program and how to run it.
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// The copies of a region's code in the second calibration, which also runs twice as many; 0 for none
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=1000))]
    pub(crate) copies: u32,
    /// Also show all passes that differ
    #[arg(long)]
    pub(crate) all: bool,
    /// The form of the report.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}

/// A program whose events are watched.
#[derive(Args, Debug)]
pub(crate) struct WatchArguments {
    /// The program and its machine.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// An event, by number or name, with `:0` or `:1` where each counter counts another one; a second `--ev` is for the
    /// second counter
    #[arg(long, value_name = "EVENT", required = true)]
    pub(crate) ev: Vec<String>,
    /// The clocks of an interval; it ends with the first block of instructions after them. What follows the first
    /// 100,000 intervals, or in JSON the first 8 MiB of them, is shown as one
    #[arg(long, value_name = "CLOCKS", default_value = "100_000", value_parser = interval)]
    pub(crate) every: NonZeroU64,
    /// The form of the report.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}

/// What can be done with the model specific registers.
#[derive(Debug, Subcommand)]
pub(crate) enum MsrCommand {
    /// Read the registers with RDMSR, twice, or before and after a program; show values, faults and the time
    #[command(after_help = MSR_EXAMPLES)]
    Dump(DumpArguments),
}

/// The chip whose registers are read, and the program around which they are.
#[derive(Args, Debug)]
// An argument that is changed moves after the others.
#[command(mut_arg("file", |file| file.required(false).index(1)), mut_arg("more", |more| more.index(2)))]
pub(crate) struct DumpArguments {
    /// The program, if there is one, and the machine.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// The chip's clock rate in MHz, for the seconds since power-up, and for a program that asks for the time
    #[arg(long, value_name = "RATE", value_parser = megahertz)]
    pub(crate) mhz: Option<f64>,
    /// The form of the output.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}

/// The maximum clock rate, in MHz.
const FASTEST: f64 = 10_000.0;

/// The clocks in a second at a rate in MHz.
pub(crate) fn hertz(megahertz: f64) -> Option<NonZeroU64> {
    NonZeroU64::new((megahertz * 1e6).round() as u64)
}

pub(super) fn megahertz(text: &str) -> Result<f64, String> {
    let plain = text
        .chars()
        .all(|character| character.is_ascii_digit() || character == '.');
    match text.parse::<f64>() {
        Ok(rate) if plain && rate > 0.0 && rate <= FASTEST => Ok(rate),
        _ => Err(format!(
            "not a clock rate in MHz up to {FASTEST}; write for example 60 or 66.6"
        )),
    }
}

fn interval(text: &str) -> Result<NonZeroU64, String> {
    if text.bytes().all(|one| matches!(one, b'0' | b'_')) && text.contains('0') {
        return Err("an interval has at least one clock".to_owned());
    }
    clocks(text)
        .and_then(|clocks| NonZeroU64::new(clocks).ok_or_else(|| "an interval has at least one clock".to_owned()))
}
