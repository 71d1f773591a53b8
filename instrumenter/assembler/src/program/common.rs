//! Common data of a program of one module, which no linker makes: it lies in segments of its own, as in joined modules.

use super::{Definition, FragmentKind, Program, SegmentKind};
use crate::diag::{Fault, fault};
use crate::expression::Location;
use crate::module::{COMMON_GROUP, common_segment, weak_definition};
use crate::operand::CodeSize;
use crate::session::Session;
use crate::statement::SegmentRole;

/// Makes the common data that nothing defines.
pub(crate) fn make_common(session: &mut Session, program: &mut Program) {
    if program.is_module {
        return;
    }
    let back = program.layout.current;
    for index in 0..program.symbols.table.len() {
        let symbol = &program.symbols.table[index];
        if symbol.definition != Definition::External || symbol.shared().is_none() {
            continue;
        }
        match make(session, program, index) {
            Ok(location) => program.symbols.table[index].definition = Definition::Address(location),
            Err(problem) => {
                session.report(problem);
                break;
            }
        }
    }
    program.layout.current = back;
}

/// Whether the source has a definition of a name that gives way to others.
pub(crate) fn has_weak(session: &mut Session, program: &Program, name: &str) -> bool {
    let own = session.names.intern(&weak_definition(name));
    program.symbols.get(session.names.info(own).symbol).is_some()
}

/// Gives names that no object defines the definitions in the source that would have given way; those that may be
/// missing are 0.
pub(crate) fn define_weak(session: &mut Session, program: &mut Program) {
    if program.is_module {
        return;
    }
    for index in 0..program.symbols.table.len() {
        if program.symbols.table[index].definition != Definition::External {
            continue;
        }
        let spelled = program.symbols.table[index].spelled.clone();
        let name = session.names.intern(&spelled);
        if !session.names.info(name).weak {
            continue;
        }
        let own = session.names.intern(&weak_definition(&spelled));
        let own = session.names.info(own).symbol;
        let definition = match program.symbols.table.get_mut(own as usize) {
            Some(own) => {
                own.hidden = true;
                own.definition
            }
            None => Definition::Linked(0),
        };
        program.symbols.table[index].definition = definition;
    }
}

/// Makes the common data of a symbol.
fn make(session: &mut Session, program: &mut Program, index: usize) -> Result<Location, Fault> {
    let symbol = &mut program.symbols.table[index];
    let (Some(shared), bytes, span) = (symbol.shared(), symbol.size, symbol.span) else {
        return Ok(program.layout.location());
    };
    symbol.extent = bytes;
    let layout = &mut program.layout;
    let far = shared.far && layout.segmented;
    let [name, class] = common_segment(far);
    layout.current = match far {
        // Each is as large as a segment may be.
        true => layout.segment(&format!("{name}{index}"), SegmentKind::Data),
        false => layout.segment(name, SegmentKind::Data),
    };
    let current = layout.current;
    let most = session.limits.segments;
    if layout.segments.len() > most {
        return Err(fault(span, format!("more than {most} segments")).ending());
    }
    let reached = layout.location_in_segment();
    if reached == 0 {
        let segment = &mut layout.segments[current as usize];
        segment.class = Some(class.to_owned());
        segment.role = Some(SegmentRole::Uninitialised).filter(|_| !far);
        if layout.segmented {
            segment.size = CodeSize::Bits16;
        }
        if layout.segmented && !far {
            let group = layout.group(session.names.intern(COMMON_GROUP));
            let name = session.names.intern(name);
            layout.add_to_group(group, name);
            layout.name_segment(name, current);
        }
    }
    let unit = shared.alignment();
    let segment = &mut layout.segments[current as usize];
    segment.alignment = segment.alignment.max(unit);
    let missing = reached.next_multiple_of(unit) - reached;
    layout.reserve(u64::from(missing) + u64::from(bytes), span)?;
    if missing > 0 {
        layout.emit_fragment(FragmentKind::Zeroes, missing);
    }
    Ok(layout.emit_fragment(FragmentKind::Zeroes, bytes))
}
