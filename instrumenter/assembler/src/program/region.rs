//! Measured regions, each from the statement that begins it to the statement that ends it.

use super::Program;
use crate::diag::fault;
use crate::expression::Location;
use crate::session::{ALLOCATION, Session};
use crate::statement::{Region, RegionEnd};
use p5_image::RegionKind;

#[derive(Default)]
pub(crate) struct Regions {
    /// Open regions, each with its start.
    open: Vec<(Region, Location)>,
    pub(crate) finished: Vec<FinishedRegion>,
    /// The bytes of all their names.
    names: usize,
}

/// A region whose addresses depend on the layout.
pub(crate) struct FinishedRegion {
    pub(crate) region: Region,
    pub(crate) end_line: u32,
    pub(crate) first: Location,
    pub(crate) after: Location,
    /// The location after the code that ends it.
    pub(crate) done: Location,
}

impl Regions {
    /// The bytes of memory that the regions take, with those of an image.
    pub(crate) fn bytes(&self) -> usize {
        let each = size_of::<FinishedRegion>() + size_of::<p5_image::Region>() + 4 * ALLOCATION;
        (self.open.len() + self.finished.len()) * each + self.names
    }

    /// The library's number of the region of this kind that would end next, or 0.
    pub(crate) fn innermost_site(&self, kind: RegionKind) -> u32 {
        self.innermost(kind)
            .and_then(|place| self.open.get(place))
            .map_or(0, |(region, _)| region.site)
    }

    fn innermost(&self, kind: RegionKind) -> Option<usize> {
        self.open.iter().rposition(|(region, _)| region.kind == kind)
    }

    /// Reports regions that are still open after the last line.
    pub(crate) fn close(&mut self, session: &mut Session) {
        for (region, _) in std::mem::take(&mut self.open) {
            let (start, end) = names_of(region.kind);
            session.warn(fault(region.span, format!("no matching `{end}` for this `{start}`")));
        }
        self.finished.sort_by_key(|finished| {
            (
                finished.region.span.file,
                finished.region.span.line,
                finished.region.site,
            )
        });
    }
}

pub(crate) fn begin_region(program: &mut Program, region: Region) {
    let first = program.layout.location();
    program.regions.names += region.name.len();
    program.regions.open.push((region, first));
}

/// Ends a region: its body ended at `end.after`, and the code that ends it ends here.
pub(crate) fn end_region(session: &mut Session, program: &mut Program, end: &RegionEnd) {
    let done = program.layout.location();
    let regions = &mut program.regions;
    let Some(place) = regions.innermost(end.kind) else {
        let (start, name) = names_of(end.kind);
        session.warn(fault(end.span, format!("no matching `{start}` for this `{name}`")));
        return;
    };
    let (region, first) = regions.open.remove(place);
    regions.finished.push(FinishedRegion {
        region,
        end_line: end.span.line,
        first,
        after: end.after,
        done,
    });
}

/// The macros that begin and end a region.
fn names_of(kind: RegionKind) -> (&'static str, &'static str) {
    match kind {
        RegionKind::Tsc => ("StartTSC", "EndTSC"),
        RegionKind::Profile => ("StartProfile", "EndProfile"),
    }
}
