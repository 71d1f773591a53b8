//! Timing rows for the less usual answers to open questions, with the sources that support them.
//!
//! Modelled: the same as in the rows of the chips. Not modelled: differences in rules instead of rows, which are in the
//! answers.

use super::super::p5::{DESCRIPTOR, LOAD_SS};
use super::super::{Class, Clocks, FloatingPoint, RouteClocks, Row, When};
use iced_x86::Mnemonic::{Fnstsw, Imul, Mov, Mul};

/// The sources of the clocks of multiplications by 32 bits.
pub(super) const IMUL: &str = "Intel instruction set reference: 10; Agner Fog, Instruction tables 2021, and GMP: 9";

/// The rows of other multiplications by 32 bits, with 10 clocks before any later instruction.
#[rustfmt::skip] // One row per line, as in the chip's table.
pub(super) const IMUL_10: &[Row] = &[
    Row { form: "IMUL r32,r/m[,i]", mnemonics: &[Imul],      when: &[When::Dword, When::SeveralOperands], class: Class::Np, clocks: Clocks::Fixed(10), serializing: false, source: IMUL, doubt: Some("Intel 10, measured 9"), early: None, fpu: Some(FloatingPoint::multiply(10, 10)) },
    Row { form: "MUL r/m32",        mnemonics: &[Mul],       when: &[When::Dword],                        class: Class::Np, clocks: Clocks::Fixed(10), serializing: false, source: IMUL, doubt: Some("Intel 10, measured 9"), early: None, fpu: Some(FloatingPoint::multiply(10, 10)) },
];

/// The row of one-operand IMUL by 32 bits with 10 clocks.
#[rustfmt::skip] // One row per line, as in the chip's table.
pub(super) const IMUL_ALONE_10: &[Row] = &[
    Row { form: "IMUL r/m32",       mnemonics: &[Imul],      when: &[When::Dword, When::OneOperand],      class: Class::Np, clocks: Clocks::Fixed(10), serializing: false, source: IMUL, doubt: Some("Intel 10, measured 9"), early: None, fpu: Some(FloatingPoint::multiply(10, 10)) },
];

/// The sources of the clocks of MOV sreg,r.
pub(super) const SEGMENT: &str = "Intel instruction set reference: 2; Agner Fog, Instruction tables 2021: at least 2; \
                       one author counts 3";

/// The rows of MOV sreg,r with 3 clocks. The range that Intel gives for SS stays.
#[rustfmt::skip] // One row per line, as in the chip's table.
pub(super) const SEGMENT_3: &[Row] = &[
    Row { form: "MOV SS,r (real)",  mnemonics: &[Mov],       when: &[When::Real, When::ToStackSegment, When::Register], class: Class::Np, clocks: Clocks::Fixed(3), serializing: false, source: SEGMENT, doubt: Some("Intel 2"), early: None, fpu: None },
    Row { form: "MOV sreg,r",       mnemonics: &[Mov],       when: &[When::ToStackSegment, When::Register],             class: Class::Np, clocks: Clocks::ByRoute(&LOAD_SS), serializing: false, source: SEGMENT, doubt: Some("SS: Intel gives a range of 8 to 17"), early: None, fpu: None },
    Row { form: "MOV sreg,r",       mnemonics: &[Mov],       when: &[When::ToSegment, When::Register],                  class: Class::Np, clocks: Clocks::ByRoute(&LOAD_3), serializing: false, source: SEGMENT, doubt: Some("Intel 2"), early: None, fpu: None },
];
/// The load of a segment register in 3 clocks, or in 11 with another descriptor.
const LOAD_3: RouteClocks = RouteClocks::load(3, 11).doubted(DESCRIPTOR);

/// The sources of the clocks of FNSTSW.
pub(super) const STATUS: &str = "Agner Fog, Instruction tables 2021, Pentium: FNSTSW takes 6, of which integer \
                      instructions before it hide 4; Intel gives FCOM a latency of 4 and FSTSW 2, and counts 9 clocks \
                      for FCOM, FSTSW AX, SAHF and Jcc";

/// The row of FNSTSW if the status is ready 4 clocks after the issue of FCOM.
pub(super) const STATUS_3: &[Row] = &[Row {
    form: "FNSTSW",
    mnemonics: &[Fnstsw],
    when: &[],
    class: Class::Np,
    clocks: Clocks::Fixed(2),
    serializing: false,
    source: STATUS,
    doubt: Some("measured a clock more"),
    early: None,
    fpu: Some(FloatingPoint {
        status_behind: 3,
        ..FloatingPoint::plain(2, 2)
    }),
}];
