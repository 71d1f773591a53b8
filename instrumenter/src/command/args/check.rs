//! The options of `p5inst check`.

use super::{AssemblyArguments, Presentation};
use clap::Args;
use std::path::PathBuf;

/// Files to assemble only.
#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    /// The files, or `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    /// Write each line with its address and bytes to this file, or `-` for standard output. An existing file must be a
    /// regular one: links, pipes and devices are refused
    #[arg(long, value_name = "FILE")]
    pub(crate) listing: Option<PathBuf>,
    /// List each line of the bundled library, and all bytes of long data
    #[arg(long, requires = "listing")]
    pub(crate) expand: bool,
    /// Tell names apart by case, as `/Cp` of ml and `/ml` of tasm do
    #[arg(long)]
    pub(crate) by_case: bool,
    /// Say which directives are accepted but have no effect, each with its first place
    #[arg(short = 'v', long)]
    pub(crate) verbose: bool,
    /// How they are assembled.
    #[command(flatten)]
    pub(crate) assembly: AssemblyArguments,
    /// The form of the diagnostics.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}
