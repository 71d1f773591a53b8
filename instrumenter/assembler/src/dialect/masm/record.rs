//! Records: bit fields in a number, their definition and their values.

use super::argument::{angle_literal, split_arguments};
use super::data::{close_repeat, open_repeat};
use super::expression::constant;
use super::structure::without_braces;
use super::{Parser, number_in};
use crate::diag::{Fault, Span, fault};
use crate::dialect;
use crate::expression::Type;
use crate::lex::Cursor;
use crate::names::NameId;
use crate::program::RecordType;
use crate::statement::{Data, Item, Named, RecordField, Statement};

/// `name record field:width = value, ...`, or with the fields in braces, one on each line.
pub(super) fn record(
    parser: &mut Parser<'_>,
    name: NameId,
    cursor: &mut Cursor<'_>,
) -> Result<Statement<'static>, Fault> {
    let mut fields = Vec::new();
    let mut total = 0u32;
    let mut braces = false;
    loop {
        // The brace may follow the first fields.
        braces |= cursor.eat(b'{');
        let place = cursor.here();
        let Some((field, token)) = cursor.name() else {
            return Err(fault(place, "expected a field name").with_help("write `field:width`"));
        };
        if !cursor.eat(b':') {
            return Err(fault(cursor.here(), "expected `:` and the field width in bits"));
        }
        let width = constant(parser, cursor)?;
        let width = u32::try_from(width).unwrap_or(u32::MAX);
        total = total.saturating_add(width);
        if width == 0 || total > 32 {
            return Err(fault(place, "record width must be 1 to 32 bits"));
        }
        let mut value = 0;
        if cursor.eat(b'=') {
            value = constant(parser, cursor)?;
        }
        fields.push(RecordField {
            name: field,
            spelled: cursor.text(token).to_owned(),
            span: cursor.span(token),
            width,
            value,
        });
        let goes_on = cursor.eat(b',') || braces;
        if !goes_on || (braces && cursor.is(b'}')) {
            break;
        }
    }
    if braces && !cursor.eat(b'}') {
        return Err(fault(cursor.here(), "expected `}` after the fields"));
    }
    cursor.expect_end()?;
    Ok(Statement::Record { name, fields })
}

/// `name enum first, second = value, ...`: names for numbers that count from 0, and a type for the largest. In braces
/// there may be one name on each line.
pub(super) fn enumeration<'l>(
    parser: &mut Parser<'_>,
    named: Named<'l>,
    cursor: &mut Cursor<'l>,
) -> Result<Statement<'l>, Fault> {
    let mut constants = Vec::new();
    let (mut next, mut most) = (0i64, 0);
    let braces = cursor.eat(b'{');
    while let Some(constant_name) = dialect::named(cursor) {
        if cursor.eat(b'=') {
            next = constant(parser, cursor)?;
        }
        constants.push((constant_name, next));
        most = most.max(next);
        next += 1;
        // In braces each line of a definition is an item, and needs no comma.
        if !cursor.eat(b',') && !braces {
            break;
        }
    }
    if braces && !cursor.eat(b'}') {
        return Err(fault(cursor.here(), "expected `}` after the constants"));
    }
    cursor.expect_end()?;
    let text = match most {
        ..=0xFF => "byte",
        0x100..=0xFFFF => "word",
        _ => "dword",
    };
    Ok(Statement::Enumeration { named, constants, text })
}

/// `[name] RECORD <values>, ...`.
pub(super) fn record_data<'l>(
    parser: &mut Parser<'_>,
    named: Option<Named<'l>>,
    (name, record): (NameId, &RecordType),
    cursor: &mut Cursor<'l>,
    span: Span,
) -> Result<Statement<'l>, Fault> {
    parser.buffers.items.clear();
    record_items(parser, record, cursor, 0)?;
    cursor.expect_end()?;
    Ok(Statement::Data(Data {
        record: Some(name),
        ..Data::new(named, Type::Bytes(record.bytes()), span)
    }))
}

