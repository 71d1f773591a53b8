//! Spans: consecutive instructions of a cold pass in one code line whose groups need no facts.
//!
//! Modelled: the effect of a span on the clock. It depends only on the state of the stages before the span and on when
//! the bytes of its line arrive. Both recur in code larger than the code cache, so the effect is kept with that state,
//! in clocks relative to its beginning, and applied at once when the state recurs. It is measured while `fetch` and
//! `stages` determine it. Not modelled: groups that wait for a register or for long work, and the first group after a
//! branch.

use crate::pipeline::core::Core;
use crate::pipeline::entry::Entry;
use crate::pipeline::group::{Group, NONE};
use crate::pipeline::stages::fetch::LineFetched;
use crate::pipeline::state::trail::Passed;
use crate::pipeline::state::waits::{Late, MOST_LATE};
use p5_results::Cause;
use std::ops::Range;

/// The least number of instructions of a span. Looking up a shorter one takes longer than executing it.
const SHORTEST: usize = 2;

/// The excess of new states over recurring ones after which a span's effects are no longer kept.
const TRIALS: u8 = 16;

#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct Step {
    /// The state of issue after it.
    pub(in crate::pipeline) exit: Entry,
    /// The addresses of its first and its last byte.
    pub(in crate::pipeline) bytes: [u32; 2],
    /// The bit of its last byte in masks of a line's bytes.
    pub(in crate::pipeline) end: u32,
    /// Whether the instruction before it ends in the line that has all its bytes.
    pub(in crate::pipeline) stays: bool,
    /// Whether the instruction that waited in U issued alone because this one had not arrived.
    pub(in crate::pipeline) cut: bool,
    pub(in crate::pipeline) known: bool,
    /// The number of groups that have all their instructions once this one has arrived.
    pub(in crate::pipeline) complete: u8,
    /// The number of its fact words.
    pub(in crate::pipeline) words: u8,
}

impl Step {
    /// The number of groups that issue before the next instruction is fetched.
    pub(in crate::pipeline) fn groups(&self) -> usize {
        usize::from(self.complete) + usize::from(self.cut)
    }
}

#[derive(Debug)]
pub(in crate::pipeline) struct Span {
    /// The number of its first instruction in the pass, and of the one after its last.
    pub(in crate::pipeline) first: usize,
    pub(in crate::pipeline) end: usize,
    pub(in crate::pipeline) groups: usize,
    /// The state of issue after it.
    pub(in crate::pipeline) exit: Entry,
    /// The number of its fact words, and the word at which the facts of the last instruction that waits in U begin.
    pub(in crate::pipeline) words: usize,
    pub(in crate::pipeline) opened: Option<usize>,
    /// The bits of the last bytes of its instructions, and of those whose length was known.
    ends: u32,
    known: u32,
    passed: Passed,
    kept: Option<(State, Effect)>,
    trials: u8,
}

/// The state that a span's effect on the clock depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    stages: Stages,
    /// The end of the fill of its line, in clocks after the last group entered D2; 0 if no byte is awaited.
    filled: u64,
    /// The order in which its quadwords arrive.
    order: u64,
    /// The arrival of all bytes of its line, in clocks after the issue of the last group.
    arrives: u64,
}

/// The state of the stages, in clocks relative to the issue of the last group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stages {
    busy: u64,
    lead: u64,
    ahead: u64,
    holds: bool,
    /// The clocks for which D1 is held after the last group entered it. A group whose prefixes are decoded ahead
    /// notices.
    held: u64,
}

#[derive(Clone, Copy, Debug)]
struct Effect {
    /// The clocks from the issue of the group before the span to the issue of its last group.
    clocks: u64,
    /// The clock at which its last instruction enters D1 if its bytes are there, relative to the D2 entry of the group
    /// before the span.
    decodes: u64,
    stages: Stages,
    late: Late,
}

/// The result of applying a span's effect.
pub(in crate::pipeline) enum Replayed {
    All,
    /// Nothing was replayed: the effect is not known in this state, but is worth measuring.
    Unknown(Measured),
    /// Nothing was replayed: the span differs from the recorded one, or is not worth measuring.
    Differs,
}

#[derive(Debug)]
pub(in crate::pipeline) struct Measured {
    state: State,
    // The clocks at which the group before it issued and entered D2.
    clock: u64,
    entered: u64,
}

impl Span {
    /// The spans of a pass with these instructions and groups.
    pub(in crate::pipeline) fn all(steps: &[Step], groups: &[Group]) -> Box<[Span]> {
        let mut spans = Vec::new();
        let (mut first, mut first_group, mut group) = (0, 0, 0);
        for (number, step) in steps.iter().enumerate() {
            let own = step.groups();
            if !step.stays || !groups[group..group + own].iter().all(is_plain) {
                spans.extend(Span::new(first..number, steps, &groups[first_group..group]));
                (first, first_group) = (number + 1, group + own);
            }
            group += own;
        }
        spans.extend(Span::new(first..steps.len(), steps, &groups[first_group..group]));
        spans.into()
    }

