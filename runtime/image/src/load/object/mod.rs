//! Relocatable objects as data that is the same for ELF and COFF.

mod read;
mod relocation;

pub use read::object;
pub use relocation::{Relocation, RelocationKind};

/// A relocatable object.
#[derive(Clone, Debug, Default)]
pub struct Object {
    /// The name of its file, or of the archive and the member.
    pub name: String,
    /// The sections to link, and those with line tables.
    pub sections: Vec<Section>,
    /// The symbols; relocations refer to them by index.
    pub symbols: Vec<Symbol>,
}

/// The purpose of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SectionKind {
    /// Instructions of the program.
    Code,
    /// Data that the program only reads.
    Constants,
    /// Initialized data that the program may write.
    Data,
    /// Data that starts as zeroes and has no bytes in the file.
    Zeroes,
    /// Data for debuggers, which is not loaded.
    Debug,
}

/// A section of an object.
#[derive(Clone, Debug)]
pub struct Section {
    /// The section's name in the file.
    pub name: String,
    /// The purpose of the section.
    pub kind: SectionKind,
    /// The alignment in bytes, a power of two.
    pub alignment: u32,
    /// The bytes; empty if they are zeroes.
    pub bytes: Vec<u8>,
    /// The size in bytes.
    pub size: u32,
    /// The relocations of its bytes, each within the section.
    pub relocations: Vec<Relocation>,
    /// The name of its group, of which only the first one among all objects is linked.
    pub group: Option<String>,
}

/// The place of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not in this object.
    Undefined,
    /// In a section of this object.
    Section {
        /// Index into [`Object::sections`].
        section: u32,
        /// The offset in the section.
        offset: u32,
    },
    /// In a section that is not linked.
    Discarded(Discarded),
    /// A number instead of an address.
    Absolute(u32),
    /// The linker reserves this many zero bytes, once for all objects.
    Common {
        /// The alignment in bytes, a power of two.
        alignment: u32,
    },
}

/// The reason why a section is not linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discarded {
    /// The section is for unwinding the stack, which nothing here does.
    Unwinding,
    /// The section is not part of the running program, such as a note or a comment.
    NotLoaded,
    /// Another object has the same group.
    Group,
}

/// A name that an object defines or needs.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name; for an unnamed symbol of a section, the section's name.
    pub name: String,
    /// The section and offset, or another kind of place.
    pub place: Place,
    /// The size in bytes, or 0 if it is unknown.
    pub size: u32,
    /// Whether only this object sees the symbol.
    pub local: bool,
    /// Whether a definition elsewhere takes precedence, and none is needed.
    pub weak: bool,
    /// Whether archives are searched for such a definition, although this object has one.
    pub searched: bool,
    /// Whether the symbol names instructions.
    pub code: bool,
    /// Whether the symbol is a section or a file rather than a name of the source.
    pub internal: bool,
}
