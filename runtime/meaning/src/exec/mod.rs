//! Meaning: the effects of instructions on registers, flags and memory.
//!
//! [`compile`] turns a decoded instruction into a [`MicroOp`] once; [`run`] executes a row of them any number of times.
//! Each pushes the number of words to [`Facts`] that [`fact_words`] returns.
//!
//! Everything beyond the processor's arithmetic is a request: an instruction such as RDTSC ends [`run`] with
//! [`Exit::Request`] after its privilege check. The caller writes the registers that hold the result and then calls
//! [`complete`], which advances `registers.eip`.

mod access;
mod alu;
mod bcd;
mod bits;
mod branch;
mod breakpoints;
mod compile;
mod compiled;
mod descriptors;
mod exchange;
mod fact_words;
mod far;
mod fpu;
mod gates;
mod handlers;
mod interrupt;
mod mmx;
mod moves;
mod muldiv;
mod operands;
mod ports;
mod request;
mod segments;
mod shift;
mod stack;
mod string;
mod system;
mod tasks;

pub use compile::{compile, stands_alone, without_time_stamp};
pub use compiled::Left;
pub use fact_words::fact_words;
pub(crate) use fpu::{UNIT_IMAGE, take_unit_image, unit_image};
pub use interrupt::gate_error;
pub use interrupt::{Delivery, Event, Raised, deliver};
pub use request::Request;

use crate::memory::Memory;
use p5_words::facts::Facts;
use p5_words::fault::{Fault, Vector};
use p5_words::flags::{FaultedComparison, Flags};
use p5_words::registers::{AC, CHECK_LOAD, CHECK_STORE, CR0_AM, Registers, TF};

/// The state that instructions can change.
#[derive(Debug)]
pub struct State {
    /// The registers, except the model specific ones.
    pub registers: Registers,
    /// The memory of the program.
    pub memory: Memory,
    /// The facts of the last [`run`].
    pub facts: Facts,
    /// The value for an IN or INS, to be set before [`complete`].
    pub input: u32,
    /// The flags that a repeated comparison leaves at a fault.
    pub faulted_comparison: FaultedComparison,
    /// The flags from before the repeated comparison that needs another visit.
    before_comparison: Option<Flags>,
    /// A bit for each segment register that holds a descriptor from a table before LGDT or LLDT named the current one.
    former_tables: u8,
    /// [`ALIGNED`] while alignment is checked, [`WATCHED`] while data breakpoints are looked for, otherwise 0.
    alignment: u8,
    /// [`ARMED`] while a breakpoint is enabled, otherwise 0.
    armed: u32,
    /// The breakpoints of DR0 to DR3 that the operation has met.
    matched: u32,
    /// The fault of the handler that returned [`Leave::Fault`].
    fault: Option<Fault>,
    /// The request of the handler that returned [`Leave::Request`].
    request: Option<Request>,
    /// The events that the program is handling.
    raised: Vec<Raised>,
}

impl State {
    /// The state of a machine before its first instruction.
    pub fn new(registers: Registers, memory: Memory) -> State {
        State {
            registers,
            memory,
            facts: Facts::default(),
            input: 0,
            faulted_comparison: FaultedComparison::default(),
            before_comparison: None,
            former_tables: 0,
            alignment: 0,
            armed: 0,
            matched: 0,
            fault: None,
            request: None,
            raised: Vec::new(),
        }
    }
}

impl State {
    /// Resets to the state before the first instruction, with these registers; the memory is unchanged.
    pub fn restart(&mut self, registers: Registers) {
        self.registers = registers;
        self.facts.clear();
        self.input = 0;
        self.before_comparison = None;
        self.former_tables = 0;
        self.alignment = 0;
        self.matched = 0;
        self.arm();
        self.fault = None;
        self.request = None;
        self.raised.clear();
    }
}

/// One instruction with its fields extracted. The handler determines which fields are used.
#[derive(Clone, Copy, Debug)]
pub struct MicroOp {
    handler: Handler,
    /// The address of the instruction.
    address: u32,
    /// An immediate, extended to the size of the operand, or the target of a branch.
    immediate: u32,
    displacement: u32,
    /// FFFFh for 16-bit addresses, otherwise all ones.
    offset_mask: u32,
    /// The first operand: the number of a general register, or [`MEMORY`].
    dest: u8,
    /// The second operand: the number of a general register, [`MEMORY`], a condition, or another small number.
    source: u8,
    base: u8,
    /// FFh if there is a base register, otherwise 0.
    base_mask: u8,
    index: u8,
    /// FFh if there is an index register, otherwise 0.
    index_mask: u8,
    /// Bits 0-1: the shift of the index register; bits 4-7: the length of the instruction.
    shift_length: u8,
    /// Bits 0-2: the segment of a memory operand; bit 4: REP/REPE; bit 5: REPNE.
    segment_repeat: u8,
}

