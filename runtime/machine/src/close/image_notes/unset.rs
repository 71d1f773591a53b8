//! The first general register that a program reads and that nothing in it has set.
//!
//! Followed is the way from the entry to the first branch that depends on anything, so that what is told happens in
//! every run; beyond that, a register is told that nothing executed has set, unless services are called. Not told:
//! registers that are only saved on the stack, or combined with themselves or with a number so that the result is the
//! same for all values.

use crate::decode::decoded;
use iced_x86::{Instruction, Mnemonic, OpKind, Register};
use p5_image::Image;
use p5_results::{Flow, InstructionResult, Note};
use p5_words::register_set::RegisterSet;

/// The maximum number of instructions followed.
const MOST_FOLLOWED: usize = 4_096;

/// The note for the first such read after the entry, given the instructions by address; or else for the first read of a
/// register that no executed instruction has set.
pub(super) fn note(image: &Image, instructions: &[InstructionResult]) -> Option<Note> {
    on_the_way(image, instructions).or_else(|| never_written(image, instructions))
}

/// The note for the first read, by address, of a register that no instruction has written. A service may have.
fn never_written(image: &Image, instructions: &[InstructionResult]) -> Option<Note> {
    let own = || instructions.iter().filter(|row| row.executions > 0 && !row.library);
    let serves = |row: &InstructionResult| matches!(decoded(image, row).mnemonic(), Mnemonic::Int | Mnemonic::Int3);
    let leads_away = |row: &InstructionResult| row.needs.flow == Flow::Call && row.needs.target.is_none();
    if own().any(|row| row.changed || serves(row) || leads_away(row)) {
        return None;
    }
    let given = given(image).union(RegisterSet::ESP);
    let set = own().fold(given, |set, row| set.union(row.needs.writes));
    own().find_map(|row| {
        let read = row.needs.reads.intersection(RegisterSet::GENERAL).without(set);
        if read.is_empty() {
            return None;
        }
        told(row, used(image, row, read))
    })
}

/// The registers that are given to the program.
fn given(image: &Image) -> RegisterSet {
    let given = |number: &usize| image.preset.registers.get(*number).is_some_and(Option::is_some);
    let given = (0..8).filter(given).fold(0, |bits, number| bits | 1 << number);
    RegisterSet::of_general_bits(given)
}

/// The note that an instruction reads these registers; `None` if there are none, or it has no line.
fn told(row: &InstructionResult, read: RegisterSet) -> Option<Note> {
    let whole = read.general_names().next()?;
    // 16-bit code has the names without their first letter.
    let register = if row.bits == 16 { whole.get(1..)? } else { whole };
    let (line, _) = (row.place?.1, row.written.as_ref()?);
    Some(Note::NeverSet { register, line })
}

/// The note for the first such read on the way from the entry to the first branch that depends on anything.
fn on_the_way(image: &Image, instructions: &[InstructionResult]) -> Option<Note> {
    let mut set = given(image).union(RegisterSet::ESP);
    let mut returns = Vec::new();
    let mut next = user_entry(image, instructions);
    for _ in 0..MOST_FOLLOWED {
        // Measuring macros keep all registers.
        let line = image.line_at(next).filter(|_| image.library.is_some());
        if let Some(line) = line.filter(|line| Some(line.file) == image.library && line.length > 0) {
            next = line.address.checked_add(line.length)?;
            continue;
        }
        let index = instructions.binary_search_by_key(&next, |row| row.address).ok()?;
        let row = instructions
            .get(index)
            .filter(|row| row.executions > 0 && !row.changed)?;
        let read = row.needs.reads.intersection(RegisterSet::GENERAL).without(set);
        let read = if read.is_empty() { read } else { used(image, row, read) };
        if !read.is_empty() && !row.library {
            return told(row, read);
        }
        set = set.union(row.needs.writes.intersection(RegisterSet::GENERAL));
        let after = row.address.wrapping_add(u32::from(row.length));
        next = match (row.needs.flow, row.needs.target) {
            (Flow::Next, _) if row.needs.falls_through => after,
            (Flow::Jump, Some(target)) if !row.needs.falls_through => target,
            (Flow::Call, Some(target)) => {
                returns.push(after);
                target
            }
            (Flow::Return, _) => returns.pop()?,
            _ => return None,
        };
    }
    None
}

/// The address at which the program's own code begins: where the calibration of measuring macros, from the entry to the
/// end of its segment, jumps out of itself.
fn user_entry(image: &Image, instructions: &[InstructionResult]) -> u32 {
    if image.library.is_none() {
        return image.entry;
    }
    let segment = |address: u32| image.segment_at(address).map(|segment| segment.address);
    let outside = |target: &u32| *target < image.entry || segment(*target) != segment(image.entry);
    let leaves = |row: &&InstructionResult| {
        let jumps = row.needs.flow == Flow::Jump && !row.needs.falls_through;
        jumps && row.library && !outside(&row.address)
    };
    let mut targets = instructions.iter().filter(leaves).filter_map(|row| row.needs.target);
    targets.find(outside).unwrap_or(image.entry)
}

/// Those of the registers that an instruction reads whose values matter to it.
fn used(image: &Image, row: &InstructionResult, read: RegisterSet) -> RegisterSet {
    let decoded = decoded(image, row);
    let register = |operand: u32| match decoded.op_kind(operand) {
        OpKind::Register => decoded.op_register(operand),
        _ => Register::None,
    };
    let kept = |register: Register| match register.is_gpr() {
        true => RegisterSet::of(register),
        false => RegisterSet::EMPTY,
    };
    let first = register(0);
    let with_itself = first != Register::None && first == register(1);
    let number = || decoded.try_immediate(1).ok();
    let all_ones = || number().is_some_and(|number| number.trailing_ones() >= 8 * first.size() as u32);
    let without_need = match decoded.mnemonic() {
        // Interrupts take their arguments in registers, not all of them in each call.
        Mnemonic::Int | Mnemonic::Into | Mnemonic::Pusha | Mnemonic::Pushad => return RegisterSet::EMPTY,
        Mnemonic::Xor | Mnemonic::Sub | Mnemonic::Sbb if with_itself => kept(first),
        Mnemonic::Or if first != Register::None && all_ones() => kept(first),
        Mnemonic::And if first != Register::None && number() == Some(0) => kept(first),
        // Saved, on the stack.
        Mnemonic::Push => kept(first),
        Mnemonic::Mov if is_on_stack(&decoded) => kept(register(1)),
        _ => RegisterSet::EMPTY,
    };
    let in_address = kept(decoded.memory_base()).union(kept(decoded.memory_index()));
    read.without(without_need.without(in_address))
}

/// Whether the first operand is memory that the stack pointer or the frame pointer leads to.
fn is_on_stack(instruction: &Instruction) -> bool {
    let base = instruction.memory_base();
    let on_stack = matches!(base, Register::ESP | Register::EBP | Register::BP);
    instruction.op0_kind() == OpKind::Memory && on_stack && instruction.memory_index() == Register::None
}
