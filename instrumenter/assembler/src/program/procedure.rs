//! Procedures: parameters, locals, saved registers and the stack frame.
//!
//! The frame is set up before the first instruction or label, because declarations may come first. Its base register is
//! ebp, in 16-bit code bp; parameters lie above, locals below.

mod returns;

pub(crate) use returns::instruction;

use super::instruction::plain_instruction;
use super::{Definition, Program, refused};
use crate::diag::{Fault, Span, fault};
use crate::expression::{Location, NodeKind, Type};
use crate::module::Decoration;
use crate::names::{NONE, NameId, Names};
use crate::operand::CodeSize;
use crate::session::Session;
use crate::spelling::nearest;
use crate::statement::{self, Convention, Declared, FrameCode, Instruction, Named};
use iced_x86::Register;

/// The maximum size of parameters, and of locals, in bytes.
pub(crate) const MOST_FRAME: u32 = 1 << 20;

pub(crate) struct OpenProcedure {
    pub(crate) name: NameId,
    /// The number of the procedure, from 1 in source order.
    number: u32,
    pub(super) saves: Vec<Register>,
    pub(crate) span: Span,
    symbol: u32,
    start: Location,
    pub(super) convention: Convention,
    /// The size of its parameters in bytes.
    pub(super) parameters: u32,
    /// Whether it has parameters that stay on the stack.
    returned: bool,
    /// The size of its locals in bytes.
    pub(super) locals: u32,
    /// Whether its prologue is still to be emitted.
    pub(super) pending: bool,
    /// Whether it returns to another segment.
    pub(super) far: bool,
    /// The code at its start, and that at its returns.
    pub(super) code: [FrameCode; 2],
    /// Whether the processor has an instruction that removes a frame.
    leaves: bool,
    /// The arguments of the macros that make this code, besides what is known of the procedure.
    pub(super) given: String,
    /// Whether such a macro has made the code at its start, or is making it.
    pub(super) entered: bool,
    /// Whether such a macro is making the code of a return.
    pub(super) leaving: bool,
    size: CodeSize,
}

/// The open procedures, innermost last, and where those that have ended do.
#[derive(Default)]
pub(crate) struct Procedures {
    pub(crate) open: Vec<OpenProcedure>,
    /// The symbols of procedures that have ended, each with its end, which moves as jumps inside grow.
    pub(crate) ended: Vec<(u32, Location)>,
    count: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Mnemonics {
    push: NameId,
    pop: NameId,
    mov: NameId,
    sub: NameId,
    leave: NameId,
    pub(super) ret: NameId,
    pub(super) interrupt_returns: [NameId; 2],
    /// A return without an epilogue.
    plain_return: NameId,
    /// A return to another segment without an epilogue.
    far_return: NameId,
}

impl Mnemonics {
    /// The mnemonic of a return, near or far, without an epilogue.
    fn return_of(&self, far: bool) -> NameId {
        if far { self.far_return } else { self.plain_return }
    }

    pub(super) fn new(names: &mut Names) -> Mnemonics {
        Mnemonics {
            push: names.intern("push"),
            pop: names.intern("pop"),
            mov: names.intern("mov"),
            sub: names.intern("sub"),
            leave: names.intern("leave"),
            ret: names.intern("ret"),
            interrupt_returns: [names.intern("iret"), names.intern("iretd")],
            plain_return: names.intern("retn"),
            far_return: names.intern("retf"),
        }
    }
}

impl Procedures {
    /// The innermost open procedure's number, or 0.
    pub(crate) fn procedure_number(&self) -> u32 {
        self.open.last().map_or(0, |open| open.number)
    }

    /// Whether the innermost procedure's frame is still to be set up.
    pub(crate) fn frame_is_pending(&self) -> bool {
        self.open.last().is_some_and(|open| open.pending)
    }
}

impl OpenProcedure {
    /// Whether the assembler sets up the frame of its parameters and locals.
    fn framed(&self) -> bool {
        self.convention != Convention::None && (self.returned || self.parameters + self.locals > 0)
    }

    /// The size of a word on its stack, in bytes.
    fn word(&self) -> u32 {
        match self.size {
            CodeSize::Bits16 => 2,
            CodeSize::Bits32 => 4,
        }
    }

    /// The offset of the first parameter from the base register. The saved base register and the return address lie
    /// between.
    fn first_parameter(&self) -> u32 {
        (if self.far { 3 } else { 2 }) * self.word()
    }

