//! Operations: what is done for each instruction of a block, and the code for it.
//!
//! Operations that are not translated are executed by their handlers.

use super::flags::{self, Set};
use super::operands::{self, Translated, Use, number, register, translated};
use super::reals::{self, Real};
use super::{Emitter, Ending};
use crate::frame;
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{Code, FlowControl, Instruction, Mnemonic, OpKind, Register};
use p5_meaning::exec;

/// How an operation is executed.
#[derive(Clone, Debug)]
pub(super) enum How {
    /// By an instruction of the host, which sets the flags so; and what it does with memory.
    Host(Translated, Set, Option<Use>),
    /// By a few instructions of the host.
    Own(Own),
    /// By its handler.
    Handler,
}

/// Operations with code of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    Nothing,
    LoadAddress,
    SignOfAccumulator,
    WidenAccumulator,
    Multiply {
        signed: bool,
    },
    Divide {
        signed: bool,
    },
    PushRegister,
    PushImmediate,
    PopRegister,
    Leave,
    /// SETcc of a register.
    SetIf,
    /// SAHF.
    StoreFlags,
    Jump,
    JumpIf,
    JumpTo,
    Call,
    CallTo,
    Return,
    Real(Real),
}

impl Own {
    /// Whether it transfers control to a target that is computed, or calls.
    fn is_computed(self) -> bool {
        matches!(self, Own::JumpTo | Own::Call | Own::CallTo | Own::Return)
    }
}

impl How {
    /// Whether the operation may end the block.
    pub(super) fn may_leave(&self) -> bool {
        match self {
            How::Host(_, _, used) => used.is_some(),
            How::Own(own) => !matches!(
                own,
                Own::Nothing
                    | Own::LoadAddress
                    | Own::SignOfAccumulator
                    | Own::WidenAccumulator
                    | Own::Multiply { .. }
                    | Own::SetIf
                    | Own::StoreFlags
                    | Own::Jump
                    | Own::JumpIf
            ),
            How::Handler => true,
        }
    }

    /// Whether the flags that it modifies do not depend on their values before.
    pub(super) fn replaces_flags(&self) -> bool {
        matches!(self, How::Host(..) | How::Own(_))
    }
}

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

/// How an instruction is executed that has `facts` fact words. `wanted` if a flag that it sets may be read later, and
/// `any_wanted` if any flag may be.
pub(super) fn how(instruction: &Instruction, wanted: bool, any_wanted: bool, facts: usize) -> Option<How> {
    if instruction.has_lock_prefix() {
        return Some(How::Handler);
    }
    if let Some(own) = own(instruction, wanted, facts) {
        return Some(How::Own(own));
    }
    let host = host(instruction, wanted, any_wanted).and_then(|(set, used)| {
        let expected = used.map_or(0, Use::words);
        (expected == facts).then_some(())?;
        Some(How::Host(translated(instruction)?, set, used))
    });
    Some(host.unwrap_or(How::Handler))
}

/// How the host's instruction sets flags and uses memory, if it does the same.
fn host(instruction: &Instruction, wanted: bool, any_wanted: bool) -> Option<(Set, Option<Use>)> {
    use Mnemonic::{
        Adc, Add, And, Bswap, Cmp, Dec, Imul, Inc, Mov, Movsx, Movzx, Neg, Not, Or, Rol, Ror, Sar, Sbb, Shl, Shr, Sub,
        Test, Xchg, Xor,
    };
    let in_memory = instruction.op0_kind() == OpKind::Memory;
    let reads = (1..instruction.op_count()).any(|index| instruction.op_kind(index) == OpKind::Memory);
    let used = |first: Use| match (in_memory, reads) {
        (true, _) => Some(first),
        (false, true) => Some(Use::Reads),
        (false, false) => None,
    };
    Some(match instruction.mnemonic() {
        Mov => (Set::Same, used(Use::Writes)),
        Movzx | Movsx if instruction.op0_register().is_gpr32() => (Set::Same, used(Use::Reads)),
        Bswap if instruction.op0_register().is_gpr32() => (Set::Same, None),
        Xchg if !in_memory && !reads && instruction.op0_register().is_gpr32() => (Set::Same, None),
        Add | Sub | Adc | Sbb | Neg | Inc | Dec => (Set::Same, used(Use::Modifies)),
        Cmp => (Set::Same, used(Use::Reads)),
        Test => (Set::WithoutBoth, used(Use::Reads)),
        And | Or | Xor => (Set::WithoutBoth, used(Use::Modifies)),
        Not => (Set::Same, used(Use::Modifies)),
        Imul if instruction.op_count() > 1 && instruction.op0_register().is_gpr32() => {
            (Set::Multiplied, used(Use::Reads))
        }
        Shl | Shr | Sar if !in_memory => (shifted(instruction, wanted, any_wanted)?, None),
        Rol | Ror if !in_memory => (shifted(instruction, wanted, any_wanted)?, None),
        _ => return None,
    })
}

