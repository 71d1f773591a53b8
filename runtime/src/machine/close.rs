//! Turns a machine after its runs into a closed [`Run`].

use super::Machine;
use super::blocks::fold;
use super::parts;
use crate::block::Op;
use crate::counters::Tally;
use crate::image::{LineRow, RegionKind, Symbol, SymbolKind};
use crate::model::CounterEvents;
use crate::pipeline::{OpStats, Traced, needs};
use crate::run::{
    Cause, CauseCycles, Change, EventCount, InstructionResult, Issued, Label, Note, Part, Pipe, Refusal, RegionResult,
    Run, SymbolValue, TRACE_CAPACITY, Totals, Trace, TrailStep,
};
use asm_macros::msr::{CESR_CLOCKS, CESR_EVENT};
use iced_x86::{FlowControl, Formatter, Instruction, MasmFormatter, SymbolResolver, SymbolResult};
use std::collections::BTreeMap;

/// Bytes of data symbols that are compared with what was loaded.
const COMPARED_BYTES: u32 = 1 << 24;

impl Machine<'_> {
    /// The results of the last run, and the passes of all runs.
    pub fn into_run(mut self, program: &str) -> Run {
        let mut folded = std::mem::take(&mut self.folded);
        self.pipeline.take_stats(|op, stats| fold(&mut folded, op, stats));
        let instructions = self.instructions(&folded);
        let last = self.summaries.last().copied().unwrap_or_default();
        let library = self.image.library.is_some();
        let counts = self.run_end.without(&self.run_start.tally);
        let probes = std::mem::take(&mut self.regions.parts.library);
        let part = |totals: Totals, members: &dyn Fn(&InstructionResult) -> bool, tally: &Tally| Part {
            totals,
            cycle_stack: cycle_stack(instructions.iter().filter(|one| members(one))),
            events: event_counts(&self.model.events, tally),
        };
        let whole = part(last.whole, &|_| true, &counts);
        let own = part(last.own, &|one| !one.library, &counts.without(&probes));
        let probes = library.then(|| part(last.whole.without(&last.own), &|one| one.library, &probes));
        let regions = self.region_results(&instructions);
        let trace = self.pipeline.traces.take(None).unwrap_or_default();
        let everything_cut = trace.len() >= TRACE_CAPACITY;
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(doubts(&instructions));
        let walked = |part: &Part| {
            let walks = [Cause::DataTlbMiss, Cause::CodeTlbMiss];
            walks.iter().any(|&cause| part.cycle_stack[cause as usize].cycles > 0)
        };
        if walked(&whole) {
            notes.push(Note::EstimatedPageWalk {
                clocks: self.options.memory.page_walk,
                library: !walked(&own),
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
            trace: Trace {
                cut: everything_cut,
                mispredicted: 0,
                issued: issued(
                    trace.iter().map(|traced| Traced {
                        clock: traced.clock.saturating_sub(self.run_start.clock),
                        ..*traced
                    }),
                    whole.totals.cycles,
                    everything_cut,
                    &instructions,
                ),
            },
            whole,
            own,
            probes,
            regions,
            symbols: self.symbol_values(),
            labels: self.labels(),
            registers: [self.run_start.registers, self.state.registers.general],
            instructions,
            output: std::mem::take(&mut self.output),
            notes,
        }
    }

    fn instructions(&self, folded: &BTreeMap<u32, (Op, OpStats)>) -> Vec<InstructionResult> {
        let lines: Vec<Vec<&str>> = self
            .image
            .files
            .iter()
            .map(|file| file.text.lines().collect())
            .collect();
        let mut formatter = MasmFormatter::with_options(Some(Box::new(Names::of(&self.image.symbols))), None);
        let options = formatter.options_mut();
        options.set_space_after_operand_separator(false);
        options.set_show_branch_size(false);
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
                    written: row.and_then(|row| spelled(&lines, row)),
                    executions: stats.u + stats.v,
                    cycles: causes.iter().map(|row| row.cycles).sum(),
                    u: stats.u,
                    v: stats.v,
                    causes,
                    refusals,
                    doubt: op.row.doubt,
                    library: parts::in_library(self.image, op.address),
                    needs: needs(
                        op,
                        &self.model.rules,
                        self.options.cpl > 0,
                        matches!(
                            instruction.flow_control(),
                            FlowControl::ConditionalBranch
                                | FlowControl::UnconditionalBranch
                                | FlowControl::IndirectBranch
                        ),
                    ),
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

    /// The names of the user's code.
    fn labels(&self) -> Vec<Label> {
        let code = |symbol: &&Symbol| symbol.kind == SymbolKind::Code && !symbol.library;
        let mut labels: Vec<Label> = self
            .image
            .symbols
            .iter()
            .filter(code)
            .map(|symbol| Label {
                address: symbol.value,
                name: symbol.name.clone(),
            })
            .collect();
        labels.sort_by_key(|label| label.address);
        labels
    }

    /// The data symbols; a symbol whose memory cannot be read is left out.
    fn symbol_values(&self) -> Vec<SymbolValue> {
        // A symbol counts towards this bound even if others cover the same bytes.
        let mut left = COMPARED_BYTES;
        self.image
            .symbols
            .iter()
            .filter_map(|symbol| {
                let SymbolKind::Data { element } = symbol.kind else {
                    return None;
                };
                let size = symbol.size.min(left);
                left -= size;
                let bytes = self.state.memory.read_bytes(symbol.value, size)?;
                Some(SymbolValue {
                    name: symbol.name.clone(),
                    address: symbol.value,
                    size: symbol.size,
                    element,
                    value: (size == symbol.size).then(|| number(&bytes)).flatten(),
                    changed: self.change(symbol.value, &bytes, element.max(1)),
                    library: symbol.library,
                })
            })
            .collect()
    }

    /// The difference between `bytes` at `address` and what the image loads there.
    fn change(&self, address: u32, bytes: &[u8], element: u32) -> Option<Change> {
        let segment = self.image.segments.iter().rfind(|segment| segment.address <= address)?;
        let loaded = segment
            .bytes
            .get((address - segment.address) as usize..)
            .unwrap_or_default();
        // Zeroes follow the initialized bytes.
        let loaded = loaded.iter().copied().chain(std::iter::repeat(0));
        let loaded: Vec<u8> = loaded.take(bytes.len()).collect();
        let pairs = loaded.chunks(element as usize).zip(bytes.chunks(element as usize));
        let mut changed = pairs.enumerate().filter(|(_, (before, after))| before != after);
        let (first, (before, after)) = changed.next()?;
        let values = number(before).zip(number(after)).map(|(before, after)| [before, after]);
        Some(Change {
            elements: 1 + changed.count() as u32,
            first: first as u32,
            values,
        })
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
                    trace: Trace {
                        issued: issued(result.trace.into_iter(), result.traced_cycles, cut, instructions),
                        cut,
                        mispredicted: result.mispredicted,
                    },
                }
            })
            .collect()
    }
}

