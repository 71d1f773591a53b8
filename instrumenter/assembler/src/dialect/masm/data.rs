//! Data: `db` to `dt`, with `dup`, strings and real numbers.

use super::Parser;
use super::expression::expression;
use super::generated::later;
use super::{Keyword, keyword_at};
use crate::diag::{Fault, Span, fault};
use crate::expression::Type;
use crate::lex::{Cursor, Kind, Token, string_bytes};
use crate::statement::{Data, Item, Named, Statement};
use p5_image::ElementKind;

/// Parses `[name] db items`.
pub(super) fn data<'l>(
    parser: &mut Parser<'_>,
    named: Option<Named<'l>>,
    size: u8,
    elements: ElementKind,
    cursor: &mut Cursor<'l>,
    span: Span,
) -> Statement<'l> {
    parser.buffers.items.clear();
    let parsed = items(parser, cursor, 0).and_then(|()| cursor.expect_end());
    // A definition with an error still defines its name, so that its uses are not reported too.
    later(parser, parsed);
    Statement::Data(Data {
        named,
        kind: Type::Bytes(size),
        elements,
        span,
    })
}

/// Parses items up to the end of the line or a closing parenthesis.
pub(super) fn items(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, depth: u32) -> Result<(), Fault> {
    let most = parser.session.limits.nesting;
    if depth > most {
        return Err(fault(cursor.here(), format!("`dup` is nested deeper than {most}")));
    }
    loop {
        item(parser, cursor, depth)?;
        if !cursor.eat(b',') {
            return Ok(());
        }
    }
}

fn item(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, depth: u32) -> Result<(), Fault> {
    let Some(token) = cursor.peek() else {
        return Err(fault(cursor.here(), "expected a value").with_help("write `?` for an uninitialized value"));
    };
    let span = cursor.span(token);
    let items = &mut parser.buffers.items;
    let ends = matches!(
        cursor.peek_second().map(|token| token.kind),
        None | Some(Kind::Mark(b',' | b')'))
    );
    let plain = match token.kind {
        Kind::Mark(b'?') => Some(Item::Uninitialised { span }),
        Kind::Number(number) if ends => Some(Item::Number {
            number: number as i64,
            span,
        }),
        Kind::String if ends => {
            let start = items.bytes.len() as u32;
            string_bytes(cursor.text(token), &mut items.bytes);
            let end = items.bytes.len() as u32;
            Some(Item::Text { start, end, span })
        }
        Kind::Real => {
            let (start, end) = items.keep(cursor.text(token).as_bytes());
            Some(Item::Real {
                start,
                end,
                negative: false,
                span,
            })
        }
        Kind::Mark(sign @ (b'-' | b'+')) => match cursor.peek_second() {
            Some(second @ Token { kind: Kind::Real, .. }) => {
                cursor.at += 1;
                let (start, end) = items.keep(cursor.text(second).as_bytes());
                Some(Item::Real {
                    start,
                    end,
                    negative: sign == b'-',
                    span,
                })
            }
            _ => None,
        },
        _ => None,
    };
    if let Some(plain) = plain {
        cursor.at += 1;
        items.list.push(plain);
        return Ok(());
    }
    let id = expression(parser, cursor)?;
    if keyword_at(cursor) != Some(Keyword::Dup) {
        parser.buffers.items.list.push(Item::Expression { id, span });
        return Ok(());
    }
    cursor.at += 1;
    if !cursor.eat(b'(') {
        return Err(fault(cursor.here(), "expected `(` after `dup`"));
    }
    let at = open(
        parser,
        Item::Repeat {
            count: id,
            inside: 0,
            span,
        },
    );
    let mut inside = self::items(parser, cursor, depth + 1);
    if inside.is_ok() && !cursor.eat(b')') {
        inside = Err(fault(cursor.here(), "expected `)`").with_label("unclosed `dup`"));
    }
    if inside.is_ok() {
        close(parser, at);
    } else {
        parser.buffers.items.list.truncate(at);
    }
    inside
}

/// Appends an item that contains others; returns its index.
pub(super) fn open(parser: &mut Parser<'_>, item: Item) -> usize {
    let list = &mut parser.buffers.items.list;
    list.push(item);
    list.len() - 1
}

/// Assigns the items since `at` to the item at `at`.
pub(super) fn close(parser: &mut Parser<'_>, at: usize) {
    Item::close(&mut parser.buffers.items.list, at);
}
