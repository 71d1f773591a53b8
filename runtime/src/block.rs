//! An instruction as time sees it: decoded once, looked up once, its dependencies taken from the decoder's own tables.
//!
//! Register masks have one bit for each 32-bit general register (bit 0 EAX to bit 7 EDI): any part of a register counts
//! as the whole of it.

use crate::model::{Class, Clocks, Model, Row, When};
use iced_x86::{
    Code, ConstantOffsets, FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register,
};

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
        let explicit = op.names_esp && register_bit(instruction.op0_register()) & ESP != 0
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

/// The bit of a register's 32-bit whole, 0 for anything but a general register.
fn register_bit(register: Register) -> u8 {
    if register.is_gpr() {
        1 << register.full_register32().number()
    } else {
        0
    }
}

/// Whether one of the operands is memory (LEA's counts).
fn has_memory_operand(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory)
        && instruction.mnemonic() != Mnemonic::Nop
}

/// Whether one of the operands is memory that is accessed.
fn has_memory(instruction: &Instruction) -> bool {
    has_memory_operand(instruction) && !matches!(instruction.mnemonic(), Mnemonic::Lea | Mnemonic::Invlpg)
}

/// How the memory operand is used: read, written.
fn memory_use(instruction: &Instruction) -> (bool, bool) {
    if !has_memory(instruction) {
        return (false, false);
    }
    let mut info = InstructionInfoFactory::new();
    let info = info.info(instruction);
    let mut used = (false, false);
    for operand in 0..instruction.op_count() {
        if instruction.op_kind(operand) == OpKind::Memory {
            match info.op_access(operand) {
                OpAccess::Read | OpAccess::CondRead => used.0 = true,
                OpAccess::Write | OpAccess::CondWrite => used.1 = true,
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => used = (true, true),
                OpAccess::None | OpAccess::NoMemAccess => {}
            }
        }
    }
    used
}

/// The operand size in bytes.
fn memory_or_operand_size(instruction: &Instruction) -> usize {
    match instruction.op_kind(0) {
        OpKind::Register => instruction.op0_register().size(),
        _ => instruction.memory_size().size(),
    }
}

/// Whether a register in `operand` is a segment register.
fn segment_operand(instruction: &Instruction, operand: u32) -> bool {
    operand < instruction.op_count()
        && instruction.op_kind(operand) == OpKind::Register
        && instruction.op_register(operand).is_segment_register()
}

/// Whether an immediate operand is encoded.
fn has_immediate(instruction: &Instruction) -> bool {
    (0..instruction.op_count()).any(|operand| {
        matches!(
            instruction.op_kind(operand),
            OpKind::Immediate8
                | OpKind::Immediate8_2nd
                | OpKind::Immediate16
                | OpKind::Immediate32
                | OpKind::Immediate8to16
                | OpKind::Immediate8to32
        )
    })
}

/// Whether a shift is one of the D0h and D1h encodings.
fn by_one(instruction: &Instruction) -> bool {
    instruction.op_count() == 2
        && instruction.op_kind(1) == OpKind::Immediate8
        && instruction.immediate8() == 1
        && format!("{:?}", instruction.code()).ends_with("_1")
}

/// Whether one of a row's conditions holds.
fn holds(when: When, instruction: &Instruction) -> bool {
    let register = |operand: u32| {
        if operand < instruction.op_count() && instruction.op_kind(operand) == OpKind::Register {
            instruction.op_register(operand)
        } else {
            Register::None
        }
    };
    match when {
        When::Register => !has_memory(instruction),
        When::Read => memory_use(instruction) == (true, false),
        When::Write => memory_use(instruction) == (false, true),
        When::Modify => memory_use(instruction) == (true, true),
        When::Memory => has_memory(instruction),
        When::ByOne => by_one(instruction),
        When::ByImmediate => has_immediate(instruction) && !by_one(instruction),
        When::ByCl => register(instruction.op_count().saturating_sub(1)) == Register::CL,
        When::Byte => memory_or_operand_size(instruction) == 1,
        When::Word => memory_or_operand_size(instruction) == 2,
        When::Dword => memory_or_operand_size(instruction) == 4,
        When::ToSegment => segment_operand(instruction, 0),
        When::ToStackSegment => register(0) == Register::SS,
        When::FromSegment => segment_operand(instruction, 1) || segment_operand(instruction, 0),
        When::Immediate => has_immediate(instruction),
        When::ShortAccumulator => {
            matches!(
                instruction.code(),
                Code::Test_AL_imm8 | Code::Test_AX_imm16 | Code::Test_EAX_imm32
            )
        }
        When::WithAccumulator => {
            matches!(
                instruction.code(),
                Code::Xchg_r16_AX | Code::Xchg_r32_EAX | Code::Nopw | Code::Nopd
            )
        }
        When::Repeated => instruction.has_rep_prefix() || instruction.has_repne_prefix(),
        When::Direct => matches!(instruction.op_kind(0), OpKind::NearBranch16 | OpKind::NearBranch32),
        When::Far => {
            matches!(instruction.op_kind(0), OpKind::FarBranch16 | OpKind::FarBranch32)
                || instruction.is_jmp_far_indirect()
                || instruction.is_call_far_indirect()
        }
        When::ToControl => register(0).is_cr(),
        When::FromControl => register(1).is_cr(),
        When::ToDebug => register(0).is_dr() || register(0).is_tr(),
        When::FromDebug => register(1).is_dr() || register(1).is_tr(),
        When::ControlZero => register(0) == Register::CR0,
    }
}

