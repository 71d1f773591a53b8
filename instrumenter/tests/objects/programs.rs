//! Static Linux programs.

use super::fixture;
use runtime::load::program;
use runtime::machine::{self, simulate};
use runtime::model::MODELS;
use runtime::run::{Note, RefusedService, Run, StopReason};

fn run(arguments: &[&str], input: fn() -> Vec<u8>) -> Run {
    let image = program(&fixture("print.elf").bytes, arguments).expect("a static program");
    let options = machine::Options {
        cpl: 3,
        input,
        ..machine::Options::default()
    };
    simulate(&image, "print.elf", MODELS[0], &options, &mut |_| {})
}

#[test]
fn it_prints_its_arguments_and_its_input_in_every_run() {
    let run = run(&["print", "one", "two"], || {
        b"and what it reads, twenty bytes\n".to_vec()
    });
    assert_eq!((run.stop.reason, run.stop.code), (StopReason::Exit, Some(42)));
    assert_eq!(
        String::from_utf8_lossy(&run.output),
        "one\ntwo\nand what it reads, twenty bytes\n"
    );
    assert_eq!(run.runs.len(), 5);
    let executed = run.runs[0].whole.instructions;
    assert!(
        run.runs.iter().all(|one| one.whole.instructions == executed),
        "heap and mappings start anew"
    );
    let refused = Note::Refused(RefusedService::Linux { call: 999 });
    assert_eq!(
        run.notes.iter().filter(|&note| *note == refused).count(),
        1,
        "{:?}",
        run.notes
    );
}

#[test]
fn what_is_no_program_is_called_so() {
    for bytes in [&b"junk"[..], b"", &[0; 200], b"MZ and so on"] {
        let told = program(bytes, &["a"]).map_err(|error| error.to_string());
        assert!(
            told.is_err_and(|told| told.starts_with("not a Linux program")),
            "{bytes:?}"
        );
    }
    let cut = program(&fixture("print.elf").bytes[..40], &["a"]).map_err(|error| error.to_string());
    assert!(
        cut.as_ref().is_err_and(|told| told.starts_with("truncated or damaged")),
        "{cut:?}"
    );
}

#[test]
fn the_program_headers_are_where_the_program_is_told() {
    for (name, expected) in [("headers.elf", 1), ("unloaded.elf", 99)] {
        let image = program(&fixture(name).bytes, &[name]).expect("a static program");
        let options = machine::Options {
            cpl: 3,
            ..machine::Options::default()
        };
        let run = simulate(&image, name, MODELS[0], &options, &mut |_| {});
        assert_eq!(
            (run.stop.reason, run.stop.code),
            (StopReason::Exit, Some(expected)),
            "{name}"
        );
    }
}

#[test]
fn one_instruction_in_each_block_takes_the_same_clocks() {
    let image = program(&fixture("print.elf").bytes, &["print", "one"]).expect("a static program");
    let [whole, single] = [false, true].map(|one_op_blocks| {
        let options = machine::Options {
            cpl: 3,
            one_op_blocks,
            ..machine::Options::default()
        };
        simulate(&image, "print.elf", MODELS[0], &options, &mut |_| {})
    });
    let clocks = |run: &Run| run.runs.iter().map(|one| one.whole.cycles).collect::<Vec<_>>();
    assert_eq!(clocks(&whole), clocks(&single));
    assert_eq!((whole.output, whole.registers), (single.output, single.registers));
}

#[test]
fn its_lines_are_those_of_the_line_table() {
    let run = run(&["print"], Vec::new);
    assert_eq!(run.files[0].name, "print.c");
    let exit = run
        .instructions
        .iter()
        .find(|one| one.text == "mov eax,1")
        .expect("the exit");
    assert_eq!(exit.place, None, "the start has no line");
    assert!(
        run.instructions
            .iter()
            .any(|one| one.place.is_some_and(|(file, line)| file == 0 && line > 30))
    );
    assert!(run.labels.iter().any(|label| label.name == "main"));
}

