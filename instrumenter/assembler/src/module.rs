//! Modules as data for a linker: segments with their bytes, groups, symbols, and the fields that hold addresses.
//!
//! Nothing here knows a source line except for messages.

use crate::diag::{Diagnostic, Severity, Span};
use p5_image::Image;

/// The class of segments of constants, as linkers know it.
pub(crate) const CONSTANTS: &str = "CONST";
/// The group in which linkers place near common data.
pub(crate) const COMMON_GROUP: &str = "DGROUP";

/// The name of a definition in a module that gives way to others of this name.
pub(crate) fn weak_definition(name: &str) -> String {
    format!(".weak.{name}")
}

/// When the functions run whose addresses a section of this name holds: before the program, or after it; `None` if it
/// holds no such list.
pub(crate) fn lists_functions(section: &str) -> Option<&'static str> {
    const LISTS: [(&str, &str); 5] = [
        (".preinit_array", "before"),
        (".init_array", "before"),
        (".ctors", "before"),
        (".fini_array", "after"),
        (".dtors", "after"),
    ];
    let of = |name: &str| {
        let rest = section.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    LISTS.iter().find(|(name, _)| of(name)).map(|(_, when)| *when)
}

/// What is said of a list of functions where nothing calls them.
pub(crate) fn not_called(section: &str) -> Option<(String, &'static str)> {
    let when = lists_functions(section)?;
    let message = format!("the functions in `{section}`, which a C library calls {when} `main`, do not run here");
    Some((
        message,
        "link a program: `gcc -m32 -g -static FILE.s -o PROGRAM`, then `p5inst PROGRAM`",
    ))
}

/// One assembled module.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The name of its source.
    pub name: String,
    /// The number of its first file among the files of the assembly.
    pub files: u32,
    /// Its segments that have a name in the source or bytes.
    pub segments: Vec<Segment>,
    /// Its groups, by name.
    pub groups: Vec<String>,
    /// Its public and external symbols.
    pub symbols: Vec<Symbol>,
    /// The fields that hold addresses, by segment and offset.
    pub fields: Vec<Field>,
    /// The libraries that the source names for the linker.
    pub libraries: Vec<String>,
    /// The segment and the offset in it at which the program starts, if this module says so.
    pub entry: Option<(u32, u32)>,
    /// Whether it has 16-bit segments.
    pub segmented: bool,
    /// Whether its segments are in the order of a memory model: code, data, uninitialised data, stack.
    pub ordered: bool,
    /// Whether its first segment begins at 100h, as a COM file does.
    pub com: bool,
    /// The module laid out alone, with its lines and names.
    pub image: Image,
    /// Whether objects say which line each instruction comes from.
    pub with_lines: bool,
    /// Whether names that differ only in case differ in its source.
    pub by_case: bool,
}

/// A segment of a module.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// The name in the source.
    pub name: String,
    /// Its class.
    pub class: String,
    /// The multiple at which it begins.
    pub alignment: u32,
    /// How it is joined with those of the same name.
    pub combine: Combine,
    /// Whether offsets in it have 32 bits.
    pub wide: bool,
    /// Whether it holds instructions.
    pub code: bool,
    /// Its rank in a memory model: code, other, data, uninitialised, stack.
    pub rank: u32,
    /// Its group, by its number.
    pub group: Option<u32>,
    /// The offset of the first byte; what is before it is left to others.
    pub first: u32,
    /// The bytes from `first` on, without the zeroes at the end.
    pub bytes: Vec<u8>,
    /// The offset after its last byte, uninitialised ones included.
    pub length: u32,
    /// The linear address of its offset 0 in the module's own image.
    pub address: u32,
}

/// How segments of the same name become one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// One after the other.
    #[default]
    Public,
    /// Each remains on its own.
    Private,
    /// All begin at the same place.
    Common,
    /// One after the other, as the stack of the program.
    Stack,
    /// It has no bytes of the program: it lies at this paragraph.
    At(u16),
}

/// A name that other modules see, or that another module defines.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name in the spelling of its definition.
    pub name: String,
    /// Its place.
    pub place: Place,
    /// Whether it names code.
    pub code: bool,
    /// Whether its definition gives way to that of another module; one that is elsewhere may be missing, and is 0 then.
    pub weak: bool,
    /// Its definition or declaration, by the module's own files.
    pub span: Span,
}

/// Where a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In another module.
    Elsewhere,
    /// Common data, which all modules share that declare it.
    Common(Shared),
    /// At an offset in a segment of this module.
    In(u32, u32),
    /// It is a number.
    Number(i64),
}

/// The segment and the class of common data, as linkers call them.
pub(crate) fn common_segment(far: bool) -> [&'static str; 2] {
    match far {
        true => ["FAR_BSS", "FAR_BSS"],
        false => ["c_common", "BSS"],
    }
}

