//! The calls that a compiler has inlined, and where it found functions, from DWARF of any version.
//!
//! They serve reports only, so damage ends the reading where it is. A function whose name is not found, or is too long,
//! leaves its code to the function around it.

use super::DebugSections;
use super::lines::{FileName, compiled_in, file_name};
use super::types::TypeSections;
use crate::{Declared, Inlined, InlinedCall, InlinedPiece};
use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, LittleEndian, RangeLists, Unit};
use std::collections::HashMap;

/// The maximum number of entries that are read of all units.
const MOST_ENTRIES: usize = 1 << 21;
/// The maximum number of ranges of inlined code, and of different names. Entries may share their ranges and the bytes
/// of their names.
const MOST_PIECES: usize = 1 << 20;
const MOST_NAMES: usize = 1 << 16;
/// The maximum length of a function's name in bytes.
const LONGEST_NAME: usize = 256;
/// The maximum number of entries from a call to the name of its function.
const MOST_STEPS: usize = 4;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Entry<'a> = DebuggingInformationEntry<Slice<'a>>;

/// What an entry of a function says of its name.
#[derive(Clone, Copy)]
enum Named<'a> {
    Name(&'a [u8]),
    /// That it is the name of another entry.
    As(usize),
}

#[derive(Clone, Copy)]
struct Call {
    /// The place of the entry of its function.
    function: usize,
    place: Option<(u32, u32)>,
    within: Option<u32>,
}

/// What is asked for the numbers of files.
struct Files<'f, 'a> {
    lines: &'f DebugSections<'a>,
    numbers: &'f HashMap<FileName, u32>,
    /// Of the files of this unit, which calls name again and again.
    known: HashMap<u64, Option<u32>>,
}

impl<'a> Files<'_, 'a> {
    /// The file and line that attributes of `entry` name.
    fn place(
        &mut self,
        unit: &Unit<Slice<'a>>,
        entry: &Entry<'a>,
        [file, line]: [gimli::DwAt; 2],
    ) -> Option<(u32, u32)> {
        let line = self::line(entry, line)?;
        Some((self.file(unit, entry, file)?, line))
    }

    /// The file that an attribute of `entry` names.
    fn file(&mut self, unit: &Unit<Slice<'a>>, entry: &Entry<'a>, file: gimli::DwAt) -> Option<u32> {
        let AttributeValue::FileIndex(file) = entry.attr_value(file)? else {
            return None;
        };
        let find = || {
            let header = unit.line_program.as_ref()?.header();
            let name = file_name(self.lines, header, file, compiled_in(self.lines, header).as_deref())?;
            self.numbers.get(&name).copied()
        };
        *self.known.entry(file).or_insert_with(find)
    }
}

/// The file and the line where an entry is declared, as far as it has them itself.
type Attributes = (Option<u32>, Option<u32>);

/// The line that an attribute of `entry` names.
fn line(entry: &Entry<'_>, line: gimli::DwAt) -> Option<u32> {
    let line = entry.attr_value(line)?.udata_value()?;
    u32::try_from(line).ok().filter(|&line| line > 0)
}

#[derive(Default)]
struct Found<'a> {
    entries: usize,
    /// The names of functions by the places of their entries.
    names: HashMap<usize, Named<'a>>,
    /// The files and lines that declare them, by the same places.
    declared: HashMap<usize, Attributes>,
    /// The addresses of functions with code, and the places of their entries.
    with_code: Vec<(u32, usize)>,
    calls: Vec<Call>,
    /// The calls that are being read, each within the one before it, with their depths.
    open: Vec<(isize, u32)>,
    code: Vec<InlinedPiece>,
    /// The number of ranges that were read.
    pieces: usize,
}

/// Reads the code of all calls that were inlined. `files` has the numbers of the files of line tables.
pub fn inlined(sections: &TypeSections<'_>, lines: &DebugSections<'_>, files: &HashMap<FileName, u32>) -> Inlined {
    let dwarf = with_ranges(sections, lines);
    let mut found = Found::default();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        let mut files = Files {
            lines,
            numbers: files,
            known: HashMap::new(),
        };
        let read = dwarf
            .unit(header)
            .ok()
            .and_then(|unit| found.unit(&dwarf, &unit, &mut files));
        if read.is_none() {
            break;
        }
    }
    found.named()
}

fn with_ranges<'a>(sections: &TypeSections<'a>, lines: &DebugSections<'a>) -> Dwarf<Slice<'a>> {
    let slice = |bytes| EndianSlice::new(bytes, LittleEndian);
    Dwarf {
        ranges: RangeLists::new(slice(sections.ranges).into(), slice(sections.range_lists).into()),
        ..sections.dwarf(lines)
    }
}

impl<'a> Found<'a> {
    /// Reads the functions and calls of a unit; `None` at damage or when enough has been read.
    fn unit(&mut self, dwarf: &Dwarf<Slice<'a>>, unit: &Unit<Slice<'a>>, files: &mut Files<'_, 'a>) -> Option<()> {
        self.open.clear();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs().ok()? {
            self.entries += 1;
            if self.entries > MOST_ENTRIES {
                return None;
            }
            while self.open.pop_if(|(depth, _)| *depth >= entry.depth()).is_some() {}
            match entry.tag() {
                gimli::DW_TAG_subprogram => self.function(dwarf, unit, entry, files),
                gimli::DW_TAG_inlined_subroutine => self.call(dwarf, unit, entry, files)?,
                _ => {}
            }
        }
        Some(())
    }

