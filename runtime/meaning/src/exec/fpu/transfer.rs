//! Loads, stores and exchanges.

use super::convert::{
    DOUBLE, Format, SINGLE, from_decimal, from_integer, narrow, quieted, to_decimal, to_integer, widen,
};
use super::rounding::Context;
use super::{Flow, Leave, MicroOp, State, context, finish, push, stack_underflow};
use p5_words::fpu::{C1, DENORMAL, Extended, Fpu, INVALID, STACK_FAULT};

/// The offset of the word of 16 bits in an 80-bit operand, after its first 8 bytes.
const SECOND_PART: u32 = 8;

impl State {
    /// Loads a signed integer of 16, 32 or 64 bits.
    #[inline(always)]
    pub(super) fn load_integer<const N: u32>(&mut self, op: &MicroOp, offset: u32) -> Result<i64, Leave> {
        match N {
            16 => Ok(i64::from(self.load_at::<16>(op.segment(), offset)? as i16)),
            32 => Ok(i64::from(self.load_at::<32>(op.segment(), offset)? as i32)),
            _ => Ok(self.load_quad(op.segment(), offset)? as i64),
        }
    }

    /// Loads 10 bytes as 8 and 2.
    pub(super) fn load_ten(&mut self, op: &MicroOp, offset: u32) -> Result<(u64, u16), Leave> {
        let low = self.load_quad(op.segment(), offset)?;
        let second = offset.wrapping_add(SECOND_PART) & op.offset_mask;
        let high = self.load_at::<16>(op.segment(), second)?;
        Ok((low, high as u16))
    }

    /// Stores 10 bytes as 8 and 2. If the second part faults, the first one is stored, as on silicon.
    pub(super) fn store_ten(&mut self, op: &MicroOp, offset: u32, low: u64, high: u16) -> Result<(), Leave> {
        let second = offset.wrapping_add(SECOND_PART) & op.offset_mask;
        self.store_quad(op.segment(), offset, low)?;
        self.store_at::<16>(op.segment(), second, u32::from(high))
    }

    /// Pushes the facts of a store that an exception prevents; `sizes` are its parts in bytes. Memory is not accessed,
    /// so there is no fault.
    #[cold]
    fn prevented(&mut self, op: &MicroOp, offset: u32, sizes: &[u32]) {
        let base = self.registers.segments[usize::from(op.segment())].base();
        let mut offset = offset;
        for &size in sizes {
            self.facts.push(base.wrapping_add(offset));
            offset = offset.wrapping_add(size) & op.offset_mask;
        }
    }
}

/// Pushes a value from memory; `denormal` says whether it was one there.
#[inline(always)]
fn load(fpu: &mut Fpu, value: Extended, denormal: bool) -> Flow {
    let mut context = context(fpu);
    if fpu.is_empty(7) {
        let value = quieted(&mut context, value);
        if !context.stops() {
            fpu.push(value);
        }
        // A denormal is loaded whether its exception is masked or not.
        if denormal {
            context.raise(DENORMAL);
        }
        return finish(fpu, context);
    }
    push(fpu, value);
    Ok(())
}

/// FLD from 32 bits.
pub(super) fn load_single(op: &MicroOp, state: &mut State) -> Flow {
    let bits = state.operand(op, |state, offset| state.load_at::<32>(op.segment(), offset))?;
    let (value, denormal) = widen(&SINGLE, u64::from(bits));
    load(&mut state.registers.fpu, value, denormal)
}

/// FLD from 64 bits.
pub(super) fn load_double(op: &MicroOp, state: &mut State) -> Flow {
    let bits = state.operand(op, |state, offset| state.load_quad(op.segment(), offset))?;
    let (value, denormal) = widen(&DOUBLE, bits);
    load(&mut state.registers.fpu, value, denormal)
}

/// Pushes a value unchanged.
#[inline(always)]
fn load_exactly(fpu: &mut Fpu, value: Extended) -> Flow {
    fpu.report(C1, 0);
    push(fpu, value);
    Ok(())
}

