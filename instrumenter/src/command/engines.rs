//! Both engines at once: the same run, or the first difference between them in words.

use super::args::{EngineOption, ProgramArguments, RunArguments};
use super::note;
use super::progress::Progress;
use super::setting::{Setting, chip, simulated_on};
use runtime::image::Image;
use runtime::machine::{
    Divergence, NotCompiled, Options, Reached, not_compiled, not_compiled_for_audit, simulate_both,
};
use runtime::run::Run;
use std::fmt::Write;

/// Runs the program with the engine of `arguments`.
pub(super) fn run_with_engine(
    setting: &Setting,
    name: &str,
    image: &Image,
    arguments: &RunArguments,
) -> Result<Run, String> {
    let asked = arguments.program.engine;
    let may_compile = asked != EngineOption::Interpreter;
    if may_compile && (asked != EngineOption::Auto || arguments.program.verbose) {
        let options = setting.options(arguments, image);
        if say_why_not_compiled(&arguments.program, &options) {
            return Ok(simulated_on(setting, name, image, arguments));
        }
    }
    if asked != EngineOption::Both {
        return Ok(simulated_on(setting, name, image, arguments));
    }
    let options = setting.options(arguments, image);
    let mut progress = Progress::new(options.timeout);
    let run = simulate_both(image, name, setting.machine.model, &options, &mut |reached| {
        progress.reached(reached);
    });
    progress.done();
    run.map_err(|divergence| worded(&divergence, image))
}

/// Says what `program` asks of the engines and a command that runs it by itself does not do: compare them, or compile.
pub(super) fn say_what_is_not_done(program: &ProgramArguments, options: &Options) {
    say_that_engines_are_not_compared(program);
    if asks_why(program) {
        say_why_not_compiled(program, options);
    }
}

/// Like [`say_what_is_not_done`], for an audit.
pub(super) fn say_what_an_audit_does_not_do(program: &ProgramArguments, options: &Options) {
    say_that_engines_are_not_compared(program);
    if asks_why(program) {
        say_why(&not_compiled_for_audit(chip(program), options));
    }
}

fn say_that_engines_are_not_compared(program: &ProgramArguments) {
    if program.engine == EngineOption::Both {
        note("only a report of a run compares the engines; here, `--engine both` means `jit`");
    }
}

/// Whether it matters to the user that nothing is compiled.
fn asks_why(program: &ProgramArguments) -> bool {
    let asked = program.engine != EngineOption::Auto || program.verbose;
    asked && program.engine != EngineOption::Interpreter
}

/// Says why nothing is compiled, if that is so. Returns whether it is.
fn say_why_not_compiled(program: &ProgramArguments, options: &Options) -> bool {
    let why = not_compiled(chip(program), options);
    why.iter().for_each(say_why);
    why.is_some()
}

fn say_why(why: &NotCompiled) {
    let why = worded_reason(why);
    note(&format!(
        "no code is compiled, so the interpreter runs the program: {why}"
    ));
}

/// Why nothing is compiled.
fn worded_reason(why: &NotCompiled) -> String {
    match why {
        NotCompiled::Refused(why) => why.to_string(),
        NotCompiled::LocalApic => "each access may be to the local APIC of a monitor".to_owned(),
        NotCompiled::SharedBus => "each access may meet the other master of the bus".to_owned(),
        NotCompiled::Audited => {
            "each group of instructions is audited; only copies of regions may be compiled".to_owned()
        }
        NotCompiled::StepByStep => "the report needs each call, or each instruction".to_owned(),
    }
}

/// The first difference between the engines: the block, its line and both states.
fn worded(divergence: &Divergence, image: &Image) -> String {
    if let Some([interpreted, compiled]) = &divergence.results {
        return format!("the engines agree on all blocks, but not on the result:\n  {interpreted}\n  {compiled}");
    }
    let mut text = String::from("the engines differ in the ");
    match &divergence.same {
        Some(same) => {
            let _ = write!(text, "block at {:08X}h, from clock {}", same.next, same.clock);
        }
        None => text.push_str("first block"),
    }
    if let Some((file, line)) = divergence.place
        && let Some(file) = image.files.get(file as usize)
    {
        let _ = write!(text, ", {}:{line}", file.name);
    }
    match divergence.states {
        [Some(interpreted), Some(compiled)] => {
            let pairs = named(&interpreted).into_iter().zip(named(&compiled));
            for ((name, one), (_, other)) in pairs.filter(|(one, other)| one != other) {
                let _ = write!(text, "\n  {name}: {one} when interpreted, {other} when compiled");
            }
        }
        [None, _] => text.push_str("\n  the interpreter has stopped there"),
        [_, None] => text.push_str("\n  compiled code has stopped there"),
    }
    text
}

/// The parts of a state with their names.
fn named(state: &Reached) -> Vec<(&'static str, String)> {
    let names = ["EAX", "ECX", "EDX", "EBX", "ESP", "EBP", "ESI", "EDI"];
    let registers = names.into_iter().zip(state.registers);
    let mut parts: Vec<_> = registers.map(|(name, value)| (name, format!("{value:08X}h"))).collect();
    parts.push(("EFLAGS", format!("{:08X}h", state.flags)));
    parts.push(("next instruction", format!("{:08X}h", state.next)));
    parts.push(("clock", state.clock.to_string()));
    parts
}
