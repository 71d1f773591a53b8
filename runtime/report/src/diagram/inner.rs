//! Rounds of a loop that take different clocks because a loop inside makes different numbers of rounds.

use super::Node;
use std::collections::BTreeMap;

/// A loop inside whose numbers of rounds decide most of the clocks of the rounds around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inner {
    /// The number of loops before it in a round.
    pub(crate) before: usize,
    /// The least and the most of its rounds, where the round around it takes other clocks than the one shown.
    pub(crate) rounds: [u64; 2],
    /// Whether rounds with equal numbers of its rounds take equal clocks.
    pub(crate) alone: bool,
}

/// The share of the variance of the clocks that is explained by numbers of rounds which decide most of them.
const MOST_OF_VARIANCE: f64 = 0.9;

/// The loop inside `rounds` of one path that decides most of their clocks: of all loops inside only it makes different
/// numbers of rounds, and each round with more of them takes more clocks than each with fewer, or so many do that a
/// line through all explains most of their variance. The first of the rounds, which finds its code and data in memory,
/// may take any clocks. `usual` are the clocks of the round that is shown.
pub(super) fn ordering(rounds: &[&[Node]], usual: u64) -> Option<Inner> {
    let numbers: Vec<Vec<u64>> = rounds.iter().map(|round| self::rounds(round)).collect();
    let first = numbers.first()?;
    let mut varying = (0..first.len()).filter(|&at| numbers.iter().any(|of| of.get(at) != first.get(at)));
    let (Some(before), None) = (varying.next(), varying.next()) else {
        return None;
    };
    let clocks = |round: &[Node]| round.iter().map(Node::cycles).sum::<u64>();
    let told = rounds.iter().zip(&numbers);
    let told = told.map(|(round, of)| Some((*of.get(before)?, clocks(round))));
    let told = told.collect::<Option<Vec<(u64, u64)>>>()?;
    let explains = |told: &[(u64, u64)]| ordered(&ranges(told)) || explained(told) >= MOST_OF_VARIANCE;
    if !explains(&told) && !explains(&told[1..]) {
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
        alone: ranges(&told).values().all(|[least, most]| least == most),
    })
}

/// The rounds of each loop in a round.
pub(super) fn rounds(round: &[Node]) -> Vec<u64> {
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

/// The share of the variance of the clocks that a line through them by number of rounds explains, if more rounds take
/// more clocks.
fn explained(told: &[(u64, u64)]) -> f64 {
    let count = told.len() as f64;
    let mean = |of: fn(&(u64, u64)) -> u64| told.iter().map(|one| of(one) as f64).sum::<f64>() / count;
    let (rounds, clocks) = (mean(|one| one.0), mean(|one| one.1));
    let (mut both, mut of_rounds, mut of_clocks) = (0.0, 0.0, 0.0);
    for one in told {
        let (by_rounds, by_clocks) = (one.0 as f64 - rounds, one.1 as f64 - clocks);
        both += by_rounds * by_clocks;
        of_rounds += by_rounds * by_rounds;
        of_clocks += by_clocks * by_clocks;
    }
    match both > 0.0 {
        true => both * both / (of_rounds * of_clocks),
        false => 0.0,
    }
}

/// Whether there are several numbers of rounds, and more of them always take more clocks.
fn ordered(ranges: &BTreeMap<u64, [u64; 2]>) -> bool {
    let more = ranges.values().zip(ranges.values().skip(1));
    ranges.len() > 1 && more.into_iter().all(|([_, most], [least, _])| most < least)
}
