//! Statistics by address: the instructions that a run executed, however often its code was decoded anew.
//!
//! Memory is bounded. If there are very many instructions, those of the user's program, then those executed most
//! often, are kept one by one, and the others are summed by source line. An instruction that was summed stays summed
//! until the run ends, so every figure is that of the whole run.

use super::{Busiest, parts};
pub(super) use addresses::Addresses;
use by_chain::ByChain;
use doubtful::Doubtful;
use held::{Held, is_empty};
use listed::first_of;
use p5_chips::{Doubt, Questions};
use p5_image::{self as image, Functions, Image};
use p5_results::{Remainder, RunSummary};
use p5_timing::block::Op;
use p5_timing::pipeline::{OpStats, RecentStats};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::HashSet;

mod addresses;
mod by_chain;
mod doubtful;
mod held;
mod listed;

/// The most instructions kept while a run executes; twice as many are held before the rest is summed.
const KEPT: usize = 1 << 15;
/// The most instructions of a run listed one by one.
pub(super) const LISTED: usize = 1 << 14;
/// The most of these instructions from one source line, or without a line.
pub(super) const LISTED_OF_LINE: usize = 256;
/// The most instructions of empty memory that are listed one by one. The others are summed.
const EMPTY_LISTED: usize = 8;
/// The most further instructions at the addresses of others.
const VARIANTS: usize = 1 << 12;
/// The most source lines that have a sum of their own.
const LINES: usize = 1 << 13;

const NO_SUM: u32 = u32::MAX;

#[derive(Default)]
pub(super) struct Ledger {
    // The instructions kept one by one, and their index by address.
    kept: Vec<Kept>,
    places: FxHashMap<u32, u32>,
    /// The sums of the other instructions.
    sums: Vec<LineSum>,
    by_line: FxHashMap<Line, u32>,
    // The sum of each row of the image that has one, or [`NO_SUM`]. Later runs reuse them, because they mostly execute
    // the same code.
    by_row: Vec<u32>,
    near: Near,
    known: Addresses,
    /// The executions up to which a new instruction is summed at once: of the user's program, and of the library.
    rare: [u64; 2],
    doubtful: Doubtful,
    /// The open questions about the instructions executed in this run and those before it.
    pub(super) questions: Questions,
    /// Further instructions at the addresses of those that are kept: the program has changed its code.
    pub(super) variants: Vec<Op>,
    varied: FxHashSet<(u32, [u8; 15])>,
    /// The functions of the program, as far as its symbols tell.
    functions: Functions,
    // The clocks by outermost source line since the last interval ended, if intervals are watched.
    interval: Option<FxHashMap<(u32, u32), i64>>,
    by_chain: Option<Box<ByChain>>,
}

pub(super) struct Kept {
    pub(super) op: Op,
    pub(super) held: Held,
    /// The reason why its timing is uncertain, or the timing of a delivery of its exception or of an interrupt before
    /// it.
    pub(super) doubt: Option<Doubt>,
    pub(super) library: bool,
    /// Whether its bytes were not those of the image in some of its executions.
    pub(super) changed: bool,
}

impl Kept {
    /// The doubt of the paths that its executions took.
    pub(super) fn doubt_taken(&self) -> Option<Doubt> {
        let stats = self.held.stats();
        match self.doubt == self.op.doubt() {
            true => self.op.doubt_of(stats.executions(), stats.of_row() as i64),
            false => self.doubt,
        }
    }

    /// Adds the doubt of `op`, whose statistics are added, too. The doubt of the instruction replaces that of a
    /// delivery.
    fn concerns(&mut self, op: &Op) {
        if self.op.delivery && !op.delivery {
            self.doubt = op.doubt().or(self.doubt);
            self.op = op.clone();
        } else {
            self.doubt = self.doubt.or(op.doubt());
        }
    }
}

/// A source line of a function: file index and line of the text and of the outermost call, the owner, and the address
/// of the function, as a line may be inlined into several. `None` stands for code without a source line, and for lines
/// beyond [`LINES`].
type Line = (Option<[(u32, u32); 2]>, Owner, Option<u32>);

/// The owner of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Owner {
    /// The user's program.
    Program,
    Library,
    /// No owner: empty memory that was executed.
    Nobody,
}

