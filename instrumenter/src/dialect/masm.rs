//! MASM and TASM lines: what kind of statement a line is, which depends on what its names mean.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::Type;
use crate::diag::Span;
use crate::dialect::words::{defines_behind, defining, is_listing_control, prefix, takes_names};
use crate::expand::{Column, Line, condition};
use crate::expr::Cursor;
use crate::lex::{Kind, Token, comment_start, lex};
use crate::names::{Keyword, NONE, NameId, keyword};
use crate::select;
use crate::symbols::Definition;

/// How often text may stand for text within one line.
const MOST_SUBSTITUTIONS: u32 = 64;

impl Assembler<'_> {
    /// Assembles one line that is not skipped and not part of a body.
    pub(crate) fn prepared_line(&mut self, line: &mut Line, tokens: &mut Vec<Token>) {
        if self.substitutes(tokens) {
            let mut rounds = 0;
            loop {
                let pasted = match self.function_call(line, tokens) {
                    Ok(None) => self.substituted(line, tokens),
                    Ok(pasted) => pasted,
                    Err(problem) => {
                        self.report(problem);
                        return;
                    }
                };
                let Some(pasted) = pasted else { break };
                if self.stopped {
                    return;
                }
                rounds += 1;
                if rounds > MOST_SUBSTITUTIONS || pasted.text.len() > self.limits.line {
                    let span = line.span(0, line.text.len() as u32);
                    self.report(fault(span, "the texts in this line stand for each other without end"));
                    return;
                }
                *line = pasted;
                lex(&line.text, self.radix, &mut self.names, tokens);
            }
        }
        let mut cursor = Cursor { line, tokens, at: 0 };
        if let Err(problem) = self.statement(&mut cursor) {
            self.report(problem);
        }
    }

    /// Whether any word of the line stands for text or calls the library in; most lines have none.
    fn substitutes(&mut self, tokens: &[Token]) -> bool {
        let mut text = false;
        for token in tokens {
            if let Kind::Name(name) = token.kind {
                let info = self.names.info(name);
                if info.library && !self.in_library {
                    self.meet_library_name(name, tokens);
                }
                let info = self.names.info(name);
                text |= info.text != NONE || info.function;
            }
        }
        text
    }

    /// The line with the first text name in it replaced, or `None` if there is none to replace.
    fn substituted(&mut self, line: &Line, tokens: &[Token]) -> Option<Line> {
        let name_at = |place: usize| match tokens.get(place) {
            Some(Token {
                kind: Kind::Name(name), ..
            }) => Some(*name),
            _ => None,
        };
        if matches!(tokens.first().map(|token| token.kind), Some(Kind::Mark(b'%'))) {
            return self.substituted_from(line, tokens, 1);
        }
        let first = name_at(0)?;
        let second = name_at(1).and_then(keyword);
        let from = match (keyword(first), second) {
            (Some(Keyword::Macro), _) | (_, Some(Keyword::Macro)) => return None,
            (
                _,
                Some(Keyword::Equ | Keyword::TextEqu | Keyword::SubString | Keyword::InString | Keyword::SizeString),
            ) => return None,
            (
                Some(
                    Keyword::Purge
                    | Keyword::Echo
                    | Keyword::Comment
                    | Keyword::Include
                    | Keyword::Tolerated
                    | Keyword::Error
                    | Keyword::ErrorIf(_)
                    | Keyword::ExitMacro
                    | Keyword::GoTo
                    | Keyword::For
                    | Keyword::ForCharacter,
                ),
                _,
            ) => return None,
            (Some(word), _) if condition::takes_text(word) => return None,
            _ if matches!(tokens.get(1).map(|token| token.kind), Some(Kind::Mark(b'='))) => 2,
            _ if name_at(statement_start(tokens)).is_some_and(|name| self.names.info(name).body != NONE) => {
                return None;
            }
            _ => 0,
        };
        self.substituted_from(line, tokens, from)
    }

    fn substituted_from(&self, line: &Line, tokens: &[Token], from: usize) -> Option<Line> {
        for (place, token) in tokens.iter().enumerate().skip(from) {
            let Kind::Name(name) = token.kind else {
                continue;
            };
            let Some(known) = self.texts.get(self.names.info(name).text as usize) else {
                continue;
            };
            // The library's one-letter names are only whole statements: `s` and `e` are too short to take away.
            if known.library && !self.in_library && !(place == statement_start(tokens) && alone(tokens)) {
                continue;
            }
            return pasted(line, token.start as usize, token.end as usize, &known.text);
        }
        None
    }

    /// One statement, with the labels in front of it.
    fn statement(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        loop {
            let Some(token) = cursor.peek() else {
                return Ok(());
            };
            let span = cursor.span(token);
            let Kind::Name(name) = token.kind else {
                return match token.kind {
                    Kind::Bad(why) => Err(fault(span, why)),
                    Kind::Mark(b'%') => {
                        cursor.at += 1;
                        // `%nolist` and its like say how to print.
                        if second_name(cursor).is_some_and(|name| is_listing_control(self.names.text(name))) {
                            return Ok(());
                        }
                        continue;
                    }
                    _ => Err(fault(span, "a statement cannot begin with this")
                        .with_help("a line is `label: instruction operands`, a directive or a macro call")),
                };
            };
            let word = keyword(name);
            let second = cursor.peek_second();
            let second_kind = second.map(|token| token.kind);
            if second_kind == Some(Kind::Mark(b':')) && word.is_none_or(|word| !condition::concerns(word)) {
                cursor.at += 2;
                let global = cursor.eat(b':');
                self.label(name, cursor.text(token), span, global)?;
                continue;
            }
            let info = *self.names.info(name);
            if second_kind == Some(Kind::Mark(b'=')) {
                cursor.at += 2;
                return self.assign(name, cursor.text(token), cursor, span);
            }
            if let (true, Some(word), Some(Kind::Name(defined))) = (self.ideal, word, second_kind)
                && defines_behind(word)
                && let Some(spelled) = second.map(|token| cursor.text(token))
            {
                cursor.at += 2;
                return self.definition(defined, spelled, name, cursor, span);
            }
            if let Some(Kind::Name(second)) = second_kind {
                let second_word = keyword(second);
                let defines = match (word, second_word) {
                    (_, Some(Keyword::Macro)) => true,
                    (Some(word), _) if takes_names(word) => false,
                    (Some(word), _) if prefix(word).is_some() => false,
                    // `inc byte ptr ...`, `call proc`: an instruction with an operand, not a name being defined.
                    (_, Some(Keyword::TypeOfSize(_) | Keyword::Proc)) if info.mnemonic => false,
                    (_, Some(second)) => defining(second),
                    (Some(_), None) => false,
                    (None, None) => {
                        let structure = self.names.info(second).structure;
                        structure != NONE && info.body == NONE && !info.mnemonic
                    }
                };
                if defines && (info.body == NONE || second_word == Some(Keyword::Macro)) {
                    cursor.at += 2;
                    return self.definition(name, cursor.text(token), second, cursor, span);
                }
            }
            cursor.at += 1;
            if info.body != NONE {
                return self.call_macro(name, cursor, span);
            }
            if info.mnemonic || word.is_some_and(|word| prefix(word).is_some()) {
                if self.tasm_shorthand(name, cursor, span)? {
                    return Ok(());
                }
                cursor.at -= 1;
                return self.instruction(cursor);
            }
            if let Some(word) = word {
                return self.directive(word, cursor, span, token);
            }
            if info.structure != NONE {
                return self.structure_data(None, info.structure, cursor, span);
            }
            return Err(self.no_statement(name, cursor, span));
        }
    }

    fn no_statement(&self, name: NameId, cursor: &Cursor, span: Span) -> Fault {
        let text = self.names.text(name);
        let near = self
            .nearest_macro(text)
            .or_else(|| select::nearest_mnemonic(text))
            .map(str::to_owned);
        let fault = fault(
            span,
            format!("`{text}` is neither an instruction nor a directive nor a macro"),
        );
        if let Some(near) = near {
            return fault.with_help(format!("did you mean `{near}`?"));
        }
        if cursor.done() {
            return fault.with_help(format!("a label needs a colon: `{text}:`"));
        }
        fault
    }

    /// `name:`, or `name::` if it is `global`.
    pub(crate) fn label(&mut self, name: NameId, spelled: &str, span: Span, global: bool) -> Result<(), Fault> {
        self.enter_procedure()?;
        let location = self.location();
        if self.names.text(name) == "@@" {
            self.anonymous_labels += 1;
            let unique = self.names.intern(&format!("@@ {}", self.anonymous_labels));
            self.define(unique, "@@", Definition::Address(location), Type::Near, span)?;
            return Ok(());
        }
        let scoped = self.scoped(name);
        if scoped == name && self.scoped_locals && !spelled.starts_with("??") {
            self.scope += 1;
        }
        // Names with a scope of their own need no procedure's.
        self.define_label(scoped, spelled, location, span, global || scoped != name)
    }

    /// `name = expression`.
    fn assign(&mut self, name: NameId, spelled: &str, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let back = self.enter_snippet_data();
        let number = self.constant(cursor);
        self.current = back;
        let number = number?;
        self.expect_end(cursor)?;
        if let Some(index) = self.define(name, spelled, Definition::Number(number), Type::None, span)? {
            self.symbols[index as usize].redefinable = true;
        }
        Ok(())
    }

    /// Behind named data of a snippet `$` is the end of that data; returns the segment to come back to.
    fn enter_snippet_data(&mut self) -> u32 {
        let back = self.current;
        if self.after_data && self.snippet && !self.in_library {
            self.current = self.segment("_DATA", crate::layout::SegmentKind::Data);
        }
        back
    }

    /// `name equ text or expression`.
    pub(crate) fn equate(&mut self, name: NameId, spelled: &str, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let raw = cursor.raw_rest();
        let raw = if cursor.done() {
            ""
        } else {
            raw[..comment_start(raw)].trim()
        };
        if raw.starts_with('<') {
            let text = crate::expand::argument::angle_literal(raw).map_or_else(|| raw.to_owned(), |(text, _)| text);
            return self.text_equate(name, spelled, text, span);
        }
        let user_text =
            |info: u32, texts: &[crate::symbols::TextMacro]| texts.get(info as usize).is_some_and(|text| !text.library);
        if user_text(self.names.info(name).text, &self.texts) {
            return self.text_equate(name, spelled, raw.to_owned(), span);
        }
        let mark = self.expressions.mark();
        let start = cursor.at;
        let single = cursor.tokens.len() - start == 1;
        if let (true, Some((target, _))) = (single, cursor.name()) {
            let info = *self.names.info(target);
            let symbol = self.symbols.get(info.symbol as usize);
            let known = symbol.is_some_and(|symbol| symbol.definition != Definition::Undefined);
            let text = info.text != NONE;
            if !known || text || info.body != NONE {
                return self.text_equate(name, spelled, raw.to_owned(), span);
            }
        }
        cursor.at = start;
        let back = self.enter_snippet_data();
        let parsed = self.expression(cursor).and_then(|id| Ok((id, self.evaluate(id)?)));
        self.current = back;
        match parsed {
            Ok((id, value)) if cursor.done() && value.selector == NONE => {
                let plain = value.is_number() && !value.relocatable && !value.explicit;
                if plain && !value.volatile {
                    self.expressions.forget(mark);
                    self.define(name, spelled, Definition::Number(value.number), Type::None, span)?;
                    return Ok(());
                }
                if plain || (value.relocatable && value.base == value.index && value.segment == value.base) {
                    self.define(name, spelled, Definition::Expression(id), Type::None, span)?;
                    return Ok(());
                }
            }
            _ => {}
        }
        self.expressions.forget(mark);
        self.text_equate(name, spelled, raw.to_owned(), span)
    }

    /// Makes a name stand for text.
    pub(crate) fn text_equate(&mut self, name: NameId, spelled: &str, text: String, span: Span) -> Result<(), Fault> {
        let info = *self.names.info(name);
        if let Some(symbol) = self.symbols.get(info.symbol as usize) {
            let known = !matches!(symbol.definition, Definition::Undefined | Definition::External);
            if known && self.in_library && !symbol.library {
                return Ok(());
            }
            if known && (!symbol.library || self.in_library) {
                return Err(fault(span, format!("`{spelled}` is defined twice")));
            }
        }
        if let Some(body) = self.bodies.get(info.body as usize) {
            if self.in_library && !body.library {
                return Ok(());
            }
            if body.library && !self.in_library {
                self.names.info_mut(name).body = NONE;
            }
        }
        self.set_text(name, text);
        Ok(())
    }

    /// What stands behind a complete statement is an error.
    pub(crate) fn expect_end(&self, cursor: &Cursor) -> Result<(), Fault> {
        match cursor.peek() {
            None => Ok(()),
            Some(Token {
                kind: Kind::Bad(why), ..
            }) => Err(fault(cursor.here(), why)),
            Some(_) => {
                Err(fault(cursor.here(), "the statement should end here").with_label("this does not belong to it"))
            }
        }
    }
}

