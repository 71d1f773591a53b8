//! Compiled blocks beside interpreted ones: random loops of machine code, compared after each block.

use crate::lockstep::first_difference;
use crate::{EngineChoice, Options, simulate, simulate_both};
use fastrand::Rng;
use p5_chips::{MEMORY_PRESETS, MODELS, later};
use p5_image::{Image, Segment};
use p5_results::StopReason;

const CODE: u32 = 0x40_1000;
const DATA: u32 = 0x50_0000;
const PAGES: u32 = 8;
/// The distance of more data, whose pages take turns with the others in the sets of the TLB.
const FAR: u32 = 0x1_0000;
/// The passes of the outer loop: enough for code to be compiled after the trace of the beginning, to be linked, and to
/// be entered in several states.
const PASSES: u32 = 500;
/// The same where the code is larger than the code cache.
const PASSES_OF_LARGE: u32 = 130;
const PROGRAMS: u64 = 40;
/// The clocks of a run, of which the last million are executed in blocks of one instruction.
const LIMIT: u64 = 3_000_000;

mod announced;
mod faults;
mod floating;

/// Registers that a loop may change: EAX, ECX, EDX, ESI and EDI. EBX points to data, EBP counts.
const FREE: [u8; 5] = [0, 1, 2, 6, 7];

struct Writer {
    random: Rng,
    bytes: Vec<u8>,
    /// The addresses of subroutines.
    routines: Vec<u32>,
    /// Whether the chip has CMOV.
    moves: bool,
}

impl Writer {
    fn here(&self) -> u32 {
        CODE + self.bytes.len() as u32
    }

    fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn free(&mut self) -> u8 {
        FREE[self.random.usize(..FREE.len())]
    }

    /// ModRM for a register beside another one, or beside memory near EBX, which may be misaligned.
    fn operand(&mut self, register: u8) {
        match self.random.u8(..6) {
            0..=2 => {
                let other = self.free();
                self.put(&[0xC0 | register << 3 | other]);
            }
            3 => {
                let displacement = self.random.u8(..32) * 4;
                self.put(&[0x43 | register << 3, displacement]);
            }
            4 => {
                let displacement = self.random.u8(..64);
                self.put(&[0x43 | register << 3, displacement]);
            }
            _ => {
                // EBX plus ESI, which is masked now and then, times 1 to 8.
                let scale = self.random.u8(..4) << 6;
                let displacement = self.random.u32(..0x3000) & if self.random.bool() { !3 } else { !0 };
                let displacement = displacement + if self.random.bool() { FAR } else { 0 };
                self.put(&[0x84 | register << 3, scale | 0x33]);
                self.put(&displacement.to_le_bytes());
            }
        }
    }

    fn mask_index(&mut self) {
        self.put(&[0x81, 0xE6]);
        let mask = [0xFFCu32, 0x3F8, 0xFFF][self.random.usize(..3)];
        self.put(&mask.to_le_bytes());
    }

