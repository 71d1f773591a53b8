//! Chips as plain data: the instruction set, the unit sizes, rules named after behaviour, a timing row for each
//! instruction form, the counters' events, CPUID and the model specific registers.
//!
//! Modelled: timing rows and rules. Not modelled: anything that depends on machine state; this package holds data, and
//! other packages implement the behaviour. A chip that is a variant of another has a file with the differences and
//! names the other as its `base`.

mod assumptions;
mod change;
mod events;
mod geometry;
mod i486;
pub mod ibs;
mod identity;
mod isa;
mod memory;
mod monitors;
mod p5;
mod p54c;
mod p55c;
mod published;
mod questions;
mod rows;
mod rules;
mod stimuli;
mod text;
mod what_if;

pub use assumptions::deciding;
pub use assumptions::{ASSUMPTIONS, Answer, Assumption, Choice, choice};
pub use change::Executed;
pub use events::{ALL, CounterEvents, Erratum, Extra, LISTED, Miscount, SELECTORS, Selection};
pub use geometry::{CacheGeometry, Geometry, TableGeometry, WriteBuffers};
pub use identity::{CpuidLeaf, ModelRegister, PerfmonRegister, Role, genuine_intel};
pub use isa::INSTRUCTION_SETS;
pub use memory::{HERTZ, MEMORY_PRESETS, MemoryPreset, SecondLevelCache, Transfers, VIDEO, VideoMemory};
pub use monitors::{
    BorrowedForm, BusMaster, COUNTER_MASK, CoreRatio, FIXED_COUNTERS, FULL_WIDTH_WRITES, GENERAL_COUNTERS,
    GLOBAL_CONTROL_AT_RESET, LATER_INSTRUCTIONS, LOCAL_APIC_PAGE, LeafBits, MONITORS, Misplaced, Monitor, NoMonitor,
    NoPlace, PerfmonEvent, Place, Source, event as perfmon_event, later, monitor,
};
pub use published::CHANGED_CODE;
pub use questions::QuestionTable;
pub use questions::Questions;
pub use rows::{Class, Clocks, Doubt, Early, FloatingPoint, PackedUnit, RouteClocks, Row, SHORT, When};
pub use rules::{BothConstants, Prediction, Prefixes, Resolved, Rules};
pub use stimuli::{STIMULI, Stimulus};
pub use text::Text;
pub use what_if::{PREDICTED, Supposed, WHAT_IFS, WhatIf};

use p5_words::flags::FaultedComparison;
use p5_words::fpu::{Divider, SafeExponents};
use p5_words::isa::InstructionSet;

/// The data of a chip.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// The short name that `--cpu` accepts.
    pub name: &'static str,
    /// The full name, for reports.
    pub title: &'static str,
    /// The chip that this one is a variant of, whose rows apply where this one has none.
    pub base: Option<&'static Model>,
    /// The instruction set of the chip.
    pub isa: &'static InstructionSet,
    /// The sizes of the chip's units.
    pub geometry: Geometry,
    /// The behaviour of the chip, as numbers and switches.
    pub rules: Rules,
    /// The divider for reals.
    pub divider: Divider,
    /// The operands of reals that exclude an exception, by their exponents.
    pub safe_exponents: SafeExponents,
    /// The flags that a repeated comparison leaves at a fault.
    pub faulted_comparison: FaultedComparison,
    /// The timing rows, in the manual's order within each group. The first row that matches applies, so these override
    /// the base's.
    pub rows: &'static [Row],
    /// The events of the two counters.
    pub events: CounterEvents,
    /// The results of CPUID, by leaf. Leaves above the last one return the result of the last one.
    pub cpuid: &'static [CpuidLeaf],
    /// The model specific registers; no others exist.
    pub registers: &'static [ModelRegister],
    /// The answers to open questions under which it differs from its `base`.
    pub assumed: &'static [Choice],
    /// The results of CPUID from leaf 80000000h on.
    pub extended_cpuid: &'static [CpuidLeaf],
    /// The monitors added to the chip, in the order of [`MONITORS`].
    pub monitors: &'static [&'static Monitor],
}

