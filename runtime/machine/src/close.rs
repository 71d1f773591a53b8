//! Turns a machine into a closed [`Run`] after its runs.

mod conflicts;
mod decoded;
mod doubts;
mod hurried;
mod image_notes;
mod misaligned;
mod notes;
mod spoiled;
mod unexecuted;

use super::ledger::{LISTED, LISTED_OF_LINE, Ledger, is_changed};
use super::names::{ByName, is_near_branch};
use super::spellings::{label_in_body, lines_of, spelled, texts, with_mnemonic_of};
use super::traces::{Shown, Variant};
use super::{Machine, has_time_stamp_counter};
use super::{parts, traces};
use asm_macros::events::Event;
use asm_macros::msr::{CESR_CLOCKS, CESR_EVENT};
use decoded::decoded;
use iced_x86::MasmFormatter;
use notes::Told;
use p5_chips::CounterEvents;
use p5_image::{Image, LineRow, RegionKind};
use p5_results::{
    Answers, Beyond, Cause, CauseCycles, EventCount, FloatingPoint, InstructionResult, Levels, Note, Part,
    RegionResult, Run, RunSummary, StopReason, Totals, Trace, TrailStep,
};
use p5_timing::block::Op;
use p5_timing::counters::Tally;
use p5_timing::pipeline::{Traced, needs};
use rustc_hash::FxHashMap;
use std::collections::HashSet;

