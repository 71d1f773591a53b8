//! Accesses that miss, wait or are misaligned, as routines that all blocks share: what `p5_timing` does for the only
//! access of a group.
//!
//! A routine takes the address in `eax` and the clock of the access in `rdx`. It gives the clocks that the access waits
//! in `rax` and the place of their cause in the statistics in `ecx`; or [`ANOTHERS`] in `rax`, with nothing changed but
//! what a further attempt finds as it would make it, if the access is left to a function. The registers of the program
//! and `rbx`, `rbp`, `rsi` and `rdi` are kept.

use super::{Assembler, Emitter, hits};
use crate::frame::near;
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use p5_timing::pipeline::{MissPlaces, Places, PlannedAccess, PlannedGroup, PlannedSole, TransferClocks, WaitPlaces};
use p5_words::isa::PAGE;

/// What a routine returns if it has made no access. No access waits so long.
const ANOTHERS: i32 = -1;

/// The addresses of the routines: for a read, and for a write from U and from V.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Misses {
    read: usize,
    writes: [usize; 2],
    /// The same for reads and for writes that are misaligned; none if a line has no boundary for them to cross.
    misaligned: Option<[usize; 2]>,
}

impl Misses {
    /// The address of the routine for a read, or for a write from pipe number `pipe`.
    pub(super) fn routine(&self, writes: bool, pipe: usize) -> usize {
        if writes { self.writes[pipe] } else { self.read }
    }
}

/// Where a routine ends.
struct Ends {
    /// With the clock at which the access is done in `rax`.
    waits: DynamicLabel,
    /// Without the access.
    anothers: DynamicLabel,
}

/// Generates the routines; `None` if code makes no such accesses.
pub(super) fn routines(a: &mut Assembler, base: usize, places: &Places) -> Option<Misses> {
    let misses = places.misses.as_ref()?;
    if places.plain_selection == 0 {
        return None;
    }
    let here = |a: &Assembler| base + a.offset().0;
    let read = here(a);
    read_routine(a, places, misses);
    let writes = [0, 1].map(|pipe| {
        let address = here(a);
        write_routine(a, places, misses, pipe);
        address
    });
    let has_boundary = places.boundaries[0] <= places.line_size;
    let misaligned = has_boundary.then(|| {
        [false, true].map(|writes| {
            let address = here(a);
            misaligned_routine(a, places, misses, writes);
            address
        })
    });
    Some(Misses {
        read,
        writes,
        misaligned,
    })
}

/// The beginning: goes to `hit` if the line, which is in `r8d` from now on, is the first of its set, whose address is
/// in `r9`, and to `turned` after it has become so. If it is in no way, the first way's tag is in `ecx` and that of the
/// second one in `r10d`. `r11` is free.
fn look_up(a: &mut Assembler, places: &Places, misses: &MissPlaces, anothers: DynamicLabel, hit: DynamicLabel) {
    let [other, missing, page, known, turned, look, look_fails] = [(); 7].map(|()| a.new_dynamic_label());
    dynasm!(a; .arch x64
        ; push r8; push r9; push r10; push r11
        ; cmp BYTE [rsi + misses.general_accesses], 0; jne =>anothers
        ; cmp BYTE [rdi + misses.bus.video], 0; jne =>anothers
        ; mov ecx, eax; shr ecx, PAGE.trailing_zeros() as i8; mov r8d, ecx; and r8d, places.page_mask as i32
        ; cmp [rdi + r8 * 4 + places.data_pages], ecx; jne =>page
        ; =>known
        ; mov r8d, eax; and r8d, -(places.line_size as i32)
        ; mov ecx, eax; shr ecx, places.tag_shift as i8; and ecx, places.tag_mask as i32
        ; lea r9, [rdi + rcx * 4 + places.tags]
        ; mov ecx, [r9]; mov r10d, ecx; and r10d, places.tag_bits as i32; cmp r10d, r8d; jne =>other; jmp =>hit
        ; =>other
        ; mov r10d, [r9 + 4]; mov r11d, r10d; and r11d, places.tag_bits as i32; cmp r11d, r8d; jne =>missing
        ; mov [r9], r10d; mov [r9 + 4], ecx);
    forget(a, places);
    dynasm!(a; .arch x64; jmp =>hit; =>page; mov r10, rdx; mov edx, r8d);
    hits::turn_page(a, places, look, turned, look_fails);
    dynasm!(a; .arch x64; =>turned; mov rdx, r10; jmp =>known; =>look_fails; mov rdx, r10; jmp =>anothers
        ; =>missing
        ; cmp DWORD [rdi + misses.bus.wanted], misses.bus.no_line as i32; jne =>anothers);
}

