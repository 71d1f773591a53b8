//! The encoder's forms that the assembler offers, the operands of each form, and the order of preference.

use super::shorthand::{shorthand, swapped};
use super::{Fill, Form, STRING_FAMILIES, Slot, StringFamily};
use crate::operand::CodeSize;
use iced_x86::{Code, Mnemonic, OpCodeInfo, OpCodeOperandKind, Register};
use p5_chips::{INSTRUCTION_SETS, LATER_INSTRUCTIONS, MONITORS};

/// Whether a form belongs to any chip or monitor, or to a later processor if those are wanted, and can be written in
/// assembly for code of this size.
pub(super) fn is_offered(code: Code, size: CodeSize, later: bool) -> bool {
    if !code.op_code().is_instruction() {
        return false;
    }
    // The test registers ended with the 486, but every assembler of the time encodes moves of them.
    let known = matches!(code, Code::Mov_r32_tr | Code::Mov_tr_r32)
        || INSTRUCTION_SETS.iter().any(|instructions| instructions.has(code))
        || MONITORS.iter().any(|monitor| monitor.adds(code))
        || (later && LATER_INSTRUCTIONS.iter().any(|monitor| monitor.adds(code)));
    // These read 16 bits regardless of the prefix.
    let prefixed = match size {
        CodeSize::Bits32 => matches!(
            code,
            Code::Arpl_rm16_r16
                | Code::Lldt_rm16
                | Code::Ltr_rm16
                | Code::Verr_rm16
                | Code::Verw_rm16
                | Code::Lmsw_rm16
                | Code::Mov_Sreg_rm16
        ),
        CodeSize::Bits16 => matches!(
            code,
            Code::Arpl_r32m16_r32
                | Code::Lldt_r32m16
                | Code::Ltr_r32m16
                | Code::Verr_r32m16
                | Code::Verw_r32m16
                | Code::Lmsw_r32m16
                | Code::Mov_Sreg_r32m16
        ),
    };
    // These are duplicate encodings.
    known
        && !prefixed
        && !matches!(
            code,
            Code::Add_rm8_imm8_82
                | Code::Or_rm8_imm8_82
                | Code::Adc_rm8_imm8_82
                | Code::Sbb_rm8_imm8_82
                | Code::And_rm8_imm8_82
                | Code::Sub_rm8_imm8_82
                | Code::Xor_rm8_imm8_82
                | Code::Cmp_rm8_imm8_82
                | Code::Test_rm8_imm8_F6r1
                | Code::Test_rm16_imm16_F7r1
                | Code::Test_rm32_imm32_F7r1
                | Code::Fcom_st0_sti_DCD0
                | Code::Fcomp_st0_sti_DCD8
                | Code::Fcomp_st0_sti_DED0
                | Code::Fxch_st0_sti_DDC8
                | Code::Fxch_st0_sti_DFC8
                | Code::Fstp_sti_DFD0
                | Code::Fstp_sti_DFD8
                | Code::Fstpnce_sti
                | Code::Bswap_r16
                | Code::Movsx_r16_rm16
                | Code::Movzx_r16_rm16
        )
}

pub(super) fn string_family(mnemonic: Mnemonic) -> Option<StringFamily> {
    if mnemonic == Mnemonic::Xlatb {
        return Some(StringFamily::Xlat);
    }
    STRING_FAMILIES
        .iter()
        .find(|(_, _, mnemonics)| mnemonics.contains(&mnemonic))
        .map(|&(_, family, _)| family)
}

