//! JSON as text that is safe to show on a terminal: strings escape characters that move the cursor or reorder a line.

use super::printable::is_escaped;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Writes `value` as indented JSON and ends the line.
///
/// JSON itself requires only the characters below 20h to be escaped; the other control characters, and those that
/// reorder a line, are escaped too.
///
/// # Errors
/// An error of `out`, or the reason why `value` cannot be serialized.
pub fn write_json(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    let mut escaping = Escaping::new(out);
    serde_json::to_writer_pretty(&mut escaping, value)?;
    escaping.end()
}

/// Like [`write_json`], but without blanks, for programs that read it.
pub(super) fn write_compact(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    let mut escaping = Escaping::new(out);
    serde_json::to_writer(&mut escaping, value)?;
    escaping.end()
}

/// Like [`write_compact`], but as text without the end of the line, for parts of a document.
pub(super) fn compact(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(escaped(&text).unwrap_or(text))
}

/// JSON with these characters escaped; `None` if it has none.
fn escaped(text: &str) -> Option<String> {
    if !text.contains(is_special) {
        return None;
    }
    let mut escaped = String::with_capacity(text.len() + text.len() / 8);
    for character in text.chars() {
        if is_special(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(character);
        }
    }
    Some(escaped)
}

/// A writer that escapes these characters in JSON, which has them in strings only. The serializer writes whole
/// characters in many short pieces; this writer collects them and examines many at once.
struct Escaping<'a> {
    out: &'a mut dyn Write,
    pieces: Vec<u8>,
}

/// The number of bytes that are collected before they are examined.
const TOGETHER: usize = 1 << 14;

impl<'a> Escaping<'a> {
    fn new(out: &'a mut dyn Write) -> Escaping<'a> {
        let pieces = Vec::with_capacity(TOGETHER + TOGETHER / 4);
        Escaping { out, pieces }
    }

    #[inline(never)]
    fn pass_on(&mut self) -> io::Result<()> {
        // Almost all text is plain, and the test for it takes less than a step per byte.
        let plain = self.pieces.is_ascii() && !self.pieces.contains(&DELETE);
        let special = (!plain).then(|| std::str::from_utf8(&self.pieces).ok());
        match special.flatten().and_then(escaped) {
            Some(escaped) => self.out.write_all(escaped.as_bytes())?,
            None => self.out.write_all(&self.pieces)?,
        }
        self.pieces.clear();
        Ok(())
    }

    fn end(mut self) -> io::Result<()> {
        self.pieces.push(b'\n');
        self.pass_on()
    }
}

// The pieces have a few bytes each: a call for each of them would take more time than serializing.
impl Write for Escaping<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.pieces.extend_from_slice(bytes);
        if self.pieces.len() >= TOGETHER {
            self.pass_on()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.out.flush()
    }
}

/// The control character that JSON does not require to be escaped.
const DELETE: u8 = 0x7F;

/// Whether this module escapes the character; the serializer escapes the rest of ASCII.
fn is_special(character: char) -> bool {
    character == char::from(DELETE) || !character.is_ascii() && is_escaped(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_reads_as_what_was_written() {
        for text in [
            "a\u{9b}31mb",
            "\u{202e}gnp",
            "\u{feff}é\u{85}",
            "\u{1b}[2J",
            "\u{7f}\u{61c}",
            "a\u{e0041}",
            "日本 é",
            &"日\u{202e}".repeat(TOGETHER),
        ] {
            let mut bytes = Vec::new();
            write_json(&[text], &mut bytes).expect("memory");
            let written = String::from_utf8(bytes).expect("UTF-8");
            assert!(!written.contains(|one| one != '\n' && is_escaped(one)), "{written}");
            let read: [String; 1] = serde_json::from_str(&written).expect("JSON");
            assert_eq!(read[0], text);
            let part = compact(&[text]).expect("JSON");
            let read: [String; 1] = serde_json::from_str(&part).expect("JSON");
            assert!(!part.contains(is_escaped), "{part}");
            assert_eq!(read[0], text);
        }
    }
}