struct LineSum {
    line: Line,
    // Zero if no instruction of the line was summed in this run.
    instructions: u64,
    stats: OpStats,
    // The clocks that uncertain rows of the timing table give, by doubt.
    doubts: Vec<(Doubt, i64)>,
    // Whether the bytes of any instruction were not those of the image.
    changed: bool,
}

impl LineSum {
    fn of(line: Line) -> LineSum {
        LineSum {
            line,
            instructions: 0,
            stats: OpStats::default(),
            doubts: Vec::new(),
            changed: false,
        }
    }

    fn add(&mut self, image: &Image, op: &Op, doubt: Option<Doubt>, stats: &RecentStats) {
        self.stats.add_recent(stats);
        self.changed = self.changed || is_changed(image, op);
        self.add_doubt(doubt, stats.of_row());
    }

    /// Adds the clocks that its row gives an instruction to the sum of its doubt.
    fn add_doubt(&mut self, doubt: Option<Doubt>, clocks: i64) {
        let Some(doubt) = doubt else { return };
        match self.doubts.iter_mut().find(|(known, _)| *known == doubt) {
            Some((_, sum)) => *sum += clocks,
            None => self.doubts.push((doubt, clocks)),
        }
    }
}

impl Ledger {
    /// An empty ledger for a program with these functions.
    pub(super) fn of(functions: Functions) -> Ledger {
        Ledger {
            functions,
            ..Ledger::default()
        }
    }

    /// Begins another run. Discards the statistics, but keeps their memory.
    pub(super) fn begin_run(&mut self) {
        self.kept.clear();
        self.places.clear();
        self.sums.iter_mut().for_each(|sum| *sum = LineSum::of(sum.line));
        self.known.clear();
        self.rare = [0; 2];
        self.doubtful.clear();
        self.variants.clear();
        self.varied.clear();
        self.interval = None;
        self.by_chain = None;
    }

    /// Begins to sum the clocks of intervals by line, or ends it.
    pub(super) fn watch_lines(&mut self, watched: bool) {
        self.interval = watched.then(FxHashMap::default);
    }

    /// The source line with the most clocks since the last call, the first one of equal ones; `None` if lines are not
    /// watched, or if no clocks have a line.
    pub(super) fn busiest(&mut self) -> Option<Busiest> {
        let lines = self.interval.as_mut()?.drain();
        let most = lines.max_by_key(|&(place, clocks)| (clocks, std::cmp::Reverse(place)));
        let (place, clocks) = most?;
        let clocks = u64::try_from(clocks).ok().filter(|&clocks| clocks > 0)?;
        Some(Busiest { place, clocks })
    }

    /// Adds the statistics of an instruction. The caller calls [`Ledger::condense`] afterwards.
    pub(super) fn add(&mut self, image: &Image, op: &Op, stats: &RecentStats) {
        if let Some(lines) = &mut self.interval
            && let Some(row) = image.line_at(op.address)
        {
            *lines.entry(image.outermost(&row)).or_default() += stats.clocks();
        }
        if let Some(by_chain) = &mut self.by_chain {
            by_chain.add(image, op, stats);
        }
        self.questions.add(op.questions_here());
        let new = self.known.insert(op.address);
        let library = new && parts::in_library_near(image, op.address, &mut self.near.row);
        // A repeated string instruction that is not done has no execution yet, and is not rare for that.
        if new && (1..=self.rare[usize::from(library)]).contains(&stats.executions()) {
            self.add_to_sum(image, op, stats).instructions += 1;
        } else if new {
            self.places.insert(op.address, self.kept.len() as u32);
            self.kept.push(Kept {
                op: op.clone(),
                held: Held::of(&stats.into()),
                doubt: op.doubt(),
                library,
                changed: is_changed(image, op),
            });
        } else if let Some(&place) = self.places.get(&op.address) {
            let kept = &mut self.kept[place as usize];
            kept.held.add(stats);
            kept.changed = kept.changed || is_changed(image, op);
            let another = kept.op.bytes != op.bytes && !kept.op.delivery && !op.delivery;
            if another && self.variants.len() < VARIANTS && self.varied.insert((op.address, op.bytes)) {
                self.variants.push(op.clone());
            }
            if op.doubtful || kept.op.delivery {
                kept.concerns(op);
            }
        } else {
            self.add_to_sum(image, op, stats);
        }
    }

