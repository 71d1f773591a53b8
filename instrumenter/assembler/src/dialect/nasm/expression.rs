//! Expressions: NASM's operators and their order, on numbers of 64 bits.

use super::Parser;
use super::tokens::string_bytes;
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, Location, NodeKind, Unary, arithmetic};
use crate::lex::{Cursor, Kind, Token};
use crate::program;
use iced_x86::Register;

/// The loosest operator.
const LOWEST: u8 = 0;

/// The deepest tree of operators.
const DEEPEST: u16 = 512;

/// An operator between two operands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Plain(Binary),
    /// One whose result is 1 or 0.
    Compares(Binary),
    /// One of two truths, whose result is 1 or 0.
    Joins(Binary),
}

use Operator::{Compares, Joins, Plain};

#[rustfmt::skip] // One operator per line.
static OPERATORS: &[(&str, Operator, u8)] = &[
    ("||", Joins(Binary::Or), 1),
    ("^^", Joins(Binary::Xor), 2),
    ("&&", Joins(Binary::And), 3),
    ("==", Compares(Binary::Equal), 4),
    ("!=", Compares(Binary::NotEqual), 4),
    ("<>", Compares(Binary::NotEqual), 4),
    ("<=", Compares(Binary::LessOrEqual), 4),
    (">=", Compares(Binary::GreaterOrEqual), 4),
    ("<<", Plain(Binary::ShiftLeft), 8),
    (">>", Plain(Binary::ShiftRightOf64), 8),
    ("//", Plain(Binary::Divide), 10),
    ("%%", Plain(Binary::Modulo), 10),
    ("=", Compares(Binary::Equal), 4),
    ("<", Compares(Binary::Less), 4),
    (">", Compares(Binary::Greater), 4),
    ("|", Plain(Binary::Or), 5),
    ("^", Plain(Binary::Xor), 6),
    ("&", Plain(Binary::And), 7),
    ("+", Plain(Binary::Add), 9),
    ("-", Plain(Binary::Subtract), 9),
    ("*", Plain(Binary::Multiply), 10),
    ("/", Plain(Binary::DivideOf64), 10),
    ("%", Plain(Binary::ModuloOf64), 10),
];

/// Operators of newer versions of NASM.
const REFUSED: [&str; 4] = ["<=>", "<<<", ">>>", "?"];

