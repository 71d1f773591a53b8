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
