//! Relocatable objects in ELF and COFF, as data that no longer says which of the two it was.

use super::{Budget, LoadError};
use object::read::coff::{CoffFile, CoffHeader};
use object::read::elf::ElfFile32;
use object::{
    Architecture, CompressionFormat, Endianness, FileKind, Object as _, ObjectComdat as _, ObjectKind,
    ObjectSection as _, ObjectSymbol as _, RelocationFlags, RelocationTarget, SymbolSection,
};
use object::{elf, pe};
use std::collections::HashMap;

/// The most sections and symbols of an object.
const MOST_SECTIONS: usize = 1 << 16;
const MOST_SYMBOLS: usize = 1 << 20;
/// What an entry of each table is counted as, in bytes.
const SECTION: u64 = 128;
const SYMBOL: u64 = 96;
const RELOCATION: u64 = 24;
/// The strictest alignment of a section.
const MOST_ALIGNMENT: u64 = 1 << 16;

/// A relocatable object.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// The name of its file, or of the archive and the member.
    pub name: String,
    /// The sections that are linked, and those with line tables.
    pub sections: Vec<Section>,
    /// The symbols; relocations refer to them by index.
    pub symbols: Vec<Symbol>,
}

/// What a section is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// Instructions.
    Code,
    /// Data that the program only reads.
    Constants,
    /// Data.
    Data,
    /// Data that starts as zeroes.
    Zeroes,
    /// For debuggers; not loaded.
    Debug,
}

/// A section.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub kind: SectionKind,
    /// Its alignment, a power of two.
    pub alignment: u32,
    /// Its bytes; none if they are zeroes.
    pub bytes: Vec<u8>,
    /// How many bytes it has.
    pub size: u32,
    /// The changes to make in it; each lies within it.
    pub relocations: Vec<Relocation>,
    /// The name of the group of which only the first one of all objects is linked.
    pub group: Option<String>,
}

/// Where a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In another object.
    Elsewhere,
    /// In a section of this object.
    Section {
        /// Index into [`Object::sections`].
        section: u32,
        /// The offset in it.
        offset: u32,
    },
    /// In a section that is not linked.
    Dropped,
    /// It is a number.
    Absolute(u32),
    /// The linker reserves this many zero bytes, once for all objects.
    Common {
        /// A power of two.
        alignment: u32,
    },
}

/// A symbol.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name; empty for most sections.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Its bytes, if known.
    pub size: u32,
    /// Whether only this object sees it.
    pub local: bool,
    /// Whether a definition elsewhere takes precedence, and none is needed.
    pub weak: bool,
    /// Whether it names instructions.
    pub code: bool,
    /// Whether it is a section or a file rather than a name of the source.
    pub internal: bool,
}

/// A change that the linker makes in a section.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    /// The offset of the changed bytes in the section.
    pub offset: u32,
    /// Index into [`Object::symbols`].
    pub symbol: u32,
    /// What is stored.
    pub how: How,
    /// What is added to it.
    pub addend: i32,
    /// Whether the bytes there are added, too.
    pub in_place: bool,
}

/// What a relocation stores. The number in it is that of its bytes: 1, 2 or 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The symbol's address.
    Absolute(u8),
    /// The distance from the changed bytes to the symbol.
    Relative(u8),
    /// The distance from the global offset table to the symbol.
    FromTable,
    /// The distance from the changed bytes to the global offset table.
    ToTable,
    /// The distance from the global offset table to its entry with the symbol's address, or the address of the entry if
    /// the instruction has no base register.
    TableEntry,
    /// The distance from the first address of the program.
    FromImage,
    /// The number of the symbol's segment.
    SegmentNumber,
    /// The distance from the start of the symbol's section.
    FromSection,
}

impl How {
    /// How many bytes are changed.
    pub fn bytes(self) -> u8 {
        match self {
            How::Absolute(bytes) | How::Relative(bytes) => bytes,
            How::SegmentNumber => 2,
            _ => 4,
        }
    }
}

