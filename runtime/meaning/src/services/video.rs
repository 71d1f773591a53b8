//! The video service of the BIOS by int 10h: 0Eh writes a character, and 00h sets the mode in which the
//! memory of a video card is shown at the end. There is no screen for other functions.

use super::{OUTPUT_CAPACITY, Process, Service};
use crate::exec::State;
use p5_results::RefusedService;

pub(super) fn call(state: &mut State, process: &mut Process) -> Service {
    let word = state.registers.general[0];
    match (word >> 8) as u8 {
        0x0E => {
            if process.output.len() < OUTPUT_CAPACITY {
                process.output.push(word as u8);
            }
            Service::Done
        }
        0 => {
            process.card.set_mode(word as u8);
            Service::Refused(RefusedService::Video { function: 0 })
        }
        function => Service::Refused(RefusedService::Video { function }),
    }
}
