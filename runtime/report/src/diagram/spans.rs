//! The clocks of a group one after another: those that its instructions take, and those that are lost.

use super::Group;
use p5_results::{Cause, WaitCauses};
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
    /// The clocks are lost for further causes, which a trace does not name.
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
        let mut uses = vec![(self.own, true, Spent::Own)];
        uses.extend(lost(self.longer, self.slowed).map(|(clocks, spent)| (clocks, true, spent)));
        uses.push((self.mispredicted, false, Spent::Lost(Cause::Misprediction)));
        let after = self.after.into_iter().flat_map(|(clocks, waits)| lost(clocks, waits));
        uses.extend(after.map(|(clocks, spent)| (clocks, false, spent)));
        uses.push((u32::MAX, false, Spent::Others));
        let mut spans = Vec::new();
        let mut left = self.cycles;
        for (clocks, executing, spent) in uses {
            let clocks = clocks.min(left);
            left -= clocks;
            if clocks > 0 {
                spans.push(Span {
                    clocks,
                    executing,
                    spent,
                });
            }
        }
        spans
    }
}

/// The clocks of a wait one cause after another, that of the most clocks first.
fn lost(mut clocks: u32, waits: WaitCauses) -> impl Iterator<Item = (u32, Spent)> {
    let mut spent = Vec::new();
    for one in waits.by_size() {
        let part = u32::try_from(one.cycles).unwrap_or(u32::MAX).min(clocks);
        spent.push((part, Spent::Lost(one.cause)));
        clocks -= part;
    }
    spent.push((clocks, Spent::Others));
    spent.into_iter()
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
