//! The memory that parent and child share: what goes in and out of a run, and the results.
//!
//! The child runs untrusted code, so the parent takes nothing in here for granted: counts are bounded by what there is room
//! for before they are used. All fields are atomics, because the other process may write them at any time.

use super::NativeRun;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// The most samples kept of the empty program, the chain and the end by a signal, each.
pub(super) const SAMPLES_MOST: usize = 4_096;
/// The most passes kept over all runs.
pub(super) const PASSES_MOST: usize = 1 << 20;
/// The most result dwords kept over all runs.
const MEASURED_MOST: usize = 4 << 20;
/// The most runs.
const RUNS_MOST: u32 = 1 << 20;
const PAGE: usize = 4096;
/// `int 80h` calls that are refused, kept for the notes.
pub(super) const REFUSED_MOST: usize = 8;

/// How a run ended, as [`Control::kind`] has it.
pub(super) mod kind {
    /// Execution came back through the gate: [`super::Control::how`] says from where.
    pub(in super::super) const GATE: u32 = 0;
    /// A trap at the image's end.
    pub(in super::super) const END: u32 = 1;
    /// HLT.
    pub(in super::super) const HALT: u32 = 2;
    /// An exit service; the code is in [`super::Control::code`].
    pub(in super::super) const EXIT: u32 = 3;
    /// A processor fault.
    pub(in super::super) const FAULT: u32 = 4;
    /// A system call that no program of this machine could make.
    pub(in super::super) const CALL: u32 = 5;
    /// The time was up.
    pub(in super::super) const LIMIT: u32 = 6;
}

/// The first page of the shared memory.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Control {
    /// The far pointer to go in by: an offset, then a selector. Must be the first field.
    pub(super) far_offset: AtomicU32,
    pub(super) far_selector: AtomicU32,
    /// ESP to start with.
    pub(super) stack: AtomicU32,
    /// SSE's control word to start with.
    pub(super) mxcsr: AtomicU32,
    /// RSP to come back to.
    pub(super) saved_rsp: AtomicU64,
    /// The time stamp counter before the first instruction and after the last, in ticks.
    pub(super) start: AtomicU64,
    pub(super) stop: AtomicU64,
    /// What the gate said.
    pub(super) how: AtomicU32,
    /// Whether the program is being run.
    pub(super) running: AtomicU32,
    /// Set by the parent: begin no further run.
    pub(super) enough: AtomicU32,
    /// Set by the child when all is done.
    pub(super) finished: AtomicU32,
    /// The step of the preparation that failed, from 1, and why (`errno`).
    pub(super) failed_step: AtomicU32,
    pub(super) failed_errno: AtomicU32,
    /// The area concerned.
    pub(super) failed_area: AtomicU32,

    /// How the last run ended: one of [`kind`].
    pub(super) kind: AtomicU32,
    /// The exit code, or the number of a system call.
    pub(super) code: AtomicU32,
    /// A fault's vector, error code, CR2, instruction and its segment.
    pub(super) vector: AtomicU32,
    pub(super) error: AtomicU32,
    pub(super) address: AtomicU64,
    pub(super) instruction: AtomicU64,
    pub(super) selector: AtomicU32,
    /// The bytes at the instruction, and how many could be read.
    pub(super) bytes: [AtomicU32; 4],
    pub(super) byte_count: AtomicU32,

    /// Bytes of text the program wrote in this run.
    pub(super) written: AtomicU64,
    /// Whether any call that writes text was served.
    pub(super) wrote: AtomicU32,
    /// The `int 21h` functions that were refused, a bit each.
    pub(super) refused_dos: [AtomicU32; 8],
    /// The `int 80h` calls that were refused, and how many are kept.
    pub(super) refused_linux: [AtomicU32; REFUSED_MOST],
    pub(super) refused_linux_count: AtomicU32,

    /// Complete rows of each kind of result.
    pub(super) runs: AtomicU32,
    pub(super) empty: AtomicU32,
    pub(super) chain: AtomicU32,
    pub(super) by_signal: AtomicU32,
    pub(super) passes: AtomicU32,
    /// Passes the program counted but that the log or this memory had no room for.
    pub(super) lost_in_log: AtomicU64,
    pub(super) lost_here: AtomicU64,
}

/// Which samples.
#[derive(Clone, Copy, Debug)]
pub(super) enum Samples {
    Empty,
    Chain,
    BySignal,
}

/// The mapping. It is unmapped when dropped.
#[derive(Debug)]
pub(super) struct Shared {
    base: *mut u8,
    length: usize,
    /// The most runs there is room for.
    pub(super) runs: u32,
    /// Result dwords of a run.
    per_run: usize,
    samples_at: usize,
    measured_at: usize,
    passes_at: usize,
}

