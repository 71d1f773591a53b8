//! Statistics of each instruction: executions by pipe, clocks by cause, refusals by reason.

use crate::pipeline::group::{Group, NONE};
use p5_results::{Cause, CauseCycles, Refusal, RunSummary, Totals};

/// The statistics of one instruction over a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpStats {
    /// The number of executions in the U pipe.
    pub u: u64,
    /// The number of executions in the V pipe.
    pub v: u64,
    /// Clocks by [`Cause`].
    pub causes: [u64; Cause::ALL.len()],
    /// The number of times it issued alone in U, by [`Refusal`].
    pub refusals: [u64; Refusal::ALL.len()],
}

/// The statistics of one instruction since they were last taken, at most `RECENT` clocks ago. They are small,
/// because code that is executed once makes more of them than a cache holds. A count may be negative for a while,
/// because a repeat that continues subtracts clocks that are charged with its schedule later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentStats {
    /// The number of issues to the U pipe.
    pub u: i32,
    /// The number of issues to the V pipe.
    pub v: i32,
    /// The clocks lost before and during it, by [`Cause`].
    pub causes: [i32; Cause::ALL.len()],
    /// The number of times it issued alone in U, by [`Refusal`].
    pub refusals: [i32; Refusal::ALL.len()],
}

/// The clocks after which statistics have to be taken, before one of their counts can overflow.
pub(crate) const RECENT: u64 = 1 << 30;

impl RecentStats {
    /// The clocks that the row of the timing table gives.
    pub fn of_row(&self) -> i64 {
        let causes = Cause::ALL.iter().zip(&self.causes);
        let of_row = causes.filter(|(cause, _)| cause.is_of_row());
        of_row.map(|(_, &clocks)| i64::from(clocks)).sum()
    }

    /// The sum of its clocks over all causes.
    pub fn clocks(&self) -> i64 {
        self.causes.iter().map(|&clocks| i64::from(clocks)).sum()
    }

    /// Adds `clocks` to the clocks of a cause.
    #[inline(always)]
    pub fn charge(&mut self, cause: Cause, clocks: u64) {
        self.causes[cause as usize] += clocks as i32;
    }

    /// Charges an execution that takes `clocks` instead of the `expected` ones.
    #[inline(always)]
    pub(in crate::pipeline) fn correct(&mut self, clocks: u32, expected: u32) {
        self.causes[Cause::Execution as usize] += clocks as i32 - expected as i32;
    }

    /// Charges the clocks of an execution beyond its issue to the delivery of an interrupt.
    #[cold]
    pub(in crate::pipeline) fn delivers(&mut self, clocks: u32) {
        let clocks = clocks as i32 - 1;
        self.causes[Cause::Execution as usize] -= clocks;
        self.causes[Cause::Interrupt as usize] += clocks;
    }

    /// Takes back an execution in U that the schedule charges, because the instruction continues.
    pub(in crate::pipeline) fn continues(&mut self, refusal: Option<Refusal>) {
        self.u -= 1;
        if let Some(refusal) = refusal {
            self.refusals[refusal as usize] -= 1;
        }
    }

    /// Whether nothing was counted or charged.
    pub fn is_empty(&self) -> bool {
        let any = |counts: &[i32]| counts.iter().fold(0, |any, count| any | count) != 0;
        self.u | self.v == 0 && !any(&self.causes) && !any(&self.refusals)
    }

    /// The number of executions in both pipes.
    pub fn executions(&self) -> u64 {
        i64::from(self.u + self.v) as u64
    }
}

impl From<&RecentStats> for OpStats {
    fn from(recent: &RecentStats) -> OpStats {
        let mut stats = OpStats::default();
        stats.add_recent(recent);
        stats
    }
}

impl OpStats {
    /// Its contribution to the totals of the run.
    pub fn totals(&self) -> Totals {
        Totals {
            cycles: self.causes.iter().sum(),
            instructions: self.u + self.v,
            u: self.u,
            v: self.v,
        }
    }

    /// Adds its contribution to the totals of a run, as of the library if `library` is set.
    pub fn add_to(&self, run: &mut RunSummary, library: bool) {
        run.add(&self.totals(), &self.causes, library);
    }

