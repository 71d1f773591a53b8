//! What an instruction reads and writes, as far as the order of instructions matters.
//!
//! Registers and flags come from the tables of the decoder. What those leave open counts as both read and written:
//! results that depend on a condition, flags of shifts whose count may be zero, flags that are undefined.

use super::addresses::Operand;
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use p5_meaning::exec::stands_alone;

/// The flags that are followed, one bit each, as the decoder numbers them: OF to AC.
pub const FLAGS: u32 = 0x1FF;

/// Parts of registers, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterParts(pub u64);

impl RegisterParts {
    /// The floating-point unit: its stack, its status, its control word.
    const FLOATING: RegisterParts = RegisterParts(1 << 46);

    /// All parts of a register.
    pub fn of(register: Register) -> RegisterParts {
        if register.is_gpr() {
            let parts = match register {
                Register::AH | Register::CH | Register::DH | Register::BH => 2,
                _ if register.size() == 1 => 1,
                _ if register.size() == 2 => 3,
                _ => 7,
            };
            RegisterParts(parts << (4 * register.full_register32().number()))
        } else if register.is_mm() {
            RegisterParts(1 << (32 + register.number()))
        } else if register.is_segment_register() {
            RegisterParts(1 << (40 + register.number()))
        } else if register.is_st() {
            RegisterParts::FLOATING
        } else {
            RegisterParts(0)
        }
    }

    /// Whether some part is in both.
    pub fn meets(self, other: RegisterParts) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether all parts of `other` are in it.
    pub fn holds(self, other: RegisterParts) -> bool {
        other.0 & !self.0 == 0
    }
}

/// The general register with this number.
pub fn general(number: usize) -> Register {
    Register::EAX + number as u32
}

/// What an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) reads: RegisterParts,
    pub(super) writes: RegisterParts,
    /// The parts that it writes whatever the circumstances.
    pub(super) overwrites: RegisterParts,
    pub(super) flags_read: u32,
    pub(super) flags_written: u32,
    pub(super) flags_overwritten: u32,
    pub(super) accesses: Vec<Operand>,
    /// Whether no other instruction may change places with it.
    pub(super) fixed: bool,
}

