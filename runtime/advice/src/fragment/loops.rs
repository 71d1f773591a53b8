//! The loops of a fragment, and what decides how often each goes round.

use super::flow::Flow;
use super::round;
use super::value::{State, Value};
use crate::{is_number, target};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpAccess, OpKind, Register};

/// A loop: the instructions from the target of a backward branch to that branch.
pub(super) struct Loop {
    pub(super) head: usize,
    pub(super) branch: usize,
    pub(super) control: Control,
    /// The values that its other branches compare a counter with, as checks of an index do.
    pub(super) checks: Vec<Check>,
    /// The numbers that it counts up or down to, if it compares with one.
    pub(super) to: Option<To>,
    /// The origins from which the values are computed that its ends are decided by.
    pub(super) decided_by: u64,
    /// Whether another loop lies in it.
    pub(super) outer: bool,
}

/// A counter that is compared with a value in each round, but whose loop another comparison ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Check {
    pub(super) first: Value,
    pub(super) step: i32,
    pub(super) last: Value,
}

/// A count that ends at a number.
#[derive(Clone, Copy, Debug)]
pub(super) struct To {
    pub(super) first: Value,
    pub(super) step: i32,
    pub(super) last: i32,
}

/// The condition that ends a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    /// The code sets the number of rounds itself, and this is what it is; 0 if it cannot be told from here.
    Known(u32),
    /// The value at the beginning, to which each round adds `step`, has to reach `last` in the last round.
    Count { first: Value, step: i32, last: Last },
    /// Nothing here tells.
    Open,
}

/// The value of a counter after the last round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Last {
    /// This number.
    Number(i32),
    /// The first value beyond zero.
    Past,
    /// Another value, which does not change.
    Value(Value),
    /// An address that will be where the last round ends.
    Moved,
}

impl Loop {
    pub(super) fn holds(&self, at: usize) -> bool {
        (self.head..=self.branch).contains(&at)
    }
}

/// The loops in the order of their branches.
pub(super) fn loops(flow: &mut Flow) -> Vec<Loop> {
    let mut found: Vec<Loop> = Vec::new();
    for branch in 0..flow.code.len() {
        let instruction = flow.code[branch];
        let jump = matches!(
            instruction.flow_control(),
            FlowControl::ConditionalBranch | FlowControl::UnconditionalBranch
        );
        let head = target(&instruction).and_then(|address| flow.index(address));
        let Some(head) = head.filter(|&head| jump && head <= branch) else {
            continue;
        };
        let mut to = None;
        let mut control = control(flow, (head, branch), branch, &mut to);
        let exits = exits(flow, head, branch);
        for &exit in &exits {
            if control == Control::Open {
                // A way out after a number of rounds that the code sets ends the loop, unless that cannot be told.
                control = match self::control(flow, (head, branch), exit, &mut to) {
                    Control::Known(0) => Control::Open,
                    other => other,
                };
            }
        }
        let mut checks = Vec::new();
        for &exit in &exits {
            if let Control::Count {
                first,
                step,
                last: Last::Value(last),
            } = self::control(flow, (head, branch), exit, &mut None)
            {
                checks.push(Check { first, step, last });
            }
        }
        let decided_by = exits.iter().chain([&branch]).map(|&exit| decided_by(flow, head, exit));
        let decided_by = decided_by.fold(0, |all, one| all | one);
        found.push(Loop {
            head,
            branch,
            control,
            checks,
            to,
            decided_by,
            outer: false,
        });
    }
    for at in 0..found.len() {
        let (head, branch) = (found[at].head, found[at].branch);
        found[at].outer = found
            .iter()
            .any(|inner| head <= inner.head && inner.branch < branch || head < inner.head && inner.branch <= branch);
    }
    found
}

/// The operand that a loop counts with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counter {
    Register(Register),
    /// That of this instruction.
    Memory(usize),
}

/// The branches out of a loop, except for its last one.
fn exits(flow: &Flow, head: usize, branch: usize) -> Vec<usize> {
    let leaves = |at: &usize| {
        let instruction = &flow.code[*at];
        let to = target(instruction).and_then(|address| flow.index(address));
        instruction.flow_control() == FlowControl::ConditionalBranch
            && to.is_none_or(|to| !(head..=branch).contains(&to))
    };
    (head..branch).filter(leaves).collect()
}

/// The instruction of a loop that sets the flags which a branch in it reads.
fn setter(flow: &Flow, head: usize, exit: usize) -> Option<usize> {
    let read = flow.code[exit].rflags_read();
    (head..exit)
        .rev()
        .find(|&at| flow.code[at].rflags_modified() & read != 0)
}

/// The origins from which the values are computed that a branch depends on.
fn decided_by(flow: &mut Flow, head: usize, exit: usize) -> u64 {
    let Some(setter) = setter(flow, head, exit) else {
        return 0;
    };
    let instruction = flow.code[setter];
    let Some(state) = flow.states[setter].clone() else {
        return 0;
    };
    let mut of = |number: u32| match instruction.op_kind(number) {
        OpKind::Register => state.value(instruction.op_register(number)),
        OpKind::Memory => flow.loaded(&instruction, &state),
        _ => Value::default(),
    };
    let mut all = 0;
    for number in 0..instruction.op_count() {
        let value = of(number);
        all |= value.sum | value.other;
    }
    all
}

