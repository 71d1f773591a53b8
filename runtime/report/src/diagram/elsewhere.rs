//! Where the rounds that are not shown were mispredicted: a row of the shown round tells of them, too, if they take a
//! part of the clocks that is worth it.

use super::Node;
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
}

/// Tells the groups of `shown`, one of these `rounds` of a path that take `clocks`, of mispredictions in the others.
pub(super) fn tell(shown: &mut [Node], rounds: &[&[Node]], clocks: u64) {
    // A branch ends its group, wherever the round has the groups before it.
    let mut found: BTreeMap<usize, Elsewhere> = BTreeMap::new();
    for round in rounds {
        for (end, mispredicted) in ends(round).filter(|&(_, clocks)| clocks > 0) {
            let one = found.entry(end).or_insert(Elsewhere {
                rounds: 0,
                of: rounds.len() as u64,
                clocks: [mispredicted; 2],
            });
            one.rounds += 1;
            let [least, most] = one.clocks;
            one.clocks = [least.min(mispredicted), most.max(mispredicted)];
        }
    }
    let mut end = 0;
    for node in shown {
        end += length(node);
        let Node::Group(group) = node else { continue };
        let much = |one: &Elsewhere| {
            let least = one.rounds.saturating_mul(u64::from(one.clocks[0]));
            least.saturating_mul(TOLD) >= clocks
        };
        group.elsewhere = found
            .get(&end)
            .copied()
            .filter(|one| group.mispredicted == 0 && much(one));
    }
}

/// The number of instructions of a round up to the end of each group, with the clocks of its misprediction.
fn ends(round: &[Node]) -> impl Iterator<Item = (usize, u32)> {
    let ends = round.iter().scan(0, |end, node| {
        *end += length(node);
        Some((*end, node))
    });
    ends.filter_map(|(end, node)| match node {
        Node::Group(group) => Some((end, group.mispredicted)),
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
