//! The notes of a run: those that were taken while it ran, and those that its end tells.

use super::conflicts;
use super::doubts::doubts;
use super::hurried;
use super::image_notes;
use super::misaligned;
use super::spoiled;
use super::unexecuted;
use crate::ledger::Ledger;
use crate::{Machine, has_time_stamp_counter};
use asm_macros::events::Event;
use p5_image::RegionKind;
use p5_results::{Cause, EventCount, InstructionResult, Issued, Note, Part, Remainder};

/// Waits for write buffers are told why if they take one in this many clocks.
const FULL: u64 = 10;

/// What the end of a run tells.
pub(super) struct Told<'a> {
    pub(super) ledger: &'a Ledger,
    pub(super) instructions: &'a [InstructionResult],
    /// The instructions that were summed by line.
    pub(super) remainders: &'a [Remainder],
    /// The traces of the regions and of the program.
    pub(super) traced: Vec<&'a [Issued]>,
    pub(super) whole: &'a Part,
    pub(super) own: &'a Part,
}

impl Machine<'_> {
    /// All notes but those on data and calls.
    pub(super) fn gathered_notes(&mut self, told: &Told<'_>) -> Vec<Note> {
        let (image, ledger, instructions) = (self.image, told.ledger, told.instructions);
        // Of instructions that were summed, nobody knows what they were.
        if told.remainders.is_empty() {
            self.note_data_segment(ledger);
            self.note_still_time(ledger);
            self.note_running_on();
            self.note_used_counter(ledger);
        }
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(image_notes::notes(image, self.stop.reason, instructions));
        notes.extend(spoiled::notes(&self.state.registers, instructions));
        let data_cache = &self.model.geometry.data_cache;
        let traced = told.traced.iter().copied();
        notes.extend(conflicts::notes(data_cache, &image.files, traced, instructions));
        let traced = || told.traced.iter().copied();
        notes.extend(misaligned::note(image, traced(), instructions));
        let until = self.model.rules.history_update_instructions;
        notes.extend(hurried::notes(until, &image.files, traced(), instructions));
        let rows = instructions.iter().filter_map(|row| Some((row.doubt?, row.library)));
        notes.extend(doubts(rows.chain(ledger.doubtful())));
        let walked = |part: &Part| {
            let walks = [Cause::DataTlbMiss, Cause::CodeTlbMiss];
            walks.iter().any(|&cause| part.cycle_stack[cause as usize].cycles > 0)
        };
        if walked(told.whole) {
            notes.push(Note::EstimatedPageWalk {
                clocks: self.options.memory.page_walk,
                library: !walked(told.own),
            });
        }
        let full = told.own.cycle_stack[Cause::WriteBufferFull as usize].cycles;
        let writes_back = !self.model.geometry.write_through && !self.pipeline.asked_video();
        if writes_back && full.saturating_mul(FULL) >= told.own.totals.cycles.max(1) {
            notes.push(Note::WritesPastCache);
        }
        if self.pipeline.asked_video() {
            notes.push(Note::DoubtedVideo);
        }
        if instructions.iter().any(|one| one.changed) || told.remainders.iter().any(|one| one.changed) {
            notes.push(Note::ChangedCode);
            notes.extend(code_misses_of_macros(told));
        } else {
            notes.extend(self.data_in_code_line(ledger, instructions, told.whole));
        }
        let timed = image.regions.iter().any(|region| region.kind == RegionKind::Tsc);
        if timed && !has_time_stamp_counter(self.model) {
            notes.push(Note::NoTimeStampCounter);
        }
        let executed = |branch: &u32| {
            let row = told.instructions.binary_search_by_key(branch, |one| one.address);
            row.is_ok_and(|row| told.instructions[row].executions > 0)
        };
        let loops = &image.preset.loops;
        if self.stop.reason.by_program() && !loops.is_empty() && !loops.iter().any(executed) {
            notes.push(Note::NoRounds);
        }
        // What was summed by line may have run.
        if self.stop.reason.by_program() && told.remainders.is_empty() {
            notes.extend(unexecuted::note(image, instructions));
        }
        if self.pipeline.overlapped() {
            notes.push(Note::OverlappingMisalignment {
                clocks: self.model.rules.misaligned,
                library: told.own.cycle_stack[Cause::Misaligned as usize].cycles == 0,
            });
        }
        notes
    }
}

/// The code misses of the library in the last run, if there are any.
fn code_misses_of_macros(told: &Told<'_>) -> Option<Note> {
    let clocks = |part: &Part| part.cycle_stack[Cause::CodeMiss as usize].cycles;
    let misses = |part: &Part| {
        let of_event = |one: &&EventCount| one.event == Event::CODE_CACHE_MISS && one.unavailable.is_none();
        part.events.iter().find(of_event).map_or(0, |one| one.occurrences)
    };
    let of_library = |of: &dyn Fn(&Part) -> u64| of(told.whole).saturating_sub(of(told.own));
    let clocks = of_library(&clocks);
    (clocks > 0).then(|| Note::CodeMissesOfMacros {
        misses: of_library(&misses),
        clocks,
    })
}
