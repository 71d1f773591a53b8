//! Waits that have only changed their place: a line waits for as many clocks fewer for a cause as one near it waits for
//! more.

use super::Line;
use p5_results::Cause;
use std::collections::HashMap;

/// The farthest that two lines of a file are apart between which a wait moves.
const NEAR: u32 = 8;

/// The index of a line and of a cause of it, and by how many clocks more or fewer the line waits for that.
type Change = (usize, usize, i128);

/// Names the other line of each wait that has only changed its place: the only one near by with the opposite change of
/// the same cause. A clock for each instruction and the clocks of long instructions are no waits.
pub(super) fn name_moved(lines: &mut [Line]) {
    let works = |cause: &str| [Cause::Issue, Cause::Execution].iter().any(|work| work.name() == cause);
    let mut changes: HashMap<(String, u128), Vec<Change>> = HashMap::new();
    for (at, line) in lines.iter().enumerate() {
        for (index, cause) in line.causes.iter().enumerate().filter(|(_, one)| !works(&one.cause)) {
            let clocks = cause.own_difference();
            if clocks != 0 {
                let same = changes.entry((cause.cause.clone(), clocks.unsigned_abs())).or_default();
                same.push((at, index, clocks));
            }
        }
    }
    let mut named = Vec::new();
    for same in changes.values() {
        for &(at, index, clocks) in same {
            let near = |other: &&Change| other.0 != at && are_near(&lines[at], &lines[other.0]);
            let only = |clocks: i128, near: &dyn Fn(&&Change) -> bool| {
                let mut found = same.iter().filter(|one| one.2 == clocks).filter(|one| near(one));
                let first = found.next().copied();
                first.filter(|_| found.next().is_none())
            };
            let Some(other) = only(-clocks, &near) else {
                continue;
            };
            // The other one may have come from a third line as well.
            let back = |one: &&Change| one.0 != other.0 && are_near(&lines[other.0], &lines[one.0]);
            if only(clocks, &back).is_some() {
                named.push((at, index, lines[other.0].shown_instruction()));
            }
        }
    }
    for (at, index, text) in named {
        lines[at].causes[index].moved = Some(text);
    }
}

/// Whether both are of one function without lines, or a few lines of one file apart.
fn are_near(one: &Line, other: &Line) -> bool {
    let name = |line: &Line| {
        let place = line.function.as_deref()?;
        Some(place.rsplit_once('+').map_or(place, |(name, _)| name).to_owned())
    };
    let apart =
        |one: Option<u32>, other: Option<u32>| one.zip(other).is_some_and(|(one, other)| one.abs_diff(other) <= NEAR);
    match (name(one), name(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) if one.file == other.file => {
            apart(one.new_line, other.new_line) || apart(one.old_line, other.old_line)
        }
        _ => false,
    }
}
