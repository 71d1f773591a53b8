//! What native runs come to: each region's ticks and core clocks, the whole program's, and how quiet the machine was.
//!
//! A step of the time stamp counter is longer than many a region, so a single pass shows a multiple of the step. The mean of
//! many passes is finer, because they meet the step at every phase. Passes that an interruption made long are left out of
//! it and counted; nothing is ever left out at the lower end, which would favour the commoner of two neighbouring values.
//! The first of several runs is cold and not counted.

use super::Native;
use crate::image::{Image, Region, RegionKind};
use asm_macros::Unavailable;
use asm_macros::statistics::{Spread, disturbed_from};
use std::collections::HashMap;

const NO_RUN: &str = "no run of the program was completed on the host";
const NO_COUNTERS: &str = "nothing is counted natively: the Pentium's two counters are set and read with WRMSR and RDMSR, \
                           which are privileged, and today's processors have others";
const HIDDEN: &str = "the program is too short: its ticks are no more than the way in and out varies by; repeat its \
                      instructions in a loop to see them";
/// How many standard errors of its mean a program's ticks must exceed to be divided by its instructions.
const SEEN: f64 = 3.0;
/// Of a program that ends by a signal, the share of the signal's ticks below which its own are lost among them.
const LOST: f64 = 0.25;
/// If more than one in so many passes took long, these are no interruptions but the region's own way, and they are kept.
const RARE: usize = 20;
/// Deviation from the median, as a share of it, above which the chain's samples are called scattered.
const SCATTERED: f64 = 0.02;

/// What some timings come to, in ticks of the time stamp counter, what the probe itself takes taken off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// How many timings the figures below are of.
    pub kept: u64,
    /// How many were left out because something interrupted them.
    pub disturbed: u64,
    /// How many of the kept took as long as an interruption does, but are too many to be that.
    pub slow: u64,
    /// The smallest; a step of the counter too small at times, so it may be negative.
    pub min: f64,
    /// The middle one.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The mean's standard error, from how the runs differ. Of a single timing nothing can be said.
    pub standard_error: Option<f64>,
    /// What was taken off each.
    pub overhead: f64,
}

/// A region on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionTiming {
    /// The passes, or why there are none to tell of.
    pub timing: Result<Timing, String>,
    /// Core clocks a pass, estimated: the mean times [`Summary::core_clocks_per_tick`]. Or why they are not known.
    pub core_clocks: Result<f64, String>,
    /// Sentences about how the passes were had.
    pub notes: Vec<String>,
}

/// What the native runs of a program come to.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Core clocks in a tick while the program ran, from the chain of additions; or why it is not known.
    pub core_clocks_per_tick: Result<f64, String>,
    /// Every region of the image, in its order.
    pub regions: Vec<RegionTiming>,
    /// The whole program, the way into and out of it taken off; or why it is not known.
    pub whole: Result<Timing, String>,
    /// Core clocks of the whole program, estimated: its mean times [`Summary::core_clocks_per_tick`].
    pub whole_core_clocks: Result<f64, String>,
    /// What disturbed the measurement, in words; empty if the machine was quiet.
    pub disturbances: Vec<String>,
}

/// Sums up the runs of `image`. `uncounted` says why no events are counted where a StartProfile stands.
pub fn summary(image: &Image, native: &Native, uncounted: &str) -> Summary {
    let core_clocks_per_tick = ratio(native);
    let log = Log::of(image, native);
    let regions: Vec<RegionTiming> = image
        .regions
        .iter()
        .enumerate()
        .map(|(index, one)| {
            let mut notes = Vec::new();
            let timing = match one.kind {
                RegionKind::Tsc => region(image, native, &log, index, &mut notes),
                RegionKind::Profile => Err(format!("{NO_COUNTERS}; the host's own events: {uncounted}")),
            };
            RegionTiming {
                core_clocks: core_clocks(&timing, &core_clocks_per_tick),
                timing,
                notes,
            }
        })
        .collect();
    let whole = whole(native);
    Summary {
        disturbances: disturbances(native, &regions),
        whole_core_clocks: core_clocks(&whole, &core_clocks_per_tick),
        core_clocks_per_tick,
        regions,
        whole,
    }
}

/// Core clocks that the mean of `timing` stands for.
///
/// # Errors
/// Why `timing` or the ratio is missing.
fn core_clocks(timing: &Result<Timing, String>, ratio: &Result<f64, String>) -> Result<f64, String> {
    match (timing, ratio) {
        (Ok(timing), Ok(ratio)) => Ok(timing.mean * ratio),
        (Err(why), _) | (_, Err(why)) => Err(why.clone()),
    }
}

