//! Source for GNU's assembler in Intel syntax, as compilers write it: each line as one for MASM.
//!
//! What only describes the code is left out, with the labels that only such lines use. Sections become `.code` and
//! `.data`, and the names of data stand before the first of their values.

use super::code::{edits, first_word, is_name, words};
use super::data::{alignment, definition};
use super::{Taken, uncommented};
use crate::lex::Made;
use std::collections::HashSet;
use std::ops::Range;

/// The directives that tell other tools of the code. Those that begin with `.cfi_` do, too.
const TELLING: [&str; 34] = [
    ".file",
    ".loc",
    ".ident",
    ".size",
    ".type",
    ".globl",
    ".global",
    ".local",
    ".weak",
    ".hidden",
    ".protected",
    ".internal",
    ".intel_syntax",
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
enum Section {
    Code,
    Data,
    Unread,
}

/// The parts of a line: labels, by the places of their names, and the rest, without blanks around it.
struct Parts {
    labels: Vec<Range<usize>>,
    rest: Range<usize>,
}

fn parts(line: &str) -> Parts {
    let code = uncommented(line);
    let mut at = 0;
    let mut labels = Vec::new();
    loop {
        let rest = &code[at..];
        let start = at + rest.len() - rest.trim_start().len();
        let length = code[start..].bytes().take_while(|byte| is_name(*byte)).count();
        let behind = code[start + length..].trim_start();
        if length == 0 || !behind.starts_with(':') {
            let end = start + code[start..].trim_end().len();
            let is_comment = ["//", "/*"].iter().any(|mark| code[start..].starts_with(mark));
            return Parts {
                labels,
                rest: start..if is_comment { start } else { end },
            };
        }
        labels.push(start..start + length);
        at = code.len() - behind.len() + 1;
    }
}

/// The section that a directive begins; `None` if it begins none.
fn section(directive: &str, operands: &str) -> Option<Section> {
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

/// The names that a text uses beside where it defines them and tells of them.
fn used<'t>(text: &'t str, taken: &mut Taken<'_>) -> HashSet<&'t str> {
    let mut used = HashSet::new();
    let mut here = Section::Code;
    for line in text.lines() {
        let Parts { labels, rest } = parts(line);
        labels.into_iter().for_each(|label| taken.define(&line[label]));
        let (first, operands) = first_word(line, rest);
        let first = &line[first];
        here = section(first, &line[operands.clone()]).unwrap_or(here);
        if here != Section::Unread && !is_telling(first) {
            used.extend(words(line, operands).into_iter().map(|word| &line[word]));
        }
    }
    used
}

fn is_telling(word: &str) -> bool {
    word.starts_with(".cfi_") || TELLING.contains(&word)
}

/// The lines of a text for MASM.
pub(super) fn lines(text: &str, taken: &mut Taken<'_>) -> Vec<Made> {
    let used = used(text, taken);
    let mut reading = Reading {
        used,
        taken,
        here: Section::Code,
        before: Vec::new(),
        given: Section::Code,
        names: Vec::new(),
        made: Vec::new(),
    };
    for (number, line) in (1..).zip(text.lines()) {
        reading.line(number, line);
    }
    reading.name_nothing();
    reading.made
}

struct Reading<'t, 'n> {
    used: HashSet<&'t str>,
    taken: &'t Taken<'n>,
    here: Section,
    /// The sections before those that may be left again.
    before: Vec<Section>,
    /// The section that the lines for MASM are in.
    given: Section,
    /// The labels of data that is still to come, each with its line.
    names: Vec<(u32, &'t str, Range<usize>)>,
    made: Vec<Made>,
}

impl<'t> Reading<'t, '_> {
    fn line(&mut self, number: u32, line: &'t str) {
        let Parts { labels, rest } = parts(line);
        let (first, operands) = first_word(line, rest.clone());
        let (word, values) = (&line[first], &line[operands.clone()]);
        if self.here != Section::Unread {
            for label in labels {
                self.label(number, line, label);
            }
        }
        if word.is_empty() {
            return;
        }
        if let Some(begun) = section(word, values) {
            self.name_nothing();
            if word == ".pushsection" {
                self.before.push(self.here);
            } else {
                self.before = vec![self.here];
            }
            self.here = begun;
            return;
        }
        match word {
            ".popsection" | ".previous" => {
                self.name_nothing();
                self.here = self.before.pop().unwrap_or(Section::Code);
            }
            _ if self.here == Section::Unread || is_telling(word) => {}
            ".comm" | ".lcomm" => self.common(number, line, rest, values),
            ".set" | ".equ" => self.equal(number, line, rest, values),
            _ => match (definition(word, values), alignment(word, values)) {
                (Some(data), _) => self.data(number, line, (rest, operands), &data),
                (None, Some((unit, most))) => {
                    let text = match most {
                        Some(most) if most < unit => format!("align {unit}, {most}"),
                        _ => format!("align {unit}"),
                    };
                    self.begin(number, line).put(&text, rest);
                }
                (None, None) => {
                    self.name_nothing();
                    let made_edits = edits(line, rest.clone(), self.taken);
                    let made = self.begin(number, line);
                    made.edit(line, rest, &made_edits);
                }
            },
        }
    }

    /// A label: of code it stands by itself, of data before what it names.
    fn label(&mut self, number: u32, line: &'t str, label: Range<usize>) {
        let name = &line[label.clone()];
        if name.starts_with(".L") && !self.used.contains(name) {
            return;
        }
        if self.here == Section::Data {
            self.names.push((number, line, label));
            return;
        }
        let spelled = self.taken.spelled(name);
        let made = self.begin(number, line);
        match spelled {
            Some(spelled) => made.put(&spelled, label.clone()),
            None => made.copy(line, label.clone()),
        }
        made.put(":", label);
    }

    /// Begins a line for MASM in the section where it belongs.
    fn begin(&mut self, number: u32, line: &str) -> &mut Made {
        if self.given != self.here {
            self.given = self.here;
            let mut made = Made::new(number);
            let word = if self.here == Section::Code { ".code" } else { ".data" };
            made.put(word, 0..line.len());
            self.made.push(made);
        }
        self.made.push(Made::new(number));
        let last = self.made.len() - 1;
        &mut self.made[last]
    }

    /// Data, with the last of its names before it.
    fn data(&mut self, number: u32, line: &str, (rest, operands): (Range<usize>, Range<usize>), data: &str) {
        let name = self.names.pop();
        self.name_nothing();
        let spelled = name.map(|(number, text, label)| (number, text[label.clone()].to_owned(), label));
        let own = spelled.map(|(of, name, label)| (of, self.taken.spelled(&name).unwrap_or(name), label));
        let values = &line[operands.clone()];
        // Names among the values keep their places.
        let word = data.strip_suffix(values.trim()).filter(|word| !word.contains('('));
        let renamed: Vec<(Range<usize>, String)> = words(line, operands.clone())
            .into_iter()
            .filter_map(|word| Some((word.clone(), self.taken.spelled(&line[word])?)))
            .collect();
        let made = self.begin(number, line);
        if let Some((of, name, label)) = own {
            made.put_of(of, &format!("{name} "), label);
        }
        match word {
            Some(word) => {
                made.put(word, rest.start..operands.start);
                made.edit(line, operands, &renamed);
            }
            None => made.put(data, rest),
        }
    }

    /// Names of data that does not come, or that has another name behind them.
    fn name_nothing(&mut self) {
        for (number, line, label) in std::mem::take(&mut self.names) {
            let name = &line[label.clone()];
            let spelled = self.taken.spelled(name).unwrap_or_else(|| name.to_owned());
            let made = self.begin(number, line);
            made.put(&format!("{spelled} label byte"), label);
        }
    }

    /// `.comm name,size,alignment`: data of zeros.
    fn common(&mut self, number: u32, line: &str, rest: Range<usize>, values: &str) {
        let mut parts = values.split(',').map(str::trim);
        let (Some(name), Some(size)) = (parts.next(), parts.next()) else {
            return self.begin(number, line).copy(line, rest);
        };
        let spelled = self.taken.spelled(name).unwrap_or_else(|| name.to_owned());
        let back = std::mem::replace(&mut self.here, Section::Data);
        if let Some((unit, _)) = parts.next().and_then(|unit| alignment(".balign", unit)) {
            self.begin(number, line).put(&format!("align {unit}"), rest.clone());
        }
        self.begin(number, line)
            .put(&format!("{spelled} db {size} dup (0)"), rest);
        self.here = back;
    }

    /// `.set name, value`: a number, or another name.
    fn equal(&mut self, number: u32, line: &str, rest: Range<usize>, values: &str) {
        let made = match values.split_once(',') {
            Some((name, value)) if value.trim().parse::<i64>().is_ok() => format!("{} = {}", name.trim(), value.trim()),
            Some((name, value)) => format!("{} equ {}", name.trim(), value.trim()),
            None => return self.begin(number, line).copy(line, rest),
        };
        self.begin(number, line).put(&made, rest);
    }
}
