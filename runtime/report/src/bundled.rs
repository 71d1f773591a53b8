//! Which code is that of procedures that p5inst brings, such as those of a course's library.

use p5_results::Run;

/// Whether an address is in one of them.
pub(crate) fn is_within(run: &Run, address: u32) -> bool {
    run.bundled.iter().any(|range| range.contains(&address))
}

/// Whether a row of [`Run::instructions`] is of one of them.
pub(crate) fn is_instruction(run: &Run, index: usize) -> bool {
    run.instructions
        .get(index)
        .is_some_and(|one| is_within(run, one.address))
}
