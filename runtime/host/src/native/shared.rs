//! The memory that parent and child share: the input and output of a run, and the results.
//!
//! The child runs untrusted code, so the parent trusts nothing in this memory: it limits counts to the capacity before
//! it uses them. All fields are atomics, because the other process may write them at any time.

use super::memory_file::{self, FIXED_LENGTH, Mapping};
use super::{Error, NativeRun};
use std::fs::File;
use std::io;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The maximum number of samples kept of each kind: the empty program, the chain, and the end with a signal.
pub(super) const SAMPLES_MOST: usize = 4_096;
/// The maximum number of passes kept over all runs.
pub(super) const PASSES_MOST: usize = 1 << 20;
/// The maximum number of result dwords kept over all runs.
const MEASURED_MOST: usize = 4 << 20;
pub(super) const RUNS_MOST: u32 = 1 << 20;
const PAGE: usize = p5_words::isa::PAGE as usize;
/// The maximum number of unsupported `int 80h` calls kept for the notes.
pub(super) const REFUSED_MOST: usize = 8;

/// How a run ended: the values of [`Control::kind`].
pub(super) mod kind {
    /// Execution returned through the gate; [`super::Control::how`] is the exit.
    pub(in super::super) const GATE: u32 = 0;
    /// A trap at the end of the image.
    pub(in super::super) const END: u32 = 1;
    /// The program ended with HLT.
    pub(in super::super) const HALT: u32 = 2;
    /// An exit service; the code is in [`super::Control::code`].
    pub(in super::super) const EXIT: u32 = 3;
    pub(in super::super) const FAULT: u32 = 4;
    /// A system call that no program for a Pentium can make.
    pub(in super::super) const CALL: u32 = 5;
    /// The time limit expired.
    pub(in super::super) const LIMIT: u32 = 6;
    /// A signal that the program raised; its number is in [`super::Control::code`].
    pub(in super::super) const SIGNAL: u32 = 7;
}

#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Control {
    /// The far pointer to enter through: an offset, then a selector. Must be the first field.
    pub(super) far_offset: AtomicU32,
    pub(super) far_selector: AtomicU32,
    /// The initial ESP.
    pub(super) stack: AtomicU32,
    /// The initial control word of SSE.
    pub(super) mxcsr: AtomicU32,
    /// The RSP of the 64-bit code, which the way back restores.
    pub(super) saved_rsp: AtomicU64,
    /// The time stamp counter before the first instruction and after the last, in ticks.
    pub(super) start: AtomicU64,
    pub(super) stop: AtomicU64,
    /// The exit that the gate returned: `BY_END`, `BY_RETURN` or `BY_SIGNAL`.
    pub(super) how: AtomicU32,
    pub(super) running: AtomicU32,
    /// Set by the parent: the child starts no further run.
    pub(super) enough: AtomicU32,
    /// Set by the parent: the child does not begin yet.
    pub(super) held: AtomicU32,
    /// Set by the child when it has accepted its task.
    pub(super) entered: AtomicU32,
    /// Set by the child when it has finished.
    pub(super) finished: AtomicU32,
    /// The step of the preparation that failed, from 1, and its error number.
    pub(super) failed_step: AtomicU32,
    pub(super) failed_errno: AtomicU32,
    /// The number of the area at fault.
    pub(super) failed_area: AtomicU32,

    /// How the last run ended: one of the values in [`kind`].
    pub(super) kind: AtomicU32,
    /// The exit code, or the number of a system call or signal.
    pub(super) code: AtomicU32,
    /// The vector, error code and CR2 of a fault, its instruction and its code segment.
    pub(super) vector: AtomicU32,
    pub(super) error: AtomicU32,
    pub(super) address: AtomicU64,
    pub(super) instruction: AtomicU64,
    pub(super) selector: AtomicU32,
    /// The bytes of the instruction, and the number of those that could be read.
    pub(super) bytes: [AtomicU32; 4],
    pub(super) byte_count: AtomicU32,

    /// The bytes of text that the program wrote in this run.
    pub(super) written: AtomicU64,
    /// Whether a call that writes text was served.
    pub(super) wrote: AtomicU32,
    /// Whether a call that writes text was refused because the text is too long.
    pub(super) output_refused: AtomicU32,
    /// The unsupported `int 21h` functions that the program called, one bit each.
    pub(super) refused_dos: [AtomicU32; 8],
    /// The unsupported `int 80h` calls that the program made, and their number.
    pub(super) refused_linux: [AtomicU32; REFUSED_MOST],
    pub(super) refused_linux_count: AtomicU32,

    /// The number of complete rows of each kind of result.
    pub(super) runs: AtomicU32,
    pub(super) empty: AtomicU32,
    pub(super) chain: AtomicU32,
    pub(super) by_signal: AtomicU32,
    pub(super) passes: AtomicU32,
    /// The number of passes for which the log or this memory had no room.
    pub(super) lost_in_log: AtomicU64,
    pub(super) lost_here: AtomicU64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Samples {
    Empty,
    Chain,
    BySignal,
}

