//! What a fragment, lines without a program around them, needs before it can run: addresses of memory where registers
//! address memory, counts where they count, and full registers of the floating-point stack.
//!
//! `flow` finds the registers and the memory whose first values the code does not say, `loops` what ends its loops,
//! `uses` what each value is for; `scratch` and `tell` have the result. The numbers here are chosen so that a loop
//! comes to rest and its data stay in the first level cache.

mod contents;
mod counts;
mod ends;
mod flow;
mod loops;
mod named;
mod recursion;
mod round;
mod scratch;
mod spread;
mod tell;
mod uses;
mod value;
mod width;
mod zeroes;

use ends::End;
use flow::Flow;
use iced_x86::Register;
use loops::{Check, Control, Last, Loop};
use p5_image::{Assumed, Image, Place, Preset, REAL_RETURN, STACK_HEADROOM, STACK_TOP, Start};
use scratch::{Filling, Scratch, segment};
use std::collections::BTreeMap;
use std::ops::Range;
use uses::{Access, Role, Uses};
use value::{ESP, Origin, Value};
use width::{NARROW_END, NARROW_STACK, Width};

/// The numbers of rounds that are tried for a loop, the largest first; the first whose data fit is taken.
const ROUNDS: [u32; 7] = [1000, 500, 250, 100, 50, 20, 10];
/// The rounds of a loop around another one.
const OUTER_ROUNDS: u32 = 10;
/// The bytes of scratch memory for one pointer, for up to three, and for each of more: half of a data cache in all.
const SCRATCH: [u32; 3] = [4096, 2048, 1024];
/// The most bytes for one pointer.
const MOST_SCRATCH: u32 = 1 << 16;
/// The unused bytes between scratch memories, and before the first and after the last one.
const BETWEEN: u32 = 32;
/// How much farther from the beginning of a cache line the memory of each pointer is than that of the one before it, so
/// that they begin in other banks: two of them, as a real or an MMX word needs both and its alignment.
const NEXT_BANKS: u32 = 8;
const AROUND: u32 = 1 << 16;
/// The distance of scratch memory from a multiple of 64 KiB if there are regions: the data of the macros and those of
/// the program begin at the same sets of a cache of two ways, which a third line there would evict in each pass.
const APART: u32 = 2048;
/// A divisor.
const DIVISOR: i32 = 3;
/// The factor by which a count that is only computed from a value is smaller than that, at most as a rule.
const COMPUTED: i32 = 16;

/// What is given to a fragment: registers by their numbers, and arguments on the stack by their distances from the
/// return address.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The general registers.
    pub registers: [Option<u32>; 8],
    /// The arguments, which only a fragment of 32-bit code has.
    pub arguments: BTreeMap<u32, u32>,
}

