//! The image: settled fragments to bytes, with the lines, symbols, origins and regions that go with them.

use crate::assembler::{Assembler, fault};
use crate::ast::{Location, MOST_OPERANDS, Type};
use crate::diag::Span;
use crate::directive::data::write_number;
use crate::evaluate::Value;
use crate::layout::{FragmentKind, SegmentKind, some_origin};
use crate::names::NONE;
use crate::operand::Distance;
use crate::symbols::Definition;
use runtime::image::{Image, LineRow, Origin, Segment, Symbol, SymbolKind};

impl Assembler<'_> {
    /// After the last line: settles addresses and builds the image.
    pub(crate) fn finish(&mut self) -> Option<Image> {
        self.origin = NONE;
        if let Some(open) = self.structure.take() {
            self.report(fault(open.span, "this structure has no `ends`"));
        }
        self.outer_structures.clear();
        while let Some(open) = self.procedures.pop() {
            self.warn(fault(open.span, "this procedure has no `endp`"));
        }
        while let Some(open) = self.blocks.pop() {
            self.report(
                fault(open.span, "this block is not closed").with_help("write `.endif`, `.endw` or `.until` behind it"),
            );
        }
        if let Some(prefix) = self.pending_prefix.take() {
            self.report(fault(prefix.span, "an instruction is expected after the prefix"));
        }
        self.close_probes();
        self.current = self.first_code.map_or(0, |first| first.segment);
        let end = self.location();
        let Some(user_entry) = self.entry() else {
            if self.errors == 0 {
                self.report(
                    fault(
                        Span {
                            line: 1,
                            ..Span::default()
                        },
                        "there is no instruction to run in this file",
                    )
                    .with_help("write instructions, or a program with `.code` and `end start`"),
                );
            }
            return None;
        };
        let entry = self.calibrate(user_entry).unwrap_or(user_entry);
        if self.errors >= self.limits.diagnostics {
            return None;
        }
        self.settle();
        self.apply_fixups();
        self.check_assumptions();
        let encoded = self.encode_deferred();
        if self.errors > 0 {
            return None;
        }
        let mut image = Image {
            entry: self.address(entry),
            // Whatever runs past its last instruction has ended, a program that forgot to return included.
            end: Some(self.address(end)),
            files: self.files.clone(),
            ..Image::default()
        };
        self.link_segments(&mut image, &encoded);
        self.link_symbols(&mut image);
        self.link_probes(&mut image);
        Some(image)
    }

    /// Where the user's program starts.
    fn entry(&mut self) -> Option<Location> {
        if let Some((id, span)) = self.end_label {
            let found = match self.expressions.node(id).kind {
                crate::ast::NodeKind::Symbol(name, _) => {
                    let symbol = self.symbols.get(self.names.info(name).symbol as usize);
                    match symbol.map(|symbol| symbol.definition) {
                        Some(Definition::Address(location)) => Some(location),
                        _ => {
                            let problem = self.unknown(name, span);
                            self.report(problem);
                            return None;
                        }
                    }
                }
                _ => None,
            };
            if found.is_none() {
                self.report(fault(
                    span,
                    "the label where the program starts is expected after `end`",
                ));
            }
            return found;
        }
        if !self.snippet {
            for name in ["start", "_start", "main", "_main"] {
                if let Some(location) = self.location_of(name) {
                    return Some(location);
                }
            }
        }
        self.first_code
    }

    fn apply_fixups(&mut self) {
        for fixup in std::mem::take(&mut self.fixups) {
            let mut bytes = Vec::with_capacity(10);
            let written = self.evaluate(fixup.expression).and_then(|value| {
                if value.register != iced_x86::Register::None || value.base != iced_x86::Register::None {
                    return Err(fault(fixup.span, "a register is no value for data"));
                }
                if value.relocatable && fixup.size < 4 {
                    return Err(fault(fixup.span, "an address has 32 bits").with_help("use `dd` for it"));
                }
                write_number(&mut bytes, value.number, fixup.size, fixup.span)
            });
            if let Err(problem) = written {
                self.report_at(problem, fixup.origin);
                continue;
            }
            self.patch(fixup.location, &bytes);
        }
    }

    fn patch(&mut self, location: Location, bytes: &[u8]) {
        let segment = &mut self.segments[location.segment as usize];
        if let Some(fragment) = segment.fragments.get(location.fragment as usize) {
            let start = (fragment.start + location.offset) as usize;
            if let Some(target) = segment.bytes.get_mut(start..start + bytes.len()) {
                target.copy_from_slice(bytes);
            }
        }
    }

    fn check_assumptions(&mut self) {
        for assumption in std::mem::take(&mut self.assumptions) {
            match self.evaluate(assumption.expression) {
                Ok(value) if value.number == assumption.value || value.relocatable => {}
                Ok(value) => {
                    let message = format!(
                        "this was taken for {}, but branches that had to grow made it {}",
                        assumption.value, value.number
                    );
                    let problem = fault(assumption.span, message)
                        .with_help("write `near ptr` or `short` at the branches in between");
                    self.report_at(problem, assumption.origin);
                }
                Err(problem) => self.report_at(problem, assumption.origin),
            }
        }
    }

    /// Encodes all that waited for addresses; the bytes of fragments of their own come back, by index.
    fn encode_deferred(&mut self) -> Vec<[u8; 16]> {
        let mut encoded = Vec::with_capacity(self.deferred.len());
        for index in 0..self.deferred.len() {
            let mut bytes = [0x90; 16];
            let deferred = &self.deferred[index];
            if !deferred.failed {
                let instruction = deferred.instruction;
                let (location, length) = (deferred.location, deferred.length);
                let distance = deferred
                    .branch
                    .map(|near| if near { Distance::Near } else { Distance::Short });
                let address = self.address(location);
                let mut values = [Value::number(0); MOST_OPERANDS];
                let result = self
                    .evaluate_operands(&instruction, &mut values)
                    .and_then(|()| self.encode_values(&instruction, &values, address, distance, false));
                match result {
                    Ok(fresh) if u32::from(fresh.length) == length => {
                        bytes = fresh.bytes;
                        let kind = self.segments[location.segment as usize]
                            .fragments
                            .get(location.fragment as usize)
                            .map(|fragment| fragment.kind);
                        if kind == Some(FragmentKind::Data) {
                            self.patch(location, fresh.bytes.get(..length as usize).unwrap_or(&[]));
                        }
                    }
                    Ok(_) => self.report_at(
                        fault(
                            instruction.span,
                            "the instruction's length depends on a definition further down",
                        )
                        .with_help("move that definition before its use"),
                        instruction.origin,
                    ),
                    Err(problem) => self.report_at(problem, instruction.origin),
                }
            }
            encoded.push(bytes);
        }
        encoded
    }

    fn link_segments(&mut self, image: &mut Image, encoded: &[[u8; 16]]) {
        let mut origins = vec![NONE; self.origins.len()];
        for kind in [SegmentKind::Code, SegmentKind::Data] {
            for place in 0..self.segments.len() {
                let segment = &self.segments[place];
                if segment.kind != kind {
                    continue;
                }
                let total: u32 = segment.fragments.iter().map(|fragment| fragment.length).sum();
                if total == 0 {
                    continue;
                }
                // The zeroes at the end are only counted.
                let kept = segment
                    .fragments
                    .iter()
                    .rposition(|fragment| fragment.kind != FragmentKind::Zeroes && fragment.length > 0)
                    .map_or(0, |last| last + 1);
                let fill = if kind == SegmentKind::Code { 0x90 } else { 0 };
                let mut bytes = Vec::with_capacity(segment.bytes.len());
                for fragment in segment.fragments.iter().take(kept) {
                    let length = fragment.length as usize;
                    match fragment.kind {
                        FragmentKind::Data => {
                            let start = fragment.start as usize;
                            bytes.extend_from_slice(segment.bytes.get(start..start + length).unwrap_or(&[]));
                        }
                        FragmentKind::Zeroes | FragmentKind::Origin(_) => bytes.resize(bytes.len() + length, 0),
                        FragmentKind::Align(_) => bytes.resize(bytes.len() + length, fill),
                        FragmentKind::Variable(index) => {
                            let instruction = encoded.get(index as usize).and_then(|bytes| bytes.get(..length));
                            bytes.extend_from_slice(instruction.unwrap_or(&[]));
                        }
                    }
                }
                let zeroes = total - bytes.len() as u32;
                image.segments.push(Segment {
                    name: segment.name.clone(),
                    address: segment.base,
                    bytes,
                    zeroes,
                    writable: true,
                });
                if kind == SegmentKind::Code {
                    let first = image.lines.len();
                    for row in &segment.rows {
                        let Some(fragment) = segment.fragments.get(row.fragment as usize) else {
                            continue;
                        };
                        image.lines.push(LineRow {
                            address: segment.base + fragment.address + row.offset,
                            length: if row.length == 0 { fragment.length } else { row.length },
                            file: row.file,
                            line: row.line,
                            origin: some_origin(row.origin),
                            data: row.data,
                        });
                    }
                    image.lines[first..].sort_by_key(|row| row.address);
                }
            }
        }
        // Only the origins that some line still needs, and those they need in turn.
        for row in &mut image.lines {
            if let Some(origin) = row.origin {
                row.origin = some_origin(self.link_origin(origin, &mut origins, &mut image.origins));
            }
        }
    }

    fn link_origin(&self, origin: u32, known: &mut [u32], linked: &mut Vec<Origin>) -> u32 {
        let mut chain = Vec::new();
        let mut next = origin;
        while let Some(&place) = known.get(next as usize) {
            if place != NONE {
                break;
            }
            chain.push(next);
            next = self.origins.get(next as usize).map_or(NONE, |step| step.parent);
        }
        let mut parent = known.get(next as usize).copied().unwrap_or(NONE);
        for &index in chain.iter().rev() {
            let Some(step) = self.origins.get(index as usize) else {
                continue;
            };
            linked.push(Origin {
                name: self.origin_name(step),
                pass: (step.pass > 0).then_some(step.pass),
                file: step.span.file,
                line: step.span.line,
                parent: some_origin(parent),
            });
            parent = linked.len() as u32 - 1;
            known[index as usize] = parent;
        }
        parent
    }

    fn link_symbols(&self, image: &mut Image) {
        for symbol in &self.symbols {
            if symbol.hidden {
                continue;
            }
            let (value, kind, size) = match symbol.definition {
                Definition::Frame(_) => continue,
                Definition::Undefined | Definition::External => continue,
                Definition::Number(number) => (number as u32, SymbolKind::Constant, 0),
                Definition::Address(location) => {
                    let address = self.address(location);
                    match symbol.kind {
                        Type::Bytes(_) | Type::Structure(_) => {
                            let element = self.size_of(symbol.kind);
                            (address, SymbolKind::Data { element }, symbol.size)
                        }
                        _ => (address, SymbolKind::Code, 0),
                    }
                }
                Definition::Expression(id) => match self.evaluate(id) {
                    Ok(value) if value.relocatable && !value.offset => {
                        let kind = match value.kind {
                            Type::Bytes(_) | Type::Structure(_) => {
                                let element = self.size_of(value.kind);
                                SymbolKind::Data { element }
                            }
                            _ => SymbolKind::Code,
                        };
                        let size = match kind {
                            SymbolKind::Data { element } => element,
                            _ => 0,
                        };
                        (value.number as u32, kind, size)
                    }
                    Ok(value) => (value.number as u32, SymbolKind::Constant, 0),
                    Err(_) => continue,
                },
            };
            image.symbols.push(Symbol {
                name: symbol.spelled.to_string(),
                value,
                size,
                kind,
                library: symbol.library,
            });
        }
    }
}
