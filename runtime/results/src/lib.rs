//! A closed run: all results of a program's runs, without the machine.
//!
//! Every report, in any format, is written from one [`Run`]. Clocks are core clocks.

mod answers;
mod asked;
mod audit;
mod budget;
mod caches;
mod calls;
mod floating_point;
mod instructions;
mod levels;
mod note;
mod note_kind;
mod picture;
pub mod records;
mod refused_service;
mod stop;
mod totals;
mod trace;
mod waits;

pub use answers::{Answered, Answers, Place, Untried, Variant};
pub use asked::{Asked, AskedBy};
pub use audit::{AUDITED, AUDITED_IN_ALL, AuditedPass, CauseStack};
pub use budget::{Budget, Expected, Quantity, Relation, ResultOf, Scope};
pub use caches::{CacheKind, CacheResult, CacheSet, CachedLine};
pub use calls::{Call, Calls, Chain, Spent};
pub use floating_point::FloatingPoint;
pub use instructions::{
    InlinedCall, InstructionResult, PARTLY_UNMAPPED, Remainder, StatementStart, TrailStep, UNMAPPED,
};
pub use levels::Levels;
pub use note::{Note, SourceFound, UnreadSource};
pub use p5_words::causes::{Cause, Pipe, Refusal};
pub use picture::{Display, Picture};
pub use refused_service::RefusedService;
pub use stop::{
    Astray, Blamed, CallSite, Called, Culprit, Empty, MadeBy, Misfit, NamedMemory, Raised, ReadFrom, Room,
    ScratchMemory, Stop, StopDetail, StopReason, Unkept, Unlined, Unlisted, Writer, Wrote,
};
pub use totals::{Part, RunSummary, Totals};
pub use trace::TRACE_FULL;
pub use trace::{Awaited, Beyond, Issued, TRACE_CAPACITY, Trace, UnitTime};
pub use trace::{FloatingNeeds, Flow, Needs, PackedNeeds, RegisterSet};
pub use waits::WaitCauses;

use asm_macros::events::Event;
use p5_image::{Assumed, ElementKind, RegionKind, SourceFile};
use std::num::NonZeroU64;
use std::ops::Range;

/// The results of all runs of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The program's name: its file, or `<stdin>`.
    pub program: String,
    /// The chip's short name as `--cpu` takes it.
    pub cpu: &'static str,
    /// The chip's full name, as reports show it.
    pub cpu_title: &'static str,
    /// The number of its pipes.
    pub pipes: u32,
    /// The name of the memory preset, for the memory beyond the first level caches.
    pub memory: &'static str,
    /// The open questions for which another answer than the usual one was assumed, with that answer.
    pub assumed: Vec<(&'static str, &'static str)>,
    /// The names of the monitors that the chip was given.
    pub monitors: Vec<&'static str>,
    /// The ratio of core clocks to clocks of the time stamp counter, such as `4/3`, unless they are the same.
    pub core_ratio: Option<String>,
    /// The clocks per second for which reports tell times, if the user gives them.
    pub hertz: Option<NonZeroU64>,
    /// The privilege level at which the program ran, 0 or 3.
    pub cpl: u8,
    /// The source files. Every `file` below is an index into them.
    pub files: Vec<SourceFile>,
    /// Index into `files` of the bundled macro library, if the program uses it.
    pub library: Option<u32>,
    /// The code of procedures that p5inst brings for programs that declare them without defining them.
    pub bundled: Vec<Range<u32>>,
    /// What was assumed of a source that is a fragment rather than a program; `None` if it is a program.
    pub fragment: Option<Vec<Assumed>>,
    /// Which function was executed of a source with several that does not say where it begins.
    pub entered: Option<Entered>,
    /// The end of the last run, with its reason.
    pub stop: Stop,
    /// One row for each run; the first run is cold.
    pub runs: Vec<RunSummary>,
    /// The totals of the whole last run.
    pub whole: Part,
    /// The user's program in the last run: `whole` without the bundled library.
    pub own: Part,
    /// The bundled library's macros in the last run, if the program uses the library.
    pub probes: Option<Part>,
    /// The regions that the macros marked, in source order.
    pub regions: Vec<RegionResult>,
    /// The last run, instruction by instruction, up to [`TRACE_CAPACITY`], unless a region has a trace.
    pub trace: Trace,
    /// The code whose loop is to be shown, if any is asked for.
    pub asked: Option<Asked>,
    /// One row for each instruction that was executed in the last run, in address order. If there are very many, only
    /// the most frequently executed ones and those in a trace have a row.
    pub instructions: Vec<InstructionResult>,
    /// The instructions at addresses at which the program, which changes its code, executed different ones: each of
    /// them, in the order of addresses, without figures. `instructions` has one row for all at an address.
    pub variants: Vec<InstructionResult>,
    /// The instructions without a row, summed by source line.
    pub remainders: Vec<Remainder>,
    /// The data symbols and their values after the last run.
    pub symbols: Vec<SymbolValue>,
    /// The labels and procedures of the user's code, in address order.
    pub labels: Vec<Label>,
    /// The labels that have a meaning in one part of the source alone, by address.
    pub local_labels: Vec<Label>,
    /// Where a compiler begins statements of lines in `instructions`, by line, for the lines with several such
    /// addresses.
    pub statements: Vec<StatementStart>,
    /// The calls of the last run, if they were counted.
    pub calls: Option<Calls>,
    /// The functions that were executed in the last run, which instructions and remainders refer to by index.
    pub functions: Vec<Function>,
    /// The calls that the program's compiler inlined, and whose code was executed; one precedes those within it.
    pub inlined: Vec<InlinedCall>,
    /// The general registers before and after the last run, EAX to EDI.
    pub registers: [[u32; 8]; 2],
    /// The selectors before and after the last run: ES, CS, SS, DS, FS and GS.
    pub selectors: [[u16; 6]; 2],
    /// EFLAGS before and after the last run.
    pub flags: [u32; 2],
    /// The floating-point unit after the last run, if the program has used it.
    pub floating_point: Option<FloatingPoint>,
    /// What the program has left in the memory of a screen.
    pub screen: Option<Screen>,
    /// What a video card would show, of a program that has memory of one.
    pub picture: Option<Picture>,
    /// The memory that the last run changed outside of named data, executed code, the stack and the screen, in the
    /// order of addresses; `None` if a flat program has changed none, or it is not known.
    pub other_memory: Option<Vec<OtherMemory>>,
    /// The first level caches, the code cache first; empty unless the option `cache_sets` of a machine requests them.
    pub caches: Vec<CacheResult>,
    /// The bytes that the program wrote in the last run.
    pub output: Vec<u8>,
    /// The parts of `output` that went to standard error, from byte to byte, in order.
    pub standard_error: Vec<[u32; 2]>,
    /// Notes for the reader: uncertain figures and unmodelled effects among the executed instructions.
    pub notes: Vec<Note>,
    /// The limits in comments of the source. A run has none until `p5_budgets::judge`, which is `judge` in
    /// `instrumenter::budgets` as well, reads them from the source and judges them.
    pub budgets: Vec<Budget>,
    /// The open questions that the run touches, with the figures under other answers, added by the code that runs it.
    pub answers: Answers,
}

