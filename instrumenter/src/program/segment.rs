//! Segments and the current location in them.

use super::layout::OpenSegment;
use super::structure::end_structure;
use super::{FragmentKind, Program, SegmentKind, addresses, evaluate};
use crate::diag::{Fault, Span, fault};
use crate::expression::{ExpressionId, Location};
use crate::names::{NONE, NameId};
use crate::session::Session;
use crate::statement::{Segment, SegmentRole};

/// The segment of the bundled library's variables.
const LIBRARY_DATA: &str = "P5_DATA";

/// The most segments open, and the most saved, at a time.
const MOST_NESTED: usize = 256;

/// Consumes a segment statement.
pub(crate) fn segment(session: &Session, program: &mut Program, segment: &Segment<'_>) -> Result<(), Fault> {
    let layout = &mut program.layout;
    match *segment {
        Segment::Usual { role, .. } if session.in_library => {
            layout.current = match role {
                SegmentRole::Code => layout.code_segment,
                _ => layout.segment(LIBRARY_DATA, SegmentKind::Data),
            };
        }
        Segment::Usual { role, name } => {
            layout.snippet = false;
            layout.current = match (role, name) {
                (SegmentRole::Code, Some(name)) => layout.segment(name, SegmentKind::Code),
                _ => layout.usual(role),
            };
            if role == SegmentRole::Code {
                layout.code_segment = layout.current;
            }
        }
        Segment::Begin { name, code, span } => {
            if layout.open.len() > MOST_NESTED {
                return Err(fault(span, format!("segments are nested deeper than {MOST_NESTED}")));
            }
            layout.snippet = false;
            let kind = if code { SegmentKind::Code } else { SegmentKind::Data };
            let index = layout.segment(name, kind);
            let most = session.limits.segments;
            if layout.segments.len() > most {
                return Err(fault(span, format!("more than {most} segments")).ending());
            }
            layout.open.push(OpenSegment {
                segment: index,
                outer: layout.current,
                span,
            });
            layout.current = index;
            if code {
                layout.code_segment = index;
            }
        }
        Segment::Save { span } => {
            if layout.saved.len() > MOST_NESTED {
                return Err(fault(
                    span,
                    format!("saved segments are nested deeper than {MOST_NESTED}"),
                ));
            }
            layout.saved.push(layout.current);
        }
        Segment::Restore { span } => match layout.saved.pop() {
            Some(saved) => layout.current = saved,
            None => return Err(fault(span, "no saved segment to restore")),
        },
    }
    Ok(())
}

/// The end of a structure or a segment.
pub(crate) fn ends(
    session: &mut Session,
    program: &mut Program,
    name: Option<NameId>,
    span: Span,
) -> Result<(), Fault> {
    if program.structures.open.is_some() {
        return end_structure(session, program, name, span);
    }
    let Some(OpenSegment { segment, outer, .. }) = program.layout.open.pop() else {
        return Err(fault(span, "nothing to end: no structure or segment is open"));
    };
    program.layout.current = outer;
    let open = program
        .layout
        .segments
        .get(segment as usize)
        .map(|segment| segment.name.clone())
        .unwrap_or_default();
    match name {
        Some(name) if !open.eq_ignore_ascii_case(session.names.text(name)) => {
            let name = session.names.spelling(name);
            Err(
                fault(span, format!("`{name}` cannot end: the open segment is `{open}`"))
                    .with_help(format!("end `{open}` first")),
            )
        }
        _ => Ok(()),
    }
}

/// Moves the current location forward in its segment.
pub(crate) fn origin(session: &Session, program: &mut Program, target: ExpressionId, span: Span) -> Result<(), Fault> {
    let value = evaluate(session, program, target)?;
    let here = program.layout.location();
    if value.unresolved || !(value.is_number() || value.relocatable) {
        return Err(fault(span, "an origin must be known at this point"));
    }
    if let Some(found) = addresses(session, program, target)
        && (found.is_apart() || !(found.is_distance() || value.anchor.0 == here.segment))
    {
        return Err(fault(
            span,
            format!("the address of {} is not in this segment", found.name(session)),
        )
        .with_help("an origin is a distance from the start of the segment"));
    }
    let start = program.layout.address(Location {
        fragment: NONE,
        offset: 0,
        ..here
    });
    let target = if value.relocatable {
        value.number - i64::from(start)
    } else {
        value.number
    };
    let reached = i64::from(program.layout.address(here)) - i64::from(start);
    if target < reached {
        return Err(fault(
            span,
            format!("the origin cannot move back from {reached:X}h to {target:X}h"),
        ));
    }
    let length = (target - reached) as u64;
    program.layout.reserve(length, span)?;
    program
        .layout
        .emit_fragment(FragmentKind::Origin(target as u32), length as u32);
    Ok(())
}

/// Aligns the current location to a multiple of `unit`.
pub(crate) fn align(session: &Session, program: &mut Program, unit: u32, span: Span) -> Result<(), Fault> {
    if program.structures.align(unit) {
        return Ok(());
    }
    let here = program.layout.location();
    let segment = &program.layout.segments[program.layout.current as usize];
    let reached = program.layout.address(here).wrapping_sub(segment.base);
    let missing = reached.next_multiple_of(unit) - reached;
    let certain = !segment
        .fragments
        .iter()
        .rev()
        .any(|fragment| !matches!(fragment.kind, FragmentKind::Data | FragmentKind::Zeroes));
    if certain && missing <= 4096 {
        let fill = if segment.kind == SegmentKind::Code { 0x90 } else { 0 };
        let fill = vec![fill; missing as usize];
        let location = program.layout.emit(&fill, span)?;
        if missing > 0 {
            program.layout.note_data(session.origin, location, missing, span);
        }
        return Ok(());
    }
    program.layout.reserve(u64::from(unit), span)?;
    let location = program.layout.emit_fragment(FragmentKind::Align(unit), missing);
    // The padding is executed like other bytes; its length is known after layout.
    program.layout.note_data(session.origin, location, 0, span);
    Ok(())
}
