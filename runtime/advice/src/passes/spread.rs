//! The variation of an instruction's cost from path to path: the standard error of its mean.
//!
//! The executions of one path are not independent: where one waits for a buffer, the later ones do as well. Therefore
//! each path counts as one draw, of as many ops as it has. Not modelled: an error that is the same in every path.

use super::Charged;
use p5_results::Cause;

/// Sums over the paths that execute an instruction: squares of its ops, squares of its clocks by cause, and their
/// products.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread {
    ops: u64,
    // By cause; empty before the first path.
    clocks: Vec<Products>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Products {
    squares: u64,
    with_ops: u64,
    with_misses: u64,
}

impl Spread {
    pub(super) fn add(&mut self, ops: u64, clocks: &[u64; Cause::ALL.len()]) {
        if ops == 0 {
            return;
        }
        self.ops = self.ops.saturating_add(ops.saturating_mul(ops));
        self.clocks.resize(clocks.len(), Products::default());
        let missed = clocks[Cause::DataReadMiss as usize];
        for (sum, &clocks) in self.clocks.iter_mut().zip(clocks) {
            sum.squares = sum.squares.saturating_add(clocks.saturating_mul(clocks));
            sum.with_ops = sum.with_ops.saturating_add(clocks.saturating_mul(ops));
            sum.with_misses = sum.with_misses.saturating_add(clocks.saturating_mul(missed));
        }
    }
}

impl Charged {
    /// The standard error of the clocks per op that have this cause, averaged over the paths.
    pub fn error(&self, cause: Cause) -> f64 {
        let sum = self.with(cause, |sums| sums.squares, cause);
        if self.ops > 0 {
            sum.max(0.0).sqrt() / self.ops as f64
        } else {
            0.0
        }
    }

    /// The regression over the paths of an op's clocks for a cause on its clocks for read misses: additional clocks per
    /// clock; at least 0.
    pub fn for_each_missed(&self, cause: Cause) -> f64 {
        let missed = Cause::DataReadMiss;
        let square = self.with(missed, |sums| sums.squares, missed);
        let product = self.with(cause, |sums| sums.with_misses, missed);
        if square > 0.0 { (product / square).max(0.0) } else { 0.0 }
    }

    /// The sum over the paths of the products of two deviations from the mean of all paths: those of the clocks for
    /// `cause` and for `another`.
    fn with(&self, cause: Cause, product: impl Fn(&Products) -> u64, another: Cause) -> f64 {
        let sums = &self.spread.clocks;
        let Some((one, other)) = sums.get(cause as usize).zip(sums.get(another as usize)) else {
            return 0.0;
        };
        let mean = |cause: Cause| self.causes[cause as usize] as f64 / self.ops.max(1) as f64;
        let (mean, of_other) = (mean(cause), mean(another));
        product(one) as f64 - mean * other.with_ops as f64 - of_other * one.with_ops as f64
            + mean * of_other * self.spread.ops as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Eight paths of ten ops. Each op takes 3 clocks for one cause. For another it takes 2 in half of the paths and 4
    /// in the others: eight draws that are 1 off the mean, so the mean is off by the square root of an eighth. Misses
    /// take half as long as that.
    #[test]
    fn what_is_the_same_in_every_path_has_no_error() {
        let mut charged = Charged::default();
        for path in 0..8 {
            let mut clocks = [0; Cause::ALL.len()];
            clocks[Cause::Misaligned as usize] = 30;
            clocks[Cause::WriteOrder as usize] = if path % 2 == 0 { 20 } else { 40 };
            clocks[Cause::DataReadMiss as usize] = if path % 2 == 0 { 10 } else { 20 };
            charged.ops += 10;
            charged.spread.add(10, &clocks);
            for (sum, clocks) in charged.causes.iter_mut().zip(clocks) {
                *sum += clocks;
            }
        }
        assert_eq!(charged.error(Cause::Misaligned), 0.0);
        assert!((charged.error(Cause::WriteOrder) - 0.125f64.sqrt()).abs() < 1e-9);
        assert_eq!(charged.error(Cause::Agi), 0.0);
        assert!((charged.for_each_missed(Cause::WriteOrder) - 2.0).abs() < 1e-9);
        assert_eq!(charged.for_each_missed(Cause::Misaligned), 0.0);
    }
}
