//! The parent: plans the layout, starts the child, enforces the time limit, and collects the results.

use super::child;
use super::ending::{self, Ended};
use super::handover::{self, Conditions};
use super::plan::{Plan, WayOut};
use super::segment::CHAIN_LENGTH;
use super::shared::{Control, Samples, Shared, kind};
use super::step::Step;
use super::{Area, Attendant, Error, Native, Note, Options};
use asm_macros::{Reason, Unavailable, tsc};
use p5_image::Image;
use p5_results::StopReason;
use p5_words::fault::Lost;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::ptr;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

/// The number of requests to the child to stop before it is killed, and the time to wait after each.
const ASKED: u32 = 10;
const GRACE: Duration = Duration::from_millis(10);
/// The interval of an attendant's looks.
const LOOK: Duration = Duration::from_millis(5);

pub(super) fn run(
    image: &Image,
    options: &Options,
    mut attendant: Option<&mut dyn Attendant>,
) -> Result<Native, Error> {
    if !child::can_start() {
        return Err(Error::NoChildEntry);
    }
    let errno = |error: io::Error| error.raw_os_error().unwrap_or(0);
    let (shared, results) = Shared::new(options.runs, shape(image).iter().sum())?;
    let mut plan = Plan::new(image)?;
    let quantum = if can_read_counter() {
        Ok(tsc::quantum())
    } else {
        Err(Unavailable(Reason::TscDisabled))
    };
    let limit = options.limit.max(Duration::from_millis(1));
    let conditions = Conditions {
        seconds: limit.as_secs().saturating_add(2),
        timed: quantum.is_ok(),
        turns: quantum.map_or(1, turns),
        seed: seed(),
        runs: shared.runs,
    };
    let task = handover::write(&plan, conditions).map_err(|error| Error::NoTask { errno: errno(error) })?;
    // The child has the initial bytes now.
    plan.areas.iter_mut().for_each(|area| area.given = Vec::new());
    let control = shared.control();
    control.held.store(u32::from(attendant.is_some()), Relaxed);
    let mut child = start(task, results, conditions.timed).map_err(|error| Error::NoChild { errno: errno(error) })?;
    if let Some(attendant) = &mut attendant
        && !attendant.start(child.id())
    {
        control.enough.store(1, Relaxed);
        // If the child cannot be killed, it has ended.
        let _ = child.kill();
    }
    control.held.store(0, Release);
    let ended = watch(&mut child, control, options.patience, limit, attendant);
    failure(shared.control(), &plan, ended)?;
    Ok(gather(image, &plan, &shared, ended, options, quantum))
}

/// Starts this program anew, without environment, as the child. It has `task` and `results` and no other descriptor
/// that this process opened.
fn start(task: File, results: File, timed: bool) -> io::Result<Child> {
    let mut command = Command::new("/proc/self/exe");
    command
        .arg0(child::NAME)
        .env_clear()
        .stdin(task)
        .stdout(results)
        .stderr(Stdio::null());
    if !timed {
        // The dynamic loader reads the time stamp counter, so it is enabled here; the child disables it again.
        // SAFETY: the call takes only numbers, and nothing else happens between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_ENABLE);
                Ok(())
            });
        }
    }
    command.spawn()
}

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