/// FLD from 80 bits, which loads every bit pattern unchanged.
pub(super) fn load_extended(op: &MicroOp, state: &mut State) -> Flow {
    let (significand, sign_exponent) = state.operand(op, |state, offset| state.load_ten(op, offset))?;
    load_exactly(&mut state.registers.fpu, Extended::new(sign_exponent, significand))
}

pub(super) fn load_integer<const N: u32>(op: &MicroOp, state: &mut State) -> Flow {
    let value = state.operand(op, |state, offset| state.load_integer::<N>(op, offset))?;
    load_exactly(&mut state.registers.fpu, from_integer(value))
}

/// FBLD, which loads packed decimal.
pub(super) fn load_decimal(op: &MicroOp, state: &mut State) -> Flow {
    let (low, high) = state.operand(op, |state, offset| state.load_ten(op, offset))?;
    load_exactly(&mut state.registers.fpu, from_decimal(low, high))
}

/// FLD of a register.
pub(super) fn load_register(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    let value = fpu.st(op.dest);
    if fpu.is_empty(op.dest) {
        if stack_underflow(fpu) {
            fpu.push(Extended::INDEFINITE);
        }
        return Ok(());
    }
    load_exactly(fpu, value)
}

/// The constants in the order of their opcodes: 1, log2(10), log2(e), pi, log10(2), ln(2), 0. Each has a truncated
/// significand, whether rounding to nearest adds one to it, and whether it was truncated at all.
const CONSTANTS: [(u16, u64, bool, bool); 7] = [
    (0x3FFF, 0x8000_0000_0000_0000, false, false),
    (0x4000, 0xD49A_784B_CD1B_8AFE, false, true),
    (0x3FFF, 0xB8AA_3B29_5C17_F0BB, true, true),
    (0x4000, 0xC90F_DAA2_2168_C234, true, true),
    (0x3FFD, 0x9A20_9A84_FBCF_F798, true, true),
    (0x3FFE, 0xB172_17F7_D1CF_79AB, true, true),
    (0x0000, 0x0000_0000_0000_0000, false, false),
];

/// FLD1 and its like; the number of the constant is in the lowest bits of the opcode. The control word selects the
/// rounding, and no precision exception is raised.
pub(super) fn load_constant(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    let (exponent, cut, nearest_is_up, inexact) = CONSTANTS[(op.immediate & 7).min(6) as usize];
    let up = match context(fpu).rounding() {
        super::rounding::NEAREST => nearest_is_up,
        super::rounding::UP => inexact,
        _ => false,
    };
    load_exactly(fpu, Extended::new(exponent, cut + u64::from(up)))
}

/// FST of a register.
pub(super) fn store_register<const POP: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    fpu.report(C1, 0);
    let value = if !fpu.is_empty(0) {
        fpu.st(0)
    } else if stack_underflow(fpu) {
        Extended::INDEFINITE
    } else {
        return Ok(());
    };
    fpu.set(op.dest, value);
    if POP {
        fpu.pop();
    }
    Ok(())
}

/// The alias of FSTP that does not check whether ST(0) is empty; if it is, it only pops.
pub(super) fn store_register_unchecked(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    fpu.report(C1, 0);
    if !fpu.is_empty(0) {
        fpu.set(op.dest, fpu.st(0));
    }
    fpu.pop();
    Ok(())
}

/// The value to store: ST(0), or the indefinite if ST(0) is empty.
#[inline(always)]
fn stored(fpu: &Fpu, context: &mut Context) -> Extended {
    if fpu.is_empty(0) {
        context.raise(INVALID | STACK_FAULT);
        return Extended::INDEFINITE;
    }
    fpu.st(0)
}

/// Ends a store, whose exceptions take effect after memory has accepted it.
#[inline(always)]
fn conclude<const POP: bool>(op: &MicroOp, state: &mut State, offset: u32, context: Context) -> Flow {
    state.note_operand(op, offset);
    let fpu = &mut state.registers.fpu;
    if POP && !context.stops_store() {
        fpu.pop();
    }
    fpu.report(C1, context.raised);
    state.settle()
}

