//! The operands of inline assembly, and the registers that stand for them here.
//!
//! Read are the constraints and classes of general registers, and names and numbers. Not read: operands in other
//! registers, and in memory at an address that is computed.

use crate::select::register;
use std::cell::Cell;
use std::collections::BTreeMap;

/// How a statement is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flavour {
    C,
    Rust,
    Watcom,
}

/// The registers that may stand for operands, with their parts: as a whole, 16 bits, and the low and the high byte.
const FREE: [(&str, &str, &str, &str); 7] = [
    ("eax", "ax", "al", "ah"),
    ("ecx", "cx", "cl", "ch"),
    ("edx", "dx", "dl", "dh"),
    ("ebx", "bx", "bl", "bh"),
    ("esi", "si", "", ""),
    ("edi", "di", "", ""),
    ("ebp", "bp", "", ""),
];
/// The longest placeholder, in bytes.
const LONGEST: usize = 32;
/// The most registers that are told.
const TOLD: usize = 8;

/// What stands for an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Value {
    /// A register of [`FREE`], and whether only its low byte is meant.
    Register(usize, bool),
    /// A name or a number.
    Text(String),
}

/// What an operand asks for.
enum Asked {
    Register(usize),
    Any,
    Byte,
    /// What another one has.
    Same(String),
    Text(String),
}

/// The operands of a statement.
pub(super) struct Operands {
    flavour: Flavour,
    /// Whether placeholders are marked, as they are if the statement has operands, or may have.
    extended: bool,
    att: bool,
    values: BTreeMap<String, Value>,
    /// The number of the next placeholder without a name.
    next: Cell<usize>,
}

impl Operands {
    /// The operands in `text`, with which the strings `quoted` begin; `None` if one of them is not read.
    pub(super) fn of(text: &str, flavour: Flavour, quoted: &[&str]) -> Option<Operands> {
        let whole = quoted.join("\n");
        let extended = match flavour {
            Flavour::C => text.trim_start().starts_with(':') || whole.contains("%%") || is_numbered(&whole),
            Flavour::Rust => true,
            Flavour::Watcom => false,
        };
        let intel = whole.contains(".intel_syntax") || has_brackets(&whole);
        let att = match flavour {
            Flavour::C => !intel,
            Flavour::Rust => text.contains("att_syntax"),
            Flavour::Watcom => false,
        };
        let mut operands = Operands {
            flavour,
            extended,
            att,
            values: BTreeMap::new(),
            next: Cell::new(0),
        };
        let mut asked = match flavour {
            Flavour::C => of_c(text)?,
            Flavour::Rust => of_rust(text)?,
            Flavour::Watcom => Vec::new(),
        };
        let listed = !asked.is_empty();
        for name in operands.used(&whole) {
            if !asked.iter().any(|(names, _)| names.contains(&name)) {
                if listed {
                    return None;
                }
                // The lines with the operands are not here.
                asked.push((vec![name], Asked::Any));
            }
        }
        operands.choose(&whole, text, asked)?;
        Some(operands)
    }

    /// Gives registers: first to the operands that ask for one, then to the others those that nothing names.
    fn choose(&mut self, quoted: &str, text: &str, asked: Vec<(Vec<String>, Asked)>) -> Option<()> {
        let mut taken = [false; FREE.len()];
        let words = |text: &str| -> Vec<String> {
            let words = text.split(|one: char| !one.is_ascii_alphanumeric() && one != '_');
            words.map(str::to_ascii_lowercase).collect()
        };
        for word in words(quoted).into_iter().chain(words(text)) {
            if register(&word).is_some()
                && let Some(at) = number(&word)
            {
                taken[at] = true;
            }
        }
        for (names, asked) in &asked {
            let value = match asked {
                Asked::Register(at) => Value::Register(*at, false),
                Asked::Text(text) => Value::Text(text.clone()),
                _ => continue,
            };
            if let Value::Register(at, _) = value {
                taken[at] = true;
            }
            self.values
                .extend(names.iter().map(|name| (name.clone(), value.clone())));
        }
        for (names, asked) in &asked {
            let most = match asked {
                Asked::Any => FREE.len(),
                Asked::Byte => 4,
                _ => continue,
            };
            let at = (0..most).find(|&at| !taken[at])?;
            taken[at] = true;
            let value = Value::Register(at, matches!(asked, Asked::Byte) && self.flavour == Flavour::Rust);
            self.values
                .extend(names.iter().map(|name| (name.clone(), value.clone())));
        }
        for (names, asked) in &asked {
            if let Asked::Same(other) = asked {
                let value = self.values.get(other)?.clone();
                self.values
                    .extend(names.iter().map(|name| (name.clone(), value.clone())));
            }
        }
        Some(())
    }

