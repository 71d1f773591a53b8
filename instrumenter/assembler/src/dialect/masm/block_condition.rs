//! The conditions of `.if`, `.while` and `.until`, and the jumps they are translated to.

use super::Parser;
use super::generated::{generate_instruction, generate_label};
use super::procedure::elements;
use super::{keyword, number_in};
use crate::diag::{Fault, Span, fault};
use crate::expression::Type;
use crate::lex::{Cursor, Kind, Line, Token};
use crate::names::{NONE, NameId};
use crate::program::{Definition, StructureField};
use iced_x86::Register;
use p5_image::ElementKind;

/// The maximum depth of nested blocks, and of the parts of a condition.
pub(super) const MOST_NESTED: usize = 64;

pub(super) enum Condition {
    Either(Box<Condition>, Box<Condition>),
    Both(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
    /// The left operand, the comparison, and the right operand.
    Compare(String, Comparison, String),
    /// The jump for true and the jump for false.
    Flag(&'static str, &'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Bits,
    NotZero,
}

pub(super) fn parse_condition(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Condition, Fault> {
    let tokens = cursor.tokens.get(cursor.at..).unwrap_or(&[]);
    let line = cursor.line;
    let place = cursor.here();
    cursor.at = cursor.tokens.len();
    either(parser, line, tokens, place, 0)
}

fn either(
    parser: &mut Parser<'_>,
    line: &Line,
    tokens: &[Token],
    place: Span,
    depth: usize,
) -> Result<Condition, Fault> {
    if depth > MOST_NESTED {
        return Err(fault(
            place,
            format!("the condition is nested deeper than {MOST_NESTED}"),
        ));
    }
    for (mark, any) in [(b'|', true), (b'&', false)] {
        let Some(at) = outside(tokens, |here| is_pair(here, mark, mark)) else {
            continue;
        };
        let left = either(parser, line, tokens.get(..at).unwrap_or(&[]), place, depth + 1)?;
        let right = either(parser, line, tokens.get(at + 2..).unwrap_or(&[]), place, depth + 1)?;
        let (left, right) = (Box::new(left), Box::new(right));
        return Ok(if any {
            Condition::Either(left, right)
        } else {
            Condition::Both(left, right)
        });
    }
    let span = match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => line.span(first.start, last.end),
        _ => return Err(fault(place, "expected a condition").with_help("write, for example, `.if eax == 1`")),
    };
    if matches!(
        tokens,
        [
            Token {
                kind: Kind::Mark(b'!'),
                ..
            },
            ..
        ]
    ) {
        let inner = either(parser, line, tokens.get(1..).unwrap_or(&[]), span, depth + 1)?;
        return Ok(Condition::Not(Box::new(inner)));
    }
    if let [
        Token {
            kind: Kind::Mark(b'('), ..
        },
        inside @ ..,
        Token {
            kind: Kind::Mark(b')'), ..
        },
    ] = tokens
        && encloses(tokens)
    {
        return either(parser, line, inside, span, depth + 1);
    }
    if let [
        Token {
            kind: Kind::Name(name), ..
        },
    ] = tokens
    {
        let flag = match parser.session.names.text(*name) {
            "carry?" => Some(("jc", "jnc")),
            "zero?" => Some(("jz", "jnz")),
            "sign?" => Some(("js", "jns")),
            "overflow?" => Some(("jo", "jno")),
            "parity?" => Some(("jp", "jnp")),
            _ => None,
        };
        if let Some((holds, fails)) = flag {
            return Ok(Condition::Flag(holds, fails));
        }
    }
    let text = |part: &[Token]| match (part.first(), part.last()) {
        (Some(first), Some(last)) => line
            .text
            .get(first.start as usize..last.end as usize)
            .unwrap_or("")
            .to_owned(),
        _ => String::new(),
    };
    let Some(at) = outside(tokens, |here| comparison(here).is_some()) else {
        return Ok(Condition::Compare(text(tokens), Comparison::NotZero, String::new()));
    };
    let Some((operator, width)) = comparison(tokens.get(at..).unwrap_or(&[])) else {
        return Err(fault(span, "expected a comparison"));
    };
    let left = text(tokens.get(..at).unwrap_or(&[]));
    let right = text(tokens.get(at + width..).unwrap_or(&[]));
    if left.is_empty() || right.is_empty() {
        return Err(fault(span, "a comparison requires two operands"));
    }
    Ok(Condition::Compare(left, operator, right))
}

/// Generates jumps to `target` if `test` evaluates to `when`.
pub(super) fn jump(parser: &mut Parser<'_>, test: &Condition, target: &str, when: bool, span: Span) {
    match test {
        Condition::Not(inner) => jump(parser, inner, target, !when, span),
        Condition::Either(left, right) | Condition::Both(left, right) => {
            let decides = matches!(test, Condition::Either(..));
            if decides == when {
                jump(parser, left, target, when, span);
                return jump(parser, right, target, when, span);
            }
            let past = parser.session.fresh_label();
            jump(parser, left, &past, !when, span);
            jump(parser, right, target, when, span);
            generate_label(parser, &past, span);
        }
        Condition::Flag(holds, fails) => {
            generate_instruction(parser, format!("{} {target}", if when { holds } else { fails }), span);
        }
        Condition::Compare(left, operator, right) => {
            if *operator == Comparison::NotZero
                && let Some(number) = plain_number(parser, left, span)
            {
                if (number != 0) == when {
                    generate_instruction(parser, format!("jmp {target}"), span);
                }
                return;
            }
            let signed = is_signed_operand(parser, left) || is_signed_operand(parser, right);
            let zero = right.trim() == "0" && matches!(operator, Comparison::Equal | Comparison::NotEqual);
            if *operator == Comparison::Bits {
                generate_instruction(parser, format!("test {left},{right}"), span);
            } else if (zero || *operator == Comparison::NotZero) && is_general_register(parser, left) {
                generate_instruction(parser, format!("or {left},{left}"), span);
            } else if *operator == Comparison::NotZero {
                generate_instruction(parser, format!("cmp {left},0"), span);
            } else {
                generate_instruction(parser, format!("cmp {left},{right}"), span);
            }
            let jump = match (operator, signed, when) {
                (Comparison::Equal, _, true) => "je",
                (Comparison::Equal, _, false) => "jne",
                (Comparison::NotEqual | Comparison::Bits | Comparison::NotZero, _, true) => "jne",
                (Comparison::NotEqual | Comparison::Bits | Comparison::NotZero, _, false) => "je",
                (Comparison::Greater, false, true) | (Comparison::LessOrEqual, false, false) => "ja",
                (Comparison::GreaterOrEqual, false, true) | (Comparison::Less, false, false) => "jae",
                (Comparison::Less, false, true) | (Comparison::GreaterOrEqual, false, false) => "jb",
                (Comparison::LessOrEqual, false, true) | (Comparison::Greater, false, false) => "jbe",
                (Comparison::Greater, true, true) | (Comparison::LessOrEqual, true, false) => "jg",
                (Comparison::GreaterOrEqual, true, true) | (Comparison::Less, true, false) => "jge",
                (Comparison::Less, true, true) | (Comparison::GreaterOrEqual, true, false) => "jl",
                (Comparison::LessOrEqual, true, true) | (Comparison::Greater, true, false) => "jle",
            };
            generate_instruction(parser, format!("{jump} {target}"), span);
        }
    }
}

/// The value of a condition that is a number.
fn plain_number(parser: &mut Parser<'_>, text: &str, span: Span) -> Option<i64> {
    let mut tokens = Vec::new();
    parser.lex(text, &mut tokens);
    let is_number = |name| {
        let symbol = parser.session.names.info(name).symbol;
        let symbol = parser.program.symbols.get(symbol);
        symbol.is_some_and(|symbol| matches!(symbol.definition, Definition::Number(_)))
    };
    let numeric = |token: &Token| match token.kind {
        Kind::Number(_) | Kind::Mark(b'(' | b')' | b'-') => true,
        Kind::Name(name) => is_number(name),
        _ => false,
    };
    match tokens.iter().all(numeric) {
        true => number_in(parser, text, span).ok(),
        false => None,
    }
}

fn is_general_register(parser: &mut Parser<'_>, text: &str) -> bool {
    let name = parser.session.names.intern(text.trim());
    let register = parser.session.names.info(name).register;
    register != Register::None && register.is_gpr()
}

/// Whether an operand's type is signed, by its declaration or that of its field, or by `sdword ptr` and similar.
pub(super) fn is_signed_operand(parser: &mut Parser<'_>, text: &str) -> bool {
    let mut tokens = Vec::new();
    parser.lex(text, &mut tokens);
    let procedure = parser.program.procedures.procedure_number();
    let mut owner = None;
    let mut dotted = false;
    let mut signed = false;
    for token in &tokens {
        let Kind::Name(name) = token.kind else {
            dotted = token.kind == Kind::Mark(b'.');
            continue;
        };
        if let Some(field) = dotted.then(|| field(parser, owner, name)).flatten() {
            (owner, signed) = (Some(field.kind), field.elements == ElementKind::Signed);
            continue;
        }
        let symbol = parser
            .program
            .symbols
            .get(parser.program.symbols.index(&parser.session.names, name, procedure));
        let info = parser.session.names.info(name);
        let structure = match info.register {
            register if register.is_gpr16() || register.is_gpr32() => parser.modes.pointed[register.number() & 7],
            _ => Some(info.structure)
                .filter(|&structure| structure != NONE)
                .map(Type::Structure),
        };
        owner = symbol.map(|symbol| symbol.kind).or(structure);
        let declared = symbol.map(|symbol| symbol.elements);
        let named = keyword(name).map(|_| elements(parser.session.names.text(name)));
        signed |= [declared, named].contains(&Some(ElementKind::Signed));
    }
    signed
}

/// The field of this name that `owner` has, or of the structure that last defined it.
fn field<'p>(parser: &'p Parser<'_>, owner: Option<Type>, name: NameId) -> Option<&'p StructureField> {
    let structures = &parser.program.structures;
    let find = |structure: u32| structures.get(structure)?.field(name);
    let own = match owner {
        Some(Type::Structure(structure)) => find(structure),
        _ => None,
    };
    own.or_else(|| structures.fields.get(&name).and_then(|&owner| find(owner)))
}

fn is_pair(tokens: &[Token], first: u8, second: u8) -> bool {
    matches!(tokens, [one, two, ..] if one.kind == Kind::Mark(first) && two.kind == Kind::Mark(second)
        && one.end == two.start)
}

/// The comparison operator at this token, and its number of tokens.
fn comparison(tokens: &[Token]) -> Option<(Comparison, usize)> {
    for (first, found) in [
        (b'=', Comparison::Equal),
        (b'!', Comparison::NotEqual),
        (b'>', Comparison::GreaterOrEqual),
        (b'<', Comparison::LessOrEqual),
    ] {
        if is_pair(tokens, first, b'=') {
            return Some((found, 2));
        }
    }
    match tokens.first()?.kind {
        Kind::Mark(b'>') => Some((Comparison::Greater, 1)),
        Kind::Mark(b'<') => Some((Comparison::Less, 1)),
        Kind::Mark(b'&') => Some((Comparison::Bits, 1)),
        _ => None,
    }
}

/// The first occurrence of `wanted` outside parentheses and brackets.
fn outside(tokens: &[Token], wanted: impl Fn(&[Token]) -> bool) -> Option<usize> {
    let mut depth = 0i32;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark(b'(' | b'[') => depth += 1,
            Kind::Mark(b')' | b']') => depth -= 1,
            _ if depth == 0 && wanted(tokens.get(at..).unwrap_or(&[])) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Whether the first parenthesis is closed by the last token.
fn encloses(tokens: &[Token]) -> bool {
    let mut depth = 0i32;
    for (at, token) in tokens.iter().enumerate() {
        match token.kind {
            Kind::Mark(b'(') => depth += 1,
            Kind::Mark(b')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == tokens.len();
        }
    }
    false
}