#[inline(always)]
fn narrowed(fpu: &Fpu, context: &mut Context, format: &Format) -> u64 {
    let value = stored(fpu, context);
    narrow(context, format, value)
}

/// FST to 32 bits.
pub(super) fn store_single<const POP: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    let offset = state.offset(op);
    let mut context = context(&state.registers.fpu);
    let bits = narrowed(&state.registers.fpu, &mut context, &SINGLE);
    if context.stops_store() {
        state.prevented(op, offset, &[4]);
    } else {
        state.store_at::<32>(op.segment(), offset, bits as u32)?;
    }
    conclude::<POP>(op, state, offset, context)
}

/// FST to 64 bits.
pub(super) fn store_double<const POP: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    let offset = state.offset(op);
    let mut context = context(&state.registers.fpu);
    let bits = narrowed(&state.registers.fpu, &mut context, &DOUBLE);
    if context.stops_store() {
        state.prevented(op, offset, &[8]);
    } else {
        state.store_quad(op.segment(), offset, bits)?;
    }
    conclude::<POP>(op, state, offset, context)
}

/// FSTP to 80 bits, which stores every bit pattern unchanged.
pub(super) fn store_extended(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    let offset = state.offset(op);
    let mut context = context(&state.registers.fpu);
    let value = stored(&state.registers.fpu, &mut context);
    if context.stops_store() {
        state.prevented(op, offset, &[8, 2]);
    } else {
        state.store_ten(op, offset, value.significand, value.sign_exponent)?;
    }
    conclude::<true>(op, state, offset, context)
}

pub(super) fn store_integer<const N: u32, const POP: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    let offset = state.offset(op);
    let mut context = context(&state.registers.fpu);
    let value = stored(&state.registers.fpu, &mut context);
    let integer = to_integer(&mut context, value, N);
    let segment = op.segment();
    if context.stops_store() {
        state.prevented(op, offset, &[N / 8]);
    } else {
        match N {
            16 => state.store_at::<16>(segment, offset, integer as u32)?,
            32 => state.store_at::<32>(segment, offset, integer as u32)?,
            _ => state.store_quad(segment, offset, integer as u64)?,
        }
    }
    conclude::<POP>(op, state, offset, context)
}

/// FBSTP.
pub(super) fn store_decimal(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    let offset = state.offset(op);
    let mut context = context(&state.registers.fpu);
    let value = stored(&state.registers.fpu, &mut context);
    let (low, high) = to_decimal(&mut context, value);
    if context.stops_store() {
        state.prevented(op, offset, &[8, 2]);
    } else {
        state.store_ten(op, offset, low, high)?;
    }
    conclude::<true>(op, state, offset, context)
}

/// FXCH, which exchanges an empty register as the indefinite.
pub(super) fn exchange(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    let number = op.source;
    fpu.report(C1, 0);
    if fpu.is_empty(0) || fpu.is_empty(number) {
        if !stack_underflow(fpu) {
            return Ok(());
        }
        for number in [0, number] {
            if fpu.is_empty(number) {
                fpu.set(number, Extended::INDEFINITE);
            }
        }
    }
    let (top, other) = (fpu.st(0), fpu.st(number));
    fpu.set(0, other);
    fpu.set(number, top);
    Ok(())
}

/// FCMOVcc. Both registers must hold values whether the condition holds or not.
pub(super) fn move_if<const CONDITION: u8>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let holds = state.registers.flags.condition(CONDITION);
    let fpu = &mut state.registers.fpu;
    fpu.report(C1, 0);
    if fpu.is_empty(0) || fpu.is_empty(op.source) {
        if stack_underflow(fpu) {
            fpu.set(0, Extended::INDEFINITE);
        }
    } else if holds {
        fpu.set(0, fpu.st(op.source));
    }
    Ok(())
}

/// FFREE, and FFREEP, which pops.
pub(super) fn free<const POP: bool>(op: &MicroOp, state: &mut State) -> Flow {
    state.enter()?;
    state.note_instruction(op);
    let fpu = &mut state.registers.fpu;
    fpu.report(C1, 0);
    fpu.free(op.dest);
    if POP {
        fpu.pop();
    }
    Ok(())
}
