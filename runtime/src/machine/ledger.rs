//! Statistics by address: what a run executed, however often its code was decoded anew.
//!
//! Memory is bounded. Of very many instructions those executed most often are kept one by one, and the others are
//! summed by source line. An instruction that was summed stays summed until the run ends, so every figure is that of
//! the whole run.

use super::parts;
use crate::block::Op;
use crate::image::Image;
use crate::pipeline::{OpStats, RecentStats};
use crate::run::{Remainder, RunSummary};
use held::Held;
use rustc_hash::FxHashMap;
use std::collections::HashSet;

mod held;

/// The most instructions kept while a run executes; twice as many are held before the rest is summed.
const KEPT: usize = 1 << 15;
/// The most instructions of a run listed one by one.
pub(super) const LISTED: usize = 1 << 14;
/// The most of them that come from one source line, or from no line at all.
pub(super) const LISTED_OF_LINE: usize = 256;
/// The most source lines that have a sum of their own.
const LINES: usize = 1 << 12;

/// No sum.
const NO_SUM: u32 = u32::MAX;
/// The most pages whose addresses are told apart.
const PAGES: usize = 1 << 16;

/// The statistics of a run.
#[derive(Default)]
pub(super) struct Ledger {
    // The instructions kept one by one, and where each is by its address.
    kept: Vec<Kept>,
    places: FxHashMap<u32, u32>,
    /// The sums of the others.
    sums: Vec<LineSum>,
    by_line: FxHashMap<Line, u32>,
    // The sum of each row of the image that has one, or [`NO_SUM`]. Runs after the first find them here: they mostly
    // execute the same.
    by_row: Vec<u32>,
    near: Near,
    // Every address that was added.
    known: Addresses,
    /// What is executed no more often than this when it comes new is summed at once.
    rare: u64,
    /// One instruction for each row of the timing table whose figure is uncertain, of those summed.
    doubtful: Vec<Op>,
}

/// One instruction, with its statistics.
pub(super) struct Kept {
    pub(super) op: Op,
    pub(super) held: Held,
    /// Whether it belongs to the library.
    pub(super) library: bool,
}

/// A source line: file index and line of the text and of the outermost call, and whether the library has it. None
/// stands for code without a source line, and for what exceeds [`LINES`].
type Line = (Option<[(u32, u32); 2]>, bool);

struct LineSum {
    line: Line,
    // None if nothing of the line was summed in this run.
    instructions: u64,
    stats: OpStats,
    doubtful: bool,
}

impl LineSum {
    fn of(line: Line) -> LineSum {
        LineSum {
            line,
            instructions: 0,
            stats: OpStats::default(),
            doubtful: false,
        }
    }
}

impl Ledger {
    /// Another run begins. What is held is forgotten, but not its memory.
    pub(super) fn begin_run(&mut self) {
        self.kept.clear();
        self.places.clear();
        self.sums.iter_mut().for_each(|sum| *sum = LineSum::of(sum.line));
        self.known.clear();
        self.rare = 0;
        self.doubtful.clear();
    }

    /// Adds the statistics of an instruction. The caller calls [`Ledger::condense`] afterwards.
    pub(super) fn add(&mut self, image: &Image, op: &Op, stats: &RecentStats) {
        let new = self.known.insert(op.address);
        if new && stats.executions() <= self.rare {
            let sum = self.sum(image, op);
            sum.instructions += 1;
            sum.stats.add_recent(stats);
        } else if new {
            self.places.insert(op.address, self.kept.len() as u32);
            self.kept.push(Kept {
                op: op.clone(),
                held: Held::of(&stats.into()),
                library: parts::in_library_near(image, op.address, &mut self.near.row),
            });
        } else if let Some(&place) = self.places.get(&op.address) {
            self.kept[place as usize].held.add(stats);
        } else {
            self.sum(image, op).stats.add_recent(stats);
        }
    }

    /// The instructions kept one by one, in ascending order of their addresses.
    pub(super) fn listed(&self) -> Vec<&Kept> {
        let mut listed: Vec<&Kept> = self.kept.iter().collect();
        listed.sort_unstable_by_key(|kept| kept.op.address);
        listed
    }

    /// Sums what is executed least often if more is kept than a run may hold.
    pub(super) fn condense(&mut self, image: &Image) {
        if self.kept.len() > 2 * KEPT {
            let none = HashSet::new();
            self.keep(image, KEPT, KEPT, &none);
            let executions = self.kept.iter().map(|kept| kept.held.executions());
            self.rare = executions.min().unwrap_or(0).max(1);
        }
    }

