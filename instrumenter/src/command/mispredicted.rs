//! How often each branch of a run mispredicted: a repeated run counts that, because a run tells clocks alone, and every
//! engine would have to count it for all the reports that do not show it.

use super::args::Arguments;
use super::setting::Setting;
use runtime::image::Image;
use runtime::machine;
use runtime::run::{Cause, Run, StopReason};

/// The most clocks of all runs together that are repeated for this.
const MOST_CLOCKS: u64 = 4_000_000;

/// Adds the counts to a run that ended by itself and has mispredictions. The output of the repeated run is not shown.
pub(super) fn add(run: &mut Run, setting: &Setting, image: &Image, arguments: &Arguments) {
    let clocks: u64 = run.runs.iter().map(|one| one.whole.cycles).sum();
    let mut causes = run.instructions.iter().flat_map(|one| &one.causes);
    let told = arguments
        .outputs
        .0
        .iter()
        .any(|output| output.format.tells_mispredictions());
    if !told || !causes.any(|part| part.cause == Cause::Misprediction) {
        return;
    }
    // Two instructions at one address are not told apart.
    if !run.stop.reason.by_program() || clocks > MOST_CLOCKS || !run.variants.is_empty() {
        return;
    }
    // It has what is left of the time limit, and is dropped if that is too little.
    let options = setting.without_records().options(&arguments.run, image);
    let model = setting.machine.model;
    let again = machine::mispredictions(image, &run.program, model, &options, &mut |_| ());
    // A program that reads a clock goes another way.
    let figures = |run: &Run| (run.instructions.len(), run.runs.last().map(|one| one.whole));
    let Some(counts) = again.seen.filter(|_| figures(&again.run) == figures(run)) else {
        return;
    };
    if again.run.stop.reason == StopReason::Timeout {
        return;
    }
    for instruction in &mut run.instructions {
        instruction.mispredicted = Some(counts.get(&instruction.address).copied().unwrap_or(0));
    }
}
