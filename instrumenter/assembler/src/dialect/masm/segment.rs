//! Segments: `segment`, `group`, `assume`, `.code`, `.data` and similar, `org`, `align`.

use super::expression::{constant, expression};
use super::generated::later;
use super::{Keyword, Parser, bare_com, keyword};
use crate::diag::{Fault, Span, fault};
use crate::expression::{NodeKind, Type};
use crate::lex::{Cursor, Kind};
use crate::module::Combine;
use crate::names::NONE;
use crate::operand::CodeSize;
use crate::statement::{Alignment, Holds, Named, Placing, Segment, SegmentHead, SegmentRole, Statement};
use iced_x86::Register;

const SEGMENT_REGISTERS: [Register; 6] = [
    Register::ES,
    Register::CS,
    Register::SS,
    Register::DS,
    Register::FS,
    Register::GS,
];

/// `.code`, `.data` and similar directives.
pub(super) fn simplified_segment<'l>(word: Keyword, cursor: &mut Cursor<'l>) -> Result<Statement<'l>, Fault> {
    let name = match cursor.name() {
        Some((_, token)) => Some(cursor.text(token)),
        None => match cursor.peek() {
            Some(token) if token.kind == Kind::String => {
                cursor.at += 1;
                Some(cursor.text(token).trim_matches(['\'', '"']))
            }
            _ if word == Keyword::FarUninitialised => Some("FAR_BSS"),
            _ => None,
        },
    };
    cursor.expect_end()?;
    let role = match word {
        Keyword::Code => SegmentRole::Code,
        Keyword::DataUninitialised => SegmentRole::Uninitialised,
        Keyword::Const => SegmentRole::Constants,
        Keyword::FarData | Keyword::FarUninitialised => SegmentRole::Far,
        _ => SegmentRole::Data,
    };
    Ok(Statement::Segment(Segment::Usual { role, name }))
}

/// `name segment dword public use32 'CODE'`.
pub(super) fn begin_segment<'l>(
    parser: &mut Parser<'_>,
    named: Named<'l>,
    cursor: &mut Cursor<'l>,
) -> Result<Statement<'l>, Fault> {
    let is_code = |text: &str| text.to_ascii_uppercase().contains("CODE");
    let mut head = SegmentHead {
        named,
        code: is_code(named.spelled) || named.spelled.to_ascii_uppercase().contains("TEXT"),
        size: None,
        default_size: CodeSize::Bits32,
        alignment: None,
        placing: None,
        class: None,
        combine: None,
    };
    while let Some(token) = cursor.next() {
        let Kind::Name(_) = token.kind else {
            match token.kind {
                Kind::String => {
                    let class = cursor.text(token).trim_matches(['\'', '"']);
                    head.code = is_code(class);
                    head.class = Some(class);
                }
                Kind::Bad(why) => return Err(fault(cursor.span(token), why)),
                _ => {}
            }
            continue;
        };
        match cursor.text(token).to_ascii_lowercase().as_str() {
            "use32" | "flat" => head.size = Some(CodeSize::Bits32),
            "use16" => head.size = Some(CodeSize::Bits16),
            "byte" => head.alignment = Some(1),
            "word" => head.alignment = Some(2),
            "dword" => head.alignment = Some(4),
            "para" => head.alignment = Some(16),
            "page" => head.alignment = Some(256),
            "public" | "memory" => head.combine = Some(Combine::Public),
            "private" => head.combine = Some(Combine::Private),
            "common" => head.combine = Some(Combine::Common),
            "stack" => head.placing = Some(Placing::Stack),
            "at" => {
                let place = cursor.here();
                let paragraph = constant(parser, cursor)?;
                let Ok(paragraph) = u16::try_from(paragraph) else {
                    return Err(fault(
                        place,
                        format!("{paragraph} is not a paragraph: those are 0 to 0FFFFh"),
                    ));
                };
                head.placing = Some(Placing::At(paragraph));
            }
            _ => {}
        }
    }
    if head.size == Some(CodeSize::Bits32) {
        parser.modes.wide = true;
    } else if !parser.modes.wide {
        head.default_size = CodeSize::Bits16;
    } else if head.size.is_none() && parser.modes.by_processor {
        parser.session.size_assumed = true;
        if parser.session.assume_narrow {
            head.default_size = CodeSize::Bits16;
        }
    }
    Ok(Statement::Segment(Segment::Begin(Box::new(head))))
}

/// `name group segment, segment`.
pub(super) fn group<'l>(named: Named<'l>, cursor: &mut Cursor<'l>) -> Statement<'l> {
    let mut members = Vec::new();
    while let Some(token) = cursor.next() {
        match token.kind {
            Kind::Name(name) if keyword(name) != Some(Keyword::Seg) => members.push((name, cursor.span(token))),
            _ => {}
        }
    }
    Statement::Group { named, members }
}

