//! The command line.

mod advice;
mod assumptions;
mod build;
mod check;
mod compare;
mod counting;
mod definition;
mod encoding;
mod engine;
mod events;
mod help;
mod host;
mod limits;
mod monitors;
mod outputs;
mod own;
mod query;
mod register;
mod renamed;
mod sample;
mod sampling;
mod sweep;
mod timings;

pub(crate) use advice::AdviseArguments;
pub(crate) use assumptions::{errata, no_contradiction};
pub(crate) use build::{BuildArguments, FileFormat};
pub(crate) use check::CheckArguments;
pub(crate) use compare::{CompareArguments, SideOptions};
pub(crate) use counting::{
    AuditArguments, DumpArguments, MsrCommand, RatioArguments, StatArguments, StatForm, WatchArguments, hertz,
};
pub(crate) use encoding::{Encode, EncodingArguments};
pub(crate) use engine::EngineOption;
pub(crate) use events::{EventArguments, Sampler};
pub(crate) use help::{command, overview};
pub(crate) use host::HostSampleArguments;
pub(crate) use limits::{Timeout, usual_limit, usual_options, usual_runs};
pub(crate) use monitors::MonitorArguments;
pub(crate) use outputs::{Output, Outputs, format_of_file};
pub(crate) use own::{is_com, missing_before, with_own_arguments};
pub(crate) use query::{DataBy, QueryArguments, QueryForm, Question, TopBy};
pub(crate) use register::{Place, REGISTERS, Set};
pub(crate) use renamed::in_present_names;
pub(crate) use sample::{SampleArguments, SampleForm, SampleRandom};
pub(crate) use sampling::SampleMode;
pub(crate) use sweep::{SweepArguments, SweepForm, is_list};
pub(crate) use timings::{TimingsArguments, TimingsForm};

use super::examples::{
    AUDIT_EXAMPLES, BUILD_EXAMPLES, CHECK_EXAMPLES, CPI_EXAMPLES, EXAMPLES, RUN_EXAMPLES, STAT_EXAMPLES,
    advise_examples,
};
use super::folder::folder;
use assumptions::choice;
use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use definition::definition;
use limits::{clocks, seconds, usual_timeout};
use runtime::image::Image;
use runtime::machine::Files;
use runtime::model::{self, Choice, MEMORY_PRESETS, MODELS, MemoryPreset, Model};
use runtime::report::{SCHEMAS, Schema};
use std::num::NonZeroU64;
use std::path::PathBuf;

/// Show where each clock of MASM, TASM, NASM or GNU (AT&T) source goes on a Pentium.
#[derive(Debug, Parser)]
#[command(name = "p5inst", version, after_help = EXAMPLES, max_term_width = 80)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    arg_required_else_help = true
)]
#[command(disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// The command, if it is not to run a program.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The program and how to run it.
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// How much to report.
    #[command(flatten)]
    pub(crate) amount: Amount,
    /// What is written, and where to.
    #[command(flatten)]
    pub(crate) outputs: Outputs,
    /// Show the loop in this function or at this line
    ///
    /// The diagram, also that of `--timeline`, has the loop with the most clocks there rather than in the program:
    /// FUNCTION or a label, FUNCTION+60h or 160h as reports print addresses, LINE, or FILE:LINE. Repeat it for several:
    /// the program is run again for each, and their diagrams follow the report.
    #[arg(long, value_name = "WHERE", conflicts_with = "what_if")]
    pub(crate) show: Vec<String>,
    /// Run again whenever a source is saved
    ///
    /// It says first what changed; Ctrl+C ends it.
    #[arg(long, alias = "watch")]
    pub(crate) rerun: bool,
    /// Run it again under other answers to open questions also if all runs together have more than 200,000
    /// clocks; `p5inst explain how sure` has the rules
    #[arg(long, conflicts_with = "what_if")]
    pub(crate) sure: bool,
    /// Exit with 1 if a note tells of a mistake of the program
    ///
    /// Such as a register that is read and never set, or an access past the end of a variable; in JSON, `noted` tells
    /// which they are.
    #[arg(long)]
    pub(crate) fail_on_mistakes: bool,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
    /// The clocks saved without AGIs, mispredictions or misses
    ///
    /// Instead of the report, show the clocks saved without AGIs, mispredictions, misses or misalignment, and those of
    /// one pipe and of the other chips.
    #[arg(long)]
    pub(crate) what_if: bool,
}

