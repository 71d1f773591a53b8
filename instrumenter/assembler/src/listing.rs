//! A listing as data: each line as it was read, with the bytes it became, and the symbols.

use p5_image::Symbol;

/// The assembled lines and the symbols of a program.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The lines in the order in which they were read; those of a macro or repeat follow the line that called it.
    pub lines: Vec<ListedLine>,
    /// The index of the bundled library among the source files, if it was read.
    pub library: Option<u32>,
    /// Whether more lines were read than are listed.
    pub cut: bool,
    /// The user's symbols, by name.
    pub symbols: Vec<Symbol>,
    /// The symbols declared to be defined in another module, by name.
    pub externals: Vec<String>,
}

/// One line of a listing, with the bytes that it became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedLine {
    /// The file that contains the line, as an index into the source files.
    pub file: u32,
    /// The line number, from 1; for a line of a macro, the line of its body.
    pub line: u32,
    /// The number of macro calls and repeats around the line; 0 for a line of a file.
    pub depth: u32,
    /// The text with the arguments of a macro in place of the parameters; `None` if it is unchanged from its file.
    pub text: Option<String>,
    /// The bytes that the line became, in the order of assembly.
    pub placed: Vec<PlacedBytes>,
}

/// Consecutive bytes of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedBytes {
    /// The linear address of the first byte.
    pub address: u32,
    /// The linear address of the frame from which 16-bit code counts its offset; `None` in a flat program.
    pub frame: Option<u32>,
    /// The known bytes; empty for an instruction with an error.
    pub bytes: Vec<u8>,
    /// The number of zero bytes after them.
    pub zeroes: u32,
    /// The relocation that the linker of the modules applies to some of the bytes, if there is one.
    pub relocation: Option<Relocation>,
}

/// The value that the linker adds to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relocation {
    /// The address at which a segment of this module is loaded.
    Relocated,
    /// The address of a symbol of another module.
    External,
}