    /// The number of executions in both pipes.
    pub fn executions(&self) -> u64 {
        self.u + self.v
    }

    /// The clocks that the row of the timing table gives.
    pub fn of_row(&self) -> u64 {
        let causes = Cause::ALL.iter().zip(&self.causes);
        causes
            .filter(|(cause, _)| cause.is_of_row())
            .map(|(_, clocks)| clocks)
            .sum()
    }

    /// Its clocks by cause, without causes that cost nothing.
    pub fn cause_cycles(&self) -> Vec<CauseCycles> {
        let all = Cause::ALL.iter().zip(self.causes);
        all.filter(|(_, cycles)| *cycles > 0)
            .map(|(&cause, cycles)| CauseCycles { cause, cycles })
            .collect()
    }

    /// The number of times it issued alone, by reason, without reasons that did not occur.
    pub fn refusal_counts(&self) -> Vec<(Refusal, u64)> {
        let all = Refusal::ALL.iter().copied().zip(self.refusals);
        all.filter(|(_, count)| *count > 0).collect()
    }

    /// Adds the statistics of another instruction.
    pub fn add(&mut self, other: &OpStats) {
        let sums = self.causes.iter_mut().chain(&mut self.refusals);
        let counts = other.causes.iter().chain(&other.refusals);
        sums.zip(counts).for_each(|(sum, count)| *sum += count);
        self.u += other.u;
        self.v += other.v;
    }

    /// Adds further statistics of the same instruction.
    pub fn add_recent(&mut self, recent: &RecentStats) {
        let add = |sum: &mut u64, count: i32| *sum = sum.wrapping_add_signed(count.into());
        add(&mut self.u, recent.u);
        add(&mut self.v, recent.v);
        let causes = self.causes.iter_mut().zip(&recent.causes);
        causes.for_each(|(sum, &count)| add(sum, count));
        let refusals = self.refusals.iter_mut().zip(&recent.refusals);
        refusals.for_each(|(sum, &count)| add(sum, count));
    }
}

/// Charges the static clocks of a group, `times` times.
pub(crate) fn charge(stats: &mut [RecentStats], group: &Group, times: u64) {
    let u = &mut stats[group.u as usize];
    u.u += times as i32;
    u.charge(Cause::Issue, times);
    u.charge(Cause::Execution, times * u64::from(group.u_clocks - 1));
    if let Some(refusal) = group.refusal {
        u.refusals[refusal as usize] += times as i32;
    }
    if group.v != NONE {
        let v = &mut stats[group.v as usize];
        v.v += times as i32;
        v.charge(Cause::Lockstep, times * u64::from(group.clocks - group.u_clocks));
    }
}

/// Charges groups that a schedule has replayed `times` times.
pub(crate) fn charge_replayed(stats: &mut [RecentStats], groups: &[Group], times: u64) {
    for group in groups {
        charge(stats, group, times);
        if group.charged_later && group.interlock > 0 {
            let clocks = times * u64::from(group.interlock);
            stats[group.u as usize].charge(interlock_cause(group), clocks);
        }
    }
}

/// The cause charged when a group waits for a register.
pub(crate) fn interlock_cause(group: &Group) -> Cause {
    if group.stalled_addresses > 0 {
        Cause::Agi
    } else if group.after_exchange {
        Cause::FloatingPoint
    } else {
        Cause::Execution
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_repeat_subtracts_is_charged_later() {
        let mut first = RecentStats::default();
        first.correct(0, 13);
        first.continues(Some(Refusal::FirstNotPairable));
        assert!(!first.is_empty());
        let mut sum = OpStats::from(&first);
        let mut second = RecentStats {
            u: 2,
            ..RecentStats::default()
        };
        second.charge(Cause::Execution, 20);
        second.refusals[Refusal::FirstNotPairable as usize] = 2;
        sum.add_recent(&second);
        assert_eq!(sum.executions(), 1);
        assert_eq!(sum.totals().cycles, 7);
        assert_eq!(sum.refusal_counts(), [(Refusal::FirstNotPairable, 1)]);
    }
}
