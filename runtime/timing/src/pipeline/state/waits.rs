//! Waits: the clocks a group waits beyond its own clocks, and the instruction that is charged for them.
//!
//! Modelled: the waits of both pipes in the order they occur, charged as far as they lengthen the group; a clock in
//! which both pipes wait for the same reason is one clock of that event. Not modelled: the clocks at which waits
//! occur, which are in `access`.

use crate::units::TRANSFERS;
use p5_results::{Cause, WaitCauses};

pub(in crate::pipeline) struct Waiting {
    /// The waits of the current group, of U and V.
    pub(in crate::pipeline) of_pipe: [PipeWaits; 2],
    /// The causes of the delay of the last group's issue, for the trace.
    pub(in crate::pipeline) delayed: WaitCauses,
    /// The causes of the last group's waits while it executed, for the trace.
    pub(in crate::pipeline) slowed: WaitCauses,
    /// For each cause, the address of the data that the last group waited for first, for the trace.
    pub(in crate::pipeline) addresses: [Option<u32>; Cause::ALL.len()],
    /// The part of the first wait of the last group for a line fill in which the bus was not free, for the trace.
    pub(in crate::pipeline) held: u32,
    /// The buffered write that the last group waited for first, for the trace.
    pub(in crate::pipeline) held_by: Option<Wrote>,
    /// The last buffered writes, the last one first, for the trace.
    pub(in crate::pipeline) wrote: [Option<Wrote>; WRITES],
    /// The data cache bank that both instructions of the last group used, for the trace.
    pub(in crate::pipeline) bank: Option<u32>,
    /// The clocks of the last complex group without its waits, for the trace.
    pub(in crate::pipeline) own: u32,
    /// Whether misaligned accesses of both instructions of a pair have waited at the same time.
    pub(in crate::pipeline) overlapped: bool,
    /// The clocks up to which waits for reads, for a full write buffer, for write order and for page walks have been
    /// counted.
    pub(in crate::pipeline) counted_until: [u64; 4],
}

/// The writes that are remembered: as many as there may be buffers for a pipe, and one that has just been done.
const WRITES: usize = 8;

/// A buffered write.
#[derive(Clone, Copy)]
pub(in crate::pipeline) struct Wrote {
    /// The clock at which it is done.
    pub(in crate::pipeline) until: u64,
    /// The pipe of its instruction, and the address of that, which is known when its group has been executed.
    pub(in crate::pipeline) pipe: usize,
    pub(in crate::pipeline) by: Option<u32>,
}

impl Waiting {
    /// Notes that the current group waits for the buffered write that is done at clock `until`, if it is a late one.
    pub(in crate::pipeline) fn wait_for_write(&mut self, until: u64) {
        let mut wrote = self.wrote.iter().flatten();
        self.held_by = self
            .held_by
            .or_else(|| wrote.find(|wrote| wrote.until == until).copied());
    }

    /// Records a buffered write of the instruction in `pipe` that is done at clock `until`.
    pub(in crate::pipeline) fn write_until(&mut self, until: u64, pipe: usize) {
        self.wrote.rotate_right(1);
        self.wrote[0] = Some(Wrote { until, pipe, by: None });
    }

    pub(in crate::pipeline) const NONE: Waiting = Waiting {
        of_pipe: [PipeWaits::NONE; 2],
        delayed: WaitCauses::NONE,
        slowed: WaitCauses::NONE,
        addresses: [None; Cause::ALL.len()],
        held: 0,
        held_by: None,
        wrote: [None; WRITES],
        bank: None,
        own: 0,
        overlapped: false,
        counted_until: [0; 4],
    };

    /// Whether neither instruction of the current group has waited.
    #[inline(always)]
    pub(in crate::pipeline) fn are_none(&self) -> bool {
        self.of_pipe[0].len | self.of_pipe[1].len == 0
    }

    /// Adds a wait of the instruction in `pipe` for the data at `address`.
    pub(in crate::pipeline) fn add_data(&mut self, pipe: usize, (cause, clocks): (Cause, u32), address: u32) {
        self.of_pipe[pipe].add(cause, clocks);
        self.addresses[cause as usize].get_or_insert(address);
    }

    /// The address of the data that the last group waited for most.
    pub(in crate::pipeline) fn slowest_address(&self) -> Option<u32> {
        self.addresses[self.slowed.main()?.cause as usize]
    }

    /// Records it if both instructions of the current group, which execute side by side, wait for a misaligned access.
    pub(in crate::pipeline) fn side_by_side(&mut self) {
        self.overlapped |= self.of_pipe.iter().all(|waits| waits.has(Cause::Misaligned));
    }
}

/// The waits of one instruction, by cause, in the order they occurred.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct PipeWaits {
    pub(in crate::pipeline) causes: [(Cause, u32); 8],
    pub(in crate::pipeline) len: u8,
}

impl PipeWaits {
    pub(in crate::pipeline) const NONE: PipeWaits = PipeWaits {
        causes: [(Cause::Issue, 0); 8],
        len: 0,
    };

    fn has(&self, cause: Cause) -> bool {
        let mut causes = self.causes[..usize::from(self.len)].iter();
        causes.any(|&(other, clocks)| other == cause && clocks > 0)
    }

    /// Adds a wait. If there are more than eight different causes, the last entry takes the rest.
    pub(in crate::pipeline) fn add(&mut self, cause: Cause, clocks: u32) {
        let known = self.causes[..usize::from(self.len)]
            .iter_mut()
            .find(|(other, _)| *other == cause);
        if let Some((_, sum)) = known {
            *sum += clocks;
        } else if usize::from(self.len) < self.causes.len() {
            self.causes[usize::from(self.len)] = (cause, clocks);
            self.len += 1;
        } else {
            self.causes[self.causes.len() - 1].1 += clocks;
        }
    }
}

/// The most groups of a span that wait for bytes: one for each transfer of its line.
pub(in crate::pipeline) const MOST_LATE: usize = TRANSFERS;

/// The groups that late bytes have delayed since a span began.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::pipeline) struct Late {
    /// The numbers of their instructions in U, and the clocks of their delays.
    pub(in crate::pipeline) groups: [(u32, u32); MOST_LATE],
    /// The number of delayed groups. The array has the first ones.
    pub(in crate::pipeline) count: usize,
}

impl Late {
    /// Adds a group whose instruction in U is `number`, delayed by `clocks`.
    #[inline(always)]
    pub(in crate::pipeline) fn add(&mut self, number: u32, clocks: u64) {
        if let Some(group) = self.groups.get_mut(self.count) {
            *group = (number, clocks as u32);
        }
        self.count = self.count.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_misaligned_accesses_of_both_instructions_overlap() {
        let rows = [
            ([(Cause::Misaligned, 3), (Cause::Misaligned, 3)], true),
            ([(Cause::Misaligned, 3), (Cause::Misaligned, 0)], false),
            ([(Cause::Misaligned, 3), (Cause::DataReadMiss, 3)], false),
            ([(Cause::DataReadMiss, 3), (Cause::DataReadMiss, 3)], false),
        ];
        for (causes, overlapped) in rows {
            let mut waiting = Waiting::NONE;
            for (waits, (cause, clocks)) in waiting.of_pipe.iter_mut().zip(causes) {
                waits.add(cause, clocks);
            }
            waiting.side_by_side();
            assert_eq!(waiting.overlapped, overlapped, "{causes:?}");
        }
    }
}
