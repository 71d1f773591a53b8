//! Linux i386 services by int 80h: `write` to standard output or error, `exit`, `exit_group`, signals that a program
//! raises for itself. In the simulated machine also `read` of standard input, `brk`, anonymous memory and its
//! protection, handlers of such signals, their masks and alternate stack, limits, the simulated time, and inquiries of
//! a C library, descriptors and pipes, and the files of a folder, to be read.

use super::errors::{EAGAIN, EFAULT, ENOTTY};
pub use super::errors::{EBADF, EINVAL, ENOENT, ENOSYS, ESRCH, written};
use super::files::CURRENT_FOLDER;
use super::host_files::Answer;
use super::inquiries::{self, changes_file};
use super::limits::Form;
use super::linux_clocks::{calendar, clock};
use super::mappings::Wanted;
use super::signals::{LAST, Raising, Return};
use super::status::{describe, describe_more};
use super::vectors::{read_parts, write_parts};
use super::words::words;
use super::{Asked, Process, Service};
use super::{EBP, EDI, ESI, PROCESS, THREAD};
use crate::exec::State;
use p5_results::RefusedService;
use p5_words::descriptor::Descriptor;
use p5_words::isa::PAGE;
use p5_words::mode::Operation;

/// The numbers of the calls that only the simulated machine offers.
const READ: u32 = 3;
const WRITE: u32 = 4;
const CLOSE: u32 = 6;
const TIME: u32 = 13;
const CHDIR: u32 = 12;
const ACCESS: u32 = 33;
const BRK: u32 = 45;
const IOCTL: u32 = 54;
const SETRLIMIT: u32 = 75;
const OLD_GETRLIMIT: u32 = 76;
const GETTIMEOFDAY: u32 = 78;
const READLINK: u32 = 85;
const OLD_MMAP: u32 = 90;
const MUNMAP: u32 = 91;
const SIGRETURN: u32 = 119;
const UNAME: u32 = 122;
const FCHDIR: u32 = 133;
const MPROTECT: u32 = 125;
const MSYNC: u32 = 144;
const READV: u32 = 145;
const WRITEV: u32 = 146;
const MLOCK: u32 = 150;
const MUNLOCK: u32 = 151;
const MREMAP: u32 = 163;
const RT_SIGRETURN: u32 = 173;
const RT_SIGACTION: u32 = 174;
const RT_SIGPROCMASK: u32 = 175;
const RT_SIGPENDING: u32 = 176;
const SIGALTSTACK: u32 = 186;
const GETRLIMIT: u32 = 191;
const MMAP2: u32 = 192;
const STAT64: u32 = 195;
const LSTAT64: u32 = 196;
const MADVISE: u32 = 219;
const SET_THREAD_AREA: u32 = 243;
const SET_TID_ADDRESS: u32 = 258;
const CLOCK_GETTIME: u32 = 265;
const FSTATAT64: u32 = 300;
const READLINKAT: u32 = 305;
const FACCESSAT: u32 = 307;
const PRLIMIT64: u32 = 340;
const MLOCK2: u32 = 376;
const STATX: u32 = 383;
const CLOCK_GETTIME64: u32 = 403;
const FACCESSAT2: u32 = 439;
/// The numbers of the calls that native runs offer, too.
const OPEN: u32 = 5;
const OPENAT: u32 = 295;
const GETPID: u32 = 20;
const KILL: u32 = 37;
const GETTID: u32 = 224;
const TKILL: u32 = 238;
const TGKILL: u32 = 270;
/// The size in bytes of a signal set, which calls pass in ESI.
const MASK_BYTES: u32 = 8;

/// The service that the registers EAX, ECX, EDX, EBX request; the number of the call is in EAX.
pub fn asked([number, ecx, edx, ebx]: [u32; 4]) -> Asked {
    let raise = |signal, by_kill| Asked::Raise { signal, by_kill };
    match number {
        1 | 252 => Asked::Exit(ebx & 0xFF),
        4 if !matches!(ebx, 1 | 2) => Asked::BadFile,
        4 => Asked::Bytes {
            address: ecx,
            length: edx,
        },
        OPEN | OPENAT => Asked::Open,
        GETPID | GETTID => Asked::OwnNumber,
        // Target 0 is the group of the process, which has no other member.
        KILL if matches!(ebx, 0 | PROCESS) => raise(ecx, true),
        TKILL if ebx == THREAD => raise(ecx, false),
        TGKILL if (ebx, ecx) == (PROCESS, THREAD) => raise(edx, false),
        // Numbers of threads and processes begin at 1; others have a meaning only for `kill`.
        TKILL if ebx as i32 <= 0 => Asked::RaiseNowhere,
        TGKILL if ebx as i32 <= 0 || ecx as i32 <= 0 => Asked::RaiseNowhere,
        KILL | TKILL | TGKILL => Asked::RaiseElsewhere,
        _ => Asked::Other(number),
    }
}

