//! The state of issue that a block passes to the next one, without clocks.
//!
//! Modelled: the instruction that waits in U for a partner, the registers that the next group may have to wait for, and
//! the use of the floating-point unit by integer multiplies that ends one clock after EX. Not modelled: anything that
//! does not affect the next group; longer work has absolute clocks in `readiness`. Only general registers are kept,
//! because addresses use no others.

use crate::block::{Op, RegisterSet};
use p5_chips::SHORT;

pub(crate) const NONE: u32 = u32::MAX;

/// The state of issue between two groups, as one number. Schedules are looked up by it, so comparison must be cheap.
///
/// Bits 0 to 31: the waiting instruction; 32: its length is known; 33: its address waits; 40 to 47: interlocks; 48 to
/// 55: registers that are settled a clock after EX; 56: the floating-point unit is free a clock after EX; 57: the last
/// group was a pair with FXCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(u64);

/// The part of an entry state that affects a block: one mask for states with an instruction waiting in U, and one for
/// states without.
#[derive(Clone, Copy, Debug)]
pub(super) struct Noticed {
    waiting: u64,
    idle: u64,
}

const OPEN: u64 = 0xFFFF_FFFF;
const KNOWN: u64 = 1 << 32;
const STALLED: u64 = 1 << 33;
const INTERLOCKS: u32 = 40;
const UNSETTLED: u32 = 48;
const OCCUPIED: u64 = 1 << 56;
const EXCHANGED: u64 = 1 << 57;

impl Entry {
    /// The state with nothing in flight.
    pub(crate) const IDLE: Entry = Entry(NONE as u64);

    /// The state after a closed group: the registers that addresses have to wait for, and the unfinished work of its
    /// first instruction `u` in the floating-point unit. `exchanged` if its second one was FXCH.
    pub(super) fn after(interlocks: RegisterSet, u: &Op, exchanged: bool) -> Entry {
        let unsettled = if u.settles == SHORT {
            u.unsettled.general_bits()
        } else {
            0
        };
        let occupied = if u.occupies == SHORT && u.stack_use.is_none() {
            OCCUPIED
        } else {
            0
        };
        let occupied = occupied | if exchanged { EXCHANGED } else { 0 };
        Entry(OPEN | u64::from(interlocks.general_bits()) << INTERLOCKS | u64::from(unsettled) << UNSETTLED | occupied)
    }

    /// Returns this state with the instruction `op` waiting in U; `known` if its length is known, `stalled` if its
    /// address has to wait.
    pub(super) fn with_open(self, op: u32, known: bool, stalled: bool) -> Entry {
        let flags = if known { KNOWN } else { 0 } | if stalled { STALLED } else { 0 };
        Entry(self.0 & !(OPEN | KNOWN | STALLED) | u64::from(op) | flags)
    }

    /// This state as one number.
    pub(super) fn bits(self) -> u64 {
        self.0
    }

    /// The state that `bits` gave.
    pub(super) fn of_bits(bits: u64) -> Entry {
        Entry(bits)
    }

    /// Returns this state with another number for the waiting instruction.
    pub(super) fn renumbered(self, op: u32) -> Entry {
        Entry(self.0 & !OPEN | u64::from(op))
    }

    /// The instruction that waits in U for a partner, or [`NONE`].
    #[inline(always)]
    pub(crate) fn open(self) -> u32 {
        self.0 as u32
    }

    /// Whether the length of the waiting instruction was already known.
    pub(super) fn open_known(self) -> bool {
        self.0 & KNOWN != 0
    }

    /// Whether the address of the waiting instruction waits for the previous group.
    pub(super) fn open_stalled(self) -> bool {
        self.0 & STALLED != 0
    }

    /// The general registers written by the last closed group for which an address has to wait.
    pub(super) fn interlocks(self) -> RegisterSet {
        RegisterSet::of_general_bits((self.0 >> INTERLOCKS) as u8)
    }

    /// The general registers that a multiply in the last closed group left unsettled for another clock.
    pub(super) fn unsettled(self) -> RegisterSet {
        RegisterSet::of_general_bits((self.0 >> UNSETTLED) as u8)
    }

