//! Who called what ended a run, if that is code without lines of the program, such as that of the C library.
//!
//! The way goes by the call frame information of the program, and only as far as each return address follows a call:
//! where anything is missing, nothing is told.

use crate::Machine;
use iced_x86::{Decoder, DecoderOptions};
use p5_image::{Frame, Frames, Functions, Image};
use p5_results::{Called, StopDetail, StopReason, Unlisted};

/// The most calls from the place where a program ends to its own line.
const MOST_CALLS: usize = 64;
/// The lengths of calls in 32-bit code: indirect ones of a register, up to those with a prefix and a SIB byte.
const CALL_LENGTHS: std::ops::RangeInclusive<u32> = 2..=8;

impl Machine<'_> {
    /// Adds to a fault, or to the end by a signal, in code without lines of the program the line that called it.
    pub(crate) fn find_caller(&mut self) {
        let called = match (self.stop.reason, self.stop.detail) {
            // The instruction that made the system call is complete.
            (StopReason::Signal, _) => true,
            (
                StopReason::Fault,
                Some(StopDetail::Fault {
                    unlisted: None | Some(Unlisted::Linked { .. }),
                    ..
                }),
            )
            | (_, Some(StopDetail::Stuck(_))) => false,
            _ => return,
        };
        let image = self.image;
        if image.process_stack().is_none() {
            return;
        }
        let functions = Functions::of(image, &[]);
        let address = self.state.registers.eip;
        let mut frame = Frame {
            address,
            registers: self.state.registers.general.map(Some),
            called,
        };
        let mut found = own(image, &functions, address.wrapping_sub(called.into()), None);
        if found.as_ref().is_some_and(|(_, called)| called.is_none()) {
            return;
        }
        let Some(frames) = Frames::of(image).filter(|_| found.is_none()) else {
            self.tell_caller(found);
            return;
        };
        let read = |address: u32| {
            let bytes = self.state.memory.read_bytes(address, 4)?;
            Some(u32::from_le_bytes(*bytes.first_chunk()?))
        };
        for _ in 0..MOST_CALLS {
            let Some(caller) = frames.caller(&frame, &read) else {
                break;
            };
            if caller.registers[4] <= frame.registers[4] || !follows_call(image, caller.address) {
                break;
            }
            let callee = frame.address.wrapping_sub(frame.called.into());
            found = own(image, &functions, caller.address.wrapping_sub(1), Some(callee));
            if found.is_some() {
                break;
            }
            frame = caller;
        }
        self.tell_caller(found);
    }

    fn tell_caller(&mut self, found: Option<((u32, u32), Option<Called>)>) {
        if let Some((place, called)) = found {
            self.stop.place = Some(place);
            if let Some(called) = called {
                let mut unlined = match self.stop.unlined.take() {
                    Some(unlined) => unlined,
                    None => self.unlined(self.state.registers.eip),
                };
                unlined.called = Some(called);
                self.stop.unlined = Some(unlined);
            }
        }
    }
}

/// The place in the program's own text of the code at `address`, and what it calls there: the function at `callee`, or
/// one whose code replaced the call.
fn own(
    image: &Image,
    functions: &Functions,
    address: u32,
    callee: Option<u32>,
) -> Option<((u32, u32), Option<Called>)> {
    let (place, within) = image.own_place(address)?;
    let named = |address: u32| Some(functions.0[functions.at(address)?].name.clone());
    let inlined = |call: Option<u32>| Some(image.inlined.name(call?)?.to_owned());
    // The outermost call that stands at the place.
    let mut innermost = image.inlined.at(address).filter(|&call| Some(call) != within);
    while let Some(around) = innermost
        .and_then(|call| image.inlined.calls.get(call as usize))
        .and_then(|call| call.within)
        .filter(|&around| Some(around) != within)
    {
        innermost = Some(around);
    }
    let function = inlined(innermost).or_else(|| named(callee?));
    let called = function.map(|function| Called {
        function,
        caller: inlined(within).or_else(|| named(address)),
    });
    Some((place, called))
}

/// Whether a call ends at `address`.
fn follows_call(image: &Image, address: u32) -> bool {
    CALL_LENGTHS.clone().any(|length| {
        let Some(start) = address.checked_sub(length) else {
            return false;
        };
        let instruction = Decoder::with_ip(32, image.bytes_at(start), start.into(), DecoderOptions::NONE).decode();
        instruction.len() == length as usize && (instruction.is_call_near() || instruction.is_call_near_indirect())
    })
}
