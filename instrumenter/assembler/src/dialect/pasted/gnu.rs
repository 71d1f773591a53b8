//! Source for GNU's assembler, as compilers write it: each statement as a line for MASM.
//!
//! What only describes the code is left out, with the labels that only such lines use. Sections become `.code` and
//! `.data`, and the names of data stand before the first of their values.

use super::att::{converted, unsized_integer};
use super::att_operand::split;
use super::clean::Clean;
use super::data::{alignment, definition, real};
use super::expression::{constant, edited, expression, expression_edits};
use super::found::{Found, assignment, found, is_telling, told_names};
use super::intel::edits;
use super::labels::{Parts, parts};
use super::placed::{data_statements, natural};
use super::position_independent::{THUNK, cell, not_known, subtraction};
use super::section::{DataSections, Section, Sections, is_of_sections, name};
use super::unknown::unknown;
use super::word::{first_word, words};
use super::{Notation, Taken, cxx, refused};
use crate::diag::Fault;
use crate::lex::{Made, marked};
use crate::module::weak_definition;
use crate::statement::Alignment;
use std::collections::HashSet;
use std::ops::Range;

/// The name of the start of data.
const DATA_START: &str = ".data.start";

/// The lines of a text for MASM, and why it cannot be read; what is told of it is added to `warnings`.
pub(super) fn lines(
    lines: &[Clean],
    notation: Notation,
    taken: &mut Taken<'_>,
    warnings: &mut Vec<Fault>,
) -> Result<Vec<Made>, Fault> {
    let found = found(lines, notation, taken);
    let data = data_statements(lines);
    let mut reading = Reading {
        found,
        taken,
        notation,
        sections: Sections::of(notation),
        given: Section::Code,
        names: Vec::new(),
        weak_code: HashSet::new(),
        section: ".text",
        data_sections: DataSections::None,
        warnings: Vec::new(),
        made: Vec::new(),
        aligns: data.is_some(),
    };
    let mut data = data.into_iter().flatten();
    for line in lines {
        for statement in &line.statements {
            if let Some(is_data) = data.next() {
                reading.sections.here = if is_data { Section::Data } else { Section::Code };
            }
            reading.statement(line.number, &line.text, statement.clone())?;
        }
    }
    reading.name_nothing();
    reading.sections.here = Section::Code;
    if reading.given != Section::Code {
        reading.begin(lines.last().map_or(1, |line| line.number), "");
    }
    reading.tables();
    reading.externals();
    warnings.append(&mut reading.warnings);
    Ok(reading.made)
}

struct Reading<'t, 'n> {
    found: Found<'t>,
    taken: &'t mut Taken<'n>,
    notation: Notation,
    sections: Sections,
    /// The section that the lines for MASM are in.
    given: Section,
    /// The labels of data that is still to come, each with its line.
    names: Vec<(u32, &'t str, Range<usize>)>,
    /// The name of the section that lines are in.
    section: &'t str,
    data_sections: DataSections<'t>,
    /// What is told of the text.
    warnings: Vec<Fault>,
    /// The names of code whose definitions give way to others.
    weak_code: HashSet<&'t str>,
    made: Vec<Made>,
    /// Whether data is aligned as compilers align it: the text has lost the directives.
    aligns: bool,
}

impl<'t> Reading<'t, '_> {
    fn statement(&mut self, number: u32, line: &'t str, statement: Range<usize>) -> Result<(), Fault> {
        let Parts { labels, rest } = parts(line, statement);
        let (first, operands) = first_word(line, rest.clone());
        let (word, values) = (&line[first.clone()], &line[operands.clone()]);
        if self.sections.here != Section::Unread {
            for label in labels {
                self.label(number, line, label);
            }
        }
        if word.is_empty() {
            return Ok(());
        }
        if is_of_sections(word, values) {
            self.name_nothing();
            self.sections.follow(word, values);
            self.section = match word {
                ".section" | ".pushsection" => name(values),
                _ => word,
            };
            return Ok(());
        }
        if let Some(refused) = refused(number, line, first) {
            return Err(refused);
        }
        if let Some((name, value)) = assignment(line, rest.clone()) {
            if self.sections.here != Section::Unread {
                self.equal(number, line, rest, &line[name], value);
            }
            return Ok(());
        }
        match word {
            ".intel_syntax" | ".att_syntax" => self.notation.att = word == ".att_syntax",
            ".globl" | ".global" if self.notation.leaves_names() => self.public(number, line, operands, false),
            ".weak" => self.public(number, line, operands, true),
            _ if self.sections.here == Section::Unread || is_telling(word) => {}
            ".comm" | ".lcomm" => self.common(number, line, rest, word, values),
            ".rept" => {
                self.name_nothing();
                let count = expression(line, operands, self.taken);
                self.begin(number, line).put(&format!("repeat {count}"), rest);
            }
            ".org" if self.sections.here == Section::Data && self.leads_on(number, line, &rest, operands.clone()) => {}
            ".endr" => self.begin(number, line).put("endm", rest),
            _ => match (definition(word, values), self.alignment(word, line, operands.clone())) {
                (Some(data), _) => self.data(number, line, (rest, operands), word, &data),
                (None, Some(text)) => {
                    // Names before it have the address before what it fills.
                    self.name_nothing();
                    self.begin(number, line).put(&text, rest);
                }
                (None, None) => {
                    self.name_nothing();
                    return self.instruction(number, line, rest);
                }
            },
        }
        Ok(())
    }