/// The time since an arbitrary moment, by a system call: the library function reads the time stamp counter, which may
/// be disabled for this process.
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` outlives the call, and this clock always exists.
    unsafe { libc::syscall(libc::SYS_clock_gettime, libc::CLOCK_MONOTONIC, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Waits for the child; asks it after `patience` to start no further run, and ends it after `limit`.
fn watch(
    child: &mut Child,
    control: &Control,
    patience: Duration,
    limit: Duration,
    mut attendant: Option<&mut dyn Attendant>,
) -> Ended {
    let number = child.id() as libc::pid_t;
    // SAFETY: the call takes only numbers. The child has not been waited for yet, so its process number is still valid.
    let descriptor = unsafe { libc::syscall(libc::SYS_pidfd_open, number, 0) } as libc::c_int;
    let started = now();
    let mut until = |child: &mut Child, time: Duration| {
        loop {
            let left = time.saturating_sub(now().saturating_sub(started));
            let Some(attendant) = &mut attendant else {
                return over(descriptor, child, left);
            };
            let status = over(descriptor, child, left.min(LOOK));
            attendant.look();
            if status.is_some() || left.is_zero() {
                return status;
            }
        }
    };
    let mut killed = false;
    let mut status = until(child, patience.min(limit));
    if status.is_none() {
        control.enough.store(1, Relaxed);
        status = until(child, limit);
    }
    for _ in 0..ASKED {
        if status.is_none() {
            // SAFETY: as above: the child has not been waited for.
            unsafe { libc::kill(number, libc::SIGALRM) };
            status = over(descriptor, child, GRACE);
            // A child that has no handler yet is terminated by the request; that counts as the time limit, not as a
            // crash.
            killed = status == Some(Ended::Signal(libc::SIGALRM));
        }
    }
    let status = status.unwrap_or_else(|| {
        killed = true;
        // If the child cannot be killed, it has ended, and waiting returns its status.
        let _ = child.kill();
        child.wait().map_or(Ended::Unknown, ended)
    });
    if descriptor >= 0 {
        // SAFETY: this function owns the descriptor.
        unsafe { libc::close(descriptor) };
    }
    if killed { Ended::Killed } else { status }
}

/// Waits up to `time` for the child to end.
fn over(descriptor: libc::c_int, child: &mut Child, time: Duration) -> Option<Ended> {
    let deadline = now().saturating_add(time);
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(ended(status)),
            Ok(None) => {}
            Err(_) => return Some(Ended::Unknown),
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

fn ended(status: std::process::ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Status(code),
        (None, Some(signal)) => Ended::Signal(signal),
        (None, None) => Ended::Unknown,
    }
}

/// The error of a child that failed before its first run.
fn failure(control: &Control, plan: &Plan, ended: Ended) -> Result<(), Error> {
    if control.entered.load(Relaxed) == 0 {
        return match ended {
            Ended::Killed => Ok(()),
            Ended::Status(child::REFUSED) => Err(Error::TaskRefused),
            Ended::Status(status) => Err(Error::NotStarted(Lost::Status(status))),
            Ended::Signal(signal) => Err(Error::NotStarted(Lost::Signal(signal))),
            Ended::Unknown => Err(Error::NotStarted(Lost::Unknown)),
        };
    }
    let number = control.failed_step.load(Relaxed);
    let Some(step) = Step::ALL.into_iter().find(|&step| step as u32 == number) else {
        return Ok(());
    };
    // The kernel has no larger error numbers.
    let Some(errno) = i32::try_from(control.failed_errno.load(Relaxed))
        .ok()
        .filter(|errno| *errno < 4096)
    else {
        return Ok(());
    };
    let (area, address) = plan
        .areas
        .get(control.failed_area.load(Relaxed) as usize)
        .map_or((Area::Gate, 0), |area| (area.name.clone(), area.address));
    Err(match step {
        Step::Code => Error::NoExecutableMemory,
        Step::Taken => Error::Taken { area, address },
        Step::Map => match errno {
            libc::EEXIST => Error::Taken { area, address },
            libc::EPERM => Error::BelowMinimum { area, address },
            _ => Error::NotMapped { area, address, errno },
        },
        Step::Protect => Error::NotExecutable { area, address, errno },
        Step::SignalStack | Step::Handler => Error::NoSignalHandler { errno },
        Step::Limits => Error::NoLimits { errno },
        Step::Descriptors => Error::DescriptorsStayOpen { errno },
        Step::Filter => Error::NoFilter { errno },
        Step::Segment => Error::NoCompatibilitySegment,
    })
}

/// The results of the child in the form of the public interface.
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
    let sound = ending::is_sound(control, shared.runs);
    let stop = match ended {
        _ if finished && !sound => ending::damaged(),
        _ if finished => ending::stop(image, plan, control, limit),
        other => ending::lost(other, limit),
    };
    // Of a damaged report, nothing is used.
    let told = sound || !finished;
    let mut runs = if told { shared.runs(&shape(image)) } else { Vec::new() };
    // Results outside of mapped memory were not read, so the values that the child stored for them mean nothing.
    let mut dwords = plan.measured.iter();
    for (index, length) in shape(image).into_iter().enumerate() {
        if dwords.by_ref().take(length).any(Option::is_none) {
            for run in &mut runs {
                run.measured[index].clear();
            }
        }
    }
    let mut notes = plan.notes.clone();
    if told {
        notes.extend(ending::notes(control));
    }
    if let Err(Unavailable(reason)) = quantum
        && stop.reason != StopReason::Fault
    {
        notes.push(Note::Untimed(reason));
    }
    let samples = |which| if told { shared.samples(which) } else { Vec::new() };
    let signal = matches!(
        control.kind.load(Relaxed),
        kind::END | kind::HALT | kind::EXIT | kind::SIGNAL
    );
    if finished && sound && signal && !matches!(plan.way_out, WayOut::Breakpoint | WayOut::NotExecutable) {
        notes.push(Note::EndsBySignal);
    }
    if shared.runs < options.runs && runs.len() == shared.runs as usize {
        notes.push(Note::FewerRuns { runs: shared.runs });
    }
    Native {
        stop,
        runs,
        empty: samples(Samples::Empty),
        ended_by_signal: samples(Samples::BySignal),
        chain: samples(Samples::Chain),
        chain_length: CHAIN_LENGTH,
        quantum,
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_does_not_begin_with_the_childs_entry_starts_no_child() {
        let why =
            run(&Image::default(), &Options::default(), None).expect_err("the main function of tests is not ours");
        assert_eq!(why, Error::NoChildEntry);
    }
}
