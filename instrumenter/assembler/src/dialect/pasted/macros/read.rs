//! What each statement does: it defines or calls a macro, repeats others, leaves some out, or stands for itself.

use super::super::clean::{self, Clean, Style};
use super::super::found::assignment;
use super::super::labels::{Parts, parts};
use super::super::word::{first_word, words};
use super::arguments::{self, Parameters, list, name, named, scrubbed};
use super::body::Values;
use super::condition::{self, Condition};
use super::frame::{Frame, Next, Passes, Source};
use super::item::Item;
use super::known::Known;
use super::{Expanded, Place, Told};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Reach;
use crate::lex::Edit;
use crate::names::NONE;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// A macro.
struct Macro {
    name: Rc<str>,
    parameters: Parameters,
    items: Rc<[Item]>,
}

/// What the statements that are being collected are for.
enum Head {
    Macro {
        name: String,
        parameters: Parameters,
    },
    Repeat {
        word: &'static str,
        values: Option<Values>,
        passes: Passes,
    },
}

struct Collecting {
    head: Head,
    items: Vec<Item>,
    depth: u32,
    span: Span,
    origin: u32,
    /// The number of frames that it began in.
    frames: usize,
}

impl Collecting {
    fn ends(&self) -> (&'static [&'static str], &'static str) {
        match self.head {
            Head::Macro { .. } => (&[".macro"], ".endm"),
            Head::Repeat { .. } => (&[".rept", ".irp", ".irpc"], ".endr"),
        }
    }
}

pub(super) struct Reading<'r> {
    reach: &'r mut dyn Reach,
    style: Style,
    frames: Vec<Frame>,
    conditions: Vec<Condition>,
    collecting: Option<Collecting>,
    macros: HashMap<String, Rc<Macro>>,
    known: Known,
    calls: u64,
    passes: u64,
    expanded: Expanded,
}

impl<'r> Reading<'r> {
    pub(super) fn new(lines: Vec<Clean>, style: Style, reach: &'r mut dyn Reach) -> Reading<'r> {
        Reading {
            reach,
            style,
            frames: vec![Frame::of_file(0, lines, NONE, 0)],
            conditions: Vec::new(),
            collecting: None,
            macros: HashMap::new(),
            known: Known::default(),
            calls: 0,
            passes: 0,
            expanded: Expanded::default(),
        }
    }

    pub(super) fn all(mut self) -> Result<Expanded, Told> {
        while let Some(frame) = self.frames.last_mut() {
            let origin = frame.origin;
            match frame.next(self.reach, &mut self.passes)? {
                Next::Again => {}
                Next::Over => self.leave()?,
                Next::Item(item) => self.statement(&item).map_err(|fault| (fault, origin))?,
            }
        }
        Ok(self.expanded)
    }

    fn origin(&self) -> u32 {
        self.frames.last().map_or(NONE, |frame| frame.origin)
    }

    /// Ends the innermost frame, in which nothing may be open.
    fn leave(&mut self) -> Result<(), Told> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if let Some(open) = self.collecting.take_if(|open| open.frames > self.frames.len()) {
            let (_, end) = open.ends();
            let message = format!("this is never closed: no `{end}` follows");
            return Err((fault(open.span, message), open.origin));
        }
        if let Some(open) = self.conditions.drain(frame.conditions..).next() {
            let message = "this condition is never closed: no `.endif` follows";
            return Err((fault(open.span, message), frame.origin));
        }
        Ok(())
    }

    fn statement(&mut self, item: &Item) -> Result<(), Fault> {
        let Parts { rest, .. } = parts(&item.text, 0..item.text.len());
        let (first, operands) = first_word(&item.text, rest.clone());
        let word = item.text[first].to_ascii_lowercase();
        if self.collecting.is_some() {
            return self.collect(item, &word);
        }
        let text = &item.text[operands];
        if condition::is_condition(&word) {
            return self.condition(item, &word, text);
        }
        if self.conditions.last().is_some_and(|open| !open.reads) {
            return Ok(());
        }
        if let Some((name, value)) = assignment(&item.text, rest.clone()) {
            let number = self.known.number(&item.text[value]).ok();
            self.known.define(&item.text[name], number);
            return self.emit(item, 0..item.text.len());
        }
        if let Some(known) = self.macros.get(&word).map(Rc::clone) {
            self.emit(item, 0..rest.start)?;
            return self.call(item, &known);
        }
        if self.directive(item, &word, text, &rest)? {
            return Ok(());
        }
        if matches!(&*word, ".comm" | ".lcomm")
            && let Some(name) = words(text, 0..text.len()).first()
        {
            self.known.define(&text[name.clone()], None);
        }
        self.emit(item, 0..item.text.len())
    }