    /// Whether a multiply in that group occupies the floating-point unit for another clock.
    pub(super) fn occupied(self) -> bool {
        self.0 & OCCUPIED != 0
    }

    /// Whether the last closed group was a pair with FXCH.
    pub(super) fn exchanged(self) -> bool {
        self.0 & EXCHANGED != 0
    }

    /// The part of the state that affects a block.
    #[inline(always)]
    pub(super) fn noticed(self, noticed: Noticed) -> Entry {
        let mask = if self.open() == NONE {
            noticed.idle
        } else {
            noticed.waiting
        };
        Entry(self.0 & mask)
    }
}

impl Noticed {
    /// The mask of a block without instructions.
    pub(super) const NOTHING: Noticed = Noticed {
        waiting: OPEN | KNOWN | STALLED,
        idle: OPEN | KNOWN | STALLED,
    };

    /// The mask of a block that begins with `first`. The addresses of its first group are computed from the registers
    /// `addresses`.
    pub(super) fn new(first: &Op, addresses: RegisterSet) -> Noticed {
        let waiting = Noticed::NOTHING.waiting | u64::from(addresses.general_bits()) << INTERLOCKS | EXCHANGED;
        let mut idle = waiting;
        idle |= u64::from(first.microcode_uses().general_bits()) << UNSETTLED;
        if first.floating_point {
            idle |= OCCUPIED;
        }
        Noticed { waiting, idle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Classifier;
    use p5_chips::MODELS;
    use p5_words::mode::Mode;

    fn op(bytes: &[u8]) -> Op {
        let mut decoder = MODELS[0].isa.decoder(32, bytes, 0x1000);
        let instruction = decoder.decode();
        let offsets = decoder.get_constant_offsets(&instruction);
        let op = Classifier::new(MODELS[0]).classify(&instruction, &offsets, bytes, &Mode::FLAT);
        op.expect("a row for it")
    }

    /// The state after `imul eax,ecx`, which leaves EAX unsettled.
    fn after_multiply() -> Entry {
        let mut multiply = op(&[0x0F, 0xAF, 0xC1]);
        multiply.properties_mut().occupies = SHORT;
        Entry::after(RegisterSet::ESP, &multiply, false)
    }

    #[test]
    fn a_state_keeps_what_it_was_given() {
        let state = after_multiply();
        assert_eq!(
            (state.open(), state.unsettled(), state.occupied()),
            (NONE, RegisterSet::EAX, true)
        );
        let open = state.with_open(7, true, false);
        assert_eq!((open.open(), open.open_known(), open.open_stalled()), (7, true, false));
        assert_eq!(
            (open.interlocks(), open.unsettled()),
            (RegisterSet::ESP, RegisterSet::EAX)
        );
        assert_eq!(open.renumbered(NONE).renumbered(7), open);
        let other = open.with_open(8, false, true);
        assert_eq!(
            (other.open(), other.open_known(), other.open_stalled()),
            (8, false, true)
        );
    }

    #[test]
    fn long_work_is_no_part_of_a_state() {
        let mut divide = op(&[0x0F, 0xAF, 0xC1]);
        let properties = divide.properties_mut();
        (properties.settles, properties.occupies) = (SHORT + 1, SHORT + 1);
        assert_eq!(Entry::after(RegisterSet::EMPTY, &divide, false), Entry::IDLE);
    }

    #[test]
    fn a_block_notices_only_what_it_uses() {
        let state = after_multiply();
        // nop
        assert_eq!(
            state.noticed(Noticed::new(&op(&[0x90]), RegisterSet::EMPTY)),
            Entry::IDLE
        );
        // mul edx
        let all = Noticed::new(&op(&[0xF7, 0xE2]), RegisterSet::ESP);
        assert_eq!(state.noticed(all), state);
        // cdq is microcode, but does not multiply
        let microcode = Noticed::new(&op(&[0x99]), RegisterSet::ESP);
        assert_eq!(
            (
                state.noticed(microcode).unsettled(),
                state.noticed(microcode).occupied()
            ),
            (RegisterSet::EAX, false)
        );
        let open = state.with_open(7, true, true);
        assert!(
            open.noticed(all).unsettled().is_empty(),
            "what waits in U is not microcode"
        );
    }
}
