//! Estimates of everything that happened from some samples, and their error by chance.
//!
//! Of n events with a mean period S, about k = n / S are sampled. So k samples stand for k * S events, give or take the
//! square root of k, times S.

use super::Analysis;
use p5_record::derived::Derived;
use p5_record::{CountMode, SampleKind};

/// The number of samples below which a figure is not enough to act on.
pub const ENOUGH: u64 = 100;

/// A number of samples, and the sum of their contributions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The number of samples that contribute.
    pub samples: u64,
    /// The sum of their contributions; for a count, equal to `samples`.
    pub total: u64,
    /// The sum of the squared contributions, from which the error follows.
    pub squares: u128,
}

impl Sum {
    /// Adds the contribution of one sample.
    pub fn add(&mut self, value: u64) {
        if value > 0 {
            self.samples += 1;
            self.total = self.total.saturating_add(value);
            self.squares = self.squares.saturating_add(u128::from(value) * u128::from(value));
        }
    }

    /// The estimate, if each sample stands for `scale` events.
    pub fn estimate(&self, scale: f64) -> f64 {
        self.total as f64 * scale
    }

    /// The standard error of the estimate.
    pub fn error(&self, scale: f64) -> f64 {
        (self.squares as f64).sqrt() * scale
    }

    /// How many standard errors the estimate is above an exact figure, negative if below. If the samples show less than
    /// is true, the error is that of the exact figure. `usual` is the contribution of one event, 1 for a count, for use
    /// without samples.
    pub fn sigmas(&self, scale: f64, exact: u64, usual: f64) -> Option<f64> {
        if scale <= 0.0 {
            return None;
        }
        let mean_square = match self.total {
            0 => usual,
            total => self.squares as f64 / total as f64,
        };
        let expected = exact as f64 / scale * mean_square;
        let error = (self.squares as f64).max(expected).sqrt() * scale;
        (error > 0.0).then(|| (self.estimate(scale) - exact as f64) / error)
    }

    /// The reliability of the figure.
    pub fn confidence(&self) -> Confidence {
        let relative = (self.squares as f64).sqrt() / (self.total as f64).max(1.0);
        Confidence::of(self.samples, relative)
    }
}

/// The reliability of an estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// The standard error is above 30 %.
    Low,
    /// Up to 30 %.
    Medium,
    /// Up to 10 %.
    High,
}

impl Confidence {
    /// The reliability of a figure with this relative standard error.
    pub(super) fn of(samples: u64, relative: f64) -> Confidence {
        match relative {
            _ if samples == 0 => Confidence::Low,
            small if small <= 0.1 => Confidence::High,
            small if small <= 0.3 => Confidence::Medium,
            _ => Confidence::Low,
        }
    }

    /// The letter in tables.
    pub const fn letter(self) -> &'static str {
        match self {
            Confidence::Low => "L",
            Confidence::Medium => "M",
            Confidence::High => "H",
        }
    }
}

impl Analysis {
    /// The number of completed fetches or of ops that a sample stands for; none if it depends on how long they took.
    /// There are more fetches than that: the sampler does not count those that are not completed.
    pub fn scale(&self, kind: SampleKind) -> Option<f64> {
        let attempts = match kind {
            SampleKind::Fetch => self.sampling.fetch?,
            SampleKind::Op if self.sampling.choice.mode == CountMode::Dispatch => self.sampling.op?,
            SampleKind::Op => return None,
        };
        let period = attempts.period as f64;
        // One of each group was kept, drawn at random, so it stands for the whole group.
        Some(match self.count(kind) {
            kept if kept > 0 && self.sampling.cut > 0 => period * attempts.taken() as f64 / kept as f64,
            _ => period,
        })
    }

    /// The standard error of an estimate: 0 if everything was sampled. None without a scale.
    pub fn error(&self, kind: SampleKind, sum: &Sum) -> Option<f64> {
        let scale = self.scale(kind)?;
        Some(if self.is_census(kind) { 0.0 } else { sum.error(scale) })
    }

    /// The contribution of a fetch or op to a derived event: 1 for a count; for a sum of clocks, the mean of all
    /// clocks, each weighted by itself, if it is known.
    pub fn usual(&self, event: &Derived) -> f64 {
        let Some(field) = event.sum else { return 1.0 };
        let values = self.exact_values(&field);
        let sum: u128 = values
            .iter()
            .map(|&(value, count)| u128::from(value) * u128::from(count))
            .sum();
        let squares: f64 = values
            .iter()
            .map(|&(value, count)| (value as f64).powi(2) * count as f64)
            .sum();
        if sum > 0 { squares / sum as f64 } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Twelve loads waited 376 clocks, the sum of their squares is 12,182, and none of them was sampled.
    #[test]
    fn clocks_of_which_no_sample_has_any_come_many_at_once() {
        let sigmas = Sum::default().sigmas(1000.0, 376, 12_182.0 / 376.0);
        assert!(
            sigmas.is_some_and(|sigmas| (sigmas + 0.1077).abs() < 1e-3),
            "{sigmas:?}"
        );
    }
}
