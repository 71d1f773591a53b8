//! The functions that code calls, with the frame and two numbers.

use crate::emit::Calls;
use crate::frame::{self, Called, Frame, packed, set_status};
use p5_meaning::exec::State;
use p5_meaning::memory;
use p5_timing::pipeline::Pipeline;
use p5_words::fpu::Divider;
use p5_words::isa::PAGE;

/// Their addresses.
pub(crate) fn all() -> Calls {
    Calls {
        execute: execute as *const () as usize,
        execute_floating: execute_floating as *const () as usize,
        execute_with_flags: execute_with_flags as *const () as usize,
        execute_rest: execute_rest as *const () as usize,
        refetch: refetch as *const () as usize,
        pass_cold: pass_cold as *const () as usize,
        note: note as *const () as usize,
        meet: meet as *const () as usize,
        begin: begin as *const () as usize,
        issue: issue as *const () as usize,
        access: access as *const () as usize,
        access_second: access_second as *const () as usize,
        access_floating: access_floating as *const () as usize,
        leave_floating: leave_floating as *const () as usize,
        keep: keep as *const () as usize,
        replay: replay as *const () as usize,
        branch: branch as *const () as usize,
    }
}

/// The operations of the floating-point unit that code may execute.
pub(crate) fn reals(state: &State) -> u32 {
    match (state.computes_plainly(), state.registers.fpu.divider) {
        (false, _) => 0,
        (true, Divider::Correct) => frame::COMPUTES | frame::DIVIDES,
        (true, Divider::Flawed) => frame::COMPUTES,
    }
}

/// The state, the pipeline and what else a function needs that code calls.
///
/// # Safety
///
/// Code calls with the address of the frame that [`Engine::run`] has filled.
unsafe fn opened<'a>(frame: *mut Frame) -> (&'a mut Frame, &'a mut State, &'a mut Pipeline, &'a mut Called) {
    // SAFETY: `run` borrows all four mutably for as long as code runs, and uses none of them meanwhile. Code holds no
    // reference, only addresses, and one function at a time is called.
    unsafe {
        (
            &mut *frame,
            &mut *(*frame).state,
            &mut *(*frame).pipeline,
            &mut *(*frame).engine,
        )
    }
}

/// Gives the facts the outcome of the block, which code has left in the frame.
fn take_outcome(frame: &Frame, state: &mut State) {
    (state.facts.taken, state.facts.next) = (frame.taken != 0, frame.next);
}

/// Executes an operation of a unit; `packed` is its number and, from bit 16, that of its first fact word. Returns
/// whether it leaves the block.
extern "sysv64" fn execute(frame: *mut Frame, unit: u32, packed: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, called) = unsafe { opened(frame) };
    execute_one(frame, state, pipeline, called, unit, packed)
}

/// The same for an operation of the floating-point unit, which may change its control word.
extern "sysv64" fn execute_floating(frame: *mut Frame, unit: u32, packed: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, called) = unsafe { opened(frame) };
    let left = execute_one(frame, state, pipeline, called, unit, packed);
    take_unit(frame, state);
    left
}

/// Lets code use the floating-point unit as the program has prepared it.
fn take_unit(frame: &mut Frame, state: &State) {
    // The unit of the host is ready only if it was when code was entered.
    frame.reals = if frame.host_control == 0 { 0 } else { reals(state) };
    frame.control = u32::from(state.registers.fpu.control());
}

/// Executes the operations of a unit from one on. Returns 0, or one more than the number of the operation that leaves
/// the block.
extern "sysv64" fn execute_rest(frame: *mut Frame, unit: u32, first: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, called) = unsafe { opened(frame) };
    set_status(&mut state.registers.flags, frame.flags);
    let (mut index, mut word) = (first & 0xFFFF, first >> 16);
    let mut left = 0;
    while left == 0 && (index as usize) < called.operations[unit as usize].len() {
        let words = called.words[unit as usize][index as usize + 1] as u32;
        if execute_one(frame, state, pipeline, called, unit, index | word << 16) != 0 {
            left = u64::from(index + 1);
        }
        (index, word) = (index + 1, words);
    }
    frame.flags = packed(&state.registers.flags);
    take_unit(frame, state);
    left
}

/// The same for an operation that depends on flags or sets them.
extern "sysv64" fn execute_with_flags(frame: *mut Frame, unit: u32, operation: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, called) = unsafe { opened(frame) };
    set_status(&mut state.registers.flags, frame.flags);
    let left = execute_one(frame, state, pipeline, called, unit, operation);
    frame.flags = packed(&state.registers.flags);
    left
}

