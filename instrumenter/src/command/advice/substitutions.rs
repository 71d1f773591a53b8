//! Substitutions: instructions that replace others with the same effect, and are usually no longer.
//!
//! Each rule says which flags it changes in addition; they must be dead after the instruction. A rule that needs a
//! register takes one that is provably dead. A trial decides whether the substitution saves clocks.

use super::blocks::Slot;
use super::text::Lines;
use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpKind, Register, RflagsBits};
use runtime::advice::{Live, RegisterParts, general, is_number};
use std::ops::Range;

mod rules;

pub(crate) use rules::{Known, Rule};

/// Instructions of a block, and the texts of the instructions that replace them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Substitution {
    pub(super) rule: Rule,
    pub(super) slots: Range<usize>,
    pub(super) texts: Vec<String>,
}

const STATUS: u32 = RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;

/// Returns which of some flags and registers are dead after the slot with this number.
pub(super) type Dead<'a> = &'a dyn Fn(usize, Live) -> Live;

/// The possible substitutions in the block.
pub(super) fn substitutions(slots: &[Slot], lines: &Lines, dead: Dead<'_>) -> Vec<Substitution> {
    let mut found = Vec::new();
    for at in 0..slots.len() {
        let block = Block { slots, lines, dead };
        let rules = [
            (1, block.plain(at)),
            (1, block.by_register(at)),
            (1, block.product(at).map(|(rule, text)| (rule, vec![text]))),
            (2, block.sum(at).map(|text| (Rule::CopyAndAdd, vec![text]))),
            (3, block.exchanged(at).map(|texts| (Rule::Exchange, texts))),
        ];
        for (count, replacement) in rules {
            let Some((rule, texts)) = replacement else {
                continue;
            };
            found.push(Substitution {
                rule,
                slots: at..at + count,
                texts,
            });
        }
    }
    found
}

struct Block<'a> {
    slots: &'a [Slot],
    lines: &'a Lines,
    dead: Dead<'a>,
}

