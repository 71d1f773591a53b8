//! The data accesses of one instruction.
//!
//! Decoding copies known instructions by the million, so a list is copied without a call: nearly all are short and
//! stored in place.

use std::ops::Deref;
use std::rc::Rc;

/// One data access of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it writes; otherwise it reads.
    pub write: bool,
    /// The size in bytes, from 1.
    pub size: u8,
}

/// The data accesses of an instruction, in program order.
#[derive(Clone, Debug)]
pub enum Accesses {
    /// A number of accesses up to those of PUSHA, stored in place.
    Few(u8, [Access; FEW]),
    /// A longer list: ENTER, or a memory image of the floating-point unit.
    Many(Rc<[Access]>),
}

/// The capacity of the list stored in place.
const FEW: usize = 8;
/// Fills the places after the accesses stored in place.
const UNUSED: Access = Access { write: false, size: 0 };

impl Accesses {
    pub(crate) const NONE: Accesses = Accesses::Few(0, [UNUSED; FEW]);
}

impl From<&[Access]> for Accesses {
    fn from(accesses: &[Access]) -> Accesses {
        let mut few = [UNUSED; FEW];
        match few.get_mut(..accesses.len()) {
            Some(room) => {
                room.copy_from_slice(accesses);
                Accesses::Few(accesses.len() as u8, few)
            }
            None => Accesses::Many(accesses.into()),
        }
    }
}

impl<const COUNT: usize> From<[Access; COUNT]> for Accesses {
    fn from(accesses: [Access; COUNT]) -> Accesses {
        Accesses::from(accesses.as_slice())
    }
}

impl Deref for Accesses {
    type Target = [Access];

    #[inline(always)]
    fn deref(&self) -> &[Access] {
        match self {
            Accesses::Few(count, few) => &few[..usize::from(*count)],
            Accesses::Many(accesses) => accesses,
        }
    }
}