/// How many prefix bytes cost a decode clock each: all of them, and the 0Fh of two-byte opcodes other than near Jcc.
fn decoded_prefixes(bytes: &[u8]) -> u8 {
    let legacy = bytes
        .iter()
        .take_while(|byte| matches!(byte, 0x26 | 0x2E | 0x36 | 0x3E | 0x64..=0x67 | 0xF0 | 0xF2 | 0xF3))
        .count();
    let escape = bytes.get(legacy) == Some(&0x0F) && !matches!(bytes.get(legacy + 1), Some(0x80..=0x8F));
    legacy as u8 + u8::from(escape)
}

/// What kind of branch an instruction is.
fn branch(instruction: &Instruction) -> Branch {
    match instruction.flow_control() {
        FlowControl::ConditionalBranch => Branch::Conditional,
        FlowControl::Interrupt => Branch::Far,
        FlowControl::UnconditionalBranch
        | FlowControl::IndirectBranch
        | FlowControl::Call
        | FlowControl::IndirectCall
        | FlowControl::Return => {
            let far = matches!(
                instruction.mnemonic(),
                Mnemonic::Retf | Mnemonic::Iret | Mnemonic::Iretd
            ) || holds(When::Far, instruction);
            if far { Branch::Far } else { Branch::Near }
        }
        _ => Branch::None,
    }
}

/// The implicit stack use that pairs.
fn stack(instruction: &Instruction) -> Stack {
    match instruction.mnemonic() {
        Mnemonic::Push if !has_memory(instruction) && !segment_operand(instruction, 0) => Stack::Push,
        Mnemonic::Pop if !has_memory(instruction) && !segment_operand(instruction, 0) => Stack::Pop,
        Mnemonic::Call if holds(When::Direct, instruction) => Stack::Call,
        _ => Stack::None,
    }
}

/// Whether a segment or descriptor table register is loaded (event 0Fh).
fn loads_segment(instruction: &Instruction) -> bool {
    use Mnemonic::{Iret, Iretd, Lds, Les, Lfs, Lgdt, Lgs, Lidt, Lldt, Lss, Ltr, Retf};
    (matches!(instruction.mnemonic(), Mnemonic::Mov | Mnemonic::Pop) && segment_operand(instruction, 0))
        || matches!(
            instruction.mnemonic(),
            Lds | Les | Lfs | Lgs | Lss | Lgdt | Lidt | Lldt | Ltr | Retf | Iret | Iretd
        )
        || holds(When::Far, instruction)
}

/// Whether the instruction leaves a count that its clocks depend on.
fn counted(instruction: &Instruction) -> bool {
    match instruction.mnemonic() {
        Mnemonic::Bsf | Mnemonic::Bsr => true,
        Mnemonic::Rcl | Mnemonic::Rcr => !by_one(instruction),
        _ => false,
    }
}

