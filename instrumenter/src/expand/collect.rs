//! Lines that are kept instead of read: the bodies of macros and repeats, up to the line that ends them.

use super::{Expander, Syntax};
use crate::diag::{Span, fault};
use crate::lex::Line;
use crate::session::Session;
use crate::statement::Head;

/// What a line is to the body it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyWord {
    /// It begins a body within the body.
    Begins,
    /// It ends the innermost body.
    Ends,
    /// It ends the library's calibration.
    EndsCalibration,
    Other,
}

/// A line as it stands in its file.
pub(crate) struct KeptLine {
    pub(crate) text: String,
    pub(crate) file: u32,
    pub(crate) number: u32,
}

/// Lines being kept.
pub(super) struct Collecting {
    kept: Collected,
    /// Bodies within the body.
    depth: u32,
}

/// Lines that were kept.
pub(crate) struct Collected {
    pub(crate) head: Head,
    pub(crate) lines: Vec<KeptLine>,
    /// Whether the bundled library wrote them.
    pub(crate) library: bool,
    pub(crate) span: Span,
}

impl Expander {
    /// Keeps the lines that follow; `first` was already read from the line `at`.
    pub(crate) fn begin_collecting(&mut self, library: bool, head: Head, first: Option<KeptLine>, span: Span) {
        self.collecting = Some(Collecting {
            kept: Collected {
                head,
                lines: first.into_iter().collect(),
                library,
                span,
            },
            depth: 0,
        });
    }

    /// Whether lines are kept instead of read.
    pub(crate) fn is_collecting(&self) -> bool {
        self.collecting.is_some()
    }

    /// Keeps a line, or ends what is kept and returns it.
    pub(crate) fn collect(&mut self, session: &mut Session, syntax: &Syntax, line: &Line) -> Option<Collected> {
        let collecting = self.collecting.as_mut()?;
        let word = (syntax.body_word)(&mut session.names, &line.text);
        match (word, &collecting.kept.head) {
            (BodyWord::Begins | BodyWord::Ends | BodyWord::Other, Head::Calibration) | (BodyWord::Other, _) => {}
            (BodyWord::Ends | BodyWord::EndsCalibration, _) => {
                if collecting.depth == 0 {
                    return self.collecting.take().map(|collecting| collecting.kept);
                }
                collecting.depth -= 1;
            }
            (BodyWord::Begins, _) => {
                collecting.depth += 1;
                if collecting.depth as usize > session.limits.macro_depth {
                    let message = format!(
                        "macros and repeats are nested more than {} deep",
                        session.limits.macro_depth
                    );
                    self.collecting = None;
                    session.give_up(fault(line.span(0, line.text.len() as u32), message));
                    return None;
                }
            }
        }
        collecting.kept.lines.push(KeptLine {
            text: line.text.clone(),
            file: line.file,
            number: line.number,
        });
        None
    }

    /// Ends what is kept before its end was met; returns where it began.
    pub(super) fn abandon_collecting(&mut self) -> Option<Span> {
        self.collecting.take().map(|collecting| collecting.kept.span)
    }
}