/// `assume cs:code, ds:data, es:nothing`, or `assume nothing`, which also clears all before it in a list.
pub(super) fn assume(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Statement<'static>, Fault> {
    let mut registers = Vec::new();
    while !cursor.done() {
        let place = cursor.here();
        let Some((word, token)) = cursor.name() else {
            return Err(fault(place, "expected a segment register").with_help("write `assume ds:segment`"));
        };
        let register = parser.session.names.info(word).register;
        if register == Register::None && parser.session.names.text(word) == "nothing" {
            registers.clear();
            registers.extend(SEGMENT_REGISTERS.map(|register| (register, Holds::Nothing)));
            if cursor.eat(b',') {
                continue;
            }
            break;
        }
        if !cursor.eat(b':') {
            return Err(fault(cursor.here(), "expected `:` after the register"));
        }
        if register == Register::None {
            let message = format!("`{}` is no register", cursor.text(token));
            return Err(fault(place, message).with_help("write `assume ds:segment`"));
        }
        if register.is_gpr16() || register.is_gpr32() {
            let structure = pointed(parser, *cursor).map(Type::Structure);
            parser.modes.pointed[register.number() & 7] = structure.or_else(|| pointed_size(*cursor));
        }
        let holds = held(parser, cursor)?;
        // MASM also takes types of general registers, and `error`.
        if register.is_segment_register() {
            registers.push((register, holds));
        }
        if !cursor.eat(b',') {
            break;
        }
    }
    // An empty list would clear all assumptions.
    let empty = registers.is_empty();
    cursor.expect_end()?;
    if empty {
        registers.push((Register::None, Holds::Nothing));
    }
    Ok(Statement::Assume(registers))
}

/// The structure in `ptr structure`, or that of a type that points to one, which a register is assumed to point to.
pub(super) fn pointed(parser: &Parser<'_>, mut cursor: Cursor<'_>) -> Option<u32> {
    let (word, _) = cursor.name()?;
    if let Some(&structure) = parser.modes.pointers.get(&word) {
        return Some(structure);
    }
    if keyword(word) != Some(Keyword::Ptr) {
        return None;
    }
    let (name, _) = cursor.name()?;
    Some(parser.session.names.info(name).structure).filter(|&structure| structure != NONE)
}

/// The type in `ptr byte` and the like, which is what a register is assumed to point to.
fn pointed_size(mut cursor: Cursor<'_>) -> Option<Type> {
    let (word, _) = cursor.name()?;
    let (size, _) = cursor.name().filter(|_| keyword(word) == Some(Keyword::Ptr))?;
    match keyword(size)? {
        Keyword::TypeOfSize(size) => Some(Type::Bytes(size)),
        _ => None,
    }
}

/// The operand after the colon: `nothing`, the name of a segment or group, or `seg name`.
fn held(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Holds, Fault> {
    let place = cursor.here();
    let Some((word, token)) = cursor.name() else {
        return Err(fault(place, "expected a segment or a group"));
    };
    if keyword(word) == Some(Keyword::Seg) {
        return Ok(Holds::SegmentOf(expression(parser, cursor)?));
    }
    let holds = match parser.session.names.text(word) {
        "nothing" | "error" | "flat" => Holds::Nothing,
        _ if keyword(word).is_some_and(|word| !word.may_be_a_name()) => Holds::Nothing,
        _ => Holds::Named(word, cursor.span(token)),
    };
    // `ptr type` of a general register.
    while cursor.peek_name().is_some() {
        cursor.at += 1;
    }
    Ok(holds)
}

/// `.stack bytes`.
pub(super) fn stack(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    span: Span,
) -> Result<Option<Statement<'static>>, Fault> {
    const USUAL: i64 = 1024;
    if !parser.program.layout.segmented {
        return Ok(None);
    }
    let place = cursor.here();
    let bytes = if cursor.done() {
        USUAL
    } else {
        constant(parser, cursor)?
    };
    match u32::try_from(bytes) {
        Ok(bytes @ 1..=0x1_0000) => Ok(Some(Statement::Stack { bytes, span })),
        _ => Err(fault(place, format!("a stack has 1 to 65536 bytes, not {bytes}"))),
    }
}

/// `org address`.
pub(super) fn origin(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<Statement<'static>, Fault> {
    let span = cursor.here();
    let target = expression(parser, cursor)?;
    let number = match parser.session.expressions.node(target).kind {
        NodeKind::Number(number) => Some(number),
        _ => None,
    };
    let com = bare_com::begin(parser, number, span);
    later(parser, cursor.expect_end());
    Ok(com.unwrap_or(Statement::Origin { target, span }))
}

/// `align unit`, and for compilers' source `align unit, most` and `align unit, most, fill`.
pub(super) fn align(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Result<Statement<'static>, Fault> {
    let place = cursor.here();
    let unit = if cursor.done() { 4 } else { constant(parser, cursor)? };
    if !(1..=65_536).contains(&unit) || unit & (unit - 1) != 0 {
        return Err(fault(
            place,
            format!("alignment must be a power of two up to 65536, not {unit}"),
        ));
    }
    let mut alignment = Alignment::of(unit as u32);
    if parser.program.layout.sections && cursor.eat(b',') {
        alignment.most = constant(parser, cursor)? as u32;
        if cursor.eat(b',') {
            alignment.fill = Some(constant(parser, cursor)? as u8);
        }
    }
    cursor.expect_end()?;
    Ok(Statement::Align { alignment, span })
}
