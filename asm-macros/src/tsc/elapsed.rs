//! A pair of reads around a region: `start_tsc!`, `end_tsc!`, `tsc!`, and their results.

use super::chain::core_clocks_per_tick;
use super::fence::{self, Fence, Stamp};
use super::ticks_of;
use crate::{Reason, Unavailable};
use core::fmt;
use core::hint::black_box;
use core::sync::atomic::{AtomicU64, Ordering};

/// The first read of a pair, made by `start_tsc!` and taken by `end_tsc!`.
#[derive(Clone, Copy, Debug)]
#[must_use = "pass the start of a region to `end_tsc!`"]
pub struct Start {
    fence: Fence,
    chosen: bool,
    stamp: Stamp,
}

/// The time between the two reads of a pair, for a single run without a warm-up.
#[derive(Clone, Copy)]
#[must_use = "a measurement has no effect unless it is printed or read"]
pub struct Elapsed {
    raw: u64,
    overhead: Overhead,
    processors: Option<(u32, u32)>,
    debug: bool,
}

/// The cost of an empty pair of reads in ticks: the median of 1,001 pairs, and the mean of the uninterrupted ones,
/// which is finer than the step of the counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overhead {
    /// The median in ticks, for single pairs.
    pub median: u64,
    /// The mean in ticks, for means of many pairs.
    pub mean: f64,
}

impl Start {
    /// Reads with a fence chosen at compile time.
    #[doc(hidden)]
    #[inline(always)]
    pub fn read(fence: Fence) -> Start {
        Start {
            fence,
            chosen: true,
            stamp: fence::first(fence),
        }
    }

    /// Reads with the best fence on this machine.
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

    /// Reads again and returns the time between the reads.
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
            debug: false,
        }
    }
}

impl Elapsed {
    /// The same of code that is built with debug assertions, or without.
    #[doc(hidden)]
    #[inline(always)]
    pub fn with_debug_assertions(self, debug: bool) -> Elapsed {
        Elapsed { debug, ..self }
    }

    /// Ticks, net of probe overhead. They are 0 if the region took less than the variation of the probe (one step of
    /// the counter), or if the counter went [backwards](Elapsed::went_backwards).
    #[inline]
    pub fn ticks(&self) -> u64 {
        u64::try_from(self.signed_ticks()).unwrap_or(0)
    }

    /// Whether the second read is less than the first: the thread moved between processors whose counters differ, or
    /// the counter was written. The measurement is then meaningless.
    #[inline]
    pub fn went_backwards(&self) -> bool {
        self.raw > i64::MAX as u64
    }

    /// Ticks, net of probe overhead; negative if this pair was faster than the median empty one.
    #[inline]
    pub fn signed_ticks(&self) -> i64 {
        self.raw.wrapping_sub(self.overhead.median) as i64
    }

    /// Ticks between the reads, including probe overhead, modulo 2^64.
    #[inline]
    pub fn raw_ticks(&self) -> u64 {
        self.raw
    }

    /// The overhead that [`ticks`](Elapsed::ticks) subtracts.
    pub fn overhead(&self) -> Overhead {
        self.overhead
    }

    /// Core clocks, estimated from the current ratio, which this call measures in about 0.2 milliseconds.
    pub fn core_clocks(&self) -> f64 {
        self.ticks() as f64 * core_clocks_per_tick()
    }

    /// Whether the region started and ended on different processors; `None` if the fence does not read the processor.
    pub fn moved(&self) -> Option<bool> {
        self.processors.map(|(from, to)| from != to)
    }
}

impl fmt::Display for Elapsed {
    /// Shows both units, and that this is a single run. The ratio for core clocks is measured here, see
    /// [`Elapsed::core_clocks`].
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.went_backwards() {
            return Unavailable(Reason::Unsteady).fmt(out);
        }
        write!(
            out,
            "{} ticks, about {:.0} core clocks (single run, not warmed up)",
            self.ticks(),
            self.core_clocks()
        )?;
        if self.moved() == Some(true) {
            out.write_str("; moved to another processor in between")?;
        }
        if self.debug {
            out.write_str(crate::OF_DEBUG_BUILD)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Elapsed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Elapsed")
            .field("ticks", &self.signed_ticks())
            .field("raw_ticks", &self.raw)
            .field("overhead", &self.overhead.median)
            .field("moved", &self.moved())
            .finish()
    }
}

/// Overheads by fence, then by whether the fence was chosen at compile time: the median and the bits of the mean. The
/// median is written last and is never 0.
static CALIBRATED: [[(AtomicU64, AtomicU64); 2]; 4] =
    [const { [const { (AtomicU64::new(0), AtomicU64::new(0)) }; 2] }; 4];

