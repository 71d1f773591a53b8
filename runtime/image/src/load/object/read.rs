//! Reads objects: sections, groups and symbols.

use super::relocation::read_relocation;
use super::{Discarded, Object, Place, Section, SectionKind, Symbol};
use crate::load::limits::MOST_ALIGNMENT;
use crate::load::{Budget, LoadError};
use object::read::coff::{CoffFile, CoffHeader, Symbol as _};
use object::read::elf::ElfFile32;
use object::{
    Architecture, CompressionFormat, Endianness, FileKind, LittleEndian, Object as _, ObjectComdat as _, ObjectKind,
    ObjectSection as _, ObjectSymbol as _, SymbolFlags, SymbolIndex, SymbolSection,
};
use object::{elf, pe};
use std::collections::HashMap;

/// The maximum number of sections, and of symbols, of an object.
const MOST_SECTIONS: usize = 1 << 16;
const MOST_SYMBOLS: usize = 1 << 20;
/// The size in bytes that is charged for an entry of each table.
const SECTION: u64 = 128;
const SYMBOL: u64 = 96;
const RELOCATION: u64 = 24;
/// The prefixes of sections whose functions are called before or after `main`.
const CALLED: [&str; 6] = [
    ".init_array",
    ".ctors",
    ".preinit_array",
    ".CRT$X",
    ".fini_array",
    ".dtors",
];

/// A weak external symbol of COFF: an undefined symbol for which another one of its object stands in.
struct WeakExternal {
    symbol: SymbolIndex,
    default: SymbolIndex,
    /// Whether archives are searched before the default is used.
    searched: bool,
}

/// Reads an object.
///
/// # Errors
/// The reason why it cannot be linked.
pub fn object(name: &str, bytes: &[u8], budget: &mut Budget) -> Result<Object, LoadError> {
    match FileKind::parse(bytes) {
        Ok(FileKind::Elf32) => {
            let file = ElfFile32::<Endianness>::parse(bytes)?;
            read(name, bytes, &file, &[], budget)
        }
        Ok(FileKind::Coff) => {
            let file = CoffFile::<&[u8]>::parse(bytes)?;
            check_relocations(bytes, &file)?;
            read(name, bytes, &file, &weak_externals(&file)?, budget)
        }
        Ok(FileKind::CoffBig) => {
            let file = CoffFile::<&[u8], pe::AnonObjectHeaderBigobj>::parse(bytes)?;
            check_relocations(bytes, &file)?;
            read(name, bytes, &file, &weak_externals(&file)?, budget)
        }
        Ok(FileKind::CoffImport) => Err(LoadError::OtherKind("an import from a DLL, which is not simulated")),
        Ok(FileKind::Elf64) => {
            let file = object::read::elf::ElfFile64::<Endianness>::parse(bytes)?;
            Err(LoadError::of_machine(file.architecture(), file.is_little_endian()))
        }
        Ok(_) => Err(LoadError::NotAnObject),
        Err(error) => Err(error.into()),
    }
}

/// Checks the relocations, because the reader treats unreadable ones as none.
fn check_relocations<'data, H: CoffHeader>(
    bytes: &'data [u8],
    file: &CoffFile<'data, &'data [u8], H>,
) -> Result<(), LoadError> {
    for section in file.sections() {
        section.coff_section().coff_relocations(bytes)?;
    }
    Ok(())
}

fn weak_externals<'data, H: CoffHeader>(
    file: &CoffFile<'data, &'data [u8], H>,
) -> Result<Vec<WeakExternal>, LoadError> {
    let table = file.coff_symbol_table();
    let mut found = Vec::new();
    for (index, symbol) in table.iter() {
        if symbol.storage_class() == pe::IMAGE_SYM_CLASS_WEAK_EXTERNAL
            && symbol.section_number() == pe::IMAGE_SYM_UNDEFINED
        {
            if !symbol.has_aux_weak_external() {
                return Err(LoadError::Damaged(
                    "a weak external symbol without a default".to_owned(),
                ));
            }
            let weak = table.aux_weak_external(index)?;
            found.push(WeakExternal {
                symbol: index,
                default: weak.default_symbol(),
                searched: weak.weak_search_type.get(LittleEndian) == pe::IMAGE_WEAK_EXTERN_SEARCH_LIBRARY,
            });
        }
    }
    Ok(found)
}

