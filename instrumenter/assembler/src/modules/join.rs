//! Several modules as one program: segments of one name and class become one, names find their definitions, and the
//! fields that hold addresses are filled in.

mod common;
mod image;
mod place;

use super::{Combine, Field, Holds, Module, Place, Problem, Target};
use crate::diag::Span;
use crate::program::STARTS;
use crate::spelling::nearest;
use p5_image::Image;
use place::Placed;
use std::collections::HashMap;

/// Modules joined.
#[derive(Clone, Debug, Default)]
pub struct Joined {
    /// The program.
    pub image: Image,
    /// The addresses of fields that hold a paragraph, which depends on where DOS loads the program.
    pub paragraphs: Vec<u32>,
    /// The module and the place of the first of them.
    pub paragraph_at: Option<(usize, Span)>,
    /// The address of the first byte.
    pub first: u32,
    /// The address at which DOS loads an EXE file.
    pub loaded: u32,
    /// The address after the last byte.
    pub end: u32,
    /// Whether a segment is the stack.
    pub has_stack: bool,
}

/// The most problems that are reported.
const MOST_PROBLEMS: usize = 50;

/// Joins modules in their order. A flat program begins at the address `flat`, with each segment at a new page if it is
/// `paged`.
pub fn join(modules: &[Module], flat: u32, paged: bool) -> Result<Joined, Vec<Problem>> {
    let segmented = modules.iter().any(|module| module.segmented);
    if let Some(other) = modules.iter().find(|module| module.segmented != segmented) {
        let message = format!(
            "`{}` is flat 32-bit code, and other modules have 16-bit segments",
            other.name
        );
        let help = "give all modules 16-bit segments, with the same `.model`, or none";
        return Err(vec![Problem::new(message, help)]);
    }
    let modules = &*common::made(modules)?;
    let entry = entry(modules)?;
    let mut placed = Placed::new(modules, segmented, flat, paged, entry);
    let mut problems = placed.problems(modules);
    let names = definitions(modules, &mut problems);
    let mut paragraphs = Vec::new();
    let mut paragraph_at = None;
    let mut missing = Vec::new();
    for (number, module) in modules.iter().enumerate() {
        for field in &module.fields {
            let found = match field.target {
                Target::Symbol(symbol) => match find(modules, &names, number, symbol) {
                    Some(found) => found,
                    // What may be missing is 0 then.
                    None if module.symbols.get(symbol as usize).is_some_and(|symbol| symbol.weak) => Found {
                        module: number,
                        target: None,
                        offset: 0,
                    },
                    None => {
                        missing.push((number, symbol));
                        continue;
                    }
                },
                target => Found {
                    module: number,
                    target: Some(target),
                    offset: 0,
                },
            };
            match placed.value(number, field, &found) {
                Ok(value) => {
                    if field.holds == Holds::Paragraph && found.target.is_some() {
                        paragraph_at = paragraph_at.or(Some((number, field.span)));
                        paragraphs.push(placed.address(number, field.segment) + field.offset);
                    }
                    placed.put(number, field, value);
                }
                Err(problem) => problems.push(out_of_reach(modules, number, field, problem)),
            }
        }
    }
    missing.sort_unstable();
    missing.dedup();
    problems.extend(
        missing
            .into_iter()
            .map(|(module, symbol)| undefined(modules, module, symbol)),
    );
    if !problems.is_empty() {
        problems.truncate(MOST_PROBLEMS);
        return Err(problems);
    }
    paragraphs.sort_unstable();
    Ok(Joined {
        paragraph_at,
        ..placed.joined(modules, segmented, entry, paragraphs)
    })
}

/// The module and the place in it at which the program starts: where a module says so, otherwise in the first one.
fn entry(modules: &[Module]) -> Result<(usize, (u32, u32)), Vec<Problem>> {
    let mut starts = modules
        .iter()
        .enumerate()
        .filter_map(|(number, module)| Some((number, module.entry?)));
    let first = starts.next();
    if let (Some((one, _)), Some((other, _))) = (first, starts.next()) {
        let message = format!(
            "both `{}` and `{}` say where the program starts",
            modules[one].name, modules[other].name
        );
        return Err(vec![Problem::new(
            message,
            "several sources are modules of one program: run programs one by one, or remove the label after `end` in \
             all modules but one",
        )]);
    }
    let begins = |module: &Module| {
        let named = |name: &str| {
            let symbol = module
                .symbols
                .iter()
                .find(|symbol| symbol.name.eq_ignore_ascii_case(name) && symbol.code)?;
            match symbol.place {
                Place::In(segment, offset) => Some((segment, offset)),
                _ => None,
            }
        };
        STARTS.iter().find_map(|name| named(name))
    };
    let named = modules
        .iter()
        .enumerate()
        .find_map(|(number, module)| Some((number, begins(module)?)));
    let code = |module: &Module| {
        let number = module
            .segments
            .iter()
            .position(|segment| segment.code && segment.length > 0)?;
        Some((number as u32, module.segments[number].first))
    };
    let any = || {
        modules
            .iter()
            .enumerate()
            .find_map(|(number, module)| Some((number, code(module)?)))
    };
    first.or(named).or_else(any).ok_or_else(|| {
        let help = "write instructions in a code segment, and the label where they start after `end`";
        vec![Problem::new("no module has instructions to run", help)]
    })
}

