//! Why a line took its clocks, in words.

use super::{Sum, share};
use p5_results::{Cause, Refusal};

/// The fewest clocks per execution that three decimals can show. Fewer are not named as a reason, even if there is no
/// other.
const UNSHOWABLE: f64 = 0.0005;
/// The share of the executions of a line's instructions below which a reason is named only if there is no other.
const WORTH_NAMING: f64 = 0.05;
/// How many times what a cause took the line's own work takes, for it to be named instead.
const TIMES_A_SMALL_CAUSE: u64 = 10;
/// The addition to a misprediction of an instruction that is no branch.
const MET: &str = " (the predictor took it for a branch)";

impl Sum {
    /// How many mispredictions of how many executions there were, if they were counted and there were any.
    pub(crate) fn mispredicted(&self) -> Option<(u64, u64)> {
        self.mispredicted.filter(|&(wrong, _)| wrong > 0)
    }

    /// Replaces each figure by what `share` makes of it.
    pub(super) fn map(&self, share: impl Fn(u64) -> u64) -> Sum {
        Sum {
            executions: share(self.executions),
            cycles: share(self.cycles),
            u: share(self.u),
            v: share(self.v),
            causes: self
                .causes
                .iter()
                .map(|(&cause, &clocks)| (cause, share(clocks)))
                .collect(),
            refusals: self
                .refusals
                .iter()
                .map(|(&refusal, &count)| (refusal, share(count)))
                .collect(),
            ..Sum::default()
        }
    }

    /// Whether it lost clocks to a misprediction without containing a branch: it met an earlier branch's entry.
    pub(crate) fn met_entry(&self) -> bool {
        !self.branches && self.spent(Cause::Misprediction) > 0
    }

    /// The causes of the line's waits, the largest first and at most this many, with the clocks per execution of the
    /// line, and the most frequent reason for not pairing, with its share of the executions of the line's instructions.
    /// Where the executions of the line are not known, those of its instructions stand for them; where the compiler may
    /// have copied it, the causes are without figures.
    ///
    /// If one of the two concerns few executions, only the other is named; a pair that did not form counts as one
    /// clock. Small causes are named only if there is no other, and the line's own work only if it is the only cause,
    /// took more than those named, or ten times what one of them took, which it then replaces.
    pub(crate) fn reason(&self, most: usize) -> String {
        let executions = self.executions.max(1) as f64;
        let times = self.times.unwrap_or(self.executions).max(1) as f64;
        let stalls = self.causes.iter().filter(|&(&cause, &cycles)| {
            cause != Cause::Issue && cycles > 0 && cycles as f64 >= UNSHOWABLE * executions
        });
        // Avoidable clocks precede those that the instruction takes anyway. Equal causes keep the order of the list.
        let avoidable =
            |cause: Cause, cycles: u64| cause != Cause::Execution && cycles as f64 >= WORTH_NAMING * executions;
        let mut stalls: Vec<(Cause, u64)> = stalls.map(|(&cause, &cycles)| (cause, cycles)).collect();
        stalls.sort_by_key(|&(cause, cycles)| std::cmp::Reverse((avoidable(cause, cycles), cycles)));
        let further = stalls
            .iter()
            .take(most)
            .skip(1)
            .take_while(|&&(cause, cycles)| avoidable(cause, cycles));
        let mut named: Vec<(Cause, u64)> = stalls.first().into_iter().chain(further).copied().collect();
        // What it takes anyway is named as well where that is more than all the others.
        let own = stalls.iter().find(|&&(cause, _)| cause == Cause::Execution);
        let others: u64 = named.iter().map(|&(_, cycles)| cycles).sum();
        if let Some(&own) = own.filter(|&&(cause, cycles)| cycles > others && named.iter().all(|one| one.0 != cause)) {
            named.truncate(most.saturating_sub(1).max(1));
            named.push(own);
        } else if let Some(&own) = own.filter(|&&(cause, cycles)| {
            let most_of_one = cycles / TIMES_A_SMALL_CAUSE;
            named.iter().all(|one| one.0 != cause) && named.iter().any(|one| one.1 < most_of_one)
        }) {
            named.retain(|one| one.1 >= own.1 / TIMES_A_SMALL_CAUSE);
            named.truncate(most.saturating_sub(1).max(1));
            named.push(own);
            named.sort_by_key(|&(_, cycles)| std::cmp::Reverse(cycles));
        }
        let stall = stalls.first().map(|first| {
            let named = named.iter().map(|&(cause, cycles)| {
                let each = cycles as f64 / times;
                let digits = if each < 0.095 { 3 } else { 1 };
                let counted = self.mispredicted().filter(|_| cause == Cause::Misprediction);
                let mut why = counted.map_or_else(String::new, |(wrong, of)| format!(" ({wrong} of {of})"));
                if cause == Cause::Misprediction && self.met_entry() {
                    why += MET;
                }
                match self.most_times {
                    Some(_) => format!("{}{why}", self.cause_name(cause)),
                    None => format!("{} {each:.digits$}{why}", self.cause_name(cause)),
                }
            });
            let each = first.1 as f64 / times;
            (each, named.collect::<Vec<_>>().join("; "))
        });
        let refused = self.refusals.iter().filter(|&(_, &count)| count > 0);
        let refusal = refused
            .rev()
            .max_by_key(|&(_, &count)| count)
            .map(|(&refusal, &count)| {
                let of_all = count as f64 / executions;
                let part = if of_all < 0.995 {
                    format!(" {}", share(of_all))
                } else {
                    String::new()
                };
                // A taken branch and the end of the program cost no pair, so any stall is more important.
                let harmless = matches!(refusal, Refusal::TakenBranch | Refusal::LastInstruction);
                let lost = count as f64 / times;
                (
                    if harmless { 0.0 } else { lost },
                    of_all,
                    format!("{}{part}", self.refusal_name(refusal)),
                )
            });
        match (stall, refusal) {
            (None, None) => String::new(),
            (Some((_, only)), None) | (None, Some((_, _, only))) => only,
            (Some((each, stall)), Some((lost, share, refusal))) => {
                let negligible = each.min(share) < WORTH_NAMING;
                match (!negligible, each >= lost) {
                    (true, _) => format!("{stall}; {refusal}"),
                    (false, true) => stall,
                    (false, false) => refusal,
                }
            }
        }
    }
}
