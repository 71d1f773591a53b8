//! A trial: a source text is assembled and run, and what it leaves is compared with what the original leaves.

use super::super::args::ProgramArguments;
use super::super::run::{chip, machine_options, options};
use super::super::sources::kept_input;
use super::text::Lines;
use asm_macros::msr::{TR12, TR12_SINGLE_PIPE};
use iced_x86::Mnemonic;
use p5_assembler::source::Sources;
use p5_assembler::{Library, assemble};
use runtime::advice::instruction_at;
use runtime::image::{Image, LineRow, STACK_SIZE, STACK_TOP, Segment, SourceFile, Start, SymbolKind};
use runtime::machine::{Difference, Excused, FinalState, Machine};
use runtime::model::{MEMORY_PRESETS, Model};
use runtime::report::Changed;
use runtime::run::{Run, StopReason};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The part of the time limit that is not spent on trials: one in so many.
const RESERVE: u32 = 10;

/// The runs of a trial, unless the command line or the program wants others.
pub(super) const RUNS: u32 = 2;
/// The most runs after which the clocks are looked for to be steady.
const MOST_SETTLING: u32 = 5;

/// What a program needs to be assembled and run again.
pub(super) struct Harness<'a> {
    pub(super) sources: &'a Sources<'a>,
    pub(super) arguments: &'a ProgramArguments,
    pub(super) runs: u32,
    pub(super) started: Instant,
}

/// A program that has been run.
pub(super) struct Outcome {
    pub(super) image: Image,
    pub(super) run: Run,
    pub(super) final_state: FinalState,
}

impl Outcome {
    /// The clocks of the user's program in the last run.
    pub(super) fn clocks(&self) -> u64 {
        self.run.own.totals.cycles
    }
}

/// Instructions that can read a time or an event: counters, ports, and what an operating system tells.
const READ_TIME: &[Mnemonic] = &[
    Mnemonic::Rdtsc,
    Mnemonic::Rdmsr,
    Mnemonic::Rdpmc,
    Mnemonic::In,
    Mnemonic::Insb,
    Mnemonic::Insw,
    Mnemonic::Insd,
    Mnemonic::Int,
];

