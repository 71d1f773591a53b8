//! Usual replays of compiled schedules: what they add to the tally beside the counts of the schedule, and the state of
//! the pipeline after them.
//!
//! Modelled: nothing. Code only counts such replays, by the way that they go on, and remembers the last ones. The sums
//! are computed when the tally is read, and the state when it is needed. Not modelled: all other replays, whose code
//! counts what happens as it happens.

use crate::counters::Tally;
use crate::pipeline::Pipeline;
use crate::pipeline::compiled::{Charge, PlannedBranch};
use crate::pipeline::counts::Counts;
use crate::pipeline::counts::stats::{self, RecentStats};
use crate::pipeline::group::Group;
use crate::pipeline::stages::refetch::FetchedLines;
use crate::units::code_cache::NOT_FILLED;
use asm_macros::events::Event;
use p5_results::Cause;
use std::mem::offset_of;

/// The most code lines of a block that is compiled, with the line after them.
pub(in crate::pipeline) const MOST_LINES: usize = 8;

/// The data that the code of a schedule reads and writes. It does not move.
#[repr(C)]
#[derive(Debug)]
pub struct Replayed {
    /// The replays that the tally does not include yet, less one.
    pub replays: i64,
    /// The same for replays that were usual throughout, by [`Course`], which are not among the former.
    pub passed: [i64; Course::COUNT],
    /// The number that the engine gives the time in which the block's lines are known to be at hand.
    pub seen: u64,
    /// The offset of the slot of the branch target buffer in which its branch was found last.
    pub slot: u32,
    /// The numbers of the fills that have loaded the block's lines, and the one after them.
    pub fills: [u32; MOST_LINES],
    /// The clocks that waits in the last usual replay with waits have added to its [`After`]: to `busy`, `lead` and
    /// `ahead`.
    pub longer: [u32; 3],
    /// Numbers of the engine.
    pub room: [u64; ROOM],
}

/// How many states a plan may leave after a usual replay.
pub const AFTERS: usize = 8;

/// How many numbers of the engine there are beside those of time.
pub const ROOM: usize = 4;

/// The courses of a usual replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Course {
    /// The branch is taken as predicted.
    Jumps,
    /// It is not taken, and has no entry or one in its lowest state; or there is no branch.
    Falls,
    /// It is not taken, as an entry in the state above that predicts.
    FallsAgain,
    /// It is not taken, but an entry predicts that it is.
    FallsWrongly,
    /// It is taken, but its entry predicts that it is not, or is taken elsewhere.
    JumpsWrongly,
    /// It is taken, but its entry is in the lowest state.
    JumpsUnknown,
}

impl Course {
    /// The number of courses.
    pub const COUNT: usize = 6;
}

/// The state of the pipeline after a usual replay, as far as the block decides it.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct After {
    /// The address of [`Replayed::longer`] if accesses of it have waited, otherwise 0.
    pub longer: usize,
    /// The clocks of the last group in EX.
    pub busy: u32,
    /// The clocks from its entry into D2 to its issue. For the first group of a block, those that it adds to what
    /// depends on the group before.
    pub lead: u32,
    /// The same from its entry into D1, for the first or second group of a block.
    pub ahead: u32,
    /// The address of the last group.
    pub last_u: u32,
    /// The address of the one before it, if that is of the block.
    pub previous_u: u32,
    /// The code line fetched last.
    pub line: u32,
    /// The branch, if it is mispredicted, and the clocks of that. The next group issues that much later.
    pub op: u32,
    /// See above; 0 if it is not mispredicted.
    pub penalty: u32,
    /// The number of groups, but no more than [`After::ALL`].
    pub groups: u8,
    /// Whether the last group holds D2 until its last clock.
    pub holds: bool,
    /// Whether it contains a branch.
    pub branched: bool,
    /// Whether the replay has counted that the next block does not read its first line again.
    pub stays: bool,
}

impl After {
    /// The number of groups after which the state depends on them alone.
    pub const ALL: u8 = 3;
    /// No replay, but it is counted that the next block does not read its first line again.
    pub const STAYS: After = After {
        longer: 0,
        busy: 0,
        lead: 0,
        ahead: 0,
        last_u: 0,
        previous_u: 0,
        line: 0,
        op: 0,
        penalty: 0,
        groups: 0,
        holds: false,
        branched: false,
        stays: true,
    };

    /// No replay, but the next group issues later, and the front end is not ahead of it.
    pub const DELAYED: After = After {
        penalty: 1,
        stays: false,
        ..After::STAYS
    };

    /// That of `groups`. `wrong` is their branch if it is mispredicted.
    pub(in crate::pipeline) fn of(groups: &[Group], line: u32, stays: bool, wrong: Option<PlannedBranch>) -> After {
        let Some(last) = groups.last() else {
            return After::STAYS;
        };
        let lead = |before: &Group, group: &Group| (if before.holds { 1 } else { before.clocks }) + group.interlock;
        let (lead, ahead) = match groups {
            [.., first, second, last] => (lead(second, last), second.clocks + last.interlock + lead(first, second)),
            [first, last] => (lead(first, last), first.interlock + first.clocks + last.interlock),
            _ => (last.interlock, last.interlock),
        };
        let previous_u = match groups {
            [.., before, _] => before.address,
            _ => 0,
        };
        After {
            longer: 0,
            busy: last.clocks,
            lead,
            ahead,
            last_u: last.address,
            previous_u,
            line,
            op: wrong.map_or(0, |branch| branch.op),
            penalty: wrong.map_or(0, |branch| branch.penalty),
            groups: groups.len().min(usize::from(After::ALL)) as u8,
            holds: last.holds,
            branched: last.branch,
            stays,
        }
    }
}

