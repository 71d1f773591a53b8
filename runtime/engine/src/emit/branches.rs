//! The end of a replay: the branch of the last group, and the ways out of the block.

use super::replayed::{FALLEN, PREDICTS, SLOT, STATE, TAKEN, WAYS};
use super::{Emitter, Ending};
use crate::frame::{self, near};
use crate::links::{KEY, TARGETS};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::PlannedBranch;

impl Emitter<'_> {
    /// Stores the outcome of the block's branch for a function of time.
    pub(super) fn store_outcome(&mut self) {
        match self.ending {
            Ending::Jumps(target) => {
                dynasm!(self.a; .arch x64
                    ; mov DWORD [BYTE rsp + near::TAKEN], 1; mov DWORD [BYTE rsp + near::NEXT], target as i32);
            }
            Ending::Computed => dynasm!(self.a; .arch x64; mov DWORD [BYTE rsp + near::TAKEN], 1),
            Ending::Chooses(target, after) => {
                dynasm!(self.a; .arch x64
                    ; mov eax, target as i32; mov ecx, after as i32; cmp BYTE [BYTE rsp + near::TAKEN], 0; cmove eax, ecx
                    ; mov [BYTE rsp + near::NEXT], eax);
            }
            Ending::Falls(after) => {
                dynasm!(self.a; .arch x64
                    ; mov DWORD [BYTE rsp + near::TAKEN], 0; mov DWORD [BYTE rsp + near::NEXT], after as i32);
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
            dynasm!(self.a; .arch x64; cmp BYTE [BYTE rsp + near::TAKEN], 0; je =>fallen);
        }
        if !matches!(self.ending, Ending::Falls(_)) {
            if let Some(branch) = branch {
                self.predicted_taken(branch);
            }
            self.go(TAKEN);
        }
        if let Ending::Falls(_) | Ending::Chooses(..) = self.ending {
            dynasm!(self.a; .arch x64; =>fallen);
            if let Some(branch) = branch {
                self.not_predicted(branch);
            }
            self.go(FALLEN);
        }
    }

    /// Finds the slot of the branch's entry: its offset is in `ecx` afterwards. Goes to `none` if there is no entry.
    /// Uses `rax` and `rdx`.
    fn slot(&mut self, none: DynamicLabel) {
        let places = self.source.places;
        let [near, found, known] = [(); 3].map(|()| self.label());
        let replayed = self.source.plan.replayed as i64;
        if let Some(attached) = self.source.plan.attached {
            dynasm!(self.a; .arch x64
                ; mov rdx, QWORD replayed; mov ecx, [rdx + SLOT]
                ; mov eax, [rdi + rcx + places.slots + places.mark]; or eax, STATE
                ; cmp eax, (attached | STATE as u32) as i32; jne =>near; =>known);
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>near);
                emitter.find_slot(Some(attached), found);
                dynasm!(emitter.a; .arch x64; jmp =>none; =>found);
                let size = emitter.source.places.slot_size;
                dynasm!(emitter.a; .arch x64
                    ; imul ecx, ecx, size; mov rdx, QWORD replayed; mov [rdx + SLOT], ecx; jmp =>known);
            });
        } else {
            dynasm!(self.a; .arch x64; mov eax, [rsi + places.previous_u]);
            self.find_slot(None, found);
            dynasm!(self.a; .arch x64; jmp =>none; =>found; imul ecx, ecx, places.slot_size);
        }
    }

    /// A taken branch: whether an entry predicts it, which is updated.
    fn predicted_taken(&mut self, branch: PlannedBranch) {
        let places = self.source.places;
        let [slow, done, weak, left, unreadable] = [(); 5].map(|()| self.label());
        self.unless_unreadable(unreadable);
        self.slot(slow);
        let (mark, target_place) = (places.slots + places.mark, places.slots + places.target);
        dynasm!(self.a; .arch x64; test BYTE [rdi + rcx + mark], PREDICTS; jz =>weak);
        self.load_target();
        dynasm!(self.a; .arch x64
            ; cmp [rdi + rcx + target_place], eax; jne =>slow
            ; or BYTE [rdi + rcx + mark], STATE as i8
            ; inc QWORD [rsi + places.btb_hits]);
        if let Some(rounds) = &self.rounds {
            dynasm!(self.a; .arch x64; jmp =>rounds.before);
            self.points.left = Some(left);
        }
        dynasm!(self.a; .arch x64; =>left; mov DWORD [rsi + places.line], places.no_line as i32; =>done);
        self.aside(move |emitter| {
            // An entry that predicts no jump: its counter goes up, mostly by one.
            let places = emitter.source.places;
            let [hit, one, strong, up] = [(); 4].map(|()| emitter.label());
            // One that cannot be read does not, either.
            dynasm!(emitter.a; .arch x64; =>unreadable);
            emitter.slot(slow);
            dynasm!(emitter.a; .arch x64; =>weak);
            emitter.load_target();
            dynasm!(emitter.a; .arch x64
                ; cmp eax, branch.after as i32; je =>slow; mov [rdi + rcx + target_place], eax
                ; test BYTE [rdi + rcx + mark], PREDICTS; jnz =>strong; test BYTE [rdi + rcx + mark], 1; jnz =>hit
                ; inc QWORD [rsi + places.taken_branches]
                ; mov rax, [rsi + places.groups]; sub rax, [rdi + rcx + places.slots + places.updated]
                ; cmp rax, places.update_groups as i32; jbe =>one; or BYTE [rdi + rcx + mark], STATE as i8; jmp =>up
                ; =>one; or BYTE [rdi + rcx + mark], 1; jmp =>up
                ; =>strong; or BYTE [rdi + rcx + mark], STATE as i8; inc QWORD [rsi + places.btb_hits]; jmp =>up
                ; =>hit; xor BYTE [rdi + rcx + mark], STATE as i8; inc QWORD [rsi + places.btb_hits]
                ; =>up);
            emitter.may_be_met(emitter.source.plan.attached);
            emitter.mispredict(branch);
            dynasm!(emitter.a; .arch x64; jmp =>left);
        });
        self.resolve(slow, done, true);
    }

    /// Goes to `label` if the branch cannot use its prediction: its group comes right after one that has mispredicted.
    fn unless_unreadable(&mut self, label: DynamicLabel) {
        let places = self.source.places;
        if self.source.plan.groups.len() < 3 {
            dynasm!(self.a; .arch x64
                ; mov rax, [rsi + places.mispredicted]; inc rax; cmp rax, [rsi + places.groups]; je =>label);
        }
    }

    /// Loads the target of the taken branch into `eax`.
    pub(super) fn load_target(&mut self) {
        match self.ending {
            Ending::Jumps(target) | Ending::Chooses(target, _) => dynasm!(self.a; .arch x64; mov eax, target as i32),
            _ => dynasm!(self.a; .arch x64; mov eax, [BYTE rsp + near::NEXT]),
        }
    }

    /// Forgets that no entry attached to `attached`, or to the last group but one, predicts a jump. Uses `eax`.
    pub(super) fn may_be_met(&mut self, attached: Option<u32>) {
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
        if let Some(attached) = self.source.plan.attached {
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
            let mark = places.slots + places.mark;
            let [weak, wrong] = [(); 2].map(|()| emitter.label());
            let none = emitter.label();
            dynasm!(emitter.a; .arch x64; =>near);
            emitter.slot(none);
            // The counter of an entry that predicts no jump goes down to 0, and counts as a hit above that.
            dynasm!(emitter.a; .arch x64
                ; test BYTE [rdi + rcx + mark], PREDICTS; jnz =>wrong
                ; mov rax, [rsi + places.groups]; mov [rdi + rcx + places.slots + places.updated], rax
                ; test BYTE [rdi + rcx + mark], 1; jnz =>weak; jmp =>done
                ; =>weak; dec BYTE [rdi + rcx + mark]; inc QWORD [rsi + places.btb_hits]; jmp =>done
                ; =>wrong);
            dynasm!(emitter.a; .arch x64; dec BYTE [rdi + rcx + mark]; inc QWORD [rsi + places.btb_hits]);
            emitter.unless_unreadable(done);
            emitter.mispredict(branch);
            dynasm!(emitter.a; .arch x64; jmp =>done; =>none);
            if let Some(attached) = emitter.source.plan.attached {
                let place = (attached % places.absent_count) as i32 * 4;
                dynasm!(emitter.a; .arch x64; mov DWORD [rdi + places.absent + place], attached as i32);
            }
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
            ; mov BYTE [BYTE rsp + near::LATE], 1; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0
            ; mov QWORD [BYTE rsp + near::WAITING_UNTIL], 0);
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
            dynasm!(emitter.a; .arch x64; mov DWORD [BYTE rsp + near::TAKEN], i32::from(taken));
            if let Some(next) = next {
                dynasm!(emitter.a; .arch x64; mov DWORD [BYTE rsp + near::NEXT], next as i32);
            }
            emitter.store_clock();
            emitter.call_time(emitter.source.calls.branch, 0);
            dynasm!(emitter.a; .arch x64; jmp =>done);
        });
    }

    /// Goes a way, with the state of the pipeline in memory.
    fn go(&mut self, way: usize) {
        let (out, plan) = (self.outs[way], self.source.plan);
        let replayed = plan.replayed as i64;
        dynasm!(self.a; .arch x64
            ; xor esi, esi; cmp rbx, [BYTE rsp + near::DUE]; jae =>out
            ; mov BYTE [BYTE rsp + near::UNPLAIN], 0; mov rdx, QWORD replayed);
        if way == FALLEN && plan.after[FALLEN].stays {
            // The next block leaves this to the one before.
            dynasm!(self.a; .arch x64
                ; mov rax, [BYTE rsp + near::PIPELINE]; dec QWORD [rax + self.source.places.code_reads]
                ; mov esi, frame::STAYS as i32);
        }
        self.may_meet(way);
        self.follow(way);
    }

    /// Goes to the code that a way leads to. The address of the block's [`Replayed`] is in `rdx`.
    pub(super) fn follow(&mut self, way: usize) {
        match self.ending {
            Ending::Computed => self.go_to_target(),
            _ => dynasm!(self.a; .arch x64; jmp QWORD [rdx + WAYS + 8 * way as i32]),
        }
    }

    /// Goes to the target in the frame, if its code is known after this block.
    fn go_to_target(&mut self) {
        let out = self.outs[TAKEN];
        let (unit, table) = (self.source.unit, self.source.targets as i64);
        // The same as `links::place`.
        let salt = unit.wrapping_mul(KEY);
        dynasm!(self.a; .arch x64
            ; mov eax, [BYTE rsp + near::NEXT]; lea ecx, [rax + salt as i32]; and ecx, TARGETS as i32 - 1; shl ecx, 4
            ; mov rdx, QWORD table; cmp [rdx + rcx], eax; jne =>out; cmp DWORD [rdx + rcx + 4], unit as i32; jne =>out
            ; jmp QWORD [rdx + rcx + 8]);
    }
}
