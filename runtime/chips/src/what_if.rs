//! Suppositions: a chip without one of its costs, which shows how large that cost is.
//!
//! Modelled: each as other rules, another geometry or a memory that takes no clocks. Not modelled: a program that is
//! written for such a chip. If every line is cached, the clocks remain in which the empty pipeline fills directly after
//! reset: two, or one on a chip without a stage before D1. They count as waiting for code.

use super::change::Change;
use super::{MemoryPreset, Model};
use std::sync::Mutex;

/// A supposition that removes costs of a chip.
#[derive(Debug)]
pub struct WhatIf {
    /// The short name in reports.
    pub name: &'static str,
    /// The supposition in a few words.
    pub supposes: &'static str,
    /// The reason why it may change nothing on a chip.
    pub nothing: &'static str,
    /// The names of the suppositions that it combines; empty if it stands alone.
    pub combines: &'static [&'static str],
    // The changes of the chip, without those of the combined suppositions.
    changes: &'static [Change],
    // Whether memory takes no clocks.
    cached: bool,
}

/// The chip and its memory under a supposition.
#[derive(Clone, Copy, Debug)]
pub struct Supposed {
    /// The changed chip.
    pub model: &'static Model,
    /// The changed memory.
    pub memory: &'static MemoryPreset,
}

/// Every near branch is predicted.
pub static PREDICTED: WhatIf = WhatIf {
    name: "predicted",
    supposes: "every near branch is predicted rightly",
    nothing: "predicts no branch",
    combines: &[],
    changes: &[Change::PerfectPrediction],
    cached: false,
};

/// Every supposition of `--what-if`.
pub static WHAT_IFS: &[&WhatIf] = &[
    &WhatIf {
        name: "no-agi",
        supposes: "an address never waits for a register that the clock before wrote",
        nothing: "has no such wait",
        combines: &[],
        changes: &[Change::AddressInterlock(0)],
        cached: false,
    },
    &PREDICTED,
    &WhatIf {
        name: "cached",
        supposes: "every line and translation is cached, and code has been decoded before; what is never cached takes \
                   its time",
        nothing: "waits for no memory",
        combines: &[],
        changes: &[Change::LengthsKnown],
        cached: true,
    },
    &WhatIf {
        name: "aligned",
        supposes: "no access crosses a boundary that costs clocks",
        nothing: "has no such boundary",
        combines: &[],
        changes: &[Change::Aligned],
        cached: false,
    },
    &WhatIf {
        name: "banks",
        supposes: "two accesses of one clock never meet in a bank of the data cache",
        nothing: "makes one access in a clock",
        combines: &[],
        changes: &[Change::BankConflict(0)],
        cached: false,
    },
    &WhatIf {
        name: "together",
        supposes: "all of these at once",
        nothing: "has none of these costs",
        combines: &["no-agi", "predicted", "cached", "aligned", "banks"],
        changes: &[],
        cached: false,
    },
    &WhatIf {
        name: "one-pipe",
        supposes: "U alone executes, and nothing pairs",
        nothing: "has one pipe as it is",
        combines: &[],
        changes: &[Change::Pipes(1)],
        cached: false,
    },
];

/// The chips and memories made so far, each made once.
static MADE: Mutex<Vec<(&'static WhatIf, [Supposed; 2])>> = Mutex::new(Vec::new());

impl WhatIf {
    /// The suppositions that it consists of: itself, unless it combines others.
    fn parts(&'static self) -> impl Iterator<Item = &'static WhatIf> {
        WHAT_IFS.iter().copied().filter(|other| {
            std::ptr::eq(*other, self) && self.combines.is_empty() || self.combines.contains(&other.name)
        })
    }

    /// The chip `model` with `memory` under this supposition; `None` if it changes nothing.
    pub fn of(&'static self, model: &'static Model, memory: &'static MemoryPreset) -> Option<Supposed> {
        let before = Supposed { model, memory };
        let same = |one: &Supposed, other: &Supposed| {
            std::ptr::eq(one.model, other.model) && std::ptr::eq(one.memory, other.memory)
        };
        let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut known = made.iter();
        if let Some((_, [_, after])) = known.find(|(what, [one, _])| std::ptr::eq(*what, self) && same(one, &before)) {
            return Some(*after);
        }
        let mut changed = *model;
        let mut cached = false;
        for part in self.parts() {
            part.changes.iter().for_each(|change| change.apply(&mut changed));
            cached |= part.cached;
        }
        if !cached && changed.rules == model.rules && changed.geometry == model.geometry {
            return None;
        }
        let after = Supposed {
            model: Box::leak(Box::new(changed)),
            memory: match cached {
                true => Box::leak(Box::new(memory.all_cached())),
                false => memory,
            },
        };
        made.push((self, [before, after]));
        Some(after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{MEMORY_PRESETS, MODELS, Prediction};

    #[test]
    fn a_supposition_changes_a_chip_once_or_says_why_not() {
        let memory = &MEMORY_PRESETS[0];
        for what in WHAT_IFS {
            for model in MODELS {
                let Some(one) = what.of(model, memory) else {
                    let spared = [model.rules.pipes == 1, model.rules.prediction == Prediction::None];
                    assert!(spared.contains(&true), "{} on {}", what.name, model.name);
                    continue;
                };
                assert_eq!(one.model.name, model.name);
                let again = what.of(model, memory).expect("as before");
                assert!(std::ptr::eq(one.model, again.model) && std::ptr::eq(one.memory, again.memory));
            }
            assert!(
                what.combines
                    .iter()
                    .all(|name| WHAT_IFS.iter().any(|one| one.name == *name))
            );
        }
    }

    #[test]
    fn what_combines_others_has_all_of_their_changes() {
        let (model, memory) = (MODELS[0], &MEMORY_PRESETS[0]);
        let together = WHAT_IFS.iter().find(|what| !what.combines.is_empty());
        let together = together
            .expect("one of them")
            .of(model, memory)
            .expect("it changes all");
        let rules = &together.model.rules;
        assert_eq!((rules.address_interlock, rules.prediction), (0, Prediction::Perfect));
        assert_eq!((rules.misaligned, rules.pairs_after_first_execution), (0, false));
        assert_eq!(rules.bank_conflict, 0);
        assert_eq!(
            (together.memory.page_walk, together.memory.memory.first_quadword),
            (0, 0)
        );
        assert_eq!((together.memory.io, rules.pipes), (memory.io, model.rules.pipes));
    }
}
