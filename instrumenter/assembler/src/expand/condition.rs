//! Conditional assembly: which branches of the open conditionals are assembled.

use super::Expander;
use crate::diag::{Fault, Span, fault};
use crate::session::Session;
use crate::statement::{Answer, ConditionWord};

pub(crate) struct Condition {
    /// Whether lines are currently assembled.
    active: bool,
    /// Whether a branch has been taken, or none can be.
    taken: bool,
    /// Whether `else` has been read.
    otherwise: bool,
    pub(super) span: Span,
}

impl Expander {
    /// Whether the line stands in a conditional.
    pub(crate) fn is_conditional(&self) -> bool {
        !self.conditions.is_empty()
    }

    pub(crate) fn is_skipping(&self) -> bool {
        self.end_reached || self.conditions.last().is_some_and(|condition| !condition.active)
    }

    /// Whether the condition of an `elseif` at this point must be evaluated.
    pub(crate) fn asks_else_if(&self) -> bool {
        let asks = |condition: &Condition| !condition.active && !condition.taken && !condition.otherwise;
        !self.end_reached && self.conditions.last().is_some_and(asks)
    }

    /// Applies a conditional assembly directive.
    pub(crate) fn condition(&mut self, session: &mut Session, word: ConditionWord, span: Span) -> Result<(), Fault> {
        if let ConditionWord::If(answer) = word {
            return self.open_condition(session, answer, span);
        }
        let floor = self.frames.last().map_or(0, |frame| frame.conditions);
        if self.conditions.len() <= floor {
            let problem = match word {
                ConditionWord::EndIf => fault(span, "nothing to end: no conditional is open"),
                _ => fault(span, "alternative without a conditional"),
            };
            return Err(match self.conditions.last() {
                Some(outer) => {
                    let line = outer.span.line;
                    problem.with_help(format!(
                        "the conditional from line {line} was opened outside this macro"
                    ))
                }
                None => problem,
            });
        }
        let Some(condition) = self.conditions.last_mut() else {
            return Ok(());
        };
        let line = condition.span.line;
        let already = || {
            let message = format!("the last alternative of the conditional from line {line} has already begun");
            fault(span, message)
        };
        match word {
            ConditionWord::If(_) => {}
            ConditionWord::EndIf => {
                self.conditions.pop();
            }
            ConditionWord::Else | ConditionWord::ElseIf(_) if condition.otherwise => return Err(already()),
            ConditionWord::Else => {
                condition.otherwise = true;
                condition.active = !condition.taken;
                condition.taken = true;
            }
            ConditionWord::ElseIf(_) if condition.active => {
                // The lines up to here were assembled, so every later branch is skipped.
                condition.active = false;
            }
            ConditionWord::ElseIf(answer) => {
                if !condition.taken {
                    condition.active = answer == Answer::Holds;
                    condition.taken = answer != Answer::Fails;
                }
            }
        }
        Ok(())
    }

    fn open_condition(&mut self, session: &mut Session, answer: Answer, span: Span) -> Result<(), Fault> {
        self.conditions.push(Condition {
            active: answer == Answer::Holds,
            taken: answer != Answer::Fails,
            otherwise: false,
            span,
        });
        if self.conditions.len() > session.limits.conditions {
            session.stopped = true;
            return Err(fault(
                span,
                format!("conditions are nested deeper than {}", session.limits.conditions),
            ));
        }
        Ok(())
    }

    /// Sets the open conditionals aside while unrelated lines are read.
    pub(crate) fn take_conditions(&mut self) -> Vec<Condition> {
        std::mem::take(&mut self.conditions)
    }

    /// Restores conditionals that were set aside.
    pub(crate) fn restore_conditions(&mut self, conditions: Vec<Condition>) {
        self.conditions = conditions;
    }
}
