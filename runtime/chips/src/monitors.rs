//! Monitors: add-ons from later chips, with which programs that use them run on a chip.
//!
//! Modelled: the additions of a monitor to a chip, as data: bits of CPUID, model specific registers, bits of CR4,
//! instructions, and whether it needs a local APIC. The effects of the registers are in `monitor`. Not modelled: chips
//! that have them. No rule of time knows a monitor, so a program takes the same clocks with and without one, unless the
//! monitor is another master of the bus.

mod core_ratio;
mod later;
mod perfmon;
mod sampling;
mod snooper;
mod time_stamp;

pub use core_ratio::CoreRatio;
pub use perfmon::{
    COUNTER_MASK, FIXED_COUNTERS, FULL_WIDTH_WRITES, GENERAL_COUNTERS, GLOBAL_CONTROL_AT_RESET, LOCAL_APIC_PAGE,
    PerfmonEvent, Source, event,
};

pub use snooper::{BusMaster, Misplaced, NoPlace, Place};

use super::Text;
use super::{CpuidLeaf, Model, ModelRegister, Role, Row};
use asm_macros::events::Event;
use iced_x86::{Code, CpuidFeature, Mnemonic};
use p5_words::isa::InstructionSet;
use std::sync::Mutex;

/// The reason why there is no such monitor, or not on this chip. `report` has the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMonitor {
    /// No monitor has the name.
    Unknown,
    /// No instructions of later processors have the name.
    NoInstructions,
    /// The monitor of this name takes no settings.
    WithoutSettings(&'static str),
    /// A place stands after the name itself, where clocks come first.
    WithoutClocks {
        /// The monitor.
        name: &'static str,
        /// What stands after `@`.
        place: &'static str,
    },
    /// What is after `=` is not written as settings of another bus master are.
    NotASetting,
    /// The place of another bus master is too large.
    PlaceTooLarge {
        /// The maximum size of a place in bytes.
        most: u32,
    },
    /// Two masters beside the chip were requested, with these names.
    TwoMasters([&'static str; 2]),
    /// The chip has no model specific registers, which the monitor needs.
    WithoutRegisters {
        /// The name of the chip.
        chip: &'static str,
        /// The name of the monitor.
        monitor: &'static str,
    },
    /// The chip has one cache for code and data, whose answers to another bus master are not modelled.
    UnifiedCache {
        /// The name of the chip.
        chip: &'static str,
        /// The name of the monitor.
        monitor: &'static str,
    },
}

/// An add-on that a chip can be given.
#[derive(Debug)]
pub struct Monitor {
    /// The name that `--monitor` accepts, or `--also` for instructions of later processors.
    pub name: &'static str,
    /// The description of the monitor, for lists.
    pub title: &'static str,
    /// The explanation of the monitor, its sources and its tests.
    pub text: Text,
    /// The bits that it adds to CPUID. A leaf that the chip lacks then exists, and new leaves before it are zero.
    pub cpuid: &'static [LeafBits],
    /// The model specific registers that it adds.
    pub registers: &'static [ModelRegister],
    /// The feature flags of its instructions.
    pub features: &'static [CpuidFeature],
    /// The bits of CR4 that it adds.
    pub control_register_4: u32,
    /// Its instructions, each with the time of an instruction that the chip has.
    pub forms: &'static [BorrowedForm],
    /// Its other instructions, with assumed clocks.
    pub rows: &'static [Row],
    /// Whether it interrupts, for which it brings a local APIC.
    pub interrupts: bool,
    /// The events that nothing raises without this monitor or another one.
    pub raises: &'static [Event],
    /// The other bus master, if the monitor is one. Only such a monitor changes clocks.
    pub master: Option<BusMaster>,
}

/// Bits of one leaf of CPUID.
#[derive(Clone, Copy, Debug)]
pub struct LeafBits {
    /// The number of the leaf, as passed in EAX.
    pub leaf: u32,
    /// The bits added to EAX, EBX, ECX and EDX.
    pub bits: CpuidLeaf,
}

/// An instruction that takes the time of another one.
#[derive(Clone, Copy, Debug)]
pub struct BorrowedForm {
    /// The form in the manual's notation.
    pub form: &'static str,
    /// The mnemonics of the instruction.
    pub mnemonics: &'static [Mnemonic],
    /// The mnemonic of the instruction whose timing it has.
    pub like: Mnemonic,
    /// The reason why this is uncertain.
    pub doubt: &'static str,
}

/// The instructions of later processors that `--also` accepts. They are no monitors: nothing is measured with them.
pub static LATER_INSTRUCTIONS: &[&Monitor] = &[&later::CMOV, &later::ENDBR];

/// Every monitor that `--monitor` accepts.
pub static MONITORS: &[&Monitor] = &[
    &perfmon::PERFMON,
    &time_stamp::RDTSCP,
    &sampling::IBS,
    &snooper::SNOOPER,
    &snooper::DUAL,
];

/// The first leaf of CPUID beyond the basic ones.
const EXTENDED: u32 = 0x8000_0000;

/// CPUID leaf 1 EDX: the chip has a local APIC.
const FEATURE_APIC: u32 = 1 << 9;

impl Monitor {
    /// A monitor that adds nothing yet, and no more than instructions.
    const ADDS_INSTRUCTIONS: Monitor = Monitor {
        name: "",
        title: "",
        text: Text {
            rule: "",
            source: "",
            not_modelled: "",
            tests: &[],
            said: &[],
        },
        cpuid: &[],
        registers: &[],
        features: &[],
        control_register_4: 0,
        forms: &[],
        rows: &[],
        interrupts: false,
        raises: &[],
        master: None,
    };

    /// Whether the monitor adds this instruction, which may need features of the chip, too.
    pub fn adds(&self, code: Code) -> bool {
        let mut features = code.cpuid_features().iter();
        features.any(|feature| self.features.contains(feature))
    }

    fn plain_name(&self) -> &'static str {
        self.name.split('=').next().unwrap_or_default()
    }
}

/// The monitor of this name, in any case. Settings may follow after `=`, if it has any.
///
/// # Errors
/// The name is unknown, or the settings are wrong.
pub fn monitor(text: &str) -> Result<&'static Monitor, NoMonitor> {
    let (name, setting) = match text.split_once('=') {
        Some((name, setting)) => (name, Some(setting)),
        None => (text, None),
    };
    let named = |name: &str| {
        let mut monitors = MONITORS.iter().copied();
        monitors.find(|monitor| monitor.name.eq_ignore_ascii_case(name))
    };
    let found = named(name).ok_or_else(|| {
        let (before, place) = text.split_once('@').unwrap_or_default();
        match named(before).filter(|monitor| monitor.master.is_some()) {
            Some(monitor) => NoMonitor::WithoutClocks {
                name: monitor.name,
                place: String::leak(place.to_owned()),
            },
            None => NoMonitor::Unknown,
        }
    })?;
    setting.map_or(Ok(found), |setting| found.set(setting))
}

