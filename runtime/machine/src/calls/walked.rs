//! Accesses by pointers that walk past the ends of arrays: `add eax,[esi]` and `add esi,4`, once more than there are
//! elements; and a stack of 16-bit code whose pointer goes below its segment, or below 0.
//!
//! A walk is a row of accesses by one instruction at equal steps of whole elements. It is told if it goes over an array
//! from one end to the other and a few elements further. One that goes far beyond likely means several variables at
//! once, and then nothing is told of the instruction.

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory};
use p5_image::{Image, Start};
use p5_words::registers::Registers;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// How many elements a walk by mistake goes at most beyond an array.
const MOST_BEYOND: u32 = 4;
/// The most bytes that an instruction moves the stack pointer by when it pushes.
const MOST_PUSHED: u32 = 64;

/// A variable with several elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Array {
    pub(super) start: u32,
    pub(super) size: u32,
    pub(super) element: u32,
    /// Its number in the list of all variables.
    pub(super) symbol: usize,
}

/// A walk past the end of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beyond {
    pub(super) array: Array,
    pub(super) line: u32,
    /// Whether the instruction writes there.
    pub(super) writes: bool,
    /// The distance of the first access outside from the beginning of the array.
    pub(super) first: i64,
}

/// The instructions that access memory by a pointer, and what the stack pointer does.
#[derive(Clone, Default)]
pub(super) struct Walked {
    arrays: Vec<Array>,
    watched: FxHashMap<u32, Vec<Walker>>,
    // The address of an instruction that comes next, and the addresses that it accesses.
    next: Option<(u32, Vec<u32>)>,
    stack: Option<Falling>,
}

/// A stack pointer of 16 bits.
#[derive(Clone, Default)]
struct Falling {
    // The linear addresses of the program's stack segment, if it has one.
    declared: Option<Range<u32>>,
    segment: u32,
    pointer: u32,
    // Whether it came to 0 by a push, rather than was set to 0, which means 64 KiB.
    fell: bool,
    // The last instruction, the first one that pushed below 0, and the first one below the stack segment.
    last: u32,
    wrapped: Option<u32>,
    overrun: Option<u32>,
}

/// Where the pointer of a stack first left it: the instruction, and the size of the program's stack segment, unless it
/// came below 0 first.
pub(super) type Left = (u32, Option<u32>);

/// One operand of an instruction.
#[derive(Clone)]
struct Walker {
    instruction: Instruction,
    operand: u32,
    line: u32,
    walk: Option<Walk>,
    found: Option<(Array, i64)>,
    far: bool,
}

#[derive(Clone, Copy)]
struct Walk {
    array: Array,
    start: u32,
    last: u32,
    step: Option<i32>,
    inside: u32,
    first_beyond: Option<i64>,
    beyond: u32,
}

impl Walked {
    /// Watches these instructions, each with its line, and the stack if its pointer has 16 bits.
    pub(super) fn of(
        image: &Image,
        instructions: impl Iterator<Item = (Instruction, u32)>,
        mut arrays: Vec<Array>,
    ) -> Walked {
        arrays.sort_by_key(|array| array.start);
        let mut watched: FxHashMap<u32, Vec<Walker>> = FxHashMap::default();
        for (instruction, line) in instructions.filter(|_| !arrays.is_empty()) {
            for operand in pointers(&instruction) {
                watched.entry(instruction.ip32()).or_default().push(Walker {
                    instruction,
                    operand,
                    line,
                    walk: None,
                    found: None,
                    far: false,
                });
            }
        }
        Walked {
            arrays,
            watched,
            next: None,
            stack: (image.start != Start::Flat).then(|| Falling {
                declared: declared_stack(image),
                ..Falling::default()
            }),
        }
    }

    /// Whether a run has to be repeated for it.
    pub(super) fn is_needed(&self) -> bool {
        !self.watched.is_empty() || self.stack.is_some()
    }

    /// Notes that the instruction at `address` comes next.
    pub(super) fn come_to(&mut self, address: u32, registers: &Registers) {
        let walkers = self.watched.get(&address).into_iter().flatten();
        let addresses: Vec<u32> = walkers.map(|walker| walker.address(registers)).collect();
        self.next = (!addresses.is_empty()).then_some((address, addresses));
        if let Some(stack) = &mut self.stack {
            stack.come_to(registers);
        }
    }

