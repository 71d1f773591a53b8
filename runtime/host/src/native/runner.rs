//! The runs: enters the program again and again, takes samples between the runs, and stores the results.
//!
//! After the first entry FS no longer points to the thread block: nothing here is thread-local or allocates.

use super::handover::{Handover, Pages, Task};
use super::plan::PIECE;
use super::segment::{self, Trampoline};
use super::shared::{Control, Samples, Shared, kind};
use super::step::{Step, give_up};
use p5_image::Log;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

/// The maximum number of runs between two samples of the chain.
const CHAIN_STRIDE: u32 = 16;
/// The minimum number of samples of the chain and of the empty program.
const CHAIN_LEAST: usize = 32;
const EMPTY_LEAST: usize = 100;
/// The maximum iterations of the empty loop before a run; each takes about one core clock.
const PAUSE_MOST: u64 = 511;
/// MXCSR at reset: every exception masked.
const MXCSR: u32 = 0x1F80;

#[derive(Clone, Copy, Debug)]
pub(super) struct Runner<'a> {
    pub(super) handover: &'a Handover,
    pub(super) shared: &'a Shared,
    pub(super) trampoline: &'a Trampoline,
}

struct Running<'a> {
    task: &'a Task,
    of: Runner<'a>,
    control: &'a Control,
    random: u64,
    /// How the last run ended, and whether it ended through `int 80h`.
    end: u32,
    end_by_call: bool,
}

impl Runner<'_> {
    /// Runs the program as often as the task says, or until it faults or the parent asks to stop.
    ///
    /// # Safety
    /// The pages of the task must be mapped and filled, including those of the gate; the handler must be installed. The
    /// caller and all code that runs later must use nothing thread-local.
    pub(super) unsafe fn run(self) {
        let task = &self.handover.task;
        Running {
            task,
            of: self,
            control: self.shared.control(),
            random: task.seed,
            end: kind::GATE,
            end_by_call: false,
        }
        .all();
    }
}

