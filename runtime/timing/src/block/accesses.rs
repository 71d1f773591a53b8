//! The data accesses of one instruction.
//!
//! Decoding copies known instructions by the million, so a list is copied without a call: nearly all are short and
//! stored in place.

use std::ops::Deref;
use std::rc::Rc;

/// One data access of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether it is a write.
    pub write: bool,
    /// The size in bytes.
    pub size: u8,
}

/// The accesses in program order.
#[derive(Clone, Debug)]
pub enum Accesses {
    /// As many as PUSHA makes, or fewer.
    Few(u8, [Access; FEW]),
    /// More, of which only ENTER and the images of the floating-point unit consist.
    Many(Rc<[Access]>),
}

/// The most accesses stored in place.
const FEW: usize = 8;
/// Fills the places after the accesses stored in place.
const UNUSED: Access = Access { write: false, size: 0 };

impl Accesses {
    /// No accesses.
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
