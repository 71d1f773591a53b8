//! `p5inst sweep`: a program under every combination of several options, on all cores.
//!
//! Each run has its own machine, which is dropped as soon as the run is reduced to its row: apart from the rows, there
//! are never more machines than threads. The rows are in the order of the matrix, whatever the order in which the runs
//! end.

mod jobs;
mod journal;
mod matrix;
mod outputs;
mod progress;
mod sources;
mod table;

use super::args::SweepArguments;
use super::diagnostics::refusal;
use super::includes::Includes;
use super::input::{self, Input};
use super::preset::{assembled_ready, prepare};
use super::setting::{chip, machine_options, program_options};
use super::{answers, complain, event};
use crate::budgets;
use asm_macros::events::Event;
use journal::Identity;
use matrix::{Matrix, Point};
use outputs::Outputs;
use p5_assembler::diag::Diagnostic;
use p5_assembler::source::{Binary, Sources};
use p5_assembler::{Assembly, Library, Limits};
use progress::Progress;
use rayon::prelude::*;
use runtime::image::{Image, SourceFile};
use runtime::machine;
use runtime::model::MODELS;
use runtime::report::sweep::{Row, Sweep};
use runtime::run::{Budget, Run};
use sources::{Cache, fingerprint};
use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Mutex, Once, PoisonError, RwLock};
use std::time::{Instant, SystemTime};
use table::Table;

/// The stack size of a thread in bytes: that of the main thread, which suffices for deeply nested sources.
const STACK: usize = 8 << 20;
/// The version of the journal's format.
const JOURNAL: u32 = 4;

enum Subject {
    Source {
        main: SourceFile,
        objects: Vec<Binary>,
    },
    Program {
        name: String,
        image: Box<Image>,
        budgets: Result<Vec<Budget>, Vec<Diagnostic>>,
    },
}

