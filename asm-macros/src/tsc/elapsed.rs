//! A pair of reads around a region: `start_tsc!`, `end_tsc!`, `tsc!`, and what they give.

use super::chain::core_clocks_per_tick;
use super::fence::{self, Fence, Stamp};
use super::ticks_of;
use crate::{Reason, Unavailable};
use core::fmt;
use core::hint::black_box;
use core::sync::atomic::{AtomicU64, Ordering};

/// The first read of a pair. `start_tsc!` makes it, `end_tsc!` takes it.
#[derive(Clone, Copy, Debug)]
#[must_use = "a region has no length until `end_tsc!` is given its start"]
pub struct Start {
    fence: Fence,
    chosen: bool,
    stamp: Stamp,
}

/// What passed between the two reads of a pair.
#[derive(Clone, Copy, Debug)]
#[must_use = "what was measured is told by its `ticks` and `core_clocks`, or by printing it"]
pub struct Elapsed {
    raw: u64,
    overhead: Overhead,
    processors: Option<(u32, u32)>,
}

/// What a pair of reads around nothing shows, in ticks: the median of 1,001 pairs, and the mean of those that were not
/// interrupted, which is finer than the counter's step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overhead {
    /// The median, a difference as single pairs show it.
    pub median: u64,
    /// The mean, for what is a mean itself.
    pub mean: f64,
}

impl Start {
    /// Reads with a fence that is known when the program is built.
    #[doc(hidden)]
    #[inline(always)]
    pub fn read(fence: Fence) -> Start {
        Start {
            fence,
            chosen: true,
            stamp: fence::first(fence),
        }
    }

    /// Reads with the fence that is best here.
    #[doc(hidden)]
    #[inline(always)]
    pub fn here() -> Start {
        let fence = Fence::here();
        Start {
            fence,
            chosen: false,
            stamp: fence::first_here(fence),
        }
    }

    /// Reads again and says what passed.
    #[doc(hidden)]
    #[inline(always)]
    pub fn end(self) -> Elapsed {
        let end = if self.chosen {
            fence::second(self.fence)
        } else {
            fence::second_here(self.fence)
        };
        Elapsed {
            raw: end.ticks.wrapping_sub(self.stamp.ticks),
            overhead: Overhead::of(self.fence, self.chosen),
            processors: (self.fence == Fence::Rdtscp).then_some((self.stamp.aux, end.aux)),
        }
    }
}

impl Elapsed {
    /// Ticks, the probe's own taken off; 0 where the region took less than the probe varies (one step of the counter), and
    /// where the counter went [backwards](Elapsed::went_backwards).
    #[inline]
    pub fn ticks(&self) -> u64 {
        u64::try_from(self.signed_ticks()).unwrap_or(0)
    }

    /// Whether the second read is behind the first: the thread was moved between processors whose counters differ, or somebody
    /// set the counter. Nothing is known of the region then.
    #[inline]
    pub fn went_backwards(&self) -> bool {
        self.raw > i64::MAX as u64
    }

    /// Ticks, the probe's own taken off: negative where this pair was quicker than the median empty one.
    #[inline]
    pub fn signed_ticks(&self) -> i64 {
        self.raw.wrapping_sub(self.overhead.median) as i64
    }

    /// Ticks between the reads, the probe's own included, modulo 2^64.
    #[inline]
    pub fn raw_ticks(&self) -> u64 {
        self.raw
    }

    /// What was taken off.
    pub fn overhead(&self) -> Overhead {
        self.overhead
    }

    /// Core clocks, estimated from the ratio as it is now: measured by this call, in about 0.2 milliseconds.
    pub fn core_clocks(&self) -> f64 {
        self.ticks() as f64 * core_clocks_per_tick()
    }

    /// Whether the region began and ended on different processors; `None` with a fence that does not tell.
    pub fn moved(&self) -> Option<bool> {
        self.processors.map(|(from, to)| from != to)
    }
}

