//! The legal orders of straight code.
//!
//! Two instructions keep their order if one writes a part of a register that the other uses, if one writes memory that
//! the other's access may overlap, or if one of them is fixed. Flags are written far more often than they are read, so
//! their writers may change places: each reader only has to find a flag from the same writer as before, and so does the
//! code that follows. Several additions to one register may change places as well, and so may several of one logical
//! operation, if nothing reads the flags that they set.

use super::addresses::{Address, addresses};
use super::effects::{Effects, FLAGS};
use iced_x86::{Instruction, InstructionInfoFactory};

const FLAG_COUNT: usize = FLAGS.count_ones() as usize;
/// The number that stands for a writer before the code.
const BEFORE: u8 = u8::MAX;

/// The dependences between the instructions of straight code, which limit their order.
#[derive(Clone, Debug)]
pub struct Dependences {
    effects: Vec<Effects>,
    addresses: Vec<Vec<Address>>,
    // For each instruction, the instructions that must precede it, one bit each.
    before: Vec<u64>,
    // For each instruction, the writers of the flags that it finds.
    sources: Vec<[u8; FLAG_COUNT]>,
    // For each instruction, the instructions that read its flags, one bit each; the last entry has those that read
    // flags from before the code.
    readers: Vec<[u64; FLAG_COUNT]>,
    // The last writer of each flag that is read after the code.
    last: [Option<u8>; FLAG_COUNT],
}

/// An order that is not yet complete.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed {
    pub(super) done: u64,
    writers: [u8; FLAG_COUNT],
}

impl Placed {
    pub(super) const NOTHING: Placed = Placed {
        done: 0,
        writers: [BEFORE; FLAG_COUNT],
    };
}

impl Dependences {
    /// The dependences of `instructions`: at most 64, of which only the last may be a branch. The code that follows
    /// reads `live_flags`.
    pub fn of(instructions: &[Instruction], live_flags: u32) -> Dependences {
        assert!(instructions.len() <= 64, "one bit for each instruction");
        let mut factory = InstructionInfoFactory::new();
        let effects: Vec<Effects> = instructions.iter().map(|one| Effects::of(one, &mut factory)).collect();
        let addresses = addresses(instructions, &effects);
        let mut writers = Placed::NOTHING.writers;
        let mut sources = Vec::with_capacity(effects.len());
        for (index, effects) in effects.iter().enumerate() {
            sources.push(writers);
            for flag in flags(effects.flags_written) {
                writers[flag] = index as u8;
            }
        }
        let mut readers = vec![[0; FLAG_COUNT]; effects.len() + 1];
        for (index, (effects, sources)) in effects.iter().zip(&sources).enumerate() {
            for flag in flags(effects.flags_read | effects.flags_kept) {
                let writer = usize::from(sources[flag]).min(readers.len() - 1);
                readers[writer][flag] |= 1 << index;
            }
        }
        let mut last = writers.map(Some);
        for flag in flags(FLAGS & !live_flags) {
            last[flag] = None;
        }
        let unread = |index: usize| readers[index] == [0; FLAG_COUNT] && !last.contains(&Some(index as u8));
        let alike = |one: usize, other: usize| {
            let gathers = effects[one].gathers;
            gathers.is_some() && gathers == effects[other].gathers && unread(one) && unread(other)
        };
        let mut before = vec![0; effects.len()];
        for later in 0..effects.len() {
            for earlier in 0..later {
                let [one, other] = [&effects[earlier], &effects[later]];
                let ordered = !alike(earlier, later)
                    && (is_ordered(one, other) || overlap(&addresses[earlier], &addresses[later]));
                before[later] |= u64::from(ordered) << earlier;
            }
        }
        Dependences {
            effects,
            addresses,
            before,
            sources,
            readers,
            last,
        }
    }

    /// The number of instructions, at most 64.
    pub fn len(&self) -> usize {
        self.effects.len()
    }

    /// Whether there are no instructions.
    pub fn is_empty(&self) -> bool {
        self.effects.is_empty()
    }

    /// Whether the instructions compute the same in this order, which names each of them once.
    pub fn allow(&self, order: &[usize]) -> bool {
        let mut placed = Placed::NOTHING;
        order.iter().all(|&index| {
            let allowed = self.may_follow(&placed, index);
            self.place(&mut placed, index);
            allowed
        })
    }

    /// Whether `later` needs what `earlier` leaves, or has to wait until `earlier` has read what it overwrites.
    pub(super) fn precedes(&self, earlier: usize, later: usize) -> bool {
        let flags_of = |writer: usize| self.readers[writer].iter().fold(0, |all, readers| all | readers);
        (self.before[later] >> earlier | flags_of(earlier) >> later) & 1 != 0
    }

    pub(super) fn addresses(&self, index: usize) -> &[Address] {
        &self.addresses[index]
    }

    /// Whether instruction `index` may come next.
    pub(super) fn may_follow(&self, placed: &Placed, index: usize) -> bool {
        if placed.done >> index & 1 != 0 || self.before[index] & !placed.done != 0 {
            return false;
        }
        let effects = &self.effects[index];
        let own = &self.sources[index];
        flags(effects.flags_read | effects.flags_kept).all(|flag| placed.writers[flag] == own[flag])
            && flags(effects.flags_written).all(|flag| self.may_write(placed, index, flag))
    }

    /// Whether no other instruction still has to read the present value of a flag, and this value is not the one for
    /// the code that follows.
    fn may_write(&self, placed: &Placed, index: usize, flag: usize) -> bool {
        let writer = placed.writers[flag];
        let readers = self.readers[usize::from(writer).min(self.readers.len() - 1)][flag];
        let waiting = readers & !placed.done & !(1 << index);
        waiting == 0 && self.last[flag] != Some(writer)
    }

    /// Appends instruction `index` to the order.
    pub(super) fn place(&self, placed: &mut Placed, index: usize) {
        placed.done |= 1 << index;
        for flag in flags(self.effects[index].flags_written) {
            placed.writers[flag] = index as u8;
        }
    }
}

fn flags(set: u32) -> impl Iterator<Item = usize> {
    (0..FLAG_COUNT).filter(move |&flag| set >> flag & 1 != 0)
}

fn is_ordered(earlier: &Effects, later: &Effects) -> bool {
    earlier.fixed
        || later.fixed
        || earlier.writes.meets(later.reads)
        || earlier.writes.meets(later.writes)
        || earlier.reads.meets(later.writes)
}

/// Whether one access writes bytes that another may access.
fn overlap(earlier: &[Address], later: &[Address]) -> bool {
    earlier.iter().any(|earlier| {
        later
            .iter()
            .any(|later| (earlier.write || later.write) && !earlier.is_apart(later))
    })
}
