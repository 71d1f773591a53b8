//! The rates of the core and of the time stamp counter.
//!
//! Modelled: a constant ratio. Not modelled: changes of the rate.

use std::fmt;
use std::num::NonZeroU32;

/// The ratio of core clocks to reference clocks, which the time stamp counter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreRatio {
    /// The number of core clocks.
    pub core: NonZeroU32,
    /// The number of reference clocks in the same time.
    pub reference: NonZeroU32,
}

impl CoreRatio {
    /// Reads `core/reference`, two numbers from 1 to 4294967295.
    ///
    /// # Errors
    /// A sentence that says what is expected.
    pub fn parse(text: &str) -> Result<CoreRatio, String> {
        let number = |text: &str| text.trim().parse::<NonZeroU32>().ok();
        let numbers = text
            .split_once('/')
            .and_then(|(core, reference)| number(core).zip(number(reference)));
        numbers
            .map(|(core, reference)| CoreRatio { core, reference })
            .ok_or_else(|| {
                "write core clocks / reference clocks, each from 1 to 4294967295, for example 14763/13284".to_owned()
            })
    }

    /// The ratio as text, such as `4/3`; `None` if the two rates are the same.
    pub fn unless_equal(self) -> Option<String> {
        (self.core != self.reference).then(|| self.to_string())
    }

    /// The number of whole reference clocks in `clocks` core clocks.
    pub fn reference_clocks(self, clocks: u64) -> u64 {
        let (core, reference) = (u128::from(self.core.get()), u128::from(self.reference.get()));
        (u128::from(clocks) * reference / core) as u64
    }

    /// The number of clocks, among the first `clocks` of the core, in which at least `least` reference clocks end;
    /// `least` is at least 1.
    pub fn clocks_with(self, clocks: u64, least: u64) -> u64 {
        let (core, reference) = (u64::from(self.core.get()), u64::from(self.reference.get()));
        // `each` reference clocks, or one more, end in each core clock.
        let (each, rest) = (reference / core, reference % core);
        match least {
            least if least <= each => clocks,
            least if least == each + 1 => (u128::from(clocks) * u128::from(rest) / u128::from(core)) as u64,
            _ => 0,
        }
    }

    /// The number of core clocks after which `clocks` reference clocks have passed.
    pub fn core_clocks(self, clocks: u64) -> u64 {
        let (core, reference) = (u128::from(self.core.get()), u128::from(self.reference.get()));
        u64::try_from((u128::from(clocks) * core).div_ceil(reference)).unwrap_or(u64::MAX)
    }
}

impl Default for CoreRatio {
    fn default() -> CoreRatio {
        CoreRatio {
            core: NonZeroU32::MIN,
            reference: NonZeroU32::MIN,
        }
    }
}

impl fmt::Display for CoreRatio {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.core, self.reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_with_reference_clocks_are_those_in_which_they_end() {
        for ratio in ["1/1", "14763/13284", "3/1", "1/2", "2/5", "7/15", "1/300"] {
            let ratio = CoreRatio::parse(ratio).expect("a ratio");
            for clocks in [0, 1, 2, 9, 1000] {
                for least in 1..=4 {
                    let ends = |clock: u64| ratio.reference_clocks(clock + 1) - ratio.reference_clocks(clock);
                    let expected = (0..clocks).filter(|&clock| ends(clock) >= least).count() as u64;
                    assert_eq!(ratio.clocks_with(clocks, least), expected, "{ratio}, {clocks}, {least}");
                }
            }
        }
    }
}
