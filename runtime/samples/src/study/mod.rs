//! How good sampling is, against what is exactly true of the same run: the error by the number of samples, the bias of
//! a period that a loop's length divides, what random distances cure of it, and what samples by clocks show instead of
//! executions.
//!
//! Shares are of ops, 0 to 1. Nothing here runs anything: a [`Plan`] says which samplers are needed, and a [`Study`] is
//! computed from what they took.

mod chance;
mod compute;

pub use chance::{ChiSquare, chi_square};

pub use p5_record::study::{Census, Counted, Probe, Taken};
use p5_record::{CountMode, Grouping, Randomization};
use p5_results::Cause;

/// The most samplers that are compared in one curve: seeds times periods.
pub const MOST_SAMPLERS: u64 = 1000;
/// The fewest samples of a sampler on average that say anything about its error.
pub const FEWEST: u64 = 16;
/// The share of visits to a loop that must be equally far apart, at least: three in four.
const STEADY: (u64, u64) = (3, 4);
/// The least period of the comparison of distances: half of what the widest of them spreads over.
const LEAST_PERIOD: u64 = 1 << 11;
/// How many periods the usual curve has, from which on, and what one sampler of it takes at most.
const USUAL_PERIODS: usize = 8;
const USUAL_FIRST: u64 = 64;
const USUAL_MOST: u64 = 1 << 18;
/// The most periods that the comparison of distances takes from a list.
const MOST_COMPARED: usize = 16;

/// What is to be studied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// What shares are of.
    pub by: Grouping,
    /// The seeds: the first one, and how many.
    pub seeds: (u64, u32),
    /// How ops are found and how the distance varies, for the curve.
    pub mode: CountMode,
    /// See `mode`.
    pub randomization: Randomization,
    /// The periods of the curve, ascending.
    pub periods: Vec<u64>,
    /// The length of the innermost loop that most ops belong to, in ops, if it is steady.
    pub round: Option<u64>,
    /// The periods at which kinds of distance are compared, ascending.
    pub compared: Vec<u64>,
    /// The period of samples by clocks.
    pub clocks: u64,
}

/// The sampler's part in a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Curve(usize),
    Compared(usize, Randomization),
    Clocks,
}

/// A study.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// What was studied.
    pub plan: Plan,
    /// The ops of the run.
    pub ops: u64,
    /// The groups that shares are of, each by the address of its first instruction that was executed, ascending.
    pub groups: Vec<u32>,
    /// The curve: a row for each period, in the plan's order.
    pub errors: Vec<ErrorRow>,
    /// The comparison: for each period, a row for each kind of distance that it allows.
    pub biases: Vec<BiasRow>,
    /// What samples by clocks show: a row for each group, those most over-represented first.
    pub waits: Vec<WaitRow>,
    /// How many samples by clocks there are, and how many attempts found nothing to take.
    pub by_clocks: (u64, u64),
}

/// The error of shares at one period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRow {
    /// The period.
    pub period: u64,
    /// The samples of a seed, on average.
    pub samples: f64,
    /// The root of the mean square of the errors of all groups and seeds, as a share.
    pub root_mean_square: f64,
    /// What it is expected to be if each sample is an op chosen by chance: it falls with the root of their number.
    pub expected: f64,
    /// The largest error of any group and seed, as a share.
    pub largest: f64,
}

/// How evenly ops are taken at one period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BiasRow {
    /// The period.
    pub period: u64,
    /// What is left of it behind whole rounds of the loop, in ops, if there is one.
    pub left: Option<u64>,
    /// How the distance varies.
    pub randomization: Randomization,
    /// Samples of all seeds. Without random distances, one seed is as good as all.
    pub samples: u64,
    /// The instruction that was taken most often.
    pub most: u32,
    /// Its share of the samples.
    pub share: f64,
    /// Its share of the ops.
    pub exact: f64,
    /// The test that samples are ops chosen by chance; none if there is only one instruction to tell apart.
    pub test: Option<ChiSquare>,
}

/// How samples by clocks over-represent a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaitRow {
    /// The address of the group's first instruction.
    pub group: u32,
    /// Its share of ops.
    pub executed: f64,
    /// Its share of samples by clocks, of all seeds.
    pub sampled: f64,
    /// The share of the run's clocks at which such a sampler takes it: what `sampled` is an estimate of.
    pub clocks: f64,
    /// The clocks that one of its ops waits to enter the pipeline, on average, more than one behind the group before.
    pub waited: f64,
    /// What it waits for, if it is over-represented and that is known.
    pub why: Option<Why>,
}

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Why {
    /// The instruction that causes it, by its linear address.
    pub address: u32,
    /// What it loses most clocks to.
    pub cause: Cause,
    /// How many an execution, on average.
    pub clocks: f64,
}

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// No op was executed.
    NoOps,
    /// There are too many seeds times periods.
    TooMany(u64),
    /// With this period, which may be the usual one, a sampler takes fewer samples than [`FEWEST`].
    TooFew {
        /// The period.
        period: u64,
        /// How many samples that are.
        samples: u64,
    },
}

