//! Sources for NASM: their bytes are those of NASM, which the tests ask where it is installed, and which stand beside
//! the sources for where it is not.

use super::complaints;
use p5_assembler::source::Sources;
use p5_assembler::{Assembly, Options, assemble};
use p5_image::Image;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/nasm")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn assembled(text: &str) -> Assembly {
    assemble(&Sources::single("test.asm", text), &Options::default())
}

#[track_caller]
fn image(text: &str) -> Image {
    let assembly = assembled(text);
    let told = &assembly.diagnostics;
    assembly.image.unwrap_or_else(|| panic!("{text}\n{told:#?}"))
}

/// Whether NASM is installed; says so if it is not.
fn has_nasm() -> bool {
    let found = Command::new("nasm").arg("-v").output().is_ok();
    if !found {
        eprintln!("NASM is not installed: only the bytes beside the sources are compared");
    }
    found
}

/// What NASM makes of a text as plain bytes; `None` if it refuses it.
fn of_nasm(text: &str) -> Option<Vec<u8>> {
    let made = tempfile::tempdir().expect("a folder");
    let [source, bytes] = ["one.asm", "one.bin"].map(|name| made.path().join(name));
    fs::write(&source, text).expect("a file");
    let mut command = Command::new("nasm");
    command.args(["-f", "bin", "-w-all", "-o"]).arg(&bytes).arg(&source);
    let output = command.output().expect("NASM starts");
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
        return None;
    }
    Some(fs::read(&bytes).expect("what it made"))
}

/// The sections of a program with their bytes; those of a COM program together, as they lie in its file.
fn sections(image: &Image) -> Vec<(String, u32, Vec<u8>)> {
    let mut all: Vec<(String, u32, Vec<u8>)> = image
        .segments
        .iter()
        .filter(|segment| !segment.bytes.is_empty() && segment.name.starts_with('.') && segment.name != ".bss")
        .map(|segment| (segment.name.to_string(), segment.address, segment.bytes.clone()))
        .collect();
    all.sort_by_key(|(_, address, _)| *address);
    all
}

const STEP: usize = 0x1_0000;

/// The same sections, as NASM makes them for the same addresses.
fn sections_of_nasm(text: &str, ours: &[(String, u32, Vec<u8>)]) -> Option<Vec<Vec<u8>>> {
    let mut source = String::new();
    for (place, (name, address, _)) in ours.iter().enumerate() {
        let start = place * STEP;
        match name == ".bss" {
            true => writeln!(source, "section .bss vstart={address}"),
            false => writeln!(source, "section {name} start={start} vstart={address} align=16"),
        }
        .expect("text");
    }
    let room = ours.iter().map(|(_, address, _)| address).max().expect("a section") + 0x10_0000;
    if !ours.iter().any(|(name, ..)| name == ".bss") {
        writeln!(source, "section .bss vstart={room}").expect("text");
    }
    writeln!(source, "section .text").expect("text");
    let bytes = of_nasm(&format!("{source}{text}"))?;
    let part = |place: usize, length: usize| {
        let rest = bytes.get(place * STEP..).unwrap_or_default();
        rest.get(..length.min(rest.len())).unwrap_or_default().to_vec()
    };
    Some(
        ours.iter()
            .enumerate()
            .map(|(place, (_, _, own))| part(place, own.len()))
            .collect(),
    )
}

fn hexadecimal(bytes: &[u8]) -> String {
    let lines: Vec<String> = bytes
        .chunks(32)
        .map(|line| line.iter().map(|byte| format!("{byte:02X}")).collect())
        .collect();
    lines.join("\n")
}