    /// Sums all but those executed most often: at most `all`, and at most `of_line` of one source line. Those at the
    /// addresses `wanted` are kept in any case.
    pub(super) fn keep(&mut self, image: &Image, all: usize, of_line: usize, wanted: &HashSet<u32>) {
        if self.kept.len() <= all.min(of_line) {
            return;
        }
        let mut all_kept = std::mem::take(&mut self.kept);
        let mut listed = most_executed(&all_kept, image, all, of_line);
        for (kept, listed) in all_kept.iter().zip(&mut listed) {
            *listed |= wanted.contains(&kept.op.address);
            if !*listed {
                let sum = self.sum(image, &kept.op);
                sum.instructions += 1;
                sum.stats.add(&kept.held.stats());
            }
        }
        let mut listed = listed.into_iter();
        all_kept.retain(|_| listed.next().unwrap_or_default());
        self.places.clear();
        for (place, kept) in (0..).zip(&all_kept) {
            self.places.insert(kept.op.address, place);
        }
        self.kept = all_kept;
    }

    /// The sum of the line of an instruction, to which its statistics are to be added.
    fn sum(&mut self, image: &Image, op: &Op) -> &mut LineSum {
        if op.doubtful && !self.doubtful.iter().any(|other| std::ptr::eq(other.row, op.row)) {
            self.doubtful.push(op.clone());
        }
        let row = self.near.row(image, op.address);
        let index = match row.and_then(|row| self.by_row.get(row)) {
            Some(&index) if index != NO_SUM => index,
            _ => {
                let line = self.near.line(image, row);
                let index = self.sum_of(line);
                if let Some(row) = row {
                    self.by_row.resize(image.lines.len(), NO_SUM);
                    self.by_row[row] = index;
                }
                index
            }
        };
        let sum = &mut self.sums[index as usize];
        sum.doubtful |= op.doubtful;
        sum
    }

    /// The index of the sum of a line, which may be that of all further lines.
    fn sum_of(&mut self, mut line: Line) -> u32 {
        if let Some(&index) = self.by_line.get(&line) {
            return index;
        }
        if self.sums.len() >= LINES {
            line.0 = None;
        }
        *self.by_line.entry(line).or_insert_with(|| {
            self.sums.push(LineSum::of(line));
            self.sums.len() as u32 - 1
        })
    }

    /// The totals so far, without clocks in which nothing was executed.
    pub(super) fn summary(&self) -> RunSummary {
        let mut summary = RunSummary::default();
        let kept = self.kept.iter().map(|kept| (kept.held.stats().totals(), kept.library));
        let sums = self.sums.iter().map(|sum| (sum.stats.totals(), sum.line.1));
        for (totals, library) in kept.chain(sums) {
            summary.add(&totals, library);
        }
        summary
    }

    /// The sums, by source line.
    pub(super) fn remainders(&self) -> Vec<Remainder> {
        let mut sums: Vec<&LineSum> = self.sums.iter().filter(|sum| sum.instructions > 0).collect();
        sums.sort_by_key(|sum| sum.line);
        let remainder = |sum: &LineSum| {
            let (places, library) = sum.line;
            let totals = sum.stats.totals();
            Remainder {
                place: places.map(|places| places[0]),
                outermost: places.map(|places| places[1]),
                instructions: sum.instructions,
                executions: totals.instructions,
                cycles: totals.cycles,
                u: totals.u,
                v: totals.v,
                causes: sum.stats.cause_cycles(),
                refusals: sum.stats.refusal_counts(),
                doubtful: sum.doubtful,
                library,
            }
        };
        sums.into_iter().map(remainder).collect()
    }

    /// For each row of the timing table whose figure is uncertain, an instruction that was summed.
    pub(super) fn doubtful(&self) -> &[Op] {
        &self.doubtful
    }
}

