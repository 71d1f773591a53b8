//! Instructions as the source has them: a return stands for what leaves the procedure that it is in.

use super::super::instruction::{is_kept_out, place_instruction};
use super::super::{Program, Value, evaluate_operands};
use super::{Mnemonics, made};
use crate::diag::Fault;
use crate::expression::NodeKind;
use crate::session::Session;
use crate::statement::{Convention, FrameCode, Instruction, MOST_OPERANDS};

/// Consumes an instruction, whose expressions are the nodes since `mark`.
pub(crate) fn instruction(
    session: &mut Session,
    program: &mut Program,
    instruction: &Instruction,
    mark: usize,
) -> Result<(), Fault> {
    if is_kept_out(session, program, instruction) {
        return Ok(());
    }
    let mut values = [Value::number(0); MOST_OPERANDS];
    evaluate_operands(session, program, instruction, &mut values)?;
    if leave_procedure(session, program, instruction)? {
        return Ok(());
    }
    let returning = far_return(program, instruction);
    let instruction = returning.as_ref().unwrap_or(instruction);
    place_instruction(session, program, instruction, &values, mark)
}

/// Removes the frame before a return, also from an interrupt; returns whether the return itself was emitted too.
fn leave_procedure(session: &mut Session, program: &mut Program, instruction: &Instruction) -> Result<bool, Fault> {
    let Some(open) = program.procedures.open.last() else {
        return Ok(false);
    };
    let interrupts = program.mnemonics.interrupt_returns.contains(&instruction.mnemonic);
    let returns = interrupts || instruction.mnemonic == program.mnemonics.ret;
    if !returns || open.code[1] != FrameCode::Usual || (!open.framed() && open.saves.is_empty()) {
        return Ok(false);
    }
    let (saves, framed, bytes, convention) = (open.saves.clone(), open.framed(), open.parameters, open.convention);
    let (far, leaves, locals, [base, top]) = (open.far, open.leaves, open.locals, open.registers());
    let Mnemonics { pop, leave, mov, .. } = program.mnemonics;
    for &saved in saves.iter().rev() {
        made(session, program, pop, &[NodeKind::Register(saved)], instruction.span)?;
    }
    let register = NodeKind::Register;
    if framed && leaves {
        made(session, program, leave, &[], instruction.span)?;
    } else if framed {
        if locals > 0 {
            made(
                session,
                program,
                mov,
                &[register(top), register(base)],
                instruction.span,
            )?;
        }
        made(session, program, pop, &[register(base)], instruction.span)?;
    }
    let takes_back =
        !interrupts && framed && bytes > 0 && convention != Convention::C && instruction.operand_count == 0;
    if takes_back {
        made(
            session,
            program,
            program.mnemonics.return_of(far),
            &[NodeKind::Number(i64::from(bytes))],
            instruction.span,
        )?;
    }
    Ok(takes_back)
}

/// The instruction for a `ret` in the innermost procedure, if it is a far return.
fn far_return(program: &Program, instruction: &Instruction) -> Option<Instruction> {
    let is_far = instruction.mnemonic == program.mnemonics.ret && program.procedures.open.last()?.far;
    is_far.then_some(Instruction {
        mnemonic: program.mnemonics.far_return,
        ..*instruction
    })
}
