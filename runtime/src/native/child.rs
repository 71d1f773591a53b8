//! The child: maps the program, sandboxes itself, and runs the program repeatedly.
//!
//! Everything it needs is prepared before the fork. It allocates nothing and takes no lock, because another thread of
//! the parent may have held one at the fork. Nothing here can unwind into code of the parent: the process ends instead.

use super::filter;
use super::mappings;
use super::plan::{Area, PIECE, Plan};
use super::segment::{self, Trampoline};
use super::shared::{Control, Samples, Shared, kind};
use super::signals::{self, Scene};
use crate::image::Log;
use std::ptr;
use std::sync::atomic::Ordering::Relaxed;

/// The number of runs between two samples of the chain.
const CHAIN_STRIDE: u32 = 16;
/// The minimum number of samples of the chain and of the empty program.
const CHAIN_LEAST: usize = 32;
const EMPTY_LEAST: usize = 100;
/// The maximum iterations of the empty loop before a run; each takes about one core clock.
const PAUSE_MOST: u64 = 511;
/// MXCSR at reset: every exception masked.
const MXCSR: u32 = 0x1F80;

/// What can fail before the first run; the numbers are those of [`Control::failed_step`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Step {
    Map = 1,
    Taken,
    Protect,
    SignalStack,
    Handler,
    Descriptors,
    Filter,
    Segment,
    Shared,
}

impl Step {
    pub(super) const ALL: [Step; 9] = [
        Step::Map,
        Step::Taken,
        Step::Protect,
        Step::SignalStack,
        Step::Handler,
        Step::Descriptors,
        Step::Filter,
        Step::Segment,
        Step::Shared,
    ];
}

/// The input of the child.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub(super) plan: &'a Plan,
    pub(super) shared: &'a Shared,
    pub(super) trampoline: &'a Trampoline,
    /// The parent; the child ends when it does.
    pub(super) parent: libc::pid_t,
    /// The stack of the handler: start and length.
    pub(super) signal_stack: (*mut libc::c_void, usize),
    /// The limit of processor time in seconds, as a last resort.
    pub(super) seconds: u64,
    /// Whether RDTSC is enabled.
    pub(super) timed: bool,
    /// The exclusive maximum of the iterations of the empty loop after the first read of the counter.
    pub(super) turns: u32,
    /// The seed of the random pauses; not 0.
    pub(super) seed: u64,
}

/// The whole work of the child.
pub(super) extern "C" fn main(task: &Task<'_>) -> ! {
    let control = task.shared.control();
    let scene = Scene {
        plan: task.plan,
        control,
        trampoline: task.trampoline,
    };
    if let Err((step, area)) = prepare(task, &scene) {
        // SAFETY: `errno` belongs to this thread, and no run has changed FS yet.
        let errno = unsafe { *libc::__errno_location() };
        fail(control, step, errno as u32, area);
    }
    Runner {
        task,
        control,
        random: task.seed,
        end: kind::GATE,
        end_by_call: false,
    }
    .all();
    control.finished.store(1, std::sync::atomic::Ordering::Release);
    signals::end_process(0)
}

fn fail(control: &Control, step: Step, errno: u32, area: u32) -> ! {
    control.failed_errno.store(errno, Relaxed);
    control.failed_area.store(area, Relaxed);
    control.failed_step.store(step as u32, Relaxed);
    signals::end_process(0)
}

/// Everything before the first run; the error is the step and the area at fault.
fn prepare(task: &Task<'_>, scene: &Scene<'_>) -> Result<(), (Step, u32)> {
    // SAFETY: the calls affect only this process, which has one thread. The memory that is unmapped is not used here;
    // the stack of the handler is mapped, and the scene lives as long as the process.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != task.parent {
            signals::end_process(0);
        }
        for (resource, limit) in [
            (libc::RLIMIT_CPU, task.seconds),
            (libc::RLIMIT_CORE, 0),
            (libc::RLIMIT_FSIZE, 0),
        ] {
            let limit = libc::rlimit {
                rlim_cur: limit,
                rlim_max: limit,
            };
            libc::setrlimit(resource, &raw const limit);
        }
    }
    mappings::give_up_shared(task.shared.address()).map_err(|()| (Step::Shared, 0))?;
    for (index, area) in task.plan.areas.iter().enumerate() {
        map(area).map_err(|step| (step, index as u32))?;
    }
    catch(task, scene).map_err(|step| (step, 0))?;
    // SAFETY: nothing in this process uses a descriptor from here on.
    if unsafe { libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0) } != 0 {
        return Err((Step::Descriptors, 0));
    }
    // No call can map memory from here on, so the current mappings bound the memory.
    if !filter::install() {
        return Err((Step::Filter, 0));
    }
    Ok(())
}

