//! Samples of a processor that shares its bus: sampling changes nothing, and loads served by the other processor are
//! marked.

use super::generate::{Ending, Shape, program};
use super::{PROGRAMS, everything, sampled, wrong};
use fastrand::Rng;
use iced_x86::Code;
use runtime::machine::Options;
use runtime::model::ibs::{CACHE_HIT_ST, DATA_SRC, RMT_NODE};
use runtime::model::{MEMORY_PRESETS, MODELS, monitor};
use runtime::record::derived::Tally;

#[test]
fn samples_of_random_programs_beside_another_bus_master_add_up() {
    let first = p5_seeds::seed();
    for seed in first..first + PROGRAMS / 4 {
        let mut random = Rng::with_seed(seed);
        let options = Options {
            runs: random.u32(1..=3),
            memory: &MEMORY_PRESETS[random.usize(..MEMORY_PRESETS.len())],
            ..Options::default()
        };
        let model = MODELS[random.usize(..3)];
        let shape = Shape {
            privileged: true,
            modifies_itself: random.bool(),
            time: true,
            packed: model.isa.has(Code::Emms),
            ending: Ending::Return,
        };
        let text = program(&mut random, shape);
        let kind = ["snooper", "dual"][random.usize(..2)];
        let place = ["@arena:1024", "@count_0:64", "@start:64"][random.usize(..3)];
        let every = [30, 200][random.usize(..2)];
        let other = monitor(&format!("{kind}={every}:50:{seed}{place}")).expect("a monitor");
        let model = model.with_monitors(&[other]).expect("has model specific registers");
        let image = snapshots::assembled("beside.asm", &text, 0);
        let image = image.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let wrong = wrong(&image, model, &options);
        assert!(
            wrong.is_empty(),
            "seed {seed}, {}: {}\n{text}",
            other.name,
            wrong.join("\n")
        );
    }
}

/// The program reads a line after each of ten multiples of 8192 clocks, at which the other processor writes to it.
const READ_AFTER_WRITES: &str = "
        .586
        .model flat
        .data
        align 32
shared  dd 8 dup(0)
        .code
start:  mov eax,shared
        rdtsc
        shr eax,13
        mov ebx,eax
        mov ecx,10
again:  rdtsc
        shr eax,13
        cmp eax,ebx
        je again
        mov ebx,eax
        mov eax,shared
        dec ecx
        jnz again
        ret
        end start
";

#[test]
fn loads_that_the_other_processor_serves_are_those_of_another_node() {
    let image = snapshots::assembled("shared.asm", READ_AFTER_WRITES, 0).expect("no errors");
    let dual = monitor("dual=8192:100@shared:32").expect("a monitor");
    let model = MODELS[0].with_monitors(&[dual]).expect("has model specific registers");
    let options = Options {
        runs: 1,
        ..Options::default()
    };
    let recording = sampled(&image, model, &options, &everything()).recording;
    let mut tally = Tally::default();
    for sample in &recording.samples {
        tally.add(sample.kind, &sample.images);
        if sample.images.field(&DATA_SRC) == Some(2) {
            assert!(sample.images.flag(&RMT_NODE) && !sample.images.flag(&CACHE_HIT_ST));
        }
    }
    // Codes for data from another node, from a core of it, from a modified line; from a core of the own node; from an
    // owned line.
    let [node, core, modified, near, owned] = [0xF241, 0xF244, 0xF249, 0xF243, 0xF24A].map(|code| tally.get(code));
    assert_eq!((node, core, modified, near, owned), (10, 10, 10, 0, 0));
    assert!(
        tally.get(0xF24C) >= 10 * 22,
        "each waits for the line to be written back"
    );
}
