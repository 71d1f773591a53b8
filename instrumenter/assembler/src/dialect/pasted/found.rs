//! What a text for GNU's assembler has: the parts of its statements, and the names that it defines and uses.

use super::att_operand::split;
use super::clean::Clean;
use super::expression::{constant, names_place};
use super::labels::{Parts, parts};
use super::section::{Section, Sections};
use super::word::{first_word, is_name, words};
use super::{Notation, Taken, cxx};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// The directives that tell other tools of the code. Those that begin with `.cfi_` do, too.
const TELLING: [&str; 35] = [
    ".file",
    ".loc",
    ".ident",
    ".size",
    ".type",
    ".globl",
    ".global",
    ".extern",
    ".local",
    ".weak",
    ".hidden",
    ".protected",
    ".internal",
    ".addrsig",
    ".addrsig_sym",
    ".arch",
    ".code32",
    ".version",
    ".symver",
    ".end",
    ".loc_mark_labels",
    ".linefile",
    ".line",
    ".desc",
    ".def",
    ".scl",
    ".endef",
    ".build_version",
    ".title",
    ".sbttl",
    ".weakref",
    ".subsections_via_symbols",
    ".tlsgd",
    ".lto_discard",
    ".cv_file",
];

/// The name that a statement gives a value, `.set name, value` or `name = value`, and the value.
pub(super) fn assignment(line: &str, statement: Range<usize>) -> Option<(Range<usize>, Range<usize>)> {
    let (first, operands) = first_word(line, statement.clone());
    if matches!(&line[first], ".set" | ".equ" | ".equiv" | ".eqv") {
        // A name of C++ may have commas.
        let places = split(line, operands);
        let (name, value) = (places.first()?.clone(), places.get(1)?.start..statement.end);
        return (!name.is_empty() && !value.is_empty()).then_some((name, value));
    }
    let rest = &line[statement.clone()];
    let length = rest.bytes().take_while(|byte| is_name(*byte)).count();
    let value = rest[length..].trim_start().strip_prefix('=')?;
    let value = value.strip_prefix('=').unwrap_or(value).trim_start();
    let name = statement.start..statement.start + length;
    (length > 0 && !value.is_empty()).then_some((name, statement.end - value.len()..statement.end))
}

/// The names of a text.
#[derive(Default)]
pub(super) struct Found<'t> {
    /// Those that are used beside where they are defined and told of.
    pub(super) used: HashSet<&'t str>,
    pub(super) defined: HashSet<&'t str>,
    /// Those that are used and neither defined nor numbers, each with the line of its first use; and whether any
    /// branch leads there.
    pub(super) first_uses: BTreeMap<&'t str, (u32, bool)>,
    /// Those whose addresses are taken from a table of addresses.
    pub(super) by_table: BTreeSet<&'t str>,
    /// Whether a directive leads on to an address.
    pub(super) leads_on: bool,
    /// Those whose definitions give way to others.
    pub(super) weak: BTreeSet<&'t str>,
    /// Those that no other module sees although their directive for data would make them known.
    pub(super) local: HashSet<&'t str>,
}

impl<'t> Found<'t> {
    /// Notes the use of a name. Whatever a branch leads to is code, whichever use comes first.
    fn use_first(&mut self, name: &'t str, line: u32, branches: bool) {
        let (_, leads) = self.first_uses.entry(name).or_insert((line, branches));
        *leads |= branches;
    }
}