/// The place of the symbol named `main` in the symbol table of a 32-bit ELF file, and of its name.
fn symbol_of_main(bytes: &[u8]) -> (usize, usize) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
    let header = |number: usize| word(0x20) + number * 0x28;
    let tables = (0..).map(header).find(|&at| word(at + 4) == 2).expect("a symbol table");
    let [symbols, size, names] = [word(tables + 0x10), word(tables + 0x14), word(tables + 0x18)];
    let names = word(header(names) + 0x10);
    let mut all = (symbols..symbols + size).step_by(0x10).map(|at| (at, names + word(at)));
    all.find(|&(_, name)| bytes[name..].starts_with(b"main\0"))
        .expect("`main`")
}

#[test]
fn a_program_with_a_damaged_name_runs_without_it() {
    let whole = fixture("print.elf").bytes;
    let (symbol, name) = symbol_of_main(&whole);
    let named = |damage: &dyn Fn(&mut Vec<u8>), name: &str| {
        let mut bytes = whole.clone();
        damage(&mut bytes);
        let image = program(&bytes, &["print", "one"]).expect("a static program");
        let run = simulate(
            &image,
            "print.elf",
            MODELS[0],
            &machine::Options {
                cpl: 3,
                ..machine::Options::default()
            },
            &mut |_| {},
        );
        assert_eq!((run.stop.reason, run.stop.code), (StopReason::Exit, Some(42)));
        image.symbols.iter().any(|symbol| symbol.name == name)
    };
    assert!(named(&|_| (), "main"));
    assert!(
        !named(&|bytes| bytes[symbol..symbol + 4].fill(0x7F), "main"),
        "past the names"
    );
    assert!(named(&|bytes| bytes[name] = 0xFF, "\u{fffd}ain"), "no UTF-8");
}

/// The header of an ELF file of 64 bits for a machine, by the number of that.
fn header_of_64_bits(machine: u16) -> Vec<u8> {
    let mut bytes = b"\x7FELF\x02\x01\x01".to_vec();
    bytes.resize(64, 0);
    bytes[16] = 2;
    bytes[18..20].copy_from_slice(&machine.to_le_bytes());
    bytes[20] = 1;
    bytes[52] = 64;
    bytes
}

#[test]
fn a_program_of_another_kind_is_refused() {
    let refused = |change: fn(&mut Vec<u8>), why: &str| {
        let mut bytes = fixture("print.elf").bytes;
        change(&mut bytes);
        let error = program(&bytes, &["print"]).expect_err(why).to_string();
        assert!(error.contains(why), "{error}");
    };
    let long = "a".repeat(4 << 20);
    let error = program(&fixture("print.elf").bytes, &["print", &long]).expect_err("too long");
    assert!(error.to_string().contains("do not fit on its stack"), "{error}");
    refused(|bytes| bytes[16] = 3, "gcc -m32 -static -no-pie");
    const FOR_IT: &str = "not for the 32-bit x86; compile it for that: `gcc -m32 -march=pentium";
    refused(|bytes| bytes[18] = 62, &format!("made for x86-64, {FOR_IT}"));
    refused(
        |bytes| *bytes = header_of_64_bits(62),
        &format!("made for x86-64, {FOR_IT}"),
    );
    for (machine, named) in [(183, "Aarch64"), (243, "Riscv64"), (0xFFF0, "an unknown machine")] {
        let error = program(&header_of_64_bits(machine), &["print"]).expect_err(named);
        assert_eq!(error.to_string(), format!("made for {named}, not for the 32-bit x86"));
    }
    refused(|bytes| bytes.truncate(200), "truncated");
    refused(
        |bytes| bytes[24..28].fill(0x11),
        "its entry 11111111h is not in a segment",
    );
    // The program headers begin at 34h; these are the address and size of the first one.
    refused(
        |bytes| bytes[0x3C..0x40].copy_from_slice(&0xBFFF_F000u32.to_le_bytes()),
        "overlaps the stack",
    );
    refused(|bytes| bytes[0x44..0x48].fill(0xF0), "bad size");
    refused(
        |bytes| bytes[0x48..0x4C].copy_from_slice(&0x0800_0000u32.to_le_bytes()),
        "exceed 128 MiB",
    );
    refused(
        |bytes| bytes[0x48..0x4C].copy_from_slice(&0x5000u32.to_le_bytes()),
        "overlaps another one",
    );
}
