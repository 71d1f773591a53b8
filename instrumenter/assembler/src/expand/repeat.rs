//! Repeats: one frame per repeat and one origin per pass.

use super::frame::{Frame, Pass, Source, bytes_of};
use super::{Body, Expander};
use crate::diag::fault;
use crate::names::NONE;
use crate::session::Session;
use crate::statement::Repeat;
use std::rc::Rc;

impl Expander {
    /// Starts a repeat; its passes are read next.
    pub(crate) fn begin_repeat(&mut self, session: &mut Session, body: Body, repeat: Repeat) {
        let span = body.span;
        if self.frames.len() > session.limits.macro_depth {
            let message = format!("repeats are nested deeper than {}", session.limits.macro_depth);
            session.give_up(fault(span, message));
            return;
        }
        let reader = body.reader;
        let next = body.lines.len();
        let bytes = body.bytes()
            + match &repeat {
                Repeat::Values { values, .. } => bytes_of(values),
                Repeat::Count(_) | Repeat::While { .. } => 0,
            };
        self.frames.push(Frame {
            source: Source::Body {
                body: Rc::new(body),
                next,
                arguments: Vec::new(),
                repeat: Some(repeat),
            },
            file: span.file,
            line: span.line,
            // The first pass creates its own origin.
            origin: session.origin,
            conditions: self.conditions.len(),
            reader,
            watched: false,
            bytes,
        });
    }

    /// Begins the next pass of the innermost frame, if it is a repeat with passes left.
    pub(super) fn next_pass(&mut self, session: &mut Session) -> Pass {
        if self.end_reached {
            return Pass::Over;
        }
        let Some(Source::Body {
            body,
            repeat: Some(repeat),
            ..
        }) = self.frames.last_mut().map(|frame| &mut frame.source)
        else {
            return Pass::Over;
        };
        let span = body.span;
        match repeat {
            Repeat::Count(0) => Pass::Over,
            Repeat::Count(left) => {
                *left -= 1;
                self.begin_pass(session, None, false)
            }
            Repeat::Values { values, next } => {
                let Some(value) = values.get(*next).cloned() else {
                    return Pass::Over;
                };
                *next += 1;
                self.begin_pass(session, Some(value), false)
            }
            Repeat::While { expression, passes } => {
                *passes += 1;
                if *passes > session.limits.repeats {
                    let message = format!("loop repeats more than {} times", session.limits.repeats);
                    session.give_up(fault(span, message));
                    return Pass::Over;
                }
                let expression = Rc::clone(expression);
                Pass::Asks { expression, span }
            }
        }
    }

    /// Passes the result of [`super::Step::Test`].
    pub(crate) fn answer(&mut self, session: &mut Session, goes_on: bool) {
        if !goes_on || matches!(self.begin_pass(session, None, true), Pass::Over) {
            self.end_frame(session);
        }
    }

    fn begin_pass(&mut self, session: &mut Session, value: Option<String>, endless: bool) -> Pass {
        let Some(frame) = self.frames.last() else {
            return Pass::Over;
        };
        let Source::Body { body, .. } = &frame.source else {
            return Pass::Over;
        };
        let body = Rc::clone(body);
        let previous = frame.origin;
        self.repeat_passes += 1;
        if self.repeat_passes > session.limits.all_repeats {
            let message = format!(
                "all repeats together make more than {} passes",
                session.limits.all_repeats
            );
            session.give_up(fault(body.span, message));
            return Pass::Over;
        }
        if body.lines.is_empty() {
            if endless {
                session.give_up(fault(body.span, "loop with an empty body is endless"));
            }
            return Pass::Over;
        }
        let outer = self.frames.len().checked_sub(2).and_then(|at| self.frames.get(at));
        let parent = outer.map_or(NONE, |frame| frame.origin);
        let pass = match session.origins.get(previous as usize) {
            Some(step) if previous != parent => step.pass + 1,
            _ => 1,
        };
        let origin = session.new_origin(Rc::clone(&body.spelled), pass, body.span, parent);
        if let Err(problem) = session.count_locals(body.locals as usize, body.span) {
            session.give_up(problem);
            return Pass::Over;
        }
        let locals: Vec<String> = (0..body.locals).map(|_| session.fresh_label()).collect();
        if let Some(frame) = self.frames.last_mut() {
            frame.origin = origin;
            if let Source::Body { next, arguments, .. } = &mut frame.source {
                *next = 0;
                arguments.clear();
                arguments.extend(value);
                arguments.extend(locals);
            }
        }
        Pass::Begun
    }
}
