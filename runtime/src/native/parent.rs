//! The parent: prepares, forks, watches the time, and collects the results of the child.

use super::child::{self, Step, Task};
use super::plan::{Plan, WayOut};
use super::segment::{CHAIN_LENGTH, Trampoline};
use super::shared::{Control, Samples, Shared, kind};
use super::{Area, Error, Native, Note, Options, ending};
use crate::image::Image;
use crate::run::StopReason;
use asm_macros::{Reason, Unavailable, tsc};
use std::hash::{BuildHasher, RandomState};
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Held while a child is prepared, so that no child inherits the result memory of another.
static FORK: Mutex<()> = Mutex::new(());
const SIGNAL_STACK: usize = 65_536;
/// How often a child is asked to stop before it is killed, and how long to wait each time.
const ASKED: u32 = 10;
const GRACE: Duration = Duration::from_millis(10);

/// The stack of the handler.
struct SignalStack(*mut libc::c_void);

impl SignalStack {
    fn new() -> Result<SignalStack, Error> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new anonymous mapping.
        let start = unsafe { libc::mmap(ptr::null_mut(), SIGNAL_STACK, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(Error::NoSignalStack);
        }
        Ok(SignalStack(start))
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`; only the child uses it, as its own copy.
        unsafe { libc::munmap(self.0, SIGNAL_STACK) };
    }
}

/// How the child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// It exited with this status.
    Status(i32),
    /// It was terminated by a signal.
    Signal(i32),
    /// The parent killed it because its time limit expired.
    Killed,
    /// Other code in this process waited for it.
    Unknown,
}

pub(super) fn run(image: &Image, options: &Options) -> Result<Native, Error> {
    let ready = FORK.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = Shared::new(options.runs, shape(image).iter().sum())?;
    let trampoline = Trampoline::new(shared.address() as u64)?;
    let plan = Plan::new(image, &trampoline)?;
    let stack = SignalStack::new()?;
    let quantum = if can_read_counter() {
        Ok(tsc::quantum())
    } else {
        Err(Unavailable(Reason::TscDisabled))
    };
    let limit = options.limit.max(Duration::from_millis(1));
    let task = Task {
        plan: &plan,
        shared: &shared,
        trampoline: &trampoline,
        // SAFETY: always succeeds.
        parent: unsafe { libc::getpid() },
        signal_stack: (stack.0, SIGNAL_STACK),
        seconds: limit.as_secs().saturating_add(2),
        timed: quantum.is_ok(),
        turns: quantum.map_or(1, turns),
        seed: seed(),
    };
    // SAFETY: the child calls nothing but `child::main`, which allocates nothing, takes no lock and never returns.
    let child = unsafe { libc::fork() };
    match child {
        -1 => Err(Error::NoChild {
            errno: std::io::Error::last_os_error().raw_os_error().unwrap_or(0),
        }),
        0 => child::main(&task),
        child => {
            drop(ready);
            let ended = watch(child, shared.control(), options.patience, limit);
            failure(shared.control(), &plan)?;
            Ok(gather(image, &plan, &shared, ended, options, quantum))
        }
    }
}

/// The number of result dwords of each region.
fn shape(image: &Image) -> Vec<usize> {
    image.regions.iter().map(|region| region.measured.len()).collect()
}

/// The seed of the random pauses; not 0.
fn seed() -> u64 {
    RandomState::new().hash_one(0) | 1
}

/// Whether this thread, and therefore its child, may execute RDTSC. If the kernel cannot tell, yes is assumed.
fn can_read_counter() -> bool {
    let mut mode: libc::c_int = 0;
    // SAFETY: `mode` outlives the call.
    let told = unsafe { libc::prctl(libc::PR_GET_TSC, &raw mut mode) } == 0;
    !told || mode != libc::PR_TSC_SIGSEGV
}

/// The number of iterations of an empty loop in one step of the counter; at least 1.
fn turns(quantum: u64) -> u32 {
    if quantum <= 1 {
        return 1;
    }
    // An iteration takes one core clock on most processors and a whole number on the others, which then covers several
    // steps.
    let turns = quantum as f64 * tsc::core_clocks_per_tick();
    if turns.is_finite() {
        turns.round().clamp(1.0, 4_096.0) as u32
    } else {
        1
    }
}

/// The time since an arbitrary moment, by a system call: the library function reads the time stamp counter itself,
/// which may be disabled for this process.
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` outlives the call, and this clock always exists.
    unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Waits for the child, tells it when to start no further run, and ends it when its time limit expires.
fn watch(child: libc::pid_t, control: &Control, patience: Duration, limit: Duration) -> Ended {
    // SAFETY: the call takes only numbers. The child has not been waited for yet, so its process number is still valid.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, child, 0) } as libc::c_int;
    let started = now();
    let until = |time: Duration| over(descriptor, child, time.saturating_sub(now().saturating_sub(started)));
    let mut killed = false;
    let mut status = until(patience.min(limit));
    if status.is_none() {
        control.enough.store(1, Relaxed);
        status = until(limit);
    }
    for _ in 0..ASKED {
        if status.is_none() {
            // SAFETY: as above: the child has not been waited for.
            unsafe { libc::kill(child, libc::SIGALRM) };
            status = over(descriptor, child, GRACE);
            // A child without a handler yet is terminated by the request; that counts as the time limit, not as a
            // crash.
            killed = status == Some(Ended::Signal(libc::SIGALRM));
        }
    }
    let status = status.unwrap_or_else(|| {
        killed = true;
        // SAFETY: as above.
        unsafe { libc::kill(child, libc::SIGKILL) };
        wait(child, 0).unwrap_or(Ended::Unknown)
    });
    if descriptor >= 0 {
        // SAFETY: this function owns the descriptor.
        unsafe { libc::close(descriptor) };
    }
    if killed { Ended::Killed } else { status }
}

/// Waits up to `time` for the child to end.
fn over(descriptor: libc::c_int, child: libc::pid_t, time: Duration) -> Option<Ended> {
    let deadline = now().saturating_add(time);
    loop {
        if let Some(ended) = wait(child, libc::WNOHANG) {
            return Some(ended);
        }
        let left = deadline.saturating_sub(now());
        if left.is_zero() {
            return None;
        }
        if descriptor < 0 {
            // The kernel has no process descriptors.
            std::thread::sleep(left.min(Duration::from_millis(1)));
            continue;
        }
        let mut poll = libc::pollfd {
            fd: descriptor,
            events: libc::POLLIN,
            revents: 0,
        };
        let time = libc::timespec {
            tv_sec: left.as_secs().min(3_600) as libc::time_t,
            tv_nsec: libc::c_long::from(left.subsec_nanos()),
        };
        // SAFETY: both structures outlive the call. The loop checks again whatever the result.
        unsafe { libc::ppoll(&raw mut poll, 1, &raw const time, ptr::null()) };
    }
}

/// How the child ended, if it has; `flags` are those of `waitpid`.
fn wait(child: libc::pid_t, flags: libc::c_int) -> Option<Ended> {
    loop {
        let mut status = 0;
        // SAFETY: `status` outlives the call.
        let got = unsafe { libc::waitpid(child, &raw mut status, flags) };
        if got == child {
            return Some(if libc::WIFSIGNALED(status) {
                Ended::Signal(libc::WTERMSIG(status))
            } else {
                Ended::Status(libc::WEXITSTATUS(status))
            });
        }
        if got == 0 {
            return None;
        }
        if std::io::Error::last_os_error().raw_os_error() != Some(libc::EINTR) {
            return Some(Ended::Unknown);
        }
    }
}

/// Why the child could not even start.
fn failure(control: &Control, plan: &Plan) -> Result<(), Error> {
    let number = control.failed_step.load(Relaxed);
    let Some(step) = Step::ALL.into_iter().find(|&step| step as u32 == number) else {
        return Ok(());
    };
    let errno = control.failed_errno.load(Relaxed) as i32;
    let (area, address) = plan
        .areas
        .get(control.failed_area.load(Relaxed) as usize)
        .map_or((Area::Gate, 0), |area| (area.name.clone(), area.address));
    Err(match step {
        Step::Taken => Error::Taken { area, address },
        Step::Map => match errno {
            libc::EEXIST => Error::Taken { area, address },
            libc::EPERM => Error::BelowMinimum { area, address },
            _ => Error::NotMapped { area, address, errno },
        },
        Step::Protect => Error::NotExecutable { area, address, errno },
        Step::SignalStack | Step::Handler => Error::NoSignalHandler { errno },
        Step::Descriptors => Error::DescriptorsStayOpen { errno },
        Step::Filter => Error::NoFilter { errno },
        Step::Shared => Error::SharedMemory { errno },
        Step::Segment => Error::NoCompatibilitySegment,
    })
}

/// The results of the child in the form that callers see.
fn gather(
    image: &Image,
    plan: &Plan,
    shared: &Shared,
    ended: Ended,
    options: &Options,
    quantum: Result<u64, Unavailable>,
) -> Native {
    let control = shared.control();
    let limit = options.limit;
    let finished = control.finished.load(Acquire) != 0 && matches!(ended, Ended::Status(0) | Ended::Unknown);
    let stop = match ended {
        _ if finished => ending::stop(image, plan, control, limit),
        other => ending::lost(other, limit),
    };
    let mut runs = shared.runs(&shape(image));
    // Results outside of mapped memory were not read, and what the child stored for them is meaningless.
    let mut dwords = plan.measured.iter();
    for (index, length) in shape(image).into_iter().enumerate() {
        if dwords.by_ref().take(length).any(Option::is_none) {
            for run in &mut runs {
                run.measured[index].clear();
            }
        }
    }
    let mut notes = plan.notes.clone();
    notes.extend(ending::notes(control));
    if let Err(Unavailable(reason)) = quantum
        && stop.reason != StopReason::Fault
    {
        notes.push(Note::Untimed(reason));
    }
    let signal = matches!(control.kind.load(Relaxed), kind::END | kind::HALT | kind::EXIT);
    if finished && signal && !matches!(plan.way_out, WayOut::Breakpoint | WayOut::NotExecutable) {
        notes.push(Note::EndsBySignal);
    }
    if shared.runs < options.runs && runs.len() == shared.runs as usize {
        notes.push(Note::FewerRuns { runs: shared.runs });
    }
    Native {
        stop,
        runs,
        empty: shared.samples(Samples::Empty),
        ended_by_signal: shared.samples(Samples::BySignal),
        chain: shared.samples(Samples::Chain),
        chain_length: CHAIN_LENGTH,
        quantum,
        notes,
    }
}