/// Runs the matrix, or prints its jobs. An error is one line; rows that are finished by then stay on disk.
pub(crate) fn sweep(arguments: &SweepArguments) -> Result<ExitCode, String> {
    let outputs = Outputs::of(arguments)?;
    let events = events(arguments)?;
    let mut matrix = Matrix::new(arguments, None)?;
    let base = matrix.point(0).program;
    let cache = Cache::new(Includes::new(&arguments.file, &arguments.include)?);
    let subject = match input::read(&base)? {
        Input::Program { name, image } => {
            matrix = Matrix::new(arguments, Some(&image))?;
            let budgets = budgets::of_program(&image);
            Subject::Program { name, image, budgets }
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
    work.fits_program()?;
    if arguments.jobs {
        return jobs::print(&work);
    }
    outputs.possible()?;
    work.knows_figures()?;
    let mut table = Table::new(&work, outputs.first_file())?;
    say_if_interrupted(table.journal_path());
    work.perform(&mut table)?;
    table.finish(&work, &outputs)
}

/// The exit code of an interrupted command, by the convention of shells.
const INTERRUPTED: i32 = 130;

/// From here on, an interrupt ends the command with a message about the rows kept in `journal`.
fn say_if_interrupted(journal: Option<&Path>) {
    let words = match journal {
        Some(journal) => format!(
            "interrupted; the finished rows are kept in `{}`, and the same command goes on from there",
            journal.display()
        ),
        None => "interrupted; nothing is kept: with `-o FILE`, the same command goes on where it was".to_owned(),
    };
    // Without a handler, an interrupt ends the command as well, and the same rows are kept.
    let _ = ctrlc::set_handler(move || {
        complain(&words);
        std::process::exit(INTERRUPTED);
    });
}

/// The events with a column each: those that the arguments name, on the chips of the sweep or on any chip.
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

/// The work of a sweep.
struct Work<'a> {
    arguments: &'a SweepArguments,
    matrix: &'a Matrix<'a>,
    subject: &'a Subject,
    cache: &'a Cache,
    events: &'a [Event],
}

struct Done {
    row: Row,
    diagnostics: Vec<Diagnostic>,
    failed_budgets: Vec<Diagnostic>,
    files: Vec<SourceFile>,
}

impl Work<'_> {
    /// Makes sure that the first program has the place of another bus master, if a monitor names one, and takes a
    /// command line, if one is given.
    fn fits_program(&self) -> Result<(), String> {
        let monitors = &self.arguments.monitors;
        let mut masters = monitors.monitor.iter().filter_map(|monitor| monitor.master);
        let point = self.matrix.point(0);
        let asked = masters.any(|master| master.place.is_some()) || self.arguments.args.is_some();
        let assembly = match asked {
            true => self
                .assembled(&point, &Share::all(), Library::Pentium, &[])
                .unwrap_or_default(),
            false => Assembly::default(),
        };
        // A source with errors gets rows that say so.
        let Some(mut image) = assembly.image else {
            return Ok(());
        };
        prepare(&mut image, &point.program)?;
        monitors.placed(point.program.assembly.cpu, &image)
    }

    /// Makes sure, before the runs, that the columns to draw will exist. Those of regions are known only after the
    /// runs, unless the regions are named.
    fn knows_figures(&self) -> Result<(), String> {
        let named = &self.arguments.region;
        let sweep = Sweep {
            program: String::new(),
            axes: self.matrix.axes.clone(),
            events: self.events.to_vec(),
            regions: named.clone(),
            rows: Vec::new(),
        };
        let figures = self.arguments.figure.iter();
        table::known_figures(
            figures.filter(|figure| !named.is_empty() || !figure.starts_with("region.")),
            &sweep,
        )
    }

    /// Makes the missing rows, on all cores.
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
        // A continued sweep has said this before, and single jobs would repeat it.
        let told = Once::new();
        if pending.len() < self.matrix.len() || self.arguments.no_header {
            told.call_once(|| {});
        }
        parallel(&pending, |row| {
            let point = self.matrix.point(row);
            let done = self.run(&point)?;
            if !done.files.is_empty() {
                told.call_once(|| self.say_what_is_unused(&done.files));
            }
            let mut table = table.lock().unwrap_or_else(PoisonError::into_inner);
            table.add(row, &point, done, self.cache)?;
            progress.lock().unwrap_or_else(PoisonError::into_inner).step();
            Ok(())
        })
    }

    /// Names the swept symbols that no file of a run mentions; rows that differ only in such values are equal.
    fn say_what_is_unused(&self, files: &[SourceFile]) {
        let mentioned = |name: &str, text: &str| {
            let word = |one: char| one.is_ascii_alphanumeric() || "_@$?".contains(one);
            text.split(|one| !word(one))
                .any(|found| found.eq_ignore_ascii_case(name))
        };
        for defined in &self.arguments.define {
            if !files.iter().any(|file| mentioned(&defined.name, &file.text)) {
                let name = runtime::report::escaped(&defined.name);
                complain(&format!("`{name}` is defined by -D, but the source does not use it"));
            }
        }
    }

    /// Runs the program once, with the options of `point`.
    fn run(&self, point: &Point) -> Result<Done, String> {
        let done = in_share(|share| self.run_within(point, share));
        done.ok_or_else(|| "a run takes more memory than any run may".to_owned())
    }

    /// Runs the program in a share of the memory; what does not fit has no result.
    fn run_within(&self, point: &Point, share: &Share) -> Option<Done> {
        let started = Instant::now();
        match self.subject {
            Subject::Program { name, image, budgets } => {
                let (row, failed_budgets, diagnostics) = match budgets {
                    Ok(budgets) => {
                        let mut run = self.simulated(name, image, point, started, share)?;
                        run.budgets.clone_from(budgets);
                        (Row::of(&run, self.events), budgets::failed(&run), Vec::new())
                    }
                    Err(wrong) => {
                        let row = Row::not_assembled(refusal(wrong, &image.files), self.events);
                        (row, Vec::new(), wrong.clone())
                    }
                };
                // The texts are for what is said of budgets.
                let said = !diagnostics.is_empty() || !failed_budgets.is_empty();
                Some(Done {
                    row,
                    diagnostics,
                    failed_budgets,
                    files: if said { image.files.clone() } else { Vec::new() },
                })
            }
            Subject::Source { main, .. } => {
                let mut assembly = self.assembled(point, share, Library::Pentium, &[])?;
                let budgets = budgets::of_assembly(&mut assembly);
                let mut failed_budgets = Vec::new();
                let row = match (&assembly.image, budgets) {
                    (Some(image), Ok(budgets)) => {
                        let mut run = self.simulated(&main.name, image, point, started, share)?;
                        run.budgets = budgets;
                        failed_budgets = budgets::failed(&run);
                        Row::of(&run, self.events)
                    }
                    (_, budgets) => {
                        assembly.diagnostics.extend(budgets.err().into_iter().flatten());
                        Row::not_assembled(refusal(&assembly.diagnostics, &assembly.files), self.events)
                    }
                };
                Some(Done {
                    row,
                    failed_budgets,
                    diagnostics: assembly.diagnostics,
                    files: assembly.files,
                })
            }
        }
    }

    /// Assembles the source with the options of `point` in a share of the memory, and in the time of a row; what is no
    /// source has no image, and what does not fit has no result. What values of `settled` names decide is not noted.
    fn assembled(&self, point: &Point, share: &Share, library: Library, settled: &[String]) -> Option<Assembly> {
        let Subject::Source { main, objects } = self.subject else {
            return Some(Assembly::default());
        };
        let sources = Sources {
            main: main.clone(),
            include: &|name| self.cache.read(name),
            objects,
        };
        let mut options = program_options(&point.program, library);
        options.settled = settled.to_vec();
        options.limits.memory = share.assembly;
        let longest = point.program.timeout.0;
        options.limits.until = longest.and_then(|longest| Some((Instant::now().checked_add(longest)?, longest)));
        let assembly = assembled_ready(&sources, &options, &point.program);
        (share.is_all || !assembly.out_of_memory).then_some(assembly)
    }

    /// Runs a program in a share of the memory; one that asks for more has no result.
    fn simulated(&self, name: &str, image: &Image, point: &Point, started: Instant, share: &Share) -> Option<Run> {
        let options = machine::Options {
            runs: point.runs,
            mapped: share.mapped,
            // Only one of the runs could read standard input, so none does.
            input: Vec::new,
            typed: Vec::new,
            ..machine_options(&point.program, image, point.program.assembly.level(), started)
        };
        let mut run = machine::simulate_within(image, name, chip(&point.program), &options, &mut |_| ())?;
        answers::keep_chosen(&mut run, &point.program);
        Some(run)
    }

    /// The identity of the journal: the properties that all rows share.
    fn identity(&self) -> Identity {
        let source = match self.subject {
            Subject::Source { main, objects } => {
                let objects: Vec<(&str, &[u8])> = objects.iter().map(|one| (&*one.name, &*one.bytes)).collect();
                fingerprint(&(&*main.text, objects))
            }
            Subject::Program { image, budgets, .. } => {
                let segments: Vec<(u32, &[u8], u32)> = image
                    .segments
                    .iter()
                    .map(|one| (one.address, &*one.bytes, one.zeroes))
                    .collect();
                fingerprint(&(segments, image.entry, &image.stack, format!("{budgets:?}")))
            }
        };
        let events: Vec<&str> = self.events.iter().map(|event| event.name()).collect();
        let attached = &self.arguments.monitors;
        let mut monitors: Vec<&str> = attached.all().iter().map(|monitor| monitor.name).collect();
        // A chip has them in no order.
        monitors.sort_unstable();
        let monitors = (monitors, attached.core_ratio.to_string());
        Identity {
            p5inst_sweep: JOURNAL,
            tool: build(),
            source,
            options: fingerprint(&(
                self.arguments.limit,
                self.arguments.timeout.0,
                self.arguments.encoding.encode,
                &self.arguments.args,
                events,
                monitors,
            )),
        }
    }
}

