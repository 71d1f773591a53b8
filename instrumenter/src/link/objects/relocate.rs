//! Relocations: what each stores, and whether it fits.

use super::Linkage;
use runtime::load::{How, Relocation, Section, SectionKind};

/// Addresses in the image are counted from here where an object asks for that.
const IMAGE_BASE: u32 = 0x0040_0000;

/// Changes `bytes`, those of a section at `address`, as its relocations say.
///
/// # Errors
/// What is wrong with one of them.
pub(super) fn relocate(
    linkage: &Linkage,
    object: usize,
    section: &Section,
    address: u32,
    bytes: &mut [u8],
) -> Result<(), String> {
    for relocation in &section.relocations {
        let at = relocation.offset as usize;
        let length = usize::from(relocation.how.bytes());
        let Some(before) = bytes.get(at.saturating_sub(1)..at + length) else {
            continue;
        };
        let (before, field) = before.split_at(at.min(1));
        let form = before.first().copied();
        let mut whole = [0; 4];
        whole[..length].copy_from_slice(field);
        let value = match value(
            linkage,
            object,
            section,
            relocation,
            address,
            u32::from_le_bytes(whole),
            form,
        ) {
            Ok(value) => value,
            // Line tables serve reports only.
            Err(_) if section.kind == SectionKind::Debug => 0,
            Err(why) => {
                let name = linkage.symbol_name(object, relocation.symbol);
                let file = &linkage.objects[object].name;
                let place = format!("`{}`+{at:X}h", section.name);
                return Err(format!("`{file}`: relocation of `{name}` at {place} {why}"));
            }
        };
        if let Some(target) = bytes.get_mut(at..at + length) {
            target.copy_from_slice(&value.to_le_bytes()[..length]);
        }
    }
    Ok(())
}

/// What a relocation stores over `there`; `form` is the byte before it.
fn value(
    linkage: &Linkage,
    object: usize,
    section: &Section,
    relocation: &Relocation,
    address: u32,
    there: u32,
    form: Option<u8>,
) -> Result<u32, &'static str> {
    let length = relocation.how.bytes();
    // Bytes in place are signed.
    let shift = 32 - 8 * u32::from(length);
    let in_place = if relocation.in_place {
        (there << shift) as i32 >> shift
    } else {
        0
    };
    let addend = in_place.wrapping_add(relocation.addend) as u32;
    let here = address.wrapping_add(relocation.offset);
    let symbol = linkage.symbols[object]
        .get(relocation.symbol as usize)
        .copied()
        .flatten();
    // Line tables are not loaded; offsets in them count from 0.
    let symbol = match symbol {
        None if section.kind == SectionKind::Debug => Some(0),
        symbol => symbol,
    };
    let symbol = || {
        symbol
            .map(|symbol| symbol.wrapping_add(addend))
            .ok_or("refers to a section that is not linked")
    };
    let table = linkage.table.address;
    Ok(match relocation.how {
        How::Absolute(4) => symbol()?,
        How::Absolute(_) => {
            let value = symbol()?;
            let fits = value >> (8 * u32::from(length)) == 0 || (value as i32) << shift >> shift == value as i32;
            if !fits {
                return Err("does not fit");
            }
            value
        }
        How::Relative(4) => symbol()?.wrapping_sub(here),
        How::Relative(_) => {
            let value = symbol()?.wrapping_sub(here);
            if (value as i32) << shift >> shift != value as i32 {
                return Err("is out of reach");
            }
            value
        }
        How::FromTable => symbol()?.wrapping_sub(table),
        How::ToTable => table.wrapping_add(addend).wrapping_sub(here),
        How::TableEntry => {
            let entry = linkage
                .table
                .entry(object, relocation.symbol)
                .ok_or("has no entry in the table")?;
            // Without a base register, an instruction takes the entry's address.
            let absolute = form.is_some_and(|form| form & 0xC7 == 0x05);
            entry
                .wrapping_add(addend)
                .wrapping_sub(if absolute { 0 } else { table })
        }
        How::FromImage => symbol()?.wrapping_sub(IMAGE_BASE),
        How::SegmentNumber => {
            let symbol = symbol()?;
            let known = linkage
                .segments
                .iter()
                .position(|one| symbol.wrapping_sub(one.address) < one.length);
            known.map_or(0, |index| index as u32 + 1)
        }
        How::FromSection => symbol()?.wrapping_sub(linkage.section_of(object, relocation.symbol).unwrap_or(0)),
    })
}

impl Linkage {
    /// The address of the section that a symbol is in.
    fn section_of(&self, object: usize, symbol: u32) -> Option<u32> {
        use runtime::load::Place;
        match self.objects.get(object)?.symbols.get(symbol as usize)?.place {
            Place::Section { section, .. } => self.sections.get(object)?.get(section as usize).copied().flatten(),
            _ => None,
        }
    }

    /// The name of a symbol in messages: a section has that of its bytes.
    fn symbol_name(&self, object: usize, symbol: u32) -> String {
        let symbols = self.objects.get(object).map(|object| &object.symbols);
        let name = symbols
            .and_then(|symbols| symbols.get(symbol as usize))
            .map(|symbol| symbol.name.as_str());
        match name {
            Some(name) if !name.is_empty() => name.to_owned(),
            _ => "a section".to_owned(),
        }
    }
}
