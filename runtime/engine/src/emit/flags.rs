//! The moves of flags between the host and the frame.

use super::Emitter;
use super::planned::{Set, condition, is_high_byte, number};
use crate::frame::{WITHOUT_AF, near};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::Instruction;
use p5_words::flags::{AF, CF, PF, SF, ZF};

impl Emitter<'_> {
    /// Loads the flags of the host from the frame. Uses `eax`.
    pub(super) fn load_flags(&mut self) {
        // 7Fh overflows only if 1 is added to it.
        dynasm!(self.a; .arch x64; movzx eax, WORD [BYTE rsp + near::FLAGS]; add al, 0x7F; sahf);
        self.flags_held = true;
    }

    /// Loads CF of the host from the frame. Uses `eax`.
    pub(super) fn load_carry(&mut self) {
        if !self.flags_held {
            dynasm!(self.a; .arch x64; movzx eax, WORD [BYTE rsp + near::FLAGS]; bt eax, 8);
        }
    }

    /// Stores CF from `eax` and OF from `ecx` in the frame, and keeps the other flags. Uses `edx`.
    fn save_carry_and_overflow(&mut self) {
        let known = self.label();
        dynasm!(self.a; .arch x64
            ; movzx edx, WORD [BYTE rsp + near::FLAGS]; test dl, dl; jns =>known; and dh, BYTE !0x10
            ; =>known; and edx, 0xFE00; shl eax, 8; or edx, eax; or edx, ecx; mov [BYTE rsp + near::FLAGS], dx);
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

    /// CMOVcc of a register, whose source is a register or, if it is `EDX`, what that holds.
    pub(super) fn move_if(&mut self, instruction: &Instruction, source: u8) {
        if !self.flags_held {
            self.load_flags();
        }
        let (condition, to) = (0x40 + condition(instruction), number(instruction.op0_register()));
        // A prefix for registers from R8 on: 4 for the destination, 1 for the source.
        self.a
            .extend(&[0x44 | source >> 3, 0x0F, condition, 0xC0 | (to & 7) << 3 | source & 7]);
    }

    /// SAHF: all flags but OF are those of AH.
    pub(super) fn store_flags(&mut self) {
        let in_high = (SF | ZF | AF | PF | CF) << 8;
        dynasm!(self.a; .arch x64
            ; movzx eax, BYTE [BYTE rsp + near::FLAGS]; and eax, 1; mov ecx, r8d; and ecx, in_high as i32; or eax, ecx
            ; mov [BYTE rsp + near::FLAGS], ax);
        self.flags_held = false;
    }

    /// Stores the flags that the host has just set in the frame. Uses `eax`, and `ecx` for shifts.
    pub(super) fn save_flags(&mut self, set: Set) {
        match set {
            Set::Same => dynasm!(self.a; .arch x64; lahf; seto al),
            Set::WithoutBoth | Set::ShiftedByMore => dynasm!(self.a; .arch x64; lahf; mov al, WITHOUT_AF as i8),
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
        dynasm!(self.a; .arch x64; mov [BYTE rsp + near::FLAGS], ax);
        self.flags_held = matches!(set, Set::Same | Set::WithoutBoth);
    }
}
