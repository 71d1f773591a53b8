//! What compiled code and the engine share: the frame at the top of the stack while code runs.
//!
//! Registers while code runs: `r8` to `r15` hold the general registers of the program, `rbx` the clock at which the
//! last group ends, `rsp` the frame, `rbp` the fact words, `rdi` the units. `rax`, `rcx` and `rdx` are free.
//!
//! Code that replays a block in the usual way does not keep the state of the pipeline, which follows from the last
//! blocks: `rsi` has their numbers, [`PASSED_BITS`] each, the last one lowest; 0 stands for the state in memory. Other
//! code begins by bringing that state up to date, and has the pipeline in `rsi`.

use crate::links::ColdLeads;
use p5_meaning::exec::{Left, MicroOp, State};
use p5_timing::pipeline::{AfterCold, Pipeline};
use p5_words::flags::{AF, CF, Flags, OF, PF, SF, STATUS, ZF};
use std::mem::offset_of;

/// Flags while code runs, as 16 bits: the high byte as LAHF gives it, the low byte 1 if OF is set. The low byte is
/// [`WITHOUT_AF`] if both OF and AF are clear, whatever the high byte says of AF.
pub(crate) const WITHOUT_AF: u32 = 0x80;

/// What the functions that code calls need.
pub(crate) struct Called {
    /// The operations of each unit.
    pub(crate) operations: Vec<Box<[MicroOp]>>,
    /// The first fact word of each of these, and the number of all.
    pub(crate) words: Vec<Box<[usize]>>,
    pub(crate) left: Option<Left>,
    /// The state after the last replay of lines that were not at hand.
    pub(crate) after: AfterCold,
    /// The code that follows such replays of each unit.
    pub(crate) colds: Vec<ColdLeads>,
}

#[repr(C, align(16))]
pub(crate) struct Frame {
    // What code uses most comes first, where eight bits tell its place.
    pub(crate) state: *mut State,
    pub(crate) pipeline: *mut Pipeline,
    pub(crate) pages: usize,
    /// The clock from which on code has to stop.
    pub(crate) due: u64,
    /// The same for a block that is replayed in the usual way, or 0 if the next one may not be.
    pub(crate) usual_until: u64,
    /// The same if an access of the block may wait.
    pub(crate) waiting_until: u64,
    /// The groups of usual replays that the pipeline has not counted yet.
    pub(crate) groups: u64,
    /// The number of times that the order of code lines may have changed.
    pub(crate) epoch: u64,
    /// The address of the statistics.
    pub(crate) statistics: usize,
    /// Where code goes on after the accesses of a usual replay with waits, and the slot of its branch meanwhile.
    pub(crate) goes_on: u64,
    pub(crate) slot: u64,
    /// The last usual replays, while `rsi` is needed otherwise.
    pub(crate) passed: u64,
    /// Not 0 if an access of the block has not been made: one more than the number of the first one, or less.
    pub(crate) unplain: u32,
    /// The rounds of a loop that have not been added up.
    pub(crate) rounds: u32,
    /// Not 0 if a first group has waited for the one before it in one of the last usual replays.
    pub(crate) interlocked: u32,
    pub(crate) flags: u32,
    pub(crate) taken: u32,
    pub(crate) next: u32,
    /// Not 0 if the front end may not be ahead of the next group.
    pub(crate) late: u32,
    /// [`COMPUTES`] and [`DIVIDES`] if code may execute such operations of the floating-point unit.
    pub(crate) reals: u32,
    pub(crate) units: usize,
    pub(crate) words: usize,
    pub(crate) frames: usize,
    /// The clock from which on code must not issue a group.
    pub(crate) watched: u64,
    pub(crate) engine: *mut Called,
    pub(crate) end: u64,
    /// The address of the table that says what usual replays do.
    pub(crate) afters: usize,
    /// How code has stopped: one of the kinds below, the number of its unit, and the number of the way or operation.
    pub(crate) kind: u32,
    pub(crate) unit: u32,
    pub(crate) argument: u32,
    /// The control words of the program's unit and of the host's before.
    pub(crate) control: u32,
    pub(crate) host_control: u32,
    /// The selectors of CS, ES, SS and DS, and the base of CS.
    pub(crate) selectors: [u32; 4],
    pub(crate) code_base: u32,
    /// Not 0 if the next group meets the entry of another branch unless it has a branch itself: one more than the
    /// offset of the entry's slot, or [`UNKNOWN`] if that is not known.
    pub(crate) met: u32,
    /// The instruction that has met an entry last.
    pub(crate) met_op: u32,
    /// The clocks that the first and the second access of a pair have waited, and the places of their causes in the
    /// statistics.
    pub(crate) waited: u32,
    pub(crate) cause: u32,
    pub(crate) second_waited: u32,
    pub(crate) second_cause: u32,
    /// What an operation has read that it pushes.
    pub(crate) pushed: u32,
}