/// Of instructions in any order, whether each is one of those executed most often: at most `all`, and at most `of_line`
/// of one source line.
fn most_executed(kept: &[Kept], image: &Image, all: usize, of_line: usize) -> Vec<bool> {
    // One number is compared faster than three: by executions, most first, then by address; with the place below.
    let mut order: Vec<u128> = (0u32..)
        .zip(kept)
        .map(|(place, kept)| {
            let rarely = u128::from(!kept.held.executions());
            rarely << 64 | u128::from(kept.op.address) << 32 | u128::from(place)
        })
        .collect();
    let mut listed = vec![false; kept.len()];
    if of_line >= all {
        if all < order.len() {
            order.select_nth_unstable(all);
            order.truncate(all);
        }
        order.into_iter().for_each(|key| listed[key as u32 as usize] = true);
        return listed;
    }
    order.sort_unstable();
    let mut room = all;
    let mut by_line: FxHashMap<Line, usize> = FxHashMap::default();
    let mut recent = (None, (None, false));
    let mut near = Near::default();
    for (address, place) in order.into_iter().map(|key| ((key >> 32) as u32, key as u32)) {
        let row = near.row(image, address);
        if recent.0 != row {
            recent = (row, near.line(image, row));
        }
        let of_this = by_line.entry(recent.1).or_default();
        if room > 0 && *of_this < of_line {
            room -= 1;
            *of_this += 1;
            listed[place as usize] = true;
        }
    }
    listed
}

/// What was looked up last; neighbours mostly need the same.
#[derive(Default)]
struct Near {
    row: usize,
    // The outermost line of an origin, which all lines of one macro call share.
    outermost: Option<(u32, (u32, u32))>,
}

impl Near {
    /// The number of the row of an address, if it has one.
    fn row(&mut self, image: &Image, address: u32) -> Option<usize> {
        image.line_near(address, &mut self.row).is_some().then_some(self.row)
    }

    /// The source line of a row.
    fn line(&mut self, image: &Image, row: Option<usize>) -> Line {
        let Some(row) = row.map(|row| &image.lines[row]) else {
            return (None, false);
        };
        let outermost = match (row.origin, self.outermost) {
            (Some(origin), Some((known, outermost))) if origin == known => outermost,
            _ => image.outermost(row),
        };
        self.outermost = row.origin.map(|origin| (origin, outermost));
        (Some([(row.file, row.line), outermost]), parts::of_library(image, row))
    }
}

/// A set of addresses: one bit for each byte of a page that has any. It has at most [`PAGES`] of them, which is more
/// than a program's memory fills; only page tables that map a page many times lead to others, which are
/// neither new nor members.
#[derive(Default)]
pub(super) struct Addresses {
    pages: Vec<[u64; 64]>,
    by_number: FxHashMap<u32, usize>,
    // The page used last.
    recent: Option<(u32, usize)>,
}

impl Addresses {
    /// Removes all addresses.
    pub(super) fn clear(&mut self) {
        self.pages.clear();
        self.by_number.clear();
        self.recent = None;
    }

    /// Adds an address; returns whether it is new.
    pub(super) fn insert(&mut self, address: u32) -> bool {
        let number = address >> 12;
        let index = match self.recent {
            Some((recent, index)) if recent == number => index,
            _ => match self.by_number.get(&number) {
                Some(&index) => index,
                None if self.pages.len() == PAGES => return false,
                None => {
                    self.pages.push([0; 64]);
                    self.by_number.insert(number, self.pages.len() - 1);
                    self.pages.len() - 1
                }
            },
        };
        self.recent = Some((number, index));
        let word = &mut self.pages[index][(address >> 6 & 63) as usize];
        let before = *word;
        *word |= 1 << (address & 63);
        before != *word
    }

    /// Whether an address was added.
    pub(super) fn contains(&mut self, address: u32) -> bool {
        let number = address >> 12;
        let index = match self.recent {
            Some((recent, index)) if recent == number => index,
            _ => match self.by_number.get(&number) {
                Some(&index) => index,
                None => return false,
            },
        };
        self.recent = Some((number, index));
        self.pages[index][(address >> 6 & 63) as usize] >> (address & 63) & 1 != 0
    }
}

