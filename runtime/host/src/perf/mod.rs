//! Samples of native runs: Linux performance events of the child that runs an image, as a recording of samples.
//!
//! Where Linux offers AMD's instruction-based sampling (the units `ibs_op` and `ibs_fetch`), a sample has the images of
//! its registers. Elsewhere the ordinary unit samples the address of an instruction at intervals of a number of clocks,
//! and the other registers have no image.
//!
//! A recording has one run: the life of the child, in which the program runs many times; a sample does not tell in
//! which of them it was taken. Its clock is in nanoseconds from the start of the child. Samples outside the program, in
//! the child's own code and in the kernel, are filtered out.
//!
//! The machine's abilities are read through [`Host`], so that tests can put another machine in its place.

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
use p5_record::Recording;
use recording::Collector;

/// The machine to sample on, as the kernel presents it.
pub trait Host {
    /// The text of a file of sysfs or procfs; `None` if there is none, or if it cannot be read.
    fn read(&self, path: &str) -> Option<String>;

    /// Whether a hypervisor runs this machine.
    fn hypervisor(&self) -> bool;

    /// The time in nanoseconds, by the clock of [`Record::Sample`].
    fn now(&self) -> u64;

    /// Opens an event of a process, with a ring of at most `bytes` for its samples, and lets it count.
    ///
    /// # Errors
    /// The part of the request that the kernel refused.
    fn open(&mut self, event: &Event, process: u32, bytes: usize) -> Result<Box<dyn Ring>, Refusal>;
}

/// A part of a request that the kernel refused, with its error number (`errno`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The event itself.
    Event(i32),
    /// The memory for the event's samples.
    Memory(i32),
}

/// The samples of one event, in the order in which they were taken.
pub trait Ring {
    /// The next record that has arrived; `None` if the ring is empty.
    fn next(&mut self) -> Option<Record>;
}

/// A record in a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A sample of the event.
    Sample {
        /// The address of the instruction, as far as the kernel knows it.
        address: u64,
        /// The time of the sample in nanoseconds, by the clock of [`Host::now`].
        time: u64,
        /// The raw data of the unit, if the event has any.
        raw: Option<Vec<u8>>,
    },
    /// The number of samples lost because the ring was full or the processor could not store them.
    Lost(u64),
    /// The kernel stopped sampling for a while because samples came too fast.
    Throttled,
    /// A record of another kind.
    Other,
}

/// The result of sampling.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The samples that lie in the program.
    pub recording: Recording,
    /// The samplers, with the numbers of their samples that were left out.
    pub samplers: Vec<Sampler>,
    /// The native runs of the program.
    pub native: Native,
}

/// A sampler, with the numbers of its samples that were kept and left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sampler {
    /// The unit that sampled.
    pub unit: Unit,
    /// The precision of the address: 0 arbitrary, 1 constantly off, 2 or 3 exact where the processor can.
    pub precise: u8,
    /// The number of samples in the program, which are all in the recording.
    pub kept: u64,
    /// The number of samples elsewhere: in the code that enters the program, or in the kernel.
    pub outside: u64,
    /// The number of samples that the kernel lost because the ring was full.
    pub lost: u64,
    /// The number of samples beyond the capacity of a recording.
    pub cut: u64,
    /// The number of samples whose raw data could not be decoded.
    pub bad: u64,
    /// The reason why the first of these could not be decoded.
    pub first_bad: Option<raw::BadRecord>,
    /// The number of samples with registers that this version does not know; only these registers are left out.
    pub with_unknown: u64,
    /// The number of times that the kernel stopped the sampler for a while.
    pub throttled: u64,
}

/// The reason why nothing is sampled.
#[derive(Clone, Debug, PartialEq)]
pub enum Unsampled {
    /// The host cannot run the program natively.
    NotRun(native::Error),
    /// p5inst was built for a host other than x86-64 Linux.
    OtherHost,
    /// The machine has neither a unit that samples ops nor an ordinary one.
    NoUnit {
        /// Whether a hypervisor runs this machine.
        hypervisor: bool,
    },
    /// An option needs instruction-based sampling, which the machine lacks.
    NeedsIbs {
        /// The option, as the command line spells it.
        option: &'static str,
        /// The unit that the option needs.
        unit: Unit,
        /// Whether the machine has an ordinary unit.
        ordinary: bool,
        /// Whether a hypervisor runs this machine.
        hypervisor: bool,
    },
    /// This processor's unit, or the kernel, lacks the option.
    NoFormat {
        /// The option, as the command line spells it.
        option: &'static str,
        /// The unit that lacks it.
        unit: Unit,
        /// The file in `format` that would give the position of the option's bits.
        format: &'static str,
    },
    /// The text of a file in `format` is not in a form that this version understands.
    StrangeFormat {
        /// The unit of the option.
        unit: Unit,
        /// The name of the file.
        format: &'static str,
        /// The text of the file.
        text: String,
    },
    /// Instruction-based sampling cannot count this period, because it counts in units of 16.
    NotSixteens {
        /// The option, as the command line spells it.
        option: &'static str,
        /// The period that was requested.
        period: u64,
    },
    /// A latency that cannot be a threshold, all in clocks.
    Latency {
        /// The latency that was requested.
        latency: u32,
        /// The minimum of a threshold.
        least: u32,
        /// The maximum of a threshold.
        most: u32,
    },
    /// The kernel refused an event, for a known reason.
    Refused {
        /// The unit of the event.
        unit: Unit,
        /// The reason for the refusal.
        reason: Reason,
    },
    /// The kernel rejected the event of this unit as invalid.
    Invalid {
        /// The unit of the event.
        unit: Unit,
    },
    /// The kernel has no memory for the samples.
    NoMemory {
        /// The memory that was requested, in KiB.
        kib: usize,
        /// The error number of the request.
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

/// Runs `image` natively, as [`native::run`] does, and samples it. `program` and `processor` are the names that the
/// recording bears.
///
/// # Errors
/// The reason why this host samples nothing. A program that faults, loops or dies is sampled until then.
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
    // A child that was not allowed to begin ended early, which is no error of its own.
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
