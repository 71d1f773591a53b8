//! The accesses of a usual replay that may wait: each is checked, and those that do not simply hit are made by routines
//! and functions. What they take longer goes to the clock, and beside the number of the replay.

use super::Emitter;
use super::replayed::{LONGER, WAITED};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::{AFTERS, After, PlannedAccess, PlannedGroup};
use std::mem::offset_of;

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
            let (first, settle) = (self.source.passed[WAITED] as i32, self.source.common.settle);
            let [again, late, on] = [(); 3].map(|()| self.label());
            for number in 0..2 {
                let place = number * frame::PASSED_BITS as i8;
                dynasm!(self.a; .arch x64
                    ; mov rax, rsi; shr rax, place; and eax, frame::MOST_PASSED as i32; sub eax, first
                    ; cmp eax, (AFTERS - WAITED) as i32; jb =>again);
            }
            dynasm!(self.a; .arch x64; =>on);
            self.aside(move |emitter| {
                // The state up to here is kept in memory.
                let code_reads = emitter.source.places.code_reads;
                dynasm!(emitter.a; .arch x64
                    ; =>again; mov [BYTE rsp + near::SLOT], rcx; call extern settle
                    ; cmp BYTE [BYTE rsp + near::LATE], 0; jne =>late
                    ; movzx eax, BYTE [rcx + offset_of!(After, stays) as i32]; sub [rsi + code_reads], rax
                    ; mov esi, eax; mov rcx, [BYTE rsp + near::SLOT]; jmp =>on
                    ; =>late; xor esi, esi; jmp =>otherwise);
            });
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
            ; =>made; pop QWORD [BYTE rsp + near::GOES_ON]
            ; mov [BYTE rsp + near::PASSED], rsi; mov [BYTE rsp + near::SLOT], rcx
            ; cmp BYTE [BYTE rsp + near::UNPLAIN], 0; jne >unmade; mov BYTE [BYTE rsp + near::UNPLAIN], -1; unmade:
            ; mov rsi, [BYTE rsp + near::PIPELINE]
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
            ; mov rsi, [BYTE rsp + near::PASSED]; mov rcx, [BYTE rsp + near::SLOT]; mov rdx, QWORD replayed
            ; mov rax, [BYTE rsp + near::WAITING_UNTIL]; mov [BYTE rsp + near::USUAL_UNTIL], rax
            ; mov BYTE [BYTE rsp + near::UNPLAIN], 0; push QWORD [BYTE rsp + near::GOES_ON]; ret);
    }

    /// Checks the accesses of `group` as [`Self::accesses`] does, unless operations have made all of them; then only
    /// whether they have to wait. Goes to the first of `ways` if one has to, to the second if not, or goes on;
    /// or to the third one with the clocks in `rax` that the group takes longer.
    pub(super) fn unmade_accesses(&mut self, group: &PlannedGroup, issue: u32, ways: [DynamicLabel; 3]) {
        let places = self.source.places;
        let [slow, done, made] = ways;
        let number = |access: &PlannedAccess| self.known_words.iter().position(|&word| word == access.word);
        let last = group.accesses.iter().filter_map(number).max().unwrap_or(0);
        let unmade = self.label();
        dynasm!(self.a; .arch x64; cmp BYTE [BYTE rsp + near::UNPLAIN], (last + 1) as i8; jbe =>unmade);
        if let Some(([one, other], _)) = group.together {
            let [one, other] = [one, other].map(|index| 4 * group.accesses[index].word as i32);
            let conflict = self.label();
            dynasm!(self.a; .arch x64
                ; mov eax, [rbp + one]; xor eax, [rbp + other]; test eax, places.bank as i32; jz =>conflict);
            let group = group.clone();
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>conflict);
                if let Some(pair) = group.pair {
                    emitter.none_waits(&group, issue, slow);
                    emitter.conflict(&pair, made);
                } else {
                    dynasm!(emitter.a; .arch x64; jmp =>slow);
                }
            });
        }
        self.none_waits(group, issue, unmade);
        if let Some((_, true)) = group.together {
            dynasm!(self.a; .arch x64; inc QWORD [rsi + places.both_write_hits]);
        }
        let group = group.clone();
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>unmade);
            if let [_] = *group.accesses {
                // That of the first access that has not been made.
                dynasm!(emitter.a; .arch x64; je =>slow);
            }
            emitter.accesses(&group, issue, slow);
            dynasm!(emitter.a; .arch x64; jmp =>done);
        });
    }

    /// Goes to `other` if an access of `group` may have to wait, which has hit. Uses `rax`.
    fn none_waits(&mut self, group: &PlannedGroup, issue: u32, other: DynamicLabel) {
        let places = self.source.places;
        dynasm!(self.a; .arch x64; lea rax, [rbx + issue as i32]);
        for (writes, until) in [(false, places.filling_until), (true, places.settled)] {
            if group.accesses.iter().any(|access| access.writes == writes) {
                dynasm!(self.a; .arch x64; cmp [rdi + until], rax; ja =>other);
            }
        }
    }

    /// Goes on after a usual replay, which has become longer than known before if it `waits`.
    pub(super) fn follow_usually(&mut self, way: usize, waits: bool) {
        if waits {
            dynasm!(self.a; .arch x64; cmp rbx, [BYTE rsp + near::DUE]; jae =>self.outs[way]);
        }
        self.follow(way);
    }
}
