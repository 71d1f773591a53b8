//! `p5inst` once more: Cargo tells a test only where the programs of its own package are.

use std::process::ExitCode;

fn main() -> ExitCode {
    instrumenter::command::main()
}
