//! The lines of a flat module as debuggers of Linux take them: DWARF 4, one unit without functions and variables.

use super::lines::of_segment;
use crate::module::Module;
use gimli::write::{
    Address, AttributeValue, DwarfUnit, EndianVec, FileId, LineProgram, LineString, Range, RangeList, RelocateWriter,
    Relocation, RelocationTarget, Sections,
};
use gimli::{Encoding, Format, LineEncoding, LittleEndian};

/// A section of debugging information.
pub(super) struct Debug {
    pub(super) name: &'static str,
    pub(super) bytes: Vec<u8>,
    /// The fields that hold addresses and offsets of other sections.
    pub(super) fields: Vec<Field>,
}

/// A field of four bytes that a linker fills in.
pub(super) struct Field {
    pub(super) offset: u64,
    pub(super) target: Target,
    pub(super) addend: i64,
}

pub(super) enum Target {
    /// A segment of the module, by its number.
    Segment(usize),
    /// Another section of debugging information, by its name.
    Section(&'static str),
}

/// What a section is written to.
#[derive(Clone)]
struct Writer {
    bytes: EndianVec<LittleEndian>,
    relocations: Vec<Relocation>,
}

impl RelocateWriter for Writer {
    type Writer = EndianVec<LittleEndian>;

    fn writer(&self) -> &EndianVec<LittleEndian> {
        &self.bytes
    }

    fn writer_mut(&mut self) -> &mut EndianVec<LittleEndian> {
        &mut self.bytes
    }

    fn relocate(&mut self, relocation: Relocation) {
        self.relocations.push(relocation);
    }
}

/// The sections for a module's lines; none if it has no instructions.
pub(super) fn sections(module: &Module) -> Result<Vec<Debug>, gimli::write::Error> {
    let encoding = Encoding {
        format: Format::Dwarf32,
        version: 4,
        address_size: 4,
    };
    let text = |text: &str| {
        // A name ends at a zero.
        let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
        LineString::String(if bytes.is_empty() { b"-".to_vec() } else { bytes })
    };
    let mut unit = DwarfUnit::new(encoding);
    let mut program = LineProgram::new(
        encoding,
        LineEncoding::default(),
        text("."),
        None,
        text(&module.name),
        None,
    );
    let directory = program.default_directory();
    let names = module.image.files.iter().map(|file| text(&file.name));
    let files: Vec<FileId> = names.map(|name| program.add_file(name, directory, None)).collect();
    let mut ranges = Vec::new();
    for (number, segment) in module.segments.iter().enumerate() {
        let places = of_segment(module, number);
        let Some(first) = places.first() else { continue };
        let at = |offset: u32| Address::Symbol {
            symbol: number,
            addend: i64::from(offset),
        };
        program.begin_sequence(Some(at(first.offset)));
        for place in &places {
            let Some(&file) = files.get(place.file as usize) else {
                continue;
            };
            let row = program.row();
            (row.address_offset, row.file) = (u64::from(place.offset - first.offset), file);
            row.line = u64::from(place.line);
            program.generate_row();
        }
        program.end_sequence(u64::from(segment.length - first.offset));
        ranges.push(Range::StartLength {
            begin: at(first.offset),
            length: u64::from(segment.length - first.offset),
        });
    }
    if ranges.is_empty() {
        return Ok(Vec::new());
    }
    unit.unit.line_program = program;
    let ranges = unit.unit.ranges.add(RangeList(ranges));
    let root = unit.unit.root();
    let root = unit.unit.get_mut(root);
    root.set(
        gimli::DW_AT_name,
        AttributeValue::String(module.name.clone().into_bytes()),
    );
    root.set(gimli::DW_AT_producer, AttributeValue::String(b"p5inst".to_vec()));
    root.set(
        gimli::DW_AT_language,
        AttributeValue::Language(gimli::DW_LANG_Mips_Assembler),
    );
    root.set(gimli::DW_AT_low_pc, AttributeValue::Address(Address::Constant(0)));
    root.set(gimli::DW_AT_ranges, AttributeValue::RangeListRef(ranges));
    let empty = Writer {
        bytes: EndianVec::new(LittleEndian),
        relocations: Vec::new(),
    };
    let mut sections = Sections::new(empty);
    unit.write(&mut sections)?;
    let mut written = Vec::new();
    sections.for_each_mut(|id, writer| {
        let bytes = writer.bytes.take();
        if !bytes.is_empty() {
            let fields = writer.relocations.iter().map(field).collect();
            let name = id.name();
            written.push(Debug { name, bytes, fields });
        }
        Ok(())
    })?;
    Ok(written)
}

fn field(relocation: &Relocation) -> Field {
    Field {
        offset: relocation.offset as u64,
        target: match relocation.target {
            RelocationTarget::Symbol(segment) => Target::Segment(segment),
            RelocationTarget::Section(section) => Target::Section(section.name()),
        },
        addend: relocation.addend,
    }
}
