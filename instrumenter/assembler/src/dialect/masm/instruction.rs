//! Instruction lines: prefixes, mnemonic and operands.

use super::Parser;
use super::expression::{binary, expression};
use super::field::sized;
use super::keyword::Processor;
use super::later::warn_of_later;
use super::numbered;
use super::roles::{Prefix, prefix};
use super::{Keyword, keyword};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, Expressions, NodeKind, Type, Unary};
use crate::lex::{Cursor, Kind, Token};
use crate::names::NameId;
use crate::operand::{CodeSize, RepeatPrefix};
use crate::program::{Value, evaluate_operands};
use crate::statement::MOST_OPERANDS;
use iced_x86::Register;

#[derive(Clone, Copy)]
pub(super) struct Prefixes {
    lock: bool,
    repeat: RepeatPrefix,
    segment: Register,
    pub(super) span: Span,
    origin: u32,
}

/// Parses an instruction into the buffer; `false` if it is only a prefix, which then applies to the instruction on the
/// next line.
pub(super) fn instruction(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<bool, Fault> {
    let mut prefixes = parser.modes.prefixes.take().unwrap_or(Prefixes {
        lock: false,
        repeat: RepeatPrefix::None,
        segment: Register::None,
        span: cursor.here(),
        origin: parser.session.origin,
    });
    let (mnemonic, token) = loop {
        let Some((name, token)) = cursor.name() else {
            if !cursor.done() {
                return Err(fault(cursor.here(), "expected an instruction after the prefix"));
            }
            parser.modes.prefixes = Some(prefixes);
            return Ok(false);
        };
        match keyword(name).and_then(prefix) {
            Some(Prefix::Lock) => prefixes.lock = true,
            Some(Prefix::Repeat(_)) if prefixes.repeat != RepeatPrefix::None => {
                return Err(fault(cursor.span(token), "a second repeat prefix"));
            }
            Some(Prefix::Repeat(repeat)) => prefixes.repeat = repeat,
            Some(Prefix::Segment(segment)) => prefixes.segment = segment,
            None if parser.session.names.info(name).mnemonic => {
                break (parser.modes.renamed.get(&name).copied().unwrap_or(name), token);
            }
            None => {
                return Err(fault(cursor.span(token), "expected an instruction after the prefix"));
            }
        }
    };
    let instruction = parser.buffers.begin(mnemonic, cursor.span(token), prefixes.origin);
    (instruction.lock, instruction.repeat) = (prefixes.lock, prefixes.repeat);
    instruction.lengthen = parser.modes.jumps;
    // The bundled library is for the Pentium, whatever the source is for.
    let narrow = parser.program.layout.current_size() == CodeSize::Bits16 && !parser.session.in_library;
    if narrow && parser.modes.coprocessor < Processor::I286 {
        let text = parser.session.names.text(mnemonic);
        // WAIT follows from the mnemonic: those with `fn` do without.
        instruction.wait = text.starts_with('f') && !text.starts_with("fn") && text != "fwait";
    }
    instruction.no_near = narrow && parser.modes.processor < Processor::Wide;
    instruction.segment = prefixes.segment;
    let branch = parser.session.names.info(mnemonic).branch;
    if branch {
        register_as_label(parser, cursor);
        if let Some(target) = numbered::target(parser, cursor) {
            parser.buffers.instruction.add(target);
        }
    }
    if !cursor.done()
        && let Err(problem) = operands(parser, cursor)
    {
        // The fault in the preceding operands explains more than this one would.
        let mut values = [Value::number(0); MOST_OPERANDS];
        let instruction = &parser.buffers.instruction;
        evaluate_operands(parser.session, parser.program, instruction, &mut values)?;
        return Err(problem);
    }
    if branch {
        refuse_distance_alone(parser)?;
        keep_what_is_skipped(parser, mnemonic)?;
    }
    if narrow && parser.modes.processor < Processor::Wide && !parser.modes.told_of_later {
        warn_of_later(parser, mnemonic, cursor.span(token));
    }
    Ok(true)
}

/// Refuses a branch whose operand is only a distance, as in `jmp far`.
fn refuse_distance_alone(parser: &Parser<'_>) -> Result<(), Fault> {
    let instruction = &parser.buffers.instruction;
    let first = instruction.operands.first().filter(|_| instruction.operand_count > 0);
    match first.map(|&operand| parser.session.expressions.node(operand)) {
        Some(node) if matches!(node.kind, NodeKind::TypeName(_)) => {
            Err(fault(node.span, "expected a label after this word").with_help("write `jmp far ptr label`"))
        }
        _ => Ok(()),
    }
}

/// Keeps a jump ahead near that the branch before it skips, as in `jz $+5`: for MASM 5 and TASM every jump to a label
/// that comes later has the length of a near one.
fn keep_what_is_skipped(parser: &mut Parser<'_>, mnemonic: NameId) -> Result<(), Fault> {
    const SHORT: u32 = 2;
    let near = match parser.program.layout.current_size() {
        CodeSize::Bits16 => 3,
        CodeSize::Bits32 => 5,
    };
    let skips = parser.modes.skips.take();
    let instruction = &parser.buffers.instruction;
    let Some(&operand) = instruction.operands.first().filter(|_| instruction.operand_count == 1) else {
        return Ok(());
    };
    let (kind, span) = {
        let node = parser.session.expressions.node(operand);
        (node.kind, node.span)
    };
    let is_here = |parser: &Parser<'_>, skips: (u32, u32)| {
        let here = parser.here();
        skips == (here.segment, parser.program.layout.address(here))
    };
    match kind {
        NodeKind::Binary(Binary::Add, start, distance) => {
            let [start, distance] = [start, distance].map(|side| parser.session.expressions.node(side).kind);
            if let (NodeKind::Here(start), NodeKind::Number(distance)) = (start, distance)
                && start == parser.here()
                && distance == i64::from(SHORT + near)
            {
                let behind = parser.program.layout.address(start).wrapping_add(SHORT);
                parser.modes.skips = Some((start.segment, behind));
            }
        }
        NodeKind::Symbol(name, _)
            if skips.is_some_and(|skips| is_here(parser, skips))
                && parser.session.names.text(mnemonic) == "jmp"
                && parser
                    .program
                    .symbols
                    .get(parser.session.names.info(name).symbol)
                    .is_none() =>
        {
            let place = NodeKind::TypeName(Type::Near);
            let place = parser.session.expressions.push(place, span);
            parser.buffers.instruction.operands[0] = binary(parser, Binary::Ptr, place, operand, span)?;
        }
        _ => {}
    }
    Ok(())
}

