//! Selection of the objects to link: those that the user names, and the archive members that define a name still
//! needed.

use super::globals::{Found, GOT, Global, Strength, in_source, public, undecorated};
use super::{LinkError, Linkage, MOST_ERRORS};
use crate::program::{self, Definition, Program, define_weak, make_common};
use crate::session::Session;
use crate::spelling::nearest;
use p5_image::load::{
    Budget, Content, Discarded, LoadError, Member, Object, Place, SectionKind, Symbol, archive, content, object,
};
use std::collections::{HashMap, HashSet};

#[derive(Default)]
struct ArchiveIndex {
    members: Vec<Option<Member>>,
    /// The first member that defines a name.
    by_name: HashMap<String, usize>,
    /// A name with this undecorated form.
    by_undecorated: HashMap<String, String>,
}

impl ArchiveIndex {
    fn add(&mut self, member: Member) {
        let index = self.members.len();
        if let Ok(object) = &member {
            for symbol in object.symbols.iter().filter(|symbol| defines(symbol)) {
                self.by_name.entry(symbol.name.clone()).or_insert(index);
                let spelled = self.by_undecorated.entry(undecorated(&symbol.name));
                spelled.or_insert_with(|| symbol.name.clone());
            }
        }
        self.members.push(Some(member));
    }

    /// Takes the member that defines `name` out of the index.
    fn take(&mut self, name: &str) -> Option<Object> {
        let member = self.members.get_mut(*self.by_name.get(name)?)?;
        member.take()?.ok()
    }

    /// The members that are objects but cannot be read.
    fn unreadable(&self) -> impl Iterator<Item = &(String, LoadError)> {
        self.members.iter().flatten().filter_map(|member| member.as_ref().err())
    }
}

/// Whether a definition is visible to other objects.
fn defines(symbol: &Symbol) -> bool {
    !symbol.local && !symbol.internal && !matches!(symbol.place, Place::Undefined | Place::Discarded(_))
}

