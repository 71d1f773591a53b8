//! Another bus master: the place of its lines in the program's memory.
//!
//! Modelled: the lines at a name or an address, or in the segments that the program may write and that have no code. A
//! place that the program does not have has no lines. Not modelled: its accesses, which are in `pipeline::snoop`.

use p5_chips::{BusMaster, Misplaced, Model, NoPlace, Place};
use p5_image::{Image, REAL_MEMORY, Segment, Start, SymbolKind};
use p5_timing::pipeline::Pipeline;
use p5_words::isa::PAGE;
use std::ops::Range;

/// The error in the place of the other bus master of `model`, if it has one, in the program of `image`.
pub fn misplaced(model: &Model, image: &Image) -> Option<Misplaced> {
    let place = model.bus_master()?.place?;
    let why = at(&place, image).err()?;
    Some(Misplaced { name: place.name, why })
}

/// Puts `master` on the bus of `pipeline`, if the program has a line for it.
pub(super) fn attach(master: &BusMaster, image: &Image, pipeline: &mut Pipeline) {
    let ranges = match &master.place {
        Some(place) => at(place, image).into_iter().collect(),
        None => data(image),
    };
    pipeline.attach(master, &ranges);
}

fn bytes(segment: &Segment) -> Range<u32> {
    let length = segment.bytes.len() as u32;
    segment.address..segment.address.saturating_add(length.saturating_add(segment.zeroes))
}

/// The segments that may be written and have no code; otherwise those that may be written, or else all.
fn data(image: &Image) -> Vec<Range<u32>> {
    let has_code = |range: &Range<u32>| {
        let rows = image.lines.starting_from(range.start);
        let mut rows = rows.take_while(|row| row.address < range.end);
        let meets = |code: &Range<u32>| code.start < range.end && range.start < code.end;
        rows.any(|row| !row.data) || image.linked.iter().any(meets) || range.contains(&image.entry)
    };
    let wanted: [&dyn Fn(&Segment) -> bool; 3] = [
        &|segment| segment.writable && !has_code(&bytes(segment)),
        &|segment| segment.writable,
        &|_| true,
    ];
    let of = |wanted: &dyn Fn(&Segment) -> bool| -> Vec<Range<u32>> {
        let segments = image.segments.iter().filter(|segment| wanted(segment));
        segments.map(bytes).filter(|range| !range.is_empty()).collect()
    };
    let mut found = wanted.into_iter().map(of);
    found.find(|ranges| !ranges.is_empty()).unwrap_or_default()
}

fn at(place: &Place, image: &Image) -> Result<Range<u32>, NoPlace> {
    let (address, size) = match place.address() {
        Some(address) => (address, 1),
        None => {
            let named = |fits: &dyn Fn(&str) -> bool| {
                let mut symbols = image.symbols.iter().filter(|symbol| fits(&symbol.name));
                let is_address = |kind| kind != SymbolKind::Constant;
                let first = symbols.next()?;
                let address = std::iter::once(first)
                    .chain(symbols)
                    .find(|other| is_address(other.kind));
                Some(address.ok_or(NoPlace::Number))
            };
            let symbol = named(&|name| name == place.name)
                .or_else(|| named(&|name| name.eq_ignore_ascii_case(place.name)))
                .ok_or(NoPlace::Unknown)??;
            (symbol.value, symbol.size.max(1))
        }
    };
    let end = u64::from(address) + u64::from(place.bytes.unwrap_or(size));
    // Mapped memory extends to the end of a page, and ranges that touch are one.
    let mut pages = pages(image);
    pages.sort_unstable_by_key(|range| range.start);
    let known = pages
        .into_iter()
        .fold(u64::from(address), |known, range| match range.contains(&known) {
            true => range.end,
            false => known,
        });
    if known < end {
        return Err(NoPlace::Outside([address, (end - 1).min(u64::from(u32::MAX)) as u32]));
    }
    Ok(address..u32::try_from(end).unwrap_or(u32::MAX))
}

fn pages(image: &Image) -> Vec<Range<u64>> {
    let page = u64::from(PAGE);
    let around = |first: u64, bytes: u64| first / page * page..(first + bytes.max(1)).next_multiple_of(page);
    let stack = match image.start {
        Start::Flat => {
            let stack = image.flat_stack();
            around(u64::from(stack.start), u64::from(stack.end - stack.start))
        }
        Start::Real(_) => around(0, u64::from(REAL_MEMORY)),
    };
    let segments = image.segments.iter().map(|segment| {
        let bytes = segment.bytes.len() as u64 + u64::from(segment.zeroes);
        around(u64::from(segment.address), bytes)
    });
    segments.chain([stack]).collect()
}
