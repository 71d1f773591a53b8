//! Names: each identifier, regardless of case, is interned once as a small number; its meaning is then an array access.

use crate::module::Decoration;
use iced_x86::Register;
use std::collections::HashMap;

pub(crate) type NameId = u32;

/// The "none" value of 32-bit indices.
pub(crate) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Meaning {
    pub(crate) register: Register,
    pub(crate) mnemonic: bool,
    /// Whether that instruction takes a code address.
    pub(crate) branch: bool,
    /// Whether that instruction is a jump that does not return.
    pub(crate) jump: bool,
    /// Whether that instruction uses only the address of a memory operand.
    pub(crate) address_only: bool,
}

/// The origin of a name: a source, or the assembler itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Made {
    /// A source spells it.
    No,
    /// It stands for a local name of one macro expansion, or for a label of a generated statement.
    Local,
    /// It is a spelled name with a meaning of its own in one part of the source; no text refers to it.
    Scoped,
    /// It has no name in the source; no text refers to it.
    Anonymous,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NameInfo {
    pub(crate) register: Register,
    pub(crate) mnemonic: bool,
    /// Whether that instruction takes a code address.
    pub(crate) branch: bool,
    /// Whether that instruction is a jump that does not return.
    pub(crate) jump: bool,
    /// Whether that instruction uses only the address of a memory operand.
    pub(crate) address_only: bool,
    pub(crate) made: Made,
    /// Whether a source declares it public.
    pub(crate) public: bool,
    /// Whether its definition gives way to others.
    pub(crate) weak: bool,
    /// How objects write it.
    pub(crate) decoration: Decoration,
    /// Whether the command line defines it.
    pub(crate) of_command_line: bool,
    /// Whether it is defined there, and what it decides is not noted.
    pub(crate) settled: bool,
    /// Whether the bundled macro library defines it, so that its use loads the library.
    pub(crate) library: bool,
    /// Whether the name followed by a parenthesis calls a text function.
    pub(crate) function: bool,
    /// The macro of this name, or `NONE`.
    pub(crate) body: u32,
    /// Whether that macro belongs to the bundled library.
    pub(crate) body_of_library: bool,
    /// The text macro of this name, or `NONE`.
    pub(crate) text: u32,
    /// Whether that text macro belongs to the bundled library.
    pub(crate) text_of_library: bool,
    /// The text macro that a later line makes of this name, or `NONE`: one that is used before.
    pub(crate) later_text: u32,
    /// Whether it is a text macro in some procedures.
    pub(crate) local_text: bool,
    /// The symbol of this name, or `NONE`.
    pub(crate) symbol: u32,
    /// The structure of this name, or `NONE`.
    pub(crate) structure: u32,
    /// The last line in which the name alone means the field of a structure, or 0.
    pub(crate) plain_field: u32,
}

struct Entry {
    /// The first eight bytes of the name.
    key: u64,
    start: u32,
    length: u32,
    hash: u32,
}

pub(crate) struct Names {
    /// The names in lower case.
    text: String,
    /// The same names in their first spelling.
    spelled: String,
    entries: Vec<Entry>,
    infos: Vec<NameInfo>,
    slots: Vec<u32>,
    meaning: fn(&str) -> Meaning,
    /// Whether names that differ only in case differ.
    by_case: bool,
    /// The number of names whose case never matters: keywords and what the assembler defines.
    any_case: usize,
    /// The names of sources that are spelled as words with a meaning, and have none.
    apart: HashMap<String, NameId>,
}

impl Names {
    /// An empty table; `meaning` gives the processor's meaning of each new name, which is in lower case.
    pub(crate) fn new(meaning: fn(&str) -> Meaning) -> Names {
        Names {
            meaning,
            text: String::with_capacity(1 << 13),
            spelled: String::with_capacity(1 << 13),
            entries: Vec::with_capacity(1 << 10),
            infos: Vec::with_capacity(1 << 10),
            slots: vec![NONE; 1 << 11],
            by_case: false,
            any_case: 0,
            apart: HashMap::new(),
        }
    }

