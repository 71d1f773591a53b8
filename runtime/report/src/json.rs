//! The JSON report: a run in the shape of `schema`.

use super::bound::Bound;
use super::diagram::{Diagram, Node, Path};
use super::json_text::write_json;
use super::lines::{self, MEMORY, Sum, file_name};
use super::schema::{self, Figure, Ordered};
use super::state::printed;
use super::{budgets, floating_point, printable, summary, sure, wording};
use p5_image::{ElementKind, RegionKind, SourceFile};
use p5_results::{self as run, Levels, RegionResult, RegisterSet, Run};
use std::io::{self, Write};

/// The most bytes of a program's output in a report. A zero byte becomes six characters.
const MOST_OUTPUT: usize = 1 << 20;

/// Writes the report, with the traces if `traced` is set.
pub(super) fn write(run: &Run, traced: bool, out: &mut dyn Write) -> io::Result<()> {
    write_json(&report(run, traced), out)
}

fn report(run: &Run, traced: bool) -> schema::Report<'_> {
    let (output, told, output_encoding) = printable::output(&run.output, MOST_OUTPUT);
    schema::Report {
        schema_version: schema::SCHEMA_VERSION,
        program: &run.program,
        cpu: run.cpu,
        cpu_title: run.cpu_title,
        memory: run.memory,
        assumed: run.assumed.iter().copied().collect(),
        monitors: run.monitors.clone(),
        core_ratio: run.core_ratio.as_deref(),
        cpl: run.cpl,
        files: run.files.iter().map(|file| file.name.as_str()).collect(),
        stop: stop(&run.stop, &run.files),
        runs: run.runs.iter().map(run_totals).collect(),
        whole: part(&run.whole),
        own: part(&run.own),
        probes: run.probes.as_ref().map(part),
        regions: (0..run.regions.len()).map(|index| region(run, index, traced)).collect(),
        trace: traced.then(|| run.trace.issued.iter().map(issued).collect()),
        trace_cut: run.trace.full,
        diagram: diagram(run, &run.trace),
        lines: source_lines(run),
        instructions: instructions(run),
        instructions_left_out: run.remainders.iter().map(|rest| rest.instructions).sum(),
        registers: Ordered(
            RegisterSet::GENERAL_NAMES
                .iter()
                .enumerate()
                .map(|(index, &name)| (name.to_owned(), run.registers.map(|values| values[index])))
                .collect(),
        ),
        floating_point: run.floating_point.as_ref().map(floating_point::json),
        caches: run.caches.iter().filter(|_| traced).map(cache).collect(),
        symbols: symbols(run),
        output,
        output_encoding: output_encoding.into(),
        output_left_out: (run.output.len() - told) as u64,
        notes: run.notes.iter().map(wording::note).collect(),
        budgets: budgets::judged(run).iter().map(|one| budget(run, one)).collect(),
        sureness: sure::sureness(run),
    }
}

/// How a run ended, with its place in `files`.
pub(super) fn stop<'a>(stop: &'a run::Stop, files: &'a [SourceFile]) -> schema::Stop<'a> {
    let place = stop.place;
    let file = place.and_then(|(file, _)| files.get(file as usize));
    schema::Stop {
        reason: stop.reason.name(),
        code: stop.code,
        message: wording::stop(stop),
        file: file.map(|file| file.name.as_str()),
        line: place.map(|(_, line)| line),
        shutdown: stop.shutdown,
        handling: wording::raised(stop, files),
    }
}

fn run_totals(run: &run::RunSummary) -> schema::RunTotals {
    schema::RunTotals {
        whole: totals(&run.whole),
        own: totals(&run.own),
    }
}

fn totals(totals: &run::Totals) -> schema::Totals {
    schema::Totals {
        cycles: totals.cycles,
        instructions: totals.instructions,
        u: totals.u,
        v: totals.v,
    }
}

