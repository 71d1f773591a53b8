//! What a group waited for: the clocks of one wait by cause.

use super::{Cause, CauseCycles};

/// The clocks of one wait by cause. It has room for [`WaitCauses::ROOM`] causes; the clocks of further ones are in
/// the wait, but not here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WaitCauses {
    // In the order they were added; a cause of no clocks ends the list.
    causes: [Option<(Cause, u32)>; WaitCauses::ROOM],
}

impl WaitCauses {
    /// The most causes of one wait that are kept.
    pub const ROOM: usize = 6;

    /// No wait.
    pub const NONE: WaitCauses = WaitCauses {
        causes: [None; WaitCauses::ROOM],
    };

    /// A wait of `clocks` for `cause`.
    pub fn of(cause: Cause, clocks: u32) -> WaitCauses {
        let mut waits = WaitCauses::NONE;
        waits.add(cause, clocks);
        waits
    }

    /// Adds `clocks` of `cause`.
    pub fn add(&mut self, cause: Cause, clocks: u32) {
        if clocks == 0 {
            return;
        }
        let place = self
            .causes
            .iter_mut()
            .find(|place| place.is_none_or(|(known, _)| known == cause));
        if let Some(place) = place {
            let before = place.map_or(0, |(_, before)| before);
            *place = Some((cause, before.saturating_add(clocks)));
        }
    }

    /// The clocks of `cause`.
    pub fn clocks_of(&self, cause: Cause) -> u32 {
        let found = self.causes.iter().flatten().find(|(known, _)| *known == cause);
        found.map_or(0, |&(_, clocks)| clocks)
    }

    /// Whether no cause has any clocks.
    pub fn are_none(&self) -> bool {
        self.causes[0].is_none()
    }

    /// The same wait without the clocks of `cause`.
    pub fn without(&self, cause: Cause) -> WaitCauses {
        let mut others = WaitCauses::NONE;
        for &(other, clocks) in self.causes.iter().flatten().filter(|(other, _)| *other != cause) {
            others.add(other, clocks);
        }
        others
    }

    /// The cause of the most clocks; of several, the one that was added first.
    pub fn main(&self) -> Option<CauseCycles> {
        let mut main: Option<(Cause, u32)> = None;
        for &(cause, clocks) in self.causes.iter().flatten() {
            if main.is_none_or(|(_, most)| clocks > most) {
                main = Some((cause, clocks));
            }
        }
        main.map(|(cause, clocks)| CauseCycles {
            cause,
            cycles: clocks.into(),
        })
    }

    /// The causes, that of the most clocks first.
    pub fn by_size(&self) -> Vec<CauseCycles> {
        let mut causes: Vec<CauseCycles> = self
            .causes
            .iter()
            .flatten()
            .map(|&(cause, clocks)| CauseCycles {
                cause,
                cycles: clocks.into(),
            })
            .collect();
        causes.sort_by_key(|one| std::cmp::Reverse(one.cycles));
        causes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_of_a_cause_add_up_and_the_largest_comes_first() {
        let mut waits = WaitCauses::NONE;
        assert!(waits.are_none() && waits.main().is_none());
        for (cause, clocks) in [
            (Cause::CodeMiss, 35),
            (Cause::Prefix, 0),
            (Cause::CodeTlbMiss, 30),
            (Cause::CodeTlbMiss, 24),
        ] {
            waits.add(cause, clocks);
        }
        let causes: Vec<(Cause, u64)> = waits.by_size().iter().map(|one| (one.cause, one.cycles)).collect();
        assert_eq!(causes, [(Cause::CodeTlbMiss, 54), (Cause::CodeMiss, 35)]);
        assert_eq!(waits.clocks_of(Cause::CodeTlbMiss), 54);
        assert_eq!(waits.without(Cause::CodeTlbMiss), WaitCauses::of(Cause::CodeMiss, 35));
    }

    #[test]
    fn a_cause_without_room_is_left_out() {
        let mut waits = WaitCauses::NONE;
        for &cause in Cause::ALL {
            waits.add(cause, 1);
        }
        assert_eq!(waits.by_size().len(), WaitCauses::ROOM);
    }
}
