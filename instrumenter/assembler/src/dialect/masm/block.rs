//! `.if`, `.while` and `.repeat`: high-level conditions, translated to compares and jumps.

use super::Parser;
use super::block_condition::{Comparison, Condition, MOST_NESTED, jump, parse_condition};
use super::generated::{generate_instruction, generate_label};
use super::keyword::BlockWord;
use super::{Keyword, keyword_at};
use crate::diag::{Fault, Span, fault};
use crate::lex::{Cursor, Line};
use crate::names::NameId;
use crate::statement::Named;

pub(super) struct OpenBlock {
    word: BlockWord,
    /// The label of the loop's start, or of the code that runs when the condition is false.
    next: String,
    /// The label at the end of the block.
    end: String,
    /// The label of the loop's test.
    test: String,
    /// The condition of a `.while`, tested after its body.
    condition: Option<Line>,
    otherwise: bool,
    pub(super) span: Span,
}

impl OpenBlock {
    pub(super) fn never_closed(&self) -> Fault {
        let (opener, closer) = match self.word {
            BlockWord::While => (".while", ".endw"),
            BlockWord::Repeat => (".repeat", ".until"),
            _ => (".if", ".endif"),
        };
        fault(self.span, format!("`{opener}` is never closed")).with_help(format!("add `{closer}`"))
    }

    /// The labels that the missing end would have defined.
    pub(super) fn missing_labels(&self) -> [&str; 2] {
        match self.word {
            BlockWord::If => [&self.next, &self.end],
            _ => [&self.test, &self.end],
        }
    }

    pub(super) fn named(&self, name: NameId) -> Named<'static> {
        Named {
            name,
            spelled: "??",
            span: self.span,
        }
    }
}

