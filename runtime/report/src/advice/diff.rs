//! A suggestion as one hunk of a unified difference.

use super::Suggestion;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change<'a> {
    Kept(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// The maximum number of context lines on each side. With more on one side than on the other, `patch` takes the hunk to
/// be at the end of the file.
const CONTEXT: usize = 3;

/// The head of the hunk, and its lines.
pub(super) fn hunk(suggestion: &Suggestion) -> (String, Vec<Change<'_>>) {
    let [above, below] = &suggestion.context;
    let mut changes: Vec<Change> = above.iter().map(|line| Change::Kept(line)).collect();
    changes.extend(changes_of(&suggestion.block[0], &suggestion.block[1]));
    changes.extend(below.iter().map(|line| Change::Kept(line)));
    let kept = |change: &&Change| matches!(change, Change::Kept(_));
    let surplus = changes.iter().take_while(kept).count().saturating_sub(CONTEXT);
    changes.drain(..surplus);
    let below = changes.iter().rev().take_while(kept).count().saturating_sub(CONTEXT);
    changes.truncate(changes.len() - below);
    let count = |without: fn(&Change) -> bool| changes.iter().filter(|change| !without(change)).count();
    let old = count(|change| matches!(change, Change::Added(_)));
    let new = count(|change| matches!(change, Change::Removed(_)));
    let first = suggestion.first_line as usize - above.len() + surplus;
    (format!("@@ -{first},{old} +{first},{new} @@"), changes)
}

/// The maximum number of pairs of lines that are compared; in longer texts all lines are replaced.
const PAIRS: usize = 1 << 20;

/// All lines of both texts. Equal lines at the beginning and the end, and the longest common subsequence between them,
/// occur once.
fn changes_of<'a>(old: &'a [String], new: &'a [String]) -> Vec<Change<'a>> {
    let equal = |pairs: &mut dyn Iterator<Item = (&String, &String)>| pairs.take_while(|(old, new)| old == new).count();
    let head = equal(&mut old.iter().zip(new));
    let (above, old) = old.split_at(head);
    let new = &new[head..];
    let tail = equal(&mut old.iter().rev().zip(new.iter().rev()));
    let (old, below) = old.split_at(old.len() - tail);
    let new = &new[..new.len() - tail];
    let mut changes: Vec<Change> = above.iter().map(|line| Change::Kept(line)).collect();
    if old.len().saturating_mul(new.len()) > PAIRS {
        changes.extend(old.iter().map(|line| Change::Removed(line)));
        changes.extend(new.iter().map(|line| Change::Added(line)));
    } else {
        changes.extend(common(old, new));
    }
    changes.extend(below.iter().map(|line| Change::Kept(line)));
    changes
}

fn common<'a>(old: &'a [String], new: &'a [String]) -> Vec<Change<'a>> {
    // For each pair of lines, the length of the longest common subsequence of the texts from there on.
    let mut longest = vec![vec![0u32; new.len() + 1]; old.len() + 1];
    for (at, line) in old.iter().enumerate().rev() {
        for (other, new_line) in new.iter().enumerate().rev() {
            longest[at][other] = if line == new_line {
                longest[at + 1][other + 1] + 1
            } else {
                longest[at + 1][other].max(longest[at][other + 1])
            };
        }
    }
    let (mut at, mut other) = (0, 0);
    let mut changes = Vec::new();
    while at < old.len() || other < new.len() {
        if at < old.len() && other < new.len() && old[at] == new[other] {
            changes.push(Change::Kept(&old[at]));
            (at, other) = (at + 1, other + 1);
        } else if other == new.len() || (at < old.len() && longest[at + 1][other] >= longest[at][other + 1]) {
            changes.push(Change::Removed(&old[at]));
            at += 1;
        } else {
            changes.push(Change::Added(&new[other]));
            other += 1;
        }
    }
    changes
}