    /// The base register of the frame, and the stack pointer.
    fn registers(&self) -> [Register; 2] {
        match self.size {
            CodeSize::Bits16 => [Register::BP, Register::SP],
            CodeSize::Bits32 => [Register::EBP, Register::ESP],
        }
    }
}

/// The `proc` line of a procedure.
pub(crate) fn procedure(
    session: &mut Session,
    program: &mut Program,
    head: statement::Procedure<'_>,
) -> Result<(), Fault> {
    let (named, span) = (head.named, head.named.span);
    if program.procedures.open.len() > 64 {
        return Err(fault(span, "procedures are nested deeper than 64"));
    }
    let start = program.layout.location();
    let far = head.far && program.layout.segmented;
    let kind = if far { Type::Far } else { Type::Near };
    let defined = program
        .symbols
        .define(session, named, Definition::Address(start), kind)?;
    if !session.in_library {
        session.names.info_mut(named.name).public = true;
    }
    program.procedures.count += 1;
    program.procedures.open.push(OpenProcedure {
        name: named.name,
        number: program.procedures.count,
        pending: !head.saves.is_empty() || matches!(head.code[0], FrameCode::Macro(_)),
        saves: head.saves,
        span,
        symbol: defined.unwrap_or(NONE),
        start,
        convention: head.convention,
        parameters: 0,
        returned: false,
        locals: 0,
        far,
        code: head.code,
        leaves: head.leaves,
        given: head.given,
        entered: false,
        leaving: false,
        size: program.layout.current_size(),
    });
    if !head.parameters.is_empty() {
        place_parameters(session, program, head.parameters)?;
    }
    place_returned(session, program, head.returned)
}

/// Assigns parameters their offsets above the base register; returns their size in bytes.
fn place_parameters(session: &mut Session, program: &mut Program, mut parameters: Vec<Declared>) -> Result<u32, Fault> {
    let convention = program
        .procedures
        .open
        .last()
        .map_or(Convention::None, |open| open.convention);
    // Without a language the first one is nearest to the top of the stack, as in C.
    if convention == Convention::Pascal {
        parameters.reverse();
    }
    let Some(open) = program.procedures.open.last() else {
        return Ok(0);
    };
    let (first, word) = (open.first_parameter(), open.word());
    let mut offset = first + open.parameters;
    for parameter in parameters {
        let size = if parameter.variable {
            0
        } else {
            parameter.size.next_multiple_of(word)
        };
        frame_symbol(session, program, &parameter, i64::from(offset))?;
        offset = offset.saturating_add(size);
        if offset > MOST_FRAME {
            return Err(refused::frame_too_large(MOST_FRAME, parameter.span));
        }
    }
    let bytes = offset - first;
    if let Some(open) = program.procedures.open.last_mut() {
        if let Decoration::Sized(size) = &mut session.names.info_mut(open.name).decoration {
            *size = bytes;
        }
        open.parameters = bytes;
        open.pending |= convention != Convention::None;
    }
    Ok(bytes)
}

/// Assigns parameters that stay on the stack their offsets above all others.
fn place_returned(session: &mut Session, program: &mut Program, returned: Vec<Declared>) -> Result<(), Fault> {
    let Some(open) = program.procedures.open.last_mut().filter(|_| !returned.is_empty()) else {
        return Ok(());
    };
    // The frame is needed to reach even these alone.
    open.returned = true;
    open.pending |= open.convention != Convention::None;
    let (mut offset, word) = (open.first_parameter() + open.parameters, open.word());
    for parameter in returned {
        frame_symbol(session, program, &parameter, i64::from(offset))?;
        offset = offset.saturating_add(parameter.size.next_multiple_of(word));
        if offset > MOST_FRAME {
            return Err(refused::frame_too_large(MOST_FRAME, parameter.span));
        }
    }
    Ok(())
}

/// Defines a name for memory at an offset from the base register in the innermost procedure.
fn frame_symbol(session: &mut Session, program: &mut Program, declared: &Declared, offset: i64) -> Result<(), Fault> {
    let open = program.procedures.open.last();
    let [base, _] = open.map_or([Register::EBP; 2], OpenProcedure::registers);
    let number = program.procedures.procedure_number();
    let spelled = &declared.spelled;
    if session.names.info(declared.name).register != Register::None {
        return Err(refused::register(spelled, declared.span));
    }
    if program.symbols.local.contains_key(&(declared.name, number)) {
        return Err(fault(
            declared.span,
            format!("`{spelled}` is already defined in this procedure"),
        ));
    }
    let global = std::mem::replace(&mut session.names.info_mut(declared.name).symbol, NONE);
    let text = std::mem::replace(&mut session.names.info_mut(declared.name).text, NONE);
    let named = Named {
        name: declared.name,
        spelled,
        span: declared.span,
    };
    let defined = program
        .symbols
        .define(session, named, Definition::Frame(offset, base), declared.kind);
    let info = session.names.info_mut(declared.name);
    (info.symbol, info.text) = (global, text);
    if let Some(index) = defined? {
        let symbol = &mut program.symbols.table[index as usize];
        symbol.hidden = true;
        (symbol.count, symbol.first) = (declared.count, declared.count);
        symbol.size = declared.size;
        symbol.elements = declared.elements;
        symbol.owner = number;
        program.symbols.local.insert((declared.name, number), index);
    }
    Ok(())
}

pub(crate) fn frame(session: &mut Session, program: &mut Program, frame: statement::Frame<'_>) -> Result<(), Fault> {
    let bytes = if frame.parameters {
        let bytes = place_parameters(session, program, frame.declared)?;
        place_returned(session, program, frame.returned)?;
        bytes
    } else {
        place_locals(session, program, frame.declared)?
    };
    match frame.size {
        Some(named) => program.symbols.assign(session, named, i64::from(bytes)),
        None => Ok(()),
    }
}

fn place_locals(session: &mut Session, program: &mut Program, locals: Vec<Declared>) -> Result<u32, Fault> {
    let (mut bytes, word) = match program.procedures.open.last() {
        Some(open) => (open.locals, open.word()),
        None => return Ok(0),
    };
    for local in locals {
        let unit = program
            .structures
            .size_of(local.kind)
            .clamp(1, word)
            .next_power_of_two();
        bytes = bytes.saturating_add(local.size).next_multiple_of(unit);
        if bytes > MOST_FRAME {
            return Err(refused::frame_too_large(MOST_FRAME, local.span));
        }
        frame_symbol(session, program, &local, -i64::from(bytes))?;
    }
    let bytes = bytes.next_multiple_of(word);
    if let Some(open) = program.procedures.open.last_mut() {
        open.locals = bytes;
        open.pending |= open.convention != Convention::None;
    }
    Ok(bytes)
}

/// The registers that the innermost procedure saves.
pub(crate) fn saves(program: &mut Program, registers: Vec<Register>, span: Span) -> Result<(), Fault> {
    match program.procedures.open.last_mut() {
        Some(open) => {
            open.saves.extend(registers);
            open.pending = true;
            Ok(())
        }
        None => Err(fault(span, "registers are saved by procedures, and none is open")),
    }
}

pub(crate) fn procedure_body(session: &mut Session, program: &mut Program) -> Result<(), Fault> {
    let Some(open) = program.procedures.open.last_mut() else {
        return Ok(());
    };
    if !std::mem::take(&mut open.pending) || open.code[0] != FrameCode::Usual {
        return Ok(());
    }
    let (saves, span, framed, locals) = (open.saves.clone(), open.span, open.framed(), open.locals);
    let [base, top] = open.registers();
    let Mnemonics { push, mov, sub, .. } = program.mnemonics;
    let register = NodeKind::Register;
    if framed {
        made(session, program, push, &[register(base)], span)?;
        made(session, program, mov, &[register(base), register(top)], span)?;
        if locals > 0 {
            let bytes = NodeKind::Number(i64::from(locals));
            made(session, program, sub, &[register(top), bytes], span)?;
        }
    }
    for saved in saves {
        made(session, program, push, &[register(saved)], span)?;
    }
    Ok(())
}

pub(crate) fn end_procedure(
    session: &mut Session,
    program: &mut Program,
    name: Option<NameId>,
    span: Span,
) -> Result<(), Fault> {
    let Some(open) = program.procedures.open.pop() else {
        let problem = fault(span, "nothing to end: no procedure is open");
        return match name {
            Some(_) => Err(problem),
            // TASM takes such lines, and published sources have them.
            None => {
                session.warn(problem.with_help("remove this line"));
                Ok(())
            }
        };
    };
    let here = program.layout.location();
    let size = program
        .layout
        .address(here)
        .saturating_sub(program.layout.address(open.start));
    if let Some(symbol) = program.symbols.table.get_mut(open.symbol as usize) {
        symbol.size = size;
        program.procedures.ended.push((open.symbol, here));
    }
    match name {
        Some(name) if name != open.name => {
            let (name, text) = (session.names.spelling(name), session.names.spelling(open.name));
            let line = open.span.line;
            let message = format!("`{name}` cannot end: the open procedure is `{text}` from line {line}");
            let help = match nearest(name, std::iter::once(text)) {
                Some(text) => format!("did you mean `{text}`?"),
                None => format!("end `{text}` first"),
            };
            Err(fault(span, message).with_help(help))
        }
        _ => Ok(()),
    }
}

/// Assembles a generated instruction, attributed to the source at `span`.
fn made(
    session: &mut Session,
    program: &mut Program,
    mnemonic: NameId,
    operands: &[NodeKind],
    span: Span,
) -> Result<(), Fault> {
    let mark = session.expressions.mark();
    let mut made = Instruction::new(mnemonic, span, session.origin);
    for &operand in operands {
        made.add(session.expressions.push(operand, span));
    }
    plain_instruction(session, program, &made, mark)
}
