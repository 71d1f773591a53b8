//! Misses of lines of data that were read before: whether so many lines were read since then that the data cache cannot
//! hold them, or too many of one set, while others had room; or whether a locked access has removed the line since.
//!
//! Modelled: the order in which instructions of the program read lines. Not modelled: instructions that repeat
//! themselves, what returns and pops read, lines that the cache took for other reasons, and second level caches.

use iced_x86::{Instruction, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register};
use p5_chips::CacheGeometry;
use p5_image::SourceFile;
use p5_results::{Cause, InstructionResult, Note, Run};
use p5_words::registers::Registers;
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The fewest misses of an instruction that are told.
const FEWEST: usize = 16;
/// The part of a run's clocks that they take at least.
const PART: u64 = 10;
/// The most notes.
const MOST_NOTES: usize = 3;
/// The most lines in whose order reads are followed.
const MOST_LINES: usize = 1024;
/// Of how many misses one is looked at for the sets of its lines.
const LOOKED_AT: usize = 16;

/// The lines that a run reads.
#[derive(Clone)]
pub(super) struct Reread {
    cache: CacheGeometry,
    readers: FxHashMap<u32, (Instruction, Vec<u32>)>,
    judged: FxHashMap<u32, Judged>,
    // The last one last.
    lines: Vec<u32>,
    // Those that were read before all of these.
    forgotten: FxHashSet<u32>,
    // Those that a locked access has removed, with the place of the instruction, until they are read again.
    removed: FxHashMap<u32, (u32, u32)>,
    // The instructions that make locked accesses, with their places.
    locking: FxHashMap<u32, (u32, u32)>,
    next: Option<(u32, Vec<u32>)>,
}

/// What the reads of one instruction find.
#[derive(Clone, Default)]
struct Judged {
    place: (u32, u32),
    clocks: u64,
    first: usize,
    conflicts: usize,
    /// For each read of a line that the cache cannot hold so long, and for each conflict, the lines since.
    far: Vec<u32>,
    near: Vec<u32>,
    /// The reads of a line that a locked access has removed, by its place.
    removed: FxHashMap<(u32, u32), usize>,
    /// The most lines of one set since such a read, and the sets of all lines.
    shared: usize,
    sets: usize,
    steps: Steps,
}

/// The steps from one read of an instruction to the next one.
#[derive(Clone, Default)]
struct Steps {
    last: Option<u32>,
    step: u32,
    /// The lines since the last other step, and the most of them at a step of whole lines, with that step.
    row: Vec<u32>,
    longest: (u32, Vec<u32>),
}

impl Reread {
    /// Follows the reads of `instructions` for those whose misses take many of the clocks of a `run`; `None` if there
    /// are none.
    pub(super) fn of(
        run: &Run,
        cache: CacheGeometry,
        instructions: impl Iterator<Item = Instruction>,
    ) -> Option<Reread> {
        let clocks = |row: &InstructionResult| -> u64 {
            let misses = row.causes.iter().filter(|part| part.cause == Cause::DataReadMiss);
            misses.map(|part| part.cycles).sum()
        };
        let many = |row: &&InstructionResult| {
            let often = row.executions >= FEWEST as u64 && !row.library && !row.changed;
            often && clocks(row) * PART >= run.whole.totals.cycles
        };
        let judged: FxHashMap<u32, Judged> = run
            .instructions
            .iter()
            .filter(many)
            .filter_map(|row| {
                let judged = Judged {
                    place: row.outermost?,
                    clocks: clocks(row),
                    ..Judged::default()
                };
                Some((row.address, judged))
            })
            .collect();
        if judged.is_empty() {
            return None;
        }
        let mut factory = InstructionInfoFactory::new();
        let mut locking = FxHashMap::default();
        let readers = instructions
            .inspect(|instruction| {
                let at = |row: &InstructionResult| row.address.cmp(&instruction.ip32());
                let row = run.instructions.binary_search_by(at).ok();
                let row = row
                    .filter(|_| locks(instruction))
                    .and_then(|row| run.instructions.get(row));
                locking.extend(row.and_then(|row| Some((row.address, row.outermost?))));
            })
            .collect::<Vec<_>>();
        let readers = readers.into_iter().filter_map(|instruction| {
            let operands = reads(&instruction, &mut factory);
            (!operands.is_empty()).then(|| (instruction.ip32(), (instruction, operands)))
        });
        Some(Reread {
            cache,
            readers: readers.collect(),
            judged,
            lines: Vec::new(),
            forgotten: FxHashSet::default(),
            removed: FxHashMap::default(),
            locking,
            next: None,
        })
    }