    fn instruction(&mut self) {
        let register = self.free();
        // AL to BL, and AH to DH.
        let byte = self.random.u8(..7);
        match self.random.u8(..41) {
            0..=5 => {
                let operation = self.random.u8(..8) << 3;
                let form = [1u8, 3][self.random.usize(..2)];
                self.put(&[operation | form]);
                self.operand(register);
            }
            6 => {
                let operation = self.random.u8(..8) << 3;
                let form = [0u8, 2][self.random.usize(..2)];
                match self.random.u8(..7) {
                    any if self.random.bool() => self.put(&[operation | form, 0xC0 | byte << 3 | any]),
                    _ => {
                        self.put(&[operation | form]);
                        self.operand(byte);
                    }
                }
            }
            7 => {
                let operation = self.random.u8(..8) << 3;
                self.put(&[0x66, operation | 1]);
                self.operand(register);
            }
            8..=9 => {
                let (operation, value) = (self.random.u8(..8), self.random.u8(..));
                match self.random.u8(..3) {
                    0 => self.put(&[0x80, 0xC0 | operation << 3 | byte, value]),
                    _ => self.put(&[0x83, 0xC0 | operation << 3 | register, value]),
                }
            }
            10 => {
                let (operation, value) = (self.random.u8(..8), self.random.u32(..));
                self.put(&[operation << 3 | 5]);
                self.put(&value.to_le_bytes());
            }
            11..=12 => {
                let opcode = [0x8B, 0x89][self.random.usize(..2)];
                self.put(&[opcode]);
                self.operand(register);
            }
            13 => {
                let opcode = [0x8A, 0x88][self.random.usize(..2)];
                self.put(&[opcode]);
                self.operand(byte);
            }
            14 => {
                let opcode = [0xB6u8, 0xB7, 0xBE, 0xBF][self.random.usize(..4)];
                self.put(&[0x0F, opcode]);
                self.operand(register);
            }
            15..=16 => {
                let opcode = [0x40u8, 0x48][self.random.usize(..2)];
                self.put(&[opcode | register]);
            }
            17 => {
                let form = [0xD0u8, 0xD8][self.random.usize(..2)];
                match self.random.u8(..3) {
                    0 => self.put(&[0xF6, form | byte, 0xFE, 0xC0 | byte]),
                    _ => self.put(&[0xF7, form | register]),
                }
            }
            18 => {
                let form = [0u8, 1][self.random.usize(..2)];
                let displacement = self.random.u8(..16) * 4;
                self.put(&[0xFF, 0x43 | form << 3, displacement]);
            }
            19..=20 => {
                let (operation, count) = (self.random.u8(..8), self.random.u8(..34));
                self.put(&[0xC1, 0xC0 | operation << 3 | register, count]);
            }
            21 => {
                let (operation, form) = (self.random.u8(..8), self.random.u8(..4));
                self.put(&[
                    [0xD1u8, 0xD3, 0xD1, 0xD3][usize::from(form)],
                    0xC0 | operation << 3 | register,
                ]);
            }
            22 => {
                self.put(&[0x0F, 0xAF]);
                self.operand(register);
            }
            23 => {
                let (form, other) = (self.random.u8(4..6), self.free());
                self.put(&[0xF7, 0xC0 | form << 3 | other]);
            }
            24 => self.put(&[[0x99u8, 0x98, 0x90, 0x9F, 0x9E, 0xF5, 0xF8, 0xF9][usize::from(register)]]),
            25 => {
                let condition = self.random.u8(..16);
                self.put(&[0x0F, 0x90 | condition, 0xC0 | byte]);
            }
            26 => {
                self.put(&[0x8D]);
                let displacement = self.random.u8(..);
                self.put(&[0x43 | register << 3, displacement]);
            }
            27 => {
                let (first, second) = (self.free(), self.free());
                self.put(&[0x50 | first, 0x50 | second]);
                let (first, second) = (self.free(), self.free());
                self.put(&[0x58 | second, 0x58 | first]);
            }
            28 => {
                let other = self.free();
                self.put(&[0x87, 0xC0 | register << 3 | other]);
            }
            29 => self.put(&[0x0F, 0xC8 | register]),
            30 => {
                self.put(&[0x85]);
                self.operand(register);
            }
            31 => {
                let displacement = self.random.u8(..32) * 4;
                let value = self.random.u32(..);
                self.put(&[0xC7, 0x43, displacement]);
                self.put(&value.to_le_bytes());
            }
            32 => self.call(),
            33..=35 => floating::some(self),
            36 => {
                // By an odd number in a register other than EDX.
                let divisor = [0u8, 1, 6, 7][self.random.usize(..4)];
                self.put(&[0x83, 0xC8 | divisor, 1]);
                match self.random.bool() {
                    true => self.put(&[0x99, 0xF7, 0xF8 | divisor]),
                    false => self.put(&[0x31, 0xD2, 0xF7, 0xF0 | divisor]),
                }
            }
            37 => {
                // Two accesses that may pair, of any banks and of near or far lines.
                for register in [0, 2] {
                    let opcode = [0x8B, 0x89][self.random.usize(..2)];
                    let displacement = self.random.u32(..0x800) * 4 + if self.random.bool() { FAR } else { 0 };
                    self.put(&[opcode, 0x83 | register << 3]);
                    self.put(&displacement.to_le_bytes());
                }
            }
            38 => {
                // PUSH from memory, of which some addresses have ESP.
                match self.random.u8(..3) {
                    0 => self.put(&[0xFF, 0x74, 0x24, 0xFC]),
                    1 => {
                        let displacement = self.random.u8(..64);
                        self.put(&[0xFF, 0x73, displacement]);
                    }
                    _ => {
                        let displacement = self.random.u32(..0x2000) + if self.random.bool() { FAR } else { 0 };
                        self.put(&[0xFF, 0xB4, 0x33]);
                        self.put(&displacement.to_le_bytes());
                    }
                }
                self.put(&[0x58 | register]);
            }
            39 if self.moves => {
                let condition = self.random.u8(..16);
                self.put(&[0x0F, 0x40 | condition]);
                self.operand(register);
            }
            _ => self.mask_index(),
        }
    }

