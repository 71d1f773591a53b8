//! Where the values in a fragment's registers come from: each register and each dword of memory that is read before it
//! is written is an origin, and each value knows the origins that it was computed from.
//!
//! The code is followed over its control flow until nothing changes. A dword of memory is known by the origin of its
//! base register and its displacement, without what a loop adds to the register. The measuring macros, which change no
//! register, no flag and no byte of the stack, are not followed.

use super::Given;
use super::value::{ESP, Origin, State, Value};
use super::width::Width;
use crate::{instruction_at, target};
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use p5_image::Image;
use std::ops::Range;

/// The maximum number of instructions of a fragment, and of origins, which are bits of a set.
pub(super) const MOST_INSTRUCTIONS: usize = 512;
const MOST_ORIGINS: usize = 64;
/// How often each instruction is followed at most before its state is taken as it is.
const MOST_VISITS: usize = 16;
/// A fragment with the values before each of its instructions.
pub(super) struct Flow {
    pub(super) code: Vec<Instruction>,
    /// The values before each instruction; `None` if it is never reached.
    pub(super) states: Vec<Option<State>>,
    pub(super) origins: Vec<Origin>,
    pub(super) width: Width,
    /// The data that the assembler has supplied for undefined names, from the beginning of its segment on.
    supplied: Vec<Range<u32>>,
    factory: InstructionInfoFactory,
}

/// The address of the first instruction of a fragment: where it is entered. With the measuring macros, their
/// calibration is entered first; the fragment then begins with its segment.
fn start(image: &Image) -> Option<u32> {
    if image.library.is_none() {
        return Some(image.entry);
    }
    Some(image.segment_at(image.end?.checked_sub(1)?)?.address)
}

impl Flow {
    /// Follows the code of `image`; `None` if it is too long. What is `given` has no origin.
    pub(super) fn of(image: &Image, supplied: Vec<Range<u32>>, given: &Given) -> Option<Flow> {
        let width = Width::of(image);
        let mut code = Vec::new();
        let mut address = start(image)?;
        while Some(address) != image.end {
            let line = image.line_at(address).filter(|_| image.library.is_some());
            if let Some(line) = line.filter(|line| Some(line.file) == image.library && line.length > 0) {
                address = line.address.checked_add(line.length)?;
                continue;
            }
            let instruction = instruction_at(image, address)?;
            address = instruction.next_ip32();
            code.push(instruction);
            (code.len() <= MOST_INSTRUCTIONS).then_some(())?;
        }
        let mut flow = Flow {
            states: vec![None; code.len()],
            code,
            origins: Vec::new(),
            width,
            supplied,
            factory: InstructionInfoFactory::new(),
        };
        let mut first = State::default();
        for number in 0..8u8 {
            // The first origins are the registers, by their numbers, whether they are given or not.
            let origin = flow.origin(Origin::Register(number));
            let known = given.registers[usize::from(number)];
            first.registers[usize::from(number)] = known.map_or(origin, |value| Value::number(value as i32));
        }
        for (&distance, &value) in &given.arguments {
            first
                .memory
                .insert((Some(ESP), distance as i32), Value::number(value as i32));
        }
        flow.follow(first, image);
        Some(flow)
    }

