//! Compares the floating-point unit and MMX with silicon: from the same random image, one to three random instructions
//! must leave the same image, memory and AX, or fault at the same instruction.
//!
//! Transcendental instructions are tested alone, and only on Intel processors, which have the same pi: results within
//! one unit in the last place count as the same, whichever way they are rounded. Not compared: the selectors of the
//! last instruction, which later processors do not keep, and its address and operand unless an exception is pending;
//! FBLD of digits above nine; and some behaviour in which processors differ. In stores of a number or of an MMX
//! register that begin on a page and end past it, this is whether the first bytes and the changed top of the stack
//! stay, and whether the page fault precedes an exception of the number. In FPREM by infinity and FSCALE by 0, it is
//! whether they signal the underflow of a denormal if it is not masked. `P5INST_SEED` repeats a run,
//! `SILICON_FLOATING_CASES` sets the number of cases.

use crate::native::{ARENA, ARENA_LENGTH, Native, Place, SLOT};
use crate::operands;
use fastrand::Rng;
use iced_x86::{Decoder, DecoderOptions, Instruction, Mnemonic, OpKind};
use runtime::exec::{Exit, MicroOp, State, compile, run};
use runtime::isa::InstructionSet;
use runtime::memory::Memory;
use runtime::mode::Mode;
use runtime::model::INSTRUCTION_SETS;
use runtime::registers::Registers;

const CASES: u64 = 200_000;
const SHOWN: usize = 20;
/// The addresses of the initial image, of the resulting one, and of operands.
const BEFORE: u32 = ARENA;
const AFTER: u32 = ARENA + 0x100;
const OPERANDS: u32 = ARENA + 0x200;
const OPERANDS_LENGTH: u32 = 0x200;
const IMAGE: usize = 108;
/// The bit that masks underflow in the control word.
const UNDERFLOW: u8 = 0x10;

/// A case: an image, operands, and instructions after FRSTOR.
struct Case {
    code: Vec<u8>,
    instructions: Vec<Instruction>,
    /// Whether it is a single transcendental instruction.
    transcendental: bool,
}

fn image(random: &mut Rng) -> [u8; IMAGE] {
    let mut image = [0; IMAGE];
    let masks = match random.u8(..4) {
        0 => random.u16(..0x40),
        1 => 0x3F & !(1 << random.u8(..6)),
        _ => 0x3F,
    };
    let precision = [0u16, 2, 3, 3][random.usize(..4)] << 8;
    let control = masks | precision | random.u16(..4) << 10 | 0x40;
    let flags = match random.u8(..8) {
        0 => random.u16(..0x80),
        1 => 1 << random.u8(..7),
        _ => 0,
    };
    // Usually there is no unmasked exception, or the first instruction would only raise it.
    let flags = if random.u8(..8) == 0 {
        flags
    } else {
        flags & (masks | 0x40)
    };
    let status = flags | random.u16(..) & 0x7F00;
    let tags = match random.u8(..4) {
        0 => random.u16(..),
        1 => 0xFFFF >> random.u32(..16),
        2 => 3 << (2 * random.u32(..8)),
        _ => 0,
    };
    let mut put = |at: usize, word: u16| image[at..at + 2].copy_from_slice(&word.to_le_bytes());
    put(0, control);
    put(4, status);
    put(8, tags);
    for number in 0..8 {
        let (sign_exponent, significand) = operands::extended(random);
        let at = 28 + 10 * number;
        image[at..at + 8].copy_from_slice(&significand.to_le_bytes());
        image[at + 8..at + 10].copy_from_slice(&sign_exponent.to_le_bytes());
    }
    image
}

/// Whether both sides must agree on an instruction.
fn is_comparable(instruction: &Instruction) -> bool {
    use Mnemonic as M;
    !instruction.is_invalid()
        && chip().has(instruction.code())
        && !matches!(
            instruction.mnemonic(),
            M::F2xm1 | M::Fyl2x | M::Fptan | M::Fpatan | M::Fyl2xp1 | M::Fsincos | M::Fsin | M::Fcos
        )
}

