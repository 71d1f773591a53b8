//! What a clock was spent on, why two instructions did not pair, and in which pipe one issued.

macro_rules! define_named {
    ($(#[$meta:meta])* $type:ident { $($(#[$explained:meta])* $variant:ident $name:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $type { $($(#[$explained])* $variant,)* }

        impl $type {
            /// Every variant, in the order reports list them.
            pub const ALL: &[$type] = &[$($type::$variant,)*];

            /// The short name that JSON and the listing use.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }
        }
    };
}

define_named! {
    /// What a clock was spent on. Every clock has exactly one cause.
    Cause {
        /// An instruction or a pair begins to execute.
        Issue "issue";
        /// An instruction that takes several clocks goes on, or waits for the result of a multiply.
        Execution "execution";
        /// An instruction waits for a result of the floating-point unit or until the unit accepts it.
        FloatingPoint "floating point";
        /// The V pipe's instruction keeps the pair in execution longer than the U pipe's alone.
        Lockstep "lockstep";
        /// Address generation interlock: an address register was written in the clock before.
        Agi "agi";
        /// A prefix byte is decoded that no earlier clock hides.
        Prefix "prefix";
        /// Both accesses of a pair use the same data cache bank.
        BankConflict "bank conflict";
        /// An access crosses an alignment boundary.
        Misaligned "misaligned";
        /// A read waits for a line, or for a quadword of it, from behind the data cache.
        DataReadMiss "data read miss";
        /// The page tables are read for a data access.
        DataTlbMiss "data tlb miss";
        /// A write waits for its write buffer.
        WriteBufferFull "write buffer full";
        /// A write to an M or E line waits for earlier buffered writes.
        WriteOrder "write order";
        /// D1 waits for instruction bytes from behind the code cache.
        CodeMiss "code miss";
        /// The prefetch queue is empty because accesses of data have kept it from reading the cache.
        PrefetchQueue "prefetch queue";
        /// The page tables are read for an instruction fetch.
        CodeTlbMiss "code tlb miss";
        /// The pipeline is refilled after a branch that was not predicted, or wrongly.
        Misprediction "misprediction";
        /// A locked read and write goes over the bus.
        LockedBus "locked bus";
        /// An access to I/O space goes over the bus.
        Io "i/o";
        /// A serialising instruction waits for the write buffers to drain.
        Serialize "serialize";
        /// An interrupt or exception is delivered in place of an instruction, until its handler can be entered.
        Interrupt "interrupt";
        /// HLT waits for an interrupt: the core is halted.
        Halted "halted";
    }
}

impl Cause {
    /// Whether its clocks are those that the timing table gives an instruction: it begins, goes on, or is delivered.
    pub fn is_of_row(self) -> bool {
        matches!(self, Cause::Issue | Cause::Execution | Cause::Interrupt)
    }
}

define_named! {
    /// Why an instruction did not pair with the one after it.
    Refusal {
        /// The first instruction never pairs.
        FirstNotPairable "not pairable";
        /// The first instruction is a branch, which pairs only in the V pipe.
        FirstOnlyV "pairs only in v";
        /// The first instruction is one of the floating-point unit, which pairs only with FXCH.
        FirstOnlyWithExchange "pairs only with fxch";
        /// The second instruction is FXCH, which pairs only after an instruction of the floating-point unit.
        SecondExchange "next is fxch";
        /// The second instruction never pairs.
        SecondNotPairable "next not pairable";
        /// The second instruction pairs only in the U pipe.
        SecondOnlyU "next pairs only in u";
        /// The second instruction reads a register that the first one writes.
        ReadAfterWrite "read after write";
        /// Both instructions write the same register.
        WriteAfterWrite "write after write";
        /// One of the two has both a displacement and an immediate.
        DisplacementAndImmediate "displacement and immediate";
        /// The second instruction has a prefix, and a prefixed instruction issues only in the U pipe.
        SecondPrefix "next has a prefix";
        /// The first instruction is decoded for the first time, so its length is not known in advance.
        FirstExecution "first execution";
        /// The second instruction's bytes are not in the code cache yet.
        SecondNotFetched "next not fetched";
        /// One of the two is longer than the chip pairs: see `longest_paired` in the chip's rules.
        TooLong "too long";
        /// Test register 12 switches the V pipe off.
        SinglePipe "single pipe mode";
        /// Both are MMX instructions of a unit that exists once.
        SameUnit "same unit";
        /// The first instruction is an MMX instruction with an operand in memory or a general register. It pairs only
        /// with another MMX instruction.
        FirstOnlyWithPacked "pairs only with mmx";
        /// The instruction is a branch, and execution went on elsewhere.
        TakenBranch "taken branch";
        /// Nothing was executed after it.
        LastInstruction "last instruction";
        /// The two use ESP in a way that does not pair.
        StackPointer "stack pointer";
    }
}

/// The two pipes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// The U pipe.
    U,
    /// The V pipe.
    V,
}

impl Pipe {
    /// Both pipes.
    pub const ALL: [Pipe; 2] = [Pipe::U, Pipe::V];
}