impl Run {
    /// The instruction with this index in `instructions` or, from their number on, in `variants`.
    pub fn executed(&self, index: usize) -> Option<&InstructionResult> {
        let variant = || self.variants.get(index.checked_sub(self.instructions.len())?);
        self.instructions.get(index).or_else(variant)
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

/// The clocks spent on one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CauseCycles {
    /// The cause of the clocks.
    pub cause: Cause,
    /// The number of clocks, in core clocks.
    pub cycles: u64,
}

/// One event, counted over the last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventCount {
    /// The event that was counted.
    pub event: Event,
    /// The selector of the event on this chip.
    pub selector: u8,
    /// The only counter that counts the event under this selector; `None` if both do.
    pub counter: Option<u8>,
    /// The number of occurrences; for a duration, the number of separate times that it held.
    pub occurrences: u64,
    /// The number of clocks in which it held.
    pub clocks: u64,
    /// The reason why this machine never raises the event; both counts are then meaningless.
    pub unavailable: Option<&'static str>,
}

/// A region and its passes.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionResult {
    /// The name given to the start macro, or `line N`.
    pub name: String,
    /// Whether the region measures clocks or events.
    pub kind: RegionKind,
    /// The file of the region, as an index into [`Run::files`].
    pub file: u32,
    /// The line of the start macro's call, from 1.
    pub start_line: u32,
    /// The line of the end macro's call, from 1.
    pub end_line: u32,
    /// The selectors of a profile region's two counters and the events they choose on this chip, if known.
    pub events: Option<[(u8, Event); 2]>,
    /// Whether each counter counted clocks rather than occurrences.
    pub in_clocks: [bool; 2],
    /// The privilege levels at which each counter counted.
    pub levels: [Levels; 2],
    /// For each counter, the reason why its event is never raised; its counts are then meaningless.
    pub unavailable: [Option<&'static str>; 2],
    /// The passes of all runs. If there are more than [`PASS_CAPACITY`], these are the first passes of each run, and
    /// then every second, fourth and so on.
    pub passes: Vec<Pass>,
    /// The number of all passes, which exceeds the length of `passes` if the capacity was reached.
    pub pass_count: u64,
    /// The last pass, whether `passes` holds it or not.
    pub last: Option<Pass>,
    /// The number of times that the region was begun in the last run and begun again before its end macro was reached.
    /// These are not passes.
    pub left: u64,
    /// The number of times that its end macro was reached in the last run without a pass to end.
    pub unbegun: u64,
    /// Whether the chip has the counters that its macros read.
    pub measures: bool,
    /// A pass of the last run, whose clocks are near the median of the run before.
    pub trace: Trace,
    /// What is known of the rest of that pass; nothing if there is no rest, or if it is not known.
    pub beyond: Option<Beyond>,
}

