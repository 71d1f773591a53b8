//! Builds an [`Op`] from a decoded instruction: finds its timing row and takes its dependencies from the decoder's
//! tables.

use super::form::{has_memory, has_memory_operand, holds, is_direct, memory_use};
use super::shape::{
    accesses, accesses_io, branch, counted, counts_as_branch, flushes, loads_segment, looks_up, prefixes, repeated,
    stack, writes_port,
};
use super::{Branch, Decoding, ExClocks, Floating, Op, PackedUse, Properties, RegisterSet, StackUse};
use iced_x86::{
    Code, ConstantOffsets, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, RflagsBits,
};
use p5_chips::{Class, Clocks, Executed, FloatingPoint, Model, Prefixes, QuestionTable, Row, Rules, SHORT, deciding};
use p5_words::mode::Mode;

/// Turns decoded instructions into [`Op`]s for one chip.
pub struct Classifier {
    info: InstructionInfoFactory,
    rules: &'static Rules,
    rows: Vec<Vec<&'static Row>>,
    questions: QuestionTable,
    // Whether a form of the chip leaves general registers unsettled, and the floating-point unit occupied, for long.
    settles_late: bool,
    occupies_long: bool,
}

impl Classifier {
    /// Creates a classifier for `model` and indexes its rows by mnemonic.
    pub fn new(model: &'static Model) -> Classifier {
        let mut rows: Vec<Vec<&'static Row>> = vec![Vec::new(); Mnemonic::values().len()];
        for row in model.all_rows() {
            for &mnemonic in row.mnemonics {
                rows[mnemonic as usize].push(row);
            }
        }
        let after_ex = |of: fn(&FloatingPoint, u32) -> u32| {
            let mut rows = model.all_rows().filter_map(|row| Some((row.fpu.as_ref()?, row.clocks)));
            rows.any(|(fpu, clocks)| matches!(clocks, Clocks::Fixed(clocks) | Clocks::Least(clocks) if of(fpu, clocks) > SHORT))
        };
        Classifier {
            info: InstructionInfoFactory::new(),
            rules: &model.rules,
            rows,
            questions: QuestionTable::new(model),
            settles_late: after_ex(|fpu, clocks| if fpu.stack { 0 } else { fpu.overlap(clocks) }),
            occupies_long: after_ex(FloatingPoint::busy),
        }
    }

    /// Returns the timing view of `instruction`, whose bytes in code of `mode` are `bytes`; `None` if the chip has no
    /// row for it.
    pub fn classify(
        &mut self,
        instruction: &Instruction,
        offsets: &ConstantOffsets,
        bytes: &[u8],
        mode: &Mode,
    ) -> Option<Op> {
        let properties = self.properties(instruction, offsets, bytes, mode)?;
        Some(Op::new(mode.linear(instruction.ip32()), properties))
    }

    /// Returns the timing view of the delivery of an exception that `instruction` at `address`, whose bytes are
    /// `bytes`, raises in code of `mode`; `None` if the chip's table has no row for it.
    pub fn delivery(&mut self, instruction: &Instruction, address: u32, bytes: &[u8], mode: &Mode) -> Option<Op> {
        // The rows of these instructions include the delivery.
        let form = match instruction.mnemonic() {
            Mnemonic::Int3 | Mnemonic::Into => *instruction,
            _ => Instruction::default(),
        };
        let mut properties = self.properties(&form, &ConstantOffsets::default(), bytes, mode)?;
        properties.length = bytes.len() as u8;
        properties.prefixes = 0;
        properties.prefix_clocks = 0;
        properties.decoding = Decoding::default();
        properties.prefixed_to_u = false;
        properties.branch = Branch::Far;
        properties.looks_up = true;
        properties.delivery = form.is_invalid();
        properties.counts_as_branch = true;
        properties.flushes = true;
        properties.complex = true;
        Some(Op::new(address, properties))
    }

