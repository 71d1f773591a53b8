//! `p5inst`, the command: arguments in, a report out.

mod args;
mod command;
mod command_host;
mod command_run;
mod host;
mod reading;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    command::perform(&args::Arguments::parse())
}
