//! Cold passes: repeated executions of blocks whose lines are not in the code cache at the time.
//!
//! Modelled: the groups that such a block forms. They depend on two questions about each instruction: whether its
//! bytes have arrived while another instruction waits in U, and whether its length is known. Code larger than the code
//! cache answers them alike in most rounds, so the groups are kept with the answers: a few recordings for each block. A
//! later pass that begins in the same state, with the same lengths known, asks the questions again, and uses the groups
//! as long as the answers agree. Not modelled: clocks, which `fetch` and `execute` determine, and which `span` keeps
//! where they recur.

pub(super) mod recorded;
pub(super) mod span;

use super::Pipeline;
use super::core::Core;
use super::counts::StaticCounts;
use super::counts::stats;
use super::entry::Noticed;
use super::group::{Group, NONE};
use super::schedule::Schedule;
use crate::block::Op;
use p5_results::Refusal;
use p5_words::facts::Facts;
use recorded::{Cold, LineEnds, Recorded};
use span::{Replayed, Span, Step};
use std::ops::Range;

/// The most times a block is recorded. After that, a cold pass that is like no recording kept is executed one
/// instruction at a time, because code that differs more often differs in every round.
const RECORDED: u8 = 16;

/// The most recordings kept of a block.
const KEPT: usize = 4;

/// The groups and instructions of a pass, recorded while it is executed.
#[derive(Debug)]
struct Recording {
    groups: Vec<Group>,
    steps: Vec<Step>,
    // Whether an instruction waited in U before the block.
    waited: bool,
    // The line in which the last instruction ends.
    line: u32,
}

impl Recording {
    fn add(&mut self, mut group: Group) {
        // Only the instruction that waited before the block has its facts elsewhere in a later pass.
        group.carried = self.groups.is_empty() && self.waited;
        self.groups.push(group);
    }
}

/// The point at which the rest of a pass begins.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// The number of its first instruction.
    number: u32,
    /// The word at which the facts of that instruction begin.
    at: usize,
    /// Whether that instruction has been fetched.
    fetched: bool,
}

impl Pipeline {
    /// Executes a whole block that nobody listens to, and whose lines may not all be cached.
    #[inline(never)]
    pub(super) fn replay_cold(&mut self, number: u32, noticed: Noticed, ops: Range<u32>, facts: &Facts) {
        let mut cold = std::mem::take(&mut self.colds[number as usize]);
        self.replay_as_kept(&mut cold, noticed, ops, facts);
        self.colds[number as usize] = cold;
    }

    fn replay_as_kept(&mut self, cold: &mut Cold, noticed: Noticed, ops: Range<u32>, facts: &Facts) {
        let entry = self.core.entry.noticed(noticed);
        let cache = &self.core.units.code_cache;
        let like = cold.recorded.iter().position(|one| one.is_like(entry, cache));
        // Code that is executed once is not worth recording.
        let may_record = cold.passes > 0 && cold.passes <= RECORDED;
        if let Some(recorded) = like.map(|number| &mut cold.recorded[number])
            && !(recorded.stale && may_record)
        {
            self.core.entry = entry;
            if let Some(rest) = self.replay_recorded(recorded, ops.clone(), facts) {
                recorded.stale = true;
                self.replay_rest(ops, rest, facts, None);
            }
            return;
        }
        cold.passes += u8::from(cold.passes == 0 || may_record);
        if !may_record {
            return self.replay_singly(ops, facts);
        }
        self.core.entry = entry;
        let mut recording = Recording {
            groups: Vec::with_capacity(ops.len() + 1),
            steps: Vec::with_capacity(ops.len()),
            waited: entry.open() != NONE,
            line: NONE,
        };
        let all = Rest::all(&ops);
        self.replay_rest(ops, all, facts, Some(&mut recording));
        let spans = Span::all(&recording.steps, &recording.groups);
        let lines = self.core.ends_of_steps(&recording.steps);
        let schedule = Schedule::of_groups(recording.groups, self.core.entry);
        // A full list loses the recording made first.
        let place = like.or((cold.recorded.len() == KEPT).then_some(0));
        let former = place.map(|number| cold.recorded.remove(number).schedule);
        cold.recorded.push(Recorded {
            entry,
            lines,
            schedule: self.keep_cold(former, schedule),
            steps: recording.steps.into(),
            spans,
            stale: false,
        });
    }