    fn follow(&mut self, first: State, image: &Image) {
        let mut visits = vec![0; self.code.len()];
        let mut open = vec![(0, first)];
        while let Some((at, state)) = open.pop() {
            let Some(known) = self.states.get_mut(at) else { continue };
            let changed = match known {
                Some(known) => known.join(&state),
                None => {
                    *known = Some(state);
                    true
                }
            };
            visits[at] += 1;
            if !changed || visits[at] > MOST_VISITS {
                continue;
            }
            let Some(before) = known.clone() else { continue };
            let instruction = self.code[at];
            let top = before.registers[usize::from(ESP)];
            let after = self.after(&instruction, before);
            let to = target(&instruction).and_then(|address| self.index(address));
            match instruction.flow_control() {
                FlowControl::UnconditionalBranch => open.extend(to.map(|to| (to, after))),
                FlowControl::ConditionalBranch => {
                    open.extend(to.map(|to| (to, after.clone())));
                    open.push((at + 1, after));
                }
                FlowControl::Call if to == Some(at + 1) => {
                    // It returns nowhere: position-independent code takes its own address off the stack.
                    let mut after = after;
                    let top = top.plus(-(self.width.bytes as i32));
                    after.registers[usize::from(ESP)] = top;
                    let place = (top.origin_in(Register::ESP), top.distance());
                    let pushed = Value::number(instruction.next_ip32() as i32);
                    after.memory.insert(place, pushed);
                    open.push((at + 1, after));
                }
                // What panics does not come back.
                FlowControl::Call if self.panics(image, &instruction) => {}
                FlowControl::Call => {
                    let mut called = after.clone();
                    let mut after = after;
                    if let Some(register) = to.and_then(|to| self.loads_return(to)) {
                        after.registers[usize::from(register)] = Value::number(instruction.next_ip32() as i32);
                    }
                    // The return takes what the call pushes.
                    after.registers[usize::from(ESP)] = top;
                    called.registers[usize::from(ESP)] = top.plus(-(self.width.bytes as i32));
                    open.extend(to.map(|to| (to, called)));
                    open.push((at + 1, after));
                }
                FlowControl::Return | FlowControl::IndirectBranch => {}
                _ => open.push((at + 1, after)),
            }
        }
    }

    /// Whether a call leads to nothing but the end of the run, as the stub of a function does that panics.
    fn panics(&self, image: &Image, call: &Instruction) -> bool {
        let called = target(call).and_then(|address| instruction_at(image, address));
        called.is_some_and(|one| one.mnemonic() == Mnemonic::Ud2)
    }

    /// The number of the register that a function of position-independent code does nothing with but to load the
    /// address after its call.
    fn loads_return(&self, first: usize) -> Option<u8> {
        let [load, end] = self.code.get(first..first + 2)? else {
            return None;
        };
        let loads = load.mnemonic() == Mnemonic::Mov
            && load.op0_kind() == OpKind::Register
            && load.op0_register().is_gpr32()
            && load.op1_kind() == OpKind::Memory
            && load.memory_base() == Register::ESP
            && load.memory_index() == Register::None
            && load.memory_displacement32() == 0;
        (loads && end.flow_control() == FlowControl::Return).then(|| load.op0_register().number() as u8)
    }

    /// The index of the instruction at an address; at a measuring macro, of the first one after it.
    pub(super) fn index(&self, address: u32) -> Option<usize> {
        match self.code.binary_search_by_key(&address, Instruction::ip32) {
            Ok(at) => Some(at),
            Err(after) => {
                let next = self.code.get(after)?;
                let before = after.checked_sub(1).and_then(|at| self.code.get(at));
                let inside = before.is_some_and(|before| address < before.next_ip32());
                (!inside && address < next.ip32()).then_some(after)
            }
        }
    }

    /// The value of an origin, which is new if it is not known.
    fn origin(&mut self, origin: Origin) -> Value {
        let known = self.origins.iter().position(|known| *known == origin);
        if known.is_none() && self.origins.len() < MOST_ORIGINS {
            self.origins.push(origin);
        }
        match known.or_else(|| self.origins.iter().position(|known| *known == origin)) {
            Some(number) => Value::of(number as u8),
            None => Value::default(),
        }
    }

    /// The way to an origin: the number of a register, or an address of memory, and the displacements that lead on from
    /// there. It orders origins, whichever is used first.
    pub(super) fn way(&self, origin: u8) -> Vec<i64> {
        match self.origins.get(usize::from(origin)) {
            Some(&Origin::Register(number)) => vec![0, i64::from(number)],
            Some(&Origin::Memory { base, displacement }) => {
                let mut way = base.map_or_else(|| vec![1], |base| self.way(base));
                way.push(i64::from(displacement));
                way
            }
            None => Vec::new(),
        }
    }

    /// How many steps through memory lead to an origin.
    fn depth(&self, origin: u8) -> u32 {
        match self.origins.get(usize::from(origin)) {
            Some(Origin::Memory { base: Some(base), .. }) => 1 + self.depth(*base),
            _ => 0,
        }
    }

    /// The place that a memory operand names.
    fn place(&self, instruction: &Instruction, state: &State) -> (Option<u8>, i32) {
        let displacement = self.width.displacement(instruction);
        let (base, index) = (instruction.memory_base(), instruction.memory_index());
        let base = match base {
            Register::None if instruction.memory_index_scale() == 1 => index,
            base => base,
        };
        if base == Register::None {
            return (None, displacement);
        }
        let value = state.value(base);
        (value.origin_in(base), displacement.wrapping_add(value.distance()))
    }

