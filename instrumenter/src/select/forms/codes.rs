//! The encoder's forms that the assembler offers, the operands of each, and which form is preferred.

use super::shorthand::{shorthand, swapped};
use super::{Fill, Form, STRING_FAMILIES, Slot, StringFamily};
use iced_x86::{Code, Mnemonic, OpCodeInfo, OpCodeOperandKind, Register};
use runtime::model::INSTRUCTION_SETS;

/// Whether a form belongs to any chip and can be written in assembly.
pub(super) fn is_offered(code: Code) -> bool {
    // The data directives are not instructions.
    if !code.op_code().is_instruction() {
        return false;
    }
    // The test registers ended with the 486, but every assembler of the time encodes their moves.
    let known = matches!(code, Code::Mov_r32_tr | Code::Mov_tr_r32)
        || INSTRUCTION_SETS.iter().any(|instructions| instructions.has(code));
    // Duplicate encodings.
    known
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
                // These read 16 bits regardless of the prefix.
                | Code::Arpl_rm16_r16
                | Code::Lldt_rm16
                | Code::Ltr_rm16
                | Code::Verr_rm16
                | Code::Verw_rm16
                | Code::Lmsw_rm16
                | Code::Mov_Sreg_rm16
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
    mnemonic: Mnemonic,
    group: &[(Mnemonic, Code)],
    operand_size: u32,
    address_size: u32,
) -> Vec<(u8, Form)> {
    let mut forms = Vec::new();
    for &(_, code) in group {
        let info = code.op_code();
        if !info.mode32() || !is_wanted(mnemonic, info, group, operand_size, address_size) {
            continue;
        }
        if let Some(form) = form_of(mnemonic, info, operand_size == 0) {
            let rank = rank(&form);
            if let Some(swapped) = swapped(mnemonic, &form) {
                forms.push((rank.saturating_sub(1), swapped));
            }
            forms.push((rank, form));
            forms.extend(
                shorthand(&form)
                    .into_iter()
                    .map(|short| (rank.saturating_sub(1), short)),
            );
        }
    }
    forms
}

/// Whether a code is one of those that a name means.
fn is_wanted(
    mnemonic: Mnemonic,
    info: &OpCodeInfo,
    group: &[(Mnemonic, Code)],
    operand_size: u32,
    address_size: u32,
) -> bool {
    let kinds = info.op_kinds();
    if kinds
        .iter()
        .any(|kind| matches!(kind, OpCodeOperandKind::br16_1 | OpCodeOperandKind::br16_2))
    {
        return false;
    }
    if matches!(mnemonic, Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne) {
        let counter = match info.code() {
            Code::Loop_rel8_32_CX | Code::Loope_rel8_32_CX | Code::Loopne_rel8_32_CX => 16,
            _ => 32,
        };
        return counter == if address_size == 0 { 32 } else { address_size };
    }
    if operand_size != 0 {
        return info.operand_size() == operand_size;
    }
    // `push word ptr 5` gives its size.
    if info.operand_size() != 16 || matches!(info.code(), Code::Push_imm16 | Code::Pushw_imm8) {
        return true;
    }
    // In 32-bit code a 16-bit form is not meant if no operand distinguishes it from a 32-bit one.
    let told = kinds.iter().any(|kind| {
        matches!(
            kind,
            OpCodeOperandKind::r16_reg
                | OpCodeOperandKind::r16_rm
                | OpCodeOperandKind::r16_opcode
                | OpCodeOperandKind::r16_or_mem
                | OpCodeOperandKind::ax
        )
    });
    told || !group.iter().any(|(_, other)| {
        let other = other.op_code();
        other.operand_size() == 32 && other.op_count() == info.op_count()
    })
}

/// The form for a code as in the encoder's table. If the name does not give the size, a number pushed as a word must be
/// declared a word.
fn form_of(mnemonic: Mnemonic, info: &OpCodeInfo, called: bool) -> Option<Form> {
    let code = info.code();
    let mut slots = [Slot::Absent; 3];
    let mut fills = [Fill::Number(0); 3];
    let mut immediates = 0;
    let string = string_family(mnemonic).is_some();
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
            OpCodeOperandKind::imm8sex16 if called && code == Code::Pushw_imm8 => {
                (Slot::CalledWordSigned, Fill::Immediate8To16(operand))
            }
            OpCodeOperandKind::imm16 if called && code == Code::Push_imm16 => {
                (Slot::CalledWord, Fill::Immediate16(operand))
            }
            OpCodeOperandKind::imm8sex16 => (Slot::Signed16, Fill::Immediate8To16(operand)),
            OpCodeOperandKind::imm8sex32 => (Slot::Signed32, Fill::Immediate8To32(operand)),
            OpCodeOperandKind::imm16 => (Slot::Imm16, Fill::Immediate16(operand)),
            OpCodeOperandKind::imm32 => (Slot::Imm32, Fill::Immediate32(operand)),
            _ => match slot_of(mnemonic, info, kind, operand)? {
                slot @ (Slot::Word | Slot::WordRegister) => (slot, Fill::Widened(operand)),
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
            2 + u8::from(has_counter_prefix(code))
        } else {
            0
        },
    })
}

/// Whether a short branch counts in CX, which takes an address-size prefix.
fn has_counter_prefix(code: Code) -> bool {
    matches!(
        code,
        Code::Loop_rel8_32_CX | Code::Loope_rel8_32_CX | Code::Loopne_rel8_32_CX | Code::Jcxz_rel8_32
    )
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

/// The class of an operand that is filled unchanged; `None` if 32-bit code of the Pentium has no such operand.
fn slot_of(mnemonic: Mnemonic, info: &OpCodeInfo, kind: OpCodeOperandKind, operand: u8) -> Option<Slot> {
    Some(match kind {
        OpCodeOperandKind::farbr4_2 => Slot::FarPointer,
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
        OpCodeOperandKind::r16_or_mem => Slot::Rm16,
        OpCodeOperandKind::r32_or_mem => match info.code() {
            Code::Mov_r32m16_Sreg | Code::Sldt_r32m16 | Code::Str_r32m16 | Code::Smsw_r32m16 => Slot::WordResult,
            _ if info.memory_size().size() == 2 && !matches!(mnemonic, Mnemonic::Movzx | Mnemonic::Movsx) => Slot::Word,
            _ if mnemonic == Mnemonic::Arpl => Slot::Word,
            _ => Slot::Rm32,
        },
        OpCodeOperandKind::mm_or_mem => Slot::MmMemory,
        OpCodeOperandKind::r8_reg | OpCodeOperandKind::r8_opcode => Slot::R8,
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
        OpCodeOperandKind::br32_1 => Slot::Short,
        OpCodeOperandKind::br32_4 => Slot::Near,
        _ => return None,
    })
}

/// The rank of a form in the order of MASM and TASM: sign-extended bytes, then the forms for the accumulator, then the
/// rest; loads before stores.
fn rank(form: &Form) -> u8 {
    let [first, second, third] = form.slots;
    let any = |wanted: &[Slot]| form.slots.iter().any(|slot| wanted.contains(slot));
    if any(&[
        Slot::Signed16,
        Slot::Signed32,
        Slot::CalledWordSigned,
        Slot::One,
        Slot::Short,
    ]) {
        return 1;
    }
    if any(&[Slot::Offset8, Slot::Offset16, Slot::Offset32]) {
        return 1;
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
