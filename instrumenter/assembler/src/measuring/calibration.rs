//! The calibration: the last lines of the library, which measure the measuring macros before the program starts.

use super::{Calibration, MeasuringMacros, set_code_size};
use crate::expression::{Location, Type};
use crate::program::{Definition, Program, SegmentKind};
use crate::session::Session;
use crate::statement::Named;

/// The library's calibration at the current location, if the program uses the macros that it calibrates.
///
/// It continues at `user_entry`.
pub(crate) fn calibration(
    session: &mut Session,
    program: &mut Program,
    measuring: &mut MeasuringMacros,
    user_entry: Location,
) -> Option<Calibration> {
    if !(measuring.uses_tsc || measuring.uses_profile) {
        return None;
    }
    let body = measuring.calibration.take()?;
    session.in_library = true;
    let layout = &mut program.layout;
    layout.current = match layout.segmented {
        true => user_entry.segment,
        false => layout.segment("P5_CALIBRATION", SegmentKind::Code),
    };
    layout.code_segment = layout.current;
    if layout.segmented {
        // The program ends at the address after its last instruction.
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
    measuring.inside = true;
    Some(Calibration {
        body,
        entry: program.layout.location(),
    })
}
