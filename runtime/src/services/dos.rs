//! DOS services by int 21h, as a flat 32-bit DOS extender offers them: 02h, 09h and 40h write, 00h and 4Ch end.

use super::{OUTPUT_CAPACITY, Service, write};
use crate::exec::State;

/// Serves int 21h; the function is in AH.
pub(super) fn call(state: &mut State, output: &mut Vec<u8>) -> Service {
    let [eax, ecx, edx, ebx] = [0, 1, 2, 3].map(|register: usize| state.registers.general[register]);
    let function = (eax >> 8) as u8;
    match function {
        0x00 => Service::Exit(0),
        0x02 => {
            if output.len() < OUTPUT_CAPACITY {
                output.push(edx as u8);
            }
            Service::Done
        }
        0x09 => {
            let mut address = edx;
            while output.len() < OUTPUT_CAPACITY {
                match state.memory.read_bytes(address, 1).as_deref() {
                    Some(&[b'$']) => return Service::Done,
                    Some(&[byte]) => output.push(byte),
                    _ => return Service::Refused("int 21h 09h: the text ends in no $ before memory ends".to_owned()),
                }
                address = address.wrapping_add(1);
            }
            Service::Refused("int 21h 09h: the program wrote more than it may".to_owned())
        }
        0x40 if matches!(ebx & 0xFFFF, 1 | 2) => {
            let served = write(state, output, edx, ecx);
            set_carry(state, !served);
            state.registers.general[0] = if served { ecx } else { 5 };
            Service::Done
        }
        0x4C => Service::Exit(eax & 0xFF),
        _ => {
            set_carry(state, true);
            state.registers.general[0] = (eax & 0xFFFF_0000) | 1;
            Service::Refused(format!("int 21h {function:02X}h is not served: it returned with carry set"))
        }
    }
}

fn set_carry(state: &mut State, carry: bool) {
    let flags = state.registers.eflags();
    state.registers.set_eflags(flags & !1 | u32::from(carry));
}
