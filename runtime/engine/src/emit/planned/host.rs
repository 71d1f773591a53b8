//! Instructions of the host that do what instructions of the program do: with other registers, and with the host's
//! address of a memory operand.

use iced_x86::{Code, Encoder, Instruction, Mnemonic, OpKind, Register};

/// What an instruction does with its memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::emit) enum Use {
    Reads,
    Writes,
    Modifies,
}

impl Use {
    /// The number of fact words of an instruction with one such operand.
    pub(in crate::emit) fn words(self) -> usize {
        if self == Use::Modifies { 2 } else { 1 }
    }
}

/// The register of the host that holds a general register of the program; `None` for AH, CH, DH, BH and for others.
pub(in crate::emit) fn register(of: Register) -> Option<Register> {
    const WIDE: [Register; 8] = [
        Register::R8D,
        Register::R9D,
        Register::R10D,
        Register::R11D,
        Register::R12D,
        Register::R13D,
        Register::R14D,
        Register::R15D,
    ];
    const SHORT: [Register; 8] = [
        Register::R8W,
        Register::R9W,
        Register::R10W,
        Register::R11W,
        Register::R12W,
        Register::R13W,
        Register::R14W,
        Register::R15W,
    ];
    const BYTES: [Register; 4] = [Register::R8L, Register::R9L, Register::R10L, Register::R11L];
    match of {
        _ if of.is_gpr32() => WIDE.get(of.number()).copied(),
        _ if of.is_gpr16() => SHORT.get(of.number()).copied(),
        _ if of.is_gpr8() => BYTES.get(of.number()).copied(),
        _ => None,
    }
}

/// The number of the host's register for a general register of 32 bits.
pub(in crate::emit) fn number(of: Register) -> u8 {
    8 + (of.number() as u8 & 7)
}

/// Whether the address of a memory operand is 32 bits wide, in a segment that is known to be flat.
pub(in crate::emit) fn has_flat_address(instruction: &Instruction) -> bool {
    let wide = |register: Register| register == Register::None || register.is_gpr32();
    let none = instruction.memory_base() == Register::None && instruction.memory_index() == Register::None;
    wide(instruction.memory_base())
        && wide(instruction.memory_index())
        && !(none && instruction.memory_displ_size() == 2)
        && matches!(instruction.memory_segment(), Register::DS | Register::ES | Register::SS)
}

/// An instruction of the host.
#[derive(Clone, Debug)]
pub(in crate::emit) struct Translated {
    pub(in crate::emit) bytes: Vec<u8>,
    /// The registers that it uses in place of others, each with that: before it, and after it if it writes it.
    pub(in crate::emit) before: Vec<(u8, u8)>,
    pub(in crate::emit) after: Option<(u8, u8)>,
}

/// The instruction of the host that does what an instruction with explicit operands does. Its memory operand, if it has
/// one, is at `rcx + rax`.
pub(in crate::emit) fn translated(instruction: &Instruction) -> Option<Translated> {
    if (0..instruction.op_count()).any(|index| is_high(instruction, index)) {
        return translated_high(instruction);
    }
    let plainly = |bytes| Translated {
        bytes,
        before: Vec::new(),
        after: None,
    };
    let mut host = *instruction;
    host.set_code(general_form(instruction.code()));
    for index in 0..instruction.op_count() {
        match instruction.op_kind(index) {
            OpKind::Register if is_count(instruction, index) => {}
            OpKind::Register => host.set_op_register(index, register(instruction.op_register(index))?),
            OpKind::Memory => {
                if !has_flat_address(instruction) {
                    return None;
                }
                set_address(&mut host);
            }
            _ => {}
        }
    }
    encoded(&host).map(plainly)
}

fn set_address(host: &mut Instruction) {
    host.set_memory_base(Register::RCX);
    host.set_memory_index(Register::RAX);
    host.set_memory_index_scale(1);
    host.set_memory_displacement64(0);
    host.set_memory_displ_size(0);
    host.set_segment_prefix(Register::None);
}

/// Whether an operand is AH, CH, DH or BH.
fn is_high(instruction: &Instruction, index: u32) -> bool {
    instruction.op_kind(index) == OpKind::Register && is_high_byte(instruction.op_register(index))
}

/// Whether a register is AH, CH, DH or BH.
pub(in crate::emit) fn is_high_byte(register: Register) -> bool {
    matches!(register, Register::AH | Register::CH | Register::DH | Register::BH)
}

/// The number of the host's register for the general register that a register of eight bits is part of.
fn whole(of: Register) -> u8 {
    8 + (of.number() as u8 & 3)
}

