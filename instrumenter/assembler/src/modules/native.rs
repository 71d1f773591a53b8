//! A flat module as a COFF object of Windows or an ELF object of Linux.

use super::debug;
use crate::module::{Combine, Holds, Module, Place, Problem, Target};
use object::write::{Mangling, Object, Relocation, SectionId, Symbol, SymbolId, SymbolSection};
use object::{
    Architecture, BinaryFormat, Endianness, RelocationEncoding, RelocationFlags, RelocationKind, SectionFlags,
    SectionKind, SymbolFlags, SymbolKind, SymbolScope, elf,
};
use p5_image as image;

/// The format of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// That of Windows.
    Coff,
    /// That of Linux.
    Elf,
}

/// The name of a section, by the name that assemblers give the segment.
fn section_name(name: &str, format: Format) -> &str {
    match (name.to_ascii_uppercase().as_str(), format) {
        ("_TEXT", _) => ".text",
        ("_DATA", _) => ".data",
        ("_BSS", _) => ".bss",
        ("CONST", Format::Coff) => ".rdata",
        ("CONST", Format::Elf) => ".rodata",
        _ => name,
    }
}

/// The kind of a section of Linux that lists functions to be called before or after the program.
fn list_of_functions(name: &str) -> Option<elf::SectionType> {
    match name.split('.').nth(1)? {
        "preinit_array" => Some(elf::SHT_PREINIT_ARRAY),
        "init_array" => Some(elf::SHT_INIT_ARRAY),
        "fini_array" => Some(elf::SHT_FINI_ARRAY),
        _ => None,
    }
}

/// The bytes of an object file.
pub fn write(module: &Module, format: Format) -> Result<Vec<u8>, Problem> {
    let what = match format {
        Format::Coff => "COFF",
        Format::Elf => "ELF",
    };
    if module.segmented {
        let message = format!("`{}` has 16-bit segments, which no {what} object has", module.name);
        return Err(Problem::new(
            message,
            "write it with `--format omf`, or make it flat with `.model flat`",
        ));
    }
    let binary = match format {
        Format::Coff => BinaryFormat::Coff,
        Format::Elf => BinaryFormat::Elf,
    };
    let mut object = Object::new(binary, Architecture::I386, Endianness::Little);
    object.mangling = Mangling::None;
    let file = module.name.rsplit(['/', '\\']).next().unwrap_or(&module.name);
    object.add_file_symbol(file.as_bytes().to_vec());
    let sections = sections(module, format, &mut object);
    let symbols = symbols(module, &sections, &mut object);
    export_entry(module, &sections, &mut object);
    if format == Format::Coff {
        name_libraries(module, &mut object);
    }
    for field in &module.fields {
        let Some(section) = sections[field.segment as usize] else {
            continue;
        };
        let (kind, addend) = match field.holds {
            Holds::Distance(4) => (RelocationKind::Relative, field.addend - 4),
            Holds::Offset(4) => (RelocationKind::Absolute, field.addend),
            Holds::LowByte | Holds::HighByte => {
                let message = format!("one byte of an address, which {what} objects do not have");
                let help = "compute it when the program runs, or write it with `--format omf`";
                return Err(Problem::new(message, help).at(0, field.span));
            }
            _ => {
                let message = format!("an address of 16 bits, which a flat {what} object does not have");
                let help = "use 32-bit addresses, or write it with `--format omf`";
                return Err(Problem::new(message, help).at(0, field.span));
            }
        };
        let symbol = match field.target {
            Target::Symbol(symbol) => symbols.get(symbol as usize).copied().flatten(),
            Target::Segment(segment) => {
                let section = sections.get(segment as usize).copied().flatten();
                section.map(|section| object.section_symbol(section))
            }
            Target::Group(_) => None,
        };
        let Some(symbol) = symbol else {
            let message = format!("the content of a segment register, which {what} objects do not have");
            let help = "leave out `seg` in flat code: all segments are one";
            return Err(Problem::new(message, help).at(0, field.span));
        };
        let relocation = Relocation {
            offset: u64::from(field.offset),
            symbol,
            addend,
            flags: RelocationFlags::Generic {
                kind,
                encoding: RelocationEncoding::Generic,
                size: 32,
            },
        };
        object
            .add_relocation(section, relocation)
            .map_err(|error| cannot(module, what, &error))?;
    }
    if format == Format::Elf && module.with_lines {
        add_lines(module, &sections, &mut object)?;
    }
    object.write().map_err(|error| cannot(module, what, &error))
}

/// Adds the label at which the program starts, so that a linker can be told of it, unless it is public.
fn export_entry(module: &Module, sections: &[Option<SectionId>], object: &mut Object<'_>) {
    let Some((segment, offset)) = module.entry else { return };
    let is_public = |symbol: &crate::module::Symbol| symbol.place == Place::In(segment, offset);
    let labels = module
        .image
        .symbols
        .iter()
        .filter(|label| label.kind == image::SymbolKind::Code);
    let label = labels
        .clone()
        .find(|label| label.value == module.image.entry && !label.library);
    let section = sections.get(segment as usize).copied().flatten();
    if let (Some(label), Some(section), false) = (label, section, module.symbols.iter().any(is_public)) {
        object.add_symbol(Symbol {
            name: label.name.as_bytes().to_vec(),
            value: u64::from(offset),
            size: 0,
            kind: SymbolKind::Text,
            scope: SymbolScope::Dynamic,
            weak: false,
            section: SymbolSection::Section(section),
            flags: SymbolFlags::None,
        });
    }
}