/// Parses an expression that must be a number at this point.
pub(super) fn constant(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<i64, Fault> {
    let mark = parser.session.expressions.mark();
    let span = cursor.here();
    let id = expression(parser, cursor)?;
    let number = program::constant(parser.session, parser.program, id, span, mark);
    parser.session.note_decision();
    number
}

/// Parses one expression; it ends before a comma, a colon, an unmatched bracket or anything that cannot continue it.
pub(super) fn expression(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<ExpressionId, Fault> {
    binding(parser, cursor, LOWEST, 0)
}

/// Whether the marks at the cursor are this text.
pub(super) fn has_marks(cursor: &Cursor<'_>, text: &str) -> bool {
    let mut last = None;
    text.bytes().enumerate().all(|(place, byte)| {
        let token = cursor.tokens.get(cursor.at + place);
        let found =
            token.is_some_and(|token| token.kind == Kind::Mark(byte) && last.is_none_or(|end| end == token.start));
        last = token.map(|token| token.end);
        found
    })
}

fn operator(cursor: &Cursor<'_>) -> Option<(&'static str, Operator, u8)> {
    OPERATORS.iter().copied().find(|(text, _, _)| has_marks(cursor, text))
}

fn binding(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, least: u8, depth: u32) -> Result<ExpressionId, Fault> {
    let most = parser.session.limits.nesting;
    if depth > most {
        let message = format!("the expression is nested deeper than {most}");
        return Err(fault(cursor.here(), message));
    }
    let mut left = prefixed(parser, cursor, depth)?;
    loop {
        if let Some(refused) = REFUSED.iter().find(|refused| has_marks(cursor, refused)) {
            let help = "write it with the operators `+ - * / // % %% << >> & | ^ ~ == != < > <= >= && || ^^`";
            return Err(super::unsupported(cursor.here(), refused, help));
        }
        if word_at(parser, cursor).as_deref() == Some("wrt") {
            let help = "addresses are those of one program: leave it out";
            return Err(super::unsupported(cursor.here(), "wrt", help));
        }
        let Some((text, operator, strength)) = operator(cursor) else {
            return Ok(left);
        };
        if strength < least {
            return Ok(left);
        }
        let span = cursor.here();
        cursor.at += text.len();
        let right = binding(parser, cursor, strength + 1, depth + 1)?;
        left = match operator {
            Plain(operator) => binary(parser, operator, (left, right), span)?,
            Compares(operator) => {
                let truth = binary(parser, operator, (left, right), span)?;
                unary(parser, Unary::Minus, truth, span)?
            }
            Joins(operator) => {
                let (left, right) = (truth_of(parser, left, span)?, truth_of(parser, right, span)?);
                let truth = binary(parser, operator, (left, right), span)?;
                unary(parser, Unary::Minus, truth, span)?
            }
        };
    }
}

/// The word at the cursor in lower case.
pub(super) fn word_at(parser: &Parser<'_>, cursor: &Cursor<'_>) -> Option<String> {
    let name = cursor.peek_name()?;
    Some(parser.session.names.text(name).to_owned())
}

/// -1 if a number is not 0.
fn truth_of(parser: &mut Parser<'_>, id: ExpressionId, span: Span) -> Result<ExpressionId, Fault> {
    let zero = parser.session.expressions.push(NodeKind::Number(0), span);
    binary(parser, Binary::NotEqual, (id, zero), span)
}

pub(super) fn binary(
    parser: &mut Parser<'_>,
    operator: Binary,
    (left, right): (ExpressionId, ExpressionId),
    span: Span,
) -> Result<ExpressionId, Fault> {
    let expressions = &mut parser.session.expressions;
    if let (NodeKind::Number(first), NodeKind::Number(second)) =
        (expressions.node(left).kind, expressions.node(right).kind)
        && let Some(number) = arithmetic(operator, first, second)
    {
        let whole = expressions.node(left).span;
        return Ok(expressions.push(NodeKind::Number(number), whole));
    }
    let id = expressions.push(NodeKind::Binary(operator, left, right), span);
    bounded(parser, id)
}

pub(super) fn unary(
    parser: &mut Parser<'_>,
    operator: Unary,
    operand: ExpressionId,
    span: Span,
) -> Result<ExpressionId, Fault> {
    let expressions = &mut parser.session.expressions;
    let node = *expressions.node(operand);
    if let NodeKind::Number(number) = node.kind {
        let known = match operator {
            Unary::Minus => Some(number.wrapping_neg()),
            Unary::Not => Some(!number),
            _ => None,
        };
        if let Some(known) = known {
            return Ok(expressions.push(NodeKind::Number(known), node.span));
        }
    }
    let id = expressions.push(NodeKind::Unary(operator, operand), span);
    bounded(parser, id)
}

fn bounded(parser: &Parser<'_>, id: ExpressionId) -> Result<ExpressionId, Fault> {
    let node = parser.session.expressions.node(id);
    match node.depth > DEEPEST {
        true => Err(fault(node.span, "expression is too complex")),
        false => Ok(id),
    }
}

fn prefixed(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, depth: u32) -> Result<ExpressionId, Fault> {
    let most = parser.session.limits.nesting;
    let Some(token) = cursor.peek() else {
        return Err(fault(cursor.here(), "missing operand"));
    };
    let span = cursor.span(token);
    if depth > most {
        return Err(fault(span, format!("the expression is nested deeper than {most}")));
    }
    match token.kind {
        Kind::Number(_) => {
            cursor.at += 1;
            parser.atom(cursor, token)
        }
        Kind::String => {
            cursor.at += 1;
            text_number(parser, cursor, token)
        }
        Kind::Name(_) => name(parser, cursor, token, depth),
        Kind::Mark(b'(') => {
            cursor.at += 1;
            let inside = binding(parser, cursor, LOWEST, depth + 1)?;
            match cursor.eat(b')') {
                true => Ok(inside),
                false => Err(fault(cursor.here(), "expected `)`").with_label("unclosed parenthesis")),
            }
        }
        Kind::Mark(b'$') => {
            let start = has_marks(cursor, "$$");
            cursor.at += 1 + usize::from(start);
            let location = if start { section_start(parser) } else { parser.here() };
            Ok(parser.session.expressions.push(NodeKind::Here(location), span))
        }
        Kind::Mark(sign @ (b'-' | b'+' | b'~' | b'!')) => {
            cursor.at += 1;
            let operand = prefixed(parser, cursor, depth + 1)?;
            match sign {
                b'-' => unary(parser, Unary::Minus, operand, span),
                b'~' => unary(parser, Unary::Not, operand, span),
                b'!' => {
                    let zero = parser.session.expressions.push(NodeKind::Number(0), span);
                    let truth = binary(parser, Binary::Equal, (operand, zero), span)?;
                    unary(parser, Unary::Minus, truth, span)
                }
                _ => Ok(operand),
            }
        }
        Kind::Bad(why) => Err(fault(span, why)),
        Kind::Real => Err(fault(span, "a real number stands only in `dd`, `dq` and `dt`")),
        Kind::Mark(_) => Err(fault(span, "expected a number or a name")),
    }
}

/// A string as a number: its first character is the lowest byte.
fn text_number(parser: &mut Parser<'_>, cursor: &Cursor<'_>, token: Token) -> Result<ExpressionId, Fault> {
    let span = cursor.span(token);
    let mut bytes = Vec::new();
    string_bytes(cursor.text(token), &mut bytes);
    if bytes.len() > 8 {
        return Err(fault(span, "a string of more than 8 characters is no number"));
    }
    let number = bytes
        .iter()
        .rev()
        .fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    Ok(parser.session.expressions.push(NodeKind::Number(number as i64), span))
}

fn name(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, token: Token, depth: u32) -> Result<ExpressionId, Fault> {
    let span = cursor.span(token);
    let Kind::Name(name) = token.kind else {
        return Err(fault(span, "expected a name"));
    };
    cursor.at += 1;
    let spelled = cursor.text(token);
    let register = parser.session.names.info(name).register;
    if register != Register::None {
        return Ok(parser.session.expressions.push(NodeKind::Register(register), span));
    }
    if spelled.eq_ignore_ascii_case("seg") {
        let operand = prefixed(parser, cursor, depth + 1)?;
        return unary(parser, Unary::Segment, operand, span);
    }
    if spelled.starts_with("__") && cursor.is(b'(') {
        let help = "write real numbers as `dd 1.5`, `dq 1.5` or `dt 1.5`";
        return Err(super::unsupported(span, spelled, help));
    }
    let whole = match spelled.starts_with('.') {
        true => {
            let whole = parser.modes.whole_name(spelled);
            parser.session.names.intern(&whole)
        }
        false => name,
    };
    Ok(parser.session.expressions.push(NodeKind::Symbol(whole, 0), span))
}

/// `$$`: where the bytes of the section begin.
pub(super) fn section_start(parser: &Parser<'_>) -> Location {
    let here = parser.here();
    let known = parser.modes.starts.get(&here.segment).copied();
    known.unwrap_or(Location {
        fragment: 0,
        offset: 0,
        ..here
    })
}