impl fmt::Display for Elapsed {
    /// Both units; the core clocks are measured here, see [`Elapsed::core_clocks`].
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.went_backwards() {
            return Unavailable(Reason::Unsteady).fmt(out);
        }
        write!(
            out,
            "{} ticks, about {:.0} core clocks",
            self.ticks(),
            self.core_clocks()
        )?;
        if self.moved() == Some(true) {
            out.write_str(" (moved to another processor meanwhile)")?;
        }
        Ok(())
    }
}

/// Overheads by fence, then by whether the fence was known when the program was built: median and the mean's bits. The
/// median is written last and is never 0.
static CALIBRATED: [[(AtomicU64, AtomicU64); 2]; 4] =
    [const { [const { (AtomicU64::new(0), AtomicU64::new(0)) }; 2] }; 4];

impl Overhead {
    /// The overhead of a pair with this fence, measured by the first call. With CPUID that takes milliseconds.
    #[inline]
    pub(crate) fn of(fence: Fence, chosen: bool) -> Overhead {
        let (median, mean) = &CALIBRATED[fence as usize - 1][usize::from(chosen)];
        match median.load(Ordering::Acquire) {
            0 => calibrate(fence, chosen),
            median => Overhead {
                median,
                mean: f64::from_bits(mean.load(Ordering::Relaxed)),
            },
        }
    }
}

/// Measures the overhead the way regions are measured, and keeps it.
#[cold]
#[inline(never)]
fn calibrate(fence: Fence, chosen: bool) -> Overhead {
    const PAIRS: usize = 1001;
    let pairs = if fence == Fence::Cpuid { 101 } else { PAIRS };
    let mut samples = [0u64; PAIRS];
    let samples = &mut samples[..pairs];
    for pass in 0..2 {
        for (index, sample) in samples.iter_mut().enumerate() {
            // A pause of another length each time: the pairs meet the counter's step at all of its phases.
            for _ in 0..(index + pass) % 37 {
                core::hint::spin_loop();
            }
            *sample = match fence {
                Fence::Lfence if chosen => ticks_of(Fence::Lfence, || ()),
                Fence::Rdtscp if chosen => ticks_of(Fence::Rdtscp, || ()),
                Fence::None if chosen => ticks_of(Fence::None, || ()),
                Fence::Cpuid if chosen => ticks_of(Fence::Cpuid, || ()),
                // The choice stands in a register, as it does where the macros ask for it.
                _ => {
                    let fence = black_box(fence);
                    let start = fence::first_here(fence);
                    fence::second_here(fence).ticks.wrapping_sub(start.ticks)
                }
            };
        }
    }
    samples.sort_unstable();
    let overhead = Overhead {
        median: samples[pairs / 2].max(1),
        mean: crate::statistics::undisturbed_mean(samples),
    };
    let (median, mean) = &CALIBRATED[fence as usize - 1][usize::from(chosen)];
    mean.store(overhead.mean.to_bits(), Ordering::Relaxed);
    median.store(overhead.median, Ordering::Release);
    overhead
}

/// Names a fence: `$crate::fence!(lfence)`.
#[doc(hidden)]
#[macro_export]
macro_rules! __fence {
    () => {
        $crate::tsc::Fence::here()
    };
    (lfence) => {
        $crate::tsc::Fence::Lfence
    };
    (rdtscp) => {
        $crate::tsc::Fence::Rdtscp
    };
    (cpuid) => {
        $crate::tsc::Fence::Cpuid
    };
    (none) => {
        $crate::tsc::Fence::None
    };
    ($other:ident) => {
        ::core::compile_error!(::core::concat!(
            "there is no fence `",
            ::core::stringify!($other),
            "`: lfence, rdtscp, cpuid, none"
        ))
    };
}

