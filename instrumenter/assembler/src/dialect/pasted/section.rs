//! The sections of a source for GNU's assembler: which one its lines are in, with both ways back to an earlier one.

use super::Notation;
use super::clean::Clean;
use super::labels::parts;
use super::word::first_word;
use crate::diag::{Fault, Span, fault};
use crate::module::{lists_functions, not_called as not_called_in};
use std::collections::HashMap;

/// The sections that only other tools read, by the beginnings of their names.
const UNREAD: [&str; 8] = [
    ".note",
    ".comment",
    ".debug",
    ".eh_frame",
    ".gcc_except",
    ".llvm",
    ".stab",
    ".gnu",
];
/// The sections of code, by the beginnings of their names. Early compilers of C++ put inline functions into the last of
/// them, of which a linker keeps one.
const CODE: [&str; 2] = [".text", ".gnu.linkonce.t."];
/// Sections of data of the same kind.
const OF_ONE: [&str; 5] = [
    ".gnu.linkonce.d.",
    ".gnu.linkonce.r.",
    ".gnu.linkonce.b.",
    ".gnu.linkonce.s.",
    ".gnu.linkonce.sb.",
];

/// Where lines go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Section {
    Code,
    Data,
    /// A list of functions that run before or after the program: the number of its name.
    Functions(u32),
    Unread,
}

impl Section {
    fn named(name: &str) -> Section {
        let begins = |with: &[&str]| with.iter().any(|begin| name.starts_with(begin));
        match name {
            ".init" | ".fini" => Section::Code,
            _ if begins(&CODE) => Section::Code,
            _ if begins(&OF_ONE) => Section::Data,
            _ if lists_functions(name).is_some() => Section::Functions(0),
            _ if begins(&UNREAD) => Section::Unread,
            _ => Section::Data,
        }
    }
}

/// The sections of data of a text, which have one segment here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataSections<'t> {
    None,
    /// One with this name.
    One(&'t str),
    /// Several, so that no offset from the start of one is known.
    Several,
}

impl<'t> DataSections<'t> {
    /// These, with the one of this name.
    pub(super) fn and(self, name: &'t str) -> DataSections<'t> {
        match self {
            DataSections::None => DataSections::One(name),
            DataSections::One(first) if first == name => self,
            _ => DataSections::Several,
        }
    }
}

/// The section that lines are in, the one before it, to which `.previous` leads, and those that `.popsection` leads to.
#[derive(Clone, Debug)]
pub(super) struct Sections {
    pub(super) here: Section,
    previous: Section,
    pushed: Vec<(Section, Section)>,
    /// Whether lists of functions are read: an object has them, and a run does without.
    keeps_functions: bool,
    /// The names of those lists.
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Sections {
    pub(super) fn of(notation: Notation) -> Sections {
        Sections {
            here: Section::Code,
            previous: Section::Code,
            pushed: Vec::new(),
            keeps_functions: notation.is_module(),
            names: Vec::new(),
            numbers: HashMap::new(),
        }
    }

    /// The name of a list of functions.
    pub(super) fn name(&self, list: u32) -> &str {
        self.names.get(list as usize).map_or("", |name| name)
    }

    /// Follows a directive that begins or leaves a section; whether it is one.
    pub(super) fn follow(&mut self, directive: &str, operands: &str) -> bool {
        let begun = match directive {
            ".previous" => self.previous,
            ".popsection" => {
                if let Some((here, previous)) = self.pushed.pop() {
                    (self.here, self.previous) = (here, previous);
                }
                return true;
            }
            _ => match begun(directive, operands) {
                Some(Section::Functions(_)) => self.functions(name(operands)),
                Some(begun) => begun,
                None => return false,
            },
        };
        if directive == ".pushsection" {
            self.pushed.push((self.here, self.previous));
        }
        self.previous = std::mem::replace(&mut self.here, begun);
        true
    }

    /// The list of functions with this name.
    fn functions(&mut self, name: &str) -> Section {
        if !self.keeps_functions {
            return Section::Unread;
        }
        let number = self.numbers.get(name).copied().unwrap_or_else(|| {
            let number = self.names.len() as u32;
            self.names.push(name.to_owned());
            self.numbers.insert(name.to_owned(), number);
            number
        });
        Section::Functions(number)
    }
}

/// The name among the operands of a directive that begins a section.
pub(super) fn name(operands: &str) -> &str {
    operands
        .split([',', ' ', '\t'])
        .next()
        .unwrap_or_default()
        .trim_matches('"')
}

/// What is told of a text that lists functions to be called before or after `main`: the first line that does.
pub(super) fn not_called(lines: &[Clean]) -> Option<Fault> {
    lines.iter().find_map(|line| {
        line.statements.iter().find_map(|statement| {
            let rest = parts(&line.text, statement.clone()).rest;
            let (word, operands) = first_word(&line.text, rest.clone());
            let operands = &line.text[operands];
            let begins = begun(&line.text[word], operands);
            let (message, help) =
                not_called_in(name(operands)).filter(|_| matches!(begins, Some(Section::Functions(_))))?;
            Some(fault(Span::of(line.number, &rest), message).with_help(help))
        })
    })
}

/// The section that a directive begins; `None` if it begins none.
fn begun(directive: &str, operands: &str) -> Option<Section> {
    match directive {
        ".text" => Some(Section::Code),
        ".data" | ".bss" | ".rodata" => Some(Section::Data),
        ".section" | ".pushsection" => Some(Section::named(name(operands))),
        _ => None,
    }
}

/// Whether a directive begins a section, or leads back to one.
pub(super) fn is_of_sections(directive: &str, operands: &str) -> bool {
    begun(directive, operands).is_some() || matches!(directive, ".popsection" | ".previous")
}

#[cfg(test)]
mod tests {
    use super::super::{Among, Notation};
    use super::{Section, Sections};

    #[test]
    fn both_ways_lead_back_as_in_gnus_assembler() {
        let mut sections = Sections::of(Notation {
            of_rustc: false,
            att: true,
            among: Among::Modules,
        });
        for (line, here) in [
            ("nop", Section::Code),
            (".pushsection .debug_str,\"MS\"", Section::Unread),
            (".section .rodata", Section::Data),
            (".previous", Section::Unread),
            (".popsection", Section::Code),
            (".section .note.x", Section::Unread),
            (".previous", Section::Code),
            (".previous", Section::Unread),
            (".section .gnu.linkonce.t._ZN1A1fEv,\"ax\"", Section::Code),
            (".section .gnu.linkonce.r.x", Section::Data),
            (".section .gnu.linkonce.wi.x", Section::Unread),
            (".section .init_array,\"aw\"", Section::Functions(0)),
            (".section .ctors.65435", Section::Functions(1)),
            (".section .init_array", Section::Functions(0)),
            (".section .init", Section::Code),
            (".section \".text.f\"", Section::Code),
            (".popsection", Section::Code),
        ] {
            let (directive, operands) = line.split_once(' ').unwrap_or((line, ""));
            sections.follow(directive, operands);
            assert_eq!(sections.here, here, "{line}");
        }
    }
}
