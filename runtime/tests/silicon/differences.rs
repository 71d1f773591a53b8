//! Differences between processors: cases that are left out, and results that count as the same.

use crate::generate::{Case, undefined_flags};
use crate::native::{Ended, SLOT};
use crate::world::World;
use iced_x86::{Code, Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};

impl Case {
    /// The number of instructions from `index` to the end of their row, which ends with a branch or before the next
    /// instruction whose registers [`Case::meets_flaw`] must examine, or whose flags [`Case::flags_agree`] must know.
    pub(crate) fn row_length(&self, index: usize) -> usize {
        let row = &self.instructions[index..];
        let after_branch = row.iter().position(is_branch).map(|position| position + 1);
        let seen = |instruction: &Instruction| {
            is_repeated_short_move(instruction)
                || is_repeated_comparison(instruction)
                || makes_a_wide_frame(instruction)
        };
        let before_seen = row.iter().skip(1).position(seen).map(|position| position + 1);
        after_branch.into_iter().chain(before_seen).fold(row.len(), usize::min)
    }

    /// Whether the instruction at `index` would meet a flaw of some hosts. REP MOVS with 16-bit addresses treats
    /// overlapping operands as separate if the upper halves of ESI and EDI differ. ENTER on a stack of SP may let the
    /// frame pointer borrow from the upper half of ESP if SP wraps.
    pub(crate) fn meets_flaw(&self, index: usize, general: &[u32; 8]) -> bool {
        let Some(instruction) = self.instructions.get(index) else {
            return false;
        };
        if makes_a_wide_frame(instruction) {
            let narrow = matches!(self.world, World::Segments { wide_stack: false, .. });
            return narrow && general[4] & 0xFFFF < 4;
        }
        if !is_repeated_short_move(instruction) {
            return false;
        }
        let [source, destination] = [general[6], general[7]];
        let length = (general[1] & 0xFFFF) * instruction.memory_size().size() as u32;
        if let World::Segments { .. } = self.world {
            // The segments may overlap whatever the offsets are.
            return source >> 16 != destination >> 16;
        }
        let apart = [source.wrapping_sub(destination), destination.wrapping_sub(source)].map(|one| one & 0xFFFF);
        source >> 16 != destination >> 16 && apart.iter().any(|&distance| distance < length)
    }

    /// Whether both sides faulted at a memory operand, with different vectors. Processors differ in which of two
    /// operands they access first, in whether they check the segment or the page first, and in whether BOUND compares
    /// with the lower bound before it reads the upper one. They do not differ in privilege.
    pub(crate) fn vectors_may_differ(&self, index: usize, ours: &Ended, theirs: &Ended) -> bool {
        let instruction = self.instructions.get(index);
        let bound = instruction.is_some_and(|instruction| instruction.mnemonic() == Mnemonic::Bound);
        let faulted = |ended: &Ended| match ended.vector {
            Some(5) => bound,
            vector => matches!(vector, Some(12..=14)),
        };
        !instruction.is_some_and(Instruction::is_privileged) && faulted(ours) && faulted(theirs)
    }

    /// Whether the instruction at `index` makes several accesses: its progress before a fault is visible in registers
    /// or memory, and processors differ.
    pub(crate) fn may_stop_midway(&self, index: usize) -> bool {
        self.instructions.get(index).is_some_and(|instruction| {
            matches!(
                instruction.mnemonic(),
                // Some processors push the return address before they check the limit of the code segment.
                Mnemonic::Call
                    | Mnemonic::Pusha
                    | Mnemonic::Pushad
                    | Mnemonic::Popa
                    | Mnemonic::Popad
                    | Mnemonic::Enter
            )
        })
    }

    /// Whether both sides have the same of the flags in `mask`. A repeated comparison that faults may also leave
    /// `before`, those from before it: some hosts that else leave those of the last comparison do so after many
    /// iterations that ended at the end of a cache line.
    pub(crate) fn flags_agree(&self, index: usize, before: u32, ours: &Ended, theirs: &Ended, mask: u32) -> bool {
        let comparison = ours.vector.is_some() && self.instructions.get(index).is_some_and(is_repeated_comparison);
        let same = |flags: u32| (flags ^ theirs.eflags) & mask == 0;
        same(ours.eflags) || (comparison && same(before))
    }

    /// The flags that are not compared if the sequence ended at instruction `index`, or after the last one.
    pub(crate) fn undefined_at(&self, index: usize) -> u32 {
        let here = self.undefined[index];
        match self.instructions.get(index) {
            // The faulting instruction may have left its undefined flags in any state.
            Some(instruction) => here | undefined_flags(instruction),
            None => here,
        }
    }
}