/// The same for an instruction with AH, CH, DH or BH, which the host has beside registers without a prefix only: such
/// registers take the places of those of the program.
fn translated_high(instruction: &Instruction) -> Option<Translated> {
    const EAX: u8 = 0;
    const ECX: u8 = 1;
    const EDX: u8 = 2;
    let mut host = *instruction;
    host.set_code(general_form(instruction.code()));
    let (mut before, mut after) = (Vec::new(), None);
    let in_memory = (0..instruction.op_count()).any(|index| instruction.op_kind(index) == OpKind::Memory);
    for index in 0..instruction.op_count() {
        let register = instruction.op_register(index);
        match instruction.op_kind(index) {
            OpKind::Register if register.is_gpr8() => {
                // Two registers, or one beside memory, whose address needs the others.
                let (low, high, place) = if in_memory || index > 0 {
                    (Register::DL, Register::DH, EDX)
                } else {
                    (Register::AL, Register::AH, EAX)
                };
                host.set_op_register(index, if is_high_byte(register) { high } else { low });
                before.push((place, whole(register)));
                if index == 0 {
                    after = Some((whole(register), place));
                }
            }
            // MOVZX and MOVSX.
            OpKind::Register if register.is_gpr32() && index == 0 => {
                host.set_op_register(index, Register::ECX);
                after = Some((number(register), ECX));
            }
            OpKind::Memory if has_flat_address(instruction) => set_address(&mut host),
            OpKind::Register | OpKind::Memory => return None,
            _ => {}
        }
    }
    let only_reads = matches!(instruction.mnemonic(), Mnemonic::Cmp | Mnemonic::Test);
    Some(Translated {
        bytes: encoded(&host)?,
        before,
        after: after.filter(|_| !only_reads),
    })
}

/// Whether an operand is the count of a shift in CL.
fn is_count(instruction: &Instruction, index: u32) -> bool {
    index == 1
        && matches!(
            instruction.code(),
            Code::Shl_rm32_CL | Code::Shr_rm32_CL | Code::Sar_rm32_CL | Code::Rol_rm32_CL | Code::Ror_rm32_CL
        )
}

fn encoded(host: &Instruction) -> Option<Vec<u8>> {
    let mut encoder = Encoder::new(64);
    encoder.encode(host, 0).ok()?;
    Some(encoder.take_buffer())
}

/// The form of an instruction whose operands can be any registers.
fn general_form(code: Code) -> Code {
    macro_rules! general {
        ($($byte:ident $short:ident $wide:ident => $byte_form:ident $short_form:ident $wide_form:ident;)*) => {
            match code {
                $(Code::$byte => Code::$byte_form, Code::$short => Code::$short_form, Code::$wide => Code::$wide_form,)*
                Code::Inc_r16 => Code::Inc_rm16,
                Code::Inc_r32 => Code::Inc_rm32,
                Code::Dec_r16 => Code::Dec_rm16,
                Code::Dec_r32 => Code::Dec_rm32,
                Code::Xchg_r32_EAX => Code::Xchg_rm32_r32,
                Code::Mov_AL_moffs8 => Code::Mov_r8_rm8,
                Code::Mov_AX_moffs16 => Code::Mov_r16_rm16,
                Code::Mov_EAX_moffs32 => Code::Mov_r32_rm32,
                Code::Mov_moffs8_AL => Code::Mov_rm8_r8,
                Code::Mov_moffs16_AX => Code::Mov_rm16_r16,
                Code::Mov_moffs32_EAX => Code::Mov_rm32_r32,
                other => other,
            }
        };
    }
    general! {
        Add_AL_imm8 Add_AX_imm16 Add_EAX_imm32 => Add_rm8_imm8 Add_rm16_imm16 Add_rm32_imm32;
        Or_AL_imm8 Or_AX_imm16 Or_EAX_imm32 => Or_rm8_imm8 Or_rm16_imm16 Or_rm32_imm32;
        Adc_AL_imm8 Adc_AX_imm16 Adc_EAX_imm32 => Adc_rm8_imm8 Adc_rm16_imm16 Adc_rm32_imm32;
        Sbb_AL_imm8 Sbb_AX_imm16 Sbb_EAX_imm32 => Sbb_rm8_imm8 Sbb_rm16_imm16 Sbb_rm32_imm32;
        And_AL_imm8 And_AX_imm16 And_EAX_imm32 => And_rm8_imm8 And_rm16_imm16 And_rm32_imm32;
        Sub_AL_imm8 Sub_AX_imm16 Sub_EAX_imm32 => Sub_rm8_imm8 Sub_rm16_imm16 Sub_rm32_imm32;
        Xor_AL_imm8 Xor_AX_imm16 Xor_EAX_imm32 => Xor_rm8_imm8 Xor_rm16_imm16 Xor_rm32_imm32;
        Cmp_AL_imm8 Cmp_AX_imm16 Cmp_EAX_imm32 => Cmp_rm8_imm8 Cmp_rm16_imm16 Cmp_rm32_imm32;
        Test_AL_imm8 Test_AX_imm16 Test_EAX_imm32 => Test_rm8_imm8 Test_rm16_imm16 Test_rm32_imm32;
    }
}