impl MicroOp {
    /// The same operation at another address. It must not be a branch.
    pub fn at(&self, address: u32) -> MicroOp {
        MicroOp { address, ..*self }
    }
}

/// Set while alignment is checked, which the checks of loads and stores do.
const ALIGNED: u8 = CHECK_LOAD | CHECK_STORE | 4;
/// Set while data breakpoints are looked for, which the same checks do.
const WATCHED: u8 = CHECK_LOAD | CHECK_STORE | 8;
/// A bit that EFLAGS does not have, set while operations are executed one by one.
const ARMED: u32 = 1 << 31;

/// The operand is in memory rather than in a register.
const MEMORY: u8 = 0x80;
const REPEAT_EQUAL: u8 = 0x10;
const REPEAT_NOT_EQUAL: u8 = 0x20;

type Handler = fn(&MicroOp, &mut State) -> Flow;
type Flow = Result<(), Leave>;

/// The reason why a handler does not continue with the next operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Leave {
    /// A branch: `facts.next` and `facts.taken` are set.
    Branch,
    /// A fault, given in `State::fault`; the operation is not complete.
    Fault,
    /// A request, given in `State::request`; the operation is not complete.
    Request,
    /// A fault, given in `State::fault`, in the task that the operation has entered. The operation is complete.
    FaultInTask,
    /// The operation is complete, but the rest of the row may be invalid: a store hit code, or TF was set.
    Settle,
    /// A repeated string operation has reached its limit for this visit and needs another.
    Unfinished,
}

impl MicroOp {
    /// The address of the instruction.
    pub fn address(&self) -> u32 {
        self.address
    }

    /// The length of the instruction in bytes, 1 to 15.
    #[inline(always)]
    pub fn length(&self) -> u32 {
        u32::from(self.shift_length >> 4)
    }

    /// The address of the instruction after this one in memory.
    #[inline(always)]
    fn after(&self) -> u32 {
        self.address.wrapping_add(self.length())
    }

    #[inline(always)]
    fn segment(&self) -> u8 {
        self.segment_repeat & 7
    }
}

/// The result of a [`run`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The number of completed operations. An operation that faulted, made a request or is unfinished is not included.
    pub executed: usize,
    /// Whether a repeated string instruction stopped after [`REPEAT_LIMIT`] iterations and remains the next
    /// instruction. Its four fact words are present and describe this visit only.
    pub unfinished: bool,
    /// The reason for the end, with what comes next.
    pub exit: Exit,
}

/// The reason for the end of a [`run`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The row has ended; the next instruction is at `registers.eip` and `facts.next`.
    Next,
    /// A fault or trap; `registers.eip` is the instruction that raised it, `facts.next` the one after it in memory.
    /// (After the debug trap of the trap flag, and a fault in a task that was just entered, both are the next
    /// instruction, and the previous one counts as executed.)
    /// Registers and flags are as before the instruction, except that a repeated string instruction keeps its completed
    /// iterations (the flags are as [`State::faulted_comparison`] says), and POPA the registers it has loaded. There
    /// may be fewer fact words than [`fact_words`] says.
    Fault(Fault),
    /// A request to the caller; `registers.eip` is the instruction, `facts.next` the one after it.
    Request(Request),
}

/// The maximum number of iterations of a repeated string instruction in one [`run`].
pub const REPEAT_LIMIT: u32 = 65_536;

/// Executes `ops`, which are adjacent in memory, from the first to the end of the row, or to a branch (which can only
/// be the last), a fault, a request, a store to a page marked as code, or a repeat that needs another visit.
/// `registers.eip` need not be set. Clears `state.facts` first.
#[inline]
pub fn run(ops: &[MicroOp], state: &mut State) -> Outcome {
    state.facts.clear();
    state.alignment = 0;
    if (state.registers.flags.rest | state.armed) & (TF | AC | ARMED) != 0 {
        return run_watchfully(ops, state);
    }
    run_row(ops, state)
}

/// With the trap flag or a breakpoint, executes one operation; with the alignment flag, checks alignment.
#[cold]
fn run_watchfully(ops: &[MicroOp], state: &mut State) -> Outcome {
    state.watch_alignment();
    if (state.registers.flags.rest | state.armed) & (TF | ARMED) != 0 {
        return breakpoints::run_one(ops, state);
    }
    run_row(ops, state)
}

