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
/// The part of a region's misses from which they are told, too, because rows of the report show them, and how many
/// clocks those are at least.
const PART_OF_MISSES: i64 = 2;
const FEWEST: i64 = 20;
/// What a line costs that is not in the caches.
const MISSES: [Cause; 3] = [Cause::DataReadMiss, Cause::WriteBufferFull, Cause::CodeMiss];

/// Adds a note for each region whose last pass has misses that it lacks without the macros.
pub(super) fn add(run: &mut Run, setting: &Setting, image: &Image, sources: &Sources, arguments: &RunArguments) {
    let short = run.runs.iter().all(|one| one.whole.cycles <= MOST_CLOCKS);
    if !short || !run.stop.reason.by_program() || !has_misses(run) {
        return;
    }
    let without = p5_assembler::Options {
        chip: setting.chip,
        ..program_options(&arguments.program, Library::Unmeasured)
    };
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
        let in_region =
            |file: u32, line: u32| file == region.file && (region.start_line..=region.end_line).contains(&line);
        let of_run = misses(run, in_region) as i64;
        let passes = region.passes.iter().filter(|pass| pass.run == last.run).count();
        let of_pass = of_run / i64::try_from(passes.max(1)).unwrap_or(i64::MAX);
        let most = more >= FEWEST && more * PART_OF_MISSES >= of_pass;
        if more > 0 && (more * PART >= last.clocks || most) && changed.total() > 0 {
            run.notes.push(Note::EvictedByMacros {
                region: region.name.clone(),
                clocks: more as u64,
                code: changed.of(Cause::CodeMiss).max(0) as u64,
                of: last.clocks as u64,
            });
        }
    }
}

/// Whether a line of a measured region waited for memory in the last run.
fn has_misses(run: &Run) -> bool {
    let regions = || run.regions.iter().filter(|region| region.kind == RegionKind::Tsc);
    let in_region = |file: u32, line: u32| {
        regions().any(|region| region.file == file && (region.start_line..=region.end_line).contains(&line))
    };
    misses(run, in_region) > 0
}

/// The clocks for which those lines of the program waited for memory in the last run.
fn misses(run: &Run, of: impl Fn(u32, u32) -> bool) -> u64 {
    let rows = run.instructions.iter().filter(|row| !row.library);
    let rows = rows.filter(|row| row.outermost.is_some_and(|(file, line)| of(file, line)));
    let parts = rows.flat_map(|row| row.causes.iter().filter(|part| MISSES.contains(&part.cause)));
    parts.map(|part| part.cycles).sum()
}
