//! The frequency of the time stamp counter according to the kernel, which calibrates the counter at boot.
//!
//! Linux states it in `tsc_freq_khz` if so configured, and always in the mapped page of a performance event, as the
//! multiplier and shift that convert ticks to nanoseconds. It omits them if its own clock is not based on the counter,
//! as in many virtual machines.

#[cfg(all(feature = "perf", target_os = "linux"))]
mod page;

use super::frequency::{Frequency, FrequencySource};

pub(super) fn frequency() -> Option<Frequency> {
    stated().or_else(converted).map(|hertz| Frequency {
        hertz,
        source: FrequencySource::Kernel,
    })
}

/// Reads the file, which states kilohertz.
fn stated() -> Option<u64> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/tsc_freq_khz").ok()?;
    let kilohertz: u64 = text.trim().parse().ok()?;
    (kilohertz > 0).then_some(kilohertz * 1000)
}

/// Converts the multiplier and shift in the page of a performance event.
fn converted() -> Option<u64> {
    #[cfg(all(feature = "perf", target_os = "linux"))]
    {
        page::frequency()
    }
    #[cfg(not(all(feature = "perf", target_os = "linux")))]
    {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_this_kernel_says_agrees_with_the_clock() {
        let Some(stated) = frequency() else {
            eprintln!("skipped: this kernel does not state the frequency of the counter");
            return;
        };
        let counted = Frequency::calibrate().expect("a steady counter");
        assert!(
            (stated.hertz as f64 / counted.hertz as f64 - 1.0).abs() < 0.02,
            "{stated} {counted}"
        );
    }
}
