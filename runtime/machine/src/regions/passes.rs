//! The passes of a region that are kept, and the traced one.

use super::{Issue, Passes};
use p5_results::{Beyond, PASS_CAPACITY, Pass, Pipe, WaitCauses};
use p5_timing::pipeline::Traced;

impl Passes {
    /// Keeps a pass. If there is no room for all passes, those of each run are kept at equal distances.
    pub(super) fn keep(&mut self, pass: Pass) {
        let number = self.of_run;
        self.count += 1;
        self.last = Some(pass);
        self.of_run += 1;
        if !number.is_multiple_of(self.stride) {
            return;
        }
        if self.passes.len() >= PASS_CAPACITY {
            self.thin_out();
            if !number.is_multiple_of(self.stride) {
                return;
            }
        }
        self.passes.push(pass);
    }

    /// Removes every second pass of each run.
    fn thin_out(&mut self) {
        self.stride *= 2;
        let (mut run, mut number) = (None, 0_u64);
        self.passes.retain(|pass| {
            if run.replace(pass.run) != Some(pass.run) {
                number = 0;
            }
            number += 1;
            number % 2 == 1
        });
    }

    /// Keeps the part of `trace` from the region's first instruction up to the first one after it, which issued at
    /// `first` and `after`; without `after` up to the end of the run. If the trace ended early because it was full,
    /// `beyond` has the known data of the rest.
    pub(super) fn trace_of(&mut self, trace: &[Traced], first: Issue, after: Option<Issue>, beyond: Option<Beyond>) {
        let place = |issue: Issue| {
            let mut issues = trace.iter();
            issues.position(|one| one.clock == issue.clock && one.pipe == issue.pipe)
        };
        let (begin, end) = (place(first).unwrap_or(trace.len()), after.and_then(place));
        let until = end.unwrap_or(trace.len());
        let inside = &mut self.trace;
        inside.clear();
        inside.extend_from_slice(trace.get(begin..until).unwrap_or_default());
        if let (Pipe::V, Some(one), Some(u)) = (first.pipe, inside.first_mut(), begin.checked_sub(1)) {
            // The pair's execution belongs to the region, but not its wait before the issue.
            let u = trace[u];
            (one.longer, one.slowed) = (u.longer, u.slowed);
            (one.data, one.bank) = (u.data, u.bank);
        }
        if let (Some(Pipe::V), Some(one)) = (after.map(|after| after.pipe), inside.last_mut()) {
            // The pair executes after the region.
            (one.longer, one.slowed) = (0, WaitCauses::NONE);
        }
        for one in inside {
            one.clock -= first.clock;
        }
        let behind = end.map(|end| trace[end]);
        // A second half of a pair issues with the region's last instruction, which waited for both.
        let behind = behind.filter(|one| one.pipe == Pipe::U && one.late > 0);
        self.after = behind
            .map(|one| (one.late, one.waited))
            .filter(|(_, waited)| !waited.are_none());
        self.trace_cut = end.is_none();
        let beyond = beyond.filter(|_| end.is_none());
        self.beyond = beyond.and_then(|beyond| {
            Some(Beyond {
                at: beyond.at.checked_sub(begin)?,
                ..beyond
            })
        });
        self.traced_cycles = after.filter(|_| end.is_some()).map(|after| after.clock - first.clock);
    }
}
