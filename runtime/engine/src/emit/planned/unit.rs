//! Operations of the floating-point unit that code executes.

use super::host::has_flat_address;
use iced_x86::{CpuidFeature, Instruction, MemorySize, Mnemonic, OpKind, Register};

/// An operation that code executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Real {
    /// Loads a real or an integer.
    Load(Format),
    LoadRegister(u8),
    /// FLDZ and FLD1, by the second byte of their opcodes.
    Constant(u8),
    /// Stores a real or an integer, and pops.
    Store(Format, bool),
    StoreInteger(Format, bool),
    StoreRegister(u8, bool),
    Exchange(u8),
    /// FCHS and FABS, by the second byte of their opcodes.
    Sign(u8),
    /// Operates on ST(0) and a real in memory; the operation is the reg field of its opcode.
    WithMemory(u8, Format),
    /// Operates on two registers, destination and source, and pops.
    Operate(u8, [u8; 2], bool),
    /// Compares ST(0) with a real in memory, or with a register, and pops this many times. FUCOM only makes quiet NaNs
    /// valid, which are left to the handlers.
    CompareMemory(Format, u8),
    Compare(u8, u8),
    /// Stores the status word in AX.
    StoreStatus,
    /// Loads the control word if it masks all exceptions, and stores it.
    LoadControl,
    StoreControl,
}

/// The formats of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Format {
    Single,
    Double,
    Word,
    Dword,
    Qword,
}

impl Format {
    fn of(size: MemorySize) -> Option<Format> {
        Some(match size {
            MemorySize::Float32 => Format::Single,
            MemorySize::Float64 => Format::Double,
            MemorySize::Int16 => Format::Word,
            MemorySize::Int32 => Format::Dword,
            MemorySize::Int64 => Format::Qword,
            _ => return None,
        })
    }

    pub(in crate::emit) fn is_real(self) -> bool {
        matches!(self, Format::Single | Format::Double)
    }

    /// The largest distance of the exponents of its numbers, but denormal ones, from that of 1.0.
    pub(in crate::emit) fn distance(self) -> u32 {
        match self {
            Format::Single => 127,
            Format::Double => 1023,
            Format::Word | Format::Dword | Format::Qword => 64,
        }
    }

    pub(in crate::emit) fn size(self) -> u32 {
        match self {
            Format::Word => 2,
            Format::Single | Format::Dword => 4,
            Format::Double | Format::Qword => 8,
        }
    }
}

/// Whether an instruction is one of the floating-point unit.
pub(in crate::emit) fn is_of_unit(instruction: &Instruction) -> bool {
    use CpuidFeature::{FPU, FPU287, FPU387};
    let mut features = instruction.cpuid_features().iter();
    instruction.mnemonic() != Mnemonic::Wait && features.any(|feature| matches!(*feature, FPU | FPU287 | FPU387))
}

/// The operation of an instruction of the unit that has `facts` fact words, if code executes it.
pub(in crate::emit) fn real(instruction: &Instruction, facts: usize) -> Option<Real> {
    let in_memory = instruction.op_count() > 0 && instruction.op0_kind() == OpKind::Memory;
    if in_memory && !has_flat_address(instruction) {
        return None;
    }
    let format = Format::of(instruction.memory_size()).filter(|_| in_memory);
    let register = |index: u32| {
        let register = instruction.op_register(index);
        (instruction.op_kind(index) == OpKind::Register && register.is_st()).then(|| register.number() as u8)
    };
    let (real, words) = match instruction.mnemonic() {
        Mnemonic::Fld | Mnemonic::Fild if in_memory => (Real::Load(format?), 1),
        Mnemonic::Fld => (Real::LoadRegister(register(0)?), 0),
        Mnemonic::Fst | Mnemonic::Fstp => {
            let pops = instruction.mnemonic() == Mnemonic::Fstp;
            match in_memory {
                true => (Real::Store(format.filter(|format| format.is_real())?, pops), 1),
                false => (Real::StoreRegister(register(0)?, pops), 0),
            }
        }
        Mnemonic::Fist | Mnemonic::Fistp if in_memory => (
            Real::StoreInteger(format?, instruction.mnemonic() == Mnemonic::Fistp),
            1,
        ),
        Mnemonic::Fldz => (Real::Constant(0xEE), 0),
        Mnemonic::Fld1 => (Real::Constant(0xE8), 0),
        Mnemonic::Fchs => (Real::Sign(0xE0), 0),
        Mnemonic::Fabs => (Real::Sign(0xE1), 0),
        Mnemonic::Fnstsw if instruction.op0_register() == Register::AX => (Real::StoreStatus, 0),
        Mnemonic::Fldcw if in_memory => (Real::LoadControl, 1),
        Mnemonic::Fnstcw if in_memory => (Real::StoreControl, 1),
        Mnemonic::Fcom | Mnemonic::Fcomp if in_memory => {
            let pops = u8::from(instruction.mnemonic() == Mnemonic::Fcomp);
            (Real::CompareMemory(format.filter(|format| format.is_real())?, pops), 1)
        }
        Mnemonic::Fcompp | Mnemonic::Fucompp => (Real::Compare(1, 2), 0),
        Mnemonic::Fcom | Mnemonic::Fucom => (Real::Compare(register(1)?, 0), 0),
        Mnemonic::Fcomp | Mnemonic::Fucomp => (Real::Compare(register(1)?, 1), 0),
        Mnemonic::Fxch => (Real::Exchange(register(0)?.max(register(1)?)), 0),
        other => {
            let (operation, pops) = arithmetic(other)?;
            match in_memory {
                true => {
                    let format = format.filter(|format| format.is_real())?;
                    (Real::WithMemory(operation, format), 2)
                }
                false => (Real::Operate(operation, [register(0)?, register(1)?], pops), 1),
            }
        }
    };
    (words == facts).then_some(real)
}

/// The reg field of the opcodes D8h and DCh for an instruction's arithmetic, and whether the instruction pops.
fn arithmetic(mnemonic: Mnemonic) -> Option<(u8, bool)> {
    Some(match mnemonic {
        Mnemonic::Fadd => (0, false),
        Mnemonic::Fmul => (1, false),
        Mnemonic::Fsub => (4, false),
        Mnemonic::Fsubr => (5, false),
        Mnemonic::Fdiv => (6, false),
        Mnemonic::Fdivr => (7, false),
        Mnemonic::Faddp => (0, true),
        Mnemonic::Fmulp => (1, true),
        Mnemonic::Fsubp => (4, true),
        Mnemonic::Fsubrp => (5, true),
        Mnemonic::Fdivp => (6, true),
        Mnemonic::Fdivrp => (7, true),
        _ => return None,
    })
}
