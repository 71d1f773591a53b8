//! Operations: the code for each instruction of a block.
//!
//! Operations that are not translated are executed by their handlers.

use super::again::decide;
use super::planned::{How, Own, Planned, Repeat, Set, Translated, Use, concerns, modifies, number, plan};
use super::reals::{Runs, Unit};
use super::stack::DWORD;
use super::{Emitter, Ending};
use crate::frame::near;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{FlowControl, Instruction, Mnemonic, OpKind, Register};
use p5_meaning::exec;

/// The way that a block of these instructions ends; `None` if it is not suited.
pub(crate) fn ending(instructions: &[Instruction]) -> Option<Ending> {
    let unsuited = |instruction: &Instruction| {
        exec::stands_alone(instruction) || matches!(instruction.mnemonic(), Mnemonic::Popf | Mnemonic::Popfd)
    };
    if instructions.iter().any(unsuited) {
        return None;
    }
    let last = instructions.last()?;
    let after = last.next_ip32();
    let near = last.op0_kind() == OpKind::NearBranch32;
    match last.flow_control() {
        FlowControl::Next => Some(Ending::Falls(after)),
        FlowControl::ConditionalBranch if near => Some(Ending::Chooses(last.near_branch32(), after)),
        FlowControl::UnconditionalBranch | FlowControl::Call if near => Some(Ending::Jumps(last.near_branch32())),
        FlowControl::Return | FlowControl::IndirectBranch | FlowControl::IndirectCall => Some(Ending::Computed),
        _ => None,
    }
}

