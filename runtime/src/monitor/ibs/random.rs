//! What varies the period of a sampler: random numbers with a seed, the same on every machine and in every version.

use crate::samples::Randomization;

/// The start of the shift register in OProfile's driver.
const LFSR_START: u16 = 0xF00D;

/// A source of random low bits of a count.
#[derive(Clone, Debug)]
pub(crate) enum Random {
    /// Always 0.
    None,
    /// Uniform, for what hardware does at random.
    Hardware(u64),
    /// A shift register of 16 bits with taps 16, 14, 13 and 11.
    Lfsr(u16),
}

impl Random {
    /// A source for one use; different uses of one seed have different `stream`s.
    pub(crate) fn new(kind: Randomization, seed: u64, stream: u64) -> Random {
        match kind {
            Randomization::None => Random::None,
            Randomization::Hardware => Random::uniform(seed, stream),
            Randomization::Lfsr12 => {
                // Without a seed it begins as the driver's. States that differ in few bits would draw much the same.
                let mixed = if seed == 0 {
                    0
                } else {
                    Random::uniform(seed, stream).drawn() as u16
                };
                // A shift register of zeroes stays there.
                Random::Lfsr(match LFSR_START ^ mixed {
                    0 => LFSR_START,
                    start => start,
                })
            }
        }
    }

    /// A uniform source.
    pub(crate) fn uniform(seed: u64, stream: u64) -> Random {
        Random::Hardware(seed ^ stream.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }

    /// A source of other numbers than this one goes on with.
    pub(crate) fn split(&mut self) -> Random {
        match self {
            Random::None => Random::None,
            Random::Hardware(_) | Random::Lfsr(_) => Random::uniform(self.drawn(), 5),
        }
    }

    /// A number below `bound`, a power of two.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.drawn() & (bound - 1)
    }

    fn drawn(&mut self) -> u64 {
        match self {
            Random::None => 0,
            Random::Hardware(state) => {
                // SplitMix64 (Steele, Lea and Flood, 2014).
                *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
                let mixed = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
                let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
                mixed ^ mixed >> 31
            }
            Random::Lfsr(state) => {
                let bit = *state ^ *state >> 2 ^ *state >> 3 ^ *state >> 5;
                *state = *state >> 1 | bit << 15;
                u64::from(*state)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shift_register_visits_every_state_but_zero() {
        let mut random = Random::new(Randomization::Lfsr12, 0, 0);
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
    fn seeds_and_streams_differ_and_repeat() {
        let draw = |seed, stream| {
            let mut random = Random::new(Randomization::Hardware, seed, stream);
            [0; 8].map(|_| random.below(1 << 32))
        };
        assert_eq!(draw(7, 1), draw(7, 1));
        assert_ne!(draw(7, 1), draw(8, 1));
        assert_ne!(draw(7, 1), draw(7, 2));
    }
}
