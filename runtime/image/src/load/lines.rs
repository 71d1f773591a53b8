//! Line tables: the source line of each address, from DWARF of any version.

use crate::{LineRow, Statement};
use gimli::{AttributeValue, ColumnType, DebugLine, DebugLineOffset, EndianSlice, LittleEndian};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The maximum number of rows in all tables of a file.
const MOST_ROWS: usize = 1 << 20;
/// The maximum number of source files.
const MOST_FILES: usize = 1 << 14;
/// The maximum length of a file's name in bytes. Reports repeat it for each instruction.
const LONGEST_NAME: usize = 1024;
/// The maximum number of bytes of the names of all source files and of the folders in which they were compiled. They
/// may share their bytes in the file.
pub const MOST_NAME_BYTES: usize = 2 << 20;
/// The maximum number of bytes of names that are read: each unit names its files again.
const MOST_READ_BYTES: usize = 64 << 20;

/// The sections that contain a line table, with all relocations applied.
#[derive(Clone, Copy, Debug, Default)]
pub struct DebugSections<'a> {
    /// The bytes of `.debug_line`.
    pub line: &'a [u8],
    /// The bytes of `.debug_line_str`.
    pub line_strings: &'a [u8],
    /// The bytes of `.debug_str`.
    pub strings: &'a [u8],
}

/// The name of a source file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileName {
    /// The name relative to the directory of the compilation or, if it is not below that, the last part.
    pub shown: String,
    /// The whole path, if the file is not below the directory of the compilation.
    pub elsewhere: Option<String>,
    /// Otherwise the whole path without `.` and `..`, if the directory is known: files of one name in two directories
    /// are two.
    pub whole: Option<String>,
}

impl FileName {
    /// The bytes of its names.
    pub fn bytes(&self) -> usize {
        let paths = [&self.elsewhere, &self.whole].into_iter().flatten();
        self.shown.len() + paths.map(String::len).sum::<usize>()
    }
}

/// The contents of line tables.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The names of the source files, no two alike.
    pub files: Vec<FileName>,
    /// For each of them the directory of the compilation that named it first; only tables since version 5 have it.
    pub compiled_in: Vec<Option<Arc<str>>>,
    /// The lines in ascending order of their addresses, without overlap.
    pub lines: Vec<Line>,
    /// The beginnings of statements in ascending order of their addresses, each once.
    pub statements: Vec<Statement>,
}

/// The source line of some bytes of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// The linear address of the first byte.
    pub address: u32,
    /// The number of bytes.
    pub length: u32,
    /// The index of the file's name.
    pub file: u32,
    /// The line number, from 1.
    pub line: u32,
}

impl Line {
    /// The row for an image that has `files` files before these.
    pub fn row(&self, files: u32) -> LineRow {
        LineRow {
            address: self.address,
            length: self.length,
            file: files + self.file,
            line: self.line,
            written: (0, 0),
            origin: None,
            data: false,
            bits: 0,
        }
    }
}

type Slice<'a> = EndianSlice<'a, LittleEndian>;

/// Reads line tables. A damaged table ends at the damage, because it serves reports only.
pub fn lines(sections: &DebugSections<'_>) -> Lines {
    let mut reader = Reader::default();
    let table = DebugLine::new(sections.line, LittleEndian);
    let mut offset = 0;
    while offset < sections.line.len() {
        // The programs of all units follow one another, and one pass reads each of them once.
        let Ok(program) = table.program(DebugLineOffset(offset), 4, None, None) else {
            break;
        };
        let header = program.header();
        offset += header.unit_length() + usize::from(header.format().initial_length_size());
        if reader.read(sections, program).is_none() {
            break;
        }
    }
    let mut found = reader.found;
    found.statements.sort_unstable();
    found.statements.dedup();
    found.lines.sort_by_key(|line| line.address);
    found.lines.dedup_by_key(|line| line.address);
    for index in 1..found.lines.len() {
        let next = found.lines[index].address;
        let line = &mut found.lines[index - 1];
        line.length = line.length.min(next - line.address);
    }
    found
}

#[derive(Default)]
struct Reader {
    by_name: HashMap<FileName, u32>,
    folders: HashSet<Arc<str>>,
    /// The bytes of the names that are kept, and of those that were read.
    kept: usize,
    read: usize,
    found: Lines,
}

