//! Sampled runs: instruction-based sampling from outside of the program, which does not notice it.
//!
//! The program runs as often as its options say; the last run is sampled, of which the truth is known as well. The
//! registers are read and the samplers rearmed as soon as a sample is ready.

mod events;

use super::study::last_run;
use super::{Machine, Options, Progress};
use crate::monitor::ibs::{FetchCounter, Filter, OpCounter, Period, Random, Stream, fetch_images, op_images};
use asm_macros::events::Event;
use events::{EVENTS, of_fetch, of_op};
use p5_chips::Model;
use p5_chips::ibs::{FETCH_L3_MISS_ONLY, Field, RAND_EN};
use p5_chips::ibs::{FETCH_MAX_CNT, LD_LAT_EN, LD_LAT_THRSH, OP_CNT_CTL, OP_L3_MISS_ONLY, OP_MAX_CNT, OP_MAX_CNT_EXT};
use p5_image::Image;
use p5_results::Run;
use p5_results::records::{FetchRecord, OpRecord};
use p5_samples::kept::{Kept, Second};
use p5_samples::recorded::of_program;
use p5_samples::{
    Choice, CountMode, Flight, Images, Population, Randomization, Recording, SampleKind, SampledMachine, Sampling,
    TrueInstruction,
};
use p5_timing::pipeline::{Next, Observed, Passed, Wanted};
use p5_words::isa::PAGE;
use std::num::NonZeroU64;

pub use p5_samples::kept::MOST_SAMPLES;

/// What is sampled, and how.
#[derive(Clone, Debug, Default)]
pub struct SampleOptions {
    /// Fetches from one sample to the next, on average; none if fetches are not sampled.
    pub fetch: Option<NonZeroU64>,
    /// Ops or clocks from one sample to the next, on average; none if ops are not sampled.
    pub op: Option<NonZeroU64>,
    /// How they are chosen, and what is kept of them.
    pub choice: Choice,
    /// Every op and fetch is looked at, sampled or not, and what is exactly true of them is recorded, too. It takes
    /// more than ten times as long.
    pub truth: bool,
}

/// A sampled run.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The run, as [`simulate`](super::simulate) gives it.
    pub run: Run,
    /// What was sampled in the last run; nothing if an earlier one reached a limit.
    pub recording: Recording,
    /// The events of that run as all ops and fetches add up to them, sampled or not; nothing without truth.
    pub events: Vec<(Event, u64)>,
}

/// Runs `image` as [`simulate`](super::simulate) does and samples the last run.
pub fn sample(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    wanted: &SampleOptions,
    progress: &mut dyn FnMut(Progress),
) -> Sampled {
    let mut machine = Machine::new(model, image, options.clone());
    let runs = options.runs.max(1);
    let prepare = |machine: &mut Machine<'_>, start| {
        let mut sampler = Sampler::new(wanted, model, runs, start);
        if wanted.truth {
            sampler.population.divide_lines(&of_program(image, |_| false).symbols);
        }
        machine.sampler = Some(Box::new(sampler));
    };
    last_run(&mut machine, wanted.truth || wanted.fetch.is_some(), prepare, progress);
    let sampler = machine.sampler.take();
    let run = machine.into_run(program);
    let events = sampler
        .as_ref()
        .filter(|_| wanted.truth)
        .map_or_else(Vec::new, |sampler| sampler.events.to_vec());
    let recording = match sampler {
        Some(sampler) => sampler.finish(&run, image, model),
        None => about(&run, image, model, wanted),
    };
    Sampled { run, recording, events }
}

/// A counter of ops outside of a program, which begins to count at clock `start`.
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

/// A recording of `run` without samples.
pub(super) fn about(run: &Run, image: &Image, model: &'static Model, wanted: &SampleOptions) -> Recording {
    let instructions = &run.instructions;
    let executed = |address: u32| instructions.binary_search_by_key(&address, |one| one.address).is_ok();
    Recording {
        program: run.program.clone(),
        machine: SampledMachine {
            chip: run.cpu.to_owned(),
            chip_title: run.cpu_title.to_owned(),
            memory: run.memory.to_owned(),
            assumed: run
                .assumed
                .iter()
                .map(|(name, answer)| ((*name).to_owned(), (*answer).to_owned()))
                .collect(),
            monitors: run.monitors.iter().map(|&name| name.to_owned()).collect(),
            core_ratio: run.core_ratio.clone(),
            cpl: run.cpl,
            width: Some(run.pipes),
            line_bytes: model.geometry.data_cache.line,
            page_bytes: PAGE,
        },
        sampling: Sampling {
            runs: (0, 0),
            choice: wanted.choice.clone(),
            ..Sampling::default()
        },
        ..of_program(image, executed)
    }
}

