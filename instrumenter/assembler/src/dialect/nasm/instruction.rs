//! Instruction lines: prefixes, mnemonic and operands.

use super::Parser;
use super::address::{begins, has_register, memory};
use super::expression::{binary, expression, unary, word_at};
use super::unsupported;
use crate::diag::{Fault, Span, fault};
use crate::expression::{Binary, ExpressionId, NodeKind, Type, Unary};
use crate::lex::{Cursor, Kind};
use crate::names::NameId;
use crate::operand::{CodeSize, Memory, RepeatPrefix};
use crate::select;
use crate::statement::MOST_OPERANDS;
use iced_x86::Register;

/// The words for sizes of operands, with their bytes.
const SIZES: [(&str, u8); 6] = [
    ("byte", 1),
    ("word", 2),
    ("dword", 4),
    ("qword", 8),
    ("tword", 10),
    ("fword", 6),
];

/// Words for sizes that no operand of a Pentium has.
const WIDE: [&str; 4] = ["oword", "yword", "zword", "ddword"];

/// Prefixes of single instructions that are not written here.
const REFUSED: [&str; 10] = [
    "a16", "a32", "a64", "o16", "o32", "o64", "bnd", "nobnd", "xacquire", "xrelease",
];

/// What words before an operand say of it.
#[derive(Clone, Copy, Default)]
struct Said {
    size: Option<u8>,
    near: bool,
    short: bool,
    far: bool,
    /// Whether the operand keeps the size that is said, although a shorter form holds it.
    strict: bool,
    /// Whether the operand is where the result goes: `fadd to st1`.
    to: bool,
}

/// An operand and what was said of it.
#[derive(Clone, Copy)]
struct Operand {
    id: ExpressionId,
    said: Said,
    memory: bool,
    register: Register,
}

/// The repetition that a word is.
pub(super) fn repeat_of(word: &str) -> Option<RepeatPrefix> {
    Some(match word {
        "rep" => RepeatPrefix::Rep,
        "repe" | "repz" => RepeatPrefix::Repe,
        "repne" | "repnz" => RepeatPrefix::Repne,
        _ => return None,
    })
}

/// Whether a word begins an instruction.
pub(super) fn begins_instruction(parser: &Parser<'_>, name: NameId) -> bool {
    let info = parser.session.names.info(name);
    let text = parser.session.names.text(name);
    info.mnemonic
        || info.register.is_segment_register()
        || repeat_of(text).is_some()
        || matches!(text, "lock" | "wait")
        || REFUSED.contains(&text)
}

/// Parses an instruction into the buffer.
pub(super) fn instruction(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>) -> Result<(), Fault> {
    let start = cursor.here().start;
    let (mut lock, mut repeat, mut segment) = (false, RepeatPrefix::None, Register::None);
    let (mnemonic, span) = loop {
        let place = cursor.here();
        let Some((name, token)) = cursor.name() else {
            let help = "write both in one line: `rep movsd`";
            return Err(fault(place, "expected an instruction after the prefix").with_help(help));
        };
        let info = *parser.session.names.info(name);
        let text = parser.session.names.text(name);
        if text == "lock" {
            lock = true;
        } else if let Some(found) = repeat_of(text) {
            repeat = found;
        } else if info.register.is_segment_register() {
            segment = info.register;
        } else if REFUSED.contains(&text) {
            let what = text.to_owned();
            return Err(unsupported(
                place,
                &what,
                "its operands and its name give an instruction its size",
            ));
        } else if info.mnemonic {
            break (name, cursor.span(token));
        } else {
            return Err(fault(place, "expected an instruction after the prefix"));
        }
    };
    let mut operands: Vec<Operand> = Vec::new();
    while !cursor.done() {
        if operands.len() == MOST_OPERANDS {
            return Err(fault(cursor.here(), "more than three operands"));
        }
        let next = operand(parser, cursor, mnemonic)?;
        operands.push(next);
        if !cursor.eat(b',') {
            break;
        }
    }
    expect_end(parser, cursor)?;
    let origin = parser.session.origin;
    settle(parser, mnemonic, &mut operands, span)?;
    let instruction = parser.buffers.begin(mnemonic, span, origin);
    (instruction.lock, instruction.repeat, instruction.segment) = (lock, repeat, segment);
    for operand in operands {
        instruction.add(operand.id);
    }
    parser.buffers.instruction.written = (start, cursor.here().start);
    Ok(())
}

