//! Dialects: how lines are parsed. No later layer distinguishes dialects.
//!
//! A dialect is a table of functions. It turns a line into statements and never changes the program or the expander: it
//! may only read their state, because the meaning of a line depends on its names. The user's files and macro bodies are
//! read in the user's dialect, those of the bundled library in the library's.

mod foreign;
mod inline;
mod masm;
mod modes;
mod nasm;
mod parser;
mod pasted;
mod reach;
mod recognised;
mod toy;

pub(crate) use modes::Modes;
pub(crate) use parser::{Parser, named};
pub(crate) use pasted::{Among, Pasted};
pub use pasted::{Spelling, att_in_intel, intel_in_att};
pub(crate) use reach::Reach;
pub use toy::TOY;

/// The words alone: with its table, the tests of instructions would have the whole assembler compiled.
#[cfg(test)]
pub(crate) use masm::wording::wording;

use foreign::Sign;

use crate::diag::{Fault, Span, fault};
use crate::expand::{Body, BodyWord, Collected, Expander, Syntax};
use crate::lex::{Cursor, Line, Notation, Token, lex};
use crate::names::{NameId, Names};
use crate::program::Program;
use crate::remedy::Remedy;
use crate::session::Session;
use crate::statement::{SegmentNames, Signature, Statement};
use std::fmt;

/// Every dialect, for [`Options::dialect`](crate::Options::dialect).
pub static DIALECTS: &[&Dialect] = &[&masm::MASM, &nasm::NASM];

pub(crate) fn of_library() -> &'static Dialect {
    &masm::MASM
}

