//! What a terminal may be given: text of the program or its source, made harmless and made to fit.

/// Expands tabs to stops of eight and escapes whatever could move the cursor, colour the terminal or reorder the line.
pub(super) fn printable(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut column = 0;
    for character in text.chars() {
        if character == '\t' {
            let stop = column / 8 * 8 + 8;
            result.extend(std::iter::repeat_n(' ', stop - column));
            column = stop;
        } else if character.is_control() || reorders(character) {
            let escape: String = character.escape_default().collect();
            column += escape.len();
            result.push_str(&escape);
        } else {
            result.push(character);
            column += 1;
        }
    }
    result
}

/// Directional overrides and isolates: a line shown with them may read differently from what was assembled.
fn reorders(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The first `width` columns of `text`, ending in `...` if that leaves something out.
pub(super) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut result: String = text.chars().take(width.saturating_sub(3)).collect();
    result.push_str(&"..."[..width.min(3)]);
    result
}

/// `text` in lines of at most `width` columns, broken at blanks; a longer word gets a line of its own.
pub(super) fn folded(text: &str, width: usize) -> Vec<String> {
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

/// The bytes a program wrote, as text without loss: UTF-8 as it is, otherwise each byte as the character of its number.
pub(super) fn output(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_printed_can_steer_the_terminal() {
        assert_eq!(printable("a\tb"), "a       b");
        assert_eq!(printable("\x1b[2Jx\u{9b}"), "\\u{1b}[2Jx\\u{9b}");
        assert_eq!(printable("é\u{202e}"), "é\\u{202e}");
        assert_eq!(output(&[0x41, 0xFF]), "A\u{ff}");
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
