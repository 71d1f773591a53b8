//! Records: the fields of a number in bits.

use super::structure::{BitField, RecordType};
use super::{Definition, Program, redefined};
use crate::diag::Fault;
use crate::expression::Type;
use crate::names::NameId;
use crate::session::{ALLOCATION, Session};
use crate::statement::{Named, RecordField};
use std::rc::Rc;

/// Defines a record; its last field is in the lowest bits.
pub(crate) fn record(
    session: &mut Session,
    program: &mut Program,
    name: NameId,
    fields: Vec<RecordField>,
) -> Result<(), Fault> {
    let total = fields.iter().map(|field| field.width).sum();
    program
        .structures
        .bit_fields
        .insert(name, BitField { shift: 0, width: total });
    let mut shift = total;
    for field in &fields {
        let RecordField {
            name,
            spelled,
            span,
            width,
            ..
        } = field;
        shift -= width;
        let place = BitField { shift, width: *width };
        program.structures.bit_fields.insert(*name, place);
        let named = Named {
            name: *name,
            spelled,
            span: *span,
        };
        let number = Definition::Number(i64::from(shift));
        program.symbols.define(session, named, number, Type::None)?;
    }
    let each = fields
        .iter()
        .map(|field| size_of::<RecordField>() + ALLOCATION + field.spelled.len());
    program.structures.kept += each.sum::<usize>() + ALLOCATION;
    let place = fields.first().map(|field| field.span);
    let new = Rc::new(RecordType { fields });
    let known = program.structures.records.insert(name, Rc::clone(&new));
    match (known, place) {
        (Some(known), Some(place)) => redefined::record(session.names.spelling(name), &known, &new, place),
        _ => Ok(()),
    }
}
