//! Where lines come from: files, macro bodies and repeats on one stack, with the conditions that skip them.

pub(crate) mod argument;
pub(crate) mod condition;
pub(crate) mod function;
pub(crate) mod leave;
pub(crate) mod line;
pub(crate) mod masm;
pub(crate) mod repeat;

use crate::assembler::{Assembler, fault};
use crate::diag::Span;
use crate::expand::line::continued;
use crate::expand::repeat::Repeat;
use crate::lex::{Token, first_words, lex};
pub(crate) use line::{Column, Line};

use crate::names::{Keyword, NONE, NameId, Names, keyword};
use runtime::image::SourceFile;
use std::rc::Rc;
use std::sync::Arc;

/// The lines of a macro or repeat, cut into text and parameters once.
#[derive(Default)]
pub(crate) struct Body {
    pub(crate) name: NameId,
    pub(crate) spelled: String,
    pub(crate) text: String,
    pub(crate) lines: Vec<BodyLine>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) parameters: Vec<Parameter>,
    /// How many names `local` makes; they follow the parameters.
    pub(crate) locals: u32,
    /// Where `goto` leads: each label with the line behind it.
    pub(crate) labels: Vec<(NameId, usize)>,
    /// Whether an `exitm` in it has a value, so that it can be called within a line.
    pub(crate) function: bool,
    pub(crate) library: bool,
    pub(crate) span: Span,
}

pub(crate) struct BodyLine {
    /// The line's pieces.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) file: u32,
    pub(crate) number: u32,
}

/// A part of a body's line.
#[derive(Clone, Copy)]
pub(crate) enum Piece {
    /// Bytes of the body's text; the column they stand at.
    Text { start: u32, end: u32, column: u32 },
    /// A parameter or local name, and the columns it is written in.
    Parameter { index: u32, column: u32, end: u32 },
}

/// A macro's parameter.
#[derive(Default)]
pub(crate) struct Parameter {
    pub(crate) name: NameId,
    pub(crate) spelled: String,
    pub(crate) required: bool,
    pub(crate) default: Option<String>,
    pub(crate) variable: bool,
}

/// What a frame reads.
pub(crate) enum Source {
    File {
        text: Arc<str>,
        position: usize,
    },
    Body {
        body: Rc<Body>,
        next: usize,
        arguments: Vec<String>,
        repeat: Option<Repeat>,
    },
}

/// A file, macro call or repeat being read.
pub(crate) struct Frame {
    pub(crate) source: Source,
    pub(crate) file: u32,
    pub(crate) line: u32,
    /// The origin of the lines it makes.
    pub(crate) origin: u32,
    /// How many conditions were open when it began.
    pub(crate) conditions: usize,
    pub(crate) library: bool,
    /// The probe whose expansion this is, or `NONE`.
    pub(crate) probe: u32,
    /// The segment to return to when it ends, or `NONE`.
    pub(crate) restore: u32,
}

/// An `if` being read.
pub(crate) struct Condition {
    /// Whether lines are assembled now.
    pub(crate) active: bool,
    /// Whether a branch was taken, or none may be.
    pub(crate) taken: bool,
    /// Whether `else` was read.
    pub(crate) otherwise: bool,
    pub(crate) span: Span,
}

/// One step of how lines came about.
#[derive(Clone, Copy)]
pub(crate) struct OriginStep {
    pub(crate) name: NameId,
    /// Where the name is spelled as its author wrote it: bytes of the call's file.
    pub(crate) spelled: SpelledAt,
    /// 0 for macro calls.
    pub(crate) pass: u32,
    pub(crate) span: Span,
    pub(crate) parent: u32,
}

/// A macro's name as its definition spells it: an index into the bodies, or nothing.
#[derive(Clone, Copy)]
pub(crate) struct SpelledAt(pub(crate) u32);

/// A body being collected, up to its `endm`.
pub(crate) struct Collecting {
    pub(crate) body: Body,
    pub(crate) kind: Collected,
    pub(crate) depth: u32,
    pub(crate) span: Span,
    pub(crate) raw: Vec<(String, u32, u32)>,
}

/// What becomes of a collected body.
pub(crate) enum Collected {
    Macro,
    Repeat(Repeat),
    /// The library's calibration, assembled after everything else.
    Calibration,
    /// Nothing: its head was wrong.
    Dropped,
}

