//! The causes of clocks that changed from one run to another.

use super::long::Long;
use super::saved_lines::SavedLine;
use super::waits::Shared;
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
    /// The interlocks whose clocks are counted with another line than the one that waits.
    pub(super) shared: Shared,
    /// Whether its source is not among the texts of the report.
    pub(super) of_library: bool,
}

impl Spent {
    pub(super) fn of(line: &SavedLine, long: Long, shared: Shared) -> Spent {
        Spent {
            clocks: line.cycles,
            causes: line.reasons.clone(),
            long,
            shared,
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
        add(&mut self.shared.of_others, &other.shared.of_others);
        add(&mut self.shared.with_others, &other.shared.with_others);
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
    /// The part of `agi` that is the wait of another line, by its instruction, which waits in V beside this line's
    /// in U: the clocks of a pair are counted with the instruction in U. Absent if it is the same in both runs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) of_others: Vec<ChangedInstruction>,
    /// The waits of this line in V that are counted with another one, by its instruction in U, and are no part of
    /// `old` and `new`; absent if they are the same in both runs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub(super) with_others: Vec<ChangedInstruction>,
    /// The text of the only line near by whose clocks of this cause changed by as many in the other direction: the
    /// wait has only changed its place. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) moved: Option<String>,
}

/// Instructions with their clocks in both runs, of those that take several the ones beyond the first.
#[derive(Clone, Debug, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct ChangedInstruction {
    /// The mnemonic; of a wait for an address the instruction.
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

impl ChangedInstruction {
    fn difference(&self) -> i128 {
        i128::from(self.new) - i128::from(self.old)
    }
}

impl ChangedCause {
    /// A cause of which no part belongs to another line.
    pub(super) fn plain(cause: String, [old, new]: [u64; 2]) -> ChangedCause {
        ChangedCause {
            cause,
            old,
            new,
            instructions: Vec::new(),
            of_others: Vec::new(),
            with_others: Vec::new(),
            moved: None,
        }
    }

    /// By how many clocks more or fewer the line itself waits, wherever they are counted.
    pub(super) fn own_difference(&self) -> i128 {
        let sum = |of: &[ChangedInstruction]| of.iter().map(ChangedInstruction::difference).sum::<i128>();
        i128::from(self.new) - i128::from(self.old) - sum(&self.of_others) + sum(&self.with_others)
    }

    /// An address interlock, its own clocks apart from those that are counted with another line than the one that
    /// waits.
    fn interlock_words(&self) -> String {
        let name = &self.cause;
        let own = self.own_difference();
        let mut words: Vec<String> = Vec::new();
        words.extend((own != 0).then(|| format!("{name} {own:+}{}", self.place_words())));
        words.extend(self.others_words());
        words.extend(self.with_others.iter().map(|one| match one.difference() {
            clocks if clocks > 0 => format!(
                "{name} -{clocks} (it waits beside `{}` now, which has the clocks)",
                one.name
            ),
            clocks => format!(
                "{name} +{} (it waited beside `{}`, which had the clocks)",
                -clocks, one.name
            ),
        }));
        words.join(", ")
    }

    /// The waits of other lines that are counted with this one.
    fn others_words(&self) -> impl Iterator<Item = String> {
        self.of_others.iter().map(|one| {
            let (name, clocks, waits) = (&self.cause, one.difference(), &one.name);
            format!("{name} {clocks:+} (the wait of `{waits}` beside it in V)")
        })
    }

    /// Of a line that only one run has: the waits of other lines, and the place of a wait that moved here or from here;
    /// none if there are neither.
    pub(super) fn words_of_others(&self) -> Option<String> {
        let moved = self
            .moved
            .as_ref()
            .map(|_| format!("{} {:+}{}", self.cause, self.own_difference(), self.place_words()));
        let words: Vec<String> = moved.into_iter().chain(self.others_words()).collect();
        (!words.is_empty()).then(|| words.join(", "))
    }

    /// Where a wait that has only changed its place went to or came from.
    fn place_words(&self) -> String {
        match &self.moved {
            Some(text) if self.own_difference() < 0 => format!(" (moved to `{text}`)"),
            Some(text) => format!(" (moved from `{text}`)"),
            None => String::new(),
        }
    }

    /// The clocks that are told of it.
    fn weight(&self) -> u64 {
        let parts = self.of_others.iter().chain(&self.with_others);
        let parts = parts.map(|one| one.old.abs_diff(one.new));
        parts.fold(self.old.abs_diff(self.new), u64::max)
    }

    /// As in `agi -12`. The name `execution` says less than the instructions that it is of.
    fn words(&self) -> String {
        let change = signed(self.old, self.new);
        if !self.of_others.is_empty() || !self.with_others.is_empty() {
            return self.interlock_words();
        }
        if self.cause != Cause::Execution.name() {
            return format!("{} {change}{}", self.cause, self.place_words());
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
    let mut causes: Vec<ChangedCause> = both
        .into_iter()
        .map(|(cause, clocks)| ChangedCause {
            instructions: match cause == Cause::Execution.name() {
                true => instructions(old, new),
                false => Vec::new(),
            },
            ..ChangedCause::plain(cause, clocks)
        })
        .collect();
    let shared = |of: fn(&Shared) -> &BTreeMap<String, u64>| {
        let both = differing([old, new].map(|one| one.map(|one| of(&one.shared))));
        let named = both.into_iter();
        named
            .map(|(name, [old, new])| ChangedInstruction { name, old, new })
            .collect::<Vec<_>>()
    };
    let (of_others, with_others) = (shared(|one| &one.of_others), shared(|one| &one.with_others));
    if of_others.is_empty() && with_others.is_empty() {
        return causes;
    }
    let agi = Cause::Agi.name();
    if !causes.iter().any(|one| one.cause == agi) {
        let clocks = [old, new].map(|one| one.and_then(|one| one.causes.get(agi)).copied().unwrap_or(0));
        causes.push(ChangedCause::plain(agi.to_owned(), clocks));
    }
    for one in causes.iter_mut().filter(|one| one.cause == agi) {
        (one.of_others, one.with_others) = (of_others.clone(), with_others.clone());
    }
    causes
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
