//! Replays of plans: the functions that compiled code calls for what it does not do by itself.
//!
//! Modelled: nothing; each function does what a replay of the schedule does at that point. Not modelled: what code does
//! by itself, for which [`Plan`](super::Plan) has the numbers.

use super::Compiled;
use super::usual::fills;
use crate::pipeline::Pipeline;
use p5_words::facts::Facts;

/// The state after a replay of lines that were not at hand. It decides which code follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AfterCold {
    /// The address of the next instruction.
    pub next: u32,
    /// The address of the last group.
    pub last_u: u32,
    /// The state of issue.
    pub state: u64,
}

impl Pipeline {
    /// Fetches the lines of a compiled block and what is read ahead then. Returns whether it did.
    pub fn refetch_compiled(&mut self, number: u32) -> bool {
        let compiled = &mut self.compiled[number as usize];
        let fetched = self.core.refetch_with_next(&mut compiled.lines);
        if fetched {
            compiled.replayed.fills = fills(&compiled.lines);
            let schedule = compiled.schedule as usize;
            self.count_use(schedule);
        }
        fetched
    }

    /// Replays a plan whose lines, or the line after them, are not at hand, and nobody listens to.
    pub fn replay_cold_compiled(&mut self, number: u32, facts: &Facts) -> AfterCold {
        let Compiled {
            schedule,
            lines,
            ops,
            cold,
            noticed,
            entry,
            ..
        } = &mut self.compiled[number as usize];
        self.core.entry = *entry;
        let pages = facts.pages.list();
        if pages.len() != self.core.pages.learned {
            self.core.learn_pages(pages);
        }
        // The code has tried the fetch, and only a line after the block that is not cached makes a difference now.
        if lines.awaits_next() && self.core.refetch(lines) {
            let schedule = *schedule as usize;
            self.core.replay(&self.schedules[schedule], &self.ops, facts);
            self.count_replay(schedule);
        } else {
            let (ops, cold, noticed) = (ops.clone(), *cold, *noticed);
            self.replay_cold(cold, noticed, ops, facts);
        }
        let core = &self.core;
        AfterCold {
            next: facts.next,
            state: core.entry.bits(),
            last_u: core.trail.last_u,
        }
    }

    /// Whether another fetch of the lines of a compiled block would change nothing.
    pub fn is_settled(&self, number: u32) -> bool {
        self.core.is_settled(&self.compiled[number as usize].lines)
    }

    /// Notes that the code of a plan has been replayed for the first time since the tally was last read.
    pub fn note_replay(&mut self, number: u32) {
        self.recent_compiled.push(number);
    }

    /// Applies an entry of the branch target buffer that the first group of a plan meets after a branch.
    pub fn meet_entry_compiled(&mut self, number: u32) {
        let schedule = &self.schedules[self.compiled[number as usize].schedule as usize];
        let first = schedule
            .groups
            .first()
            .filter(|group| !group.branch)
            .map(|group| group.u);
        if let Some(first) = first
            && self.core.meets_entry()
        {
            self.core.false_entry(first);
        }
    }

    /// Issues the first group of a plan without its branch, when more than the previous group may delay it.
    pub fn begin_compiled(&mut self, number: u32, facts: &Facts) {
        let group = &self.schedules[self.compiled[number as usize].schedule as usize].groups[0];
        self.core.begin(group, &self.ops);
        self.core.execute_plainly::<false>(group, facts, 0);
    }

    /// Issues group `index` of a plan completely, with its branch.
    pub fn issue_compiled(&mut self, number: u32, index: u32, facts: &Facts) {
        let (core, ops, compiled) = (&mut self.core, &self.ops, &self.compiled[number as usize]);
        let group = &self.schedules[compiled.schedule as usize].groups[index as usize];
        let at = usize::from(compiled.words[index as usize]);
        if index == 0 {
            core.issue(group, ops, facts, at);
        } else if group.special {
            core.issue_specially(group, ops, facts, at);
        } else {
            core.begin_next(group, ops);
            core.execute::<false>(group, ops, facts, at);
        }
    }

    /// Replays all groups of a plan, whose lines have been fetched.
    pub fn replay_compiled(&mut self, number: u32, facts: &Facts) {
        let schedule = &self.schedules[self.compiled[number as usize].schedule as usize];
        self.core.replay(schedule, &self.ops, facts);
    }

    /// Resolves the branch of the last group of a plan.
    pub fn branch_compiled(&mut self, number: u32, facts: &Facts) {
        let schedule = &self.schedules[self.compiled[number as usize].schedule as usize];
        if let Some(group) = schedule.groups.last() {
            self.core.branch_otherwise(group, &self.ops, facts);
        }
    }
}
