//! The type that a declaration names.

use super::Parser;
use super::keyword::Keyword;
use super::keyword_at;
use super::reserved::keyword;
use crate::expression::Type;
use crate::lex::Cursor;
use crate::names::NONE;

/// The type that a declaration gives to a name: `dword`, `near`, a structure, or `ptr` with what it points to.
pub(super) fn named_type(parser: &Parser<'_>, cursor: &mut Cursor<'_>) -> Option<Type> {
    let (word, _) = cursor.name()?;
    let structure = parser.session.names.info(word).structure;
    let kind = match keyword(word) {
        Some(Keyword::Ptr) => Some(Type::Bytes(parser.pointer(parser.modes.far_data))),
        Some(Keyword::Prototype) => {
            cursor.at = cursor.tokens.len();
            Some(parser.code())
        }
        Some(found) => parser.type_of(found),
        None if structure != NONE => Some(Type::Structure(structure)),
        None => parser.record_type(word).or_else(|| parser.procedure_type(word)),
    };
    if keyword(word) == Some(Keyword::Ptr) || keyword_at(cursor) == Some(Keyword::Ptr) {
        let far = kind == Some(Type::Far);
        while cursor.name().is_some() {}
        return Some(Type::Bytes(parser.pointer(far || parser.modes.far_data)));
    }
    kind
}
