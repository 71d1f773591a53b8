//! Addresses for the sections of objects, after the assembled segments.

use super::globals::{GOT, Strength};
use super::{LinkError, Linkage, PlacedSegment, assembled};
use crate::expression::Location;
use crate::program::{Definition, Program};
use crate::session::Session;
use p5_chips::MODELS;
use p5_image::load::{Object, Place, RelocationKind, SectionKind};
use p5_words::isa::PAGE;
use std::collections::HashMap;

/// The order of the segments by address.
const SEGMENTS: [(SectionKind, &str); 4] = [
    (SectionKind::Code, "object code"),
    (SectionKind::Constants, "object constants"),
    (SectionKind::Data, "object data"),
    (SectionKind::Zeroes, "object zeroes"),
];

/// The length of the longest code cache line of any chip: addresses do not depend on the chip.
fn longest_line() -> u64 {
    let lines = MODELS.iter().map(|model| model.geometry.code_cache.line);
    u64::from(lines.max().unwrap_or(1))
}

/// Places the objects after the settled layout, and gives external symbols their addresses. The program's own code ends
/// at `end`.
///
/// Within its page, the code of objects begins one line after the line in which the program's own code ends. It
/// therefore has the cache sets that it would have directly after that code, but not the line that is read ahead there.
pub(crate) fn place(session: &mut Session, program: &mut Program, linkage: &mut Linkage, end: Location) {
    let start = program.layout.end().next_multiple_of(u64::from(PAGE));
    let limit = session.limits.image;
    linkage.sections = linkage
        .objects
        .iter()
        .map(|object| vec![None; object.sections.len()])
        .collect();
    collect_got_entries(linkage);
    let mut commons: HashMap<String, u64> = HashMap::new();
    let line = longest_line();
    let behind = u64::from(program.layout.linear(end) % PAGE).next_multiple_of(line) + line;
    let mut base = start + behind;
    for (kind, name) in SEGMENTS {
        let mut at = base;
        for (object, places) in linkage.objects.iter().zip(&mut linkage.sections) {
            for (section, place) in object.sections.iter().zip(places) {
                if section.kind == kind {
                    let aligned = at.next_multiple_of(u64::from(section.alignment));
                    *place = Some(aligned as u32);
                    // A symbol may mark an empty section, which moves nothing.
                    if section.size > 0 {
                        at = aligned + u64::from(section.size);
                    }
                }
            }
        }
        match kind {
            SectionKind::Data if !linkage.got.entries.is_empty() || linkage.uses_got() => {
                at = at.next_multiple_of(4);
                linkage.got.address = at as u32;
                at += 4 * linkage.got.entries.len().max(1) as u64;
            }
            SectionKind::Zeroes => {
                for (name, global) in linkage.globals.commons() {
                    at = at.next_multiple_of(u64::from(global.alignment.max(1)));
                    commons.insert(name.to_owned(), at);
                    at += u64::from(global.size);
                }
            }
            _ => {}
        }
        if at - start > limit {
            let error = too_large(linkage, limit);
            linkage.report(session, error);
            return;
        }
        if at > base {
            linkage.segments.push(PlacedSegment {
                name,
                kind,
                address: base as u32,
                length: (at - base) as u32,
            });
        }
        base = match at > base {
            true => at.next_multiple_of(u64::from(PAGE)),
            false if kind == SectionKind::Code => start,
            false => base,
        };
    }
    give_addresses(session, program, linkage, &commons);
}

impl Linkage {
    /// Whether an address depends on the address of the global offset table.
    fn uses_got(&self) -> bool {
        let symbols = self.objects.iter().flat_map(|object| &object.symbols);
        let mut relocations = self
            .objects
            .iter()
            .flat_map(|object| &object.sections)
            .flat_map(|one| &one.relocations);
        relocations.any(|one| matches!(one.kind, RelocationKind::GotOffset | RelocationKind::GotRelative))
            || symbols.into_iter().any(|one| one.name == GOT)
    }
}

/// The error for objects that do not fit: it names the largest one.
fn too_large(linkage: &Linkage, limit: u64) -> LinkError {
    let size = |object: &Object| -> u64 { object.sections.iter().map(|section| u64::from(section.size)).sum() };
    let sizes = linkage.objects.iter().map(|object| (size(object), &object.name));
    let error = LinkError::new(format!("the objects are larger than {} MiB", limit >> 20));
    match sizes.max() {
        Some((size, name)) => error.with_help(format!("make `{name}` smaller, which has {} MiB", size >> 20)),
        None => error,
    }
}

/// Gives an entry in the global offset table to every symbol that needs one.
fn collect_got_entries(linkage: &mut Linkage) {
    for (number, object) in linkage.objects.iter().enumerate() {
        let relocations = object.sections.iter().flat_map(|section| &section.relocations);
        let used = relocations.filter(|relocation| relocation.kind == RelocationKind::GotEntry);
        let entries = used.map(|relocation| (number as u32, relocation.symbol));
        linkage.got.entries.extend(entries);
    }
    linkage.got.entries.sort_unstable();
    linkage.got.entries.dedup();
}

/// Computes the address of every symbol, and passes those of external symbols to the program.
fn give_addresses(session: &mut Session, program: &mut Program, linkage: &mut Linkage, commons: &HashMap<String, u64>) {
    let own = |object: usize, symbol: u32| -> Option<u32> {
        let place = linkage.objects.get(object)?.symbols.get(symbol as usize)?.place;
        match place {
            Place::Section { section, offset } => {
                let parts = linkage.sections.get(object)?;
                let known = parts.get(section as usize).copied().flatten();
                // Line tables are not loaded, and offsets in them count from 0.
                Some(known.unwrap_or(0).wrapping_add(offset))
            }
            Place::Absolute(value) => Some(value),
            Place::Common { .. } | Place::Undefined | Place::Discarded(_) => None,
        }
    };
    let shared = |name: &str| -> Option<u32> {
        let global = linkage.globals.get(name)?;
        if global.strength == Strength::Common {
            return commons.get(name).map(|&at| at as u32);
        }
        own(global.object as usize, global.symbol)
    };
    let mut all = Vec::with_capacity(linkage.objects.len());
    for (number, object) in linkage.objects.iter().enumerate() {
        let mut addresses = Vec::with_capacity(object.symbols.len());
        for (index, symbol) in object.symbols.iter().enumerate() {
            let address = if symbol.local || symbol.internal {
                own(number, index as u32)
            } else if symbol.name == GOT {
                Some(linkage.got.address)
            } else {
                let known = shared(&symbol.name);
                let known = known.or_else(|| assembled(session, program, &symbol.name));
                known.or((symbol.weak && symbol.place == Place::Undefined).then_some(0))
            };
            addresses.push(address);
        }
        all.push(addresses);
    }
    for (index, name) in &linkage.externals {
        let symbol = &mut program.symbols.table[*index as usize];
        symbol.definition = Definition::Linked(shared(name).unwrap_or(0));
    }
    linkage.symbols = all;
}