impl Harness<'_> {
    pub(super) fn model(&self) -> &'static Model {
        chip(self.arguments)
    }

    /// Whether there is time for another trial.
    pub(super) fn has_time(&self) -> bool {
        self.left().is_none_or(|left| left > Duration::ZERO)
    }

    fn left(&self) -> Option<Duration> {
        let all = self.arguments.timeout.0?;
        Some((all - all / RESERVE).saturating_sub(self.started.elapsed()))
    }

    /// The program that `lines` are assembled to, unless they have errors.
    pub(super) fn image(&self, lines: &Lines) -> Option<Image> {
        let sources = Sources {
            main: SourceFile {
                name: self.sources.main.name.clone(),
                text: Arc::from(lines.joined()),
            },
            include: self.sources.include,
            objects: self.sources.objects,
        };
        assemble(&sources, &options(&self.arguments.assembly, Library::Pentium)).image
    }

    /// Runs a program on the machine of the command line.
    pub(super) fn run(&self, image: Image) -> Outcome {
        self.run_otherwise(image, false)
    }

    /// The clocks of one more run, if it ends by itself and they are others than those of the last one: then the runs
    /// have not settled. A single run is meant to be cold.
    pub(super) fn unsettled(&self, outcome: &Outcome) -> Option<u64> {
        if self.runs < 2 || !self.has_time() {
            return None;
        }
        let longer = Harness {
            runs: self.runs + 1,
            ..*self
        };
        let next = longer.run(outcome.image.clone());
        let ended = next.run.stop.reason.by_program();
        Some(next.clocks()).filter(|&clocks| ended && clocks != outcome.clocks())
    }

    /// The number of runs from which on all up to [`MOST_SETTLING`] take the same clocks, if those of `first` have not
    /// settled; all of them where none are steady. None also if the program does not end by itself so often.
    pub(super) fn settled(&self, first: &Outcome) -> Option<u32> {
        if !first.run.stop.reason.by_program() {
            return None;
        }
        self.unsettled(first)?;
        let longer = Harness {
            runs: MOST_SETTLING,
            ..*self
        };
        let longer = longer.run(first.image.clone()).run;
        let clocks = longer.own.totals.cycles;
        let steady = longer.runs.iter().rev().take_while(|run| run.own.cycles == clocks);
        let steady = u32::try_from(steady.count()).unwrap_or(1);
        let ended = longer.stop.reason.by_program();
        ended.then_some((MOST_SETTLING + 1).saturating_sub(steady).max(RUNS))
    }

    /// Runs it; `slower` on a machine whose clocks differ: one pipe, and other memory.
    fn run_otherwise(&self, image: Image, slower: bool) -> Outcome {
        let level = self.arguments.assembly.level();
        let mut options = machine_options(self.arguments, level, self.started);
        options.runs = self.runs;
        options.input = kept_input;
        let chosen = options.memory.name;
        let other = MEMORY_PRESETS.iter().rev().find(|preset| preset.name != chosen);
        if let (true, Some(other)) = (slower, other) {
            options.memory = other;
            // What the original does in time may take some more here.
            options.limit = options.limit.saturating_mul(4);
        }
        let mut machine = Machine::new(self.model(), &image, options);
        for _ in 0..self.runs {
            let prepare = |machine: &mut Machine<'_>| {
                if slower {
                    // A chip without this register has the other memory alone.
                    let _ = machine.write_model_register(TR12, u64::from(TR12_SINGLE_PIPE));
                }
            };
            let stop = machine.run_prepared(prepare, &mut |_| {});
            if matches!(stop.reason, StopReason::Limit | StopReason::Timeout) {
                break;
            }
        }
        let final_state = machine.final_state();
        let run = machine.into_run(&self.sources.main.name);
        Outcome {
            image,
            run,
            final_state,
        }
    }

    /// What the program leaves on a machine that takes other clocks, if it can read them at all.
    pub(super) fn timed(&self, original: &Outcome) -> Vec<FinalState> {
        // What the program itself made into code may be anything.
        let reads = |address| {
            let instruction = instruction_at(&original.image, address);
            instruction.is_none_or(|instruction| READ_TIME.contains(&instruction.mnemonic()))
        };
        let mut rows = original.run.instructions.iter();
        let can_tell = original.image.library.is_some() || rows.any(|row| reads(row.address));
        if !can_tell {
            return Vec::new();
        }
        // What a run has left that did not end by itself says nothing of what depends on time.
        let slower = self.run_otherwise(original.image.clone(), true).final_state;
        Some(slower).filter(FinalState::ended_by_program).into_iter().collect()
    }
}

/// The original program, to which every trial is compared.
pub(super) struct Original {
    image: Image,
    final_state: FinalState,
    timed: Vec<FinalState>,
    code: Vec<Range<u32>>,
}

/// Lines that were replaced: those of the original, and those that now stand for them.
pub(super) type Replaced = (Range<usize>, Range<usize>);

impl Original {
    pub(super) fn of(first: &Outcome, harness: &Harness<'_>) -> Original {
        Original {
            timed: harness.timed(first),
            image: first.image.clone(),
            final_state: first.final_state.clone(),
            code: code(&first.image, &first.run),
        }
    }

    /// What of the final state differs first after `trial`, in which lines were `replaced`.
    pub(super) fn changed_by(&self, trial: &Outcome, replaced: &[Replaced]) -> Option<Changed> {
        let mut memory = self.code.clone();
        memory.extend(code(&trial.image, &trial.run));
        memory.extend(measured(&self.image));
        memory.extend(measured(&trial.image));
        let moved = moved(&self.image, &trial.image, replaced);
        let excused = Excused {
            memory: &joined(memory),
            timed: &self.timed,
            moved: &|address| moved.get(&address).copied(),
        };
        let difference = self.final_state.difference(&trial.final_state, &excused)?;
        Some(match difference {
            Difference::Stop => Changed::Stop,
            Difference::Register(number) => Changed::Register(number),
            Difference::Flags => Changed::Flags,
            Difference::FloatingPoint => Changed::FloatingPoint,
            Difference::Output => Changed::Output,
            Difference::System => Changed::System,
            Difference::Page(address) => Changed::Page(address),
            Difference::Memory(address) => Changed::Memory(self.name_of(address)),
        })
    }

