//! The JSON report of a run. Clocks are core clocks; all numbers are integers.

mod budget;
mod caches;
mod diagram;
mod lines;
mod loops;
mod regions;
mod sure;
mod symbols;

pub(crate) use self::regions::Spread;

use self::budget::Budget;
use self::caches::Cache;
use self::diagram::Diagram;
use self::lines::{Function, Instruction, Issued, Line, instructions, source_lines};
use self::loops::RepeatedLoop;
use self::regions::Region;
use self::sure::Sureness;
use self::symbols::{Symbol, symbols};
use super::entered::Entered;
use super::floating_point::FloatingPoint;
use super::fragment::{self, Fragment, culprit_registers};
use super::ordered::Ordered;
use super::setting::Setting;
use super::{
    Detail, budgets,
    document::{P5INST, document},
    functions, loop_table, printable, times, wording,
};
use p5_image::SourceFile;
use p5_results::{EventCount, Note, RegisterSet, Run, RunSummary, Wrote};
use p5_words::flags::NAMED;
use std::collections::BTreeMap;

/// The version of the report's schema, which increases when a field is removed or changes its meaning.
pub(crate) const VERSION: u32 = 2;
/// The maximum size in bytes of a program's output in a report. A zero byte becomes six characters.
pub(super) const MOST_OUTPUT: usize = 1 << 20;