/// Warns of brackets around a number, which are parentheses in MASM and memory elsewhere.
fn warn_of_number(parser: &mut Parser<'_>, operand: ExpressionId) {
    let expressions = &parser.session.expressions;
    let inside = match expressions.node(operand).kind {
        NodeKind::Unary(Unary::Subscript, _) => operand,
        NodeKind::Binary(Binary::Ptr, _, right) => right,
        _ => return,
    };
    if let NodeKind::Unary(Unary::Subscript, number) = expressions.node(inside).kind
        && let NodeKind::Number(_) = expressions.node(number).kind
    {
        let span = expressions.extent(operand);
        let message = "brackets around a number make no memory operand: this is the number";
        let help = "write `ds:` before the bracket to access memory";
        parser.session.warn(fault(span, message).with_help(help));
    }
}

/// Frees the name of a register that a branch goes to, if sources may define it: `st1`, which is `st(1)` in MASM's
/// terms, and the MMX registers of a source without MMX. No branch takes such a register, so it is a label.
fn register_as_label(parser: &mut Parser<'_>, cursor: &Cursor<'_>) {
    let Some(Kind::Name(name)) = cursor.peek().map(|token| token.kind) else {
        return;
    };
    let numbered = parser.session.names.text(name).len() > 2;
    let mmx = parser.session.mmx;
    let info = parser.session.names.info_mut(name);
    if (info.register.is_mm() && !mmx) || (info.register.is_st() && numbered) {
        info.register = Register::None;
    }
}

/// Whether a token after the operands begins a remark: a word without a meaning.
fn is_remark(parser: &Parser<'_>, token: Token) -> bool {
    match token.kind {
        Kind::Name(name) => {
            let info = parser.session.names.info(name);
            keyword(name).is_none() && !info.mnemonic && info.register == Register::None
        }
        _ => false,
    }
}

/// Whether the next operand is the source of LEA.
fn takes_address(parser: &Parser<'_>) -> bool {
    let instruction = &parser.buffers.instruction;
    instruction.operand_count == 1 && parser.session.names.info(instruction.mnemonic).address_only
}

/// Whether an operand without brackets is the offset of something, with a number added or not.
fn is_offset(expressions: &Expressions, operand: ExpressionId) -> bool {
    match expressions.node(operand).kind {
        NodeKind::Unary(Unary::Offset, _) => true,
        NodeKind::Binary(Binary::Add | Binary::Subtract, left, right) => {
            is_offset(expressions, left) != is_offset(expressions, right)
        }
        _ => false,
    }
}

fn operands(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    loop {
        if usize::from(parser.buffers.instruction.operand_count) == MOST_OPERANDS {
            return Err(fault(cursor.here(), "more than three operands"));
        }
        let mut operand = expression(parser, cursor)?;
        warn_of_number(parser, operand);
        operand = sized(parser, operand)?;
        if takes_address(parser) && is_offset(&parser.session.expressions, operand) {
            // `lea dx,offset text` is what `lea dx,text` is.
            let span = parser.session.expressions.extent(operand);
            let memory = NodeKind::Unary(Unary::Subscript, operand);
            operand = parser.session.expressions.push(memory, span);
        }
        parser.buffers.instruction.add(operand);
        if !cursor.eat(b',') {
            break;
        }
    }
    match cursor.peek() {
        None => Ok(()),
        Some(token) if is_remark(parser, token) && cursor.passes_over_rest() => Ok(()),
        Some(token) => Err(match token.kind {
            Kind::Bad(why) => fault(cursor.here(), why),
            Kind::Name(name) if parser.session.names.info(name).mnemonic => {
                fault(cursor.here(), "unexpected second instruction").with_help("write one instruction per line")
            }
            _ => {
                let problem = fault(cursor.here(), "expected `,` or the end of the line");
                let before = cursor.at.checked_sub(1).and_then(|at| cursor.tokens.get(at)).copied();
                match before.map(|before| (before, before.kind)) {
                    Some((before, _))
                        if ["sectionrel", "imagerel"].contains(&cursor.text(before).to_ascii_lowercase().as_str()) =>
                    {
                        let message = format!(
                            "`{}` is an operator of later assemblers, for tables of a debugger",
                            cursor.text(before)
                        );
                        fault(cursor.span(before), message)
                            .with_help("write `offset`, and subtract where the section begins")
                    }
                    Some((before, Kind::Name(name))) if matches!(keyword(name), Some(Keyword::TypeOfSize(_))) => {
                        problem.with_help(format!("write `{} ptr`", cursor.text(before)))
                    }
                    _ => problem,
                }
            }
        }),
    }
}
