//! The end of a run and its reason.

use p5_words::fault::FaultCause;
use std::time::Duration;

/// The end of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The kind of end.
    pub reason: StopReason,
    /// The exit code of an exit service, the number of the signal, or the vector of the fault.
    pub code: Option<u32>,
    /// Details that the reason alone does not give.
    pub detail: Option<StopDetail>,
    /// The file index and line, from 1, of the instruction that ended the run.
    pub place: Option<(u32, u32)>,
    /// Whether the processor shut down in a triple fault, because it could not deliver the fault to the program.
    pub shutdown: bool,
    /// The interrupts and exceptions that the program was handling, or that were being delivered, at a fault, the
    /// oldest one first. If there are very many, only the last ones are kept.
    pub raised: Box<[Raised]>,
    /// The instruction that ended the run, or from which the program left its code, if that has no source line or the
    /// program panicked. The place, if there is one, is then the line that led to the code around it.
    pub unlined: Option<Box<Unlined>>,
    /// The instructions that caused a fault, if they are known.
    pub blamed: Option<Box<Blamed>>,
    /// At [`StopReason::End`], the clocks that a next instruction would wait because the last one, a branch, was
    /// mispredicted. No row has them.
    pub refill: u8,
}

/// The instructions that caused a fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blamed {
    /// The function of an instruction that the processor does not have, if another tool made the program and names its
    /// functions.
    pub lacks_in: Option<String>,
    /// Which compiler made that instruction.
    pub made_by: MadeBy,
    /// The one whose operands caused a fault of memory or of a division.
    pub operands: Option<Culprit>,
    /// The one that wrote what led to the fault; a repetition of the run told.
    pub writer: Option<Writer>,
    /// A function that did not keep a register; a repetition of the run told.
    pub unkept: Option<Unkept>,
    /// The memory of a fragment, for a name that it does not define, whose end or contents led to the fault.
    pub named: Option<NamedMemory>,
    /// The scratch memory of a fragment that ends before the address.
    pub scratch: Option<ScratchMemory>,
    /// The call of the function with source lines in which a program for Linux faulted.
    pub caller: Option<CallSite>,
    /// Whether the instruction of the stop's line is in the bytes of named data of the program.
    pub is_data: bool,
}

/// A call in the program's own text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSite {
    /// The function that calls, if it has a name.
    pub function: Option<String>,
    /// The file index and line, from 1.
    pub place: (u32, u32),
}

/// Scratch memory that is assumed for a pointer of a fragment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchMemory {
    /// The number of the register that points at it first, from EAX = 0.
    pub register: u8,
    /// The bytes of it.
    pub bytes: u32,
}

/// Memory that is assumed for a name which a fragment does not define.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedMemory {
    /// The name.
    pub name: String,
    /// The bytes of it.
    pub bytes: u32,
    /// Whether the fault is a jump to an address that its zeros gave, and not an access after its end.
    pub jumped: bool,
}

/// Who made an instruction of a program of another tool, as far as its lines and names tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MadeBy {
    /// A compiler of another language, or it is not known.
    #[default]
    Other,
    /// The compiler of Rust, with the program.
    Rust,
    /// Who distributes the compiler of Rust: its library is compiled in advance.
    RustLibrary,
}

/// A function that returned with another register than it was called with, which functions of C keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unkept {
    /// Its name.
    pub function: String,
    /// The file index and line, from 1, of its return.
    pub place: Option<(u32, u32)>,
    /// The number of the register, from EAX = 0.
    pub register: u8,
}

/// An instruction whose operands caused a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Culprit {
    /// The instruction, with the names of the program.
    pub text: String,
    /// The function that it belongs to, if another tool made the program and names its functions.
    pub function: Option<String>,
    /// The function that a compiler inlined there, if it did, as rows of reports name it.
    pub inlined: Option<String>,
    /// The general registers of the address, or of the dividend and divisor, by number from EAX = 0, each with its
    /// value.
    pub registers: Vec<(u8, u32)>,
    /// The number of a register of the address that no instruction has written, so that it is 0, while it alone can
    /// point at data.
    pub unset: Option<u8>,
    /// Whether 32-bit code addresses memory by 16-bit registers, which reach only the first 64 KiB.
    pub narrow: bool,
    /// Where a register of the address got its value, if that is the contents of a variable.
    pub read: Option<ReadFrom>,
}

/// A register that holds what was read from a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFrom {
    /// The number of the register, from EAX = 0.
    pub register: u8,
    /// The name of the variable.
    pub variable: String,
    /// The file index and line, from 1, of the only instruction that has written the register.
    pub place: Option<(u32, u32)>,
}

