//! Data: `db` to `dt`, with `dup`, strings and real numbers.

use super::Parser;
use super::expression::{constant, expression};
use super::generated::later;
use super::{Keyword, keyword_at, numbered};
use crate::diag::{Fault, Span, fault};
use crate::expression::Type;
use crate::lex::{Cursor, Kind, Token, string_bytes};
use crate::statement::{Data, Item, Items, Named, RealFormat, Statement};
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
    parser.modes.packed = size == 10 && parser.modes.radix == 10;
    let parsed = items(parser, cursor, 0).and_then(|()| cursor.expect_end());
    parser.modes.packed = false;
    // A definition with an error still defines its name, so that its uses are not reported too.
    later(parser, parsed);
    Statement::Data(Data {
        named,
        kind: Type::Bytes(size),
        elements,
        record: None,
        span,
    })
}

/// Instructions that change no register, in listings of Microsoft's compilers, by their length.
const PADDING: [&[u8]; 8] = [
    &[],
    &[0x90],
    &[0x8B, 0xFF],
    &[0x8D, 0x49, 0],
    &[0x8D, 0x64, 0x24, 0],
    &[0x05, 0, 0, 0, 0],
    &[0x8D, 0x9B, 0, 0, 0, 0],
    &[0x8D, 0xA4, 0x24, 0, 0, 0, 0],
];

