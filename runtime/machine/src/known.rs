//! Instructions decoded before, found by their bytes.
//!
//! An instruction need not be decoded again at another address: padding, cleared memory, and the bodies of macros
//! consist of equal instructions. Instructions that end a block are not here.

use p5_meaning::exec::MicroOp;
use p5_timing::block::Op;
use p5_words::mode::Mode;

/// The instructions, at most one in each slot.
pub(super) struct Known(Vec<Option<KnownInstruction>>);

/// An instruction as it was decoded at one address.
pub(super) struct KnownInstruction {
    // The bytes of the instruction, and a mask for them.
    bytes: [u64; 2],
    mask: [u64; 2],
    pub(super) op: Op,
    pub(super) micro_op: MicroOp,
}

impl Known {
    const SLOTS: usize = 1 << 10;

    pub(super) fn new() -> Known {
        Known((0..Known::SLOTS).map(|_| None).collect())
    }

    /// The slot of an instruction that begins with `bytes`. The bytes after a short instruction count, because
    /// repeated code has the same bytes there.
    fn slot(bytes: [u64; 2]) -> usize {
        ((bytes[0] as u32).wrapping_mul(0x9E37_79B1) >> 22) as usize % Known::SLOTS
    }

    /// The instruction that `bytes` begin with, if it is known in this mode.
    #[inline(always)]
    pub(super) fn find(&self, bytes: [u64; 2], mode: &Mode) -> Option<&KnownInstruction> {
        let known = self.0[Known::slot(bytes)].as_ref()?;
        let differs = |word: usize| (bytes[word] ^ known.bytes[word]) & known.mask[word];
        (differs(0) | differs(1) == 0 && known.op.mode == *mode).then_some(known)
    }

    /// Stores an instruction that `bytes` begin with.
    pub(super) fn keep(&mut self, bytes: [u64; 2], op: &Op, micro_op: MicroOp) {
        let bits = 8 * u32::from(op.length);
        let low = 1u64.checked_shl(bits).map_or(u64::MAX, |next| next - 1);
        let high = 1u64
            .checked_shl(bits.saturating_sub(64))
            .map_or(u64::MAX, |next| next - 1);
        let mask = [low, high];
        self.0[Known::slot(bytes)] = Some(KnownInstruction {
            bytes: [bytes[0] & low, bytes[1] & high],
            mask,
            op: op.clone(),
            micro_op,
        });
    }
}
