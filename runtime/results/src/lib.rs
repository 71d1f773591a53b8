//! A closed run: all results of a program's runs, without the machine.
//!
//! Every report, in any format, is written from one [`Run`]. Clocks are core clocks.

mod answers;
mod audit;
mod budget;
mod caches;
mod floating_point;
mod instructions;
mod levels;
pub mod records;
mod refused_service;
mod stop;
mod totals;
mod trace;

pub use answers::{Answered, Answers, Place, Untried, Variant};
pub use audit::{AUDITED, AUDITED_IN_ALL, AuditedPass, CauseStack};
pub use budget::{Budget, Quantity, Relation, Scope};
pub use caches::{CacheKind, CacheResult, CacheSet, CachedLine};
pub use floating_point::FloatingPoint;
pub use instructions::{InstructionResult, Remainder};
pub use levels::Levels;
pub use p5_words::causes::{Cause, Pipe, Refusal};
pub use refused_service::RefusedService;
pub use stop::{Misfit, Raised, Stop, StopDetail, StopReason, Unlisted};
pub use totals::{Part, RunSummary, Totals};
pub use trace::TRACE_FULL;
pub use trace::{Awaited, Beyond, Issued, TRACE_CAPACITY, Trace};
pub use trace::{FloatingNeeds, Flow, Needs, PackedNeeds, RegisterSet};

use asm_macros::events::Event;
use p5_image::{ElementKind, RegionKind, SourceFile};

/// The results of running a program.
#[derive(Clone, Debug)]
pub struct Run {
    /// The program's name: its file, or `<stdin>`.
    pub program: String,
    /// The chip's short name as `--cpu` takes it.
    pub cpu: &'static str,
    /// The chip's full name.
    pub cpu_title: &'static str,
    /// The number of its pipes.
    pub pipes: u32,
    /// The memory preset's name behind the first level caches.
    pub memory: &'static str,
    /// The open questions to which not the usual answer was assumed, with the answer.
    pub assumed: Vec<(&'static str, &'static str)>,
    /// The monitors that the chip was given.
    pub monitors: Vec<&'static str>,
    /// The clocks of the core by those of the time stamp counter, such as `4/3`, unless they are the same.
    pub core_ratio: Option<String>,
    /// The privilege level the program ran at.
    pub cpl: u8,
    /// The source files; every `file` below is an index into them.
    pub files: Vec<SourceFile>,
    /// Index into `files` of the bundled macro library, if the program uses it.
    pub library: Option<u32>,
    /// Why the last run ended.
    pub stop: Stop,
    /// One row per run; the first run is cold.
    pub runs: Vec<RunSummary>,
    /// The last run, whole.
    pub whole: Part,
    /// The user's program in the last run: `whole` without the bundled library.
    pub own: Part,
    /// The bundled library's macros in the last run, if the program uses it.
    pub probes: Option<Part>,
    /// The regions the macros marked, in source order.
    pub regions: Vec<RegionResult>,
    /// The last run, instruction by instruction, up to [`TRACE_CAPACITY`], unless a region has a trace.
    pub trace: Trace,
    /// One row per instruction that was executed in the last run, in address order. Of very many instructions only
    /// those executed most often have one, and those that a trace shows.
    pub instructions: Vec<InstructionResult>,
    /// The instructions without a row, summed by source line.
    pub remainders: Vec<Remainder>,
    /// Data symbols after the last run.
    pub symbols: Vec<SymbolValue>,
    /// The labels and procedures of the user's code, in address order.
    pub labels: Vec<Label>,
    /// The general registers before and after the last run, EAX to EDI.
    pub registers: [[u32; 8]; 2],
    /// The floating-point unit after the last run, if the program has used it.
    pub floating_point: Option<FloatingPoint>,
    /// The first level caches, the code cache first; none unless
    /// the option `cache_sets` of a machine asks for them.
    pub caches: Vec<CacheResult>,
    /// What the program wrote in the last run.
    pub output: Vec<u8>,
    /// What the reader should know: what is uncertain or not modelled in what was executed.
    pub notes: Vec<Note>,
    /// The limits that the source sets, which whoever reads the source adds.
    pub budgets: Vec<Budget>,
    /// The open questions that it touches, and what it takes under other answers, which whoever runs it adds.
    pub answers: Answers,
}

