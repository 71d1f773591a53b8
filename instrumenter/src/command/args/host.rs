//! The options of `p5inst host sample`.

use super::{Color, EventArguments, NATIVE, OF_SOURCE, ProgramArguments};
use crate::command::examples::HOST_SAMPLE_EXAMPLES;
use clap::{Args, ValueEnum};
use runtime::record::CountMode;
use std::path::PathBuf;

/// A program and what is sampled while it runs natively.
#[derive(Args, Debug)]
#[command(mut_arg("file", |file| file.help(NATIVE)), mut_arg("more", |more| more.help(OF_SOURCE).long_help(OF_SOURCE)))]
#[command(after_help = HOST_SAMPLE_EXAMPLES)]
pub(crate) struct HostSampleArguments {
    /// The program.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// The file of samples; one that is there is replaced once the new one is complete
    #[arg(short = 'o', value_name = "FILE.samples", required = true)]
    pub(crate) output: PathBuf,
    /// Sample a fetch every N fetches, a multiple of 16
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_PERIOD))]
    pub(crate) fetch: Option<u64>,
    /// Sample an op every N clocks or ops, a multiple of 16 [default: 100000, unless --fetch or
    /// --event is given]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=MOST_PERIOD))]
    pub(crate) op: Option<u64>,
    /// What is counted to find ops [default: dispatch where the processor can, else cycles]
    #[arg(long, value_enum)]
    pub(crate) mode: Option<HostCount>,
    /// The derived events to sample for.
    #[command(flatten)]
    pub(crate) events: EventArguments,
    /// Only loads that miss the data cache and take at least N clocks, 128 to 2048
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(128..=2048))]
    pub(crate) ldlat: Option<u32>,
    /// Only misses of the last level cache
    #[arg(long)]
    pub(crate) l3missonly: bool,
    /// The maximum number of native runs, 1 to 1000000; only the first run is cold
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) host_runs: u32,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// The maximum period.
const MOST_PERIOD: u64 = 1 << 40;

/// What the sampler of ops counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum HostCount {
    /// Clocks: ops that wait are sampled more often, so that `calc`, `topstalls` and `whatcg` refuse them
    Cycles,
    /// Dispatched ops: each is as likely as any other
    Dispatch,
}

impl From<HostCount> for CountMode {
    fn from(count: HostCount) -> CountMode {
        match count {
            HostCount::Cycles => CountMode::Cycles,
            HostCount::Dispatch => CountMode::Dispatch,
        }
    }
}
