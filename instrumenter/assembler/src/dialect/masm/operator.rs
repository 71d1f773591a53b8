//! Operators that are words, and the precedence of each operator.

use super::Parser;
use super::expression::{
    BOOLEAN_AND, BOOLEAN_NOT, BOOLEAN_OR, OVERRIDE, PART, PRODUCT, RELATION, SUM, TYPING, binary, binding,
    misplaced_instruction, prefixed, unary,
};
use super::field::{is_ptr, measured, measured_field};
use super::{Keyword, keyword, keyword_at};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, NodeKind, Type, Unary};
use crate::lex::{Cursor, Kind, Token};
use crate::names::NameId;
use crate::operand::{CodeSize, Memory};
use crate::program::evaluate;
use iced_x86::Register;

pub(super) fn operator(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    keyword: Keyword,
    token: Token,
    depth: u32,
) -> Result<ExpressionId, Fault> {
    let span = cursor.span(token);
    cursor.at += 1;
    if let Keyword::Near(Some(size)) | Keyword::Far(Some(size)) = keyword
        && size != parser.program.layout.current_size()
        && keyword_at(cursor) == Some(Keyword::Ptr)
    {
        cursor.at += 1;
        return through_other(parser, cursor, keyword, token, depth);
    }
    // `call far dword ptr x`: the size of the pointer says the distance once more.
    if matches!(keyword, Keyword::Near(_) | Keyword::Far(_))
        && matches!(keyword_at(cursor), Some(Keyword::TypeOfSize(_)))
        && cursor.peek_second().is_some_and(is_ptr)
    {
        return prefixed(parser, cursor, depth + 1);
    }
    if let Some(type_name) = parser.type_of(keyword) {
        if parser.modes.ideal && begins_operand(cursor) {
            let place = parser.session.expressions.push(NodeKind::TypeName(type_name), span);
            let operand = binding(parser, cursor, TYPING, depth + 1)?;
            return binary(parser, Binary::Ptr, place, operand, span);
        }
        if let Some(target) = without_ptr(parser, cursor, keyword, token)? {
            let place = parser.session.expressions.push(NodeKind::TypeName(type_name), span);
            let operand = binding(parser, cursor, TYPING, depth + 1)?;
            return binary(parser, Binary::Ptr, place, operand, target);
        }
        return Ok(parser.session.expressions.push(NodeKind::TypeName(type_name), span));
    }
    if matches!(keyword, Keyword::Mask | Keyword::Width) {
        let number = record_operator(parser, keyword, cursor)?;
        return Ok(parser.session.expressions.push(NodeKind::Number(number), span));
    }
    let (operator, strength) = match keyword {
        Keyword::Offset => (Unary::Offset, TYPING),
        Keyword::Seg => (Unary::Segment, TYPING),
        Keyword::Type => (Unary::Type, TYPING),
        Keyword::Attributes => (Unary::Attributes, TYPING),
        Keyword::This => (Unary::This, TYPING),
        // In IDEAL mode it measures all elements.
        Keyword::FirstSize if parser.modes.ideal => (Unary::Size, TYPING),
        Keyword::FirstSize => (Unary::FirstSize, TYPING),
        Keyword::Size => (Unary::Size, TYPING),
        Keyword::FirstLength => (Unary::FirstLength, TYPING),
        Keyword::Length => (Unary::Length, TYPING),
        Keyword::High => (Unary::High, PART),
        Keyword::Low => (Unary::Low, PART),
        Keyword::HighWord => (Unary::HighWord, PART),
        Keyword::LowWord => (Unary::LowWord, PART),
        Keyword::Not => (Unary::Not, BOOLEAN_NOT),
        Keyword::Short => (Unary::Short, BOOLEAN_OR),
        Keyword::Large => (Unary::Large, BOOLEAN_OR),
        Keyword::Small => (Unary::Small, BOOLEAN_OR),
        Keyword::And | Keyword::Or | Keyword::Xor | Keyword::Shl | Keyword::Shr => {
            let mut place = *cursor;
            place.at -= 1;
            return Err(misplaced_instruction(&place, token, true));
        }
        _ => {
            return Err(fault(
                span,
                format!("expected an operand, found directive `{}`", cursor.text(token)),
            ));
        }
    };
    if matches!(
        operator,
        Unary::Type | Unary::Size | Unary::Length | Unary::FirstSize | Unary::FirstLength
    ) && let Some(number) = measured_field(parser, operator, cursor)
    {
        return Ok(parser.session.expressions.push(NodeKind::Number(number), span));
    }
    let operand = match operator {
        Unary::Size | Unary::Length | Unary::FirstSize | Unary::FirstLength => measured(parser, cursor, depth + 1)?,
        _ => binding(parser, cursor, strength, depth + 1)?,
    };
    if operator == Unary::This {
        let here = parser.here();
        let place = parser.session.expressions.push(NodeKind::Here(here), span);
        return binary(parser, Binary::Ptr, operand, place, span);
    }
    unary(parser, operator, operand, span)
}

