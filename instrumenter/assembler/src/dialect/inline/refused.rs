//! Inline assembly that is not read: lines in the quotes of Rust's `asm!` or of C's `asm`, with the rest of that
//! statement around them. It has one error, which says to give the lines alone and which operands stand for registers.

use crate::diag::{Fault, Span, fault};
use std::collections::BTreeSet;

/// The most placeholders that the error names.
const NAMED: usize = 6;
/// The longest placeholder, in bytes.
const LONGEST: usize = 24;

/// The fault for a text that is such a statement, or lines of one, rather than a whole source of Rust or C.
pub(in super::super) fn inline(text: &str) -> Option<Fault> {
    let is_code = |line: &&str| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with("//")
    };
    if is_whole(text) {
        return None;
    }
    let first = text.lines().find(is_code)?;
    let begun = text.lines().position(begins);
    let number = match begun {
        Some(number) => number,
        None if first.trim_start().starts_with('"') && ends_in_quotes(first) => {
            text.lines().position(|line| line == first)?
        }
        None => return None,
    };
    let line = text.lines().nth(number)?;
    let span = Span {
        file: 0,
        line: number as u32 + 1,
        start: (line.len() - line.trim_start().len()) as u32,
        end: line.trim_end().len() as u32,
    };
    let quoted = quoted(text);
    let mut help = String::from("give the lines between the quotes alone, one instruction a line");
    let named = placeholders(&quoted);
    if !named.is_empty() {
        let all = named.len();
        let mut names: Vec<String> = named.into_iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        if all > NAMED {
            names.push("others".to_owned());
        }
        help += &format!(", and write a register for {}", listed(&names));
    }
    if quoted.contains("%%") {
        help += ", with one `%` before each";
    }
    Some(fault(span, "inline assembly, which is not read with the statement around it").with_help(help))
}

/// Whether a text is a whole source of Rust or C, or a part that has functions or includes.
pub(super) fn is_whole(text: &str) -> bool {
    let whole = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().take(3).collect();
        let function = matches!(
            words[..],
            ["fn", ..] | ["pub" | "unsafe", "fn", ..] | ["pub", "unsafe", "fn"]
        );
        function || line.starts_with('#') && !line.starts_with("#pragma aux")
    };
    text.lines().any(|line| whole(line.trim_start()))
}

/// Whether the statement begins in this line.
fn begins(line: &str) -> bool {
    let code = line.split(['"', ';']).next().unwrap_or_default();
    let words = || code.split(|one: char| !one.is_ascii_alphanumeric() && !"_!".contains(one));
    let is_asm = |word: &str| {
        matches!(
            word,
            "asm" | "__asm__" | "__asm" | "asm!" | "global_asm!" | "naked_asm!"
        )
    };
    let behind = code.trim_end();
    let opens = behind.ends_with('(') || behind.ends_with("(r") || behind.ends_with("(r#");
    words().any(is_asm) && (opens || words().any(|word| matches!(word, "volatile" | "__volatile__")))
}

/// Whether a line that begins with a quote ends with one, as a part of such a statement does.
fn ends_in_quotes(line: &str) -> bool {
    line.trim_end().trim_end_matches([',', ')', ';']).ends_with('"')
}

/// What stands in quotes.
fn quoted(text: &str) -> String {
    let parts = text.split('"').skip(1).step_by(2);
    parts.collect::<Vec<_>>().join("\n")
}

/// The operands that the statement gives registers: `{0}`, `{x:e}` in Rust, `%0`, `%[x]` in C.
fn placeholders(quoted: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut add = |start: usize, end: usize| {
        if let Some(name) = quoted
            .get(start..end)
            .filter(|name| name.len() <= LONGEST && !name.contains('\n'))
        {
            found.insert(name);
        }
    };
    for (start, mark) in quoted.match_indices(['{', '%']) {
        let rest = &quoted[start + 1..];
        let behind = |end: u8| {
            let end = rest.bytes().take(LONGEST).position(|byte| byte == end);
            end.map_or(start, |end| start + end + 2)
        };
        match (mark, rest.as_bytes().first()) {
            ("{", Some(first)) if first.is_ascii_alphanumeric() || matches!(first, b':' | b'_' | b'}') => {
                add(start, behind(b'}'));
            }
            ("%", Some(first)) if first.is_ascii_digit() => {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                add(start, start + 1 + digits);
            }
            ("%", Some(b'[')) => add(start, behind(b']')),
            _ => {}
        }
    }
    found.remove("");
    found
}

fn listed(names: &[String]) -> String {
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => names.concat(),
    }
}
