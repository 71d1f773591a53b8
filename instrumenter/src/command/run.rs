//! Runs a program: assembles and simulates it, and writes the reports.

use super::answers;
use super::args::{
    Arguments, AssemblyArguments, Color, Output, Outputs, ProgramArguments, RunArguments, errata, is_list, usual_limit,
    usual_options,
};
use super::budgets;
use super::engines::run_with_engine;
use super::hot_calls;
use super::input::Input;
use super::output::{file_style, print_all, print_colored, print_diagnostics};
use super::preset::prepare;
use super::program_input::{kept_input, typed, wait_until};
use super::program_sources::note_unread;
use super::progress::Progress;
use super::refused;
use super::replace::{Complete, Replacement};
use super::{BAD_INPUT, STOPPED, complain, what_if};
use p5_assembler::source::Sources;
use p5_assembler::{Assembly, Extent, Library, Options, assemble};
use runtime::image::{Image, SourceFile};
use runtime::machine::{self, Machine};
use runtime::model::{Choice, Model, Supposed};
use runtime::report::{RunFormat, Style, add_budget_causes, budgets_need_causes, why_stopped};
use runtime::run::Run;
use std::borrow::Cow;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// The name of the format that a terminal shows.
const TEXT: &str = "text";
/// One part in this many of the time limit is reserved for the report.
const FOR_REPORT: u32 = 20;

