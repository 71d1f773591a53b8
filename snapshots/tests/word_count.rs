//! Both word counts of the tutorial are right on any text. The reference below is independent of them: it knows only
//! that bytes up to the blank separate words.

use fastrand::Rng;
use instrumenter::source::{Included, Sources, Unavailable};
use runtime::machine::{self, Options};
use std::path::Path;

/// Programs, each with its definitions.
const PROGRAMS: &[(&str, &[&str])] = &[("plain.asm", &[]), ("plain.asm", &["TWO_LOOKS"]), ("tuned.asm", &[])];
/// The number of random texts.
const RANDOM: usize = 60;

fn words(text: &[u8]) -> u64 {
    let words = text.split(|&byte| byte <= b' ').filter(|word| !word.is_empty());
    words.count() as u64
}

/// The text as `text.inc`, followed by as many blanks as in the tutorial.
fn data(text: &[u8]) -> String {
    let rows = text.chunks(32).map(|bytes| {
        let numbers: Vec<String> = bytes.iter().map(u8::to_string).collect();
        format!("        db {}\n", numbers.join(","))
    });
    let rows: String = rows.collect();
    format!("        align 32\ntext    label byte\n{rows}TEXT_BYTES equ $-text\n        db 67 dup(' ')\n")
}

/// The count of the program in its second run.
fn counted(program: &str, defined: &[&str], text: &[u8]) -> Option<u64> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tutorials/18_word_count");
    let file = |name: &str| std::fs::read_to_string(folder.join(name));
    let include = |name: &str| {
        let bytes = match name {
            "text.inc" => Ok(data(text)),
            other => file(other).map_err(|error| Unavailable::because(error.to_string())),
        };
        bytes.map(|bytes| Included::File {
            name: name.to_owned(),
            bytes: bytes.into_bytes(),
        })
    };
    let definitions: String = defined.iter().map(|name| format!("{name} equ 1\n")).collect();
    let source = definitions + &file(program).expect("the program");
    let sources = Sources {
        include: &include,
        ..Sources::single(program, &source)
    };
    let assembly = instrumenter::assemble(&sources, &instrumenter::Options::default());
    let image = assembly.image.unwrap_or_else(|| panic!("{:?}", assembly.diagnostics));
    let options = Options {
        runs: 2,
        ..Options::default()
    };
    let run = machine::simulate(&image, program, snapshots::chip(), &options, &mut |_| {});
    assert!(run.stop.reason.by_program(), "{program}: {:?}", run.stop);
    snapshots::value(&run, "words")
}

fn check(text: &[u8]) {
    for (program, defined) in PROGRAMS {
        let counted = counted(program, defined, text);
        assert_eq!(counted, Some(words(text)), "{program} {defined:?}: {text:?}");
    }
}

#[test]
fn the_reference_counts_as_a_reader_does() {
    assert_eq!(words(b""), 0);
    assert_eq!(words(b" \r\n\t\0"), 0);
    assert_eq!(words(b"one"), 1);
    assert_eq!(words(b"  one two\n"), 2);
    assert_eq!(words(b"caf\x82 \xff !"), 3);
}

#[test]
fn words_are_counted_at_every_boundary() {
    for length in (0..=5).chain(27..=37).chain(59..=68) {
        check(&vec![b'x'; length]);
        check(&vec![b' '; length]);
        // The texts have one word, and one gap, at each position.
        let (mut word, mut gap) = (vec![b'\n'; length], vec![b'x'; length]);
        if let Some(last) = length.checked_sub(1) {
            (word[last], gap[last]) = (b'x', b'\n');
            check(&word);
            check(&gap);
        }
    }
    for length in [31, 32, 33, 96] {
        let alternating = |first: usize| (0..length).map(move |at| if at % 2 == first { b'x' } else { b' ' });
        check(&alternating(0).collect::<Vec<u8>>());
        check(&alternating(1).collect::<Vec<u8>>());
    }
}

#[test]
fn each_byte_separates_or_belongs_to_a_word() {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for bytes in all.chunks(16) {
        check(
            &bytes
                .iter()
                .flat_map(|&byte| [b'a', byte, b'b', b' '])
                .collect::<Vec<u8>>(),
        );
    }
    check(&all);
}

#[test]
fn words_of_random_texts_are_counted() {
    let seed = p5_seeds::seed();
    println!("seed {seed}");
    let mut random = Rng::with_seed(seed);
    for _ in 0..RANDOM {
        let length = random.usize(..700);
        // The texts have between hardly any separator and hardly any other byte.
        let separators = random.u32(..=100);
        let text: Vec<u8> = (0..length)
            .map(|_| match random.u32(..100) < separators {
                true => random.u8(..=b' '),
                false => random.u8(..),
            })
            .collect();
        check(&text);
    }
    // The text is longer than the data cache and has more words than a byte can count.
    let long: Vec<u8> = (0..40_000)
        .map(|_| *random.choice(b"a \n\xe9").expect("four"))
        .collect();
    check(&long);
}
