//! Flags: which of those that operations set may be read, and their moves between the host and the frame.

use super::Emitter;
use super::operands::is_high_byte;
use super::operations::{How, how};
use crate::frame::{self, WITHOUT_AF};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{ConditionCode, Instruction, Mnemonic, RflagsBits};
use p5_words::flags::{AF, CF, PF, SF, ZF};

/// The six status flags.
const STATUS: u32 = RflagsBits::OF | RflagsBits::SF | RflagsBits::ZF | RflagsBits::AF | RflagsBits::CF | RflagsBits::PF;

/// How the flags that the host sets differ from those of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    /// They are the same.
    Same,
    /// AF and OF are clear.
    WithoutBoth,
    /// AF is clear.
    WithoutAf,
    /// AF is clear, and OF says whether CF differs from the top bit of the result.
    Shifted,
    /// Only CF and OF are set, by a rotation to the left of this register, or to the right.
    RotatedLeft(u8),
    RotatedRight(u8),
    /// Only CF and OF are set, to the same.
    Multiplied,
}

/// What is known of an operation before code is made for it.
pub(super) struct Planned {
    pub(super) how: How,
    /// Whether a flag that it sets may be read later.
    pub(super) flags_wanted: bool,
}

/// Looks at the instructions of a block from the last to the first.
pub(super) fn plan(instructions: &[Instruction], facts: impl Fn(usize) -> usize) -> Option<Vec<Planned>> {
    // What follows the block may read any flag.
    let mut read_later = STATUS;
    let mut planned = Vec::new();
    for (index, instruction) in instructions.iter().enumerate().rev() {
        let modified = modified(instruction);
        let flags_wanted = modified & read_later != 0;
        let how = how(instruction, flags_wanted, read_later != 0, facts(index))?;
        read_later = if how.may_leave() {
            // A fault shows the flags from before the operation.
            STATUS
        } else {
            let replaced = if how.replaces_flags() { modified } else { 0 };
            read_later & !replaced | instruction.rflags_read() & STATUS
        };
        planned.push(Planned { how, flags_wanted });
    }
    planned.reverse();
    Some(planned)
}

/// The status flags that an instruction may change. A multiplication changes only two, a division none.
fn modified(instruction: &Instruction) -> u32 {
    let all = instruction.rflags_modified() & STATUS;
    match instruction.mnemonic() {
        Mnemonic::Mul | Mnemonic::Imul => all & (RflagsBits::CF | RflagsBits::OF),
        Mnemonic::Div | Mnemonic::Idiv => 0,
        _ => all,
    }
}

/// Whether an instruction may change a status flag.
pub(super) fn modifies(instruction: &Instruction) -> bool {
    instruction.rflags_modified() & STATUS != 0
}

/// Whether an instruction depends on a status flag or changes one.
pub(super) fn concerns(instruction: &Instruction) -> bool {
    (instruction.rflags_modified() | instruction.rflags_read()) & STATUS != 0
}

/// The condition of a Jcc or SETcc, as its opcode has it in the lowest bits.
pub(super) fn condition(instruction: &Instruction) -> u8 {
    (instruction.condition_code() as u8).wrapping_sub(ConditionCode::o as u8)
}

impl Emitter<'_> {
    /// Loads the flags of the host from the frame. Uses `eax`.
    pub(super) fn load_flags(&mut self) {
        // 7Fh overflows only if 1 is added to it.
        dynasm!(self.a; .arch x64; movzx eax, WORD [rsp + frame::FLAGS]; add al, 0x7F; sahf);
        self.flags_held = true;
    }

    /// Loads CF of the host from the frame. Uses `eax`.
    pub(super) fn load_carry(&mut self) {
        if !self.flags_held {
            dynasm!(self.a; .arch x64; movzx eax, WORD [rsp + frame::FLAGS]; bt eax, 8);
        }
    }

    /// Stores CF from `eax` and OF from `ecx` in the frame, and keeps the other flags. Uses `edx`.
    fn save_carry_and_overflow(&mut self) {
        let known = self.label();
        dynasm!(self.a; .arch x64
            ; movzx edx, WORD [rsp + frame::FLAGS]; test dl, dl; jns =>known; and dh, BYTE !0x10
            ; =>known; and edx, 0xFE00; shl eax, 8; or edx, eax; or edx, ecx; mov [rsp + frame::FLAGS], dx);
        self.flags_held = false;
    }

    /// SETcc of a register.
    pub(super) fn set_if(&mut self, instruction: &Instruction) {
        if !self.flags_held {
            self.load_flags();
        }
        let condition = 0x90 + condition(instruction);
        let register = instruction.op0_register();
        // With a prefix R8B to R11B, without it DH.
        let part = register.number() as u8 & 3;
        if is_high_byte(register) {
            dynasm!(self.a; .arch x64; mov edx, Rd(8 + part));
            self.a.extend(&[0x0F, condition, 0xC6]);
            dynasm!(self.a; .arch x64; mov Rd(8 + part), edx);
        } else {
            self.a.extend(&[0x41, 0x0F, condition, 0xC0 | part]);
        }
    }

    /// SAHF: all flags but OF are those of AH.
    pub(super) fn store_flags(&mut self) {
        let in_high = (SF | ZF | AF | PF | CF) << 8;
        dynasm!(self.a; .arch x64
            ; movzx eax, BYTE [rsp + frame::FLAGS]; and eax, 1; mov ecx, r8d; and ecx, in_high as i32; or eax, ecx
            ; mov [rsp + frame::FLAGS], ax);
        self.flags_held = false;
    }

    /// Stores the flags that the host has just set in the frame. Uses `eax`, and `ecx` for shifts.
    pub(super) fn save_flags(&mut self, set: Set) {
        match set {
            Set::Same => dynasm!(self.a; .arch x64; lahf; seto al),
            Set::WithoutBoth => dynasm!(self.a; .arch x64; lahf; mov al, WITHOUT_AF as i8),
            Set::WithoutAf => dynasm!(self.a; .arch x64; lahf; seto al; and ah, BYTE !0x10),
            Set::Shifted => dynasm!(self.a; .arch x64
                ; lahf; mov cl, ah; rol cl, 1; mov al, cl; shr cl, 1; xor al, cl; and al, 1; and ah, BYTE !0x10),
            Set::RotatedLeft(register) => {
                dynasm!(self.a; .arch x64
                    ; mov eax, Rd(register); mov ecx, eax; shr ecx, 31; xor ecx, eax; and ecx, 1; and eax, 1);
                return self.save_carry_and_overflow();
            }
            Set::RotatedRight(register) => {
                dynasm!(self.a; .arch x64
                    ; mov eax, Rd(register); mov ecx, eax; shr eax, 31; shr ecx, 30; and ecx, 1; xor ecx, eax);
                return self.save_carry_and_overflow();
            }
            Set::Multiplied => {
                dynasm!(self.a; .arch x64; seto cl; movzx ecx, cl; mov eax, ecx);
                return self.save_carry_and_overflow();
            }
        }
        dynasm!(self.a; .arch x64; mov [rsp + frame::FLAGS], ax);
        self.flags_held = matches!(set, Set::Same | Set::WithoutBoth);
    }
}
