//! What two runs do not have in common, so that their clocks or their results are not of the same work: the machine,
//! and what is assumed of a fragment.

use super::saved::{SavedFragment, SavedRun};
use crate::fragment::grouped;
use crate::setting::attached;
use std::collections::BTreeSet;

impl SavedRun {
    /// Why this fragment does other work than the `newer` one, if other numbers are assumed of it.
    pub(super) fn other_work(&self, newer: &SavedRun) -> Option<String> {
        let [old, new] = [self, newer].map(|run| run.fragment.as_ref().map(SavedFragment::work));
        let (old, new) = (old?, new?);
        let only = |one: &BTreeSet<String>, other: &BTreeSet<String>| {
            let words: Vec<String> = one.difference(other).cloned().collect();
            if words.is_empty() {
                "nothing".to_owned()
            } else {
                words.join(", ")
            }
        };
        (old != new).then(|| {
            let [of_old, of_new] = [only(&old, &new), only(&new, &old)];
            format!(
                "the fragments may do other work: {of_old} is assumed of the older one, {of_new} of the newer one; \
                 `--set` gives registers the same numbers in both"
            )
        })
    }

    /// Why results that differ tell nothing, if the memory that is assumed of this fragment differs from that of the
    /// `newer` one: sums over other memory are other sums.
    pub(super) fn other_memory(&self, newer: &SavedRun) -> Option<String> {
        let (old, new) = (self.fragment.as_ref()?.memory(), newer.fragment.as_ref()?.memory());
        let sizes = |all: &[(i64, &str)]| all.iter().map(|one| one.0).collect::<Vec<_>>();
        let words = |all: &[(i64, &str)]| {
            let each = all
                .iter()
                .map(|(bytes, of)| format!("{of} -> {} bytes", grouped(*bytes)));
            let words = each.collect::<Vec<_>>().join(", ");
            if words.is_empty() { "none".to_owned() } else { words }
        };
        (sizes(&old) != sizes(&new)).then(|| {
            let [of_old, of_new] = [words(&old), words(&new)];
            format!(
                "the assumed memory differs, so that other results tell nothing: {of_old} in the older one, {of_new} \
                 in the newer one"
            )
        })
    }

    /// Why the machine of this run is another one than that of the `newer` run.
    pub(super) fn other_machine(&self, newer: &SavedRun) -> String {
        let chip = |run: &SavedRun| (run.cpu.clone(), run.cpl, run.memory.clone());
        let given = |run: &SavedRun| (run.monitors.clone(), run.core_ratio.clone());
        if chip(self) != chip(newer) || given(self) != given(newer) {
            return "the two runs are of different machines".to_owned();
        }
        let only = |one: &SavedRun, other: &SavedRun| {
            let differing = one
                .assumed
                .iter()
                .filter(|&(name, value)| other.assumed.get(name) != Some(value));
            let words: Vec<String> = differing.map(|(name, value)| format!("{name}={value}")).collect();
            match words.is_empty() {
                true => "without it".to_owned(),
                false => format!("with `--assume {}`", words.join(",")),
            }
        };
        let (old, new) = (only(self, newer), only(newer, self));
        match old.as_str() {
            "without it" => format!("the newer run is {new}, the older one {old}"),
            _ => format!("the older run is {old}, the newer one {new}"),
        }
    }

    pub(super) fn machine(&self) -> String {
        let mut words = format!("{}, CPL {}, memory {}", self.cpu, self.cpl, self.memory);
        for (name, value) in &self.assumed {
            words += &format!(", {name}={value}");
        }
        if !self.monitors.is_empty() {
            let monitors: Vec<&str> = self.monitors.iter().map(String::as_str).collect();
            words += &format!(", {}", attached(&monitors, self.core_ratio.as_deref()));
        }
        words
    }
}
