//! The registers, flags and memory that an instruction reads and writes, as far as its order among others matters.
//!
//! Registers and flags come from the tables of the decoder. Results that the tables leave open count as both read and
//! written: those that depend on a condition, the flags of shifts whose count may be zero, and undefined flags.

use super::operand::Operand;
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use p5_meaning::exec::stands_alone;

/// The flags that are followed, one bit each, with the decoder's numbers: OF to AC.
pub const FLAGS: u32 = 0x1FF;

/// A set of parts of registers, one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RegisterParts(pub u64);

impl RegisterParts {
    /// The floating-point unit: its stack, status and control word.
    const FLOATING: RegisterParts = RegisterParts(1 << 46);

    /// The set of all parts of a register.
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

    /// Whether the two sets have a part in common.
    pub fn meets(self, other: RegisterParts) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether this set includes all of `other`.
    pub fn holds(self, other: RegisterParts) -> bool {
        other.0 & !self.0 == 0
    }
}

/// The 32-bit general register with this number, 0 to 7.
pub fn general(number: usize) -> Register {
    Register::EAX + number as u32
}

/// The effects of one instruction.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) reads: RegisterParts,
    pub(super) writes: RegisterParts,
    /// The parts that it writes under all conditions.
    pub(super) overwrites: RegisterParts,
    pub(super) flags_read: u32,
    /// The flags that may keep their values although the instruction may write them, so that an earlier value of them
    /// goes on, but into nothing else.
    pub(super) flags_kept: u32,
    pub(super) flags_written: u32,
    pub(super) flags_overwritten: u32,
    pub(super) accesses: Vec<Operand>,
    /// Whether every other instruction keeps its place relative to this one.
    pub(super) fixed: bool,
    /// The register that it changes by something else, as others may, too.
    pub(super) gathers: Option<(Register, Gathered)>,
}

/// The operations of which several may be applied to a register in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Gathered {
    Sum,
    Xor,
    And,
    Or,
}

impl Effects {
    pub(super) fn of(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> Effects {
        let info = factory.info(instruction);
        let mut effects = Effects {
            fixed: is_fixed(instruction),
            gathers: gathers(instruction),
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
            effects.flags_kept |= undefined;
            effects.flags_overwritten &= !undefined;
        }
        if may_shift_by_nothing(instruction) {
            effects.flags_kept |= effects.flags_written;
            effects.flags_overwritten = 0;
        }
        if matches!(instruction.mnemonic(), Mnemonic::Bsf | Mnemonic::Bsr) {
            let result = RegisterParts::of(instruction.op0_register());
            effects.reads.0 |= result.0;
            effects.overwrites.0 &= !result.0;
        }
        if is_floating(instruction) {
            // Each of them depends on the top of the stack and on pending exceptions.
            effects.reads.0 |= RegisterParts::FLOATING.0;
            effects.writes.0 |= RegisterParts::FLOATING.0;
        } else if is_packed(instruction) {
            // MMX instructions affect the unit in the same way, so only its other instructions depend on them.
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

/// The register that the instruction changes by an operand that does not depend on it, and the operation.
fn gathers(instruction: &Instruction) -> Option<(Register, Gathered)> {
    use Mnemonic::{Add, And, Dec, Inc, Lea, Or, Sub, Xor};
    let register = instruction.op0_register();
    // What lies below ESP may be overwritten at any time.
    if instruction.op0_kind() != OpKind::Register || !register.is_gpr() || uses_stack(register) {
        return None;
    }
    let addresses = [instruction.memory_base(), instruction.memory_index()];
    let uses = |other: Register| RegisterParts::of(other).meets(RegisterParts::of(register));
    let how = match instruction.mnemonic() {
        Inc | Dec => return Some((register, Gathered::Sum)),
        Lea => {
            let [base, index] = addresses;
            let once = match (uses(base), uses(index)) {
                (true, false) => base == register,
                (false, true) => index == register && instruction.memory_index_scale() == 1,
                _ => false,
            };
            return (once && register.is_gpr32()).then_some((register, Gathered::Sum));
        }
        Add | Sub => Gathered::Sum,
        Xor => Gathered::Xor,
        And => Gathered::And,
        Or => Gathered::Or,
        _ => return None,
    };
    let own = match instruction.op1_kind() {
        OpKind::Register => uses(instruction.op1_register()),
        OpKind::Memory => addresses.iter().any(|&address| uses(address)),
        _ => false,
    };
    (!own).then_some((register, how))
}

fn uses_stack(register: Register) -> bool {
    RegisterParts::of(register).meets(RegisterParts::of(Register::ESP))
}

/// Whether the instruction keeps its place: a branch, a request to the machine, a move of the whole stack, one that
/// serialises, is locked or repeated, or one that faults for some values of its operands.
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
        || instruction.mnemonic() == Mnemonic::Mov && uses_stack(instruction.op0_register())
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

/// Whether the decoder's table does not tell which bytes of memory the instruction uses: the bit that an index selects
/// may be far from the operand.
fn is_open(instruction: &Instruction) -> bool {
    use Mnemonic::{Bt, Btc, Btr, Bts};
    matches!(instruction.mnemonic(), Bt | Btc | Btr | Bts) && instruction.op1_kind() == OpKind::Register
}

/// Whether the flags that the instruction leaves undefined may depend on their previous values. Those of logic, shifts
/// and rotates depend on the result and the carry alone.
fn keeps_undefined(instruction: &Instruction) -> bool {
    use Mnemonic::{And, Or, Rcl, Rcr, Rol, Ror, Sal, Sar, Shl, Shld, Shr, Shrd, Test, Xor};
    !matches!(
        instruction.mnemonic(),
        And | Or | Rcl | Rcr | Rol | Ror | Sal | Sar | Shl | Shld | Shr | Shrd | Test | Xor
    )
}

/// Whether the instruction is a shift or rotate whose count may be zero, in which case it leaves the flags as they are.
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