/// What `run` knows of each instruction in its last run.
pub(super) fn instructions(run: &Run) -> Vec<TrueInstruction> {
    let rows = run.instructions.iter();
    rows.map(|row| TrueInstruction {
        address: row.address,
        length: u32::from(row.length),
        text: row.text.clone(),
        executions: row.executions,
        paired: row.v,
        clocks: row.cycles,
        causes: row.causes.iter().map(|cause| (cause.cause, cause.cycles)).collect(),
        ..TrueInstruction::default()
    })
    .collect()
}

/// The samplers outside of a program, and all that is true of the run.
#[derive(Debug)]
pub(super) struct Sampler {
    wanted: SampleOptions,
    filter: Filter,
    op: Option<OpCounter>,
    fetch: Option<FetchCounter>,
    /// The distances within pairs.
    distances: Random,
    /// The ops that have retired.
    retired: u64,
    population: Population,
    kept: Kept,
    run: u32,
    start: u64,
    events: [(Event, u64); EVENTS.len()],
}

impl Sampler {
    /// Samplers for run number `run`, which begins at clock `start`.
    fn new(wanted: &SampleOptions, model: &Model, run: u32, start: u64) -> Sampler {
        Sampler {
            filter: Filter {
                load_latency: wanted.choice.load_latency,
                last_level_misses_only: wanted.choice.last_level_misses_only,
            },
            op: wanted.op.map(|mean| op_counter(&wanted.choice, mean.get(), start)),
            fetch: wanted
                .fetch
                .map(|mean| FetchCounter::new(mean.get(), period(&wanted.choice, mean.get(), SampleKind::Fetch))),
            distances: Random::uniform(wanted.choice.seed, Stream::Distances),
            retired: 0,
            population: Population::new(model.geometry.data_cache.line, wanted.choice.window, model.rules.pipes),
            kept: Kept::new(run, wanted.choice.seed),
            run,
            start,
            events: EVENTS.map(|event| (event, 0)),
            wanted: wanted.clone(),
        }
    }

    fn count(&mut self, times: [u64; EVENTS.len()]) {
        let events = self.events.iter_mut();
        events.zip(times).for_each(|((_, count), times)| *count += times);
    }

    /// Ops have retired.
    fn ops(&mut self, ops: &[OpRecord], physical: &dyn Fn(u32) -> Option<u32>) {
        if self.wanted.truth {
            for op in ops {
                self.count(of_op(op));
                let flight = Flight {
                    tagged: op.tagged,
                    retired: op.retired,
                };
                self.population.op(&op_images(op, physical), flight);
            }
        }
        self.first_ops(ops, physical);
        self.second_ops(ops, physical);
        self.retired += ops.len() as u64;
    }

