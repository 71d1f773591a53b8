//! Why a figure of native runs is missing.

use super::Error;
use asm_macros::Reason;
use p5_results::{Stop, StopReason};

/// Why a figure of native runs is missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// The program does not assemble with the host's macros; the first error's message, if there is one.
    NotAssembled(Option<String>),
    /// The host cannot run the program.
    NotRun(Error),
    /// No run of the program was completed: the first one stopped so.
    NoRun(Stop),
    /// The process cannot read the time stamp counter.
    Untimed(Reason),
    /// Events are not counted natively.
    NotCounted,
    /// The program is too short: its ticks are within the variation of entry and exit.
    TooShort,
    /// The program executed no instruction.
    NoInstruction,
    /// The program ended differently in the two worlds, so the simulation's count of instructions is not the host's.
    EndsDiffer {
        /// How the simulated run ended.
        simulated: StopReason,
        /// How the native run ended.
        native: StopReason,
    },
    /// The time stamp counter did not advance over the chain of additions.
    NoAdvance,
    /// No chain of additions was timed.
    NoChain,
    /// No empty program was timed.
    NoEmptyProgram,
    /// The program ends by a signal, whose ticks exceed its own by far.
    LostInSignal {
        /// Mean ticks of the signal.
        ticks: f64,
    },
    /// The region is in the simulated assembly only.
    SimulatedOnly,
    /// The program's own macros define no result.
    NoResult,
    /// The log holds no pass of the empty region.
    NoEmptyPass,
    /// A pass took more ticks than the log can hold.
    PassTooLong {
        /// The most it can hold.
        most: u32,
    },
    /// No pass reached its end macro.
    NoPass,
    /// Several regions leave their results in the same place.
    SharedResult {
        /// The median of what runs left there.
        median: Option<f64>,
    },
}
