//! Where lines go: `section`, `bits`, `org`, `align`, `global`, `extern`, and what precedes the first of them.

use super::data::{Word, word as data_word};
use super::expression::{constant, expression, word_at};
use super::instruction::expect_end;
use super::{Modes, Parser, Pending, unsupported};
use crate::diag::{Fault, Span, fault};
use crate::dialect::Parsed;
use crate::dialect::named;
use crate::expression::{NodeKind, Type};
use crate::lex::{Cursor, Kind};
use crate::operand::CodeSize;
use crate::program::{Program, evaluate};
use crate::statement::{Alignment, External, MemoryModel, Segment, SegmentHead, SegmentRole, Statement};

/// Where DOS puts a COM program.
const COM_ORIGIN: i64 = 0x100;
/// The most that lines can be aligned to.
const MOST_ALIGNED: i64 = 1 << 16;
/// The byte that fills up code and data, as NASM does: NOP.
const NOP: u8 = 0x90;

/// The words of this file.
const WORDS: [&str; 12] = [
    "section", "segment", "bits", "use16", "use32", "org", "align", "alignb", "global", "static", "extern", "required",
];
/// Words without an effect here.
const WITHOUT_EFFECT: [&str; 4] = ["default", "cpu", "warning", "map"];
/// Words of NASM that are refused, each with what to do.
const REFUSED: [(&str, &str); 10] = [
    ("absolute", "write `struc` for offsets, or `equ` for addresses"),
    (
        "common",
        "reserve it in one source: `section .bss`, `name: resd 1`, `global name`",
    ),
    ("group", "all sections of a program are in one segment here"),
    ("uppercase", "names keep their case here"),
    ("import", "a run has no libraries of Windows"),
    ("export", "a run has no libraries of Windows"),
    ("library", "name the object files after the source"),
    ("module", "name the object files after the source"),
    ("sectalign", "write `align=` behind the name of the section"),
    ("float", "real numbers are rounded to the nearest"),
];

/// Whether a word in lower case is a directive of this file.
pub(super) fn is_directive(word: &str) -> bool {
    WORDS.contains(&word) || WITHOUT_EFFECT.contains(&word) || REFUSED.iter().any(|(name, _)| *name == word)
}

/// The statement of a directive; the cursor is behind its word.
pub(super) fn directive<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, word: &str, span: Span) -> Parsed<'l> {
    if let Some((_, help)) = REFUSED.iter().find(|(name, _)| *name == word) {
        return Err(unsupported(span, word, help));
    }
    match word {
        "section" | "segment" => section(parser, cursor),
        "bits" => {
            let place = cursor.here();
            let bits = constant(parser, cursor)?;
            expect_end(parser, cursor)?;
            let size = match bits {
                16 => CodeSize::Bits16,
                32 => CodeSize::Bits32,
                64 => {
                    let help = "write it for 32 bits: a Pentium has no others";
                    return Err(fault(place, "a Pentium has no 64-bit code").with_help(help));
                }
                _ => return Err(fault(place, "`bits` is followed by 16 or 32")),
            };
            sized(parser, size, span)
        }
        "use16" => sized(parser, CodeSize::Bits16, span),
        "use32" => sized(parser, CodeSize::Bits32, span),
        "org" => origin(parser, cursor, span),
        "align" | "alignb" => align(parser, cursor, word == "alignb", span).map(Some),
        "global" | "static" => public(parser, cursor, word == "global"),
        "extern" | "required" => external(parser, cursor).map(Some),
        _ => {
            cursor.at = cursor.tokens.len();
            Ok(None)
        }
    }
}

/// Decides the size of code before the first statement.
pub(super) fn begin(parser: &mut Parser<'_>, span: Span) {
    parser.modes.begun = true;
    let text = parser.session.files.first().map(|file| file.text.clone());
    let text = text.unwrap_or_default();
    let mut has_origin = None;
    let mut bits = None;
    for line in text.lines() {
        let code = &line[..super::tokens::comment_start(line)];
        let lower = code.to_ascii_lowercase();
        let words: Vec<&str> = lower
            .split([' ', '\t', '[', ']'])
            .filter(|word| !word.is_empty())
            .collect();
        match words[..] {
            ["bits", "16", ..] | ["use16"] => bits = bits.or(Some(CodeSize::Bits16)),
            ["bits", "32", ..] | ["use32"] => bits = bits.or(Some(CodeSize::Bits32)),
            ["org", ..] => has_origin = Some(()),
            _ => {}
        }
    }
    let usual = if has_origin.is_some() {
        CodeSize::Bits16
    } else {
        CodeSize::Bits32
    };
    parser.modes.bits = bits.unwrap_or(usual);
    let pending = &mut parser.modes.pending;
    if parser.modes.bits == CodeSize::Bits16 {
        pending.push_back(Pending::Statement(Statement::Model(TINY)));
    }
    pending.push_back(Pending::Statement(usual_section(SegmentRole::Code)));
    if parser.modes.bits == CodeSize::Bits16 && has_origin.is_none() {
        let message = "16-bit code without `org` is taken as a COM program, which DOS puts at 100h";
        parser
            .session
            .warn(fault(span, message).with_help("write `org 100h` before it"));
        pending.push_back(Pending::ComOrigin(span));
    }
}

