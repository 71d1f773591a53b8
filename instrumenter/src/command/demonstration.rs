//! `p5inst events --demo`: a program that raises one event, run with no, one, two and three stimuli.

use super::diagnostics;
use p5_assembler::source::Sources;
use p5_assembler::{Options, assemble};
use runtime::machine;
use runtime::model::{MemoryPreset, Model, STIMULI, Selection, Stimulus, monitor};
use runtime::report::{self, Demonstration, Stimulated};
use runtime::run::Pass;

/// The maximum number of stimuli.
const MOST: u32 = 3;
/// The instruction that replaces a stimulus: it executes alone and has no other effect.
const NEUTRAL: &str = "not edx";
/// The number of runs of each program: the first has cold caches, and the second still trains the branch target buffer.
const RUNS: u32 = 5;

/// Runs the programs that raise the event of `selection`.
///
/// # Errors
/// The reason why the event cannot be raised, or the error in its program.
pub fn demonstrate(model: &'static Model, selection: Selection) -> Result<Demonstration, String> {
    let (model, stimulus) = stimulus(model, selection)?;
    let settings = settings(selection, stimulus.in_clocks);
    let counter = usize::from(selection.counter.unwrap_or(0));
    let mut rows = Vec::new();
    for stimuli in 0..=MOST {
        let pass = counted(model, &program(model, &settings, stimulus, stimuli), stimulus)?;
        rows.push(Stimulated {
            stimuli,
            measured: pass.measured.map(|measured| measured[counter]),
            counted: pass.truth[counter],
            clocks: selection.counter.is_none().then_some(pass.truth[1]),
        });
    }
    Ok(Demonstration {
        times: stimulus.times,
        chip: model.title,
        selection,
        memory: stimulus.memory,
        monitor: stimulus.monitor,
        program: program(model, &settings, stimulus, MOST),
        rows,
        others: Vec::new(),
    })
}

/// The counts of the event in its program with no, one, two and three neutral instructions instead of stimuli.
///
/// # Errors
/// As for [`demonstrate`].
pub fn neutral(model: &'static Model, selection: Selection) -> Result<Vec<i64>, String> {
    let (model, known) = stimulus(model, selection)?;
    let stimulus = Stimulus {
        text: NEUTRAL,
        ..*known
    };
    let settings = settings(selection, stimulus.in_clocks);
    let counter = usize::from(selection.counter.unwrap_or(0));
    let mut found = Vec::new();
    for number in 0..=MOST {
        let pass = counted(model, &program(model, &settings, &stimulus, number), &stimulus)?;
        found.push(pass.truth[counter]);
    }
    Ok(found)
}

/// The other events that the program with the most stimuli raises, each with its count.
///
/// # Errors
/// As for [`demonstrate`].
pub fn others(model: &'static Model, selection: Selection) -> Result<Vec<(&'static str, i64)>, String> {
    let (model, stimulus) = stimulus(model, selection)?;
    let mut found = Vec::new();
    for other in model.events.selections() {
        if other.event == selection.event || model.events.why_unavailable(other.event).is_some() {
            continue;
        }
        let pass = counted(
            model,
            &program(model, &settings(other, false), stimulus, MOST),
            stimulus,
        )?;
        let count = pass.truth[usize::from(other.counter.unwrap_or(0))];
        if count != 0 {
            found.push((other.event.name(), count));
        }
    }
    Ok(found)
}

/// The stimulus of an event, and the chip with the monitor that it needs.
fn stimulus(model: &'static Model, selection: Selection) -> Result<(&'static Model, &'static Stimulus), String> {
    let event = selection.event;
    let found = STIMULI.iter().find(|stimulus| stimulus.event == event);
    let model = match found {
        Some(stimulus) if !stimulus.monitor.is_empty() => {
            let attached = monitor(stimulus.monitor).and_then(|monitor| model.with_monitors(&[monitor]));
            attached.map_err(report::no_monitor)?
        }
        _ => model,
    };
    if let Some(why) = model.events.why_unavailable(event) {
        return Err(format!("{} is not raised: {why}", event.name()));
    }
    let found = found.ok_or_else(|| format!("no program that raises {} is known", event.name()))?;
    Ok((model, found))
}

/// The argument of StartProfile: the occurrences of the event, and also its clocks if both counters count it.
fn settings(selection: Selection, in_clocks: bool) -> String {
    let clocks = if in_clocks { " + COUNT_CYCLES" } else { "" };
    let name = format!("{}{clocks}", selection.event.name());
    match selection.counter {
        None => format!("EV_{name}, EV_{name} + COUNT_CYCLES"),
        Some(0) => format!("EV_{name}, EV_INSTRUCTIONS_EXECUTED"),
        Some(_) => format!("EV_INSTRUCTIONS_EXECUTED, EV_{name}"),
    }
}

/// The program with `stimuli` stimuli between the counting macros.
fn program(model: &Model, settings: &str, stimulus: &Stimulus, stimuli: u32) -> String {
    let mut text = String::from("        .586\n        .mmx\n        .model flat\n        .data\n        align 4096\n");
    text.push_str("area    dd 16384 dup(0)\n");
    text.push_str(&lines(stimulus.data));
    text.push_str(
        "        .code\nstart:\n        mov esi,offset area\n        mov eax,[esi]\n        mov eax,[esi+32]\n",
    );
    text.push_str(&lines(stimulus.before));
    text.push_str(&format!("        StartProfile {settings}\n"));
    for number in 0..stimuli {
        text.push_str(&lines(&stimulus.numbered(model, number)));
    }
    text.push_str("        EndProfile\n        ret\n");
    text.push_str(&lines(stimulus.code));
    text.push_str("        end start\n");
    text
}

fn lines(text: &str) -> String {
    let lines = text.split(" / ").filter(|line| !line.is_empty());
    lines
        .map(|line| match line.split_once(": ") {
            Some((label, rest)) => format!("{:<8}{rest}\n", format!("{label}:")),
            None if line.ends_with(':') => format!("{line}\n"),
            None => format!("        {line}\n"),
        })
        .collect()
}

/// Runs a program and returns the last pass of its region.
fn counted(model: &'static Model, program: &str, stimulus: &Stimulus) -> Result<Pass, String> {
    let options = Options {
        chip: model,
        ..Options::default()
    };
    let assembly = assemble(&Sources::single("demo.asm", program), &options);
    let Some(image) = assembly.image else {
        let told = diagnostics::render(&assembly.diagnostics, &assembly.files, false, 80);
        return Err(format!("the program has errors:\n{told}"));
    };
    let mut options = machine::Options {
        runs: RUNS,
        ..machine::Options::default()
    };
    if !stimulus.memory.is_empty() {
        options.memory = MemoryPreset::by_name(stimulus.memory).ok_or("there is no such memory")?;
    }
    let run = machine::simulate(&image, "demo.asm", model, &options, &mut |_| {});
    let pass = run.regions.first().and_then(|region| region.passes.last());
    pass.copied()
        .ok_or_else(|| format!("the program does not reach its region: {:?}", run.stop))
}
