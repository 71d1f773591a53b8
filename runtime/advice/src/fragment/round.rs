//! One round of a loop as sums: what each register and each variable of the frame is at an instruction, in terms of
//! what they were at the beginning of the round.
//!
//! Code that a compiler has not optimised keeps its index in memory, loads it for each use, and computes the address
//! from it anew in each round. No instruction adds to such an address, but it moves as evenly as the index does.
//!
//! The instructions are taken in the order of their addresses, as if every jump forward inside the loop fell through.

use super::flow::Flow;
use iced_x86::{FlowControl, Instruction, Mnemonic, OpAccess, OpKind, Register};
use std::collections::BTreeMap;

/// How many values may be computed from each other over the rounds.
const MOST_STEPS: u32 = 8;

/// Something that has a value at the beginning of a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    /// A general register, by number.
    Register(usize),
    /// Memory at a displacement from a register, or from nothing.
    Memory(Option<usize>, i32),
}

/// A number, and multiples of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Sum {
    terms: BTreeMap<Slot, i32>,
    number: i32,
}

impl Sum {
    fn number(number: i32) -> Sum {
        Sum {
            number,
            ..Sum::default()
        }
    }

    fn of(slot: Slot) -> Sum {
        Sum {
            terms: BTreeMap::from([(slot, 1)]),
            number: 0,
        }
    }

    fn times(mut self, factor: i32) -> Sum {
        self.terms
            .values_mut()
            .for_each(|times| *times = times.wrapping_mul(factor));
        self.terms.retain(|_, times| *times != 0);
        self.number = self.number.wrapping_mul(factor);
        self
    }

    fn plus(mut self, other: Sum) -> Sum {
        for (slot, times) in other.terms {
            let known = self.terms.entry(slot).or_default();
            *known = known.wrapping_add(times);
        }
        self.terms.retain(|_, times| *times != 0);
        self.number = self.number.wrapping_add(other.number);
        self
    }

    /// What it adds to a slot, if it is no more than that slot and a number.
    fn beyond(&self, slot: Slot) -> Option<i32> {
        let alone = self.terms.len() == 1 && self.terms.get(&slot) == Some(&1);
        alone.then_some(self.number)
    }
}

/// What the slots are that a round has changed so far; `None` if that is no sum.
#[derive(Clone, Debug, Default)]
struct Round {
    slots: BTreeMap<Slot, Option<Sum>>,
}

/// What a round of the loop adds to a register as it is before the instruction `at`; `None` if that is not known.
pub(super) fn advance(flow: &mut Flow, register: Register, at: usize, head: usize, branch: usize) -> Option<i32> {
    let before = Round::until(flow, head, at);
    let whole = Round::until(flow, head, branch + 1);
    let sum = before.value(Slot::Register(register.full_register32().number()))?;
    whole.moved(&sum, MOST_STEPS)
}

/// What a round of the loop adds to the memory that the instruction `at` names.
pub(super) fn advance_of_memory(flow: &mut Flow, at: usize, head: usize, branch: usize) -> Option<i32> {
    let before = Round::until(flow, head, at);
    let whole = Round::until(flow, head, branch + 1);
    let slot = before.slot(flow, &flow.code[at])?;
    whole.moved(&before.value(slot)?, MOST_STEPS)
}

/// The instruction of a round that loads a register, which stays so up to `at`, from a variable.
pub(super) fn loaded_by(flow: &mut Flow, register: Register, at: usize, head: usize) -> Option<usize> {
    let writer = (head..at).rev().find(|&one| {
        let instruction = flow.code[one];
        written(flow, &instruction).contains(&register.full_register32().number())
    })?;
    let instruction = flow.code[writer];
    let loads = instruction.mnemonic() == Mnemonic::Mov
        && instruction.op1_kind() == OpKind::Memory
        && flow.width.is_whole(instruction.op0_register().size());
    (loads && instruction.memory_index() == Register::None).then_some(writer)
}

/// The general registers that an instruction writes.
fn written(flow: &mut Flow, instruction: &Instruction) -> Vec<usize> {
    let used = flow.info(instruction).used_registers().iter();
    let writes = |access: OpAccess| {
        !matches!(
            access,
            OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
        )
    };
    used.filter(|used| writes(used.access()) && used.register().is_gpr())
        .map(|used| used.register().full_register32().number())
        .collect()
}

impl Round {
    /// The round from its beginning to before the instruction `end`.
    fn until(flow: &mut Flow, head: usize, end: usize) -> Round {
        let mut round = Round::default();
        for at in head..end.min(flow.code.len()) {
            let instruction = flow.code[at];
            round.execute(flow, &instruction);
        }
        round
    }

    fn value(&self, slot: Slot) -> Option<Sum> {
        self.slots.get(&slot).cloned().unwrap_or_else(|| Some(Sum::of(slot)))
    }

    /// The slot that a memory operand names: its base is a register of the beginning of the round and a number.
    fn slot(&self, flow: &Flow, instruction: &Instruction) -> Option<Slot> {
        let displacement = flow.width.displacement(instruction);
        if instruction.memory_index() != Register::None {
            return None;
        }
        let base = instruction.memory_base();
        if base == Register::None {
            return Some(Slot::Memory(None, displacement));
        }
        if !base.is_gpr() {
            return None;
        }
        let sum = self.value(Slot::Register(base.full_register32().number()))?;
        let (&slot, _) = sum.terms.first_key_value()?;
        let Slot::Register(from) = slot else { return None };
        Some(Slot::Memory(Some(from), displacement.wrapping_add(sum.beyond(slot)?)))
    }

