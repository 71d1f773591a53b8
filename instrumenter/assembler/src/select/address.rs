//! Memory operands: base, index, the size of the displacement, and whether a segment override needs a prefix byte.

use super::SelectError;
use super::registers::spelling;
use super::slots::fits;
use crate::operand::{CodeSize, Memory};
use iced_x86::{Instruction, Register};

/// Writes a memory operand's address into the encoder's instruction. An address without registers has the size of the
/// code.
pub(super) fn set(instruction: &mut Instruction, memory: &Memory, size: CodeSize) -> Result<(), SelectError> {
    let (base, index, scale, short) = if memory.base.is_gpr16() || memory.index.is_gpr16() {
        let (base, index) = short_registers(memory)?;
        (base, index, 1, true)
    } else if size == CodeSize::Bits16
        && memory.base == Register::None
        && memory.index == Register::None
        && (memory.volatile || fits(memory.displacement, 16))
    {
        (Register::None, Register::None, 1, true)
    } else {
        let (base, index, scale) = registers(memory)?;
        (base, index, scale, false)
    };
    if !fits(memory.displacement, if short { 16 } else { 32 }) {
        let bits = if short { 16 } else { 32 };
        return Err(SelectError::new(format!(
            "displacement {} does not fit in {bits} bits",
            memory.displacement
        ))
        .too_narrow(bits));
    }
    let displacement = if short {
        i64::from(memory.displacement as u16 as i16)
    } else {
        i64::from(memory.displacement as u32 as i32)
    };
    let full = if short { 2 } else { 4 };
    let size = if base == Register::None && (index == Register::None || !short) || memory.volatile {
        full
    } else if displacement == 0 {
        0
    } else if i8::try_from(displacement).is_ok() {
        1
    } else {
        full
    };
    instruction.set_memory_base(base);
    instruction.set_memory_index(index);
    instruction.set_memory_index_scale(u32::from(scale));
    instruction.set_memory_displ_size(size);
    if base == Register::None && index == Register::None {
        // A plain address is unsigned.
        instruction.set_memory_displacement64(if short {
            u64::from(displacement as u16)
        } else {
            u64::from(displacement as u32)
        });
    } else {
        instruction.set_memory_displacement64(displacement as u64);
    }
    let by_default = match base {
        Register::ESP | Register::EBP | Register::BP => Register::SS,
        _ => Register::DS,
    };
    if memory.segment != Register::None && memory.segment != by_default {
        if !memory.segment.is_segment_register() {
            return Err(no_segment(memory.segment));
        }
        instruction.set_segment_prefix(memory.segment);
    }
    Ok(())
}

/// Base, index and scale of a 32-bit address.
fn registers(memory: &Memory) -> Result<(Register, Register, u8), SelectError> {
    let Memory {
        mut base,
        mut index,
        mut scale,
        ..
    } = *memory;
    for register in [base, index] {
        if register != Register::None && !register.is_gpr32() {
            return Err(no_address_register(register));
        }
    }
    if index == Register::None {
        return Ok((base, index, 1));
    }
    if !matches!(scale, 1 | 2 | 4 | 8) {
        return Err(SelectError::new(format!("invalid scale factor {scale}")).help("the scale factor is 1, 2, 4 or 8"));
    }
    if index == Register::ESP {
        if scale != 1 || base == Register::ESP {
            return Err(SelectError::new("`esp` cannot be an index register")
                .help("use it as the base register, without a scale factor, or use another register"));
        }
        std::mem::swap(&mut base, &mut index);
        if index == Register::None {
            scale = 1;
        }
    }
    Ok((base, index, scale))
}

/// The base and index of a 16-bit address, in the order of the encoding.
fn short_registers(memory: &Memory) -> Result<(Register, Register), SelectError> {
    let pair = [memory.base, memory.index];
    if pair.iter().any(|register| register.is_gpr32()) {
        return Err(SelectError::new(format!(
            "`{}` and `{}` cannot be used in one address: 16-bit and 32-bit registers do not mix",
            spelling(memory.base),
            spelling(memory.index)
        )));
    }
    if memory.index != Register::None && memory.scale != 1 {
        return Err(SelectError::new("a 16-bit index cannot be scaled").help("use a 32-bit register"));
    }
    match pair {
        [Register::BX | Register::BP, Register::SI | Register::DI]
        | [
            Register::BX | Register::BP | Register::SI | Register::DI,
            Register::None,
        ] => Ok((memory.base, memory.index)),
        [Register::SI | Register::DI, Register::BX | Register::BP]
        | [
            Register::None,
            Register::BX | Register::BP | Register::SI | Register::DI,
        ] => Ok((memory.index, memory.base)),
        [only, Register::None] | [Register::None, only] => Err(no_address_register(only)),
        [first, second] => Err(SelectError::new(format!(
            "`[{}+{}]` is not a valid 16-bit address",
            spelling(first),
            spelling(second)
        ))
        .help("a 16-bit address uses one of bx and bp, one of si and di, or one of each")),
    }
}

/// The error for a segment override that is not a segment register.
pub(super) fn no_segment(register: Register) -> SelectError {
    SelectError::new(format!("`{}` is not a segment register", spelling(register)))
}

fn no_address_register(register: Register) -> SelectError {
    let error = SelectError::new(format!("`{}` cannot be used in an address", spelling(register)));
    if register.is_gpr16() {
        error.help("a 16-bit address uses bx, bp, si and di")
    } else {
        error.help("an address uses 32-bit general registers")
    }
}
