//! The diagnostics of `check` as JSON.

use crate::command::diagnostics::{Lines, column, shown};
use p5_assembler::Assembly;
use p5_assembler::diag::{self, Severity, Span};
use runtime::image::SourceFile;
use runtime::report;
use serde::Serialize;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;

/// The diagnostics of every file, in the order of the command line; of one program by file and line. Of a file with
/// more than 20 the first ones, errors before warnings, and how many more there are.
#[derive(Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "p5inst check"))]
pub(super) struct Report(Vec<Diagnostic>);

/// An error or a warning.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Diagnostic {
    /// Where it is.
    #[serde(flatten)]
    place: Place,
    /// `error`, or `warning` if the file is assembled nevertheless.
    severity: &'static str,
    /// What is wrong.
    message: String,
    /// What the marked part of the line is; null if that is clear.
    label: Option<String>,
    /// How to fix it; null if that is not known.
    help: Option<String>,
    /// The macro calls and repeats that the line came from, innermost first.
    trail: Vec<Step>,
    /// How many more errors and warnings the file has, which are not here; 0 but in the last one of a file.
    left_out: u64,
}

/// A position in a source file.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Place {
    /// The file's name; null if it concerns no file.
    file: Option<String>,
    /// The line, from 1; null if it concerns no line.
    line: Option<u32>,
    /// The column, from 1, in characters; null if it concerns no line.
    column: Option<usize>,
}

/// A macro call, or a pass of a repeat.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Step {
    /// Where the call is.
    #[serde(flatten)]
    place: Place,
    /// What was called.
    message: String,
}

impl Report {
    pub(super) fn add(&mut self, assembly: &Assembly) {
        let mut lines = Lines::new(&assembly.files);
        // For each file, the index of the last diagnostic shown, and the number of those left out.
        let mut of_file: HashMap<Option<u32>, (usize, u64)> = HashMap::new();
        for (diagnostic, shown) in assembly.diagnostics.iter().zip(shown(&assembly.diagnostics)) {
            let (last, left_out) = of_file.entry(diagnostic.span.map(|span| span.file)).or_default();
            if shown {
                *last = self.0.len();
                self.0.push(with_place(diagnostic, &assembly.files, &mut lines));
            } else {
                *left_out += 1;
            }
        }
        for (last, left_out) in of_file.into_values() {
            if let Some(last) = self.0.get_mut(last) {
                last.left_out = left_out;
            }
        }
    }

    /// Adds a file that could not be read.
    pub(super) fn unreadable(&mut self, path: &Path, problem: String) {
        self.0.push(Diagnostic {
            place: Place {
                file: Some(path.display().to_string()),
                line: None,
                column: None,
            },
            severity: "error",
            message: problem,
            label: None,
            help: None,
            trail: Vec::new(),
            left_out: 0,
        });
    }

    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        report::write_json(self, out)
    }
}

fn with_place(diagnostic: &diag::Diagnostic, files: &[SourceFile], lines: &mut Lines<'_>) -> Diagnostic {
    let mut place = |span: Option<Span>| Place {
        file: span
            .and_then(|span| files.get(span.file as usize))
            .map(|file| file.name.clone()),
        line: span.map(|span| span.line),
        column: span.and_then(|span| column(lines, span)),
    };
    Diagnostic {
        place: place(diagnostic.span),
        severity: match diagnostic.severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        },
        message: diagnostic.message.clone(),
        label: diagnostic.label.clone(),
        help: diagnostic.help.clone(),
        trail: diagnostic
            .trail
            .iter()
            .map(|step| Step {
                place: place(Some(step.span)),
                message: step.message.clone(),
            })
            .collect(),
        left_out: 0,
    }
}

#[cfg(test)]
mod schemas {
    use super::Report;
    use schemars::generate::SchemaSettings;

    #[test]
    fn the_published_schema_is_what_the_declarations_say() {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        let schema = settings.into_generator().into_root_schema_for::<Report>();
        let declared = format!("{:#}\n", schema.to_value()).replace("\\n", " ");
        let published = runtime::report::SCHEMAS.iter().find(|schema| schema.name == "check");
        let published = published.expect("it is listed").text;
        if std::env::var_os("P5INST_UPDATE_SCHEMAS").is_some() {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../runtime/report/schemas/check.json");
            return std::fs::write(file, declared).expect("the file is written");
        }
        assert_eq!(published, declared, "runtime/report/schemas/check.json differs");
    }
}
