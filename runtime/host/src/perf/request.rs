//! The requests to the kernel: the events for the samples that are wanted, with options as sysfs describes them.

use super::sysfs::{self, Bits, Word};
use super::{Host, Unsampled};
use p5_record::{CountMode, Randomization, SampleKind};

/// The unit in which instruction-based sampling counts a period.
pub const UNIT_OF_PERIODS: u64 = 16;
/// The minimum and maximum of a latency threshold, in clocks: the kernel's `perf_ibs_init` refuses others.
const LATENCIES: (u32, u32) = (128, 2_048);
/// The type number of the kernel's generic hardware events; clocks are event 0.
const HARDWARE: u32 = 0;
/// The highest precision of a sample's address.
const MOST_PRECISE: u8 = 3;

/// A unit that takes samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Instruction-based sampling of ops.
    IbsOp,
    /// Instruction-based sampling of fetches.
    IbsFetch,
    /// The ordinary unit of the processor, which counts clocks.
    #[default]
    Processor,
}

impl Unit {
    /// The unit's name in sysfs.
    pub const fn name(self) -> &'static str {
        match self {
            Unit::IbsOp => "ibs_op",
            Unit::IbsFetch => "ibs_fetch",
            Unit::Processor => "cpu",
        }
    }

    /// The kind of its samples.
    pub const fn kind(self) -> SampleKind {
        match self {
            Unit::IbsOp | Unit::Processor => SampleKind::Op,
            Unit::IbsFetch => SampleKind::Fetch,
        }
    }
}

/// The samples that the user wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The period in fetches; `None` if fetches are not sampled.
    pub fetch: Option<u64>,
    /// The period in clocks or dispatched ops; `None` if ops are not sampled.
    pub op: Option<u64>,
    /// The count that selects ops; `None` for dispatched ops where the processor can count them, and for clocks
    /// elsewhere.
    pub mode: Option<CountMode>,
    /// Samples only loads that miss and take at least this many clocks.
    pub load_latency: Option<u32>,
    /// Samples only misses of the last level cache.
    pub last_level_misses_only: bool,
}

/// A request for an event, in the terms of `perf_event_attr`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// The unit that samples.
    pub unit: Unit,
    /// The type number of the unit.
    pub number: u32,
    /// The word `config` of `perf_event_attr`: option bits, or the number of a generic event.
    pub config: u64,
    /// The word `config1`, with option bits.
    pub config1: u64,
    /// The word `config2`, with option bits.
    pub config2: u64,
    /// The period, at least 1.
    pub period: u64,
    /// The precision that the address must have, 0 to 3.
    pub precise: u8,
    /// Whether the kernel is to leave out samples of its own code.
    pub user_only: bool,
    /// The count that selects samples.
    pub mode: CountMode,
    /// The variation of the period.
    pub randomization: Randomization,
}

impl Event {
    fn set(&mut self, host: &dyn Host, option: &'static str, name: &'static str, value: u64) -> Result<(), Unsampled> {
        let unit = self.unit;
        let text = sysfs::format(host, unit.name(), name).ok_or(Unsampled::NoFormat {
            option,
            unit,
            format: name,
        })?;
        let placed = Bits::parse(&text).and_then(|bits| Some((bits.word, bits.place(value)?)));
        let (word, placed) = placed.ok_or(Unsampled::StrangeFormat {
            unit,
            format: name,
            text,
        })?;
        match word {
            Word::Config => self.config |= placed,
            Word::Config1 => self.config1 |= placed,
            Word::Config2 => self.config2 |= placed,
        }
        Ok(())
    }

