//! Directives: the meaning of each keyword; larger ones have separate files.

use super::Parser;
use super::argument::one_argument;
use super::block::block;
use super::condition::{self, condition};
use super::data::{data, padding};
use super::equate::{equate, type_definition};
use super::escape::escape;
use super::expression::expression;
use super::extended::{fast_multiply, move_field};
use super::external::{external, public};
use super::function::{Words, text_directive, text_items};
use super::generated::{generate_instruction, later};
use super::invoke::{invoke, procedure_type, prototype};
use super::keyword::{Declares, Keyword};
use super::line::uncommented_rest;
use super::macros::{begin_macro, begin_repeat, unnamed_macro};
use super::model::{self, model, set_processor, startup};
use super::named_type::named_type;
use super::next_generated::next_generated;
use super::number_in;
use super::object::{has_methods, object};
use super::option::{change_flags, context, options};
use super::procedure::{begin_procedure, declared_type, elements, end_procedure, frame_directive, uses_directive};
use super::record::{enumeration, record, record_data};
use super::reserved::keyword;
use super::segment::{align, assume, begin_segment, group, origin, simplified_segment, stack};
use super::structure::{begin_structure, structure_data};
use super::{keyword_at, wording};
use crate::diag::{Fault, Span, fault};
use crate::dialect::{Parsed, named};
use crate::expression::Type;
use crate::lex::{Cursor, Token};
use crate::names::NameId;
use crate::statement::{Alignment, Collect, External, Head, Named, RealFormat, Segment, Statement};
use p5_image::ElementKind;
use std::rc::Rc;

/// Parses a directive without a name before it. Most are statements; some only set a mode.
pub(super) fn directive<'l>(
    parser: &mut Parser<'_>,
    word: Keyword,
    cursor: &mut Cursor<'l>,
    span: Span,
    token: Token,
) -> Parsed<'l> {
    if word.ends_its_statement() && !word.defines_name_after() {
        later(parser, cursor.expect_end());
    }
    let statement = match word {
        Keyword::Define(size) | Keyword::TypeOfSize(size) => {
            data(parser, None, size, ElementKind::Unsigned, cursor, span)
        }
        Keyword::Extern(Declares::Shared) if has_methods(cursor) => match named(cursor) {
            Some(named) => object(parser, (named.name, named.spelled), cursor, true, span)?,
            None => return Err(fault(cursor.here(), "expected the name of an object")),
        },
        Keyword::Extern(declares) => external(parser, cursor, declares)?,
        Keyword::Code
        | Keyword::Data
        | Keyword::DataUninitialised
        | Keyword::Const
        | Keyword::FarData
        | Keyword::FarUninitialised => simplified_segment(word, cursor)?,
        Keyword::Ends => Statement::Ends { name: None, span },
        Keyword::Assume => assume(parser, cursor)?,
        Keyword::Stack => return stack(parser, cursor, span),
        Keyword::Model => return model(parser, cursor),
        Keyword::Startup => match startup(parser, cursor.text(token), span)? {
            Some(origin) => origin,
            None => return next_generated(parser).transpose(),
        },
        Keyword::Exit => {
            let made = model::exit(parser, cursor, span);
            later(parser, made);
            return next_generated(parser).transpose();
        }
        Keyword::Org => origin(parser, cursor)?,
        Keyword::Align => align(parser, cursor, span)?,
        Keyword::Even => Statement::Align {
            alignment: Alignment::of(2),
            span,
        },
        Keyword::Pad => padding(parser, cursor, span)?,
        Keyword::IncludeBinary => include_binary(parser, cursor, span)?,
        Keyword::PushContext | Keyword::PopContext => context(parser, word, cursor, span)?,
        Keyword::Flags(operation) => {
            change_flags(parser, operation, cursor, span)?;
            return next_generated(parser).transpose();
        }
        Keyword::RecordField(into) => {
            move_field(parser, into, cursor, span)?;
            return next_generated(parser).transpose();
        }
        Keyword::FastMultiply => {
            fast_multiply(parser, cursor, span)?;
            return next_generated(parser).transpose();
        }
        Keyword::ReturnByModel => {
            let word = if parser.modes.far_code { "retf" } else { "retn" };
            let text = format!("{word} {}", cursor.take_rest());
            generate_instruction(parser, text.trim_end().to_owned(), span);
            return next_generated(parser).transpose();
        }
        Keyword::Escape => {
            escape(parser, cursor, span)?;
            return next_generated(parser).transpose();
        }
        Keyword::PushSegment => Statement::Segment(Segment::Save { span }),
        Keyword::PopSegment => Statement::Segment(Segment::Restore { span }),
        Keyword::End => end(parser, cursor)?,
        Keyword::EndProc => end_procedure(parser, None, span),
        Keyword::Local | Keyword::Arg => frame_directive(parser, word, cursor, span)?,
        Keyword::Uses => uses_directive(parser, cursor, span)?,
        Keyword::Structure | Keyword::Union if parser.program.structures.open.is_some() => Statement::Structure {
            name: cursor.name().map(|(name, _)| name),
            union: word == Keyword::Union,
            alignment: None,
            base: None,
            span,
        },
        Keyword::Macro => unnamed_macro(parser, cursor, span),
        Keyword::ExitMacro => exit(parser, cursor, span)?,
        Keyword::GoTo => go_to(cursor, span)?,
        Keyword::Purge => purge(cursor),
        Keyword::Public => public(parser, cursor),
        Keyword::Repeat | Keyword::For | Keyword::ForCharacter | Keyword::While => {
            begin_repeat(parser, word, cursor, span)
        }
        Keyword::Calibration if parser.session.in_library => Statement::Collect(Box::new(Collect {
            head: Head::Calibration,
            first: None,
            span,
        })),
        Keyword::Include => include(cursor, span)?,
        Keyword::Comment => return comment(cursor, span),
        Keyword::Invoke => {
            let invoked = invoke(parser, cursor, span);
            later(parser, invoked);
            return next_generated(parser).transpose();
        }
        Keyword::Block(word) => {
            let made = block(parser, word, cursor, span);
            later(parser, made);
            return next_generated(parser).transpose();
        }
        _ if condition::concerns(word) => condition(parser, word, cursor, span),
        _ => return mode(parser, word, cursor, span, token).map(|()| None),
    };
    Ok(Some(statement))
}

