//! The search for suggestions: block by block, each change tried on top of those before it.

use super::blocks::{self, Place, Slot};
use super::lines;
use super::substitutions::{Substitution, substitutions};
use super::text::Lines;
use super::trial::{Original, Outcome, Replaced, Workshop};
use iced_x86::FlowControl;
use runtime::advice::{Dependences, Found, Live, Steady, Ways, best_orders, code_bits, dead_after, target};
use runtime::image::Image;
use runtime::report::{Changed, Refused, Suggestion, least_clocks};
use std::ops::Range;

/// The most blocks that are examined.
const MOST_BLOCKS: usize = 64;
/// The most orders of a block that are tried on the model alone.
const MOST_ORDERS: u64 = 4_000;
/// The same with a substitution.
const MOST_WITH_SUBSTITUTION: u64 = 500;
/// The orders of each variant of a block that may be run.
const ORDERS_RUN: usize = 8;
/// The most runs for one improvement of a block.
const MOST_RUNS: usize = 24;
/// The most variants of a block by substitution that are looked at for one improvement.
const MOST_VARIANTS: usize = 32;
/// The most improvements of one block.
const MOST_ROUNDS: usize = 8;
/// The lines around a change that are shown.
const CONTEXT: usize = 3;

/// What a search has found.
pub(super) struct Searched {
    pub(super) lines: Lines,
    pub(super) last: Outcome,
    pub(super) suggestions: Vec<Suggestion>,
    pub(super) blocks: u64,
    pub(super) not_examined: u64,
    pub(super) refused: Vec<Refused>,
    pub(super) out_of_time: bool,
}

/// Changes the blocks at `places`, the dearest first, as long as there is time.
pub(super) fn search(
    workshop: &Workshop<'_>,
    original: &Original,
    lines: Lines,
    first: Outcome,
    places: &[Place],
) -> Searched {
    let mut search = Search {
        workshop,
        original,
        lines,
        current: first,
        replaced: Vec::new(),
        refused: Vec::new(),
    };
    let mut suggestions = Vec::new();
    let mut blocks = 0;
    for place in places.iter().take(MOST_BLOCKS) {
        if !workshop.has_time() {
            break;
        }
        blocks += 1;
        suggestions.extend(search.improve(place));
    }
    Searched {
        lines: search.lines,
        last: search.current,
        suggestions,
        blocks,
        not_examined: places.len() as u64 - blocks,
        refused: search.refused,
        out_of_time: !workshop.has_time(),
    }
}

struct Search<'a> {
    workshop: &'a Workshop<'a>,
    original: &'a Original,
    lines: Lines,
    current: Outcome,
    // The lines replaced so far, in the original and now.
    replaced: Vec<Replaced>,
    refused: Vec<Refused>,
}

/// A text of a block that may be better.
struct Variant {
    lines: Lines,
    range: Range<usize>,
    // Clocks by the model alone.
    clocks: u64,
    substitution: Option<(String, String)>,
}

/// A block with what an order of it costs.
struct Ordered {
    slots: Vec<Slot>,
    found: Found,
}

/// Whether the flags that the program leaves at its end count as read. If not, the run shows whether they stay.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flags {
    Unread,
    Read,
}

impl Flags {
    fn ways(self, image: &Image) -> Ways {
        let mut ways = Ways::of(image);
        ways.flags_at_end = self == Flags::Read;
        ways
    }
}

