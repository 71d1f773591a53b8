//! Regions: passes through the code between start and end macros, with the program's own measurements and the true
//! figures.

mod audit;
mod passes;

pub(super) use audit::Audit;

use super::parts::Parts;
use p5_image::{Image, RegionKind, partition_point_near};
use p5_meaning::memory::Memory;
use p5_results::{Beyond, Pass, Pipe, TRACE_FULL, WaitCauses};
use p5_timing::counters::{Counters, Tally};
use p5_timing::pipeline::{Crossing, Pipeline, Traced};
use std::collections::BTreeMap;
use std::rc::Rc;

pub(super) struct Regions {
    marks: Vec<Marks>,
    // The regions that have a mark at an address.
    at: Vec<(u32, Rc<[usize]>)>,
    // The index found by the last search. The next one is mostly beside it.
    near: usize,
    /// The passes of each region, in image order.
    pub(super) results: Vec<Passes>,
    /// The library's part of the events.
    pub(super) parts: Parts,
    /// The clocks by cause, if an audit is requested.
    pub(super) audit: Option<Box<Audit>>,
    // The awaited instructions with the marks that their issues reach, in order.
    pending: Vec<(u32, Mark)>,
    // A buffer for the issues of these instructions while they are applied.
    crossings: Vec<Crossing>,
    run: u32,
    traced_run: bool,
    // The regions whose end macro is executing, and some that have been left since.
    ending: Vec<usize>,
    time_stamped: bool,
    // The last values read from the time stamp counter and from the two counters.
    time_stamp: Option<u64>,
    counts: [Option<u64>; 2],
}

/// The number of a block's first instruction if it can only raise an exception.
pub(super) const CANNOT_ISSUE: u32 = u32::MAX;

/// The way in which execution has come to a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Whether it came without a taken branch.
    pub(super) sequential: bool,
    /// Whether it came from the library's code.
    pub(super) from_library: bool,
}

/// The effect of the issue of an awaited instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// It crosses an edge of a region.
    Region(usize, Edge),
    /// It begins the library, or else the program.
    Part(bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    First,
    After,
}

struct Marks {
    kind: RegionKind,
    first: u32,
    after: u32,
    done: u32,
    measured: Vec<u32>,
}

pub(super) struct Passes {
    pub(super) passes: Vec<Pass>,
    pub(super) count: u64,
    pub(super) last: Option<Pass>,
    /// The distance of kept passes: of each run, the first and every `stride`-th after it.
    stride: u64,
    // The number of passes in this run.
    of_run: u64,
    /// The trace of a pass of the last run whose clocks are near the median of the run before, with clocks from the
    /// region's first issue.
    pub(super) trace: Vec<Traced>,
    // The median clocks of the run before, and the distance of the traced pass from it.
    expected: Option<u64>,
    distance: u64,
    /// Whether the pass was longer than the trace.
    pub(super) trace_cut: bool,
    /// The known data of the rest of that pass.
    pub(super) beyond: Option<Beyond>,
    /// The clocks of that pass, or until the run ended; `None` if the trace had no room for all of it.
    pub(super) traced_cycles: Option<u64>,
    /// The clocks that the first instruction after it waited before its issue, and their causes.
    pub(super) after: Option<(u32, WaitCauses)>,
    /// The control and event select register when the last pass ended.
    pub(super) control: Option<u32>,
    /// The number of passes in this run that began again before they ended.
    pub(super) left: u64,
    /// The number of times in this run that the end macro was reached without a pass to end.
    pub(super) unbegun: u64,
    state: State,
}

impl Default for Passes {
    fn default() -> Self {
        Passes {
            passes: Vec::new(),
            count: 0,
            last: None,
            stride: 1,
            of_run: 0,
            trace: Vec::new(),
            expected: None,
            distance: 0,
            trace_cut: false,
            beyond: None,
            traced_cycles: None,
            after: None,
            control: None,
            left: 0,
            unbegun: 0,
            state: State::default(),
        }
    }
}

#[derive(Default)]
enum State {
    #[default]
    Outside,
    /// Its first instruction was reached but has not issued yet.
    Entering(Readings),
    Inside(Begun),
    /// The first instruction after it has issued, and the end macro is executing.
    Ending(Pass, Readings, [Option<u64>; 2]),
}

