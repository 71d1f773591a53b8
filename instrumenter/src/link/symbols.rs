//! The program's names, as reports show them.

use crate::expression::Type;
use crate::program::{Definition, Program, evaluate};
use crate::session::Session;
use runtime::image::{Image, Symbol, SymbolKind};

pub(super) fn link_symbols(session: &Session, program: &Program, image: &mut Image) {
    for symbol in &program.symbols.table {
        if symbol.hidden {
            continue;
        }
        let (value, kind, size) = match symbol.definition {
            Definition::Frame(_) => continue,
            Definition::Undefined | Definition::External => continue,
            Definition::Number(number) => (number as u32, SymbolKind::Constant, 0),
            Definition::Address(location) => {
                let address = program.layout.address(location);
                match symbol.kind {
                    Type::Bytes(_) | Type::Structure(_) => {
                        let element = program.structures.size_of(symbol.kind);
                        (address, SymbolKind::Data { element }, symbol.size)
                    }
                    _ => (address, SymbolKind::Code, 0),
                }
            }
            Definition::Expression(id) => match evaluate(session, program, id) {
                Ok(value) if value.relocatable && !value.offset => {
                    let kind = match value.kind {
                        Type::Bytes(_) | Type::Structure(_) => {
                            let element = program.structures.size_of(value.kind);
                            SymbolKind::Data { element }
                        }
                        _ => SymbolKind::Code,
                    };
                    let size = match kind {
                        SymbolKind::Data { element } => element,
                        _ => 0,
                    };
                    (value.number as u32, kind, size)
                }
                Ok(value) => (value.number as u32, SymbolKind::Constant, 0),
                Err(_) => continue,
            },
        };
        image.symbols.push(Symbol {
            name: symbol.spelled.to_string(),
            value,
            size,
            kind,
            library: symbol.library,
        });
    }
}
