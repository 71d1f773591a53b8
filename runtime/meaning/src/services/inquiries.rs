//! The inquiries of a C library: the process and its owner, its times, its descriptors, random numbers.
//!
//! The process belongs to no user of the host and is alone in its group. Sleeping takes no clocks, but advances the
//! time by its length.

use super::Process;
use super::descriptors::Target;
use super::errors::{EBADF, EFAULT, EINVAL, ESRCH};
use super::folders::Layout;
use super::linux_clocks::clock;
use super::owner;
use super::random::give_random;
use super::status::describe;
use super::waits::{Form, milliseconds};
use super::words::{halves, put, wide, words};
use super::{EDI, ESI, PROCESS};
use crate::exec::State;
use p5_image::USER;
use std::time::Duration;

const WAITPID: u32 = 7;
const GETUID16: u32 = 24;
const ALARM: u32 = 27;
const SYNC: u32 = 36;
const DUP: u32 = 41;
const PIPE: u32 = 42;
const UMASK: u32 = 60;
const DUP2: u32 = 63;
const GETGROUPS16: u32 = 80;
const OLD_SELECT: u32 = 82;
const WAIT4: u32 = 114;
const SYSINFO: u32 = 116;
const FSYNC: u32 = 118;
const SELECT: u32 = 142;
const FDATASYNC: u32 = 148;
const MLOCKALL: u32 = 152;
const MUNLOCKALL: u32 = 153;
const SCHED_GETPARAM: u32 = 155;
const SCHED_GETSCHEDULER: u32 = 157;
const POLL: u32 = 168;
const PREAD64: u32 = 180;
const GETGROUPS: u32 = 205;
const GETRESUID: u32 = 209;
const GETRESGID: u32 = 211;
const SCHED_GETAFFINITY: u32 = 242;
const WAITID: u32 = 284;
const PSELECT6: u32 = 308;
const PPOLL: u32 = 309;
const GETCPU: u32 = 318;
const DUP3: u32 = 330;
const PIPE2: u32 = 331;
const RSEQ: u32 = 386;
const PSELECT6_64: u32 = 413;
const PPOLL64: u32 = 414;
const FUTEX64: u32 = 422;
const GETGID16: u32 = 47;
const GETEUID16: u32 = 49;
const GETEGID16: u32 = 50;
const LSEEK: u32 = 19;
const TIMES: u32 = 43;
const FCNTL: u32 = 55;
const GETPPID: u32 = 64;
const GETPGRP: u32 = 65;
const GETRUSAGE: u32 = 77;
const GETPGID: u32 = 132;
const LLSEEK: u32 = 140;
const GETSID: u32 = 147;
const SCHED_YIELD: u32 = 158;
const NANOSLEEP: u32 = 162;
const GETDENTS: u32 = 141;
const GETCWD: u32 = 183;
const GETDENTS64: u32 = 220;
const FSTAT64: u32 = 197;
const GETUID: u32 = 199;
const GETGID: u32 = 200;
const GETEUID: u32 = 201;
const GETEGID: u32 = 202;
const FCNTL64: u32 = 221;
const FUTEX: u32 = 240;
const CLOCK_GETRES: u32 = 266;
const CLOCK_NANOSLEEP: u32 = 267;
const SET_ROBUST_LIST: u32 = 311;
const GETRANDOM: u32 = 355;
const CLOCK_GETRES64: u32 = 406;
const CLOCK_NANOSLEEP64: u32 = 407;

/// The negated error number for children that do not exist.
const ECHILD: u32 = -10i32 as u32;

/// Ticks in a second, as `times` counts.
const TICKS: u32 = 100;
/// The most bytes that `getrandom` gives at once.
const MOST_RANDOM: u32 = 256;

