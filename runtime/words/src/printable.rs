//! Untrusted text for the terminal: text of the program or its source, escaped and fitted to a width.

/// Escapes every character that could move the cursor, colour the terminal or reorder the line. Tabs stay.
///
/// Whatever shows text that the project did not write itself passes it through here.
pub fn escaped(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\t')) {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\t' && is_escaped(character) {
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

/// Characters of no width, line separators, annotations, tags, and directional marks, overrides and isolates: a line
/// that contains them may read differently from what was assembled.
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

/// A number as instructions show it: a digit, or hexadecimal, which begins with a digit.
pub fn number(value: u32) -> String {
    let digits = format!("{value:X}");
    match (value, digits.starts_with(|first: char| first.is_ascii_digit())) {
        (0..=9, _) => digits,
        (_, true) => format!("{digits}h"),
        (_, false) => format!("0{digits}h"),
    }
}

/// A number with its sign, which 0 does not have.
pub fn signed(value: i64) -> String {
    if value == 0 {
        "0".to_owned()
    } else {
        format!("{value:+}")
    }
}

/// The first `width` columns of `text`, ending in `...` if something is cut off.
pub fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut result: String = text.chars().take(width.saturating_sub(3)).collect();
    result.push_str(&"..."[..width.min(3)]);
    result
}

/// `text` in lines of at most `width` columns, broken at blanks; a longer word gets a line of its own.
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

/// How the bytes that a program wrote became characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// The bytes are UTF-8.
    Utf8,
    /// They are not, and each byte is the character U+0000 to U+00FF with its number.
    Latin1,
}

/// The beginning of the bytes that a program wrote, up to `most` of them, as text: in UTF-8 if all of them are, and cut
/// where a character ends. Returns how many bytes that are, too.
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
        assert_eq!(escaped("a\tb\r\u{200b}\u{feff}"), "a\tb\\u{d}\\u{200b}\\u{feff}");
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
