//! Substitutions: instructions that replace others with the same effect, and are usually no longer.
//!
//! Each rule says which flags it changes in addition; they must be dead after the instruction. A rule that needs a
//! register takes one that is provably dead. A trial decides whether the substitution saves clocks. The rules read and
//! write Intel's order; what is in AT&T syntax is read into it and written back.

use super::blocks::Slot;
use super::text::Lines;
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, RflagsBits};
use p5_assembler::{att_in_intel, intel_in_att};
use runtime::advice::{Live, RegisterParts, is_number};
use std::borrow::Cow;
use std::ops::Range;

mod constants;
mod copies;
mod extends;
mod folds;
mod one;
mod pointers;
mod products;
mod reads;
mod splits;
mod strings;

use crate::command::substitution_rules::Rule;
pub(super) use constants::Constants;
pub(super) use reads::is_store;
pub(super) use strings::Strings;

/// Instructions of a block, and the texts of the instructions that replace them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Substitution {
    pub(super) rule: Rule,
    pub(super) slots: Range<usize>,
    pub(super) texts: Vec<String>,
    /// The value of a named constant on which they depend, or what they are for, as a comment.
    pub(super) told: Option<String>,
    /// For instructions that change places, the one whose comment each text keeps, counted from the first; otherwise
    /// empty.
    pub(super) from: Vec<usize>,
}

const STATUS: u32 = RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;

/// The comment of a read of what is written next.
const READ: &str = "brings the line into the cache";

/// The comment of an exchange with memory that does not lock the bus any more.
const UNLOCKED: &str = "does not lock the bus";

/// Returns which of some flags and registers are dead after the slot with this number.
pub(super) type Dead<'a> = &'a dyn Fn(usize, Live) -> Live;

/// The possible substitutions in the block.
pub(super) fn substitutions(
    slots: &[Slot],
    lines: &Lines,
    dead: Dead<'_>,
    strings: Strings,
    constants: &Constants,
) -> Vec<Substitution> {
    let mut found = Vec::new();
    let block = Block {
        slots,
        texts: in_intel(slots, lines),
        dead,
        constants,
    };
    for at in 0..slots.len() {
        let rules = [
            (1, block.plain(at)),
            (1, block.longer(at)),
            (1, block.own_part(at)),
            (1, block.by_register(at)),
            (1, block.product(at)),
            (1, block.string(at, strings)),
            (1, block.read_first(at)),
            (2, block.compared(at).map(|text| (Rule::Compared, vec![text]))),
            (2, block.sum(at).map(|text| (Rule::CopyAndAdd, vec![text]))),
            (2, block.known_zero(at).map(|text| (Rule::ExtendKnown, vec![text]))),
            (2, block.scaled_sum(at).map(|(rule, text)| (rule, vec![text]))),
            (2, block.in_address(at).map(|text| (Rule::InAddress, vec![text]))),
            (3, block.exchanged(at).map(|texts| (Rule::Exchange, texts))),
        ];
        for (count, replacement) in rules {
            let Some((rule, texts)) = replacement else {
                continue;
            };
            let told = (at..at + count).find_map(|at| block.told(at, &texts));
            found.push(Substitution {
                rule,
                slots: at..at + count,
                from: Vec::new(),
                told: match rule {
                    Rule::ReadFirst => Some(READ.to_owned()),
                    Rule::SwapMemory => Some(UNLOCKED.to_owned()),
                    _ => told,
                },
                texts,
            });
        }
    }
    // There may be many: they come after what is tried in any case.
    for at in 0..slots.len() {
        found.extend(block.use_of_copy(at));
        for (rule, moved) in [block.step_first(at), block.step_last(at)].into_iter().flatten() {
            found.push(Substitution {
                rule,
                slots: at..at + moved.texts.len(),
                from: moved.from,
                told: None,
                texts: moved.texts,
            });
        }
    }
    if lines.spelling.is_att() {
        found.retain_mut(|one| {
            let texts: Option<Vec<String>> = one.texts.iter().map(|text| block.in_att(text, lines)).collect();
            one.texts = texts.unwrap_or_default();
            !one.texts.is_empty()
        });
    }
    found
}

struct Block<'a> {
    slots: &'a [Slot],
    /// The instructions in Intel's order; one that is not known in it stands as in the source.
    texts: Vec<Cow<'a, str>>,
    dead: Dead<'a>,
    constants: &'a Constants,
}