/// A program's ticks and clocks for each of its instructions.
#[derive(Clone, Debug, PartialEq)]
pub struct PerInstruction {
    /// The whole program's ticks, the way into and out of it taken off; or why they are not known.
    pub whole: Result<Timing, String>,
    /// Ticks an instruction, the nominal figure: the counter runs on at its own rate whatever the core does.
    pub ticks: Result<f64, String>,
    /// Core clocks of the whole program, estimated from the chain of additions.
    pub core_clocks: Result<f64, String>,
    /// Core clocks an instruction, estimated likewise: the figure for the time that the core is not halted.
    pub clocks: Result<f64, String>,
    /// The number of instructions that was divided by; or why it is not known.
    pub instructions: Result<u64, String>,
}

/// Divides the whole program's time by its instructions, or says with `uncounted` why there is no number of them.
pub fn per_instruction(native: &Native, instructions: Result<u64, String>) -> PerInstruction {
    let whole = whole(native);
    let core_clocks = core_clocks(&whole, &ratio(native));
    // What is left of a program that ends within the way in and out is the error of that way, and may be below 0.
    let hidden = whole
        .as_ref()
        .is_ok_and(|whole| whole.mean <= SEEN * whole.standard_error.unwrap_or(0.0));
    let each = |amount: Result<f64, String>| match (amount, &instructions) {
        (Ok(_), Ok(0)) => Err("the program executed no instruction".to_owned()),
        (Ok(_), Ok(_)) if hidden => Err(HIDDEN.to_owned()),
        (Ok(amount), Ok(number)) => Ok(amount / *number as f64),
        (Err(why), _) => Err(why),
        (_, Err(why)) => Err(why.clone()),
    };
    PerInstruction {
        ticks: each(whole.as_ref().map(|whole| whole.mean).map_err(Clone::clone)),
        clocks: each(core_clocks.clone()),
        whole,
        core_clocks,
        instructions,
    }
}

/// Core clocks in a tick, from the chain of additions that was timed between the runs.
fn ratio(native: &Native) -> Result<f64, String> {
    let chain = one_each(&native.chain);
    let timed = empty(native).and_then(|empty| timing(&chain, Ways::One, step(native), Some(&empty)));
    match timed {
        Some(timed) if timed.mean > 0.0 => Ok(f64::from(native.chain_length) / timed.mean),
        Some(_) => Err("the time stamp counter did not advance over the chain of additions".to_owned()),
        None if native.quantum.is_err() => Err(no_run(native)),
        None => Err("no chain of additions was timed between the runs, so core clocks are not known".to_owned()),
    }
}

/// The counter's step in ticks. Where it is not known nothing was timed, and there is nothing to compare with it.
fn step(native: &Native) -> u64 {
    native.quantum.unwrap_or(1)
}

/// Why there is no run to tell of.
fn no_run(native: &Native) -> String {
    match native.quantum {
        Ok(_) => NO_RUN.to_owned(),
        Err(Unavailable(reason)) => reason.to_string(),
    }
}

fn empty(native: &Native) -> Option<Timing> {
    timing(&one_each(&native.empty), Ways::One, step(native), None)
}

fn whole(native: &Native) -> Result<Timing, String> {
    let ticks: Vec<u64> = native.runs.iter().map(|run| run.ticks).collect();
    if ticks.is_empty() {
        return Err(no_run(native));
    }
    // What an ending signal takes is many times the way out, so such programs are compared with one that ends so, too.
    let by_signal = timing(&one_each(&native.ended_by_signal), Ways::One, step(native), None);
    let Some(way) = by_signal.or_else(|| empty(native)) else {
        return Err("no empty program was timed, so what the way in and out takes is not known".to_owned());
    };
    let whole = timing(&one_each(warm(&ticks)), Ways::One, step(native), Some(&way)).ok_or_else(|| no_run(native))?;
    if by_signal.is_some() && whole.mean < way.mean * LOST {
        return Err(format!(
            "the program ends by a signal, which takes about {:.0} ticks and varies, and its own ticks are lost among them; \
             end it with `ret` to see them",
            way.mean
        ));
    }
    Ok(whole)
}

/// What the host's library logged, and where results are left otherwise.
struct Log {
    /// The passes under each address, each with its run's number, in order.
    passes: HashMap<u32, Vec<(u32, i64)>>,
    /// The empty region's.
    overhead: Option<Timing>,
    /// How many passes of a run there is room for, if some run had as many.
    full: Option<usize>,
}

