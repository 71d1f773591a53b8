//! Repeats: `rept`, `irp`, `irpc` and `while`, one frame each, an origin for every pass.

use crate::assembler::{Assembler, Fault, fault};
use crate::diag::Span;
use crate::expand::argument::{angle_literal, split_arguments};
use crate::expand::{Body, Collected, Frame, Source, SpelledAt};
use crate::expr::Cursor;
use crate::lex::comment_start;
use crate::names::{Keyword, NONE};
use std::rc::Rc;

/// What decides about a repeat's next pass.
pub(crate) enum Repeat {
    /// So many passes are left.
    Count(u64),
    /// The values of the parameter, from `next` on.
    Values { values: Vec<String>, next: usize },
    /// As long as the expression is not zero.
    While { expression: String, passes: u64 },
}

impl Assembler<'_> {
    /// Reads a repeat's head; its body follows.
    pub(crate) fn repeat_head(&mut self, word: Keyword, cursor: &mut Cursor, span: Span) {
        let mut body = Body {
            library: self.in_library,
            span,
            ..Body::default()
        };
        if let Some(first) = cursor.at.checked_sub(1).and_then(|at| cursor.tokens.get(at)) {
            body.spelled = cursor.text(*first).to_ascii_uppercase();
            body.name = self.names.intern(cursor.text(*first));
        }
        let kind = match self.repeat_kind(word, cursor, &mut body, span) {
            Ok(repeat) => Collected::Repeat(repeat),
            Err(problem) => {
                self.report(problem);
                Collected::Dropped
            }
        };
        self.begin_collecting(body, kind, span);
    }

    fn repeat_kind(
        &mut self,
        word: Keyword,
        cursor: &mut Cursor,
        body: &mut Body,
        span: Span,
    ) -> Result<Repeat, Fault> {
        match word {
            Keyword::Repeat => {
                let place = cursor.here();
                let count = self.constant(cursor)?;
                let Ok(count) = u64::try_from(count) else {
                    return Err(fault(place, format!("{count} is no number of passes")));
                };
                if count > self.limits.repeats {
                    return Err(fault(
                        place,
                        format!("{count} passes are more than the limit of {}", self.limits.repeats),
                    ));
                }
                Ok(Repeat::Count(count))
            }
            Keyword::While => Ok(Repeat::While {
                expression: cursor.rest().to_owned(),
                passes: 0,
            }),
            _ => {
                let text = cursor.raw_rest();
                let text = text[..comment_start(text)].trim_end();
                let Some(comma) = text.find(',') else {
                    return Err(fault(span, "a parameter, a comma and its values are expected")
                        .with_help("for example `irp reg, <eax, ebx, ecx>`"));
                };
                self.parameters(&text[..comma], body, span)?;
                if body.parameters.len() != 1 {
                    return Err(fault(span, "exactly one parameter is expected before the values"));
                }
                let list = text[comma + 1..].trim();
                let inside = angle_literal(list).map_or_else(|| list.to_owned(), |(inside, _)| inside);
                let values = if word == Keyword::ForCharacter {
                    inside.chars().map(String::from).collect()
                } else {
                    split_arguments(&inside)
                };
                Ok(Repeat::Values { values, next: 0 })
            }
        }
    }

    /// Starts a collected repeat.
    pub(crate) fn begin_repeat(&mut self, body: Body, repeat: Repeat, span: Span) {
        if self.frames.len() > self.limits.macro_depth {
            self.give_up(fault(
                span,
                format!("repeats are nested more than {} deep", self.limits.macro_depth),
            ));
            return;
        }
        let library = body.library;
        let body = Rc::new(body);
        let next = body.lines.len();
        self.frames.push(Frame {
            source: Source::Body {
                body,
                next,
                arguments: Vec::new(),
                repeat: Some(repeat),
            },
            file: span.file,
            line: span.line,
            // The first pass makes its own.
            origin: self.origin,
            conditions: self.conditions.len(),
            library,
            probe: NONE,
            restore: NONE,
        });
    }

    /// Begins the innermost frame's next pass, if it is a repeat that has one.
    pub(crate) fn next_pass(&mut self) -> bool {
        let Some(frame) = self.frames.last_mut() else {
            return false;
        };
        let Source::Body {
            body,
            repeat: Some(repeat),
            ..
        } = &mut frame.source
        else {
            return false;
        };
        let span = body.span;
        let mut condition = None;
        let value = match repeat {
            Repeat::Count(0) => return false,
            Repeat::Count(left) => {
                *left -= 1;
                None
            }
            Repeat::Values { values, next } => {
                let Some(value) = values.get(*next) else {
                    return false;
                };
                *next += 1;
                Some(value.clone())
            }
            Repeat::While { expression, passes } => {
                *passes += 1;
                condition = Some((expression.clone(), *passes));
                None
            }
        };
        let body = Rc::clone(body);
        let endless = condition.is_some();
        if let Some((expression, passes)) = condition {
            if passes > self.limits.repeats {
                self.give_up(fault(
                    span,
                    format!("more than {} passes of `while`", self.limits.repeats),
                ));
                return false;
            }
            match self.number_in(&expression, span) {
                Ok(0) => return false,
                Ok(_) => {}
                Err(problem) => {
                    self.report(problem);
                    return false;
                }
            }
        }
        self.repeat_passes += 1;
        if self.repeat_passes > self.limits.all_repeats {
            self.give_up(fault(
                span,
                format!("more than {} passes of all repeats", self.limits.all_repeats),
            ));
            return false;
        }
        if body.lines.is_empty() {
            if endless {
                self.give_up(fault(span, "this `while` has no body and never ends"));
            }
            return false;
        }
        let outer = self.frames.len().checked_sub(2).and_then(|at| self.frames.get(at));
        let parent = outer.map_or(NONE, |frame| frame.origin);
        let previous = self.frames.last().map_or(NONE, |frame| frame.origin);
        let pass = match self.origins.get(previous as usize) {
            Some(step) if previous != parent => step.pass + 1,
            _ => 1,
        };
        let origin = self.new_origin(body.name, SpelledAt(NONE), pass, span, parent);
        if let Some(frame) = self.frames.last_mut() {
            frame.origin = origin;
            if let Source::Body { next, arguments, .. } = &mut frame.source {
                *next = 0;
                arguments.clear();
                arguments.extend(value);
            }
        }
        true
    }
}