/// Forgets that the line of the set of the address in `eax` is plain. Uses `r11`.
fn forget(a: &mut Assembler, places: &Places) {
    dynasm!(a; .arch x64
        ; mov r11d, eax; and r11d, places.plain_selection as i32
        ; mov DWORD [rdi + r11 + places.plain_read], -1; mov DWORD [rdi + r11 + places.plain_written], -1);
}

fn read_routine(a: &mut Assembler, places: &Places, misses: &MissPlaces) {
    let [hit, orders, fresh, filled, settled, back, now] = [(); 7].map(|()| a.new_dynamic_label());
    let ends = Ends {
        waits: a.new_dynamic_label(),
        anothers: a.new_dynamic_label(),
    };
    let (bus, first) = (&misses.bus, &misses.bus.first);
    look_up(a, places, misses, ends.anothers, hit);
    dynasm!(a; .arch x64; cmp QWORD [rdi + misses.fills], 0; jne =>ends.anothers);
    if let Some(second) = &bus.second {
        dynasm!(a; .arch x64
            ; mov r11d, r8d; shr r11d, second.shift as i8; and r11d, second.mask as i32
            ; mov r11d, [rdi + r11 * 4 + second.tags]; and r11d, !second.modified as i32
            ; cmp r11d, r8d; jne =>ends.anothers);
    }
    let of_memory = i8::from(bus.second.is_none());
    dynasm!(a; .arch x64
        ; mov BYTE [rdi + bus.of_memory], of_memory
        // An empty way is taken first, then the last one.
        ; cmp ecx, misses.empty as i32; je =>fresh; mov [r9 + 4], ecx; jmp =>filled
        ; =>fresh; mov r10d, ecx; =>filled; mov [r9], r8d);
    forget(a, places);
    // The next accesses of the line hit, and wait at most for the fill.
    let unknown = a.new_dynamic_label();
    dynasm!(a; .arch x64; mov r11, rdx);
    hits::keep(a, places, false, 8 + 32, unknown);
    dynasm!(a; .arch x64; =>unknown; mov rdx, r11; mov r8d, eax; and r8d, -(places.line_size as i32));
    // The fill waits for buffered writes, and for the bus.
    dynasm!(a; .arch x64
        ; inc QWORD [rsi + misses.read_misses]
        ; mov r11, [rdi + places.drained]; cmp r11, rdx; cmovb r11, rdx
        ; mov rcx, [rdi + bus.free]; cmp r11, rcx; cmovb r11, rcx; add r11, first.fill as i32
        ; mov [rdi + bus.free], r11; add QWORD [rdi + bus.busy], first.fill as i32; inc QWORD [rdi + bus.cycles]
        ; mov [rdi + places.filled], r8d; mov DWORD [rdi + bus.fill_width], places.transfer as i32
        ; mov ecx, eax; and ecx, places.line_size as i32 - 1; shr ecx, places.transfer as i8
        ; lea r8, [=>orders]; mov rcx, [r8 + rcx * 8]; mov [rdi + places.before_end], rcx
        ; mov [rdi + places.filling_until], r11
        ; cmp [rdi + places.settled], r11; jae =>settled; mov [rdi + places.settled], r11; =>settled
        ; lea rax, [r11 - (first.after_first as i32)]
        ; test r10b, places.modified as i8; jnz =>back; jmp =>ends.waits
        // The line that leaves is written back.
        ; =>back; inc QWORD [rsi + misses.written_back]; and r10d, places.tag_bits as i32);
    written(a, misses, |clocks| clocks.write_back);
    dynasm!(a; .arch x64
        ; mov r11, [rdi + bus.free]; cmp r11, rdx; cmovb r11, rdx; add r11, rcx
        ; mov [rdi + bus.free], r11; add [rdi + bus.busy], rcx; inc QWORD [rdi + bus.cycles]
        ; mov [rdi + places.drained], r11
        ; cmp [rdi + places.settled], r11; jae =>ends.waits; mov [rdi + places.settled], r11; jmp =>ends.waits
        // A read of a line that is being filled waits for its transfer.
        ; =>hit; cmp [rdi + places.filled], r8d; jne =>now
        ; mov ecx, eax; and ecx, places.line_size as i32 - 1; shr ecx, places.transfer as i8; shl ecx, 4
        ; mov r11, [rdi + places.before_end]; shr r11, cl; movzx r11d, r11w
        ; mov rax, [rdi + places.filling_until]; sub rax, r11; jmp =>ends.waits
        ; =>now; xor eax, eax; jmp =>ends.waits; .align 8; =>orders);
    for order in first.orders {
        dynasm!(a; .arch x64; .u64 order);
    }
    end(a, &ends, &misses.reads);
}

