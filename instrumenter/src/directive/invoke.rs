//! Calls with arguments: `proto` says how a procedure is called, `invoke` calls it so.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::Type;
use crate::diag::Span;
use crate::directive::procedure::{Language, Prototype, language};
use crate::expr::Cursor;
use crate::lex::{Kind, lex};
use crate::names::{Keyword, NameId, keyword};
use iced_x86::Register;

/// The most arguments of a call.
const MOST_ARGUMENTS: usize = 256;

/// The memory models of segmented programs.
const SEGMENTED_MODELS: [&str; 6] = ["tiny", "small", "medium", "compact", "large", "huge"];

impl Assembler<'_> {
    /// `name proto language a:dword, b:ptr byte`.
    pub(crate) fn prototype(&mut self, name: NameId, cursor: &mut Cursor) -> Result<(), Fault> {
        let mut prototype = Prototype {
            language: self.language,
            ..Prototype::default()
        };
        while let Some(token) = cursor.peek() {
            if cursor.eat(b',') {
                continue;
            }
            if cursor.eat(b':') {
                let (kind, _, variable) = self.declared_type(cursor)?;
                prototype.variable |= variable;
                if !variable {
                    let size = self.size_of(kind).max(1).next_multiple_of(4);
                    prototype.parameters.push(size);
                }
                continue;
            }
            let Some((word, _)) = cursor.name() else {
                return Err(fault(cursor.span(token), "a parameter is expected here").with_help("write `name:dword`"));
            };
            if let Some(named) = language(self.names.text(word)).filter(|_| !cursor.is(b':')) {
                prototype.language = named;
            }
        }
        self.prototypes.insert(name, prototype);
        Ok(())
    }

    /// `invoke name, arguments`.
    pub(crate) fn invoke(&mut self, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let mut arguments = Vec::new();
        let place = cursor.here();
        let Some(target) = self.argument_text(cursor) else {
            return Err(fault(place, "the procedure to call is expected behind `invoke`"));
        };
        let mut target = target;
        // TASM lets the calling convention stand behind the name.
        let named = target
            .0
            .rsplit_once([' ', '\t'])
            .map(|(name, word)| (name.trim().to_owned(), word.to_ascii_lowercase()));
        let mut convention = None;
        if let Some((name, word)) = named
            && let Some(named) = language(&word)
        {
            target.0 = name;
            convention = Some(named);
        }
        let known = self.names.intern(target.0.trim());
        while cursor.eat(b',') {
            let place = cursor.here();
            let Some(argument) = self.argument_text(cursor) else {
                return Err(fault(place, "an argument is expected here"));
            };
            arguments.push(argument);
        }
        self.expect_end(cursor)?;
        let mut prototype = match self.prototypes.get(&known) {
            Some(prototype) => prototype.clone(),
            None => Prototype {
                language: self.language,
                variable: true,
                ..Prototype::default()
            },
        };
        prototype.language = convention.unwrap_or(prototype.language);
        if prototype.language == Language::None {
            return Err(
                fault(span, "a call with arguments needs to know the calling convention")
                    .with_help("write `.model flat, stdcall` or `.model flat, c`, or `name proto stdcall ...`"),
            );
        }
        let (count, wanted) = (arguments.len(), prototype.parameters.len());
        if count < wanted || (count > wanted && !prototype.variable) {
            let message = format!("`{}` takes {wanted} arguments, {count} are given", target.0.trim());
            return Err(fault(span, message));
        }
        if count > MOST_ARGUMENTS {
            return Err(fault(span, format!("a call has at most {MOST_ARGUMENTS} arguments")));
        }
        if prototype.language != Language::Pascal {
            arguments.reverse();
        }
        let mut bytes = 0;
        for (argument, place) in &arguments {
            bytes += self.push_argument(argument, *place)?;
        }
        self.made(&format!("call {}", target.0), span)?;
        if prototype.language == Language::C && bytes > 0 {
            self.made(&format!("add esp,{bytes}t"), span)?;
        }
        Ok(())
    }

    /// TASM's `call name, arguments` and `push eax ebx`; says whether it was one of them.
    pub(crate) fn tasm_shorthand(&mut self, name: NameId, cursor: &mut Cursor, span: Span) -> Result<bool, Fault> {
        let behind = cursor.tokens.get(cursor.at..).unwrap_or(&[]);
        if behind.len() < 2 {
            return Ok(false);
        }
        let word = self.names.text(name);
        if word == "call" && behind.iter().any(|token| token.kind == Kind::Mark(b',')) {
            return self.invoke(cursor, span).map(|()| true);
        }
        let several = matches!(word, "push" | "pop")
            && behind.iter().all(|token| match token.kind {
                Kind::Name(name) => self.names.info(name).register != Register::None,
                _ => false,
            });
        if several {
            let word = word.to_owned();
            for token in behind {
                self.made(&format!("{word} {}", cursor.text(*token)), cursor.span(*token))?;
            }
        }
        Ok(several)
    }

    /// The text of one argument, up to the comma behind it.
    fn argument_text(&self, cursor: &mut Cursor) -> Option<(String, Span)> {
        let first = cursor.peek()?;
        let mut last = first;
        let mut depth = 0i32;
        while let Some(token) = cursor.peek() {
            match token.kind {
                Kind::Mark(b',') if depth <= 0 => break,
                Kind::Mark(b'(' | b'[') => depth += 1,
                Kind::Mark(b')' | b']') => depth -= 1,
                _ => {}
            }
            last = token;
            cursor.at += 1;
        }
        let text = cursor.line.text.get(first.start as usize..last.end as usize)?;
        (last.end > first.start && !text.starts_with(','))
            .then(|| (text.to_owned(), cursor.line.span(first.start, last.end)))
    }

    /// Pushes an argument; returns the bytes it took.
    fn push_argument(&mut self, text: &str, span: Span) -> Result<u32, Fault> {
        let (word, rest) = text.split_at(text.find([' ', '\t', '(', '[']).unwrap_or(text.len()));
        if word.eq_ignore_ascii_case("addr") {
            self.made(&format!("lea eax,{rest}"), span)?;
            self.made("push eax", span)?;
            return Ok(4);
        }
        let line = self.side_line(text, span);
        let mut tokens = Vec::new();
        lex(&line.text, self.radix, &mut self.names, &mut tokens);
        let mut cursor = Cursor {
            line: &line,
            tokens: &tokens,
            at: 0,
        };
        let offset = cursor.keyword() == Some(Keyword::Offset);
        let mark = self.expressions.mark();
        let id = self.expression(&mut cursor)?;
        let value = self.evaluate(id)?;
        self.expressions.forget(mark);
        self.expect_end(&cursor)?;
        if value.register != Register::None {
            let narrow = value.register.is_gpr8() || value.register.is_gpr16();
            if narrow {
                self.made(&format!("movzx eax,{text}"), span)?;
            }
            self.made(&format!("push {}", if narrow { "eax" } else { text }), span)?;
            return Ok(4);
        }
        if !value.memory || value.unresolved {
            let code = !offset && matches!(value.kind, Type::Near | Type::Far);
            self.made(&format!("push {}{text}", if code { "offset " } else { "" }), span)?;
            return Ok(4);
        }
        match self.size_of(value.kind) {
            size @ (1 | 2) => {
                let signed = self
                    .symbols
                    .get(value.symbol as usize)
                    .is_some_and(|symbol| symbol.signed);
                let widen = if signed { "movsx" } else { "movzx" };
                let kind = if size == 1 { "byte" } else { "word" };
                self.made(&format!("{widen} eax,{kind} ptr {text}"), span)?;
                self.made("push eax", span)?;
                Ok(4)
            }
            8 => {
                self.made(&format!("push dword ptr {text}+4"), span)?;
                self.made(&format!("push dword ptr {text}"), span)?;
                Ok(8)
            }
            0 | 4 => {
                self.made(&format!("push dword ptr {text}"), span)?;
                Ok(4)
            }
            size => Err(fault(span, format!("an argument of {size} bytes cannot be pushed"))
                .with_help("pass its address: `addr name`")),
        }
    }

    /// `.model flat, stdcall`.
    pub(crate) fn model(&mut self, cursor: &mut Cursor) {
        while let Some(token) = cursor.next() {
            if let Kind::Name(word) = token.kind
                && keyword(word).is_none()
            {
                if let Some(named) = language(self.names.text(word)) {
                    self.language = named;
                } else if SEGMENTED_MODELS.contains(&self.names.text(word).to_ascii_lowercase().as_str()) {
                    let message = "this program is assembled and run as flat 32-bit code, not in a 16-bit memory model";
                    self.warn(fault(cursor.span(token), message).with_help("write `.model flat` if that is meant"));
                }
            }
        }
    }
}
