//! Segments, and where in them the next byte goes: `segment`, `.code`, `.data`, `org`, `align`.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::Location;
use crate::diag::Span;
use crate::expr::Cursor;
use crate::layout::{FragmentKind, SegmentKind};
use crate::lex::Kind;
use crate::names::{Keyword, NONE, NameId};

/// The segment that holds the bundled library's variables.
pub(crate) const LIBRARY_DATA: &str = "P5_DATA";

impl Assembler<'_> {
    /// `.code`, `.data` and their kin.
    pub(crate) fn simplified_segment(&mut self, word: Keyword, cursor: &mut Cursor) -> Result<(), Fault> {
        let named = cursor.name().map(|(_, token)| cursor.text(token).to_owned());
        self.expect_end(cursor)?;
        if self.in_library {
            self.current = match word {
                Keyword::Code => self.probes.code_segment,
                _ => self.segment(LIBRARY_DATA, SegmentKind::Data),
            };
            return Ok(());
        }
        self.snippet = false;
        let (name, kind) = match word {
            Keyword::Code => ("_TEXT", SegmentKind::Code),
            Keyword::DataUninitialised => ("_BSS", SegmentKind::Data),
            Keyword::Const => ("CONST", SegmentKind::Data),
            _ => ("_DATA", SegmentKind::Data),
        };
        let name = match (&named, word) {
            (Some(named), Keyword::Code) => named.as_str(),
            _ => name,
        };
        self.current = self.segment(name, kind);
        if kind == SegmentKind::Code {
            self.probes.code_segment = self.current;
        }
        Ok(())
    }

    /// `name segment dword public use32 'CODE'`.
    pub(crate) fn begin_segment(&mut self, spelled: &str, cursor: &mut Cursor) -> Result<(), Fault> {
        let upper = spelled.to_ascii_uppercase();
        let mut kind = if upper.contains("TEXT") || upper.contains("CODE") {
            SegmentKind::Code
        } else {
            SegmentKind::Data
        };
        let mut narrow = None;
        while let Some(token) = cursor.next() {
            let text = cursor.text(token);
            match token.kind {
                Kind::String => {
                    let class = text.to_ascii_uppercase();
                    kind = if class.contains("CODE") {
                        SegmentKind::Code
                    } else {
                        SegmentKind::Data
                    };
                }
                Kind::Name(_) if text.eq_ignore_ascii_case("use16") => narrow = Some(cursor.span(token)),
                Kind::Bad(why) => return Err(fault(cursor.span(token), why)),
                _ => {}
            }
        }
        if let Some(span) = narrow {
            self.report(
                fault(span, "16-bit segments are not supported yet")
                    .with_help("write `use32`: programs run in flat 32-bit mode"),
            );
        }
        if self.open_segments.len() > 256 {
            return Err(fault(cursor.here(), "segments are nested more than 256 deep"));
        }
        self.snippet = false;
        let index = self.segment(spelled, kind);
        self.open_segments.push((index, self.current));
        self.current = index;
        if kind == SegmentKind::Code {
            self.probes.code_segment = index;
        }
        Ok(())
    }

    /// `ends`, of a structure or a segment.
    pub(crate) fn ends(&mut self, name: Option<NameId>, span: Span) -> Result<(), Fault> {
        if self.structure.is_some() {
            return self.end_structure(name, span);
        }
        let Some((index, outer)) = self.open_segments.pop() else {
            return Err(fault(span, "there is no open segment or structure that this could end"));
        };
        self.current = outer;
        let open = self
            .segments
            .get(index as usize)
            .map(|segment| segment.name.clone())
            .unwrap_or_default();
        match name {
            Some(name) if !open.eq_ignore_ascii_case(self.names.text(name)) => {
                Err(fault(span, format!("the open segment is `{open}`")).with_help(format!("write `{open} ends`")))
            }
            _ => Ok(()),
        }
    }

    /// Where data goes: with no segments in the file, named data does not lie between instructions.
    pub(crate) fn data_location(&mut self, named: bool) -> Location {
        if named && self.snippet && !self.in_library {
            let code = self.current;
            self.current = self.segment("_DATA", SegmentKind::Data);
            let location = self.location();
            self.current = code;
            return location;
        }
        self.location()
    }

    pub(crate) fn origin_directive(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        let span = cursor.here();
        let id = self.expression(cursor)?;
        let value = self.evaluate(id)?;
        self.expect_end(cursor)?;
        let here = self.location();
        if value.unresolved || !(value.is_number() || value.relocatable) {
            return Err(fault(span, "`org` needs a number that is known here"));
        }
        let start = self.address(Location {
            fragment: NONE,
            offset: 0,
            ..here
        });
        let target = if value.relocatable {
            value.number - i64::from(start)
        } else {
            value.number
        };
        let reached = i64::from(self.address(here)) - i64::from(start);
        if target < reached {
            return Err(fault(
                span,
                format!("`org` cannot go back from {reached:X}h to {target:X}h"),
            ));
        }
        let length = (target - reached) as u64;
        self.reserve(length, span)?;
        self.emit_fragment(FragmentKind::Origin(target as u32), length as u32);
        Ok(())
    }

    pub(crate) fn align(&mut self, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let place = cursor.here();
        let unit = if cursor.done() { 4 } else { self.constant(cursor)? };
        if !(1..=65_536).contains(&unit) || unit & (unit - 1) != 0 {
            return Err(fault(
                place,
                format!("an alignment is a power of two up to 65536, not {unit}"),
            ));
        }
        self.expect_end(cursor)?;
        self.align_to(unit as u32, span)
    }

    pub(crate) fn align_to(&mut self, unit: u32, span: Span) -> Result<(), Fault> {
        if let Some(structure) = &mut self.structure {
            let size = &mut structure.structure.size;
            *size = size.next_multiple_of(unit);
            return Ok(());
        }
        let here = self.location();
        let segment = &self.segments[self.current as usize];
        let reached = self.address(here).wrapping_sub(segment.base);
        let missing = reached.next_multiple_of(unit) - reached;
        let certain = !segment
            .fragments
            .iter()
            .rev()
            .any(|fragment| !matches!(fragment.kind, FragmentKind::Data | FragmentKind::Zeroes));
        if certain && missing <= 4096 {
            let fill = if segment.kind == SegmentKind::Code { 0x90 } else { 0 };
            let fill = vec![fill; missing as usize];
            let location = self.emit(&fill, span)?;
            if missing > 0 {
                self.note_row(location, missing, span, true);
            }
            return Ok(());
        }
        self.reserve(u64::from(unit), span)?;
        let location = self.emit_fragment(FragmentKind::Align(unit), missing);
        // Executed like any other bytes; how many they are is known in the end.
        self.note_row(location, 0, span, true);
        Ok(())
    }
}
