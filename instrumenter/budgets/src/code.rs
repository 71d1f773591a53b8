//! Finds the lines that a budget concerns from the text of a file: labels, procedures and jumps.

use super::comments::{Notation, split};
use super::marked;
use p5_results::Scope;

/// The number of lines after a label or the beginning of a procedure that are searched for its end. It is bounded
/// because a program may have many budgets, and each of them searches.
const SEARCHED: usize = 10_000;

/// The lines of a file without their comments.
pub(crate) struct Code<'a> {
    notation: Notation,
    lines: Vec<&'a str>,
    // The lines with budgets: number, text and the budgets, except those that COMMENT skips.
    budgets: Vec<(u32, &'a str, &'a str)>,
}

/// The directives of MASM, TASM and NASM without a dot that stand before the code of a program, as the first word of a
/// line.
const PREPARING: [&str; 25] = [
    "assume",
    "bits",
    "codeseg",
    "cpu",
    "dataseg",
    "default",
    "extern",
    "externdef",
    "extrn",
    "global",
    "ideal",
    "include",
    "includelib",
    "jumps",
    "locals",
    "masm",
    "model",
    "name",
    "option",
    "org",
    "page",
    "public",
    "section",
    "stack",
    "title",
];
/// The directives with a dot that make code.
const MAKING: [&str; 14] = [
    ".break",
    ".continue",
    ".else",
    ".elseif",
    ".endif",
    ".endw",
    ".exit",
    ".if",
    ".repeat",
    ".startup",
    ".until",
    ".untilcxz",
    ".while",
    ".for",
];

/// Whether a line only prepares for code, which a budget above it does not concern.
fn prepares(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is = |word: &str, all: &[&str]| all.iter().any(|one| word.eq_ignore_ascii_case(one));
    let dotted = first.starts_with('.') && !first.ends_with(':') && !is(first, &MAKING);
    dotted || is(first, &PREPARING) || is(second, &["segment", "ends", "equ", "=", "group", "struc", "struct"])
}

impl<'a> Code<'a> {
    pub(crate) fn of(text: &'a str, notation: Notation) -> Code<'a> {
        let mut delimiter = None;
        let mut open = false;
        let mut code = Code {
            notation,
            lines: Vec::new(),
            budgets: Vec::new(),
        };
        for line in text.lines() {
            let begun = (delimiter.is_none() && notation == Notation::Semicolon)
                .then(|| skipping(line))
                .flatten();
            let skips = delimiter.is_some() || begun.is_some();
            delimiter = match (delimiter, begun) {
                (Some(open), _) => Some(open).filter(|&open| !line.contains(open)),
                (None, Some((begins, ended))) => Some(begins).filter(|_| !ended),
                (None, None) => None,
            };
            let split = split(line, notation, &mut open);
            code.lines.push(if skips { "" } else { split.code });
            let budgets = split.comments.into_iter().find_map(|place| marked(line, place));
            if let Some(budgets) = budgets.filter(|_| !skips) {
                code.budgets.push((code.lines.len() as u32, line, budgets));
            }
        }
        code
    }

    /// The lines whose comments have budgets: their number, their text and the budgets.
    pub(crate) fn budgets(&self) -> impl Iterator<Item = (u32, &'a str, &'a str)> {
        self.budgets.iter().copied()
    }

    /// The lines of code.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.lines.iter().copied()
    }

    /// How the file has its comments.
    pub(crate) fn notation(&self) -> Notation {
        self.notation
    }

    /// The line of code that a comment in line `number` concerns; `None` if no code follows.
    pub(crate) fn concerned(&self, number: u32) -> Option<(u32, &'a str)> {
        let mut lines = (number..).zip(self.lines.iter().skip(number as usize - 1).copied());
        let assembled = self.notation == Notation::Semicolon;
        lines.find(|&(at, line)| !line.is_empty() && (at == number || !(assembled && prepares(line))))
    }

    /// The last line of code before line `number`, if there is one.
    pub(crate) fn before(&self, number: u32) -> Option<u32> {
        let mut lines = (1..number).zip(self.lines.iter().copied()).rev();
        let assembled = self.notation == Notation::Semicolon;
        let is_end = |line: &str| {
            line.split_whitespace()
                .next()
                .is_some_and(|word| word.eq_ignore_ascii_case("end"))
        };
        let code = lines.find(|&(_, line)| !line.is_empty() && !(assembled && (prepares(line) || is_end(line))));
        code.map(|(number, _)| number)
    }

    /// The text of a line without its comments; empty if there is no such line.
    pub(crate) fn line(&self, number: u32) -> &'a str {
        self.lines.get(number as usize - 1).copied().unwrap_or_default()
    }

    /// The scope of a budget on line `number`; `None` if no code follows. `starts` tells whether a region starts on a
    /// line.
    pub(crate) fn scope(&self, number: u32, starts: impl Fn(u32) -> bool) -> Option<Scope> {
        let (number, line) = self.concerned(number)?;
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

    /// Whether a label is one of the parts of the code of another label, in the notations of GNU and NASM.
    fn is_local(&self, name: &str) -> bool {
        let numbered = self.notation == Notation::Gnu && name.bytes().all(|one| one.is_ascii_digit());
        name.starts_with('.') || numbered
    }

    /// The last jump back to a label in its procedure, or the last line before the next label. In code of other
    /// assemblers, the local labels after a label belong to it.
    fn end_of_label(&self, number: u32, name: &str) -> u32 {
        let back = match name {
            "@@" => "@b".to_owned(),
            // A label of GNU that may stand several times: `1:`, and `jnz 1b`.
            _ if self.notation == Notation::Gnu && name.bytes().all(|one| one.is_ascii_digit()) => format!("{name}b"),
            _ => name.to_owned(),
        };
        let mut jump = None;
        let mut next = None;
        for (number, line) in self.behind(number) {
            let other = label(line);
            let same = other.is_some_and(|(other, _)| other.eq_ignore_ascii_case(name));
            if same || procedure(line).is_some() || is_end(line) {
                next = next.or(Some(number));
                break;
            }
            if other.is_some_and(|(other, _)| self.is_local(name) || !self.is_local(other)) {
                next = next.or(Some(number));
            }
            if jumps_to(other.map_or(line, |(_, rest)| rest), &back) {
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