struct Begun {
    issue: Issue,
    counts: [u64; 2],
    readings: Readings,
}

/// The clock and pipe of an issue. No two issues have the same clock and pipe.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Issue {
    clock: u64,
    pipe: Pipe,
}

/// The values last read by the start macro.
#[derive(Clone, Copy)]
struct Readings([Option<u64>; 2]);

impl Regions {
    /// The regions of `image`, none of them entered. `time_stamped` is set if the chip has a time stamp counter.
    pub(super) fn new(image: &Image, time_stamped: bool) -> Regions {
        let marks: Vec<Marks> = image
            .regions
            .iter()
            .map(|region| Marks {
                kind: region.kind,
                first: region.first,
                after: region.after,
                done: region.done,
                measured: region.measured.clone(),
            })
            .collect();
        let mut at: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        for (index, marks) in marks.iter().enumerate() {
            for address in [marks.first, marks.after, marks.done] {
                let regions = at.entry(address).or_default();
                if regions.last() != Some(&index) {
                    regions.push(index);
                }
            }
        }
        Regions {
            at: at
                .into_iter()
                .map(|(address, regions)| (address, regions.into()))
                .collect(),
            near: 0,
            results: marks.iter().map(|_| Passes::default()).collect(),
            parts: Parts::default(),
            audit: None,
            marks,
            pending: Vec::new(),
            crossings: Vec::new(),
            run: 0,
            traced_run: false,
            ending: Vec::new(),
            time_stamped,
            time_stamp: None,
            counts: [None; 2],
        }
    }

    fn at(&mut self, address: u32) -> Option<Rc<[usize]>> {
        self.near = partition_point_near(&self.at, self.near, |(mark, _)| *mark < address);
        let (mark, regions) = self.at.get(self.near)?;
        (*mark == address).then(|| regions.clone())
    }

    /// Begins run number `run` of `runs`, the last of which is traced.
    pub(super) fn begin_run(&mut self, run: u32, runs: u32) {
        self.run = run;
        self.traced_run = run + 1 >= runs;
        for result in &mut self.results {
            (result.of_run, result.left, result.unbegun) = (0, 0, 0);
        }
        if self.traced_run {
            for result in &mut self.results {
                let before = result.passes.iter().filter(|pass| pass.run + 1 == run);
                let mut cycles: Vec<u64> = before.map(|pass| pass.cycles).collect();
                cycles.sort_unstable();
                result.expected = cycles.get(cycles.len().saturating_sub(1) / 2).copied();
                result.distance = u64::MAX;
            }
        }
        self.time_stamp = None;
        self.counts = [None; 2];
        self.parts.begin_run();
        if let Some(audit) = &mut self.audit {
            audit.begin_run();
        }
    }

    /// Ends the run with the counts in `tally`. Passes whose end macro never finished are kept without a measured
    /// result. A pass that does not end is traced if no pass of the traced run ended.
    pub(super) fn end_run(&mut self, tally: &Tally, pipeline: &mut Pipeline) {
        self.parts.end_run(tally);
        for index in 0..self.marks.len() {
            match std::mem::take(&mut self.results[index].state) {
                State::Ending(pass, ..) => self.keep(index, pass),
                State::Inside(begun) if self.traced_run && self.results[index].trace.is_empty() => {
                    let (trace, _) = pipeline.take_trace(Some(index));
                    self.results[index].trace_of(&trace, begun.issue, None, None);
                    if trace.len() < TRACE_FULL {
                        self.results[index].traced_cycles = Some(pipeline.end() - begun.issue.clock);
                    }
                }
                _ => {}
            }
        }
        self.pending.clear();
        self.ending.clear();
    }

