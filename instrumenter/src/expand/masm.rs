//! MASM's macros: definitions cut into pieces, calls bound to arguments, pieces pasted into lines.

use crate::assembler::{Assembler, Fault, fault};
use crate::diag::Span;
use crate::expand::argument::{one_argument, split_arguments};
use crate::expand::{
    Body, BodyLine, Collected, Collecting, Column, Frame, Line, Parameter, Piece, Source, SpelledAt, opens_body,
};
use crate::expr::Cursor;
use crate::lex::{Kind, comment_start, first_words, is_word};
use crate::names::{Keyword, NONE, NameId, keyword, nearest};
use std::rc::Rc;

/// Pastes a body's line together.
pub(crate) fn fill(line: &mut Line, body: &Body, row: &BodyLine, arguments: &[String]) {
    let pieces = body.pieces.get(row.first as usize..row.last as usize).unwrap_or(&[]);
    let as_it_stands = matches!(pieces, [] | [Piece::Text { column: 0, .. }]);
    for piece in pieces {
        let made = line.text.len() as u32;
        match *piece {
            Piece::Text { start, end, column } => {
                let text = body.text.get(start as usize..end as usize).unwrap_or("");
                line.text.push_str(text);
                if !as_it_stands {
                    line.columns.push(Column {
                        made,
                        start: column,
                        end: column + (end - start),
                        line: line.number,
                        copied: true,
                    });
                }
            }
            Piece::Parameter { index, column, end } => {
                line.text
                    .push_str(arguments.get(index as usize).map_or("", String::as_str));
                line.columns.push(Column {
                    made,
                    start: column,
                    end,
                    line: line.number,
                    copied: false,
                });
            }
        }
    }
}

/// Whether the line is an `exitm` with a value.
fn exits_with_value(text: &str) -> bool {
    let text = text.trim_start();
    let exits = text.get(..5).is_some_and(|word| word.eq_ignore_ascii_case("exitm"));
    let behind = text.get(5..).unwrap_or("");
    exits && !behind.starts_with(|next: char| next.is_ascii() && is_word(next as u8)) && {
        let behind = behind.trim_start();
        !behind.is_empty() && !behind.starts_with(';')
    }
}

