//! Calls that wait: `poll`, `select`, `nanosleep` and `futex`.
//!
//! A process with one thread and without input from outside waits for time alone: what is not ready now never will be.
//! Waiting takes no clocks, but advances the time. A wait without an end is refused, except for a lock: the program
//! ends there, since what a C library does after a refusal has nothing to do with the program.

use super::Process;
use super::errors::{EAGAIN, EBADF, EFAULT, EINVAL, EPERM};
use super::linux_clocks::clock;
use super::words::{halves, put};
use crate::exec::State;
use std::time::Duration;

/// The negated error number of a wait whose time is over.
const ETIMEDOUT: u32 = -110i32 as u32;

/// The events of `poll`.
const IN: u16 = 1;
const OUT: u16 = 4;
const ERROR: u16 = 8;
const HANGS_UP: u16 = 0x10;
const INVALID: u16 = 0x20;
/// The events that mean the same as the first two for a file that is no socket.
const NORMAL_IN: u16 = 0x40;
const NORMAL_OUT: u16 = 0x100;

/// How memory holds a length of time: seconds and a part of a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// 32 bits each, with microseconds, of which there may be more than a second.
    Microseconds,
    /// 32 bits each, with nanoseconds.
    Nanoseconds,
    /// 64 bits each, with nanoseconds.
    Wide,
}

impl Form {
    /// The form with nanoseconds.
    pub(super) fn of(wide: bool) -> Form {
        if wide { Form::Wide } else { Form::Nanoseconds }
    }
}

/// How long a call waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    For(Duration),
    Forever,
}

/// The length of time at `address`.
fn time_at(state: &State, address: u32, form: Form) -> Result<Duration, u32> {
    const MICROSECONDS: i64 = 1_000_000;
    const NANOSECONDS: i64 = 1_000_000_000;
    let word = |place: u32| match form {
        Form::Wide => state
            .memory
            .read_u64(address.wrapping_add(8 * place))
            .ok()
            .map(|word| word as i64),
        Form::Microseconds | Form::Nanoseconds => {
            let word = state.memory.read_u32(address.wrapping_add(4 * place)).ok();
            word.map(|word| i64::from(word as i32))
        }
    };
    let (seconds, parts) = word(0).zip(word(1)).ok_or(EFAULT)?;
    let (seconds, parts) = match form {
        Form::Microseconds => (seconds + parts / MICROSECONDS, parts % MICROSECONDS * 1000),
        Form::Nanoseconds | Form::Wide => (seconds, parts),
    };
    match u64::try_from(seconds) {
        Ok(seconds) if (0..NANOSECONDS).contains(&parts) => Ok(Duration::new(seconds, parts as u32)),
        _ => Err(EINVAL),
    }
}

/// Stores a length of time at `address`, if that can be written.
fn put_time(state: &mut State, address: u32, time: Duration, form: Form) {
    let seconds = time.as_secs();
    // The call has been served, whether or not the program can learn the rest of the time.
    let _ = match form {
        Form::Microseconds => put(state, address, &[seconds as u32, time.subsec_micros()]),
        Form::Nanoseconds => put(state, address, &[seconds as u32, time.subsec_nanos()]),
        Form::Wide => {
            let [low, high] = halves(seconds);
            put(state, address, &[low, high, time.subsec_nanos(), 0])
        }
    };
}

/// The wait that a call with a time at `address` asks for; at 0 it is one without an end.
fn wait_at(state: &State, address: u32, form: Form) -> Result<Wait, u32> {
    match address {
        0 => Ok(Wait::Forever),
        _ => time_at(state, address, form).map(Wait::For),
    }
}

/// The wait that `poll` asks for, in milliseconds.
pub(super) fn milliseconds(number: u32) -> Wait {
    match u64::try_from(number as i32) {
        Ok(number) => Wait::For(Duration::from_millis(number)),
        Err(_) => Wait::Forever,
    }
}

