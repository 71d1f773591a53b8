//! The arguments of `advise`.

use super::{OF_SOURCE, Presentation, ProgramArguments};
use clap::Args;

const FILE: &str = "An assembly source, or `-` for standard input; a program that is already built has no source to \
                    change";

/// A program that may become faster.
#[derive(Args, Debug)]
#[command(mut_arg("file", |file| file.help(FILE)), mut_arg("more", |more| more.help(OF_SOURCE).long_help(OF_SOURCE)))]
pub(crate) struct AdviseArguments {
    /// The program and its machine.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// The number of runs of each trial, 1 to 1000; the last run counts, and only the first one is cold [default: 2,
    /// or up to 5 if a program takes so many until its clocks are steady]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: Option<u32>,
    /// Write the suggestions to the file, if the final state of the run stays the same
    #[arg(long)]
    pub(crate) write: bool,
    /// With --write: only show what would be written
    #[arg(long, visible_alias = "diff")]
    pub(crate) dry_run: bool,
    /// The form of the report.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}
