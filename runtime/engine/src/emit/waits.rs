//! The accesses of a usual replay that may wait: each is checked, and those that do not simply hit are made by routines
//! and functions. What they take longer goes to the clock, and beside the number of the replay.

use super::Emitter;
use super::schedule::LONGER;
use super::usual::WAITED;
use crate::frame;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::{AFTERS, After};

impl Emitter<'_> {
    /// Makes the accesses of the block, whose replay is usual otherwise. Goes to `otherwise` with nothing changed if
    /// the last replays must be told apart from this one. Loads `rdx` with the address of the block's [`Replayed`], and
    /// keeps `ecx`.
    ///
    /// [`Replayed`]: p5_timing::pipeline::Replayed
    pub(super) fn make_accesses(&mut self, otherwise: DynamicLabel) {
        let plan = self.source.plan;
        if plan.groups.len() < usize::from(After::ALL) {
            // There is one place for what a replay took longer, and the state after this one depends on those before.
            let first = self.source.passed[WAITED] as i32;
            for number in 0..2 {
                let place = number * frame::PASSED_BITS as i8;
                dynasm!(self.a; .arch x64
                    ; mov rax, rsi; shr rax, place; and eax, frame::MOST_PASSED as i32; sub eax, first
                    ; cmp eax, (AFTERS - WAITED) as i32; jb =>otherwise);
            }
        }
        let made = match self.accesses_made {
            Some(made) => made,
            None => {
                let made = self.label();
                self.accesses_made = Some(made);
                self.aside(move |emitter| emitter.accesses_may_wait(made));
                made
            }
        };
        dynasm!(self.a; .arch x64; call =>made);
    }

    /// The routine for this, at label `made`.
    fn accesses_may_wait(&mut self, made: DynamicLabel) {
        let source = self.source;
        let (places, groups) = (source.places, &source.plan.groups);
        let replayed = source.plan.replayed as i64;
        // The frame is at the top of the stack meanwhile.
        dynasm!(self.a; .arch x64
            ; =>made; pop QWORD [rsp + frame::GOES_ON]
            ; mov [rsp + frame::PASSED], rsi; mov [rsp + frame::SLOT], rcx; mov rsi, [rsp + frame::PIPELINE]
            ; mov rdx, QWORD replayed; mov QWORD [rdx + LONGER], 0; mov DWORD [rdx + LONGER + 8], 0);
        // The replay is counted with all writes of one clock as hits.
        let both_write = groups.iter().filter(|group| matches!(group.together, Some((_, true))));
        let both_write = both_write.count() as i32;
        if both_write > 0 {
            dynasm!(self.a; .arch x64; sub QWORD [rsi + places.both_write_hits], both_write);
        }
        let mut after = 0;
        for (index, group) in groups.iter().enumerate() {
            self.checks(index, groups.len(), after + group.interlock, true);
            after += group.interlock + group.clocks;
        }
        dynasm!(self.a; .arch x64
            ; mov rsi, [rsp + frame::PASSED]; mov rcx, [rsp + frame::SLOT]; mov rdx, QWORD replayed
            ; mov rax, [rsp + frame::WAITING_UNTIL]; mov [rsp + frame::USUAL_UNTIL], rax
            ; mov BYTE [rsp + frame::UNPLAIN], 0; push QWORD [rsp + frame::GOES_ON]; ret);
    }

    /// Goes on after a usual replay, which has become longer than known before if it `waits`.
    pub(super) fn follow_usually(&mut self, way: usize, waits: bool) {
        if waits {
            dynasm!(self.a; .arch x64; cmp rbx, [rsp + frame::DUE]; jae =>self.outs[way]);
        }
        self.follow(way);
    }
}
