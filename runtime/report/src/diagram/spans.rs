//! The clocks of a group one after another: those that its instructions take, and those that are lost.

use super::Group;
use p5_results::{Cause, CauseCycles};
use std::collections::BTreeMap;

/// Consecutive clocks with one use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) clocks: u32,
    /// Whether the group still executes; otherwise the next group waits.
    pub(crate) executing: bool,
    pub(crate) spent: Spent,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spent {
    /// The group's instructions take these clocks by the timing table.
    Own,
    /// The clocks are lost for this cause.
    Lost(Cause),
    /// The clocks are lost for other causes than the main one, whose clocks precede them.
    Others,
}

impl Spent {
    /// The name of the cause of lost clocks.
    pub(crate) fn lost(self) -> Option<&'static str> {
        match self {
            Spent::Own => None,
            Spent::Lost(cause) => Some(cause.name()),
            Spent::Others => Some("other causes"),
        }
    }
}

impl Group {
    /// The cause that its own clocks beyond the issue are charged to.
    pub(crate) fn goes_on(&self) -> Cause {
        match self.delivery {
            true => Cause::Interrupt,
            false => Cause::Execution,
        }
    }

    /// The uses of its clocks; they add up to `cycles`.
    pub(crate) fn spans(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        let mut left = self.cycles;
        let mut take = |clocks: u32, executing: bool, spent: Spent| {
            let clocks = clocks.min(left);
            left -= clocks;
            if clocks > 0 {
                spans.push(Span {
                    clocks,
                    executing,
                    spent,
                });
            }
        };
        let part = |clocks: u32, main: CauseCycles| u32::try_from(main.cycles).unwrap_or(u32::MAX).min(clocks);
        take(self.own, true, Spent::Own);
        if let Some(main) = self.slowed {
            let part = part(self.longer, main);
            take(part, true, Spent::Lost(main.cause));
            take(self.longer - part, true, Spent::Others);
        }
        take(self.mispredicted, false, Spent::Lost(Cause::Misprediction));
        if let Some((clocks, main)) = self.after {
            let part = part(clocks, main);
            take(part, false, Spent::Lost(main.cause));
            take(clocks - part, false, Spent::Others);
        }
        take(u32::MAX, false, Spent::Others);
        spans
    }
}

/// The clocks of groups by cause, and the clocks lost for lesser causes. Of a group's clocks by the timing table, the
/// first one is its issue, and those that V takes after U has ended are its lockstep.
pub(crate) fn clocks_by_cause(groups: &[Group]) -> (BTreeMap<Cause, u64>, u64) {
    let (mut causes, mut others) = (BTreeMap::new(), 0);
    let spans = groups
        .iter()
        .flat_map(|group| group.spans().into_iter().map(move |span| (group, span)));
    for (group, span) in spans {
        let clocks = u64::from(span.clocks);
        let mut add = |cause, clocks| *causes.entry(cause).or_default() += clocks;
        match span.spent {
            Spent::Own => {
                let of_u = u64::from(group.own_of_u).clamp(1, clocks);
                add(Cause::Issue, 1);
                add(group.goes_on(), of_u - 1);
                add(Cause::Lockstep, clocks - of_u);
            }
            Spent::Lost(cause) => add(cause, clocks),
            Spent::Others => others += clocks,
        }
    }
    (causes, others)
}
