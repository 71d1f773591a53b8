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
    /// How many standard errors the second rate is above the first; none if either is unknown, or if all samples
    /// of both are the same.
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
                let variance = |side: usize, added: f64| {
                    let count = counts[side] as f64 + 2.0 * added;
                    let mean = (sums[side].total as f64 + added) / count;
                    ((sums[side].squares as f64 + added) / count - mean * mean).max(0.0) / count
                };
                // Samples that all say the same do not make a rate certain: one of 1 and one of 0 are added to them.
                let uncertain = |side: usize| match variance(side, 0.0) {
                    variance if variance > 0.0 => variance,
                    _ => variance(side, 1.0),
                };
                let all_same = rates[0] == rates[1] && [0, 1].map(|side| variance(side, 0.0)) == [0.0; 2];
                let error = (uncertain(0) + uncertain(1)).sqrt();
                let difference = rates[0].zip(rates[1]).map(|(first, second)| second - first);
                Difference {
                    event,
                    sums,
                    rates,
                    sigmas: difference.filter(|_| !all_same).map(|difference| difference / error),
                }
            })
            .collect()
    }
}
