//! Expressions: parses tokens to nodes, with MASM's documented operator precedence.

use super::Parser;
use super::field::{plain_field, with_fields};
use super::operator::{begins_operand, infix, operator};
use super::record::record_value;
use super::{Keyword, keyword, numbered};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, NodeKind, Type, Unary, arithmetic};
use crate::lex::{Cursor, Kind, Token, string_bytes};
use crate::names::{NONE, NameId};
use crate::program::{self, Definition, Program};
use crate::session::{Open, Session};
use iced_x86::Register;
use std::rc::Rc;

pub(super) const LOWEST: u8 = 0;
pub(super) const BOOLEAN_OR: u8 = 1;
pub(super) const BOOLEAN_AND: u8 = 2;
pub(super) const BOOLEAN_NOT: u8 = 3;
pub(super) const RELATION: u8 = 4;
pub(super) const SUM: u8 = 5;
pub(super) const PRODUCT: u8 = 6;
pub(super) const SIGN: u8 = 7;
pub(super) const PART: u8 = 8;
pub(super) const TYPING: u8 = 9;
pub(super) const OVERRIDE: u8 = 10;

/// Parses an expression that must be a number at this point.
pub(super) fn constant(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<i64, Fault> {
    number(parser, cursor, program::constant)
}

/// Parses the expression of a condition, which may ask for what comes later.
pub(super) fn condition_number(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<i64, Fault> {
    number(parser, cursor, program::condition_value)
}

fn number(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    value: fn(&mut Session, &Program, ExpressionId, Span, usize) -> Result<i64, Fault>,
) -> Result<i64, Fault> {
    let mark = parser.session.expressions.mark();
    let span = cursor.here();
    let id = expression(parser, cursor)?;
    let number = value(parser.session, parser.program, id, span, mark);
    parser.session.note_decision();
    number
}

/// Parses one expression; it ends before a comma, an unmatched bracket or any token that cannot continue it.
pub(super) fn expression(parser: &mut Parser<'_>, cursor: &mut Cursor) -> Result<ExpressionId, Fault> {
    binding(parser, cursor, LOWEST, 0)
}

pub(super) fn binding(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    least: u8,
    depth: u32,
) -> Result<ExpressionId, Fault> {
    if depth > parser.session.limits.nesting {
        return Err(fault(
            cursor.here(),
            format!("the expression is nested deeper than {}", parser.session.limits.nesting),
        ));
    }
    let mut left = operand_expression(parser, cursor, depth)?;
    while let Some((operator, strength)) = infix(parser, cursor) {
        if strength < least || strength == LOWEST {
            break;
        }
        let span = cursor.here();
        cursor.at += 1;
        // `ds:dword ptr [ebx]`: a type may follow the override, and another type, as where a name stands for
        // `dword ptr [bp+6]` and the source has `word ptr name`.
        let least = match operator {
            Binary::Override | Binary::Ptr => TYPING,
            _ => strength + 1,
        };
        let right = binding(parser, cursor, least, depth + 1)?;
        left = binary(parser, operator, left, right, span)?;
    }
    Ok(left)
}

pub(super) fn binary(
    parser: &mut Parser<'_>,
    operator: Binary,
    left: ExpressionId,
    right: ExpressionId,
    span: Span,
) -> Result<ExpressionId, Fault> {
    if let (NodeKind::Number(first), NodeKind::Number(second)) = (
        parser.session.expressions.node(left).kind,
        parser.session.expressions.node(right).kind,
    ) && let Some(number) = arithmetic(operator, first, second)
    {
        parser.session.note_operands(operator, [left, right], [first, second]);
        let whole = parser.session.expressions.node(left).span;
        return Ok(parser.session.expressions.push(NodeKind::Number(number), whole));
    }
    let id = parser
        .session
        .expressions
        .push(NodeKind::Binary(operator, left, right), span);
    check_depth(parser, id)?;
    Ok(id)
}

pub(super) fn check_depth(parser: &Parser<'_>, id: ExpressionId) -> Result<(), Fault> {
    let node = parser.session.expressions.node(id);
    if node.depth > 512 {
        return Err(fault(node.span, "expression is too complex"));
    }
    Ok(())
}

pub(super) fn unary(
    parser: &mut Parser<'_>,
    operator: Unary,
    operand: ExpressionId,
    span: Span,
) -> Result<ExpressionId, Fault> {
    let id = parser
        .session
        .expressions
        .push(NodeKind::Unary(operator, operand), span);
    check_depth(parser, id)?;
    Ok(id)
}

fn operand_expression(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, depth: u32) -> Result<ExpressionId, Fault> {
    let mut left = prefixed(parser, cursor, depth)?;
    loop {
        if cursor.is(b'[') {
            let span = cursor.here();
            let right = bracketed(parser, cursor, depth)?;
            left = binary(parser, Binary::Index, left, right, span)?;
        } else if cursor.is(b'.') {
            left = with_fields(parser, cursor, left, depth)?;
        } else {
            return Ok(left);
        }
    }
}

fn bracketed(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, depth: u32) -> Result<ExpressionId, Fault> {
    let span = cursor.here();
    cursor.at += 1;
    parser.modes.brackets += 1;
    let inside = binding(parser, cursor, LOWEST, depth + 1);
    parser.modes.brackets -= 1;
    let inside = inside?;
    if !cursor.eat(b']') {
        return Err(fault(cursor.here(), "expected `]`").with_label("unclosed bracket"));
    }
    // IDEAL mode has brackets for memory alone; in MASM those around a number are parentheses.
    let operator = if parser.modes.ideal {
        Unary::Bracket
    } else {
        Unary::Subscript
    };
    unary(parser, operator, inside, span)
}

/// A negative number, which brackets may follow: `-4[bp]`. Leaves the cursor at anything else.
fn negative(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, sign: Token, depth: u32) -> Option<ExpressionId> {
    let last = cursor.peek()?;
    if !matches!(cursor.peek()?.kind, Kind::Number(_) | Kind::Name(_)) {
        return None;
    }
    let (at, mark) = (cursor.at, parser.session.expressions.mark());
    let found = prefixed(parser, cursor, depth + 1).ok();
    let node = found.map(|found| *parser.session.expressions.node(found));
    if let Some(node) = node
        && let NodeKind::Number(number) = node.kind
    {
        let number = NodeKind::Number(number.wrapping_neg());
        let whole = cursor.line.span(sign.start, last.end);
        return Some(parser.session.expressions.push(number, whole));
    }
    parser.session.expressions.forget(mark);
    cursor.at = at;
    None
}

pub(super) fn prefixed(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, depth: u32) -> Result<ExpressionId, Fault> {
    let Some(token) = cursor.peek() else {
        return Err(fault(cursor.here(), "missing operand"));
    };
    if let Some(label) = numbered::operand(parser, cursor, token) {
        return Ok(label);
    }
    match token.kind {
        Kind::Number(_) => {
            cursor.at += 1;
            parser.atom(cursor, token)
        }
        Kind::Name(name) => named(parser, cursor, name, token, depth),
        Kind::Mark(b'(') => {
            cursor.at += 1;
            let inside = binding(parser, cursor, LOWEST, depth + 1)?;
            if !cursor.eat(b')') {
                return Err(fault(cursor.here(), "expected `)`").with_label("unclosed parenthesis"));
            }
            Ok(inside)
        }
        Kind::Mark(b'[') => bracketed(parser, cursor, depth),
        Kind::Mark(b'.')
            if cursor
                .peek_second()
                .is_some_and(|second| cursor.text(second).eq_ignore_ascii_case("type")) =>
        {
            cursor.at += 2;
            let operand = binding(parser, cursor, TYPING, depth + 1)?;
            unary(parser, Unary::Attributes, operand, cursor.span(token))
        }
        Kind::Mark(b'-') => {
            cursor.at += 1;
            if let Some(number) = negative(parser, cursor, token, depth) {
                return Ok(number);
            }
            let operand = binding(parser, cursor, SIGN, depth + 1)?;
            if let NodeKind::Number(number) = parser.session.expressions.node(operand).kind {
                return Ok(parser
                    .session
                    .expressions
                    .push(NodeKind::Number(number.wrapping_neg()), cursor.span(token)));
            }
            unary(parser, Unary::Minus, operand, cursor.span(token))
        }
        Kind::Mark(b'+') => {
            cursor.at += 1;
            binding(parser, cursor, SIGN, depth + 1)
        }
        Kind::Mark(b'~') => {
            cursor.at += 1;
            let operand = binding(parser, cursor, SIGN, depth + 1)?;
            if let NodeKind::Number(number) = parser.session.expressions.node(operand).kind {
                let number = NodeKind::Number(!number);
                return Ok(parser.session.expressions.push(number, cursor.span(token)));
            }
            unary(parser, Unary::Not, operand, cursor.span(token))
        }
        Kind::Mark(b'$') => {
            cursor.at += 1;
            let here = parser.here();
            Ok(parser
                .session
                .expressions
                .push(NodeKind::Here(here), cursor.span(token)))
        }
        Kind::String => {
            cursor.at += 1;
            let mut bytes = Vec::new();
            string_bytes(cursor.text(token), &mut bytes);
            if bytes.is_empty() || bytes.len() > 8 {
                return Err(fault(
                    cursor.span(token),
                    "only a string of 1 to 8 characters can be a number",
                ));
            }
            let number = bytes.iter().fold(0u64, |number, &byte| (number << 8) | u64::from(byte));
            Ok(parser
                .session
                .expressions
                .push(NodeKind::Number(number as i64), cursor.span(token)))
        }
        Kind::Real => Err(fault(cursor.span(token), "real number not allowed here")
            .with_help("define it with `dd`, `dq` or `dt` and load it from there")),
        Kind::Mark(b'?') => Err(fault(cursor.span(token), "`?` is only allowed in data definitions")),
        Kind::Mark(mark) => Err(fault(
            cursor.span(token),
            format!("expected an operand, found `{}`", mark as char),
        )),
        Kind::Bad(why) => Err(fault(cursor.span(token), why)),
    }
}

fn named(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    name: NameId,
    token: Token,
    depth: u32,
) -> Result<ExpressionId, Fault> {
    let span = cursor.span(token);
    let info = *parser.session.names.info(name);
    let procedure = parser.program.procedures.procedure_number();
    let index = parser.program.symbols.index(&parser.session.names, name, procedure);
    if let Some(keyword) = keyword(name)
        && !keyword.may_be_a_name()
        && !is_name_here(parser, cursor, keyword, index)
    {
        return operator(parser, cursor, keyword, token, depth);
    }
    cursor.at += 1;
    if is_flat(parser, cursor, name) {
        // The group of all memory, which needs no definition.
        cursor.at += 1;
        return binding(parser, cursor, TYPING, depth + 1);
    }
    if info.register != Register::None {
        if info.register == Register::ST0 && cursor.is(b'(') {
            return stack_register(parser, cursor, depth);
        }
        return Ok(parser.session.expressions.push(NodeKind::Register(info.register), span));
    }
    if let Some(symbol) = parser.program.symbols.get(index) {
        parser.session.note_open(symbol.open);
        let given = info.of_command_line && !info.settled;
        match symbol.definition {
            Definition::Number(number) if symbol.kind == Type::None => {
                let id = parser.session.expressions.push(NodeKind::Number(number), span);
                if given {
                    parser.session.note_option(id, name, number);
                }
                return Ok(id);
            }
            _ if given => parser.session.note_open(Open::ByOption),
            Definition::Number(_) | Definition::Address(_) | Definition::Expression(_) if symbol.redefinable => {
                return Ok(parser.session.expressions.push(NodeKind::Variable(index), span));
            }
            _ => {}
        }
    } else if !is_target(parser, cursor)
        && let Some(field) = plain_field(parser, name, span)
    {
        return Ok(field);
    } else if let (Some(kind), true) = (parser.procedure_type(name), names_type(cursor)) {
        // `invoke TYPE ptr [ebx]`: the address of what is called is there.
        let pointer = NodeKind::TypeName(Type::Bytes(parser.pointer(kind == Type::Far)));
        return Ok(parser.session.expressions.push(pointer, span));
    } else if info.structure != NONE {
        let place = parser
            .session
            .expressions
            .push(NodeKind::TypeName(Type::Structure(info.structure)), span);
        if parser.modes.ideal && begins_operand(cursor) {
            let operand = binding(parser, cursor, TYPING, depth + 1)?;
            return binary(parser, Binary::Ptr, place, operand, span);
        }
        return Ok(place);
    } else if (cursor.is(b'<') || cursor.is(b'{'))
        && let Some(record) = parser.program.structures.records.get(&name).map(Rc::clone)
    {
        let number = record_value(parser, &record, cursor)?;
        return Ok(parser.session.expressions.push(NodeKind::Number(number), span));
    } else if let Some(record) = parser.program.structures.records.get(&name)
        && names_type(cursor)
    {
        let type_name = NodeKind::TypeName(Type::Bytes(record.bytes()));
        return Ok(parser.session.expressions.push(type_name, span));
    } else if (info.mnemonic && !is_complete(parser, cursor)) || info.body != NONE {
        return Err(misplaced_instruction(cursor, token, info.mnemonic));
    }
    let name = if index == info.symbol {
        scoped(parser, name)
    } else {
        name
    };
    Ok(parser.session.expressions.push(NodeKind::Symbol(name, procedure), span))
}

/// Whether the cursor is after the name in `flat:name`, and the source gives that name no meaning of its own.
fn is_flat(parser: &Parser<'_>, cursor: &Cursor<'_>, name: NameId) -> bool {
    cursor.is(b':')
        && parser.session.names.text(name) == "flat"
        && parser.program.layout.frame_named(name).is_none()
        && !parser.program.is_defined(&parser.session.names, name)
}

/// Whether the operand before the cursor is the whole target of a branch.
fn is_target(parser: &Parser<'_>, cursor: &Cursor<'_>) -> bool {
    let before = cursor.at.checked_sub(2).and_then(|at| cursor.tokens.get(at));
    let branch = before.is_some_and(|token| match token.kind {
        Kind::Name(name) => {
            parser.session.names.info(name).branch || matches!(keyword(name), Some(Keyword::Short | Keyword::Near(_)))
        }
        _ => false,
    });
    branch && cursor.done()
}

/// Whether the record before the cursor is meant as a type: `ptr` follows it, or an operator that measures precedes it.
fn names_type(cursor: &Cursor<'_>) -> bool {
    let before = cursor.at.checked_sub(2).and_then(|place| cursor.tokens.get(place));
    let word = |token: Token| match token.kind {
        Kind::Name(name) => keyword(name),
        _ => None,
    };
    cursor.peek().and_then(word) == Some(Keyword::Ptr)
        || matches!(
            before.copied().and_then(word),
            Some(Keyword::Size | Keyword::FirstSize | Keyword::Type)
        )
}

/// Whether an operand may end before the cursor, so that an instruction's name there is a variable that comes later:
/// `offset str`.
fn is_complete(parser: &Parser<'_>, cursor: &Cursor<'_>) -> bool {
    // `je out`: a branch may lead to a label that is called as an instruction is.
    let branches = || match cursor
        .at
        .checked_sub(2)
        .and_then(|at| cursor.tokens.get(at))
        .map(|token| token.kind)
    {
        Some(Kind::Name(name)) => parser.session.names.info(name).branch,
        _ => false,
    };
    match cursor.peek().map(|token| token.kind) {
        None => cursor.at > 2 || branches(),
        Some(Kind::Mark(mark)) => matches!(mark, b',' | b']' | b')' | b'+' | b'['),
        Some(_) => false,
    }
}

/// Whether the name of an operator is the name of a variable here: no operand follows it, or a program that defines the
/// name means its own.
fn is_name_here(parser: &Parser<'_>, cursor: &Cursor<'_>, word: Keyword, symbol: u32) -> bool {
    let defined = parser.program.symbols.get(symbol).is_some();
    match word {
        Keyword::Large | Keyword::Small | Keyword::This if defined => true,
        Keyword::Large
        | Keyword::Small
        | Keyword::This
        | Keyword::Size
        | Keyword::FirstSize
        | Keyword::Length
        | Keyword::FirstLength
        | Keyword::Width
        | Keyword::Mask
        | Keyword::High
        | Keyword::Low => {
            let behind = cursor.peek_second().map(|token| token.kind);
            match behind {
                None | Some(Kind::Mark(b',' | b']' | b')' | b'+' | b'*' | b'/' | b'.' | b':')) => true,
                Some(Kind::Mark(b'-')) => defined,
                Some(Kind::Name(name)) if defined => keyword(name).is_some_and(Keyword::joins),
                _ => false,
            }
        }
        _ => false,
    }
}

/// Resolves `@F`, `@B` and, if `locals` is on, `@@name`, which depend on their position.
pub(super) fn scoped(parser: &mut Parser<'_>, name: NameId) -> NameId {
    let text = parser.session.names.text(name);
    if !(text.starts_with('@') || text.as_bytes().starts_with(&parser.modes.local_prefix)) {
        return name;
    }
    let Parser { session, modes, .. } = parser;
    let names = &mut session.names;
    let local = |text: &str| text.len() > 2 && text.as_bytes().starts_with(&modes.local_prefix);
    match names.text(name) {
        "@f" => modes.labels.forward(names),
        "@b" => modes.labels.backward(names),
        text if modes.scoped_locals && local(text) => modes.labels.scoped(names, name),
        _ => name,
    }
}

/// `(number)` after `st`.
fn stack_register(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, depth: u32) -> Result<ExpressionId, Fault> {
    cursor.at += 1;
    let place = cursor.here();
    let number = binding(parser, cursor, LOWEST, depth + 1)?;
    if !cursor.eat(b')') {
        return Err(fault(cursor.here(), "expected `)`"));
    }
    unary(parser, Unary::StackRegister, number, place)
}

/// The fault for two instructions in a row, a common typing error; the help suggests either one.
pub(super) fn misplaced_instruction(cursor: &Cursor<'_>, token: Token, mnemonic: bool) -> Fault {
    if !mnemonic {
        return fault(cursor.span(token), "expected an operand, found a macro name").with_label("this is a macro");
    }
    let what = "expected an operand, found an instruction";
    let rest_end = cursor.tokens.last().map_or(token.end, |last| last.end) as usize;
    let from_here = cursor.line.text.get(token.start as usize..rest_end).unwrap_or("");
    let behind = cursor
        .line
        .text
        .get(token.end as usize..rest_end)
        .unwrap_or("")
        .trim_start();
    let before = cursor.line.text.get(..token.start as usize).unwrap_or("").trim();
    let fault = fault(cursor.span(token), what).with_label("this is an instruction");
    if from_here.len() + before.len() < 200 && !behind.is_empty() {
        fault.with_help(format!("write `{from_here}` or `{before} {behind}`"))
    } else {
        fault
    }
}