    /// Sets an option of one bit if the unit has it; returns whether it has.
    fn set_if_there(&mut self, host: &dyn Host, name: &'static str) -> Result<bool, Unsampled> {
        match self.set(host, "", name, 1) {
            Ok(()) => Ok(true),
            Err(Unsampled::NoFormat { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }
}

/// The events for the samples that are wanted; those of fetches come first.
///
/// # Errors
/// The ability that the machine lacks.
pub fn requests(host: &dyn Host, wanted: &Wanted) -> Result<Vec<Event>, Unsampled> {
    let mut events = Vec::new();
    if let Some(period) = wanted.fetch {
        events.push(fetches(host, wanted, period)?);
    }
    if let Some(period) = wanted.op {
        events.push(ops(host, wanted, period)?);
    }
    Ok(events)
}

fn fetches(host: &dyn Host, wanted: &Wanted, period: u64) -> Result<Event, Unsampled> {
    let unit = Unit::IbsFetch;
    let Some(number) = sysfs::unit_type(host, unit.name()) else {
        return Err(no_ibs(host, "--fetch", unit));
    };
    let mut event = of_ibs(host, unit, number, "--fetch", period)?;
    if event.set_if_there(host, "rand_en")? {
        event.randomization = Randomization::Hardware;
    }
    if wanted.last_level_misses_only {
        event.set(host, "--l3missonly", "l3missonly", 1)?;
    }
    Ok(event)
}

fn ops(host: &dyn Host, wanted: &Wanted, period: u64) -> Result<Event, Unsampled> {
    let unit = Unit::IbsOp;
    let Some(number) = sysfs::unit_type(host, unit.name()) else {
        let needed = if wanted.load_latency.is_some() {
            "--ldlat"
        } else if wanted.last_level_misses_only {
            "--l3missonly"
        } else if wanted.mode == Some(CountMode::Dispatch) {
            "--mode"
        } else {
            return clocks(host, period);
        };
        return Err(no_ibs(host, needed, unit));
    };
    let mut event = of_ibs(host, unit, number, "--op", period)?;
    event.mode = match wanted.mode {
        Some(CountMode::Cycles) => CountMode::Cycles,
        Some(CountMode::Dispatch) => {
            event.set(host, "--mode", "cnt_ctl", 1)?;
            CountMode::Dispatch
        }
        None if event.set_if_there(host, "cnt_ctl")? => CountMode::Dispatch,
        None => CountMode::Cycles,
    };
    // The processor begins each count at a random value below 128, and the kernel keeps that value when it counts ops.
    event.randomization = Randomization::Hardware;
    if let Some(latency) = wanted.load_latency {
        let (least, most) = LATENCIES;
        if !(least..=most).contains(&latency) {
            return Err(Unsampled::Latency { latency, least, most });
        }
        event.set(host, "--ldlat", "ldlat", u64::from(latency))?;
    }
    if wanted.last_level_misses_only {
        event.set(host, "--l3missonly", "l3missonly", 1)?;
    }
    Ok(event)
}

/// The part of an event that both units of instruction-based sampling have in common.
fn of_ibs(host: &dyn Host, unit: Unit, number: u32, option: &'static str, period: u64) -> Result<Event, Unsampled> {
    if period == 0 || !period.is_multiple_of(UNIT_OF_PERIODS) {
        return Err(Unsampled::NotSixteens { option, period });
    }
    let mut event = Event {
        unit,
        number,
        period,
        ..Event::default()
    };
    // The hardware samples the kernel as well. Filtering it out is an option of kernels from 6.14 on: without it, the
    // kernel refuses an event that excludes the kernel.
    event.user_only = event.set_if_there(host, "swfilt")?;
    Ok(event)
}

/// An event of the ordinary unit, which counts clocks. On a processor with two kinds of cores, the unit's name is that
/// of the faster ones.
fn clocks(host: &dyn Host, period: u64) -> Result<Event, Unsampled> {
    if !is_ordinary(host) {
        return Err(Unsampled::NoUnit {
            hypervisor: host.hypervisor(),
        });
    }
    Ok(Event {
        unit: Unit::Processor,
        number: HARDWARE,
        period: period.max(1),
        precise: MOST_PRECISE,
        user_only: true,
        mode: CountMode::Cycles,
        randomization: Randomization::None,
        ..Event::default()
    })
}

fn is_ordinary(host: &dyn Host) -> bool {
    [Unit::Processor.name(), "cpu_core"]
        .iter()
        .any(|unit| sysfs::unit_type(host, unit).is_some())
}

fn no_ibs(host: &dyn Host, option: &'static str, unit: Unit) -> Unsampled {
    Unsampled::NeedsIbs {
        option,
        unit,
        ordinary: is_ordinary(host),
        hypervisor: host.hypervisor(),
    }
}