impl Overhead {
    /// The overhead of a pair with this fence. The first call measures it, which takes milliseconds for CPUID.
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

/// Measures the overhead in the same way as a region, and stores it.
#[cold]
#[inline(never)]
pub(super) fn calibrate(fence: Fence, chosen: bool) -> Overhead {
    const PAIRS: usize = 1001;
    let pairs = if fence == Fence::Cpuid { 101 } else { PAIRS };
    let mut samples = [0u64; PAIRS];
    let samples = &mut samples[..pairs];
    for pass in 0..2 {
        for (index, sample) in samples.iter_mut().enumerate() {
            // Pauses of different lengths spread the starts of the pairs over all phases of the counter's step.
            for _ in 0..(index + pass) % 37 {
                core::hint::spin_loop();
            }
            *sample = match fence {
                Fence::Lfence if chosen => ticks_of(Fence::Lfence, || ()),
                Fence::Rdtscp if chosen => ticks_of(Fence::Rdtscp, || ()),
                Fence::None if chosen => ticks_of(Fence::None, || ()),
                Fence::Cpuid if chosen => ticks_of(Fence::Cpuid, || ()),
                // The macros keep the fence in a register, too.
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
            "unknown fence `",
            ::core::stringify!($other),
            "`; expected lfence, rdtscp, cpuid or none"
        ))
    };
}

/// Starts a region: reads the time stamp counter and returns a [`Start`](crate::tsc::Start) for
/// [`end_tsc!`](crate::end_tsc).
///
/// It takes an optional fence, as in `start_tsc!(rdtscp)`; see [`Fence`](crate::tsc::Fence). `end_tsc!` uses the same
/// one. Nothing is measured until then: of a start without an end, the compiler says that its variable is unused.
///
/// The compiler computes what it can in advance, and moves what touches no memory out of the region. Pass the inputs
/// and the results through `black_box`, as here; without it, this region would be empty:
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
        ::core::compile_error!("start_tsc! takes no argument or a fence: lfence, rdtscp, cpuid or none")
    };
}

/// Ends the region that [`start_tsc!`](crate::start_tsc) started and returns an [`Elapsed`](crate::tsc::Elapsed).
#[macro_export]
macro_rules! end_tsc {
    ($start:expr $(,)?) => {
        $crate::tsc::Start::end($start).with_debug_assertions(::core::cfg!(debug_assertions))
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "end_tsc! takes the value of start_tsc!: `let start = start_tsc!(); ... end_tsc!(start)`"
        )
    };
}

/// Measures a block between `start_tsc!` and `end_tsc!`, and returns an [`Elapsed`](crate::tsc::Elapsed).
///
/// The block runs once, in place, and nothing warms it up: the first time, its code and data may not be in the caches,
/// and its branches are not predicted. The display says so; [`measure!`](crate::measure!) is for the warm cost. The
/// block may use and change its surroundings, and may leave through `?` or `return`; there is no measurement then.
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
/// # Constants
///
/// The value of the block goes through `black_box`, so that it is there between the reads. Its inputs are known to the
/// compiler, which computes what it can in advance. Hide them:
///
/// ```
/// use asm_macros::tsc;
/// use std::hint::black_box;
///
/// let constant = tsc!({ (1..=1000u64).sum::<u64>() }); // not what was meant: 500500 is in the program
/// let computed = tsc!({ (1..=black_box(1000u64)).sum::<u64>() });
/// println!("{constant}\n{computed}");
/// ```
///
/// An expression without braces does not compile:
///
/// ```compile_fail
/// let elapsed = asm_macros::tsc!(7 / 3);
/// # let _ = elapsed;
/// ```
///
/// An unused measurement causes a warning:
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
            "tsc! takes an optional fence and a block in braces: `tsc!({ .. })`, `tsc!(lfence, { .. })`"
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
            debug: false,
        }
    }

    #[test]
    fn the_overhead_is_taken_off_and_no_difference_wraps() {
        assert_eq!((elapsed(152).ticks(), elapsed(152).signed_ticks()), (100, 100));
        assert_eq!((elapsed(26).ticks(), elapsed(26).signed_ticks()), (0, -26));
        assert_eq!(elapsed(152).moved(), Some(true));
        assert_eq!(
            format!("{:?}", elapsed(26)),
            "Elapsed { ticks: -26, raw_ticks: 26, overhead: 52, moved: Some(true) }"
        );
        assert!(!elapsed(26).went_backwards());
    }

    #[test]
    fn a_single_run_is_called_one() {
        let words = elapsed(152).to_string();
        assert!(words.starts_with("100 ticks, about "), "{words}");
        assert!(
            words.ends_with(" core clocks (single run, not warmed up); moved to another processor in between"),
            "{words}"
        );
        let debug = elapsed(152).with_debug_assertions(true).to_string();
        let said = "; built with debug assertions: the code may not be optimised";
        assert!(debug.ends_with(said), "{debug}");
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
