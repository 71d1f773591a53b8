//! The keyboard services of the BIOS by int 16h, in real mode. There is no keyboard: Esc waits to be read, so that a
//! program that runs until a key is pressed ends.

use super::Service;
use crate::exec::State;
use p5_results::RefusedService;

/// The scan code and the character of Esc.
const ESC: u32 = 0x011B;
const ZF: u32 = 1 << 6;

pub(super) fn call(state: &mut State) -> Service {
    let eax = state.registers.general[0];
    let function = (eax >> 8) as u8;
    match function {
        // A key is read, or looked for.
        0x00 | 0x01 | 0x10 | 0x11 => {
            state.registers.general[0] = eax & 0xFFFF_0000 | ESC;
            if function & 1 != 0 {
                key_is_there(state);
            }
        }
        // Neither Shift nor another such key is held.
        0x02 | 0x12 => state.registers.general[0] = eax & 0xFFFF_FF00,
        _ => return Service::Refused(RefusedService::KeyboardFunction { function }),
    }
    Service::Refused(RefusedService::Keyboard)
}

/// Serves function `function` of DOS if it reads a key or looks for one. With DL = FFh, function 06h reads.
pub(super) fn call_of_dos(state: &mut State, function: u8) -> bool {
    let [eax, dl] = [state.registers.general[0], state.registers.general[2] & 0xFF];
    let answer = match function {
        0x01 | 0x07 | 0x08 => ESC & 0xFF,
        0x06 if dl == 0xFF => ESC & 0xFF,
        0x0B => 0xFF,
        _ => return false,
    };
    state.registers.general[0] = eax & 0xFFFF_FF00 | answer;
    if function == 0x06 {
        key_is_there(state);
    }
    true
}

fn key_is_there(state: &mut State) {
    let flags = state.registers.eflags();
    state.registers.set_eflags(flags & !ZF);
}
