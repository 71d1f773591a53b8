//! Conditional assembly: the `if` family, `else`, `elseif...`, `endif`.

use crate::assembler::{Assembler, Fault, fault};
use crate::diag::Span;
use crate::expand::argument::split_arguments;
use crate::expand::{Condition, Line};
use crate::expr::Cursor;
use crate::lex::{Token, comment_start};
use crate::names::Keyword;

/// The `if...` that an `elseif...` tests like, and whether it is one.
fn plain(word: Keyword) -> (Keyword, bool) {
    match word {
        Keyword::ElseIf => (Keyword::If, true),
        Keyword::ElseIfNot => (Keyword::IfNot, true),
        Keyword::ElseIfDefined => (Keyword::IfDefined, true),
        Keyword::ElseIfNotDefined => (Keyword::IfNotDefined, true),
        Keyword::ElseIfBlank => (Keyword::IfBlank, true),
        Keyword::ElseIfNotBlank => (Keyword::IfNotBlank, true),
        Keyword::ElseIfIdentical => (Keyword::IfIdentical, true),
        Keyword::ElseIfIdenticalAnyCase => (Keyword::IfIdenticalAnyCase, true),
        Keyword::ElseIfDifferent => (Keyword::IfDifferent, true),
        Keyword::ElseIfDifferentAnyCase => (Keyword::IfDifferentAnyCase, true),
        word => (word, false),
    }
}

/// Whether the word opens a condition.
pub(crate) fn opens(word: Keyword) -> bool {
    matches!(
        word,
        Keyword::If
            | Keyword::IfNot
            | Keyword::IfDefined
            | Keyword::IfNotDefined
            | Keyword::IfBlank
            | Keyword::IfNotBlank
            | Keyword::IfIdentical
            | Keyword::IfIdenticalAnyCase
            | Keyword::IfDifferent
            | Keyword::IfDifferentAnyCase
            | Keyword::IfFirstPass
            | Keyword::IfSecondPass
    )
}

/// Whether the word belongs to conditions at all.
pub(crate) fn concerns(word: Keyword) -> bool {
    opens(word) || plain(word).1 || matches!(word, Keyword::Else | Keyword::EndIf)
}

/// Whether the condition's operands are text rather than expressions.
pub(crate) fn takes_text(word: Keyword) -> bool {
    concerns(word) && !matches!(plain(word).0, Keyword::If | Keyword::IfNot)
}

impl Assembler<'_> {
    /// A condition's word while lines are assembled.
    pub(crate) fn condition(&mut self, word: Keyword, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        if opens(word) {
            // A test that cannot be made skips its lines: their errors would only follow from it.
            let test = self.test(word, cursor, span);
            let active = matches!(test, Ok(true));
            self.open_condition(active, active || test.is_err(), span)?;
            return test.map(|_| ());
        }
        let floor = self.frames.last().map_or(0, |frame| frame.conditions);
        if self.conditions.len() <= floor {
            return Err(fault(span, "there is no `if` that this could belong to"));
        }
        if word == Keyword::EndIf {
            self.conditions.pop();
            return Ok(());
        }
        if let Some(condition) = self.conditions.last_mut() {
            if condition.otherwise {
                return Err(fault(span, "this `if` already had its `else`"));
            }
            // Lines were assembled until here, so every later branch is skipped.
            condition.active = false;
            condition.taken = true;
            condition.otherwise = word == Keyword::Else;
        }
        Ok(())
    }

    /// A condition's word while lines are skipped.
    pub(crate) fn skipped_condition(&mut self, word: Keyword, line: &Line, tokens: &[Token]) {
        let Some(&first) = tokens.first() else {
            return;
        };
        let span = line.span(first.start, first.end);
        if opens(word) {
            if let Err(problem) = self.open_condition(false, true, span) {
                self.report(problem);
            }
            return;
        }
        let (test_word, is_else_if) = plain(word);
        let floor = self.frames.last().map_or(0, |frame| frame.conditions);
        let below = self.conditions.len();
        let Some(condition) = self.conditions.last_mut() else {
            return;
        };
        match word {
            Keyword::EndIf if below > floor => {
                self.conditions.pop();
            }
            Keyword::Else => {
                if condition.otherwise {
                    self.report(fault(span, "this `if` already had its `else`"));
                    return;
                }
                condition.otherwise = true;
                condition.active = !condition.taken;
                condition.taken = true;
            }
            _ if is_else_if && !condition.taken && !condition.otherwise => {
                let mut cursor = Cursor { line, tokens, at: 1 };
                match self.test(test_word, &mut cursor, span) {
                    Ok(holds) => {
                        if let Some(condition) = self.conditions.last_mut() {
                            condition.active = holds;
                            condition.taken = holds;
                        }
                    }
                    Err(problem) => {
                        if let Some(condition) = self.conditions.last_mut() {
                            condition.taken = true;
                        }
                        self.report(problem);
                    }
                }
            }
            _ => {}
        }
    }

    fn open_condition(&mut self, active: bool, taken: bool, span: Span) -> Result<(), Fault> {
        self.conditions.push(Condition {
            active,
            taken,
            otherwise: false,
            span,
        });
        if self.conditions.len() > self.limits.conditions {
            self.stopped = true;
            return Err(fault(
                span,
                format!("conditions are nested more than {} deep", self.limits.conditions),
            ));
        }
        Ok(())
    }

    fn test(&mut self, word: Keyword, cursor: &mut Cursor, span: Span) -> Result<bool, Fault> {
        match word {
            Keyword::If | Keyword::IfNot => {
                if cursor.done() {
                    return Err(fault(span, "an expression is expected after `if`"));
                }
                let number = self.constant(cursor)?;
                if !cursor.done() {
                    return Err(fault(cursor.here(), "the condition should end here"));
                }
                Ok((number != 0) == (word == Keyword::If))
            }
            Keyword::IfDefined | Keyword::IfNotDefined => {
                let Some((name, _)) = cursor.name() else {
                    return Err(fault(cursor.here(), "a name is expected here"));
                };
                Ok(self.is_defined(name) == (word == Keyword::IfDefined))
            }
            Keyword::IfFirstPass => Ok(true),
            Keyword::IfSecondPass => Ok(false),
            _ => self.text_test(word, cursor, span),
        }
    }

    /// The tests that compare or look at text.
    pub(crate) fn text_test(&mut self, word: Keyword, cursor: &mut Cursor, span: Span) -> Result<bool, Fault> {
        let text = cursor.raw_rest();
        let text = if cursor.done() {
            ""
        } else {
            text[..comment_start(text)].trim()
        };
        let mut arguments = split_arguments(text);
        for argument in &mut arguments {
            if let Some(expression) = argument.strip_prefix('%') {
                *argument = self.expanded_expression(expression, span)?;
            }
        }
        if matches!(word, Keyword::IfBlank | Keyword::IfNotBlank) {
            let blank = arguments.iter().all(|argument| argument.trim().is_empty());
            return Ok(blank == (word == Keyword::IfBlank));
        }
        let [first, second] = arguments.as_slice() else {
            return Err(fault(span, "two texts are expected here").with_help("write `<text>, <text>`"));
        };
        let same = match word {
            Keyword::IfIdentical | Keyword::IfDifferent => first == second,
            _ => first.eq_ignore_ascii_case(second),
        };
        Ok(same == matches!(word, Keyword::IfIdentical | Keyword::IfIdenticalAnyCase))
    }
}
