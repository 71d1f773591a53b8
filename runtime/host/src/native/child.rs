//! The child: this program, started anew without environment to run an image.
//!
//! It reads its task from standard input and shares the memory of the results through standard output. It maps the
//! program, gives up everything else, and runs it. The child's own code never unwinds into the `main` of the program
//! that it was started as: the process ends instead.

use super::filter;
use super::handover::{self, Handover, Pages, Task};
use super::plan::PAGE;
use super::runner::Runner;
use super::segment::{self, Trampoline};
use super::shared::{Control, Shared};
use super::signals::{self, Scene};
use super::step::{Step, give_up};
use std::fs::File;
use std::os::fd::AsFd;
use std::ptr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed};
use std::time::Duration;

/// The name that a process gets as its first argument (`argv[0]`) if it is to become a child.
pub(super) const NAME: &str = "p5inst-native-run";
/// The exit status of a child that does not accept its task.
pub(super) const REFUSED: i32 = 71;
/// The size in bytes up to which the stack of the child's own code may grow.
const STACK: u64 = 1 << 20;
/// The size of the signal handler's stack, in bytes.
const SIGNAL_STACK: usize = 65_536;

/// Whether this program begins with [`entry`].
static BEGINS_HERE: AtomicBool = AtomicBool::new(false);

/// Becomes the child if this process was started as one; otherwise notes that it could have.
pub(super) fn entry() {
    BEGINS_HERE.store(true, Relaxed);
    let Some(task) = owned(&std::io::stdin()).filter(handover::is_task) else {
        return;
    };
    let ready = || {
        let handover = Handover::read(&task)?;
        let results = owned(&std::io::stdout())?;
        let shared = Shared::of_parent(&results, handover.task.runs, handover.task.measured.len())?;
        Some((handover, shared))
    };
    match ready() {
        Some((handover, shared)) => main(&handover, &shared),
        None => signals::end_process(REFUSED),
    }
}

/// A duplicate of a descriptor as a file; `None` if the kernel refuses it.
fn owned(of: &impl AsFd) -> Option<File> {
    of.as_fd().try_clone_to_owned().ok().map(File::from)
}

/// Whether this process can start a child: its program begins with [`entry`], and it is not itself a process that was
/// to become a child but did not, nor was it started by one. Such processes would start each other without end.
pub(super) fn can_start() -> bool {
    // SAFETY: always succeeds.
    let parent = unsafe { libc::getppid() };
    let was_called = |process: &str| {
        std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|line| line.starts_with(NAME.as_bytes()))
    };
    BEGINS_HERE.load(Relaxed) && !was_called("self") && !was_called(&parent.to_string())
}

fn wait(control: &Control, parent: libc::pid_t) {
    while control.held.load(Acquire) != 0 {
        // SAFETY: always succeeds.
        if unsafe { libc::getppid() } != parent {
            signals::end_process(0);
        }
        std::thread::sleep(Duration::from_micros(100));
    }
}

/// Prepares, runs the program and exits.
fn main(handover: &Handover, shared: &Shared) -> ! {
    let control = shared.control();
    control.entered.store(1, Relaxed);
    wait(control, handover.task.parent);
    let Some(trampoline) = Trampoline::new(shared.address() as u64) else {
        fail(control, Step::Code, 0);
    };
    let scene = Scene {
        task: &handover.task,
        control,
        trampoline: &trampoline,
    };
    if let Err((step, pages)) = prepare(handover, &scene) {
        fail(control, step, pages);
    }
    let runner = Runner {
        handover,
        shared,
        trampoline: &trampoline,
    };
    // SAFETY: everything is prepared, and only the two lines below run later.
    unsafe { runner.run() };
    control.finished.store(1, std::sync::atomic::Ordering::Release);
    signals::end_process(0)
}

/// Ends the process after a system call of `step` has failed. No run may have changed FS yet.
fn fail(control: &Control, step: Step, pages: u32) -> ! {
    let errno = std::io::Error::last_os_error().raw_os_error().unwrap_or(0);
    control.failed_errno.store(errno as u32, Relaxed);
    give_up(control, step, pages)
}