/// The instructions of later processors with this name, in any case.
///
/// # Errors
/// There are none.
pub fn later(name: &str) -> Result<&'static Monitor, NoMonitor> {
    let mut all = LATER_INSTRUCTIONS.iter().copied();
    let found = all.find(|later| later.name.eq_ignore_ascii_case(name));
    found.ok_or(NoMonitor::NoInstructions)
}

/// The chips made so far: one for each combination that was requested, each made once.
static MADE: Mutex<Vec<&'static Model>> = Mutex::new(Vec::new());

impl Model {
    /// This chip, which has no monitors yet, with `monitors`. Assumptions come first: see [`Model::assuming`].
    ///
    /// # Errors
    /// The reason why the chip cannot have one of them.
    pub fn with_monitors(&'static self, monitors: &[&'static Monitor]) -> Result<&'static Model, NoMonitor> {
        let wanted = |monitor: &&'static Monitor| {
            let mut wanted = monitors.iter().copied();
            wanted.find(|wanted| wanted.plain_name() == monitor.name)
        };
        let masters = || monitors.iter().filter(|monitor| monitor.master.is_some());
        if let Some(first) = masters().next()
            && let Some(other) = masters().find(|other| other.name != first.name)
        {
            return Err(NoMonitor::TwoMasters([first.name, other.name]));
        }
        let monitors: Vec<&'static Monitor> = MONITORS.iter().chain(LATER_INSTRUCTIONS).filter_map(wanted).collect();
        if monitors.is_empty() {
            return Ok(self);
        }
        let mut registers = self.registers.iter();
        let has_registers = registers.any(|register| register.role == Role::TimeStampCounter);
        for monitor in &monitors {
            let needs_registers = !monitor.registers.is_empty();
            let (chip, monitor, master) = (self.name, monitor.name, monitor.master.is_some());
            if master && self.geometry.unified {
                return Err(NoMonitor::UnifiedCache { chip, monitor });
            }
            if needs_registers && !has_registers {
                return Err(NoMonitor::WithoutRegisters { chip, monitor });
            }
        }
        let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let same = |model: &&&'static Model| {
            let names = |monitors: &[&Monitor]| monitors.iter().map(|monitor| monitor.name).collect::<Vec<_>>();
            model.base.is_some_and(|base| std::ptr::eq(base, self)) && names(model.monitors) == names(&monitors)
        };
        if let Some(model) = made.iter().find(same) {
            return Ok(model);
        }
        let model = Box::leak(Box::new(attached(self, monitors)));
        made.push(model);
        Ok(model)
    }

    /// The result of a CPUID leaf. A leaf that does not exist has the result of the last basic leaf.
    pub fn leaf(&self, leaf: u32) -> CpuidLeaf {
        let extended = leaf
            .checked_sub(EXTENDED)
            .and_then(|at| self.extended_cpuid.get(at as usize));
        let found = extended.or(self.cpuid.get(leaf as usize)).or(self.cpuid.last());
        found.copied().unwrap_or_default()
    }

    /// The other master of the chip's bus, if there is one.
    pub fn bus_master(&self) -> Option<&'static BusMaster> {
        self.monitors.iter().find_map(|monitor| monitor.master.as_ref())
    }

    /// Whether the chip has a local APIC.
    pub fn has_local_apic(&self) -> bool {
        self.monitors.iter().any(|monitor| monitor.interrupts)
    }
}