fn write_routine(a: &mut Assembler, places: &Places, misses: &MissPlaces, pipe: usize) {
    let [hit, ordered, settled, wrapped, buffered] = [(); 5].map(|()| a.new_dynamic_label());
    let ends = Ends {
        waits: a.new_dynamic_label(),
        anothers: a.new_dynamic_label(),
    };
    let bus = &misses.bus;
    let (empty, next) = (bus.empty[pipe], bus.next[pipe]);
    look_up(a, places, misses, ends.anothers, hit);
    dynasm!(a; .arch x64
        ; inc QWORD [rsi + misses.write_misses]
        ; mov r9d, [rdi + next]; mov rax, [rdi + r9 * 8 + empty]; cmp rax, rdx; cmovb rax, rdx; mov r10d, r8d);
    written(a, misses, |clocks| clocks.write);
    if bus.second.is_none() {
        dynasm!(a; .arch x64; mov BYTE [rdi + bus.of_memory], 1);
    } else {
        dynasm!(a; .arch x64; mov [rdi + bus.of_memory], r11b);
    }
    dynasm!(a; .arch x64
        ; mov r11, [rdi + bus.free]; cmp r11, rax; cmovb r11, rax; add r11, rcx
        ; mov [rdi + bus.free], r11; add [rdi + bus.busy], rcx; inc QWORD [rdi + bus.cycles]
        ; mov [rdi + places.drained], r11; mov [rdi + r9 * 8 + empty], r11
        ; cmp [rdi + places.settled], r11; jae =>settled; mov [rdi + places.settled], r11; =>settled
        ; inc r9d; cmp r9d, bus.buffers as i32; jne =>wrapped; xor r9d, r9d; =>wrapped; mov [rdi + next], r9d
        ; jmp =>buffered
        // A write to a line that is cached waits for those before it, and for the line.
        ; =>hit; or DWORD [r9], places.modified as i32
        ; mov rax, [rdi + places.drained]; cmp [rdi + places.filled], r8d; jne =>ordered
        ; mov rax, [rdi + places.settled]; =>ordered);
    end(a, &ends, &misses.order);
    dynasm!(a; .arch x64; =>buffered);
    let ends = Ends {
        waits: a.new_dynamic_label(),
        anothers: a.new_dynamic_label(),
    };
    end(a, &ends, &misses.buffers);
}

/// The routine for an access of the size of the usual boundary that crosses it: it makes one whose line is the first of
/// its set, and that waits for nothing.
fn misaligned_routine(a: &mut Assembler, places: &Places, misses: &MissPlaces, writes: bool) {
    let (anothers, known) = (a.new_dynamic_label(), &misses.misaligned);
    let until = if writes { places.settled } else { places.filling_until };
    dynasm!(a; .arch x64
        ; push r8
        ; cmp BYTE [rsi + misses.general_accesses], 0; jne =>anothers
        ; cmp BYTE [rdi + misses.bus.video], 0; jne =>anothers
        ; mov ecx, eax; and ecx, places.line_size as i32 - 1
        ; cmp ecx, (places.line_size - places.boundaries[0]) as i32; ja =>anothers
        ; cmp [rdi + until], rdx; ja =>anothers
        ; mov ecx, eax; shr ecx, PAGE.trailing_zeros() as i8; mov r8d, ecx; and r8d, places.page_mask as i32
        ; cmp [rdi + r8 * 4 + places.data_pages], ecx; jne =>anothers
        ; mov ecx, eax; shr ecx, places.tag_shift as i8; and ecx, places.tag_mask as i32
        ; mov r8d, [rdi + rcx * 4 + places.tags]; and r8d, places.tag_bits as i32
        ; and eax, -(places.line_size as i32); cmp eax, r8d; jne =>anothers);
    if writes {
        dynasm!(a; .arch x64; or DWORD [rdi + rcx * 4 + places.tags], places.modified as i32);
    }
    dynasm!(a; .arch x64
        ; inc QWORD [rsi + known.references]; inc QWORD [rsi + known.halves[usize::from(writes)]]
        ; mov eax, known.clocks as i32; mov ecx, known.cause; pop r8; ret
        ; =>anothers; mov rax, ANOTHERS; pop r8; ret);
}

