//! The inquiries of a C library: the process and its owner, its times, its descriptors, random numbers.
//!
//! The process belongs to no user of the host and is alone in its group. Sleeping takes no clocks, but advances the
//! time by its length.

use super::Process;
use super::linux::{EAGAIN, EBADF, EFAULT, EINVAL, ENOENT, ENOSYS, ESRCH, PROCESS, THREAD};
use super::words::put;
use crate::exec::State;
use p5_image::USER;
use std::time::Duration;

const GETUID16: u32 = 24;
const GETGID16: u32 = 47;
const GETEUID16: u32 = 49;
const GETEGID16: u32 = 50;
const LSEEK: u32 = 19;
const TIMES: u32 = 43;
const FCNTL: u32 = 55;
const GETPPID: u32 = 64;
const GETPGRP: u32 = 65;
const GETRUSAGE: u32 = 77;
const GETPRIORITY: u32 = 96;
const GETPGID: u32 = 132;
const LLSEEK: u32 = 140;
const GETSID: u32 = 147;
const SCHED_YIELD: u32 = 158;
const NANOSLEEP: u32 = 162;
const GETCWD: u32 = 183;
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

/// The negated error numbers for a pipe that cannot be positioned, and for an answer that does not fit.
const ESPIPE: u32 = -29i32 as u32;
const ERANGE: u32 = -34i32 as u32;

/// Whether there is a clock of this number. The one that is missing belongs to a machine of its own.
const fn is_clock(number: u32) -> bool {
    const LAST: u32 = 11;
    const OF_SGI: u32 = 10;
    number <= LAST && number != OF_SGI
}

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
        // The usual priority, in the encoding of the call.
        GETPRIORITY if ebx > 2 => EINVAL,
        GETPRIORITY => 20,
        SCHED_YIELD => 0,
        NANOSLEEP => sleep(state, process, ebx, false),
        CLOCK_NANOSLEEP | CLOCK_NANOSLEEP64 if !is_clock(ebx) => EINVAL,
        // To a time that is told, rather than for a time, needs to know which clock.
        CLOCK_NANOSLEEP | CLOCK_NANOSLEEP64 if ecx != 0 => return None,
        CLOCK_NANOSLEEP | CLOCK_NANOSLEEP64 => sleep(state, process, edx, number == CLOCK_NANOSLEEP64),
        CLOCK_GETRES | CLOCK_GETRES64 if !is_clock(ebx) => EINVAL,
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
        LSEEK | LLSEEK | FSTAT64 | FCNTL | FCNTL64 if !process.is_open(ebx) => EBADF,
        LSEEK | LLSEEK => ESPIPE,
        FSTAT64 => or_bad(describe(state, ecx), 0),
        // F_GETFD, F_SETFD, F_GETFL, F_SETFL: the input is open for reading, the others for writing.
        FCNTL | FCNTL64 => match ecx {
            1 | 2 | 4 => 0,
            3 => u32::from(ebx != 0),
            _ => return None,
        },
        GETCWD if ecx < 2 => ERANGE,
        GETCWD => or_bad(state.memory.write_u16(ebx, u16::from(b'/')).ok(), 2),
        SET_ROBUST_LIST if ecx != 12 => EINVAL,
        SET_ROBUST_LIST => 0,
        FUTEX => return wake_or_wait(state, [ebx, ecx, edx]),
        GETRANDOM if edx & !7 != 0 => EINVAL,
        GETRANDOM => give_random(state, process, ebx, ecx.min(MOST_RANDOM)),
        _ => return None,
    })
}

/// Whether call `number` takes the path of a file. There are no files, so the answer is then that it does not exist.
pub(super) fn is_of_path(number: u32) -> bool {
    // unlink, chdir, access, rename, mkdir, rmdir, readlink, stat64, lstat64, mkdirat, fstatat64, unlinkat, readlinkat,
    // faccessat
    matches!(
        number,
        10 | 12 | 33 | 38 | 39 | 40 | 85 | 195 | 196 | 296 | 300 | 301 | 305 | 307
    )
}

/// The answer to such a call.
pub(super) const OF_PATH: u32 = ENOENT;

/// Advances the time by the length stored at `address`, in words of 64 bits if `wide`.
fn sleep(state: &State, process: &mut Process, address: u32, wide: bool) -> u32 {
    let word = |place: u32| match wide {
        true => state.memory.read_u64(address.wrapping_add(8 * place)).ok(),
        false => {
            let word = state.memory.read_u32(address.wrapping_add(4 * place)).ok();
            word.map(|word| i64::from(word as i32) as u64)
        }
    };
    let (Some(seconds), Some(nanoseconds)) = (word(0), word(1)) else {
        return EFAULT;
    };
    if seconds as i64 >= 0 && nanoseconds < 1_000_000_000 {
        let passed = Duration::new(seconds, nanoseconds as u32);
        process.slept = process.slept.saturating_add(passed);
        0
    } else {
        EINVAL
    }
}

/// Stores the answer of `fstat64` for a descriptor, which is a pipe.
fn describe(state: &mut State, address: u32) -> Option<()> {
    const PIPE: u32 = 0o010_600;
    const BLOCK: u32 = 4096;
    let mut words = [0; 24];
    // The number of the inode, in 32 bits and in 64, and the fields between device and size.
    words[3..8].copy_from_slice(&[1, PIPE, 1, USER, USER]);
    words[13] = BLOCK;
    words[22] = 1;
    put(state, address, &words)
}

/// Serves `futex`. There is no other thread: a wake finds no waiting thread, and a wait would never end.
fn wake_or_wait(state: &State, [address, operation, value]: [u32; 3]) -> Option<u32> {
    const PRIVATE_OR_REALTIME: u32 = 0x180;
    match operation & !PRIVATE_OR_REALTIME {
        0 => match state.memory.read_u32(address) {
            Ok(held) if held == value => None,
            Ok(_) => Some(EAGAIN),
            Err(_) => Some(EFAULT),
        },
        1 => Some(0),
        _ => Some(ENOSYS),
    }
}

/// Stores bytes that look random but are the same in every run.
fn give_random(state: &mut State, process: &mut Process, address: u32, length: u32) -> u32 {
    for place in 0..length {
        // A linear congruential generator. Its highest byte is the most random one.
        const FACTOR: u64 = 6_364_136_223_846_793_005;
        process.random = process.random.wrapping_mul(FACTOR).wrapping_add(u64::from(THREAD));
        let byte = (process.random >> 56) as u8;
        if state.memory.write_u8(address.wrapping_add(place), byte).is_err() {
            return if place == 0 { EFAULT } else { place };
        }
    }
    length
}
