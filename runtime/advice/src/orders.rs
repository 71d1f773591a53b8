//! The search for the order that takes the fewest clocks: it tries all legal orders if there are few. Otherwise it
//! composes orders from their beginnings, and then moves instructions of the best one for as long as that saves clocks.

use super::Dependences;
use super::dependences::Placed;

mod beginnings;
mod moves;

/// The maximum length of straight code that is ordered, in instructions.
pub const MOST_INSTRUCTIONS: usize = 64;

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best orders with their clocks, the best first; among equal ones, the one that was tried first. The original
    /// is not included.
    pub orders: Vec<(u64, Vec<usize>)>,
    /// The clocks of the original order.
    pub original: u64,
    /// The number of orders that were tried, including the original.
    pub tried: u64,
    /// Whether all legal orders were tried.
    pub all: bool,
}

/// The `keep` best legal orders that are better than the original. At most `limit` orders are tried, and as many
/// of their beginnings as take as long. `clocks` returns the clocks of these instructions in this order, which are all
/// of them or only some; its `None` ends the search.
pub fn best_orders(
    dependences: &Dependences,
    limit: u64,
    keep: usize,
    clocks: &mut dyn FnMut(&[usize]) -> Option<u64>,
) -> Option<Found> {
    let original: Vec<usize> = (0..dependences.len()).collect();
    let mut search = Search {
        dependences,
        limit,
        keep,
        clocks,
        found: Found {
            orders: Vec::new(),
            original: 0,
            tried: 0,
            all: false,
        },
    };
    search.found.original = search.try_order(&original)?;
    let mut counted = Counted::default();
    search.count(&Placed::NOTHING, &mut counted);
    if !search.are_too_many(&counted) {
        search.found.tried = 0;
        search.visit(Placed::NOTHING, &mut Vec::with_capacity(original.len()))?;
        search.found.all = true;
    } else {
        for order in search.composed()? {
            if search.found.tried < limit {
                search.try_order(&order)?;
            }
        }
        let best = search
            .found
            .orders
            .first()
            .filter(|(clocks, _)| *clocks < search.found.original);
        let (clocks, order) = best.cloned().unwrap_or((search.found.original, original));
        let (clocks, order) = search.climb(clocks, order)?;
        search.wander(clocks, order)?;
    }
    let Search { mut found, .. } = search;
    let before = found.original;
    found.orders.retain(|(clocks, _)| *clocks < before);
    Some(found)
}

/// The numbers of legal orders and of their beginnings. Not every beginning can be continued.
#[derive(Default)]
struct Counted {
    orders: u64,
    beginnings: u64,
}

struct Search<'a> {
    dependences: &'a Dependences,
    limit: u64,
    keep: usize,
    clocks: &'a mut dyn FnMut(&[usize]) -> Option<u64>,
    found: Found,
}

impl Search<'_> {
    /// Counts the legal orders that begin as `placed`, until there are too many of them.
    fn count(&self, placed: &Placed, counted: &mut Counted) {
        let all = self.dependences.len();
        counted.beginnings += 1;
        if placed.done.count_ones() as usize == all {
            counted.orders += 1;
            return;
        }
        for index in (0..all).filter(|&index| self.dependences.may_follow(placed, index)) {
            if self.are_too_many(counted) {
                return;
            }
            let mut longer = *placed;
            self.dependences.place(&mut longer, index);
            self.count(&longer, counted);
        }
    }

    /// Whether there are too many orders to try all of them. If every beginning can be continued, `limit` orders have
    /// at most this many beginnings.
    fn are_too_many(&self, counted: &Counted) -> bool {
        let beginnings = (self.dependences.len() as u64 + 1).saturating_mul(self.limit.saturating_add(1));
        counted.orders > self.limit || counted.beginnings > beginnings
    }

    /// Tries all legal orders that begin as `order`, in lexicographic order.
    fn visit(&mut self, placed: Placed, order: &mut Vec<usize>) -> Option<()> {
        let all = self.dependences.len();
        if order.len() == all {
            self.try_order(order)?;
            return Some(());
        }
        for index in 0..all {
            if self.dependences.may_follow(&placed, index) {
                let mut longer = placed;
                self.dependences.place(&mut longer, index);
                order.push(index);
                self.visit(longer, order)?;
                order.pop();
            }
        }
        Some(())
    }

    /// Computes the clocks of an order, and keeps the order if it is one of the best.
    fn try_order(&mut self, order: &[usize]) -> Option<u64> {
        self.found.tried += 1;
        let clocks = (self.clocks)(order)?;
        let orders = &mut self.found.orders;
        let place = orders.partition_point(|(other, _)| *other <= clocks);
        let moved = order.iter().enumerate().any(|(place, &index)| place != index);
        if place < self.keep && moved && !orders.iter().any(|(_, other)| other == order) {
            orders.insert(place, (clocks, order.to_vec()));
            orders.truncate(self.keep);
        }
        Some(clocks)
    }
}