document! {
    /// The runs of one program on one simulated chip.
    #[cfg_attr(test, schemars(title = "p5inst report"))]
    pub(crate) struct Report<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = VERSION,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program and its machine.
        #[serde(flatten)]
        setting: Setting<'a> = Setting::from(run),
        /// What was assumed of a source that is a fragment, as text reports say it; absent for a program.
        #[serde(skip_serializing_if = "Option::is_none")]
        fragment: Option<Fragment> = run.fragment.as_deref().map(Fragment::of),
        /// The function with which the run of a source begins that has several and says not where; absent for others.
        #[serde(skip_serializing_if = "Option::is_none")]
        entered: Option<Entered> = run.entered.as_ref().map(Entered::of),
        /// Names of the source files, in the order they were first read.
        files: Vec<&'a str> = run.files.iter().map(|file| file.name.as_str()).collect(),
        /// Why the last run ended.
        stop: Stop<'a> = Stop::of(&run.stop, &run.files),
        /// One entry per run; the first run is cold, the later ones are warm.
        runs: Vec<RunTotals> = run.runs.iter().map(RunTotals::of).collect(),
        /// The last run, whole: `own` and `probes` add up to it.
        whole: Part = Part::of(&run.whole),
        /// The user's program in the last run.
        own: Part = Part::of(&run.own),
        /// The time of the last run at the clock rate of `--mhz`; absent without it.
        #[serde(skip_serializing_if = "Option::is_none")]
        time: Option<Time> = times::of_run(run).map(Time::of),
        /// The bundled library's macros and their calibration in the last run; null if the program does not use them.
        probes: Option<Part> = run.probes.as_ref().map(Part::of),
        /// The regions that macros mark, in source order.
        regions: Vec<Region<'a>> = (0..run.regions.len()).map(|index| Region::of(run, index, traced)).collect(),
        /// The last run of a program without regions, instruction by instruction; absent without `--all`.
        #[serde(skip_serializing_if = "Option::is_none")]
        trace: Option<Vec<Issued<'a>>> = traced.then(|| run.trace.issued.iter().map(|issued| Issued::of(run, issued)).collect()),
        /// Whether there was no room to trace all of the run.
        trace_cut: bool = run.trace.full,
        /// The trace with each loop's rounds folded into one; null if nothing was traced.
        diagram: Option<Diagram> = Diagram::of_trace(run, &run.trace),
        /// The program's functions that were executed in the last run, the most clocks first: what the tools that made
        /// it call functions, and labels that are called. They add up to `own.totals`.
        functions: Vec<Function<'a>> = functions::parts(run, Detail::Short).iter().map(|part| Function::of(run, part)).collect(),
        /// The loops of a program of Linux with source lines, the most clocks first; absent without any.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        loops: Vec<RepeatedLoop<'a>> = loop_table::repeated(run).iter().map(|one| RepeatedLoop::of(run, one)).collect(),
        /// The source lines executed in the last run, by file and line; code without a source line has `<memory>`, line
        /// 0 and its disassembly.
        lines: Vec<Line<'a>> = source_lines(run),
        /// The instructions executed in the last run, in address order; of very many, only those executed most often.
        /// The sums of `lines` include the others.
        instructions: Vec<Instruction<'a>> = instructions(run),
        /// The number of executed instructions that are not in `instructions`.
        instructions_left_out: u64 = run.remainders.iter().map(|rest| rest.instructions).sum(),
        /// The general registers before and after the last run.
        registers: Ordered<[u32; 2]> = registers(run),
        /// The selectors in the segment registers before and after the last run; absent if none has changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        selectors: Option<Ordered<[u16; 2]>> = selectors(run),
        /// The flags CF, PF, AF, ZF, SF, DF and OF before and after the last run, as 0 or 1.
        flags: Ordered<[u32; 2]> = flags(run),
        /// The floating-point unit after the last run; absent if the program has not used it.
        #[serde(skip_serializing_if = "Option::is_none")]
        floating_point: Option<FloatingPoint> = run.floating_point.as_ref().map(FloatingPoint::of),
        /// What a program in 16-bit code has left in the memory of a screen; absent if it is as it was.
        #[serde(skip_serializing_if = "Option::is_none")]
        screen: Option<Screen> = run.screen.as_ref().map(Screen::of),
        /// The memory that the last run changed outside of named data, executed code, the stack and the screen, in the
        /// order of addresses. Of a flat program that has changed none it is absent.
        #[serde(skip_serializing_if = "Option::is_none")]
        other_memory: Option<Vec<OtherMemory>> = run.other_memory.as_ref().map(|all| all.iter().map(OtherMemory::of).collect()),
        /// The first level caches after the last run, the code cache first; absent without `--all`.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        caches: Vec<Cache> = run.caches.iter().filter(|_| traced).map(Cache::of).collect(),
        /// The data symbols after the last run, the user's first.
        symbols: Vec<Symbol<'a>> = symbols(run),
        /// The output of the program in the last run; only its beginning if it is more than 1 MiB.
        output: String = output,
        /// How its bytes became characters: `utf-8`, or `latin-1` if they are not UTF-8, one character U+0000 to U+00FF
        /// for each byte.
        output_encoding: Encoding = output_encoding.into(),
        /// The parts of these bytes that went to standard error, from byte to byte; absent if there are none.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        standard_error: Vec<[u32; 2]> = run.standard_error.clone(),
        /// The number of output bytes that are not in `output`.
        output_left_out: u64 = (run.output.len() - told) as u64,
        /// Doubts about the executed code, and behaviour of it that is not modelled, in words.
        notes: Vec<String> = run.notes.iter().map(wording::note).collect(),
        /// The same notes as data, in the same order; absent without any.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        noted: Vec<Noted<'a>> = run.notes.iter().map(|note| Noted::of(run, note)).collect(),
        /// The limits that comments in the source set, in their order; absent without any.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        budgets: Vec<Budget<'a>> = budgets::judged(run).iter().map(|one| Budget::of(run, one)).collect(),
        /// The certainty of the clocks: open questions that the program touches, and its clocks under other answers.
        sureness: Sureness = Sureness::of(run),
    }
    from (run: &'a Run, traced: bool) {
        let (output, told, output_encoding) = printable::output(&run.output, MOST_OUTPUT);
    }

    /// A note.
    pub(crate) struct Noted<'a> {
        /// What it tells, in a few words that stay the same, such as `past variable`.
        kind: &'static str = note.kind(),
        /// Whether it tells of a mistake of the program, rather than of what is simulated or what costs clocks.
        mistake: bool = note.is_mistake(),
        /// The file of the instruction that it is about; absent if it is not known, or not about one.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str> = note.place(&run.files).0,
        /// The line there, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32> = note.place(&run.files).1,
        /// The note in words, as in `notes`.
        text: String = wording::note(note),
    }
    from (run: &'a Run, note: &'a Note)

    /// Clocks as time.
    pub(crate) struct Time {
        /// The time in microseconds.
        microseconds: f64 = time.microseconds,
        /// How many runs or passes of so many clocks are in a second; null for no clocks.
        per_second: Option<f64> = time.per_second,
    }
    from (time: times::Time)

    /// The memory of a screen, from A0000h to AFFFFh.
    pub(crate) struct Screen {
        /// The number of bytes that are not 0.
        bytes: u32 = screen.bytes,
        /// The linear address of the first of them.
        first: u32 = p5_results::Screen::ADDRESSES.start + screen.first,
        /// A digest of all bytes, as 16 hexadecimal digits: screens with the same one are the same.
        digest: String = format!("{:016x}", screen.digest),
    }
    from (screen: &p5_results::Screen)

    /// A range of memory without a name in which bytes changed. Near ones are in one range; the last of 64 has the
    /// rest.
    pub(crate) struct OtherMemory {
        /// The linear address of the first changed byte.
        first: u32 = one.first,
        /// That of the last one.
        last: u32 = one.last,
        /// The number of bytes that changed.
        bytes: u32 = one.bytes,
        /// A digest of all bytes, as 16 hexadecimal digits. In a flat program, aligned dwords that may be addresses of
        /// its memory count as 0.
        digest: String = format!("{:016x}", one.digest),
        /// What it is part of: `flat` of a flat program; else `loaded` or, outside of the loaded program, where all is
        /// 0 before a run, `outside`.
        part: &'static str = one.part.name(),
    }
    from (one: &p5_results::OtherMemory)

    /// How the last run ended.
    pub(crate) struct Stop<'a> {
        /// `end`, `return`, `rounds`, `exit`, `signal`, `halt`, `reset`, `strayed`, `fault`, `limit`, `timeout` or
        /// `unsupported`.
        reason: &'a str = stop.reason.name(),
        /// The exit code, the number of the signal, or the fault's vector number.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<u32> = stop.code,
        /// The end of the run in words.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String> = wording::stop(stop),
        /// The file of the instruction that ended the run.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<&'a str> = file.map(|file| file.name.as_str()),
        /// Its line number, from 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        line: Option<u32> = place.map(|(_, line)| line),
        /// The function that this line called and in which the run ended, if that has no lines of the program, or by
        /// which a program of Rust panicked.
        #[serde(skip_serializing_if = "Option::is_none")]
        called: Option<&'a str> = stop.called().map(|called| &*called.function),
        /// The function that the line belongs to, where it called another one in which the run ended.
        #[serde(skip_serializing_if = "Option::is_none")]
        caller: Option<&'a str> = stop.called().and_then(|called| called.caller.as_deref()),
        /// The instruction whose operands caused a fault of memory or of a division; absent for other ends.
        #[serde(skip_serializing_if = "Option::is_none")]
        instruction: Option<&'a str> = stop.culprit().map(|culprit| &*culprit.text),
        /// The general registers that this instruction depends on, with their values; absent without any.
        #[serde(skip_serializing_if = "BTreeMap::is_empty", default)]
        registers: BTreeMap<&'static str, u32> = culprit_registers(stop),
        /// What pushed the address to which a return led out of the program's code, in words; absent if not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        pushed: Option<String> = written(stop, files, false),
        /// What had overwritten the code that faulted, or a lock that nothing frees, in words; absent if not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        overwritten: Option<String> = written(stop, files, true),
        /// The call of the function with source lines in which the program faulted; absent if it is not known.
        #[serde(skip_serializing_if = "Option::is_none")]
        called_from: Option<Caller<'a>> = stop.caller().map(|site| Caller::of(site, files)),
        /// The clocks that a next instruction would wait because the last one, a branch, was mispredicted. No clocks of
        /// the run contain them; absent if it was not.
        #[serde(skip_serializing_if = "is_zero", default)]
        refill: u32 = stop.refill.into(),
        /// Whether the processor shut down because it could not deliver the fault to a handler of the program: a triple
        /// fault. Absent if not.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        shutdown: bool = stop.shutdown,
        /// The interrupts and exceptions that were being handled or delivered at a fault, in words with their places,
        /// the last one first; absent if there were none. Of very many only the last are here.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        handling: Vec<String> = wording::raised(stop, files),
    }
    from (stop: &'a p5_results::Stop, files: &'a [SourceFile]) {
        let place = stop.place;
        let file = place.and_then(|(file, _)| files.get(file as usize));
    }

    /// A call.
    pub(crate) struct Caller<'a> {
        /// The function that calls; absent if it has no name.
        #[serde(skip_serializing_if = "Option::is_none")]
        function: Option<&'a str> = site.function.as_deref(),
        /// Its file.
        file: &'a str = files.get(site.place.0 as usize).map_or("", |file| file.name.as_str()),
        /// Its line.
        line: u32 = site.place.1,
    }
    from (site: &'a p5_results::CallSite, files: &'a [SourceFile])

    /// One run.
    pub(crate) struct RunTotals {
        /// The whole run.
        whole: Totals = Totals::of(&run.whole),
        /// The user's program.
        own: Totals = Totals::of(&run.own),
    }
    from (run: &RunSummary)

    /// The last run, or a part of it. An instruction and its clocks belong to the part whose source file holds its
    /// text; an event belongs to the part that issued last.
    pub(crate) struct Part {
        /// The totals.
        totals: Totals = Totals::of(&part.totals),
        /// The clocks by cause; they add up to `totals.cycles`.
        cycle_stack: Vec<CauseCycles> = part.cycle_stack.iter().map(CauseCycles::of).collect(),
        /// Every event the chip's counters can be set to, in selector order.
        events: Vec<Event> = part.events.iter().map(Event::of).collect(),
    }
    from (part: &p5_results::Part)

    /// A run or a part of it in four numbers.
    pub(crate) struct Totals {
        /// Clocks.
        cycles: u64 = totals.cycles,
        /// Instructions executed: `u` + `v`.
        instructions: u64 = totals.instructions,
        /// Instructions in the U pipe.
        u: u64 = totals.u,
        /// Instructions in the V pipe.
        v: u64 = totals.v,
    }
    from (totals: &p5_results::Totals)

    /// A part of the cycle stack.
    pub(crate) struct CauseCycles {
        /// The cause of these clocks.
        cause: &'static str = part.cause.name(),
        /// The number of clocks.
        cycles: u64 = part.cycles,
    }
    from (part: &p5_results::CauseCycles)

    /// An event's counts.
    pub(crate) struct Event {
        /// The number that selects it.
        selector: u8 = count.selector,
        /// The counter that alone counts the event under this selector; absent if both do.
        #[serde(skip_serializing_if = "Option::is_none")]
        counter: Option<u8> = count.counter,
        /// The event's name.
        name: &'static str = count.event.name(),
        /// The number of occurrences; null if this machine does not raise the event.
        occurrences: Option<u64> = available.then_some(count.occurrences),
        /// Clocks in which it held; null if this machine does not raise the event.
        clocks: Option<u64> = available.then_some(count.clocks),
        /// Whether this machine raises the event.
        available: bool = available,
        /// Why this machine does not raise the event.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<&'static str> = count.unavailable,
    }
    from (count: &EventCount) {
        let available = count.unavailable.is_none();
    }
}

