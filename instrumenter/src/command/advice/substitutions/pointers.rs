//! Steps of pointers before the accesses that use them: `mov [edi],al / inc edi` as `inc edi / mov [edi-1],al`, and the
//! other way round.
//!
//! The access then pairs with what follows, or waits for nothing where the step can move up, or no more for the step.

use super::{Block, Rule, used};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use runtime::advice::{RegisterParts, is_number};

/// The most instructions between an access and the step.
const MOST_BETWEEN: usize = 4;

/// A step that changes places with an access: the new texts, and for each the instruction whose comment it has, counted
/// from the first of the two.
pub(super) struct Moved {
    pub(super) texts: Vec<String>,
    pub(super) from: Vec<usize>,
}

impl Block<'_> {
    /// The access at `at` after the step of its register, which follows it, with the displacement that undoes the step.
    pub(super) fn step_first(&self, at: usize) -> Option<(Rule, Moved)> {
        let access = self.instruction(at)?;
        let (register, factor) = stepped(access)?;
        let parts = RegisterParts::of(register);
        let last = (at + MOST_BETWEEN + 1).min(self.slots.len().checked_sub(1)?);
        let step = (at + 1..=last).find(|&step| {
            let one = &self.slots[step].instruction;
            used(one, false).meets(parts) || one.flow_control() != FlowControl::Next
        })?;
        let amount = self.amount(step, register)?;
        let stepping = self.instruction(step)?;
        let before = (at..step).map(|slot| &self.slots[slot].instruction);
        let changed = stepping.rflags_modified();
        let read = before.clone().any(|one| one.rflags_read() & changed != 0);
        let written = before.fold(0, |flags, one| flags | one.rflags_modified()) & changed;
        if read || written != 0 && !self.flags_are_dead(step, written) {
            return None;
        }
        let text = |slot: usize| self.texts[slot].to_string();
        let moved = with_displacement(&text(at), &amount.times(factor)?)?;
        let others = (at + 1..step).map(text);
        Some((
            Rule::StepFirst,
            Moved {
                texts: [text(step), moved].into_iter().chain(others).collect(),
                from: [step - at, 0].into_iter().chain(1..step - at).collect(),
            },
        ))
    }

    /// The step of a register at `at` after the access that follows it, whose displacement grows by the step. An access
    /// without a displacement would only get one.
    pub(super) fn step_last(&self, at: usize) -> Option<(Rule, Moved)> {
        let stepping = self.instruction(at)?;
        let register = stepping.op0_register();
        if stepping.op0_kind() != OpKind::Register || !register.is_gpr32() {
            return None;
        }
        let amount = self.amount(at, register)?;
        let parts = RegisterParts::of(register);
        let last = (at + MOST_BETWEEN + 1).min(self.slots.len().checked_sub(1)?);
        let place = (at + 1..=last).find(|&place| {
            let one = &self.slots[place].instruction;
            used(one, false).meets(parts) || one.flow_control() != FlowControl::Next
        })?;
        let access = self.instruction(place)?;
        let (of, factor) = stepped(access)?;
        let changed = stepping.rflags_modified();
        let passed = || (at + 1..=place).map(|slot| &self.slots[slot].instruction);
        let read = passed().any(|one| one.rflags_read() & changed != 0);
        let written = passed().fold(0, |flags, one| flags | one.rflags_modified()) & changed;
        let suited = of == register && access.memory_displacement32() != 0;
        if !suited || read || written != 0 && !self.flags_are_dead(place, written) {
            return None;
        }
        let text = |slot: usize| self.texts[slot].to_string();
        let back = Amount {
            negative: !amount.negative,
            ..amount
        };
        let moved = with_displacement(&text(place), &back.times(factor)?)?;
        Some((
            Rule::StepLast,
            Moved {
                texts: (at + 1..place).map(text).chain([moved, text(at)]).collect(),
                from: (1..=place - at).chain([0]).collect(),
            },
        ))
    }

    /// What the instruction at `step` adds to a register, if it does nothing else.
    fn amount(&self, step: usize, register: Register) -> Option<Amount> {
        let instruction = self.instruction(step)?;
        if instruction.op0_kind() != OpKind::Register || instruction.op0_register() != register {
            return None;
        }
        let number = |negative: bool| {
            let operands = self.operands(step)?;
            let text = operands.get(1)?.trim();
            let known = is_number(instruction.op1_kind()) && self.is_one_number(text);
            let (negative, text) = match text.strip_prefix('-') {
                Some(rest) => (!negative, rest),
                None => (negative, text),
            };
            known.then(|| Amount {
                negative,
                text: text.trim().to_owned(),
            })
        };
        match instruction.mnemonic() {
            Mnemonic::Inc => Some(Amount::one(false)),
            Mnemonic::Dec => Some(Amount::one(true)),
            Mnemonic::Add => number(false),
            Mnemonic::Sub => number(true),
            _ => None,
        }
    }
}

