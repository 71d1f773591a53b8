//! Objects and archives of other tools, linked with the assembled program.
//!
//! Objects are chosen before the layout is settled, so that every external symbol is known to be elsewhere. They are
//! placed after the assembled segments, and relocated when all addresses are final.

mod choose;
mod emit;
mod globals;
mod place;
mod relocate;

pub(crate) use choose::choose;
pub(crate) use emit::emit;
pub(crate) use globals::undecorated;
pub(crate) use place::place;

use crate::program::Program;
use crate::session::Session;
use globals::Globals;
use p5_image::load::Object;

/// The end of the name of an object with bundled procedures.
pub(crate) const BUNDLED: &str = " of p5inst";

#[derive(Default)]
pub(crate) struct Linkage {
    /// The objects, in the order in which they were chosen.
    objects: Vec<Object>,
    /// The names that the objects share.
    globals: Globals,
    /// The external symbols that the objects define: index of the assembler's symbol, and name.
    externals: Vec<(u32, String)>,
    /// The address of each section of each object; `None` if it is not loaded.
    sections: Vec<Vec<Option<u32>>>,
    /// The address of each symbol of each object, if it has one.
    symbols: Vec<Vec<Option<u32>>>,
    segments: Vec<PlacedSegment>,
    got: GlobalOffsetTable,
    /// The number of errors reported.
    errors: usize,
}

/// A problem of the objects, and how to fix it.
struct LinkError {
    message: String,
    help: Option<String>,
}

impl LinkError {
    fn new(message: String) -> LinkError {
        LinkError { message, help: None }
    }

    fn with_help(self, help: impl Into<String>) -> LinkError {
        LinkError {
            help: Some(help.into()),
            ..self
        }
    }
}

/// The sections of one kind, as a segment of the image.
struct PlacedSegment {
    name: &'static str,
    kind: p5_image::load::SectionKind,
    address: u32,
    length: u32,
}

/// The global offset table, through which position-independent code finds data.
#[derive(Default)]
struct GlobalOffsetTable {
    address: u32,
    /// The object and the symbol whose address each entry holds.
    entries: Vec<(u32, u32)>,
}

impl GlobalOffsetTable {
    /// The address of the table entry for a symbol of an object.
    fn entry(&self, object: usize, symbol: u32) -> Option<u32> {
        let index = self.entries.binary_search(&(object as u32, symbol)).ok()?;
        Some(self.address.wrapping_add(4 * index as u32))
    }
}

/// The maximum number of reported problems of objects, which is more than are shown.
const MOST_ERRORS: usize = 1000;

impl Linkage {
    /// Reports a problem of a file that has no lines.
    fn report(&mut self, session: &mut Session, error: LinkError) {
        self.errors += 1;
        if self.errors <= MOST_ERRORS {
            session.report_without_place(error.message, error.help);
        } else if self.errors == MOST_ERRORS + 1 {
            session.report_without_place("the objects have more errors".to_owned(), None);
        }
    }
}

/// The address that the assembled program gives to `name`, which it must make public.
fn assembled(session: &mut Session, program: &Program, name: &str) -> Option<u32> {
    use crate::program::{Definition, evaluate};
    let symbol = globals::public(session, program, name)?;
    match program.symbols.get(symbol)?.definition {
        Definition::Address(location) => Some(program.layout.address(location)),
        Definition::Number(number) => Some(number as u32),
        Definition::Expression(id) => evaluate(session, program, id).ok().map(|value| value.number as u32),
        _ => None,
    }
}
