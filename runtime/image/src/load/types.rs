//! Types of variables, from DWARF of any version: the elements and fields of the data that a source declares.
//!
//! They serve reports only, so damage ends the reading where it is, and what is unusual stays without a type:
//! variables that are not at one address, bit fields, types larger than a gigabyte.

use super::DebugSections;
use crate::{ElementKind, Enumeration, Field, Structure};
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, Operation, Unit, UnitOffset};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The maximum number of entries that are read of all units, and of fields in all structures.
const MOST_ENTRIES: usize = 1 << 21;
const MOST_FIELDS: usize = 1 << 18;
/// The maximum number of types that contain one another.
const DEEPEST: usize = 32;
/// The maximum size of a variable in bytes.
const LARGEST: u64 = 1 << 30;
/// The maximum length of a field's name in bytes.
const LONGEST_NAME: usize = 256;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// The sections that contain types and functions, besides those with line tables, which a unit refers to, with all
/// relocations applied.
#[derive(Clone, Copy, Debug, Default)]
pub struct TypeSections<'a> {
    /// The bytes of `.debug_info`.
    pub info: &'a [u8],
    /// The bytes of `.debug_abbrev`.
    pub abbreviations: &'a [u8],
    /// The bytes of `.debug_str_offsets`.
    pub string_offsets: &'a [u8],
    /// The bytes of `.debug_addr`.
    pub addresses: &'a [u8],
    /// The bytes of `.debug_ranges`.
    pub ranges: &'a [u8],
    /// The bytes of `.debug_rnglists`.
    pub range_lists: &'a [u8],
}

impl<'a> TypeSections<'a> {
    /// All sections without those of ranges.
    pub(super) fn dwarf(&self, lines: &DebugSections<'a>) -> Dwarf<Slice<'a>> {
        let slice = |bytes| EndianSlice::new(bytes, LittleEndian);
        Dwarf {
            debug_info: slice(self.info).into(),
            debug_abbrev: slice(self.abbreviations).into(),
            debug_line: slice(lines.line).into(),
            debug_str: slice(lines.strings).into(),
            debug_line_str: slice(lines.line_strings).into(),
            debug_str_offsets: slice(self.string_offsets).into(),
            debug_addr: slice(self.addresses).into(),
            ..Dwarf::default()
        }
    }
}

/// What a declaration says of the bytes of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    /// The size of all elements in bytes.
    pub(super) size: u32,
    /// The size of one element in bytes.
    pub(super) element: u32,
    pub(super) kind: ElementKind,
}

/// The types of variables by their addresses, and the structures that they are made of.
#[derive(Debug, Default)]
pub(super) struct Types {
    pub(super) variables: HashMap<u32, Type>,
    pub(super) structures: Vec<Structure>,
    pub(super) enumerations: Vec<Enumeration>,
    /// The names of the variables that belong to a function, with its name before theirs, by address.
    pub(super) of_functions: HashMap<u32, String>,
}

/// Reads the types of all variables that have an address.
pub(super) fn types(sections: &TypeSections<'_>, lines: &DebugSections<'_>) -> Types {
    let dwarf = sections.dwarf(lines);
    let mut found = Types::default();
    let (mut entries, mut fields) = (0, 0);
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let Ok(unit) = dwarf.unit(header) else { break };
        let mut reader = Reader {
            dwarf: &dwarf,
            unit: &unit,
            known: HashMap::new(),
            found: &mut found,
            entries: &mut entries,
            fields: &mut fields,
        };
        if reader.variables().is_none() {
            break;
        }
    }
    found
}

struct Reader<'r, 'a> {
    dwarf: &'r Dwarf<Slice<'a>>,
    unit: &'r Unit<Slice<'a>>,
    /// The types that have been read; `None` while one is read, and if it has no size.
    known: HashMap<UnitOffset, Option<Type>>,
    found: &'r mut Types,
    entries: &'r mut usize,
    fields: &'r mut usize,
}