impl Log {
    fn of(image: &Image, native: &Native) -> Log {
        let mut passes: HashMap<u32, Vec<(u32, i64)>> = HashMap::new();
        for (run, number) in warm(&native.runs).iter().zip(0..) {
            for &(slot, ticks) in &run.passes {
                passes.entry(slot).or_default().push((number, i64::from(ticks)));
            }
        }
        let room = log_capacity(image);
        Log {
            overhead: image
                .log
                .and_then(|log| passes.get(&log.empty))
                .and_then(|passes| timing(passes, Ways::One, step(native), None)),
            full: room.filter(|&room| warm(&native.runs).iter().any(|run| run.passes.len() >= room)),
            passes,
        }
    }
}

/// A region's passes: those of the log, or what the file's own macros left.
fn region(image: &Image, native: &Native, log: &Log, index: usize, notes: &mut Vec<String>) -> Result<Timing, String> {
    if native.runs.is_empty() {
        return Err(no_run(native));
    }
    let region = &image.regions[index];
    let Some(slot) = region.measured.first() else {
        return Err("the file's own macros name no result (`_TSC`), so there is nothing to read".to_owned());
    };
    if !region.library {
        let shares = |one: &&Region| one.kind == RegionKind::Tsc && !one.library && one.measured.first() == Some(slot);
        let shared = image.regions.iter().filter(shares).count() > 1;
        return own(native, shared, index, notes);
    }
    let Some(overhead) = &log.overhead else {
        return Err("the log holds no empty pass, so what the probe itself takes is not known".to_owned());
    };
    let passes = log.passes.get(slot).map_or(&[][..], Vec::as_slice);
    if passes.iter().any(|&(_, ticks)| ticks == i64::from(u32::MAX)) {
        return Err("a pass took more than 4294967294 ticks, the most the log can hold".to_owned());
    }
    if let Some(room) = log.full {
        notes.push(format!(
            "the log holds {room} passes a run, the calibration's included, and was full: later passes are not in it"
        ));
    }
    let timing = timing(passes, Ways::Several, step(native), Some(overhead))
        .ok_or_else(|| "no pass reached its end macro on the host".to_owned())?;
    if timing.slow > 0 {
        notes.push(format!(
            "{}: {} passes took much longer than the median; more than one in {RARE} is no interruption, so the mean has them",
            region.name, timing.slow
        ));
    }
    Ok(timing)
}

/// What the program's own macros left: one value a run, of the last region if several share the result.
fn own(native: &Native, shared: bool, index: usize, notes: &mut Vec<String>) -> Result<Timing, String> {
    let left: Vec<i64> = native
        .runs
        .iter()
        .filter_map(|run| run.measured.get(index)?.first())
        .map(|&ticks| i64::from(ticks as i32))
        .collect();
    let samples: Vec<(u32, i64)> = (0..).zip(warm(&left).iter().copied()).collect();
    let timing = timing(&samples, Ways::Several, step(native), None);
    if shared {
        let last = match timing {
            Some(timing) => format!(": {} in the median", timing.median),
            None => String::new(),
        };
        return Err(format!(
            "the file's own macros leave every region's result in the same `_TSC`, of which a run keeps the last{last}"
        ));
    }
    notes.push(
        "measured by the file's own macros, as they are: the last pass of each run, the overhead they take off is a constant \
         made for a Pentium, and nothing keeps today's processor from reading the counter early"
            .to_owned(),
    );
    timing.ok_or_else(|| "no run of the program left a result".to_owned())
}

/// All but the first, if there are several.
fn warm<T>(runs: &[T]) -> &[T] {
    match runs {
        [_, rest @ ..] if !rest.is_empty() => rest,
        all => all,
    }
}

/// Samples that stand each for itself.
fn one_each(ticks: &[u64]) -> Vec<(u32, i64)> {
    let ticks = ticks.iter().map(|&ticks| i64::try_from(ticks).unwrap_or(i64::MAX));
    (0..).zip(ticks).collect()
}

/// What may take long of itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// Nothing: the same instructions with the same data each time, so whatever takes long was interrupted.
    One,
    /// Passes with data of their own: what takes long often is no interruption.
    Several,
}