impl Machine<'_> {
    /// The totals of the last run; zero before the first.
    pub fn last_run(&self) -> RunSummary {
        self.summaries.last().copied().unwrap_or_default()
    }

    /// All events of the last run, counted at once.
    pub fn events(&self) -> Vec<EventCount> {
        event_counts(&self.model.events, &self.run_end.without(&self.run_start.tally))
    }

    /// Returns the results of the last run, and the passes of all runs.
    pub fn into_run(mut self, program: &str) -> Run {
        self.tell_targets();
        let mut ledger = std::mem::take(&mut self.ledger);
        let image = self.image;
        self.pipeline.take_stats(|op, stats| ledger.add(image, op, stats));
        let Shown {
            trace,
            part: full,
            later,
        } = self.shown_trace(&ledger);
        let from = trace
            .first()
            .map_or(0, |first| first.clock.saturating_sub(self.run_start.clock));
        let trace = self.trace_of_program(&trace);
        let traces = self.regions.results.iter().flat_map(|result| &result.trace);
        let traced = traced_rows(image, traces.chain(&trace));
        ledger.keep(image, LISTED, LISTED_OF_LINE, &traced);
        let mut instructions = self.instructions(&ledger);
        let variants = self.variants(&ledger);
        let mut remainders = ledger.remainders();
        let (functions, inlined) = self.name_functions(&mut instructions, &mut remainders);
        let remainders: Vec<_> = remainders.into_iter().map(|(one, _)| one).collect();
        self.explain_stop(&instructions, remainders.is_empty());
        let last = self.last_run();
        let library = self.image.library.is_some();
        let counts = self.run_end.without(&self.run_start.tally);
        let mut probes = std::mem::take(&mut self.regions.parts.library);
        // A wait at a border belongs to what waits, which the clocks know by instruction. The macros never halt.
        let library_clocks = last.whole.cycles - last.own.cycles;
        probes.set_clocks(Event::CLOCKS_NOT_HALTED, library_clocks);
        let part = |totals: Totals, members: &dyn Fn(bool) -> bool, tally: &Tally| Part {
            totals,
            cycle_stack: cycle_stack(
                instructions
                    .iter()
                    .filter(|one| members(one.library))
                    .flat_map(|one| &one.causes),
                remainders
                    .iter()
                    .filter(|one| members(one.library))
                    .flat_map(|one| &one.causes),
            ),
            events: event_counts(&self.model.events, tally),
        };
        let whole = part(last.whole, &|_| true, &counts);
        let own = part(last.own, &|library| !library, &counts.without(&probes));
        let probes = library.then(|| part(last.whole.without(&last.own), &|library| library, &probes));
        let regions = self.region_results(&instructions, &variants);
        let until = (!full).then_some(own.totals.cycles);
        let (issued, full) = traces::issued(trace.into_iter(), until, &instructions, &variants);
        let mut notes = self.gathered_notes(&Told {
            ledger: &ledger,
            instructions: &instructions,
            remainders: &remainders,
            traced: regions
                .iter()
                .map(|region| &*region.trace.issued)
                .chain([&*issued])
                .collect(),
            whole: &whole,
            own: &own,
        });
        let calls = self.take_calls(&ledger);
        let mut asked = self.options.asked.take();
        if let Some(asked) = &mut asked {
            asked.executed = self.executes(asked, &instructions, &remainders, &functions);
        }
        let cut = calls.as_ref().is_some_and(|calls| calls.leave_out());
        notes.extend(cut.then_some(Note::CutChains));
        let (symbols, not_compared) = self.symbol_values(&instructions);
        notes.extend(not_compared);
        let other_memory = self.other_memory(instructions.iter().chain(variants.iter().map(|(_, one)| one)));
        let run = Run {
            program: program.to_owned(),
            cpu: self.model.name,
            cpu_title: self.model.title,
            pipes: self.model.rules.pipes,
            memory: self.options.memory.name,
            assumed: self
                .model
                .assumed
                .iter()
                .map(|choice| (choice.assumption.name, choice.answer.value))
                .collect(),
            monitors: self.model.monitors.iter().map(|monitor| monitor.name).collect(),
            core_ratio: self.options.core_ratio.unless_equal(),
            hertz: self.options.tells_time.then_some(self.options.hertz),
            cpl: self.options.cpl,
            files: self.image.files.clone(),
            library: self.image.library,
            bundled: self.image.bundled.clone(),
            fragment: self.image.fragment.as_ref().map(|_| self.assumed(&instructions)),
            entered: self.entered(&instructions).filter(|_| remainders.is_empty()),
            stop: self.stop.clone(),
            runs: self.summaries.clone(),
            trace: Trace {
                cut: full || !self.stop.reason.by_program(),
                full,
                from: if later { from } else { 0 },
                after: None,
                issued,
            },
            whole,
            own,
            probes,
            regions,
            symbols,
            labels: self.labels(),
            local_labels: self.local_labels(),
            statements: self.statements(&instructions),
            functions,
            inlined,
            registers: [self.run_start.registers, self.state.registers.general],
            selectors: [self.run_start.selectors, self.selectors()],
            flags: [self.run_start.flags, self.state.registers.eflags()],
            floating_point: FloatingPoint::of(&self.state.registers.fpu),
            asked,
            instructions,
            variants: variants.into_iter().map(|(_, variant)| variant).collect(),
            remainders,
            screen: self.screen(),
            other_memory,
            picture: self.picture(),
            caches: self.pipeline.cache_sets(),
            calls,
            output: std::mem::take(&mut self.process.output),
            standard_error: std::mem::take(&mut self.process.standard_error),
            notes,
            budgets: Vec::new(),
            answers: self.answers(&ledger),
        };
        self.state.memory.retire();
        run
    }

    /// Takes the traces of the run, and chooses the one to show.
    fn shown_trace(&mut self, ledger: &Ledger) -> Shown {
        let (last, _) = self.pipeline.take_trace(None);
        let [earlier, of_loops] = self.pipeline.take_earlier_traces();
        let asked = self.options.asked.as_ref();
        traces::hottest(self.image, earlier, last, of_loops, ledger, asked)
    }

    /// The part of a trace that is the program's own; nothing if regions have traces, which are shown in its place.
    fn trace_of_program(&self, trace: &[Traced]) -> Vec<Traced> {
        let mut regions = self.regions.results.iter();
        if self.options.asked.is_none() && regions.any(|result| !result.trace.is_empty()) {
            return Vec::new();
        }
        let own_clocks = self.last_run().own.cycles;
        traces::of_program(self.image, (self.run_start.clock, own_clocks), trace)
    }

    /// Adds to the end of the run what led there. `all_listed` is whether `instructions` are all that were executed.
    fn explain_stop(&mut self, instructions: &[InstructionResult], all_listed: bool) {
        self.find_caller();
        self.blame_operands();
        self.blame_names();
        self.blame_data();
        self.blame_writer();
        self.blame_unkept();
        if self.stop.reason == StopReason::End {
            self.stop.refill = self.pipeline.unspent_refill().try_into().unwrap_or(u8::MAX);
        }
        if all_listed {
            self.blame_pointer(instructions);
        }
    }

    /// The questions that the runs touch. No other answers have been tried.
    fn answers(&self, ledger: &Ledger) -> Answers {
        let touched: Vec<_> = ledger.questions.list().map(|question| question.name).collect();
        let assumed = |name: &&str| self.model.assumed.iter().any(|choice| choice.assumption.name == *name);
        Answers {
            chosen: touched.iter().copied().filter(assumed).collect(),
            touched,
            ..Answers::default()
        }
    }

    fn instructions(&self, ledger: &Ledger) -> Vec<InstructionResult> {
        let kept = ledger.listed();
        let rows = kept.iter().filter_map(|kept| self.image.line_at(kept.op.address));
        let lines = texts(self.image, rows.flat_map(|row| lines_of(self.image, &row)).collect());
        let (mut formatter, mut known) = (self.formatter(), ByName::default());
        kept.into_iter()
            .map(|kept| {
                let stats = kept.held.stats();
                let causes = stats.cause_cycles();
                InstructionResult {
                    executions: stats.executions(),
                    cycles: causes.iter().map(|row| row.cycles).sum(),
                    u: stats.u,
                    v: stats.v,
                    causes,
                    refusals: stats.refusal_counts(),
                    doubt: kept.doubt_taken(),
                    library: kept.library,
                    changed: kept.changed,
                    removals: match kept.changed {
                        true => self.pipeline.removals_of(kept.op.address, kept.op.length.into()),
                        false => 0,
                    },
                    ..self.described(&kept.op, &lines, (&mut formatter, &mut known))
                }
            })
            .collect()
    }

    /// The different instructions at addresses with several, by address and machine code, with that code.
    fn variants(&self, ledger: &Ledger) -> Vec<Variant> {
        if ledger.variants.is_empty() {
            return Vec::new();
        }
        let addresses: HashSet<u32> = ledger.variants.iter().map(|op| op.address).collect();
        let kept = ledger.listed().into_iter().map(|kept| &kept.op);
        let first = kept.filter(|op| addresses.contains(&op.address));
        let mut ops: Vec<&Op> = first.chain(&ledger.variants).collect();
        ops.sort_by_key(|op| (op.address, op.bytes));
        let rows = ops.iter().filter_map(|op| self.image.line_at(op.address));
        let lines = texts(self.image, rows.flat_map(|row| lines_of(self.image, &row)).collect());
        let (mut formatter, mut known) = (self.formatter(), ByName::default());
        let described = |op: &&Op| (op.bytes, self.described(op, &lines, (&mut formatter, &mut known)));
        ops.iter().map(described).collect()
    }

    /// An instruction without figures.
    fn described(
        &self,
        op: &Op,
        lines: &FxHashMap<(u32, u32), &str>,
        (formatter, known): (&mut MasmFormatter, &mut ByName),
    ) -> InstructionResult {
        let row = self.image.line_at(op.address);
        let (instruction, mut text) = self.text_of(op, formatter);
        let in_body = row.filter(|_| !parts::in_library(self.image, op.address) && is_near_branch(&instruction));
        let target = text.rfind(' ').map_or(0, |blank| blank + 1);
        let unnamed = text[target..].starts_with(|one: char| one.is_ascii_digit());
        if let Some(label) = in_body.filter(|_| unnamed).and_then(|row| label_in_body(lines, &row)) {
            text.truncate(target);
            text.push_str(label);
        }
        let library = parts::in_library(self.image, op.address);
        if let Some(row) = row.filter(|row| row.origin.is_some() && !library) {
            text = self.text_in_body(op, &row, text, lines, known);
        }
        let changed = is_changed(self.image, op);
        let spelled = row.and_then(|row| spelled(lines, &row));
        let unlike = changed || spelled.is_some() && row.is_some_and(|row| self.begins_inside(op, &row));
        let (written, source) = if unlike { (None, spelled) } else { (spelled, None) };
        if let Some(written) = &written {
            text = with_mnemonic_of(text, written);
        }
        InstructionResult {
            address: op.address,
            length: op.length,
            place: row.map(|row| (row.file, row.line)),
            outermost: row.map(|row| self.image.outermost(&row)),
            brought: self.image.brought_at(op.address),
            trail: row.map(|row| self.trail(&row)).unwrap_or_default(),
            text,
            written,
            source,
            executions: 0,
            cycles: 0,
            u: 0,
            v: 0,
            causes: Vec::new(),
            mispredicted: None,
            function: None,
            inlined: None,
            refusals: Vec::new(),
            doubt: op.doubt(),
            library: parts::in_library(self.image, op.address),
            changed,
            removals: 0,
            bits: op.mode.bits(),
            needs: needs(
                op,
                &self.model.rules,
                self.options.cpl > 0,
                &decoded(self.model, op, &instruction),
                self.pipeline.precisions(),
            ),
        }
    }

    /// Whether an instruction begins within one of those that the image has at `row`.
    fn begins_inside(&self, op: &Op, row: &LineRow) -> bool {
        // Of data, a row may have millions of bytes.
        if row.data {
            return false;
        }
        let code = self.image.bytes_at(row.address);
        let code = code.get(..row.length as usize).unwrap_or(code);
        let mut decoder = self
            .model
            .isa
            .decoder(op.mode.bits(), code, op.mode.offset(row.address));
        let ahead = (op.address - row.address) as usize;
        while decoder.can_decode() && decoder.position() < ahead {
            let _ = decoder.decode();
        }
        decoder.position() != ahead
    }

    /// The macro calls around a line, innermost first.
    fn trail(&self, row: &LineRow) -> Vec<TrailStep> {
        let mut trail = Vec::new();
        let mut origin = row.origin;
        while let Some(step) = origin.and_then(|index| self.image.origins.get(index as usize)) {
            trail.push(TrailStep {
                name: step.name.clone(),
                pass: step.pass,
                place: (step.file, step.line),
            });
            origin = step.parent;
        }
        trail
    }

    fn region_results(&mut self, instructions: &[InstructionResult], variants: &[Variant]) -> Vec<RegionResult> {
        let results = std::mem::take(&mut self.regions.results);
        let chip = &self.model.events;
        self.image
            .regions
            .iter()
            .zip(results)
            .map(|(region, result)| {
                // The events that the counters were set to are known only from the run.
                let halves = result.control.map(|control| [control, control >> 16]);
                let in_clocks = halves.map_or([false; 2], |halves| halves.map(|half| half & CESR_CLOCKS != 0));
                let selected = halves.map(|halves| halves.map(|half| (half & CESR_EVENT) as u8));
                let selected = if region.kind == RegionKind::Profile {
                    selected
                } else {
                    None
                };
                let events = selected
                    .or(region.events)
                    .and_then(|[zero, one]| Some([(zero, chip.event(0, zero)?), (one, chip.event(1, one)?)]));
                let why = |(_, event)| chip.why_unavailable(event);
                let (issued, full) =
                    traces::issued(result.trace.into_iter(), result.traced_cycles, instructions, variants);
                let known = |beyond: &Beyond| beyond.at <= issued.len();
                RegionResult {
                    beyond: result.beyond.filter(known),
                    name: region.name.clone(),
                    kind: region.kind,
                    file: region.file,
                    start_line: region.start_line,
                    end_line: region.end_line,
                    events,
                    in_clocks,
                    levels: halves.map_or([Levels::All; 2], |halves| halves.map(Levels::of)),
                    unavailable: events.map_or([None; 2], |events| events.map(why)),
                    passes: result.passes,
                    pass_count: result.count,
                    last: result.last,
                    left: result.left,
                    unbegun: result.unbegun,
                    measures: region.kind != RegionKind::Tsc || has_time_stamp_counter(self.model),
                    trace: Trace {
                        from: 0,
                        issued,
                        cut: full || result.trace_cut,
                        full,
                        after: result.after.filter(|_| !full),
                    },
                }
            })
            .collect()
    }
}

