//! Usual replays of blocks of which the front end may not be ahead: after a misprediction, or where the first group
//! meets the entry of another branch. Its first group then issues as much later as the refill takes.

use super::replayed::SEEN;
use super::{Assembler, Emitter};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::{After, Places};
use std::mem::offset_of;

/// How a block begins: with a group that has a branch, or with one before such a group.
const BRANCHES: i32 = 1;
const BRANCHES_SECOND: i32 = 2;
/// With a group that waits for the group before it, or with one whose issue only a refill may delay.
const WAITS: i32 = 4;
const PLAIN: i32 = 8;
/// With a group that may meet an entry, and another one.
const MEETS: i32 = 16;

impl Emitter<'_> {
    /// Lets the front end be ahead of the block at `label`, if that is all that a usual replay lacks: goes on at the
    /// first of `ways`, or at the second one if accesses of the block may wait, or at the third one if its branch
    /// cannot use its prediction. Otherwise goes to `otherwise` with nothing changed.
    pub(super) fn catch_up(&mut self, label: DynamicLabel, ways: [DynamicLabel; 3], otherwise: DynamicLabel) {
        let groups = &self.source.plan.groups;
        let branches = |index: usize| groups.get(index).is_some_and(|group| group.branch.is_some());
        let first = &groups[0];
        let plain = first.usual && first.interlock == 0;
        let meets = plain && !branches(0) && groups.len() > 1;
        let [plain_way, waits, unreadable] = ways;
        let begins = [
            (branches(0), BRANCHES),
            (branches(1), BRANCHES_SECOND),
            (first.interlock > 0, WAITS),
            (plain, PLAIN),
            (meets, MEETS),
        ];
        let begins: i32 = begins.iter().filter(|(does, _)| *does).map(|(_, bit)| bit).sum();
        let (op, catch_up) = (first.op, self.source.common.catch_up);
        let replayed = self.source.plan.replayed as i64;
        // Lines that are not at hand are asked for before the first group meets an entry, which would delay that.
        dynasm!(self.a; .arch x64
            ; =>label; mov rdx, QWORD replayed; mov rax, [BYTE rsp + near::EPOCH]; cmp [rdx + SEEN], rax; jne =>otherwise
            ; mov eax, op as i32; mov edx, begins; call extern catch_up; jc =>otherwise);
        if self.may_be_unreadable() {
            dynasm!(self.a; .arch x64; test dh, dh; jnz =>unreadable);
        }
        dynasm!(self.a; .arch x64; cmp BYTE [BYTE rsp + near::UNPLAIN], 0; jne =>waits; jmp =>plain_way);
    }

    /// Whether the branch of the block may come right after a misprediction.
    pub(super) fn may_be_unreadable(&self) -> bool {
        self.source
            .plan
            .groups
            .iter()
            .take(2)
            .any(|group| group.branch.is_some())
    }
}

