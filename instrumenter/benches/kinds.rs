//! How many instructions a second of simulated code the machine makes with all timing on, by kind of loop: integer,
//! memory, x87, real mode, and code larger than its cache.
//!
//! `cargo bench -p instrumenter --bench kinds` prints one row for each. The integer loop is the baseline of the others.

use divan::counter::ItemsCount;
use instrumenter::source::Sources;
use instrumenter::{Options, assemble};
use runtime::machine::{self, Machine};
use runtime::model::MODELS;
use runtime::run::StopReason;

/// Measures one run of a program with warm caches and branch predictions.
fn timed(bencher: divan::Bencher<'_, '_>, name: &str, text: &str) {
    let assembly = assemble(&Sources::single(name, text), &Options::default());
    let image = assembly.image.expect("assembles");
    let machine = || {
        let mut machine = Machine::new(MODELS[0], &image, machine::Options::default());
        assert_eq!(machine.run(&mut |_| {}).reason, StopReason::End, "{name}");
        machine
    };
    let instructions = machine().into_run(name).whole.totals.instructions;
    let mut machine = machine();
    bencher
        .counter(ItemsCount::new(instructions))
        .bench_local(|| divan::black_box(machine.run(&mut |_| {}).reason));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn integer(bencher: divan::Bencher<'_, '_>) {
    timed(bencher, "integer.asm", include_str!("kinds/integer.asm"));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn memory(bencher: divan::Bencher<'_, '_>) {
    timed(bencher, "memory.asm", include_str!("kinds/memory.asm"));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn x87(bencher: divan::Bencher<'_, '_>) {
    timed(bencher, "x87.asm", include_str!("kinds/x87.asm"));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn real_mode(bencher: divan::Bencher<'_, '_>) {
    timed(bencher, "real_mode.asm", include_str!("kinds/real_mode.asm"));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn larger_than_the_code_cache(bencher: divan::Bencher<'_, '_>) {
    timed(bencher, "large.asm", include_str!("kinds/large.asm"));
}

fn main() {
    divan::main();
}
