//! Labels whose names depend on their position: `@@:` with `@F` and `@B`, and `@@name` after `locals`.

use crate::names::{Made, NameId, Names};
use std::collections::HashMap;

/// The labels around the current position.
#[derive(Default)]
pub(super) struct Labels {
    /// The last `@@:`.
    last: Option<NameId>,
    /// The next `@@:`, if something refers to it.
    next: Option<NameId>,
    /// The number of the label that a `@@name` belongs to.
    scope: u32,
    /// The names made for each `@@name` and scope.
    scoped: HashMap<(NameId, u32), NameId>,
}

impl Labels {
    /// `@F`: the next `@@:`.
    pub(super) fn forward(&mut self, names: &mut Names) -> NameId {
        *self.next.get_or_insert_with(|| names.make("@@", Made::Anonymous))
    }

    /// `@B`: the last `@@:`, or a name that is never defined.
    pub(super) fn backward(&mut self, names: &mut Names) -> NameId {
        *self.last.get_or_insert_with(|| names.make("@@", Made::Anonymous))
    }

    /// `@@:`.
    pub(super) fn place(&mut self, names: &mut Names) -> NameId {
        let name = self.forward(names);
        self.next = None;
        self.last = Some(name);
        name
    }

    /// A label after which each `@@name` means another one.
    pub(super) fn begin_scope(&mut self) {
        self.scope += 1;
    }

    /// What `name` means in the current scope.
    pub(super) fn scoped(&mut self, names: &mut Names, name: NameId) -> NameId {
        *self.scoped.entry((name, self.scope)).or_insert_with(|| {
            let spelled = names.spelling(name).to_owned();
            names.make(&spelled, Made::Scoped)
        })
    }
}
