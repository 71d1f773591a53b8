//! Groups with prefixes: their decoding begins a clock after the previous group has entered D1, and delays the issue by
//! what nothing else hides.

use super::Emitter;
use crate::frame::{self, near};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::PlannedPrefixes;

impl Emitter<'_> {
    /// Issues group `index`, which has prefixes and is usual otherwise.
    pub(super) fn prefixed_group(&mut self, index: usize, prefixes: PlannedPrefixes) {
        let source = self.source;
        let (places, group) = (source.places, &source.plan.groups[index]);
        let [early, done] = [(); 2].map(|()| self.label());
        // `rax` is the clock of the previous group. `rcx` is when the prefixes can be decoded, and `rdx` when the
        // previous group has entered D2, until all is known of D1: `r8` is when this group enters it, and `rcx` when it
        // would without prefixes. The same of D2 is in `r9` and `rcx` then.
        dynasm!(self.a; .arch x64
            ; push r8; push r9
            ; mov rax, rbx; sub rax, [rsi + places.busy]
            ; mov rcx, rax; sub rcx, [rsi + places.ahead]; jb =>early
            ; mov rdx, [rsi + places.ready]; sub rdx, 1; adc rdx, 0; cmp rcx, rdx; cmovb rcx, rdx; inc rcx
            ; mov rdx, rax; sub rdx, [rsi + places.lead]; jb =>early
            ; lea r8, [rcx + prefixes.clocks as i32]; cmp r8, rdx; cmovb r8, rdx
            ; cmp rcx, rdx; cmovb rcx, rdx
            ; mov rdx, rax; cmp BYTE [rsi + places.holds], 0; je >leaves; lea rdx, [rbx - 1]; leaves:
            ; inc rcx; cmp rcx, rdx; cmovb rcx, rdx
            ; lea r9, [r8 + 1]; cmp r9, rdx; cmovb r9, rdx
            // What delays it beside prefixes is charged by a function.
            ; inc rcx; cmp rcx, rbx; ja =>early
            ; lea rdx, [r9 + 1]; cmp rdx, rbx; cmovb rdx, rbx
            ; mov rax, rdx; sub rax, rbx
            ; mov rcx, [rsp + 16 + frame::STATISTICS]; add [rcx + prefixes.statistic as i32], eax
            ; mov rbx, rdx
            ; mov rax, rdx; sub rax, r8; mov [rsi + places.ahead], rax
            ; sub rdx, r9; mov [rsi + places.lead], rdx
            ; mov QWORD [rsi + places.busy], group.clocks as i32; mov BYTE [rsi + places.holds], i8::from(group.holds)
            ; mov QWORD [rsi + places.refill], 0; mov QWORD [rsi + places.code_walk], 0
            ; mov QWORD [rsi + places.ready], 0; mov BYTE [rsp + 16 + frame::LATE], 0
            ; pop r9; pop r8);
        self.checks(index, index + 1, 0, false);
        if !group.accesses.is_empty() {
            // Its line may have taken the place of another one.
            dynasm!(self.a; .arch x64; mov BYTE [BYTE rsp + near::UNPLAIN], 1);
        }
        dynasm!(self.a; .arch x64; add rbx, group.clocks as i32; =>done);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>early; pop r9; pop r8);
            emitter.other_group(index);
            dynasm!(emitter.a; .arch x64; jmp =>done);
        });
    }
}
