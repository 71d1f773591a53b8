//! Which objects are linked: those that the user names, and of archives the members that define a name still needed.

use super::globals::{Found, Global, Strength, TABLE, in_source, plain, public};
use super::{Linkage, MOST_ERRORS};
use crate::program::{Definition, Program};
use crate::session::Session;
use crate::spelling::nearest;
use runtime::load::{Budget, Content, LoadError, Member, Object, Place, SectionKind, Symbol, archive, content, object};
use std::collections::{HashMap, HashSet};

/// The objects in archives.
#[derive(Default)]
struct Shelf {
    members: Vec<Option<Member>>,
    /// The first member that defines a name.
    by_name: HashMap<String, usize>,
    /// A name with this plain form.
    by_plain: HashMap<String, String>,
}

impl Shelf {
    fn add(&mut self, member: Member) {
        let index = self.members.len();
        if let Ok(object) = &member {
            for symbol in object.symbols.iter().filter(|symbol| defines(symbol)) {
                self.by_name.entry(symbol.name.clone()).or_insert(index);
                let spelled = self.by_plain.entry(plain(&symbol.name));
                spelled.or_insert_with(|| symbol.name.clone());
            }
        }
        self.members.push(Some(member));
    }

    /// Takes the member that defines `name`.
    fn take(&mut self, name: &str) -> Option<Object> {
        let member = self.members.get_mut(*self.by_name.get(name)?)?;
        member.take()?.ok()
    }

    /// The members that are objects but cannot be read.
    fn unreadable(&self) -> impl Iterator<Item = &(String, LoadError)> {
        self.members.iter().flatten().filter_map(|member| member.as_ref().err())
    }
}

/// Whether other objects see a definition.
fn defines(symbol: &Symbol) -> bool {
    !symbol.local && !symbol.internal && !matches!(symbol.place, Place::Elsewhere | Place::Dropped)
}

/// Chooses what is linked of `files`, each a name and its bytes, and tells the program which external symbols are
/// defined there. Reports what cannot be read and what is missing or defined twice.
pub(crate) fn choose(session: &mut Session, program: &mut Program, files: &[(&str, &[u8])]) -> Linkage {
    let mut linkage = Linkage::default();
    let mut shelf = Shelf::default();
    let mut named = Vec::new();
    let mut budget = Budget::default();
    for &(name, bytes) in files {
        let read = match content(bytes) {
            Content::Object => object(name, bytes, &mut budget).map(|object| named.push(object)),
            Content::Archive => {
                archive(name, bytes, &mut budget).map(|members| members.into_iter().for_each(|one| shelf.add(one)))
            }
            Content::Program => Err(LoadError::OtherKind("a whole program, not an object")),
            Content::Other => Err(LoadError::OtherKind(
                "neither an object in ELF or COFF nor an archive of such objects",
            )),
        };
        if let Err(error) = read {
            linkage.report(session, format!("cannot link `{name}`: {error}"));
        }
    }
    let mut groups = HashSet::new();
    let mut wanted = Vec::new();
    for object in named {
        add(session, program, &mut linkage, object, &mut groups, &mut wanted);
    }
    let table = program.symbols.table.iter().enumerate();
    let externals: Vec<(u32, String)> = table
        .filter(|(_, symbol)| symbol.definition == Definition::External)
        .map(|(index, symbol)| (index as u32, symbol.spelled.to_string()))
        .collect();
    for (_, name) in &externals {
        if linkage.globals.meant(name).is_none() {
            let exact = shelf.by_name.contains_key(name);
            let alike = shelf.by_plain.get(&plain(name)).filter(|_| !exact);
            wanted.push(alike.unwrap_or(name).clone());
        }
    }
    while let Some(name) = wanted.pop() {
        if linkage.globals.get(&name).is_none()
            && public(session, program, &name).is_none()
            && let Some(object) = shelf.take(&name)
        {
            add(session, program, &mut linkage, object, &mut groups, &mut wanted);
        }
    }
    for (index, name) in externals {
        if let Some(meant) = linkage.globals.meant(&name).map(str::to_owned) {
            // The address is known once the layout is settled.
            program.symbols.table[index as usize].definition = Definition::Linked(0);
            linkage.externals.push((index, meant));
        }
    }
    // A source with errors may lack what it would define.
    if session.errors == linkage.errors {
        report_missing(session, program, &mut linkage, &shelf);
    }
    linkage
}