/// The commands other than running a program.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the events that the two counters can count
    Events {
        /// Only events with this number, or with this text in their name or description
        wanted: Option<String>,
        /// Instead, run a program that raises this event alone, with 0 to 3 stimuli
        #[arg(long, value_name = "EVENT", conflicts_with = "wanted")]
        demo: Option<String>,
        /// The chip
        #[arg(long, value_name = "CHIP", default_value = MODELS[0].name, ignore_case = true, value_parser = chip())]
        cpu: &'static Model,
        /// The form of the output.
        #[command(flatten)]
        presentation: Presentation,
    },
    /// Explain a rule, or a reason that a report prints
    ///
    /// With its source, what is not modelled, and the tests that hold it.
    Explain {
        /// A name, an event, or a reason as a report prints it; without it, all topics are listed
        topic: Vec<String>,
        /// The chip; without it, the first one that has the topic
        #[arg(long, value_name = "CHIP", ignore_case = true, value_parser = chip())]
        cpu: Option<&'static Model>,
        /// The form of the output.
        #[command(flatten)]
        presentation: Presentation,
    },
    /// List clocks, pairing and source of instruction forms
    Timings(TimingsArguments),
    /// Assemble without running, and report errors
    ///
    /// Each file is a program of its own.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArguments),
    /// Assemble and write a program, an object or a library
    ///
    /// The end of the output's name says which: .bin, .com, .exe, .obj, .o or .lib.
    #[command(after_help = BUILD_EXAMPLES)]
    Build(BuildArguments),
    /// Count 38 hardware events, two a run, or one by interval
    ///
    /// As Mathisen's P5Stat of 1994 does.
    #[command(after_help = STAT_EXAMPLES, args_override_self = true)]
    Stat(StatArguments),
    /// Show the mean clocks of an event, as `stat --event` does
    #[command(hide = true)]
    Ratio(RatioArguments),
    /// Check measured regions against the true clocks
    ///
    /// With the error of each region by cause.
    #[command(after_help = AUDIT_EXAMPLES)]
    Audit(AuditArguments),
    /// Show one or two events by interval, as `stat --event --every` does
    #[command(hide = true)]
    Watch(WatchArguments),
    /// Read the model specific registers
    Msr {
        /// What to do with them.
        #[command(subcommand)]
        what: MsrCommand,
    },
    /// Suggest faster code, verified by running it
    ///
    /// Other orders and other instructions.
    #[command(after_help = advise_examples())]
    Advise(AdviseArguments),
    /// Change a source, as `advise --write` does
    #[command(hide = true)]
    Fix(AdviseArguments),
    /// Compare two programs, or JSON reports of them
    ///
    /// What takes more clocks, what fewer.
    Compare(CompareArguments),
    /// Run every combination of several options
    Sweep(SweepArguments),
    /// Sample ops and fetches of a program into a file
    ///
    /// As AMD's instruction-based sampling does.
    Sample(SampleArguments),
    /// Ask a file of samples
    ///
    /// Derived events, histograms, hot data, stalls, or SQL.
    Query(QueryArguments),
    /// Measure on this machine's own processor
    Host {
        /// What to measure.
        #[command(subcommand)]
        what: HostCommand,
    },
    /// Print the JSON schema of a JSON report
    #[command(hide = true)]
    Schema {
        /// Which report
        #[arg(value_name = "REPORT", default_value = SCHEMAS[0].name, value_parser = schemas())]
        report: &'static Schema,
    },
    /// Print completions for a shell
    #[command(hide = true)]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print a manual page, in the form that `man` reads
    #[command(hide = true)]
    Man {
        /// The page of this command
        command: Option<String>,
    },
}

/// What can be measured on the host.
#[derive(Debug, Subcommand)]
pub(crate) enum HostCommand {
    /// Describe the time stamp counter of this machine, or say why it cannot be used
    Tsc {
        /// The form of the output.
        #[command(flatten)]
        presentation: Presentation,
    },
    /// Run a program in the simulation and natively, and show each region in both worlds
    #[command(after_help = RUN_EXAMPLES)]
    Run(HostArguments),
    /// Show the clocks per instruction of a program without its measuring macros, simulated and native
    #[command(after_help = CPI_EXAMPLES)]
    Cpi(HostArguments),
    /// Record samples of a program that runs natively, for `p5inst query`
    Sample(HostSampleArguments),
}

/// What OBJECT is for commands that take only assembly source.
const OF_SOURCE: &str = "Modules and objects to link";
/// FILE of a program that also runs natively.
const NATIVE: &str = "An assembly source, or `-` for standard input";

