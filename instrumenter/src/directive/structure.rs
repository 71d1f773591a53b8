//! Structures and unions: their fields, and data made of them.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::Type;
use crate::diag::Span;
use crate::directive::data::Emission;
use crate::expand::argument::{angle_literal, split_arguments};
use crate::expr::Cursor;
use crate::lex::lex;
use crate::names::{Keyword, NONE, NameId};
use crate::symbols::{Field, Structure, StructureInProgress};
use std::rc::Rc;

impl Assembler<'_> {
    pub(crate) fn begin_structure(
        &mut self,
        name: NameId,
        union: bool,
        cursor: &mut Cursor,
        span: Span,
    ) -> Result<(), Fault> {
        if self.structure.is_some() {
            return self.begin_inner_structure(Some(name), union, span);
        }
        let mut alignment = 1;
        if !cursor.done() {
            let place = cursor.here();
            alignment = self.constant(cursor)?;
            if !matches!(alignment, 1 | 2 | 4 | 8 | 16) {
                return Err(fault(place, "a structure's alignment is 1, 2, 4, 8 or 16"));
            }
        }
        self.structure = Some(StructureInProgress {
            name,
            structure: Structure {
                size: 0,
                fields: Vec::new(),
                union,
                blank: None,
            },
            alignment: alignment as u32,
            span,
        });
        Ok(())
    }

    /// A structure or union within a structure; without a name its fields are the outer one's.
    pub(crate) fn begin_inner_structure(&mut self, name: Option<NameId>, union: bool, span: Span) -> Result<(), Fault> {
        if self.outer_structures.len() >= 32 {
            return Err(fault(span, "structures are nested more than 32 deep"));
        }
        let alignment = self.structure.as_ref().map_or(1, |outer| outer.alignment);
        self.outer_structures.extend(self.structure.take());
        self.structure = Some(StructureInProgress {
            name: name.unwrap_or(NONE),
            structure: Structure {
                size: 0,
                fields: Vec::new(),
                union,
                blank: None,
            },
            alignment,
            span,
        });
        Ok(())
    }

    /// The structure that ended last becomes a field of the one around it.
    fn end_inner_structure(
        &mut self,
        name: NameId,
        index: u32,
        mut emission: Emission,
        span: Span,
    ) -> Result<(), Fault> {
        emission.flatten();
        let Some(inner) = self.structures.get(index as usize).cloned() else {
            return Ok(());
        };
        if name != NONE {
            return self.add_field(Some(name), Type::Structure(index), "<>", emission, span);
        }
        let first = self.structure.as_ref().map_or(0, |outer| outer.structure.fields.len());
        let count = inner.fields.len();
        self.add_field(None, Type::Structure(index), "<>", emission, span)?;
        let Some(outer) = self.structure.as_mut().map(|outer| &mut outer.structure) else {
            return Ok(());
        };
        let Some(place) = outer.fields.pop() else {
            return Ok(());
        };
        for (number, field) in inner.fields.iter().enumerate() {
            if field.name != NONE && outer.fields.iter().take(first).any(|known| known.name == field.name) {
                return Err(fault(span, "the structure already has a field of this name"));
            }
            let mut field = field.clone();
            field.offset += place.offset;
            // Of a union only the first field has a value.
            if inner.union && number > 0 && count > 1 {
                field.initialiser.clear();
            }
            outer.fields.push(field);
        }
        Ok(())
    }

    pub(crate) fn end_structure(&mut self, name: Option<NameId>, span: Span) -> Result<(), Fault> {
        let Some(mut open) = self.structure.take() else {
            return Ok(());
        };
        if open.alignment > 1 {
            let widest = open
                .structure
                .fields
                .iter()
                .map(|field| self.size_of(field.kind).max(1))
                .max();
            let unit = widest.unwrap_or(1).min(open.alignment).next_power_of_two();
            open.structure.size = open.structure.size.next_multiple_of(unit);
        }
        let index = self.structures.len() as u32;
        for field in &open.structure.fields {
            self.fields.insert(field.name, index);
        }
        self.structures.push(Rc::new(open.structure));
        let outer = self.outer_structures.pop();
        let inner = outer.is_some();
        if !inner {
            self.names.info_mut(open.name).structure = index;
        }
        // Made once, so that structures of structures of structures cost no more than their bytes.
        let mut emission = Emission::default();
        self.one_structure(index, "", &mut emission, open.span, 0)?;
        if let Some(structure) = self.structures.get_mut(index as usize).and_then(Rc::get_mut) {
            structure.blank = emission.fixups.is_empty().then(|| emission.bytes.clone());
        }
        if inner {
            self.structure = outer;
            return self.end_inner_structure(open.name, index, emission, open.span);
        }
        match name {
            Some(name) if name != open.name => {
                let text = self.names.text(open.name).to_owned();
                Err(fault(span, format!("the open structure is `{text}`")).with_help(format!("write `{text} ends`")))
            }
            _ => Ok(()),
        }
    }

    /// Adds what a data line within a structure defines.
    pub(crate) fn add_field(
        &mut self,
        name: Option<NameId>,
        kind: Type,
        initialiser: &str,
        emission: Emission,
        span: Span,
    ) -> Result<(), Fault> {
        let size = emission.zeroes.max(emission.bytes.len() as u64);
        let element = self.size_of(kind).max(1);
        let limit = self.limits.structure;
        let Some(open) = &mut self.structure else {
            return Ok(());
        };
        let structure = &mut open.structure;
        let unit = element.next_power_of_two().min(open.alignment);
        let offset = if structure.union {
            0
        } else {
            structure.size.next_multiple_of(unit)
        };
        let after = u64::from(offset) + size;
        if after > limit {
            return Err(fault(
                span,
                format!("the structure would be larger than {} KiB", limit >> 10),
            ));
        }
        if let Some(name) = name
            && structure.fields.iter().any(|field| field.name == name)
        {
            return Err(fault(span, "the structure already has a field of this name"));
        }
        structure.size = structure.size.max(after as u32);
        structure.fields.push(Field {
            name: name.unwrap_or(NONE),
            offset,
            kind,
            size: size as u32,
            initialiser: initialiser.to_owned(),
            text: emission.text,
        });
        Ok(())
    }

    /// `[name] STRUCTURE <values>, ...`.
    pub(crate) fn structure_data(
        &mut self,
        name: Option<(NameId, &str)>,
        structure: u32,
        cursor: &mut Cursor,
        span: Span,
    ) -> Result<(), Fault> {
        let mut emission = Emission::default();
        let text = cursor.rest().to_owned();
        self.structure_items(structure, cursor, &mut emission, 0)?;
        self.expect_end(cursor)?;
        let kind = Type::Structure(structure);
        if self.structure.is_some() {
            return self.add_field(name.map(|(name, _)| name), kind, &text, emission, span);
        }
        self.place_data(name, kind, &mut emission, span)
    }

    fn structure_items(
        &mut self,
        structure: u32,
        cursor: &mut Cursor,
        out: &mut Emission,
        depth: u32,
    ) -> Result<(), Fault> {
        if depth > self.limits.nesting.min(64) {
            return Err(fault(cursor.here(), "structures are nested too deep"));
        }
        loop {
            let span = cursor.here();
            if cursor.is(b'<') {
                let Some((inside, length)) = angle_literal(cursor.raw_rest()) else {
                    return Err(fault(span, "`>` is missing"));
                };
                let end = cursor.offset() + length;
                while cursor.peek().is_some_and(|token| (token.start as usize) < end) {
                    cursor.at += 1;
                }
                self.one_structure(structure, &inside, out, span, depth)?;
            } else if cursor.is(b'?') {
                cursor.at += 1;
                self.one_structure(structure, "", out, span, depth)?;
            } else {
                let count = self.constant(cursor)?;
                if cursor.keyword() != Some(Keyword::Dup) {
                    return Err(fault(span, "a structure's values stand in angle brackets")
                        .with_help("write `<>` for the values of its definition"));
                }
                cursor.at += 1;
                if !cursor.eat(b'(') {
                    return Err(fault(cursor.here(), "`(` is expected after `dup`"));
                }
                let mut inner = Emission::default();
                self.structure_items(structure, cursor, &mut inner, depth + 1)?;
                if !cursor.eat(b')') {
                    return Err(fault(cursor.here(), "`)` is expected here"));
                }
                let total = (inner.bytes.len() as u64).saturating_mul(count.max(0) as u64);
                if total.saturating_add(out.bytes.len() as u64) > self.limits.image {
                    let limit = self.limits.image >> 20;
                    return Err(fault(span, format!("the program would be larger than {limit} MiB")));
                }
                for _ in 0..if inner.bytes.is_empty() { 0 } else { count.max(0) } {
                    let base = out.bytes.len() as u32;
                    out.bytes.extend_from_slice(&inner.bytes);
                    let moved = inner
                        .fixups
                        .iter()
                        .map(|&(offset, size, id, span)| (base + offset, size, id, span));
                    out.fixups.extend(moved);
                    out.count += inner.count;
                }
            }
            if !cursor.eat(b',') {
                return Ok(());
            }
        }
    }

    fn one_structure(
        &mut self,
        structure: u32,
        values: &str,
        out: &mut Emission,
        span: Span,
        depth: u32,
    ) -> Result<(), Fault> {
        let Some(definition) = self.structures.get(structure as usize).cloned() else {
            return Ok(());
        };
        if let (Some(blank), true) = (&definition.blank, values.trim().is_empty()) {
            if (out.bytes.len() + blank.len()) as u64 > self.limits.image {
                return Err(fault(
                    span,
                    format!("the program would be larger than {} MiB", self.limits.image >> 20),
                ));
            }
            out.bytes.extend_from_slice(blank);
            out.count += 1;
            return Ok(());
        }
        let given = split_arguments(values);
        let most = if definition.union { 1 } else { definition.fields.len() };
        if given.len() > most {
            return Err(fault(
                span,
                format!("the structure has {most} fields, {} values are given", given.len()),
            ));
        }
        let base = out.bytes.len();
        if (base as u64) + u64::from(definition.size) > self.limits.image {
            return Err(fault(
                span,
                format!("the program would be larger than {} MiB", self.limits.image >> 20),
            ));
        }
        out.bytes.resize(base + definition.size as usize, 0);
        out.count += 1;
        for (place, field) in definition.fields.iter().enumerate().take(most) {
            let own = given
                .get(place)
                .map(|value| value.trim())
                .filter(|value| !value.is_empty());
            let text = own.unwrap_or(&field.initialiser);
            let mut inner = Emission::default();
            if let (Type::Structure(below), Some(own)) = (field.kind, own) {
                self.one_structure(below, own, &mut inner, span, depth + 1)?;
            } else {
                if text.is_empty() {
                    continue;
                }
                let line = self.side_line(text, span);
                let mut tokens = Vec::new();
                lex(&line.text, self.radix, &mut self.names, &mut tokens);
                let mut cursor = Cursor {
                    line: &line,
                    tokens: &tokens,
                    at: 0,
                };
                match field.kind {
                    Type::Structure(below) => self.structure_items(below, &mut cursor, &mut inner, depth + 1)?,
                    _ => self.items(self.size_of(field.kind) as u8, &mut cursor, &mut inner, 0)?,
                }
                self.expect_end(&cursor)?;
            }
            inner.flatten();
            if inner.bytes.len() > field.size as usize {
                let name = if field.name == NONE {
                    ""
                } else {
                    self.names.text(field.name)
                };
                return Err(fault(
                    span,
                    format!(
                        "the value has {} bytes, the field `{name}` {}",
                        inner.bytes.len(),
                        field.size
                    ),
                ));
            }
            if field.text {
                inner.bytes.resize(field.size as usize, b' ');
            }
            let start = base + field.offset as usize;
            if let Some(target) = out.bytes.get_mut(start..start + inner.bytes.len()) {
                target.copy_from_slice(&inner.bytes);
            }
            for (offset, size, id, span) in inner.fixups {
                out.fixups.push((start as u32 + offset, size, id, span));
            }
        }
        Ok(())
    }
}