impl Emitter<'_> {
    /// Generates the code of all operations.
    pub(super) fn operations(&mut self) -> Option<()> {
        let source = self.source;
        let words = &source.plan.words;
        let facts = |index: usize| words[index + 1] - words[index];
        let mut planned = plan(source.instructions, facts)?;
        decide(&mut planned, source.instructions);
        let runs = Runs::of(&mut planned);
        if !self.inside_rounds() {
            let simple = |how: &How| match how {
                How::Host(..) => true,
                How::Own(own) => !own.is_computed() && !matches!(own, Own::Divide { .. } | Own::Real(_)),
                How::Handler => false,
            };
            self.prepare_rounds(planned.iter().all(|planned| simple(&planned.how)));
        }
        self.left_flags.clear();
        for (index, planned) in planned.into_iter().enumerate() {
            let Planned {
                how,
                flags_wanted,
                again,
            } = planned;
            let instruction = &source.instructions[index];
            self.flags_before.clone_from(&self.left_flags);
            let keeps = matches!(
                how,
                How::Handler | How::Own(Own::Divide { .. } | Own::Real(_) | Own::StoreFlags)
            );
            if flags_wanted || keeps {
                // What was left before is set anew, or goes before the operation.
                if again.is_none_or(Repeat::sets_all) {
                    self.left_flags.clear();
                }
                self.left_flags.extend(again);
            }
            if let Some(run) = runs.beginning(index) {
                self.begin_run(index, run);
            }
            match how {
                How::Host(host, set, used) => {
                    let set = flags_wanted.then_some(set);
                    self.host(index, instruction, &host, used, set, again);
                }
                How::Own(own) => self.own(index, instruction, own),
                How::Handler => {
                    self.all_made &= facts(index) == 0;
                    self.call_handler(index, concerns(instruction), Unit::default());
                    self.flags_held = false;
                }
            }
            if runs.ends(index) {
                self.end_run();
            }
        }
        if !self.inside_rounds() {
            self.reconsider_rounds();
        }
        Some(())
    }

    /// An operation that an instruction of the host executes.
    fn host(
        &mut self,
        index: usize,
        instruction: &Instruction,
        host: &Translated,
        used: Option<Use>,
        set: Option<Set>,
        again: Option<Repeat>,
    ) {
        let odd = used.map(|used| {
            self.address(instruction);
            let size = instruction.memory_size().size() as u32;
            self.access(self.source.plan.words[index], size, used)
        });
        match instruction.mnemonic() {
            Mnemonic::Adc | Mnemonic::Sbb => self.carry_in(odd.is_some()),
            Mnemonic::Inc | Mnemonic::Dec if set.is_some() && again.is_none() => self.carry_in(odd.is_some()),
            _ if (1..instruction.op_count()).any(|index| instruction.op_register(index) == Register::CL)
                && matches!(
                    instruction.mnemonic(),
                    Mnemonic::Shl | Mnemonic::Shr | Mnemonic::Sar | Mnemonic::Rol | Mnemonic::Ror
                ) =>
            {
                dynasm!(self.a; .arch x64; mov ecx, r9d);
            }
            _ => {}
        }
        for &(place, of) in &host.before {
            dynasm!(self.a; .arch x64; mov Rd(place), Rd(of));
        }
        self.a.extend(&host.bytes);
        if let Some((to, place)) = host.after {
            dynasm!(self.a; .arch x64; mov Rd(to), Rd(place));
        }
        match (set, again) {
            (Some(set), None) => self.save_flags(set),
            // CF of the host is that of the program only if the operation sets it.
            (Some(_), Some(again)) => self.flags_held = again.sets_all(),
            (None, _) if modifies(instruction) => self.flags_held = false,
            (None, _) => {}
        }
        if let Some(odd) = odd {
            let done = self.label();
            dynasm!(self.a; .arch x64; =>done);
            self.otherwise(index, odd, done);
        }
    }

    /// Loads CF before an operation that reads it. With `addressed`, `rcx + rax` is an address that is needed.
    fn carry_in(&mut self, addressed: bool) {
        if addressed {
            dynasm!(self.a; .arch x64; movzx edx, WORD [BYTE rsp + near::FLAGS]; bt edx, 8);
        } else {
            self.load_carry();
        }
    }

    fn own(&mut self, index: usize, instruction: &Instruction, own: Own) {
        match own {
            Own::Nothing => {}
            Own::LoadAddress => {
                self.address(instruction);
                dynasm!(self.a; .arch x64; mov Rd(number(instruction.op0_register())), eax);
            }
            Own::SignOfAccumulator => {
                dynasm!(self.a; .arch x64; mov r10d, r8d; sar r10d, 31);
                self.flags_held = false;
            }
            Own::WidenAccumulator => dynasm!(self.a; .arch x64; movsx r8d, r8w),
            Own::Multiply { signed } => {
                let factor = number(instruction.op0_register());
                dynasm!(self.a; .arch x64; mov eax, r8d);
                match signed {
                    true => dynasm!(self.a; .arch x64; imul Rd(factor)),
                    false => dynasm!(self.a; .arch x64; mul Rd(factor)),
                }
                dynasm!(self.a; .arch x64; mov r8d, eax; mov r10d, edx);
                self.flags_held = false;
            }
            Own::Divide { signed } => self.divide(index, number(instruction.op0_register()), signed),
            Own::PushRegister | Own::PushImmediate | Own::PopRegister | Own::Leave => {
                self.stack(index, instruction, own);
            }
            Own::PushMemory => self.push_memory(index, instruction),
            Own::SetIf => self.set_if(instruction),
            Own::MoveIf => self.move_if(instruction, number(instruction.op1_register())),
            Own::MoveIfFromMemory => {
                const EDX: u8 = 2;
                self.address(instruction);
                let odd = self.access(self.source.plan.words[index], DWORD, Use::Reads);
                dynasm!(self.a; .arch x64; mov edx, [rcx + rax]);
                self.move_if(instruction, EDX);
                let done = self.label();
                dynasm!(self.a; .arch x64; =>done);
                self.otherwise(index, odd, done);
            }
            Own::StoreFlags => self.store_flags(),
            Own::Real(real) => self.real(index, instruction, real),
            _ => self.transfer(index, instruction, own),
        }
    }

    /// Divides by register `divisor` of the host. A division that may fail is left to the handler.
    fn divide(&mut self, index: usize, divisor: u8, signed: bool) {
        let [odd, done] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64; mov eax, r8d; mov edx, r10d);
        if signed {
            // The dividend is a number of 32 bits, and the divisor neither 0 nor -1.
            dynasm!(self.a; .arch x64
                ; mov ecx, eax; sar ecx, 31; cmp ecx, edx; jne =>odd
                ; lea ecx, [Rq(divisor) + 1]; cmp ecx, 1; jbe =>odd; idiv Rd(divisor));
        } else {
            dynasm!(self.a; .arch x64; cmp edx, Rd(divisor); jae =>odd; div Rd(divisor));
        }
        dynasm!(self.a; .arch x64; mov r8d, eax; mov r10d, edx; =>done);
        self.flags_held = false;
        self.otherwise(index, odd, done);
    }
}
