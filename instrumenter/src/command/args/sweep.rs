//! The options of `p5inst sweep`: those of a run, but each with a list of values.

use super::{Color, EncodingArguments, MACHINE, MonitorArguments, Timeout, chip, clocks, definition, preset, seconds};
use crate::command::examples::SWEEP_EXAMPLES;
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, ValueEnum};
use runtime::model::{self, Choice, MEMORY_PRESETS, MODELS, MemoryPreset, Model};
use std::path::PathBuf;

/// A program and the values of its options.
#[derive(Args, Clone, Debug)]
#[command(after_help = SWEEP_EXAMPLES)]
pub(crate) struct SweepArguments {
    /// An assembly source, `-` for standard input, or a program: static Linux, or a .com or .exe file of DOS
    #[arg(value_name = "FILE.asm")]
    pub(crate) file: PathBuf,
    /// Objects and archives to link; or arguments of the program
    ///
    /// What follows the name of a Linux program is for it, also what begins with `-`.
    #[arg(value_name = "OBJECT", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) more: Vec<PathBuf>,
    /// The chips, separated by commas
    #[arg(help_heading = MACHINE, long, value_name = "CHIP", value_delimiter = ',', default_value = MODELS[0].name, ignore_case = true, value_parser = chip())]
    pub(crate) cpu: Vec<&'static Model>,
    /// The memories after the first-level caches
    #[arg(help_heading = MACHINE, long, value_name = "PRESET", value_delimiter = ',', default_value = MEMORY_PRESETS[0].name, value_parser = preset())]
    pub(crate) memory: Vec<&'static MemoryPreset>,
    /// The privilege levels, 0 and 3 [default: 0; 3 for Linux programs]
    #[arg(help_heading = MACHINE, long, value_name = "0|3", value_delimiter = ',', value_parser = super::privilege)]
    pub(crate) cpl: Vec<u8>,
    /// How often each program runs [default: 5; 1 for Linux programs]
    ///
    /// The caches are kept; the last run is reported.
    #[arg(help_heading = MACHINE, long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: Vec<u32>,
    /// Define a symbol, in each run as another value
    ///
    /// Texts separated by commas, or A..B or A..B:STEP for whole numbers. Commas between `<` and `>` separate nothing.
    #[arg(help_heading = MACHINE, short = 'D', value_name = "NAME=VALUES", value_parser = defined)]
    pub(crate) define: Vec<Defined>,
    /// Answers to a question that the sources leave open, separated by commas
    #[arg(help_heading = MACHINE, long, value_name = "NAME=VALUES", value_parser = assumed)]
    pub(crate) assume: Vec<Assumed>,
    /// The command line of a DOS program that is given as a source, as in `--args "in.txt /v"`
    #[arg(help_heading = MACHINE, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,
    /// What each chip is given in addition.
    #[command(flatten)]
    pub(crate) monitors: MonitorArguments,
    /// Add a column for this event, by number or name
    ///
    /// It is that of the user's program; events that last are counted in clocks.
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Vec<String>,
    /// Only these regions have columns
    #[arg(long, value_name = "NAME")]
    pub(crate) region: Vec<String>,
    /// Draw this column in text and HTML [default: the clocks of the regions, or else of the program, and each --event]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) figure: Vec<String>,
    /// Search this directory for include files, after that of the program
    #[arg(help_heading = MACHINE, short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Whose bytes are written where assemblers differ.
    #[command(flatten)]
    pub(crate) encoding: EncodingArguments,
    /// Stop a run when it has taken this many clocks [default: 10^9]
    #[arg(help_heading = MACHINE, long, value_name = "CLOCKS", value_parser = clocks)]
    pub(crate) limit: Option<u64>,
    /// Stop after this many seconds of real time for one row; 0 for never
    #[arg(help_heading = MACHINE, long, value_name = "SECONDS", default_value = "10", value_parser = seconds)]
    pub(crate) timeout: Timeout,
    /// The format [default: that of the file's extension, or else text]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<SweepForm>,
    /// Write the table to this file: .csv, .parquet, .json, .html or .txt
    ///
    /// It may be repeated. Finished rows are kept beside the first one, so that the same command continues a sweep that
    /// was interrupted; those that were stopped by a limit are finished, too, and another --timeout or --limit begins
    /// anew.
    #[arg(short = 'o', long, value_name = "FILE")]
    pub(crate) output: Vec<PathBuf>,
    /// Leave out the line of headings of CSV
    #[arg(long)]
    pub(crate) no_header: bool,
    /// Run nothing: print one command for each run
    ///
    /// Their outputs in this order are the CSV. Where a swept value decides what is assembled, each is assembled for
    /// the names of its regions, unless --region names them.
    #[arg(long, conflicts_with_all = ["format", "output", "no_header", "figure"])]
    pub(crate) jobs: bool,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// The formats of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SweepForm {
    /// A curve, or a heat map of two options
    Text,
    /// JSON; `p5inst schema sweep` describes it
    Json,
    /// Comma-separated values, a row for each run
    Csv,
    /// Apache Parquet
    Parquet,
    /// A page with the curve or heat map
    Html,
}

/// A symbol and its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Defined {
    /// The name.
    pub(crate) name: String,
    /// Its values, not yet expanded.
    pub(crate) values: Vec<Values>,
}