fn instruction(random: &mut Rng) -> Vec<u8> {
    loop {
        let mut bytes = Vec::new();
        if random.u8(..32) == 0 {
            return vec![0x9B];
        }
        if random.u8(..16) == 0 {
            bytes.push(0x66);
        }
        if random.u8(..3) == 0 {
            bytes = vec![0x0F, MMX[random.usize(..MMX.len())]];
        } else {
            bytes.push(random.u8(0xD8..=0xDF));
        }
        if bytes[0] == 0x0F && random.u8(..3) != 0 {
            // MOVD uses EAX, and three groups of shifts have an immediate.
            let number = if matches!(bytes[1], 0x6E | 0x7E) {
                0
            } else {
                random.u8(..8)
            };
            bytes.push(0xC0 | random.u8(..8) << 3 | number);
            if matches!(bytes[1], 0x71..=0x73) {
                bytes.push(random.u8(..70));
            }
        } else if random.bool() {
            bytes.push(0xC0 | random.u8(..));
        } else {
            bytes.push(random.u8(..8) << 3 | 5);
            let address = match random.u8(..64) {
                0 => ARENA + ARENA_LENGTH - random.u32(1..112),
                1..16 => OPERANDS + random.u32(..OPERANDS_LENGTH - 112),
                _ => OPERANDS + 16 * random.u32(..OPERANDS_LENGTH / 16 - 7),
            };
            bytes.extend(address.to_le_bytes());
        }
        let decoded = Decoder::with_ip(32, &bytes, 0, DecoderOptions::NONE).decode();
        if is_comparable(&decoded) && decoded.len() == bytes.len() {
            return bytes;
        }
    }
}

/// The second bytes of MMX instructions.
const MMX: [u8; 52] = [
    0x60, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6E, 0x6F, 0x71, 0x72, 0x73, 0x74, 0x75,
    0x76, 0x77, 0x7E, 0x7F, 0xD1, 0xD2, 0xD3, 0xD5, 0xD8, 0xD9, 0xDB, 0xDC, 0xDD, 0xDF, 0xE1, 0xE2, 0xE5, 0xE8, 0xE9,
    0xEB, 0xEC, 0xED, 0xEF, 0xF1, 0xF2, 0xF3, 0xF5, 0xF8, 0xF9, 0xFA, 0xFC, 0xFD, 0xFE,
];

/// The largest instruction set of all chips.
fn chip() -> &'static InstructionSet {
    INSTRUCTION_SETS.last().expect("there are several")
}

/// The second bytes of the transcendental instructions.
const TRANSCENDENTAL: [u8; 8] = [0xF0, 0xF1, 0xF2, 0xF3, 0xF9, 0xFB, 0xFE, 0xFF];

fn is_intel() -> bool {
    std::arch::x86_64::__cpuid(0).ebx == u32::from_le_bytes(*b"Genu")
}

/// Whether a transcendental instruction is defined for the image's ST(0).
fn is_defined(second: u8, image: &[u8]) -> bool {
    let exponent = u16::from_le_bytes([image[36], image[37]]) & 0x7FFF;
    match second {
        0xF0 => exponent < 0x3FFF || exponent == 0x7FFF,
        0xF9 => exponent < 0x3FFD || exponent == 0x7FFF,
        _ => true,
    }
}

/// Copies silicon's results that are adjacent to ours, and C1, which tells the direction of rounding. At the smallest
/// normal number, rounding decides whether there is an underflow, so everything may differ.
fn take_neighbours(ours: &mut [u8], theirs: &[u8]) {
    let smallest = [0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0];
    if ours[28..37] == smallest[..9] && ours[37] & 0x7F == 0 {
        ours.copy_from_slice(theirs);
        return;
    }
    ours[5] = ours[5] & !2 | theirs[5] & 2;
    for at in [28, 38] {
        let value = |image: &[u8]| {
            let bytes: [u8; 10] = image[at..at + 10].try_into().expect("ten bytes");
            bytes
                .iter()
                .rev()
                .fold(0u128, |number, &byte| number << 8 | u128::from(byte))
        };
        // The integer bit is left out, so that exponents are consecutive.
        let ordered = |number: u128| (number >> 64) << 63 | number & (u64::MAX >> 1) as u128;
        if ordered(value(ours)).abs_diff(ordered(value(theirs))) == 1 {
            ours[at..at + 10].copy_from_slice(&theirs[at..at + 10]);
        }
    }
}

fn generate(random: &mut Rng, transcendental: bool, image: &[u8]) -> Case {
    // frstor [BEFORE]
    let mut code = vec![0xDD, 0x25];
    code.extend(BEFORE.to_le_bytes());
    if transcendental {
        let defined = TRANSCENDENTAL.iter().filter(|&&second| is_defined(second, image));
        let choice = defined.copied().collect::<Vec<_>>();
        code.extend([0xD9, choice[random.usize(..choice.len())]]);
        return decoded(code, true);
    }
    for _ in 0..random.u8(1..=3) {
        let bytes = instruction(random);
        let stores_pointers = matches!(bytes.strip_prefix(&[0x66]).unwrap_or(&bytes), [0xD9 | 0xDD, 0x35, ..]);
        code.extend(bytes);
        // The values that later instructions read from these would differ.
        if stores_pointers {
            break;
        }
    }
    decoded(code, false)
}

