//! The program `p5inst`: passes its arguments to the command.

use std::process::ExitCode;

fn main() -> ExitCode {
    instrumenter::command::main()
}
