//! The results of two runs: variables that differ at their ends.

use super::saved::SavedRun;
use serde::Deserialize;
use std::collections::HashMap;

/// A variable read back from a report.
#[derive(Debug, Deserialize)]
pub(super) struct SavedVariable {
    name: String,
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
}

/// A variable of both programs whose last values differ.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Differing {
    /// Its name.
    pub(super) name: String,
    /// Its value at the end of the older run as an unsigned number; null of one longer than 8 bytes.
    pub(super) old: Option<u64>,
    /// Its value at the end of the newer run.
    pub(super) new: Option<u64>,
}

/// The variables of both programs that differ, in the order of the newer one.
pub(super) fn differing(old: &SavedRun, new: &SavedRun) -> Vec<Differing> {
    let before: HashMap<&str, &SavedVariable> = old
        .symbols
        .iter()
        .map(|variable| (variable.name.as_str(), variable))
        .collect();
    let own = new.symbols.iter().filter(|variable| !variable.library);
    own.filter_map(|now| {
        let then = before.get(now.name.as_str())?;
        (then.last() != now.last()).then(|| Differing {
            name: now.name.clone(),
            old: then.value,
            new: now.value,
        })
    })
    .collect()
}

impl SavedVariable {
    /// Its value, and the elements of an array that has changed.
    fn last(&self) -> (Option<u64>, Option<&[i128]>) {
        let now = self.changed.as_ref().and_then(|change| change.now.as_deref());
        (self.value, now)
    }
}
