//! Accesses that hit without a wait although their line is not known to be plain, as routines that all blocks share.
//!
//! While all accesses of a block so far have hit, another one that hits is made at once: its page and its line become
//! the most recent of their sets. The replay of the block makes these accesses again, in the same order and before any
//! other, and then finds what it would leave. What it would leave, too, is found by a replay that makes only some of
//! them.

use super::planned::Use;
use super::{Assembler, Emitter};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_meaning::memory::Places as MemoryPlaces;
use p5_timing::pipeline::Places;
use p5_words::isa::PAGE;

/// The ways of a TLB whose order code changes by itself: a tree of three bits.
pub(super) const TREE_WAYS: usize = 4;
/// Shifted by four times the number of a way: the bits on its path in the tree, and in the upper half those of them
/// that become 1 so that the tree points away from it.
pub(super) const TREE_PATHS: i32 = 0x0413_5533;

/// The addresses of the routines, for reads and for writes. All keep the address in `eax`, and use `ecx` and `edx`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hits {
    /// Makes an access at the address in `eax`, which is simply mapped and within a line. CF is set if it does not hit
    /// or must not be made yet; otherwise ZF is clear if a function has to be told that its line is plain.
    pub(super) make: [usize; 2],
    /// Notes that the line of the access, which has just hit, is plain. CF is set if a function has to do that.
    pub(super) keep: [usize; 2],
}

/// Generates the routines; `None` if no line is ever plain.
pub(super) fn routines(a: &mut Assembler, base: usize, places: &Places) -> Option<Hits> {
    if places.plain_selection == 0 || places.ways != 2 {
        return None;
    }
    let here = |a: &Assembler| base + a.offset().0;
    let mut hits = Hits {
        make: [0; 2],
        keep: [0; 2],
    };
    for writes in [false, true] {
        hits.make[usize::from(writes)] = here(a);
        make_routine(a, places, writes);
        hits.keep[usize::from(writes)] = here(a);
        let unknown = a.new_dynamic_label();
        dynasm!(a; .arch x64; push r8);
        keep(a, places, writes, 16, unknown);
        dynasm!(a; .arch x64; pop r8; clc; ret; =>unknown; pop r8; stc; ret);
    }
    Some(hits)
}

fn make_routine(a: &mut Assembler, places: &Places, writes: bool) {
    let [page, known, other, hit, misses, unmade, unknown] = [(); 7].map(|()| a.new_dynamic_label());
    dynasm!(a; .arch x64
        ; cmp BYTE [rsp + 8 + frame::UNPLAIN], 0; jne =>unmade; push r8
        ; mov ecx, eax; shr ecx, PAGE.trailing_zeros() as i8; mov edx, ecx; and edx, places.page_mask as i32
        ; cmp [rdi + rdx * 4 + places.data_pages], ecx; jne =>page
        ; =>known
        ; mov r8d, eax; and r8d, -(places.line_size as i32)
        ; mov ecx, eax; shr ecx, places.tag_shift as i8; and ecx, places.tag_mask as i32
        ; lea rcx, [rdi + rcx * 4 + places.tags]
        ; mov edx, [rcx]; and edx, places.tag_bits as i32; cmp edx, r8d; jne =>other
        ; =>hit);
    if writes {
        dynasm!(a; .arch x64; or DWORD [rcx], places.modified as i32);
    }
    keep(a, places, writes, 16, unknown);
    dynasm!(a; .arch x64
        ; pop r8; xor ecx, ecx; ret
        ; =>unknown; pop r8; mov ecx, 1; test ecx, ecx; ret
        ; =>other; mov edx, [rcx + 4]; and edx, places.tag_bits as i32; cmp edx, r8d; jne =>misses
        ; rol QWORD [rcx], 32
        ; mov edx, eax; and edx, places.plain_selection as i32
        ; mov DWORD [rdi + rdx + places.plain_read], -1; mov DWORD [rdi + rdx + places.plain_written], -1
        ; jmp =>hit
        ; =>misses; pop r8; =>unmade; stc; ret);
    turn_page(a, places, page, known, misses);
}