/// Maps an area and fills it.
fn map(area: &Area) -> Result<(), Step> {
    let length = area.length as usize;
    let wanted = ptr::with_exposed_provenance_mut::<libc::c_void>(area.address as usize);
    let both = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE | libc::MAP_NORESERVE;
    // SAFETY: MAP_FIXED_NOREPLACE does not replace an existing mapping.
    let got = unsafe { libc::mmap(wanted, length, both, flags, -1, 0) };
    if got == libc::MAP_FAILED {
        return Err(Step::Map);
    }
    if got != wanted {
        // A kernel that does not know the flag takes the address as a hint.
        return Err(Step::Taken);
    }
    // SAFETY: the area is mapped and writable, `given` fits into it, and no Rust reference points to it.
    unsafe {
        // Small pages: those never written remain the shared page of zeros, which is cheap to compare.
        libc::madvise(got, length, libc::MADV_NOHUGEPAGE);
        ptr::copy_nonoverlapping(
            area.given.as_ptr(),
            got.cast::<u8>().add(area.given_at),
            area.given.len(),
        );
    }
    let mut protection = libc::PROT_READ;
    if area.writable {
        protection |= libc::PROT_WRITE;
    }
    if area.executable {
        protection |= libc::PROT_EXEC;
    }
    // SAFETY: these pages were mapped above.
    if unsafe { libc::mprotect(got, length, protection) } != 0 {
        return Err(Step::Protect);
    }
    Ok(())
}

/// Installs the handler.
fn catch(task: &Task<'_>, scene: &Scene<'_>) -> Result<(), Step> {
    let (start, length) = task.signal_stack;
    let stack = libc::stack_t {
        ss_sp: start,
        ss_flags: 0,
        ss_size: length,
    };
    // SAFETY: the process has one thread; stack and scene remain valid; all zeros is a valid value of these C
    // structures, and the handler has the signature that SA_SIGINFO requires.
    unsafe {
        signals::set_scene(scene);
        if libc::sigaltstack(&raw const stack, ptr::null_mut()) != 0 {
            return Err(Step::SignalStack);
        }
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = signals::handle as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // While it runs, no other signal is delivered; a fault in the handler itself ends the process.
        libc::sigfillset(&raw mut action.sa_mask);
        let mut blocked = action.sa_mask;
        for signal in signals::SIGNALS {
            if libc::sigaction(signal, &raw const action, ptr::null_mut()) != 0 {
                return Err(Step::Handler);
            }
            libc::sigdelset(&raw mut blocked, signal);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const blocked, ptr::null_mut());
    }
    Ok(())
}

/// Runs, samples and results.
struct Runner<'a> {
    task: &'a Task<'a>,
    control: &'a Control,
    random: u64,
    /// How the last run ended, and whether it was through `int 80h`.
    end: u32,
    end_by_call: bool,
}

