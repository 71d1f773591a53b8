//! Two accesses of a group in its first clock, one of each instruction, of which one misses or waits, or which are of
//! one bank: made by the routines of `misses` one after the other, and put together here.

use super::Emitter;
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::{PlannedGroup, PlannedPair};

impl Emitter<'_> {
    /// Makes the accesses of `group`, number `index`, a pair that issues `issue` clocks after `rbx`: goes on at `made`
    /// with the clocks that the group takes longer in `rax`, or at `anothers` with nothing changed. Returns whether
    /// there is such code; if not, goes on.
    pub(super) fn pair_of_accesses(
        &mut self,
        index: usize,
        group: &PlannedGroup,
        issue: u32,
        [anothers, made]: [DynamicLabel; 2],
    ) -> bool {
        let places = self.source.places;
        let bank_width = 1 << places.bank.trailing_zeros();
        let (Some(misses), Some(pair), [first, second]) = (self.source.common.misses, group.pair, &*group.accesses)
        else {
            return false;
        };
        let simple = |size: u32| size.is_power_of_two() && size <= bank_width;
        if !simple(first.size) || !simple(second.size) {
            return false;
        }
        let both_write = first.writes && second.writes;
        let [one, other] = [first, second].map(|access| 4 * access.word as i32);
        let routines = [misses.routine(first.writes, 0), misses.routine(second.writes, 1)];
        let [apart, refused, refused_apart] = [(); 3].map(|()| self.label());
        dynasm!(self.a; .arch x64; mov eax, [rbp + one]; mov ecx, [rbp + other]);
        for (size, low) in [(first.size, 0), (second.size, 1)] {
            match (size > 1, low) {
                (true, 0) => dynasm!(self.a; .arch x64; test al, size as i8 - 1; jnz =>anothers),
                (true, _) => dynasm!(self.a; .arch x64; test cl, size as i8 - 1; jnz =>anothers),
                _ => {}
            }
        }
        let routine = routines[0];
        dynasm!(self.a; .arch x64
            ; lea rdx, [rbx + issue as i32]; call extern routine; test rax, rax; js =>anothers
            ; mov [rsp + frame::FIRST_WAITED], eax; mov [rsp + frame::CAUSE], ecx
            ; mov eax, [rbp + one]; xor eax, [rbp + other]; test eax, places.bank as i32; jnz =>apart
            ; inc QWORD [rsi + pair.conflicts]; dec QWORD [rsi + pair.in_one_clock]);
        let routine = routines[1];
        let conflict = pair.conflict;
        dynasm!(self.a; .arch x64
            ; mov eax, [rbp + other]; lea rdx, [rbx + (issue + conflict) as i32]; call extern routine
            ; test rax, rax; js =>refused);
        self.put_together(&pair, conflict, made);
        dynasm!(self.a; .arch x64
            ; =>apart; mov eax, [rbp + other]; lea rdx, [rbx + issue as i32]; call extern routine
            ; test rax, rax; js =>refused_apart);
        if both_write {
            self.count_both_writes();
        }
        self.put_together(&pair, 0, made);
        let second = self.source.calls.access_second;
        for (label, conflicts) in [(refused, 1), (refused_apart, 0)] {
            dynasm!(self.a; .arch x64; =>label; lea rax, [rbx + issue as i32]; mov [rsi + places.clock], rax);
            self.call_time(second, index as u32 | conflicts << 16);
            dynasm!(self.a; .arch x64; jmp =>made);
        }
        true
    }

    /// Goes on at `made` after two accesses of one bank that have hit, with the clocks that the pair takes longer.
    pub(super) fn conflict(&mut self, pair: &PlannedPair, made: DynamicLabel) {
        let longer = pair.conflict.saturating_sub(pair.of[1].hidden);
        dynasm!(self.a; .arch x64; inc QWORD [rsi + pair.conflicts]; dec QWORD [rsi + pair.in_one_clock]);
        if longer > 0 {
            let cause = pair.conflict_cause + pair.of[1].statistics as i32;
            dynasm!(self.a; .arch x64; mov rax, [BYTE rsp + near::STATISTICS]; add DWORD [rax + cause], longer as i32);
        }
        dynasm!(self.a; .arch x64; mov eax, longer as i32; jmp =>made);
    }

    /// Counts two writes of one clock that both hit, or both miss, unless one waits. `eax` and `ecx` are what the
    /// second one has given. Uses `edx`.
    fn count_both_writes(&mut self) {
        let places = self.source.places;
        let Some(misses) = &places.misses else { return };
        let [missed, on] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64
            ; mov edx, eax; or edx, [rsp + frame::FIRST_WAITED]; jnz =>on; cmp ecx, [rsp + frame::CAUSE]; jne =>on
            ; cmp ecx, misses.buffers.cause; je =>missed; inc QWORD [rsi + places.both_write_hits]; jmp =>on
            ; =>missed; inc QWORD [rsi + misses.both_write_misses]; =>on);
    }

    /// Goes on at `made` with the clocks that a pair takes longer in `rax`, and charges them to what it waits for, the
    /// first instruction's first. `eax` and `ecx` are what the second access has given, after `conflict` clocks.
    fn put_together(&mut self, pair: &PlannedPair, conflict: u32, made: DynamicLabel) {
        let [first, second] = pair.of;
        let [of_first, of_second] = [first.statistics as i32, second.statistics as i32];
        let some = self.label();
        dynasm!(self.a; .arch x64
            ; mov [rsp + frame::SECOND_WAITED], eax; mov [rsp + frame::SECOND_CAUSE], ecx
            ; add eax, conflict as i32 - second.hidden as i32
            ; mov ecx, [rsp + frame::FIRST_WAITED]; sub ecx, first.hidden as i32; cmp eax, ecx; cmovl eax, ecx
            ; test eax, eax; jg =>some; xor eax, eax; jmp =>made
            ; =>some
            ; mov edx, [rsp + frame::FIRST_WAITED]; cmp edx, eax; cmovg edx, eax
            ; mov ecx, [rsp + frame::CAUSE]; add rcx, [BYTE rsp + near::STATISTICS]; add [rcx + of_first], edx
            ; neg edx; add edx, eax);
        if conflict > 0 {
            let cause = pair.conflict_cause + of_second;
            dynasm!(self.a; .arch x64
                ; push rax; mov ecx, conflict as i32; cmp ecx, edx; cmovg ecx, edx; sub edx, ecx
                ; mov rax, [rsp + 8 + frame::STATISTICS]; add [rax + cause], ecx; pop rax);
        }
        dynasm!(self.a; .arch x64
            ; mov ecx, [rsp + frame::SECOND_CAUSE]; add rcx, [BYTE rsp + near::STATISTICS]; add [rcx + of_second], edx
            ; jmp =>made);
    }
}
