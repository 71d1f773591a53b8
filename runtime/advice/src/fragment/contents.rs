//! What memory of a fragment holds: numbers that are not 0 wherever something else would be computed with exceptions of
//! reals, with a division by 0, or with an empty string. Single variables that are no reals are 0.

use super::scratch::Filling;
use super::uses::Role;
use super::value::{ESP, Origin, Value};
use super::{Choice, Told};
use iced_x86::{MemorySize, Mnemonic, OpKind, Register};
use p5_image::{Assumed, Holds, Place};

impl Choice<'_> {
    /// Has EBP point at a frame of the stack if the code ends one that it has not begun, by LEAVE or `mov esp,ebp`.
    pub(super) fn frame(&mut self) {
        const EBP: u8 = 5;
        let ends = |at: usize| {
            let one = &self.flow.code[at];
            let copied = one.mnemonic() == Mnemonic::Mov
                && one.op0_register().full_register32() == Register::ESP
                && one.op1_kind() == OpKind::Register
                && one.op1_register().full_register32() == Register::EBP;
            let own = Value::of(EBP);
            let state = self.flow.states[at].as_ref();
            let first = state.is_some_and(|state| state.registers[usize::from(EBP)] == own);
            first && (copied || one.mnemonic() == Mnemonic::Leave)
        };
        if (0..self.flow.code.len()).any(ends) {
            let width = self.flow.width;
            let place = width.stack as i32 - width.bytes as i32;
            self.set(EBP, place, Told::Beyond(ESP));
        }
    }

    /// What the memory of a pointer is filled with.
    pub(super) fn filling(&self, origin: u8) -> Filling {
        let within = |one: &Origin| matches!(one, Origin::Memory { base: Some(base), .. } if *base == origin);
        let holds = |wanted: &dyn Fn(Role) -> bool| {
            let mut origins = self.flow.origins.iter().enumerate();
            origins.any(|(at, one)| within(one) && wanted(self.uses.roles[at]))
        };
        if holds(&|role| role.pointer) && self.is_list(origin) {
            return Filling::Itself;
        }
        let accesses = self.uses.accesses.iter();
        let mut accesses = accesses.filter(|access| access.pointer == Some(origin));
        if accesses.clone().any(|access| self.loads_far(access.at)) {
            return Filling::Far;
        }
        real(accesses.find_map(|access| access.real)).unwrap_or(match holds(&|role| role.index) {
            true => Filling::Dwords(self.unit_of_index(within)),
            false => Filling::Bytes,
        })
    }

    /// The least number but 0 that memory `within` can hold to index a table: 1, or the size of an element if it is
    /// added to an address without a scale.
    fn unit_of_index(&self, within: impl Fn(&Origin) -> bool) -> u32 {
        let origins = self.flow.origins.iter().enumerate();
        let held = origins.fold(0, |held: u64, (at, one)| held | u64::from(within(one)) << at);
        let indexed = self.uses.accesses.iter();
        let indexed = indexed.filter(|access| (access.index.sum | access.index.other) & held != 0);
        let unscaled = indexed.filter(|access| access.scale == 1);
        unscaled.map(|access| access.size).max().unwrap_or(1).max(1)
    }

    /// Whether an instruction loads an address with its segment.
    fn loads_far(&self, at: usize) -> bool {
        let mnemonic = self.flow.code[at].mnemonic();
        matches!(
            mnemonic,
            Mnemonic::Les | Mnemonic::Lds | Mnemonic::Lfs | Mnemonic::Lgs | Mnemonic::Lss
        )
    }

    /// Fills the memory of names, each with this many bytes, as that of pointers is, and single reals.
    pub(super) fn fill(&mut self, named: &[(String, u32)]) {
        let supplied = self.image.fragment.iter().flat_map(|fragment| &fragment.supplied);
        let all = supplied.filter_map(|one| match one {
            Assumed::Data { name, bytes } if !self.moved.contains(name) => Some((name.clone(), *bytes)),
            _ => None,
        });
        let width = self.flow.width;
        let mut filled = Vec::new();
        for (name, bytes) in all.collect::<Vec<_>>() {
            let Some(symbol) = self.image.symbols.iter().find(|symbol| symbol.name == name) else {
                continue;
            };
            let value = symbol.value;
            let begin = value.wrapping_sub(width.base);
            let room = named.iter().find(|(of, _)| *of == name);
            let bytes = room.map_or(bytes, |room| room.1);
            let inside = |address: i32| (address as u32).wrapping_sub(begin) < bytes;
            let within =
                |one: &Origin| matches!(one, Origin::Memory { base: None, displacement } if inside(*displacement));
            let mut accesses = self.uses.accesses.iter();
            let reals = accesses.find_map(|access| {
                access
                    .real
                    .filter(|_| access.pointer.is_none() && inside(access.distance))
            });
            let mut origins = self.flow.origins.iter().enumerate().filter(|(_, one)| within(one));
            let index = origins.clone().any(|(at, _)| self.uses.roles[at].index);
            let pointer = origins.find(|(at, _)| self.uses.roles[*at].pointer);
            let pointer = pointer.and_then(|(at, _)| self.values[at]);
            let other = match real(reals) {
                Some(filling) => Ok(filling),
                None if room.is_none() => {
                    self.hold(name, Holds::Zeros);
                    continue;
                }
                None => pointer.map_or(Ok(Filling::Bytes), Err),
            };
            let filling = match other {
                Ok(Filling::Bytes) if index => Ok(Filling::Dwords(self.unit_of_index(within))),
                other => other,
            };
            let (filling, holds) = match filling {
                Ok(filling) => (filling.bytes(begin, width), filling.holds(width)),
                Err(pointer) => (
                    pointer.to_le_bytes()[..width.bytes as usize].to_vec(),
                    Holds::Pointers(width.bytes as u8),
                ),
            };
            self.hold(name, holds);
            let contents = filling.into_iter().cycle().take(bytes as usize).collect();
            filled.push((value, contents));
        }
        // What is told of single places comes after it.
        filled.append(&mut self.preset.memory);
        self.preset.memory = filled;
    }
}

impl Choice<'_> {
    /// Tells what the memory of a name holds, unless its value has been told.
    fn hold(&mut self, name: String, holds: Holds) {
        let of = Place::Memory(name);
        let told = self.preset.assumed.iter().any(|one| match one {
            Assumed::Pointer { place, .. } | Assumed::Number { place, .. } | Assumed::Beyond { place, .. } => {
                *place == of
            }
            _ => false,
        });
        if told {
            return;
        }
        self.contents.push(Assumed::Contents { of, holds });
    }
}

/// What memory of reals is filled with.
fn real(size: Option<MemorySize>) -> Option<Filling> {
    size.map(|size| match size {
        MemorySize::Float64 => Filling::Double,
        _ => Filling::Single,
    })
}