    /// Stores a schedule of a cold pass, replacing `former` if there is one. Returns its number.
    fn keep_cold(&mut self, former: Option<u32>, schedule: Schedule) -> u32 {
        if let Some(number) = former {
            self.settle();
            let place = &mut self.schedules[number as usize];
            place.gather(&mut self.core.counts.stats);
            *place = schedule;
            return number;
        }
        self.cold += 1;
        self.schedules.push(schedule);
        self.schedules.len() as u32 - 1
    }

    /// Executes a pass like the recorded one. Returns the point of the first answer that differs, if one does.
    fn replay_recorded(&mut self, recorded: &mut Recorded, ops: Range<u32>, facts: &Facts) -> Option<Rest> {
        let Pipeline { core, ops: all, .. } = self;
        let schedule = &self.schedules[recorded.schedule as usize];
        let mut groups = schedule.groups.iter();
        // The words at which the facts of this instruction begin, and those of the instruction of this block that
        // waits in U.
        let (mut at, mut opened) = (0, None);
        let mut entry = recorded.entry;
        let mut line = None;
        let mut deviation = None;
        let mut spans = recorded.spans.iter_mut();
        let mut span = spans.next();
        let mut measured = None;
        // The instruction at which the span begins, or ends while it is measured.
        let mut border = span.as_ref().map_or(usize::MAX, |span| span.first);
        let mut index = 0;
        'pass: loop {
            if index == border
                && let Some(current) = span.take()
            {
                if let Some(measured) = measured.take() {
                    current.keep(measured, core);
                } else if current.first == index
                    && let Some(line) = &line
                {
                    match core.replay_span(current, line) {
                        Replayed::All => {
                            groups = groups.as_slice()[current.groups..].iter();
                            opened = current.opened.map(|word| at + word).or(opened);
                            entry = current.exit;
                            at += current.words;
                            index = current.end;
                        }
                        Replayed::Unknown(state) => {
                            measured = Some(state);
                            span = Some(current);
                        }
                        Replayed::Differs => {}
                    }
                }
                border = match &span {
                    Some(current) => current.end,
                    None => {
                        span = spans.next();
                        span.as_ref().map_or(usize::MAX, |span| span.first)
                    }
                };
            }
            let end = border.min(recorded.steps.len());
            if index == end {
                break;
            }
            let numbers = ops.start + index as u32..;
            for (number, step) in numbers.zip(&recorded.steps[index..end]) {
                let waits = entry.open() != NONE;
                let within = line.as_ref().filter(|_| step.stays);
                let differs = |fetched| Some(Rest { number, at, fetched });
                if waits {
                    let fetched = match within.and_then(|line| core.is_line_fetched(line)) {
                        Some(fetched) => fetched,
                        None => core.is_fetched(&all[number as usize]),
                    };
                    if fetched == step.cut {
                        deviation = differs(false);
                        break 'pass;
                    }
                    if step.cut
                        && let Some(group) = groups.next()
                    {
                        core.issue_next(group, all, facts, opened.unwrap_or(at));
                    }
                }
                let known = match within.and_then(|line| core.fetch_within(line, step.bytes)) {
                    Some(ends) => ends & step.end != 0,
                    None => {
                        core.fetch(&all[number as usize]);
                        line = Some(core.line_fetched());
                        measured = None;
                        core.length_known(&all[number as usize])
                    }
                };
                if known != step.known {
                    if step.cut {
                        core.former(all)
                            .close(&mut entry, None, Some(Refusal::SecondNotFetched));
                    }
                    deviation = differs(true);
                    break 'pass;
                }
                let mut group_at = opened.filter(|_| waits && !step.cut).unwrap_or(at);
                for group in groups.by_ref().take(usize::from(step.complete)) {
                    core.issue_next(group, all, facts, group_at);
                    group_at = at;
                }
                if !known && let Some(line) = &line {
                    core.learn_end(line, step.end);
                }
                if step.exit.open() != NONE {
                    opened = Some(at);
                }
                entry = step.exit;
                at += usize::from(step.words);
            }
            index = end;
        }
        match opened {
            Some(at) => core.leave(entry, all, facts, at),
            None => core.entry = entry,
        }
        let left = groups.len();
        if deviation.is_some() {
            // The other instructions count as if they had been issued one by one.
            let schedule = &self.schedules[recorded.schedule as usize];
            for group in &schedule.groups[..schedule.groups.len() - left] {
                StaticCounts::of(group).count(1, &mut core.counts.tally);
                stats::charge(&mut core.counts.stats, group, 1);
            }
        } else {
            self.count_replay(recorded.schedule as usize);
        }
        deviation
    }

    /// Executes instructions one at a time: for a listener, or not to the end of their block.
    pub(super) fn replay_singly(&mut self, ops: Range<u32>, facts: &Facts) {
        let all = Rest::all(&ops);
        self.replay_rest(ops, all, facts, None);
    }

    /// Executes the rest of a pass one instruction at a time, and records it in `recording`.
    fn replay_rest(&mut self, ops: Range<u32>, rest: Rest, facts: &Facts, mut recording: Option<&mut Recording>) {
        let Rest {
            mut at, mut fetched, ..
        } = rest;
        for number in rest.number..ops.end {
            let mut cut = false;
            let before = recording.as_ref().map_or(0, |recording| recording.groups.len());
            if !fetched && self.core.entry.open() != NONE && !self.core.is_fetched(&self.ops[number as usize]) {
                let group = self.close_open(Refusal::SecondNotFetched, facts);
                if let (Some(recording), Some(group)) = (&mut recording, group) {
                    recording.add(group);
                }
                cut = true;
            }
            let Pipeline { core, ops, .. } = self;
            let op = &ops[number as usize];
            if !std::mem::take(&mut fetched) {
                core.fetch(op);
            }
            let known = core.length_known(op);
            let former = core.former(ops);
            let mut state = core.entry;
            former.take(&mut state, number, known, |mut group, carried| {
                group.carried = carried;
                core.issue_singly(&group, ops, facts, at);
                if let Some(recording) = &mut recording {
                    recording.add(group);
                }
            });
            core.leave(state, ops, facts, at);
            if !known {
                core.learn_length(op);
            }
            let words = op.fact_words();
            if let Some(recording) = &mut recording {
                let bytes = [op.address, op.last_byte()];
                let [first, last] = bytes.map(|address| core.units.code_cache.line(address));
                recording.steps.push(Step {
                    exit: state,
                    bytes,
                    end: 1 << (bytes[1] - last),
                    stays: first == last && recording.line == first,
                    cut,
                    known,
                    complete: (recording.groups.len() - before - usize::from(cut)) as u8,
                    words: words as u8,
                });
                recording.line = last;
            }
            at += words;
        }
    }
}

impl Rest {
    /// The point at the start of a pass.
    fn all(ops: &Range<u32>) -> Rest {
        Rest {
            number: ops.start,
            at: 0,
            fetched: false,
        }
    }
}

impl Core {
    /// The lines in which instructions end, with the ends.
    fn ends_of_steps(&self, steps: &[Step]) -> Box<[LineEnds]> {
        let mut lines: Vec<LineEnds> = Vec::new();
        for step in steps {
            let line = self.units.code_cache.line(step.bytes[1]);
            if lines.last().is_none_or(|last| last.line != line) {
                lines.push(LineEnds {
                    line,
                    ends: 0,
                    known: 0,
                });
            }
            if let Some(last) = lines.last_mut() {
                last.ends |= step.end;
                last.known |= if step.known { step.end } else { 0 };
            }
        }
        lines.into()
    }

    /// Issues a group that is counted and charged with its schedule, and whose issue nobody awaits.
    #[inline(always)]
    fn issue_next(&mut self, group: &Group, ops: &[Op], facts: &Facts, at: usize) {
        self.pass(group);
        self.begin(group, ops);
        self.execute::<true>(group, ops, facts, at);
    }
}
