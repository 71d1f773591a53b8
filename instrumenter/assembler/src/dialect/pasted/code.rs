//! What is spelled otherwise within an instruction: each difference as an edit of the line.

use super::expression::edits_beside;
use super::word::{Edits, first_word};
use super::{Taken, cxx};
use crate::select;
use std::ops::Range;

/// The instructions that shift by one bit without a second operand.
const SHIFTS: [&str; 8] = ["shl", "sal", "shr", "sar", "rol", "ror", "rcl", "rcr"];
/// The words for the size of memory, before `PTR`.
const SIZES: [&str; 8] = ["byte", "word", "dword", "fword", "qword", "tbyte", "mmword", "xmmword"];

/// Whether these words of a line, in lower case, are a shift with one operand.
pub(super) fn is_lone_shift(words: &[&str]) -> bool {
    let code = words
        .iter()
        .position(|word| !word.ends_with(':'))
        .unwrap_or(words.len());
    matches!(words[code..], [shift, operand] if SHIFTS.contains(&shift) && select::register(operand).is_some())
}

/// Prefixes that mean nothing to this processor, which takes its time for them, as MASM writes them. Only before a NOP,
/// a jump or a call are those in the second half of them.
pub(super) const IDLE: [(&str, &str); 7] = [
    ("notrack", "segds"),
    ("bnd", "repne"),
    ("cs", "segcs"),
    ("ds", "segds"),
    ("es", "seges"),
    ("ss", "segss"),
    ("data16", ""),
];
/// The prefixes of string instructions and of exclusive accesses, which stay.
const REPEATS: [&str; 6] = ["rep", "repe", "repz", "repne", "repnz", "lock"];
/// Names that objdump and GCC have for instructions of others.
const RENAMED: [(&str, &str); 8] = [
    ("lret", "retf"),
    ("cltd", "cdq"),
    ("cwtl", "cwde"),
    ("cbtw", "cbw"),
    ("cwtd", "cwd"),
    ("movsl", "movsd"),
    ("fcmovae", "fcmovnb"),
    ("fcmovna", "fcmovbe"),
];

/// The mnemonic of an instruction behind its prefixes, and its operands.
pub(super) fn behind_prefixes(line: &str, part: Range<usize>) -> (Range<usize>, Range<usize>) {
    let (mut mnemonic, mut operands) = first_word(line, part);
    let is_prefix = |word: &str| {
        let mut known = IDLE.iter().map(|(prefix, _)| prefix).chain(&REPEATS);
        known.any(|one| word.eq_ignore_ascii_case(one))
    };
    while is_prefix(&line[mnemonic.clone()]) && !operands.is_empty() {
        (mnemonic, operands) = first_word(line, operands);
    }
    (mnemonic, operands)
}

/// The edits of an instruction, which `part` of the line is, up to its last character.
pub(super) fn edits(line: &str, part: Range<usize>, taken: &Taken<'_>) -> Edits {
    let mut edits: Edits = Vec::new();
    let (mut mnemonic, mut operands) = first_word(line, part.clone());
    let (behind, of) = behind_prefixes(line, part.clone());
    let lengthens = ["nop", "nopw", "nopl", "jmp", "call"].contains(&&line[behind]) && !of.is_empty();
    while !operands.is_empty() {
        let word = &line[mnemonic.clone()];
        let idle = IDLE.iter().position(|(prefix, _)| word.eq_ignore_ascii_case(prefix));
        if let Some(number) = idle.filter(|number| *number < 2 || lengthens) {
            edits.push((mnemonic.clone(), IDLE[number].1.to_owned()));
        } else if !REPEATS.iter().any(|repeat| word.eq_ignore_ascii_case(repeat)) {
            break;
        }
        (mnemonic, operands) = first_word(line, operands);
    }
    let text = &line[operands.clone()];
    let branches = select::instruction(&line[mnemonic.clone()]).is_some_and(|one| one.takes_target);
    let long = cxx::operands(line, operands.clone(), branches);
    // Nothing is spelled otherwise within such a name.
    let mut lower = text.to_ascii_lowercase();
    for name in &long {
        let part = name.start - operands.start..name.end - operands.start;
        lower.replace_range(part.clone(), &"x".repeat(part.len()));
    }
    let name = line[mnemonic.clone()].to_ascii_lowercase();
    if name == "data16" && lower == "nop" {
        edits.push((part, "xchg ax, ax".to_owned()));
        return edits;
    }
    // Which way a branch goes is told to no processor here.
    let hint = [",pt", ",pn"].iter().find(|hint| name.ends_with(**hint));
    if let Some(hint) = hint {
        edits.push((mnemonic.end - hint.len()..mnemonic.end, String::new()));
    }
    if let Some((_, new)) = RENAMED.iter().find(|(old, _)| *old == name) {
        edits.push((mnemonic, (*new).to_owned()));
    }
    let at = |place: usize| operands.start + place;
    if SHIFTS.contains(&name.as_str()) && !text.is_empty() && !lower.contains(',') {
        edits.push((at(text.len())..at(text.len()), ", 1".to_owned()));
    }
    if let Some(place) = accumulator(&name, &lower) {
        edits.push((at(place.start)..at(place.end), String::new()));
    }
    // A branch through a table: `[DWORD PTR .L4[0+eax*4]]`.
    if let Some(inside) = lower.strip_prefix('[').and_then(|inside| inside.strip_suffix(']'))
        && SIZES.iter().any(|size| inside.starts_with(size))
        && inside.contains("ptr")
    {
        edits.push((at(0)..at(1), String::new()));
        edits.push((at(text.len() - 1)..at(text.len()), String::new()));
    }
    for place in lower.match_indices("flat:").map(|(place, _)| place) {
        edits.push((at(place)..at(place + 5), String::new()));
    }
    for place in lower.match_indices("xword ptr").map(|(place, _)| place) {
        edits.push((at(place)..at(place + 5), "tbyte".to_owned()));
    }
    // An index that no register is, in padding.
    for index in ["+eiz*1", "+eiz*2", "+eiz*4", "+eiz*8"] {
        for (place, found) in lower.match_indices(index) {
            edits.push((at(place)..at(place + found.len()), String::new()));
        }
    }
    edits.extend(edits_beside(line, operands, &long, taken));
    edits.sort_by_key(|(place, _)| (place.start, place.end));
    edits
}

/// The accumulator that a string instruction names beside its memory, with the comma between them.
fn accumulator(name: &str, operands: &str) -> Option<Range<usize>> {
    let family = ["stos", "scas", "lods"]
        .into_iter()
        .find(|family| name.starts_with(family))?;
    let is_size = matches!(&name[family.len()..], "" | "b" | "w" | "d");
    let comma = operands.find(',').filter(|_| is_size)?;
    let is_accumulator = |text: &str| matches!(text.trim(), "al" | "ax" | "eax");
    match (&operands[..comma], &operands[comma + 1..]) {
        (first, _) if is_accumulator(first) => Some(0..comma + 1),
        (_, second) if is_accumulator(second) => Some(comma..operands.len()),
        _ => None,
    }
}
