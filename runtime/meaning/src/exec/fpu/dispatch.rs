//! The handler of each floating-point instruction, and its opcode as the environment shows it.

use super::arithmetic::{ADD, DIVIDE, DIVIDE_REVERSED, MULTIPLY, SUBTRACT, SUBTRACT_REVERSED};
use super::{compare, control, environment, operations, remainder, transcendental, transfer, unary};
use crate::exec::{Handler, MicroOp};
use iced_x86::{Code, Instruction, MemorySize, Mnemonic, OpKind, Register};

/// The handler of an instruction of the unit that the chip has.
pub(in crate::exec) fn handler(instruction: &Instruction, op: &mut MicroOp) -> Option<Handler> {
    let handler = select_arithmetic(instruction)
        .or_else(|| select_comparison(instruction))
        .or_else(|| select_transfer(instruction))
        .or_else(|| select_other(instruction))?;
    op.immediate = opcode(instruction);
    if matches!(instruction.mnemonic(), Mnemonic::Fcompp | Mnemonic::Fucompp) {
        op.source = 1;
    }
    Some(handler)
}

/// The low three bits of the first opcode byte, then the second byte. A memory operand is assumed to have its shortest
/// encoding.
fn opcode(instruction: &Instruction) -> u32 {
    let code = instruction.op_code();
    if code.op_code() > 0xFF {
        let register = |index: u32| match instruction.op_kind(index) {
            OpKind::Register if instruction.op_register(index).is_st() => {
                instruction.op_register(index).number() as u32
            }
            _ => 0,
        };
        // One of two register operands is ST(0).
        let number = (0..instruction.op_count()).map(register).max().unwrap_or(0);
        let encoded = code.op_code() & 7 == 0;
        return code.op_code() & 0x7FF | if encoded { number } else { 0 };
    }
    let (base, index) = (instruction.memory_base(), instruction.memory_index());
    let short = base.size() == 2 || index.size() == 2 || instruction.memory_displ_size() == 2;
    let rm = if short {
        match (base, index) {
            (Register::BX, Register::SI) => 0,
            (Register::BX, Register::DI) => 1,
            (Register::BP, Register::SI) => 2,
            (Register::BP, Register::DI) => 3,
            (Register::SI, _) => 4,
            (Register::DI, _) => 5,
            (Register::BX, _) => 7,
            _ => 6,
        }
    } else if index != Register::None || base == Register::ESP {
        4
    } else if base == Register::None {
        5
    } else {
        base.number() as u32
    };
    let mode = match instruction.memory_displ_size() {
        0 => 0,
        _ if base == Register::None => 0,
        1 => 1,
        _ => 2,
    };
    let group = code.group_index().max(0) as u32;
    (code.op_code() & 7) << 8 | mode << 6 | group << 3 | rm
}

fn select_arithmetic(instruction: &Instruction) -> Option<Handler> {
    use Mnemonic as M;
    let (operation, pop) = match instruction.mnemonic() {
        M::Fadd | M::Fiadd => (ADD, false),
        M::Faddp => (ADD, true),
        M::Fmul | M::Fimul => (MULTIPLY, false),
        M::Fmulp => (MULTIPLY, true),
        M::Fsub | M::Fisub => (SUBTRACT, false),
        M::Fsubp => (SUBTRACT, true),
        M::Fsubr | M::Fisubr => (SUBTRACT_REVERSED, false),
        M::Fsubrp => (SUBTRACT_REVERSED, true),
        M::Fdiv | M::Fidiv => (DIVIDE, false),
        M::Fdivp => (DIVIDE, true),
        M::Fdivr | M::Fidivr => (DIVIDE_REVERSED, false),
        M::Fdivrp => (DIVIDE_REVERSED, true),
        _ => return None,
    };
    macro_rules! formed {
        ($operation:ident) => {
            match (instruction.memory_size(), pop) {
                (MemorySize::Float32, _) => operations::single::<$operation> as Handler,
                (MemorySize::Float64, _) => operations::double::<$operation>,
                (MemorySize::Int16, _) => operations::integer::<$operation, 16>,
                (MemorySize::Int32, _) => operations::integer::<$operation, 32>,
                (_, false) => operations::registers::<$operation, false>,
                (_, true) => operations::registers::<$operation, true>,
            }
        };
    }
    Some(match operation {
        ADD => formed!(ADD),
        MULTIPLY => formed!(MULTIPLY),
        SUBTRACT => formed!(SUBTRACT),
        SUBTRACT_REVERSED => formed!(SUBTRACT_REVERSED),
        DIVIDE => formed!(DIVIDE),
        _ => formed!(DIVIDE_REVERSED),
    })
}

