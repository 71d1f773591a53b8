//! Compiled schedules: what a second engine needs to know of a schedule, and the calls that its code makes.
//!
//! Modelled: nothing. A [`Plan`] says in numbers what a schedule contains and which of its groups depend only on the
//! clock, on hits and on a right prediction; the engine generates code for these. For everything else its code calls
//! the functions in `replays`, which do what a replay does. Not modelled: groups that the previous block has
//! opened, and schedules that leave a group open; their blocks are not compiled.

pub(super) mod longest;
pub(super) mod miss_places;
pub(super) mod places;
pub(super) mod planned_floating;
pub(super) mod planned_prefixes;
pub(super) mod replays;
pub(super) mod sole;
pub(super) mod staged;
pub(super) mod usual;

use super::entry::{Entry, Noticed};
use super::group::{Group, NONE, WRITES};
use super::stages::refetch::FetchedLines;
use super::{BlockTime, Pipeline};
use asm_macros::events::Event;
use p5_chips::{Prediction, Resolved};
use p5_results::records::STAGES_TO_EXECUTION;
use p5_words::isa::PAGE;
use planned_floating::PlannedFloating;
use planned_prefixes::PlannedPrefixes;
use sole::{PlannedPair, PlannedSole, Sole};
use std::ops::Range;
use usual::{AFTERS, After, Course, MOST_LINES, ROOM, Replayed, UNKNOWN_FILLS, UsualCounts, charge, fills};

/// The most states of issue for which a block is compiled.
const MOST_PLANS: usize = 8;
/// The maximum number of plans of a block for particular last groups before it.
const MOST_AFTER: usize = 6;

/// A plan of a block that has been compiled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    /// The state of issue before it.
    entry: Entry,
    /// The last group before it, if it is only for that.
    after: Option<u32>,
    number: u32,
}

/// A schedule with code of its own.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) replayed: Box<Replayed>,
    pub(super) schedule: u32,
    lines: FetchedLines,
    // What its block has for passes with lines that are not at hand.
    ops: Range<u32>,
    cold: u32,
    noticed: Noticed,
    entry: Entry,
    // The number of the first fact word of each group, and its access if it has one.
    pub(super) words: Box<[u16]>,
    pub(super) sole: Box<[Option<Sole>]>,
    pub(super) usual: UsualCounts,
}

/// What a schedule contains.
#[derive(Debug)]
pub struct Plan {
    /// The number by which the engine's code names it.
    pub number: u32,
    /// The address of its [`Replayed`].
    pub replayed: usize,
    /// The code lines of the block, and then the one after them if it may be read ahead: the first address of each and
    /// the offset of the number of the fill in the units.
    pub lines: Vec<(u32, usize)>,
    /// Whether the last of these lines is the one after the block.
    pub has_next: bool,
    /// The number of the page of all its lines, if they are in one.
    pub page: Option<u32>,
    /// The groups in the order of their issue.
    pub groups: Vec<PlannedGroup>,
    /// The most clocks from the end of what precedes it until its last group issues.
    pub longest: u32,
    /// The state of issue before it, as far as the block notices it.
    pub entry: u64,
    /// The state of issue after it.
    pub exit: u64,
    /// For each instruction, the number of its first fact word, and then the number of all words.
    pub words: Vec<usize>,
    /// The address that an entry for its branch is attached to, if it is always the same.
    pub attached: Option<u32>,
    /// The state after a usual replay: with its branch taken, and without; then the same if that is mispredicted; then
    /// these four if accesses have waited.
    pub after: [After; AFTERS],
}

