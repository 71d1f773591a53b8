//! Extensions of a register's own low part with zeros.

use super::{Block, Rule, STATUS, is_literal, written};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use runtime::advice::{RegisterParts, is_number};

impl Block<'_> {
    /// The AND that replaces an extension of the low part of a register into the whole of it.
    pub(super) fn own_part(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        let bits = extended(self.instruction(at)?)?;
        let register = self.operands(at)?[0].to_owned();
        let mask = (1_u32 << bits) - 1;
        let dead = self.flags_are_dead(at, STATUS);
        dead.then(|| (Rule::ExtendOwn, vec![format!("and {register},{mask}")]))
    }

    /// The instruction alone, if the next one only extends a register whose upper part is 0 already.
    pub(super) fn known_zero(&self, at: usize) -> Option<String> {
        let extension = self.instruction(at + 1)?;
        let bits = extended(extension)?;
        let register = extension.op0_register();
        let (whole, low) = (RegisterParts::of(register), RegisterParts::of(extension.op1_register()));
        for before in (0..=at).rev() {
            let parts = written(&self.slots[before].instruction);
            if self.is_below(before, register, bits) {
                return Some(self.text(at)?.to_owned());
            }
            if parts.meets(whole) && !low.holds(RegisterParts(parts.0 & whole.0)) {
                return None;
            }
        }
        None
    }

    /// Whether an instruction leaves a number in a 32-bit register that has no more than these bits.
    fn is_below(&self, at: usize, register: Register, bits: u32) -> bool {
        let instruction = &self.slots[at].instruction;
        if instruction.op0_kind() != OpKind::Register || instruction.op0_register() != register {
            return false;
        }
        let itself = instruction.op1_kind() == OpKind::Register && instruction.op1_register() == register;
        let literal = || {
            let operands = self.operands(at);
            let known = operands.is_some_and(|operands| operands.get(1).is_some_and(|text| is_literal(text)));
            known && is_number(instruction.op1_kind()) && u64::from(instruction.immediate(1) as u32) >> bits == 0
        };
        match instruction.mnemonic() {
            Mnemonic::Xor | Mnemonic::Sub => itself,
            Mnemonic::Mov | Mnemonic::And => literal(),
            Mnemonic::Movzx => match instruction.op1_kind() {
                OpKind::Register => 8 * instruction.op1_register().size() as u32 <= bits,
                _ => 8 * instruction.memory_size().size() as u32 <= bits,
            },
            _ => false,
        }
    }
}

/// The bits of the low part of a 32-bit register that an instruction extends into the whole of it.
fn extended(instruction: &Instruction) -> Option<u32> {
    let (whole, part) = (instruction.op0_register(), instruction.op1_register());
    let own = instruction.mnemonic() == Mnemonic::Movzx
        && instruction.op1_kind() == OpKind::Register
        && whole.is_gpr32()
        && part.full_register32() == whole
        && !matches!(part, Register::AH | Register::CH | Register::DH | Register::BH);
    own.then(|| 8 * part.size() as u32)
}