/// Reads an object.
///
/// # Errors
/// Why it cannot be linked.
pub fn object(name: &str, bytes: &[u8], budget: &mut Budget) -> Result<Object, LoadError> {
    match FileKind::parse(bytes) {
        Ok(FileKind::Elf32) => {
            let file = ElfFile32::<Endianness>::parse(bytes)?;
            read(name, bytes, &file, budget)
        }
        Ok(FileKind::Coff) => {
            let file = CoffFile::<&[u8]>::parse(bytes)?;
            check_relocations(bytes, &file)?;
            read(name, bytes, &file, budget)
        }
        Ok(FileKind::CoffBig) => {
            let file = CoffFile::<&[u8], pe::AnonObjectHeaderBigobj>::parse(bytes)?;
            check_relocations(bytes, &file)?;
            read(name, bytes, &file, budget)
        }
        Ok(FileKind::CoffImport) => Err(LoadError::OtherKind("an import from a DLL, which is not simulated")),
        Ok(FileKind::Elf64) => {
            let file = object::read::elf::ElfFile64::<Endianness>::parse(bytes)?;
            Err(LoadError::OtherMachine(format!("{:?}", file.architecture())))
        }
        Ok(_) => Err(LoadError::OtherKind("not an object in ELF or COFF")),
        Err(error) => Err(error.into()),
    }
}

/// The reader takes relocations that it cannot read for none.
fn check_relocations<'data, H: CoffHeader>(
    bytes: &'data [u8],
    file: &CoffFile<'data, &'data [u8], H>,
) -> Result<(), LoadError> {
    for section in file.sections() {
        section.coff_section().coff_relocations(bytes)?;
    }
    Ok(())
}

fn read<'data, O: object::Object<'data>>(
    name: &str,
    bytes: &[u8],
    file: &O,
    budget: &mut Budget,
) -> Result<Object, LoadError> {
    if file.architecture() != Architecture::I386 || !file.is_little_endian() {
        return Err(LoadError::OtherMachine(format!("{:?}", file.architecture())));
    }
    if file.kind() != ObjectKind::Relocatable {
        return Err(LoadError::OtherKind("a whole program, not an object"));
    }
    let mut object = Object {
        name: name.to_owned(),
        ..Object::default()
    };
    // The reader's index of each section and our own.
    let mut numbers: HashMap<usize, u32> = HashMap::new();
    let mut kept = Vec::new();
    for section in file.sections() {
        let full = section.name()?;
        // Names may share their bytes.
        budget.take(SECTION + full.len() as u64, "sections")?;
        let end = |(start, length): (u64, u64)| start.checked_add(length);
        if section
            .file_range()
            .is_some_and(|range| end(range).is_none_or(|end| end > bytes.len() as u64))
        {
            return Err(LoadError::Damaged(format!("section `{full}` ends after the file")));
        }
        let Some(kind) = kind(&section, full)? else { continue };
        if numbers.len() >= MOST_SECTIONS {
            return Err(LoadError::TooLarge("sections"));
        }
        numbers.insert(section.index().0, object.sections.len() as u32);
        object.sections.push(contents(&section, full, kind, budget)?);
        kept.push(section);
    }
    for comdat in file.comdats() {
        let group = comdat.name()?;
        budget.take(SECTION + group.len() as u64, "groups")?;
        for section in comdat.sections() {
            budget.take(SECTION + group.len() as u64, "groups")?;
            let section = numbers
                .get(&section.0)
                .and_then(|&number| object.sections.get_mut(number as usize));
            if let Some(section) = section {
                section.group = Some(group.to_owned());
            }
        }
    }
    let mut of_reader: HashMap<usize, u32> = HashMap::new();
    for symbol in file.symbols() {
        if object.symbols.len() >= MOST_SYMBOLS {
            return Err(LoadError::TooLarge("symbols"));
        }
        of_reader.insert(symbol.index().0, object.symbols.len() as u32);
        let symbol = read_symbol(file, &symbol, &object.sections, &numbers, budget)?;
        object.symbols.push(symbol);
    }
    for (number, section) in kept.iter().enumerate() {
        for (offset, relocation) in section.relocations() {
            budget.take(RELOCATION, "relocations")?;
            let read = read_relocation(&object, number, offset, &relocation, &of_reader)?;
            object.sections[number].relocations.extend(read);
        }
    }
    Ok(object)
}

