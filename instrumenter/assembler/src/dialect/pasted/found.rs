//! What a text for GNU's assembler has: the parts of its statements, its sections, and the names that it defines and
//! uses.

use super::att_operand::split;
use super::clean::Clean;
use super::expression::names_place;
use super::word::{first_word, is_name, words};
use super::{Notation, Taken, cxx};
use std::collections::{BTreeMap, BTreeSet, HashSet};
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
/// The sections that only other tools read, by the beginnings of their names.
const UNREAD: [&str; 9] = [
    ".note",
    ".comment",
    ".debug",
    ".eh_frame",
    ".gcc_except",
    ".llvm",
    ".stab",
    ".gnu",
    ".init_array",
];

/// Where lines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Code,
    Data,
    Unread,
}

/// The parts of a line: labels, by the places of their names, and the rest, without blanks around it.
pub(super) struct Parts {
    pub(super) labels: Vec<Range<usize>>,
    pub(super) rest: Range<usize>,
}

pub(super) fn parts(line: &str, statement: Range<usize>) -> Parts {
    let code = &line[..statement.end];
    if let Some(name) = cxx::label(&line[statement.clone()]) {
        let name = statement.start + name.start..statement.start + name.end;
        return Parts {
            rest: statement.end..statement.end,
            labels: vec![name],
        };
    }
    let mut at = statement.start;
    let mut labels = Vec::new();
    loop {
        let rest = &code[at..];
        let start = at + rest.len() - rest.trim_start().len();
        let length = code[start..].bytes().take_while(|byte| is_name(*byte)).count();
        let behind = code[start + length..].trim_start();
        if length == 0 || !behind.starts_with(':') {
            let end = start + code[start..].trim_end().len();
            return Parts {
                labels,
                rest: start..end,
            };
        }
        labels.push(start..start + length);
        at = code.len() - behind.len() + 1;
    }
}

/// The section that a directive begins; `None` if it begins none.
pub(super) fn section(directive: &str, operands: &str) -> Option<Section> {
    let named = |name: &str| match name {
        _ if UNREAD.iter().any(|unread| name.starts_with(unread)) => Section::Unread,
        _ if name.starts_with(".text") || name.starts_with(".init") || name.starts_with(".fini") => Section::Code,
        _ => Section::Data,
    };
    match directive {
        ".text" => Some(Section::Code),
        ".data" | ".bss" | ".rodata" => Some(Section::Data),
        ".section" | ".pushsection" => Some(named(operands.split([',', ' ', '\t']).next()?.trim_matches('"'))),
        _ => None,
    }
}

/// Whether a directive begins a section, or one that was left.
pub(super) fn begins_section(directive: &str, operands: &str) -> bool {
    section(directive, operands).is_some() || matches!(directive, ".popsection" | ".previous")
}

/// The names of a text.
#[derive(Default)]
pub(super) struct Found<'t> {
    /// Those that are used beside where they are defined and told of.
    pub(super) used: HashSet<&'t str>,
    pub(super) defined: HashSet<&'t str>,
    /// Those that are used and neither defined nor numbers, each with the line of its first use; and whether a branch
    /// leads there.
    pub(super) first_uses: BTreeMap<&'t str, (u32, bool)>,
    /// Those whose addresses are taken from a table of addresses.
    pub(super) by_table: BTreeSet<&'t str>,
}

/// The names that a text uses and defines. Those that MASM gives a meaning are noted in `taken`: in Intel syntax the
/// defined ones, in which registers have no mark; in AT&T syntax all.
pub(super) fn found<'t>(lines: &'t [Clean], notation: Notation, taken: &mut Taken<'_>) -> Found<'t> {
    let mut found = Found::default();
    let mut here = Section::Code;
    let mut att = notation.att;
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
            let (first, operands) = first_word(text, rest);
            let first = &text[first];
            att = syntax(first).unwrap_or(att);
            here = section(first, &text[operands.clone()]).unwrap_or(here);
            let own = match first {
                ".comm" | ".lcomm" | ".set" | ".equ" | ".equiv" => operands.clone(),
                _ if text[operands.clone()].starts_with('=') => statement.clone(),
                _ => 0..0,
            };
            if let Some(word) = words(text, own.clone()).first() {
                let name = &text[word.clone()];
                found.defined.insert(name);
                taken.define(name, att);
                let value = operands.start + text[operands.clone()].find([',', '=']).map_or(0, |at| at + 1);
                // The distance between two places is a number, too.
                let value = value..operands.end;
                let distance = text[value.clone()].contains('-') && words(text, value.clone()).len() > 1;
                if !first.ends_with("comm") && (distance || !names_place(text, value, taken)) {
                    taken.constants.insert(name.to_owned());
                }
            }
            if here == Section::Unread || is_telling(first) {
                continue;
            }
            let target = ["j", "call", "loop"].iter().any(|begin| first.starts_with(begin));
            let long = long_names(text, operands.clone(), att, target);
            for name in &long {
                let name = &text[name.clone()];
                found.used.insert(name);
                found.first_uses.entry(name).or_insert((*number, target));
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
                    found.first_uses.entry(name).or_insert((*number, branches));
                }
            }
        }
    }
    found
}

/// The names of C++ among operands, of which one may be the target of a branch.
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
