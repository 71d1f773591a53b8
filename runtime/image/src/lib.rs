//! The image: the only interface between an assembler and the machine.
//!
//! It holds bytes with their addresses and what the source says about them: symbols with types, the source line of each
//! byte, the regions that macros mark, and where the library's data is. No consumer looks a symbol up by its name. The
//! constants describe what every machine provides to a program: a stack and a return address. Nothing here depends on a
//! dialect or on time.

mod lines;
pub mod load;

pub use lines::Near;
pub use lines::{Lines, Rows};

use std::ops::Range;
use std::sync::Arc;

/// The address a program finds on its stack at entry: returning there ends the run.
pub const RETURN_ADDRESS: u32 = 0xFFFF_FFF0;
/// The top of the stack segment; ESP starts [`STACK_HEADROOM`] bytes below.
pub const STACK_TOP: u32 = 0x0040_0000;
/// Bytes of stack.
pub const STACK_SIZE: u32 = 0x0010_0000;
/// Bytes above the initial ESP that can be read and written.
pub const STACK_HEADROOM: u32 = 0x100;

/// The segment and offset to which a program in real mode finds a far return address on its stack: the last byte that
/// real mode can address, where no instruction can begin that another one follows. A near return to this offset ends
/// the run, too.
pub const REAL_RETURN: (u16, u16) = (0xFFFF, 0xFFFF);
/// The linear address at which a processor begins after reset in real mode, F000h:FFF0h.
pub const RESET_VECTOR: u32 = 0x000F_FFF0;
/// Bytes of memory from address 0 in real mode: what segments can reach.
pub const REAL_MEMORY: u32 = 0x0011_0000;

/// How a program starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// In flat 32-bit protected mode, at [`Image::entry`], with a stack of its own.
    #[default]
    Flat,
    /// In real mode, at [`Image::entry`].
    Real(RealStart),
}

/// The registers of a program that starts in real mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RealStart {
    /// CS: [`Image::entry`] is within the 64 KiB from 16 times its value.
    pub code: u16,
    /// SS.
    pub stack: u16,
    /// SP before [`Image::stack`], or else a far return address, is pushed.
    pub top: u16,
    /// DS, ES, FS and GS.
    pub data: u16,
}

impl RealStart {
    /// The linear address of an offset in the code segment.
    pub fn in_code(&self, offset: u16) -> u32 {
        (u32::from(self.code) << 4) + u32::from(offset)
    }
}

/// A program, ready to be loaded into a machine.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The mapped memory, in ascending address order, without overlap.
    pub segments: Vec<Segment>,
    /// Where execution starts: a linear address.
    pub entry: u32,
    /// In which mode it starts.
    pub start: Start,
    /// The address after the last instruction: execution ends when it arrives there.
    pub end: Option<u32>,
    /// What the stack holds from the initial stack pointer to its top, if the program is a process of Linux or a COM
    /// file of DOS; empty if it is called and finds its return address.
    pub stack: Vec<u8>,
    /// Named addresses and constants.
    pub symbols: Vec<Symbol>,
    /// The structures that data and fields have; an inner one comes before the one it is in.
    pub structures: Vec<Structure>,
    /// The source files, in the order they were first read.
    pub files: Vec<SourceFile>,
    /// The source line of each instruction, in ascending address order, without overlap.
    pub lines: Lines,
    /// Code that other tools made: it may have no source lines.
    pub linked: Vec<Range<u32>>,
    /// How lines were generated: macro calls and repeats, each naming its caller.
    pub origins: Vec<Origin>,
    /// The regions between StartTSC and EndTSC, and between StartProfile and EndProfile.
    pub regions: Vec<Region>,
    /// Index into [`Image::files`] of the bundled macro library, if the program uses it.
    pub library: Option<u32>,
    /// The log in which the library's macros record each pass, if they keep one.
    pub log: Option<Log>,
}

/// A mapped range of memory.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    /// The name in the source, such as `_TEXT`.
    pub name: String,
    /// The linear address of the first byte, a multiple of 4096 unless the program starts in real mode, where all
    /// memory below [`REAL_MEMORY`] is mapped.
    pub address: u32,
    /// The initialized bytes.
    pub bytes: Vec<u8>,
    /// How many zero bytes follow them.
    pub zeroes: u32,
    /// Whether the program may write here.
    pub writable: bool,
}

