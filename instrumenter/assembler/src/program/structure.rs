//! Structures, unions and records: their fields and values.

use super::data::items;
use super::{Emission, Program, refused};
use crate::diag::{Fault, Span, fault};
use crate::expression::Type;
use crate::names::{NONE, NameId};
use crate::session::{ALLOCATION, Session};
use crate::statement::{Item, Items, RecordField};
use p5_image::ElementKind;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: NameId,
    pub(crate) offset: u32,
    pub(crate) kind: Type,
    pub(crate) size: u32,
    /// The number of its elements, and of those that its first value makes.
    pub(crate) count: u32,
    pub(crate) first: u32,
    items: Items,
    /// Whether a shorter string is padded with blanks.
    text: bool,
    /// The kind of its elements.
    pub(crate) elements: ElementKind,
    /// The record whose values it has, if it has such.
    pub(crate) record: Option<NameId>,
    /// Whether it is another field of a union without a name, of which only the first has a value.
    pub(crate) alternative: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct StructureType {
    pub(crate) size: u32,
    pub(crate) fields: Vec<Field>,
    /// The index of each field, once the structure is closed.
    by_name: HashMap<NameId, u32>,
    pub(crate) union: bool,
    /// The bytes of its default values, if these do not depend on addresses.
    blank: Option<Vec<u8>>,
}

pub(crate) struct OpenStructure {
    pub(crate) name: NameId,
    pub(crate) structure: StructureType,
    pub(crate) names: HashSet<NameId>,
    alignment: u32,
    pub(crate) span: Span,
    /// The first instruction in it, and the origin of its line.
    pub(crate) intruder: Option<(Span, u32)>,
}

/// The bits of a record field, by position; for the record itself, all its bits.
#[derive(Clone, Copy)]
pub(crate) struct BitField {
    pub(crate) shift: u32,
    pub(crate) width: u32,
}

/// A record: its fields from the highest bits on.
pub(crate) struct RecordType {
    pub(crate) fields: Vec<RecordField>,
}

impl Field {
    /// The bytes of memory that a copy of it takes, here and in an image.
    fn bytes(&self) -> usize {
        let values = self.items.list.len() * size_of::<Item>() + self.items.bytes.len();
        size_of::<Field>() + size_of::<p5_image::Field>() + values + 2 * ALLOCATION
    }
}

impl RecordType {
    /// The size of a record in bytes.
    pub(crate) fn bytes(&self) -> u8 {
        match self.fields.iter().map(|field| field.width).sum::<u32>() {
            ..=8 => 1,
            9..=16 => 2,
            _ => 4,
        }
    }
}

/// The structures and records of a program.
#[derive(Default)]
pub(crate) struct Structures {
    pub(crate) all: Vec<Rc<StructureType>>,
    /// The structure that last defined each bare field name.
    pub(crate) fields: HashMap<NameId, u32>,
    /// The fields that several structures have at different offsets.
    pub(crate) several: HashSet<NameId>,
    pub(crate) bit_fields: HashMap<NameId, BitField>,
    pub(crate) records: HashMap<NameId, Rc<RecordType>>,
    pub(crate) open: Option<OpenStructure>,
    /// The structures that enclose `open`, outermost first.
    pub(crate) outer: Vec<OpenStructure>,
    /// The bytes of memory that the fields, and the default values, of all structures take, with those of an image.
    pub(super) kept: usize,
}

impl StructureType {
    pub(crate) fn field(&self, name: NameId) -> Option<&Field> {
        self.fields.get(*self.by_name.get(&name)? as usize)
    }
}

impl Structures {
    /// The bytes of memory that the structures take, with those of an image.
    pub(crate) fn bytes(&self) -> usize {
        let each = size_of::<StructureType>() + size_of::<p5_image::Structure>() + 3 * ALLOCATION;
        let bits = 2 * size_of::<(NameId, BitField)>();
        self.kept + self.all.len() * each + self.bit_fields.len() * bits
    }

    pub(crate) fn get(&self, index: u32) -> Option<&Rc<StructureType>> {
        self.all.get(index as usize)
    }

    /// The size of one element of `kind` in bytes; 0 for code and unknown types.
    pub(crate) fn size_of(&self, kind: Type) -> u32 {
        match kind {
            Type::Bytes(size) => u32::from(size),
            Type::Structure(structure) => self.get(structure).map_or(0, |structure| structure.size),
            Type::None | Type::Near | Type::Far => 0,
        }
    }
}