fn part(part: &run::Part) -> schema::Part {
    schema::Part {
        totals: totals(&part.totals),
        cycle_stack: part
            .cycle_stack
            .iter()
            .map(|part| schema::CauseCycles {
                cause: part.cause.name(),
                cycles: part.cycles,
            })
            .collect(),
        events: part.events.iter().map(event).collect(),
    }
}

fn event(count: &run::EventCount) -> schema::Event {
    let available = count.unavailable.is_none();
    schema::Event {
        selector: count.selector,
        counter: count.counter,
        name: count.event.name(),
        occurrences: available.then_some(count.occurrences),
        clocks: available.then_some(count.clocks),
        available,
        reason: count.unavailable,
    }
}

fn region(run: &Run, index: usize, traced: bool) -> schema::Region<'_> {
    let region = &run.regions[index];
    let summary = summary::region(run, region);
    schema::Region {
        name: &region.name,
        kind: match region.kind {
            RegionKind::Tsc => "tsc",
            RegionKind::Profile => "profile",
        },
        file: file_name(run, region.file).unwrap_or(MEMORY),
        start_line: region.start_line,
        end_line: region.end_line,
        counted: region.events.map(|events| events.map(|(_, event)| event.name())),
        counted_in_clocks: (region.kind == RegionKind::Profile).then_some(region.in_clocks),
        counted_at: (region.kind == RegionKind::Profile).then_some(region.levels.map(Levels::name)),
        reason: region
            .unavailable
            .iter()
            .any(Option::is_some)
            .then_some(region.unavailable),
        passes: region.passes.iter().map(|one| pass(region, one)).collect(),
        pass_count: region.pass_count,
        left: (region.left > 0).then_some(region.left),
        unbegun: (region.unbegun > 0).then_some(region.unbegun),
        passes_by_run: summary::passes_by_run(run, region),
        cold: summary.cold.as_ref().map(|cold| pass(region, cold)),
        warm: summary.warm.as_ref().map(|warm| schema::Warm {
            source: match warm.source {
                summary::WarmSource::LastRun => "last run",
                summary::WarmSource::AfterFirst => "all passes but the first",
            },
            passes: warm.passes,
            measured: warm.measured.map(|pair| spread(region, pair)),
            overhead: warm.overhead.map(|pair| spread(region, pair)),
            truth: spread(region, warm.truth),
            cycles: plain(warm.cycles),
            difference: warm.difference.map(|pair| figure(region, pair)),
        }),
        trace: traced.then(|| region.trace.issued.iter().map(issued).collect()),
        trace_cut: region.trace.cut,
        diagram: diagram(run, &region.trace),
        bar: sure::region(run, index).map(|bar| sure::bar(run, &bar)),
        count_ranges: (region.kind == RegionKind::Profile).then(|| {
            [0, 1].map(|figure| sure::count_range(run, index, figure).filter(|_| region.unavailable[figure].is_none()))
        }),
    }
}

fn diagram(run: &Run, trace: &run::Trace) -> Option<schema::Diagram> {
    let diagram = Diagram::of(run, trace)?;
    Some(schema::Diagram {
        rows: diagram.nodes.iter().map(row).collect(),
        bound: diagram.bound.map(bound),
    })
}

fn row(node: &Node) -> schema::Row {
    match node {
        Node::Group(group) => schema::Row::Group(schema::Group {
            clock: group.clock,
            cycles: group.cycles,
            u: group.u,
            v: group.v,
            late: group.late,
            longer: group.longer,
            waited: group.waited.map(|main| main.cause.name()),
            slowed: group.slowed.map(|main| main.cause.name()),
            data: group.data.and_then(same),
            bank: group.bank.and_then(same),
            mispredicted: group.mispredicted,
            end_macro_late: group.after.filter(|_| group.next.is_none()).map(|(clocks, _)| clocks),
            end_macro_waited: group
                .after
                .filter(|_| group.next.is_none())
                .map(|(_, main)| main.cause.name()),
            not_paired: group.refusal.map(run::Refusal::name),
        }),
        Node::Loop(inner) => schema::Row::Loop(schema::Loop {
            head: inner.head,
            clock: inner.clock,
            rounds: inner.rounds,
            entered_in_v: inner.entered_in_v,
            rounds_in_run: inner.of,
            cycles: inner.cycles,
            paths: inner.paths.iter().map(path).collect(),
        }),
        Node::Probe(probe) => schema::Row::Probe(schema::Probe {
            clock: probe.clock,
            cycles: probe.cycles,
            region: probe.region,
        }),
    }
}

