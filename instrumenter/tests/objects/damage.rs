//! Damaged files: linking and loading always end soon, with an error or a program, and never panic.

use super::coff::{self, DIR32, EXTERNAL, LOCAL_SEARCH, REL32};
use super::{Binary, fixture, linked};
use crate::hostile::slowness;
use cpu_time::ThreadTime;
use fastrand::Rng;
use runtime::load;
use runtime::machine::{self, simulate};
use runtime::model::MODELS;
use std::time::Duration;

/// The number of damaged copies of each file, and the variable that sets another number.
const ROUNDS: usize = 400;
const MORE: &str = "P5INST_ROUNDS";
/// The limit of processor time for one copy.
const PATIENCE: Duration = Duration::from_secs(20);

/// Changes some bytes of `bytes`, or its length.
fn damage(random: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.usize(1..6) {
        let at = random.usize(..bytes.len());
        match random.u8(..8) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes[at] = random.u8(..),
            2 => bytes[at] ^= 1 << random.u8(..8),
            // Usually this is a size or an offset in a header.
            3 | 4 => {
                let at = random.usize(..bytes.len().min(0x100));
                let value = [0, 1, 0x7F, 0xFF, 0x80][random.usize(..5)];
                let end = (at + random.usize(1..5)).min(bytes.len());
                bytes[at..end].fill(value);
            }
            5 => {
                let end = (at + 4).min(bytes.len());
                bytes[at..end].fill(0xFF);
            }
            6 => {
                let from = random.usize(..bytes.len());
                let length = random.usize(1..64).min(bytes.len() - at.max(from));
                let part = bytes[from..from + length].to_vec();
                bytes[at..at + length].copy_from_slice(&part);
            }
            _ => {
                let length = random.usize(1..32).min(bytes.len() - at);
                let part = bytes[at..at + length].to_vec();
                bytes.splice(at..at, part);
            }
        }
    }
}

fn run(image: &runtime::image::Image) {
    let options = machine::Options {
        cpl: 3,
        runs: 2,
        limit: 20_000,
        ..machine::Options::default()
    };
    simulate(image, "damaged", MODELS[0], &options, &mut |_| {});
}

/// If a check fails, the printed seed lets [`Rng::with_seed`] repeat the damage.
fn each_damaged(whole: Binary, check: fn(Binary)) {
    let seed = p5_seeds::seed();
    let name = &whole.name;
    println!("{name}: seed {seed}");
    let mut random = Rng::with_seed(seed);
    let asked = p5_seeds::number(MORE);
    for _ in 0..asked.unwrap_or(ROUNDS) {
        let mut file = whole.clone();
        damage(&mut random, &mut file.bytes);
        let started = ThreadTime::now();
        check(file);
        assert!(
            started.elapsed() < PATIENCE.mul_f64(slowness()),
            "{name}: seed {seed}: {:?}",
            started.elapsed()
        );
    }
}

#[test]
fn damaged_objects_and_archives_are_linked_or_refused() {
    let check = |file: Binary| {
        let driver = "extern CALLED:proc\npublic seed\n.data\nseed dd 1\n.code\n\
                      twice proc\nret\ntwice endp\nstart: push offset seed\ncall CALLED\nret\nend start\n";
        let called = match file.name.as_str() {
            "routine.o" => "weigh",
            "back.o" => "call_back",
            "weak.o" => "both",
            "marks.o" => "distance",
            "scale.obj" => "scale",
            "optional.obj" => "opt",
            _ => "chosen",
        };
        let assembly = linked(&driver.replace("CALLED", called), &[file]);
        assert!(assembly.image.is_some() || !assembly.diagnostics.is_empty());
        if let Some(image) = &assembly.image {
            let bytes: usize = image.segments.iter().map(|segment| segment.bytes.len()).sum();
            assert!(bytes < 256 << 20, "{bytes}");
            run(image);
        }
    };
    for name in [
        "routine.o",
        "back.o",
        "weak.o",
        "marks.o",
        "unwind.o",
        "indirect.o",
        "library.a",
    ] {
        each_damaged(fixture(name), check);
    }
    each_damaged(coff::scale(0x14C, [DIR32, REL32]), check);
    let optional = coff::optional((".weak", 6, 1, EXTERNAL), LOCAL_SEARCH);
    let name = "optional.obj".to_owned();
    each_damaged(Binary { name, ..optional }, check);
}

#[test]
fn damaged_programs_are_run_or_refused() {
    let check = |file: Binary| {
        if let Ok(image) = load::program(&file.bytes, &["damaged"]) {
            let following = image.lines.iter().skip(1);
            let ordered = image
                .lines
                .iter()
                .zip(following)
                .all(|(row, next)| row.address + row.length <= next.address);
            assert!(ordered, "lines overlap");
            run(&image);
        }
    };
    for name in ["print.elf", "types.elf"] {
        each_damaged(fixture(name), check);
    }
}