    /// `.org place, fill` in data: bytes up to a place that comes later, or up to this many bytes from the start of the
    /// section; whether that is known.
    fn leads_on(&mut self, number: u32, line: &'t str, rest: &Range<usize>, operands: Range<usize>) -> bool {
        let places = split(line, operands);
        let Some(place) = places.first().cloned() else {
            return false;
        };
        let is_number = constant(line, place.clone(), self.taken).is_some();
        if is_number && self.data_sections.and(self.section) == DataSections::Several {
            return false;
        }
        self.name_nothing();
        let start = if is_number {
            format!("{DATA_START}+")
        } else {
            String::new()
        };
        let place = expression(line, place, self.taken);
        let fill = places
            .get(1)
            .map_or("0".to_owned(), |fill| expression(line, fill.clone(), self.taken));
        self.begin(number, line)
            .put(&format!("db {start}{place}-$ dup ({fill})"), rest.clone());
        true
    }

    /// A directive that aligns, as MASM writes it.
    fn alignment(&self, directive: &str, line: &str, operands: Range<usize>) -> Option<String> {
        if !matches!(directive, ".align" | ".balign" | ".p2align") {
            return None;
        }
        let values = split(line, operands).into_iter();
        let values: Vec<Option<i64>> = values.map(|part| constant(line, part, self.taken)).collect();
        let Alignment { unit, most, fill } = alignment(directive, &values)?;
        /// The byte for which code is padded with instructions.
        const NOP: u8 = 0x90;
        let is_code = self.sections.here == Section::Code;
        Some(match fill.filter(|fill| !(is_code && *fill == NOP)) {
            Some(fill) => format!("align {unit}, {most}, {fill}"),
            None if most < unit => format!("align {unit}, {most}"),
            None => format!("align {unit}"),
        })
    }

    /// An instruction, or what only MASM can say of.
    fn instruction(&mut self, number: u32, line: &'t str, rest: Range<usize>) -> Result<(), Fault> {
        if let Some(text) = subtraction(line, rest.clone()) {
            let made = self.begin(number, line);
            made.put(&text, rest.clone());
            made.end(rest.end);
            return Ok(());
        }
        if let Some(fault) = not_known(line, number, &rest) {
            return Err(fault);
        }
        let is_own = |name: &str| self.found.defined.contains(name);
        if let Some(fault) = unknown(line, number, rest.clone(), self.notation, is_own) {
            return Err(fault);
        }
        if !self.notation.att {
            let made_edits = edits(line, rest.clone(), self.taken);
            self.begin(number, line).edit(line, rest, &made_edits);
            return Ok(());
        }
        let pieces = converted(line, rest.clone(), self.taken);
        if pieces.is_some()
            && let Some(warning) = unsized_integer(line, number, rest.clone())
        {
            self.warnings.push(warning);
        }
        let made = self.begin(number, line);
        match pieces {
            Some(pieces) => {
                pieces.into_iter().for_each(|(text, part)| made.put(&text, part));
                made.end(rest.end);
            }
            // The parser says what it is not.
            None => made.copy(line, rest),
        }
        Ok(())
    }

    /// Names that other modules see; the definitions of weak ones give way to others.
    fn public(&mut self, number: u32, line: &str, operands: Range<usize>, weak: bool) {
        let how = if weak { ".weak " } else { "" };
        for word in told_names(line, operands) {
            let name = &line[word.clone()];
            if self.found.defined.contains(name) || weak {
                let spelled = self.spelled(name);
                self.begin(number, line).put(&format!("public {how}{spelled}"), word);
            }
        }
    }

    fn spelled(&self, name: &str) -> String {
        self.taken.spelled(name).unwrap_or_else(|| name.to_owned())
    }

    /// A name where the text defines it. A definition in an object that gives way to others has a name of its own, so
    /// that what uses the name is left to the linker.
    fn own(&self, name: &str) -> String {
        match self.is_weak(name) {
            true => marked(&weak_definition(name)),
            false => self.spelled(name),
        }
    }

    fn is_weak(&self, name: &str) -> bool {
        self.notation.leaves_names() && self.found.weak.contains(name) && self.found.defined.contains(name)
    }

