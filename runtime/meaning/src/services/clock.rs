//! The clock of a PC: the date and the time by int 21h, and the ticks since midnight by int 1Ah. It shows simulated
//! time since the beginning of 1 January 1997.

use super::{Process, Service};
use crate::exec::State;
use p5_results::RefusedService;

const SECONDS_OF_DAY: u64 = 86_400;
/// The ticks of the timer in an hour.
const TICKS_OF_HOUR: u64 = 65_543;
const YEAR: u32 = 1997;
/// The day of the week of the first day: Wednesday.
const WEEKDAY: u64 = 3;

/// Serves functions 19h, 2Ah and 2Ch of int 21h, if `function` is one of them.
pub(super) fn call_of_dos(state: &mut State, process: &Process, function: u8) -> bool {
    let seconds = process.elapsed.as_secs();
    let day = seconds / SECONDS_OF_DAY;
    let [al, cx, dx] = match function {
        // The current drive: C.
        0x19 => [Some(2), None, None],
        0x2A => {
            let weekday = (WEEKDAY + day) % 7;
            // No run has a month.
            let of_month = 1 + day.min(30) as u32;
            [Some(weekday as u32), Some(YEAR), Some(1 << 8 | of_month)]
        }
        0x2C => {
            let second = (seconds % SECONDS_OF_DAY) as u32;
            let hundredths = process.elapsed.subsec_millis() / 10;
            let [hour, minute] = [second / 3600, second / 60 % 60];
            [None, Some(hour << 8 | minute), Some((second % 60) << 8 | hundredths)]
        }
        _ => return false,
    };
    let general = &mut state.registers.general;
    if let Some(al) = al {
        general[0] = general[0] & 0xFFFF_FF00 | al;
    }
    for (register, value) in [(1, cx), (2, dx)] {
        if let Some(value) = value {
            general[register] = general[register] & 0xFFFF_0000 | value;
        }
    }
    true
}

/// Serves int 1Ah: function 00h returns the ticks since midnight in CX:DX, and 0 in AL, as midnight
/// has not passed.
pub(super) fn call(state: &mut State, process: &Process) -> Service {
    let general = &mut state.registers.general;
    let function = (general[0] >> 8) as u8;
    if function != 0 {
        return Service::Refused(RefusedService::ClockFunction { function });
    }
    let millis = process.elapsed.as_millis() as u64 % (SECONDS_OF_DAY * 1000);
    let ticks = (millis * TICKS_OF_HOUR / 3_600_000) as u32;
    general[0] &= 0xFFFF_FF00;
    general[1] = general[1] & 0xFFFF_0000 | ticks >> 16;
    general[2] = general[2] & 0xFFFF_0000 | ticks & 0xFFFF;
    Service::Done
}
