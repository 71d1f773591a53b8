//! What int 15h tells of the memory above the first MiB: functions 88h and E801h. All others have no service.

use super::{Service, answer};
use crate::exec::State;
use p5_image::dos::EXTENDED_END;

/// The kibibytes above the first MiB, all of which are below the sixteenth.
const KIBIBYTES: u32 = (EXTENDED_END >> 10) - 1024;

/// Serves int 15h.
pub(super) fn call(state: &mut State) -> Service {
    let eax = state.registers.general[0];
    let ranges = match eax & 0xFFFF {
        0xE801 => true,
        ax if ax >> 8 == 0x88 => false,
        _ => return Service::None,
    };
    let set = |old: u32, word: u32| old & 0xFFFF_0000 | word;
    answer(state, (set(eax, KIBIBYTES), false));
    if ranges {
        let general = &mut state.registers.general;
        // CX and DX repeat AX and BX. Above 16 MiB there is none.
        for (register, word) in [(1, KIBIBYTES), (2, 0), (3, 0)] {
            general[register] = set(general[register], word);
        }
    }
    Service::Done
}
