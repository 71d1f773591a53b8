//! Macros of the source that make the code at the start of procedures, and at their returns.

use super::Program;
use super::procedure::OpenProcedure;
use crate::diag::Span;
use crate::names::{NameId, Names};
use crate::session::Session;
use crate::statement::{Convention, FrameCode, Instruction};

/// The call of a macro of the source that makes the code of a frame.
pub(crate) struct FrameCall {
    pub(crate) name: NameId,
    pub(crate) arguments: Vec<String>,
    pub(crate) span: Span,
}

/// Bits of the number that describes a procedure to these macros, above that of the calling convention.
const CALLER_TAKES_BACK: u32 = 0x10;
const IS_FAR: u32 = 0x20;
const FROM_INTERRUPT: u32 = 0x100;

impl OpenProcedure {
    fn frame_call(&self, names: &Names, macro_name: NameId, more: u32, reversed: bool, span: Span) -> FrameCall {
        let convention = match self.convention {
            Convention::None => 0,
            Convention::C => 1 | CALLER_TAKES_BACK,
            Convention::Standard => 3,
            Convention::Pascal => 4,
        };
        let flags = convention | more | if self.far { IS_FAR } else { 0 };
        let mut saves: Vec<String> = self
            .saves
            .iter()
            .map(|saved| format!("{saved:?}").to_ascii_lowercase())
            .collect();
        if reversed {
            saves.reverse();
        }
        FrameCall {
            name: macro_name,
            arguments: vec![
                names.spelling(self.name).to_owned(),
                flags.to_string(),
                self.parameters.to_string(),
                self.locals.to_string(),
                saves.join(","),
                self.given.clone(),
            ],
            span,
        }
    }
}

/// The macro that makes the code at the start of the innermost procedure, whose first instruction is next.
pub(crate) fn prologue_call(session: &Session, program: &mut Program) -> Option<FrameCall> {
    let open = program.procedures.open.last_mut()?;
    let FrameCode::Macro(name) = open.code[0] else {
        return None;
    };
    open.pending = false;
    // A declaration in the macro, or after its code, is too late.
    if std::mem::replace(&mut open.entered, true) {
        return None;
    }
    Some(open.frame_call(&session.names, name, 0, false, open.span))
}

/// Notes the number of bytes of locals that this macro has made, if it says one.
pub(crate) fn prologue_made(program: &mut Program, result: &str) {
    if let (Some(open), Ok(bytes)) = (program.procedures.open.last_mut(), result.trim().parse()) {
        open.locals = bytes;
    }
}

/// The macro that makes the code of a return, and the return itself. Its own returns are no such ones.
pub(crate) fn epilogue_call(session: &Session, program: &mut Program, instruction: &Instruction) -> Option<FrameCall> {
    let interrupts = program.mnemonics.interrupt_returns.contains(&instruction.mnemonic);
    if !interrupts && instruction.mnemonic != program.mnemonics.ret {
        return None;
    }
    let open = program.procedures.open.last_mut().filter(|open| !open.leaving)?;
    let FrameCode::Macro(name) = open.code[1] else {
        return None;
    };
    open.leaving = true;
    let more = if interrupts { FROM_INTERRUPT } else { 0 };
    Some(open.frame_call(&session.names, name, more, true, instruction.span))
}

/// Notes that the macro that makes the code of a return has ended.
pub(crate) fn epilogue_made(program: &mut Program) {
    if let Some(open) = program.procedures.open.last_mut() {
        open.leaving = false;
    }
}
