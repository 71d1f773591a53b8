//! Selects the handler of an instruction and sets the fields that differ from the common rule.

use super::alu::{self, IMMEDIATE};
use super::operands::{is_far, operand_register};
use super::shift::{self, Count};
use super::{Handler, MEMORY, MicroOp};
use super::{bcd, bits, branch, exchange, far, fpu, mmx, moves, muldiv, ports, segments, stack, string, system};
use iced_x86::{Code, FlowControl, Instruction, MemorySize, Mnemonic, OpKind, Register};
use p5_words::isa::shifts_by_one;
use p5_words::mode::{Mode, Operation};
use p5_words::registers::{DS, ES, FS, GS, SS};

/// Selects a handler by operand size: `sized!(bits, path)` with 8, 16 and 32 bits, `wide!` with 16 and 32.
macro_rules! sized {
    ($bits:expr, $($path:ident)::+ $(, $first:expr)*) => {
        match $bits {
            8 => $($path)::+::<$({ $first },)* 8> as Handler,
            16 => $($path)::+::<$({ $first },)* 16> as Handler,
            _ => $($path)::+::<$({ $first },)* 32> as Handler,
        }
    };
}
/// Selects a handler that uses the stack by operand size and mode: `stacked!(bits, mode, path)`.
macro_rules! stacked {
    ($bits:expr, $mode:expr, $($path:ident)::+) => {
        match ($bits, $mode.wide_stack) {
            (16, true) => $($path)::+::<16, true> as Handler,
            (16, false) => $($path)::+::<16, false> as Handler,
            (_, true) => $($path)::+::<32, true> as Handler,
            (_, false) => $($path)::+::<32, false> as Handler,
        }
    };
}
/// Selects the handler of a branch that uses the stack, by operand size and mode.
macro_rules! called {
    ($bits:expr, $mode:expr, $($path:ident)::+) => {
        match ($bits, $mode.wide_stack, $mode.is_flat_code()) {
            (16, true, true) => $($path)::+::<16, true, true> as Handler,
            (16, true, false) => $($path)::+::<16, true, false> as Handler,
            (16, false, true) => $($path)::+::<16, false, true> as Handler,
            (16, false, false) => $($path)::+::<16, false, false> as Handler,
            (_, true, true) => $($path)::+::<32, true, true> as Handler,
            (_, true, false) => $($path)::+::<32, true, false> as Handler,
            (_, false, true) => $($path)::+::<32, false, true> as Handler,
            (_, false, false) => $($path)::+::<32, false, false> as Handler,
        }
    };
}
macro_rules! wide {
    ($bits:expr, $($path:ident)::+ $(, $first:expr)*) => {
        match $bits {
            16 => $($path)::+::<$({ $first },)* 16> as Handler,
            _ => $($path)::+::<$({ $first },)* 32> as Handler,
        }
    };
}

/// The size of operand `index` in bits: 8, 16 or 32.
fn operand_bits(instruction: &Instruction, index: u32) -> u32 {
    let bytes = match instruction.op_kind(index) {
        OpKind::Register => instruction.op_register(index).size(),
        _ => instruction.memory_size().size(),
    };
    match bytes {
        1 => 8,
        2 => 16,
        _ => 32,
    }
}

/// The handler of an instruction that the chip has; adjusts the fields that the common rule does not fit.
pub(super) fn select(instruction: &Instruction, op: &mut MicroOp, mode: &Mode) -> Option<Handler> {
    let mnemonic = instruction.mnemonic();
    let bits = if instruction.op_count() == 0 {
        32
    } else {
        operand_bits(instruction, 0)
    };
    let operation = match mnemonic {
        Mnemonic::Add => Some(alu::ADD),
        Mnemonic::Or => Some(alu::OR),
        Mnemonic::Adc => Some(alu::ADC),
        Mnemonic::Sbb => Some(alu::SBB),
        Mnemonic::And => Some(alu::AND),
        Mnemonic::Sub => Some(alu::SUB),
        Mnemonic::Xor => Some(alu::XOR),
        Mnemonic::Cmp => Some(alu::CMP),
        Mnemonic::Test => Some(alu::TEST),
        _ => None,
    };
    if let Some(operation) = operation {
        op.immediate &= u32::MAX >> (32 - bits);
        return Some(alu::two(operation, bits, op.dest, op.source));
    }
    alu::one(mnemonic, bits, op.dest)
        .or_else(|| select_shift(instruction, op, bits))
        .or_else(|| string::select(mnemonic, op.segment_repeat))
        .or_else(|| select_data(instruction, op, bits))
        .or_else(|| select_branch(instruction, op, bits, mode))
        .or_else(|| select_stack(instruction, op, bits, mode))
        .or_else(|| select_system(instruction, op, bits, mode))
        .or_else(|| fpu::handler(instruction, op))
        .or_else(|| mmx::handler(instruction, op))
}

