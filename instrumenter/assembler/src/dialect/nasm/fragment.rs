//! Lines for NASM that are nothing but instructions and labels, as manuals print loops, as lines of MASM: the size of
//! memory is a word without `ptr`, a name without brackets is an address, and a label with a dot belongs to the label
//! before it. What only says that they are 32-bit code is left out. Not read: other directives, data, macros, and names
//! of numbers.

use crate::dialect::Pasted;
use crate::dialect::foreign::{Construction, Sign, foreign_signs, is_wide, strength, without_texts};
use crate::lex::Made;
use crate::program::Padding;
use crate::select;
use std::collections::HashSet;
use std::ops::Range;

/// The most bytes of such a text.
const LONGEST: usize = 1 << 15;
/// The sizes of memory, and those that MASM calls otherwise.
const SIZES: [(&str, &str); 6] = [
    ("byte", "byte"),
    ("word", "word"),
    ("dword", "dword"),
    ("qword", "qword"),
    ("tword", "tbyte"),
    ("tbyte", "tbyte"),
];
/// Words before operands that are no names.
const NO_NAMES: [&str; 9] = ["short", "near", "far", "rep", "repe", "repne", "repz", "repnz", "lock"];

/// Reads such lines; `None` if none of them is as only NASM has it, or they have more than this. `own` are the signs of
/// MASM.
pub(in crate::dialect) fn read(text: &str, own: &[Sign]) -> Option<Pasted> {
    let sized = |line: &str| {
        let found = words(line);
        let pairs = found.windows(2);
        pairs
            .into_iter()
            .any(|pair| size(&line[pair[0].clone()]).is_some() && line[pair[0].end..pair[1].start].trim() == "[")
            || found.last().is_some_and(|last| {
                size(&line[last.clone()]).is_some() && line[last.end..].trim_start().starts_with('[')
            })
    };
    if text.len() > LONGEST || !text.lines().any(|line| sized(&without_texts(line))) || is_wide(text) {
        return None;
    }
    let mut lines = Vec::new();
    let mut labels = Labels::of(text);
    for (number, line) in (1..).zip(text.lines()) {
        let plain = without_texts(line);
        let mut made = Made::new(number);
        if says_code(&plain) {
            lines.push(made);
            continue;
        }
        // What is no beginning of the line lacks a text in quotes.
        if !line.starts_with(&plain) || !is_code(&plain, own) {
            return None;
        }
        let edits = edits(&plain, &mut labels);
        made.edit(&plain, 0..plain.len(), &edits);
        lines.push(made);
    }
    Some(Pasted {
        lines,
        padding: Padding::Nops,
        of_compilers: false,
        functions: Vec::new(),
        refused: None,
        warnings: Vec::new(),
    })
}

/// Whether a line only says that what follows is 32-bit code, or that others may call it.
fn says_code(plain: &str) -> bool {
    let lower = plain.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split([' ', '\t', '[', ']'])
        .filter(|word| !word.is_empty())
        .collect();
    matches!(
        words[..],
        ["bits", "32"] | ["section" | "segment", ".text", ..] | ["global", ..]
    )
}

/// Whether a line has at most a label and an instruction.
fn is_code(plain: &str, own: &[Sign]) -> bool {
    let lower = plain.to_ascii_lowercase();
    let all: Vec<&str> = lower
        .split([' ', '\t', ',', '(', ')'])
        .filter(|word| !word.is_empty())
        .collect();
    if own.iter().any(|sign| strength(&[*sign], &all) > 0) || lower.contains('%') || lower.contains('$') {
        return false;
    }
    // Only sizes and labels are as NASM has them.
    let allowed = |construction: Construction| construction.is_of_fragments();
    if foreign_signs("NASM").any(|sign| !allowed(sign.0) && strength(&[*sign], &all) > 0) {
        return false;
    }
    let mut words = all.iter().skip_while(|word| word.ends_with(':'));
    match words.next() {
        None => true,
        Some(word) => select::instruction(word).is_some() || NO_NAMES.contains(word) || *word == "align",
    }
}

fn size(word: &str) -> Option<&'static str> {
    let found = SIZES.iter().find(|(name, _)| word.eq_ignore_ascii_case(name))?;
    Some(found.1)
}

/// The places of words.
fn words(line: &str) -> Vec<Range<usize>> {
    let of_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'@' | b'?' | b'~' | b'#');
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, byte) in line.bytes().enumerate().filter(|(_, byte)| of_word(*byte)) {
        match found.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end += 1,
            None => found.push(at..at + usize::from(byte.is_ascii())),
        }
    }
    found
}

/// The labels of a text.
struct Labels {
    /// The labels with a dot that several others have: the other one is written before them.
    shared: HashSet<String>,
    /// The label to which those with a dot belong.
    parent: String,
}

impl Labels {
    fn of(text: &str) -> Labels {
        let mut seen = HashSet::new();
        let labels = text
            .lines()
            .filter_map(|line| line.split_once(':'))
            .map(|(label, _)| label.trim());
        let labels = labels.filter(|label| label.starts_with('.'));
        let shared = labels.filter(|label| !seen.insert(*label)).map(str::to_owned);
        Labels {
            shared: shared.collect(),
            parent: String::new(),
        }
    }

    /// A label with a dot as MASM knows it, if that is another name.
    fn renamed(&self, label: &str) -> Option<String> {
        let shared = self.shared.contains(label);
        shared.then(|| format!("{}@{}", self.parent, &label[1..]))
    }
}

/// What MASM writes otherwise in a line.
fn edits(line: &str, labels: &mut Labels) -> Vec<(Range<usize>, String)> {
    let mut edits = Vec::new();
    let mut mnemonic: Option<Range<usize>> = None;
    let mut depth = 0;
    let mut seen = 0;
    for place in words(line) {
        let between = &line[seen..place.start];
        depth += between.matches('[').count();
        depth = depth.saturating_sub(between.matches(']').count());
        seen = place.end;
        let word = &line[place.clone()];
        let behind = line[place.end..].trim_start();
        if mnemonic.is_none() && behind.starts_with(':') {
            match word.starts_with('.') {
                true => edits.extend(labels.renamed(word).map(|name| (place, name))),
                false => labels.parent.replace_range(.., word),
            }
            continue;
        }
        if let Some(masm) = size(word) {
            match behind.starts_with('[') {
                true => edits.push((place, format!("{masm} ptr"))),
                // The size of a number is that of the other operand.
                false => edits.push((place, String::new())),
            }
            continue;
        }
        if word.starts_with('.') && word.len() > 1 {
            edits.extend(labels.renamed(word).map(|name| (place, name)));
            continue;
        }
        // In NASM, the segment stands within the brackets.
        let segment = select::register(word).filter(|found| found.is_segment_register());
        if let Some(colon) = segment.and_then(|_| behind.strip_prefix(':'))
            && depth > 0
            && let Some(open) = line[..place.start].rfind('[')
        {
            edits.push((open..open + 1, format!("{word}:[")));
            edits.push((place.start..line.len() - colon.len(), String::new()));
            continue;
        }
        let Some(mnemonic) = &mnemonic else {
            if select::instruction(word).is_some() {
                mnemonic = Some(place);
            }
            continue;
        };
        let branches = select::instruction(&line[mnemonic.clone()]).is_some_and(|one| one.takes_target);
        let name = word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let meant = select::register(word).is_some() || NO_NAMES.iter().any(|other| word.eq_ignore_ascii_case(other));
        if depth == 0 && name && !meant && !branches {
            edits.push((place.start..place.start, "offset ".to_owned()));
        }
    }
    edits.sort_by_key(|(place, _)| place.start);
    edits
}
