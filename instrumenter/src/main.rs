//! `p5inst`, the command.

use std::process::ExitCode;

fn main() -> ExitCode {
    instrumenter::command::main()
}
