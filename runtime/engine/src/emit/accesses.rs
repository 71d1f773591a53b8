//! The accesses of a usual group: whether all of them simply hit.

use super::{Emitter, hits};
use crate::frame::near;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::{PlannedAccess, PlannedGroup};
use p5_words::isa::PAGE;

impl Emitter<'_> {
    /// Whether all accesses of `groups` may be known to be of plain lines.
    pub(super) fn may_be_plain(&self, groups: &[PlannedGroup]) -> bool {
        let bank_width = 1 << self.source.places.bank.trailing_zeros();
        let known = |access: &PlannedAccess| self.known_words.contains(&access.word);
        let narrow = |group: &PlannedGroup| {
            let together = group.together.map_or(&[][..], |_| &group.accesses);
            together.iter().all(|access| access.size <= bank_width)
        };
        groups.iter().any(|group| !group.accesses.is_empty())
            && groups
                .iter()
                .all(|group| group.accesses.iter().all(known) && narrow(group))
    }

    /// Goes to `others` unless all accesses of `groups`, the first of which issues at `rbx` or later, are of plain
    /// lines, and neither a line that is being filled nor a bank or a write that is waiting concerns them.
    pub(super) fn all_plain(&mut self, groups: &[PlannedGroup], others: DynamicLabel) {
        dynasm!(self.a; .arch x64; cmp BYTE [BYTE rsp + near::UNPLAIN], 0; jne =>others);
        self.nothing_waits(groups, others);
        self.banks_differ(groups, others);
    }

    /// Goes to `otherwise` unless `access` is of a plain line, as all of the block before it are, and does not wait at
    /// `rbx`. Returns false if nothing can be known of its line.
    pub(super) fn plain_access(&mut self, access: &PlannedAccess, otherwise: DynamicLabel) -> bool {
        let places = self.source.places;
        let number = self.known_words.iter().position(|&word| word == access.word);
        let Some(number) = number.filter(|_| places.plain_selection != 0) else {
            return false;
        };
        let until = if access.writes {
            places.settled
        } else {
            places.filling_until
        };
        // The number of the first one that is not plain is higher, or there is none.
        dynasm!(self.a; .arch x64
            ; movzx eax, BYTE [BYTE rsp + near::UNPLAIN]; dec al; cmp al, number as i8; jbe =>otherwise);
        if access.after > 0 {
            dynasm!(self.a; .arch x64; lea rdx, [rbx + access.after as i32]; cmp [rdi + until], rdx; ja =>otherwise);
        } else {
            dynasm!(self.a; .arch x64; cmp [rdi + until], rbx; ja =>otherwise);
        }
        true
    }

    /// Goes to `others` if accesses of `groups` may have to wait for a line that is being filled, or for writes. Uses
    /// `eax` and `ecx`.
    pub(super) fn nothing_waits(&mut self, groups: &[PlannedGroup], others: DynamicLabel) {
        let places = self.source.places;
        for writes in [false, true] {
            let of_kind = |access: &&PlannedAccess| access.writes == writes;
            let accesses = groups.iter().flat_map(|group| &group.accesses).filter(of_kind);
            let words: Vec<i32> = accesses.map(|access| 4 * access.word as i32).collect();
            if words.is_empty() {
                continue;
            }
            let [busy, on] = [(); 2].map(|()| self.label());
            let until = if writes { places.settled } else { places.filling_until };
            dynasm!(self.a; .arch x64; cmp [rdi + until], rbx; ja =>busy; =>on);
            self.aside(move |emitter| {
                // Only the line that is being filled has to be waited for, and a write waits for those before it.
                dynasm!(emitter.a; .arch x64; =>busy);
                if writes {
                    dynasm!(emitter.a; .arch x64; cmp [rdi + places.drained], rbx; ja =>others);
                }
                dynasm!(emitter.a; .arch x64; mov eax, [rdi + places.filled]);
                for word in words {
                    dynasm!(emitter.a; .arch x64
                        ; mov ecx, [rbp + word]; xor ecx, eax; test ecx, -(places.line_size as i32); jz =>others);
                }
                dynasm!(emitter.a; .arch x64; jmp =>on);
            });
        }
    }

    /// Goes to `others` if two accesses of one clock are of one bank. Uses `eax`.
    pub(super) fn banks(&mut self, groups: &[PlannedGroup], others: DynamicLabel) {
        let places = self.source.places;
        for group in groups {
            let Some(([one, other], _)) = group.together else {
                continue;
            };
            let [one, other] = [one, other].map(|index| 4 * group.accesses[index].word as i32);
            dynasm!(self.a; .arch x64
                ; mov eax, [rbp + one]; xor eax, [rbp + other]; test eax, places.bank as i32; jz =>others);
        }
    }

    /// The same, and counts the writes of one clock.
    pub(super) fn banks_differ(&mut self, groups: &[PlannedGroup], others: DynamicLabel) {
        self.banks(groups, others);
        for _ in groups.iter().filter(|group| matches!(group.together, Some((_, true)))) {
            dynasm!(self.a; .arch x64; inc QWORD [rsi + self.source.places.both_write_hits]);
        }
    }

    /// Checks the accesses of `group`, which issues `issue` clocks after `rbx`. Goes to `slow` unless all hit without a
    /// wait. Marks lines as written; to do so again changes nothing.
    pub(super) fn accesses(&mut self, group: &PlannedGroup, issue: u32, slow: DynamicLabel) {
        let places = self.source.places;
        if let Some(([one, other], _)) = group.together {
            let [one, other] = [one, other].map(|index| group.accesses[index]);
            let bank_width = 1 << places.bank.trailing_zeros();
            if one.size > bank_width || other.size > bank_width {
                dynasm!(self.a; .arch x64; jmp =>slow);
                return;
            }
            // Accesses that may lie across two banks are left to the function.
            for access in [one, other]
                .into_iter()
                .filter(|one| one.size > 1 && places.boundaries[0] > bank_width)
            {
                dynasm!(self.a; .arch x64
                    ; test BYTE [rbp + 4 * access.word as i32], access.size as i8 - 1; jnz =>slow);
            }
            dynasm!(self.a; .arch x64
                ; mov eax, [rbp + 4 * one.word as i32]; xor eax, [rbp + 4 * other.word as i32]
                ; test eax, places.bank as i32; jz =>slow);
        }
        for access in &group.accesses {
            self.access_hits(access, issue, slow);
        }
        if let Some((_, true)) = group.together {
            dynasm!(self.a; .arch x64; inc QWORD [rsi + places.both_write_hits]);
        }
    }

    pub(super) fn access_hits(&mut self, access: &PlannedAccess, issue: u32, slow: DynamicLabel) {
        let places = self.source.places;
        let [usual, wide] = places.boundaries;
        let boundary = if access.size >= wide { wide } else { usual };
        let [page, known, other, found, busy, done] = [(); 6].map(|()| self.label());
        self.noted_word(access.word);
        if access.size == boundary {
            dynasm!(self.a; .arch x64; test al, boundary as i8 - 1; jnz =>slow);
        } else if access.size > 1 {
            dynasm!(self.a; .arch x64
                ; lea ecx, [rax + access.size as i32 - 1]; xor ecx, eax; cmp ecx, boundary as i32; jae =>slow);
        }
        dynasm!(self.a; .arch x64
            ; mov ecx, eax; shr ecx, PAGE.trailing_zeros() as i8; mov edx, ecx; and edx, places.page_mask as i32
            ; cmp [rdi + rdx * 4 + places.data_pages], ecx; jne =>page
            ; =>known; mov ecx, eax; shr ecx, places.tag_shift as i8; and ecx, places.tag_mask as i32
            ; mov edx, [rdi + rcx * 4 + places.tags]; and edx, places.tag_bits as i32
            ; and eax, -(places.line_size as i32); cmp eax, edx; jne =>other
            ; =>found; lea rdx, [rbx + (issue + access.after) as i32]);
        if access.writes {
            dynasm!(self.a; .arch x64
                ; cmp [rdi + places.settled], rdx; ja =>busy
                ; =>done; or DWORD [rdi + rcx * 4 + places.tags], places.modified as i32);
        } else {
            dynasm!(self.a; .arch x64; cmp [rdi + places.filling_until], rdx; ja =>busy; =>done);
        }
        let word = access.word;
        if self.known_words.contains(&word) {
            self.keep(access);
        }
        self.aside(move |emitter| {
            let [turned, none] = [(); 2].map(|()| emitter.label());
            dynasm!(emitter.a; .arch x64; =>page; push r8);
            let look = emitter.label();
            hits::turn_page(&mut emitter.a, places, look, turned, none);
            dynasm!(emitter.a; .arch x64; =>turned; pop r8; jmp =>known; =>none; pop r8; jmp =>slow);
        });
        let (ways, writes) = (places.ways, access.writes);
        self.aside(move |emitter| {
            let places = emitter.source.places;
            dynasm!(emitter.a; .arch x64; =>other);
            if ways == 2 {
                // The other way becomes the most recent one.
                dynasm!(emitter.a; .arch x64
                    ; mov edx, [rdi + rcx * 4 + places.tags + 4]; and edx, places.tag_bits as i32
                    ; cmp eax, edx; jne =>slow
                    ; rol QWORD [rdi + rcx * 4 + places.tags], 32);
                if places.plain_selection != 0 {
                    // No line of the set is plain any more, neither for reads nor for writes.
                    dynasm!(emitter.a; .arch x64
                        ; mov edx, eax; and edx, places.plain_selection as i32
                        ; mov DWORD [rdi + rdx + places.plain_read], -1
                        ; mov DWORD [rdi + rdx + places.plain_written], -1);
                }
                dynasm!(emitter.a; .arch x64; jmp =>found);
            } else {
                dynasm!(emitter.a; .arch x64; jmp =>slow);
            }
            // Only the line that is being filled has to be waited for, and a write waits for those before it.
            dynasm!(emitter.a; .arch x64; =>busy; cmp [rdi + places.filled], eax);
            if writes {
                dynasm!(emitter.a; .arch x64; je =>slow; cmp [rdi + places.drained], rdx; ja =>slow; jmp =>done);
            } else {
                // Each transfer of the line arrives at a clock of its own.
                dynasm!(emitter.a; .arch x64
                    ; jne =>done
                    ; mov ecx, [rbp + 4 * word as i32]; and ecx, places.line_size as i32 - 1
                    ; shr ecx, places.transfer as i8; shl ecx, 4
                    ; mov rax, [rdi + places.before_end]; shr rax, cl; movzx eax, ax
                    ; add rax, rdx; cmp rax, [rdi + places.filling_until]; jae =>done; jmp =>slow);
            }
        });
    }

    /// Lets code look up the line of `access`, which has just hit, by itself from now on. Uses `eax`, `ecx` and `edx`.
    fn keep(&mut self, access: &PlannedAccess) {
        let places = self.source.places;
        let [unknown, kept] = [(); 2].map(|()| self.label());
        let (word, writes) = (access.word, access.writes);
        let known = if writes {
            places.plain_written
        } else {
            places.plain_read
        };
        self.noted_word(word);
        dynasm!(self.a; .arch x64
            ; mov ecx, eax; and ecx, places.plain_selection as i32
            ; mov edx, eax; and edx, -(places.line_size as i32); cmp [rdi + rcx + known], edx; jne =>unknown; =>kept);
        let keep = self.source.common.hits.map(|hits| hits.keep[usize::from(writes)]);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>unknown);
            if let Some(keep) = keep {
                dynasm!(emitter.a; .arch x64; call extern keep; jnc =>kept);
            }
            emitter.tell_plain(word, writes);
            dynasm!(emitter.a; .arch x64; jmp =>kept);
        });
    }
}