#[test]
fn programs_have_the_bytes_of_nasm() {
    let asks = has_nasm();
    let mut names: Vec<String> = fs::read_dir(folder())
        .expect("the folder is beside the tests")
        .map(|file| file.expect("a file").file_name().into_string().expect("UTF-8"))
        .filter(|name| name.ends_with(".asm"))
        .collect();
    names.sort();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let text = read(&name);
        let image = image(&text);
        let all = sections(&image);
        // All of a COM program is one file.
        let is_com = text.to_ascii_lowercase().contains("org ");
        let all = match is_com {
            true => vec![("file".to_owned(), 0, com(&image))],
            false => all,
        };
        let mut told = String::new();
        for (section, _, bytes) in &all {
            writeln!(told, "{section}\n{}", hexadecimal(bytes)).expect("text");
        }
        if asks {
            let theirs = match is_com {
                true => of_nasm(&text).map(|bytes| vec![bytes]),
                false => room_below(&text, &image, &all),
            };
            let theirs = theirs.unwrap_or_else(|| panic!("{name}: NASM refuses it"));
            for ((section, _, own), other) in all.iter().zip(&theirs) {
                let (own, other) = (hexadecimal(own), hexadecimal(other));
                assert_eq!(own, other, "{name} {section}: ours first, then that of NASM");
            }
        }
        let kept = folder().join(&name).with_extension("bytes");
        if std::env::var_os("P5INST_UPDATE_BUILDS").is_some() {
            fs::write(&kept, &told).expect("the folder can be written");
        }
        assert_eq!(told, fs::read_to_string(&kept).unwrap_or_default(), "{name}");
    }
}

/// The sections of NASM, with the room of the program where it has it.
fn room_below(text: &str, image: &Image, all: &[(String, u32, Vec<u8>)]) -> Option<Vec<Vec<u8>>> {
    let mut placed = all.to_vec();
    let rooms = image.segments.iter().filter(|segment| segment.name == ".bss");
    placed.extend(rooms.map(|segment| (".bss".to_owned(), segment.address, Vec::new())));
    sections_of_nasm(text, &placed)
}

/// The file of a COM program.
fn com(image: &Image) -> Vec<u8> {
    let first = image
        .segments
        .iter()
        .map(|segment| segment.address)
        .min()
        .expect("code");
    let mut bytes = Vec::new();
    let is_room = |name: &str| name == ".bss";
    let filled = image
        .segments
        .iter()
        .filter(|segment| !segment.bytes.is_empty() && !is_room(&segment.name));
    let mut parts: Vec<_> = filled.collect();
    parts.sort_by_key(|segment| segment.address);
    for part in parts {
        bytes.resize((part.address - first) as usize, 0);
        bytes.extend_from_slice(&part.bytes);
    }
    // An origin leaves room for the prefix that DOS makes.
    bytes.split_off(0x100.min(bytes.len()))
}

/// The forms in a file, each with its bytes behind a bar.
fn forms(name: &str) -> Vec<(String, String)> {
    let pairs = read(name);
    let pairs = pairs.lines().filter_map(|line| line.split_once(" | "));
    pairs
        .map(|(form, bytes)| (form.trim().to_owned(), bytes.trim().to_owned()))
        .collect()
}

#[test]
fn forms_of_instructions_have_the_bytes_of_nasm() {
    let asks = has_nasm();
    for (name, head) in [
        ("forms32.txt", "bits 32\nsection .text\n_start:\n"),
        ("forms16.txt", "bits 16\norg 100h\n"),
    ] {
        let all = forms(name);
        assert!(all.len() > 500, "{name}: {}", all.len());
        let text: String = all.iter().map(|(form, _)| format!("{form}\n")).collect();
        let text = format!("{head}{text}");
        let image = image(&text);
        let own = match head.contains("org") {
            true => com(&image),
            false => sections(&image).remove(0).2,
        };
        let expected: String = all.iter().map(|(_, bytes)| bytes.as_str()).collect();
        let found: String = own.iter().map(|byte| format!("{byte:02X}")).collect();
        let mut at = 0;
        for (form, bytes) in &all {
            let part = found.get(at..at + bytes.len()).unwrap_or_default();
            assert_eq!(part, bytes, "{name}: {form}");
            at += bytes.len();
        }
        assert_eq!(found, expected, "{name}");
        if asks {
            let theirs = of_nasm(&text).unwrap_or_else(|| panic!("{name}: NASM refuses it"));
            assert_eq!(hexadecimal(&own), hexadecimal(&theirs), "{name}");
        }
    }
}