/// What ends a loop by the branch `exit`, which is its last one or leads out of it.
fn control(flow: &mut Flow, (head, branch): (usize, usize), exit: usize, to: &mut Option<To>) -> Control {
    let last = flow.code[exit];
    let Some(state) = flow.states[head].clone() else {
        return Control::Known(0);
    };
    if matches!(last.mnemonic(), Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne) {
        let first = state.value(Register::ECX);
        return counted(first, -1, Last::Number(0));
    }
    if last.flow_control() == FlowControl::UnconditionalBranch {
        return Control::Open;
    }
    let Some(setter) = setter(flow, head, exit) else {
        return Control::Open;
    };
    let instruction = flow.code[setter];
    let same = instruction.op_count() == 2
        && instruction.op0_kind() == OpKind::Register
        && instruction.op1_kind() == OpKind::Register
        && instruction.op0_register() == instruction.op1_register();
    let (counter, other) = match instruction.mnemonic() {
        Mnemonic::Inc | Mnemonic::Dec => (counter(flow, 0, setter, head), None),
        Mnemonic::Add | Mnemonic::Sub if is_number(instruction.op1_kind()) => (counter(flow, 0, setter, head), None),
        Mnemonic::Test | Mnemonic::Or | Mnemonic::And if same => (counter(flow, 0, setter, head), None),
        Mnemonic::Cmp => (counter(flow, 0, setter, head), Some(1)),
        _ => return Control::Open,
    };
    let Some(mut counter_of) = counter else {
        return Control::Open;
    };
    let mut step = delta(flow, counter_of, head, branch);
    let Some(other) = other else {
        let Some(step) = step.filter(|&step| step != 0) else {
            return Control::Open;
        };
        let first = value(flow, counter_of, &state);
        let past = matches!(last.mnemonic(), Mnemonic::Jns | Mnemonic::Jge | Mnemonic::Jae) && step < 0;
        return counted(first, step, if past { Last::Past } else { Last::Number(0) });
    };
    let mut bound = match is_number(instruction.op_kind(other)) {
        true => Some(Value::number(instruction.immediate(other) as i32)),
        false => None,
    };
    if bound.is_none() {
        let Some(other) = self::counter(flow, other, setter, head) else {
            return Control::Open;
        };
        let moved = delta(flow, other, head, branch);
        let (fixed, moving) = match (step, moved) {
            (Some(by), Some(0)) if by != 0 => (other, counter_of),
            (Some(0), Some(by)) if by != 0 => (counter_of, other),
            _ => return Control::Open,
        };
        counter_of = moving;
        step = if fixed == other { step } else { moved };
        bound = Some(value(flow, fixed, &state));
    }
    match (step.filter(|&step| step != 0), bound) {
        (Some(step), Some(bound)) => {
            let first = value(flow, counter_of, &state);
            let last = match bound.exact {
                Some((None, number)) => {
                    *to = Some(To {
                        first,
                        step,
                        last: number,
                    });
                    Last::Number(number)
                }
                _ => Last::Value(bound),
            };
            counted(first, step, last)
        }
        _ => Control::Open,
    }
}

fn counted(first: Value, step: i32, last: Last) -> Control {
    match (first.exact, last) {
        (Some((None, first)), Last::Number(last)) => Control::Known(rounds(first, step, last)),
        (Some((None, first)), Last::Past) => Control::Known(rounds(first, step, 0).saturating_add(1)),
        _ => Control::Count { first, step, last },
    }
}

/// The rounds that lead from one number to another; 0 if they lead away from it.
fn rounds(first: i32, step: i32, last: i32) -> u32 {
    let (way, step) = (i64::from(last) - i64::from(first), i64::from(step));
    let whole = way.unsigned_abs().div_ceil(step.unsigned_abs().max(1));
    match way.signum() == step.signum() {
        true => u32::try_from(whole).unwrap_or(u32::MAX),
        false => 0,
    }
}

/// What an operand of the instruction `at` counts with: of a register that is loaded from a variable for this, the
/// variable.
fn counter(flow: &mut Flow, number: u32, at: usize, head: usize) -> Option<Counter> {
    let instruction = flow.code[at];
    match instruction.op_kind(number) {
        OpKind::Register => {
            let register = instruction.op_register(number);
            let whole = register.is_gpr() && flow.width.is_whole(register.size());
            let register = whole.then(|| register.full_register32())?;
            Some(match round::loaded_by(flow, register, at, head) {
                Some(load) => Counter::Memory(load),
                None => Counter::Register(register),
            })
        }
        OpKind::Memory if flow.width.is_whole(instruction.memory_size().size()) => Some(Counter::Memory(at)),
        _ => None,
    }
}