/// All code and data in one segment of 64 KiB.
const TINY: MemoryModel = MemoryModel {
    tiny: true,
    texts: [("@data", "DGROUP"), ("@code", "DGROUP")],
    numbers: [
        ("@wordsize", 2),
        ("@model", 1),
        ("@codesize", 0),
        ("@datasize", 0),
        ("@32bit", 0),
    ],
};

/// The origin of a COM program.
pub(super) fn com_origin(parser: &mut Parser<'_>, span: Span) -> Statement<'static> {
    let target = parser.session.expressions.push(NodeKind::Number(COM_ORIGIN), span);
    note_origin(parser);
    Statement::Origin { target, span }
}

/// Has the start of the section be where the next statement begins.
fn note_origin(parser: &mut Parser<'_>) {
    parser.modes.moved = Some(parser.program.layout.current);
}

/// Notes where a section begins that an origin has just moved.
pub(super) fn note_start(parser: &mut Parser<'_>) {
    let here = parser.program.layout.location();
    if parser.modes.moved == Some(here.segment) {
        parser.modes.moved = None;
        parser.modes.starts.insert(here.segment, here);
    }
}

fn usual_section(role: SegmentRole) -> Statement<'static> {
    Statement::Segment(Segment::Usual { role, name: None })
}

/// `bits 16` and `bits 32`: all code of a program has one size.
fn sized(parser: &mut Parser<'_>, size: CodeSize, span: Span) -> Parsed<'static> {
    if size == parser.modes.bits {
        return Ok(None);
    }
    let (own, other) = match size {
        CodeSize::Bits16 => (32, 16),
        CodeSize::Bits32 => (16, 32),
    };
    let message = format!("code of {other} bits in a program of {own} bits is not supported");
    Err(fault(span, message).with_help("make two sources of it, each with one `bits`"))
}

/// `section .data align=16`.
fn section<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Parsed<'l> {
    let Some(head) = named(cursor) else {
        let help = "write `section .text`, `section .data` or `section .bss`";
        return Err(fault(cursor.here(), "expected the name of a section").with_help(help));
    };
    let usual = match head.spelled {
        ".text" => Some(SegmentRole::Code),
        ".data" => Some(SegmentRole::Data),
        ".bss" => Some(SegmentRole::Uninitialised),
        ".rodata" => Some(SegmentRole::Constants),
        _ => None,
    };
    let mut code = usual == Some(SegmentRole::Code) || head.spelled.starts_with(".text");
    let mut alignment = None;
    while let Some(word) = word_at(parser, cursor) {
        let place = cursor.here();
        cursor.at += 1;
        match word.as_str() {
            "exec" => code = true,
            "code" if !cursor.is(b'=') => code = true,
            "class" if cursor.eat(b'=') => {
                code |= word_at(parser, cursor).is_some_and(|class| class.contains("code"));
                cursor.at += 1;
            }
            "noexec" | "progbits" | "nobits" | "alloc" | "noalloc" | "write" | "nowrite" | "data" | "bss" | "rdata"
            | "public" | "private" | "stack" | "use32" | "flat" | "tls" | "note" => {}
            "align" if cursor.eat(b'=') => {
                alignment = Some(power(parser, cursor, place)?);
            }
            _ => {
                let help = "leave it out: a run places the sections";
                return Err(unsupported(place, &format!("section ... {word}"), help));
            }
        }
    }
    expect_end(parser, cursor)?;
    let opened = std::mem::take(&mut parser.modes.opened);
    let begins = match (usual, alignment) {
        (Some(role), None) => {
            let usual = usual_section(role);
            if !opened {
                return Ok(Some(usual));
            }
            parser.modes.pending.push_back(Pending::Statement(usual));
            None
        }
        _ => Some(Statement::Segment(Segment::Begin(Box::new(SegmentHead {
            named: head,
            code,
            size: None,
            default_size: parser.modes.bits,
            alignment: alignment.map(|alignment| alignment as u32),
            placing: None,
            class: None,
            combine: None,
        })))),
    };
    if opened {
        let Some(begins) = begins else {
            return Ok(Some(Statement::Ends {
                name: None,
                span: head.span,
            }));
        };
        // The section before is closed in a statement of its own; the line is read again.
        drop(begins);
        cursor.at = 0;
        return Ok(Some(Statement::Ends {
            name: None,
            span: head.span,
        }));
    }
    parser.modes.opened = begins.is_some();
    Ok(begins)
}

