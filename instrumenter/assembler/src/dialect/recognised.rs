//! Sources in the notation of another assembler: such a source has one error that names the notation, instead of one in
//! every line.
//!
//! Constructions of the source's own dialect count against another notation.

use super::Dialect;
use super::foreign::{FOREIGN, Foreign, is_wide, strength, without_texts};
use super::{inline, nasm};
use crate::diag::{Fault, Span, fault};

/// What to do with source for NASM that is 64-bit code.
const NASM_WIDE: &str = "a Pentium has no 64-bit registers and no `syscall`: write it for 32 bits, with EAX to EBP and, \
                         as in Linux, `mov eax,4` and `int 80h` to write, `mov eax,1` to end: such a source runs as it \
                         stands";
/// What to do with source for GNU's assembler that is a whole program: alone, or begun by a C library.
const GNU_PROGRAM: &str = "link what the GNU assembler makes of it: `as --32 -g FILE.s -o FILE.o`, `ld -m elf_i386 -o \
                           FILE FILE.o`, then `p5inst FILE`";
const GNU_MAIN: &str = "link what the GNU assembler makes of it: `gcc -m32 -g -static FILE.s -o PROGRAM`, then `p5inst \
                        PROGRAM`";
/// What to do with source for Rust that is a whole program with the standard library.
const RUST_MAIN: &str = "compile it for a Pentium and run the program: `rustup target add i586-unknown-linux-gnu`, \
                         `rustc -O -g --target i586-unknown-linux-gnu -C target-cpu=pentium -C \
                         target-feature=+crt-static FILE.rs`, then `p5inst --also cmov,endbr FILE`; `p5inst explain \
                         rust` says how a program does without the standard library";
/// The least total weight at which a notation is recognised.
const ENOUGH: u32 = 2;
/// The maximum number of bytes examined in a file.
const LOOKED_AT: usize = 1 << 20;

impl Dialect {
    /// The fault for a program whose first file is plainly written for another assembler.
    pub(crate) fn foreign(&self, text: &str) -> Option<Fault> {
        let text = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
        if inline::read(text).is_some() || nasm::fragment::read(text, self.signs).is_some() {
            // Its errors are those of its lines.
            return None;
        }
        if let Some(fault) = inline::inline(text) {
            return Some(fault);
        }
        let mut own = 0;
        let mut scores = vec![(0, None); FOREIGN.len()];
        for (number, line) in (1..).zip(text.lines()) {
            let plain = without_texts(line).to_ascii_lowercase();
            let words: Vec<&str> = plain
                .split([' ', '\t', ',', '(', ')'])
                .filter(|word| !word.is_empty())
                .collect();
            own += strength(self.signs, &words);
            for ((score, first), foreign) in scores.iter_mut().zip(FOREIGN) {
                let found = strength(foreign.signs, &words);
                *score += found;
                if found > 0 && first.is_none() {
                    let start = line.len() - line.trim_start().len();
                    *first = Some(Span {
                        file: 0,
                        line: number,
                        start: start as u32,
                        end: line.trim_end().len() as u32,
                    });
                }
            }
        }
        let candidates = FOREIGN.iter().zip(scores);
        let (foreign, (score, first)) = candidates.max_by_key(|(_, (score, _))| *score)?;
        if score < ENOUGH || score <= own {
            return None;
        }
        let help = foreign.help(text);
        let message = match foreign.name == "NASM" && is_wide(text) {
            true => "NASM source for 64 bits, which a Pentium cannot execute".to_owned(),
            false => format!("{} source, which is not supported", foreign.name),
        };
        first.map(|first| fault(first, message).with_help(help))
    }
}

impl Foreign {
    /// The remedy for this text.
    fn help(&self, text: &str) -> &'static str {
        let has = |line: &[&str]| {
            text.lines().any(|text| {
                let plain = without_texts(text).to_ascii_lowercase();
                let words = plain.split([' ', '\t', '[', ']']).filter(|word| !word.is_empty());
                words.take(line.len()).eq(line.iter().copied())
            })
        };
        let names = |name: &str| text.lines().any(|line| without_texts(line).contains(name));
        match self.name {
            "NASM" if is_wide(text) => NASM_WIDE,
            "GNU assembler" if has(&["_start:"]) => GNU_PROGRAM,
            "GNU assembler" if has(&["main:"]) => GNU_MAIN,
            "Rust" if names("fn main") && !names("no_std") => RUST_MAIN,
            _ => self.help,
        }
    }
}