/// At `page`, makes the page in `ecx`, whose set is in `edx`, the last one of its set, and goes on at `known`; or goes
/// to `none` if the TLB does not have it, or lines of the last page may be plain. Uses `ecx`, `edx`, `r8` and `xmm0`
/// and 1.
pub(super) fn turn_page(
    a: &mut Assembler,
    places: &Places,
    page: DynamicLabel,
    known: DynamicLabel,
    none: DynamicLabel,
) {
    dynasm!(a; .arch x64; =>page);
    if places.tlb_ways != TREE_WAYS {
        dynasm!(a; .arch x64; jmp =>none);
        return;
    }
    // The tree points away from the way: `ecx` is four times its number.
    dynasm!(a; .arch x64
        ; mov r8, [rdi + places.plain_page_sets]; bt r8, rdx; jc =>none
        ; shl edx, 2; movd xmm0, ecx; pshufd xmm0, xmm0, 0; movdqu xmm1, [rdi + rdx * 4 + places.tlb_pages]
        ; pcmpeqd xmm0, xmm1; pmovmskb r8d, xmm0; test r8d, r8d; jz =>none
        ; mov [rdi + rdx + places.data_pages], ecx; bsf ecx, r8d
        ; mov r8d, TREE_PATHS; shr r8d, cl; mov ecx, r8d; and ecx, 7; not ecx; shr r8d, 16; and r8d, 7
        ; and ecx, [rdi + rdx * 2 + places.tlb_orders]; or ecx, r8d; mov [rdi + rdx * 2 + places.tlb_orders], ecx
        ; jmp =>known);
}

/// Notes that the line of the address in `eax`, which has just hit, is plain, unless pages of its set take turns. Goes
/// to `unknown` if a function has to do it. So many bytes of the stack are above the frame. Uses `ecx`, `edx` and `r8`.
pub(super) fn keep(a: &mut Assembler, places: &Places, writes: bool, above: i32, unknown: DynamicLabel) {
    let [kept, restrained, same] = [(); 3].map(|()| a.new_dynamic_label());
    dynasm!(a; .arch x64
        ; mov ecx, eax; shr ecx, PAGE.trailing_zeros() as i8; mov edx, ecx; and edx, places.page_mask as i32
        ; cmp BYTE [rdi + rdx + places.plain_restraint], 0; jne =>restrained
        ; mov r8, [rdi + places.plain_page_sets]; bt r8, rdx; jnc =>unknown
        ; shl edx, 4; cmp [rdi + rdx + places.plain_pages], ecx; jne =>unknown
        ; mov rdx, [rsp + above + frame::PAGES]; mov ecx, [rdx + rcx * 4]);
    if writes {
        dynasm!(a; .arch x64
            ; mov edx, ecx; and edx, MemoryPlaces::WRITING as i32; cmp edx, MemoryPlaces::PLAINLY_WRITABLE as i32
            ; jne =>kept);
    } else {
        dynasm!(a; .arch x64; test cl, MemoryPlaces::READABLE as i8; jz =>kept);
    }
    dynasm!(a; .arch x64
        ; and ecx, !MemoryPlaces::FLAGS as i32; add rcx, [rsp + above + frame::FRAMES]
        ; mov edx, eax; and edx, -(PAGE as i32); sub rcx, rdx
        ; mov edx, eax; and edx, places.plain_selection as i32; mov r8d, eax; and r8d, -(places.line_size as i32));
    if writes {
        dynasm!(a; .arch x64; mov [rdi + rdx + places.plain_written], r8d);
    } else {
        dynasm!(a; .arch x64
            ; cmp [rdi + rdx + places.plain_read], r8d; je =>same; mov DWORD [rdi + rdx + places.plain_written], -1);
    }
    dynasm!(a; .arch x64
        ; =>same; mov [rdi + rdx + places.plain_read], r8d; mov [rdi + rdx + places.plain_base], rcx; jmp =>kept
        ; =>restrained; dec BYTE [rdi + rdx + places.plain_restraint]
        ; =>kept);
}

