//! Whether every return of a program leads to the instruction after the call: the depth of the stack is followed
//! through each procedure, and so is EBP while it points to the procedure's frame.
//!
//! Known: pushes, pops, calls, additions to ESP, ENTER, LEAVE, and ESP taken from the frame pointer. Any other effect
//! makes returns unknown, as does a return address that is popped, written through ESP or the frame pointer, or pushed.
//! Not noticed: a store past the end of an array on the stack.

use super::{instruction_at, is_number, target};
use iced_x86::{
    CodeSize, FlowControl, Instruction, InstructionInfoFactory, MemorySize, Mnemonic, OpAccess, OpKind, Register,
};
use p5_image::Image;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The maximum number of instructions that are followed, over all procedures.
const MOST_STEPS: usize = 65_536;

/// The state of the stack before an instruction, in bytes relative to the return address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Frame {
    /// The position of ESP: 0 at the entry, negative with data on the stack.
    top: i64,
    /// The position of EBP, if it points into the stack.
    base: Option<i64>,
}

/// Whether all procedures that `image` calls directly return to the instruction after the call. For an address in the
/// library, `after_library` gives the address at which the program's own code continues.
pub(super) fn returns_are_kept(image: &Image, after_library: impl Fn(u32) -> Option<u32>) -> bool {
    let own = image.lines.iter().filter(|row| !row.data);
    let called = own.filter_map(|row| {
        let instruction = instruction_at(image, row.address)?;
        target(&instruction).filter(|_| instruction.is_call_near())
    });
    let entries: BTreeSet<u32> = called.chain([image.entry]).collect();
    let mut walk = Walk {
        image,
        after_library: &after_library,
        factory: InstructionInfoFactory::new(),
        steps: 0,
        released: BTreeMap::new(),
    };
    entries.into_iter().all(|entry| walk.keeps_return(entry).is_some())
}

struct Walk<'a> {
    image: &'a Image,
    after_library: &'a dyn Fn(u32) -> Option<u32>,
    factory: InstructionInfoFactory,
    steps: usize,
    /// The bytes that each known procedure releases when it returns.
    released: BTreeMap<u32, u32>,
}

