//! Placed objects as segments, symbols and lines of the image.

use super::relocate::relocate;
use super::{BUNDLED, LinkError, Linkage};
use crate::session::Session;
use p5_image::load::{self, DebugSections, MOST_NAME_BYTES, Place, SectionKind, TypeSections};
use p5_image::{ElementKind, Image, Inlined, LineRow, Segment, SourceFile, Statement, Symbol, SymbolKind};
use std::collections::HashMap;
use std::ops::Range;

/// The maximum number of rows of all line tables.
const MOST_ROWS: usize = 2 << 20;
/// The maximum number of bytes of the descriptions of functions that are read.
const MOST_INFO: usize = 16 << 20;
/// The least that an object counts for: its descriptions may refer to others at length.
const LEAST_INFO: usize = 64 << 10;
/// The maximum number of pieces of inlined code after which no more are read.
const MOST_PIECES: usize = 1 << 20;

/// Adds the objects to the image. `read` returns the text of a source file by its name, if it is known.
pub(crate) fn emit(
    session: &mut Session,
    linkage: &mut Linkage,
    image: &mut Image,
    read: &dyn Fn(&str) -> Option<String>,
) {
    match segments(linkage) {
        Ok(segments) => image.segments.extend(segments),
        Err(problems) => {
            for problem in problems {
                linkage.report(session, problem);
            }
            return;
        }
    }
    let code = linkage
        .segments
        .iter()
        .filter(|placed| placed.kind == SectionKind::Code);
    image
        .linked
        .extend(code.map(|placed| placed.address..placed.address + placed.length));
    image.bundled = bundled(linkage);
    symbols(linkage, image);
    lines(linkage, image, read);
}

/// Where the code of bundled procedures is.
fn bundled(linkage: &Linkage) -> Vec<Range<u32>> {
    let objects = linkage.objects.iter().zip(&linkage.sections);
    let own = objects.filter(|(object, _)| object.name.ends_with(BUNDLED));
    let sections = own.flat_map(|(object, addresses)| object.sections.iter().zip(addresses));
    let code = sections.filter(|(section, _)| section.kind == SectionKind::Code && section.size > 0);
    code.filter_map(|(section, address)| address.map(|address| address..address + section.size))
        .collect()
}

fn segments(linkage: &Linkage) -> Result<Vec<Segment>, Vec<LinkError>> {
    let mut problems = Vec::new();
    let mut segments = Vec::with_capacity(linkage.segments.len());
    for placed in &linkage.segments {
        let zeroes = placed.kind == SectionKind::Zeroes;
        let fill = if placed.kind == SectionKind::Code { 0x90 } else { 0 };
        let mut bytes = vec![fill; if zeroes { 0 } else { placed.length as usize }];
        for (number, object) in linkage.objects.iter().enumerate() {
            for (section, address) in object.sections.iter().zip(&linkage.sections[number]) {
                let Some(address) = address.filter(|_| section.kind == placed.kind && !zeroes) else {
                    continue;
                };
                let start = (address - placed.address) as usize;
                let mut own = section.bytes.clone();
                if let Err(problem) = relocate(linkage, number, section, address, &mut own) {
                    problems.push(problem);
                }
                if let Some(target) = bytes.get_mut(start..start + section.size as usize) {
                    target.fill(0);
                    target[..own.len()].copy_from_slice(&own);
                }
            }
        }
        if placed.kind == SectionKind::Data {
            for (index, &(object, symbol)) in linkage.got.entries.iter().enumerate() {
                let value = linkage.symbols[object as usize].get(symbol as usize).copied().flatten();
                let start = (linkage.got.address - placed.address) as usize + 4 * index;
                if let Some(target) = bytes.get_mut(start..start + 4) {
                    target.copy_from_slice(&value.unwrap_or(0).to_le_bytes());
                }
            }
        }
        segments.push(Segment {
            name: placed.name.to_owned(),
            address: placed.address,
            bytes,
            zeroes: if zeroes { placed.length } else { 0 },
            writable: matches!(placed.kind, SectionKind::Data | SectionKind::Zeroes),
        });
    }
    if problems.is_empty() {
        Ok(segments)
    } else {
        Err(problems)
    }
}

/// Adds the names of the objects' own code and data, those of C++ and Rust as programmers write them.
fn symbols(linkage: &Linkage, image: &mut Image) {
    let assembled = image.symbols.len();
    for (number, object) in linkage.objects.iter().enumerate() {
        // A symbol of unknown size extends to the next one of its section.
        let mut starts: Vec<Vec<u32>> = object.sections.iter().map(|section| vec![section.size]).collect();
        for symbol in &object.symbols {
            if let Place::Section { section, offset } = symbol.place {
                starts[section as usize].push(offset);
            }
        }
        starts.iter_mut().for_each(|starts| starts.sort_unstable());
        for (symbol, address) in object.symbols.iter().zip(&linkage.symbols[number]) {
            let Some(value) = address.filter(|_| !symbol.internal && !symbol.name.starts_with('.')) else {
                continue;
            };
            let placed = |section: u32| linkage.sections[number][section as usize];
            // Only the chosen definition is listed.
            let size = match symbol.place {
                Place::Common { .. } => match linkage.globals.get(&symbol.name) {
                    Some(global) if global.object as usize == number => global.size,
                    _ => continue,
                },
                Place::Section { section, offset }
                    if placed(section).map(|at| at.wrapping_add(offset)) == Some(value)
                        && object.sections[section as usize].size > 0 =>
                {
                    let starts = &starts[section as usize];
                    let next = starts.get(starts.partition_point(|&start| start <= offset));
                    match symbol.size {
                        0 => next.map_or(0, |next| next - offset),
                        size => size,
                    }
                }
                _ => continue,
            };
            image.symbols.push(Symbol {
                name: symbol.name.clone(),
                value,
                size: if symbol.code { symbol.size } else { size },
                kind: if symbol.code {
                    SymbolKind::Code
                } else {
                    SymbolKind::Data {
                        element: load::element(u64::from(size)),
                        kind: ElementKind::Unsigned,
                    }
                },
                library: false,
                typed: false,
            });
        }
    }
    load::demangle(&mut image.symbols[assembled..]);
}

