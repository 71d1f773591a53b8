//! Relocatable objects in ELF and COFF, as data that no longer says which of the two it was.

mod read;
mod relocation;

pub(super) use read::MOST_ALIGNMENT;
pub use read::object;
pub use relocation::{Relocation, RelocationKind};

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
    /// Not in this object.
    Undefined,
    /// In a section of this object.
    Section {
        /// Index into [`Object::sections`].
        section: u32,
        /// The offset in it.
        offset: u32,
    },
    /// In a section that is not linked.
    Discarded(Discarded),
    /// It is a number.
    Absolute(u32),
    /// The linker reserves this many zero bytes, once for all objects.
    Common {
        /// A power of two.
        alignment: u32,
    },
}

/// Why a section is not linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discarded {
    /// It is for unwinding the stack, which nothing here does.
    Unwinding,
    /// It is not part of the running program, such as a note or a comment.
    NotLoaded,
    /// Another object has the same group.
    Group,
}

/// A symbol.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name; that of the section for an unnamed symbol of a section.
    pub name: String,
    /// Where it is.
    pub place: Place,
    /// Its bytes, if known.
    pub size: u32,
    /// Whether only this object sees it.
    pub local: bool,
    /// Whether a definition elsewhere takes precedence, and none is needed.
    pub weak: bool,
    /// Whether archives are searched for that definition, although this object has one.
    pub searched: bool,
    /// Whether it names instructions.
    pub code: bool,
    /// Whether it is a section or a file rather than a name of the source.
    pub internal: bool,
}
