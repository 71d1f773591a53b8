//! Segments and the current location in them.

use super::contents::missing;
use super::frame::Frame;
use super::layout::OpenSegment;
use super::segmented::segment_number;
use super::structure::end_structure;
use super::{FragmentKind, Layout, Program, SegmentKind, addresses, evaluate, redefined};
use crate::diag::{Fault, Span, fault};
use crate::expression::{ExpressionId, Location};
use crate::module::Combine;
use crate::names::{NONE, NameId};
use crate::operand::CodeSize;
use crate::remedy::Remedy;
use crate::session::Session;
use crate::statement::{Alignment, Holds, MemoryModel, Named, Placing, Segment, SegmentHead, SegmentRole};
use iced_x86::Register;
use p5_image::dos::PREFIX_SIZE;

/// The segment of the bundled library's variables.
const LIBRARY_DATA: &str = "P5_DATA";

/// The maximum number of open segments, and of saved ones.
const MOST_NESTED: usize = 256;

pub(crate) fn segment(session: &mut Session, program: &mut Program, segment: &Segment<'_>) -> Result<(), Fault> {
    let layout = &mut program.layout;
    match *segment {
        Segment::Usual { role, .. } if session.in_library => {
            layout.current = match role {
                SegmentRole::Code => layout.code_segment,
                _ => {
                    let data = layout.segment(LIBRARY_DATA, SegmentKind::Data);
                    layout.segments[data as usize].placing = Placing::Library;
                    data
                }
            };
        }
        Segment::Usual { role, name } => {
            layout.snippet &= layout.sections;
            layout.simplified = true;
            layout.current = match (role, name) {
                (SegmentRole::Code, Some(name)) => layout.segment(name, SegmentKind::Code),
                (SegmentRole::Far, _) if !layout.segmented => layout.usual(SegmentRole::Data),
                (SegmentRole::Far, Some(name)) => layout.segment(name, SegmentKind::Data),
                _ => layout.usual(role),
            };
            if role == SegmentRole::Code {
                layout.code_segment = layout.current;
            }
            let named = layout.segments[layout.current as usize].name.clone();
            let named = session.names.intern(&named);
            layout.name_segment(named, layout.current);
        }
        Segment::Begin(ref head) => begin(session, layout, head)?,
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

/// Opens a segment or reopens it.
fn begin(session: &mut Session, layout: &mut Layout, head: &SegmentHead<'_>) -> Result<(), Fault> {
    let Named { name, spelled, span } = head.named;
    if layout.open.len() > MOST_NESTED {
        return Err(fault(span, format!("segments are nested deeper than {MOST_NESTED}")));
    }
    layout.snippet = false;
    let kind = if head.code {
        SegmentKind::Code
    } else {
        SegmentKind::Data
    };
    let size = head.size.unwrap_or(head.default_size);
    if size == CodeSize::Bits16 {
        layout.become_segmented();
    }
    let known = layout.segments.len();
    let index = layout.segment(spelled, kind);
    let most = session.limits.segments;
    if layout.segments.len() > most {
        return Err(fault(span, format!("more than {most} segments")).ending());
    }
    let segment = &mut layout.segments[index as usize];
    let empty = segment.fragments.len() == 1 && segment.bytes.is_empty();
    // A segment that is declared without bytes, for the order of segments, has its attributes when it is opened again.
    if !segment.declared && (index as usize == known || empty) {
        segment.size = size;
    } else if head.size.is_some_and(|size| size != segment.size) {
        let has = match segment.size {
            CodeSize::Bits16 => 16,
            CodeSize::Bits32 => 32,
        };
        return Err(fault(span, format!("segment `{spelled}` already has {has} bits")));
    }
    segment.declared = true;
    segment.alignment = head.alignment.unwrap_or(segment.alignment).max(1);
    segment.placing = head.placing.unwrap_or(segment.placing);
    if let Some(class) = head.class {
        segment.class = Some(class.to_owned());
    }
    let private = Some(Combine::Private).filter(|_| index as usize == known);
    segment.combine = head.combine.or(segment.combine).or(private);
    layout.name_segment(name, index);
    layout.open.push(OpenSegment {
        segment: index,
        outer: layout.current,
        span,
    });
    layout.current = index;
    if head.code {
        layout.code_segment = index;
    }
    Ok(())
}

pub(crate) fn group(
    session: &Session,
    program: &mut Program,
    named: Named<'_>,
    members: &[(NameId, Span)],
) -> Result<(), Fault> {
    let most = session.limits.segments;
    if program.layout.groups.len() >= most {
        return Err(fault(named.span, format!("more than {most} groups")).ending());
    }
    let group = program.layout.group(named.name);
    for &(member, span) in members {
        if program.layout.add_to_group(group, member) {
            program.layout.note_grouped(member, span);
        }
    }
    Ok(())
}

/// Changes the assumptions about segment registers; without operands, drops all of them.
pub(crate) fn assume(session: &Session, program: &mut Program, registers: &[(Register, Holds)]) -> Result<(), Fault> {
    if registers.is_empty() {
        program.layout.assume(|assumed| *assumed = [Frame::NONE; 6]);
    }
    for &(register, holds) in registers {
        let frame = match holds {
            Holds::Nothing => Frame::NONE,
            Holds::Named(name, _) => Frame::named(name),
            Holds::SegmentOf(id) => match evaluate(session, program, id)?.anchor.0 {
                NONE => return Err(fault(session.expressions.extent(id), "expected an address")),
                segment => Frame::of_segment(segment),
            },
        };
        if let Holds::Named(name, span) = holds {
            program.layout.note_assumed(name, span);
        }
        program.layout.assume(|assumed| {
            if let Some(place) = assumed.get_mut(segment_number(register)) {
                *place = frame;
            }
        });
    }
    Ok(())
}

/// Saves or restores the assumptions about segment registers.
pub(crate) fn keep_assumptions(program: &mut Program, save: bool, span: Span) -> Result<(), Fault> {
    let layout = &mut program.layout;
    if save {
        if layout.kept_assumes.len() > MOST_NESTED {
            return Err(fault(
                span,
                format!("saved states are nested deeper than {MOST_NESTED}"),
            ));
        }
        layout.kept_assumes.push(layout.assumes);
        return Ok(());
    }
    match layout.kept_assumes.pop() {
        Some(kept) => {
            layout.assumes = kept;
            Ok(())
        }
        None => Err(fault(span, "no saved state to restore")),
    }
}

/// Selects a memory model with 16-bit segments: one group contains all data, and in the tiny model also the code. An
/// origin of 100h before the model stands for the tiny one: only what makes COM programs of any source takes that.
pub(crate) fn model(session: &mut Session, program: &mut Program, model: MemoryModel) {
    let layout = &mut program.layout;
    layout.become_segmented();
    layout.ordered = true;
    let code = &layout.segments[layout.code_segment as usize];
    let tiny = model.tiny || code.has_only_origins() && code.begins_after_prefix();
    layout.com = tiny;
    let names = layout.names;
    let group = layout.group(session.names.intern(names.group));
    let mut members = vec![names.data, names.uninitialised, names.constants];
    members.push(if tiny { names.code } else { names.stack });
    for member in members {
        layout.add_to_group(group, session.names.intern(member));
    }
    let code = layout.segments[layout.code_segment as usize].name.clone();
    let code = session.names.intern(&code);
    layout.name_segment(code, layout.code_segment);
    if session.narrow.taken {
        // Data of lines without segments goes there, and no directive opens it.
        let data = layout.usual(SegmentRole::Data);
        layout.name_segment(session.names.intern(names.data), data);
    }
    let data = Frame::named(session.names.intern(names.group));
    layout.assume(|assumed| {
        assumed[segment_number(Register::DS)] = data;
        assumed[segment_number(Register::SS)] = data;
    });
}

/// Defines the stack of a memory model.
pub(crate) fn stack(session: &mut Session, program: &mut Program, bytes: u32, span: Span) -> Result<(), Fault> {
    let layout = &mut program.layout;
    if !layout.segmented {
        return Ok(());
    }
    let name = layout.names.stack;
    let index = layout.segment(name, SegmentKind::Data);
    layout.segments[index as usize].placing = Placing::Stack;
    layout.name_segment(session.names.intern(name), index);
    let back = std::mem::replace(&mut layout.current, index);
    let reserved = layout.reserve(u64::from(bytes), span);
    if reserved.is_ok() {
        layout.emit_fragment(FragmentKind::Zeroes, bytes);
    }
    layout.current = back;
    reserved
}

/// Ends a structure or a segment.
pub(crate) fn ends(
    session: &mut Session,
    program: &mut Program,
    name: Option<NameId>,
    span: Span,
) -> Result<(), Fault> {
    if let Some(open) = &program.structures.open {
        let (defined, place) = (open.name, open.span);
        if defined == NONE || !program.structures.outer.is_empty() {
            return end_structure(session, program, name, span);
        }
        let known = session.names.info(defined).structure;
        end_structure(session, program, name, span)?;
        let new = session.names.info(defined).structure;
        return match (program.structures.get(known), program.structures.get(new)) {
            (Some(known), Some(new)) => redefined::structure(session.names.spelling(defined), known, new, place),
            _ => Ok(()),
        };
    }
    if program.layout.open.is_empty() && std::mem::take(&mut program.layout.simplified) {
        // TASM lets `ends` end a segment that a single word began.
        let label = name.map(|name| session.names.spelling(name).to_owned());
        if let Some(label) = label.filter(|label| program.symbols.location_of(label).is_some()) {
            let problem = fault(span, format!("only a segment is closed here, and `{label}` is a label"));
            session.warn(problem.with_help(Remedy::EndOfProgram(label)));
        }
        return Ok(());
    }
    let Some(OpenSegment { segment, outer, .. }) = program.layout.open.pop() else {
        let problem = fault(span, "nothing to end: no structure or segment is open");
        return match name {
            Some(_) => Err(problem),
            // TASM takes such lines, and published sources have them.
            None => {
                session.warn(problem.with_help("remove this line"));
                Ok(())
            }
        };
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

/// Moves the current location in its segment. What follows an origin that moves back replaces what was there.
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
    let Ok(target) = u32::try_from(target) else {
        let message = format!("the origin {target} is outside the segment");
        return Err(fault(span, message).with_help("an origin is a distance from the start of the segment"));
    };
    let length = (i64::from(target) - reached).max(0) as u64;
    program.layout.reserve(length, span)?;
    if i64::from(target) < reached {
        program.layout.segments[here.segment as usize].turned_back = true;
    }
    if target == PREFIX_SIZE && reached == 0 && program.layout.current_size() == CodeSize::Bits16 {
        program.layout.com = true;
    }
    program
        .layout
        .emit_fragment(FragmentKind::Origin(target), length as u32);
    Ok(())
}

/// Aligns the current location.
pub(crate) fn align(session: &Session, program: &mut Program, alignment: Alignment, span: Span) -> Result<(), Fault> {
    let Alignment { unit, fill, .. } = alignment;
    if program.structures.align(unit) {
        return Ok(());
    }
    let here = program.layout.location();
    let segment = &mut program.layout.segments[program.layout.current as usize];
    segment.alignment = segment.alignment.max(unit);
    let segment = &program.layout.segments[program.layout.current as usize];
    let reached = program.layout.address(here).wrapping_sub(segment.base);
    let missing = missing(reached, alignment);
    let certain = !segment
        .fragments
        .iter()
        .rev()
        .any(|fragment| !matches!(fragment.kind, FragmentKind::Data | FragmentKind::Zeroes));
    if certain && missing <= 4096 {
        let mut padding = Vec::with_capacity(missing as usize);
        segment.pad(&mut padding, missing as usize, fill);
        let location = program.layout.emit(&padding, span)?;
        if missing > 0 {
            program.layout.note_data(session.origin, location, missing, span);
        }
        return Ok(());
    }
    program.layout.reserve(u64::from(unit), span)?;
    let location = program.layout.emit_fragment(FragmentKind::Align(alignment), missing);
    // The padding is executed like other bytes; its length is known after layout.
    program.layout.note_data(session.origin, location, 0, span);
    Ok(())
}