/// Values of a record: numbers in brackets, in repeats if there are many.
pub(super) fn record_items(
    parser: &mut Parser<'_>,
    record: &RecordType,
    cursor: &mut Cursor<'_>,
    depth: u32,
) -> Result<(), Fault> {
    if depth > parser.session.limits.nesting.min(64) {
        return Err(fault(cursor.here(), "`dup` is nested too deeply"));
    }
    loop {
        let span = cursor.here();
        if cursor.is(b'<') || cursor.is(b'{') {
            let number = record_value(parser, record, cursor)?;
            parser.buffers.items.list.push(Item::Number { number, span });
        } else if cursor.eat(b'?') {
            parser.buffers.items.list.push(Item::Uninitialised { span });
        } else {
            let at = open_repeat(parser, cursor, "record", span)?;
            record_items(parser, record, cursor, depth + 1)?;
            close_repeat(parser, cursor, at)?;
        }
        if !cursor.eat(b',') {
            return Ok(());
        }
    }
}

/// The number of a record whose leading fields have the values in brackets at the cursor.
pub(super) fn record_value(
    parser: &mut Parser<'_>,
    record: &RecordType,
    cursor: &mut Cursor<'_>,
) -> Result<i64, Fault> {
    let span = cursor.here();
    let Some((inside, length)) = angle_literal(&without_braces(cursor.raw_rest())) else {
        return Err(fault(span, "missing `>`"));
    };
    let end = cursor.offset() + length;
    while cursor.peek().is_some_and(|token| (token.start as usize) < end) {
        cursor.at += 1;
    }
    let given = split_arguments(&inside);
    if given.len() > record.fields.len() {
        let (most, found) = (record.fields.len(), given.len());
        return Err(fault(
            span,
            format!("too many record values: expected at most {most}, found {found}"),
        ));
    }
    // TASM lets values name their fields.
    let named = fields_by_name(record, &given, span)?;
    let mut number = 0;
    let values = given.iter().map(|value| value.trim()).chain(std::iter::repeat(""));
    for (index, (field, value)) in record.fields.iter().zip(values).enumerate() {
        let value = named
            .as_ref()
            .map_or(value, |named| named.get(index).copied().unwrap_or(""));
        let value = match value {
            "" => field.value,
            "?" => 0,
            value => number_in(parser, value, span)?,
        };
        let most = 1i64 << field.width;
        if value >= most || value < -most {
            let message = format!(
                "{value} does not fit in the {} bits of field `{}`",
                field.width, field.spelled
            );
            return Err(fault(span, message));
        }
        number = number << field.width | value & (most - 1);
    }
    Ok(number)
}

/// The value of each field, empty for its default, if the values name their fields; `None` if none does.
fn fields_by_name<'g>(record: &RecordType, given: &'g [String], span: Span) -> Result<Option<Vec<&'g str>>, Fault> {
    let split = |value: &'g String| {
        let (name, value) = value.split_once('=')?;
        let name = name.trim();
        let is_name = !name.is_empty() && name.bytes().all(crate::lex::is_word);
        is_name.then(|| (name, value.trim()))
    };
    if !given.iter().any(|value| split(value).is_some()) {
        return Ok(None);
    }
    let mut values = vec![""; record.fields.len()];
    let mut seen = vec![false; record.fields.len()];
    for value in given.iter().filter(|value| !value.trim().is_empty()) {
        let Some((name, text)) = split(value) else {
            let value = value.trim();
            let message = format!("`{value}` names no field, but other values do");
            return Err(fault(span, message).with_help(format!("write `field={value}`")));
        };
        let mut fields = record.fields.iter();
        let Some(at) = fields.position(|field| field.spelled.eq_ignore_ascii_case(name)) else {
            let fields: Vec<String> = record
                .fields
                .iter()
                .map(|field| format!("`{}`", field.spelled))
                .collect();
            let help = format!("its fields are {}", fields.join(", "));
            return Err(fault(span, format!("the record has no field `{name}`")).with_help(help));
        };
        let (Some(slot), Some(seen)) = (values.get_mut(at), seen.get_mut(at)) else {
            continue;
        };
        if std::mem::replace(seen, true) {
            return Err(fault(span, format!("field `{name}` has two values")));
        }
        *slot = text;
    }
    Ok(Some(values))
}
