//! The assembler: reads source text and returns a [`p5_image::Image`] and diagnostics.
//!
//! ```
//! use p5_assembler::{Options, assemble, source::Sources};
//! let source = Sources::single("loop.asm", "mov ecx,10\nagain: dec ecx\njnz again\n");
//! let assembly = assemble(&source, &Options::default());
//! assert!(assembly.diagnostics.is_empty());
//! assert_eq!(assembly.image.map(|image| image.entry), Some(0x0040_1000));
//! ```

mod assemble;
pub mod diag;
mod dialect;
mod elsewhere;
mod expand;
mod expression;
mod lex;
mod link;
pub mod listing;
mod measuring;
pub mod module;
pub mod modules;
mod names;
mod operand;
mod program;
mod remedy;
mod select;
mod session;
pub mod source;
pub mod spelling;
mod statement;

pub use dialect::{DIALECTS, Dialect, Spelling, TOY, att_in_intel, intel_in_att};
pub use program::Padding;

use diag::{Diagnostic, Span};
use listing::Listing;
use p5_chips::{MODELS, Model};
use p5_image::{Image, SourceFile};
use source::Sources;
use std::ops::Range;
use std::time::{Duration, Instant};

/// The options of an assembly.
#[derive(Clone, Debug)]
pub struct Options {
    /// The dialect of the sources. The bundled library has its own.
    pub dialect: &'static Dialect,
    /// Names defined before the first line, each with the text after its `=`; an empty text means 1.
    pub defines: Vec<(String, String)>,
    /// Those of these names whose values [`Assembly::values_decide`] leaves out of account.
    pub settled: Vec<String>,
    /// The privilege level the program runs at, 0 or 3. The macro library measures accordingly.
    pub cpl: u8,
    /// The chip whose events have constants: `EV_` and the event's name.
    pub chip: &'static Model,
    /// The library that implements the measuring macros.
    pub library: Library,
    /// Whether the sources are a whole program or one module.
    pub extent: Extent,
    /// The function with which a run begins, rather than where the source says.
    pub entry: Option<String>,
    /// Whether to record a listing.
    pub listing: bool,
    /// Whether the sources tell names apart by case, as after `option casemap:none`.
    pub by_case: bool,
    /// Whether modules are kept as data for a linker, in [`Assembly::modules`].
    pub object: bool,
    /// What `align` and `even` put into code.
    pub padding: Padding,
    /// The limits on what the sources may use; exceeding one is an error.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            dialect: Dialect::by_default(),
            defines: Vec::new(),
            settled: Vec::new(),
            cpl: 0,
            chip: MODELS[0],
            library: Library::default(),
            extent: Extent::default(),
            entry: None,
            listing: false,
            by_case: false,
            object: false,
            padding: Padding::default(),
            limits: Limits::default(),
        }
    }
}

/// The part of a program that the sources are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// A whole program: it has an entry, and every name it uses is defined.
    #[default]
    Program,
    /// A whole program, or a few lines without one: what they do not define, but use, is supplied, and the image says
    /// so in [`Image::fragment`].
    Fragment,
    /// One of several modules: external symbols, and possibly the entry, are defined elsewhere. There is no image.
    Module,
}

/// The implementation of StartTSC, EndTSC and the other measuring macros, unless a file defines its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Library {
    /// `p5.inc`, which measures on a Pentium.
    #[default]
    Pentium,
    /// `host.inc`, which measures in ticks on the host processor that runs the program natively, and logs every pass.
    Host,
    /// No measurement: the macros mark their regions and generate no instructions. The result symbols exist.
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

    /// The file name shown in diagnostics and reports.
    fn file(self) -> &'static str {
        match self {
            Library::Pentium => "p5.inc",
            Library::Host | Library::Unmeasured => "host.inc",
        }
    }
}

