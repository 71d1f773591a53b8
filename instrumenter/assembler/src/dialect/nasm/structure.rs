//! `struc`, whose labels are offsets, and `istruc`, which places one.

use super::data::{Word, word as data_word};
use super::expression::{binary, constant, expression, word_at};
use super::instruction::expect_end;
use super::{Modes, Parser};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::expression::{Binary, ExpressionId, Location, NodeKind, Type};
use crate::lex::{Cursor, Kind};
use crate::session::Session;
use crate::statement::{Data, Equated, Item, Named, Statement};

/// A structure whose fields are being read.
pub(super) struct Open {
    name: String,
    /// The offset of its first field.
    start: i64,
    offset: i64,
    span: Span,
}

/// A structure that is being placed.
pub(super) struct Instance {
    name: String,
    start: Location,
    span: Span,
    /// The label that all others with a dot belong to behind it.
    parent: String,
}

/// Whether a word in lower case concerns structures.
pub(super) fn is_directive(word: &str) -> bool {
    matches!(word, "struc" | "endstruc" | "istruc" | "at" | "iend")
}

/// `struc` and the words that end or use one; the cursor is behind the word.
pub(super) fn directive<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, word: &str, span: Span) -> Parsed<'l> {
    match word {
        "struc" => begin(parser, cursor, span),
        "endstruc" => Err(fault(span, "`endstruc` without `struc`")),
        "istruc" => {
            let Some((_, token)) = cursor.name() else {
                return Err(fault(cursor.here(), "expected the name of a structure"));
            };
            let name = cursor.text(token).to_owned();
            expect_end(parser, cursor)?;
            if parser.modes.instance.is_some() {
                return Err(fault(span, "`istruc` within `istruc`").with_help("end the first one with `iend`"));
            }
            let parent = std::mem::replace(&mut parser.modes.parent, name.clone());
            parser.modes.instance = Some(Instance {
                name,
                start: parser.here(),
                span,
                parent,
            });
            Ok(None)
        }
        "at" => at(parser, cursor, span).map(Some),
        _ => end_instance(parser, cursor, span).map(Some),
    }
}

fn begin<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, span: Span) -> Parsed<'l> {
    let Some((id, token)) = cursor.name() else {
        return Err(fault(cursor.here(), "expected the name of a structure"));
    };
    let name = cursor.text(token).to_owned();
    let mut offset = 0;
    if cursor.eat(b',') {
        offset = constant(parser, cursor)?;
    }
    expect_end(parser, cursor)?;
    parser.modes.parent.clone_from(&name);
    parser.modes.structure = Some(Open {
        name,
        start: offset,
        offset,
        span,
    });
    // Its own name is the offset of its first field.
    let named = Named {
        name: id,
        spelled: cursor.text(token),
        span: cursor.span(token),
    };
    let value = Equated::Number(offset);
    Ok(Some(Statement::Equate { named, value }))
}

/// A line within `struc`: a name, which is an offset, and room.
pub(super) fn field<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    let Some(token) = cursor.peek() else { return Ok(None) };
    let span = cursor.span(token);
    let Kind::Name(name) = token.kind else {
        return Err(fault(span, "expected a field: `.name: resd 1`"));
    };
    let word = parser.session.names.text(name).to_owned();
    let Some(open) = &parser.modes.structure else {
        return Ok(None);
    };
    let (start, offset) = (open.start, open.offset);
    let room = |text: &str| match data_word(text) {
        Some(Word::Reserves(size)) => Some(size),
        _ => None,
    };
    if word == "endstruc" {
        return Err(fault(span, "`endstruc` has no structure to end"));
    }
    if cursor
        .tokens
        .get(cursor.at + 1)
        .is_some_and(|next| cursor.text(*next).eq_ignore_ascii_case("endstruc"))
    {
        // The name of the size is written before the word, as if the source had it.
        cursor.at += 2;
        expect_end(parser, cursor)?;
        parser.modes.structure = None;
        let value = Equated::Number(offset - start);
        let spelled = cursor.text(token);
        return Ok(Some(Statement::Equate {
            named: Named { name, spelled, span },
            value,
        }));
    }
    if let Some(size) = room(&word) {
        cursor.at += 1;
        let place = cursor.here();
        let count = constant(parser, cursor)?;
        expect_end(parser, cursor)?;
        let most = i64::try_from(parser.session.limits.structure).unwrap_or(i64::MAX);
        let end = count
            .checked_mul(i64::from(size))
            .and_then(|bytes| bytes.checked_add(offset))
            .filter(|end| count >= 0 && *end <= most);
        let Some(end) = end else {
            return Err(fault(place, format!("a structure has 0 to {most} bytes")));
        };
        if let Some(open) = &mut parser.modes.structure {
            open.offset = end;
        }
        return Ok(None);
    }
    if matches!(word.as_str(), "align" | "alignb") {
        cursor.at += 1;
        let place = cursor.here();
        let unit = constant(parser, cursor)?;
        expect_end(parser, cursor)?;
        if !(1..=1 << 16).contains(&unit) || unit & (unit - 1) != 0 {
            return Err(fault(place, format!("alignment must be a power of two, not {unit}")));
        }
        if let Some(open) = &mut parser.modes.structure {
            open.offset = (offset + unit - 1) & -unit;
        }
        return Ok(None);
    }
    let is_label = matches!(
        cursor.peek_second().map(|next| next.kind),
        None | Some(Kind::Mark(b':'))
    ) || cursor.tokens.get(cursor.at + 1).is_some_and(|next| match next.kind {
        Kind::Name(name) => room(parser.session.names.text(name)).is_some(),
        _ => false,
    });
    if data_word(&word).is_some() || parser.session.names.info(name).mnemonic || !is_label {
        let problem = fault(span, format!("`{word}` cannot stand within `struc`"));
        return Err(problem.with_help("a field is reserved: `.name: resd 1`"));
    }
    cursor.at += 1;
    cursor.eat(b':');
    let spelled = cursor.text(token);
    if !parser.modes.local {
        spelled.clone_into(&mut parser.modes.parent);
    }
    let value = Equated::Number(offset);
    Ok(Some(Statement::Equate {
        named: Named { name, spelled, span },
        value,
    }))
}

