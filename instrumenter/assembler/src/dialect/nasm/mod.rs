//! NASM: whole programs, read line by line as NASM reads them.
//!
//! `tokens` has numbers and strings, `expression` the operators, `address` what stands in brackets, `instruction` and
//! `data` lines of code and of data, `section` where they go, `structure` offsets of fields, `statement` which of
//! these a line is. Of the preprocessor `single` has the macros within a line, `arguments` what they take, `lines`
//! those of several lines, `directive` the words with a percent sign, `condition` those that leave lines out,
//! `substitute` what a line becomes before it is parsed. `written` tells which texts are for NASM, `fragment` has a
//! few instructions without a program around them. What NASM has and this does not is refused by its name.

mod address;
mod arguments;
mod condition;
mod data;
mod directive;
mod expression;
pub(super) mod fragment;
mod instruction;
mod lines;
mod section;
mod single;
mod statement;
mod structure;
mod substitute;
mod tokens;
mod wording;
mod written;

use super::{Dialect, Parsed, Substitution};
use crate::diag::{Fault, Span, fault};
use crate::expand::{Body, Syntax};
use crate::expression::Location;
use crate::lex::{Cursor, Line, Token};
use crate::operand::CodeSize;
use crate::statement::{SegmentNames, Statement};
use lines::Overload;
use single::Single;
use std::collections::{HashMap, VecDeque};
use structure::{Instance, Open};

pub(super) static NASM: Dialect = Dialect {
    modes: |_| super::Modes::new(Modes::default()),
    segments: SegmentNames {
        code: ".text",
        data: ".data",
        uninitialised: ".bss",
        constants: ".rodata",
        far: ".far",
        stack: ".stack",
        group: "DGROUP",
        current: None,
    },
    by_case: true,
    prepare: |program| program.layout.read_untyped(),
    tokens: |_, names, text, found| tokens::tokens(text, names, found),
    syntax: Syntax {
        continues: lines::continues,
        body_word: lines::body_word,
        first_text: |lines| (Dialect::new("", |_, _| Ok(None)).syntax.first_text)(lines),
    },
    substitute,
    has_more: |modes| !modes.of::<Modes>().pending.is_empty(),
    abandon_line: |modes| modes.of_mut::<Modes>().pending.clear(),
    skipped: |parser, line, tokens| condition::skipped(&mut parser.typed(), line, tokens),
    body: |_, signature, kept, _| Body {
        as_written: true,
        ..lines::body(signature, kept)
    },
    number: |parser, text, span| number_in(&mut parser.typed(), text, span),
    defined_name: lines::defined_name,
    close: |session, program, modes| {
        structure::close(session, modes.of_mut());
        section::settle(program, modes.of());
    },
    wording: wording::wording,
    ..Dialect::new("nasm", statement)
};

/// The dialect of a text that is plainly a program for NASM.
pub(super) fn of_text(text: &str, own: &[super::foreign::Sign]) -> Option<&'static Dialect> {
    written::is_program(text, own).then_some(&NASM)
}

/// The dialect of a text that has something only NASM has, and too little of it to be plainly a program for NASM, with
/// what it takes for that.
pub(super) fn perhaps_of_text(text: &str, own: &[super::foreign::Sign]) -> Option<(&'static Dialect, &'static str)> {
    let how = "if this is for NASM, a line `bits 32` before it says so";
    written::may_be(text, own).then_some((&NASM, how))
}

/// The parser context with these modes.
type Parser<'p> = super::Parser<'p, Modes>;

fn statement<'l>(parser: &mut super::Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    statement::statement(&mut parser.typed(), cursor)
}

fn substitute(parser: &mut super::Parser<'_>, line: &Line, tokens: &[Token]) -> Result<Substitution, Fault> {
    substitute::substitute(&mut parser.typed(), line, tokens)
}

/// A statement that stands before the rest of a line.
enum Pending {
    Statement(Statement<'static>),
    /// The start of a COM program, where the source does not say it.
    ComOrigin(Span),
}

/// What previous lines have set.
struct Modes {
    /// Whether the first statement was read, and the size of code was decided.
    begun: bool,
    bits: CodeSize,
    /// The label to which those with a dot belong.
    parent: String,
    /// Whether the label that begins the line is one of these, to whose name that one was added.
    local: bool,
    /// Where the bytes of each section begin that an origin moved.
    starts: HashMap<u32, Location>,
    /// The section whose bytes begin behind an origin.
    moved: Option<u32>,
    /// The largest alignment of lines in each section.
    aligned: HashMap<u32, u32>,
    /// Whether a section is open that the statement of the next one has to close.
    opened: bool,
    /// The macros within a line.
    singles: HashMap<String, Vec<Single>>,
    /// The macros of several lines.
    overloads: HashMap<String, Vec<Overload>>,
    /// The line whose macros were replaced last.
    replaced: Option<String>,
    structure: Option<Open>,
    instance: Option<Instance>,
    pending: VecDeque<Pending>,
}

impl Default for Modes {
    fn default() -> Modes {
        Modes {
            begun: false,
            bits: CodeSize::Bits32,
            parent: String::new(),
            local: false,
            starts: HashMap::new(),
            moved: None,
            aligned: HashMap::new(),
            opened: false,
            singles: HashMap::new(),
            overloads: HashMap::new(),
            replaced: None,
            structure: None,
            instance: None,
            pending: VecDeque::new(),
        }
    }
}

impl Modes {
    /// The whole name of a label: one that begins with a dot belongs to the label before it, one that begins with two
    /// to none.
    fn whole_name(&self, name: &str) -> String {
        match name.starts_with('.') && !name.starts_with("..") {
            true => format!("{}{name}", self.parent),
            false => name.to_owned(),
        }
    }
}

/// The numeric value of an expression in separate text.
fn number_in(parser: &mut Parser<'_>, text: &str, span: Span) -> Result<i64, Fault> {
    let text = single::expanded(parser, text, span)?;
    let line = Line::within(span, &text);
    let mut found = Vec::new();
    tokens::tokens(&line.text, &mut parser.session.names, &mut found);
    let mut cursor = Cursor::new(&line, &found);
    let number = expression::constant(parser, &mut cursor)?;
    if !cursor.done() {
        return Err(fault(span, format!("`{text}` is not a number")));
    }
    Ok(number)
}

/// The fault for what NASM has and this does not.
fn unsupported(span: Span, what: &str, help: &str) -> Fault {
    fault(span, format!("`{what}` of NASM is not supported")).with_help(help.to_owned())
}