/// Adds the sections that tell a debugger of Linux which line each instruction comes from.
fn add_lines(module: &Module, sections: &[Option<SectionId>], object: &mut Object<'_>) -> Result<(), Problem> {
    let failed = |error: &dyn std::fmt::Display| {
        let message = format!("the lines of `{}` cannot be written: {error}", module.name);
        Problem::new(message, "write the object without them")
    };
    let written = debug::sections(module).map_err(|error| failed(&error))?;
    let mut added = Vec::with_capacity(written.len());
    for section in &written {
        let id = object.add_section(Vec::new(), section.name.as_bytes().to_vec(), SectionKind::Debug);
        object.append_section_data(id, &section.bytes, 1);
        added.push((section.name, id));
    }
    for (section, &(_, id)) in written.iter().zip(&added) {
        for field in &section.fields {
            let target = match field.target {
                debug::Target::Segment(segment) => sections.get(segment).copied().flatten(),
                debug::Target::Section(name) => added.iter().find(|(known, _)| *known == name).map(|&(_, id)| id),
            };
            let Some(target) = target else { continue };
            let symbol = object.section_symbol(target);
            let relocation = Relocation {
                offset: field.offset,
                symbol,
                addend: field.addend,
                flags: RelocationFlags::Generic {
                    kind: RelocationKind::Absolute,
                    encoding: RelocationEncoding::Generic,
                    size: 32,
                },
            };
            object.add_relocation(id, relocation).map_err(|error| failed(&error))?;
        }
    }
    Ok(())
}

/// Adds the section that tells a linker of Windows which libraries to search.
fn name_libraries(module: &Module, object: &mut Object<'_>) {
    if module.libraries.is_empty() {
        return;
    }
    let id = object.add_section(Vec::new(), b".drectve".to_vec(), SectionKind::Linker);
    let quoted = |library: &String| match library.contains(' ') {
        true => format!("-defaultlib:\"{library}\" "),
        false => format!("-defaultlib:{library} "),
    };
    let text: String = module.libraries.iter().map(quoted).collect();
    object.append_section_data(id, text.as_bytes(), 1);
}

fn cannot(module: &Module, what: &str, error: &object::write::Error) -> Problem {
    Problem::new(
        format!("`{}` cannot be a {what} object: {error}", module.name),
        "write it with `--format omf`",
    )
}

fn sections(module: &Module, format: Format, object: &mut Object<'_>) -> Vec<Option<SectionId>> {
    let mut sections = Vec::with_capacity(module.segments.len());
    for segment in &module.segments {
        if matches!(segment.combine, Combine::At(_)) {
            sections.push(None);
            continue;
        }
        let number = sections.len() as u32;
        let fields = module.fields.iter().any(|field| field.segment == number);
        let name = section_name(&segment.name, format);
        let empty = segment.bytes.is_empty() && segment.length > 0 && !fields;
        let list = list_of_functions(name).filter(|_| format == Format::Elf);
        let kind = match (segment.code, empty, name) {
            (true, _, _) => SectionKind::Text,
            (_, true, _) => SectionKind::UninitializedData,
            (_, _, ".rdata" | ".rodata") => SectionKind::ReadOnlyData,
            _ => SectionKind::Data,
        };
        let id = object.add_section(Vec::new(), name.as_bytes().to_vec(), kind);
        if let Some(sh_type) = list {
            object.section_mut(id).flags = SectionFlags::Elf {
                sh_type,
                sh_flags: elf::SHF_ALLOC | elf::SHF_WRITE,
            };
        }
        let alignment = u64::from(segment.alignment.max(1));
        if empty {
            object.append_section_bss(id, u64::from(segment.length), alignment);
        } else {
            let mut segment = segment.clone();
            segment.bytes.resize(segment.length as usize, 0);
            // What is added to the address of the target is written with the relocation, unless it is 0.
            let own = module.fields.iter().filter(|field| field.segment == number);
            own.for_each(|field| segment.put(field.offset, 0, field.holds.size()));
            object.append_section_data(id, &segment.bytes, alignment);
        }
        sections.push(Some(id));
    }
    sections
}

fn symbols(module: &Module, sections: &[Option<SectionId>], object: &mut Object<'_>) -> Vec<Option<SymbolId>> {
    let symbols = module.symbols.iter().map(|symbol| {
        if let Place::Common(shared) = symbol.place {
            let common = Symbol {
                name: symbol.name.as_bytes().to_vec(),
                value: 0,
                size: 0,
                kind: SymbolKind::Data,
                scope: SymbolScope::Dynamic,
                weak: false,
                section: SymbolSection::Common,
                flags: SymbolFlags::None,
            };
            let bytes = u64::from(shared.count) * u64::from(shared.size);
            return Some(object.add_common_symbol(common, bytes, u64::from(shared.alignment())));
        }
        let (section, value) = match symbol.place {
            Place::Elsewhere | Place::Common(_) => (SymbolSection::Undefined, 0),
            Place::In(segment, offset) => {
                let section = sections.get(segment as usize).copied().flatten()?;
                (SymbolSection::Section(section), u64::from(offset))
            }
            Place::Number(number) => (SymbolSection::Absolute, u64::from(number as u32)),
        };
        let kind = match (symbol.place, symbol.code) {
            (Place::In(..), true) => SymbolKind::Text,
            _ => SymbolKind::Data,
        };
        Some(object.add_symbol(Symbol {
            name: symbol.name.as_bytes().to_vec(),
            value,
            size: 0,
            kind: if symbol.place == Place::Elsewhere {
                SymbolKind::Unknown
            } else {
                kind
            },
            scope: match symbol.place {
                Place::Elsewhere => SymbolScope::Unknown,
                _ => SymbolScope::Dynamic,
            },
            // Objects of Windows say otherwise what takes the place of a missing name.
            weak: symbol.weak && object.format() == BinaryFormat::Elf,
            section,
            flags: SymbolFlags::None,
        }))
    });
    symbols.collect()
}
