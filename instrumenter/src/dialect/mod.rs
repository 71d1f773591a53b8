//! Dialects: how lines are parsed. No later layer distinguishes dialects.
//!
//! A dialect is a table of functions, chosen once per assembly. It turns a line into statements and never changes the
//! program or the expander: it may only read their state, because the meaning of a line depends on its names.

pub(crate) mod masm;

use crate::diag::{Fault, Span};
use crate::expand::{Body, Collected, Expander, Syntax};
use crate::expression::Location;
use crate::lex::{Cursor, Line, Token};
use crate::names::{NameId, Names};
use crate::program::Program;
use crate::session::Session;
use crate::statement::{Buffers, Signature, Statement};

/// A dialect.
pub(crate) struct Dialect {
    /// Assigns the dialect's keywords their numbers, before any other name is interned.
    pub(crate) reserve_words: fn(&mut Names),
    /// Defines the predefined names.
    pub(crate) predefine: fn(&mut Session, &mut Program, &mut Expander),
    /// Lexes a line up to its comment.
    pub(crate) tokens: fn(&Modes, &mut Names, &str, &mut Vec<Token>),
    /// Classifies lines before they are parsed as statements.
    pub(crate) syntax: Syntax,
    /// The substitution to make in a line before it is parsed.
    pub(crate) substitute: fn(&mut Parser<'_>, &Line, &[Token]) -> Result<Substitution, Fault>,
    /// The next statement of a line; `None` at its end.
    pub(crate) statement: for<'l> fn(&mut Parser<'_>, &mut Cursor<'l>) -> Parsed<'l>,
    /// The statement of a skipped line; only conditional assembly matters.
    pub(crate) skipped: fn(&mut Parser<'_>, &Line, &mut Vec<Token>) -> Parsed<'static>,
    /// Builds a body from its collected lines; that of a macro may begin with local names.
    pub(crate) body: fn(&mut Names, Signature, &Collected, bool) -> Body,
    /// The numeric value of an expression in separate text.
    pub(crate) number: fn(&mut Parser<'_>, &str, Span) -> Result<i64, Fault>,
    /// The name that a line defines as a macro, a text macro or a number, from its first words alone.
    pub(crate) defined_name: fn(&mut Names, &str) -> Option<DefinedName>,
    /// After the last line: reports constructs that are still open.
    pub(crate) close: fn(&mut Session, &mut Modes),
}

/// A statement, nothing, or a fault.
pub(crate) type Parsed<'l> = Result<Option<Statement<'l>>, Fault>;

/// The parser context of a dialect: the mutable session, and read access to the program and the macros.
pub(crate) struct Parser<'p> {
    pub(crate) session: &'p mut Session,
    pub(crate) program: &'p Program,
    pub(crate) expander: &'p Expander,
    pub(crate) modes: &'p mut Modes,
    pub(crate) buffers: &'p mut Buffers,
    /// Whether a name is being defined as a number, for which [`Parser::here`] may differ.
    pub(crate) equating: bool,
}

/// The modes set by previous lines, for each dialect that has modes.
#[derive(Default)]
pub(crate) struct Modes {
    pub(crate) masm: masm::Modes,
}

impl Modes {
    /// Sets the modes for the bundled library; returns the state that [`Modes::end_library`] restores.
    pub(crate) fn begin_library(&mut self) -> u32 {
        std::mem::replace(&mut self.masm.radix, 10)
    }

    /// Restores the program's modes.
    pub(crate) fn end_library(&mut self, radix: u32) {
        self.masm.radix = radix;
    }

    /// Whether a line that was read to its end still has pending statements.
    pub(crate) fn has_more(&self) -> bool {
        self.masm.has_more()
    }

    /// Drops the pending statements of the current line after an error.
    pub(crate) fn abandon_line(&mut self) {
        self.masm.abandon_line();
    }
}

/// A name that a line defines.
pub(crate) struct DefinedName {
    pub(crate) name: NameId,
    pub(crate) is_macro: bool,
}

/// The result of substitution in a line.
pub(crate) enum Substitution {
    /// The line is unchanged.
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

impl Parser<'_> {
    /// The value of `$`.
    pub(crate) fn here(&self) -> Location {
        if self.equating {
            self.program.layout.location_behind_data(self.session.in_library)
        } else {
            self.program.layout.location()
        }
    }
}
