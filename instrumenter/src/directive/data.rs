//! Data: `db` to `dt`, with `dup`, strings, real numbers and addresses to be filled in later.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::{ExpressionId, Type};
use crate::diag::Span;
use crate::directive::real;
use crate::expr::Cursor;
use crate::layout::{Fixup, FragmentKind, SegmentKind};
use crate::lex::{Kind, Token, string_bytes};
use crate::names::{Keyword, NameId};
use crate::symbols::Definition;

/// The bytes one definition makes.
#[derive(Default)]
pub(crate) struct Emission {
    pub(crate) bytes: Vec<u8>,
    /// Elements to be written when addresses are known.
    pub(crate) fixups: Vec<(u32, u8, ExpressionId, Span)>,
    /// Elements.
    pub(crate) count: u64,
    /// Zero bytes instead of `bytes`, for large arrays.
    pub(crate) zeroes: u64,
    /// Whether a string is among the initialisers.
    pub(crate) text: bool,
}

impl Assembler<'_> {
    /// `[name] db items`.
    pub(crate) fn data(
        &mut self,
        name: Option<(NameId, &str)>,
        size: u8,
        cursor: &mut Cursor,
        span: Span,
    ) -> Result<(), Fault> {
        let first = cursor.at;
        let mut emission = Emission::default();
        let parsed = self.items(size, cursor, &mut emission, 0);
        let parsed = parsed.and_then(|()| self.expect_end(cursor));
        if self.structure.is_some() {
            parsed?;
            let text = cursor
                .tokens
                .get(first)
                .map_or("", |token| cursor.line.text.get(token.start as usize..).unwrap_or(""));
            let text = text[..crate::lex::comment_start(text)].trim_end();
            return self.add_field(name.map(|(name, _)| name), Type::Bytes(size), text, emission, span);
        }
        // A definition with an error in it still defines its name: its uses are no errors of their own.
        self.place_data(name, Type::Bytes(size), &mut emission, span)?;
        parsed
    }

    /// Puts an emission where it belongs and names it.
    pub(crate) fn place_data(
        &mut self,
        name: Option<(NameId, &str)>,
        kind: Type,
        emission: &mut Emission,
        span: Span,
    ) -> Result<(), Fault> {
        let back = self.current;
        if name.is_some() && self.snippet && !self.in_library {
            self.current = self.segment("_DATA", SegmentKind::Data);
            self.after_data = true;
        } else if self.after_data {
            self.after_data = false;
            if !self.in_library {
                let problem = fault(span, "this data has no name and is placed among the instructions")
                    .with_help("give it a name, or write `.data` before the data and `.code` before the code");
                self.warn(problem);
            }
        }
        let placed = self.place_here(name, kind, emission, span);
        self.current = back;
        placed
    }

    fn place_here(
        &mut self,
        name: Option<(NameId, &str)>,
        kind: Type,
        emission: &mut Emission,
        span: Span,
    ) -> Result<(), Fault> {
        let mut location = self.location();
        let total = emission.zeroes.max(emission.bytes.len() as u64);
        if let Some((name, spelled)) = name
            && let Some(index) = self.define(name, spelled, Definition::Address(location), kind, span)?
        {
            let symbol = &mut self.symbols[index as usize];
            symbol.count = u32::try_from(emission.count).unwrap_or(u32::MAX);
            symbol.size = u32::try_from(total).unwrap_or(u32::MAX);
        }
        if emission.zeroes > 0 {
            self.reserve(emission.zeroes, span)?;
            location = self.emit_fragment(FragmentKind::Zeroes, emission.zeroes as u32);
        } else {
            location = self.emit(&emission.bytes, span).map(|_| location)?;
        }
        if total > 0 {
            self.note_row(location, total as u32, span, true);
        }
        let origin = self.origin;
        for (offset, size, expression, span) in emission.fixups.drain(..) {
            self.fixups.push(Fixup {
                location: crate::ast::Location {
                    offset: location.offset + offset,
                    ..location
                },
                size,
                expression,
                span,
                origin,
            });
        }
        Ok(())
    }

    /// Items of `size` bytes each, up to the line's end or a closing parenthesis.
    pub(crate) fn items(&mut self, size: u8, cursor: &mut Cursor, out: &mut Emission, depth: u32) -> Result<(), Fault> {
        if depth > self.limits.nesting {
            return Err(fault(
                cursor.here(),
                format!("`dup` is nested more than {} deep", self.limits.nesting),
            ));
        }
        loop {
            self.item(size, cursor, out, depth)?;
            if !cursor.eat(b',') {
                return Ok(());
            }
        }
    }

    fn item(&mut self, size: u8, cursor: &mut Cursor, out: &mut Emission, depth: u32) -> Result<(), Fault> {
        let Some(token) = cursor.peek() else {
            return Err(fault(cursor.here(), "a value is expected here").with_help("`?` stands for any value"));
        };
        let span = cursor.span(token);
        let ends = matches!(
            cursor.peek_second().map(|token| token.kind),
            None | Some(Kind::Mark(b',' | b')'))
        );
        match token.kind {
            Kind::Mark(b'?') => {
                cursor.at += 1;
                return put(out, 0, size, span);
            }
            Kind::Number(number) if ends => {
                cursor.at += 1;
                return put(out, number as i64, size, span);
            }
            Kind::String if ends => {
                let mut bytes = Vec::new();
                string_bytes(cursor.text(token), &mut bytes);
                cursor.at += 1;
                out.text = true;
                return put_string(out, &bytes, size, span);
            }
            Kind::Real => {
                cursor.at += 1;
                return put_real(out, cursor.text(token), false, size, span);
            }
            Kind::Mark(sign @ (b'-' | b'+')) => {
                if let Some(Token { kind: Kind::Real, .. }) = cursor.peek_second() {
                    cursor.at += 1;
                    let text = cursor.next().map_or("", |token| cursor.text(token));
                    return put_real(out, text, sign == b'-', size, span);
                }
            }
            _ => {}
        }
        let mark = self.expressions.mark();
        let id = self.expression(cursor)?;
        let value = self.evaluate(id)?;
        if cursor.keyword() == Some(Keyword::Dup) {
            cursor.at += 1;
            if value.unresolved || value.volatile || !value.is_number() {
                let unknown = self.first_unknown(id);
                return Err(
                    unknown.unwrap_or_else(|| fault(span, "the count before `dup` must be a number known here"))
                );
            }
            self.expressions.forget(mark);
            return self.duplicate(value.number, size, cursor, out, depth, span);
        }
        if value.register != iced_x86::Register::None || (value.memory && value.base != iced_x86::Register::None) {
            return Err(fault(span, "a register is no value for data"));
        }
        if value.volatile || value.unresolved {
            out.fixups.push((out.bytes.len() as u32, size, id, span));
            return put(out, 0, size, span);
        }
        self.expressions.forget(mark);
        put(out, value.number, size, span)
    }

    fn duplicate(
        &mut self,
        count: i64,
        size: u8,
        cursor: &mut Cursor,
        out: &mut Emission,
        depth: u32,
        span: Span,
    ) -> Result<(), Fault> {
        let Ok(count) = u64::try_from(count) else {
            return Err(fault(span, "the count before `dup` is negative"));
        };
        if !cursor.eat(b'(') {
            return Err(fault(cursor.here(), "`(` is expected after `dup`"));
        }
        let mut inner = Emission::default();
        self.items(size, cursor, &mut inner, depth + 1)?;
        if !cursor.eat(b')') {
            return Err(fault(cursor.here(), "`)` is expected here").with_label("the `dup` is not closed"));
        }
        // The size is settled before a byte is allocated.
        let unit = inner.bytes.len().max(inner.zeroes as usize) as u64;
        let total = unit.saturating_mul(count);
        let limit = self.limits.image;
        if total.saturating_add(out.bytes.len() as u64) > limit {
            return Err(
                fault(span, format!("the program would be larger than {} MiB", limit >> 20))
                    .with_label(format!("{count} times {unit} bytes")),
            );
        }
        out.count = out.count.saturating_add(inner.count.saturating_mul(count));
        out.text |= inner.text;
        let blank = inner.fixups.is_empty() && inner.bytes.iter().all(|&byte| byte == 0);
        if blank && total > 4096 && out.bytes.is_empty() && out.zeroes == 0 && !cursor.is(b',') {
            out.zeroes = total;
            return Ok(());
        }
        inner.flatten();
        out.flatten();
        let places = (inner.fixups.len() as u64).saturating_mul(count);
        if places > self.limits.symbols as u64 * 4 {
            return Err(fault(span, "too many addresses in one `dup`"));
        }
        for _ in 0..if unit == 0 { 0 } else { count } {
            let base = out.bytes.len() as u32;
            out.bytes.extend_from_slice(&inner.bytes);
            out.fixups.extend(
                inner
                    .fixups
                    .iter()
                    .map(|&(offset, size, id, span)| (base + offset, size, id, span)),
            );
        }
        Ok(())
    }
}

