//! Accesses by pointers that walk past the ends of arrays: `add eax,[esi]` and `add esi,4`, once more than there are
//! elements, or `mov [esi+4],eax` as often as there are.
//!
//! A walk is a row of values of one pointer at equal steps, with all accesses by it, whatever their displacements and
//! whether or not each round makes them. It ends where the pointer is set anew. What it does past the end of an array
//! is told if it began in that array and had more accesses there than in other data. For a read, the walk must have
//! gone over the whole array, because less likely harms; and what ends a loop may be a sentinel. One that goes far into
//! other data, or over the whole of the next array, likely means several variables at once: then nothing is told of the
//! instruction.
//!
//! Not noticed: walks at changing steps, string instructions that repeat themselves, pointers on the stack, and an
//! instruction that is only executed past the end.

use super::pointers::{Pointer, Use};
use iced_x86::Instruction;
use p5_image::Image;
use p5_words::registers::Registers;
use rustc_hash::FxHashMap;

/// How many elements a walk by mistake goes at most beyond an array, into other variables.
const MOST_BEYOND: u32 = 4;
/// The most bytes of a step.
const LONGEST_STEP: u32 = 1024;
/// The most walks of a pointer at once: its register may hold several in turn.
const MOST_WALKS: usize = 4;

/// A variable with several elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Array {
    pub(super) start: u32,
    pub(super) size: u32,
    pub(super) element: u32,
    /// The first and the last address of the segment around it.
    pub(super) around: (u32, u32),
    /// Its number in the list of all variables.
    pub(super) symbol: usize,
}

impl Array {
    fn holds(&self, address: u32) -> bool {
        address.wrapping_sub(self.start) < self.size
    }

    /// The distance from the beginning.
    fn distance(&self, address: u32) -> i64 {
        i64::from(address) - i64::from(self.start)
    }

    /// How many bytes an access at `address` ends past the end, or begins before the beginning.
    fn beyond(&self, address: u32) -> u32 {
        self.off(self.distance(address))
    }

    fn off(&self, distance: i64) -> u32 {
        let past = distance + i64::from(self.element) - i64::from(self.size);
        u32::try_from(past.max(-distance)).unwrap_or(0)
    }
}

/// A walk past the end of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beyond {
    pub(super) array: Array,
    pub(super) place: (u32, u32),
    /// Whether the instruction writes there.
    pub(super) writes: bool,
    /// The distance of the first access outside from the beginning of the array.
    pub(super) first: i64,
}

/// The instructions that access memory by a pointer.
#[derive(Clone, Default)]
pub(super) struct Walked {
    arrays: Vec<Array>,
    pointers: Vec<Pointer>,
    // The walks of each pointer, the latest one last.
    walks: Vec<Vec<Walk>>,
    walkers: Vec<Walker>,
    // By the address of an instruction.
    watched: FxHashMap<u32, Watched>,
    // The address of an instruction that comes next, and the pointers and addresses that it accesses.
    next: Option<(u32, Vec<(u32, u32)>)>,
    number: u32,
}

/// What an instruction does to walks.
#[derive(Clone, Default)]
struct Watched {
    /// Of its operands, as indices.
    walkers: Vec<usize>,
    /// The pointers that it sets anew, as indices.
    sets: Vec<usize>,
}

/// One operand of an instruction.
#[derive(Clone)]
struct Walker {
    used: Use,
    pointer: usize,
    place: (u32, u32),
    // The arrays that it was in, of which there are few.
    known: Vec<usize>,
    // The walk and the value of its pointer at the last access.
    last: (u32, u32),
    found: Vec<(Array, i64)>,
    far: bool,
}

#[derive(Clone)]
struct Walk {
    number: u32,
    first: u32,
    last: u32,
    step: Option<i32>,
    // The walkers with the addresses that they accessed.
    accesses: Vec<(usize, u32)>,
}

/// The accesses of one operand in a walk.
#[derive(Clone, Copy)]
struct Row<'a> {
    walker: usize,
    addresses: &'a [(usize, u32)],
    /// That in which most of them are, and their number.
    array: Option<(Array, usize)>,
}

