//! Registers and fields that a recording describes by itself, because this version does not know them.
//!
//! A recorder may be newer than the program that reads its file. The file's description of a register then suffices to
//! ask for its fields by name. For registers that this version knows, its own description counts.

use super::derived::{DERIVED, PROFILE_ME};
use super::{Recording, SampleKind};
use p5_chips::ibs::{FIELDS, Field, FieldUnit, SampleRegister, sample_field, sample_register};
use rustc_hash::FxHashSet;
use std::sync::{Mutex, PoisonError};

/// The most registers or fields that a recording describes.
pub const MOST_DESCRIBED: usize = 128;
/// The most bytes of a name and of its description; longer ones are cut.
const LONGEST_NAME: usize = 64;
const LONGEST_TITLE: usize = 400;
/// The most texts of all recordings together.
const MOST_TEXTS: usize = 1 << 14;

/// The registers and fields that a recording describes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Described {
    registers: Vec<SampleRegister>,
    fields: Vec<Field>,
}

/// The texts of descriptions. They are kept: few files are read, and names are compared and copied everywhere.
static TEXTS: Mutex<Option<FxHashSet<&'static str>>> = Mutex::new(None);

/// The same text for the rest of the process; none if there are too many.
fn lasting(text: &str, longest: usize) -> Option<&'static str> {
    let mut end = text.len().min(longest);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let texts = texts.get_or_insert_default();
    if let Some(known) = texts.get(text) {
        return Some(known);
    }
    if texts.len() >= MOST_TEXTS {
        return None;
    }
    let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
    texts.insert(text);
    Some(text)
}

fn is_name(name: &str) -> bool {
    let mut characters = name.chars();
    let begins = |first: char| first.is_ascii_alphabetic() || first == '_';
    characters.next().is_some_and(begins) && characters.all(|one| one.is_ascii_alphanumeric() || one == '_')
}

impl Described {
    /// Adds a register that this version does not know. Returns whether it was added.
    pub fn add_register(&mut self, number: u32, name: &str, kind: Option<SampleKind>, title: &str) -> bool {
        let known = |one: &SampleRegister| one.number == number || one.name.eq_ignore_ascii_case(name);
        let known = sample_register(number).is_some() || self.registers.iter().any(known);
        // The name is that of a column, so it cannot be cut.
        if known || !is_name(name) || name.len() > LONGEST_NAME || self.registers.len() >= MOST_DESCRIBED {
            return false;
        }
        let texts = lasting(name, LONGEST_NAME).zip(lasting(title, LONGEST_TITLE));
        let Some((name, title)) = texts else { return false };
        self.registers.push(SampleRegister {
            number,
            name,
            kind,
            writable: 0,
            title,
        });
        true
    }

    /// Adds a field, bits `first` to `last` of a register, below 64, unless its name is known. Returns whether it did.
    pub fn add_field(&mut self, register: u32, name: &str, bits: (u32, u32), unit: &str, title: &str) -> bool {
        let (first, last) = bits;
        let same = |other: &str| other.eq_ignore_ascii_case(name);
        let known = sample_field(name).is_some()
            || self.fields.iter().any(|one| same(one.name))
            || DERIVED.iter().any(|event| same(event.name))
            || PROFILE_ME.iter().any(|(other, _)| same(other));
        let possible = first <= last && last < u64::BITS && is_name(name);
        if known || !possible || self.fields.len() >= MOST_DESCRIBED {
            return false;
        }
        let texts = lasting(name, LONGEST_NAME).zip(lasting(title, LONGEST_TITLE));
        let Some((name, title)) = texts else { return false };
        self.fields.push(Field {
            register,
            name,
            first,
            last,
            unit: FieldUnit::by_name(unit).unwrap_or(FieldUnit::Count),
            title,
        });
        true
    }

    /// The registers, in the order in which they were added.
    pub fn registers(&self) -> &[SampleRegister] {
        &self.registers
    }

    /// The fields, in the order in which they were added.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
}

impl Recording {
    /// Every field that this version knows, then those that the recording describes.
    pub fn fields(&self) -> impl Iterator<Item = &Field> {
        FIELDS.iter().chain(&self.described.fields)
    }

    /// The field of this name, in any case.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields().find(|field| field.name.eq_ignore_ascii_case(name))
    }

    /// A register, if this version or the recording knows something of it.
    pub fn register(&self, number: u32) -> Option<&SampleRegister> {
        let described = self.described.registers.iter().find(|one| one.number == number);
        sample_register(number).or(described)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_described_is_possible_new_and_bounded() {
        let mut described = Described::default();
        assert!(described.add_field(0xC001_1040, "IbsLater", (3, 7), "clocks", "clocks of something"));
        for (name, bits) in [
            ("IbsLater", (0, 1)),
            ("IbsDcMiss", (0, 0)),
            ("retired", (0, 0)),
            ("op_load", (0, 0)),
            ("IbsBackwards", (7, 3)),
            ("IbsFar", (60, 64)),
            ("Ibs,Comma", (0, 0)),
            ("", (0, 0)),
        ] {
            assert!(!described.add_field(0xC001_1040, name, bits, "flag", ""), "{name}");
        }
        let recording = Recording {
            described,
            ..Recording::default()
        };
        let field = recording.field("ibslater").expect("described");
        assert_eq!((field.get(0b1010_1000), field.unit), (0b10101, FieldUnit::Clocks));
        let mut described = Described::default();
        let added = (0..2 * MOST_DESCRIBED).filter(|number| {
            described.add_register(*number as u32, &format!("R{}", number / 2), None, &"x".repeat(9999))
        });
        // Every other name is there already.
        assert_eq!(added.count(), MOST_DESCRIBED);
        let long = "x".repeat(LONGEST_NAME + 1);
        assert!(!Described::default().add_register(9, &long, None, ""));
        assert!(!described.add_register(p5_chips::ibs::IBS_OP_RIP, "Mine", None, ""));
    }
}
