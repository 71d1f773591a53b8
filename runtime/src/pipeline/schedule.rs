//! A schedule: what is known of a block's time before it runs, as a little program of steps.
//!
//! Modelled: which instructions issue together and why others do not, address interlocks, lockstep; all that depends on
//! nothing but the instructions and the state in which the block is entered. What depends on addresses, outcomes or counts
//! is left as a group of its own. Not modelled here: time itself, which the core adds up.

use super::entry::Entry;
use super::pair;
use crate::block::{Branch, ExClocks, Op, RegisterSet};
use crate::model::{Class, Rules};
use crate::run::Refusal;

/// No instruction.
pub(crate) const NONE: u32 = u32::MAX;

/// Instructions that issue in the same clock.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// The U pipe's instruction.
    pub(crate) u: u32,
    /// The V pipe's, or [`NONE`].
    pub(crate) v: u32,
    /// U's address.
    pub(crate) address: u32,
    /// Clocks in EX with every access a hit.
    pub(crate) clocks: u32,
    /// U's share of them.
    pub(crate) u_clocks: u32,
    /// V's own clocks.
    pub(crate) v_clocks: u32,
    /// When V's work begins, in clocks after the issue.
    pub(crate) v_begins: u32,
    /// Decode clocks of U's prefixes.
    pub(crate) prefixes: u32,
    /// Clocks this group waits for a register of the group before, and how many addresses (0 to 2) wait.
    pub(crate) interlock: u32,
    /// Addresses that wait for a register written in the clock before.
    pub(crate) stalled_addresses: u32,
    /// Why U issued alone.
    pub(crate) refusal: Option<Refusal>,
    /// Accesses of U: the first two (more make the group complex).
    pub(crate) u_accesses: u8,
    /// Accesses of V.
    pub(crate) v_accesses: u8,
    /// Access shapes, two of U's and two of V's: bit 7 write, bits 0 to 6 size.
    pub(crate) shapes: [u8; 4],
    /// Whether U's facts were left by the block before.
    pub(crate) carried: bool,
    /// Whether it takes the general way: counts, repeats, locks, serialising, far transfers.
    pub(crate) complex: bool,
    /// Whether the last of its instructions is a predictable branch.
    pub(crate) branch: bool,
    /// The address after the last of its instructions.
    pub(crate) fall_through: u32,
    /// Whether the branch is a conditional one in the V pipe.
    pub(crate) resolved_late: bool,
}

/// One step of a schedule: first groups that need no facts, if there are any, then what ends them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// How many groups need no facts.
    pub(crate) count: u32,
    /// Clocks the first of them waits for the group before it, beyond its end.
    pub(crate) interlock: u32,
    /// From the first one's issue to the last one's.
    pub(crate) span: u32,
    /// The last one's clocks in EX.
    pub(crate) last: u32,
    /// From the last but one's issue to the last one's.
    pub(crate) lead: u32,
    /// The last one's U address.
    pub(crate) address: u32,
    /// The last but one's U address, if there is one.
    pub(crate) before: u32,
    /// What comes then.
    pub(crate) then: Then,
    /// The group that it concerns.
    pub(crate) group: u32,
}

/// What ends a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// The block's end.
    End,
    /// The branch of the last group that needs no facts.
    Branch,
    /// The first group, which depends on the state of entry.
    First,
    /// A later group that depends on facts.
    Next,
}

impl Step {
    const EMPTY: Step = Step {
        count: 0,
        interlock: 0,
        span: 0,
        last: 0,
        lead: 0,
        address: 0,
        before: NONE,
        then: Then::End,
        group: 0,
    };
}

/// Forms groups one instruction at a time: the only place that decides what issues together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Former<'a> {
    /// Every instruction, by number.
    pub(crate) ops: &'a [Op],
    /// The chip's rules.
    pub(crate) rules: &'a Rules,
    /// Whether the program runs at CPL 1 to 3.
    pub(crate) user: bool,
    /// Whether the V pipe is switched off.
    pub(crate) single_pipe: bool,
}