/// Every chip, the default first.
pub static MODELS: &[&Model] = &[&p54c::P54C, &p5::P5, &p55c::P55C, &i486::I486];

/// Other names of chips, each with the name.
const OTHER_NAMES: [(&str, &str); 2] = [("486", "i486"), ("mmx", "p55c")];

/// The other names of the chip called `name`.
pub fn other_names(name: &str) -> impl Iterator<Item = &'static str> {
    let others = OTHER_NAMES.iter().filter(move |(_, of)| *of == name);
    others.map(|&(other, _)| other)
}

/// Returns the chip called `name`, or of which it is another name; `None` if there is none.
pub fn by_name(name: &str) -> Option<&'static Model> {
    let other = OTHER_NAMES.iter().find(|(other, _)| other.eq_ignore_ascii_case(name));
    let name = other.map_or(name, |&(_, name)| name);
    MODELS
        .iter()
        .copied()
        .find(|model| model.name.eq_ignore_ascii_case(name))
}

impl Model {
    /// Returns all rows that apply to this chip, its own rows before its base's.
    pub fn all_rows(&'static self) -> impl Iterator<Item = &'static Row> {
        let mut chips = vec![self];
        while let Some(base) = chips[chips.len() - 1].base {
            chips.push(base);
        }
        chips.into_iter().flat_map(|chip| chip.rows.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_words::facts::{Route, TaskKind};

    #[test]
    fn names_are_unique_and_found() {
        for model in MODELS {
            assert!(std::ptr::eq(by_name(model.name).expect("its own name"), *model));
        }
        assert!(by_name("p6").is_none());
    }

    #[test]
    fn what_a_form_leaves_under_way_counts_from_clocks_that_are_known() {
        for row in MODELS.iter().flat_map(|model| model.all_rows()) {
            let Some(fpu) = row.fpu else { continue };
            let (Clocks::Fixed(clocks) | Clocks::Least(clocks)) = row.clocks else {
                panic!("{}: its clocks are not known before it is executed", row.form);
            };
            assert!(fpu.latency >= clocks && fpu.throughput >= clocks, "{}", row.form);
        }
    }

    #[test]
    fn a_repeated_form_and_no_other_is_timed_by_iterations() {
        for row in MODELS.iter().flat_map(|model| model.all_rows()) {
            let iterates = matches!(row.clocks, Clocks::PerIteration(..));
            assert_eq!(row.when.contains(&When::Repeated), iterates, "{}", row.form);
        }
    }

    #[test]
    fn each_route_has_clocks_of_its_own() {
        let routes = RouteClocks {
            usual: 1,
            descriptor: 2,
            gate: 3,
            inner_gate: 4,
            inner_gate_with_parameters: 50,
            parameter: 6,
            leaves_virtual: 7,
            outer: 8,
            enters_virtual: 9,
            task: [300, 301, 302],
            doubt: None,
        };
        let to_task = |kind| Route::Task { kind };
        let expected = [
            (Route::Usual, 1),
            (Route::Descriptor, 2),
            (Route::Gate, 3),
            (Route::InnerGate { parameters: 0 }, 4),
            (Route::InnerGate { parameters: 1 }, 56),
            (Route::InnerGate { parameters: 31 }, 236),
            (Route::LeavesVirtual, 7),
            (Route::Outer, 8),
            (Route::EntersVirtual, 9),
            (to_task(TaskKind::Wide), 300),
            (to_task(TaskKind::Narrow), 301),
            (to_task(TaskKind::Virtual), 302),
        ];
        for (route, clocks) in expected {
            assert_eq!(routes.of(route), clocks, "{route:?}");
        }
    }
}
