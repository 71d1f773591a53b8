//! Compiles a decoded instruction to an operation: checks that the chip has it, and sets the fields common to all
//! handlers.

use super::alu::IMMEDIATE;
use super::handlers::select;
use super::operands::{is_far, operand_register};
use super::{MEMORY, MicroOp, REPEAT_EQUAL, REPEAT_NOT_EQUAL, moves};
use iced_x86::{Code, Instruction, Mnemonic, OpKind, Register};
use p5_words::isa::InstructionSet;
use p5_words::mode::Mode;
use p5_words::registers::{CS, DS, ES, FS, GS, SS};

/// Compiles an instruction decoded in code of `mode` at its offset in the code segment. An instruction that the chip
/// does not have, or not in this mode, or whose operand does not exist, such as CR1, becomes an operation that raises
/// #UD.
pub fn compile(instruction: &Instruction, chip: &InstructionSet, mode: &Mode) -> MicroOp {
    let mut op = operands(instruction, chip, mode);
    if chip.has(instruction.code())
        && !is_locked_wrongly(instruction)
        && let Some(handler) = select(instruction, &mut op, mode)
    {
        op.handler = handler;
    }
    op
}

/// The replacement for the library's read of the time stamp counter on a chip without one: an instruction of the same
/// length that sets EAX to 0.
pub fn without_time_stamp(instruction: &Instruction, chip: &InstructionSet) -> Option<Instruction> {
    if instruction.code() != Code::Rdtsc || chip.has(Code::Rdtsc) {
        return None;
    }
    let mut other = Instruction::with2(Code::Mov_r32_imm32, Register::EAX, 0u32).ok()?;
    other.set_len(instruction.len());
    other.set_ip32(instruction.ip32());
    Some(other)
}

/// Whether the instruction has a LOCK prefix that it must not have.
fn is_locked_wrongly(instruction: &Instruction) -> bool {
    instruction.has_lock_prefix()
        && (instruction.op0_kind() != OpKind::Memory || !instruction.op_code().can_use_lock_prefix())
}

/// Whether the instruction must be alone in its row, because it may make a request, change the mode, or look up a
/// descriptor.
pub fn stands_alone(instruction: &Instruction) -> bool {
    use Mnemonic::{
        Clts, Cpuid, Hlt, In, Insb, Insd, Insw, Int, Int1, Int3, Into, Invd, Invlpg, Iret, Iretd, Lar, Lds, Les, Lfs,
        Lgdt, Lgs, Lidt, Lldt, Lmsw, Lsl, Lss, Ltr, Out, Outsb, Outsd, Outsw, Rdmsr, Rdpmc, Rdtsc, Rdtscp, Retf, Verr,
        Verw, Wbinvd, Wrmsr,
    };
    match instruction.mnemonic() {
        Cpuid | Clts | Hlt | In | Insb | Insw | Insd | Int | Int1 | Int3 | Into | Invd | Invlpg | Iret | Iretd
        | Lar | Lds | Les | Lfs | Lgs | Lss | Lgdt | Lidt | Lldt | Lmsw | Lsl | Ltr | Out | Outsb | Outsw | Outsd
        | Rdmsr | Rdpmc | Rdtsc | Rdtscp | Retf | Verr | Verw | Wbinvd | Wrmsr => true,
        Mnemonic::Jmp | Mnemonic::Call => is_far(instruction),
        Mnemonic::Pop => instruction.op0_register().is_segment_register(),
        Mnemonic::Mov => (0..2).any(|index| {
            let register = operand_register(instruction, index);
            register.is_cr() || register.is_dr() || register.is_tr() || (index == 0 && register.is_segment_register())
        }),
        _ => false,
    }
}

fn segment_number(register: Register) -> u8 {
    (match register {
        Register::ES => ES,
        Register::CS => CS,
        Register::SS => SS,
        Register::FS => FS,
        Register::GS => GS,
        _ => DS,
    }) as u8
}

