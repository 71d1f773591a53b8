//! What is spelled otherwise within an instruction: each difference as an edit of the line.

use super::Taken;
use crate::select;
use std::ops::Range;

/// Parts of a line that other text replaces.
pub(super) type Edits = Vec<(Range<usize>, String)>;

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

/// Whether a byte belongs to a name.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$' | b'@')
}

/// The words of a part of a line that can be names, by their places.
pub(super) fn words(line: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut at = part.start;
    let mut quoted = false;
    while at < part.end {
        quoted ^= bytes[at] == b'"' && bytes.get(at.wrapping_sub(1)) != Some(&b'\\');
        if quoted || !is_name(bytes[at]) {
            at += 1;
            continue;
        }
        let length = bytes[at..part.end].iter().take_while(|byte| is_name(**byte)).count();
        if !bytes[at].is_ascii_digit() {
            found.push(at..at + length);
        }
        at += length;
    }
    found
}

/// The first word of a part of a line, and what follows it.
pub(super) fn first_word(line: &str, part: Range<usize>) -> (Range<usize>, Range<usize>) {
    let text = &line[part.clone()];
    let start = part.start + text.len() - text.trim_start().len();
    let rest = &line[start..part.end];
    let end = start + rest.find([' ', '\t']).unwrap_or(rest.len());
    let behind = &line[end..part.end];
    let begin = end + behind.len() - behind.trim_start().len();
    (start..end, begin..part.end)
}

/// The edits of an instruction, which `part` of the line is, up to its last character.
pub(super) fn edits(line: &str, part: Range<usize>, taken: &Taken<'_>) -> Edits {
    let mut edits: Edits = Vec::new();
    let (mut mnemonic, mut operands) = first_word(line, part);
    if line[mnemonic.clone()].eq_ignore_ascii_case("notrack") {
        edits.push((mnemonic.start..operands.start, String::new()));
        (mnemonic, operands) = first_word(line, operands);
    }
    let text = &line[operands.clone()];
    let lower = text.to_ascii_lowercase();
    let at = |place: usize| operands.start + place;
    if SHIFTS
        .iter()
        .any(|shift| line[mnemonic.clone()].eq_ignore_ascii_case(shift))
        && !text.is_empty()
        && !text.contains(',')
    {
        edits.push((at(text.len())..at(text.len()), ", 1".to_owned()));
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
    for (place, found) in lower.match_indices("@plt") {
        edits.push((at(place)..at(place + found.len()), String::new()));
    }
    // An index that no register is, in padding.
    for index in ["+eiz*1", "+eiz*2", "+eiz*4", "+eiz*8"] {
        for (place, found) in lower.match_indices(index) {
            edits.push((at(place)..at(place + found.len()), String::new()));
        }
    }
    for word in words(line, operands) {
        if let Some(spelled) = taken.spelled(&line[word.clone()]) {
            edits.push((word, spelled));
        }
    }
    edits.sort_by_key(|(place, _)| (place.start, place.end));
    edits
}