/// The mapping of the shared memory.
#[derive(Debug)]
pub(super) struct Shared {
    mapping: Mapping,
    /// The capacity in runs.
    pub(super) runs: u32,
    /// The result dwords per run.
    per_run: usize,
    samples_at: usize,
    measured_at: usize,
    passes_at: usize,
}

/// The size of a run's row in bytes: its ticks, then the number of its passes.
const ROW: usize = 16;

/// The offsets of the parts of the mapping, in bytes.
struct Layout {
    samples_at: usize,
    measured_at: usize,
    passes_at: usize,
    length: usize,
}

impl Layout {
    fn of(runs: u32, per_run: usize) -> Layout {
        let samples_at = PAGE + runs as usize * ROW;
        let measured_at = samples_at + 3 * SAMPLES_MOST * 8;
        let passes_at = (measured_at + runs as usize * per_run * 4).next_multiple_of(8);
        Layout {
            samples_at,
            measured_at,
            passes_at,
            length: (passes_at + PASSES_MOST * 8).next_multiple_of(PAGE),
        }
    }
}

/// The number of runs for which there is room, at most `wanted`, with `per_run` result dwords each.
fn capacity(wanted: u32, per_run: usize) -> u32 {
    wanted.clamp(1, (MEASURED_MOST / per_run.max(1)).clamp(1, RUNS_MOST as usize) as u32)
}

impl Shared {
    /// Allocates memory for this many runs, up to the maximum, with `per_run` result dwords each. Also returns the
    /// file, for the child.
    ///
    /// # Errors
    /// The host has no memory for it.
    pub(super) fn new(runs: u32, per_run: usize) -> Result<(Shared, File), Error> {
        let runs = capacity(runs, per_run);
        let layout = Layout::of(runs, per_run);
        let made = memory_file::create(c"p5inst-results").and_then(|file| {
            file.set_len(layout.length as u64)?;
            memory_file::seal(&file, FIXED_LENGTH)?;
            Ok((Shared::map(&file, runs, per_run, &layout)?, file))
        });
        made.map_err(|_| Error::NoResultMemory {
            size: layout.length >> 20,
        })
    }

    /// Maps the memory that the parent has allocated for this many runs; `None` if `file` is something else.
    pub(super) fn of_parent(file: &File, runs: u32, per_run: usize) -> Option<Shared> {
        let layout = Layout::of(runs, per_run);
        let length = file.metadata().ok()?.len();
        let same = memory_file::is_sealed(file, FIXED_LENGTH) && length == layout.length as u64;
        (same && capacity(runs, per_run) == runs).then_some(())?;
        Shared::map(file, runs, per_run, &layout).ok()
    }

    fn map(file: &File, runs: u32, per_run: usize, layout: &Layout) -> io::Result<Shared> {
        Ok(Shared {
            mapping: Mapping::new(file, layout.length, true)?,
            runs,
            per_run,
            samples_at: layout.samples_at,
            measured_at: layout.measured_at,
            passes_at: layout.passes_at,
        })
    }

    pub(super) fn address(&self) -> usize {
        self.mapping.start().expose_provenance()
    }

    pub(super) fn control(&self) -> &Control {
        const { assert!(size_of::<Control>() <= PAGE) };
        // SAFETY: the first page holds nothing else, zeros are a valid value of the type, and every field may change
        // behind a shared reference.
        unsafe { &*self.mapping.start().cast::<Control>() }
    }

    /// The word at offset `at`, if it lies in the mapping.
    fn word64(&self, at: usize) -> Option<&AtomicU64> {
        let inside = at.is_multiple_of(8) && at >= PAGE && at + 8 <= self.mapping.length();
        // SAFETY: in the mapping, aligned, after the control block, and used only as an atomic.
        inside.then(|| unsafe { &*self.mapping.start().add(at).cast::<AtomicU64>() })
    }

