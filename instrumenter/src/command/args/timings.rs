//! The options of `p5inst timings`.

use super::{Color, chip};
use clap::{Args, ValueEnum};
use runtime::model::{MODELS, Model};

/// Which rows of the timing table are listed.
#[derive(Args, Debug)]
pub(crate) struct TimingsArguments {
    /// Only the forms of these instructions, or of those whose names begin so
    #[arg(value_name = "MNEMONIC")]
    pub(crate) mnemonics: Vec<String>,
    /// Instead, list what `--assume` can choose
    #[arg(long, conflicts_with = "mnemonics")]
    pub(crate) assumptions: bool,
    /// The chip
    #[arg(long, value_name = "CHIP", default_value = MODELS[0].name, ignore_case = true, value_parser = chip())]
    pub(crate) cpu: &'static Model,
    /// The output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = TimingsForm::Text)]
    pub(crate) format: TimingsForm,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// The formats of timings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TimingsForm {
    /// A table
    Text,
    /// JSON
    Json,
    /// A line for each row of the table, for spreadsheets
    Csv,
}
