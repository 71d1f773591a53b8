//! Frames: every file, macro call and repeat being read, innermost last.

use super::{Body, Expander, Reader, Step};
use crate::diag::{Fault, Span, fault};
use crate::lex::{Line, Made};
use crate::names::NONE;
use crate::remedy::{Construct, Remedy};
use crate::session::{ALLOCATION, Session};
use crate::statement::{Named, Repeat};
use memchr::memchr;
use std::rc::Rc;
use std::sync::Arc;

/// The step after the last line of a body.
pub(super) enum Pass {
    /// The next pass began.
    Begun,
    /// No passes remain.
    Over,
    /// Another pass follows if this expression is not zero.
    Asks { expression: Rc<str>, span: Span },
}

pub(super) enum Source {
    File {
        text: Arc<str>,
        position: usize,
    },
    /// Lines that were made of those of a file.
    Made {
        lines: Vec<Made>,
        next: usize,
    },
    Body {
        body: Rc<Body>,
        next: usize,
        arguments: Vec<String>,
        repeat: Option<Repeat>,
    },
}

pub(crate) struct Frame {
    pub(super) source: Source,
    pub(super) file: u32,
    pub(super) line: u32,
    /// The origin of the lines it generates.
    pub(super) origin: u32,
    /// The number of conditionals that were open when it began.
    pub(super) conditions: usize,
    pub(super) reader: Reader,
    /// Whether its end is reported.
    pub(super) watched: bool,
    /// The bytes of memory that its arguments take, and those of a body of its own.
    pub(super) bytes: usize,
}

/// The bytes of memory that these texts take.
pub(super) fn bytes_of(texts: &[String]) -> usize {
    texts
        .iter()
        .map(|text| size_of::<String>() + ALLOCATION + text.len())
        .sum()
}

/// Adds a generated line to the `lines` so far.
fn count_line(lines: &mut u64, session: &Session, span: Span) -> Result<(), Fault> {
    *lines += 1;
    let most = session.limits.expanded_lines;
    match *lines <= most {
        true => Ok(()),
        false => Err(fault(span, format!("macros and repeats expand to more than {most} lines")).ending()),
    }
}

impl Expander {
    pub(crate) fn push_file(&mut self, session: &Session, index: u32, reader: Reader) {
        let Some(file) = session.files.get(index as usize) else {
            return;
        };
        self.frames.push(Frame {
            source: Source::File {
                text: Arc::clone(&file.text),
                position: 0,
            },
            file: index,
            line: 0,
            origin: session.origin,
            conditions: self.conditions.len(),
            reader,
            watched: false,
            bytes: 0,
        });
    }

    /// Begins to read lines that were made of those of the file with this index.
    pub(crate) fn push_made(&mut self, session: &Session, index: u32, reader: Reader, lines: Vec<Made>) {
        let bytes = lines.iter().map(Made::bytes).sum();
        self.frames.push(Frame {
            source: Source::Made { lines, next: 0 },
            file: index,
            line: 0,
            origin: session.origin,
            conditions: self.conditions.len(),
            reader,
            watched: false,
            bytes,
        });
    }

    /// Begins to read the lines of a macro; its end is reported if it is `watched`.
    pub(crate) fn enter_macro(
        &mut self,
        session: &mut Session,
        body: Rc<Body>,
        mut arguments: Vec<String>,
        span: Span,
        watched: bool,
    ) {
        let origin = session.new_origin(Rc::clone(&body.spelled), 0, span, session.origin);
        if let Err(problem) = session.count_locals(body.locals as usize, span) {
            session.report(problem);
            return;
        }
        for _ in 0..body.locals {
            arguments.push(session.fresh_label());
        }
        self.push_body(body, arguments, span, origin, watched);
    }

