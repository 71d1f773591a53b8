//! Two events counted over a region of a Rust program: `profile!`, `start_profile!` and `end_profile!`.
//!
//! A profile is made as follows. The two events are opened as one group of Linux performance events, for this thread,
//! in user mode, and disabled. An empty region is then measured several times through the same functions that measure
//! yours, and the smallest count of each event is kept as its overhead. Then the group is enabled, your code runs, and
//! the group is disabled; only after that are the counts read and the overhead subtracted. Both events belong to one
//! group, so they count during the same interval and their ratio is meaningful. Between start and end there is no
//! allocation, no lock, and no system call other than the one that enables the group and the one that disables it.
//!
//! ```
//! use asm_macros::events::{Event, HostEvent};
//! use asm_macros::{end_profile, profile, start_profile};
//! use std::hint::black_box;
//!
//! let profile = profile!(Event::INSTRUCTIONS_EXECUTED, Event::BRANCHES, {
//!     (0..black_box(1000u32)).fold(0, |sum, next| sum ^ next)
//! });
//! println!("{profile}"); // Two numbers and their ratio, or why they are missing.
//! match profile.ratio() {
//!     Ok(ratio) => assert!(ratio > 1.0),
//!     Err(missing) => println!("no ratio here, {missing}"),
//! }
//!
//! let started = start_profile!(HostEvent::CORE_CLOCKS, HostEvent::PAGE_FAULTS);
//! let squares: Vec<u64> = (0..black_box(100)).map(|number| number * number).collect();
//! let profile = end_profile!(started);
//! assert_eq!(squares.len(), 100);
//! # let _ = profile;
//! ```
//!
//! Pass the inputs of the region through [`black_box`](core::hint::black_box), or the compiler may compute results in
//! advance. The value of a block goes through it automatically and is dropped after the end.
//!
//! A number that is not available is never 0: it is an [`Unavailable`] with its reason. Counts of page faults and
//! context switches come from the kernel and are available on every Linux; most other events need a performance
//! monitoring unit, which many virtual machines lack. The counters are not read with RDPMC, although some kernels allow
//! it: that would mean assembling each count from a page that the kernel may change at any time, to save an overhead
//! that is subtracted anyway.

#[cfg(not(all(feature = "perf", target_os = "linux")))]
mod absent;
#[cfg(all(feature = "perf", target_os = "linux"))]
mod group;
#[cfg(all(feature = "perf", target_os = "linux"))]
mod kernel;
#[cfg(all(test, feature = "perf", target_os = "linux"))]
pub(crate) mod tests;
#[cfg(all(feature = "perf", target_os = "linux"))]
mod why;

#[cfg(not(all(feature = "perf", target_os = "linux")))]
use absent::Counters;
#[cfg(all(feature = "perf", target_os = "linux"))]
use group::Counters;

use crate::events::{Countable, Quantity};
use crate::reason::{Reason, Unavailable};
use core::fmt;

/// Counts two events over a region: `profile!(first, second, { region })` is a [`Profile`].
///
/// The events are [`Event`](crate::events::Event)s or [`HostEvent`](crate::events::HostEvent)s. The value of the region
/// goes through [`black_box`](core::hint::black_box) and is dropped after the end; to keep it, use
/// [`start_profile!`](crate::start_profile) and [`end_profile!`](crate::end_profile).
///
/// ```
/// use asm_macros::{events::Event, profile};
/// let profile = profile!(Event::DATA_READ, Event::DATA_READ_MISS, { std::hint::black_box([1u8; 64]) });
/// println!("{profile}");
/// ```
///
/// # Constants
///
/// The compiler computes in advance what it can, and nothing of that is counted. Pass the inputs through `black_box`:
///
/// ```
/// use asm_macros::{events::Event, profile};
/// use std::hint::black_box;
///
/// let (first, second) = (Event::INSTRUCTIONS_EXECUTED, Event::BRANCHES);
/// let constant = profile!(first, second, { (1..=1000u64).sum::<u64>() }); // not what was meant: 500500
/// let computed = profile!(first, second, { (1..=black_box(1000u64)).sum::<u64>() });
/// println!("{constant}\n{computed}");
/// ```
#[macro_export]
macro_rules! profile {
    ($first:expr, $second:expr, $region:expr $(,)?) => {{
        let started = $crate::start_profile!($first, $second);
        #[allow(unused_braces)] // The region is always a block.
        let _value = ::core::hint::black_box($region);
        $crate::end_profile!(started)
    }};
    ($($other:tt)*) => {
        ::core::compile_error!(
            "profile! takes two events and a block: `profile!(Event::DATA_READ, Event::BRANCHES, { .. })`"
        )
    };
}

