//! Fields of structures: after an operand, after a register in brackets, and by their names alone.

use super::expression::{TYPING, binary, binding, check_depth, prefixed};
use super::{Keyword, Parser, keyword};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, Expressions, NodeKind, Type, Unary};
use crate::lex::{Cursor, Kind, Token};
use crate::names::{NONE, NameId, NameInfo};
use crate::program::StructureField;
use iced_x86::Register;

/// The operand of `size` and similar operators: a name and its fields. Brackets after it add to the size.
pub(super) fn measured(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, depth: u32) -> Result<ExpressionId, Fault> {
    let operand = prefixed(parser, cursor, depth)?;
    with_fields(parser, cursor, operand, depth)
}

pub(super) fn is_ptr(token: Token) -> bool {
    matches!(token.kind, Kind::Name(name) if keyword(name) == Some(Keyword::Ptr))
}

/// The operand with the fields after it.
pub(super) fn with_fields(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    operand: ExpressionId,
    depth: u32,
) -> Result<ExpressionId, Fault> {
    let mut left = operand;
    loop {
        if cursor.is(b'.') {
            let span = cursor.here();
            cursor.at += 1;
            if cursor.is(b'[') {
                return Ok(left);
            }
            if let Some(token) = cursor.peek()
                && matches!(token.kind, Kind::Number(_))
            {
                cursor.at += 1;
                let number = parser.atom(cursor, token)?;
                left = binary(parser, Binary::Index, left, number, span)?;
                continue;
            }
            if cursor.peek_second().is_some_and(is_ptr) {
                // `[bp].word ptr 4`, where a name stands for `word ptr 4`.
                let typed = binding(parser, cursor, TYPING, depth + 1)?;
                left = binary(parser, Binary::Index, left, typed, span)?;
                continue;
            }
            let Some((field, _)) = cursor.name() else {
                return Err(fault(cursor.here(), "expected a field name after `.`"));
            };
            let NameInfo {
                structure, register, ..
            } = *parser.session.names.info(field);
            if (register.is_gpr16() || register.is_gpr32()) && !parser.program.structures.fields.contains_key(&field) {
                // `[bx.si]`: the point adds, as it does before a number.
                let register = parser.session.expressions.push(NodeKind::Register(register), span);
                left = binary(parser, Binary::Index, left, register, span)?;
                continue;
            }
            if structure != NONE && cursor.is(b'.') {
                // `[ebx].POINT.x`: the structure name gives the type at the address.
                let type_name = parser
                    .session
                    .expressions
                    .push(NodeKind::TypeName(Type::Structure(structure)), span);
                left = binary(parser, Binary::Ptr, type_name, left, span)?;
                continue;
            }
            left = typed_register(parser, left);
            left = base_register(parser, left);
            left = pointed_to(parser, left, field, span)?;
            left = parser.session.expressions.push(NodeKind::Field(left, field), span);
            check_depth(parser, left)?;
        } else {
            return Ok(left);
        }
    }
}

/// `(point ptr bx)` before a field: the register is the base of the address.
fn typed_register(parser: &mut Parser<'_>, owner: ExpressionId) -> ExpressionId {
    let expressions = &mut parser.session.expressions;
    let node = *expressions.node(owner);
    let NodeKind::Binary(Binary::Ptr, type_name, register) = node.kind else {
        return owner;
    };
    if !matches!(expressions.node(register).kind, NodeKind::Register(_)) {
        return owner;
    }
    let place = expressions.node(register).span;
    let base = expressions.push(NodeKind::Unary(Unary::Bracket, register), place);
    expressions.push(NodeKind::Binary(Binary::Ptr, type_name, base), node.span)
}

/// `bx` of `bx.field` in brackets, as `[bx].field` has it: the register is the base of the address.
fn base_register(parser: &mut Parser<'_>, owner: ExpressionId) -> ExpressionId {
    let expressions = &mut parser.session.expressions;
    let node = *expressions.node(owner);
    match node.kind {
        NodeKind::Register(_) if parser.modes.brackets > 0 => {
            expressions.push(NodeKind::Unary(Unary::Bracket, owner), node.span)
        }
        _ => owner,
    }
}

/// `[esi]` before a field, with the type of the structure that ESI is assumed to point to.
fn pointed_to(parser: &mut Parser<'_>, owner: ExpressionId, field: NameId, span: Span) -> Result<ExpressionId, Fault> {
    let expressions = &parser.session.expressions;
    let NodeKind::Unary(Unary::Bracket | Unary::Subscript, inside) = expressions.node(owner).kind else {
        return Ok(owner);
    };
    let Some(base) = first_register(expressions, inside) else {
        return Ok(owner);
    };
    match assumed(parser, base) {
        Some(structure @ Type::Structure(_)) => {
            let type_name = parser.session.expressions.push(NodeKind::TypeName(structure), span);
            binary(parser, Binary::Ptr, type_name, owner, span)
        }
        _ => {
            warn_of_several(parser, field, span);
            Ok(owner)
        }
    }
}

