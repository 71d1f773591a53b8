//! The end of a replay: the branch of the last group, and the ways out of the block.

use super::{Emitter, Ending};
use crate::frame;
use crate::links::{KEY, TARGETS};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::PlannedBranch;

/// A way out, by its index.
const TAKEN: usize = 0;
const FALLEN: usize = 1;

impl Emitter<'_> {
    /// Stores the outcome of the block's branch for a function of time.
    pub(super) fn store_outcome(&mut self) {
        match self.ending {
            Ending::Jumps(target) => {
                dynasm!(self.a; .arch x64
                    ; mov DWORD [rsp + frame::TAKEN], 1; mov DWORD [rsp + frame::NEXT], target as i32);
            }
            Ending::Computed => dynasm!(self.a; .arch x64; mov DWORD [rsp + frame::TAKEN], 1),
            Ending::Chooses(target, after) => {
                dynasm!(self.a; .arch x64
                    ; mov eax, target as i32; mov ecx, after as i32; cmp BYTE [rsp + frame::TAKEN], 0; cmove eax, ecx
                    ; mov [rsp + frame::NEXT], eax);
            }
            Ending::Falls(after) => {
                dynasm!(self.a; .arch x64
                    ; mov DWORD [rsp + frame::TAKEN], 0; mov DWORD [rsp + frame::NEXT], after as i32);
            }
        }
    }

    /// Resolves the branch of the last group, and goes on.
    pub(super) fn end_of_schedule(&mut self) {
        let last = self.source.plan.groups.last();
        let branch = last.filter(|group| group.usual).and_then(|group| group.branch);
        self.go_on(branch);
    }

    /// Goes on after the block, after the branch that ends it has been resolved if it is given.
    pub(super) fn go_on(&mut self, branch: Option<PlannedBranch>) {
        let fallen = self.label();
        self.points.fallen = Some(fallen);
        if let Ending::Chooses(..) = self.ending {
            dynasm!(self.a; .arch x64; cmp BYTE [rsp + frame::TAKEN], 0; je =>fallen);
        }
        if !matches!(self.ending, Ending::Falls(_)) {
            if let Some(branch) = branch {
                self.predicted_taken(branch);
            }
            match self.ending {
                Ending::Computed => self.go_to_target(),
                _ => self.go(TAKEN),
            }
        }
        if let Ending::Falls(_) | Ending::Chooses(..) = self.ending {
            dynasm!(self.a; .arch x64; =>fallen);
            if let Some(branch) = branch {
                self.not_predicted(branch);
            }
            self.go(FALLEN);
        }
    }

    /// The address that the branch's entry is attached to, if it is always the same.
    fn attached(&self) -> Option<u32> {
        match self.source.plan.groups.as_slice() {
            [.., before, _] => Some(before.address),
            _ => None,
        }
    }

    /// A taken branch: whether an entry predicts it, which is updated.
    fn predicted_taken(&mut self, branch: PlannedBranch) {
        let places = self.source.places;
        let [slow, done, near, known, weak, left] = [(); 6].map(|()| self.label());
        let attached = self.attached();
        if self.source.plan.groups.len() < 3 {
            // The group right after one that has mispredicted cannot use a prediction.
            dynasm!(self.a; .arch x64
                ; mov rax, [rsi + places.mispredicted]; inc rax; cmp rax, [rsi + places.groups]; je =>slow);
        }
        // `ecx` becomes the index of the slot.
        if let Some(attached) = attached {
            let first = attached << places.btb_shift & places.btb_mask;
            dynasm!(self.a; .arch x64
                ; movzx ecx, BYTE [rdi + places.recent + (first >> places.btb_shift) as i32]; add ecx, first as i32
                ; cmp DWORD [rdi + rcx * 4 + places.attached], attached as i32; jne =>near);
        } else {
            dynasm!(self.a; .arch x64
                ; mov eax, [rsi + places.previous_u]; mov edx, eax; shl edx, places.btb_shift as i8
                ; and edx, places.btb_mask as i32; mov ecx, edx; shr ecx, places.btb_shift as i8
                ; movzx ecx, BYTE [rdi + rcx + places.recent]; add ecx, edx
                ; cmp [rdi + rcx * 4 + places.attached], eax; jne =>near);
        }
        self.aside(move |emitter| {
            let places = emitter.source.places;
            let found = emitter.label();
            dynasm!(emitter.a; .arch x64; =>near);
            emitter.find_slot(attached, found);
            dynasm!(emitter.a; .arch x64
                ; jmp =>slow
                ; =>found; mov eax, ecx; sub eax, edx; shr edx, places.btb_shift as i8
                ; mov [rdi + rdx + places.recent], al; jmp =>known);
        });
        dynasm!(self.a; .arch x64
            ; =>known; imul ecx, ecx, places.slot_size
            ; cmp BYTE [rdi + rcx + places.slots + places.state], 2; jb =>weak);
        match self.ending {
            Ending::Computed => dynasm!(self.a; .arch x64; mov eax, [rsp + frame::NEXT]),
            Ending::Jumps(target) | Ending::Chooses(target, _) => dynasm!(self.a; .arch x64; mov eax, target as i32),
            Ending::Falls(_) => {}
        }
        dynasm!(self.a; .arch x64
            ; cmp [rdi + rcx + places.slots + places.target], eax; jne =>slow
            ; mov BYTE [rdi + rcx + places.slots + places.state], 3
            ; mov rax, [rsi + places.groups]; mov [rdi + rcx + places.slots + places.updated], rax
            ; inc QWORD [rsi + places.btb_hits]);
        if let Some(rounds) = &self.rounds {
            dynasm!(self.a; .arch x64; jmp =>rounds.before);
            self.points.left = Some(left);
        }
        dynasm!(self.a; .arch x64; =>left; mov DWORD [rsi + places.line], places.no_line as i32; =>done);
        let target = match self.ending {
            Ending::Jumps(target) | Ending::Chooses(target, _) => Some(target),
            _ => None,
        };
        self.aside(move |emitter| {
            // An entry that predicts no jump: its counter goes up, mostly by one.
            let places = emitter.source.places;
            let [hit, up] = [(); 2].map(|()| emitter.label());
            let (state, updated) = (places.slots + places.state, places.slots + places.updated);
            dynasm!(emitter.a; .arch x64; =>weak);
            match target {
                Some(target) => dynasm!(emitter.a; .arch x64; mov eax, target as i32),
                None => dynasm!(emitter.a; .arch x64; mov eax, [rsp + frame::NEXT]),
            }
            dynasm!(emitter.a; .arch x64
                ; cmp eax, branch.after as i32; je =>slow; mov [rdi + rcx + places.slots + places.target], eax
                ; mov rdx, [rsi + places.groups]; mov al, [rdi + rcx + state]; test al, al; jnz =>hit
                ; inc QWORD [rsi + places.taken_branches]
                ; mov rax, rdx; sub rax, [rdi + rcx + updated]; cmp rax, places.update_groups as i32; mov al, 0
                ; jbe =>up; mov al, 2; jmp =>up
                ; =>hit; inc QWORD [rsi + places.btb_hits]
                ; =>up; inc al; mov [rdi + rcx + state], al; mov [rdi + rcx + updated], rdx);
            emitter.may_be_met(attached);
            emitter.mispredict(branch);
            dynasm!(emitter.a; .arch x64; jmp =>left);
        });
        self.resolve(slow, done, true);
    }

    /// Forgets that no entry attached to `attached`, or to the last group but one, predicts a jump. Uses `eax`.
    fn may_be_met(&mut self, attached: Option<u32>) {
        let places = self.source.places;
        let nothing = places.no_line as i32;
        if let Some(attached) = attached {
            let place = (attached % places.absent_count) as i32 * 4;
            dynasm!(self.a; .arch x64; mov DWORD [rdi + places.unmet + place], nothing);
        } else {
            dynasm!(self.a; .arch x64
                ; mov eax, [rsi + places.previous_u]; and eax, places.absent_count as i32 - 1
                ; mov DWORD [rdi + rax * 4 + places.unmet], nothing);
        }
    }

    /// Looks up the slot of the entry attached to `attached`, or to the address in `eax`. Goes to `found` with its
    /// index in `ecx` and that of the first slot of its set in `edx`; otherwise goes on. Uses `eax`.
    pub(super) fn find_slot(&mut self, attached: Option<u32>, found: DynamicLabel) {
        let places = self.source.places;
        let first = attached.map(|attached| (attached << places.btb_shift & places.btb_mask) as i32);
        if let (Some(attached), Some(first)) = (attached, first) {
            dynasm!(self.a; .arch x64; mov eax, attached as i32; mov edx, first);
        } else {
            dynasm!(self.a; .arch x64; mov edx, eax; shl edx, places.btb_shift as i8; and edx, places.btb_mask as i32);
        }
        // All ways of the set are compared at once.
        let absent = self.label();
        dynasm!(self.a; .arch x64
            ; movd xmm0, eax; pshufd xmm0, xmm0, 0; movdqu xmm1, [rdi + rdx * 4 + places.attached]
            ; pcmpeqd xmm0, xmm1; pmovmskb ecx, xmm0; test ecx, ecx; jz =>absent
            ; bsf ecx, ecx; shr ecx, 2; add ecx, edx; jmp =>found; =>absent);
    }

    /// A branch that is not taken: whether it has no entry, or one that predicts so.
    fn not_predicted(&mut self, branch: PlannedBranch) {
        let places = self.source.places;
        let [slow, done, near] = [(); 3].map(|()| self.label());
        let attached = self.attached();
        if let Some(attached) = attached {
            let place = (attached % places.absent_count) as i32 * 4;
            dynasm!(self.a; .arch x64; cmp DWORD [rdi + places.absent + place], attached as i32; jne =>near);
        } else {
            dynasm!(self.a; .arch x64
                ; mov eax, [rsi + places.previous_u]; mov ecx, eax; and ecx, places.absent_count as i32 - 1
                ; cmp [rdi + rcx * 4 + places.absent], eax; jne =>near);
        }
        dynasm!(self.a; .arch x64; =>done);
        self.aside(move |emitter| {
            let places = emitter.source.places;
            let [found, weak, wrong] = [(); 3].map(|()| emitter.label());
            dynasm!(emitter.a; .arch x64; =>near);
            if let Some(attached) = attached {
                // Mostly the way found last has it.
                let first = attached << places.btb_shift & places.btb_mask;
                dynasm!(emitter.a; .arch x64
                    ; movzx ecx, BYTE [rdi + places.recent + (first >> places.btb_shift) as i32]; add ecx, first as i32
                    ; cmp DWORD [rdi + rcx * 4 + places.attached], attached as i32; je =>found);
            }
            emitter.find_slot(attached, found);
            dynasm!(emitter.a; .arch x64; jmp =>done);
            // The counter of an entry that predicts no jump goes down to 0, and counts as a hit above that.
            dynasm!(emitter.a; .arch x64
                ; =>found; imul ecx, ecx, places.slot_size
                ; cmp BYTE [rdi + rcx + places.slots + places.state], 1; ja =>wrong
                ; mov rax, [rsi + places.groups]; mov [rdi + rcx + places.slots + places.updated], rax; je =>weak
                ; jmp =>done
                ; =>weak; mov BYTE [rdi + rcx + places.slots + places.state], 0; inc QWORD [rsi + places.btb_hits]
                ; jmp =>done
                ; =>wrong);
            if emitter.source.plan.groups.len() < 3 {
                // Right after a group that has mispredicted, the prediction is not used.
                dynasm!(emitter.a; .arch x64
                    ; mov rax, [rsi + places.mispredicted]; inc rax; cmp rax, [rsi + places.groups]; je =>slow);
            }
            dynasm!(emitter.a; .arch x64
                ; mov rax, [rsi + places.groups]; mov [rdi + rcx + places.slots + places.updated], rax
                ; dec BYTE [rdi + rcx + places.slots + places.state]; inc QWORD [rsi + places.btb_hits]);
            emitter.mispredict(branch);
            dynasm!(emitter.a; .arch x64; jmp =>done);
        });
        self.resolve(slow, done, false);
    }

    /// Refills the front end after the misprediction of `branch`, whose group ends at `rbx`. Uses `rax`.
    fn mispredict(&mut self, branch: PlannedBranch) {
        let places = self.source.places;
        dynasm!(self.a; .arch x64
            ; lea rax, [rbx + branch.refilled as i32]; mov [rsi + places.ready], rax
            ; mov QWORD [rsi + places.refill], branch.penalty as i32; mov QWORD [rsi + places.code_walk], 0
            ; mov DWORD [rsi + places.refill_op], branch.op as i32
            ; mov rax, [rsi + places.groups]; mov [rsi + places.mispredicted], rax
            ; mov BYTE [rsp + frame::LATE], 1);
        for place in &places.flushes[..if branch.in_wb { 3 } else { 2 }] {
            dynasm!(self.a; .arch x64; inc QWORD [rsi + *place]);
        }
    }

    /// Resolves the branch by a function.
    fn resolve(&mut self, slow: DynamicLabel, done: DynamicLabel, taken: bool) {
        let next = match (self.ending, taken) {
            (Ending::Jumps(target) | Ending::Chooses(target, _), true) => Some(target),
            (Ending::Chooses(_, after), false) => Some(after),
            _ => None,
        };
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>slow);
            dynasm!(emitter.a; .arch x64; mov DWORD [rsp + frame::TAKEN], i32::from(taken));
            if let Some(next) = next {
                dynasm!(emitter.a; .arch x64; mov DWORD [rsp + frame::NEXT], next as i32);
            }
            emitter.store_clock();
            emitter.call_time(emitter.source.calls.branch, 0);
            dynasm!(emitter.a; .arch x64; jmp =>done);
        });
    }

    /// Goes a way whose target is always the same.
    fn go(&mut self, way: usize) {
        let (out, place) = (self.outs[way], self.source.ways[way] as i64);
        dynasm!(self.a; .arch x64
            ; cmp rbx, [rsp + frame::DUE]; jae =>out; mov rax, QWORD place; jmp QWORD [rax]);
    }

    /// Goes to the target in the frame, if its code is known after this block.
    fn go_to_target(&mut self) {
        let out = self.outs[TAKEN];
        let (unit, table) = (self.source.unit, self.source.targets as i64);
        // The same as `links::place`.
        let salt = unit.wrapping_mul(KEY);
        dynasm!(self.a; .arch x64
            ; cmp rbx, [rsp + frame::DUE]; jae =>out
            ; mov eax, [rsp + frame::NEXT]; lea ecx, [rax + salt as i32]; and ecx, TARGETS as i32 - 1; shl ecx, 4
            ; mov rdx, QWORD table; cmp [rdx + rcx], eax; jne =>out; cmp DWORD [rdx + rcx + 4], unit as i32; jne =>out
            ; jmp QWORD [rdx + rcx + 8]);
    }
}
