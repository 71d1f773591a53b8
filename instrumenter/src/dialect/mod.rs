//! Dialects: how lines are read. This is the last layer in which one dialect is told from another.
//!
//! A dialect is a table of functions, chosen once for an assembly. It turns a line into statements and never changes the
//! program or the expander: it may only look at what they know so far, since what a line means depends on its names.

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
    /// Gives the dialect's own words their numbers, before any other name has one.
    pub(crate) reserve_words: fn(&mut Names),
    /// Defines the names that are always there.
    pub(crate) predefine: fn(&mut Session, &mut Program, &mut Expander),
    /// Reads a line's tokens up to its comment.
    pub(crate) tokens: fn(&Modes, &mut Names, &str, &mut Vec<Token>),
    /// What lines are before they are read as statements.
    pub(crate) syntax: Syntax,
    /// What to put in place of some of a line's words before it is parsed.
    pub(crate) substitute: fn(&mut Parser<'_>, &Line, &[Token]) -> Result<Substitution, Fault>,
    /// The next statement of a line; `None` at its end.
    pub(crate) statement: for<'l> fn(&mut Parser<'_>, &mut Cursor<'l>) -> Parsed<'l>,
    /// The statement of a line that is skipped: only those of conditional assembly matter.
    pub(crate) skipped: fn(&mut Parser<'_>, &Line, &mut Vec<Token>) -> Parsed<'static>,
    /// Makes a body of the lines that were kept for it; that of a macro may begin with names of its own.
    pub(crate) body: fn(&mut Names, Signature, &Collected, bool) -> Body,
    /// The number that an expression in its own piece of text comes to.
    pub(crate) number: fn(&mut Parser<'_>, &str, Span) -> Result<i64, Fault>,
    /// The name that a line defines as a macro, a text or a number, by its first words alone.
    pub(crate) defined_name: fn(&mut Names, &str) -> Option<DefinedName>,
    /// After the last line: complains about what is still open.
    pub(crate) close: fn(&mut Session, &mut Modes),
}

/// A statement, unless there is none or something is wrong.
pub(crate) type Parsed<'l> = Result<Option<Statement<'l>>, Fault>;

/// What a dialect works with: the session to note things in, and what is known of the program and of macros to look at.
pub(crate) struct Parser<'p> {
    pub(crate) session: &'p mut Session,
    pub(crate) program: &'p Program,
    pub(crate) expander: &'p Expander,
    pub(crate) modes: &'p mut Modes,
    pub(crate) buffers: &'p mut Buffers,
    /// Whether a name is being defined as a number, for which [`Parser::here`] may be elsewhere.
    pub(crate) equating: bool,
}

/// What the lines read so far set for those that follow, for each dialect that has such modes.
#[derive(Default)]
pub(crate) struct Modes {
    pub(crate) masm: masm::Modes,
}

impl Modes {
    /// Sets the modes the bundled library is read in; returns what [`Modes::end_library`] wants back.
    pub(crate) fn begin_library(&mut self) -> u32 {
        std::mem::replace(&mut self.masm.radix, 10)
    }

    /// Comes back to the program's own modes.
    pub(crate) fn end_library(&mut self, radix: u32) {
        self.masm.radix = radix;
    }

    /// Whether a line that was read to its end has statements to give all the same.
    pub(crate) fn has_more(&self) -> bool {
        self.masm.has_more()
    }

    /// Forgets what the line being read has still to give: there is an error in it.
    pub(crate) fn abandon_line(&mut self) {
        self.masm.abandon_line();
    }
}

/// A name that a line defines.
pub(crate) struct DefinedName {
    pub(crate) name: NameId,
    pub(crate) is_macro: bool,
}

/// What becomes of a line's words before it is parsed.
pub(crate) enum Substitution {
    /// The line is as it should be.
    None,
    /// It is this line instead.
    Pasted(Line),
    /// The bytes from `start` to `end` call a macro that returns text.
    Call {
        name: NameId,
        arguments: Vec<String>,
        span: Span,
        start: usize,
        end: usize,
    },
    /// It uses this name of the bundled library, which is to be read first.
    Library,
}

impl Parser<'_> {
    /// What `$` stands for.
    pub(crate) fn here(&self) -> Location {
        if self.equating {
            self.program.layout.location_behind_data(self.session.in_library)
        } else {
            self.program.layout.location()
        }
    }
}
