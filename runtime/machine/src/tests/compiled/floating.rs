//! Random instructions of the floating-point unit, and reals in memory for them.

use super::Writer;
use fastrand::Rng;

/// The bytes of the reals at the beginning of the data.
pub(super) const BYTES: u32 = 0x1000;

/// Reals of 64 bits, which are also pairs of 32: mostly numbers of usual size, in half of the programs no others.
pub(super) fn data(random: &mut Rng) -> Vec<u8> {
    let first = if random.bool() { 4 } else { 0 };
    let real = |random: &mut Rng| match random.u8(first..24) {
        0 => 0,
        1 => random.u64(..),
        2 => f64::INFINITY.to_bits(),
        3 => random.u64(..1 << 40),
        4 => (f64::from(random.i32(-9..9)) / 8.0).to_bits(),
        5..=8 => {
            let single = |random: &mut Rng| u64::from((random.f32() * 3.0 - 1.0).to_bits());
            single(random) << 32 | single(random)
        }
        _ => ((random.f64() - 0.4) * 10f64.powi(random.i32(-6..6))).to_bits(),
    };
    (0..BYTES / 8).flat_map(|_| real(random).to_le_bytes()).collect()
}

/// A few loads, operations and as many stores; now and then something else.
pub(super) fn some(writer: &mut Writer) {
    let loads = writer.random.usize(1..4);
    for _ in 0..loads {
        load(writer);
    }
    for _ in 0..writer.random.usize(..6) {
        operation(writer, loads);
        between(writer);
    }
    for _ in 0..loads {
        store(writer);
        between(writer);
    }
    match writer.random.u8(..30) {
        0 => writer.put(&[0xDB, 0xE3]),
        // FNCLEX: exceptions that have been raised before hide others.
        1..=7 => writer.put(&[0xDB, 0xE2]),
        // FNSTENV, and the pointers and the opcode in it.
        8..=9 => {
            writer.put(&[0xD9, 0x73, 0xA0]);
            let offset = [0xACu8, 0xB4, 0xB2, 0xB0, 0xB8, 0xA4][writer.random.usize(..6)];
            writer.put(&[0x33, 0x43, offset]);
        }
        10..=11 => {
            // `mov word [ebx-80h],imm16` and FLDCW: mostly with all exceptions masked.
            let control = match writer.random.u8(..4) {
                0 => writer.random.u16(..) & 0x0F3F,
                _ => writer.random.u16(..) & 0x0F00 | 0x3F,
            };
            writer.put(&[0x66, 0xC7, 0x43, 0x80]);
            writer.put(&control.to_le_bytes());
            writer.put(&[0xD9, 0x6B, 0x80]);
        }
        12 => writer.put(&[0xDD, 0xD8]),
        13 => load(writer),
        _ => {}
    }
}

/// Now and then an instruction of another unit: ADD of a register, or MOV to memory.
fn between(writer: &mut Writer) {
    let opcode = match writer.random.u8(..8) {
        0 => 0x03,
        1 => 0x89,
        _ => return,
    };
    let register = writer.free();
    writer.put(&[opcode]);
    writer.operand(register);
}

/// ModRM with `extension` for memory near EBX, mostly aligned.
fn memory(writer: &mut Writer, extension: u8) {
    let displacement = writer.random.u8(..16) * 8 + if writer.random.u8(..10) == 0 { 4 } else { 0 };
    writer.put(&[0x43 | extension << 3, displacement & 0x7F]);
}

fn load(writer: &mut Writer) {
    match writer.random.u8(..14) {
        0..=5 => {
            writer.put(&[0xDD]);
            memory(writer, 0);
        }
        // Reals of 80 bits, whose exponents are mostly extreme, and what is left of a large one.
        12 => {
            writer.put(&[0xDB]);
            memory(writer, 5);
        }
        13 => {
            writer.put(&[0xDD]);
            memory(writer, 0);
            writer.put(&[0xD9, 0xE8, 0xD9, 0xFD, 0xD9, 0xC0, 0xD8, 0xC8, 0xDD, 0xDA]);
        }
        6..=7 => {
            writer.put(&[0xD9]);
            memory(writer, 0);
        }
        8 => {
            let opcode = [0xDBu8, 0xDF][writer.random.usize(..2)];
            writer.put(&[opcode]);
            memory(writer, 0);
        }
        9 => writer.put(&[0xD9, 0xC0]),
        10 => {
            let constant = [0xE8u8, 0xEE, 0xEB][writer.random.usize(..3)];
            writer.put(&[0xD9, constant]);
        }
        _ => {
            writer.put(&[0xDF]);
            memory(writer, 5);
        }
    }
}