    /// The data that have the addresses of others, and the functions that return where they are called from.
    fn tables(&mut self) {
        let by_table = std::mem::take(&mut self.found.by_table);
        self.sections.here = Section::Data;
        for name in by_table {
            let number = self.found.first_uses.get(name).map_or(1, |(number, _)| *number);
            let spelled = self.taken.spelled(name).unwrap_or_else(|| name.to_owned());
            let made = self.begin(number, "");
            made.put(&format!("{} dd {spelled}", cell(name)), 0..0);
        }
        self.sections.here = Section::Code;
        let thunks: Vec<(String, u32)> = (self.found.first_uses.iter())
            .filter(|(name, _)| name.starts_with(THUNK) && !self.found.defined.contains(**name))
            .map(|(name, (number, _))| ((*name).to_owned(), *number))
            .collect();
        for (name, number) in thunks {
            let register = name.get(THUNK.len()..).unwrap_or_default();
            for text in [format!("{name}:"), format!("mov e{register}, [esp]"), "ret".to_owned()] {
                self.begin(number, "").put(&text, 0..0);
            }
        }
    }

    /// What an object leaves to others: whatever it uses and does not define, and what others may define in its place.
    /// A run leaves only what may be missing.
    fn externals(&mut self) {
        let Found {
            first_uses,
            weak,
            defined,
            ..
        } = &self.found;
        let outside = first_uses.iter().filter(|(name, _)| {
            let plain = !name.starts_with(".L") && !matches!(**name, "." | "_GLOBAL_OFFSET_TABLE_");
            plain && !defined.contains(**name) && (self.notation.leaves_names() || weak.contains(**name))
        });
        let outside = outside.map(|(name, (number, branches))| (*name, *number, *branches));
        let own = weak.iter().filter(|name| self.is_weak(name));
        let own = own.map(|name| {
            let branches = first_uses.get(name).is_some_and(|(_, branches)| *branches);
            (*name, 1, branches || self.weak_code.contains(name))
        });
        let lines: Vec<Made> = outside
            .chain(own)
            .map(|(name, number, is_code)| {
                let kind = if is_code { "near" } else { "byte" };
                let mut made = Made::new(number);
                made.put(&format!("extrn {}:{kind}", self.spelled(name)), 0..0);
                made
            })
            .collect();
        self.made.splice(0..0, lines);
    }

    /// A label: of code it stands by itself, of data before what it names.
    fn label(&mut self, number: u32, line: &'t str, label: Range<usize>) {
        let name = &line[label.clone()];
        if name.starts_with(".L") && !self.found.used.contains(name) {
            return;
        }
        let is_number = name.bytes().all(|byte| byte.is_ascii_digit());
        if self.sections.here != Section::Code && !is_number {
            self.names.push((number, line, label));
            return;
        }
        let spelled = match self.is_weak(name) {
            true => {
                self.weak_code.insert(name);
                Some(self.own(name))
            }
            false => self.taken.spelled(name),
        };
        let made = self.begin(number, line);
        match spelled {
            Some(spelled) => made.put(&spelled, label.clone()),
            None => made.copy(line, label.clone()),
        }
        made.put(":", label);
    }

    /// Begins a line for MASM in the section where it belongs.
    fn begin(&mut self, number: u32, line: &str) -> &mut Made {
        if self.given != self.sections.here {
            let mut section = |text: &str| {
                let mut made = Made::new(number);
                made.put(text, 0..line.len());
                self.made.push(made);
            };
            if let Section::Functions(list) = self.given {
                section(&format!("{} ends", self.sections.name(list)));
            }
            self.given = self.sections.here;
            match self.given {
                Section::Code => section(".code"),
                Section::Functions(list) => {
                    let name = self.sections.name(list);
                    section(&format!("{name} segment dword public use32 'DATA'"));
                }
                _ => {
                    section(".data");
                    if self.data_sections == DataSections::None && self.found.leads_on {
                        section(&format!("{DATA_START} label byte"));
                    }
                }
            }
        }
        if self.sections.here == Section::Data {
            self.data_sections = self.data_sections.and(self.section);
        }
        self.made.push(Made::new(number));
        let last = self.made.len() - 1;
        &mut self.made[last]
    }

