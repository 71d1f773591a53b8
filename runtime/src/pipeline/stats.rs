//! Statistics of each instruction: executions by pipe, clocks by cause, refusals by reason.

use super::group::{Group, NONE};
use super::schedule::Schedule;
use crate::run::{Cause, CauseCycles, Refusal, Totals};

/// The statistics of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpStats {
    /// Executions in the U pipe.
    pub(crate) u: u64,
    /// Executions in the V pipe.
    pub(crate) v: u64,
    /// Clocks by [`Cause`].
    pub(crate) causes: [u64; Cause::ALL.len()],
    /// The number of times it issued alone in U, by [`Refusal`].
    pub(crate) refusals: [u64; Refusal::ALL.len()],
}

impl Default for OpStats {
    fn default() -> Self {
        OpStats {
            u: 0,
            v: 0,
            causes: [0; Cause::ALL.len()],
            refusals: [0; Refusal::ALL.len()],
        }
    }
}

impl OpStats {
    /// Its part of a run's totals.
    pub(crate) fn totals(&self) -> Totals {
        Totals {
            cycles: self.causes.iter().sum(),
            instructions: self.u + self.v,
            u: self.u,
            v: self.v,
        }
    }

    /// Whether nothing was counted or charged.
    pub(crate) fn is_empty(&self) -> bool {
        let any = |counts: &[u64]| counts.iter().fold(0, |any, count| any | count) > 0;
        self.u | self.v == 0 && !any(&self.causes) && !any(&self.refusals)
    }

    /// How often it was executed.
    pub(crate) fn executions(&self) -> u64 {
        self.u + self.v
    }

    /// Its clocks by cause, without causes that cost nothing.
    pub(crate) fn cause_cycles(&self) -> Vec<CauseCycles> {
        let all = Cause::ALL.iter().zip(self.causes);
        all.filter(|(_, cycles)| *cycles > 0)
            .map(|(&cause, cycles)| CauseCycles { cause, cycles })
            .collect()
    }

    /// How often it issued alone, by reason, without reasons that did not occur.
    pub(crate) fn refusal_counts(&self) -> Vec<(Refusal, u64)> {
        let all = Refusal::ALL.iter().copied().zip(self.refusals);
        all.filter(|(_, count)| *count > 0).collect()
    }

    /// Adds the statistics of another instruction, for an address that was decoded into several blocks.
    pub(crate) fn add(&mut self, other: &OpStats) {
        self.u += other.u;
        self.v += other.v;
        self.causes
            .iter_mut()
            .zip(&other.causes)
            .for_each(|(sum, count)| *sum += count);
        self.refusals
            .iter_mut()
            .zip(&other.refusals)
            .for_each(|(sum, count)| *sum += count);
    }
}

/// Charges the static clocks of a group, `times` times.
pub(crate) fn charge(stats: &mut [OpStats], group: &Group, times: u64) {
    let u = &mut stats[group.u as usize];
    // It wraps, because a repeat that continues subtracts its execution before those of the schedule are charged.
    u.u = u.u.wrapping_add(times);
    u.causes[Cause::Issue as usize] += times;
    let execution = &mut u.causes[Cause::Execution as usize];
    *execution = execution.wrapping_add(times * u64::from(group.u_clocks - 1));
    if let Some(refusal) = group.refusal {
        let count = &mut u.refusals[refusal as usize];
        *count = count.wrapping_add(times);
    }
    if group.v != NONE {
        let v = &mut stats[group.v as usize];
        v.v += times;
        v.causes[Cause::Lockstep as usize] += times * u64::from(group.clocks - group.u_clocks);
    }
}

/// Charges the replays of a schedule since the last call, and resets their number.
pub(crate) fn gather(stats: &mut [OpStats], schedule: &mut Schedule) {
    let times = std::mem::take(&mut schedule.executions);
    if times == 0 {
        return;
    }
    for (group, charged_later) in schedule.groups.iter().zip(&schedule.charged_later) {
        charge(stats, group, times);
        if *charged_later && group.interlock > 0 {
            let cause = interlock_cause(group);
            stats[group.u as usize].causes[cause as usize] += times * u64::from(group.interlock);
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