#[inline]
fn run_row(ops: &[MicroOp], state: &mut State) -> Outcome {
    // Counting the remaining operations needs one live register less across every call.
    let mut rest = ops.iter();
    while let Some(op) = rest.next() {
        if let Err(leave) = (op.handler)(op, state) {
            return leave_row(op, ops.len() - rest.len() - 1, leave, state);
        }
    }
    let next = ops.last().map_or(state.registers.eip, MicroOp::after);
    state.registers.eip = next;
    state.facts.next = next;
    Outcome {
        executed: ops.len(),
        unfinished: false,
        exit: Exit::Next,
    }
}

#[inline]
fn leave_row(op: &MicroOp, executed: usize, leave: Leave, state: &mut State) -> Outcome {
    if leave == Leave::Branch {
        state.registers.eip = state.facts.next;
        return Outcome {
            executed: executed + 1,
            unfinished: false,
            exit: Exit::Next,
        };
    }
    leave_oddly(op, executed, leave, state)
}

#[cold]
fn leave_oddly(op: &MicroOp, executed: usize, leave: Leave, state: &mut State) -> Outcome {
    let mut outcome = Outcome {
        executed,
        unfinished: false,
        exit: Exit::Next,
    };
    let entered = state.registers.eip;
    state.registers.eip = op.address;
    state.facts.next = op.after();
    match leave {
        Leave::Branch | Leave::Settle => {
            outcome.executed += 1;
            state.registers.eip = state.facts.next;
        }
        Leave::Unfinished => {
            outcome.unfinished = true;
            state.facts.next = op.address;
        }
        Leave::Fault | Leave::FaultInTask => {
            if leave == Leave::FaultInTask {
                outcome.executed += 1;
                state.facts.next = entered;
                state.registers.eip = entered;
            }
            if let Some(fault) = state.fault.take() {
                if fault.vector == Vector::Page {
                    state.registers.cr2 = fault.address.unwrap_or(0);
                }
                outcome.exit = Exit::Fault(fault);
            }
        }
        Leave::Request => {
            if let Some(request) = state.request.take() {
                outcome.exit = Exit::Request(request);
            }
        }
    }
    outcome
}

/// Completes `op` after the request that [`run`] returned has been served: advances `registers.eip` to the next
/// instruction. For IN and INS `state.input` must hold the value read, which goes to the accumulator or to memory. A
/// repeated INS or OUTS remains the next instruction until its count is used up. After INT n `returns` is true: who
/// serves it returns to the program, and what sets the trap flag by that lets one instruction pass.
///
/// Returns [`Exit::Next`], or the fault that storing the value raised, or the debug trap after the instruction.
pub fn complete(op: &MicroOp, state: &mut State, returns: bool) -> Exit {
    let next = op.after();
    state.registers.eip = next;
    state.facts.next = next;
    match ports::finish(op, state) {
        Ok(()) => state.trap_after_request(returns).map_or(Exit::Next, Exit::Fault),
        Err(leave) => leave_oddly(op, 0, leave, state).exit,
    }
}

impl State {
    /// Records that LLDT, or LGDT unless `local`, names another table: no segment register holds a descriptor of it.
    /// Those of the other table stay held.
    fn leave_table(&mut self, local: bool) {
        for (number, register) in self.registers.segments.iter().enumerate() {
            if (register.selector() & descriptors::LOCAL != 0) == local {
                self.former_tables |= 1 << number;
            }
        }
    }

    #[inline(always)]
    fn watch_alignment(&mut self) {
        let registers = &self.registers;
        let checked = registers.cr0 & CR0_AM != 0 && registers.flags.rest & AC != 0 && registers.cpl == 3;
        self.alignment = self.alignment & !ALIGNED | if checked { ALIGNED } else { 0 };
        if self.armed != 0 {
            self.alignment |= WATCHED;
        }
    }

    /// Checks for stores to code. Every operation that stores must end with it.
    #[inline(always)]
    fn settle(&self) -> Flow {
        if self.facts.code_written {
            return Err(Leave::Settle);
        }
        Ok(())
    }

    #[cold]
    fn raise(&mut self, fault: Fault) -> Leave {
        self.fault = Some(fault);
        Leave::Fault
    }

    #[cold]
    fn ask(&mut self, request: Request) -> Flow {
        self.request = Some(request);
        Err(Leave::Request)
    }

    /// A branch to `target`.
    #[inline(always)]
    fn jump(&mut self, target: u32) -> Flow {
        self.facts.taken = true;
        self.facts.next = target;
        Err(Leave::Branch)
    }

    /// A branch that is not taken.
    #[inline(always)]
    fn fall_through(&mut self, op: &MicroOp) -> Flow {
        self.facts.next = op.after();
        Err(Leave::Branch)
    }
}

#[cfg(test)]
mod tests;
