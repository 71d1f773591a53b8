//! Linux i386 services by int 80h: `write` to standard output or error, `exit`, `exit_group`.

use super::{Asked, Service, write};
use crate::exec::State;
use crate::run::RefusedService;

/// The error numbers that are answered, negated as the kernel does: bad file, bad address, no such call.
pub(crate) const EBADF: u32 = -9i32 as u32;
const EFAULT: u32 = -14i32 as u32;
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
pub(crate) fn written(served: bool, length: u32) -> u32 {
    if served { length } else { EFAULT }
}

/// Serves int 80h.
pub(super) fn call(state: &mut State, output: &mut Vec<u8>) -> Service {
    let registers = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let (answer, service) = match asked(registers) {
        Asked::Exit(code) => return Service::Exit(code),
        Asked::BadFile => (EBADF, Service::Done),
        Asked::Bytes { address, length } => {
            let served = write(state, output, address, length);
            (written(served, length), Service::Done)
        }
        Asked::Character(_) | Asked::Text { .. } | Asked::Other(_) => {
            (ENOSYS, Service::Refused(RefusedService::Linux { call: registers[0] }))
        }
    };
    state.registers.general[0] = answer;
    service
}