/// What a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Data; the element size in bytes.
    Data {
        /// Bytes of one element (1, 2, 4, 8 or 10; a structure's whole size).
        element: u32,
        /// What the elements are.
        kind: ElementKind,
    },
    /// A label or procedure.
    Code,
    /// A number, not an address.
    Constant,
}

/// What the elements of data are, as far as the source says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ElementKind {
    /// Unsigned integers, or anything else.
    #[default]
    Unsigned,
    /// Signed integers.
    Signed,
    /// Reals of 4, 8 or 10 bytes.
    Real,
    /// Structures, by their number in [`Image::structures`].
    Structure(u32),
}

/// What a structure or union consists of.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// The fields, in the order of the source; those of a union overlap.
    pub fields: Vec<Field>,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    /// As the source spells it; empty for an inner structure whose fields are named without it.
    pub name: String,
    /// Bytes from the beginning of the structure.
    pub offset: u32,
    /// Bytes in all.
    pub size: u32,
    /// Bytes of one element.
    pub element: u32,
    /// What its elements are.
    pub kind: ElementKind,
}

/// A name of the program.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// As the source spells it where it is defined.
    pub name: String,
    /// A linear address, or the value of a constant.
    pub value: u32,
    /// How many bytes the definition covers; 0 for constants, labels, and code of which it is not said.
    pub size: u32,
    /// What it names.
    pub kind: SymbolKind,
    /// Whether the macro library or its calibration defines it rather than the user.
    pub library: bool,
}

/// A source file, kept whole so that reports can quote it.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its name as given (or `<stdin>`, or the include's name).
    pub name: String,
    /// The text, decoded from the file's bytes.
    pub text: Arc<str>,
}

/// The source line of some bytes of code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineRow {
    /// The linear address of the first byte.
    pub address: u32,
    /// How many bytes: one instruction, or the bytes of one data definition in a code segment.
    pub length: u32,
    /// Index into [`Image::files`] of the line's file (inside a macro: that of the macro's body).
    pub file: u32,
    /// One-based line number in that file.
    pub line: u32,
    /// The first byte in the line of the instruction's text and the one after its last; two zeroes if the line does not
    /// spell it, or spells several.
    pub written: (u32, u32),
    /// Index into [`Image::origins`] if a macro or repeat generated the line.
    pub origin: Option<u32>,
    /// Whether a data directive defined these bytes rather than an instruction.
    pub data: bool,
}

/// One step in the generation of a line: a macro call, or a pass of a repeat.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The macro's name, or the repeat's directive.
    pub name: String,
    /// The pass of a repeat, counted from 1; macro calls have none.
    pub pass: Option<u32>,
    /// Index into [`Image::files`] of the call.
    pub file: u32,
    /// One-based line of the call.
    pub line: u32,
    /// The call's own origin, if it is inside a macro.
    pub parent: Option<u32>,
}

/// What kind of probe marks a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// StartTSC to EndTSC: clocks.
    Tsc,
    /// StartProfile to EndProfile: two events.
    Profile,
}

/// A stretch of code between a start and an end macro.
#[derive(Clone, Debug)]
pub struct Region {
    /// The name given to the start macro, or `line N`.
    pub name: String,
    /// Clocks or events.
    pub kind: RegionKind,
    /// Index into [`Image::files`] of the start macro's call.
    pub file: u32,
    /// One-based line of the outermost start macro call.
    pub start_line: u32,
    /// One-based line of the outermost end macro call.
    pub end_line: u32,
    /// The address after the start macro's last byte, which is that of the region's first instruction.
    pub first: u32,
    /// The address of the end macro's first byte: the first instruction after the region.
    pub after: u32,
    /// The address after the end macro's last byte: when execution arrives there, `measured` holds the result.
    pub done: u32,
    /// The addresses of the dwords in which the macros leave their result: one for clocks, two for events. Fewer if the
    /// program's own macros define no such data.
    pub measured: Vec<u32>,
    /// Whether the library's macros mark the region. The program's own macros log nothing, and several of their regions
    /// may share one result.
    pub library: bool,
    /// The event selectors of a profile region, if the assembler knows them.
    pub events: Option<[u8; 2]>,
}

/// Where a library logs passes through regions: a dword that counts the entries, a dword that says how many there is
/// room for, then the entries. An entry is two dwords: the address of the region's first result dword
/// ([`Region::measured`]), and the ticks of one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Log {
    /// The linear address of the first of the two dwords before the entries.
    pub address: u32,
    /// The address that passes through an empty region are logged under; their ticks are the probe's own.
    pub empty: u32,
}

