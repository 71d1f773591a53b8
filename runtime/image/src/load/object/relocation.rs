//! Relocations: the value that each stores, by its type in ELF and COFF.

use super::{Object, SectionKind};
use crate::load::LoadError;
use object::{RelocationFlags, RelocationTarget, elf, pe};
use std::collections::HashMap;

/// The hint for types of 16-bit code in COFF objects.
const CONVERTED: &str = ": a 16-bit distance in COFF, but objcopy leaves this number, that of a 32-bit one in ELF, in \
                         what it converts from ELF; link the ELF object itself";

/// A change that the linker makes in a section.
#[derive(Clone, Copy, Debug)]
pub struct Relocation {
    /// The offset in the section of the bytes to change.
    pub offset: u32,
    /// Index into [`Object::symbols`].
    pub symbol: u32,
    /// The value to store.
    pub kind: RelocationKind,
    /// The number that is added to the value.
    pub addend: i32,
    /// Whether the bytes in place are added too.
    pub in_place: bool,
}

/// The value that a relocation stores. The number in it is its size in bytes: 1, 2 or 4.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelocationKind {
    /// The symbol's address.
    Absolute(u8),
    /// The distance from the changed bytes to the symbol.
    Relative(u8),
    /// The offset of the symbol from the global offset table.
    GotOffset,
    /// The distance from the changed bytes to the global offset table.
    GotRelative,
    /// The offset in the global offset table of the entry with the symbol's address, or the address of the entry if the
    /// instruction has no base register.
    GotEntry,
    /// The symbol's address relative to the base of the image (an RVA).
    ImageRelative,
    /// The number of the symbol's segment.
    SectionIndex,
    /// The symbol's offset in its section.
    SectionRelative,
}

impl RelocationKind {
    /// The number of bytes that are changed.
    pub fn bytes(self) -> u8 {
        match self {
            RelocationKind::Absolute(bytes) | RelocationKind::Relative(bytes) => bytes,
            RelocationKind::SectionIndex => 2,
            _ => 4,
        }
    }
}

/// A relocation of section `number`; `None` if it changes nothing.
pub(super) fn read_relocation(
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
    let kind = match kind(relocation.flags()) {
        Ok(Some(kind)) => kind,
        Ok(None) => return Ok(None),
        // Line tables work without it.
        Err(_) if section.kind == SectionKind::Debug => return Ok(None),
        Err(kind) => {
            let symbol = symbol.and_then(|index| object.symbols.get(index as usize));
            return Err(LoadError::Relocation {
                section: section.name.clone(),
                offset,
                kind,
                why: match relocation.flags() {
                    RelocationFlags::Coff {
                        typ: pe::IMAGE_REL_I386_REL16,
                    } => CONVERTED,
                    _ => "",
                },
                symbol: symbol.map_or_else(String::new, |symbol| symbol.name.clone()),
            });
        }
    };
    if offset + u64::from(kind.bytes()) > section.bytes.len() as u64 {
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
        kind,
        addend: relocation.addend() as i32,
        in_place: relocation.has_implicit_addend(),
    }))
}

/// The value that a type of relocation stores; `None` if it changes nothing. The error is the name of the type.
fn kind(flags: RelocationFlags) -> Result<Option<RelocationKind>, String> {
    Ok(Some(match flags {
        RelocationFlags::Elf { r_type } => match r_type {
            elf::R_386_NONE => return Ok(None),
            elf::R_386_32 => RelocationKind::Absolute(4),
            elf::R_386_16 => RelocationKind::Absolute(2),
            elf::R_386_8 => RelocationKind::Absolute(1),
            elf::R_386_PC32 | elf::R_386_PLT32 => RelocationKind::Relative(4),
            elf::R_386_PC16 => RelocationKind::Relative(2),
            elf::R_386_PC8 => RelocationKind::Relative(1),
            elf::R_386_GOTOFF => RelocationKind::GotOffset,
            elf::R_386_GOTPC => RelocationKind::GotRelative,
            elf::R_386_GOT32 | elf::R_386_GOT32X => RelocationKind::GotEntry,
            other => return Err(format!("{other:?}")),
        },
        RelocationFlags::Coff { typ } => match typ {
            pe::IMAGE_REL_I386_ABSOLUTE => return Ok(None),
            pe::IMAGE_REL_I386_DIR16 => RelocationKind::Absolute(2),
            pe::IMAGE_REL_I386_DIR32 => RelocationKind::Absolute(4),
            pe::IMAGE_REL_I386_DIR32NB => RelocationKind::ImageRelative,
            pe::IMAGE_REL_I386_SECTION => RelocationKind::SectionIndex,
            pe::IMAGE_REL_I386_SECREL => RelocationKind::SectionRelative,
            pe::IMAGE_REL_I386_REL32 => RelocationKind::Relative(4),
            pe::IMAGE_REL_I386_REL16 => return Err("2 (IMAGE_REL_I386_REL16)".to_owned()),
            other => return Err(format!("{other:?}")),
        },
        _ => return Err("of another format".to_owned()),
    }))
}