/// What the reader of a run should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// A port was read, and there is no device.
    PortRead,
    /// A port was written, and there is no device.
    PortWritten,
    /// A test register was written; the unit it tests is not affected.
    TestRegisterWritten,
    /// The program called a service that was refused.
    Refused(RefusedService),
    /// It called others, too, that have no note of their own.
    MoreRefused {
        /// The number of those that have one.
        most: usize,
    },
    /// The page walk's clocks, which no document gives, were charged.
    EstimatedPageWalk {
        /// Clocks of one walk.
        clocks: u32,
        /// Whether only the bundled library was charged.
        library: bool,
    },
    /// The chip has no time stamp counter, so regions measure nothing.
    NoTimeStampCounter,
    /// There was more data than is compared with what was loaded, so changes in the rest are not known.
    NotCompared {
        /// How many symbols were compared in part or not at all.
        symbols: u64,
        /// How many of their bytes were not.
        bytes: u64,
        /// How many bytes were compared, in the order of their definition.
        compared: u32,
    },
    /// Misaligned accesses of both instructions of a pair waited at the same time, which is an assumption.
    OverlappingMisalignment {
        /// Clocks of one such wait.
        clocks: u32,
        /// Whether only the bundled library was charged.
        library: bool,
    },
    /// The timing table's figure for an instruction that was executed is doubted.
    DoubtedTiming {
        /// The mnemonics of the instructions with this doubt, in lower case.
        mnemonics: Vec<String>,
        /// Why.
        doubt: &'static str,
        /// Whether only the bundled library executed it.
        library: bool,
    },
}

impl Note {
    /// Whether it concerns nothing but the bundled library.
    pub fn library(&self) -> bool {
        match self {
            Note::EstimatedPageWalk { library, .. }
            | Note::OverlappingMisalignment { library, .. }
            | Note::DoubtedTiming { library, .. } => *library,
            _ => false,
        }
    }
}

/// The mnemonic of an instruction, with its prefix if it has one.
pub fn mnemonic(text: &str) -> &str {
    let prefixed = ["rep", "lock"].iter().any(|prefix| {
        let begins = text.get(..prefix.len());
        begins.is_some_and(|begins| begins.eq_ignore_ascii_case(prefix))
    });
    let last = text.match_indices(' ').nth(usize::from(prefixed));
    last.map_or(text, |(end, _)| &text[..end])
}

/// Clocks spent on one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseCycles {
    /// What the clocks were spent on.
    pub cause: Cause,
    /// How many clocks.
    pub cycles: u64,
}

/// One event, counted over the last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventCount {
    /// The event.
    pub event: Event,
    /// Its selector on this chip.
    pub selector: u8,
    /// The only counter that counts it under this selector; none if both do.
    pub counter: Option<u8>,
    /// How often it occurred (for a duration: how many separate times it held).
    pub occurrences: u64,
    /// Clocks in which it held.
    pub clocks: u64,
    /// Why this machine does not raise the event, if so; the two counts are then meaningless.
    pub unavailable: Option<&'static str>,
}

