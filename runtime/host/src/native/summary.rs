//! Summarises native runs: the ticks and core clocks of each region and of the whole program, and the disturbances of
//! the measurement.
//!
//! A step of the time stamp counter is longer than many regions, so a single pass shows a multiple of the step. The
//! mean of many passes is finer, because they start at every phase of a step. Passes prolonged by an interruption are
//! discarded and counted; nothing is discarded at the lower end, because that would favour the more frequent of two
//! neighbouring values. The first of several runs is cold and is not counted.

use super::{Disturbance, Missing, Native, RegionNote};
use asm_macros::Unavailable;
use asm_macros::statistics::{Spread, disturbed_from};
use p5_image::{Image, Region, RegionKind};
use std::collections::HashMap;

/// A program's ticks must exceed this many standard errors of their mean to be divided by its instructions.
const SEEN: f64 = 3.0;
/// The share of a signal's ticks below which the ticks of a program that ends by this signal are lost in them.
const LOST: f64 = 0.25;
/// The most ticks that an entry of the log holds; a longer pass is logged as one more.
const LOGGED_MOST: u32 = u32::MAX - 1;
/// The rarity of interruptions: if more than one in this many passes is long, the long passes belong to the region.
const RARE: usize = 20;
/// The deviation from the median, as a share of it, above which samples count as scattered.
const SCATTERED: f64 = 0.02;
/// The distance between the first and the last decile of the chain's samples, as a share of their median, above which
/// the core's rate has changed.
const CHANGED: f64 = 0.05;

/// Figures of some timings, in ticks of the time stamp counter, net of probe overhead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The number of timings in the figures below.
    pub kept: u64,
    /// The number of timings that are excluded as interrupted.
    pub disturbed: u64,
    /// The number of kept timings that took as long as an interruption; they are too many to be interruptions.
    pub slow: u64,
    /// The minimum in ticks, which may be a step of the counter too small and so negative.
    pub min: f64,
    /// The median in ticks.
    pub median: f64,
    /// The mean in ticks.
    pub mean: f64,
    /// The mean's standard error in ticks, from the differences between runs; unknown for a single timing.
    pub standard_error: Option<f64>,
    /// The overhead in ticks, subtracted from each timing.
    pub overhead: f64,
}

/// A region on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionTiming {
    /// The passes, or the reason why there are none.
    pub timing: Result<Timing, Missing>,
    /// Core clocks per pass, estimated: the mean times [`Summary::core_clocks_per_tick`]; or the reason why they are
    /// unknown.
    pub core_clocks: Result<f64, Missing>,
    /// The conditions of the measurement.
    pub notes: Vec<RegionNote>,
}

/// The figures of a program's native runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Core clocks per tick while the program ran, from the chain of additions; or the reason why they are unknown.
    pub core_clocks_per_tick: Result<f64, Missing>,
    /// Every region of the image, in the image's order.
    pub regions: Vec<RegionTiming>,
    /// The whole program, net of entry and exit; or the reason why it is unknown.
    pub whole: Result<Timing, Missing>,
    /// Core clocks of the whole program, estimated: its mean times [`Summary::core_clocks_per_tick`].
    pub whole_core_clocks: Result<f64, Missing>,
    /// The disturbances of the measurement; none if the machine was quiet, or if no run was completed.
    pub disturbances: Vec<Disturbance>,
}

/// Summarizes the runs of `image`.
pub fn summary(image: &Image, native: &Native) -> Summary {
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
                RegionKind::Profile => Err(Missing::NotCounted),
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

/// The core clocks of the mean of `timing`.
///
/// # Errors
/// The reason why `timing` or `ratio` is missing.
fn core_clocks(timing: &Result<Timing, Missing>, ratio: &Result<f64, Missing>) -> Result<f64, Missing> {
    match (timing, ratio) {
        (Ok(timing), Ok(ratio)) => Ok(timing.mean * ratio),
        (Err(why), _) | (_, Err(why)) => Err(why.clone()),
    }
}

/// The ticks and clocks per instruction of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct PerInstruction {
    /// The whole program's ticks, net of entry and exit; or the reason why they are unknown.
    pub whole: Result<Timing, Missing>,
    /// Ticks per instruction, the nominal figure: the counter's rate is independent of the core's.
    pub ticks: Result<f64, Missing>,
    /// Core clocks of the whole program, estimated from the chain of additions.
    pub core_clocks: Result<f64, Missing>,
    /// Core clocks per instruction, estimated likewise: the non-halted figure.
    pub clocks: Result<f64, Missing>,
    /// The number of instructions, the divisor; or the reason why it is unknown.
    pub instructions: Result<u64, Missing>,
}

