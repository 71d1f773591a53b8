//! The fetch of a block's code lines: at once if nothing moves, otherwise by functions. A block whose lines are not at
//! hand is replayed by a function as a whole.

use super::Emitter;
use super::hits::{TREE_PATHS, TREE_WAYS};
use super::replayed::{FILLS, SEEN};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_words::isa::PAGE;

impl Emitter<'_> {
    /// Looks up the code pages of the block, unless each was the last of its set to be looked up. If the TLB does not
    /// have one, no access of the block is made at once: a walk of the page tables comes first, and reads from the data
    /// cache.
    pub(super) fn look_at_page(&mut self) {
        let (plan, places) = (self.source.plan, self.source.places);
        let own = &plan.lines[..plan.lines.len() - usize::from(plan.has_next)];
        let mut pages: Vec<u32> = own.iter().map(|&(line, _)| line / PAGE).collect();
        pages.dedup();
        for page in pages {
            let [elsewhere, on] = [(); 2].map(|()| self.label());
            let last = places.code_pages + 4 * (page & places.code_page_mask) as i32;
            dynasm!(self.a; .arch x64; cmp DWORD [rdi + last], page as i32; jne =>elsewhere; =>on);
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>elsewhere);
                emitter.turn_code_page(page, on);
                dynasm!(emitter.a; .arch x64
                    ; mov BYTE [BYTE rsp + near::UNPLAIN], 1; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0; jmp =>on);
            });
        }
    }

    /// Makes `page` the last one of its set, as a fetch from it does, and goes on at `turned`; or goes on with nothing
    /// changed if the TLB does not have it. Uses `eax`, `ecx`, and `xmm0` and 1.
    fn turn_code_page(&mut self, page: u32, turned: DynamicLabel) {
        let places = self.source.places;
        if places.code_tlb_ways != TREE_WAYS {
            return;
        }
        let missing = self.label();
        let set = (page & places.code_page_mask) as i32;
        let (last, pages) = (
            places.code_pages + 4 * set,
            places.code_tlb_pages + 4 * TREE_WAYS as i32 * set,
        );
        let order = places.code_tlb_orders + 8 * set;
        // As in `hits`, `ecx` is four times the number of the way.
        dynasm!(self.a; .arch x64
            ; mov eax, page as i32; movd xmm0, eax; pshufd xmm0, xmm0, 0; movdqu xmm1, [rdi + pages]
            ; pcmpeqd xmm0, xmm1; pmovmskb ecx, xmm0; test ecx, ecx; jz =>missing
            ; mov [rdi + last], eax; bsf ecx, ecx
            ; mov eax, TREE_PATHS; shr eax, cl; mov ecx, eax; and ecx, 7; not ecx; shr eax, 16; and eax, 7
            ; and ecx, [rdi + order]; or ecx, eax; mov [rdi + order], ecx; jmp =>turned
            ; =>missing);
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
        let own = plan.lines.len() - usize::from(plan.has_next);
        let [turn, seen] = [(); 2].map(|()| self.label());
        let turns = places.code_ways == 2;
        for index in 0..own {
            self.compare_fill(index, 0, if turns { turn } else { slow });
        }
        if plan.has_next {
            // It only has to be cached.
            self.next_is_cached(own, slow);
        }
        dynasm!(self.a; .arch x64; =>seen; mov rax, [BYTE rsp + near::EPOCH]; mov [rdx + SEEN], rax);
        if turns {
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64; =>turn);
                emitter.turn_lines(own, slow);
                dynasm!(emitter.a; .arch x64; jmp =>seen);
            });
        }
    }

    /// Goes to `other` unless line `index` of the block is in way `way` of its set, as it was fetched last. Leaves the
    /// number of that fill in `ecx`.
    fn compare_fill(&mut self, index: usize, way: i32, other: DynamicLabel) {
        let places = self.source.places;
        let fill = places.code_cache + self.source.plan.lines[index].1 as i32 + way * places.code_way_size;
        if way == 0 {
            dynasm!(self.a; .arch x64; mov ecx, [rdx + FILLS + 4 * index as i32]);
        }
        dynasm!(self.a; .arch x64; cmp [rdi + fill], ecx; jne =>other);
    }

    /// Goes to `slow` unless line `index`, the one after the block, is cached.
    fn next_is_cached(&mut self, index: usize, slow: DynamicLabel) {
        let [another, cached] = [(); 2].map(|()| self.label());
        self.compare_fill(index, 0, another);
        dynasm!(self.a; .arch x64; =>cached);
        self.aside(move |emitter| {
            let last = emitter.source.places.code_ways as i32 - 1;
            let mut here = another;
            for way in 1..=last {
                let there = if way == last { slow } else { emitter.label() };
                dynasm!(emitter.a; .arch x64; =>here);
                emitter.compare_fill(index, way, there);
                dynasm!(emitter.a; .arch x64; jmp =>cached);
                here = there;
            }
            if last == 0 {
                dynasm!(emitter.a; .arch x64; =>here; jmp =>slow);
            }
        });
    }

    /// Makes each of the first `own` lines the most recent of its set of two, as a fetch does that enters them all; or
    /// goes to `slow` with nothing changed if one is not cached, or if the fetch may stay in the first one.
    fn turn_lines(&mut self, own: usize, slow: DynamicLabel) {
        let (plan, places) = (self.source.plan, self.source.places);
        dynasm!(self.a; .arch x64; cmp DWORD [rsi + places.line], plan.lines[0].0 as i32; je =>slow);
        for index in 0..own {
            let [first, here] = [(); 2].map(|()| self.label());
            self.compare_fill(index, 0, first);
            dynasm!(self.a; .arch x64; jmp =>here; =>first);
            self.compare_fill(index, 1, slow);
            dynasm!(self.a; .arch x64; =>here);
        }
        if plan.has_next {
            self.next_is_cached(own, slow);
        }
        for index in 0..own {
            let [turn, turned] = [(); 2].map(|()| self.label());
            self.compare_fill(index, 0, turn);
            dynasm!(self.a; .arch x64; jmp =>turned; =>turn);
            let way = places.code_cache + plan.lines[index].1 as i32 - places.code_fill;
            for part in (0..places.code_way_size).step_by(4) {
                let [one, other] = [way + part, way + places.code_way_size + part];
                dynasm!(self.a; .arch x64
                    ; mov eax, [rdi + one]; mov ecx, [rdi + other]; mov [rdi + one], ecx; mov [rdi + other], eax);
            }
            dynasm!(self.a; .arch x64; =>turned);
        }
        dynasm!(self.a; .arch x64; inc QWORD [BYTE rsp + near::EPOCH]);
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
