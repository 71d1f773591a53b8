//! Names that objects share: which name of one tool means which name of another.

use crate::names::NONE;
use crate::program::{Definition, Program};
use crate::session::Session;
use std::collections::HashMap;

/// The name by which position-independent code refers to the global offset table.
pub(super) const GOT: &str = "_GLOBAL_OFFSET_TABLE_";

#[derive(Default)]
pub(super) struct Globals {
    by_name: HashMap<String, Global>,
    /// The one name with this undecorated form; `None` if there are several.
    by_undecorated: HashMap<String, Option<String>>,
}

/// The definition of a shared name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Global {
    pub(super) object: u32,
    pub(super) symbol: u32,
    pub(super) strength: Strength,
    /// Whether archives are searched for another definition.
    pub(super) searched: bool,
    /// For a common symbol, the largest size and the strictest alignment of all objects.
    pub(super) size: u32,
    pub(super) alignment: u32,
}

/// The strength of a definition, which decides between two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    Weak,
    Common,
    Strong,
}

impl Globals {
    pub(super) fn get(&self, name: &str) -> Option<&Global> {
        self.by_name.get(name)
    }

    pub(super) fn commons(&self) -> Vec<(&str, &Global)> {
        let all = self.by_name.iter().map(|(name, global)| (name.as_str(), global));
        let mut commons: Vec<_> = all.filter(|(_, global)| global.strength == Strength::Common).collect();
        commons.sort_unstable_by_key(|(name, _)| *name);
        commons
    }

    /// Adds a definition; returns the object of the other definition if the two conflict.
    pub(super) fn define(&mut self, name: &str, new: Global) -> Result<(), u32> {
        let Some(known) = self.by_name.get_mut(name) else {
            self.by_name.insert(name.to_owned(), new);
            let undecorated = self
                .by_undecorated
                .entry(undecorated(name))
                .or_insert_with(|| Some(name.to_owned()));
            if undecorated.as_deref() != Some(name) {
                *undecorated = None;
            }
            return Ok(());
        };
        match (known.strength, new.strength) {
            (Strength::Strong, Strength::Strong) => return Err(known.object),
            (Strength::Common, Strength::Common) => {
                known.size = known.size.max(new.size);
                known.alignment = known.alignment.max(new.alignment);
            }
            (old, fresh) if fresh > old => *known = new,
            _ => {}
        }
        Ok(())
    }

    /// Makes common data at least so large and so strictly aligned.
    pub(super) fn widen(&mut self, name: &str, size: u32, alignment: u32) {
        if let Some(known) = self.by_name.get_mut(name)
            && known.strength == Strength::Common
        {
            known.size = known.size.max(size);
            known.alignment = known.alignment.max(alignment);
        }
    }

    pub(super) fn retain(&mut self, mut keep: impl FnMut(&str, &Global) -> bool) {
        self.by_name.retain(|name, global| keep(name, global));
        let known = &self.by_name;
        self.by_undecorated
            .retain(|_, name| name.as_ref().is_none_or(|name| known.contains_key(name)));
    }

    /// The shared name that `name` in a source means: the same name, or else the only one that differs in its case or
    /// in the decoration of its calling convention.
    pub(super) fn meant(&self, name: &str) -> Option<&str> {
        if let Some((known, _)) = self.by_name.get_key_value(name) {
            return Some(known);
        }
        self.by_undecorated.get(&undecorated(name))?.as_deref()
    }
}

/// A name without the decoration of a calling convention, regardless of case: `sum` for `_sum`, `_Sum@8` and `SUM`.
pub(crate) fn undecorated(name: &str) -> String {
    let bare = name.strip_prefix('_').unwrap_or(name);
    let bare = match bare.rsplit_once('@') {
        Some((start, bytes)) if !start.is_empty() && bytes.bytes().all(|byte| byte.is_ascii_digit()) => start,
        _ => bare,
    };
    bare.to_ascii_lowercase()
}

/// The meaning of an object's name in the assembled program.
pub(super) enum Found {
    /// A symbol that the source makes public.
    Public(u32),
    /// A symbol that is not public, as the source spells it.
    Private(String),
    Nothing,
}

/// Looks up an object's `name` in the assembled program: a symbol with this name, or one that differs in the
/// decoration. The dialect decides whether case matters.
pub(super) fn in_source(session: &mut Session, program: &Program, name: &str) -> Found {
    let bare = undecorated(name);
    let mut private = None;
    for candidate in [name.to_owned(), bare.clone(), format!("_{bare}")] {
        let id = session.names.intern(&candidate);
        let info = *session.names.info(id);
        let Some(symbol) = program
            .symbols
            .get(info.symbol)
            .filter(|symbol| !symbol.library && !symbol.hidden)
        else {
            continue;
        };
        let defined = matches!(
            symbol.definition,
            Definition::Address(_) | Definition::Number(_) | Definition::Expression(_)
        );
        if defined && info.public {
            return Found::Public(info.symbol);
        }
        if defined {
            private.get_or_insert_with(|| symbol.spelled.to_string());
        }
    }
    private.map_or(Found::Nothing, Found::Private)
}

/// The public symbol of the assembled program that `name` in an object means.
pub(super) fn public(session: &mut Session, program: &Program, name: &str) -> Option<u32> {
    match in_source(session, program, name) {
        Found::Public(symbol) => Some(symbol).filter(|&symbol| symbol != NONE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoration_and_case_do_not_matter_unless_they_tell_two_names_apart() {
        for (name, expected) in [
            ("_sum", "sum"),
            ("_Sum@8", "sum"),
            ("SUM", "sum"),
            ("@x", "@x"),
            ("a@b", "a@b"),
        ] {
            assert_eq!(undecorated(name), expected);
        }
        let one = |object, strength| Global {
            object,
            symbol: 0,
            strength,
            searched: false,
            size: 4,
            alignment: 4,
        };
        let mut globals = Globals::default();
        assert_eq!(globals.define("_sum", one(0, Strength::Weak)), Ok(()));
        assert_eq!(globals.meant("Sum"), Some("_sum"));
        assert_eq!(globals.define("_sum", one(1, Strength::Strong)), Ok(()));
        assert_eq!(globals.define("_sum", one(2, Strength::Common)), Ok(()));
        assert_eq!(globals.define("_sum", one(3, Strength::Strong)), Err(1));
        assert_eq!(globals.define("sum", one(4, Strength::Strong)), Ok(()));
        assert_eq!((globals.meant("sum"), globals.meant("SUM")), (Some("sum"), None));
    }
}