impl<'a> Reader<'_, 'a> {
    /// Reads the variables of the unit; `None` at damage or when enough has been read.
    fn variables(&mut self) -> Option<()> {
        let unit = self.unit;
        let mut entries = unit.entries();
        // The function around an entry, with its depth.
        let mut within: Option<(isize, String)> = None;
        while let Some(entry) = entries.next_dfs().ok()? {
            self.count()?;
            if within.as_ref().is_some_and(|(depth, _)| entry.depth() <= *depth) {
                within = None;
            }
            if entry.tag() == gimli::DW_TAG_subprogram && within.is_none() {
                within = self.name(entry).map(|name| (entry.depth(), name));
            }
            if entry.tag() != gimli::DW_TAG_variable {
                continue;
            }
            let Some(address) = self.address(entry) else { continue };
            if let Some(((_, function), name)) = within.as_ref().zip(self.name(entry)) {
                let name = format!("{function}::{name}");
                self.found.of_functions.insert(address, name);
            }
            // A definition may leave its type to a declaration.
            let declared = |name| reference(entry, name).and_then(|offset| unit.entry(offset).ok());
            let of = reference(entry, gimli::DW_AT_type).or_else(|| {
                let other = declared(gimli::DW_AT_specification).or_else(|| declared(gimli::DW_AT_abstract_origin))?;
                reference(&other, gimli::DW_AT_type)
            });
            if let Some(known) = of.and_then(|offset| self.resolve(offset, 0)) {
                self.found.variables.insert(address, known);
            }
        }
        Some(())
    }

    fn count(&mut self) -> Option<()> {
        *self.entries += 1;
        (*self.entries <= MOST_ENTRIES).then_some(())
    }

    /// The address of a variable whose place is an address and nothing else.
    fn address(&self, entry: &Entry<'a>) -> Option<u32> {
        let AttributeValue::Exprloc(place) = entry.attr_value(gimli::DW_AT_location)? else {
            return None;
        };
        let mut operations = place.operations(self.unit.encoding());
        let address = match operations.next().ok()?? {
            Operation::Address { address } => address,
            Operation::AddressIndex { index } => self.dwarf.address(self.unit, index).ok()?,
            _ => return None,
        };
        let only = operations.next().ok()?.is_none();
        u32::try_from(address).ok().filter(|_| only)
    }

    fn resolve(&mut self, offset: UnitOffset, depth: usize) -> Option<Type> {
        if let Some(&known) = self.known.get(&offset) {
            return known;
        }
        if depth == DEEPEST {
            return None;
        }
        self.count()?;
        // A type that contains itself has no size.
        self.known.insert(offset, None);
        let read = self.read(offset, depth).filter(|read| read.size > 0);
        self.known.insert(offset, read);
        read
    }

    fn read(&mut self, offset: UnitOffset, depth: usize) -> Option<Type> {
        let entry = self.unit.entry(offset).ok()?;
        let size = number(&entry, gimli::DW_AT_byte_size).filter(|&size| size <= LARGEST);
        let one = |kind| {
            size.map(|size| Type {
                size: size as u32,
                element: size as u32,
                kind,
            })
        };
        match entry.tag() {
            gimli::DW_TAG_base_type => match entry.attr_value(gimli::DW_AT_encoding)? {
                // The type that is meant for text has no word before its name.
                AttributeValue::Encoding(gimli::DW_ATE_signed_char) if self.name(&entry).as_deref() == Some("char") => {
                    one(ElementKind::Character)
                }
                AttributeValue::Encoding(gimli::DW_ATE_boolean) => one(ElementKind::Boolean),
                AttributeValue::Encoding(gimli::DW_ATE_signed | gimli::DW_ATE_signed_char) => one(ElementKind::Signed),
                AttributeValue::Encoding(gimli::DW_ATE_float) => match size? {
                    4 | 8 | 10 => one(ElementKind::Real),
                    // A `long double` of ten bytes, and two bytes that fill it up.
                    12 => {
                        let real = Type {
                            size: 10,
                            element: 10,
                            kind: ElementKind::Real,
                        };
                        self.structure(12, vec![(String::new(), 0, real)])
                    }
                    _ => None,
                },
                AttributeValue::Encoding(gimli::DW_ATE_complex_float) => match size? {
                    8 | 16 => one(ElementKind::Real).map(|both| Type {
                        element: both.size / 2,
                        ..both
                    }),
                    _ => None,
                },
                _ => one(ElementKind::Unsigned),
            },
            gimli::DW_TAG_enumeration_type => {
                // Older compilers do not say which integers hold it.
                let integer = reference(&entry, gimli::DW_AT_type).and_then(|of| self.resolve(of, depth + 1));
                let values = self.enumerators(offset)?;
                let signed = match integer {
                    Some(integer) => integer.kind.is_signed(),
                    None => values.iter().any(|(_, value)| *value < 0),
                };
                let number = self.found.enumerations.len() as u32;
                self.found.enumerations.push(Enumeration { values });
                one(ElementKind::Enumeration { number, signed })
            }
            gimli::DW_TAG_pointer_type | gimli::DW_TAG_reference_type | gimli::DW_TAG_rvalue_reference_type => {
                let bytes = size.map_or(4, |size| size as u32);
                Some(Type {
                    size: bytes,
                    element: bytes,
                    kind: ElementKind::Address,
                })
            }
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => self.resolve(reference(&entry, gimli::DW_AT_type)?, depth + 1),
            gimli::DW_TAG_array_type => self.array(offset, &entry, depth),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type | gimli::DW_TAG_class_type => {
                let fields = self.members(offset, depth)?;
                self.structure(size? as u32, fields)
            }
            _ => None,
        }
    }

    /// An array: of elements, or, if it has several dimensions, of arrays.
    fn array(&mut self, offset: UnitOffset, entry: &Entry<'a>, depth: usize) -> Option<Type> {
        let mut lengths = Vec::new();
        self.children(offset, |_, child| {
            if child.tag() == gimli::DW_TAG_subrange_type {
                let last = number(child, gimli::DW_AT_upper_bound);
                let length = number(child, gimli::DW_AT_count).or_else(|| last?.checked_add(1));
                lengths.push(length.unwrap_or(0));
            }
            ControlFlow::Continue(())
        })?;
        let mut inner = self.resolve(reference(entry, gimli::DW_AT_type)?, depth + 1)?;
        for &length in lengths.iter().rev() {
            // The element of an array of arrays is an array, whose elements are named by their index alone.
            if inner.element < inner.size {
                inner = self.structure(inner.size, vec![(String::new(), 0, inner)])?;
            }
            let size = length
                .checked_mul(u64::from(inner.size))
                .filter(|&size| size <= LARGEST)?;
            inner.size = size as u32;
        }
        Some(inner)
    }

    /// The fields of a structure: name, offset and type.
    fn members(&mut self, offset: UnitOffset, depth: usize) -> Option<Vec<(String, u32, Type)>> {
        let mut fields = Vec::new();
        self.children(offset, |reader, child| {
            let inherits = child.tag() == gimli::DW_TAG_inheritance;
            let bits = child.attr_value(gimli::DW_AT_bit_size).is_some();
            if bits || !inherits && child.tag() != gimli::DW_TAG_member {
                return ControlFlow::Continue(());
            }
            *reader.fields += 1;
            if *reader.fields > MOST_FIELDS {
                return ControlFlow::Break(());
            }
            // The members of a union have no place.
            let place = child
                .attr_value(gimli::DW_AT_data_member_location)
                .map(|place| place.udata_value());
            let place = place.unwrap_or(Some(0)).and_then(|place| u32::try_from(place).ok());
            let of = reference(child, gimli::DW_AT_type).and_then(|of| reader.resolve(of, depth + 1));
            if let Some((place, of)) = place.zip(of) {
                fields.push((reader.name(child).filter(|_| !inherits).unwrap_or_default(), place, of));
            }
            ControlFlow::Continue(())
        })?;
        Some(fields)
    }

    /// The names of an enumeration with their values.
    fn enumerators(&mut self, offset: UnitOffset) -> Option<Vec<(String, i128)>> {
        let mut values = Vec::new();
        self.children(offset, |reader, child| {
            if child.tag() != gimli::DW_TAG_enumerator {
                return ControlFlow::Continue(());
            }
            *reader.fields += 1;
            if *reader.fields > MOST_FIELDS {
                return ControlFlow::Break(());
            }
            // Negative values have a form of their own.
            let value = match child.attr_value(gimli::DW_AT_const_value) {
                Some(AttributeValue::Sdata(value)) => Some(i128::from(value)),
                Some(other) => other.udata_value().map(i128::from),
                None => None,
            };
            values.extend(reader.name(child).zip(value));
            ControlFlow::Continue(())
        })?;
        Some(values)
    }

    fn name(&self, entry: &Entry<'a>) -> Option<String> {
        let name = self
            .dwarf
            .attr_string(self.unit, entry.attr_value(gimli::DW_AT_name)?)
            .ok()?;
        (name.len() <= LONGEST_NAME).then(|| String::from_utf8_lossy(name.slice()).into_owned())
    }

    /// Adds a structure. Those of its fields precede it.
    fn structure(&mut self, size: u32, fields: Vec<(String, u32, Type)>) -> Option<Type> {
        let fields = fields.into_iter().map(|(name, offset, of)| Field {
            name,
            offset,
            size: of.size,
            element: of.element,
            kind: of.kind,
        });
        let fields = fields.filter(|field| field.offset.checked_add(field.size).is_some_and(|end| end <= size));
        let number = self.found.structures.len() as u32;
        self.found.structures.push(Structure {
            fields: fields.collect(),
        });
        Some(Type {
            size,
            element: size,
            kind: ElementKind::Structure(number),
        })
    }

    /// Calls `each` for the children of an entry; `None` at damage or when it breaks off.
    fn children(
        &mut self,
        offset: UnitOffset,
        mut each: impl FnMut(&mut Self, &Entry<'a>) -> ControlFlow<()>,
    ) -> Option<()> {
        let unit = self.unit;
        let mut tree = unit.entries_tree(Some(offset)).ok()?;
        let mut children = tree.root().ok()?.children();
        while let Some(child) = children.next().ok()? {
            self.count()?;
            if each(self, child.entry()).is_break() {
                return None;
            }
        }
        Some(())
    }
}

/// The entry of the same unit that an attribute names.
fn reference(entry: &Entry<'_>, name: gimli::DwAt) -> Option<UnitOffset> {
    match entry.attr_value(name)? {
        AttributeValue::UnitRef(offset) => Some(offset),
        _ => None,
    }
}

fn number(entry: &Entry<'_>, name: gimli::DwAt) -> Option<u64> {
    entry.attr_value(name)?.udata_value()
}
