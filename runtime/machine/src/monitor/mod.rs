//! Monitors: the state machines of the registers in `p5_chips::monitors`.
//!
//! They see the counts of the tally and never touch time: a run with them takes the clocks of one without, as long as
//! none of their interrupts is delivered and no HLT waits for one. Each run of a program begins with them at reset,
//! because the handlers of a run end with it.

pub(crate) mod ibs;
pub(crate) mod local_apic;
pub(crate) mod perfmon;

use local_apic::LocalApic;
use p5_chips::{CoreRatio, Model, Role};
use perfmon::Perfmon;

#[derive(Debug)]
pub(crate) struct Monitors {
    pub(crate) perfmon: Option<Perfmon>,
    pub(crate) sampling: Option<ibs::Unit>,
    pub(crate) apic: Option<LocalApic>,
    /// The ratio of core clocks to reference clocks.
    pub(crate) ratio: CoreRatio,
}

impl Monitors {
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

    /// Resets the monitors. The random numbers of the samplers continue, so the runs of a program do not draw the
    /// same.
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

    /// Whether the monitors have to be checked after each instruction. With `sampling_is_quiet`, the samplers have
    /// not.
    pub(crate) fn watch(&self, sampling_is_quiet: bool) -> bool {
        self.perfmon.as_ref().is_some_and(Perfmon::watches)
            || !sampling_is_quiet && self.sampling.as_ref().is_some_and(ibs::Unit::watches)
            || self.apic.as_ref().is_some_and(LocalApic::watches)
    }
}
