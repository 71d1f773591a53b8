//! The lines of a macro or repeat, split into text and parameters once and joined again in each expansion.

use super::{Expander, Reader};
use crate::diag::{Fault, Span, fault};
use crate::lex::{Column, Line};
use crate::names::{NONE, NameId};
use crate::session::{ALLOCATION, Session};
use crate::spelling::nearest;
use crate::statement::{Head, Named, Parameter, Signature};
use std::rc::Rc;

/// A line as written in its file.
pub(crate) struct KeptLine {
    pub(crate) text: String,
    pub(crate) file: u32,
    pub(crate) number: u32,
}

/// The lines of a body, with what began it.
pub(crate) struct Collected {
    pub(crate) head: Head,
    pub(crate) lines: Vec<KeptLine>,
    /// The reader of the file or body that contains the lines.
    pub(crate) reader: Reader,
    pub(crate) span: Span,
}

pub(crate) struct Body {
    pub(crate) name: NameId,
    pub(crate) spelled: Rc<str>,
    pub(crate) text: String,
    pub(crate) lines: Vec<BodyLine>,
    pub(crate) pieces: Vec<Piece>,
    pub(crate) parameters: Vec<Parameter>,
    /// The number of local names created in each expansion; they follow the parameters.
    pub(crate) locals: u32,
    /// The labels, each with the line after it.
    pub(crate) labels: Vec<(NameId, usize)>,
    /// Whether the macro returns a value and can be called within a line.
    pub(crate) function: bool,
    /// Whether the first parameter is a name that a line of the body defines.
    pub(crate) defines: bool,
    /// Whether its lines are read as they are written, and ask for the arguments then.
    pub(crate) as_written: bool,
    /// The reader of the file that contains the body.
    pub(crate) reader: Reader,
    pub(crate) span: Span,
}

pub(crate) struct BodyLine {
    /// The first piece of the line.
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) file: u32,
    pub(crate) number: u32,
}

#[derive(Clone, Copy)]
pub(crate) enum Piece {
    /// A range of the body's text and its column.
    Text { start: u32, end: u32, column: u32 },
    /// A parameter or local name and its columns.
    Parameter { index: u32, column: u32, end: u32 },
}

impl Body {
    /// An empty body for collected lines.
    pub(crate) fn new(signature: Signature, kept: &Collected) -> Body {
        Body {
            name: signature.name,
            spelled: Rc::from(signature.spelled),
            text: String::new(),
            lines: Vec::new(),
            pieces: Vec::new(),
            parameters: signature.parameters,
            locals: 0,
            labels: Vec::new(),
            function: false,
            defines: false,
            as_written: false,
            reader: kept.reader,
            span: kept.span,
        }
    }

    /// The bytes of memory that it takes.
    pub(super) fn bytes(&self) -> usize {
        let parameters = self.parameters.iter().map(|parameter| {
            let default = parameter
                .default
                .as_ref()
                .map_or(0, |default| default.len() + ALLOCATION);
            size_of::<Parameter>() + ALLOCATION + parameter.spelled.len() + default
        });
        size_of::<Body>()
            + 3 * ALLOCATION
            + self.spelled.len()
            + self.text.len()
            + self.lines.len() * size_of::<BodyLine>()
            + self.pieces.len() * size_of::<Piece>()
            + self.labels.len() * size_of::<(NameId, usize)>()
            + parameters.sum::<usize>()
    }

    /// Builds a line from its pieces; it is incomplete once it is longer than `most` bytes.
    pub(super) fn fill(&self, line: &mut Line, row: &BodyLine, arguments: &[String], most: usize) {
        let pieces = self.pieces.get(row.first as usize..row.last as usize).unwrap_or(&[]);
        let as_it_stands = matches!(pieces, [] | [Piece::Text { column: 0, .. }]);
        for piece in pieces {
            if line.text.len() > most {
                return;
            }
            let made = line.text.len() as u32;
            match *piece {
                Piece::Text { start, end, column } => {
                    let text = self.text.get(start as usize..end as usize).unwrap_or("");
                    line.text.push_str(text);
                    if !as_it_stands {
                        line.columns.push(Column {
                            made,
                            start: column,
                            end: column + (end - start),
                            line: line.number,
                            copied: true,
                        });
                    }
                }
                Piece::Parameter { index, column, end } => {
                    line.text
                        .push_str(arguments.get(index as usize).map_or("", String::as_str));
                    line.columns.push(Column {
                        made,
                        start: column,
                        end,
                        line: line.number,
                        copied: false,
                    });
                }
            }
        }
    }

