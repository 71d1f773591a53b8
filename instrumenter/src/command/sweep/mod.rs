//! `p5inst sweep`: a program under every combination of several options, on all cores.
//!
//! Each run has a machine of its own, which is dropped as soon as the run is reduced to its row: besides the rows, there
//! are never more machines than threads. The rows stand in the order of the matrix, whatever order the runs end in.

mod jobs;
mod journal;
mod matrix;
mod outputs;
mod sources;

use super::args::{Color, SweepArguments};
use super::input::{self, Input};
use super::output::print_all;
use super::run::{PATIENCE, chip, machine_options, options};
use super::sources::Includes;
use super::{BAD_INPUT, STOPPED, complain, event};
use crate::diag::{Diagnostic, Severity};
use crate::source::{Binary, Sources};
use crate::{Assembly, Library, assemble};
use asm_macros::events::Event;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use journal::{Identity, Journal, Opened};
use matrix::{Matrix, Point};
use outputs::Outputs;
use rayon::prelude::*;
use runtime::image::{Image, SourceFile};
use runtime::machine;
use runtime::model::MODELS;
use runtime::report::sweep::{Row, Sweep};
use sources::{Cache, fingerprint};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The stack of a thread: that of the main thread, which deeply nested sources fit into.
const STACK: usize = 8 << 20;
/// The form of the journal.
const JOURNAL: u32 = 1;

/// What is run.
enum Subject {
    Source { main: SourceFile, objects: Vec<Binary> },
    Program { name: String, image: Box<Image> },
}

/// Runs the matrix, or prints its jobs.
///
/// # Errors
/// One line: what is wrong with an option or a file, or why a table cannot be written. Rows that are finished by then
/// stay on disk.
pub(crate) fn sweep(arguments: &SweepArguments) -> Result<ExitCode, String> {
    let outputs = Outputs::of(arguments)?;
    let events = events(arguments)?;
    let mut matrix = Matrix::new(arguments, false)?;
    let base = matrix.point(0).program;
    let cache = Cache::new(Includes::new(&arguments.file, &arguments.include)?);
    let subject = match input::read(&base)? {
        Input::Program { name, image } => {
            matrix = Matrix::new(arguments, true)?;
            Subject::Program { name, image }
        }
        Input::Source { main, objects, .. } => Subject::Source { main, objects },
    };
    let work = Work {
        arguments,
        matrix: &matrix,
        subject: &subject,
        cache: &cache,
        events: &events,
    };
    if arguments.jobs {
        return jobs::print(&work);
    }
    outputs.must_not_replace(&work.files())?;
    let mut table = Table::new(&work, outputs.first_file())?;
    work.perform(&mut table)?;
    table.finish(&work, &outputs)
}

/// The events that have a column: of the chips that are swept, or of any chip.
fn events(arguments: &SweepArguments) -> Result<Vec<Event>, String> {
    let mut events: Vec<Event> = Vec::new();
    for wanted in &arguments.event {
        let chips = arguments.cpu.iter().copied().chain(MODELS.iter().copied());
        let mut found = chips.map(|chip| event(wanted, chip));
        let first = found.next().ok_or("no chip is named")?;
        let selection = first.or_else(|error| found.find_map(Result::ok).ok_or(error))?;
        if events.contains(&selection.event) {
            return Err(format!("the event {} is given twice", selection.event.name()));
        }
        let counts = arguments.cpu.iter().any(|chip| {
            let has = |one: Event| chip.events.selections().any(|selection| selection.event == one);
            has(selection.event) && chip.events.why_unavailable(selection.event).is_none()
        });
        if !counts && !arguments.no_header {
            complain(&format!(
                "no chip of the sweep counts {}, so its column is empty",
                selection.event.name()
            ));
        }
        events.push(selection.event);
    }
    Ok(events)
}

/// What there is to do.
struct Work<'a> {
    arguments: &'a SweepArguments,
    matrix: &'a Matrix<'a>,
    subject: &'a Subject,
    cache: &'a Cache,
    events: &'a [Event],
}

/// A run that is over.
struct Done {
    row: Row,
    diagnostics: Vec<Diagnostic>,
    files: Vec<SourceFile>,
}