    fn properties(
        &mut self,
        instruction: &Instruction,
        offsets: &ConstantOffsets,
        bytes: &[u8],
        mode: &Mode,
    ) -> Option<Properties> {
        let used = memory_use(instruction, &mut self.info);
        let row = self.row(instruction, used, mode)?;
        let (rules, prefixes) = (self.rules, prefixes(bytes));
        let accesses = accesses(instruction, used);
        let repeated = repeated(instruction);
        // The two accesses of a stack instruction are to the stack and to its operand.
        let modifies_memory = accesses.len() == 2
            && !accesses[0].write
            && accesses[1].write
            && has_memory(instruction)
            && !instruction.is_stack_instruction();
        let prefix_clocks = prefix_clocks(&prefixes, &rules.prefix_decode);
        let branch = branch(instruction);
        let executed = Executed {
            mnemonic: instruction.mnemonic(),
            prefixed: prefix_clocks > 0,
            branch: !matches!(branch, Branch::None | Branch::Far),
            repeated: repeated.is_some(),
            microcode: row.class == Class::Np,
            fits: &|row: &Row| row.when.iter().all(|&when| holds(when, instruction, used, mode)),
        };
        let mut properties = Properties {
            mode: *mode,
            bytes: padded(bytes),
            length: instruction.len() as u8,
            row,
            questions: self.questions.of(&executed),
            decided_by: row.doubt.and_then(|_| deciding(&executed, row)),
            clocks: longer(ex_clocks(instruction, row), operand_clocks(instruction, offsets, rules)),
            prefixes: prefixes.size
                + prefixes.other
                + if rules.prefix_decode.escape > 0 {
                    prefixes.escape
                } else {
                    0
                },
            prefix_clocks,
            decoding: Decoding {
                prefixes: prefix_clocks,
                alone: prefixes.size > 0
                    || instruction.len() > usize::from(rules.longest_decoded_beside_another + prefixes.other),
            },
            prefixed_to_u: goes_to_u(&prefixes, &rules.prefixed_goes_to_u),
            reads: RegisterSet::EMPTY,
            writes: RegisterSet::EMPTY,
            interlocks: RegisterSet::EMPTY,
            address_registers: RegisterSet::EMPTY,
            unsettled: RegisterSet::EMPTY,
            accesses,
            repeated,
            counted: counted(instruction),
            displacement_and_immediate: offsets.has_displacement() && offsets.has_immediate(),
            modifies_memory,
            branch,
            direct: is_direct(instruction),
            stack: stack(instruction),
            names_esp: false,
            locked: instruction.has_lock_prefix()
                || (instruction.mnemonic() == Mnemonic::Xchg && has_memory(instruction)),
            io: accesses_io(instruction),
            writes_port: writes_port(instruction),
            loads_segment: loads_segment(instruction),
            looks_up: looks_up(instruction),
            delivery: false,
            settles: 0,
            occupies: 0,
            awaits: RegisterSet::EMPTY,
            awaits_unit: self.occupies_long && row.fpu.is_some(),
            stack_use: None,
            floating: None,
            packed_use: None,
            floating_point: row.fpu.is_some(),
            operations: row.fpu.map_or(0, |fpu| fpu.operations.min(rules.most_operations)),
            counts_as_branch: counts_as_branch(instruction, row),
            flushes: flushes(instruction, row),
            complex: false,
        };
        self.dependencies(instruction, &mut properties);
        properties.floating = Floating::of(&properties);
        properties.complex = is_complex(&properties);
        Some(properties)
    }