    fn function(
        &mut self,
        dwarf: &Dwarf<Slice<'a>>,
        unit: &Unit<Slice<'a>>,
        entry: &Entry<'a>,
        files: &mut Files<'_, 'a>,
    ) {
        let name = entry.attr_value(gimli::DW_AT_name);
        let name = name.and_then(|name| dwarf.attr_string(unit, name).ok());
        let other =
            || origin(unit, entry, gimli::DW_AT_abstract_origin).or(origin(unit, entry, gimli::DW_AT_specification));
        let named = match name {
            Some(name) => Some(Named::Name(name.slice())),
            None => other().map(Named::As),
        };
        let Some(place) = entry.offset().to_debug_info_offset(&unit.header) else {
            return;
        };
        if let Some(named) = named {
            self.names.insert(place.0, named);
        }
        if self.declared.len() >= MOST_NAMES || self.with_code.len() >= MOST_NAMES {
            return;
        }
        let at = [gimli::DW_AT_decl_file, gimli::DW_AT_decl_line];
        let declared = (files.file(unit, entry, at[0]), line(entry, at[1]));
        if declared != (None, None) {
            self.declared.insert(place.0, declared);
        }
        let address = entry.attr_value(gimli::DW_AT_low_pc);
        let address = address.and_then(|address| dwarf.attr_address(unit, address).ok().flatten());
        if let Some(address) = address.and_then(|address| u32::try_from(address).ok()) {
            self.with_code.push((address, place.0));
        }
    }

    fn call(
        &mut self,
        dwarf: &Dwarf<Slice<'a>>,
        unit: &Unit<Slice<'a>>,
        entry: &Entry<'a>,
        files: &mut Files<'_, 'a>,
    ) -> Option<()> {
        let Some(function) = origin(unit, entry, gimli::DW_AT_abstract_origin) else {
            return Some(());
        };
        let call = self.calls.len() as u32;
        self.calls.push(Call {
            function,
            place: files.place(unit, entry, [gimli::DW_AT_call_file, gimli::DW_AT_call_line]),
            within: self.open.last().map(|&(_, around)| around),
        });
        self.open.push((entry.depth(), call));
        if let Some(ranges) = entry.attr_value(gimli::DW_AT_ranges) {
            let Ok(Some(mut ranges)) = dwarf.attr_ranges(unit, ranges) else {
                return Some(());
            };
            // `next` would pass over any number of entries without code.
            while let Ok(Some(raw)) = ranges.next_raw() {
                match ranges.convert_raw(raw) {
                    Ok(Some(range)) => self.piece(call, range.begin, range.end)?,
                    Ok(None) => self.count_piece()?,
                    Err(_) => break,
                }
            }
            return Some(());
        }
        let address = |name| {
            let value = entry.attr_value(name)?;
            dwarf.attr_address(unit, value).ok().flatten()
        };
        let Some(start) = address(gimli::DW_AT_low_pc) else {
            return Some(());
        };
        let end = match entry.attr_value(gimli::DW_AT_high_pc) {
            Some(AttributeValue::Udata(size)) => start.checked_add(size),
            _ => address(gimli::DW_AT_high_pc),
        };
        self.piece(call, start, end.unwrap_or(start))
    }

    fn piece(&mut self, call: u32, start: u64, end: u64) -> Option<()> {
        if let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) {
            self.code.push(InlinedPiece { start, end, call });
        }
        self.count_piece()
    }

    fn count_piece(&mut self) -> Option<()> {
        self.pieces += 1;
        (self.pieces <= MOST_PIECES).then_some(())
    }

    /// The calls of functions whose names were found.
    fn named(self) -> Inlined {
        let mut inlined = Inlined::default();
        let mut numbers: HashMap<&[u8], u32> = HashMap::new();
        let mut calls: Vec<Option<u32>> = Vec::with_capacity(self.calls.len());
        let mut nearest: Vec<Option<u32>> = Vec::with_capacity(self.calls.len());
        for call in &self.calls {
            let name = self
                .name(call.function)
                .filter(|name| (1..=LONGEST_NAME).contains(&name.len()));
            let number = name.and_then(|name| match numbers.get(name) {
                Some(&number) => Some(number),
                None if inlined.names.len() >= MOST_NAMES => None,
                None => {
                    let number = inlined.names.len() as u32;
                    inlined.names.push(String::from_utf8_lossy(name).into_owned());
                    numbers.insert(name, number);
                    Some(number)
                }
            });
            // What is within a call without a name is within the one around that.
            let within = call.within.and_then(|around| *nearest.get(around as usize)?);
            calls.push(number.map(|name| {
                inlined.calls.push(InlinedCall {
                    name,
                    place: call.place,
                    declared: declaration(&self.names, &self.declared, call.function),
                    within,
                });
                inlined.calls.len() as u32 - 1
            }));
            nearest.push(calls.last().copied().flatten().or(within));
        }
        let code = self.code.into_iter().filter_map(|piece| {
            let call = *calls.get(piece.call as usize)?;
            call.map(|call| InlinedPiece { call, ..piece })
        });
        let declared = self.with_code.iter().filter_map(|&(address, entry)| {
            let (file, line) = declaration(&self.names, &self.declared, entry)?;
            Some(Declared { address, file, line })
        });
        inlined.declared = declared.collect();
        inlined.add(code.collect());
        inlined
    }

    fn name(&self, mut entry: usize) -> Option<&'a [u8]> {
        for _ in 0..MOST_STEPS {
            match *self.names.get(&entry)? {
                Named::Name(name) => return Some(name),
                Named::As(other) => entry = other,
            }
        }
        None
    }
}

