//! Flags that are found again: an operation whose flags nobody reads but a fault, or a handler after an access that
//! code cannot make, leaves them where they are. There, the operation is undone and executed once more.

use super::Emitter;
use super::planned::{How, Own, Planned, Repeat, STATUS, Set, Source, modified, number};
use crate::frame::near;
use dynasmrt::{DynasmApi, dynasm};
use iced_x86::{Instruction, InstructionInfoFactory, OpAccess, UsedRegister};

/// Decides which operations of a block leave their flags to be found again.
pub(super) fn decide(planned: &mut [Planned], instructions: &[Instruction]) {
    let mut factory = InstructionInfoFactory::new();
    let mut all_written = |instruction: &Instruction| {
        let used = factory.info(instruction).used_registers();
        used.iter().filter_map(written).fold(0, |all, bit| all | bit)
    };
    let written: Vec<u32> = instructions.iter().map(&mut all_written).collect();
    for index in (0..planned.len()).rev() {
        if let (How::Host(..), true) = (&planned[index].how, planned[index].flags_wanted)
            && let Some(again) = Repeat::of(&instructions[index])
            && may_wait(index, again, planned, instructions, &written)
        {
            planned[index].again = Some(again);
        }
    }
}

/// A general register that is written, as the bit of the host's register that holds it.
fn written(used: &UsedRegister) -> Option<u32> {
    let writes = !matches!(
        used.access(),
        OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess | OpAccess::None
    );
    let register = used.register().full_register32();
    (writes && register.is_gpr32()).then(|| 1 << number(register))
}

/// Whether the flags of operation `index` need not be in the frame: all of them are set anew, before the block ends or
/// code reads them, and until then `again` can be executed once more.
fn may_wait(index: usize, again: Repeat, planned: &[Planned], instructions: &[Instruction], written: &[u32]) -> bool {
    let mut left = modified(&instructions[index]);
    for later in index + 1..planned.len() {
        let (instruction, plan) = (&instructions[later], &planned[later]);
        let sets = modified(instruction);
        // Those that leave the block by themselves, or set only some flags of the frame.
        let in_frame = match &plan.how {
            How::Handler | How::Own(Own::Divide { .. } | Own::Real(_) | Own::StoreFlags) => true,
            How::Host(..) => plan.flags_wanted && plan.again.is_none() && sets != STATUS && left & !sets != 0,
            How::Own(_) => false,
        };
        if in_frame || instruction.rflags_read() & left != 0 {
            return false;
        }
        left &= !sets;
        if left == 0 {
            return true;
        }
        if written[later] & again.needs() != 0 && plan.again.is_none() {
            return false;
        }
    }
    false
}

impl Emitter<'_> {
    /// Brings the flags in the frame up to date, which `pending` operations have left. Uses `eax`, `ecx` and `edx`.
    pub(super) fn find_flags(&mut self, pending: &[Repeat]) {
        for inverse in pending.iter().rev().filter_map(|again| again.inverse()) {
            self.repeat(inverse);
        }
        for &again in pending {
            if let Repeat::Increment(_) | Repeat::Decrement(_) = again {
                dynasm!(self.a; .arch x64; movzx eax, WORD [BYTE rsp + near::FLAGS]; bt eax, 8);
            }
            self.repeat(again);
            self.save_flags(match again {
                Repeat::Result(_) | Repeat::Test(..) => Set::WithoutBoth,
                Repeat::RotateLeft(to, _) => Set::RotatedLeft(to),
                Repeat::RotateRight(to, _) => Set::RotatedRight(to),
                _ => Set::Same,
            });
        }
    }

    /// Executes an operation.
    fn repeat(&mut self, operation: Repeat) {
        let a = &mut self.a;
        match operation {
            Repeat::Result(to) => dynasm!(a; .arch x64; test Rd(to), Rd(to)),
            Repeat::Test(to, Source::Register(by)) => dynasm!(a; .arch x64; test Rd(to), Rd(by)),
            Repeat::Test(to, Source::Immediate(by)) => dynasm!(a; .arch x64; test Rd(to), DWORD by),
            Repeat::Add(to, Source::Register(by)) => dynasm!(a; .arch x64; add Rd(to), Rd(by)),
            Repeat::Add(to, Source::Immediate(by)) => dynasm!(a; .arch x64; add Rd(to), DWORD by),
            Repeat::Subtract(to, Source::Register(by)) => dynasm!(a; .arch x64; sub Rd(to), Rd(by)),
            Repeat::Subtract(to, Source::Immediate(by)) => dynasm!(a; .arch x64; sub Rd(to), DWORD by),
            Repeat::Compare(to, Source::Register(by)) => dynasm!(a; .arch x64; cmp Rd(to), Rd(by)),
            Repeat::Compare(to, Source::Immediate(by)) => dynasm!(a; .arch x64; cmp Rd(to), DWORD by),
            Repeat::Negate(to) => dynasm!(a; .arch x64; neg Rd(to)),
            Repeat::Increment(to) => dynasm!(a; .arch x64; inc Rd(to)),
            Repeat::Decrement(to) => dynasm!(a; .arch x64; dec Rd(to)),
            Repeat::RotateLeft(to, count) => dynasm!(a; .arch x64; rol Rd(to), count as i8),
            Repeat::RotateRight(to, count) => dynasm!(a; .arch x64; ror Rd(to), count as i8),
        }
    }
}
