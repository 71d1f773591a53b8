//! Transfers of control: the outcome and the target, which the schedule needs, too.

use super::Emitter;
use super::operands::{Use, number};
use super::operations::Own;
use super::stack::DWORD;
use crate::frame;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{Instruction, OpKind};

impl Emitter<'_> {
    pub(super) fn transfer(&mut self, index: usize, instruction: &Instruction, own: Own) {
        let word = self.source.plan.words[index];
        let mut odds: Vec<DynamicLabel> = Vec::new();
        match own {
            Own::JumpIf => {
                if !self.flags_held {
                    self.load_flags();
                }
                // SETcc of a byte at RSP with a displacement of one byte.
                let condition = (instruction.op_code().op_code() & 0xF) as u8;
                self.a.extend(&[0x0F, 0x90 + condition, 0x44, 0x24, frame::TAKEN as u8]);
                return;
            }
            Own::Jump => return,
            Own::JumpTo => odds.extend(self.target(instruction, word)),
            Own::Call => odds.push(self.push_return(instruction, word)),
            Own::CallTo => {
                let read = self.target(instruction, word);
                let pushed = word + usize::from(read.is_some());
                odds.extend(read);
                odds.push(self.push_return(instruction, pushed));
            }
            _ => {
                dynasm!(self.a; .arch x64; mov eax, r12d);
                odds.push(self.access(word, DWORD, Use::Reads));
                dynasm!(self.a; .arch x64; mov eax, [rcx + rax]; mov [rsp + frame::NEXT], eax);
                let dropped = match instruction.op_count() {
                    0 => 0,
                    _ => i32::from(instruction.immediate16()),
                };
                self.drop_stack(DWORD as i32 + dropped);
            }
        }
        let done = self.label();
        dynasm!(self.a; .arch x64; =>done);
        // A handler makes the whole transfer, whatever part of it was made: only the last step has an effect.
        for odd in odds {
            self.otherwise(index, odd, done);
        }
    }

    /// Reads the target of an indirect transfer.
    fn target(&mut self, instruction: &Instruction, word: usize) -> Option<DynamicLabel> {
        if instruction.op0_kind() == OpKind::Register {
            dynasm!(self.a; .arch x64; mov [rsp + frame::NEXT], Rd(number(instruction.op0_register())));
            return None;
        }
        self.address(instruction);
        let odd = self.access(word, DWORD, Use::Reads);
        dynasm!(self.a; .arch x64; mov eax, [rcx + rax]; mov [rsp + frame::NEXT], eax);
        Some(odd)
    }

    /// Pushes the address after a call.
    fn push_return(&mut self, instruction: &Instruction, word: usize) -> DynamicLabel {
        let odd = self.push(word);
        dynasm!(self.a; .arch x64; mov DWORD [rcx + rax], instruction.next_ip32() as i32);
        self.drop_stack(-(DWORD as i32));
        odd
    }
}
