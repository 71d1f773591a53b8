//! Sums, products and quotients of 80-bit reals equal those of an independent implementation in all rounding modes, on
//! every host. `EXTENDED_CASES` sets the number of cases, `P5INST_SEED` repeats a run.

use fastrand::Rng;
use iced_x86::{Decoder, DecoderOptions};
use runtime::exec::{MicroOp, State, compile, run};
use runtime::fpu::Extended;
use runtime::memory::Memory;
use runtime::mode::Mode;
use runtime::model::MODELS;
use runtime::registers::Registers;
use rustc_apfloat::ieee::X87DoubleExtended;
use rustc_apfloat::{Float, Round, StatusAnd};

const CASES: u32 = 50_000;

/// The rounding controls in the order of their numbers.
const ROUNDINGS: [Round; 4] = [
    Round::NearestTiesToEven,
    Round::TowardNegative,
    Round::TowardPositive,
    Round::TowardZero,
];

type Operation = fn(X87DoubleExtended, X87DoubleExtended, Round) -> StatusAnd<X87DoubleExtended>;

/// Operations on ST(0) and ST(1).
const OPERATIONS: [(&str, [u8; 2], Operation); 4] = [
    ("FADD", [0xD8, 0xC1], |a, b, round| a.add_r(b, round)),
    ("FSUB", [0xD8, 0xE1], |a, b, round| a.sub_r(b, round)),
    ("FMUL", [0xD8, 0xC9], |a, b, round| a.mul_r(b, round)),
    ("FDIV", [0xD8, 0xF1], |a, b, round| a.div_r(b, round)),
];

fn operand(random: &mut Rng) -> Extended {
    let sign = u16::from(random.bool()) << 15;
    let fraction = match random.u8(..4) {
        0 => u64::MAX << random.u32(..64),
        1 => u64::MAX >> random.u32(..64),
        _ => random.u64(..),
    };
    let exponent = match random.u8(..12) {
        0 => return Extended::new(sign, fraction & !(1 << 63)),
        1 => return Extended::infinity(sign),
        2 => 1 + random.u16(..70),
        3 => 0x7FFE - random.u16(..70),
        4 => 1 + random.u16(..0x7FFE),
        _ => 0x3FFF + random.u16(..80) - 40,
    };
    Extended::new(sign | exponent, fraction | 1 << 63)
}

fn number(value: Extended) -> X87DoubleExtended {
    X87DoubleExtended::from_bits(u128::from(value.sign_exponent) << 64 | u128::from(value.significand))
}

#[test]
fn results_are_those_of_an_independent_implementation() {
    let seed = p5_seeds::seed();
    let cases = p5_seeds::number("EXTENDED_CASES").unwrap_or(CASES);
    let mut random = Rng::with_seed(seed);
    let mut state = State::new(Registers::flat(0), Memory::new());
    for (name, bytes, operation) in OPERATIONS {
        let instruction = Decoder::with_ip(32, &bytes, 0, DecoderOptions::NONE).decode();
        let op: MicroOp = compile(&instruction, MODELS[0].isa, &Mode::FLAT);
        for _ in 0..cases {
            let (a, b) = (operand(&mut random), operand(&mut random));
            let control = random.u16(..4);
            state.registers = Registers::flat(0);
            let fpu = &mut state.registers.fpu;
            fpu.set_control(0x33F | control << 10);
            fpu.push(b);
            fpu.push(a);
            run(&[op], &mut state);
            let result = state.registers.fpu.st(0);
            let expected = operation(number(a), number(b), ROUNDINGS[usize::from(control)]).value;
            // The two implementations return different NaNs.
            let same = number(result).to_bits() == expected.to_bits() || result.is_nan() && expected.is_nan();
            assert!(
                same,
                "{name} of {a:x?} and {b:x?}, rounding {control}: {result:x?}; seed {seed}"
            );
        }
    }
    println!(
        "{} operations in four rounding modes; seed {seed}",
        cases * OPERATIONS.len() as u32
    );
}