/// A power of two.
fn power(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, place: Span) -> Result<i64, Fault> {
    let unit = constant(parser, cursor)?;
    match (1..=MOST_ALIGNED).contains(&unit) && unit & (unit - 1) == 0 {
        true => Ok(unit),
        false => {
            let message = format!("alignment must be a power of two up to {MOST_ALIGNED}, not {unit}");
            Err(fault(place, message))
        }
    }
}

/// `align 16` and `align 16, db 0`.
fn align(
    parser: &mut Parser<'_>,
    cursor: &mut Cursor<'_>,
    reserves: bool,
    span: Span,
) -> Result<Statement<'static>, Fault> {
    let place = cursor.here();
    let unit = power(parser, cursor, place)?;
    let mut fill = if reserves || !is_initialised(parser) { 0 } else { NOP };
    if cursor.eat(b',') {
        let place = cursor.here();
        let word = word_at(parser, cursor).unwrap_or_default();
        cursor.at += 1;
        fill = match (word.as_str(), data_word(&word)) {
            ("nop", _) => NOP,
            (_, Some(Word::Defines(1))) => constant(parser, cursor)? as u8,
            (_, Some(Word::Reserves(1))) => {
                constant(parser, cursor)?;
                0
            }
            _ => {
                return Err(unsupported(
                    place,
                    &format!("align {unit}, {word}"),
                    "write `align 16, db 0`",
                ));
            }
        };
    }
    expect_end(parser, cursor)?;
    let section = parser.program.layout.current;
    let known = parser.modes.aligned.entry(section).or_insert(1);
    *known = (*known).max(unit as u32);
    Ok(Statement::Align {
        alignment: Alignment {
            fill: Some(fill),
            ..Alignment::of(unit as u32)
        },
        span,
    })
}

/// Aligns the sections of a COM program after the last line: as lines in them are, or else to four bytes.
pub(super) fn settle(program: &mut Program, modes: &Modes) {
    if modes.bits == CodeSize::Bits32 {
        return;
    }
    let names = *program.layout.segment_names();
    for (index, segment) in (0..).zip(&mut program.layout.segments) {
        if [names.data, names.uninitialised, names.constants].contains(&segment.name.as_str()) {
            segment.alignment = modes.aligned.get(&index).copied().unwrap_or(4);
        }
    }
}

/// Whether the current section has bytes, rather than room alone.
fn is_initialised(parser: &Parser<'_>) -> bool {
    let layout = &parser.program.layout;
    let name = layout
        .segments
        .get(layout.current as usize)
        .map(|segment| segment.name.as_str());
    name != Some(layout.segment_names().uninitialised)
}

/// `org 100h`.
fn origin(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, span: Span) -> Parsed<'static> {
    let place = cursor.here();
    let target = expression(parser, cursor)?;
    expect_end(parser, cursor)?;
    let value = evaluate(parser.session, parser.program, target)?;
    if parser.modes.bits == CodeSize::Bits16 && value.number == COM_ORIGIN {
        note_origin(parser);
        return Ok(Some(Statement::Origin { target, span }));
    }
    let help = "write `org 100h` for a COM program of DOS; a program with `_start` for Linux has no `org`";
    Err(fault(
        place,
        format!("a program that is loaded at {:X}h cannot be run", value.number),
    )
    .with_help(help))
}

/// `global name, name:function`.
fn public<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>, global: bool) -> Parsed<'l> {
    let mut all = Vec::new();
    loop {
        let Some(one) = named(cursor) else {
            return Err(fault(cursor.here(), "expected a name"));
        };
        all.push((one.name, one.span));
        pass_over_attributes(cursor);
        if !cursor.eat(b',') {
            break;
        }
    }
    expect_end(parser, cursor)?;
    Ok(global.then_some(Statement::Public(all)))
}

/// `extern name, name`.
fn external<'l>(parser: &mut Parser<'_>, cursor: &mut Cursor<'l>) -> Result<Statement<'l>, Fault> {
    let mut all = Vec::new();
    loop {
        let Some(one) = named(cursor) else {
            return Err(fault(cursor.here(), "expected a name"));
        };
        all.push(External::one(one, Type::Near));
        pass_over_attributes(cursor);
        if !cursor.eat(b',') {
            break;
        }
    }
    expect_end(parser, cursor)?;
    Ok(Statement::Extern(all))
}

/// `:function (size)`, which only objects have.
fn pass_over_attributes(cursor: &mut Cursor<'_>) {
    if !cursor.eat(b':') {
        return;
    }
    while cursor.peek().is_some_and(|token| token.kind != Kind::Mark(b',')) {
        cursor.at += 1;
    }
}
