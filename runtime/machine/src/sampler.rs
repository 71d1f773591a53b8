//! The samplers outside a program: their choice among the ops and fetches they are shown, and the truth about all of
//! them.

mod events;

use super::recording::{about, instructions};
use crate::monitor::ibs::{FetchCounter, Filter, OpCounter, Period, Random, Stream, fetch_images, op_images};
use asm_macros::events::Event;
use events::{EVENTS, of_fetch, of_op};
use p5_chips::Model;
use p5_chips::ibs::{FETCH_L3_MISS_ONLY, Field, RAND_EN};
use p5_chips::ibs::{FETCH_MAX_CNT, LD_LAT_EN, LD_LAT_THRSH, OP_CNT_CTL, OP_L3_MISS_ONLY, OP_MAX_CNT, OP_MAX_CNT_EXT};
use p5_image::Image;
use p5_record::store::{Kept, MOST_SAMPLES, Second};
use p5_record::{Choice, CountMode, Flight, Images, Population, Randomization, Recording, SampleKind};
use p5_results::Run;
use p5_results::records::{FetchRecord, OpRecord};
use p5_timing::pipeline::{Next, Passed, Wanted};
use std::num::NonZeroU64;
use std::time::Duration;

/// The kinds of samples, and the way they are chosen.
#[derive(Clone, Debug, Default)]
pub struct SampleOptions {
    /// The mean number of fetches from one sample to the next; `None` if fetches are not sampled.
    pub fetch: Option<NonZeroU64>,
    /// The mean number of ops or clocks from one sample to the next; `None` if ops are not sampled.
    pub op: Option<NonZeroU64>,
    /// The choice of samples, and the part of them that is kept.
    pub choice: Choice,
    /// Whether every op and fetch is looked at, sampled or not, and the exact figures of all of them are recorded,
    /// too. It takes more than ten times as long.
    pub truth: bool,
}

/// The share of the room for samples that they keep however much the exact figures need.
const LEAST_ROOM: usize = 4;

/// The rows from which on it matters how long they take to be written.
const MANY_ROWS: usize = 1 << 14;

/// A counter of ops outside the program, which begins to count at clock `start`.
pub(super) fn op_counter(choice: &Choice, mean: u64, start: u64) -> OpCounter {
    let pick = Random::uniform(choice.seed, Stream::Picks);
    OpCounter::new(choice.mode, mean, period(choice, mean, SampleKind::Op), pick, start)
}

/// The distances between the samples of one kind.
fn period(choice: &Choice, mean: u64, kind: SampleKind) -> Period {
    let random = match kind {
        // OProfile's driver leaves fetches to the hardware.
        SampleKind::Fetch if choice.randomization != Randomization::None => {
            Random::uniform(choice.seed, Stream::Fetches)
        }
        _ => Random::new(choice.randomization, choice.seed, Stream::Ops),
    };
    Period::around(mean, choice.spread(kind), random)
}

/// The samplers outside a program, and the exact figures of the run.
#[derive(Debug)]
pub(super) struct Sampler {
    options: SampleOptions,
    filter: Filter,
    pub(super) op: Option<OpCounter>,
    fetch: Option<FetchCounter>,
    /// The distances within pairs.
    distances: Random,
    retired: u64,
    pub(super) population: Population,
    kept: Kept,
    run: u32,
    start: u64,
    pub(super) events: [(Event, u64); EVENTS.len()],
    /// The time to write a row, once it is known.
    row: Option<Duration>,
}

impl Sampler {
    /// Samplers for run number `run`, which begins at clock `start`.
    pub(super) fn new(options: &SampleOptions, model: &Model, run: u32, start: u64) -> Sampler {
        Sampler {
            filter: Filter {
                load_latency: options.choice.load_latency,
                last_level_misses_only: options.choice.last_level_misses_only,
            },
            op: options.op.map(|mean| op_counter(&options.choice, mean.get(), start)),
            fetch: options
                .fetch
                .map(|mean| FetchCounter::new(mean.get(), period(&options.choice, mean.get(), SampleKind::Fetch))),
            distances: Random::uniform(options.choice.seed, Stream::Distances),
            retired: 0,
            population: Population::new(model.geometry.data_cache.line, options.choice.window, model.rules.pipes),
            kept: Kept::new(run, options.choice.seed),
            run,
            start,
            events: EVENTS.map(|event| (event, 0)),
            row: None,
            options: options.clone(),
        }
    }

