//! The frequency of the time stamp counter, and the source of that figure.

use core::fmt;

/// The frequency of the time stamp counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frequency {
    /// The frequency in ticks per second.
    pub hertz: u64,
    /// The source that stated the figure.
    pub source: FrequencySource,
}

/// The sources of a frequency, in the order in which they are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrequencySource {
    /// CPUID.15h states the crystal frequency and the ratio.
    Cpuid15,
    /// CPUID.15h states a ratio but no crystal frequency; the counter then runs at the base frequency in CPUID.16h.
    Cpuid15And16,
    /// CPUID.16h: the base frequency, rounded to a megahertz.
    Cpuid16,
    /// CPUID.40000010h of the hypervisor, in kilohertz.
    Hypervisor,
    /// The figure of the kernel, from `tsc_freq_khz` or its performance events.
    Kernel,
    /// A calibration here, against the monotonic clock of the operating system.
    Calibrated,
}

impl FrequencySource {
    /// The name of the source in a few words.
    pub const fn name(self) -> &'static str {
        match self {
            FrequencySource::Cpuid15 => "CPUID 15h",
            FrequencySource::Cpuid15And16 => "CPUID 15h and 16h",
            FrequencySource::Cpuid16 => "CPUID 16h, rounded to 1 MHz",
            FrequencySource::Hypervisor => "hypervisor, CPUID 40000010h",
            FrequencySource::Kernel => "kernel",
            FrequencySource::Calibrated => "calibrated against the monotonic clock",
        }
    }
}

impl fmt::Display for Frequency {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.3} MHz ({})", self.hertz as f64 / 1e6, self.source.name())
    }
}
