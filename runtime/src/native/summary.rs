//! Summarises native runs: the ticks and core clocks of each region and of the whole program, and how quiet the machine
//! was.
//!
//! A step of the time stamp counter is longer than many regions, so a single pass shows a multiple of the step. The
//! mean of many passes is finer, because they start at every phase of a step. Passes prolonged by an interruption are
//! discarded and counted; nothing is discarded at the lower end, which would favour the more frequent of two
//! neighbouring values. The first of several runs is cold and not counted.

use super::Native;
use crate::image::{Image, Region, RegionKind};
use asm_macros::Unavailable;
use asm_macros::statistics::{Spread, disturbed_from};
use std::collections::HashMap;

const NO_RUN: &str = "no run of the program was completed on the host";
const NO_COUNTERS: &str = "no events are counted natively: the Pentium's two counters are set and read with WRMSR and \
                           RDMSR, which are privileged, and current processors have different ones";
const HIDDEN: &str = "the program is too short: its ticks do not exceed the variation of entering and leaving the \
                      segment; repeat its instructions in a loop";
/// The number of standard errors that the mean ticks of a program must exceed to be divided by its instructions.
const SEEN: f64 = 3.0;
/// For a program that ends with a signal: the fraction of the ticks of the signal below which those of the program are
/// not significant.
const LOST: f64 = 0.25;
/// If more than one in this many passes took long, that is not an interruption but normal for the region, and all are
/// kept.
const RARE: usize = 20;
/// The relative deviation from the median above which the samples of the chain count as scattered.
const SCATTERED: f64 = 0.02;

/// A summary of timings in ticks of the time stamp counter, net of probe overhead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The number of timings used.
    pub kept: u64,
    /// The number of timings discarded as interrupted.
    pub disturbed: u64,
    /// The number of used timings that are as long as an interruption, but too many to be interruptions.
    pub slow: u64,
    /// The minimum. It may be too small by a step of the counter, and therefore negative.
    pub min: f64,
    /// The median.
    pub median: f64,
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean, from the differences between runs; `None` for a single timing.
    pub standard_error: Option<f64>,
    /// The overhead subtracted from each timing.
    pub overhead: f64,
}

/// A region on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionTiming {
    /// The passes, or the reason why there are none.
    pub timing: Result<Timing, String>,
    /// Core clocks per pass, estimated as the mean times [`Summary::core_clocks_per_tick`], or the reason why they are
    /// unknown.
    pub core_clocks: Result<f64, String>,
    /// Notes about the passes.
    pub notes: Vec<String>,
}

/// The summary of the native runs of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Core clocks per tick while the program ran, from the chain of additions, or the reason why it is unknown.
    pub core_clocks_per_tick: Result<f64, String>,
    /// Every region of the image, in its order.
    pub regions: Vec<RegionTiming>,
    /// The whole program, net of entry and exit, or the reason why it is unknown.
    pub whole: Result<Timing, String>,
    /// Core clocks of the whole program, estimated as its mean times [`Summary::core_clocks_per_tick`].
    pub whole_core_clocks: Result<f64, String>,
    /// What disturbed the measurement; empty if the machine was quiet.
    pub disturbances: Vec<String>,
}

/// Summarises the runs of `image`. `uncounted` is the reason why no events are counted for a StartProfile.
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
                RegionKind::Profile => Err(format!("{NO_COUNTERS}; events of the host: {uncounted}")),
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

/// The mean of `timing` in core clocks.
///
/// # Errors
/// The reason why `timing` or the ratio is missing.
fn core_clocks(timing: &Result<Timing, String>, ratio: &Result<f64, String>) -> Result<f64, String> {
    match (timing, ratio) {
        (Ok(timing), Ok(ratio)) => Ok(timing.mean * ratio),
        (Err(why), _) | (_, Err(why)) => Err(why.clone()),
    }
}

/// The ticks and clocks per instruction of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct PerInstruction {
    /// The ticks of the whole program, net of entry and exit, or the reason why they are unknown.
    pub whole: Result<Timing, String>,
    /// Ticks per instruction, the nominal figure: the counter runs at a constant rate whatever the core does.
    pub ticks: Result<f64, String>,
    /// Core clocks of the whole program, estimated from the chain of additions.
    pub core_clocks: Result<f64, String>,
    /// Core clocks per instruction, estimated likewise: the figure for the time in which the core is not halted.
    pub clocks: Result<f64, String>,
    /// The number of instructions used as the divisor, or the reason why it is unknown.
    pub instructions: Result<u64, String>,
}

