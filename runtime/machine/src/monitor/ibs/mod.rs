//! Instruction-based sampling: the choice of ops and fetches.
//!
//! Modelled: a fetch counter that counts completed fetches and takes the fetch that is due; an op counter that counts
//! retiring ops in the order of dispatch and takes the op that makes the count, or counts clocks and takes an op of
//! the next dispatch group, unless none comes in time: then the attempt is dropped and the count restarts. A group is
//! the instructions that enter D1 in one clock: a pair, an instruction alone, or a step of microcode. Not modelled:
//! ops that are tagged and then flushed, because the pipeline fetches nothing on a path that is not taken. DOUBT: how
//! AMD's hardware picks the op of a group is not documented: here either is as likely. The longest wait for a
//! group is [`CLOCKS_TO_A_GROUP`].
//!
//! Sources: AMD, BIOS and Kernel Developer's Guide for Family 10h, 3.12; Software Optimization Guide for Family 10h,
//! appendix G.

mod images;
mod unit;

pub(crate) use images::{fetch_images, op_images};
pub(crate) use p5_record::random::{Random, Stream};
pub(crate) use unit::Unit;

use p5_chips::ibs::CLOCKS_TO_A_GROUP;
use p5_record::{Attempts, CountMode};
use p5_results::records::{DataSource, FetchRecord, OpRecord};
use p5_timing::pipeline::Next;

/// The distance between samples.
#[derive(Clone, Debug)]
pub(crate) struct Period {
    /// The distance around which the random one varies, or the maximum.
    distance: u64,
    /// The range of variation: a power of two.
    spread: u64,
    /// Whether it varies to both sides.
    around: bool,
    random: Random,
}

impl Period {
    /// A period of exactly `mean` on average, which is at least 1, and up to half the `spread` shorter or longer. The
    /// spread is halved until the period cannot reach 0.
    pub(crate) fn around(mean: u64, spread: u64, random: Random) -> Period {
        let mut period = Period {
            distance: mean,
            spread,
            around: true,
            random,
        };
        while period.spread > 1 && period.spread / 2 >= mean {
            period.spread /= 2;
        }
        period
    }

    /// A period as in hardware: the rest of `period` if the low bits of the count, `spread` values, are random at the
    /// start. There are fewer values if the period is shorter.
    pub(crate) fn counted(period: u64, spread: u64, random: Random) -> Period {
        Period {
            distance: period,
            spread: low_bits(period, spread),
            around: false,
            random,
        }
    }

    /// The distance to the next sample, at least 1.
    pub(crate) fn next(&mut self) -> u64 {
        match (&self.random, self.around) {
            (Random::None, _) => self.distance,
            _ if self.spread <= 1 => self.distance,
            (_, false) => self.distance - self.random.below(self.spread),
            (_, true) => {
                // An even number of values has no middle: one more bit moves half of them, so that the mean is whole.
                let drawn = self.random.below(2 * self.spread);
                self.distance + self.spread / 2 - (drawn >> 1) - (drawn & 1)
            }
        }
    }
}

/// The number of values of the low bits of a count that stays below `period`, at most `spread`.
fn low_bits(period: u64, spread: u64) -> u64 {
    spread.min(1 << period.max(1).ilog2())
}

/// The condition for a sample to be kept.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Filter {
    /// The least wait for data, in clocks, of the loads that are kept; each of them has missed.
    pub(crate) load_latency: Option<u32>,
    /// Whether only accesses that memory beyond the last cache level answered are kept.
    pub(crate) last_level_misses_only: bool,
}

/// Whether memory or a device answered.
pub(crate) fn missed_last_level(source: DataSource) -> bool {
    matches!(source, DataSource::Memory | DataSource::OtherCache | DataSource::Device)
}