/// The register of 32 bits from which an access with one memory operand takes its address, and how often the address
/// contains it; `None` if the instruction uses the register for anything else.
fn stepped(access: &Instruction) -> Option<(Register, u32)> {
    let mut operands = (0..access.op_count()).map(|which| access.op_kind(which));
    let memory = operands.clone().filter(|&kind| kind == OpKind::Memory).count() == 1;
    let plain = operands.all(|kind| matches!(kind, OpKind::Memory | OpKind::Register) || is_number(kind));
    // LEA has no access, and what uses the stack another one.
    let other = access.mnemonic() == Mnemonic::Lea || access.is_stack_instruction() || access.has_lock_prefix();
    if !memory || !plain || other || access.flow_control() != FlowControl::Next {
        return None;
    }
    let (base, index) = (access.memory_base(), access.memory_index());
    let scale = access.memory_index_scale();
    let register = if base.is_gpr32() && base != Register::ESP {
        base
    } else {
        index
    };
    let mut factor = if base == register { 1 } else { 0 };
    factor += if index == register { scale } else { 0 };
    let named = (0..access.op_count()).any(|which| {
        access.op_kind(which) == OpKind::Register
            && RegisterParts::of(access.op_register(which)).meets(RegisterParts::of(register))
    });
    // Registers that are not named, as in DIV.
    let mut bare = *access;
    bare.set_memory_base(Register::None);
    bare.set_memory_index(Register::None);
    let implied = used(&bare, false).meets(RegisterParts::of(register));
    (register.is_gpr32() && !named && !implied).then_some((register, factor))
}

/// A number that is added, as the source spells it without its sign.
#[derive(Clone, Debug)]
struct Amount {
    negative: bool,
    text: String,
}

impl Amount {
    fn one(negative: bool) -> Amount {
        Amount {
            negative,
            text: "1".to_owned(),
        }
    }

    /// The amount this many times.
    fn times(&self, factor: u32) -> Option<Amount> {
        let text = match (factor, self.text.parse::<u32>()) {
            (1, _) => self.text.clone(),
            (_, Ok(number)) => number.checked_mul(factor)?.to_string(),
            (_, Err(_)) => format!("{}*{factor}", self.text),
        };
        Some(Amount { text, ..*self })
    }
}

/// The text of an instruction with the amount subtracted in its brackets.
fn with_displacement(text: &str, amount: &Amount) -> Option<String> {
    let end = text.rfind(']')?;
    let begin = text[..end].rfind('[')? + 1;
    if text.contains(['\'', '"']) {
        return None;
    }
    let inner = text[begin..end].trim_end();
    let negative = !amount.negative;
    // A number at the end takes the amount up.
    let sign = inner.rfind(['+', '-']);
    let number = sign.and_then(|at| Some((at, inner[at + 1..].trim().parse::<i64>().ok()?)));
    let added = amount.text.parse::<i64>().ok();
    let new = match (number, added) {
        (Some((at, number)), Some(added)) => {
            let signed = |negative: bool, number: i64| if negative { -number } else { number };
            let sum = signed(inner[at..].starts_with('-'), number) + signed(negative, added);
            match sum {
                0 => inner[..at].trim_end().to_owned(),
                _ => format!("{}{sum:+}", inner[..at].trim_end()),
            }
        }
        _ => format!("{inner}{}{}", if negative { '-' } else { '+' }, amount.text),
    };
    Some(format!("{}{new}{}", &text[..begin], &text[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_displacement_undoes_the_step() {
        let step = |negative: bool, text: &str| Amount {
            negative,
            text: text.to_owned(),
        };
        for (text, amount, expected) in [
            ("mov [edi],al", step(false, "1"), "mov [edi-1],al"),
            ("mov [edi-1],al", step(true, "1"), "mov [edi],al"),
            ("mov al,[esi+4]", step(false, "8"), "mov al,[esi-4]"),
            ("mov al,table[esi]", step(true, "4"), "mov al,table[esi+4]"),
            (
                "fld dword ptr [esi + ecx*4]",
                step(false, "PITCH"),
                "fld dword ptr [esi + ecx*4-PITCH]",
            ),
            ("mov al,[esi+0Ah]", step(false, "1"), "mov al,[esi+0Ah-1]"),
            ("mov al,[esi].field", step(false, "1"), "mov al,[esi-1].field"),
        ] {
            assert_eq!(with_displacement(text, &amount).as_deref(), Some(expected));
        }
        assert_eq!(with_displacement("mov al,cell", &step(false, "1")), None);
    }
}
