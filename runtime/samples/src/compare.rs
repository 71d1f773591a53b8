//! Two recordings side by side: how often each derived event occurs for each fetch or op.

use super::Analysis;
use super::estimate::Sum;
use p5_record::SampleKind;
use p5_record::derived::{DERIVED, Derived};

/// A derived event in two recordings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The event.
    pub event: &'static Derived,
    /// The sums over the samples of the first and the second recording.
    pub sums: [Sum; 2],
    /// The sums divided by the sampled fetches or ops of its kind; none without samples of that kind.
    pub rates: [Option<f64>; 2],
    /// How many standard errors the second rate is above the first; none if either is unknown, or both are 0.
    pub sigmas: Option<f64>,
}

impl Analysis {
    /// The sum of a derived event over the samples.
    pub fn sum(&self, event: &Derived) -> Sum {
        let mut sum = Sum::default();
        for sample in self.samples.iter().filter(|sample| sample.kind == event.kind) {
            sum.add(event.of(&sample.images));
        }
        sum
    }

    /// Whether the registers that an event is derived from were kept.
    pub fn knows(&self, event: &Derived) -> bool {
        self.lack(Some(event.kind), event.registers()).is_none()
    }

    /// The exact figure of a derived event; none if it is not known, or if a filter left out some samples.
    pub fn exact(&self, event: &Derived) -> Option<u64> {
        let derived = &self.comparable(event.kind)?.derived;
        derived
            .iter()
            .find(|(code, _)| *code == event.code)
            .map(|(_, count)| *count)
    }

    /// The derived events of this recording and a later one.
    pub fn differences(&self, later: &Analysis) -> Vec<Difference> {
        let both = [self, later];
        let counts = |kind: SampleKind| both.map(|recording| recording.count(kind));
        let of_kinds = SampleKind::ALL.map(counts);
        DERIVED
            .iter()
            .filter(|event| both.iter().all(|recording| recording.knows(event)))
            .map(|event| {
                let sums = both.map(|recording| recording.sum(event));
                let counts = of_kinds[usize::from(event.kind == SampleKind::Op)];
                let rate = |side: usize| (counts[side] > 0).then(|| sums[side].total as f64 / counts[side] as f64);
                let rates = [rate(0), rate(1)];
                let variance = |side: usize| {
                    let count = counts[side] as f64;
                    let mean = sums[side].total as f64 / count;
                    (sums[side].squares as f64 / count - mean * mean).max(0.0) / count
                };
                let error = (variance(0) + variance(1)).sqrt();
                let difference = rates[0].zip(rates[1]).map(|(first, second)| second - first);
                Difference {
                    event,
                    sums,
                    rates,
                    sigmas: difference.filter(|_| error > 0.0).map(|difference| difference / error),
                }
            })
            .collect()
    }
}