/// Instructions of random operands.
fn random_lines(random: &mut fastrand::Rng, bits: u32) -> Vec<String> {
    let pick = |random: &mut fastrand::Rng, from: &[&str]| from[random.usize(..from.len())].to_owned();
    const WIDE: [&str; 8] = ["eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"];
    const WORDS: [&str; 8] = ["ax", "cx", "dx", "bx", "sp", "bp", "si", "di"];
    const BYTES: [&str; 8] = ["al", "cl", "dl", "bl", "ah", "ch", "dh", "bh"];
    const OPERATIONS: [&str; 11] = [
        "add", "or", "adc", "sbb", "and", "sub", "xor", "cmp", "mov", "test", "xchg",
    ];
    let mut all = Vec::new();
    for _ in 0..400 {
        let number = match random.u32(..4) {
            0 => i64::from(random.i8(..)),
            1 => i64::from(random.i16(..)),
            2 => i64::from(random.i32(..)),
            _ => random.i64(-3..3) * 64,
        };
        let address = {
            let mut parts = Vec::new();
            if bits == 16 && random.bool() {
                parts.extend([pick(random, &["bx", "bp"]), pick(random, &["si", "di"])]);
            } else {
                if random.u32(..4) > 0 {
                    parts.push(pick(random, &WIDE));
                }
                if random.bool() {
                    let index = pick(random, &["eax", "ecx", "edx", "ebx", "ebp", "esi", "edi"]);
                    parts.push(format!("{index}*{}", pick(random, &["1", "2", "4", "8"])));
                }
            }
            if parts.is_empty() || random.bool() {
                let most = if bits == 16 { 0x7FFF } else { i64::from(i32::MAX) };
                parts.push(format!("{}", number.clamp(0, most)));
            }
            random.shuffle(&mut parts);
            let segment = if random.u32(..8) == 0 { "fs:" } else { "" };
            format!("[{segment}{}]", parts.join(" + "))
        };
        let (registers, size, low) = match random.u32(..3) {
            0 => (BYTES, "byte", i64::from(number as i8)),
            1 => (WORDS, "word", i64::from(number as i16)),
            _ => (WIDE, "dword", i64::from(number as i32)),
        };
        let operation = pick(random, &OPERATIONS);
        let [first, second] = [pick(random, &registers), pick(random, &registers)];
        let line = match random.u32(..8) {
            0 => format!("{operation} {first}, {second}"),
            1 => format!("{operation} {first}, {address}"),
            2 => format!("{operation} {address}, {second}"),
            3 if operation != "xchg" => format!("{operation} {first}, {low}"),
            4 if operation != "xchg" => format!("{operation} {size} {address}, {low}"),
            5 => format!("lea {}, {address}", pick(random, &WIDE)),
            6 if bits == 16 => format!("push {}", number as i16),
            6 => format!("push {low}"),
            _ => format!("imul {}, {address}, {}", pick(random, &WIDE), number as i32),
        };
        all.push(line);
    }
    all
}

#[test]
fn random_instructions_have_the_bytes_of_nasm() {
    if !has_nasm() {
        return;
    }
    let mut random = fastrand::Rng::with_seed(p5_seeds::seed());
    for round in 0..p5_seeds::number("P5INST_ROUNDS").unwrap_or(6) {
        let bits = if round % 2 == 0 { 32 } else { 16 };
        let lines = random_lines(&mut random, bits);
        let head = if bits == 32 { "bits 32\n" } else { "bits 16\norg 100h\n" };
        let text = |lines: &[String]| format!("{head}section .text\n_start:\n{}\n", lines.join("\n"));
        let own = |lines: &[String]| {
            let image = assembled(&text(lines)).image?;
            Some(match bits {
                16 => com(&image),
                _ => sections(&image).remove(0).2,
            })
        };
        let whole = (own(&lines), of_nasm(&text(&lines)));
        if whole.0.is_some() && whole.0 == whole.1 {
            continue;
        }
        for line in lines {
            let alone = [line];
            let (own, other) = (own(&alone), of_nasm(&text(&alone)));
            assert_eq!(own, other, "{bits} bits: {alone:?}: ours first, then that of NASM");
        }
    }
}

