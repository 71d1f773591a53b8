//! Instruction-based sampling: all ops and fetches add up to the events of the run, which sampling does not change, and
//! samples obey the rules of the sampler.

mod in_band;
mod itself;
mod shared_bus;
mod statistics;

use crate::engines::generate;
use crate::engines::identities;
use asm_macros::events::Event;
use fastrand::Rng;
use generate::{Ending, Shape, program};
use iced_x86::Code;
use identities::{broken, difference, occurrences};
use runtime::image::Image;
use runtime::machine::{self, Options, SampleOptions, Sampled};
use runtime::model::ibs::{DC_MISS, IC_MISS};
use runtime::model::{MEMORY_PRESETS, MODELS, Model};
use runtime::record::{Choice, CountMode, Randomization, SampleKind};
use std::num::NonZeroU64;
use std::path::Path;

const PROGRAMS: u64 = 64;

/// The minimum number of events compared on each chip.
const FEWEST_EVENTS: usize = 12;

/// The maximum number of misses of one op: a load and a store, each of which may lie in two lines.
const MOST_MISSES: u64 = 4;

/// Options that sample every fetch and every op.
fn everything() -> SampleOptions {
    SampleOptions {
        fetch: NonZeroU64::new(1),
        op: NonZeroU64::new(1),
        truth: true,
        ..SampleOptions::default()
    }
}

fn sampled(image: &Image, model: &'static Model, options: &Options, wanted: &SampleOptions) -> Sampled {
    machine::sample(image, "sampled.asm", model, options, wanted, &mut |_| {})
}

/// The disagreements in a program of which everything is sampled.
fn wrong(image: &Image, model: &'static Model, options: &Options) -> Vec<String> {
    let Sampled { run, recording, events } = sampled(image, model, options, &everything());
    let mut wrong = broken(&run);
    if recording.sampling.runs.0 == 0 {
        return wrong;
    }
    let mut expect = |what: &str, is: u64, expected: u64| {
        if is != expected {
            wrong.push(format!("{what}: {is}, not {expected}"));
        }
    };
    let mut compared = 0;
    // The i486 counts no events.
    let counted = if run.whole.events.is_empty() { &[][..] } else { &events };
    for &(event, count) in counted {
        let row = run.whole.events.iter().find(|row| row.event == event);
        let row = row.unwrap_or_else(|| panic!("no row of {}", event.name()));
        // Not every chip counts every event.
        if row.unavailable.is_none() {
            expect(event.name(), count, occurrences(&run, event));
            compared += 1;
        }
    }
    assert!(
        counted.is_empty() || compared >= FEWEST_EVENTS,
        "only {compared} events are compared"
    );
    let count = |kind, of: &dyn Fn(&runtime::record::Sample) -> bool| {
        let samples = recording.samples.iter().filter(|sample| sample.kind == kind);
        samples.filter(|sample| of(sample)).count() as u64
    };
    let total = |event| events.iter().find(|row| row.0 == event).map_or(0, |row| row.1);
    if recording.sampling.cut == 0 {
        let missed = count(SampleKind::Fetch, &|sample| sample.images.flag(&IC_MISS));
        expect(
            "samples that missed the code cache",
            missed,
            total(Event::CODE_CACHE_MISS),
        );
        let missed = count(SampleKind::Op, &|sample| sample.images.flag(&DC_MISS));
        let most = total(Event::DATA_READ_MISS) + total(Event::DATA_WRITE_MISS);
        // An op is one sample, and each of its references is an event.
        let possible = most.div_ceil(MOST_MISSES)..=most;
        expect(
            "samples that missed the data cache, of those possible",
            missed.clamp(*possible.start(), *possible.end()),
            missed,
        );
        let made = recording.sampling.op.map_or(0, |attempts| attempts.made);
        expect("samples of ops", count(SampleKind::Op, &|_| true), made);
    }
    // The record of a single op or fetch does not depend on whether all others are examined.
    for (op, fetch, randomization, window) in [
        (Some((CountMode::Dispatch, 23)), None, Randomization::None, None),
        (Some((CountMode::Dispatch, 100)), None, Randomization::Hardware, None),
        (
            Some((CountMode::Dispatch, 150)),
            None,
            Randomization::Hardware,
            Some(64),
        ),
        (Some((CountMode::Dispatch, 211)), None, Randomization::None, Some(500)),
        (Some((CountMode::Cycles, 1)), None, Randomization::None, None),
        (Some((CountMode::Cycles, 70)), None, Randomization::Hardware, Some(64)),
        (Some((CountMode::Cycles, 400)), None, Randomization::None, None),
        (Some((CountMode::Cycles, 523)), None, Randomization::Hardware, Some(16)),
        (None, Some(66), Randomization::None, None),
        (None, Some(90), Randomization::Hardware, None),
        (Some((CountMode::Dispatch, 70)), Some(75), Randomization::None, Some(16)),
        (Some((CountMode::Cycles, 70)), Some(80), Randomization::Hardware, None),
        (Some((CountMode::Cycles, 300)), Some(180), Randomization::Hardware, None),
    ] {
        let [seldom, always] = [false, true].map(|truth| {
            let wanted = SampleOptions {
                op: op.and_then(|(_, period)| NonZeroU64::new(period)),
                fetch: fetch.and_then(NonZeroU64::new),
                choice: Choice {
                    mode: op.map_or(CountMode::Dispatch, |(mode, _)| mode),
                    randomization,
                    window,
                    ..Choice::default()
                },
                truth,
            };
            sampled(image, model, options, &wanted)
        });
        let attempts = [&seldom, &always].map(|sampled| {
            let sampling = &sampled.recording.sampling;
            (sampling.op, sampling.fetch)
        });
        if attempts[0] != attempts[1] || seldom.recording.samples != always.recording.samples {
            let mut both = seldom.recording.samples.iter().zip(&always.recording.samples);
            let other = both.find(|(seldom, always)| seldom != always);
            wrong.push(format!(
                "samples of {op:?} and {fetch:?} depend on the truth: {attempts:?}, {other:#X?}"
            ));
        }
        if let Some(difference) = difference(&seldom.run, &run) {
            wrong.push(format!("sampling seldom changes the run: {difference}"));
        }
    }
    let plain = machine::simulate(image, "sampled.asm", model, options, &mut |_| {});
    if let Some(difference) = difference(&plain, &run) {
        wrong.push(format!("sampling changes the run: {difference}"));
    }
    wrong
}

