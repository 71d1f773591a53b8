//! The fields of a module that hold addresses, as a linker gets them.

use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, Location, NodeKind, Type, Unary, arithmetic};
use crate::module::{Field, Holds, Target};
use crate::names::NONE;
use crate::operand::CodeSize;
use crate::program::{Fixup, Frame, PUSH_CS, Program, Value, addresses, evaluate};
use crate::session::Session;
use crate::statement::{MOST_OPERANDS, Placing};
use iced_x86::{Code, Decoder, DecoderOptions, OpKind, Register};

/// Notes the fields of a value in data.
pub(super) fn of_data(session: &Session, program: &mut Program, fixup: &Fixup, value: &Value) -> Result<(), Fault> {
    if program.fields.is_none() {
        return Ok(());
    }
    let refused = |what: &str| {
        let found = addresses(session, program, fixup.expression);
        let name = found.map_or_else(|| "a name".to_owned(), |found| found.name(session));
        let message = format!("{what} the address of {name}, which a linker cannot compute");
        Err(fault(fixup.span, message).with_help("compute it when the program runs"))
    };
    if value.frame.is_some() {
        return match fixup.size {
            1 => refused("a byte of"),
            _ => {
                note_frame(program, fixup.location, value, fixup.span);
                Ok(())
            }
        };
    }
    if !value.relocatable {
        let found = addresses(session, program, fixup.expression);
        if found.is_none_or(|found| found.is_distance()) {
            return Ok(());
        }
        return match part_of(session, program, fixup.expression) {
            // The rest of a wider field stays zero.
            Some((holds, value)) if holds.size() <= u32::from(fixup.size) => {
                note(program, fixup.location, holds, (&value, value.counted_from), fixup.span);
                Ok(())
            }
            _ => refused("a number computed from"),
        };
    }
    let holder = program.layout.size_of(fixup.location.segment);
    let pointed = match value.anchor.0 {
        NONE => holder,
        segment => program.layout.size_of(segment),
    };
    let far = program.layout.segmented && !value.offset;
    let (size, pointer) = match (fixup.size, pointed) {
        (1, _) => return refused("a byte of"),
        (4, CodeSize::Bits16) if far => (2, true),
        (6, _) if far => (4, true),
        (size @ (2 | 4), _) => (size, false),
        (_, CodeSize::Bits16) => (2, false),
        (_, CodeSize::Bits32) => (4, false),
    };
    note(
        program,
        fixup.location,
        Holds::Offset(size),
        (value, value.counted_from),
        fixup.span,
    );
    if pointer {
        let location = Location {
            offset: fixup.location.offset + u32::from(size),
            ..fixup.location
        };
        note(program, location, Holds::Paragraph, (value, Frame::NONE), fixup.span);
    }
    Ok(())
}

