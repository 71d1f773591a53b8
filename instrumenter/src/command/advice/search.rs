//! The search for suggestions: block by block, with each change tried on top of the earlier ones.

use super::blocks::{self, Place, Slot};
use super::lines;
use super::moved::{Before, Filled, Trial, Verdict};
use super::text::Lines;
use super::trial::{Harness, Original, Outcome, Replaced};
use runtime::advice::{Banks, Doubt, RegisterParts, target};
use runtime::report::{Changed, InVain, Refused, Slight, Suggestion, Unknown, Unread, least_clocks};
use runtime::run::Cause;
use std::cell::Cell;
use std::ops::Range;
use variants::{Flags, MOST_ORDERS, Variant, live_flags};

mod reads;
mod variants;

/// The maximum number of blocks that are examined.
pub(super) const MOST_BLOCKS: usize = 64;
/// The maximum number of runs for one improvement of a block.
const MOST_RUNS: usize = 24;
/// The maximum number of improvements of one block.
const MOST_ROUNDS: usize = 8;
/// The number of lines shown before and after a change.
const CONTEXT: usize = 3;

pub(super) struct Searched {
    pub(super) lines: Lines,
    pub(super) last: Outcome,
    pub(super) suggestions: Vec<Suggestion>,
    pub(super) blocks: u64,
    pub(super) not_examined: u64,
    pub(super) refused: Vec<Refused>,
    pub(super) slight: Vec<Slight>,
    pub(super) unread: Vec<Unread>,
    pub(super) in_vain: Vec<InVain>,
    pub(super) out_of_time: bool,
}

/// Improves the blocks at `places`, the most expensive first, until the time is over.
pub(super) fn search(
    harness: &Harness<'_>,
    original: &Original,
    lines: Lines,
    first: Outcome,
    places: &[Place],
) -> Searched {
    let mut search = Search {
        harness,
        original,
        written: lines.clone(),
        lines,
        least: Slight::least(first.clocks()),
        current: first,
        replaced: Vec::new(),
        refused: Vec::new(),
        slight: Vec::new(),
        unread: Vec::new(),
        in_vain: Vec::new(),
        filled: Filled::default(),
        banks: Banks::default(),
        takes: false,
        ran_out: Cell::new(false),
    };
    let mut suggestions = Vec::new();
    let mut blocks = 0;
    for place in places.iter().take(MOST_BLOCKS) {
        if !search.has_time() {
            break;
        }
        blocks += 1;
        let found = search.improve(place).or_else(|| search.improve_with_unnamed(place));
        let in_vain = found.is_none();
        suggestions.extend(found);
        search.note_unread(&place.lines);
        if in_vain {
            search.note_in_vain(&place.lines);
        }
    }
    Searched {
        lines: search.lines,
        last: search.current,
        suggestions,
        blocks,
        not_examined: places.len() as u64 - blocks,
        refused: search.refused,
        slight: search.slight,
        unread: search.unread,
        in_vain: search.in_vain,
        out_of_time: search.ran_out.get(),
    }
}

struct Search<'a> {
    harness: &'a Harness<'a>,
    original: &'a Original,
    // The text of the original, and the current one.
    written: Lines,
    lines: Lines,
    current: Outcome,
    // The fewest clocks that a suggestion must save.
    least: u64,
    // The lines replaced so far: in the original, and in the current text.
    replaced: Vec<Replaced>,
    refused: Vec<Refused>,
    slight: Vec<Slight>,
    unread: Vec<Unread>,
    in_vain: Vec<InVain>,
    filled: Filled,
    // Where the pointers of the block lie that is being improved.
    banks: Banks,
    // Whether substitutions may take the registers that nothing in the original uses.
    takes: bool,
    // Whether a trial was left out for lack of time.
    ran_out: Cell<bool>,
}

/// A change of a block: its new lines, and the substitutions in it.
struct Change {
    now: Range<usize>,
    replaced: Vec<(String, String)>,
}

