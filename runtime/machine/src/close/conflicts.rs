//! Misses of the data cache that are conflicts: many lines at equal steps share few sets, while others have room.
//!
//! Modelled: what is traced. A miss is a conflict if its line was missed before, and fewer other lines have been missed
//! since than half of the cache holds. Not modelled: misses outside of traces, and second level caches.

use p5_chips::CacheGeometry;
use p5_image::SourceFile;
use p5_results::{Cause, InstructionResult, Issued, Note};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The fewest conflicts of an instruction that are told.
const FEWEST: usize = 16;
/// The most notes.
const MOST_NOTES: usize = 3;

/// What one instruction missed in a trace.
#[derive(Default)]
struct Missed {
    misses: usize,
    conflicts: usize,
    last: Option<u32>,
    /// How often each step occurred from one miss to the next, and the lines missed by those steps.
    steps: FxHashMap<u32, usize>,
    lines: FxHashSet<u32>,
    /// The lines since the last other step.
    row: FxHashSet<u32>,
    longest: FxHashSet<u32>,
}

/// A note for each instruction that mostly misses because of conflicts, those with the most first.
pub(super) fn notes<'a>(
    cache: &CacheGeometry,
    files: &[SourceFile],
    traces: impl Iterator<Item = &'a [Issued]>,
    instructions: &[InstructionResult],
) -> Vec<Note> {
    let mut found: Vec<(usize, Note)> = Vec::new();
    for (instruction, missed) in traces.flat_map(|trace| of_trace(cache, trace)) {
        let place = instructions.get(instruction as usize).and_then(|one| one.outermost);
        let told = place.and_then(|place| note(cache, files, place, &missed));
        let new = told.filter(|told| found.iter().all(|(_, known)| known != told));
        found.extend(new.map(|note| (missed.conflicts, note)));
    }
    found.sort_by_key(|(conflicts, _)| Reverse(*conflicts));
    found.truncate(MOST_NOTES);
    found.into_iter().map(|(_, note)| note).collect()
}

/// The misses of a trace by instruction, in the order of instructions.
fn of_trace(cache: &CacheGeometry, trace: &[Issued]) -> Vec<(u32, Missed)> {
    let room = (cache.sets() * cache.ways / 2) as usize;
    let mut all: FxHashMap<u32, Missed> = FxHashMap::default();
    // The lines that were missed, in the order of their last misses.
    let mut order: Vec<u32> = Vec::new();
    for one in trace {
        let waits = one.slowed.main().is_some_and(|main| main.cause == Cause::DataReadMiss);
        let Some(address) = one.data.filter(|_| waits) else {
            continue;
        };
        let line = address / cache.line;
        let since = order.iter().rev().position(|&known| known == line);
        if let Some(since) = since {
            order.remove(order.len() - 1 - since);
        }
        order.push(line);
        let missed = all.entry(one.instruction).or_default();
        missed.add(address, line, since.is_some_and(|since| since < room));
    }
    let mut all: Vec<(u32, Missed)> = all.into_iter().collect();
    all.sort_by_key(|(instruction, _)| *instruction);
    all
}

impl Missed {
    fn add(&mut self, address: u32, line: u32, conflicts: bool) {
        self.misses += 1;
        self.conflicts += usize::from(conflicts);
        self.lines.insert(line);
        let step = self.last.map(|last| address.abs_diff(last));
        if let Some(step) = step {
            *self.steps.entry(step).or_default() += 1;
        }
        if step != self.step() {
            self.row.clear();
        }
        self.row.insert(line);
        if self.row.len() > self.longest.len() {
            self.longest.clone_from(&self.row);
        }
        self.last = Some(address);
    }

    /// The most frequent step.
    fn step(&self) -> Option<u32> {
        let most = self.steps.iter().max_by_key(|&(&step, &count)| (count, Reverse(step)));
        most.map(|(&step, _)| step)
    }
}

/// The note on an instruction at `place`; `None` if its misses are no conflicts, or not because of its step.
fn note(cache: &CacheGeometry, files: &[SourceFile], (file, line): (u32, u32), missed: &Missed) -> Option<Note> {
    let step = missed
        .step()
        .filter(|step| step.is_multiple_of(cache.line) && *step > 0)?;
    if missed.conflicts < FEWEST || missed.conflicts * 2 < missed.misses {
        return None;
    }
    let sets: FxHashSet<u32> = missed.longest.iter().map(|line| line % cache.sets()).collect();
    let (lines, sets) = (missed.longest.len() as u32, sets.len() as u32);
    // One step more by a line would spread them over all sets.
    if lines <= sets * cache.ways || sets * 2 > cache.sets() {
        return None;
    }
    let file = files.get(file as usize).filter(|_| file > 0);
    Some(Note::SetConflict {
        file: file.map(|file| file.name.clone()),
        number: line,
        step,
        lines,
        sets,
        ways: cache.ways,
        line: cache.line,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHE: CacheGeometry = CacheGeometry {
        size: 8192,
        ways: 2,
        line: 32,
    };

    /// The conflicts and misses of reads that each miss.
    fn of(addresses: &[u32]) -> Missed {
        let mut missed = Missed::default();
        let mut order: Vec<u32> = Vec::new();
        for &address in addresses {
            let line = address / 32;
            let since = order.iter().rev().position(|&known| known == line);
            order.push(line);
            missed.add(address, line, since.is_some_and(|since| since < 128));
        }
        missed
    }

    #[test]
    fn columns_conflict_if_their_rows_share_a_set() {
        let columns = |step: u32| (0..4).flat_map(move |column| (0..16).map(move |row| row * step + column * 4));
        let told = |step: u32| note(&CACHE, &[], (0, 7), &of(&columns(step).collect::<Vec<_>>()));
        let expected = Note::SetConflict {
            file: None,
            number: 7,
            step: 4096,
            lines: 16,
            sets: 1,
            ways: 2,
            line: 32,
        };
        assert_eq!(told(4096), Some(expected));
        assert!(matches!(told(2048), Some(Note::SetConflict { sets: 2, .. })));
        // These rows fall in sets of their own.
        assert_eq!(told(4096 + 32), None);
    }
}
