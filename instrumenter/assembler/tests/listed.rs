//! Whole sources and single constructions, beside the bytes that they become. In each file of `tests/bytes` and
//! `tests/era` the bytes of a line are below it, and so are its messages:
//!
//! ```text
//!         mov     ax, 5
//! ;= b80500
//! ```
//!
//! A line of `;---` begins another program. The bytes of a macro or repeat are those of the line that calls it; `+4`
//! stands for four zeroes. `INSTA_UPDATE=always` rewrites the files.

use super::messages::{BETWEEN, told};
use p5_assembler::source::Sources;
use p5_assembler::{Extent, Options, assemble};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The beginnings of lines with bytes and with messages.
const MARKS: [&str; 2] = [";=", ";!"];
/// The most bytes of a line that are written; of more, only their number and sum.
const MOST: usize = 96;

#[test]
fn each_line_has_the_bytes_below_it() {
    let update = std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always");
    let mut programs = 0;
    for folder in ["tests/bytes", "tests/era"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            let expected = fs::read_to_string(&path).expect("UTF-8");
            let written = |line: &&str| !MARKS.iter().any(|mark| line.starts_with(mark));
            let source: String = expected.split_inclusive('\n').filter(written).collect();
            let parts = source.split_inclusive(BETWEEN).inspect(|_| programs += 1);
            let found: String = parts.map(listed).collect();
            if update {
                fs::write(&path, &found).expect("a file that can be written");
            } else {
                assert!(
                    found == expected,
                    "{}\n{}",
                    path.display(),
                    difference(&expected, &found)
                );
            }
        }
    }
    assert!(programs > 30, "only {programs} programs were found");
}

/// The first line that differs, in both texts.
fn difference(expected: &str, found: &str) -> String {
    let mut lines = expected.lines().zip(found.lines()).zip(1..);
    let first = lines.find(|((expected, found), _)| expected != found);
    first.map_or_else(
        || "one is longer".to_owned(),
        |((expected, found), line)| format!("{line}: expected {expected}\n{line}: found {found}"),
    )
}

/// The lines of a program, each followed by its bytes and its messages.
fn listed(text: &str) -> String {
    let options = Options {
        extent: Extent::Module,
        listing: true,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("test.asm", text), &options);
    let mut bytes: BTreeMap<u32, String> = BTreeMap::new();
    let listing = assembly.listing.expect("a listing");
    let mut outer = 0;
    for line in &listing.lines {
        if line.depth == 0 {
            outer = line.line;
        }
        let row = bytes.entry(outer).or_default();
        for placed in &line.placed {
            placed
                .bytes
                .iter()
                .for_each(|byte| write!(row, "{byte:02x}").expect("room"));
            if placed.zeroes > 0 {
                write!(row, "+{}", placed.zeroes).expect("room");
            }
        }
    }
    let mut found = String::new();
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        found.push_str(line);
        if let Some(row) = bytes.get(&number).filter(|row| !row.is_empty()) {
            found.push_str(&match row.len() / 2 {
                ..=MOST => format!("{} {row}\n", MARKS[0]),
                length => format!("{} {length} bytes, {:08x}\n", MARKS[0], sum(row)),
            });
        }
        let here = assembly
            .diagnostics
            .iter()
            .filter(|one| one.span.map_or(1, |span| span.line) == number);
        for one in here {
            writeln!(found, "{} {}", MARKS[1], told(text, one)).expect("room");
        }
    }
    found
}

/// A sum that differs for different texts.
fn sum(text: &str) -> u32 {
    text.bytes().fold(0x811C_9DC5, |sum: u32, byte| {
        (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}