/// What a section is for; `None` if it is neither linked nor has line tables.
fn kind<'data>(section: &impl object::ObjectSection<'data>, name: &str) -> Result<Option<SectionKind>, LoadError> {
    use object::SectionKind as Given;
    let refused = |why| {
        Err(LoadError::Section {
            name: name.to_owned(),
            why,
        })
    };
    let used = section.size() > 0;
    Ok(Some(match section.kind() {
        // Nothing here unwinds the stack.
        _ if name.starts_with(".eh_frame") => return Ok(None),
        _ if used
            && [".init_array", ".ctors", ".preinit_array", ".CRT$X"]
                .iter()
                .any(|one| name.starts_with(one)) =>
        {
            return refused("has constructors, which nothing would call");
        }
        _ if name.starts_with(".debug_") => SectionKind::Debug,
        Given::Text => SectionKind::Code,
        Given::Data | Given::ReadOnlyDataWithRel => SectionKind::Data,
        Given::ReadOnlyData | Given::ReadOnlyString => SectionKind::Constants,
        Given::UninitializedData => SectionKind::Zeroes,
        Given::Tls | Given::UninitializedTls | Given::TlsVariables if used => {
            return refused("is of one thread, and there are no threads");
        }
        _ => return Ok(None),
    }))
}

fn contents<'data>(
    section: &impl object::ObjectSection<'data>,
    name: &str,
    kind: SectionKind,
    budget: &mut Budget,
) -> Result<Section, LoadError> {
    let refused = |why| LoadError::Section {
        name: name.to_owned(),
        why,
    };
    let compressed = section.compressed_file_range()?.format != CompressionFormat::None;
    let bytes = match kind {
        SectionKind::Zeroes => &[],
        SectionKind::Debug if compressed => &[],
        _ if compressed => return Err(refused("is compressed")),
        _ => section.data()?,
    };
    let size = match kind {
        SectionKind::Debug => bytes.len() as u64,
        _ => section.size().max(bytes.len() as u64),
    };
    budget.take(size, "sections")?;
    let alignment = section.align().max(1);
    if !alignment.is_power_of_two() || alignment > MOST_ALIGNMENT {
        return Err(refused("has an alignment that is no power of two up to 65536"));
    }
    Ok(Section {
        name: name.to_owned(),
        kind,
        alignment: alignment as u32,
        bytes: bytes.to_vec(),
        size: size as u32,
        relocations: Vec::new(),
        group: None,
    })
}

fn read_symbol<'data, O: object::Object<'data>>(
    file: &O,
    symbol: &O::Symbol<'_>,
    sections: &[Section],
    numbers: &HashMap<usize, u32>,
    budget: &mut Budget,
) -> Result<Symbol, LoadError> {
    use object::SymbolKind as Given;
    let name = symbol.name()?;
    budget.take(SYMBOL + name.len() as u64, "symbols")?;
    let size = u32::try_from(symbol.size()).unwrap_or(0);
    let value = symbol.address();
    let place = match symbol.section() {
        _ if symbol.is_common() => {
            budget.take(symbol.size(), "common symbols")?;
            // ELF has the alignment as the value; COFF aligns by size.
            let by_size = u64::from(size.clamp(1, 32).next_power_of_two());
            let alignment = if value > 0 { value } else { by_size };
            if !alignment.is_power_of_two() || alignment > MOST_ALIGNMENT {
                return Err(LoadError::Damaged(format!(
                    "bad alignment of the common symbol `{name}`"
                )));
            }
            Place::Common {
                alignment: alignment as u32,
            }
        }
        SymbolSection::Undefined => Place::Elsewhere,
        SymbolSection::Absolute => Place::Absolute(value as u32),
        SymbolSection::Section(index) => match numbers.get(&index.0) {
            Some(&section) => {
                let base = file.section_by_index(index)?.address();
                let offset = value.wrapping_sub(base);
                let inside = sections
                    .get(section as usize)
                    .is_some_and(|one| offset <= u64::from(one.size));
                if !inside && symbol.kind() != Given::Section {
                    return Err(LoadError::Damaged(format!("symbol `{name}` is outside its section")));
                }
                Place::Section {
                    section,
                    offset: offset as u32,
                }
            }
            None => Place::Dropped,
        },
        _ => Place::Dropped,
    };
    let in_code = match place {
        Place::Section { section, .. } => sections
            .get(section as usize)
            .is_some_and(|one| one.kind == SectionKind::Code),
        _ => false,
    };
    Ok(Symbol {
        name: name.to_owned(),
        place,
        size,
        local: !symbol.is_global(),
        weak: symbol.is_weak(),
        code: in_code,
        internal: name.is_empty() || matches!(symbol.kind(), Given::Section | Given::File),
    })
}

