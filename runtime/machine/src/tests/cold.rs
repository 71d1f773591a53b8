//! Code larger than the code cache: its passes use recorded groups, which must be the groups of single instructions.

use super::{CODE, image};
use crate::{Machine, Options};
use asm_macros::events::Event;
use fastrand::Rng;
use p5_chips::{MEMORY_PRESETS, MODELS, Model};
use p5_image::{Image, Segment};
use p5_results::StopReason;

const DATA: u32 = 0x10_0000;
const DATA_SIZE: u32 = 0x4000;
/// A size that exceeds every code cache, in bytes.
const CODE_SIZE: usize = 36 * 1024;

/// The number of all kinds of [`instruction`], and of the kinds that access no data.
const KINDS: u8 = 15;
const WITHOUT_DATA: u8 = 9;

/// A random instruction of one of the first `kinds` that keeps ESI, EDI, ECX and ESP. ESI and EDI point to data.
fn instruction(random: &mut Rng, kinds: u8, bytes: &mut Vec<u8>) {
    // EAX, EDX, EBX and EBP by number.
    let register = |random: &mut Rng| [0u8, 2, 3, 5][random.usize(..4)];
    let (one, other) = (register(random), register(random));
    let displacement = random.u32(..DATA_SIZE - 8).to_le_bytes();
    match random.u8(..kinds) {
        // add, sub, xor, mov between registers
        number @ 0..4 => bytes.extend([[0x01, 0x29, 0x31, 0x89][usize::from(number)], 0xC0 | one << 3 | other]),
        4 => bytes.push(0x40 + one),
        // lea, whose address may wait
        5 => bytes.extend([0x8D, 0x44 | one << 3, other << 3 | 0x06, 4]),
        // mov register,imm32
        6 => bytes.extend([&[0xB8 + one][..], &displacement].concat()),
        // add of 16 bits with two prefixes, and with three
        number @ 7..9 => {
            bytes.extend(std::iter::repeat_n(0x3E, usize::from(number - 6)));
            bytes.extend([0x66, 0x01, 0xC0 | one << 3 | other]);
        }
        // mov register,[esi+disp]; mov [edi+disp],register; add register,[esi+disp]; add [edi+disp],register
        number @ 9..13 => {
            let base = if number % 2 == 0 { 7 } else { 6 };
            bytes.extend([
                [0x8B, 0x89, 0x03, 0x01][usize::from(number - 9)],
                0x80 | one << 3 | base,
            ]);
            bytes.extend(displacement);
        }
        // test eax,1; jz over the next: taken in some passes
        13 => bytes.extend([
            0xA9,
            1 << random.u8(..3),
            0,
            0,
            0,
            0x74,
            2,
            0x31,
            0xC0 | one << 3 | other,
        ]),
        // imul register,register
        _ => bytes.extend([0x0F, 0xAF, 0xC0 | one << 3 | other]),
    }
}

/// A loop over `CODE_SIZE` bytes of random instructions of the first `kinds`.
fn program(random: &mut Rng, kinds: u8, rounds: u8) -> Image {
    let mut bytes = vec![0xBE];
    bytes.extend(DATA.to_le_bytes());
    bytes.push(0xBF);
    bytes.extend(DATA.to_le_bytes());
    bytes.extend([0xB9, rounds, 0, 0, 0]);
    let head = bytes.len();
    while bytes.len() < CODE_SIZE {
        instruction(random, kinds, &mut bytes);
    }
    // dec ecx; jnz head
    bytes.extend([0x49, 0x0F, 0x85]);
    let back = head as i32 - (bytes.len() as i32 + 4);
    bytes.extend(back.to_le_bytes());
    let end = CODE + bytes.len() as u32;
    let mut image = image(bytes, end, Vec::new());
    image.segments.push(Segment {
        name: "data".to_owned(),
        address: DATA,
        bytes: Vec::new(),
        zeroes: DATA_SIZE + 0x100,
        writable: true,
    });
    image
}

/// The results of two runs, the code cache misses of the last one, the recorded cold passes, and the replayed spans.
fn told(model: &'static Model, image: &Image, memory: usize, one_op_blocks: bool) -> (String, u64, [usize; 2]) {
    let options = Options {
        one_op_blocks,
        memory: &MEMORY_PRESETS[memory],
        ..Options::default()
    };
    let mut machine = Machine::new(model, image, options);
    (0..2).for_each(|_| assert_eq!(machine.run(&mut |_| {}).reason, StopReason::End));
    let recorded = machine.pipeline.replayed();
    let run = machine.into_run("cold");
    let misses = run.whole.events.iter().find(|row| row.event == Event::CODE_CACHE_MISS);
    let misses = misses.map_or(0, |row| row.occurrences);
    (format!("{run:?}"), misses, recorded)
}

/// Compares the runs of such a loop in blocks and one instruction at a time, on every chip.
fn compare(kinds: u8, rounds: u8, seed: u64) {
    let mut random = Rng::with_seed(seed);
    for model in MODELS {
        let image = program(&mut random, kinds, rounds);
        let memory = random.usize(..MEMORY_PRESETS.len());
        let (blocks, misses, [recorded, spans]) = told(model, &image, memory, false);
        let (single, ..) = told(model, &image, memory, true);
        // A chip without events counts no misses.
        if model.events.selections().next().is_some() {
            assert!(misses > 1000, "{} seed {seed}: {misses} misses", model.name);
            // Of loops of few kinds, some seeds have fewer than 100.
            assert!(recorded > 40, "{} seed {seed}: {recorded} cold passes", model.name);
        }
        // If groups are decoded ahead, every group begins slowly. A trace needs each group, and one of the code that
        // takes longest covers most of a short run: at least 400 spans remain in one of 7 rounds.
        if model.rules.queued_instructions == 0 && model.rules.prefetched_bytes == 0 {
            assert!(spans > 100, "{} seed {seed}: {spans} spans", model.name);
        }
        assert!(blocks == single, "{} seed {seed}", model.name);
    }
}

#[test]
fn code_larger_than_its_cache_takes_the_clocks_of_its_instructions_one_by_one() {
    compare(KINDS, 7, p5_seeds::seed());
}

#[test]
fn spans_whose_timing_recurs_take_the_clocks_of_their_instructions_one_by_one() {
    compare(WITHOUT_DATA, 20, p5_seeds::seed());
}

#[test]
fn what_is_said_of_doubted_instructions_does_not_depend_on_which_is_summed_first() {
    // INC, of which there are many, has the row of the only DEC, which ends the loop.
    compare(WITHOUT_DATA, 20, 1_088_698_940);
}
