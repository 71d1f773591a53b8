//! Procedures: `proc`, `endp`, `uses`, `local`, `arg`, and the types that they declare.

use super::Parser;
use super::argument::angle_literal;
use super::data::count_in_brackets;
use super::expression::constant;
use super::generated::later;
use super::keyword::Processor;
use super::structure::still_open;
use super::{Keyword, keyword, keyword_at};
use crate::diag::{Fault, Span, fault};
use crate::dialect::named;
use crate::expression::Type;
use crate::lex::{Cursor, Kind, Token};
use crate::module::Decoration;
use crate::names::{NONE, NameId, Names};
use crate::operand::CodeSize;
use crate::program::MOST_FRAME;
use crate::statement::{Convention, Declared, Frame, Named, Procedure, Statement};
use iced_x86::Register;
use p5_image::ElementKind;

pub(super) fn convention(word: &str) -> Option<Convention> {
    match word {
        "c" | "cpp" | "syscall" | "prolog" => Some(Convention::C),
        "stdcall" => Some(Convention::Standard),
        "pascal" | "basic" | "fortran" => Some(Convention::Pascal),
        "nolanguage" => Some(Convention::None),
        _ => None,
    }
}

/// The number that a source finds for the language of its model.
pub(super) fn interface(word: &str) -> Option<usize> {
    let languages = ["nolanguage", "c", "syscall", "stdcall", "pascal", "fortran", "basic"];
    languages.iter().position(|language| *language == word)
}

/// How objects write the names of a language.
pub(super) fn decoration(word: &str) -> Option<Decoration> {
    match word {
        "c" | "cpp" => Some(Decoration::Underscore),
        "stdcall" => Some(Decoration::Sized(0)),
        "pascal" | "basic" | "fortran" => Some(Decoration::Capitals),
        "syscall" | "prolog" | "nolanguage" => Some(Decoration::None),
        _ => None,
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Prototype {
    pub(super) convention: Convention,
    /// The bytes that each parameter takes on the stack.
    pub(super) parameters: Vec<u32>,
    /// The size of each parameter in bytes.
    pub(super) sizes: Vec<u32>,
    /// Whether more arguments may follow.
    pub(super) variable: bool,
}

pub(super) struct DeclaredType {
    pub(super) kind: Type,
    pub(super) elements: ElementKind,
    pub(super) variable: bool,
}

impl DeclaredType {
    fn plain(size: u8) -> DeclaredType {
        DeclaredType {
            kind: Type::Bytes(size),
            elements: ElementKind::Unsigned,
            variable: false,
        }
    }
}

/// Whether a word says how a procedure is called, before or after its name.
pub(super) fn is_procedure_modifier(names: &Names, word: NameId) -> bool {
    let distance = matches!(keyword(word), Some(Keyword::Near(_) | Keyword::Far(_)));
    distance || convention(names.text(word)).is_some() || names_code_style(names.text(word))
}

/// Whether a word after `proc` is about code at its start and end for Windows or overlays, which is not generated.
fn names_code_style(text: &str) -> bool {
    is_code_style(text) || matches!(text, "nowindows" | "normal")
}

/// Whether a word selects such code.
pub(super) fn is_code_style(text: &str) -> bool {
    matches!(text, "windows" | "oddnear" | "oddfar")
}

/// Warns that a procedure gets a plain frame where TASM writes another one.
fn warn_of_style(parser: &mut Parser<'_>, word: NameId, place: Span) {
    let text = parser.session.names.text(word);
    if is_code_style(text) && parser.is_narrow() {
        let message = format!("the code that `{text}` adds to a procedure is not written: this one has a plain frame");
        parser
            .session
            .warn(fault(place, message).with_help("write its first and last instructions yourself"));
    }
}

/// `name proc near c uses ebx esi, a:dword, b:ptr byte`; `modifiers` are the words between `proc` and a name after it.
pub(super) fn begin_procedure<'l>(
    parser: &mut Parser<'_>,
    named: Named<'l>,
    modifiers: &[NameId],
    cursor: &mut Cursor<'l>,
) -> Statement<'l> {
    let modes = &mut *parser.modes;
    if modes.scoped_locals {
        modes.labels.begin_procedure();
    }
    let mut language = modes.decoration;
    let leaves = parser.program.layout.current_size() == CodeSize::Bits32 || modes.processor > Processor::I86;
    let mut head = Procedure {
        named,
        convention: modes.convention,
        saves: Vec::new(),
        parameters: Vec::new(),
        returned: Vec::new(),
        far: modes.far_code,
        code: modes.frame_code,
        leaves,
        given: String::new(),
    };
    for &word in modifiers {
        match keyword(word) {
            Some(Keyword::Near(_)) => head.far = false,
            Some(Keyword::Far(_)) => head.far = true,
            _ => {
                warn_of_style(parser, word, named.span);
                let text = parser.session.names.text(word);
                head.convention = convention(text).unwrap_or(head.convention);
                language = decoration(text).unwrap_or(language);
            }
        }
    }
    parser.session.names.info_mut(named.name).decoration = language;
    let parsed = procedure_head(parser, &mut head, cursor);
    later(parser, parsed);
    Statement::Procedure(Box::new(head))
}