/// Handles keywords that only set a mode or have no effect; others are faults because they cannot start a statement.
fn mode(
    parser: &mut Parser<'_>,
    word: Keyword,
    cursor: &mut Cursor<'_>,
    span: Span,
    token: Token,
) -> Result<(), Fault> {
    match word {
        Keyword::Tolerated if [".mmx", "pmmx"].contains(&cursor.text(token).to_ascii_lowercase().as_str()) => {
            parser.session.mmx = true;
        }
        Keyword::IncludeLibrary => include_library(parser, cursor, span),
        Keyword::Jumps(lengthen) => parser.modes.jumps = lengthen,
        Keyword::Option => return options(parser, cursor),
        Keyword::Tolerated => {
            let what = cursor.text(token).to_ascii_lowercase();
            parser.session.note_ignored(what, span);
        }
        Keyword::Echo => {}
        Keyword::Processor(processor) => set_processor(parser, processor, cursor.text(token)),
        Keyword::Coprocessor(of) => parser.modes.coprocessor = of,
        Keyword::MicrosoftReals => parser.modes.reals = RealFormat::Microsoft,
        Keyword::Error => return Err(condition::error(cursor, cursor.text(token), span)),
        Keyword::ErrorIf(test) => return condition::error_if(parser, test, cursor, span),
        Keyword::Radix => {
            let radix = std::mem::replace(&mut parser.modes.radix, 10);
            match number_in(parser, cursor.rest().trim(), cursor.here()) {
                Ok(number @ 2..=16) => parser.modes.radix = number as u32,
                _ => {
                    parser.modes.radix = radix;
                    return Err(fault(cursor.here(), "radix must be a decimal number from 2 to 16"));
                }
            }
        }
        Keyword::Locals => {
            parser.modes.scoped_locals = true;
            if let Ok(prefix) = <[u8; 2]>::try_from(cursor.rest().trim().to_ascii_lowercase().as_bytes()) {
                parser.modes.local_prefix = prefix;
            }
        }
        Keyword::NoLocals => parser.modes.scoped_locals = false,
        Keyword::Ideal => {
            parser.modes.ideal = true;
            parser.modes.scoped_locals = true;
            word_remedies(parser);
        }
        Keyword::Masm => {
            parser.modes.ideal = false;
            word_remedies(parser);
        }
        Keyword::PushState => {
            let modes = &mut *parser.modes;
            if modes.saved.len() > 256 {
                return Err(fault(span, "saved states are nested deeper than 256"));
            }
            modes.saved.push((modes.radix, modes.scoped_locals, modes.ideal));
        }
        Keyword::PopState => {
            let modes = &mut *parser.modes;
            match modes.saved.pop() {
                Some(saved) => {
                    (modes.radix, modes.scoped_locals, modes.ideal) = saved;
                    word_remedies(parser);
                }
                None => return Err(fault(span, "no saved state to restore").with_help("write `pushstate` before it")),
            }
        }
        _ => return Err(misplaced(word, span, cursor.text(token), parser.modes.ideal)),
    }
    Ok(())
}

fn word_remedies(parser: &mut Parser<'_>) {
    let ideal = parser.modes.ideal;
    parser
        .session
        .word_remedies(if ideal { wording::ideal } else { wording::wording });
}

