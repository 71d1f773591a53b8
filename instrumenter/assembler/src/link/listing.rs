//! The listing of the assembled lines, with or without errors.

use super::lines::fragment_bytes;
use super::symbols::symbols;
use crate::expression::Location;
use crate::listing::{ListedLine, Listing, PlacedBytes, Relocation};
use crate::program::{Definition, FragmentKind, PlacedExtent, Program, SegmentData};
use crate::session::Session;

/// The listing of a recorded program; `encoded` has the known bytes of separate fragments.
pub(crate) fn listing(session: &Session, program: &mut Program, encoded: &[[u8; 16]]) -> Option<Listing> {
    let mut record = program.layout.record.take()?;
    if !program.layout.resolved {
        program.layout.place();
    }
    let mut lines: Vec<ListedLine> = Vec::with_capacity(record.lines.len());
    for line in &record.lines {
        lines.push(ListedLine {
            file: line.file,
            line: line.number,
            depth: line.depth,
            text: record.text(line).map(str::to_owned),
            placed: Vec::new(),
        });
    }
    let mut relocations = std::mem::take(&mut record.relocations);
    relocations.sort_by_key(|&(location, _)| (location.segment, location.fragment, location.offset));
    for (line, location, extent) in record.placed() {
        let (Some(line), Some(segment)) = (
            lines.get_mut(line),
            program.layout.segments.get(location.segment as usize),
        ) else {
            continue;
        };
        append(
            &mut line.placed,
            placed(program, segment, location, extent, encoded, &relocations),
        );
    }
    let mut symbols: Vec<_> = symbols(session, program)
        .into_iter()
        .filter(|symbol| !symbol.library)
        .collect();
    symbols.sort_by(|one, other| one.name.cmp(&other.name));
    let table = program.symbols.table.iter();
    let mut externals: Vec<String> = table
        .filter(|symbol| symbol.definition == Definition::External)
        .map(|symbol| symbol.spelled.to_string())
        .collect();
    externals.sort();
    Some(Listing {
        lines,
        library: session.library,
        cut: record.cut,
        symbols,
        externals,
    })
}

/// The bytes at a location of a segment.
fn placed(
    program: &Program,
    segment: &SegmentData,
    location: Location,
    extent: PlacedExtent,
    encoded: &[[u8; 16]],
    relocations: &[(Location, Relocation)],
) -> PlacedBytes {
    let mut placed = PlacedBytes {
        address: program.layout.linear(location),
        frame: Some(segment.frame).filter(|&frame| frame > 0),
        bytes: Vec::new(),
        zeroes: 0,
        relocation: None,
    };
    let Some(fragment) = segment.fragments.get(location.fragment as usize) else {
        return placed;
    };
    match (extent, fragment.kind) {
        (PlacedExtent::Label, _) => {}
        (PlacedExtent::Bytes(length), FragmentKind::Data) => {
            let start = (fragment.start + location.offset) as usize;
            let bytes = segment.bytes.get(start..start + length as usize);
            placed.bytes.extend_from_slice(bytes.unwrap_or_default());
        }
        (_, FragmentKind::Zeroes) => placed.zeroes = fragment.length,
        (_, FragmentKind::Variable(index)) if program.deferred.get(index as usize).is_none_or(|one| one.failed) => {}
        _ => fragment_bytes(segment, fragment, encoded, &mut placed.bytes),
    }
    let place = |location: Location| (location.segment, location.fragment, location.offset);
    let first = relocations.partition_point(|&(known, _)| place(known) < place(location));
    let end = location.offset + placed.bytes.len() as u32;
    let within = relocations.get(first..).unwrap_or_default().iter();
    placed.relocation = within
        .take_while(|(known, _)| place(*known) < (location.segment, location.fragment, end))
        .map(|&(_, relocation)| relocation)
        .max();
    placed
}

/// Appends bytes, merging them into the previous ones if they follow directly.
fn append(all: &mut Vec<PlacedBytes>, next: PlacedBytes) {
    match all.last_mut() {
        Some(last)
            if last.zeroes == 0
                && last.frame == next.frame
                && last.address.wrapping_add(last.bytes.len() as u32) == next.address =>
        {
            last.bytes.extend_from_slice(&next.bytes);
            last.zeroes = next.zeroes;
            last.relocation = last.relocation.max(next.relocation);
        }
        _ => all.push(next),
    }
}
