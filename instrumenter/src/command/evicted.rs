//! The misses of a region that its measuring macros cause: their own data and code evict lines of its sets. Two audited
//! runs, one of them without macros, tell them.

use super::args::RunArguments;
use super::preset::assembled_ready;
use super::setting::{Setting, program_options};
use p5_assembler::Library;
use p5_assembler::source::Sources;
use runtime::image::{Image, RegionKind};
use runtime::instruments::{self, Program};
use runtime::machine;
use runtime::run::{Cause, Note, Run};

/// The most clocks of a run that is repeated for this.
const MOST_CLOCKS: u64 = 200_000;
/// The part of a region's clocks from which its misses are told.
const PART: i64 = 10;
/// What a line costs that is not in the caches.
const MISSES: [Cause; 3] = [Cause::DataReadMiss, Cause::WriteBufferFull, Cause::CodeMiss];

/// Adds a note for each region whose last pass has misses that it lacks without the macros.
pub(super) fn add(run: &mut Run, setting: &Setting, image: &Image, sources: &Sources, arguments: &RunArguments) {
    let short = run.runs.iter().all(|one| one.whole.cycles <= MOST_CLOCKS);
    if !short || !run.stop.reason.by_program() || !has_misses(run) {
        return;
    }
    let without = program_options(&arguments.program, Library::Unmeasured);
    let Some(plain) = assembled_ready(sources, &without, &arguments.program).image else {
        return;
    };
    let options = machine::Options {
        cache_sets: false,
        calls: false,
        ..setting.options(arguments, image)
    };
    let program = Program {
        name: &run.program,
        image,
        model: setting.machine.model,
    };
    let audit = instruments::audit(&program, Some(&plain), &options, &mut |_| ());
    for region in audit.regions.iter().filter(|region| region.kind == RegionKind::Tsc) {
        let Some((last, changed)) = region.last().and_then(|last| Some((last, last.changed?))) else {
            continue;
        };
        let more = MISSES.iter().map(|&cause| changed.of(cause).max(0)).sum::<i64>();
        if more > 0 && more * PART >= last.clocks && changed.total() > 0 {
            run.notes.push(Note::EvictedByMacros {
                region: region.name.clone(),
                clocks: more as u64,
                of: last.clocks as u64,
            });
        }
    }
}

/// Whether a line of a measured region waited for memory in the last run.
fn has_misses(run: &Run) -> bool {
    let regions = || run.regions.iter().filter(|region| region.kind == RegionKind::Tsc);
    let rows = run.instructions.iter().filter(|row| !row.library);
    let mut missed = rows.filter(|row| {
        let clocks = row.causes.iter().filter(|part| MISSES.contains(&part.cause));
        clocks.map(|part| part.cycles).sum::<u64>() > 0
    });
    missed.any(|row| {
        row.outermost.is_some_and(|(file, line)| {
            regions().any(|region| region.file == file && (region.start_line..=region.end_line).contains(&line))
        })
    })
}