/// The texts of instructions in Intel's order.
fn in_intel<'a>(slots: &[Slot], lines: &'a Lines) -> Vec<Cow<'a, str>> {
    let texts = slots.iter().map(|slot| slot.text(lines));
    let respelled = |text: &'a str| match lines.spelling.is_att() {
        true => att_in_intel(text).map_or(Cow::Borrowed(text), Cow::Owned),
        false => Cow::Borrowed(text),
    };
    texts.map(respelled).collect()
}

impl Block<'_> {
    fn text(&self, at: usize) -> Option<&str> {
        self.texts.get(at).map(AsRef::as_ref)
    }

    /// The text of an instruction in AT&T syntax; one that stays is written as it was.
    fn in_att(&self, text: &str, lines: &Lines) -> Option<String> {
        match self.texts.iter().position(|own| own == text) {
            Some(at) => Some(self.slots[at].text(lines).to_owned()),
            None => intel_in_att(text),
        }
    }

    fn instruction(&self, at: usize) -> Option<&Instruction> {
        self.slots.get(at).map(|slot| &slot.instruction)
    }

    /// The operands as the source spells them; `None` if they cannot be separated.
    fn operands(&self, at: usize) -> Option<Vec<&str>> {
        let text = self.text(at)?;
        let (_, operands) = text.split_once([' ', '\t'])?;
        let plain = !operands.contains(['\'', '"', '<', '!', '%', '{']);
        let parts = split(operands);
        let count = self.instruction(at)?.op_count() as usize;
        (plain && parts.len() == count).then_some(parts)
    }

    fn parts_are_dead(&self, at: usize, parts: RegisterParts) -> bool {
        let wanted = Live { parts, flags: 0 };
        (self.dead)(at, wanted) == wanted
    }

    fn flags_are_dead(&self, at: usize, flags: u32) -> bool {
        let wanted = Live {
            parts: RegisterParts(0),
            flags,
        };
        (self.dead)(at, wanted) == wanted
    }

    /// The instruction alone, if the next one only compares its register with 0 and finds the flags set already.
    fn compared(&self, at: usize) -> Option<String> {
        use Mnemonic::{Adc, Add, And, Cmp, Dec, Inc, Neg, Or, Sar, Sbb, Shl, Shr, Sub, Test, Xor};
        let comparison = self.instruction(at + 1)?;
        let register = comparison.op0_register();
        let zero = comparison.mnemonic() == Cmp
            && is_number(comparison.op1_kind())
            && comparison.immediate(1) == 0
            && self.is_constant(self.operands(at + 1)?[1]);
        let itself = matches!(comparison.mnemonic(), Test | Or | And) && comparison.op1_register() == register;
        if !register.is_gpr() || comparison.op0_kind() != OpKind::Register || !(zero || itself) {
            return None;
        }
        let mut factory = InstructionInfoFactory::new();
        // The instructions between leave the register and the flags alone.
        let setter = (0..=at).rev().find(|&before| {
            let instruction = &self.slots[before].instruction;
            let writes = factory.info(instruction).used_registers().iter().any(|used| {
                !matches!(used.access(), OpAccess::Read | OpAccess::CondRead)
                    && RegisterParts::of(used.register()).meets(RegisterParts::of(register))
            });
            writes || instruction.rflags_modified() & STATUS != 0
        })?;
        let setter = self.instruction(setter)?;
        let own = setter.op0_kind() == OpKind::Register && setter.op0_register() == register;
        let differ = match setter.mnemonic() {
            And | Or | Xor => RflagsBits::AF,
            Test if setter.op1_register() == register => RflagsBits::AF,
            Add | Adc | Sub | Sbb | Inc | Dec | Neg => RflagsBits::CF | RflagsBits::OF | RflagsBits::AF,
            Shl | Mnemonic::Sal | Shr | Sar if is_number(setter.op1_kind()) && setter.immediate(1) & 31 != 0 => {
                RflagsBits::CF | RflagsBits::OF | RflagsBits::AF
            }
            _ => return None,
        };
        let kept = self.instruction(at)?.flow_control() == FlowControl::Next;
        (own && kept && self.flags_are_dead(at + 1, differ)).then(|| self.texts[at].to_string())
    }

    /// A copy followed by an addition as one LEA.
    fn sum(&self, at: usize) -> Option<String> {
        let (copy, addition) = (self.instruction(at)?, self.instruction(at + 1)?);
        let target = copy.op0_register();
        let from = copy.op1_register();
        let copies = copy.mnemonic() == Mnemonic::Mov && target.is_gpr32() && from.is_gpr32();
        let adds = addition.mnemonic() == Mnemonic::Add && addition.op0_register() == target;
        if !copies || !adds || !self.flags_are_dead(at + 1, STATUS) {
            return None;
        }
        let names = self.operands(at)?;
        let index = addition.op1_register();
        if is_number(addition.op1_kind()) {
            let operands = self
                .operands(at + 1)
                .filter(|operands| self.is_one_number(operands[1]))?;
            let (sign, number) = match operands[1].strip_prefix('-') {
                Some(number) => ('-', number),
                None => ('+', operands[1]),
            };
            Some(format!("lea {},[{}{sign}{number}]", names[0], names[1]))
        } else if index.is_gpr32() && index != target && index != Register::ESP {
            Some(format!("lea {},[{}+{}]", names[0], names[1], self.operands(at + 1)?[1]))
        } else {
            None
        }
    }

    /// For two dependence chains on the floating-point stack: executes the next step of the other chain first, between
    /// exchanges that take no clock beside an operation.
    fn exchanged(&self, at: usize) -> Option<Vec<String>> {
        let [first, exchange, second] = [0, 1, 2].map(|step| self.instruction(at + step));
        let (first, exchange, second) = (first?, exchange?, second?);
        let is_exchange = exchange.mnemonic() == Mnemonic::Fxch && exchange.op1_register() == Register::ST1;
        // The next operation sets the condition code that an exchange clears.
        let follows = self.instruction(at + 3)?;
        let hides = is_step_of_chain(follows) || matches!(follows.mnemonic(), Mnemonic::Fxch | Mnemonic::Fld);
        if !is_exchange || !is_step_of_chain(first) || !is_step_of_chain(second) || !hides {
            return None;
        }
        let text = |step: usize| self.texts[at + step].to_string();
        let exchange = text(1);
        Some(vec![exchange.clone(), text(2), exchange.clone(), text(0), exchange])
    }
}

