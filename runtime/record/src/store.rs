//! The kept samples of a run, and the pairs that wait for their second op. If there are too many samples, one of each
//! group is kept, drawn at random: a choice of every second one would always meet the same instructions of a loop. Not
//! modelled: hardware has one pair at a time; here pairs overlap, so that the period is the requested one.

use crate::random::{Random, Stream};
use crate::{Images, Pair, Sample, SampleKind};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most samples that are kept, unless less is left for them.
pub const MOST_SAMPLES: usize = 1 << 20;

/// The awaited second op of a pair, by its number among the ops that retire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Second {
    /// Its number, from 0.
    pub number: u64,
    /// The sample of the first op, as an index.
    pub sample: usize,
    /// The distance from the first op, in ops.
    pub distance: u32,
    /// The clock at which the first was tagged.
    pub tagged: u64,
}

/// The choice of one sample of a kind from each group of `step` consecutive ones.
#[derive(Clone, Debug)]
struct Thinning {
    taken: u64,
    step: u64,
    /// The place of the chosen one in the current group. If it is before the next sample, the chosen one has been kept.
    chosen: u64,
    random: Random,
}

impl Thinning {
    fn new(random: Random) -> Thinning {
        Thinning {
            taken: 0,
            step: 1,
            chosen: 0,
            random,
        }
    }

    fn chooses_next(&self) -> bool {
        self.taken % self.step == self.chosen
    }

    fn take(&mut self) {
        self.taken += 1;
        if self.taken.is_multiple_of(self.step) {
            self.chosen = self.random.below(self.step);
        }
    }

    /// Joins the groups in pairs. Returns for each pair, including the current one, which half the chosen sample is in.
    fn join(&mut self) -> Vec<u64> {
        let half = self.step;
        self.step *= 2;
        let place = self.taken % self.step;
        let pairs = self.taken.div_ceil(self.step);
        let halves: Vec<u64> = (0..pairs).map(|_| self.random.below(2)).collect();
        let last = halves.last().copied().filter(|_| place > 0);
        self.chosen = match last {
            None => self.random.below(self.step),
            Some(0) if place < half => self.chosen,
            Some(0) => 0,
            Some(_) if place < half => half + self.random.below(half),
            Some(_) => half + self.chosen,
        };
        halves
    }
}

/// The kept samples of a run.
#[derive(Debug)]
pub struct Kept {
    run: u32,
    samples: Vec<Sample>,
    most: usize,
    // One for fetches, one for ops.
    thinning: [Thinning; 2],
    cut: u64,
    // The next one comes first.
    seconds: BinaryHeap<Reverse<Second>>,
}

impl Kept {
    /// An empty store for run number `run`; `seed` decides which samples are kept if there are too many.
    pub fn new(run: u32, seed: u64) -> Kept {
        let mut random = Random::uniform(seed, Stream::Kept);
        Kept {
            run,
            samples: Vec::new(),
            most: MOST_SAMPLES,
            thinning: [random.split(), random.split()].map(Thinning::new),
            cut: 0,
            seconds: BinaryHeap::new(),
        }
    }

    /// Keeps at most this many samples from here on, because something else needs room.
    pub fn leave_room(&mut self, most: usize) {
        self.most = most.min(MOST_SAMPLES);
    }

    /// The number of samples that are kept so far.
    pub fn count(&self) -> usize {
        self.samples.len()
    }

    fn thinning(&mut self, kind: SampleKind) -> &mut Thinning {
        &mut self.thinning[usize::from(kind == SampleKind::Op)]
    }

