//! The stubs of the procedure linkage table, which have no names of their own: each is called `name@plt` after the
//! function that it jumps to, or that chooses where it jumps, as in static programs.

use super::symbols::MOST_SYMBOLS;
use crate::{Image, Symbol, SymbolKind};
use object::read::elf::ElfFile32;
use object::{Endianness, Object, ObjectSection};
use std::collections::HashMap;
use std::ops::Range;

/// ENDBR32, with which a stub may begin, and the jump by an address in memory.
const ENDBR: [u8; 4] = [0xF3, 0x0F, 0x1E, 0xFB];
const JUMP: [u8; 2] = [0xFF, 0x25];
/// The usual size of a stub in bytes; some linkers leave out the second half.
const SIZE: usize = 16;
/// The most bytes that the names of all stubs take: each has a copy of its function's, which many may share. Further
/// ones are only told to be stubs.
const MOST_NAME_BYTES: usize = 1 << 24;

/// Adds the stubs of `file` to its `image`, which has its segments and symbols, and a name for each.
pub(super) fn add_stubs(file: &ElfFile32<'_, Endianness>, image: &mut Image) {
    let mut names: HashMap<u32, &str> = HashMap::new();
    for symbol in image.symbols.iter().filter(|symbol| symbol.kind == SymbolKind::Code) {
        names.entry(symbol.value).or_insert(&symbol.name);
    }
    let (mut symbols, mut stubs) = (Vec::new(), Vec::new());
    let mut name_bytes = MOST_NAME_BYTES;
    for section in file.sections() {
        let is_table = section
            .name_bytes()
            .is_ok_and(|name| name.starts_with(b".plt") || name.starts_with(b".iplt"));
        let Ok(bytes) = section.data() else { continue };
        if !is_table {
            continue;
        }
        let half = bytes.len() < SIZE || bytes.get(SIZE / 2..).and_then(destination).is_some();
        let size = if half { SIZE / 2 } else { SIZE };
        let address = |number: usize| (section.address() as u32).wrapping_add((number * size) as u32);
        let room = MOST_SYMBOLS.saturating_sub(image.symbols.len() + symbols.len());
        for (number, bytes) in bytes.chunks_exact(size).enumerate().take(room) {
            let slot = destination(bytes);
            let own = slot.and_then(|slot| {
                let target = image.bytes_at(slot).first_chunk()?;
                names.get(&u32::from_le_bytes(*target))
            });
            let own = own.filter(|name| name.len() <= name_bytes);
            name_bytes -= own.map_or(0, |name| name.len());
            symbols.push(Symbol {
                name: own.map_or_else(|| "plt".to_owned(), |name| format!("{name}@plt")),
                value: address(number),
                size: size as u32,
                kind: SymbolKind::Code,
                library: false,
                typed: false,
            });
            // What only prepares the choice of a function is none.
            stubs.extend(slot.map(|_| address(number)..address(number).saturating_add(size as u32)));
        }
    }
    stubs.sort_by_key(|stub: &Range<u32>| stub.start);
    image.symbols.extend(symbols);
    image.stubs = stubs;
}

/// The address at which a stub reads where it jumps to; `None` if it is no stub.
fn destination(stub: &[u8]) -> Option<u32> {
    let jump = stub.strip_prefix(&ENDBR).unwrap_or(stub).strip_prefix(&JUMP)?;
    Some(u32::from_le_bytes(*jump.first_chunk()?))
}
