//! Flags at a fault: those that nobody reads but its report.

use super::{CODE, DATA, FREE, Writer};
use crate::lockstep::first_difference;
use crate::{EngineChoice, Options, simulate};
use fastrand::Rng;
use p5_chips::MODELS;
use p5_image::{Image, Segment};
use p5_results::StopReason;

const PROGRAMS: u64 = 60;
const SIZE: u32 = 0x6000;

/// An operation on registers that sets flags, or spoils a register of one before.
fn operation(writer: &mut Writer) {
    let (to, from) = (writer.free(), writer.free());
    let both = 0xC0 | from << 3 | to;
    let (kind, value) = (writer.random.u8(..8) << 3, writer.random.u8(..));
    match writer.random.u8(..12) {
        // Sums, differences, logical operations and comparisons; TEST; INC and DEC; NEG.
        0..=1 => writer.put(&[kind | 1, both]),
        2 => writer.put(&[0x83, 0xC0 | kind | to, value]),
        3 => writer.put(&[0x85, both]),
        4..=5 => writer.put(&[[0x40u8, 0x48][usize::from(value & 1)] | to]),
        6 => writer.put(&[0xF7, 0xD8 | to]),
        // Rotations, and shifts.
        7..=8 => writer.put(&[0xC1, 0xC0 | (kind & 8) | to, value & 31 | 1]),
        9 => writer.put(&[0xC1, 0xE0 | (kind & 8) | to, value & 31 | 1]),
        // MOV and LEA.
        10 => writer.put(&[0x89, both]),
        _ => writer.put(&[0x8D, 0x40 | to << 3 | from, value]),
    }
}

/// A loop that goes through memory to its end, with operations before and after the access.
fn program(random: Rng) -> Image {
    let mut writer = Writer {
        random,
        bytes: Vec::new(),
        routines: Vec::new(),
        moves: false,
    };
    for register in FREE {
        let value = writer.random.u32(..);
        writer.put(&[0xB8 | register]);
        writer.put(&value.to_le_bytes());
    }
    writer.put(&[0xBB]);
    writer.put(&DATA.to_le_bytes());
    let start = writer.bytes.len();
    for _ in 0..writer.random.usize(1..6) {
        operation(&mut writer);
    }
    // A move from or to [ebx], or an addition from there.
    let register = writer.free();
    let opcode = [0x8Bu8, 0x89, 0x03][writer.random.usize(..3)];
    writer.put(&[opcode, 0x03 | register << 3]);
    for _ in 0..writer.random.usize(..4) {
        operation(&mut writer);
    }
    // add ebx,4; jmp start
    writer.put(&[0x83, 0xC3, 4, 0xE9]);
    let distance = start as i32 - (writer.bytes.len() as i32 + 4);
    writer.put(&distance.to_le_bytes());
    let mut data = vec![0; SIZE as usize];
    writer.random.fill(&mut data);
    let segment = |name: &str, address, bytes| Segment {
        name: name.to_owned(),
        address,
        bytes,
        zeroes: 0,
        writable: true,
    };
    Image {
        entry: CODE,
        segments: vec![segment("code", CODE, writer.bytes), segment("data", DATA, data)],
        ..Image::default()
    }
}

#[test]
fn flags_at_a_fault_are_those_of_the_interpreter() {
    let first = p5_seeds::seed();
    for seed in first..first + p5_seeds::number("P5INST_ROUNDS").unwrap_or(PROGRAMS) {
        let image = program(Rng::with_seed(seed));
        let [interpreted, compiled] = [EngineChoice::Interpreter, EngineChoice::Jit].map(|engine| {
            let options = Options {
                engine,
                runs: 1,
                ..Options::default()
            };
            simulate(&image, "fault", MODELS[0], &options, &mut |_| ())
        });
        assert_eq!(interpreted.stop.reason, StopReason::Fault, "seed {seed}");
        if let Some(lines) = first_difference(&interpreted, &compiled) {
            panic!("seed {seed}: {lines:#?}");
        }
    }
}
