//! Notes on what a program asks, on registers that it reads and never set, and on ends that it does not have: an .exe
//! of DOS that returns, and a main procedure that runs on into the next one.
//!
//! Not told: running on where an indirect branch may lead to the same place, and any procedure but the first one, which
//! may be meant to.

mod identity;
mod unset;

use p5_image::{Functions, Image, Start};
use p5_results::{Flow, InstructionResult, Note, StopReason};

/// The notes for a run that ended for this reason.
pub(super) fn notes(image: &Image, reason: StopReason, instructions: &[InstructionResult]) -> Vec<Note> {
    if image.process_stack().is_some() || image.fragment.is_some() {
        return identity::note(image, instructions).into_iter().collect();
    }
    let into = runs_into(image, instructions);
    let calls_dos = |text: &str| text.split(' ').eq(["int", "21h"]);
    let asks_dos = instructions.iter().any(|row| !row.library && calls_dos(&row.text));
    // A COM file has a return address on its stack.
    let is_exe = image.start != Start::Flat && image.stack.is_empty();
    let returns = reason == StopReason::Return && is_exe && asks_dos;
    // Those of a COM file hold what DOS leaves there, which small programs build on.
    let unset = (image.start == Start::Flat || is_exe).then(|| unset::note(image, instructions));
    let bundled = |row: &InstructionResult| image.bundled.iter().any(|range| range.contains(&row.address));
    let bundled = instructions.iter().any(bundled).then_some(Note::Bundled);
    into.into_iter()
        .chain(bundled)
        .chain(unset.flatten())
        .chain(returns.then_some(Note::NoReturnAddress))
        .collect()
}

/// The note for a procedure with the entry whose last instruction was followed by the next procedure: that was executed
/// more often than it was called.
fn runs_into(image: &Image, instructions: &[InstructionResult]) -> Option<Note> {
    let procedures = Functions::bounded(image).0;
    let holds_entry = |size: u32, address: u32| image.entry.wrapping_sub(address) < size;
    let number = procedures.iter().position(|one| holds_entry(one.size, one.address))?;
    let [from, into] = procedures.get(number..number + 2)? else {
        return None;
    };
    let ends = from.address.checked_add(from.size).filter(|&end| end == into.address)?;
    let after = instructions.partition_point(|row| row.address < ends);
    let (last, first) = (instructions.get(after.checked_sub(1)?)?, instructions.get(after)?);
    let adjacent = last.address + u32::from(last.length) == ends && first.address == ends;
    if !adjacent || !last.needs.falls_through {
        return None;
    }
    let branches = || instructions.iter().filter(|row| row.executions > 0 && !row.library);
    let elsewhere = branches().any(|row| match row.needs.flow {
        Flow::Jump => row.needs.target.is_none_or(|target| target == ends),
        Flow::Call => row.needs.target.is_none(),
        Flow::Next | Flow::Return => false,
    });
    let calls = branches().filter(|row| row.needs.flow == Flow::Call && row.needs.target == Some(ends));
    let calls: u64 = calls.map(|row| row.executions).sum();
    (!elsewhere && first.executions > calls).then(|| Note::RunsInto {
        from: from.name.clone(),
        into: into.name.clone(),
        line: last.place.map(|(_, line)| line),
    })
}
