//! Instructions that the processor lacks which 16-bit code is for, the 8086 if none is named: MASM refuses them. The
//! first one is told.
//!
//! Of those that came with the 80386, nothing is told unless the source names the 8086: without any processor, MASM
//! asks for `.386`, and here nothing depends on it.

use super::Parser;
use super::keyword::Processor;
use crate::diag::{Span, fault};
use crate::expression::{ExpressionId, Expressions, NodeKind};
use crate::names::NameId;
use iced_x86::Register;

/// What the 80186, the 80286 and the 80386 have in addition. `movsd` is a string instruction here.
const OF_80186: [&str; 13] = [
    "pusha", "popa", "pushaw", "popaw", "enter", "leave", "bound", "ins", "insb", "insw", "outs", "outsb", "outsw",
];
const OF_80286: [&str; 16] = [
    "arpl", "clts", "lar", "lgdt", "lidt", "lldt", "lmsw", "lsl", "ltr", "sgdt", "sidt", "sldt", "smsw", "str", "verr",
    "verw",
];
const OF_80386: [&str; 28] = [
    "movzx", "movsx", "bsf", "bsr", "bt", "btc", "btr", "bts", "shld", "shrd", "cdq", "cwde", "pushad", "popad",
    "pushfd", "popfd", "lodsd", "stosd", "movsd", "scasd", "cmpsd", "insd", "outsd", "jecxz", "iretd", "lss", "lfs",
    "lgs",
];

/// What a processor lacks.
struct Lacking {
    what: String,
    since: Processor,
    /// What TASM does in several instructions.
    replaced: Option<&'static str>,
}

/// Warns of an instruction that the processor of the source lacks.
pub(super) fn warn_of_later(parser: &mut Parser<'_>, mnemonic: NameId, span: Span) {
    let Some(Lacking { what, since, replaced }) = lacking(parser, mnemonic) else {
        return;
    };
    let unnamed = match parser.modes.named_processor {
        true => "",
        false => ", and no other processor is named",
    };
    let wanted = parser.modes.processor;
    let message = format!(
        "the {} {what}{unnamed}: this is code of the {}",
        name(wanted),
        name(since)
    );
    let help = match (replaced, parser.modes.has_model) {
        (Some(does), _) => {
            format!("write `.186` before it; for the 8086 MASM refuses it, and TASM {does} in several instructions")
        }
        (None, _) if since == Processor::I186 => "write `.186` before it, without which MASM refuses it".to_owned(),
        (None, _) if since == Processor::I286 => "write `.286` before it, without which MASM refuses it".to_owned(),
        (None, true) => "write `.386` after `.model`, without which MASM refuses it".to_owned(),
        (None, false) => "write `.386`, without which MASM refuses it, and `use16` at each `segment`".to_owned(),
    };
    parser.modes.told_of_later = true;
    parser.session.warn(fault(span, message).with_help(help));
}

fn lacking(parser: &Parser<'_>, mnemonic: NameId) -> Option<Lacking> {
    let instruction = &parser.buffers.instruction;
    let expressions = &parser.session.expressions;
    let operands = &instruction.operands[..usize::from(instruction.operand_count)];
    let last = operands.last().map(|&last| expressions.node(last).kind);
    let number = matches!(last, Some(NodeKind::Number(_)));
    let text = parser.session.names.text(mnemonic);
    let of = |what: String, since: Processor| {
        let replaced = None;
        Some(Lacking { what, since, replaced })
    };
    let found = match text {
        "shl" | "sal" | "shr" | "sar" | "rol" | "ror" | "rcl" | "rcr"
            if number && !matches!(last, Some(NodeKind::Number(1))) =>
        {
            Some(Lacking {
                what: "cannot shift by a number".to_owned(),
                since: Processor::I186,
                replaced: Some("shifts"),
            })
        }
        "push" if number => Some(Lacking {
            what: "cannot push a number".to_owned(),
            since: Processor::I186,
            replaced: Some("pushes"),
        }),
        "imul" if operands.len() > 1 && number => of("cannot multiply by a number".to_owned(), Processor::I186),
        "imul" if operands.len() > 1 => of("has no `imul` of two operands".to_owned(), Processor::Wide),
        _ if OF_80186.contains(&text) => of(format!("has no `{text}`"), Processor::I186),
        _ if OF_80286.contains(&text) => of(format!("has no `{text}`"), Processor::I286),
        _ if OF_80386.contains(&text) || text.starts_with("set") => of(format!("has no `{text}`"), Processor::Wide),
        _ => operands
            .iter()
            .find_map(|&operand| wide(expressions, operand))
            .and_then(|register| of(format!("has no register `{register}`"), Processor::Wide)),
    };
    let found = found.filter(|found| found.since > parser.modes.processor);
    found.filter(|found| parser.modes.named_processor || found.since != Processor::Wide)
}

/// The name of a processor; of those with 32-bit segments, the name of the first.
fn name(processor: Processor) -> &'static str {
    match processor {
        Processor::I86 => "8086",
        Processor::I186 => "80186",
        Processor::I286 => "80286",
        Processor::Wide => "80386",
    }
}

/// A register of the 80386 in an operand.
fn wide(expressions: &Expressions, operand: ExpressionId) -> Option<String> {
    match expressions.node(operand).kind {
        NodeKind::Register(register) => {
            let later = register.is_gpr32() || matches!(register, Register::FS | Register::GS);
            later.then(|| format!("{register:?}").to_ascii_lowercase())
        }
        NodeKind::Unary(_, inner) | NodeKind::Field(inner, _) => wide(expressions, inner),
        NodeKind::Binary(_, left, right) => wide(expressions, left).or_else(|| wide(expressions, right)),
        _ => None,
    }
}
