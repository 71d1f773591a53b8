//! The options of `p5inst compare`.

use super::{Amount, Arguments, Output, Outputs, Presentation, RunArguments};
use crate::budgets::millionths;
use crate::command::examples::COMPARE_EXAMPLES;
use clap::Args;
use runtime::model::Model;
use runtime::report::RUN_FORMATS;
use std::path::{Path, PathBuf};

/// NEW, in its place among the positional arguments.
const NEW: &str = "The newer source or program, or the JSON report of its run";
/// What follows NEW.
const MORE: &str = "Arguments of both programs, or objects to link with both sources";

/// Two runs to compare.
#[derive(Args, Clone, Debug)]
#[command(after_help = COMPARE_EXAMPLES)]
#[command(mut_arg("file", |file| file.value_name("NEW").help(NEW)))]
#[command(mut_arg("more", |more| more.value_name("ARG").help(MORE).long_help(MORE)))]
pub(crate) struct CompareArguments {
    /// The older source or program, or the JSON report of its run; `-` is a report on standard input
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// Exit with 1 if the last run or a region takes more clocks by more than this share
    #[arg(long, value_name = "PERCENT", value_parser = share, allow_hyphen_values = true)]
    pub(crate) fail_over: Option<u64>,
    /// Exit with 1 unless both runs end with the same results
    ///
    /// The values of the variables that both programs have, the output and the exit code; if there is none of these,
    /// EAX.
    #[arg(long)]
    pub(crate) fail_on_other_results: bool,
    /// Show every function and line that changed, however little
    #[arg(long, visible_alias = "all")]
    pub(crate) long: bool,
    /// Options of the older run alone, in one argument, as in `--only-old "-D SLOW"`
    ///
    /// They are separated as a shell does it: quote marks hold a value with blanks or backslashes together. An option
    /// that both runs may have can be given to one of them.
    #[arg(long, value_name = "OPTIONS", value_parser = side_options, allow_hyphen_values = true)]
    pub(crate) only_old: Vec<SideOptions>,
    /// Options of the newer run alone, as in `--only-new "-D FAST --cpu p55c"`
    ///
    /// As with `--only-old`.
    #[arg(long, value_name = "OPTIONS", value_parser = side_options, allow_hyphen_values = true)]
    pub(crate) only_new: Vec<SideOptions>,
    /// Arguments of the older program alone
    ///
    /// They are one argument, as in `--old-args "small.txt 10"`, and follow those of both programs. The source of a DOS
    /// program gets the text as its command line.
    #[arg(long, value_name = "ARGS", value_parser = side_words, allow_hyphen_values = true)]
    pub(crate) old_args: Option<SideOptions>,
    /// Arguments of the newer program alone
    ///
    /// As with `--old-args`.
    #[arg(long, value_name = "ARGS", value_parser = side_words, allow_hyphen_values = true)]
    pub(crate) new_args: Option<SideOptions>,
    /// The newer program, and how what is no report is run.
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// The form of the comparison.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}

impl CompareArguments {
    /// The newer source, program or report.
    pub(crate) fn newer(&self) -> Result<&Path, String> {
        self.run
            .program
            .file
            .as_deref()
            .ok_or_else(|| "no second file is named".to_owned())
    }

    /// The arguments of a run of the program at `path`, on this chip if one is given, whose report is not shown.
    pub(crate) fn run_of(&self, path: &Path, chip: Option<&'static Model>) -> Arguments {
        let mut run = self.run.clone();
        run.program.file = Some(path.to_owned());
        if let Some(chip) = chip {
            run.program.assembly.cpu = chip;
            run.program.assembly.cpu_asked = true;
        }
        Arguments {
            command: None,
            run,
            amount: Amount::default(),
            outputs: Outputs(vec![Output {
                format: &RUN_FORMATS[0],
                file: None,
            }]),
            show: Vec::new(),
            rerun: false,
            sure: false,
            fail_on_mistakes: false,
            color: self.presentation.color,
            what_if: false,
        }
    }

    /// How much is told.
    pub(crate) fn amount(&self) -> Amount {
        Amount {
            long: self.long,
            all: self.long,
        }
    }
}

/// Options of one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SideOptions {
    /// As they were written.
    pub(crate) text: String,
    /// Each word of them.
    pub(crate) words: Vec<String>,
}

/// Separates words as a POSIX shell does: at blanks outside quote marks.
fn side_words(text: &str) -> Result<SideOptions, String> {
    let words = shlex::split(text).ok_or_else(|| {
        "a quote mark is not closed, or a backslash stands at the end; quote marks around a value keep it as it is"
            .to_owned()
    })?;
    Ok(SideOptions {
        text: text.trim().to_owned(),
        words,
    })
}

fn side_options(text: &str) -> Result<SideOptions, String> {
    let options = side_words(text)?;
    match options.words.is_empty() {
        true => Err("no option is named".to_owned()),
        false => Ok(options),
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