/// Starts counting two events: `start_profile!(first, second)` is a [`Started`], for
/// [`end_profile!`](crate::end_profile) on the same thread.
///
/// The compiler computes what it can in advance, and moves what touches no memory out of the region. Pass the inputs
/// and the results through `black_box`; without it, this region would be empty:
///
/// ```
/// use asm_macros::{end_profile, events::Event, start_profile};
/// use std::hint::black_box;
///
/// let started = start_profile!(Event::INSTRUCTIONS_EXECUTED, Event::BRANCHES);
/// let sum = black_box((1..=black_box(1000u64)).sum::<u64>());
/// let profile = end_profile!(started);
/// assert_eq!(sum, 500_500);
/// println!("{profile}");
/// ```
#[macro_export]
macro_rules! start_profile {
    ($first:expr, $second:expr $(,)?) => {
        $crate::profile::Prepared::new([
            $crate::events::Countable::from($first),
            $crate::events::Countable::from($second),
        ])
        .start()
    };
    ($($other:tt)*) => {
        ::core::compile_error!("start_profile! takes two events: `start_profile!(Event::DATA_READ, Event::BRANCHES)`")
    };
}

/// Ends the region that [`start_profile!`](crate::start_profile) started: `end_profile!(started)` is a [`Profile`].
#[macro_export]
macro_rules! end_profile {
    ($started:expr $(,)?) => {
        $crate::profile::Profile::from($started.stop())
    };
    ($($other:tt)*) => {
        ::core::compile_error!("end_profile! takes the value of start_profile!")
    };
}

/// The number of runs of the empty region. The first runs are cold; a warm one gives the smallest count.
const DRY_RUNS: usize = 16;

/// Open events with known overheads, which do not count yet.
pub struct Prepared<const N: usize>(Counters<N>);

/// Events that are counting. Moving this moves a single pointer, which adds next to nothing to the counts.
///
/// It belongs to the thread that started it, because that thread is the one counted.
///
/// ```compile_fail,E0277
/// use asm_macros::{events::Event, start_profile};
/// let started = start_profile!(Event::BRANCHES, Event::DATA_READ);
/// std::thread::spawn(move || started.stop());
/// ```
#[must_use = "the events count until they are stopped"]
pub struct Started<const N: usize>(Prepared<N>);

/// Events that have counted, with their counts still to be read.
pub struct Stopped<const N: usize>(Prepared<N>);

impl<const N: usize> Prepared<N> {
    /// Opens the events in one group and measures the overhead of each in that group.
    ///
    /// Events that cannot be counted are left out of the group; the others are counted without them.
    pub fn new(events: [Countable; N]) -> Prepared<N> {
        Prepared::with(Counters::open(events))
    }

    fn with(counters: Counters<N>) -> Prepared<N> {
        let mut prepared = Prepared(counters);
        for _ in 0..DRY_RUNS {
            prepared = prepared.start().stop().0;
            prepared.0.settle_dry_run();
        }
        prepared
    }

    /// Starts counting. Never inlined, so that a dry run and a real one execute the same path.
    #[inline(never)]
    pub fn start(mut self) -> Started<N> {
        self.0.enable();
        Started(self)
    }
}

impl<const N: usize> Started<N> {
    /// Stops counting. Never inlined, so that a dry run and a real one execute the same path.
    #[inline(never)]
    pub fn stop(mut self) -> Stopped<N> {
        self.0.0.disable();
        Stopped(self.0)
    }
}