/// Divides the whole program's time by its number of instructions.
pub fn per_instruction(native: &Native, instructions: Result<u64, Missing>) -> PerInstruction {
    let whole = whole(native);
    let core_clocks = core_clocks(&whole, &ratio(native));
    // The net ticks of a program that ends within the cost of entry and exit are only the error of that cost, and may
    // be negative.
    let hidden = whole
        .as_ref()
        .is_ok_and(|whole| whole.mean <= SEEN * whole.standard_error.unwrap_or(0.0));
    let each = |amount: Result<f64, Missing>| match (amount, &instructions) {
        (Ok(_), Ok(0)) => Err(Missing::NoInstruction),
        (Ok(_), Ok(_)) if hidden => Err(Missing::TooShort),
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

/// Core clocks per tick, from the chain of additions, which is timed between the runs.
fn ratio(native: &Native) -> Result<f64, Missing> {
    // The samples around a program that never completed tell nothing about it.
    if native.runs.is_empty() {
        return Err(no_run(native));
    }
    let chain = one_each(&native.chain);
    let timed = empty(native).and_then(|empty| timing(&chain, Ways::One, step(native), Some(&empty)));
    match timed {
        Some(timed) if timed.mean > 0.0 => Ok(f64::from(native.chain_length) / timed.mean),
        Some(_) => Err(Missing::NoAdvance),
        None => Err(Missing::NoChain),
    }
}

/// The counter's step in ticks. If it is unknown, nothing was timed, and nothing is compared with it.
fn step(native: &Native) -> u64 {
    native.quantum.unwrap_or(1)
}

fn no_run(native: &Native) -> Missing {
    match native.quantum {
        Ok(_) => Missing::NoRun(native.stop.clone()),
        Err(Unavailable(reason)) => Missing::Untimed(reason),
    }
}

fn empty(native: &Native) -> Option<Timing> {
    timing(&one_each(&native.empty), Ways::One, step(native), None)
}

fn whole(native: &Native) -> Result<Timing, Missing> {
    let ticks: Vec<u64> = native.runs.iter().map(|run| run.ticks).collect();
    if ticks.is_empty() {
        return Err(no_run(native));
    }
    // A signal at the end takes many times the usual exit, so such a program is compared with an empty one that also
    // ends by a signal.
    let by_signal = timing(&one_each(&native.ended_by_signal), Ways::One, step(native), None);
    let Some(way) = by_signal.or_else(|| empty(native)) else {
        return Err(Missing::NoEmptyProgram);
    };
    let whole = timing(&one_each(warm(&ticks)), Ways::One, step(native), Some(&way)).ok_or_else(|| no_run(native))?;
    if by_signal.is_some() && whole.mean < way.mean * LOST {
        return Err(Missing::LostInSignal { ticks: way.mean });
    }
    Ok(whole)
}

/// The log of the host library, and the results of other macros.
struct Log {
    /// The passes for each address in order, each with the number of its run.
    passes: HashMap<u32, Vec<(u32, i64)>>,
    /// The passes of the empty region.
    overhead: Option<Timing>,
    /// The capacity of the log in passes per run, if some run filled it.
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

/// Summarises a region's passes: those of the log, or the results of the program's own macros.
fn region(
    image: &Image,
    native: &Native,
    log: &Log,
    index: usize,
    notes: &mut Vec<RegionNote>,
) -> Result<Timing, Missing> {
    if native.runs.is_empty() {
        return Err(no_run(native));
    }
    let region = &image.regions[index];
    let Some(slot) = region.measured.first() else {
        return Err(Missing::NoResult);
    };
    if !region.library {
        let shares = |one: &&Region| one.kind == RegionKind::Tsc && !one.library && one.measured.first() == Some(slot);
        let shared = image.regions.iter().filter(shares).count() > 1;
        return own(native, shared, index, notes);
    }
    let Some(overhead) = &log.overhead else {
        return Err(Missing::NoEmptyPass);
    };
    let passes = log.passes.get(slot).map_or(&[][..], Vec::as_slice);
    if passes.iter().any(|&(_, ticks)| ticks > i64::from(LOGGED_MOST)) {
        return Err(Missing::PassTooLong { most: LOGGED_MOST });
    }
    notes.extend(log.full.map(|capacity| RegionNote::LogFull { capacity }));
    let timing = timing(passes, Ways::Several, step(native), Some(overhead)).ok_or(Missing::NoPass)?;
    if timing.slow > 0 {
        notes.push(RegionNote::SlowPasses {
            region: region.name.clone(),
            passes: timing.slow,
            one_in: RARE,
        });
    }
    Ok(timing)
}

/// The results of the program's own macros: one value per run. If several regions share the address, it is the value of
/// the last one.
fn own(native: &Native, shared: bool, index: usize, notes: &mut Vec<RegionNote>) -> Result<Timing, Missing> {
    let left: Vec<i64> = native
        .runs
        .iter()
        .filter_map(|run| run.measured.get(index)?.first())
        .map(|&ticks| i64::from(ticks as i32))
        .collect();
    let samples: Vec<(u32, i64)> = (0..).zip(warm(&left).iter().copied()).collect();
    let timing = timing(&samples, Ways::Several, step(native), None);
    if shared {
        return Err(Missing::SharedResult {
            median: timing.map(|timing| timing.median),
        });
    }
    notes.push(RegionNote::OwnMacros);
    timing.ok_or_else(|| no_run(native))
}

/// All runs but the first, if there are several.
fn warm<T>(runs: &[T]) -> &[T] {
    match runs {
        [_, rest @ ..] if !rest.is_empty() => rest,
        all => all,
    }
}

/// Independent samples.
fn one_each(ticks: &[u64]) -> Vec<(u32, i64)> {
    let ticks = ticks.iter().map(|&ticks| i64::try_from(ticks).unwrap_or(i64::MAX));
    (0..).zip(ticks).collect()
}

/// Whether samples may differ in length without an interruption.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// They may not: every sample executes the same instructions with the same data, so a long one was interrupted.
    One,
    /// They may: passes have data of their own, so frequent long samples are not interruptions.
    Several,
}

/// Summarises samples of ticks, each with the number of its run, in ascending order of these numbers; `None` if there
/// are no samples.
fn timing(samples: &[(u32, i64)], ways: Ways, quantum: u64, overhead: Option<&Timing>) -> Option<Timing> {
    let mut sorted: Vec<i64> = samples.iter().map(|&(_, ticks)| ticks).collect();
    sorted.sort_unstable();
    let least = *sorted.first()?;
    // An interruption is recognised by its length, counted from the minimum if that is negative: macros that the file
    // itself defines may subtract more than the region took.
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

/// The standard error of `mean`. Passes of one run are more alike than those of different runs, so the runs are
/// compared; if there is only one run, its passes are.
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

/// The capacity of the log in entries, from its header in the image.
fn log_capacity(image: &Image) -> Option<usize> {
    let room = image.log?.address.checked_add(4)?;
    let segment = image.segments.iter().rfind(|segment| segment.address <= room)?;
    let at = (room - segment.address) as usize;
    let bytes = segment.bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
}

/// The disturbances of the runs; none if no run was completed.
fn disturbances(native: &Native, regions: &[RegionTiming]) -> Vec<Disturbance> {
    let mut found = Vec::new();
    if native.runs.is_empty() {
        return found;
    }
    let mut chain: Vec<f64> = native.chain.iter().map(|&ticks| ticks as f64).collect();
    chain.sort_unstable_by(f64::total_cmp);
    let tenth = |share: usize| chain.get(chain.len() * share / 10).copied().unwrap_or_default();
    let ticks = [tenth(1), tenth(9)];
    if let Some(spread) = Spread::of(&mut chain.clone()) {
        // If two rates alternate, most samples stay at the median; the deciles show both.
        let changed = ticks[1] - ticks[0] > (spread.median * CHANGED).max(2.0 * step(native) as f64);
        if changed || spread.mad > (spread.median * SCATTERED).max(step(native) as f64) {
            found.push(Disturbance::ClockRate {
                additions: native.chain_length,
                ticks,
            });
        }
    }
    let often = |timing: &Timing| timing.disturbed as usize * RARE > timing.kept as usize;
    if empty(native).is_some_and(|empty| often(&empty)) || whole(native).is_ok_and(|whole| often(&whole)) {
        found.push(Disturbance::Interruptions { one_in: RARE });
    }
    for region in regions {
        if let Ok(timing) = &region.timing
            && let Some(error) = timing.standard_error
            && error > (timing.mean.abs() * SCATTERED).max(step(native) as f64 / 2.0)
        {
            found.push(Disturbance::Scatter);
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests;
