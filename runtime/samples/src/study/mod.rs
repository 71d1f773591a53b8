//! The quality of sampling, against the exact figures of the same run: the error by the number of samples, the bias of
//! a period that is a multiple of a loop's length, the cure of it by random distances, and the difference between
//! samples by clocks and executions.
//!
//! Shares are of ops, 0 to 1. Nothing here runs anything: a [`Plan`] lists the samplers, and a [`Study`] is computed
//! from their samples.

mod chance;
mod compute;

pub use chance::{ChiSquare, chi_square};

pub use p5_record::study::{Census, Counted, Probe, Taken};
use p5_record::{CountMode, Grouping, Randomization};
use p5_results::Cause;

/// The most samplers that are compared in one curve: seeds times periods.
pub const MOST_SAMPLERS: u64 = 1000;
/// The fewest samples per sampler, on average, from which its error can be judged.
pub const FEWEST: u64 = 16;
/// The least share of visits to a loop that must be equally far apart: three in four.
const STEADY: (u64, u64) = (3, 4);
/// The least period in the comparison of distances: half of the widest spread.
const LEAST_PERIOD: u64 = 1 << 11;
/// The usual curve: its number of periods, the first of them, and the most samples of one sampler.
const USUAL_PERIODS: usize = 8;
const USUAL_FIRST: u64 = 64;
const USUAL_MOST: u64 = 1 << 18;
/// The most periods that the comparison of distances takes from a list.
const MOST_COMPARED: usize = 16;

/// The parameters of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The groups whose shares are studied.
    pub by: Grouping,
    /// The first seed and the number of seeds.
    pub seeds: (u64, u32),
    /// The unit that the samplers of the curve count.
    pub mode: CountMode,
    /// The variation of the distance between samples of the curve.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Curve(usize),
    Compared(usize, Randomization),
    Clocks,
}

/// The results of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// The parameters of the study.
    pub plan: Plan,
    /// The number of ops in the run.
    pub ops: u64,
    /// The groups, each by the address of its first executed instruction, ascending.
    pub groups: Vec<u32>,
    /// The curve: a row for each period, in the plan's order.
    pub errors: Vec<ErrorRow>,
    /// The comparison: for each period, a row for each kind of distance that it allows.
    pub biases: Vec<BiasRow>,
    /// The shares by clocks: a row for each group, the most over-represented first.
    pub waits: Vec<WaitRow>,
    /// The number of samples by clocks, and of attempts that found nothing to take.
    pub by_clocks: (u64, u64),
}

/// The error of shares at one period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRow {
    /// Ops or clocks from one sample to the next, on average.
    pub period: u64,
    /// The mean number of samples of a seed.
    pub samples: f64,
    /// The root of the mean squared error over all groups and seeds, as a share.
    pub root_mean_square: f64,
    /// The expected root if ops are chosen by chance: it falls with the square root of the number of samples.
    pub expected: f64,
    /// The largest error of any group and seed, as a share.
    pub largest: f64,
}

/// The evenness with which ops are sampled at one period.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BiasRow {
    /// Ops from one sample to the next, on average.
    pub period: u64,
    /// The remainder of the period after whole rounds of the loop, in ops; none without a loop.
    pub left: Option<u64>,
    /// The variation of the distance between samples.
    pub randomization: Randomization,
    /// Samples of all seeds. Without random distances, one seed is as good as all.
    pub samples: u64,
    /// The instruction that was taken most often.
    pub most: u32,
    /// Its share of the samples.
    pub share: f64,
    /// Its share of the ops.
    pub exact: f64,
    /// The test of whether ops are chosen by chance; none if there is only one instruction to tell apart.
    pub test: Option<ChiSquare>,
}

/// The over-representation of a group by samples by clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaitRow {
    /// The address of the group's first instruction.
    pub group: u32,
    /// Its share of ops.
    pub executed: f64,
    /// Its share of samples by clocks, of all seeds.
    pub sampled: f64,
    /// The share of the run's clocks at which such a sampler takes it: the value that `sampled` estimates.
    pub clocks: f64,
    /// The mean number of clocks that one of its ops waits to enter the pipeline, beyond one after the group before.
    pub waited: f64,
    /// The reason for the wait, if the group is over-represented or waits more than a clock, and the reason is known.
    pub why: Option<Why>,
}

/// The reason for a wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Why {
    /// The instruction that causes it, by its linear address.
    pub address: u32,
    /// The cause of most of its lost clocks.
    pub cause: Cause,
    /// The lost clocks per execution, on average.
    pub clocks: f64,
}

/// The reason why there is no plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoPlan {
    /// No op was executed.
    NoOps,
    /// There are too many seeds times periods.
    TooMany(u64),
    /// With this period, which may be the usual one, a sampler takes fewer samples than [`FEWEST`].
    TooFew {
        /// The period of the sampler, in ops or clocks.
        period: u64,
        /// The number of samples at this period.
        samples: u64,
    },
}

impl Plan {
    /// A plan for a run with `census`. Without `periods`, some are chosen that fit the run.
    ///
    /// # Errors
    /// The reason why the run cannot be studied like this.
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

    /// The samplers that the study needs.
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

/// The number of distinct distances between two ops.
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
    // With three in four equal, the equal ones exceed the others by half of all.
    let (part, whole) = STEADY;
    (most.visits > whole && most.steady * whole >= (most.visits - 1) * (2 * part - whole)).then_some(most.distance)
}