/// The address size in bits of an instruction with an address or a count.
fn address_bits(instruction: &Instruction) -> u32 {
    for index in 0..instruction.op_count() {
        match instruction.op_kind(index) {
            OpKind::MemorySegSI | OpKind::MemorySegDI | OpKind::MemoryESDI => return 16,
            OpKind::Memory => {
                let base = instruction.memory_base();
                let register = if base == Register::None {
                    instruction.memory_index()
                } else {
                    base
                };
                let short = if register == Register::None {
                    instruction.memory_displ_size() == 2
                } else {
                    register.size() == 2
                };
                return if short { 16 } else { 32 };
            }
            _ => {}
        }
    }
    match instruction.code() {
        Code::Loop_rel8_16_CX
        | Code::Loop_rel8_32_CX
        | Code::Loope_rel8_16_CX
        | Code::Loope_rel8_32_CX
        | Code::Loopne_rel8_16_CX
        | Code::Loopne_rel8_32_CX
        | Code::Jcxz_rel8_16
        | Code::Jcxz_rel8_32 => 16,
        _ => 32,
    }
}

/// The fields common to all operations; the handler raises #UD until another is selected.
fn operands(instruction: &Instruction, chip: &InstructionSet, mode: &Mode) -> MicroOp {
    let mut op = MicroOp {
        handler: moves::undefined,
        address: mode.linear(instruction.ip32()),
        immediate: 0,
        displacement: 0,
        offset_mask: if address_bits(instruction) == 16 {
            0xFFFF
        } else {
            u32::MAX
        },
        dest: 0,
        source: 0,
        base: 0,
        base_mask: 0,
        index: 0,
        index_mask: 0,
        shift_length: (instruction.len() as u8) << 4,
        segment_repeat: segment_number(instruction.memory_segment()),
    };
    if instruction.has_rep_prefix() {
        op.segment_repeat |= REPEAT_EQUAL;
    }
    if instruction.has_repne_prefix() {
        op.segment_repeat |= REPEAT_NOT_EQUAL;
    }
    for index in 0..instruction.op_count() {
        let mut field = match instruction.op_kind(index) {
            OpKind::Register => instruction.op_register(index).number() as u8,
            OpKind::Memory => MEMORY,
            OpKind::NearBranch16 | OpKind::NearBranch32 => {
                op.immediate = mode.linear(instruction.near_branch_target() as u32);
                0
            }
            OpKind::FarBranch16 | OpKind::FarBranch32 => {
                op.immediate = if instruction.op_kind(index) == OpKind::FarBranch16 {
                    u32::from(instruction.far_branch16())
                } else {
                    instruction.far_branch32()
                };
                op.displacement = u32::from(instruction.far_branch_selector());
                0
            }
            OpKind::Immediate8_2nd => {
                op.immediate |= u32::from(instruction.immediate8_2nd()) << 16;
                0
            }
            kind => match instruction.try_immediate(index) {
                Ok(value) if kind != OpKind::Immediate8_2nd => {
                    op.immediate = value as u32;
                    IMMEDIATE
                }
                _ => 0,
            },
        };
        // Segment, control and debug registers are stored in `immediate`, because they are not general registers.
        let register = operand_register(instruction, index);
        if register.is_segment_register() {
            op.immediate = u32::from(segment_number(register));
            field = 0;
        } else if register.is_cr() || register.is_dr() || register.is_tr() {
            op.immediate = register.number() as u32;
            // The chip decides which bits of CR4 a write may set.
            op.displacement = chip.control_register_4;
            field = 0;
        }
        match index {
            0 => op.dest = field,
            1 => op.source = field,
            _ => {}
        }
    }
    if (0..instruction.op_count()).any(|index| instruction.op_kind(index) == OpKind::Memory) {
        address(instruction, &mut op);
    }
    op
}

fn address(instruction: &Instruction, op: &mut MicroOp) {
    op.displacement = instruction.memory_displacement32();
    let base = instruction.memory_base();
    if base != Register::None {
        op.base = base.number() as u8 & 7;
        op.base_mask = 0xFF;
    }
    let index = instruction.memory_index();
    if index != Register::None {
        op.index = index.number() as u8 & 7;
        op.index_mask = 0xFF;
        op.shift_length |= instruction.memory_index_scale().trailing_zeros() as u8 & 3;
    }
}
