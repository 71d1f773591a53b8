//! Lockstep: one program on two machines at once, one of which compiles, compared after each block.
//!
//! Modelled: nothing. Both machines cut the same blocks, so that the state after each of them must be the same. Code
//! runs one block at a time. The two machines run in threads of their own, so that the interpreter is not slowed down
//! by the comparison. Not modelled: a comparison of memory, whose differences show in registers or in the result.

use super::{EngineChoice, Machine, Options, Progress};
use p5_chips::Model;
use p5_image::Image;
use p5_results::{Run, Stop, StopReason};
use std::fmt::Write;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// A machine's state after a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// The address of the next instruction.
    pub next: u32,
    /// The clock at which the last group ends.
    pub clock: u64,
    /// EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI.
    pub registers: [u32; 8],
    /// EFLAGS.
    pub flags: u32,
}

/// The first difference between two machines that run the same program.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// The state after the last block that was the same.
    pub same: Option<Reached>,
    /// The source line of that block's next instruction, as file index and one-based line.
    pub place: Option<(u32, u32)>,
    /// The states after the next block: the interpreter's and that of compiled code. `None` if a machine has stopped.
    pub states: [Option<Reached>; 2],
    /// The first lines of the results that differ, if all states were the same.
    pub results: Option<[String; 2]>,
}

/// The states that are handed over at once.
const BATCH: usize = 1 << 10;
/// The batches that may wait.
const WAITING: usize = 16;

/// A machine's part in a comparison.
pub(super) enum Lockstep {
    /// It hands its states over.
    Leads(SyncSender<Vec<Reached>>, Vec<Reached>),
    /// It compares its states with these.
    Follows(Box<Follower>),
}

pub(super) struct Follower {
    states: Receiver<Vec<Reached>>,
    batch: std::vec::IntoIter<Reached>,
    same: Option<Reached>,
    different: Option<[Option<Reached>; 2]>,
}

impl Follower {
    fn expected(&mut self) -> Option<Reached> {
        if let Some(next) = self.batch.next() {
            return Some(next);
        }
        self.batch = self.states.recv().ok()?.into_iter();
        self.batch.next()
    }

    /// Compares a state. Returns false at the first difference.
    fn compare(&mut self, reached: Reached) -> bool {
        let expected = self.expected();
        if expected == Some(reached) {
            self.same = expected;
            return true;
        }
        self.different = Some([expected, Some(reached)]);
        false
    }
}

impl Machine<'_> {
    /// Hands over the state after a block, or compares it.
    ///
    /// # Errors
    ///
    /// The end of the run at the first difference.
    pub(super) fn keep_step(&mut self) -> Result<(), Stop> {
        let reached = Reached {
            next: self.state.registers.eip,
            clock: self.pipeline.end(),
            registers: self.state.registers.general,
            flags: self.state.registers.eflags(),
        };
        let goes_on = match &mut self.lockstep {
            None => true,
            Some(Lockstep::Leads(states, batch)) => {
                batch.push(reached);
                batch.len() < BATCH || states.send(std::mem::replace(batch, Vec::with_capacity(BATCH))).is_ok()
            }
            Some(Lockstep::Follows(follower)) => follower.compare(reached),
        };
        // The run is discarded.
        if goes_on {
            Ok(())
        } else {
            Err(Stop::plain(StopReason::Limit))
        }
    }
}

/// Runs `image` on two machines at once, one of which compiles as early as possible, and compares them after each
/// block.
///
/// # Errors
///
/// The first difference.
pub fn simulate_both(
    image: &Image,
    program: &str,
    model: &'static Model,
    options: &Options,
    progress: &mut dyn FnMut(Progress),
) -> Result<Run, Box<Divergence>> {
    let (sender, receiver) = sync_channel(WAITING);
    // The time is that of the interpreter, which leads: where it stops, the other machine does.
    let of = |engine, timeout| Options {
        engine,
        timeout,
        ..options.clone()
    };
    let (compiled, interpreted, follower) = thread::scope(|scope| {
        let leader = scope.spawn(|| {
            let mut machine = Machine::new(model, image, of(EngineChoice::Interpreter, options.timeout));
            machine.bounds.stepwise = true;
            machine.lockstep = Some(Lockstep::Leads(sender, Vec::with_capacity(BATCH)));
            machine.run_all(&mut |_| ());
            if let Some(Lockstep::Leads(states, batch)) = machine.lockstep.take() {
                // Nobody takes them if the other machine has stopped before.
                let _ = states.send(batch);
            }
            machine.into_run(program)
        });
        let mut machine = Machine::new(model, image, of(EngineChoice::Jit, None));
        machine.bounds.stepwise = true;
        machine.lockstep = Some(Lockstep::Follows(Box::new(Follower {
            states: receiver,
            batch: Vec::new().into_iter(),
            same: None,
            different: None,
        })));
        machine.run_all(progress);
        let follower = match machine.lockstep.take() {
            Some(Lockstep::Follows(mut follower)) => {
                if follower.different.is_none()
                    && let Some(more) = follower.expected()
                {
                    follower.different = Some([Some(more), None]);
                }
                (follower.same, follower.different)
            }
            _ => (None, None),
        };
        (machine.into_run(program), leader.join(), follower)
    });
    let (same, different) = follower;
    let divergence = |states, results| {
        let place = same
            .and_then(|same| image.line_at(same.next))
            .map(|row| image.outermost(&row));
        Box::new(Divergence {
            same,
            place,
            states,
            results,
        })
    };
    let interpreted = interpreted.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    if let (StopReason::Timeout, Some([None, _])) = (interpreted.stop.reason, different) {
        return Ok(interpreted);
    }
    if let Some(states) = different {
        return Err(divergence(states, None));
    }
    match first_difference(&interpreted, &compiled) {
        None => Ok(compiled),
        Some(lines) => Err(divergence([None; 2], Some(lines))),
    }
}

/// The first lines in which two results differ.
pub(super) fn first_difference(one: &Run, other: &Run) -> Option<[String; 2]> {
    if one.output != other.output {
        let place = one
            .output
            .iter()
            .zip(&other.output)
            .take_while(|(one, other)| one == other);
        let place = place.count();
        let told = |run: &Run| format!("output[{place}]={:?}", run.output.get(place));
        return Some([told(one), told(other)]);
    }
    let texts = [one, other].map(|run| {
        // Of the output, which is equal, each byte would have a line.
        let run = Run {
            output: Vec::new(),
            ..run.clone()
        };
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = write!(text, "{run:#?}");
        text
    });
    let lines = texts
        .each_ref()
        .map(|text| text.lines().map(str::trim).collect::<Vec<_>>());
    let [one, other] = &lines;
    let place = one.iter().zip(other).position(|(one, other)| one != other)?;
    // The lines before tell of what they are.
    let told = |lines: &Vec<&str>| lines[place.saturating_sub(3)..=place].join(" ");
    Some(lines.each_ref().map(told))
}