impl Effects {
    /// The effects of `instruction`.
    pub(super) fn of(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> Effects {
        let info = factory.info(instruction);
        let mut effects = Effects {
            fixed: is_fixed(instruction),
            ..Effects::default()
        };
        for used in info.used_registers() {
            let parts = RegisterParts::of(used.register());
            let (read, written) = uses(used.access());
            effects.reads.0 |= if read { parts.0 } else { 0 };
            effects.writes.0 |= if written { parts.0 } else { 0 };
            if matches!(used.access(), OpAccess::Write | OpAccess::ReadWrite) {
                effects.overwrites.0 |= parts.0;
            }
        }
        for used in info.used_memory() {
            let (read, written) = uses(used.access());
            if read || written {
                effects.accesses.push(Operand::of(used, written, is_open(instruction)));
            }
        }
        effects.flags_read = instruction.rflags_read() & FLAGS;
        effects.flags_written = instruction.rflags_modified() & FLAGS;
        effects.flags_overwritten = effects.flags_written;
        if keeps_undefined(instruction) {
            let undefined = instruction.rflags_undefined() & FLAGS;
            effects.flags_read |= undefined;
            effects.flags_overwritten &= !undefined;
        }
        if may_shift_by_nothing(instruction) {
            effects.flags_read |= effects.flags_written;
            effects.flags_overwritten = 0;
        }
        if matches!(instruction.mnemonic(), Mnemonic::Bsf | Mnemonic::Bsr) {
            let result = RegisterParts::of(instruction.op0_register());
            effects.reads.0 |= result.0;
            effects.overwrites.0 &= !result.0;
        }
        if is_floating(instruction) {
            // Each depends on the top of the stack and on what is pending.
            effects.reads.0 |= RegisterParts::FLOATING.0;
            effects.writes.0 |= RegisterParts::FLOATING.0;
        } else if is_packed(instruction) {
            // MMX instructions among each other do the same to the unit; only its other instructions see it.
            effects.reads.0 |= RegisterParts::FLOATING.0;
        }
        effects
    }
}

/// Whether an access reads, and whether it writes.
fn uses(access: OpAccess) -> (bool, bool) {
    match access {
        OpAccess::None | OpAccess::NoMemAccess => (false, false),
        OpAccess::Read | OpAccess::CondRead => (true, false),
        OpAccess::Write => (false, true),
        OpAccess::ReadWrite | OpAccess::ReadCondWrite | OpAccess::CondWrite => (true, true),
    }
}

/// Instructions that stay where they are: branches, requests to the machine, what serialises, what is locked or
/// repeated, and what faults for some values of its operands.
fn is_fixed(instruction: &Instruction) -> bool {
    use Mnemonic::{
        Aam, Bound, Cli, Div, Enter, Idiv, Leave, Popa, Popad, Popf, Popfd, Pusha, Pushad, Pushf, Pushfd, Rsm, Sti,
        Xlatb,
    };
    let exchanges_memory = instruction.mnemonic() == Mnemonic::Xchg
        && (0..instruction.op_count()).any(|index| instruction.op_kind(index) == OpKind::Memory);
    instruction.flow_control() != FlowControl::Next
        || stands_alone(instruction)
        || instruction.is_privileged()
        || instruction.is_string_instruction()
        || instruction.has_lock_prefix()
        || exchanges_memory
        || matches!(
            instruction.mnemonic(),
            Aam | Bound
                | Cli
                | Div
                | Enter
                | Idiv
                | Leave
                | Popa
                | Popad
                | Popf
                | Popfd
                | Pusha
                | Pushad
                | Pushf
                | Pushfd
                | Rsm
                | Sti
                | Xlatb
        )
}

/// Whether the decoder's table does not tell which bytes of memory it uses: the bit that an index selects may be far
/// from the operand.
fn is_open(instruction: &Instruction) -> bool {
    use Mnemonic::{Bt, Btc, Btr, Bts};
    matches!(instruction.mnemonic(), Bt | Btc | Btr | Bts) && instruction.op1_kind() == OpKind::Register
}

/// Whether the flags that it leaves undefined may depend on what they were. Those of logic and shifts depend on the
/// result alone.
fn keeps_undefined(instruction: &Instruction) -> bool {
    use Mnemonic::{And, Or, Sal, Sar, Shl, Shld, Shr, Shrd, Test, Xor};
    !matches!(
        instruction.mnemonic(),
        And | Or | Sal | Sar | Shl | Shld | Shr | Shrd | Test | Xor
    )
}

/// Whether it is a shift or rotate that leaves the flags as they are if its count is zero, and the count may be.
fn may_shift_by_nothing(instruction: &Instruction) -> bool {
    use Mnemonic::{Rcl, Rcr, Rol, Ror, Sal, Sar, Shl, Shld, Shr, Shrd};
    if !matches!(
        instruction.mnemonic(),
        Rcl | Rcr | Rol | Ror | Sal | Sar | Shl | Shld | Shr | Shrd
    ) {
        return false;
    }
    match instruction.op_count().checked_sub(1) {
        Some(count) if instruction.op_kind(count) == OpKind::Immediate8 => instruction.immediate8() & 0x1F == 0,
        _ => true,
    }
}

fn is_floating(instruction: &Instruction) -> bool {
    let code = instruction.code().op_code();
    let escape = code.op_code() >> if code.op_code_len() == 2 { 8 } else { 0 };
    let plain = code.table() == iced_x86::OpCodeTableKind::Normal;
    plain && (0xD8..=0xDF).contains(&escape) || matches!(instruction.mnemonic(), Mnemonic::Wait | Mnemonic::Emms)
}

fn is_packed(instruction: &Instruction) -> bool {
    (0..instruction.op_count())
        .any(|index| instruction.op_kind(index) == OpKind::Register && instruction.op_register(index).is_mm())
}
