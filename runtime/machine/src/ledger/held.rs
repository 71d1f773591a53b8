//! The statistics of an instruction as the ledger holds them.
//!
//! Most instructions of a very large program are executed once or a few times. Their statistics are a tenth of the
//! size of [`OpStats`], so that holding them is mostly free.

use p5_results::Cause;
use p5_timing::pipeline::{OpStats, RecentStats};

/// The most causes and refusals of [`Few`].
const CHARGES: usize = 4;

#[derive(Clone, Debug)]
pub(crate) enum Held {
    /// The statistics of few executions with few causes and refusals.
    Few(Few),
    Many(Box<OpStats>),
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Few {
    u: u32,
    v: u32,
    // The numbers of causes and, after all causes, of refusals, each with its count. Unused ones count 0.
    kinds: [u8; CHARGES],
    counts: [u32; CHARGES],
}

impl Held {
    pub(super) fn of(stats: &OpStats) -> Held {
        Few::of(stats).map_or_else(|| Held::Many(Box::new(stats.clone())), Held::Few)
    }

    pub(crate) fn executions(&self) -> u64 {
        match self {
            Held::Few(few) => u64::from(few.u) + u64::from(few.v),
            Held::Many(stats) => stats.executions(),
        }
    }

    pub(crate) fn stats(&self) -> OpStats {
        match self {
            Held::Few(few) => few.stats(),
            Held::Many(stats) => (**stats).clone(),
        }
    }

    pub(super) fn add(&mut self, recent: &RecentStats) {
        match self {
            Held::Few(few) => {
                let mut sum = few.stats();
                sum.add_recent(recent);
                *self = Held::of(&sum);
            }
            Held::Many(sum) => sum.add_recent(recent),
        }
    }
}

impl Few {
    /// Converts `stats` to this form, if they fit.
    fn of(stats: &OpStats) -> Option<Few> {
        let mut few = Few {
            u: u32::try_from(stats.u).ok()?,
            v: u32::try_from(stats.v).ok()?,
            ..Few::default()
        };
        let mut used = 0;
        for (kind, &count) in (0..).zip(stats.causes.iter().chain(&stats.refusals)) {
            if count > 0 {
                *few.counts.get_mut(used)? = u32::try_from(count).ok()?;
                few.kinds[used] = kind;
                used += 1;
            }
        }
        Some(few)
    }

    fn stats(&self) -> OpStats {
        let mut stats = OpStats {
            u: u64::from(self.u),
            v: u64::from(self.v),
            ..OpStats::default()
        };
        for (&kind, &count) in self.kinds.iter().zip(&self.counts) {
            match usize::from(kind).checked_sub(Cause::ALL.len()) {
                None => stats.causes[usize::from(kind)] += u64::from(count),
                Some(refusal) => stats.refusals[refusal] += u64::from(count),
            }
        }
        stats
    }
}

/// Whether an instruction is made of the zeros of empty memory: it has no source line, and no tool has made it.
pub(super) fn is_empty(image: &p5_image::Image, op: &p5_timing::block::Op) -> bool {
    op.length == 2 && op.bytes[..2] == [0; 2] && !image.is_linked(op.address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_results::Refusal;

    /// Statistics with `charges` causes and refusals, each of them `count`.
    fn charged(charges: usize, count: u64) -> OpStats {
        let mut stats = OpStats {
            u: count,
            v: 1,
            ..OpStats::default()
        };
        let all = stats.refusals.iter_mut().rev().zip(stats.causes.iter_mut().rev());
        let all = all.flat_map(|(refusal, cause)| [refusal, cause]);
        all.take(charges).for_each(|one| *one = count);
        stats
    }

    #[test]
    fn what_is_held_is_what_was_counted() {
        assert!(Cause::ALL.len() + Refusal::ALL.len() <= usize::from(u8::MAX));
        for charges in 0..9 {
            for count in [1, 7, u64::from(u32::MAX), u64::from(u32::MAX) + 1] {
                let stats = charged(charges, count);
                let mut held = Held::of(&stats);
                let fits = charges <= CHARGES && u32::try_from(count).is_ok();
                assert_eq!(matches!(held, Held::Few(_)), fits, "{charges} of {count}");
                assert_eq!((held.stats(), held.executions()), (stats.clone(), count + 1));
                let mut recent = RecentStats {
                    u: 2,
                    ..RecentStats::default()
                };
                recent.refusals[1] = 3;
                recent.charge(Cause::Misaligned, 4);
                held.add(&recent);
                let mut sum = stats;
                sum.add(&OpStats::from(&recent));
                assert_eq!(held.stats(), sum);
                assert_eq!(held.executions(), count + 3);
            }
        }
    }
}
