//! MMX instructions: packed integers in the eight registers that they share with the floating-point unit.
//!
//! Every instruction but EMMS makes all registers of the unit valid and the first one its top; one that writes a
//! register sets its sign and exponent to ones. The operation itself is a function of two 64-bit values.
//!
//! Source: Intel, Intel Architecture Software Developer's Manual 1997 (243191), volume 2, and volume 1, chapter 8.

use super::fpu::available;
use super::{Flow, Handler, Leave, MEMORY, MicroOp, State};
use iced_x86::{Code, Instruction, Mnemonic};
use p5_words::fault::{Fault, FaultCause, Vector};
use p5_words::registers::CR0_EM;

/// The result of an instruction, from its first and second operand.
type Operation = fn(u64, u64) -> u64;

/// The result of an instruction that saturates, and whether any part of it did.
type Saturating = fn(u64, u64) -> (u64, bool);

/// The handler of an MMX instruction.
pub(super) fn handler(instruction: &Instruction, op: &mut MicroOp) -> Option<Handler> {
    let transfer: Option<Handler> = match instruction.code() {
        Code::Emms => Some(empty),
        Code::Movd_mm_rm32 => Some(load_low),
        Code::Movd_rm32_mm => Some(store_low),
        Code::Movq_mm_mmm64 => Some(load),
        Code::Movq_mmm64_mm => Some(store),
        _ => None,
    };
    if transfer.is_some() {
        return transfer;
    }
    if instruction.op_count() == 2 && instruction.op1_kind() == iced_x86::OpKind::Immediate8 {
        return shift_by_immediate(instruction.mnemonic());
    }
    // A memory operand of 32 bits is interleaved with the low half.
    if matches!(
        instruction.mnemonic(),
        Mnemonic::Punpcklbw | Mnemonic::Punpcklwd | Mnemonic::Punpckldq
    ) {
        op.immediate = 4;
    }
    packed(instruction.mnemonic()).or_else(|| saturating(instruction.mnemonic()))
}

/// A match from mnemonics to handlers with these operations.
macro_rules! handlers {
    ($mnemonic:expr, $common:ident: $type:ty, $($name:ident => $operation:expr),+ $(,)?) => {
        match $mnemonic {
            $(Mnemonic::$name => {
                fn run(op: &MicroOp, state: &mut State) -> Flow {
                    const OPERATION: $type = $operation;
                    $common(op, state, OPERATION)
                }
                Some(run as Handler)
            })+
            _ => None,
        }
    };
}

fn packed(mnemonic: Mnemonic) -> Option<Handler> {
    handlers!(mnemonic, combine: Operation,
        Paddb => |a, b| bytes(a, b, u8::wrapping_add),
        Paddw => |a, b| words(a, b, u16::wrapping_add),
        Paddd => |a, b| doublewords(a, b, u32::wrapping_add),
        Psubb => |a, b| bytes(a, b, u8::wrapping_sub),
        Psubw => |a, b| words(a, b, u16::wrapping_sub),
        Psubd => |a, b| doublewords(a, b, u32::wrapping_sub),
        Pcmpeqb => |a, b| bytes(a, b, |a, b| ones(a == b) as u8),
        Pcmpeqw => |a, b| words(a, b, |a, b| ones(a == b) as u16),
        Pcmpeqd => |a, b| doublewords(a, b, |a, b| ones(a == b)),
        Pcmpgtb => |a, b| bytes(a, b, |a, b| ones(a as i8 > b as i8) as u8),
        Pcmpgtw => |a, b| words(a, b, |a, b| ones(a as i16 > b as i16) as u16),
        Pcmpgtd => |a, b| doublewords(a, b, |a, b| ones(a as i32 > b as i32)),
        Pmullw => |a, b| words(a, b, u16::wrapping_mul),
        Pmulhw => |a, b| words(a, b, |a, b| (product(a, b) >> 16) as u16),
        Pmaddwd => multiply_and_add,
        Pand => |a, b| a & b,
        Pandn => |a, b| !a & b,
        Por => |a, b| a | b,
        Pxor => |a, b| a ^ b,
        Punpcklbw => |a, b| interleave::<8>(a, b),
        Punpcklwd => |a, b| interleave::<16>(a, b),
        Punpckldq => |a, b| interleave::<32>(a, b),
        Punpckhbw => |a, b| interleave::<8>(a >> 32, b >> 32),
        Punpckhwd => |a, b| interleave::<16>(a >> 32, b >> 32),
        Punpckhdq => |a, b| interleave::<32>(a >> 32, b >> 32),
        Psllw => shift_left_words,
        Pslld => shift_left_doublewords,
        Psllq => |value, count| shifted(value, count, u64::checked_shl),
        Psrlw => shift_right_words,
        Psrld => shift_right_doublewords,
        Psrlq => |value, count| shifted(value, count, u64::checked_shr),
        Psraw => shift_signed_words,
        Psrad => shift_signed_doublewords,
    )
}

