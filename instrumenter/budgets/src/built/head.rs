//! Finds the head of a function in the text of a source as in C: from the line that begins its declaration to the one
//! that opens its body.

use super::super::code::Code;
use super::{HEAD, words};

/// Words after which a parenthesis is not that of the parameters.
const NOT_NAMES: [&str; 10] = [
    "__attribute__",
    "__attribute",
    "__declspec",
    "__asm__",
    "alignas",
    "noexcept",
    "explicit",
    "pub",
    "func",
    "decltype",
];
/// Words of statements with a block.
const STATEMENTS: [&str; 18] = [
    "if", "else", "for", "while", "switch", "match", "loop", "return", "let", "do", "catch", "case", "select", "go",
    "defer", "impl", "foreach", "new",
];

/// The head of a function.
pub(super) struct Head {
    /// The name of the function.
    pub(super) name: String,
    /// Its first line.
    pub(super) first: u32,
    /// The line that opens the body.
    pub(super) brace: u32,
}

/// The first line from `line` on that opens a block, if no statement or block ends before.
pub(super) fn brace(code: &Code<'_>, line: u32) -> Option<u32> {
    for number in line..=line.saturating_add(HEAD) {
        let text = code.line(number);
        match text.find(['{', ';', '}']).map(|at| text.as_bytes()[at]) {
            Some(b'{') => return Some(number),
            Some(_) => return None,
            None => {}
        }
    }
    None
}

/// Whether a line begins a statement that may have a block.
pub(super) fn is_statement(text: &str) -> bool {
    let mut words = words(text.trim_start_matches(['}', ' '])).filter(|word| !word.is_empty());
    words.next().is_some_and(|word| STATEMENTS.contains(&word))
}

impl Head {
    /// The head that line `line` belongs to.
    pub(super) fn around(code: &Code<'_>, line: u32) -> Option<Head> {
        let brace = brace(code, line)?;
        let last = code.line(brace);
        let mut text = String::new();
        for number in line..brace {
            text.push_str(code.line(number));
            text.push(' ');
        }
        text.push_str(last.split('{').next().unwrap_or_default());
        let mut first = line;
        for number in (line.saturating_sub(HEAD).max(1)..line).rev() {
            let before = code.line(number);
            let ends = before.ends_with([';', '}', '{', ':']) || before.is_empty() && text.contains('(');
            if ends {
                break;
            }
            if !before.is_empty() {
                text = format!("{before} {text}");
                first = number;
            }
        }
        let name = name(&text)?;
        Some(Head { name, first, brace })
    }
}

/// The name of the function whose head is `text`; `None` if that is another statement.
fn name(text: &str) -> Option<String> {
    let is_part = |one: char| one.is_alphanumeric() || one == '_';
    let mut from = 0;
    loop {
        let open = from + text.get(from..)?.find('(')?;
        let close = closed(text, open)?;
        // The parameters of a template stand between the name and the parenthesis in Rust.
        let mut before = text[..open].trim_end();
        if before.ends_with('>') {
            before = before.split('<').next()?.trim_end();
        }
        let word = &before[before.trim_end_matches(is_part).len()..];
        if NOT_NAMES.contains(&word) {
            from = close;
            continue;
        }
        let (rest, after) = (&before[..before.len() - word.len()], &text[close..]);
        let mut depth = 0_i32;
        for one in after.chars() {
            depth += i32::from(one == '(') - i32::from(one == ')');
        }
        let all = || words(rest).filter(|word| !word.is_empty());
        let declares = all().any(|word| ["fn", "func"].contains(&word));
        let states = || rest.contains(['=', '.', '!', '?']) || all().chain([word]).any(|one| STATEMENTS.contains(&one));
        let is_name = word.starts_with(|one: char| one.is_alphabetic() || one == '_') && all().next().is_some();
        let plain = is_name && depth == 0 && !after.contains("=>") && (declares || !states());
        return plain.then(|| word.to_owned());
    }
}

/// The place after the parenthesis that closes the one at `open`.
fn closed(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, one) in text.bytes().enumerate().skip(open) {
        match one {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn the_head_of_a_function_is_told_from_statements_with_a_block() {
        for (text, wanted) in [
            (
                "static __attribute__((noinline)) int peak(const int *o, int n) ",
                Some("peak"),
            ),
            ("struct cfg *load(int (*f)(int), int n)", Some("load")),
            ("Foo::Foo(int n) : size(n)", Some("Foo")),
            (
                "pub(crate) unsafe extern \"C\" fn step<T: Into<u32>>(one: T) -> u32",
                Some("step"),
            ),
            ("func (t *Table) add(n int) int", Some("add")),
            ("if (peak(o, n) > 3)", None),
            ("else if (n)", None),
            ("EACH(n)", None),
            ("static const int gaps[] =", None),
            ("std::sort(a, b, [](int x)", None),
            ("Kind::One(n) =>", None),
            ("match one(n)", None),
            ("return int(n)", None),
            ("auto f = [](int n)", None),
            ("struct cfg", None),
        ] {
            assert_eq!(name(text).as_deref(), wanted, "{text}");
        }
    }
}