/// A notation of assembly source, as a table of functions.
pub struct Dialect {
    /// The short name, in lower case.
    pub name: &'static str,
    /// The state before the first line. The library's dialect comes first, before any other name is interned.
    pub(crate) modes: fn(&mut Names) -> Modes,
    pub(crate) segments: SegmentNames,
    /// Whether names that differ only in case differ.
    pub(crate) by_case: bool,
    /// Prepares the program for sources in this dialect.
    pub(crate) prepare: fn(&mut Program),
    /// The other dialect that a text is plainly written in.
    pub(crate) other: fn(&str) -> Option<&'static Dialect>,
    /// The other dialect that a text may be written in, if it has errors in this one, and how it would plainly be.
    pub(crate) perhaps: fn(&str) -> Option<(&'static Dialect, &'static str)>,
    /// Defines what is known before the first line of the file called so.
    pub(crate) predefine: fn(&mut Session, &mut Program, &mut Expander, &str),
    /// Lexes a line up to its comment.
    pub(crate) tokens: fn(&Modes, &mut Names, &str, &mut Vec<Token>),
    /// Classifies lines before they are parsed as statements.
    pub(crate) syntax: Syntax,
    /// The substitution to make in a line before it is parsed.
    pub(crate) substitute: fn(&mut Parser<'_>, &Line, &[Token]) -> Result<Substitution, Fault>,
    /// The next statement of a line; `None` at its end.
    pub(crate) statement: for<'l> fn(&mut Parser<'_>, &mut Cursor<'l>) -> Parsed<'l>,
    /// Whether statements of a line that was read to its end are still pending.
    pub(crate) has_more: fn(&Modes) -> bool,
    /// Drops the pending statements of a line after an error.
    pub(crate) abandon_line: fn(&mut Modes),
    /// The statement of a skipped line; only conditional assembly matters.
    pub(crate) skipped: fn(&mut Parser<'_>, &Line, &mut Vec<Token>) -> Parsed<'static>,
    /// The constructions by which source in this dialect is recognised, even with errors in it.
    pub(crate) signs: &'static [Sign],
    /// Reads a text that compilers or disassemblers print as lines of another dialect: that of its second value.
    pub(crate) pasted: ReadWhole,
    /// What seems to be code in a comment of some lines.
    pub(crate) commented: fn(&str) -> Option<Fault>,
    /// Builds a body from its collected lines. The body of a macro may begin with local names.
    pub(crate) body: fn(&mut Names, Signature, &Collected, bool) -> Body,
    /// The numeric value of an expression in separate text.
    pub(crate) number: fn(&mut Parser<'_>, &str, Span) -> Result<i64, Fault>,
    /// The name that a line defines as a macro, a text macro or a number, from its first words alone.
    pub(crate) defined_name: fn(&mut Names, &str) -> Option<DefinedName>,
    /// Reports constructs that are still open after the last line, and defines the names that they would have defined.
    pub(crate) close: fn(&mut Session, &mut Program, &mut Modes),
    pub(crate) wording: fn(&Remedy) -> String,
}

impl fmt::Debug for Dialect {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name)
    }
}

/// Reads a text as a whole; `None` if it is not one that is read so.
pub(crate) type ReadWhole = fn(&str, Among, &mut dyn Reach) -> Option<(Pasted, &'static Dialect)>;

pub(crate) type Parsed<'l> = Result<Option<Statement<'l>>, Fault>;

impl Dialect {
    /// The dialect that is used unless the options choose another.
    pub(crate) fn by_default() -> &'static Dialect {
        &masm::MASM
    }

    /// The dialect of a text: this one, unless it is plainly written in another.
    pub fn of_text(&'static self, text: &str) -> &'static Dialect {
        (self.other)(text).unwrap_or(self)
    }

    /// How a text that is read in this dialect writes its instructions.
    pub fn spelling(&self, text: &str) -> Spelling {
        Spelling::of(text, self.signs)
    }

    /// A dialect of decimal numbers and `;` comments that parses every line by itself. It has no keywords, modes,
    /// substitutions, macro definitions and conditions.
    pub(crate) const fn new(
        name: &'static str,
        statement: for<'l> fn(&mut Parser<'_>, &mut Cursor<'l>) -> Parsed<'l>,
    ) -> Dialect {
        Dialect {
            name,
            modes: |_| Modes::new(()),
            segments: SegmentNames {
                code: "code",
                data: "data",
                uninitialised: "zeroes",
                constants: "constants",
                far: "far_data",
                stack: "stack",
                group: "data_group",
                current: None,
            },
            by_case: false,
            prepare: |_| {},
            other: |_| None,
            perhaps: |_| None,
            predefine: |_, _, _, _| {},
            tokens: |_, names, text, tokens| lex(text, &Notation::PLAIN, 10, names, tokens),
            syntax: Syntax {
                continues: |_, _, _| None,
                body_word: |_, _| BodyWord::Other,
                first_text: |lines| {
                    let mut at = 0;
                    lines.split_inclusive('\n').find_map(|line| {
                        at += line.len();
                        let text = line.trim_start();
                        (!text.is_empty() && !text.starts_with(';')).then(|| at - text.len())
                    })
                },
            },
            substitute: |_, _, _| Ok(Substitution::None),
            statement,
            has_more: |_| false,
            abandon_line: |_| {},
            skipped: |_, _, _| Ok(None),
            signs: &[],
            pasted: |_, _, _| None,
            commented: |_| None,
            body: |_, signature, kept, _| Body::new(signature, kept),
            number: |_, text, span| {
                let number = text.trim().parse();
                number.map_err(|_| fault(span, format!("`{}` is not a number", text.trim())))
            },
            defined_name: |_, _| None,
            close: |_, _, _| {},
            wording: Remedy::plain,
        }
    }
}

pub(crate) struct DefinedName {
    pub(crate) name: NameId,
    pub(crate) is_macro: bool,
}

pub(crate) enum Substitution {
    None,
    /// The line is replaced by this one.
    Pasted(Line),
    /// The bytes from `start` to `end` call a macro function.
    Call {
        name: NameId,
        arguments: Vec<String>,
        span: Span,
        start: usize,
        end: usize,
    },
    /// The line uses this name of the bundled library, which must be read first.
    Library,
}