/// The answer to `getpid` and `gettid`: the number of the process and of its only thread.
pub fn own_number() -> u32 {
    THREAD
}

/// Whether signals may become due, or a handler may be left, after the call.
pub(crate) fn may_signal(state: &State, process: &Process) -> bool {
    let [number, _, _, descriptor] = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    match number {
        KILL | TKILL | TGKILL | SIGRETURN | RT_SIGRETURN | RT_SIGPROCMASK => true,
        WRITE | WRITEV => process.descriptors.is_broken(descriptor),
        _ => false,
    }
}

pub(super) fn call(state: &mut State, process: &mut Process) -> Service {
    let registers = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let (answer, service) = match asked(registers) {
        Asked::Exit(code) => return Service::Exit(code),
        Asked::BadFile | Asked::Bytes { .. } => {
            let [number, address, length, descriptor] = registers;
            let written = process.write_to(state, descriptor, address, length);
            written.unwrap_or_else(|| not_served(number))
        }
        Asked::Open => of_file(open(state, process, registers)),
        Asked::OwnNumber => (own_number(), Service::Done),
        Asked::RaiseElsewhere => (ESRCH, Service::Done),
        Asked::RaiseNowhere => (EINVAL, Service::Done),
        Asked::Raise { signal, .. } if signal > LAST => (EINVAL, Service::Done),
        Asked::Raise { signal: 0, .. } => (0, Service::Done),
        Asked::Raise { signal, by_kill } => match process.signals.raise(signal, by_kill) {
            Raising::Done => (0, Service::Done),
            Raising::NoRoom => (EAGAIN, Service::Done),
            Raising::Stops => not_served(registers[0]),
        },
        Asked::Other(RT_SIGACTION) => set_action(state, process, registers),
        Asked::Other(WRITEV) => {
            let [number, table, count, descriptor] = registers;
            write_parts(state, process, descriptor, table, count).unwrap_or_else(|| not_served(number))
        }
        Asked::Other(call) if changes_file(call) => {
            let [_, path, times, descriptor] = registers;
            of_file(process.change_file(state, [call, path, times, descriptor]))
        }
        Asked::Other(number @ (CHDIR | FCHDIR)) => {
            let place = registers[3];
            let changed = match number {
                CHDIR => process.change_folder(state, place),
                _ => process.change_to_open(place),
            };
            changed.map_or_else(|| not_served(number), of_file)
        }
        Asked::Other(OLD_MMAP | MMAP2) => of_file(map(state, process, registers)),
        Asked::Other(
            ACCESS | FACCESSAT | FACCESSAT2 | READLINK | READLINKAT | STAT64 | LSTAT64 | FSTATAT64 | STATX,
        ) => of_file(tell_of_file(state, process, registers)),
        Asked::Character(_) | Asked::Text { .. } | Asked::Other(_) => match of_simulation(state, process, registers) {
            Some(answer) => (answer, Service::Done),
            None => match process.stuck {
                Some(address) => return Service::Stuck(address),
                None => not_served(registers[0]),
            },
        },
    };
    state.registers.general[0] = answer;
    service
}

/// The outcome of a call with a path.
fn of_file((answer, refused): Answer) -> (u32, Service) {
    (answer, refused.map_or(Service::Done, Service::Refused))
}

/// Serves `open` and `openat`.
fn open(state: &State, process: &mut Process, [number, ecx, edx, ebx]: [u32; 4]) -> Answer {
    match number {
        OPEN => process.open_file(state, CURRENT_FOLDER, ebx, ecx),
        _ => process.open_file(state, ebx, ecx, edx),
    }
}

/// Serves calls that tell of a file by its path.
fn tell_of_file(state: &mut State, process: &mut Process, [number, ecx, edx, ebx]: [u32; 4]) -> Answer {
    let [esi, edi] = [ESI, EDI].map(|register| state.registers.general[register]);
    let here = CURRENT_FOLDER;
    match number {
        ACCESS => process.may_use(state, here, ebx, ecx),
        FACCESSAT | FACCESSAT2 => process.may_use(state, ebx, ecx, edx),
        READLINK => process.read_link(state, [here, ebx, ecx, edx]),
        READLINKAT => process.read_link(state, [ebx, ecx, edx, esi]),
        STATX => process.describe_path(state, [ebx, ecx, edx], |state, facts| describe_more(state, facts, edi)),
        FSTATAT64 => process.describe_path(state, [ebx, ecx, esi], |state, facts| describe(state, facts, edx)),
        _ => process.describe_path(state, [here, ebx, 0], |state, facts| describe(state, facts, ecx)),
    }
}

