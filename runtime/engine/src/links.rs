//! Links: where the ways out of compiled blocks lead. Code jumps through these places, which are data; after lines that
//! were not at hand, a function looks there.

use p5_timing::pipeline::{AfterCold, ROOM};

/// The number of places for targets of indirect branches.
pub(crate) const TARGETS: usize = 1 << 14;
/// Spreads the units over the places.
pub(crate) const KEY: u32 = 0x9E37_79B1;

/// A target of an indirect branch.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Target {
    next: u32,
    unit: u32,
    code: u64,
}

impl Target {
    const NONE: Target = Target {
        next: 0,
        unit: u32::MAX,
        code: 0,
    };
}

/// The numbers of the engine beside those of a plan: where both ways out of a unit lead.
pub(crate) const LEADS: usize = 0;
/// The number of times that the unit does not enter a loop of its own.
pub(crate) const PASSED_OVER: usize = 2;
/// For each way a byte: how the block begins that it leads to.
pub(crate) const BEGINNINGS: usize = 3;
const _: () = assert!(BEGINNINGS < ROOM);

/// How a block begins, for the block before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// Nothing is known.
    Unknown,
    /// Its first group has a branch.
    Branches,
    /// Its first group has none, and does not wait for the group before it.
    Plain,
}

/// The code that follows replays of a unit whose lines were not at hand.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColdLeads {
    leads: Vec<(AfterCold, u64)>,
    // The one to be replaced next.
    oldest: usize,
}

/// The most of these.
const MOST_COLD: usize = 8;

impl ColdLeads {
    /// The address of the code that follows such a replay, if it is known.
    pub(crate) fn get(&self, after: &AfterCold) -> Option<u64> {
        let (_, code) = self.leads.iter().find(|(one, _)| one == after)?;
        Some(*code)
    }

    pub(crate) fn set(&mut self, after: AfterCold, code: u64) {
        if let Some(lead) = self.leads.iter_mut().find(|(one, _)| *one == after) {
            lead.1 = code;
        } else if self.leads.len() < MOST_COLD {
            self.leads.push((after, code));
        } else {
            self.leads[self.oldest] = (after, code);
            self.oldest = (self.oldest + 1) % MOST_COLD;
        }
    }

    /// Forgets those that lead to one of these places.
    pub(crate) fn forget(&mut self, places: [u64; 2]) {
        self.leads.retain(|lead| !places.contains(&lead.1));
        self.oldest = 0;
    }
}

pub(crate) struct Links {
    targets: Box<[Target; TARGETS]>,
}

impl Links {
    pub(crate) fn new() -> Links {
        let targets = vec![Target::NONE; TARGETS].into_boxed_slice();
        Links {
            targets: targets.try_into().unwrap_or_else(|_| Box::new([Target::NONE; TARGETS])),
        }
    }

    pub(crate) fn address(&self) -> usize {
        self.targets.as_ptr() as usize
    }

    /// Makes the indirect way of `unit` to `next` lead to `code`.
    pub(crate) fn set(&mut self, unit: u32, next: u32, code: u64) {
        self.targets[place(unit, next)] = Target { next, unit, code };
    }

    pub(crate) fn clear(&mut self) {
        self.targets.fill(Target::NONE);
    }

    /// Forgets the targets that lead to one of these places.
    pub(crate) fn forget(&mut self, places: [u64; 2]) {
        let stale = self.targets.iter_mut().filter(|target| places.contains(&target.code));
        stale.for_each(|target| *target = Target::NONE);
    }
}

fn place(unit: u32, next: u32) -> usize {
    next.wrapping_add(unit.wrapping_mul(KEY)) as usize % TARGETS
}

/// Makes a way lead to `code`, which begins so.
pub(crate) fn lead(room: &mut [u64; ROOM], way: usize, code: u64, beginning: Beginning) {
    room[LEADS + way] = code;
    let place = 8 * way;
    room[BEGINNINGS] = room[BEGINNINGS] & !(0xFF << place) | (beginning as u64) << place;
}
