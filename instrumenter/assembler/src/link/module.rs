//! A program that was read as a module: its segments, groups, symbols and fields, numbered among themselves.

use super::lines::{first_byte, segment_bytes};
use super::link;
use crate::expression::{Location, Type};
use crate::module::{Combine, Field, Module, Place, Segment, Symbol, Target, weak_definition};
use crate::names::NONE;
use crate::operand::CodeSize;
use crate::program::{Definition, Program, SegmentData, SegmentKind, evaluate, startup};
use crate::session::Session;
use crate::statement::Placing;
use std::collections::HashMap;

/// The module of a resolved program without errors.
pub(crate) fn module(
    session: &mut Session,
    program: &mut Program,
    encoded: &[[u8; 16]],
    entry: Option<Location>,
    end: Location,
) -> Option<Module> {
    let fields = program.fields.take()?;
    let place = |location: Location| (location.segment, offset_in_segment(program, location));
    let starts = program.start.is_some() || startup(session, program).is_some();
    let entry_place = entry.filter(|_| starts).map(place);
    let symbols = symbols(session, program, &fields);
    let segments: Vec<Segment> = program
        .layout
        .segments
        .iter()
        .map(|one| segment(program, one, encoded))
        .collect();
    let groups = program
        .layout
        .groups
        .iter()
        .map(|group| session.names.spelling(group.name).to_string());
    let mut module = Module {
        name: session.files.first().map_or_else(String::new, |file| file.name.clone()),
        segments,
        groups: groups.collect(),
        symbols,
        fields,
        libraries: session.libraries.clone(),
        entry: entry_place,
        segmented: program.layout.segmented,
        ordered: program.layout.ordered,
        com: program.layout.is_com(),
        by_case: session.names.is_by_case(),
        ..Module::default()
    };
    renumber(&mut module);
    name_weak(session, program);
    module.image = link(session, program, encoded, entry.unwrap_or(end), end);
    Some(module)
}

fn segment(program: &Program, one: &SegmentData, encoded: &[[u8; 16]]) -> Segment {
    let length = one.length();
    let first = match program.layout.segmented {
        true => first_byte(one).unwrap_or(length),
        false => 0,
    };
    let (mut bytes, _) = segment_bytes(one, encoded);
    bytes.drain(..bytes.len().min(first as usize));
    let code = one.kind == SegmentKind::Code;
    let (class, rank) = one.class_and_rank();
    let combine = match one.placing {
        Placing::Stack => Combine::Stack,
        Placing::At(paragraph) => Combine::At(paragraph),
        _ if one.role().is_some() => Combine::Public,
        _ => one.combine.unwrap_or_default(),
    };
    Segment {
        name: one.name.clone(),
        class: class.to_owned(),
        alignment: one.alignment,
        combine,
        wide: one.size == CodeSize::Bits32,
        code,
        rank,
        group: Some(one.group).filter(|&group| group != NONE),
        first,
        bytes,
        length,
        address: one.frame + one.base,
    }
}

/// The symbols that other modules define and fields use, then those that are public; in front of each other the order
/// of the table.
fn symbols(session: &mut Session, program: &Program, fields: &[Field]) -> Vec<Symbol> {
    let used: HashMap<u32, ()> = fields
        .iter()
        .filter_map(|field| match field.target {
            Target::Symbol(symbol) => Some((symbol, ())),
            _ => None,
        })
        .collect();
    let mut all = Vec::with_capacity(program.symbols.table.len());
    for (index, symbol) in program.symbols.table.iter().enumerate() {
        let name = session.names.intern(&symbol.spelled);
        let info = *session.names.info(name);
        let public = info.public && info.symbol == index as u32 && !symbol.library;
        let weak = info.weak && symbol.definition == Definition::External;
        // What gives way to others has its definition under a name of its own.
        let own = match weak {
            true => {
                let id = session.names.intern(&weak_definition(&symbol.spelled));
                program.symbols.get(session.names.info(id).symbol)
            }
            false => None,
        };
        let within = |location: Location| Place::In(location.segment, offset_in_segment(program, location));
        let definition = own.map_or(symbol.definition, |own| own.definition);
        let place = match definition {
            Definition::External if let Some(shared) = symbol.shared() => Some(Place::Common(shared)),
            Definition::External => used.contains_key(&(index as u32)).then_some(Place::Elsewhere),
            Definition::Address(location) if public || weak => Some(within(location)),
            Definition::Number(number) if public || weak => Some(Place::Number(number)),
            Definition::Expression(id) if public || weak => match evaluate(session, program, id) {
                Ok(value) if value.relocatable && value.anchor.0 != NONE => {
                    let own = program.layout.segments.get(value.anchor.0 as usize);
                    let base = own.map_or(0, |own| i64::from(own.base));
                    Some(Place::In(value.anchor.0, (value.number - base) as u32))
                }
                Ok(value) => Some(Place::Number(value.number)),
                Err(_) => None,
            },
            _ => None,
        };
        all.push(Symbol {
            name: info.decoration.of(&symbol.spelled),
            // A number of this kind is dropped when symbols are numbered anew.
            place: place.unwrap_or(Place::Number(i64::MIN)),
            code: matches!(symbol.kind, Type::Near | Type::Far | Type::None),
            weak,
            span: own.map_or(symbol.span, |own| own.span),
        });
    }
    all
}