    fn call(&mut self) {
        let Some(&routine) = self.routines.get(self.random.usize(..self.routines.len().max(1))) else {
            return;
        };
        if self.random.bool() {
            let distance = routine.wrapping_sub(self.here() + 5);
            self.put(&[0xE8]);
            self.put(&distance.to_le_bytes());
        } else {
            self.put(&[0xBF]);
            self.put(&routine.to_le_bytes());
            self.put(&[0xFF, 0xD7]);
        }
    }

    /// A loop of one block, most of whose rounds are alike. Its counter is EBP.
    fn tight(&mut self) {
        let count = self.random.u32(2..90);
        self.put(&[0x55, 0xBD]);
        self.put(&count.to_le_bytes());
        let start = self.bytes.len();
        if self.random.bool() {
            // It goes through memory, in lines and pages.
            let step = [1u8, 2, 4, 32, 60][self.random.usize(..5)];
            self.put(&[0x83, 0xC6, step, 0x81, 0xE6, 0xFC, 0x3F, 0, 0]);
        }
        for _ in 0..self.random.usize(1..6) {
            self.instruction();
        }
        self.put(&[0x4D, 0x0F, 0x85]);
        let distance = start as i32 - (self.bytes.len() as i32 + 4);
        self.put(&distance.to_le_bytes());
        self.put(&[0x5D]);
    }

    /// Goes on in another page, near its beginning.
    fn spread(&mut self) {
        let place = self.bytes.len().next_multiple_of(0x1000) + self.random.usize(..96);
        self.bytes.resize(place, 0x90);
    }

    /// A few instructions, some of which a branch skips.
    fn straight(&mut self, most: usize) {
        for _ in 0..self.random.usize(1..=most) {
            if self.random.u8(..6) == 0 {
                let condition = self.random.u8(..16);
                self.put(&[0x70 | condition, 0]);
                let from = self.bytes.len();
                for _ in 0..self.random.usize(..4) {
                    self.instruction();
                }
                self.bytes[from - 1] = (self.bytes.len() - from) as u8;
            }
            self.instruction();
        }
    }
}

/// Whether the chip of a program has CMOV, which a Pentium lacks.
fn has_moves(seed: u64) -> bool {
    seed % 7 < 3
}

