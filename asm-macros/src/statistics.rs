//! The few statistics that timings need. They assume no distribution: timings have a minimum and a long tail.

/// Median and spread of samples, in the unit of the samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The smallest sample.
    pub min: f64,
    /// The median; of an even number of samples, the lower of the two in the middle.
    pub median: f64,
    /// The median absolute deviation: the median of the distances from the median.
    pub mad: f64,
}

impl Spread {
    /// The spread of `samples`, which are overwritten; `None` if there are none.
    pub fn of(samples: &mut [f64]) -> Option<Spread> {
        samples.sort_unstable_by(f64::total_cmp);
        let (&min, &median) = (samples.first()?, middle(samples)?);
        for sample in samples.iter_mut() {
            *sample = (*sample - median).abs();
        }
        samples.sort_unstable_by(f64::total_cmp);
        Some(Spread {
            min,
            median,
            mad: *middle(samples)?,
        })
    }
}

fn middle<T>(sorted: &[T]) -> Option<&T> {
    sorted.get(sorted.len().saturating_sub(1) / 2)
}

/// The value from which a sample counts as an interruption: the median plus four times its distance from the fastest
/// twentieth, or plus four times `least` if that is more. `sorted` is in ascending order.
pub fn disturbed_from(sorted: &[u64], least: u64) -> u64 {
    let Some(&median) = middle(sorted) else {
        return u64::MAX;
    };
    let spread = (median - sorted[sorted.len() / 20]).max(least);
    median.saturating_add(spread.saturating_mul(4))
}

/// The mean of the samples without interruptions. `sorted` is in ascending order; the mean of no samples is 0.
///
/// A mean over many pairs is finer than the step of the counter if they start at all phases of a step. It must not be
/// trimmed at both ends, which would favour the more frequent of two neighbouring values.
pub fn undisturbed_mean(sorted: &[u64]) -> f64 {
    // The duration of a read itself varies by a large fraction.
    let from = disturbed_from(sorted, middle(sorted).map_or(8, |median| (median / 8).max(8)));
    let kept = sorted.partition_point(|&sample| sample < from);
    if kept == 0 {
        return 0.0;
    }
    let sum: u128 = sorted[..kept].iter().map(|&sample| u128::from(sample)).sum();
    sum as f64 / kept as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_of_known_samples() {
        let spread = Spread::of(&mut [3.0, 1.0, 2.0, 100.0, 2.5]).expect("samples");
        assert_eq!(
            spread,
            Spread {
                min: 1.0,
                median: 2.5,
                mad: 0.5
            }
        );
        assert_eq!(Spread::of(&mut []), None);
        assert_eq!(
            Spread::of(&mut [7.0]),
            Some(Spread {
                min: 7.0,
                median: 7.0,
                mad: 0.0
            })
        );
    }

    #[test]
    fn a_mean_of_two_values_keeps_their_shares_and_leaves_out_interruptions() {
        let mut samples = [52u64; 1000];
        samples[700..].fill(78);
        samples[999] = 40_000;
        let mean = undisturbed_mean(&samples);
        let expected = (700.0 * 52.0 + 299.0 * 78.0) / 999.0;
        assert!((mean - expected).abs() < 1e-9, "{mean} {expected}");
        assert_eq!(undisturbed_mean(&[]), 0.0);
    }
}