/// The file and line that declare the function with this entry. What the entry does not have is that of the entry that
/// it stands for: a definition outside of its class has a line of its own, and perhaps the file of the class.
fn declaration(
    names: &HashMap<usize, Named<'_>>,
    declared: &HashMap<usize, Attributes>,
    mut entry: usize,
) -> Option<(u32, u32)> {
    let (mut file, mut line) = (None, None);
    for _ in 0..MOST_STEPS {
        if let Some(&(own_file, own_line)) = declared.get(&entry) {
            (file, line) = (file.or(own_file), line.or(own_line));
        }
        if let (Some(file), Some(line)) = (file, line) {
            return Some((file, line));
        }
        match names.get(&entry)? {
            Named::Name(_) => return None,
            Named::As(other) => entry = *other,
        }
    }
    None
}

/// The place of the entry that an attribute names, in this unit or another one.
fn origin(unit: &Unit<Slice<'_>>, entry: &Entry<'_>, name: gimli::DwAt) -> Option<usize> {
    match entry.attr_value(name)? {
        AttributeValue::UnitRef(offset) => Some(offset.to_debug_info_offset(&unit.header)?.0),
        AttributeValue::DebugInfoRef(offset) => Some(offset.0),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A unit of version 5 with `calls` inlined calls of one function, all of them with the list of ranges at 0.
    fn unit(calls: usize) -> Vec<u8> {
        let mut entries = vec![5, 0, 1, 4, 0, 0, 0, 0];
        // The unit, the function `f`, the calls.
        entries.push(1);
        let function = 4 + entries.len() as u32;
        entries.extend(b"\x02f\0");
        for _ in 0..calls {
            entries.push(3);
            entries.extend(function.to_le_bytes());
            entries.extend([0; 4]);
        }
        entries.push(0);
        let mut unit = (entries.len() as u32).to_le_bytes().to_vec();
        unit.extend(entries);
        unit
    }

    /// A unit with children, a function with a name, a call with its function and its ranges.
    const ABBREVIATIONS: &[u8] = &[
        1, 0x11, 1, 0, 0, 2, 0x2E, 0, 3, 8, 0, 0, 3, 0x1D, 0, 0x31, 0x13, 0x55, 0x17, 0, 0, 0,
    ];

    fn found<'a>(info: &'a [u8], range_lists: &'a [u8]) -> (Found<'a>, bool) {
        let sections = TypeSections {
            info,
            abbreviations: ABBREVIATIONS,
            range_lists,
            ..TypeSections::default()
        };
        let dwarf = with_ranges(&sections, &DebugSections::default());
        let header = dwarf.units().next().expect("a unit").expect("a unit");
        let mut found = Found::default();
        let lines = DebugSections::default();
        let mut files = Files {
            lines: &lines,
            numbers: &HashMap::new(),
            known: HashMap::new(),
        };
        let unit = dwarf.unit(header).expect("a unit");
        let whole = found.unit(&dwarf, &unit, &mut files).is_some();
        (found, whole)
    }

    #[test]
    fn a_call_has_the_code_of_its_ranges() {
        // A start and an end each.
        let ranges = [6, 0, 1, 0, 0, 8, 1, 0, 0, 6, 16, 1, 0, 0, 18, 1, 0, 0, 0];
        let (found, whole) = found_in(&unit(1), &ranges);
        assert!(whole);
        assert_eq!(found.names, ["f"]);
        let at = |address| found.at(address).and_then(|call| found.name(call));
        assert_eq!(
            [0xFF, 0x100, 0x107, 0x108, 0x111].map(at),
            [None, Some("f"), Some("f"), None, Some("f")]
        );
    }

    fn found_in(info: &[u8], range_lists: &[u8]) -> (Inlined, bool) {
        let (found, whole) = found(info, range_lists);
        (found.named(), whole)
    }

    #[test]
    fn what_calls_share_is_read_as_often_as_the_limit_allows() {
        // Entries that set a base are no code, but take time.
        let mut bases: Vec<u8> = [5, 0, 1, 0, 0].repeat(1 << 12);
        bases.push(0);
        let calls = unit(1 << 12);
        let (found, whole) = found(&calls, &bases);
        assert!(!whole && found.code.is_empty());
        assert_eq!(found.pieces, MOST_PIECES + 1);
    }
}