/// A trace by instruction index; each group has the clocks until the next. The pass took `cycles`, unless it is `cut`.
fn issued(
    trace: impl Iterator<Item = Traced>,
    cycles: u64,
    cut: bool,
    instructions: &[InstructionResult],
) -> Vec<Issued> {
    let mut list: Vec<Issued> = Vec::new();
    let mut group = None;
    for traced in trace {
        let Ok(instruction) = instructions.binary_search_by_key(&traced.address, |row| row.address) else {
            continue;
        };
        // A trace may begin with the second half of a pair.
        if traced.pipe == Pipe::U || group.is_none() {
            let begun = group.replace(list.len());
            close(&mut list, begun, traced.clock);
        }
        list.push(Issued {
            instruction: instruction as u32,
            clock: traced.clock,
            pipe: traced.pipe,
            cycles: 0,
            late: traced.late,
            longer: traced.longer,
            waited: traced.waited,
            slowed: traced.slowed,
            data: traced.data,
            bank: traced.bank,
            refusal: traced.refusal,
        });
    }
    if !cut {
        close(&mut list, group, cycles);
    } else {
        // What issued next is not known.
        let last = group.and_then(|group| list.get(group)).map_or(0, |issued| issued.clock);
        close(&mut list, group, last + 1);
    }
    list
}