impl Emission {
    /// Writes large zero arrays out as bytes.
    pub(crate) fn flatten(&mut self) {
        if self.zeroes > 0 {
            self.bytes.resize(self.zeroes as usize, 0);
            self.zeroes = 0;
        }
    }
}

/// Appends one element.
fn put(out: &mut Emission, number: i64, size: u8, span: Span) -> Result<(), Fault> {
    out.flatten();
    out.count += 1;
    write_number(&mut out.bytes, number, size, span)
}

/// Appends the low bytes of `number`, if it fits as signed or unsigned number.
pub(crate) fn write_number(bytes: &mut Vec<u8>, number: i64, size: u8, span: Span) -> Result<(), Fault> {
    let bits = u32::from(size) * 8;
    let fits = bits >= 64 || (number >= -(1i64 << (bits - 1)) && number < (1i64 << bits));
    let filler = if number < 0 && size > 8 { 0xFF } else { 0 };
    let little = number.to_le_bytes();
    for place in 0..usize::from(size) {
        bytes.push(little.get(place).copied().unwrap_or(filler));
    }
    if fits {
        Ok(())
    } else {
        Err(fault(span, format!("{number} does not fit in {bits} bits")))
    }
}

fn put_string(out: &mut Emission, bytes: &[u8], size: u8, span: Span) -> Result<(), Fault> {
    out.flatten();
    if size == 1 {
        if bytes.is_empty() {
            return Err(fault(span, "the string is empty"));
        }
        out.count += bytes.len() as u64;
        out.bytes.extend_from_slice(bytes);
        return Ok(());
    }
    let size = usize::from(size);
    if bytes.len() > size {
        return Err(
            fault(span, format!("{} characters do not fit in {size} bytes", bytes.len()))
                .with_help("define the string with `db`"),
        );
    }
    out.count += 1;
    out.bytes.extend(bytes.iter().rev());
    out.bytes.extend(std::iter::repeat_n(0, size - bytes.len()));
    Ok(())
}

