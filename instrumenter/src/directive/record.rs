//! Records: bit fields whose names are shift counts, with `mask` and `width` to go with them.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::Type;
use crate::expr::Cursor;
use crate::names::{Keyword, NameId};
use crate::symbols::Definition;

/// Where a record's field lies; for the record itself, all of it.
#[derive(Clone, Copy)]
pub(crate) struct BitField {
    pub(crate) shift: u32,
    pub(crate) width: u32,
}

impl Assembler<'_> {
    /// `name record field:width = value, ...`: the last field holds the lowest bits.
    pub(crate) fn record(&mut self, name: NameId, cursor: &mut Cursor) -> Result<(), Fault> {
        let mut fields = Vec::new();
        let mut total = 0u32;
        loop {
            let place = cursor.here();
            let Some((field, token)) = cursor.name() else {
                return Err(fault(place, "a field's name is expected here").with_help("write `field:width`"));
            };
            if !cursor.eat(b':') {
                return Err(fault(
                    cursor.here(),
                    "`:` and the field's width in bits are expected here",
                ));
            }
            let width = self.constant(cursor)?;
            let width = u32::try_from(width).unwrap_or(u32::MAX);
            total = total.saturating_add(width);
            if width == 0 || total > 32 {
                return Err(fault(place, "the fields of a record have 1 to 32 bits together"));
            }
            if cursor.eat(b'=') {
                self.constant(cursor)?;
            }
            fields.push((field, cursor.text(token).to_owned(), cursor.span(token), width));
            if !cursor.eat(b',') {
                break;
            }
        }
        self.expect_end(cursor)?;
        let whole = BitField { shift: 0, width: total };
        self.bit_fields.insert(name, whole);
        let mut shift = total;
        for (field, spelled, span, width) in fields {
            shift -= width;
            self.bit_fields.insert(field, BitField { shift, width });
            self.define(field, &spelled, Definition::Number(i64::from(shift)), Type::None, span)?;
        }
        Ok(())
    }

    /// The number that `mask field` or `width field` stands for.
    pub(crate) fn record_operator(&mut self, keyword: Keyword, cursor: &mut Cursor) -> Result<i64, Fault> {
        let place = cursor.here();
        let field = cursor.name().and_then(|(name, _)| self.bit_fields.get(&name));
        let Some(field) = field else {
            return Err(fault(place, "a record or a field of a record is expected here"));
        };
        if keyword == Keyword::Width {
            return Ok(i64::from(field.width));
        }
        Ok(((1i64 << field.width) - 1) << field.shift)
    }
}
