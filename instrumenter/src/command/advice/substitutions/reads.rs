//! Reads of memory that is written next: only a read brings a line into a cache that writes pass by.

use super::{Block, Rule, STATUS};
use iced_x86::{Instruction, Mnemonic, OpKind};
use runtime::advice::is_number;

impl Block<'_> {
    /// A store with a read of the same memory before it: into a dead register or, if only the flags are dead, by a
    /// comparison.
    pub(super) fn read_first(&self, at: usize) -> Option<(Rule, Vec<String>)> {
        let store = self.instruction(at).filter(|store| is_store(store))?;
        if let &[memory] = &self.operands(at)?[..] {
            return self.read_before_real(at, memory);
        }
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

impl Block<'_> {
    /// A store of the floating-point unit with a read of the first bytes of the same memory before it.
    fn read_before_real(&self, at: usize, memory: &str) -> Option<(Rule, Vec<String>)> {
        // The register tells the size, which is another one than that of the store.
        let bare = memory.find('[').map(|begin| &memory[begin..])?;
        let sized = memory[..memory.len() - bare.len()].trim();
        let is_size = |word: &str| {
            ["dword", "qword", "ptr"]
                .iter()
                .any(|size| word.eq_ignore_ascii_case(size))
        };
        if !sized.split_whitespace().all(is_size) {
            return None;
        }
        let read = match self.free_register(at, 4) {
            Some(free) => format!("mov {free},{bare}"),
            None if self.flags_are_dead(at, STATUS) => format!("cmp {bare},eax"),
            None => return None,
        };
        Some((Rule::ReadFirst, vec![read, self.texts[at].to_string()]))
    }
}

/// Whether an instruction is a MOV of a general register or a number to memory, or stores a number of the
/// floating-point unit in 4 or 8 bytes.
pub(in super::super) fn is_store(instruction: &Instruction) -> bool {
    let given = is_number(instruction.op1_kind())
        || instruction.op1_kind() == OpKind::Register && instruction.op1_register().is_gpr();
    let of_unit = matches!(
        instruction.mnemonic(),
        Mnemonic::Fst | Mnemonic::Fstp | Mnemonic::Fist | Mnemonic::Fistp
    );
    let real = of_unit && matches!(instruction.memory_size().size(), 4 | 8);
    instruction.op0_kind() == OpKind::Memory && (instruction.mnemonic() == Mnemonic::Mov && given || real)
}
