//! Budgets on lines that a compiler has copied, as where it unrolls a loop: how often such a line was executed is known
//! only between two limits.

use super::{Part, Unjudged, Value, holds};
use p5_results::{Budget, Run, Scope};

impl Part<'_> {
    /// The figure of a budget. Of a line that the compiler has copied, so that its executions are known only between
    /// two limits, it is the one with which the budget holds, if there is one.
    pub(super) fn judged(&self, run: &Run, budget: &Budget) -> Result<Value, Unjudged> {
        let of = |times| {
            self.figure(run, budget, times).map(|(amount, per)| Value {
                amount: amount.into(),
                per,
                holds: holds(budget, amount, per),
            })
        };
        let plain = of(self.times);
        match self.most_times(budget) {
            Some(most) if plain.is_ok_and(|value| !value.holds) => match of(Ok(most)) {
                Ok(value) if value.holds => Ok(value),
                _ => plain,
            },
            _ => plain,
        }
    }

    fn most_times(&self, budget: &Budget) -> Option<u64> {
        let of_line = matches!(budget.scope, Scope::Statement(_));
        self.sum.most_times.filter(|_| of_line && self.times.is_ok())
    }

    /// What is said of a line that the compiler has copied.
    pub(super) fn copied(&self, budget: &Budget) -> Option<String> {
        let (most, times) = self.most_times(budget).zip(self.times.ok())?;
        Some(format!(
            "the compiler has copied the line, which was executed {times} to {most} times"
        ))
    }
}
