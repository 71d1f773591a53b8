//! Another bus master: where in the program's memory it accesses lines.
//!
//! Modelled: the lines at a name or an address, or in the segments that the program may write and that have no code.
//! Not modelled: its accesses, which are in `pipeline::snoop`.

use super::Machine;
use super::load::misfit;
use crate::image::{Image, Segment, SymbolKind};
use crate::model::{BusMaster, Place};
use crate::pipeline::Pipeline;
use crate::run::Misfit;
use std::ops::Range;

/// Puts `master` on the bus of `pipeline`, if there is a line for it.
pub(super) fn attach(master: &BusMaster, image: &Image, pipeline: &mut Pipeline) {
    let ranges = match &master.place {
        Some(place) => at(place, image).into_iter().collect(),
        None => data(image),
    };
    pipeline.attach(master, &ranges);
}

/// The bytes of a segment.
fn bytes(segment: &Segment) -> Range<u32> {
    let length = segment.bytes.len() as u32;
    segment.address..segment.address.saturating_add(length.saturating_add(segment.zeroes))
}

/// The segments that may be written and that have no code; if there are none, those that may be written, or else all.
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

/// The bytes of a place, if the program has it.
fn at(place: &Place, image: &Image) -> Option<Range<u32>> {
    let (address, size) = match place.address() {
        Some(address) => (address, 1),
        None => {
            let addresses = || {
                image
                    .symbols
                    .iter()
                    .filter(|symbol| symbol.kind != SymbolKind::Constant)
            };
            let symbol = addresses()
                .find(|symbol| symbol.name == place.name)
                .or_else(|| addresses().find(|symbol| symbol.name.eq_ignore_ascii_case(place.name)))?;
            (symbol.value, symbol.size.max(1))
        }
    };
    let range = address..address.saturating_add(place.bytes.unwrap_or(size));
    (!range.is_empty()).then_some(range)
}

impl Machine<'_> {
    /// Loads the program, if the other bus master, where there is one, has lines in it.
    pub(super) fn load_with_master(&mut self) -> Result<(), Misfit> {
        if self.model.bus_master().is_some() && !self.pipeline.core.shares_bus() {
            return Err(Misfit::NothingToSnoop);
        }
        self.load().map_err(misfit)
    }
}