/// The chip `model` with the additions of the monitors.
fn attached(model: &'static Model, monitors: Vec<&'static Monitor>) -> Model {
    let all = || monitors.iter();
    let (mut basic, mut extended) = (model.cpuid.to_vec(), model.extended_cpuid.to_vec());
    for LeafBits { leaf, bits } in all().flat_map(|monitor| monitor.cpuid) {
        let (leaves, at) = match leaf.checked_sub(EXTENDED) {
            Some(at) => (&mut extended, at as usize),
            None => (&mut basic, *leaf as usize),
        };
        if leaves.len() <= at {
            leaves.resize(at + 1, [0; 4]);
        }
        for (register, bits) in leaves[at].iter_mut().zip(bits) {
            *register |= bits;
        }
    }
    let interrupts = all().any(|monitor| monitor.interrupts);
    if let (Some(features), true) = (basic.get_mut(1), interrupts) {
        features[3] |= FEATURE_APIC;
    }
    for (leaves, first) in [(&mut basic, 0), (&mut extended, EXTENDED)] {
        let last = leaves.len() as u32;
        if let Some(leaf) = leaves.first_mut() {
            leaf[0] = first + last - 1;
        }
    }
    let registers = all().flat_map(|monitor| monitor.registers).copied();
    let registers: Vec<_> = model.registers.iter().copied().chain(registers).collect();
    let features: Vec<_> = all().flat_map(|monitor| monitor.features).copied().collect();
    let isa = InstructionSet {
        base: Some(model.isa),
        features: Vec::leak(features),
        without: &[],
        control_register_4: all().fold(model.isa.control_register_4, |bits, monitor| {
            bits | monitor.control_register_4
        }),
        ..*model.isa
    };
    let rows = all()
        .flat_map(|monitor| monitor.forms)
        .filter_map(|form| borrowed(model, form))
        .chain(all().flat_map(|monitor| monitor.rows).copied());
    let mut events = model.events;
    let is_raised = |event: &Event| all().any(|monitor| monitor.raises.contains(event));
    let missing = events.unavailable.iter().filter(|(event, _)| !is_raised(event));
    events.unavailable = Vec::leak(missing.copied().collect());
    Model {
        base: Some(model),
        isa: Box::leak(Box::new(isa)),
        rows: Vec::leak(rows.collect()),
        events,
        cpuid: Vec::leak(basic),
        extended_cpuid: Vec::leak(extended),
        registers: Vec::leak(registers),
        monitors: Vec::leak(monitors),
        ..*model
    }
}

