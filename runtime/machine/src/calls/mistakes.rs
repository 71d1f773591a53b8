//! What a run is watched for when it is repeated: mistakes of its program, and why it misses data again.
//!
//! The run is repeated an instruction at a time, because a run does not record the addresses of each instruction. Each
//! watcher is asked before and after every instruction; `returned` alone needs the machine for that.

use super::counted;
use super::falling::Falling;
use super::indexed::{Indexed, Variables};
use super::reread::Reread;
use super::returned::Returned;
use super::scratched::Scratched;
use super::walked::Walked;
use super::wrapped::Wrapped;
use crate::decode::decoded;
use crate::{EngineChoice, Machine, Options};
use p5_chips::Model;
use p5_image::Image;
use p5_results::{InstructionResult, Note, Run, StopReason};
use p5_words::registers::Registers;
use std::time::Duration;

/// The most instructions and the most clocks of a run that is repeated for this.
const MOST_REPEATED: u64 = 1 << 17;
const MOST_CLOCKS: u64 = 1 << 21;
/// The first clocks that are repeated of a longer run that was not stopped.
const FIRST_CLOCKS: u64 = 1 << 19;
/// The same of a program that is not assembled here, whose library starts first.
const FIRST_CLOCKS_OF_PROGRAM: u64 = 1 << 21;
/// The time for the first clocks of a run that was stopped after more, of which they take a fraction of a second: only
/// a service that works for long on a slow machine comes near it.
const MOST_TIME: Duration = Duration::from_secs(10);
/// The most notes.
const MOST_NOTES: usize = 4;

/// What watches a repeated run, each part only if the run may have what it looks for.
#[derive(Clone, Default)]
pub(super) struct Watchers {
    /// The accesses by index past the ends of variables.
    indexed: Option<Indexed>,
    /// Those by pointer.
    walked: Option<Walked>,
    /// The stack of 16-bit code.
    falling: Option<Falling>,
    /// The lines of data that are read, if misses of some instructions are looked at.
    reread: Option<Box<Reread>>,
    /// The scratch memory of a fragment.
    scratched: Option<Box<Scratched>>,
    /// The counters of loops.
    wrapped: Option<Box<Wrapped>>,
}

/// Calls a method of each watcher that there is.
macro_rules! each {
    ($watchers:ident.$method:ident $arguments:tt) => {
        each!($watchers.$method $arguments of indexed walked falling reread scratched wrapped)
    };
    ($watchers:ident.$method:ident $arguments:tt of $($watcher:ident)*) => {
        $(if let Some(watcher) = &mut $watchers.$watcher {
            watcher.$method $arguments;
        })*
    };
}

impl Watchers {
    /// The one for the misses of `run`, if it has many.
    fn of_misses(image: &Image, model: &Model, run: &Run) -> Watchers {
        let known = run.instructions.iter().filter(|row| !row.changed);
        let decoded = |row: &InstructionResult| decoded(image, row);
        Watchers {
            reread: Reread::of(run, model.geometry.data_cache, known.map(decoded)).map(Box::new),
            ..Watchers::default()
        }
    }

    /// Those that `run` needs. Of a run that was `cut` after more than its first clocks, accesses are left out.
    fn of(image: &Image, model: &Model, run: &Run, cut: bool, variables: &Variables<'_>) -> Watchers {
        let repeated = |row: &&InstructionResult| !cut && !row.library && row.executions > 1;
        let rows = || run.instructions.iter().filter(repeated);
        let decoded = |row: &InstructionResult| decoded(image, row);
        let walked = Walked::of(
            rows().filter_map(|row| Some((decoded(row), variables.pointed(row)?))),
            run.instructions.iter().map(decoded),
            image,
            variables.arrays(),
        );
        let misses = (!cut).then(|| Watchers::of_misses(image, model, run));
        let lines = rows().filter_map(|row| Some((decoded(row), row.place?.1)));
        Watchers {
            indexed: Indexed::of(rows(), variables),
            walked: walked.is_needed().then_some(walked),
            falling: Falling::of(image),
            reread: misses.and_then(|misses| misses.reread),
            scratched: Scratched::of(image, lines).map(Box::new),
            wrapped: Wrapped::of(run, decoded).map(Box::new),
        }
    }

    fn is_empty(&self) -> bool {
        let Watchers {
            indexed,
            walked,
            falling,
            reread,
            scratched,
            wrapped,
        } = self;
        let of_variables = indexed.is_some() || walked.is_some() || scratched.is_some();
        !of_variables && falling.is_none() && reread.is_none() && wrapped.is_none()
    }

    /// Notes that the instruction at `address` comes next.
    pub(super) fn come_to(&mut self, address: u32, registers: &Registers) {
        each!(self.come_to(address, registers));
    }

    /// Notes that the instruction at `address` has been executed.
    pub(super) fn executed(&mut self, address: u32) {
        each!(self.executed(address));
    }

