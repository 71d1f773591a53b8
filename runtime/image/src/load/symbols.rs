//! The symbols of a Linux program: functions, labels, and data.
//!
//! Assemblers tell only on request that a name is that of a function, and how long it is. What is not told is taken
//! from what linkers need: a global name of code that is in no function of known size begins one, and so does a local
//! one that is called; it ends at the next. Other local names are labels, unless they are said to be functions. Data
//! without a size reaches to the next name or to the end of its section; linkers' own names are none of data.

use super::demangled::demangle;
use super::{Budget, LoadError};
use crate::{ElementKind, Image, Symbol, SymbolKind};
use object::read::elf::ElfFile32;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionIndex, elf};
use std::collections::HashSet;

/// The maximum number of symbols that reports may name.
pub(super) const MOST_SYMBOLS: usize = 1 << 18;

/// The names that linkers define, besides those that begin with two underscores.
const OF_LINKERS: [&[u8]; 6] = [
    b"_DYNAMIC",
    b"_GLOBAL_OFFSET_TABLE_",
    b"_edata",
    b"_end",
    b"_etext",
    b"data_start",
];

/// What a symbol names as far as the file tells.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Told {
    Kind,
    /// A global name in code.
    Function,
    /// A local name in code.
    Local,
    /// A name in data, without a size.
    Data,
}

/// Gives an image the names of functions and of data; those of functions that no tool calls so and of data without a
/// size come last. Those of other labels become local ones.
///
/// # Errors
/// The names are too long.
pub(super) fn add_symbols(file: &ElfFile32<'_, Endianness>, image: &mut Image) -> Result<(), LoadError> {
    let mut budget = Budget::default();
    let sections = Sections::of(file);
    let mut symbols: [Vec<Symbol>; 4] = Default::default();
    let mut count = 0;
    for symbol in file.symbols() {
        let data = SymbolKind::Data {
            element: element(symbol.size()),
            kind: ElementKind::Unsigned,
        };
        let place = sections.at(&symbol);
        // A section that is not loaded has no addresses: linkers keep warnings in such ones.
        if sections.is_left_out(&symbol) {
            continue;
        }
        let (kind, told) = match symbol.kind() {
            object::SymbolKind::Text => (SymbolKind::Code, Told::Kind),
            object::SymbolKind::Data if symbol.size() == 0 && place == Some(Place::Data) => (data, Told::Data),
            object::SymbolKind::Data => (data, Told::Kind),
            object::SymbolKind::Unknown => match place {
                Some(Place::Code) if symbol.is_global() => (SymbolKind::Code, Told::Function),
                Some(Place::Code) => (SymbolKind::Code, Told::Local),
                Some(Place::Data) => (data, Told::Data),
                None => continue,
            },
            _ => continue,
        };
        // The system runs a program whatever its names are. One that is not in the file names nothing.
        let bytes = symbol.name_bytes().unwrap_or_default();
        let of_tools = match told {
            Told::Data => bytes.starts_with(b"__") || OF_LINKERS.contains(&bytes),
            // What assemblers drop unless they are asked to keep it.
            Told::Local => bytes.starts_with(b".L"),
            Told::Kind | Told::Function => false,
        };
        let name = String::from_utf8_lossy(bytes);
        budget.take(1 + name.len() as u64, "symbols")?;
        if name.is_empty() || of_tools || symbol.is_undefined() || count >= MOST_SYMBOLS {
            continue;
        }
        count += 1;
        symbols[told as usize].push(Symbol {
            name: name.into_owned(),
            value: symbol.address() as u32,
            size: u32::try_from(symbol.size()).unwrap_or(0),
            kind,
            library: false,
            typed: false,
        });
    }
    let [mut symbols, mut untyped, local, mut data] = symbols;
    let called = called(image, &local);
    let (functions, labels): (Vec<Symbol>, Vec<Symbol>) =
        local.into_iter().partition(|symbol| called.contains(&symbol.value));
    untyped.extend(functions);
    let inside = Covered::by(&symbols, |symbol| symbol.kind == SymbolKind::Code);
    untyped.retain(|symbol| !inside.holds(symbol.value));
    let inside = Covered::by(&symbols, |symbol| symbol.kind != SymbolKind::Code);
    data.retain(|symbol| !inside.holds(symbol.value));
    sections.give_sizes(file, &mut data);
    symbols.extend(untyped);
    symbols.extend(data);
    demangle(&mut symbols);
    image.symbols = symbols;
    image.local_labels = labels.into_iter().map(|label| (label.value, label.name)).collect();
    Ok(())
}

