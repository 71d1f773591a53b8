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
    /// The form of the comparison.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
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
