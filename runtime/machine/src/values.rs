//! The data at the end of a run: the value of each data symbol, and its first difference from the loaded data.

mod other_memory;
mod reals;

use super::Machine;
use p5_image::{ElementKind, Start, Symbol, SymbolKind};
use p5_results::{Change, ChangedField, InstructionResult, Note, Picture, Screen, SymbolValue};
use std::ops::Range;

/// The most bytes of data symbols that are compared with the loaded ones.
const COMPARED_BYTES: u32 = 1 << 24;

impl Machine<'_> {
    /// The data symbols, and a note if they have too many bytes to compare. A symbol whose memory cannot be read is
    /// left out. `instructions` are the executed ones.
    pub(super) fn symbol_values(&self, instructions: &[InstructionResult]) -> (Vec<SymbolValue>, Option<Note>) {
        // A symbol counts towards this bound even if others cover the same bytes.
        let mut left = COMPARED_BYTES;
        let (mut not_whole, mut bytes_left_out) = (0, 0);
        let mut values = Vec::new();
        let names = self.addresses();
        let reals = self.reals(instructions);
        for symbol in &self.image.symbols {
            let SymbolKind::Data { element, kind } = symbol.kind else {
                continue;
            };
            let kind = match kind == ElementKind::Unsigned && reals.hold(symbol, element) {
                true => ElementKind::Real,
                false => kind,
            };
            let size = symbol.size.min(left);
            left -= size;
            let Some(bytes) = self.state.memory.read_bytes(symbol.value, size) else {
                continue;
            };
            if size < symbol.size {
                not_whole += 1;
                bytes_left_out += u64::from(symbol.size - size);
            }
            let whole = size == symbol.size && size > 0;
            let value: Option<u64> = (whole && size <= 8 && !matches!(kind, ElementKind::Structure(_)))
                .then(|| number(&bytes)?.try_into().ok())
                .flatten();
            values.push(SymbolValue {
                name: symbol.name.clone(),
                address: symbol.value,
                size: symbol.size,
                element,
                kind,
                value,
                digest: (whole && value.is_none()).then(|| digest(&bytes)),
                changed: self.change(symbol.value, &bytes, (element.max(1), kind), &names),
                library: symbol.library,
                typed: symbol.typed,
            });
        }
        let note = Note::NotCompared {
            symbols: not_whole,
            bytes: bytes_left_out,
            compared: COMPARED_BYTES,
        };
        (values, Some(note).filter(|_| not_whole > 0))
    }

    /// What a program in 16-bit code has left in the memory of a screen; `None` if that is as it was.
    pub(super) fn screen(&self) -> Option<Screen> {
        if self.image.start == Start::Flat {
            return None;
        }
        let Range { start, end } = Screen::ADDRESSES;
        let pixels = self.state.memory.read_bytes(start, end - start)?;
        let first = pixels.iter().position(|&pixel| pixel != 0)? as u32;
        Some(Screen {
            bytes: pixels.iter().filter(|&&pixel| pixel != 0).count() as u32,
            first,
            digest: digest(&pixels),
        })
    }

    /// What a video card would show; `None` without its memory.
    pub(super) fn picture(&self) -> Option<Picture> {
        if self.image.start == Start::Flat && !self.options.memory.video {
            return None;
        }
        let [columns, rows] = Picture::TEXT;
        let pixels = (Picture::WIDTH * Picture::HEIGHT) as u32;
        Some(Picture {
            display: self.process.display().clone(),
            pixels: self.state.memory.read_bytes(Screen::ADDRESSES.start, pixels)?,
            text: self.state.memory.read_bytes(0xB_8000, (2 * columns * rows) as u32)?,
        })
    }

    /// The difference between `bytes` at `address` and the bytes that are there before a run: those that the image
    /// loads, and what is assumed of a fragment's memory.
    fn change(
        &self,
        address: u32,
        bytes: &[u8],
        (element, kind): (u32, ElementKind),
        names: &Addresses<'_>,
    ) -> Option<Change> {
        let segment = self.image.segments.iter().rfind(|segment| segment.address <= address)?;
        let loaded = segment
            .bytes
            .get((address - segment.address) as usize..)
            .unwrap_or_default();
        // Zeroes follow the initialized bytes.
        let loaded = loaded.iter().copied().chain(std::iter::repeat(0));
        let mut loaded: Vec<u8> = loaded.take(bytes.len()).collect();
        for (place, assumed) in &self.image.preset.memory {
            for (place, &byte) in (*place..).zip(assumed) {
                let within = place
                    .checked_sub(address)
                    .and_then(|offset| loaded.get_mut(offset as usize));
                if let Some(before) = within {
                    *before = byte;
                }
            }
        }
        let pairs = loaded.chunks(element as usize).zip(bytes.chunks(element as usize));
        let mut changed = pairs.enumerate().filter(|(_, (before, after))| before != after);
        let (first, (before, after)) = changed.next()?;
        let several = bytes.len() > element as usize && !matches!(kind, ElementKind::Structure(_));
        let now = bytes.chunks(element as usize).filter(|_| several).take(Change::MOST);
        let now: Vec<u128> = now.filter_map(number).collect();
        let (field, place, kind) = match kind {
            ElementKind::Structure(structure) => self.changed_field(structure, before, after),
            kind => (None, 0..before.len(), kind),
        };
        let shown = kind == ElementKind::Real || place.len() <= 8 && !matches!(kind, ElementKind::Structure(_));
        let values = before
            .get(place.clone())
            .and_then(number)
            .zip(after.get(place).and_then(number));
        let values = values.filter(|_| shown).map(|(before, after)| [before, after]);
        let width = field.as_ref().map_or(element, |field| field.element);
        Some(Change {
            elements: 1 + changed.count() as u32,
            first: first as u32,
            field,
            values,
            names: values.map_or([None, None], |values| {
                values.map(|value| self.name_of(kind, width, value, names))
            }),
            now,
        })
    }

    /// The name that a value of this kind and of this many bytes has.
    fn name_of(&self, kind: ElementKind, width: u32, value: u128, names: &Addresses<'_>) -> Option<String> {
        match kind {
            ElementKind::Enumeration { number, .. } => {
                let values = &self.image.enumerations.get(number as usize)?.values;
                let unused = u128::BITS.checked_sub(8 * width)?;
                let is_it = |(_, known): &&(String, i128)| (*known as u128) << unused == value << unused;
                values.iter().find(is_it).map(|(name, _)| name.clone())
            }
            ElementKind::Address => names.name_of(u32::try_from(value).ok()?),
            _ => None,
        }
    }

    /// The symbols by their addresses.
    fn addresses(&self) -> Addresses<'_> {
        let named = self
            .image
            .symbols
            .iter()
            .filter(|symbol| symbol.kind != SymbolKind::Constant);
        let mut named: Vec<&Symbol> = named.collect();
        // Of several at one address, the first is the last, with which a search begins.
        named.reverse();
        named.sort_by_key(|symbol| symbol.value);
        Addresses(named)
    }

    /// The first field in which a structure differs, with its bytes and their type. Padding has no field.
    fn changed_field(
        &self,
        structure: u32,
        before: &[u8],
        after: &[u8],
    ) -> (Option<ChangedField>, Range<usize>, ElementKind) {
        let whole = (None, 0..before.len(), ElementKind::Structure(structure));
        let mut differing = (0..before.len()).filter(|&at| before[at] != after[at]);
        let found = differing
            .next()
            .and_then(|first| self.image.field_at(structure, first as u32));
        let Some((name, place, kind)) = found else {
            return whole;
        };
        let bytes = place.start as usize..place.end as usize;
        let field = ChangedField {
            name,
            element: place.len() as u32,
            kind,
            others: differing.any(|at| !bytes.contains(&at)),
        };
        (Some(field), bytes, kind)
    }
}