/// Sums up samples of ticks, each with the number of its run, in ascending order of these numbers. Nothing if there are none.
fn timing(samples: &[(u32, i64)], ways: Ways, quantum: u64, overhead: Option<&Timing>) -> Option<Timing> {
    let mut sorted: Vec<i64> = samples.iter().map(|&(_, ticks)| ticks).collect();
    sorted.sort_unstable();
    let least = *sorted.first()?;
    // Interruptions are told by their length, which has to be counted from below where macros of the file's own take off
    // more than there was.
    let base = least.min(0);
    let lengths: Vec<u64> = sorted.iter().map(|&ticks| ticks.abs_diff(base)).collect();
    let from = disturbed_from(&lengths, 2 * quantum.max(1));
    let undisturbed = lengths.partition_point(|&length| length < from);
    let rare = ways == Ways::One || (sorted.len() - undisturbed) * RARE <= sorted.len();
    let kept = if rare && undisturbed > 0 {
        undisturbed
    } else {
        sorted.len()
    };
    let most = *sorted.get(kept - 1)?;
    let mut values: Vec<f64> = sorted[..kept].iter().map(|&ticks| ticks as f64).collect();
    let spread = Spread::of(&mut values)?;
    let kept_samples: Vec<(u32, i64)> = samples.iter().copied().filter(|&(_, ticks)| ticks <= most).collect();
    let mean = kept_samples.iter().map(|&(_, ticks)| ticks as f64).sum::<f64>() / kept as f64;
    let taken = overhead.map_or(0.0, |overhead| overhead.mean);
    let taken_error = overhead.and_then(|overhead| overhead.standard_error).unwrap_or(0.0);
    Some(Timing {
        kept: kept as u64,
        disturbed: (sorted.len() - kept) as u64,
        slow: (kept - undisturbed) as u64,
        min: spread.min - taken,
        median: spread.median - taken,
        mean: mean - taken,
        standard_error: standard_error(&kept_samples, mean).map(|error| error.hypot(taken_error)),
        overhead: taken,
    })
}

/// The standard error of `mean`. Passes of one run resemble each other more than those of different runs, so runs are what
/// is compared; of a single run the passes are.
fn standard_error(samples: &[(u32, i64)], mean: f64) -> Option<f64> {
    let several = samples.first().map(|first| first.0) != samples.last().map(|last| last.0);
    let mut squares = 0.0;
    let mut groups = 0.0f64;
    let same = |first: &(u32, i64), second: &(u32, i64)| several && first.0 == second.0;
    for group in samples.chunk_by(same) {
        let off: f64 = group.iter().map(|&(_, ticks)| ticks as f64 - mean).sum();
        squares += off * off;
        groups += 1.0;
    }
    (groups > 1.0).then(|| (squares * groups / (groups - 1.0)).sqrt() / samples.len() as f64)
}

/// How many entries the log has room for, as its header in the image says.
fn log_capacity(image: &Image) -> Option<usize> {
    let room = image.log?.address.checked_add(4)?;
    let segment = image.segments.iter().rfind(|segment| segment.address <= room)?;
    let at = (room - segment.address) as usize;
    let bytes = segment.bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
}

/// What disturbed the runs.
fn disturbances(native: &Native, regions: &[RegionTiming]) -> Vec<String> {
    let mut found = Vec::new();
    let mut chain: Vec<f64> = native.chain.iter().map(|&ticks| ticks as f64).collect();
    chain.sort_unstable_by(f64::total_cmp);
    let tenth = |share: usize| chain.get(chain.len() * share / 10).copied().unwrap_or_default();
    let (low, high) = (tenth(1), tenth(9));
    if let Some(spread) = Spread::of(&mut chain.clone())
        && spread.mad > (spread.median * SCATTERED).max(step(native) as f64)
    {
        found.push(format!(
            "the core's clock changed meanwhile: {} additions took {low} to {high} ticks (nine of ten), so core clocks are as \
             uncertain as that",
            native.chain_length
        ));
    }
    let often = |timing: &Timing| timing.disturbed as usize * RARE > timing.kept as usize;
    if empty(native).is_some_and(|empty| often(&empty)) || whole(native).is_ok_and(|whole| often(&whole)) {
        found.push(format!(
            "more than one run in {RARE} was interrupted; these are left out"
        ));
    }
    for region in regions {
        if let Ok(timing) = &region.timing
            && let Some(error) = timing.standard_error
            && error > (timing.mean.abs() * SCATTERED).max(step(native) as f64 / 2.0)
        {
            found.push(
                "the passes of some region are so unlike each other that its mean is uncertain; see its standard error"
                    .to_owned(),
            );
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests;
