//! A position among the tokens of a line, from which a dialect parses.

use super::{Kind, Line, Token, without_marks};
use crate::diag::{Fault, Span, fault};
use crate::names::NameId;
use std::cell::Cell;

#[derive(Clone, Copy)]
pub(crate) struct Cursor<'l> {
    pub(crate) line: &'l Line,
    pub(crate) tokens: &'l [Token],
    pub(crate) at: usize,
    /// What is known of text after a complete statement; `None` where it is an error.
    pub(crate) extra: Option<&'l Cell<Extra>>,
}

/// Text after a complete statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Extra {
    #[default]
    Refused,
    Allowed,
    /// It is there, and begins at this token.
    Found(usize),
}

impl<'l> Cursor<'l> {
    /// The beginning of a line, whose statement is complete only at its end.
    pub(crate) fn new(line: &'l Line, tokens: &'l [Token]) -> Cursor<'l> {
        Cursor {
            line,
            tokens,
            at: 0,
            extra: None,
        }
    }

    pub(crate) fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    pub(crate) fn peek_second(&self) -> Option<Token> {
        self.tokens.get(self.at + 1).copied()
    }

    pub(crate) fn next(&mut self) -> Option<Token> {
        let token = self.peek();
        self.at += usize::from(token.is_some());
        token
    }

    pub(crate) fn done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Whether the next token is `mark`.
    pub(crate) fn is(&self, mark: u8) -> bool {
        matches!(self.peek(), Some(Token { kind: Kind::Mark(found), .. }) if found == mark)
    }

    pub(crate) fn eat(&mut self, mark: u8) -> bool {
        let found = self.is(mark);
        self.at += usize::from(found);
        found
    }

    pub(crate) fn name(&mut self) -> Option<(NameId, Token)> {
        match self.peek() {
            Some(
                token @ Token {
                    kind: Kind::Name(name), ..
                },
            ) => {
                self.at += 1;
                Some((name, token))
            }
            _ => None,
        }
    }

    /// The name at the cursor, without advancing.
    pub(crate) fn peek_name(&self) -> Option<NameId> {
        match self.peek()?.kind {
            Kind::Name(name) => Some(name),
            _ => None,
        }
    }

    pub(crate) fn text(&self, token: Token) -> &'l str {
        let range = token.start as usize..token.end as usize;
        let text = without_marks(self.line.text.get(range).unwrap_or(""));
        match token.kind {
            // The brackets of `<name>` only keep its parts together, those of `<name+0x12>` belong to the place.
            Kind::Name(_) if text.starts_with('<') && !text.contains('+') => {
                text.trim_start_matches(['<', ':']).trim_end_matches('>')
            }
            _ => text,
        }
    }

    pub(crate) fn span(&self, token: Token) -> Span {
        self.line.span(token.start, token.end)
    }

    /// The span from the next token to the end of the line, without the comment and trailing blanks.
    pub(crate) fn rest(&self) -> &'l str {
        let start = self.offset();
        let end = self.tokens.last().map_or(start, |token| token.end as usize).max(start);
        self.line.text.get(start..end).unwrap_or("")
    }

    /// The same text as [`Cursor::rest`]; moves the cursor to the end of the line.
    pub(crate) fn take_rest(&mut self) -> &'l str {
        let rest = self.rest();
        self.at = self.tokens.len();
        rest
    }

    /// The text from the next token to the end of the line, including the comment.
    pub(crate) fn raw_rest(&self) -> &'l str {
        self.line.text.get(self.offset()..).unwrap_or("")
    }

    /// The byte offset of the next token.
    pub(crate) fn offset(&self) -> usize {
        match self.peek() {
            Some(token) => token.start as usize,
            None => self
                .tokens
                .last()
                .map_or(self.line.text.len(), |token| token.end as usize),
        }
    }

    /// Fails if anything follows a complete statement.
    pub(crate) fn expect_end(&self) -> Result<(), Fault> {
        match self.peek() {
            None => Ok(()),
            Some(Token {
                kind: Kind::Bad(why), ..
            }) => Err(fault(self.here(), why)),
            Some(_) if self.passes_over_rest() => Ok(()),
            Some(_) => Err(fault(self.here(), "expected the end of the statement").with_label("unexpected text")),
        }
    }

    /// Whether the rest of the line is extra text that the statement may have.
    pub(crate) fn passes_over_rest(&self) -> bool {
        let allowed = self.extra.filter(|extra| extra.get() != Extra::Refused);
        // What goes on with an operator is not complete, and no remark begins without a blank.
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let begins = self.peek().is_some_and(|token| match token.kind {
            Kind::Mark(mark) => mark == b'(',
            _ => before.is_none_or(|before| before.end < token.start),
        });
        allowed.filter(|_| begins).is_some_and(|extra| {
            extra.set(Extra::Found(self.at));
            true
        })
    }

    /// The span of the next token, or the position after the last one.
    pub(crate) fn here(&self) -> Span {
        match self.peek() {
            Some(token) => self.span(token),
            None => {
                let end = self.offset() as u32;
                self.line.span(end, end)
            }
        }
    }
}