/// The results that become known during a run, before the report is written.
pub(crate) enum Seen<'a> {
    Files(&'a [SourceFile]),
    Run(&'a Run),
}

/// Assembles and runs a program; diagnostics go to standard error, reports to their files and to standard output. `see`
/// decides for a run whether its text is wanted on standard output. Errors are one line: an include directory does not
/// exist, or a report cannot be written. Whether a file can be written is tested before the program runs, and all files
/// are written before the first one is replaced.
pub(crate) fn run(
    input: Input<'_>,
    arguments: &Arguments,
    see: &mut dyn FnMut(Seen) -> Result<bool, String>,
) -> Result<ExitCode, String> {
    let started = Instant::now();
    let run = &arguments.run;
    let mut read: Vec<&Path> = run.program.file.iter().map(PathBuf::as_path).collect();
    if arguments.what_if {
        what_if::possible(&arguments.outputs)?;
    }
    if let Input::Program { name, mut image } = input {
        prepare(&mut image, &run.program)?;
        let (name, image) = (&name, &image);
        possible(&arguments.outputs, &read, image)?;
        let budgets = match budgets::of_program(image) {
            Ok(budgets) => budgets,
            Err(problems) => {
                print_all(&problems, &image.files, arguments.color);
                refused::write(name, &problems, &image.files, &arguments.outputs)?;
                return Ok(ExitCode::from(BAD_INPUT));
            }
        };
        let setting = Setting::of(arguments, level_of(&run.program.assembly, image), started);
        let mut closed = run_with_engine(&setting, name, image, run)?;
        closed.budgets = budgets;
        note_unread(&mut closed);
        if fails_before_trials(arguments) {
            print_all(&budgets::failed(&closed), &closed.files, arguments.color);
        }
        if !arguments.what_if {
            answers::add(&mut closed, &setting, image, arguments);
            if arguments.outputs.0.iter().any(|output| output.format.name == TEXT) {
                hot_calls::add(&mut closed, &setting, image, arguments);
            }
        }
        let shown = see(Seen::Run(&closed))?;
        if arguments.what_if {
            return what_if::compare(&closed, &setting, &|_| Ok(Cow::Borrowed(image)), arguments);
        }
        return report(&closed, arguments, shown);
    }
    read.extend(run.program.more.iter().map(PathBuf::as_path));
    input.source(&run.program, |sources| {
        let mut assembly = assemble(sources, &options(&run.program.assembly, Library::Pentium));
        if let Some(image) = &mut assembly.image {
            prepare(image, &run.program)?;
        }
        print_diagnostics(&assembly, arguments.color);
        say_what_is_no_list(&assembly, &run.program.assembly);
        see(Seen::Files(&assembly.files))?;
        let budgets = match &assembly.image {
            None => {
                refused::write(
                    &sources.main.name,
                    &assembly.diagnostics,
                    &assembly.files,
                    &arguments.outputs,
                )?;
                return Ok(ExitCode::from(BAD_INPUT));
            }
            Some(image) => {
                possible(&arguments.outputs, &read, image)?;
                run.program.monitors.placed(run.program.assembly.cpu, image)?;
                budgets::of_assembly(&assembly)
            }
        };
        let budgets = match budgets {
            Ok(budgets) => budgets,
            Err(problems) => {
                print_all(&problems, &assembly.files, arguments.color);
                refused::write(&sources.main.name, &problems, &assembly.files, &arguments.outputs)?;
                return Ok(ExitCode::from(BAD_INPUT));
            }
        };
        let Some(image) = assembly.image else {
            return Ok(ExitCode::from(BAD_INPUT));
        };
        let setting = Setting::of(arguments, run.program.assembly.level(), started);
        let mut closed = run_with_engine(&setting, &sources.main.name, &image, run)?;
        closed.budgets = budgets;
        // Failed budgets are explained in the remaining time, before anything else uses it up.
        explain_budgets(&mut closed, &setting, &image, run);
        if fails_before_trials(arguments) {
            print_all(&budgets::failed(&closed), &closed.files, arguments.color);
        }
        let options = setting.options(run, &image);
        let past = Machine::past_variables(&image, setting.machine.model, &options, &closed);
        closed.notes.splice(0..0, past);
        if !arguments.what_if {
            answers::add(&mut closed, &setting, &image, arguments);
        }
        let done = see(Seen::Run(&closed)).and_then(|shown| {
            if arguments.what_if {
                let assembled = |model| what_if::assembled(sources, &image, &run.program, model);
                what_if::compare(&closed, &setting, &assembled, arguments)
            } else {
                report(&closed, arguments, shown)
            }
        });
        if !arguments.rerun {
            // The process ends with the report, so the memory of many regions and lines need not be freed piece by
            // piece.
            std::mem::forget((closed, image));
        }
        done
    })
}

/// Whether failed budgets are reported before the program runs under other answers: the runs for `--sure` may take
/// long. While a file is watched, such a report would be cleared from the screen.
fn fails_before_trials(arguments: &Arguments) -> bool {
    arguments.sure && !arguments.rerun
}

/// Makes sure that each file can be written, and that none of them is a source or another report.
fn possible(outputs: &Outputs, read: &[&Path], image: &Image) -> Result<(), String> {
    let mut others: Vec<Replacement> = Vec::new();
    let to_stdout = |output: &Output| output.file.is_none();
    let mut to_standard = outputs.0.iter().any(to_stdout);
    for path in outputs.0.iter().filter_map(|output| output.file.as_deref()) {
        // This file is removed again, so that an interrupted run leaves nothing.
        let file = Replacement::new(path)?;
        let sources = image.files.iter().map(|file| Path::new(&file.name));
        file.must_not_replace(sources.chain(read.iter().copied()))?;
        if file.is_standard_output() && std::mem::replace(&mut to_standard, true) {
            return Err("two reports go to standard output; name another file for one of them".to_owned());
        }
        if others.iter().any(|other| other.is_same(&file)) {
            return Err(format!(
                "two reports go to `{}`; name another file for one",
                path.display()
            ));
        }
        others.push(file);
    }
    Ok(())
}

/// The privilege level of a program that is not assembled here, if none is given.
pub(crate) fn usual_level(image: &Image) -> u8 {
    usual_options(image.process_stack().is_some()).cpl
}

/// The privilege level of a program that is not assembled here.
pub(crate) fn level_of(arguments: &AssemblyArguments, image: &Image) -> u8 {
    arguments.cpl.unwrap_or_else(|| usual_level(image))
}

fn report(run: &Run, arguments: &Arguments, shown: bool) -> Result<ExitCode, String> {
    written(run, arguments, shown, |format, style, out| {
        format.write(run, style, out)
    })
}

/// Calls `write` for `run` in each requested format; text goes to standard output only if it is `shown`.
pub(super) fn written(
    run: &Run,
    arguments: &Arguments,
    shown: bool,
    write: impl Fn(&RunFormat, &Style, &mut dyn Write) -> io::Result<()>,
) -> Result<ExitCode, String> {
    let Arguments { outputs, amount, .. } = arguments;
    let mut complete = Vec::new();
    for output in &outputs.0 {
        let color = output.format.colored.then_some(arguments.color);
        let Some(path) = &output.file else { continue };
        let mut file = Replacement::new(path)?;
        file.written(|out| write(output.format, &file_style(color, *amount), out))?;
        complete.push(file.complete()?);
    }
    complete.into_iter().try_for_each(Complete::replace)?;
    let to_standard = outputs.0.iter().filter(|output| output.file.is_none());
    for output in to_standard.filter(|output| shown || output.format.name != TEXT) {
        let color = output.format.colored.then_some(arguments.color);
        print_colored(color, *amount, |style, out| write(output.format, style, out))?;
    }
    // The report of a comparison contains the reason itself.
    let all = outputs.0.iter().filter(|_| !arguments.what_if);
    let (names, stopped): (Vec<&str>, Vec<String>) = all
        .filter_map(|output| Some((output.format.name, output.format.unsaid_stop(run)?)))
        .unzip();
    if let Some(stopped) = stopped.first() {
        complain(&format!(
            "{stopped}; what it shows as {} ends there",
            names.join(" and ")
        ));
    }
    let all_to_files = !arguments.what_if && outputs.0.iter().all(|output| output.file.is_some());
    if let (None, true, Some(stopped)) = (stopped.first(), all_to_files, why_stopped(run)) {
        complain(&stopped);
    }
    let failed = budgets::failed(run);
    if !fails_before_trials(arguments) {
        print_all(&failed, &run.files, arguments.color);
    }
    Ok(if run.stop.reason.succeeds() && failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(STOPPED)
    })
}