impl FromIterator<u32> for Addresses {
    fn from_iter<I: IntoIterator<Item = u32>>(addresses: I) -> Addresses {
        let mut all = Addresses::default();
        for address in addresses {
            all.insert(address);
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Classifier;
    use crate::image::LineRow;
    use crate::mode::Mode;
    use crate::model::MODELS;

    fn nop(address: u32) -> Op {
        let mut decoder = MODELS[0].isa.decoder(32, &[0x90], address);
        let instruction = decoder.decode();
        let offsets = decoder.get_constant_offsets(&instruction);
        let op = Classifier::new(MODELS[0]).classify(&instruction, &offsets, &[0x90], &Mode::FLAT);
        op.expect("a row for it")
    }

    fn executed(times: u32) -> RecentStats {
        RecentStats {
            u: times as i32,
            ..RecentStats::default()
        }
    }

    /// An image with a line of 1,000 bytes from 1000h, and one of 10 bytes behind it.
    fn image() -> Image {
        let row = |address, length, line| LineRow {
            address,
            length,
            file: 0,
            line,
            origin: None,
            data: false,
            written: (0, 0),
        };
        Image {
            lines: vec![row(0x1000, 1000, 1), row(0x1000 + 1000, 10, 2)],
            ..Image::default()
        }
    }

    #[test]
    fn what_is_executed_most_often_is_kept_and_the_rest_is_summed_by_line() {
        let (image, op) = (image(), nop(0x1000));
        let mut ledger = Ledger::default();
        for at in 0..1020 {
            ledger.add(&image, &op.at(0x1000 + at), &executed(at % 7 + 1));
        }
        let wanted = HashSet::from([0x1000]);
        ledger.keep(&image, 20, 8, &wanted);
        let kept = ledger.listed().into_iter();
        let kept: Vec<(u32, u64)> = kept.map(|kept| (kept.op.address, kept.held.executions())).collect();
        let of_first = &kept[..9];
        assert_eq!(of_first[0], (0x1000, 1), "wanted");
        assert!(
            of_first[1..]
                .iter()
                .all(|&(at, times)| at < 0x1000 + 1000 && times == 7),
            "{kept:?}"
        );
        let lines: Vec<_> = ledger.remainders();
        let of = |line| lines.iter().find(|one| one.place == line).map(|one| one.instructions);
        assert_eq!(of(Some((0, 1))), Some(991));
        // Ten without a line, and ten of the second line, of which no more than eight are kept.
        let others = of(None).unwrap_or(0) + of(Some((0, 2))).unwrap_or(0);
        assert_eq!(kept.len() as u64 + 991 + others, 1020);
        assert_eq!(kept.len(), 20 + 1, "twenty, and the one wanted");
        let total: u64 = (0..1020u32).map(|at| u64::from(at % 7) + 1).sum();
        let summed: u64 = lines.iter().map(|one| one.executions).sum();
        assert_eq!(kept.iter().map(|(_, times)| times).sum::<u64>() + summed, total);
        assert_eq!(ledger.summary().own.instructions, total);
        // What was summed stays summed.
        ledger.add(&image, &op.at(0x1000 + 7), &executed(1000));
        assert!(!ledger.places.contains_key(&(0x1000 + 7)));
        assert_eq!(ledger.summary().whole.instructions, total + 1000);
    }

    #[test]
    fn memory_does_not_grow_with_what_is_executed_once() {
        let (image, op) = (image(), nop(0x1000));
        let mut ledger = Ledger::default();
        for at in 0..1 << 20 {
            ledger.add(&image, &op.at(at), &executed(1));
            if at % 1000 == 0 {
                ledger.condense(&image);
            }
        }
        ledger.add(&image, &op.at(1 << 20), &executed(2));
        assert!(ledger.places.contains_key(&(1 << 20)), "it was executed more often");
        assert!(ledger.kept.len() <= 2 * KEPT + 1000);
        let sums: Vec<_> = ledger.remainders();
        assert_eq!(sums.len(), 1, "the lines come first, and of equals the first are kept");
        assert_eq!(
            sums.iter().map(|one| one.instructions).sum::<u64>() + ledger.kept.len() as u64,
            (1 << 20) + 1
        );
    }

    #[test]
    fn addresses_are_kept_bit_by_bit() {
        let mut addresses = Addresses::default();
        for address in [0, 63, 64, 0xFFF, 0x1000, u32::MAX] {
            assert!(!addresses.contains(address));
            assert!(addresses.insert(address) && !addresses.insert(address));
            assert!(addresses.contains(address));
        }
        assert!(!addresses.contains(1) && !addresses.contains(0x1FFF));
    }

    #[test]
    fn memory_does_not_grow_with_the_pages_that_one_is_mapped_to() {
        let (image, op) = (image(), nop(0x1000));
        let mut ledger = Ledger::default();
        let pages = PAGES as u32 + 100;
        for page in 0..pages {
            ledger.add(&image, &op.at(page << 12), &executed(1));
            if page % 1000 == 0 {
                ledger.condense(&image);
            }
        }
        assert_eq!(ledger.known.pages.len(), PAGES);
        assert_eq!(ledger.summary().whole.instructions, u64::from(pages));
    }
}
