//! Instructions per second of the whole machine with timing, and of the same loop without timing.
//!
//! `cargo bench -p runtime --bench machine` prints both; their ratio is the cost of timing.

use divan::counter::ItemsCount;
use runtime::exec::{MicroOp, State, compile, run};
use runtime::image::{Image, Segment};
use runtime::machine::{Machine, Options};
use runtime::memory::Memory;
use runtime::mode::Mode;
use runtime::model::MODELS;
use runtime::registers::Registers;

/// The addresses of the code and the data.
const CODE: u32 = 0x0040_1000;
const DATA: u32 = 0x0050_0000;
/// Loop iterations per measurement.
const PASSES: u32 = 1_000_000;
/// The number of instructions before the loop.
const PROLOGUE: usize = 3;

/// `mov ecx,PASSES`, `mov esi,DATA`, `mov edi,DATA+40h`, then the body of the loop, `dec ecx`, `jnz body`.
fn program(body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0xB9];
    bytes.extend(PASSES.to_le_bytes());
    bytes.push(0xBE);
    bytes.extend(DATA.to_le_bytes());
    bytes.push(0xBF);
    bytes.extend((DATA + 0x40).to_le_bytes());
    bytes.extend(body);
    bytes.extend([0x49, 0x75, (-(body.len() as i32) - 3) as u8]);
    bytes
}

fn image(body: &[u8]) -> Image {
    let bytes = program(body);
    let segment = |name: &str, address, bytes: Vec<u8>, zeroes| Segment {
        name: name.to_owned(),
        address,
        bytes,
        zeroes,
        writable: true,
    };
    Image {
        entry: CODE,
        end: Some(CODE + bytes.len() as u32),
        segments: vec![
            segment("code", CODE, bytes, 0),
            segment("data", DATA, Vec::new(), 0x1_0000),
        ],
        ..Image::default()
    }
}

fn loop_ops(body: &[u8]) -> Vec<MicroOp> {
    let bytes = program(body);
    MODELS[0]
        .isa
        .decoder(32, &bytes, CODE)
        .iter()
        .map(|instruction| compile(&instruction, MODELS[0].isa, &Mode::FLAT))
        .collect()
}

/// Measures one run of the program with timing, a warm one: caches and predictions are those that earlier runs left.
fn timed(bencher: divan::Bencher<'_, '_>, body: &[u8]) {
    let image = image(body);
    let instructions = (loop_ops(body).len() - PROLOGUE) as u64 * u64::from(PASSES);
    let mut machine = Machine::new(
        MODELS[0],
        &image,
        Options {
            limit: u64::MAX / 2,
            ..Options::default()
        },
    );
    machine.run(&mut |_| {});
    bencher
        .counter(ItemsCount::new(instructions))
        .bench_local(|| divan::black_box(machine.run(&mut |_| {}).reason));
}

/// Measures the operations of the loop without timing.
fn meaning(bencher: divan::Bencher<'_, '_>, body: &[u8]) {
    let ops = loop_ops(body);
    let mut memory = Memory::new();
    memory.map(DATA, 0x1_0000, true).expect("maps");
    let mut state = State::new(Registers::flat(0), memory);
    run(&ops[..PROLOGUE], &mut state);
    let instructions = (ops.len() - PROLOGUE) as u64 * u64::from(PASSES);
    bencher.counter(ItemsCount::new(instructions)).bench_local(|| {
        for _ in 0..PASSES {
            divan::black_box(run(&ops[PROLOGUE..], &mut state));
        }
    });
}

/// `add eax,edx; mov ebx,eax; shl ebx,3; add ebp,4; xor edx,ebp; lea eax,[ebx+edx*4]; and ebx,0FFh; sub edx,ebx`.
const CACHED_INTEGER: &[u8] = &[
    0x01, 0xD0, 0x89, 0xC3, 0xC1, 0xE3, 0x03, 0x83, 0xC5, 0x04, 0x31, 0xEA, 0x8D, 0x04, 0x93, 0x81, 0xE3, 0xFF, 0, 0,
    0, 0x29, 0xDA,
];
/// `mov eax,[esi]; add eax,[esi+4]; mov edx,ecx; and edx,3FFh; mov [edi],eax; mov ebx,[esi+edx*4]; add ebx,eax; mov
/// [edi+edx*4],ebx`: 4 KiB, which fit into the data cache.
const MEMORY: &[u8] = &[
    0x8B, 0x06, 0x03, 0x46, 0x04, 0x89, 0xCA, 0x81, 0xE2, 0xFF, 0x03, 0, 0, 0x89, 0x07, 0x8B, 0x1C, 0x96, 0x01, 0xC3,
    0x89, 0x1C, 0x97,
];
/// The same over 16 KiB, which do not fit.
const MISSING: &[u8] = &[
    0x8B, 0x06, 0x03, 0x46, 0x04, 0x89, 0xCA, 0x81, 0xE2, 0xFF, 0x0F, 0, 0, 0x89, 0x07, 0x8B, 0x1C, 0x96, 0x01, 0xC3,
    0x89, 0x1C, 0x97,
];

#[divan::bench(sample_count = 5, sample_size = 1)]
fn integer_loop_all_timing(bencher: divan::Bencher<'_, '_>) {
    timed(bencher, CACHED_INTEGER);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn integer_loop_meaning_only(bencher: divan::Bencher<'_, '_>) {
    meaning(bencher, CACHED_INTEGER);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn memory_loop_all_timing(bencher: divan::Bencher<'_, '_>) {
    timed(bencher, MEMORY);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn memory_loop_meaning_only(bencher: divan::Bencher<'_, '_>) {
    meaning(bencher, MEMORY);
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn missing_loop_all_timing(bencher: divan::Bencher<'_, '_>) {
    timed(bencher, MISSING);
}

fn main() {
    divan::main();
}