/// Fails if anything follows a complete statement.
pub(super) fn expect_end(parser: &Parser<'_>, cursor: &Cursor<'_>) -> Result<(), Fault> {
    let Some(token) = cursor.peek() else { return Ok(()) };
    let here = cursor.here();
    Err(match token.kind {
        Kind::Bad(why) => fault(here, why),
        Kind::Name(name) if parser.session.names.info(name).mnemonic => {
            fault(here, "unexpected second instruction").with_help("write one instruction per line")
        }
        Kind::Name(name) if parser.session.names.text(name) == "ptr" => {
            fault(here, "`ptr` is a word of MASM").with_help("write `dword [ebx]`")
        }
        _ => fault(here, "expected `,` or the end of the line").with_label("unexpected text"),
    })
}

/// Parses one operand.
fn operand(parser: &mut Parser<'_>, cursor: &mut Cursor<'_>, mnemonic: NameId) -> Result<Operand, Fault> {
    let mut said = Said::default();
    while let Some(word) = word_at(parser, cursor) {
        let size = SIZES.iter().find(|(name, _)| *name == word).map(|(_, size)| *size);
        match word.as_str() {
            "near" => said.near = true,
            "short" => said.short = true,
            "far" => said.far = true,
            "strict" => said.strict = true,
            "to" if parser.session.names.text(mnemonic).starts_with('f') => said.to = true,
            "ptr" => return Err(fault(cursor.here(), "`ptr` is a word of MASM").with_help("write `dword [ebx]`")),
            "offset" => {
                let help = "in NASM, a name without brackets is its address: leave `offset` out";
                return Err(fault(cursor.here(), "`offset` is a word of MASM").with_help(help));
            }
            _ if WIDE.contains(&word.as_str()) => {
                return Err(fault(
                    cursor.here(),
                    format!("no operand of a Pentium is as large as `{word}`"),
                ));
            }
            _ if size.is_some() => said.size = size,
            _ => break,
        }
        cursor.at += 1;
    }
    let span = cursor.here();
    if begins(cursor) {
        return Ok(Operand {
            id: memory(parser, cursor)?,
            said,
            memory: true,
            register: Register::None,
        });
    }
    let id = expression(parser, cursor)?;
    if cursor.eat(b':') {
        let offset = expression(parser, cursor)?;
        let id = binary(parser, Binary::Override, (id, offset), span)?;
        return Ok(Operand {
            id,
            said,
            memory: false,
            register: Register::None,
        });
    }
    let register = match parser.session.expressions.node(id).kind {
        NodeKind::Register(register) => register,
        _ => Register::None,
    };
    if begins(cursor) && register == Register::None {
        let help = "write the whole address in brackets: `[table+ebx]`";
        return Err(fault(cursor.here(), "an address of NASM begins with its bracket").with_help(help));
    }
    if register == Register::None && has_register(parser, id) {
        let help = "write `[eax+4]` to access memory";
        return Err(fault(span, "registers can be added only in brackets").with_help(help));
    }
    Ok(Operand {
        id,
        said,
        memory: false,
        register,
    })
}

/// Gives the operands the form in which the program knows them.
fn settle(parser: &mut Parser<'_>, mnemonic: NameId, operands: &mut Vec<Operand>, span: Span) -> Result<(), Fault> {
    let branch = parser.session.names.info(mnemonic).branch;
    let pushes = parser.session.names.text(mnemonic) == "push";
    // `mov [ebx],dword 5` gives the memory its size.
    let of_number = operands
        .iter()
        .find(|one| !one.memory && one.register == Register::None)
        .and_then(|one| one.said.size);
    if let [first, second] = operands.as_mut_slice()
        && first.memory
        && !second.memory
        && first.said.size.is_none()
        && second.register == Register::None
    {
        first.said.size = of_number;
    }
    for one in operands.iter_mut() {
        one.id = settled(parser, *one, branch, pushes)?;
    }
    if let [one] = operands[..]
        && one.said.to
    {
        let top = parser.session.expressions.push(NodeKind::Register(Register::ST0), span);
        operands.push(Operand { id: top, ..one });
    }
    Ok(())
}

