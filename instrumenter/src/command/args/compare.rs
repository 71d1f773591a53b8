//! The options of `p5inst compare`.

use super::{Amount, Presentation};
use crate::budgets::millionths;
use crate::command::examples::COMPARE_EXAMPLES;
use clap::Args;
use std::path::PathBuf;

/// Two runs to compare.
#[derive(Args, Debug)]
#[command(after_help = COMPARE_EXAMPLES)]
pub(crate) struct CompareArguments {
    /// The older source or program, or the JSON report of its run; `-` is a report on standard input
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// The newer source or program, or the JSON report of its run
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// Exit with 1 if the last run or a region takes more clocks by more than this share
    #[arg(long, value_name = "PERCENT", value_parser = share, allow_hyphen_values = true)]
    pub(crate) fail_over: Option<u64>,
    /// Show every function and line that changed, however little
    #[arg(long, visible_alias = "all")]
    pub(crate) long: bool,
    /// The options with which sources and programs are run.
    #[command(flatten)]
    pub(crate) run: Passed,
    /// The form of the comparison.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}

/// Options of a run, which the command that runs reads.
#[derive(Args, Debug)]
#[command(next_help_heading = "What is no report runs with")]
pub(crate) struct Passed {
    /// The chip
    #[arg(long, value_name = "CHIP")]
    cpu: Option<String>,
    /// The memory after the first-level caches
    #[arg(long, value_name = "PRESET")]
    memory: Option<String>,
    /// Instructions of later processors to execute
    #[arg(long, value_name = "LIST")]
    also: Option<String>,
    /// Registers to set before the run
    #[arg(long, value_name = "REG=VALUE")]
    set: Vec<String>,
    /// A symbol to define before assembling
    #[arg(short = 'D', value_name = "NAME=VALUE")]
    define: Vec<String>,
    /// A folder of includes, or of sources of a program
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
}

impl Passed {
    /// Whether a chip is asked for.
    pub(crate) fn names_chip(&self) -> bool {
        self.cpu.is_some()
    }

    /// These options as words of a command line.
    pub(crate) fn words(&self) -> Vec<String> {
        let single = [("--cpu", &self.cpu), ("--memory", &self.memory), ("--also", &self.also)];
        let single = single
            .into_iter()
            .filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let set = self.set.iter().map(|value| ("--set", value));
        let defined = self.define.iter().map(|value| ("-D", value));
        let included = self.include.iter().map(|value| ("-I", value));
        let all = single.chain(set).chain(defined).chain(included);
        all.flat_map(|(name, value)| [name.to_owned(), value.clone()]).collect()
    }
}

impl CompareArguments {
    /// How much is told.
    pub(crate) fn amount(&self) -> Amount {
        Amount {
            long: self.long,
            all: self.long,
        }
    }
}

/// Parses a percentage into millionths of a percent.
fn share(text: &str) -> Result<u64, String> {
    let number = text.strip_suffix('%').unwrap_or(text);
    if number.starts_with('-') && millionths(&number[1..]).is_some() {
        return Err(
            "a share is not negative: it is by how much the newer run may be slower; 0 lets it be no slower".to_owned(),
        );
    }
    millionths(number).ok_or_else(|| "not a share; write for example 2% or 0.5%".to_owned())
}
