//! One or two events while a program runs: the counts in each interval.

use super::{Program, Subject, Uncounted, counted_between, program_counters, read_counters, usual};
use crate::{Busiest, Machine, Options, Progress};
use p5_chips::Selection;
use std::cell::Cell;
use std::num::NonZeroU64;

/// The result of watching a program's events.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The program and its machine.
    pub subject: Subject,
    /// The clocks and the counts of the whole execution, or the reason why there are none.
    pub total: Interval,
}

/// A part of an execution between two readings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The clock at its end, from the beginning of the execution.
    pub until: u64,
    /// The clocks in the interval.
    pub clocks: u64,
    /// The count of each counter, or the reason why it is not known.
    pub counts: Result<[u64; 2], Uncounted>,
    /// The source line with the most of its clocks, if it is known; not of a whole execution.
    pub busiest: Option<Busiest>,
}

/// The intervals that a report leaves out because there are too many, added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The number of intervals that are left out.
    pub intervals: u64,
    /// Their sum, from the end of the last interval before them to the end of their last one.
    pub sum: Interval,
}

impl LeftOut {
    /// Adds an interval, the next one, to the intervals that are left out.
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
    /// The count of a counter per 1,000 clocks; none if it is not known, or there was no clock.
    pub fn rate(&self, counter: usize) -> Option<f64> {
        let counts = self.counts.ok().filter(|_| self.clocks > 0)?;
        Some(counts[counter] as f64 * 1000.0 / self.clocks as f64)
    }
}

/// Runs a program once, and calls `show` at the end of each interval of at least `every` clocks; an interval ends with
/// a block of instructions. Each counter counts one of `selections`.
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
    // The last interval, which exists even after a stop by the limit of wall time.
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
