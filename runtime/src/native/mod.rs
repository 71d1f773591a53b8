//! An image run natively: in the compatibility segment of an x86-64 Linux host, in a child process of its own.
//!
//! The child has the program's segments at their own addresses, a stack, two read-only pages to come back by, and nothing
//! else below 4 GiB; no system call but its own end; limits on time and memory. A fault, a forbidden call and a crash are
//! results. Nothing is simulated here and nothing here knows the simulated machine: what comes back are the host's own
//! readings, in ticks of its time stamp counter.
//!
//! A library may log passes in memory that [`Image::log`] describes: each end of a region appends one entry.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod child;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod filter;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod mappings;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod parent;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod plan;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod segment;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod shared;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod signals;
pub mod summary;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod words;

use crate::image::Image;
use crate::run::Stop;
use asm_macros::Unavailable;
use std::time::Duration;

/// How to run natively.
#[derive(Clone, Debug)]
pub struct Options {
    /// How often to run the program, at most.
    pub runs: u32,
    /// Wall time for all runs together, after which no further run begins.
    pub patience: Duration,
    /// Wall time after which the child is killed, wherever it is.
    pub limit: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            runs: 10_000,
            patience: Duration::from_millis(500),
            limit: Duration::from_secs(2),
        }
    }
}

/// What came of running an image natively.
#[derive(Clone, Debug)]
pub struct Native {
    /// How the last run ended. The place of a fault is that of the source.
    pub stop: Stop,
    /// One row a completed run, in order. A run that faulted is not among them.
    pub runs: Vec<NativeRun>,
    /// Ticks of a program that ends at once, measured the same way in the same child: what to take off [`NativeRun::ticks`].
    pub empty: Vec<u64>,
    /// Ticks of a program that ends at once by a signal, if this one ends by one (HLT, an exit service, a trap at its end):
    /// then these are to be taken off instead of [`Native::empty`]. Otherwise there are none.
    pub ended_by_signal: Vec<u64>,
    /// Ticks of a chain of [`Native::chain_length`] dependent additions, a core clock each, measured between the runs; the way into and out of
    /// the segment is included, as in [`Native::empty`].
    pub chain: Vec<u64>,
    /// How many additions the chain has.
    pub chain_length: u32,
    /// The time stamp counter's step, in ticks; or why the process may not read the counter, and so has timed nothing.
    pub quantum: Result<u64, Unavailable>,
    /// Sentences the reader should know.
    pub notes: Vec<String>,
}

/// One native run of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeRun {
    /// Ticks from before its first instruction to after its last, the way into and out of the segment included.
    pub ticks: u64,
    /// What the log held after it: the address of a region's result, and ticks.
    pub passes: Vec<(u32, u32)>,
    /// The result dwords of every region of the image, in the order of [`crate::image::Image::regions`]; none of a region that has
    /// one outside the program's memory, as a note then says.
    pub measured: Vec<Vec<u32>>,
}

/// Runs `image` natively, up to [`Options::runs`] times, in a child process that is gone when this returns.
///
/// Memory and registers are put back before each run; caches and predictions stay, so the first run is cold. Page faults of
/// memory that holds zeroes only fall into the first run that writes there.
///
/// Ticks come in the counter's steps. A wait of up to one step after the first reading, the same for every kind of sample on
/// the average, makes means over many runs finer than the step: take off the mean of [`Native::empty`], not single samples.
/// A program's first clocks, about eight, pass in the shadow of the way in.
///
/// # Errors
/// Why this host cannot run the image at all, in words. That a program faults, loops or dies is a [`Stop`], not an error.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn run(image: &Image, options: &Options) -> Result<Native, String> {
    parent::run(image, options)
}

/// Says that this host cannot run an image natively.
///
/// # Errors
/// Always, on a host that is not x86-64 Linux.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn run(_image: &Image, _options: &Options) -> Result<Native, String> {
    Err(String::from(
        "native runs need an x86-64 Linux host: p5inst was built for another one",
    ))
}
