//! Many samplers on one run, and an exact count of the same run: the basis of a study of sampling.
//!
//! The samplers are those of [`sample`](super::sample), and see the same ops; none disturbs another or the program.
//! For each of them, only the number of ops taken of each instruction is kept, so memory does not grow with the run.

use super::recording::{about, instructions};
use super::sampling::last_run;
use super::watcher::{Counting, Probing, Watcher};
use super::{Machine, Options, Progress};
use p5_chips::Model;
use p5_image::Image;
use p5_record::study::{Census, Probe, Taken};
use p5_record::{Choice, Recording, Truth};
use p5_results::Run;
use rustc_hash::FxHashMap;

/// The results of a watched run.
#[derive(Clone, Debug)]
pub struct Watched<T> {
    /// The run with the results of [`simulate`](super::simulate).
    pub run: Run,
    /// The program with its symbols, its lines and the clocks of its instructions, without samples.
    pub recording: Recording,
    /// The watcher's data on the last run; `None` if an earlier run reached a limit.
    pub seen: Option<T>,
}

/// Runs `image` and counts the ops of the last run.
pub fn census(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Watched<Census> {
    let watched = watched(
        image,
        program,
        model,
        options,
        &|_| Watcher::Census(Counting::default()),
        progress,
    );
    Watched {
        seen: watched.seen.and_then(|seen| match seen {
            Watcher::Census(counting) => Some(counting.finish()),
            _ => None,
        }),
        run: watched.run,
        recording: watched.recording,
    }
}

/// Runs `image` and samples the last run in all ways of `probes`. The result has one [`Taken`] for each probe.
pub fn probe(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    probes: &[Probe],
    progress: &mut dyn FnMut(Progress),
) -> Watched<Vec<Taken>> {
    let begin = |start| Watcher::Probes(Probing::new(probes, start));
    let watched = watched(image, program, model, options, &begin, progress);
    Watched {
        seen: watched.seen.and_then(|seen| match seen {
            Watcher::Probes(probing) => Some(probing.finish()),
            _ => None,
        }),
        run: watched.run,
        recording: watched.recording,
    }
}

/// Runs `image` and counts the mispredictions of the last run, by the addresses of their instructions.
pub fn mispredictions(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Watched<FxHashMap<u32, u64>> {
    let begin = |_| Watcher::Mispredictions(FxHashMap::default());
    let watched = watched(image, program, model, options, &begin, progress);
    Watched {
        seen: watched.seen.and_then(|seen| match seen {
            Watcher::Mispredictions(counts) => Some(counts),
            _ => None,
        }),
        run: watched.run,
        recording: watched.recording,
    }
}

fn watched(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    begin: &dyn Fn(u64) -> Watcher,
    progress: &mut dyn FnMut(Progress),
) -> Watched<Watcher> {
    let mut machine = Machine::new(model, image, options.clone());
    let prepare = |machine: &mut Machine<'_>, start| machine.watcher = Some(Box::new(begin(start)));
    last_run(&mut machine, false, prepare, progress);
    let seen = machine.watcher.take().map(|watcher| *watcher);
    let run = machine.into_run(program);
    let mut recording = about(&run, image, model, &Choice::default());
    let mut instructions = instructions(&run);
    instructions.sort_unstable_by_key(|instruction| instruction.address);
    recording.truth = Some(Truth {
        clocks: run.runs.last().map_or(0, |last| last.whole.cycles),
        instructions,
        instructions_cut: !run.remainders.is_empty(),
        ..Truth::default()
    });
    Watched { run, recording, seen }
}