    /// Changes what names that are new from here on mean to the processor.
    pub(crate) fn mean(&mut self, meaning: fn(&str) -> Meaning) {
        self.meaning = meaning;
    }

    /// The number of a name without the meaning that its spelling has elsewhere.
    pub(crate) fn intern_apart(&mut self, name: &str) -> NameId {
        if let Some(known) = self.apart.get(name) {
            return *known;
        }
        let id = self.make(name, Made::No);
        let info = &mut self.infos[id as usize];
        info.register = Register::None;
        (info.mnemonic, info.branch, info.jump, info.address_only) = (false, false, false, false);
        self.apart.insert(name.to_owned(), id);
        id
    }

    /// Ends the names whose case never matters; the following ones belong to sources.
    pub(crate) fn begin_sources(&mut self) {
        self.any_case = self.entries.len();
    }

    /// Whether names of sources that differ only in case differ from here on.
    pub(crate) fn distinguish_case(&mut self, by_case: bool) {
        self.by_case = by_case;
    }

    pub(crate) fn is_by_case(&self) -> bool {
        self.by_case
    }

    /// Whether a known name is `name`, which equals it regardless of case, where case matters.
    #[cold]
    fn is_same(&self, id: NameId, entry: &Entry, name: &str) -> bool {
        let info = &self.infos[id as usize];
        (id as usize) < self.any_case
            || info.mnemonic
            || info.register != Register::None
            || info.library
            || info.body_of_library
            || info.text_of_library
            || self.spelled[entry.start as usize..(entry.start + entry.length) as usize] == *name
    }

    /// The memory that all names take, in bytes, including what dialects keep for each name of a scope.
    pub(crate) fn bytes(&self) -> usize {
        const SCOPED: usize = 32;
        let each = size_of::<Entry>() + size_of::<NameInfo>() + SCOPED;
        const APART: usize = 64;
        2 * self.text.len() + self.apart.len() * APART + self.entries.len() * each + self.slots.len() * size_of::<u32>()
    }

    /// Clears the library marks, because the library was read or the program does not need it.
    pub(crate) fn forget_library(&mut self) {
        for info in &mut self.infos {
            info.library = false;
        }
    }

    /// Interns `name` and returns its number.
    pub(crate) fn intern(&mut self, name: &str) -> NameId {
        let (key, hash) = key_and_hash(name);
        let slot = self.slot_of(name, key, hash);
        if self.slots[slot] != NONE {
            return self.slots[slot];
        }
        let id = self.add(name, key, hash);
        self.slots[slot] = id;
        if self.entries.len() * 2 > self.slots.len() {
            self.grow();
        }
        id
    }

    /// The number of `name`, if it was interned.
    pub(crate) fn known(&self, name: &str) -> Option<NameId> {
        let (key, hash) = key_and_hash(name);
        Some(self.slots[self.slot_of(name, key, hash)]).filter(|&id| id != NONE)
    }

