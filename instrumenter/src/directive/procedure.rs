//! Procedures: `proc`, `endp`, the registers that `uses` saves, parameters, locals, and the frame they lie in.
//!
//! The frame is made before the first instruction or label behind `proc`, because `local` and `arg` may stand between. It
//! is ebp's: parameters above, locals below.

use crate::assembler::{Assembler, Fault, fault};
use crate::ast::{Instruction, Type};
use crate::diag::Span;
use crate::expr::{Cursor, type_of};
use crate::lex::{Kind, lex};
use crate::names::{Keyword, NONE, NameId, keyword};
use crate::symbols::{Definition, Procedure};
use iced_x86::Register;

/// The first parameter's place above ebp, behind the saved ebp and the return address.
const FIRST_PARAMETER: u32 = 8;
/// The most bytes of parameters, and of locals.
const MOST_FRAME: u32 = 1 << 20;

/// Who pushes what in which order, and who takes it back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Language {
    /// None was named: the program makes its own frames.
    #[default]
    None,
    /// The last argument is pushed first, the caller takes them back.
    C,
    /// The last argument is pushed first, the procedure takes them back.
    Standard,
    /// The first argument is pushed first, the procedure takes them back.
    Pascal,
}

/// The calling convention a word names.
pub(crate) fn language(word: &str) -> Option<Language> {
    match word {
        "c" | "cpp" | "syscall" => Some(Language::C),
        "stdcall" => Some(Language::Standard),
        "pascal" | "basic" | "fortran" => Some(Language::Pascal),
        "nolanguage" => Some(Language::None),
        _ => None,
    }
}

/// How a procedure is called.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prototype {
    pub(crate) language: Language,
    /// Bytes each parameter takes.
    pub(crate) parameters: Vec<u32>,
    /// Whether more arguments may follow.
    pub(crate) variable: bool,
}

/// A parameter or local variable as declared.
struct Declared {
    name: NameId,
    spelled: String,
    kind: Type,
    signed: bool,
    count: u32,
    /// Bytes, before any rounding.
    size: u32,
    variable: bool,
    span: Span,
}

