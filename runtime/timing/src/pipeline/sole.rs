//! The only access of a group, for compiled code: most misses are of such groups.
//!
//! Modelled: what `access` does for an access that crosses no boundary and whose page is the last one of its set in the
//! TLB, while all pages are of the usual kind. Not modelled: all others, which are left to `access`.

use super::core::Core;
use super::group::{Group, NONE, WRITES};
use super::stats::RecentStats;
use asm_macros::events::Event;
use p5_results::Cause;
use p5_words::isa::PAGE;

/// What is known of the only access of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sole {
    /// The fact word with its address.
    pub(super) word: usize,
    shape: u8,
    pipe: u8,
    /// The number of its instruction, and the clocks of that and of the group in EX.
    op: u32,
    own: u32,
    clocks: u32,
}

/// The same, for code that makes the access.
#[derive(Clone, Copy, Debug)]
pub struct PlannedSole {
    /// The number of its pipe.
    pub pipe: usize,
    /// The offset in the statistics of those of its instruction.
    pub statistics: usize,
    /// The clocks that the other instruction of its pair takes longer without a wait.
    pub hidden: u32,
}

impl Sole {
    /// What code needs to know.
    pub(super) fn planned(&self) -> PlannedSole {
        PlannedSole {
            pipe: usize::from(self.pipe),
            statistics: self.op as usize * size_of::<RecentStats>(),
            hidden: self.clocks - self.own,
        }
    }

    /// The only access of `group`, if it has one in its first clock; its facts begin at `word`.
    pub(super) fn of(group: &Group, word: usize) -> Option<Sole> {
        let (shape, pipe, op, own, before) = match (group.u_accesses, group.v_accesses) {
            (1, 0) => (group.shapes[0], 0, group.u, group.u_clocks, 0),
            (0, 1) => (group.shapes[2], 1, group.v, group.v_clocks, group.u_words),
            _ => return None,
        };
        (!group.special && group.v_begins == 0 && op != NONE).then_some(Sole {
            word: word + usize::from(before),
            shape,
            pipe,
            op,
            own,
            clocks: group.clocks,
        })
    }
}

impl Core {
    /// Makes an access of the last group at `address`. Returns the clocks that the group takes longer; `None`, with
    /// nothing done, if it is another's.
    #[inline(always)]
    pub(super) fn access_sole(&mut self, sole: &Sole, address: u32) -> Option<u64> {
        let when = self.time.clock;
        let size = u32::from(sole.shape & !WRITES);
        let units = &mut *self.units;
        if units.data_cache.crosses(address, size)
            || !units.data_tlb.last_was(address / PAGE)
            || units.bus.is_video(address)
            || units.write_through
            || units.unified
            || self.switches.general_accesses
        {
            return None;
        }
        let (wait, event, cause) = if sole.shape & WRITES == 0 {
            let arrival = if units.data_cache.read(address) {
                units.bus.arrival(address)
            } else {
                let leaves = units.fill_data(address);
                self.counts.tally.count(Event::DATA_READ_MISS, 1);
                self.counts
                    .tally
                    .count(Event::DATA_LINES_WRITTEN_BACK, u64::from(leaves.is_some()));
                units.bus.fill_data(address, when, leaves)
            };
            (
                arrival.saturating_sub(when),
                Event::DATA_READ_STALL,
                Cause::DataReadMiss,
            )
        } else if units.data_cache.write(address) {
            let ready = units.bus.write_ready(address);
            (
                ready.saturating_sub(when),
                Event::WRITE_TO_M_OR_E_LINE_STALL,
                Cause::WriteOrder,
            )
        } else {
            self.counts.tally.count(Event::DATA_WRITE_MISS, 1);
            let wait = units.bus.buffer_write(address, usize::from(sole.pipe), when);
            (wait, Event::WRITE_BUFFER_FULL_STALL, Cause::WriteBufferFull)
        };
        if wait == 0 {
            return Some(0);
        }
        self.stalls(event, when, wait as u32);
        // What the other instruction of the pair takes longer hides the wait.
        let longer = (u64::from(sole.own) + wait).saturating_sub(u64::from(sole.clocks));
        self.counts.stats[sole.op as usize].charge(cause, longer);
        Some(longer)
    }
}