impl Emitter<'_> {
    /// Makes the access of `size` bytes at `eax` at once if it hits, at label `unplain`: goes on at `ready` with its
    /// place in `rcx + rax`, or at `odd` if its page does not simply allow it. An access that is not made is noted by
    /// its number.
    pub(super) fn hits(
        &mut self,
        hits: Hits,
        unplain: DynamicLabel,
        (word, size, used, number): (usize, u32, Use, u8),
        [ready, odd]: [DynamicLabel; 2],
    ) {
        let writes = used != Use::Reads;
        let make = hits.make[usize::from(writes)];
        let [unusual, unmade, noted, on, unknown] = [(); 5].map(|()| self.label());
        dynasm!(self.a; .arch x64; =>unplain);
        self.maps(size, used, unusual);
        dynasm!(self.a; .arch x64; call extern make; jc =>unmade; jnz =>unknown; =>on);
        self.place();
        dynasm!(self.a; .arch x64
            ; jmp =>ready
            ; =>unmade; cmp BYTE [BYTE rsp + near::UNPLAIN], 0; jne =>on
            ; mov BYTE [BYTE rsp + near::UNPLAIN], (number + 1) as i8; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0; jmp =>on
            ; =>unusual; cmp BYTE [BYTE rsp + near::UNPLAIN], 0; jne =>noted
            ; mov BYTE [BYTE rsp + near::UNPLAIN], (number + 1) as i8; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0
            ; =>noted);
        if size > 1 {
            // A misaligned access within a page is made by the host's instruction all the same.
            dynasm!(self.a; .arch x64
                ; mov ecx, eax; and ecx, PAGE as i32 - 1; cmp ecx, (PAGE - size) as i32; ja =>odd);
            self.allows(used, odd);
            self.place();
            dynasm!(self.a; .arch x64; jmp =>ready);
        } else {
            dynasm!(self.a; .arch x64; jmp =>odd);
        }
        dynasm!(self.a; .arch x64; =>unknown; mov [BYTE rsp + near::PASSED], rsi);
        self.tell_plain(word, writes);
        dynasm!(self.a; .arch x64; mov rsi, [BYTE rsp + near::PASSED]; mov eax, [rbp + 4 * word as i32]; jmp =>on);
    }

    /// The same in a loop of rounds, which is left to `interrupted` if the access is not made.
    pub(super) fn hits_in_rounds(
        &mut self,
        hits: Hits,
        unplain: DynamicLabel,
        (word, size, used): (usize, u32, Use),
        [ready, interrupted]: [DynamicLabel; 2],
    ) {
        let writes = used != Use::Reads;
        let make = hits.make[usize::from(writes)];
        let [on, unknown] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64; =>unplain);
        self.maps(size, used, interrupted);
        dynasm!(self.a; .arch x64; call extern make; jc =>interrupted; jnz =>unknown; =>on);
        self.place();
        dynasm!(self.a; .arch x64; jmp =>ready; =>unknown);
        self.tell_plain(word, writes);
        dynasm!(self.a; .arch x64; mov eax, [rbp + 4 * word as i32]; jmp =>on);
    }

    /// Goes to `odd` unless an access at `eax` is aligned and its page simply allows it. Uses `ecx` and `edx`.
    fn maps(&mut self, size: u32, used: Use, odd: DynamicLabel) {
        if size > 1 {
            dynasm!(self.a; .arch x64; test al, (size - 1) as i8; jnz =>odd);
        }
        self.allows(used, odd);
    }

    /// Tells a function that the line of the access at `word`, which has just hit, may be plain.
    pub(super) fn tell_plain(&mut self, word: usize, writes: bool) {
        self.call_time(self.source.calls.keep, word as u32 | u32::from(writes) << 31);
    }
}
