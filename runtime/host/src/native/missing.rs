//! The reasons why a figure of native runs is missing.

use super::Error;
use asm_macros::Reason;
use p5_results::{Stop, StopReason};

/// The reason why a figure of native runs is missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Missing {
    /// The program does not assemble with the host's macros. Holds the message of the first error, if there is one.
    NotAssembled(Option<String>),
    /// The host cannot run the program.
    NotRun(Error),
    /// No run of the program was completed. Holds the stop of the first one.
    NoRun(Stop),
    /// The process cannot read the time stamp counter, for this reason.
    Untimed(Reason),
    /// Native runs count no events.
    NotCounted,
    /// The program is too short: its ticks are within the variation of entry and exit.
    TooShort,
    /// The program executed no instruction.
    NoInstruction,
    /// The program ended differently in the simulation, so the simulated count of instructions is not the host's.
    EndsDiffer {
        /// The simulated ending.
        simulated: StopReason,
        /// The native ending.
        native: StopReason,
    },
    /// The time stamp counter did not advance over the chain of additions.
    NoAdvance,
    /// No chain of additions was timed.
    NoChain,
    /// No empty program was timed.
    NoEmptyProgram,
    /// The program ends by a signal that takes many times its own ticks, so these are not known.
    LostInSignal {
        /// The mean ticks of the signal.
        ticks: f64,
    },
    /// The region exists in the simulated assembly only.
    SimulatedOnly,
    /// The program's own macros define no result for the region.
    NoResult,
    /// The log holds no pass of the empty region, by which the overhead is known.
    NoEmptyPass,
    /// A pass took more ticks than an entry of the log can hold.
    PassTooLong {
        /// The maximum, in ticks.
        most: u32,
    },
    /// No pass of the region reached its end macro.
    NoPass,
    /// Several regions write their results to the same addresses.
    SharedResult {
        /// The median over the runs of the value left there; it is of the region that ended last.
        median: Option<f64>,
    },
}
