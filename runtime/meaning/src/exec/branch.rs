//! Near branches: Jcc, JMP, CALL, RET, LOOP and JCXZ.
//!
//! In flat code (`FLAT`) offsets are linear addresses and no target is past the limit of the code segment.

use super::access::{EBP, ESP, STACK};
use super::{Flow, MicroOp, State};
use p5_words::fault::FaultCause;
use p5_words::registers::CS;

const ECX: u8 = 1;

impl State {
    /// The linear address of a branch target, from its offset in the code segment.
    #[inline(always)]
    fn target<const FLAT: bool>(&mut self, offset: u32) -> Result<u32, super::Leave> {
        if FLAT {
            return Ok(offset);
        }
        let linear = self.registers.segments[CS].base().wrapping_add(offset);
        self.check_target::<FLAT>(linear)?;
        Ok(linear)
    }

    /// Raises a fault if the linear address of a branch target is past the limit of the code segment.
    #[inline(always)]
    fn check_target<const FLAT: bool>(&mut self, linear: u32) -> Result<(), super::Leave> {
        if !FLAT {
            let code = &self.registers.segments[CS];
            if linear.wrapping_sub(code.base()) > code.limit() {
                return Err(self.protection(FaultCause::PastLimit));
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn code_offset<const FLAT: bool>(&self, linear: u32) -> u32 {
        if FLAT {
            linear
        } else {
            linear.wrapping_sub(self.registers.segments[CS].base())
        }
    }
}

/// Executes Jcc, whose target was computed when the operation was compiled.
pub(super) fn conditional<const CONDITION: u8, const FLAT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    if state.registers.flags.condition(CONDITION) {
        state.check_target::<FLAT>(op.immediate)?;
        return state.jump(op.immediate);
    }
    state.fall_through(op)
}

/// The handler of Jcc by condition number.
pub(super) fn select_conditional(condition: u8, flat: bool) -> super::Handler {
    const IN_FLAT_CODE: [super::Handler; 16] = [
        conditional::<0, true>,
        conditional::<1, true>,
        conditional::<2, true>,
        conditional::<3, true>,
        conditional::<4, true>,
        conditional::<5, true>,
        conditional::<6, true>,
        conditional::<7, true>,
        conditional::<8, true>,
        conditional::<9, true>,
        conditional::<10, true>,
        conditional::<11, true>,
        conditional::<12, true>,
        conditional::<13, true>,
        conditional::<14, true>,
        conditional::<15, true>,
    ];
    const IN_A_SEGMENT: [super::Handler; 16] = [
        conditional::<0, false>,
        conditional::<1, false>,
        conditional::<2, false>,
        conditional::<3, false>,
        conditional::<4, false>,
        conditional::<5, false>,
        conditional::<6, false>,
        conditional::<7, false>,
        conditional::<8, false>,
        conditional::<9, false>,
        conditional::<10, false>,
        conditional::<11, false>,
        conditional::<12, false>,
        conditional::<13, false>,
        conditional::<14, false>,
        conditional::<15, false>,
    ];
    let handlers = if flat { IN_FLAT_CODE } else { IN_A_SEGMENT };
    handlers[usize::from(condition & 15)]
}

pub(super) fn jmp<const FLAT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.check_target::<FLAT>(op.immediate)?;
    state.jump(op.immediate)
}

pub(super) fn jmp_indirect<const N: u32, const FLAT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.read_dest::<N>(op)?;
    let target = state.target::<FLAT>(offset)?;
    state.jump(target)
}

pub(super) fn call<const N: u32, const WIDE: bool, const FLAT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.check_target::<FLAT>(op.immediate)?;
    state.push::<N, WIDE>(state.code_offset::<FLAT>(op.after()))?;
    state.jump(op.immediate)
}

pub(super) fn call_indirect<const N: u32, const WIDE: bool, const FLAT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.read_dest::<N>(op)?;
    let target = state.target::<FLAT>(offset)?;
    state.push::<N, WIDE>(state.code_offset::<FLAT>(op.after()))?;
    state.jump(target)
}

/// RET; the immediate is the number of further bytes to drop.
pub(super) fn ret<const N: u32, const WIDE: bool, const FLAT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let offset = state.peek::<N, WIDE>(0)?;
    let target = state.target::<FLAT>(offset)?;
    state.drop_stack::<WIDE>((N / 8).wrapping_add(op.immediate));
    state.jump(target)
}

pub(super) const LOOP: u8 = 0;
pub(super) const LOOP_WHILE_EQUAL: u8 = 1;
pub(super) const LOOP_WHILE_NOT_EQUAL: u8 = 2;
pub(super) const JUMP_IF_COUNT_ZERO: u8 = 3;

/// LOOP, LOOPE, LOOPNE and JCXZ, counting in CX or ECX by address size `N`.
pub(super) fn counted<const OP: u8, const N: u32, const FLAT: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let mut count = state.registers.get::<N>(ECX);
    if OP != JUMP_IF_COUNT_ZERO {
        count = count.wrapping_sub(1) & op.offset_mask;
    }
    let zero = state.registers.flags.zero();
    let taken = match OP {
        LOOP => count != 0,
        LOOP_WHILE_EQUAL => count != 0 && zero,
        LOOP_WHILE_NOT_EQUAL => count != 0 && !zero,
        _ => count == 0,
    };
    if taken {
        state.check_target::<FLAT>(op.immediate)?;
    }
    if OP != JUMP_IF_COUNT_ZERO {
        state.registers.put::<N>(ECX, count);
    }
    if taken {
        return state.jump(op.immediate);
    }
    state.fall_through(op)
}

/// ENTER; `immediate` holds the size of the frame and, from bit 16, the nesting level 0 to 31.
pub(super) fn enter<const N: u32, const WIDE: bool>(op: &MicroOp, state: &mut State) -> Flow {
    let size = op.immediate & 0xFFFF;
    let level = (op.immediate >> 16) & 31;
    let step = N / 8;
    let mask = if WIDE { u32::MAX } else { 0xFFFF };
    let before = state.registers.general;
    let result = (|| {
        let frame_value = state.registers.get::<N>(EBP as u8);
        state.push::<N, WIDE>(frame_value)?;
        // All of the new ESP is computed: a push to a 16-bit stack keeps its upper half, even if SP wraps around.
        let frame = state.registers.general[ESP];
        if level > 0 {
            for depth in 1..level {
                let outer = before[EBP].wrapping_sub(depth * step) & mask;
                let value = state.load_at::<N>(STACK, outer)?;
                state.push::<N, WIDE>(value)?;
            }
            state.push::<N, WIDE>(frame)?;
        }
        state.registers.put::<N>(EBP as u8, frame);
        let top = state.stack_offset::<WIDE>(size.wrapping_neg());
        // The new top of the stack must be writable, although nothing is written to it.
        state.probe_store(STACK, top, step)?;
        state.set_stack_offset::<WIDE>(top);
        Ok(())
    })();
    if result.is_err() {
        state.registers.general = before;
        return result;
    }
    state.settle()
}