    /// Notes that the instruction at `address` comes next.
    pub(super) fn come_to(&mut self, address: u32, registers: &Registers) {
        self.next = self.readers.get(&address).map(|(instruction, operands)| {
            let places = operands
                .iter()
                .filter_map(|&operand| place(instruction, operand, registers));
            (address, places.collect())
        });
    }

    /// Notes that the instruction at `address` has been executed.
    pub(super) fn executed(&mut self, address: u32) {
        let Some((_, places)) = self.next.take_if(|(next, _)| *next == address) else {
            return;
        };
        for place in places {
            let line = place / self.cache.line;
            let known = self.lines.iter().rposition(|one| *one == line);
            let removed = self.removed.remove(&line);
            if let Some(by) = self.locking.get(&address) {
                self.removed.insert(line, *by);
            }
            if let Some(judged) = self.judged.get_mut(&address) {
                if let Some(by) = removed {
                    *judged.removed.entry(by).or_default() += 1;
                    continue;
                }
                let since = match known {
                    Some(known) => self.lines.get(known + 1..),
                    None => self.forgotten.contains(&line).then_some(&*self.lines),
                };
                judged.read(&self.cache, since, line);
                judged.steps.read(&self.cache, place);
            }
            if let Some(known) = known {
                self.lines.remove(known);
            } else if self.lines.len() >= MOST_LINES {
                self.forgotten.insert(self.lines.remove(0));
            }
            self.lines.push(line);
        }
    }

    /// The notes on the instructions, that with the most clocks first.
    pub(super) fn told(self, files: &[SourceFile]) -> Vec<Note> {
        let mut judged: Vec<Judged> = self.judged.into_values().collect();
        judged.sort_by_key(|one| (Reverse(one.clocks), one.place));
        let mut notes: Vec<Note> = Vec::new();
        for one in judged {
            let note = one.note(&self.cache, files).filter(|note| !notes.contains(note));
            // What is the same of several lines is told once.
            let Some(note) = note.filter(|note| !notes.iter_mut().any(|known| joins(known, note))) else {
                continue;
            };
            notes.push(note);
        }
        notes.truncate(MOST_NOTES);
        notes
    }
}

/// Adds the lines of a note to one that says the same of others; whether it does.
fn joins(known: &mut Note, note: &Note) -> bool {
    let numbers = |note: &mut Note| -> Option<Vec<u32>> {
        match note {
            Note::ReadAgain { numbers, .. } | Note::LockedAway { numbers, .. } => Some(std::mem::take(numbers)),
            _ => None,
        }
    };
    let mut same = note.clone();
    let (Some(more), mut before) = (numbers(&mut same), known.clone()) else {
        return false;
    };
    let Some(mut all) = numbers(&mut before).filter(|_| before == same) else {
        return false;
    };
    all.extend(more);
    all.sort_unstable();
    all.dedup();
    if let Note::ReadAgain { numbers, .. } | Note::LockedAway { numbers, .. } = known {
        *numbers = all;
    }
    true
}

/// Whether an instruction accesses memory while it holds the bus.
fn locks(instruction: &Instruction) -> bool {
    let memory = (0..instruction.op_count()).any(|operand| instruction.op_kind(operand) == OpKind::Memory);
    memory && (instruction.has_lock_prefix() || instruction.mnemonic() == Mnemonic::Xchg)
}

/// The linear address of an operand in memory.
pub(super) fn place(instruction: &Instruction, operand: u32, registers: &Registers) -> Option<u32> {
    let value = |register: Register, _, _| {
        Some(match register {
            _ if register.is_segment_register() => registers.segments[register.number()].base().into(),
            _ if register.is_gpr16() => u64::from(registers.general[register.number()] & 0xFFFF),
            _ if register.is_gpr32() => registers.general[register.number()].into(),
            _ => return None,
        })
    };
    instruction.virtual_address(operand, 0, value).map(|place| place as u32)
}

