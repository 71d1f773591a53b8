//! The options of `p5inst sample`.

use super::query::TopBy;
use super::sampling::{LONGEST, LONGEST_FETCH, SampleMode, distance};
use super::{Color, EventArguments, RunArguments};
use crate::command::examples::SAMPLE_EXAMPLES;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// A program that is sampled.
#[derive(Args, Debug)]
#[command(after_help = SAMPLE_EXAMPLES)]
pub(crate) struct SampleArguments {
    /// The program and how to run it; the last run is sampled.
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// The file of samples to write; with --study, that of the report
    #[arg(short, long, value_name = "FILE.samples", required_unless_present = "study")]
    pub(crate) output: Option<PathBuf>,
    /// Sample every Nth fetch on average, 1 to 1048560
    ///
    /// Ops are sampled as well only with --op.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = |text: &str| distance(text, LONGEST_FETCH))]
    pub(crate) fetch: Option<u64>,
    /// Sample every Nth op on average, 1 to 134217712 [default: 1000]
    ///
    /// With --mode cycles, an op in N clocks and the wait for one to be there. The default is 4096 with --rand lfsr12,
    /// and none if --fetch or --event is given.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = |text: &str| distance(text, LONGEST))]
    pub(crate) op: Option<u64>,
    /// What the op sampler counts [default: dispatch]
    #[arg(long, value_enum, value_name = "MODE")]
    pub(crate) mode: Option<SampleMode>,
    /// The derived events to sample for.
    #[command(flatten)]
    pub(crate) events: EventArguments,
    /// How the distance between samples varies; the mean has to be at least 8 fetches or 64 ops with hw, 2048 ops with
    /// lfsr12, and at just these it varies half as far. Fetches are not sampled with lfsr12: theirs is hw then
    #[arg(long, value_enum, value_name = "HOW", default_value_t = SampleRandom::Hw)]
    pub(crate) rand: SampleRandom,
    /// The seed of the random numbers: the same seed gives the same file
    #[arg(long, value_name = "SEED", default_value_t = 0, allow_negative_numbers = true, value_parser = seed)]
    pub(crate) seed: u64,
    /// Record what is exactly true, too, for `p5inst query --truth`
    ///
    /// Of all ops and fetches; this takes more than ten times as long.
    #[arg(long)]
    pub(crate) truth: bool,
    /// Keep only these registers: names of registers or of their fields, separated by commas
    #[arg(long, value_name = "FIELDS", value_delimiter = ',')]
    pub(crate) keep: Vec<String>,
    /// Keep only loads that missed the data cache and waited at least this many clocks
    #[arg(long, value_name = "CLOCKS", value_parser = clap::value_parser!(u32).range(1..=65_535))]
    pub(crate) ldlat: Option<u32>,
    /// Keep only what neither cache level had, so what missed the second
    #[arg(long)]
    pub(crate) l2miss_only: bool,
    /// Sample ops in pairs
    #[arg(long)]
    pub(crate) paired: bool,
    /// The second op of a pair is 1 to this many after the first
    #[arg(long, value_name = "OPS", default_value_t = 64, requires = "paired",
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub(crate) window: u32,
    /// Write no samples: show how good sampling is
    ///
    /// By many seeds and periods, against exact counts.
    #[arg(long, conflicts_with_all = ["truth", "fetch", "op", "events", "keep", "ldlat", "l2miss_only", "paired"])]
    pub(crate) study: bool,
    /// How many seeds are studied, from --seed on, 1 to 1000
    #[arg(long, value_name = "N", default_value_t = 20, requires = "study",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) seeds: u32,
    /// The periods that are studied, 1 to 134217712, separated by commas [default: doubled from 64 on, and those
    /// around a multiple of the loop's length]
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires = "study",
          value_parser = period)]
    pub(crate) periods: Vec<u64>,
    /// The groups whose shares are studied
    #[arg(long, value_enum, value_name = "GROUP", default_value_t = TopBy::Line, requires = "study")]
    pub(crate) by: TopBy,
    /// The format of the report
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = SampleForm::Text)]
    pub(crate) format: SampleForm,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// The formats of a report on samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleForm {
    /// Tables, and the curve of a study
    Text,
    /// One object; see `p5inst schema query` and `schema study`
    Json,
    /// A page for any browser, of a study only
    Html,
}

/// How the distance between samples varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleRandom {
    /// It does not
    None,
    /// In the low 4 bits of a count of fetches and the low 7 bits of one of ops
    Hw,
    /// By up to 2048 ops around the mean, from a shift register like that of OProfile's driver
    Lfsr12,
}

fn period(text: &str) -> Result<u64, String> {
    distance(text, LONGEST)
}

fn seed(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}