/// Nothing is known of what the next group meets, nor of the code line fetched last.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl Frame {
    /// The frame before anything is known.
    pub(crate) const EMPTY: Frame = Frame {
        state: std::ptr::null_mut(),
        pipeline: std::ptr::null_mut(),
        units: 0,
        words: 0,
        pages: 0,
        frames: 0,
        due: 0,
        watched: 0,
        usual_until: 0,
        waiting_until: 0,
        groups: 0,
        epoch: 0,
        flags: 0,
        taken: 0,
        next: 0,
        kind: 0,
        unit: 0,
        argument: 0,
        late: 0,
        engine: std::ptr::null_mut(),
        end: 0,
        statistics: 0,
        unplain: 0,
        goes_on: 0,
        slot: 0,
        rounds: 0,
        passed: 0,
        afters: 0,
        interlocked: 0,
        reals: 0,
        control: 0,
        host_control: 0,
        selectors: [0; 4],
        code_base: 0,
        met: 0,
        met_op: 0,
        waited: 0,
        cause: 0,
        second_waited: 0,
        second_cause: 0,
        pushed: 0,
    };

    /// The front end may not be ahead of the next group.
    pub(crate) fn is_late(&mut self) {
        self.late = 1;
        self.usual_until = 0;
        self.waiting_until = 0;
    }
}

/// The status flags as code keeps them.
pub(crate) fn packed(flags: &Flags) -> u32 {
    let status = flags.status();
    (status & (CF | PF | AF | ZF | SF)) << 8 | u32::from(status & OF != 0)
}

/// Sets the status flags from what code kept.
pub(crate) fn set_status(flags: &mut Flags, packed: u32) {
    let mut status = packed >> 8 & (CF | PF | AF | ZF | SF);
    if packed & 0xFF == WITHOUT_AF {
        status &= !AF;
    } else if packed & 1 != 0 {
        status |= OF;
    }
    flags.set_status_masked(STATUS, status);
}

/// Operations but divisions, and divisions.
pub(crate) const COMPUTES: u32 = 1;
pub(crate) const DIVIDES: u32 = 2;

/// The bits of the number of a usual replay, and its lowest and highest values.
pub(crate) const PASSED_BITS: u32 = 21;
pub(crate) const FIRST_PASSED: u32 = 4;
pub(crate) const MOST_PASSED: u32 = (1 << PASSED_BITS) - 1;
/// The number of [`p5_timing::pipeline::After::STAYS`].
pub(crate) const STAYS: u32 = 1;
/// The numbers of [`p5_timing::pipeline::After::DELAYED`]: after a misprediction, which the state in memory has, and
/// after a group has met an entry.
pub(crate) const DELAYED: u32 = 2;
pub(crate) const MET: u32 = 3;

/// The block has been executed and replayed.
pub(crate) const REPLAYED: u32 = 0;
/// The block has been executed, but not replayed.
pub(crate) const EXECUTED: u32 = 1;
/// An operation has left the block.
pub(crate) const LEFT: u32 = 2;
/// The block has been executed and replayed, but its lines were not at hand.
pub(crate) const PASSED_COLD: u32 = 3;