fn selectors(run: &Run) -> Option<Ordered<[u16; 2]>> {
    let [before, after] = run.selectors;
    let each = super::state::SELECTORS.iter().zip(before).zip(after);
    let named = each.map(|((&name, before), after)| (name.to_owned(), [before, after]));
    (before != after).then(|| Ordered(named.collect()))
}

fn registers(run: &Run) -> Ordered<[u32; 2]> {
    let each = RegisterSet::GENERAL_NAMES.iter().enumerate();
    Ordered(
        each.map(|(index, &name)| (name.to_owned(), run.registers.map(|values| values[index])))
            .collect(),
    )
}

/// What wrote the code that faulted or a lock, or else the address that led out of the program's code, in words.
fn written(stop: &p5_results::Stop, files: &[SourceFile], code: bool) -> Option<String> {
    let writer = stop
        .writer()
        .filter(|writer| matches!(writer.wrote, Wrote::Code | Wrote::Lock) == code);
    writer.map(|_| fragment::written(stop, files).trim_start_matches("; ").to_owned())
}

fn is_zero(clocks: &u32) -> bool {
    *clocks == 0
}

fn flags(run: &Run) -> Ordered<[u32; 2]> {
    let bits = |bit: u32| run.flags.map(|flags| u32::from(flags & bit != 0));
    Ordered(NAMED.iter().map(|&(name, bit)| (name.to_owned(), bits(bit))).collect())
}

/// How the bytes that a program wrote became characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) enum Encoding {
    /// The bytes are UTF-8.
    #[serde(rename = "utf-8")]
    Utf8,
    /// The bytes are not UTF-8, and each is the character U+0000 to U+00FF with its number.
    #[serde(rename = "latin-1")]
    Latin1,
}

impl From<printable::Encoding> for Encoding {
    fn from(encoding: printable::Encoding) -> Encoding {
        match encoding {
            printable::Encoding::Utf8 => Encoding::Utf8,
            printable::Encoding::Latin1 => Encoding::Latin1,
        }
    }
}
