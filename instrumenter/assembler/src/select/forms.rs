//! The table of instruction forms, built once from the encoder's own tables.
//!
//! The forms of a mnemonic are in the order in which MASM and TASM prefer them: these assemblers emit the first form
//! that accepts the operands.

mod codes;
mod shorthand;

use super::mnemonics::{ALIASES, STRING_FAMILIES, StringFamily, VARIANTS, is_renamed, pack, place};
use super::slots::{Slot, Slots, of_memory, of_register};
use crate::operand::{CodeSize, Memory};
use crate::spelling::nearest;
use codes::{forms_of, is_offered, string_family};
use iced_x86::{Code, Mnemonic, Register};
use std::ops::Range;
use std::sync::OnceLock;

/// The way in which an operand of the encoder's instruction is filled from the source operands, given by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// The register, memory operand, branch target or far pointer, unchanged.
    Operand(u8),
    /// The operand, with a 16-bit register replaced by the 32-bit register that contains it.
    Widened(u8),
    /// The operand, with a 32-bit register replaced by its 16-bit part.
    Narrowed(u8),
    Immediate8(u8),
    /// The second immediate of ENTER.
    Immediate8Second(u8),
    Immediate16(u8),
    Immediate32(u8),
    Immediate8To16(u8),
    Immediate8To32(u8),
    /// A number that the source omits.
    Number(u8),
    /// A register that the source omits or the instruction implies.
    Fixed(Register),
    /// The string at ESI or SI.
    Source,
    /// The string at EDI or DI.
    Destination,
    /// The table at EBX or BX.
    Table,
}

/// One encodable form of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) code: Code,
    /// The classes of the operands in the source.
    pub(super) slots: [Slot; 3],
    /// The same classes as masks; an absent operand matches only the class `Absent`.
    pub(super) masks: [Slots; 3],
    /// The sources of the encoder's operands.
    pub(super) fills: [Fill; 3],
    /// The number of `fills` in use.
    pub(super) filled: u8,
    /// Whether it accepts a LOCK prefix.
    pub(super) lockable: bool,
    /// The length of a short branch in bytes, without prefixes from the source.
    pub(super) short_length: u8,
}

impl Form {
    pub(super) fn count(&self) -> usize {
        self.slots.iter().filter(|&&slot| slot != Slot::Absent).count()
    }
}

/// A mnemonic as the source spells it.
#[derive(Clone, Debug)]
pub(super) struct Name {
    /// The name in lower case.
    pub(super) text: String,
    /// Its forms, the preferred one first.
    pub(super) forms: Range<usize>,
    /// The family of a string instruction.
    pub(super) string: Option<StringFamily>,
    /// The size in bytes of memory of unknown size where that is not an error: for pushes and indirect branches.
    pub(super) default_size: Option<u8>,
    /// Whether an operand can be the address it branches to.
    pub(super) takes_target: bool,
    /// Whether it reads or writes more than one value, so that the declared size of the first one does not matter.
    several_values: bool,
}

impl Name {
    /// The classes of a memory operand of this instruction, whose declared size may not matter.
    #[inline]
    pub(super) fn classes_of(&self, memory: &Memory) -> Slots {
        let size = match self.several_values && !memory.explicit_size {
            true => None,
            false => memory.size,
        };
        of_memory(memory, size)
    }
}

pub(super) struct Table {
    pub(super) names: Vec<Name>,
    pub(super) forms: Vec<Form>,
    pub(super) registers: [Slots; 256],
    places: Vec<(u128, u16)>,
    pub(super) size: CodeSize,
}

const PLACE_BITS: u32 = 11;

