//! The assembler's front end: source text in, an [`runtime::image::Image`] and diagnostics out.
//!
//! ```
//! use instrumenter::{Options, assemble, source::Sources};
//! let assembly = assemble(&Sources::single("loop.asm", "mov ecx,10\nagain: dec ecx\njnz again\n"), &Options::default());
//! assert!(assembly.diagnostics.is_empty());
//! assert_eq!(assembly.image.map(|image| image.entry), Some(0x0040_1000));
//! ```

mod assemble;
pub mod command;
pub mod diag;
mod dialect;
mod expand;
mod expression;
mod lex;
mod link;
mod names;
mod operand;
mod probe;
mod program;
mod select;
mod session;
pub mod source;
mod spelling;
mod statement;

use diag::Diagnostic;
use dialect::masm::MASM;
use runtime::image::{Image, SourceFile};
use source::Sources;

/// What an assembly starts from besides its text.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Names defined before the first line, each with the text after its `=`; an empty text stands for 1.
    pub defines: Vec<(String, String)>,
    /// The privilege level the program will run at: 0 or 3. The macro library measures accordingly.
    pub cpl: u8,
    /// What stands behind the measuring macros.
    pub library: Library,
    /// How much a source may ask for.
    pub limits: Limits,
}

/// What stands behind StartTSC, EndTSC and their kin, where a file does not define its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Library {
    /// `p5.inc`: what measures on a Pentium.
    #[default]
    Pentium,
    /// `host.inc`: what measures in ticks on the processor that runs the program natively, and logs every pass.
    Host,
    /// Nothing: the macros mark their regions and make no instruction. The symbols of the results exist.
    Unmeasured,
}

impl Library {
    fn text(self) -> &'static str {
        match self {
            Library::Pentium => asm_macros::library::P5_INC,
            Library::Host => asm_macros::library::HOST_INC,
            Library::Unmeasured => asm_macros::library::UNMEASURED_INC,
        }
    }

    /// The file name that diagnostics and reports show.
    fn file(self) -> &'static str {
        match self {
            Library::Pentium => "p5.inc",
            Library::Host | Library::Unmeasured => "host.inc",
        }
    }
}

/// How much a source may ask for before it is an error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of all sources together.
    pub source_bytes: u64,
    /// Bytes of one line, before and after expansion.
    pub line: usize,
    /// Includes within includes.
    pub include_depth: usize,
    /// Files read.
    pub files: usize,
    /// Macro calls and repeats within each other.
    pub macro_depth: usize,
    /// Conditions within each other.
    pub conditions: usize,
    /// Lines that macros and repeats make.
    pub expanded_lines: u64,
    /// Passes of one repeat.
    pub repeats: u64,
    /// Passes of all repeats.
    pub all_repeats: u64,
    /// Parentheses, brackets and operators within each other.
    pub nesting: u32,
    /// Bytes of the program.
    pub image: u64,
    /// Bytes of one structure.
    pub structure: u64,
    /// Symbols, and separately macros.
    pub symbols: usize,
    /// Passes that settle the distances of branches.
    pub passes: u32,
    /// Errors after which nothing more is read.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            source_bytes: 64 << 20,
            line: 64 << 10,
            include_depth: 64,
            files: 1024,
            macro_depth: 256,
            conditions: 1024,
            expanded_lines: 10_000_000,
            repeats: 1_000_000,
            all_repeats: 10_000_000,
            nesting: 256,
            image: 64 << 20,
            structure: 1 << 20,
            symbols: 1_000_000,
            passes: 64,
            diagnostics: 1000,
        }
    }
}

/// What came of a source.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The program, if there was no error.
    pub image: Option<Image>,
    /// Every error and warning, in the order they were found.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that were read, which the diagnostics' spans index.
    pub files: Vec<SourceFile>,
}

/// Assembles a program.
///
/// Never fails as a function: all that is wrong with the source comes back as diagnostics, up to the limits of
/// `options`. Reads no file itself; includes are asked of `sources`.
pub fn assemble(sources: &Sources, options: &Options) -> Assembly {
    assemble::assemble(sources, options, options.library.text(), &MASM)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)] // A test fails by panicking.
mod tests;