    fn count(&mut self, times: [u64; EVENTS.len()]) {
        let events = self.events.iter_mut();
        events.zip(times).for_each(|((_, count), times)| *count += times);
    }

    /// Takes ops that have retired.
    pub(super) fn ops(&mut self, ops: &[OpRecord], physical: &dyn Fn(u32) -> Option<u32>) {
        if self.options.truth {
            for op in ops {
                self.count(of_op(op));
                let flight = Flight {
                    tagged: op.tagged,
                    retired: op.retired,
                };
                self.population.op(&op_images(op, physical), flight);
            }
        }
        let left = MOST_SAMPLES - self.population.lines_of_data().min(MOST_SAMPLES);
        self.kept
            .leave_room(left.max(MOST_SAMPLES / LEAST_ROOM) / self.rows_of_sample());
        self.first_ops(ops, physical);
        self.second_ops(ops, physical);
        self.retired += ops.len() as u64;
    }

    /// The rows of a sample: the second op of a pair takes as much room as the first.
    fn rows_of_sample(&self) -> usize {
        1 + usize::from(self.options.choice.window.is_some())
    }

    /// The time that it takes to write what has been recorded so far; `measure` measures a row, once there are many.
    pub(super) fn time_to_write(&mut self, measure: fn() -> Duration) -> Duration {
        let rows = self.kept.count() * self.rows_of_sample() + self.population.lines_of_data();
        if rows < MANY_ROWS {
            return Duration::ZERO;
        }
        let row = *self.row.get_or_insert_with(measure);
        let whole = row.saturating_mul(u32::try_from(rows).unwrap_or(u32::MAX));
        // A message has it, and more digits would be noise.
        Duration::from_millis(whole.as_millis().div_ceil(10) as u64 * 10)
    }

    /// Samples the ops that are due.
    fn first_ops(&mut self, ops: &[OpRecord], physical: &dyn Fn(u32) -> Option<u32>) {
        let mut from = 0;
        while let Some(counter) = &mut self.op
            && let Some(at) = counter.count(ops, from)
        {
            let op = &ops[at];
            from = at + 1;
            counter.restart(op.retired);
            if !self.filter.takes_op(op) {
                counter.attempts.filtered += 1;
                continue;
            }
            let images = self.controlled(op_images(op, physical), SampleKind::Op);
            let sample = self
                .kept
                .keep(SampleKind::Op, op.tagged.saturating_sub(self.start), images);
            if let (Some(sample), Some(window)) = (sample, self.options.choice.window) {
                let distance = (self.distances.below(1 << 32) % u64::from(window.max(1)) + 1) as u32;
                self.kept.wait_for(Second {
                    number: self.retired + at as u64 + u64::from(distance),
                    sample,
                    distance,
                    tagged: op.tagged,
                });
            }
        }
    }

    /// Completes the pairs whose second op has retired.
    fn second_ops(&mut self, ops: &[OpRecord], physical: &dyn Fn(u32) -> Option<u32>) {
        let behind = self.retired + ops.len() as u64;
        while let Some(second) = self.kept.next_second(behind) {
            let op = &ops[(second.number - self.retired) as usize];
            let images = self.controlled(op_images(op, physical), SampleKind::Op);
            self.kept.complete(second, op.tagged, images);
        }
    }

