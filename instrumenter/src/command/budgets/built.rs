//! The code that a budget concerns in the source of a program that another tool has built: a line, by the debugging
//! information, or a function in the line that declares it or in which it begins.

use super::code::Code;
use super::comments::Notation;
use super::has_budgets;
use runtime::image::{Functions, Image};
use runtime::run::Scope;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The most lines from the one that names a function to the one of its first instruction.
const HEAD: u32 = 20;
/// The most copies of a function that count.
const MOST_COPIES: usize = 4096;
/// The macros whose lines begin regions in assembled sources.
const STARTS: [&str; 2] = ["StartTSC", "StartProfile"];

/// Which lines of the files with budgets have code.
pub(super) struct Built {
    /// The lines with code, each with its file.
    lines: BTreeSet<(u32, u32)>,
    /// The functions whose first instruction is of a line: name and address.
    functions: BTreeMap<(u32, u32), Vec<(String, u32)>>,
    /// The functions that a line declares, with all that a compiler has made of them.
    declared: BTreeMap<(u32, u32), Vec<(String, u32)>>,
}

impl Built {
    pub(super) fn of(image: &Image) -> Built {
        let concerned: Vec<bool> = image.files.iter().map(has_budgets).collect();
        let is_concerned = |file: u32| concerned.get(file as usize) == Some(&true);
        let rows = image.lines.iter().filter(|row| is_concerned(row.file));
        let mut functions: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let places = &image.inlined.declared;
        let places: HashMap<u32, (u32, u32)> = places.iter().map(|one| (one.address, (one.file, one.line))).collect();
        let mut declared: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for function in Functions::of(image, &[]).0 {
            if let Some(&place) = places.get(&function.address).filter(|(file, _)| is_concerned(*file)) {
                let all = declared.entry(place).or_default();
                all.push((function.name.clone(), function.address));
            }
            let row = image.line_at(function.address);
            if let Some(row) = row.filter(|row| is_concerned(row.file)) {
                let all = functions.entry((row.file, row.line)).or_default();
                all.push((function.name, function.address));
            }
        }
        Built {
            lines: rows.map(|row| (row.file, row.line)).collect(),
            functions,
            declared,
        }
    }

    /// The scope of a budget on line `number` of a file; `None` if no code follows.
    pub(super) fn scope(&self, code: &Code<'_>, file: u32, number: u32) -> Option<Scope> {
        if code.notation() != Notation::C {
            let starts = |line| {
                let first = code.line(line).split_whitespace().next();
                first.is_some_and(|word| STARTS.iter().any(|start| start.eq_ignore_ascii_case(word)))
            };
            return code.scope(number, starts);
        }
        let (line, _) = code.concerned(number)?;
        Some(self.function(code, file, line).unwrap_or(Scope::Statement(line)))
    }

    /// The function that a line declares, or that begins in it: the line names it or opens its body, and its first
    /// instruction is of this line or, if the line has no code, of the next one with code.
    fn function(&self, code: &Code<'_>, file: u32, line: u32) -> Option<Scope> {
        let text = code.line(line);
        if let Some(declared) = self.declared.get(&(file, line)) {
            let named = |name: &str| words(text).any(|word| !word.is_empty() && word == base(name));
            let found: Vec<&(String, u32)> = declared.iter().filter(|(name, _)| named(name)).collect();
            if let Some(scope) = scope_of(&found, line) {
                return Some(scope);
            }
        }
        let first = match self.lines.contains(&(file, line)) {
            true => line,
            false if text.ends_with(';') => return None,
            false => {
                let mut after = self.lines.range((file, line)..=(file, line.saturating_add(HEAD)));
                after.next()?.1
            }
        };
        let begins = self.functions.get(&(file, first))?;
        let head: Vec<&str> = (line..=first).map(|line| code.line(line)).collect();
        let named = |name: &str| {
            let name = base(name);
            let mut words = head.iter().flat_map(|text| words(text));
            words.any(|word| !word.is_empty() && name == word)
        };
        let opens = text.starts_with('{') || text.ends_with('{');
        let found: Vec<&(String, u32)> = begins.iter().filter(|(name, _)| opens || named(name)).collect();
        scope_of(&found, line)
    }
}

/// The scope of a budget in `line` on functions, which are copies of one.
fn scope_of(found: &[&(String, u32)], line: u32) -> Option<Scope> {
    let (name, _) = found.first()?;
    Some(Scope::Function {
        name: base(name),
        line,
        addresses: found.iter().take(MOST_COPIES).map(|(_, address)| *address).collect(),
    })
}

/// The words of a line, between which some may be empty.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|one: char| !one.is_alphanumeric() && one != '_')
}

/// The last part of the name of a function, without its parameters and those of its templates, and without what a
/// compiler adds: `ns::List<int>::push(int)` is `push`, `name.part.0` is `name`.
fn base(name: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            '.' if depth == 0 => break,
            other if depth == 0 => plain.push(other),
            _ => {}
        }
    }
    // The hash at the end of the older names of Rust.
    let is_hash = |part: &str| {
        part.len() == 17 && part.starts_with('h') && part[1..].bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let mut parts = plain
        .rsplit([':', ' ', '*', '&'])
        .filter(|part| !part.is_empty() && !is_hash(part));
    parts.next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::base;

    #[test]
    fn the_name_of_a_function_is_the_word_that_its_line_has() {
        for (name, word) in [
            ("mean", "mean"),
            ("mean.part.0", "mean"),
            ("mean.constprop.0.isra.0", "mean"),
            ("ns::List<int>::push(int)", "push"),
            ("(anonymous namespace)::mean(int const*, int)", "mean"),
            ("int twice<int>(int)", "twice"),
            ("char* ns::name<char>(char*)", "name"),
            ("kernels::mean::h0123456789abcdef", "mean"),
        ] {
            assert_eq!(base(name), word, "{name}");
        }
    }
}