/// The operands that an instruction reads from memory, unless it repeats itself.
fn reads(instruction: &Instruction, factory: &mut InstructionInfoFactory) -> Vec<u32> {
    if instruction.has_rep_prefix() || instruction.has_repne_prefix() {
        return Vec::new();
    }
    let info = factory.info(instruction);
    let operands = (0..instruction.op_count()).filter(|&operand| {
        let is_memory = matches!(
            instruction.op_kind(operand),
            OpKind::Memory | OpKind::MemorySegSI | OpKind::MemorySegESI | OpKind::MemoryESDI | OpKind::MemoryESEDI
        );
        let access = info.op_access(operand);
        is_memory && matches!(access, OpAccess::Read | OpAccess::ReadWrite | OpAccess::ReadCondWrite)
    });
    operands.collect()
}

impl Judged {
    /// Notes a read of a line, and the lines that were read `since` it was read before.
    fn read(&mut self, cache: &CacheGeometry, since: Option<&[u32]>, line: u32) {
        let Some(since) = since else {
            self.first += 1;
            return;
        };
        if since.len() < cache.ways as usize {
            return;
        }
        let set = |line: u32| line % cache.sets();
        let shared = since.iter().filter(|&&one| set(one) == set(line)).count();
        if shared < cache.ways as usize {
            return;
        }
        let lines = since.len() as u32 + 1;
        if lines > cache.sets() * cache.ways {
            self.far.push(lines);
        } else {
            self.near.push(lines);
            self.conflicts += 1;
            self.shared = self.shared.max(shared + 1);
        }
        if (self.far.len() + self.conflicts).is_multiple_of(LOOKED_AT) {
            let sets: FxHashSet<u32> = since.iter().map(|&one| set(one)).collect();
            self.sets = self.sets.max(sets.len());
        }
    }

    /// What is said of them; `None` if most of its misses are of lines that were not read before.
    fn note(mut self, cache: &CacheGeometry, files: &[SourceFile]) -> Option<Note> {
        let again = self.far.len() + self.conflicts;
        let removed: usize = self.removed.values().sum();
        let misses = self.first + again + removed;
        let (file, number) = self.place;
        let named = |file: u32| files.get(file as usize).map(|file| file.name.clone());
        let file = named(file).filter(|_| file > 0);
        if removed >= FEWEST && removed * 2 >= misses {
            let most = self
                .removed
                .into_iter()
                .max_by_key(|&(place, times)| (times, Reverse(place)));
            let ((of_lock, locked), _) = most?;
            return Some(Note::LockedAway {
                file,
                numbers: vec![number],
                lock: (named(of_lock).filter(|_| of_lock > 0), locked),
            });
        }
        if again < FEWEST || again * 2 < misses {
            return None;
        }
        // Lines that leave half of the sets alone may be too many for their sets alone.
        let crowded = self.sets > 0 && self.sets * 2 <= cache.sets() as usize;
        let fit = |(_, lines, _): (u32, u32, u32)| lines <= cache.sets() * cache.ways;
        let conflict = self.conflicts > self.far.len() || crowded && self.steps.crowded(cache).is_some_and(fit);
        if conflict && let Some((step, lines, sets)) = self.steps.crowded(cache) {
            return Some(Note::SetConflict {
                file,
                number,
                step,
                lines,
                sets,
                ways: cache.ways,
                line: cache.line,
            });
        }
        let lines = if conflict { &mut self.near } else { &mut self.far };
        lines.sort_unstable();
        Some(Note::ReadAgain {
            file,
            numbers: vec![number],
            lines: *lines.get(lines.len() / 2)?,
            most: MOST_LINES as u32,
            sets: self.sets as u32,
            shared: conflict.then_some(self.shared as u32),
            cache: *cache,
        })
    }
}

