//! The calls of a program with several functions: a repeated run follows them, because following calls takes several
//! times as long as a run alone.

use super::args::Arguments;
use super::setting::{Setting, simulated_on};
use runtime::image::Image;
use runtime::report::{MOST_FOLLOWED, has_functions, has_hot_library};
use runtime::run::{Run, StopReason};

/// Adds the calls to a run that ended by itself, if they are not known and a report would tell who calls a function
/// of a library, or what functions take with their callees. The output of the repeated run is not shown.
pub(super) fn add(run: &mut Run, setting: &Setting, image: &Image, arguments: &Arguments) {
    let clocks: u64 = run.runs.iter().map(|one| one.whole.cycles).sum();
    let told = arguments.outputs.0.iter().any(|output| output.format.tells_calls());
    if !told || run.calls.is_some() || !run.stop.reason.by_program() || clocks > MOST_FOLLOWED {
        return;
    }
    if !has_functions(run) && !has_hot_library(run) {
        return;
    }
    if setting
        .left(&arguments.run.program)
        .is_some_and(|left| left <= 4 * setting.elapsed())
    {
        return;
    }
    let again = simulated_on(&setting.with_calls(), &run.program, image, &arguments.run);
    // A program that reads a clock goes another way.
    let figures = |run: &Run| {
        (
            run.instructions.len(),
            run.remainders.len(),
            run.runs.last().map(|one| one.whole),
        )
    };
    if again.stop.reason != StopReason::Timeout && figures(&again) == figures(run) {
        run.calls = again.calls;
    }
}
