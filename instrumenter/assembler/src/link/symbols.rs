//! The program's names for reports.

use crate::expression::{Location, Type};
use crate::names::NONE;
use crate::program::{Definition, Program, evaluate};
use crate::session::Session;
use p5_image::{ElementKind, Field, Structure, Symbol, SymbolKind};
use std::collections::HashMap;

/// Every symbol that is neither hidden nor on a procedure's stack, in the order of definition.
pub(super) fn symbols(session: &Session, program: &Program) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    let ends: HashMap<u32, Location> = program.procedures.ended.iter().copied().collect();
    for (number, symbol) in (0..).zip(&program.symbols.table) {
        if symbol.hidden {
            continue;
        }
        let place = |kind: Type, value: u32| match kind {
            Type::Bytes(_) | Type::Structure(_) => {
                let (element, kind) = match (symbol.smallest, kind) {
                    (0, Type::Structure(number)) => (program.structures.size_of(kind), ElementKind::Structure(number)),
                    (0, _) => (program.structures.size_of(kind), symbol.elements),
                    (smallest, _) => (u32::from(smallest), ElementKind::Unsigned),
                };
                (value, SymbolKind::Data { element, kind })
            }
            Type::None | Type::Near | Type::Far => (value, SymbolKind::Code),
        };
        let (value, kind) = match symbol.definition {
            Definition::Frame(..) | Definition::Undefined | Definition::External | Definition::Linked(_) => continue,
            Definition::Number(number) => (number as u32, SymbolKind::Constant),
            Definition::Address(location) => place(symbol.kind, program.layout.linear(location)),
            Definition::Expression(id) => match evaluate(session, program, id) {
                Ok(value) if value.relocatable && !value.offset => place(value.kind, value.linear(program)),
                Ok(value) => (value.number as u32, SymbolKind::Constant),
                Err(_) => continue,
            },
        };
        let size = match (kind, symbol.definition) {
            (SymbolKind::Data { .. }, Definition::Address(_)) => symbol.size.max(symbol.extent),
            // Another name for data has the size of one element.
            (SymbolKind::Data { element, .. }, _) => element,
            // The procedure has ended, and its jumps have their sizes; a label covers nothing.
            (SymbolKind::Code, Definition::Address(_)) => match ends.get(&number) {
                Some(&end) => program.layout.linear(end).saturating_sub(value),
                None => symbol.size,
            },
            _ => 0,
        };
        symbols.push(Symbol {
            name: symbol.spelled.to_string(),
            value,
            size,
            kind,
            library: symbol.library,
            typed: true,
        });
    }
    symbols
}

/// The labels that are not among these, because they have a meaning of their own in one part of the source.
pub(super) fn local_labels(program: &Program) -> Vec<(u32, String)> {
    let local = program
        .symbols
        .table
        .iter()
        .filter(|symbol| symbol.scoped && !symbol.library);
    let places = local.filter_map(|symbol| match (symbol.kind, symbol.definition) {
        (Type::Near | Type::Far, Definition::Address(location)) => {
            Some((program.layout.linear(location), symbol.spelled.to_string()))
        }
        _ => None,
    });
    places.collect()
}

/// The fields of the structures, by their numbers; empty if no data has a structure.
pub(super) fn structures(session: &Session, program: &Program, symbols: &[Symbol]) -> Vec<Structure> {
    let used = symbols.iter().any(|symbol| {
        let kind = symbol.kind;
        matches!(
            kind,
            SymbolKind::Data {
                kind: ElementKind::Structure(_),
                ..
            }
        )
    });
    let all = program.structures.all.iter().filter(|_| used);
    all.map(|structure| {
        let fields = structure.fields.iter().map(|field| Field {
            name: if field.name == NONE {
                String::new()
            } else {
                session.names.spelling(field.name).to_string()
            },
            offset: field.offset,
            size: field.size,
            element: program.structures.size_of(field.kind),
            kind: match field.kind {
                Type::Structure(number) => ElementKind::Structure(number),
                _ => field.elements,
            },
        });
        Structure {
            fields: fields.collect(),
        }
    })
    .collect()
}
