//! What executes a program, as an option.

use clap::ValueEnum;
use runtime::machine::EngineChoice;

/// What executes a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum EngineOption {
    /// The interpreter, and compiled code for blocks that are executed often
    Auto,
    /// The interpreter alone
    Interpreter,
    /// Compiled code wherever it is possible
    Jit,
    /// Both, compared after each block; the first difference ends the run
    Both,
}

impl From<EngineOption> for EngineChoice {
    fn from(option: EngineOption) -> EngineChoice {
        match option {
            EngineOption::Auto => EngineChoice::Auto,
            EngineOption::Interpreter => EngineChoice::Interpreter,
            // Runs that are not compared are those of the engine that would be doubted.
            EngineOption::Jit | EngineOption::Both => EngineChoice::Jit,
        }
    }
}
