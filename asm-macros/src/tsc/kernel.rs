//! What the kernel knows of the time stamp counter's frequency: it has calibrated the counter when the machine was started.
//!
//! Linux states it in `tsc_freq_khz` where it was built to, and everywhere in the page behind a performance event: multiplier and
//! shift that turn ticks into nanoseconds. It leaves them out where its own clock is not the counter's, as in many virtual
//! machines.

#[cfg(all(feature = "perf", target_os = "linux"))]
mod page;

use super::frequency::{Frequency, FrequencySource};

/// What the kernel says, where it says it.
pub(super) fn frequency() -> Option<Frequency> {
    stated().or_else(converted).map(|hertz| Frequency {
        hertz,
        source: FrequencySource::Kernel,
    })
}

/// The file, in kilohertz.
fn stated() -> Option<u64> {
    let text = std::fs::read_to_string("/sys/devices/system/cpu/cpu0/tsc_freq_khz").ok()?;
    let kilohertz: u64 = text.trim().parse().ok()?;
    (kilohertz > 0).then_some(kilohertz * 1000)
}

/// By a performance event's page.
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
            eprintln!("skipped: this kernel does not say how fast the counter runs");
            return;
        };
        let counted = Frequency::calibrate().expect("a steady counter");
        assert!(
            (stated.hertz as f64 / counted.hertz as f64 - 1.0).abs() < 0.02,
            "{stated} {counted}"
        );
    }
}