/// What a symbol is: an offset in a segment of a module, or a number.
struct Found {
    module: usize,
    target: Option<Target>,
    offset: i64,
}

/// The public names, in their exact spelling and in lower case.
#[derive(Default)]
struct Definitions {
    exact: HashMap<String, (usize, usize)>,
    folded: HashMap<String, (usize, usize)>,
}

/// Whether both are the same number, which modules may share.
fn is_same_number(one: Place, other: Place) -> bool {
    matches!(one, Place::Number(_)) && one == other
}

fn definitions(modules: &[Module], problems: &mut Vec<Problem>) -> Definitions {
    let mut all = Definitions::default();
    for (number, module) in modules.iter().enumerate() {
        for (index, symbol) in module.symbols.iter().enumerate() {
            if symbol.place == Place::Elsewhere {
                continue;
            }
            let known = all.exact.get(&symbol.name);
            let known = known.map(|&(other, first)| (other, &modules[other].symbols[first]));
            // What gives way is used only if nothing else has its name.
            if symbol.weak && known.is_some() {
                continue;
            }
            if let Some((other, first)) = known
                && !first.weak
                && !is_same_number(first.place, symbol.place)
            {
                let (one, line) = (&modules[other].name, first.span.line);
                let message = format!("`{}` is already public in line {line} of `{one}`", symbol.name);
                let help = "rename one of them, or make one of them private to its module";
                problems.push(Problem::new(message, help).at(number, symbol.span));
            }
            all.exact.insert(symbol.name.clone(), (number, index));
            let folded = all
                .folded
                .entry(symbol.name.to_ascii_lowercase())
                .or_insert((number, index));
            if modules[folded.0].symbols[folded.1].weak {
                *folded = (number, index);
            }
        }
    }
    all
}

fn find(modules: &[Module], names: &Definitions, module: usize, symbol: u32) -> Option<Found> {
    let wanted = &modules[module].symbols.get(symbol as usize)?.name;
    let found = names
        .exact
        .get(wanted)
        .or_else(|| names.folded.get(&wanted.to_ascii_lowercase()));
    let &(module, index) = found?;
    match modules[module].symbols[index].place {
        Place::In(segment, offset) => Some(Found {
            module,
            target: Some(Target::Segment(segment)),
            offset: i64::from(offset),
        }),
        Place::Number(number) => Some(Found {
            module,
            target: None,
            offset: number,
        }),
        Place::Elsewhere | Place::Common(_) => None,
    }
}

fn undefined(modules: &[Module], module: usize, symbol: u32) -> Problem {
    let symbol = &modules[module].symbols[symbol as usize];
    let message = format!("no module defines `{}`", symbol.name);
    let public = modules.iter().flat_map(|module| &module.symbols);
    let public = public
        .filter(|symbol| symbol.place != Place::Elsewhere)
        .map(|symbol| symbol.name.as_str());
    let known = |module: &&Module| {
        let mut symbols = module.image.symbols.iter();
        symbols.any(|one| one.name.eq_ignore_ascii_case(&symbol.name))
    };
    let help = match (modules.iter().find(known), nearest(&symbol.name, public)) {
        (Some(other), _) => format!("write `public {}` in `{}`", symbol.name, other.name),
        (None, Some(near)) => format!("did you mean `{near}`?"),
        (None, None) => "name the module that defines it, too".to_owned(),
    };
    Problem::new(message, help).at(module, symbol.span)
}

fn out_of_reach(modules: &[Module], number: usize, field: &Field, why: String) -> Problem {
    let module = &modules[number];
    let segment = module
        .segments
        .get(field.segment as usize)
        .map_or("", |segment| &segment.name);
    let target = match field.target {
        Target::Symbol(symbol) => module.symbols.get(symbol as usize).map_or("", |symbol| &symbol.name),
        Target::Segment(segment) => module
            .segments
            .get(segment as usize)
            .map_or("", |segment| &segment.name),
        Target::Group(group) => module.groups.get(group as usize).map_or("", |group| group),
    };
    let message = format!("`{target}`, used in `{segment}`, {why}");
    let help = "put both into one segment or group of at most 64 KiB, or use a far call and a far pointer";
    Problem::new(message, help).at(number, field.span)
}