/// The forms of one name with their ranks; a lower rank is preferred. Sizes are in bits, with 0 for the default.
pub(super) fn forms_of(
    size: CodeSize,
    mnemonic: Mnemonic,
    group: &[(Mnemonic, Code)],
    operand_size: u32,
    address_size: u32,
) -> Vec<(u8, Form)> {
    let mut forms = Vec::new();
    for &(_, code) in group {
        let info = code.op_code();
        let exists = match size {
            CodeSize::Bits16 => info.mode16(),
            CodeSize::Bits32 => info.mode32(),
        };
        let is_other = size == CodeSize::Bits32 && operand_size == 0 && other_pointer(code, size);
        if !exists || !(is_other || is_wanted(size, mnemonic, info, group, operand_size, address_size)) {
            continue;
        }
        if is_other {
            if let Some(form) = form_of(size, mnemonic, info, operand_size == 0) {
                forms.push((rank(&form, size), other_memory(form, Slot::MemoryOther)));
            }
            continue;
        }
        if let Some(form) = form_of(size, mnemonic, info, operand_size == 0) {
            let rank = rank(&form, size);
            if let Some(swapped) = swapped(mnemonic, &form) {
                forms.push((rank.saturating_sub(1), swapped));
            }
            forms.push((rank, form));
            if matches!(code, Code::Lar_r32_r32m16 | Code::Lsl_r32_r32m16) {
                // TASM takes memory of the size of the register, too; the processor reads a word of it.
                forms.push((rank, other_memory(form, Slot::Rm32)));
            }
            if other_pointer(code, size) {
                forms.push((rank, other_memory(form, Slot::MemoryOther)));
            }
            forms.extend(
                shorthand(&form)
                    .into_iter()
                    .map(|short| (rank.saturating_sub(1), short)),
            );
        }
    }
    forms
}

/// The form with memory of another class, in the last operand.
fn other_memory(form: Form, slot: Slot) -> Form {
    let mut slots = form.slots;
    if let Some(last) = slots.iter_mut().rev().find(|slot| **slot != Slot::Absent) {
        *last = slot;
    }
    Form {
        slots,
        masks: slots.map(Slot::bit),
        ..form
    }
}

/// Whether a branch goes through four bytes in memory that are no usual pointer in code of this size: an offset of 32
/// bits in 16-bit code, a selector and an offset of 16 bits in 32-bit code.
fn other_pointer(code: Code, size: CodeSize) -> bool {
    match size {
        CodeSize::Bits16 => matches!(code, Code::Call_rm32 | Code::Jmp_rm32),
        CodeSize::Bits32 => matches!(code, Code::Call_m1616 | Code::Jmp_m1616),
    }
}

/// Whether a name means this code.
fn is_wanted(
    size: CodeSize,
    mnemonic: Mnemonic,
    info: &OpCodeInfo,
    group: &[(Mnemonic, Code)],
    operand_size: u32,
    address_size: u32,
) -> bool {
    let kinds = info.op_kinds();
    let (own, branches_elsewhere) = match size {
        CodeSize::Bits16 => (16, [OpCodeOperandKind::br32_1, OpCodeOperandKind::br32_4]),
        CodeSize::Bits32 => (32, [OpCodeOperandKind::br16_1, OpCodeOperandKind::br16_2]),
    };
    if kinds.iter().any(|kind| branches_elsewhere.contains(kind)) {
        return false;
    }
    if matches!(mnemonic, Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne) {
        let counter = if counts_in_word(info.code()) { 16 } else { 32 };
        return counter == if address_size == 0 { own } else { address_size };
    }
    if operand_size != 0 {
        return info.operand_size() == operand_size;
    }
    if info.operand_size() + own != 48 || gives_other_size(info.code(), size) {
        return true;
    }
    // A form of the other size is meant only if an operand distinguishes it from one of the code's size.
    let told = kinds.iter().any(|kind| match size {
        CodeSize::Bits32 => matches!(
            kind,
            OpCodeOperandKind::r16_reg
                | OpCodeOperandKind::r16_rm
                | OpCodeOperandKind::r16_opcode
                | OpCodeOperandKind::r16_or_mem
                | OpCodeOperandKind::ax
        ),
        CodeSize::Bits16 => matches!(
            kind,
            OpCodeOperandKind::r32_reg
                | OpCodeOperandKind::r32_rm
                | OpCodeOperandKind::r32_opcode
                | OpCodeOperandKind::r32_or_mem
                | OpCodeOperandKind::eax
        ),
    });
    told || !group.iter().any(|(_, other)| {
        let other = other.op_code();
        other.operand_size() == own && other.op_count() == info.op_count()
    })
}