    /// Notes that the instruction at `address` has been executed.
    pub(super) fn executed(&mut self, address: u32) {
        if let Some(stack) = &mut self.stack {
            stack.last = address;
        }
        let Some((_, addresses)) = self.next.take_if(|(next, _)| *next == address) else {
            return;
        };
        let walkers = self.watched.get_mut(&address).into_iter().flatten();
        for (walker, accessed) in walkers.zip(addresses) {
            walker.accessed(accessed, &self.arrays);
        }
    }

    /// The walks past the ends of arrays in the order of lines, and the instruction that pushed below the stack.
    pub(super) fn found(mut self) -> (Vec<Beyond>, Option<Left>) {
        let mut all: Vec<&mut Walker> = self.watched.values_mut().flatten().collect();
        all.sort_by_key(|walker| (walker.line, walker.instruction.ip32(), walker.operand));
        all.iter_mut().for_each(|walker| walker.finish());
        let found = all.into_iter().filter(|walker| !walker.far);
        let beyond = found.filter_map(|walker| {
            let (array, first) = walker.found?;
            Some(Beyond {
                array,
                line: walker.line,
                writes: walker.writes(),
                first,
            })
        });
        (beyond.collect(), self.stack.and_then(|stack| stack.left()))
    }
}

/// The stack segment of a program that is assembled with one.
fn declared_stack(image: &Image) -> Option<Range<u32>> {
    let Start::Real(start) = image.start else {
        return None;
    };
    // A far return address lies above it.
    let bottom = (u32::from(start.stack) << 4) + u32::from(start.top).checked_sub(4)?;
    let segment = image.segment_at(bottom.checked_sub(1)?)?;
    let end = segment.address + segment.bytes.len() as u32 + segment.zeroes;
    let lines = image.line_at(segment.address).is_some() || (segment.address..end).contains(&image.entry);
    (end == bottom && !lines).then_some(segment.address..end)
}

impl Falling {
    fn come_to(&mut self, registers: &Registers) {
        let segment = registers.segments[Register::SS.number()].base();
        let pointer = registers.general[Register::ESP.number()] & 0xFFFF;
        let pushed = self.pointer.wrapping_sub(pointer) & 0xFFFF;
        let pushes = segment == self.segment && (1..=MOST_PUSHED).contains(&pushed);
        if pushes && pointer > self.pointer && (self.pointer > 0 || self.fell) {
            self.wrapped.get_or_insert(self.last);
        }
        if let Some(stack) = self.declared.as_ref().filter(|_| pushes) {
            let within = (stack.start..=stack.end).contains(&self.segment.wrapping_add(self.pointer));
            if within && (pointer > self.pointer || segment.wrapping_add(pointer) < stack.start) {
                self.overrun.get_or_insert(self.last);
            }
        }
        if pointer != self.pointer || segment != self.segment {
            self.fell = pushes && pointer == 0;
        }
        (self.segment, self.pointer) = (segment, pointer);
    }

    /// The first push below the stack.
    fn left(self) -> Option<Left> {
        let declared = self.declared.map(|stack| stack.end - stack.start);
        let overrun = self.overrun.map(|address| (address, declared));
        overrun.or(self.wrapped.map(|address| (address, None)))
    }
}

impl Walker {
    /// The linear address of the operand.
    fn address(&self, registers: &Registers) -> u32 {
        let instruction = &self.instruction;
        let value = |register: Register| match register.size() {
            2 => registers.general[register.full_register32().number()] & 0xFFFF,
            4 => registers.general[register.number()],
            _ => 0,
        };
        let based = |segment: Register, offset: u32| registers.segments[segment.number()].base().wrapping_add(offset);
        let kind = instruction.op_kind(self.operand);
        if let Some(pointer) = string_pointer(kind) {
            let segment = match pointer.full_register32() {
                Register::EDI => Register::ES,
                _ => instruction.memory_segment(),
            };
            return based(segment, value(pointer));
        }
        let (first, second) = (instruction.memory_base(), instruction.memory_index());
        let offset = value(first)
            .wrapping_add(value(second).wrapping_mul(instruction.memory_index_scale()))
            .wrapping_add(instruction.memory_displacement32());
        let narrow = first.size() == 2 || second.size() == 2;
        based(
            instruction.memory_segment(),
            offset & if narrow { 0xFFFF } else { u32::MAX },
        )
    }

