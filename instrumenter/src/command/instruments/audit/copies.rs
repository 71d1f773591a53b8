//! Copies of a region's code in the text of a program, one after the other, each with its own labels.

use std::collections::HashSet;
use std::ops::Range;

/// The text `source` with the lines between the two `edges` repeated `number` times. Edges are the lines, from 1, of
/// the calls of the start and end macros. `None` if there is no line between them.
pub(super) fn repeated(source: &str, edges: Range<u32>, number: u32) -> Option<String> {
    let lines: Vec<&str> = source.lines().collect();
    let (first, after) = (edges.start as usize, (edges.end as usize).checked_sub(1)?);
    let inside = lines.get(first..after).filter(|inside| !inside.is_empty())?;
    let labels: HashSet<&str> = inside.iter().filter_map(|line| label(line)).collect();
    let mut text = String::with_capacity(source.len() * 2);
    let mut add = |line: &str| {
        text.push_str(line);
        text.push('\n');
    };
    lines[..first].iter().for_each(|line| add(line));
    for copy in 0..number {
        for line in inside {
            match copy {
                0 => add(line),
                _ => add(&renamed(line, &labels, copy)),
            }
        }
    }
    lines[after..].iter().for_each(|line| add(line));
    Some(text)
}

/// The line of the original text that corresponds to a line of [`repeated`] text.
pub(super) fn original(edges: &Range<u32>, number: u32, line: u32) -> u32 {
    let length = edges.end.saturating_sub(edges.start + 1);
    let behind = edges.start.saturating_add(length.saturating_mul(number));
    match line {
        _ if line <= edges.start || length == 0 => line,
        _ if line <= behind => edges.start + 1 + (line - edges.start - 1) % length,
        _ => line - behind + edges.start + length,
    }
}

fn of_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || "_@$?".contains(character)
}

/// The label that a line defines, unless it is anonymous: an anonymous label may be repeated.
fn label(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let end = line.find(|character| !of_name(character))?;
    let (name, rest) = line.split_at(end);
    let defined = rest.trim_start().starts_with(':') && !name.starts_with("@@");
    (defined && !name.is_empty()).then_some(name)
}

/// The line with the labels of another copy. Quoted text and comments are not changed.
fn renamed(line: &str, labels: &HashSet<&str>, copy: u32) -> String {
    let mut result = String::with_capacity(line.len() + 8);
    let mut rest = line;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            ';' => rest.len(),
            '"' | '\'' => rest[1..].find(next).map_or(rest.len(), |end| end + 2),
            _ if of_name(next) => rest.find(|character| !of_name(character)).unwrap_or(rest.len()),
            _ => next.len_utf8(),
        };
        let (word, others) = rest.split_at(length);
        result.push_str(word);
        if labels.iter().any(|label| label.eq_ignore_ascii_case(word)) {
            result.push_str(&format!("_copy{copy}"));
        }
        rest = others;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::{original, repeated};

    #[test]
    fn each_line_of_a_copy_is_a_line_of_the_original() {
        let source = "a\nStartTSC\nnop\ncld\nEndTSC\nret\n";
        let before: Vec<&str> = source.lines().collect();
        for number in [1, 4] {
            let text = repeated(source, 2..5, number).expect("there is code");
            for (line, copied) in (1..).zip(text.lines()) {
                let line = original(&(2..5), number, line) as usize;
                assert_eq!(before[line - 1], copied, "{number} copies, line {line}");
            }
        }
    }

    #[test]
    fn a_copy_has_labels_of_its_own() {
        let source = "main: StartTSC\nmov ecx,3\nl: dec ecx ; l stays\njnz l\nmov al,'l'\nEndTSC\nret\n";
        let expected = "main: StartTSC\nmov ecx,3\nl: dec ecx ; l stays\njnz l\nmov al,'l'\n\
                        mov ecx,3\nl_copy1: dec ecx ; l stays\njnz l_copy1\nmov al,'l'\nEndTSC\nret\n";
        assert_eq!(repeated(source, 1..6, 2).as_deref(), Some(expected));
        assert_eq!(repeated("StartTSC\nEndTSC\n", 1..2, 2), None);
        assert_eq!(
            repeated("s\n@@: loop @b\ne\n", 1..3, 2).as_deref(),
            Some("s\n@@: loop @b\n@@: loop @b\ne\n")
        );
    }
}