/// The assembled program; `None` if it has errors. Errors and warnings go to standard error. An error is one line: the
/// program lacks something that a monitor needs.
pub(crate) fn assembled(
    sources: &Sources,
    arguments: &ProgramArguments,
    library: Library,
    color: Color,
) -> Result<Option<Image>, String> {
    let mut assembly = assemble(sources, &options(&arguments.assembly, library));
    if let Some(image) = &mut assembly.image {
        prepare(image, arguments)?;
    }
    print_diagnostics(&assembly, color);
    say_what_is_no_list(&assembly, &arguments.assembly);
    if let Some(image) = &assembly.image {
        arguments.monitors.placed(arguments.assembly.cpu, image)?;
    }
    Ok(assembly.image)
}

/// Says that a definition is one text, if the source has errors with one that looks like several values.
fn say_what_is_no_list(assembly: &Assembly, arguments: &AssemblyArguments) {
    if assembly.image.is_some() {
        return;
    }
    if let Some((name, value)) = arguments.define.iter().find(|(_, value)| is_list(value)) {
        let value = runtime::report::escaped(value);
        complain(&format!(
            "`-D {name}={value}` defines one text, `{value}`; `p5inst sweep` runs a list of values one by one"
        ));
    }
}

/// The options of the assembler.
pub(crate) fn options(arguments: &AssemblyArguments, library: Library) -> Options {
    Options {
        library,
        extent: Extent::Fragment,
        defines: arguments.define.clone(),
        cpl: arguments.level(),
        chip: arguments.cpu,
        padding: arguments.encoding.padding(),
        ..Options::default()
    }
}

/// What the formats of a run show that is recorded only on request.
#[derive(Clone, Copy, Default)]
struct Recorded {
    cache_sets: bool,
    calls: bool,
}

impl Recorded {
    fn of(arguments: &Arguments) -> Recorded {
        let detail = file_style(None, arguments.amount).detail;
        let outputs = || arguments.outputs.0.iter();
        Recorded {
            cache_sets: outputs().any(|output| output.format.shows_cache_sets(detail)),
            calls: outputs().any(|output| output.format.shows_calls()),
        }
    }
}

/// Runs the program on the simulated chip at privilege level `cpl`, with progress on standard error. The time limit
/// counts from `started`.
pub(crate) fn simulated(name: &str, image: &Image, arguments: &RunArguments, cpl: u8, started: Instant) -> Run {
    let setting = Setting {
        machine: machine_of(&arguments.program),
        cpl,
        recorded: Recorded::default(),
        started,
    };
    simulated_on(&setting, name, image, arguments)
}

/// The machine of a program, and the conditions of its runs.
pub(super) struct Setting {
    pub(super) machine: Supposed,
    cpl: u8,
    recorded: Recorded,
    // The time from which the time limit counts.
    started: Instant,
}

impl Setting {
    /// The same setting with another machine.
    pub(super) fn on(&self, machine: Supposed) -> Setting {
        Setting { machine, ..*self }
    }

    /// The same setting, recording nothing that only some formats show.
    pub(super) fn without_records(&self) -> Setting {
        Setting {
            recorded: Recorded::default(),
            ..*self
        }
    }

