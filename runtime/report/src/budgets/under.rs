//! Budgets under other answers to open questions: which of them hold only under the usual answers.
//!
//! Only clocks are known of a run under other answers: those of regions, and those of lines. What was executed is the
//! same, so that a budget of lines changes by what its lines take more or less.

use super::super::sure;
use super::{Judged, Value, holds};
use p5_results::{Answered, Budget, Quantity, RegionResult, Run, Scope, Variant};
use std::cell::OnceCell;

/// A figure under other answers, which does not keep the limit.
#[derive(Clone, Copy)]
pub(crate) struct Under<'a> {
    variant: &'a Variant,
    value: Value,
}

/// The figures of a run beside those under other answers.
pub(super) struct Others<'a> {
    run: &'a Run,
    own: OnceCell<Answered>,
}

impl<'a> Others<'a> {
    pub(super) fn of(run: &'a Run) -> Others<'a> {
        let own = OnceCell::new();
        Others { run, own }
    }

    /// The answers under which a budget does not hold that has this figure, the fewest that were tried together.
    pub(super) fn fails(&self, budget: &Budget, region: Option<&RegionResult>, value: Value) -> Option<Under<'a>> {
        let variants = self.run.answers.variants.iter();
        let failing = variants.filter(|_| value.holds).filter_map(|variant| {
            let amount = self.amount(budget, region, value, variant.figures.as_ref().ok()?)?;
            let value = Value {
                amount: amount.into(),
                holds: holds(budget, amount, value.per),
                ..value
            };
            (!value.holds).then_some(Under { variant, value })
        });
        failing.min_by_key(|under| under.variant.choices.len())
    }

    /// The amount in place of that of `value` in a run that had the figures `other`.
    fn amount(&self, budget: &Budget, region: Option<&RegionResult>, value: Value, other: &Answered) -> Option<u64> {
        if let (Some(region), Quantity::Cycles) = (region, budget.quantity) {
            let index = self.run.regions.iter().position(|one| std::ptr::eq(one, region))?;
            let figures = if budget.cold {
                &other.cold_regions
            } else {
                &other.regions
            };
            return *figures.get(index)?;
        }
        if !matches!(budget.quantity, Quantity::Cycles | Quantity::ClocksPerInstruction) {
            return None;
        }
        let (first, last) = match (&budget.scope, region) {
            (Scope::Label { lines, .. }, _) => *lines,
            (Scope::Region(line), Some(region)) => (*line, region.end_line),
            (Scope::Line(line) | Scope::Statement(line), _) => (*line, *line),
            (Scope::Region(_) | Scope::Function { .. }, _) => return None,
        };
        let clocks = |figures: &Answered| -> i128 {
            let inside = figures
                .lines
                .iter()
                .filter(|(place, _)| place.0 == Some(budget.file) && (first..=last).contains(&place.1));
            inside.map(|(_, &clocks)| i128::from(clocks)).sum()
        };
        let own = self.own.get_or_init(|| sure::answered(self.run));
        u64::try_from(value.amount - clocks(own) + clocks(other)).ok()
    }
}

impl Judged<'_> {
    /// The answers under which a budget that holds does not, with the figure, in words.
    pub(crate) fn fails_under(&self) -> Option<String> {
        let under = self.under.as_ref()?;
        let figure = self.figure_of(under.value)?;
        Some(format!("it fails under {}: {figure}", sure::choices(under.variant)))
    }
}
