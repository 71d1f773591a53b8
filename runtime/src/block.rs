//! An instruction as time sees it: decoded once, looked up once, its dependencies taken from the decoder's own tables.
//!
//! Register masks have one bit for each 32-bit general register (bit 0 EAX to bit 7 EDI): any part of a register counts
//! as the whole of it.

mod form;
mod shape;

use crate::model::{Class, Clocks, Model, Row};
use form::{has_memory, has_memory_operand, holds, memory_or_operand_size, register_bit};
use iced_x86::{Code, ConstantOffsets, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind};
use shape::{accesses, branch, counted, decoded_prefixes, loads_segment, repeated, stack};

/// ESP's bit in a register mask.
pub(crate) const ESP: u8 = 1 << 4;
/// EAX's bit in a register mask.
const EAX: u8 = 1;
/// EAX's and EDX's bits in a register mask.
const EDX_EAX: u8 = 0b101;

/// One data access of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Access {
    /// Whether it writes.
    pub(crate) write: bool,
    /// Bytes.
    pub(crate) size: u8,
}

/// What kind of branch an instruction is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Branch {
    /// It is none.
    None,
    /// Jcc, LOOP, JCXZ.
    Conditional,
    /// Near JMP, CALL and RET, direct or not.
    Near,
    /// Far transfers, INT and IRET, which are never predicted.
    Far,
}

/// How an instruction uses the stack pointer by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stack {
    /// Not at all, or not in a way that pairs.
    None,
    /// PUSH of a register or an immediate.
    Push,
    /// POP of a register.
    Pop,
    /// Direct near CALL.
    Call,
}

/// A repeated string instruction's element accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repeated {
    /// The access at the source address, if it has one.
    pub(crate) source: Option<Access>,
    /// The access at the destination address, if it has one.
    pub(crate) destination: Option<Access>,
}

/// One instruction, with all that its timing depends on.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    /// The decoded instruction, for reports.
    pub(crate) instruction: Instruction,
    /// Its linear address.
    pub(crate) address: u32,
    /// Its length in bytes.
    pub(crate) length: u8,
    /// Its row of the timing table.
    pub(crate) row: &'static Row,
    /// How many prefixes cost a decode clock, the 0Fh of two-byte opcodes included.
    pub(crate) prefixes: u8,
    /// Registers it reads.
    pub(crate) reads: u8,
    /// Registers it writes, as pairing sees them.
    pub(crate) writes: u8,
    /// Registers it writes such that an address computed in the next clock has to wait.
    pub(crate) interlocks: u8,
    /// Registers its addresses are computed from.
    pub(crate) address_registers: u8,
    /// Registers a 32-bit multiply leaves unsettled for microcode.
    pub(crate) unsettled: u8,
    /// Its data accesses, in the order they are made.
    pub(crate) accesses: Vec<Access>,
    /// Set for a repeated string instruction, whose accesses are counted at run time.
    pub(crate) repeated: Option<Repeated>,
    /// Whether it leaves a count behind its addresses.
    pub(crate) counted: bool,
    /// Whether it has both a displacement and an immediate.
    pub(crate) displacement_and_immediate: bool,
    /// Whether it reads, modifies and writes memory.
    pub(crate) modifies_memory: bool,
    /// What kind of branch it is.
    pub(crate) branch: Branch,
    /// Its implicit stack use, for pairing.
    pub(crate) stack: Stack,
    /// Whether its operands name ESP.
    pub(crate) names_esp: bool,
    /// Whether its memory access is locked.
    pub(crate) locked: bool,
    /// Whether it accesses I/O space.
    pub(crate) io: bool,
    /// Whether it loads a segment or descriptor table register.
    pub(crate) loads_segment: bool,
    /// Whether it keeps the floating-point multiplier busy.
    pub(crate) multiplies: bool,
}

impl Op {
    /// Words of [`crate::facts::Facts`] the instruction leaves.
    pub(crate) fn fact_words(&self) -> usize {
        if self.repeated.is_some() {
            4
        } else {
            self.accesses.len() + usize::from(self.counted)
        }
    }

    /// The address after its last byte.
    pub(crate) fn end(&self) -> u32 {
        self.address.wrapping_add(u32::from(self.length))
    }

    /// The address of its last byte.
    pub(crate) fn last_byte(&self) -> u32 {
        self.address.wrapping_add(u32::from(self.length) - 1)
    }
}

/// Turns decoded instructions into [`Op`]s for one chip.
pub(crate) struct Classifier {
    info: InstructionInfoFactory,
    rows: Vec<Vec<&'static Row>>,
}

impl Classifier {
    /// A classifier for `model`; indexes its rows by mnemonic.
    pub(crate) fn new(model: &'static Model) -> Classifier {
        let mut rows: Vec<Vec<&'static Row>> = vec![Vec::new(); Mnemonic::values().len()];
        for row in model.all_rows() {
            for &mnemonic in row.mnemonics {
                rows[mnemonic as usize].push(row);
            }
        }
        Classifier {
            info: InstructionInfoFactory::new(),
            rows,
        }
    }

