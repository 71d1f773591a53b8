//! Directives: what each of them does, the larger ones in files of their own.

pub(crate) mod block;
pub(crate) mod data;
pub(crate) mod invoke;
pub(crate) mod procedure;
pub(crate) mod real;
pub(crate) mod record;
pub(crate) mod segment;
pub(crate) mod structure;

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::Type;
use crate::diag::Span;
use crate::expand::argument::split_arguments;
use crate::expand::condition;
use crate::expr::{Cursor, type_of};
use crate::lex::{Kind, Token, comment_start};
use crate::names::{ErrorTest, Keyword, NONE, NameId, keyword};
use crate::symbols::Definition;

impl Assembler<'_> {
    /// A directive that has no name before it.
    pub(crate) fn directive(
        &mut self,
        word: Keyword,
        cursor: &mut Cursor,
        span: Span,
        token: Token,
    ) -> Result<(), Fault> {
        match word {
            Keyword::Define(size) | Keyword::TypeOfSize(size) => self.data(None, size, cursor, span),
            Keyword::Tolerated | Keyword::Echo | Keyword::Group | Keyword::Assume | Keyword::Stack => Ok(()),
            Keyword::Public => Ok(()),
            Keyword::Extern => self.external(cursor),
            Keyword::Code | Keyword::Data | Keyword::DataUninitialised | Keyword::Const => {
                self.simplified_segment(word, cursor)
            }
            Keyword::Ends => self.ends(None, span),
            Keyword::Org => self.origin_directive(cursor),
            Keyword::Align => self.align(cursor, span),
            Keyword::Even => self.align_to(2, span),
            Keyword::End => self.end(cursor),
            Keyword::Label => Err(fault(span, "`label` needs a name before it").with_help("write `name label dword`")),
            Keyword::Proc => Err(fault(span, "`proc` needs a name before it").with_help("write `name proc`")),
            Keyword::EndProc => self.end_procedure(None, span),
            Keyword::Macro => Err(fault(span, "`macro` needs a name before it").with_help("write `name macro`")),
            Keyword::Structure | Keyword::Union if self.structure.is_some() => {
                let name = cursor.name().map(|(name, _)| name);
                self.begin_inner_structure(name, word == Keyword::Union, span)
            }
            Keyword::Structure | Keyword::Union => {
                Err(fault(span, "a structure needs a name before it").with_help("write `name struc`"))
            }
            Keyword::EndMacro => Err(fault(span, "there is no macro or repeat that this `endm` could end")),
            Keyword::ExitMacro => self.exit_macro(cursor, span),
            Keyword::GoTo => self.go_to(cursor, span),
            Keyword::Purge => self.purge(cursor),
            Keyword::Repeat | Keyword::For | Keyword::ForCharacter | Keyword::While => {
                self.repeat_head(word, cursor, span);
                Ok(())
            }
            Keyword::Include => self.include_directive(cursor, span),
            Keyword::Comment => self.comment_block(cursor, span),
            Keyword::Error => {
                let text = cursor.raw_rest();
                let text = if cursor.done() {
                    ""
                } else {
                    text[..comment_start(text)].trim()
                };
                let text = text.trim_matches(['<', '>', '"', '\'']);
                let text = if text.is_empty() {
                    "the source asks for an error here"
                } else {
                    text
                };
                Err(fault(span, text.to_owned()).with_label("`.err` stands here"))
            }
            Keyword::ErrorIf(test) => self.error_if(test, cursor, span),
            Keyword::Radix => {
                let radix = std::mem::replace(&mut self.radix, 10);
                let text = cursor.rest().trim().to_owned();
                match self.number_in(&text, cursor.here()) {
                    Ok(number @ 2..=16) => self.radix = number as u32,
                    _ => {
                        self.radix = radix;
                        return Err(fault(cursor.here(), "the radix is a decimal number from 2 to 16"));
                    }
                }
                Ok(())
            }
            Keyword::Locals => {
                self.scoped_locals = true;
                Ok(())
            }
            Keyword::NoLocals => {
                self.scoped_locals = false;
                Ok(())
            }
            Keyword::Ideal => {
                self.ideal = true;
                self.scoped_locals = true;
                Ok(())
            }
            Keyword::Masm => {
                self.ideal = false;
                Ok(())
            }
            Keyword::Local | Keyword::Arg => self.frame_directive(word, cursor, span),
            Keyword::Uses => self.uses_directive(cursor, span),
            Keyword::Invoke => self.invoke(cursor, span),
            Keyword::Model => {
                self.model(cursor);
                Ok(())
            }
            Keyword::Block(word) => self.block(word, cursor, span),
            Keyword::PushState => {
                if self.saved_states.len() > 256 {
                    return Err(fault(span, "states are saved more than 256 deep"));
                }
                self.saved_states.push((self.radix, self.scoped_locals, self.ideal));
                Ok(())
            }
            Keyword::PopState => match self.saved_states.pop() {
                Some(saved) => {
                    (self.radix, self.scoped_locals, self.ideal) = saved;
                    Ok(())
                }
                None => Err(fault(span, "no state was saved").with_help("write `pushstate` before it")),
            },
            Keyword::Record => {
                Err(fault(span, "a record needs a name before it").with_help("write `name record field:width`"))
            }
            Keyword::Unsupported => Err(fault(span, format!("`{}` is not supported yet", cursor.text(token)))),
            Keyword::PushSegment => {
                if self.segment_stack.len() > 256 {
                    return Err(fault(span, "segments are saved more than 256 deep"));
                }
                self.segment_stack.push(self.current);
                Ok(())
            }
            Keyword::PopSegment => match self.segment_stack.pop() {
                Some(segment) => {
                    self.current = segment;
                    Ok(())
                }
                None => Err(fault(span, "no segment was saved")),
            },
            Keyword::Calibration if self.in_library => {
                let body = crate::expand::Body {
                    library: true,
                    span,
                    ..Default::default()
                };
                self.begin_collecting(body, crate::expand::Collected::Calibration, span);
                Ok(())
            }
            Keyword::Calibration | Keyword::EndCalibration => {
                Err(fault(span, "only the bundled library holds a calibration"))
            }
            _ if condition::concerns(word) => self.condition(word, cursor, span),
            _ => Err(fault(
                span,
                format!("`{}` cannot begin a statement", cursor.text(token)),
            )),
        }
    }

    /// `name word ...`: a line that makes a name something.
    pub(crate) fn definition(
        &mut self,
        name: NameId,
        spelled: &str,
        second: NameId,
        cursor: &mut Cursor,
        span: Span,
    ) -> Result<(), Fault> {
        let Some(word) = keyword(second) else {
            let structure = self.names.info(second).structure;
            return self.structure_data(Some((name, spelled)), structure, cursor, span);
        };
        match word {
            Keyword::Define(size) | Keyword::TypeOfSize(size) => {
                self.data(Some((name, spelled)), size, cursor, span)?;
                if procedure::is_signed(self.names.text(second)) {
                    let index = self.names.info(name).symbol;
                    if let Some(symbol) = self.symbols.get_mut(index as usize) {
                        symbol.signed = true;
                    }
                }
                Ok(())
            }
            Keyword::Prototype => self.prototype(name, cursor),
            // The text is put in before a line is understood, so the name is a type wherever a type may stand.
            Keyword::TypeDefinition => {
                let (kind, _, _) = self.declared_type(&mut cursor.clone())?;
                let text = match kind {
                    Type::Structure(_) => cursor.rest().to_owned(),
                    _ if cursor.keyword() != Some(Keyword::Ptr) && cursor.tokens.len() == 3 => cursor.rest().to_owned(),
                    _ => "dword".to_owned(),
                };
                self.text_equate(name, spelled, text, span)
            }
            Keyword::Equ => self.equate(name, spelled, cursor, span),
            Keyword::TextEqu | Keyword::SubString | Keyword::InString | Keyword::SizeString => {
                self.text_directive(word, name, spelled, cursor, span)
            }
            Keyword::Macro => {
                self.begin_macro(name, spelled, cursor, span);
                Ok(())
            }
            Keyword::Label => {
                let place = cursor.here();
                let kind = match cursor.name() {
                    Some((word, _)) => keyword(word).and_then(type_of).or_else(|| {
                        let structure = self.names.info(word).structure;
                        (structure != NONE).then_some(Type::Structure(structure))
                    }),
                    None => None,
                };
                let Some(kind) = kind else {
                    return Err(fault(place, "a type is expected after `label`")
                        .with_help("write `byte`, `word`, `dword`, `near` or a structure's name"));
                };
                self.expect_end(cursor)?;
                let location = if matches!(kind, Type::Near | Type::Far) {
                    self.location()
                } else {
                    self.data_location(true)
                };
                let size = self.size_of(kind);
                if let Some(index) = self.define(name, spelled, Definition::Address(location), kind, span)? {
                    self.symbols[index as usize].size = size;
                }
                Ok(())
            }
            Keyword::Proc => self.begin_procedure(name, spelled, cursor, span),
            Keyword::EndProc => self.end_procedure(Some(name), span),
            Keyword::Structure => self.begin_structure(name, false, cursor, span),
            Keyword::Union => self.begin_structure(name, true, cursor, span),
            Keyword::Record => self.record(name, cursor),
            Keyword::Segment => self.begin_segment(spelled, cursor),
            Keyword::Ends => self.ends(Some(name), span),
            Keyword::Group => Ok(()),
            _ => Err(fault(span, "this definition is not understood")),
        }
    }

    /// `extrn a:dword, b:near`.
    fn external(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        loop {
            let Some((mut name, mut token)) = cursor.name() else {
                return Err(fault(cursor.here(), "a name is expected here"));
            };
            // A language may stand before the name.
            if let Some(Token {
                kind: Kind::Name(next), ..
            }) = cursor.peek()
                && is_language(self.names.text(name))
            {
                cursor.at += 1;
                (name, token) = (next, cursor.tokens.get(cursor.at - 1).copied().unwrap_or(token));
            }
            let mut kind = Type::None;
            if cursor.eat(b':') {
                let Some((word, word_token)) = cursor.name() else {
                    return Err(fault(cursor.here(), "a type is expected here"));
                };
                let structure = self.names.info(word).structure;
                kind = match keyword(word).and_then(type_of) {
                    Some(kind) => kind,
                    None if structure != NONE => Type::Structure(structure),
                    None if self.names.text(word) == "abs" => Type::None,
                    None => {
                        return Err(fault(cursor.span(word_token), "this is not a type"));
                    }
                };
                // A count, as in `extrn table:dword:16`.
                if cursor.eat(b':') {
                    self.constant(cursor)?;
                }
            }
            let index = self.symbol_for(name, cursor.text(token), cursor.span(token));
            let symbol = &mut self.symbols[index as usize];
            if symbol.definition == Definition::Undefined {
                symbol.definition = Definition::External;
                symbol.kind = kind;
            }
            if !cursor.eat(b',') {
                return self.expect_end(cursor);
            }
        }
    }

    fn end(&mut self, cursor: &mut Cursor) -> Result<(), Fault> {
        // In an included file `end` ends the program all the same.
        let floor = self.frames.iter().position(|frame| frame.library).unwrap_or(0);
        if !cursor.done() {
            let span = cursor.here();
            let id = self.expression(cursor)?;
            self.end_label = Some((id, span));
        }
        while self.frames.len() > floor {
            if let Some(frame) = self.frames.last_mut() {
                let conditions = frame.conditions;
                self.conditions.truncate(conditions);
            }
            self.end_frame();
        }
        self.expect_end(cursor)
    }

    fn include_directive(&mut self, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let raw = cursor.raw_rest();
        let raw = if cursor.done() {
            ""
        } else {
            raw[..comment_start(raw)].trim()
        };
        let name = raw.trim_matches(['<', '>', '"', '\'']).to_owned();
        if name.is_empty() {
            return Err(fault(span, "a file's name is expected after `include`"));
        }
        let span = Span {
            end: span.end.max(cursor.line.span(0, cursor.line.text.len() as u32).end),
            ..span
        };
        self.include_file(&name, span);
        Ok(())
    }

    fn comment_block(&mut self, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let text = cursor.raw_rest();
        let place = cursor.tokens.first().map_or(0, |token| token.end as usize);
        let text = if cursor.done() {
            cursor.line.text.get(place..).unwrap_or("")
        } else {
            text
        };
        let mut characters = text.trim_start().chars();
        let Some(delimiter) = characters.next() else {
            return Err(fault(
                span,
                "a character that ends the comment is expected after `comment`",
            ));
        };
        if !characters.any(|character| character == delimiter) {
            self.comment = Some(delimiter);
        }
        Ok(())
    }

    fn error_if(&mut self, test: ErrorTest, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let raw = if cursor.done() { "" } else { cursor.raw_rest() };
        let mut arguments = split_arguments(raw[..comment_start(raw)].trim());
        let (holds, operands) = match test {
            ErrorTest::Zero => (self.constant(cursor)? == 0, 1),
            ErrorTest::NonZero => (self.constant(cursor)? != 0, 1),
            ErrorTest::Defined | ErrorTest::NotDefined => {
                let Some((name, _)) = cursor.name() else {
                    return Err(fault(cursor.here(), "a name is expected here"));
                };
                (self.is_defined(name) == (test == ErrorTest::Defined), 1)
            }
            ErrorTest::Blank => (arguments.first().is_none_or(|text| text.trim().is_empty()), 1),
            ErrorTest::NotBlank => (arguments.first().is_some_and(|text| !text.trim().is_empty()), 1),
            _ => {
                let [first, second, ..] = arguments.as_slice() else {
                    return Err(fault(span, "two texts are expected here").with_help("write `<text>, <text>`"));
                };
                let holds = match test {
                    ErrorTest::Identical => first == second,
                    ErrorTest::Different => first != second,
                    ErrorTest::IdenticalAnyCase => first.eq_ignore_ascii_case(second),
                    _ => !first.eq_ignore_ascii_case(second),
                };
                (holds, 2)
            }
        };
        if !holds {
            return Ok(());
        }
        let message = (arguments.len() > operands).then(|| arguments.swap_remove(operands));
        let message = message.filter(|message| !message.is_empty());
        let message = message.map(|message| message.trim_matches(['"', '\'']).to_owned());
        let message = message.unwrap_or_else(|| "the source asks for an error here".to_owned());
        Err(fault(span, message).with_label("this condition holds"))
    }
}

/// Whether a word names a calling convention.
pub(crate) fn is_language(word: &str) -> bool {
    matches!(
        word,
        "c" | "stdcall" | "pascal" | "syscall" | "basic" | "fortran" | "cpp" | "nolanguage"
    )
}
