//! Diagnostics of budgets: those that are no budgets, and those that do not hold.

use p5_assembler::diag::{Diagnostic, Severity, Span};
use p5_image::SourceFile;
use p5_report::failed_budgets;
use p5_results::Run;

/// The budgets of a run that do not hold, as diagnostics.
#[must_use = "the budgets that do not hold are what it returns"]
pub fn failed(run: &Run) -> Vec<Diagnostic> {
    let failed = failed_budgets(run).into_iter().map(|failed| {
        let span = Span {
            file: failed.budget.file,
            line: failed.budget.line,
            start: failed.budget.written.0,
            end: failed.budget.written.1,
        };
        Diagnostic {
            label: Some(failed.label).filter(|label| !label.is_empty()),
            ..error(span, failed.message)
        }
    });
    in_files(failed.collect(), &run.files)
}

/// An error at a place in a source.
pub(crate) fn error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        message: message.into(),
        file: None,
        span: Some(span),
        label: None,
        help: None,
        trail: Vec::new(),
    }
}

pub(crate) fn with_help(problem: Diagnostic, help: impl Into<String>) -> Diagnostic {
    Diagnostic {
        help: Some(help.into()),
        ..problem
    }
}

/// Gives the problems the names of their files.
pub(crate) fn in_files(mut problems: Vec<Diagnostic>, files: &[SourceFile]) -> Vec<Diagnostic> {
    for problem in &mut problems {
        let file = problem.span.and_then(|span| files.get(span.file as usize));
        problem.file = file.map(|file| file.name.clone());
    }
    problems
}
