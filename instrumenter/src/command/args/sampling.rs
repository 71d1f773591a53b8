//! What samplers count, and how far their samples lie apart.

use clap::ValueEnum;
use runtime::record::CountMode;

/// The maximum distance between two samples of ops: the counter has 27 bits.
pub(super) const LONGEST: u64 = 134_217_712;

/// The maximum distance between two samples of fetches: the counter has 20 bits.
pub(super) const LONGEST_FETCH: u64 = 1_048_560;

/// What the op sampler counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SampleMode {
    /// Clocks, then an op of the next group: stalls attract samples, so that `calc`, `topstalls` and `whatcg` refuse
    /// them
    Cycles,
    /// Dispatched ops: each is as likely as any other
    Dispatch,
}

impl From<SampleMode> for CountMode {
    fn from(mode: SampleMode) -> CountMode {
        match mode {
            SampleMode::Cycles => CountMode::Cycles,
            SampleMode::Dispatch => CountMode::Dispatch,
        }
    }
}

/// A whole number from 1 to `most`, with `_` allowed between digits.
pub(super) fn distance(text: &str, most: u64) -> Result<u64, String> {
    let trimmed = text.trim();
    let digits = trimmed.replace('_', "");
    let number = digits.parse().ok().filter(|number| (1..=most).contains(number));
    let number = number.filter(|_| trimmed.starts_with(|first: char| first.is_ascii_digit()));
    number.ok_or_else(|| format!("a distance is a whole number from 1 to {most}"))
}
