//! The image: the only interface between an assembler and the machine.
//!
//! It holds bytes with their addresses, and facts from the source about them: symbols with types, the source line of
//! each byte, the regions that macros mark, and the places of the library's data. No consumer looks a symbol up by its
//! name, except for one that the user asks for. The constants describe what every machine provides to a program: a
//! stack and a return address. Nothing here depends on a dialect or on time.

pub mod asked;
mod brought;
pub mod dos;
mod frames;
mod functions;
mod inlined;
mod kinds;
mod lines;
pub mod load;
mod own;
mod panics;
mod preset;
mod source;
mod variants;

pub use brought::Brought;
pub use frames::{Frame, Frames};
pub use functions::{Function, Functions, Standalone};
pub use inlined::{Declared, Inlined, InlinedCall, InlinedPiece};
pub use kinds::{ElementKind, Enumeration};
pub use lines::Near;
pub use lines::{Lines, Rows, Statement};
pub use panics::{CRATES_OF_RUST, is_of_panic, never_returns};
pub use preset::{Assumed, Fragment, Holds, NamedScratch, Place, Preset, Rounds};
pub use source::SourceFile;
pub use variants::without_variant;

use std::ops::Range;

/// The address a program finds on its stack at entry: a return that takes it from there ends the run.
pub const RETURN_ADDRESS: u32 = 0xFFFF_FFF0;
/// The top of the stack segment; ESP starts [`STACK_HEADROOM`] bytes below.
pub const STACK_TOP: u32 = 0x0040_0000;
/// The size of the stack in bytes.
pub const STACK_SIZE: u32 = 0x0010_0000;
/// The number of readable and writable bytes above the initial ESP.
pub const STACK_HEADROOM: u32 = 0x100;

/// The number of the user, and of the group, whose process a program of Linux is.
pub const USER: u32 = 1000;
/// The end of the stack of a process of Linux.
pub const PROCESS_STACK_TOP: u32 = 0xC000_0000;
/// The bytes that it may grow to unless the process sets another limit.
pub const PROCESS_STACK_SIZE: u32 = 0x0080_0000;

/// The segment and offset to which a program in real mode finds a far return address on its stack: the last byte that
/// real mode can address, where no instruction can begin that another one follows. A near return that takes its offset
/// ends the run, too.
pub const REAL_RETURN: (u16, u16) = (0xFFFF, 0xFFFF);
/// The linear address at which a processor begins after reset in real mode, F000h:FFF0h.
pub const RESET_VECTOR: u32 = 0x000F_FFF0;
/// The size in bytes of the memory in real mode, from address 0: all that segments can reach.
pub const REAL_MEMORY: u32 = 0x0011_0000;

/// The mode and the registers with which a program starts.
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
    /// The initial SS.
    pub stack: u16,
    /// SP before [`Image::stack`], or else a far return address, is pushed.
    pub top: u16,
    /// The initial DS, ES, FS and GS.
    pub data: u16,
}

impl RealStart {
    /// The linear address for an offset in the code segment.
    pub fn in_code(&self, offset: u16) -> u32 {
        (u32::from(self.code) << 4) + u32::from(offset)
    }
}

/// A program, ready to be loaded into a machine.
#[derive(Clone, Debug, Default)]
pub struct Image {
    /// The mapped memory, in ascending address order, without overlap.
    pub segments: Vec<Segment>,
    /// The linear address at which execution starts.
    pub entry: u32,
    /// The mode and registers at the start.
    pub start: Start,
    /// The address after the last instruction. Execution ends when it arrives there.
    pub end: Option<u32>,
    /// The initial contents of the stack, from the stack pointer to its top, for a process of Linux or a COM file of
    /// DOS; empty for a program that is called and finds its return address.
    pub stack: Vec<u8>,
    /// The named addresses and constants, in the order of their definition.
    pub symbols: Vec<Symbol>,
    /// The addresses and names of labels that are local to a part of the source, such as `@@next` after LOCALS of TASM,
    /// or, in a program of another tool, of labels that are no functions. They name loops only.
    pub local_labels: Vec<(u32, String)>,
    /// The structures of data and fields; an inner structure precedes the one that contains it.
    pub structures: Vec<Structure>,
    /// The enumerations of data and fields.
    pub enumerations: Vec<Enumeration>,
    /// The source files, in the order in which they were first read.
    pub files: Vec<SourceFile>,
    /// Of these, the sources of further modules, which the user named beside the first one.
    pub modules: Vec<u32>,
    /// The source line of each instruction, in ascending address order, without overlap.
    pub lines: Lines,
    /// Where compilers begin statements, in ascending address order.
    pub statements: Vec<Statement>,
    /// The code that other tools made, which may have no source lines.
    pub linked: Vec<Range<u32>>,
    /// Of that, the procedures that p5inst brings for programs that declare them without defining them.
    pub bundled: Vec<Range<u32>>,
    /// The stubs of procedure linkage tables, each a jump through memory to a function, in ascending order. A call of
    /// one calls that function.
    pub stubs: Vec<Range<u32>>,
    /// The calls that the compiler of another tool's program inlined, as far as it tells.
    pub inlined: Inlined,
    /// The code that was given to lines which call it, in ascending order of addresses.
    pub brought: Vec<Brought>,
    /// The call frame information of a program of another tool, if it has any.
    pub frames: Option<Range<u32>>,
    /// The origins of generated lines: macro calls and repeats, each with its caller.
    pub origins: Vec<Origin>,
    /// The regions between StartTSC and EndTSC, and between StartProfile and EndProfile.
    pub regions: Vec<Region>,
    /// Index into [`Image::files`] of the bundled macro library, if the program uses it.
    pub library: Option<u32>,
    /// The data of that library: its results, and where its macros save registers.
    pub library_data: Vec<Range<u32>>,
    /// The log in which the library's macros record each pass, if they keep one.
    pub log: Option<Log>,
    /// The functions of a source that does not say where it begins; empty for a program.
    pub standalone: Standalone,
    /// What the assembler has supplied, if the source is a fragment rather than a program.
    pub fragment: Option<Fragment>,
    /// The values before the first instruction.
    pub preset: Preset,
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
    /// The number of zero bytes that follow them.
    pub zeroes: u32,
    /// Whether the program may write to it.
    pub writable: bool,
}