    /// The names of the operands that strings use.
    fn used(&self, quoted: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut next = 0;
        let mut at = 0;
        while at < quoted.len() {
            match self.placeholder(&quoted[at..]) {
                Some(Placeholder { name, length, .. }) => {
                    let name = name.unwrap_or_else(|| {
                        next += 1;
                        (next - 1).to_string()
                    });
                    if !found.contains(&name) {
                        found.push(name);
                    }
                    at += length;
                }
                None => at += self.escape(&quoted[at..]).map_or(1, |(_, length)| length),
            }
            while !quoted.is_char_boundary(at) {
                at += 1;
            }
        }
        found
    }

    /// A character that is marked because placeholders begin with it, and the length of both.
    fn escape(&self, rest: &str) -> Option<(&'static str, usize)> {
        let marked: &[(&str, &str)] = match self.flavour {
            Flavour::C if self.extended => &[("%%", "%"), ("%=", "0")],
            Flavour::Rust => &[("{{", "{"), ("}}", "}")],
            _ => &[],
        };
        let found = marked.iter().find(|(mark, _)| rest.starts_with(mark))?;
        Some((found.1, found.0.len()))
    }

    /// The placeholder with which a text begins.
    fn placeholder(&self, rest: &str) -> Option<Placeholder> {
        match self.flavour {
            Flavour::C if self.extended && self.escape(rest).is_none() => {
                let behind = rest.strip_prefix('%')?;
                let part = behind.chars().next().filter(char::is_ascii_alphabetic);
                let behind = &behind[part.map_or(0, char::len_utf8)..];
                let (name, length) = match behind.strip_prefix('[') {
                    Some(named) => {
                        let end = named.find(']').filter(|end| *end <= LONGEST)?;
                        (named[..end].to_owned(), end + 2)
                    }
                    None => {
                        let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
                        (digits > 0 && digits < 4).then(|| (behind[..digits].to_owned(), digits))?
                    }
                };
                // A register begins with letters, too: `%r8`.
                Some(Placeholder {
                    name: Some(name),
                    part,
                    length: rest.len() - behind.len() + length,
                })
            }
            Flavour::Rust if self.escape(rest).is_none() => {
                let behind = rest.strip_prefix('{')?;
                let end = behind.find('}').filter(|end| *end <= LONGEST)?;
                let (name, part) = behind[..end].split_once(':').unwrap_or((&behind[..end], ""));
                Some(Placeholder {
                    name: (!name.is_empty()).then(|| name.to_owned()),
                    part: part.chars().next(),
                    length: end + 2,
                })
            }
            _ => None,
        }
    }

    /// Whether a character separates instructions.
    pub(super) fn separates(&self, one: char) -> bool {
        one == ';' && self.flavour != Flavour::Watcom
    }

    /// What stands for the placeholder, or the marked character, with which a text begins, and the length of that in
    /// the text; `None` within if it begins with neither, and `None` if it is an unknown operand. Operands without
    /// names are asked for once, in their order.
    pub(super) fn placed(&self, rest: &str) -> Option<Option<(String, usize)>> {
        if let Some((character, length)) = self.escape(rest) {
            return Some(Some((character.to_owned(), length)));
        }
        let Some(placeholder) = self.placeholder(rest) else {
            return Some(None);
        };
        let name = placeholder
            .name
            .unwrap_or_else(|| self.next.replace(self.next.get() + 1).to_string());
        let text = match self.values.get(&name)? {
            Value::Text(text) => text.clone(),
            Value::Register(at, byte) => {
                let (whole, word, low, high) = FREE[*at];
                let name = match placeholder.part {
                    Some('b' | 'l') => low,
                    Some('h') => high,
                    Some('w' | 'x') => word,
                    None if *byte => low,
                    _ => whole,
                };
                if name.is_empty() {
                    return None;
                }
                let mark = if self.att { "%" } else { "" };
                format!("{mark}{name}")
            }
        };
        Some(Some((text, placeholder.length)))
    }

    /// Which registers stand for operands, in words.
    pub(super) fn told(&self) -> Option<String> {
        let mark = |name: &str| match (self.flavour, name.bytes().all(|byte| byte.is_ascii_digit())) {
            (Flavour::Rust, _) => format!("`{{{name}}}`"),
            (_, true) => format!("`%{name}`"),
            (_, false) => format!("`%[{name}]`"),
        };
        let chosen = self.values.iter().filter_map(|(name, value)| match value {
            Value::Register(at, _) => Some(format!("{} is {}", mark(name), FREE[*at].0)),
            Value::Text(_) => None,
        });
        let chosen: Vec<String> = chosen.take(TOLD).collect();
        (!chosen.is_empty()).then(|| format!("operands of inline assembly: {}", chosen.join(", ")))
    }
}

struct Placeholder {
    /// `None` if it is the next of those without names.
    name: Option<String>,
    /// The part of the register that is asked for.
    part: Option<char>,
    length: usize,
}

/// The register of [`FREE`] that a name is a part of.
fn number(name: &str) -> Option<usize> {
    FREE.iter()
        .position(|(whole, word, low, high)| [whole, word, low, high].contains(&&name))
}

