//! The JSON reports of these tools, from which the published schemas are derived.
//!
//! Within one `schema_version`, fields are only added. A missing count is null, and `reason` explains it.

use super::figures::{Figures, Scale, multiple, ratio, side_by_side};
use super::registers::{self, MsrDump, MsrReading, MsrRow};
use super::{difference, note, notes, title, uncounted};
use crate::document::{P5INST, document};
use crate::json::Stop;
use crate::setting::Setting;
use crate::wording;
use asm_macros::events::Unit;
use p5_chips::Selection;
use p5_image::SourceFile;
use p5_machine::instruments::{self, Line, Ratio, Stat, Watched};
use std::borrow::Cow;

type Selections = [Option<Selection>; 2];

document! {
    /// P5Stat: the events of one program, or of two side by side.
    #[cfg_attr(test, schemars(title = "p5inst stat"))]
    pub(crate) struct StatReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The bytes that an execution works on; null if not given.
        bytes: Option<u64> = scale.bytes,
        /// The clock rate in MHz; null if not given.
        megahertz: Option<f64> = scale.megahertz,
        /// One program, or the two that are compared.
        programs: Vec<StatProgram<'a>> = (std::iter::once(one).chain(other))
            .map(|one| StatProgram::of(one, scale))
            .collect(),
        /// The second program's figures as multiples of the first one's; null for one program.
        ratios: Option<Ratios> = other.map(|other| Ratios::of([one, other], scale)),
    }
    from (one: &'a Stat, other: Option<&'a Stat>, scale: Scale)

    /// The program that was run, and its machine.
    pub(crate) struct Subject<'a> {
        /// The program and its machine.
        #[serde(flatten)]
        setting: Setting<'a> = Setting::from(subject),
        /// How the last execution ended.
        stop: Stop<'a> = Stop::of(&subject.stop, &subject.files),
        /// Notes for the reader.
        notes: Vec<Cow<'static, str>> = notes(subject),
    }
    from (subject: &'a instruments::Subject)

    /// The events of one program.
    pub(crate) struct StatProgram<'a> {
        /// The program and its machine.
        #[serde(flatten)]
        subject: Subject<'a> = Subject::of(&stat.subject),
        /// The clocks of each execution; the first one warms the caches and counts nothing.
        clocks: Vec<u64> = stat.clocks.clone(),
        /// The part of the instructions that executed in V, 0 to 0.5; null if one of the two was not counted.
        v_share: Option<f64> = figures.v_share,
        /// The clocks of the last execution for each byte.
        clocks_per_byte: Option<f64> = figures.clocks_per_byte,
        /// The time of the last execution.
        seconds: Option<f64> = figures.seconds,
        /// Millions of bytes in a second.
        megabytes_per_second: Option<f64> = figures.megabytes_per_second,
        /// The events, in selector order.
        events: Vec<StatEvent> = stat.lines.iter().map(StatEvent::of).collect(),
    }
    from (stat: &'a Stat, scale: Scale) {
        let figures = Figures::of(stat, scale);
    }

    /// An event.
    pub(crate) struct StatEvent {
        /// The counted event.
        #[serde(flatten)]
        event: Event = Event::of(line.selection),
        /// The execution that counted it, from 1.
        execution: u32 = line.execution,
        /// The reading of the counter; null if there is no count.
        count: Option<u64> = line.count.ok(),
        /// Why there is no count; null if there is one.
        reason: Option<String> = line.count.err().map(uncounted),
        /// The count of the last execution, with all events at once; null if the event is not raised.
        at_once: Option<u64> = line.at_once,
        /// Why the two counts differ; null if they do not.
        difference: Option<&'static str> = line.difference.map(difference),
    }
    from (line: &Line)

    /// An event and how a counter is set to it.
    pub(crate) struct Event {
        /// The selector.
        selector: u8 = selection.selector,
        /// The only counter that counts it under this selector; null if both do.
        counter: Option<u8> = selection.counter,
        /// The name.
        name: &'static str = selection.event.name(),
        /// The counted event, in words.
        title: String = title(selection),
        /// The unit that the counter was set to count: `occurrences` or `clocks`.
        unit: &'static str = match selection.event.row().unit {
            Unit::Occurrence => "occurrences",
            Unit::Duration => "clocks",
        },
    }
    from (selection: Selection)

    /// The second program's figures as multiples of the first one's; null where one of them has none or the first is 0.
    pub(crate) struct Ratios {
        /// The clocks of the last execution.
        clocks: Option<f64> = of(&|one| one.clocks.map(|clocks| clocks as f64)),
        /// The part of the instructions that executed in V.
        v_share: Option<f64> = of(&|one| one.v_share),
        /// Clocks for each byte.
        clocks_per_byte: Option<f64> = of(&|one| one.clocks_per_byte),
        /// Millions of bytes in a second.
        megabytes_per_second: Option<f64> = of(&|one| one.megabytes_per_second),
        /// The events of both, each by its selector and name.
        events: Vec<EventRatio> = pairs
            .filter_map(|pair| Some(EventRatio::of(pair, pair[0].or(pair[1])?.selection)))
            .collect(),
    }
    from (stats: [&Stat; 2], scale: Scale) {
        let figures = stats.map(|stat| Figures::of(stat, scale));
        let of = |figure: &dyn Fn(&Figures) -> Option<f64>| {
            let [first, second] = [0, 1].map(|side| figure(&figures[side]));
            first.zip(second).and_then(|(first, second)| ratio(second, first))
        };
        let pairs = side_by_side(stats[0], stats[1]).into_iter();
    }

    /// The counts of an event in two programs.
    pub(crate) struct EventRatio {
        /// The selector.
        selector: u8 = selection.selector,
        /// The name.
        name: &'static str = selection.event.name(),
        /// The second count as a multiple of the first.
        ratio: Option<f64> = multiple(pair),
    }
    from (pair: [Option<&Line>; 2], selection: Selection)

    /// The mean length of an event.
    #[cfg_attr(test, schemars(title = "p5inst ratio"))]
    pub(crate) struct RatioReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The program and its machine.
        #[serde(flatten)]
        subject: Subject<'a> = Subject::of(&ratio.subject),
        /// The selector of the event.
        selector: u8 = ratio.selection.selector,
        /// The only counter that counts it; null if both do.
        counter: Option<u8> = ratio.selection.counter,
        /// The name of the event.
        name: &'static str = ratio.selection.event.name(),
        /// A cold and a warm execution; of an event that one counter alone counts, a warm one.
        executions: Vec<RatioRow> = (0..ratio.rows.len()).map(|index| RatioRow::of(ratio, index)).collect(),
        /// The meaning of the means for an event that does not last, and the place of its cost; null for one that
        /// lasts.
        note: Option<&'static str> = note(ratio),
    }
    from (ratio: &'a Ratio)

    /// An execution.
    pub(crate) struct RatioRow {
        /// Whether it was not the first one.
        warm: bool = index > 0 || ratio.selection.counter.is_some(),
        /// Its clocks; null if the time limit cut it off.
        cycles: Option<u64> = row.clocks,
        /// The number of occurrences of the event; null if there is no count.
        occurrences: Option<u64> = row.counts.ok().map(|[occurrences, _]| occurrences),
        /// The number of clocks in which it held.
        clocks: Option<u64> = row.counts.ok().map(|[_, clocks]| clocks),
        /// The mean clocks of an occurrence; null if there was none.
        mean: Option<f64> = row.mean(),
        /// Why there is no count; null if there is one.
        reason: Option<String> = row.counts.err().map(uncounted),
    }
    from (ratio: &Ratio, index: usize) {
        let row = &ratio.rows[index];
    }

    /// The end of a watched execution.
    pub(crate) struct WatchEnd<'a> {
        /// The intervals after these, as one; null if there are no more.
        left_out: Option<LeftOut> = left_out.map(|left| LeftOut::of(&left, selections, files)),
        /// The whole execution.
        total: Interval = Interval::of(&watched.total, selections, files),
        /// The program and its machine.
        #[serde(flatten)]
        subject: Subject<'a> = Subject::of(&watched.subject),
    }
    from (watched: &'a Watched, left_out: Option<instruments::LeftOut>, selections: Selections) {
        let files = &watched.subject.files;
    }

    /// Intervals that are left out, because there are too many or they take too many bytes.
    pub(crate) struct LeftOut {
        /// The number of intervals.
        intervals: u64 = left.intervals,
        /// The counts from the end of the last interval that is shown.
        #[serde(flatten)]
        sum: Interval = Interval::of(&left.sum, selections, files),
    }
    from (left: &instruments::LeftOut, selections: Selections, files: &[SourceFile])

    /// A part of an execution.
    pub(crate) struct Interval {
        /// The clocks of the execution at its end.
        until: u64 = interval.until,
        /// Its own clocks.
        clocks: u64 = interval.clocks,
        /// The count of each counter; null if it is not known, or if the counter counts no event.
        counts: [Option<u64>; 2] = [0, 1].map(|counter| of(counter).filter(|_| selections[counter].is_some())),
        /// The count in 1,000 clocks; null also if the interval has none.
        rates: [Option<f64>; 2] = [0, 1]
            .map(|counter| interval.rate(counter).filter(|_| selections[counter].is_some())),
        /// Why the counts are not known; null if they are.
        reason: Option<String> = interval.counts.err().map(uncounted),
        /// The source line with most of its clocks; null if it is not known, and for the whole execution.
        busiest: Option<Busiest> = interval.busiest.map(|busiest| Busiest::of(&busiest, files)),
    }
    from (interval: &instruments::Interval, selections: Selections, files: &[SourceFile]) {
        let of = |counter: usize| interval.counts.ok().map(|counts| counts[counter]);
    }

    /// The source line with most clocks of an interval.
    pub(crate) struct Busiest {
        /// Its file.
        file: String = (files.get(busiest.place.0 as usize)).map_or_else(String::new, |file| file.name.clone()),
        /// The line of the outermost macro call, from 1.
        line: u32 = busiest.place.1,
        /// Its clocks in the interval.
        cycles: u64 = busiest.clocks,
    }
    from (busiest: &instruments::Busiest, files: &[SourceFile])

    /// The model specific registers, each read twice.
    #[cfg_attr(test, schemars(title = "p5inst msr dump"))]
    pub(crate) struct MsrReport<'a> {
        /// Version of this schema; within one version fields are only added.
        schema_version: u32 = 1,
        /// The version of p5inst that wrote it.
        version: &'static str = P5INST,
        /// The chip as `--cpu` takes it.
        cpu: &'a str = dump.cpu,
        /// The chip's full name.
        cpu_title: &'a str = dump.cpu_title,
        /// The program between whose beginning and end they were read; null if RDMSR read them right after reset.
        around: Option<Subject<'a>> = dump.around.as_ref().map(Subject::of),
        /// The registers.
        registers: Vec<MsrRegister> = dump.rows.iter().map(MsrRegister::of).collect(),
        /// The clock rate in MHz; null if not given.
        megahertz: Option<f64> = dump.megahertz,
        /// The first reading of the time stamp counter; around a program, the reading after it.
        time_stamp: Option<u64> = clocks,
        /// The seconds from reset to that reading.
        seconds_since_power_up: Option<f64> = seconds,
    }
    from (dump: &'a MsrDump) {
        let (clocks, seconds) = dump.time();
    }

    /// A model specific register.
    pub(crate) struct MsrRegister {
        /// Its number.
        number: u32 = row.number,
        /// Its title; null if it does not exist.
        title: Option<String> = registers::title(row),
        /// The outcome of RDMSR: `read`, `fault` or `hangs`. A register that hangs was not read.
        outcome: &'static str = outcome,
        /// Both values, in the order of reading; null if it cannot be read.
        values: Option<[u64; 2]> = values,
        /// Whether the two differ; null if it cannot be read.
        changed: Option<bool> = values.map(|[first, second]| first != second),
        /// The exception that RDMSR raised; null if none.
        exception: Option<String> = exception,
    }
    from (row: &MsrRow) {
        let (outcome, values, exception) = match row.reading {
            MsrReading::Values(values) => ("read", Some(values), None),
            MsrReading::Exception(vector) => ("fault", None, Some(wording::vector_name(u32::from(vector)))),
            MsrReading::Hangs => ("hangs", None, None),
        };
    }
}

/// One or two events while a program runs.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(title = "p5inst watch"))]
pub(crate) struct WatchReport<I, E> {
    /// Version of this schema; within one version fields are only added.
    pub(super) schema_version: u32,
    /// The version of p5inst that wrote it.
    pub(super) version: &'static str,
    /// The events, one for each counter; null if it counts none.
    pub(super) events: [Option<Event>; 2],
    /// The least clocks of an interval.
    pub(super) every: u64,
    /// Whether caches and predictions are empty at the beginning of the run, which is the only one.
    pub(super) cold: bool,
    /// The first intervals, in order: at most 100,000, and none that begins after 8 MiB of the document. `left_out`
    /// says how many more there are.
    pub(super) intervals: I,
    /// The end of the execution.
    #[serde(flatten)]
    pub(super) end: E,
}
