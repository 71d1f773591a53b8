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
    serde_json::to_writer_pretty(Escaping(out), value)?;
    writeln!(out)
}

/// As [`write_json`], without blanks, for what only programs read.
pub(super) fn write_compact(value: &(impl Serialize + ?Sized), out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer(Escaping(out), value)?;
    writeln!(out)
}

/// Escapes such characters in what is written, which is JSON: they are in strings only. The serializer writes a string
/// in whole characters.
struct Escaping<'a>(&'a mut dyn Write);

impl Write for Escaping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let plain = |&byte: &u8| (b' '..DELETE).contains(&byte);
        if !bytes.iter().all(plain)
            && let Ok(text) = std::str::from_utf8(bytes)
            && text.contains(is_special)
        {
            let mut escaped = String::with_capacity(text.len() + 8);
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
            self.0.write_all(escaped.as_bytes())?;
            return Ok(bytes.len());
        }
        self.0.write_all(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
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
        ] {
            let mut bytes = Vec::new();
            write_json(&[text], &mut bytes).expect("memory");
            let written = String::from_utf8(bytes).expect("UTF-8");
            assert!(!written.contains(|one| one != '\n' && is_escaped(one)), "{written}");
            let read: [String; 1] = serde_json::from_str(&written).expect("JSON");
            assert_eq!(read[0], text);
        }
    }
}