/// Notes the fields of an instruction with these operands and bytes.
pub(super) fn of_instruction(
    session: &Session,
    program: &mut Program,
    index: usize,
    values: &[Value; MOST_OPERANDS],
    bytes: &[u8; 16],
) -> Result<(), Fault> {
    if program.fields.is_none() {
        return Ok(());
    }
    let deferred = &program.deferred[index];
    let (instruction, location, site) = (deferred.instruction, deferred.location, deferred.site());
    let bits = match program.layout.size_of(location.segment) {
        CodeSize::Bits16 => 16,
        CodeSize::Bits32 => 32,
    };
    // WAIT, and PUSH CS before a near call, are instructions of their own.
    let waits = usize::from(matches!(bytes[0], 0x9B | PUSH_CS) && deferred.length > 1);
    let whole = &bytes[waits..deferred.length.min(16) as usize];
    let mut decoder = Decoder::new(bits, whole, DecoderOptions::NONE);
    let decoded = decoder.decode();
    let offsets = decoder.get_constant_offsets(&decoded);
    let info = *session.names.info(instruction.mnemonic);
    let used = usize::from(instruction.operand_count);
    for (&operand, value) in instruction.operands.iter().zip(values).take(used) {
        let span = session.expressions.extent(operand);
        let at = |offset: usize| Location {
            offset: location.offset + (waits + offset) as u32,
            ..location
        };
        if value.frame.is_some() {
            match offsets.immediate_size() {
                2 | 4 => note_frame(program, at(offsets.immediate_offset()), value, span),
                _ => return Err(too_small(session, program, operand, span)),
            }
            continue;
        }
        if !value.relocatable {
            let found = addresses(session, program, operand);
            let part = part_of(session, program, operand);
            let held = part.filter(|(holds, _)| holds.size() as usize <= offsets.immediate_size());
            if let Some((holds, value)) = held.filter(|_| !extends_sign(&decoded)) {
                let place = at(offsets.immediate_offset());
                note(program, place, holds, (&value, value.counted_from), span);
            } else if found.is_some_and(|found| !found.is_distance()) && decoded.code() != Code::INVALID {
                let name = found.map_or_else(String::new, |found| found.name(session));
                let message = format!("a number computed from the address of {name}, which a linker cannot compute");
                return Err(fault(span, message).with_help("compute it when the program runs"));
            }
            continue;
        }
        let far = matches!(decoded.op0_kind(), OpKind::FarBranch16 | OpKind::FarBranch32);
        if far {
            let size = offsets.immediate_size() as u8;
            let (offset, paragraph) = (offsets.immediate_offset(), offsets.immediate_offset2());
            note(
                program,
                at(offset),
                Holds::Offset(size),
                (value, value.counted_from),
                span,
            );
            if value.selector == NONE && program.layout.segmented {
                note(program, at(paragraph), Holds::Paragraph, (value, Frame::NONE), span);
            }
            continue;
        }
        let code = matches!(value.kind, Type::Near | Type::Far) && !info.address_only;
        let immediate = (offsets.immediate_offset(), offsets.immediate_size(), value.counted_from);
        let (branches, (place, size, frame)) = if info.branch && !value.memory {
            if value.anchor.0 == location.segment {
                continue;
            }
            (true, immediate)
        } else if implies_address(&decoded) {
            // The operand of a string instruction gives its size and segment, not its address.
            continue;
        } else if value.memory || (!value.offset && !code) {
            let frame = reached(program, value, site.location.segment, site.assumes);
            let displacement = (offsets.displacement_offset(), offsets.displacement_size(), frame);
            (false, displacement)
        } else {
            (false, immediate)
        };
        if size < 2 {
            return Err(too_small(session, program, operand, span));
        }
        let holds = match branches {
            true => Holds::Distance(size as u8),
            false => Holds::Offset(size as u8),
        };
        note(program, at(place), holds, (value, frame), span);
    }
    Ok(())
}

/// The offset that an expression takes a part of, and the part, as in `low offset name`.
fn part_of(session: &Session, program: &Program, expression: u32) -> Option<(Holds, Value)> {
    let (operator, inner) = match session.expressions.node(expression).kind {
        NodeKind::Unary(operator, inner) => (operator, inner),
        // `(low offset name)+n`
        NodeKind::Binary(operator @ (Binary::Add | Binary::Subtract), left, right) => {
            let added = evaluate(session, program, right).ok().filter(|value| !value.volatile)?;
            let (holds, value) = part_of(session, program, left)?;
            let number = match holds {
                Holds::HighByte => added.number << 8,
                _ => added.number,
            };
            let number = arithmetic(operator, value.number, number)?;
            return Some((holds, Value { number, ..value }));
        }
        _ => return None,
    };
    let holds = match operator {
        Unary::Low => Holds::LowByte,
        Unary::High => Holds::HighByte,
        Unary::LowWord => Holds::LowWord,
        _ => return None,
    };
    let value = evaluate(session, program, inner).ok()?;
    (value.relocatable && !value.memory).then_some((holds, value))
}

/// Whether the processor extends the sign of its immediate, which a linker does not see.
fn extends_sign(decoded: &iced_x86::Instruction) -> bool {
    (0..decoded.op_count()).any(|operand| {
        matches!(
            decoded.op_kind(operand),
            OpKind::Immediate8to16 | OpKind::Immediate8to32
        )
    })
}

/// Whether its memory operands are addressed by fixed registers, without a displacement.
fn implies_address(decoded: &iced_x86::Instruction) -> bool {
    decoded.is_string_instruction() || decoded.code() == Code::Xlat_m8
}

