//! The branch target buffer: 256 entries in four ways, each with a target and a counter of four states.
//!
//! Modelled: entries attached to the U-pipe instruction of the group before the branch; the measured state machine, whose
//! lowest state jumps straight to the highest on a taken branch, unless the branch returned before its entry was written
//! back; replacement by a fixed pseudo-random sequence. Not modelled: the exact sequence of the silicon.
//!
//! Source: Agner Fog, Microarchitecture (2020-09), 3.2 and figure 3.4.

/// The branch target buffer.
#[derive(Clone, Debug)]
pub(crate) struct Btb {
    sets: Box<[Set; SETS]>,
    random: u16,
}

/// Sets of four entries.
const SETS: usize = 64;

#[derive(Clone, Copy, Debug)]
struct Set {
    attached: [u32; 4],
    targets: [u32; 4],
    // 0 strongly not taken, which is as good as no entry, to 3 strongly taken.
    states: [u8; 4],
    used: [bool; 4],
    // The group in which each was last updated.
    updated: [u64; 4],
    // The entry found last, looked at first.
    recent: u8,
}

/// What a lookup found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    way: u8,
    set: u8,
    /// Where it says the branch goes.
    pub(crate) target: u32,
    /// Whether it predicts a taken branch.
    pub(crate) taken: bool,
    /// Whether it counts as an entry: in the lowest state it is as good as none.
    pub(crate) hit: bool,
}

impl Btb {
    /// An empty buffer.
    pub(crate) fn new() -> Btb {
        let empty = Set {
            attached: [0; 4],
            targets: [0; 4],
            states: [0; 4],
            used: [false; 4],
            updated: [0; 4],
            recent: 0,
        };
        Btb {
            sets: Box::new([empty; SETS]),
            random: 0xACE1,
        }
    }

    /// Looks up the entry attached to `attached`.
    #[inline(always)]
    pub(crate) fn lookup(&self, attached: u32) -> Option<Found> {
        let index = attached as usize & (SETS - 1);
        let set = &self.sets[index];
        let way = (0..4).find(|&way| set.attached[way] == attached && set.used[way])?;
        let state = set.states[way];
        Some(Found {
            way: way as u8,
            set: index as u8,
            target: set.targets[way],
            taken: state >= 2,
            hit: state > 0,
        })
    }

    /// Whether an entry attached to `attached` predicts a branch taken to `target`; if so it is updated by that outcome.
    /// This is [`Btb::lookup`] and [`Btb::update`] for the outcome that is by far the most frequent.
    #[inline(always)]
    pub(crate) fn taken_as_predicted(&mut self, attached: u32, target: u32, group: u64) -> bool {
        let set = &mut self.sets[attached as usize & (SETS - 1)];
        let mut way = usize::from(set.recent & 3);
        if set.attached[way] != attached || !set.used[way] {
            match (0..4).find(|&way| set.attached[way] == attached && set.used[way]) {
                Some(found) => way = found,
                None => return false,
            }
            set.recent = way as u8;
        }
        let right = set.states[way] >= 2 && set.targets[way] == target;
        if right {
            set.states[way] = 3;
            set.updated[way] = group;
        }
        right
    }

    /// Moves a found entry's counter by the outcome, in group number `group`; `forwarded` groups is how long an update
    /// takes to be written back.
    #[inline(always)]
    pub(crate) fn update(&mut self, found: Found, taken: bool, target: u32, group: u64, forwarded: u64) {
        let (set, way) = (
            &mut self.sets[usize::from(found.set) & (SETS - 1)],
            usize::from(found.way & 3),
        );
        set.states[way] = match (set.states[way], taken) {
            (0, true) if group.wrapping_sub(set.updated[way]) <= forwarded => 1,
            (0, true) => 3,
            (state, true) => (state + 1).min(3),
            (state, false) => state.saturating_sub(1),
        };
        if taken {
            set.targets[way] = target;
        }
        set.updated[way] = group;
    }

    /// Adds an entry for a taken branch.
    pub(crate) fn allocate(&mut self, attached: u32, target: u32, group: u64) {
        let set = &mut self.sets[attached as usize & (SETS - 1)];
        let way = match set.used.iter().position(|used| !used) {
            Some(free) => free,
            None => {
                // A 16-bit linear feedback shift register, taps 16, 14, 13, 11.
                let bit = (self.random ^ self.random >> 2 ^ self.random >> 3 ^ self.random >> 5) & 1;
                self.random = self.random >> 1 | bit << 15;
                usize::from(self.random & 3)
            }
        };
        set.attached[way] = attached;
        set.targets[way] = target;
        set.states[way] = 3;
        set.used[way] = true;
        set.updated[way] = group;
    }

    /// Forgets every branch.
    pub(crate) fn flush(&mut self) {
        *self = Btb::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_state_machine() {
        let mut btb = Btb::new();
        btb.allocate(100, 7, 0);
        let step = |btb: &mut Btb, taken, group| {
            let found = btb.lookup(100).expect("allocated");
            btb.update(found, taken, 7, group, 4);
            btb.lookup(100).expect("still there").taken
        };
        assert!(step(&mut btb, false, 10), "3 to 2 still predicts taken");
        assert!(!step(&mut btb, false, 20), "2 to 1");
        assert!(!step(&mut btb, false, 30), "1 to 0");
        assert!(step(&mut btb, true, 40), "0 to 3, the design's flaw");
        for group in [50, 60, 70] {
            step(&mut btb, false, group);
        }
        assert!(!step(&mut btb, true, 72), "forwarded within four groups: 0 to 1");
        assert!(step(&mut btb, true, 80), "1 to 2");
    }

    #[test]
    fn sixty_four_sets_of_four() {
        let mut btb = Btb::new();
        for way in 0..4 {
            btb.allocate(5 + 64 * way, way, 0);
        }
        for way in 0..4 {
            assert_eq!(btb.lookup(5 + 64 * way).map(|found| found.target), Some(way));
        }
        btb.allocate(5 + 64 * 4, 4, 0);
        assert_eq!((0..5).filter(|way| btb.lookup(5 + 64 * way).is_some()).count(), 4);
    }
}