    /// Data, with the last of its names before it.
    fn data(
        &mut self,
        number: u32,
        line: &str,
        (rest, operands): (Range<usize>, Range<usize>),
        directive: &str,
        data: &str,
    ) {
        // Each value has an address of its own, which a dot among several is.
        let parts = split(line, operands.clone());
        let is_here = |part: &Range<usize>| words(line, part.clone()).iter().any(|word| &line[word.clone()] == ".");
        if !data.contains('(') && parts.iter().skip(1).any(is_here) {
            for part in parts {
                let one = definition(directive, &line[part.clone()]).unwrap_or_default();
                self.data(number, line, (part.clone(), part), directive, &one);
            }
            return;
        }
        let name = self.names.pop();
        self.name_nothing();
        if let Some(unit) = natural(data).filter(|_| self.aligns && name.is_some()) {
            self.begin(number, line).put(&format!("align {unit}"), rest.clone());
        }
        let spelled = name.map(|(number, text, label)| (number, text[label.clone()].to_owned(), label));
        let own = spelled.map(|(of, name, label)| (of, self.own(&name), label));
        let values = &line[operands.clone()];
        let reals = matches!(directive, ".float" | ".single" | ".double");
        let renamed = match reals {
            true => {
                let double = directive == ".double";
                let made = |part: Range<usize>| real(&line[part.clone()], double).map(|made| (part, made));
                parts.into_iter().filter_map(made).collect()
            }
            false => expression_edits(line, operands.clone(), self.taken),
        };
        // Names among the values keep their places.
        let word = data.strip_suffix(values.trim()).filter(|word| !word.contains('('));
        let computed = (word.is_none() && !values.starts_with('"'))
            .then(|| definition(directive, &edited(values, operands.start, &renamed)))
            .flatten();
        let made = self.begin(number, line);
        if let Some((of, name, label)) = own {
            made.put_of(of, &format!("{name} "), label);
        }
        match word {
            Some(word) => {
                made.put(word, rest.start..operands.start);
                made.edit(line, operands, &renamed);
            }
            None => made.put(computed.as_deref().unwrap_or(data), rest),
        }
    }

    /// Names of data that does not come, or that has another name after them.
    fn name_nothing(&mut self) {
        for (number, line, label) in std::mem::take(&mut self.names) {
            let spelled = self.own(&line[label.clone()]);
            let made = self.begin(number, line);
            made.put(&format!("{spelled} label byte"), label);
        }
    }

    /// `.comm name,size,alignment`: data of zeros, which all modules share that have it unless it is said to be local.
    fn common(&mut self, number: u32, line: &str, rest: Range<usize>, directive: &str, values: &str) {
        let mut parts = values.split(',').map(str::trim);
        let (Some(name), Some(size)) = (parts.next(), parts.next()) else {
            return self.begin(number, line).copy(line, rest);
        };
        let spelled = self.spelled(name);
        let number_of = |text: &str| constant(text, 0..text.len(), self.taken);
        let given = parts.next().map(|value| alignment(".balign", &[number_of(value)]));
        if let Some(None) = given {
            return self.begin(number, line).copy(line, rest);
        }
        let unit = given.flatten().map(|one| one.unit);
        if directive == ".comm" && !self.found.local.contains(name) {
            /// What data is aligned to at most where the text does not say.
            const MOST: u32 = 16;
            let bytes = number_of(size).and_then(|size| u32::try_from(size).ok());
            let usual = bytes.map_or(1, |bytes| bytes.clamp(1, MOST).next_power_of_two());
            let text = format!("comm .aligned {} {spelled}:byte:{size}", unit.unwrap_or(usual));
            return self.begin(number, line).put(&text, rest);
        }
        // It lies apart from what the names before it name.
        self.name_nothing();
        let back = std::mem::replace(&mut self.sections.here, Section::Data);
        if let Some(unit) = unit {
            self.begin(number, line).put(&format!("align {unit}"), rest.clone());
        }
        self.begin(number, line)
            .put(&format!("{spelled} db {size} dup (0)"), rest);
        self.sections.here = back;
    }

    /// A number, or another name.
    fn equal(&mut self, number: u32, line: &'t str, rest: Range<usize>, name: &'t str, value: Range<usize>) {
        let spelled = self.own(name);
        if self.weak_code.contains(&line[value.clone()]) {
            self.weak_code.insert(name);
        }
        let known = constant(line, value.clone(), self.taken);
        let is_here = words(line, value.clone()).iter().any(|word| &line[word.clone()] == ".");
        let value = match cxx::is_cxx(&line[value.clone()]) {
            // Another name for a definition that gives way is one for that definition.
            _ if self.is_weak(&line[value.clone()]) => self.own(&line[value]),
            true => marked(&line[value]),
            false => expression(line, value, self.taken),
        };
        // The value may have the name itself, which has its new one from here on.
        self.taken.give(name, known);
        let value = value.trim();
        // A name alone would be a text of MASM, which is known from here on only.
        let is_name = value.starts_with(|first: char| !first.is_ascii_digit()) && !value.contains(['+', '-', '(']);
        let made = match self.taken.constants.contains(name) || is_here {
            true => format!("{spelled} = {value}"),
            false if is_name => format!("{spelled} equ {value}+0"),
            false => format!("{spelled} equ {value}"),
        };
        self.begin(number, line).put(&made, rest);
    }
}