    /// Enters a marked block. `op` is the number of its first instruction, or [`CANNOT_ISSUE`].
    pub(super) fn enter(&mut self, address: u32, op: u32, by: Way, pipeline: &mut Pipeline) {
        let Some(regions) = self.at(address) else {
            return;
        };
        for &index in regions.iter() {
            // A region is entered by falling through from its start macro, not by a jump to its first instruction.
            let outside = || !matches!(self.results[index].state, State::Entering(_) | State::Inside(_));
            let plain = self.audit.as_ref().is_some_and(|audit| audit.plain);
            if self.marks[index].first == address && (by.sequential || plain && outside()) {
                let readings = match self.marks[index].kind {
                    RegionKind::Tsc => Readings([self.time_stamp, None]),
                    RegionKind::Profile => Readings(self.counts),
                };
                let before = std::mem::replace(&mut self.results[index].state, State::Entering(readings));
                match before {
                    // The end macro did not finish: the pass has no measured result.
                    State::Ending(pass, ..) => self.keep(index, pass),
                    State::Entering(_) | State::Inside(_) => self.results[index].left += 1,
                    State::Outside => {}
                }
                // The previous pass has been kept by now.
                if let Some(audit) = &mut self.audit {
                    audit.entering(index);
                }
                self.await_mark(op, Mark::Region(index, Edge::First), pipeline);
                if self.traced_run {
                    pipeline.begin_trace(Some(index));
                }
            }
            if self.marks[index].after != address {
                continue;
            }
            let result = &mut self.results[index];
            match result.state {
                // A start macro rehearses the end macro by jumping to it: the previous pass has been left.
                State::Entering(_) | State::Inside(_) if by.from_library && !by.sequential => {
                    result.state = State::Outside;
                    result.left += 1;
                }
                State::Entering(_) | State::Inside(_) => {
                    self.await_mark(op, Mark::Region(index, Edge::After), pipeline);
                }
                State::Outside if !by.from_library || by.sequential => result.unbegun += 1,
                State::Outside | State::Ending(..) => {}
            }
        }
    }

    /// Enters a block of the library or of the program. `op` is the number of its first instruction, or
    /// [`CANNOT_ISSUE`]. Returns whether the previous block belonged to the library.
    pub(super) fn enter_part(&mut self, in_library: bool, op: u32, pipeline: &mut Pipeline) -> bool {
        let changes = self.parts.changes(in_library);
        if changes {
            self.await_mark(op, Mark::Part(in_library), pipeline);
        }
        in_library != changes
    }

    fn await_mark(&mut self, op: u32, mark: Mark, pipeline: &mut Pipeline) {
        if op != CANNOT_ISSUE {
            pipeline.await_crossing(op);
        }
        self.pending.push((op, mark));
    }

    /// Moves the marks of instruction `op` to instruction `delivery`, the delivery of an exception that `op` may have
    /// raised instead of issuing.
    pub(super) fn delivers(&mut self, op: u32, delivery: u32, pipeline: &mut Pipeline) {
        if op != CANNOT_ISSUE && !pipeline.forget_crossing(op) {
            return;
        }
        for (waiting, _) in self.pending.iter_mut().filter(|(waiting, _)| *waiting == op) {
            *waiting = delivery;
            pipeline.await_crossing(delivery);
        }
    }

    /// Handles the arrival at `address`: the result of a region whose end macro ends there can be read.
    pub(super) fn done(&mut self, address: u32, memory: &Memory) {
        let Some(regions) = self.at(address) else {
            return;
        };
        for &index in regions.iter() {
            let marks = &self.marks[index];
            if marks.done != address {
                continue;
            }
            let (mut pass, start, end) = match std::mem::take(&mut self.results[index].state) {
                State::Ending(pass, start, end) => (pass, start, end),
                other => {
                    self.results[index].state = other;
                    continue;
                }
            };
            let read = |at: usize| {
                let bytes = memory.read_bytes(*marks.measured.get(at)?, 4)?;
                Some(i64::from(i32::from_le_bytes(bytes.try_into().ok()?)))
            };
            if marks.kind == RegionKind::Tsc && !self.time_stamped {
                self.keep(index, pass);
                continue;
            }
            let values = [read(0), if marks.measured.len() > 1 { read(1) } else { Some(0) }];
            if let [Some(first), Some(second)] = values {
                pass.measured = Some([first, second]);
                let raw = |at: usize| {
                    let difference = end[at]?.wrapping_sub(start.0[at]?) as i32;
                    Some(i64::from(difference))
                };
                pass.overhead = match marks.kind {
                    RegionKind::Tsc => raw(0).map(|raw| [raw - first, 0]),
                    RegionKind::Profile => match (raw(0), raw(1)) {
                        (Some(one), Some(two)) => Some([one - first, two - second]),
                        _ => None,
                    },
                };
            }
            self.keep(index, pass);
        }
    }

