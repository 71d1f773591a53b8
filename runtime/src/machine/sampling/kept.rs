//! The samples of a run that are kept: all, or evenly fewer if there are too many, and pairs that wait for their second
//! op. Not modelled: that hardware has one pair at a time; here they overlap, so that the period is what was asked for.

use crate::samples::{Images, Pair, Sample, SampleKind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most samples that are kept.
pub const MOST_SAMPLES: usize = 1 << 20;

/// The second op of a pair, by its number among those that retire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Second {
    pub(super) number: u64,
    /// Which sample the first is.
    pub(super) sample: usize,
    pub(super) distance: u32,
    /// The clock at which the first was tagged.
    pub(super) tagged: u64,
}

/// Which samples of a kind are kept: the first of every `step`.
#[derive(Clone, Copy, Debug)]
struct Thinning {
    taken: u64,
    step: u64,
}

/// The samples.
#[derive(Debug)]
pub(super) struct Kept {
    run: u32,
    samples: Vec<Sample>,
    // Of fetches and of ops.
    thinning: [Thinning; 2],
    cut: u64,
    // The next first.
    seconds: BinaryHeap<Reverse<Second>>,
}

impl Kept {
    /// No samples, of run number `run`.
    pub(super) fn new(run: u32) -> Kept {
        Kept {
            run,
            samples: Vec::new(),
            thinning: [Thinning { taken: 0, step: 1 }; 2],
            cut: 0,
            seconds: BinaryHeap::new(),
        }
    }

    fn thinning(&mut self, kind: SampleKind) -> &mut Thinning {
        &mut self.thinning[usize::from(kind == SampleKind::Op)]
    }

    /// Keeps a sample of `clock` since the run began, unless it is one of those that are left out. Returns where it is.
    pub(super) fn keep(&mut self, kind: SampleKind, clock: u64, images: Images) -> Option<usize> {
        let thinning = self.thinning(kind);
        let number = thinning.taken;
        thinning.taken += 1;
        let is_left_out = |kept: &mut Kept| !number.is_multiple_of(kept.thinning(kind).step);
        if !is_left_out(self) && self.samples.len() == MOST_SAMPLES {
            self.thin();
        }
        if is_left_out(self) {
            self.cut += 1;
            return None;
        }
        self.samples.push(Sample {
            kind,
            number: 0,
            run: self.run,
            clock,
            images,
            pair: None,
        });
        Some(self.samples.len() - 1)
    }

    /// Drops every second sample of the kind that has more, and from now on as many more of what is taken: those that
    /// stay are spread over the run as all were.
    fn thin(&mut self) {
        let ops = self.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        let kind = match 2 * ops.count() >= self.samples.len() {
            true => SampleKind::Op,
            false => SampleKind::Fetch,
        };
        self.thinning(kind).step *= 2;
        let (mut seen, mut kept) = (0u64, 0);
        // Where each sample goes, for pairs that still wait.
        let mut places = Vec::with_capacity(self.samples.len());
        self.samples.retain(|sample| {
            let stays = sample.kind != kind || seen.is_multiple_of(2);
            seen += u64::from(sample.kind == kind);
            places.push(stays.then_some(kept));
            kept += usize::from(stays);
            stays
        });
        self.cut += (places.len() - kept) as u64;
        let seconds = std::mem::take(&mut self.seconds).into_iter();
        let moved = seconds.filter_map(|Reverse(second)| {
            let sample = places[second.sample]?;
            Some(Reverse(Second { sample, ..second }))
        });
        self.seconds = moved.collect();
    }

    /// A sample waits for its second op.
    pub(super) fn wait_for(&mut self, second: Second) {
        self.seconds.push(Reverse(second));
    }

    /// The number of the next second op that a sample waits for.
    pub(super) fn waits_for(&self) -> Option<u64> {
        self.seconds.peek().map(|Reverse(second)| second.number)
    }

    /// The next of the second ops whose number is below `behind`.
    pub(super) fn next_second(&mut self, behind: u64) -> Option<Second> {
        let Reverse(second) = *self.seconds.peek()?;
        (second.number < behind).then(|| {
            self.seconds.pop();
            second
        })
    }

    /// The second op of a pair was tagged at clock `tagged`.
    pub(super) fn complete(&mut self, second: Second, tagged: u64, images: Images) {
        self.samples[second.sample].pair = Some(Box::new(Pair {
            distance: second.distance,
            clocks: tagged.saturating_sub(second.tagged),
            images,
        }));
    }

    /// The samples, numbered from 1 on, and how many more were taken.
    pub(super) fn finish(mut self) -> (Vec<Sample>, u64) {
        for (sample, number) in self.samples.iter_mut().zip(1..) {
            sample.number = number;
        }
        (self.samples, self.cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_samples_are_left_out_evenly_and_pairs_keep_their_first() {
        let mut kept = Kept::new(1);
        let taken = 5 * MOST_SAMPLES as u64 / 2;
        for clock in 0..taken {
            if clock % 1000 == 0 {
                kept.keep(SampleKind::Fetch, clock, Images::default());
            }
            if let Some(sample) = kept.keep(SampleKind::Op, clock, Images::default()) {
                kept.wait_for(Second {
                    number: clock + 3,
                    sample,
                    distance: 3,
                    tagged: clock,
                });
            }
            while let Some(second) = kept.next_second(clock) {
                kept.complete(second, second.number, Images::default());
            }
        }
        let (samples, cut) = kept.finish();
        let of = |kind| -> Vec<&Sample> { samples.iter().filter(|sample| sample.kind == kind).collect() };
        let (ops, fetches) = (of(SampleKind::Op), of(SampleKind::Fetch));
        assert_eq!(fetches.len() as u64, taken.div_ceil(1000), "the few stay");
        assert!(ops.iter().zip(0..).all(|(sample, place)| sample.clock == 4 * place));
        assert_eq!((ops.len() + fetches.len()) as u64 + cut, taken + taken.div_ceil(1000));
        let (done, open) = ops.split_at(ops.len() - 2);
        assert!(
            done.iter()
                .all(|op| op.pair.as_ref().is_some_and(|pair| pair.clocks == 3))
        );
        assert!(open.iter().any(|op| op.pair.is_none()));
    }
}