/// An instruction that wrote what led to a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The instruction, with the names of the program.
    pub text: String,
    /// The file index and line, from 1, of it or of the outermost call that led to it.
    pub place: Option<(u32, u32)>,
    /// Its linear address.
    pub address: u32,
    /// The function that it is in and the call at the place, if it is in code without lines of the program.
    pub called: Option<Called>,
    /// What it wrote.
    pub wrote: Wrote,
}

/// What an instruction wrote that led to a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wrote {
    /// What a return took for its address.
    Pushed,
    /// What a return took for its address, in place of what was pushed there or in room that was made on the stack.
    Stored(Option<Room>),
    /// Nothing: it made the room on the stack from which a return took its address.
    Made(Room),
    /// A return address, which was changed before the return: the instruction is a call.
    ReturnAddress,
    /// What a jump or a call took for its target.
    Target,
    /// The code that faulted.
    Code,
    /// The lock for which the program waits.
    Lock,
}

/// Room that an instruction made on the stack without a push.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Its bytes.
    pub bytes: u32,
    /// Whether ESP rather than SP is the stack's pointer.
    pub wide: bool,
}

/// A call of code without lines of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The function that was called.
    pub function: String,
    /// The function that the call is in, if it has a name.
    pub caller: Option<String>,
    /// Whether this is the call by which a program of Rust panicked, and the run ended in the panic or by it.
    pub panicked: bool,
    /// Whether the function is one that a fragment lacks, so that what was assumed of its values led there.
    pub missing: bool,
}

/// An instruction without a source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlined {
    /// Its linear address.
    pub address: u32,
    /// The last symbol of code at or before it, and the distance from there in bytes.
    pub within: Option<(String, u32)>,
    /// The call at the place of the stop, if that led to the instruction.
    pub called: Option<Called>,
}

/// An interrupt or exception that the program was handling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The vector of the interrupt or exception.
    pub vector: u8,
    /// The cause of the exception; `None` for INT n.
    pub cause: Option<FaultCause>,
    /// The linear address that the exception concerns, if there is one.
    pub concerns: Option<u32>,
    /// The linear address of the instruction that raised it.
    pub address: u32,
    /// The file index and line, from 1, of that instruction.
    pub place: Option<(u32, u32)>,
}

impl Stop {
    /// The instruction whose operands caused a fault of memory or of a division.
    pub fn culprit(&self) -> Option<&Culprit> {
        self.blamed.as_ref()?.operands.as_ref()
    }

    /// The function of an instruction that the processor does not have.
    pub fn lacks_in(&self) -> Option<&str> {
        self.blamed.as_ref()?.lacks_in.as_deref()
    }

    /// Who made the instruction that the processor does not have.
    pub fn made_by(&self) -> MadeBy {
        self.blamed.as_ref().map_or(MadeBy::Other, |blamed| blamed.made_by)
    }

    /// The call by which a program of Rust panicked, if the run ended in that.
    pub fn panicked(&self) -> Option<&Called> {
        self.called().filter(|called| called.panicked)
    }

    /// The scratch memory of a fragment that ends before the address of the fault.
    pub fn scratch_memory(&self) -> Option<ScratchMemory> {
        self.blamed.as_ref()?.scratch
    }

    /// The memory of a fragment that led to the fault.
    pub fn named_memory(&self) -> Option<&NamedMemory> {
        self.blamed.as_ref()?.named.as_ref()
    }

    /// The instruction that wrote what led to the fault.
    pub fn writer(&self) -> Option<&Writer> {
        self.blamed.as_ref()?.writer.as_ref()
    }

    /// The function that did not keep a register that functions of C keep.
    pub fn unkept(&self) -> Option<&Unkept> {
        self.blamed.as_ref()?.unkept.as_ref()
    }

    /// The call of the function with source lines in which a program for Linux faulted.
    pub fn caller(&self) -> Option<&CallSite> {
        self.blamed.as_ref()?.caller.as_ref()
    }

    /// Whether the stop's line is data, which execution has run into.
    pub fn is_in_data(&self) -> bool {
        self.blamed.as_ref().is_some_and(|blamed| blamed.is_data)
    }

    /// The call at the place, if the run ended in what that called.
    pub fn called(&self) -> Option<&Called> {
        self.unlined.as_deref()?.called.as_ref()
    }

    /// An end without details.
    pub fn plain(reason: StopReason) -> Stop {
        Stop {
            reason,
            code: None,
            detail: None,
            place: None,
            shutdown: false,
            raised: Box::default(),
            unlined: None,
            blamed: None,
            refill: 0,
        }
    }
}

