//! Near branches: Jcc, JMP, CALL, RET, LOOP and JCXZ.

use super::access::STACK;
use super::{Flow, MicroOp, State};

const ECX: u8 = 1;

/// Jcc; the target was computed when the operation was compiled.
pub(super) fn conditional<const CONDITION: u8>(op: &MicroOp, state: &mut State) -> Flow {
    if state.registers.flags.condition(CONDITION) {
        return state.jump(op.immediate);
    }
    state.fall_through(op)
}

/// The handler of Jcc by condition number.
pub(super) fn select_conditional(condition: u8) -> super::Handler {
    const HANDLERS: [super::Handler; 16] = [
        conditional::<0>,
        conditional::<1>,
        conditional::<2>,
        conditional::<3>,
        conditional::<4>,
        conditional::<5>,
        conditional::<6>,
        conditional::<7>,
        conditional::<8>,
        conditional::<9>,
        conditional::<10>,
        conditional::<11>,
        conditional::<12>,
        conditional::<13>,
        conditional::<14>,
        conditional::<15>,
    ];
    HANDLERS[usize::from(condition & 15)]
}

pub(super) fn jmp(op: &MicroOp, state: &mut State) -> Flow {
    state.jump(op.immediate)
}

pub(super) fn jmp_indirect<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let target = state.read_dest::<N>(op)?;
    state.jump(target)
}

pub(super) fn call<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    state.push::<N>(op.after())?;
    state.jump(op.immediate)
}

pub(super) fn call_indirect<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let target = state.read_dest::<N>(op)?;
    state.push::<N>(op.after())?;
    state.jump(target)
}

/// RET; the immediate is the number of further bytes to drop.
pub(super) fn ret<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let target = state.peek::<N>(0)?;
    state.drop_stack((N / 8).wrapping_add(op.immediate));
    state.jump(target)
}

pub(super) const LOOP: u8 = 0;
pub(super) const LOOP_WHILE_EQUAL: u8 = 1;
pub(super) const LOOP_WHILE_NOT_EQUAL: u8 = 2;
pub(super) const JUMP_IF_COUNT_ZERO: u8 = 3;

/// LOOP, LOOPE, LOOPNE and JCXZ, counting in CX or ECX by address size `N`.
pub(super) fn counted<const OP: u8, const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let mut count = state.registers.get::<N>(ECX);
    if OP != JUMP_IF_COUNT_ZERO {
        count = count.wrapping_sub(1) & op.offset_mask;
        state.registers.put::<N>(ECX, count);
    }
    let zero = state.registers.flags.zero();
    let taken = match OP {
        LOOP => count != 0,
        LOOP_WHILE_EQUAL => count != 0 && zero,
        LOOP_WHILE_NOT_EQUAL => count != 0 && !zero,
        _ => count == 0,
    };
    if taken {
        return state.jump(op.immediate);
    }
    state.fall_through(op)
}

/// ENTER; `immediate` holds the size of the frame and, from bit 16, the nesting level 0 to 31.
pub(super) fn enter<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    use super::access::{EBP, ESP};
    let size = op.immediate & 0xFFFF;
    let level = (op.immediate >> 16) & 31;
    let step = N / 8;
    let before = state.registers.general;
    let result = (|| {
        let frame_value = state.registers.get::<N>(EBP as u8);
        state.push::<N>(frame_value)?;
        let frame = state.registers.general[ESP];
        if level > 0 {
            for depth in 1..level {
                let outer = before[EBP].wrapping_sub(depth * step);
                let value = state.load_at::<N>(STACK, outer)?;
                state.push::<N>(value)?;
            }
            state.push::<N>(frame)?;
        }
        state.registers.put::<N>(EBP as u8, frame);
        let top = state.registers.general[ESP].wrapping_sub(size);
        // The new top of the stack must be writable, although nothing is written to it.
        state.probe_store(STACK, top, step)?;
        state.registers.general[ESP] = top;
        Ok(())
    })();
    if result.is_err() {
        state.registers.general = before;
        return result;
    }
    state.settle()
}
