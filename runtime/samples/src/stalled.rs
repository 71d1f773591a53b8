//! The estimated stalls of one instruction, and their reliability.

use super::Confidence;
use super::blames::{Blame, UNEXPLAINED};
use super::estimate::Sum;
use p5_record::TrueInstruction;
use p5_results::Cause;

/// Clocks that samples stand for. Samples of fetches and of ops may stand for different numbers of them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clocks {
    /// The number of samples that contribute.
    pub samples: u64,
    /// The estimated clocks.
    pub clocks: f64,
    /// The sum of the squared contributions: the square of the standard error, if chance chose the samples.
    pub squares: f64,
    /// The square of the standard error of the inferred part, which more samples do not reduce.
    pub inferred: f64,
    /// The error that the inferred part of every instruction has in the same direction: in a sum it adds up.
    pub common: f64,
}

impl Clocks {
    /// The clocks of samples that contribute `each` of them.
    pub(super) fn of(samples: u64, each: f64) -> Clocks {
        Clocks {
            samples,
            clocks: samples as f64 * each,
            squares: samples as f64 * each * each,
            ..Clocks::default()
        }
    }

    pub(super) fn add(&mut self, clocks: f64) {
        if clocks > 0.0 {
            self.merge(&Clocks::of(1, clocks));
        }
    }

    pub(super) fn merge(&mut self, other: &Clocks) {
        self.samples += other.samples;
        self.clocks += other.clocks;
        self.squares += other.squares;
        self.inferred += other.inferred;
        self.common += other.common;
    }

    /// The standard error.
    pub fn error(&self) -> f64 {
        (self.squares + self.beside_chance()).sqrt()
    }

    /// The square of the standard error that remains if every op is sampled.
    pub(super) fn beside_chance(&self) -> f64 {
        self.inferred + self.common.powi(2)
    }

    /// How many standard errors the estimate is above an exact figure, negative if below. If the samples show less than
    /// is true, the error is that of the exact figure; `least` is the clocks that a sample of one clock stands for.
    pub fn sigmas(&self, least: f64, exact: u64) -> Option<f64> {
        let mean_square = if self.clocks > 0.0 {
            self.squares / self.clocks
        } else {
            least
        };
        let error = (self.squares.max(exact as f64 * mean_square) + self.beside_chance()).sqrt();
        (error > 0.0).then(|| (self.clocks - exact as f64) / error)
    }

    /// The part of [`Clocks::squares`] that comes from differences among the `samples` ops. Clocks that are the same
    /// for each are only as wrong as the number of ops, as are all causes of an instruction at once.
    pub(super) fn varying(&self, samples: u64) -> f64 {
        (self.squares - self.clocks.powi(2) / samples.max(1) as f64).max(0.0)
    }
}

/// The standard errors of a difference within which its sign is uncertain.
const SIGMAS: f64 = 2.0;

/// The share by which an interlock may seem greater than the cause that hides it now and then.
const HIDDEN: f64 = 0.01;

/// The character between the letters of causes that cannot be told apart.
pub const ALIKE: char = '~';

/// The stalls of one instruction, or of a line of code without a sampled op.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StallRow {
    /// The linear address of the instruction, or of the line.
    pub address: u32,
    /// The samples of its ops; none for a line.
    pub samples: Sum,
    /// The stall clocks by cause, in the order of [`Blame::ALL`].
    pub causes: [Clocks; Blame::COUNT],
    /// The clocks of its ops beyond all known causes, if they are many.
    pub unexplained: Clocks,
    /// All stall clocks, with the squares that their error needs.
    pub stall: Clocks,
    /// Whether every op was sampled, so that the greatest cause does not depend on chance.
    pub census: bool,
    /// Whether every fetch was sampled.
    pub census_of_fetches: bool,
    /// The issue clocks of its ops beyond those at best, because they issue alone, as the code says; 0 without code. It
    /// is negative for a repeated instruction: few of its ops issue in a clock of their own.
    pub alone: Clocks,
    /// The exact figures, if they are known.
    pub exact: Option<ExactStalls>,
}