/// `npad bytes`, from `listing.inc` of Microsoft's compilers: one instruction, or a jump over one.
pub(super) fn padding(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<Statement<'static>, Fault> {
    let place = cursor.here();
    let bytes = constant(parser, cursor)?;
    cursor.expect_end()?;
    let mut left = match usize::try_from(bytes) {
        Ok(bytes @ 1..=15) => bytes,
        _ => return Err(fault(place, format!("padding has 1 to 15 bytes, not {bytes}"))),
    };
    let mut all = Vec::new();
    if left >= PADDING.len() {
        left -= 2;
        all.extend([0xEB, left as u8]);
    }
    while left > 0 {
        let part = left.min(PADDING.len() - 1);
        all.extend(PADDING[part]);
        left -= part;
    }
    let items = &mut parser.buffers.items;
    items.clear();
    let numbers = all.into_iter().map(|byte| Item::Number {
        number: i64::from(byte),
        span,
    });
    items.list.extend(numbers);
    Ok(Statement::Data(Data::new(None, Type::Bytes(1), span)))
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
    let may_be_label = numbered::may_be_label(parser, cursor.text(token));
    let items = &mut parser.buffers.items;
    let ends = matches!(
        cursor.peek_second().map(|token| token.kind),
        None | Some(Kind::Mark(b',' | b')'))
    );
    let unknown = unknown_in_parentheses(cursor);
    let plain = match token.kind {
        Kind::Mark(b'(') if unknown > 0 => {
            cursor.at += 2 * unknown;
            Some(Item::Uninitialised { span })
        }
        Kind::Mark(b'?') => Some(Item::Uninitialised { span }),
        Kind::Number(number) if ends && !parser.modes.packed && !may_be_label => Some(Item::Number {
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
                format: parser.modes.reals,
                span,
            })
        }
        Kind::Bad(_) | Kind::Number(_)
            if ends && parser.modes.packed && packed(cursor.text(token), false).is_some() =>
        {
            keep_packed(items, cursor.text(token), false, span)
        }
        Kind::Mark(sign @ (b'-' | b'+')) if parser.modes.packed && second_is_packed(cursor) => {
            cursor.at += 1;
            let text = cursor.peek().map_or("", |token| cursor.text(token));
            keep_packed(items, text, sign == b'-', span)
        }
        Kind::Mark(sign @ (b'-' | b'+')) => match cursor.peek_second() {
            Some(second @ Token { kind: Kind::Real, .. }) => {
                cursor.at += 1;
                let (start, end) = items.keep(cursor.text(second).as_bytes());
                Some(Item::Real {
                    start,
                    end,
                    negative: sign == b'-',
                    format: parser.modes.reals,
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

/// How many parentheses enclose the `?` that is the next item; 0 if it is another one.
fn unknown_in_parentheses(cursor: &Cursor<'_>) -> usize {
    let rest = cursor.tokens.get(cursor.at..).unwrap_or(&[]);
    let marks = |tokens: &[Token], mark: u8| tokens.iter().take_while(|token| token.kind == Kind::Mark(mark)).count();
    let open = marks(rest, b'(');
    let Some(
        [
            Token {
                kind: Kind::Mark(b'?'), ..
            },
            behind @ ..,
        ],
    ) = rest.get(open..)
    else {
        return 0;
    };
    if marks(behind, b')') >= open { open } else { 0 }
}

/// The bytes of a number in ten bytes, in hexadecimal: those of a decimal number are its digits, of which eighteen fit.
fn packed(text: &str, negative: bool) -> Option<String> {
    let digits = |text: &str, most: usize| (!text.is_empty() && text.len() <= most).then(|| text.to_owned());
    if let Some(text) = text.strip_suffix(['h', 'H']) {
        let text = text.trim_start_matches('0');
        return match text.bytes().all(|byte| byte.is_ascii_hexdigit()) && !negative {
            true => digits(text, 20),
            false => None,
        };
    }
    let text = text.strip_suffix(['d', 'D', 't', 'T']).unwrap_or(text);
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let text = digits(text.trim_start_matches('0'), 18).or_else(|| digits(text, 18))?;
    Some(if negative { format!("80{text:0>18}") } else { text })
}

/// Keeps the bytes of a number in ten bytes.
fn keep_packed(items: &mut Items, text: &str, negative: bool, span: Span) -> Option<Item> {
    let text = format!("{}r", packed(text, negative)?);
    let (start, end) = items.keep(text.as_bytes());
    Some(Item::Real {
        start,
        end,
        negative: false,
        format: RealFormat::Ieee,
        span,
    })
}

/// Whether the token after a sign is a decimal number for ten bytes.
fn second_is_packed(cursor: &Cursor<'_>) -> bool {
    let second = cursor.peek_second();
    second.is_some_and(|second| matches!(second.kind, Kind::Number(_)) && packed(cursor.text(second), true).is_some())
}

/// Appends an item that contains others; returns its index.
pub(super) fn open(parser: &mut Parser<'_>, item: Item) -> usize {
    let list = &mut parser.buffers.items.list;
    list.push(item);
    list.len() - 1
}

/// Begins the values of a `kind` in `count dup (`; returns the place of the repeat among the items.
pub(super) fn open_repeat(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    kind: &str,
    span: Span,
) -> Result<usize, Fault> {
    let count = expression(parser, cursor)?;
    if keyword_at(cursor) != Some(Keyword::Dup) {
        let problem = fault(span, format!("{kind} values require angle brackets"));
        return Err(problem.with_help("write `<>` for the default values"));
    }
    cursor.at += 1;
    if !cursor.eat(b'(') {
        return Err(fault(cursor.here(), "expected `(` after `dup`"));
    }
    Ok(open(parser, Item::Repeat { count, inside: 0, span }))
}

/// Ends the values of such a repeat.
pub(super) fn close_repeat(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, at: usize) -> Result<(), Fault> {
    close(parser, at);
    match cursor.eat(b')') {
        true => Ok(()),
        false => Err(fault(cursor.here(), "expected `)`")),
    }
}

/// Assigns the items since `at` to the item at `at`.
pub(super) fn close(parser: &mut Parser<'_>, at: usize) {
    Item::close(&mut parser.buffers.items.list, at);
}

/// The count in `[count]` at the cursor, or else 1.
pub(super) fn count_in_brackets(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<i64, Fault> {
    if !cursor.eat(b'[') {
        return Ok(1);
    }
    let count = constant(parser, cursor)?;
    match cursor.eat(b']') {
        true => Ok(count),
        false => Err(fault(cursor.here(), "expected `]`")),
    }
}
