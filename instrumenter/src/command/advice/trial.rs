//! A trial: assembles and runs a source text, and compares its final state with that of the original.

use super::super::args::ProgramArguments;
use super::super::preset::assembled_ready;
use super::super::setting::{chip, machine_options, program_options};
use super::text::Lines;
use asm_macros::msr::{TR12, TR12_SINGLE_PIPE};
use iced_x86::Mnemonic;
use p5_assembler::Library;
use p5_assembler::source::Sources;
use runtime::advice::{RegisterParts, general, instruction_at, unnamed};
use runtime::image::{Image, LineRow, Segment, SourceFile, Start, SymbolKind};
use runtime::machine::{Difference, Excused, FinalState, Layout, Machine, joined};
use runtime::model::{MEMORY_PRESETS, Model};
use runtime::report::Changed;
use runtime::run::{Run, StopReason};
use std::collections::HashMap;
use std::ops::Range;
use std::time::{Duration, Instant};

/// One part in this many of the time limit is reserved for work other than trials.
const RESERVE: u32 = 10;

/// The number of runs of a trial, unless the command line or the program sets another.
pub(super) const RUNS: u32 = 2;
/// The maximum number of runs within which the clocks must become steady.
const MOST_SETTLING: u32 = 5;

/// The parts that are needed to assemble and run a program again.
pub(super) struct Harness<'a> {
    pub(super) sources: &'a Sources<'a>,
    pub(super) arguments: &'a ProgramArguments,
    pub(super) runs: u32,
    pub(super) started: Instant,
}

pub(super) struct Outcome {
    pub(super) image: Image,
    pub(super) run: Run,
    pub(super) final_state: FinalState,
}

impl Outcome {
    pub(super) fn clocks(&self) -> u64 {
        self.run.own.totals.cycles
    }
}