fn decoded(code: Vec<u8>, transcendental: bool) -> Case {
    let instructions = Decoder::with_ip(32, &code, u64::from(SLOT), DecoderOptions::NONE)
        .iter()
        .collect();
    Case {
        code,
        instructions,
        transcendental,
    }
}

/// The vector and address of a fault; the rest of the result is in memory.
type Ended = (Option<u8>, u32, u32);

fn simulate(case: &Case, state: &mut State) -> Ended {
    state.registers = Registers::flat(3);
    let compiled = |instruction: &Instruction| compile(instruction, chip(), &Mode::FLAT);
    let ops: Vec<MicroOp> = case.instructions.iter().map(compiled).collect();
    let outcome = run(&ops, state);
    let (vector, eip) = match outcome.exit {
        Exit::Fault(fault) => (Some(fault.vector.number()), state.registers.eip),
        _ => (None, SLOT + case.code.len() as u32),
    };
    let ax = state.registers.general[0];
    let save = decode_save();
    let ended = run(&[compiled(&save)], state);
    assert_eq!(ended.exit, Exit::Next);
    (vector, eip, ax)
}

/// The code of `fnsave [AFTER]`.
fn save() -> Vec<u8> {
    let mut code = vec![0xDD, 0x35];
    code.extend(AFTER.to_le_bytes());
    code
}

fn decode_save() -> Instruction {
    Decoder::with_ip(32, &save(), u64::from(SLOT), DecoderOptions::NONE).decode()
}

/// The addresses and lengths at which FNSTENV and FNSAVE have stored pointers.
fn stored_pointers(case: &Case) -> Vec<(u32, u32)> {
    let mut ranges = vec![(AFTER + 12, 16)];
    for instruction in &case.instructions {
        if matches!(instruction.mnemonic(), Mnemonic::Fnstenv | Mnemonic::Fnsave) {
            let word = if matches!(instruction.memory_size().size(), 14 | 94) {
                2
            } else {
                4
            };
            let start = instruction.memory_displacement32() + 3 * word;
            if start < ARENA + ARENA_LENGTH {
                ranges.push((start, 4 * word));
            }
        }
    }
    ranges
}

fn has_undefined_digits(case: &Case, memory: &Memory) -> bool {
    case.instructions.iter().any(|instruction| {
        instruction.mnemonic() == Mnemonic::Fbld
            && memory
                .read_bytes(instruction.memory_displacement32(), 9)
                .is_some_and(|bytes| bytes.iter().any(|byte| byte & 15 > 9 || byte >> 4 > 9))
    })
}

/// Whether the case stores a number or an MMX register that begins in the arena and ends past it.
fn stores_past_the_end(case: &Case) -> bool {
    use Mnemonic as M;
    case.instructions.iter().any(|instruction| {
        let stores = matches!(
            instruction.mnemonic(),
            M::Fst | M::Fstp | M::Fist | M::Fistp | M::Fbstp | M::Movd | M::Movq
        );
        let in_memory = instruction.op0_kind() == OpKind::Memory;
        let end = instruction.memory_displacement32() as usize + instruction.memory_size().size();
        stores && in_memory && end > (ARENA + ARENA_LENGTH) as usize
    })
}

/// Whether the case may reduce or scale a denormal while underflow is not masked.
fn may_leave_a_denormal(case: &Case, image: &[u8]) -> bool {
    use Mnemonic as M;
    let any = |mnemonics: &[Mnemonic]| {
        let mut own = case.instructions[1..].iter();
        own.any(|instruction| mnemonics.contains(&instruction.mnemonic()))
    };
    let masked = image[0] & UNDERFLOW != 0 && !any(&[M::Fldcw, M::Fldenv, M::Frstor]);
    !masked && any(&[M::Fprem, M::Fprem1, M::Fscale])
}

