//! Diagnostics as data: what is wrong, where, by which macro it came about, and what would mend it.

/// How serious a diagnostic is, by its consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is assembled all the same.
    Warning,
    /// No program comes out.
    Error,
}

/// A stretch of one source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Index into the source files.
    pub file: u32,
    /// One-based line.
    pub line: u32,
    /// First byte of the stretch within the line, from 0.
    pub start: u32,
    /// The byte after the stretch's last.
    pub end: u32,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where; `None` if it concerns no place in a file.
    pub span: Option<Span>,
    /// What to write beside the caret.
    pub label: Option<String>,
    /// What would mend it.
    pub help: Option<String>,
    /// How the line came about, innermost macro call first.
    pub trail: Vec<Step>,
}

/// One step of the macro trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `in macro StartTSC` or `in pass 3 of REPT`.
    pub message: String,
    /// The call.
    pub span: Span,
}

/// One message on its way up to whoever knows the line.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) span: Span,
    pub(crate) label: Option<String>,
    pub(crate) help: Option<String>,
}

/// A problem, boxed so that results stay small.
pub(crate) type Fault = Box<Problem>;

/// A problem at `span`.
pub(crate) fn fault(span: Span, message: impl Into<String>) -> Fault {
    Box::new(Problem {
        message: message.into(),
        span,
        label: None,
        help: None,
    })
}

impl Problem {
    pub(crate) fn with_help(mut self: Box<Self>, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn with_label(mut self: Box<Self>, label: impl Into<String>) -> Fault {
        self.label = Some(label.into());
        self
    }
}