/// Serves `mmap` and `mmap2`.
fn map(state: &mut State, process: &mut Process, [number, ecx, edx, ebx]: [u32; 4]) -> Answer {
    let arguments = match number {
        OLD_MMAP => words(state, ebx),
        _ => Some([
            ebx,
            ecx,
            edx,
            state.registers.general[ESI],
            state.registers.general[EDI],
            state.registers.general[EBP],
        ]),
    };
    let Some([address, length, protection, flags, descriptor, place]) = arguments else {
        return (EFAULT, None);
    };
    let wanted = Wanted {
        address,
        length,
        protection,
        flags,
        descriptor,
        place: u64::from(place) * if number == OLD_MMAP { 1 } else { u64::from(PAGE) },
    };
    (process.map(state, wanted), None)
}

/// The refusal of call `call` in the results of a run.
pub fn refusal(call: u32) -> RefusedService {
    match call {
        OPEN | OPENAT => RefusedService::File,
        call => RefusedService::Linux { call },
    }
}

/// The answer to a call that is not offered.
fn not_served(call: u32) -> (u32, Service) {
    (ENOSYS, Service::Refused(refusal(call)))
}

/// Serves `rt_sigaction`. Only 32-bit code without a segment base can have handlers.
fn set_action(state: &mut State, process: &mut Process, [number, new, old, signal]: [u32; 4]) -> (u32, Service) {
    if state.registers.general[ESI] != MASK_BYTES {
        return (EINVAL, Service::Done);
    }
    let mode = state.registers.mode();
    let handler = if new == 0 { Ok(0) } else { state.memory.read_u32(new) };
    let handled = handler.is_ok_and(|handler| handler > 1);
    if handled && !(mode.is_flat_code() && mode.wide_code && mode.operation == Operation::Protected) {
        return not_served(number);
    }
    let done = process.signals.set_action(state, signal, new, old);
    (answer_of(done), Service::Done)
}

/// The answer to a call that accesses memory. `done` is `None` if it could not, otherwise whether its arguments were
/// valid.
fn answer_of(done: Option<bool>) -> u32 {
    match done {
        Some(true) => 0,
        Some(false) => EINVAL,
        None => EFAULT,
    }
}

/// The answer to a call that only the simulated machine offers.
fn of_simulation(state: &mut State, process: &mut Process, [number, ecx, edx, ebx]: [u32; 4]) -> Option<u32> {
    Some(match number {
        READ => return process.read_from(state, ebx, ecx, edx),
        BRK => process.set_heap_end(state, ebx),
        IOCTL if process.descriptors.what(ebx).is_none() => EBADF,
        IOCTL => ENOTTY,
        MUNMAP => process.unmap(state, ebx, ecx),
        MPROTECT => process.protect(state, ebx, ecx, edx),
        MREMAP => {
            let [esi, edi] = [ESI, EDI].map(|register| state.registers.general[register]);
            process.remap(state, [ebx, ecx, edx, esi, edi])
        }
        MADVISE => process.advise(state, ebx, ecx, edx),
        MSYNC => process.write_back(state, ebx, ecx, edx),
        MLOCK | MUNLOCK | MLOCK2 => process.keep(state, ebx, ecx),
        RT_SIGPENDING => answer_of(process.signals.tell_pending(state, ebx, ecx)),
        SETRLIMIT if ecx == 0 => EFAULT,
        SETRLIMIT => process.limit(state, ebx, ecx, 0, Form::Narrow),
        OLD_GETRLIMIT | GETRLIMIT if ecx == 0 => EFAULT,
        OLD_GETRLIMIT => process.limit(state, ebx, 0, ecx, Form::Old),
        GETRLIMIT => process.limit(state, ebx, 0, ecx, Form::Narrow),
        PRLIMIT64 => {
            let old = state.registers.general[ESI];
            process.limit_of(state, ebx, [ecx, edx, old])
        }
        SIGALTSTACK => process.signals.set_stack(state, ebx, ecx),
        UNAME => identify(state, ebx).map_or(EFAULT, |()| 0),
        SET_THREAD_AREA => set_thread_area(state, ebx).unwrap_or(EFAULT),
        SET_TID_ADDRESS => THREAD,
        READV => return read_parts(state, process, ebx, ecx, edx),
        CLOSE => process.close(ebx),
        TIME => tell_time(state, process, ebx),
        GETTIMEOFDAY => tell_time_of_day(state, process, ebx, ecx).map_or(EFAULT, |()| 0),
        CLOCK_GETTIME | CLOCK_GETTIME64 => answer_of(tell_clock(state, process, ebx, ecx, number == CLOCK_GETTIME64)),
        RT_SIGPROCMASK if state.registers.general[ESI] != MASK_BYTES => EINVAL,
        RT_SIGPROCMASK => answer_of(process.signals.set_mask(state, ebx, ecx, edx)),
        SIGRETURN | RT_SIGRETURN => {
            process.signals.come_back(match number {
                SIGRETURN => Return::Plain,
                _ => Return::WithInformation,
            });
            0
        }
        _ => return inquiries::answer(state, process, [number, ecx, edx, ebx]),
    })
}

