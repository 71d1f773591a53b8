//! Shifts and rotates.
//!
//! Counts are taken modulo 32. Undefined flags have the values of a count of one: OF follows from the top two bits of
//! the result, and AF is clear.

use super::{Flow, Handler, MEMORY, MicroOp, State};
use iced_x86::Mnemonic;
use p5_words::registers::Flags;

const ROL: u8 = 0;
const ROR: u8 = 1;
const RCL: u8 = 2;
const RCR: u8 = 3;
const SHL: u8 = 4;
const SHR: u8 = 5;
const SAR: u8 = 7;

const CL: u8 = 1;
/// The count is in CL.
const BY_CL: u8 = 0;
/// The count is the immediate, which is 1 or pushes no fact.
const BY_IMMEDIATE: u8 = 1;
/// The count is the immediate of a C0/C1 opcode, a fact of RCL and RCR.
const BY_COUNT: u8 = 2;

#[inline(always)]
fn top<const N: u32>(value: u32) -> bool {
    (value >> (N - 1)) & 1 != 0
}

#[inline(always)]
fn second<const N: u32>(value: u32) -> bool {
    (value >> (N - 2)) & 1 != 0
}

/// Sets SF, ZF and PF for a result, and CF and OF as given.
#[inline(always)]
fn set_result<const N: u32>(flags: &mut Flags, result: u32, carry: bool, overflow: bool) {
    flags.set_logic::<N>(result);
    flags.set_carry_overflow(carry, overflow);
}

/// `value` (zero-extended) shifted or rotated by `count`, 1 to 31.
#[inline(always)]
fn compute<const OP: u8, const N: u32>(flags: &mut Flags, value: u32, count: u32) -> u32 {
    let wide = u64::from(value);
    match OP {
        SHL => {
            let shifted = wide << count;
            let result = shifted as u32;
            let carry = (shifted >> N) & 1 != 0;
            set_result::<N>(flags, result, carry, carry ^ top::<N>(result));
            result
        }
        SHR => {
            let result = value >> count;
            let carry = (value >> (count - 1)) & 1 != 0;
            set_result::<N>(flags, result, carry, top::<N>(result) ^ second::<N>(result));
            result
        }
        SAR => {
            let signed = p5_words::registers::sign_extend::<N>(value) as i32;
            let result = (signed >> count) as u32;
            set_result::<N>(flags, result, (signed >> (count - 1)) & 1 != 0, false);
            result
        }
        ROL => {
            let count = count & (N - 1);
            let result = ((wide << count) | (wide >> (N - count))) as u32;
            let carry = result & 1 != 0;
            flags.set_carry_overflow(carry, carry ^ top::<N>(result));
            result
        }
        ROR => {
            let count = count & (N - 1);
            let result = ((wide >> count) | (wide << (N - count))) as u32;
            flags.set_carry_overflow(top::<N>(result), top::<N>(result) ^ second::<N>(result));
            result
        }
        _ => {
            // The carry is one more bit of the rotated value.
            let count = if N == 32 { count } else { count % (N + 1) };
            let ring = wide | (u64::from(flags.carry()) << N);
            let left = if OP == RCL { count } else { N + 1 - count };
            // Two parts of N + 1 bits: `ring << left` may need 64 bits, so the part that wraps around is extracted
            // first.
            let wrapped = if left == 0 { 0 } else { ring >> (N + 1 - left) };
            let result = (ring.wrapping_shl(left)) | wrapped;
            let carry = (result >> N) & 1 != 0;
            let result = result as u32;
            let overflow = if OP == RCL {
                carry ^ top::<N>(result)
            } else {
                top::<N>(result) ^ second::<N>(result)
            };
            flags.set_carry_overflow(carry, overflow);
            result
        }
    }
}

#[inline(always)]
fn count_of<const COUNT: u8>(op: &MicroOp, state: &State) -> u32 {
    let count = if COUNT == BY_CL {
        state.registers.get::<8>(CL)
    } else {
        op.immediate
    };
    count & 31
}

fn shift_register<const OP: u8, const N: u32, const COUNT: u8>(op: &MicroOp, state: &mut State) -> Flow {
    let count = count_of::<COUNT>(op, state);
    if count != 0 {
        let value = state.registers.get::<N>(op.dest);
        let result = compute::<OP, N>(&mut state.registers.flags, value, count);
        state.registers.put::<N>(op.dest, result);
    }
    if (OP == RCL || OP == RCR) && COUNT != BY_IMMEDIATE {
        state.facts.push(count);
    }
    Ok(())
}