impl Former<'_> {
    /// Takes the next instruction: the groups that are complete now, at most two, in issue order.
    pub(crate) fn take(&self, state: &mut Entry, op: u32, known: bool) -> [Option<Group>; 2] {
        let next = &self.ops[op as usize];
        let mut closed = [None, None];
        if state.open() != NONE {
            let open = &self.ops[state.open() as usize];
            match pair::verdict(open, next, self.rules, state.open_known(), self.single_pipe) {
                Ok(()) => {
                    closed[0] = Some(self.close(state, Some(op), None));
                    return closed;
                }
                Err(refusal) => closed[0] = Some(self.close(state, None, Some(refusal))),
            }
        }
        *state = state.with_open(op, known, next.address_registers.intersects(state.interlocks()));
        if !next.may_open() {
            let refusal = if next.row.class == Class::Pv {
                Refusal::FirstOnlyV
            } else {
                Refusal::FirstNotPairable
            };
            closed[1] = Some(self.close(state, None, Some(refusal)));
        }
        closed
    }

    /// Closes the open instruction, alone or with its partner.
    pub(crate) fn close(&self, state: &mut Entry, partner: Option<u32>, refusal: Option<Refusal>) -> Group {
        let u = &self.ops[state.open() as usize];
        let v = partner.map(|op| &self.ops[op as usize]);
        let u_clocks = u.static_clocks(self.user);
        let v_clocks = v.map_or(0, |op| op.static_clocks(self.user));
        let v_begins = pair::v_begins(u, u_clocks);
        let v_stalled = v.is_some_and(|op| op.address_registers.intersects(state.interlocks()));
        let stalled_addresses = u32::from(state.open_stalled()) + u32::from(v_stalled);
        let mut interlock = if stalled_addresses > 0 {
            self.rules.address_interlock
        } else {
            0
        };
        // Microcode reads EDX:EAX from the register file, where a multiply's result stands a clock later than on the bypass.
        if u.microcode_uses().intersects(state.unsettled()) {
            interlock = interlock.max(self.rules.multiply_settles);
        }
        let mut shapes = [0; 4];
        for (at, op) in [(0, Some(u)), (2, v)] {
            for (shape, access) in shapes[at..at + 2].iter_mut().zip(op.iter().flat_map(|op| &op.accesses)) {
                *shape = u8::from(access.write) << 7 | access.size;
            }
        }
        let last = v.unwrap_or(u);
        let group = Group {
            u: state.open(),
            v: partner.unwrap_or(NONE),
            address: u.address,
            clocks: if v.is_some() {
                u_clocks.max(v_begins + v_clocks)
            } else {
                u_clocks
            },
            u_clocks,
            v_clocks,
            v_begins,
            prefixes: u32::from(u.prefixes) * self.rules.prefix_decode,
            interlock,
            stalled_addresses,
            refusal,
            u_accesses: u.accesses.len().min(2) as u8,
            v_accesses: v.map_or(0, |op| op.accesses.len()) as u8,
            shapes,
            carried: false,
            complex: is_complex(u),
            branch: is_branch(u) || v.is_some_and(is_branch),
            fall_through: last.end(),
            resolved_late: v.is_some_and(|op| op.branch == Branch::Conditional),
        };
        let v_interlocks = v.map_or(RegisterSet::EMPTY, |op| op.interlocks);
        *state = Entry::after(u.interlocks.union(v_interlocks), u.unsettled);
        group
    }
}

fn is_branch(op: &Op) -> bool {
    matches!(op.branch, Branch::Conditional | Branch::Near)
}

/// Whether an instruction's time takes the general way.
fn is_complex(op: &Op) -> bool {
    op.accesses.len() > 2
        || op.repeated.is_some()
        || op.counted
        || op.locked
        || op.io
        || op.loads_segment
        || op.multiplies
        || op.row.serializing
        || op.counts_as_branch
        || !matches!(op.clocks, ExClocks::Known(..))
}

