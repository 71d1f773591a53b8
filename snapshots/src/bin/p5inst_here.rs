//! `p5inst` again, because Cargo tells a test only the paths of programs in its own package.

use std::process::ExitCode;

fn main() -> ExitCode {
    instrumenter::command::main()
}
