//! JSON as text that a terminal can show: what could move its cursor or reorder a line is escaped in strings.

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
/// What `out` reports, and what `value` cannot be serialized for.
pub fn write_json(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    let mut escaping = Escaping::new(out);
    serde_json::to_writer_pretty(&mut escaping, value)?;
    escaping.end()
}

/// As [`write_json`], without blanks, for what only programs read.
pub(super) fn write_compact(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    let mut escaping = Escaping::new(out);
    serde_json::to_writer(&mut escaping, value)?;
    escaping.end()
}

/// As [`write_compact`], as text without the end of the line, for the parts of a document.
pub(super) fn compact(value: &(impl Serialize + ?Sized)) -> io::Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(escaped(&text).unwrap_or(text))
}

/// JSON with such characters escaped; nothing if it has none.
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

/// Escapes such characters in what is written, which is JSON: they are in strings only. The serializer writes a string
/// in whole characters, in many short pieces, which are looked at together.
struct Escaping<'a> {
    out: &'a mut dyn Write,
    pieces: Vec<u8>,
}

/// How many bytes are collected before they are looked at.
const TOGETHER: usize = 1 << 14;

impl<'a> Escaping<'a> {
    fn new(out: &'a mut dyn Write) -> Escaping<'a> {
        let pieces = Vec::with_capacity(TOGETHER + TOGETHER / 4);
        Escaping { out, pieces }
    }

    /// Writes what has been collected, escaped.
    #[inline(never)]
    fn pass_on(&mut self) -> io::Result<()> {
        // Almost everything is plain, and to see that takes less than a step for each byte.
        let plain = self.pieces.is_ascii() && !self.pieces.contains(&DELETE);
        let special = (!plain).then(|| std::str::from_utf8(&self.pieces).ok());
        match special.flatten().and_then(escaped) {
            Some(escaped) => self.out.write_all(escaped.as_bytes())?,
            None => self.out.write_all(&self.pieces)?,
        }
        self.pieces.clear();
        Ok(())
    }

    /// Ends the line and writes the rest.
    fn end(mut self) -> io::Result<()> {
        self.pieces.push(b'\n');
        self.pass_on()
    }
}

// The pieces are a few bytes each: with a call for each of them, collecting would cost more than serializing.
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

/// Whether a character is escaped here: the rest of ASCII is left to the serializer.
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
