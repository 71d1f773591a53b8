//! The prefetch queue of a chip whose cache serves either data or the prefetch in a clock.
//!
//! Modelled: in each clock without an access of data, the queue takes the rest of an aligned 16 bytes of cached code
//! if it has room for 16; an instruction whose bytes are not there waits a clock for each read; a branch empties the
//! queue, and its own clocks include the first read. Not modelled: prefetches that a branch makes useless, and the
//! clocks of code that is not in the cache, which are in `fetch`.
//!
//! Source: Intel, i486 Microprocessor Hardware Reference Manual 1990, chapter 2.

use p5_chips::Rules;

const READ: u32 = 16;

pub(in crate::pipeline) struct Prefetched {
    /// Whether the chip has such a queue.
    pub(in crate::pipeline) exists: bool,
    size: u32,
    held: u32,
    // The end of the instruction before the last one, and the number of accesses of the last one.
    since: u64,
    accesses: u64,
}

impl Prefetched {
    pub(in crate::pipeline) fn new(rules: &Rules) -> Prefetched {
        Prefetched {
            exists: rules.prefetched_bytes > 0,
            size: rules.prefetched_bytes,
            held: 0,
            since: 0,
            accesses: 0,
        }
    }

    /// Restarts the queue at clock `now` with one read done.
    pub(in crate::pipeline) fn restart(&mut self, now: u64) {
        self.held = READ;
        self.since = now;
        self.accesses = 0;
    }

    /// Empties the queue for a branch to `target`.
    pub(in crate::pipeline) fn jump(&mut self, target: u32) {
        self.held = READ - target % READ;
    }

    /// Takes an instruction of `length` bytes with these accesses; the one before it ends at clock `end`. Returns the
    /// clocks that it waits for bytes.
    pub(in crate::pipeline) fn take(&mut self, length: u32, accesses: usize, end: u64) -> u32 {
        let elapsed = end - std::mem::replace(&mut self.since, end);
        let mut free = elapsed.saturating_sub(std::mem::replace(&mut self.accesses, accesses as u64));
        while free > 0 && self.held + READ <= self.size {
            self.held += READ;
            free -= 1;
        }
        let reads = length.saturating_sub(self.held).div_ceil(READ);
        self.held += reads * READ;
        self.held -= length;
        reads
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::MODELS;

    fn queue() -> Prefetched {
        let model = MODELS.iter().find(|model| model.rules.prefetched_bytes > 0);
        let mut queue = Prefetched::new(&model.expect("a chip has one").rules);
        queue.restart(100);
        queue
    }

    #[test]
    fn short_instructions_never_wait() {
        let mut queue = queue();
        assert!((101..200).all(|end| queue.take(3, 0, end) == 0));
    }

    #[test]
    fn accesses_in_every_clock_leave_none_for_prefetches() {
        let mut queue = queue();
        let waits: Vec<u32> = (101..114).map(|end| queue.take(4, 1, end)).collect();
        // The first clock is free; then 16 bytes last for four instructions.
        assert_eq!(waits, [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]);
    }

    #[test]
    fn a_branch_to_the_last_bytes_of_a_read_waits_for_the_next_one() {
        let mut queue = queue();
        queue.take(2, 0, 101);
        queue.jump(0x100F);
        queue.accesses = 1;
        assert_eq!(queue.take(5, 0, 102), 1);
    }
}
