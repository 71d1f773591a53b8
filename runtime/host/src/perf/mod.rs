//! Samples of native runs: Linux performance events of the child that runs an image, as a recording of samples.
//!
//! Where Linux offers AMD's instruction-based sampling (the units `ibs_op` and `ibs_fetch`), a sample has the images of
//! its registers. Elsewhere the ordinary unit samples the address of an instruction every so many clocks, and the
//! other registers have no image.
//!
//! A recording's one run is the life of the child, in which the program runs many times: a sample cannot say in which
//! of them it was taken. Its clock is in nanoseconds, from when the child began. What lies outside the program, which
//! is the child's own code and the kernel, is filtered.
//!
//! What the machine offers is read through [`Host`], so that tests put another in its place.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod error;
mod kernel;
pub mod raw;
mod recording;
mod request;
pub mod sysfs;
#[cfg(test)]
mod tests;

pub use request::{Event, UNIT_OF_PERIODS, Unit, Wanted, requests};

use crate::native::{self, Native};
use asm_macros::Reason;
use p5_image::Image;
use p5_samples::Recording;
use recording::Collector;

/// The machine to sample on, as the kernel presents it.
pub trait Host {
    /// The text of a file of sysfs or procfs; `None` if there is none, or if it cannot be read.
    fn read(&self, path: &str) -> Option<String>;

    /// Whether a hypervisor runs this machine.
    fn hypervisor(&self) -> bool;

    /// The time in nanoseconds, by the clock of [`Record::Sample`].
    fn now(&self) -> u64;

    /// Opens an event of a process, with a ring of at most `bytes` that its samples go to, and lets it count.
    ///
    /// # Errors
    /// What the kernel refused.
    fn open(&mut self, event: &Event, process: u32, bytes: usize) -> Result<Box<dyn Ring>, Refusal>;
}

/// What the kernel refused, with its error number (`errno`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The event.
    Event(i32),
    /// The memory for its samples.
    Memory(i32),
}

/// The samples of one event, in the order in which they were taken.
pub trait Ring {
    /// The next record that has arrived, if one has.
    fn next(&mut self) -> Option<Record>;
}

/// What the kernel says in a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A sample.
    Sample {
        /// The address of the instruction, as far as the kernel knows it.
        address: u64,
        /// When it was taken, in nanoseconds.
        time: u64,
        /// The raw data, if the event has any.
        raw: Option<Vec<u8>>,
    },
    /// So many samples were lost because the ring was full, or the processor could not store them.
    Lost(u64),
    /// The kernel stopped sampling for a while because samples came too fast.
    Throttled,
    /// Anything else.
    Other,
}

/// What sampling found.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The samples in the program.
    pub recording: Recording,
    /// What each sampler was, and what was left out.
    pub samplers: Vec<Sampler>,
    /// How the program ran.
    pub native: Native,
}

/// A sampler and what became of its samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampler {
    /// What sampled.
    pub unit: Unit,
    /// How close the address is: 0 arbitrary, 1 constantly off, 2 or 3 exact where the processor can.
    pub precise: u8,
    /// Samples in the program, all in the recording.
    pub kept: u64,
    /// Samples elsewhere: in the code that enters the program, or in the kernel.
    pub outside: u64,
    /// Samples that the kernel lost, because the ring was full.
    pub lost: u64,
    /// Samples beyond the most that a recording holds.
    pub cut: u64,
    /// Samples whose raw data could not be decoded, and why the first could not.
    pub bad: u64,
    /// Why the first of them could not.
    pub first_bad: Option<raw::BadRecord>,
    /// Samples with registers that this version does not know; those are left out.
    pub with_unknown: u64,
    /// How often the kernel stopped the sampler for a while.
    pub throttled: u64,
}

/// Why nothing is sampled.
#[derive(Clone, Debug, PartialEq)]
pub enum Unsampled {
    /// The host runs nothing natively.
    NotRun(native::Error),
    /// Not x86-64 Linux.
    OtherHost,
    /// There is no unit that samples ops, nor an ordinary one.
    NoUnit {
        /// Whether a hypervisor runs this machine.
        hypervisor: bool,
    },
    /// There is no instruction-based sampling, which this needs; the ordinary unit is there.
    NeedsIbs {
        /// The option, as the command line spells it.
        option: &'static str,
        /// The unit that is missing.
        unit: Unit,
        /// Whether an ordinary unit is there instead.
        ordinary: bool,
        /// Whether a hypervisor runs this machine.
        hypervisor: bool,
    },
    /// This processor's unit, or the kernel, lacks an option.
    NoFormat {
        /// The option, as the command line spells it.
        option: &'static str,
        /// The unit.
        unit: Unit,
        /// The file of `format` that would say where its bits are.
        format: &'static str,
    },
    /// The file of `format` says what this version does not understand.
    StrangeFormat {
        /// The unit.
        unit: Unit,
        /// The file.
        format: &'static str,
        /// What it says.
        text: String,
    },
    /// A period that instruction-based sampling cannot count, because it counts in sixteens.
    NotSixteens {
        /// The option, as the command line spells it.
        option: &'static str,
        /// The period.
        period: u64,
    },
    /// A latency that cannot be a threshold.
    Latency {
        /// What was asked for, in clocks.
        latency: u32,
        /// The least, in clocks.
        least: u32,
        /// The most, in clocks.
        most: u32,
    },
    /// The kernel refused an event, for a reason that is known.
    Refused {
        /// The unit.
        unit: Unit,
        /// Why.
        reason: Reason,
    },
    /// The kernel did not take the event for this unit as valid.
    Invalid {
        /// The unit.
        unit: Unit,
    },
    /// There is no memory for the samples.
    NoMemory {
        /// How much was asked for, in KiB.
        kib: usize,
        /// The error number.
        errno: i32,
    },
}

/// This machine; `None` if it is not x86-64 Linux.
pub fn here() -> Option<Box<dyn Host>> {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    return Some(Box::new(kernel::Here));
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    None
}

/// Runs `image` natively, as [`native::run`] does, and samples it. `program` is its name, `processor` that of the
/// processor.
///
/// # Errors
/// Why this host samples nothing. A program that faults, loops or dies is sampled until then.
pub fn sample(
    image: &Image,
    program: &str,
    processor: &str,
    wanted: &Wanted,
    options: &native::Options,
    host: &mut dyn Host,
) -> Result<Sampled, Unsampled> {
    let events = requests(host, wanted)?;
    let mut collector = Collector::new(image, events, host);
    let native = native::run_attended(image, options, &mut collector);
    // A child that was not let begin ended before its time, which is no error of its own.
    if let Some(why) = collector.refused.take() {
        return Err(why);
    }
    let native = native.map_err(Unsampled::NotRun)?;
    let (recording, samplers) = collector.finish(image, program, processor, wanted);
    Ok(Sampled {
        recording,
        samplers,
        native,
    })
}