fn lines(linkage: &Linkage, image: &mut Image, read: &dyn Fn(&str) -> Option<String>) {
    let Some(code) = linkage.segments.iter().find(|placed| placed.kind == SectionKind::Code) else {
        return;
    };
    let mut files: HashMap<load::FileName, u32> = HashMap::new();
    let mut rows: Vec<LineRow> = Vec::new();
    let mut inlined: Vec<Inlined> = Vec::new();
    let (mut names, mut info, mut pieces) = (0, 0, 0);
    for (number, object) in linkage.objects.iter().enumerate() {
        let section = |name: &str| {
            let section = object.sections.iter().find(|section| section.name == name)?;
            let mut bytes = section.bytes.clone();
            relocate(linkage, number, section, 0, &mut bytes).ok()?;
            Some(bytes)
        };
        let Some(line) = section(".debug_line") else { continue };
        let [line_strings, strings] = [".debug_line_str", ".debug_str"].map(|name| section(name).unwrap_or_default());
        let of_lines = DebugSections {
            line: &line,
            line_strings: &line_strings,
            strings: &strings,
        };
        let found = load::lines(&of_lines);
        // Objects name the same headers.
        let new = found.files.iter().filter(|&name| !files.contains_key(name));
        names += new.map(load::FileName::bytes).sum::<usize>();
        if names > MOST_NAME_BYTES {
            break;
        }
        let numbers: Vec<u32> = (found.files.into_iter().zip(found.compiled_in))
            .map(|(name, compiled_in)| {
                *files.entry(name).or_insert_with_key(|name| {
                    image.files.push(SourceFile {
                        elsewhere: name.elsewhere.clone(),
                        compiled_in,
                        ..SourceFile::new(name.shown.clone(), read(&name.shown).unwrap_or_default())
                    });
                    image.files.len() as u32 - 1
                })
            })
            .collect();
        let inside = |line: &&load::Line| {
            let offset = line.address.wrapping_sub(code.address);
            offset < code.length && line.length <= code.length - offset
        };
        if rows.len() + found.lines.len() > MOST_ROWS {
            break;
        }
        let mut inside_file = |one: &Statement| {
            let file = *numbers.get(one.file as usize)?;
            (one.address.wrapping_sub(code.address) < code.length).then_some(Statement { file, ..*one })
        };
        image
            .statements
            .extend(found.statements.iter().filter_map(&mut inside_file));
        rows.extend(found.lines.iter().filter(inside).filter_map(|line| {
            let file = *numbers.get(line.file as usize)?;
            Some(LineRow { file, ..line.row(0) })
        }));
        let size = object.sections.iter().find(|section| section.name == ".debug_info");
        info += size.map_or(0, |section| section.bytes.len().max(LEAST_INFO));
        if size.is_some() && info <= MOST_INFO && pieces <= MOST_PIECES {
            let found = calls(&section, &of_lines, &files);
            pieces += found.pieces.len();
            inlined.push(found);
        }
    }
    image
        .inlined
        .add_files(inlined, &(code.address..code.address.saturating_add(code.length)));
    image.statements.sort_unstable();
    rows.sort_by_key(|row| row.address);
    rows.dedup_by_key(|row| row.address);
    for index in 1..rows.len() {
        let next = rows[index].address;
        let row = &mut rows[index - 1];
        row.length = row.length.min(next - row.address);
    }
    rows.into_iter().for_each(|row| image.lines.push(row));
    image.give_to_callers();
}

/// The calls that the compiler of an object inlined. `section` returns the bytes of a section by its name.
fn calls(
    section: &dyn Fn(&str) -> Option<Vec<u8>>,
    lines: &DebugSections<'_>,
    files: &HashMap<load::FileName, u32>,
) -> Inlined {
    let names = [
        ".debug_info",
        ".debug_abbrev",
        ".debug_str_offsets",
        ".debug_addr",
        ".debug_ranges",
        ".debug_rnglists",
    ];
    let [info, abbreviations, string_offsets, addresses, ranges, range_lists] =
        names.map(|name| section(name).unwrap_or_default());
    let sections = TypeSections {
        info: &info,
        abbreviations: &abbreviations,
        string_offsets: &string_offsets,
        addresses: &addresses,
        ranges: &ranges,
        range_lists: &range_lists,
    };
    load::inlined(&sections, lines, files)
}
