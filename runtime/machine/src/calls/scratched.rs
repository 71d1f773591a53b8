//! Scratch memory of a fragment that is overrun: a pointer goes on from the memory that was assumed for its register
//! into that of another one, which an ordinary program would keep apart.
//!
//! Not noticed: instructions that repeat themselves, 16-bit code, and what is in front of such memory.

use iced_x86::{Instruction, OpKind, Register};
use p5_image::{Assumed, Image, Place, Start};
use p5_results::Note;
use p5_words::registers::Registers;
use rustc_hash::FxHashMap;

/// The scratch memories of registers, and the operands that have these for a base.
#[derive(Clone)]
pub(super) struct Scratched {
    memories: Vec<Memory>,
    users: FxHashMap<u32, Vec<User>>,
    next: Option<(u32, Vec<Option<u32>>)>,
}

#[derive(Clone, Copy)]
struct Memory {
    register: u8,
    begin: u32,
    bytes: u32,
}

impl Memory {
    fn holds(&self, address: u32) -> bool {
        address.wrapping_sub(self.begin) < self.bytes
    }
}

/// An operand.
#[derive(Clone)]
struct User {
    instruction: Instruction,
    operand: u32,
    line: u32,
    memory: Memory,
    /// Whether it was in its memory, and after that outside of all scratch memory.
    within: bool,
    between: bool,
    farthest: u32,
    into: Option<u8>,
}

impl Scratched {
    /// Watches these instructions, each with its line; `None` if the program has no such memory for several registers.
    pub(super) fn of(image: &Image, instructions: impl Iterator<Item = (Instruction, u32)>) -> Option<Scratched> {
        image.fragment.as_ref().filter(|_| image.start == Start::Flat)?;
        let assumed = image.preset.assumed.iter().filter_map(|one| {
            let Assumed::Pointer {
                place: Place::Register(register),
                bytes,
                ..
            } = one
            else {
                return None;
            };
            Some(Memory {
                register: *register,
                begin: image.preset.registers.get(usize::from(*register)).copied()??,
                bytes: *bytes,
            })
        });
        let memories: Vec<Memory> = assumed.collect();
        if memories.len() < 2 {
            return None;
        }
        let mut users: FxHashMap<u32, Vec<User>> = FxHashMap::default();
        for (instruction, line) in instructions {
            for (operand, register) in pointed(&instruction) {
                let memory = memories.iter().find(|memory| usize::from(memory.register) == register);
                users
                    .entry(instruction.ip32())
                    .or_default()
                    .extend(memory.map(|&memory| User {
                        instruction,
                        operand,
                        line,
                        memory,
                        within: false,
                        between: false,
                        farthest: 0,
                        into: None,
                    }));
            }
        }
        Some(Scratched {
            memories,
            users,
            next: None,
        })
    }

    /// Notes that the instruction at `address` comes next.
    pub(super) fn come_to(&mut self, address: u32, registers: &Registers) {
        self.next = self.users.get(&address).map(|users| {
            let places = users
                .iter()
                .map(|user| super::reread::place(&user.instruction, user.operand, registers));
            (address, places.collect())
        });
    }

    /// Notes that the instruction at `address` has been executed.
    pub(super) fn executed(&mut self, address: u32) {
        let Some((_, places)) = self.next.take_if(|(next, _)| *next == address) else {
            return;
        };
        let users = self.users.get_mut(&address).into_iter().flatten();
        for (user, place) in users.zip(places).filter_map(|(user, place)| Some((user, place?))) {
            let end = user.memory.begin + user.memory.bytes;
            if user.memory.holds(place) {
                user.within = true;
            } else if user.within && place >= end {
                user.farthest = user.farthest.max(place - end + 1);
                match self.memories.iter().find(|memory| memory.holds(place)) {
                    Some(memory) => user.into = Some(memory.register),
                    None => user.between = true,
                }
            }
        }
    }

    /// The first instruction for each memory that goes on into another one.
    pub(super) fn told(self) -> Vec<Note> {
        let users = self.users.into_values().flatten();
        let mut users: Vec<User> = users.filter(|user| user.between && user.into.is_some()).collect();
        users.sort_by_key(|user| (user.memory.register, user.line, user.instruction.ip32(), user.operand));
        users.dedup_by_key(|user| user.memory.register);
        users.sort_by_key(|user| user.line);
        let notes = users.into_iter().filter_map(|user| {
            Some(Note::PastScratch {
                line: user.line,
                register: user.memory.register,
                bytes: user.memory.bytes,
                beyond: user.farthest,
                into: user.into?,
            })
        });
        notes.collect()
    }
}

/// The operands of an instruction in memory, each with the number of its pointer.
fn pointed(instruction: &Instruction) -> Vec<(u32, usize)> {
    if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
        return Vec::new();
    }
    let operands = (0..instruction.op_count()).filter_map(|operand| {
        let register = match instruction.op_kind(operand) {
            OpKind::Memory => instruction.memory_base(),
            OpKind::MemorySegESI => Register::ESI,
            OpKind::MemoryESEDI => Register::EDI,
            _ => return None,
        };
        register.is_gpr32().then(|| (operand, register.number()))
    });
    operands.collect()
}
