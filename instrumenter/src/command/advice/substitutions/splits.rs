//! Instructions with memory operands, and exchanges, that simple instructions with a dead register replace.

use super::{Block, Rule, used};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use runtime::advice::{RegisterParts, is_number};

/// The registers that may be taken, by size in bytes, those that code uses for other things last.
const WIDE: &[Register] = &[
    Register::EAX,
    Register::ECX,
    Register::EDX,
    Register::EBX,
    Register::ESI,
    Register::EDI,
    Register::EBP,
];
const WORDS: &[Register] = &[
    Register::AX,
    Register::CX,
    Register::DX,
    Register::BX,
    Register::SI,
    Register::DI,
    Register::BP,
];
const BYTES: &[Register] = &[
    Register::AL,
    Register::CL,
    Register::DL,
    Register::BL,
    Register::AH,
    Register::CH,
    Register::DH,
    Register::BH,
];

impl Block<'_> {
    /// The substitution at `at` that uses a dead register: for an operation on memory, a push of memory, a store of a
    /// number with a displacement, which never pairs, or an exchange.
    pub(super) fn by_register(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        use Mnemonic::{Adc, Add, And, Cmp, Dec, Inc, Mov, Neg, Not, Or, Push, Sbb, Sub, Test, Xchg, Xor};
        let instruction = self.instruction(at)?;
        if instruction.has_lock_prefix() {
            return None;
        }
        let operands = self.operands(at)?;
        let name = instruction.mnemonic();
        let word = format!("{name:?}").to_ascii_lowercase();
        let is_memory = |which: u32| instruction.op_count() > which && instruction.op_kind(which) == OpKind::Memory;
        let size = match (is_memory(0), is_memory(1)) {
            (false, false) => instruction.op0_register().size(),
            _ => instruction.memory_size().size(),
        };
        let free = || self.free_register(at, size);
        let first = operands[0];
        let second = operands.get(1).copied().unwrap_or_default();
        let (rule, texts) = match name {
            Add | Adc | Sub | Sbb | And | Or | Xor if is_memory(0) => {
                let free = free()?;
                let texts = [format!("mov {free},{first}"), format!("{word} {free},{second}")];
                (Rule::Modify, [&texts[..], &[format!("mov {first},{free}")]].concat())
            }
            Add | Adc | Sub | Sbb | And | Or | Xor | Cmp if is_memory(1) => {
                let free = free()?;
                (
                    Rule::Load,
                    vec![format!("mov {free},{second}"), format!("{word} {first},{free}")],
                )
            }
            Cmp | Test if is_memory(0) => {
                let free = free()?;
                (
                    Rule::Compare,
                    vec![format!("mov {free},{first}"), format!("{word} {free},{second}")],
                )
            }
            Inc | Dec | Neg | Not if is_memory(0) => {
                let free = free()?;
                let texts = [format!("mov {free},{first}"), format!("{word} {free}")];
                (
                    Rule::StepMemory,
                    [&texts[..], &[format!("mov {first},{free}")]].concat(),
                )
            }
            Push if is_memory(0) && size == 4 => {
                let free = free()?;
                (Rule::Push, vec![format!("mov {free},{first}"), format!("push {free}")])
            }
            Mov if is_memory(0) && is_number(instruction.op1_kind()) && instruction.memory_displ_size() > 0 => {
                let free = free()?;
                (
                    Rule::StoreNumber,
                    vec![format!("mov {free},{second}"), format!("mov {first},{free}")],
                )
            }
            Xchg if are_different_registers(instruction) => {
                let free = free()?;
                let texts = [format!("mov {free},{first}"), format!("mov {first},{second}")];
                (Rule::Swap, [&texts[..], &[format!("mov {second},{free}")]].concat())
            }
            Xchg if is_memory(0) => {
                let free = free()?;
                let register = instruction.op1_register();
                let (memory, register) = match first.eq_ignore_ascii_case(&format!("{register:?}")) {
                    true => (second, first),
                    false => (first, second),
                };
                let texts = [format!("mov {free},{memory}"), format!("mov {memory},{register}")];
                (
                    Rule::SwapMemory,
                    [&texts[..], &[format!("mov {register},{free}")]].concat(),
                )
            }
            _ => return None,
        };
        Some((rule, texts))
    }

    /// A register of this size in bytes that is dead after the instruction and that the instruction does not use.
    pub(super) fn free_register(&self, at: usize, size: usize) -> Option<String> {
        let uses = used(self.instruction(at)?, false);
        let registers = match size {
            4 => WIDE,
            2 => WORDS,
            1 => BYTES,
            _ => return None,
        };
        let free = registers.iter().find(|&&register| {
            let parts = RegisterParts::of(register);
            !uses.meets(parts) && self.parts_are_dead(at, parts)
        });
        free.map(|register| format!("{register:?}").to_ascii_lowercase())
    }
}

fn are_different_registers(instruction: &Instruction) -> bool {
    let [one, other] = [instruction.op0_register(), instruction.op1_register()];
    let registers = instruction.op0_kind() == OpKind::Register && instruction.op1_kind() == OpKind::Register;
    let both = |register: Register| register == Register::ESP || register == Register::SP;
    registers && one != other && one.is_gpr() && other.is_gpr() && !both(one) && !both(other)
}