/// A block's time for one state of entry.
#[derive(Clone, Debug)]
pub(crate) struct Schedule {
    /// The state it leaves.
    pub(crate) exit: Entry,
    /// What to do.
    pub(crate) steps: Box<[Step]>,
    /// What to do if nothing holds the first group up but the one before it.
    pub(crate) plain_steps: Box<[Step]>,
    /// The groups, in issue order.
    pub(crate) groups: Box<[Group]>,
    /// Whose interlocks are charged with the schedule's executions.
    pub(crate) charged_later: Box<[bool]>,
    /// Instructions in its groups.
    pub(crate) instructions: u64,
    /// Pairs among its groups.
    pub(crate) pairs: u64,
    /// Those interlocks: addresses, clocks.
    pub(crate) interlocks: (u64, u64),
    /// Predictable branches among its groups.
    pub(crate) branches: u64,
    /// How often it was replayed since the statistics were last gathered, as far as the tally has it.
    pub(crate) executions: u64,
    /// How often it was replayed since then.
    pub(crate) recent: u64,
}

impl Schedule {
    /// Schedules the instructions `ops`, all of known length, entered in state `entry`.
    pub(crate) fn new(former: &Former<'_>, ops: std::ops::Range<u32>, entry: Entry) -> Schedule {
        let mut state = entry;
        let mut groups = Vec::new();
        for op in ops {
            for group in former.take(&mut state, op, true).into_iter().flatten() {
                groups.push(group);
            }
        }
        if let (Some(first), true) = (groups.first_mut(), entry.open() != NONE) {
            first.carried = true;
        }
        let mut schedule = Schedule {
            exit: state,
            steps: Box::default(),
            plain_steps: Box::default(),
            charged_later: vec![false; groups.len()].into(),
            instructions: groups.iter().map(|group| 1 + u64::from(group.v != NONE)).sum(),
            pairs: groups.iter().filter(|group| group.v != NONE).count() as u64,
            interlocks: (0, 0),
            branches: groups.iter().filter(|group| group.branch).count() as u64,
            executions: 0,
            recent: 0,
            groups: groups.into(),
        };
        schedule.steps = schedule.lay_steps(false);
        schedule.plain_steps = schedule.lay_steps(true);
        for (index, group) in schedule.groups.iter().enumerate().skip(1) {
            // Their interlocks depend on nothing but the group before, and are counted and charged with the executions.
            if group.prefixes == 0 {
                schedule.charged_later[index] = true;
                if group.stalled_addresses > 0 {
                    schedule.interlocks.0 += u64::from(group.stalled_addresses);
                    schedule.interlocks.1 += u64::from(group.interlock);
                }
            }
        }
        schedule
    }

    /// Joins the groups that need no facts into static steps. The first group looks at the state of entry, unless that is
    /// known to be `plain` and the group has nothing of its own that could wait.
    fn lay_steps(&self, plain: bool) -> Box<[Step]> {
        let mut steps = Vec::new();
        let mut step = Step::EMPTY;
        for (index, group) in self.groups.iter().enumerate() {
            let joins = group.is_static() && (index > 0 || (plain && group.interlock == 0));
            if joins {
                if step.count == 0 {
                    step.interlock = group.interlock;
                } else {
                    step.lead = step.last + group.interlock;
                    step.span += step.lead;
                }
                step.before = step.address;
                step.address = group.address;
                step.last = group.clocks;
                step.count += 1;
            }
            if !joins || group.branch {
                step.then = match (joins, index) {
                    (true, _) => Then::Branch,
                    (false, 0) => Then::First,
                    (false, _) => Then::Next,
                };
                step.group = index as u32;
                steps.push(step);
                step = Step::EMPTY;
            }
        }
        if step.count > 0 {
            steps.push(step);
        }
        steps.into()
    }
}

impl Group {
    /// Whether it takes the same clocks whatever its facts.
    fn is_static(&self) -> bool {
        self.u_accesses + self.v_accesses == 0 && !self.complex && self.prefixes == 0
    }
}