/// A region and its passes.
#[derive(Clone, Debug)]
pub struct RegionResult {
    /// The name given to the start macro, or `line N`.
    pub name: String,
    /// Clocks or events.
    pub kind: RegionKind,
    /// Index into [`Run::files`].
    pub file: u32,
    /// One-based line of the start macro's call.
    pub start_line: u32,
    /// One-based line of the end macro's call.
    pub end_line: u32,
    /// The selectors of a profile region's two counters and the events they choose on this chip, if known.
    pub events: Option<[(u8, Event); 2]>,
    /// Whether each counter counted clocks rather than occurrences.
    pub in_clocks: [bool; 2],
    /// The privilege levels at which each counter counted.
    pub levels: [Levels; 2],
    /// For each counter, why its event is never raised; its counts then mean nothing.
    pub unavailable: [Option<&'static str>; 2],
    /// Every pass, over all runs. Of more than [`PASS_CAPACITY`] it has the first of each run, and from there on every
    /// second, fourth and so on.
    pub passes: Vec<Pass>,
    /// How many passes there were; more than `passes` holds if the capacity was reached.
    pub pass_count: u64,
    /// The last pass, whether `passes` holds it or not.
    pub last: Option<Pass>,
    /// How often it was begun in the last run and begun again before its end macro was reached; none of these is a
    /// pass.
    pub left: u64,
    /// How often its end macro was reached in the last run without a pass that it could end.
    pub unbegun: u64,
    /// Whether the chip has the counters that its macros read.
    pub measures: bool,
    /// A pass of the last run, whose clocks are near the median of the run before.
    pub trace: Trace,
    /// What is known of the rest of that pass; nothing if there is no rest, or if it is not known.
    pub beyond: Option<Beyond>,
}

/// The most passes kept for one region.
pub const PASS_CAPACITY: usize = 10_000;

/// One pass through a region. A clock region uses the first of each pair, a profile region both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Which run it was in, from 0.
    pub run: u32,
    /// The program's own result, net of the overhead that it subtracts; `None` if the end macro never finished.
    pub measured: Option<[i64; 2]>,
    /// What the macros subtracted: the raw difference of their two readings minus `measured`; `None` if they read no
    /// counter.
    pub overhead: Option<[i64; 2]>,
    /// Clocks, or the two events' counts, from the issue of the region's first instruction to that of the first after
    /// it.
    pub truth: [i64; 2],
    /// Clocks from the issue of the region's first instruction to that of the first after it, for either kind.
    pub cycles: u64,
}

/// A macro call or a pass of a repeat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrailStep {
    /// The macro's name, or the repeat's directive.
    pub name: String,
    /// The pass of a repeat, from 1; macro calls have none.
    pub pass: Option<u32>,
    /// File index and one-based line of the call.
    pub place: (u32, u32),
}

/// A label or procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its linear address.
    pub address: u32,
    /// The name as the source spells it.
    pub name: String,
}

/// A data symbol's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolValue {
    /// The name as the source spells it.
    pub name: String,
    /// Its linear address.
    pub address: u32,
    /// How many bytes its definition covers.
    pub size: u32,
    /// Bytes of one element.
    pub element: u32,
    /// What its elements are.
    pub kind: ElementKind,
    /// Its bytes as an unsigned little-endian number, if it has 1 to 8 of them.
    pub value: Option<u64>,
    /// The first difference from what was loaded, in whole elements; none if nothing changed.
    pub changed: Option<Change>,
    /// Whether the macro library defined it.
    pub library: bool,
}

/// What a run changed in a data symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// How many elements differ from what was loaded.
    pub elements: u32,
    /// The index of the first one.
    pub first: u32,
    /// The first field of it that differs, if it is a structure.
    pub field: Option<ChangedField>,
    /// The value of the field, or else of the element, before and after, as unsigned little-endian numbers; none if it
    /// is wider than 8 bytes and no real number.
    pub values: Option<[u128; 2]>,
}

/// A field of a structure that a run changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedField {
    /// Its name behind that of the data, as in `.corner.x` or `.table[3]`.
    pub name: String,
    /// Its bytes, or those of the element that differs.
    pub element: u32,
    /// What its elements are.
    pub kind: ElementKind,
    /// Whether other bytes of the structure differ, too.
    pub others: bool,
}
