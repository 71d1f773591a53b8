//! Diagnostics as data: what is wrong, where, through which macros, and how to fix it.

use crate::remedy::Remedy;

/// How serious a diagnostic is, by its consequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The program is still assembled.
    Warning,
    /// No program is produced.
    Error,
}

/// A range within one source line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Index into the source files.
    pub file: u32,
    /// One-based line.
    pub line: u32,
    /// First byte of the range within the line, from 0.
    pub start: u32,
    /// The byte after the last one of the range.
    pub end: u32,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// What is wrong, one sentence without a full stop.
    pub message: String,
    /// Where; `None` if it concerns no position in a file.
    pub span: Option<Span>,
    /// The label beside the caret.
    pub label: Option<String>,
    /// How to fix it.
    pub help: Option<String>,
    /// The macro backtrace, innermost call first.
    pub trail: Vec<Step>,
}

/// The first error, which is why there is no program; warnings may stand in front of it.
pub fn first_error(diagnostics: &[Diagnostic]) -> Option<&Diagnostic> {
    diagnostics.iter().find(|one| one.severity == Severity::Error)
}

/// One step of the macro backtrace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `in macro StartTSC` or `in pass 3 of REPT`.
    pub message: String,
    /// The call.
    pub span: Span,
}

/// One message on its way up to the caller that knows the line.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) span: Span,
    pub(crate) label: Option<String>,
    pub(crate) help: Option<Remedy>,
    /// The name that is not defined, if that is the problem.
    pub(crate) undefined: Option<String>,
    /// Whether it is the reason for all others.
    pub(crate) decides: bool,
    /// Whether nothing more can be read.
    pub(crate) ends: bool,
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
        undefined: None,
        decides: false,
        ends: false,
    })
}

impl Problem {
    /// Says that the problem is an undefined name.
    pub(crate) fn undefined(mut self: Box<Self>, name: &str) -> Fault {
        self.undefined = Some(name.to_owned());
        self
    }

    /// Says that the problem is the reason for all others, which are not reported then.
    pub(crate) fn deciding(mut self: Box<Self>) -> Fault {
        self.decides = true;
        self
    }

    /// Says that nothing more can be read: a limit of the whole program is reached.
    pub(crate) fn ending(mut self: Box<Self>) -> Fault {
        self.ends = true;
        self
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

#[cfg(test)]
mod tests {
    use super::{Severity, first_error};
    use crate::source::Sources;
    use crate::{Options, assemble};

    #[test]
    fn a_warning_in_front_is_not_the_reason() {
        let assembly = assemble(
            &Sources::single("a.asm", " EndTSC\n nop\n mov eax,nothing\n"),
            &Options::default(),
        );
        assert_eq!(assembly.diagnostics[0].severity, Severity::Warning);
        let error = first_error(&assembly.diagnostics).map(|one| one.message.as_str());
        assert!(error.is_some_and(|message| message.contains("nothing")), "{error:?}");
        let assembly = assemble(&Sources::single("a.asm", " EndTSC\n nop\n"), &Options::default());
        assert_eq!(first_error(&assembly.diagnostics), None);
    }
}