/// Reads the operands of `proc`. A `proc` line with an error still opens a procedure.
fn procedure_head(parser: &mut Parser<'_>, head: &mut Procedure<'_>, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    let mut listed = false;
    let mut parameters = Vec::new();
    // A comma may precede the first parameter.
    cursor.eat(b',');
    while let Some(token) = cursor.peek() {
        let place = cursor.here();
        if cursor.is(b'<') {
            if let Some((given, length)) = angle_literal(cursor.raw_rest()) {
                let end = cursor.offset() + length;
                while cursor.peek().is_some_and(|token| (token.start as usize) < end) {
                    cursor.at += 1;
                }
                head.given = given;
                continue;
            }
            return Err(fault(place, "missing `>`"));
        }
        let Some((word, _)) = cursor.name() else {
            return Err(fault(place, "expected a parameter name").with_help("write `name:dword`"));
        };
        let register = parser.session.names.info(word).register;
        let text = parser.session.names.text(word);
        let typed = cursor.is(b':');
        match keyword(word) {
            Some(Keyword::Near(_)) => head.far = false,
            Some(Keyword::Far(_)) => head.far = true,
            Some(Keyword::Public) => {}
            Some(Keyword::Uses) => listed = true,
            _ if listed && register != Register::None => save(&mut head.saves, register, place)?,
            _ if !typed && convention(text).is_some() => {
                head.convention = convention(text).unwrap_or_default();
                let language = decoration(text).unwrap_or_default();
                parser.session.names.info_mut(head.named.name).decoration = language;
            }
            _ if !typed && (matches!(text, "private" | "export") || names_code_style(text)) => {
                warn_of_style(parser, word, place);
            }
            _ if !typed && cursor.text(token).is_empty() => break,
            _ => {
                cursor.at -= 1;
                parameters = declared_before_returned(parser, cursor)?;
                head.returned = declared_returned(parser, cursor)?;
                break;
            }
        }
        if cursor.eat(b',') {
            listed = false;
        }
    }
    cursor.expect_end()?;
    let mut prototype = Prototype {
        convention: head.convention,
        ..Prototype::default()
    };
    if let Some(first) = parameters.first().or(head.returned.first())
        && head.convention == Convention::None
    {
        let message = "procedure with parameters has no calling convention: the assembler sets up no frame";
        let help = "write `.model flat, stdcall` or `.model flat, c`, or name it after `proc`";
        parser.session.warn(fault(first.span, message).with_help(help));
    }
    if !parameters.is_empty() {
        prototype.variable = parameters.iter().any(|parameter| parameter.variable);
        let sizes = parameters.iter().filter(|parameter| !parameter.variable);
        prototype.sizes = sizes.map(|parameter| parameter.size).collect();
        prototype.parameters = on_stack(parser, &prototype.sizes);
        if let Some(declared) = parser.modes.prototypes.get(&head.named.name)
            && (&declared.sizes, declared.variable) != (&prototype.sizes, prototype.variable)
        {
            let problem = other_parameters(&head.named, declared, &prototype);
            later(parser, Err(problem));
        }
        head.parameters = parameters;
    }
    parser.modes.prototypes.insert(head.named.name, prototype);
    Ok(())
}

/// The bytes that parameters of these sizes take on the stack.
pub(super) fn on_stack(parser: &Parser<'_>, sizes: &[u32]) -> Vec<u32> {
    let word = u32::from(parser.word());
    sizes.iter().map(|size| size.next_multiple_of(word)).collect()
}