    /// The notes on what they have seen until the end, when the registers were these.
    fn told(self, image: &Image, run: &Run, variables: &Variables<'_>, registers: &Registers) -> Vec<Note> {
        let wraps = self.wrapped.and_then(|wrapped| wrapped.told());
        let used = run.notes.iter().any(|note| matches!(note, Note::CounterUsed { .. }));
        let mut told: Vec<Note> = wraps.filter(|_| !used).into_iter().collect();
        told.extend(self.indexed.map_or(Vec::new(), |indexed| indexed.told(variables)));
        let beyond = self.walked.map(|walked| walked.found(registers));
        told.extend(beyond.iter().flatten().filter_map(|walk| variables.told_of_walk(walk)));
        told.truncate(MOST_NOTES);
        let left = self.falling.and_then(Falling::left);
        told.extend(left.map(|(address, declared)| {
            let place = image.line_at(address).map(|row| image.outermost(&row));
            match declared {
                Some(bytes) => Note::StackOverrun { place, bytes },
                None => Note::StackWrapped { place },
            }
        }));
        told.extend(self.scratched.into_iter().flat_map(|scratched| scratched.told()));
        told.extend(self.reread.into_iter().flat_map(|reread| reread.told(&run.files)));
        told
    }
}

impl Machine<'_> {
    /// What a `run` of `image` does by mistake: accesses past the ends of variables, pushes below the stack, and
    /// returns to what was pushed; and why instructions miss data that was read before. Of a long run, only the first
    /// clocks are repeated for this; if it was stopped, accesses to variables are left out. `options` are those of the
    /// run; their input must be the same when it is read again.
    pub fn mistakes(image: &Image, model: &'static Model, options: &Options, run: &Run) -> Vec<Note> {
        let mut told = counted::told(image, run, |row| decoded(image, row));
        let again = Again::of(run, FIRST_CLOCKS);
        let variables = Variables::of(image);
        let watchers = Watchers::of(image, model, run, again.stopped && !again.whole, &variables);
        let returned = Returned::is_needed(run).then(Box::<Returned>::default);
        // Those that the values tell which a repetition of the run has.
        told.extend(again.watched(image, model, options, (watchers, returned), &variables));
        told
    }

    /// Why instructions of a `run` of a program miss data that was read before. Of a long run, only the first clocks
    /// are repeated for this. `options` are those of the run.
    pub fn misses(image: &Image, model: &'static Model, options: &Options, run: &Run) -> Vec<Note> {
        let again = Again::of(run, FIRST_CLOCKS_OF_PROGRAM);
        let watchers = Watchers::of_misses(image, model, run);
        again.watched(image, model, options, (watchers, None), &Variables::of(image))
    }
}

/// A run that is repeated to be watched.
struct Again<'a> {
    run: &'a Run,
    /// Whether the whole of it is, or only the first clocks.
    whole: bool,
    first: u64,
    /// Whether a limit has stopped it.
    stopped: bool,
}

impl Again<'_> {
    fn of(run: &Run, first: u64) -> Again<'_> {
        let (instructions, clocks) = (run.whole.totals.instructions, run.whole.totals.cycles);
        let stopped = matches!(run.stop.reason, StopReason::Limit | StopReason::Timeout);
        Again {
            run,
            whole: instructions <= MOST_REPEATED && clocks <= MOST_CLOCKS,
            first: if stopped { MOST_CLOCKS } else { first },
            stopped,
        }
    }

    /// What `watchers` and the watcher of returns see.
    fn watched(
        &self,
        image: &Image,
        model: &'static Model,
        options: &Options,
        (watchers, returned): (Watchers, Option<Box<Returned>>),
        variables: &Variables<'_>,
    ) -> Vec<Note> {
        let Again {
            run, whole, stopped, ..
        } = *self;
        if watchers.is_empty() && returned.is_none() {
            return Vec::new();
        }
        let mut again = Machine::new(model, image, self.options(options));
        let prepare = |machine: &mut Machine| {
            if let Some(calls) = &mut machine.calls {
                calls.watchers = Some(Box::new(watchers.clone()));
                calls.returned = returned.clone();
            }
        };
        let reason = again.run_prepared(prepare, &mut |_| ()).reason;
        // A program that reads a clock may go another way.
        let same = match whole {
            true => {
                let instructions = run.whole.totals.instructions;
                again.last_run().whole.instructions == instructions && reason == run.stop.reason
            }
            false => stopped || reason == run.stop.reason || matches!(reason, StopReason::Limit | StopReason::Timeout),
        };
        let wrong = again.calls.as_mut().and_then(|calls| calls.returned.take());
        let wrong = wrong.and_then(|returned| returned.told(&again, run.stop.writer().is_some()));
        let Some(calls) = again.calls.as_mut().filter(|_| same) else {
            return Vec::new();
        };
        let seen = calls.watchers.take();
        let seen = seen.map(|watchers| watchers.told(image, run, variables, &again.state.registers));
        let mut seen = seen.unwrap_or_default();
        if !whole && run.whole.totals.cycles > self.first && !seen.is_empty() {
            seen.push(Note::WatchedFirst { clocks: self.first });
        }
        // A wrong return may be why the stack is full.
        wrong.into_iter().chain(seen).collect()
    }

    /// The options for repeating it.
    fn options(&self, options: &Options) -> Options {
        let limits = match (self.whole, self.stopped) {
            (true, _) => options.clone(),
            (false, false) => Options {
                limit: options.limit.min(self.first),
                ..options.clone()
            },
            // No time is left of a run that was stopped because of it.
            (false, true) => Options {
                limit: options.limit.min(self.first),
                timeout: Some(MOST_TIME),
                spent: Duration::ZERO,
                kept: Duration::ZERO,
                ..options.clone()
            },
        };
        Options {
            runs: 1,
            calls: true,
            cache_sets: false,
            engine: EngineChoice::Interpreter,
            one_op_blocks: true,
            reading_every: None,
            ..limits
        }
    }
}
