//! DOS services by int 21h, as a flat 32-bit DOS extender offers them: 02h, 09h and 40h write, 00h and 4Ch end.

use super::{Asked, OUTPUT_CAPACITY, Service, write};
use crate::exec::State;
use crate::run::RefusedService;

/// What the registers EAX, ECX, EDX, EBX ask for; the function is in AH.
pub(crate) fn asked([eax, ecx, edx, ebx]: [u32; 4]) -> Asked {
    match (eax >> 8) as u8 {
        0x00 => Asked::Exit(0),
        0x02 => Asked::Character(edx as u8),
        0x09 => Asked::Text { address: edx },
        0x40 if matches!(ebx & 0xFFFF, 1 | 2) => Asked::Bytes {
            address: edx,
            length: ecx,
        },
        0x4C => Asked::Exit(eax & 0xFF),
        function => Asked::Other(u32::from(function)),
    }
}

/// EAX and the carry flag after a write of `length` bytes: how many were written, or error 5, access denied.
pub(crate) fn written(served: bool, length: u32) -> (u32, bool) {
    (if served { length } else { 5 }, !served)
}

/// EAX and the carry flag after an unsupported function: error 1, no such function, in AX.
pub(crate) fn not_served(eax: u32) -> (u32, bool) {
    ((eax & 0xFFFF_0000) | 1, true)
}

/// Serves int 21h.
pub(super) fn call(state: &mut State, output: &mut Vec<u8>) -> Service {
    let registers = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    match asked(registers) {
        Asked::Exit(code) => Service::Exit(code),
        Asked::Character(byte) => {
            if output.len() < OUTPUT_CAPACITY {
                output.push(byte);
            }
            Service::Done
        }
        Asked::Text { mut address } => {
            while output.len() < OUTPUT_CAPACITY {
                match state.memory.read_bytes(address, 1).as_deref() {
                    Some(&[b'$']) => return Service::Done,
                    Some(&[byte]) => output.push(byte),
                    _ => return Service::Refused(RefusedService::DosTextWithoutEnd),
                }
                address = address.wrapping_add(1);
            }
            Service::Refused(RefusedService::DosTextTooLong)
        }
        Asked::Bytes { address, length } => {
            let served = write(state, output, address, length);
            answer(state, written(served, length));
            Service::Done
        }
        Asked::BadFile | Asked::Other(_) => {
            answer(state, not_served(registers[0]));
            Service::Refused(RefusedService::Dos {
                function: (registers[0] >> 8) as u8,
            })
        }
    }
}

fn answer(state: &mut State, (eax, carry): (u32, bool)) {
    state.registers.general[0] = eax;
    let flags = state.registers.eflags();
    state.registers.set_eflags(flags & !1 | u32::from(carry));
}
