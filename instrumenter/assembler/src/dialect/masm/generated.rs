//! Generated statements: the expansion of a block, a call with arguments or several operands.
//!
//! Instructions are generated as text and parsed like any other, one at a time, because each may depend on the previous
//! one.

use super::Parser;
use super::instruction::instruction;
use super::model::COM_ORIGIN;
use super::segment::number;
use crate::diag::{Fault, Span};
use crate::lex::{Cursor, Line};
use crate::statement::{Named, Segment, SegmentRole, Statement};

pub(super) enum Generated {
    Instruction {
        text: String,
        span: Span,
    },
    Label {
        name: String,
        span: Span,
    },
    /// `.code`.
    Code,
    /// `org 100h`.
    ComOrigin {
        span: Span,
    },
    /// A fault to report after the preceding statements.
    Fault(Fault),
}

/// Generates an instruction, attributed to the source at `span`.
pub(super) fn generate_instruction(parser: &mut Parser<'_>, text: impl Into<String>, span: Span) {
    let text = text.into();
    parser.modes.generated.push_back(Generated::Instruction { text, span });
}

pub(super) fn generate_label(parser: &mut Parser<'_>, label: &str, span: Span) {
    let name = label.to_owned();
    parser.modes.generated.push_back(Generated::Label { name, span });
}

/// Reports a fault after the current and all generated statements are consumed.
pub(super) fn later(parser: &mut Parser<'_>, result: Result<(), Fault>) {
    if let Err(problem) = result {
        parser.modes.generated.push_back(Generated::Fault(problem));
    }
}

pub(super) fn next_generated(parser: &mut Parser<'_>) -> Option<Result<Statement<'static>, Fault>> {
    let is_fault = matches!(parser.modes.generated.front()?, Generated::Fault(_));
    if !is_fault && parser.program.procedures.frame_is_pending() {
        return Some(Ok(Statement::ProcedureBody));
    }
    Some(match parser.modes.generated.pop_front()? {
        Generated::Fault(problem) => Err(problem),
        Generated::Code => Ok(Statement::Segment(Segment::Usual {
            role: SegmentRole::Code,
            name: None,
        })),
        Generated::ComOrigin { span } => {
            let target = number(parser, COM_ORIGIN, span);
            Ok(Statement::Origin { target, span })
        }
        Generated::Label { name, span } => Ok(Statement::Label {
            named: Named {
                name: parser.session.names.intern(&name),
                spelled: "??",
                span,
            },
            global: true,
        }),
        Generated::Instruction { text, span } => {
            let line = Line::within(span, &text);
            let mut tokens = Vec::new();
            parser.lex(&line.text, &mut tokens);
            let mut cursor = Cursor {
                line: &line,
                tokens: &tokens,
                at: 0,
                extra: None,
            };
            match instruction(parser, &mut cursor) {
                Ok(true) => Ok(Statement::Instruction),
                Ok(false) => return next_generated(parser),
                Err(problem) => Err(problem),
            }
        }
    })
}
