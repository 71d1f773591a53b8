//! The tables that a sweep writes, and their places.

use super::super::args::{Amount, Color, SweepArguments, SweepForm};
use super::super::output::{file_style, print_colored};
use super::super::replace::Replacement;
use runtime::report::NO_PARQUET;
use runtime::report::sweep::{Sweep, SweepFormat};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

/// The extensions of files, with their formats.
const EXTENSIONS: &[(&str, SweepForm)] = &[
    ("csv", SweepForm::Csv),
    ("parquet", SweepForm::Parquet),
    ("json", SweepForm::Json),
    ("html", SweepForm::Html),
    ("txt", SweepForm::Text),
];

pub(super) struct Outputs {
    files: Vec<(PathBuf, SweepFormat)>,
    /// The format of the table on standard output, if there is one.
    standard: Option<SweepFormat>,
}

impl Outputs {
    /// The tables that `arguments` request: one table, or several files whose extensions give their formats. An error
    /// is one line: a format is not known, or two tables have the same place.
    pub(super) fn of(arguments: &SweepArguments) -> Result<Outputs, String> {
        let format = |form| match form {
            SweepForm::Text => SweepFormat::Text,
            SweepForm::Json => SweepFormat::Json,
            SweepForm::Csv => SweepFormat::Csv {
                headings: !arguments.no_header,
            },
            SweepForm::Parquet => SweepFormat::Parquet,
            SweepForm::Html => SweepFormat::Html,
        };
        let mut outputs = Outputs {
            files: Vec::new(),
            standard: None,
        };
        if arguments.output.len() > 1 && arguments.format.is_some() {
            return Err("`--format` is for one table; of several, the extension of each file is its format".to_owned());
        }
        let mut others: Vec<Replacement> = Vec::new();
        for path in &arguments.output {
            let by_extension = || extension(path).map(|&(_, form)| form);
            let standard = path == Path::new("-");
            let form = match arguments.format.or_else(by_extension) {
                Some(form) => form,
                None if standard => SweepForm::Text,
                None => {
                    let known: Vec<String> = EXTENSIONS.iter().map(|(name, _)| format!(".{name}")).collect();
                    let path = path.display();
                    return Err(format!(
                        "the format of `{path}` is not known; give --format, or end its name in one of {}",
                        known.join(", ")
                    ));
                }
            };
            let file = if standard { None } else { Some(Replacement::new(path)?) };
            match file.filter(|file| !file.is_standard_output()) {
                None if outputs.standard.is_some() => {
                    return Err("two tables go to standard output; name another file for one".to_owned());
                }
                None => outputs.standard = Some(format(form)),
                Some(file) if others.iter().any(|other| other.is_same(&file)) => {
                    return Err(format!(
                        "two tables go to `{}`; name another file for one",
                        path.display()
                    ));
                }
                Some(file) => {
                    others.push(file);
                    outputs.files.push((path.clone(), format(form)));
                }
            }
        }
        if arguments.output.is_empty() {
            outputs.standard = Some(format(arguments.format.unwrap_or(SweepForm::Text)));
        }
        let mut formats = outputs.files.iter().map(|(_, format)| format).chain(&outputs.standard);
        if let Some(why) = NO_PARQUET.filter(|_| formats.any(|format| *format == SweepFormat::Parquet)) {
            return Err(format!("{why}, or take csv"));
        }
        if outputs.standard == Some(SweepFormat::Parquet) && std::io::stdout().is_terminal() {
            return Err("Parquet is not text for a terminal; name a file with -o".to_owned());
        }
        Ok(outputs)
    }

    /// The file beside which finished rows are kept, if there is one.
    pub(super) fn first_file(&self) -> Option<&Path> {
        self.files.first().map(|(path, _)| &**path)
    }

    /// Makes sure that no table replaces a source that was read by now; the error names the source.
    pub(super) fn possible(&self) -> Result<(), String> {
        self.files
            .iter()
            .try_for_each(|(path, _)| Replacement::new(path).map(|_| ()))
    }

    /// Writes all tables: the files are replaced after all of them are complete. The error names the file and the
    /// reason.
    pub(super) fn write(&self, sweep: &Sweep, figures: &[String], color: Color) -> Result<(), String> {
        let coloured = |format: SweepFormat| (format == SweepFormat::Text).then_some(color);
        let mut complete = Vec::new();
        for (path, format) in &self.files {
            let format = *format;
            let mut file = Replacement::new(path)?;
            let style = file_style(coloured(format), Amount::default());
            file.written(|out| sweep.write(format, figures, &style, out))?;
            complete.push(file.complete()?);
        }
        for file in complete {
            file.replace()?;
        }
        match self.standard {
            Some(format) => print_colored(coloured(format), Amount::default(), |style, out| {
                sweep.write(format, figures, style, out)
            }),
            None => Ok(()),
        }
    }
}

fn extension(path: &Path) -> Option<&'static (&'static str, SweepForm)> {
    let own = path.extension()?.to_str()?;
    EXTENSIONS.iter().find(|(name, _)| own.eq_ignore_ascii_case(name))
}
