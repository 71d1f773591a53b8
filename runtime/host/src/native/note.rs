//! What a reader of native runs should know about them.

use asm_macros::Reason;
use p5_results::RefusedService;

/// What a reader of native runs should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The program wrote text, which was dropped.
    OutputDropped,
    /// The program called a service that was refused.
    Refused(RefusedService),
    /// The program's own log was full.
    LogFull {
        /// Passes it had no room for.
        lost: u64,
    },
    /// There was no room for the passes of all runs.
    PassesDropped {
        /// How many were dropped.
        lost: u64,
        /// How many there is room for.
        capacity: usize,
    },
    /// No run could be timed.
    Untimed(Reason),
    /// The program ends by an instruction that costs a signal.
    EndsBySignal,
    /// There was no room for the results of as many runs as were asked for.
    FewerRuns {
        /// How many there were.
        runs: u32,
    },
    /// A region's result lies outside the program's memory.
    ResultOutside {
        /// The region's name.
        region: String,
        /// Where its result lies.
        address: u32,
    },
    /// The program's end lies outside its memory, so nothing ends there.
    EndOutside {
        /// The program's end.
        end: u32,
    },
    /// Neither a jump nor a breakpoint fits at the program's end, so nothing ends there.
    NoRoomAtEnd {
        /// The program's end.
        end: u32,
    },
    /// Data begins where the program ends; its page is not executable, so that arriving there raises a signal.
    DataAtEnd {
        /// The program's end.
        end: u32,
    },
    /// A breakpoint stands at the program's end, so that arriving there raises a signal.
    BreakpointAtEnd {
        /// The program's end.
        end: u32,
        /// Whether it replaces a byte of the program.
        replaces: bool,
    },
}

/// What a reader of a region's figures should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionNote {
    /// The log was full, so that later passes are not in it.
    LogFull {
        /// How many passes of a run it holds, those of the calibration included.
        capacity: usize,
    },
    /// Passes were kept although they took much longer than the median, because there are too many for interruptions.
    SlowPasses {
        /// The region's name.
        region: String,
        /// How many passes.
        passes: u64,
        /// Interruptions are rarer than one pass in so many.
        one_in: usize,
    },
    /// The region is measured by the program's own macros.
    OwnMacros,
}

/// What disturbed native runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// The core's clock rate changed.
    ClockRate {
        /// How many additions the chain has.
        additions: u32,
        /// Its ticks, from the first to the last decile.
        ticks: [f64; 2],
    },
    /// Interrupted runs, which are excluded, were more than one in so many.
    Interruptions {
        /// The number.
        one_in: usize,
    },
    /// The passes of a region differ so much that its mean is uncertain.
    Scatter,
}
