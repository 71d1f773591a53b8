//! The fetch of a block's code lines: at once if nothing moves, otherwise by functions. A block whose lines are not at
//! hand is replayed by a function as a whole.

use super::Emitter;
use super::replayed::{FILLS, SEEN};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_words::isa::PAGE;

impl Emitter<'_> {
    /// Lets no access of the block be made at once unless each of its code pages was the last of its set to be looked
    /// up: a walk of the page tables comes first, and reads from the data cache.
    pub(super) fn look_at_page(&mut self) {
        let (plan, places) = (self.source.plan, self.source.places);
        if plan.words.last() == Some(&0) {
            return;
        }
        let [elsewhere, on] = [(); 2].map(|()| self.label());
        let own = &plan.lines[..plan.lines.len() - usize::from(plan.has_next)];
        let mut pages: Vec<u32> = own.iter().map(|&(line, _)| line / PAGE).collect();
        pages.dedup();
        for page in pages {
            let last = places.code_pages + 4 * (page & places.code_page_mask) as i32;
            dynasm!(self.a; .arch x64; cmp DWORD [rdi + last], page as i32; jne =>elsewhere);
        }
        dynasm!(self.a; .arch x64; =>on);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64
                ; =>elsewhere; mov BYTE [BYTE rsp + near::UNPLAIN], 1; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0; jmp =>on);
        });
    }

    /// Fetches the code lines of the block, or leaves it to a function unless all are at hand. `rdx` is the address of
    /// its [`Replayed`] afterwards.
    ///
    /// [`Replayed`]: p5_timing::pipeline::Replayed
    pub(super) fn fetch(&mut self) {
        let source = self.source;
        let (plan, places) = (source.plan, source.places);
        let [look, slow, settled, stays, done] = [(); 5].map(|()| self.label());
        let (replayed, unreplayed) = (plan.replayed as i64, self.unreplayed);
        let own = plan.lines.len() - usize::from(plan.has_next);
        let (first, last) = (plan.lines[0].0, self.last_line());
        // What was seen at hand stays so until the order of lines or pages changes.
        dynasm!(self.a; .arch x64
            ; lea rax, [rbx + plan.longest as i32]; cmp rax, [rsp + frame::WATCHED]; jae =>unreplayed
            ; mov rdx, QWORD replayed; mov rax, [BYTE rsp + near::EPOCH]; cmp [rdx + SEEN], rax; jne =>look
            ; =>settled; cmp DWORD [rsi + places.line], first as i32);
        if own > 1 {
            // The schedule counts a read of every line.
            dynasm!(self.a; .arch x64; sete cl; movzx ecx, cl; sub [rsi + places.code_reads], rcx);
        } else {
            dynasm!(self.a; .arch x64; je =>stays);
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>stays; dec QWORD [rsi + places.code_reads]; jmp =>done);
            });
        }
        dynasm!(self.a; .arch x64; mov DWORD [rsi + places.line], last as i32; =>done);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>look);
            emitter.look_at_lines(slow);
            dynasm!(emitter.a; .arch x64; jmp =>settled);
        });
        self.aside(move |emitter| emitter.fetch_slowly(slow, done));
    }

    /// The last code line of the block.
    pub(super) fn last_line(&self) -> u32 {
        let plan = self.source.plan;
        plan.lines[plan.lines.len() - usize::from(plan.has_next) - 1].0
    }

    /// Looks whether the lines of the block, its page and the line after it can be fetched without a change of order,
    /// and notes it; goes to `slow` if not.
    fn look_at_lines(&mut self, slow: DynamicLabel) {
        let source = self.source;
        let (plan, places) = (source.plan, source.places);
        let Some(page) = plan.page else {
            dynasm!(self.a; .arch x64; jmp =>slow);
            return;
        };
        let pages = places.code_pages + 4 * (page & places.code_page_mask) as i32;
        // The next group enters D1 when the last one leaves it, or later.
        dynasm!(self.a; .arch x64
            ; mov rcx, rbx; sub rcx, [rsi + places.busy]; sub rcx, [rsi + places.lead]
            ; cmp [rsi + places.filling], rcx; ja =>slow
            ; cmp DWORD [rsi + places.read_ahead], places.no_line as i32; jne =>slow
            ; cmp DWORD [rdi + pages], page as i32; jne =>slow);
        for (index, &(_, offset)) in plan.lines.iter().enumerate() {
            dynasm!(self.a; .arch x64
                ; mov ecx, [rdx + FILLS + 4 * index as i32]
                ; cmp [rdi + places.code_cache + offset as i32], ecx; jne =>slow);
        }
        dynasm!(self.a; .arch x64; mov rax, [BYTE rsp + near::EPOCH]; mov [rdx + SEEN], rax);
    }

    /// Fetches the lines by a function, whatever their order, and goes on at `done`; or leaves the whole replay to a
    /// function if they are not at hand.
    fn fetch_slowly(&mut self, slow: DynamicLabel, done: DynamicLabel) {
        let [cold, out] = [(); 2].map(|()| self.label());
        let calls = self.source.calls;
        let replayed = self.source.plan.replayed as i64;
        dynasm!(self.a; .arch x64; =>slow);
        self.store_clock();
        self.call_time(calls.refetch, 0);
        dynasm!(self.a; .arch x64; mov BYTE [BYTE rsp + near::UNPLAIN], 1
            ; test eax, eax; jz =>cold; mov rdx, QWORD replayed; shr eax, 1; jz =>done
            ; mov rax, [BYTE rsp + near::EPOCH]; mov [rdx + SEEN], rax; jmp =>done
            ; =>cold);
        self.store_outcome();
        self.call_time(calls.pass_cold, 0);
        self.load_clock();
        dynasm!(self.a; .arch x64
            ; xor esi, esi
            ; test rax, rax; jz =>out; cmp rbx, [BYTE rsp + near::DUE]; jae =>out
            ; mov BYTE [BYTE rsp + near::UNPLAIN], 0; jmp rax
            ; =>out);
        self.leave(frame::PASSED_COLD, 0);
    }
}
