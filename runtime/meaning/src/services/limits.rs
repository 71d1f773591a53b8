//! The resource limits of a Linux program: `getrlimit`, `setrlimit` and `prlimit64`.
//!
//! The answers are those of Linux on a machine of 128 MB. Only the limits of the stack and of descriptors have
//! an effect.

use super::Process;
use super::THREAD;
use super::errors::{EFAULT, EINVAL, EPERM, ESRCH};
use super::mappings::MOST_STACK;
use crate::exec::State;

/// The value for no limit.
const INFINITE: u64 = u64::MAX;
/// The values for no limit in 32 bits, and in the first version of the call.
const INFINITE_32: u32 = u32::MAX;
const INFINITE_OLD: u32 = i32::MAX as u32;

const STACK: usize = 3;
const DESCRIPTORS: usize = 7;
const COUNT: usize = 16;

/// The current and the highest value of each limit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits([[u64; 2]; COUNT]);

impl Default for Limits {
    fn default() -> Limits {
        let mut limits = [[INFINITE; 2]; COUNT];
        limits[STACK] = [8 << 20, INFINITE];
        // Dumps of memory, processes, files, locked memory, waiting signals, bytes of message queues, and priorities.
        limits[4] = [0, INFINITE];
        limits[6] = [1024, 1024];
        limits[DESCRIPTORS] = [1024, 4096];
        limits[8] = [8 << 20; 2];
        limits[11] = [1024, 1024];
        limits[12] = [819_200; 2];
        limits[13] = [0; 2];
        limits[14] = [0; 2];
        Limits(limits)
    }
}

/// The layout of limits in the memory of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Two numbers of 31 bits.
    Old,
    /// Two numbers of 32 bits.
    Narrow,
    /// Two numbers of 64 bits.
    Wide,
}

impl Limits {
    /// The maximum size of the stack in bytes.
    pub(super) fn stack(&self) -> u32 {
        let [current, _] = self.0[STACK];
        current.min(u64::from(MOST_STACK)) as u32
    }

    /// The number after the highest descriptor.
    pub(super) fn descriptors(&self) -> u32 {
        const MOST: u64 = 1024;
        self.0[DESCRIPTORS][0].min(MOST) as u32
    }

    /// Stores limit `which` at `address`. Returns `None` if the memory cannot be written.
    fn tell(&self, state: &mut State, which: usize, address: u32, form: Form) -> Option<()> {
        for (value, place) in self.0[which].into_iter().zip(0..) {
            let most = if form == Form::Old { INFINITE_OLD } else { INFINITE_32 };
            let narrow = u32::try_from(value).unwrap_or(INFINITE_32).min(most);
            match form {
                Form::Wide => state.memory.write_u64(address.wrapping_add(8 * place), value),
                Form::Old | Form::Narrow => state.memory.write_u32(address.wrapping_add(4 * place), narrow),
            }
            .ok()?;
        }
        Some(())
    }
}

/// Reads a limit. Returns `None` if the memory cannot be read.
fn given(state: &State, address: u32, form: Form) -> Option<[u64; 2]> {
    let mut limit = [0; 2];
    for (value, place) in limit.iter_mut().zip(0..) {
        *value = match form {
            Form::Wide => state.memory.read_u64(address.wrapping_add(8 * place)).ok()?,
            Form::Old | Form::Narrow => match state.memory.read_u32(address.wrapping_add(4 * place)).ok()? {
                INFINITE_32 => INFINITE,
                value => u64::from(value),
            },
        };
    }
    Some(limit)
}

impl Process {
    /// Serves `prlimit64`, which includes the calls for the caller's own limits: sets a limit from `new` and stores
    /// its former value at `old`, each unless its address is 0.
    pub(super) fn limit(&mut self, state: &mut State, which: u32, new: u32, old: u32, form: Form) -> u32 {
        let Some(which) = Some(which as usize).filter(|&which| which < COUNT) else {
            return EINVAL;
        };
        let given = match new {
            0 => None,
            new => match given(state, new, form) {
                Some(given) => Some(given),
                None => return EFAULT,
            },
        };
        let before = self.limits;
        if let Some([current, most]) = given {
            if current > most {
                return EINVAL;
            }
            if most > before.0[which][1] {
                return EPERM;
            }
            self.limits.0[which] = [current, most];
            if which == STACK {
                // A stack that has grown beyond a limit of this run does not exist in the next one.
                self.remapped = true;
                self.bound_stack(state);
            }
        }
        match old {
            0 => 0,
            old => before.tell(state, which, old, form).map_or(EFAULT, |()| 0),
        }
    }

    /// Serves `prlimit64` for the process `number`; 0 is the caller.
    pub(super) fn limit_of(&mut self, state: &mut State, number: u32, [which, new, old]: [u32; 3]) -> u32 {
        match number {
            0 | THREAD => self.limit(state, which, new, old, Form::Wide),
            _ if which as usize >= COUNT => EINVAL,
            _ => ESRCH,
        }
    }
}