pub(crate) const SIZE: i32 = size_of::<Frame>() as i32;
pub(crate) const PIPELINE: i32 = offset_of!(Frame, pipeline) as i32;
pub(crate) const UNITS: i32 = offset_of!(Frame, units) as i32;
pub(crate) const WORDS: i32 = offset_of!(Frame, words) as i32;
pub(crate) const PAGES: i32 = offset_of!(Frame, pages) as i32;
pub(crate) const FRAMES: i32 = offset_of!(Frame, frames) as i32;
pub(crate) const DUE: i32 = offset_of!(Frame, due) as i32;
pub(crate) const WATCHED: i32 = offset_of!(Frame, watched) as i32;
pub(crate) const FLAGS: i32 = offset_of!(Frame, flags) as i32;
pub(crate) const TAKEN: i32 = offset_of!(Frame, taken) as i32;
pub(crate) const NEXT: i32 = offset_of!(Frame, next) as i32;
pub(crate) const KIND: i32 = offset_of!(Frame, kind) as i32;
pub(crate) const UNIT: i32 = offset_of!(Frame, unit) as i32;
pub(crate) const ARGUMENT: i32 = offset_of!(Frame, argument) as i32;
pub(crate) const STATE: i32 = offset_of!(Frame, state) as i32;
pub(crate) const STATISTICS: i32 = offset_of!(Frame, statistics) as i32;
pub(crate) const LATE: i32 = offset_of!(Frame, late) as i32;
pub(crate) const EPOCH: i32 = offset_of!(Frame, epoch) as i32;
pub(crate) const UNPLAIN: i32 = offset_of!(Frame, unplain) as i32;
pub(crate) const ROUNDS: i32 = offset_of!(Frame, rounds) as i32;
pub(crate) const PASSED: i32 = offset_of!(Frame, passed) as i32;
pub(crate) const AFTERS: i32 = offset_of!(Frame, afters) as i32;
pub(crate) const INTERLOCKED: i32 = offset_of!(Frame, interlocked) as i32;
pub(crate) const USUAL_UNTIL: i32 = offset_of!(Frame, usual_until) as i32;
pub(crate) const WAITING_UNTIL: i32 = offset_of!(Frame, waiting_until) as i32;
pub(crate) const GOES_ON: i32 = offset_of!(Frame, goes_on) as i32;
pub(crate) const SLOT: i32 = offset_of!(Frame, slot) as i32;
pub(crate) const GROUPS: i32 = offset_of!(Frame, groups) as i32;
pub(crate) const REALS: i32 = offset_of!(Frame, reals) as i32;
pub(crate) const CONTROL: i32 = offset_of!(Frame, control) as i32;
pub(crate) const HOST_CONTROL: i32 = offset_of!(Frame, host_control) as i32;
pub(crate) const SELECTORS: i32 = offset_of!(Frame, selectors) as i32;
pub(crate) const CODE_BASE: i32 = offset_of!(Frame, code_base) as i32;
pub(crate) const MET_SLOT: i32 = offset_of!(Frame, met) as i32;
pub(crate) const MET_OP: i32 = offset_of!(Frame, met_op) as i32;
pub(crate) const FIRST_WAITED: i32 = offset_of!(Frame, waited) as i32;
pub(crate) const CAUSE: i32 = offset_of!(Frame, cause) as i32;
pub(crate) const SECOND_WAITED: i32 = offset_of!(Frame, second_waited) as i32;
pub(crate) const SECOND_CAUSE: i32 = offset_of!(Frame, second_cause) as i32;
pub(crate) const PUSHED: i32 = offset_of!(Frame, pushed) as i32;
pub(crate) const END: i32 = offset_of!(Frame, end) as i32;

/// The places of what comes first in the frame, as displacements of eight bits.
pub(crate) mod near {
    const fn within(place: i32) -> i8 {
        assert!(place <= i8::MAX as i32, "it does not come first in the frame");
        place as i8
    }

    pub(crate) const STATE: i8 = within(super::STATE);
    pub(crate) const PIPELINE: i8 = within(super::PIPELINE);
    pub(crate) const PAGES: i8 = within(super::PAGES);
    pub(crate) const DUE: i8 = within(super::DUE);
    pub(crate) const USUAL_UNTIL: i8 = within(super::USUAL_UNTIL);
    pub(crate) const WAITING_UNTIL: i8 = within(super::WAITING_UNTIL);
    pub(crate) const GROUPS: i8 = within(super::GROUPS);
    pub(crate) const EPOCH: i8 = within(super::EPOCH);
    pub(crate) const STATISTICS: i8 = within(super::STATISTICS);
    pub(crate) const GOES_ON: i8 = within(super::GOES_ON);
    pub(crate) const SLOT: i8 = within(super::SLOT);
    pub(crate) const PASSED: i8 = within(super::PASSED);
    pub(crate) const UNPLAIN: i8 = within(super::UNPLAIN);
    pub(crate) const ROUNDS: i8 = within(super::ROUNDS);
    pub(crate) const INTERLOCKED: i8 = within(super::INTERLOCKED);
    pub(crate) const FLAGS: i8 = within(super::FLAGS);
    pub(crate) const TAKEN: i8 = within(super::TAKEN);
    pub(crate) const NEXT: i8 = within(super::NEXT);
    pub(crate) const LATE: i8 = within(super::LATE);
    pub(crate) const REALS: i8 = within(super::REALS);
}

// The code that enters and leaves copies sixteen bytes at a time, and keeps the stack aligned.
const _: () = assert!(size_of::<Frame>().is_multiple_of(16));