/// The line with the stretch from `start` to `end` replaced by `text`.
pub(crate) fn pasted(line: &Line, start: usize, end: usize, text: &str) -> Option<Line> {
    let mut pasted = Line {
        file: line.file,
        number: line.number,
        ..Line::default()
    };
    let parts = [
        (line.text.get(..start)?, 0, start, true),
        (text, start, end, false),
        (line.text.get(end..)?, end, line.text.len(), true),
    ];
    for (text, start, end, copied) in parts {
        let made = pasted.text.len() as u32;
        pasted.text.push_str(text);
        let span = line.span(start as u32, end as u32);
        let whole = Column {
            made,
            start: span.start,
            end: span.end,
            line: span.line,
            copied,
        };
        if copied && !line.columns.is_empty() {
            // Columns of a line already pasted: keep them, moved to where the text stands now.
            let covers = |column: &&Column| (start..end.max(start + 1)).contains(&(column.made as usize));
            let begins = |column: &Column| column.made as usize == start;
            if !line.columns.iter().any(|column| covers(&column) && begins(column)) {
                pasted.columns.push(whole);
            }
            for column in line.columns.iter().filter(covers) {
                pasted.columns.push(Column {
                    made: made + (column.made - start as u32),
                    ..*column
                });
            }
        } else {
            pasted.columns.push(whole);
        }
    }
    Some(pasted)
}

/// Whether a statement is one of the library's short names alone, or with a region's name.
pub(crate) fn alone(tokens: &[Token]) -> bool {
    match tokens.get(statement_start(tokens)..).unwrap_or(&[]) {
        [_] => true,
        [_, second] => match second.kind {
            Kind::Name(name) => keyword(name).is_none(),
            Kind::String => true,
            _ => false,
        },
        _ => false,
    }
}

/// The token behind the label, if there is one.
pub(crate) fn statement_start(tokens: &[Token]) -> usize {
    match tokens.get(1).map(|token| token.kind) {
        Some(Kind::Mark(b':')) => 2,
        _ => 0,
    }
}

/// The name at the cursor.
fn second_name(cursor: &Cursor) -> Option<NameId> {
    match cursor.peek()?.kind {
        Kind::Name(name) => Some(name),
        _ => None,
    }
}
