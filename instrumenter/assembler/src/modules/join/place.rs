//! The places of the segments of all modules.

use super::{Combine, Field, Found, Holds, Module, Problem, Target};
use crate::program::MOST_OF_SEGMENT;
use p5_image::dos::{CONVENTIONAL, PREFIX, PREFIX_SIZE};
use p5_words::isa::PAGE;
use std::collections::HashMap;

/// The bytes above a stack for the return address that the program finds.
const BEHIND_STACK: u32 = 16;

/// Segments of all modules that are one.
#[derive(Debug, Default)]
pub(super) struct Outer {
    pub(super) name: String,
    pub(super) combine: Combine,
    pub(super) code: bool,
    alignment: u32,
    rank: u32,
    class: usize,
    group: Option<usize>,
    pub(super) length: u32,
    pub(super) start: u32,
    pub(super) bytes: Vec<u8>,
    /// The offset of the first byte that belongs to it.
    pub(super) first: u32,
}

/// All segments and their places.
#[derive(Debug, Default)]
pub(super) struct Placed {
    pub(super) outer: Vec<Outer>,
    /// The outer segment of each module's segments, and the offset in it.
    places: Vec<Vec<(usize, u32)>>,
    /// The outer group of each module's groups.
    groups: Vec<Vec<usize>>,
    /// The addresses of outer groups.
    starts: Vec<u32>,
    names: Vec<String>,
    segmented: bool,
    pub(super) com: bool,
    /// The address at which a program is loaded, and that after it.
    pub(super) loaded: u32,
    pub(super) end: u32,
}

impl Placed {
    pub(super) fn new(
        modules: &[Module],
        segmented: bool,
        flat: u32,
        paged: bool,
        (first, (entered, _)): (usize, (u32, u32)),
    ) -> Placed {
        let mut placed = Placed {
            segmented,
            ..Placed::default()
        };
        placed.collect(modules);
        let stack = placed.outer.iter().any(|outer| outer.combine == Combine::Stack);
        let entered = placed.places[first].get(entered as usize).map(|&(outer, _)| outer);
        placed.com = modules[first].com && !stack;
        let mut order: Vec<usize> = (0..placed.outer.len()).collect();
        let ordered = modules.iter().any(|module| module.ordered);
        order.sort_by_key(|&index| {
            let outer = &placed.outer[index];
            // A COM file begins with the segment in which it starts; a flat program with its code.
            let begins = placed.com && Some(index) == entered;
            match (segmented, ordered) {
                (true, true) => (!begins, outer.rank, outer.class, index),
                (true, false) => (!begins, 0, outer.class, index),
                (false, _) => (false, u32::from(!outer.code), 0, index),
            }
        });
        placed.loaded = match (segmented, placed.com) {
            (true, true) => PREFIX,
            (true, false) => PREFIX + PREFIX_SIZE,
            _ => flat,
        };
        let mut at = placed.loaded;
        let mut starts = vec![u32::MAX; placed.names.len()];
        for index in order {
            let outer = &mut placed.outer[index];
            if let Combine::At(paragraph) = outer.combine {
                outer.start = u32::from(paragraph) << 4;
                continue;
            }
            let unit = if paged && !segmented {
                PAGE
            } else {
                outer.alignment.clamp(1, PAGE)
            };
            outer.start = at.next_multiple_of(unit);
            if outer.length > 0 {
                at = outer.start.saturating_add(outer.length).min(u32::MAX / 2);
                if outer.combine == Combine::Stack {
                    at += BEHIND_STACK;
                }
                if let Some(start) = outer.group.and_then(|group| starts.get_mut(group)) {
                    *start = (*start).min(outer.start & !15);
                }
            }
        }
        for start in starts.iter_mut().filter(|start| **start == u32::MAX) {
            *start = at & !15;
        }
        placed.starts = starts;
        placed.end = at;
        placed
    }