    /// Adds the statistics of an instruction that is not kept to its sum.
    fn add_to_sum(&mut self, image: &Image, op: &Op, stats: &RecentStats) -> &mut LineSum {
        let doubt = op
            .doubtful
            .then(|| op.doubt_of(stats.executions(), stats.of_row()))
            .flatten();
        if let Some(doubt) = doubt {
            let library = parts::in_library_near(image, op.address, &mut self.near.row);
            self.doubtful.add(doubt, library);
        }
        let sum = self.sum(image, op);
        sum.add(image, op, doubt, stats);
        sum
    }

    /// The instructions kept one by one, in ascending order of their addresses.
    pub(super) fn listed(&self) -> Vec<&Kept> {
        let mut listed: Vec<&Kept> = self.kept.iter().collect();
        listed.sort_unstable_by_key(|kept| kept.op.address);
        listed
    }

    /// Sums the instructions executed least often if more are kept than a run may hold.
    pub(super) fn condense(&mut self, image: &Image) {
        if self.kept.len() > 2 * KEPT {
            let none = HashSet::new();
            let count = |ledger: &Ledger, library| ledger.kept.iter().filter(|kept| kept.library == library).count();
            let before = [false, true].map(|library| count(self, library));
            self.keep(image, KEPT, KEPT, &none);
            for (library, before) in [false, true].into_iter().zip(before) {
                if count(self, library) < before {
                    let kept = self.kept.iter().filter(|kept| kept.library == library);
                    let executions = kept.map(|kept| kept.held.executions());
                    self.rare[usize::from(library)] = executions.min().unwrap_or(u64::MAX).max(1);
                }
            }
        }
    }

