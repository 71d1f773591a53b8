//! The entry point of a program.

use super::{Definition, Program, unknown};
use crate::diag::fault;
use crate::expression::{Location, NodeKind, Type};
use crate::operand::CodeSize;
use crate::session::Session;
use crate::spelling::nearest;
use p5_image::{Function, Image, Standalone, Symbol, SymbolKind, asked};
use std::collections::{BTreeSet, HashSet};

/// The usual names of labels at which programs start, the most usual first if there are several.
pub(crate) const STARTS: [&str; 5] = ["@startup", "start", "_start", "main", "_main"];

/// Another name of a label at which programs start: that of a procedure of Windows programs.
const OF_WINDOWS: &str = "winmain";

/// The label that `.startup` makes, where a program starts whose `end` names no other one.
pub(crate) fn startup(session: &mut Session, program: &Program) -> Option<Location> {
    let name = session.names.intern(STARTS[0]);
    let symbol = program.symbols.get(session.names.info(name).symbol)?;
    match symbol.definition {
        Definition::Address(location) => Some(location),
        _ => None,
    }
}

/// Whether the source says where a run begins: by `end`, or by the name of a label.
pub(crate) fn says_entry(program: &Program) -> bool {
    let mut starts = STARTS.iter().chain([&OF_WINDOWS]);
    program.begins.is_none()
        && (program.start.is_some() || starts.any(|name| program.symbols.location_of(name).is_some()))
}

/// The functions of a source, or all its labels of code.
fn places(program: &Program, all: bool) -> Vec<(&str, Location)> {
    let named: HashSet<&str> = program.functions.iter().map(String::as_str).collect();
    let labels = program
        .symbols
        .table
        .iter()
        .filter_map(|symbol| match symbol.definition {
            Definition::Address(location) if !symbol.hidden && !symbol.library => {
                let code = matches!(symbol.kind, Type::Near | Type::Far);
                let function = symbol.size > 0 || named.contains(&*symbol.spelled);
                (code && (all || function)).then_some((&*symbol.spelled, location))
            }
            _ => None,
        });
    labels.collect()
}

/// The place of the function that was asked for by its name.
fn asked_for(session: &mut Session, program: &Program, name: &str) -> Option<Location> {
    const LISTED: usize = 8;
    let functions = places(program, false);
    let is_meant = !asked::meant(functions.iter().map(|(name, _)| *name), name).is_empty();
    let places = match is_meant {
        true => functions,
        false => places(program, true),
    };
    if places.is_empty() && session.errors > 0 {
        // What could not be read may have it.
        return None;
    }
    let known = || places.iter().map(|(name, _)| *name);
    let meant = asked::meant(known(), name);
    if let [one] = asked::apart(&meant)[..] {
        return places
            .iter()
            .find(|(name, _)| *name == one)
            .map(|(_, location)| *location);
    }
    let near: BTreeSet<&str> = nearest(name, known())
        .into_iter()
        .chain(asked::containing(known(), name))
        .collect();
    let listed = |names: &mut dyn Iterator<Item = &str>| {
        let names: Vec<String> = names.take(LISTED).map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let (what, help) = match (meant.is_empty(), near.is_empty()) {
        (false, _) => (
            "several functions have that name",
            format!("write one of {}", listed(&mut meant.into_iter())),
        ),
        (true, false) => (
            "the source has no such function",
            format!("did you mean {}?", listed(&mut near.into_iter())),
        ),
        (true, true) if places.is_empty() => (
            "the source has no such function",
            "it has no function and no label of code".to_owned(),
        ),
        (true, true) => (
            "the source has no such function",
            format!("it has {}", listed(&mut known())),
        ),
    };
    session.report_without_place(format!("`--entry {name}`: {what}"), Some(help));
    None
}

/// The functions of a source that does not say where it begins; `image` executes one of them first.
pub(crate) fn standalone(program: &Program, image: &Image, entry: Location) -> Standalone {
    if says_entry(program) {
        return Standalone::default();
    }
    let named: HashSet<&str> = program.functions.iter().map(String::as_str).collect();
    let is_function = |symbol: &&Symbol| {
        let code = symbol.kind == SymbolKind::Code && !symbol.library;
        code && (symbol.size > 0 || named.contains(&*symbol.name))
    };
    let mut functions: Vec<Function> = image
        .symbols
        .iter()
        .filter(is_function)
        .map(|symbol| Function {
            name: symbol.name.clone(),
            address: symbol.value,
            size: symbol.size,
        })
        .collect();
    functions.sort_by_key(|function| function.address);
    functions.dedup_by_key(|function| function.address);
    Standalone {
        functions,
        entered: program.layout.linear(entry),
    }
}

/// The entry point of the user's program, if it has one; reports a start that is not a label.
pub(crate) fn entry(session: &mut Session, program: &Program) -> Option<Location> {
    if let Some(name) = &program.begins {
        return asked_for(session, program, name);
    }
    let Some((id, span)) = program.start else {
        let layout = &program.layout;
        let named = || STARTS.iter().find_map(|name| program.symbols.location_of(name));
        let named = if layout.snippet && !layout.sections {
            None
        } else {
            named()
        };
        return startup(session, program).or(named).or(layout.first_code);
    };
    if let NodeKind::Symbol(name, _) = session.expressions.node(id).kind {
        let symbol = program.symbols.get(session.names.info(name).symbol);
        match symbol.map(|symbol| symbol.definition) {
            Some(Definition::Address(location)) => return Some(location),
            Some(Definition::External) if program.is_module => return None,
            _ => {}
        }
        let problem = unknown(session, program, name, span);
        session.report(problem);
        return None;
    }
    session.report(fault(span, "expected the label where the program starts"));
    None
}

/// Notes where a segmented program starts; reports a start in 32-bit code, and warns of it in a module.
pub(crate) fn enter(session: &mut Session, program: &mut Program, entry: Location) {
    program.layout.entered = entry.segment;
    if program.is_module && program.start.is_none() && startup(session, program).is_none() {
        // Another module may say where the program starts.
        return;
    }
    if program.layout.segmented && program.layout.size_of(entry.segment) == CodeSize::Bits32 {
        let (_, place) = program.start.unwrap_or_default();
        let problem = fault(
            place,
            "a program with 16-bit segments starts in real mode, but this is 32-bit code",
        )
        .with_help("start it in a 16-bit segment; from there it can enter protected mode");
        match program.is_module {
            // A DOS extender may start it.
            true => session.warn(problem),
            false => session.report(problem),
        }
    }
}