fn select_shift(instruction: &Instruction, op: &mut MicroOp, bits: u32) -> Option<Handler> {
    let last = instruction.op_count().checked_sub(1)?;
    let count = if operand_register(instruction, last) == Register::CL {
        Count::Cl
    } else if shifts_by_one(instruction.code()) {
        Count::One
    } else {
        Count::Immediate
    };
    let handler = shift::select(instruction.mnemonic(), bits, op.dest, count)?;
    op.immediate &= 0xFF;
    Some(handler)
}

fn select_data(instruction: &Instruction, op: &mut MicroOp, bits: u32) -> Option<Handler> {
    use Mnemonic::{
        Aaa, Aad, Aam, Aas, Bsf, Bsr, Bswap, Bt, Btc, Btr, Bts, Cbw, Cdq, Clc, Cld, Cli, Cmc, Cmpxchg, Cmpxchg8b, Cwd,
        Cwde, Daa, Das, Div, Endbr32, Idiv, Imul, Lahf, Lea, Mov, Movsx, Movzx, Mul, Nop, Rdsspd, Sahf, Salc, Stc, Std,
        Sti, Wait, Xadd, Xchg, Xlatb,
    };
    let mnemonic = instruction.mnemonic();
    macro_rules! bit {
        ($operation:expr) => {
            match (bits, op.source == IMMEDIATE) {
                (16, false) => bits::bit::<{ $operation }, 16, true> as Handler,
                (16, true) => bits::bit::<{ $operation }, 16, false> as Handler,
                (_, false) => bits::bit::<{ $operation }, 32, true> as Handler,
                (_, true) => bits::bit::<{ $operation }, 32, false> as Handler,
            }
        };
    }
    macro_rules! extend {
        ($signed:literal) => {
            match (operand_bits(instruction, 1), bits) {
                (8, 16) => moves::extend::<$signed, 8, 16> as Handler,
                (8, _) => moves::extend::<$signed, 8, 32> as Handler,
                (16, 16) => moves::extend::<$signed, 16, 16> as Handler,
                _ => moves::extend::<$signed, 16, 32> as Handler,
            }
        };
    }
    Some(match mnemonic {
        Mov => return select_mov(instruction, op, bits),
        Lea => wide!(bits, moves::lea),
        Nop | Endbr32 | Rdsspd => moves::nop,
        Wait => fpu::wait,
        Movzx => extend!(false),
        Movsx => extend!(true),
        Cbw => moves::widen_accumulator::<8, 16>,
        Cwde => moves::widen_accumulator::<16, 32>,
        Cwd => moves::spread_sign::<16>,
        Cdq => moves::spread_sign::<32>,
        Xlatb => moves::xlat,
        Lahf => moves::lahf,
        Sahf => moves::sahf,
        Salc => moves::salc,
        Clc => moves::clc,
        Stc => moves::stc,
        Cmc => moves::cmc,
        Cld => moves::cld,
        Std => moves::std,
        Cli => moves::cli,
        Sti => moves::sti,
        Mul => sized!(bits, muldiv::multiply, false),
        Imul if instruction.op_count() == 1 => sized!(bits, muldiv::multiply, true),
        Imul if instruction.op_count() == 2 => match bits {
            16 => muldiv::multiply_into::<16, false>,
            _ => muldiv::multiply_into::<32, false>,
        },
        Imul => match bits {
            16 => muldiv::multiply_into::<16, true>,
            _ => muldiv::multiply_into::<32, true>,
        },
        Div => sized!(bits, muldiv::divide),
        Idiv => sized!(bits, muldiv::divide_signed),
        Aaa => bcd::ascii_adjust::<false>,
        Aas => bcd::ascii_adjust::<true>,
        Daa => bcd::decimal_adjust::<false>,
        Das => bcd::decimal_adjust::<true>,
        Aam => bcd::aam,
        Aad => bcd::aad,
        Bt => bit!(bits::TEST),
        Bts => bit!(bits::SET),
        Btr => bit!(bits::RESET),
        Btc => bit!(bits::COMPLEMENT),
        Bsf => wide!(bits, bits::scan, false),
        Bsr => wide!(bits, bits::scan, true),
        Xchg => sized!(bits, exchange::xchg),
        Xadd => sized!(bits, exchange::xadd),
        Cmpxchg => sized!(bits, exchange::cmpxchg),
        Cmpxchg8b => exchange::cmpxchg8b,
        Bswap => wide!(bits, exchange::bswap),
        _ if is_set(instruction) => {
            op.immediate = u32::from(condition(instruction));
            moves::set_condition
        }
        _ if is_conditional_move(instruction) => {
            op.immediate = u32::from(condition(instruction));
            wide!(bits, moves::conditional)
        }
        _ => return None,
    })
}

