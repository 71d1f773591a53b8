//! These tools' results in the shape of their JSON schemas.

use super::super::json;
use super::figures::{Figures, Scale, multiple, ratio, side_by_side};
use super::{notes, ratio::note, schema, stat::difference, title, uncounted};
use asm_macros::events::Unit;
use p5_chips::Selection;
use p5_image::SourceFile;
use p5_machine::instruments::{self, Interval, LeftOut, Line, Ratio, Stat, Watched};

pub(super) fn stat<'a>(one: &'a Stat, other: Option<&'a Stat>, scale: Scale) -> schema::StatReport<'a> {
    let programs = std::iter::once(one).chain(other);
    schema::StatReport {
        schema_version: schema::SCHEMA_VERSION,
        bytes: scale.bytes,
        megahertz: scale.megahertz,
        programs: programs.map(|stat| program(stat, scale)).collect(),
        ratios: other.map(|other| ratios([one, other], scale)),
    }
}

pub(super) fn subject(subject: &instruments::Subject) -> schema::Subject<'_> {
    schema::Subject {
        program: &subject.program,
        cpu: subject.cpu,
        cpu_title: subject.cpu_title,
        memory: subject.memory,
        assumed: subject.assumed.iter().copied().collect(),
        monitors: subject.monitors.clone(),
        core_ratio: subject.core_ratio.as_deref(),
        cpl: subject.cpl,
        stop: json::stop(&subject.stop, &subject.files),
        notes: notes(subject),
    }
}

fn program(stat: &Stat, scale: Scale) -> schema::StatProgram<'_> {
    let figures = Figures::of(stat, scale);
    schema::StatProgram {
        subject: subject(&stat.subject),
        clocks: stat.clocks.clone(),
        v_share: figures.v_share,
        clocks_per_byte: figures.clocks_per_byte,
        seconds: figures.seconds,
        megabytes_per_second: figures.megabytes_per_second,
        events: stat.lines.iter().map(line).collect(),
    }
}

fn line(line: &Line) -> schema::StatEvent {
    schema::StatEvent {
        event: event(line.selection),
        execution: line.execution,
        count: line.count.ok(),
        reason: line.count.err().map(uncounted),
        at_once: line.at_once,
        difference: line.difference.map(difference),
    }
}

fn event(selection: Selection) -> schema::Event {
    schema::Event {
        selector: selection.selector,
        counter: selection.counter,
        name: selection.event.name(),
        title: title(selection),
        unit: match selection.event.row().unit {
            Unit::Occurrence => "occurrences",
            Unit::Duration => "clocks",
        },
    }
}

fn ratios(stats: [&Stat; 2], scale: Scale) -> schema::Ratios {
    let figures = stats.map(|stat| Figures::of(stat, scale));
    let of = |figure: &dyn Fn(&Figures) -> Option<f64>| {
        let [first, second] = [0, 1].map(|side| figure(&figures[side]));
        first.zip(second).and_then(|(first, second)| ratio(second, first))
    };
    let events = side_by_side(stats[0], stats[1]).into_iter().filter_map(|pair| {
        let selection = pair[0].or(pair[1])?.selection;
        Some(schema::EventRatio {
            selector: selection.selector,
            name: selection.event.name(),
            ratio: multiple(pair),
        })
    });
    schema::Ratios {
        clocks: of(&|one| one.clocks.map(|clocks| clocks as f64)),
        v_share: of(&|one| one.v_share),
        clocks_per_byte: of(&|one| one.clocks_per_byte),
        megabytes_per_second: of(&|one| one.megabytes_per_second),
        events: events.collect(),
    }
}

pub(super) fn ratio_report(ratio: &Ratio) -> schema::RatioReport<'_> {
    let warm = |index: usize| index > 0 || ratio.selection.counter.is_some();
    let rows = ratio.rows.iter().enumerate().map(|(index, row)| schema::RatioRow {
        warm: warm(index),
        cycles: row.clocks,
        occurrences: row.counts.ok().map(|[occurrences, _]| occurrences),
        clocks: row.counts.ok().map(|[_, clocks]| clocks),
        mean: row.mean(),
        reason: row.counts.err().map(uncounted),
    });
    schema::RatioReport {
        schema_version: schema::SCHEMA_VERSION,
        subject: subject(&ratio.subject),
        selector: ratio.selection.selector,
        counter: ratio.selection.counter,
        name: ratio.selection.event.name(),
        executions: rows.collect(),
        note: note(ratio),
    }
}

pub(super) fn watched_events(selections: [Option<Selection>; 2]) -> [Option<schema::Event>; 2] {
    selections.map(|selection| selection.map(event))
}

pub(super) fn interval(
    interval: &Interval,
    selections: [Option<Selection>; 2],
    files: &[SourceFile],
) -> schema::Interval {
    let of = |counter: usize| interval.counts.ok().map(|counts| counts[counter]);
    schema::Interval {
        until: interval.until,
        clocks: interval.clocks,
        counts: [0, 1].map(|counter| of(counter).filter(|_| selections[counter].is_some())),
        rates: [0, 1].map(|counter| interval.rate(counter).filter(|_| selections[counter].is_some())),
        reason: interval.counts.err().map(uncounted),
        busiest: interval.busiest.map(|busiest| schema::Busiest {
            file: (files.get(busiest.place.0 as usize)).map_or_else(String::new, |file| file.name.clone()),
            line: busiest.place.1,
            cycles: busiest.clocks,
        }),
    }
}

pub(super) fn watch_end(
    watched: &Watched,
    left_out: Option<LeftOut>,
    selections: [Option<Selection>; 2],
) -> schema::WatchEnd<'_> {
    schema::WatchEnd {
        left_out: left_out.map(|left| schema::LeftOut {
            intervals: left.intervals,
            sum: interval(&left.sum, selections, &watched.subject.files),
        }),
        total: interval(&watched.total, selections, &watched.subject.files),
        subject: subject(&watched.subject),
    }
}
