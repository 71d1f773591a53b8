//! The calibration: the last lines of the library, which measure the probes themselves before the program starts.

use super::{Calibration, Probes, set_code_size};
use crate::expression::{Location, Type};
use crate::program::{Definition, Program, SegmentKind};
use crate::session::Session;
use crate::statement::Named;

/// The library's calibration, if the program uses what it calibrates; it begins at the current location.
///
/// `user_entry` is where the calibration continues.
pub(crate) fn calibration(
    session: &mut Session,
    program: &mut Program,
    probes: &mut Probes,
    user_entry: Location,
) -> Option<Calibration> {
    if !(probes.uses_tsc || probes.uses_profile) {
        return None;
    }
    let body = probes.calibration.take()?;
    session.in_library = true;
    let layout = &mut program.layout;
    layout.current = match layout.segmented {
        true => user_entry.segment,
        false => layout.segment("P5_CALIBRATION", SegmentKind::Code),
    };
    layout.code_segment = layout.current;
    if layout.segmented {
        // The program ends at the address behind its last instruction.
        layout.append(&[0x90]);
    }
    set_code_size(session, program);
    let named = Named {
        name: session.names.intern("@p5_entry"),
        spelled: "@P5_ENTRY",
        span: body.span,
    };
    let definition = Definition::Address(user_entry);
    match program.symbols.define(session, named, definition, Type::Near) {
        Ok(Some(index)) => program.symbols.table[index as usize].hidden = true,
        Ok(None) => {}
        Err(problem) => session.report(problem),
    }
    probes.inside = true;
    Some(Calibration {
        body,
        entry: program.layout.location(),
    })
}