fn saturating(mnemonic: Mnemonic) -> Option<Handler> {
    handlers!(mnemonic, combine_saturating: Saturating,
        Paddsb => |a, b| limited(
            bytes(a, b, |a, b| (a as i8).saturating_add(b as i8) as u8), bytes(a, b, u8::wrapping_add)),
        Paddsw => |a, b| limited(
            words(a, b, |a, b| (a as i16).saturating_add(b as i16) as u16), words(a, b, u16::wrapping_add)),
        Paddusb => |a, b| limited(bytes(a, b, u8::saturating_add), bytes(a, b, u8::wrapping_add)),
        Paddusw => |a, b| limited(words(a, b, u16::saturating_add), words(a, b, u16::wrapping_add)),
        Psubsb => |a, b| limited(
            bytes(a, b, |a, b| (a as i8).saturating_sub(b as i8) as u8), bytes(a, b, u8::wrapping_sub)),
        Psubsw => |a, b| limited(
            words(a, b, |a, b| (a as i16).saturating_sub(b as i16) as u16), words(a, b, u16::wrapping_sub)),
        Psubusb => |a, b| limited(bytes(a, b, u8::saturating_sub), bytes(a, b, u8::wrapping_sub)),
        Psubusw => |a, b| limited(words(a, b, u16::saturating_sub), words(a, b, u16::wrapping_sub)),
        Packsswb => |a, b| pack_words::<-0x80, 0x7F>(a, b),
        Packuswb => |a, b| pack_words::<0, 0xFF>(a, b),
        Packssdw => pack_doublewords,
    )
}

fn shift_by_immediate(mnemonic: Mnemonic) -> Option<Handler> {
    handlers!(mnemonic, by_immediate: Operation,
        Psllw => shift_left_words,
        Pslld => shift_left_doublewords,
        Psllq => |value, count| shifted(value, count, u64::checked_shl),
        Psrlw => shift_right_words,
        Psrld => shift_right_doublewords,
        Psrlq => |value, count| shifted(value, count, u64::checked_shr),
        Psraw => shift_signed_words,
        Psrad => shift_signed_doublewords,
    )
}

impl State {
    /// Begins an instruction: a pending exception of the floating-point unit is raised.
    #[inline(always)]
    fn enter_mmx(&mut self) -> Flow {
        if self.registers.cr0 & CR0_EM != 0 {
            let cause = FaultCause::MmxEmulated;
            return Err(self.raise(Fault::new(Vector::InvalidOpcode, None, cause)));
        }
        available(self)
    }

    /// The second operand: a register, or 8 bytes of memory, or 4 bytes if `immediate` says so.
    #[inline(always)]
    fn mmx_operand(&mut self, op: &MicroOp) -> Result<u64, Leave> {
        if op.source != MEMORY {
            return Ok(self.registers.fpu.packed(op.source));
        }
        let offset = self.offset(op);
        match op.immediate {
            4 => Ok(u64::from(self.load_at::<32>(op.segment(), offset)?)),
            _ => self.load_quad(op.segment(), offset),
        }
    }
}

