//! Structures, unions and records: their heads, and the values of structures.

use super::Parser;
use super::argument::{angle_literal, split_arguments};
use super::data::{close, close_repeat, items, open, open_repeat};
use super::expression::constant;
use super::record::record_items;
use super::{Keyword, keyword};
use crate::diag::{Fault, Span, fault};
use crate::expression::Type;
use crate::lex::{Cursor, Kind, Line};
use crate::names::{NONE, NameId};
use crate::remedy::{Construct, Remedy};
use crate::statement::{Data, Item, Named, Statement};
use std::borrow::Cow;
use std::rc::Rc;

/// The reason why a type of this name is unknown, if a structure of that name has not been closed before `place`.
pub(super) fn still_open(parser: &Parser<'_>, word: NameId, place: Span) -> Option<Fault> {
    let structures = &parser.program.structures;
    let mut all = structures.outer.iter().chain(&structures.open);
    let open = all.find(|open| open.name == word)?;
    let name = parser.session.names.spelling(word).to_owned();
    let problem = fault(open.span, format!("structure `{name}` is never closed"))
        .with_help(Remedy::Close(Construct::Structure(name)))
        .with_label(format!("line {} uses it", place.line));
    Some(problem.recurring())
}

/// `name struc alignment`, or TASM's `name struc parent`, which begins with the fields of another structure.
pub(super) fn begin_structure(
    parser: &mut Parser<'_>,
    name: NameId,
    union: bool,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<Statement<'static>, Fault> {
    let mut alignment = None;
    let parent = cursor.peek_name().map(|word| parser.session.names.info(word).structure);
    let base = parent.filter(|&parent| parent != NONE && parser.program.structures.open.is_none());
    if base.is_some() {
        cursor.at += 1;
        cursor.expect_end()?;
    } else if parser.program.structures.open.is_none() && !cursor.done() {
        let place = cursor.here();
        let number = constant(parser, cursor)?;
        if !matches!(number, 1 | 2 | 4 | 8 | 16) {
            return Err(fault(place, "structure alignment must be 1, 2, 4, 8 or 16"));
        }
        alignment = Some(number as u32);
    }
    cursor.at = cursor.tokens.len();
    Ok(Statement::Structure {
        name: Some(name),
        union,
        alignment,
        base,
        span,
    })
}

/// `[name] STRUCTURE <values>, ...`.
pub(super) fn structure_data<'l>(
    parser: &mut Parser<'_>,
    named: Option<Named<'l>>,
    structure: u32,
    cursor: &mut Cursor<'l>,
    span: Span,
) -> Result<Statement<'l>, Fault> {
    parser.buffers.items.clear();
    structure_items(parser, structure, cursor, 0)?;
    cursor.expect_end()?;
    Ok(Statement::Data(Data::new(named, Type::Structure(structure), span)))
}

fn structure_items(parser: &mut Parser<'_>, structure: u32, cursor: &mut Cursor<'_>, depth: u32) -> Result<(), Fault> {
    if depth > parser.session.limits.nesting.min(64) {
        return Err(fault(cursor.here(), "structures are nested too deeply"));
    }
    loop {
        let span = cursor.here();
        if cursor.is(b'<') || cursor.is(b'{') {
            let Some((inside, length)) = angle_literal(&without_braces(cursor.raw_rest())) else {
                return Err(fault(span, "missing `>`"));
            };
            let end = cursor.offset() + length;
            while cursor.peek().is_some_and(|token| (token.start as usize) < end) {
                cursor.at += 1;
            }
            structure_value(parser, structure, &inside, span, depth)?;
        } else if cursor.is(b'?') {
            cursor.at += 1;
            structure_value(parser, structure, "", span, depth)?;
        } else {
            let at = open_repeat(parser, cursor, "structure", span)?;
            structure_items(parser, structure, cursor, depth + 1)?;
            close_repeat(parser, cursor, at)?;
        }
        if !cursor.eat(b',') {
            return Ok(());
        }
    }
}

/// Text with angle brackets for the braces outside strings: both enclose the values of a structure.
pub(super) fn without_braces(text: &str) -> String {
    let mut quote = None;
    let plain = |character: char| match (quote, character) {
        (Some(open), _) if open == character => {
            quote = None;
            character
        }
        (Some(_), _) => character,
        (None, '{') => '<',
        (None, '}') => '>',
        (None, '\'' | '"') => {
            quote = Some(character);
            character
        }
        (None, _) => character,
    };
    text.chars().map(plain).collect()
}