    /// Keeps a sample taken `clock` clocks after the run began, unless it is left out. Returns its index.
    pub fn keep(&mut self, kind: SampleKind, clock: u64, images: Images) -> Option<usize> {
        if self.samples.len() >= self.most && self.thinning(kind).chooses_next() {
            self.thin();
        }
        let thinning = self.thinning(kind);
        let chosen = thinning.chooses_next();
        thinning.take();
        if !chosen {
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

    /// Drops one of each two samples of the kind that has more, and thins later ones as much.
    fn thin(&mut self) {
        let ops = self.samples.iter().filter(|sample| sample.kind == SampleKind::Op);
        let kind = match 2 * ops.count() >= self.samples.len() {
            true => SampleKind::Op,
            false => SampleKind::Fetch,
        };
        let halves = self.thinning(kind).join();
        let (mut seen, mut kept) = (0, 0);
        // The new place of each sample, for pairs that still wait.
        let mut places = Vec::with_capacity(self.samples.len());
        self.samples.retain(|sample| {
            let stays = sample.kind != kind || halves[seen / 2] == seen as u64 % 2;
            seen += usize::from(sample.kind == kind);
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

    /// Makes a sample wait for its second op.
    pub fn wait_for(&mut self, second: Second) {
        self.seconds.push(Reverse(second));
    }

    /// The number of the next second op that a sample waits for.
    pub fn waits_for(&self) -> Option<u64> {
        self.seconds.peek().map(|Reverse(second)| second.number)
    }

    /// The next of the second ops whose number is below `behind`.
    pub fn next_second(&mut self, behind: u64) -> Option<Second> {
        let Reverse(second) = *self.seconds.peek()?;
        (second.number < behind).then(|| {
            self.seconds.pop();
            second
        })
    }

    /// Completes a pair whose second op was tagged at clock `tagged`.
    pub fn complete(&mut self, second: Second, tagged: u64, images: Images) {
        self.samples[second.sample].pair = Some(Box::new(Pair {
            distance: second.distance,
            clocks: tagged.saturating_sub(second.tagged),
            images,
        }));
    }

    /// The samples, numbered from 1, and the number of those that were left out.
    pub fn finish(mut self) -> (Vec<Sample>, u64) {
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
    fn of_too_many_samples_one_of_each_group_is_kept_at_random_and_pairs_keep_their_first() {
        let mut kept = Kept::new(1, 7);
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
        assert!(samples.len() <= MOST_SAMPLES);
        let of = |kind| -> Vec<&Sample> { samples.iter().filter(|sample| sample.kind == kind).collect() };
        let (ops, fetches) = (of(SampleKind::Op), of(SampleKind::Fetch));
        assert_eq!(fetches.len() as u64, taken.div_ceil(1000), "the few stay");
        assert!(ops.iter().zip(0..).all(|(sample, group)| sample.clock / 4 == group));
        for place in 0..4 {
            let count = ops.iter().filter(|sample| sample.clock % 4 == place).count();
            let expected = ops.len() as f64 / 4.0;
            let sigma = (expected * 0.75).sqrt();
            assert!((count as f64 - expected).abs() < 5.0 * sigma, "{count} at {place}");
        }
        assert_eq!((ops.len() + fetches.len()) as u64 + cut, taken + taken.div_ceil(1000));
        let (done, open) = ops.split_at(ops.len() - 2);
        assert!(
            done.iter()
                .all(|op| op.pair.as_ref().is_some_and(|pair| pair.clocks == 3))
        );
        assert!(open.iter().any(|op| op.pair.is_none()));
    }

    #[test]
    fn what_needs_room_makes_the_samples_fewer() {
        let mut kept = Kept::new(1, 7);
        for clock in 0..5000 {
            if clock == 3000 {
                kept.leave_room(1000);
            }
            kept.keep(SampleKind::Op, clock, Images::default());
            let most = if clock < 3000 { 3000 } else { 1500 };
            assert!(kept.count() <= most, "{} after {clock}", kept.count());
        }
        assert!((500..=1000).contains(&kept.count()), "{}", kept.count());
        let (samples, cut) = kept.finish();
        assert_eq!(samples.len() as u64 + cut, 5000);
    }

    #[test]
    fn groups_that_are_joined_at_any_time_keep_one_each_wherever_it_is() {
        // How often each of 16 samples is kept, over many seeds, if groups are joined after these numbers of samples.
        for joins in [[3, 6, 9, 12], [4, 4, 4, 4], [1, 2, 3, 5], [0, 7, 8, 16], [5, 6, 16, 16]] {
            let mut times = [0_u32; 16];
            for seed in 0..4000 {
                let mut thinning = Thinning::new(Random::uniform(seed, Stream::Kept));
                let mut kept: Vec<u64> = Vec::new();
                for number in 0..=16 {
                    for _ in joins.iter().filter(|&&join| join == number) {
                        let halves = thinning.join();
                        let mut seen = 0;
                        kept.retain(|_| {
                            seen += 1;
                            halves[(seen - 1) / 2] == (seen as u64 - 1) % 2
                        });
                    }
                    if number < 16 {
                        if thinning.chooses_next() {
                            kept.push(number);
                        }
                        thinning.take();
                    }
                }
                assert_eq!((thinning.step, kept.len()), (16, 1), "{joins:?}, seed {seed}: {kept:?}");
                times[kept[0] as usize] += 1;
            }
            // 250 each, give or take 15.3.
            let sound = times.iter().all(|&count| count.abs_diff(250) < 77);
            assert!(sound, "{joins:?}: {times:?}");
        }
    }
}
