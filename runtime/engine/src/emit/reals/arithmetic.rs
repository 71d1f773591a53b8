//! Arithmetic and comparisons with what the host's unit holds.
//!
//! Operands whose exponents are near that of 1.0 raise no exception but that of precision, except in divisions.

use super::Emitter;
use super::STATUS;
use super::unit::Unreported;
use crate::emit::planned::Format;
use crate::frame::{self, near};
use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use p5_words::fpu::{C0, C1, C2, C3, PRECISION};

/// Operations, by the reg field of their opcodes.
const MULTIPLICATION: u8 = 1;
/// Subtractions and divisions; the lowest bit exchanges their operands.
const SUBTRACTION: u8 = 4;
const DIVISION: u8 = 6;

/// How much nearer the limits the exponent of a sum may be than both operands: by the bits of a significand.
const CANCELLED: u32 = 64;

/// The distance of the exponent of a result from that of 1.0.
fn distance(operation: u8, first: u32, second: u32) -> u32 {
    match operation {
        MULTIPLICATION | DIVISION.. => first + second + 1,
        _ => first.max(second) + CANCELLED,
    }
}

impl Emitter<'_> {
    /// Goes on by the handlers if operation `index` must not be a division of the host.
    fn divides(&mut self, index: usize) {
        let otherwise = self.rest_from(index);
        dynasm!(self.a; .arch x64; test BYTE [BYTE rsp + near::REALS], frame::DIVIDES as i8; jz =>otherwise);
    }

    /// Notes that the unit has computed the value of a register.
    fn computed(&mut self, number: u8, distance: u32) {
        self.unit.fills(number);
        if let Some(place) = self.unit.place(number) {
            self.unit.held[place].distance = distance;
            self.unit.held[place].stored = false;
        }
    }

    /// Operates on ST(0) and the number at `rdx`.
    pub(super) fn with_memory(&mut self, index: usize, operation: u8, format: Format) {
        let top = self.unit.top;
        let otherwise = self.rest_from(index);
        self.is_normal(format, otherwise);
        let divides = operation >= DIVISION;
        if divides {
            self.divides(index);
        }
        self.bring(index, top, true, &[top]);
        if divides {
            self.make_room(1, &[top]);
        }
        self.bring_front(top);
        let near = distance(operation, self.unit.held[0].distance, format.distance());
        let opcode = if format == Format::Single { 0xD8 } else { 0xDC };
        if divides {
            dynasm!(self.a; .arch x64; fld st0);
        }
        // The operand is at RDX.
        self.a.extend(&[opcode, operation << 3 | 2]);
        if divides {
            self.raised(index, 1);
            self.report();
            dynasm!(self.a; .arch x64; fstp st1);
        } else {
            self.unit.unreported = Unreported::OfHost { cleared: false };
        }
        self.computed(top, near);
    }

    /// Operates on two registers, one of which is ST(0).
    pub(super) fn operate(&mut self, index: usize, operation: u8, registers: [u8; 2], pops: bool) {
        let [destination, source] = registers.map(|number| self.unit.number(number));
        let divides = operation >= DIVISION;
        if divides {
            self.divides(index);
        }
        let both = [destination, source];
        self.bring(index, destination, true, &both);
        self.bring(index, source, true, &both);
        if divides {
            self.make_room(1, &both);
        }
        let place = |emitter: &Self, number| emitter.unit.place(number).unwrap_or_default();
        if !divides && place(self, destination) != 0 && place(self, source) != 0 {
            self.bring_front(destination);
        }
        let [to, from] = both.map(|number| place(self, number));
        let [first, second] = [to, from].map(|place| self.unit.held[place].distance);
        if divides {
            // The destination is computed in a copy.
            self.a.extend(&[0xD9, 0xC0 | to as u8]);
            self.a.extend(&[0xD8, 0xC0 | operation << 3 | (from + 1) as u8]);
            self.raised(index, 1);
            self.report();
            self.a.extend(&[0xDD, 0xD8 | (to + 1) as u8]);
        } else {
            if to == 0 {
                self.a.extend(&[0xD8, 0xC0 | operation << 3 | from as u8]);
            } else {
                // With the destination in another register, the opcodes of the exchanged operations are exchanged.
                let exchanged = u8::from(operation >= SUBTRACTION);
                self.a.extend(&[0xDC, 0xC0 | (operation ^ exchanged) << 3 | to as u8]);
            }
            self.unit.unreported = Unreported::OfHost { cleared: false };
        }
        self.computed(destination, distance(operation, first, second));
        if pops {
            self.unit.pops();
        }
    }

    /// Compares ST(0) with register `number` or with what is at `rdx`.
    pub(super) fn compare(&mut self, index: usize, number: Option<u8>, format: Option<Format>, pops: u8) {
        let top = self.unit.top;
        let other = number.map_or(top, |number| self.unit.number(number));
        self.bring(index, top, false, &[top, other]);
        self.bring(index, other, false, &[top, other]);
        self.bring_front(top);
        match format {
            None => {
                let place = self.unit.place(other).unwrap_or_default();
                self.a.extend(&[0xD8, 0xD0 | place as u8]);
            }
            Some(Format::Single) => dynasm!(self.a; .arch x64; fcom DWORD [rdx]),
            Some(_) => dynasm!(self.a; .arch x64; fcom QWORD [rdx]),
        }
        self.raised(index, 0);
        let (conditions, replaced) = (C0 | C2 | C3 | PRECISION, C0 | C1 | C2 | C3);
        dynasm!(self.a; .arch x64
            ; mov rdx, [BYTE rsp + near::STATE]; movzx ecx, WORD [rdx + STATUS]; and eax, i32::from(conditions)
            ; and ecx, !i32::from(replaced); or eax, ecx; mov [rdx + STATUS], ax);
        self.unit.unreported = Unreported::Nothing;
        for _ in 0..pops {
            self.unit.pops();
        }
    }
}