impl Running<'_> {
    fn all(mut self) {
        // Harness and gate run before the first run, so that only the program is cold.
        for count in 0..4 {
            self.enter(segment::LEAVE, count);
            if self.control.kind.load(Relaxed) != kind::GATE {
                give_up(self.control, Step::Segment, 0);
            }
        }
        let untimed = !self.task.timed;
        let runs = if untimed { 1 } else { self.task.runs };
        let stride = runs.div_ceil(super::shared::SAMPLES_MOST as u32);
        // The core's rate may change at any time, so all samples of the chain are spread over the runs.
        let chain_stride = (runs / CHAIN_LEAST as u32).clamp(1, CHAIN_STRIDE);
        let chains = (CHAIN_LEAST as u32).div_ceil(runs.max(1));
        for run in 0..runs {
            if self.control.enough.load(Relaxed) != 0 && run > 0 {
                break;
            }
            if run > 0 {
                self.restore();
            }
            if !untimed && run % chain_stride == 0 {
                (0..chains).for_each(|_| self.sample_chain());
            }
            if !untimed && run % stride == 0 {
                self.sample_empty();
                self.sample_signal();
            }
            self.control.written.store(0, Relaxed);
            let ticks = self.enter(self.task.entry, run as usize);
            if matches!(self.control.kind.load(Relaxed), kind::FAULT | kind::CALL | kind::LIMIT) || untimed {
                break;
            }
            self.keep(run, ticks);
        }
        // The end of the last run is reported to the parent. The samples that follow do not change it, because they
        // return through the gate.
        let end = self.control.kind.load(Relaxed);
        let how = self.control.how.load(Relaxed);
        while !untimed && self.of.shared.sampled(Samples::Chain) < CHAIN_LEAST {
            self.sample_chain();
        }
        while !untimed && self.of.shared.sampled(Samples::Empty) < EMPTY_LEAST {
            self.sample_empty();
        }
        self.control.kind.store(end, Relaxed);
        self.control.how.store(how, Relaxed);
    }

    /// Restores the initial contents of all pages that the program may write.
    fn restore(&self) {
        for pages in self.task.pages.iter().filter(|pages| pages.writable) {
            restore(pages, self.of.handover.given(pages));
        }
    }

    /// Enters and leaves the segment once after a random pause, and returns the ticks. `count` is the number of earlier
    /// samples of the same kind.
    fn enter(&mut self, target: u32, count: usize) -> u64 {
        // Xorshift. The time stamp counter advances in steps, and means are right only if runs start at all phases of a
        // step.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let pause = (self.random >> 32) & PAUSE_MOST;
        // Multiples of the golden ratio cover an interval evenly from the first few on.
        let part = (count as u32).wrapping_mul(0x9E37_79B9);
        let wait = (u64::from(part) * u64::from(self.task.turns)) >> 32;
        let control = self.control;
        control.far_offset.store(target, Relaxed);
        control.far_selector.store(u32::from(segment::COMPATIBILITY), Relaxed);
        control.stack.store(self.task.stack, Relaxed);
        control.mxcsr.store(MXCSR, Relaxed);
        control.kind.store(kind::GATE, Relaxed);
        control.running.store(1, Relaxed);
        // SAFETY: the caller of `run` has mapped the gate and installed the handler; from here to the end of the
        // process there are only plain loads and stores, and one inline system call.
        unsafe { self.of.trampoline.enter(control, pause as u32, wait as u32) };
        control.running.store(0, Relaxed);
        control.stop.load(Relaxed).wrapping_sub(control.start.load(Relaxed))
    }

    fn sample_chain(&mut self) {
        // One unrecorded pass warms it up: the program may have evicted it from the caches.
        let count = self.of.shared.sampled(Samples::Chain);
        self.enter(segment::CHAIN, count);
        let ticks = self.enter(segment::CHAIN, count);
        self.of.shared.keep_sample(Samples::Chain, ticks);
    }

    fn sample_empty(&mut self) {
        let ticks = self.enter(segment::LEAVE, self.of.shared.sampled(Samples::Empty));
        self.of.shared.keep_sample(Samples::Empty, ticks);
    }

    /// Samples the ticks of a signal, if the program ends with one.
    fn sample_signal(&mut self) {
        let target = match self.end {
            kind::EXIT | kind::SIGNAL if self.end_by_call => segment::EXIT,
            kind::END | kind::HALT | kind::EXIT | kind::SIGNAL => segment::HALT,
            _ => return,
        };
        let code = self.control.code.load(Relaxed);
        let ticks = self.enter(target, self.of.shared.sampled(Samples::BySignal));
        self.control.code.store(code, Relaxed);
        self.of.shared.keep_sample(Samples::BySignal, ticks);
    }

    /// Stores the results of run `run`.
    fn keep(&mut self, run: u32, ticks: u64) {
        let (control, shared, task) = (self.control, self.of.shared, self.task);
        let end = control.kind.load(Relaxed);
        self.end = end;
        // INT 80h precedes the address at which such an exit stopped; the other services follow it.
        let at = control.instruction.load(Relaxed) as u32;
        self.end_by_call = matches!(end, kind::EXIT | kind::SIGNAL)
            && dword(at.wrapping_sub(2), task).is_some_and(|word| word & 0xFFFF == 0x80CD);
        let mut passes = 0;
        if let Some(log) = task.log {
            let count = dword(log.address, task).unwrap_or(0);
            let room = dword(log.address.wrapping_add(4), task).unwrap_or(0).min(log.room);
            let mut lost = u64::from(count.saturating_sub(room));
            for index in 0..count.min(room) {
                let entry = log.address + Log::HEADER + index * Log::ENTRY;
                let (Some(region), Some(ticks)) = (dword(entry, task), dword(entry + 4, task)) else {
                    break;
                };
                if !shared.keep_pass(region, ticks) {
                    let rest = u64::from(count.min(room) - index);
                    control.lost_here.fetch_add(rest, Relaxed);
                    break;
                }
                passes += 1;
            }
            lost = lost.saturating_add(control.lost_in_log.load(Relaxed));
            control.lost_in_log.store(lost, Relaxed);
        }
        for (index, address) in task.measured.iter().enumerate() {
            let value = address.and_then(|address| dword(address, task)).unwrap_or(0);
            shared.keep_measured(run, index, value);
        }
        shared.complete(run, ticks, passes);
    }
}

/// The dword of the program at `address`, if its four bytes are mapped.
fn dword(address: u32, task: &Task) -> Option<u32> {
    task.pages.iter().find(|pages| pages.holds(address, 4))?;
    // SAFETY: mapped and readable; no Rust object is there.
    Some(unsafe { ptr::with_exposed_provenance::<u32>(address as usize).read_unaligned() })
}

/// Restores the initial contents of an area. Only differences are written, so that unchanged code stays decoded in the
/// caches, and a page that was never written remains the shared page of zeros.
fn restore(pages: &Pages, given: &[u8]) {
    let (pieces, _) = given.as_chunks::<PIECE>();
    let first = pages.given_at / PIECE;
    let all = pages.length as usize / PIECE;
    let start = ptr::with_exposed_provenance_mut::<[u64; PIECE / 8]>(pages.address as usize);
    // SAFETY: every piece is in these pages, which are mapped and writable; no Rust reference points to it.
    let piece = |index: usize| unsafe { &mut *start.add(index) };
    for index in (0..first).chain(first + pieces.len()..all) {
        let now = piece(index);
        if now.iter().fold(0, |all, word| all | word) != 0 {
            *now = [0; PIECE / 8];
        }
    }
    for (index, bytes) in pieces.iter().enumerate() {
        let now = piece(first + index);
        let words = bytes.as_chunks::<8>().0;
        let differs = now
            .iter()
            .zip(words)
            .fold(0, |all, (now, then)| all | (now ^ u64::from_le_bytes(*then)));
        if differs != 0 {
            for (now, then) in now.iter_mut().zip(words) {
                *now = u64::from_le_bytes(*then);
            }
        }
    }
}
