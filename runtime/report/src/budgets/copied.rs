//! Budgets on lines that a compiler may have copied, as where it unrolls a loop: how often such a line was executed is
//! known only between two limits.

use super::{Part, Unjudged, Value, holds, order, related};
use p5_results::{Budget, Relation, Run, Scope};

impl Part<'_> {
    /// The figure of a budget. Of a line that the compiler may have copied, so that its executions are known only
    /// between two limits, it is that of the fewest, and there is none if the budget would hold with only one of them.
    pub(super) fn judged(&self, run: &Run, budget: &Budget) -> Result<Value, Unjudged> {
        let (amount, per) = self.figure(run, budget, self.times)?;
        if let Some(most) = self.most_times(budget) {
            let (same, per_most) = self.figure(run, budget, Ok(most))?;
            let orders = [order(budget, amount, per), order(budget, same, per_most)];
            let [one, other] = orders.map(|order| related(budget.relation, order));
            // Between a figure above the limit and one below it there is one that is the limit.
            if one != other || budget.relation == Relation::Exactly && orders[0] != orders[1] {
                return Err(Unjudged::Copied);
            }
        }
        Ok(Value {
            amount: amount.into(),
            per,
            holds: holds(budget, amount, per),
        })
    }

    fn most_times(&self, budget: &Budget) -> Option<u64> {
        let of_line = matches!(budget.scope, Scope::Statement(_));
        // Where a few executions decide, all beginnings count.
        let most = self.sum.begun_times.max(self.sum.most_times);
        most.filter(|_| of_line && self.times.is_ok())
    }

    /// What is said of a line that the compiler may have copied.
    pub(super) fn copied(&self, budget: &Budget) -> Option<String> {
        let (most, times) = self.most_times(budget).zip(self.times.ok())?;
        Some(format!(
            "the compiler may have copied the line, which was executed {times} to {most} times"
        ))
    }
}