/// Whether the operands give the size of a form without any register: `push word ptr 5`, and in 16-bit code also far
/// pointers with 32-bit offsets.
fn gives_other_size(code: Code, size: CodeSize) -> bool {
    match size {
        CodeSize::Bits32 => matches!(code, Code::Push_imm16 | Code::Pushw_imm8),
        CodeSize::Bits16 => matches!(
            code,
            Code::Pushd_imm32
                | Code::Pushd_imm8
                | Code::Call_ptr1632
                | Code::Jmp_ptr1632
                | Code::Call_m1632
                | Code::Jmp_m1632
        ),
    }
}

/// Whether a loop counts in CX.
fn counts_in_word(code: Code) -> bool {
    matches!(
        code,
        Code::Loop_rel8_16_CX
            | Code::Loope_rel8_16_CX
            | Code::Loopne_rel8_16_CX
            | Code::Loop_rel8_32_CX
            | Code::Loope_rel8_32_CX
            | Code::Loopne_rel8_32_CX
    )
}

/// The form for a code in the encoder's table. If the name does not give the size, a pushed number of another size than
/// the code's must be declared to have it.
fn form_of(size: CodeSize, mnemonic: Mnemonic, info: &OpCodeInfo, called: bool) -> Option<Form> {
    let code = info.code();
    let mut slots = [Slot::Absent; 3];
    let mut fills = [Fill::Number(0); 3];
    let mut immediates = 0;
    let string = string_family(mnemonic).is_some();
    let called = called && gives_other_size(code, size);
    let mut operand = 0u8;
    for (&kind, fill) in info.op_kinds().iter().zip(fills.iter_mut()) {
        let (slot, filled) = match kind {
            OpCodeOperandKind::seg_rSI => (Slot::Absent, Fill::Source),
            OpCodeOperandKind::es_rDI => (Slot::Absent, Fill::Destination),
            OpCodeOperandKind::seg_rBX_al => (Slot::Absent, Fill::Table),
            _ if string => (Slot::Absent, Fill::Fixed(fixed_register(kind)?)),
            OpCodeOperandKind::imm8 if immediates > 0 => (Slot::Imm8, Fill::Immediate8Second(operand)),
            OpCodeOperandKind::imm8 => (Slot::Imm8, Fill::Immediate8(operand)),
            OpCodeOperandKind::imm8_const_1 => (Slot::One, Fill::Immediate8(operand)),
            OpCodeOperandKind::imm8sex16 if called => (Slot::CalledWordSigned, Fill::Immediate8To16(operand)),
            OpCodeOperandKind::imm16 if called => (Slot::CalledWord, Fill::Immediate16(operand)),
            OpCodeOperandKind::imm8sex32 if called => (Slot::CalledDwordSigned, Fill::Immediate8To32(operand)),
            OpCodeOperandKind::imm32 if called => (Slot::CalledDword, Fill::Immediate32(operand)),
            OpCodeOperandKind::imm8sex16 => (Slot::Signed16, Fill::Immediate8To16(operand)),
            OpCodeOperandKind::imm8sex32 => (Slot::Signed32, Fill::Immediate8To32(operand)),
            OpCodeOperandKind::imm16 => (Slot::Imm16, Fill::Immediate16(operand)),
            OpCodeOperandKind::imm32 => (Slot::Imm32, Fill::Immediate32(operand)),
            _ => match slot_of(size, mnemonic, info, kind, operand)? {
                slot @ (Slot::Word | Slot::WordRegister) => match kind {
                    OpCodeOperandKind::r16_or_mem | OpCodeOperandKind::r16_reg => (slot, Fill::Narrowed(operand)),
                    _ => (slot, Fill::Widened(operand)),
                },
                slot => (slot, Fill::Operand(operand)),
            },
        };
        *fill = filled;
        immediates += u32::from(slot.immediate_bits().is_some());
        if slot != Slot::Absent {
            *slots.get_mut(usize::from(operand))? = slot;
            operand += 1;
        }
    }
    Some(Form {
        code,
        slots,
        masks: slots.map(Slot::bit),
        fills,
        filled: info.op_count() as u8,
        lockable: info.can_use_lock_prefix(),
        short_length: if slots.contains(&Slot::Short) {
            2 + u8::from(has_counter_prefix(code, size))
        } else {
            0
        },
    })
}