impl Reader {
    /// Reads the program of one unit; `None` at the first damage.
    fn read<'a>(
        &mut self,
        sections: &DebugSections<'a>,
        program: gimli::IncompleteLineProgram<Slice<'a>>,
    ) -> Option<()> {
        let mut numbers: HashMap<u64, Option<u32>> = HashMap::new();
        let compiled_in = compiled_in(sections, program.header());
        let mut rows = program.rows();
        // The last row, which ends where the next one begins.
        let mut open: Option<Line> = None;
        while let Some((header, row)) = rows.next_row().ok()? {
            let address = u32::try_from(row.address()).ok()?;
            if let Some(line) = open.take().filter(|line| line.address < address) {
                if self.found.lines.len() >= MOST_ROWS {
                    return None;
                }
                self.found.lines.push(Line {
                    length: address - line.address,
                    ..line
                });
            }
            // Line 0 is code that belongs to no line.
            let line = row.line().and_then(|line| u32::try_from(line.get()).ok());
            let Some(line) = line.filter(|_| !row.end_sequence()) else {
                continue;
            };
            let file = match numbers.get(&row.file_index()) {
                Some(&file) => file,
                None => {
                    let name = file_name(sections, header, row.file_index(), compiled_in.as_deref());
                    self.read += name.as_ref().map_or(LONGEST_NAME, FileName::bytes);
                    if self.read > MOST_READ_BYTES {
                        return None;
                    }
                    let file = match name {
                        Some(name) => Some(self.file(name, compiled_in.as_deref())?),
                        None => None,
                    };
                    numbers.insert(row.file_index(), file);
                    file
                }
            };
            // The lines of a file without a name, or with one that is too long, are not told.
            let Some(file) = file else { continue };
            if row.is_stmt()
                && let ColumnType::Column(column) = row.column()
                && let Ok(column) = u32::try_from(column.get())
                && self.found.statements.len() < MOST_ROWS
            {
                self.found.statements.push(Statement {
                    address,
                    file,
                    line,
                    column,
                });
            }
            open = Some(Line {
                address,
                length: 0,
                file,
                line,
            });
        }
        Some(())
    }

    /// The number of a file; `None` if there are too many of them, or their names are too long together.
    fn file(&mut self, name: FileName, compiled_in: Option<&str>) -> Option<u32> {
        if let Some(&known) = self.by_name.get(&name) {
            return Some(known);
        }
        let index = self.found.files.len();
        let known = compiled_in.and_then(|folder| self.folders.get(folder)).cloned();
        let new = compiled_in.filter(|_| known.is_none());
        self.kept += name.bytes() + new.map_or(0, str::len);
        if index >= MOST_FILES || self.kept > MOST_NAME_BYTES {
            return None;
        }
        let folder = known.or_else(|| new.map(Arc::from));
        self.folders.extend(folder.clone());
        self.found.files.push(name.clone());
        self.found.compiled_in.push(folder);
        self.by_name.insert(name, index as u32);
        Some(index as u32)
    }
}

/// The directory of the compilation.
pub(super) fn compiled_in(
    sections: &DebugSections<'_>,
    header: &gimli::LineProgramHeader<Slice<'_>>,
) -> Option<String> {
    match header.version() {
        5.. => header.directory(0).and_then(|value| text(sections, value)),
        _ => None,
    }
}

/// The name of the file that `header` has at `index`, of a unit that was compiled in that folder.
pub(super) fn file_name(
    sections: &DebugSections<'_>,
    header: &gimli::LineProgramHeader<Slice<'_>>,
    index: u64,
    compiled_in: Option<&str>,
) -> Option<FileName> {
    let file = header.file(index)?;
    let name = text(sections, file.path_name())?;
    let directory = match file.directory_index() {
        0 => None,
        _ => file.directory(header).and_then(|value| text(sections, value)),
    };
    let full = match directory {
        Some(directory) if !name.starts_with('/') => format!("{directory}/{name}"),
        _ => name,
    };
    if full.len() > LONGEST_NAME {
        return None;
    }
    let below = compiled_in.and_then(|base| full.strip_prefix(base)?.strip_prefix('/'));
    let relative = below.unwrap_or(&full);
    let absolute = relative.starts_with(['/', '\\']) || relative.contains(':');
    let shown = match relative.rsplit(['/', '\\']).next() {
        Some(last) if absolute => last,
        _ => relative,
    };
    let whole = compiled_in.filter(|_| !absolute).map(|base| plain(base, relative));
    (!shown.is_empty()).then(|| FileName {
        shown: shown.to_owned(),
        elsewhere: absolute.then(|| full.clone()),
        whole: whole.filter(|whole| whole.len() <= LONGEST_NAME),
    })
}

/// The path of a file below a directory, without `.` and `..`.
fn plain(directory: &str, file: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in directory.split('/').chain(file.split('/')) {
        match part {
            "" | "." => {}
            ".." => _ = parts.pop(),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn text(sections: &DebugSections<'_>, value: AttributeValue<Slice<'_>>) -> Option<String> {
    let bytes = match value {
        AttributeValue::String(slice) => Some(slice.slice()).filter(|bytes| bytes.len() <= LONGEST_NAME)?,
        AttributeValue::DebugLineStrRef(offset) => string(sections.line_strings, offset.0)?,
        AttributeValue::DebugStrRef(offset) => string(sections.strings, offset.0)?,
        _ => return None,
    };
    // What is no UTF-8 takes three times as much as text.
    let name = String::from_utf8_lossy(bytes).into_owned();
    (name.len() <= LONGEST_NAME).then_some(name)
}

/// The text at a place of a section. How far away its end is costs no time.
fn string(section: &[u8], offset: usize) -> Option<&[u8]> {
    let rest = section.get(offset..)?;
    let end = rest.iter().take(LONGEST_NAME + 1).position(|&byte| byte == 0)?;
    rest.get(..end)
}