/// Does everything that precedes the first run; an error is the step that failed and the number of the area at fault.
fn prepare(handover: &Handover, scene: &Scene<'_>) -> Result<(), (Step, u32)> {
    let task = scene.task;
    // SAFETY: the calls affect only this process, which has one thread.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        if libc::getppid() != task.parent {
            signals::end_process(0);
        }
    }
    let gate = segment::gate(scene.trampoline.back());
    for (pages, index) in task.pages.iter().zip(0..) {
        let given = if pages.address == segment::GATE {
            &gate
        } else {
            handover.given(pages)
        };
        map(pages, given).map_err(|step| (step, index))?;
    }
    catch(scene).map_err(|step| (step, 0))?;
    limit(task).ok_or((Step::Limits, 0))?;
    // SAFETY: the calls affect only this process, and nothing in it uses a descriptor from here on. The parent enabled
    // RDTSC for the code that ran until here.
    unsafe {
        if !task.timed {
            libc::prctl(libc::PR_SET_TSC, libc::PR_TSC_SIGSEGV);
        }
        if libc::syscall(libc::SYS_close_range, 0, libc::c_uint::MAX, 0) != 0 {
            return Err((Step::Descriptors, 0));
        }
    }
    // From here on no call can map memory, and only the stack of this code can still grow.
    if !filter::install() {
        return Err((Step::Filter, 0));
    }
    Ok(())
}

/// Limits processor time, memory and the size of files.
fn limit(task: &Task) -> Option<()> {
    let sizes = std::fs::read_to_string("/proc/self/statm").ok()?;
    let mapped: u64 = sizes.split(' ').next()?.parse().ok()?;
    for (resource, most) in [
        (libc::RLIMIT_CPU, task.seconds),
        (libc::RLIMIT_AS, mapped * PAGE + STACK),
        (libc::RLIMIT_STACK, STACK),
        (libc::RLIMIT_CORE, 0),
        (libc::RLIMIT_FSIZE, 0),
    ] {
        let mut limit = libc::rlimit {
            rlim_cur: 0,
            rlim_max: 0,
        };
        // SAFETY: `limit` outlives the calls, which affect only this process.
        let done = unsafe {
            libc::getrlimit(resource, &raw mut limit) == 0 && {
                limit.rlim_max = limit.rlim_max.min(most);
                limit.rlim_cur = limit.rlim_max;
                libc::setrlimit(resource, &raw const limit) == 0
            }
        };
        done.then_some(())?;
    }
    Some(())
}

/// Maps an area and fills it.
fn map(pages: &Pages, given: &[u8]) -> Result<(), Step> {
    let length = pages.length as usize;
    let wanted = ptr::with_exposed_provenance_mut::<libc::c_void>(pages.address as usize);
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
    // SAFETY: the pages are mapped and writable, `given` fits into them, and no Rust reference points to them.
    unsafe {
        // Small pages: those never written remain the shared page of zeros, which is cheap to compare.
        libc::madvise(got, length, libc::MADV_NOHUGEPAGE);
        ptr::copy_nonoverlapping(given.as_ptr(), got.cast::<u8>().add(pages.given_at), given.len());
    }
    let mut protection = libc::PROT_READ;
    if pages.writable {
        protection |= libc::PROT_WRITE;
    }
    if pages.executable {
        protection |= libc::PROT_EXEC;
    }
    // SAFETY: these pages were mapped above.
    if unsafe { libc::mprotect(got, length, protection) } != 0 {
        return Err(Step::Protect);
    }
    Ok(())
}

fn catch(scene: &Scene<'_>) -> Result<(), Step> {
    let both = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new anonymous mapping, which lasts as long as the process.
    let start = unsafe { libc::mmap(ptr::null_mut(), SIGNAL_STACK, both, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return Err(Step::SignalStack);
    }
    let stack = libc::stack_t {
        ss_sp: start,
        ss_flags: 0,
        ss_size: SIGNAL_STACK,
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
        // While the handler runs, no other signal is delivered; a fault in the handler itself ends the process.
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
