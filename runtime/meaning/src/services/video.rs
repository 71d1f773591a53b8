//! The video service of the BIOS by int 10h: 0Eh writes a character. There is no screen for other
//! functions.

use super::{OUTPUT_CAPACITY, Service};
use crate::exec::State;
use p5_results::RefusedService;

pub(super) fn call(state: &mut State, output: &mut Vec<u8>) -> Service {
    let word = state.registers.general[0];
    match (word >> 8) as u8 {
        0x0E => {
            if output.len() < OUTPUT_CAPACITY {
                output.push(word as u8);
            }
            Service::Done
        }
        function => Service::Refused(RefusedService::Video { function }),
    }
}