impl Walked {
    /// Watches `instructions`, each with its file and line, and what `all` do to their pointers.
    pub(super) fn of(
        instructions: impl Iterator<Item = (Instruction, (u32, u32))>,
        all: impl Iterator<Item = Instruction>,
        image: &Image,
        mut arrays: Vec<Array>,
    ) -> Walked {
        arrays.sort_by_key(|array| array.start);
        let mut walked = Walked {
            arrays,
            ..Walked::default()
        };
        if walked.arrays.is_empty() {
            return walked;
        }
        for (instruction, place) in instructions {
            for used in Use::all(&instruction, image) {
                let pointer = used.pointer();
                let known = walked.pointers.iter().position(|known| *known == pointer);
                let pointer = known.unwrap_or_else(|| {
                    walked.pointers.push(pointer);
                    walked.walks.push(Vec::new());
                    walked.pointers.len() - 1
                });
                let watched = walked.watched.entry(instruction.ip32()).or_default();
                watched.walkers.push(walked.walkers.len());
                walked.walkers.push(Walker {
                    used,
                    pointer,
                    place,
                    known: Vec::new(),
                    last: (0, 0),
                    found: Vec::new(),
                    far: false,
                });
            }
        }
        let pointers = std::mem::take(&mut walked.pointers);
        for instruction in all.filter(|_| !pointers.is_empty()) {
            let set = |(at, pointer): (usize, &Pointer)| pointer.is_set_by(&instruction).then_some(at);
            let sets: Vec<usize> = pointers.iter().enumerate().filter_map(set).collect();
            if !sets.is_empty() {
                walked.watched.entry(instruction.ip32()).or_default().sets = sets;
            }
        }
        walked.pointers = pointers;
        walked
    }

    /// Whether a run has to be repeated for it.
    pub(super) fn is_needed(&self) -> bool {
        !self.walkers.is_empty()
    }

    /// Notes that the instruction at `address` comes next.
    pub(super) fn come_to(&mut self, address: u32, registers: &Registers) {
        let Some(watched) = self.watched.get(&address) else {
            return;
        };
        let walkers = watched.walkers.iter().filter_map(|&at| self.walkers.get(at));
        let places: Vec<(u32, u32)> = walkers.map(|walker| walker.used.places(registers)).collect();
        let sets = watched.sets.clone();
        self.next = (!places.is_empty()).then_some((address, places));
        for pointer in sets {
            let now = self.pointers.get(pointer).map(|pointer| pointer.value(registers));
            self.end(pointer, now);
        }
    }

    /// Notes that the instruction at `address` has been executed.
    pub(super) fn executed(&mut self, address: u32) {
        let Some((_, places)) = self.next.take_if(|(next, _)| *next == address) else {
            return;
        };
        let walkers = self.watched.get(&address).map(|watched| watched.walkers.clone());
        for (walker, (value, accessed)) in walkers.into_iter().flatten().zip(places) {
            self.accessed(walker, value, accessed);
        }
    }

    /// Notes an access at `address` while its pointer has this value.
    fn accessed(&mut self, at: usize, value: u32, address: u32) {
        let Some(walker) = self.walkers.get_mut(at) else {
            return;
        };
        let pointer = walker.pointer;
        let Some(walks) = self.walks.get_mut(pointer) else {
            return;
        };
        let goes_on = walks.iter_mut().rposition(|walk| walk.goes_on(value));
        let place = goes_on.unwrap_or_else(|| {
            self.number += 1;
            walks.push(Walk {
                number: self.number,
                first: value,
                last: value,
                step: None,
                accesses: Vec::new(),
            });
            walks.len() - 1
        });
        if let Some(walk) = walks.get_mut(place)
            && walker.last != (walk.number, value)
        {
            walker.last = (walk.number, value);
            walk.accesses.push((at, address));
        }
        if walks.len() > MOST_WALKS {
            let oldest = walks.remove(0);
            self.judge(oldest, None);
        }
    }

    /// Ends the walks of a pointer, whose value is `now`, if that is known.
    fn end(&mut self, pointer: usize, now: Option<u32>) {
        let walks = self.walks.get_mut(pointer).map(std::mem::take);
        for walk in walks.into_iter().flatten() {
            self.judge(walk, now);
        }
    }