/// Answers a call of this kind; `None` if `number` is another call.
pub(super) fn answer(state: &mut State, process: &mut Process, [number, ecx, edx, ebx]: [u32; 4]) -> Option<u32> {
    let used = process.elapsed.saturating_sub(process.slept);
    let or_bad = |done: Option<()>, answer: u32| done.map_or(EFAULT, |()| answer);
    Some(match number {
        GETUID | GETEUID | GETGID | GETEGID | GETUID16 | GETEUID16 | GETGID16 | GETEGID16 => USER,
        // The parent is not a process that the program could know.
        GETPPID => 0,
        GETPGRP => PROCESS,
        GETPGID | GETSID => match ebx {
            0 | PROCESS => PROCESS,
            _ => ESRCH,
        },
        SCHED_YIELD => 0,
        NANOSLEEP => process.sleep(state, ebx, false, None),
        CLOCK_NANOSLEEP | CLOCK_NANOSLEEP64 if clock(process, ebx).is_none() => EINVAL,
        // Bit 0: to a time that is told, rather than for a time.
        CLOCK_NANOSLEEP | CLOCK_NANOSLEEP64 => {
            let until = (ecx & 1 != 0).then_some(ebx);
            process.sleep(state, edx, number == CLOCK_NANOSLEEP64, until)
        }
        CLOCK_GETRES | CLOCK_GETRES64 if clock(process, ebx).is_none() => EINVAL,
        CLOCK_GETRES | CLOCK_GETRES64 if ecx == 0 => 0,
        CLOCK_GETRES => or_bad(put(state, ecx, &[0, 1]), 0),
        CLOCK_GETRES64 => or_bad(put(state, ecx, &[0, 0, 1, 0]), 0),
        TIMES => {
            let ticks = |time: Duration| (time.as_millis() / u128::from(1000 / TICKS)) as u32;
            let since = ticks(process.elapsed);
            match ebx {
                0 => since,
                place => or_bad(put(state, place, &[ticks(used), 0, 0, 0]), since),
            }
        }
        GETRUSAGE if ebx as i32 > 1 || (ebx as i32) < -1 => EINVAL,
        GETRUSAGE => {
            let used = if ebx as i32 == -1 { Duration::ZERO } else { used };
            let mut words = [0; 18];
            words[..2].copy_from_slice(&[used.as_secs() as u32, used.subsec_micros()]);
            or_bad(put(state, ecx, &words), 0)
        }
        LSEEK => process.narrow_seek(ebx, ecx, edx),
        LLSEEK => {
            let offset = i64::from(ecx as i32) << 32 | i64::from(edx);
            match process.seek(ebx, offset, state.registers.general[EDI]) {
                Ok(position) => or_bad(put(state, state.registers.general[ESI], &halves(position)), 0),
                Err(answer) => answer,
            }
        }
        FSTAT64 => match process.facts_of_descriptor(ebx) {
            Some(facts) => or_bad(describe(state, facts, ecx), 0),
            None => EBADF,
        },
        FCNTL | FCNTL64 => return process.control(ebx, ecx, edx),
        DUP => process.duplicate(ebx, 0, false),
        DUP2 => process.duplicate_to(ebx, ecx, None),
        DUP3 => process.duplicate_to(ebx, ecx, Some(edx)),
        PIPE => process.make_pipe(state, ebx, 0),
        PIPE2 => process.make_pipe(state, ebx, ecx),
        PREAD64 => {
            let [esi, edi] = [ESI, EDI].map(|register| state.registers.general[register]);
            process.read_at(state, ebx, [ecx, edx], wide([esi, edi]))
        }
        POLL => return process.poll(state, ebx, ecx, milliseconds(edx)),
        PPOLL | PPOLL64 => {
            let form = Form::of(number == PPOLL64);
            return process.wait_at_most(state, edx, form, |process, state, wait| {
                process.poll(state, ebx, ecx, wait)
            });
        }
        SELECT => {
            let [esi, edi] = [ESI, EDI].map(|register| state.registers.general[register]);
            return process.wait_at_most(state, edi, Form::Microseconds, |process, state, wait| {
                process.select(state, ebx, [ecx, edx, esi], wait)
            });
        }
        OLD_SELECT => {
            let Some([count, read, write, other, time]) = words(state, ebx) else {
                return Some(EFAULT);
            };
            return process.wait_at_most(state, time, Form::Microseconds, |process, state, wait| {
                process.select(state, count, [read, write, other], wait)
            });
        }
        PSELECT6 | PSELECT6_64 => {
            let [esi, edi] = [ESI, EDI].map(|register| state.registers.general[register]);
            let form = Form::of(number == PSELECT6_64);
            return process.wait_at_most(state, edi, form, |process, state, wait| {
                process.select(state, ebx, [ecx, edx, esi], wait)
            });
        }
        RSEQ => process.set_restartable(state, [ebx, ecx, edx, state.registers.general[ESI]]),
        // The only processor, and its only node.
        GETCPU => {
            let mut places = [ebx, ecx].into_iter().filter(|&place| place != 0);
            let stored = places.try_for_each(|place| put(state, place, &[0]));
            or_bad(stored, 0)
        }
        SCHED_GETAFFINITY if !matches!(ebx, 0 | PROCESS) => ESRCH,
        SCHED_GETAFFINITY if ecx < 4 || !ecx.is_multiple_of(4) => EINVAL,
        SCHED_GETAFFINITY => or_bad(put(state, edx, &[1]), 4),
        SCHED_GETSCHEDULER if !matches!(ebx, 0 | PROCESS) => ESRCH,
        SCHED_GETSCHEDULER => 0,
        SCHED_GETPARAM if !matches!(ebx, 0 | PROCESS) => ESRCH,
        SCHED_GETPARAM => or_bad(put(state, ecx, &[0]), 0),
        // There are no children, no other groups, and no alarm that waits.
        WAITPID | WAIT4 | WAITID => ECHILD,
        GETGROUPS16 | GETGROUPS => 0,
        ALARM if ebx == 0 => 0,
        GETRESUID | GETRESGID => {
            let mut places = [ebx, ecx, edx].into_iter();
            let stored = places.try_for_each(|place| put(state, place, &[USER]));
            or_bad(stored, 0)
        }
        UMASK => std::mem::replace(&mut process.mask_of_files, ebx & 0o777),
        SYNC | MLOCKALL | MUNLOCKALL => 0,
        FSYNC | FDATASYNC => match process.descriptors.what(ebx) {
            None => EBADF,
            Some(Target::File { .. } | Target::Folder { .. }) => 0,
            Some(_) => EINVAL,
        },
        SYSINFO => {
            const BYTES: u32 = 128 << 20;
            let mut told = [0; 16];
            (told[0], told[4], told[5]) = (process.elapsed.as_secs() as u32, BYTES, BYTES / 2);
            // One process, and sizes in bytes.
            (told[10], told[13]) = (1, 1);
            or_bad(put(state, ebx, &told), 0)
        }
        GETCWD => process.tell_folder(state, ebx, ecx),
        GETDENTS => return process.list(state, ebx, [ecx, edx], Layout::Narrow),
        GETDENTS64 => return process.list(state, ebx, [ecx, edx], Layout::Wide),
        SET_ROBUST_LIST if ecx != 12 => EINVAL,
        SET_ROBUST_LIST => 0,
        FUTEX | FUTEX64 => {
            let time = state.registers.general[ESI];
            return process.futex(state, [ebx, ecx, edx, time], number == FUTEX64);
        }
        GETRANDOM if edx & !7 != 0 => EINVAL,
        GETRANDOM => give_random(state, process, ebx, ecx.min(MOST_RANDOM)),
        _ => return owner::answer(state, process, [number, ecx, edx, ebx]),
    })
}

/// Whether call `number` would change a file that it names by a path.
pub(super) fn changes_file(number: u32) -> bool {
    // creat, link, unlink, mknod, chmod, lchown, utime, rename, mkdir, rmdir, symlink, truncate, chown, truncate64,
    // lchown32, chown32, utimes, mkdirat, mknodat, fchownat, futimesat, unlinkat, renameat, linkat, symlinkat,
    // fchmodat, utimensat, renameat2, utimensat_time64, fchmodat2
    matches!(
        number,
        8..=10
            | 14..=16
            | 30
            | 38..=40
            | 83
            | 92
            | 182
            | 193
            | 198
            | 212
            | 271
            | 296..=299
            | 301..=304
            | 306
            | 320
            | 353
            | 412
            | 452
    )
}