impl<const N: usize> Stopped<N> {
    /// The counts, in the order in which the events were given.
    pub fn readings(self) -> [Reading; N] {
        self.0.0.read()
    }
}

/// The count of an event over a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The count from start to end, including that of the macros.
    pub raw: u64,
    /// The count of the macros: the smallest count of an empty region.
    pub overhead: u64,
}

impl Counted {
    /// The count net of overhead.
    ///
    /// A raw count below the overhead can only mean that the region added less than the counts vary by; the result is
    /// then 0, and [`below_overhead`](Counted::below_overhead) is true.
    pub fn net(self) -> u64 {
        self.raw.saturating_sub(self.overhead)
    }

    /// Whether less was counted than for an empty region.
    pub fn below_overhead(self) -> bool {
        self.raw < self.overhead
    }
}

/// An event and its count, or the reason why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The event that was requested.
    pub event: Countable,
    /// The count over the region, or the reason why there is none.
    pub counted: Result<Counted, Unavailable>,
}

impl Reading {
    /// The count net of overhead.
    ///
    /// # Errors
    /// The reason why the event was not counted.
    pub fn net(&self) -> Result<u64, Unavailable> {
        self.counted.map(Counted::net)
    }

    /// The number of these events per `other`.
    ///
    /// # Errors
    /// The reason why either event was not counted, or [`Reason::NothingCounted`] if `other` did not occur.
    pub fn per(&self, other: &Reading) -> Result<f64, Unavailable> {
        let (of, each) = (self.net()?, other.net()?);
        if each == 0 {
            return Err(Unavailable(Reason::NothingCounted {
                event: other.event.name(),
            }));
        }
        Ok(of as f64 / each as f64)
    }
}

impl fmt::Display for Reading {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.event.name();
        let counted = match self.counted {
            Ok(counted) => counted,
            Err(missing) => return write!(out, "{name}: {missing}"),
        };
        write!(out, "{name}: {}", counted.net())?;
        if matches!(self.event, Countable::HostEvent(event) if event.row().quantity == Quantity::Nanoseconds) {
            out.write_str(" ns")?;
        }
        let Counted { raw, overhead } = counted;
        if counted.below_overhead() {
            write!(out, " ({raw} counted, fewer than the {overhead} of an empty region")?;
        } else {
            write!(out, " ({raw} counted, {overhead} of them overhead")?;
        }
        // The processor's vendor defines what the kernel's generic event counts, so an event of the Pentium names it.
        match (self.event, self.event.generic()) {
            (Countable::Event(_), Ok(generic)) => write!(out, "; host event {generic})"),
            _ => out.write_str(")"),
        }
    }
}

/// The counts of two events over the same interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "the counts are in the readings; print them or read them"]
pub struct Profile {
    /// The count of the first event.
    pub first: Reading,
    /// The count of the second event.
    pub second: Reading,
}

impl Profile {
    /// The number of first events per second event, net of overhead: with clocks as the first, the clocks per event.
    ///
    /// # Errors
    /// The reason why either event was not counted, or [`Reason::NothingCounted`] if the second did not occur.
    pub fn ratio(&self) -> Result<f64, Unavailable> {
        self.first.per(&self.second)
    }
}

impl From<Stopped<2>> for Profile {
    fn from(stopped: Stopped<2>) -> Profile {
        let [first, second] = stopped.readings();
        Profile { first, second }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Err(reason), Err(other)) = (self.first.counted, self.second.counted)
            && reason == other
        {
            return write!(
                out,
                "{} and {}: {reason}",
                self.first.event.name(),
                self.second.event.name()
            );
        }
        writeln!(out, "{}", self.first)?;
        write!(out, "{}", self.second)?;
        match self.ratio() {
            Ok(ratio) => {
                let (first, second) = (self.first.event.name(), self.second.event.name());
                write!(out, "\nratio: {ratio:.2} {first} per {second}")
            }
            // The loop above has printed the reason for a missing number.
            Err(missing @ Unavailable(Reason::NothingCounted { .. })) => write!(out, "\nratio: {missing}"),
            Err(_) => Ok(()),
        }
    }
}