/// The reasons for the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Execution ran past the last instruction. The end has a place only if that is data that was executed.
    End,
    /// The program returned from its entry.
    Return,
    /// A loop without a known end has had the rounds that were assumed for it.
    Rounds,
    /// The program asked its host to exit.
    Exit,
    /// The program raised a signal that ends it.
    Signal,
    /// The program executed HLT at privilege level 0.
    Halt,
    /// The program executed a jump to itself, or a loop that changes nothing, and nothing interrupts it.
    Endless,
    /// The program went to the reset vector in real mode, where there is nothing to execute.
    Reset,
    /// In real mode, the program ran into the reset vector, rather than jumping there.
    Strayed,
    /// A processor fault that nothing handles.
    Fault,
    /// The limit on simulated clocks or on a native run's wall time was reached.
    Limit,
    /// The time for the simulation was exhausted.
    Timeout,
    /// The program needs something that this machine does not simulate.
    Unsupported,
}

impl StopReason {
    /// Every reason, in the order of the list above.
    pub const ALL: &[StopReason] = &[
        StopReason::End,
        StopReason::Return,
        StopReason::Rounds,
        StopReason::Exit,
        StopReason::Signal,
        StopReason::Halt,
        StopReason::Endless,
        StopReason::Reset,
        StopReason::Strayed,
        StopReason::Fault,
        StopReason::Limit,
        StopReason::Timeout,
        StopReason::Unsupported,
    ];

    /// Whether the program ended by itself rather than being stopped.
    pub fn by_program(self) -> bool {
        !matches!(
            self,
            StopReason::Strayed | StopReason::Fault | StopReason::Limit | StopReason::Timeout | StopReason::Unsupported
        )
    }

    /// Whether the program came to the end that it is meant to reach: it was neither stopped, nor ended by a signal,
    /// nor in a jump to itself, with which many programs catch an error.
    pub fn succeeds(self) -> bool {
        self.by_program() && !matches!(self, StopReason::Signal | StopReason::Endless)
    }

    /// The name of the reason in JSON.
    pub fn name(self) -> &'static str {
        match self {
            StopReason::End => "end",
            StopReason::Return => "return",
            StopReason::Rounds => "rounds",
            StopReason::Exit => "exit",
            StopReason::Signal => "signal",
            StopReason::Halt => "halt",
            StopReason::Endless => "endless",
            StopReason::Reset => "reset",
            StopReason::Strayed => "strayed",
            StopReason::Fault => "fault",
            StopReason::Limit => "limit",
            StopReason::Timeout => "timeout",
            StopReason::Unsupported => "unsupported",
        }
    }
}

/// The details of the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopDetail {
    /// A fault, whose vector is [`Stop::code`].
    Fault {
        /// The cause of the fault.
        cause: FaultCause,
        /// The linear address that the fault concerns, if there is one.
        address: Option<u32>,
        /// The kind of code, if the code has no source line. The place is then the line that led there.
        unlisted: Option<Unlisted>,
    },
    /// The rounds that the loop has had.
    Rounds(u32),
    /// How the program came to where it ended, out of its source lines.
    Astray(Astray),
    /// The limit on simulated clocks was reached.
    Clocks {
        /// The limit.
        limit: u64,
        /// How the program had come to where it was, out of its code.
        astray: Option<Astray>,
    },
    /// The limit on the wall time of the simulation was reached.
    WallTime {
        /// The limit on wall time.
        limit: Duration,
        /// The part of the limit that is kept for other work than the simulation.
        kept: Duration,
        /// Whether the program was waiting for the end of its standard input.
        input: bool,
        /// How the program had come to where it was, out of its code.
        astray: Option<Astray>,
    },
    /// The limit on the wall time of a native run was reached.
    NativeTime {
        /// The limit on wall time.
        limit: Duration,
        /// Whether the process was killed because the program did not end when asked.
        killed: bool,
    },
    /// The program read this model specific register, which hangs real parts.
    HangingMsr(u32),
    /// The program waits for another thread to change the dword at this address, but has no other thread.
    Stuck(u32),
    /// The program is in a loop that leaves all as it was.
    Unchanging,
    /// The program does not fit into memory.
    Misfit(Misfit),
}

/// The reason why a program does not fit into memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// The program needs more memory than there is.
    TooLarge {
        /// The maximum size in MiB.
        most: u32,
    },
    /// A segment extends past the end of the address space.
    PastAddressSpace,
    /// A segment has more bytes than are mapped.
    NotMapped,
    /// The program has no memory where another bus master would access it.
    NothingToSnoop,
}

/// The kind of code without a source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unlisted {
    /// It is not the program's code.
    Strayed(Astray),
    /// Another tool made it.
    Linked {
        /// The linear address of the instruction.
        at: u32,
    },
}

/// How a program left its code; the place is the line from which it did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Astray {
    /// Whether it jumped, rather than running past its end.
    pub jumped: bool,
    /// Whether it came to an address on the stack.
    pub into_stack: bool,
    /// The empty memory that it has executed from there on, if that is all that it has executed.
    pub empty: Option<Empty>,
}

/// Memory of zeros that was executed: each two are an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Empty {
    /// The linear address of the first byte.
    pub from: u32,
    /// How many instructions.
    pub instructions: u32,
}
