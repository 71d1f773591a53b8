//! Notes on native runs and their figures.

use asm_macros::Reason;
use p5_results::RefusedService;

/// A condition of native runs that the reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The program wrote text, which was dropped.
    OutputDropped,
    /// The program called a service that native runs do not have.
    Refused(RefusedService),
    /// The program's log was full.
    LogFull {
        /// The number of passes that it had no room for.
        lost: u64,
    },
    /// The shared memory had no room for the passes of all runs.
    PassesDropped {
        /// The number of passes that were dropped.
        lost: u64,
        /// The capacity in passes, over all runs.
        capacity: usize,
    },
    /// No run could be timed, for this reason.
    Untimed(Reason),
    /// The program ends by an instruction that raises a signal, which takes long.
    EndsBySignal,
    /// The shared memory had no room for the results of as many runs as were requested.
    FewerRuns {
        /// The number of runs that were made.
        runs: u32,
    },
    /// A region's result lies outside the program's memory.
    ResultOutside {
        /// The region's name in the source.
        region: String,
        /// The linear address of the result.
        address: u32,
    },
    /// The program's end lies outside its memory, so no run ends there.
    EndOutside {
        /// The linear address of the end.
        end: u32,
    },
    /// Neither a jump nor a breakpoint fits at the program's end, so no run ends there.
    NoRoomAtEnd {
        /// The linear address of the end.
        end: u32,
    },
    /// Data begins where the program ends; its page is not executable, so that arriving there raises a signal.
    DataAtEnd {
        /// The linear address of the end.
        end: u32,
    },
    /// A breakpoint stands at the program's end, so that arriving there raises a signal.
    BreakpointAtEnd {
        /// The linear address of the end.
        end: u32,
        /// Whether it replaces a byte of the program.
        replaces: bool,
    },
}

/// A condition of a region's figures that the reader should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegionNote {
    /// The log was full, so later passes are missing.
    LogFull {
        /// The capacity of the log in passes per run, including those of the calibration.
        capacity: usize,
    },
    /// Slow passes were kept, although they took much longer than the median: they are too many to be interruptions.
    SlowPasses {
        /// The region's name in the source.
        region: String,
        /// The number of slow passes.
        passes: u64,
        /// Fewer than one in this many passes was interrupted.
        one_in: usize,
    },
    /// The region is measured by the program's own macros.
    OwnMacros,
}

/// A disturbance of native runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Disturbance {
    /// The clock rate of the core changed.
    ClockRate {
        /// The number of additions in the chain.
        additions: u32,
        /// The ticks of the chain: the first and the last decile.
        ticks: [f64; 2],
    },
    /// More than one in `one_in` runs was interrupted, and these runs are excluded.
    Interruptions {
        /// The reciprocal of the limit.
        one_in: usize,
    },
    /// The passes of a region differ so much that its mean is uncertain.
    Scatter,
}