fn value(flow: &mut Flow, counter: Counter, state: &State) -> Value {
    match counter {
        Counter::Register(register) => state.value(register),
        Counter::Memory(at) => {
            let instruction = flow.code[at];
            flow.loaded(&instruction, state)
        }
    }
}

/// What a round adds to a counter; `None` if it is not always the same number.
fn delta(flow: &mut Flow, counter: Counter, head: usize, branch: usize) -> Option<i32> {
    match counter {
        Counter::Register(register) => register_delta(flow, register, head, branch),
        Counter::Memory(of) => round::advance_of_memory(flow, of, head, branch).or_else(|| {
            // Of an element of a table, only what is added to it is known.
            (flow.code[of].memory_index() != Register::None).then_some(())?;
            let place = |one: &Instruction| {
                let address = (one.memory_base(), one.memory_index(), one.memory_displacement32());
                (one.op0_kind() == OpKind::Memory).then_some(address)
            };
            let counted = flow.code[of];
            let operand = (
                counted.memory_base(),
                counted.memory_index(),
                counted.memory_displacement32(),
            );
            let mut sum = 0;
            for at in head..=branch {
                let instruction = flow.code[at];
                let compares = matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test);
                if place(&instruction) == Some(operand) && !compares {
                    sum += added(&instruction)?;
                }
            }
            Some(sum)
        }),
    }
}

/// What an instruction adds to its first operand; `None` if it does something else to it.
fn added(instruction: &Instruction) -> Option<i32> {
    match instruction.mnemonic() {
        Mnemonic::Inc => Some(1),
        Mnemonic::Dec => Some(-1),
        Mnemonic::Add if is_number(instruction.op1_kind()) => Some(instruction.immediate(1) as i32),
        Mnemonic::Sub if is_number(instruction.op1_kind()) => Some((instruction.immediate(1) as i32).wrapping_neg()),
        Mnemonic::Lea => {
            let own = instruction.memory_base().full_register32() == instruction.op0_register().full_register32();
            let plain = own && instruction.memory_index() == Register::None;
            let number = instruction.memory_displacement32();
            plain.then_some(match instruction.memory_base().size() {
                2 => i32::from(number as u16 as i16),
                _ => number as i32,
            })
        }
        _ => None,
    }
}

/// What a round of the loop adds to a general register; `None` if it is not always the same number.
pub(super) fn register_delta(flow: &mut Flow, register: Register, head: usize, branch: usize) -> Option<i32> {
    let mut sum = 0;
    let mut next = head;
    while next <= branch {
        let at = next;
        next = restored(flow, register, at, branch).unwrap_or(at) + 1;
        if next > at + 1 {
            continue;
        }
        let instruction = flow.code[at];
        let used = flow.info(&instruction).used_registers();
        let writes = used.iter().any(|used| {
            let written = !matches!(
                used.access(),
                OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
            );
            written && used.register().is_gpr() && used.register().full_register32() == register
        });
        if !writes {
            continue;
        }
        let first = instruction.op0_kind() == OpKind::Register
            && instruction.op0_register().full_register32() == register
            && flow.width.is_whole(instruction.op0_register().size());
        sum += if first {
            added(&instruction)?
        } else if instruction.is_string_instruction()
            && !instruction.has_rep_prefix()
            && !instruction.has_repne_prefix()
        {
            string_step(&instruction)
        } else if matches!(
            instruction.mnemonic(),
            Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne
        ) {
            -1
        } else if register == Register::ESP {
            instruction.stack_pointer_increment()
        } else {
            return None;
        };
    }
    Some(sum)
}

/// The instruction up to `branch` that takes a register off the stack again which the one at `at` pushes.
fn restored(flow: &Flow, register: Register, at: usize, branch: usize) -> Option<usize> {
    let is = |at: usize, mnemonic: Mnemonic| {
        let instruction = &flow.code[at];
        let operand = instruction.op0_register();
        let whole = instruction.op0_kind() == OpKind::Register && operand.is_gpr();
        whole && instruction.mnemonic() == mnemonic && operand.full_register32() == register
    };
    let mut depth = flow.code[at].stack_pointer_increment();
    if register == Register::ESP || !is(at, Mnemonic::Push) {
        return None;
    }
    for later in at + 1..=branch {
        // What a call pushes its return takes.
        if flow.code[later].flow_control() != FlowControl::Call {
            depth += flow.code[later].stack_pointer_increment();
        }
        if depth >= 0 {
            return (depth == 0 && is(later, Mnemonic::Pop)).then_some(later);
        }
    }
    None
}

/// The bytes by which a string instruction moves its pointers, with the direction flag clear.
pub(super) fn string_step(instruction: &Instruction) -> i32 {
    match instruction.mnemonic() {
        Mnemonic::Movsd | Mnemonic::Lodsd | Mnemonic::Stosd | Mnemonic::Scasd | Mnemonic::Cmpsd => 4,
        Mnemonic::Movsw | Mnemonic::Lodsw | Mnemonic::Stosw | Mnemonic::Scasw | Mnemonic::Cmpsw => 2,
        _ => 1,
    }
}