impl Assembler<'_> {
    /// Adds a file's text to the sources; refuses what is no text or too much.
    pub(crate) fn add_file(&mut self, name: &str, text: Arc<str>, span: Span) -> Option<u32> {
        self.source_bytes += text.len() as u64;
        let index = self.files.len() as u32;
        let binary = looks_binary(&text);
        let zeroes = text.bytes().take(1000).filter(|&byte| byte == 0).count();
        let wide = zeroes * 5 > text.len().min(1000) * 2 && zeroes < text.len().min(1000);
        let known = SourceFile {
            name: name.to_owned(),
            text: if binary { Arc::from("") } else { text },
        };
        self.files.push(known);
        if self.source_bytes > self.limits.source_bytes {
            let limit = self.limits.source_bytes >> 20;
            self.give_up(fault(span, format!("the sources are larger than {limit} MiB")));
            return None;
        }
        if binary {
            let problem = fault(span, format!("`{name}` is not assembly source: it holds binary data"));
            let help = if wide {
                "it looks like UTF-16 without a byte order mark: save it as UTF-8 or plain text"
            } else {
                "name the file that the program was assembled from"
            };
            self.report(problem.with_help(help));
            return None;
        }
        Some(index)
    }

    /// Reads file `index` before anything else.
    pub(crate) fn push_file(&mut self, index: u32, library: bool) {
        let Some(file) = self.files.get(index as usize) else {
            return;
        };
        let text = Arc::clone(&file.text);
        let restore = if library { self.current } else { NONE };
        self.frames.push(Frame {
            source: Source::File { text, position: 0 },
            file: index,
            line: 0,
            origin: self.origin,
            conditions: self.conditions.len(),
            library,
            probe: NONE,
            restore,
        });
    }

    /// Assembles every line that frames above the first `floor` ones give.
    pub(crate) fn read_above(&mut self, floor: usize) {
        let mut line = Line::default();
        let mut tokens = Vec::new();
        while !self.stopped && self.next_line(&mut line, floor) {
            self.line(&mut line, &mut tokens);
        }
    }

    fn line(&mut self, line: &mut Line, tokens: &mut Vec<Token>) {
        if let Some(delimiter) = self.comment {
            if line.text.contains(delimiter) {
                self.comment = None;
            }
            return;
        }
        if self.collecting.is_some() {
            self.collect(line);
            return;
        }
        if self.conditions.last().is_some_and(|condition| !condition.active) {
            let (first, _) = first_words(&line.text);
            if first.len() >= 2 && matches!(first.as_bytes()[0] | 32, b'i' | b'e') {
                self.skipped_line(line, tokens);
            }
            return;
        }
        lex(&line.text, self.radix, &mut self.names, tokens);
        if !tokens.is_empty() {
            self.prepared_line(line, tokens);
        }
    }

    fn skipped_line(&mut self, line: &Line, tokens: &mut Vec<Token>) {
        lex(&line.text, self.radix, &mut self.names, tokens);
        let Some(&Token {
            kind: crate::lex::Kind::Name(name),
            ..
        }) = tokens.first()
        else {
            return;
        };
        if let Some(word) = keyword(name) {
            self.skipped_condition(word, line, tokens);
        }
    }

    /// Takes the next line from the innermost frame, ending frames that have no more.
    fn next_line(&mut self, line: &mut Line, floor: usize) -> bool {
        loop {
            if self.frames.len() <= floor {
                return false;
            }
            let Some(frame) = self.frames.last_mut() else {
                return false;
            };
            line.text.clear();
            line.columns.clear();
            match &mut frame.source {
                Source::File { text, position } => {
                    let rest = text.get(*position..).unwrap_or("");
                    if rest.is_empty() || rest.starts_with('\u{1a}') {
                        self.end_frame();
                        continue;
                    }
                    let end = rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len());
                    *position += end + 1;
                    frame.line += 1;
                    line.file = frame.file;
                    line.number = frame.line;
                    if end > self.limits.line {
                        let span = line.span(0, 1);
                        let message = format!("the line is longer than {} KiB", self.limits.line >> 10);
                        self.report(fault(span, message).with_help("is this assembly source?"));
                        continue;
                    }
                    let part = &rest[..end];
                    line.text.push_str(part.strip_suffix('\r').unwrap_or(part));
                    if self.comment.is_none() {
                        let mut from = 0;
                        while let Some(kept) = continued(&mut self.names, &line.text, from) {
                            let rest = text.get(*position..).unwrap_or("");
                            let end = rest.bytes().position(|byte| byte == b'\n').unwrap_or(rest.len());
                            if rest.is_empty() || kept + end > self.limits.line {
                                break;
                            }
                            *position += end + 1;
                            frame.line += 1;
                            from = kept + 1;
                            line.join(kept, &rest[..end], frame.line);
                        }
                    }
                }
                Source::Body {
                    body, next, arguments, ..
                } => {
                    let Some(row) = body.lines.get(*next) else {
                        if !self.next_pass() {
                            self.end_frame();
                        }
                        continue;
                    };
                    *next += 1;
                    line.file = row.file;
                    line.number = row.number;
                    masm::fill(line, body, row, arguments);
                    if line.text.len() > self.limits.line {
                        let span = line.span(0, 1);
                        let message = format!("the expanded line is longer than {} KiB", self.limits.line >> 10);
                        self.give_up(fault(span, message));
                        return false;
                    }
                    self.expanded_lines += 1;
                    if self.expanded_lines > self.limits.expanded_lines {
                        let span = line.span(0, line.text.len() as u32);
                        let message = format!("macros and repeats made more than {} lines", self.limits.expanded_lines);
                        self.give_up(fault(span, message));
                        return false;
                    }
                }
            }
            if let Some(frame) = self.frames.last() {
                self.origin = frame.origin;
                self.in_library = frame.library;
            }
            return true;
        }
    }

    /// Leaves the innermost frame.
    pub(crate) fn end_frame(&mut self) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let library = frame.library;
        let outer = self.frames.last().map(|outer| (outer.origin, outer.library));
        while self.conditions.len() > frame.conditions {
            if let Some(open) = self.conditions.pop() {
                self.report(fault(open.span, "this `if` has no `endif`"));
            }
        }
        if let Some(collecting) = self.collecting.take() {
            self.report(fault(collecting.span, "this has no `endm`"));
        }
        if self.comment.take().is_some() && !library {
            let span = Span {
                file: frame.file,
                line: frame.line,
                ..Span::default()
            };
            self.report(fault(span, "the `comment` block is not closed"));
        }
        if frame.restore != NONE {
            self.current = frame.restore;
        }
        if frame.probe != NONE {
            self.probe_ended(frame.probe);
        }
        let (origin, library) = outer.unwrap_or((NONE, false));
        self.origin = origin;
        self.in_library = library;
    }

    /// Reads an `include`.
    pub(crate) fn include_file(&mut self, name: &str, span: Span) {
        let depth = self
            .frames
            .iter()
            .filter(|frame| matches!(frame.source, Source::File { .. }))
            .count();
        if depth > self.limits.include_depth {
            self.give_up(
                fault(
                    span,
                    format!("includes are nested more than {} deep", self.limits.include_depth),
                )
                .with_label("does the file include itself?"),
            );
            return;
        }
        if self.files.len() >= self.limits.files {
            self.give_up(fault(
                span,
                format!("there are more than {} included files", self.limits.files),
            ));
            return;
        }
        let bundled = name
            .rsplit(['/', '\\'])
            .next()
            .is_some_and(|last| last.eq_ignore_ascii_case("p5.inc"));
        match (self.include)(name) {
            // The bundled text, or a copy of it: only as the library does it know its sites and its calibration. What
            // stands for it may be another world's.
            Ok((_, bytes)) if bundled && bytes == asm_macros::library::P5_INC.as_bytes() => self.load_library(),
            Ok((resolved, bytes)) => {
                let text = crate::source::decode(&bytes);
                if let Some(index) = self.add_file(&resolved, Arc::from(text), span) {
                    self.push_file(index, false);
                }
            }
            Err(_) if bundled => self.load_library(),
            Err(why) => self.report(fault(span, format!("cannot include `{name}`: {why}"))),
        }
    }

    /// Makes an origin for lines that a macro call or a pass of a repeat makes.
    pub(crate) fn new_origin(&mut self, name: NameId, spelled: SpelledAt, pass: u32, span: Span, parent: u32) -> u32 {
        self.origins.push(OriginStep {
            name,
            spelled,
            pass,
            span,
            parent,
        });
        self.origins.len() as u32 - 1
    }

    /// An origin's name as its author spelled it.
    pub(crate) fn origin_name(&self, step: &OriginStep) -> String {
        match self.bodies.get(step.spelled.0 as usize) {
            Some(body) if step.pass == 0 => body.spelled.clone(),
            _ => self.names.text(step.name).to_ascii_uppercase(),
        }
    }
}

/// Whether a text is no text: it has zero bytes, or most of its start is control characters.
fn looks_binary(text: &str) -> bool {
    let start: &[u8] = text.as_bytes().get(..65_536).unwrap_or(text.as_bytes());
    let odd = start
        .iter()
        .filter(|&&byte| byte < 32 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0xC | 0x1A))
        .count();
    start.contains(&0) || odd * 8 > start.len()
}

/// Whether a line opens a body that an `endm` closes.
pub(crate) fn opens_body(names: &mut Names, text: &str) -> bool {
    let (first, second) = first_words(text);
    let is = |word: Option<Keyword>| {
        matches!(
            word,
            Some(Keyword::Repeat | Keyword::For | Keyword::ForCharacter | Keyword::While)
        )
    };
    let first_keyword = (!first.is_empty()).then(|| names.intern(first)).and_then(keyword);
    if is(first_keyword) {
        return true;
    }
    // IDEAL mode writes the word before the name.
    [first, second]
        .into_iter()
        .any(|word| word.eq_ignore_ascii_case("macro"))
}
