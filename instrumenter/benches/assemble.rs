//! The source lines assembled per second, compared with encoding the same instructions alone.
//!
//! `cargo bench -p instrumenter` prints both.

use divan::counter::ItemsCount;
use iced_x86::{Decoder, DecoderOptions, Encoder, Instruction};
use instrumenter::source::Sources;
use instrumenter::{Options, assemble};
use std::fmt::Write;

/// The lines of the source.
const LINES: usize = 1_000_000;

/// A program of mixed instructions: registers, memory, immediates, typed variables, labels, branches, comments.
fn source() -> String {
    let registers = ["eax", "ebx", "ecx", "edx", "esi", "edi"];
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = String::from(".586\n.model flat\n.data\ncount dd 0\n.code\nstart:\n");
    for line in 6..LINES - 2 {
        let (one, two) = (registers[random.usize(..6)], registers[random.usize(..6)]);
        let number = random.u32(..200);
        let written = match line % 6 {
            0 => writeln!(text, "L{line}:  mov {one},{two}"),
            1 => writeln!(text, "    add {one},[{two}+{number}]    ; a comment"),
            2 => writeln!(text, "    cmp count,{number}"),
            3 => writeln!(text, "    lea {one},[ebx+esi*4+12h]"),
            4 => writeln!(text, "    mov dword ptr [{one}+{two}*2],{number}"),
            _ => writeln!(text, "    jnz L{}", line / 6 * 6),
        };
        written.expect("writing to a string");
    }
    text.push_str("    ret\nend start\n");
    text
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn a_million_lines(bencher: divan::Bencher<'_, '_>) {
    let text = source();
    let sources = Sources::single("bench.asm", &text);
    bencher.counter(ItemsCount::new(LINES)).bench_local(|| {
        let assembly = assemble(&sources, &Options::default());
        assert!(assembly.image.is_some(), "{:?}", assembly.diagnostics.first());
    });
}

#[divan::bench(sample_count = 3, sample_size = 1)]
fn encoding_alone(bencher: divan::Bencher<'_, '_>) {
    let text = source();
    let image = assemble(&Sources::single("bench.asm", &text), &Options::default())
        .image
        .expect("assembles");
    let code = image
        .segments
        .iter()
        .find(|segment| segment.address == image.entry)
        .expect("a code segment");
    let decoder = Decoder::with_ip(32, &code.bytes, u64::from(code.address), DecoderOptions::NONE);
    let instructions: Vec<Instruction> = decoder.into_iter().collect();
    bencher.counter(ItemsCount::new(instructions.len())).bench_local(|| {
        let mut encoder = Encoder::new(32);
        for instruction in &instructions {
            encoder.encode(instruction, instruction.ip()).expect("encodes");
        }
        divan::black_box(encoder.take_buffer());
    });
}

fn main() {
    divan::main();
}
