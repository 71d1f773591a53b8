//! The smallest dialect. The measuring macros work in it as in any other, which are read in the library's dialect.

use super::{Dialect, Parsed, Parser, named};
use crate::expression::Type;
use crate::lex::Cursor;
use crate::statement::{Data, Item, Statement};

/// The smallest dialect, a pattern for others: labels, bytes, instructions with blanks between operands, and calls of
/// macros. It is not among [`DIALECTS`](crate::DIALECTS), and no option of the command selects it.
#[doc(hidden)]
pub static TOY: Dialect = Dialect::new("toy", statement);

fn statement<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    let Some(named) = named(cursor) else {
        return Ok(None);
    };
    let (name, span) = (named.name, named.span);
    if cursor.eat(b'>') {
        return Ok(Some(Statement::Label { named, global: true }));
    }
    if named.spelled != "bytes" && !parser.session.names.info(name).mnemonic {
        let arguments = cursor.take_rest().split_whitespace().map(String::from).collect();
        return Ok(Some(Statement::Call {
            name,
            arguments,
            places: Vec::new(),
            span,
        }));
    }
    parser.buffers.begin(name, span, parser.session.origin);
    while let Some(token) = cursor.next() {
        let (id, span) = (parser.atom(cursor, token)?, cursor.span(token));
        parser.buffers.items.list.push(Item::Expression { id, span });
        parser.buffers.instruction.add(id);
    }
    Ok(Some(match named.spelled {
        "bytes" => Statement::Data(Data::new(None, Type::Bytes(1), span)),
        _ => Statement::Instruction,
    }))
}
