//! Operands: accesses to memory, at the host's address of it.

use super::Emitter;
use super::planned::{Use, concerns, number};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::{Instruction, Register};
use p5_meaning::memory::Places;
use p5_words::isa::PAGE;

impl Emitter<'_> {
    /// Computes the address of the memory operand in `eax`. The flags of the host are kept.
    pub(super) fn address(&mut self, instruction: &Instruction) {
        let wide = |of: Register| match of {
            Register::None => None,
            _ => Some(number(of)),
        };
        let displacement = instruction.memory_displacement32() as i32;
        let near = i8::try_from(displacement).ok();
        let a = &mut self.a;
        match (wide(instruction.memory_base()), wide(instruction.memory_index())) {
            (None, None) => dynasm!(a; .arch x64; mov eax, displacement),
            (Some(base), None) => match near {
                Some(near) => dynasm!(a; .arch x64; lea eax, [BYTE Rq(base) + near]),
                None => dynasm!(a; .arch x64; lea eax, [Rq(base) + displacement]),
            },
            (None, Some(index)) => match instruction.memory_index_scale() {
                1 => dynasm!(a; .arch x64; lea eax, [Rq(index) * 1 + displacement]),
                2 => dynasm!(a; .arch x64; lea eax, [Rq(index) * 2 + displacement]),
                4 => dynasm!(a; .arch x64; lea eax, [Rq(index) * 4 + displacement]),
                _ => dynasm!(a; .arch x64; lea eax, [Rq(index) * 8 + displacement]),
            },
            (Some(base), Some(index)) => match (instruction.memory_index_scale(), near) {
                (1, Some(near)) => dynasm!(a; .arch x64; lea eax, [BYTE Rq(base) + Rq(index) * 1 + near]),
                (2, Some(near)) => dynasm!(a; .arch x64; lea eax, [BYTE Rq(base) + Rq(index) * 2 + near]),
                (4, Some(near)) => dynasm!(a; .arch x64; lea eax, [BYTE Rq(base) + Rq(index) * 4 + near]),
                (_, Some(near)) => dynasm!(a; .arch x64; lea eax, [BYTE Rq(base) + Rq(index) * 8 + near]),
                (1, None) => dynasm!(a; .arch x64; lea eax, [Rq(base) + Rq(index) * 1 + displacement]),
                (2, None) => dynasm!(a; .arch x64; lea eax, [Rq(base) + Rq(index) * 2 + displacement]),
                (4, None) => dynasm!(a; .arch x64; lea eax, [Rq(base) + Rq(index) * 4 + displacement]),
                (_, None) => dynasm!(a; .arch x64; lea eax, [Rq(base) + Rq(index) * 8 + displacement]),
            },
        }
    }

    /// Makes the access of `size` bytes at `eax`, whose facts begin at `word`, possible at `rcx + rax`. If it is not
    /// simple, the code goes to the label that is returned, with the registers of the program as before. Uses `edx`.
    pub(super) fn access(&mut self, word: usize, size: u32, used: Use) -> DynamicLabel {
        self.access_before(word, size, used, false)
    }

    /// The same. The operation may still fail after the access if it `may_fail`.
    pub(super) fn access_before(&mut self, word: usize, size: u32, used: Use, may_fail: bool) -> DynamicLabel {
        let [odd, unplain, ready] = [(); 3].map(|()| self.label());
        let places = self.source.places;
        let interrupted = self.access_in_rounds();
        self.note_word(word);
        if used == Use::Modifies {
            self.note_word(word + 1);
        }
        self.flags_held = false;
        if places.plain_selection == 0 {
            self.mapped(size, used, odd);
            return odd;
        }
        let known = match used {
            Use::Reads => places.plain_read,
            Use::Writes | Use::Modifies => places.plain_written,
        };
        // No line begins at an address that is not aligned, so that such an access is not plain either.
        let line = -(places.line_size as i32) | (size - 1) as i32;
        dynasm!(self.a; .arch x64
            ; mov ecx, eax; and ecx, places.plain_selection as i32; mov edx, eax);
        match i8::try_from(line) {
            Ok(line) => dynasm!(self.a; .arch x64; and edx, BYTE line),
            Err(_) => dynasm!(self.a; .arch x64; and edx, line),
        }
        dynasm!(self.a; .arch x64
            ; cmp [rdi + rcx + known], edx; jne =>unplain
            ; mov rcx, [rdi + rcx + places.plain_base]; =>ready);
        let hits = self.source.common.hits.filter(|_| self.all_made && !may_fail);
        if let Some(interrupted) = interrupted {
            self.aside(move |emitter| match hits {
                Some(hits) => emitter.hits_in_rounds(hits, unplain, (word, size, used), [ready, interrupted]),
                None => dynasm!(emitter.a; .arch x64; =>unplain; jmp =>interrupted),
            });
            return odd;
        }
        let number = self.known_words.len() as u8;
        self.known_words.extend(word..word + used.words());
        self.aside(move |emitter| {
            if let Some(hits) = hits {
                return emitter.hits(hits, unplain, (word, size, used, number), [ready, odd]);
            }
            let noted = emitter.label();
            dynasm!(emitter.a; .arch x64
                ; =>unplain; cmp BYTE [BYTE rsp + near::UNPLAIN], 0; jne =>noted
                ; mov BYTE [BYTE rsp + near::UNPLAIN], (number + 1) as i8
                ; mov QWORD [BYTE rsp + near::USUAL_UNTIL], 0; =>noted);
            emitter.mapped(size, used, odd);
            dynasm!(emitter.a; .arch x64; jmp =>ready);
        });
        odd
    }

    /// Makes `eax` the fact word `word`.
    pub(super) fn note_word(&mut self, word: usize) {
        match i8::try_from(4 * word) {
            Ok(place) => dynasm!(self.a; .arch x64; mov [BYTE rbp + place], eax),
            Err(_) => dynasm!(self.a; .arch x64; mov [rbp + 4 * word as i32], eax),
        }
    }

    /// Loads `eax` with the fact word `word`.
    pub(super) fn noted_word(&mut self, word: usize) {
        match i8::try_from(4 * word) {
            Ok(place) => dynasm!(self.a; .arch x64; mov eax, [BYTE rbp + place]),
            Err(_) => dynasm!(self.a; .arch x64; mov eax, [rbp + 4 * word as i32]),
        }
    }

    /// Makes an access at `eax` possible at `rcx + rax` by the table of pages. Goes to `odd` if it crosses a page, or
    /// if its page does not simply allow it.
    fn mapped(&mut self, size: u32, used: Use, odd: DynamicLabel) {
        if size > 1 {
            dynasm!(self.a; .arch x64
                ; mov ecx, eax; and ecx, PAGE as i32 - 1; cmp ecx, (PAGE - size) as i32; ja =>odd);
        }
        self.allows(used, odd);
        self.place();
    }

    /// Goes to `odd` unless the page of the address in `eax` simply allows an access. Uses `ecx` and `edx`.
    pub(super) fn allows(&mut self, used: Use, odd: DynamicLabel) {
        let a = &mut self.a;
        dynasm!(a; .arch x64; mov ecx, eax; shr ecx, 12; mov rdx, [BYTE rsp + near::PAGES]; mov ecx, [rdx + rcx * 4]);
        if used == Use::Reads {
            dynasm!(a; .arch x64; test cl, Places::READABLE as i8; jz =>odd);
        } else {
            dynasm!(a; .arch x64; mov edx, ecx; and edx, Places::WRITING as i32
                ; cmp edx, Places::PLAINLY_WRITABLE as i32; jne =>odd);
        }
    }

    /// Makes `rcx + rax` the place of the byte whose address is in `eax`. Uses `rdx`.
    pub(super) fn place(&mut self) {
        dynasm!(self.a; .arch x64
            ; mov ecx, eax; shr ecx, 12; mov rdx, [BYTE rsp + near::PAGES]; mov ecx, [rdx + rcx * 4]
            ; and ecx, !Places::FLAGS as i32; and eax, Places::FLAGS as i32; add rcx, [rsp + frame::FRAMES]);
    }

    /// What is done at `odd` instead of the rest of operation `index`, which ends at `done`: all of it, by its handler.
    pub(super) fn otherwise(&mut self, index: usize, odd: DynamicLabel, done: DynamicLabel) {
        if self.inside_rounds() {
            // The access has gone on in the code of a single replay.
            return;
        }
        let instruction = self.source.instructions[index];
        let (held, unit, left) = (self.flags_held, self.unit.clone(), self.flags_before.clone());
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64; =>odd);
            emitter.find_flags(&left);
            emitter.call_handler(index, concerns(&instruction), unit);
            if held {
                emitter.load_flags();
            }
            dynasm!(emitter.a; .arch x64; jmp =>done);
        });
    }
}