/// Notes that the group that begins at `group` was followed at clock `until`.
fn close(list: &mut [Issued], group: Option<usize>, until: u64) {
    if let Some(issued) = group.and_then(|group| list.get_mut(group)) {
        issued.cycles = until.saturating_sub(issued.clock) as u32;
    }
}

/// The text of an instruction in its line, of all files' `lines`.
fn spelled(lines: &[Vec<&str>], row: &LineRow) -> Option<String> {
    let line = lines.get(row.file as usize)?.get((row.line as usize).checked_sub(1)?)?;
    let (start, end) = row.written;
    let text = line
        .get(start as usize..end as usize)
        .filter(|_| row.origin.is_none())?;
    let words: Vec<&str> = text.split_whitespace().collect();
    (!words.is_empty()).then(|| words.join(" "))
}

/// The clocks of some instructions by cause.
fn cycle_stack<'a>(instructions: impl Iterator<Item = &'a InstructionResult>) -> Vec<CauseCycles> {
    let mut stack: Vec<CauseCycles> = Cause::ALL
        .iter()
        .map(|&cause| CauseCycles { cause, cycles: 0 })
        .collect();
    for part in instructions.flat_map(|instruction| &instruction.causes) {
        stack[part.cause as usize].cycles += part.cycles;
    }
    stack
}

/// Every event that can be selected, as `tally` counts it.
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

/// 1 to 8 bytes as a little-endian number.
fn number(bytes: &[u8]) -> Option<u64> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    (!bytes.is_empty()).then(|| u64::from_le_bytes(wide))
}

/// A note for each uncertain row of the timing table that was used, by the program or else by the library.
fn doubts(instructions: &[InstructionResult]) -> Vec<Note> {
    let mut notes: Vec<Note> = Vec::new();
    let same = |one: &Note, other: &Note| match (one, other) {
        (
            Note::UncertainTiming { mnemonic, doubt, .. },
            Note::UncertainTiming {
                mnemonic: other,
                doubt: why,
                ..
            },
        ) => mnemonic == other && doubt == why,
        _ => false,
    };
    let (library, own): (Vec<_>, Vec<_>) = instructions.iter().partition(|row| row.library);
    for row in own.into_iter().chain(library) {
        if let Some(doubt) = row.doubt {
            let mnemonic = row.text.split(' ').next().unwrap_or_default();
            let note = Note::UncertainTiming {
                mnemonic: mnemonic.to_owned(),
                doubt,
                library: row.library,
            };
            if !notes.iter().any(|known| same(known, &note)) {
                notes.push(note);
            }
        }
    }
    notes
}

/// The names of addresses, for the text of instructions.
struct Names(BTreeMap<u32, String>);

impl Names {
    /// The program's labels and data. Of several names of an address the first one defined is used.
    fn of(symbols: &[Symbol]) -> Names {
        let mut names = BTreeMap::new();
        for symbol in symbols {
            if symbol.kind != SymbolKind::Constant {
                names.entry(symbol.value).or_insert_with(|| symbol.name.clone());
            }
        }
        Names(names)
    }
}

impl SymbolResolver for Names {
    fn symbol(
        &mut self,
        _instruction: &Instruction,
        _operand: u32,
        _instruction_operand: Option<u32>,
        address: u64,
        _size: u32,
    ) -> Option<SymbolResult<'_>> {
        let name = self.0.get(&u32::try_from(address).ok()?)?;
        Some(SymbolResult::with_str(address, name))
    }
}
