//! The causes of clocks that changed from one run to another.

use super::long::Long;
use super::saved_lines::SavedLine;
use p5_results::Cause;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The most instructions that are named for the clocks of instructions of several clocks.
const NAMED: usize = 3;
/// The causes that are told have at least one clock for this many of the largest one.
const LEAST: u64 = 100;

/// The clocks of a function or a line in one run.
#[derive(Clone, Default)]
pub(super) struct Spent {
    pub(super) clocks: u64,
    /// By cause.
    pub(super) causes: BTreeMap<String, u64>,
    /// Those of instructions of several clocks, by mnemonic; none if they are not known.
    pub(super) long: Long,
    /// Whether its source is not among the texts of the report.
    pub(super) of_library: bool,
}

impl Spent {
    pub(super) fn of(line: &SavedLine, long: Long) -> Spent {
        Spent {
            clocks: line.cycles,
            causes: line.reasons.clone(),
            long,
            of_library: line.is_of_library(),
        }
    }

    /// The sum of both.
    pub(super) fn with(mut self, other: &Spent) -> Spent {
        self.clocks = self.clocks.saturating_add(other.clocks);
        let add = |sums: &mut BTreeMap<String, u64>, more: &BTreeMap<String, u64>| {
            for (name, clocks) in more {
                let sum = sums.entry(name.clone()).or_default();
                *sum = sum.saturating_add(*clocks);
            }
        };
        add(&mut self.causes, &other.causes);
        add(&mut self.long, &other.long);
        self
    }

    /// Whether it is known which instructions take the clocks of instructions of several clocks.
    fn knows_long(&self) -> bool {
        let sum = self.long.values().fold(0_u64, |sum, one| sum.saturating_add(*one));
        sum == self.causes.get(Cause::Execution.name()).copied().unwrap_or(0)
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
    /// The instructions of several clocks of which one run has more, if the cause is `execution`, the largest
    /// difference first; absent for others, and if they are not known.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) instructions: Vec<ChangedInstruction>,
}

/// Instructions of one mnemonic with their clocks beyond the first in both runs.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ChangedInstruction {
    /// The mnemonic.
    name: String,
    /// Their clocks in the older run.
    old: u64,
    /// Their clocks in the newer run.
    new: u64,
}

/// A difference with its sign, as in `-12`.
fn signed(old: u64, new: u64) -> String {
    let sign = if new > old { '+' } else { '-' };
    format!("{sign}{}", old.abs_diff(new))
}

impl ChangedCause {
    fn weight(&self) -> u64 {
        self.old.abs_diff(self.new)
    }

    /// As in `agi -12`. The name `execution` says less than the instructions that it is of.
    fn words(&self) -> String {
        let change = signed(self.old, self.new);
        if self.cause != Cause::Execution.name() {
            return format!("{} {change}", self.cause);
        }
        let words = |one: &ChangedInstruction| format!("{} {}", one.name, signed(one.old, one.new));
        match &self.instructions[..] {
            [] => format!("instructions of several clocks {change}"),
            [only] => format!("`{}` itself {change}", only.name),
            all => {
                let mut named: Vec<String> = all.iter().take(NAMED).map(words).collect();
                named.extend((all.len() > NAMED).then(|| "others".to_owned()));
                format!("instructions of several clocks {change} ({})", named.join(", "))
            }
        }
    }
}

/// The causes of which one run has more, the largest difference first; none if one of the runs tells none.
pub(super) fn changed_causes(old: Option<&Spent>, new: Option<&Spent>) -> Vec<ChangedCause> {
    let untold = |one: Option<&Spent>| one.is_some_and(|one| one.clocks > 0 && one.causes.is_empty());
    if untold(old) || untold(new) {
        return Vec::new();
    }
    let both = differing([old, new].map(|one| one.map(|one| &one.causes)));
    let causes = both.into_iter().map(|(cause, [old_clocks, new_clocks])| ChangedCause {
        instructions: match cause == Cause::Execution.name() {
            true => instructions(old, new),
            false => Vec::new(),
        },
        cause,
        old: old_clocks,
        new: new_clocks,
    });
    causes.collect()
}

/// The instructions of several clocks of which one run has more; none if those of a run are not known.
fn instructions(old: Option<&Spent>, new: Option<&Spent>) -> Vec<ChangedInstruction> {
    let sides = [old, new];
    if sides.iter().flatten().any(|one| !one.knows_long()) {
        return Vec::new();
    }
    let both = differing(sides.map(|one| one.map(|one| &one.long)));
    let named = both
        .into_iter()
        .map(|(name, [old, new])| ChangedInstruction { name, old, new });
    named.collect()
}

/// What has other clocks in one of two tallies, the largest difference first.
fn differing(tallies: [Option<&BTreeMap<String, u64>>; 2]) -> Vec<(String, [u64; 2])> {
    let mut found: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for (side, one) in tallies.into_iter().enumerate() {
        for (name, clocks) in one.into_iter().flatten() {
            found.entry(name).or_default()[side] = *clocks;
        }
    }
    let changed = found.into_iter().filter(|(_, [old, new])| old != new);
    let mut changed: Vec<(String, [u64; 2])> = changed.map(|(name, both)| (name.to_owned(), both)).collect();
    changed.sort_by_key(|(_, [old, new])| Reverse(old.abs_diff(*new)));
    changed
}

/// These causes in words: those first that changed as the clocks did, which became more or fewer, each by its size.
pub(super) fn in_words(causes: &[ChangedCause], more: bool) -> String {
    let mut causes: Vec<&ChangedCause> = causes.iter().collect();
    let most = causes.iter().map(|one| one.weight()).max().unwrap_or(0);
    causes.retain(|one| one.weight().saturating_mul(LEAST) >= most);
    causes.sort_by_key(|one| ((one.new > one.old) != more, Reverse(one.weight())));
    let words: Vec<String> = causes.into_iter().map(ChangedCause::words).collect();
    words.join(", ")
}
