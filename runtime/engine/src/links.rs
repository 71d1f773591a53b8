//! Links: where the ways out of compiled blocks lead. Code jumps through these places, which are data.

use crate::emit::Code;

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

/// The ways out of a unit: where they lead, and where they begin, which is where they lead at first.
#[repr(C)]
pub(crate) struct Ways {
    lead: [u64; 2],
    outs: [u64; 2],
    /// The number of times that the unit does not enter a loop of its own.
    passed_over: u64,
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

    /// Forgets the targets whose code begins at `code`.
    pub(crate) fn forget(&mut self, code: u64) {
        let stale = self.targets.iter_mut().filter(|target| target.code == code);
        stale.for_each(|target| *target = Target::NONE);
    }
}

fn place(unit: u32, next: u32) -> usize {
    next.wrapping_add(unit.wrapping_mul(KEY)) as usize % TARGETS
}

impl Ways {
    pub(crate) fn new() -> Box<Ways> {
        Box::new(Ways {
            lead: [0; 2],
            outs: [0; 2],
            passed_over: 0,
        })
    }

    /// The addresses of the places of both ways.
    pub(crate) fn places(&self) -> [usize; 2] {
        [0, 1].map(|way: usize| &raw const self.lead[way] as usize)
    }

    /// The address of the number of times that the unit does not enter a loop of its own.
    pub(crate) fn passed_over(&self) -> usize {
        &raw const self.passed_over as usize
    }

    /// Sets where the ways begin.
    pub(crate) fn begin(&mut self, code: &Code) {
        self.outs = code.outs.map(|out| out as u64);
        self.lead = self.outs;
    }

    pub(crate) fn lead(&mut self, way: usize, code: u64) {
        self.lead[way] = code;
    }

    pub(crate) fn cut(&mut self, way: usize) {
        self.lead[way] = self.outs[way];
    }
}