/// Executes an instruction whose result replaces its first operand.
#[inline(always)]
fn combine(op: &MicroOp, state: &mut State, operation: Operation) -> Flow {
    state.enter_mmx()?;
    let second = state.mmx_operand(op)?;
    let fpu = &mut state.registers.fpu;
    fpu.set_packed(op.dest, operation(fpu.packed(op.dest), second));
    Ok(())
}

/// Executes an instruction that saturates and whose result replaces its first operand.
#[inline(always)]
fn combine_saturating(op: &MicroOp, state: &mut State, operation: Saturating) -> Flow {
    state.enter_mmx()?;
    let second = state.mmx_operand(op)?;
    let fpu = &mut state.registers.fpu;
    let (result, saturated) = operation(fpu.packed(op.dest), second);
    fpu.set_packed(op.dest, result);
    state.facts.push(u32::from(saturated));
    Ok(())
}

#[inline(always)]
fn by_immediate(op: &MicroOp, state: &mut State, operation: Operation) -> Flow {
    state.enter_mmx()?;
    let fpu = &mut state.registers.fpu;
    fpu.set_packed(op.dest, operation(fpu.packed(op.dest), u64::from(op.immediate as u8)));
    Ok(())
}

/// EMMS.
fn empty(_: &MicroOp, state: &mut State) -> Flow {
    state.enter_mmx()?;
    state.registers.fpu.empty_all();
    Ok(())
}

/// MOVD from a general register or memory; the high half becomes 0.
fn load_low(op: &MicroOp, state: &mut State) -> Flow {
    state.enter_mmx()?;
    let value = if op.source == MEMORY {
        let offset = state.offset(op);
        state.load_at::<32>(op.segment(), offset)?
    } else {
        state.registers.get::<32>(op.source)
    };
    state.registers.fpu.set_packed(op.dest, u64::from(value));
    Ok(())
}

/// MOVD to a general register or memory.
fn store_low(op: &MicroOp, state: &mut State) -> Flow {
    state.enter_mmx()?;
    let value = state.registers.fpu.packed(op.source) as u32;
    if op.dest == MEMORY {
        let offset = state.offset(op);
        state.registers.fpu.top_first();
        state.store_at::<32>(op.segment(), offset, value)?;
    } else {
        state.registers.put::<32>(op.dest, value);
    }
    state.registers.fpu.begin_packed();
    Ok(())
}

/// MOVQ to a register.
fn load(op: &MicroOp, state: &mut State) -> Flow {
    state.enter_mmx()?;
    let value = state.mmx_operand(op)?;
    state.registers.fpu.set_packed(op.dest, value);
    Ok(())
}

/// MOVQ from a register to memory or a register.
fn store(op: &MicroOp, state: &mut State) -> Flow {
    state.enter_mmx()?;
    let value = state.registers.fpu.packed(op.source);
    if op.dest != MEMORY {
        state.registers.fpu.set_packed(op.dest, value);
        return Ok(());
    }
    let offset = state.offset(op);
    state.registers.fpu.top_first();
    state.store_quad(op.segment(), offset, value)?;
    state.registers.fpu.begin_packed();
    Ok(())
}

/// All ones if `condition` holds, else 0.
fn ones(condition: bool) -> u32 {
    0u32.wrapping_sub(u32::from(condition))
}

#[inline(always)]
fn bytes(a: u64, b: u64, operation: impl Fn(u8, u8) -> u8) -> u64 {
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    u64::from_le_bytes(std::array::from_fn(|lane| operation(a[lane], b[lane])))
}

/// The words of a value, the lowest first.
#[inline(always)]
fn words_of(value: u64) -> [u16; 4] {
    std::array::from_fn(|lane| (value >> (16 * lane)) as u16)
}

#[inline(always)]
fn from_words(words: [u16; 4]) -> u64 {
    words.iter().rev().fold(0, |value, &word| value << 16 | u64::from(word))
}

