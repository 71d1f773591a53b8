//! Traces: the instructions issued in one pass, one by one.

use super::{Pipe, Refusal, WaitCauses};
use p5_chips::{Doubt, PackedUnit};
pub use p5_words::register_set::RegisterSet;
use p5_words::stack_use::{Stack, StackUse};

/// The instructions issued in one pass of a region or in one run, in the order of issue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// The instructions, up to [`TRACE_CAPACITY`].
    pub issued: Vec<Issued>,
    /// The clocks from the beginning of the run to its first instruction, if that is not the first
    /// instruction of the run.
    pub from: u64,
    /// Whether it contains only the beginning of the pass or run, because the trace was full or the run was stopped.
    pub cut: bool,
    /// Whether there was no room for more instructions, or it is of a part of a run.
    pub full: bool,
    /// The clocks that the next instruction waited before its issue, and their causes. They belong to the pass, which
    /// lasts until that issue.
    pub after: Option<(u32, WaitCauses)>,
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

/// The number of instructions at which a trace takes no further group, because a group may have two.
pub const TRACE_FULL: usize = TRACE_CAPACITY - 1;

/// An instruction issued in a traced pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Issued {
    /// The row of the instruction, as an index into [`Run::instructions`](crate::Run::instructions).
    pub instruction: u32,
    /// What was executed, as an index into [`Run::variants`](crate::Run::variants), if the program executed different
    /// instructions at the same address.
    pub variant: Option<u32>,
    /// The clocks from the issue of the region's first instruction to the issue of this one.
    pub clock: u64,
    /// The pipe to which it issued.
    pub pipe: Pipe,
    /// The clocks until the next group issued; 0 for the V pipe's half of a pair, unless the trace begins with it.
    pub cycles: u32,
    /// The clocks between the end of the previous group's execution and its issue.
    pub late: u32,
    /// The clocks that its group waited during its execution, beyond the timing table's clocks for its count, its
    /// iterations and its outcome.
    pub longer: u32,
    /// Why it issued `late`.
    pub waited: WaitCauses,
    /// Why its group took `longer`.
    pub slowed: WaitCauses,
    /// The part of the floating-point unit that it waited for, if that is a reason for `late`, and the index of the
    /// instruction that occupied it.
    pub awaited: Option<(Awaited, Option<u32>)>,
    /// The linear address of the data, if `slowed` is a wait for data.
    pub data: Option<u32>,
    /// Whether `data` is in a page whose writes all go to memory (PWT).
    pub written_through: bool,
    /// The part of its wait for a line fill, which `slowed` has, in which other transfers had the bus.
    pub held: u32,
    /// The index of the instruction whose buffered write it waited for, as far as that is known: to read, the bus; to
    /// write, a buffer or the order of writes.
    pub held_by: Option<u32>,
    /// The data cache bank that both pipes wanted.
    pub bank: Option<u32>,
    /// Whether it waited because the branch target buffer had an entry for it although it is no branch.
    pub met_entry: bool,
    /// The linear address of the last byte of another branch that shares the entry of its group's branch in the branch
    /// target buffer, if that is why the branch was mispredicted.
    pub misled_by: Option<u32>,
    /// Whether the branch of its group was mispredicted by patterns that lack its last outcomes, because it came too
    /// soon after them, this time or the time before.
    pub hurried: bool,
    /// What the operands and the precision control changed of its time in the floating-point unit.
    pub unit: UnitTime,
    /// Whether it is the delivery of an interrupt or exception in place of the instruction.
    pub delivery: bool,
    /// The reason why it did not pair with the next instruction; `None` if it did or is the V half.
    pub refusal: Option<Refusal>,
}

/// The clocks by which an execution's time in the floating-point unit differs from that of the timing table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UnitTime {
    /// The clocks that the precision control saves.
    pub saved: u32,
    /// The clocks that the unit takes to ensure that extreme operands raise no exception.
    pub checked: u32,
}