/// The kind of thing that a symbol names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// Data with elements of one size and kind.
    Data {
        /// The size of one element in bytes: 1, 2, 4, 8 or 10, or the whole size of a structure.
        element: u32,
        /// The kind of the elements.
        kind: ElementKind,
    },
    /// A label or procedure, at a linear address.
    Code,
    /// A number, not an address.
    Constant,
}

/// The fields of a structure or union.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// The fields in the order of the source; those of a union overlap.
    pub fields: Vec<Field>,
}

/// A field of a structure.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name in the source's spelling; empty for an inner structure whose fields are named without it.
    pub name: String,
    /// The offset from the beginning of the structure in bytes.
    pub offset: u32,
    /// The size of all elements in bytes.
    pub size: u32,
    /// The size of one element in bytes.
    pub element: u32,
    /// The kind of the elements.
    pub kind: ElementKind,
}

/// A name of the program for an address or a number.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name in the spelling of its definition.
    pub name: String,
    /// A linear address, or the value of a constant.
    pub value: u32,
    /// The size of the definition in bytes; 0 for constants, labels, and code of unknown size.
    pub size: u32,
    /// The kind of thing that it names.
    pub kind: SymbolKind,
    /// Whether the macro library or its calibration defines it rather than the user.
    pub library: bool,
    /// Whether its size, elements and kind are those of a declaration in a source, and not guessed from its bytes.
    pub typed: bool,
}

/// The source line of some bytes of code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineRow {
    /// The linear address of the first byte.
    pub address: u32,
    /// The number of bytes: of one instruction, or of one data definition in a code segment.
    pub length: u32,
    /// The file of the line, as an index into [`Image::files`]; for a line of a macro, the file of the macro's body.
    pub file: u32,
    /// The number of the line in that file, from 1.
    pub line: u32,
    /// The range of the instruction's text in the line, in bytes; two zeroes if the line does not spell it, or spells
    /// several instructions.
    pub written: (u32, u32),
    /// The origin, as an index into [`Image::origins`], if a macro or repeat generated the line.
    pub origin: Option<u32>,
    /// Whether a data directive rather than an instruction defined these bytes.
    pub data: bool,
    /// The width of the code in bits, 16 or 32; 0 if it is that in which the program starts.
    pub bits: u8,
}

/// One step in the generation of a line: a macro call, or a pass of a repeat.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The macro's name, or the repeat's directive.
    pub name: String,
    /// The pass of a repeat, from 1; `None` for a macro call.
    pub pass: Option<u32>,
    /// The file of the call, as an index into [`Image::files`].
    pub file: u32,
    /// The line of the call, from 1.
    pub line: u32,
    /// The call's own origin, if it is inside a macro.
    pub parent: Option<u32>,
}

/// The kind of macros that mark a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// StartTSC to EndTSC, which measure clocks.
    Tsc,
    /// StartProfile to EndProfile, which count two events.
    Profile,
}

/// A stretch of code between a start and an end macro.
#[derive(Clone, Debug)]
pub struct Region {
    /// The name given to the start macro, or `line N`.
    pub name: String,
    /// Whether the region measures clocks or events.
    pub kind: RegionKind,
    /// The file of the start macro's call, as an index into [`Image::files`].
    pub file: u32,
    /// The line of the outermost start macro call, from 1.
    pub start_line: u32,
    /// The line of the outermost end macro call, from 1.
    pub end_line: u32,
    /// The address after the start macro's last byte, at which the region's first instruction begins.
    pub first: u32,
    /// The address of the end macro's first byte, at which the first instruction after the region begins.
    pub after: u32,
    /// The address after the end macro's last byte. When execution arrives there, `measured` holds the result.
    pub done: u32,
    /// The addresses of the dwords in which the macros leave their result: one for clocks, two for events, and fewer if
    /// the program's own macros define no such data.
    pub measured: Vec<u32>,
    /// Whether the library's macros mark the region. A program's own macros log nothing, and several of their regions
    /// may share one result.
    pub library: bool,
    /// The event selectors of a profile region, if the assembler knows them.
    pub events: Option<[u8; 2]>,
}

