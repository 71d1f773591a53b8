//! Sampled runs: instruction-based sampling from outside the program, which does not notice it.
//!
//! The program runs as often as its options request. The last run is sampled; with [`SampleOptions::truth`], the exact
//! figures of all its ops and fetches are known, too. The registers are read and the samplers rearmed as soon as a
//! sample is ready.

use super::recording::about;
use super::sampler::{SampleOptions, Sampler};
use super::{Machine, Options, Progress};
use asm_macros::events::Event;
use p5_chips::Model;
use p5_image::Image;
use p5_record::Recording;
use p5_record::program::of_program;
use p5_results::{Run, StopReason};
use p5_timing::pipeline::{Observed, Wanted};

/// The results of a sampled run.
#[derive(Clone, Debug)]
pub struct Sampled {
    /// The run with the results of [`simulate`](super::simulate).
    pub run: Run,
    /// The samples of the last run; empty if an earlier run reached a limit.
    pub recording: Recording,
    /// The events of that run, summed over all ops and fetches, sampled or not; empty without truth.
    pub events: Vec<(Event, u64)>,
}

/// Runs `image` like [`simulate`](super::simulate) and samples the last run.
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
            sampler
                .population
                .divide_lines(&of_program(image, &[], &[], image.code_bits()).symbols);
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
        None => about(&run, image, model, &wanted.choice),
    };
    Sampled { run, recording, events }
}

/// Runs the program as often as its options request, and observes the last run. `prepare` is called at its beginning,
/// with its clock, unless an earlier run reached a limit.
pub(super) fn last_run<'a>(
    machine: &mut Machine<'a>,
    fetches: bool,
    prepare: impl FnOnce(&mut Machine<'a>, u64),
    progress: &mut dyn FnMut(Progress),
) {
    for _ in 1..machine.options.runs {
        machine.run(progress);
        if matches!(machine.stop.reason, StopReason::Limit | StopReason::Timeout) {
            return;
        }
    }
    let begin = |machine: &mut Machine<'a>| {
        machine.pipeline.observe(fetches || machine.monitors.sampling.is_some());
        let start = machine.pipeline.end();
        prepare(machine, start);
        machine.watch_monitors();
    };
    machine.run_prepared(begin, progress);
    machine.pipeline.end_observing();
    machine.take_records();
}

impl Machine<'_> {
    /// Passes the retired ops and the ended fetches to the samplers, and requests the next ones.
    pub(super) fn take_records(&mut self) {
        if self.show_records() {
            self.expect_samples();
        }
    }

    /// Passes the records to the samplers. Returns whether ops and fetches are being recorded.
    pub(super) fn show_records(&mut self) -> bool {
        let Some(Observed { ops, fetches, passed }) = self.pipeline.observed() else {
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
        // Observing continues. The records are taken regularly, so that they do not pile up.
        if passed.resumed {
            self.watch_monitors();
        }
        true
    }

    /// Requests the ops and fetches that the samplers want next. Records pause until they are near.
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

    /// Skips clocks in which the core was halted, which no sampler counts.
    pub(super) fn sampling_halted(&mut self, clocks: u64) {
        if self.watcher.is_some() {
            // The ops from before are counted by the clocks from before.
            self.show_records();
        }
        let begun = self.pipeline.end() - clocks;
        if let Some(watcher) = &mut self.watcher {
            watcher.halted(begun, clocks);
        }
        let own = self.sampler.as_mut().and_then(|sampler| sampler.op.as_mut());
        let of_program = self.monitors.sampling.as_mut().and_then(|unit| unit.op_counter());
        own.into_iter()
            .chain(of_program)
            .for_each(|counter| counter.halted(clocks));
    }
}