/// Loads the clocks of a write to the line in `r10d` into `rcx`, which the second level cache notes if it has the line;
/// `r11d` is 0 then, otherwise 1. Uses `r8`.
fn written(a: &mut Assembler, misses: &MissPlaces, clocks: impl Fn(&TransferClocks) -> u32) {
    let bus = &misses.bus;
    let Some(second) = &bus.second else {
        dynasm!(a; .arch x64; mov ecx, clocks(&bus.first) as i32);
        return;
    };
    let [memory, known] = [(); 2].map(|()| a.new_dynamic_label());
    dynasm!(a; .arch x64
        ; mov r8d, r10d; shr r8d, second.shift as i8; and r8d, second.mask as i32
        ; lea r8, [rdi + r8 * 4 + second.tags]; mov r11d, [r8]; and r11d, !second.modified as i32
        ; cmp r11d, r10d; jne =>memory; or DWORD [r8], second.modified as i32
        ; mov ecx, clocks(&bus.first) as i32; xor r11d, r11d; jmp =>known
        ; =>memory; mov ecx, clocks(&second.memory) as i32; mov r11d, 1; =>known);
}

/// The end of a routine: counts the wait until the clock in `rax`.
fn end(a: &mut Assembler, ends: &Ends, wait: &WaitPlaces) {
    let [none, counted] = [(); 2].map(|()| a.new_dynamic_label());
    let [occurrences, clocks] = wait.event;
    dynasm!(a; .arch x64
        ; =>ends.waits; mov r10, rax; sub rax, rdx; jbe =>none
        // Clocks in which the other pipe waits as well are counted.
        ; mov rcx, [rsi + wait.counted_until]; cmp rcx, rdx; cmovb rcx, rdx
        ; mov r11, r10; sub r11, rcx; jbe =>counted
        ; mov [rsi + wait.counted_until], r10; inc QWORD [rsi + occurrences]; add [rsi + clocks], r11
        ; =>counted; mov ecx, wait.cause; pop r11; pop r10; pop r9; pop r8; ret
        ; =>none; xor eax, eax; jmp =>counted
        ; =>ends.anothers; mov rax, ANOTHERS; pop r11; pop r10; pop r9; pop r8; ret);
}

impl Emitter<'_> {
    /// Makes the only access of `group`, which issues `issue` clocks after `rbx`, by a routine: goes on with the clocks
    /// that the group takes longer in `rax`, or at `anothers` if it makes none. Returns whether there is such code.
    pub(super) fn sole_access(&mut self, group: &PlannedGroup, issue: u32, anothers: DynamicLabel) -> bool {
        match (group.sole, &*group.accesses) {
            (Some(sole), [access]) => self.access_alone(access, sole, issue, anothers),
            _ => false,
        }
    }

    /// The same for `access`, which `sole` says is the only one of its group.
    pub(super) fn access_alone(
        &mut self,
        access: &PlannedAccess,
        sole: PlannedSole,
        issue: u32,
        anothers: DynamicLabel,
    ) -> bool {
        let Some(misses) = self.source.common.misses else {
            return false;
        };
        // An access of another size crosses no boundary only by chance.
        if !access.size.is_power_of_two() || access.size > self.source.places.boundaries[1] {
            return false;
        }
        let routine = misses.routine(access.writes, sole.pipe);
        let [misaligned, made] = [(); 2].map(|()| self.label());
        self.noted_word(access.word);
        dynasm!(self.a; .arch x64; lea rdx, [rbx + issue as i32]);
        let crosses = access.size == self.source.places.boundaries[0];
        if let Some(routines) = misses.misaligned.filter(|_| crosses) {
            dynasm!(self.a; .arch x64; test al, access.size as i8 - 1; jnz =>misaligned);
            let routine = routines[usize::from(access.writes)];
            self.aside(move |emitter| {
                dynasm!(emitter.a; .arch x64
                    ; =>misaligned; call extern routine; test rax, rax; jns =>made; jmp =>anothers);
            });
        } else if access.size > 1 {
            dynasm!(self.a; .arch x64; test al, access.size as i8 - 1; jnz =>anothers);
        }
        dynasm!(self.a; .arch x64; call extern routine; test rax, rax; js =>anothers; =>made);
        if sole.hidden > 0 {
            // What the other instruction of the pair takes longer hides the wait.
            let longer = self.label();
            dynasm!(self.a; .arch x64; sub rax, sole.hidden as i32; jae =>longer; xor eax, eax; =>longer);
        }
        dynasm!(self.a; .arch x64
            ; mov rdx, [BYTE rsp + near::STATISTICS]; add [rdx + rcx + sole.statistics as i32], eax);
        true
    }
}
