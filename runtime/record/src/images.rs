//! The register images of one sample, known and unknown registers alike.

use p5_chips::ibs::{FIRST_REGISTER, Field, REGISTER_COUNT};

/// Images of registers by the number of the register; any of them may be missing.
///
/// A register that this version knows nothing of is carried through unchanged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Images {
    known: [u64; REGISTER_COUNT],
    /// Bit n: the register [`FIRST_REGISTER`] + n has an image.
    present: u16,
    /// The images of other registers, by ascending number.
    others: Vec<(u32, u64)>,
}

fn index(register: u32) -> Option<usize> {
    let index = register.checked_sub(FIRST_REGISTER)? as usize;
    (index < REGISTER_COUNT).then_some(index)
}

impl Images {
    /// Sets the image of a register, in place of any earlier one.
    pub fn set(&mut self, register: u32, image: u64) {
        match index(register) {
            Some(index) => {
                self.known[index] = image;
                self.present |= 1 << index;
            }
            None => match self.others.binary_search_by_key(&register, |&(number, _)| number) {
                Ok(at) => self.others[at].1 = image,
                Err(at) => self.others.insert(at, (register, image)),
            },
        }
    }

    /// The image of a register, if it was kept.
    pub fn get(&self, register: u32) -> Option<u64> {
        match index(register) {
            Some(index) => (self.present >> index & 1 == 1).then(|| self.known[index]),
            None => {
                let at = self.others.binary_search_by_key(&register, |&(number, _)| number);
                at.ok().map(|at| self.others[at].1)
            }
        }
    }

    /// The value of a field, if its register was kept.
    pub fn field(&self, field: &Field) -> Option<u64> {
        self.get(field.register).map(|image| field.get(image))
    }

    /// Whether a flag is set; false if its register was not kept.
    pub fn flag(&self, field: &Field) -> bool {
        self.field(field).is_some_and(|value| value != 0)
    }

    /// Writes a value into a field. The other bits of its register stay, or are 0 if it had no image.
    pub fn put(&mut self, field: &Field, value: u64) {
        let image = self.get(field.register).unwrap_or_default();
        self.set(field.register, field.put(image, value));
    }

    /// The images of the known registers, limited to the bits of `masks`; 0 for those without an image.
    pub(super) fn masked(&self, masks: &[u64; REGISTER_COUNT]) -> [u64; REGISTER_COUNT] {
        std::array::from_fn(|index| self.known[index] & masks[index])
    }

    /// Every register with its image, by ascending number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, u64)> {
        let below = self.others.partition_point(|&(number, _)| number < FIRST_REGISTER);
        let known = (0..REGISTER_COUNT as u32).filter_map(|index| {
            let register = FIRST_REGISTER + index;
            self.get(register).map(|image| (register, image))
        });
        let (before, after) = self.others.split_at(below);
        before.iter().copied().chain(known).chain(after.iter().copied())
    }

    /// Keeps the registers that `keep` names and forgets the others.
    pub fn retain(&mut self, keep: impl Fn(u32) -> bool) {
        for index in 0..REGISTER_COUNT {
            if !keep(FIRST_REGISTER + index as u32) {
                self.known[index] = 0;
                self.present &= !(1 << index);
            }
        }
        self.others.retain(|&(number, _)| keep(number));
    }
}

impl FromIterator<(u32, u64)> for Images {
    fn from_iter<T: IntoIterator<Item = (u32, u64)>>(registers: T) -> Images {
        let mut images = Images::default();
        for (register, image) in registers {
            images.set(register, image);
        }
        images
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use p5_chips::ibs::{DC_MISS, DC_MISS_LAT, IBS_OP_DATA3, IBS_OP_RIP};

    #[test]
    fn unknown_registers_are_carried_through_in_order() {
        let given = [
            (0xC001_1040, 7),
            (0x10, u64::MAX),
            (IBS_OP_RIP, 0x1000),
            (0xC001_103E, 1),
        ];
        let mut images: Images = given.into_iter().collect();
        let mut sorted = given;
        sorted.sort_unstable();
        assert_eq!(images.iter().collect::<Vec<_>>(), sorted);
        images.set(0x10, 3);
        images.retain(|register| register != IBS_OP_RIP && register != 0xC001_103E);
        assert_eq!(images.iter().collect::<Vec<_>>(), [(0x10, 3), (0xC001_1040, 7)]);
    }

    #[test]
    fn an_image_that_was_not_kept_is_not_zero() {
        let mut images = Images::default();
        assert_eq!((images.get(IBS_OP_DATA3), images.field(&DC_MISS)), (None, None));
        assert!(!images.flag(&DC_MISS));
        images.put(&DC_MISS_LAT, 21);
        assert_eq!(
            (images.field(&DC_MISS), images.field(&DC_MISS_LAT)),
            (Some(0), Some(21))
        );
        images.put(&DC_MISS, 1);
        assert!(images.flag(&DC_MISS));
        assert_eq!(images.get(IBS_OP_DATA3), Some(21 << 32 | 1 << 7));
    }
}
