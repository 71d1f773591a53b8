//! The alternate stack of a Linux program, for its signal handlers: `sigaltstack`.

use super::super::errors::{EFAULT, EINVAL, ENOMEM, EPERM};
use super::super::words::{put, words};
use super::Signals;
use crate::exec::State;

/// The flags of an alternate stack: the program runs on it, it is disabled, and it is disabled while a handler runs on
/// it.
const IN_USE: u32 = 1;
const NONE: u32 = 2;
const ONCE: u32 = 1 << 31;
/// The least size in bytes.
const LEAST: u32 = 2048;

/// An alternate stack. Its size is 0 if there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alternate {
    base: u32,
    flags: u32,
    size: u32,
}

impl Alternate {
    /// Whether the stack pointer `stack` is on it.
    fn holds(&self, stack: u32) -> bool {
        stack > self.base && stack - self.base <= self.size
    }

    /// Whether a program with the stack pointer `stack` runs on it.
    pub(super) fn is_in_use(&self, stack: u32) -> bool {
        self.flags & ONCE == 0 && self.holds(stack)
    }

    /// The address at which a handler's stack begins; `None` if there is no alternate stack or it is in use.
    pub(super) fn top(&self, stack: u32) -> Option<u32> {
        let free = self.size != 0 && !self.is_in_use(stack);
        free.then(|| self.base.wrapping_add(self.size))
    }

    /// Whether the frame of a handler that runs on it fits.
    pub(super) fn has_room(&self, frame: u32) -> bool {
        self.holds(frame)
    }

    /// Its base, flags and size, as a frame and a call store them.
    pub(super) fn words(&self) -> [u32; 3] {
        [self.base, self.flags, self.size]
    }

    /// The alternate stack that remains when a handler has been entered.
    pub(super) fn while_handled(self) -> Alternate {
        match self.flags & ONCE {
            0 => self,
            _ => Alternate {
                flags: NONE,
                ..Alternate::default()
            },
        }
    }

    /// Sets the alternate stack, with the stack pointer at `stack`.
    ///
    /// # Errors
    ///
    /// The error number.
    pub(super) fn set(&mut self, [base, flags, size]: [u32; 3], stack: u32) -> Result<(), u32> {
        if self.is_in_use(stack) {
            return Err(EPERM);
        }
        let wanted = match flags & !ONCE {
            NONE => Alternate {
                base: 0,
                flags,
                size: 0,
            },
            0 | IN_USE if size < LEAST => return Err(ENOMEM),
            0 | IN_USE => Alternate { base, flags, size },
            _ => return Err(EINVAL),
        };
        *self = wanted;
        Ok(())
    }
}

impl Signals {
    pub(in super::super) fn set_stack(&mut self, state: &mut State, new: u32, old: u32) -> u32 {
        let stack = state.registers.general[4];
        let given = match new {
            0 => None,
            new => match words::<3>(state, new) {
                Some(given) => Some(given),
                None => return EFAULT,
            },
        };
        let before = self.alternate;
        if let Some(given) = given
            && let Err(error) = self.alternate.set(given, stack)
        {
            return error;
        }
        let [base, flags, size] = before.words();
        let use_now = if size == 0 {
            NONE
        } else {
            u32::from(before.is_in_use(stack))
        };
        let told = [base, flags & ONCE | use_now, size];
        match old != 0 && put(state, old, &told).is_none() {
            true => EFAULT,
            false => 0,
        }
    }
}