    /// Begins to read a body that no macro call requested.
    pub(crate) fn push_body(&mut self, body: Rc<Body>, arguments: Vec<String>, span: Span, origin: u32, watched: bool) {
        let reader = body.reader;
        let bytes = bytes_of(&arguments);
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
            reader,
            watched,
            bytes,
        });
    }

    /// The arguments of the macro around the current line whose lines ask for them, and the number of its expansion.
    pub(crate) fn open_arguments(&self) -> Option<(&[String], u32)> {
        for frame in self.frames.iter().rev() {
            match &frame.source {
                Source::Body {
                    body,
                    arguments,
                    repeat: None,
                    ..
                } => return body.as_written.then_some((arguments.as_slice(), frame.origin)),
                Source::Body { .. } => {}
                Source::File { .. } | Source::Made { .. } => return None,
            }
        }
        None
    }

    /// Moves the arguments of that macro: the one at place `by` becomes the first.
    pub(crate) fn rotate(&mut self, by: i64) {
        for frame in self.frames.iter_mut().rev() {
            if let Source::Body {
                arguments,
                repeat: None,
                ..
            } = &mut frame.source
            {
                if let Some(places) = by.checked_rem_euclid(arguments.len() as i64) {
                    arguments.rotate_left(places as usize);
                }
                return;
            }
        }
    }

    /// Whether the innermost macro or repeat is a repeat.
    pub(crate) fn in_repeat(&self) -> bool {
        let mut bodies = self.frames.iter().rev().filter_map(|frame| match &frame.source {
            Source::Body { repeat, .. } => Some(repeat.is_some()),
            _ => None,
        });
        bodies.next() == Some(true)
    }

    /// The index of the innermost file that is being read.
    pub(crate) fn innermost_file(&self) -> Option<u32> {
        let is_file = |frame: &&Frame| !matches!(frame.source, Source::Body { .. });
        self.frames.iter().rev().find(is_file).map(|frame| frame.file)
    }

    /// The number of nested files being read.
    pub(crate) fn file_depth(&self) -> usize {
        let is_file = |frame: &&Frame| !matches!(frame.source, Source::Body { .. });
        self.frames.iter().filter(is_file).count()
    }

    /// Returns the next line of the innermost frame and ends exhausted frames above the first `floor` ones.
    pub(crate) fn next_line(&mut self, session: &mut Session, line: &mut Line, floor: usize) -> Step {
        loop {
            if self.end_reached && self.conditions.len() <= self.outer_conditions() {
                self.leave_program(session);
            }
            if session.stopped || self.frames.len() <= floor {
                return Step::End;
            }
            let Some(frame) = self.frames.last_mut() else {
                return Step::End;
            };
            line.text.clear();
            line.columns.clear();
            match &mut frame.source {
                Source::File { text, position } => {
                    let rest = text.get(*position..).unwrap_or("");
                    if rest.is_empty() || rest.starts_with('\u{1a}') {
                        self.end_frame(session);
                        continue;
                    }
                    let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                    *position += end + 1;
                    frame.line += 1;
                    line.file = frame.file;
                    line.number = frame.line;
                    if end > session.limits.line {
                        let span = line.span(0, 1);
                        let message = format!("line longer than {} KiB", session.limits.line >> 10);
                        session.report(fault(span, message).with_help("check that this is an assembly source file"));
                        continue;
                    }
                    let part = &rest[..end];
                    line.text.push_str(part.strip_suffix('\r').unwrap_or(part));
                    if self.comment.is_none() {
                        let continues = frame.reader.syntax.continues;
                        let mut from = 0;
                        let mut first = None;
                        let mut too_long = false;
                        while let Some(mut kept) = continues(&mut session.names, &line.text, from) {
                            let rest = text.get(*position..).unwrap_or("");
                            let end = memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                            if rest.is_empty() {
                                break;
                            }
                            *position += end + 1;
                            frame.line += 1;
                            let first = *first.get_or_insert(kept);
                            too_long |= kept + end > session.limits.line;
                            if too_long {
                                // The other lines of the statement are passed over: each is joined to the first one
                                // alone, to see where they end.
                                kept = first;
                            }
                            if kept + end > session.limits.line {
                                break;
                            }
                            from = kept + 1;
                            line.join(kept, &rest[..end], frame.line);
                        }
                        if too_long {
                            let most = session.limits.line >> 10;
                            let message = format!("statement longer than {most} KiB with the lines that continue it");
                            let help = "end it earlier, and begin another one for the rest";
                            session.report(fault(line.span(0, 1), message).with_help(help));
                            continue;
                        }
                    }
                }
                Source::Made { lines, next } => {
                    let Some(made) = lines.get(*next) else {
                        self.end_frame(session);
                        continue;
                    };
                    *next += 1;
                    frame.line = made.number();
                    line.file = frame.file;
                    made.fill(line);
                    let origin = match made.origin() {
                        NONE => frame.origin,
                        origin => origin,
                    };
                    if line.text.len() > session.limits.line {
                        let message = format!("line longer than {} KiB", session.limits.line >> 10);
                        session.report(fault(line.span(0, 1), message).with_help("write it as several lines"));
                        continue;
                    }
                    session.origin = origin;
                    session.in_library = frame.reader.library;
                    return Step::Line;
                }
                Source::Body {
                    body, next, arguments, ..
                } => {
                    let Some(row) = body.lines.get(*next) else {
                        match self.next_pass(session) {
                            Pass::Begun => {}
                            Pass::Over => self.end_frame(session),
                            Pass::Asks { expression, span } => return Step::Test { expression, span },
                        }
                        continue;
                    };
                    *next += 1;
                    line.file = row.file;
                    line.number = row.number;
                    body.fill(line, row, arguments, session.limits.line);
                    let span = line.span(0, line.text.len() as u32);
                    let problem = if line.text.len() > session.limits.line {
                        let message = format!("expanded line longer than {} KiB", session.limits.line >> 10);
                        fault(line.span(0, 1), message)
                    } else if let Err(problem) = count_line(&mut self.expanded_lines, session, span) {
                        problem
                    } else if let Err(problem) = session.count_text(line.text.len(), span) {
                        problem
                    } else {
                        session.origin = frame.origin;
                        session.in_library = frame.reader.library;
                        return Step::Line;
                    };
                    session.give_up(problem);
                    return Step::End;
                }
            }
            session.origin = frame.origin;
            session.in_library = frame.reader.library;
            return Step::Line;
        }
    }

    pub(crate) fn count_line(&mut self, session: &Session, span: Span) -> Result<(), Fault> {
        count_line(&mut self.expanded_lines, session, span)
    }

    pub(super) fn end_frame(&mut self, session: &mut Session) {
        if session.gave_up {
            self.frames.clear();
        }
        let Some(frame) = self.frames.pop() else {
            return;
        };
        let outer = self.frames.last().map(|outer| (outer.origin, outer.reader.library));
        while self.conditions.len() > frame.conditions {
            if let Some(open) = self.conditions.pop() {
                self.skipped_the_rest = true;
                let problem = fault(open.span, "conditional is never closed");
                session.report(problem.with_help(Remedy::Close(Construct::Conditional)));
            }
        }
        if let Some(problem) = self.abandon_collecting() {
            self.skipped_the_rest = true;
            session.report(problem);
        }
        if let Some(comment) = self.comment.take() {
            self.skipped_the_rest = true;
            let problem = fault(comment.span, "block comment is never closed");
            session.report(problem.with_help(Remedy::Close(Construct::Comment(comment.delimiter))));
        }
        if frame.watched {
            self.ended = Some(session.origin);
        }
        (session.origin, session.in_library) = outer.unwrap_or((NONE, false));
    }

    /// The origin of the last line of a watched frame, if one ended since the last call.
    pub(crate) fn take_ended(&mut self) -> Option<u32> {
        self.ended.take()
    }

    /// Leaves the innermost frame and the conditionals it opened.
    fn leave_frame(&mut self, session: &mut Session) {
        if let Some(frame) = self.frames.last() {
            self.conditions.truncate(frame.conditions);
        }
        self.end_frame(session);
    }

    /// Leaves the macro or repeat being expanded; `value` is the result of a macro function.
    pub(crate) fn exit(&mut self, session: &mut Session, value: Option<String>, span: Span) -> Result<(), Fault> {
        if value.is_some() {
            self.function_result = value;
        }
        let is_body = |frame: &Frame| matches!(frame.source, Source::Body { .. });
        let Some(depth) = self.frames.iter().rposition(is_body) else {
            return Err(fault(span, "no macro or repeat to leave"));
        };
        while self.frames.len() > depth {
            self.leave_frame(session);
        }
        Ok(())
    }

    /// Ends the program, even from an included file; in the library only the library ends. Of the following
    /// lines, only the ends of open conditionals are read.
    pub(crate) fn end_program(&mut self) {
        self.end_reached = true;
    }

    /// The outermost frame that `end` ends: the first of the library or of the whole program.
    fn ended_frame(&self) -> usize {
        self.frames.iter().position(|frame| frame.reader.library).unwrap_or(0)
    }

    /// The number of conditionals that were open outside the frames that `end` ends.
    fn outer_conditions(&self) -> usize {
        self.frames.get(self.ended_frame()).map_or(0, |frame| frame.conditions)
    }

    /// Leaves every frame that `end` ends.
    fn leave_program(&mut self, session: &mut Session) {
        self.end_reached = false;
        let floor = self.ended_frame();
        let mut told = false;
        while let Some(frame) = self.frames.get(floor..).and_then(<[Frame]>::last) {
            // The file that ends the program, after its macros are left.
            if !told && matches!(frame.source, Source::File { .. }) {
                warn_of_rest(frame, session);
                told = true;
            }
            self.leave_frame(session);
        }
    }

    /// Continues after `label` in the innermost macro or repeat that contains it.
    pub(crate) fn go_to(&mut self, session: &mut Session, label: Named<'_>) -> Result<(), Fault> {
        let target = |frame: &Frame| match &frame.source {
            Source::Body { body, .. } => {
                let label = body.labels.iter().find(|known| known.0 == label.name);
                label.map(|label| label.1)
            }
            Source::File { .. } | Source::Made { .. } => None,
        };
        let found = self.frames.iter().rposition(|frame| target(frame).is_some());
        let Some(depth) = found.filter(|&depth| {
            let inner = self.frames.get(depth..).unwrap_or(&[]);
            inner.iter().all(|frame| matches!(frame.source, Source::Body { .. }))
        }) else {
            let text = label.spelled;
            return Err(fault(label.span, format!("undefined macro label `{text}`"))
                .with_help(Remedy::MacroLabel(text.to_owned())));
        };
        while self.frames.len() > depth + 1 {
            self.leave_frame(session);
        }
        if let Some(frame) = self.frames.last_mut() {
            self.conditions.truncate(frame.conditions);
            let line = target(frame);
            if let (Source::Body { next, .. }, Some(line)) = (&mut frame.source, line) {
                *next = line;
            }
        }
        Ok(())
    }
}

/// Warns of the first line after the end of the program that is more than a comment: nothing there is read.
fn warn_of_rest(frame: &Frame, session: &mut Session) {
    let Source::File { text, position } = &frame.source else {
        return;
    };
    if frame.reader.library {
        return;
    }
    let rest = text.get(*position..).unwrap_or("");
    let rest = rest.split('\u{1a}').next().unwrap_or("");
    let Some(first) = (frame.reader.syntax.first_text)(rest) else {
        return;
    };
    let (before, text) = rest.split_at(first);
    let start = before.len() - before.rfind('\n').map_or(0, |end| end + 1);
    let length = text.lines().next().map_or(0, |line| line.trim_end().len());
    let span = Span {
        file: frame.file,
        line: frame.line + 1 + before.matches('\n').count() as u32,
        start: start as u32,
        end: (start + length) as u32,
    };
    session.warn(
        fault(span, "nothing after the end of the program is read")
            .with_help("move these lines before it, or make them comments"),
    );
}