/// The cause of a stall; none if it is unexplained.
type Explanation = Option<Blame>;

/// The letter of a cause.
fn letter(cause: Explanation) -> char {
    cause.map_or(UNEXPLAINED, Blame::letter)
}

/// What is true of the clocks of an instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExactStalls {
    /// How often the instruction was executed.
    pub executions: u64,
    /// The ops of all executions.
    pub ops: u64,
    /// The clocks of all executions.
    pub clocks: u64,
    /// Clocks by cause, in the order of [`Blame::ALL`].
    pub causes: [u64; Blame::COUNT],
    /// Clocks of all other causes but issue.
    pub others: u64,
}

impl ExactStalls {
    /// The exact clocks, from the exact figures of an instruction.
    pub(super) fn of(instruction: &TrueInstruction) -> ExactStalls {
        let of = |causes: &[Cause]| {
            let own = instruction.causes.iter().filter(|(cause, _)| causes.contains(cause));
            own.map(|(_, clocks)| *clocks).sum::<u64>()
        };
        let causes = Blame::ALL.map(|blame| of(blame.causes()));
        let known = of(&[Cause::Issue]) + causes.iter().sum::<u64>();
        ExactStalls {
            executions: instruction.executions,
            ops: instruction.ops,
            clocks: instruction.clocks,
            causes,
            others: instruction.clocks.saturating_sub(known),
        }
    }

    /// The letter of its greatest cause of stalls; none without stalls.
    pub fn letter(&self) -> Option<char> {
        self.greatest().map(letter)
    }

    /// Its greatest cause of stalls; none without stalls.
    fn greatest(&self) -> Option<Explanation> {
        let (greatest, clocks) = greatest(&self.causes)?;
        match (clocks, self.others) {
            (0, 0) => None,
            (clocks, others) if others > clocks => Some(None),
            _ => Some(Some(Blame::ALL[greatest])),
        }
    }

    /// Stall clocks: all but those of issue.
    pub fn stall(&self) -> u64 {
        self.causes.iter().sum::<u64>() + self.others
    }
}

fn greatest(clocks: &[u64]) -> Option<(usize, u64)> {
    let numbered = clocks.iter().copied().enumerate();
    numbered.max_by_key(|&(index, clocks)| (clocks, std::cmp::Reverse(index)))
}

impl StallRow {
    /// Its clocks per op: those at best, where `width` ops issue in a clock, those in which it issues alone, and its
    /// stalls. A sample stands for `scale` ops.
    pub fn clocks_per_op(&self, width: u32, scale: f64) -> f64 {
        let ops = self.samples.estimate(scale);
        let beyond = self.stall.clocks + self.alone.clocks;
        1.0 / f64::from(width.max(1)) + if ops > 0.0 { beyond / ops } else { 0.0 }
    }

    /// Its stall clocks per op; a sample stands for `scale` ops.
    pub(super) fn stall_per_op(&self, scale: f64) -> f64 {
        let ops = self.samples.estimate(scale);
        if ops > 0.0 { self.stall.clocks / ops } else { 0.0 }
    }

    /// Subtracts `clocks` from a cause, or adds them if negative, in the same proportion from each sample.
    pub(super) fn reduce(&mut self, blame: Blame, clocks: f64) {
        for sum in [&mut self.causes[blame as usize], &mut self.stall] {
            if sum.clocks > 0.0 {
                let left = (1.0 - clocks / sum.clocks).max(0.0);
                sum.clocks *= left;
                sum.squares *= left * left;
            }
        }
    }

    /// Adds to a cause an error that more samples do not reduce.
    pub(super) fn add_error(&mut self, blame: Blame, error: f64) {
        for sum in [&mut self.causes[blame as usize], &mut self.stall] {
            sum.inferred += error.powi(2);
        }
    }