/// Compares all cases and returns a summary.
pub(crate) fn compare() -> Result<String, crate::Problem> {
    let seed = p5_seeds::seed();
    let cases = p5_seeds::number("SILICON_FLOATING_CASES").unwrap_or(CASES);
    let mut native = Native::new().map_err(crate::Problem::Skipped)?;
    let mut random = Rng::with_seed(seed);
    let mut memory = Memory::new();
    memory.map(ARENA, ARENA_LENGTH, true).expect("maps");
    let mut state = State::new(Registers::flat(3), memory);
    let (mut compared, mut faults, mut forms) = (0u64, 0u64, std::collections::HashSet::new());
    let mut differences = Vec::new();
    let intel = is_intel();
    while compared < cases {
        let mut bytes = vec![0; (OPERANDS_LENGTH + 0x200) as usize];
        bytes[..IMAGE].copy_from_slice(&image(&mut random));
        for place in bytes[0x200..].chunks_exact_mut(16) {
            place.copy_from_slice(&operands::memory(&mut random));
        }
        let tail = operands::memory(&mut random);
        let at_end = ARENA + ARENA_LENGTH - 16;
        for (address, bytes) in [(ARENA, &bytes[..]), (at_end, &tail[..])] {
            native.load(address, bytes);
            state.memory.load(address, bytes).expect("mapped");
        }
        let transcendental = intel && random.u8(..16) == 0;
        let case = generate(&mut random, transcendental, &bytes[..IMAGE]);
        if has_undefined_digits(&case, &state.memory)
            || stores_past_the_end(&case)
            || may_leave_a_denormal(&case, &bytes)
        {
            continue;
        }
        let ours = simulate(&case, &mut state);
        let theirs = native.run(&Place::Flat, &case.code, &[0; 8], 0);
        native.run(&Place::Flat, &save(), &[0; 8], 0);
        let theirs = (theirs.vector, theirs.eip, theirs.general[0]);
        compared += 1;
        faults += u64::from(ours.0.is_some());
        forms.extend(case.instructions.iter().map(Instruction::code));
        for (address, length) in stored_pointers(&case) {
            let zeros = vec![0; length.min(ARENA + ARENA_LENGTH - address) as usize];
            native.load(address, &zeros);
            state.memory.load(address, &zeros).expect("mapped");
        }
        let mut our_memory = state.memory.read_bytes(ARENA, ARENA_LENGTH).expect("mapped");
        if case.transcendental {
            let place = 0x100..0x100 + IMAGE;
            take_neighbours(&mut our_memory[place.clone()], &native.bytes(0)[place]);
        }
        let differing = (our_memory != native.bytes(0)).then(|| {
            let mut pairs = our_memory.iter().zip(native.bytes(0));
            pairs.position(|(a, b)| a != b)
        });
        state.memory.load(ARENA, native.bytes(0)).expect("mapped");
        if ours != theirs || differing.is_some() {
            let operand = |instruction: &Instruction| {
                let memory = (0..instruction.op_count()).any(|index| instruction.op_kind(index) == OpKind::Memory);
                let at = instruction.memory_displacement32().wrapping_sub(ARENA) as usize;
                bytes.get(at..at + 10).filter(|_| memory).map(<[u8]>::to_vec)
            };
            let shown = |memory: &[u8]| described(&memory[0x100..0x100 + IMAGE]);
            differences.push(format!(
                "{:?} {:x?}\n  before {}\n  ours   {} {ours:x?}\n  theirs {} {theirs:x?}\n  at {differing:x?}",
                case.instructions[1..].iter().map(Instruction::code).collect::<Vec<_>>(),
                case.instructions[1..].iter().map(operand).collect::<Vec<_>>(),
                described(&bytes[..IMAGE]),
                shown(&our_memory),
                shown(native.bytes(0)),
            ));
        }
    }
    let summary = format!(
        "{compared} sequences of {} forms, {faults} ended by a fault; seed {seed}",
        forms.len()
    );
    if differences.is_empty() {
        return Ok(summary);
    }
    let count = differences.len();
    // The shortest failure of each kind is reported.
    let kind = |text: &String| {
        text.lines()
            .next()
            .unwrap_or("")
            .split_once(' ')
            .map(|(first, _)| first.to_owned())
    };
    differences.sort_by_key(|text| (text.lines().next().map(str::len), kind(text)));
    differences.dedup_by_key(|text| kind(text));
    differences.truncate(SHOWN);
    let report = format!("{summary}\n{count} differ\n{}", differences.join("\n"));
    Err(crate::Problem::Differs(report))
}

/// An image as text: control, status, tags and registers.
fn described(image: &[u8]) -> String {
    let word = |at: usize| u16::from_le_bytes([image[at], image[at + 1]]);
    let registers: Vec<String> = (0..8)
        .map(|number| {
            let at = 28 + 10 * number;
            let significand = image[at..at + 8]
                .iter()
                .rev()
                .fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
            format!("{:04x}:{significand}", word(at + 8))
        })
        .collect();
    format!(
        "{:04x} {:04x} {:04x} {}",
        word(0),
        word(4),
        word(8),
        registers.join(" ")
    )
}
