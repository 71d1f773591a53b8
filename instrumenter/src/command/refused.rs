//! The reports of a source that could not be assembled.

use super::args::{Amount, Output, Outputs};
use super::complain;
use super::diagnostics::{Lines, column};
use super::output::print_colored;
use super::replace::Replacement;
use p5_assembler::diag::{Diagnostic, Severity};
use runtime::image::SourceFile;
use runtime::report::{NotAssembled, SourceError};
use std::io::Write;

/// Writes the errors of a source in the formats that have a place for them: who reads many reports would miss a program
/// without one. A text report has only the diagnostics.
pub(super) fn write(
    program: &str,
    diagnostics: &[Diagnostic],
    files: &[SourceFile],
    outputs: &Outputs,
) -> Result<(), String> {
    let errors = diagnostics.iter().filter(|one| one.severity == Severity::Error);
    let mut lines = Lines::new(files);
    let errors = errors.map(|one| SourceError {
        message: one.message.clone(),
        column: one.span.and_then(|span| column(&mut lines, span)),
        label: one.label.clone(),
        help: one.help.clone(),
        place: one
            .span
            .and_then(|span| Some((files.get(span.file as usize)?.name.clone(), span.line))),
    });
    let refused = NotAssembled {
        program: program.to_owned(),
        errors: errors.collect(),
    };
    let (says, others): (Vec<&Output>, Vec<&Output>) =
        outputs.0.iter().partition(|output| output.format.says_refused());
    // An older report would be taken for that of this source.
    for path in others.iter().filter_map(|output| output.file.as_deref()) {
        if path.is_file() {
            complain(&format!(
                "`{}` is not written, because the source has errors: what it holds is of an earlier run",
                path.display()
            ));
        }
    }
    for output in says {
        let write = |out: &mut dyn Write| output.format.write_refused(&refused, out);
        match &output.file {
            Some(path) => {
                let mut file = Replacement::new(path)?;
                file.written(write)?;
                file.finish()?;
            }
            None => print_colored(None, Amount::default(), |_, out| write(out))?,
        }
    }
    Ok(())
}
