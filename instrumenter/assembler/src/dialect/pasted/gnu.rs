//! Source for GNU's assembler, as compilers write it: each statement as a line for MASM.
//!
//! What only describes the code is left out, with the labels that only such lines use. Sections become `.code` and
//! `.data`, and the names of data stand before the first of their values.

use super::att::converted;
use super::att_operand::split;
use super::clean::Clean;
use super::data::{alignment, definition, real};
use super::expression::{constant, edited, expression, expression_edits};
use super::found::{Found, Parts, assignment, found, is_telling, parts};
use super::intel::edits;
use super::placed::{data_statements, natural};
use super::position_independent::{THUNK, cell, not_known, subtraction};
use super::section::{Section, Sections, is_of_sections};
use super::unknown::unknown;
use super::word::{first_word, words};
use super::{Notation, Taken, cxx, refused};
use crate::diag::Fault;
use crate::lex::{Made, marked};
use crate::statement::Alignment;
use std::ops::Range;

/// The lines of a text for MASM, and its faults.
pub(super) fn lines(lines: &[Clean], notation: Notation, taken: &mut Taken<'_>) -> Result<Vec<Made>, Fault> {
    let found = found(lines, notation, taken);
    let data = data_statements(lines);
    let mut reading = Reading {
        found,
        taken,
        notation,
        sections: Sections::new(),
        given: Section::Code,
        names: Vec::new(),
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
    reading.tables();
    reading.externals();
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
            ".globl" | ".global" if self.notation.module => self.public(number, line, operands),
            _ if self.sections.here == Section::Unread || is_telling(word) => {}
            ".comm" | ".lcomm" => self.common(number, line, rest, values),
            ".rept" => {
                let count = expression(line, operands, self.taken);
                self.begin(number, line).put(&format!("repeat {count}"), rest);
            }
            ".endr" => self.begin(number, line).put("endm", rest),
            _ => match (definition(word, values), self.alignment(word, line, operands.clone())) {
                (Some(data), _) => self.data(number, line, (rest, operands), word, &data),
                (None, Some(text)) => self.begin(number, line).put(&text, rest),
                (None, None) => {
                    self.name_nothing();
                    return self.instruction(number, line, rest);
                }
            },
        }
        Ok(())
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
        if let Some(fault) = unknown(line, number, rest.clone(), self.notation.att, is_own) {
            return Err(fault);
        }
        if !self.notation.att {
            let made_edits = edits(line, rest.clone(), self.taken);
            self.begin(number, line).edit(line, rest, &made_edits);
            return Ok(());
        }
        let pieces = converted(line, rest.clone(), self.taken);
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

    /// What other modules see.
    fn public(&mut self, number: u32, line: &str, operands: Range<usize>) {
        let names = match cxx::is_cxx(&line[operands.clone()]) {
            true => vec![operands],
            false => words(line, operands),
        };
        for word in names {
            let name = &line[word.clone()];
            if self.found.defined.contains(name) {
                let spelled = self.taken.spelled(name).unwrap_or_else(|| name.to_owned());
                self.begin(number, line).put(&format!("public {spelled}"), word);
            }
        }
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

    /// What an object leaves to others: whatever it uses and does not define.
    fn externals(&mut self) {
        if !self.notation.module {
            return;
        }
        let outside = self.found.first_uses.iter().filter(|(name, _)| {
            let plain = !name.starts_with(".L") && !matches!(**name, "." | "_GLOBAL_OFFSET_TABLE_");
            plain && !self.found.defined.contains(**name)
        });
        let lines: Vec<Made> = outside
            .map(|(name, (number, branches))| {
                let spelled = self.taken.spelled(name).unwrap_or_else(|| (*name).to_owned());
                let kind = if *branches { "near" } else { "byte" };
                let mut made = Made::new(*number);
                made.put(&format!("extrn {spelled}:{kind}"), 0..0);
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
        if self.sections.here == Section::Data && !is_number {
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
        if self.given != self.sections.here {
            self.given = self.sections.here;
            let mut made = Made::new(number);
            let word = if self.sections.here == Section::Code {
                ".code"
            } else {
                ".data"
            };
            made.put(word, 0..line.len());
            self.made.push(made);
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
        let own = spelled.map(|(of, name, label)| (of, self.taken.spelled(&name).unwrap_or(name), label));
        let values = &line[operands.clone()];
        let reals = matches!(directive, ".float" | ".single" | ".double");
        let renamed = match reals {
            true => {
                let made = |part: Range<usize>| real(&line[part.clone()]).map(|made| (part, made));
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
        let back = std::mem::replace(&mut self.sections.here, Section::Data);
        let unit = parts.next().and_then(|unit| constant(unit, 0..unit.len(), self.taken));
        if let Some(Alignment { unit, .. }) = alignment(".balign", &[unit]) {
            self.begin(number, line).put(&format!("align {unit}"), rest.clone());
        }
        self.begin(number, line)
            .put(&format!("{spelled} db {size} dup (0)"), rest);
        self.sections.here = back;
    }

    /// A number, or another name.
    fn equal(&mut self, number: u32, line: &str, rest: Range<usize>, name: &str, value: Range<usize>) {
        let spelled = self.taken.spelled(name).unwrap_or_else(|| name.to_owned());
        self.taken.give(name, constant(line, value.clone(), self.taken));
        let is_here = words(line, value.clone()).iter().any(|word| &line[word.clone()] == ".");
        let value = match cxx::is_cxx(&line[value.clone()]) {
            true => marked(&line[value]),
            false => expression(line, value, self.taken),
        };
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
