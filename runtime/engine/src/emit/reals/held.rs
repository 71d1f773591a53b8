//! The registers of the program that the host's unit holds: loaded from the state in memory where they are needed, and
//! stored in it again.

use super::unit::{ANY, Held, SAFE, Unit, Unreported};
use super::{EMPTY, Emitter, LAST, REAL, REGISTERS, REPORTED, SIGN_EXPONENT, STATUS, TOP, UNUSUAL};
use crate::frame::{self, near};
use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use iced_x86::Register;
use p5_words::facts::Circumstances;
use p5_words::fpu::{BIAS, C1, Extended, LastInstruction, PRECISION, STACK};
use std::mem::offset_of;

/// The least exponent of safe operands, and how many follow it.
const LEAST: i32 = BIAS - SAFE as i32;
const SPAN: i32 = 2 * SAFE as i32;

const _: () = assert!(
    size_of::<Extended>() == 16,
    "the number of a register is shifted by four bits"
);

impl Emitter<'_> {
    /// Makes `rcx` the address of a register in the state, less [`REGISTERS`]. Uses `eax`.
    fn address_of_register(&mut self, number: u8) {
        dynasm!(self.a; .arch x64; mov rcx, [BYTE rsp + near::STATE]; movzx eax, BYTE [rcx + TOP]);
        if number > 0 {
            dynasm!(self.a; .arch x64; add eax, i32::from(number); and eax, 7);
        }
        dynasm!(self.a; .arch x64; shl eax, 4; add rcx, rax);
    }

    /// Goes to `otherwise` if the exponent of the register at `rcx` is far from that of 1.0, or if the integer bit is
    /// clear, as in encodings that no operation accepts, unless it is 0. Uses `eax`.
    fn near(&mut self, otherwise: DynamicLabel) {
        let [far, on] = [(); 2].map(|()| self.label());
        dynasm!(self.a; .arch x64
            ; movzx eax, WORD [rcx + SIGN_EXPONENT]; and eax, 0x7FFF; sub eax, LEAST; cmp eax, SPAN
            ; ja =>far; cmp BYTE [rcx + REGISTERS + 7], 0; jns =>far; =>on);
        self.aside(move |emitter| {
            dynasm!(emitter.a; .arch x64
                ; =>far; cmp eax, -LEAST; jne =>otherwise; cmp QWORD [rcx + REGISTERS], 0; jne =>otherwise
                ; jmp =>on);
        });
    }

    /// Makes the host hold a register for operation `index`, and `keeps` some that it holds; if it has to be `safe`,
    /// with a number whose exponent is near that of 1.0. Keeps `rdx`.
    pub(super) fn bring(&mut self, index: usize, number: u8, safe: bool, keeps: &[u8]) {
        let Some(place) = self.unit.place(number) else {
            self.make_room(1, keeps);
            self.address_of_register(number);
            if safe {
                let otherwise = self.rest_from(index);
                self.near(otherwise);
            }
            self.load_from_state(number, if safe { SAFE } else { ANY });
            return;
        };
        let held = self.unit.held[place];
        if !safe || held.distance <= SAFE {
            return;
        }
        if !held.stored {
            self.make_room(1, keeps);
        }
        let place = self.unit.place(number).unwrap_or_default();
        if !held.stored {
            self.a.extend(&[0xD9, 0xC0 | place as u8]);
        }
        self.address_of_register(number);
        if !held.stored {
            dynasm!(self.a; .arch x64; fstp TWORD [rcx + REGISTERS]);
            self.unit.held[place].stored = true;
        }
        let otherwise = self.rest_from(index);
        self.near(otherwise);
        self.unit.held[place].distance = SAFE;
    }

    /// The same for an operation that takes any value.
    pub(super) fn bring_any(&mut self, number: u8) {
        if self.unit.place(number).is_none() {
            self.make_room(1, &[]);
            self.address_of_register(number);
            self.load_from_state(number, ANY);
        }
    }

    fn load_from_state(&mut self, number: u8, distance: u32) {
        dynasm!(self.a; .arch x64; fld TWORD [rcx + REGISTERS]);
        let stored = true;
        self.unit.held.insert(
            0,
            Held {
                number,
                distance,
                stored,
            },
        );
    }

    /// Makes the host's ST(0) that of a register that it holds.
    pub(super) fn bring_front(&mut self, number: u8) {
        if let Some(place @ 1..) = self.unit.place(number) {
            self.a.extend(&[0xD9, 0xC8 | place as u8]);
            self.unit.held.swap(0, place);
        }
    }

    /// Makes the host hold so few registers that there is room for `more`. It `keeps` some.
    pub(super) fn make_room(&mut self, more: usize, keeps: &[u8]) {
        while self.unit.held.len() + more > STACK {
            let Some(victim) = self.unit.held.iter().rev().find(|held| !keeps.contains(&held.number)) else {
                return;
            };
            let Held { number, stored, .. } = *victim;
            self.bring_front(number);
            if stored {
                dynasm!(self.a; .arch x64; fstp st0);
            } else {
                self.address_of_register(number);
                dynasm!(self.a; .arch x64; fstp TWORD [rcx + REGISTERS]);
            }
            self.unit.held.remove(0);
        }
    }

    /// Makes room for the register that a push fills: the host does not hold its value any more. It `keeps` some.
    pub(super) fn push_place(&mut self, keeps: &[u8]) {
        let number = self.unit.number(7);
        if self.unit.place(number).is_some() {
            self.bring_front(number);
            dynasm!(self.a; .arch x64; fstp st0);
            self.unit.held.remove(0);
        }
        self.make_room(1, keeps);
    }

    /// Gives register `to` the value of register `from`.
    pub(super) fn copy(&mut self, from: u8, to: u8) {
        self.bring_any(from);
        if let Some(place) = self.unit.place(to) {
            if self.unit.place(from) == Some(0) {
                self.a.extend(&[0xDD, 0xD0 | place as u8]);
            } else {
                self.bring_front(from);
                let place = self.unit.place(to).unwrap_or_default();
                self.a.extend(&[0xDD, 0xD0 | place as u8]);
            }
        } else {
            self.make_room(1, &[from]);
            let place = self.unit.place(from).unwrap_or_default();
            self.a.extend(&[0xD9, 0xC0 | place as u8]);
            let copy = self.unit.held[place];
            self.unit.held.insert(0, Held { number: to, ..copy });
        }
        let distance = self
            .unit
            .place(from)
            .map_or(ANY, |place| self.unit.held[place].distance);
        if let Some(place) = self.unit.place(to) {
            self.unit.held[place].distance = distance;
            self.unit.held[place].stored = false;
        }
    }

    /// Goes on without the rest of operation `index` if the host's unit has raised an exception, and holds `more`
    /// values then. `eax` is its status.
    pub(super) fn raised(&mut self, index: usize, more: usize) {
        let raised = self.label();
        dynasm!(self.a; .arch x64; fnstsw ax; test al, UNUSUAL; jnz =>raised);
        self.rest_after(raised, index, more);
    }

    /// Reports in the program's status word what the host's one in `eax` says of precision.
    pub(super) fn report(&mut self) {
        self.report_parts(REPORTED);
        self.unit.unreported = Unreported::Nothing;
    }

    /// Replaces C1 in the program's status word, and adds these parts of the host's one in `eax`.
    fn report_parts(&mut self, parts: i32) {
        dynasm!(self.a; .arch x64
            ; mov rdx, [BYTE rsp + near::STATE]; movzx ecx, WORD [rdx + STATUS]; and eax, parts
            ; and ecx, !i32::from(C1); or eax, ecx; mov [rdx + STATUS], ax);
    }

    /// Reports what `unit` has not reported.
    pub(super) fn report_unreported(&mut self, unit: &Unit) {
        match unit.unreported {
            Unreported::Nothing => {}
            Unreported::Cleared => dynasm!(self.a; .arch x64
                ; mov rdx, [BYTE rsp + near::STATE]; and WORD [rdx + STATUS], !C1 as i16),
            Unreported::OfHost { cleared } => {
                dynasm!(self.a; .arch x64; fnstsw ax);
                self.report_parts(if cleared { i32::from(PRECISION) } else { REPORTED });
            }
        }
    }

    /// Brings the state in memory up to date from what the host holds, and holds nothing any more. Uses `eax`, `ecx`
    /// and `edx`.
    pub(in crate::emit) fn store_unit(&mut self, unit: &Unit) {
        self.report_unreported(unit);
        let tags = [
            unit.filled & !unit.full,
            unit.emptied & !unit.empty,
            unit.written,
            unit.top,
        ];
        if unit.held.iter().any(|held| !held.stored) || tags.iter().any(|&part| part != 0) || unit.last.is_some() {
            dynasm!(self.a; .arch x64; mov rdx, [BYTE rsp + near::STATE]; movzx ecx, BYTE [rdx + TOP]);
        }
        for held in &unit.held {
            if held.stored {
                dynasm!(self.a; .arch x64; fstp st0);
                continue;
            }
            match held.number {
                0 => dynasm!(self.a; .arch x64; mov eax, ecx),
                number => dynasm!(self.a; .arch x64; lea eax, [BYTE rcx + number as i8]; and eax, 7),
            }
            dynasm!(self.a; .arch x64; shl eax, 4; fstp TWORD [rdx + rax + REGISTERS]);
        }
        let [filled, emptied, written, top] = tags;
        let each = [(filled, EMPTY, false), (emptied, EMPTY, true), (written, REAL, true)];
        for (registers, place, sets) in each {
            match (registers, sets) {
                (0, _) => {}
                (_, true) => dynasm!(self.a; .arch x64; mov al, registers as i8; rol al, cl; or [rdx + place], al),
                (_, false) => dynasm!(self.a; .arch x64; mov al, !registers as i8; rol al, cl; and [rdx + place], al),
            }
        }
        if top > 0 {
            dynasm!(self.a; .arch x64; add ecx, i32::from(top); and ecx, 7; mov [rdx + TOP], cl);
        }
        self.note_circumstances(&unit.words);
        if let Some(index) = unit.last {
            self.note_instruction(index, unit.operand);
        }
    }

    /// The circumstances of operations on numbers with safe exponents: the precision. Uses `eax`.
    pub(super) fn note_circumstances(&mut self, words: &[usize]) {
        if words.is_empty() {
            return;
        }
        dynasm!(self.a; .arch x64
            ; movzx eax, BYTE [rsp + frame::CONTROL + 1]; and eax, Circumstances::PRECISION as i32);
        for &word in words {
            self.note_word(word);
        }
    }

    /// Notes operation `index` as the last one of the unit, and the last operand in memory, whose segment and fact word
    /// are given. The state is at `rdx`. Uses `eax`.
    fn note_instruction(&mut self, index: usize, operand: Option<(Register, usize)>) {
        let address = self.source.instructions[index].ip32() as i32;
        let opcode = self.source.operations[index].noted_opcode() as i16;
        let last = |offset: usize| LAST + offset as i32;
        dynasm!(self.a; .arch x64
            ; mov eax, [rsp + frame::SELECTORS]
            ; mov [rdx + last(offset_of!(LastInstruction, code_selector))], ax
            ; mov eax, address; sub eax, [rsp + frame::CODE_BASE]
            ; mov [rdx + last(offset_of!(LastInstruction, code_offset))], eax
            ; mov WORD [rdx + last(offset_of!(LastInstruction, opcode))], opcode);
        if let Some((segment, word)) = operand {
            let selector = match segment {
                Register::ES => 1,
                Register::SS => 2,
                _ => 3,
            };
            dynasm!(self.a; .arch x64
                ; mov eax, [rsp + frame::SELECTORS + 4 * selector]
                ; mov [rdx + last(offset_of!(LastInstruction, data_selector))], ax);
            self.noted_word(word);
            dynasm!(self.a; .arch x64; mov [rdx + last(offset_of!(LastInstruction, data_offset))], eax);
        }
    }
}