/// Whether strings have placeholders with numbers, as `%0`.
fn is_numbered(quoted: &str) -> bool {
    quoted
        .split('%')
        .skip(1)
        .any(|rest| rest.starts_with(|one: char| one.is_ascii_digit() || one == '['))
}

/// Whether strings address memory in brackets, as Intel's syntax does.
fn has_brackets(quoted: &str) -> bool {
    quoted
        .match_indices('[')
        .any(|(at, _)| !quoted[..at].ends_with(['%', 'b', 'h', 'k', 'w']))
}

/// The parts of a text between separators that stand in no parentheses and no string.
fn parts(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0, false, 0);
    let mut found = Vec::new();
    for (at, one) in text.char_indices() {
        match one {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            _ if one == separator && depth == 0 => {
                found.push(text[start..at].trim());
                start = at + one.len_utf8();
            }
            _ => {}
        }
    }
    found.push(text[start..].trim());
    found
}

/// What the operands of C ask for, by their numbers and names.
fn of_c(text: &str) -> Option<Vec<(Vec<String>, Asked)>> {
    let sections = parts(text.trim(), ':');
    let mut found = Vec::new();
    // Before the first colon is nothing; clobbers and labels follow.
    for operand in sections.iter().skip(1).take(2).flat_map(|section| parts(section, ',')) {
        if operand.is_empty() {
            continue;
        }
        let mut names = vec![found.len().to_string()];
        let mut rest = operand;
        if let Some(named) = operand.strip_prefix('[') {
            let (name, behind) = named.split_once(']')?;
            names.push(name.trim().to_owned());
            rest = behind.trim_start();
        }
        let (constraint, expression) = rest.strip_prefix('"')?.split_once('"')?;
        let expression = expression.trim();
        let expression = expression.strip_prefix('(').unwrap_or(expression);
        let expression = expression.strip_suffix(')').unwrap_or(expression).trim();
        found.push((names, constrained(constraint, expression)?));
    }
    Some(found)
}

/// What a constraint asks for; `None` if that is no general register, name or number.
fn constrained(constraint: &str, expression: &str) -> Option<Asked> {
    let letters = constraint.split(',').next().unwrap_or_default();
    let letters = letters.trim_start_matches(['=', '+', '&', '%', '*', '?', '!']);
    if let Some(named) = letters.strip_prefix('[') {
        return Some(Asked::Same(named.strip_suffix(']')?.to_owned()));
    }
    let digits: String = letters.chars().take_while(char::is_ascii_digit).collect();
    if !digits.is_empty() {
        return Some(Asked::Same(digits));
    }
    if letters.contains(['r', 'g', 'l', 'R', 'p']) {
        return Some(Asked::Any);
    }
    if letters.contains(['q', 'Q']) {
        return Some(Asked::Byte);
    }
    let fixed = [('a', 0), ('c', 1), ('d', 2), ('b', 3), ('S', 4), ('D', 5)];
    if let Some((_, at)) = fixed.iter().find(|(letter, _)| letters.contains(*letter)) {
        return Some(Asked::Register(*at));
    }
    let plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let is_number = expression.starts_with(|one: char| one.is_ascii_digit());
    if letters.contains(['m', 'o', 'V']) && plain(expression) && !is_number {
        return Some(Asked::Text(expression.to_owned()));
    }
    let number = letters.contains(['i', 'n', 'I', 'J', 'K', 'L', 'M', 'N', 'O']);
    (number && plain(expression) && is_number).then(|| Asked::Text(format!("${expression}")))
}

/// What the operands of Rust ask for, by their numbers and names.
fn of_rust(text: &str) -> Option<Vec<(Vec<String>, Asked)>> {
    let mut found: Vec<(Vec<String>, Asked)> = Vec::new();
    for operand in parts(text.trim(), ',') {
        let (name, value) = match operand.split_once('=') {
            Some((name, value)) if !name.contains('(') && !value.starts_with('>') => (Some(name.trim()), value.trim()),
            _ => (None, operand),
        };
        let word = value
            .split(|one: char| !one.is_alphanumeric() && one != '_')
            .next()
            .unwrap_or_default();
        let asked = match word {
            "" | "options" | "clobber_abi" => continue,
            "const" => {
                let number = value["const".len()..].trim();
                let plain = number.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                (plain && number.starts_with(|one: char| one.is_ascii_digit()))
                    .then(|| Asked::Text(number.to_owned()))?
            }
            "in" | "out" | "inout" | "lateout" | "inlateout" => {
                let class = value[word.len()..].trim_start().strip_prefix('(')?;
                let class = class.split(')').next().unwrap_or_default().trim();
                match class {
                    "reg" => Asked::Any,
                    "reg_byte" | "reg_abcd" => Asked::Byte,
                    // A register that is named has no placeholder.
                    _ if class.starts_with('"') => continue,
                    _ => return None,
                }
            }
            _ => return None,
        };
        let names = match name {
            Some(name) => vec![name.to_owned()],
            None => vec![found.len().to_string()],
        };
        found.push((names, asked));
    }
    Some(found)
}