impl Search<'_> {
    /// The best change of a block, which is made; none if nothing is gained.
    fn improve(&mut self, place: &Place) -> Option<Suggestion> {
        let before = place.lines.clone();
        let range = self.now(&before);
        let old = self.lines.clone();
        let old_slots = blocks::slots(&self.current.image, &self.lines, &range)?;
        let (clocks, block_clocks) = (self.current.clocks(), self.block_clocks(&old_slots));
        let spent = lines::spent(&self.current.run);
        let mut now = range.clone();
        let mut replaced = Vec::new();
        for _ in 0..MOST_ROUNDS {
            let Some((outcome, variant)) = self.better(&before, &now) else {
                break;
            };
            self.current = outcome;
            self.lines = variant.lines;
            now = variant.range;
            replaced.extend(variant.substitution);
        }
        let new_clocks = self.current.clocks();
        if new_clocks >= clocks {
            return None;
        }
        self.replaced = self.replaced_with(&before, &now);
        // The change is made, so it is told, even if no time is left to say what else was possible.
        let slots = blocks::slots(&self.current.image, &self.lines, &now).unwrap_or_default();
        let live = live_flags(&self.current.image, &slots, Flags::Unread);
        let ordered = self.ordered(&self.current.image, &self.lines, &now, live, MOST_ORDERS);
        let rows = self.rows(&slots);
        let passes = rows
            .first()
            .map_or(0, |&row| self.current.run.instructions[row].executions);
        let repeats = is_loop(&slots);
        let elsewhere = lines::elsewhere(&self.current.run, spent, &range, &now);
        let text = |lines: &Lines, range: Range<usize>| range.map(|line| lines.plain(line).to_owned()).collect();
        let size = |slots: &[Slot]| slots.iter().map(|slot| slot.bytes.len() as u32).sum();
        let above = range.start.saturating_sub(CONTEXT)..range.start;
        let below = range.end..(range.end + CONTEXT).min(old.0.len());
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
            tried: ordered.as_ref().map_or(1, |ordered| ordered.found.tried),
            all_tried: ordered.is_some_and(|ordered| ordered.found.all && ordered.found.orders.is_empty()),
            least: least_clocks(&self.current.run, &rows, repeats),
        })
    }

    /// The lines that are replaced once those of the original at `before`, too, are replaced by those at `now`.
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

    /// Where lines of the original are now.
    fn now(&self, lines: &Range<usize>) -> Range<usize> {
        let moved: isize = self
            .replaced
            .iter()
            .filter(|(old, _)| old.end <= lines.start)
            .map(|(old, new)| new.len() as isize - old.len() as isize)
            .sum();
        lines.start.saturating_add_signed(moved)..lines.end.saturating_add_signed(moved)
    }

    /// The best variant of the block at `range`, which was at `before` in the original, that saves clocks and keeps the
    /// final state.
    fn better(&mut self, before: &Range<usize>, range: &Range<usize>) -> Option<(Outcome, Variant)> {
        let mut variants = self.variants(range)?;
        variants.sort_by_key(|variant| variant.clocks);
        let mut best: Option<(Outcome, Variant)> = None;
        for variant in variants.into_iter().take(MOST_RUNS) {
            if !self.workshop.has_time() {
                break;
            }
            let Some(image) = self.workshop.image(&variant.lines) else {
                continue;
            };
            let outcome = self.workshop.run(image);
            let least = best.as_ref().map_or(self.current.clocks(), |(best, _)| best.clocks());
            if !outcome.run.stop.reason.by_program() || outcome.clocks() >= least {
                continue;
            }
            let replaced = self.replaced_with(before, &variant.range);
            match self.original.changed_by(&outcome, &replaced) {
                None => best = Some((outcome, variant)),
                Some(changed) => self.refuse(before, changed),
            }
        }
        best
    }

    /// Notes a trial of the block at `before` that left another state.
    fn refuse(&mut self, before: &Range<usize>, changed: Changed) {
        let lines = [before.start as u32 + 1, before.end as u32];
        match self
            .refused
            .iter_mut()
            .find(|one| (one.lines, &one.changed) == (lines, &changed))
        {
            Some(same) => same.trials += 1,
            None => self.refused.push(Refused {
                lines,
                changed,
                trials: 1,
            }),
        }
    }

    /// The variants of a block that are better by the model alone: its orders, and those of each substitution.
    fn variants(&self, range: &Range<usize>) -> Option<Vec<Variant>> {
        let image = &self.current.image;
        let live = live_flags(image, &blocks::slots(image, &self.lines, range)?, Flags::Unread);
        let least = self.ordered(image, &self.lines, range, live, 1)?.found.original;
        let mut variants = Vec::new();
        self.add(image, &self.lines, range, least, None, &mut variants);
        let slots = blocks::slots(image, &self.lines, range)?;
        let ways = Flags::Unread.ways(image);
        let dead = |at: usize, wanted: Live| dead_behind(image, &ways, &slots[at], wanted);
        for one in substitutions(&slots, &self.lines, &dead)
            .into_iter()
            .take(MOST_VARIANTS)
        {
            if !self.workshop.has_time() {
                break;
            }
            let (lines, changed) = substituted(&self.lines, range, &slots, &one);
            let Some(image) = self.workshop.image(&lines) else {
                continue;
            };
            let text = |slot: &Slot| slot.text(&self.lines).to_owned();
            let before: Vec<String> = slots[one.slots.clone()].iter().map(text).collect();
            let names = (before.join(" / "), one.texts.join(" / "));
            self.add(&image, &lines, &changed, least, Some(&names), &mut variants);
        }
        Some(variants)
    }

    /// Adds the orders of a block that take less than `least` clocks.
    fn add(
        &self,
        image: &Image,
        lines: &Lines,
        range: &Range<usize>,
        least: u64,
        substitution: Option<&(String, String)>,
        variants: &mut Vec<Variant>,
    ) {
        let Some(slots) = blocks::slots(image, lines, range) else {
            return;
        };
        let limit = if substitution.is_some() {
            MOST_WITH_SUBSTITUTION
        } else {
            MOST_ORDERS
        };
        let mut live = [Flags::Unread, Flags::Read]
            .map(|flags| live_flags(image, &slots, flags))
            .to_vec();
        live.dedup();
        for live in live {
            let Some(Ordered { slots, found }) = self.ordered(image, lines, range, live, limit) else {
                return;
            };
            let as_it_is = substitution.map(|_| (found.original, (0..slots.len()).collect()));
            for (clocks, order) in as_it_is.into_iter().chain(found.orders) {
                let lines = reordered(lines, &slots, &order);
                if clocks < least && !variants.iter().any(|other| other.lines.0 == lines.0) {
                    variants.push(Variant {
                        lines,
                        range: range.clone(),
                        clocks,
                        substitution: substitution.cloned(),
                    });
                }
            }
        }
    }

    /// The best orders of a block by the model alone, of at most `limit`, if these flags are read behind it.
    fn ordered(&self, image: &Image, lines: &Lines, range: &Range<usize>, live: u32, limit: u64) -> Option<Ordered> {
        let slots = blocks::slots(image, lines, range)?;
        let instructions: Vec<_> = slots.iter().map(|slot| slot.instruction).collect();
        let dependences = Dependences::of(&instructions, live);
        let code: Vec<_> = slots
            .iter()
            .map(|slot| (slot.instruction, slot.bytes.as_slice()))
            .collect();
        let memory = self.workshop.arguments.memory;
        let mut steady = Steady::new(self.workshop.model(), memory, &code, &dependences, code_bits(image))?;
        let found = best_orders(&dependences, limit, ORDERS_RUN, &mut |order| {
            self.workshop.has_time().then(|| steady.clocks(order))
        })?;
        Some(Ordered { slots, found })
    }

    /// The rows of the present run for instructions.
    fn rows(&self, slots: &[Slot]) -> Vec<usize> {
        let rows = &self.current.run.instructions;
        let found = slots.iter().filter_map(|slot| {
            rows.binary_search_by_key(&slot.instruction.ip32(), |row| row.address)
                .ok()
        });
        found.collect()
    }

    fn block_clocks(&self, slots: &[Slot]) -> u64 {
        let rows = self.rows(slots);
        rows.iter().map(|&row| self.current.run.instructions[row].cycles).sum()
    }
}