impl Assembler<'_> {
    pub(crate) fn begin_procedure(
        &mut self,
        name: NameId,
        spelled: &str,
        cursor: &mut Cursor,
        span: Span,
    ) -> Result<(), Fault> {
        if self.procedures.len() > 64 {
            return Err(fault(span, "procedures are nested more than 64 deep"));
        }
        if self.scoped_locals {
            self.scope += 1;
        }
        let start = self.location();
        let index = self.define(name, spelled, Definition::Address(start), Type::Near, span)?;
        self.procedure_count += 1;
        self.procedures.push(Procedure {
            name,
            number: self.procedure_count,
            uses: Vec::new(),
            span,
            symbol: index.unwrap_or(NONE),
            start,
            language: self.language,
            parameters: 0,
            locals: 0,
            pending: false,
        });
        let mut prototype = Prototype {
            language: self.language,
            ..Prototype::default()
        };
        let mut listed = false;
        let mut parameters = Vec::new();
        while let Some(token) = cursor.peek() {
            let place = cursor.here();
            if cursor.is(b'<') {
                // What a user's own prologue macro would be told.
                while cursor.next().is_some_and(|token| token.kind != Kind::Mark(b'>')) {}
                continue;
            }
            let Some((word, _)) = cursor.name() else {
                return Err(fault(place, "a parameter's name is expected here").with_help("write `name:dword`"));
            };
            let register = self.names.info(word).register;
            let text = self.names.text(word);
            let typed = cursor.is(b':');
            match keyword(word) {
                Some(Keyword::Near | Keyword::Far | Keyword::Public) => {}
                Some(Keyword::Uses) => listed = true,
                _ if listed && register != Register::None => {
                    if let Some(open) = self.procedures.last_mut() {
                        open.uses.push(register);
                        open.pending = true;
                    }
                }
                _ if typed => {
                    cursor.at -= 1;
                    parameters = self.declarations(cursor)?;
                    break;
                }
                _ if language(text).is_some() => prototype.language = language(text).unwrap_or_default(),
                _ if matches!(text, "private" | "export") => {}
                _ if cursor.text(token).is_empty() => break,
                _ => {
                    cursor.at -= 1;
                    parameters = self.declarations(cursor)?;
                    break;
                }
            }
            if cursor.eat(b',') {
                listed = false;
            }
        }
        self.expect_end(cursor)?;
        if let Some(open) = self.procedures.last_mut() {
            open.language = prototype.language;
        }
        if let Some(first) = parameters.first() {
            if prototype.language == Language::None {
                return Err(
                    fault(first.span, "a procedure with parameters needs a calling convention")
                        .with_help("write `.model flat, stdcall` or `.model flat, c`, or name it behind `proc`"),
                );
            }
            prototype.variable = parameters.iter().any(|parameter| parameter.variable);
            prototype.parameters = parameters
                .iter()
                .filter(|parameter| !parameter.variable)
                .map(|parameter| parameter.size.next_multiple_of(4))
                .collect();
            self.place_parameters(parameters)?;
        }
        self.prototypes.insert(name, prototype);
        Ok(())
    }

    /// Reads `name[count]:type:count, ...` up to what is no declaration.
    fn declarations(&mut self, cursor: &mut Cursor) -> Result<Vec<Declared>, Fault> {
        let mut all = Vec::new();
        while let Some(token) = cursor.peek() {
            let span = cursor.span(token);
            let Kind::Name(name) = token.kind else {
                return Err(fault(span, "a name is expected here").with_help("write `name:dword`"));
            };
            cursor.at += 1;
            let mut count = 1;
            if cursor.eat(b'[') {
                count = self.constant(cursor)?;
                if !cursor.eat(b']') {
                    return Err(fault(cursor.here(), "`]` is expected here"));
                }
            }
            let (mut kind, mut signed, mut variable) = (Type::Bytes(4), false, false);
            if cursor.eat(b':') {
                (kind, signed, variable) = self.declared_type(cursor)?;
                if cursor.eat(b':') {
                    count = self.constant(cursor)?;
                }
            }
            let size = u64::from(self.size_of(kind).max(1)).saturating_mul(u64::try_from(count).unwrap_or(u64::MAX));
            let Some(size) = u32::try_from(size)
                .ok()
                .filter(|&size| count >= 1 && size <= MOST_FRAME)
            else {
                return Err(fault(span, format!("a frame holds at most {} KiB", MOST_FRAME >> 10)));
            };
            all.push(Declared {
                name,
                spelled: cursor.text(token).to_owned(),
                kind,
                signed,
                count: count as u32,
                size,
                variable,
                span,
            });
            if !cursor.eat(b',') {
                break;
            }
        }
        Ok(all)
    }

    /// The type behind a colon: what it is, whether signed, and whether it is `vararg`.
    pub(crate) fn declared_type(&mut self, cursor: &mut Cursor) -> Result<(Type, bool, bool), Fault> {
        let place = cursor.here();
        let Some((word, _)) = cursor.name() else {
            return Err(fault(place, "a type is expected here").with_help("write `dword`, `word`, `byte` or `ptr`"));
        };
        let found = keyword(word);
        if found == Some(Keyword::Ptr) || cursor.keyword() == Some(Keyword::Ptr) {
            // What it points to is of no account here.
            while matches!(
                cursor.keyword(),
                Some(Keyword::Ptr | Keyword::Near | Keyword::Far | Keyword::TypeOfSize(_))
            ) || cursor.peek().is_some_and(|token| matches!(token.kind, Kind::Name(_)))
            {
                cursor.at += 1;
            }
            return Ok((Type::Bytes(4), false, false));
        }
        let structure = self.names.info(word).structure;
        let text = self.names.text(word);
        match found.and_then(type_of) {
            Some(Type::Near | Type::Far) => Ok((Type::Bytes(4), false, false)),
            Some(kind) => Ok((kind, is_signed(text), false)),
            None if structure != NONE => Ok((Type::Structure(structure), false, false)),
            None if text == "vararg" => Ok((Type::Bytes(4), false, true)),
            None => Err(fault(place, format!("`{text}` is not a type"))
                .with_help("write `dword`, `word`, `byte`, `ptr` or a structure's name")),
        }
    }

    /// Gives parameters their places above ebp; returns their bytes.
    fn place_parameters(&mut self, mut parameters: Vec<Declared>) -> Result<u32, Fault> {
        let language = self.procedures.last().map_or(Language::None, |open| open.language);
        if matches!(language, Language::Pascal | Language::None) {
            parameters.reverse();
        }
        let before = self.procedures.last().map_or(0, |open| open.parameters);
        let mut offset = FIRST_PARAMETER + before;
        for parameter in parameters {
            let size = if parameter.variable {
                0
            } else {
                parameter.size.next_multiple_of(4)
            };
            self.frame_symbol(&parameter, i64::from(offset))?;
            offset = offset.saturating_add(size);
            if offset > MOST_FRAME {
                return Err(fault(
                    parameter.span,
                    format!("a frame holds at most {} KiB", MOST_FRAME >> 10),
                ));
            }
        }
        let bytes = offset - FIRST_PARAMETER;
        if let Some(open) = self.procedures.last_mut() {
            open.parameters = bytes;
            open.pending |= language != Language::None;
        }
        Ok(bytes)
    }

    /// Makes a name stand for memory at an offset from ebp, within the innermost procedure.
    fn frame_symbol(&mut self, declared: &Declared, offset: i64) -> Result<(), Fault> {
        let number = self.procedure_number();
        let spelled = &declared.spelled;
        if self.names.info(declared.name).register != Register::None {
            return Err(fault(
                declared.span,
                format!("`{spelled}` is a register and cannot be defined"),
            ));
        }
        if self.local_symbols.contains_key(&(declared.name, number)) {
            return Err(fault(
                declared.span,
                format!("`{spelled}` is defined twice in this procedure"),
            ));
        }
        let global = std::mem::replace(&mut self.names.info_mut(declared.name).symbol, NONE);
        let text = std::mem::replace(&mut self.names.info_mut(declared.name).text, NONE);
        let defined = self.define(
            declared.name,
            spelled,
            Definition::Frame(offset),
            declared.kind,
            declared.span,
        );
        let info = self.names.info_mut(declared.name);
        (info.symbol, info.text) = (global, text);
        if let Some(index) = defined? {
            let symbol = &mut self.symbols[index as usize];
            symbol.hidden = true;
            symbol.count = declared.count;
            symbol.size = declared.size;
            symbol.signed = declared.signed;
            symbol.owner = number;
            self.local_symbols.insert((declared.name, number), index);
        }
        Ok(())
    }

    /// `local` and `arg` behind `proc`.
    pub(crate) fn frame_directive(&mut self, word: Keyword, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let spelled = if word == Keyword::Arg { "arg" } else { "local" };
        if self.procedures.is_empty() {
            return Err(fault(
                span,
                format!("`{spelled}` stands behind `proc`, or `local` at a macro's beginning"),
            )
            .with_help("write `name proc` before it"));
        }
        let declared = self.declarations(cursor)?;
        let bytes = if word == Keyword::Arg {
            self.place_parameters(declared)?
        } else {
            self.place_locals(declared)?
        };
        if cursor.eat(b'=') {
            let Some((name, token)) = cursor.name() else {
                return Err(fault(cursor.here(), "a name for the frame's size is expected here"));
            };
            let spelled = cursor.text(token).to_owned();
            let size = Definition::Number(i64::from(bytes));
            if let Some(index) = self.define(name, &spelled, size, Type::None, cursor.span(token))? {
                self.symbols[index as usize].redefinable = true;
            }
        }
        // `returns` names what the caller takes back on its own.
        if cursor
            .peek()
            .is_some_and(|token| cursor.text(token).eq_ignore_ascii_case("returns"))
        {
            return Ok(());
        }
        self.expect_end(cursor)
    }

    fn place_locals(&mut self, locals: Vec<Declared>) -> Result<u32, Fault> {
        let mut bytes = self.procedures.last().map_or(0, |open| open.locals);
        for local in locals {
            let unit = self.size_of(local.kind).clamp(1, 4).next_power_of_two();
            bytes = bytes.saturating_add(local.size).next_multiple_of(unit);
            if bytes > MOST_FRAME {
                return Err(fault(
                    local.span,
                    format!("a frame holds at most {} KiB", MOST_FRAME >> 10),
                ));
            }
            self.frame_symbol(&local, -i64::from(bytes))?;
        }
        let bytes = bytes.next_multiple_of(4);
        if let Some(open) = self.procedures.last_mut() {
            open.locals = bytes;
            open.pending |= open.language != Language::None;
        }
        Ok(bytes)
    }

    /// `uses` on a line of its own behind `proc`.
    pub(crate) fn uses_directive(&mut self, cursor: &mut Cursor, span: Span) -> Result<(), Fault> {
        let mut registers = Vec::new();
        while let Some((word, token)) = cursor.name() {
            let register = self.names.info(word).register;
            if register == Register::None {
                return Err(fault(cursor.span(token), "a register is expected behind `uses`"));
            }
            registers.push(register);
            cursor.eat(b',');
        }
        self.expect_end(cursor)?;
        match self.procedures.last_mut() {
            Some(open) => {
                open.uses.extend(registers);
                open.pending = true;
                Ok(())
            }
            None => Err(fault(span, "`uses` stands behind `proc`").with_help("write `name proc` before it")),
        }
    }

    /// The innermost open procedure's number, or 0.
    pub(crate) fn procedure_number(&self) -> u32 {
        self.procedures.last().map_or(0, |open| open.number)
    }

    /// Before a procedure's first instruction or label its frame is made.
    pub(crate) fn enter_procedure(&mut self) -> Result<(), Fault> {
        let Some(open) = self.procedures.last_mut() else {
            return Ok(());
        };
        if !std::mem::take(&mut open.pending) {
            return Ok(());
        }
        let (uses, span, framed, locals) = (open.uses.clone(), open.span, open.framed(), open.locals);
        if framed {
            self.made("push ebp", span)?;
            self.made("mov ebp,esp", span)?;
            if locals > 0 {
                self.made(&format!("sub esp,{locals}t"), span)?;
            }
        }
        for register in uses {
            self.made(&format!("push {register:?}"), span)?;
        }
        Ok(())
    }

    pub(crate) fn end_procedure(&mut self, name: Option<NameId>, span: Span) -> Result<(), Fault> {
        let Some(open) = self.procedures.pop() else {
            return Err(fault(span, "there is no open procedure that this could end"));
        };
        let here = self.location();
        let size = self.address(here).saturating_sub(self.address(open.start));
        if let Some(symbol) = self.symbols.get_mut(open.symbol as usize) {
            symbol.size = size;
        }
        if self.scoped_locals {
            self.scope += 1;
        }
        match name {
            Some(name) if name != open.name => {
                let text = self.names.text(open.name).to_owned();
                Err(fault(
                    span,
                    format!("the open procedure is `{text}`, from line {}", open.span.line),
                )
                .with_help(format!("write `{text} endp`")))
            }
            _ => Ok(()),
        }
    }

    /// Before a `ret` the frame is taken down; says whether the return itself was made, too.
    pub(crate) fn leave_procedure(&mut self, instruction: &Instruction) -> Result<bool, Fault> {
        let Some(open) = self.procedures.last() else {
            return Ok(false);
        };
        let returns = self.names.text(instruction.mnemonic) == "ret";
        if !returns || (!open.framed() && open.uses.is_empty()) {
            return Ok(false);
        }
        let (uses, framed, bytes, language) = (open.uses.clone(), open.framed(), open.parameters, open.language);
        for register in uses.iter().rev() {
            self.made(&format!("pop {register:?}"), instruction.span)?;
        }
        if framed {
            self.made("leave", instruction.span)?;
        }
        let takes_back = framed && bytes > 0 && language != Language::C && instruction.operand_count == 0;
        if takes_back {
            self.made(&format!("retn {bytes}t"), instruction.span)?;
        }
        Ok(takes_back)
    }

    /// Assembles an instruction that the source does not write, in the name of what stands at `span`.
    pub(crate) fn made(&mut self, text: &str, span: Span) -> Result<(), Fault> {
        let line = self.side_line(text, span);
        let mut tokens = Vec::new();
        lex(&line.text, self.radix, &mut self.names, &mut tokens);
        let mut cursor = Cursor {
            line: &line,
            tokens: &tokens,
            at: 0,
        };
        self.instruction(&mut cursor)
    }
}

impl Procedure {
    /// Whether its parameters and locals lie in a frame that the assembler makes.
    pub(crate) fn framed(&self) -> bool {
        self.language != Language::None && self.parameters + self.locals > 0
    }
}

/// Whether a type's name says that its numbers have a sign.
pub(crate) fn is_signed(word: &str) -> bool {
    matches!(word, "sbyte" | "sword" | "sdword")
}