#[test]
fn errors_name_the_words_of_nasm() {
    let all = read("errors.txt");
    let cases: Vec<&str> = all.split("====\n").collect();
    assert!(cases.len() >= 30, "{}", cases.len());
    let mut told = Vec::new();
    for case in &cases {
        let (source, expected): (Vec<&str>, Vec<&str>) = case.lines().partition(|line| !line.starts_with(";! "));
        let expected: Vec<&str> = expected.iter().map(|line| &line[3..]).collect();
        let found = complaints(&source.join("\n"));
        let lines: String = found.iter().map(|line| format!(";! {line}\n")).collect();
        told.push(format!("{}\n{lines}", source.join("\n").trim_end()));
        if std::env::var_os("P5INST_UPDATE_BUILDS").is_none() {
            assert_eq!(found, expected, "{case}");
        }
    }
    if std::env::var_os("P5INST_UPDATE_BUILDS").is_some() {
        fs::write(folder().join("errors.txt"), told.join("====\n")).expect("the folder can be written");
    }
}

#[test]
fn no_damage_to_a_source_makes_it_panic() {
    let mut random = fastrand::Rng::with_seed(p5_seeds::seed());
    let texts: Vec<String> = fs::read_dir(folder())
        .expect("the folder is beside the tests")
        .map(|file| file.expect("a file").path())
        .filter(|path| path.extension().is_some_and(|end| end == "asm"))
        .map(|path| fs::read_to_string(path).expect("UTF-8"))
        .collect();
    let words = [
        "%",
        "%%",
        "%[",
        "%{",
        "%+",
        "$",
        "`",
        "\\",
        "'",
        "é",
        "(",
        ")",
        "[",
        "]",
        "times 9",
        "struc x\n",
        "\n",
    ];
    for _ in 0..p5_seeds::number("P5INST_ROUNDS").unwrap_or(300) {
        let mut bytes = texts[random.usize(..texts.len())].clone().into_bytes();
        p5_seeds::damage::bytes(&mut random, &mut bytes);
        for _ in 0..random.usize(..3) {
            let at = random.usize(..=bytes.len());
            bytes.splice(at..at, words[random.usize(..words.len())].bytes());
        }
        let text = format!("bits 32\nsection .text\n{}", String::from_utf8_lossy(&bytes));
        assembled(&text);
    }
}

#[test]
fn what_multiplies_itself_ends() {
    for text in [
        "%define a b b b b b b b b\n%define b c c c c c c c c\n%define c d d d d d d d d\n%define d e e e e e e e e\n\
         %define e f f f f f f f f\n%define f g g g g g g g g\ndd a\n",
        "%macro m 0\nm\nm\n%endmacro\nm\n",
        "%define s 'x'\n%rep 100\n%strcat s s, s\n%endrep\n",
        "%rep 1000000\n%rep 1000000\nnop\n%endrep\n%endrep\n",
        "times 1000000 times 1000000 nop\n",
        "times 1000000000 resd 1000000000\n",
        "%xdefine a x\n%rep 100\n%xdefine a a a\n%endrep\n",
        "%assign i 0\n%macro m 1\n%assign i i+1\nm i\n%endmacro\nm 1\n",
    ] {
        let found = complaints(&format!("bits 32\nsection .text\n_start:\n{text}"));
        assert!(!found.is_empty(), "{text}");
    }
    p5_seeds::bounds::assert_bounded_memory("sources that multiply themselves");
}
