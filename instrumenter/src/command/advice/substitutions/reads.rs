//! Reads of memory that is written next: only a read brings a line into a cache that writes pass by.

use super::{Block, Rule, STATUS};
use iced_x86::{Instruction, Mnemonic, OpKind};
use runtime::advice::is_number;

impl Block<'_> {
    /// A store with a read of the same memory before it: into a dead register or, if only the flags are dead, by a
    /// comparison.
    pub(super) fn read_first(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        let store = self.instruction(at).filter(|store| is_store(store))?;
        let &[memory, source] = &self.operands(at)?[..] else {
            return None;
        };
        let read = match self.free_register(at, store.memory_size().size()) {
            Some(free) => format!("mov {free},{memory}"),
            None if self.flags_are_dead(at, STATUS) => format!("cmp {memory},{source}"),
            None => return None,
        };
        Some((Rule::ReadFirst, vec![read, self.texts[at].to_string()]))
    }
}

/// Whether an instruction is a MOV of a general register or a number to memory.
pub(in super::super) fn is_store(instruction: &Instruction) -> bool {
    let given = is_number(instruction.op1_kind())
        || instruction.op1_kind() == OpKind::Register && instruction.op1_register().is_gpr();
    instruction.mnemonic() == Mnemonic::Mov && instruction.op0_kind() == OpKind::Memory && given
}
