//! Many samplers at one run, and an exact count of the same run: what a study of sampling is made of.
//!
//! The samplers are those of [`sample`](super::sample), and see the same ops; none disturbs another or the program.
//! What is kept of each is how often it took an op of each instruction, which does not grow with the run.

use super::sampling::{SampleOptions, about, instructions, op_counter};
use super::{Machine, Options, Progress};
use crate::monitor::ibs::{OpCounter, group};
use p5_chips::Model;
use p5_chips::ibs::CLOCKS_TO_A_GROUP;
use p5_image::Image;
use p5_results::records::OpRecord;
use p5_results::{Run, StopReason};
use p5_samples::study::{Census, Counted, Probe, Taken};
use p5_samples::{Choice, Recording, Truth};
use rustc_hash::FxHashMap;

/// How many ops the samplers look at together.
const TOGETHER: usize = 1 << 13;
/// The most instructions that are counted apart.
const MOST_INSTRUCTIONS: usize = 1 << 18;

/// What watches the ops of a run for a study.
#[derive(Debug)]
pub(super) enum Watcher {
    /// Counts all of them.
    Census(Counting),
    /// Samples them in several ways.
    Probes(Probing),
}

/// A run that was watched.
#[derive(Clone, Debug)]
pub struct Watched<T> {
    /// The run, as [`simulate`](super::simulate) gives it.
    pub run: Run,
    /// The program with its symbols, its lines and the clocks of its instructions, without samples.
    pub recording: Recording,
    /// What was seen of the last run; nothing if an earlier one reached a limit.
    pub seen: Option<T>,
}