impl Assembler<'_> {
    /// `name MACRO parameters`: what follows is its body.
    pub(crate) fn begin_macro(&mut self, name: NameId, spelled: &str, cursor: &mut Cursor, span: Span) {
        let mut body = Body {
            name,
            spelled: spelled.to_owned(),
            library: self.in_library,
            span,
            ..Body::default()
        };
        let mut kind = Collected::Macro;
        let text = cursor.raw_rest();
        let text = if cursor.done() {
            ""
        } else {
            &text[..comment_start(text)]
        };
        if self.begins_statement(cursor) {
            // Listings that lost their line ends put the body's first line here; no parameter looks like that.
            let column = cursor.offset();
            let first = format!("{:column$}{text}", "");
            self.begin_collecting(body, kind, span);
            if let Some(collecting) = &mut self.collecting {
                collecting.raw.push((first, cursor.line.file, cursor.line.number));
            }
            return;
        }
        if let Err(problem) = self.parameters(text, &mut body, span) {
            self.report(problem);
            kind = Collected::Dropped;
        }
        self.begin_collecting(body, kind, span);
    }

    /// Whether a data directive or an instruction with something behind it stands at the cursor.
    fn begins_statement(&self, cursor: &Cursor) -> bool {
        let Some(Kind::Name(name)) = cursor.peek().map(|token| token.kind) else {
            return false;
        };
        let statement = self.names.info(name).mnemonic || matches!(keyword(name), Some(Keyword::Define(_)));
        let behind = cursor.peek_second().map(|token| token.kind);
        statement && behind.is_some_and(|kind| !matches!(kind, Kind::Mark(b',' | b':')))
    }

    pub(crate) fn begin_collecting(&mut self, body: Body, kind: Collected, span: Span) {
        self.collecting = Some(Collecting {
            body,
            kind,
            depth: 0,
            span,
            raw: Vec::new(),
        });
    }

    /// Reads `a, b:REQ, c:=<default>, d:VARARG`.
    pub(crate) fn parameters(&mut self, text: &str, body: &mut Body, span: Span) -> Result<(), Fault> {
        let mut rest = text.trim();
        while !rest.is_empty() {
            let length = rest.bytes().take_while(|&byte| is_word(byte)).count();
            if length == 0 {
                return Err(fault(span, "a parameter's name is expected"));
            }
            let (name, after) = rest.split_at(length);
            let mut parameter = Parameter {
                name: self.names.intern(name),
                spelled: name.to_owned(),
                ..Parameter::default()
            };
            if body.parameters.iter().any(|known| known.name == parameter.name) {
                return Err(fault(span, format!("the parameter `{name}` is named twice")));
            }
            rest = after.trim_start();
            if let Some(after) = rest.strip_prefix(':') {
                let after = after.trim_start();
                if let Some(default) = after.strip_prefix('=') {
                    let (default, after) = one_argument(default.trim_start());
                    parameter.default = Some(default);
                    rest = after;
                } else {
                    let length = after.bytes().take_while(|&byte| is_word(byte)).count();
                    let (word, after) = after.split_at(length);
                    if word.eq_ignore_ascii_case("req") {
                        parameter.required = true;
                    } else if word.eq_ignore_ascii_case("vararg") || word.eq_ignore_ascii_case("rest") {
                        parameter.variable = true;
                    } else {
                        return Err(fault(span, format!("`{word}` is no parameter attribute"))
                            .with_help("there are `:REQ`, `:VARARG` and `:=<default>`"));
                    }
                    rest = after.trim_start();
                }
            }
            body.parameters.push(parameter);
            rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        }
        Ok(())
    }

    /// Takes a line into the body being collected, or ends it.
    pub(crate) fn collect(&mut self, line: &Line) {
        let Some(collecting) = &mut self.collecting else {
            return;
        };
        let calibration = matches!(collecting.kind, Collected::Calibration);
        let (first, _) = first_words(&line.text);
        let word = match first.as_bytes().first() {
            Some(b'e' | b'E' | b'.') => keyword(self.names.intern(first)),
            _ => None,
        };
        if calibration && word != Some(Keyword::EndCalibration) {
            collecting.raw.push((line.text.clone(), line.file, line.number));
            return;
        }
        if word == Some(Keyword::EndMacro) || word == Some(Keyword::EndCalibration) {
            if collecting.depth == 0 {
                if let Some(collecting) = self.collecting.take() {
                    self.collected(collecting);
                }
                return;
            }
            collecting.depth -= 1;
        } else if opens_body(&mut self.names, &line.text) {
            collecting.depth += 1;
            if collecting.depth as usize > self.limits.macro_depth {
                let message = format!(
                    "macros and repeats are nested more than {} deep",
                    self.limits.macro_depth
                );
                self.collecting = None;
                self.give_up(fault(line.span(0, line.text.len() as u32), message));
                return;
            }
        }
        collecting.raw.push((line.text.clone(), line.file, line.number));
    }

    fn collected(&mut self, collecting: Collecting) {
        let Collecting {
            mut body,
            kind,
            span,
            raw,
            ..
        } = collecting;
        let mut names: Vec<NameId> = body.parameters.iter().map(|parameter| parameter.name).collect();
        let mut locals_may_follow = matches!(kind, Collected::Macro);
        let mut nested = 0u32;
        for (text, file, number) in &raw {
            let (first, _) = first_words(text);
            if locals_may_follow && !first.is_empty() {
                if first.eq_ignore_ascii_case("local") {
                    let place = text.len() - text.trim_start().len() + first.len();
                    let list = text.get(place..comment_start(text).max(place)).unwrap_or("");
                    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                        names.push(self.names.intern(name));
                        body.locals += 1;
                    }
                    continue;
                }
                locals_may_follow = false;
            }
            if nested == 0
                && let Some(label) = text.trim_start().strip_prefix(':')
            {
                let length = label.bytes().take_while(|&byte| is_word(byte)).count();
                body.labels
                    .push((self.names.intern(&label[..length]), body.lines.len()));
                continue;
            }
            body.function |= nested == 0 && exits_with_value(text);
            // The comments of a nested definition go when that one is collected.
            if opens_body(&mut self.names, text) {
                nested += 1;
            } else if nested > 0 && first.eq_ignore_ascii_case("endm") {
                nested -= 1;
            }
            let end = if nested > 0 {
                text.find(";;").map_or(text.len(), |at| at.max(comment_start(text)))
            } else {
                comment_start(text)
            };
            let kept = text.get(..end).unwrap_or(text).trim_end();
            let from = body.pieces.len() as u32;
            self.cut(kept, &names, &mut body);
            body.lines.push(BodyLine {
                first: from,
                last: body.pieces.len() as u32,
                file: *file,
                number: *number,
            });
        }
        match kind {
            Collected::Macro => self.define_macro(body, span),
            Collected::Repeat(repeat) => self.begin_repeat(body, repeat, span),
            Collected::Calibration => self.probes.calibration = Some(Rc::new(body)),
            Collected::Dropped => {}
        }
    }

    /// Cuts a line at its parameters: whole words outside strings, and anywhere beside an `&`.
    fn cut(&mut self, text: &str, parameters: &[NameId], body: &mut Body) {
        let base = body.text.len() as u32;
        body.text.push_str(text);
        let bytes = text.as_bytes();
        let mut copied = 0usize;
        let mut at = 0usize;
        let mut quote = 0u8;
        while at < bytes.len() && !parameters.is_empty() {
            let byte = bytes[at];
            if quote != 0 && byte == quote {
                quote = 0;
                at += 1;
            } else if quote == 0 && matches!(byte, b'\'' | b'"') {
                quote = byte;
                at += 1;
            } else if is_word(byte) {
                let start = at;
                while at < bytes.len() && is_word(bytes[at]) {
                    at += 1;
                }
                let before = start > 0 && bytes[start - 1] == b'&';
                let after = at < bytes.len() && bytes[at] == b'&';
                if quote != 0 && !before && !after {
                    continue;
                }
                let name = self.names.intern(&text[start..at]);
                let Some(index) = parameters.iter().position(|&parameter| parameter == name) else {
                    continue;
                };
                let end_of_text = start - usize::from(before && start > copied);
                if end_of_text > copied {
                    body.pieces.push(Piece::Text {
                        start: base + copied as u32,
                        end: base + end_of_text as u32,
                        column: copied as u32,
                    });
                }
                body.pieces.push(Piece::Parameter {
                    index: index as u32,
                    column: start as u32,
                    end: at as u32,
                });
                at += usize::from(after);
                copied = at;
            } else {
                at += 1;
            }
        }
        if copied < text.len() {
            body.pieces.push(Piece::Text {
                start: base + copied as u32,
                end: base + text.len() as u32,
                column: copied as u32,
            });
        }
    }

    fn define_macro(&mut self, body: Body, span: Span) {
        let name = body.name;
        let info = self.names.info(name);
        if let Some(known) = self.bodies.get(info.body as usize)
            && body.library
            && !known.library
        {
            return;
        }
        let text = info.text;
        if text != NONE
            && self
                .texts
                .get(text as usize)
                .is_some_and(|text| text.library && !body.library)
        {
            self.names.info_mut(name).text = NONE;
        }
        if self.bodies.len() >= self.limits.symbols {
            self.give_up(fault(
                span,
                format!("there are more than {} macros", self.limits.symbols),
            ));
            return;
        }
        let info = self.names.info_mut(name);
        info.body = self.bodies.len() as u32;
        info.function = body.function;
        self.bodies.push(Rc::new(body));
    }

    /// Expands a call of the macro `name`: its lines are read next.
    pub(crate) fn call_macro(&mut self, name: NameId, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let text = cursor.raw_rest();
        let text = text[..comment_start(text)].trim_end();
        self.enter_macro(name, text, span)
    }

    /// Begins to read the lines of the macro `name`, with `text` as its arguments.
    pub(crate) fn enter_macro(&mut self, name: NameId, text: &str, span: Span) -> Result<(), Fault> {
        let index = self.names.info(name).body;
        let Some(body) = self.bodies.get(index as usize).map(Rc::clone) else {
            return Ok(());
        };
        if self.frames.len() > self.limits.macro_depth {
            self.stopped = true;
            self.frames.clear();
            return Err(fault(
                span,
                format!("macros are nested more than {} deep", self.limits.macro_depth),
            )
            .with_label(format!("does `{}` call itself without end?", body.spelled)));
        }
        let mut arguments = split_arguments(text);
        for argument in &mut arguments {
            if let Some(expression) = argument.strip_prefix('%') {
                *argument = self.expanded_expression(expression, span)?;
            }
        }
        self.bind(&body, &mut arguments, span)?;
        let probe = self.probe_begins(&body, &arguments, span);
        let origin = self.new_origin(body.name, SpelledAt(index), 0, span, self.origin);
        for _ in 0..body.locals {
            arguments.push(format!("??{:04X}", self.local_labels));
            self.local_labels += 1;
        }
        let library = body.library;
        self.frames.push(Frame {
            source: Source::Body {
                body,
                next: 0,
                arguments,
                repeat: None,
            },
            file: span.file,
            line: span.line,
            origin,
            conditions: self.conditions.len(),
            library,
            probe,
            restore: NONE,
        });
        Ok(())
    }

    /// Brings the arguments into line with the parameters.
    fn bind(&mut self, body: &Body, arguments: &mut Vec<String>, span: Span) -> Result<(), Fault> {
        let count = body.parameters.len();
        if body.parameters.last().is_some_and(|parameter| parameter.variable) {
            if arguments.len() > count {
                let rest = arguments.split_off(count - 1).join(",");
                arguments.push(rest);
            }
        } else if arguments.len() > count {
            let spelled = &body.spelled;
            self.warn(fault(
                span,
                format!("`{spelled}` takes {count} arguments, {} are given", arguments.len()),
            ));
            arguments.truncate(count);
        }
        arguments.resize(count, String::new());
        for (argument, parameter) in arguments.iter_mut().zip(&body.parameters) {
            if !argument.is_empty() {
                continue;
            }
            if let Some(default) = &parameter.default {
                argument.clone_from(default);
            } else if parameter.required {
                return Err(fault(
                    span,
                    format!("`{}` needs a value for `{}`", body.spelled, parameter.spelled),
                ));
            }
        }
        Ok(())
    }

    /// `%expression`: the number in decimal, or the text a name stands for.
    pub(crate) fn expanded_expression(&mut self, text: &str, span: Span) -> Result<String, Fault> {
        let word = text.trim();
        if !word.is_empty() && word.bytes().all(is_word) {
            let name = self.names.intern(word);
            if let Some(known) = self.texts.get(self.names.info(name).text as usize) {
                return Ok(known.text.clone());
            }
        }
        self.number_in(text, span).map(|number| number.to_string())
    }

    /// The number an expression in its own piece of text comes to.
    pub(crate) fn number_in(&mut self, text: &str, span: Span) -> Result<i64, Fault> {
        let line = self.side_line(text, span);
        let mut tokens = Vec::new();
        crate::lex::lex(&line.text, self.radix, &mut self.names, &mut tokens);
        let mut cursor = Cursor {
            line: &line,
            tokens: &tokens,
            at: 0,
        };
        let number = self.constant(&mut cursor)?;
        if !cursor.done() {
            return Err(fault(span, format!("`{text}` is not a number")));
        }
        Ok(number)
    }

    /// A line of its own for text that stands within `span`.
    pub(crate) fn side_line(&self, text: &str, span: Span) -> Line {
        Line {
            text: text.to_owned(),
            file: span.file,
            number: span.line,
            columns: vec![Column {
                made: 0,
                start: span.start,
                end: span.end,
                line: span.line,
                copied: false,
            }],
        }
    }

    /// The macro whose name is closest to `name`.
    pub(crate) fn nearest_macro(&self, name: &str) -> Option<&str> {
        let known = self
            .bodies
            .iter()
            .filter(|body| self.names.info(body.name).body != NONE);
        nearest(name, known.map(|body| body.spelled.as_str()))
    }
}
