//! Which statement comes next: files, macro calls and repeats, innermost last.

use super::super::clean::Clean;
use super::Told;
use super::arguments::scrubbed;
use super::body::Values;
use super::item::Item;
use crate::diag::{Fault, Span, fault};
use crate::dialect::Reach;
use std::rc::Rc;

/// What a frame reads.
pub(super) enum Source {
    File {
        index: u32,
        lines: std::vec::IntoIter<Clean>,
        line: Option<Clean>,
        statement: usize,
    },
    Body {
        items: Rc<[Item]>,
        next: usize,
        values: Option<Values>,
        passes: Passes,
        /// Where it is called, or repeated.
        span: Span,
        /// What it is called in the steps of its passes.
        name: Rc<str>,
    },
}

/// The passes of a body that are to come.
pub(super) enum Passes {
    None,
    Count(u64),
    /// The values of its parameter.
    Values(std::vec::IntoIter<String>),
}

pub(super) struct Frame {
    pub(super) source: Source,
    /// The origin of its statements.
    pub(super) origin: u32,
    /// That of the statement from which it comes.
    pub(super) parent: u32,
    pub(super) pass: u32,
    /// The number of conditions that were open when it began.
    pub(super) conditions: usize,
}

/// The next statement of a frame.
pub(super) enum Next {
    Item(Item),
    /// The same frame begins anew, or has no more of a line.
    Again,
    Over,
}

impl Frame {
    pub(super) fn of_file(index: u32, lines: Vec<Clean>, origin: u32, conditions: usize) -> Frame {
        Frame {
            source: Source::File {
                index,
                lines: lines.into_iter(),
                line: None,
                statement: 0,
            },
            origin,
            parent: origin,
            pass: 0,
            conditions,
        }
    }

    pub(super) fn is_file(&self) -> bool {
        matches!(self.source, Source::File { .. })
    }

    /// The last statement of a body in which something stands for parameters, without needless blanks before it does.
    pub(super) fn scrubbed(&self, most: usize) -> Option<String> {
        let Source::Body {
            items,
            next,
            values: Some(values),
            ..
        } = &self.source
        else {
            return None;
        };
        let text = scrubbed(&items.get(next.checked_sub(1)?)?.text);
        Some(match values.in_text(&text, most) {
            Some((text, _)) => text,
            None => text,
        })
    }

    /// The next statement, with what stands for parameters in it; counts those of bodies.
    pub(super) fn next(&mut self, reach: &mut dyn Reach, passes: &mut u64) -> Result<Next, Told> {
        let origin = self.origin;
        match &mut self.source {
            Source::File {
                index,
                lines,
                line,
                statement,
            } => {
                let Some(known) = line else {
                    *statement = 0;
                    *line = lines.next();
                    return Ok(if line.is_some() { Next::Again } else { Next::Over });
                };
                let Some(part) = known.statements.get(*statement).cloned() else {
                    *line = None;
                    return Ok(Next::Again);
                };
                *statement += 1;
                Ok(Next::Item(Item {
                    file: *index,
                    number: known.number,
                    text: known.text[part.clone()].into(),
                    source: part,
                    edits: Rc::new([]),
                }))
            }
            Source::Body {
                items, next, values, ..
            } => {
                let Some(item) = items.get(*next) else {
                    let begun = self.begin(reach, passes).map_err(|fault| (fault, origin))?;
                    return Ok(if begun { Next::Again } else { Next::Over });
                };
                *next += 1;
                let most = reach.session().limits.line;
                let made = values.as_ref().and_then(|values| values.in_item(item, most));
                let item = made.unwrap_or_else(|| item.clone());
                let span = item.span();
                if item.text.len() > most {
                    let message = format!("expanded line longer than {} KiB", most >> 10);
                    return Err((fault(span, message).ending(), origin));
                }
                let counted = reach.count_line(span);
                let counted = counted.and_then(|()| reach.session().count_text(item.text.len(), span));
                counted.map_err(|fault| (fault, origin))?;
                Ok(Next::Item(item))
            }
        }
    }

    /// Begins the next pass of a body; whether there is one.
    pub(super) fn begin(&mut self, reach: &mut dyn Reach, made: &mut u64) -> Result<bool, Fault> {
        let Source::Body {
            items,
            next,
            values,
            passes,
            span,
            name,
        } = &mut self.source
        else {
            return Ok(false);
        };
        match passes {
            Passes::None => return Ok(false),
            Passes::Count(0) => return Ok(false),
            Passes::Count(left) => *left -= 1,
            Passes::Values(left) => {
                let Some(value) = left.next() else { return Ok(false) };
                if let Some(values) = values {
                    values.texts = vec![value];
                }
            }
        }
        if items.is_empty() {
            return Ok(false);
        }
        self.pass += 1;
        *made += 1;
        let limits = reach.session().limits;
        if u64::from(self.pass) > limits.repeats {
            return Err(fault(*span, format!("loop repeats more than {} times", limits.repeats)).ending());
        }
        if *made > limits.all_repeats {
            let message = format!("all repeats together make more than {} passes", limits.all_repeats);
            return Err(fault(*span, message).ending());
        }
        *next = 0;
        self.origin = reach
            .session()
            .new_origin(Rc::clone(name), self.pass, *span, self.parent);
        Ok(true)
    }
}
