//! One or two events while a program runs: what the counters count in each interval.

use super::{Program, Subject, Uncounted, counted_between, program_counters, read_counters, usual};
use crate::{Busiest, Machine, Options, Progress};
use p5_chips::Selection;
use std::cell::Cell;
use std::num::NonZeroU64;

/// A program whose events were watched.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The program and its machine.
    pub subject: Subject,
    /// The clocks of the execution and the counts of its whole, or why there are none.
    pub total: Interval,
}

/// A part of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The clocks of the execution at its end.
    pub until: u64,
    /// Its own clocks.
    pub clocks: u64,
    /// What each counter has counted, or why nothing is known.
    pub counts: Result<[u64; 2], Uncounted>,
    /// The source line that most of its clocks were spent on, if that is known; not of a whole execution.
    pub busiest: Option<Busiest>,
}

/// The intervals that a report leaves out, because there are too many, as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// How many there are.
    pub intervals: u64,
    /// From the end of the last interval before them to the end of the last one of them.
    pub sum: Interval,
}

impl LeftOut {
    /// Adds an interval, which is the next one, to those that are left out.
    pub fn add(left: &mut Option<LeftOut>, interval: &Interval) {
        let Some(left) = left else {
            *left = Some(LeftOut {
                intervals: 1,
                sum: Interval {
                    busiest: None,
                    ..*interval
                },
            });
            return;
        };
        let sum = &mut left.sum;
        left.intervals += 1;
        sum.until = interval.until;
        sum.clocks += interval.clocks;
        let both = sum.counts.and_then(|one| Ok((one, interval.counts?)));
        sum.counts = both.map(|(one, other)| [0, 1].map(|counter| one[counter].saturating_add(other[counter])));
    }
}

impl Interval {
    /// What a counter has counted in 1,000 clocks; none if that is not known, or there was no clock.
    pub fn rate(&self, counter: usize) -> Option<f64> {
        let counts = self.counts.ok().filter(|_| self.clocks > 0)?;
        Some(counts[counter] as f64 * 1000.0 / self.clocks as f64)
    }
}

/// Runs a program once, and calls `show` at the end of each interval of at least `every` clocks, which is where a block
/// of instructions ends. Each counter counts one of `selections`.
pub fn watch(
    program: &Program<'_>,
    selections: [Option<Selection>; 2],
    every: NonZeroU64,
    options: &Options,
    show: &mut dyn FnMut(&Interval),
    progress: &mut dyn FnMut(Progress),
) -> Watched {
    let options = Options {
        runs: 1,
        reading_every: Some(every),
        ..options.clone()
    };
    let mut machine = Machine::new(program.model, program.image, options.clone());
    let halves = selections.map(|selection| selection.map_or(0, usual));
    let writes = Cell::new(Ok(0));
    let (mut until, mut values) = (0, [0; 2]);
    let mut set = false;
    let stop = machine
        .run_prepared(
            |machine| writes.set(program_counters(machine, halves)),
            &mut |reached| {
                if let Some(reading) = reached.reading {
                    set |= writes.get().is_ok_and(|writes| reading.writes != writes);
                    let counts = [0, 1].map(|counter| counted_between(values[counter], reading.values[counter]));
                    show(&Interval {
                        until: reading.clock,
                        clocks: reading.clock - until,
                        counts: match writes.get() {
                            Ok(_) if set => Err(Uncounted::SetByProgram),
                            written => written.map(|_| counts),
                        },
                        busiest: reading.busiest,
                    });
                    (until, values) = (reading.clock, reading.values);
                }
                progress(reached);
            },
        )
        .clone();
    let clocks = machine.last_run().whole.cycles;
    let counts = writes.get().and_then(|writes| read_counters(&mut machine, writes));
    // The rest, which a stop by the limit of wall time has, too.
    let rest = counts.map(|now| [0, 1].map(|counter| counted_between(values[counter], now[counter])));
    if clocks > until || rest.is_ok_and(|rest| rest != [0; 2]) {
        show(&Interval {
            until: clocks,
            clocks: clocks - until,
            counts: rest,
            busiest: machine.busiest(),
        });
    }
    Watched {
        subject: Subject::new(program, &options, &stop),
        total: Interval {
            until: clocks,
            clocks,
            counts,
            busiest: None,
        },
    }
}