/// What is known of a group.
#[derive(Clone, Debug)]
pub struct PlannedGroup {
    /// The address of the instruction in U.
    pub address: u32,
    /// The number of that instruction.
    pub op: u32,
    /// Whether its clocks are as given if all accesses hit; if not, the engine's code has to call
    /// [`Pipeline::issue_compiled`].
    pub usual: bool,
    /// The clocks it waits for the previous group.
    pub interlock: u32,
    /// What is charged for this if it is the first group. It is charged with the replays for others.
    pub charged: Option<Charge>,
    /// Its clocks in EX.
    pub clocks: u32,
    /// Whether it holds D2 until its last clock in EX.
    pub holds: bool,
    /// The branch that ends it, if it may be predicted.
    pub branch: Option<PlannedBranch>,
    /// Its accesses.
    pub accesses: Vec<PlannedAccess>,
    /// Its access, if it has one in its first clock.
    pub sole: Option<PlannedSole>,
    /// Its accesses, if they are one of each instruction in its first clock.
    pub pair: Option<PlannedPair>,
    /// Its prefixes, if only they make its issue depend on more than the previous group. Such a group is not usual.
    pub prefixed: Option<PlannedPrefixes>,
    /// What an instruction of the floating-point unit does, if code does it. Such a group is not usual.
    pub floating: Option<PlannedFloating>,
    /// The indexes of two accesses that must not be of the same bank, and whether both write.
    pub together: Option<([usize; 2], bool)>,
}

/// What is charged for a wait.
#[derive(Clone, Copy, Debug)]
pub struct Charge {
    /// The offset in the statistics of the clocks of its cause.
    pub statistic: usize,
    /// The event that counts it, with its occurrences: the offsets in the pipeline of its occurrences and its clocks.
    pub event: Option<([usize; 2], u32)>,
}

/// What is known of a branch.
#[derive(Clone, Copy, Debug)]
pub struct PlannedBranch {
    /// The number of its instruction.
    pub op: u32,
    /// The clocks that a misprediction costs.
    pub penalty: u32,
    /// The clocks from the end of its group until the next group may enter D1 after a misprediction.
    pub refilled: u32,
    /// Whether it is resolved in WB.
    pub in_wb: bool,
    /// The address after it.
    pub after: u32,
}

/// What is known of an access.
#[derive(Clone, Copy, Debug)]
pub struct PlannedAccess {
    /// The fact word with its address.
    pub word: usize,
    /// Its size in bytes.
    pub size: u32,
    /// Whether it writes.
    pub writes: bool,
    /// The clocks between the issue of the group and the access.
    pub after: u32,
}

impl Pipeline {
    /// Whether an engine can compile the schedules of this chip. On others the clock of most groups depends on more
    /// than the group before.
    pub fn can_be_compiled(&self) -> bool {
        let core = &self.core;
        core.rules.pipes == 2
            && core.rules.prediction == Prediction::Counter
            && !core.queue.exists
            && !core.prefetched.exists
            && !core.units.unified
            && !core.units.write_through
            && core.units.btb.places().ways == 4
            && core.units.btb.marks_tell()
    }

    /// The number of the code for `block` in the current state of issue, if it has been compiled for it.
    #[inline]
    pub fn compiled(&self, block: &BlockTime) -> Option<u32> {
        let entry = self.core.entry.noticed(block.noticed);
        let last_u = self.core.trail.last_u;
        let fits = |known: &&Known| known.entry == entry && known.after.is_none_or(|after| after == last_u);
        Some(block.compiled.iter().find(fits)?.number)
    }

    /// Whether there may be a plan of `block` for the current state of issue.
    pub fn can_plan(&self, block: &BlockTime) -> bool {
        block.lines.with_fills().count() <= MOST_LINES
            && block.compiled.len() < MOST_PLANS
            && !block.snooped
            && self.compiled_until().is_some()
    }

    /// Forgets the plan made last, because no code could be made from it.
    pub fn drop_plan(&mut self, number: u32) {
        self.compiled.truncate(number as usize);
    }

    /// Forgets all plans. The caller drops their code, and calls [`BlockTime::forget_compiled`] for all blocks.
    pub fn forget_compiled(&mut self) {
        self.settle_compiled();
        self.compiled.clear();
    }

