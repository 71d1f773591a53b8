//! Trials whose code is longer or shorter, so that what lies after it moves.
//!
//! NOPs give the replaced blocks of both programs the same length, so that all the rest lies at the same addresses.
//! Then the original with NOPs and the trial with NOPs must leave exactly the same state; and each must leave the state
//! that it leaves without the NOPs, except for addresses that have moved with what they point at.

use super::blocks::{self, Slot};
use super::rewrite::filled;
use super::text::Lines;
use super::trial::{Harness, Original, Outcome, Replaced};
use runtime::image::{Image, LineRow, Start, SymbolKind};
use runtime::machine::{Layout, Piece};
use runtime::report::Changed;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

/// The effect of a trial on the final state.
pub(super) enum Verdict {
    /// It stays.
    Same,
    /// It changes.
    Changed(Changed),
    /// It depends on where the things that have moved lie.
    Depends(Changed),
}

/// The original, its text, and how it is assembled and run.
#[derive(Clone, Copy)]
pub(super) struct Before<'a> {
    pub(super) harness: &'a Harness<'a>,
    pub(super) original: &'a Original,
    pub(super) lines: &'a Lines,
}

/// A trial, its text, and the lines that are replaced in it.
#[derive(Clone, Copy)]
pub(super) struct Trial<'a> {
    pub(super) outcome: &'a Outcome,
    pub(super) lines: &'a Lines,
    pub(super) replaced: &'a [Replaced],
}

/// The last text of the original with NOPs, the state that it leaves, and its change by them: the trials of a block
/// often need the same one.
#[derive(Default)]
pub(super) struct Filled(Option<(String, Original, Option<Changed>)>);

impl Filled {
    /// Judges a trial in whose final state `changed` is the first difference from that of the original.
    pub(super) fn judged(&mut self, before: Before<'_>, trial: Trial<'_>, changed: Changed) -> Verdict {
        let old = blocks_of(&before.original.image, before.lines, trial.replaced, |one| &one.0);
        let new = blocks_of(&trial.outcome.image, trial.lines, trial.replaced, |one| &one.1);
        let (Some(old), Some(new)) = (old, new) else {
            return Verdict::Changed(changed);
        };
        let sizes: Vec<[usize; 2]> = old.iter().zip(&new).map(|(old, new)| [size(old), size(new)]).collect();
        if sizes.iter().all(|[old, new]| old == new) {
            return Verdict::Changed(changed);
        }
        let missing = |own: usize| sizes.iter().map(move |sizes| sizes[1 - own].saturating_sub(sizes[own]));
        let old = WithNops::of(before.lines, &old, missing(0));
        let new = WithNops::of(trial.lines, &new, missing(1));
        // A text that does not assemble or end with NOPs decides nothing.
        self.compared(before, trial, &old, &new)
            .unwrap_or(Verdict::Depends(changed))
    }

    fn compared(&mut self, before: Before<'_>, trial: Trial<'_>, old: &WithNops, new: &WithNops) -> Option<Verdict> {
        let Before { harness, original, .. } = before;
        let (filled, moved) = match old.nops.is_empty() {
            true => (original, None),
            false => self.original(before, old)?,
        };
        let longer = (!new.nops.is_empty()).then(|| run(harness, new));
        let longer = match longer {
            Some(outcome) => Some(outcome?),
            None => None,
        };
        let compared = longer.as_ref().unwrap_or(trial.outcome);
        if !same_places(&filled.image, &compared.image) {
            return None;
        }
        let replaced: Vec<Replaced> = old.blocks.iter().cloned().zip(new.blocks.iter().cloned()).collect();
        if let Some(changed) = filled.changed_by(compared, &replaced) {
            return Some(Verdict::Changed(changed));
        }
        let moved = match (moved, &longer) {
            (None, Some(longer)) => {
                let layout = layout(&trial.outcome.image, &longer.image, &new.nops)?;
                Original::of(trial.outcome, harness).changed_as_laid_out(&longer.final_state, &layout)
            }
            (moved, _) => moved,
        };
        Some(moved.map_or(Verdict::Same, Verdict::Depends))
    }

    /// The original with NOPs, and the change in its state by them; `None` if it does not assemble or end.
    fn original(&mut self, before: Before<'_>, filled: &WithNops) -> Option<(&Original, Option<Changed>)> {
        let text = filled.lines.joined();
        if self.0.as_ref().is_none_or(|(known, ..)| *known != text) {
            let outcome = run(before.harness, filled)?;
            let layout = layout(&before.original.image, &outcome.image, &filled.nops)?;
            let moved = before.original.changed_as_laid_out(&outcome.final_state, &layout);
            self.0 = Some((text, Original::of(&outcome, before.harness), moved));
        }
        self.0.as_ref().map(|(_, original, moved)| (original, moved.clone()))
    }
}

fn run(harness: &Harness<'_>, filled: &WithNops) -> Option<Outcome> {
    let outcome = harness.run(harness.image(&filled.lines)?);
    outcome.run.stop.reason.by_program().then_some(outcome)
}

/// The instructions of each replaced block; `None` if one is no block any more.
fn blocks_of(
    image: &Image,
    lines: &Lines,
    replaced: &[Replaced],
    which: fn(&Replaced) -> &Range<usize>,
) -> Option<Vec<(Range<usize>, Vec<Slot>)>> {
    let ranges = replaced.iter().map(which);
    ranges
        .map(|range| Some((range.clone(), blocks::slots(image, lines, range)?)))
        .collect()
}

