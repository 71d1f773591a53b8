//! Macros that measure a few instructions in ticks of the time stamp counter and in core clocks, net of probe overhead;
//! events and clocks per instruction; and the event list and macro library of the Pentium.
//!
//! ```
//! # #[cfg(target_arch = "x86_64")] {
//! use asm_macros::{measure, tsc};
//! use std::hint::black_box;
//!
//! let once = tsc!({ black_box(12345u64) % black_box(67) }); // a single execution, not warmed up
//! let many = measure!({ black_box(12345u64) % black_box(67) }); // the cost of one, from very many
//! println!("once: {once}\nmany: {many}");
//! # }
//! ```
//!
//! `tsc!` shows more than `measure!` for the same code, such as 32 ticks and 5.9 core clocks: it times one execution,
//! with cold code and predictions, on a counter that advances in steps of its own rate, and nothing else runs beside
//! it. `measure!` shows what an execution adds to a loop of many: executions that do not need each other's results
//! overlap there, so that the figure is the clocks from one to the next, and not those from its begin to its end.
//! `measure!(chain = x, { .. })` hands the variable `x` from each to the next, so that they follow one another
//! ([`measure!`](macro@measure#chains)). In a debug build both measure what the compiler has not optimised; with debug
//! assertions, which such builds have, the display says so.
//!
//! Two events over the same interval, and the clocks per instruction, if machine and Linux permit:
//!
//! ```
//! # #[cfg(all(target_arch = "x86_64", feature = "perf"))] {
//! use asm_macros::{Event, HostEvent, cpi, profile};
//! use std::hint::black_box;
//!
//! let count = || (1..black_box(100u64)).sum::<u64>();
//! println!("{}", profile!(Event::INSTRUCTIONS_EXECUTED, HostEvent::BRANCH_MISSES, { count() }));
//! println!("{}", cpi!({ count() }));
//! # }
//! ```
//!
//! # How a measurement is made
//!
//! 1. RDTSC is not ordered, so each read is fenced: code before the region has completed, and the region has not begun.
//! 2. The fence is the cheapest one that orders on this machine, found by trial, or the one you name ([`tsc::Fence`]).
//! 3. An empty pair of reads is measured in advance; its median, the overhead, is subtracted.
//! 4. The counter advances in steps (26 ticks on some machines). A single pair is no finer, so it cannot time short
//!    code.
//! 5. `measure!` therefore runs n and 2n unrolled copies in loops much longer than a step. The difference is n copies
//!    without the probe.
//! 6. Ticks are not core clocks. A chain of dependent additions after each run gives the current core clocks per tick.
//! 7. There are 101 runs. The result is their median; the median absolute deviation shows whether the machine was idle.
//! 8. The compiler moves no memory access across a read. `black_box` keeps values in place; yours need it too.
//!    Otherwise `measure!({ 10u64.pow(9) })` measures the constant 1000000000, which is in the program: write
//!    `measure!({ black_box(10u64).pow(black_box(9)) })`.
//! 9. There is no allocation, lock or system call between the reads; a test checks the machine code.
//! 10. A result that cannot be told from that of an empty block is displayed as too short to judge, and one of a single
//!     run, `tsc!`, as such.
//! 11. A number that is not available is [`Unavailable`] with a reason in words, never 0.
//!
//! # Features
//!
//! * `std` (default): uses the clock of the operating system if neither CPUID nor the kernel states the frequency of
//!   the counter. Without it the crate is `no_std` and allocates nothing: the time stamp counter and `measure!` work on
//!   bare metal.
//! * `perf` (default): events through Linux `perf_event_open`.
//! * `criterion`: measurements for criterion 0.8, as in `Criterion::default().with_measurement(CoreClocks)`. They are
//!   `bench::Ticks` and `bench::CoreClocks`, which the documentation has with this feature only.
//! * `divan`: a plain function for loops in the style of divan, `bench::time`, likewise.
//! * `baseline`: named measurements in a JSON file that later ones are compared with, `baseline::Baseline`, likewise:
//!   `cargo doc --open -p asm-macros --all-features`.
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

#[cfg(all(target_arch = "x86_64", feature = "baseline"))]
pub mod baseline;
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

pub use events::{Event, HostEvent};
pub use reason::{Reason, Unavailable};

/// What displays say of code that is built with debug assertions. A program cannot know whether it is optimised.
#[cfg(target_arch = "x86_64")]
const OF_DEBUG_BUILD: &str = "; built with debug assertions: the code may not be optimised";

/// Runs the code in the README with the documentation tests.
#[cfg(all(doctest, target_arch = "x86_64"))]
#[doc = include_str!("../README.md")]
struct Readme;