fn read<'data, O: object::Object<'data>>(
    name: &str,
    bytes: &[u8],
    file: &O,
    weak: &[WeakExternal],
    budget: &mut Budget,
) -> Result<Object, LoadError> {
    if file.architecture() != Architecture::I386 || !file.is_little_endian() {
        return Err(LoadError::of_machine(file.architecture(), file.is_little_endian()));
    }
    if file.kind() != ObjectKind::Relocatable {
        return Err(LoadError::OtherKind("a whole program, not an object"));
    }
    let mut object = Object {
        name: name.to_owned(),
        ..Object::default()
    };
    // Our index of a section, or why it is not linked, by the reader's index.
    let mut numbers: HashMap<usize, Result<u32, Discarded>> = HashMap::new();
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
        let kind = match kind(&section, full)? {
            Ok(kind) => kind,
            Err(why) => {
                numbers.insert(section.index().0, Err(why));
                continue;
            }
        };
        if object.sections.len() >= MOST_SECTIONS {
            return Err(LoadError::TooMany("sections", MOST_SECTIONS));
        }
        numbers.insert(section.index().0, Ok(object.sections.len() as u32));
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
                .and_then(|number| number.ok())
                .and_then(|number| object.sections.get_mut(number as usize));
            if let Some(section) = section {
                section.group = Some(group.to_owned());
            }
        }
    }
    let mut of_reader: HashMap<usize, u32> = HashMap::new();
    for symbol in file.symbols() {
        if object.symbols.len() >= MOST_SYMBOLS {
            return Err(LoadError::TooMany("symbols", MOST_SYMBOLS));
        }
        of_reader.insert(symbol.index().0, object.symbols.len() as u32);
        let symbol = read_symbol(file, &symbol, &object.sections, &numbers, budget)?;
        object.symbols.push(symbol);
    }
    for external in weak {
        let own = |index: SymbolIndex| of_reader.get(&index.0).map(|&number| number as usize);
        let default = own(external.default)
            .and_then(|default| object.symbols.get(default))
            .cloned();
        let symbol = own(external.symbol).and_then(|symbol| object.symbols.get_mut(symbol));
        let (Some(symbol), Some(default)) = (symbol, default) else {
            return Err(LoadError::Damaged(
                "a weak external symbol without a default".to_owned(),
            ));
        };
        define_weak(symbol, &default)?;
        symbol.searched = external.searched;
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

/// The purpose of a section, or the reason why it is not linked.
fn kind<'data>(
    section: &impl object::ObjectSection<'data>,
    name: &str,
) -> Result<Result<SectionKind, Discarded>, LoadError> {
    use object::SectionKind as Given;
    let refused = |why| {
        Err(LoadError::Section {
            name: name.to_owned(),
            why,
        })
    };
    let used = section.size() > 0;
    Ok(Ok(match section.kind() {
        _ if name.starts_with(".eh_frame") => return Ok(Err(Discarded::Unwinding)),
        _ if used && CALLED.iter().any(|one| name.starts_with(one)) => {
            return refused("has constructors or destructors, which nothing would call");
        }
        _ if name.starts_with(".debug_") => SectionKind::Debug,
        Given::Text => SectionKind::Code,
        Given::Data | Given::ReadOnlyDataWithRel => SectionKind::Data,
        Given::ReadOnlyData | Given::ReadOnlyString => SectionKind::Constants,
        Given::UninitializedData => SectionKind::Zeroes,
        Given::Tls | Given::UninitializedTls | Given::TlsVariables if used => {
            return refused("is of one thread, and there are no threads");
        }
        _ => return Ok(Err(Discarded::NotLoaded)),
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
        return Err(LoadError::Alignment(format!("section `{name}`")));
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
    numbers: &HashMap<usize, Result<u32, Discarded>>,
    budget: &mut Budget,
) -> Result<Symbol, LoadError> {
    use object::SymbolKind as Given;
    let name = match (symbol.name()?, symbol.section_index()) {
        ("", Some(section)) if symbol.kind() == Given::Section => file.section_by_index(section)?.name()?,
        (name, _) => name,
    };
    budget.take(SYMBOL + name.len() as u64, "symbols")?;
    let size = u32::try_from(symbol.size()).unwrap_or(0);
    let value = symbol.address();
    let place = match symbol.section() {
        _ if symbol.is_common() => {
            budget.take(symbol.size(), "common symbols")?;
            // ELF stores the alignment as the value; COFF aligns by size.
            let by_size = u64::from(size.clamp(1, 32).next_power_of_two());
            let alignment = if value > 0 { value } else { by_size };
            if !alignment.is_power_of_two() || alignment > MOST_ALIGNMENT {
                return Err(LoadError::Alignment(format!("common symbol `{name}`")));
            }
            Place::Common {
                alignment: alignment as u32,
            }
        }
        SymbolSection::Undefined => Place::Undefined,
        SymbolSection::Absolute => Place::Absolute(value as u32),
        SymbolSection::Section(index) => match numbers.get(&index.0) {
            Some(&Ok(section)) => {
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
            Some(&Err(why)) => Place::Discarded(why),
            None => Place::Discarded(Discarded::NotLoaded),
        },
        // The symbol is a weak external of COFF.
        _ if symbol.is_weak() => Place::Undefined,
        _ => Place::Discarded(Discarded::NotLoaded),
    };
    if let SymbolFlags::Elf { st_info, .. } = symbol.flags()
        && st_info.st_type() == elf::STT_GNU_IFUNC
        && place != Place::Undefined
    {
        return Err(LoadError::IndirectFunction(name.to_owned()));
    }
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
        searched: false,
        code: in_code,
        internal: name.is_empty() || matches!(symbol.kind(), Given::Section | Given::File),
    })
}

/// Gives a weak external symbol of COFF the definition of its default, as in ELF.
fn define_weak(symbol: &mut Symbol, default: &Symbol) -> Result<(), LoadError> {
    match default.place {
        // Assemblers write a weak symbol without a definition in this way.
        Place::Absolute(0) => {}
        Place::Section { .. } | Place::Absolute(_) | Place::Discarded(_) => {
            symbol.place = default.place;
            symbol.code = default.code;
        }
        Place::Undefined | Place::Common { .. } => {
            return Err(LoadError::WeakDefault {
                symbol: symbol.name.clone(),
                default: default.name.clone(),
            });
        }
    }
    Ok(())
}
