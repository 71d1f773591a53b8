//! PUSH, POP and LEAVE on a stack of 32 bits.

use super::Emitter;
use super::planned::{Own, Use, number};
use crate::frame;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{Code, Instruction, Register};

/// The size of what is pushed and popped.
pub(super) const DWORD: u32 = 4;

impl Emitter<'_> {
    pub(super) fn stack(&mut self, index: usize, instruction: &Instruction, own: Own) {
        let word = self.source.plan.words[index];
        let odd;
        match own {
            Own::PushRegister => {
                odd = self.push(word);
                let value = number(instruction.op0_register());
                dynasm!(self.a; .arch x64; mov [rcx + rax], Rd(value));
                self.drop_stack(-(DWORD as i32));
            }
            Own::PushImmediate => {
                odd = self.push(word);
                let value = match instruction.code() {
                    Code::Pushd_imm8 => instruction.immediate8to32(),
                    _ => instruction.immediate32() as i32,
                };
                dynasm!(self.a; .arch x64; mov DWORD [rcx + rax], value);
                self.drop_stack(-(DWORD as i32));
            }
            Own::PopRegister => {
                dynasm!(self.a; .arch x64; mov eax, r12d);
                odd = self.access(word, DWORD, Use::Reads);
                if instruction.op0_register() != Register::ESP {
                    self.drop_stack(DWORD as i32);
                }
                dynasm!(self.a; .arch x64; mov Rd(number(instruction.op0_register())), [rcx + rax]);
            }
            _ => {
                dynasm!(self.a; .arch x64; mov eax, r13d);
                odd = self.access(word, DWORD, Use::Reads);
                dynasm!(self.a; .arch x64; lea r12d, [r13 + DWORD as i32]; mov r13d, [rcx + rax]);
            }
        }
        let done = self.label();
        dynasm!(self.a; .arch x64; =>done);
        self.otherwise(index, odd, done);
    }

    /// PUSH of a dword in memory. If the push fails, it has not been read.
    pub(super) fn push_memory(&mut self, index: usize, instruction: &Instruction) {
        let word = self.source.plan.words[index];
        self.address(instruction);
        let unread = self.access_before(word, DWORD, Use::Reads, true);
        dynasm!(self.a; .arch x64; mov eax, [rcx + rax]; mov [rsp + frame::PUSHED], eax);
        let unwritten = self.push(word + 1);
        dynasm!(self.a; .arch x64; mov edx, [rsp + frame::PUSHED]; mov [rcx + rax], edx);
        self.drop_stack(-(DWORD as i32));
        let done = self.label();
        dynasm!(self.a; .arch x64; =>done);
        for odd in [unread, unwritten] {
            self.otherwise(index, odd, done);
        }
    }

    /// Makes the dword below the top of the stack possible to write at `rcx + rax`.
    pub(super) fn push(&mut self, word: usize) -> dynasmrt::DynamicLabel {
        dynasm!(self.a; .arch x64; lea eax, [r12 - DWORD as i32]);
        self.access(word, DWORD, Use::Writes)
    }

    /// Moves the stack pointer.
    pub(super) fn drop_stack(&mut self, bytes: i32) {
        dynasm!(self.a; .arch x64; lea r12d, [r12 + bytes]);
    }
}
