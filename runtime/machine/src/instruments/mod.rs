//! Tools that run a program several times on one machine and read its two counters, as the programs of the time do:
//! P5Stat, the mean length of an event, the counters while the program runs, the model specific registers around it;
//! the audit of its own measurements; and runs under other answers to open questions, which need no counter.
//!
//! They program the counters through the model specific registers when the program has been loaded, and read them when
//! it has ended. Their results are closed: they do not refer to the machine.

mod answers;
mod audit;
mod ratio;
mod registers;
mod stat;
mod watch;

pub use crate::bounds::Busiest;
pub use answers::{TRIED_UNASKED, Trial, try_answers};
pub use audit::{
    Audit, Calibration, Calibrations, Copies, Doubt, Edges, Incomparable, LARGE, PassAudit, RegionAudit, Uncopied,
    audit, copies,
};
pub use ratio::{RATIO_EXECUTIONS, Ratio, RatioRow, ratio};
pub use registers::{RegisterAround, RegistersAround, registers_around};
pub use stat::{Difference, LISTED, Line, Stat, stat};
pub use watch::{Interval, LeftOut, Watched, watch};

use crate::{Machine, Options, Progress};
use asm_macros::events::Unit;
use asm_macros::msr::{
    CESR_CLOCKS, CESR_SYSTEM, CESR_USER, CONTROL_AND_EVENT_SELECT, COUNTER_0, COUNTER_1, COUNTER_BITS,
};
use p5_chips::{Model, Selection};
use p5_image::{Image, SourceFile};
use p5_results::{Stop, StopReason};

/// A program and the chip that it runs on.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Its name in reports, such as its file.
    pub name: &'a str,
    /// Its machine code, with symbols and lines.
    pub image: &'a Image,
    /// The model of the chip that it runs on.
    pub model: &'static Model,
}

/// The program that was run, and its machine.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program's name: its file, or `<stdin>`.
    pub program: String,
    /// The chip's short name as `--cpu` takes it.
    pub cpu: &'static str,
    /// The chip's full name.
    pub cpu_title: &'static str,
    /// The memory preset's name.
    pub memory: &'static str,
    /// The open questions with another answer than the usual one, each with that answer.
    pub assumed: Vec<(&'static str, &'static str)>,
    /// The monitors that the chip was given.
    pub monitors: Vec<&'static str>,
    /// The ratio of core clocks to clocks of the time stamp counter, such as `4/3`; none if it is 1.
    pub core_ratio: Option<String>,
    /// The privilege level of the program: 0 or 3.
    pub cpl: u8,
    /// The source files to which places of stops refer.
    pub files: Vec<SourceFile>,
    /// Whether the program measures regions with its own macros, which the counts include.
    pub measures: bool,
    /// Whether the measuring macros of the library are counted.
    pub library: LibraryMacros,
    /// The reason and the place of the end of its last execution.
    pub stop: Stop,
}

/// An error in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// What the assembler says of it.
    pub message: String,
    /// The name of the file, and the line from 1, if it is in one.
    pub place: Option<(String, u32)>,
}

/// The measuring macros of the library in a program that is counted from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LibraryMacros {
    /// The program uses none, or they are what is asked about.
    Unused,
    /// The program was assembled without them.
    LeftOut,
    /// They are counted, because the program does not assemble without them.
    Counted {
        /// The first error of the program without them, if there is one.
        error: Option<SourceError>,
    },
}

impl Subject {
    /// The subject of a program that has not been run.
    pub fn of(program: &Program<'_>, options: &Options) -> Subject {
        Subject::new(program, options, &Stop::plain(StopReason::End))
    }

    fn new(program: &Program<'_>, options: &Options, stop: &Stop) -> Subject {
        let Program { name, image, model } = *program;
        Subject {
            program: name.to_owned(),
            cpu: model.name,
            cpu_title: model.title,
            memory: options.memory.name,
            assumed: model
                .assumed
                .iter()
                .map(|choice| (choice.assumption.name, choice.answer.value))
                .collect(),
            monitors: model.monitors.iter().map(|monitor| monitor.name).collect(),
            core_ratio: options.core_ratio.unless_equal(),
            cpl: options.cpl,
            files: image.files.clone(),
            measures: image.regions.iter().any(|region| !region.library),
            library: LibraryMacros::Unused,
            stop: stop.clone(),
        }
    }
}

/// The reason why there is no count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uncounted {
    /// This machine does not raise the event.
    Unavailable(&'static str),
    /// The program has written the counters or their control register.
    SetByProgram,
    /// The chip refuses to read or write this register, the control register or a counter.
    Refused(u32),
    /// The time limit was over before the count.
    OutOfTime,
}

/// The setting of a counter that counts an event at all privilege levels. P5Stat counts a duration in clocks.
fn usual(selection: Selection) -> u32 {
    let clocks = match selection.event.row().unit {
        Unit::Occurrence => 0,
        Unit::Duration => CESR_CLOCKS,
    };
    occurrences(selection) | clocks
}

/// The setting of a counter that counts the occurrences of an event at all privilege levels.
fn occurrences(selection: Selection) -> u32 {
    u32::from(selection.selector) | CESR_SYSTEM | CESR_USER
}

/// An execution with the counters programmed.
struct Execution {
    stop: Stop,
    // `None` if the time limit cut it off.
    clocks: Option<u64>,
    // The values of both counters after the execution.
    counts: Result<[u64; 2], Uncounted>,
}

/// Programs both counters, each with a half of the control register, runs the program once, and reads them.
fn execute(machine: &mut Machine<'_>, halves: [u32; 2], progress: &mut dyn FnMut(Progress)) -> Execution {
    let mut writes = Ok(0);
    let prepare = |machine: &mut Machine<'_>| writes = program_counters(machine, halves);
    let stop = machine.run_prepared(prepare, progress).clone();
    let cut = stop.reason == StopReason::Timeout;
    let counts = match cut {
        true => Err(Uncounted::OutOfTime),
        false => writes.and_then(|writes| read_counters(machine, writes)),
    };
    Execution {
        stop,
        clocks: (!cut).then(|| machine.last_run().whole.cycles),
        counts,
    }
}

/// Stops and clears both counters and selects their events: one half of the control register each. Returns the number
/// of writes to the registers so far, or the register that cannot be written.
fn program_counters(machine: &mut Machine<'_>, halves: [u32; 2]) -> Result<u64, Uncounted> {
    let control = u64::from(halves[1] << 16 | halves[0]);
    let writes = [
        (CONTROL_AND_EVENT_SELECT, 0),
        (COUNTER_0, 0),
        (COUNTER_1, 0),
        (CONTROL_AND_EVENT_SELECT, control),
    ];
    for (register, value) in writes {
        let written = machine.write_model_register(register, value);
        written.map_err(|_| Uncounted::Refused(register))?;
    }
    Ok(machine.counter_writes())
}

/// Reads both counters, unless they have been written since they were programmed.
fn read_counters(machine: &mut Machine<'_>, writes: u64) -> Result<[u64; 2], Uncounted> {
    if machine.counter_writes() != writes {
        return Err(Uncounted::SetByProgram);
    }
    let mut read = |register| {
        let value = machine.read_model_register(register);
        value.map_err(|_| Uncounted::Refused(register))
    };
    Ok([read(COUNTER_0)?, read(COUNTER_1)?])
}

/// The count of a counter between two readings.
fn counted_between(earlier: u64, later: u64) -> u64 {
    later.wrapping_sub(earlier) & ((1 << COUNTER_BITS) - 1)
}