/// A relocation of section `number`; none if it changes nothing.
fn read_relocation(
    object: &Object,
    number: usize,
    offset: u64,
    relocation: &object::Relocation,
    of_reader: &HashMap<usize, u32>,
) -> Result<Option<Relocation>, LoadError> {
    let section = &object.sections[number];
    let symbol = match relocation.target() {
        RelocationTarget::Symbol(index) => of_reader.get(&index.0).copied(),
        _ => None,
    };
    let bad = || LoadError::BadRelocation {
        section: section.name.clone(),
        offset,
    };
    let how = match how(relocation.flags()) {
        Ok(Some(how)) => how,
        Ok(None) => return Ok(None),
        // Line tables do without.
        Err(_) if section.kind == SectionKind::Debug => return Ok(None),
        Err(kind) => {
            let symbol = symbol.and_then(|index| object.symbols.get(index as usize));
            return Err(LoadError::Relocation {
                section: section.name.clone(),
                offset,
                kind,
                symbol: symbol.map_or_else(String::new, |symbol| symbol.name.clone()),
            });
        }
    };
    if offset + u64::from(how.bytes()) > section.bytes.len() as u64 {
        // The bytes of a compressed section are not kept.
        return if section.kind == SectionKind::Debug {
            Ok(None)
        } else {
            Err(bad())
        };
    }
    Ok(Some(Relocation {
        offset: offset as u32,
        symbol: symbol.ok_or_else(bad)?,
        how,
        addend: relocation.addend() as i32,
        in_place: relocation.has_implicit_addend(),
    }))
}

/// What a relocation stores, or how it is called.
fn how(flags: RelocationFlags) -> Result<Option<How>, String> {
    Ok(Some(match flags {
        RelocationFlags::Elf { r_type } => match r_type {
            elf::R_386_NONE => return Ok(None),
            elf::R_386_32 => How::Absolute(4),
            elf::R_386_16 => How::Absolute(2),
            elf::R_386_8 => How::Absolute(1),
            elf::R_386_PC32 | elf::R_386_PLT32 => How::Relative(4),
            elf::R_386_PC16 => How::Relative(2),
            elf::R_386_PC8 => How::Relative(1),
            elf::R_386_GOTOFF => How::FromTable,
            elf::R_386_GOTPC => How::ToTable,
            elf::R_386_GOT32 | elf::R_386_GOT32X => How::TableEntry,
            other => return Err(format!("{other:?}")),
        },
        RelocationFlags::Coff { typ } => match typ {
            pe::IMAGE_REL_I386_ABSOLUTE => return Ok(None),
            pe::IMAGE_REL_I386_DIR16 => How::Absolute(2),
            pe::IMAGE_REL_I386_REL16 => How::Relative(2),
            pe::IMAGE_REL_I386_DIR32 => How::Absolute(4),
            pe::IMAGE_REL_I386_DIR32NB => How::FromImage,
            pe::IMAGE_REL_I386_SECTION => How::SegmentNumber,
            pe::IMAGE_REL_I386_SECREL => How::FromSection,
            pe::IMAGE_REL_I386_REL32 => How::Relative(4),
            other => return Err(format!("{other:?}")),
        },
        _ => return Err("of another format".to_owned()),
    }))
}
