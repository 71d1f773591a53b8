//! Who called what ended a run, if that is code without lines of the program, such as that of the C library.
//!
//! The way goes by the call frame information of the program, and only as far as each return address follows a call:
//! where anything is missing, nothing is told.

use crate::Machine;
use iced_x86::{Decoder, DecoderOptions};
use p5_image::{Frame, Frames, Functions, Image};
use p5_results::{Blamed, CallSite, Called, StopDetail, StopReason, Unlisted};

/// The most calls from the place where a program ends to its own line.
const MOST_CALLS: usize = 64;
/// The lengths of calls in 32-bit code: indirect ones of a register, up to those with a prefix and a SIB byte.
const CALL_LENGTHS: std::ops::RangeInclusive<u32> = 2..=8;

impl Machine<'_> {
    /// Adds to a fault, or to the end by a signal, in code without lines of the program the line that called it, to one
    /// in a function with lines the call of that function, and to any end in a panic of Rust the line that panicked.
    pub(crate) fn find_caller(&mut self) {
        let image = self.image;
        if self.find_supplied_panic() || image.process_stack().is_none() || self.find_panic() {
            return;
        }
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
        let functions = Functions::of(image, &[]);
        let address = self.state.registers.eip;
        let mut found = own(image, &functions, address.wrapping_sub(called.into()), None);
        if found.as_ref().is_some_and(|(_, called)| called.is_none()) {
            let call = self.calls_out(called).into_iter().next();
            let site = call.and_then(|(callee, call)| own(image, &functions, call, Some(callee)));
            if let Some((place, called)) = site {
                let function = called.and_then(|called| called.caller);
                let blamed: &mut Blamed = self.stop.blamed.get_or_insert_default();
                blamed.caller = Some(CallSite { function, place });
            }
            return;
        }
        if found.is_none() {
            let mut calls = self.calls_out(called).into_iter();
            found = calls.find_map(|(callee, call)| own(image, &functions, call, Some(callee)));
        }
        if let Some((place, called)) = found {
            self.stop.place = Some(place);
            if let Some(called) = called {
                self.tell_called(called);
            }
        }
    }

    /// The calls that led to where the run ended, the last one first: an address in the code that was called, and one
    /// in the call. `called` says whether the end is after a call, rather than at an instruction.
    pub(super) fn calls_out(&self, called: bool) -> Vec<(u32, u32)> {
        let image = self.image;
        let Some(frames) = Frames::of(image) else {
            return Vec::new();
        };
        let read = |address: u32| {
            let bytes = self.state.memory.read_bytes(address, 4)?;
            Some(u32::from_le_bytes(*bytes.first_chunk()?))
        };
        let mut frame = Frame {
            address: self.state.registers.eip,
            registers: self.state.registers.general.map(Some),
            called,
        };
        let mut calls = Vec::new();
        while calls.len() < MOST_CALLS {
            let Some(caller) = frames.caller(&frame, &read) else {
                break;
            };
            if caller.registers[4] <= frame.registers[4] || !follows_call(image, caller.address) {
                break;
            }
            let callee = frame.address.wrapping_sub(frame.called.into());
            calls.push((callee, caller.address.wrapping_sub(1)));
            frame = caller;
        }
        calls
    }

    /// Tells the call at the place of the stop.
    pub(super) fn tell_called(&mut self, called: Called) {
        let mut unlined = match self.stop.unlined.take() {
            Some(unlined) => unlined,
            None => self.unlined(self.state.registers.eip),
        };
        unlined.called = Some(called);
        self.stop.unlined = Some(unlined);
    }
}

/// The place in the program's own text of the code at `address`, and what it calls there: the function at `callee`, or
/// one whose code replaced the call.
pub(super) fn own(
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
        panicked: false,
        missing: false,
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