/// The registers, the memory and the loops that `image`, a fragment, needs beside those that are `given`; with the
/// segments of scratch memory. What needs nothing is no fragment. The image has to be as the assembler has made it.
pub fn assume(image: &mut Image, given: &Given) -> Preset {
    let mut preset = Preset {
        registers: given.registers,
        ..Preset::default()
    };
    let Some(fragment) = image.fragment.clone() else {
        return preset;
    };
    if let Start::Real(start) = &mut image.start {
        // It is called, as 32-bit code is, and finds some bytes above its return address.
        let (_, offset) = REAL_RETURN;
        start.top = NARROW_STACK + 2;
        image.stack = offset.to_le_bytes().to_vec();
    }
    let base = Width::of(image).base;
    let supplied: Vec<Range<u32>> = image
        .symbols
        .iter()
        .filter(|symbol| {
            let named = |one: &Assumed| matches!(one, Assumed::Data { name, .. } if *name == symbol.name);
            fragment.supplied.iter().any(named)
        })
        .map(|symbol| symbol.value - base..symbol.value - base + symbol.size)
        .collect();
    // Code that is too long to be followed has its arguments, too.
    let stack = Width::of(image).stack;
    let arguments = given.arguments.iter();
    preset.memory = arguments
        .map(|(distance, value)| (stack + distance, value.to_le_bytes().to_vec()))
        .collect();
    let Some(mut flow) = Flow::of(image, supplied, given) else {
        return preset;
    };
    let loops = loops::loops(&mut flow);
    let reached = loops.iter().filter(|of| flow.states[of.branch].is_some());
    preset.loops = reached.map(|of| flow.code[of.branch].ip32()).collect();
    let uses = Uses::of(&mut flow, &loops, image);
    let mut choice = Choice {
        values: vec![None; flow.origins.len()],
        told: vec![None; flow.origins.len()],
        flow,
        loops,
        uses,
        preset,
        scratch: Vec::new(),
        contents: Vec::new(),
        ends: Vec::new(),
        moved: Vec::new(),
        recursion: 0,
        image,
    };
    choice.find_ends();
    choice.frame();
    choice.recur();
    choice.count();
    choice.place();
    choice.bounds();
    choice.move_ends();
    choice.tell();
    let named = choice.extents();
    choice.fill(&named);
    let zeroes = choice.zeroes();
    let Choice {
        mut preset,
        scratch,
        contents,
        moved,
        flow,
        image,
        ..
    } = choice;
    let says = |one: &Assumed| {
        !matches!(
            one,
            Assumed::Rounds { .. } | Assumed::Floating { .. } | Assumed::Contents { .. }
        )
    };
    if fragment.supplied.is_empty() && given.arguments.is_empty() && !preset.assumed.iter().any(says) {
        // It sets all that it needs, and is a program, which may go on for ever.
        image.fragment = None;
        return Preset {
            registers: given.registers,
            ..Preset::default()
        };
    }
    // Data that holds a pointer or a number has been told of.
    let told = |name: &str| {
        preset.assumed.iter().any(|one| match one {
            Assumed::Pointer { place, .. } | Assumed::Number { place, .. } | Assumed::Beyond { place, .. } => {
                *place == Place::Memory(name.to_owned())
            }
            _ => false,
        })
    };
    let supplied = fragment.supplied.into_iter();
    let supplied: Vec<Assumed> = supplied
        .filter(|one| !matches!(one, Assumed::Data { name, .. } if told(name) || moved.contains(name)))
        .map(|one| named::sized(one, &named))
        .collect();
    preset.assumed.extend(supplied);
    preset.assumed.extend(zeroes);
    preset.assumed.extend(contents);
    for (name, bytes) in named.into_iter().filter(|(name, _)| !moved.contains(name)) {
        let symbol = image.symbols.iter_mut().find(|symbol| symbol.name == name);
        symbol.into_iter().for_each(|symbol| symbol.size = bytes);
    }
    if let Some(segment) = segment(scratch, flow.width) {
        image.segments.push(segment);
        image.segments.sort_by_key(|segment| segment.address);
    }
    preset
}

struct Choice<'a> {
    flow: Flow,
    loops: Vec<Loop>,
    uses: Uses,
    /// The value of each origin that has one.
    values: Vec<Option<i32>>,
    /// The assumption about each origin that the user is told.
    told: Vec<Option<Told>>,
    preset: Preset,
    scratch: Vec<Scratch>,
    /// What memory holds.
    contents: Vec<Assumed>,
    /// The names of ends of data, and those that were moved.
    ends: Vec<End>,
    moved: Vec<String>,
    /// The arguments that end the calls of a function by itself, one bit each.
    recursion: u64,
    image: &'a mut Image,
}

#[derive(Clone, Copy)]
enum Told {
    /// A pointer to this many bytes of scratch memory, and what fills that.
    Pointer(u32, Filling),
    Number,
    /// An address beyond that of another origin.
    Beyond(u8),
}

