//! Random numbers that vary the period of a sampler: from a seed, the same on every machine and in every version.

use crate::Randomization;

/// The start of the shift register in OProfile's driver.
const LFSR_START: u16 = 0xF00D;

/// The distance of two states of SplitMix64 (Steele, Lea and Flood, 2014).
const STEP: u64 = 0x9E37_79B9_7F4A_7C15;

fn mixed(state: u64) -> u64 {
    let state = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let state = (state ^ state >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    state ^ state >> 31
}

/// The use of random numbers: each use of a seed has numbers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stream {
    /// The period of fetches.
    Fetches,
    /// The period of ops.
    Ops,
    /// The distance within a pair of ops.
    Distances,
    /// The op of a dispatch group that is tagged.
    Picks,
    /// The numbers that the samplers of a program draw.
    Registers,
    /// The numbers of a source that was split off another one.
    Split,
    /// The choice of samples that are kept if there are too many.
    Kept,
}

/// A source of random low bits of a count.
#[derive(Clone, Debug)]
pub enum Random {
    /// Always 0.
    None,
    /// Uniform numbers, as hardware draws them.
    Hardware(u64),
    /// A shift register of 16 bits with taps 16, 14, 13 and 11. The driver shifts it once for each number, so that
    /// consecutive numbers share eleven of twelve bits; here it is shifted until they share none.
    Lfsr(u16),
}

impl Random {
    /// A source for one use of a seed.
    pub fn new(kind: Randomization, seed: u64, stream: Stream) -> Random {
        match kind {
            Randomization::None => Random::None,
            Randomization::Hardware => Random::uniform(seed, stream),
            Randomization::Lfsr12 => {
                // Without a seed it begins as the driver's. States that differ in few bits would draw much the same.
                let start = if seed == 0 {
                    0
                } else {
                    Random::uniform(seed, stream).drawn() as u16
                };
                // A shift register of zeroes stays there.
                Random::Lfsr(match LFSR_START ^ start {
                    0 => LFSR_START,
                    start => start,
                })
            }
        }
    }

    /// A uniform source for one use of a seed.
    pub fn uniform(seed: u64, stream: Stream) -> Random {
        // All sources run through the same cycle of 2^64 states: they begin far apart, wherever the seeds are.
        Random::Hardware(mixed(seed.wrapping_add(mixed((stream as u64 + 1).wrapping_mul(STEP)))))
    }

    /// Splits off a source whose numbers differ from those that this one continues with.
    pub fn split(&mut self) -> Random {
        match self {
            Random::None => Random::None,
            Random::Hardware(_) | Random::Lfsr(_) => Random::uniform(self.drawn(), Stream::Split),
        }
    }

    /// A number below `bound`, a power of two.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.drawn() & (bound - 1)
    }

    fn drawn(&mut self) -> u64 {
        match self {
            Random::None => 0,
            Random::Hardware(state) => {
                *state = state.wrapping_add(STEP);
                mixed(*state)
            }
            Random::Lfsr(state) => {
                for _ in 0..u16::BITS {
                    let bit = *state ^ *state >> 2 ^ *state >> 3 ^ *state >> 5;
                    *state = *state >> 1 | bit << 15;
                }
                u64::from(*state)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_shift_register_visits_every_state_but_zero() {
        let mut random = Random::new(Randomization::Lfsr12, 0, Stream::Ops);
        let mut count = 0;
        loop {
            random.below(1 << 12);
            count += 1;
            let Random::Lfsr(state) = random else {
                panic!("another kind")
            };
            assert_ne!(state, 0);
            if state == LFSR_START {
                break;
            }
        }
        assert_eq!(count, u16::MAX as u32);
    }

    #[test]
    fn what_the_shift_register_draws_does_not_depend_on_what_it_drew_before() {
        for seed in 0..20 {
            let mut random = Random::new(Randomization::Lfsr12, seed, Stream::Ops);
            // Each eighth of the numbers follows each other one equally often.
            const EIGHTHS: usize = 8;
            let mut followed = [[0u32; EIGHTHS]; EIGHTHS];
            let mut before = (random.below(1 << 12) as usize * EIGHTHS) >> 12;
            let draws = 16_000;
            for _ in 0..draws {
                let now = (random.below(1 << 12) as usize * EIGHTHS) >> 12;
                followed[before][now] += 1;
                before = now;
            }
            let expected = f64::from(draws) / (EIGHTHS * EIGHTHS) as f64;
            let chi_square: f64 = followed
                .iter()
                .flatten()
                .map(|&count| (f64::from(count) - expected).powi(2) / expected)
                .sum();
            // Of 63 degrees, the mean is 63 and the standard deviation 11.2.
            assert!(chi_square < 63.0 + 5.0 * 11.2, "seed {seed}: {chi_square}");
        }
    }

    #[test]
    fn no_two_uses_of_seeds_draw_the_same_numbers() {
        const STREAMS: [Stream; 7] = [
            Stream::Fetches,
            Stream::Ops,
            Stream::Distances,
            Stream::Picks,
            Stream::Registers,
            Stream::Split,
            Stream::Kept,
        ];
        let source = |seed, stream| Random::new(Randomization::Hardware, seed, stream);
        let mut drawn = HashSet::new();
        for seed in 0..100 {
            for stream in STREAMS {
                let mut random = source(seed, stream);
                let mut again = source(seed, stream);
                for number in 0..1000 {
                    let draws = random.drawn();
                    assert!(
                        drawn.insert(draws),
                        "seed {seed}, {stream:?}: number {number} was drawn before"
                    );
                    assert_eq!(draws, again.drawn());
                }
            }
        }
    }

    #[test]
    fn what_is_split_off_is_no_continuation() {
        let mut random = Random::uniform(0, Stream::Registers);
        let mut sources: Vec<Random> = (0..100).map(|_| random.split()).collect();
        sources.push(random);
        let mut drawn = HashSet::new();
        for source in &mut sources {
            for _ in 0..1000 {
                assert!(drawn.insert(source.drawn()));
            }
        }
    }
}