/// `near32 ptr`, `far16 ptr` and their kin where the size is not that of the code: a pointer in memory has a size of
/// its own.
fn through_other(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    keyword: Keyword,
    token: Token,
    depth: u32,
) -> Result<ExpressionId, Fault> {
    let span = cursor.span(token);
    let operand = binding(parser, cursor, TYPING, depth + 1)?;
    let memory = evaluate(parser.session, parser.program, operand).is_ok_and(|value| value.memory);
    let type_name = match keyword {
        Keyword::Near(Some(CodeSize::Bits16)) if memory => Type::Bytes(2),
        Keyword::Far(Some(CodeSize::Bits32)) if memory => Type::Bytes(6),
        Keyword::Near(_) | Keyword::Far(_) if memory => Type::Bytes(Memory::OTHER_POINTER),
        Keyword::Near(_) => Type::Near,
        _ => Type::Far,
    };
    let place = parser.session.expressions.push(NodeKind::TypeName(type_name), span);
    binary(parser, Binary::Ptr, place, operand, span)
}

/// The value of `mask field` or `width field`.
fn record_operator(parser: &Parser<'_>, keyword: Keyword, cursor: &mut Cursor<'_>) -> Result<i64, Fault> {
    let place = cursor.here();
    let field = cursor
        .name()
        .and_then(|(name, _)| parser.program.structures.bit_fields.get(&name));
    let Some(field) = field else {
        return Err(fault(place, "expected a record or a record field"));
    };
    if keyword == Keyword::Width {
        return Ok(i64::from(field.width));
    }
    Ok(((1i64 << field.width) - 1) << field.shift)
}

/// The span of a distance whose operand follows without `ptr`, as TASM takes it: `call far other`. A size is no
/// operator without `ptr`: before a name it is refused, and before a bracket it is a number that is added.
fn without_ptr(
    parser: &mut Parser<'_>,
    cursor: &Cursor<'_>,
    keyword: Keyword,
    token: Token,
) -> Result<Option<Span>, Fault> {
    let span = cursor.span(token);
    let Some(next) = cursor.peek() else { return Ok(None) };
    let is_name = matches!(next.kind, Kind::Name(name) if names_operand(parser, name));
    let is_bracket = next.kind == Kind::Mark(b'[');
    if !is_name && !is_bracket {
        return Ok(None);
    }
    let Keyword::TypeOfSize(size) = keyword else {
        let names = &parser.session.names;
        let register = matches!(next.kind, Kind::Name(name) if names.info(name).register != Register::None);
        let before = cursor.at.checked_sub(2).and_then(|at| cursor.tokens.get(at));
        let branches = before.is_some_and(|token| matches!(token.kind, Kind::Name(name) if names.info(name).branch));
        return Ok((branches && !register).then_some(span));
    };
    let (written, behind) = (cursor.text(token), cursor.text(next));
    if is_name {
        return Err(fault(span, format!("`{written}` takes `ptr` before its operand"))
            .with_help(format!("write `{written} ptr {behind}`")));
    }
    // A few lines without a segment may be for NASM, where this is a size.
    if parser.program.layout.snippet {
        return Ok(None);
    }
    let message = format!("`{written}` without `ptr` is a number: {size} is added to the address");
    let help = format!("write `{written} ptr [...]` for the size of the operand");
    parser.session.warn(fault(span, message).with_help(help));
    Ok(None)
}