/// A program with a few subroutines and loops. `rewrites` if each pass stores into its own code.
fn program(seed: u64, rewrites: bool) -> Image {
    let mut writer = Writer {
        random: Rng::with_seed(seed),
        bytes: Vec::new(),
        routines: Vec::new(),
        moves: has_moves(seed),
    };
    // In some programs, routines are in pages of their own: more of them than the code cache has lines in a set.
    let spread = seed.is_multiple_of(3);
    // In others, there is more of them than the code cache holds.
    let large = !spread && seed.is_multiple_of(5);
    let routines = match (spread, large) {
        (true, _) => 6,
        (_, true) => 150,
        _ => writer.random.usize(1..4),
    };
    for _ in 0..routines {
        if spread {
            writer.spread();
        }
        let here = writer.here();
        writer.straight(if large { 24 } else { 6 });
        writer.put(&[0xC3]);
        writer.routines.push(here);
    }
    if spread {
        writer.spread();
    }
    let entry = writer.here();
    writer.put(&[0xBB]);
    writer.put(&(DATA + 0x100).to_le_bytes());
    writer.put(&[0x31, 0xF6, 0xBD]);
    writer.put(&if large { PASSES_OF_LARGE } else { PASSES }.to_le_bytes());
    let outer = writer.bytes.len();
    writer.mask_index();
    for _ in 0..writer.random.usize(1..4) {
        writer.straight(14);
        if writer.random.bool() {
            writer.tight();
        }
        // An inner loop, whose counter is below the data.
        let (count, displacement) = (writer.random.u8(1..20), 0xF0u8);
        writer.put(&[0xC7, 0x43, displacement, count, 0, 0, 0]);
        let inner = writer.bytes.len();
        writer.mask_index();
        writer.straight(8);
        writer.put(&[0xFF, 0x4B, displacement, 0x0F, 0x85]);
        let distance = inner as i32 - (writer.bytes.len() as i32 + 4);
        writer.put(&distance.to_le_bytes());
    }
    for _ in 0..if large { 120 } else { 0 } {
        writer.call();
        writer.straight(3);
    }
    if rewrites {
        // `add eax,imm32`, whose immediate is stored before.
        let place = writer.here() + 5 + 1;
        writer.put(&[0xA2]);
        writer.put(&place.to_le_bytes());
        writer.put(&[0x05, 1, 2, 3, 4]);
    }
    writer.put(&[0x4D, 0x0F, 0x85]);
    let distance = outer as i32 - (writer.bytes.len() as i32 + 4);
    writer.put(&distance.to_le_bytes());
    let end = writer.here();
    let reals = floating::data(&mut writer.random);
    let segment = |name: &str, address, bytes: Vec<u8>, zeroes| Segment {
        name: name.to_owned(),
        address,
        bytes,
        zeroes,
        writable: true,
    };
    // Some programs run past their data, into a fault.
    let pages = writer.random.u32(PAGES - 4..=PAGES);
    Image {
        entry,
        end: Some(end),
        segments: vec![
            segment("code", CODE, writer.bytes, 0),
            segment("data", DATA, reals, pages * 0x1000 - floating::BYTES),
            segment("far data", DATA + FAR, Vec::new(), PAGES * 0x1000),
        ],
        ..Image::default()
    }
}

/// Runs a program on both engines, after each block and then at full length, and in blocks of one instruction.
fn both(seed: u64, rewrites: bool) -> StopReason {
    let image = program(seed, rewrites);
    let options = Options {
        runs: 2,
        cpl: if seed.is_multiple_of(2) { 0 } else { 3 },
        memory: &MEMORY_PRESETS[seed as usize % MEMORY_PRESETS.len()],
        limit: LIMIT,
        ..Options::default()
    };
    let model = match has_moves(seed) {
        true => MODELS[0]
            .with_monitors(&[later("cmov").expect("a name")])
            .expect("every chip can"),
        false => MODELS[0],
    };
    let run = simulate_both(&image, "random", model, &options, &mut |_| ());
    let run = run.unwrap_or_else(|different| panic!("seed {seed}: {different:#x?}"));
    let linked = Options {
        engine: EngineChoice::Jit,
        ..options.clone()
    };
    let linked = simulate(&image, "random", model, &linked, &mut |_| ());
    if let Some(lines) = first_difference(&run, &linked) {
        panic!("seed {seed}: {lines:#?}");
    }
    // What is fetched as a block takes the clocks of its instructions.
    let single = Options {
        one_op_blocks: true,
        ..options
    };
    let single = simulate(&image, "random", model, &single, &mut |_| ());
    if let Some(lines) = first_difference(&run, &single) {
        panic!("seed {seed}, in single instructions: {lines:#?}");
    }
    run.stop.reason
}

#[test]
fn random_loops_are_compiled_to_the_same() {
    let first = p5_seeds::seed();
    let mut ended = 0;
    let programs = p5_seeds::number("P5INST_ROUNDS").unwrap_or(PROGRAMS);
    for seed in first..first + programs {
        ended += u64::from(both(seed, seed.is_multiple_of(4)) == StopReason::End);
    }
    let maps = std::fs::read_to_string("/proc/self/maps");
    let both = maps
        .iter()
        .flat_map(|maps| maps.lines())
        .find(|line| line.contains("rwx"));
    assert_eq!(both, None, "memory is writable and executable at once");
    // Somewhat more than half of them do. Five standard deviations fewer are the work of chance once in three million
    // times; of a few programs, none need do.
    let (all, ended) = (programs as f64, ended as f64);
    assert!(
        ended >= all / 2.0 - 5.0 * all.sqrt() / 2.0,
        "from seed {first}: only {ended} of {programs} programs came to their end"
    );
}