/// Gives definitions that give way to others their names for reports.
fn name_weak(session: &mut Session, program: &mut Program) {
    for index in 0..program.symbols.table.len() {
        let symbol = &program.symbols.table[index];
        if symbol.definition != Definition::External {
            continue;
        }
        let spelled = symbol.spelled.clone();
        let name = session.names.intern(&spelled);
        if session.names.info(name).weak {
            let own = session.names.intern(&weak_definition(&spelled));
            let own = session.names.info(own).symbol;
            if let Some(own) = program.symbols.table.get_mut(own as usize) {
                own.spelled = spelled;
            }
        }
    }
}

/// Drops what is empty and not used, and numbers the rest.
fn renumber(module: &mut Module) {
    let mut needed: Vec<bool> = module
        .segments
        .iter()
        .map(|segment| segment.length > 0 || matches!(segment.combine, Combine::At(_)))
        .collect();
    let mut need = |target: Target| {
        if let Target::Segment(segment) = target
            && let Some(needed) = needed.get_mut(segment as usize)
        {
            *needed = true;
        }
    };
    for field in &module.fields {
        need(field.target);
        field.frame.into_iter().for_each(&mut need);
    }
    for symbol in &module.symbols {
        if let Place::In(segment, _) = symbol.place {
            need(Target::Segment(segment));
        }
    }
    module
        .entry
        .into_iter()
        .for_each(|(segment, _)| need(Target::Segment(segment)));
    let segments = kept(&mut module.segments, |index, _| needed[index]);
    let symbols = kept(&mut module.symbols, |_, symbol| symbol.place != Place::Number(i64::MIN));
    let to = |target: &mut Target| match target {
        Target::Segment(segment) => *segment = segments[*segment as usize],
        Target::Symbol(symbol) => *symbol = symbols[*symbol as usize],
        Target::Group(_) => {}
    };
    for field in &mut module.fields {
        field.segment = segments[field.segment as usize];
        to(&mut field.target);
        field.frame.iter_mut().for_each(to);
    }
    for symbol in &mut module.symbols {
        if let Place::In(segment, _) = &mut symbol.place {
            *segment = segments[*segment as usize];
        }
    }
    if let Some((segment, _)) = &mut module.entry {
        *segment = segments[*segment as usize];
    }
    module.fields.sort_by_key(|field| (field.segment, field.offset));
}

/// Keeps some items; returns the new number of each old one.
fn kept<T>(items: &mut Vec<T>, keeps: impl Fn(usize, &T) -> bool) -> Vec<u32> {
    let mut numbers = Vec::with_capacity(items.len());
    let mut index = 0;
    let mut next = 0;
    items.retain(|item| {
        let keep = keeps(index, item);
        numbers.push(if keep { next } else { NONE });
        index += 1;
        next += u32::from(keep);
        keep
    });
    numbers
}

/// The offset of a location from the start of its segment.
fn offset_in_segment(program: &Program, location: Location) -> u32 {
    let segment = program.layout.segments.get(location.segment as usize);
    let base = segment.map_or(0, |one| one.base);
    program.layout.address(location).wrapping_sub(base)
}
