//! Rounds of a loop that take different clocks because a loop inside makes different numbers of rounds.

use super::Node;
use std::collections::BTreeMap;

/// A loop inside whose numbers of rounds order the clocks of the rounds around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inner {
    /// The number of loops before it in a round.
    pub(crate) before: usize,
    /// The least and the most of its rounds, where the round around it takes other clocks than the one shown.
    pub(crate) rounds: [u64; 2],
    /// Whether rounds with equal numbers of its rounds take equal clocks.
    pub(crate) alone: bool,
}

/// The loop inside `rounds` of one path that orders their clocks: of all loops inside only it makes different numbers
/// of rounds, and each round with more of them takes more clocks than each with fewer. The first of the rounds, which
/// finds its code and data in memory, may take any clocks. `usual` are the clocks of the round that is shown.
pub(super) fn ordering(rounds: &[&[Node]], usual: u64) -> Option<Inner> {
    let numbers: Vec<Vec<u64>> = rounds.iter().map(|round| inner_rounds(round)).collect();
    let first = numbers.first()?;
    let mut varying = (0..first.len()).filter(|&at| numbers.iter().any(|of| of.get(at) != first.get(at)));
    let (Some(before), None) = (varying.next(), varying.next()) else {
        return None;
    };
    let clocks = |round: &[Node]| round.iter().map(Node::cycles).sum::<u64>();
    let told = rounds.iter().zip(&numbers);
    let told = told.map(|(round, of)| Some((*of.get(before)?, clocks(round))));
    let told = told.collect::<Option<Vec<(u64, u64)>>>()?;
    let all = ranges(&told);
    if !ordered(&all) && !ordered(&ranges(&told[1..])) {
        return None;
    }
    let others = || {
        told.iter()
            .filter(|(_, clocks)| *clocks != usual)
            .map(|(rounds, _)| *rounds)
    };
    Some(Inner {
        before,
        rounds: [others().min()?, others().max()?],
        alone: all.values().all(|[least, most]| least == most),
    })
}

/// The rounds of each loop in a round.
fn inner_rounds(round: &[Node]) -> Vec<u64> {
    let rounds = round.iter().filter_map(|node| match node {
        Node::Loop(inner) => Some(inner.rounds + u64::from(inner.entered_in_v)),
        Node::Group(_) | Node::Probe(_) => None,
    });
    rounds.collect()
}

/// The least and the most clocks by number of rounds.
fn ranges(told: &[(u64, u64)]) -> BTreeMap<u64, [u64; 2]> {
    let mut ranges: BTreeMap<u64, [u64; 2]> = BTreeMap::new();
    for &(rounds, clocks) in told {
        let [least, most] = ranges.entry(rounds).or_insert([clocks; 2]);
        (*least, *most) = (clocks.min(*least), clocks.max(*most));
    }
    ranges
}

/// Whether there are several numbers of rounds, and more of them always take more clocks.
fn ordered(ranges: &BTreeMap<u64, [u64; 2]>) -> bool {
    let more = ranges.values().zip(ranges.values().skip(1));
    ranges.len() > 1 && more.into_iter().all(|([_, most], [least, _])| most < least)
}
