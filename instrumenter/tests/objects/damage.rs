//! Damaged files: linking and loading always end soon, with an error or a program, and never panic.

use super::coff::{self, DIR32, EXTERNAL, LOCAL_SEARCH, REL32};
use super::{Binary, fixture, linked, path};
use cpu_time::ThreadTime;
use fastrand::Rng;
use p5_seeds::bounds::{assert_bounded_memory, slowness};
use p5_seeds::damage;
use runtime::image::Image;
use runtime::load::{self, Budget};
use runtime::machine::{self, simulate};
use runtime::model::MODELS;
use runtime::report::{Detail, Format, Style, write};
use runtime::run::Run;
use std::ops::Range;
use std::time::Duration;

/// The number of damaged copies of each file, of larger ones, and the variable that sets another number.
const ROUNDS: usize = 400;
const FEW_ROUNDS: usize = 40;
const MORE: &str = "P5INST_ROUNDS";
/// The limit of processor time for one copy.
const PATIENCE: Duration = Duration::from_secs(10);

fn run(image: &Image) -> Run {
    let options = machine::Options {
        cpl: 3,
        runs: 2,
        limit: 20_000,
        ..machine::Options::default()
    };
    simulate(image, "damaged", MODELS[0], &options, &mut |_| {})
}

/// Runs a program and writes its reports, which say what the file has of lines, functions and variables.
fn report(image: &Image) {
    let run = run(image);
    let style = Style::plain(80, Detail::Long);
    for format in [Format::Text, Format::Json] {
        write(format, &run, &style, &mut std::io::sink()).expect("a sink takes everything");
    }
}

/// If a check fails, the printed seed lets [`Rng::with_seed`] repeat the damage.
fn each_damaged(whole: Binary, check: fn(Binary)) {
    let head = 0..whole.bytes.len().min(0x100);
    each_damaged_within(whole, &[head], ROUNDS, check);
}

/// Like [`each_damaged`], with most of the damage at `places`.
fn each_damaged_within(whole: Binary, places: &[Range<usize>], rounds: usize, check: fn(Binary)) {
    let seed = p5_seeds::seed();
    let name = &whole.name;
    println!("{name}: seed {seed}");
    let mut random = Rng::with_seed(seed);
    let asked = p5_seeds::number(MORE);
    for round in 0..asked.unwrap_or(rounds) {
        let mut file = whole.clone();
        damage::within(&mut random, &mut file.bytes, places);
        let started = ThreadTime::now();
        let ended = std::panic::catch_unwind(|| check(file));
        assert!(ended.is_ok(), "{name}: seed {seed}, round {round}");
        assert!(
            started.elapsed() < PATIENCE.mul_f64(slowness()),
            "{name}: seed {seed}, round {round}: {:?}",
            started.elapsed()
        );
    }
    assert_bounded_memory(name);
}

/// The places of an ELF file's headers, symbols and relocations, and of all that says which line and which variable
/// stands where.
fn tables_of_elf(bytes: &[u8]) -> Vec<Range<usize>> {
    let number = |at: usize, size: usize| {
        let bytes = bytes[at..at + size].iter().rev();
        bytes.fold(0, |number, &byte| number << 8 | usize::from(byte))
    };
    // The header of a section has its type, its offset in the file, and its size.
    let (table, size, count) = (number(0x20, 4), number(0x2E, 2), number(0x30, 2));
    let (symbols, names, relocations) = (2, 3, 9);
    let sections = (0..count).map(|index| table + index * size);
    let parts = sections.filter_map(|at| {
        let (kind, loaded) = (number(at + 4, 4), number(at + 8, 4) != 0);
        let range = number(at + 0x10, 4)..number(at + 0x10, 4) + number(at + 0x14, 4);
        let tells = !loaded && kind == 1 || [symbols, names, relocations].contains(&kind);
        (tells && range.end <= bytes.len()).then_some(range)
    });
    parts.chain([0..0x34, table..table + size * count]).collect()
}

/// The places of the headers of an archive's members.
fn headers_of_archive(bytes: &[u8]) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 8);
    while let Some(header) = bytes.get(at..at + 60) {
        found.push(at..at + 60);
        let size = std::str::from_utf8(&header[48..58]).expect("digits");
        at += 60 + size.trim().parse::<usize>().expect("a size").next_multiple_of(2);
    }
    found
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

/// Loads and runs a damaged program of Linux.
fn of_linux(file: Binary) {
    if let Ok(image) = load::program(&file.bytes, &["damaged"]) {
        let following = image.lines.iter().skip(1);
        let ordered = image
            .lines
            .iter()
            .zip(following)
            .all(|(row, next)| row.address + row.length <= next.address);
        assert!(ordered, "lines overlap");
        report(&image);
    }
}

#[test]
fn damaged_programs_are_run_or_refused() {
    for name in ["print.elf", "types.elf"] {
        each_damaged(fixture(name), of_linux);
    }
}

#[test]
fn damaged_tables_of_lines_and_types_do_no_harm() {
    for name in ["types.elf", "rounds.elf", "stubs.elf"] {
        let file = fixture(name);
        let places = tables_of_elf(&file.bytes);
        assert!(places.len() > 4, "{name}: {places:?}");
        each_damaged_within(file, &places, FEW_ROUNDS, of_linux);
    }
}

#[test]
fn damaged_headers_of_members_do_no_harm() {
    let file = fixture("library.a");
    let places = headers_of_archive(&file.bytes);
    assert!(places.len() > 2, "{places:?}");
    each_damaged_within(file, &places, FEW_ROUNDS, |file| {
        // All members that can be read, whether or not one has the symbol.
        let _ = load::archive(&file.name, &file.bytes, &mut Budget::default());
        let _ = linked(
            "extern chosen:proc\n.code\nstart: call chosen\nret\nend start\n",
            &[file],
        );
    });
}

#[test]
fn damaged_programs_of_dos_are_run_or_refused() {
    for name in ["main16.exe", "resident.com"] {
        let text = path(&format!("../build/{name}.hex"));
        let text = std::fs::read_to_string(text).expect("the bytes of a built program");
        let bytes = text.split_whitespace().map(|byte| u8::from_str_radix(byte, 16));
        let file = Binary {
            name: name.to_owned(),
            bytes: bytes.collect::<Result<_, _>>().expect("bytes"),
        };
        let head = 0..file.bytes.len().min(0x100);
        each_damaged_within(file, &[head], FEW_ROUNDS, |file| {
            let loaded = match file.name.ends_with("exe") {
                true => load::exe_program(&file.bytes, &["damaged"]),
                false => load::com_program(&file.bytes, &["damaged"]),
            };
            if let Ok(image) = loaded {
                report(&image);
            }
        });
    }
}