/// Common data: as many elements as the module with the most declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The number of elements.
    pub count: u32,
    /// The bytes of each.
    pub size: u32,
    /// Whether it lies outside the group of the other data.
    pub far: bool,
    /// The multiple at which it begins, if the source says so; otherwise 0.
    pub aligned: u32,
}

impl Shared {
    /// The multiple at which it begins: what the source says, or the size of an element, but no more than 8. Linkers
    /// for ELF do as the object says, which says this; those for COFF and OMF decide for themselves.
    pub(crate) fn alignment(self) -> u32 {
        match self.aligned {
            0 => self.size.clamp(1, 8).next_power_of_two(),
            said => said,
        }
    }
}

/// Bytes that depend on where segments and symbols are placed.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The segment that holds it, and the offset in it.
    pub segment: u32,
    /// The offset of its first byte.
    pub offset: u32,
    /// Which kind of value it holds.
    pub holds: Holds,
    /// The symbol or segment that it refers to.
    pub target: Target,
    /// From where offsets are counted, if that is not the group or segment of the target.
    pub frame: Option<Target>,
    /// The number that is added to the address of the target.
    pub addend: i64,
    /// Its place in the module's own files.
    pub span: Span,
}

/// How objects write a name, by the language of its procedures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Decoration {
    #[default]
    None,
    /// With `_` before it, as C does.
    Underscore,
    /// With `_` before it, and `@` and the size of the parameters after it.
    Sized(u32),
    /// In capitals.
    Capitals,
}

impl Decoration {
    /// The name as objects have it.
    pub(crate) fn of(self, name: &str) -> String {
        match self {
            Decoration::None => name.to_owned(),
            Decoration::Underscore => format!("_{name}"),
            Decoration::Sized(bytes) => format!("_{name}@{bytes}"),
            Decoration::Capitals => name.to_ascii_uppercase(),
        }
    }
}

/// The kind of value that a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// An offset of this many bytes.
    Offset(u8),
    /// The distance from the end of the field, in this many bytes.
    Distance(u8),
    /// A paragraph: the content of a segment register.
    Paragraph,
    /// The lower byte of an offset of 16 bits.
    LowByte,
    /// The upper byte of an offset of 16 bits.
    HighByte,
    /// The lower word of an offset of 32 bits.
    LowWord,
}

impl Holds {
    /// The size of the field in bytes.
    pub fn size(self) -> u32 {
        match self {
            Holds::Offset(size) | Holds::Distance(size) => u32::from(size),
            Holds::Paragraph | Holds::LowWord => 2,
            Holds::LowByte | Holds::HighByte => 1,
        }
    }

    /// The part of an address that the field has.
    pub(crate) fn part_of(self, address: i64) -> i64 {
        match self {
            Holds::LowByte => address & 0xFF,
            Holds::HighByte => address >> 8 & 0xFF,
            Holds::LowWord => address & 0xFFFF,
            _ => address,
        }
    }
}

/// What a field refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A segment of the module, by its number.
    Segment(u32),
    /// A group of the module, by its number.
    Group(u32),
    /// A symbol of the module, by its number.
    Symbol(u32),
}

/// Why modules cannot be joined or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The defect, with the name of the module.
    pub message: String,
    /// What can be done about it.
    pub help: String,
    /// The number of the module and the place in it, by its own files, if there is one.
    pub place: Option<(usize, Span)>,
}

impl Problem {
    /// A problem without a place.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> Problem {
        Problem {
            message: message.into(),
            help: help.into(),
            place: None,
        }
    }

    pub(crate) fn at(mut self, module: usize, span: Span) -> Problem {
        self.place = Some((module, span));
        self
    }
}

impl Problem {
    /// The problem of these modules as an error.
    pub fn diagnostic(&self, modules: &[Module]) -> Diagnostic {
        let place = self
            .place
            .and_then(|(module, span)| Some((modules.get(module)?.files, span)));
        Diagnostic {
            severity: Severity::Error,
            message: self.message.clone(),
            file: self
                .place
                .and_then(|(module, _)| Some(modules.get(module)?.name.clone())),
            span: place.map(|(first, span)| Span {
                file: span.file + first,
                ..span
            }),
            label: None,
            help: Some(self.help.clone()),
            trail: Vec::new(),
        }
    }
}

impl Segment {
    /// Writes a little-endian number of `size` bytes at an offset, in its bytes.
    pub(crate) fn put(&mut self, offset: u32, number: i64, size: u32) {
        let start = offset.wrapping_sub(self.first) as usize;
        let end = start + size as usize;
        if self.bytes.len() < end && end <= (self.length - self.first) as usize {
            self.bytes.resize(end, 0);
        }
        if let Some(place) = self.bytes.get_mut(start..end) {
            place.copy_from_slice(&number.to_le_bytes()[..size as usize]);
        }
    }
}
