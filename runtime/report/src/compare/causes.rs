//! The causes of clocks that changed from one run to another.

use super::saved::SavedLine;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The clocks of a function or a line in one run.
#[derive(Clone, Default)]
pub(super) struct Spent {
    pub(super) clocks: u64,
    /// By cause.
    pub(super) causes: BTreeMap<String, u64>,
    /// Whether its source is not among the texts of the report.
    pub(super) of_library: bool,
}

impl Spent {
    pub(super) fn of(line: &SavedLine) -> Spent {
        Spent {
            clocks: line.cycles,
            causes: line.reasons.clone(),
            of_library: line.is_of_library(),
        }
    }

    /// The sum of both.
    pub(super) fn with(mut self, other: &Spent) -> Spent {
        self.clocks = self.clocks.saturating_add(other.clocks);
        for (cause, clocks) in &other.causes {
            let sum = self.causes.entry(cause.clone()).or_default();
            *sum = sum.saturating_add(*clocks);
        }
        self
    }
}

/// A cause with its clocks in both runs.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ChangedCause {
    /// The cause, as the report of a run names it.
    pub(super) cause: String,
    /// Its clocks in the older run.
    pub(super) old: u64,
    /// Its clocks in the newer run.
    pub(super) new: u64,
}

impl ChangedCause {
    fn weight(&self) -> u64 {
        self.old.abs_diff(self.new)
    }

    /// As in `agi -12`.
    fn words(&self) -> String {
        let sign = if self.new > self.old { '+' } else { '-' };
        format!("{} {sign}{}", self.cause, self.weight())
    }
}

/// The causes of which one run has more, the largest difference first; none if one of the runs tells none.
pub(super) fn changed_causes(old: Option<&Spent>, new: Option<&Spent>) -> Vec<ChangedCause> {
    let untold = |one: Option<&Spent>| one.is_some_and(|one| one.clocks > 0 && one.causes.is_empty());
    if untold(old) || untold(new) {
        return Vec::new();
    }
    let mut found: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for (side, one) in [old, new].into_iter().enumerate() {
        for (cause, clocks) in one.into_iter().flat_map(|one| &one.causes) {
            found.entry(cause).or_default()[side] = *clocks;
        }
    }
    let mut changed: Vec<ChangedCause> = found
        .into_iter()
        .map(|(cause, [old, new])| ChangedCause {
            cause: cause.to_owned(),
            old,
            new,
        })
        .filter(|one| one.old != one.new)
        .collect();
    changed.sort_by_key(|one| Reverse(one.weight()));
    changed
}

/// As many of these causes, the first ones, as fit into `width` columns.
pub(super) fn in_words(causes: &[ChangedCause], width: usize) -> String {
    const MORE: &str = ", ...";
    let mut words = String::new();
    for (at, one) in causes.iter().enumerate() {
        let next = one.words();
        let between = if at == 0 { 0 } else { 2 };
        let behind = if at + 1 < causes.len() { MORE.len() } else { 0 };
        if at > 0 && words.len() + between + next.len() + behind > width {
            return words + MORE;
        }
        if at > 0 {
            words += ", ";
        }
        words += &next;
    }
    words
}