/// What a replay that is usual throughout adds to the tally beside the counts of the schedule.
#[derive(Clone, Copy, Debug)]
pub(in crate::pipeline) struct UsualCounts {
    /// Whether the next instruction is in the block's last line, which is then not read again.
    stays: bool,
    /// The branch.
    branch: Option<PlannedBranch>,
    /// The pairs of writes.
    both_write: u64,
    /// Whether the first group waits for the one before it.
    charged: bool,
}

impl UsualCounts {
    /// Those of `groups`, which end with `branch`. `stays` if the next instruction is in their last line.
    pub(in crate::pipeline) fn of(groups: &[Group], branch: Option<PlannedBranch>, stays: bool) -> UsualCounts {
        let both_write = |group: &&Group| group.together() == Some(Event::DATA_WRITE);
        UsualCounts {
            branch,
            stays,
            both_write: groups.iter().filter(both_write).count() as u64,
            charged: groups.first().is_some_and(|group| group.interlock > 0),
        }
    }

    /// Counts what `passed` replays of these groups add.
    pub(in crate::pipeline) fn count(self, passed: [u64; Course::COUNT], groups: &[Group], counts: &mut Counts) {
        let sum = |of: &[Course]| of.iter().map(|&course| passed[course as usize]).sum::<u64>();
        let times: u64 = passed.iter().sum();
        let tally = &mut counts.tally;
        if let Some(branch) = self.branch {
            let wrong = sum(&[Course::FallsWrongly, Course::JumpsWrongly, Course::JumpsUnknown]);
            let hits = [
                Course::Jumps,
                Course::FallsAgain,
                Course::FallsWrongly,
                Course::JumpsWrongly,
            ];
            tally.count(Event::BTB_HITS, sum(&hits));
            tally.count(Event::TAKEN_BRANCH_OR_BTB_HIT, sum(&[Course::JumpsUnknown]));
            tally.count(Event::PIPELINE_FLUSHES, wrong);
            tally.count(Event::MISPREDICTED_FLUSHES, wrong);
            tally.count(Event::MISPREDICTED_FLUSHES_IN_WB, if branch.in_wb { wrong } else { 0 });
            counts.stats[branch.op as usize].charge(Cause::Misprediction, wrong * u64::from(branch.penalty));
        }
        if self.stays {
            tally.uncount(
                Event::CODE_READ,
                sum(&[Course::Falls, Course::FallsAgain, Course::FallsWrongly]),
            );
        }
        tally.shared(Event::WRITE_HIT_TO_M_OR_E_LINE, times * self.both_write);
        if let (Some(first), true) = (groups.first(), self.charged) {
            let clocks = times * u64::from(first.interlock);
            counts.stats[first.u as usize].charge(stats::interlock_cause(first), clocks);
            if let Some((event, once)) = counted(first) {
                tally.lasted(event, times * u64::from(once), clocks);
            }
        }
    }
}

impl Pipeline {
    /// Adds the replays of compiled code to the tally.
    pub(in crate::pipeline) fn settle_compiled(&mut self) {
        for number in self.recent_compiled.drain(..) {
            let compiled = &mut self.compiled[number as usize];
            let take = |count: &mut i64| (std::mem::replace(count, -1) + 1) as u64;
            let Replayed { replays, passed, .. } = &mut *compiled.replayed;
            let (replays, passed) = (take(replays), passed.each_mut().map(take));
            let schedule = &mut self.schedules[compiled.schedule as usize];
            let times = replays + passed.iter().sum::<u64>();
            schedule.executions += times;
            schedule.counts.count(times, &mut self.core.counts.tally);
            compiled.usual.count(passed, &schedule.groups, &mut self.core.counts);
        }
    }
}

/// The numbers of fills of lines that have not been fetched.
pub(in crate::pipeline) const UNKNOWN_FILLS: [u32; MOST_LINES] = [NOT_FILLED; MOST_LINES];

/// The numbers of the fills that have loaded `lines`.
pub(in crate::pipeline) fn fills(lines: &FetchedLines) -> [u32; MOST_LINES] {
    let mut fills = [0; MOST_LINES];
    for (fill, (_, number)) in fills.iter_mut().zip(lines.with_fills()) {
        *fill = number;
    }
    fills
}

/// The event that counts the wait of a group for the one before it, and its occurrences.
fn counted(group: &Group) -> Option<(Event, u32)> {
    match stats::interlock_cause(group) {
        Cause::Agi => Some((Event::AGI_STALLS, group.stalled_addresses)),
        Cause::FloatingPoint => Some((Event::FLOATING_POINT_STALL, 1)),
        _ => None,
    }
}

/// What is charged for the wait of a first group.
pub(in crate::pipeline) fn charge(group: &Group) -> Charge {
    let cause = stats::interlock_cause(group);
    let event = counted(group);
    let tally = offset_of!(Pipeline, core.counts.tally);
    let places = |event| [Tally::place_of(event), Tally::place_of_shared(event)].map(|place| tally + place);
    let in_causes = offset_of!(RecentStats, causes) + cause as usize * size_of::<i32>();
    Charge {
        statistic: group.u as usize * size_of::<RecentStats>() + in_causes,
        event: event.map(|(event, times)| (places(event), times)),
    }
}