    /// Takes fetches that have ended.
    pub(super) fn fetches(&mut self, fetches: &[FetchRecord], physical: &dyn Fn(u32) -> Option<u32>) {
        if self.options.truth {
            for fetch in fetches {
                self.count(of_fetch(fetch));
                self.population.fetch(&fetch_images(fetch, physical));
            }
        }
        let mut from = 0;
        while let Some(counter) = &mut self.fetch
            && let Some(at) = counter.count(fetches, from)
        {
            let fetch = &fetches[at];
            from = at + 1;
            counter.restart();
            if self.filter.takes_fetch(fetch) {
                let images = self.controlled(fetch_images(fetch, physical), SampleKind::Fetch);
                self.kept
                    .keep(SampleKind::Fetch, fetch.began.saturating_sub(self.start), images);
            } else {
                counter.attempts.filtered += 1;
            }
        }
    }

    /// The op and fetch that have to be recorded next: the next samples, and the second one of a pair.
    pub(super) fn wanted(&self) -> Wanted {
        let next = self.op.as_ref().map_or(Next::Never, OpCounter::due);
        let op = match (next, self.kept.waits_for()) {
            _ if self.options.truth => return Wanted::ALL,
            (next, None) => next,
            (Next::Count(next), Some(second)) => Next::Count(next.min(second + 1 - self.retired)),
            _ => Next::Count(1),
        };
        Wanted {
            op,
            fetch: self.fetch.as_ref().map_or(Next::Never, FetchCounter::due),
        }
    }

    /// Counts the ops and fetches that passed without a record.
    pub(super) fn pass(&mut self, passed: Passed) {
        self.retired += passed.ops;
        if let Some(counter) = &mut self.op {
            counter.pass(passed.ops);
        }
        if let Some(counter) = &mut self.fetch {
            counter.pass(passed.fetches);
        }
    }

    /// The images as selected by the sampler's control register, without the registers not wanted.
    fn controlled(&self, mut images: Images, kind: SampleKind) -> Images {
        let options = &self.options;
        let mut put = |field: &Field, value: u64| images.put(field, value);
        let flag = u64::from;
        match kind {
            SampleKind::Fetch => {
                put(&FETCH_MAX_CNT, options.fetch.map_or(0, NonZeroU64::get).div_ceil(16));
                put(&RAND_EN, flag(options.choice.randomization != Randomization::None));
                put(&FETCH_L3_MISS_ONLY, flag(options.choice.last_level_misses_only));
            }
            SampleKind::Op => {
                let count = options.op.map_or(0, NonZeroU64::get).div_ceil(16);
                put(&OP_MAX_CNT, count & OP_MAX_CNT.max());
                put(&OP_MAX_CNT_EXT, count >> 16);
                put(&OP_CNT_CTL, flag(options.choice.mode == CountMode::Dispatch));
                put(&OP_L3_MISS_ONLY, flag(options.choice.last_level_misses_only));
                // The register has steps of 128 clocks; a finer threshold is applied afterwards, as a driver does.
                if let Some(steps) = options
                    .choice
                    .load_latency
                    .and_then(|least| (least / 128).checked_sub(1))
                {
                    put(&LD_LAT_EN, 1);
                    put(&LD_LAT_THRSH, u64::from(steps));
                }
            }
        }
        if let Some(kept) = &options.choice.kept {
            images.retain(|register| kept.contains(&register));
        }
        images
    }

    /// Makes the recording of `run`, which has ended.
    pub(super) fn finish(self, run: &Run, image: &Image, model: &'static Model) -> Recording {
        let mut recording = about(run, image, model, &self.options.choice);
        let sampling = &mut recording.sampling;
        sampling.runs = (self.run, self.run);
        sampling.fetch = self.fetch.map(|counter| counter.attempts);
        sampling.op = self.op.map(|counter| counter.attempts);
        (recording.samples, sampling.cut) = self.kept.finish();
        if !self.options.truth {
            return recording;
        }
        let clocks = run.runs.last().map_or(0, |last| last.whole.cycles);
        let mut truth = self.population.finish(instructions(run), clocks);
        truth.instructions_cut |= !run.remainders.is_empty();
        recording.truth = Some(truth);
        recording
    }
}
