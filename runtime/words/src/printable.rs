//! Untrusted text for the terminal, from the program or its source: escaped and fitted to a width.

/// Escapes every character that could move the cursor, colour the terminal or reorder the line. Tabs are kept.
///
/// All text that the project did not write itself passes through here before it is shown.
pub fn escaped(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '\r' | '\n') {
            result.extend(character.escape_default());
        } else if character != '\t' && is_escaped(character) {
            result.extend(character.escape_unicode());
        } else {
            result.push(character);
        }
    }
    result
}

/// Whether a character could move the cursor, colour the terminal or reorder the line.
pub fn is_escaped(character: char) -> bool {
    character.is_control() || is_invisible(character)
}

/// Whether a character is invisible: of no width, a line separator, an annotation, a tag, or a directional mark,
/// override or isolate. A line with such a character may read differently from what was assembled.
fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Escapes `text` and expands its tabs to stops of eight.
pub fn printable(text: &str) -> String {
    let escaped = escaped(text);
    if !escaped.contains('\t') {
        return escaped;
    }
    let mut result = String::with_capacity(escaped.len() + 8);
    let mut column = 0;
    for character in escaped.chars() {
        let width = if character == '\t' { 8 - column % 8 } else { 1 };
        if character == '\t' {
            result.extend(std::iter::repeat_n(' ', width));
        } else {
            result.push(character);
        }
        column += width;
    }
    result
}

/// A number in the notation of instructions: a digit, or hexadecimal that begins with a digit.
pub fn number(value: u32) -> String {
    let digits = format!("{value:X}");
    match (value, digits.starts_with(|first: char| first.is_ascii_digit())) {
        (0..=9, _) => digits,
        (_, true) => format!("{digits}h"),
        (_, false) => format!("0{digits}h"),
    }
}

/// A number with its sign; 0 has none.
pub fn signed(value: i64) -> String {
    if value == 0 {
        "0".to_owned()
    } else {
        format!("{value:+}")
    }
}

/// The first `width` columns of `text`, with `...` at the end if it is longer.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut result: String = text.chars().take(width.saturating_sub(3)).collect();
    result.push_str(&"..."[..width.min(3)]);
    result
}

/// Breaks `text` at blanks into lines of at most `width` columns; a longer word gets a line of its own.
pub fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if used + 1 + length <= width => {
                line.push(' ');
                line.push_str(word);
                used += 1 + length;
            }
            _ => {
                lines.push(word.to_owned());
                used = length;
            }
        }
    }
    lines
}

/// The encoding by which a program's output was decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The bytes are UTF-8.
    Utf8,
    /// Each byte is the character U+0000 to U+00FF with its number, because the bytes are not UTF-8.
    Latin1,
}

/// Decodes the first `most` bytes of a program's output: as UTF-8 if the whole output is valid UTF-8, cut at the end of
/// a character. Also returns the number of bytes decoded.
pub fn output(bytes: &[u8], most: usize) -> (String, usize, Encoding) {
    match std::str::from_utf8(bytes) {
        Ok(text) => {
            let mut end = text.len().min(most);
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            (text[..end].to_owned(), end, Encoding::Utf8)
        }
        Err(_) => {
            let shown = &bytes[..bytes.len().min(most)];
            let text = shown.iter().map(|&byte| char::from(byte)).collect();
            (text, shown.len(), Encoding::Latin1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_printed_can_steer_the_terminal() {
        assert_eq!(printable("a\tb"), "a       b");
        assert_eq!(escaped("a\tb\r\u{200b}\u{feff}"), "a\tb\\r\\u{200b}\\u{feff}");
        assert_eq!(printable("\x1b\tb"), "\\u{1b}  b");
        assert_eq!(printable("\x1b[2Jx\u{9b}"), "\\u{1b}[2Jx\\u{9b}");
        assert_eq!(printable("é\u{202e}"), "é\\u{202e}");
        assert_eq!(escaped("\u{7f}\u{61c}\u{e0041}"), "\\u{7f}\\u{61c}\\u{e0041}");
    }

    #[test]
    fn output_tells_its_encoding_and_is_cut_between_characters() {
        let all = usize::MAX;
        assert_eq!(output(b"\x41\xFF", all), ("A\u{ff}".to_owned(), 2, Encoding::Latin1));
        assert_eq!(output(b"\x41\xC3\xBF", all), ("A\u{ff}".to_owned(), 3, Encoding::Utf8));
        assert_eq!(output("aéé".as_bytes(), 4), ("aé".to_owned(), 3, Encoding::Utf8));
        assert_eq!(output(b"a\xC3\xFF", 2), ("a\u{c3}".to_owned(), 2, Encoding::Latin1));
    }

    #[test]
    fn text_is_cut_and_folded_by_characters() {
        assert_eq!(cut("mov eax,ebx", 11), "mov eax,ebx");
        assert_eq!(cut("mov eax,ebx", 10), "mov eax...");
        assert_eq!(cut("mov", 2), "..");
        assert_eq!(folded("one two three", 7), ["one two", "three"]);
        assert_eq!(folded("unbreakable a", 3), ["unbreakable", "a"]);
        assert!(folded("", 5).is_empty());
    }
}
