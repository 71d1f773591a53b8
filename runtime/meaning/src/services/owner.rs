//! Calls that set what is fixed, or that advise the system: the owner of the process, its priority, the use of memory
//! and files; and sockets, of which there are none.
//!
//! A program may set its owner to what it is.

use super::descriptors::Target;
use super::errors::{EACCES, EBADF, EFAULT, EINVAL, ENOMEM, EPERM, ESRCH};
use super::words::put_bytes;
use super::{EBP, EDI, PROCESS, Process};
use crate::exec::State;
use p5_image::USER;
use p5_words::isa::PAGE;

const SETUID16: u32 = 23;
const NICE: u32 = 34;
const SETGID16: u32 = 46;
const SETREUID16: u32 = 70;
const SETREGID16: u32 = 71;
const SETGROUPS16: u32 = 81;
const GETPRIORITY: u32 = 96;
const SETPRIORITY: u32 = 97;
const SOCKETCALL: u32 = 102;
const SETFSUID16: u32 = 138;
const SETFSGID16: u32 = 139;
const SETRESUID16: u32 = 164;
const SETRESGID16: u32 = 170;
const SETREUID: u32 = 203;
const SETREGID: u32 = 204;
const SETGROUPS: u32 = 206;
const SETRESUID: u32 = 208;
const SETRESGID: u32 = 210;
const SETUID: u32 = 213;
const SETGID: u32 = 214;
const SETFSUID: u32 = 215;
const SETFSGID: u32 = 216;
const MINCORE: u32 = 218;
const FADVISE64: u32 = 250;
const FADVISE64_64: u32 = 272;
const SOCKET: u32 = 359;

/// The negated error numbers for pipes, and for kinds of network that are not there.
const ESPIPE: u32 = -29i32 as u32;
const EAFNOSUPPORT: u32 = -97i32 as u32;

/// The least and the most urgent priorities that a program may have: it starts with 0.
const LEAST: i32 = 19;
const MOST: i32 = -20;

/// Answers a call of this kind; `None` if `number` is another call.
pub(super) fn answer(state: &mut State, process: &mut Process, [number, ecx, edx, ebx]: [u32; 4]) -> Option<u32> {
    let [edi, ebp] = [EDI, EBP].map(|register| state.registers.general[register]);
    Some(match number {
        SETUID | SETGID if ebx == USER => 0,
        SETUID16 | SETGID16 if ebx & 0xFFFF == USER => 0,
        SETUID | SETGID | SETUID16 | SETGID16 => EPERM,
        SETREUID | SETREGID => set([ebx, ecx, USER]),
        SETRESUID | SETRESGID => set([ebx, ecx, edx]),
        SETREUID16 | SETREGID16 => set([widened(ebx), widened(ecx), USER]),
        SETRESUID16 | SETRESGID16 => set([ebx, ecx, edx].map(widened)),
        // They return what it was, and can be changed to nothing else.
        SETFSUID | SETFSGID | SETFSUID16 | SETFSGID16 => USER,
        SETGROUPS | SETGROUPS16 => EPERM,
        GETPRIORITY | SETPRIORITY if ebx > 2 => EINVAL,
        SETPRIORITY if ebx == 0 && !matches!(ecx, 0 | PROCESS) => ESRCH,
        // In the encoding of the call.
        GETPRIORITY => (20 - process.priority) as u32,
        SETPRIORITY => process.set_priority(edx as i32, EACCES),
        NICE => process.set_priority(process.priority.saturating_add(ebx as i32), EPERM),
        MINCORE if !ebx.is_multiple_of(PAGE) => EINVAL,
        // What is mapped is there.
        MINCORE => match process.keep(state, ebx, ecx) {
            0 => {
                let pages = vec![1; ecx.div_ceil(PAGE) as usize];
                put_bytes(state, edx, &pages).map_or(EFAULT, |()| 0)
            }
            _ => ENOMEM,
        },
        FADVISE64 => process.advise_on_file(ebx, edi),
        FADVISE64_64 => process.advise_on_file(ebx, ebp),
        SOCKET => EAFNOSUPPORT,
        // The first of these calls is `socket`.
        SOCKETCALL if ebx == 1 => EAFNOSUPPORT,
        _ => return None,
    })
}

/// A number of 16 bits, whose highest value says that nothing is set.
fn widened(number: u32) -> u32 {
    match number & 0xFFFF {
        0xFFFF => u32::MAX,
        number => number,
    }
}

/// The answer to calls that set users or groups; the highest number sets nothing.
fn set(numbers: [u32; 3]) -> u32 {
    match numbers.iter().all(|&number| matches!(number, USER | u32::MAX)) {
        true => 0,
        false => EPERM,
    }
}

impl Process {
    /// Sets the priority, which may not become more urgent: that returns `refused`.
    fn set_priority(&mut self, wanted: i32, refused: u32) -> u32 {
        let wanted = wanted.clamp(MOST, LEAST);
        if wanted < self.priority {
            return refused;
        }
        self.priority = wanted;
        0
    }

    /// Serves `fadvise64`: nothing is done.
    fn advise_on_file(&self, descriptor: u32, advice: u32) -> u32 {
        const LAST: u32 = 5;
        match self.descriptors.what(descriptor) {
            None => EBADF,
            Some(Target::Input | Target::Output { .. } | Target::Pipe { .. }) => ESPIPE,
            Some(_) if advice > LAST => EINVAL,
            Some(_) => 0,
        }
    }
}