/// The addresses of those labels that are the targets of direct near calls, if their bytes are instructions.
fn called(image: &Image, labels: &[Symbol]) -> HashSet<u32> {
    const CALL: u8 = 0xE8;
    let mut called = HashSet::new();
    let labels: HashSet<u32> = labels.iter().map(|label| label.value).collect();
    if labels.is_empty() {
        return called;
    }
    for code in &image.linked {
        let bytes = image.bytes_at(code.start);
        let bytes = &bytes[..bytes.len().min(code.len())];
        for (at, call) in (code.start..).zip(bytes.windows(5)) {
            if let [CALL, distance @ ..] = call {
                let distance = distance.try_into().map_or(0, u32::from_le_bytes);
                let target = at.wrapping_add(5).wrapping_add(distance);
                if labels.contains(&target) {
                    called.insert(target);
                }
            }
        }
    }
    called
}

/// The kind of contents at an address.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Code,
    Data,
}

/// The sections that are in memory, by their numbers: what they hold and where.
struct Sections(Vec<(SectionIndex, Place, std::ops::Range<u64>)>);

impl Sections {
    fn of(file: &ElfFile32<'_, Endianness>) -> Sections {
        let sections = file.sections().filter_map(|section| {
            let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
                return None;
            };
            let has = |flag| sh_flags.contains(flag);
            let place = if has(elf::SHF_EXECINSTR) {
                Place::Code
            } else {
                Place::Data
            };
            // The addresses in the sections of threads are no addresses of memory.
            let mapped = has(elf::SHF_ALLOC) && !has(elf::SHF_TLS);
            let addresses = section.address()..section.address().saturating_add(section.size());
            mapped.then(|| (section.index(), place, addresses))
        });
        Sections(sections.collect())
    }

    fn section(&self, index: Option<SectionIndex>) -> Option<&(SectionIndex, Place, std::ops::Range<u64>)> {
        let index = index?;
        // Sections are numbered in the order of the file.
        let found = self.0.binary_search_by_key(&index.0, |(section, ..)| section.0);
        self.0.get(found.ok()?)
    }

    /// Whether a symbol is of a section that has no place in memory.
    fn is_left_out<'a>(&self, symbol: &impl ObjectSymbol<'a>) -> bool {
        let index = symbol.section_index();
        index.is_some() && self.section(index).is_none()
    }

    /// What a symbol is the address of: a byte of code or of data, rather than an end or a number.
    fn at<'a>(&self, symbol: &impl ObjectSymbol<'a>) -> Option<Place> {
        let (_, place, addresses) = self.section(symbol.section_index())?;
        addresses.contains(&symbol.address()).then_some(*place)
    }

    /// Gives data the sizes up to the next symbol of any kind or to the end of their section.
    fn give_sizes(&self, file: &ElfFile32<'_, Endianness>, data: &mut [Symbol]) {
        if data.is_empty() {
            return;
        }
        let in_data = file.symbols().filter(|symbol| self.at(symbol) == Some(Place::Data));
        let mut addresses: Vec<u32> = in_data.map(|symbol| symbol.address() as u32).collect();
        let ends = self.0.iter().map(|(.., addresses)| addresses.end as u32);
        addresses.extend(ends);
        addresses.sort_unstable();
        for symbol in data {
            let next = addresses.partition_point(|&address| address <= symbol.value);
            symbol.size = addresses.get(next).map_or(0, |&next| next - symbol.value);
            symbol.kind = SymbolKind::Data {
                element: element(u64::from(symbol.size)),
                kind: ElementKind::Unsigned,
            };
        }
    }
}

/// The places of symbols whose sizes are known, in ascending order, without overlap.
struct Covered(Vec<(u32, u32)>);

impl Covered {
    fn by(symbols: &[Symbol], which: impl Fn(&Symbol) -> bool) -> Covered {
        let sized = symbols.iter().filter(|symbol| which(symbol));
        let mut ranges: Vec<(u32, u32)> = sized
            .map(|symbol| (symbol.value, symbol.value.saturating_add(symbol.size)))
            .collect();
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let joins = next.0 < last.1 || next.0 == last.0;
            last.1 = if joins { last.1.max(next.1) } else { last.1 };
            joins
        });
        Covered(ranges)
    }

    fn holds(&self, address: u32) -> bool {
        let after = self.0.partition_point(|range| range.0 <= address);
        let last = after.checked_sub(1).and_then(|index| self.0.get(index));
        last.is_some_and(|range| address < range.1)
    }
}

/// The size of one element of data that has `size` bytes and no type.
pub fn element(size: u64) -> u32 {
    match size {
        1 | 2 | 4 | 8 | 10 => size as u32,
        _ if size.is_multiple_of(4) => 4,
        _ => 1,
    }
}
