//! Runs a program: assembles and simulates it, and writes the reports.

use super::answers;
use super::args::{Arguments, RunArguments};
use super::engines::run_with_engine;
use super::evicted;
use super::hot_calls;
use super::input::Input;
use super::later_chip::later_chip;
use super::mispredicted;
use super::output::{print_all, print_diagnostics};
use super::preset::prepare;
use super::program_sources::note_unread;
use super::progress::Progress;
use super::refused;
use super::reports::{fails_before_trials, possible, written};
use super::setting::{Setting, level_of, program_options, say_what_is_no_list, simulated_on};
use super::{BAD_INPUT, what_if};
use crate::budgets;
use p5_assembler::{Library, assemble};
use runtime::image::{Image, SourceFile};
use runtime::machine::{self, Machine};
use runtime::report::{add_budget_causes, budgets_need_causes};
use runtime::run::{Note, Run};
use std::borrow::Cow;
use std::process::ExitCode;
use std::time::Instant;

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
    if arguments.what_if {
        what_if::possible(&arguments.outputs)?;
    }
    if let Input::Program { name, mut image } = input {
        prepare(&mut image, &run.program)?;
        let (name, image) = (&name, &image);
        possible(&arguments.outputs, image)?;
        print_all(&budgets::unmarked(image), &image.files, arguments.color);
        let budgets = match budgets::of_program(image) {
            Ok(budgets) => budgets,
            Err(problems) => {
                print_all(&problems, &image.files, arguments.color);
                refused::write(name, &problems, &image.files, &arguments.outputs)?;
                return Ok(ExitCode::from(BAD_INPUT));
            }
        };
        let mut setting = Setting::of(arguments, image, level_of(&run.program.assembly, image), started)?;
        let mut closed = run_with_engine(&setting, name, image, run)?;
        if let Some(later) = later_chip(&closed, &run.program) {
            setting = later.setting(&setting, &run.program);
            closed = run_with_engine(&setting, name, image, run)?;
            later.tell(&mut closed);
        }
        closed.budgets = budgets;
        note_unread(&mut closed);
        if fails_before_trials(arguments) {
            print_all(&budgets::failed(&closed), &closed.files, arguments.color);
        }
        if !arguments.what_if {
            let options = setting.options(run, image);
            let misses = Machine::misses(image, setting.machine.model, &options, &closed);
            add_watched(&mut closed, misses);
            answers::add(&mut closed, &setting, image, arguments);
            hot_calls::add(&mut closed, &setting, image, arguments);
            mispredicted::add(&mut closed, &setting, image, arguments);
        }
        let shown = see(Seen::Run(&closed))?;
        if arguments.what_if {
            return what_if::compare(&closed, &setting, &|_| Ok(Cow::Borrowed(image)), arguments);
        }
        return report(&closed, &shown_too(&setting, name, image, run), arguments, shown);
    }
    input.source(&run.program, |sources| {
        let mut assembly = assemble(sources, &program_options(&run.program, Library::Pentium));
        if let Some(image) = &mut assembly.image {
            prepare(image, &run.program)?;
        }
        print_diagnostics(&assembly, arguments.color);
        print_all(
            &budgets::unmarked_of_assembly(&assembly),
            &assembly.files,
            arguments.color,
        );
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
                possible(&arguments.outputs, image)?;
                run.program.monitors.placed(run.program.assembly.cpu, image)?;
                budgets::of_assembly(&mut assembly)
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
        let Some(mut image) = assembly.image else {
            return Ok(ExitCode::from(BAD_INPUT));
        };
        let mut setting = Setting::of(arguments, &image, run.program.assembly.level(), started)?;
        let mut closed = run_with_engine(&setting, &sources.main.name, &image, run)?;
        if let Some(later) = later_chip(&closed, &run.program)
            && let Ok(other) = what_if::assembled(sources, &image, &run.program, setting.chip, later.chip)
        {
            image = other.into_owned();
            setting = later.setting(&setting, &run.program);
            closed = run_with_engine(&setting, &sources.main.name, &image, run)?;
            later.tell(&mut closed);
        }
        closed.budgets = budgets;
        note_unread(&mut closed);
        // Failed budgets are explained in the remaining time, before anything else uses it up.
        explain_budgets(&mut closed, &setting, &image, run);
        if fails_before_trials(arguments) {
            print_all(&budgets::failed(&closed), &closed.files, arguments.color);
        }
        let options = setting.options(run, &image);
        let mistakes = Machine::mistakes(&image, setting.machine.model, &options, &closed);
        add_watched(&mut closed, mistakes);
        evicted::add(&mut closed, &setting, &image, sources, run);
        if !arguments.what_if {
            answers::add(&mut closed, &setting, &image, arguments);
            hot_calls::add(&mut closed, &setting, &image, arguments);
            mispredicted::add(&mut closed, &setting, &image, arguments);
        }
        let done = see(Seen::Run(&closed)).and_then(|shown| {
            if arguments.what_if {
                let assembled = |model| what_if::assembled(sources, &image, &run.program, setting.chip, model);
                what_if::compare(&closed, &setting, &assembled, arguments)
            } else {
                let others = shown_too(&setting, &sources.main.name, &image, run);
                report(&closed, &others, arguments, shown)
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

/// Adds what a repeated run was seen to do.
fn add_watched(run: &mut Run, seen: Vec<Note>) {
    // A trace shows only a part of the reads.
    run.notes.retain(|note| {
        let Some((file, lines)) = note.explains_misses_of() else {
            return true;
        };
        let mut others = seen.iter().filter_map(Note::explains_misses_of);
        !others.any(|(other, known)| other == file && lines.iter().any(|line| known.contains(line)))
    });
    run.notes.splice(0..0, seen);
}

/// The runs that trace the further code whose loops are to be shown.
fn shown_too(setting: &Setting, name: &str, image: &Image, arguments: &RunArguments) -> Vec<Run> {
    let settings = setting.also_asked();
    settings
        .map(|setting| simulated_on(&setting, name, image, arguments))
        .collect()
}

/// Writes the reports of `run`, in which diagrams of `others` follow.
fn report(run: &Run, others: &[Run], arguments: &Arguments, shown: bool) -> Result<ExitCode, String> {
    written(run, arguments, shown, |format, style, out| {
        format.write(run, style, out)?;
        others
            .iter()
            .try_for_each(|other| format.write_shown(other, style, out))
    })
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