fn build() -> String {
    let own = std::env::current_exe().and_then(std::fs::metadata);
    let made = own.ok().and_then(|own| Some((own.len(), own.modified().ok()?)));
    // If the build is unknown, it counts as different from that of any other process.
    let made = made.map_or_else(
        || fingerprint(&(std::process::id(), SystemTime::now())),
        |made| fingerprint(&made),
    );
    format!("{} {made:016x}", env!("CARGO_PKG_VERSION"))
}

/// The memory of a run, in bytes: what its source takes to assemble, and what its program may map.
struct Share {
    assembly: u64,
    mapped: u32,
    /// Whether it is all that any run may have.
    is_all: bool,
}

/// The bytes that all threads together have to assemble sources, and those that all their programs may map.
const TOGETHER: (u64, u32) = (256 << 20, 192 << 20);

impl Share {
    /// All that a run may have.
    fn all() -> Share {
        Share {
            assembly: Limits::default().memory,
            mapped: machine::Options::default().mapped,
            is_all: true,
        }
    }

    /// The share of one of this many threads.
    fn of(threads: usize) -> Share {
        let (assembly, mapped) = TOGETHER;
        Share {
            assembly: assembly / threads.max(1) as u64,
            mapped: mapped / u32::try_from(threads.max(1)).unwrap_or(u32::MAX),
            is_all: false,
        }
    }
}

/// Performs a run in this thread's share of the memory. One that does not fit is performed anew and alone, so that all
/// threads together take no more than one may, and no result depends on their number.
fn in_share<T>(perform: impl Fn(&Share) -> Option<T>) -> Option<T> {
    /// Those who run within their shares read it; who runs alone writes it.
    static TURN: RwLock<()> = RwLock::new(());
    let threads = rayon::current_thread_index().map_or(1, |_| rayon::current_num_threads());
    if threads > 1 {
        let _together = TURN.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(done) = perform(&Share::of(threads)) {
            return Some(done);
        }
    }
    let _alone = TURN.write().unwrap_or_else(PoisonError::into_inner);
    perform(&Share::all())
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

/// The names, each once, in the order of their first occurrence.
fn union(lists: impl Iterator<Item = Vec<String>>) -> Vec<String> {
    let mut known: HashSet<String> = HashSet::new();
    lists.flatten().filter(|name| known.insert(name.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn all_threads_together_take_no_more_than_one_may() {
        let (taken, most, alone) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        let rows: Vec<usize> = (0..200).collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(8).build();
        let pool = pool.expect("threads");
        pool.install(|| {
            rows.par_iter().with_max_len(1).for_each(|row| {
                let done = in_share(|share| {
                    let bytes = share.assembly + u64::from(share.mapped);
                    most.fetch_max(taken.fetch_add(bytes, Ordering::SeqCst) + bytes, Ordering::SeqCst);
                    std::thread::yield_now();
                    taken.fetch_sub(bytes, Ordering::SeqCst);
                    alone.fetch_add(u64::from(share.is_all), Ordering::SeqCst);
                    (share.is_all || row % 5 > 0).then_some(*row)
                });
                assert_eq!(done, Some(*row));
            });
        });
        let all = Share::all();
        assert!(most.into_inner() <= all.assembly + u64::from(all.mapped));
        assert_eq!(alone.into_inner(), 40);
    }
}
