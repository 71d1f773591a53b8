//! Procedures that a program may declare and call without defining them, as those of a course's library: they are
//! assembled on their own, without lines, and linked where a name is missing that they define.

use super::passes::assemble_one;
use crate::link::{BUNDLED, undecorated};
use crate::modules::native::{Format, write};
use crate::modules::{Module, Place};
use crate::source::{Binary, Sources};
use crate::{Extent, Library, Options};
use asm_macros::library::PROCEDURES;
use p5_image::Lines;
use std::collections::HashSet;
use std::sync::OnceLock;

/// The source of procedures, assembled.
pub(super) struct Assembled {
    module: Module,
    /// It as an object.
    object: Binary,
}

/// Those that define any of these names, with those whose names they need themselves.
pub(super) fn defining(names: &[String]) -> Vec<&'static Assembled> {
    static ALL: OnceLock<Vec<Assembled>> = OnceLock::new();
    let all = || {
        ALL.get_or_init(|| {
            PROCEDURES
                .iter()
                .filter_map(|(name, text)| assembled(name, text))
                .collect()
        })
    };
    let wanted: HashSet<String> = names.iter().map(|name| undecorated(name)).collect();
    all().iter().filter(|one| one.defines(&wanted)).collect()
}

/// The module of such procedures, with their names as `wanted` spells them, which has that of a calling convention.
pub(super) fn spelled(of: &Assembled, wanted: &[String]) -> Module {
    let mut module = of.module.clone();
    for symbol in &mut module.symbols {
        let meant = undecorated(&symbol.name);
        if let Some(name) = wanted.iter().find(|name| undecorated(name) == meant) {
            symbol.name.clone_from(name);
        }
    }
    module
}

/// They as objects.
pub(super) fn objects(of: &[&'static Assembled]) -> Vec<Binary> {
    of.iter().map(|one| one.object.clone()).collect()
}

impl Assembled {
    fn defines(&self, wanted: &HashSet<String>) -> bool {
        let own = self
            .module
            .symbols
            .iter()
            .filter(|symbol| symbol.place != Place::Elsewhere);
        own.into_iter()
            .any(|symbol| wanted.contains(&undecorated(&symbol.name)))
    }
}

/// A source of procedures, assembled; its names give way to those of a program. `None` if it has errors.
fn assembled(name: &str, text: &str) -> Option<Assembled> {
    let options = Options {
        extent: Extent::Module,
        object: true,
        library: Library::Unmeasured,
        ..Options::default()
    };
    let mut module = assemble_one(&Sources::single(name, text), &options, options.library.text())
        .modules
        .pop()?;
    module.image.lines = Lines::default();
    for symbol in &mut module.symbols {
        // As programs and reports spell it.
        let bare = symbol.name.trim_start_matches('_');
        symbol.name = bare.split('@').next().unwrap_or(bare).to_owned();
        symbol.weak = symbol.place != Place::Elsewhere;
    }
    let object = Binary {
        name: format!("{name}{BUNDLED}"),
        bytes: write(&module, Format::Elf).ok()?,
    };
    Some(Assembled { module, object })
}

#[cfg(test)]
mod tests {
    use super::{PROCEDURES, Place, assembled, defining};

    #[test]
    fn the_bundled_procedures_assemble_and_need_nothing() {
        for (name, text) in PROCEDURES {
            let module = assembled(name, text).expect("it assembles").module;
            assert!(module.symbols.len() > 4, "{name}");
            let elsewhere = module.symbols.iter().find(|symbol| symbol.place == Place::Elsewhere);
            assert!(elsewhere.is_none(), "{name}: {elsewhere:?}");
        }
        let found = |names: &[&str]| defining(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()).len();
        assert_eq!(
            [
                found(&["_WriteInt@0"]),
                found(&["ExitProcess", "writeint"]),
                found(&["sum"])
            ],
            [1, 2, 0]
        );
    }
}
