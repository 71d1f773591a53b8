//! Files in formats of other tools, read as data: programs of Linux and of DOS become an [`Image`](crate::Image),
//! relocatable objects and archives become [`Object`]s for a linker.
//!
//! Every file is untrusted: its claims are checked against its bytes and against [`MOST_BYTES`] before anything is
//! allocated. Nothing here accesses the file system.

mod archive;
mod budget;
mod contents;
mod demangled;
mod dos;
mod error;
mod inlined;
mod limits;
mod lines;
mod object;
mod plt;
mod program;
mod stack;
mod symbols;
mod types;

pub use archive::{Member, archive};
pub use budget::Budget;
pub use contents::{Content, content};
pub use demangled::{demangle, demangled_name, readable_name};
pub use dos::{com_program, exe_program};
pub use error::LoadError;
pub use inlined::inlined;
pub use limits::MOST_BYTES;
pub use lines::{DebugSections, FileName, Line, Lines, MOST_NAME_BYTES, lines};
pub use object::{Discarded, Object, Place, Relocation, RelocationKind, Section, SectionKind, Symbol, object};
pub use program::{program, program_in};
pub use symbols::element;
pub use types::TypeSections;
