//! The table of a sweep while its rows are being finished, and its output.

use super::super::args::Color;
use super::super::output::print_all;
use super::super::{BAD_INPUT, STOPPED, complain};
use super::journal::{Journal, Opened};
use super::matrix::{Matrix, Point};
use super::outputs::Outputs;
use super::sources::Cache;
use super::{Done, Subject, Work, union};
use p5_assembler::diag::Diagnostic;
use p5_assembler::spelling::nearest;
use runtime::image::SourceFile;
use runtime::report::sweep::{Row, Sweep};
use std::collections::HashMap;
use std::path::Path;
use std::process::ExitCode;

/// The first run, in the order of the matrix, with diagnostics from the assembler.
struct FirstReport {
    row: usize,
    diagnostics: Vec<Diagnostic>,
    files: Vec<SourceFile>,
}

/// Makes sure that a sweep has the columns to draw; the error names the first one that it lacks.
pub(super) fn known_figures<'a>(figures: impl Iterator<Item = &'a String>, sweep: &Sweep) -> Result<(), String> {
    let known = sweep.figures();
    for figure in figures {
        if !known.contains(figure) {
            let unknown = runtime::report::escaped(figure);
            let help = match nearest(figure, known.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{}`?", runtime::report::escaped(near)),
                None => format!(
                    "there are {}; of a region NAME `region.NAME.cycles`, of `--event NAME` `event.NAME`",
                    known.join(", ")
                ),
            };
            return Err(format!("there is no column `{unknown}` of figures; {help}"));
        }
    }
    Ok(())
}

/// The rows of a sweep, and the files that keep them.
pub(super) struct Table {
    /// The rows by index; `None` for those that are not finished.
    pub(super) rows: Vec<Option<Row>>,
    journal: Option<Journal>,
    errors: Option<FirstReport>,
    warnings: Option<FirstReport>,
    failed_budgets: Option<FirstReport>,
}

impl Table {
    /// A table with the rows that an interrupted sweep into `file` has left.
    pub(super) fn new(work: &Work, file: Option<&Path>) -> Result<Table, String> {
        let mut table = Table {
            rows: vec![None; work.matrix.len()],
            journal: None,
            errors: None,
            warnings: None,
            failed_budgets: None,
        };
        let Some(file) = file else {
            return Ok(table);
        };
        let Opened {
            journal,
            rows,
            dropped,
            damaged,
        } = Journal::open(file, &work.identity(), work.cache)?;
        table.take(work.matrix, rows);
        table.journal = Some(journal);
        let done = table.rows.iter().flatten().count();
        if let Some(line) = damaged {
            complain(&format!(
                "finished rows are damaged from line {line} on; what stands there is made again"
            ));
        }
        match dropped {
            Some(why) => complain(&format!("the sweep starts anew: {why}")),
            None if done > 0 => complain(&format!(
                "the sweep goes on: {done} of {} runs are done",
                table.rows.len()
            )),
            None => {}
        }
        Ok(table)
    }

    /// The file that keeps finished rows, if there is one.
    pub(super) fn journal_path(&self) -> Option<&Path> {
        self.journal.as_ref().map(Journal::path)
    }

    fn take(&mut self, matrix: &Matrix, mut rows: HashMap<String, Row>) {
        if !rows.is_empty() {
            for (index, row) in self.rows.iter_mut().enumerate() {
                *row = rows.remove(&matrix.point(index).name);
            }
        }
    }

    /// Adds a finished run, and keeps its row on disk; an error is one line.
    pub(super) fn add(&mut self, index: usize, point: &Point, done: Done, cache: &Cache) -> Result<(), String> {
        if let Some(journal) = &mut self.journal {
            journal.add(&point.name, &done.row, cache)?;
        }
        let told = if done.row.is_assembled() {
            &mut self.warnings
        } else {
            &mut self.errors
        };
        for (told, diagnostics) in [
            (told, done.diagnostics),
            (&mut self.failed_budgets, done.failed_budgets),
        ] {
            if !diagnostics.is_empty() && told.as_ref().is_none_or(|told| index < told.row) {
                *told = Some(FirstReport {
                    row: index,
                    diagnostics,
                    files: done.files.clone(),
                });
            }
        }
        self.rows[index] = Some(done.row);
        Ok(())
    }

    /// Writes the table and messages about runs without figures.
    pub(super) fn finish(self, work: &Work, outputs: &Outputs) -> Result<ExitCode, String> {
        let rows: Vec<Row> = self.rows.into_iter().flatten().collect();
        let regions = match &work.arguments.region[..] {
            [] => union(rows.iter().map(|row| row.regions().map(str::to_owned).collect())),
            named => named.to_vec(),
        };
        let known = |name: &String| rows.iter().flat_map(Row::regions).any(|region| region == name);
        // The only row of a job need not have all regions, and a run without an image has none.
        let comparable = rows.len() > 1 && rows.iter().any(Row::is_assembled);
        let unknown = regions.iter().find(|name| comparable && !known(name));
        if let Some(unknown) = unknown {
            let close = nearest(unknown, rows.iter().flat_map(Row::regions));
            let remedy = close.map_or_else(String::new, |close| format!("; did you mean `{close}`?"));
            complain(&format!(
                "no run has a region `{unknown}`, so its columns are empty{remedy}"
            ));
        }
        let is_missing = unknown.is_some();
        let name = match work.subject {
            Subject::Source { main, .. } => &main.name,
            Subject::Program { name, .. } => name,
        };
        let sweep = Sweep {
            program: name.clone(),
            axes: work.matrix.axes.clone(),
            events: work.events.to_vec(),
            regions,
            rows,
        }
        .aligned();
        let figures = &work.arguments.figure;
        known_figures(figures.iter(), &sweep)?;
        for told in [&self.warnings, &self.errors, &self.failed_budgets]
            .into_iter()
            .flatten()
        {
            tell(&sweep, told, work.arguments.color);
        }
        outputs.write(&sweep, figures, work.arguments.color)?;
        if let Some(journal) = self.journal {
            journal.remove()?;
        }
        let every = |holds: fn(&Row) -> bool| sweep.rows.iter().all(holds);
        let is_answered = !is_missing && every(Row::is_assembled);
        Ok(
            match (is_answered, every(|row| row.has_ended() && row.keeps_budgets())) {
                (false, _) => ExitCode::from(BAD_INPUT),
                (true, false) => ExitCode::from(STOPPED),
                (true, true) => ExitCode::SUCCESS,
            },
        )
    }
}

/// Shows the diagnostics of a run.
fn tell(sweep: &Sweep, told: &FirstReport, color: Color) {
    if sweep.rows.len() > 1 {
        complain(&format!("of {}:", sweep.named(told.row)));
    }
    print_all(&told.diagnostics, &told.files, color);
}