fn too_small(session: &Session, program: &Program, operand: u32, span: Span) -> Fault {
    let found = addresses(session, program, operand);
    let name = found.map_or_else(|| "this name".to_owned(), |found| found.name(session));
    fault(
        span,
        format!("the address of {name} is known when modules are linked, and one byte does not hold it"),
    )
    .with_help("use an operand of a word or a dword, or a near branch")
}

/// The frame that a segment register is assumed to hold, from which the address of a memory operand counts.
fn reached(program: &Program, value: &Value, code: u32, assumes: u32) -> Frame {
    let data = value.anchor.0;
    if !program.layout.segmented || data == NONE {
        return value.counted_from;
    }
    let by_default = match value.base {
        Register::ESP | Register::EBP | Register::BP => Register::SS,
        _ if value.index == Register::BP => Register::SS,
        _ => Register::DS,
    };
    let reach = program
        .layout
        .reach(code, assumes, (data, value.number), (value.segment, by_default));
    match reach {
        Some(reach) if reach.frame.is_some() => reach.frame,
        _ => value.counted_from,
    }
}

/// Notes a field that holds the paragraph of a segment or group.
fn note_frame(program: &mut Program, location: Location, value: &Value, span: Span) {
    let target = match (value.frame.symbol_elsewhere(), program.layout.of_frame(value.frame)) {
        (Some(symbol), _) => Target::Symbol(symbol),
        (None, Some(Ok(segment))) if is_fixed(program, segment) => return,
        (None, Some(Ok(segment))) => Target::Segment(segment),
        (None, Some(Err(group))) => Target::Group(group),
        (None, None) => return,
    };
    let own = match target {
        // The name of a segment in a group means the segment.
        Target::Segment(_) => Some(target),
        _ => None,
    };
    push(
        program,
        location,
        Field {
            segment: 0,
            offset: 0,
            holds: Holds::Paragraph,
            target,
            frame: own,
            addend: 0,
            span,
        },
    );
}

/// Whether a segment lies at a paragraph of its own.
fn is_fixed(program: &Program, segment: u32) -> bool {
    let segment = program.layout.segments.get(segment as usize);
    segment.is_some_and(|segment| matches!(segment.placing, Placing::At(_)))
}

/// Notes a field with the address that `value` contains.
fn note(program: &mut Program, location: Location, holds: Holds, (value, from): (&Value, Frame), span: Span) {
    let layout = &program.layout;
    // Code reaches the library's data through CS, so offsets of it count from the frame of the code.
    let anchored = layout.segments.get(value.anchor.0 as usize);
    let from = match anchored.is_some_and(|own| own.placing == Placing::Library) && !from.is_some() {
        true => layout.frame_of(layout.entered),
        false => from,
    };
    let (target, addend) = match value.anchor {
        (NONE, symbol) => (Target::Symbol(symbol), value.number),
        (segment, _) if is_fixed(program, segment) => return,
        (segment, _) => {
            let counted = match value.counted_from.is_some() {
                true => value.counted_from,
                false => layout.frame_of(segment),
            };
            let own = layout.segments.get(segment as usize);
            let start = own.map_or(0, |own| i64::from(own.frame) + i64::from(own.base));
            let frame = match own {
                _ if !layout.segmented => 0,
                // Code reaches the library's data through CS.
                Some(own) if own.placing == Placing::Library => i64::from(own.frame),
                _ => i64::from(layout.start_of(counted)),
            };
            (Target::Segment(segment), value.number + frame - start)
        }
    };
    let frame = layout.of_frame(from).map(|known| match known {
        Ok(segment) => Target::Segment(segment),
        Err(group) => Target::Group(group),
    });
    let addend = if holds == Holds::Paragraph { 0 } else { addend };
    let field = Field {
        segment: 0,
        offset: 0,
        holds,
        target,
        frame,
        addend,
        span,
    };
    push(program, location, field);
}

/// Notes a field at a location.
fn push(program: &mut Program, location: Location, field: Field) {
    let base = program
        .layout
        .segments
        .get(location.segment as usize)
        .map_or(0, |segment| segment.base);
    let offset = program.layout.address(location).wrapping_sub(base);
    if let Some(fields) = &mut program.fields {
        fields.push(Field {
            segment: location.segment,
            offset,
            ..field
        });
    }
}