/// Runs `image` and counts the ops of the last run.
pub fn census(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Watched<Census> {
    let watched = watched(
        image,
        program,
        model,
        options,
        &|_| Watcher::Census(Counting::default()),
        progress,
    );
    Watched {
        seen: watched.seen.and_then(|seen| match seen {
            Watcher::Census(counting) => Some(counting.finish()),
            Watcher::Probes(_) => None,
        }),
        run: watched.run,
        recording: watched.recording,
    }
}

/// Runs `image` and samples the last run in all ways of `probes`: the answer has one [`Taken`] for each.
pub fn probe(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    probes: &[Probe],
    progress: &mut dyn FnMut(Progress),
) -> Watched<Vec<Taken>> {
    let begin = |start| Watcher::Probes(Probing::new(probes, start));
    let watched = watched(image, program, model, options, &begin, progress);
    Watched {
        seen: watched.seen.and_then(|seen| match seen {
            Watcher::Probes(mut probing) => {
                probing.look();
                Some(probing.samplers.into_iter().map(|(_, taken)| taken).collect())
            }
            Watcher::Census(_) => None,
        }),
        run: watched.run,
        recording: watched.recording,
    }
}

fn watched(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    begin: &dyn Fn(u64) -> Watcher,
    progress: &mut dyn FnMut(Progress),
) -> Watched<Watcher> {
    let mut machine = Machine::new(model, image, options.clone());
    let prepare = |machine: &mut Machine<'_>, start| machine.watcher = Some(Box::new(begin(start)));
    last_run(&mut machine, false, prepare, progress);
    let seen = machine.watcher.take().map(|watcher| *watcher);
    let run = machine.into_run(program);
    let mut recording = about(&run, image, model, &SampleOptions::default());
    let mut instructions = instructions(&run);
    instructions.sort_unstable_by_key(|instruction| instruction.address);
    recording.truth = Some(Truth {
        clocks: run.runs.last().map_or(0, |last| last.whole.cycles),
        instructions,
        instructions_cut: !run.remainders.is_empty(),
        ..Truth::default()
    });
    Watched { run, recording, seen }
}

/// Runs the program as often as its options say; the last run is observed. `prepare` is called when it begins, with its
/// clock, unless an earlier run reached a limit.
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

impl Watcher {
    /// Ops have retired.
    pub(super) fn ops(&mut self, ops: &[OpRecord]) {
        match self {
            Watcher::Census(counting) => counting.ops(ops),
            Watcher::Probes(probing) => {
                probing.pending.extend_from_slice(ops);
                if probing.pending.len() >= TOGETHER {
                    probing.look();
                }
            }
        }
    }
}

/// Samplers at work.
#[derive(Debug)]
pub(super) struct Probing {
    samplers: Vec<(OpCounter, Taken)>,
    pending: Vec<OpRecord>,
}

impl Probing {
    fn new(probes: &[Probe], start: u64) -> Probing {
        let sampler = |probe: &Probe| {
            let mean = probe.period.max(1);
            let choice = Choice {
                mode: probe.mode,
                randomization: probe.randomization,
                seed: probe.seed,
                ..Choice::default()
            };
            (op_counter(&choice, mean, start), Taken::default())
        };
        Probing {
            samplers: probes.iter().map(sampler).collect(),
            pending: Vec::with_capacity(2 * TOGETHER),
        }
    }

    /// Shows the samplers what has retired.
    fn look(&mut self) {
        for (counter, taken) in &mut self.samplers {
            let mut from = 0;
            while let Some(at) = counter.count(&self.pending, from) {
                let op = &self.pending[at];
                *taken.instructions.entry(op.address).or_default() += 1;
                taken.samples += 1;
                counter.restart(op.retired);
                from = at + 1;
            }
            taken.dropped = counter.attempts.dropped.unwrap_or_default();
        }
        self.pending.clear();
    }
}

/// The count of all ops.
#[derive(Debug, Default)]
pub(super) struct Counting {
    rows: FxHashMap<u32, Row>,
    ops: u64,
    cut: bool,
    /// When the last group was dispatched, and the instructions that led it and those before.
    dispatched: Option<u64>,
    leaders: [Option<u32>; 3],
}

#[derive(Debug, Default)]
struct Row {
    counted: Counted,
    /// The number of the op with which it was last begun.
    last: Option<u64>,
    /// A distance between two visits, with its majority (Boyer and Moore's vote).
    votes: u64,
    /// The longest wait.
    longest: u64,
}

impl Counting {
    fn ops(&mut self, ops: &[OpRecord]) {
        let mut at = 0;
        while at < ops.len() {
            let size = group(&ops[at..]);
            let now = ops[at].tagged;
            // Until a group has been dispatched, there is nothing to wait behind.
            let gap = self.dispatched.map_or(1, |before| now.saturating_sub(before));
            for op in &ops[at..at + size] {
                if self.rows.len() >= MOST_INSTRUCTIONS && !self.rows.contains_key(&op.address) {
                    self.cut = true;
                    self.ops += 1;
                    continue;
                }
                let row = self.rows.entry(op.address).or_default();
                row.counted.address = op.address;
                row.counted.ops += 1;
                if op.step == 0 {
                    row.begun(self.ops);
                }
                // Either op of a pair is as likely to be picked.
                row.counted.dispatch_halves += gap.min(CLOCKS_TO_A_GROUP + 1) * 2 / size as u64;
                row.counted.waited += gap.saturating_sub(1);
                if gap > row.longest.max(1) {
                    row.longest = gap;
                    row.counted.behind = self.leaders;
                }
                self.ops += 1;
            }
            self.dispatched = Some(now);
            self.leaders = [Some(ops[at].address), self.leaders[0], self.leaders[1]];
            at += size;
        }
    }

    fn finish(self) -> Census {
        let mut rows: Vec<Counted> = self.rows.into_values().map(|row| row.counted).collect();
        rows.sort_unstable_by_key(|row| row.address);
        Census {
            ops: self.ops,
            rows,
            cut: self.cut,
        }
    }
}

impl Row {
    /// The instruction begins with op number `now`.
    fn begun(&mut self, now: u64) {
        self.counted.visits += 1;
        if let Some(last) = self.last.replace(now) {
            let distance = now - last;
            if self.votes == 0 {
                self.counted.distance = distance;
            }
            if self.counted.distance == distance {
                self.votes += 1;
            } else {
                self.votes -= 1;
            }
            self.counted.steady = self.votes;
        }
    }
}