    /// Notes what a walk that has ended does past the end of an array.
    fn judge(&mut self, mut walk: Walk, now: Option<u32>) {
        let Some(step) = walk.step else {
            return;
        };
        // In the order of time for each operand.
        walk.accesses.sort_by_key(|(walker, _)| *walker);
        let rows = walk.accesses.chunk_by(|one, next| one.0 == next.0);
        let rows: Vec<Row> = rows.filter_map(|addresses| self.row(addresses)).collect();
        for row in &rows {
            if let (Some((array, _)), Some(walker)) = (row.array, self.walkers.get_mut(row.walker))
                && !walker.known.contains(&array.symbol)
            {
                walker.known.push(array.symbol);
            }
        }
        // Of the reads and of the writes of an array, the first past its end.
        let mut first: Vec<(usize, Array, i64)> = Vec::new();
        for row in &rows {
            let Some((array, address)) = self.past(&walk, step, row, &rows, now) else {
                continue;
            };
            let distance = array.distance(address);
            let same = first
                .iter_mut()
                .find(|(walker, known, _)| *known == array && self.writes(*walker) == self.writes(row.walker));
            match same {
                Some(known) if array.off(distance) >= array.off(known.2) => {}
                Some(known) => *known = (row.walker, array, distance),
                None => first.push((row.walker, array, distance)),
            }
        }
        for (walker, array, distance) in first {
            if let Some(walker) = self.walkers.get_mut(walker)
                && walker.found.iter().all(|(known, _)| *known != array)
            {
                walker.found.push((array, distance));
            }
        }
    }

    fn writes(&self, walker: usize) -> bool {
        self.walkers.get(walker).is_some_and(|walker| walker.used.writes())
    }

    /// The array that holds an address.
    fn array_at(&self, address: u32) -> Option<Array> {
        let after = self.arrays.partition_point(|array| array.start <= address);
        let array = self.arrays.get(after.checked_sub(1)?)?;
        array.holds(address).then_some(*array)
    }

