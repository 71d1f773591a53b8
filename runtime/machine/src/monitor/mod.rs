//! Monitors at work: the state machines behind the registers of `model::monitors`.
//!
//! They see what the tally says and never touch time: a run with them takes the clocks of one without, as long as no
//! interrupt of theirs is delivered and no HLT waits for one. Each run of a program begins with them at reset, because
//! the handlers of a run are gone with it.

pub(crate) mod ibs;
pub(crate) mod local_apic;
pub(crate) mod perfmon;

use local_apic::LocalApic;
use p5_chips::{CoreRatio, Model, Role};
use perfmon::Perfmon;

/// The monitors of a machine.
#[derive(Debug)]
pub(crate) struct Monitors {
    /// Architectural performance monitoring.
    pub(crate) perfmon: Option<Perfmon>,
    /// Instruction-based sampling.
    pub(crate) sampling: Option<ibs::Unit>,
    /// The local APIC.
    pub(crate) apic: Option<LocalApic>,
    /// The clocks of the core in reference clocks.
    pub(crate) ratio: CoreRatio,
}

impl Monitors {
    /// The monitors of a chip at reset.
    pub(crate) fn new(model: &'static Model, ratio: CoreRatio) -> Monitors {
        let has_counters = model
            .registers
            .iter()
            .any(|register| matches!(register.role, Role::Perfmon(_)));
        let has_samplers = model
            .registers
            .iter()
            .any(|register| matches!(register.role, Role::Sampling(_)));
        Monitors {
            perfmon: has_counters.then(|| Perfmon::new(&model.events)),
            sampling: has_samplers.then(ibs::Unit::new),
            apic: model.has_local_apic().then(LocalApic::new),
            ratio,
        }
    }

    /// Resets them. What samplers draw goes on: the runs of a program do not draw the same.
    pub(crate) fn reset(&mut self) {
        if let Some(perfmon) = &mut self.perfmon {
            perfmon.reset();
        }
        if let Some(sampling) = &mut self.sampling {
            sampling.reset();
        }
        if let Some(apic) = &mut self.apic {
            *apic = LocalApic::new();
        }
    }

    /// Whether they have to be looked at after each instruction. While `sampling_is_quiet`, the samplers have not.
    pub(crate) fn watch(&self, sampling_is_quiet: bool) -> bool {
        self.perfmon.as_ref().is_some_and(Perfmon::watches)
            || !sampling_is_quiet && self.sampling.as_ref().is_some_and(ibs::Unit::watches)
            || self.apic.as_ref().is_some_and(LocalApic::watches)
    }
}
