//! Full traces that are kept until one of them is shown: of most issues only what sets them apart.
//!
//! Modelled: nothing. A long run has dozens of traces, of which a report shows one, and few of their instructions wait
//! for anything: what an issue is beside its address, code, clock and pipe is kept for those alone. Not modelled: which
//! trace is shown, which the clocks of the whole run decide.

use super::traced::Traced;
use p5_results::{Pipe, Refusal};

/// A full trace.
#[derive(Clone, Debug, Default)]
pub struct KeptTrace {
    issues: Vec<BriefIssue>,
    // The issues that were more than this says, by their numbers.
    whole: Vec<(u32, Traced)>,
}

/// What is kept of each issue.
#[derive(Clone, Copy, Debug)]
pub struct BriefIssue {
    /// The instruction's address.
    pub address: u32,
    /// The absolute clock of its issue.
    pub clock: u64,
    /// The pipe of the issue.
    pub pipe: Pipe,
    /// Whether the instruction is a near jump, which a call or a return is not.
    pub jumps: bool,
    bytes: [u8; 15],
    refusal: Option<Refusal>,
}

impl KeptTrace {
    /// Keeps `trace`.
    pub fn of(trace: &[Traced]) -> KeptTrace {
        let issues: Vec<BriefIssue> = trace.iter().map(BriefIssue::of).collect();
        let numbered = (0..).zip(issues.iter().zip(trace));
        let whole = numbered
            .filter(|(_, (brief, traced))| brief.traced() != **traced)
            .map(|(number, (_, traced))| (number, *traced))
            .collect();
        KeptTrace { issues, whole }
    }

    /// Its issues.
    pub fn issues(&self) -> &[BriefIssue] {
        &self.issues
    }

    /// The trace as it was, from issue number `start` on.
    pub fn from(&self, start: usize) -> Vec<Traced> {
        let mut trace: Vec<Traced> = self.issues.iter().map(BriefIssue::traced).collect();
        for &(number, traced) in &self.whole {
            trace[number as usize] = traced;
        }
        trace.split_off(start)
    }
}

impl BriefIssue {
    fn of(traced: &Traced) -> BriefIssue {
        BriefIssue {
            address: traced.address,
            clock: traced.clock,
            pipe: traced.pipe,
            jumps: traced.jumps,
            bytes: traced.bytes,
            refusal: traced.refusal,
        }
    }

    /// The issue, if it was no more than this.
    fn traced(&self) -> Traced {
        Traced {
            pipe: self.pipe,
            jumps: self.jumps,
            refusal: self.refusal,
            ..Traced::plain(self.address, self.bytes, self.clock)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_results::{Cause, WaitCauses};

    #[test]
    fn a_kept_trace_is_the_trace_that_it_was() {
        let plain = Traced::plain(0x1000, [0x90; 15], 5);
        let waited = Traced {
            late: 3,
            waited: WaitCauses::of(Cause::Agi, 3),
            ..plain
        };
        let jump = Traced {
            jumps: true,
            pipe: Pipe::V,
            ..plain
        };
        let trace = [plain, waited, jump, waited];
        let kept = KeptTrace::of(&trace);
        assert_eq!(kept.whole.len(), 2, "those that waited");
        assert_eq!(kept.from(0), trace);
        assert_eq!(kept.from(3), [waited]);
        assert!(kept.issues()[2].jumps);
    }
}