fn path(path: &Path) -> schema::Path {
    schema::Path {
        rounds: path.rounds,
        cycles: path.cycles,
        alike: path.alike,
        round_cycles: path.round_cycles,
        others: path.others.map(|(least, most)| [least, most]),
        others_waited: Ordered(
            path.causes
                .iter()
                .map(|&(cause, clocks)| (cause.name().to_owned(), clocks))
                .collect(),
        ),
        clocks_with_v: path.clocks_with_v,
        round: path.round.iter().map(row).collect(),
        bound: path.bound.map(bound),
    }
}

/// What all rounds have that a row stands for.
fn same([least, most]: [u32; 2]) -> Option<u32> {
    (least == most).then_some(least)
}

fn bound(bound: Bound) -> schema::Bound {
    schema::Bound {
        instructions: bound.instructions,
        work: bound.work,
        clocks: bound.clocks,
        limit: bound.limit.name(),
    }
}

/// A figure of a region: of a profile region the figures of both counters, as far as their events are available.
fn figure(region: &RegionResult, pair: [i64; 2]) -> Figure {
    match region.kind {
        RegionKind::Tsc => Figure::One(pair[0]),
        RegionKind::Profile => {
            Figure::Two([0, 1].map(|counter| region.unavailable[counter].is_none().then_some(pair[counter])))
        }
    }
}

pub(super) fn spread(region: &RegionResult, pair: [summary::Spread; 2]) -> schema::Spread {
    schema::Spread {
        min: figure(region, pair.map(|spread| spread.min)),
        median: figure(region, pair.map(|spread| spread.median)),
        max: figure(region, pair.map(|spread| spread.max)),
    }
}

fn plain(spread: summary::Spread) -> schema::Spread {
    schema::Spread {
        min: Figure::One(spread.min),
        median: Figure::One(spread.median),
        max: Figure::One(spread.max),
    }
}

fn pass(region: &RegionResult, pass: &run::Pass) -> schema::Pass {
    let events = region
        .events
        .filter(|_| region.kind == RegionKind::Profile)
        .map(|events| {
            let mut counts: Vec<(String, Option<i64>)> = Vec::new();
            for (counter, (_, event)) in events.iter().enumerate() {
                // Both counters may be set to the same event, which an object can name only once.
                if counts.iter().all(|(name, _)| name != event.name()) {
                    let available = region.unavailable[counter].is_none();
                    counts.push((event.name().to_owned(), available.then_some(pass.truth[counter])));
                }
            }
            Ordered(counts)
        });
    schema::Pass {
        run: pass.run,
        measured: pass.measured.map(|pair| figure(region, pair)),
        overhead: pass.overhead.map(|pair| figure(region, pair)),
        truth: figure(region, pass.truth),
        cycles: pass.cycles,
        events,
    }
}

fn issued(issued: &run::Issued) -> schema::Issued {
    schema::Issued {
        instruction: issued.instruction,
        clock: issued.clock,
        pipe: lines::pipe_name(issued.pipe),
        cycles: issued.cycles,
        late: issued.late,
        longer: issued.longer,
        waited: issued.waited.map(|main| main.cause.name()),
        slowed: issued.slowed.map(|main| main.cause.name()),
        not_paired: issued.refusal.map(run::Refusal::name),
        delivery: issued.delivery,
    }
}