/// The addresses in traces that need a row. A program that strays into memory would have thousands without a source
/// line.
fn traced_rows<'a>(image: &Image, traced: impl Iterator<Item = &'a Traced>) -> HashSet<u32> {
    let mut rows = HashSet::new();
    let mut left = traces::most_without_line(image);
    for Traced { address, .. } in traced {
        if rows.contains(address) {
            continue;
        }
        if image.line_at(*address).is_none() {
            if left == 0 {
                continue;
            }
            left -= 1;
        }
        rows.insert(*address);
    }
    rows
}

/// The clocks of some instructions by cause.
fn cycle_stack<'a>(
    instructions: impl Iterator<Item = &'a CauseCycles>,
    remainders: impl Iterator<Item = &'a CauseCycles>,
) -> Vec<CauseCycles> {
    let mut stack: Vec<CauseCycles> = Cause::ALL
        .iter()
        .map(|&cause| CauseCycles { cause, cycles: 0 })
        .collect();
    for part in instructions.chain(remainders) {
        stack[part.cause as usize].cycles += part.cycles;
    }
    stack
}

/// Every selectable event, with its count in `tally`.
fn event_counts(events: &CounterEvents, tally: &Tally) -> Vec<EventCount> {
    events
        .selections()
        .map(|selection| EventCount {
            event: selection.event,
            selector: selection.selector,
            counter: selection.counter,
            occurrences: tally.get(selection.event, false),
            clocks: tally.get(selection.event, true),
            unavailable: events.why_unavailable(selection.event),
        })
        .collect()
}
