//! The reasons why a file cannot be loaded.

use super::limits::{MOST_ALIGNMENT, MOST_BYTES};
use crate::dos::{CONVENTIONAL, PREFIX};
use object::Architecture;
use std::fmt;

/// The reason why a file cannot be loaded. The message that quotes it names the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// Its tables contradict each other or its length.
    Damaged(String),
    /// It is for another machine.
    OtherMachine(String),
    /// It is for the x86-64, whose compilers make code for the 32-bit x86, too.
    Wide,
    /// It is neither an object nor an archive.
    NotAnObject,
    /// It does not begin as a program does.
    NotAProgram,
    /// It is a file of another kind.
    OtherKind(&'static str),
    /// It requests more than [`MOST_BYTES`] for this part.
    TooLarge(&'static str),
    /// It has more of these than this limit.
    TooMany(&'static str, usize),
    /// The alignment of this is not a power of two up to `MOST_ALIGNMENT`.
    Alignment(String),
    /// A symbol is an indirect function.
    IndirectFunction(String),
    /// The default of a weak external symbol is itself undefined.
    WeakDefault {
        /// The name of the weak external symbol.
        symbol: String,
        /// The name of the symbol that stands in for it.
        default: String,
    },
    /// A section requires something unsupported.
    Section {
        /// The name of the section.
        name: String,
        /// The reason, as the rest of a sentence.
        why: &'static str,
    },
    /// A relocation of an unsupported type.
    Relocation {
        /// The name of the section that it changes.
        section: String,
        /// The offset in that section of the bytes that it changes.
        offset: u64,
        /// The name or the number of its type.
        kind: String,
        /// The name of the symbol it refers to.
        symbol: String,
        /// An explanation, from the colon on; empty if there is none.
        why: &'static str,
    },
    /// A relocation outside its section, or without a symbol.
    BadRelocation {
        /// The name of the section that it changes.
        section: String,
        /// The offset in that section of the bytes that it should change.
        offset: u64,
    },
    /// Two parts of a program would lie at the same address.
    Overlap {
        /// The first address of the part that is loaded second.
        address: u32,
        /// Whether the other part is the stack.
        stack: bool,
    },
    /// It is larger than the memory that DOS has for programs.
    Conventional,
    /// The entry, at this address, is not in the program.
    Entry(u64),
}

impl LoadError {
    /// The error of a file that is not for the 32-bit x86.
    pub(super) fn of_machine(architecture: Architecture, little_endian: bool) -> LoadError {
        match architecture {
            Architecture::X86_64 | Architecture::X86_64_X32 if little_endian => LoadError::Wide,
            Architecture::Unknown => LoadError::OtherMachine("an unknown machine".to_owned()),
            known if little_endian => LoadError::OtherMachine(format!("{known:?}")),
            known => LoadError::OtherMachine(format!("big-endian {known:?}")),
        }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Damaged(why) => write!(out, "truncated or damaged: {why}"),
            LoadError::OtherMachine(machine) => write!(out, "made for {machine}, not for the 32-bit x86"),
            LoadError::Wide => write!(
                out,
                "made for x86-64, not for the 32-bit x86; compile it for that: `gcc -m32 \
                 -march=pentium -static ..`, or `rustc --target i586-unknown-linux-gnu -C target-cpu=pentium -C \
                 target-feature=+crt-static ..`"
            ),
            LoadError::OtherKind(kind) => out.write_str(kind),
            LoadError::TooLarge(what) => write!(out, "its {what} exceed {} MiB", MOST_BYTES >> 20),
            LoadError::NotAnObject => out.write_str("neither an object in ELF or COFF nor an archive of such objects"),
            LoadError::NotAProgram => {
                out.write_str("not a Linux program: it does not begin with the header of an ELF file")
            }
            LoadError::TooMany(what, most) => write!(out, "it has more than {most} {what}"),
            LoadError::Alignment(what) => write!(
                out,
                "the alignment of {what} is not a power of two up to {MOST_ALIGNMENT}"
            ),
            LoadError::IndirectFunction(name) => write!(
                out,
                "symbol `{name}` is an indirect function (STT_GNU_IFUNC), whose resolver nothing would call: compile \
                 it without `ifunc` and `target_clones`"
            ),
            LoadError::WeakDefault { symbol, default } => write!(
                out,
                "weak external symbol `{symbol}` has the default `{default}`, which this object does not define: that \
                 is not supported"
            ),
            LoadError::Section { name, why } => write!(out, "section `{name}` {why}"),
            LoadError::Relocation {
                section,
                offset,
                kind,
                symbol,
                why,
            } => write!(
                out,
                "relocation {kind} of `{symbol}` at `{section}`+{offset:X}h is not supported{why}"
            ),
            LoadError::BadRelocation { section, offset } => {
                write!(out, "truncated or damaged: bad relocation at `{section}`+{offset:X}h")
            }
            LoadError::Overlap { address, stack: true } => {
                write!(out, "the segment at {address:08X}h overlaps the stack")
            }
            LoadError::Overlap { address, stack: false } => {
                write!(out, "the segment at {address:08X}h overlaps another one")
            }
            LoadError::Conventional => {
                let most = (CONVENTIONAL - PREFIX) >> 10;
                write!(out, "larger than the {most} KiB that DOS has for a program")
            }
            LoadError::Entry(address) => write!(out, "its entry {address:08X}h is not in a segment"),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<object::Error> for LoadError {
    fn from(error: object::Error) -> LoadError {
        LoadError::Damaged(error.to_string())
    }
}
