//! Which code is that of procedures that p5inst brings, such as those of a course's library.

use p5_results::Run;

/// Whether an address is in one of them.
pub(crate) fn is_within(run: &Run, address: u32) -> bool {
    run.bundled.iter().any(|range| range.contains(&address))
}

/// Whether what was executed, by its number for [`Run::executed`], is of one of them.
pub(crate) fn is_executed(run: &Run, index: usize) -> bool {
    run.executed(index).is_some_and(|one| is_within(run, one.address))
}
