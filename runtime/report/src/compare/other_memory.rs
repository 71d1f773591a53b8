//! The memory without a name that two runs changed.
//!
//! What lies in a loaded program, or in a flat program's heap, moves with the program's layout, and its use is the
//! program's own: there only ranges at the same place, or as many ranges of the same size, are compared. Outside of a
//! program in real mode all is 0 that was not written, so that a range of one run is known in the other.

use super::saved::{SavedMemory, SavedRun};
use p5_results::MemoryPart;

/// What is known of memory without a name.
#[derive(Default, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct OtherMemory {
    /// Whether all that is compared is the same; null if nothing is.
    pub(super) same: Option<bool>,
    /// The number of bytes that are in ranges which both runs changed.
    pub(super) bytes: u64,
    /// The first and the last linear address of each range that differs, in the newer run if it has it.
    pub(super) differing: Vec<[u32; 2]>,
    /// The number of ranges, of either run, that have no counterpart in the other and could not be compared.
    pub(super) not_compared: usize,
    /// Whether the addresses are those of real mode.
    pub(super) real: bool,
}

/// Compares the memory without a name; `None` if no run changed any.
pub(super) fn compared(old: &SavedRun, new: &SavedRun) -> Option<OtherMemory> {
    let known = old.other_memory.is_some() && new.other_memory.is_some();
    let ranges = |run: &SavedRun| run.other_memory.clone().unwrap_or_default();
    let (mut before, mut after) = (ranges(old), ranges(new));
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let mut found = OtherMemory {
        real: [&before, &after]
            .into_iter()
            .flatten()
            .any(|range| range.part != MemoryPart::Flat.name()),
        ..OtherMemory::default()
    };
    let in_order = before.len() == after.len()
        && before
            .iter()
            .zip(&after)
            .all(|(was, is)| was.size() == is.size() && was.part == is.part);
    let pairs: Vec<(SavedMemory, SavedMemory)> = match in_order {
        true => before.drain(..).zip(after.drain(..)).collect(),
        false => {
            let mut pairs = Vec::new();
            before.retain(|was| match after.iter().position(|is| is.place() == was.place()) {
                Some(at) => {
                    pairs.push((was.clone(), after.remove(at)));
                    false
                }
                None => true,
            });
            pairs
        }
    };
    found.bytes = pairs.iter().map(|(_, is)| u64::from(is.bytes)).sum();
    let differing = pairs.iter().filter(|(was, is)| was.digest != is.digest);
    found.differing = differing.map(|(_, is)| is.place()).collect();
    let compared = !pairs.is_empty();
    let mut rest: Vec<SavedMemory> = after;
    // One of both that overlap is enough.
    for was in before {
        let overlaps =
            |is: &SavedMemory| was.is_fixed() && is.is_fixed() && was.first <= is.last && is.first <= was.last;
        if !rest.iter().any(overlaps) {
            rest.push(was);
        }
    }
    let (fixed, moving): (Vec<_>, Vec<_>) = rest.into_iter().partition(|range| range.is_fixed() && known);
    found.differing.extend(fixed.iter().map(SavedMemory::place));
    found.not_compared = moving.len();
    found.differing.sort_unstable();
    found.same = (compared || !found.differing.is_empty()).then_some(found.differing.is_empty());
    Some(found)
}

impl SavedMemory {
    fn place(&self) -> [u32; 2] {
        [self.first, self.last]
    }

    fn is_fixed(&self) -> bool {
        self.part == MemoryPart::Outside.name()
    }

    fn size(&self) -> u32 {
        self.last.saturating_sub(self.first)
    }
}
