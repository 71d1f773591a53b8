//! The first general register that a program reads and that nothing in it has set.
//!
//! Followed is the way from the entry to the first branch that depends on anything, so that what is told happens in
//! every run. Not told: registers that are only saved on the stack, or combined with themselves or with a number so
//! that the result is the same for all values.

use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use p5_image::Image;
use p5_results::{Flow, InstructionResult, Note};
use p5_words::register_set::RegisterSet;

/// The maximum number of instructions followed.
const MOST_FOLLOWED: usize = 4_096;

/// The note for the first such read after the entry, given the instructions by address.
pub(super) fn note(image: &Image, instructions: &[InstructionResult]) -> Option<Note> {
    let given = |number: &usize| image.preset.registers.get(*number).is_some_and(Option::is_some);
    let given = (0..8).filter(given).fold(0, |bits, number| bits | 1 << number);
    let mut set = RegisterSet::of_general_bits(given).union(RegisterSet::ESP);
    let mut returns = Vec::new();
    let mut next = image.entry;
    for _ in 0..MOST_FOLLOWED {
        let index = instructions.binary_search_by_key(&next, |row| row.address).ok()?;
        let row = instructions
            .get(index)
            .filter(|row| row.executions > 0 && !row.changed)?;
        let read = row.needs.reads.intersection(RegisterSet::GENERAL).without(set);
        let read = if read.is_empty() { read } else { used(image, row, read) };
        if !read.is_empty() && !row.library {
            let whole = read.general_names().next()?;
            // 16-bit code has the names without their first letter.
            let register = if row.bits == 16 { whole.get(1..)? } else { whole };
            let (line, _) = (row.place?.1, row.written.as_ref()?);
            return Some(Note::NeverSet { register, line });
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

/// Those of the registers that an instruction reads whose values matter to it.
fn used(image: &Image, row: &InstructionResult, read: RegisterSet) -> RegisterSet {
    let bytes = image.bytes_at(row.address);
    let decoded = Decoder::with_ip(row.bits, bytes, u64::from(row.address), DecoderOptions::NONE).decode();
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
