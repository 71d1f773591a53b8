//! The cost of each fence on this machine, and the cheapest one that orders.

use super::fence::{Fence, first, second};
use super::{Features, chain, ticks_of};
use crate::{Reason, Unavailable};
use core::sync::atomic::{AtomicU8, Ordering};

/// The cost of a fence on this machine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FenceCost {
    /// The fence whose cost this is.
    pub fence: Fence,
    /// The ticks of an empty pair in a series of them: the smallest mean of several series.
    pub ticks: f64,
    /// Whether a read waits for a chain of additions before it. This is measured, except for CPUID, whose own duration
    /// varies by far more and which the architecture defines as serialising.
    pub orders: bool,
}

/// The number of the fence that [`Fence::here`] chose; 0 until its first call.
static HERE: AtomicU8 = AtomicU8::new(0);

impl Fence {
    /// The cheapest fence that orders on this machine. The first call determines it in less than a millisecond.
    #[inline]
    pub fn here() -> Fence {
        match HERE.load(Ordering::Relaxed) {
            1 => Fence::Lfence,
            2 => Fence::Rdtscp,
            3 => Fence::Cpuid,
            _ => choose(),
        }
    }

    /// Measures the cost of this fence and whether it orders. Takes a few hundred microseconds, possibly more for
    /// CPUID.
    ///
    /// # Errors
    /// [`Reason::NoRdtscp`] for [`Fence::Rdtscp`] on a processor without it, where it would fault.
    pub fn cost(self) -> Result<FenceCost, Unavailable> {
        if self == Fence::Rdtscp && !Features::of_this_processor().rdtscp {
            return Err(Unavailable(Reason::NoRdtscp));
        }
        Ok(self.measured_cost())
    }

    fn measured_cost(self) -> FenceCost {
        let (series, pairs): (u32, u32) = match self {
            Fence::Cpuid => (3, 4),
            _ => (20, 200),
        };
        let mut least = u64::MAX;
        for _ in 0..series {
            let begun = first(Fence::Lfence);
            for _ in 0..pairs {
                let start = first(self);
                core::hint::black_box(second(self).ticks.wrapping_sub(start.ticks));
            }
            least = least.min(second(Fence::Lfence).ticks.wrapping_sub(begun.ticks));
        }
        FenceCost {
            fence: self,
            ticks: least as f64 / f64::from(pairs),
            orders: self.orders(least / u64::from(pairs)),
        }
    }

    /// Whether the second read waits for the region: a longer chain must take longer. Both chains fit into the
    /// out-of-order window of a processor, so an unordered read does not see them. `empty` is the cost of an empty pair
    /// in ticks: about a thousand if a hypervisor handles RDTSC.
    fn orders(self, empty: u64) -> bool {
        const ROUNDS: u32 = 1024;
        if self == Fence::Cpuid {
            return true;
        }
        let mut total = [0u64; 2];
        for _ in 0..ROUNDS {
            for (sum, half) in total.iter_mut().zip([true, false]) {
                // Bounds the effect of an interruption.
                *sum += ticks_of(self, || chain::short(half)).min(empty + 1000);
            }
        }
        let longer = total[1] as f64 - total[0] as f64;
        let expected = f64::from(chain::SHORT) / 2.0 / chain::core_clocks_per_tick() * f64::from(ROUNDS);
        longer > expected / 2.0
    }
}

/// Finds the cheapest fence that orders, and stores it.
#[cold]
#[inline(never)]
fn choose() -> Fence {
    let mut best: Option<FenceCost> = None;
    for fence in [Fence::Lfence, Fence::Rdtscp] {
        if let Ok(cost) = fence.cost()
            && cost.orders
            && best.is_none_or(|best| cost.ticks < best.ticks)
        {
            best = Some(cost);
        }
    }
    let fence = best.map_or(Fence::Cpuid, |best| best.fence);
    HERE.store(fence as u8, Ordering::Relaxed);
    fence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_orders_and_is_no_dearer_than_the_others_that_do() {
        let here = Fence::here();
        assert_ne!(here, Fence::None);
        assert_eq!(here, Fence::here());
        // Several tries, because other programs may share the processor.
        let mut seen = Vec::new();
        for _ in 0..10 {
            let cost = here.cost().expect("the default exists");
            let others = [Fence::Lfence, Fence::Rdtscp].map(Fence::cost);
            let cheaper = |other: &FenceCost| other.orders && cost.ticks >= other.ticks * 1.25 + 8.0;
            if cost.orders && !others.iter().flatten().any(cheaper) {
                return;
            }
            seen.push((cost, others));
        }
        panic!("{seen:?}");
    }

    #[test]
    fn a_bare_read_does_not_order() {
        let mut seen = Vec::new();
        for _ in 0..10 {
            let cost = Fence::None.cost().expect("every processor has it");
            if cost.ticks > 500.0 {
                eprintln!("skipped: {} ticks per read, so a hypervisor handles RDTSC", cost.ticks);
                return;
            }
            if !cost.orders {
                return;
            }
            seen.push(cost);
        }
        panic!("{seen:?}");
    }
}
