//! Branches that come too soon for their last outcomes, so that a chip with a history of each does not learn what they
//! do.
//!
//! Modelled: what is traced. Not modelled: whether a longer round would be predicted, which depends on the outcomes.

use p5_image::SourceFile;
use p5_results::{InstructionResult, Issued, Note, Pipe};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;

/// The fewest mispredictions of a branch that are told.
const FEWEST: usize = 8;
/// The most notes.
const MOST_NOTES: usize = 3;

/// A note for each branch that mostly mispredicts for that reason, those with the most first. An outcome counts after
/// so many `instructions`.
pub(super) fn notes<'a>(
    instructions: u64,
    files: &[SourceFile],
    traces: impl Iterator<Item = &'a [Issued]>,
    rows: &[InstructionResult],
) -> Vec<Note> {
    let mut found: Vec<(usize, Note)> = Vec::new();
    for trace in traces {
        let mut executions: FxHashMap<u32, usize> = FxHashMap::default();
        let mut wrong: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, one) in trace.iter().enumerate() {
            *executions.entry(one.instruction).or_default() += 1;
            if one.hurried {
                // The branch is the last instruction of its group.
                let partner = trace.get(at + 1).filter(|next| next.pipe == Pipe::V);
                let branch = partner.unwrap_or(one).instruction;
                *wrong.entry(branch).or_default() += 1;
            }
        }
        let mut wrong: Vec<(u32, usize)> = wrong.into_iter().filter(|&(_, wrong)| wrong >= FEWEST).collect();
        wrong.sort_unstable_by_key(|&(branch, wrong)| (Reverse(wrong), branch));
        for (branch, wrong) in wrong {
            let Some((file, number)) = rows.get(branch as usize).and_then(|row| row.outermost) else {
                continue;
            };
            let note = Note::HurriedBranch {
                file: (file > 0)
                    .then(|| files.get(file as usize).map(|file| file.name.clone()))
                    .flatten(),
                number,
                wrong,
                of: executions.get(&branch).copied().unwrap_or(wrong),
                instructions,
            };
            if found.iter().all(|(_, known)| *known != note) {
                found.push((wrong, note));
            }
        }
    }
    found.sort_by_key(|&(wrong, _)| Reverse(wrong));
    found.truncate(MOST_NOTES);
    found.into_iter().map(|(_, note)| note).collect()
}
