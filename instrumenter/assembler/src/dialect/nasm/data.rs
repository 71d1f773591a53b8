//! Data: `db` to `dt`, `resb` to `rest`, and `incbin`.

use super::Parser;
use super::expression::{constant, expression, unary};
use super::instruction::expect_end;
use super::tokens::string_bytes;
use super::unsupported;
use crate::diag::{Fault, Span, fault};
use crate::expression::{ExpressionId, NodeKind, Type, Unary};
use crate::lex::{Cursor, Kind, Token};
use crate::statement::{Data, Item, Named, RealFormat, Statement};

/// The words that define data, with the bytes of an element.
const DEFINED: [(&str, u8); 5] = [("db", 1), ("dw", 2), ("dd", 4), ("dq", 8), ("dt", 10)];
/// The words that reserve room.
const RESERVED: [(&str, u8); 5] = [("resb", 1), ("resw", 2), ("resd", 4), ("resq", 8), ("rest", 10)];
/// Those of elements that no instruction of a Pentium has.
const WIDE: [&str; 6] = ["do", "ddq", "dy", "dz", "reso", "resy"];

/// What a word makes of the lines of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Defines(u8),
    Reserves(u8),
    File,
    Wide,
}

/// What a word in lower case means in a line of data.
pub(super) fn word(text: &str) -> Option<Word> {
    let size = |table: &[(&str, u8)]| table.iter().find(|(name, _)| *name == text).map(|(_, size)| *size);
    if let Some(size) = size(&DEFINED) {
        return Some(Word::Defines(size));
    }
    if let Some(size) = size(&RESERVED) {
        return Some(Word::Reserves(size));
    }
    match text {
        "incbin" => Some(Word::File),
        _ if WIDE.contains(&text) => Some(Word::Wide),
        _ => None,
    }
}

/// Parses a line of data; the cursor is behind its word.
pub(super) fn data<'l>(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'l>,
    named: Option<Named<'l>>,
    (word, span): (Word, Span),
    times: Option<ExpressionId>,
) -> Result<Statement<'l>, Fault> {
    parser.buffers.items.clear();
    if let Some(count) = times {
        parser.buffers.items.list.push(Item::Repeat { count, inside: 0, span });
    }
    let size = match word {
        Word::Defines(size) => {
            items(parser, cursor, size)?;
            size
        }
        Word::Reserves(size) => {
            let place = cursor.here();
            let count = expression(parser, cursor)?;
            let list = &mut parser.buffers.items.list;
            list.push(Item::Repeat {
                count,
                inside: 1,
                span: place,
            });
            list.push(Item::Uninitialised { span: place });
            size
        }
        Word::File => return file(parser, cursor, span),
        Word::Wide => {
            let problem = fault(span, "a Pentium has no data of 16 and more bytes in one element");
            return Err(problem.with_help("write two `dq`"));
        }
    };
    expect_end(parser, cursor)?;
    if times.is_some() {
        Item::close(&mut parser.buffers.items.list, 0);
    }
    Ok(Statement::Data(Data::new(named, Type::Bytes(size), span)))
}

fn items(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, size: u8) -> Result<(), Fault> {
    if cursor.done() {
        return Err(fault(cursor.here(), "expected a value"));
    }
    loop {
        item(parser, cursor, size)?;
        if !cursor.eat(b',') || cursor.done() {
            return Ok(());
        }
    }
}

fn item(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, size: u8) -> Result<(), Fault> {
    let place = cursor.here();
    let negative = cursor.is(b'-');
    let signed = negative || cursor.is(b'+');
    let at = cursor.at + usize::from(signed);
    if let Some(token @ Token { kind: Kind::Real, .. }) = cursor.tokens.get(at).copied() {
        cursor.at = at + 1;
        let text = cursor.text(token).replace('_', "").to_ascii_lowercase();
        // The part behind the point may be left out, but not the point itself.
        let text = match text.find('e') {
            Some(exponent) if !text.contains('.') => format!("{}.{}", &text[..exponent], &text[exponent..]),
            _ => text,
        };
        let (start, end) = parser.buffers.items.keep(text.as_bytes());
        parser.buffers.items.list.push(Item::Real {
            start,
            end,
            negative,
            format: RealFormat::Ieee,
            span: place,
        });
        return Ok(());
    }
    if let Some(token @ Token { kind: Kind::String, .. }) = cursor.peek()
        && matches!(
            cursor.peek_second().map(|next| next.kind),
            None | Some(Kind::Mark(b','))
        )
    {
        cursor.at += 1;
        text(parser, cursor, token, size);
        return Ok(());
    }
    let id = expression(parser, cursor)?;
    if super::expression::word_at(parser, cursor).as_deref() == Some("dup") {
        return Err(unsupported(
            cursor.here(),
            "dup",
            "write `times` before the data: `times 4 dd 0`",
        ));
    }
    let item = match parser.session.expressions.node(id).kind {
        NodeKind::Number(number) => Item::Number {
            number: fitted(parser, number, size, place),
            span: place,
        },
        _ => Item::Expression {
            id: unary(parser, Unary::Offset, id, place)?,
            span: place,
        },
    };
    parser.buffers.items.list.push(item);
    Ok(())
}

/// The low bytes of a number: NASM warns of one that has more.
fn fitted(parser: &mut Parser<'_>, number: i64, size: u8, span: Span) -> i64 {
    let bits = 8 * u32::from(size);
    if bits >= 64 {
        return number;
    }
    let low = number & ((1 << bits) - 1);
    let fits = number == low || number >> (bits - 1) == -1;
    if !fits {
        let message = format!("the number has more than {bits} bits: its low ones are taken");
        parser
            .session
            .warn(fault(span, message).with_help("write a number that fits, or a larger element"));
        return low;
    }
    number
}

/// The bytes of a string, filled up with zeroes to whole elements.
fn text(parser: &mut Parser<'_>, cursor: &Cursor<'_>, token: Token, size: u8) {
    let span = cursor.span(token);
    let items = &mut parser.buffers.items;
    let start = items.bytes.len() as u32;
    string_bytes(cursor.text(token), &mut items.bytes);
    if size == 1 {
        let end = items.bytes.len() as u32;
        if end > start {
            items.list.push(Item::Text { start, end, span });
        }
        return;
    }
    let bytes = items.bytes.split_off(start as usize);
    for part in bytes.chunks(usize::from(size)) {
        let number = part
            .iter()
            .rev()
            .fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        items.list.push(Item::Number {
            number: number as i64,
            span,
        });
    }
}

/// `incbin "file", start, length`.
fn file(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<Statement<'static>, Fault> {
    let name = quoted(cursor).ok_or_else(|| fault(cursor.here(), "expected the name of a file in quotes"))?;
    let mut bounds = [0, i64::MAX];
    for bound in &mut bounds {
        if cursor.eat(b',') {
            let place = cursor.here();
            *bound = constant(parser, cursor)?;
            if *bound < 0 {
                return Err(fault(place, format!("a file has no part of {bound} bytes")));
            }
        }
    }
    expect_end(parser, cursor)?;
    Ok(Statement::IncludeBinary {
        name,
        start: usize::try_from(bounds[0]).unwrap_or(usize::MAX),
        length: usize::try_from(bounds[1]).unwrap_or(usize::MAX),
        span,
    })
}

/// The text of the string at the cursor.
pub(super) fn quoted(cursor: &mut Cursor<'_>) -> Option<String> {
    let token = cursor.peek().filter(|token| token.kind == Kind::String)?;
    cursor.at += 1;
    let text = cursor.text(token);
    Some(text.get(1..text.len() - 1).unwrap_or_default().to_owned())
}
