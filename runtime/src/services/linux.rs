//! Linux i386 services by int 80h: `write` to standard output or error, `exit`, `exit_group`.

use super::{Service, write};
use crate::exec::State;

/// The error numbers that are answered, negated as the kernel does: bad file, bad address, no such call.
const EBADF: u32 = -9i32 as u32;
const EFAULT: u32 = -14i32 as u32;
const ENOSYS: u32 = -38i32 as u32;

/// Serves int 80h; the call's number is in EAX.
pub(super) fn call(state: &mut State, output: &mut Vec<u8>) -> Service {
    let [number, ecx, edx, ebx] = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let (answer, service) = match number {
        1 | 252 => return Service::Exit(ebx & 0xFF),
        4 if !matches!(ebx, 1 | 2) => (EBADF, Service::Done),
        4 => (if write(state, output, ecx, edx) { edx } else { EFAULT }, Service::Done),
        _ => (ENOSYS, Service::Refused(format!("int 80h call {number} is not served: it returned \"no such call\""))),
    };
    state.registers.general[0] = answer;
    service
}