    /// The plan of `block` for the current state of issue. `None` if it cannot be compiled now.
    pub fn plan(&mut self, block: &mut BlockTime) -> Option<Plan> {
        // What nothing counts is bounded, too.
        if !self.can_plan(block) || self.planned_only > self.ops.len() {
            return None;
        }
        let known = self.schedules.len();
        let number = self.schedule(block);
        let is_new = self.schedules.len() > known;
        self.planned_only += usize::from(is_new);
        self.schedules[number].planned_only |= is_new;
        let schedule = &self.schedules[number];
        if schedule.heard_only || schedule.exit.open() != NONE || schedule.groups.iter().any(|group| group.carried) {
            return None;
        }
        let mut at = 0;
        let mut words = Vec::new();
        for op in &self.ops[block.ops.start as usize..block.ops.end as usize] {
            words.push(at);
            at += op.fact_words();
        }
        words.push(at);
        let first_word = |op: u32| {
            words
                .get(op.wrapping_sub(block.ops.start) as usize)
                .copied()
                .unwrap_or(0)
        };
        let groups: Vec<PlannedGroup> = schedule
            .groups
            .iter()
            .enumerate()
            .map(|(index, group)| self.planned(group, index, &first_word))
            .collect();
        let words_of_groups = schedule.groups.iter().map(|group| first_word(group.u) as u16).collect();
        let sole = schedule.groups.iter().map(|group| Sole::of(group, first_word(group.u)));
        let cache = &self.core.units.code_cache;
        let lines: Vec<(u32, usize)> = block
            .lines
            .with_fills()
            .map(|(line, _)| (line, cache.fill_place(line)))
            .collect();
        let own = &lines[..block.lines.count()];
        let longest = self.longest.of_block(block.ops.len(), at, lines.len());
        let page = own[0].0 / PAGE;
        let exit = schedule.exit.bits();
        let entry = self.core.entry.noticed(block.noticed).bits();
        let attached = match &*schedule.groups {
            [.., before, _] => Some(before.address),
            groups => self.after(block, groups),
        };
        // The mark of a free slot is like that of an entry attached to the first addresses.
        let attached = attached.filter(|&attached| attached >= PAGE);
        let next = self.ops[block.ops.end as usize - 1].end();
        let stays = own.last().is_some_and(|&(line, _)| line == cache.line(next));
        let branch = groups.last().and_then(|group| group.branch);
        let usual = UsualCounts::of(&schedule.groups, branch, stays);
        let last_line = own.last().map_or(NONE, |&(line, _)| line);
        let after = [None, branch].map(|wrong| {
            [(NONE, false), (last_line, stays)].map(|(line, stays)| After::of(&schedule.groups, line, stays, wrong))
        });
        let slot = attached.map_or(0, |attached| self.core.units.btb.slot_place(attached));
        let replayed = Box::new(Replayed {
            replays: -1,
            passed: [-1; Course::COUNT],
            seen: 0,
            slot: slot as u32,
            // A function fetches the lines first, so that the first replay is noticed.
            fills: match schedule.planned_only {
                true => UNKNOWN_FILLS,
                false => fills(&block.lines),
            },
            longer: [0; 3],
            room: [0; ROOM],
        });
        let (place, longer) = (&raw const *replayed as usize, &raw const replayed.longer as usize);
        self.compiled.push(Compiled {
            replayed,
            schedule: number as u32,
            lines: block.lines.clone(),
            ops: block.ops.clone(),
            cold: block.cold,
            noticed: block.noticed,
            entry: self.core.entry.noticed(block.noticed),
            words: words_of_groups,
            sole: sole.collect(),
            usual,
        });
        Some(Plan {
            number: self.compiled.len() as u32 - 1,
            replayed: place,
            page: own.iter().all(|(line, _)| line / PAGE == page).then_some(page),
            lines,
            has_next: block.lines.has_next(),
            longest,
            groups,
            entry,
            exit,
            words,
            attached,
            after: std::array::from_fn(|state| After {
                longer: if state < AFTERS / 2 { 0 } else { longer },
                ..after[state / 2 % 2][state % 2]
            }),
        })
    }

