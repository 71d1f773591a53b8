//! What is spelled otherwise within an instruction: each difference as an edit of the line.

use super::expression::edits_beside;
use super::table::{STRINGS, is_of_top, is_shift, is_size, prefix, renamed};
use super::word::{Edits, first_word, is_name};
use super::{Taken, cxx};
use crate::select;
use std::ops::Range;

/// The mnemonic of an instruction after its prefixes, and its operands.
pub(super) fn behind_prefixes(line: &str, part: Range<usize>) -> (Range<usize>, Range<usize>) {
    let (mut mnemonic, mut operands) = first_word(line, part);
    while prefix(&line[mnemonic.clone()]).is_some() && !operands.is_empty() {
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
        // It lengthens only these.
        let known = prefix(word).filter(|masm| !masm.is_empty() || lengthens);
        let Some(masm) = known else { break };
        if !word.eq_ignore_ascii_case(masm) {
            edits.push((mnemonic.clone(), masm.to_owned()));
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
    if let Some(new) = renamed(&name) {
        edits.push((mnemonic, new.to_owned()));
    }
    let at = |place: usize| operands.start + place;
    let alone = !lower.contains(',');
    if is_shift(&name) && !text.is_empty() && alone {
        edits.push((at(text.len())..at(text.len()), ", 1".to_owned()));
    }
    if is_of_top(&name) && !text.is_empty() && alone {
        edits.push((at(0)..at(0), "st, ".to_owned()));
    }
    edits.extend(second_bases(&lower).map(|place| (at(place)..at(place), "*1".to_owned())));
    if let Some(place) = accumulator(&name, &lower) {
        edits.push((at(place.start)..at(place.end), String::new()));
    }
    // A branch through a table: `[DWORD PTR .L4[0+eax*4]]`.
    if let Some(inside) = lower.strip_prefix('[').and_then(|inside| inside.strip_suffix(']'))
        && inside.split(' ').next().is_some_and(is_size)
        && inside.contains("ptr")
    {
        edits.push((at(0)..at(1), String::new()));
        edits.push((at(text.len() - 1)..at(text.len()), String::new()));
    }
    // The segment that is used anyway is no prefix.
    let of_size = |family: &str| matches!(name.strip_prefix(family), Some("" | "b" | "w" | "d"));
    let is_string = STRINGS.iter().any(|family| of_size(family));
    for (place, segment) in lower.match_indices("ds:").filter(|_| is_string) {
        edits.push((at(place)..at(place + segment.len()), String::new()));
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

/// The ends of registers in addresses that are the second one there without a factor. GNU's assembler takes the first
/// as the base, MASM not always.
fn second_bases(operands: &str) -> impl Iterator<Item = usize> {
    let bytes = operands.as_bytes();
    let (mut inside, mut bases, mut scaled) = (0u32, 0, false);
    let mut found = Vec::new();
    let mut last = None;
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_name(**byte)).count();
        if length == 0 {
            match bytes[at] {
                b'[' => inside += 1,
                b']' => inside = inside.saturating_sub(1),
                b',' if inside == 0 => {
                    found.extend(last.take().filter(|_| !scaled));
                    (bases, scaled) = (0, false);
                }
                _ => {}
            }
            at += 1;
            continue;
        }
        let (before, end) = (operands[..at].trim_end_matches(['%', ' ', '\t']), at + length);
        let word = &operands[at..end];
        let is_base = inside > 0 && select::register(word).is_some_and(iced_x86::Register::is_gpr32);
        if is_base {
            let factor = before.ends_with('*') || operands[end..].trim_start().starts_with('*');
            scaled |= factor;
            bases += u32::from(!factor);
            // This register is no index.
            if bases == 2 && !factor && word != "esp" {
                last = Some(end);
            }
        }
        at = end;
    }
    found.extend(last.filter(|_| !scaled));
    found.into_iter()
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