    /// The reliability of its stall and of the blamed cause: the lowest if most of the stall has no cause, or if its
    /// greatest cause cannot be told from another one.
    pub fn confidence(&self) -> Confidence {
        if 2.0 * self.unexplained.clocks > self.stall.clocks || self.is_undecided() {
            return Confidence::Low;
        }
        // Every op may have been sampled, but fetches are sampled separately.
        let of_fetches = [Blame::CodeMiss, Blame::CodeTlb].map(|blame| self.causes[blame as usize].clocks);
        let exact = self.census && (self.census_of_fetches || of_fetches == [0.0; 2]);
        let chance = if exact { 0.0 } else { self.stall.squares };
        let error = (chance + self.stall.beside_chance()).sqrt();
        Confidence::of(self.stall.samples, error / self.stall.clocks.max(f64::MIN_POSITIVE))
    }

    /// The letters of the causes of at least a tenth of its stalls each, the greatest first; [`UNEXPLAINED`] stands for
    /// no cause. [`ALIKE`] stands between the greatest and each that may truly be greater.
    ///
    /// An interlock that is no greater than the instruction's own clocks comes after them: something hides it now and
    /// then, and nothing hides them.
    pub fn letters(&self) -> String {
        let (greatest, others) = self.by_size();
        let mut letters: String = greatest
            .iter()
            .map(|&cause| format!("{}{ALIKE}", letter(cause)))
            .collect();
        letters.pop();
        letters.extend(others.into_iter().map(letter));
        letters
    }

    /// The greatest cause with those that cannot be told from it, and the others, the greatest first. Two cannot be
    /// told apart if they differ by no more than [`SIGMAS`] standard errors of their difference. What is inferred has
    /// an error even if every op was sampled. Code misses, whose clocks are an upper limit, may be less than any other.
    fn by_size(&self) -> (Vec<Explanation>, Vec<Explanation>) {
        let known = self.causes.iter().zip(Blame::ALL.map(Some));
        let mut causes: Vec<(&Clocks, Explanation)> = known.chain([(&self.unexplained, None)]).collect();
        causes.retain(|(sum, _)| sum.clocks > 0.0 && sum.clocks * 10.0 >= self.stall.clocks);
        causes.sort_by(|(one, _), (other, _)| other.clocks.total_cmp(&one.clocks));
        if let [(interlock, first), (slow, second), ..] = causes.as_slice()
            && (*first, *second) == (Some(Blame::Interlock), Some(Blame::Slow))
            && interlock.clocks <= slow.clocks * (1.0 + HIDDEN)
        {
            causes.swap(0, 1);
        }
        let Some(&(first, cause)) = causes.first() else {
            return Default::default();
        };
        let varying = |sum: &Clocks| match self.census {
            true => sum.beside_chance(),
            false => sum.varying(self.samples.samples) + sum.beside_chance(),
        };
        let alike = |&(sum, _): &(&Clocks, Explanation)| {
            let square = varying(first) + varying(sum);
            let apart = first.clocks - sum.clocks;
            let near = square > 0.0 && apart.powi(2) <= SIGMAS.powi(2) * square;
            std::ptr::eq(sum, first) || near || cause == Some(Blame::CodeMiss)
        };
        let (greatest, others): (Vec<_>, Vec<_>) = causes.into_iter().partition(alike);
        let names = |causes: Vec<(&Clocks, Explanation)>| causes.into_iter().map(|(_, cause)| cause).collect();
        (names(greatest), names(others))
    }

    /// Whether some cause cannot be told from the greatest.
    pub fn is_undecided(&self) -> bool {
        self.by_size().0.len() > 1
    }

    /// Whether the greatest cause is the true one; stalls without a cause belong to [`UNEXPLAINED`]. If
    /// [`StallRow::letters`] shows causes that cannot be told apart, any of them may be the true one. None if the truth
    /// is not known or there is truly no stall.
    pub fn right(&self) -> Option<bool> {
        let exact = self.exact.as_ref()?.greatest()?;
        let (greatest, _) = self.by_size();
        Some(match greatest.as_slice() {
            [] => exact.is_none(),
            greatest => greatest.contains(&exact),
        })
    }
}
