//! Finds the lines that a budget concerns from the text of a file: labels, procedures and jumps.

use runtime::run::Scope;

/// The number of lines after a label or the beginning of a procedure that are searched for its end. It is bounded
/// because a program may have many budgets, and each of them searches.
const SEARCHED: usize = 10_000;

/// The lines of a file without their comments.
pub(super) struct Code<'a> {
    lines: Vec<&'a str>,
    // For each line, whether COMMENT skips it or begins in it.
    skipped: Vec<bool>,
}

/// The position at which the comment of a line begins.
pub(super) fn comment(line: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in line.bytes().enumerate() {
        match (byte, quote) {
            (b';', None) => return Some(at),
            (b'\'' | b'"', None) => quote = Some(byte),
            (_, Some(open)) if byte == open => quote = None,
            _ => {}
        }
    }
    None
}

impl<'a> Code<'a> {
    pub(super) fn of(text: &'a str) -> Code<'a> {
        let code = |line: &'a str| line.get(..comment(line).unwrap_or(line.len())).unwrap_or(line).trim();
        let mut delimiter = None;
        let mut lines = Vec::new();
        let mut skipped = Vec::new();
        for line in text.lines() {
            let begun = delimiter.is_none().then(|| skipping(line)).flatten();
            let skips = delimiter.is_some() || begun.is_some();
            delimiter = match (delimiter, begun) {
                (Some(open), _) => Some(open).filter(|&open| !line.contains(open)),
                (None, Some((begins, ended))) => Some(begins).filter(|_| !ended),
                (None, None) => None,
            };
            lines.push(if skips { "" } else { code(line) });
            skipped.push(skips);
        }
        Code { lines, skipped }
    }

    /// Whether COMMENT skips line `number`.
    pub(super) fn skips(&self, number: u32) -> bool {
        self.skipped.get(number as usize - 1).is_some_and(|skipped| *skipped)
    }

    /// The scope of a budget on line `number`; `None` if no code follows. `starts` tells whether a region starts on a
    /// line.
    pub(super) fn scope(&self, number: u32, starts: impl Fn(u32) -> bool) -> Option<Scope> {
        let lines = (number..).zip(self.lines.iter().skip(number as usize - 1));
        let (number, line) = lines.into_iter().find(|(_, line)| !line.is_empty())?;
        if starts(number) {
            return Some(Scope::Region(number));
        }
        let end = match (procedure(line), label(line)) {
            (Some(name), _) => Some((name, self.end_of_procedure(number, name))),
            (None, Some((name, ""))) => Some((name, self.end_of_label(number, name))),
            (None, _) => None,
        };
        Some(end.map_or(Scope::Line(number), |(name, last)| Scope::Label {
            name: name.to_owned(),
            lines: (number, last),
        }))
    }

    /// The lines after line `number` with their numbers, as far as they are searched.
    fn behind(&self, number: u32) -> impl Iterator<Item = (u32, &'a str)> {
        let lines = self.lines.iter().skip(number as usize).copied();
        (number + 1..).zip(lines.take(SEARCHED))
    }

    /// The last line that is searched after line `number`.
    fn last(&self, number: u32) -> u32 {
        self.lines.len().min(number as usize + SEARCHED) as u32
    }

    /// The line of a procedure's end, or the last line that is searched.
    fn end_of_procedure(&self, number: u32, name: &str) -> u32 {
        let mut ends = self.behind(number).filter(|(_, line)| {
            let mut words = line.split_whitespace();
            let (first, second) = (words.next(), words.next());
            let ends = |word: Option<&str>| word.is_some_and(|word| word.eq_ignore_ascii_case("endp"));
            let named = |word: Option<&str>| word.is_none_or(|word| word.eq_ignore_ascii_case(name));
            (ends(second) && named(first)) || (ends(first) && named(second))
        });
        ends.next().map_or(self.last(number), |(number, _)| number)
    }

    /// The last jump back to a label in its procedure, or the last line before the next label.
    fn end_of_label(&self, number: u32, name: &str) -> u32 {
        let anonymous = name == "@@";
        let back = if anonymous { "@b" } else { name };
        let mut jump = None;
        let mut next = None;
        for (number, line) in self.behind(number) {
            let other = label(line);
            let same = other.is_some_and(|(other, _)| other.eq_ignore_ascii_case(name));
            if same || procedure(line).is_some() || is_end(line) {
                next = next.or(Some(number));
                break;
            }
            if other.is_some() {
                next = next.or(Some(number));
            }
            if jumps_to(other.map_or(line, |(_, rest)| rest), back) {
                jump = Some(number);
            }
        }
        jump.unwrap_or_else(|| next.map_or(self.last(number), |next| next - 1))
    }
}

/// The delimiter of a COMMENT directive, and whether the line has it a second time.
fn skipping(line: &str) -> Option<(char, bool)> {
    let (word, rest) = line.trim_start().split_once(|one: char| one.is_whitespace())?;
    let mut rest = rest.trim_start().chars();
    let delimiter = rest.next().filter(|_| word.eq_ignore_ascii_case("comment"))?;
    Some((delimiter, rest.any(|one| one == delimiter)))
}

/// The label at the beginning of a line, and the rest of the line.
fn label(line: &str) -> Option<(&str, &str)> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim_end();
    let in_name = |one: char| one.is_alphanumeric() || "_@$?.%".contains(one);
    let is_name = !name.is_empty() && name.chars().all(in_name);
    is_name.then(|| (name, rest.trim_start_matches(':').trim_start()))
}

/// The name of the procedure that a line begins.
fn procedure(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next()?, words.next()?);
    let begins = |word: &str| word.eq_ignore_ascii_case("proc");
    match (begins(first), begins(second)) {
        (true, _) => Some(second),
        (_, true) => Some(first),
        _ => None,
    }
}

fn is_end(line: &str) -> bool {
    let mut words = line.split_whitespace().take(2);
    line.split_whitespace()
        .next()
        .is_some_and(|word| word.eq_ignore_ascii_case("end"))
        || words.any(|word| word.eq_ignore_ascii_case("endp"))
}

fn jumps_to(line: &str, name: &str) -> bool {
    let mut words = line.split_whitespace();
    let jump = words.next().is_some_and(|word| {
        let word = word.to_ascii_lowercase();
        word.starts_with('j') || word.starts_with("loop")
    });
    jump && words.next_back().is_some_and(|word| word.eq_ignore_ascii_case(name))
}
