//! The expander: files, macro calls and repeats on one stack, and the conditions that skip their lines.
//!
//! It hands out one line at a time and is told what became of it: that a condition holds, that a macro is called, that
//! lines are to be kept. It knows no segment, no address and no symbol's value, and asks for what it needs: whether a
//! `while` goes on is [`Step::Test`].

mod body;
mod collect;
mod condition;
mod frame;
mod repeat;
mod text;

pub(crate) use body::{Body, BodyLine, Piece};
pub(crate) use collect::{BodyWord, Collected, KeptLine};

use crate::diag::Span;
use crate::names::Names;
use collect::Collecting;
use condition::Condition;
use frame::Frame;
use std::rc::Rc;

/// What a dialect tells of lines before they are read as statements.
pub(crate) struct Syntax {
    /// How much of a line to keep before its next line follows, if it goes on there; only the part from the given byte
    /// on is new.
    pub(crate) continues: fn(&mut Names, &str, usize) -> Option<usize>,
    /// What a line is to the body it stands in.
    pub(crate) body_word: fn(&mut Names, &str) -> BodyWord,
}

/// Where lines come from.
#[derive(Default)]
pub(crate) struct Expander {
    frames: Vec<Frame>,
    conditions: Vec<Condition>,
    collecting: Option<Collecting>,
    /// What ends the block comment being skipped.
    comment: Option<char>,
    /// Every macro defined so far; a name's macro is an index of this.
    bodies: Vec<Rc<Body>>,
    /// Every text a name stands for; a name's text is an index of this.
    texts: Vec<String>,
    /// The origin of the last line before a watched frame ended, until it is asked for.
    ended: Option<u32>,
    /// What the macro function that ended last returned.
    function_result: Option<String>,
    expanded_lines: u64,
    repeat_passes: u64,
}

/// What the expander has to give.
pub(crate) enum Step {
    /// A line was read.
    Line,
    /// A repeat goes on if this expression is not zero; [`Expander::answer`] says whether it does.
    Test { expression: Rc<str>, span: Span },
    /// There are no more lines.
    End,
}

impl Expander {
    /// How many frames are being read.
    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Skips every line up to the one with `delimiter` in it.
    pub(crate) fn begin_comment(&mut self, delimiter: char) {
        self.comment = Some(delimiter);
    }

    /// Whether a line belongs to a block comment, which it may end.
    pub(crate) fn comments_out(&mut self, text: &str) -> bool {
        let Some(delimiter) = self.comment else {
            return false;
        };
        if text.contains(delimiter) {
            self.comment = None;
        }
        true
    }

    /// What the macro function that ended last returned.
    pub(crate) fn take_function_result(&mut self) -> String {
        self.function_result.take().unwrap_or_default()
    }
}