/// Whether an instruction is CMOVcc: it has a condition and two operands.
fn is_conditional_move(instruction: &Instruction) -> bool {
    instruction.flow_control() == FlowControl::Next
        && instruction.op_count() == 2
        && instruction.condition_code() as u8 != 0
        && operand_register(instruction, 0).is_gpr()
}

/// Whether an instruction is SETcc: it has a condition but does not change the flow of control.
fn is_set(instruction: &Instruction) -> bool {
    instruction.flow_control() == FlowControl::Next
        && instruction.op_count() == 1
        && instruction.condition_code() as u8 != 0
}

/// The number of the condition, as in the low four bits of an opcode.
fn condition(instruction: &Instruction) -> u8 {
    (instruction.condition_code() as u8).wrapping_sub(1)
}

fn select_mov(instruction: &Instruction, op: &mut MicroOp, bits: u32) -> Option<Handler> {
    let first = operand_register(instruction, 0);
    let second = operand_register(instruction, 1);
    if first.is_segment_register() {
        return (first != Register::CS).then_some(segments::mov_segment as Handler);
    }
    if second.is_segment_register() {
        let bits = if op.dest == MEMORY { 16 } else { bits };
        return Some(wide!(bits, segments::store_selector));
    }
    let known_control = |register: Register| matches!(register.number(), 0 | 2 | 3 | 4);
    if first.is_cr() {
        op.dest = op.source;
        return known_control(first)
            .then_some(system::write_control as Handler)
            .inspect(|_| {
                op.source = ports::PLAIN;
            });
    }
    if second.is_cr() {
        return known_control(second).then_some(system::read_control as Handler);
    }
    if first.is_dr() {
        op.dest = op.source;
        op.source = ports::PLAIN;
        return Some(system::write_debug);
    }
    if second.is_dr() {
        return Some(system::read_debug);
    }
    if first.is_tr() || second.is_tr() {
        return None;
    }
    op.immediate &= u32::MAX >> (32 - bits);
    Some(moves::mov(bits, op.dest, op.source))
}

