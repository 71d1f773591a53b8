//! The processor of this machine and its time stamp counter, as the report describes them.

use runtime::report::host::Host;

/// Detects the processor and its time stamp counter, which takes about ten milliseconds.
#[cfg(target_arch = "x86_64")]
pub(crate) fn detect() -> Host {
    use asm_macros::Unavailable;
    use asm_macros::tsc::{Features, Fence, Tsc};
    use runtime::report::host::{Counter, FenceLine};

    let reason = |missing: Unavailable| missing.0.to_string();
    let features = Features::of_this_processor();
    let counter = Tsc::detect().map_err(reason).map(|tsc| Counter {
        invariant: tsc.features.invariant,
        rdtscp: tsc.features.rdtscp,
        auxiliary: tsc.aux.map_err(reason).map(|aux| (aux.processor(), aux.node())),
        frequency: tsc
            .frequency
            .map_err(reason)
            .map(|frequency| (frequency.hertz, frequency.source.name().to_owned())),
        quantum: tsc.quantum,
        core_clocks_per_tick: tsc.core_clocks_per_tick,
        cpuid_ticks: tsc.cpuid_ticks,
        cpuid_traps: tsc.cpuid_traps(),
        fences: Fence::ALL
            .iter()
            .zip(tsc.fences)
            .map(|(&fence, cost)| FenceLine {
                name: fence.name().to_owned(),
                cost: cost.map_err(reason).map(|cost| (cost.ticks, cost.orders)),
                default: fence == tsc.fence,
            })
            .collect(),
    });
    Host {
        processor: match features.name() {
            "" => Err("CPUID has no leaves 80000002h to 80000004h".to_owned()),
            name => Ok(name.to_owned()),
        },
        hypervisor: features.hypervisor().map(|hypervisor| hypervisor.to_string()),
        counter,
    }
}

/// Without x86-64, there is nothing to detect.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn detect() -> Host {
    let why = asm_macros::Reason::NotX86.to_string();
    Host {
        processor: Err(why.clone()),
        hypervisor: None,
        counter: Err(why),
    }
}

/// The name of the processor, as files of samples state it.
pub(crate) fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    let name = asm_macros::tsc::Features::of_this_processor().name().to_owned();
    #[cfg(not(target_arch = "x86_64"))]
    let name = String::new();
    if name.is_empty() {
        std::env::consts::ARCH.to_owned()
    } else {
        name
    }
}

/// The reason why the host's events are not counted during native runs.
pub(crate) fn uncounted() -> String {
    match asm_macros::cpi!({}).core_clocks.counted {
        Err(missing) => missing.0.to_string(),
        Ok(_) => {
            "events are counted for the thread that opens them, but a native run is a separate process; a Rust program \
                  counts them with asm_macros::cpi! and asm_macros::profile!"
                .to_owned()
        }
    }
}
