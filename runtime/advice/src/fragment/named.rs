//! Scratch memory with a name: data that the source names, but does not define, and whose address it uses.
//!
//! The assembler has kept room for each; how much of it the code uses is known only here.

use super::loops::Control;
use super::{BETWEEN, Choice, SCRATCH};
use p5_image::Assumed;

/// The sets of a cache repeat after this many bytes.
const WAY: u32 = 4096;

impl Choice<'_> {
    /// Each name with the beginning of its memory.
    pub(super) fn names(&self) -> Vec<(String, u32)> {
        let names = self.image.fragment.iter().flat_map(|fragment| &fragment.scratch);
        let names = names.map(|scratch| &scratch.name);
        let names = names.filter(|name| !self.moved.contains(*name));
        let named = names.filter_map(|name| {
            let symbol = self.image.symbols.iter().find(|symbol| symbol.name == *name)?;
            Some((name.clone(), symbol.value.wrapping_sub(self.flow.width.base)))
        });
        named.collect()
    }

    /// The bytes of each name that the code can use: those of a pointer, and as many as it is seen to reach.
    pub(super) fn extents(&self) -> Vec<(String, u32)> {
        let names = self.names();
        let room = self.room();
        let share = i64::from(self.share());
        let mut ends = vec![share; names.len()];
        for access in self.uses.accesses.iter().filter(|access| access.pointer.is_none()) {
            let address = access.distance as u32;
            // A constant distance may lead before the name, but not into the room of another one.
            let near = names.iter().enumerate().min_by_key(|(_, (_, begin))| {
                let inside = address.wrapping_sub(*begin) < room;
                (!inside, begin.abs_diff(address))
            });
            let Some((at, (_, begin))) = near.filter(|(_, (_, begin))| begin.abs_diff(address) < room) else {
                continue;
            };
            let known = self
                .loops
                .iter()
                .any(|of| of.holds(access.at) && !matches!(of.control, Control::Open));
            let even = known && access.stride.is_some_and(|stride| stride != 0);
            let index = match access.index.exact {
                Some((Some(origin), _)) => self.values[usize::from(origin)].is_some(),
                exact => exact.is_some(),
            };
            // What moves by nobody knows how much has all that a pointer has.
            let unknown = if even || index && !access.moves { 0 } else { share };
            let distance = i64::from(address.wrapping_sub(*begin) as i32);
            let end = self.reach(access).1 - i64::from(*begin);
            ends[at] = ends[at].max(end).max(distance + unknown);
        }
        let sized = names.into_iter().zip(ends).map(|((name, _), end)| {
            let most = i64::from(room);
            (name, (end.min(most) as u32).next_power_of_two())
        });
        sized.collect()
    }

    /// The most bytes that each name has.
    pub(super) fn room(&self) -> u32 {
        self.image.fragment.as_ref().map_or(0, |fragment| fragment.room)
    }

    /// How far scratch memory of pointers is from a multiple of 64 KiB, so that it lies beside that of names.
    pub(super) fn beside_names(&self) -> u32 {
        let last = self.names().into_iter().map(|(_, begin)| begin).max();
        last.map_or(0, |begin| (begin + SCRATCH[2] + BETWEEN) % WAY)
    }
}

/// What is assumed, with the size of the memory that it names.
pub(super) fn sized(one: Assumed, named: &[(String, u32)]) -> Assumed {
    match one {
        Assumed::Data { name, bytes } => {
            let known = named.iter().find(|(of, _)| *of == name);
            let bytes = known.map_or(bytes, |known| known.1);
            Assumed::Data { name, bytes }
        }
        other => other,
    }
}