impl Process {
    fn pass(&mut self, time: Duration) {
        self.slept = self.slept.saturating_add(time);
    }

    /// Performs what waits at most as long as the time at `address` says, which then holds what is left of it.
    pub(super) fn wait_at_most(
        &mut self,
        state: &mut State,
        address: u32,
        form: Form,
        perform: impl FnOnce(&mut Process, &mut State, Wait) -> Option<u32>,
    ) -> Option<u32> {
        let wait = match wait_at(state, address, form) {
            Ok(wait) => wait,
            Err(answer) => return Some(answer),
        };
        let slept = self.slept;
        let answer = perform(self, state, wait);
        if let Wait::For(time) = wait
            && answer.is_some()
            && !time.is_zero()
        {
            put_time(state, address, time.saturating_sub(self.slept - slept), form);
        }
        answer
    }

    /// Serves `nanosleep`, and `clock_nanosleep` with the number of its clock and its flags.
    pub(super) fn sleep(&mut self, state: &State, address: u32, wide: bool, until: Option<u32>) -> u32 {
        match time_at(state, address, Form::of(wide)) {
            Err(answer) => answer,
            Ok(time) => {
                let now = until.map_or(Some(Duration::ZERO), |number| clock(self, number));
                let Some(now) = now else { return EINVAL };
                self.pass(time.saturating_sub(now));
                0
            }
        }
    }

    /// What a wait in which nothing is ready answers; `None` if it would not end.
    fn wait(&mut self, wait: Wait) -> Option<u32> {
        match wait {
            Wait::For(time) => {
                self.pass(time);
                Some(0)
            }
            Wait::Forever => None,
        }
    }

    /// Serves `poll` of the `count` entries at `table`.
    pub(super) fn poll(&mut self, state: &mut State, table: u32, count: u32, wait: Wait) -> Option<u32> {
        if count > self.limits.descriptors() {
            return Some(EINVAL);
        }
        let mut ready = 0;
        for index in 0..count {
            let entry = table.wrapping_add(8 * index);
            let wanted = state
                .memory
                .read_u32(entry)
                .ok()
                .zip(state.memory.read_u16(entry.wrapping_add(4)).ok());
            let Some((descriptor, wanted)) = wanted else {
                return Some(EFAULT);
            };
            let events = self.events(descriptor, wanted);
            if state.memory.write_u16(entry.wrapping_add(6), events).is_err() {
                return Some(EFAULT);
            }
            ready += u32::from(events != 0);
        }
        if ready > 0 { Some(ready) } else { self.wait(wait) }
    }

    /// What of `wanted` holds for a descriptor, which is ignored if it is negative.
    fn events(&self, descriptor: u32, wanted: u16) -> u16 {
        if (descriptor as i32) < 0 {
            return 0;
        }
        let Some(ready) = self.descriptors.ready(descriptor) else {
            return INVALID;
        };
        let on = |holds: bool, events: u16| if holds { events } else { 0 };
        let reads = on(ready.reads, IN | NORMAL_IN);
        let writes = on(ready.writes, OUT | NORMAL_OUT);
        (reads | writes) & wanted | on(ready.hangs_up, HANGS_UP) | on(ready.broken, ERROR)
    }