    /// Takes the ops that are due.
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
            if let (Some(sample), Some(window)) = (sample, self.wanted.choice.window) {
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

    /// Fetches have ended.
    fn fetches(&mut self, fetches: &[FetchRecord], physical: &dyn Fn(u32) -> Option<u32>) {
        if self.wanted.truth {
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

    /// What has to be recorded next: the next samples, and the second one of a pair.
    fn wanted(&self) -> Wanted {
        let next = self.op.as_ref().map_or(Next::Never, OpCounter::due);
        let op = match (next, self.kept.waits_for()) {
            _ if self.wanted.truth => return Wanted::ALL,
            (next, None) => next,
            (Next::Count(next), Some(second)) => Next::Count(next.min(second + 1 - self.retired)),
            _ => Next::Count(1),
        };
        Wanted {
            op,
            fetch: self.fetch.as_ref().map_or(Next::Never, FetchCounter::due),
        }
    }

    /// What has not been recorded has passed.
    fn pass(&mut self, passed: Passed) {
        self.retired += passed.ops;
        if let Some(counter) = &mut self.op {
            counter.pass(passed.ops);
        }
        if let Some(counter) = &mut self.fetch {
            counter.pass(passed.fetches);
        }
    }

    /// The images with what is asked of the sampler in its control register, and without the registers not wanted.
    fn controlled(&self, mut images: Images, kind: SampleKind) -> Images {
        let wanted = &self.wanted;
        let mut put = |field: &Field, value: u64| images.put(field, value);
        let flag = u64::from;
        match kind {
            SampleKind::Fetch => {
                put(&FETCH_MAX_CNT, wanted.fetch.map_or(0, NonZeroU64::get).div_ceil(16));
                put(&RAND_EN, flag(wanted.choice.randomization != Randomization::None));
                put(&FETCH_L3_MISS_ONLY, flag(wanted.choice.last_level_misses_only));
            }
            SampleKind::Op => {
                let count = wanted.op.map_or(0, NonZeroU64::get).div_ceil(16);
                put(&OP_MAX_CNT, count & OP_MAX_CNT.max());
                put(&OP_MAX_CNT_EXT, count >> 16);
                put(&OP_CNT_CTL, flag(wanted.choice.mode == CountMode::Dispatch));
                put(&OP_L3_MISS_ONLY, flag(wanted.choice.last_level_misses_only));
                // The register knows multiples of 128 clocks; what is finer is filtered behind it, as a driver does.
                if let Some(steps) = wanted
                    .choice
                    .load_latency
                    .and_then(|least| (least / 128).checked_sub(1))
                {
                    put(&LD_LAT_EN, 1);
                    put(&LD_LAT_THRSH, u64::from(steps));
                }
            }
        }
        if let Some(kept) = &wanted.choice.kept {
            images.retain(|register| kept.contains(&register));
        }
        images
    }

    /// The recording of the `run` that has ended.
    fn finish(self, run: &Run, image: &Image, model: &'static Model) -> Recording {
        let mut recording = about(run, image, model, &self.wanted);
        let sampling = &mut recording.sampling;
        sampling.runs = (self.run, self.run);
        sampling.fetch = self.fetch.map(|counter| counter.attempts);
        sampling.op = self.op.map(|counter| counter.attempts);
        (recording.samples, sampling.cut) = self.kept.finish();
        if !self.wanted.truth {
            return recording;
        }
        let clocks = run.runs.last().map_or(0, |last| last.whole.cycles);
        let mut truth = self.population.finish(instructions(run), clocks);
        truth.instructions_cut |= !run.remainders.is_empty();
        recording.truth = Some(truth);
        recording
    }
}

impl Machine<'_> {
    /// Shows what has retired and been fetched to whoever samples, and says what is wanted next.
    pub(super) fn take_records(&mut self) {
        if self.show_records() {
            self.expect_samples();
        }
    }

    /// Shows it. Returns whether anything is recorded.
    pub(super) fn show_records(&mut self) -> bool {
        let Some(Observed {
            ops,
            fetches,
            passed,
            resumed,
        }) = self.pipeline.observed()
        else {
            return false;
        };
        let memory = &self.state.memory;
        let physical = |address: u32| memory.physical(address);
        if let Some(sampler) = &mut self.sampler {
            sampler.pass(passed);
            sampler.fetches(fetches, &physical);
            sampler.ops(ops, &physical);
        }
        if let Some(watcher) = &mut self.watcher {
            watcher.ops(ops);
        }
        let mut ready = false;
        if let Some(unit) = &mut self.monitors.sampling {
            unit.pass(passed);
            ready = unit.look(ops, fetches, &physical);
        }
        fetches.clear();
        ops.clear();
        if let Some(apic) = self.monitors.apic.as_mut().filter(|_| ready) {
            apic.counter_overflowed();
        }
        // Observing goes on: what it records is taken again and again, so that it does not pile up.
        if resumed {
            self.watch_monitors();
        }
        true
    }

    /// Says what whoever samples wants next, so that nothing is recorded before if that is far enough away.
    pub(super) fn expect_samples(&mut self) {
        let unit = self.monitors.sampling.as_ref().filter(|unit| unit.watches());
        let wanted = match (&self.sampler, unit, &self.watcher) {
            (Some(sampler), None, None) => sampler.wanted(),
            (None, Some(unit), None) => unit.wanted(),
            _ => Wanted::ALL,
        };
        self.pipeline.expect(wanted);
        if self.pipeline.pauses() {
            self.watch_monitors();
        }
    }

    /// The core was halted for so many clocks, which no sampler counts.
    pub(super) fn sampling_halted(&mut self, clocks: u64) {
        let own = self.sampler.as_mut().and_then(|sampler| sampler.op.as_mut());
        let of_program = self.monitors.sampling.as_mut().and_then(|unit| unit.op_counter());
        own.into_iter()
            .chain(of_program)
            .for_each(|counter| counter.halted(clocks));
    }
}