/// Divides the time of the whole program by its instructions; `uncounted` is the reason if their number is unknown.
pub fn per_instruction(native: &Native, instructions: Result<u64, String>) -> PerInstruction {
    let whole = whole(native);
    let core_clocks = core_clocks(&whole, &ratio(native));
    // For a program shorter than the variation of entry and exit, the net ticks are noise and may be below 0.
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

/// Core clocks per tick, from the chain of additions timed between the runs.
fn ratio(native: &Native) -> Result<f64, String> {
    let chain = one_each(&native.chain);
    let timed = empty(native).and_then(|empty| timing(&chain, Ways::One, step(native), Some(&empty)));
    match timed {
        Some(timed) if timed.mean > 0.0 => Ok(f64::from(native.chain_length) / timed.mean),
        Some(_) => Err("the time stamp counter did not advance over the chain of additions".to_owned()),
        None if native.quantum.is_err() => Err(no_run(native)),
        None => Err("no chain of additions was timed between the runs, so core clocks are unknown".to_owned()),
    }
}

/// The step of the counter in ticks. If it is unknown nothing was timed, so it is not needed.
fn step(native: &Native) -> u64 {
    native.quantum.unwrap_or(1)
}

/// The reason why there is no completed run.
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
    // A signal at the end costs many times the normal exit, so such programs are compared with an empty one that ends
    // alike.
    let by_signal = timing(&one_each(&native.ended_by_signal), Ways::One, step(native), None);
    let Some(way) = by_signal.or_else(|| empty(native)) else {
        return Err(
            "no empty program was timed, so the cost of entering and leaving the segment is unknown".to_owned(),
        );
    };
    let whole = timing(&one_each(warm(&ticks)), Ways::One, step(native), Some(&way)).ok_or_else(|| no_run(native))?;
    if by_signal.is_some() && whole.mean < way.mean * LOST {
        return Err(format!(
            "the program ends with a signal, which takes about {:.0} ticks and varies by more than the program takes; \
             end it with `ret`",
            way.mean
        ));
    }
    Ok(whole)
}

/// The log of the host library, and where other macros leave their results.
struct Log {
    /// The passes for each address in order, each with the number of its run.
    passes: HashMap<u32, Vec<(u32, i64)>>,
    /// Those of the empty region.
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

/// The passes of a region: those in the log, or the results of macros that the file itself defines.
fn region(image: &Image, native: &Native, log: &Log, index: usize, notes: &mut Vec<String>) -> Result<Timing, String> {
    if native.runs.is_empty() {
        return Err(no_run(native));
    }
    let region = &image.regions[index];
    let Some(slot) = region.measured.first() else {
        return Err("the file's own macros define no result (`_TSC`)".to_owned());
    };
    if !region.library {
        let shares = |one: &&Region| one.kind == RegionKind::Tsc && !one.library && one.measured.first() == Some(slot);
        let shared = image.regions.iter().filter(shares).count() > 1;
        return own(native, shared, index, notes);
    }
    let Some(overhead) = &log.overhead else {
        return Err("the log holds no empty pass, so the probe overhead is unknown".to_owned());
    };
    let passes = log.passes.get(slot).map_or(&[][..], Vec::as_slice);
    if passes.iter().any(|&(_, ticks)| ticks == i64::from(u32::MAX)) {
        return Err("a pass took more than 4294967294 ticks, the limit of the log".to_owned());
    }
    if let Some(room) = log.full {
        notes.push(format!(
            "the log holds {room} passes per run, including those of the calibration, and was full: later passes are missing"
        ));
    }
    let timing = timing(passes, Ways::Several, step(native), Some(overhead))
        .ok_or_else(|| "no pass reached its end macro on the host".to_owned())?;
    if timing.slow > 0 {
        notes.push(format!(
            "{}: {} passes took much longer than the median; they are too frequent for interruptions (more than one in \
             {RARE}), so the mean includes them",
            region.name, timing.slow
        ));
    }
    Ok(timing)
}

/// The results of macros that the file itself defines: one value per run, that of the last region if several share it.
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
            Some(timing) => format!(", with a median of {}", timing.median),
            None => String::new(),
        };
        return Err(format!(
            "the file's own macros store the result of every region in the same `_TSC`; only the last one of a run \
             remains{last}"
        ));
    }
    notes.push(
        "measured by the file's own macros: only the last pass of each run is known, the overhead they subtract is a \
         constant for the Pentium, and nothing keeps a current processor from reading the counter early"
            .to_owned(),
    );
    timing.ok_or_else(|| "no run of the program left a result".to_owned())
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

/// Whether long timings may be genuine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ways {
    /// No: the same instructions execute with the same data each time, so a long timing was interrupted.
    One,
    /// Yes: passes may differ in their data, so frequent long timings are not interruptions.
    Several,
}

/// Summarises samples of ticks, each with the number of its run, in ascending order of these numbers; `None` if there
/// are no samples.
fn timing(samples: &[(u32, i64)], ways: Ways, quantum: u64, overhead: Option<&Timing>) -> Option<Timing> {
    let mut sorted: Vec<i64> = samples.iter().map(|&(_, ticks)| ticks).collect();
    sorted.sort_unstable();
    let least = *sorted.first()?;
    // Interruptions are detected by their length, which is counted from the minimum, because macros that the file
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

/// The standard error of `mean`. Passes of one run are more alike than those of different runs, so runs are compared;
/// of a single run, its passes.
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
            "the frequency of the core changed meanwhile: {} additions took {low} to {high} ticks (10th to 90th \
             percentile), so core clocks are equally uncertain",
            native.chain_length
        ));
    }
    let often = |timing: &Timing| timing.disturbed as usize * RARE > timing.kept as usize;
    if empty(native).is_some_and(|empty| often(&empty)) || whole(native).is_ok_and(|whole| often(&whole)) {
        found.push(format!(
            "more than one run in {RARE} was interrupted; these runs are discarded"
        ));
    }
    for region in regions {
        if let Ok(timing) = &region.timing
            && let Some(error) = timing.standard_error
            && error > (timing.mean.abs() * SCATTERED).max(step(native) as f64 / 2.0)
        {
            found.push(
                "the passes of a region vary so much that its mean is uncertain; see its standard error".to_owned(),
            );
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests;