    /// The same setting, following calls.
    pub(super) fn with_calls(&self) -> Setting {
        Setting {
            recorded: Recorded {
                calls: true,
                ..Recorded::default()
            },
            ..*self
        }
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn options(&self, arguments: &RunArguments, image: &Image) -> machine::Options {
        machine::Options {
            memory: self.machine.memory,
            cache_sets: self.recorded.cache_sets,
            calls: self.recorded.calls,
            ..run_options(arguments, image, self.cpl, self.started)
        }
    }

    /// The remaining time for runs; `None` if there is no limit.
    pub(super) fn left(&self, arguments: &ProgramArguments) -> Option<Duration> {
        timed(arguments, self.started).left()
    }

    fn of(arguments: &Arguments, cpl: u8, started: Instant) -> Setting {
        Setting {
            machine: machine_of(&arguments.run.program),
            cpl,
            recorded: Recorded::of(arguments),
            started,
        }
    }
}

fn machine_of(arguments: &ProgramArguments) -> Supposed {
    Supposed {
        model: chip(arguments),
        memory: arguments.memory,
    }
}

pub(super) fn simulated_on(setting: &Setting, name: &str, image: &Image, arguments: &RunArguments) -> Run {
    let machine = setting.machine;
    let options = setting.options(arguments, image);
    let mut progress = Progress::new(options.timeout);
    let run = machine::simulate(image, name, machine.model, &options, &mut |reached| {
        progress.reached(reached);
    });
    progress.done();
    run
}

/// Adds the causes of clocks to the budgets of regions that do not hold, from an audited run of the same program, which
/// knows those of each pass. If no time is left, the causes stay unknown.
fn explain_budgets(run: &mut Run, setting: &Setting, image: &Image, arguments: &RunArguments) {
    if !run.stop.reason.by_program() || !budgets_need_causes(run) {
        return;
    }
    let options = machine::Options {
        cache_sets: false,
        calls: false,
        ..setting.options(arguments, image)
    };
    let mut progress = Progress::new(options.timeout);
    let audited = machine::audit(
        image,
        &run.program,
        setting.machine.model,
        &options,
        false,
        &mut |reached| {
            progress.reached(reached);
        },
    );
    progress.done();
    add_budget_causes(run, &audited.passes);
}

/// The options of a machine that runs `image` as often, and with clocks as long, as `arguments` say.
pub(crate) fn run_options(arguments: &RunArguments, image: &Image, cpl: u8, started: Instant) -> machine::Options {
    let usual = machine_options(&arguments.program, image, cpl, started);
    machine::Options {
        runs: arguments.runs(image),
        hertz: arguments.hertz().unwrap_or(usual.hertz),
        ..usual
    }
}

/// The options of a machine that runs `image` at privilege level `cpl`. The time limit counts from `started`.
pub(crate) fn machine_options(
    arguments: &ProgramArguments,
    image: &Image,
    cpl: u8,
    started: Instant,
) -> machine::Options {
    let usual = timed(arguments, started);
    wait_until(arguments.timeout.0.and_then(|timeout| started.checked_add(timeout)));
    machine::Options {
        cpl,
        limit: arguments.limit.unwrap_or(usual_limit(image.process_stack().is_some())),
        memory: arguments.memory,
        core_ratio: arguments.monitors.core_ratio,
        // Each run, and each of several machines, gets all of it.
        input: kept_input,
        typed,
        files: arguments.dir,
        engine: arguments.engine.into(),
        ..usual
    }
}

/// Usual options with the time limit of the arguments, which counts from `started`.
fn timed(arguments: &ProgramArguments, started: Instant) -> machine::Options {
    let for_report = arguments.timeout.0.map(|timeout| timeout / FOR_REPORT);
    machine::Options {
        timeout: arguments.timeout.0,
        spent: started.elapsed(),
        kept: for_report.unwrap_or_default(),
        ..machine::Options::default()
    }
}

/// The chip, with the assumptions and monitors of the arguments.
pub(crate) fn chip(arguments: &ProgramArguments) -> &'static Model {
    assuming(arguments, arguments.assembly.cpu)
}

/// `model` under the assumptions of the arguments, with those of their monitors that it can have.
pub(super) fn assuming(arguments: &ProgramArguments, model: &'static Model) -> &'static Model {
    assuming_too(arguments, model, &[])
}

/// Like [`assuming`], with further assumptions.
pub(super) fn assuming_too(arguments: &ProgramArguments, model: &'static Model, further: &[Choice]) -> &'static Model {
    let mut assumed = chosen(arguments);
    assumed.extend(further);
    let model = model.assuming(&assumed);
    arguments.monitors.attached(model).unwrap_or(model)
}

pub(super) fn chosen(arguments: &ProgramArguments) -> Vec<Choice> {
    let errata = arguments.errata.then(errata);
    arguments.assume.iter().copied().chain(errata).collect()
}