    /// The accesses of one operand.
    fn row<'a>(&self, addresses: &'a [(usize, u32)]) -> Option<Row<'a>> {
        let (walker, _) = *addresses.first()?;
        let mut most: Option<(Array, usize)> = None;
        let mut rest = addresses;
        while let Some(&(_, address)) = rest.first() {
            let array = self.array_at(address);
            let is_same = |&(_, other): &(usize, u32)| match array {
                Some(array) => array.holds(other),
                None => self.array_at(other).is_none(),
            };
            let same = rest.iter().position(|one| !is_same(one)).unwrap_or(rest.len());
            if let Some(array) = array
                && most.is_none_or(|(_, count)| same > count)
            {
                most = Some((array, same));
            }
            rest = rest.get(same..).unwrap_or_default();
        }
        Some(Row {
            walker,
            addresses,
            array: most,
        })
    }

    /// The array past whose end the accesses of an operand go by mistake, and the first address there. `rows` has all
    /// accesses of the walk, and `now` the value that its pointer has in the end.
    fn past(
        &mut self,
        walk: &Walk,
        step: i32,
        row: &Row<'_>,
        rows: &[Row<'_>],
        now: Option<u32>,
    ) -> Option<(Array, u32)> {
        // One that only a part of the rounds executes may have no other access in the array.
        let started = rows
            .iter()
            .filter_map(|row| row.array.filter(|(_, inside)| *inside > 1));
        let started: Vec<Array> = started.map(|(array, _)| array).collect();
        let displaced = self.walkers.get(row.walker)?.used.displaced(walk.first);
        let array = match row.array.filter(|(_, inside)| *inside > 1) {
            Some((array, _)) => array,
            None => *started.iter().find(|array| array.holds(displaced))?,
        };
        let outside = |&(_, address): &(usize, u32)| (!array.holds(address)).then_some(address);
        let beyond: Vec<u32> = row.addresses.iter().filter_map(outside).collect();
        let &first = beyond.first()?;
        let starts = |row: &Row<'_>| {
            let walker = self.walkers.get(row.walker);
            walker.is_some_and(|walker| array.holds(walker.used.displaced(walk.first)))
        };
        let begins = array.holds(walk.first) || rows.iter().any(starts);
        let even =
            step.unsigned_abs().is_multiple_of(array.element) || array.element.is_multiple_of(step.unsigned_abs());
        if !begins || !even {
            return None;
        }
        // All that is in the segment may be other variables.
        let is_data = |address: &&u32| (array.around.0..=array.around.1).contains(*address);
        let in_data = beyond.iter().filter(is_data);
        let farthest = in_data.clone().map(|&address| array.beyond(address)).max().unwrap_or(0);
        // What lies outside of all data is no other variable, however far it is.
        let others = in_data.clone().count();
        let far = farthest > MOST_BEYOND * array.element && others > 1
            || others > MOST_BEYOND as usize && others > row.addresses.len() - beyond.len()
            || in_data.clone().any(|&address| self.is_end_of_other(address, &beyond));
        if far {
            self.walkers.get_mut(row.walker)?.far = true;
            return None;
        }
        let walker = self.walkers.get(row.walker)?;
        let inside = row.addresses.len() - beyond.len();
        let told = if walker.used.writes() {
            inside >= in_data.count() || inside == 0
        } else {
            let stopped = beyond.len() == 1 && (walker.used.ends_loops(now == Some(walk.last)));
            !stopped && walk.is_whole(step, array, rows)
        };
        told.then_some((array, first))
    }

    /// Whether an access is the last one of another array whose first one is in `beyond`, too.
    fn is_end_of_other(&self, address: u32, beyond: &[u32]) -> bool {
        let Some(other) = self.array_at(address) else {
            return false;
        };
        let last = |&address: &u32| other.holds(address) && other.size - (address - other.start) <= other.element;
        beyond.contains(&other.start) && beyond.iter().any(last)
    }

    /// The walks past the ends of arrays in the order of files and lines.
    pub(super) fn found(mut self, registers: &Registers) -> Vec<Beyond> {
        for at in 0..self.pointers.len() {
            let now = self.pointers.get(at).map(|pointer| pointer.value(registers));
            self.end(at, now);
        }
        let mut all: Vec<&Walker> = self.walkers.iter().filter(|walker| !walker.far).collect();
        all.sort_by_key(|walker| (walker.place, walker.used.order()));
        let beyond = all.into_iter().filter_map(|walker| {
            let known = |(array, _): &&(Array, i64)| walker.known.contains(&array.symbol);
            let &(array, first) = walker.found.iter().find(known)?;
            Some(Beyond {
                array,
                place: walker.place,
                writes: walker.used.writes(),
                first,
            })
        });
        beyond.collect()
    }
}

impl Walk {
    /// Whether it goes on with this value of its pointer.
    fn goes_on(&mut self, value: u32) -> bool {
        let step = value.wrapping_sub(self.last) as i32;
        let on = match self.step {
            _ if step == 0 => true,
            Some(known) => known == step,
            None => step.unsigned_abs() <= LONGEST_STEP,
        };
        if on && step != 0 {
            (self.step, self.last) = (Some(step), value);
        }
        on
    }

    /// Whether its accesses go over an array from one end to the other, except one element at most.
    fn is_whole(&self, step: i32, array: Array, rows: &[Row<'_>]) -> bool {
        let of_array = rows
            .iter()
            .filter(|row| row.array.is_some_and(|(known, _)| known == array));
        let inside = of_array
            .clone()
            .map(|row| row.array.map_or(0, |(_, inside)| inside))
            .max();
        let addresses = of_array.flat_map(|row| row.addresses.iter().map(|(_, address)| *address));
        let addresses = addresses.chain([self.first]).filter(|address| array.holds(*address));
        let left_out = addresses.map(|address| {
            let before = address - array.start;
            if step > 0 {
                before
            } else {
                (array.size - before).saturating_sub(array.element)
            }
        });
        let (Some(left_out), Some(inside)) = (left_out.min(), inside) else {
            return false;
        };
        left_out < step.unsigned_abs() && inside > 1 || left_out == step.unsigned_abs() && inside > 2
    }
}
