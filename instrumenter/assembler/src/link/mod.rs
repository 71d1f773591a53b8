//! The output for a settled program: the image with its lines, symbols, origins and regions, and the listing.

mod fields;
mod lines;
mod listing;
mod module;
mod objects;
mod regions;
mod segmented;
mod symbols;

pub(crate) use listing::listing;
pub(crate) use module::module;
pub(crate) use objects::{BUNDLED, choose, emit, place, undecorated};

use crate::diag::fault;
use crate::expression::{ExpressionId, Location, Type};
use crate::listing::Relocation;
use crate::names::NONE;
use crate::operand::{CodeSize, Distance};
use crate::program::{
    Deferred, Definition, FragmentKind, Program, Value, addresses, encode_values, evaluate, evaluate_operands,
    register_in_data, write_number,
};
use crate::remedy::Remedy;
use crate::session::Session;
use crate::statement::MOST_OPERANDS;
use iced_x86::Register;
use p5_image::Image;

/// Fills in the values that depend on addresses, which are settled; returns the bytes of separate fragments, by index.
pub(crate) fn resolve(session: &mut Session, program: &mut Program) -> Vec<[u8; 16]> {
    apply_fixups(session, program);
    check_promised(session, program);
    check_assumptions(session, program);
    let values = session.forward.iter().map(|&id| evaluate(session, program, id).ok());
    session.forward_found = values.map_while(|value| value.map(|value| value.number)).collect();
    encode_deferred(session, program)
}

/// Builds the image of a resolved program without errors.
pub(crate) fn link(
    session: &mut Session,
    program: &mut Program,
    encoded: &[[u8; 16]],
    entry: Location,
    end: Location,
) -> Image {
    release_instructions(session, program);
    let mut image = Image {
        entry: program.layout.linear(entry),
        // Running past the last instruction ends the program, even without a return.
        end: Some(program.layout.linear(end)),
        files: session.files.clone(),
        library: session.library,
        symbols: symbols::symbols(session, program),
        local_labels: symbols::local_labels(program),
        ..Image::default()
    };
    image.structures = symbols::structures(session, program, &image.symbols);
    lines::link_segments(session, program, &mut image, encoded);
    regions::link_regions(session, program, &mut image);
    if program.layout.segmented {
        segmented::load(session, program, &mut image);
    }
    image
}

/// Releases the data kept to encode instructions, which takes as much memory as the image.
fn release_instructions(session: &mut Session, program: &mut Program) {
    // The listing needs the instructions that failed.
    if program.layout.record.is_none() {
        program.deferred = Vec::new();
    }
    let of_symbols = program
        .symbols
        .table
        .iter()
        .filter_map(|symbol| match symbol.definition {
            Definition::Expression(id) => Some(id),
            _ => None,
        });
    session.expressions.release_after(of_symbols.max());
}

fn apply_fixups(session: &mut Session, program: &mut Program) {
    // A repeated value is reported once.
    let mut reported = None;
    for fixup in std::mem::take(&mut program.fixups) {
        if session.is_full() {
            return;
        }
        let mut bytes = Vec::with_capacity(10);
        let written = evaluate(session, program, fixup.expression).and_then(|value| {
            if value.register != Register::None || value.base != Register::None {
                return Err(register_in_data(fixup.span));
            }
            let segmented = program.layout.segmented;
            let narrow = if segmented { 2 } else { 4 };
            if value.relocatable && fixup.size < narrow && !(segmented && value.anchor.0 == NONE) {
                let name = addresses(session, program, fixup.expression).map(|found| found.name(session));
                let message = format!(
                    "the offset of {} has {} bits and does not fit in {} bits",
                    name.as_deref().unwrap_or("this name"),
                    8 * narrow,
                    u32::from(fixup.size) * 8
                );
                return Err(fault(fixup.span, message).with_help(Remedy::DataSize(narrow)));
            }
            note_relocation(session, program, fixup.expression, fixup.location);
            fields::of_data(session, program, &fixup, &value)?;
            let number = match far_pointer(program, &value, fixup.size) {
                Some(pointer) => pointer,
                None => program.layout.taken(value.number, fixup.size),
            };
            write_number(&mut bytes, number, fixup.size, fixup.span)
        });
        if let Err(problem) = written {
            if reported.replace((fixup.expression, fixup.origin)) != Some((fixup.expression, fixup.origin)) {
                session.report_at(problem, fixup.origin);
            }
            continue;
        }
        program.layout.patch(fixup.location, &bytes);
    }
}

/// The bytes of an address with its segment, as data of these sizes in a segmented program: the offset, then the
/// paragraph.
fn far_pointer(program: &Program, value: &Value, size: u8) -> Option<i64> {
    let layout = &program.layout;
    let segment = value.anchor.0;
    let located = layout.segmented && value.relocatable && !value.offset && segment != NONE;
    let bits = match (size, layout.size_of(segment)) {
        (4, CodeSize::Bits16) => 16,
        (6, _) => 32,
        _ => return None,
    };
    let paragraph = i64::from(layout.start_of(layout.frame_of(segment)) >> 4);
    located.then_some(value.number | paragraph << bits)
}

