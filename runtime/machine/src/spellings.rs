//! Instructions as the source spells them.

use p5_image::{Image, LineRow};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The texts of some lines, by file and line. They are few even in a source of millions of lines.
pub(super) fn texts(image: &Image, wanted: BTreeSet<(u32, u32)>) -> FxHashMap<(u32, u32), &str> {
    let mut texts = FxHashMap::default();
    let mut wanted = wanted.into_iter().peekable();
    for (file, number) in image.files.iter().zip(0..) {
        for (text, line) in file.text.lines().zip(1..) {
            if wanted.peek().is_none_or(|(of, _)| *of != number) {
                break;
            }
            if let Some(place) = wanted.next_if_eq(&(number, line)) {
                texts.insert(place, text);
            }
        }
        while wanted.next_if(|(of, _)| *of == number).is_some() {}
    }
    texts
}

/// The line of an instruction, by file and line, and in a macro or repeat the lines of the calls that led to it.
pub(super) fn lines_of<'a>(image: &'a Image, row: &LineRow) -> impl Iterator<Item = (u32, u32)> + use<'a> {
    let call = |origin: Option<u32>| image.origins.get(origin? as usize);
    let calls = std::iter::successors(call(row.origin), move |step| call(step.parent));
    std::iter::once((row.file, row.line)).chain(calls.map(|step| (step.file, step.line)))
}

/// The text of an instruction in its line, found in `lines`.
pub(super) fn spelled(lines: &FxHashMap<(u32, u32), &str>, row: &LineRow) -> Option<String> {
    let line = lines.get(&(row.file, row.line))?;
    let (start, end) = row.written;
    let text = line
        .get(start as usize..end as usize)
        .filter(|_| row.origin.is_none())?;
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The names of one instruction, beside those for conditions.
const ALIASES: [&[&str]; 8] = [
    &["shl", "sal"],
    &["rep", "repe", "repz"],
    &["repne", "repnz"],
    &["loope", "loopz"],
    &["loopne", "loopnz"],
    &["xlat", "xlatb"],
    &["wait", "fwait"],
    &["ret", "retn"],
];
/// The names of each condition, which follow J and SET.
const CONDITIONS: [&[&str]; 14] = [
    &["b", "c", "nae"],
    &["ae", "nc", "nb"],
    &["e", "z"],
    &["ne", "nz"],
    &["be", "na"],
    &["a", "nbe"],
    &["p", "pe"],
    &["np", "po"],
    &["l", "nge"],
    &["ge", "nl"],
    &["le", "ng"],
    &["g", "nle"],
    &["s"],
    &["ns"],
];

/// The text of an instruction with the mnemonic that its source has `written`, if that is another name of the same.
pub(super) fn with_mnemonic_of(text: String, written: &str) -> String {
    let first = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
    let (own, source) = (first(&text), first(written).to_ascii_lowercase());
    let condition = |name: &str| {
        let condition = name.strip_prefix("set").or_else(|| name.strip_prefix('j'))?;
        CONDITIONS.iter().position(|names| names.contains(&condition))
    };
    let alias = |name: &str| ALIASES.iter().position(|names| names.contains(&name));
    let same_condition = condition(&own).is_some()
        && condition(&own) == condition(&source)
        && own.starts_with('j') == source.starts_with('j');
    let same = own != source && (same_condition || alias(&own).is_some() && alias(&own) == alias(&source));
    match same {
        true => format!("{source}{}", &text[own.len()..]),
        false => text,
    }
}

/// The label to which a jump in a macro or repeat goes, as the line of its body spells it. Labels of one expansion have
/// no names that last.
pub(super) fn label_in_body<'a>(lines: &FxHashMap<(u32, u32), &'a str>, row: &LineRow) -> Option<&'a str> {
    row.origin?;
    let line = lines.get(&(row.file, row.line))?;
    let mut words = line.split(';').next()?.split_whitespace().rev();
    let label = words.next()?;
    let in_name = |one: char| one.is_alphanumeric() || "_@$?".contains(one);
    let is_name = label.chars().all(in_name) && !label.starts_with(|one: char| one.is_ascii_digit() || one == '$');
    // A label alone is no operand.
    let has_mnemonic = words.next().is_some_and(|word| !word.ends_with(':'));
    (is_name && has_mnemonic).then_some(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_the_mnemonic_of_its_source() {
        for (text, written, expected) in [
            ("jne L", "jnz L", "jnz L"),
            ("je L", "JZ short L", "jz L"),
            ("shl eax,1", "sal eax,1", "sal eax,1"),
            ("setb al", "setc al", "setc al"),
            ("rep movsb", "repz movsb", "repz movsb"),
            ("xlatb", "xlat table", "xlat"),
            ("jne L", "je L", "jne L"),
            ("setne al", "jnz L", "setne al"),
            ("mov eax,1", "move eax,1", "mov eax,1"),
        ] {
            assert_eq!(with_mnemonic_of(text.to_owned(), written), expected);
        }
    }

    #[test]
    fn the_target_of_a_jump_in_a_body_is_its_last_word() {
        let row = LineRow {
            address: 0,
            length: 2,
            file: 0,
            line: 1,
            written: (0, 0),
            origin: Some(0),
            ..LineRow::default()
        };
        let label = |text: &str| {
            let lines = FxHashMap::from_iter([((0, 1), text)]);
            label_in_body(&lines, &row).map(str::to_owned)
        };
        assert_eq!(label("        jb no   ; not yet").as_deref(), Some("no"));
        assert_eq!(label("again:  jnz short again").as_deref(), Some("again"));
        assert_eq!(label("jmp @F").as_deref(), Some("@F"));
        assert_eq!(label("jmp l&i"), None, "a part of it is an argument");
        assert_eq!(label("jmp $+5"), None);
        assert_eq!(label("jmp 5"), None);
        assert_eq!(label("x: again"), None);
    }
}
