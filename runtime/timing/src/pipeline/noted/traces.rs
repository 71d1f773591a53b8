//! Traces in progress: the issues of each open region or of a whole run.
//!
//! Modelled: one trace for each region, so that a long region does not use up the room of those inside it; all end at
//! the same capacity. Sums go on after the end of a trace. The trace of a whole run that is full begins anew at
//! [`FIRST_SAMPLE`] clocks and whenever that time has doubled, so that some trace has the code that takes long; that of
//! a process, which begins with much code of its library, more often at first, and where the first round of a loop of
//! its own source ends, for such a loop may be over before any of these clocks. If traces of certain code are wanted,
//! one begins where an instruction of it issues for the first time, and those of certain clocks wait for it a while.
//! Not modelled: the positions in its trace at which a region begins and ends, which the issues of its edges decide.

use super::kept::KeptTrace;
use super::traced::Traced;
use crate::pipeline::counts::doubted::DoubtedClocks;
use p5_results::{Cause, TRACE_FULL};
use rustc_hash::FxHashSet;
use std::ops::Range;

#[derive(Debug, Default)]
pub(in crate::pipeline) struct Traces {
    open: Vec<Open>,
    // Invariant: the number of open traces that are not full.
    growing: usize,
    // The memory for the next trace to begin.
    spare: Vec<Traced>,
    // The full traces of the whole run that began earlier, and when the next one begins, if there are any.
    earlier: Vec<KeptTrace>,
    again: Option<Again>,
    // The full traces that began with a loop.
    of_loops: Vec<KeptTrace>,
    // The jumps back that are about to be executed for the first time, and those that have been.
    awaited: Vec<u32>,
    seen: FxHashSet<u32>,
    // The code whose traces are wanted, if not that of any loop: ranges in ascending order.
    wanted: Vec<Range<u32>>,
}

/// When the trace of a whole run begins anew.
#[derive(Clone, Copy, Debug)]
struct Again {
    // The clock at which the run began.
    start: u64,
    // The clock from which on the trace begins anew, and whether it is so near that issues are watched for it.
    at: u64,
    near: bool,
    // Whether traces begin more often.
    often: bool,
    // Whether one begins as soon as the trace is full, because a loop has begun; and how many did.
    wanted: bool,
    wanted_before: usize,
}

/// The clocks from the beginning of a run to its second trace.
const FIRST_SAMPLE: u64 = 1 << 12;
/// The clocks from one trace of a process to the next at first.
const OFTEN: u64 = 1 << 12;
/// The clocks in which the traces of a process begin as often as that.
const OFTEN_UNTIL: u64 = 1 << 17;
/// The clocks before a new trace from which on issues are watched: more than an instruction takes to its issue.
const AHEAD: u64 = 1 << 12;

/// The clocks that a trace waits for wanted code.
const WAITS: u64 = 1 << 16;

/// The most traces that begin with loops, or with wanted code.
const MOST_OF_LOOPS: usize = 16;
/// The most wanted instructions that are awaited: where exceptions end blocks, some may never be executed.
const MOST_AWAITED: usize = 1 << 8;
/// A loop that begins in a trace has room in it until the trace has this many instructions.
const ROOM_UNTIL: usize = TRACE_FULL / 4 * 3;

#[derive(Debug)]
struct Open {
    // `None` is the whole run.
    region: Option<usize>,
    issued: Vec<Traced>,
    // Whether its end is so near that the replays before it have been charged.
    nears_end: bool,
    left: Option<Left>,
    // Whether it began with a loop.
    of_loop: bool,
}

/// The point at which a full trace ended: before the group that would exceed its capacity.
#[derive(Debug)]
pub struct Left {
    /// The number of issues in the trace.
    pub at: usize,
    /// The clocks that doubted rows had given by then.
    pub doubted: DoubtedClocks,
}

/// The most traces of regions in progress. Regions nested more deeply have none.
pub const MOST_OPEN: usize = 64;

impl Traces {
    /// Begins the trace of `region` anew.
    pub(in crate::pipeline) fn begin(&mut self, region: Option<usize>) {
        self.take(region);
        let regions = self.open.iter().filter(|open| open.region.is_some()).count();
        if region.is_none() || regions < MOST_OPEN {
            self.open.push(Open {
                region,
                issued: std::mem::take(&mut self.spare),
                nears_end: false,
                left: None,
                of_loop: false,
            });
            self.growing += 1;
        }
    }

    /// Lets the trace of the whole run, which begins at `clock`, begin anew whenever it is full and enough time has
    /// passed.
    pub(in crate::pipeline) fn sample_from(&mut self, clock: u64, often: bool) {
        self.earlier.clear();
        self.of_loops.clear();
        self.awaited.clear();
        self.seen.clear();
        self.wanted.clear();
        self.again = Some(Again {
            start: clock,
            at: clock + FIRST_SAMPLE,
            near: true,
            often,
            wanted: false,
            wanted_before: 0,
        });
    }

