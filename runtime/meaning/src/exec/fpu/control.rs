//! Control and status words, the stack pointer, and WAIT.

use super::{Flow, MicroOp, State};
use crate::exec::MEMORY;
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::fpu::{C1, EXCEPTIONS, STACK_FAULT};
use p5_words::registers::{CR0_MP, CR0_TS};

/// WAIT: raises a pending exception.
pub(in crate::exec) fn wait(_: &MicroOp, state: &mut State) -> Flow {
    if state.registers.cr0 & (CR0_MP | CR0_TS) == CR0_MP | CR0_TS {
        let fault = Fault::new(Vector::DeviceNotAvailable, None, FaultCause::WaitAfterTaskSwitch);
        return Err(state.raise(fault));
    }
    if state.registers.fpu.is_pending() {
        return Err(state.pending());
    }
    Ok(())
}

/// FNOP.
pub(super) fn no_operation(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    Ok(())
}

/// FNENI, FNDISI and FNSETPM, which only earlier coprocessors executed.
pub(super) fn ignored(_: &MicroOp, state: &mut State) -> Flow {
    state.enter_without_wait()
}

/// FNINIT.
pub(super) fn initialize(_: &MicroOp, state: &mut State) -> Flow {
    state.enter_without_wait()?;
    state.registers.fpu.initialize();
    Ok(())
}

/// FNCLEX.
pub(super) fn clear_exceptions(_: &MicroOp, state: &mut State) -> Flow {
    state.enter_without_wait()?;
    let fpu = &mut state.registers.fpu;
    fpu.set_status(fpu.status() & !(EXCEPTIONS | STACK_FAULT));
    Ok(())
}

/// FLDCW.
pub(super) fn load_control(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    let word = state.load::<16>(op)?;
    state.registers.fpu.set_control(word as u16);
    Ok(())
}

/// FNSTCW.
pub(super) fn store_control(op: &MicroOp, state: &mut State) -> Flow {
    state.enter_without_wait()?;
    let word = u32::from(state.registers.fpu.control());
    state.store::<16>(op, word)?;
    state.settle()
}

/// FNSTSW to memory or AX.
pub(super) fn store_status(op: &MicroOp, state: &mut State) -> Flow {
    state.enter_without_wait()?;
    let word = u32::from(state.registers.fpu.status());
    if op.dest & MEMORY == 0 {
        state.registers.put::<16>(0, word);
        return Ok(());
    }
    state.store::<16>(op, word)?;
    state.settle()
}

/// FINCSTP with a step of 1, FDECSTP with -1.
pub(super) fn rotate<const STEP: i8>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    fpu.report(C1, 0);
    fpu.rotate(STEP);
    Ok(())
}
