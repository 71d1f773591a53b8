//! The causes of clocks, the reasons why two instructions did not pair, and the two pipes.

macro_rules! define_named {
    ($(#[$meta:meta])* $type:ident { $($(#[$explained:meta])* $variant:ident $name:literal;)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $type { $($(#[$explained])* $variant,)* }

        impl $type {
            /// Every variant, in the order in which reports list them.
            pub const ALL: &[$type] = &[$($type::$variant,)*];

            /// The short name that JSON and the listing use.
            pub fn name(self) -> &'static str {
                match self { $($type::$variant => $name,)* }
            }
        }
    };
}

define_named! {
    /// The cause of a clock. Every clock has exactly one.
    Cause {
        /// An instruction or a pair begins to execute.
        Issue "issue";
        /// An instruction that takes several clocks continues, or waits for the result of a multiply.
        Execution "execution";
        /// An instruction waits for a result of the floating-point unit, or for the unit to accept it.
        FloatingPoint "floating point";
        /// The instruction in the V pipe keeps the pair in execution longer than the one in the U pipe alone would.
        Lockstep "lockstep";
        /// Address generation interlock: an address register was written in the preceding clock.
        Agi "agi";
        /// A prefix byte takes a clock to decode that no earlier clock hides.
        Prefix "prefix";
        /// Both accesses of a pair use the same data cache bank.
        BankConflict "bank conflict";
        /// An access crosses an alignment boundary.
        Misaligned "misaligned";
        /// A read waits for a line or a quadword of it from the memory beyond the data cache.
        DataReadMiss "data read miss";
        /// The page tables are read for a data access.
        DataTlbMiss "data tlb miss";
        /// A write waits for its write buffer.
        WriteBufferFull "write buffer full";
        /// A write to an M or E line waits for earlier buffered writes.
        WriteOrder "write order";
        /// D1 waits for instruction bytes from the memory beyond the code cache.
        CodeMiss "code miss";
        /// The prefetch queue is empty because data accesses kept it from reading the cache.
        PrefetchQueue "prefetch queue";
        /// The page tables are read for an instruction fetch.
        CodeTlbMiss "code tlb miss";
        /// The pipeline is refilled after a branch that was mispredicted or not predicted.
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
    /// Whether these clocks come from the timing table: the instruction begins, continues or is delivered.
    pub fn is_of_row(self) -> bool {
        matches!(self, Cause::Issue | Cause::Execution | Cause::Interrupt)
    }
}

define_named! {
    /// The reason why an instruction did not pair with the next one.
    Refusal {
        /// The first instruction never pairs.
        FirstNotPairable "not pairable";
        /// The first instruction is a branch, which pairs only in the V pipe.
        FirstOnlyV "pairs only in v";
        /// The first instruction belongs to the floating-point unit and pairs only with FXCH.
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
        /// One of the two is longer than the chip allows in a pair: see `longest_paired` in the chip's rules.
        TooLong "too long";
        /// Test register 12 switches the V pipe off.
        SinglePipe "single pipe mode";
        /// Both are MMX instructions for the same unit, which exists once.
        SameUnit "same unit";
        /// The first instruction is an MMX instruction with an operand in memory or a general register. It pairs only
        /// with another MMX instruction.
        FirstOnlyWithPacked "pairs only with mmx";
        /// The instruction is a branch, and execution continued elsewhere.
        TakenBranch "taken branch";
        /// No instruction was executed after it.
        LastInstruction "last instruction";
        /// The two use ESP in a way that does not pair.
        StackPointer "stack pointer";
    }
}

/// A pipe that an instruction can issue to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pipe {
    /// The U pipe, which executes every instruction.
    U,
    /// The V pipe, which executes simple instructions beside one in the U pipe.
    V,
}

impl Pipe {
    /// Both pipes, the U pipe first.
    pub const ALL: [Pipe; 2] = [Pipe::U, Pipe::V];
}
