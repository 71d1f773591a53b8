//! The parser context of a dialect: the session, and read access to the program and the macros.

use super::Modes;
use crate::diag::{Fault, fault};
use crate::expand::Expander;
use crate::expression::{ExpressionId, Location, NodeKind};
use crate::lex::{Cursor, Kind, Token};
use crate::program::Program;
use crate::session::Session;
use crate::statement::{Buffers, Named};
use iced_x86::Register;

/// The parser context of a dialect whose modes are of type `M`.
pub(crate) struct Parser<'p, M = Modes> {
    pub(crate) session: &'p mut Session,
    pub(crate) program: &'p Program,
    pub(crate) expander: &'p Expander,
    pub(crate) modes: &'p mut M,
    pub(crate) buffers: &'p mut Buffers,
    /// Whether a name is being defined as a number, for which [`Parser::here`] may differ.
    pub(crate) equating: bool,
}

impl Parser<'_> {
    /// The same context with the dialect's own modes.
    pub(crate) fn typed<M: 'static>(&mut self) -> Parser<'_, M> {
        Parser {
            session: self.session,
            program: self.program,
            expander: self.expander,
            modes: self.modes.of_mut(),
            buffers: self.buffers,
            equating: self.equating,
        }
    }
}

impl<M> Parser<'_, M> {
    /// The value of `$`.
    pub(crate) fn here(&self) -> Location {
        if self.equating {
            self.program.layout.location_behind_data(self.session.in_library)
        } else {
            self.program.layout.location()
        }
    }

    /// The expression of a lone number, register or symbol.
    pub(crate) fn atom(&mut self, cursor: &Cursor<'_>, token: Token) -> Result<ExpressionId, Fault> {
        let span = cursor.span(token);
        let node = match token.kind {
            Kind::Number(number) => NodeKind::Number(number as i64),
            Kind::Name(name) => match self.session.names.info(name).register {
                Register::None => NodeKind::Symbol(name, 0),
                register => NodeKind::Register(register),
            },
            _ => return Err(fault(span, "expected a number or a name")),
        };
        Ok(self.session.expressions.push(node, span))
    }
}

pub(crate) fn named<'l>(cursor: &mut Cursor<'l>) -> Option<Named<'l>> {
    let (name, token) = cursor.name()?;
    Some(Named {
        name,
        spelled: cursor.text(token),
        span: cursor.span(token),
    })
}