impl Log {
    /// Bytes before the first entry.
    pub const HEADER: u32 = 8;
    /// Bytes of an entry.
    pub const ENTRY: u32 = 8;
}

/// The number of the first of `sorted` for which `comes_before` is false, as [`slice::partition_point`] has it, found
/// quickly if it is `near` or not far from it.
pub fn partition_point_near<T>(sorted: &[T], near: usize, comes_before: impl Fn(&T) -> bool) -> usize {
    // The number is between `first` and `end`; each step away from `near` is twice as long as the one before.
    let nearest = near.min(sorted.len());
    let (mut first, mut end) = (nearest, nearest);
    let mut step = 1;
    if sorted.get(first).is_some_and(&comes_before) {
        end += 1;
        while sorted.get(end).is_some_and(&comes_before) {
            (first, end) = (end, end + step);
            step *= 2;
        }
    } else {
        while first > 0 && !sorted.get(first).is_some_and(&comes_before) {
            (first, end) = (first.saturating_sub(step), first);
            step *= 2;
        }
    }
    first + sorted[first..end.min(sorted.len())].partition_point(comes_before)
}

impl Image {
    /// A program that starts in real mode at offset `entry` of segment `start.code`. `segments` may lie anywhere below
    /// [`REAL_MEMORY`], without overlap.
    pub fn real(start: RealStart, entry: u16, mut segments: Vec<Segment>) -> Image {
        segments.sort_by_key(|segment| segment.address);
        Image {
            segments,
            entry: start.in_code(entry),
            start: Start::Real(start),
            ..Image::default()
        }
    }

    /// Whether execution ends at `address` because the program has returned from its entry. `real` tells whether it is
    /// in real mode. Where the program itself has a byte, it goes on.
    pub fn is_return(&self, address: u32, real: bool) -> bool {
        match &self.start {
            Start::Flat => address == RETURN_ADDRESS,
            Start::Real(start) => {
                let (segment, offset) = REAL_RETURN;
                let far = (u32::from(segment) << 4) + u32::from(offset);
                real && (address == start.in_code(offset) || address == far) && !self.holds(address)
            }
        }
    }

    /// Whether a segment has initialized bytes at `address`.
    pub fn holds(&self, address: u32) -> bool {
        let inside = |segment: &Segment| {
            let offset = address.checked_sub(segment.address);
            offset.is_some_and(|offset| (offset as usize) < segment.bytes.len())
        };
        self.segments.iter().any(inside)
    }

    /// The line that holds `address`, if any.
    pub fn line_at(&self, address: u32) -> Option<LineRow> {
        self.line_near(address, &mut Near::default()).map(|(_, row)| row)
    }

    /// The same, with its number, for an address that is probably in the line that was found `near` or not far from it,
    /// as the next instruction's is. `near` becomes where it was found.
    pub fn line_near(&self, address: u32, near: &mut Near) -> Option<(usize, LineRow)> {
        let found = self.lines.near(address, near);
        found.filter(|(_, row)| address.wrapping_sub(row.address) < row.length)
    }

    /// The innermost field that has the byte at `offset` in a structure: its name, with a dot before each part and the
    /// index of an element behind it, its bytes in the structure, and what they are.
    pub fn field_at(&self, structure: u32, offset: u32) -> Option<(String, Range<u32>, ElementKind)> {
        let (mut number, mut base) = (structure, 0);
        let mut name = String::new();
        loop {
            let fields = &self.structures.get(number as usize)?.fields;
            let inside = |field: &&Field| {
                (offset - base)
                    .checked_sub(field.offset)
                    .is_some_and(|at| at < field.size)
            };
            let field = fields.iter().find(inside)?;
            let element = field.element.max(1);
            let index = (offset - base - field.offset) / element;
            if !field.name.is_empty() {
                name = format!("{name}.{}", field.name);
            }
            if field.size > element {
                name = format!("{name}[{index}]");
            }
            base += field.offset + index * element;
            match field.kind {
                ElementKind::Structure(inner) if inner < number => number = inner,
                kind => return Some((name, base..base + element, kind)),
            }
        }
    }

    /// The file and line of the outermost text for `row`: for a line inside macros, the call that led to it.
    pub fn outermost(&self, row: &LineRow) -> (u32, u32) {
        let mut place = (row.file, row.line);
        let mut origin = row.origin;
        while let Some(index) = origin {
            let step = &self.origins[index as usize];
            place = (step.file, step.line);
            origin = step.parent;
        }
        place
    }
}
