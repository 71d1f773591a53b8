//! The notes on results that masked exceptions of the floating-point unit have spoiled: the first of each kind.
//!
//! Not told: those of the bundled library, and of code without lines, as of libraries that compilers link.

use p5_results::{InstructionResult, Note};
use p5_words::registers::{CR0_PE, CS, Registers};

/// The notes on what the registers know at the end of a run, given the instructions by address.
pub(super) fn notes<'a>(
    registers: &'a Registers,
    instructions: &'a [InstructionResult],
) -> impl Iterator<Item = Note> + 'a {
    registers.fpu.first_raised().filter_map(|first| {
        let (selector, offset) = first.at;
        let address = base(registers, selector)?.wrapping_add(offset);
        let index = instructions.binary_search_by_key(&address, |row| row.address).ok()?;
        let row = instructions.get(index).filter(|row| !row.library)?;
        Some(Note::SpoiledReal {
            kind: first.kind,
            instruction: row.written.as_ref().unwrap_or(&row.text).clone(),
            place: row.outermost.or(row.place)?,
        })
    })
}

/// The linear address of offset 0 of a code segment; `None` if it is not known any more.
fn base(registers: &Registers, selector: u16) -> Option<u32> {
    let last = &registers.segments[CS];
    if last.selector() == selector {
        return Some(last.base());
    }
    (registers.cr0 & CR0_PE == 0).then(|| u32::from(selector) << 4)
}