/// Begins a region: reads the time stamp counter, and gives a [`Start`](crate::tsc::Start) for [`end_tsc!`](crate::end_tsc).
///
/// A fence may be named: `start_tsc!(rdtscp)`; see [`Fence`](crate::tsc::Fence). `end_tsc!` uses the same.
///
/// ```
/// use asm_macros::{end_tsc, start_tsc};
/// use std::hint::black_box;
///
/// let start = start_tsc!();
/// let sum = black_box(black_box(2) + 2);
/// let elapsed = end_tsc!(start);
/// assert_eq!(sum, 4);
/// println!("{elapsed}");
/// ```
#[macro_export]
macro_rules! start_tsc {
    () => {
        $crate::tsc::Start::here()
    };
    ($fence:ident $(,)?) => {
        $crate::tsc::Start::read($crate::__fence!($fence))
    };
    ($($other:tt)*) => {
        ::core::compile_error!("start_tsc! takes nothing, or the name of a fence: lfence, rdtscp, cpuid, none")
    };
}

/// Ends the region that [`start_tsc!`](crate::start_tsc) began, and gives what [`Elapsed`](crate::tsc::Elapsed).
#[macro_export]
macro_rules! end_tsc {
    ($start:expr $(,)?) => {
        $crate::tsc::Start::end($start)
    };
    ($($other:tt)*) => {
        ::core::compile_error!("end_tsc! takes what start_tsc! gave: `let start = start_tsc!(); ... end_tsc!(start)`")
    };
}

/// Measures a block: `start_tsc!`, the block, `end_tsc!`; gives what [`Elapsed`](crate::tsc::Elapsed).
///
/// The block runs once, in place: it may use and change what is around it, and leave by `?` or `return`, without a
/// measurement then. Its value is held to be used, so what leads to it stays between the reads. What it begins from is known
/// to the compiler unless `black_box` hides it.
///
/// ```
/// use asm_macros::tsc;
/// use std::hint::black_box;
///
/// let elapsed = tsc!({ black_box(10u64).pow(black_box(9)) });
/// println!("{} ticks", elapsed.ticks());
/// let fenced = tsc!(lfence, { black_box(7u64) / black_box(3) });
/// println!("{fenced}");
/// ```
///
/// Anything but a block, such as an expression without braces, does not compile:
///
/// ```compile_fail
/// let elapsed = asm_macros::tsc!(7 / 3);
/// # let _ = elapsed;
/// ```
///
/// A measurement that nobody looks at is warned of:
///
/// ```compile_fail
/// #![deny(unused_must_use)]
/// asm_macros::tsc!({ 7 / 3 });
/// ```
#[macro_export]
macro_rules! tsc {
    ($fence:ident, $block:block $(,)?) => {{
        let start = $crate::start_tsc!($fence);
        ::core::hint::black_box($block);
        $crate::end_tsc!(start)
    }};
    ($block:block $(,)?) => {{
        let start = $crate::start_tsc!();
        ::core::hint::black_box($block);
        $crate::end_tsc!(start)
    }};
    ($($other:tt)*) => {
        ::core::compile_error!(
            "tsc! takes a block in braces, and before it the name of a fence if you like: `tsc!({ .. })`, `tsc!(lfence, { .. })`"
        )
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elapsed(raw: u64) -> Elapsed {
        let overhead = Overhead { median: 52, mean: 51.3 };
        Elapsed {
            raw,
            overhead,
            processors: Some((0, 1)),
        }
    }

    #[test]
    fn the_overhead_is_taken_off_and_no_difference_wraps() {
        assert_eq!((elapsed(152).ticks(), elapsed(152).signed_ticks()), (100, 100));
        assert_eq!((elapsed(26).ticks(), elapsed(26).signed_ticks()), (0, -26));
        assert_eq!(elapsed(152).moved(), Some(true));
        assert!(!elapsed(26).went_backwards());
    }

    #[test]
    fn a_counter_that_went_backwards_is_said_to_have() {
        let back = elapsed(1000u64.wrapping_sub(4000));
        assert!(back.went_backwards());
        assert_eq!((back.ticks(), back.signed_ticks()), (0, -3052));
        assert!(
            back.to_string().starts_with("unavailable: the time stamp counter"),
            "{back}"
        );
    }
}
