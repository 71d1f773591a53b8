//! Regions: the addresses each one spans, the location of its results, and the log of the library.

use crate::program::{Definition, Program, evaluate};
use crate::session::Session;
use p5_image::{Image, Log, Region, RegionKind};

/// The symbols in which a user's macros store a region's result, by convention. The library has one set for each site,
/// named with `_` and the site's number at the end.
const fn result_symbols(kind: RegionKind) -> &'static [&'static str] {
    match kind {
        RegionKind::Tsc => &["_TSC"],
        RegionKind::Profile => &["_prof0", "_prof1"],
    }
}

/// The symbol of the log that a library may keep.
const LOG: &str = "HOST_log";
/// The symbol under which the library logs the passes of its empty region.
const EMPTY: &str = "HOST_empty";

/// Adds the regions and the log to the image.
pub(super) fn link_regions(session: &mut Session, program: &mut Program, image: &mut Image) {
    image.log = log(session, program);
    for finished in std::mem::take(&mut program.regions.finished) {
        let region = finished.region;
        let measured = result_symbols(region.kind)
            .iter()
            .filter_map(|name| {
                let own = format!("{name}_{}", region.site);
                let site = (region.site > 0).then(|| address_of(session, program, &own)).flatten();
                site.or_else(|| address_of(session, program, name))
            })
            .collect();
        image.regions.push(Region {
            name: region.name,
            kind: region.kind,
            file: region.span.file,
            start_line: region.span.line,
            end_line: finished.end_line,
            first: program.layout.linear(finished.first),
            after: program.layout.linear(finished.after),
            done: program.layout.linear(finished.done),
            measured,
            library: region.site > 0,
            events: region.events,
        });
    }
}

/// The log, if the library defines one. A user's symbol of the same name does not count.
fn log(session: &mut Session, program: &Program) -> Option<Log> {
    let [address, empty] = [LOG, EMPTY].map(|name| {
        let name = session.names.intern(name);
        let symbol = program.symbols.get(session.names.info(name).symbol)?;
        match symbol.definition {
            Definition::Address(location) if symbol.library => Some(program.layout.linear(location)),
            _ => None,
        }
    });
    Some(Log {
        address: address?,
        empty: empty?,
    })
}

/// The address of the data named `name`.
fn address_of(session: &mut Session, program: &Program, name: &str) -> Option<u32> {
    let name = session.names.intern(name);
    let symbol = program.symbols.get(session.names.info(name).symbol)?;
    match symbol.definition {
        Definition::Address(location) => Some(program.layout.linear(location)),
        Definition::Expression(id) => evaluate(session, program, id).ok().map(|value| value.linear(program)),
        _ => None,
    }
}