/// The maximum number of passes kept for one region.
pub const PASS_CAPACITY: usize = 10_000;

/// One pass through a region. A clock region uses the first value of each pair, a profile region both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// The number of the run, from 0.
    pub run: u32,
    /// The program's own result, net of the overhead that it subtracts; `None` if the end macro never finished.
    pub measured: Option<[i64; 2]>,
    /// The overhead that the macros subtracted: the raw difference of their two readings minus `measured`; `None` if
    /// they read no counter.
    pub overhead: Option<[i64; 2]>,
    /// The clocks, or the counts of the two events, from the issue of the region's first instruction to the issue of
    /// the first one after it.
    pub truth: [i64; 2],
    /// The clocks over the same interval, for either kind of region.
    pub cycles: u64,
}

/// A label or procedure of the user's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The linear address of its first byte.
    pub address: u32,
    /// The name in the source's spelling.
    pub name: String,
}

/// The function of a source that a run begins with, and those that it does not execute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entered {
    /// The name of the function.
    pub function: String,
    /// The names of the functions that were not executed, by address.
    pub not_run: Vec<String>,
}

/// A function of the program: what the tools that made it call one, or a label that is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// The name in the source's spelling.
    pub name: String,
    /// The linear address of its first byte.
    pub address: u32,
    /// The file, as an index into [`Run::files`], and the line where its source declares it, if the tools that made it
    /// tell.
    pub declared: Option<(u32, u32)>,
}

/// What a program in 16-bit code has left in the memory of a screen, A0000h to AFFFFh.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// The number of bytes that are not 0.
    pub bytes: u32,
    /// The distance of the first of them from A0000h.
    pub first: u32,
    /// A digest of all bytes: equal bytes have equal ones.
    pub digest: u64,
}

impl Screen {
    /// The linear addresses.
    pub const ADDRESSES: Range<u32> = 0xA_0000..0xB_0000;
}

/// A range of memory without a name in which a run changed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherMemory {
    /// The linear address of the first changed byte.
    pub first: u32,
    /// That of the last one. Bytes that did not change may lie between.
    pub last: u32,
    /// The number of bytes that changed.
    pub bytes: u32,
    /// A digest of all bytes: equal bytes have equal ones. In a flat program, dwords that may be addresses of its
    /// memory count as 0.
    pub digest: u64,
    /// What it is part of.
    pub part: MemoryPart,
}

/// What a range of memory without a name is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryPart {
    /// A flat program, its heap or its mappings.
    Flat,
    /// A program that starts in real mode, as it was loaded.
    Loaded,
    /// The memory of real mode outside of the loaded program, which was 0 before the run.
    Outside,
}

impl MemoryPart {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            MemoryPart::Flat => "flat",
            MemoryPart::Loaded => "loaded",
            MemoryPart::Outside => "outside",
        }
    }
}

impl OtherMemory {
    /// The most ranges; the last of so many has all that follow.
    pub const MOST: usize = 64;
}

/// A data symbol with its value after the last run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolValue {
    /// The name in the source's spelling.
    pub name: String,
    /// The linear address of its first byte.
    pub address: u32,
    /// The size of its definition in bytes.
    pub size: u32,
    /// The size of one element in bytes.
    pub element: u32,
    /// The kind of its elements.
    pub kind: ElementKind,
    /// Its bytes as an unsigned little-endian number, if it has 1 to 8 of them.
    pub value: Option<u64>,
    /// A digest of all its bytes if it has no value: equal bytes have equal ones.
    pub digest: Option<u64>,
    /// The first difference from the loaded data, in whole elements; `None` if nothing changed.
    pub changed: Option<Change>,
    /// Whether the macro library defined it.
    pub library: bool,
    /// Whether its elements and their kind are those of a declaration in a source.
    pub typed: bool,
}

/// The changes that a run made to a data symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The number of elements that differ from the loaded ones.
    pub elements: u32,
    /// The index of the first element that differs.
    pub first: u32,
    /// The first field of that element that differs, if it is a structure.
    pub field: Option<ChangedField>,
    /// The value of the field, or else of the element, before and after, as unsigned little-endian numbers; `None` if
    /// it is wider than 8 bytes and no real number.
    pub values: Option<[u128; 2]>,
    /// The names of these values, which may be those of an enumeration, or of addresses.
    pub names: [Option<String>; 2],
    /// The elements after the run, as unsigned little-endian numbers, if there are several and they are no structures:
    /// the first [`Change::MOST`] of them.
    pub now: Vec<u128>,
}

impl Change {
    /// The most elements that are kept.
    pub const MOST: usize = 1024;
}

/// A field of a structure that a run changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedField {
    /// The name that follows the name of the data, such as `.corner.x` or `.table[3]`.
    pub name: String,
    /// The size in bytes of the field, or of its element that differs.
    pub element: u32,
    /// The kind of the field's elements.
    pub kind: ElementKind,
    /// Whether other bytes of the structure differ too.
    pub others: bool,
}