/// A program and how to run it in both worlds.
#[derive(Args, Debug)]
#[command(mut_arg("file", |file| file.help(NATIVE)), mut_arg("more", |more| more.help(OF_SOURCE).long_help(OF_SOURCE)))]
pub(crate) struct HostArguments {
    /// The program and its simulation.
    #[command(flatten)]
    pub(crate) run: RunArguments,
    /// The maximum number of native runs, 1 to 1000000; only the first run is cold
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) host_runs: u32,
    /// The form of the report.
    #[command(flatten)]
    pub(crate) presentation: Presentation,
}

fn schemas() -> impl TypedValueParser<Value = &'static Schema> {
    let names = SCHEMAS
        .iter()
        .map(|schema| PossibleValue::new(schema.name).help(schema.title));
    PossibleValuesParser::new(names).map(|name| {
        let named = SCHEMAS.iter().find(|schema| schema.name == name);
        named.unwrap_or(&SCHEMAS[0])
    })
}

/// The heading of the options that commands with a program share.
const MACHINE: &str = "Options of the program and its machine";

/// How much a text report tells.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Amount {
    /// With a listing, the clocks by cause and the events
    ///
    /// Also print the measurements, a listing, the clocks by cause and the events.
    #[arg(long)]
    pub(crate) long: bool,
    /// Print every line and event, and those of the measuring macros; in JSON also traces
    #[arg(long)]
    pub(crate) all: bool,
}

/// The form of the output.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct Presentation {
    /// The output format
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Form::Text)]
    pub(crate) format: Form,
    /// When to use colour; `auto` depends on the terminal and NO_COLOR
    #[arg(long, value_enum, value_name = "WHEN", default_value_t = Color::Auto)]
    pub(crate) color: Color,
}

/// A program and how to run it.
#[derive(Args, Clone, Debug)]
pub(crate) struct RunArguments {
    /// The program and its machine.
    #[command(flatten)]
    pub(crate) program: ProgramArguments,
    /// The number of runs, 1 to 1000 [default: 5; 1 for Linux programs]
    ///
    /// Only the first run is cold.
    #[arg(help_heading = MACHINE, long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) runs: Option<u32>,
    /// The chip's clock rate in MHz: reports tell times beside clocks; also for a program that asks for the time
    /// [default: 100, and no times]
    #[arg(help_heading = MACHINE, long, value_name = "RATE", value_parser = counting::megahertz)]
    pub(crate) mhz: Option<f64>,
}

impl RunArguments {
    /// The clock rate, if one is given.
    pub(crate) fn hertz(&self) -> Option<NonZeroU64> {
        self.mhz.and_then(hertz)
    }

    /// The number of runs of the program. A Linux program usually measures nothing by itself, and takes long.
    pub(crate) fn runs(&self, image: &Image) -> u32 {
        self.runs.unwrap_or(usual_runs(image.process_stack().is_some()))
    }
}

/// A program and the machine that runs it.
#[derive(Args, Clone, Debug)]
pub(crate) struct ProgramArguments {
    /// An assembly source, `-` for standard input, or a program: static Linux, or a .com or .exe file of DOS
    #[arg(value_name = "FILE.asm", required = true)]
    pub(crate) file: Option<PathBuf>,
    /// Modules and objects to link; or arguments of a program
    ///
    /// All that follows the name of such a program is for the program, `--` too: options of p5inst stand before it.
    #[arg(value_name = "OBJECT", value_parser = OsStringValueParser::new().map(PathBuf::from))]
    pub(crate) more: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) assembly: AssemblyArguments,
    /// Stop a run when it has taken this many clocks [default: 10^9; 10^12 for Linux programs]
    ///
    /// It stops after the instruction, or the 65,536 rounds of a repeated one, that it is in.
    #[arg(help_heading = MACHINE, long, value_name = "CLOCKS", value_parser = clocks)]
    pub(crate) limit: Option<u64>,
    /// Stop after this many seconds of real time, 60 if progress is shown on a terminal; 0 for never
    ///
    /// They are counted over all runs together, and a twentieth is kept for the report.
    #[arg(help_heading = MACHINE, long, value_name = "SECONDS")]
    #[arg(default_value = usual_timeout(), value_parser = seconds)]
    pub(crate) timeout: Timeout,
    /// The memory after the first-level caches
    #[arg(help_heading = MACHINE, long, value_name = "PRESET", default_value = MEMORY_PRESETS[0].name, value_parser = preset())]
    pub(crate) memory: &'static MemoryPreset,
    /// Assume another answer to a question that the sources leave open, several separated by commas; `p5inst explain
    /// assume` lists them
    #[arg(help_heading = MACHINE, long, value_name = "NAME=VALUE", value_delimiter = ',', value_parser = choice)]
    pub(crate) assume: Vec<Choice>,
    /// What executes the program. The result is the same; compiled code is faster
    #[arg(help_heading = MACHINE, long, value_enum, value_name = "ENGINE", default_value_t = EngineOption::Auto)]
    pub(crate) engine: EngineOption,
    /// Say if no code is compiled, and why
    #[arg(help_heading = MACHINE, short = 'v', long)]
    pub(crate) verbose: bool,
    /// Let the program read the files of this directory, which is its `/`; it can change none
    #[arg(help_heading = MACHINE, long, value_name = "DIR", value_parser = folder)]
    pub(crate) dir: Option<&'static Files>,
    /// Give a Linux program this variable of the environment, which is empty otherwise
    #[arg(help_heading = MACHINE, long, value_name = "NAME=VALUE", value_parser = definition::variable)]
    pub(crate) env: Vec<String>,
    /// Set a general register before the first instruction, to a number or to a name of the program, as in `esi=buffer`
    /// or `ecx=100`; or an argument of a function that stands alone, as in `[esp+8]=100`; several are separated by
    /// commas
    #[arg(help_heading = MACHINE, long, value_name = "REG=VALUE", value_delimiter = ',', value_parser = register::set)]
    pub(crate) set: Vec<Set>,
    /// Begin with this function of a source, rather than with its first one or where it says
    #[arg(help_heading = MACHINE, long, value_name = "NAME")]
    pub(crate) entry: Option<String>,
    /// The command line of a DOS program that is given as a source, as in `--args "in.txt /v"`
    ///
    /// It follows the name of a program that is already built.
    #[arg(help_heading = MACHINE, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,
    /// What the chip is given in addition.
    #[command(flatten)]
    pub(crate) monitors: MonitorArguments,
    /// Let the P54C's counters miscount as documented: short for `--assume errata=on`
    #[arg(help_heading = MACHINE, long)]
    pub(crate) errata: bool,
}