pub(super) fn block(
    parser: &mut Parser<'_>,
    word: BlockWord,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<(), Fault> {
    match word {
        BlockWord::If | BlockWord::While | BlockWord::Repeat => open_block(parser, word, cursor, span),
        BlockWord::Break | BlockWord::Continue => leave_block(parser, word, cursor, span),
        _ => go_on_block(parser, word, cursor, span),
    }
}

fn open_block(parser: &mut Parser<'_>, word: BlockWord, cursor: &mut Cursor<'_>, span: Span) -> Result<(), Fault> {
    if parser.modes.blocks.len() >= MOST_NESTED {
        return Err(fault(span, format!("blocks are nested deeper than {MOST_NESTED}")));
    }
    let mut open = OpenBlock {
        word,
        next: parser.session.fresh_label(),
        end: parser.session.fresh_label(),
        test: parser.session.fresh_label(),
        condition: None,
        otherwise: false,
        span,
    };
    let mut result = Ok(());
    match word {
        BlockWord::If => {
            result = parse_condition(parser, cursor).map(|test| jump(parser, &test, &open.next, false, span));
        }
        BlockWord::While => {
            // The condition is parsed here to report its errors, and assembled after the body.
            result = parse_condition(parser, &mut cursor.clone()).map(|_| ());
            open.condition = Some(Line::within(cursor.here(), cursor.rest()));
            generate_instruction(parser, format!("jmp {}", open.test), span);
            generate_label(parser, &open.next, span);
        }
        _ => generate_label(parser, &open.next, span),
    }
    parser.modes.blocks.push(open);
    result
}

fn go_on_block(parser: &mut Parser<'_>, word: BlockWord, cursor: &mut Cursor<'_>, span: Span) -> Result<(), Fault> {
    let opener = match word {
        BlockWord::EndWhile => BlockWord::While,
        BlockWord::Until | BlockWord::UntilCountedOut => BlockWord::Repeat,
        _ => BlockWord::If,
    };
    let expected = match opener {
        BlockWord::While => "`.while`",
        BlockWord::Repeat => "`.repeat`",
        _ => "`.if`",
    };
    if !parser.modes.blocks.iter().any(|open| open.word == opener) {
        return Err(fault(span, format!("no matching {expected}")));
    }
    // The inner blocks are the ones without an end.
    let mut open = loop {
        let Some(open) = parser.modes.blocks.pop() else {
            return Ok(());
        };
        if open.word == opener {
            break open;
        }
        parser.session.report(open.never_closed());
        for label in open.missing_labels() {
            generate_label(parser, label, open.span);
        }
    };
    match word {
        BlockWord::ElseIf | BlockWord::Else => {
            if open.otherwise {
                parser.modes.blocks.push(open);
                return Err(fault(span, "this `.if` already has an `.else`"));
            }
            open.otherwise = word == BlockWord::Else;
            let next = std::mem::replace(&mut open.next, parser.session.fresh_label());
            let (end, label) = (open.end.clone(), open.next.clone());
            parser.modes.blocks.push(open);
            generate_instruction(parser, format!("jmp {end}"), span);
            generate_label(parser, &next, span);
            if word == BlockWord::ElseIf {
                let test = parse_condition(parser, cursor)?;
                jump(parser, &test, &label, false, span);
            }
            cursor.expect_end()
        }
        BlockWord::EndIf => {
            generate_label(parser, &open.next, span);
            generate_label(parser, &open.end, span);
            cursor.expect_end()
        }
        BlockWord::EndWhile => {
            generate_label(parser, &open.test, span);
            if let Some(line) = open.condition {
                let mut tokens = Vec::new();
                parser.lex(&line.text, &mut tokens);
                let mut condition = Cursor::new(&line, &tokens);
                let test = parse_condition(parser, &mut condition)?;
                jump(parser, &test, &open.next, true, open.span);
            }
            generate_label(parser, &open.end, span);
            cursor.expect_end()
        }
        BlockWord::Until => {
            generate_label(parser, &open.test, span);
            let test = parse_condition(parser, cursor)?;
            jump(parser, &test, &open.next, false, span);
            generate_label(parser, &open.end, span);
            Ok(())
        }
        _ => {
            generate_label(parser, &open.test, span);
            let word = match cursor.done() {
                true => "loop",
                false => counted(parser, cursor, span)?,
            };
            generate_instruction(parser, format!("{word} {}", open.next), span);
            generate_label(parser, &open.end, span);
            Ok(())
        }
    }
}

/// The condition of `.untilcxz`, a comparison, and the loop that goes on while it does not hold.
fn counted(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<&'static str, Fault> {
    let place = cursor.here();
    match parse_condition(parser, cursor)? {
        Condition::Compare(left, operator @ (Comparison::Equal | Comparison::NotEqual), right) => {
            generate_instruction(parser, format!("cmp {left},{right}"), span);
            Ok(if operator == Comparison::Equal {
                "loopne"
            } else {
                "loope"
            })
        }
        _ => Err(fault(place, "only `==` and `!=` may follow `.untilcxz`")),
    }
}

/// `.break` and `.continue`, alone or followed by `.if`.
fn leave_block(parser: &mut Parser<'_>, word: BlockWord, cursor: &mut Cursor<'_>, span: Span) -> Result<(), Fault> {
    let innermost = parser.modes.blocks.iter().rev().find(|open| open.word != BlockWord::If);
    let Some(open) = innermost else {
        return Err(fault(span, "not inside a `.while` or `.repeat` block"));
    };
    let target = if word == BlockWord::Break {
        open.end.clone()
    } else {
        open.test.clone()
    };
    if cursor.done() {
        generate_instruction(parser, format!("jmp {target}"), span);
        return Ok(());
    }
    if !(cursor.eat(b'.') && keyword_at(cursor) == Some(Keyword::If)) {
        return Err(fault(cursor.here(), "expected `.if` and a condition"));
    }
    cursor.at += 1;
    let test = parse_condition(parser, cursor)?;
    jump(parser, &test, &target, true, span);
    Ok(())
}