    /// Keeps at most `all` instructions, and at most `of_line` of one source line, and sums the others. The user's
    /// come before the library's, and those executed most often come first. Those at the addresses `wanted` are always
    /// kept.
    pub(super) fn keep(&mut self, image: &Image, all: usize, of_line: usize, wanted: &HashSet<u32>) {
        let emptiness = self.kept.iter().filter(|kept| is_emptiness(image, kept)).count();
        let summed = |sum: &LineSum| sum.line.1 == Owner::Nobody && sum.instructions > 0;
        let runs_empty = emptiness > EMPTY_LISTED || emptiness > 0 && self.sums.iter().any(summed);
        if self.kept.len() <= all.min(of_line) && !runs_empty {
            return;
        }
        let mut all_kept = std::mem::take(&mut self.kept);
        let mut listed = first_of(&all_kept, image, all, of_line);
        for (kept, listed) in all_kept.iter().zip(&mut listed) {
            *listed |= wanted.contains(&kept.op.address);
            *listed &= !(runs_empty && is_emptiness(image, kept));
            if !*listed {
                let (stats, doubt) = (kept.held.stats(), kept.doubt_taken());
                if let Some(doubt) = doubt {
                    self.doubtful.add(doubt, kept.library);
                }
                let sum = self.sum(image, &kept.op);
                sum.instructions += 1;
                sum.stats.add(&stats);
                sum.add_doubt(doubt, stats.of_row() as i64);
                sum.changed |= kept.changed;
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

    /// The sum to which the statistics of an instruction are to be added.
    fn sum(&mut self, image: &Image, op: &Op) -> &mut LineSum {
        let row = self.near.row(image, op.address);
        let empty = row.is_none() && is_empty(image, op);
        let index = match row.and_then(|row| self.by_row.get(row)) {
            None if empty => self.sum_of((None, Owner::Nobody, None)),
            Some(&index) if index != NO_SUM => index,
            _ => {
                let mut line = self.near.line(image, row);
                line.2 = self.functions.at(op.address).map(|at| self.functions.0[at].address);
                let index = self.sum_of(line);
                if let Some(row) = row {
                    self.by_row.resize(image.lines.len(), NO_SUM);
                    self.by_row[row] = index;
                }
                index
            }
        };
        if let Some(by_chain) = &mut self.by_chain {
            by_chain.summed(op.address, index);
        }
        &mut self.sums[index as usize]
    }

    /// The index of the sum of a line, which may be the sum of all further lines.
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

    /// The totals so far, without clocks in which no instruction was executed.
    pub(super) fn summary(&self) -> RunSummary {
        let mut summary = RunSummary::default();
        for kept in &self.kept {
            kept.held.stats().add_to(&mut summary, kept.library);
        }
        for sum in &self.sums {
            sum.stats.add_to(&mut summary, sum.line.1 == Owner::Library);
        }
        summary
    }

    /// The sums, and the addresses of their functions.
    pub(super) fn remainders(&self) -> Vec<(Remainder, Option<u32>)> {
        let sums = self
            .used_sums()
            .into_iter()
            .filter_map(|sum| self.sums.get(sum as usize));
        let remainder = |sum: &LineSum| {
            let (places, owner, function) = sum.line;
            let totals = sum.stats.totals();
            let remainder = Remainder {
                function: None,
                inlined: None,
                place: places.map(|places| places[0]),
                outermost: places.map(|places| places[1]),
                instructions: sum.instructions,
                executions: totals.instructions,
                cycles: totals.cycles,
                u: totals.u,
                v: totals.v,
                causes: sum.stats.cause_cycles(),
                refusals: sum.stats.refusal_counts(),
                doubts: by_form(&sum.doubts),
                library: owner == Owner::Library,
                changed: sum.changed,
                empty: owner == Owner::Nobody,
            };
            (remainder, function)
        };
        sums.map(remainder).collect()
    }

    /// The numbers of the sums of this run, by line.
    fn used_sums(&self) -> Vec<u32> {
        let used = (0u32..).zip(&self.sums).filter(|(_, sum)| sum.instructions > 0);
        let mut used: Vec<(u32, Line)> = used.map(|(number, sum)| (number, sum.line)).collect();
        used.sort_by_key(|&(_, line)| line);
        used.into_iter().map(|(number, _)| number).collect()
    }

    /// The doubts of summed instructions, each with whether it is the library's.
    pub(super) fn doubtful(&self) -> Vec<(Doubt, bool)> {
        self.doubtful.listed()
    }
}

/// Whether the bytes of an instruction are others than those of the image's code there. Where the image has no code,
/// the program has made it itself, and there is nothing that it could have changed.
pub(super) fn is_changed(image: &Image, op: &Op) -> bool {
    let (given, own) = (image.bytes_at(op.address), &op.bytes[..usize::from(op.length)]);
    let differs = !op.delivery && given.iter().zip(own).any(|(given, own)| given != own);
    differs && (image.line_at(op.address).is_some() || image.is_linked(op.address))
}

fn is_emptiness(image: &Image, kept: &Kept) -> bool {
    is_empty(image, &kept.op) && image.line_at(kept.op.address).is_none()
}

/// The results of the last lookups. Neighbouring instructions mostly need the same.
#[derive(Default)]
struct Near {
    row: image::Near,
    // The outermost line of an origin. All lines of one macro call share it.
    outermost: Option<(u32, (u32, u32))>,
}

impl Near {
    fn row(&mut self, image: &Image, address: u32) -> Option<usize> {
        image.line_near(address, &mut self.row).map(|(number, _)| number)
    }

    fn line(&mut self, image: &Image, row: Option<usize>) -> Line {
        let Some(row) = row.and_then(|row| image.lines.get(row)) else {
            return (None, Owner::Program, None);
        };
        let outermost = match (row.origin, self.outermost) {
            (Some(origin), Some((known, outermost))) if origin == known => outermost,
            _ => image.outermost(&row),
        };
        self.outermost = row.origin.map(|origin| (origin, outermost));
        let owner = match parts::of_library(image, &row) {
            true => Owner::Library,
            false => Owner::Program,
        };
        (Some([(row.file, row.line), outermost]), owner, None)
    }
}

/// The clocks of doubted rows in the order of these, whatever instruction has come first.
fn by_form(doubts: &[(Doubt, i64)]) -> Vec<(Doubt, u64)> {
    let clocks = doubts
        .iter()
        .map(|&(doubt, clocks)| (doubt, u64::try_from(clocks).unwrap_or(0)));
    let mut doubts: Vec<(Doubt, u64)> = clocks.collect();
    doubts.sort_by_key(|(doubt, _)| (doubt.form, doubt.why));
    doubts
}

#[cfg(test)]
mod tests;
