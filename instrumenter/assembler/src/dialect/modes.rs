//! The modes that previous lines have set. Only their dialect knows their type.

use std::any::Any;

pub(crate) struct Modes(Box<dyn Any>);

impl Modes {
    pub(crate) fn new<M: 'static>(state: M) -> Modes {
        Modes(Box::new(state))
    }

    /// The dialect's own state.
    ///
    /// # Panics
    /// If another dialect made it: a dialect's functions receive only the modes that the same dialect made.
    #[allow(clippy::expect_used)] // As above.
    pub(crate) fn of<M: 'static>(&self) -> &M {
        self.0.downcast_ref().expect("the modes of this dialect")
    }

    /// The dialect's own state, mutable.
    ///
    /// # Panics
    /// Under the same condition as [`Modes::of`].
    #[allow(clippy::expect_used)] // As above.
    pub(crate) fn of_mut<M: 'static>(&mut self) -> &mut M {
        self.0.downcast_mut().expect("the modes of this dialect")
    }
}
