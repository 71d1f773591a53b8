//! A listing as data: each line as it was read, with the bytes it became, and the symbols.

use p5_image::Symbol;

/// What was assembled, line by line.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The lines in the order they were read, those of macros and repeats behind the line that called them.
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

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedLine {
    /// Index into the source files.
    pub file: u32,
    /// The line, from 1; of a macro, the line of its body.
    pub line: u32,
    /// The macro calls and repeats that it came from; 0 for a line of a file.
    pub depth: u32,
    /// Its text, with the arguments of a macro in place of the parameters; `None` if it is as it stands in its file.
    pub text: Option<String>,
    /// The bytes it became.
    pub placed: Vec<PlacedBytes>,
}

/// Consecutive bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedBytes {
    /// Where they are loaded.
    pub address: u32,
    /// Those that are known: none of an instruction that has an error.
    pub bytes: Vec<u8>,
    /// The number of zero bytes behind them.
    pub zeroes: u32,
    /// Whether the linker of the modules completes some of them.
    pub relocation: Option<Relocation>,
}

/// What the linker adds to bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Relocation {
    /// Where a segment of this module is loaded.
    Relocated,
    /// The address of a symbol of another module.
    External,
}