    /// Finds which segments become one, and fills in their bytes.
    fn collect(&mut self, modules: &[Module]) {
        let mut known: HashMap<(String, String), usize> = HashMap::new();
        let mut classes: Vec<String> = Vec::new();
        for module in modules {
            let groups = module.groups.iter().map(|group| {
                let known = self.names.iter().position(|name| name.eq_ignore_ascii_case(group));
                known.unwrap_or_else(|| {
                    self.names.push(group.clone());
                    self.names.len() - 1
                })
            });
            let groups: Vec<usize> = groups.collect();
            let mut places = Vec::with_capacity(module.segments.len());
            for segment in &module.segments {
                let class = segment.class.to_ascii_lowercase();
                let class_number = classes.iter().position(|one| *one == class).unwrap_or_else(|| {
                    classes.push(class.clone());
                    classes.len() - 1
                });
                let key = match segment.combine {
                    Combine::Stack => ("stack".to_owned(), String::new()),
                    _ => (segment.name.to_ascii_lowercase(), class),
                };
                let fresh = self.outer.len();
                let index = match segment.combine {
                    Combine::Private => fresh,
                    _ => *known.entry(key).or_insert(fresh),
                };
                if index == fresh {
                    self.outer.push(Outer {
                        name: segment.name.clone(),
                        combine: segment.combine,
                        alignment: 1,
                        rank: segment.rank,
                        class: class_number,
                        first: u32::MAX,
                        ..Outer::default()
                    });
                }
                let outer = &mut self.outer[index];
                outer.code |= segment.code;
                outer.alignment = outer.alignment.max(segment.alignment);
                let group = segment.group.and_then(|group| groups.get(group as usize).copied());
                outer.group = outer.group.or(group);
                let offset = match segment.combine {
                    Combine::Common | Combine::At(_) => 0,
                    _ => outer.length.next_multiple_of(segment.alignment.max(1)),
                };
                places.push((index, offset));
                if segment.length > 0 {
                    outer.first = outer.first.min(offset + segment.first);
                    outer.length = outer.length.max(offset + segment.length);
                    let start = (offset + segment.first) as usize;
                    let end = start + segment.bytes.len();
                    if outer.bytes.len() < end && !segment.bytes.is_empty() {
                        let fill = if outer.code { 0x90 } else { 0 };
                        outer.bytes.resize(start.max(outer.bytes.len()), fill);
                        outer.bytes.resize(end, 0);
                    }
                    if let Some(place) = outer.bytes.get_mut(start..end) {
                        place.copy_from_slice(&segment.bytes);
                    }
                }
            }
            self.places.push(places);
            self.groups.push(groups);
        }
    }

    /// Segments and groups that are too large.
    pub(super) fn problems(&self, modules: &[Module]) -> Vec<Problem> {
        let mut problems = Vec::new();
        if !self.segmented {
            return problems;
        }
        let narrow = |index: usize| {
            let mut all = modules.iter().zip(&self.places);
            all.any(|(module, places)| {
                let mut pairs = module.segments.iter().zip(places);
                pairs.any(|(segment, place)| place.0 == index && !segment.wide)
            })
        };
        for (index, outer) in self.outer.iter().enumerate() {
            if outer.length > MOST_OF_SEGMENT && narrow(index) {
                let message = format!("segment `{}` of all modules has {} bytes", outer.name, outer.length);
                problems.push(Problem::new(
                    message,
                    "a 16-bit segment has at most 65536; split it into several",
                ));
            }
        }
        for (group, name) in self.names.iter().enumerate() {
            let members = self
                .outer
                .iter()
                .enumerate()
                .filter(|(_, outer)| outer.group == Some(group));
            let narrow = members.clone().any(|(index, _)| narrow(index));
            let end = members.map(|(_, outer)| outer.start + outer.length).max().unwrap_or(0);
            let size = end.saturating_sub(self.starts[group]);
            if size > MOST_OF_SEGMENT && narrow {
                let message = format!("the segments of group `{name}` span {size} bytes");
                problems.push(Problem::new(
                    message,
                    "no more than 65536 can be reached at a time; move some out of it",
                ));
            }
        }
        if self.end > CONVENTIONAL {
            let most = (CONVENTIONAL - PREFIX) >> 10;
            let message = format!("program is larger than the {most} KiB that DOS has for it");
            problems.push(Problem::new(
                message,
                "make tables and buffers smaller, or allocate them from DOS",
            ));
        }
        problems
    }

