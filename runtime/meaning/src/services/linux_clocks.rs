//! The clocks of a Linux program, which show simulated time.

use super::Process;
use std::time::Duration;

/// The calendar time at which a run begins, and that of all files: 1 January 1997.
pub(super) const BEGINNING: Duration = Duration::from_secs(852_076_800);

pub(super) fn calendar(process: &Process) -> Duration {
    BEGINNING.saturating_add(process.elapsed)
}

/// The time of clock `number`. All clocks except the calendar's show the time since the run began, and those of the
/// process exclude sleep.
pub(super) fn clock(process: &Process, number: u32) -> Option<Duration> {
    match number {
        0 | 5 | 8 | 11 => Some(calendar(process)),
        2 | 3 => Some(process.elapsed.saturating_sub(process.slept)),
        1 | 4 | 6 | 7 | 9 => Some(process.elapsed),
        _ => None,
    }
}