/// The values, of which blanks alone may separate some, as where a line that continues has no comma.
fn apart(parser: &mut Parser<'_>, given: Vec<String>, span: Span) -> Vec<String> {
    let mut all = Vec::with_capacity(given.len());
    for value in given {
        if !value.trim().bytes().any(|byte| matches!(byte, b' ' | b'\t')) || value.starts_with(['<', '{']) {
            all.push(value);
            continue;
        }
        let line = Line::within(span, &value);
        let mut tokens = Vec::new();
        parser.lex(&line.text, &mut tokens);
        let mut start = 0;
        for (left, right) in tokens.iter().zip(tokens.iter().skip(1)) {
            let cut = right.start as usize;
            if ends_operand(left.kind) && begins_value(right.kind) && cut > left.end as usize {
                all.push(value.get(start..cut).unwrap_or("").trim_end().to_owned());
                start = cut;
            }
        }
        all.push(value.get(start..).unwrap_or("").to_owned());
    }
    all
}

/// Whether an operand may end at this token.
fn ends_operand(kind: Kind) -> bool {
    match kind {
        Kind::Number(_) | Kind::Real | Kind::String | Kind::Mark(b')' | b']' | b'?' | b'$') => true,
        Kind::Name(name) => keyword(name).is_none_or(Keyword::may_be_a_name),
        _ => false,
    }
}

/// Whether an operand begins at this token, which is no operator between two.
fn begins_value(kind: Kind) -> bool {
    match kind {
        Kind::Number(_) | Kind::Real | Kind::String | Kind::Mark(b'?') => true,
        Kind::Name(name) => keyword(name).is_none_or(|word| {
            let prefix = matches!(
                word,
                Keyword::Offset | Keyword::Seg | Keyword::Near(_) | Keyword::Far(_) | Keyword::TypeOfSize(_)
            );
            let infix = matches!(
                word,
                Keyword::Equal
                    | Keyword::NotEqual
                    | Keyword::Less
                    | Keyword::LessOrEqual
                    | Keyword::Greater
                    | Keyword::GreaterOrEqual
            );
            prefix || (word.may_be_a_name() && !infix)
        }),
        _ => false,
    }
}

/// Parses one structure, whose leading fields have the values in `text`.
fn structure_value(parser: &mut Parser<'_>, structure: u32, text: &str, span: Span, depth: u32) -> Result<(), Fault> {
    let Some(definition) = parser.program.structures.get(structure).map(Rc::clone) else {
        return Ok(());
    };
    if depth > parser.session.limits.nesting.min(64) {
        return Err(fault(span, "structures are nested too deeply"));
    }
    let given = split_arguments(text);
    // TASM lets values name their fields, in any order.
    let named = |value: &str| {
        let (name, rest) = value.split_once('=')?;
        let name = parser.session.names.intern(name.trim());
        let place = definition.fields.iter().position(|field| field.name == name)?;
        Some((place, rest.to_owned()))
    };
    let named: Option<Vec<(usize, String)>> = given.iter().map(|value| value.as_str()).map(named).collect();
    let own = definition.fields.iter().enumerate();
    let places: Vec<usize> = own
        .filter(|(_, field)| !field.alternative)
        .map(|(place, _)| place)
        .collect();
    let most = if definition.union { 1 } else { places.len() };
    if given.len() > most {
        return Err(fault(
            span,
            format!(
                "too many structure values: expected at most {most}, found {}",
                given.len()
            ),
        ));
    }
    let whole = open(
        parser,
        Item::Structure {
            structure,
            inside: 0,
            span,
        },
    );
    let mut values = match named {
        Some(named) => named,
        None if given.len() < most => places.into_iter().zip(apart(parser, given, span)).collect(),
        None => places.into_iter().zip(given).collect(),
    };
    values.sort_by_key(|&(place, _)| place);
    if values
        .iter()
        .zip(values.iter().skip(1))
        .any(|(one, next)| one.0 == next.0)
    {
        return Err(fault(span, "a field has two values").with_help("give each field one value"));
    }
    if definition.union && values.last().is_some_and(|&(place, _)| place > 0) {
        return Err(fault(span, "only the first member of a union has a value here"));
    }
    for (place, value) in values {
        let value = value.trim();
        let Some(field) = definition.fields.get(place).filter(|_| !value.is_empty()) else {
            continue;
        };
        let at = open(
            parser,
            Item::Field {
                place: place as u32,
                inside: 0,
            },
        );
        if let Type::Structure(below) = field.kind {
            structure_value(parser, below, value, span, depth + 1)?;
        } else {
            let records = &parser.program.structures.records;
            let record = field.record.and_then(|record| records.get(&record).map(Rc::clone));
            // The brackets of a record's values are those of the argument.
            let bare = record.is_some() && !value.starts_with(['<', '{', '?']);
            let value = if bare {
                Cow::Owned(format!("<{value}>"))
            } else {
                Cow::Borrowed(value)
            };
            let line = Line::within(span, &value);
            let mut tokens = Vec::new();
            parser.lex(&line.text, &mut tokens);
            let mut cursor = Cursor::new(&line, &tokens);
            match record {
                Some(record) => record_items(parser, &record, &mut cursor, 0)?,
                None => items(parser, &mut cursor, 0)?,
            }
            cursor.expect_end()?;
        }
        close(parser, at);
    }
    close(parser, whole);
    Ok(())
}
