//! Labels whose names depend on their position: `@@:` with `@F` and `@B`, and `@@name` after `locals`.

use crate::names::{Made, NameId, Names};
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Labels {
    /// The previous `@@:`.
    last: Option<NameId>,
    /// The next `@@:`, if something refers to it.
    next: Option<NameId>,
    /// The number of the label before the current position, the scope of each `@@name`.
    scope: u32,
    /// The name made for each `@@name` in each scope.
    scoped: HashMap<(NameId, u32), NameId>,
}

impl Labels {
    /// The name for `@F`, the next `@@:`.
    pub(super) fn forward(&mut self, names: &mut Names) -> NameId {
        *self.next.get_or_insert_with(|| names.make("@@", Made::Anonymous))
    }

    /// The name for `@B`, the previous `@@:`; it is never defined if there is none.
    pub(super) fn backward(&mut self, names: &mut Names) -> NameId {
        *self.last.get_or_insert_with(|| names.make("@@", Made::Anonymous))
    }

    /// The name for an `@@:` here.
    pub(super) fn place(&mut self, names: &mut Names) -> NameId {
        let name = self.forward(names);
        self.next = None;
        self.last = Some(name);
        name
    }

    /// Begins a scope at a label: after it, each `@@name` is a new name.
    pub(super) fn begin_scope(&mut self) {
        self.scope += 1;
    }

    /// The name of `name` in the current scope.
    pub(super) fn scoped(&mut self, names: &mut Names, name: NameId) -> NameId {
        *self.scoped.entry((name, self.scope)).or_insert_with(|| {
            let spelled = names.spelling(name).to_owned();
            names.make(&spelled, Made::Scoped)
        })
    }
}
