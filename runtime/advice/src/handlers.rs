//! Whether a program may have handlers of its own for faults and interrupts, and which of its services end it: what
//! registers and the stack hold is followed along every path from the entry, as far as constants and copies of segment
//! registers tell it.
//!
//! A program in real mode sets a handler by a service, or by a store below 400h. The second takes a segment register
//! that holds less than 40h, so that each load of one must be known to be harmless. Not noticed: a store past the end
//! of an array on the stack.

use super::doubt::Doubt;
use super::{instruction_at, is_number, target};
use iced_x86::{FlowControl, Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use p5_image::{Image, Start, SymbolKind};
use std::collections::{BTreeSet, HashMap};

/// The maximum number of instructions that are followed.
const MOST_STEPS: usize = 65_536;
/// The maximum number of words on the stack that are followed.
const MOST_WORDS: usize = 64;
/// The size of the real-mode interrupt vector table, in paragraphs of 16 bytes.
const VECTORS: u32 = 0x40;

/// Vectors below 20h of devices, and of DOS for them, that no service reads. The exceptions that share 08h and 09h need
/// another limit of the table of vectors, or a coprocessor of its own.
const OF_DEVICES: &[u8] = &[0x08, 0x09, 0x0A, 0x0B, 0x0F, 0x1B, 0x1C];
/// Services of interrupt 21h that end the program, by AH.
const ENDING: &[u32] = &[0x00, 0x31, 0x4C];
/// The services of interrupt 21h that set a handler, and that return one in ES:BX, by AH.
const SETTING: u32 = 0x25;
const ASKING: u32 = 0x35;

/// What is known of a program's handlers and services.
#[derive(Clone, Debug, Default)]
pub(super) struct Handlers {
    /// Why the program may handle exceptions itself; `None` if it does not.
    pub(super) doubt: Option<Doubt>,
    /// The addresses of INT instructions that end the program.
    pub(super) ends: BTreeSet<u32>,
    /// The vectors that the program sets, none of which an exception uses.
    pub(super) own: BTreeSet<u8>,
    /// Whether a service may have left the segment of a handler in ES.
    asks: bool,
}

impl Handlers {
    /// Follows a program; `after_library` gives the address at which its own code continues, for one in the library.
    pub(super) fn of(image: &Image, keeps_returns: bool, after_library: &dyn Fn(u32) -> Option<u32>) -> Handlers {
        let through_frame = image.lines.iter().filter(|row| !row.data).any(|row| {
            let instruction = instruction_at(image, row.address);
            instruction.is_some_and(|instruction| stores_above_frame(&instruction))
        });
        let found = |replaced: bool, asked: bool| {
            let mut walk = Walk {
                image,
                after_library,
                calls_keep_stack: keeps_returns && !through_frame,
                keeps_returns,
                replaced,
                asked,
                factory: InstructionInfoFactory::new(),
                open: vec![(image.entry, State::default())],
                everywhere: false,
                found: Handlers::default(),
            };
            walk.follow();
            walk.found
        };
        let first = found(false, false);
        let replaced = [0x20, 0x21, 0x27].iter().any(|vector| first.own.contains(vector));
        match replaced || first.asks {
            true => found(replaced, first.asks),
            false => first,
        }
    }
}

/// The bits of a register that are known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Known {
    mask: u32,
    value: u32,
    /// Whether the low word was a segment register's.
    copied: bool,
}

impl Known {
    fn number(value: u32, bits: u32) -> Known {
        let mask = u32::MAX >> (32 - bits);
        Known {
            mask,
            value: value & mask,
            copied: false,
        }
    }

    fn meet(self, other: Known) -> Known {
        let mask = self.mask & other.mask & !(self.value ^ other.value);
        Known {
            mask,
            value: self.value & mask,
            copied: self.is_harmless() && other.is_harmless(),
        }
    }

    /// Whether a segment register may take the low word: nothing below it is a vector.
    fn is_harmless(self) -> bool {
        self.copied || self.mask & 0xFFFF == 0xFFFF && self.value & 0xFFFF >= VECTORS
    }

    fn byte(self, at: u32) -> Option<u32> {
        (self.mask >> (8 * at) & 0xFF == 0xFF).then_some(self.value >> (8 * at) & 0xFF)
    }