    fn planned(&self, group: &Group, index: usize, first_word: &impl Fn(u32) -> usize) -> PlannedGroup {
        let usual = !group.special && !group.begins_slowly && !group.awaits;
        let charged = (index == 0 && group.interlock > 0).then(|| charge(group));
        let mut accesses = Vec::new();
        let of_u = usize::from(group.u_accesses);
        let access = |shape: u8, word: usize, after: u32| PlannedAccess {
            word,
            size: u32::from(shape & !WRITES),
            writes: shape & WRITES != 0,
            after,
        };
        let word = first_word(group.u);
        for number in 0..of_u {
            let after = if number == 0 { 0 } else { group.u_clocks - 1 };
            accesses.push(access(group.shapes[number], word + number, after));
        }
        for number in 0..usize::from(group.v_accesses) {
            let after = if number == 0 { 0 } else { group.v_clocks - 1 };
            let word = first_word(group.v) + number;
            accesses.push(access(group.shapes[2 + number], word, group.v_begins + after));
        }
        PlannedGroup {
            address: group.address,
            op: group.u,
            usual,
            interlock: group.interlock,
            charged,
            clocks: group.clocks,
            holds: group.holds,
            branch: self.planned_branch(group),
            sole: Sole::of(group, word).map(|sole| sole.planned()),
            prefixed: PlannedPrefixes::of(group, self.core.rules),
            pair: PlannedPair::of(group, self.core.rules),
            floating: (!usual)
                .then(|| PlannedFloating::of(group, &self.ops, first_word(group.u)))
                .flatten(),
            together: group
                .together()
                .map(|event| ([group.beside_v(), of_u], event == Event::DATA_WRITE)),
            accesses,
        }
    }

    fn planned_branch(&self, group: &Group) -> Option<PlannedBranch> {
        let in_v = group.v != NONE;
        let op = if in_v { group.v } else { group.u };
        let resolved = self.ops[op as usize].resolved(in_v);
        let penalty = self.core.rules.mispredicted(resolved);
        group.branch.then_some(PlannedBranch {
            op,
            penalty,
            refilled: (u64::from(penalty) - STAGES_TO_EXECUTION) as u32,
            in_wb: resolved == Resolved::InWb,
            after: group.fall_through,
        })
    }

    /// The address of the statistics, which does not change while code runs.
    pub fn statistics(&mut self) -> usize {
        self.core.counts.stats.as_mut_ptr().expose_provenance()
    }

    /// Records that code has been made from the plan `number` for `block` in the current state of issue.
    pub fn keep_compiled(&mut self, block: &mut BlockTime, number: u32) {
        let entry = self.core.entry.noticed(block.noticed);
        let schedule = self.compiled[number as usize].schedule;
        let after = self.after(block, &self.schedules[schedule as usize].groups);
        block.compiled.push(Known { entry, after, number });
    }

    /// The last group before a plan of `block` with these groups, if the plan is only for that: an entry for a branch
    /// in the first group is attached to it.
    fn after(&self, block: &BlockTime, groups: &[Group]) -> Option<u32> {
        let [only] = groups else { return None };
        (only.branch && block.compiled.len() < MOST_AFTER).then_some(self.core.trail.last_u)
    }

    /// The numbers of the engine for a plan.
    pub fn room(&mut self, number: u32) -> &mut [u64; ROOM] {
        &mut self.compiled[number as usize].replayed.room
    }

    /// Sets the state after compiled code: the clock at which its last group ends, and the state of issue unless a
    /// function has set it.
    pub fn leave_compiled(&mut self, end: u64, state: Option<u64>) {
        self.core.time.clock = end - self.core.time.busy;
        if let Some(state) = state {
            self.core.entry = Entry::of_bits(state);
        }
    }

    /// Lets compiled code look up the line of an access at `address`, which has just hit, by itself, if accesses of it
    /// change nothing. `mapped` says how its page is mapped; `base` plus an address is where its byte is.
    pub fn keep_plain(&mut self, address: u32, written: bool, mapped: u64, base: u64) {
        self.core.units.keep_plain(address, written, mapped, base);
    }

    /// Forgets the lines that code looks up by itself unless `is_mapped` still holds for the pages of all of them, and
    /// how these were mapped.
    pub fn retain_plain(&mut self, is_mapped: impl FnMut(u32, u64) -> bool) {
        self.core.units.retain_plain(is_mapped);
    }

    /// The address and the machine code of each instruction of a block.
    pub fn code_of(&self, block: &BlockTime) -> impl Iterator<Item = (u32, &[u8])> + use<'_> {
        let ops = &self.ops[block.ops.start as usize..block.ops.end as usize];
        ops.iter().map(|op| (op.address, &op.bytes[..usize::from(op.length)]))
    }
}

impl BlockTime {
    /// The numbers of its plans.
    pub fn compiled(&self) -> impl Iterator<Item = u32> + '_ {
        self.compiled.iter().map(|known| known.number)
    }

    /// Forgets its plans.
    pub fn forget_compiled(&mut self) {
        self.compiled.clear();
    }
}