    /// The parameters of the macro, in words.
    fn usage(&self) -> String {
        let spelled = &self.spelled;
        let parameters: Vec<String> = self
            .parameters
            .iter()
            .map(|parameter| match parameter.required {
                true => format!("`{}`", parameter.spelled),
                false => format!("`{}` (optional)", parameter.spelled),
            })
            .collect();
        match parameters.as_slice() {
            [] => format!("`{spelled}` takes no arguments"),
            [one] => format!("`{spelled}` takes one argument: {one}"),
            several => format!("`{spelled}` takes {}", several.join(", ")),
        }
    }

    /// Matches the arguments of a call to the parameters.
    pub(crate) fn bind(&self, session: &mut Session, arguments: &mut Vec<String>, span: Span) -> Result<(), Fault> {
        if self.as_written {
            return Ok(());
        }
        let count = self.parameters.len();
        if self.parameters.last().is_some_and(|parameter| parameter.variable) {
            if arguments.len() > count {
                let rest = arguments.split_off(count - 1).join(",");
                arguments.push(rest);
            }
        } else if arguments.len() > count {
            let (spelled, found) = (&self.spelled, arguments.len());
            let message = format!("too many arguments for `{spelled}`: expected {count}, found {found}");
            session.warn(fault(span, message).with_help(self.usage()));
            arguments.truncate(count);
        }
        arguments.resize(count, String::new());
        for (argument, parameter) in arguments.iter_mut().zip(&self.parameters) {
            if !argument.is_empty() {
                continue;
            }
            if let Some(default) = &parameter.default {
                argument.clone_from(default);
            } else if parameter.required {
                let message = format!(
                    "macro `{}` requires an argument for `{}`",
                    self.spelled, parameter.spelled
                );
                return Err(fault(span, message).with_help(self.usage()));
            }
        }
        Ok(())
    }
}

impl Expander {
    pub(crate) fn macro_of(&self, session: &Session, name: NameId) -> Option<&Rc<Body>> {
        self.bodies.get(session.names.info(name).body as usize)
    }

    /// Defines a macro; the user's macro takes precedence over the library's in either order.
    pub(crate) fn define_macro(&mut self, session: &mut Session, body: Body) {
        let (name, library) = (body.name, body.reader.library);
        let known = *session.names.info(name);
        if known.body != NONE && library && !known.body_of_library {
            return;
        }
        if known.of_command_line && !library {
            let message = format!("the command line defines `{}`", body.spelled);
            session.report(fault(body.span, message).with_help("drop one of the two, or give the macro another name"));
            return;
        }
        if self.bodies.len() >= session.limits.symbols {
            let message = format!("more than {} macros defined", session.limits.symbols);
            session.give_up(fault(body.span, message));
            return;
        }
        let info = session.names.info_mut(name);
        if info.text != NONE && info.text_of_library && !library {
            info.text = NONE;
        }
        info.body = self.bodies.len() as u32;
        info.body_of_library = library;
        info.function = body.function;
        self.kept += body.bytes();
        self.bodies.push(Rc::new(body));
    }

    pub(crate) fn purge(&mut self, session: &mut Session, macros: &[Named<'_>]) -> Result<(), Fault> {
        for named in macros {
            if session.names.info(named.name).body == NONE {
                return Err(fault(named.span, format!("undefined macro `{}`", named.spelled)));
            }
            let info = session.names.info_mut(named.name);
            info.body = NONE;
            info.function = false;
        }
        Ok(())
    }

    /// The macro with the name closest to `name`.
    pub(crate) fn nearest_macro(&self, session: &Session, name: &str) -> Option<&str> {
        if !session.suggests_among(self.bodies.len()) {
            return None;
        }
        let known = self
            .bodies
            .iter()
            .filter(|body| session.names.info(body.name).body != NONE);
        nearest(name, known.map(|body| &*body.spelled))
    }
}
