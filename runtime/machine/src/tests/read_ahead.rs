//! Loops in one line of code whose writes keep the bus busy: what has been read ahead at the end of a run is counted,
//! however long the blocks are that were replayed.

use super::{CODE, image, run_both_ways};
use crate::Options;
use fastrand::Rng;
use p5_chips::{MEMORY_PRESETS, MODELS};
use p5_image::{Image, Segment};

const DATA: u32 = 0x10_0000;
/// The size of a code line, in bytes.
const LINE: usize = 32;
/// The size of the last two instructions of the loop, in bytes.
const LAST: usize = 3;
/// What follows the program in its last lines, in bytes.
const AFTER: usize = 3 * LINE;

/// A random instruction of a loop that keeps ECX and ESP. EDI walks through the data.
fn instruction(random: &mut Rng) -> &'static [u8] {
    match random.u8(..8) {
        0..3 => &[0x89, 0x07],    // mov [edi],eax
        3 => &[0x83, 0xC7, 0x20], // add edi,32
        4 => &[0x83, 0xC7, 0x04], // add edi,4
        5 => &[0x0F, 0xAF, 0xC2], // imul eax,edx
        6 => &[0xF7, 0xE2],       // mul edx
        _ => &[0x8B, 0x1F],       // mov ebx,[edi]
    }
}

/// A program that reads some of its data into the cache and then walks through all of it in a loop of one line, with
/// which it ends.
fn program(random: &mut Rng) -> Image {
    let rounds = random.u8(20..200);
    let warm = DATA + u32::from(random.u8(..rounds)) * 32;
    // mov esi,warm; mov ecx,lines; mov ebx,[esi]; add esi,32; dec ecx; jnz over the last two
    let mut bytes = vec![0xBE];
    bytes.extend(warm.to_le_bytes());
    bytes.extend([
        0xB9,
        random.u8(1..100),
        0,
        0,
        0,
        0x8B,
        0x1E,
        0x83,
        0xC6,
        0x20,
        0x49,
        0x75,
        0xF8,
    ]);
    bytes.push(0xBF); // mov edi,DATA
    bytes.extend(DATA.to_le_bytes());
    bytes.extend([0xB9, rounds, 0, 0, 0]); // mov ecx,rounds
    bytes.resize(bytes.len().next_multiple_of(LINE) + random.usize(..3), 0x90);
    let (head, length) = (bytes.len(), random.usize(8..LINE - 6));
    while bytes.len() - head < length {
        let instruction = instruction(random);
        if bytes.len() % LINE + instruction.len() + LAST > LINE {
            break;
        }
        bytes.extend(instruction);
    }
    bytes.extend([0x49, 0x75]); // dec ecx; jnz head
    bytes.push((head as isize - (bytes.len() as isize + 1)) as u8);
    let end = CODE + bytes.len() as u32;
    bytes.resize(bytes.len() + AFTER, 0x90);
    let mut image = image(bytes, end, Vec::new());
    image.segments.push(Segment {
        name: "data".to_owned(),
        address: DATA,
        bytes: Vec::new(),
        zeroes: 0x1_0000,
        writable: true,
    });
    image
}

#[test]
fn what_is_read_ahead_by_the_end_of_a_run_is_counted_whatever_is_replayed() {
    let seed = p5_seeds::seed();
    let mut random = Rng::with_seed(seed);
    for _ in 0..p5_seeds::number("P5INST_ROUNDS").unwrap_or(200) {
        let image = program(&mut random);
        let options = Options {
            runs: 1,
            memory: &MEMORY_PRESETS[random.usize(..MEMORY_PRESETS.len())],
            ..Options::default()
        };
        for model in MODELS {
            run_both_ways(&image, model, &options);
        }
    }
}