impl Walk<'_> {
    /// Follows the procedure at `entry`; `None` if one of its returns may lead elsewhere.
    fn keeps_return(&mut self, entry: u32) -> Option<()> {
        let start = Frame { top: 0, base: None };
        let mut seen: HashMap<u32, Frame> = HashMap::new();
        let mut open = vec![(entry, start)];
        while let Some((address, frame)) = open.pop() {
            match seen.get(&address) {
                Some(same) if *same == frame => continue,
                Some(_) => return None,
                None => seen.insert(address, frame),
            };
            self.step()?;
            if let Some(next) = (self.after_library)(address) {
                open.push((next, frame));
                continue;
            }
            // Without code here, the program ends, or execution continues outside of its procedures.
            let Some(instruction) = self.instruction(address) else {
                continue;
            };
            let next = instruction.next_ip32();
            match (instruction.flow_control(), target(&instruction)) {
                (FlowControl::Return, _) => {
                    // A return is one only if ESP points to the return address.
                    (frame.top == 0).then_some(())?;
                }
                (FlowControl::UnconditionalBranch, Some(target)) => open.push((target, frame)),
                (FlowControl::ConditionalBranch, Some(target)) => open.extend([(target, frame), (next, frame)]),
                (FlowControl::Call, Some(target)) if instruction.is_call_near() => {
                    let top = frame.top + i64::from(self.released_by(target)?);
                    open.push((next, Frame { top, ..frame }.within()?));
                }
                (FlowControl::Next | FlowControl::Interrupt, _) => {
                    open.push((next, self.after(&instruction, frame)?));
                }
                // The target is not known; the caller of this module treats everything as read there.
                _ => {}
            }
        }
        Some(())
    }

    /// The bytes that the procedure at `entry` releases; `None` if its returns differ.
    fn released_by(&mut self, entry: u32) -> Option<u32> {
        if let Some(&known) = self.released.get(&entry) {
            return Some(known);
        }
        let mut seen = BTreeSet::new();
        let mut open = vec![entry];
        let mut released = None;
        while let Some(address) = open.pop() {
            if !seen.insert(address) {
                continue;
            }
            self.step()?;
            if let Some(next) = (self.after_library)(address) {
                open.push(next);
                continue;
            }
            let Some(instruction) = self.instruction(address) else {
                continue;
            };
            let next = instruction.next_ip32();
            match (instruction.flow_control(), target(&instruction)) {
                (FlowControl::Return, _) => {
                    let bytes = match instruction.op_count() {
                        0 => 0,
                        _ => instruction.immediate(0) as u32,
                    };
                    if *released.get_or_insert(bytes) != bytes {
                        return None;
                    }
                }
                (FlowControl::UnconditionalBranch, Some(target)) => open.push(target),
                (FlowControl::ConditionalBranch, Some(target)) => open.extend([target, next]),
                (FlowControl::Next | FlowControl::Interrupt | FlowControl::Call | FlowControl::IndirectCall, _) => {
                    open.push(next);
                }
                _ => {}
            }
        }
        let released = released.unwrap_or(0);
        self.released.insert(entry, released);
        Some(released)
    }

    fn step(&mut self) -> Option<()> {
        self.steps += 1;
        (self.steps <= MOST_STEPS).then_some(())
    }

    fn instruction(&self, address: u32) -> Option<Instruction> {
        let ended = self.image.end == Some(address);
        instruction_at(self.image, address).filter(|_| !ended)
    }

    /// The stack after an instruction that continues with the next one; `None` if the instruction may change the return
    /// address, or if the position of ESP is not known.
    fn after(&mut self, instruction: &Instruction, frame: Frame) -> Option<Frame> {
        let info = self.factory.info(instruction);
        let writes = |access: OpAccess| {
            matches!(
                access,
                OpAccess::Write | OpAccess::ReadWrite | OpAccess::CondWrite | OpAccess::ReadCondWrite
            )
        };
        let stores = info.used_memory().iter().filter(|used| writes(used.access()));
        for used in stores {
            let Some(place) = frame.place(used.base(), used.displacement()) else {
                continue;
            };
            let size = match used.memory_size() {
                MemorySize::Unknown => return None,
                size => size.size() as i64,
            };
            if used.index() != Register::None || touches_return(place, size, address_bytes(instruction)) {
                return None;
            }
        }
        let changed = |register: Register| {
            let mut used = info.used_registers().iter();
            used.any(|one| one.register().full_register32() == register && writes(one.access()))
        };
        let (stack, base) = (changed(Register::ESP), changed(Register::EBP));
        // A write of SP alone, in 32-bit code, falls through to what is not known.
        let (stack_pointer, frame_pointer) = match instruction.code_size() {
            CodeSize::Code32 => (Register::ESP, Register::EBP),
            _ => (Register::SP, Register::BP),
        };
        let displacement = instruction.memory_displacement64();
        let after = match instruction.mnemonic() {
            Mnemonic::Enter => {
                let top = frame.top + i64::from(instruction.stack_pointer_increment());
                Frame {
                    top,
                    base: Some(frame.top - address_bytes(instruction)),
                }
            }
            Mnemonic::Leave => Frame {
                top: frame.base? + address_bytes(instruction),
                base: None,
            },
            Mnemonic::Mov if instruction.op1_register() == stack_pointer => match instruction.op0_register() {
                register if register == frame_pointer => Frame {
                    base: Some(frame.top),
                    ..frame
                },
                // This is a copy of an ESP that points to the return address.
                _ if frame.top == 0 => return None,
                _ => frame,
            },
            Mnemonic::Mov
                if instruction.op0_register() == stack_pointer && instruction.op1_register() == frame_pointer =>
            {
                Frame {
                    top: frame.base?,
                    ..frame
                }
            }
            Mnemonic::Lea => {
                let plain = instruction.memory_index() == Register::None;
                let place = frame.place(instruction.memory_base(), displacement);
                match place {
                    Some(_) if !plain && !stack => frame.without_base(base),
                    Some(place) if plain && stack => Frame { top: place, ..frame },
                    Some(place) if touches_return(place, 1, address_bytes(instruction)) => return None,
                    _ if stack => return None,
                    _ => frame.without_base(base),
                }
            }
            Mnemonic::Add | Mnemonic::Sub
                if instruction.op0_register() == stack_pointer && is_number(instruction.op1_kind()) =>
            {
                let distance = signed(instruction.immediate(1), stack_pointer);
                let up = instruction.mnemonic() == Mnemonic::Add;
                Frame {
                    top: frame.top + if up { distance } else { -distance },
                    ..frame
                }
            }
            Mnemonic::Push if instruction.op0_register() == stack_pointer && frame.top == 0 => return None,
            _ => {
                let by = i64::from(instruction.stack_pointer_increment());
                let named = instruction.op_count() > 0
                    && instruction.op0_kind() == OpKind::Register
                    && instruction.op0_register().full_register32() == Register::ESP;
                let written = named && stack && instruction.mnemonic() != Mnemonic::Push;
                if written || stack && by == 0 {
                    return None;
                }
                Frame {
                    top: frame.top + by,
                    ..frame.without_base(base)
                }
            }
        };
        after.within()
    }
}

impl Frame {
    /// The position of an address relative to ESP or the frame pointer.
    fn place(self, register: Register, displacement: u64) -> Option<i64> {
        let displacement = signed(displacement, register);
        match register.full_register32() {
            Register::ESP => Some(self.top + displacement),
            Register::EBP => Some(self.base? + displacement),
            _ => None,
        }
    }

    /// The same stack, if the return address is still on it.
    fn within(self) -> Option<Frame> {
        (self.top <= 0).then_some(self)
    }

    fn without_base(self, changed: bool) -> Frame {
        Frame {
            base: self.base.filter(|_| !changed),
            ..self
        }
    }
}

/// Sign-extends a number that has the width of the register to which it is added.
fn signed(number: u64, register: Register) -> i64 {
    match register.size() {
        2 => i64::from(number as i16),
        _ => i64::from(number as i32),
    }
}

/// The size in bytes of a return address, and of a saved frame pointer, in the code of an instruction.
fn address_bytes(instruction: &Instruction) -> i64 {
    match instruction.code_size() {
        CodeSize::Code16 => 2,
        _ => 4,
    }
}

/// Whether the `size` bytes at `place` overlap the return address, which has `bytes` bytes.
fn touches_return(place: i64, size: i64, bytes: i64) -> bool {
    place < bytes && place + size > 0
}
