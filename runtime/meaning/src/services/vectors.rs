//! `readv` and `writev`: several pieces of memory in one call.

use super::errors::{EBADF, EFAULT, EINVAL};
use super::{Process, Service};
use crate::exec::State;

/// The maximum number of pieces of memory in one call.
const MOST_PARTS: u32 = 1024;

/// The maximum length of a piece: a longer one has a negative length.
const LONGEST_PART: u32 = i32::MAX as u32;

/// The most bytes that one call reads or writes.
pub(super) const MOST_AT_ONCE: u32 = 0x7FFF_F000;

/// The address and the length of piece `index` of a table at `table`, if it can be read.
fn part(state: &State, table: u32, index: u32) -> Option<(u32, u32)> {
    let word = |offset: u32| state.memory.read_u32(table.wrapping_add(8 * index + offset)).ok();
    word(0).zip(word(4))
}

/// Checks the `count` pieces of memory that a table at `table` lists.
///
/// # Errors
/// The answer to the call, if the pieces are invalid.
fn check_parts(state: &State, table: u32, count: u32) -> Result<(), u32> {
    if count > MOST_PARTS {
        return Err(EINVAL);
    }
    for index in 0..count {
        match part(state, table, index) {
            Some((_, length)) if length > LONGEST_PART => return Err(EINVAL),
            Some(_) => {}
            None => return Err(EFAULT),
        }
    }
    Ok(())
}

/// Reads the input into the `count` pieces of memory in a table at `table`, until the input ends. Returns the number of
/// bytes.
pub(super) fn read_parts(
    state: &mut State,
    process: &mut Process,
    descriptor: u32,
    table: u32,
    count: u32,
) -> Option<u32> {
    if process.descriptors.what(descriptor).is_none() {
        return Some(EBADF);
    }
    if let Err(answer) = check_parts(state, table, count) {
        return Some(answer);
    }
    let mut total: u32 = 0;
    for index in 0..count {
        // What is read may overwrite the table.
        let Some((address, length)) = part(state, table, index) else {
            return Some(if total == 0 { EFAULT } else { total });
        };
        let length = length.min(MOST_AT_ONCE - total);
        match process.read_from(state, descriptor, address, length) {
            // What fails after some bytes ends the call.
            None if total > 0 => break,
            Some(answer) if answer as i32 <= -1 && total > 0 => break,
            None => return None,
            Some(answer) if answer as i32 <= -1 => return Some(answer),
            Some(read) => {
                total += read;
                if read < length || total == MOST_AT_ONCE {
                    break;
                }
            }
        }
    }
    Some(total)
}

/// Writes the `count` pieces of memory in a table at `table`. Returns `None` if the program would wait for ever.
pub(super) fn write_parts(
    state: &State,
    process: &mut Process,
    descriptor: u32,
    table: u32,
    count: u32,
) -> Option<(u32, Service)> {
    if process.descriptors.what(descriptor).is_none() {
        return Some((EBADF, Service::Done));
    }
    if let Err(answer) = check_parts(state, table, count) {
        return Some((answer, Service::Done));
    }
    let mut total: u32 = 0;
    for index in 0..count {
        let Some((address, length)) = part(state, table, index) else {
            break;
        };
        let length = length.min(MOST_AT_ONCE - total);
        match process.write_to(state, descriptor, address, length) {
            None if total > 0 => break,
            None => return None,
            Some((answer, service)) if answer as i32 <= -1 => {
                return Some((if total == 0 { answer } else { total }, service));
            }
            Some((written, _)) => {
                total += written;
                if written < length || total == MOST_AT_ONCE {
                    break;
                }
            }
        }
    }
    Some((total, Service::Done))
}