fn select_branch(instruction: &Instruction, op: &mut MicroOp, bits: u32, mode: &Mode) -> Option<Handler> {
    let flat = mode.is_flat_code();
    let short = matches!(instruction.op0_kind(), OpKind::NearBranch16 | OpKind::FarBranch16);
    let near_bits = if short { 16 } else { 32 };
    let indirect = matches!(instruction.op0_kind(), OpKind::Register | OpKind::Memory);
    let far_bits = if short || instruction.memory_size() == MemorySize::SegPtr16 {
        16
    } else {
        32
    };
    macro_rules! counted {
        ($operation:expr) => {
            match (op.offset_mask == 0xFFFF, flat) {
                (true, true) => branch::counted::<{ $operation }, 16, true> as Handler,
                (true, false) => branch::counted::<{ $operation }, 16, false> as Handler,
                (false, true) => branch::counted::<{ $operation }, 32, true> as Handler,
                (false, false) => branch::counted::<{ $operation }, 32, false> as Handler,
            }
        };
    }
    Some(match instruction.mnemonic() {
        Mnemonic::Jmp if is_far(instruction) => wide!(far_bits, far::jmp),
        Mnemonic::Call if is_far(instruction) => wide!(far_bits, far::call),
        Mnemonic::Jmp if indirect => match (bits, flat) {
            (16, true) => branch::jmp_indirect::<16, true>,
            (16, false) => branch::jmp_indirect::<16, false>,
            (_, true) => branch::jmp_indirect::<32, true>,
            (_, false) => branch::jmp_indirect::<32, false>,
        },
        Mnemonic::Call if indirect => called!(bits, mode, branch::call_indirect),
        Mnemonic::Jmp if flat => branch::jmp::<true>,
        Mnemonic::Jmp => branch::jmp::<false>,
        Mnemonic::Call => called!(near_bits, mode, branch::call),
        Mnemonic::Ret => match instruction.code() {
            Code::Retnw | Code::Retnw_imm16 => called!(16, mode, branch::ret),
            _ => called!(32, mode, branch::ret),
        },
        Mnemonic::Retf => match instruction.code() {
            Code::Retfw | Code::Retfw_imm16 => far::ret::<16>,
            _ => far::ret::<32>,
        },
        Mnemonic::Iret => far::iret::<16>,
        Mnemonic::Iretd => far::iret::<32>,
        Mnemonic::Loop => counted!(branch::LOOP),
        Mnemonic::Loope => counted!(branch::LOOP_WHILE_EQUAL),
        Mnemonic::Loopne => counted!(branch::LOOP_WHILE_NOT_EQUAL),
        Mnemonic::Jcxz | Mnemonic::Jecxz => counted!(branch::JUMP_IF_COUNT_ZERO),
        _ if instruction.is_jcc_short_or_near() => branch::select_conditional(condition(instruction), flat),
        _ => return None,
    })
}

fn select_stack(instruction: &Instruction, op: &mut MicroOp, bits: u32, mode: &Mode) -> Option<Handler> {
    let segment = operand_register(instruction, 0).is_segment_register();
    let in_virtual = mode.operation == Operation::Virtual;
    let moved = instruction.stack_pointer_increment().unsigned_abs() * 8;
    Some(match instruction.mnemonic() {
        Mnemonic::Push if segment => stacked!(moved, mode, segments::push_segment),
        Mnemonic::Push if op.dest == MEMORY => stacked!(bits, mode, stack::push_memory),
        Mnemonic::Push if op.dest == IMMEDIATE => stacked!(moved, mode, stack::push_immediate),
        Mnemonic::Push => stacked!(bits, mode, stack::push_register),
        Mnemonic::Pop if segment => stacked!(moved, mode, segments::pop_segment),
        Mnemonic::Pop => stacked!(bits, mode, stack::pop),
        Mnemonic::Pusha => stacked!(16, mode, stack::push_all),
        Mnemonic::Pushad => stacked!(32, mode, stack::push_all),
        Mnemonic::Popa => stacked!(16, mode, stack::pop_all),
        Mnemonic::Popad => stacked!(32, mode, stack::pop_all),
        Mnemonic::Pushf if in_virtual => stacked!(16, mode, stack::push_virtual_flags),
        Mnemonic::Pushfd if in_virtual => stacked!(32, mode, stack::push_virtual_flags),
        Mnemonic::Popf if in_virtual => stacked!(16, mode, stack::pop_virtual_flags),
        Mnemonic::Popfd if in_virtual => stacked!(32, mode, stack::pop_virtual_flags),
        Mnemonic::Pushf => stacked!(16, mode, stack::push_flags),
        Mnemonic::Pushfd => stacked!(32, mode, stack::push_flags),
        Mnemonic::Popf => stacked!(16, mode, stack::pop_flags),
        Mnemonic::Popfd => stacked!(32, mode, stack::pop_flags),
        Mnemonic::Leave => match instruction.code() {
            Code::Leavew => stacked!(16, mode, stack::leave),
            _ => stacked!(32, mode, stack::leave),
        },
        Mnemonic::Enter => {
            op.immediate = u32::from(instruction.immediate16()) | (u32::from(instruction.immediate8_2nd()) << 16);
            match instruction.code() {
                Code::Enterw_imm16_imm8 => stacked!(16, mode, branch::enter),
                _ => stacked!(32, mode, branch::enter),
            }
        }
        _ => return None,
    })
}