    fn keep(&mut self, index: usize, pass: Pass) {
        if let Some(audit) = &mut self.audit {
            audit.keep(index, &pass);
        }
        self.results[index].keep(pass);
    }

    /// Records a value that the program read from the time stamp counter.
    pub(super) fn time_stamp_read(&mut self, value: u64) {
        self.time_stamp = Some(value);
        self.ended_reading(RegionKind::Tsc, 0, value);
    }

    /// Records a value that the program read from counter `counter`.
    pub(super) fn counter_read(&mut self, counter: usize, value: u64) {
        self.counts[counter] = Some(value);
        self.ended_reading(RegionKind::Profile, counter, value);
    }

    /// Records the first value read by the end macros of regions of this kind.
    fn ended_reading(&mut self, kind: RegionKind, counter: usize, value: u64) {
        let (marks, results) = (&self.marks, &mut self.results);
        self.ending.retain(|&index| {
            let State::Ending(_, _, end) = &mut results[index].state else {
                return false;
            };
            if marks[index].kind == kind {
                end[counter].get_or_insert(value);
            }
            true
        });
    }

    /// Applies the issues that the pipeline has recorded since the last call.
    pub(super) fn settle(&mut self, pipeline: &mut Pipeline, counters: &Counters) {
        let mut noted = std::mem::take(&mut self.crossings);
        pipeline.take_crossings(&mut noted);
        for crossing in &noted {
            while let Some(next) = self.pending.iter().position(|&(op, _)| op == crossing.op) {
                match self.pending.remove(next).1 {
                    Mark::Region(index, edge) => {
                        let (system, user) = pipeline.by_level(&crossing.tally);
                        let counts = [0, 1].map(|counter| counters.read(counter, system, user));
                        self.look(index, edge, counts, crossing.causes);
                        self.cross(index, edge, crossing, counts, pipeline);
                        if edge == Edge::After {
                            self.results[index].control = Some(counters.control());
                        }
                    }
                    Mark::Part(library) => {
                        let (system, user) = pipeline.by_level(&crossing.border);
                        self.parts.cross(library, crossing.in_v, Tally::sum(system, user));
                    }
                }
            }
        }
        noted.clear();
        self.crossings = noted;
    }

    /// Handles the crossing of one edge of one region.
    fn cross(&mut self, index: usize, edge: Edge, crossing: &Crossing, counts: [u64; 2], pipeline: &mut Pipeline) {
        let issue = Issue {
            clock: crossing.clock,
            pipe: if crossing.in_v { Pipe::V } else { Pipe::U },
        };
        let state = std::mem::take(&mut self.results[index].state);
        self.results[index].state = match (edge, state) {
            (Edge::First, State::Entering(readings)) => State::Inside(Begun {
                issue,
                counts,
                readings,
            }),
            (Edge::After, State::Inside(begun)) => {
                let cycles = issue.clock - begun.issue.clock;
                let truth = match self.marks[index].kind {
                    RegionKind::Tsc => [cycles as i64, 0],
                    RegionKind::Profile => [0, 1].map(|at: usize| counts[at].wrapping_sub(begun.counts[at]) as i64),
                };
                if self.traced_run {
                    let (trace, left) = pipeline.take_trace(Some(index));
                    let beyond = left.map(|left| Beyond {
                        at: left.at,
                        doubts: Pipeline::doubted_since(&left.doubted, &crossing.doubted),
                    });
                    let result = &mut self.results[index];
                    let distance = result.expected.map_or(0, |expected| expected.abs_diff(cycles));
                    // Among passes that are equally near, the last one is kept.
                    if distance <= result.distance {
                        result.distance = distance;
                        result.trace_of(&trace, begun.issue, Some(issue), beyond);
                    }
                    pipeline.reuse_trace(trace);
                }
                let pass = Pass {
                    run: self.run,
                    measured: None,
                    overhead: None,
                    truth,
                    cycles,
                };
                // A region without a result to read stays in this state.
                if !self.ending.contains(&index) {
                    self.ending.push(index);
                }
                State::Ending(pass, begun.readings, [None; 2])
            }
            (_, state) => state,
        };
    }
}