    /// Awaits the issue of the jump back at `address`, which belongs to the program's own source and is about to be
    /// executed. Returns whether it does.
    pub(in crate::pipeline) fn await_jump(&mut self, address: u32) -> bool {
        let more = |again: &Again| again.often && again.wanted_before < MOST_OF_LOOPS;
        let may = self.again.as_ref().is_some_and(more) && self.wanted.is_empty();
        let awaits = may && !self.seen.contains(&address);
        if awaits && !self.awaited.contains(&address) {
            self.awaited.push(address);
        }
        awaits
    }

    /// Lets traces begin with code at these addresses, in place of that of loops.
    pub(in crate::pipeline) fn want(&mut self, code: &[Range<u32>]) {
        self.wanted = code.to_vec();
    }

    fn wants(&self, address: u32) -> bool {
        let after = self.wanted.partition_point(|range| range.start <= address);
        let range = after.checked_sub(1).and_then(|at| self.wanted.get(at));
        range.is_some_and(|range| range.contains(&address))
    }

    /// Awaits the first issue of wanted instructions, which are about to be executed. Returns whether any is awaited.
    pub(in crate::pipeline) fn await_wanted(&mut self, addresses: impl Iterator<Item = u32>) -> bool {
        let more = |again: &Again| again.wanted_before < MOST_OF_LOOPS;
        if !self.again.as_ref().is_some_and(more) {
            return false;
        }
        for address in addresses {
            if self.awaited.len() < MOST_AWAITED && !self.seen.contains(&address) && !self.awaited.contains(&address) {
                self.awaited.push(address);
            }
        }
        !self.awaited.is_empty()
    }

    /// Whether the first issue of wanted code is awaited.
    pub(in crate::pipeline) fn awaits_wanted(&self) -> bool {
        !self.wanted.is_empty() && !self.awaited.is_empty()
    }

    /// Begins the trace of the whole run anew before the issue of the instruction at `address`, if it is awaited and
    /// the trace is full; as soon as it is full, if it has little room left.
    pub(in crate::pipeline) fn reach(&mut self, address: u32) {
        let before = self.awaited.len();
        self.jump(address);
        let full = |open: &Open| open.region.is_none() && open.issued.len() >= TRACE_FULL;
        if self.awaited.len() < before && self.open.iter().any(full) {
            self.begin_anew(true);
        }
    }

    /// Whether the issue of a jump back is awaited.
    pub(in crate::pipeline) fn awaits_jump(&self) -> bool {
        !self.awaited.is_empty()
    }

    /// Lets a trace of the whole run begin as soon as there is none with room for a loop, if the instruction at
    /// `address` is an awaited jump.
    pub(in crate::pipeline) fn jump(&mut self, address: u32) {
        let Some(index) = self.awaited.iter().position(|&awaited| awaited == address) else {
            return;
        };
        self.awaited.swap_remove(index);
        self.seen.insert(address);
        let mut open = self.open.iter();
        let filled = open.any(|open| open.region.is_none() && open.issued.len() >= ROOM_UNTIL);
        if let Some(again) = self
            .again
            .as_mut()
            .filter(|again| filled && !again.wanted && again.wanted_before < MOST_OF_LOOPS)
        {
            again.wanted = true;
            again.wanted_before += 1;
        }
    }

    /// Watches issues for the next trace of the whole run if it begins within `ahead` clocks from `clock`.
    pub(in crate::pipeline) fn come_near(&mut self, clock: u64, ahead: u64) {
        if let Some(again) = &mut self.again {
            again.near = again.at <= clock.saturating_add(ahead);
        }
    }

    /// The clock from which on issues have to be watched for the next trace of the whole run.
    pub(in crate::pipeline) fn awaits_clock(&self) -> Option<u64> {
        let full = |open: &Open| open.region.is_none() && open.issued.len() >= TRACE_FULL;
        let again = self.again.filter(|_| self.open.iter().any(full))?;
        match again.wanted {
            true => Some(0),
            false => again.near.then_some(again.at - AHEAD),
        }
    }

    /// Begins the trace of the whole run anew after an issue at `clock` of the instruction at `address`, if it is time
    /// and the trace is full. Returns whether it does.
    pub(in crate::pipeline) fn begin_again(&mut self, clock: u64, address: u32) -> bool {
        let here = self.wanted.is_empty() || self.wants(address);
        let Some(again) = &mut self.again else {
            return false;
        };
        let due = again.near && clock >= again.at && (here || clock >= again.at + WAITS);
        if !due && !again.wanted {
            return false;
        }
        while due && again.at <= clock {
            let since = again.at - again.start;
            again.at += if again.often && since < OFTEN_UNTIL {
                OFTEN
            } else {
                since
            };
        }
        self.begin_anew(!due)
    }

