//! DOS services by int 21h: 02h, 09h and 40h write, 00h and 4Ch end. In 32-bit code they are those of a DOS extender;
//! 16-bit code passes offsets and counts in 16 bits. In real mode 35h and 25h read and set interrupt vectors, and 30h
//! returns the version.

use super::{Asked, OUTPUT_CAPACITY, OUTPUT_LIMIT, Service, Written, write};
use crate::exec::State;
use p5_results::RefusedService;
use p5_words::mode::Operation;
use p5_words::registers::{DS, ES, SegmentRegister};

/// The version that function 30h returns: DOS 5.0.
const VERSION: u32 = 0x0005;

/// The service that the registers EAX, ECX, EDX, EBX request; the function is in AH.
pub fn asked([eax, ecx, edx, ebx]: [u32; 4]) -> Asked {
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

/// EAX and the carry flag after a write of `length` bytes: the number written, which is 0 on a full disk, or error 5,
/// access denied.
pub fn written(written: Written, length: u32) -> (u32, bool) {
    match written {
        Written::All => (length, false),
        Written::Unreadable => (5, true),
        Written::Full => (0, false),
    }
}

/// EAX and the carry flag after an unsupported function: error 1, no such function, in AX.
pub fn not_served(eax: u32) -> (u32, bool) {
    ((eax & 0xFFFF_0000) | 1, true)
}

pub(super) fn call(state: &mut State, output: &mut Vec<u8>) -> Service {
    let [eax, ecx, edx, ebx] = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let mode = state.registers.mode();
    let mask = if mode.wide_code { u32::MAX } else { 0xFFFF };
    let base = state.registers.segments[DS].base();
    if mode.operation == Operation::Real && serve_vectors(state, (eax >> 8) as u8) {
        return Service::Done;
    }
    match asked([eax, ecx & mask, edx & mask, ebx]) {
        Asked::Exit(code) => Service::Exit(code),
        Asked::Character(byte) => {
            if output.len() >= OUTPUT_CAPACITY {
                return Service::Refused(OUTPUT_LIMIT);
            }
            output.push(byte);
            Service::Done
        }
        Asked::Text { mut address } => {
            while output.len() < OUTPUT_CAPACITY {
                match state.memory.read_bytes(base.wrapping_add(address), 1).as_deref() {
                    Some(&[b'$']) => return Service::Done,
                    Some(&[byte]) => output.push(byte),
                    _ => return Service::Refused(RefusedService::DosTextWithoutEnd),
                }
                address = address.wrapping_add(1) & mask;
            }
            Service::Refused(OUTPUT_LIMIT)
        }
        Asked::Bytes { address, length } => {
            let outcome = write(state, output, base.wrapping_add(address), length);
            let (answered, carry) = written(outcome, length);
            answer(state, (eax & !mask | answered & mask, carry));
            outcome.service()
        }
        Asked::BadFile
        | Asked::Open
        | Asked::OwnNumber
        | Asked::Raise { .. }
        | Asked::RaiseElsewhere
        | Asked::RaiseNowhere
        | Asked::Other(_) => {
            answer(state, not_served(eax));
            Service::Refused(RefusedService::Dos {
                function: (eax >> 8) as u8,
            })
        }
    }
}

/// Serves the functions of real mode alone: 25h, 30h and 35h. Returns whether `function` is one of them.
fn serve_vectors(state: &mut State, function: u8) -> bool {
    let general = state.registers.general;
    let vector = (general[0] & 0xFF) * 4;
    match function {
        0x25 => {
            let handler = u32::from(state.registers.segments[DS].selector()) << 16 | general[2] & 0xFFFF;
            state.memory.write_u32(vector, handler).is_ok()
        }
        0x30 => {
            state.registers.general[0] = general[0] & 0xFFFF_0000 | VERSION;
            true
        }
        0x35 => {
            let Ok(handler) = state.memory.read_u32(vector) else {
                return false;
            };
            let selector = (handler >> 16) as u16;
            let extra = &mut state.registers.segments[ES];
            *extra = SegmentRegister::reloaded_in_real_mode(extra, selector);
            state.registers.general[3] = general[3] & 0xFFFF_0000 | handler & 0xFFFF;
            true
        }
        _ => false,
    }
}

fn answer(state: &mut State, (eax, carry): (u32, bool)) {
    state.registers.general[0] = eax;
    let flags = state.registers.eflags();
    state.registers.set_eflags(flags & !1 | u32::from(carry));
}