/// The names that a text uses and defines. Those that MASM gives a meaning are noted in `taken`: in Intel syntax the
/// defined ones, in which registers have no mark; in AT&T syntax all.
pub(super) fn found<'t>(lines: &'t [Clean], notation: Notation, taken: &mut Taken<'_>) -> Found<'t> {
    let mut found = Found::default();
    let mut sections = Sections::of(notation);
    let mut att = notation.att;
    let mut repeats = 0u32;
    let mut first_values: HashMap<String, (Option<i64>, u32)> = HashMap::new();
    for Clean {
        number,
        text,
        statements,
    } in lines
    {
        for statement in statements {
            let Parts { labels, rest } = parts(text, statement.clone());
            for label in labels {
                found.defined.insert(&text[label.clone()]);
                taken.define(&text[label], att);
            }
            let (first, mut operands) = first_word(text, rest.clone());
            let first = &text[first];
            att = syntax(first).unwrap_or(att);
            sections.follow(first, &text[operands.clone()]);
            let told = || told_names(text, operands.clone()).into_iter().map(|word| &text[word]);
            match first {
                ".weak" => found.weak.extend(told()),
                ".local" => found.local.extend(told()),
                ".org" => found.leads_on = true,
                ".rept" => repeats += 1,
                ".endr" => repeats = repeats.saturating_sub(1),
                _ => {}
            }
            let assigned = assignment(text, rest);
            let own = match (first, &assigned) {
                (".comm" | ".lcomm", _) => words(text, operands.clone()).into_iter().next(),
                (_, Some((name, _))) => Some(name.clone()),
                _ => None,
            };
            if let Some(name) = own.map(|word| &text[word]) {
                found.defined.insert(name);
                taken.define(name, att);
                if let Some((_, value)) = &assigned {
                    // The distance between two places is a number, too.
                    let distance = text[value.clone()].contains('-') && words(text, value.clone()).len() > 1;
                    if distance || !names_place(text, value.clone(), taken) {
                        taken.constants.insert(name.to_owned());
                    }
                    if repeats > 0 {
                        taken.varying.insert(name.to_owned());
                    }
                    let known = constant(text, value.clone(), taken);
                    taken.give(name, known);
                    first_values.entry(name.to_owned()).or_insert((known, 0)).1 += 1;
                }
            }
            if sections.here == Section::Unread || is_telling(first) {
                continue;
            }
            if let Some((name, value)) = assigned {
                // The names of `x=y` are in one word.
                operands = operands.start.min(value.start)..operands.end;
                found.used.insert(&text[name]);
            }
            let target = ["j", "call", "loop"].iter().any(|begin| first.starts_with(begin));
            let long = long_names(text, operands.clone(), att, target);
            for name in &long {
                let name = &text[name.clone()];
                found.used.insert(name);
                found.use_first(name, *number, target);
            }
            let branches = (target || first.starts_with('l')) && !text[operands.clone()].contains(['[', '(', '*']);
            for word in words(text, operands) {
                if cxx::is_within(&long, word.start) {
                    continue;
                }
                if att && text[..word.start].ends_with('%') {
                    continue;
                }
                let (name, table) = text[word.clone()].split_once('@').unwrap_or((&text[word.clone()], ""));
                if name.is_empty() {
                    continue;
                }
                if table == "GOT" {
                    found.by_table.insert(name);
                }
                if att {
                    taken.define(name, att);
                }
                found.used.insert(name);
                if att || !taken.is_word(name) {
                    found.use_first(name, *number, branches);
                }
            }
        }
    }
    // Before they are given any, names of one value are left to the program, which knows what comes later.
    for (name, (value, count)) in first_values {
        taken.give(&name, value.filter(|_| count > 1));
    }
    found
}

/// Leaves out what stands after `.end`.
pub(super) fn end(lines: &mut Vec<Clean>) {
    let ends = |line: &Clean| {
        let of = |statement: &Range<usize>| {
            let rest = parts(&line.text, statement.clone()).rest;
            &line.text[first_word(&line.text, rest).0] == ".end"
        };
        line.statements.iter().position(of)
    };
    let found = lines.iter().enumerate();
    if let Some((line, statement)) = found.filter_map(|(at, line)| Some((at, ends(line)?))).next() {
        lines.truncate(line + 1);
        lines[line].statements.truncate(statement + 1);
    }
}

/// The names of a directive that tells of names, by their places: several, or one of C++.
pub(super) fn told_names(line: &str, operands: Range<usize>) -> Vec<Range<usize>> {
    match cxx::is_cxx(&line[operands.clone()]) {
        true => vec![operands],
        false => words(line, operands),
    }
}

/// The names of C++ among operands; one of them may be the target of a branch.
fn long_names(text: &str, operands: Range<usize>, att: bool, target: bool) -> Vec<Range<usize>> {
    if !att {
        return cxx::operands(text, operands, target);
    }
    if !text[operands.clone()].contains([':', '(', '<', ' ']) {
        return Vec::new();
    }
    let places = split(text, operands).into_iter();
    let names = places.filter_map(|place| {
        let marks = text[place.clone()].len() - text[place.clone()].trim_start_matches(['*', '$']).len();
        cxx::of_att(text, place.start + marks..place.end).ok().flatten()
    });
    names.collect()
}

/// Whether AT&T syntax follows; `None` if the word does not say.
fn syntax(word: &str) -> Option<bool> {
    match word {
        ".intel_syntax" => Some(false),
        ".att_syntax" => Some(true),
        _ => None,
    }
}

pub(super) fn is_telling(word: &str) -> bool {
    word.starts_with(".cfi_") || TELLING.contains(&word)
}