    fn new(numbers: Range<usize>, steps: &[Step], groups: &[Group]) -> Option<Span> {
        let own = &steps[numbers.clone()];
        let last = own.last().filter(|_| own.len() >= SHORTEST)?;
        let mut span = Span {
            first: numbers.start,
            end: numbers.end,
            groups: groups.len(),
            exit: last.exit,
            words: 0,
            opened: None,
            ends: 0,
            known: 0,
            passed: Passed::of(groups),
            kept: None,
            trials: TRIALS,
        };
        for step in own {
            if step.exit.open() != NONE {
                span.opened = Some(span.words);
            }
            span.words += usize::from(step.words);
            span.ends |= step.end;
            span.known |= if step.known { step.end } else { 0 };
        }
        Some(span)
    }

    /// Keeps the effect measured up to the end of the span.
    #[inline(never)]
    pub(in crate::pipeline) fn keep(&mut self, measured: Measured, core: &Core) {
        if let Some(stages) = core.stages()
            && core.late.count <= MOST_LATE
        {
            let effect = Effect {
                clocks: core.time.clock - measured.clock,
                decodes: core.front.decodes - measured.entered,
                stages,
                late: core.late,
            };
            self.kept = Some((measured.state, effect));
        }
    }
}

/// Whether only the group before it and late bytes can delay a group.
fn is_plain(group: &Group) -> bool {
    group.is_static() && group.interlock == 0 && !group.branch && !group.special
}

impl Core {
    /// Executes a span in the line fetched last if its effect in the present state is known.
    #[inline(never)]
    pub(in crate::pipeline) fn replay_span(&mut self, span: &mut Span, line: &LineFetched) -> Replayed {
        if span.trials == 0 {
            return Replayed::Differs;
        }
        let Some(ends) = self.known_ends(line).filter(|ends| ends & span.ends == span.known) else {
            return Replayed::Differs;
        };
        let Some(state) = self.state_before_span(line) else {
            return Replayed::Differs;
        };
        let entered = self.time.clock - self.time.lead;
        let Some((_, effect)) = span.kept.as_ref().filter(|(kept, _)| *kept == state) else {
            span.trials -= 1;
            self.late.count = 0;
            return Replayed::Unknown(Measured {
                state,
                clock: self.time.clock,
                entered,
            });
        };
        span.trials = span.trials.saturating_add(1);
        // Nothing in a span uses the bus, so what happened before its last instruction can be taken over at once.
        self.pass_until(entered + effect.decodes);
        if ends & span.ends != span.ends {
            self.learn_end(line, span.ends);
        }
        for &(number, clocks) in effect.late.groups.iter().take(effect.late.count) {
            self.counts.stats[number as usize].charge(Cause::CodeMiss, u64::from(clocks));
        }
        self.groups += span.groups as u64;
        self.trail.pass_all(&span.passed);
        #[cfg(feature = "tally")]
        {
            self.spans_replayed += 1;
        }
        let stages = &effect.stages;
        self.time.clock += effect.clocks;
        self.time.busy = stages.busy;
        self.time.lead = stages.lead;
        self.time.ahead = stages.ahead;
        self.time.holds = stages.holds;
        self.front.ready = match stages.held {
            0 => 0,
            held => self.time.decoded() + held,
        };
        Replayed::All
    }

    /// The state of the stages and of the line fetched last. `None` if something else may delay the next groups.
    #[inline(always)]
    fn state_before_span(&self, line: &LineFetched) -> Option<State> {
        if self.trail.last_branched || self.units.unified || self.units.bus.has_read_ahead() {
            return None;
        }
        let stages = self.stages()?;
        let clock = self.time.clock;
        let fill = &self.front.fill;
        let filled = fill.end.saturating_sub(clock - stages.lead);
        let (filled, order) = if filled > 0 && line.is_of(fill) {
            (filled, fill.order())
        } else {
            (0, 0)
        };
        Some(State {
            stages,
            filled,
            order,
            arrives: line.arrives().saturating_sub(clock),
        })
    }

    /// The state of the stages. `None` if D1 is held for more than late bytes, or too soon after reset.
    #[inline(always)]
    fn stages(&self) -> Option<Stages> {
        let time = &self.time;
        if self.front.refill | self.front.code_walk != 0 || time.clock < time.lead.max(time.ahead) {
            return None;
        }
        Some(Stages {
            busy: time.busy,
            lead: time.lead,
            ahead: time.ahead,
            holds: time.holds,
            held: self.front.ready.saturating_sub(time.decoded()),
        })
    }
}