fn misplaced(word: Keyword, span: Span, text: &str, ideal: bool) -> Fault {
    match word {
        Keyword::Label | Keyword::Proc | Keyword::Structure | Keyword::Union if ideal => {
            let word = text.to_ascii_lowercase();
            let rest = if word == "label" { " dword" } else { "" };
            fault(span, format!("expected a name after `{word}`")).with_help(format!("write `{word} name{rest}`"))
        }
        Keyword::Label => fault(span, "expected a name before `label`").with_help("write `name label dword`"),
        Keyword::Proc => fault(span, "expected a name before `proc`").with_help("write `name proc`"),
        Keyword::Structure | Keyword::Union => {
            fault(span, "expected a name before `struc`").with_help("write `name struc`")
        }
        Keyword::Record => fault(span, "expected a name before `record`").with_help("write `name record field:width`"),
        Keyword::EndMacro => fault(span, "unmatched `endm`"),
        Keyword::Calibration | Keyword::EndCalibration => fault(
            span,
            "this file is a copy of the bundled library, which is not read from a copy",
        )
        .with_help("remove or rename the file: `include p5.inc` then includes the bundled library")
        .deciding(),
        _ => fault(span, format!("`{text}` cannot start a statement")),
    }
}

/// Parses `name keyword ...`, which defines a name.
pub(super) fn definition<'l>(
    parser: &mut Parser<'_>,
    named: Named<'l>,
    second: NameId,
    cursor: &mut Cursor<'l>,
) -> Parsed<'l> {
    let span = named.span;
    let Some(word) = keyword(second) else {
        if let Some(record) = parser.program.structures.records.get(&second).map(Rc::clone) {
            return record_data(parser, Some(named), (second, &record), cursor, span).map(Some);
        }
        let structure = parser.session.names.info(second).structure;
        return structure_data(parser, Some(named), structure, cursor, span).map(Some);
    };
    if word.ends_its_statement() {
        later(parser, cursor.expect_end());
    }
    let statement = match word {
        Keyword::Define(size) | Keyword::TypeOfSize(size) => {
            // A field of that name is found after a point.
            if keyword(named.name).is_some_and(Keyword::is_operator) && parser.program.structures.open.is_none() {
                let message = format!("`{}` is an operator and cannot name a variable", named.spelled);
                return Err(fault(named.span, message).with_help("choose another name"));
            }
            let elements = elements(parser.session.names.text(second));
            data(parser, Some(named), size, elements, cursor, span)
        }
        // `name far ptr type ?`: a pointer, whatever it points to.
        Keyword::Ptr | Keyword::Near(_) | Keyword::Far(_) => {
            cursor.at -= 1;
            let declared = declared_type(parser, &mut cursor.clone())?;
            while cursor.name().is_some() {}
            let size = u8::try_from(parser.program.structures.size_of(declared.kind)).unwrap_or(4);
            data(parser, Some(named), size, ElementKind::Unsigned, cursor, span)
        }
        Keyword::Prototype => {
            prototype(parser, named.name, cursor)?;
            let kind = parser.code();
            Statement::Extern(vec![External::one(named, kind)])
        }
        Keyword::TypeDefinition if keyword_at(cursor) == Some(Keyword::Prototype) => {
            cursor.at += 1;
            return procedure_type(parser, named.name, cursor);
        }
        Keyword::TypeDefinition => type_definition(parser, named, cursor)?,
        Keyword::Equ => equate(parser, named, cursor),
        Keyword::TextEqu | Keyword::SubString | Keyword::InString | Keyword::SizeString => {
            text_directive(parser, word, named, cursor)?
        }
        Keyword::Macro => begin_macro(parser, named, cursor),
        Keyword::Label => label(parser, named, cursor)?,
        Keyword::Proc => begin_procedure(parser, named, &[], cursor),
        Keyword::EndProc => end_procedure(parser, Some(named.name), span),
        Keyword::Structure if has_methods(cursor) => object(parser, (named.name, named.spelled), cursor, false, span)?,
        Keyword::Structure | Keyword::Union => {
            begin_structure(parser, named.name, word == Keyword::Union, cursor, span)?
        }
        Keyword::Record => record(parser, named.name, cursor)?,
        Keyword::Enumeration => enumeration(parser, named, cursor)?,
        Keyword::Segment => begin_segment(parser, named, cursor)?,
        Keyword::Ends => Statement::Ends {
            name: Some(named.name),
            span,
        },
        Keyword::Group => group(named, cursor),
        _ => return Err(fault(span, "invalid definition")),
    };
    Ok(Some(statement))
}

