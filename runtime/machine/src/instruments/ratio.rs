//! The mean length of an event: both counters count the same event, the first its occurrences, the second its clocks.

use super::{Program, Subject, Uncounted, execute, occurrences};
use crate::{Machine, Options, Progress};
use asm_macros::msr::CESR_CLOCKS;
use p5_chips::Selection;
use p5_results::{Stop, StopReason};

/// The number of executions of the program: the first is cold, the last one warm, as in reports.
pub const RATIO_EXECUTIONS: usize = 5;

/// The mean length of an event of a program, from its occurrences and clocks.
#[derive(Clone, Debug)]
pub struct Ratio {
    /// The program and its machine.
    pub subject: Subject,
    /// The event that was counted.
    pub selection: Selection,
    /// A cold and a warm pass: the first execution and the last. An event that only one counter counts has a warm
    /// pass: the last two executions.
    pub rows: Vec<RatioRow>,
}

/// One pass: an execution, or two if only one counter counts the event.
#[derive(Clone, Copy, Debug)]
pub struct RatioRow {
    /// The clocks of its last execution; none if the time limit cut it off, or was reached before.
    pub clocks: Option<u64>,
    /// The occurrences and the clocks in which the event held, or the reason why there are none.
    pub counts: Result<[u64; 2], Uncounted>,
}

impl RatioRow {
    /// The mean clocks of an occurrence; none if the event did not occur.
    pub fn mean(&self) -> Option<f64> {
        match self.counts {
            Ok([occurrences, clocks]) if occurrences > 0 => Some(clocks as f64 / occurrences as f64),
            _ => None,
        }
    }
}

/// Counts the occurrences and the clocks of an event in the first, cold execution and in the last, warm one. If only
/// one counter counts the event, each of the last two executions counts one of the two.
pub fn ratio(
    program: &Program<'_>,
    selection: Selection,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Ratio {
    let options = Options {
        runs: RATIO_EXECUTIONS as u32,
        ..options.clone()
    };
    let mut machine = Machine::new(program.model, program.image, options.clone());
    let [plain, clocks] = [occurrences(selection), occurrences(selection) | CESR_CLOCKS];
    let mut stop = Stop::plain(StopReason::End);
    let mut count = |halves: [u32; 2]| {
        if stop.reason == StopReason::Timeout {
            return (None, Err(Uncounted::OutOfTime));
        }
        let execution = execute(&mut machine, halves, progress);
        stop = execution.stop;
        (execution.clocks, execution.counts)
    };
    let rows = match selection.counter.map(usize::from) {
        None => {
            let [cold, .., warm] = [(); RATIO_EXECUTIONS].map(|()| count([plain, clocks]));
            vec![cold, warm]
        }
        Some(counter) => {
            let mut alone = |half: u32| {
                let mut halves = [0; 2];
                halves[counter] = half;
                let (clocks, counts) = count(halves);
                (clocks, counts.map(|values| values[counter]))
            };
            (2..RATIO_EXECUTIONS).for_each(|_| {
                // The last execution gives the reason why there are no counts.
                let _ = alone(0);
            });
            let [(_, plain), (time, clocks)] = [plain, clocks].map(&mut alone);
            vec![(time, plain.and_then(|plain| Ok([plain, clocks?])))]
        }
    };
    let rows = rows.into_iter().map(|(clocks, counts)| RatioRow { clocks, counts });
    Ratio {
        subject: Subject::new(program, &options, &stop),
        selection,
        rows: rows.collect(),
    }
}
