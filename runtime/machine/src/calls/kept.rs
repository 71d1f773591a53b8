//! Which function of a program for Linux did not keep the registers that functions of C keep: its caller goes on with
//! another value, and a fault may come much later.
//!
//! The run is repeated after a fault, because a run does not record the registers of each call.

use super::Machine;
use iced_x86::Mnemonic;
use p5_results::{Blamed, StopReason, Unkept};

/// The registers that a function of C keeps, by their numbers from EAX = 0: EBX, EBP, ESI and EDI.
const KEPT: [usize; 4] = [3, 5, 6, 7];
/// The most calls that are open at once; of more, the inner ones are not looked at.
const MOST_OPEN: usize = 1 << 16;

/// The registers of the calls that have not returned, and the first function that changed one.
#[derive(Default)]
pub(super) struct Kept {
    open: Vec<Frame>,
    found: Option<Found>,
}

struct Frame {
    target: u32,
    /// The place of the return address.
    place: u32,
    registers: [u32; 4],
}

/// A return with another register than that of the call.
#[derive(Clone, Copy)]
struct Found {
    target: u32,
    returned: u32,
    register: u8,
}

impl Kept {
    /// Notes a call of `target`.
    pub(super) fn begin(&mut self, target: u32, place: u32, general: &[u32; 8]) {
        if self.open.len() < MOST_OPEN && self.found.is_none() {
            let registers = KEPT.map(|number| general[number]);
            self.open.push(Frame {
                target,
                place,
                registers,
            });
        }
    }

    /// Notes that the stack pointer is above the return addresses of some calls. The instruction at `last` did that; it
    /// `returned` if it took the last one of them from the stack. `is_own` tells which functions are looked at.
    pub(super) fn end(&mut self, last: u32, returned: bool, general: &[u32; 8], is_own: impl Fn(u32) -> bool) {
        let Some(frame) = self.open.pop_if(|frame| frame.place < general[4]) else {
            return;
        };
        let mut alone = true;
        while self.open.pop_if(|frame| frame.place < general[4]).is_some() {
            // What ends several calls at once is no return of the last one.
            alone = false;
        }
        if alone && returned && self.found.is_none() && is_own(frame.target) {
            let changed = KEPT
                .iter()
                .zip(frame.registers)
                .find(|&(&number, before)| general[number] != before);
            self.found = changed.map(|(&number, _)| Found {
                target: frame.target,
                returned: last,
                register: number as u8,
            });
        }
    }
}

impl Machine<'_> {
    /// Adds to a fault of a program for Linux the first function with source lines that returned with another register
    /// than it was called with.
    pub(crate) fn blame_unkept(&mut self) {
        if self.stop.reason != StopReason::Fault || self.image.process_stack().is_none() || !self.may_repeat() {
            return;
        }
        let again = self.repeated(|calls| calls.kept = Some(Kept::default()));
        let found = again.and_then(|again| again.calls.as_ref()?.kept.as_ref()?.found);
        let Some(found) = found else { return };
        let Some(function) = self.function_of(found.target) else {
            return;
        };
        let place = self.place(found.returned);
        let blamed: &mut Blamed = self.stop.blamed.get_or_insert_default();
        blamed.unkept = Some(Unkept {
            function,
            place,
            register: found.register,
        });
    }

    /// Whether the instruction at `address` is a near return.
    pub(super) fn is_return(&self, address: u32) -> bool {
        self.instruction_at(address).0.mnemonic() == Mnemonic::Ret
    }
}