    /// The timing view of `instruction`, whose bytes are `bytes`; `None` if the chip's table has no row for it.
    pub(crate) fn classify(
        &mut self,
        instruction: &Instruction,
        offsets: &ConstantOffsets,
        bytes: &[u8],
    ) -> Option<Op> {
        let row = self.row(instruction)?;
        let accesses = accesses(instruction);
        let repeated = repeated(instruction);
        let modifies_memory = accesses.len() == 2 && !accesses[0].write && accesses[1].write && has_memory(instruction);
        let mut op = Op {
            instruction: *instruction,
            address: instruction.ip32(),
            length: instruction.len() as u8,
            row,
            prefixes: decoded_prefixes(bytes),
            reads: 0,
            writes: 0,
            interlocks: 0,
            address_registers: 0,
            unsettled: 0,
            accesses,
            repeated,
            counted: counted(instruction),
            displacement_and_immediate: offsets.has_displacement() && offsets.has_immediate(),
            modifies_memory,
            branch: branch(instruction),
            stack: stack(instruction),
            names_esp: false,
            locked: instruction.has_lock_prefix()
                || (instruction.mnemonic() == Mnemonic::Xchg && has_memory(instruction)),
            io: matches!(
                instruction.mnemonic(),
                Mnemonic::In
                    | Mnemonic::Out
                    | Mnemonic::Insb
                    | Mnemonic::Insw
                    | Mnemonic::Insd
                    | Mnemonic::Outsb
                    | Mnemonic::Outsw
                    | Mnemonic::Outsd
            ),
            loads_segment: loads_segment(instruction),
            multiplies: matches!(instruction.mnemonic(), Mnemonic::Mul | Mnemonic::Imul),
        };
        self.dependencies(instruction, &mut op);
        Some(op)
    }

    /// The first row whose conditions all hold.
    fn row(&self, instruction: &Instruction) -> Option<&'static Row> {
        let rows = &self.rows[instruction.mnemonic() as usize];
        rows.iter()
            .copied()
            .find(|row| row.when.iter().all(|&when| holds(when, instruction)))
    }

    /// Fills in the register masks from the decoder's tables, and the few oddities those cannot know.
    fn dependencies(&mut self, instruction: &Instruction, op: &mut Op) {
        let info = self.info.info(instruction);
        for used in info.used_registers() {
            let bit = register_bit(used.register());
            match used.access() {
                OpAccess::Read | OpAccess::CondRead => op.reads |= bit,
                OpAccess::Write | OpAccess::CondWrite => op.writes |= bit,
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => {
                    op.reads |= bit;
                    op.writes |= bit;
                }
                OpAccess::None | OpAccess::NoMemAccess => {}
            }
        }
        for memory in info.used_memory() {
            op.address_registers |= register_bit(memory.base()) | register_bit(memory.index());
        }
        if has_memory_operand(instruction) {
            let bits = register_bit(instruction.memory_base()) | register_bit(instruction.memory_index());
            op.address_registers |= bits;
            op.names_esp |= bits & ESP != 0;
        }
        for operand in 0..instruction.op_count() {
            if instruction.op_kind(operand) == OpKind::Register {
                op.names_esp |= register_bit(instruction.op_register(operand)) & ESP != 0;
            }
        }
        op.interlocks = op.writes;
        // PUSH, POP, CALL and RET move ESP in a way the next address computation already knows; an explicit write, LEAVE
        // and RET with a count do not (Agner Fog, Microarchitecture, 4.2).
        let explicit = op.names_esp
            && instruction.mnemonic() != Mnemonic::Push
            && register_bit(instruction.op0_register()) & ESP != 0
            || matches!(instruction.mnemonic(), Mnemonic::Leave | Mnemonic::Enter)
            || instruction.mnemonic() == Mnemonic::Ret && instruction.op_count() > 0;
        if instruction.is_stack_instruction() && !explicit {
            op.interlocks &= !ESP;
        }
        // The short form of a store from the accumulator pairs as if it wrote it (Agner Fog, Instruction tables, note h).
        if matches!(
            instruction.code(),
            Code::Mov_moffs8_AL | Code::Mov_moffs16_AX | Code::Mov_moffs32_EAX
        ) {
            op.writes |= EAX;
        }
        if op.multiplies && memory_or_operand_size(instruction) == 4 {
            op.unsettled = if instruction.op_count() == 1 {
                EDX_EAX
            } else {
                op.writes
            };
        }
    }
}

/// EX clocks known before execution, with `user` for CPL 1 to 3; figures that depend on facts count from zero steps.
pub(crate) fn static_clocks(op: &Op, user: bool) -> u32 {
    match op.row.clocks {
        Clocks::Fixed(clocks) => clocks,
        Clocks::ByPrivilege(system, other) => {
            if user {
                other
            } else {
                system
            }
        }
        Clocks::ByOutcome(not_taken, _) => not_taken,
        Clocks::PerCount(base, _) | Clocks::PerCountMilli(base, _) | Clocks::PerIteration(base, _) => base,
        Clocks::ByLevel(zero, one, step) => match op.instruction.immediate8_2nd() & 31 {
            0 => zero,
            levels => one + step * (u32::from(levels) - 1),
        },
        Clocks::ByStackAlignment(usual, _) => usual,
    }
}

/// Whether the op's clocks are known before execution.
pub(crate) fn clocks_are_static(op: &Op) -> bool {
    matches!(
        op.row.clocks,
        Clocks::Fixed(_) | Clocks::ByPrivilege(..) | Clocks::ByLevel(..)
    )
}

/// Whether the op may pair at all in some pipe.
pub(crate) fn may_open(op: &Op) -> bool {
    matches!(op.row.class, Class::Uv | Class::Pu) && !op.locked
}

#[cfg(test)]
mod tests;
