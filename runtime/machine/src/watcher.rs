//! The watcher of a run's ops: many samplers at once or an exact count, both for a study, or a count of the
//! mispredictions of each instruction.

use super::sampler::op_counter;
use crate::monitor::ibs::{OpCounter, group};
use p5_chips::ibs::CLOCKS_TO_A_GROUP;
use p5_record::Choice;
use p5_record::MOST_INSTRUCTIONS;
use p5_record::study::{Census, Counted, Probe, Taken};
use p5_results::records::OpRecord;
use rustc_hash::FxHashMap;

/// The number of ops that the samplers look at together.
const TOGETHER: usize = 1 << 13;

#[derive(Debug)]
pub(super) enum Watcher {
    Census(Counting),
    Probes(Probing),
    Mispredictions(FxHashMap<u32, u64>),
}

impl Watcher {
    /// Takes ops that have retired.
    pub(super) fn ops(&mut self, ops: &[OpRecord]) {
        match self {
            Watcher::Census(counting) => counting.ops(ops),
            Watcher::Mispredictions(counts) => {
                let wrong = |op: &&OpRecord| op.met_entry || op.branch.is_some_and(|branch| branch.mispredicted);
                for op in ops.iter().filter(wrong) {
                    *counts.entry(op.address).or_default() += 1;
                }
            }
            Watcher::Probes(probing) => {
                probing.pending.extend_from_slice(ops);
                if probing.pending.len() >= TOGETHER {
                    probing.look();
                }
            }
        }
    }

    /// Skips the clocks from `begun` on in which the core was halted.
    pub(super) fn halted(&mut self, begun: u64, clocks: u64) {
        match self {
            Watcher::Census(counting) => counting.slept = Some((begun, clocks)),
            Watcher::Mispredictions(_) => {}
            Watcher::Probes(probing) => {
                probing.look();
                let samplers = probing.samplers.iter_mut();
                samplers.for_each(|(counter, _)| counter.halted(clocks));
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Probing {
    samplers: Vec<(OpCounter, Taken)>,
    pending: Vec<OpRecord>,
}

impl Probing {
    pub(super) fn new(probes: &[Probe], start: u64) -> Probing {
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

    /// The ops that each sampler has taken.
    pub(super) fn finish(mut self) -> Vec<Taken> {
        self.look();
        self.samplers.into_iter().map(|(_, taken)| taken).collect()
    }

    /// Shows the retired ops to the samplers.
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

#[derive(Debug, Default)]
pub(super) struct Counting {
    rows: FxHashMap<u32, Row>,
    ops: u64,
    cut: bool,
    /// The clock at which the last group was dispatched, and the first instructions of that group and those before it.
    dispatched: Option<u64>,
    /// The clock at which the core was halted since then, and for how long.
    slept: Option<(u64, u64)>,
    leaders: [Option<u32>; 3],
}

#[derive(Debug, Default)]
struct Row {
    counted: Counted,
    /// The number of the first op of the last execution of the instruction.
    last: Option<u64>,
    /// A distance between two visits, with its majority (Boyer and Moore's vote).
    votes: u64,
    longest: u64,
}

impl Counting {
    fn ops(&mut self, ops: &[OpRecord]) {
        let mut at = 0;
        while at < ops.len() {
            let size = group(&ops[at..]);
            let now = ops[at].tagged;
            // The first dispatched group is not preceded by a wait.
            let gap = self.dispatched.map_or(1, |before| now.saturating_sub(before));
            // HLT is dispatched before the core sleeps, and shown after.
            let slept = self
                .slept
                .take_if(|slept| slept.0 < now)
                .map_or(0, |(_, clocks)| clocks);
            let gap = gap.saturating_sub(slept);
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
                // The two ops of a pair are equally likely to be picked.
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

    pub(super) fn finish(self) -> Census {
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
    /// Records that the instruction begins with op number `now`.
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
