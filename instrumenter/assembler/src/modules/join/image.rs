//! The joined program as an image: the lines, names and regions of all modules at their new addresses.

use super::place::Placed;
use super::{Combine, Joined, Module, Target};
use crate::program::MOST_OF_SEGMENT;
use p5_image::dos::{COM_STACK, OWN_STACK, PREFIX, prefix};
use p5_image::{ElementKind, Image, RealStart, Segment, Start, SymbolKind};
use std::collections::HashSet;

/// Where the addresses of a module have gone.
struct Moved {
    /// The first and the last address of each segment in the module's own image, and where the first one is now.
    ranges: Vec<(u32, u32, u32)>,
}

impl Moved {
    fn of(module: &Module, number: usize, placed: &Placed) -> Moved {
        let segments = module.segments.iter().enumerate();
        let ranges = segments.map(|(index, segment)| {
            let end = segment.address + segment.length;
            (segment.address + segment.first.min(segment.length), end, {
                placed.address(number, index as u32) + segment.first.min(segment.length)
            })
        });
        let mut ranges: Vec<_> = ranges.collect();
        ranges.sort_unstable();
        Moved { ranges }
    }

    /// The new address; that after the end of a segment counts as in it.
    fn to(&self, address: u32) -> u32 {
        let inside = |&&(first, end, _): &&(u32, u32, u32)| first <= address && address < end;
        let at_end = |&&(first, end, _): &&(u32, u32, u32)| first <= address && address == end;
        let found = self
            .ranges
            .iter()
            .find(inside)
            .or_else(|| self.ranges.iter().find(at_end));
        found.map_or(address, |&(first, _, now)| address - first + now)
    }
}

impl Placed {
    /// The joined program.
    pub(super) fn joined(
        &self,
        modules: &[Module],
        segmented: bool,
        (first, (segment, offset)): (usize, (u32, u32)),
        paragraphs: Vec<u32>,
    ) -> Joined {
        let entry = self.address(first, segment) + offset;
        let mut image = Image {
            entry,
            ..Image::default()
        };
        let mut constants = HashSet::new();
        for (number, module) in modules.iter().enumerate() {
            let moved = Moved::of(module, number, self);
            add(&mut image, &module.image, &moved, &mut constants);
            if number == first {
                image.end = module.image.end.map(|end| moved.to(end));
            }
        }
        image.lines.sort();
        for outer in self.outer.iter().filter(|outer| outer.length > 0) {
            if matches!(outer.combine, Combine::At(_)) {
                continue;
            }
            let skipped = if segmented { outer.first.min(outer.length) } else { 0 };
            let bytes = outer.bytes.get(skipped as usize..).unwrap_or_default().to_vec();
            image.segments.push(Segment {
                name: outer.name.clone(),
                address: outer.start + skipped,
                zeroes: outer.length - skipped - bytes.len() as u32,
                bytes,
                writable: true,
            });
        }
        image.segments.sort_by_key(|segment| segment.address);
        let begins = image.segments.first().map_or(self.loaded, |segment| segment.address);
        let stack = self.outer.iter().find(|outer| outer.combine == Combine::Stack);
        // What follows directly belongs to another module or segment, and the program may run on into it.
        let starts = |end: u32| {
            let modules = modules.iter().enumerate();
            let mut all = modules.flat_map(|(number, module)| {
                let segments = module
                    .segments
                    .iter()
                    .enumerate()
                    .filter(|(_, segment)| segment.length > 0);
                segments.map(move |(index, segment)| self.address(number, index as u32) + segment.first)
            });
            all.any(|start| start == end)
        };
        image.end = image.end.filter(|&end| !starts(end));
        if segmented {
            let paragraph = |address: u32| (address >> 4) as u16;
            let mut start = RealStart {
                code: paragraph(self.frame(first, Target::Segment(segment), false)),
                data: paragraph(PREFIX),
                ..RealStart::default()
            };
            if self.com {
                start.code = paragraph(PREFIX);
                start.stack = start.code;
                start.top = COM_STACK.wrapping_add(2);
                image.stack = vec![0, 0];
            } else if let Some(stack) = stack {
                start.stack = paragraph(stack.start);
                start.top = ((stack.start & 15) + stack.length + 4).min(MOST_OF_SEGMENT) as u16;
            } else {
                start.stack = paragraph(self.end.next_multiple_of(16));
                start.top = OWN_STACK;
            }
            image.start = Start::Real(start);
            image.segments.insert(0, prefix());
        }
        Joined {
            image,
            paragraphs,
            paragraph_at: None,
            first: begins,
            loaded: self.loaded,
            end: self.end,
            has_stack: stack.is_some(),
        }
    }
}

/// Adds what a module says about its bytes. The `constants` are those of all modules before, by name and value.
fn add<'m>(all: &mut Image, one: &'m Image, moved: &Moved, constants: &mut HashSet<(&'m str, u32)>) {
    let (files, origins) = (all.files.len() as u32, all.origins.len() as u32);
    let structures = all.structures.len() as u32;
    all.files.extend(one.files.iter().cloned());
    let own_library = one.library.map(|library| library + files);
    let library = all.library.or(own_library);
    all.library = library;
    let file = |file: u32| match (own_library, library) {
        // The bundled library is one file, however many modules use it.
        (Some(own), Some(library)) if file + files == own => library,
        _ => file + files,
    };
    all.origins.extend(one.origins.iter().cloned().map(|mut origin| {
        origin.file = file(origin.file);
        origin.parent = origin.parent.map(|parent| parent + origins);
        origin
    }));
    for mut row in one.lines.iter() {
        row.address = moved.to(row.address);
        row.file = file(row.file);
        row.origin = row.origin.map(|origin| origin + origins);
        all.lines.push(row);
    }
    let kind = |kind: ElementKind| match kind {
        ElementKind::Structure(number) => ElementKind::Structure(number + structures),
        kind => kind,
    };
    all.structures
        .extend(one.structures.iter().cloned().map(|mut structure| {
            for field in &mut structure.fields {
                field.kind = kind(field.kind);
            }
            structure
        }));
    for symbol in &one.symbols {
        // Modules share the numbers of their includes; those of one name and different values are all kept.
        if symbol.kind == SymbolKind::Constant && !constants.insert((&symbol.name, symbol.value)) {
            continue;
        }
        let mut symbol = symbol.clone();
        match &mut symbol.kind {
            SymbolKind::Constant => {}
            SymbolKind::Code => symbol.value = moved.to(symbol.value),
            SymbolKind::Data { kind: own, .. } => {
                *own = kind(*own);
                symbol.value = moved.to(symbol.value);
            }
        }
        all.symbols.push(symbol);
    }
    all.regions.extend(one.regions.iter().cloned().map(|mut region| {
        region.file = file(region.file);
        for address in [&mut region.first, &mut region.after, &mut region.done] {
            *address = moved.to(*address);
        }
        for address in &mut region.measured {
            *address = moved.to(*address);
        }
        region
    }));
    let log = one.log.map(|log| p5_image::Log {
        address: moved.to(log.address),
        empty: moved.to(log.empty),
    });
    all.log = all.log.or(log);
}