/// The element accesses of a repeated string instruction.
fn repeated(instruction: &Instruction) -> Option<Repeated> {
    if !(instruction.has_rep_prefix() || instruction.has_repne_prefix()) || !instruction.is_string_instruction() {
        return None;
    }
    let size = instruction.memory_size().size() as u8;
    let read = Some(Access { write: false, size });
    let write = Some(Access { write: true, size });
    use Mnemonic::*;
    Some(match instruction.mnemonic() {
        Movsb | Movsw | Movsd => Repeated {
            source: read,
            destination: write,
        },
        Cmpsb | Cmpsw | Cmpsd => Repeated {
            source: read,
            destination: read,
        },
        Stosb | Stosw | Stosd | Insb | Insw | Insd => Repeated {
            source: None,
            destination: write,
        },
        Scasb | Scasw | Scasd => Repeated {
            source: None,
            destination: read,
        },
        _ => Repeated {
            source: read,
            destination: None,
        },
    })
}

/// The data accesses in the order `exec` makes them; the contract is written in [`crate::facts`].
fn accesses(instruction: &Instruction) -> Vec<Access> {
    use Mnemonic::*;
    let read = |size: usize| Access {
        write: false,
        size: size as u8,
    };
    let write = |size: usize| Access {
        write: true,
        size: size as u8,
    };
    let memory = instruction.memory_size().size();
    let stack_size = match instruction.stack_pointer_increment().unsigned_abs() as usize {
        0 => 4,
        bytes => bytes,
    };
    match instruction.mnemonic() {
        Push if has_memory(instruction) => vec![read(memory), write(stack_size)],
        Push => vec![write(stack_size)],
        Pop if has_memory(instruction) => vec![read(stack_size), write(memory)],
        Pop => vec![read(stack_size)],
        Pusha | Pushad => vec![write(stack_size / 8); 8],
        Popa | Popad => vec![read(stack_size / 8); 8],
        Pushf | Pushfd => vec![write(stack_size)],
        Popf | Popfd => vec![read(stack_size)],
        Call | Jmp => {
            let far = holds(When::Far, instruction);
            let word = if call_is_16_bit(instruction) { 2 } else { 4 };
            let mut list = Vec::new();
            if has_memory(instruction) {
                list.push(read(word));
                if far {
                    list.push(read(2));
                }
            }
            if instruction.mnemonic() == Call {
                list.push(write(word));
                if far {
                    list.push(write(word));
                }
            }
            list
        }
        Ret => vec![read(if format!("{:?}", instruction.code()).contains("Retnw") {
            2
        } else {
            4
        })],
        Retf => vec![read(4), read(4)],
        Iret | Iretd => vec![read(4), read(4), read(4)],
        Enter => {
            let word = if format!("{:?}", instruction.code()).contains("Enterw") {
                2
            } else {
                4
            };
            let levels = instruction.immediate8_2nd() & 31;
            let mut list = vec![write(word)];
            for _ in 1..levels {
                list.push(read(word));
                list.push(write(word));
            }
            if levels > 0 {
                list.push(write(word));
            }
            list
        }
        Leave => vec![read(4)],
        Bound => vec![read(memory / 2), read(memory / 2)],
        Lds | Les | Lfs | Lgs | Lss => vec![read(memory.saturating_sub(2)), read(2)],
        // The limit, then the base.
        Lgdt | Lidt => vec![read(2), read(4)],
        Sgdt | Sidt => vec![write(2), write(4)],
        Movsb | Movsw | Movsd => vec![read(memory), write(memory)],
        Cmpsb | Cmpsw | Cmpsd => vec![read(memory), read(memory)],
        Stosb | Stosw | Stosd | Insb | Insw | Insd => vec![write(memory)],
        Lodsb | Lodsw | Lodsd | Scasb | Scasw | Scasd | Outsb | Outsw | Outsd | Xlatb => vec![read(memory.max(1))],
        Cmpxchg | Cmpxchg8b if has_memory(instruction) => vec![read(memory), write(memory)],
        _ => match memory_use(instruction) {
            (false, false) => Vec::new(),
            (true, false) => vec![read(memory)],
            (false, true) => vec![write(memory)],
            (true, true) => vec![read(memory), write(memory)],
        },
    }
}

/// Whether a call or jump has 16-bit operand size.
fn call_is_16_bit(instruction: &Instruction) -> bool {
    use Code::{
        Call_m1616, Call_ptr1616, Call_rel16, Call_rm16, Jmp_m1616, Jmp_ptr1616, Jmp_rel8_16, Jmp_rel16, Jmp_rm16,
    };
    matches!(
        instruction.code(),
        Call_m1616
            | Call_ptr1616
            | Call_rel16
            | Call_rm16
            | Jmp_m1616
            | Jmp_ptr1616
            | Jmp_rel8_16
            | Jmp_rel16
            | Jmp_rm16
    )
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
