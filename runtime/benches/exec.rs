//! Instructions per second of `exec` alone, without timing.

use divan::counter::ItemsCount;
use runtime::exec::{MicroOp, State, compile, run};
use runtime::memory::Memory;
use runtime::mode::Mode;
use runtime::model::MODELS;
use runtime::registers::Registers;

/// Loop iterations per measurement.
const PASSES: u32 = 10_000;

fn main() {
    divan::main();
}

fn prepare(bytes: &[u8]) -> (Vec<MicroOp>, State) {
    let mut memory = Memory::new();
    memory.map(0x10_0000, 0x1_0000, true).expect("maps");
    for number in 0..0x2000u32 {
        let value = 1.0 + f64::from(number % 8) / 7.0;
        memory
            .write_u64(0x10_0000 + 8 * number, value.to_bits())
            .expect("writes");
    }
    let mut registers = Registers::flat(3);
    registers.general[3] = 0x10_0000;
    registers.general[6] = 0x10_1000;
    registers.general[7] = 0x10_2000;
    registers.general[4] = 0x10_F000;
    let ops = MODELS[0]
        .isa
        .decoder(32, bytes, 0x1000)
        .iter()
        .map(|instruction| compile(&instruction, MODELS[0].isa, &Mode::FLAT))
        .collect();
    (ops, State::new(registers, memory))
}

fn measure(bencher: divan::Bencher<'_, '_>, bytes: &[u8]) {
    let (ops, mut state) = prepare(bytes);
    let instructions = ops.len() as u32 * PASSES;
    bencher.counter(ItemsCount::new(instructions)).bench_local(|| {
        for _ in 0..PASSES {
            divan::black_box(run(&ops, &mut state));
        }
    });
}

/// Nine register instructions and a branch.
#[divan::bench]
fn alu_loop(bencher: divan::Bencher<'_, '_>) {
    // add eax,ecx; mov edx,eax; shl edx,3; sub edx,eax; xor esi,edx; add ecx,1; and edi,0FFFFh; lea ebp,[esi+edi*4];
    // dec ebx; jnz
    let bytes = [
        0x01, 0xC8, 0x89, 0xC2, 0xC1, 0xE2, 0x03, 0x29, 0xC2, 0x31, 0xD6, 0x83, 0xC1, 0x01, 0x81, 0xE7, 0xFF, 0xFF, 0,
        0, 0x8D, 0x2C, 0xBE, 0x4B, 0x75, 0xE4,
    ];
    measure(bencher, &bytes);
}

/// Ten instructions, seven of them with a memory operand.
#[divan::bench]
fn memory_loop(bencher: divan::Bencher<'_, '_>) {
    // mov eax,[esi]; add eax,[esi+4]; mov [edi],eax; add [edi+4],eax; mov edx,[ebx+ecx*4]; push edx; pop edx;
    // inc ecx; and ecx,0FFh; jnz
    let bytes = [
        0x8B, 0x06, 0x03, 0x46, 0x04, 0x89, 0x07, 0x01, 0x47, 0x04, 0x8B, 0x14, 0x8B, 0x52, 0x5A, 0x41, 0x81, 0xE1,
        0xFF, 0, 0, 0, 0x75, 0xE8,
    ];
    measure(bencher, &bytes);
}

/// Eight floating-point instructions, six of them with a memory operand, an increment and a branch.
#[divan::bench]
fn floating_point_loop(bencher: divan::Bencher<'_, '_>) {
    // fld [esi]; fmul [esi+8]; fadd [edi+16]; fstp [edi+24]; fld [esi+8]; fmul st,st; fsub [esi]; fstp [edi]; inc ecx;
    // jnz, all of them doubles
    let bytes = [
        0xDD, 0x06, 0xDC, 0x4E, 0x08, 0xDC, 0x47, 0x10, 0xDD, 0x5F, 0x18, 0xDD, 0x46, 0x08, 0xD8, 0xC8, 0xDC, 0x26,
        0xDD, 0x1F, 0x41, 0x75, 0xE9,
    ];
    measure(bencher, &bytes);
}
