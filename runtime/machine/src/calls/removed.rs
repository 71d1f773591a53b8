//! Returns that remove more from the stack than their caller has there, as `ret 8` does where 4 bytes were pushed: from
//! then on the caller's stack pointer is too high, and its own return takes another word for its address.
//!
//! Modelled: near calls by the places of their return addresses. Not told: what a program does after a jump to another
//! stack, or after it has taken a return address from the stack itself.

use crate::Machine;
use p5_results::Note;

/// The most calls that are open at once. Of more, the program's are not looked at until the stack is set anew.
const MOST: usize = 1 << 12;

/// A call that has not returned.
#[derive(Clone, Copy)]
struct Frame {
    // Where its return address is, and that address.
    place: u32,
    back: u32,
    by: u32,
    // The last return to its code that removed more than the address, with the bytes.
    removed: Option<(u32, u32)>,
}

/// A near return: its address, the place and the size of what it took, where it led, and the bytes that it removed
/// besides.
#[derive(Clone, Copy)]
pub(super) struct Return {
    pub(super) at: u32,
    pub(super) place: u32,
    pub(super) bytes: u32,
    pub(super) led: u32,
    pub(super) removes: u32,
}

#[derive(Clone, Copy)]
enum Found {
    /// A return removed more than its caller, which called it by an instruction, had.
    More { at: u32, by: u32, removes: u32, had: u32 },
    /// A return took its address so far above that of its call, after another return to its procedure removed bytes.
    Above {
        at: u32,
        by: u32,
        off: u32,
        removed: (u32, u32),
    },
}

/// The open calls, and the first return that removed too much.
#[derive(Clone, Default)]
pub(super) struct Removed {
    frames: Vec<Frame>,
    // The top of the stack when the code outside of all calls began or set it.
    base: Option<u32>,
    lost: bool,
    found: Option<Found>,
}

impl Removed {
    /// Notes where the stack begins, if that is not known.
    pub(super) fn begin(&mut self, base: u32) {
        if self.base.is_none() && !self.lost {
            self.base = Some(base);
        }
    }

    /// Notes that the stack pointer was set to `top`.
    pub(super) fn moved(&mut self, top: u32) {
        self.lost = !self.frames.is_empty() || self.lost;
        self.frames.clear();
        self.base = (!self.lost).then_some(top);
    }

    /// Notes that the call at `by` left the address `back` at `place`.
    pub(super) fn called(&mut self, by: u32, place: u32, back: u32) {
        // The program has taken the return addresses of others from the stack.
        while self.frames.pop_if(|frame| frame.place <= place).is_some() {}
        if self.frames.len() == MOST {
            self.frames.clear();
            (self.base, self.lost) = (None, true);
        }
        self.frames.push(Frame {
            place,
            back,
            by,
            removed: None,
        });
    }

    /// Notes a return.
    pub(super) fn returned(&mut self, one: Return) {
        let Return {
            at,
            place,
            bytes,
            led,
            removes,
        } = one;
        let mut passed = None;
        while let Some(frame) = self.frames.pop_if(|frame| frame.place < place) {
            passed.get_or_insert(frame);
        }
        let own = self.frames.pop_if(|frame| frame.place == place && frame.back == led);
        if let Some(frame) = passed
            && let Some(removed) = frame.removed
            && own.is_none()
        {
            let off = place - frame.place;
            if off <= removed.1 {
                let by = frame.by;
                self.found.get_or_insert(Found::Above { at, by, off, removed });
            }
        }
        let Some(own) = own.filter(|_| removes > 0) else {
            return;
        };
        let top = self.frames.last().map(|frame| frame.place).or(self.base);
        if let Some(had) = top.and_then(|top| top.checked_sub(place.wrapping_add(bytes)))
            && removes > had
        {
            let by = own.by;
            self.found.get_or_insert(Found::More { at, by, removes, had });
        }
        if let Some(caller) = self.frames.last_mut() {
            caller.removed = Some((at, removes));
        }
    }

    /// What is said of the first such return of the run of `machine`.
    pub(super) fn told(&self, machine: &Machine<'_>) -> Option<Note> {
        Some(match self.found? {
            Found::More { at, by, removes, had } => Note::RemovesTooMuch {
                place: machine.place(at),
                removes,
                call: machine.place(by),
                had,
            },
            Found::Above { at, by, off, removed } => Note::ReturnsAbove {
                place: machine.place(at),
                off,
                call: machine.place(by),
                removal: machine.place(removed.0),
                removes: removed.1,
            },
        })
    }
}
