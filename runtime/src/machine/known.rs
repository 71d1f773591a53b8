//! Instructions decoded before, by their bytes.
//!
//! The same instruction elsewhere need not be decoded again: padding, cleared memory, and the bodies of macros consist
//! of equal ones. Those that end a block are not here.

use crate::block::Op;
use crate::exec::MicroOp;
use crate::mode::Mode;

/// The instructions, at most one in each slot.
pub(super) struct Known(Vec<Option<KnownInstruction>>);

/// One instruction, as it was at one address.
pub(super) struct KnownInstruction {
    // Its bytes, and a mask of them.
    bytes: u128,
    mask: u128,
    pub(super) op: Op,
    pub(super) micro_op: MicroOp,
}

impl Known {
    const SLOTS: usize = 1 << 10;

    /// No instructions.
    pub(super) fn new() -> Known {
        Known((0..Known::SLOTS).map(|_| None).collect())
    }

    /// The slot of an instruction that begins with `bytes`. What follows a short one is included, because code that
    /// repeats does so with what follows.
    fn slot(bytes: u128) -> usize {
        ((bytes as u32).wrapping_mul(0x9E37_79B1) >> 22) as usize % Known::SLOTS
    }

    /// The instruction that `bytes` begin with, if it is known in this mode.
    #[inline(always)]
    pub(super) fn find(&self, bytes: u128, mode: &Mode) -> Option<&KnownInstruction> {
        let known = self.0[Known::slot(bytes)].as_ref()?;
        ((bytes ^ known.bytes) & known.mask == 0 && known.op.mode == *mode).then_some(known)
    }

    /// Keeps an instruction that `bytes` begin with.
    pub(super) fn keep(&mut self, bytes: u128, op: &Op, micro_op: MicroOp) {
        let mask = (1 << (8 * u32::from(op.length))) - 1;
        self.0[Known::slot(bytes)] = Some(KnownInstruction {
            bytes: bytes & mask,
            mask,
            op: op.clone(),
            micro_op,
        });
    }
}
