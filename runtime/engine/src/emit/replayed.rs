//! What code keeps of a replay: where it is in [`Replayed`], and what its numbers mean.

use crate::links;
use p5_timing::pipeline::{AFTERS, Replayed};
use std::mem::offset_of;

/// A way out, by its index.
pub(super) const TAKEN: usize = 0;
pub(super) const FALLEN: usize = 1;

/// The bits of the counter of an entry, and the one of them that is set if it predicts a jump.
pub(super) const STATE: i32 = 3;
pub(super) const PREDICTS: i8 = 2;

/// Offsets in [`Replayed`]. The slot is that in which the branch's entry was found last.
pub(super) const SLOT: i32 = offset_of!(Replayed, slot) as i32;
pub(super) const FILLS: i32 = offset_of!(Replayed, fills) as i32;
pub(super) const LONGER: i32 = offset_of!(Replayed, longer) as i32;
pub(super) const SEEN: i32 = offset_of!(Replayed, seen) as i32;
pub(super) const PASSED: i32 = offset_of!(Replayed, passed) as i32;
const ROOM: i32 = offset_of!(Replayed, room) as i32;
pub(super) const WAYS: i32 = ROOM + 8 * links::LEADS as i32;
pub(super) const PASSED_OVER: i32 = ROOM + 8 * links::PASSED_OVER as i32;
pub(super) const BEGINNINGS: i32 = ROOM + 8 * links::BEGINNINGS as i32;

/// In the numbers of a plan's usual replays, the distance of those with a branch that is mispredicted, and of those
/// with accesses that have waited.
pub(super) const WRONGLY: usize = AFTERS / 4;
pub(super) const WAITED: usize = AFTERS / 2;
