//! How many instructions a second a compiled program makes with all timing on, beside the same program with no clock
//! running: one that sorts and follows pointers, so its branches are not predictable.
//!
//! `cargo bench -p instrumenter --bench simulate` prints both; the ratio of the two is the price of time.
//! One run beside the same run sampled shows the price of samples.

use divan::counter::ItemsCount;
use iced_x86::FlowControl;
use instrumenter::source::Sources;
use instrumenter::{Options, assemble};
use runtime::exec::{Exit, MicroOp, State, compile, run};
use runtime::image::{Image, RETURN_ADDRESS, STACK_HEADROOM, STACK_SIZE, STACK_TOP};
use runtime::machine::{self, Machine, SampleOptions};
use runtime::memory::Memory;
use runtime::mode::Mode;
use runtime::model::MODELS;
use runtime::record::{Choice, CountMode};
use runtime::registers::Registers;
use std::collections::HashMap;
use std::num::NonZeroU64;

/// What gcc made of `sort_and_chase.c`.
const PROGRAM: &str = include_str!("sort_and_chase.asm");
/// What the program leaves in `sum`, as the same C says natively.
const SUM: u32 = 3_898_643_736;

fn image() -> Image {
    let assembly = assemble(&Sources::single("sort_and_chase.asm", PROGRAM), &Options::default());
    assembly.image.expect("assembles")
}

fn load(image: &Image) -> State {
    let mut memory = Memory::new();
    memory.map(STACK_TOP - STACK_SIZE, STACK_SIZE, true).expect("maps");
    for segment in &image.segments {
        let length = segment.bytes.len() as u32 + segment.zeroes;
        memory.map(segment.address, length, true).expect("maps");
        memory.load(segment.address, &segment.bytes).expect("loads");
    }
    let stack = STACK_TOP - STACK_HEADROOM;
    memory.load(stack, &RETURN_ADDRESS.to_le_bytes()).expect("loads");
    let mut registers = Registers::flat(0);
    registers.eip = image.entry;
    registers.general[4] = stack;
    State::new(registers, memory)
}

/// Every block of a program, decoded the first time it is executed.
#[derive(Default)]
struct Blocks {
    ops: Vec<Vec<MicroOp>>,
    /// The block at an address.
    by_address: HashMap<u32, usize>,
    /// The two addresses each block led to last, and the blocks there.
    links: Vec<[(u32, usize); 2]>,
}

impl Blocks {
    fn at(&mut self, address: u32, state: &State) -> usize {
        if let Some(&known) = self.by_address.get(&address) {
            return known;
        }
        let mut bytes = [0; 512];
        let available = state.memory.fetch(address, &mut bytes);
        let mut ops = Vec::new();
        for instruction in &mut MODELS[0].isa.decoder(32, &bytes[..available], address) {
            ops.push(compile(&instruction, MODELS[0].isa, &Mode::FLAT));
            if instruction.flow_control() != FlowControl::Next || ops.len() == 32 {
                break;
            }
        }
        self.ops.push(ops);
        self.links.push([(RETURN_ADDRESS, 0); 2]);
        self.by_address.insert(address, self.ops.len() - 1);
        self.ops.len() - 1
    }

    /// Executes the program from its entry to its return; how many instructions that took.
    fn execute(&mut self, state: &mut State) -> u64 {
        let mut instructions = 0;
        let mut index = self.at(state.registers.eip, state);
        loop {
            let outcome = run(&self.ops[index], state);
            assert!(matches!(outcome.exit, Exit::Next), "{outcome:?}");
            instructions += outcome.executed as u64;
            let next = state.registers.eip;
            if next == RETURN_ADDRESS {
                return instructions;
            }
            let linked = self.links[index].iter().find(|(address, _)| *address == next);
            index = match linked {
                Some(&(_, linked)) => linked,
                None => {
                    let found = self.at(next, state);
                    self.links[index].rotate_right(1);
                    self.links[index][0] = (next, found);
                    found
                }
            };
        }
    }
}

fn sum_of(image: &Image, state: &State) -> Option<u32> {
    let symbol = image.symbols.iter().find(|symbol| symbol.name == "sum")?;
    let bytes = state.memory.read_bytes(symbol.value, 4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn sort_and_chase_all_timing(bencher: divan::Bencher<'_, '_>) {
    let image = image();
    let instructions = Blocks::default().execute(&mut load(&image));
    let mut machine = Machine::new(MODELS[0], &image, machine::Options::default());
    machine.run(&mut |_| {});
    bencher
        .counter(ItemsCount::new(instructions))
        .bench_local(|| divan::black_box(machine.run(&mut |_| {}).reason));
    let run = machine.into_run("sort_and_chase.asm");
    let sum = run.symbols.iter().find(|symbol| symbol.name == "sum");
    assert_eq!(sum.and_then(|symbol| symbol.value), Some(u64::from(SUM)));
    assert_eq!(run.whole.totals.instructions, instructions);
}

/// A single run, as it is sampled: of nothing, of ops by ops and by clocks, of fetches, and with every op looked at.
#[divan::bench(args = ["nothing", "ops", "clocks", "fetches", "truth"], sample_count = 5, sample_size = 1)]
fn sort_and_chase_sampled(bencher: divan::Bencher<'_, '_>, what: &str) {
    let image = image();
    let every = NonZeroU64::new(1000);
    let wanted = SampleOptions {
        op: every.filter(|_| matches!(what, "ops" | "clocks" | "truth")),
        fetch: every.filter(|_| what == "fetches"),
        choice: Choice {
            mode: if what == "clocks" {
                CountMode::Cycles
            } else {
                CountMode::Dispatch
            },
            ..Choice::default()
        },
        truth: what == "truth",
    };
    let options = machine::Options {
        runs: 1,
        ..machine::Options::default()
    };
    let name = "sort_and_chase.asm";
    // The instructions and the samples of a run.
    let run = || {
        if what == "nothing" {
            let run = machine::simulate(&image, name, MODELS[0], &options, &mut |_| {});
            return (run.whole.totals.instructions, 0);
        }
        let sampled = machine::sample(&image, name, MODELS[0], &options, &wanted, &mut |_| {});
        (sampled.run.whole.totals.instructions, sampled.recording.samples.len())
    };
    let (instructions, samples) = run();
    assert_eq!(samples > 0, what != "nothing");
    bencher
        .counter(ItemsCount::new(instructions))
        .bench_local(|| assert_eq!(run(), (instructions, samples)));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn sort_and_chase_meaning_only(bencher: divan::Bencher<'_, '_>) {
    let image = image();
    let mut blocks = Blocks::default();
    let instructions = blocks.execute(&mut load(&image));
    bencher
        .counter(ItemsCount::new(instructions))
        .with_inputs(|| load(&image))
        .bench_local_refs(|state| {
            blocks.execute(state);
            assert_eq!(sum_of(&image, state), Some(SUM));
        });
}

fn main() {
    divan::main();
}