fn select_system(instruction: &Instruction, op: &mut MicroOp, bits: u32, mode: &Mode) -> Option<Handler> {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    let store_bits = if op.dest == MEMORY { 16 } else { bits };
    let far_loaded = match mnemonic {
        M::Les => Some(ES),
        M::Lss => Some(SS),
        M::Lds => Some(DS),
        M::Lfs => Some(FS),
        M::Lgs => Some(GS),
        _ => None,
    };
    if let Some(number) = far_loaded {
        op.immediate = number as u32;
        return Some(wide!(bits, segments::load_far_pointer));
    }
    if matches!(
        mnemonic,
        M::In | M::Out | M::Insb | M::Insw | M::Insd | M::Outsb | M::Outsw | M::Outsd
    ) {
        return select_port(instruction, op);
    }
    let protected = mode.operation == Operation::Protected;
    Some(match mnemonic {
        M::Lldt | M::Ltr | M::Sldt | M::Str | M::Lar | M::Lsl | M::Verr | M::Verw | M::Arpl if !protected => {
            moves::undefined
        }
        M::Hlt => system::hlt,
        M::Rdtsc => system::rdtsc::<false>,
        M::Rdtscp => system::rdtsc::<true>,
        M::Rdmsr => system::rdmsr,
        M::Wrmsr => system::wrmsr,
        M::Rdpmc => system::rdpmc,
        M::Cpuid => system::cpuid,
        M::Int => system::interrupt,
        M::Int3 => system::breakpoint,
        M::Int1 => system::debug_interrupt,
        M::Into => system::into,
        M::Bound => wide!(bits, system::bound),
        M::Clts => system::clts,
        M::Lmsw => {
            op.source = ports::PLAIN;
            system::lmsw
        }
        M::Smsw => wide!(store_bits, system::smsw),
        M::Invd => system::invalidate_caches::<false>,
        M::Wbinvd => system::invalidate_caches::<true>,
        M::Invlpg => system::invalidate_page,
        M::Lgdt => match instruction.code() {
            Code::Lgdt_m1632_16 => system::load_table::<false, 16>,
            _ => system::load_table::<false, 32>,
        },
        M::Lidt => match instruction.code() {
            Code::Lidt_m1632_16 => system::load_table::<true, 16>,
            _ => system::load_table::<true, 32>,
        },
        M::Sgdt => system::store_table::<false>,
        M::Sidt => system::store_table::<true>,
        M::Lldt => system::lldt,
        M::Ltr => system::ltr,
        M::Sldt => wide!(store_bits, system::store_system_selector, false),
        M::Str => wide!(store_bits, system::store_system_selector, true),
        M::Lar => wide!(bits, segments::access_rights),
        M::Lsl => wide!(bits, segments::segment_limit),
        M::Verr => segments::verify::<false>,
        M::Verw => segments::verify::<true>,
        M::Arpl => segments::adjust_level,
        _ => return None,
    })
}

fn select_port(instruction: &Instruction, op: &mut MicroOp) -> Option<Handler> {
    use Mnemonic as M;
    let mnemonic = instruction.mnemonic();
    let size: u32 = match mnemonic {
        M::Insb | M::Outsb => 8,
        M::Insw | M::Outsw => 16,
        M::Insd | M::Outsd => 32,
        // The accumulator is the first operand of IN and the second of OUT.
        M::In => operand_bits(instruction, 0),
        _ => operand_bits(instruction, 1),
    };
    if (0..instruction.op_count()).any(|index| operand_register(instruction, index) == Register::DX) {
        op.immediate = ports::PORT_IN_DX;
    } else {
        op.immediate &= 0xFF;
    }
    op.dest = (size / 8) as u8;
    let (tag, handler) = match mnemonic {
        M::In => (ports::INPUT, sized!(size, ports::input)),
        M::Out => (ports::PLAIN, sized!(size, ports::output)),
        M::Insb | M::Insw | M::Insd => (ports::INPUT_STRING, sized!(size, ports::input_string)),
        _ => (ports::OUTPUT_STRING, sized!(size, ports::output_string)),
    };
    op.source = tag;
    Some(handler)
}
