//! Where the rounds that are not shown were mispredicted: a row of the shown round tells of them, too, if they take a
//! part of the clocks that is worth it.

use super::{Group, Node};
use p5_results::Cause;
use std::collections::BTreeMap;

/// The part of the clocks of a path from which mispredictions are told: one in so many.
const TOLD: u64 = 20;

/// The rounds of a path in which a branch was mispredicted, though it was not in the round that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elsewhere {
    /// Their number.
    pub(crate) rounds: u64,
    /// The number of all rounds.
    pub(crate) of: u64,
    /// The least and the most clocks that this took.
    pub(crate) clocks: [u32; 2],
    /// Whether in each of them the group before was mispredicted, so that no prediction could be used.
    pub(crate) unreadable: bool,
}

impl Elsewhere {
    fn count(found: &mut BTreeMap<usize, Elsewhere>, at: usize, (clocks, unreadable): (u32, bool), of: usize) {
        let one = found.entry(at).or_insert(Elsewhere {
            rounds: 0,
            of: of as u64,
            clocks: [clocks; 2],
            unreadable,
        });
        one.rounds += 1;
        one.unreadable &= unreadable;
        let [least, most] = one.clocks;
        one.clocks = [least.min(clocks), most.max(clocks)];
    }
}

/// Tells the groups of `shown`, one of these `rounds` of a path that take `clocks`, of mispredictions in the others:
/// those of their branches, and those of groups without one that the predictor took for a branch.
pub(super) fn tell(shown: &mut [Node], rounds: &[&[Node]], clocks: u64) {
    // A branch ends its group, wherever the round has the groups before it.
    let mut found: BTreeMap<usize, Elsewhere> = BTreeMap::new();
    // What meets an entry waits before it issues, and these clocks are those of the group before.
    let mut met: BTreeMap<usize, Elsewhere> = BTreeMap::new();
    let head = shown.first().and_then(|node| match node {
        Node::Group(group) => group.executed[0],
        Node::Loop(_) | Node::Probe(_) => None,
    });
    for round in rounds {
        let length = round.iter().map(length).sum::<usize>();
        for (end, group) in ends(round) {
            if group.mispredicted > 0 {
                let told = (group.mispredicted, group.after_misprediction);
                Elsewhere::count(&mut found, end, told, rounds.len());
            }
            let waited = group
                .after
                .map_or(0, |(clocks, waits)| waits.clocks_of(Cause::Misprediction).min(clocks));
            // After the last group of a round comes the first one of the next round, unless the loop is left.
            let next = match end == length {
                true => (head.is_some() && group.next == head).then_some(0),
                false => Some(end),
            };
            if let Some(next) = next.filter(|_| waited > 0) {
                Elsewhere::count(&mut met, next, (waited, false), rounds.len());
            }
        }
    }
    let much = |one: &Elsewhere| {
        let least = one.rounds.saturating_mul(u64::from(one.clocks[0]));
        least.saturating_mul(TOLD) >= clocks
    };
    let mut end = 0;
    for node in shown {
        let begin = end;
        end += length(node);
        let Node::Group(group) = node else { continue };
        let branch = found.get(&end).copied();
        group.elsewhere = branch.filter(|one| group.mispredicted == 0 && much(one));
        let tells = group.entry_met && group.late > 0;
        group.met_elsewhere = met.get(&begin).copied().filter(|one| !tells && much(one));
    }
}

/// The number of instructions of a round up to the end of each group, with the group.
fn ends(round: &[Node]) -> impl Iterator<Item = (usize, &Group)> {
    let ends = round.iter().scan(0, |end, node| {
        *end += length(node);
        Some((*end, node))
    });
    ends.filter_map(|(end, node)| match node {
        Node::Group(group) => Some((end, &**group)),
        Node::Loop(_) | Node::Probe(_) => None,
    })
}

/// The instructions of a group; a loop and a probe count as one, as rounds of the same path have the same ones.
fn length(node: &Node) -> usize {
    match node {
        Node::Group(group) => 1 + usize::from(group.v.is_some()),
        Node::Loop(_) | Node::Probe(_) => 1,
    }
}