    fn accessed(&mut self, address: u32, arrays: &[Array]) {
        if let Some(walk) = &mut self.walk {
            if walk.goes_on(address) {
                return;
            }
            self.finish();
        }
        let after = arrays.partition_point(|array| array.start <= address);
        let array = after.checked_sub(1).and_then(|at| arrays.get(at));
        let array = array.filter(|array| address - array.start < array.size);
        self.walk = array.map(|&array| Walk {
            array,
            start: address,
            last: address,
            step: None,
            inside: 1,
            first_beyond: None,
            beyond: 0,
        });
    }

    /// Ends the current walk.
    fn finish(&mut self) {
        let Some(walk) = self.walk.take().filter(|walk| walk.beyond > 0) else {
            return;
        };
        let (Some(step), Some(first)) = (walk.step, walk.first_beyond) else {
            return;
        };
        let beyond = u64::from(walk.beyond) * u64::from(step.unsigned_abs());
        if !walk.is_whole(step) || beyond > u64::from(MOST_BEYOND) * u64::from(walk.array.element) {
            self.far = true;
            return;
        }
        self.found.get_or_insert((walk.array, first));
    }

    fn writes(&self) -> bool {
        let pointer = string_pointer(self.instruction.op_kind(self.operand));
        let base = pointer.unwrap_or(self.instruction.memory_base());
        writes(&self.instruction, |used| used.base() == base)
    }
}

impl Walk {
    /// Whether an access at `address` goes on with the walk.
    fn goes_on(&mut self, address: u32) -> bool {
        let step = address.wrapping_sub(self.last) as i32;
        let even = step != 0 && step.unsigned_abs().is_multiple_of(self.array.element);
        if self
            .step
            .map_or(!even || step.unsigned_abs() >= self.array.size, |known| known != step)
        {
            return false;
        }
        (self.step, self.last) = (Some(step), address);
        let distance = i64::from(address) - i64::from(self.array.start);
        if (0..i64::from(self.array.size)).contains(&distance) {
            self.inside += 1;
        } else {
            self.first_beyond.get_or_insert(distance);
            self.beyond += 1;
        }
        true
    }

    /// Whether it goes over the array from one end to the other.
    fn is_whole(&self, step: i32) -> bool {
        let before = self.start - self.array.start;
        let behind = self.array.size - before;
        let left_out = if step > 0 {
            before
        } else {
            behind - self.array.element.min(behind)
        };
        self.inside > 1 && left_out < step.unsigned_abs()
    }
}

/// The operands of an instruction that a pointer gives the address of.
fn pointers(instruction: &Instruction) -> Vec<u32> {
    let repeats = instruction.has_rep_prefix() || instruction.has_repne_prefix();
    if repeats || instruction.mnemonic() == Mnemonic::Lea {
        return Vec::new();
    }
    let operands = (0..instruction.op_count()).filter(|&operand| {
        let kind = instruction.op_kind(operand);
        let base = instruction.memory_base();
        let stack = matches!(base.full_register32(), Register::ESP | Register::EBP);
        string_pointer(kind).is_some() || kind == OpKind::Memory && base.is_gpr() && !stack
    });
    operands.collect()
}

/// The register that points at an operand of a string instruction.
fn string_pointer(kind: OpKind) -> Option<Register> {
    match kind {
        OpKind::MemorySegSI => Some(Register::SI),
        OpKind::MemorySegESI => Some(Register::ESI),
        OpKind::MemoryESDI => Some(Register::DI),
        OpKind::MemoryESEDI => Some(Register::EDI),
        _ => None,
    }
}

/// Whether an instruction writes to the memory that `is_operand`.
pub(super) fn writes(instruction: &Instruction, is_operand: impl Fn(&UsedMemory) -> bool) -> bool {
    let mut factory = InstructionInfoFactory::new();
    let info = factory.info(instruction);
    info.used_memory().iter().any(|used| {
        let reads = matches!(
            used.access(),
            OpAccess::Read | OpAccess::CondRead | OpAccess::NoMemAccess
        );
        is_operand(used) && !reads
    })
}