impl Filter {
    /// Whether a tagged op makes a sample.
    pub(crate) fn takes_op(&self, op: &OpRecord) -> bool {
        let load = op.load.as_ref().filter(|load| load.missed > 0);
        let slow = |least| load.is_some_and(|load| load.filled >= least);
        self.load_latency.is_none_or(slow)
            && (!self.last_level_misses_only || load.is_some_and(|load| missed_last_level(load.source)))
    }

    /// Whether a tagged fetch makes a sample.
    pub(crate) fn takes_fetch(&self, fetch: &FetchRecord) -> bool {
        !self.last_level_misses_only || missed_last_level(fetch.source)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct OpCounter {
    mode: CountMode,
    period: Period,
    // The time of the next sample: the last op of a count, or an op of the first group from a clock on.
    due: Next,
    // The choice of the tagged op in a group when clocks are counted.
    pick: Random,
    pub(crate) attempts: Attempts,
}

impl OpCounter {
    /// A counter that begins to count at clock `now`. `pick` chooses the op of a group.
    pub(crate) fn new(mode: CountMode, mean: u64, period: Period, pick: Random, now: u64) -> OpCounter {
        let mut counter = OpCounter {
            mode,
            period,
            due: Next::Clock(0),
            pick,
            attempts: Attempts {
                period: mean,
                dropped: Some(0),
                ..Attempts::default()
            },
        };
        counter.restart(now);
        counter
    }

    pub(crate) fn restart(&mut self, now: u64) {
        let left = self.period.next();
        self.arm(left, now);
    }

    /// Sets the next sample to `left` ops or clocks from clock `now` on.
    pub(crate) fn arm(&mut self, left: u64, now: u64) {
        self.due = match self.mode {
            CountMode::Dispatch => Next::Count(left.max(1)),
            CountMode::Cycles => Next::Clock(now.saturating_add(left)),
        };
    }

    /// The rest of the period at clock `now`.
    pub(crate) fn left(&self, now: u64) -> u64 {
        match self.due {
            Next::Never => 0,
            Next::Count(left) => left,
            Next::Clock(clock) => clock.saturating_sub(now),
        }
    }

    /// The time at which an op is due.
    pub(crate) fn due(&self) -> Next {
        self.due
    }

    /// Counts retired ops that are not shown. None of them is due.
    pub(crate) fn pass(&mut self, ops: u64) {
        if let Next::Count(left) = &mut self.due {
            *left -= ops;
        }
    }

    /// Counts `ops`, which retire in order and end with a whole instruction, from index `from` on. Returns the index
    /// of the tagged op; the ops after it have not been counted.
    pub(crate) fn count(&mut self, ops: &[OpRecord], from: usize) -> Option<usize> {
        match &mut self.due {
            Next::Count(left) => {
                let here = (ops.len() - from) as u64;
                if *left > here {
                    *left -= here;
                    return None;
                }
                self.attempts.made += 1;
                Some(from + *left as usize - 1)
            }
            Next::Never | Next::Clock(_) => {
                let mut at = from;
                while at < ops.len() {
                    let size = group(&ops[at..]);
                    if self.reach(ops[at].tagged) {
                        return Some(at + self.pick.below(2) as usize % size);
                    }
                    at += size;
                }
                None
            }
        }
    }

    /// Skips clocks in which the core was halted.
    pub(crate) fn halted(&mut self, clocks: u64) {
        if let Next::Clock(clock) = &mut self.due {
            *clock = clock.saturating_add(clocks);
        }
    }

    /// Reaches clock `now`, at which a group is dispatched. Returns whether a sample is due.
    fn reach(&mut self, now: u64) -> bool {
        let Next::Clock(mut clock) = self.due else { return false };
        while clock.saturating_add(CLOCKS_TO_A_GROUP) < now {
            self.attempts.made += 1;
            *self.attempts.dropped.get_or_insert(0) += 1;
            clock += CLOCKS_TO_A_GROUP + self.period.next();
        }
        self.due = Next::Clock(clock);
        let is_due = clock <= now;
        self.attempts.made += u64::from(is_due);
        is_due
    }
}

/// The number of ops of the dispatch group that begins with the first of `ops`.
pub(crate) fn group(ops: &[OpRecord]) -> usize {
    match ops {
        [first, second, ..] if first.steps == 1 && !first.is_in_v() && second.is_in_v() => 2,
        _ => 1,
    }
}

#[derive(Clone, Debug)]
pub(crate) struct FetchCounter {
    period: Period,
    left: u64,
    pub(crate) attempts: Attempts,
}

impl FetchCounter {
    pub(crate) fn new(mean: u64, period: Period) -> FetchCounter {
        let mut counter = FetchCounter {
            period,
            left: 1,
            attempts: Attempts {
                period: mean,
                // There is always a next fetch to tag.
                dropped: Some(0),
                ..Attempts::default()
            },
        };
        counter.restart();
        counter
    }

    pub(crate) fn restart(&mut self) {
        self.left = self.period.next();
    }

    /// Sets the next sample to the fetch after `left` - 1 completed ones.
    pub(crate) fn arm(&mut self, left: u64) {
        self.left = left.max(1);
    }

    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The time at which a fetch is due.
    pub(crate) fn due(&self) -> Next {
        Next::Count(self.left)
    }

    /// Counts completed fetches that are not shown. None of them is due.
    pub(crate) fn pass(&mut self, fetches: u64) {
        self.left -= fetches;
    }

    /// Counts `fetches` from index `from` on. Returns the index of the tagged fetch, completed or not; the fetches
    /// after it have not been counted.
    pub(crate) fn count(&mut self, fetches: &[FetchRecord], from: usize) -> Option<usize> {
        for (number, fetch) in fetches.iter().enumerate().skip(from) {
            if self.left <= 1 {
                self.attempts.made += 1;
                return Some(number);
            }
            self.left -= u64::from(fetch.completed);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_record::Randomization;

    #[test]
    fn the_mean_distance_is_the_period() {
        for randomization in [Randomization::None, Randomization::Hardware, Randomization::Lfsr12] {
            for (mean, spread) in [
                (1, 16),
                (2, 16),
                (8, 16),
                (64, 128),
                (100, 128),
                (2048, 4096),
                (5000, 4096),
            ] {
                let mut period = Period::around(mean, spread, Random::new(randomization, 7, Stream::Ops));
                // One draw for each state of the shift register.
                let drawn: Vec<u64> = (0..65_535).map(|_| period.next()).collect();
                let (least, most) = (drawn.iter().min().copied(), drawn.iter().max().copied());
                assert!(least >= Some(1) && least >= Some(mean.saturating_sub(spread / 2)));
                assert!(most <= Some(mean + spread / 2));
                let off = drawn.iter().sum::<u64>() as f64 / 65_535.0 - mean as f64;
                // Four standard errors of uniformly distributed numbers.
                let error = 4.0 * spread as f64 / 12.0_f64.sqrt() / 256.0;
                assert!(
                    off.abs() <= error,
                    "{randomization:?}, {mean} and {spread}: off by {off}"
                );
            }
        }
    }

    #[test]
    fn what_is_left_of_a_count_is_at_most_the_period() {
        for (period, spread, shortest) in [(16, 128, 1), (32, 128, 1), (48, 128, 17), (1600, 128, 1473)] {
            let mut random = Random::uniform(3, Stream::Registers);
            let mut counted = Period::counted(period, spread, random.split());
            let drawn: Vec<u64> = (0..10_000).map(|_| counted.next()).collect();
            assert_eq!(
                (drawn.iter().min(), drawn.iter().max()),
                (Some(&shortest), Some(&period))
            );
            let mut another = Period::counted(period, spread, random.split());
            assert!(
                drawn.iter().any(|&one| one != another.next()),
                "two restarts replay no numbers"
            );
            let mut fixed = Period::counted(period, spread, Random::None);
            assert_eq!([fixed.next(), fixed.next()], [period; 2]);
        }
    }
}
