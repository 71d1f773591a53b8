//! Transfers of control: the outcome and the target, which the schedule needs, too.

use super::Emitter;
use super::planned::{Own, Use, condition, number};
use super::stack::DWORD;
use crate::frame::near;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{FlowControl, Instruction, OpKind};

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
                let condition = condition(instruction);
                if !self.inside_rounds() && self.may_be_usual() {
                    let taken = self.label();
                    self.taken = Some(taken);
                    self.jump_if(condition, taken);
                    return;
                }
                self.a.extend(&[0x0F, 0x90 + condition, 0x44, 0x24, near::TAKEN as u8]);
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
                dynasm!(self.a; .arch x64; mov eax, [rcx + rax]; mov [BYTE rsp + near::NEXT], eax);
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

    /// Goes to `label` if `condition`, as instructions have it in their lowest bits, holds for the host's flags.
    fn jump_if(&mut self, condition: u8, label: DynamicLabel) {
        let a = &mut self.a;
        match condition {
            0x0 => dynasm!(a; .arch x64; jo =>label),
            0x1 => dynasm!(a; .arch x64; jno =>label),
            0x2 => dynasm!(a; .arch x64; jb =>label),
            0x3 => dynasm!(a; .arch x64; jae =>label),
            0x4 => dynasm!(a; .arch x64; je =>label),
            0x5 => dynasm!(a; .arch x64; jne =>label),
            0x6 => dynasm!(a; .arch x64; jbe =>label),
            0x7 => dynasm!(a; .arch x64; ja =>label),
            0x8 => dynasm!(a; .arch x64; js =>label),
            0x9 => dynasm!(a; .arch x64; jns =>label),
            0xA => dynasm!(a; .arch x64; jp =>label),
            0xB => dynasm!(a; .arch x64; jnp =>label),
            0xC => dynasm!(a; .arch x64; jl =>label),
            0xD => dynasm!(a; .arch x64; jge =>label),
            0xE => dynasm!(a; .arch x64; jle =>label),
            _ => dynasm!(a; .arch x64; jg =>label),
        }
    }

    /// Reads the target of an indirect transfer.
    fn target(&mut self, instruction: &Instruction, word: usize) -> Option<DynamicLabel> {
        if instruction.op0_kind() == OpKind::Register {
            dynasm!(self.a; .arch x64; mov [BYTE rsp + near::NEXT], Rd(number(instruction.op0_register())));
            return None;
        }
        self.address(instruction);
        // The push of a call may fail.
        let calls = instruction.flow_control() == FlowControl::IndirectCall;
        let odd = self.access_before(word, DWORD, Use::Reads, calls);
        dynasm!(self.a; .arch x64; mov eax, [rcx + rax]; mov [BYTE rsp + near::NEXT], eax);
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