    fn load(&mut self, place: (Option<u8>, i32), state: &State) -> Value {
        if let Some(known) = state.memory.get(&place) {
            return *known;
        }
        let (base, displacement) = place;
        let open = match base {
            Some(base) => self.depth(base) < 3,
            None => self.supplied.iter().any(|data| data.contains(&(displacement as u32))),
        };
        match open {
            true => self.origin(Origin::Memory { base, displacement }),
            false => Value::default(),
        }
    }

    /// The value of an operand that can hold an address, or what a smaller one is computed from.
    fn operand(&mut self, instruction: &Instruction, number: u32, state: &State) -> Value {
        match instruction.op_kind(number) {
            OpKind::Register => {
                let register = instruction.op_register(number);
                let value = state.value(register);
                if register.is_gpr() && self.width.is_whole(register.size()) {
                    value
                } else {
                    value.computed()
                }
            }
            OpKind::Memory => {
                let value = self.load(self.place(instruction, state), state);
                if self.width.is_whole(instruction.memory_size().size()) {
                    value
                } else {
                    value.computed()
                }
            }
            _ if crate::is_number(instruction.op_kind(number)) => Value::number(instruction.immediate(number) as i32),
            _ => Value::default(),
        }
    }

    /// The value in the memory that an instruction names, before the state `state`.
    pub(super) fn loaded(&mut self, instruction: &Instruction, state: &State) -> Value {
        self.load(self.place(instruction, state), state)
    }

    /// Stores `value` in the first operand.
    fn store(&mut self, instruction: &Instruction, value: Value, state: &mut State) {
        match instruction.op0_kind() {
            OpKind::Register if instruction.op0_register().is_gpr() => {
                let register = instruction.op0_register();
                let old = &mut state.registers[register.full_register32().number()];
                *old = match register.size() {
                    size if self.width.is_whole(size) => value,
                    _ => Value {
                        other: old.sum | old.other | value.sum | value.other,
                        ..Value::default()
                    },
                };
            }
            OpKind::Memory => {
                let place = self.place(instruction, state);
                let indexed =
                    instruction.memory_base() != Register::None && instruction.memory_index() != Register::None;
                if !indexed {
                    state.memory.insert(place, value);
                }
            }
            _ => {}
        }
    }

