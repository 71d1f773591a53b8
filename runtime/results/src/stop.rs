//! How a run ended.

use p5_words::fault::FaultCause;
use std::time::Duration;

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The kind of end.
    pub reason: StopReason,
    /// The exit code of an exit service, the number of the signal, or the fault's vector number.
    pub code: Option<u32>,
    /// What happened, where the reason alone does not say it.
    pub detail: Option<StopDetail>,
    /// The place of the instruction that ended the run: file index and one-based line.
    pub place: Option<(u32, u32)>,
    /// Whether the processor shut down, because it could not deliver the fault to the program either: a triple fault.
    pub shutdown: bool,
    /// The interrupts and exceptions that the program was handling, or that were being delivered, at a fault: the first
    /// one first. Of very many only the last are here.
    pub raised: Vec<Raised>,
}

/// An interrupt or exception that was being handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The vector.
    pub vector: u8,
    /// Why it was raised; none for INT n.
    pub cause: Option<FaultCause>,
    /// The linear address that the exception concerns, if it does.
    pub concerns: Option<u32>,
    /// The linear address of the instruction that raised it.
    pub address: u32,
    /// The place of that instruction: file index and one-based line.
    pub place: Option<(u32, u32)>,
}

impl Stop {
    /// An end of which its reason says everything.
    pub fn plain(reason: StopReason) -> Stop {
        Stop {
            reason,
            code: None,
            detail: None,
            place: None,
            shutdown: false,
            raised: Vec::new(),
        }
    }
}

/// The kinds of end a run may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Execution ran past the last instruction.
    End,
    /// The program returned from its entry.
    Return,
    /// The program asked its host to exit.
    Exit,
    /// The program raised a signal that ends it.
    Signal,
    /// HLT at privilege level 0.
    Halt,
    /// In real mode, the program went to the reset vector, where there is nothing to execute.
    Reset,
    /// A processor fault that nothing handles.
    Fault,
    /// The limit was reached: of simulated clocks, or of a native run's wall time.
    Limit,
    /// The time allowed for the simulation was over.
    Timeout,
    /// Something this machine does not simulate.
    Unsupported,
}

impl StopReason {
    /// All reasons.
    pub const ALL: &[StopReason] = &[
        StopReason::End,
        StopReason::Return,
        StopReason::Exit,
        StopReason::Signal,
        StopReason::Halt,
        StopReason::Reset,
        StopReason::Fault,
        StopReason::Limit,
        StopReason::Timeout,
        StopReason::Unsupported,
    ];

    /// Whether the program ended itself, rather than being stopped.
    pub fn by_program(self) -> bool {
        !matches!(
            self,
            StopReason::Fault | StopReason::Limit | StopReason::Timeout | StopReason::Unsupported
        )
    }

    /// The reason as JSON spells it.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::End => "end",
            StopReason::Return => "return",
            StopReason::Exit => "exit",
            StopReason::Signal => "signal",
            StopReason::Halt => "halt",
            StopReason::Reset => "reset",
            StopReason::Fault => "fault",
            StopReason::Limit => "limit",
            StopReason::Timeout => "timeout",
            StopReason::Unsupported => "unsupported",
        }
    }
}

/// What happened at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopDetail {
    /// A fault; the vector is [`Stop::code`].
    Fault {
        /// Why it was raised.
        cause: FaultCause,
        /// The linear address concerned.
        address: Option<u32>,
        /// Whether it happened in code without a source line; the place is then the line that led there.
        unlisted: Option<Unlisted>,
    },
    /// The limit on simulated clocks.
    Clocks(u64),
    /// The limit on wall time, of the simulation or of a native run.
    WallTime {
        /// The limit.
        limit: Duration,
        /// Whether a native run's process had to be killed, because the program did not leave when asked.
        killed: bool,
    },
    /// Reading this model specific register hangs real parts.
    HangingMsr(u32),
    /// The program does not fit into memory.
    Misfit(Misfit),
}

/// Why a program does not fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// It needs more memory than there is.
    TooLarge {
        /// The most it may have, in MiB.
        most: u32,
    },
    /// A segment extends past the end of the address space.
    PastAddressSpace,
    /// A segment has more bytes than are mapped.
    NotMapped,
    /// It has nothing where another bus master would access it.
    NothingToSnoop,
}

/// Code without a source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlisted {
    /// It is not the program's code.
    Strayed,
    /// Another tool made it.
    Linked {
        /// The address of the instruction.
        at: u32,
    },
}