impl Table {
    /// The table for code of this size, which the first call builds.
    pub(super) fn get(size: CodeSize) -> &'static Table {
        static WIDE: OnceLock<Table> = OnceLock::new();
        static NARROW: OnceLock<Table> = OnceLock::new();
        match size {
            CodeSize::Bits32 => WIDE.get_or_init(|| build(size, false)),
            CodeSize::Bits16 => NARROW.get_or_init(|| build(size, false)),
        }
    }

    /// The table for code of compilers, with instructions of later processors that can be executed.
    pub(super) fn of_compilers() -> &'static Table {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| build(CodeSize::Bits32, true))
    }

    /// The table in which a register goes to another one by the form that stores it.
    pub(super) fn storing(size: CodeSize) -> &'static Table {
        static WIDE: OnceLock<Table> = OnceLock::new();
        static NARROW: OnceLock<Table> = OnceLock::new();
        let table = match size {
            CodeSize::Bits32 => &WIDE,
            CodeSize::Bits16 => &NARROW,
        };
        table.get_or_init(|| {
            let mut table = build(size, false);
            table.prefer_stores();
            table
        })
    }

    /// Moves each form that stores a register before the one that loads it.
    fn prefer_stores(&mut self) {
        let of = |slot: Slot| matches!(slot, Slot::R8 | Slot::R16 | Slot::R32);
        let to = |slot: Slot| matches!(slot, Slot::Rm8 | Slot::Rm16 | Slot::Rm32);
        for name in &self.names {
            let Some(forms) = self.forms.get_mut(name.forms.clone()) else {
                continue;
            };
            let loads = |form: &Form| of(form.slots[0]) && to(form.slots[1]) && form.count() == 2;
            let stores = |form: &Form| to(form.slots[0]) && of(form.slots[1]) && form.count() == 2;
            if let Some(short) = forms
                .iter()
                .position(|form| form.code == Code::Int3 && form.count() == 1)
            {
                // `int 3` has two bytes; `int3` has one.
                forms[short..].rotate_left(1);
            }
            let exchanges = |form: &Form| matches!(form.code.mnemonic(), Mnemonic::Xchg);
            let Some(first) = forms.iter().position(loads).filter(|first| !exchanges(&forms[*first])) else {
                continue;
            };
            // The order within each of both kinds stays.
            forms[first..].sort_by_key(|form| u8::from(!stores(form)));
        }
    }

    /// The index of a name, in any case.
    pub(super) fn find(&self, name: &str) -> Option<u16> {
        let packed = pack(name)?;
        let mut at = place(packed, PLACE_BITS);
        loop {
            match self.places.get(at) {
                Some(&(found, index)) if found == packed => return Some(index),
                Some(&(0, _)) | None => return None,
                Some(_) => at = (at + 1) & ((1 << PLACE_BITS) - 1),
            }
        }
    }

    pub(super) fn name(&self, name: &str) -> Option<&Name> {
        self.names.get(usize::from(self.find(name)?))
    }

    /// The name closest in spelling to `name`, if one is close enough.
    pub(super) fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.names.iter().map(|known| known.text.as_str()))
    }

    fn enter(&mut self, name: Name) {
        let Some(packed) = pack(&name.text) else { return };
        let mut at = place(packed, PLACE_BITS);
        while let Some(&(found, _)) = self.places.get(at) {
            if found == packed {
                return;
            }
            if found == 0 {
                break;
            }
            at = (at + 1) & ((1 << PLACE_BITS) - 1);
        }
        if let Some(free) = self.places.get_mut(at) {
            *free = (packed, self.names.len() as u16);
            self.names.push(name);
        }
    }

    fn add(&mut self, text: &str, mut forms: Vec<(u8, Form)>, string: Option<StringFamily>, mnemonic: Mnemonic) {
        forms.sort_by_key(|&(rank, _)| rank);
        let start = self.forms.len();
        self.forms.extend(forms.into_iter().map(|(_, form)| form));
        let default_size = match (mnemonic, self.size) {
            (Mnemonic::Push | Mnemonic::Pop | Mnemonic::Call | Mnemonic::Jmp, CodeSize::Bits32) => Some(4),
            (Mnemonic::Push | Mnemonic::Pop | Mnemonic::Call | Mnemonic::Jmp, CodeSize::Bits16) => Some(2),
            _ => None,
        };
        let takes_target = self.forms[start..]
            .iter()
            .any(|form| matches!(form.slots[0], Slot::Short | Slot::Near));
        let several_values = matches!(
            mnemonic,
            Mnemonic::Lds
                | Mnemonic::Les
                | Mnemonic::Lss
                | Mnemonic::Lfs
                | Mnemonic::Lgs
                | Mnemonic::Lgdt
                | Mnemonic::Lidt
                | Mnemonic::Sgdt
                | Mnemonic::Sidt
        );
        self.enter(Name {
            several_values,
            text: text.to_owned(),
            takes_target,
            forms: start..self.forms.len(),
            string,
            default_size,
        });
    }
}

pub(super) fn build(size: CodeSize, later: bool) -> Table {
    let mut registers = [0; 256];
    for (register, slots) in Register::values().zip(registers.iter_mut()) {
        *slots = of_register(register);
    }
    let mut table = Table {
        names: Vec::with_capacity(512),
        forms: Vec::with_capacity(1200),
        registers,
        places: vec![(0, 0); 1 << PLACE_BITS],
        size,
    };
    let mut codes: Vec<(Mnemonic, Code)> = Code::values()
        .filter(|&code| is_offered(code, size, later))
        .map(|code| (code.mnemonic(), code))
        .collect();
    codes.sort_by_key(|&(mnemonic, _)| mnemonic as u16);
    for group in codes.chunk_by(|left, right| left.0 == right.0) {
        let Some(&(mnemonic, _)) = group.first() else { continue };
        if is_renamed(mnemonic) {
            continue;
        }
        let text = format!("{mnemonic:?}").to_ascii_lowercase();
        table.add(
            &text,
            forms_of(size, mnemonic, group, 0, 0),
            string_family(mnemonic),
            mnemonic,
        );
    }
    let group_of = |mnemonic: Mnemonic| {
        let start = codes.partition_point(|&(other, _)| (other as u16) < mnemonic as u16);
        let end = codes.partition_point(|&(other, _)| (other as u16) <= mnemonic as u16);
        codes.get(start..end).unwrap_or_default()
    };
    for variant in VARIANTS {
        let (mnemonic, operand_size) = variant.in_code(size);
        let group = group_of(mnemonic);
        let forms = forms_of(size, mnemonic, group, operand_size, variant.address_size);
        table.add(variant.name, forms, None, mnemonic);
    }
    for &(text, family, mnemonics) in STRING_FAMILIES {
        let forms = mnemonics
            .iter()
            .flat_map(|&mnemonic| forms_of(size, mnemonic, group_of(mnemonic), 0, 0))
            .collect();
        table.add(text, forms, Some(family), Mnemonic::INVALID);
    }
    for &(alias, canonical) in ALIASES {
        if let Some(name) = table.name(canonical) {
            let name = Name {
                text: alias.to_owned(),
                ..name.clone()
            };
            table.enter(name);
        }
    }
    table
}
