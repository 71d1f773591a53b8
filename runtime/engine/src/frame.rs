//! What compiled code and the engine share: the frame at the top of the stack while code runs.
//!
//! Registers while code runs: `r8` to `r15` hold the general registers of the program, `rbx` the clock at which the
//! last group ends, `rsp` the frame, `rbp` the fact words, `rdi` the units, `rsi` the pipeline. `rax`, `rcx` and `rdx`
//! are free.

use p5_meaning::exec::State;
use p5_timing::pipeline::Pipeline;
use std::mem::offset_of;

/// Flags while code runs, as 16 bits: the high byte as LAHF gives it, the low byte 1 if OF is set. The low byte is
/// [`WITHOUT_AF`] if both OF and AF are clear, whatever the high byte says of AF.
pub(crate) const WITHOUT_AF: u32 = 0x80;

#[repr(C)]
pub(crate) struct Frame {
    pub(crate) state: *mut State,
    pub(crate) pipeline: *mut Pipeline,
    pub(crate) units: usize,
    pub(crate) words: usize,
    pub(crate) pages: usize,
    pub(crate) frames: usize,
    /// The clock from which on code has to stop.
    pub(crate) due: u64,
    pub(crate) flags: u32,
    pub(crate) taken: u32,
    pub(crate) next: u32,
    /// How code has stopped: one of the kinds below, the number of its unit, and the number of the way or operation.
    pub(crate) kind: u32,
    pub(crate) unit: u32,
    pub(crate) argument: u32,
    /// Not 0 if the front end may not be ahead of the next group.
    pub(crate) late: u32,
    pub(crate) engine: *mut crate::run::Called,
    pub(crate) end: u64,
    /// The address of the statistics.
    pub(crate) statistics: usize,
    /// Not 0 if an access of the block is to a line that is not known to be plain.
    pub(crate) unplain: u64,
    /// The number of times that the order of code lines may have changed.
    pub(crate) epoch: u64,
    /// The rounds of a loop that have not been added up, and the place of the slot of its branch.
    pub(crate) rounds: u64,
    pub(crate) slot: u64,
    /// [`COMPUTES`] and [`DIVIDES`] if code may execute such operations of the floating-point unit.
    pub(crate) reals: u32,
    /// The control words of the program's unit and of the host's before.
    pub(crate) control: u32,
    pub(crate) host_control: u32,
    /// The selectors of CS, ES, SS and DS, and the base of CS.
    pub(crate) selectors: [u32; 4],
    pub(crate) code_base: u32,
}

/// Operations but divisions, and divisions.
pub(crate) const COMPUTES: u32 = 1;
pub(crate) const DIVIDES: u32 = 2;

/// The block has been executed and replayed.
pub(crate) const REPLAYED: u32 = 0;
/// The block has been executed, but not replayed.
pub(crate) const EXECUTED: u32 = 1;
/// An operation has left the block.
pub(crate) const LEFT: u32 = 2;

pub(crate) const SIZE: i32 = size_of::<Frame>() as i32;
pub(crate) const PIPELINE: i32 = offset_of!(Frame, pipeline) as i32;
pub(crate) const UNITS: i32 = offset_of!(Frame, units) as i32;
pub(crate) const WORDS: i32 = offset_of!(Frame, words) as i32;
pub(crate) const PAGES: i32 = offset_of!(Frame, pages) as i32;
pub(crate) const FRAMES: i32 = offset_of!(Frame, frames) as i32;
pub(crate) const DUE: i32 = offset_of!(Frame, due) as i32;
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
pub(crate) const SLOT: i32 = offset_of!(Frame, slot) as i32;
pub(crate) const REALS: i32 = offset_of!(Frame, reals) as i32;
pub(crate) const CONTROL: i32 = offset_of!(Frame, control) as i32;
pub(crate) const HOST_CONTROL: i32 = offset_of!(Frame, host_control) as i32;
pub(crate) const SELECTORS: i32 = offset_of!(Frame, selectors) as i32;
pub(crate) const CODE_BASE: i32 = offset_of!(Frame, code_base) as i32;
pub(crate) const END: i32 = offset_of!(Frame, end) as i32;

// The code that enters and leaves copies sixteen bytes at a time, and keeps the stack aligned.
const _: () = assert!(size_of::<Frame>().is_multiple_of(16));
