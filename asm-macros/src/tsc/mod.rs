//! The time stamp counter: what it is on this machine, and reading it around a few lines of code.
//!
//! The counter counts *ticks* of a clock of its own. They are not core clocks: a core runs slower or faster than its time
//! stamp counter, and changes. Both are given, and neither is called the other.

pub(crate) mod chain;
mod elapsed;
mod fence;
mod frequency;
#[cfg(feature = "std")]
mod kernel;
mod leaves;
mod quantum;

pub use chain::{additions, core_clocks_per_tick};
pub use elapsed::{Elapsed, Overhead, Start};
pub use fence::{Fence, FenceCost, Stamp};
pub use frequency::{Frequency, FrequencySource};
pub use leaves::Features;
pub use quantum::quantum;

use crate::{Reason, Unavailable};

/// Ticks that CPUID takes on no processor by itself: more is a hypervisor's doing.
const TRAP: u64 = 1000;

/// What was found out about this machine's time stamp counter.
#[derive(Clone, Copy, Debug)]
pub struct Tsc {
    /// What the CPUID leaves say.
    pub features: Features,
    /// Ticks a second, and who says so.
    pub frequency: Result<Frequency, Unavailable>,
    /// What RDTSCP read from IA32_TSC_AUX.
    pub aux: Result<Aux, Unavailable>,
    /// The counter's step, in ticks: no single difference is finer.
    pub quantum: u64,
    /// Core clocks in a tick, as it was when it was measured; see [`core_clocks_per_tick`].
    pub core_clocks_per_tick: f64,
    /// Ticks that one CPUID takes, the median of seven.
    pub cpuid_ticks: u64,
    /// The fences with their costs, in [`Fence::ALL`] order.
    pub fences: [Result<FenceCost, Unavailable>; 4],
    /// The fence the macros take unless they are told one.
    pub fence: Fence,
}

/// What the kernel keeps in IA32_TSC_AUX.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aux(pub u32);

impl Aux {
    /// The processor's number, as Linux keeps it: the low 12 bits.
    pub fn processor(self) -> u32 {
        self.0 & 0xFFF
    }

    /// The memory node's number, as Linux keeps it: the bits above.
    pub fn node(self) -> u32 {
        self.0 >> 12
    }
}

impl Tsc {
    /// Finds out. Some milliseconds; 20 more where nobody states the frequency.
    ///
    /// # Errors
    /// [`Reason::NoTsc`]; on Linux with `std` [`Reason::TscDisabled`], instead of the fault that RDTSC would be;
    /// [`Reason::Unsteady`] if the counter stands still.
    pub fn detect() -> Result<Tsc, Unavailable> {
        if is_disabled() {
            return Err(Unavailable(Reason::TscDisabled));
        }
        let features = Features::of_this_processor();
        if !features.tsc {
            return Err(Unavailable(Reason::NoTsc));
        }
        let ratio = core_clocks_per_tick();
        // Of a counter that stands still nothing can be said.
        if !ratio.is_finite() || ratio <= 0.0 {
            return Err(Unavailable(Reason::Unsteady));
        }
        Ok(Tsc {
            features,
            frequency: Frequency::detect(&features),
            aux: if features.rdtscp {
                Ok(Aux(fence::second(Fence::Rdtscp).aux))
            } else {
                Err(Unavailable(Reason::NoRdtscp))
            },
            quantum: quantum(),
            core_clocks_per_tick: ratio,
            cpuid_ticks: cpuid_ticks(),
            fences: Fence::ALL.map(Fence::cost),
            fence: Fence::here(),
        })
    }

    /// Whether CPUID leaves the virtual machine, and so takes thousands of ticks.
    pub fn cpuid_traps(&self) -> bool {
        self.cpuid_ticks > TRAP
    }
}

/// Whether RDTSC would fault in this process.
fn is_disabled() -> bool {
    #[cfg(all(feature = "std", target_os = "linux"))]
    {
        let mut state: libc::c_int = libc::PR_TSC_ENABLE;
        // SAFETY: PR_GET_TSC writes an int to the address it is given.
        let answer = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut state) };
        answer == 0 && state == libc::PR_TSC_SIGSEGV
    }
    #[cfg(not(all(feature = "std", target_os = "linux")))]
    {
        false
    }
}

/// The median of seven.
fn cpuid_ticks() -> u64 {
    let mut samples = [0; 7];
    for sample in &mut samples {
        *sample = ticks_of(Fence::Lfence, || {
            core::hint::black_box(core::arch::x86_64::__cpuid(0));
        });
    }
    samples.sort_unstable();
    samples[samples.len() / 2]
}

/// Ticks from the first to the second read around `region`, the probe's own included.
#[inline(always)]
pub(crate) fn ticks_of(fence: Fence, region: impl FnOnce()) -> u64 {
    let start = fence::first(fence);
    region();
    fence::second(fence).ticks.wrapping_sub(start.ticks)
}

#[cfg(test)]
mod tests;