/// The part of the floating-point unit that an instruction waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Awaited {
    /// The result in a general register.
    General,
    /// The value of this stack register, counted from the top before the instruction.
    Stack(u8),
    /// The result in the MMX register with this number.
    Packed(u8),
    /// The switch between the floating-point unit and MMX.
    Switch,
    /// The unit as a whole.
    Unit,
    /// The unit, while it ensures that an operation with extreme operands raises no exception.
    SafeOperands,
    /// The multiplier of the unit.
    Multiplier,
    /// The status word.
    Status,
}

/// The effect of an instruction on the flow of control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// None, or an interrupt.
    Next,
    /// A jump, conditional or not.
    Jump,
    /// A call of a procedure.
    Call,
    /// A return from a procedure.
    Return,
}

/// The properties of an instruction that decide when and in which pipe it can issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The pipes that it occupies in any case: both if it never pairs, none if it can issue to either.
    pub takes: &'static [Pipe],
    /// The minimum number of clocks in EX.
    pub clocks: u32,
    /// Whether its clocks depend on operands, a count or an outcome, so that an execution may take more.
    pub varies: bool,
    /// The registers that it reads.
    pub reads: RegisterSet,
    /// The registers that it writes.
    pub writes: RegisterSet,
    /// The flags that it reads, one bit each.
    pub flags_read: u8,
    /// The flags that it writes, one bit each.
    pub flags_written: u8,
    /// The registers from which its addresses are computed.
    pub addresses: RegisterSet,
    /// The registers that it writes and that delay an address computed directly after it.
    pub interlocks: RegisterSet,
    /// The number of clocks that such an address waits.
    pub address_wait: u32,
    /// The use of the floating-point unit by one of its instructions or a multiply.
    pub floating: Option<FloatingNeeds>,
    /// The use of the MMX units by an MMX instruction.
    pub packed: Option<PackedNeeds>,
    /// The effect on the flow of control.
    pub flow: Flow,
    /// Whether it is a branch to the next instruction, for which the branch target buffer never has an entry.
    pub to_next: bool,
    /// The address that a direct jump or call leads to.
    pub target: Option<u32>,
    /// Whether the next instruction may follow it, in a call after the return.
    pub falls_through: bool,
    /// The use of the stack, unless it also names ESP.
    pub stack: Stack,
    /// Whether it is the short form of a store from the accumulator, which pairs as if it wrote the accumulator.
    pub short_store: bool,
    /// Its form in the timing table, if this never pairs and another form of its mnemonic does.
    pub unpaired_form: Option<&'static str>,
}

/// The properties of a floating-point instruction that decide when it can issue. Registers are relative to the top
/// before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatingNeeds {
    /// The use of the stack; `None` for a multiply of integers.
    pub stack: Option<StackUse>,
    /// Whether it pairs with FXCH.
    pub beside_exchange: bool,
    /// The number of clocks from its issue until its result is ready.
    pub latency: u32,
    /// The number of clocks from its issue until the unit accepts the next instruction.
    pub throughput: u32,
    /// The most clocks that the precision control saved any operation of the run in both of these.
    pub saved: u32,
    /// The number of clocks from its issue until the multiplier accepts the next one; 0 if it does not use the
    /// multiplier.
    pub multiplier: u32,
    /// The number of clocks by which its operands must be ready before its issue.
    pub operands_ahead: u32,
}

/// The properties of an MMX instruction that decide when it can issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedNeeds {
    /// The unit that it occupies, if there is one.
    pub unit: Option<PackedUnit>,
    /// The number of clocks after its execution until its result in an MMX register is ready.
    pub settles: u32,
    /// The number of clocks by which its MMX operands must be ready before its issue.
    pub operands_ahead: u32,
}

impl Needs {
    /// Whether it exchanges two registers of the floating-point stack, which takes no clock beside another instruction.
    pub fn exchanges(&self) -> bool {
        let stack = self.floating.and_then(|floating| floating.stack);
        stack.is_some_and(|used| used.exchanges.is_some())
    }

    /// The registers in `of` that `next` reads or writes and that therefore keep it from pairing with this instruction.
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