fn size((_, slots): &(Range<usize>, Vec<Slot>)) -> usize {
    slots.iter().map(|slot| slot.bytes.len()).sum()
}

/// A text with NOPs before the last instructions of its replaced blocks.
struct WithNops {
    lines: Lines,
    /// The lines of the blocks, in the order in which they were given.
    blocks: Vec<Range<usize>>,
    /// The lines of the NOPs.
    nops: HashSet<usize>,
}

impl WithNops {
    fn of(lines: &Lines, blocks: &[(Range<usize>, Vec<Slot>)], counts: impl Iterator<Item = usize>) -> WithNops {
        let counts: Vec<usize> = counts.collect();
        let longer = |before: usize| -> usize {
            let above = blocks.iter().zip(&counts).filter(|((range, _), _)| range.end <= before);
            above.map(|(_, count)| count).sum()
        };
        let mut with = WithNops {
            lines: lines.clone(),
            blocks: Vec::with_capacity(blocks.len()),
            nops: HashSet::new(),
        };
        let mut places: Vec<(&Slot, usize)> = Vec::new();
        for ((range, slots), &count) in blocks.iter().zip(&counts) {
            let moved = longer(range.start);
            with.blocks.push(range.start + moved..range.end + moved + count);
            let last = slots.last().filter(|_| count > 0);
            with.nops.extend(
                last.iter()
                    .flat_map(|last| last.line + moved..last.line + moved + count),
            );
            places.extend(last.map(|last| (last, count)));
        }
        // From the end on, so that the lines of the others stay where they are.
        places.sort_by_key(|(slot, _)| Reverse(slot.line));
        for (slot, count) in places {
            let texts = filled(lines, slot, count);
            with.lines.all.splice(slot.line..=slot.line, texts);
        }
        with
    }
}

/// Whether all names and segments of two programs lie at the same addresses.
fn same_places(old: &Image, new: &Image) -> bool {
    let names = |image: &Image| -> Vec<(String, u32)> {
        let symbols = image.symbols.iter();
        symbols.map(|symbol| (symbol.name.clone(), symbol.value)).collect()
    };
    let segments = |image: &Image| -> Vec<(u32, u64)> {
        let segments = image.segments.iter();
        segments
            .map(|one| (one.address, u64::from(one.zeroes) + one.bytes.len() as u64))
            .collect()
    };
    segments(old) == segments(new) && names(old) == names(new)
}

/// Where everything has moved by the NOPs in these lines of the new text; `None` if the programs do not correspond.
fn layout(old: &Image, new: &Image, nops: &HashSet<usize>) -> Option<Layout> {
    let is_nop = |row: &LineRow| {
        let (file, line) = new.outermost(row);
        file == 0 && nops.contains(&(line as usize - 1))
    };
    let new_rows: Vec<LineRow> = new.lines.iter().filter(|row| !is_nop(row)).collect();
    let data = |image: &Image| -> Vec<(u32, u32)> {
        let symbols = image
            .symbols
            .iter()
            .filter(|symbol| matches!(symbol.kind, SymbolKind::Data { .. }));
        symbols.map(|symbol| (symbol.value, symbol.size)).collect()
    };
    let (old_data, new_data) = (data(old), data(new));
    let corresponds = old.lines.iter().count() == new_rows.len()
        && old_data.len() == new_data.len()
        && old.segments.len() == new.segments.len();
    if !corresponds {
        return None;
    }
    let rows = old.lines.iter().zip(&new_rows).map(|(old, new)| Piece {
        old: old.address,
        new: new.address,
        // A jump over the NOPs may be longer.
        length: old.length.min(new.length),
    });
    let data = old_data.iter().zip(&new_data).map(|(old, new)| Piece {
        old: old.0,
        new: new.0,
        length: old.1.min(new.1),
    });
    let mut known: Vec<Piece> = rows.chain(data).filter(|piece| piece.length > 0).collect();
    known.sort_by_key(|piece| (piece.old, Reverse(piece.length)));
    let mut pieces = Vec::new();
    for (old, new) in old.segments.iter().zip(&new.segments) {
        let [old, new] = [old, new].map(|one| {
            let length = one.bytes.len() as u64 + u64::from(one.zeroes);
            one.address..one.address.saturating_add(u32::try_from(length).unwrap_or(u32::MAX))
        });
        let inside = known.iter().filter(|piece| old.contains(&piece.old)).copied();
        add(&mut pieces, inside, old.clone(), new);
    }
    let bases = match new.start {
        Start::Flat => Vec::new(),
        // No others: from the first byte of a segment, every small number would be an offset.
        Start::Real(start) => [start.code, start.data, start.stack]
            .map(|segment| u32::from(segment) << 4)
            .to_vec(),
    };
    Some(Layout { pieces, bases })
}

/// Adds the known pieces of a segment, and each gap between two of them that has the same length in both programs.
fn add(pieces: &mut Vec<Piece>, known: impl Iterator<Item = Piece>, old: Range<u32>, new: Range<u32>) {
    let mut at = [old.start, new.start];
    let end = Piece {
        old: old.end,
        new: new.end,
        length: 0,
    };
    for piece in known.chain([end]) {
        // What lies within another piece has moved with it.
        let gaps = [piece.old.checked_sub(at[0]), piece.new.checked_sub(at[1])];
        let [Some(gap), Some(other)] = gaps else { continue };
        if gap == other && gap > 0 {
            let [old, new] = at;
            pieces.push(Piece { old, new, length: gap });
        }
        if piece.length > 0 {
            pieces.push(piece);
        }
        at = [piece.old + piece.length, piece.new + piece.length];
    }
}
