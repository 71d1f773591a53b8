//! Finds the frequency of the time stamp counter: from the first source that states it, or by measuring it.

use super::Features;
use super::frequency::Frequency;
#[cfg(feature = "std")]
use super::frequency::FrequencySource;
use crate::{Reason, Unavailable};

impl Frequency {
    /// Tries the CPUID leaves, then the kernel, then calibrates, which takes about 20 milliseconds.
    ///
    /// # Errors
    /// [`Reason::NoClock`] without `std`, [`Reason::Unsteady`] if two rounds do not agree within 0.1 %.
    pub fn detect(features: &Features) -> Result<Frequency, Unavailable> {
        match features.frequency {
            Some(frequency) => Ok(frequency),
            None => elsewhere(),
        }
    }
}

#[cfg(not(feature = "std"))]
fn elsewhere() -> Result<Frequency, Unavailable> {
    Err(Unavailable(Reason::NoClock))
}

#[cfg(feature = "std")]
fn elsewhere() -> Result<Frequency, Unavailable> {
    match super::kernel::frequency() {
        Some(frequency) => Ok(frequency),
        None => Frequency::calibrate(),
    }
}

#[cfg(feature = "std")]
impl Frequency {
    /// Counts ticks against the monotonic clock in rounds of 10 milliseconds, at most 5, until two agree within 10
    /// parts per million.
    ///
    /// # Errors
    /// [`Reason::Unsteady`] if the best two rounds differ by more than 0.1 %: the thread moved or the counter is
    /// uneven.
    pub fn calibrate() -> Result<Frequency, Unavailable> {
        const ROUND: std::time::Duration = std::time::Duration::from_millis(10);
        let mut rounds = [0f64; 5];
        let mut best = (f64::INFINITY, 0.0);
        for round in 0..rounds.len() {
            let (begun, from) = moment();
            std::thread::sleep(ROUND);
            let (ended, to) = moment();
            let seconds = ended.duration_since(begun).as_secs_f64();
            rounds[round] = to.wrapping_sub(from) as f64 / seconds;
            for &earlier in &rounds[..round] {
                let apart = (rounds[round] - earlier).abs() / rounds[round];
                // `apart` is NaN if the counter did not advance, and compares false.
                if apart < best.0 {
                    best = (apart, f64::midpoint(rounds[round], earlier));
                }
            }
            if best.0 < 10e-6 {
                break;
            }
        }
        if best.0 > 1e-3 || best.1 < 1.0 {
            return Err(Unavailable(Reason::Unsteady));
        }
        Ok(Frequency {
            hertz: best.1.round() as u64,
            source: FrequencySource::Calibrated,
        })
    }
}

/// The clock and the counter at the same moment, from the tightest of several readings.
#[cfg(feature = "std")]
fn moment() -> (std::time::Instant, u64) {
    use super::fence::{Fence, second};
    let mut best = None;
    let mut narrowest = u64::MAX;
    for _ in 0..8 {
        let before = second(Fence::Lfence).ticks;
        let now = std::time::Instant::now();
        let width = second(Fence::Lfence).ticks.wrapping_sub(before);
        if width < narrowest || best.is_none() {
            narrowest = width;
            best = Some((now, before.wrapping_add(width / 2)));
        }
    }
    best.unwrap_or_else(|| (std::time::Instant::now(), second(Fence::Lfence).ticks))
}