/// Bytes of a run's row: its ticks, then how many passes follow those of the run before.
const ROW: usize = 16;

impl Shared {
    /// Memory for so many runs, or as many as there may be, with `per_run` result dwords each.
    ///
    /// # Errors
    /// If the host has no memory for it.
    pub(super) fn new(runs: u32, per_run: usize) -> Result<Shared, String> {
        let most = (MEASURED_MOST / per_run.max(1)).clamp(1, RUNS_MOST as usize) as u32;
        let runs = runs.clamp(1, most);
        let samples_at = PAGE + runs as usize * ROW;
        let measured_at = samples_at + 3 * SAMPLES_MOST * 8;
        let passes_at = (measured_at + runs as usize * per_run * 4).next_multiple_of(8);
        let length = (passes_at + PASSES_MOST * 8).next_multiple_of(PAGE);
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh anonymous mapping.
        let base = unsafe { libc::mmap(ptr::null_mut(), length, protection, flags, -1, 0) };
        if base == libc::MAP_FAILED {
            return Err(format!(
                "the host gives no {} MiB of memory for the results",
                length >> 20
            ));
        }
        Ok(Shared {
            base: base.cast(),
            length,
            runs,
            per_run,
            samples_at,
            measured_at,
            passes_at,
        })
    }

    /// Where the mapping starts.
    pub(super) fn address(&self) -> usize {
        self.base.expose_provenance()
    }

    pub(super) fn control(&self) -> &Control {
        const { assert!(size_of::<Control>() <= PAGE) };
        // SAFETY: the first page holds nothing else, zeroes are a value of the type, and every field may change under a
        // shared reference.
        unsafe { &*self.base.cast::<Control>() }
    }

    /// The word at `at`, if it is in the mapping.
    fn word64(&self, at: usize) -> Option<&AtomicU64> {
        let inside = at.is_multiple_of(8) && at >= PAGE && at + 8 <= self.length;
        // SAFETY: in the mapping, aligned, behind the control block, and never used but as an atomic.
        inside.then(|| unsafe { &*self.base.add(at).cast::<AtomicU64>() })
    }

    fn word32(&self, at: usize) -> Option<&AtomicU32> {
        let inside = at.is_multiple_of(4) && at >= PAGE && at + 4 <= self.length;
        // SAFETY: as in `word64`; result dwords share no word with anything of 64 bits.
        inside.then(|| unsafe { &*self.base.add(at).cast::<AtomicU32>() })
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

    /// How many samples there are.
    pub(super) fn sampled(&self, which: Samples) -> usize {
        (self.sample_count(which).load(Relaxed) as usize).min(SAMPLES_MOST)
    }

    /// Keeps a sample, in ticks, as long as there is room.
    pub(super) fn keep_sample(&self, which: Samples, ticks: u64) {
        let count = self.sampled(which);
        if count < SAMPLES_MOST
            && let Some(word) = self.sample(which, count)
        {
            word.store(ticks, Relaxed);
            self.sample_count(which).store(count as u32 + 1, Relaxed);
        }
    }

    /// All samples, in ticks.
    pub(super) fn samples(&self, which: Samples) -> Vec<u64> {
        (0..self.sampled(which))
            .filter_map(|index| Some(self.sample(which, index)?.load(Relaxed)))
            .collect()
    }

    /// Keeps a pass of the run that is being read; whether there was room.
    pub(super) fn keep_pass(&self, address: u32, ticks: u32) -> bool {
        let count = self.control().passes.load(Relaxed);
        let room = (count as usize) < PASSES_MOST;
        if room && let Some(word) = self.word64(self.passes_at + count as usize * 8) {
            word.store(u64::from(ticks) << 32 | u64::from(address), Relaxed);
            self.control().passes.store(count + 1, Relaxed);
        }
        room
    }

    /// Keeps result dword `index` of run `run`.
    pub(super) fn keep_measured(&self, run: u32, index: usize, value: u32) {
        if index < self.per_run
            && let Some(word) = self.word32(self.measured_at + (run as usize * self.per_run + index) * 4)
        {
            word.store(value, Relaxed);
        }
    }

    /// Completes run `run`, of so many ticks and with so many of the passes kept.
    pub(super) fn complete(&self, run: u32, ticks: u64, passes: u32) {
        let at = PAGE + run as usize * ROW;
        if let (Some(first), Some(second)) = (self.word64(at), self.word64(at + 8)) {
            first.store(ticks, Relaxed);
            second.store(u64::from(passes), Relaxed);
            self.control().runs.store(run + 1, std::sync::atomic::Ordering::Release);
        }
    }

    /// All complete runs; `shape` says how many result dwords each region has.
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

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, and every reference into it has a lifetime that ends before `self`.
        unsafe { libc::munmap(self.base.cast(), self.length) };
    }
}