    fn word32(&self, at: usize) -> Option<&AtomicU32> {
        let inside = at.is_multiple_of(4) && at >= PAGE && at + 4 <= self.mapping.length();
        // SAFETY: as in `word64`; result dwords do not overlap with any 64-bit word.
        inside.then(|| unsafe { &*self.mapping.start().add(at).cast::<AtomicU32>() })
    }

    fn sample_count(&self, which: Samples) -> &AtomicU32 {
        let control = self.control();
        match which {
            Samples::Empty => &control.empty,
            Samples::Chain => &control.chain,
            Samples::BySignal => &control.by_signal,
        }
    }

    fn sample(&self, which: Samples, index: usize) -> Option<&AtomicU64> {
        self.word64(self.samples_at + (which as usize * SAMPLES_MOST + index) * 8)
    }

    pub(super) fn sampled(&self, which: Samples) -> usize {
        (self.sample_count(which).load(Relaxed) as usize).min(SAMPLES_MOST)
    }

    /// Stores a sample in ticks, if there is room for it.
    pub(super) fn keep_sample(&self, which: Samples, ticks: u64) {
        let count = self.sampled(which);
        if count < SAMPLES_MOST
            && let Some(word) = self.sample(which, count)
        {
            word.store(ticks, Relaxed);
            self.sample_count(which).store(count as u32 + 1, Relaxed);
        }
    }

    pub(super) fn samples(&self, which: Samples) -> Vec<u64> {
        (0..self.sampled(which))
            .filter_map(|index| Some(self.sample(which, index)?.load(Relaxed)))
            .collect()
    }

    /// Stores a pass of the current run; returns whether there was room.
    pub(super) fn keep_pass(&self, address: u32, ticks: u32) -> bool {
        let count = self.control().passes.load(Relaxed);
        let room = (count as usize) < PASSES_MOST;
        if room && let Some(word) = self.word64(self.passes_at + count as usize * 8) {
            word.store(u64::from(ticks) << 32 | u64::from(address), Relaxed);
            self.control().passes.store(count + 1, Relaxed);
        }
        room
    }

    /// Stores result dword `index` of run `run`.
    pub(super) fn keep_measured(&self, run: u32, index: usize, value: u32) {
        if index < self.per_run
            && let Some(word) = self.word32(self.measured_at + (run as usize * self.per_run + index) * 4)
        {
            word.store(value, Relaxed);
        }
    }

    /// Completes run `run` with its ticks and its number of stored passes.
    pub(super) fn complete(&self, run: u32, ticks: u64, passes: u32) {
        let at = PAGE + run as usize * ROW;
        if let (Some(first), Some(second)) = (self.word64(at), self.word64(at + 8)) {
            first.store(ticks, Relaxed);
            second.store(u64::from(passes), Relaxed);
            self.control().runs.store(run + 1, std::sync::atomic::Ordering::Release);
        }
    }

    /// All complete runs; `shape` is the number of result dwords of each region.
    pub(super) fn runs(&self, shape: &[usize]) -> Vec<NativeRun> {
        let count = self
            .control()
            .runs
            .load(std::sync::atomic::Ordering::Acquire)
            .min(self.runs);
        let mut pass = 0;
        let mut rows = Vec::with_capacity(count as usize);
        for run in 0..count as usize {
            let at = PAGE + run * ROW;
            let (Some(ticks), Some(passes)) = (self.word64(at), self.word64(at + 8)) else {
                break;
            };
            let passes = (passes.load(Relaxed) as usize).min(PASSES_MOST - pass);
            let kept = (pass..pass + passes).filter_map(|index| {
                let word = self.word64(self.passes_at + index * 8)?.load(Relaxed);
                Some((word as u32, (word >> 32) as u32))
            });
            let kept = kept.collect();
            pass += passes;
            let mut dword = self.measured_at + run * self.per_run * 4;
            let measured = shape
                .iter()
                .map(|&length| {
                    let words = (0..length).filter_map(|index| Some(self.word32(dword + index * 4)?.load(Relaxed)));
                    let words = words.collect();
                    dword += length * 4;
                    words
                })
                .collect();
            rows.push(NativeRun {
                ticks: ticks.load(Relaxed),
                passes: kept,
                measured,
            });
        }
        rows
    }
}
