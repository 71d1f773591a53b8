//! Traces: what issued in one pass, instruction by instruction.

use super::{CauseCycles, Pipe, Refusal};
use p5_chips::{Doubt, PackedUnit};
pub use p5_words::register_set::RegisterSet;
use p5_words::stack_use::{Stack, StackUse};

/// What issued in one pass of a region, or in one run, in the order of issue.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The instructions, up to [`TRACE_CAPACITY`].
    pub issued: Vec<Issued>,
    /// Whether it has only the beginning of the pass or run: there was no room for more, or the run was stopped.
    pub cut: bool,
    /// Whether there was no room for more.
    pub full: bool,
    /// Clocks that what followed waited before its issue, with the main reason. They are part of the pass, as it lasts
    /// until that issue.
    pub after: Option<(u32, CauseCycles)>,
}

/// What is known of a pass after its trace, which has only the beginning of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beyond {
    /// How many instructions of the trace are not included.
    pub at: usize,
    /// The clocks that doubted rows of the timing table give from there on, by doubt.
    pub doubts: Vec<(Doubt, u64)>,
}

/// The most instructions kept of one pass.
pub const TRACE_CAPACITY: usize = 4_096;

/// With so many instructions a trace takes no further group, which may be of two.
pub const TRACE_FULL: usize = TRACE_CAPACITY - 1;

/// One instruction issued in a traced pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    /// Index into [`Run::instructions`](crate::Run::instructions).
    pub instruction: u32,
    /// Clocks from the issue of the region's first instruction to this one's.
    pub clock: u64,
    /// Which pipe it issued to.
    pub pipe: Pipe,
    /// Clocks until the next group issued; 0 for the V pipe's half of a pair, unless the trace begins with it.
    pub cycles: u32,
    /// Clocks between the end of the previous group's execution and its issue.
    pub late: u32,
    /// Clocks that its group waited during its execution, beyond those of the timing table for its count, its
    /// iterations and its outcome.
    pub longer: u32,
    /// The main reason for `late`, with its part of it.
    pub waited: Option<CauseCycles>,
    /// The main reason for `longer`, with its part of it.
    pub slowed: Option<CauseCycles>,
    /// What it waited for in the floating-point unit, if that is the reason for `late`, and the index of the
    /// instruction at work on it.
    pub awaited: Option<(Awaited, Option<u32>)>,
    /// The linear address of the data that `slowed` is a wait for.
    pub data: Option<u32>,
    /// The data cache bank that both pipes wanted.
    pub bank: Option<u32>,
    /// Whether it waited because it met an entry of the branch target buffer although it is no branch.
    pub met_entry: bool,
    /// Whether it is not the instruction but the delivery of an interrupt or exception in its place.
    pub delivery: bool,
    /// Why it did not pair with the next instruction; `None` if it did or is the V half.
    pub refusal: Option<Refusal>,
}

/// What an instruction waited for while the floating-point unit was at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The result in a general register.
    General,
    /// The value of this register of the stack, counted from the top before the instruction.
    Stack(u8),
    /// The result in MM of this number.
    Packed(u8),
    /// The switch between the floating-point unit and MMX.
    Switch,
    /// The unit.
    Unit,
    /// The unit, which makes sure that an operation with extreme operands raises no exception.
    SafeOperands,
    /// The multiplier.
    Multiplier,
    /// The status.
    Status,
}

/// What an instruction does to the flow of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// Nothing, or an interrupt.
    Next,
    /// It is a jump, conditional or not.
    Jump,
    /// It calls a procedure.
    Call,
    /// It returns from one.
    Return,
}

/// What decides when and in which pipe an instruction can issue.
#[derive(Clone, Copy, Debug)]
pub struct Needs {
    /// The pipes that it takes wherever it issues: both if it never pairs, none if it can issue to either.
    pub takes: &'static [Pipe],
    /// Its least clocks in EX.
    pub clocks: u32,
    /// Whether its clocks depend on operands, a count or an outcome, so that an execution may take more.
    pub varies: bool,
    /// The registers it reads.
    pub reads: RegisterSet,
    /// The registers it writes.
    pub writes: RegisterSet,
    /// The flags it reads, one bit each.
    pub flags_read: u8,
    /// The flags it writes.
    pub flags_written: u8,
    /// The registers its addresses are computed from.
    pub addresses: RegisterSet,
    /// The registers it writes that delay an address computed right after it.
    pub interlocks: RegisterSet,
    /// The clocks that such an address waits.
    pub address_wait: u32,
    /// What it needs of the floating-point unit, if it is an instruction of that, or a multiply.
    pub floating: Option<FloatingNeeds>,
    /// What it needs of the MMX units, if it is an MMX instruction.
    pub packed: Option<PackedNeeds>,
    /// What it does to the flow of control.
    pub flow: Flow,
    /// Whether it is a branch to the next instruction, for which the branch target buffer never has an entry.
    pub to_next: bool,
    /// What it does with the stack, unless it also names ESP.
    pub stack: Stack,
    /// Whether it is the short form of a store from the accumulator, which pairs as if it wrote the accumulator.
    pub short_store: bool,
}

/// What decides when an instruction of the floating-point unit can issue. Registers are relative to the top before it.
#[derive(Clone, Copy, Debug)]
pub struct FloatingNeeds {
    /// What it does with the stack, if it is not a multiply of integers.
    pub stack: Option<StackUse>,
    /// Whether it pairs with FXCH.
    pub beside_exchange: bool,
    /// The least clocks from its issue until its result is ready.
    pub latency: u32,
    /// The least clocks from its issue until the unit accepts the next instruction.
    pub throughput: u32,
    /// The clocks from its issue until the multiplier accepts the next one; 0 if it does not use that.
    pub multiplier: u32,
    /// The clocks by which its operands must be ready before its issue.
    pub operands_ahead: u32,
}

/// What decides when an MMX instruction can issue.
#[derive(Clone, Copy, Debug)]
pub struct PackedNeeds {
    /// The unit that it uses.
    pub unit: Option<PackedUnit>,
    /// Clocks after its execution until its result in an MMX register is ready.
    pub settles: u32,
    /// The clocks by which its MMX operands must be ready before its issue.
    pub operands_ahead: u32,
}

impl Needs {
    /// Whether it exchanges two registers of the floating-point stack, which takes no clock beside another instruction.
    pub fn exchanges(&self) -> bool {
        let stack = self.floating.and_then(|floating| floating.stack);
        stack.is_some_and(|used| used.exchanges.is_some())
    }

    /// The registers among `of`, those that `next` reads or writes, that keep it from pairing with this instruction.
    pub fn contested(&self, next: &Needs, of: RegisterSet) -> RegisterSet {
        let shared = self.writes.intersection(of);
        if self.stack.pairs_with(next.stack) {
            shared.without(RegisterSet::ESP)
        } else {
            shared
        }
    }

    /// Whether it takes both pipes.
    pub fn never_pairs(&self) -> bool {
        self.takes.len() == Pipe::ALL.len()
    }
}