/// Instructions that can read a time or an event: from counters, ports, or an operating system.
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

    pub(super) fn has_time(&self) -> bool {
        self.left().is_none_or(|left| left > Duration::ZERO)
    }

    fn left(&self) -> Option<Duration> {
        let all = self.arguments.timeout.0?;
        Some((all - all / RESERVE).saturating_sub(self.started.elapsed()))
    }

    /// The program assembled from `lines`; `None` if they have errors.
    pub(super) fn image(&self, lines: &Lines) -> Option<Image> {
        let sources = Sources {
            main: SourceFile::new(self.sources.main.name.clone(), lines.joined()),
            include: self.sources.include,
            objects: self.sources.objects,
        };
        let options = program_options(self.arguments, Library::Pentium);
        assembled_ready(&sources, &options, self.arguments).image
    }

    pub(super) fn run(&self, image: Image) -> Outcome {
        self.run_otherwise(image, false)
    }

    /// The clocks of one more run, if it ends by itself and its clocks differ from those of the last run, which means
    /// that the runs have not settled. A single run is meant to be cold.
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

    /// The number of the run from which on all runs up to [`MOST_SETTLING`] take the same clocks; [`MOST_SETTLING`]
    /// if none are steady. `None` if those of `first` have settled, or if the program does not always end by itself.
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

    /// Runs a program with a larger limit; with `slower`, on a machine with other clocks: one pipe, and other memory.
    fn run_otherwise(&self, image: Image, slower: bool) -> Outcome {
        let level = self.arguments.assembly.level();
        let mut options = machine_options(self.arguments, &image, level, self.started);
        options.runs = self.runs;
        let chosen = options.memory.name;
        let other = MEMORY_PRESETS.iter().rev().find(|preset| preset.name != chosen);
        if let (true, Some(other)) = (slower, other) {
            options.memory = other;
            // A run that the original completes in the limit may take longer here.
            options.limit = options.limit.saturating_mul(4);
        }
        let mut machine = Machine::new(self.model(), &image, options);
        for _ in 0..self.runs {
            let prepare = |machine: &mut Machine<'_>| {
                if slower {
                    // A chip without this register only gets the other memory.
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

    /// The final states of the program on a machine with other clocks, if the program can read clocks at all.
    pub(super) fn timed(&self, original: &Outcome) -> Vec<FinalState> {
        // Code that the program itself has written may contain anything.
        let reads = |address| {
            let instruction = instruction_at(&original.image, address);
            instruction.is_none_or(|instruction| READ_TIME.contains(&instruction.mnemonic()))
        };
        let mut rows = original.run.instructions.iter();
        let can_tell = original.image.library.is_some() || rows.any(|row| reads(row.address));
        if !can_tell {
            return Vec::new();
        }
        // The state after a run that did not end by itself says nothing about dependence on time.
        let slower = self.run_otherwise(original.image.clone(), true).final_state;
        Some(slower).filter(FinalState::ended_by_program).into_iter().collect()
    }
}

/// The original program, with which every trial is compared.
pub(super) struct Original {
    pub(super) image: Image,
    final_state: FinalState,
    timed: Vec<FinalState>,
    code: Vec<Range<u32>>,
    // Whether nothing can read the flags after the end.
    flags_end: bool,
    // The registers that nothing in the program uses.
    pub(super) unnamed: RegisterParts,
}

/// Replaced lines: in the original, and in the current text.
pub(super) type Replaced = (Range<usize>, Range<usize>);

impl Original {
    pub(super) fn of(first: &Outcome, harness: &Harness<'_>) -> Original {
        Original {
            timed: harness.timed(first),
            image: first.image.clone(),
            final_state: first.final_state.clone(),
            code: code(&first.image, &first.run),
            unnamed: match first.run.stop.reason {
                StopReason::Return => unnamed(&first.image),
                _ => RegisterParts::default(),
            },
            // Neither an exit service nor the caller of a whole program looks at them; what follows a fragment may.
            flags_end: first.image.fragment.is_none()
                && matches!(first.run.stop.reason, StopReason::Exit | StopReason::Return),
        }
    }

    /// The first difference in the final state after `trial`, in which lines were `replaced`.
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
            flags: self.flags_end,
        };
        let state = trial.final_state.but_for(self.unnamed_bits(), &self.final_state);
        let difference = self.final_state.difference(&state, &excused)?;
        Some(self.named(difference))
    }

    /// One bit for each general register that nothing in the program uses.
    fn unnamed_bits(&self) -> u8 {
        let free = |number: &usize| self.unnamed.meets(RegisterParts::of(general(*number)));
        (0..8).filter(free).fold(0, |bits, number| bits | 1 << number)
    }

    /// The names of those of these registers that are others after `trial`.
    pub(super) fn taken(&self, trial: &Outcome) -> Vec<String> {
        let bits = self.unnamed_bits();
        let differs = |number: &usize| self.final_state.general(*number) != trial.final_state.general(*number);
        let taken = (0..8).filter(|number| bits >> number & 1 != 0).filter(differs);
        taken
            .map(|number| format!("{:?}", general(number)).to_ascii_lowercase())
            .collect()
    }

    /// The first difference in the final state of the same program laid out otherwise, unless an address that has moved
    /// with its target explains it.
    pub(super) fn changed_as_laid_out(&self, other: &FinalState, layout: &Layout) -> Option<Changed> {
        let mut memory = self.code.clone();
        memory.extend(measured(&self.image));
        let excused = Excused {
            memory: &joined(memory),
            timed: &self.timed,
            moved: &|_| None,
            flags: self.flags_end,
        };
        let state = &self.final_state;
        let other = other.but_for(self.unnamed_bits(), state);
        let difference = state.difference_as_laid_out(&other, layout, &excused)?;
        Some(self.named(difference))
    }

    fn named(&self, difference: Difference) -> Changed {
        match difference {
            Difference::Stop => Changed::Stop,
            Difference::Register(number) => Changed::Register(number),
            Difference::Flags => Changed::Flags,
            Difference::FloatingPoint => Changed::FloatingPoint,
            Difference::Output => Changed::Output,
            Difference::System => Changed::System,
            Difference::Page(address) => Changed::Page(address),
            Difference::Memory(address) => Changed::Memory(self.name_of(address)),
        }
    }

    /// The name of the data at an address, or the address as a number with its contents.
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

    /// The contents of an address outside of named data, in words.
    fn what_lies_at(&self, address: u32) -> String {
        if let Some(row) = self.image.line_at(address) {
            let (file, line) = self.image.outermost(&row);
            let what = if row.data { "data among the code" } else { "code" };
            return match self.image.files.get(file as usize).filter(|_| file != 0) {
                Some(file) => format!("{what} of line {}:{line}", file.name),
                None => format!("{what} of line {line}"),
            };
        }
        if self.image.start == Start::Flat && self.image.flat_stack().contains(&address) {
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

/// The byte ranges of instructions: those of source lines, and those of data directives if they are executed or belong
/// to the bundled library.
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

/// The data of the bundled library, and the results of regions.
fn measured(image: &Image) -> Vec<Range<u32>> {
    let results = image.regions.iter().flat_map(|region| &region.measured);
    let results = results.map(|&address| address..address.saturating_add(4));
    image.library_data.iter().cloned().chain(results).collect()
}

/// For each instruction that is outside of replaced lines, or the first one in them, its address before and after the
/// change.
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
                // If several instructions replace a line, the first one counts.
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