/// Reports the undefined names in expressions that were assigned to names before all their parts were defined.
fn check_promised(session: &mut Session, program: &mut Program) {
    for (expression, origin) in std::mem::take(&mut program.promised) {
        if session.is_full() {
            return;
        }
        if let Err(problem) = evaluate(session, program, expression) {
            session.report_at(problem, origin);
        }
    }
}

fn check_assumptions(session: &mut Session, program: &mut Program) {
    for assumption in std::mem::take(&mut session.assumptions) {
        if session.is_full() {
            return;
        }
        match evaluate(session, program, assumption.expression) {
            Ok(value) if value.number == assumption.value || value.relocatable => {}
            Ok(_) if session.forward.contains(&assumption.expression) => {
                session.assumed_wrong = true;
                let message = "this condition depends on what follows it, which depends on the condition";
                let problem = fault(assumption.span, message).with_help("define before it what it asks for");
                session.report_at(problem, assumption.origin);
            }
            Ok(value) => {
                let found = addresses(session, program, assumption.expression);
                if let Some(found) = found.filter(|found| !found.is_distance()) {
                    session.report_at(found.not_known(session, assumption.span), assumption.origin);
                    continue;
                }
                session.assumed_wrong = true;
                let message = format!(
                    "assumed {}, but branch relaxation made it {}",
                    assumption.value, value.number
                );
                let problem = fault(assumption.span, message)
                    .with_help("give the branches in between a fixed length: make each of them near or short");
                session.report_at(problem, assumption.origin);
            }
            Err(problem) => session.report_at(problem, assumption.origin),
        }
    }
}

/// Notes for the listing the relocation that the linker of the modules applies to a value.
fn note_relocation(session: &Session, program: &mut Program, expression: ExpressionId, location: Location) {
    if program.layout.record.is_none() {
        return;
    }
    let relocation = addresses(session, program, expression).and_then(|found| found.relocation());
    if let (Some(record), Some(relocation)) = (&mut program.layout.record, relocation) {
        record.relocations.push((location, relocation));
    }
}

/// Notes the relocation of an instruction. A branch to another module has a displacement of 0 until it is linked.
fn relocate(session: &Session, program: &mut Program, index: usize, values: &mut [Value; MOST_OPERANDS]) {
    let Deferred {
        instruction,
        location,
        length,
        ..
    } = program.deferred[index];
    let info = session.names.info(instruction.mnemonic);
    let (branch, segmented) = (info.branch, program.layout.segmented);
    let used = usize::from(instruction.operand_count);
    for (&operand, value) in instruction.operands.iter().zip(values).take(used) {
        let direct = branch && !value.memory;
        let found = addresses(session, program, operand);
        let relocation = found.and_then(|found| found.relocation());
        if direct && relocation == Some(Relocation::External) && program.is_module {
            value.number += i64::from(program.layout.address(location)) + i64::from(length);
        }
        // A far branch holds the address even of its own segment.
        let far = segmented && value.kind == Type::Far && (value.explicit || !info.jump);
        if direct && !far && found.is_some_and(|found| found.is_in(location.segment)) {
            continue;
        }
        note_relocation(session, program, operand, location);
    }
}

fn encode_deferred(session: &mut Session, program: &mut Program) -> Vec<[u8; 16]> {
    let mut encoded = Vec::with_capacity(program.deferred.len());
    for index in 0..program.deferred.len() {
        let mut bytes = [0x90; 16];
        let deferred = &program.deferred[index];
        if !deferred.failed && !session.is_full() {
            let instruction = deferred.instruction;
            let (location, length) = (deferred.location, deferred.length);
            let distance = deferred
                .branch
                .map(|near| if near { Distance::Near } else { Distance::Short });
            let site = deferred.site();
            let mut values = [Value::number(0); MOST_OPERANDS];
            let result = evaluate_operands(session, program, &instruction, &mut values)
                .map(|()| {
                    program.deferred[index].lengthen(&mut values);
                    if program.layout.record.is_some() {
                        relocate(session, program, index, &mut values);
                    }
                })
                .and_then(|()| encode_values(session, program, &instruction, &values, site, distance, false));
            match result {
                Ok(fresh) if u32::from(fresh.length) == length => {
                    bytes = fresh.bytes;
                    if let Err(problem) = fields::of_instruction(session, program, index, &values, &bytes) {
                        session.report_at(problem, instruction.origin);
                    }
                    let kind = program.layout.segments[location.segment as usize]
                        .fragments
                        .get(location.fragment as usize)
                        .map(|fragment| fragment.kind);
                    if kind == Some(FragmentKind::Data) {
                        program
                            .layout
                            .patch(location, fresh.bytes.get(..length as usize).unwrap_or(&[]));
                    }
                }
                result => {
                    program.deferred[index].failed = true;
                    let problem = result.err().unwrap_or_else(|| {
                        fault(instruction.span, "instruction length depends on a forward reference")
                            .with_help("move that definition before its use")
                    });
                    session.report_at(problem, instruction.origin);
                }
            }
        }
        encoded.push(bytes);
    }
    encoded
}