/// The parts of registers that an instruction uses; with `sources`, only those that it reads.
fn used(instruction: &Instruction, sources: bool) -> RegisterParts {
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(instruction);
    let registers = info
        .used_registers()
        .iter()
        .filter(|used| !sources || used.access() != OpAccess::Write);
    RegisterParts(registers.fold(0, |parts, used| parts | RegisterParts::of(used.register()).0))
}

/// The parts of registers that an instruction writes, or may write.
fn written(instruction: &Instruction) -> RegisterParts {
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(instruction);
    let reads = |access: OpAccess| matches!(access, OpAccess::Read | OpAccess::CondRead);
    let registers = info.used_registers().iter().filter(|used| !reads(used.access()));
    RegisterParts(registers.fold(0, |parts, used| parts | RegisterParts::of(used.register()).0))
}

/// Whether it is an operation whose result is ST(0), and whose other operand is neither ST(0) nor ST(1).
fn is_step_of_chain(instruction: &Instruction) -> bool {
    use Mnemonic::{Fabs, Fadd, Fchs, Fdiv, Fdivr, Fmul, Fsub, Fsubr};
    let plain = matches!(
        instruction.mnemonic(),
        Fabs | Fadd | Fchs | Fdiv | Fdivr | Fmul | Fsub | Fsubr
    );
    let apart = match instruction.op_count() {
        0 => true,
        1 => instruction.op0_kind() == OpKind::Memory,
        _ => {
            instruction.op0_register() == Register::ST0
                && !matches!(instruction.op1_register(), Register::ST0 | Register::ST1)
        }
    };
    plain && apart
}

/// Whether the text of an operand is only a number, without a name or an operation.
fn is_literal(text: &str) -> bool {
    let digits = text.trim().trim_start_matches('-');
    digits.starts_with(|first: char| first.is_ascii_digit()) && digits.chars().all(|one| one.is_ascii_alphanumeric())
}

/// The operands of an instruction, separated by commas outside of brackets.
pub(super) fn split(operands: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0, 0);
    for (at, character) in operands.char_indices() {
        match character {
            '[' | '(' => depth += 1,
            ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(operands[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(operands[start..].trim());
    parts
}

#[cfg(test)]
mod tests;
