//! What a block leaves to the next one: the state of issue, without clocks.
//!
//! Modelled: the instruction that waits in U for a partner, and the registers the next group may have to wait for.
//! Not modelled: anything the next group cannot notice; only general registers are kept, for only they make an address.

use super::group::NONE;
use crate::block::RegisterSet;

/// The state of issue between two groups, as one number: schedules are found by it, so comparing has to be cheap.
///
/// Bits 0 to 31: the waiting instruction; 32: its length is known; 33: its address waits; 40 to 47: interlocks; 48 to 55:
/// unsettled registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry(u64);

/// The part of a state of entry that a block can notice: a mask for when an instruction waits in U, and one for when not.
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

impl Entry {
    /// Nothing in flight.
    pub(crate) const IDLE: Entry = Entry(NONE as u64);

    /// The state after a closed group: registers that addresses have to wait for, and those left unsettled for microcode.
    pub(super) fn after(interlocks: RegisterSet, unsettled: RegisterSet) -> Entry {
        Entry(
            OPEN | u64::from(interlocks.general_bits()) << INTERLOCKS
                | u64::from(unsettled.general_bits()) << UNSETTLED,
        )
    }

    /// The same with the instruction `op` waiting in U: whether its length is known, and whether its address has to wait.
    pub(super) fn with_open(self, op: u32, known: bool, stalled: bool) -> Entry {
        let flags = if known { KNOWN } else { 0 } | if stalled { STALLED } else { 0 };
        Entry(self.0 & !(OPEN | KNOWN | STALLED) | u64::from(op) | flags)
    }

    /// The same with another number for the waiting instruction.
    pub(super) fn renumbered(self, op: u32) -> Entry {
        Entry(self.0 & !OPEN | u64::from(op))
    }

    /// The instruction that waits in U for its partner, or [`NONE`].
    #[inline(always)]
    pub(crate) fn open(self) -> u32 {
        self.0 as u32
    }

    /// Whether its length was known before.
    pub(super) fn open_known(self) -> bool {
        self.0 & KNOWN != 0
    }

    /// Whether its address waits for the group before.
    pub(super) fn open_stalled(self) -> bool {
        self.0 & STALLED != 0
    }

    /// General registers the last closed group wrote, for which an address has to wait.
    pub(super) fn interlocks(self) -> RegisterSet {
        RegisterSet::of_general_bits((self.0 >> INTERLOCKS) as u8)
    }

    /// General registers a multiply in the last closed group left unsettled.
    pub(super) fn unsettled(self) -> RegisterSet {
        RegisterSet::of_general_bits((self.0 >> UNSETTLED) as u8)
    }

    /// What of it a block can notice.
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
    /// Of the last group's writes only `interlocks` make a difference, and only `unsettled` if nothing waits in U.
    pub(super) fn new(interlocks: RegisterSet, unsettled: RegisterSet) -> Noticed {
        let waiting = OPEN | KNOWN | STALLED | u64::from(interlocks.general_bits()) << INTERLOCKS;
        Noticed {
            waiting,
            idle: waiting | u64::from(unsettled.general_bits()) << UNSETTLED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_keeps_what_it_was_given() {
        let state = Entry::after(RegisterSet::ESP, RegisterSet::EAX);
        assert_eq!(state.open(), NONE);
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
    fn a_block_notices_only_what_it_uses() {
        let state = Entry::after(RegisterSet::ESP, RegisterSet::EAX);
        let nothing = Noticed::new(RegisterSet::EMPTY, RegisterSet::EMPTY);
        assert_eq!(state.noticed(nothing), Entry::IDLE);
        let all = Noticed::new(RegisterSet::ESP, RegisterSet::EAX);
        assert_eq!(state.noticed(all), state);
        let open = state.with_open(7, true, true);
        assert!(
            open.noticed(all).unsettled().is_empty(),
            "what waits in U is not microcode"
        );
    }
}