/// How a shift of a register sets flags.
fn shifted(instruction: &Instruction, wanted: bool, any_wanted: bool) -> Option<Set> {
    if !instruction.op0_register().is_gpr32() {
        return None;
    }
    let count = match instruction.op1_kind() {
        OpKind::Immediate8 => u32::from(instruction.immediate8()) & 31,
        // A count of zero keeps the flags.
        OpKind::Register => return (!any_wanted).then_some(Set::Same),
        _ => 1,
    };
    if count == 0 {
        return None;
    }
    Some(match instruction.mnemonic() {
        _ if !wanted => Set::Shifted,
        Mnemonic::Rol => Set::RotatedLeft(number(instruction.op0_register())),
        Mnemonic::Ror => Set::RotatedRight(number(instruction.op0_register())),
        Mnemonic::Sar => Set::WithoutBoth,
        _ if count == 1 => Set::WithoutAf,
        // Two zeros have come in at the top.
        Mnemonic::Shr => Set::WithoutBoth,
        _ => Set::Shifted,
    })
}

/// Whether an instruction is SETcc of a register.
fn is_set_if(instruction: &Instruction) -> bool {
    use Mnemonic::{
        Seta, Setae, Setb, Setbe, Sete, Setg, Setge, Setl, Setle, Setne, Setno, Setnp, Setns, Seto, Setp, Sets,
    };
    instruction.op0_kind() == OpKind::Register
        && matches!(
            instruction.mnemonic(),
            Seta | Setae
                | Setb
                | Setbe
                | Sete
                | Setg
                | Setge
                | Setl
                | Setle
                | Setne
                | Setno
                | Setnp
                | Setns
                | Seto
                | Setp
                | Sets
        )
}

fn own(instruction: &Instruction, wanted: bool, facts: usize) -> Option<Own> {
    let flat = operands::has_flat_address(instruction);
    let in_register = instruction.op0_kind() == OpKind::Register && register(instruction.op0_register()).is_some();
    let target = in_register || instruction.op0_kind() == OpKind::Memory && flat;
    Some(match instruction.code() {
        Code::Nopd | Code::Nopw => Own::Nothing,
        Code::Lea_r32_m if flat || instruction.memory_base().is_gpr32() || instruction.memory_index().is_gpr32() => {
            Own::LoadAddress
        }
        Code::Cdq => Own::SignOfAccumulator,
        Code::Cwde => Own::WidenAccumulator,
        Code::Mul_rm32 if in_register && !wanted && facts == 0 => Own::Multiply { signed: false },
        Code::Imul_rm32 if in_register && !wanted && facts == 0 => Own::Multiply { signed: true },
        Code::Div_rm32 if in_register && facts == 0 => Own::Divide { signed: false },
        Code::Idiv_rm32 if in_register && facts == 0 => Own::Divide { signed: true },
        Code::Push_r32 => Own::PushRegister,
        Code::Pushd_imm8 | Code::Pushd_imm32 => Own::PushImmediate,
        Code::Pop_r32 => Own::PopRegister,
        Code::Leaved => Own::Leave,
        Code::Jmp_rel8_32 | Code::Jmp_rel32_32 => Own::Jump,
        Code::Jmp_rm32 if target => Own::JumpTo,
        Code::Call_rel32_32 => Own::Call,
        Code::Call_rm32 if target => Own::CallTo,
        Code::Retnd | Code::Retnd_imm16 => Own::Return,
        Code::Sahf => Own::StoreFlags,
        _ if instruction.is_jcc_short_or_near() => Own::JumpIf,
        _ if is_set_if(instruction) => Own::SetIf,
        _ => return reals::real(instruction, facts).map(Own::Real),
    })
}

impl Emitter<'_> {
    /// Generates the code of all operations.
    pub(super) fn operations(&mut self) -> Option<()> {
        let source = self.source;
        let words = &source.plan.words;
        let facts = |index: usize| words[index + 1] - words[index];
        let planned = flags::plan(source.instructions, facts)?;
        if !self.inside_rounds() {
            let simple = |how: &How| match how {
                How::Host(..) => true,
                How::Own(own) => !own.is_computed() && !matches!(own, Own::Divide { .. }),
                How::Handler => false,
            };
            self.prepare_rounds(planned.iter().all(|planned| simple(&planned.how)));
        }
        for (index, flags::Planned { how, flags_wanted }) in planned.into_iter().enumerate() {
            let instruction = &source.instructions[index];
            match how {
                How::Host(host, set, used) => self.host(index, instruction, &host, used, flags_wanted.then_some(set)),
                How::Own(own) => self.own(index, instruction, own),
                How::Handler => {
                    self.all_made &= facts(index) == 0;
                    self.call_handler(index, flags::concerns(instruction));
                    self.flags_held = false;
                }
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
    ) {
        let odd = used.map(|used| {
            self.address(instruction);
            let size = instruction.memory_size().size() as u32;
            self.access(self.source.plan.words[index], size, used)
        });
        match instruction.mnemonic() {
            Mnemonic::Adc | Mnemonic::Sbb => self.carry_in(odd.is_some()),
            Mnemonic::Inc | Mnemonic::Dec if set.is_some() => self.carry_in(odd.is_some()),
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
        match set {
            Some(set) => self.save_flags(set),
            None if flags::modifies(instruction) => self.flags_held = false,
            None => {}
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
            dynasm!(self.a; .arch x64; movzx edx, WORD [rsp + frame::FLAGS]; bt edx, 8);
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
            Own::SetIf => self.set_if(instruction),
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
