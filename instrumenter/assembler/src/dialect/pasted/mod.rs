//! What compilers and disassemblers print in Intel syntax, read as it is pasted: the assembly source that GCC, Clang
//! and Compiler Explorer write for GNU's assembler, and the listing of `objdump -d -M intel`.
//!
//! The lines of such a text are made into lines of the MASM dialect before they are parsed: `gnu` has source, `listing`
//! has disassembly, `data` the directives for data, `code` what is spelled otherwise within instructions; each
//! part of a line knows where it comes from. Source that defines macros, has conditions or is in AT&T syntax is not
//! read: `foreign` has what to do with it.

mod code;
mod data;
mod gnu;
mod listing;

use super::foreign::{NOT_READ, Sign, foreign_signs, is_att, strength, without_texts};
use crate::diag::{Fault, Span, fault};
use crate::lex::Made;
use crate::names::Names;
use crate::select::register;
use std::collections::HashSet;

/// Names of this notation that MASM gives a meaning.
pub(super) struct Taken<'a> {
    names: &'a mut Names,
    is_word: fn(&mut Names, &str) -> bool,
    /// The names that the text defines, of these.
    defined: HashSet<String>,
}

impl Taken<'_> {
    /// Notes a name that the text defines.
    fn define(&mut self, name: &str) {
        let plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if plain && ((self.is_word)(self.names, name) || register(name).is_some()) {
            self.defined.insert(name.to_owned());
        }
    }

    /// The name as MASM reads it.
    fn spelled(&self, name: &str) -> Option<String> {
        self.defined.contains(name).then(|| format!("_{name}"))
    }
}

/// A text as lines of the MASM dialect.
pub(crate) struct Pasted {
    pub(crate) lines: Vec<Made>,
    /// Why it cannot be run as it is.
    pub(crate) refused: Option<Fault>,
}

/// The most bytes of a text that are examined for its notation.
const LOOKED_AT: usize = 1 << 20;
/// What stands in the code of programs that may be loaded at any address.
const ANYWHERE: [&str; 5] = ["_GLOBAL_OFFSET_TABLE_", "get_pc_thunk", "@GOTOFF", "@GOT", "@GOTPC"];

/// Reads a text in such a notation; `None` if it is in another one. `own` has the signs of the MASM dialect, `is_word`
/// tells its words.
pub(super) fn pasted(
    text: &str,
    own: &[Sign],
    names: &mut Names,
    is_word: fn(&mut Names, &str) -> bool,
) -> Option<Pasted> {
    let seen = text.get(..text.floor_char_boundary(LOOKED_AT)).unwrap_or_default();
    let is_listing = listing::is_listing(seen);
    if !is_listing && !is_gnu(seen, own) {
        return None;
    }
    if seen.lines().any(|line| is_att(uncommented(line))) {
        return None;
    }
    if let Some(refused) = anywhere(seen) {
        return Some(Pasted {
            lines: Vec::new(),
            refused: Some(refused),
        });
    }
    let mut taken = Taken {
        names,
        is_word,
        defined: HashSet::new(),
    };
    let lines = match is_listing {
        true => listing::lines(text, &mut taken),
        false => gnu::lines(text, &mut taken),
    };
    Some(Pasted { lines, refused: None })
}

/// Whether a text is source for GNU's assembler: by its directives, by the labels of compilers, by what only GNU's
/// assembler has in instructions, and without anything that only MASM, TASM or NASM have.
fn is_gnu(text: &str, own: &[Sign]) -> bool {
    let mut score = 0;
    for line in text.lines() {
        let code = uncommented(line);
        let plain = without_texts(code).to_ascii_lowercase();
        let words: Vec<&str> = plain
            .split([' ', '\t', ',', '(', ')'])
            .filter(|word| !word.is_empty())
            .collect();
        let Some(first) = words.first() else {
            score += u32::from(code.len() < line.len() && line.trim_start().starts_with("# "));
            continue;
        };
        if NOT_READ.contains(first) {
            return false;
        }
        // Both have `.data`, and operands of both name their size.
        let masm = own
            .iter()
            .filter(|(sign, _)| sign.begins_lines() && !sign.is_first(".data"));
        if masm.clone().any(|sign| strength(&[*sign], &words) > 0) {
            return false;
        }
        let nasm = foreign_signs("NASM").filter(|(sign, _)| !sign.is_dotted_label());
        if nasm.clone().any(|sign| strength(&[*sign], &words) > 0) {
            return false;
        }
        let gnu = foreign_signs("GNU assembler").filter(|(sign, _)| sign.is_directive());
        score += gnu.map(|sign| strength(&[*sign], &words)).sum::<u32>();
        score += u32::from(words.iter().any(|word| word.starts_with("flat:")) || is_label(first));
        score += u32::from(code::is_lone_shift(&words) || code.len() < line.len() && !plain.contains(';'));
    }
    score > 0
}

/// Whether a word is a label as compilers make them: `.L3:`, `.LBB0_1:`, `.LC0:`.
fn is_label(word: &str) -> bool {
    let name = word.strip_prefix(".l").and_then(|rest| rest.strip_suffix(':'));
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    name.is_some_and(|name| name.ends_with(|last: char| last.is_ascii_digit()) && name.bytes().all(of_name))
}

/// A line without the comment that a hash begins.
fn uncommented(line: &str) -> &str {
    let mut quoted = false;
    let mut escaped = false;
    let bytes = line.as_bytes();
    for (at, &byte) in bytes.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b';' if !quoted => return line,
            b'#' if !quoted
                && matches!(
                    bytes.get(at + 1),
                    None | Some(b' ' | b'\t' | b'#' | b'-' | b'=' | b'%' | b'A'..=b'Z')
                ) =>
            {
                return &line[..at];
            }
            _ => {}
        }
    }
    line
}

/// The fault of code that finds its own address first.
fn anywhere(text: &str) -> Option<Fault> {
    let (number, line, word) = text.lines().enumerate().find_map(|(number, line)| {
        let word = ANYWHERE.iter().find(|word| uncommented(line).contains(**word))?;
        Some((number, line, word))
    })?;
    let start = line.find(word)?;
    let span = Span {
        file: 0,
        line: number as u32 + 1,
        start: start as u32,
        end: (start + word.len()) as u32,
    };
    let message = "position-independent code, which finds its data through a table that the linker makes";
    Some(fault(span, message).with_help(
        "compile it without: `gcc -m32 -march=pentium -O2 -fno-pic -S -masm=intel FILE.c`; or link a program and run \
         that",
    ))
}
