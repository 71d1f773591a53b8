//! Ways out of macros: `exitm`, `goto`, `purge`.

use crate::assembler::{Assembler, Fault, fault};
use crate::diag::Span;
use crate::expand::{Frame, Source};
use crate::expr::Cursor;
use crate::lex::comment_start;
use crate::names::NONE;

impl Assembler<'_> {
    /// `exitm`: leaves the macro or repeat being expanded.
    ///
    /// What stands behind it is what a macro function returns.
    pub(crate) fn exit_macro(&mut self, cursor: &Cursor, span: Span) -> Result<(), Fault> {
        if !cursor.done() {
            let raw = cursor.raw_rest();
            let text = self.text_items(&raw[..comment_start(raw)], span)?.concat();
            self.function_result = Some(text);
        }
        if !self
            .frames
            .iter()
            .any(|frame| matches!(frame.source, Source::Body { .. }))
        {
            return Err(fault(span, "`exitm` stands outside any macro"));
        }
        while let Some(frame) = self.frames.last() {
            let (conditions, body) = (frame.conditions, matches!(frame.source, Source::Body { .. }));
            self.conditions.truncate(conditions);
            self.end_frame();
            if body {
                break;
            }
        }
        Ok(())
    }

    /// `goto label`: reading goes on behind the label in the innermost macro or repeat that has it.
    pub(crate) fn go_to(&mut self, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let Some((name, token)) = cursor.name() else {
            return Err(fault(cursor.here(), "a label of this macro is expected after `goto`"));
        };
        self.expect_end(cursor)?;
        let target = |frame: &Frame| match &frame.source {
            Source::Body { body, .. } => body.labels.iter().find(|label| label.0 == name).map(|label| label.1),
            Source::File { .. } => None,
        };
        let found = self.frames.iter().rposition(|frame| target(frame).is_some());
        let Some(depth) = found.filter(|&depth| {
            let inner = self.frames.get(depth..).unwrap_or(&[]);
            inner.iter().all(|frame| matches!(frame.source, Source::Body { .. }))
        }) else {
            let text = cursor.text(token);
            return Err(
                fault(span, format!("there is no label `:{text}` in this macro")).with_help(format!(
                    "write `:{text}` on a line of its own where reading should go on"
                )),
            );
        };
        while self.frames.len() > depth + 1 {
            let conditions = self.frames.last().map_or(0, |frame| frame.conditions);
            self.conditions.truncate(conditions);
            self.end_frame();
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

    /// `purge`: forgets macros.
    pub(crate) fn purge(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        while let Some((name, token)) = cursor.name() {
            if self.names.info(name).body == NONE {
                return Err(fault(
                    cursor.span(token),
                    format!("there is no macro `{}`", cursor.text(token)),
                ));
            }
            let info = self.names.info_mut(name);
            info.body = NONE;
            info.function = false;
            cursor.eat(b',');
        }
        Ok(())
    }
}
