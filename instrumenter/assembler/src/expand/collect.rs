//! Lines that are collected rather than parsed: the bodies of macros and repeats, up to the line that ends them.

use super::{BodyLine, Collected, Expander, KeptLine, Piece};
use crate::diag::{Fault, Span, fault};
use crate::lex::Line;
use crate::remedy::{Construct, Remedy};
use crate::session::{ALLOCATION, Session};
use crate::statement::Head;

/// The role of a line in the body that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyWord {
    /// The line begins a nested body.
    Begins,
    /// The line ends the innermost body, after a label of this many bytes or 0.
    Ends(usize),
    /// The line ends the library's calibration.
    EndsCalibration,
    Other,
}

pub(super) struct Collecting {
    kept: Collected,
    depth: u32,
    /// The bytes of the texts of all lines.
    texts: usize,
}

impl Collecting {
    /// The bytes of memory that the lines take, with the body that is made of them.
    pub(super) fn bytes(&self) -> usize {
        const LINE: usize = size_of::<KeptLine>() + ALLOCATION + size_of::<BodyLine>() + size_of::<Piece>();
        self.kept.lines.len() * LINE + 2 * self.texts
    }
}

impl Expander {
    /// Starts to collect the following lines; `first` was already read from line `at`.
    pub(crate) fn begin_collecting(&mut self, head: Head, first: Option<KeptLine>, span: Span) {
        let Some(reader) = self.reader() else {
            return;
        };
        self.collecting = Some(Collecting {
            kept: Collected {
                head,
                lines: first.into_iter().collect(),
                reader,
                span,
            },
            depth: 0,
            texts: 0,
        });
    }

    pub(crate) fn is_collecting(&self) -> bool {
        self.collecting.is_some()
    }

    /// Collects a line, or ends the collection and returns it.
    pub(crate) fn collect(&mut self, session: &mut Session, line: &Line) -> Option<Collected> {
        let collecting = self.collecting.as_mut()?;
        let word = (collecting.kept.reader.syntax.body_word)(&mut session.names, &line.text);
        match (word, &collecting.kept.head) {
            (BodyWord::Begins | BodyWord::Ends(_) | BodyWord::Other, Head::Calibration) | (BodyWord::Other, _) => {}
            (BodyWord::Ends(_) | BodyWord::EndsCalibration, _) if collecting.depth > 0 => collecting.depth -= 1,
            (BodyWord::Ends(label), _) if label > 0 => {
                let text = line.text.get(..label).unwrap_or_default();
                collecting.kept.lines.push(KeptLine {
                    text: text.to_owned(),
                    file: line.file,
                    number: line.number,
                });
                return self.collecting.take().map(|collecting| collecting.kept);
            }
            (BodyWord::Ends(_) | BodyWord::EndsCalibration, _) => {
                return self.collecting.take().map(|collecting| collecting.kept);
            }
            (BodyWord::Begins, _) => {
                collecting.depth += 1;
                if collecting.depth as usize > session.limits.macro_depth {
                    let message = format!(
                        "macros and repeats are nested deeper than {}",
                        session.limits.macro_depth
                    );
                    self.collecting = None;
                    session.give_up(fault(line.span(0, line.text.len() as u32), message));
                    return None;
                }
            }
        }
        collecting.texts += line.text.len();
        collecting.kept.lines.push(KeptLine {
            text: line.text.clone(),
            file: line.file,
            number: line.number,
        });
        None
    }

    /// Abandons a collection that has no end.
    pub(super) fn abandon_collecting(&mut self) -> Option<Fault> {
        let kept = self.collecting.take()?.kept;
        let (what, construct) = match &kept.head {
            Head::Macro(signature) => (format!("macro `{}`", signature.spelled), Construct::Body),
            Head::Repeat { signature, .. } => (format!("repeat `{}`", signature.spelled), Construct::Body),
            Head::Calibration => ("calibration".to_owned(), Construct::Calibration),
            Head::Dropped => ("body".to_owned(), Construct::Body),
        };
        let problem = fault(kept.span, format!("{what} is never closed"));
        Some(problem.with_help(Remedy::Close(construct)))
    }
}
