//! The symbols of a Linux program: functions, and data.
//!
//! Assemblers tell only on request that a name is that of a function, and how long it is. What is not told is taken
//! from what linkers need: a global name of code that is in no function of known size begins one, which ends at the
//! next. Local names are labels, unless they are said to be functions.

use super::demangled::demangle;
use super::{Budget, LoadError};
use crate::{ElementKind, Symbol, SymbolKind};
use object::read::elf::ElfFile32;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SectionFlags, elf};

/// The maximum number of symbols that reports may name.
pub(super) const MOST_SYMBOLS: usize = 1 << 18;

/// The names of functions and of data; those of functions that no tool calls so come last.
///
/// # Errors
/// The names are too long.
pub(super) fn symbols(file: &ElfFile32<'_, Endianness>) -> Result<Vec<Symbol>, LoadError> {
    let mut budget = Budget::default();
    let (mut symbols, mut untyped) = (Vec::new(), Vec::new());
    for symbol in file.symbols() {
        let kind = match symbol.kind() {
            object::SymbolKind::Text => SymbolKind::Code,
            object::SymbolKind::Data => SymbolKind::Data {
                element: element(symbol.size()),
                kind: ElementKind::Unsigned,
            },
            object::SymbolKind::Unknown if symbol.is_global() && is_in_code(file, &symbol) => SymbolKind::Code,
            _ => continue,
        };
        // The system runs a program whatever its names are. One that is not in the file names nothing.
        let name = String::from_utf8_lossy(symbol.name_bytes().unwrap_or_default());
        let value = symbol.address() as u32;
        budget.take(1 + name.len() as u64, "symbols")?;
        if name.is_empty() || symbol.is_undefined() || symbols.len() + untyped.len() >= MOST_SYMBOLS {
            continue;
        }
        let of_kind = match symbol.kind() {
            object::SymbolKind::Unknown => &mut untyped,
            _ => &mut symbols,
        };
        of_kind.push(Symbol {
            name: name.into_owned(),
            value,
            size: u32::try_from(symbol.size()).unwrap_or(0),
            kind,
            library: false,
            typed: false,
        });
    }
    let inside = Covered::by(&symbols);
    untyped.retain(|symbol| !inside.holds(symbol.value));
    symbols.extend(untyped);
    demangle(&mut symbols);
    Ok(symbols)
}

/// Whether a symbol is the address of a byte of code, rather than an end or a number.
fn is_in_code<'a>(file: &ElfFile32<'a, Endianness>, symbol: &impl ObjectSymbol<'a>) -> bool {
    let section = symbol
        .section_index()
        .and_then(|index| file.section_by_index(index).ok());
    section.is_some_and(|section| {
        let executable =
            matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(elf::SHF_EXECINSTR));
        executable && symbol.address().wrapping_sub(section.address()) < section.size()
    })
}

/// The code of functions whose sizes are known, in ascending order, without overlap.
struct Covered(Vec<(u32, u32)>);

impl Covered {
    fn by(symbols: &[Symbol]) -> Covered {
        let functions = symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Code);
        let mut ranges: Vec<(u32, u32)> = functions
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