    /// Returns the first row whose conditions all hold.
    fn row(&self, instruction: &Instruction, used: (bool, bool), mode: &Mode) -> Option<&'static Row> {
        let rows = &self.rows[instruction.mnemonic() as usize];
        rows.iter()
            .copied()
            .find(|row| row.when.iter().all(|&when| holds(when, instruction, used, mode)))
    }

    /// Fills in the register sets from the decoder's tables, and the few exceptions that the tables do not cover.
    fn dependencies(&mut self, instruction: &Instruction, op: &mut Properties) {
        let info = self.info.info(instruction);
        for used in info.used_registers() {
            let register = RegisterSet::of(used.register());
            let (reads, writes) = match used.access() {
                OpAccess::Read | OpAccess::CondRead => (true, false),
                OpAccess::Write | OpAccess::CondWrite => (false, true),
                OpAccess::ReadWrite | OpAccess::ReadCondWrite => (true, true),
                OpAccess::None | OpAccess::NoMemAccess => (false, false),
            };
            if reads {
                op.reads = op.reads.union(register);
            }
            if writes {
                op.writes = op.writes.union(register);
            }
        }
        if instruction.rflags_read() & !CONDITION_CODE != 0 {
            op.reads = op.reads.union(RegisterSet::FLAGS);
        }
        if instruction.rflags_modified() & !CONDITION_CODE != 0 {
            op.writes = op.writes.union(RegisterSet::FLAGS);
        }
        // The pushed value is ST(0) after the instruction, and so ST(7) before it.
        let pushes = instruction.fpu_stack_increment_info().increment() < 0;
        if pushes && instruction.mnemonic() != Mnemonic::Fdecstp {
            op.writes = op.writes.union(RegisterSet::of(Register::ST7));
        }
        let in_address = |base, index| RegisterSet::of(base).union(RegisterSet::of(index));
        for memory in info.used_memory() {
            op.address_registers = op.address_registers.union(in_address(memory.base(), memory.index()));
        }
        let mut named = RegisterSet::EMPTY;
        if has_memory_operand(instruction) {
            named = in_address(instruction.memory_base(), instruction.memory_index());
            op.address_registers = op.address_registers.union(named);
        }
        for operand in 0..instruction.op_count() {
            if instruction.op_kind(operand) == OpKind::Register {
                named = named.union(RegisterSet::of(instruction.op_register(operand)));
            }
        }
        op.names_esp = named.intersects(RegisterSet::ESP);
        op.interlocks = op.writes;
        // PUSH, POP, CALL and RET pass the new ESP to the next address computation at once. An explicit write, ENTER
        // or RET with a count does not (Agner Fog, Microarchitecture, 4.2); LEAVE's row has the rest. The instruction
        // after a far return is fetched anew and also has the new ESP.
        let explicit = op.names_esp
            && instruction.mnemonic() != Mnemonic::Push
            && RegisterSet::of(instruction.op0_register()).intersects(RegisterSet::ESP)
            || matches!(instruction.mnemonic(), Mnemonic::Leave | Mnemonic::Enter)
            || instruction.mnemonic() == Mnemonic::Ret && instruction.op_count() > 0;
        if instruction.is_stack_instruction() && !explicit {
            op.interlocks = op.interlocks.without(RegisterSet::ESP);
        }
        // The next instruction does not wait for registers that microcode has written before its last clock, either.
        for &register in op.row.early.iter().flat_map(|early| early.registers) {
            op.interlocks = op.interlocks.without(RegisterSet::of(register));
        }
        // The short form of a store from the accumulator pairs as if it wrote the accumulator (Agner Fog, Instruction
        // tables, note h).
        if is_short_store(instruction.code()) {
            op.writes = op.writes.union(RegisterSet::EAX);
        }
        if let Some(fpu) = op.row.fpu {
            let clocks = op.static_clocks(false);
            op.settles = fpu.overlap(clocks);
            op.occupies = fpu.busy(clocks);
            if fpu.stack {
                op.stack_use = Some(stack_use(instruction, op));
            } else if op.settles > 0 {
                op.unsettled = op.writes.intersection(RegisterSet::GENERAL);
            }
        }
        if matches!(op.row.class, Class::Packed(_)) || instruction.code() == Code::Emms {
            op.packed_use = Some(packed_use(instruction, op));
        }
        if self.settles_late {
            op.awaits = op.microcode_uses().intersection(RegisterSet::GENERAL);
        }
    }
}

/// The bits that the decoder has for the condition code of the floating-point unit, which is not in the flags.
const CONDITION_CODE: u32 = RflagsBits::C0 | RflagsBits::C1 | RflagsBits::C2 | RflagsBits::C3;

fn packed_use(instruction: &Instruction, op: &Properties) -> PackedUse {
    let outside = |operand| match instruction.op_kind(operand) {
        OpKind::Memory => true,
        OpKind::Register => !instruction.op_register(operand).is_mm(),
        _ => false,
    };
    PackedUse {
        needs: op.reads.packed_bits(),
        writes: op.writes.packed_bits(),
        stores: outside(0),
        only_in_u: (0..instruction.op_count()).any(outside),
    }
}