    /// Keeps the trace of the whole run if it is full, and begins the next one: with a loop or wanted code, if
    /// `of_loop`. Returns whether it does.
    fn begin_anew(&mut self, of_loop: bool) -> bool {
        let mut open = self.open.iter_mut();
        let Some(whole) = open.find(|open| open.region.is_none() && open.issued.len() >= TRACE_FULL) else {
            return false;
        };
        let full = KeptTrace::of(&whole.issued);
        whole.issued.clear();
        let traces = if whole.of_loop {
            &mut self.of_loops
        } else {
            &mut self.earlier
        };
        traces.push(full);
        whole.of_loop = of_loop;
        if let Some(again) = &mut self.again {
            again.wanted = false;
        }
        self.growing += 1;
        true
    }

    /// The full traces of the whole run that began before its last one, and those of them that began with a loop.
    pub(in crate::pipeline) fn take_earlier(&mut self) -> [Vec<KeptTrace>; 2] {
        self.again = None;
        self.awaited.clear();
        [std::mem::take(&mut self.earlier), std::mem::take(&mut self.of_loops)]
    }

    /// Ends the trace of `region`. Returns it, if there is one, and the point at which it ended, if it was full.
    pub(in crate::pipeline) fn take(&mut self, region: Option<usize>) -> Option<(Vec<Traced>, Option<Left>)> {
        let index = self.open.iter().position(|open| open.region == region)?;
        let Open { issued, left, .. } = self.open.swap_remove(index);
        self.growing -= usize::from(issued.len() < TRACE_FULL);
        Some((issued, left))
    }

    /// Whether a trace of a region may become full with this many `instructions`, and was not that close to its end
    /// before.
    pub(in crate::pipeline) fn end_nears(&self, instructions: usize) -> bool {
        self.open.iter().any(|open| open.end_nears(instructions))
    }

    /// Records that the replays before this many `instructions` have been charged.
    pub(in crate::pipeline) fn near_end(&mut self, instructions: usize) {
        for open in self.open.iter_mut().filter(|open| open.end_nears(instructions)) {
            open.nears_end = true;
        }
    }

    /// Whether a trace of a region becomes full with a group of this many `instructions`.
    pub(in crate::pipeline) fn fills(&self, instructions: usize) -> bool {
        self.open.iter().any(|open| open.fills(instructions))
    }

    /// Ends the traces that become full with such a group. Doubted rows have given this many clocks before it.
    pub(in crate::pipeline) fn leave(&mut self, instructions: usize, doubted: &DoubtedClocks) {
        for open in self.open.iter_mut().filter(|open| open.fills(instructions)) {
            open.left = Some(Left {
                at: open.issued.len(),
                doubted: doubted.clone(),
            });
        }
    }

    /// Whether a trace in progress has ended because it was full.
    pub(in crate::pipeline) fn any_left(&self) -> bool {
        self.open.iter().any(|open| open.left.is_some())
    }

    /// Keeps the memory of a trace for the next one.
    pub(in crate::pipeline) fn reuse(&mut self, mut trace: Vec<Traced>) {
        trace.clear();
        self.spare = trace;
    }

    /// Whether issues have to be recorded.
    #[inline(always)]
    pub(crate) fn growing(&self) -> bool {
        self.growing > 0
    }

    /// Records that the core was halted for `clocks` after the last instruction, which issued at `clock`.
    pub(in crate::pipeline) fn halted(&mut self, clock: u64, clocks: u64) {
        let last = self.open.iter_mut().filter_map(|open| open.issued.last_mut());
        for traced in last.filter(|traced| traced.clock == clock) {
            let clocks = u32::try_from(clocks).unwrap_or(u32::MAX);
            traced.longer = traced.longer.saturating_add(clocks);
            traced.slowed.add(Cause::Halted, clocks);
        }
    }

    pub(in crate::pipeline) fn add(&mut self, group: &[Traced]) {
        let growing = self.open.iter_mut().map(|open| &mut open.issued);
        for trace in growing.filter(|trace| trace.len() < TRACE_FULL) {
            trace.extend_from_slice(group);
            self.growing -= usize::from(trace.len() >= TRACE_FULL);
        }
    }
}

impl Open {
    /// Whether it may become full with so many instructions, together with one that waits in U and one more.
    fn end_nears(&self, instructions: usize) -> bool {
        !self.nears_end && self.region.is_some() && self.issued.len() + instructions + 2 >= TRACE_FULL
    }

    /// Whether a group of this many instructions fills the trace.
    fn fills(&self, instructions: usize) -> bool {
        self.nears_end && self.left.is_none() && self.issued.len() + instructions >= TRACE_FULL
    }
}