/// Chooses the objects to link from `files`, each a name and its bytes, and tells the program which external symbols
/// they define. Reports unreadable files, and names that are missing or defined twice.
pub(crate) fn choose(session: &mut Session, program: &mut Program, files: &[(&str, &[u8])]) -> Linkage {
    let mut linkage = Linkage::default();
    if program.layout.segmented && !files.is_empty() {
        let message = "objects cannot be linked with 16-bit segments: their code and addresses are flat 32-bit ones";
        let help = "make the program flat, with 32-bit segments alone, or assemble the objects' source with it";
        session.report_deciding(message.to_owned(), help.to_owned());
        return linkage;
    }
    let mut archives = ArchiveIndex::default();
    let mut named = Vec::new();
    let mut budget = Budget::default();
    for (index, &(name, bytes)) in files.iter().enumerate() {
        if files[..index].iter().any(|&(earlier, _)| earlier == name) {
            // An archive may be needed again by linkers that search it once.
            if content(bytes) != Content::Archive {
                let error = LinkError::new(format!("`{name}` is named twice"));
                linkage.report(session, error.with_help("name it once"));
            }
            continue;
        }
        let read = match content(bytes) {
            Content::Object => object(name, bytes, &mut budget).map(|object| named.push(object)),
            Content::Archive => {
                archive(name, bytes, &mut budget).map(|members| members.into_iter().for_each(|one| archives.add(one)))
            }
            Content::Program | Content::DosProgram => Err(LoadError::OtherKind("a whole program, not an object")),
            Content::Other => Err(LoadError::NotAnObject),
        };
        if let Err(error) = read {
            linkage.report(session, LinkError::new(format!("cannot link `{name}`: {error}")));
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
        // What may be missing is not searched for.
        if is_weak(session, name) {
            continue;
        }
        if linkage.globals.meant(name).is_none() {
            let exact = archives.by_name.contains_key(name);
            let alike = archives.by_undecorated.get(&undecorated(name)).filter(|_| !exact);
            wanted.push(alike.unwrap_or(name).clone());
        }
    }
    while let Some(name) = wanted.pop() {
        let searched = linkage.globals.get(&name).is_none_or(|known| known.searched);
        if searched
            && public(session, program, &name).is_none()
            && let Some(object) = archives.take(&name)
        {
            add(session, program, &mut linkage, object, &mut groups, &mut wanted);
        }
    }
    // A definition in the source takes precedence, like a strong definition of another object.
    linkage
        .globals
        .retain(|name, global| global.strength == Strength::Strong || public(session, program, name).is_none());
    for (index, name) in externals {
        if let Some(meant) = linkage.globals.meant(&name).map(str::to_owned) {
            // Of two definitions that give way, that of the source comes first.
            let weak = linkage
                .globals
                .get(&meant)
                .is_some_and(|global| global.strength == Strength::Weak);
            if weak && is_weak(session, &name) && program::has_weak(session, program, &name) {
                linkage.globals.retain(|known, _| known != meant);
                continue;
            }
            let symbol = &mut program.symbols.table[index as usize];
            // The address is known once the layout is settled.
            symbol.definition = Definition::Linked(0);
            if let Some(shared) = symbol.shared() {
                linkage.globals.widen(&meant, symbol.size, shared.alignment());
            }
            linkage.externals.push((index, meant));
        }
    }
    make_common(session, program);
    define_weak(session, program);
    // A source with errors may lack the names that it would define.
    if session.errors == linkage.errors {
        report_missing(session, program, &mut linkage, &archives);
    }
    linkage
}

/// Adds an object and its definitions; the names that it needs are added to `wanted`.
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
            symbol.place = if symbol.local {
                Place::Discarded(Discarded::Group)
            } else {
                Place::Undefined
            };
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
        let needed = symbol.place == Place::Undefined && !symbol.weak && !symbol.internal;
        if needed || symbol.searched {
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
                searched: symbol.searched,
                size: symbol.size,
                alignment,
            },
        );
        let other = match defined {
            Err(other) => match linkage.objects.get(other as usize) {
                Some(other) => format!(", and so does `{}`", other.name),
                None => " twice".to_owned(),
            },
            Ok(()) if strength == Strength::Strong => match public_exactly(session, program, &symbol.name) {
                Some(line) => format!(", and so does line {line} of the program"),
                None => continue,
            },
            Ok(()) => continue,
        };
        let (file, name) = (object.name.clone(), symbol.name.clone());
        let error = LinkError::new(format!("`{file}` defines the symbol `{name}`{other}"));
        linkage.report(
            session,
            error.with_help("keep one of the two, or make one of them local to its file"),
        );
    }
    linkage.objects.push(object);
}

/// The line on which the source defines the public symbol `name` in exactly this spelling.
fn public_exactly(session: &mut Session, program: &Program, name: &str) -> Option<u32> {
    let symbol = program.symbols.get(public(session, program, name)?)?;
    (*symbol.spelled == *name).then_some(symbol.span.line)
}

/// Whether the source says that its definition of a name, if it has one, gives way to others.
fn is_weak(session: &mut Session, name: &str) -> bool {
    let name = session.names.intern(name);
    session.names.info(name).weak
}

/// Reports names that objects use but nothing defines.
fn report_missing(session: &mut Session, program: &Program, linkage: &mut Linkage, archives: &ArchiveIndex) {
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
                let undefined = symbol.place == Place::Undefined && !symbol.weak && symbol.name != GOT;
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
            Found::Private(spelled) => *help = format!("make `{spelled}` public, which the program has"),
            // The search for a similar name takes time.
            Found::Nothing if explained < MOST_ERRORS => {
                explained += 1;
                let names = archives.by_name.keys().map(String::as_str);
                let public = program.symbols.table.iter().map(|symbol| &*symbol.spelled);
                if let Some(near) = nearest(name, names.chain(public)) {
                    *help = format!("did you mean `{near}`?");
                }
            }
            Found::Nothing => {}
        }
        if help.is_empty() {
            *help =
                "name the object or library that defines it, or define it in the source and make it public".to_owned();
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
        let error = LinkError::new(format!("`{file}` uses the undefined symbol `{name}` at {at}"));
        linkage.report(session, error.with_help(help));
    }
    // Unreadable members can be the cause only if names are missing.
    let unreadable: Vec<String> = archives
        .unreadable()
        .map(|(name, error)| format!("cannot link `{name}`: {error}"))
        .collect();
    for message in unreadable.into_iter().filter(|_| any) {
        linkage.report(session, LinkError::new(message));
    }
}
