//! Operands: registers of the program as registers of the host, and accesses to memory.
//!
//! An instruction with explicit operands is executed by the same instruction of the host, with other registers and
//! with the host's address of its memory operand.

use super::Emitter;
use super::flags;
use crate::frame;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{Code, Encoder, Instruction, Mnemonic, OpKind, Register};
use p5_meaning::memory::Places;

/// What an instruction does with its memory operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Reads,
    Writes,
    Modifies,
}

impl Use {
    /// The number of fact words of an instruction with one such operand.
    pub(super) fn words(self) -> usize {
        if self == Use::Modifies { 2 } else { 1 }
    }
}

/// The register of the host that holds a general register of the program; `None` for AH, CH, DH, BH and for others.
pub(super) fn register(of: Register) -> Option<Register> {
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
pub(super) fn number(of: Register) -> u8 {
    8 + (of.number() as u8 & 7)
}

/// Whether the address of a memory operand is 32 bits wide, in a segment that is known to be flat.
pub(super) fn has_flat_address(instruction: &Instruction) -> bool {
    let wide = |register: Register| register == Register::None || register.is_gpr32();
    let none = instruction.memory_base() == Register::None && instruction.memory_index() == Register::None;
    wide(instruction.memory_base())
        && wide(instruction.memory_index())
        && !(none && instruction.memory_displ_size() == 2)
        && matches!(instruction.memory_segment(), Register::DS | Register::ES | Register::SS)
}

/// An instruction of the host.
#[derive(Clone, Debug)]
pub(super) struct Translated {
    pub(super) bytes: Vec<u8>,
    /// The registers that it uses in place of others, each with that: before it, and after it if it writes it.
    pub(super) before: Vec<(u8, u8)>,
    pub(super) after: Option<(u8, u8)>,
}

/// The instruction of the host that does what an instruction with explicit operands does. Its memory operand, if it has
/// one, is at `rcx + rax`.
pub(super) fn translated(instruction: &Instruction) -> Option<Translated> {
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
pub(super) fn is_high_byte(register: Register) -> bool {
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

impl Emitter<'_> {
    /// Computes the address of the memory operand in `eax`. The flags of the host are kept.
    pub(super) fn address(&mut self, instruction: &Instruction) {
        let wide = |of: Register| match of {
            Register::None => None,
            _ => Some(number(of)),
        };
        let displacement = instruction.memory_displacement32() as i32;
        let a = &mut self.a;
        match (wide(instruction.memory_base()), wide(instruction.memory_index())) {
            (None, None) => dynasm!(a; .arch x64; mov eax, displacement),
            (Some(base), None) => dynasm!(a; .arch x64; lea eax, [Rq(base) + displacement]),
            (base, Some(index)) => {
                match instruction.memory_index_scale() {
                    1 => dynasm!(a; .arch x64; lea eax, [Rq(index) * 1 + displacement]),
                    2 => dynasm!(a; .arch x64; lea eax, [Rq(index) * 2 + displacement]),
                    4 => dynasm!(a; .arch x64; lea eax, [Rq(index) * 4 + displacement]),
                    _ => dynasm!(a; .arch x64; lea eax, [Rq(index) * 8 + displacement]),
                }
                if let Some(base) = base {
                    dynasm!(a; .arch x64; lea eax, [rax + Rq(base)]);
                }
            }
        }
    }

    /// Makes the access of `size` bytes at `eax`, whose facts begin at `word`, possible at `rcx + rax`. If it is not
    /// simple, the code goes to the label that is returned, with the registers of the program as before. Uses `edx`.
    pub(super) fn access(&mut self, word: usize, size: u32, used: Use) -> DynamicLabel {
        self.access_before(word, size, used, false)
    }

    /// The same. The operation may still fail after the access if it `may_fail`.
    pub(super) fn access_before(&mut self, word: usize, size: u32, used: Use, may_fail: bool) -> DynamicLabel {
        let [odd, unplain, ready] = [(); 3].map(|()| self.label());
        let (places, place) = (self.source.places, 4 * word as i32);
        let interrupted = self.access_in_rounds();
        dynasm!(self.a; .arch x64; mov [rbp + place], eax);
        if used == Use::Modifies {
            dynasm!(self.a; .arch x64; mov [rbp + place + 4], eax);
        }
        self.flags_held = false;
        if places.plain_selection == 0 {
            self.mapped(size, used, odd);
            return odd;
        }
        let known = match used {
            Use::Reads => places.plain_read,
            Use::Writes | Use::Modifies => places.plain_written,
        };
        // No line begins at an address that is not aligned, so that such an access is not plain either.
        let line = -(places.line_size as i32) | (size - 1) as i32;
        dynasm!(self.a; .arch x64
            ; mov ecx, eax; and ecx, places.plain_selection as i32; mov edx, eax; and edx, line
            ; cmp [rdi + rcx + known], edx; jne =>unplain
            ; mov rcx, [rdi + rcx + places.plain_base]; =>ready);
        let hits = self.source.common.hits.filter(|_| self.all_made && !may_fail);
        if let Some(interrupted) = interrupted {
            self.aside(move |emitter| match hits {
                Some(hits) => emitter.hits_in_rounds(hits, unplain, (word, size, used), [ready, interrupted]),
                None => dynasm!(emitter.a; .arch x64; =>unplain; jmp =>interrupted),
            });
            return odd;
        }
        let number = self.known_words.len() as u8;
        self.known_words.extend(word..word + used.words());
        self.aside(move |emitter| {
            if let Some(hits) = hits {
                return emitter.hits(hits, unplain, (word, size, used, number), [ready, odd]);
            }
            dynasm!(emitter.a; .arch x64
                ; =>unplain; mov BYTE [rsp + frame::UNPLAIN], 1; mov QWORD [rsp + frame::USUAL_UNTIL], 0);
            emitter.mapped(size, used, odd);
            dynasm!(emitter.a; .arch x64; jmp =>ready);
        });
        odd
    }

    /// Makes an access at `eax` possible at `rcx + rax` by the table of pages. Goes to `odd` if it is misaligned, or if
    /// its page does not simply allow it.
    fn mapped(&mut self, size: u32, used: Use, odd: DynamicLabel) {
        if size > 1 {
            dynasm!(self.a; .arch x64; test al, (size - 1) as i8; jnz =>odd);
        }
        self.allows(used, odd);
        self.place();
    }

    /// Goes to `odd` unless the page of the address in `eax` simply allows an access. Uses `ecx` and `edx`.
    pub(super) fn allows(&mut self, used: Use, odd: DynamicLabel) {
        let a = &mut self.a;
        dynasm!(a; .arch x64; mov ecx, eax; shr ecx, 12; mov rdx, [rsp + frame::PAGES]; mov ecx, [rdx + rcx * 4]);
        if used == Use::Reads {
            dynasm!(a; .arch x64; test cl, Places::READABLE as i8; jz =>odd);
        } else {
            dynasm!(a; .arch x64; mov edx, ecx; and edx, Places::WRITING as i32
                ; cmp edx, Places::PLAINLY_WRITABLE as i32; jne =>odd);
        }
    }

    /// Makes `rcx + rax` the place of the byte whose address is in `eax`. Uses `rdx`.
    pub(super) fn place(&mut self) {
        dynasm!(self.a; .arch x64
            ; mov ecx, eax; shr ecx, 12; mov rdx, [rsp + frame::PAGES]; mov ecx, [rdx + rcx * 4]
            ; and ecx, !Places::FLAGS as i32; and eax, Places::FLAGS as i32; add rcx, [rsp + frame::FRAMES]);
    }

    /// What is done at `odd` instead of the rest of operation `index`, which ends at `done`: all of it, by its handler.
    pub(super) fn otherwise(&mut self, index: usize, odd: DynamicLabel, done: DynamicLabel) {
        if self.inside_rounds() {
            // The access has gone on in the code of a single replay.
            return;
        }
        let instruction = self.source.instructions[index];
        let held = self.flags_held;
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>odd);
            emitter.call_handler(index, flags::concerns(&instruction));
            if held {
                emitter.load_flags();
            }
            dynasm!(emitter.a; .arch x64; jmp =>done);
        });
    }
}
