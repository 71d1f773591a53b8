//! The least clocks that given instructions can take, in whatever order: what no rearrangement of them can beat.
//!
//! Each bound counts less than happens: caches always hit, branches are always predicted, prefixes cost nothing, and
//! instructions wait only for registers. Flags and the stack pointer are left out, because some pairs may share them.

use crate::run::{Needs, Pipe, RegisterSet, Run};

/// A number of clocks and what requires it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) instructions: u64,
    /// The clocks of the instructions by the timing table, added up.
    pub(super) work: u64,
    /// The least clocks in which they can execute.
    pub(super) clocks: u64,
    pub(super) limit: Limit,
}

/// What limits a sequence of instructions. Of several limits the first one is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// There are two pipes.
    Pipes,
    /// Instructions that only U executes.
    U,
    /// Instructions that only V executes beside another one.
    V,
    /// Each instruction of a chain needs the result of the one before.
    Chain,
    /// Instructions that never pair take half of the clocks or more.
    Alone,
    /// One instruction takes all these clocks.
    Longest,
}

impl Limit {
    /// The name in JSON.
    pub(super) fn name(self) -> &'static str {
        match self {
            Limit::Pipes => "pipes",
            Limit::U => "u",
            Limit::V => "v",
            Limit::Chain => "chain",
            Limit::Alone => "alone",
            Limit::Longest => "longest",
        }
    }
}

/// The bound of instructions that are executed once; none if some may overlap in a way that is not simulated.
pub(super) fn once(run: &Run, instructions: &[usize]) -> Option<Bound> {
    let members = members(run, instructions)?;
    let mut ready = Ready::default();
    for member in &members {
        ready.execute(member);
    }
    Some(largest(&members, ready.end))
}

/// The bound of one round of a loop that executes the instructions over and over, if there is one.
pub(super) fn repeated(run: &Run, instructions: &[usize]) -> Option<Bound> {
    let mut members = members(run, instructions)?;
    if let Some(last) = members.last_mut() {
        // It jumps back.
        last.clocks = last.needs.clocks_taken;
    }
    let mut ready = Ready::default();
    let mut rounds = |count: u32| {
        for _ in 0..count {
            members.iter().for_each(|member| ready.execute(member));
        }
        ready.latest()
    };
    // The chains that carry over have taken their course after some rounds.
    let settled = rounds(SETTLE);
    let later = rounds(SETTLE);
    Some(largest(&members, (later - settled) / u64::from(SETTLE)))
}

/// Rounds until only the chains that carry over limit a loop: more than there are registers to carry them.
const SETTLE: u32 = 16;

/// An instruction with its clocks.
struct Member<'a> {
    needs: &'a Needs,
    clocks: u32,
}

fn members<'a>(run: &'a Run, instructions: &[usize]) -> Option<Vec<Member<'a>>> {
    let found = instructions.iter().filter_map(|&index| run.instructions.get(index));
    let members: Vec<_> = found
        .map(|one| Member {
            needs: &one.needs,
            clocks: one.needs.clocks,
        })
        .collect();
    members.iter().all(|one| !one.needs.overlap_unknown).then_some(members)
}

fn largest(members: &[Member<'_>], chain: u64) -> Bound {
    let clocks = |wanted: &dyn Fn(&[Pipe]) -> bool| -> u64 {
        let found = members.iter().filter(|one| wanted(one.needs.takes));
        found.map(|one| u64::from(one.clocks)).sum()
    };
    let pipes = Pipe::ALL.len();
    let alone = clocks(&|takes| takes.len() == pipes);
    let beside = clocks(&|takes| takes.len() < pipes);
    let limits = [
        (Limit::Pipes, alone + beside.div_ceil(pipes as u64)),
        (Limit::U, clocks(&|takes| takes.contains(&Pipe::U))),
        (Limit::V, clocks(&|takes| takes.contains(&Pipe::V))),
        (Limit::Chain, chain),
    ];
    // Of equal limits `max_by_key` returns the last, hence `rev`.
    let (mut limit, clocks) = limits
        .into_iter()
        .rev()
        .max_by_key(|&(_, clocks)| clocks)
        .unwrap_or((Limit::Pipes, 0));
    let longest = members.iter().map(|one| u64::from(one.clocks)).max().unwrap_or(0);
    if members.len() > 1 && longest > 1 && longest == clocks {
        limit = Limit::Longest;
    } else if limit == Limit::Pipes && alone > 0 && 2 * alone >= clocks {
        limit = Limit::Alone;
    }
    Bound {
        instructions: members.len() as u64,
        work: alone + beside,
        clocks,
        limit,
    }
}

/// When each register's value is available, if nothing but registers is waited for.
struct Ready {
    // By register: for an operand, and for an address.
    value: [u64; RegisterSet::NUMBERS],
    address: [u64; RegisterSet::NUMBERS],
    /// The clock after the last instruction.
    end: u64,
}

impl Default for Ready {
    fn default() -> Self {
        Ready {
            value: [0; RegisterSet::NUMBERS],
            address: [0; RegisterSet::NUMBERS],
            end: 0,
        }
    }
}

impl Ready {
    fn execute(&mut self, one: &Member<'_>) {
        let counted = |set: RegisterSet| set.without(RegisterSet::FLAGS.union(RegisterSet::ESP));
        let latest = |set: RegisterSet, clocks: &[u64; RegisterSet::NUMBERS]| {
            let members = counted(set).numbers();
            members.map(|index| clocks[index]).max().unwrap_or(0)
        };
        let needs = one.needs;
        let start = latest(needs.reads, &self.value).max(latest(needs.addresses, &self.address));
        let end = start + u64::from(one.clocks);
        for index in counted(needs.writes).numbers() {
            self.value[index] = end;
            self.address[index] = end;
        }
        for index in counted(needs.interlocks).numbers() {
            self.address[index] = end + u64::from(needs.address_wait);
        }
        self.end = self.end.max(end);
    }

    /// When the last register is available.
    fn latest(&self) -> u64 {
        self.value.iter().copied().max().unwrap_or(0)
    }
}