    fn operand(&self, flow: &Flow, instruction: &Instruction, number: u32) -> Option<Sum> {
        match instruction.op_kind(number) {
            OpKind::Register => {
                let register = instruction.op_register(number);
                let whole = register.is_gpr() && flow.width.is_whole(register.size());
                let slot = Slot::Register(register.full_register32().number());
                whole.then(|| self.value(slot)).flatten()
            }
            OpKind::Memory if flow.width.is_whole(instruction.memory_size().size()) => {
                self.value(self.slot(flow, instruction)?)
            }
            kind if crate::is_number(kind) => Some(Sum::number(instruction.immediate(number) as i32)),
            _ => None,
        }
    }

    /// What an instruction puts into its first operand.
    fn result(&self, flow: &Flow, instruction: &Instruction) -> Option<Sum> {
        let operand = |number: u32| self.operand(flow, instruction, number);
        let same = instruction.op_count() == 2
            && instruction.op1_kind() == OpKind::Register
            && instruction.op0_kind() == OpKind::Register
            && instruction.op0_register() == instruction.op1_register();
        match instruction.mnemonic() {
            Mnemonic::Xor | Mnemonic::Sub if same => Some(Sum::number(0)),
            Mnemonic::Mov => operand(1),
            Mnemonic::Add => Some(operand(0)?.plus(operand(1)?)),
            Mnemonic::Sub => Some(operand(0)?.plus(operand(1)?.times(-1))),
            Mnemonic::Inc => Some(operand(0)?.plus(Sum::number(1))),
            Mnemonic::Dec => Some(operand(0)?.plus(Sum::number(-1))),
            Mnemonic::Neg => Some(operand(0)?.times(-1)),
            Mnemonic::Shl | Mnemonic::Sal if crate::is_number(instruction.op1_kind()) => {
                Some(operand(0)?.times(1i32.wrapping_shl(instruction.immediate(1) as u32)))
            }
            Mnemonic::Imul if instruction.op_count() == 3 => Some(operand(1)?.times(instruction.immediate(2) as i32)),
            Mnemonic::Lea => {
                let part = |register: Register| match register.is_gpr() {
                    true => self.value(Slot::Register(register.full_register32().number())),
                    false => Some(Sum::number(0)),
                };
                let index = part(instruction.memory_index())?.times(instruction.memory_index_scale() as i32);
                let sum = part(instruction.memory_base())?.plus(index);
                Some(sum.plus(Sum::number(flow.width.displacement(instruction))))
            }
            _ => None,
        }
    }

    fn execute(&mut self, flow: &mut Flow, instruction: &Instruction) {
        let result = self.result(flow, instruction);
        let top = self.value(Slot::Register(Register::ESP.number()));
        let by = instruction.stack_pointer_increment();
        let moved = top.clone().map(|sum| sum.plus(Sum::number(by)));
        let on_stack = |sum: &Option<Sum>| {
            let slot = Slot::Register(Register::ESP.number());
            let distance = sum.as_ref().and_then(|sum| sum.beyond(slot));
            distance.map(|distance| Slot::Memory(Some(Register::ESP.number()), distance))
        };
        let memory = (instruction.op0_kind() == OpKind::Memory).then(|| self.slot(flow, instruction));
        let stored = match instruction.mnemonic() {
            Mnemonic::Push => on_stack(&moved).map(|slot| (slot, self.operand(flow, instruction, 0))),
            Mnemonic::Cmp | Mnemonic::Test => None,
            _ => memory.flatten().map(|slot| (slot, result.clone())),
        };
        let popped = on_stack(&top)
            .filter(|_| instruction.mnemonic() == Mnemonic::Pop)
            .map(|slot| self.value(slot));
        for number in written(flow, instruction) {
            self.slots.insert(Slot::Register(number), None);
        }
        let first = instruction.op0_register();
        let whole = first.is_gpr() && flow.width.is_whole(first.size()) && instruction.op0_kind() == OpKind::Register;
        let writes = !matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test | Mnemonic::Push);
        if whole
            && writes
            && let Some(sum) = popped.unwrap_or(result.filter(|_| by == 0))
        {
            self.slots
                .insert(Slot::Register(first.full_register32().number()), Some(sum));
        }
        if instruction.flow_control() == FlowControl::Call {
            // What the call pushes its return takes; these are the registers that functions of C may change.
            for register in [Register::EAX, Register::ECX, Register::EDX] {
                self.slots.insert(Slot::Register(register.number()), None);
            }
            self.slots.insert(Slot::Register(Register::ESP.number()), top);
        } else if by != 0 && first.full_register32() != Register::ESP {
            self.slots.insert(Slot::Register(Register::ESP.number()), moved);
        }
        self.slots.extend(stored);
    }

    /// What a whole round, which this is, adds to a sum of what slots are at its beginning.
    fn moved(&self, sum: &Sum, steps: u32) -> Option<i32> {
        let mut all = 0i32;
        for (&slot, &times) in &sum.terms {
            all = all.wrapping_add(self.slot_moved(slot, steps)?.wrapping_mul(times));
        }
        Some(all)
    }

    fn slot_moved(&self, slot: Slot, steps: u32) -> Option<i32> {
        if let Slot::Memory(Some(base), _) = slot {
            // Memory at a pointer that moves is other memory in the next round.
            let base = Slot::Register(base);
            (self.value(base)?.beyond(base) == Some(0)).then_some(())?;
        }
        let after = self.value(slot)?;
        after.beyond(slot).or_else(|| {
            // It is computed anew from others, which move.
            let steps = steps.checked_sub(1)?;
            self.moved(&after, steps)
        })
    }
}