impl Plan {
    /// A plan for a run with `census`. Without `periods`, some are chosen that fit the run.
    ///
    /// # Errors
    /// Why the run cannot be studied like this.
    pub fn new(
        census: &Census,
        by: Grouping,
        seeds: (u64, u32),
        (mode, randomization): (CountMode, Randomization),
        periods: &[u64],
    ) -> Result<Plan, NoPlan> {
        if census.ops == 0 || census.rows.is_empty() {
            return Err(NoPlan::NoOps);
        }
        let mut periods = periods.to_vec();
        let given = !periods.is_empty();
        if !given {
            let least = spread(randomization) / 2;
            let mut first = USUAL_FIRST.max(least);
            while census.ops / first > USUAL_MOST {
                first *= 2;
            }
            periods = (0..USUAL_PERIODS).map(|number| first << number).collect();
            periods.retain(|&period| period == first || census.ops / period >= FEWEST);
        }
        periods.sort_unstable();
        periods.dedup();
        let samplers = periods.len() as u64 * u64::from(seeds.1);
        if samplers > MOST_SAMPLERS {
            return Err(NoPlan::TooMany(samplers));
        }
        let longest = periods.last().copied().unwrap_or(1);
        if mode == CountMode::Dispatch && census.ops / longest < FEWEST {
            return Err(NoPlan::TooFew {
                period: longest,
                samples: census.ops / longest,
            });
        }
        let round = round(census);
        let compared = match round {
            Some(round) if !given => {
                let whole = LEAST_PERIOD.div_ceil(round) * round;
                let around = [whole.saturating_sub(1), whole, whole + 1, whole + round / 2, 2 * whole];
                around.to_vec()
            }
            _ => periods.clone(),
        };
        let mut compared: Vec<u64> = compared
            .into_iter()
            .filter(|&period| census.ops / period >= 1)
            .collect();
        compared.sort_unstable();
        compared.dedup();
        compared.truncate(MOST_COMPARED);
        Ok(Plan {
            by,
            seeds,
            mode,
            randomization,
            clocks: periods[0].max(USUAL_FIRST),
            periods,
            round,
            compared,
        })
    }

    /// The samplers that are needed.
    pub fn probes(&self) -> Vec<Probe> {
        self.parts().into_iter().map(|(_, probe)| probe).collect()
    }

    fn parts(&self) -> Vec<(Part, Probe)> {
        let seeds = || (0..u64::from(self.seeds.1)).map(|number| self.seeds.0.wrapping_add(number));
        let mut parts = Vec::new();
        for (row, &period) in self.periods.iter().enumerate() {
            parts.extend(seeds().map(|seed| {
                let (mode, randomization) = (self.mode, self.randomization);
                (
                    Part::Curve(row),
                    Probe {
                        mode,
                        randomization,
                        period,
                        seed,
                    },
                )
            }));
        }
        let mode = CountMode::Dispatch;
        for (row, &period) in self.compared.iter().enumerate() {
            for randomization in Randomization::ALL {
                if period < spread(randomization) / 2 {
                    continue;
                }
                let seeds = seeds().take(match randomization {
                    Randomization::None => 1,
                    _ => usize::MAX,
                });
                parts.extend(seeds.map(|seed| {
                    let part = Part::Compared(row, randomization);
                    (
                        part,
                        Probe {
                            mode,
                            randomization,
                            period,
                            seed,
                        },
                    )
                }));
            }
        }
        parts.extend(seeds().map(|seed| {
            let probe = Probe {
                mode: CountMode::Cycles,
                randomization: Randomization::Hardware,
                period: self.clocks,
                seed,
            };
            (Part::Clocks, probe)
        }));
        parts
    }
}

/// How many values the distance between two ops takes.
fn spread(randomization: Randomization) -> u64 {
    match randomization {
        Randomization::None => 1,
        Randomization::Hardware => 1 << 7,
        Randomization::Lfsr12 => 1 << 12,
    }
}

/// The length in ops of the loop around the instruction that is executed most often, if it is steady.
fn round(census: &Census) -> Option<u64> {
    let most = census
        .rows
        .iter()
        .max_by_key(|row| (row.visits, std::cmp::Reverse(row.address)))?;
    // Of three in four, half as many more are equal than are not.
    let (part, whole) = STEADY;
    (most.visits > whole && most.steady * whole >= (most.visits - 1) * (2 * part - whole)).then_some(most.distance)
}