fn put_real(out: &mut Emission, text: &str, negative: bool, size: u8, span: Span) -> Result<(), Fault> {
    out.flatten();
    out.count += 1;
    if let Some(hexadecimal) = text.strip_suffix(['r', 'R']) {
        let digits = hexadecimal.trim_start_matches('0');
        let Ok(bits) = u128::from_str_radix(if digits.is_empty() { "0" } else { digits }, 16) else {
            return Err(fault(span, "this is not a real number in hexadecimal"));
        };
        let little = bits.to_le_bytes();
        if negative || little.iter().skip(usize::from(size)).any(|&byte| byte != 0) {
            return Err(fault(span, format!("these digits do not fit in {size} bytes")));
        }
        out.bytes.extend(little.iter().take(usize::from(size)));
        return Ok(());
    }
    let sign = if negative { -1.0 } else { 1.0 };
    let unreadable = || fault(span, "this is not a real number");
    match size {
        4 => {
            let number: f32 = text.parse().map_err(|_| unreadable())?;
            if !number.is_finite() {
                return Err(fault(span, "the number is too large for 32 bits"));
            }
            out.bytes.extend((number * sign as f32).to_le_bytes());
        }
        8 => {
            let number: f64 = text.parse().map_err(|_| unreadable())?;
            if !number.is_finite() {
                return Err(fault(span, "the number is too large for 64 bits"));
            }
            out.bytes.extend((number * sign).to_le_bytes());
        }
        10 => {
            let mut bytes =
                real::extended(text).ok_or_else(|| fault(span, "the number is out of range for 80 bits"))?;
            bytes[9] |= u8::from(negative) << 7;
            out.bytes.extend(bytes);
        }
        _ => {
            out.bytes.extend(std::iter::repeat_n(0, usize::from(size)));
            return Err(fault(span, "a real number has 4, 8 or 10 bytes").with_help("use `dd`, `dq` or `dt`"));
        }
    }
    Ok(())
}
