//! The expander: files, macro calls and repeats on one stack, and the conditions that skip their lines.
//!
//! It returns one line at a time; the driver reports the outcome: a condition is true, a macro is called, or
//! lines are to be collected. It knows no segments, addresses or symbol values and asks for what it needs: whether a
//! `while` continues is [`Step::Test`].

mod body;
mod collect;
mod condition;
mod frame;
mod repeat;
mod text;

pub(crate) use body::{Body, BodyLine, Collected, KeptLine, Piece};
pub(crate) use collect::BodyWord;

use crate::diag::Span;
use crate::names::Names;
use collect::Collecting;
use condition::Condition;
use frame::Frame;
use std::rc::Rc;

/// The functions by which a dialect classifies lines before they are parsed as statements.
pub(crate) struct Syntax {
    /// The length to keep of a line that continues on the next one; only the part from the given byte on is new.
    pub(crate) continues: fn(&mut Names, &str, usize) -> Option<usize>,
    /// The role of a line in the body that contains it.
    pub(crate) body_word: fn(&mut Names, &str) -> BodyWord,
    /// The start of the first text in some lines that is neither blank nor a remark.
    pub(crate) first_text: fn(&str) -> Option<usize>,
}

/// The reader of the lines of a file or body.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    /// The functions by which its dialect classifies lines.
    pub(crate) syntax: &'static Syntax,
    /// Its number, which only the driver interprets.
    pub(crate) number: usize,
    /// Whether it reads the bundled library.
    pub(crate) library: bool,
}

#[derive(Default)]
pub(crate) struct Expander {
    frames: Vec<Frame>,
    conditions: Vec<Condition>,
    collecting: Option<Collecting>,
    comment: Option<BlockComment>,
    /// Every macro defined so far; a name stores an index into this.
    bodies: Vec<Rc<Body>>,
    /// Every text macro defined so far; a name stores an index into this.
    texts: Vec<String>,
    /// The bytes of memory that the macros and the text macros take.
    kept: usize,
    /// The origin of the last line before a watched frame ended, until it is taken.
    ended: Option<u32>,
    /// The value returned by the last macro function that ended.
    function_result: Option<String>,
    /// Whether the program has ended while conditionals around its end are open.
    end_reached: bool,
    expanded_lines: u64,
    repeat_passes: u64,
    /// Whether an unclosed body, conditional or comment skipped the rest of a file, which may have contained the ends
    /// of procedures and segments.
    pub(crate) skipped_the_rest: bool,
}

struct BlockComment {
    delimiter: char,
    span: Span,
}

/// The next step of the expansion.
pub(crate) enum Step {
    /// A line was read.
    Line,
    /// A repeat continues if this expression is not zero; [`Expander::answer`] passes the result.
    Test { expression: Rc<str>, span: Span },
    /// No lines remain.
    End,
}

impl Expander {
    /// The bytes of memory that macros, text macros and what is being read of them take.
    pub(crate) fn bytes(&self) -> usize {
        let frames = self.frames.iter().map(|frame| frame.bytes);
        let conditions = self.conditions.len() * size_of::<Condition>();
        self.kept + conditions + self.collecting.as_ref().map_or(0, Collecting::bytes) + frames.sum::<usize>()
    }

    pub(crate) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// Whether the current line is one of a macro or a repeat.
    pub(crate) fn in_body(&self) -> bool {
        let innermost = self.frames.last();
        innermost.is_some_and(|frame| matches!(frame.source, frame::Source::Body { .. }))
    }

    /// The reader of the innermost frame.
    pub(crate) fn reader(&self) -> Option<Reader> {
        self.frames.last().map(|frame| frame.reader)
    }

    /// Skips every line up to the one that contains `delimiter`.
    pub(crate) fn begin_comment(&mut self, delimiter: char, span: Span) {
        self.comment = Some(BlockComment { delimiter, span });
    }

    /// Whether a line belongs to a block comment; the line may end it.
    pub(crate) fn comments_out(&mut self, text: &str) -> bool {
        let Some(comment) = &self.comment else {
            return false;
        };
        if text.contains(comment.delimiter) {
            self.comment = None;
        }
        true
    }

    /// The value returned by the last macro function that ended.
    pub(crate) fn take_function_result(&mut self) -> String {
        self.function_result.take().unwrap_or_default()
    }
}