impl Steps {
    fn read(&mut self, cache: &CacheGeometry, address: u32) {
        let line = address / cache.line;
        let Some(last) = self.last.replace(address) else {
            return;
        };
        let step = address.abs_diff(last);
        if step != self.step {
            self.end();
            self.step = step;
            self.row.push(last / cache.line);
        }
        // Others are no rows of an array.
        let whole = step > 0 && step.is_multiple_of(cache.line);
        if whole && self.row.len() < MOST_LINES {
            self.row.push(line);
        }
    }

    fn end(&mut self) {
        if self.row.len() > self.longest.1.len() {
            self.longest.0 = self.step;
            std::mem::swap(&mut self.row, &mut self.longest.1);
        }
        self.row.clear();
    }

    /// The step of the longest row, its lines, and their sets, if some of these have too many, while half of all sets
    /// are not needed.
    fn crowded(&mut self, cache: &CacheGeometry) -> Option<(u32, u32, u32)> {
        self.end();
        let (step, row) = &self.longest;
        let lines: FxHashSet<u32> = row.iter().copied().collect();
        let mut sets: FxHashMap<u32, u32> = FxHashMap::default();
        for line in &lines {
            *sets.entry(line % cache.sets()).or_default() += 1;
        }
        let crowded = sets.values().any(|lines| *lines > cache.ways);
        let few = sets.len() as u32 * 2 <= cache.sets();
        (crowded && few).then_some((*step, lines.len() as u32, sets.len() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHE: CacheGeometry = CacheGeometry {
        size: 8192,
        ways: 2,
        line: 32,
    };

    /// What is told of reads at these addresses, of one instruction.
    fn of(addresses: impl Iterator<Item = u32>) -> Option<Note> {
        let mut reread = Reread {
            cache: CACHE,
            readers: FxHashMap::default(),
            judged: FxHashMap::from_iter([(0, Judged::default())]),
            lines: Vec::new(),
            forgotten: FxHashSet::default(),
            removed: FxHashMap::default(),
            locking: FxHashMap::default(),
            next: None,
        };
        for address in addresses {
            reread.next = Some((0, vec![address]));
            reread.executed(0);
        }
        reread.told(&[]).pop()
    }

    fn columns(step: u32, rows: u32) -> impl Iterator<Item = u32> {
        (0..8).flat_map(move |column| (0..rows).map(move |row| row * step + column * 4))
    }

    #[test]
    fn rows_that_share_sets_are_conflicts_with_all_of_their_lines() {
        for (step, rows, lines, sets) in [(4096, 16, 16, 1), (2048, 16, 16, 2), (1024, 10, 10, 4), (4096, 3, 3, 1)] {
            let Some(Note::SetConflict {
                step: told,
                lines: of_step,
                sets: of_lines,
                ..
            }) = of(columns(step, rows))
            else {
                panic!("{step}, {rows}: {:?}", of(columns(step, rows)));
            };
            assert_eq!((told, of_step, of_lines), (step, lines, sets));
        }
        // Each of these fits, or has a set of its own.
        assert_eq!(of(columns(4096, 2)), None);
        assert_eq!(of(columns(4096 + 32, 16)), None);
    }

    #[test]
    fn more_lines_than_the_cache_holds_are_no_conflicts() {
        let walks = |lines: u32| (0..4 * lines).map(move |read| read % lines * 32);
        let far = of(walks(320));
        assert!(
            matches!(
                far,
                Some(Note::ReadAgain {
                    lines: 320,
                    sets: 128,
                    shared: None,
                    ..
                })
            ),
            "{far:?}"
        );
        assert_eq!(of(walks(256)), None);
        // Lines that were forgotten since are no new ones.
        for lines in [1020, 1100, 5000] {
            let far = of(walks(lines));
            let least = lines.min(MOST_LINES as u32 + 1);
            assert!(
                matches!(far, Some(Note::ReadAgain { lines, .. }) if lines == least),
                "{far:?}"
            );
        }
        // Three arrays in turn, at different distances.
        let turns = (0..96).map(|read| [0, 4096, 12288][read as usize % 3] + read / 3 * 4);
        let near = of(turns);
        assert!(
            matches!(
                near,
                Some(Note::ReadAgain {
                    lines: 3,
                    shared: Some(3),
                    ..
                })
            ),
            "{near:?}"
        );
        // What is read once.
        assert_eq!(of((0..300).map(|read| read * 32)), None);
    }
}
