//! The time stamp counter: its properties on this machine, and reads of it around a few lines of code.
//!
//! The counter counts *ticks* of its own clock. Ticks are not core clocks: a core runs slower or faster than its time
//! stamp counter, at a varying frequency. Both units are given, and each is always named.

pub(crate) mod chain;
mod detection;
mod elapsed;
mod fence;
mod fence_cost;
mod frequency;
mod hypervisor;
#[cfg(feature = "std")]
mod kernel;
mod leaves;
mod quantum;

pub use chain::{additions, core_clocks_per_tick};
pub use elapsed::{Elapsed, Overhead, Start};
pub use fence::{Fence, Stamp};
pub use fence_cost::FenceCost;
pub use frequency::{Frequency, FrequencySource};
pub use hypervisor::Hypervisor;
pub use leaves::Features;
pub use quantum::quantum;

use crate::{Reason, Unavailable};

/// More ticks than CPUID takes on any processor: if it takes more, a hypervisor handles it.
const TRAP: u64 = 1000;

/// The properties of the time stamp counter of this machine.
#[derive(Clone, Copy, Debug)]
pub struct Tsc {
    /// The features that CPUID reports.
    pub features: Features,
    /// The ticks per second, and the source of the figure.
    pub frequency: Result<Frequency, Unavailable>,
    /// The value of IA32_TSC_AUX, read by RDTSCP.
    pub aux: Result<Aux, Unavailable>,
    /// The step of the counter in ticks: no single difference is finer.
    pub quantum: u64,
    /// Core clocks per tick at the time of measurement; see [`core_clocks_per_tick`].
    pub core_clocks_per_tick: f64,
    /// The ticks of one CPUID, the median of seven.
    pub cpuid_ticks: u64,
    /// The cost of each fence, in the order of [`Fence::ALL`].
    pub fences: [Result<FenceCost, Unavailable>; 4],
    /// The fence that the macros use by default.
    pub fence: Fence,
}

/// The value of IA32_TSC_AUX, which the kernel sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Aux(pub u32);

impl Aux {
    /// The processor number as Linux stores it: the low 12 bits.
    pub fn processor(self) -> u32 {
        self.0 & 0xFFF
    }

    /// The memory node as Linux stores it: the bits above the low 12.
    pub fn node(self) -> u32 {
        self.0 >> 12
    }
}

impl Tsc {
    /// Detects the counter of this machine. Takes a few milliseconds, and 20 more if the frequency must be calibrated.
    ///
    /// # Errors
    /// [`Reason::NoTsc`]; on Linux with `std` [`Reason::TscDisabled`], where RDTSC would fault;
    /// [`Reason::Unsteady`] if the counter does not advance.
    pub fn detect() -> Result<Tsc, Unavailable> {
        if is_disabled() {
            return Err(Unavailable(Reason::TscDisabled));
        }
        let features = Features::of_this_processor();
        if !features.tsc {
            return Err(Unavailable(Reason::NoTsc));
        }
        let ratio = core_clocks_per_tick();
        // A counter that does not advance has no ratio.
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

    /// Whether CPUID exits the virtual machine and therefore takes thousands of ticks.
    pub fn cpuid_traps(&self) -> bool {
        self.cpuid_ticks > TRAP
    }
}

/// Whether RDTSC would fault in this process.
fn is_disabled() -> bool {
    #[cfg(all(feature = "std", target_os = "linux"))]
    {
        let mut state: libc::c_int = libc::PR_TSC_ENABLE;
        // SAFETY: PR_GET_TSC writes an int to the given address.
        let answer = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut state) };
        answer == 0 && state == libc::PR_TSC_SIGSEGV
    }
    #[cfg(not(all(feature = "std", target_os = "linux")))]
    {
        false
    }
}

/// The ticks of one CPUID, the median of seven.
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

/// Ticks from the first to the second read around `region`, including those of the probe.
#[inline(always)]
pub(crate) fn ticks_of(fence: Fence, region: impl FnOnce()) -> u64 {
    let start = fence::first(fence);
    region();
    fence::second(fence).ticks.wrapping_sub(start.ticks)
}

#[cfg(test)]
mod tests;