/// `name label type`.
fn label<'l>(parser: &Parser<'_>, named: Named<'l>, cursor: &mut Cursor<'l>) -> Result<Statement<'l>, Fault> {
    let place = cursor.here();
    let kind = match cursor.peek() {
        None => Some(Type::Near),
        Some(_) => named_type(parser, cursor),
    };
    let Some(kind) = kind else {
        return Err(fault(place, "expected a type after `label`")
            .with_help("write `byte`, `word`, `dword`, `near` or a structure name"));
    };
    cursor.expect_end()?;
    Ok(Statement::Place { named, kind })
}

/// `end start`. In an included file it also ends the program.
fn end(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Statement<'static>, Fault> {
    let mut start = None;
    if !cursor.done() {
        let span = cursor.here();
        start = Some((expression(parser, cursor)?, span));
    }
    later(parser, cursor.expect_end());
    Ok(Statement::End { start })
}

fn include(cursor: &Cursor<'_>, span: Span) -> Result<Statement<'static>, Fault> {
    let name = uncommented_rest(cursor).trim_matches(['<', '>', '"', '\'']);
    if name.is_empty() {
        return Err(fault(span, "expected a file name after `include`"));
    }
    let whole = cursor.line.span(0, cursor.line.text.len() as u32);
    Ok(Statement::Include {
        name: name.to_owned(),
        span: Span {
            end: span.end.max(whole.end),
            ..span
        },
    })
}

/// `includelib file`: objects name the library to the linker.
fn include_library(parser: &mut Parser<'_>, cursor: &Cursor<'_>, span: Span) {
    const MOST: usize = 1000;
    let name = uncommented_rest(cursor).trim_matches(['<', '>', '"', '\'']).trim();
    let libraries = &mut parser.session.libraries;
    let of_object = parser.program.fields.is_some();
    if of_object && !name.is_empty() && libraries.len() < MOST && !libraries.iter().any(|known| known == name) {
        libraries.push(name.to_owned());
    } else if !of_object {
        parser.session.note_ignored("includelib".to_owned(), span);
    }
}

/// `incbin file, start, length`.
fn include_binary(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<Statement<'static>, Fault> {
    let raw = uncommented_rest(cursor);
    let (name, after) = one_argument(raw);
    let name = name.trim_matches(['<', '>', '"', '\'']).to_owned();
    if name.is_empty() {
        return Err(fault(span, "expected a file name after `incbin`"));
    }
    let mut numbers = [0, i64::MAX];
    let parts = after.trim_start().trim_start_matches(',').split(',').map(str::trim);
    for (number, part) in numbers.iter_mut().zip(parts).filter(|(_, part)| !part.is_empty()) {
        *number = number_in(parser, part, span)?;
    }
    if numbers.iter().any(|&number| number < 0) {
        let problem = fault(span, "`incbin` begins at a byte from 0 on, and takes 0 or more");
        return Err(problem.with_help("write for example `incbin picture.bin,100,64000`"));
    }
    let [start, length] = numbers.map(|number| usize::try_from(number).unwrap_or(0));
    Ok(Statement::IncludeBinary {
        name,
        start,
        length,
        span,
    })
}

/// `comment` and a delimiter: every line up to the next delimiter is skipped.
fn comment<'l>(cursor: &Cursor<'l>, span: Span) -> Parsed<'l> {
    let place = cursor.tokens.first().map_or(0, |token| token.end as usize);
    let text = if cursor.done() {
        cursor.line.text.get(place..).unwrap_or("")
    } else {
        cursor.raw_rest()
    };
    let mut characters = text.trim_start().chars();
    let Some(delimiter) = characters.next() else {
        return Err(fault(span, "expected a delimiter after `comment`"));
    };
    let ended = characters.any(|character| character == delimiter);
    Ok((!ended).then_some(Statement::Comment { delimiter, span }))
}

/// `exitm`, followed by the value of a macro function.
fn exit(parser: &mut Parser<'_>, cursor: &Cursor<'_>, span: Span) -> Result<Statement<'static>, Fault> {
    let mut value = None;
    if !cursor.done() {
        value = Some(text_items(parser, uncommented_rest(cursor), Words::Expanded, span)?.concat());
    }
    Ok(Statement::Exit { value, span })
}

/// `goto label`.
fn go_to<'l>(cursor: &mut Cursor<'l>, span: Span) -> Result<Statement<'l>, Fault> {
    let Some(label) = named(cursor) else {
        return Err(fault(cursor.here(), "expected a macro label after `goto`"));
    };
    cursor.expect_end()?;
    Ok(Statement::GoTo {
        label: Named { span, ..label },
    })
}

/// `purge macro, macro`.
fn purge<'l>(cursor: &mut Cursor<'l>) -> Statement<'l> {
    let mut macros = Vec::new();
    while let Some(named) = named(cursor) {
        macros.push(named);
        cursor.eat(b',');
    }
    Statement::Purge { macros }
}
