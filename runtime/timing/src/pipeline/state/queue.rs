//! The instruction FIFO between the length decoder and D1.
//!
//! Modelled: the decoder passes on up to two instructions in a clock, of which only the first has prefixes; one with a
//! size prefix or of many bytes is decoded alone; each instruction waits until its prefixes are decoded and a place is
//! free; an empty FIFO passes an instruction on in the same clock. So a slow execution hides the decoding of the
//! instructions that follow, as far as the places reach. Not modelled: D1 issues an instruction alone if its partner
//! is not decoded yet; here it waits for the partner, which takes as long. Instructions that cross 16 bytes take no
//! longer.
//!
//! Source: Intel, Pentium Processor Family Developer's Manual 1997 (241428-005), 2.1; Intel, Architecture Optimization
//! Manual 1997 (242816-003), 3.7.

use crate::block::Decoding;
use p5_chips::Rules;

const PLACES: usize = 4;

pub(in crate::pipeline) struct Queue {
    pub(in crate::pipeline) exists: bool,
    /// The number of instructions that have entered D1.
    pub(in crate::pipeline) instructions: u64,
    // The half clock in which the decoder last passed on an instruction.
    half: u64,
    // The clocks at which the last instructions entered D1, the oldest first.
    taken: [u64; PLACES],
}

impl Queue {
    pub(in crate::pipeline) fn new(rules: &Rules) -> Queue {
        assert!(
            [0, PLACES as u32].contains(&rules.queued_instructions),
            "{} queued instructions",
            rules.queued_instructions
        );
        Queue {
            exists: rules.queued_instructions > 0,
            instructions: 0,
            half: 0,
            taken: [0; PLACES],
        }
    }

    /// Empties the queue. The last instruction entered D1 at `clock`.
    pub(in crate::pipeline) fn restart(&mut self, clock: u64) {
        self.half = 2 * clock + 1;
        self.taken = [clock; PLACES];
    }

    /// Decodes an instruction from clock `ready` on: the next one to enter D1, or the one `ahead` of it. Returns the
    /// clock at which it can enter D1.
    #[inline(always)]
    pub(in crate::pipeline) fn decode(&mut self, decoding: Decoding, ahead: usize, ready: u64) -> u64 {
        let last = self.half.max((2 * ready).saturating_sub(1));
        let decoded = if decoding.prefixes > 0 || decoding.alone {
            2 * (last / 2 + 1 + u64::from(decoding.prefixes))
        } else {
            last + 1
        };
        let passed = decoded.max(2 * self.taken[ahead % PLACES]);
        self.half = passed | u64::from(decoding.alone);
        passed / 2
    }

    /// Takes the one or two instructions of a group into D1.
    #[inline(always)]
    pub(in crate::pipeline) fn take(&mut self, pair: bool, clock: u64) {
        let [_, second, third, fourth] = self.taken;
        self.taken = if pair {
            [third, fourth, clock, clock]
        } else {
            [second, third, fourth, clock]
        };
        self.instructions += 1 + u64::from(pair);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::MODELS;

    const PLAIN: Decoding = Decoding {
        prefixes: 0,
        alone: false,
    };
    const WORD: Decoding = Decoding {
        prefixes: 2,
        alone: true,
    };

    /// An empty queue whose last instruction entered D1 at clock 99.
    fn queue() -> Queue {
        let model = MODELS.iter().find(|model| model.rules.queued_instructions > 0);
        let mut queue = Queue::new(&model.expect("a chip has one").rules);
        queue.restart(99);
        queue
    }

    #[test]
    fn two_instructions_pass_an_empty_queue_in_a_clock() {
        let mut queue = queue();
        assert_eq!([0, 1].map(|ahead| queue.decode(PLAIN, ahead, 0)), [100, 100]);
        queue.take(true, 100);
        assert_eq!([0, 1].map(|ahead| queue.decode(PLAIN, ahead, 0)), [101, 101]);
    }

    #[test]
    fn prefixes_delay_an_instruction_behind_an_empty_queue() {
        let mut queue = queue();
        assert_eq!(queue.decode(WORD, 0, 0), 102);
        queue.take(false, 102);
        assert_eq!(queue.decode(PLAIN, 0, 0), 103, "a word is decoded alone");
        queue.take(false, 103);
        assert_eq!(queue.decode(PLAIN, 0, 110), 110, "a refill");
    }

    #[test]
    fn a_prefix_takes_a_clock_and_a_long_instruction_is_decoded_alone() {
        let prefixed = Decoding {
            prefixes: 1,
            alone: false,
        };
        let long = Decoding {
            prefixes: 0,
            alone: true,
        };
        assert_eq!(queue().decode(prefixed, 0, 0), 101);
        let mut queue = queue();
        assert_eq!(queue.decode(PLAIN, 0, 0), 100);
        assert_eq!(queue.decode(long, 1, 0), 101, "not beside another one");
    }

    #[test]
    fn instructions_that_do_not_pair_fill_the_queue_and_hide_prefixes() {
        let mut queue = queue();
        for clock in 100..120 {
            assert!(queue.decode(PLAIN, 0, 0) <= clock);
            queue.take(false, clock);
        }
        assert!(queue.decode(WORD, 0, 0) <= 120);
    }

    #[test]
    fn a_full_queue_stops_the_decoder() {
        let mut queue = queue();
        for clock in [100, 150, 200, 250] {
            queue.decode(PLAIN, 0, 0);
            queue.take(false, clock);
        }
        assert_eq!(queue.decode(PLAIN, 0, 0), 102);
        queue.take(false, 300);
        assert_eq!(
            queue.decode(PLAIN, 0, 0),
            150,
            "the place of the one before it was free from then on"
        );
    }
}
