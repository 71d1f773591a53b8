//! Macros that measure a few instructions, in ticks of the time stamp counter and in core clocks, with their own overhead
//! calibrated away; events and clocks per instruction; and the Pentium's event list and macro library.
//!
//! ```
//! # #[cfg(target_arch = "x86_64")] {
//! use asm_macros::{measure, tsc};
//! use std::hint::black_box;
//!
//! let once = tsc!({ black_box(12345u64) % black_box(67) }); // one execution, as it comes
//! let many = measure!({ black_box(12345u64) % black_box(67) }); // what one takes, from very many
//! println!("once: {once}\nmany: {many}");
//! # }
//! ```
//!
//! # How a measurement is made
//!
//! 1. RDTSC waits for nothing, so each read is fenced: what was before the region is done, what is in it has not begun.
//! 2. The fence is the cheapest one that orders on this machine, found by trying; or the one you name ([`tsc::Fence`]).
//! 3. A pair around nothing has been measured before: its median, the overhead, is taken off.
//! 4. The counter moves in steps (26 ticks on some machines): a single pair is no finer, and says nothing of short code.
//! 5. So `measure!` runs n and 2n unrolled copies in loops that are long against the step: the difference is n copies, no probe.
//! 6. Ticks are not core clocks: a chain of dependent additions beside each run tells how many core clocks a tick had just then.
//! 7. It does so 101 times: the median is the figure, the median absolute deviation says whether the machine was idle.
//! 8. The compiler moves no memory access across a read; values are kept in their place by `black_box`, which yours need too.
//! 9. Between the reads there is no allocation, no lock, no system call; a test reads the machine code to see it.
//! 10. What cannot be had is [`Unavailable`] with the reason in words, never 0.
//!
//! # Features
//!
//! * `std` (default): the operating system's clock where nobody states the counter's frequency. Without it the crate is
//!   `no_std` and allocates nothing: the time stamp counter and `measure!` work on bare metal.
//! * `perf` (default): events through Linux `perf_event_open`.
//! * `criterion`: `bench::Ticks` and `bench::CoreClocks`, measurements for criterion.
//! * `divan`: `bench::time`, a plain function for loops in divan's manner.
//!
//! The measuring macros need an x86-64 processor; the tables do not.
//!
//! # The tables
//!
//! One list of events serves this crate, the simulator and the assembler's macro library:
//!
//! ```
//! use asm_macros::events::Event;
//! assert_eq!(Event::INSTRUCTIONS_EXECUTED.selector(), 0x16);
//! ```

#![cfg_attr(not(any(feature = "std", test)), no_std)]

#[cfg(all(target_arch = "x86_64", any(feature = "criterion", feature = "divan")))]
pub mod bench;
pub mod cpi;
pub mod events;
#[cfg(feature = "std")]
pub mod library;
#[cfg(target_arch = "x86_64")]
pub mod measure;
pub mod msr;
pub mod profile;
mod reason;
pub mod statistics;
#[cfg(target_arch = "x86_64")]
pub mod tsc;

pub use reason::{Reason, Unavailable};

/// The code of the crate's README is run with the documentation tests.
#[cfg(all(doctest, target_arch = "x86_64"))]
#[doc = include_str!("../README.md")]
struct Readme;
