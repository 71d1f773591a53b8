//! Runs an image natively: in the compatibility segment of an x86-64 Linux host, in a separate child process.
//!
//! The child is this program started anew, without environment, so its memory holds nothing of the parent's: they share
//! only the image and the results. A program that calls [`run`] therefore begins with [`child_entry`]. Below 4 GiB the
//! child has only the segments of the program at their own addresses, a stack, and two read-only pages through which it
//! returns. It can make no system call except exit, it has no descriptor, and its time and memory are limited. A fault,
//! a forbidden call and a crash are results. The results are readings of the host's time stamp counter in ticks; the
//! simulated machine takes no part.
//!
//! A library may log passes in the memory that [`Image::log`] describes: each end of a region appends one entry.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod child;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod ending;
mod error;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod filter;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod handover;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod memory_file;
mod missing;
mod note;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod parent;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod plan;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod runner;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod segment;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod shared;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod signals;
mod step;
pub mod summary;

pub use error::{Area, Error};
pub use missing::Missing;
pub use note::{Disturbance, Note, RegionNote};

use asm_macros::Unavailable;
use p5_image::Image;
use p5_results::Stop;
use std::time::Duration;

/// Observes the child that runs an image: it opens performance events of that process, for example.
pub trait Attendant {
    /// Called once, when the child exists and waits. The child runs the image only if this returns true.
    fn start(&mut self, process: u32) -> bool;

    /// Called again and again while the child runs, about every five milliseconds.
    fn look(&mut self);
}

/// Limits of a set of native runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The maximum number of runs.
    pub runs: u32,
    /// Wall time after which no further run starts.
    pub patience: Duration,
    /// Wall time after which the child is killed.
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

/// The results of the native runs of an image.
#[derive(Clone, Debug)]
pub struct Native {
    /// How the last run ended. The location of a fault is its source line.
    pub stop: Stop,
    /// One row per completed run, in order. A run that faulted is not included.
    pub runs: Vec<NativeRun>,
    /// Ticks of an empty program, measured the same way in the same child: to be subtracted from [`NativeRun::ticks`].
    pub empty: Vec<u64>,
    /// Ticks of an empty program that ends by a signal, if this one does (HLT, an exit service, a trap at its end):
    /// subtract these instead of [`Native::empty`]. Otherwise there are none.
    pub ended_by_signal: Vec<u64>,
    /// Ticks of a chain of [`Native::chain_length`] dependent additions of one core clock each, timed between the runs;
    /// entry and exit are included, as in [`Native::empty`].
    pub chain: Vec<u64>,
    /// The number of additions in the chain.
    pub chain_length: u32,
    /// The step of the time stamp counter, in ticks; or the reason why the process cannot read it, so that nothing is
    /// timed.
    pub quantum: Result<u64, Unavailable>,
    /// The conditions that affect the results.
    pub notes: Vec<Note>,
}

/// One native run of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeRun {
    /// Ticks from before its first instruction to after its last; entry and exit are included.
    pub ticks: u64,
    /// The entries of the log after the run: the address of a region's result, and ticks.
    pub passes: Vec<(u32, u32)>,
    /// The result dwords of every region, in the order of [`Image::regions`]; none for a region whose result lies
    /// outside the program's memory, as a note then says.
    pub measured: Vec<Vec<u32>>,
}

/// Runs the image in this process and does not return, if [`run`] has started the process for that; otherwise returns
/// at once. A program that calls [`run`] calls this first in its `main`.
///
/// [`run`] starts the program itself once more, as `/proc/self/exe` without arguments and environment. Therefore the
/// part of `main` before this call runs in the child as well.
///
/// ```standalone_crate
/// use runtime::image::{Image, Segment};
/// use runtime::native;
///
/// fn main() {
///     native::child_entry();
///     // mov eax,1; ret
///     let bytes = vec![0xB8, 1, 0, 0, 0, 0xC3];
///     let code = Segment { name: "code".to_owned(), address: 0x40_1000, bytes, zeroes: 0, writable: true };
///     let image = Image { entry: 0x40_1000, segments: vec![code], ..Image::default() };
///     match native::run(&image, &native::Options::default()) {
///         Ok(native) => assert_eq!(native.stop.reason, runtime::run::StopReason::Return),
///         Err(why) => println!("not here: {why}"),
///     }
/// }
/// ```
///
/// The test harness has a `main` of its own. A test calls this before it, as a C constructor does:
///
/// ```
/// #[cfg(target_os = "linux")]
/// #[used]
/// // SAFETY: the functions listed in this section are called before `main`, and this one needs nothing of it.
/// #[unsafe(link_section = ".init_array")]
/// static CHILD: extern "C" fn() = child;
/// extern "C" fn child() {
///     runtime::native::child_entry();
/// }
/// ```
pub fn child_entry() {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    child::entry();
}

/// Runs `image` natively, up to [`Options::runs`] times, in a child process that has ended when this function returns.
///
/// Memory and registers are restored before each run; caches and predictions are not, so the first run is cold. Page
/// faults of memory that holds only zeros occur in the first run that writes there.
///
/// Ticks advance in steps of the counter. A wait of up to one step after the first reading, on average the same for
/// every kind of sample, makes means over many runs finer than a step: subtract the mean of [`Native::empty`], not
/// single samples. The first clocks of a program, about eight, overlap with entering the segment.
///
/// # Errors
/// The reason why this host cannot run the image. A program that faults, loops or dies is a [`Stop`], not an error.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn run(image: &Image, options: &Options) -> Result<Native, Error> {
    parent::run(image, options, None)
}

/// Runs `image` as [`run`] does, observed by `attendant`. If it does not let the child run, the result has no run.
///
/// # Errors
/// The reason why this host cannot run the image.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub fn run_attended(image: &Image, options: &Options, attendant: &mut dyn Attendant) -> Result<Native, Error> {
    parent::run(image, options, Some(attendant))
}

/// Returns the reason why this host cannot run an image natively.
///
/// # Errors
/// Always, on a host that is not x86-64 Linux.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn run(_image: &Image, _options: &Options) -> Result<Native, Error> {
    Err(Error::OtherHost)
}

/// Returns the reason why this host cannot run an image natively.
///
/// # Errors
/// Always, on a host that is not x86-64 Linux.
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub fn run_attended(_image: &Image, _options: &Options, _attendant: &mut dyn Attendant) -> Result<Native, Error> {
    Err(Error::OtherHost)
}
