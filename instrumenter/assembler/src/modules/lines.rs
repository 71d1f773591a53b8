//! Which line each instruction of a module comes from, as objects say it to debuggers.

use super::Module;
use std::ops::Range;

/// An instruction's place: its offset in the segment, its file by the module's own numbers, and its line from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) offset: u32,
    pub(super) file: u32,
    pub(super) line: u32,
}

/// The lines of a segment by offset: the outermost ones, so that an instruction of a macro is one of the call. Of
/// instructions that follow each other in one line only the first is listed.
pub(super) fn of_segment(module: &Module, segment: usize) -> Vec<Place> {
    let Some(one) = module.segments.get(segment).filter(|one| one.code && module.with_lines) else {
        return Vec::new();
    };
    let within: Range<u32> = one.first..one.length;
    let rows = module.image.lines.iter().filter(|row| !row.data && row.length > 0);
    let mut places: Vec<Place> = rows
        .filter_map(|row| {
            let offset = row.address.checked_sub(one.address)?;
            let (file, line) = module.image.outermost(&row);
            (within.contains(&offset) && line > 0).then_some(Place { offset, file, line })
        })
        .collect();
    places.sort_by_key(|place| place.offset);
    places.dedup_by_key(|place| place.offset);
    places.dedup_by_key(|place| (place.file, place.line));
    places
}
