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
    ways: Vec<[Entry; 4]>,
    random: u16,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    attached: u32,
    target: u32,
    // 0 strongly not taken, which is an empty entry, to 3 strongly taken.
    state: u8,
    used: bool,
    // The group in which it was last updated.
    updated: u64,
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
    /// An empty buffer of `sets` sets.
    pub(crate) fn new(sets: u32) -> Btb {
        let empty = Entry {
            attached: 0,
            target: 0,
            state: 0,
            used: false,
            updated: 0,
        };
        Btb {
            ways: vec![[empty; 4]; sets as usize],
            random: 0xACE1,
        }
    }

    /// Looks up the entry attached to `attached`.
    #[inline(always)]
    pub(crate) fn lookup(&self, attached: u32) -> Option<Found> {
        let set = attached as usize & (self.ways.len() - 1);
        for (way, entry) in self.ways[set].iter().enumerate() {
            if entry.attached == attached && entry.used {
                let (taken, hit) = (entry.state >= 2, entry.state > 0);
                return Some(Found {
                    way: way as u8,
                    set: set as u8,
                    target: entry.target,
                    taken,
                    hit,
                });
            }
        }
        None
    }

    /// Moves a found entry's counter by the outcome, in group number `group`; `forwarded` groups is how long an update
    /// takes to be written back.
    #[inline(always)]
    pub(crate) fn update(&mut self, found: Found, taken: bool, target: u32, group: u64, forwarded: u64) {
        let entry = &mut self.ways[usize::from(found.set)][usize::from(found.way)];
        entry.state = match (entry.state, taken) {
            (0, true) if group.wrapping_sub(entry.updated) <= forwarded => 1,
            (0, true) => 3,
            (state, true) => (state + 1).min(3),
            (state, false) => state.saturating_sub(1),
        };
        if taken {
            entry.target = target;
        }
        entry.updated = group;
    }

    /// Adds an entry for a taken branch.
    pub(crate) fn allocate(&mut self, attached: u32, target: u32, group: u64) {
        let set = attached as usize & (self.ways.len() - 1);
        let way = match self.ways[set].iter().position(|entry| !entry.used) {
            Some(free) => free,
            None => {
                // A 16-bit linear feedback shift register, taps 16, 14, 13, 11.
                let bit = (self.random ^ self.random >> 2 ^ self.random >> 3 ^ self.random >> 5) & 1;
                self.random = self.random >> 1 | bit << 15;
                usize::from(self.random & 3)
            }
        };
        self.ways[set][way] = Entry {
            attached,
            target,
            state: 3,
            used: true,
            updated: group,
        };
    }

    /// Forgets every branch.
    pub(crate) fn flush(&mut self) {
        let sets = self.ways.len() as u32;
        *self = Btb::new(sets);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_state_machine() {
        let mut btb = Btb::new(64);
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
        let mut btb = Btb::new(64);
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