/// Whether a short branch counts in a register of the other size, which takes an address-size prefix.
fn has_counter_prefix(code: Code, size: CodeSize) -> bool {
    match size {
        CodeSize::Bits16 => matches!(
            code,
            Code::Loop_rel8_16_ECX | Code::Loope_rel8_16_ECX | Code::Loopne_rel8_16_ECX | Code::Jecxz_rel8_16
        ),
        CodeSize::Bits32 => counts_in_word(code) || code == Code::Jcxz_rel8_32,
    }
}

fn fixed_register(kind: OpCodeOperandKind) -> Option<Register> {
    Some(match kind {
        OpCodeOperandKind::al => Register::AL,
        OpCodeOperandKind::ax => Register::AX,
        OpCodeOperandKind::eax => Register::EAX,
        OpCodeOperandKind::dx => Register::DX,
        _ => return None,
    })
}

/// The class of an operand that is filled unchanged; `None` if the Pentium has no such operand.
fn slot_of(
    size: CodeSize,
    mnemonic: Mnemonic,
    info: &OpCodeInfo,
    kind: OpCodeOperandKind,
    operand: u8,
) -> Option<Slot> {
    Some(match kind {
        OpCodeOperandKind::farbr2_2 => Slot::FarPointer,
        OpCodeOperandKind::farbr4_2 => match size {
            CodeSize::Bits16 => Slot::FarPointerWide,
            CodeSize::Bits32 => Slot::FarPointer,
        },
        OpCodeOperandKind::mem_offs => match info.memory_size().size() {
            1 => Slot::Offset8,
            2 => Slot::Offset16,
            _ => Slot::Offset32,
        },
        OpCodeOperandKind::mem => match mnemonic {
            Mnemonic::Lgdt | Mnemonic::Lidt | Mnemonic::Sgdt | Mnemonic::Sidt | Mnemonic::Bound => Slot::Memory,
            _ => match info.memory_size().size() {
                2 => Slot::Memory16,
                4 => Slot::Memory32,
                6 => Slot::Memory48,
                8 => Slot::Memory64,
                10 => Slot::Memory80,
                _ => Slot::Memory,
            },
        },
        OpCodeOperandKind::r8_or_mem => Slot::Rm8,
        OpCodeOperandKind::r16_or_mem => match info.code() {
            Code::Arpl_rm16_r16
            | Code::Lldt_rm16
            | Code::Ltr_rm16
            | Code::Verr_rm16
            | Code::Verw_rm16
            | Code::Lmsw_rm16
            | Code::Mov_Sreg_rm16 => Slot::Word,
            _ => Slot::Rm16,
        },
        OpCodeOperandKind::r32_or_mem => match info.code() {
            Code::Mov_r32m16_Sreg | Code::Sldt_r32m16 | Code::Str_r32m16 | Code::Smsw_r32m16 => Slot::WordResult,
            _ if info.memory_size().size() == 2 && !matches!(mnemonic, Mnemonic::Movzx | Mnemonic::Movsx) => Slot::Word,
            _ if mnemonic == Mnemonic::Arpl => Slot::Word,
            _ => Slot::Rm32,
        },
        OpCodeOperandKind::mm_or_mem => match mnemonic {
            Mnemonic::Punpcklbw | Mnemonic::Punpcklwd | Mnemonic::Punpckldq => Slot::MmMemoryLow,
            _ => Slot::MmMemory,
        },
        OpCodeOperandKind::r8_reg | OpCodeOperandKind::r8_opcode => Slot::R8,
        OpCodeOperandKind::r16_reg if mnemonic == Mnemonic::Arpl => Slot::WordRegister,
        OpCodeOperandKind::r16_reg | OpCodeOperandKind::r16_rm | OpCodeOperandKind::r16_opcode => Slot::R16,
        OpCodeOperandKind::r32_reg if mnemonic == Mnemonic::Arpl => Slot::WordRegister,
        OpCodeOperandKind::r32_reg | OpCodeOperandKind::r32_rm | OpCodeOperandKind::r32_opcode => Slot::R32,
        OpCodeOperandKind::seg_reg if operand == 0 => Slot::SegmentLoad,
        OpCodeOperandKind::seg_reg => Slot::Segment,
        OpCodeOperandKind::mm_reg | OpCodeOperandKind::mm_rm => Slot::Mm,
        OpCodeOperandKind::cr_reg => Slot::Control,
        OpCodeOperandKind::dr_reg => Slot::Debug,
        OpCodeOperandKind::tr_reg => Slot::Test,
        OpCodeOperandKind::es => Slot::Es,
        OpCodeOperandKind::cs => Slot::Cs,
        OpCodeOperandKind::ss => Slot::Ss,
        OpCodeOperandKind::ds => Slot::Ds,
        OpCodeOperandKind::fs => Slot::Fs,
        OpCodeOperandKind::gs => Slot::Gs,
        OpCodeOperandKind::al => Slot::Al,
        OpCodeOperandKind::cl => Slot::Cl,
        OpCodeOperandKind::ax => Slot::Ax,
        OpCodeOperandKind::dx => Slot::Dx,
        OpCodeOperandKind::eax => Slot::Eax,
        OpCodeOperandKind::st0 => Slot::StackTop,
        OpCodeOperandKind::sti_opcode => Slot::Stack,
        OpCodeOperandKind::br16_1 | OpCodeOperandKind::br32_1 => Slot::Short,
        OpCodeOperandKind::br16_2 | OpCodeOperandKind::br32_4 => Slot::Near,
        _ => return None,
    })
}

