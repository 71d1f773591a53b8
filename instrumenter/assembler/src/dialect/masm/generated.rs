//! Generated statements: the expansion of a block, a call with arguments or several operands.
//!
//! Instructions are generated as text and parsed like any other, one at a time, because each may depend on the previous
//! one.

use super::Parser;
use crate::diag::{Fault, Span};
use crate::expression::{ExpressionId, NodeKind};

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

/// The expression for a number that the source does not contain.
pub(super) fn number(parser: &mut Parser<'_>, number: i64, span: Span) -> ExpressionId {
    parser.session.expressions.push(NodeKind::Number(number), span)
}