fn shift_memory<const OP: u8, const N: u32, const COUNT: u8>(op: &MicroOp, state: &mut State) -> Flow {
    let count = count_of::<COUNT>(op, state);
    let value = state.modify_dest::<N>(op)?;
    let mut flags = state.registers.flags;
    let result = if count == 0 {
        value
    } else {
        compute::<OP, N>(&mut flags, value, count)
    };
    state.write_dest::<N>(op, result)?;
    state.registers.flags = flags;
    if (OP == RCL || OP == RCR) && COUNT != BY_IMMEDIATE {
        state.facts.push(count);
    }
    state.settle()
}

/// SHLD and SHRD: `source` shifted into `dest`.
fn double<const LEFT: bool, const N: u32, const COUNT: u8>(op: &MicroOp, state: &mut State) -> Flow {
    let count = count_of::<COUNT>(op, state);
    let value = state.modify_dest::<N>(op)?;
    let filler = u64::from(state.registers.get::<N>(op.source));
    let mut flags = state.registers.flags;
    let mut result = value;
    if count != 0 {
        let wide = u64::from(value);
        let carry;
        // With 16 bits and a count above 16, the operand itself follows the filler, as in a 48-bit register.
        if LEFT {
            let ring = if N == 32 {
                (wide << 32) | filler
            } else {
                (wide << 32) | (filler << 16) | wide
            };
            result = ((ring << count) >> 32) as u32;
            carry = (ring >> (if N == 32 { 64 - count } else { 48 - count })) & 1 != 0;
        } else {
            let ring = if N == 32 {
                (filler << 32) | wide
            } else {
                (wide << 32) | (filler << 16) | wide
            };
            result = (ring >> count) as u32;
            carry = (ring >> (count - 1)) & 1 != 0;
        }
        let overflow = top::<N>(result) ^ top::<N>(value);
        set_result::<N>(&mut flags, result, carry, overflow);
    }
    state.write_dest::<N>(op, result)?;
    state.registers.flags = flags;
    state.settle()
}

/// The source of a shift count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Count {
    Cl,
    One,
    Immediate,
}

/// The handler of a shift or rotate.
pub(super) fn select(mnemonic: Mnemonic, bits: u32, dest: u8, count: Count) -> Option<Handler> {
    macro_rules! counted {
        ($op:ident, $n:literal) => {
            match (count, dest & MEMORY != 0) {
                (Count::Cl, false) => shift_register::<$op, $n, BY_CL>,
                (Count::One, false) => shift_register::<$op, $n, BY_IMMEDIATE>,
                (Count::Immediate, false) => shift_register::<$op, $n, BY_COUNT>,
                (Count::Cl, true) => shift_memory::<$op, $n, BY_CL>,
                (Count::One, true) => shift_memory::<$op, $n, BY_IMMEDIATE>,
                (Count::Immediate, true) => shift_memory::<$op, $n, BY_COUNT>,
            }
        };
    }
    macro_rules! sized {
        ($op:ident) => {
            match bits {
                8 => counted!($op, 8),
                16 => counted!($op, 16),
                _ => counted!($op, 32),
            }
        };
    }
    macro_rules! doubled {
        ($left:literal) => {
            match (bits, count) {
                (16, Count::Cl) => double::<$left, 16, BY_CL>,
                (16, _) => double::<$left, 16, BY_IMMEDIATE>,
                (_, Count::Cl) => double::<$left, 32, BY_CL>,
                (_, _) => double::<$left, 32, BY_IMMEDIATE>,
            }
        };
    }
    Some(match mnemonic {
        Mnemonic::Rol => sized!(ROL),
        Mnemonic::Ror => sized!(ROR),
        Mnemonic::Rcl => sized!(RCL),
        Mnemonic::Rcr => sized!(RCR),
        Mnemonic::Shl | Mnemonic::Sal => sized!(SHL),
        Mnemonic::Shr => sized!(SHR),
        Mnemonic::Sar => sized!(SAR),
        Mnemonic::Shld => doubled!(true),
        Mnemonic::Shrd => doubled!(false),
        _ => return None,
    })
}
