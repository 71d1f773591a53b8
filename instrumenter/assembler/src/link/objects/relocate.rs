//! Relocations: the value that each stores, and whether it fits.

use super::{LinkError, Linkage};
use crate::program::IMAGE_BASE;
use p5_image::load::{Discarded, Place, Relocation, RelocationKind, Section, SectionKind, Symbol};

/// Applies the relocations of a section at `address` to its `bytes`.
///
/// # Errors
/// The relocation that cannot be applied, with the reason.
pub(super) fn relocate(
    linkage: &Linkage,
    object: usize,
    section: &Section,
    address: u32,
    bytes: &mut [u8],
) -> Result<(), LinkError> {
    for relocation in &section.relocations {
        let at = relocation.offset as usize;
        let length = usize::from(relocation.kind.bytes());
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
                let error = LinkError::new(format!(
                    "`{file}`: the relocation of {name} at {place} {}",
                    why.message()
                ));
                return Err(error.with_help(why.help()));
            }
        };
        if let Some(target) = bytes.get_mut(at..at + length) {
            target.copy_from_slice(&value.to_le_bytes()[..length]);
        }
    }
    Ok(())
}

/// The reason why a relocation cannot be applied.
enum Unfit {
    /// The address does not fit in the field.
    Address,
    /// The distance does not fit in the field.
    Distance,
    /// The section that it refers to is not linked.
    Discarded(Discarded),
    /// The symbol that it refers to has no address.
    Undefined,
}

impl Unfit {
    fn message(&self) -> &'static str {
        match self {
            Unfit::Address => "does not fit",
            Unfit::Distance => "is out of reach",
            Unfit::Discarded(Discarded::Unwinding) => "refers to data for unwinding the stack, which is not linked",
            Unfit::Discarded(Discarded::NotLoaded) => "refers to a section that is not part of the running program",
            Unfit::Discarded(Discarded::Group) => "refers to a section of which another object has the linked copy",
            Unfit::Undefined => "refers to a symbol without an address",
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Unfit::Address => "use all 32 bits of the address",
            Unfit::Distance => "use a near call or jump",
            Unfit::Discarded(Discarded::Unwinding) => {
                "do without exceptions and the startup files of the compiler (-fno-exceptions, -nostartfiles)"
            }
            Unfit::Discarded(Discarded::NotLoaded) => {
                "give the section a type and flags that load it, such as `\"a\",@progbits`"
            }
            Unfit::Discarded(Discarded::Group) => "compile both objects from the same source, with the same options",
            Unfit::Undefined => "define the symbol in one of the objects or in the source",
        }
    }
}

/// The value that a relocation stores over `there`; `form` is the byte before it.
fn value(
    linkage: &Linkage,
    object: usize,
    section: &Section,
    relocation: &Relocation,
    address: u32,
    there: u32,
    form: Option<u8>,
) -> Result<u32, Unfit> {
    let length = relocation.kind.bytes();
    // The bytes in place are signed.
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
            .ok_or_else(|| linkage.why_undefined(object, relocation.symbol))
    };
    let got = linkage.got.address;
    Ok(match relocation.kind {
        RelocationKind::Absolute(4) => symbol()?,
        RelocationKind::Absolute(_) => {
            let value = symbol()?;
            let fits = value >> (8 * u32::from(length)) == 0 || (value as i32) << shift >> shift == value as i32;
            if !fits {
                return Err(Unfit::Address);
            }
            value
        }
        RelocationKind::Relative(4) => symbol()?.wrapping_sub(here),
        RelocationKind::Relative(_) => {
            let value = symbol()?.wrapping_sub(here);
            if (value as i32) << shift >> shift != value as i32 {
                return Err(Unfit::Distance);
            }
            value
        }
        RelocationKind::GotOffset => symbol()?.wrapping_sub(got),
        RelocationKind::GotRelative => got.wrapping_add(addend).wrapping_sub(here),
        RelocationKind::GotEntry => {
            let entry = linkage.got.entry(object, relocation.symbol).ok_or(Unfit::Undefined)?;
            // Without a base register, an instruction takes the entry's address.
            let absolute = form.is_some_and(|form| form & 0xC7 == 0x05);
            entry.wrapping_add(addend).wrapping_sub(if absolute { 0 } else { got })
        }
        RelocationKind::ImageRelative => symbol()?.wrapping_sub(IMAGE_BASE),
        RelocationKind::SectionIndex => {
            let symbol = symbol()?;
            let known = linkage
                .segments
                .iter()
                .position(|one| symbol.wrapping_sub(one.address) < one.length);
            known.map_or(0, |index| index as u32 + 1)
        }
        RelocationKind::SectionRelative => {
            symbol()?.wrapping_sub(linkage.section_of(object, relocation.symbol).unwrap_or(0))
        }
    })
}

impl Linkage {
    /// The address of the section that a symbol is in.
    fn section_of(&self, object: usize, symbol: u32) -> Option<u32> {
        match self.objects.get(object)?.symbols.get(symbol as usize)?.place {
            Place::Section { section, .. } => self.sections.get(object)?.get(section as usize).copied().flatten(),
            _ => None,
        }
    }

    /// The reason why a symbol has no address.
    fn why_undefined(&self, object: usize, symbol: u32) -> Unfit {
        let symbols = self.objects.get(object).map(|object| &object.symbols);
        match symbols.and_then(|symbols| symbols.get(symbol as usize)) {
            Some(Symbol {
                place: Place::Discarded(why),
                ..
            }) => Unfit::Discarded(*why),
            _ => Unfit::Undefined,
        }
    }

    fn symbol_name(&self, object: usize, symbol: u32) -> String {
        let symbols = self.objects.get(object).map(|object| &object.symbols);
        let name = symbols
            .and_then(|symbols| symbols.get(symbol as usize))
            .map(|symbol| symbol.name.as_str());
        match name {
            Some(name) if !name.is_empty() => format!("`{name}`"),
            _ => "an unnamed symbol".to_owned(),
        }
    }
}