    /// The slot of `name`, or the free one where it belongs.
    fn slot_of(&self, name: &str, key: u64, hash: u32) -> usize {
        let mut slot = hash as usize & (self.slots.len() - 1);
        loop {
            let id = self.slots[slot];
            if id == NONE {
                return slot;
            }
            let entry = &self.entries[id as usize];
            // Most names are no longer than their key.
            let same = entry.key == key && entry.length as usize == name.len();
            if same
                && (name.len() <= 8 || self.text_of(entry).eq_ignore_ascii_case(name))
                && (!self.by_case || self.is_same(id, entry, name))
            {
                return slot;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Makes a new name displayed as `spelled`; interning that text finds a different name.
    pub(crate) fn make(&mut self, spelled: &str, made: Made) -> NameId {
        let id = self.add(spelled, 0, 0);
        self.infos[id as usize].made = made;
        id
    }

    /// The name in lower case.
    pub(crate) fn text(&self, id: NameId) -> &str {
        self.text_of(&self.entries[id as usize])
    }

    /// The first spelling of the name in a source, for messages.
    pub(crate) fn spelling(&self, id: NameId) -> &str {
        let entry = &self.entries[id as usize];
        &self.spelled[entry.start as usize..(entry.start + entry.length) as usize]
    }

    pub(crate) fn info(&self, id: NameId) -> &NameInfo {
        &self.infos[id as usize]
    }

    pub(crate) fn info_mut(&mut self, id: NameId) -> &mut NameInfo {
        &mut self.infos[id as usize]
    }

    fn text_of(&self, entry: &Entry) -> &str {
        &self.text[entry.start as usize..(entry.start + entry.length) as usize]
    }

    fn add(&mut self, name: &str, key: u64, hash: u32) -> NameId {
        let id = self.entries.len() as u32;
        let start = self.text.len();
        self.spelled.push_str(name);
        self.text.push_str(name);
        self.text[start..].make_ascii_lowercase();
        let lower = &self.text[start..];
        let Meaning {
            register,
            mnemonic,
            branch,
            jump,
            address_only,
        } = (self.meaning)(lower);
        self.infos.push(NameInfo {
            register,
            mnemonic,
            branch,
            jump,
            address_only,
            made: Made::No,
            public: false,
            weak: false,
            decoration: Decoration::None,
            of_command_line: false,
            settled: false,
            library: false,
            function: false,
            body: NONE,
            body_of_library: false,
            text: NONE,
            text_of_library: false,
            later_text: NONE,
            local_text: false,
            symbol: NONE,
            structure: NONE,
            plain_field: 0,
        });
        self.entries.push(Entry {
            key,
            start: start as u32,
            length: name.len() as u32,
            hash,
        });
        id
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, NONE);
        for (id, entry) in self.entries.iter().enumerate() {
            // What no text refers to by its spelling alone has no hash.
            if matches!(self.infos[id].made, Made::Scoped | Made::Anonymous) || (entry.length > 0 && entry.key == 0) {
                continue;
            }
            let mut slot = entry.hash as usize & (size - 1);
            while self.slots[slot] != NONE {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = id as u32;
        }
    }
}

/// A name's first eight bytes and its hash, in lower case.
fn key_and_hash(name: &str) -> (u64, u32) {
    let join = |key: u64, &byte: &u8| key << 8 | u64::from(byte.to_ascii_lowercase());
    let (head, rest) = name.as_bytes().split_at(name.len().min(8));
    let key = head.iter().fold(0, join);
    let mut hash = key.wrapping_mul(MIX);
    for part in rest.chunks(8) {
        hash = (hash.rotate_left(29) ^ part.iter().fold(0, join)).wrapping_mul(MIX);
    }
    (key, (hash >> 32) as u32)
}

/// An odd number whose bits look random.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_by_letters_not_by_case() {
        let mut names = Names::new(|_| Meaning::default());
        let first = names.intern("StartTSC");
        assert_eq!(names.intern("STARTTSC"), first);
        assert_ne!(names.intern("StartTSD"), first);
        assert_eq!((names.text(first), names.spelling(first)), ("starttsc", "StartTSC"));
        let apart = names.make("StartTSC", Made::Scoped);
        assert_ne!(names.intern("StartTSC"), apart);
        let long = names.intern("StartProfile");
        assert_eq!(names.intern("startPROFILE"), long);
        assert_ne!(names.intern("StartProfane"), long, "the first eight bytes are the same");
        let many: Vec<NameId> = (0..5000).map(|n| names.intern(&format!("n{n}"))).collect();
        assert_eq!(names.intern("N4711"), many[4711]);
        assert_eq!(
            names.intern("StartTSC"),
            first,
            "a name that is like no other is never found"
        );
    }
}