/// The row for an instruction of a monitor, unless the chip has the instruction.
fn borrowed(model: &'static Model, form: &BorrowedForm) -> Option<Row> {
    let mut rows = model.all_rows();
    if rows.any(|row| form.mnemonics.iter().all(|mnemonic| row.mnemonics.contains(mnemonic))) {
        return None;
    }
    let like = model.all_rows().find(|row| row.mnemonics.contains(&form.like))?;
    Some(Row {
        form: form.form,
        mnemonics: form.mnemonics,
        doubt: Some(form.doubt),
        ..*like
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MODELS;

    #[test]
    fn a_chip_with_monitors_is_made_once_and_says_so() {
        let chip = MODELS[0];
        assert!(std::ptr::eq(chip.with_monitors(&[]).expect("none"), chip));
        let both = chip.with_monitors(&[MONITORS[1], MONITORS[0]]).expect("has them");
        let again = chip.with_monitors(&MONITORS[..2]).expect("has them");
        assert!(std::ptr::eq(both, again));
        assert_eq!(both.leaf(0)[0], 0xA);
        assert_eq!(both.leaf(0)[1..], chip.leaf(0)[1..], "the vendor is the chip's");
        assert_eq!(both.leaf(1)[3] & !FEATURE_APIC, chip.leaf(1)[3]);
        assert_eq!(both.leaf(EXTENDED)[0], EXTENDED + 7);
        assert_ne!(both.leaf(EXTENDED + 1)[3] & 1 << 27, 0);
        assert_eq!(chip.leaf(EXTENDED + 1), chip.leaf(1), "a Pentium has no such leaf");
    }

    #[test]
    fn each_chip_with_model_specific_registers_can_have_each_monitor() {
        for chip in MODELS {
            for monitor in MONITORS {
                match chip.with_monitors(&[monitor]) {
                    Ok(model) => {
                        for form in monitor.forms {
                            let mut rows = model.all_rows();
                            assert!(
                                rows.any(|row| row.mnemonics.contains(&form.mnemonics[0])),
                                "{}",
                                form.form
                            );
                        }
                    }
                    Err(why) => {
                        let (chip, monitor, master) = (chip.name, monitor.name, monitor.master.is_some());
                        let expected = match master {
                            true => NoMonitor::UnifiedCache { chip, monitor },
                            false => NoMonitor::WithoutRegisters { chip, monitor },
                        };
                        assert_eq!((chip, why), ("i486", expected));
                    }
                }
            }
        }
    }

    #[test]
    fn a_monitor_is_found_by_its_name() {
        for known in MONITORS {
            assert_eq!(monitor(known.name).expect("its own name").name, known.name);
        }
        assert_eq!(monitor("x").expect_err("unknown"), NoMonitor::Unknown);
    }

    #[test]
    fn there_is_one_other_master() {
        let of = |names: &[&str]| {
            let monitors: Vec<_> = names.iter().map(|name| monitor(name).expect("a monitor")).collect();
            MODELS[0].with_monitors(&monitors)
        };
        for names in [["snooper", "dual"], ["dual=5", "dual=6"]] {
            assert_eq!(of(&names).expect_err("two"), NoMonitor::TwoMasters(names));
        }
        let model = of(&["snooper=5:1", "rdtscp", "snooper=5:1"]).expect("one");
        let names: Vec<_> = model.monitors.iter().map(|monitor| monitor.name).collect();
        assert_eq!(names, ["rdtscp", "snooper=5:1"]);
        assert_eq!(model.bus_master().expect("a master").writes, 1);
    }
}