/// The register that an address begins with: ESI in `esi` and `esi+4`.
fn first_register(expressions: &Expressions, inside: ExpressionId) -> Option<Register> {
    match expressions.node(inside).kind {
        NodeKind::Register(register) => Some(register),
        NodeKind::Binary(Binary::Add, left, _) => match expressions.node(left).kind {
            NodeKind::Register(register) => Some(register),
            _ => None,
        },
        _ => None,
    }
}

/// What a register is assumed to point to.
fn assumed(parser: &Parser<'_>, base: Register) -> Option<Type> {
    let general = base.is_gpr16() || base.is_gpr32();
    parser.modes.pointed[base.number() & 7].filter(|_| general)
}

/// `[ebx]` as an operand, with the size of what EBX is assumed to point to: `assume ebx:ptr word`.
pub(super) fn sized(parser: &mut Parser<'_>, operand: ExpressionId) -> Result<ExpressionId, Fault> {
    let expressions = &parser.session.expressions;
    let mut node = expressions.node(operand).kind;
    if let NodeKind::Binary(Binary::Override, _, memory) = node {
        node = expressions.node(memory).kind;
    }
    let NodeKind::Unary(Unary::Bracket | Unary::Subscript, inside) = node else {
        return Ok(operand);
    };
    let base = first_register(expressions, inside);
    let Some(size @ Type::Bytes(_)) = base.and_then(|base| assumed(parser, base)) else {
        return Ok(operand);
    };
    let span = parser.session.expressions.extent(operand);
    let type_name = parser.session.expressions.push(NodeKind::TypeName(size), span);
    binary(parser, Binary::Ptr, type_name, operand, span)
}

/// Warns of a field that several structures have at different offsets, where nothing says which one is meant.
fn warn_of_several(parser: &mut Parser<'_>, field: NameId, span: Span) {
    if !parser.program.structures.several.contains(&field) {
        return;
    }
    let name = parser.session.names.spelling(field).to_owned();
    let message = format!("several structures have a field `{name}`: the one of the last structure is meant here");
    let help = format!("write the structure before the field: `[bx].structure.{name}`");
    parser.session.warn(fault(span, message).with_help(help));
}

/// The field of this name that the open structure has so far, if the name means nothing else.
fn open_field<'p>(parser: &'p Parser<'_>, name: NameId) -> Option<&'p StructureField> {
    let open = parser.program.structures.open.as_ref()?;
    let known = !open.names.contains(&name) || parser.session.names.info(name).symbol != NONE;
    let mut fields = open.structure.fields.iter().filter(|_| !known);
    fields.find(|field| field.name == name)
}

/// What an operator tells of the size of a field of the structure that is open, if the cursor is at one.
pub(super) fn measured_field(parser: &Parser<'_>, operator: Unary, cursor: &mut Cursor<'_>) -> Option<i64> {
    let mut behind = *cursor;
    let (name, _) = behind.name()?;
    let field = open_field(parser, name).filter(|_| !behind.is(b'.'))?;
    *cursor = behind;
    let element = i64::from(parser.program.structures.size_of(field.kind));
    Some(match operator {
        Unary::Size => i64::from(field.size),
        Unary::Length => i64::from(field.count),
        Unary::FirstLength => i64::from(field.first),
        Unary::FirstSize => i64::from(field.first) * element,
        _ => element,
    })
}

/// The field of a structure by its name alone, which MASM up to version 5 gives the field's offset and type.
pub(super) fn plain_field(parser: &mut Parser<'_>, name: NameId, span: Span) -> Option<ExpressionId> {
    if let Some(field) = open_field(parser, name) {
        let offset = NodeKind::Number(i64::from(field.offset));
        return Some(parser.session.expressions.push(offset, span));
    }
    let &structure = parser
        .program
        .structures
        .fields
        .get(&name)
        .filter(|_| !parser.modes.ideal)?;
    parser.session.names.info_mut(name).plain_field = span.line;
    warn_of_several(parser, name, span);
    let owner = NodeKind::TypeName(Type::Structure(structure));
    let owner = parser.session.expressions.push(owner, span);
    Some(parser.session.expressions.push(NodeKind::Field(owner, name), span))
}