fn settled(parser: &mut Parser<'_>, one: Operand, branch: bool, pushes: bool) -> Result<ExpressionId, Fault> {
    let Operand {
        id,
        said,
        memory,
        register,
    } = one;
    let span = parser.session.expressions.extent(id);
    if memory {
        let kind = match (said.size, branch) {
            (_, true) if said.far => Type::Far,
            (None, true) if said.near => Type::Near,
            // A near pointer of 32 bits.
            (Some(4), true) if parser.program.layout.current_size() == CodeSize::Bits16 => {
                Type::Bytes(Memory::OTHER_POINTER)
            }
            (Some(size), _) => Type::Bytes(size),
            (None, _) => return Ok(id),
        };
        return typed(parser, kind, id, span);
    }
    if register != Register::None {
        if let Some(size) = said.size
            && usize::from(size) != register.size()
            && register.is_gpr()
        {
            let name = format!("{register:?}").to_ascii_lowercase();
            let message = format!("`{name}` has {} bits, not {}", register.size() * 8, u32::from(size) * 8);
            return Err(fault(span, message));
        }
        return Ok(id);
    }
    if branch && !is_selector(parser, id) {
        let target = match parser.session.expressions.node(id).kind {
            NodeKind::Number(_) => id,
            _ => unary(parser, Unary::Offset, id, span)?,
        };
        return match (said.short, said.near, said.far) {
            (true, ..) => unary(parser, Unary::Short, target, span),
            (_, true, _) => typed(parser, Type::Near, target, span),
            (.., true) => typed(parser, Type::Far, target, span),
            _ => Ok(target),
        };
    }
    if let NodeKind::Number(number) = parser.session.expressions.node(id).kind {
        let narrow = parser.program.layout.current_size() == CodeSize::Bits16;
        if narrow && pushes && said.size.is_none() && !(-0x8000..=0xFFFF).contains(&number) {
            let problem = fault(span, "the number does not fit in the word that is pushed");
            return Err(problem.with_help("write `push dword` for four bytes"));
        }
        let own = match parser.program.layout.current_size() {
            CodeSize::Bits16 => 2,
            CodeSize::Bits32 => 4,
        };
        return match said.size {
            // What is pushed has a size of its own.
            Some(_) if said.strict && pushes && said.size != Some(own) && said.size != Some(1) => Err(unsupported(
                span,
                "push strict",
                "leave `strict` out: the shortest form is pushed",
            )),
            Some(size @ (2 | 4)) if said.strict || (pushes && size != own) => {
                typed(parser, Type::Bytes(size), id, span)
            }
            _ => Ok(id),
        };
    }
    if is_selector(parser, id) {
        if said.size == Some(4) && parser.program.layout.current_size() == CodeSize::Bits16 {
            let help = "a program of DOS has no 32-bit code to go to";
            return Err(unsupported(span, "dword segment:offset", help));
        }
        return Ok(id);
    }
    unary(parser, Unary::Offset, id, span)
}

/// Whether an expression is a far pointer or the segment of an address.
fn is_selector(parser: &Parser<'_>, id: ExpressionId) -> bool {
    matches!(
        parser.session.expressions.node(id).kind,
        NodeKind::Binary(Binary::Override, ..) | NodeKind::Unary(Unary::Segment, _)
    )
}

fn typed(parser: &mut Parser<'_>, kind: Type, id: ExpressionId, span: Span) -> Result<ExpressionId, Fault> {
    let name = parser.session.expressions.push(NodeKind::TypeName(kind), span);
    binary(parser, Binary::Ptr, (name, id), span)
}

/// The help for a word that is no instruction of a Pentium.
pub(super) fn unknown_instruction(text: &str, span: Span) -> Fault {
    let problem = fault(span, format!("`{text}` is no instruction, directive or macro"));
    if select::is_foreign(text) {
        return problem.with_help("the Pentium has no instruction of this name");
    }
    match select::nearest_mnemonic(text) {
        Some(near) => problem.with_help(format!("did you mean `{near}`?")),
        None => problem.with_help("a label in a line of its own ends with a colon"),
    }
}