impl Block<'_> {
    fn instruction(&self, at: usize) -> Option<&Instruction> {
        self.slots.get(at).map(|slot| &slot.instruction)
    }

    /// The operands as the source spells them; `None` if they cannot be separated.
    fn operands(&self, at: usize) -> Option<Vec<&str>> {
        let text = self.slots.get(at)?.text(self.lines);
        let (_, operands) = text.split_once([' ', '\t'])?;
        let plain = !operands.contains(['\'', '"', '<', '!', '%', '{']);
        let parts = split(operands);
        let count = self.instruction(at)?.op_count() as usize;
        (plain && parts.len() == count).then_some(parts)
    }

    fn flags_are_dead(&self, at: usize, flags: u32) -> bool {
        let wanted = Live {
            parts: RegisterParts(0),
            flags,
        };
        (self.dead)(at, wanted) == wanted
    }

    /// The substitution at `at` that needs no register.
    fn plain(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        let instruction = self.instruction(at)?;
        let (first, second) = (instruction.op0_register(), instruction.op1_register());
        let in_register = instruction.op0_kind() == OpKind::Register && first.is_gpr();
        // A name may have another value in a later version of the program.
        let literal = || {
            self.operands(at)
                .is_some_and(|operands| operands.get(1).is_some_and(|text| is_literal(text)))
        };
        let number = is_number(instruction.op1_kind())
            .then(|| instruction.immediate(1))
            .filter(|_| literal());
        let same = instruction.op1_kind() == OpKind::Register && first == second;
        let dead = |flags| self.flags_are_dead(at, flags);
        if instruction.mnemonic() == Mnemonic::Loop {
            let counter = match instruction.code() {
                iced_x86::Code::Loop_rel8_32_ECX => "ecx",
                iced_x86::Code::Loop_rel8_16_CX => "cx",
                _ => return None,
            };
            let target = self.operands(at)?[0].to_owned();
            let flags = STATUS & !RflagsBits::CF;
            let texts = || vec![format!("dec {counter}"), format!("jnz {target}")];
            return dead(flags).then(|| (Rule::Loop, texts()));
        }
        if !in_register {
            return None;
        }
        let operands = self.operands(at)?;
        let register = operands[0];
        let (rule, text) = match (instruction.mnemonic(), number) {
            (Mnemonic::Mov, Some(0)) if dead(STATUS) => (Rule::Clear, format!("xor {register},{register}")),
            (Mnemonic::Cmp, Some(0)) if dead(RflagsBits::AF) => (Rule::Test, format!("test {register},{register}")),
            (Mnemonic::Or | Mnemonic::And, None) if same => (Rule::Test, format!("test {register},{register}")),
            (Mnemonic::Shl | Mnemonic::Sal, Some(1)) if dead(RflagsBits::AF) => {
                (Rule::Double, format!("add {register},{register}"))
            }
            (Mnemonic::Add, Some(1)) if dead(RflagsBits::CF) => (Rule::Step, format!("inc {register}")),
            (Mnemonic::Sub, Some(1)) if dead(RflagsBits::CF) => (Rule::Step, format!("dec {register}")),
            (Mnemonic::Inc, _) if dead(RflagsBits::CF) => (Rule::Step, format!("add {register},1")),
            (Mnemonic::Dec, _) if dead(RflagsBits::CF) => (Rule::Step, format!("sub {register},1")),
            (Mnemonic::Not, _) if dead(STATUS) => (Rule::Complement, format!("xor {register},-1")),
            (Mnemonic::Lea, _) if is_step(instruction) && dead(STATUS) => {
                let (sign, number) = literal_step(operands[1])?;
                let name = if sign == '-' { "sub" } else { "add" };
                (Rule::AddNumber, format!("{name} {register},{number}"))
            }
            (Mnemonic::Movzx, _) if dead(STATUS) => {
                let size = match instruction.op1_kind() {
                    OpKind::Memory => instruction.memory_size().size(),
                    _ => second.size(),
                };
                if used(instruction, true).meets(RegisterParts::of(first)) {
                    return None;
                }
                let part = low_part(first, size)?;
                let clear = format!("xor {register},{register}");
                let texts = vec![clear, format!("mov {part},{}", operands[1])];
                return Some((Rule::Extend, texts));
            }
            _ => return None,
        };
        Some((rule, vec![text]))
    }

    /// The substitution at `at` that uses a dead register: for a read-modify-write, a push of memory, or a store of a
    /// number with a displacement, which never pairs.
    fn by_register(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        let instruction = self.instruction(at)?;
        let wide = instruction.op0_kind() == OpKind::Memory && instruction.memory_size().size() == 4;
        if !wide || instruction.has_lock_prefix() {
            return None;
        }
        let operands = self.operands(at)?;
        let memory = operands[0];
        let name = instruction.mnemonic();
        let free = || self.free_register(at);
        let (rule, texts) = match name {
            Mnemonic::Add | Mnemonic::Sub | Mnemonic::And | Mnemonic::Or | Mnemonic::Xor => {
                let free = free()?;
                let word = format!("{name:?}").to_ascii_lowercase();
                (
                    Rule::Modify,
                    vec![
                        format!("mov {free},{memory}"),
                        format!("{word} {free},{}", operands[1]),
                        format!("mov {memory},{free}"),
                    ],
                )
            }
            Mnemonic::Inc | Mnemonic::Dec => {
                let free = free()?;
                let word = format!("{name:?}").to_ascii_lowercase();
                (
                    Rule::StepMemory,
                    vec![
                        format!("mov {free},{memory}"),
                        format!("{word} {free}"),
                        format!("mov {memory},{free}"),
                    ],
                )
            }
            Mnemonic::Push => {
                let free = free()?;
                (Rule::Push, vec![format!("mov {free},{memory}"), format!("push {free}")])
            }
            Mnemonic::Mov if is_number(instruction.op1_kind()) && instruction.memory_displ_size() > 0 => {
                let free = free()?;
                (
                    Rule::StoreNumber,
                    vec![format!("mov {free},{}", operands[1]), format!("mov {memory},{free}")],
                )
            }
            _ => return None,
        };
        Some((rule, texts))
    }

    /// A multiplication by a small constant as one LEA, or by a power of two as a shift.
    fn product(&self, at: usize) -> Option<(Rule, String)> {
        let instruction = self.instruction(at)?;
        let target = instruction.op0_register();
        let count = instruction.op_count();
        if instruction.mnemonic() != Mnemonic::Imul || !target.is_gpr32() || !matches!(count, 2 | 3) {
            return None;
        }
        // `imul r,n` is encoded with its register as both operands.
        let from = instruction.op1_register();
        let written = self.slots.get(at)?.text(self.lines).split_once([' ', '\t'])?.1;
        let parts = split(written);
        let (names, number) = match parts[..] {
            [own, number] => ([own, own], number),
            [own, from, number] => ([own, from], number),
            _ => return None,
        };
        let last = count - 1;
        let literal = is_number(instruction.op_kind(last)) && is_literal(number);
        if !literal || instruction.op1_kind() != OpKind::Register || !self.flags_are_dead(at, STATUS) {
            return None;
        }
        let [own, from_name] = names;
        let index = from != Register::ESP;
        let address = |text| Some((Rule::MultiplyByAddress, text));
        match instruction.immediate(last) as u32 {
            2 if index && from != target => address(format!("lea {own},[{from_name}+{from_name}]")),
            factor @ (3 | 5 | 9) if index => address(format!("lea {own},[{from_name}+{from_name}*{}]", factor - 1)),
            factor @ (4 | 8) if index && from != target => address(format!("lea {own},[{from_name}*{factor}]")),
            factor if factor.is_power_of_two() && factor > 1 && from == target => {
                Some((Rule::MultiplyByShift, format!("shl {own},{}", factor.trailing_zeros())))
            }
            _ => None,
        }
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
            let operands = self.operands(at + 1).filter(|operands| is_literal(operands[1]))?;
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
        let text = |step: usize| self.slots[at + step].text(self.lines).to_owned();
        let exchange = text(1);
        Some(vec![exchange.clone(), text(2), exchange.clone(), text(0), exchange])
    }

    /// A register that is dead after the instruction and that the instruction does not use.
    fn free_register(&self, at: usize) -> Option<String> {
        let uses = used(self.instruction(at)?, false);
        let stack = RegisterParts::of(Register::ESP).0 | RegisterParts::of(Register::EBP).0;
        let registers = (0..8).map(general).filter(|register| {
            let parts = RegisterParts::of(*register);
            parts.0 & stack == 0 && !uses.meets(parts)
        });
        registers
            .filter(|register| {
                let wanted = Live {
                    parts: RegisterParts::of(*register),
                    flags: 0,
                };
                (self.dead)(at, wanted) == wanted
            })
            .map(|register| format!("{register:?}").to_ascii_lowercase())
            .next()
    }
}