#[test]
fn ops_and_fetches_of_random_programs_add_up_to_their_events() {
    let first = p5_seeds::seed();
    for number in 0..PROGRAMS {
        let seed = first + number;
        let mut random = Rng::with_seed(seed);
        let model = MODELS[number as usize % MODELS.len()];
        let options = Options {
            cpl: if random.bool() { 0 } else { 3 },
            runs: random.u32(1..=3),
            memory: &MEMORY_PRESETS[random.usize(..MEMORY_PRESETS.len())],
            ..Options::default()
        };
        let shape = Shape {
            privileged: options.cpl == 0,
            modifies_itself: number % 5 == 0,
            time: model.isa.has(Code::Rdtsc),
            packed: model.isa.has(Code::Emms),
            ending: match number % 8 {
                0 => Ending::DivideError,
                1 => Ending::WriteToNowhere,
                2 => Ending::Undefined,
                _ => Ending::Return,
            },
        };
        let text = program(&mut random, shape);
        let image = snapshots::assembled("random.asm", &text, options.cpl);
        let image = image.unwrap_or_else(|why| panic!("seed {seed}: {why}\n{text}"));
        let wrong = wrong(&image, model, &options);
        assert!(wrong.is_empty(), "seed {seed}: {wrong:#?}\n{text}");
    }
}

#[test]
fn ops_and_fetches_of_the_test_programs_add_up_to_their_events() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("asm");
    let mut tried = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("UTF-8");
        let cpl = if text.contains("; with cpl = 3") { 3 } else { 0 };
        let image = match snapshots::assembled(&name, &text, cpl) {
            Ok(image) => image,
            // Some programs are for other chips or need a monitor.
            Err(why) => {
                let other = ["; with cpu", "; with monitor"].iter().any(|with| text.contains(with));
                assert!(other, "{name}: {why}");
                continue;
            }
        };
        let options = Options {
            cpl,
            runs: 2,
            limit: 50_000,
            ..Options::default()
        };
        let wrong = wrong(&image, snapshots::chip(), &options);
        assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        tried += 1;
    }
    assert!(tried >= 60, "only {tried} programs");
}

/// A loop of several thousand rounds, in which branches are mispredicted and reads and writes miss.
#[test]
fn ops_and_fetches_of_a_long_loop_add_up_to_their_events() {
    let text = "
        .586
        .model flat
        .data
        numbers dd 16384 dup(1)
        .code
        start:  mov esi,3000
        next:   imul eax,eax,1664525
                add eax,1013904223
                mov ebx,eax
                shr ebx,18
                and ebx,3FFFh
                mov edx,numbers[ebx*4]
                test eax,10000h
                jz odd
                add edx,eax
                mov numbers[ebx*4],edx
        odd:    dec esi
                jnz next
                ret
        end start
    ";
    let image = snapshots::assembled("long_loop.asm", text, 0).expect("assembles");
    for model in MODELS {
        for memory in MEMORY_PRESETS {
            let options = Options {
                runs: 2,
                memory,
                ..Options::default()
            };
            let wrong = wrong(&image, model, &options);
            assert!(wrong.is_empty(), "{} with {}: {wrong:#?}", model.name, memory.name);
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_samples() {
    let text = include_str!("../asm/irregular.asm");
    let image = snapshots::assembled("irregular.asm", text, 0).expect("assembles");
    let options = Options {
        runs: 1,
        ..Options::default()
    };
    for randomization in [Randomization::Hardware, Randomization::Lfsr12] {
        let of = |seed| {
            let wanted = SampleOptions {
                fetch: NonZeroU64::new(32),
                op: NonZeroU64::new(2100),
                choice: Choice {
                    randomization,
                    seed,
                    window: Some(16),
                    ..Choice::default()
                },
                ..SampleOptions::default()
            };
            sampled(&image, snapshots::chip(), &options, &wanted).recording
        };
        assert_eq!(of(7), of(7));
        let (one, other) = (of(7), of(8));
        assert!(!one.samples.is_empty());
        assert_ne!(one.samples, other.samples);
        assert_eq!(one.truth, other.truth);
    }
}