impl Structures {
    /// Gives the open structure the fields of `base`, which nothing precedes.
    fn inherit(&mut self, base: &StructureType, span: Span) -> Result<(), Fault> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        if open.structure.union != base.union {
            return Err(fault(
                span,
                "a structure cannot inherit from a union, or a union from a structure",
            ));
        }
        open.structure.size = base.size;
        for field in &base.fields {
            self.kept += field.bytes();
            open.names.insert(field.name);
            open.structure.fields.push(field.clone());
        }
        Ok(())
    }

    /// Says that the last field of the open structure has the values of a record.
    pub(super) fn last_holds(&mut self, record: Option<NameId>) {
        let field = self.open.as_mut().and_then(|open| open.structure.fields.last_mut());
        if let Some(field) = field {
            field.record = record;
        }
    }

    /// Pads the open structure to a multiple of `unit` bytes; returns whether one is open.
    pub(crate) fn align(&mut self, unit: u32) -> bool {
        let Some(open) = &mut self.open else {
            return false;
        };
        let size = &mut open.structure.size;
        *size = size.next_multiple_of(unit);
        true
    }
}

/// Opens a structure. A nested one is a field of the outer one; if it has no name, its fields are fields of the outer
/// one. One that inherits begins with the fields of its `base`.
pub(crate) fn structure(
    program: &mut Program,
    name: Option<NameId>,
    union: bool,
    (alignment, base): (Option<u32>, Option<u32>),
    span: Span,
) -> Result<(), Fault> {
    let structures = &mut program.structures;
    let outer = structures.open.as_ref().map(|outer| outer.alignment);
    if outer.is_some() && structures.outer.len() >= 32 {
        return Err(fault(span, "structures are nested deeper than 32"));
    }
    structures.outer.extend(structures.open.take());
    structures.open = Some(OpenStructure {
        name: name.unwrap_or(NONE),
        structure: StructureType {
            size: 0,
            fields: Vec::new(),
            by_name: HashMap::new(),
            union,
            blank: None,
        },
        names: HashSet::new(),
        alignment: outer.or(alignment).unwrap_or(1),
        intruder: None,
        span,
    });
    if let Some(base) = base.and_then(|base| structures.get(base).map(Rc::clone)) {
        structures.inherit(&base, span)?;
    }
    Ok(())
}

pub(super) fn end_structure(
    session: &mut Session,
    program: &mut Program,
    name: Option<NameId>,
    span: Span,
) -> Result<(), Fault> {
    let Some(mut open) = program.structures.open.take() else {
        return Ok(());
    };
    if let Some((span, origin)) = open.intruder {
        session.report_at(fault(span, "instruction not allowed in a structure"), origin);
    }
    if open.alignment > 1 {
        let widest = open
            .structure
            .fields
            .iter()
            .map(|field| program.structures.size_of(field.kind).max(1))
            .max();
        let unit = widest.unwrap_or(1).min(open.alignment).next_power_of_two();
        open.structure.size = open.structure.size.next_multiple_of(unit);
    }
    let index = program.structures.all.len() as u32;
    for (number, field) in (0..).zip(&open.structure.fields) {
        if let Some(other) = program.structures.fields.insert(field.name, index)
            && let Some(other) = program.structures.all.get(other as usize)
            && other
                .field(field.name)
                .is_some_and(|other| other.offset != field.offset)
        {
            program.structures.several.insert(field.name);
        }
        open.structure.by_name.entry(field.name).or_insert(number);
    }
    program.structures.all.push(Rc::new(open.structure));
    let outer = program.structures.outer.pop();
    let inner = outer.is_some();
    if !inner {
        session.names.info_mut(open.name).structure = index;
    }
    // The bytes are built once, so that nested structures cost no more than their size.
    let mut emission = Emission::default();
    structure_value(session, program, index, (&[], &[]), &mut emission, open.span, 0)?;
    if let Some(structure) = program.structures.all.get_mut(index as usize).and_then(Rc::get_mut) {
        structure.blank = emission.fixups.is_empty().then(|| emission.bytes.clone());
        program.structures.kept += emission.bytes.len();
    }
    if inner {
        program.structures.open = outer;
        return end_inner_structure(session, program, open.name, index, emission, open.span);
    }
    match name {
        Some(name) if name != open.name => {
            let (name, text) = (session.names.spelling(name), session.names.spelling(open.name));
            let line = open.span.line;
            Err(fault(
                span,
                format!("`{name}` cannot end: the open structure is `{text}` from line {line}"),
            )
            .with_help(format!("end `{text}` first")))
        }
        _ => Ok(()),
    }
}

/// Makes the structure that ended last a field of the enclosing one.
fn end_inner_structure(
    session: &mut Session,
    program: &mut Program,
    name: NameId,
    index: u32,
    mut emission: Emission,
    span: Span,
) -> Result<(), Fault> {
    emission.flatten();
    let Some(inner) = program.structures.all.get(index as usize).cloned() else {
        return Ok(());
    };
    let mut values = Items::default();
    values.list.push(Item::Structure {
        structure: index,
        inside: 0,
        span,
    });
    let kind = (Type::Structure(index), ElementKind::Unsigned);
    if name != NONE {
        return add_field(session, program, Some(name), kind, values, &emission, span);
    }
    let count = inner.fields.len();
    add_field(session, program, None, kind, values, &emission, span)?;
    let Some(OpenStructure {
        structure: outer,
        names,
        ..
    }) = &mut program.structures.open
    else {
        return Ok(());
    };
    let Some(place) = outer.fields.pop() else {
        return Ok(());
    };
    for (number, field) in inner.fields.iter().enumerate() {
        if field.name != NONE && !names.insert(field.name) {
            return Err(refused::field_twice(span));
        }
        program.structures.kept += field.bytes();
        let mut field = field.clone();
        field.offset += place.offset;
        // In a union only the first field has a value.
        if inner.union && number > 0 && count > 1 {
            field.items.clear();
            field.alternative = true;
        }
        outer.fields.push(field);
    }
    Ok(())
}

