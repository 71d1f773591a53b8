//! Listeners: the components that see each issued group. Each is one row of a table.
//!
//! Modelled: one question to each listener, from which point on it wants groups. Until then, whole blocks are replayed
//! without a call to a listener. Not modelled: clocks, which no listener can change.

pub(super) mod observer;

use super::core::Core;
use super::counts::StaticCounts;
use super::counts::stats;
use super::group::{Group, NONE};
use super::noted::attention::Demand;
use super::noted::traced::Traced;
use super::state::readiness::Wait;
use crate::block::Op;
use p5_results::{Cause, Pipe, UnitTime, WaitCauses};
use p5_words::facts::Facts;
use std::cmp::Reverse;

/// A group that is issued singly.
pub(super) struct Issue<'a> {
    pub(super) group: &'a Group,
    pub(super) ops: &'a [Op],
    pub(super) facts: &'a Facts,
    /// The clock at which the previous group ended, and the later one until which longer work delays the group.
    free: u64,
    wait: Option<Wait>,
}

struct Listener {
    /// The point from which it wants groups. Code that changes the answer calls [`Core::ask_listeners`].
    demand: fn(&Core) -> Option<Demand>,
    /// Called before a group is issued.
    before: fn(&mut Core, &Issue<'_>),
    /// Called after the group has been issued, counted and charged.
    after: fn(&mut Core, &Issue<'_>),
}

/// All listeners, in the order of their calls.
const LISTENERS: [Listener; 4] = [
    // The borders of regions and of the library come first, because they need the counts before the whole group.
    Listener {
        demand: |core| core.borders.await_any().then_some(Demand::Instructions),
        before: Core::approach_border,
        after: |core, _| core.borders.end(&core.counts.tally),
    },
    Listener {
        demand: |core| core.audit.on.then_some(Demand::Groups),
        before: |core, issue| core.audit.begin(issue.group, core.front.refill_op, &core.counts.stats),
        after: |core, _| core.audit.end(&core.counts.stats),
    },
    // The observer, for all samplers.
    Listener {
        demand: |core| core.attention.of_observing(),
        before: Core::begin_record,
        after: Core::end_record,
    },
    Listener {
        demand: |core| match core.traces.growing() {
            true => Some(Demand::Groups),
            false if core.traces.awaits_jump() => Some(Demand::Groups),
            false => core.traces.awaits_clock().map(|clock| Demand::Clock(Reverse(clock))),
        },
        before: Core::begin_trace,
        after: Core::trace,
    },
];

impl Core {
    fn approach_border(&mut self, issue: &Issue<'_>) {
        if self.borders.comes_near(issue.group) {
            self.look_ahead();
            self.count_bus_cycles();
            self.count_clocks();
            self.borders.begin(&self.counts.tally);
            self.borders.doubted = match self.traces.any_left() {
                true => self.counts.doubted(issue.ops),
                false => Default::default(),
            };
        }
    }

    /// Records the clock of the group's issue for each of its instructions that is awaited.
    #[cold]
    pub(super) fn cross_border(&mut self, group: &Group) {
        // What the group has waited for lies before the border, as the clock of its issue says.
        self.count_clocks_to(self.time.clock);
        let counts = &self.counts;
        let causes = || self.audit.now(&counts.stats);
        self.borders.cross(group, self.time.clock, &counts.tally, causes);
        self.ask_listeners();
    }

    fn begin_trace(&mut self, issue: &Issue<'_>) {
        if self.traces.awaits_wanted() {
            for op in [issue.group.u, issue.group.v] {
                if let Some(op) = issue.ops.get(op as usize) {
                    self.traces.reach(op.address);
                }
            }
        }
        if self.traces.growing() {
            let instructions = 1 + usize::from(issue.group.v != NONE);
            if self.traces.fills(instructions) {
                self.traces.leave(instructions, &self.counts.doubted(issue.ops));
            }
            self.waits.delayed = WaitCauses::NONE;
            self.waits.slowed = WaitCauses::NONE;
            self.waits.addresses = [None; Cause::ALL.len()];
            self.waits.held = 0;
            self.waits.held_by = None;
            self.waits.bank = None;
        }
    }

    fn trace(&mut self, issue: &Issue<'_>) {
        if self.traces.awaits_jump() {
            for op in [issue.group.u, issue.group.v] {
                if let Some(op) = issue.ops.get(op as usize).filter(|op| op.is_jump()) {
                    self.traces.jump(op.address);
                }
            }
            self.ask_listeners();
        }
        if !self.traces.growing() {
            if self.traces.begin_again(self.time.clock, issue.group.address) {
                self.ask_listeners();
            }
            return;
        }
        let &Issue {
            group, ops, free, wait, ..
        } = issue;
        // A write without an instruction is of this group.
        let writes = self.waits.wrote.iter_mut().chain([&mut self.waits.held_by]);
        for wrote in writes.flatten() {
            let of_pipe = [group.u, group.v].get(wrote.pipe).copied().unwrap_or(group.u);
            let writer = ops.get(of_pipe as usize).or(ops.get(group.u as usize));
            wrote.by = wrote.by.or(writer.map(|op| op.address));
        }
        // The own work of a complex instruction includes a count, iterations or the branch taken.
        let own = if group.complex { self.waits.own } else { group.clocks };
        let clock = self.time.clock;
        let u = Traced {
            address: group.address,
            bytes: ops.get(group.u as usize).map_or([0; 15], |op| op.bytes),
            clock,
            pipe: Pipe::U,
            jumps: ops.get(group.u as usize).is_some_and(Op::is_jump),
            late: clock.saturating_sub(free) as u32,
            longer: self.time.busy.saturating_sub(u64::from(own)) as u32,
            waited: self.waits.delayed,
            slowed: self.waits.slowed,
            awaited: wait
                .filter(|wait| self.waits.delayed.clocks_of(Cause::FloatingPoint) > 0 && wait.until > free)
                .map(|wait| wait.awaited),
            data: self.waits.slowest_address(),
            written_through: (self.waits.slowest_address())
                .is_some_and(|address| self.pages.kind(address).write_through),
            held: self.waits.held,
            held_by: self.waits.held_by.and_then(|wrote| wrote.by),
            bank: self.waits.bank,
            // The refill after a branch is charged to the branch.
            met_entry: !group.branch && self.mispredicted == self.groups,
            misled_by: self.misled_by.filter(|_| group.branch),
            hurried: self.hurried && group.branch,
            unit: ops
                .get(group.u as usize)
                .map_or(UnitTime::default(), |op| self.unit_time(op)),
            delivery: ops.get(group.u as usize).is_some_and(|op| op.delivery),
            refusal: group.refusal,
        };
        match ops.get(group.v as usize) {
            Some(v) => self.traces.add(&[u, Traced::in_v(v, clock)]),
            None => self.traces.add(&[u]),
        }
        // Only a trace that has become full wants no more groups.
        if !self.traces.growing() {
            self.ask_listeners();
        }
    }

    /// The combined demand of the listeners. With a single pipe, no schedules are made.
    pub(super) fn demanded(&self) -> Option<Demand> {
        let demands = LISTENERS.iter().filter_map(|listener| (listener.demand)(self));
        let alone = self.switches.single_pipe.then_some(Demand::Instructions);
        demands.chain(alone).max()
    }

    /// Whether the current schedules are not worth keeping, because a trace or an audit is under way.
    pub(super) fn keeps_nothing(&self) -> bool {
        self.traces.growing() || self.audit.on
    }

    /// Updates the combined demand of the listeners.
    pub(super) fn ask_listeners(&mut self) {
        self.attention.demand = self.demanded();
    }

    /// Issues a group, counts and charges it at once, and calls the listeners. Returns the word at which the facts of
    /// the next group begin.
    pub(super) fn issue_singly(&mut self, group: &Group, ops: &[Op], facts: &Facts, at: usize) -> usize {
        let heard = self.attention.demand > Some(Demand::Count);
        let issue = Issue {
            group,
            ops,
            facts,
            free: self.end(),
            wait: (heard && group.awaits).then(|| self.awaited(group, ops)),
        };
        if heard {
            LISTENERS.iter().for_each(|listener| (listener.before)(self, &issue));
        }
        self.pass(group);
        let next = self.issue(group, ops, facts, at);
        self.count_bus_cycles();
        StaticCounts::of(group).count(1, &mut self.counts.tally);
        stats::charge(&mut self.counts.stats, group, 1);
        if heard {
            LISTENERS.iter().for_each(|listener| (listener.after)(self, &issue));
        }
        next
    }
}