/// The most symbols before an address among which the one is looked for that holds it.
const SEARCHED: usize = 64;

/// The symbols of code and data in the order of their addresses.
struct Addresses<'a>(Vec<&'a Symbol>);

impl Addresses<'_> {
    /// The name of an address: that of code, or of data with the element or the distance from its beginning.
    fn name_of(&self, address: u32) -> Option<String> {
        let after = self.0.partition_point(|symbol| symbol.value <= address);
        let mut before = self.0[..after].iter().rev().take(SEARCHED);
        let nearest = before.find(|symbol| {
            let inside = matches!(symbol.kind, SymbolKind::Data { .. }) && address - symbol.value < symbol.size;
            inside || symbol.value == address
        })?;
        let (name, distance) = (&nearest.name, address - nearest.value);
        let SymbolKind::Data { element, .. } = nearest.kind else {
            return Some(name.clone());
        };
        let elements = nearest.typed && element > 0 && nearest.size > element;
        Some(match distance {
            distance if elements && distance.is_multiple_of(element) => format!("&{name}[{}]", distance / element),
            0 => format!("&{name}"),
            distance => format!("&{name}+{distance}"),
        })
    }
}

/// The little-endian number in 1 to 16 bytes.
fn number(bytes: &[u8]) -> Option<u128> {
    let mut wide = [0; 16];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    (!bytes.is_empty()).then(|| u128::from_le_bytes(wide))
}

/// A number that differs for other bytes of the same count, except for one case in about 2^64. It must not change from
/// one version of p5inst to the next, because reports keep it.
fn digest(bytes: &[u8]) -> u64 {
    // The fractional digits of the golden ratio, as good as any odd number with mixed bits.
    const FACTOR: u128 = 0x9E37_79B9_7F4A_7C15;
    const START: u64 = 0xCBF2_9CE4_8422_2325;
    let mix = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * FACTOR;
        (product as u64 ^ (product >> 64) as u64).rotate_left(29)
    };
    let (words, rest) = bytes.as_chunks();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let words = words.iter().chain(Some(&last).filter(|_| !rest.is_empty()));
    words.fold(START, |state, &word| mix(state, u64::from_le_bytes(word)))
}

#[cfg(test)]
mod tests {
    use super::digest;

    #[test]
    fn a_digest_is_the_same_everywhere_and_differs_for_other_bytes() {
        let bytes: Vec<u8> = (0..=250).collect();
        let whole = digest(&bytes);
        assert_eq!(whole, 0xB7C2_74CA_28F0_CC8C);
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                assert_ne!(digest(&other), whole, "byte {at}, bit {bit}");
            }
        }
        // Two changes of sign, two changes of order.
        let reals = |all: [f64; 4]| digest(&all.map(f64::to_le_bytes).concat());
        assert_ne!(reals([1.0, 2.0, 3.0, 4.0]), reals([-1.0, -2.0, 3.0, 4.0]));
        assert_ne!(reals([1.0, 2.0, 3.0, 4.0]), reals([2.0, 1.0, 3.0, 4.0]));
    }
}
