//! The results of two runs: variables that differ at their ends.
//!
//! Several variables may have one name, as the locals of two procedures. If both programs have as many, they belong
//! together in their order, else those of the same size at the same address.

use super::saved::SavedRun;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;

/// A variable read back from a report.
#[derive(Debug, Deserialize)]
pub(super) struct SavedVariable {
    name: String,
    #[serde(default)]
    address: u32,
    #[serde(default)]
    size: u32,
    #[serde(default)]
    element: u32,
    #[serde(default)]
    value: Option<u64>,
    #[serde(default)]
    changed: Option<SavedChange>,
    library: bool,
}

#[derive(Debug, Deserialize)]
struct SavedChange {
    // Only an array has it, and only its first elements.
    #[serde(default)]
    now: Option<Vec<i128>>,
    // Only reals have them: their bits say nothing to a reader.
    #[serde(default)]
    reals: Option<IgnoredAny>,
}

/// A variable of both programs whose last values differ.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Differing {
    /// Its name.
    pub(super) name: String,
    /// The index of the first element that is known to differ, if it is an array.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(super) element: Option<u32>,
    /// Its value, or that of the element, at the end of the older run as an unsigned number; null if it is longer than
    /// 8 bytes or not known.
    pub(super) old: Option<u64>,
    /// The value at the end of the newer run.
    pub(super) new: Option<u64>,
}

/// The variables of both programs that differ, in the order of the newer one.
pub(super) fn differing(old: &SavedRun, new: &SavedRun) -> Vec<Differing> {
    let before = by_name(old);
    let after = by_name(new);
    let own = new.symbols.iter().filter(|variable| !variable.library);
    own.filter_map(|now| {
        let then = partner(now, before.get(now.name.as_str())?, after.get(now.name.as_str())?)?;
        if then.last() == now.last() {
            return None;
        }
        let [was, is] = [then, now].map(SavedVariable::elements);
        let first = (0..was.len().min(is.len())).find(|&at| was[at] != is[at]);
        let (element, old, new) = match first {
            Some(at) if !now.is_real() => (Some(at as u32), Some(was[at]), Some(is[at])),
            Some(at) => (Some(at as u32), None, None),
            None if now.is_array() => (None, None, None),
            None => (None, then.value, now.value),
        };
        Some(Differing {
            name: now.name.clone(),
            element,
            old,
            new,
        })
    })
    .collect()
}

/// The variables of a run by name, those of one name in the order of the report.
fn by_name(run: &SavedRun) -> BTreeMap<&str, Vec<&SavedVariable>> {
    let mut all: BTreeMap<&str, Vec<&SavedVariable>> = BTreeMap::new();
    for variable in &run.symbols {
        all.entry(&variable.name).or_default().push(variable);
    }
    all
}

/// Which of the `old` variables of one name is `now`, one of the `new` ones.
fn partner<'r>(now: &SavedVariable, old: &[&'r SavedVariable], new: &[&SavedVariable]) -> Option<&'r SavedVariable> {
    if old.len() == new.len() {
        let number = new.iter().position(|one| std::ptr::eq(*one, now))?;
        return Some(old[number]);
    }
    let place = |one: &SavedVariable| (one.address, one.size);
    old.iter().find(|one| place(one) == place(now)).copied()
}

impl SavedVariable {
    /// Its value, and the elements of an array that has changed.
    fn last(&self) -> (Option<u64>, Option<&[i128]>) {
        let now = self.changed.as_ref().and_then(|change| change.now.as_deref());
        (self.value, now)
    }

    fn is_array(&self) -> bool {
        self.element > 0 && self.size > self.element
    }

    fn is_real(&self) -> bool {
        self.changed.as_ref().is_some_and(|change| change.reals.is_some())
    }

    /// The elements of an array that are known.
    fn elements(&self) -> Vec<u64> {
        let bits = 8 * self.element;
        match (self.last().1, self.value) {
            _ if !self.is_array() => Vec::new(),
            (Some(now), _) if !now.is_empty() => now.iter().map(|&value| value as u64).collect(),
            (_, Some(value)) => (0..self.size / self.element)
                .map(|at| value.checked_shr(at * bits).unwrap_or(0) & ((1 << bits.min(63)) - 1))
                .collect(),
            _ => Vec::new(),
        }
    }
}