/// Whether a name is that of an operand: a symbol, or a register.
fn names_operand(parser: &Parser<'_>, name: NameId) -> bool {
    keyword(name).is_none_or(Keyword::may_be_a_name) && !parser.session.names.info(name).mnemonic
}

/// Whether an operand follows the cursor, so that in IDEAL mode a preceding type applies to it.
pub(super) fn begins_operand(cursor: &Cursor<'_>) -> bool {
    match cursor.peek().map(|token| token.kind) {
        Some(Kind::Name(name)) => keyword(name).is_none_or(|word| {
            let operators = [
                Keyword::Offset,
                Keyword::Large,
                Keyword::Small,
                Keyword::Low,
                Keyword::High,
                Keyword::Size,
                Keyword::FirstSize,
                Keyword::Length,
                Keyword::FirstLength,
                Keyword::Mask,
                Keyword::Width,
            ];
            // A name may stand for an operand with a type of its own: `dword word bp+4`.
            let typed = matches!(word, Keyword::Near(_) | Keyword::Far(_) | Keyword::TypeOfSize(_));
            word.may_be_a_name() || operators.contains(&word) || typed
        }),
        Some(Kind::Mark(b'[' | b'(' | b'$' | b'-') | Kind::Number(_) | Kind::String) => true,
        _ => false,
    }
}

pub(super) fn type_of(keyword: Keyword) -> Option<Type> {
    match keyword {
        Keyword::TypeOfSize(size) => Some(Type::Bytes(size)),
        Keyword::Near(_) => Some(Type::Near),
        Keyword::Far(_) => Some(Type::Far),
        _ => None,
    }
}

/// The operator at the cursor and its precedence; `LOWEST` if there is none.
pub(super) fn infix(parser: &Parser<'_>, cursor: &Cursor<'_>) -> Option<(Binary, u8)> {
    let token = cursor.peek()?;
    let found = match token.kind {
        Kind::Mark(b'+') => (Binary::Add, SUM),
        Kind::Mark(b'-') => (Binary::Subtract, SUM),
        Kind::Mark(b'*') => (Binary::Multiply, PRODUCT),
        Kind::Mark(b'/') => (Binary::Divide, PRODUCT),
        Kind::Mark(b':') => (Binary::Override, OVERRIDE),
        Kind::Name(name) => match keyword(name)? {
            Keyword::Mod => (Binary::Modulo, PRODUCT),
            Keyword::Shl => (Binary::ShiftLeft, PRODUCT),
            Keyword::Shr if parser.program.layout.is_of_gnu() => (Binary::ShiftRightOf64, PRODUCT),
            Keyword::Shr => (Binary::ShiftRight, PRODUCT),
            Keyword::Equal => (Binary::Equal, RELATION),
            Keyword::NotEqual => (Binary::NotEqual, RELATION),
            Keyword::Less => (Binary::Less, RELATION),
            Keyword::LessOrEqual => (Binary::LessOrEqual, RELATION),
            Keyword::Greater => (Binary::Greater, RELATION),
            Keyword::GreaterOrEqual => (Binary::GreaterOrEqual, RELATION),
            Keyword::And => (Binary::And, BOOLEAN_AND),
            Keyword::Or => (Binary::Or, BOOLEAN_OR),
            Keyword::Xor => (Binary::Xor, BOOLEAN_OR),
            Keyword::Ptr => (Binary::Ptr, TYPING),
            _ => return None,
        },
        _ => return None,
    };
    Some(found)
}