/// The fault for a procedure whose parameters are not those of its declaration: calls push what the declaration says.
fn other_parameters(named: &Named<'_>, declared: &Prototype, defined: &Prototype) -> Fault {
    let listed = |prototype: &Prototype| {
        let mut sizes: Vec<String> = prototype.sizes.iter().map(u32::to_string).collect();
        sizes.extend(prototype.variable.then(|| "more".to_owned()));
        match sizes.is_empty() {
            true => "none".to_owned(),
            false => sizes.join(", "),
        }
    };
    let message = format!("`{}` has other parameters than its declaration above", named.spelled);
    let help = format!(
        "make them the same: their bytes are {} there, {} here",
        listed(declared),
        listed(defined)
    );
    fault(named.span, message).with_help(help)
}

/// Parses `endp`.
pub(super) fn end_procedure(parser: &mut Parser<'_>, name: Option<NameId>, span: Span) -> Statement<'static> {
    let modes = &mut *parser.modes;
    if modes.scoped_locals && parser.program.procedures.procedure_number() != 0 {
        modes.labels.end_procedure();
    }
    Statement::EndProcedure { name, span }
}

/// Reads `name[count]:type:count, ...` up to the first token that cannot continue the list.
fn declarations(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Vec<Declared>, Fault> {
    let mut all = Vec::new();
    while let Some(token) = cursor.peek() {
        let span = cursor.span(token);
        let Kind::Name(name) = token.kind else {
            return Err(fault(span, "expected a name").with_help("write `name:dword`"));
        };
        cursor.at += 1;
        let mut count = count_in_brackets(parser, cursor)?;
        let mut declared = DeclaredType::plain(parser.word());
        if cursor.eat(b':') {
            // A name of an unknown type is declared, so that its uses are not reported too.
            declared = match declared_type(parser, cursor) {
                Ok(declared) => declared,
                Err(problem) if problem.undefined.is_some() => {
                    later(parser, Err(problem));
                    declared
                }
                Err(problem) => return Err(problem),
            };
            if cursor.eat(b':') {
                count = constant(parser, cursor)?;
            }
        }
        let DeclaredType {
            kind,
            elements,
            variable,
        } = declared;
        let element = u64::from(parser.program.structures.size_of(kind).max(1));
        let size = element.saturating_mul(u64::try_from(count).unwrap_or(u64::MAX));
        let Some(size) = u32::try_from(size)
            .ok()
            .filter(|&size| count >= 1 && size <= MOST_FRAME)
        else {
            return Err(fault(span, format!("stack frame larger than {} KiB", MOST_FRAME >> 10)));
        };
        all.push(Declared {
            name,
            spelled: cursor.text(token).to_owned(),
            kind,
            elements,
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

/// The type after a colon.
pub(super) fn declared_type(parser: &Parser<'_>, cursor: &mut Cursor<'_>) -> Result<DeclaredType, Fault> {
    let place = cursor.here();
    let Some((word, _)) = cursor.name() else {
        return Err(fault(place, "expected a type").with_help("write `dword`, `word`, `byte` or `ptr`"));
    };
    let found = keyword(word);
    if found == Some(Keyword::Ptr) || keyword_at(cursor) == Some(Keyword::Ptr) {
        // The type that is pointed to does not matter here.
        while cursor.name().is_some() {}
        let far = match found {
            Some(Keyword::Far(_)) => true,
            Some(Keyword::Near(_)) => false,
            _ => parser.modes.far_data,
        };
        return Ok(DeclaredType::plain(parser.pointer(far)));
    }
    let structure = parser.session.names.info(word).structure;
    let text = parser.session.names.text(word);
    if found == Some(Keyword::Prototype) {
        cursor.at = cursor.tokens.len();
        return Ok(DeclaredType::plain(parser.pointer(parser.modes.far_code)));
    }
    match found.and_then(|found| parser.type_of(found)) {
        Some(kind @ (Type::Near | Type::Far)) => Ok(DeclaredType::plain(parser.pointer(kind == Type::Far))),
        Some(kind) => Ok(DeclaredType {
            kind,
            elements: elements(text),
            variable: false,
        }),
        None if structure != NONE => Ok(DeclaredType {
            kind: Type::Structure(structure),
            elements: ElementKind::Unsigned,
            variable: false,
        }),
        None if let Some(kind) = parser.record_type(word) => Ok(DeclaredType {
            kind,
            elements: ElementKind::Unsigned,
            variable: false,
        }),
        None if let Some(kind) = parser.procedure_type(word) => {
            Ok(DeclaredType::plain(parser.pointer(kind == Type::Far)))
        }
        None if text == "vararg" => Ok(DeclaredType {
            variable: true,
            ..DeclaredType::plain(parser.word())
        }),
        None => {
            let spelled = parser.session.names.spelling(word);
            Err(still_open(parser, word, place).unwrap_or_else(|| {
                fault(place, format!("`{spelled}` is not a type"))
                    .with_help("write `dword`, `word`, `byte`, `ptr` or a structure name")
                    .undefined(spelled)
            }))
        }
    }
}

/// Parses `local` and `arg` after `proc`.
pub(super) fn frame_directive<'l>(
    parser: &mut Parser<'_>,
    word: Keyword,
    cursor: &mut Cursor<'l>,
    span: Span,
) -> Result<Statement<'l>, Fault> {
    let spelled = if word == Keyword::Arg { "arg" } else { "local" };
    if parser.program.procedures.open.is_empty() {
        return Err(fault(
            span,
            format!("`{spelled}` is only allowed after `proc`, or `local` at the start of a macro"),
        )
        .with_help(if parser.modes.ideal {
            "write `proc name` before it"
        } else {
            "write `name proc` before it"
        }));
    }
    let declared = match word {
        Keyword::Arg => declared_before_returned(parser, cursor)?,
        _ => declarations(parser, cursor)?,
    };
    let size = frame_size(cursor);
    let mut returned = Vec::new();
    let size = match size {
        Ok(size) => {
            if word == Keyword::Arg {
                returned = declared_returned(parser, cursor)?;
            }
            later(parser, cursor.expect_end());
            size
        }
        Err(problem) => {
            later(parser, Err(problem));
            None
        }
    };
    Ok(Statement::Frame(Box::new(Frame {
        parameters: word == Keyword::Arg,
        declared,
        returned,
        size,
    })))
}

/// Whether `returns` comes next, rather than a parameter.
fn is_returns(cursor: &Cursor<'_>) -> bool {
    let returns = |token| cursor.text(token).eq_ignore_ascii_case("returns");
    cursor.peek().is_some_and(returns)
}

/// The parameters, of which there may be none before `returns` and a name.
fn declared_before_returned(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Vec<Declared>, Fault> {
    let named = |token: &Token| matches!(token.kind, Kind::Name(_));
    if is_returns(cursor) && cursor.peek_second().is_some_and(|second| named(&second)) {
        return Ok(Vec::new());
    }
    declarations(parser, cursor)
}

/// Parses `returns name:type, ...` after parameters.
fn declared_returned(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Vec<Declared>, Fault> {
    if !is_returns(cursor) {
        return Ok(Vec::new());
    }
    cursor.at += 1;
    // A register that returns a value takes no place on the stack.
    while cursor
        .peek_name()
        .is_some_and(|name| parser.session.names.info(name).register != Register::None)
    {
        cursor.at += 1;
        cursor.eat(b',');
    }
    match cursor.done() {
        true => Ok(Vec::new()),
        false => declarations(parser, cursor),
    }
}

/// Parses `= name` after declarations.
fn frame_size<'l>(cursor: &mut Cursor<'l>) -> Result<Option<Named<'l>>, Fault> {
    if !cursor.eat(b'=') {
        return Ok(None);
    }
    match named(cursor) {
        Some(named) => Ok(Some(named)),
        None => Err(fault(cursor.here(), "expected a name for the frame size")),
    }
}

/// Adds a register that a procedure saves.
fn save(saves: &mut Vec<Register>, register: Register, place: Span) -> Result<(), Fault> {
    if saves.contains(&register) {
        return Err(fault(place, "register listed twice in `uses`").with_help("list each register once"));
    }
    saves.push(register);
    Ok(())
}

/// `uses` on a separate line after `proc`.
pub(super) fn uses_directive(
    parser: &Parser<'_>,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<Statement<'static>, Fault> {
    let mut registers = Vec::new();
    while let Some((word, token)) = cursor.name() {
        let register = parser.session.names.info(word).register;
        if register == Register::None {
            return Err(fault(cursor.span(token), "expected a register after `uses`"));
        }
        save(&mut registers, register, cursor.span(token))?;
        cursor.eat(b',');
    }
    cursor.expect_end()?;
    Ok(Statement::Saves { registers, span })
}

/// The kind of the elements of a type, by its name.
pub(super) fn elements(word: &str) -> ElementKind {
    match word {
        "sbyte" | "sword" | "sdword" => ElementKind::Signed,
        "real4" | "real8" | "real10" => ElementKind::Real,
        _ => ElementKind::Unsigned,
    }
}