/// How a program is assembled.
#[derive(Args, Clone, Debug)]
pub(crate) struct AssemblyArguments {
    /// The chip
    #[arg(help_heading = MACHINE, long, value_name = "CHIP", default_value = MODELS[0].name, ignore_case = true, value_parser = chip())]
    pub(crate) cpu: &'static Model,
    /// Whether the chip was asked for.
    #[arg(skip)]
    pub(crate) cpu_asked: bool,
    /// The privilege level: 0 for a DOS program or driver, 3 for a user program [default: 0; 3 for Linux programs]
    #[arg(help_heading = MACHINE, long, value_name = "0|3", value_parser = privilege)]
    pub(crate) cpl: Option<u8>,
    /// Search this directory for include files, after that of the program
    ///
    /// The sources of a program that another tool has built are read below the program's directory, below these, and
    /// below the current one (`p5inst explain sources`).
    #[arg(help_heading = MACHINE, short = 'I', value_name = "DIR")]
    pub(crate) include: Vec<PathBuf>,
    /// Define a symbol as if the source began with `NAME equ VALUE`
    ///
    /// VALUE defaults to 1. A source may repeat the definition but not change it.
    #[arg(help_heading = MACHINE, short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub(crate) define: Vec<(String, String)>,
    /// Whose bytes are written where assemblers differ.
    #[command(flatten)]
    pub(crate) encoding: EncodingArguments,
}

pub(crate) fn is_command(text: &str) -> bool {
    Arguments::command()
        .get_subcommands()
        .any(|command| command.get_name() == text)
}

/// Output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Form {
    /// Tables
    Text,
    /// JSON
    Json,
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal that supports colour
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The chips by name.
fn chip() -> impl TypedValueParser<Value = &'static Model> {
    let names = MODELS.iter().map(|model| {
        PossibleValue::new(model.name)
            .aliases(model::other_names(model.name))
            .help(model.title)
    });
    let by_name = |name: String| model::by_name(&name.to_ascii_lowercase()).ok_or("no such chip");
    PossibleValuesParser::new(names).try_map(by_name)
}

/// Parses the name of a memory preset.
fn preset() -> impl TypedValueParser<Value = &'static MemoryPreset> {
    let names = MEMORY_PRESETS
        .iter()
        .map(|preset| PossibleValue::new(preset.name).help(preset.title));
    PossibleValuesParser::new(names).try_map(|name| MemoryPreset::by_name(&name).ok_or("no such preset"))
}

fn privilege(text: &str) -> Result<u8, String> {
    match text {
        "0" => Ok(0),
        "3" => Ok(3),
        _ => Err("the privilege level is 0 or 3".to_owned()),
    }
}

#[cfg(test)]
mod tests;