/// Serves `time`: returns the seconds and, unless `address` is 0, stores them there.
fn tell_time(state: &mut State, process: &Process, address: u32) -> u32 {
    let seconds = calendar(process).as_secs() as u32;
    match address == 0 || state.memory.write_u32(address, seconds).is_ok() {
        true => seconds,
        false => EFAULT,
    }
}

/// Serves `gettimeofday`: seconds and microseconds at `time`, and the zone of Greenwich, each unless its address is 0.
fn tell_time_of_day(state: &mut State, process: &Process, time: u32, zone: u32) -> Option<()> {
    let now = calendar(process);
    let stored = [(time, [now.as_secs() as u32, now.subsec_micros()]), (zone, [0, 0])];
    for (address, words) in stored.into_iter().filter(|&(address, _)| address != 0) {
        state.memory.write_u32(address, words[0]).ok()?;
        state.memory.write_u32(address.wrapping_add(4), words[1]).ok()?;
    }
    Some(())
}

/// Serves `clock_gettime`: seconds and nanoseconds, of 64 bits each if `wide`. Returns `None` if memory cannot be
/// accessed, otherwise whether the clock exists.
fn tell_clock(state: &mut State, process: &Process, number: u32, address: u32, wide: bool) -> Option<bool> {
    let Some(now) = clock(process, number) else {
        return Some(false);
    };
    let words = [now.as_secs(), u64::from(now.subsec_nanos())];
    for (place, word) in (0..).zip(words) {
        if wide {
            state.memory.write_u64(address.wrapping_add(8 * place), word).ok()?;
        } else {
            state
                .memory
                .write_u32(address.wrapping_add(4 * place), word as u32)
                .ok()?;
        }
    }
    Some(true)
}

/// Sets the thread's segment, which GS is to select: data of 32 bits, writable, at any address.
fn set_thread_area(state: &mut State, at: u32) -> Option<u32> {
    /// The flags of such a segment, and the flags that do not matter: limit in pages, usable.
    const DATA: u32 = 1;
    const PAGES: u32 = 1 << 4;
    const USABLE: u32 = 1 << 6;
    const ANY_ENTRY: u32 = u32::MAX;
    let word = |index: u32| state.memory.read_u32(at.wrapping_add(4 * index)).ok();
    let (entry, base, limit, flags) = (word(0)?, word(1)?, word(2)?, word(3)?);
    if !matches!(entry, ANY_ENTRY | Descriptor::OF_THREAD) || flags & !(PAGES | USABLE) != DATA {
        return Some(EINVAL);
    }
    for (place, byte) in (0..).zip(Descriptor::OF_THREAD.to_le_bytes()) {
        state.memory.write_u8(at.wrapping_add(place), byte).ok()?;
    }
    state.registers.thread = Some(Descriptor::of_thread(base, limit, flags & PAGES != 0));
    Some(0)
}

/// Stores the names of the system, the machine and the release.
fn identify(state: &mut State, address: u32) -> Option<()> {
    /// The size of each field in bytes.
    const FIELD: u32 = 65;
    for (field, text) in ["Linux", "p5inst", "6.1.0", "#1", "i586", "(none)"].iter().enumerate() {
        let start = address.wrapping_add(field as u32 * FIELD);
        for (place, byte) in text.bytes().chain([0]).enumerate() {
            state.memory.write_u8(start.wrapping_add(place as u32), byte).ok()?;
        }
    }
    Some(())
}