/// A part of a list of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Values {
    /// A text.
    Text(String),
    /// Numbers from the first to at most the last.
    Range {
        /// The first.
        first: i64,
        /// The last, if a step leads to it.
        last: i64,
        /// How far apart they are.
        step: u64,
    },
}

/// An open question and the answers to it.
#[derive(Clone, Debug)]
pub(crate) struct Assumed(pub(crate) Vec<Choice>);

impl Values {
    /// How many values they are.
    pub(crate) fn count(&self) -> u128 {
        match self {
            Values::Text(_) => 1,
            Values::Range { first, last, step } => u128::from(last.abs_diff(*first) / step) + 1,
        }
    }

    /// The values.
    pub(crate) fn expanded(&self) -> Vec<String> {
        match self {
            Values::Text(text) => vec![text.clone()],
            Values::Range { first, last, step } => {
                let values = std::iter::successors(Some(*first), |value| value.checked_add_unsigned(*step));
                values
                    .take_while(|value| value <= last)
                    .map(|value| value.to_string())
                    .collect()
            }
        }
    }
}

fn defined(text: &str) -> Result<Defined, String> {
    let (name, list) = text.split_once('=').unwrap_or((text, "1"));
    definition(&format!("{name}={list}"))?;
    let values = pieces(list).into_iter().map(|piece| values(name, piece));
    Ok(Defined {
        name: name.to_owned(),
        values: values.collect::<Result<_, _>>()?,
    })
}

/// Whether `sweep` would take the value of a definition for several.
pub(crate) fn is_list(value: &str) -> bool {
    let pieces = pieces(value);
    let is_range = |piece: &&str| matches!(values("", piece), Ok(Values::Range { .. }));
    pieces.len() > 1 || pieces.iter().any(is_range)
}

fn values(name: &str, piece: &str) -> Result<Values, String> {
    if piece.is_empty() {
        return Err(format!(
            "a value of `{name}` is empty; write for example {name}=1,2 or {name}=1..64"
        ));
    }
    let begins_as_number = piece
        .trim_start_matches('-')
        .starts_with(|first: char| first.is_ascii_digit());
    let Some((first, rest)) = piece.split_once("..").filter(|_| begins_as_number) else {
        return Ok(Values::Text(piece.to_owned()));
    };
    let (last, step) = rest.split_once(':').unwrap_or((rest, "1"));
    let shown = runtime::report::escaped(piece);
    let (Ok(first), Ok(last), Ok(step)) = (first.parse::<i64>(), last.parse::<i64>(), step.parse::<u64>()) else {
        return Err(format!(
            "`{shown}` is not a range of whole numbers; write for example 1..64 or 0..64:4"
        ));
    };
    match (first <= last, step) {
        (false, _) => Err(format!("`{shown}` is empty: {first} is greater than {last}")),
        (_, 0) => Err(format!("the step of `{shown}` is 0")),
        (true, _) => Ok(Values::Range { first, last, step }),
    }
}

/// The parts of a list, separated by commas outside of `<` and `>`.
fn pieces(list: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut from, mut depth) = (0, 0_usize);
    for (at, character) in list.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                pieces.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&list[from..]);
    pieces
}

fn assumed(text: &str) -> Result<Assumed, String> {
    let (name, answers) = text.split_once('=').unwrap_or((text, ""));
    let choices = answers
        .split(',')
        .map(|answer| model::choice(&format!("{name}={answer}")));
    choices.collect::<Result<_, _>>().map(Assumed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<Vec<String>, String> {
        let defined = defined(text)?;
        let values: Vec<String> = defined.values.iter().flat_map(Values::expanded).collect();
        let count: u128 = defined.values.iter().map(Values::count).sum();
        assert_eq!(values.len() as u128, count, "{text}");
        Ok(values)
    }

    #[test]
    fn a_list_has_texts_and_ranges() {
        for (text, values) in [
            ("N", &["1"][..]),
            ("N=7", &["7"]),
            ("N=1..4", &["1", "2", "3", "4"]),
            ("N=0..10:4,x", &["0", "4", "8", "x"]),
            ("N=-2..1", &["-2", "-1", "0", "1"]),
            ("N=5..5", &["5"]),
            ("N=0..1:18446744073709551615", &["0"]),
            (
                "N=9223372036854775806..9223372036854775807",
                &["9223372036854775806", "9223372036854775807"],
            ),
            ("S=<a,b>,c", &["<a,b>", "c"]),
            ("S=a..b", &["a..b"]),
            ("S=a=b,0Fh", &["a=b", "0Fh"]),
        ] {
            let expected: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
            assert_eq!(expanded(text), Ok(expected), "{text}");
        }
        let all = defined("N=-9223372036854775808..9223372036854775807").expect("a range");
        assert_eq!(all.values[0].count(), 1 << 64);
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for (text, why) in [
            ("N=", "is empty"),
            ("N=1,,2", "is empty"),
            ("N=1,", "is empty"),
            ("N=4..1", "4 is greater than 1"),
            ("N=1..4:0", "the step"),
            ("N=1..4:-1", "not a range"),
            ("N=1..", "not a range"),
            ("N=1..x", "not a range"),
            ("N=1..9223372036854775808", "not a range"),
            ("1N=1..4", "is not a name"),
            ("N=1\n2", "not one line"),
        ] {
            let error = expanded(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
        assert!(assumed("errata=on,off").is_ok() && assumed("errata=").is_err());
        assert!(assumed("errata=on,,").is_err() && assumed("nothing=1").is_err());
    }
}
