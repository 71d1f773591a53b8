//! The lines of a comparison that changed, and why.

use super::causes::{Spent, changed_causes};
use super::long::LongInstructions;
use super::moved::name_moved;
use super::pairs::paired;
use super::saved::SavedRun;
use super::saved_lines::SavedLine;
use super::summed::{Summed, summed};
use super::waits::Waits;
use super::{Line, Pair};
use crate::lines::WITHOUT_LINES;
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The lines that differ, and whether lines were paired regardless of their order.
pub(super) fn lines(old: &SavedRun, new: &SavedRun, without_text: &BTreeSet<&str>, alike: bool) -> (Vec<Line>, bool) {
    // Code without a source line has no number.
    let numbered = |line: &&SavedLine| line.line > 0;
    let (pairs, anywhere) = paired(old, new, without_text, alike);
    let (pairs, rests) = summed(pairs);
    let long = [old, new].map(LongInstructions::of);
    let waits = [old, new].map(Waits::of);
    let spent = |side: usize, line: Option<&SavedLine>| {
        Some(Spent::of(line?, long[side].of_line(line?), waits[side].of_line(line?)))
    };
    let changed = pairs.into_iter().filter_map(|(before, after)| {
        let clocks = Pair::of(before.map(|line| line.cycles), after.map(|line| line.cycles), None);
        (clocks.difference != Some(0)).then(|| Line {
            file: after.or(before).map_or_else(String::new, |line| line.file.clone()),
            function: after.or(before).and_then(|line| line.function.clone()),
            old_line: before.filter(numbered).map(|line| line.line),
            new_line: after.filter(numbered).map(|line| line.line),
            old_text: before.map(|line| line.text.trim().to_owned()),
            new_text: after.map(|line| line.text.trim().to_owned()),
            clocks,
            causes: changed_causes(spent(0, before).as_ref(), spent(1, after).as_ref()),
            of_library: after.or(before).is_some_and(SavedLine::is_of_library),
        })
    });
    let mut changed: Vec<Line> = changed.collect();
    changed.extend(rests.into_iter().filter_map(|rest| of_rest(&rest, spent)));
    name_moved(&mut changed);
    changed.sort_by_key(|line| {
        let weight = line.clocks.weight();
        (line.of_library, Reverse(weight), line.new_line.or(line.old_line))
    });
    (changed, anywhere)
}

/// The row of what a function has besides the instructions that have rows of their own, if its clocks differ.
fn of_rest<'a>(rest: &Summed<'a>, spent: impl Fn(usize, Option<&'a SavedLine>) -> Option<Spent>) -> Option<Line> {
    let sum = |side: usize| {
        let parts = rest.lines[side].iter().map(|line| spent(side, Some(line)));
        parts.flatten().reduce(|sum, one| sum.with(&one))
    };
    let both = [sum(0), sum(1)];
    let [before, after] = &both;
    let [old, new] = [before, after].map(|one| one.as_ref().map(|one| one.clocks));
    let clocks = Pair::of(old, new, None);
    let text = |clocks: Option<u64>| clocks.map(|_| WITHOUT_LINES.to_owned());
    (clocks.difference != Some(0)).then(|| Line {
        file: rest.file.to_owned(),
        function: rest.function.map(str::to_owned),
        old_line: None,
        new_line: None,
        old_text: text(old),
        new_text: text(new),
        clocks,
        causes: changed_causes(before.as_ref(), after.as_ref()),
        of_library: true,
    })
}
