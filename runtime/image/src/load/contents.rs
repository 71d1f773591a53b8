//! The content of a file, recognised by its first bytes.

use object::FileKind;

/// The content of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A program or library in the format of Linux.
    Program,
    /// A program of DOS with a header, an EXE file.
    DosProgram,
    /// A relocatable object.
    Object,
    /// An archive of objects.
    Archive,
    /// Something else, such as source text.
    Other,
}

/// The content of a file, by its first bytes.
pub fn content(bytes: &[u8]) -> Content {
    /// The offset of the type in an ELF header, and the type of relocatable objects.
    const ELF_TYPE: usize = 16;
    const RELOCATABLE: u8 = 1;
    match FileKind::parse(bytes) {
        Ok(FileKind::Elf32 | FileKind::Elf64) if bytes.get(ELF_TYPE).is_none_or(|&kind| kind == RELOCATABLE) => {
            Content::Object
        }
        Ok(FileKind::Elf32 | FileKind::Elf64) => Content::Program,
        Ok(FileKind::Coff | FileKind::CoffBig | FileKind::CoffImport) => Content::Object,
        Ok(FileKind::Archive) => Content::Archive,
        _ if bytes.starts_with(b"\x7FELF") => Content::Object,
        // A source may begin with these letters, too, but has no byte of zero.
        _ if bytes.starts_with(b"MZ") && bytes.get(..28).is_some_and(|header| header.contains(&0)) => {
            Content::DosProgram
        }
        _ => Content::Other,
    }
}
