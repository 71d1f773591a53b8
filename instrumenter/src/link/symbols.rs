//! The program's names, as reports show them.

use crate::expression::Type;
use crate::program::{Definition, Program, evaluate};
use crate::session::Session;
use runtime::image::{ElementKind, Symbol, SymbolKind};

/// Every symbol that is neither hidden nor on a procedure's stack, in the order of definition.
pub(super) fn symbols(session: &Session, program: &Program) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for symbol in &program.symbols.table {
        if symbol.hidden {
            continue;
        }
        let place = |kind: Type, value: u32| match kind {
            Type::Bytes(_) | Type::Structure(_) => {
                let (element, kind) = match (symbol.smallest, kind) {
                    (0, Type::Structure(_)) => (program.structures.size_of(kind), ElementKind::Structure),
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
            // Another name for data is as large as one element.
            (SymbolKind::Data { element, .. }, _) => element,
            _ => 0,
        };
        symbols.push(Symbol {
            name: symbol.spelled.to_string(),
            value,
            size,
            kind,
            library: symbol.library,
        });
    }
    symbols
}