    /// An address by the data that it belongs to, or as a number with what lies there.
    fn name_of(&self, address: u32) -> String {
        let around = self.image.symbols.iter().filter(|symbol| {
            let offset = address.wrapping_sub(symbol.value);
            matches!(symbol.kind, SymbolKind::Data { .. }) && offset < symbol.size
        });
        match around.max_by_key(|symbol| symbol.value) {
            Some(symbol) if symbol.value == address => symbol.name.clone(),
            Some(symbol) => format!("{}+{}", symbol.name, address - symbol.value),
            None => format!("{address:08X}h, {}", self.what_lies_at(address)),
        }
    }

    /// What lies at an address that belongs to no named data.
    fn what_lies_at(&self, address: u32) -> String {
        if let Some(row) = self.image.line_at(address) {
            let (file, line) = self.image.outermost(&row);
            let what = if row.data { "data among the code" } else { "code" };
            return match self.image.files.get(file as usize).filter(|_| file != 0) {
                Some(file) => format!("{what} of line {}:{line}", file.name),
                None => format!("{what} of line {line}"),
            };
        }
        if self.image.start == Start::Flat && (STACK_TOP - STACK_SIZE..STACK_TOP).contains(&address) {
            return "on the stack".to_owned();
        }
        let lies = |segment: &&Segment| {
            let length = segment.bytes.len() as u64 + u64::from(segment.zeroes);
            u64::from(address.wrapping_sub(segment.address)) < length
        };
        match self.image.segments.iter().find(lies) {
            Some(segment) => format!("unnamed data in {}", segment.name),
            None => "outside of the program's segments".to_owned(),
        }
    }
}

/// The bytes of instructions: of those that lines spell, and of those that data directives define, if they are executed
/// or belong to the bundled library.
fn code(image: &Image, run: &Run) -> Vec<Range<u32>> {
    let of_library = |row: &LineRow| image.library.is_some_and(|library| library == row.file);
    let rows = image.lines.iter().filter(|row| !row.data || of_library(row));
    let spelled = rows.map(|row| row.address..row.address.saturating_add(row.length));
    let defined = run.instructions.iter().filter(|one| {
        let row = image.line_at(one.address);
        one.executions > 0 && row.is_some_and(|row| row.data)
    });
    let executed = defined.map(|one| one.address..one.address.saturating_add(u32::from(one.length)));
    spelled.chain(executed).collect()
}

/// The data of the bundled library, and results of regions.
fn measured(image: &Image) -> Vec<Range<u32>> {
    let library = image.symbols.iter().filter(|symbol| symbol.library && symbol.size > 0);
    let results = image.regions.iter().flat_map(|region| &region.measured);
    library
        .map(|symbol| symbol.value..symbol.value.saturating_add(symbol.size))
        .chain(results.map(|&address| address..address.saturating_add(4)))
        .collect()
}

/// The same ranges in ascending order, those that touch as one.
fn joined(mut ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
    ranges.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    joined
}

/// Where the instructions outside of replaced lines, and the first ones of these, are now.
fn moved(old: &Image, new: &Image, replaced: &[Replaced]) -> HashMap<u32, u32> {
    let kept = |image: &Image, which: fn(&Replaced) -> &Range<usize>| -> Vec<u32> {
        let inside = |row: &LineRow| {
            let (file, line) = image.outermost(row);
            let line = line as usize - 1;
            let range = replaced.iter().map(which).find(|range| range.contains(&line));
            file == 0 && range.is_some_and(|range| line != range.start)
        };
        let mut last = None;
        image
            .lines
            .iter()
            .filter(|row| !row.data && !inside(row))
            .filter(|row| {
                // Of a line that was replaced by several instructions, the first one counts.
                let place = (row.file, row.line, row.origin);
                let again =
                    last == Some(place) && replaced.iter().any(|one| which(one).contains(&(row.line as usize - 1)));
                last = Some(place);
                !again
            })
            .map(|row| row.address)
            .collect()
    };
    let (old, new) = (kept(old, |one| &one.0), kept(new, |one| &one.1));
    if old.len() != new.len() {
        return HashMap::new();
    }
    old.into_iter().zip(new).collect()
}