/// The parts of registers that an instruction uses; with `sources`, only those that it reads.
fn used(instruction: &Instruction, sources: bool) -> RegisterParts {
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(instruction);
    let registers = info
        .used_registers()
        .iter()
        .filter(|used| !sources || used.access() != iced_x86::OpAccess::Write);
    RegisterParts(registers.fold(0, |parts, used| parts | RegisterParts::of(used.register()).0))
}

/// The name of the lowest byte or word of a 32-bit register; not every register has such a byte.
fn low_part(register: Register, bytes: usize) -> Option<&'static str> {
    let (byte, word) = match register {
        Register::EAX => (Some("al"), "ax"),
        Register::ECX => (Some("cl"), "cx"),
        Register::EDX => (Some("dl"), "dx"),
        Register::EBX => (Some("bl"), "bx"),
        Register::ESI => (None, "si"),
        Register::EDI => (None, "di"),
        Register::EBP => (None, "bp"),
        _ => return None,
    };
    match bytes {
        1 => byte,
        2 => Some(word),
        _ => None,
    }
}

/// Whether it is a LEA that adds a constant to a register.
fn is_step(instruction: &Instruction) -> bool {
    let register = instruction.op0_register();
    register.is_gpr32()
        && instruction.memory_base() == register
        && instruction.memory_index() == Register::None
        && instruction.memory_displacement32() != 0
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

/// The sign and the number of a memory operand that is a register and a number, as in `[esi+4]`.
fn literal_step(text: &str) -> Option<(char, &str)> {
    let inner = text.trim().strip_prefix('[')?.strip_suffix(']')?;
    let at = inner.find(['+', '-'])?;
    let (sign, number) = (inner[at..].chars().next()?, inner[at + 1..].trim());
    (is_literal(number) && !number.contains('-')).then_some((sign, number))
}

/// The operands of an instruction, separated by commas outside of brackets.
fn split(operands: &str) -> Vec<&str> {
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