#[inline(always)]
fn words(a: u64, b: u64, operation: impl Fn(u16, u16) -> u16) -> u64 {
    let (a, b) = (words_of(a), words_of(b));
    from_words(std::array::from_fn(|lane| operation(a[lane], b[lane])))
}

#[inline(always)]
fn doublewords(a: u64, b: u64, operation: impl Fn(u32, u32) -> u32) -> u64 {
    let high = operation((a >> 32) as u32, (b >> 32) as u32);
    u64::from(high) << 32 | u64::from(operation(a as u32, b as u32))
}

fn product(a: u16, b: u16) -> i32 {
    i32::from(a as i16) * i32::from(b as i16)
}

fn multiply_and_add(a: u64, b: u64) -> u64 {
    let (a, b) = (words_of(a), words_of(b));
    let sum = |low: usize| product(a[low], b[low]).wrapping_add(product(a[low + 1], b[low + 1])) as u32;
    u64::from(sum(2)) << 32 | u64::from(sum(0))
}

/// The saturated result, and whether it differs from the wrapped one.
#[inline(always)]
fn limited(saturated: u64, wrapped: u64) -> (u64, bool) {
    (saturated, saturated != wrapped)
}

/// The words of both operands as bytes from `LEAST` to `MOST`; those of `a` are in the low half.
#[inline(always)]
fn pack_words<const LEAST: i16, const MOST: i16>(a: u64, b: u64) -> (u64, bool) {
    let (a, b) = (words_of(a), words_of(b));
    let word = |lane: usize| (if lane < 4 { a[lane] } else { b[lane - 4] }) as i16;
    let packed = std::array::from_fn(|lane| word(lane).clamp(LEAST, MOST) as u8);
    let saturated = (0..8).any(|lane| !(LEAST..=MOST).contains(&word(lane)));
    (u64::from_le_bytes(packed), saturated)
}

/// The doublewords of both operands as saturated words; those of `a` are in the low half.
fn pack_doublewords(a: u64, b: u64) -> (u64, bool) {
    let values = [a, a >> 32, b, b >> 32].map(|value| value as i32);
    let narrowed = values.map(|value| value.clamp(i16::MIN.into(), i16::MAX.into()));
    (from_words(narrowed.map(|value| value as u16)), narrowed != values)
}

/// The elements of `BITS` bits from both low halves alternately, beginning with `a`.
#[inline(always)]
fn interleave<const BITS: u32>(a: u64, b: u64) -> u64 {
    let element = |value: u64, number: u32| value >> (BITS * number) & ((1 << BITS) - 1);
    (0..32 / BITS).fold(0, |result, number| {
        let pair = element(a, number) | element(b, number) << BITS;
        result | pair << (2 * BITS * number)
    })
}

/// A value shifted by a count of any size.
#[inline(always)]
fn shifted<T: Default>(value: T, count: u64, shift: impl Fn(T, u32) -> Option<T>) -> T {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    shift(value, count).unwrap_or_default()
}

fn shift_left_words(value: u64, count: u64) -> u64 {
    words(value, 0, |word, _| shifted(word, count, u16::checked_shl))
}

fn shift_left_doublewords(value: u64, count: u64) -> u64 {
    doublewords(value, 0, |word, _| shifted(word, count, u32::checked_shl))
}

fn shift_right_words(value: u64, count: u64) -> u64 {
    words(value, 0, |word, _| shifted(word, count, u16::checked_shr))
}

fn shift_right_doublewords(value: u64, count: u64) -> u64 {
    doublewords(value, 0, |word, _| shifted(word, count, u32::checked_shr))
}

/// Shifts words arithmetically; counts above the size fill them with the sign.
fn shift_signed_words(value: u64, count: u64) -> u64 {
    words(value, 0, |word, _| (word as i16 >> count.min(15)) as u16)
}

fn shift_signed_doublewords(value: u64, count: u64) -> u64 {
    doublewords(value, 0, |word, _| (word as i32 >> count.min(31)) as u32)
}