/// The rank of a form in the order of MASM and TASM: sign-extended bytes, then the forms for the accumulator, then the
/// rest; loads before stores.
fn rank(form: &Form, size: CodeSize) -> u8 {
    let [first, second, third] = form.slots;
    if size == CodeSize::Bits16 {
        match form.code {
            // `call dword ptr [bx]` goes through a selector and a 16-bit offset.
            Code::Call_m1616 | Code::Jmp_m1616 => return 5,
            // These write a word to memory in either form.
            Code::Mov_r32m16_Sreg | Code::Sldt_r32m16 | Code::Str_r32m16 | Code::Smsw_r32m16 => return 7,
            _ => {}
        }
    }
    let any = |wanted: &[Slot]| form.slots.iter().any(|slot| wanted.contains(slot));
    if any(&[
        Slot::Signed16,
        Slot::Signed32,
        Slot::CalledWordSigned,
        Slot::CalledDwordSigned,
        Slot::One,
        Slot::Short,
    ]) {
        return 1;
    }
    if any(&[Slot::Offset8, Slot::Offset16, Slot::Offset32]) {
        return 1;
    }
    // What no word holds is pushed as a dword, even if it is a word in other instructions.
    if any(&[Slot::CalledDword]) {
        return 5;
    }
    let accumulator = |slot| matches!(slot, Slot::Al | Slot::Ax | Slot::Eax);
    if third == Slot::Absent && (accumulator(first) || accumulator(second)) {
        return 3;
    }
    match first {
        Slot::R8 | Slot::R16 | Slot::R32 => 4,
        // `mov ds,ax` needs no prefix.
        Slot::Word | Slot::WordResult => 4,
        Slot::SegmentLoad if second == Slot::Word => 4,
        _ => 6,
    }
}
