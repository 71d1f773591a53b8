//! A program under other answers to open questions: further runs of it, of which only the clocks are kept.

use super::args::{Arguments, ProgramArguments};
use super::setting::{Setting, assuming_too, chosen, simulated_on};
use runtime::image::Image;
use runtime::instruments::try_answers;
use runtime::model::Supposed;
use runtime::report::{answered, compared};
use runtime::run::{Run, StopReason};
use std::time::Instant;

/// Notes in `run` the questions that it touches and whose answers the arguments choose.
pub(super) fn keep_chosen(run: &mut Run, program: &ProgramArguments) {
    for choice in chosen(program) {
        let name = choice.assumption.name;
        if run.answers.touched.contains(&name) && !run.answers.chosen.contains(&name) {
            run.answers.chosen.push(name);
        }
    }
}

/// Adds to `run` the program's clocks under other answers than those of the arguments, in the rest of the time limit.
/// The output of these runs is not shown.
pub(super) fn add(run: &mut Run, setting: &Setting, image: &Image, arguments: &Arguments) {
    let program = &arguments.run.program;
    keep_chosen(run, program);
    let setting = setting.without_records();
    let (name, stop) = (run.program.clone(), run.stop.clone());
    // A run begins if there is time for one that takes as long as the previous one.
    let mut last = setting.elapsed();
    try_answers(run, arguments.sure, answered, &mut |choices| {
        let begun = Instant::now();
        if setting.left(program).is_some_and(|left| left <= last) {
            return None;
        }
        let machine = Supposed {
            model: assuming_too(program, setting.chip, choices),
            memory: setting.machine.memory,
        };
        let other = simulated_on(&setting.on(machine), &name, image, &arguments.run);
        last = begun.elapsed();
        (other.stop.reason != StopReason::Timeout).then(|| compared(&stop, &other))
    });
}