fn select_comparison(instruction: &Instruction) -> Option<Handler> {
    use Mnemonic as M;
    macro_rules! formed {
        ($pops:literal) => {
            match instruction.memory_size() {
                MemorySize::Float32 => compare::single::<$pops> as Handler,
                MemorySize::Float64 => compare::double::<$pops>,
                MemorySize::Int16 => compare::integer::<$pops, 16>,
                MemorySize::Int32 => compare::integer::<$pops, 32>,
                _ => compare::registers::<$pops, false>,
            }
        };
    }
    Some(match instruction.mnemonic() {
        M::Fcom | M::Ficom => formed!(0),
        M::Fcomp | M::Ficomp => formed!(1),
        M::Fcompp => compare::registers::<2, false>,
        M::Fucom => compare::registers::<0, true>,
        M::Fucomp => compare::registers::<1, true>,
        M::Fucompp => compare::registers::<2, true>,
        M::Fcomi => compare::to_flags::<0, false>,
        M::Fcomip => compare::to_flags::<1, false>,
        M::Fucomi => compare::to_flags::<0, true>,
        M::Fucomip => compare::to_flags::<1, true>,
        M::Ftst => compare::with_zero,
        M::Fxam => compare::examine,
        _ => return None,
    })
}

fn select_transfer(instruction: &Instruction) -> Option<Handler> {
    use Mnemonic as M;
    macro_rules! popping {
        ($pop:literal) => {
            match instruction.memory_size() {
                MemorySize::Float32 => transfer::store_single::<$pop> as Handler,
                MemorySize::Float64 => transfer::store_double::<$pop>,
                MemorySize::Float80 => transfer::store_extended,
                MemorySize::Int16 => transfer::store_integer::<16, $pop>,
                MemorySize::Int32 => transfer::store_integer::<32, $pop>,
                MemorySize::Int64 => transfer::store_integer::<64, $pop>,
                _ => transfer::store_register::<$pop>,
            }
        };
    }
    Some(match instruction.mnemonic() {
        M::Fld => match instruction.memory_size() {
            MemorySize::Float32 => transfer::load_single,
            MemorySize::Float64 => transfer::load_double,
            MemorySize::Float80 => transfer::load_extended,
            _ => transfer::load_register,
        },
        M::Fild => match instruction.memory_size() {
            MemorySize::Int16 => transfer::load_integer::<16>,
            MemorySize::Int32 => transfer::load_integer::<32>,
            _ => transfer::load_integer::<64>,
        },
        M::Fbld => transfer::load_decimal,
        M::Fbstp => transfer::store_decimal,
        M::Fst | M::Fist => popping!(false),
        M::Fstp | M::Fistp => popping!(true),
        M::Fstpnce => transfer::store_register_unchecked,
        M::Fld1 | M::Fldl2t | M::Fldl2e | M::Fldpi | M::Fldlg2 | M::Fldln2 | M::Fldz => transfer::load_constant,
        M::Fxch => transfer::exchange,
        // The conditions, as in the low four bits of an opcode.
        M::Fcmovb => transfer::move_if::<2>,
        M::Fcmovnb => transfer::move_if::<3>,
        M::Fcmove => transfer::move_if::<4>,
        M::Fcmovne => transfer::move_if::<5>,
        M::Fcmovbe => transfer::move_if::<6>,
        M::Fcmovnbe => transfer::move_if::<7>,
        M::Fcmovu => transfer::move_if::<10>,
        M::Fcmovnu => transfer::move_if::<11>,
        M::Ffree => transfer::free::<false>,
        M::Ffreep => transfer::free::<true>,
        _ => return None,
    })
}

fn select_other(instruction: &Instruction) -> Option<Handler> {
    use Mnemonic as M;
    Some(match instruction.mnemonic() {
        M::Fchs => unary::chs,
        M::Fabs => unary::abs,
        M::Fsqrt => unary::sqrt,
        M::Frndint => unary::rndint,
        M::Fprem => remainder::partial_remainder::<false>,
        M::Fprem1 => remainder::partial_remainder::<true>,
        M::F2xm1 => unary::f2xm1,
        M::Fyl2x => transcendental::yl2x,
        M::Fyl2xp1 => transcendental::yl2xp1,
        M::Fptan => transcendental::ptan,
        M::Fpatan => transcendental::patan,
        M::Fsin => transcendental::sin,
        M::Fcos => transcendental::cos,
        M::Fsincos => transcendental::sincos,
        M::Fscale => remainder::scale,
        M::Fxtract => remainder::extract,
        M::Fnop => control::no_operation,
        M::Fneni | M::Fndisi | M::Fnsetpm => control::ignored,
        M::Fninit => control::initialize,
        M::Fnclex => control::clear_exceptions,
        M::Fldcw => control::load_control,
        M::Fnstcw => control::store_control,
        M::Fnstsw => control::store_status,
        M::Fincstp => control::rotate::<1>,
        M::Fdecstp => control::rotate::<-1>,
        M::Fldenv | M::Fnstenv | M::Frstor | M::Fnsave => return Some(select_image(instruction)),
        _ => return None,
    })
}

fn select_image(instruction: &Instruction) -> Handler {
    match instruction.code() {
        Code::Fldenv_m14byte => environment::load::<16>,
        Code::Fldenv_m28byte => environment::load::<32>,
        Code::Fnstenv_m14byte => environment::store::<16>,
        Code::Fnstenv_m28byte => environment::store::<32>,
        Code::Frstor_m94byte => environment::restore::<16>,
        Code::Frstor_m108byte => environment::restore::<32>,
        Code::Fnsave_m94byte => environment::save::<16>,
        _ => environment::save::<32>,
    }
}
