//! The code of a source file: without tests, comments and the contents of literals.

/// The code of a line, without comments and with empty string literals.
fn code(line: &str) -> String {
    let mut kept = String::new();
    let mut in_string = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if in_string => {
                characters.next();
            }
            '"' => in_string = !in_string,
            '/' if !in_string && characters.peek() == Some(&'/') => break,
            _ if in_string => {}
            other => kept.push(other),
        }
    }
    kept
}

/// A file without the module of its tests. Other code that is only compiled for tests stays.
pub(super) fn without_tests(text: &str) -> &str {
    let begins_tests = |&(at, _): &(usize, &str)| {
        let mut lines = text[at..].lines().skip(1).map(str::trim);
        let item = lines.find(|line| !line.starts_with("#["));
        item.is_some_and(|item| item.starts_with("mod tests {"))
    };
    let at_line_start = |&(at, _): &(usize, &str)| at == 0 || text[..at].ends_with('\n');
    let mut guards = text.match_indices("#[cfg(test)]").filter(at_line_start);
    guards.find(begins_tests).map_or(text, |(at, _)| &text[..at])
}

/// The lines of a file outside its tests, with their numbers.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, String)> {
    let lines = without_tests(text).lines();
    lines.enumerate().map(|(index, line)| (index + 1, code(line)))
}

/// The identifiers of a line of code.
pub(super) fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'))
        .filter(|word| !word.is_empty())
}

/// The modules of its own crate that a file names: line number and first word of each path after `crate::`.
pub(super) fn used_modules(text: &str) -> Vec<(usize, String)> {
    used_after("crate::", text)
}

/// The line number and first word of each path after `start`. Paths in braces count one by one, even if the braces span
/// several lines.
pub(super) fn used_after(start: &str, text: &str) -> Vec<(usize, String)> {
    let code: String = lines(text).map(|(_, line)| line + "\n").collect();
    let mut used = Vec::new();
    for (at, _) in code.match_indices(start) {
        let number = code[..at].matches('\n').count() + 1;
        let path = &code[at + start.len()..];
        let first_of = |path: &str| words(path).next().unwrap_or_default().to_owned();
        let Some(group) = path.strip_prefix('{') else {
            used.push((number, first_of(path)));
            continue;
        };
        let (mut depth, mut start, mut line) = (0, 0, number);
        for (index, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth > 0 => depth -= 1,
                ',' | '}' if depth == 0 => {
                    let first = first_of(&group[start..index]);
                    if !first.is_empty() {
                        used.push((line, first));
                    }
                    start = index + 1;
                    if character == '}' {
                        break;
                    }
                }
                '\n' => line += 1,
                _ => {}
            }
        }
    }
    used
}

#[test]
fn only_the_module_of_tests_is_left_out() {
    let item = "#[cfg(test)]\nuse super::One;\nfn two() {}\n";
    assert_eq!(without_tests(item), item);
    let declared = "#[cfg(test)]\nmod tests;\nfn two() {}\n";
    assert_eq!(without_tests(declared), declared);
    for attributes in ["", "#[allow(clippy::unwrap_used)] // A reason.\n"] {
        let inside = format!("{item}{declared}#[cfg(test)]\n{attributes}mod tests {{\n    use super::*;\n}}\n");
        assert_eq!(without_tests(&inside), format!("{item}{declared}"));
    }
}

#[test]
fn code_is_told_from_comments_and_texts() {
    assert_eq!(code("let a = \"a // b\"; // clock"), "let a = ; ");
    assert_eq!(code(r#"let a = "\""; b"#), "let a = ; b");
    assert_eq!(
        words("crate::exec::{State}").collect::<Vec<_>>(),
        ["crate", "exec", "State"]
    );
    let text = "use crate::{\n    exec::{self, State}, // crate::report\n    memory,\n};\nuse crate::run::Run;\n";
    let used: Vec<(usize, String)> = used_modules(text);
    let expected = [(2, "exec"), (3, "memory"), (5, "run")].map(|(line, word)| (line, word.to_owned()));
    assert_eq!(used, expected);
}
