//! From arguments to a setting: the options of the assembler, the assembled program, and the machine and conditions of
//! its runs.

use super::args::{
    Arguments, AssemblyArguments, Color, ProgramArguments, RunArguments, errata, is_list, usual_limit, usual_options,
};
use super::asked::asked;
use super::complain;
use super::output::{file_style, print_diagnostics};
use super::preset::prepare;
use super::program_input::{awaits_input, kept_input, typed, wait_until};
use super::progress::Progress;
use super::standard_input::is_open;
use p5_assembler::source::Sources;
use p5_assembler::{Assembly, Extent, Library, Options, assemble};
use runtime::image::Image;
use runtime::machine;
use runtime::model::{Choice, Model, Supposed};
use runtime::run::{Asked, Run};
use std::time::{Duration, Instant};

/// One part in this many of the time limit is reserved for the report.
const FOR_REPORT: u32 = 20;

/// The assembled program; `None` if it has errors. Errors and warnings go to standard error. An error is one line: the
/// program lacks something that a monitor needs.
pub(crate) fn assembled(
    sources: &Sources,
    arguments: &ProgramArguments,
    library: Library,
    color: Color,
) -> Result<Option<Image>, String> {
    let mut assembly = assemble(sources, &program_options(arguments, library));
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
pub(super) fn say_what_is_no_list(assembly: &Assembly, arguments: &AssemblyArguments) {
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

/// The options of the assembler for a program that runs.
pub(crate) fn program_options(arguments: &ProgramArguments, library: Library) -> Options {
    Options {
        entry: arguments.entry.clone(),
        ..options(&arguments.assembly, library)
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

impl AssemblyArguments {
    /// The privilege level of an assembled program.
    pub(crate) fn level(&self) -> u8 {
        self.cpl.unwrap_or(0)
    }
}

/// The privilege level of a program that is not assembled here, if none is given.
pub(crate) fn usual_level(image: &Image) -> u8 {
    usual_options(image.process_stack().is_some()).cpl
}

/// The privilege level of a program that is not assembled here.
pub(crate) fn level_of(arguments: &AssemblyArguments, image: &Image) -> u8 {
    arguments.cpl.unwrap_or_else(|| usual_level(image))
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
        chip: arguments.program.assembly.cpu,
        machine: machine_of(&arguments.program),
        cpl,
        recorded: Recorded::default(),
        asked: None,
        also_asked: Vec::new(),
        started,
    };
    simulated_on(&setting, name, image, arguments)
}

/// The machine of a program, and the conditions of its runs.
#[derive(Clone)]
pub(super) struct Setting {
    /// The chip, without what is assumed of it and added to it.
    pub(super) chip: &'static Model,
    pub(super) machine: Supposed,
    cpl: u8,
    recorded: Recorded,
    // The code whose loop is to be shown.
    asked: Option<Asked>,
    // Further code, whose loops are shown by further runs.
    also_asked: Vec<Asked>,
    // The time from which the time limit counts.
    started: Instant,
}

impl Setting {
    /// The same setting with another machine.
    pub(super) fn on(&self, machine: Supposed) -> Setting {
        Setting {
            machine,
            ..self.clone()
        }
    }

    /// The same setting with another chip, for all that follows.
    pub(super) fn on_chip(&self, chip: &'static Model, machine: Supposed) -> Setting {
        Setting {
            chip,
            ..self.on(machine)
        }
    }

    /// The same setting, recording nothing that only some formats show.
    pub(super) fn without_records(&self) -> Setting {
        Setting {
            recorded: Recorded::default(),
            asked: None,
            ..self.clone()
        }
    }

    /// The same setting, following calls. Code is traced as before, because what is traced has rows.
    pub(super) fn with_calls(&self) -> Setting {
        Setting {
            recorded: Recorded {
                calls: true,
                ..Recorded::default()
            },
            ..self.clone()
        }
    }

    /// The same setting for each further code whose loop is to be shown.
    pub(super) fn also_asked(&self) -> impl Iterator<Item = Setting> {
        self.also_asked.iter().map(|asked| Setting {
            asked: Some(asked.clone()),
            ..self.without_records()
        })
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub(super) fn options(&self, arguments: &RunArguments, image: &Image) -> machine::Options {
        machine::Options {
            memory: self.machine.memory,
            cache_sets: self.recorded.cache_sets,
            calls: self.recorded.calls,
            asked: self.asked.clone(),
            ..run_options(arguments, image, self.cpl, self.started)
        }
    }

    /// The remaining time for runs; `None` if there is no limit.
    pub(super) fn left(&self, arguments: &ProgramArguments) -> Option<Duration> {
        timed(arguments, self.started).left()
    }

    /// The setting of the report of a run. An error is one line: the program lacks the code that is to be shown.
    pub(super) fn of(arguments: &Arguments, image: &Image, cpl: u8, started: Instant) -> Result<Setting, String> {
        let mut shown = arguments.show.iter().map(|text| asked(image, text));
        Ok(Setting {
            chip: arguments.run.program.assembly.cpu,
            machine: machine_of(&arguments.run.program),
            cpl,
            recorded: Recorded::of(arguments),
            asked: shown.next().transpose()?,
            also_asked: shown.collect::<Result<_, _>>()?,
            started,
        })
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

/// The options of a machine that runs `image` as often, and with clocks as long, as `arguments` say.
pub(crate) fn run_options(arguments: &RunArguments, image: &Image, cpl: u8, started: Instant) -> machine::Options {
    let usual = machine_options(&arguments.program, image, cpl, started);
    machine::Options {
        runs: arguments.runs(image),
        hertz: arguments.hertz().unwrap_or(usual.hertz),
        tells_time: arguments.hertz().is_some(),
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
        input_is_open: is_open,
        awaits_input,
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