/// The flags that are read behind a block.
fn live_flags(image: &Image, slots: &[Slot], flags: Flags) -> u32 {
    let all = Live {
        flags: Live::ALL.flags,
        ..Live::default()
    };
    let dead = slots
        .last()
        .map(|last| dead_behind(image, &flags.ways(image), last, all));
    all.flags & !dead.unwrap_or_default().flags
}

/// What of `wanted` is dead behind an instruction, whichever way it goes on.
fn dead_behind(image: &Image, ways: &Ways, slot: &Slot, wanted: Live) -> Live {
    let dead = |address, wanted| dead_after(image, ways, address, wanted);
    let next = slot.instruction.next_ip32();
    match (slot.instruction.flow_control(), target(&slot.instruction)) {
        (FlowControl::Next, _) => dead(next, wanted),
        (FlowControl::ConditionalBranch, Some(target)) => dead(target, dead(next, wanted)),
        (FlowControl::UnconditionalBranch, Some(target)) => dead(target, wanted),
        _ => Live::default(),
    }
}

/// Whether the last instruction leads back to the first one.
fn is_loop(slots: &[Slot]) -> bool {
    let target = slots.last().and_then(|last| target(&last.instruction));
    target.is_some() && target == slots.first().map(|first| first.instruction.ip32())
}

