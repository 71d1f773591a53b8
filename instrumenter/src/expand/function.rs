//! Text within a line: calls of macro functions and of the built-in text functions, and the text directives.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::Type;
use crate::diag::Span;
use crate::dialect::masm::pasted;
use crate::expand::Line;
use crate::expand::argument::{angle_literal, one_argument};
use crate::expr::Cursor;
use crate::lex::{Kind, Token, comment_start};
use crate::names::{Keyword, NONE, NameId, keyword};
use crate::symbols::Definition;

/// Macro functions within macro functions: each level takes some of the host's stack.
const MOST_NESTED: u32 = 40;

/// The built-in text functions.
#[derive(Clone, Copy)]
enum TextFunction {
    Join,
    Part,
    Position,
    Length,
}

fn built_in(name: &str) -> Option<TextFunction> {
    match name {
        "@catstr" => Some(TextFunction::Join),
        "@substr" => Some(TextFunction::Part),
        "@instr" => Some(TextFunction::Position),
        "@sizestr" => Some(TextFunction::Length),
        _ => None,
    }
}

impl Assembler<'_> {
    /// Makes the built-in text functions known.
    pub(crate) fn predefine_functions(&mut self) {
        for name in ["@catstr", "@substr", "@instr", "@sizestr"] {
            let id = self.names.intern(name);
            self.names.info_mut(id).function = true;
        }
    }

    /// The line with its last call of a function replaced by what that returns: inner calls come before outer ones.
    pub(crate) fn function_call(&mut self, line: &Line, tokens: &[Token]) -> Result<Option<Line>, Fault> {
        let word_at = |place: usize| match tokens.get(place).map(|token| token.kind) {
            Some(Kind::Name(name)) => Some(name),
            _ => None,
        };
        let defines = word_at(1).and_then(keyword) == Some(Keyword::Macro);
        let untouched = matches!(
            word_at(0).and_then(keyword),
            Some(Keyword::Comment | Keyword::Include | Keyword::Tolerated | Keyword::Purge | Keyword::Echo)
        );
        if defines || untouched {
            return Ok(None);
        }
        for (place, token) in tokens.iter().enumerate().rev() {
            let Kind::Name(name) = token.kind else { continue };
            let opens = matches!(tokens.get(place + 1).map(|token| token.kind), Some(Kind::Mark(b'(')));
            if !opens || !self.names.info(name).function {
                continue;
            }
            let Some(open) = tokens.get(place + 1) else { continue };
            let span = line.span(token.start, token.end);
            let Some(inside) = parenthesised(line.text.get(open.end as usize..).unwrap_or("")) else {
                return Err(fault(span, "`)` is expected behind the arguments")
                    .with_label("the call of this function is not closed"));
            };
            let result = self.called(name, inside, span)?;
            let end = open.end as usize + inside.len() + 1;
            return Ok(pasted(line, token.start as usize, end, &result));
        }
        Ok(None)
    }

    /// What a function returns for the arguments in `text`.
    fn called(&mut self, name: NameId, text: &str, span: Span) -> Result<String, Fault> {
        if self.names.info(name).body == NONE {
            let Some(function) = built_in(self.names.text(name)) else {
                return Ok(String::new());
            };
            return self.text_function(function, text, span);
        }
        if self.function_depth >= MOST_NESTED {
            let problem = fault(span, format!("macro functions are nested more than {MOST_NESTED} deep"))
                .with_label("does it call itself without end?");
            self.give_up(problem);
            return Ok(String::new());
        }
        let floor = self.frames.len();
        let outer = self.origin;
        self.enter_macro(name, text, span)?;
        self.function_depth += 1;
        self.function_result = None;
        self.read_above(floor);
        self.function_depth -= 1;
        self.origin = outer;
        Ok(self.function_result.take().unwrap_or_default())
    }

    fn text_function(&mut self, function: TextFunction, text: &str, span: Span) -> Result<String, Fault> {
        match function {
            TextFunction::Join => self.text_items(text, span).map(|items| items.concat()),
            TextFunction::Part => self.part(text, span),
            TextFunction::Position => self.position(text, span).map(|number| number.to_string()),
            TextFunction::Length => {
                let items = self.text_items(text, span)?;
                Ok(items.first().map_or(0, |item| item.chars().count()).to_string())
            }
        }
    }

    /// The texts a list names: `<literal>`, `%expression`, the name of a text, or else the words as they stand.
    pub(crate) fn text_items(&mut self, text: &str, span: Span) -> Result<Vec<String>, Fault> {
        let mut items = Vec::new();
        let mut rest = text.trim();
        let mut total = 0;
        while !rest.is_empty() {
            let literal = rest.starts_with('<') && angle_literal(rest).is_some();
            let (argument, after) = one_argument(rest);
            let item = match argument.strip_prefix('%') {
                Some(expression) if !literal => self.expanded_expression(expression, span)?,
                _ if literal => argument,
                _ => {
                    let word = argument.trim();
                    let name = self.names.intern(word);
                    match self.texts.get(self.names.info(name).text as usize) {
                        Some(known) => known.text.clone(),
                        None => word.to_owned(),
                    }
                }
            };
            total += item.len();
            items.push(item);
            if total > self.limits.line {
                return Err(fault(
                    span,
                    format!("the text is longer than {} KiB", self.limits.line >> 10),
                ));
            }
            rest = match after.trim_start().strip_prefix(',') {
                Some(next) => next.trim_start(),
                None => "",
            };
        }
        Ok(items)
    }

    /// `text, start [, length]`: a part of a text; the first character has number 1.
    fn part(&mut self, text: &str, span: Span) -> Result<String, Fault> {
        let (_, after) = one_argument(text.trim_start());
        let whole = self.text_items(text, span)?.into_iter().next().unwrap_or_default();
        let mut numbers = after.trim_start().trim_start_matches(',').splitn(2, ',');
        let start = self.number_in(numbers.next().unwrap_or(""), span)?;
        let available = whole.chars().count();
        let Some(skipped) = usize::try_from(start)
            .ok()
            .and_then(|start| start.checked_sub(1))
            .filter(|&skipped| skipped <= available)
        else {
            return Err(fault(
                span,
                format!("the text has {available} characters, none is number {start}"),
            )
            .with_help("the first character is number 1"));
        };
        let length = match numbers.next() {
            Some(length) => self.number_in(length, span)?,
            None => available as i64,
        };
        let Ok(length) = usize::try_from(length) else {
            return Err(fault(span, format!("{length} is no number of characters")));
        };
        Ok(whole.chars().skip(skipped).take(length).collect())
    }

    /// `[start,] text, part`: where the part begins in the text, or 0.
    fn position(&mut self, text: &str, span: Span) -> Result<i64, Fault> {
        let mut items = self.text_items(text, span)?;
        let mut start = 1;
        if items.len() == 3 {
            start = self.number_in(&items.remove(0), span)?;
        }
        let [whole, part] = items.as_slice() else {
            return Err(fault(span, "a text and the part to look for are expected")
                .with_help("write `<text>, <part>`, or `start, <text>, <part>`"));
        };
        let skipped = usize::try_from(start)
            .ok()
            .and_then(|start| start.checked_sub(1))
            .unwrap_or(0);
        let Some((from, _)) = whole.char_indices().chain([(whole.len(), ' ')]).nth(skipped) else {
            return Ok(0);
        };
        let found = whole.get(from..).and_then(|rest| rest.find(part.as_str()));
        Ok(found.map_or(0, |at| whole[..from + at].chars().count() as i64 + 1))
    }

    /// `name substr text, start, length` and its kin.
    pub(crate) fn text_directive(
        &mut self,
        word: Keyword,
        name: NameId,
        spelled: &str,
        cursor: &mut Cursor,
        span: Span,
    ) -> Result<(), Fault> {
        let raw = cursor.raw_rest();
        let raw = if cursor.done() {
            ""
        } else {
            raw[..comment_start(raw)].trim()
        };
        let function = match word {
            Keyword::SubString => TextFunction::Part,
            Keyword::InString => TextFunction::Position,
            Keyword::SizeString => TextFunction::Length,
            _ => TextFunction::Join,
        };
        let text = self.text_function(function, raw, span)?;
        if matches!(function, TextFunction::Join | TextFunction::Part) {
            return self.text_equate(name, spelled, text, span);
        }
        let number = text.parse().unwrap_or(0);
        if let Some(index) = self.define(name, spelled, Definition::Number(number), Type::None, span)?
            && let Some(symbol) = self.symbols.get_mut(index as usize)
        {
            symbol.redefinable = true;
        }
        Ok(())
    }
}

/// What stands before the parenthesis that closes the one just opened.
fn parenthesised(text: &str) -> Option<&str> {
    let mut depth = 0u32;
    let mut angles = 0u32;
    let mut quote = 0u8;
    let mut escaped = false;
    for (at, &byte) in text.as_bytes().iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'!' if angles > 0 => escaped = true,
            _ if quote != 0 => quote = if byte == quote { 0 } else { quote },
            b'\'' | b'"' if angles == 0 => quote = byte,
            b'<' => angles += 1,
            b'>' => angles = angles.saturating_sub(1),
            b'(' if angles == 0 => depth += 1,
            b')' if angles == 0 => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return text.get(..at),
            },
            _ => {}
        }
    }
    None
}