/// `at name.field, dd 5`: fills up to the field; what it holds follows in the line.
fn at<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, span: Span) -> Result<Statement<'l>, Fault> {
    let offset = expression(parser, cursor)?;
    if !cursor.eat(b',') && !cursor.done() {
        return Err(fault(cursor.here(), "expected `,` and the value of the field"));
    }
    filled(parser, offset, "at", span)
}

/// `iend`: fills up to the size of the structure.
fn end_instance<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, span: Span) -> Result<Statement<'l>, Fault> {
    expect_end(parser, cursor)?;
    let name = parser
        .modes
        .instance
        .as_ref()
        .map(|instance| format!("{}_size", instance.name));
    let name = parser.session.names.intern(&name.unwrap_or_default());
    let size = parser.session.expressions.push(NodeKind::Symbol(name, 0), span);
    let filled = filled(parser, size, "iend", span)?;
    if let Some(instance) = parser.modes.instance.take() {
        parser.modes.parent = instance.parent;
    }
    Ok(filled)
}

/// Zeroes up to an offset in the structure that is being placed.
fn filled(parser: &mut Parser<'_>, offset: ExpressionId, word: &str, span: Span) -> Result<Statement<'static>, Fault> {
    let Some(instance) = &parser.modes.instance else {
        return Err(fault(span, format!("`{word}` without `istruc`")));
    };
    let start = instance.start;
    let here = parser.here();
    let [start, here] = [start, here].map(|place| parser.session.expressions.push(NodeKind::Here(place), span));
    let done = binary(parser, Binary::Subtract, (here, start), span)?;
    let count = binary(parser, Binary::Subtract, (offset, done), span)?;
    let items = &mut parser.buffers.items;
    items.clear();
    items.list.push(Item::Repeat { count, inside: 1, span });
    items.list.push(Item::Number { number: 0, span });
    Ok(Statement::Data(Data::new(None, Type::Bytes(1), span)))
}

/// The name of the size of the structure that is being read.
pub(super) fn size_name(modes: &Modes) -> Option<String> {
    modes.structure.as_ref().map(|open| format!("{}_size", open.name))
}

/// Whether a line is one of the fields of a structure.
pub(super) fn keeps_out(parser: &Parser<'_>, cursor: &Cursor<'_>) -> bool {
    parser.modes.structure.is_some() && word_at(parser, cursor).is_none_or(|word| !word.starts_with('%'))
}

/// Reports structures that are still open after the last line.
pub(super) fn close(session: &mut Session, modes: &mut Modes) {
    if let Some(open) = modes.structure.take() {
        let problem = fault(open.span, format!("structure `{}` is never closed", open.name));
        session.report(problem.with_help("add `endstruc`"));
    }
    if let Some(instance) = modes.instance.take() {
        let problem = fault(instance.span, format!("`istruc {}` is never closed", instance.name));
        session.report(problem.with_help("add `iend`"));
    }
}