fn operation(writer: &mut Writer, loaded: usize) {
    // FADD, FMUL, FSUB, FSUBR, FDIV and FDIVR.
    let operation = [0u8, 0, 1, 1, 4, 4, 5, 6, 7][writer.random.usize(..9)];
    let register = writer.random.u8(..loaded as u8);
    match writer.random.u8(..14) {
        0..=3 => {
            writer.put(&[0xDC]);
            memory(writer, operation);
        }
        4 => {
            writer.put(&[0xD8]);
            memory(writer, operation);
        }
        5..=6 => writer.put(&[0xD8, 0xC0 | operation << 3 | register]),
        7 => writer.put(&[0xDC, 0xC0 | operation << 3 | register]),
        8 if loaded > 1 => {
            writer.put(&[0xDE, 0xC1 | operation << 3]);
            writer.put(&[0xD9, 0xE8]);
        }
        9 => {
            let of_one = [0xE0u8, 0xE1, 0xFA][writer.random.usize(..3)];
            writer.put(&[0xD9, of_one]);
        }
        10 => {
            // Comparisons, then FNSTSW AX, and SAHF or `test ah,45h`.
            match writer.random.u8(..4) {
                0 => writer.put(&[0xD8, 0xD0 | register]),
                1 => writer.put(&[0xDD, 0xE0 | register]),
                2 => {
                    writer.put(&[0xDC]);
                    memory(writer, 2);
                }
                _ => {
                    writer.put(&[0xD8]);
                    memory(writer, 3);
                    writer.put(&[0xD9, 0xE8]);
                }
            }
            writer.put(&[0xDF, 0xE0]);
            match writer.random.bool() {
                true => writer.put(&[0x9E, 0x0F, 0x92, 0xC1]),
                false => writer.put(&[0xF6, 0xC4, 0x45, 0x0F, 0x95, 0xC5]),
            }
        }
        11 => {
            writer.put(&[0xDD]);
            memory(writer, 2);
        }
        _ => writer.put(&[0xD9, 0xC8 | register]),
    }
}

fn store(writer: &mut Writer) {
    match writer.random.u8(..14) {
        0..=4 => {
            writer.put(&[0xDD]);
            memory(writer, 3);
        }
        // Integers of 16, 32 and 64 bits, then a pop if the instruction has none; and copies of registers.
        5 => {
            let (opcode, extension) =
                [(0xDFu8, 3u8), (0xDF, 7), (0xDB, 3), (0xDF, 2), (0xDB, 2)][writer.random.usize(..5)];
            writer.put(&[opcode]);
            memory(writer, extension);
            if extension == 2 {
                writer.put(&[0xDD, 0xD8]);
            }
        }
        10..=12 => {
            let register = writer.random.u8(..4);
            writer.put(&[0xDD, 0xD8 | register, 0xD9, 0xC0, 0xDD, 0xD8]);
        }
        13 => {
            let register = writer.random.u8(1..3);
            writer.put(&[0xDD, 0xD0 | register, 0xDD, 0xD8]);
        }
        6 => {
            writer.put(&[0xD9]);
            memory(writer, 3);
        }
        7 => {
            writer.put(&[0xDB]);
            memory(writer, 3);
        }
        8 => writer.put(&[0xDD, 0xD9]),
        _ => {
            let opcode = [0xDEu8, 0xD8][writer.random.usize(..2)];
            writer.put(&[opcode, if opcode == 0xDE { 0xC1 } else { 0xC0 }, 0xDD, 0xD8]);
        }
    }
}