/// The limits on an assembly; exceeding one is an error.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum size of all sources together, in bytes.
    pub source_bytes: u64,
    /// The maximum length of one line in bytes, before and after expansion.
    pub line: usize,
    /// The maximum depth of nested includes.
    pub include_depth: usize,
    /// The maximum number of files read.
    pub files: usize,
    /// The maximum number of includes, repeated ones included.
    pub includes: usize,
    /// The maximum depth of nested macro calls and repeats.
    pub macro_depth: usize,
    /// The maximum depth of nested conditionals.
    pub conditions: usize,
    /// The maximum number of lines that macros and repeats generate.
    pub expanded_lines: u64,
    /// The maximum number of bytes that macros, repeats and text macros generate and text functions read.
    pub expanded_text: u64,
    /// The maximum number of passes of one repeat.
    pub repeats: u64,
    /// The maximum number of passes of all repeats together.
    pub all_repeats: u64,
    /// The maximum depth of nested parentheses, brackets and operators.
    pub nesting: u32,
    /// The maximum size of the program in bytes.
    pub image: u64,
    /// The maximum number of bytes that initializers fill, whether they become part of the program or not.
    pub filled: u64,
    /// The maximum size of one structure in bytes.
    pub structure: u64,
    /// The maximum number of segments.
    pub segments: usize,
    /// The maximum number of addresses in data.
    pub addresses: usize,
    /// The maximum number of instructions encoded after the last line, because they need addresses.
    pub deferred: usize,
    /// The maximum number of expression nodes kept until addresses are known.
    pub kept: usize,
    /// The maximum number of expression nodes evaluated.
    pub evaluated: u64,
    /// The maximum number of steps of converting real numbers to 80 bits.
    pub converted: u64,
    /// The maximum estimated work for lines and expressions, in nanoseconds. A source that reaches all other limits at
    /// once would take several times as long. The estimate depends on the sources alone, not on the host.
    pub work: u64,
    /// The maximum number of symbols, and separately of macros.
    pub symbols: usize,
    /// The approximate memory in bytes for what all of these keep together, with the texts of the sources, the image
    /// and the listing.
    pub memory: u64,
    /// The time after which no more lines are read, and how long that is, for the error; `None` for no bound. Where it
    /// stops depends on the host.
    pub until: Option<(Instant, Duration)>,
    /// Branch relaxation passes.
    pub passes: u32,
    /// The number of errors after which reading stops.
    pub diagnostics: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            source_bytes: 64 << 20,
            line: 64 << 10,
            include_depth: 64,
            files: 1024,
            includes: 10_000,
            macro_depth: 256,
            conditions: 1024,
            expanded_lines: 4_000_000,
            expanded_text: 128 << 20,
            repeats: 1_000_000,
            all_repeats: 4_000_000,
            nesting: 256,
            image: 64 << 20,
            filled: 192 << 20,
            structure: 1 << 20,
            segments: 4096,
            addresses: 4_000_000,
            deferred: 1_000_000,
            kept: 4_000_000,
            evaluated: 200_000_000,
            converted: 500_000_000,
            work: 4_600_000_000,
            symbols: 600_000,
            memory: 384 << 20,
            until: None,
            passes: 64,
            diagnostics: 1000,
        }
    }
}

/// The result of an assembly.
#[derive(Clone, Debug, Default)]
pub struct Assembly {
    /// The program; `None` after an error, or if the sources are a module.
    pub image: Option<Image>,
    /// The modules, if the options ask for them; empty after an error.
    pub modules: Vec<module::Module>,
    /// The listing, if the options ask for it; with errors, as far as it could be built.
    pub listing: Option<Listing>,
    /// Every error and warning: those of reading in the order of assembling, then those about names and addresses by
    /// file and line.
    pub diagnostics: Vec<Diagnostic>,
    /// The files read; the spans of diagnostics index this list.
    pub files: Vec<SourceFile>,
    /// The lines that conditionals leave out, as a file and its lines. Lines of macros and repeats, and of files that
    /// these include, are not among them.
    pub left_out: Vec<(u32, Range<u32>)>,
    /// Whether a number that an option defines, or an address, decides which lines are read: in a condition, as the
    /// count of a repeat, in an equate. If not, other numbers select the same lines, and regions have the same names.
    pub values_decide: bool,
    /// Whether an address, or the size of a structure, may decide that. If not, other code at the same places selects
    /// the same lines.
    pub addresses_decide: bool,
    /// The options that decide that, by name, each with a number with which a condition compares its value, or with
    /// nothing if the value itself counts: values in the same order with all these numbers select the same lines, if
    /// those that count are the same. Nothing if values decide in other ways, too; not known of several sources.
    pub bounds: Option<Vec<(String, Option<i64>)>>,
    /// What the sources ask for that has no effect here, in the order of its first place.
    pub ignored: Vec<Ignored>,
    /// The names that the source declares to be elsewhere, and that nothing defines.
    pub undefined: Vec<String>,
    /// Whether it ended because it would have taken more memory than the limits allow.
    pub out_of_memory: bool,
    /// Whether the main source is a text that compilers or disassemblers print.
    pub pasted: bool,
    /// The error of a source that is only a part of another one, by which a run may take it nevertheless.
    pub part: Option<Diagnostic>,
}

/// A directive that is accepted without effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// The directive as it is spelled, with the part that matters.
    pub what: String,
    /// The first place.
    pub span: Span,
    /// The number of places.
    pub places: u32,
}

impl Assembly {
    /// Makes it an error that the source is only a part of another one, if it has no other error.
    pub fn refuse_part(&mut self) {
        let failed = diag::first_error(&self.diagnostics).is_some();
        self.diagnostics.extend(self.part.take().filter(|_| !failed));
    }

    /// Whether a conditional leaves a line out and nothing else reads it as code.
    pub fn leaves_out(&self, file: u32, line: u32) -> bool {
        let mut ranges = self.left_out.iter();
        let mut rows = self.image.iter().flat_map(|image| &image.lines);
        ranges.any(|(of, lines)| *of == file && lines.contains(&line))
            && !rows.any(|row| (row.file, row.line) == (file, line))
    }
}

/// Assembles a program.
///
/// Errors in the source never fail the call: they are diagnostics, up to the limits of `options`. Reads no files
/// itself; includes are requested from `sources`.
pub fn assemble(sources: &Sources, options: &Options) -> Assembly {
    assemble::assemble(sources, options, options.library.text())
}