fn budget<'a>(run: &'a Run, judged: &budgets::Judged) -> schema::Budget<'a> {
    let limit = judged.budget;
    let value = judged.value.ok();
    schema::Budget {
        name: judged.title(),
        file: file_name(run, limit.file).unwrap_or(MEMORY),
        line: limit.line,
        of: judged.place(),
        quantity: limit.quantity.name(),
        percent: limit.quantity.is_share(),
        comparison: limit.relation.sign(),
        limit_millionths: limit.limit,
        amount: value.map(|value| value.amount),
        per: value.map(|value| value.per),
        ok: judged.holds(),
        message: (!judged.holds()).then(|| judged.message()),
        reason: (!judged.holds()).then(|| judged.label()),
    }
}

/// The lines by file and line, then the instructions without a source line, one row each.
fn source_lines(run: &Run) -> Vec<schema::Line<'_>> {
    let rows = lines::rows(run).into_iter();
    rows.map(|row| schema::Line {
        bar: Some(sure::line(run, &row))
            .filter(|bar| !bar.is_sure())
            .map(|bar| sure::bar(run, &bar)),
        file: row.file,
        line: row.line,
        text: row.text,
        executions: row.sum.executions,
        cycles: row.sum.cycles,
        u: row.sum.u,
        v: row.sum.v,
        reasons: Ordered(row.sum.causes()),
        not_paired: Ordered(row.sum.refusals()),
        clock: row.clock.map(|clock| clock.clock),
        region: row.clock.map(|clock| clock.region),
        unlisted: row.sum.unlisted,
        library: row.library,
    })
    .collect()
}

fn instructions(run: &Run) -> Vec<schema::Instruction<'_>> {
    let partners = lines::partners(run);
    run.instructions
        .iter()
        .zip(partners)
        .map(|(instruction, partner)| {
            let sum = Sum::of([instruction]);
            schema::Instruction {
                address: instruction.address,
                length: instruction.length,
                text: &instruction.text,
                file: instruction.place.and_then(|(file, _)| file_name(run, file)),
                line: instruction.place.map(|(_, line)| line),
                trail: instruction
                    .trail
                    .iter()
                    .map(|step| wording::trail_step(run, step))
                    .collect(),
                executions: instruction.executions,
                cycles: instruction.cycles,
                u: instruction.u,
                v: instruction.v,
                reasons: Ordered(sum.causes()),
                not_paired: Ordered(sum.refusals()),
                partner,
                library: instruction.library,
                doubt: instruction.doubt.map(|doubt| doubt.why),
            }
        })
        .collect()
}

fn cache(cache: &run::CacheResult) -> schema::Cache {
    let line = |line: &run::CachedLine| schema::CachedLine {
        address: line.address,
        modified: line.modified,
    };
    let set = |set: &run::CacheSet| schema::CacheSet {
        fills: set.fills,
        lines: set.lines.iter().map(line).collect(),
    };
    schema::Cache {
        kind: cache.kind.name(),
        ways: cache.ways,
        line: cache.line,
        sets: cache.sets.iter().map(set).collect(),
    }
}

/// The user's symbols, then the library's.
fn symbols(run: &Run) -> Vec<schema::Symbol<'_>> {
    let (library, own): (Vec<_>, Vec<_>) = run.symbols.iter().partition(|symbol| symbol.library);
    own.into_iter()
        .chain(library)
        .map(|symbol| schema::Symbol {
            name: &symbol.name,
            address: symbol.address,
            size: symbol.size,
            element: symbol.element,
            value: symbol.value,
            changed: symbol.changed.as_ref().map(|change| schema::Changed {
                elements: change.elements,
                first: change.first,
                field: change.field.as_ref().map(|field| field.name.as_str()),
                values: change
                    .values
                    .and_then(|values| Some([values[0].try_into().ok()?, values[1].try_into().ok()?])),
                reals: change
                    .values
                    .filter(|_| change.field.as_ref().map_or(symbol.kind, |field| field.kind) == ElementKind::Real)
                    .map(|values| values.map(|value| printed(symbol, change, value))),
            }),
            library: symbol.library,
        })
        .collect()
}