impl Work<'_> {
    /// The files that are read.
    fn files(&self) -> Vec<PathBuf> {
        let named = std::iter::once(&self.arguments.file).chain(&self.arguments.more);
        named.cloned().chain(self.cache.files()).collect()
    }

    /// Runs what has no row yet, on all cores.
    fn perform(&self, table: &mut Table) -> Result<(), String> {
        let pending: Vec<usize> = (0..self.matrix.len())
            .filter(|&row| table.rows[row].is_none())
            .collect();
        let progress = Mutex::new(Progress::new(
            "running",
            self.matrix.len(),
            self.matrix.len() - pending.len(),
        ));
        let table = Mutex::new(table);
        parallel(&pending, |row| {
            let point = self.matrix.point(row);
            let done = self.run(&point);
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            table.add(row, &point, done, self.cache)?;
            progress.lock().unwrap_or_else(PoisonError::into_inner).step();
            Ok(())
        })
    }

    /// Runs the program once, with the options of `point`.
    fn run(&self, point: &Point) -> Done {
        let started = Instant::now();
        match self.subject {
            Subject::Program { name, image } => Done {
                row: self.simulated(name, image, point, started),
                diagnostics: Vec::new(),
                files: Vec::new(),
            },
            Subject::Source { main, .. } => {
                let assembly = self.assembled(point).unwrap_or_else(|| Assembly {
                    image: None,
                    listing: None,
                    diagnostics: Vec::new(),
                    files: Vec::new(),
                });
                let row = match &assembly.image {
                    Some(image) => self.simulated(&main.name, image, point, started),
                    None => Row::not_assembled(first_error(&assembly), self.events),
                };
                Done {
                    row,
                    diagnostics: assembly.diagnostics,
                    files: assembly.files,
                }
            }
        }
    }

    /// Assembles the source with the options of `point`; none if it is a program.
    fn assembled(&self, point: &Point) -> Option<Assembly> {
        let Subject::Source { main, objects } = self.subject else {
            return None;
        };
        let sources = Sources {
            main: main.clone(),
            include: &|name| self.cache.read(name),
            objects,
        };
        Some(assemble(&sources, &options(&point.program.assembly, Library::Pentium)))
    }

    fn simulated(&self, name: &str, image: &Image, point: &Point, started: Instant) -> Row {
        let options = machine::Options {
            runs: point.runs,
            // Standard input could be read by one of the runs only.
            input: Vec::new,
            ..machine_options(&point.program, point.program.assembly.level(), started)
        };
        let run = machine::simulate(image, name, chip(&point.program), &options, &mut |_| ());
        Row::of(&run, self.events)
    }

    /// What all rows have in common.
    fn identity(&self) -> Identity {
        let source = match self.subject {
            Subject::Source { main, objects } => {
                let objects: Vec<(&str, &[u8])> = objects.iter().map(|one| (&*one.name, &*one.bytes)).collect();
                fingerprint(&(&*main.text, objects))
            }
            Subject::Program { image, .. } => {
                let segments: Vec<(u32, &[u8], u32)> = image
                    .segments
                    .iter()
                    .map(|one| (one.address, &*one.bytes, one.zeroes))
                    .collect();
                fingerprint(&(segments, image.entry, &image.stack))
            }
        };
        let events: Vec<&str> = self.events.iter().map(|event| event.name()).collect();
        Identity {
            p5inst_sweep: JOURNAL,
            tool: build(),
            source,
            options: fingerprint(&(self.arguments.limit, self.arguments.timeout.0, events)),
        }
    }
}

/// The version of this program, and which build it is.
fn build() -> String {
    let own = std::env::current_exe().and_then(std::fs::metadata);
    let made = own.ok().and_then(|own| Some((own.len(), own.modified().ok()?)));
    let made = made.map_or(0, |made| fingerprint(&made));
    format!("{} {made:016x}", env!("CARGO_PKG_VERSION"))
}

/// Why a source could not be assembled.
fn first_error(assembly: &Assembly) -> String {
    let mut all = assembly.diagnostics.iter();
    let Some(first) = all.find(|one| one.severity == Severity::Error) else {
        return "the source has errors".to_owned();
    };
    let file = first
        .span
        .and_then(|span| Some((assembly.files.get(span.file as usize)?, span.line)));
    match file {
        Some((file, line)) => format!("{} ({}:{line})", first.message, file.name),
        None => first.message.clone(),
    }
}

/// Calls `perform` with each of `rows`, on all cores, until one fails.
fn parallel(rows: &[usize], perform: impl Fn(usize) -> Result<(), String> + Sync) -> Result<(), String> {
    let mut builder = rayon::ThreadPoolBuilder::new().stack_size(STACK);
    if rows.len() <= 1 {
        builder = builder.num_threads(1);
    }
    let pool = builder
        .build()
        .map_err(|error| format!("cannot start threads: {error}"))?;
    pool.install(|| rows.par_iter().with_max_len(1).try_for_each(|&row| perform(row)))
}

/// The first run, in the order of the matrix, that the assembler had something to say of.
struct Told {
    row: usize,
    diagnostics: Vec<Diagnostic>,
    files: Vec<SourceFile>,
}