    /// The address of offset 0 of a module's segment.
    pub(super) fn address(&self, module: usize, segment: u32) -> u32 {
        let (outer, offset) = self.place(module, segment);
        self.outer.get(outer).map_or(0, |outer| outer.start) + offset
    }

    fn place(&self, module: usize, segment: u32) -> (usize, u32) {
        self.places[module]
            .get(segment as usize)
            .copied()
            .unwrap_or((usize::MAX, 0))
    }

    /// The address of the frame from which offsets in a segment or group count.
    pub(super) fn frame(&self, module: usize, target: Target, own: bool) -> u32 {
        if !self.segmented {
            return 0;
        }
        let of_group = |group: usize| self.starts.get(group).copied().unwrap_or(0);
        match target {
            Target::Group(group) => self.groups[module]
                .get(group as usize)
                .map_or(0, |&group| of_group(group)),
            Target::Segment(segment) => {
                let outer = self.outer.get(self.place(module, segment).0);
                match outer.and_then(|outer| outer.group).filter(|_| !own) {
                    Some(group) => of_group(group),
                    None => outer.map_or(0, |outer| outer.start & !15),
                }
            }
            Target::Symbol(_) => 0,
        }
    }

    /// The value of a field whose target is found; the error says why it does not fit.
    pub(super) fn value(&self, module: usize, field: &Field, found: &Found) -> Result<i64, String> {
        let here = i64::from(self.address(module, field.segment) + field.offset);
        let Some(target) = found.target else {
            if let (Holds::Distance(4), false) = (field.holds, self.segmented) {
                return Ok(found.offset + field.addend - (here + 4));
            }
            return fits(field.holds.part_of(found.offset + field.addend), field.holds);
        };
        let address = match target {
            Target::Segment(segment) => self.address(found.module, segment),
            target => self.frame(found.module, target, false),
        };
        let frame = match field.frame {
            Some(frame) => self.frame(module, frame, true),
            None => self.frame(found.module, target, false),
        };
        let value = i64::from(address) + found.offset + field.addend;
        match field.holds {
            Holds::Paragraph => Ok(i64::from(frame >> 4)),
            Holds::Offset(_) | Holds::LowByte | Holds::HighByte | Holds::LowWord => {
                fits(field.holds.part_of(value - i64::from(frame)), field.holds)
            }
            Holds::Distance(size) => {
                let distance = value - (here + i64::from(size));
                let code = self.frame(module, Target::Segment(field.segment), false);
                if self.segmented && code != frame {
                    return Err("is in another segment, which a near call or jump does not reach".to_owned());
                }
                match size {
                    // Code wraps from FFFFh to offset 0.
                    2 => Ok(i64::from(distance as u16)),
                    _ => Ok(distance),
                }
            }
        }
    }

    /// Writes the value of a field.
    pub(super) fn put(&mut self, module: usize, field: &Field, value: i64) {
        let (index, offset) = self.place(module, field.segment);
        let Some(outer) = self.outer.get_mut(index) else { return };
        let start = (offset + field.offset) as usize;
        let end = start + field.holds.size() as usize;
        if outer.bytes.len() < end {
            outer.bytes.resize(end.min(outer.length as usize), 0);
        }
        if let Some(place) = outer.bytes.get_mut(start..end) {
            place.copy_from_slice(&value.to_le_bytes()[..end - start]);
        }
    }
}

fn fits(value: i64, holds: Holds) -> Result<i64, String> {
    match holds.size() {
        2 if !(-0x8000..=0xFFFF).contains(&value) => Err(format!(
            "is {} bytes from the start of the segment or group, which 16 bits do not hold",
            hexadecimal(value)
        )),
        1 if !(-0x80..=0xFF).contains(&value) => {
            Err(format!("is {}, which does not fit in a byte", hexadecimal(value)))
        }
        _ => Ok(value),
    }
}

fn hexadecimal(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{:X}h", value.unsigned_abs())
}
