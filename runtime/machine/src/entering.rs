//! Entering blocks: the block at EIP is found or decoded, and its marks are applied. Also drops all blocks.

use super::blocks::{Blocked, DECODED, LONGEST};
use super::leave::Arrival;
use super::ledger::Ledger;
use super::regions::{CANNOT_ISSUE, Way};
use super::{Machine, parts};
use p5_image::{Symbol, SymbolKind};
use p5_meaning::exec::MicroOp;
use p5_results::{Cause, InstructionResult, Note, Part, Refusal, Stop, StopReason};
use p5_timing::block::Op;
use p5_timing::pipeline::RemovingStore;
use std::ops::Range;

/// The number of writes to lines of code from which they are told, unless each warm run waits for one.
const OFTEN: u64 = 20;

impl Machine<'_> {
    /// Applies the last stores into code pages to blocks and the code cache. These stores ended a block after
    /// `executed` instructions, the last of which, at `by`, made them.
    #[cold]
    pub(super) fn code_stored(&mut self, executed: usize, by: Option<u32>) {
        self.blocks.longest = executed.clamp(1, LONGEST);
        let stores = self.state.memory.code_stores().to_vec();
        self.state.memory.forget_code_stores();
        for (address, length) in stores {
            let (engine, pipeline) = (&mut self.engine, &mut self.pipeline);
            self.blocks.stored(address, length, |block| {
                if let (Some(engine), Some(time)) = (&mut engine.compiler, &block.time) {
                    engine.cut(time.compiled(), pipeline);
                }
            });
            self.pipeline.core.code_stored(address, length, by);
            self.apic_stored(address, length);
        }
    }

    /// What is said if the program has often written to lines of code that it executes, and changed no code. A cache
    /// for both keeps the line, so that no fetch misses it.
    pub(super) fn data_in_code_line(
        &self,
        ledger: &Ledger,
        instructions: &[InstructionResult],
        whole: &Part,
    ) -> Option<Note> {
        let (times, Some(RemovingStore { address, by })) = self.pipeline.removed_lines() else {
            return None;
        };
        // What is fetched while something else takes long waits for nothing, but pairs only once it has been decoded.
        let alone = |row: &InstructionResult| row.refusals.iter().any(|(why, _)| *why == Refusal::FirstExecution);
        let waits = whole.cycle_stack[Cause::CodeMiss as usize].cycles > 0 || instructions.iter().any(alone);
        let runs = u64::from(self.options.runs);
        // In the last run, too, so that warm runs wait as well.
        let each = runs > 1 && times >= runs && times > self.bounds.removed && waits;
        if times < OFTEN && !each || self.model.geometry.unified {
            return None;
        }
        let holds = |symbol: &&Symbol| {
            let data = matches!(symbol.kind, SymbolKind::Data { .. });
            data && address
                .checked_sub(symbol.value)
                .is_some_and(|distance| distance < symbol.size)
        };
        let line = self.model.geometry.code_cache.line;
        let begin = address & !(line - 1);
        let of_line = |op: &Op| op.end() > begin && op.address <= begin | (line - 1);
        let listed = ledger.listed();
        let executed = || listed.iter().map(|kept| &kept.op).filter(|op| of_line(op));
        let within = |op: &&Op| op.address <= address && address < op.end();
        let line_of = |address: u32| self.image.line_at(address).map(|row| self.image.outermost(&row));
        Some(Note::DataInCodeLine {
            writer: by.and_then(line_of),
            code: executed().find(within).and_then(|op| line_of(op.address)),
            variable: self.image.symbols.iter().find(holds).map(|symbol| symbol.name.clone()),
            times,
            line,
            after_code: executed().any(|op| op.address < address),
            before_code: executed().any(|op| op.address > address),
        })
    }

    /// Drops every decoded instruction. The statistics are kept by address.
    pub(super) fn drop_blocks(&mut self) {
        // Issues recorded by the old instruction numbers are applied while those numbers are valid.
        self.regions.settle(&mut self.pipeline, &self.counters);
        self.blocks.clear();
        self.engine.clear();
        self.tell_targets();
        let (ledger, image) = (&mut self.ledger, self.image);
        self.pipeline.forget(|op, stats| ledger.add(image, op, stats));
        ledger.condense(image);
    }

    /// Adds the statistics since they were last taken to those of the run.
    pub(super) fn take_stats(&mut self) {
        self.tell_targets();
        let (ledger, image) = (&mut self.ledger, self.image);
        self.pipeline.take_stats(|op, stats| ledger.add(image, op, stats));
        ledger.condense(image);
    }

    /// The block at `address` after block `from`. The two are linked for the next time.
    #[cold]
    pub(super) fn enter_from(
        &mut self,
        from: u32,
        address: u32,
        arrival: Arrival,
        strays: bool,
    ) -> Result<u32, Blocked> {
        // An instruction whose issue is awaited is identified by its number, so it must issue first.
        // The engines differ in the schedules that they need, but must drop the blocks of a program at the same time.
        // So only instructions decide, unless the schedules are too many.
        let full = self.pipeline.instructions() > self.blocks.most || self.pipeline.decoded() > DECODED;
        if full && !self.pipeline.awaits_crossing() {
            self.blocks.note_dropped();
            self.drop_blocks();
            return self.enter(address, arrival);
        }
        let index = self.enter(address, arrival)?;
        // A branch that has reached the return address without returning may return the next time.
        let counted = self.rounds_of(arrival.last).is_some();
        if !strays && !counted && !self.returns_to(address) {
            self.blocks.link(from, address, index);
        }
        Ok(index)
    }

    /// The block at `address`, decoded if necessary, with its marks applied; or the end of the run.
    pub(super) fn enter(&mut self, address: u32, arrival: Arrival) -> Result<u32, Blocked> {
        if self.blocks.marks.contains(address) {
            self.regions.settle(&mut self.pipeline, &self.counters);
            self.regions.done(address, &self.state.memory);
        }
        if let Some(stop) = self.count_round(arrival) {
            return Err(Blocked::Stop(stop));
        }
        if self.is_end(address, arrival) {
            // The place of such an end is that of data that was executed last.
            let last = arrival.last.filter(|_| arrival.sequential);
            let data = last.and_then(|last| self.image.line_at(last)).filter(|row| row.data);
            return Err(Blocked::Stop(Stop {
                place: data.map(|row| self.image.outermost(&row)),
                ..Stop::plain(StopReason::End)
            }));
        }
        if let Some(reason) = self.goes_out(address, arrival) {
            return Err(Blocked::Stop(self.gone_out(reason, address)));
        }
        let entered = match self.blocks.find(address) {
            Some(index) => Ok(index),
            None => self.decode(address),
        };
        let (first, library, marked) = match &entered {
            Ok(index) => {
                let block = self.blocks.get_mut(*index);
                (block.first(), block.library, block.marked)
            }
            Err(_) => {
                let library = parts::in_library_near(self.image, address, &mut self.blocks.near);
                (CANNOT_ISSUE, library, self.blocks.marks.contains(address))
            }
        };
        let from_library = self.regions.enter_part(library, first, &mut self.pipeline);
        if marked {
            let way = Way {
                // A repeated instruction that has iterations left follows itself; the first one has entered.
                sequential: arrival.sequential && arrival.last != Some(address),
                from_library,
            };
            self.regions.enter(address, first, way, &mut self.pipeline);
        }
        entered
    }

    pub(super) fn add_block(
        &mut self,
        place: Range<u32>,
        library: bool,
        micro_ops: Vec<MicroOp>,
        ops: &mut Vec<Op>,
    ) -> u32 {
        let Range { start, end } = place;
        ops.iter_mut().for_each(|op| op.chain = self.blocks.chain());
        let time = (ops.len() == micro_ops.len()).then(|| self.pipeline.add_block(ops));
        let pages = start >> 12..=end.wrapping_sub(1) >> 12;
        pages.for_each(|page| self.state.memory.mark_code(page << 12));
        self.blocks.add(start..end, library, micro_ops, time)
    }
}