impl Runner<'_> {
    fn all(mut self) {
        let plan = self.task.plan;
        // Harness and gate are warm before the first run, so that only the program is cold.
        for count in 0..4 {
            self.enter(segment::LEAVE, count);
            if self.control.kind.load(Relaxed) != kind::GATE {
                fail(self.control, Step::Segment, 0, 0);
            }
        }
        let untimed = !self.task.timed;
        let runs = if untimed { 1 } else { self.task.shared.runs };
        let stride = runs.div_ceil(super::shared::SAMPLES_MOST as u32);
        for run in 0..runs {
            if self.control.enough.load(Relaxed) != 0 && run > 0 {
                break;
            }
            if run > 0 {
                plan.areas.iter().filter(|area| area.writable).for_each(restore);
            }
            if !untimed && run % CHAIN_STRIDE == 0 {
                self.sample_chain();
            }
            if !untimed && run % stride == 0 {
                self.sample_empty();
                self.sample_signal();
            }
            self.control.written.store(0, Relaxed);
            let ticks = self.enter(plan.entry, run as usize);
            if matches!(self.control.kind.load(Relaxed), kind::FAULT | kind::CALL | kind::LIMIT) || untimed {
                break;
            }
            self.keep(run, ticks);
        }
        // The end of the last run is reported to the parent; the samples that follow do not change it, because they
        // return through the gate.
        let end = self.control.kind.load(Relaxed);
        let how = self.control.how.load(Relaxed);
        while !untimed && self.task.shared.sampled(Samples::Chain) < CHAIN_LEAST {
            self.sample_chain();
        }
        while !untimed && self.task.shared.sampled(Samples::Empty) < EMPTY_LEAST {
            self.sample_empty();
        }
        self.control.kind.store(end, Relaxed);
        self.control.how.store(how, Relaxed);
    }

    /// Enters and leaves the segment once after a random pause, and returns the ticks. `count` is the number of earlier
    /// ones of the same kind.
    fn enter(&mut self, target: u32, count: usize) -> u64 {
        // Xorshift: the time stamp counter advances in steps, and means are right only if runs start at all phases of a
        // step.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let pause = (self.random >> 32) & PAUSE_MOST;
        // Multiples of the golden ratio cover an interval evenly, even the first few.
        let part = (count as u32).wrapping_mul(0x9E37_79B9);
        let wait = (u64::from(part) * u64::from(self.task.turns)) >> 32;
        let control = self.control;
        control.far_offset.store(target, Relaxed);
        control.far_selector.store(u32::from(segment::COMPATIBILITY), Relaxed);
        control.stack.store(self.task.plan.stack, Relaxed);
        control.mxcsr.store(MXCSR, Relaxed);
        control.kind.store(kind::GATE, Relaxed);
        control.running.store(1, Relaxed);
        // SAFETY: `prepare` has mapped the gate and installed the handler; from here to the end of the process there
        // are only plain loads and stores, and one inline system call.
        unsafe { self.task.trampoline.enter(control, pause as u32, wait as u32) };
        control.running.store(0, Relaxed);
        control.stop.load(Relaxed).wrapping_sub(control.start.load(Relaxed))
    }

    fn sample_chain(&mut self) {
        // Once as a warm-up: the program may have evicted it from the caches.
        let count = self.task.shared.sampled(Samples::Chain);
        self.enter(segment::CHAIN, count);
        let ticks = self.enter(segment::CHAIN, count);
        self.task.shared.keep_sample(Samples::Chain, ticks);
    }

    fn sample_empty(&mut self) {
        let ticks = self.enter(segment::LEAVE, self.task.shared.sampled(Samples::Empty));
        self.task.shared.keep_sample(Samples::Empty, ticks);
    }

    /// Samples the cost of a signal, if the program ends with one.
    fn sample_signal(&mut self) {
        let target = match self.end {
            kind::EXIT if self.end_by_call => segment::EXIT,
            kind::END | kind::HALT | kind::EXIT => segment::HALT,
            _ => return,
        };
        let code = self.control.code.load(Relaxed);
        let ticks = self.enter(target, self.task.shared.sampled(Samples::BySignal));
        self.control.code.store(code, Relaxed);
        self.task.shared.keep_sample(Samples::BySignal, ticks);
    }

    /// Reads the results of run `run`.
    fn keep(&mut self, run: u32, ticks: u64) {
        let (control, shared, plan) = (self.control, self.task.shared, self.task.plan);
        let end = control.kind.load(Relaxed);
        self.end = end;
        // INT 80h is before the address where such an exit stopped, the others after it.
        let at = control.instruction.load(Relaxed) as u32;
        self.end_by_call =
            end == kind::EXIT && dword(at.wrapping_sub(2), plan).is_some_and(|word| word & 0xFFFF == 0x80CD);
        let mut passes = 0;
        if let Some(log) = plan.log {
            let count = dword(log.address, plan).unwrap_or(0);
            let room = dword(log.address.wrapping_add(4), plan).unwrap_or(0).min(log.room);
            let mut lost = u64::from(count.saturating_sub(room));
            for index in 0..count.min(room) {
                let entry = log.address + Log::HEADER + index * Log::ENTRY;
                let (Some(region), Some(ticks)) = (dword(entry, plan), dword(entry + 4, plan)) else {
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
        for (index, address) in plan.measured.iter().enumerate() {
            let value = address.and_then(|address| dword(address, plan)).unwrap_or(0);
            shared.keep_measured(run, index, value);
        }
        shared.complete(run, ticks, passes);
    }
}

/// The dword of the program at `address`, if all of it is mapped.
fn dword(address: u32, plan: &Plan) -> Option<u32> {
    plan.areas.iter().find(|area| area.holds(address, 4))?;
    // SAFETY: mapped and readable; no Rust object is there.
    Some(unsafe { ptr::with_exposed_provenance::<u32>(address as usize).read_unaligned() })
}

/// Restores the initial contents of an area.
///
/// Only differences are written: unchanged code stays decoded in the caches, and a page never written remains the
/// shared page of zeros.
fn restore(area: &Area) {
    let (pieces, _) = area.given.as_chunks::<PIECE>();
    let first = area.given_at / PIECE;
    let all = area.length as usize / PIECE;
    let start = ptr::with_exposed_provenance_mut::<[u64; PIECE / 8]>(area.address as usize);
    // SAFETY: every piece is in the area, which is mapped, writable and page-aligned; no Rust reference points to it.
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