/// Adds an object and its definitions; names that it needs go to `wanted`.
fn add(
    session: &mut Session,
    program: &Program,
    linkage: &mut Linkage,
    mut object: Object,
    groups: &mut HashSet<String>,
    wanted: &mut Vec<String>,
) {
    let number = linkage.objects.len() as u32;
    let own: HashSet<String> = object
        .sections
        .iter()
        .filter_map(|section| section.group.clone())
        .collect();
    let dropped: Vec<bool> = object
        .sections
        .iter()
        .map(|section| section.group.as_ref().is_some_and(|group| groups.contains(group)))
        .collect();
    groups.extend(own);
    for symbol in &mut object.symbols {
        if let Place::Section { section, .. } = symbol.place
            && dropped.get(section as usize) == Some(&true)
        {
            symbol.place = if symbol.local { Place::Dropped } else { Place::Elsewhere };
        }
    }
    for (section, dropped) in object.sections.iter_mut().zip(&dropped) {
        if *dropped {
            section.relocations.clear();
            section.bytes.clear();
            section.size = 0;
        }
    }
    for (index, symbol) in object.symbols.iter().enumerate() {
        if symbol.place == Place::Elsewhere && !symbol.weak && !symbol.internal {
            wanted.push(symbol.name.clone());
        }
        if !defines(symbol) {
            continue;
        }
        let (strength, alignment) = match symbol.place {
            Place::Common { alignment } => (Strength::Common, alignment),
            _ if symbol.weak => (Strength::Weak, 1),
            _ => (Strength::Strong, 1),
        };
        let defined = linkage.globals.define(
            &symbol.name,
            Global {
                object: number,
                symbol: index as u32,
                strength,
                size: symbol.size,
                alignment,
            },
        );
        let other = match defined {
            Err(other) => {
                let other = linkage.objects.get(other as usize);
                format!("`{}`", other.map_or(&object.name, |other| &other.name))
            }
            Ok(()) if strength == Strength::Strong => match public_exactly(session, program, &symbol.name) {
                Some(line) => format!("line {line} of the program"),
                None => continue,
            },
            Ok(()) => continue,
        };
        let (file, name) = (object.name.clone(), symbol.name.clone());
        linkage.report(
            session,
            format!("`{file}` defines the symbol `{name}`, and so does {other}"),
        );
    }
    linkage.objects.push(object);
}

/// The line on which the source defines the public symbol `name`, spelled exactly so.
fn public_exactly(session: &mut Session, program: &Program, name: &str) -> Option<u32> {
    let symbol = program.symbols.get(public(session, program, name)?)?;
    (*symbol.spelled == *name).then_some(symbol.span.line)
}

/// Reports the names that objects use and nothing defines.
fn report_missing(session: &mut Session, program: &Program, linkage: &mut Linkage, shelf: &Shelf) {
    let mut missing: Vec<(String, String, String, String)> = Vec::new();
    let mut seen = HashSet::new();
    for object in &linkage.objects {
        for section in object
            .sections
            .iter()
            .filter(|section| section.kind != SectionKind::Debug)
        {
            for relocation in &section.relocations {
                let Some(symbol) = object.symbols.get(relocation.symbol as usize) else {
                    continue;
                };
                let undefined = symbol.place == Place::Elsewhere && !symbol.weak && symbol.name != TABLE;
                if undefined && linkage.globals.get(&symbol.name).is_none() && seen.insert(symbol.name.clone()) {
                    let at = format!("`{}`+{:X}h", section.name, relocation.offset);
                    missing.push((object.name.clone(), symbol.name.clone(), at, String::new()));
                }
            }
        }
    }
    let mut explained = 0;
    missing.retain_mut(|(_, name, _, help)| {
        match in_source(session, program, name) {
            Found::Public(_) => return false,
            Found::Private(spelled) => *help = format!("; the program has `{spelled}`: make it public"),
            // Looking for a name like it takes time.
            Found::Nothing if explained < MOST_ERRORS => {
                explained += 1;
                let names = shelf.by_name.keys().map(String::as_str);
                let public = program.symbols.table.iter().map(|symbol| &*symbol.spelled);
                if let Some(near) = nearest(name, names.chain(public)) {
                    *help = format!("; did you mean `{near}`?");
                }
            }
            Found::Nothing => {}
        }
        true
    });
    let any = !missing.is_empty()
        || program
            .symbols
            .table
            .iter()
            .any(|one| one.definition == Definition::External);
    for (file, name, at, help) in missing {
        linkage.report(
            session,
            format!("`{file}` uses the undefined symbol `{name}` at {at}{help}"),
        );
    }
    // Only then can they be what is missing.
    let unreadable: Vec<String> = shelf
        .unreadable()
        .map(|(name, error)| format!("cannot link `{name}`: {error}"))
        .collect();
    for message in unreadable.into_iter().filter(|_| any) {
        linkage.report(session, message);
    }
}
