//! The entry point of a program.

use super::{Definition, Program, unknown};
use crate::diag::fault;
use crate::expression::{Location, NodeKind};
use crate::operand::CodeSize;
use crate::session::Session;

/// The usual names of labels at which programs start, the most usual first if there are several.
pub(crate) const STARTS: [&str; 5] = ["@startup", "start", "_start", "main", "_main"];

/// The label that `.startup` makes, where a program starts whose `end` names no other one.
pub(crate) fn startup(session: &mut Session, program: &Program) -> Option<Location> {
    let name = session.names.intern(STARTS[0]);
    let symbol = program.symbols.get(session.names.info(name).symbol)?;
    match symbol.definition {
        Definition::Address(location) => Some(location),
        _ => None,
    }
}

/// The entry point of the user's program, if it has one; reports a start that is not a label.
pub(crate) fn entry(session: &mut Session, program: &Program) -> Option<Location> {
    let Some((id, span)) = program.start else {
        let layout = &program.layout;
        let named = || STARTS.iter().find_map(|name| program.symbols.location_of(name));
        let named = if layout.snippet && !layout.sections {
            None
        } else {
            named()
        };
        return startup(session, program).or(named).or(layout.first_code);
    };
    if let NodeKind::Symbol(name, _) = session.expressions.node(id).kind {
        let symbol = program.symbols.get(session.names.info(name).symbol);
        match symbol.map(|symbol| symbol.definition) {
            Some(Definition::Address(location)) => return Some(location),
            Some(Definition::External) if program.is_module => return None,
            _ => {}
        }
        let problem = unknown(session, program, name, span);
        session.report(problem);
        return None;
    }
    session.report(fault(span, "expected the label where the program starts"));
    None
}

/// Notes where a segmented program starts; reports a start in 32-bit code.
pub(crate) fn enter(session: &mut Session, program: &mut Program, entry: Location) {
    program.layout.entered = entry.segment;
    if program.is_module && program.start.is_none() && startup(session, program).is_none() {
        // Another module may say where the program starts.
        return;
    }
    if program.layout.segmented && program.layout.size_of(entry.segment) == CodeSize::Bits32 {
        let (_, place) = program.start.unwrap_or_default();
        let problem = fault(
            place,
            "a program with 16-bit segments starts in real mode, but this is 32-bit code",
        )
        .with_help("start it in a 16-bit segment; from there it can enter protected mode");
        session.report(problem);
    }
}