/// The rows as they are finished.
struct Table {
    rows: Vec<Option<Row>>,
    journal: Option<Journal>,
    errors: Option<Told>,
    warnings: Option<Told>,
}

impl Table {
    /// A table with the rows that an interrupted sweep into `file` left behind.
    fn new(work: &Work, file: Option<&Path>) -> Result<Table, String> {
        let mut table = Table {
            rows: vec![None; work.matrix.len()],
            journal: None,
            errors: None,
            warnings: None,
        };
        let Some(file) = file else {
            return Ok(table);
        };
        let Opened { journal, rows, dropped } = Journal::open(file, &work.identity(), work.cache)?;
        table.take(work.matrix, rows);
        table.journal = Some(journal);
        let done = table.rows.iter().flatten().count();
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

    fn take(&mut self, matrix: &Matrix, mut rows: HashMap<String, Row>) {
        if !rows.is_empty() {
            for (index, row) in self.rows.iter_mut().enumerate() {
                *row = rows.remove(&matrix.point(index).name);
            }
        }
    }

    fn add(&mut self, index: usize, point: &Point, done: Done, cache: &Cache) -> Result<(), String> {
        if let Some(journal) = &mut self.journal {
            journal.add(&point.name, &done.row, cache)?;
        }
        let told = if done.row.is_assembled() {
            &mut self.warnings
        } else {
            &mut self.errors
        };
        if !done.diagnostics.is_empty() && told.as_ref().is_none_or(|told| index < told.row) {
            *told = Some(Told {
                row: index,
                diagnostics: done.diagnostics,
                files: done.files,
            });
        }
        self.rows[index] = Some(done.row);
        Ok(())
    }

    /// Writes the table and says what became of the runs.
    fn finish(self, work: &Work, outputs: &Outputs) -> Result<ExitCode, String> {
        let rows: Vec<Row> = self.rows.into_iter().flatten().collect();
        let regions = match &work.arguments.region[..] {
            [] => union(rows.iter().map(|row| row.regions().map(str::to_owned).collect())),
            named => named.to_vec(),
        };
        let known = |name: &String| rows.iter().flat_map(Row::regions).any(|region| region == name);
        // The only row of a job need not have all regions.
        if let Some(unknown) = regions.iter().find(|name| rows.len() > 1 && !known(name)) {
            complain(&format!("no run has a region `{unknown}`, so its columns are empty"));
        }
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
        };
        let figures = &work.arguments.figure;
        if let Some(unknown) = figures.iter().find(|figure| !sweep.figures().contains(figure)) {
            let unknown = runtime::report::escaped(unknown);
            let known = sweep.figures().join(", ");
            return Err(format!("there is no column `{unknown}` of figures; there are {known}"));
        }
        for told in [&self.warnings, &self.errors].into_iter().flatten() {
            tell(&sweep, told, work.arguments.color);
        }
        outputs.must_not_replace(&work.files())?;
        outputs.write(&sweep, figures, work.arguments.color)?;
        if let Some(journal) = self.journal {
            journal.remove()?;
        }
        let every = |holds: fn(&Row) -> bool| sweep.rows.iter().all(holds);
        Ok(match (every(Row::is_assembled), every(Row::has_ended)) {
            (false, _) => ExitCode::from(BAD_INPUT),
            (true, false) => ExitCode::from(STOPPED),
            (true, true) => ExitCode::SUCCESS,
        })
    }
}

/// Shows what the assembler says of a run.
fn tell(sweep: &Sweep, told: &Told, color: Color) {
    if sweep.rows.len() > 1 {
        complain(&format!("of {}:", sweep.named(told.row)));
    }
    print_all(&told.diagnostics, &told.files, color);
}

/// Each name once, in the order of their first appearance.
fn union(lists: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in lists.flatten() {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// Progress on standard error, shown only on a terminal and for what takes longer than a moment.
struct Progress {
    what: &'static str,
    started: Instant,
    all: usize,
    done: usize,
    bar: Option<ProgressBar>,
}

impl Progress {
    fn new(what: &'static str, all: usize, done: usize) -> Progress {
        Progress {
            what,
            started: Instant::now(),
            all,
            done,
            bar: None,
        }
    }

    fn step(&mut self) {
        self.done += 1;
        if self.bar.is_none() && self.started.elapsed() >= PATIENCE {
            let bar = ProgressBar::with_draw_target(Some(self.all as u64), ProgressDrawTarget::stderr());
            let template = format!("{}: {{pos}} of {{len}} runs, {{elapsed}}, {{eta}} left", self.what);
            let bar = match ProgressStyle::with_template(&template) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            };
            // The time left is that of what is done from here on.
            bar.reset_eta();
            self.bar = Some(bar.with_elapsed(self.started.elapsed()));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
