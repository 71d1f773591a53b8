//! Makes the next of the generated statements.

use super::Parser;
use super::generated::Generated;
use super::generated::number;
use super::instruction::instruction;
use super::model::COM_ORIGIN;
use crate::diag::Fault;
use crate::lex::{Cursor, Line};
use crate::statement::{Named, Segment, SegmentRole, Statement};

/// The next generated statement; `None` if there is none.
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
            let mut cursor = Cursor::new(&line, &tokens);
            match instruction(parser, &mut cursor) {
                Ok(true) => Ok(Statement::Instruction),
                Ok(false) => return next_generated(parser),
                Err(problem) => Err(problem),
            }
        }
    })
}
