//! What the elements of data are.

/// The kind of the elements of data, as far as the source gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ElementKind {
    /// Unsigned integers, and elements of which the source gives no kind.
    #[default]
    Unsigned,
    /// Signed integers.
    Signed,
    /// Reals of 4, 8 or 10 bytes.
    Real,
    /// Addresses, as pointers hold them.
    Address,
    /// Characters, which count as signed integers.
    Character,
    /// Truth values.
    Boolean,
    /// Values of an enumeration.
    Enumeration {
        /// Its index in [`Image::enumerations`](crate::Image::enumerations).
        number: u32,
        /// Whether they are signed integers.
        signed: bool,
    },
    /// Structures, by their index in [`Image::structures`](crate::Image::structures).
    Structure(u32),
}

impl ElementKind {
    /// Whether the elements are signed integers.
    pub fn is_signed(self) -> bool {
        matches!(
            self,
            ElementKind::Signed | ElementKind::Character | ElementKind::Enumeration { signed: true, .. }
        )
    }
}

/// The named values of an enumeration, in the order of their declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Enumeration {
    /// The names with their values.
    pub values: Vec<(String, i128)>,
}
