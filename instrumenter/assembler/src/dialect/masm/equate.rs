//! Names for numbers and texts: `=`, `equ`, `textequ`, `typedef`.

use super::Keyword;
use super::Parser;
use super::argument::angle_literal;
use super::expression::expression;
use super::generated::later;
use super::keyword_at;
use super::line::uncommented_rest;
use super::procedure::declared_type;
use super::segment::pointed;
use crate::diag::Fault;
use crate::expression::Type;
use crate::lex::{Cursor, Kind};
use crate::names::{Made, NONE};
use crate::program::{Definition, evaluate};
use crate::statement::{Equated, Named, Statement};

/// `name = expression`.
pub(super) fn assign<'l>(
    parser: &mut Parser<'_>,
    named: Named<'l>,
    cursor: &mut Cursor<'l>,
) -> Result<Statement<'l>, Fault> {
    let place = cursor.here();
    parser.equating = true;
    let value = expression(parser, cursor);
    parser.equating = false;
    let value = value?;
    later(parser, cursor.expect_end());
    Ok(Statement::Assign { named, value, place })
}

/// `name equ text or expression`.
pub(super) fn equate<'l>(parser: &mut Parser<'_>, named: Named<'l>, cursor: &mut Cursor<'l>) -> Statement<'l> {
    let raw = uncommented_rest(cursor);
    if raw.starts_with('<') {
        // A semicolon in angle brackets begins no comment.
        let text = angle_literal(cursor.raw_rest()).map_or_else(|| raw.to_owned(), |(text, _)| text);
        return defined_text(parser, named, text, cursor);
    }
    let info = parser.session.names.info(named.name);
    // An address that a macro's local name stands for may be another one in the next line.
    let is_offset = raw
        .get(..7)
        .is_some_and(|word| word.trim_end().eq_ignore_ascii_case("offset"));
    if (info.text != NONE && !info.text_of_library) || (info.made == Made::Local && is_offset) {
        return defined_text(parser, named, raw.to_owned(), cursor);
    }
    if let [only] = cursor.tokens.get(cursor.at..).unwrap_or(&[])
        && only.kind == Kind::String
        && only.end - only.start > 3
    {
        // A string of several characters stays one, which may also be a number.
        return defined_text(parser, named, raw.to_owned(), cursor);
    }
    let mark = parser.session.expressions.mark();
    if cursor.tokens.len() - cursor.at == 1
        && let Some(target) = cursor.peek_name()
    {
        let info = parser.session.names.info(target);
        let symbol = parser.program.symbols.get(info.symbol);
        let known = symbol.is_some_and(|symbol| symbol.definition != Definition::Undefined);
        if !known || info.text != NONE || info.body != NONE {
            return defined_text(parser, named, raw.to_owned(), cursor);
        }
    }
    parser.equating = true;
    let parsed = expression(parser, cursor);
    parser.equating = false;
    let parsed = parsed.and_then(|id| Ok((id, evaluate(parser.session, parser.program, id)?)));
    if let Ok((id, value)) = parsed
        && cursor.done()
        && value.selector == NONE
    {
        let plain = value.is_number() && !value.relocatable && !value.explicit;
        if plain && !value.volatile {
            parser.session.expressions.forget(mark);
            let value = Equated::Number(value.number);
            return Statement::Equate { named, value };
        }
        if plain || (value.relocatable && value.base == value.index && value.segment == value.base) {
            let value = Equated::Expression(id);
            return Statement::Equate { named, value };
        }
    }
    parser.session.note_decision();
    parser.session.expressions.forget(mark);
    defined_text(parser, named, raw.to_owned(), cursor)
}

/// Defines a text macro by `equ`; that of a local name is known up to the end of its procedure.
fn defined_text<'l>(parser: &mut Parser<'_>, named: Named<'l>, text: String, cursor: &mut Cursor<'l>) -> Statement<'l> {
    let mut named = named;
    if parser.session.names.info(named.name).made == Made::Scoped {
        let local = parser.session.names.intern(named.spelled);
        named.name = parser.modes.labels.make_text(&mut parser.session.names, local);
    }
    self::text(named, text, cursor)
}

/// Defines a text macro as the rest of the line.
pub(super) fn text<'l>(named: Named<'l>, text: String, cursor: &mut Cursor<'l>) -> Statement<'l> {
    cursor.at = cursor.tokens.len();
    Statement::Text { named, text }
}

/// `name typedef type`. Text is substituted before parsing, so the name works wherever a type is allowed.
pub(super) fn type_definition<'l>(
    parser: &mut Parser<'_>,
    named: Named<'l>,
    cursor: &mut Cursor<'l>,
) -> Result<Statement<'l>, Fault> {
    let declared = declared_type(parser, &mut cursor.clone())?;
    if let Some(structure) = pointed(parser, *cursor) {
        parser.modes.pointers.insert(named.name, structure);
    }
    let alone = keyword_at(cursor) != Some(Keyword::Ptr) && cursor.tokens.len() == 3;
    let type_name = match declared.kind {
        Type::Structure(_) => cursor.rest().to_owned(),
        _ if alone => cursor.rest().to_owned(),
        Type::Bytes(2) => "word".to_owned(),
        Type::Bytes(6) => "fword".to_owned(),
        _ => "dword".to_owned(),
    };
    Ok(text(named, type_name, cursor))
}