/// Whether the same instructions stand in the same order.
fn in_order(old: &[Slot], new: &[Slot]) -> bool {
    old.iter()
        .map(|slot| &slot.bytes)
        .eq(new.iter().map(|slot| &slot.bytes))
}

/// The lines of a block in another order. Labels and indents stay; comments go with their instructions.
fn reordered(lines: &Lines, slots: &[Slot], order: &[usize]) -> Lines {
    let mut new = lines.clone();
    for (slot, &from) in slots.iter().zip(order) {
        let from = &slots[from];
        let moved = &lines.plain(from.line)[from.written.start..];
        let kept = &lines.plain(slot.line)[..slot.written.start];
        new.0[slot.line] = format!("{kept}{moved}{}", lines.end(slot.line));
    }
    new
}

/// The lines with a substitution, and the block's lines among them. The comment of the first replaced line stays with
/// the first instruction, or with the branch if it is that of a branch: other orders move the rest away from it.
fn substituted(lines: &Lines, range: &Range<usize>, slots: &[Slot], one: &Substitution) -> (Lines, Range<usize>) {
    let replaced = &slots[one.slots.clone()];
    let first = &replaced[0];
    let indent = lines.plain(first.line);
    let (kept, comment) = (&indent[..first.written.start], &indent[first.written.end..]);
    let blanks = "        ";
    let begins = if kept.trim().is_empty() { kept } else { blanks };
    let mut new = lines.clone();
    let mut texts: Vec<String> = Vec::with_capacity(one.texts.len());
    let spelled = first.text(lines);
    let commented = match first.instruction.flow_control() {
        FlowControl::Next => 0,
        _ => one.texts.len() - 1,
    };
    for (at, text) in one.texts.iter().enumerate() {
        let text = spaced_as(spelled, text);
        let begins = if at == 0 { kept } else { begins };
        let ends = if at == commented { comment } else { "" };
        texts.push(format!("{begins}{text}{ends}{}", lines.end(first.line)));
    }
    let removed = replaced[1..].iter().map(|slot| slot.line);
    for line in removed.rev() {
        // What is left of the line is its comment.
        let text = lines.plain(line);
        let rest = text[replaced
            .iter()
            .find(|slot| slot.line == line)
            .map_or(0, |slot| slot.written.end)..]
            .trim();
        if rest.is_empty() {
            new.0.remove(line);
        } else {
            let end = lines.end(line).to_owned();
            new.0[line] = format!("{begins}{rest}{end}");
        }
    }
    new.0.splice(first.line..=first.line, texts);
    let longer = new.0.len() as isize - lines.0.len() as isize;
    (new, range.start..range.end.saturating_add_signed(longer))
}

/// An instruction with the blanks behind its mnemonic and its commas that another one has.
fn spaced_as(model: &str, text: &str) -> String {
    let gap = |character: char| character == ' ' || character == '\t';
    let wide = if model.contains(", ") {
        text.replace(',', ", ")
    } else {
        text.to_owned()
    };
    let (Some(begin), Some((mnemonic, operands))) = (model.find(gap), wide.split_once(' ')) else {
        return wide;
    };
    let rest = &model[begin..];
    let blanks = &rest[..rest.len() - rest.trim_start_matches(gap).len()];
    // Operands stay in their column.
    let longer = mnemonic.len() as isize - begin as isize;
    let spaces = blanks.len().saturating_add_signed(-longer).max(1);
    match blanks.bytes().all(|byte| byte == b' ') && blanks.len() > 1 {
        true => format!("{mnemonic}{}{operands}", " ".repeat(spaces)),
        false => format!("{mnemonic}{blanks}{operands}"),
    }
}