    /// The values after an instruction.
    fn after(&mut self, instruction: &Instruction, before: State) -> State {
        let mut state = before;
        let same = instruction.op_count() == 2
            && instruction.op0_kind() == OpKind::Register
            && instruction.op1_kind() == OpKind::Register
            && instruction.op0_register() == instruction.op1_register();
        match instruction.mnemonic() {
            Mnemonic::Mov => {
                let value = self.operand(instruction, 1, &state);
                self.store(instruction, value, &mut state);
            }
            Mnemonic::Movzx | Mnemonic::Movsx => {
                let value = self.operand(instruction, 1, &state).computed();
                self.store(instruction, value, &mut state);
            }
            Mnemonic::Lea => {
                let mut value = state.value(instruction.memory_base());
                if instruction.memory_base() == Register::None {
                    value = Value::number(0);
                }
                if instruction.memory_index() != Register::None {
                    let index = state.value(instruction.memory_index());
                    value = value.plus_value(match instruction.memory_index_scale() {
                        1 => index,
                        scale => index.times(scale as i32),
                    });
                }
                let value = value.plus(self.width.displacement(instruction));
                self.store(instruction, value, &mut state);
            }
            Mnemonic::Xor | Mnemonic::Sub if same => self.store(instruction, Value::number(0), &mut state),
            Mnemonic::Add => {
                let added = self.operand(instruction, 1, &state);
                let value = self.operand(instruction, 0, &state).plus_value(added);
                self.store(instruction, value, &mut state);
            }
            Mnemonic::Sub => {
                let taken = self.operand(instruction, 1, &state);
                let value = self.operand(instruction, 0, &state);
                let value = match taken.exact {
                    Some((None, number)) => value.plus(number.wrapping_neg()),
                    _ => Value {
                        other: value.other | taken.sum | taken.other,
                        exact: None,
                        alternatives: 0,
                        product: None,
                        ..value
                    },
                };
                self.store(instruction, value, &mut state);
            }
            Mnemonic::Inc | Mnemonic::Dec => {
                let by = if instruction.mnemonic() == Mnemonic::Inc { 1 } else { -1 };
                let value = self.operand(instruction, 0, &state).plus(by);
                self.store(instruction, value, &mut state);
            }
            Mnemonic::Loop | Mnemonic::Loope | Mnemonic::Loopne => {
                let counter = &mut state.registers[Register::ECX.number()];
                *counter = counter.plus(-1);
            }
            Mnemonic::And if crate::is_number(instruction.op1_kind()) => {
                // Its low bits are cleared, as those of an address are, or it becomes small.
                let value = self.operand(instruction, 0, &state);
                let aligned = (instruction.immediate(1) as i32) < 0;
                let value = if aligned {
                    Value {
                        exact: None,
                        alternatives: 0,
                        product: None,
                        ..value
                    }
                } else {
                    value.computed()
                };
                self.store(instruction, value, &mut state);
            }
            Mnemonic::Shl | Mnemonic::Sal if crate::is_number(instruction.op1_kind()) => {
                let value = self.operand(instruction, 0, &state);
                let value = value.times(1i32.wrapping_shl(instruction.immediate(1) as u32));
                self.store(instruction, value, &mut state);
            }
            Mnemonic::Xchg
                if instruction.op1_kind() == OpKind::Register
                    && self.width.is_whole(instruction.op1_register().size()) =>
            {
                let values = [1, 0].map(|number| self.operand(instruction, number, &state));
                self.store(instruction, values[0], &mut state);
                state.registers[instruction.op1_register().full_register32().number()] = values[1];
            }
            Mnemonic::Push => {
                let value = self.operand(instruction, 0, &state);
                let top = &mut state.registers[usize::from(ESP)];
                *top = top.plus(instruction.stack_pointer_increment());
                let place = (top.origin_in(Register::ESP), top.distance());
                state.memory.insert(place, value);
            }
            Mnemonic::Pop => {
                let top = state.registers[usize::from(ESP)];
                let value = self.load((top.origin_in(Register::ESP), top.distance()), &state);
                self.store(instruction, value, &mut state);
                state.registers[usize::from(ESP)] = top.plus(instruction.stack_pointer_increment());
            }
            _ => self.other(instruction, &mut state),
        }
        state
    }

    /// Applies an instruction that computes what it writes from all that it reads.
    fn other(&mut self, instruction: &Instruction, state: &mut State) {
        let mut read = Value::default();
        let info = self.factory.info(instruction);
        let accesses = [0, 1, 2, 3].map(|number| info.op_access(number));
        for (number, access) in (0..instruction.op_count()).zip(accesses) {
            if access == OpAccess::Write {
                continue;
            }
            let value = self.operand(instruction, number, state);
            read.other |= value.sum | value.other;
        }
        let used = self.factory.info(instruction).used_registers().to_vec();
        let general = used.iter().filter(|used| used.register().is_gpr());
        let registers = general.map(|used| (used.register().full_register32().number(), used.access()));
        let registers: Vec<(usize, OpAccess)> = registers.collect();
        for &(number, access) in &registers {
            if !matches!(access, OpAccess::Write | OpAccess::CondWrite) {
                read.other |= state.registers[number].sum | state.registers[number].other;
            }
        }
        let string = instruction.is_string_instruction();
        let repeated = instruction.has_rep_prefix() || instruction.has_repne_prefix();
        for (number, access) in registers {
            let value = &mut state.registers[number];
            match access {
                OpAccess::Read | OpAccess::CondRead | OpAccess::None | OpAccess::NoMemAccess => {}
                // ESI, EDI and ECX move by what is known, but not here by how much.
                _ if string && number >= 6 => value.exact = value.exact.filter(|_| !repeated),
                _ if string && number == 1 && repeated => *value = Value::number(0),
                _ if number == usize::from(ESP) => *value = value.plus(instruction.stack_pointer_increment()),
                _ => *value = read,
            }
        }
        // Memory that it computes keeps its origin: it is a counter, or one of many elements.
    }

    /// The registers and memory of an instruction.
    pub(super) fn info(&mut self, instruction: &Instruction) -> &iced_x86::InstructionInfo {
        self.factory.info(instruction)
    }
}