impl Search<'_> {
    /// Whether there is time for another trial. If not, the trial counts as left out.
    fn has_time(&self) -> bool {
        let has_time = self.harness.has_time();
        self.ran_out.set(self.ran_out.get() || !has_time);
        has_time
    }

    /// Makes the best change of a block; `None` if no change saves clocks.
    fn improve(&mut self, place: &Place) -> Option<Suggestion> {
        let before = place.lines.clone();
        let range = self.now(&before);
        let old = self.lines.clone();
        let old_slots = blocks::slots(&self.current.image, &self.lines, &range)?;
        self.banks = self.banks_of(&old_slots);
        let (clocks, block_clocks) = (self.current.clocks(), self.block_clocks(&old_slots));
        let spent = lines::spent(&self.current.run);
        let Change { now, replaced } = self.changed(&before, &range)?;
        let new_clocks = self.current.clocks();
        self.replaced = self.replaced_with(&before, &now);
        self.refuse_doubted(&before, &now);
        // The change is made, so it is reported, even if there is no time to count the other orders.
        let slots = blocks::slots(&self.current.image, &self.lines, &now).unwrap_or_default();
        let live = live_flags(&self.current.image, &slots, Flags::Unread);
        let ordered = self.ordered(&self.current.image, &self.lines, &now, live, MOST_ORDERS);
        let rows = self.rows(&slots);
        let passes = rows.first().map(|&row| self.current.run.instructions[row].executions);
        let repeats = is_loop(&slots);
        let elsewhere = lines::elsewhere(&self.current.run, spent, &range, &now);
        let text = |lines: &Lines, range: Range<usize>| range.map(|line| lines.plain(line).to_owned()).collect();
        let size = |slots: &[Slot]| slots.iter().map(|slot| slot.bytes.len() as u32).sum();
        let above = range.start.saturating_sub(CONTEXT)..range.start;
        let below = range.end..(range.end + CONTEXT).min(old.all.len());
        Some(Suggestion {
            first_line: range.start as u32 + 1,
            context: [text(&old, above), text(&old, below)],
            block: [text(&old, range), text(&self.lines, now)],
            reordered: replaced.is_empty() || old_slots.len() != slots.len() || !in_order(&old_slots, &slots),
            replaced,
            passes,
            clocks: [clocks, new_clocks],
            block_clocks: [block_clocks, self.block_clocks(&slots)],
            elsewhere,
            bytes: [size(&old_slots), size(&slots)],
            tried: ordered.as_ref().map(|ordered| ordered.found.tried),
            all_tried: ordered.is_some_and(|ordered| ordered.found.all && ordered.found.orders.is_empty()),
            least: least_clocks(&self.current.run, &rows, repeats),
        })
    }

    /// Notes that nothing saves a clock of a block with many, unless something else is said of it.
    fn note_in_vain(&mut self, before: &Range<usize>) {
        let lines = numbers(before);
        let said = (self.refused.iter().map(|one| one.lines))
            .chain(self.slight.iter().map(|one| one.lines))
            .chain(self.unread.iter().map(|one| one.lines));
        let range = self.now(before);
        if self.ran_out.get() || said.into_iter().any(|said| said == lines) {
            return;
        }
        let slots = blocks::slots(&self.current.image, &self.lines, &range).unwrap_or_default();
        let clocks = self.block_clocks(&slots);
        let rows = self.rows(&slots);
        let passes = rows.first().map(|&row| self.current.run.instructions[row].executions);
        if let Some(passes) = passes.filter(|_| InVain::is_told(clocks, self.current.clocks())) {
            let (orders, all_orders) = self.orders_tried(&range, &slots);
            let [replacements, all_replacements] = self.replacements(&slots);
            self.in_vain.push(InVain {
                lines,
                clocks,
                passes,
                orders,
                all_orders,
                replacements,
                all_replacements,
                least: least_clocks(&self.current.run, &rows, is_loop(&slots)),
            });
        }
    }

    /// Makes the best change of a block that takes a register which nothing in the original uses.
    fn improve_with_unnamed(&mut self, place: &Place) -> Option<Suggestion> {
        if self.original.unnamed == RegisterParts::default() {
            return None;
        }
        // What was left out without them has been noted.
        let noted = (self.refused.clone(), self.slight.clone());
        self.takes = true;
        let found = self.improve(place);
        self.takes = false;
        (self.refused, self.slight) = noted;
        found
    }

    /// Makes the best changes of the block at `range`, and returns them; `None` and nothing is changed if they save too
    /// little.
    fn changed(&mut self, before: &Range<usize>, range: &Range<usize>) -> Option<Change> {
        let old = self.lines.clone();
        let (mut now, mut replaced, mut first) = (range.clone(), Vec::new(), None);
        for _ in 0..MOST_ROUNDS {
            let Some((outcome, variant)) = self.better(before, &now) else {
                break;
            };
            let previous = std::mem::replace(&mut self.current, outcome);
            first.get_or_insert(previous);
            self.lines = self.lines.with(&now, &variant.block);
            now = now.start..now.start + variant.block.len();
            replaced.extend(variant.substitution);
        }
        let Some(first) = first else {
            self.refuse_doubted(before, range);
            return None;
        };
        let saved = first.clocks() - self.current.clocks();
        if saved >= self.least {
            return Some(Change { now, replaced });
        }
        self.slight.push(Slight {
            lines: numbers(before),
            saved,
        });
        (self.current, self.lines) = (first, old);
        self.refuse_doubted(before, range);
        None
    }

    /// The replaced lines after those at `before` in the original are replaced by those at `now` as well.
    fn replaced_with(&self, before: &Range<usize>, now: &Range<usize>) -> Vec<Replaced> {
        let was = self.now(before);
        let longer = now.len() as isize - was.len() as isize;
        let others = self.replaced.iter().filter(|(old, _)| old != before);
        let moved = others.map(|(old, other)| match other.start >= was.end {
            true => {
                let [start, end] = [other.start, other.end].map(|line| line.saturating_add_signed(longer));
                (old.clone(), start..end)
            }
            false => (old.clone(), other.clone()),
        });
        moved.chain([(before.clone(), now.clone())]).collect()
    }

    /// The current range of lines of the original.
    fn now(&self, lines: &Range<usize>) -> Range<usize> {
        let moved: isize = self
            .replaced
            .iter()
            .filter(|(old, _)| old.end <= lines.start)
            .map(|(old, new)| new.len() as isize - old.len() as isize)
            .sum();
        lines.start.saturating_add_signed(moved)..lines.end.saturating_add_signed(moved)
    }

    /// The best variant of the block at `range`, originally at `before`, that saves clocks and keeps the final state.
    fn better(&mut self, before: &Range<usize>, range: &Range<usize>) -> Option<(Outcome, Variant)> {
        let mut variants = self.variants(range)?;
        variants.sort_by_key(|variant| variant.clocks);
        let mut best: Option<(Outcome, Variant)> = None;
        // The model alone, where all accesses hit, does not tell what these save.
        let reads = self.reads(range).into_iter().chain(self.unlocked(range));
        for variant in reads.chain(variants).take(MOST_RUNS) {
            if !self.has_time() {
                break;
            }
            let lines = self.lines.with(range, &variant.block);
            let Some(image) = self.harness.image(&lines) else {
                continue;
            };
            let outcome = self.harness.run(image);
            let least = best.as_ref().map_or(self.current.clocks(), |(best, _)| best.clocks());
            if !outcome.run.stop.reason.by_program() || outcome.clocks() >= least {
                continue;
            }
            let saved = self.current.clocks() - outcome.clocks();
            let now = range.start..range.start + variant.block.len();
            let replaced = self.replaced_with(before, &now);
            match self.judged(&outcome, &lines, &replaced) {
                Verdict::Same => best = Some((outcome, variant)),
                Verdict::Changed(changed) => self.refuse(before, &variant, changed, false, saved),
                Verdict::Depends(changed) => self.refuse(before, &variant, changed, true, saved),
            }
        }
        best
    }

    fn judged(&mut self, outcome: &Outcome, lines: &Lines, replaced: &[Replaced]) -> Verdict {
        let Some(changed) = self.original.changed_by(outcome, replaced) else {
            return Verdict::Same;
        };
        let before = Before {
            harness: self.harness,
            original: self.original,
            lines: &self.written,
        };
        let trial = Trial {
            outcome,
            lines,
            replaced,
        };
        self.filled.judged(before, trial, changed)
    }

    /// Counts the substitutions that are left out because it is not known what reads the flags or registers that they
    /// change.
    fn refuse_doubted(&mut self, before: &Range<usize>, range: &Range<usize>) {
        for (variant, doubt) in self.doubted(range).unwrap_or_default() {
            if !self.has_time() {
                break;
            }
            let Some(image) = self.harness.image(&self.lines.with(range, &variant.block)) else {
                continue;
            };
            let outcome = self.harness.run(image);
            let saved = self.current.clocks().saturating_sub(outcome.clocks());
            if outcome.run.stop.reason.by_program() && saved >= self.least {
                let changed = Changed::Unknown(self.named(doubt));
                self.refuse(before, &variant, changed, false, saved);
            }
        }
    }

    /// A doubt with the line of its instruction in the original text.
    fn named(&self, doubt: Doubt) -> Unknown {
        let place = |address| {
            let image = &self.current.image;
            let row = image.line_at(address)?;
            let (file, line) = image.outermost(&row);
            let line = (line as usize).checked_sub(1).filter(|_| file == 0)?;
            // What is in doubt has no operand in quotes.
            let text = self
                .lines
                .plain(line)
                .split([';', self.lines.spelling.comment()])
                .next()?
                .trim();
            Some((self.originally(line) as u32 + 1, text.to_owned()))
        };
        match doubt {
            Doubt::Handler(address) => place(address).map(|(line, text)| Unknown::Handler(line, text)),
            Doubt::Way(address) => place(address).map(|(line, text)| Unknown::Way(line, text)),
            Doubt::LinkedHandler => Some(Unknown::LinkedHandler),
            Doubt::NoCode(_) => None,
            Doubt::Long => Some(Unknown::Long),
        }
        .unwrap_or(Unknown::NoCode)
    }

    /// The line of the original text that `line` of the current text comes from, both from 0.
    fn originally(&self, line: usize) -> usize {
        if let Some((old, _)) = self.replaced.iter().find(|(_, new)| new.contains(&line)) {
            return old.start;
        }
        let above = self.replaced.iter().filter(|(_, new)| new.end <= line);
        let moved: isize = above.map(|(old, new)| old.len() as isize - new.len() as isize).sum();
        line.saturating_add_signed(moved)
    }

    /// Counts a trial that is left out for what it changes.
    fn refuse(&mut self, lines: &Range<usize>, variant: &Variant, changed: Changed, moves: bool, saved: u64) {
        let refused = Refused {
            lines: numbers(lines),
            tried: variant.substitution.clone(),
            changed,
            moves,
            trials: 1,
            saved,
        };
        match self.refused.iter_mut().find(|one| one.is_like(&refused)) {
            Some(like) => {
                like.trials += 1;
                like.saved = like.saved.max(saved);
            }
            None => self.refused.push(refused),
        }
    }

    /// The indexes of these instructions in the current run.
    fn rows(&self, slots: &[Slot]) -> Vec<usize> {
        let rows = &self.current.run.instructions;
        let found = slots.iter().filter_map(|slot| {
            rows.binary_search_by_key(&slot.instruction.ip32(), |row| row.address)
                .ok()
        });
        found.collect()
    }

    /// Where the pointers of these instructions lie: in the same bank if every other pass loses a clock for that.
    fn banks_of(&self, slots: &[Slot]) -> Banks {
        let rows: Vec<_> = (self.rows(slots).into_iter())
            .map(|row| &self.current.run.instructions[row])
            .collect();
        let causes = rows.iter().flat_map(|row| &row.causes);
        let conflicts = causes.filter(|one| one.cause == Cause::BankConflict);
        let lost: u64 = conflicts.map(|one| one.cycles).sum();
        match rows
            .first()
            .is_some_and(|first| lost > 0 && lost >= first.executions / 2)
        {
            true => Banks::Same,
            false => Banks::Apart,
        }
    }

    fn block_clocks(&self, slots: &[Slot]) -> u64 {
        let rows = self.rows(slots);
        rows.iter().map(|&row| self.current.run.instructions[row].cycles).sum()
    }
}

/// The first and the last of these lines, from 1.
fn numbers(lines: &Range<usize>) -> [u32; 2] {
    [lines.start as u32 + 1, lines.end as u32]
}

/// Whether the last instruction branches back to the first one.
fn is_loop(slots: &[Slot]) -> bool {
    let target = slots.last().and_then(|last| target(&last.instruction));
    target.is_some() && target == slots.first().map(|first| first.instruction.ip32())
}

fn in_order(old: &[Slot], new: &[Slot]) -> bool {
    old.iter()
        .map(|slot| &slot.bytes)
        .eq(new.iter().map(|slot| &slot.bytes))
}