fn stack_use(instruction: &Instruction, op: &Properties) -> StackUse {
    let moved = StackUse {
        needs: op.reads.stack_bits(),
        writes: op.writes.stack_bits(),
        // A stack that is loaded as a whole leaves nothing under way, so its top can be anywhere.
        rotation: instruction.fpu_stack_increment_info().increment() as i8,
        exchanges: None,
    };
    match instruction.mnemonic() {
        Mnemonic::Fxch => StackUse {
            needs: 0,
            writes: 0,
            exchanges: Some(
                op.reads
                    .without(RegisterSet::of(Register::ST0))
                    .stack_bits()
                    .trailing_zeros() as u8
                    & 7,
            ),
            ..moved
        },
        _ => moved,
    }
}

/// Whether an instruction needs the general path of `pipeline::complex`.
fn is_complex(op: &Properties) -> bool {
    op.accesses.len() > 2
        || op.repeated.is_some()
        || op.counted && op.packed_use.is_none()
        || op.locked
        || op.io
        || op.looks_up
        || op.floating_point
        || op.row.serializing
        || op.counts_as_branch
        || !matches!(op.clocks, ExClocks::Known(..))
}

fn padded(bytes: &[u8]) -> [u8; 15] {
    let mut padded = [0; 15];
    padded.iter_mut().zip(bytes).for_each(|(to, &from)| *to = from);
    padded
}

/// The row's clocks for this instruction, completed with what its encoding determines.
fn ex_clocks(instruction: &Instruction, row: &Row) -> ExClocks {
    match row.clocks {
        Clocks::Fixed(clocks) | Clocks::Least(clocks) => ExClocks::Known(clocks, clocks),
        Clocks::ByPrivilege(system, user) => ExClocks::Known(system, user),
        Clocks::ByOutcome(not_taken, taken) => ExClocks::ByOutcome(not_taken, taken),
        Clocks::PerCount(base, step) => ExClocks::PerCount(base, 1000 * step),
        Clocks::PerCountMilli(base, step) => ExClocks::PerCount(base, step),
        Clocks::PerIteration(base, each) => ExClocks::PerIteration(base, each),
        Clocks::ByLevel(zero, one, step) => {
            let clocks = match instruction.immediate8_2nd() & 31 {
                0 => zero,
                levels => one + step * (u32::from(levels) - 1),
            };
            ExClocks::Known(clocks, clocks)
        }
        Clocks::ByStackAlignment(usual, aligned) => ExClocks::ByStackAlignment(usual, aligned),
        Clocks::ByRoute(routes) => ExClocks::ByRoute(routes),
    }
}

/// The clocks that the operands add to those of the form.
fn operand_clocks(instruction: &Instruction, offsets: &ConstantOffsets, rules: &Rules) -> u32 {
    let index = instruction.memory_index() != Register::None;
    let both = offsets.has_displacement() && offsets.has_immediate();
    u32::from(index) * rules.index + u32::from(both) * rules.displacement_and_immediate
}

/// Adds `more` to clocks that are known before execution.
fn longer(clocks: ExClocks, more: u32) -> ExClocks {
    match clocks {
        ExClocks::Known(system, user) => ExClocks::Known(system + more, user + more),
        other => other,
    }
}

/// Whether a MOV stores the accumulator by the form without a ModRM byte.
pub fn is_short_store(code: Code) -> bool {
    matches!(code, Code::Mov_moffs8_AL | Code::Mov_moffs16_AX | Code::Mov_moffs32_EAX)
}

/// The clocks to decode these numbers of prefixes, at `each` clocks per prefix.
fn prefix_clocks(numbers: &Prefixes<u8>, each: &Prefixes<u8>) -> u8 {
    numbers.size * each.size + numbers.escape * each.escape + numbers.other * each.other
}

/// Whether one of these prefixes keeps its instruction out of the V pipe.
fn goes_to_u(numbers: &Prefixes<u8>, each: &Prefixes<bool>) -> bool {
    numbers.size > 0 && each.size || numbers.escape > 0 && each.escape || numbers.other > 0 && each.other
}