    /// Serves `select` of the first `count` descriptors in the sets at `sets`: to be read, to be written, with
    /// exceptions. A set at 0 is none.
    pub(super) fn select(&mut self, state: &mut State, count: u32, sets: [u32; 3], wait: Wait) -> Option<u32> {
        const BITS: u32 = 32;
        if (count as i32) < 0 {
            return Some(EINVAL);
        }
        let count = count.min(self.limits.descriptors());
        let mut found = [const { Vec::new() }; 3];
        let mut ready = 0;
        for (kind, (&set, found)) in sets.iter().zip(&mut found).enumerate() {
            for first in (0..count).step_by(BITS as usize).filter(|_| set != 0) {
                let place = set.wrapping_add(first / 8);
                let Ok(wanted) = state.memory.read_u32(place) else {
                    return Some(EFAULT);
                };
                let mut bits = 0;
                for bit in (0..BITS.min(count - first)).filter(|bit| wanted >> bit & 1 != 0) {
                    let Some(one) = self.descriptors.ready(first + bit) else {
                        return Some(EBADF);
                    };
                    // What does not wait, even if it tells an end or an error, is ready.
                    let holds = [one.reads || one.hangs_up || one.broken, one.writes || one.broken, false][kind];
                    bits |= u32::from(holds) << bit;
                }
                ready += bits.count_ones();
                found.push((place, bits));
            }
        }
        let answer = if ready > 0 { Some(ready) } else { self.wait(wait) };
        if answer.is_some() {
            for (place, bits) in found.into_iter().flatten() {
                if state.memory.write_u32(place, bits).is_err() {
                    return Some(EFAULT);
                }
            }
        }
        answer
    }

    /// Serves `futex`. There is no other thread: a wake finds none that waits, and a wait ends with its time.
    pub(super) fn futex(
        &mut self,
        state: &State,
        [address, operation, value, time]: [u32; 4],
        wide: bool,
    ) -> Option<u32> {
        const PRIVATE: u32 = 0x80;
        const REAL_TIME: u32 = 0x100;
        const WAIT: u32 = 0;
        const WAIT_OF_BITS: u32 = 9;
        if !address.is_multiple_of(4) {
            return Some(EINVAL);
        }
        match operation & !(PRIVATE | REAL_TIME) {
            kind @ (WAIT | WAIT_OF_BITS) => {
                let wait = match wait_at(state, time, Form::of(wide)) {
                    Ok(wait) => wait,
                    Err(answer) => return Some(answer),
                };
                match state.memory.read_u32(address) {
                    Err(_) => return Some(EFAULT),
                    Ok(held) if held != value => return Some(EAGAIN),
                    Ok(_) => {}
                }
                let Wait::For(time) = wait else {
                    self.stuck = Some(address);
                    return None;
                };
                // With bits it is the time at which the wait ends.
                let begun = match kind {
                    WAIT => Some(Duration::ZERO),
                    _ => clock(self, u32::from(operation & REAL_TIME == 0)),
                };
                self.pass(time.saturating_sub(begun.unwrap_or_default()));
                Some(ETIMEDOUT)
            }
            // Wake, and wake those that wait with bits.
            1 | 10 => Some(0),
            // Move those that wait to another place, of which the second call compares first.
            3 | 4 => Some(0),
            _ => None,
        }
    }

    /// Serves `rseq`: a processor that is always the first, on which nothing is interrupted by others.
    pub(super) fn set_restartable(&mut self, state: &mut State, [address, length, flags, mark]: [u32; 4]) -> u32 {
        const EBUSY: u32 = -16i32 as u32;
        const UNREGISTER: u32 = 1;
        const LENGTH: u32 = 32;
        let given = (address, mark);
        match (flags, self.restartable) {
            (UNREGISTER, Some((held, _))) if held != address || length != LENGTH => EINVAL,
            (UNREGISTER, Some((_, held))) if held != mark => EPERM,
            (UNREGISTER, Some(_)) => {
                self.restartable = None;
                // No processor until the next registration.
                put(state, address, &[0, u32::MAX]).map_or(EFAULT, |()| 0)
            }
            (0, Some((held, _))) if held != address || length != LENGTH => EINVAL,
            (0, Some((_, held))) if held != mark => EPERM,
            (0, Some(_)) => EBUSY,
            (0, None) if length != LENGTH || !address.is_multiple_of(LENGTH) => EINVAL,
            (0, None) => match put(state, address, &[0, 0]) {
                Some(()) => {
                    self.restartable = Some(given);
                    0
                }
                None => EFAULT,
            },
            _ => EINVAL,
        }
    }
}
