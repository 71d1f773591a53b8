//! Names of the ends of data: undefined names that only a comparison uses, as in `cmp esi,offset table_end`.
//!
//! The assembler has given each such name memory of its own, which is far from that of others. Here it is moved to
//! where its loop has done its rounds: every instruction that has its address gets the new one.

use super::Choice;
use super::loops::{Control, Last, To};
use super::value::{Origin, Value};
use iced_x86::{Decoder, DecoderOptions};
use p5_image::{Assumed, Place};

/// A name of the end of data, and the loop that ends there.
pub(super) struct End {
    name: String,
    /// Its address as the assembler has chosen it.
    address: u32,
    of: usize,
    to: To,
}

impl Choice<'_> {
    /// Finds the names of ends. Their loops take the rounds that others take.
    pub(super) fn find_ends(&mut self) {
        let room = self.room();
        let used = |address: u32| {
            let mut accesses = self.uses.accesses.iter().filter(|access| access.pointer.is_none());
            accesses.any(|access| (access.distance as u32).wrapping_sub(address) < room)
        };
        let ends: Vec<(String, u32)> = self
            .names()
            .into_iter()
            .filter(|(_, address)| !used(*address))
            .collect();
        for of in 0..self.loops.len() {
            let Some(to) = self.loops[of].to else { continue };
            let last = to.last as u32;
            let inside = |end: &&(String, u32)| last.wrapping_sub(end.1) < room;
            let Some((name, address)) = ends.iter().find(inside) else {
                continue;
            };
            // The other side of the comparison begins elsewhere.
            let begins_there =
                matches!(to.first.exact, Some((None, first)) if (first as u32).wrapping_sub(*address) < room);
            let known = self.ends.iter().any(|end| end.name == *name);
            if begins_there || known || to.first.exact.is_none() {
                continue;
            }
            self.ends.push(End {
                name: name.clone(),
                address: *address,
                of,
                to,
            });
            let rounds = self.rounds(&self.loops[of]);
            self.loops[of].control = match self.loops[of].control {
                Control::Known(_) => Control::Known(rounds),
                _ => Control::Count {
                    first: to.first,
                    step: to.step,
                    last: Last::Moved,
                },
            };
        }
    }

    /// Moves the ends to where their loops shall end.
    pub(super) fn move_ends(&mut self) {
        let ends = std::mem::take(&mut self.ends);
        self.moved = ends.iter().map(|end| end.name.clone()).collect();
        for End { name, address, of, to } in ends {
            let rounds = self.rounds(&self.loops[of]);
            let Some(first) = self.known(to.first) else {
                self.moved.retain(|moved| *moved != name);
                continue;
            };
            let way = to.step.wrapping_mul(rounds as i32);
            let wanted = first.wrapping_add(way);
            let moved = wanted.wrapping_sub(to.last);
            self.move_address(&name, address, moved);
            let symbol = self.image.symbols.iter_mut().find(|symbol| symbol.name == name);
            if let Some(symbol) = symbol {
                symbol.value = symbol.value.wrapping_add_signed(moved);
                symbol.size = 0;
            }
            let (from, distance) = self.begun(to.first);
            self.preset.assumed.push(Assumed::Beyond {
                place: Place::Memory(format!("offset {name}")),
                from,
                distance: distance
                    .wrapping_add(way)
                    .wrapping_sub(to.last.wrapping_sub(address as i32)),
            });
        }
    }

    /// What a first value is called, and what is added to that.
    fn begun(&self, first: Value) -> (Place, i32) {
        let (origin, number) = first.exact.unwrap_or((None, 0));
        if let Some(origin) = origin {
            let place = match self.flow.origins[usize::from(origin)] {
                Origin::Register(register) => Place::Register(register),
                Origin::Memory { .. } => self.named(origin),
            };
            return (place, number);
        }
        let names = self.names();
        let before = names.iter().filter(|(_, begin)| *begin <= number as u32);
        match before.max_by_key(|(_, begin)| *begin) {
            Some((name, begin)) => (
                Place::Memory(format!("offset {name}")),
                number.wrapping_sub(*begin as i32),
            ),
            None => (Place::Memory("0".to_owned()), number),
        }
    }

    /// Adds to the address of a name in all instructions that have it.
    fn move_address(&mut self, name: &str, address: u32, moved: i32) {
        let room = self.room();
        let bits = 8 * self.flow.width.bytes;
        let fragment = self.image.fragment.as_ref();
        let scratch = fragment.and_then(|fragment| fragment.scratch.iter().find(|scratch| scratch.name == name));
        for at in scratch.map(|scratch| scratch.users.clone()).unwrap_or_default() {
            let code = self.image.bytes_at(at);
            let mut decoder = Decoder::with_ip(bits, code, u64::from(at), DecoderOptions::NONE);
            let decoded = decoder.decode();
            let constants = decoder.get_constant_offsets(&decoded);
            let fields = [
                (
                    constants.has_immediate(),
                    constants.immediate_offset(),
                    constants.immediate_size(),
                ),
                (
                    constants.has_displacement(),
                    constants.displacement_offset(),
                    constants.displacement_size(),
                ),
            ];
            for (_, offset, size) in fields.into_iter().filter(|field| field.0) {
                let Some(segment) = self.image.segments.iter_mut().rfind(|segment| segment.address <= at) else {
                    continue;
                };
                let start = (at - segment.address) as usize + offset;
                let Some(field) = segment.bytes.get_mut(start..start + size) else {
                    continue;
                };
                let mut number = [0; 4];
                if size != self.flow.width.bytes as usize {
                    continue;
                }
                number[..size].copy_from_slice(field);
                let number = u32::from_le_bytes(number);
                if number.wrapping_sub(address) < room {
                    field.copy_from_slice(&number.wrapping_add_signed(moved).to_le_bytes()[..size]);
                }
            }
        }
    }
}
