//! Turns a machine after its runs into a closed [`Run`].

use super::Machine;
use super::blocks::fold;
use crate::block::Op;
use crate::image::{LineRow, RegionKind, SymbolKind};
use crate::pipeline::{OpStats, Traced};
use crate::run::{
    Cause, CauseCycles, EventCount, InstructionResult, Issued, Note, Pipe, Refusal, RegionResult, Run, SymbolValue,
    Totals, TrailStep,
};
use asm_macros::events::Event;
use asm_macros::msr::{CESR_CLOCKS, CESR_EVENT};
use iced_x86::{Formatter, MasmFormatter};
use std::collections::BTreeMap;

impl Machine<'_> {
    /// The results of the last run, and the passes of all runs.
    pub fn into_run(mut self, program: &str) -> Run {
        let mut folded = std::mem::take(&mut self.folded);
        self.pipeline.take_stats(|op, stats| fold(&mut folded, op, stats));
        let instructions = self.instructions(&folded);
        let last = self.summaries.last().copied().unwrap_or_default();
        let mut cycle_stack: Vec<CauseCycles> = Cause::ALL
            .iter()
            .map(|&cause| CauseCycles { cause, cycles: 0 })
            .collect();
        for (_, stats) in folded.values() {
            for (row, cycles) in cycle_stack.iter_mut().zip(&stats.causes) {
                row.cycles += cycles;
            }
        }
        let sum = |count: fn(&OpStats) -> u64| folded.values().map(|(_, stats)| count(stats)).sum();
        let totals = Totals {
            cycles: last.cycles,
            instructions: last.instructions,
            u: sum(|stats| stats.u),
            v: sum(|stats| stats.v),
        };
        let regions = self.region_results(&instructions);
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(doubts(&instructions));
        let walked = [Cause::DataTlbMiss, Cause::CodeTlbMiss]
            .iter()
            .any(|&cause| cycle_stack[cause as usize].cycles > 0);
        if walked {
            notes.push(Note::EstimatedPageWalk {
                clocks: self.options.memory.page_walk,
            });
        }
        Run {
            program: program.to_owned(),
            cpu: self.model.name,
            cpu_title: self.model.title,
            memory: self.options.memory.name,
            cpl: self.options.cpl,
            files: self.image.files.clone(),
            library: self.image.library,
            stop: self.stop.clone(),
            runs: self.summaries.clone(),
            totals,
            cycle_stack,
            events: self.event_counts(),
            regions,
            instructions,
            symbols: self.symbol_values(),
            output: std::mem::take(&mut self.output),
            notes,
        }
    }

    fn instructions(&self, folded: &BTreeMap<u32, (Op, OpStats)>) -> Vec<InstructionResult> {
        let mut formatter = MasmFormatter::new();
        formatter.options_mut().set_space_after_operand_separator(false);
        folded
            .values()
            .map(|(op, stats)| {
                let row = self.image.line_at(op.address);
                let bytes = &op.bytes[..usize::from(op.length)];
                let instruction = self.model.isa.decoder(bytes, op.address).decode();
                let mut text = String::new();
                formatter.format(&instruction, &mut text);
                let causes: Vec<CauseCycles> = Cause::ALL
                    .iter()
                    .zip(stats.causes)
                    .filter(|(_, cycles)| *cycles > 0)
                    .map(|(&cause, cycles)| CauseCycles { cause, cycles })
                    .collect();
                let refusals = Refusal::ALL
                    .iter()
                    .copied()
                    .zip(stats.refusals)
                    .filter(|(_, count)| *count > 0)
                    .collect();
                InstructionResult {
                    address: op.address,
                    length: op.length,
                    place: row.map(|row| (row.file, row.line)),
                    outermost: row.map(|row| self.image.outermost(row)),
                    trail: row.map(|row| self.trail(row)).unwrap_or_default(),
                    text,
                    executions: stats.u + stats.v,
                    cycles: causes.iter().map(|row| row.cycles).sum(),
                    u: stats.u,
                    v: stats.v,
                    causes,
                    refusals,
                    doubt: op.row.doubt,
                }
            })
            .collect()
    }

    /// The macro trail of a line, innermost first.
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

    fn event_counts(&mut self) -> Vec<EventCount> {
        let (system, user) = self.pipeline.tallies();
        let start = &self.run_start;
        let total = |event: Event, clocks: bool| {
            system.get(event, clocks) + user.get(event, clocks)
                - start.system.get(event, clocks)
                - start.user.get(event, clocks)
        };
        let events = &self.model.events;
        events
            .selections()
            .map(|selection| EventCount {
                event: selection.event,
                selector: selection.selector,
                counter: selection.counter,
                occurrences: total(selection.event, false),
                clocks: total(selection.event, true),
                unavailable: events.why_unavailable(selection.event),
            })
            .collect()
    }

    fn symbol_values(&self) -> Vec<SymbolValue> {
        let value = |symbol: &crate::image::Symbol| {
            let bytes = self.state.memory.read_bytes(symbol.value, symbol.size)?;
            let mut wide = [0; 8];
            wide.get_mut(..bytes.len())?.copy_from_slice(&bytes);
            Some(u64::from_le_bytes(wide))
        };
        self.image
            .symbols
            .iter()
            .filter(|symbol| matches!(symbol.kind, SymbolKind::Data { .. }) && (1..=8).contains(&symbol.size))
            .filter_map(|symbol| {
                Some(SymbolValue {
                    name: symbol.name.clone(),
                    value: value(symbol)?,
                    library: symbol.library,
                })
            })
            .collect()
    }

    fn region_results(&mut self, instructions: &[InstructionResult]) -> Vec<RegionResult> {
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
                let cut = result.trace_cut;
                RegionResult {
                    name: region.name.clone(),
                    kind: region.kind,
                    file: region.file,
                    start_line: region.start_line,
                    end_line: region.end_line,
                    events,
                    in_clocks,
                    passes: result.passes,
                    pass_count: result.count,
                    trace: issued(&result.trace, result.traced_cycles, cut, instructions),
                    trace_cut: cut,
                }
            })
            .collect()
    }
}

/// A trace by instruction index; each group has the clocks until the next.
fn issued(trace: &[Traced], cycles: u64, cut: bool, instructions: &[InstructionResult]) -> Vec<Issued> {
    let mut list = Vec::with_capacity(trace.len());
    for (at, traced) in trace.iter().enumerate() {
        let Ok(instruction) = instructions.binary_search_by_key(&traced.address, |row| row.address) else {
            continue;
        };
        let next = trace[at + 1..]
            .iter()
            .find(|other| other.pipe == Pipe::U)
            .map(|other| other.clock);
        let until = match next {
            Some(clock) => clock,
            None if cut => traced.clock + 1,
            None => cycles,
        };
        list.push(Issued {
            instruction: instruction as u32,
            clock: traced.clock,
            pipe: traced.pipe,
            cycles: if traced.pipe == Pipe::U {
                (until - traced.clock) as u32
            } else {
                0
            },
            waited: traced.waited,
            refusal: traced.refusal,
        });
    }
    list
}

/// A note for each uncertain row of the timing table that was used.
fn doubts(instructions: &[InstructionResult]) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    for row in instructions {
        if let Some(doubt) = row.doubt {
            let mnemonic = row.text.split(' ').next().unwrap_or_default();
            let note = Note::UncertainTiming {
                mnemonic: mnemonic.to_owned(),
                doubt,
            };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}