    /// The register after a write of `bits` bits, from bit `from` on.
    fn with(self, from: u32, bits: u32, written: Known) -> Known {
        let field = (u32::MAX >> (32 - bits)) << from;
        Known {
            mask: self.mask & !field | written.mask << from & field,
            value: self.value & !field | written.value << from & field,
            copied: if bits == 8 { false } else { written.copied },
        }
    }
}

/// What is known before an instruction: the general registers, and the words that were pushed, the last one on top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    registers: [Known; 8],
    stack: Vec<Known>,
    /// Whether ES may have the segment of a handler, which may be that of the vectors.
    foreign_extra: bool,
}

impl State {
    fn get(&self, register: Register) -> Known {
        let (from, bits) = place(register);
        let whole = self.registers[register.full_register32().number()];
        let copied = whole.copied && bits == 16;
        Known {
            copied,
            ..Known::number(whole.value >> from, bits).masked(whole.mask >> from)
        }
    }

    fn set(&mut self, register: Register, written: Known) {
        let (from, bits) = place(register);
        let whole = &mut self.registers[register.full_register32().number()];
        *whole = whole.with(from, bits, written);
    }

    fn meet(&self, other: &State) -> State {
        let mut registers = self.registers;
        for (one, other) in registers.iter_mut().zip(other.registers) {
            *one = one.meet(other);
        }
        let words = self.stack.iter().rev().zip(other.stack.iter().rev());
        let mut stack: Vec<Known> = words.map(|(one, other)| one.meet(*other)).collect();
        stack.reverse();
        State {
            registers,
            stack,
            foreign_extra: self.foreign_extra || other.foreign_extra,
        }
    }

    /// What a copy of a segment register is.
    fn copied(&self, segment: Register) -> Known {
        match segment == Register::ES && self.foreign_extra {
            true => Known::default(),
            false => COPIED,
        }
    }

    fn push(&mut self, word: Known) {
        self.stack.push(word);
        if self.stack.len() > MOST_WORDS {
            self.stack.remove(0);
        }
    }

    fn drop(&mut self, words: usize) {
        self.stack.truncate(self.stack.len().saturating_sub(words));
    }
}

impl Known {
    fn masked(self, mask: u32) -> Known {
        let mask = self.mask & mask;
        Known {
            mask,
            value: self.value & mask,
            ..self
        }
    }
}

/// The first bit of a general register in the 32-bit register that holds it, and the number of its bits.
fn place(register: Register) -> (u32, u32) {
    match register {
        Register::AH | Register::CH | Register::DH | Register::BH => (8, 8),
        _ => (0, 8 * register.size() as u32),
    }
}

struct Walk<'a> {
    image: &'a Image,
    after_library: &'a dyn Fn(u32) -> Option<u32>,
    keeps_returns: bool,
    calls_keep_stack: bool,
    // Whether the program has handlers of its own for the services that end programs, which then end nothing.
    replaced: bool,
    // Whether a service leaves the segment of a handler in ES somewhere in the program.
    asked: bool,
    factory: InstructionInfoFactory,
    open: Vec<(u32, State)>,
    // Whether each label is followed, because it may be reached by a way that is not known.
    everywhere: bool,
    found: Handlers,
}