impl Choice<'_> {
    fn role(&self, origin: u8) -> Role {
        self.uses.roles.get(usize::from(origin)).copied().unwrap_or_default()
    }

    /// The origins that address memory, except for the stack pointer, which has it.
    fn pointers(&self) -> impl Iterator<Item = u8> {
        let stack = |origin: u8| matches!(self.flow.origins[usize::from(origin)], Origin::Register(ESP));
        (0..self.flow.origins.len() as u8).filter(move |&origin| self.role(origin).pointer && !stack(origin))
    }

    /// The bytes of scratch memory for each pointer.
    fn share(&self) -> u32 {
        let tables = match &self.image.fragment {
            Some(fragment) if !fragment.scratch.is_empty() => fragment
                .scratch
                .len()
                .saturating_sub(self.ends.len() + self.moved.len()),
            _ => self.uses.tables,
        };
        let pointers = self.pointers().count() + tables;
        SCRATCH[match pointers {
            0 | 1 => 0,
            2 | 3 => 1,
            _ => 2,
        }]
    }

    /// The rounds of a loop whose data fit.
    fn rounds(&self, of: &Loop) -> u32 {
        if of.outer {
            return OUTER_ROUNDS;
        }
        let strides = self.uses.accesses.iter().filter(|access| of.holds(access.at));
        let stride = strides.filter_map(|access| access.stride).map(i32::unsigned_abs).max();
        let (share, stride) = (self.share(), stride.unwrap_or(0).max(1));
        // Above the stack pointer the stack ends soon.
        let stack = self
            .uses
            .accesses
            .iter()
            .filter(|access| of.holds(access.at) && access.pointer == Some(ESP));
        let up = stack.filter_map(|access| access.stride).max().unwrap_or(0).max(0) as u32;
        let fits = |rounds: &&u32| {
            let within = |stride: u32, most: u32| rounds.checked_mul(stride).is_some_and(|bytes| bytes <= most);
            within(stride, share) && within(up, STACK_HEADROOM - 16)
        };
        *ROUNDS.iter().find(fits).unwrap_or(&OUTER_ROUNDS)
    }

    fn set(&mut self, origin: u8, value: i32, told: Told) {
        let at = usize::from(origin);
        if self.values[at].is_none() && !matches!(self.flow.origins[at], Origin::Register(ESP)) {
            self.values[at] = Some(value);
            self.told[at] = Some(told);
        }
    }

    /// What an index is before its loop.
    fn index_at_first(&self, value: Value) -> i64 {
        let known = match value.exact {
            Some((Some(origin), distance)) => {
                self.values[usize::from(origin)].map(|known| known.wrapping_add(distance))
            }
            Some((None, number)) => Some(number),
            None => None,
        };
        i64::from(known.unwrap_or(0))
    }

    /// The bytes from a pointer's value that an access reaches, over the rounds of its loop.
    fn reach(&self, access: &Access) -> (i64, i64) {
        let start = i64::from(access.distance) + self.index_at_first(access.index) * i64::from(access.scale);
        let of = self.loops.iter().find(|of| of.holds(access.at) && !of.outer);
        let rounds = of.map_or(0, |of| match of.control {
            Control::Known(known) => i64::from(self.rounds(of).max(known)),
            _ => i64::from(self.rounds(of)),
        });
        let moved = start + rounds * i64::from(access.stride.unwrap_or(0));
        let repeated = self.repeated(access);
        let spread = self.spread(access);
        let wrapped = i64::from(self.wrapped(access));
        if wrapped > 0 {
            return (start.min(0), start.max(0) + wrapped);
        }
        (
            start.min(moved),
            start.max(moved) + i64::from(access.size.max(1)) * repeated + spread,
        )
    }

    /// How often a repeated string instruction accesses memory.
    fn repeated(&self, access: &Access) -> i64 {
        let instruction = &self.flow.code[access.at];
        let repeats =
            instruction.is_string_instruction() && (instruction.has_rep_prefix() || instruction.has_repne_prefix());
        let state = self.flow.states[access.at].as_ref();
        let count = state
            .filter(|_| repeats)
            .map(|state| self.index_at_first(state.value(Register::ECX)));
        count.map_or(1, |count| count.clamp(1, i64::from(MOST_SCRATCH)))
    }

    /// Gives each pointer its memory.
    fn place(&mut self) {
        let width = self.flow.width;
        let last = self
            .image
            .segments
            .iter()
            .map(|segment| segment.address as u64 + segment.bytes.len() as u64 + u64::from(segment.zeroes));
        let last = last.max();
        let end = last.unwrap_or(0).max(u64::from(STACK_TOP)) as u32;
        let mut next = end.next_multiple_of(1 << 16) + AROUND;
        if width.is_narrow() {
            next = (last.unwrap_or(0) as u32 - width.base).next_multiple_of(BETWEEN) + BETWEEN;
        }
        let begin = next;
        if !self.image.regions.is_empty() {
            next += APART;
        }
        if !width.is_narrow() {
            next += self.beside_names();
        }
        // Whichever the code uses first: another order of the same instructions finds the same memory.
        let mut pointers: Vec<u8> = self.pointers().collect();
        pointers.sort_by_cached_key(|&origin| self.flow.way(origin));
        for origin in pointers {
            let at = usize::from(origin);
            if self.values[at].is_some() {
                continue;
            }
            if let Origin::Memory { base: Some(base), .. } = self.flow.origins[at]
                && self.is_list(base)
            {
                // The elements of a list are all the same.
                continue;
            }
            let reached: Vec<(i64, i64)> = self
                .uses
                .accesses
                .iter()
                .filter(|access| access.pointer == Some(origin))
                .map(|access| self.reach(access))
                .collect();
            let first = reached.iter().map(|reach| reach.0).min().unwrap_or(0).min(0);
            let end = reached.iter().map(|reach| reach.1).max().unwrap_or(0).max(4);
            let limit = i64::from(match width.is_narrow() {
                true => SCRATCH[0],
                false => MOST_SCRATCH,
            });
            let before = ((-first).min(limit) as u32).next_multiple_of(BETWEEN);
            let accesses = self.uses.accesses.iter();
            let accesses = accesses.filter(|access| access.pointer == Some(origin));
            let wrapped = accesses.map(|access| self.wrapped(access)).max().unwrap_or(0);
            let bytes = ((end.min(limit) - first.max(-limit)) as u32)
                .next_power_of_two()
                .max(64);
            if width.is_narrow() && next + before + bytes > NARROW_END {
                // All of them are in one segment: memory of several pointers is the same.
                next = begin;
            }
            // Unrelated pointers seldom meet in the same bank of the data cache.
            let address = match wrapped {
                0 => next + NEXT_BANKS * (self.scratch.len() as u32 % (BETWEEN / NEXT_BANKS)),
                size => (next + before).next_multiple_of(size) - before,
            };
            next = address + before + bytes + BETWEEN;
            next = next.next_multiple_of(BETWEEN);
            let filling = self.filling(origin);
            self.scratch.push(Scratch {
                address,
                bytes: before + bytes,
                filling,
            });
            self.set(origin, (address + before) as i32, Told::Pointer(bytes, filling));
        }
    }

    /// Whether a pointer may lead along a list: it moves on, and is not the stack pointer.
    fn is_list(&self, base: u8) -> bool {
        let fixed = matches!(self.flow.origins[usize::from(base)], Origin::Register(ESP));
        let mut from = self.uses.accesses.iter().filter(|access| access.pointer == Some(base));
        !fixed && from.any(|access| access.moves)
    }

    /// Sets the values that pointers and counts run up to, and writes all values to registers and memory.
    fn bounds(&mut self) {
        for number in 0..self.loops.len() {
            let Loop { control, .. } = self.loops[number];
            let Control::Count {
                first,
                step,
                last: Last::Value(last),
            } = control
            else {
                continue;
            };
            let rounds = self.rounds(&self.loops[number]);
            let at_first = self.known(first);
            if let Some((origin, count)) = self.elements(first, step, last, rounds)
                && self.values[usize::from(origin)] == Some(count)
            {
                continue;
            }
            let Some((Some(origin), distance)) = last.exact.filter(|_| at_first.is_some()) else {
                if let Some(at_first) = at_first {
                    self.set_each(last.one_of(), at_first.wrapping_add(step.wrapping_mul(rounds as i32)));
                }
                self.end_after(number, rounds);
                continue;
            };
            if self.role(origin).pointer {
                self.end_after(number, rounds);
                continue;
            }
            let reached = at_first.unwrap_or(0).wrapping_add(step.wrapping_mul(rounds as i32));
            let from = first
                .exact
                .and_then(|(origin, _)| origin)
                .filter(|&from| self.role(from).pointer);
            let told = from.map_or(Told::Number, Told::Beyond);
            self.set(origin, reached.wrapping_sub(distance), told);
        }
        self.checks();
    }

    /// Sets the lengths that an index is only compared with to what it reaches.
    fn checks(&mut self) {
        for number in 0..self.loops.len() {
            let rounds = self.rounds(&self.loops[number]) as i32;
            for at in 0..self.loops[number].checks.len() {
                let Check { first, step, last } = self.loops[number].checks[at];
                let Some(first) = self.known(first) else { continue };
                let of = match last.exact {
                    Some((Some(origin), 0)) => 1 << origin,
                    _ => last.one_of(),
                };
                self.set_each(of, first.wrapping_add(step.wrapping_mul(rounds)));
            }
        }
    }

    /// A value, if it is a number, an origin with a value, or a register that is 0.
    fn known(&self, value: Value) -> Option<i32> {
        let (origin, distance) = value.exact?;
        let base = match origin {
            None => 0,
            Some(origin) => match (self.values[usize::from(origin)], self.flow.origins[usize::from(origin)]) {
                (Some(known), _) => known,
                (None, Origin::Register(ESP)) => self.flow.width.stack as i32,
                (None, _) => 0,
            },
        };
        Some(base.wrapping_add(distance))
    }
}
