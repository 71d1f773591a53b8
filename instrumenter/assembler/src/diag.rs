//! Diagnostics as data: the problem, its place, the macros that led to it, and a remedy.

use crate::remedy::Remedy;
use std::borrow::Cow;
use std::fmt;

/// The severity of a diagnostic, by its consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A problem with which the program is still assembled.
    Warning,
    /// A problem with which no program is produced.
    Error,
}

/// A range within one source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Index into the source files.
    pub file: u32,
    /// Line number, from 1.
    pub line: u32,
    /// First byte of the range within the line, from 0.
    pub start: u32,
    /// The byte after the last one of the range.
    pub end: u32,
}

impl Span {
    /// A part of a line of the first file.
    pub(crate) fn of(line: u32, part: &std::ops::Range<usize>) -> Span {
        Span {
            file: 0,
            line,
            start: part.start as u32,
            end: part.end as u32,
        }
    }
}

/// One error or warning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The severity: error or warning.
    pub severity: Severity,
    /// The problem in one sentence, without a full stop.
    pub message: String,
    /// The name of the file that has the range, as it was given.
    pub file: Option<String>,
    /// The range of the source; `None` if the diagnostic concerns no position in a file.
    pub span: Option<Span>,
    /// The label beside the caret, if there is one.
    pub label: Option<String>,
    /// The way to fix the problem, if one is known.
    pub help: Option<String>,
    /// The macro backtrace, innermost call first.
    pub trail: Vec<Step>,
}

/// One line: `sum.asm:7: undefined symbol `count``.
impl fmt::Display for Diagnostic {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(out, "{file}:")?;
        }
        match self.span {
            Some(span) if self.file.is_some() => write!(out, "{}: ", span.line)?,
            Some(span) => write!(out, "line {}: ", span.line)?,
            None if self.file.is_some() => out.write_str(" ")?,
            None => {}
        }
        out.write_str(&self.message)
    }
}

impl std::error::Error for Diagnostic {}

/// The first error, which is the reason why there is no program; warnings may precede it.
pub fn first_error(diagnostics: &[Diagnostic]) -> Option<&Diagnostic> {
    diagnostics.iter().find(|one| one.severity == Severity::Error)
}

/// The bytes that are kept of a text in a diagnostic: names and expressions may be as long as a line, and thousands of
/// diagnostics may quote the same one.
const KEPT: usize = 2000;

/// The text of a diagnostic, cut if it is longer than anybody reads.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.len() <= KEPT {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("{}...", &text[..text.floor_char_boundary(KEPT)])),
    }
}

/// One step of the macro backtrace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `in macro StartTSC` or `in pass 3 of REPT`.
    pub message: String,
    /// The range of the call or repeat.
    pub span: Span,
}

/// A diagnostic on its way up to the caller that knows the line.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) span: Span,
    pub(crate) label: Option<String>,
    pub(crate) help: Option<Remedy>,
    /// The name that is not defined, if that is the problem.
    pub(crate) undefined: Option<String>,
    /// Whether the same message in another place has the same cause.
    pub(crate) recurs: bool,
    /// Whether it is the reason for all other problems.
    pub(crate) decides: bool,
    /// Whether nothing after it can be read.
    pub(crate) ends: bool,
}

/// A problem, boxed to keep results small.
pub(crate) type Fault = Box<Problem>;

pub(crate) fn fault(span: Span, message: impl Into<String>) -> Fault {
    Box::new(Problem {
        message: message.into(),
        span,
        label: None,
        help: None,
        undefined: None,
        recurs: false,
        decides: false,
        ends: false,
    })
}

impl Problem {
    /// Names the undefined name that is the problem.
    pub(crate) fn undefined(mut self: Box<Self>, name: &str) -> Fault {
        self.undefined = Some(name.to_owned());
        self
    }

    /// Marks the problem as one whose cause is the same wherever it is reported with this message: it is told once.
    pub(crate) fn recurring(mut self: Box<Self>) -> Fault {
        self.recurs = true;
        self
    }

    /// Marks the problem as the reason for all others, which are then not reported.
    pub(crate) fn deciding(mut self: Box<Self>) -> Fault {
        self.decides = true;
        self
    }

    /// Marks the problem as a limit of the whole program, after which nothing is read.
    pub(crate) fn ending(mut self: Box<Self>) -> Fault {
        self.ends = true;
        self
    }

    /// Cuts what is longer than anybody reads.
    pub(crate) fn shorten(&mut self) {
        for text in [Some(&mut self.message), self.label.as_mut()].into_iter().flatten() {
            if let Cow::Owned(cut) = shortened(text) {
                *text = cut;
            }
        }
    }

    pub(crate) fn with_help(mut self: Box<Self>, help: impl Into<Remedy>) -> Fault {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn with_label(mut self: Box<Self>, label: impl Into<String>) -> Fault {
        self.label = Some(label.into());
        self
    }
}
