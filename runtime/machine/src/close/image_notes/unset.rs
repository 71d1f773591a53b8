//! The first general register that a program reads and that nothing in it has set.
//!
//! Followed is the way from the entry to the first branch that depends on anything, so that what is told happens in
//! every run. Not told: registers that are only saved by a push, or combined with themselves.

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
        if !read.is_empty() && !row.library && is_use(&row.text) {
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

/// Whether an instruction that reads a register uses its value.
fn is_use(text: &str) -> bool {
    let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
    let with_itself = operands.split_once(',').is_some_and(|(to, from)| to == from);
    let clears = matches!(mnemonic, "xor" | "sub" | "sbb");
    // Interrupts take their arguments in registers, not all of them in each call.
    !(mnemonic.starts_with("push") || mnemonic.starts_with("int") || clears && with_itself)
}
