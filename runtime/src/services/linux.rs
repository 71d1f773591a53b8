//! Linux i386 services by int 80h: `write` to standard output or error, `exit`, `exit_group`; in the simulated machine
//! also `read` of standard input, `brk`, anonymous memory, and what the start of a C library asks for.

use super::{Asked, Process, Service, Written, write};
use crate::descriptor::Descriptor;
use crate::exec::State;
use crate::run::RefusedService;

/// The calls that only the simulated machine offers.
const READ: u32 = 3;
const BRK: u32 = 45;
const IOCTL: u32 = 54;
const OLD_MMAP: u32 = 90;
const MUNMAP: u32 = 91;
const UNAME: u32 = 122;
const WRITEV: u32 = 146;
const MMAP2: u32 = 192;
const SET_THREAD_AREA: u32 = 243;
const SET_TID_ADDRESS: u32 = 258;
/// The number of the only thread.
const THREAD: u32 = 1;

/// The error numbers that are answered, negated as the kernel does: bad file, no memory, bad address, bad argument, no
/// terminal, no space, no such call.
pub(crate) const EBADF: u32 = -9i32 as u32;
const ENOMEM: u32 = -12i32 as u32;
const EFAULT: u32 = -14i32 as u32;
const EINVAL: u32 = -22i32 as u32;
const ENOTTY: u32 = -25i32 as u32;
const ENOSPC: u32 = -28i32 as u32;
pub(crate) const ENOSYS: u32 = -38i32 as u32;

/// What the registers EAX, ECX, EDX, EBX ask for; the call's number is in EAX.
pub(crate) fn asked([number, ecx, edx, ebx]: [u32; 4]) -> Asked {
    match number {
        1 | 252 => Asked::Exit(ebx & 0xFF),
        4 if !matches!(ebx, 1 | 2) => Asked::BadFile,
        4 => Asked::Bytes {
            address: ecx,
            length: edx,
        },
        _ => Asked::Other(number),
    }
}

/// EAX after a write of `length` bytes.
pub(crate) fn written(written: Written, length: u32) -> u32 {
    match written {
        Written::All => length,
        Written::Unreadable => EFAULT,
        Written::Full => ENOSPC,
    }
}

/// Serves int 80h.
pub(super) fn call(state: &mut State, process: &mut Process) -> Service {
    let registers = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let (answer, service) = match asked(registers) {
        Asked::Exit(code) => return Service::Exit(code),
        Asked::BadFile => (EBADF, Service::Done),
        Asked::Bytes { address, length } => {
            let outcome = write(state, &mut process.output, address, length);
            (written(outcome, length), outcome.service())
        }
        Asked::Other(WRITEV) if matches!(registers[3], 1 | 2) => {
            let [_, table, count, _] = registers;
            write_parts(state, process, table, count)
        }
        Asked::Character(_) | Asked::Text { .. } | Asked::Other(_) => match of_simulation(state, process, registers) {
            Some(answer) => (answer, Service::Done),
            None => {
                let refused = RefusedService::Linux { call: registers[0] };
                (ENOSYS, Service::Refused(refused))
            }
        },
    };
    state.registers.general[0] = answer;
    service
}

/// The answer to a call that only the simulated machine offers.
fn of_simulation(state: &mut State, process: &mut Process, [number, ecx, edx, ebx]: [u32; 4]) -> Option<u32> {
    Some(match number {
        READ if ebx != 0 => EBADF,
        READ => process.read(state, ecx, edx).unwrap_or(EFAULT),
        BRK => process.set_heap_end(state, ebx),
        IOCTL if ebx <= 2 => ENOTTY,
        IOCTL => EBADF,
        OLD_MMAP => {
            let argument = |index: u32| state.memory.read_u32(ebx.wrapping_add(4 * index)).ok();
            match (argument(1), argument(3)) {
                (Some(length), Some(flags)) => map(state, process, length, flags),
                _ => EFAULT,
            }
        }
        MMAP2 => map(state, process, ecx, state.registers.general[6]),
        MUNMAP if process.unmap(state, ebx, ecx) => 0,
        MUNMAP => EINVAL,
        UNAME => identify(state, ebx).map_or(EFAULT, |()| 0),
        SET_THREAD_AREA => set_thread_area(state, ebx).unwrap_or(EFAULT),
        SET_TID_ADDRESS => THREAD,
        WRITEV => EBADF,
        _ => return None,
    })
}

/// Maps memory that belongs to no file, wherever there is room.
fn map(state: &mut State, process: &mut Process, length: u32, flags: u32) -> u32 {
    const FIXED: u32 = 0x10;
    const ANONYMOUS: u32 = 0x20;
    match flags & (FIXED | ANONYMOUS) {
        ANONYMOUS => process.map(state, length).unwrap_or(ENOMEM),
        FIXED => EINVAL,
        _ => EBADF,
    }
}

/// Sets the segment of the thread, which GS is to select: data of 32 bits, writable, at any address.
fn set_thread_area(state: &mut State, at: u32) -> Option<u32> {
    /// The flags of such a segment, and those that are of no concern: limit in pages, usable.
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

/// Writes the `count` pieces of memory that a table at `table` lists.
fn write_parts(state: &State, process: &mut Process, table: u32, count: u32) -> (u32, Service) {
    const MOST: u32 = 1024;
    if count > MOST {
        return (EINVAL, Service::Done);
    }
    let mut total: u32 = 0;
    for index in 0..count {
        let word = |offset: u32| state.memory.read_u32(table.wrapping_add(8 * index + offset)).ok();
        let Some((address, length)) = word(0).zip(word(4)) else {
            return (if total == 0 { EFAULT } else { total }, Service::Done);
        };
        let outcome = write(state, &mut process.output, address, length);
        match outcome {
            // What is written is bounded, so the sum is.
            Written::All => total += length,
            _ if total == 0 => return (written(outcome, length), outcome.service()),
            _ => return (total, outcome.service()),
        }
    }
    (total, Service::Done)
}

/// Stores the names of system, machine and release.
fn identify(state: &mut State, address: u32) -> Option<()> {
    /// Bytes of each field.
    const FIELD: u32 = 65;
    for (field, text) in ["Linux", "p5inst", "6.1.0", "#1", "i586", "(none)"].iter().enumerate() {
        let start = address.wrapping_add(field as u32 * FIELD);
        for (place, byte) in text.bytes().chain([0]).enumerate() {
            state.memory.write_u8(start.wrapping_add(place as u32), byte).ok()?;
        }
    }
    Some(())
}
