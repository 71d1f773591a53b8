//! Assembling only: the diagnostics of each file, and a listing.

mod json;
pub(super) mod listing;

use super::args::{CheckArguments, Form};
use super::closed;
use super::diagnostics::counts;
use super::output::print_diagnostics;
use super::replace::Replacement;
use super::setting::options;
use super::{BAD_INPUT, with_sources};
use crate::budgets;
use json::Report;
use p5_assembler::diag::{Diagnostic, Severity};
use p5_assembler::source::Sources;
use p5_assembler::{Assembly, Extent, Ignored, Library, Options, assemble};
use runtime::image::Image;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

/// Assembles each file separately. Diagnostics go to standard error, or as JSON to standard output. An error is one
/// line: the listing or the JSON cannot be written.
pub(super) fn check(arguments: &CheckArguments) -> Result<ExitCode, String> {
    let json = arguments.presentation.format == Form::Json;
    let to_stdout = arguments.listing.as_deref() == Some(Path::new("-"));
    let mut listing = match &arguments.listing {
        Some(path) if !to_stdout => Some(Replacement::new(path)?),
        _ => None,
    };
    if json && (to_stdout || listing.as_ref().is_some_and(Replacement::is_standard_output)) {
        return Err("JSON and the listing both go to standard output; name a file for the listing".to_owned());
    }
    let options = Options {
        extent: Extent::Module,
        listing: arguments.listing.is_some(),
        by_case: arguments.by_case,
        ..options(&arguments.assembly, Library::Pentium)
    };
    let mut report = Report::default();
    let mut failed = false;
    for path in &arguments.files {
        let assembled = with_sources(path, &arguments.assembly.include, |sources| {
            (as_module_or_fragment(sources, &options), sources.main.name.clone())
        });
        let (mut assembly, name) = match assembled {
            Ok(assembled) => assembled,
            Err(problem) => {
                failed = true;
                if json {
                    report.unreadable(path, problem);
                } else {
                    complain(&format!("p5inst: {problem}"));
                }
                continue;
            }
        };
        assembly.refuse_part();
        add_budgets(&mut assembly);
        let severities = assembly.diagnostics.iter().map(|diagnostic| diagnostic.severity);
        failed |= severities.clone().any(|severity| severity == Severity::Error);
        if json {
            report.add(&assembly);
        } else {
            print_diagnostics(&assembly, arguments.presentation.color);
            if arguments.verbose {
                tell_ignored(&assembly);
            }
            if let Some(summary) = counts(severities) {
                complain(&format!("{}: {summary}", runtime::report::escaped(&name)));
            }
        }
        if let Some(file) = &mut listing {
            file.must_not_replace_source()?;
            file.written(|out| listing::write(&name, &assembly, arguments.expand, out))?;
        } else if to_stdout {
            let mut out = io::BufWriter::new(io::stdout().lock());
            accepted(listing::write(&name, &assembly, arguments.expand, &mut out).and_then(|()| out.flush()))?;
        }
    }
    if let Some(file) = listing {
        file.finish()?;
    }
    if json {
        accepted(report.write(&mut io::stdout().lock()))?;
    }
    Ok(if failed {
        ExitCode::from(BAD_INPUT)
    } else {
        ExitCode::SUCCESS
    })
}

/// Assembles a source as a module. If that has errors, the source is assembled once more as a fragment. This is the
/// result if it has no error and either can be run or is a text of a compiler, which may leave names to other files.
fn as_module_or_fragment(sources: &Sources, options: &Options) -> Assembly {
    let module = assemble(sources, options);
    if module.diagnostics.iter().all(|one| one.severity != Severity::Error) {
        return module;
    }
    let fragment = assemble(
        sources,
        &Options {
            extent: Extent::Fragment,
            ..options.clone()
        },
    );
    let runs = |image: &Image| fragment.pasted || image.fragment.is_some();
    if fragment.image.as_ref().is_some_and(runs) {
        fragment
    } else {
        module
    }
}

/// Adds the diagnostics of invalid budgets, which would keep the program from running, and of what seems to be one.
fn add_budgets(assembly: &mut Assembly) {
    let warnings = budgets::unmarked_of_assembly(assembly);
    let problems = budgets::of_assembly(assembly).err().unwrap_or_default();
    if warnings.is_empty() && problems.is_empty() {
        return;
    }
    assembly.diagnostics.extend(warnings.into_iter().chain(problems));
    let place = |one: &Diagnostic| one.span.map(|span| (span.file, span.line));
    assembly.diagnostics.sort_by_key(place);
}

/// Lists the directives of the sources that have no effect.
fn tell_ignored(assembly: &Assembly) {
    for Ignored { what, span, places } in &assembly.ignored {
        let file = assembly.files.get(span.file as usize).map_or("", |file| &file.name);
        let more = match places {
            1 => String::new(),
            2 => ", nor at 1 more place".to_owned(),
            places => format!(", nor at {} more places", places - 1),
        };
        complain(&format!(
            "{}:{}: `{}` has no effect{more}",
            runtime::report::escaped(file),
            span.line,
            runtime::report::escaped(what)
        ));
    }
}

fn complain(line: &str) {
    // If standard error is closed, there is no place to report it.
    let _ = writeln!(anstream::stderr(), "{line}");
}

/// The outcome of writing to standard output; a reader that stops early is not an error.
fn accepted(written: io::Result<()>) -> Result<(), String> {
    match closed::standard_output().and(written) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot write the report: {error}")),
        _ => Ok(()),
    }
}