/// The log of passes through regions that a library keeps: a dword with the number of entries, a dword with the number
/// of entries that fit, then the entries. An entry is two dwords: the address of the region's first result dword
/// ([`Region::measured`]), and the ticks of one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Log {
    /// The linear address of the first of the two dwords before the entries.
    pub address: u32,
    /// The address under which passes through an empty region are logged; their ticks are the cost of the macros.
    pub empty: u32,
}

impl Log {
    /// The bytes before the first entry.
    pub const HEADER: u32 = 8;
    /// The size of an entry in bytes.
    pub const ENTRY: u32 = 8;
}

/// The same number as [`slice::partition_point`] on `sorted`, found quickly if it is `near` or not far from it.
pub fn partition_point_near<T>(sorted: &[T], near: usize, comes_before: impl Fn(&T) -> bool) -> usize {
    // The result is between `first` and `end`; each step away from `near` is twice as long as the previous one.
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
    /// The size of the code that it starts in: 16 or 32 bits.
    pub fn code_bits(&self) -> u32 {
        match self.start {
            Start::Flat => 32,
            Start::Real(_) => 16,
        }
    }

    /// The width of the code at an address: 16 or 32 bits.
    pub fn code_bits_at(&self, address: u32) -> u32 {
        match self.line_at(address) {
            Some(LineRow { bits, .. }) if bits > 0 => u32::from(bits),
            _ => self.code_bits(),
        }
    }

    /// Its bytes from the linear `address` to the end of the segment there; none outside of all segments.
    pub fn bytes_at(&self, address: u32) -> &[u8] {
        self.segment_at(address)
            .and_then(|segment| segment.bytes.get((address - segment.address) as usize..))
            .unwrap_or_default()
    }

    /// Whether another tool made the code at the linear `address`, which has no source line.
    pub fn is_linked(&self, address: u32) -> bool {
        self.linked.iter().any(|code| code.contains(&address))
    }

    /// Whether an address lies in a stub that leads to a function.
    pub fn is_stub(&self, address: u32) -> bool {
        let after = self.stubs.partition_point(|stub| stub.start <= address);
        let last = after.checked_sub(1).and_then(|index| self.stubs.get(index));
        last.is_some_and(|stub| stub.contains(&address))
    }

    /// The last segment that begins at or below the linear `address`, which may lie after its end.
    pub fn segment_at(&self, address: u32) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.address <= address);
        after.checked_sub(1).map(|index| &self.segments[index])
    }

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

    /// The stack of a process of Linux, if the program is one.
    pub fn process_stack(&self) -> Option<Range<u32>> {
        let process = self.start == Start::Flat && !self.stack.is_empty();
        process.then_some(PROCESS_STACK_TOP - PROCESS_STACK_SIZE..PROCESS_STACK_TOP)
    }

    /// The memory between a process of Linux and its stack, in which its heap and its mappings lie.
    pub fn process_heap(&self) -> Option<Range<u32>> {
        let stack = self.process_stack()?;
        let ends = self.segments.iter().map(|segment| {
            let length = segment.bytes.len() as u64 + u64::from(segment.zeroes);
            u64::from(segment.address) + length
        });
        let end = u32::try_from(ends.max().unwrap_or(0)).ok()?;
        (end < stack.start).then_some(end..stack.start)
    }

    /// The stack of a flat program.
    pub fn flat_stack(&self) -> Range<u32> {
        self.process_stack().unwrap_or(STACK_TOP - STACK_SIZE..STACK_TOP)
    }

    /// Whether `address` is where the return address leads that a program which is called finds on its stack. `real`
    /// tells whether it is in real mode.
    pub fn is_return(&self, address: u32, real: bool) -> bool {
        match &self.start {
            Start::Flat => address == RETURN_ADDRESS,
            Start::Real(start) => {
                let (segment, offset) = REAL_RETURN;
                let far = (u32::from(segment) << 4) + u32::from(offset);
                real && (address == start.in_code(offset) || address == far)
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

    /// The line whose bytes include `address`.
    pub fn line_at(&self, address: u32) -> Option<LineRow> {
        self.line_near(address, &mut Near::default()).map(|(_, row)| row)
    }

    /// The line that [`Image::line_at`] returns, and its number. The search is fast if the line is at or close to
    /// `near`, as the line of the next instruction is; `near` is then set to it.
    pub fn line_near(&self, address: u32, near: &mut Near) -> Option<(usize, LineRow)> {
        let found = self.lines.near(address, near);
        found.filter(|(_, row)| address.wrapping_sub(row.address) < row.length)
    }

    /// The innermost field at the byte `offset` of a structure: its name, with a dot before each part and the index of
    /// an element after it, its range in the structure, and its kind.
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

    /// The file and line of the outermost text for `row`: for a line in macros, the call that led to it.
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