fn is_repeated_short_move(instruction: &Instruction) -> bool {
    use Mnemonic::{Movsb, Movsd, Movsw};
    matches!(instruction.mnemonic(), Movsb | Movsw | Movsd)
        && instruction.op0_kind() == OpKind::MemoryESDI
        && (instruction.has_rep_prefix() || instruction.has_repne_prefix())
}

fn is_repeated_comparison(instruction: &Instruction) -> bool {
    use Mnemonic::{Cmpsb, Cmpsd, Cmpsw, Scasb, Scasd, Scasw};
    matches!(instruction.mnemonic(), Cmpsb | Cmpsw | Cmpsd | Scasb | Scasw | Scasd)
        && (instruction.has_rep_prefix() || instruction.has_repne_prefix())
}

/// Whether an instruction is ENTER with a 32-bit frame pointer.
fn makes_a_wide_frame(instruction: &Instruction) -> bool {
    instruction.code() == Code::Enterd_imm16_imm8
}

pub(crate) fn is_branch(instruction: &Instruction) -> bool {
    instruction.flow_control() != FlowControl::Next && instruction.mnemonic() != Mnemonic::Into
}

fn case_of(code: &[u8], world: World) -> Case {
    let decoder = Decoder::with_ip(32, code, u64::from(SLOT), DecoderOptions::NONE);
    let instructions: Vec<Instruction> = decoder.into_iter().collect();
    Case {
        code: code.to_vec(),
        undefined: vec![0; instructions.len() + 1],
        instructions,
        general: [0; 8],
        eflags: 0,
        world,
    }
}

#[test]
fn only_frames_where_sp_wraps_are_left_out() {
    // nop; enter 8,1
    let code = [0x90, 0xC8, 8, 0, 1];
    let stack = |wide_stack| World::Segments {
        bits: 32,
        reach: [(0, 0x1000); 3],
        wide_stack,
    };
    let narrow = case_of(&code, stack(false));
    assert_eq!(narrow.row_length(0), 1);
    let meets = |case: &Case, esp: u32| case.meets_flaw(1, &[0, 0, 0, 0, esp, 0, 0, 0]);
    assert!(meets(&narrow, 0x5_0003) && meets(&narrow, 0));
    assert!(!meets(&narrow, 0x5_0004), "SP does not wrap");
    assert!(!meets(&case_of(&code, stack(true)), 0), "the stack is one of ESP");
}

#[test]
fn only_overlapping_moves_with_different_upper_halves_are_left_out() {
    // cld; a16 rep movsd; nop
    let case = case_of(&[0xFC, 0x67, 0xF3, 0xA5, 0x90], World::Flat { low: true });
    assert_eq!([0, 1].map(|index| case.row_length(index)), [1, 2]);
    let meets =
        |count: u32, source: u32, destination: u32| case.meets_flaw(1, &[0, count, 0, 0, 0, 0, source, destination]);
    assert!(meets(4, 0x1_2000, 0x2_200F) && meets(4, 0x1_200F, 0x2_2000) && meets(0x4000, 0, 0x1_8000));
    assert!(!meets(4, 0x1_2000, 0x2_2010), "the operands are adjacent");
    assert!(!meets(4, 0x1_2000, 0x1_200F), "the upper halves are equal");
    assert!(!meets(0x1_0000, 0x1_2000, 0x2_2000), "CX is 0");
    assert!(!case.meets_flaw(0, &[1; 8]), "another instruction");
}

#[test]
fn only_faults_in_repeated_comparisons_may_leave_the_flags_from_before() {
    // repne scasb; scasb
    let case = case_of(&[0xF2, 0xAE, 0xAE], World::Flat { low: true });
    let ended = |eflags, vector| Ended {
        general: [0; 8],
        eflags,
        vector,
        eip: 0,
    };
    let agree =
        |index, theirs, vector| case.flags_agree(index, 0x50, &ended(0x80, vector), &ended(theirs, vector), 0xCD5);
    assert!(agree(0, 0x80, Some(14)) && agree(0, 0x50, Some(14)));
    assert!(
        !agree(0, 0x10, Some(14)),
        "neither those of the last comparison nor those from before"
    );
    assert!(!agree(0, 0x50, None), "it ended without a fault");
    assert!(!agree(1, 0x50, Some(14)), "one comparison");
}