/// Adds the field that a data line in a structure defines.
pub(super) fn add_field(
    session: &Session,
    program: &mut Program,
    name: Option<NameId>,
    (kind, elements): (Type, ElementKind),
    items: Items,
    emission: &Emission,
    span: Span,
) -> Result<(), Fault> {
    let size = emission.zeroes.max(emission.bytes.len() as u64);
    let element = program.structures.size_of(kind).max(1);
    let limit = session.limits.structure;
    let Some(open) = &mut program.structures.open else {
        return Ok(());
    };
    let by_name = 4 * size_of::<(NameId, u32)>() + 2 * size_of::<NameId>();
    let values = items.list.len() * size_of::<Item>() + items.bytes.len() + 2 * ALLOCATION;
    let spelled = name.map_or(0, |name| session.names.spelling(name).len());
    let taken = 2 * size_of::<Field>() + size_of::<p5_image::Field>() + by_name + values + spelled;
    program.structures.kept += taken;
    let structure = &mut open.structure;
    let unit = element.next_power_of_two().min(open.alignment);
    let offset = if structure.union {
        0
    } else {
        structure.size.next_multiple_of(unit)
    };
    let after = u64::from(offset) + size;
    if after > limit {
        return Err(refused::structure_too_large(limit, span));
    }
    if let Some(name) = name
        && !open.names.insert(name)
    {
        return Err(refused::field_twice(span));
    }
    structure.size = structure.size.max(after as u32);
    let (count, first) = emission.counts();
    structure.fields.push(Field {
        name: name.unwrap_or(NONE),
        offset,
        kind,
        size: size as u32,
        count,
        first,
        items,
        text: emission.text,
        elements,
        record: None,
        alternative: false,
    });
    Ok(())
}

/// Emits one structure with values for some of its fields; the others keep their defaults.
pub(super) fn structure_value(
    session: &mut Session,
    program: &mut Program,
    structure: u32,
    given: (&[Item], &[u8]),
    out: &mut Emission,
    span: Span,
    depth: u32,
) -> Result<(), Fault> {
    let Some(definition) = program.structures.get(structure).cloned() else {
        return Ok(());
    };
    let limit = session.limits.image;
    let base = out.bytes.len();
    if base as u64 + u64::from(definition.size) > limit {
        return Err(refused::too_large(limit, span));
    }
    program.count_filled(&session.limits, u64::from(definition.size), span)?;
    let (mut given, bytes) = given;
    out.count += 1;
    if let (Some(blank), []) = (&definition.blank, given) {
        out.bytes.extend_from_slice(blank);
        return Ok(());
    }
    out.bytes.resize(base + definition.size as usize, 0);
    let most = if definition.union { 1 } else { definition.fields.len() };
    for (place, field) in definition.fields.iter().enumerate().take(most) {
        let size = field.kind.element();
        let mut inner = Emission::default();
        match given.first() {
            Some(item @ Item::Field { place: own, .. }) if *own as usize == place => {
                let (value, rest) = given.get(1..).unwrap_or(&[]).split_at(item.inside());
                given = rest;
                items(session, program, size, (value, bytes), &mut inner, depth + 1)?;
            }
            _ => {
                let value = &field.items;
                items(
                    session,
                    program,
                    size,
                    (&value.list, &value.bytes),
                    &mut inner,
                    depth + 1,
                )?;
            }
        }
        inner.flatten();
        if inner.bytes.len() > field.size as usize {
            let name = if field.name == NONE {
                ""
            } else {
                session.names.spelling(field.name)
            };
            return Err(fault(
                span,
                format!(
                    "value of {} bytes does not fit in field `{name}` of {} bytes",
                    inner.bytes.len(),
                    field.size
                ),
            ));
        }
        if field.text && !inner.bytes.is_empty() {
            inner.bytes.resize(field.size as usize, b' ');
        }
        let start = base + field.offset as usize;
        if let Some(target) = out.bytes.get_mut(start..start + inner.bytes.len()) {
            target.copy_from_slice(&inner.bytes);
        }
        for (offset, size, id, span) in inner.fixups {
            out.fixups.push((start as u32 + offset, size, id, span));
        }
    }
    Ok(())
}