/// The routine for this: `eax` has the number of the block's first instruction, and `edx` how it begins. CF is set if
/// it has changed nothing; otherwise `dh` is not 0 if the branch cannot use its prediction. Uses `eax` and `ecx`.
pub(super) fn catch_up(a: &mut Assembler, places: &Places) {
    let [
        other,
        not_late,
        readable,
        early,
        ahead,
        ready,
        unplain,
        left,
        alone,
        meets,
    ] = [(); 10].map(|()| a.new_dynamic_label());
    let groups = offset_of!(After, groups) as i32;
    let size = size_of::<After>().trailing_zeros() as i8;
    let most = frame::MOST_PASSED as i32;
    dynasm!(a; .arch x64
        ; push r8; push r9
        // Unless it is the limit that is near.
        ; cmp QWORD [rsp + 24 + frame::WAITING_UNTIL], 0; jne =>other
        ; mov r8, [rsp + 24 + frame::PIPELINE]; mov ecx, [rsp + 24 + frame::MET_SLOT]
        ; cmp ecx, frame::UNKNOWN as i32; je =>other
        ; cmp BYTE [rsp + 24 + frame::LATE], 0; je =>not_late
        ; cmp rsi, frame::STAYS as i32; ja =>other
        // After a misprediction no entry is met, and a branch cannot use its prediction.
        ; mov r9, [r8 + places.mispredicted]; cmp r9, [r8 + places.groups]; je =>readable
        ; test ecx, ecx; jnz =>other; jmp =>early
        ; =>readable; test dl, BRANCHES as i8; jz =>early; mov dh, 1
        ; =>early
        ; mov rcx, rbx; sub rcx, [r8 + places.busy]
        ; test dl, WAITS as i8; jz >entered; sub rcx, [r8 + places.lead]; inc rcx; entered:
        ; cmp [r8 + places.ready], rcx; jb =>ahead
        // All clocks of the delay have to be those of the misprediction.
        ; test dl, PLAIN as i8; jz =>other; cmp QWORD [r8 + places.code_walk], 0; jne =>other
        ; mov rcx, [r8 + places.refill]; test rcx, rcx; jz =>other
        ; lea r9, [rbx + rcx - (places.stages as i32)]; cmp r9, [r8 + places.ready]; jne =>other
        ; mov eax, [r8 + places.refill_op]; cmp eax, -1; je =>other
        ; imul rax, rax, places.statistics as i32; add rax, [rsp + 24 + frame::STATISTICS]
        ; add [rax + places.mispredictions as i32], ecx
        ; add rbx, rcx; shl rsi, frame::PASSED_BITS as i8; or rsi, frame::DELAYED as i32
        ; mov BYTE [rsp + 24 + frame::INTERLOCKED], 1
        ; =>ahead; mov BYTE [rsp + 24 + frame::LATE], 0
        ; =>ready
        ; mov DWORD [rsp + 24 + frame::MET_SLOT], 0
        ; mov rax, [rsp + 24 + frame::DUE]; mov [rsp + 24 + frame::WAITING_UNTIL], rax
        ; cmp BYTE [rsp + 24 + frame::UNPLAIN], 0; jne =>unplain; mov [rsp + 24 + frame::USUAL_UNTIL], rax
        ; =>unplain; pop r9; pop r8; clc; ret
        ; =>not_late; test ecx, ecx; jnz =>meets
        // The last replay has mispredicted, or only the one before it was late.
        ; cmp rsi, frame::STAYS as i32; jbe =>left; test dl, PLAIN as i8; jz =>other
        ; mov dh, dl; and dh, BRANCHES as i8; jmp =>ready
        ; =>left; mov r9, [r8 + places.mispredicted]; cmp r9, [r8 + places.groups]; jne =>ready
        ; mov dh, dl; and dh, BRANCHES as i8; jmp =>ready
        ; =>meets; test dl, MEETS as i8; jz =>other
        // Clocks of another delay would be charged first.
        ; cmp BYTE [rsp + 24 + frame::INTERLOCKED], 0; jne =>alone
        ; cmp QWORD [r8 + places.refill], 0; jne =>other; cmp QWORD [r8 + places.code_walk], 0; jne =>other
        // The state before is that after the last two replays, if there is no room for more.
        ; =>alone; mov r9, rsi; shr r9, 2 * frame::PASSED_BITS as i8; jz >room
        ; mov r9d, esi; and r9d, most; shl r9, size; add r9, [rsp + 24 + frame::AFTERS]
        ; cmp BYTE [r9 + groups], 1; ja >room
        ; mov r9, rsi; shr r9, frame::PASSED_BITS as i8; and r9d, most; shl r9, size
        ; add r9, [rsp + 24 + frame::AFTERS]
        ; cmp BYTE [r9 + groups], 1; jbe =>other
        ; room:
        ; dec BYTE [rdi + rcx + places.slots + places.mark - 1]; inc QWORD [r8 + places.flushes[0]]
        ; mov [rsp + 24 + frame::MET_OP], eax; mov dh, dl; and dh, BRANCHES_SECOND as i8
        ; imul rax, rax, places.statistics as i32; add rax, [rsp + 24 + frame::STATISTICS]
        ; add DWORD [rax + places.mispredictions as i32], places.met as i32
        ; add rbx, places.met as i32; shl rsi, frame::PASSED_BITS as i8; or rsi, frame::MET as i32
        ; mov BYTE [rsp + 24 + frame::INTERLOCKED], 1; jmp =>ready
        ; =>other; pop r9; pop r8; stc; ret);
}