impl Walk<'_> {
    fn follow(&mut self) {
        let mut seen: HashMap<u32, State> = HashMap::new();
        let mut ends: HashMap<u32, bool> = HashMap::new();
        let mut steps = 0;
        while let Some((address, mut state)) = self.open.pop() {
            if let Some(known) = seen.get(&address) {
                state = known.meet(&state);
                if state == *known {
                    continue;
                }
            }
            seen.insert(address, state.clone());
            steps += 1;
            if steps > MOST_STEPS {
                self.found.doubt.get_or_insert(Doubt::Long);
                break;
            }
            if let Some(next) = (self.after_library)(address) {
                self.open.push((next, state));
                continue;
            }
            let code = self.image.line_at(address).is_some_and(|row| !row.data);
            let Some(instruction) = instruction_at(self.image, address).filter(|_| code) else {
                continue;
            };
            let next = instruction.next_ip32();
            match (instruction.flow_control(), target(&instruction)) {
                (FlowControl::UnconditionalBranch, Some(target)) => self.open.push((target, state)),
                (FlowControl::ConditionalBranch, Some(target)) => {
                    self.after(&instruction, &mut state);
                    self.open.extend([(target, state.clone()), (next, state)]);
                }
                (FlowControl::Call, Some(target)) if instruction.is_call_near() => {
                    let called = State {
                        foreign_extra: state.foreign_extra || self.asked,
                        ..State::default()
                    };
                    self.open.push((target, called));
                    self.returned(next, state);
                }
                (FlowControl::Return, _) if instruction.mnemonic() == Mnemonic::Ret && self.keeps_returns => {}
                (FlowControl::Next, _) => {
                    self.after(&instruction, &mut state);
                    self.open.push((next, state));
                }
                (FlowControl::Interrupt, _) => {
                    let end = self.ends(&instruction, &state);
                    ends.entry(address).and_modify(|all| *all &= end).or_insert(end);
                    if !end {
                        let service = state.get(Register::AH).byte(0);
                        let of_dos = self.image.start != Start::Flat && instruction.immediate8() == 0x21;
                        let asks = of_dos && service.is_none_or(|service| service == ASKING);
                        self.found.asks |= asks;
                        state.foreign_extra |= asks;
                        state.registers = <[Known; 8]>::default();
                        self.open.push((next, state));
                    }
                }
                // It leads to what is not known.
                (flow, _) => {
                    self.reach_all();
                    if matches!(flow, FlowControl::Call | FlowControl::IndirectCall) {
                        self.returned(next, state);
                    }
                }
            }
        }
        self.found.ends = ends.into_iter().filter(|end| end.1).map(|end| end.0).collect();
    }

    /// Follows the instruction after a call.
    fn returned(&mut self, next: u32, state: State) {
        let stack = if self.calls_keep_stack { state.stack } else { Vec::new() };
        let registers = <[Known; 8]>::default();
        let foreign_extra = state.foreign_extra || self.asked;
        self.open.push((
            next,
            State {
                registers,
                stack,
                foreign_extra,
            },
        ));
    }

    /// Follows all that may be reached by a way that is not known: from labels and from the instructions after calls.
    fn reach_all(&mut self) {
        if std::mem::replace(&mut self.everywhere, true) {
            return;
        }
        let symbols = self.image.symbols.iter();
        let labels = symbols.filter(|symbol| symbol.kind == SymbolKind::Code);
        let unknown = State {
            foreign_extra: self.asked,
            ..State::default()
        };
        self.open.extend(labels.map(|label| (label.value, unknown.clone())));
        for row in self.image.lines.iter().filter(|row| !row.data) {
            let instruction = instruction_at(self.image, row.address);
            let flow = instruction.map(|instruction| instruction.flow_control());
            if matches!(flow, Some(FlowControl::Call | FlowControl::IndirectCall)) {
                let next = row.address.wrapping_add(row.length);
                self.open.push((next, unknown.clone()));
            }
        }
    }

    /// Whether an INT ends the program; if it may set a handler, that is noted.
    fn ends(&mut self, instruction: &Instruction, state: &State) -> bool {
        let number = match (instruction.mnemonic(), self.image.start) {
            (Mnemonic::Int, Start::Real(_)) => instruction.immediate8(),
            (Mnemonic::Int, Start::Flat) => {
                let service = state.get(Register::EAX);
                let known = service.mask == u32::MAX;
                return instruction.immediate8() == 0x80 && known && [1, 252].contains(&service.value);
            }
            _ => return false,
        };
        let [vector, service] = [Register::AL, Register::AH].map(|register| state.get(register).byte(0));
        match (number, service) {
            (0x20 | 0x27, _) => !self.replaced,
            (0x21, Some(service)) if ENDING.contains(&service) => !self.replaced,
            (0x21, Some(SETTING) | None) => {
                let harmless = vector
                    .and_then(|vector| u8::try_from(vector).ok())
                    .filter(|vector| *vector >= 0x20 || OF_DEVICES.contains(vector));
                match harmless.filter(|_| service.is_some()) {
                    Some(vector) => _ = self.found.own.insert(vector),
                    None => self.suspect(instruction),
                }
                self.reach_all();
                false
            }
            _ => false,
        }
    }

    fn suspect(&mut self, instruction: &Instruction) {
        self.found.doubt.get_or_insert(Doubt::Handler(instruction.ip32()));
    }

    /// What is known after an instruction that continues with the next one.
    fn after(&mut self, instruction: &Instruction, state: &mut State) {
        use Mnemonic::{Add, Lds, Leave, Les, Lfs, Lgs, Lidt, Lss, Mov, Pop, Push, Sub, Xor};
        let name = instruction.mnemonic();
        let real = self.image.start != Start::Flat;
        if name == Lidt || real && matches!(name, Lds | Les | Lfs | Lgs | Lss) {
            self.suspect(instruction);
        }
        let register = |at: u32| match instruction.op_count() > at && instruction.op_kind(at) == OpKind::Register {
            true => instruction.op_register(at),
            false => Register::None,
        };
        let (first, second) = (register(0), register(1));
        let same = first == second && first.is_gpr();
        let source = match name {
            Mov if is_number(instruction.op1_kind()) && first.is_gpr() => {
                Known::number(instruction.immediate(1) as u32, place(first).1)
            }
            Mov if second.is_gpr() => state.get(second),
            Mov if second.is_segment_register() => state.copied(second),
            Xor | Sub if same => Known::number(0, place(first).1),
            Pop => state.stack.last().copied().unwrap_or_default(),
            Push if is_number(instruction.op0_kind()) => Known::number(instruction.immediate(0) as u32, 16),
            Push if first.is_gpr() && first.size() == 2 => state.get(first),
            Push if first.is_segment_register() => state.copied(first),
            _ => Known::default(),
        };
        let loads = matches!(name, Mov | Pop) && first.is_segment_register();
        if real && loads && !source.is_harmless() {
            self.suspect(instruction);
        }
        if loads && first == Register::ES {
            state.foreign_extra = false;
        }
        let info = self.factory.info(instruction);
        let stores = |segment| {
            let stored = info.used_memory().iter().filter(|used| writes(used.access()));
            stored.filter(|used| used.segment() == segment).count() > 0
        };
        if state.foreign_extra && stores(Register::ES) {
            self.found.doubt.get_or_insert(Doubt::Handler(instruction.ip32()));
        }
        let by_frame = info.used_memory().iter().any(|used| {
            let pushes = instruction.is_stack_instruction() && used.base().full_register32() == Register::ESP;
            writes(used.access()) && used.segment() == Register::SS && !pushes
        });
        let mut moved = false;
        for used in info.used_registers().iter().filter(|used| writes(used.access())) {
            if used.register().is_gpr() {
                state.set(used.register(), Known::default());
                moved |= used.register().full_register32() == Register::ESP;
            }
        }
        let by = instruction.stack_pointer_increment() / 2;
        match () {
            // Another stack, or another place on it.
            () if by_frame || name == Leave || loads && first == Register::SS => state.stack.clear(),
            () if name == Pop && first.full_register32() == Register::ESP => state.stack.clear(),
            () if by < 0 => {
                for _ in 1..by.unsigned_abs().min(MOST_WORDS as u32) {
                    state.push(Known::default());
                }
                state.push(if by == -1 { source } else { Known::default() });
            }
            () if by > 0 => state.drop(by.unsigned_abs() as usize),
            () if name == Add
                && moved
                && is_number(instruction.op1_kind())
                && instruction.immediate(1).is_multiple_of(2) =>
            {
                state.drop(instruction.immediate(1) as u16 as usize / 2);
            }
            () if moved => state.stack.clear(),
            () => {}
        }
        if first.is_gpr() && (matches!(name, Mov) || matches!(name, Xor | Sub) && same || name == Pop && by == 1) {
            state.set(first, source);
        }
    }
}

/// A segment register's value in a word.
const COPIED: Known = Known {
    mask: 0,
    value: 0,
    copied: true,
};

fn writes(access: OpAccess) -> bool {
    !matches!(
        access,
        OpAccess::None | OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
    )
}

/// Whether an instruction stores through the frame pointer where the caller's part of the stack lies, or through
/// another register anywhere on the stack.
fn stores_above_frame(instruction: &Instruction) -> bool {
    let above = match instruction.memory_base().full_register32() {
        Register::EBP => {
            instruction.memory_index() != Register::None || (instruction.memory_displacement32() as i16) >= 0
        }
        Register::ESP => false,
        _ => instruction.memory_segment() == Register::SS,
    };
    let mut factory = InstructionInfoFactory::new();
    above
        && factory
            .info(instruction)
            .used_memory()
            .iter()
            .any(|used| writes(used.access()))
}
