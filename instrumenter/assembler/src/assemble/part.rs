//! What makes a source a part of another one: nothing closes it, or something lies before all segments.
//!
//! MASM and TASM refuse such a source. A run takes it, as lines from a manual have neither; what assembles for others
//! says so.

use crate::diag::{Diagnostic, Severity, Span};
use crate::names::NameId;
use crate::program::Program;
use crate::remedy::{Construct, Remedy};
use crate::session::Session;
use crate::statement::{Head, Statement};

/// What is known of a source as far as it was read.
#[derive(Default)]
pub(super) struct Part {
    /// The first data or procedure without a segment around it, and what it is.
    outside: Option<(Span, &'static str)>,
    /// Whether it has what a few lines of code do not have: a structure, an external name, a macro.
    declares: bool,
    /// Whether it gives names to numbers and texts.
    names: bool,
    instructions: bool,
    /// The names that it makes public, with their first places.
    public: Vec<(NameId, Span)>,
}

impl Part {
    /// Notes a statement of the user that is about to be consumed.
    pub(super) fn note(&mut self, statement: &Statement<'_>, program: &Program) {
        let in_structure = program.structures.open.is_some();
        let mut outside = |span, what| {
            if program.layout.snippet && self.outside.is_none() {
                self.outside = Some((span, what));
            }
        };
        match statement {
            Statement::Instruction => self.instructions = true,
            Statement::Data(data) if !in_structure => outside(data.span, "data"),
            Statement::Procedure(head) => outside(head.named.span, "a procedure"),
            Statement::Structure { .. } | Statement::Record { .. } | Statement::Enumeration { .. } => {
                self.declares = true;
            }
            Statement::Extern(_) | Statement::Group { .. } => self.declares = true,
            Statement::Public(names) => {
                self.declares = true;
                self.public.extend(names);
            }
            Statement::Collect(collect) => self.declares |= matches!(collect.head, Head::Macro(_)),
            Statement::Assign { .. } | Statement::Equate { .. } | Statement::Text { .. } => self.names = true,
            _ => {}
        }
    }

    /// The error of a source with the text `text` that is a part of another one; `None` if it is a whole one or a few
    /// lines of code.
    pub(super) fn problem(&self, session: &Session, program: &Program, text: &str) -> Option<Diagnostic> {
        let layout = &program.layout;
        if layout.sections || layout.compiled {
            return None;
        }
        if let Some((span, what)) = self.outside.filter(|_| layout.snippet) {
            let message = format!("{what} outside of a segment: this is a part of another source");
            return Some(error(session, message, span, session.words(&Remedy::Surround)));
        }
        if let Some(problem) = self.undefined(session, program, text) {
            return Some(problem);
        }
        let is_more = !layout.snippet || self.declares || (self.names && !self.instructions);
        // Small assemblers that take a COM program without a segment want no end either.
        if program.is_closed || !is_more || session.narrow.com {
            return None;
        }
        let lines = text.lines().enumerate();
        let (number, line) = lines.filter(|(_, line)| !line.trim().is_empty()).last()?;
        let span = Span::of(number as u32 + 1, &(0..line.trim_end().len()));
        let message = "nothing closes this source: it is a part of another one".to_owned();
        Some(error(
            session,
            message,
            span,
            session.words(&Remedy::Close(Construct::Source)),
        ))
    }

    /// The error of names that are public, but that nothing defines.
    fn undefined(&self, session: &Session, program: &Program, text: &str) -> Option<Diagnostic> {
        let undefined = |name: NameId| !program.is_defined(&session.names, name);
        let mut names: Vec<_> = self.public.iter().filter(|(name, _)| undefined(*name)).collect();
        names.dedup_by_key(|(name, _)| *name);
        let &&(name, span) = names.first()?;
        let line = text
            .lines()
            .nth(span.line.checked_sub(1)? as usize)
            .filter(|_| span.file == 0);
        let spelled = line.and_then(|line| line.get(span.start as usize..span.end as usize));
        let spelled = spelled.unwrap_or_else(|| session.names.text(name));
        let message = format!("`{spelled}` is public, but nothing defines it");
        let label = (names.len() > 1).then(|| format!("one of {} names", names.len()));
        Some(Diagnostic {
            label,
            ..error(session, message, span, "define it, or remove it here".to_owned())
        })
    }
}

fn error(session: &Session, message: String, span: Span, help: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        message,
        file: session.files.get(span.file as usize).map(|file| file.name.clone()),
        span: Some(span),
        label: None,
        help: Some(help),
        trail: Vec::new(),
    }
}