fn execute_one(
    frame: &mut Frame,
    state: &mut State,
    pipeline: &mut Pipeline,
    called: &mut Called,
    unit: u32,
    packed: u32,
) -> u64 {
    let (index, word) = (packed & 0xFFFF, packed >> 16);
    state.facts.taken = false;
    let operation = &called.operations[unit as usize][index as usize];
    called.left = operation.execute(word as usize, state);
    frame.taken = u32::from(state.facts.taken);
    frame.next = state.facts.next;
    let frames = state.memory.places().frames;
    if frame.frames != frames {
        frame.frames = frames;
        pipeline.retain_plain(|page, mapping| state.memory.mapping(page) == mapping);
    }
    u64::from(called.left.is_some())
}

/// Bit 0 of the result: whether the lines were fetched; bit 1: whether this can be relied on in this epoch.
extern "sysv64" fn refetch(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, _, pipeline, _) = unsafe { opened(frame) };
    frame.epoch += 1;
    let fetched = pipeline.refetch_compiled(plan);
    u64::from(fetched) | u64::from(fetched && pipeline.is_settled(plan)) << 1
}

/// Replays a block whose lines are not at hand. Returns the address of the code that follows, or 0 if it is not known.
extern "sysv64" fn pass_cold(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, called) = unsafe { opened(frame) };
    take_outcome(frame, state);
    let after = pipeline.replay_cold_compiled(plan, &state.facts);
    state.facts.clear();
    // From here on, code knows no more than when it was entered.
    frame.is_late();
    frame.met = frame::UNKNOWN;
    frame.epoch += 1;
    called.after = after;
    called.colds[plan as usize].get(&after).unwrap_or(0)
}

extern "sysv64" fn note(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, _, pipeline, _) = unsafe { opened(frame) };
    pipeline.note_replay(plan);
    0
}

extern "sysv64" fn meet(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, _, pipeline, _) = unsafe { opened(frame) };
    frame.is_late();
    pipeline.meet_entry_compiled(plan);
    0
}

extern "sysv64" fn begin(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    pipeline.begin_compiled(plan, &state.facts);
    0
}

extern "sysv64" fn issue(frame: *mut Frame, plan: u32, group: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, _) = unsafe { opened(frame) };
    take_outcome(frame, state);
    frame.is_late();
    pipeline.issue_compiled(plan, group, &state.facts);
    0
}

extern "sysv64" fn access(frame: *mut Frame, plan: u32, group: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    pipeline.access_compiled(plan, group, &state.facts)
}

/// `packed` is the number of the group and, in bit 16, whether its accesses are of one bank.
extern "sysv64" fn access_second(frame: *mut Frame, plan: u32, packed: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, _) = unsafe { opened(frame) };
    let first = (frame.waited, frame.cause, packed >> 16 != 0);
    pipeline.access_second_compiled(plan, packed & 0xFFFF, first, &state.facts)
}

extern "sysv64" fn access_floating(frame: *mut Frame, plan: u32, group: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    pipeline.access_floating_compiled(plan, group, &state.facts)
}

extern "sysv64" fn leave_floating(frame: *mut Frame, plan: u32, group: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    pipeline.leave_floating_compiled(plan, group, &state.facts);
    0
}

/// Tells the units that the line of an access, which has just hit, may be looked up by code. `packed` is its fact word,
/// and bit 31 whether it writes.
extern "sysv64" fn keep(frame: *mut Frame, _: u32, packed: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (_, state, pipeline, _) = unsafe { opened(frame) };
    let (word, writes) = (packed << 1 >> 1, packed >> 31 != 0);
    let address = state.facts.words[word as usize];
    let mapping = state.memory.mapping(address / PAGE);
    let simple = match writes {
        true => mapping as u32 & memory::Places::WRITING == memory::Places::PLAINLY_WRITABLE,
        false => mapping as u32 & memory::Places::READABLE != 0,
    };
    if simple {
        let bytes = mapping >> memory::Places::FLAGS.trailing_ones();
        let base = bytes.wrapping_sub(u64::from(address & !(PAGE - 1)));
        pipeline.keep_plain(address, writes, mapping, base);
    }
    0
}

extern "sysv64" fn replay(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, _) = unsafe { opened(frame) };
    take_outcome(frame, state);
    frame.is_late();
    pipeline.replay_compiled(plan, &state.facts);
    0
}

extern "sysv64" fn branch(frame: *mut Frame, plan: u32, _: u32) -> u64 {
    // SAFETY: called by code with its frame.
    let (frame, state, pipeline, _) = unsafe { opened(frame) };
    take_outcome(frame, state);
    frame.is_late();
    pipeline.branch_compiled(plan, &state.facts);
    0
}