    /// What a directive of macros does; `false` for other statements.
    fn directive(&mut self, item: &Item, word: &str, text: &str, rest: &Range<usize>) -> Result<bool, Fault> {
        let span = item.span();
        match word {
            ".macro" => {
                let (name, behind) = name(text);
                if name.is_empty() {
                    return Err(fault(span, "expected the name of a macro"));
                }
                let parameters = Parameters::of(behind).map_err(|why| fault(span, why))?;
                if self.macros.contains_key(&name.to_ascii_lowercase()) {
                    let message = format!("the macro `{name}` is already defined");
                    return Err(fault(span, message).with_help(format!("write `.purgem {name}` before it")));
                }
                let name = name.to_owned();
                self.begin(item, Head::Macro { name, parameters });
            }
            ".rept" | ".irp" | ".irpc" => {
                self.emit(item, 0..rest.start)?;
                let head = self.repeat(word, text).map_err(|why| fault(span, why))?;
                self.begin(item, head);
            }
            ".endm" => return Err(fault(span, "`.endm` without `.macro`")),
            ".endr" => return Err(fault(span, "`.endr` without `.rept`, `.irp` or `.irpc`")),
            ".exitm" => {
                let frame = self.frames.pop_if(|frame| !frame.is_file());
                let frame = frame.ok_or_else(|| fault(span, "`.exitm` outside macros and repeats"))?;
                self.conditions.truncate(frame.conditions);
            }
            ".purgem" => {
                for name in list(&scrubbed(text)) {
                    if self.macros.remove(&name.to_ascii_lowercase()).is_none() {
                        return Err(fault(span, format!("there is no macro `{name}` to purge")));
                    }
                }
            }
            ".include" => self.include(item, text)?,
            ".altmacro" => {
                let help = "write `\\name` for parameters, `\\@` for names of their own, and leave `.altmacro` out";
                return Err(
                    fault(span, "`.altmacro` has another notation of macros, which is not read").with_help(help),
                );
            }
            ".noaltmacro" => {}
            ".print" => {
                let what = format!("`.print {}`", text.trim());
                self.reach.session().note_ignored(what, span);
            }
            ".error" | ".err" => {
                let told = arguments::quoted(text.trim()).unwrap_or_default();
                let message = match told.is_empty() {
                    true => format!("`{word}` stops here"),
                    false => told,
                };
                return Err(fault(span, message));
            }
            ".warning" => {
                let told = arguments::quoted(text.trim()).unwrap_or_else(|| "`.warning` is met here".to_owned());
                let origin = self.origin();
                self.expanded.warnings.push((fault(span, told), origin));
            }
            ".end" => {
                self.frames.clear();
                self.conditions.clear();
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn repeat(&self, word: &str, text: &str) -> Result<Head, String> {
        if word == ".rept" {
            let count = u64::try_from(self.known.number(text)?).unwrap_or(0);
            return Ok(Head::Repeat {
                word: ".rept",
                values: None,
                passes: Passes::Count(count),
            });
        }
        let text = scrubbed(text);
        let (name, rest) = named(&text);
        if name.is_empty() {
            return Err("expected the name of a parameter".to_owned());
        }
        let (word, values) = match word {
            ".irp" => (".irp", list(rest)),
            _ => (".irpc", arguments::characters(rest)),
        };
        // Without any value it has one pass.
        let values = if values.is_empty() { vec![String::new()] } else { values };
        Ok(Head::Repeat {
            word,
            values: Some(Values {
                names: Rc::new([name.to_owned()]),
                texts: Vec::new(),
                number: self.calls,
            }),
            passes: Passes::Values(values.into_iter()),
        })
    }

    /// Begins to collect statements.
    fn begin(&mut self, item: &Item, head: Head) {
        self.collecting = Some(Collecting {
            head,
            items: Vec::new(),
            depth: 0,
            span: item.span(),
            origin: self.origin(),
            frames: self.frames.len(),
        });
    }

    fn collect(&mut self, item: &Item, word: &str) -> Result<(), Fault> {
        let Some(open) = &mut self.collecting else {
            return Ok(());
        };
        let (begins, end) = open.ends();
        if word == end && open.depth == 0 {
            return self.collected();
        }
        if begins.contains(&word) {
            open.depth += 1;
        } else if word == end {
            open.depth -= 1;
        }
        open.items.push(item.clone());
        self.reach.session().weigh(item.bytes(), item.span())
    }

    fn collected(&mut self) -> Result<(), Fault> {
        let Some(Collecting { head, items, span, .. }) = self.collecting.take() else {
            return Ok(());
        };
        match head {
            Head::Macro { name, parameters } => {
                self.reach.session().weigh(parameters.bytes(), span)?;
                let known = Macro {
                    name: name.as_str().into(),
                    parameters,
                    items: items.into(),
                };
                self.macros.insert(name.to_ascii_lowercase(), Rc::new(known));
                Ok(())
            }
            Head::Repeat { word, values, passes } => {
                let source = Source::Body {
                    items: items.into(),
                    next: 0,
                    values,
                    passes,
                    span,
                    name: word.into(),
                };
                let mut frame = self.frame(source, span)?;
                if frame.begin(self.reach, &mut self.passes)? {
                    self.frames.push(frame);
                }
                Ok(())
            }
        }
    }

    /// A frame within the innermost one.
    fn frame(&mut self, source: Source, span: Span) -> Result<Frame, Fault> {
        let most = self.reach.session().limits.macro_depth;
        if self.frames.len() > most {
            return Err(fault(span, format!("macros are nested deeper than {most}"))
                .with_label("infinite recursion?")
                .ending());
        }
        let origin = self.origin();
        Ok(Frame {
            source,
            origin,
            parent: origin,
            pass: 0,
            conditions: self.conditions.len(),
        })
    }

    fn call(&mut self, item: &Item, known: &Rc<Macro>) -> Result<(), Fault> {
        let span = item.span();
        let operands = |text: &str| text[first_word(text, parts(text, 0..text.len()).rest).1].to_owned();
        // Blanks that mean nothing go before anything stands for a parameter.
        let most = self.reach.session().limits.line;
        let within = self.frames.last().and_then(|frame| frame.scrubbed(most));
        let text = operands(&within.unwrap_or_else(|| scrubbed(&item.text)));
        let texts = known.parameters.bind(&text).map_err(|why| {
            fault(
                span,
                format!("the arguments do not fit the macro `{}`: {why}", known.name),
            )
        })?;
        let source = Source::Body {
            items: Rc::clone(&known.items),
            next: 0,
            values: Some(Values {
                names: Rc::clone(&known.parameters.names),
                texts,
                number: self.calls,
            }),
            passes: Passes::None,
            span,
            name: Rc::clone(&known.name),
        };
        self.calls += 1;
        let mut frame = self.frame(source, span)?;
        let session = self.reach.session();
        frame.origin = session.new_origin(Rc::clone(&known.name), 0, span, frame.parent);
        self.frames.push(frame);
        Ok(())
    }

    fn condition(&mut self, item: &Item, word: &str, text: &str) -> Result<(), Fault> {
        let span = item.span();
        let reads = self.conditions.last().is_none_or(|open| open.reads);
        let first = self.frames.last().map_or(0, |frame| frame.conditions);
        let holds = |text: &str, word: &str| condition::holds(word, text, &self.known).map_err(|why| fault(span, why));
        if condition::begins(word) {
            let most = self.reach.session().limits.conditions;
            if self.conditions.len() >= most {
                return Err(fault(span, format!("conditions are nested deeper than {most}")).ending());
            }
            let now = reads && holds(text, word)?;
            self.conditions.push(Condition {
                span,
                reads: now,
                is_done: now || !reads,
                has_else: false,
            });
            return Ok(());
        }
        if self.conditions.len() <= first {
            return Err(fault(span, format!("`{word}` without a condition before it")));
        }
        if matches!(word, ".endif" | ".endc") {
            self.conditions.pop();
            return Ok(());
        }
        let asks = self.conditions.last().is_some_and(|open| !open.is_done) && word == ".elseif";
        let now = asks && holds(text, ".if")?;
        let Some(open) = self.conditions.last_mut() else {
            return Ok(());
        };
        if open.has_else {
            return Err(fault(span, format!("`{word}` after the `.else` of the same condition")));
        }
        open.has_else = word != ".elseif";
        open.reads = !open.is_done && (open.has_else || now);
        open.is_done |= open.reads;
        Ok(())
    }

    fn include(&mut self, item: &Item, text: &str) -> Result<(), Fault> {
        let span = item.span();
        let name = arguments::quoted(text.trim())
            .ok_or_else(|| fault(span, "expected the name of a file in quotation marks"))?;
        let depth = self.frames.iter().filter(|frame| frame.is_file()).count();
        let Some((index, text)) = self.reach.include(&name, depth, span)? else {
            return Ok(());
        };
        let lines = clean::clean(&text, self.style);
        self.reach.session().weigh(2 * text.len(), span)?;
        let frame = Frame::of_file(index, lines, self.origin(), self.conditions.len());
        self.frames.push(frame);
        Ok(())
    }

    /// Gives the first part of a statement to the readers of this notation.
    fn emit(&mut self, item: &Item, part: Range<usize>) -> Result<(), Fault> {
        let text = item.text[part].trim_end();
        if text.is_empty() {
            return Ok(());
        }
        for label in parts(text, 0..text.len()).labels {
            self.known.define(&text[label], None);
        }
        /// What a line takes with those that are made of it.
        const LINE: usize = 512;
        self.reach.session().weigh(LINE + 4 * text.len(), item.span())?;
        // A blank at the start stands for what is before the statement.
        let mut edits = vec![Edit {
            made: 0..1,
            source: 0..item.source.start,
        }];
        edits.extend(item.edits.iter().map(|edit| Edit {
            made: edit.made.start + 1..edit.made.end + 1,
            source: edit.source.clone(),
        }));
        let Expanded { lines, places, .. } = &mut self.expanded;
        places.push(Place {
            file: item.file,
            number: item.number,
            origin: self.frames.last().map_or(NONE, |frame| frame.origin),
            edits,
        });
        lines.push(Clean {
            number: places.len() as u32,
            text: format!(" {text}"),
            statements: std::iter::once(1..1 + text.len()).collect(),
        });
        Ok(())
    }
}
