//! The fixpoint that gives each fragment its address. Branches only grow, so it ends.

use super::instruction::other_size;
use super::{Definition, FragmentKind, Program, Value, encode_values, evaluate_operands};
use crate::diag::{Fault, fault};
use crate::expression::{Location, NodeKind};
use crate::operand::{CodeSize, Distance};
use crate::session::Session;
use crate::statement::MOST_OPERANDS;

pub(crate) fn settle(session: &mut Session, program: &mut Program) {
    program.layout.resolved = true;
    program.layout.place();
    // With every name known, all lengths except those of branches are final after one pass.
    for index in 0..program.deferred.len() {
        let origin = program.deferred[index].instruction.origin;
        match settle_length(session, program, index) {
            // The variable stands after its use, so that reading the line could not tell.
            Ok(true) => {
                let deferred = &program.deferred[index];
                let size = program.layout.size_of(deferred.location.segment);
                let warning = other_size(session, program, &deferred.instruction, size);
                session.warn_at(warning, origin);
            }
            Ok(false) => {}
            Err(problem) => {
                program.deferred[index].failed = true;
                session.report_at(problem, origin);
                if session.is_full() {
                    return;
                }
            }
        }
    }
    program.layout.place();
    let mut branches: Vec<ShortBranch> = (0..program.deferred.len())
        .filter(|&index| program.deferred[index].branch == Some(false) && !program.deferred[index].failed)
        .map(|index| ShortBranch { index, target: None })
        .collect();
    for pass in 0.. {
        let mut grown = false;
        branches.retain_mut(|branch| match branch.reaches(session, program) {
            true => true,
            false => {
                grown |= grow(session, program, branch.index);
                false
            }
        });
        if !grown {
            break;
        }
        program.layout.place();
        if pass >= session.limits.passes {
            let span = branches
                .first()
                .map(|branch| program.deferred[branch.index].instruction.span);
            session.report(fault(
                span.unwrap_or_default(),
                format!("branch distances did not converge in {} passes", session.limits.passes),
            ));
            break;
        }
    }
}

/// Gives an instruction its length; returns whether it takes a variable with another size than the variable has.
fn settle_length(session: &Session, program: &mut Program, index: usize) -> Result<bool, Fault> {
    let deferred = &program.deferred[index];
    let location = deferred.location;
    let fragment = &program.layout.segments[location.segment as usize].fragments[location.fragment as usize];
    if !matches!(fragment.kind, FragmentKind::Variable(_)) {
        return Ok(false);
    }
    let instruction = deferred.instruction;
    let mut values = [Value::number(0); MOST_OPERANDS];
    evaluate_operands(session, program, &instruction, &mut values)?;
    deferred.lengthen(&mut values);
    let site = deferred.site();
    let encoded = match program.deferred[index].branch {
        // A branch stays short until its target is out of reach.
        Some(_) => encode_values(
            session,
            program,
            &instruction,
            &values,
            site,
            Some(Distance::Short),
            true,
        )?,
        None => {
            let free = encode_values(session, program, &instruction, &values, site, None, true)?;
            if free.relaxable {
                program.deferred[index].branch = Some(false);
            }
            free
        }
    };
    set_length(program, index, u32::from(encoded.length));
    Ok(encoded.resized)
}

fn set_length(program: &mut Program, index: usize, length: u32) {
    let deferred = &mut program.deferred[index];
    deferred.length = length;
    let location = deferred.location;
    program.layout.segments[location.segment as usize].fragments[location.fragment as usize].length = length;
}

/// A branch that is still short.
struct ShortBranch {
    /// Its number among the deferred instructions.
    index: usize,
    /// Its target once it is evaluated, if that is a label.
    target: Option<Location>,
}

impl ShortBranch {
    /// Whether the branch reaches its target or must stay short.
    fn reaches(&mut self, session: &Session, program: &Program) -> bool {
        let deferred = &program.deferred[self.index];
        let after = i64::from(program.layout.address(deferred.location)) + i64::from(deferred.length);
        let target = match self.target {
            Some(location) => i64::from(program.layout.address(location)),
            None => {
                let mut values = [Value::number(0); MOST_OPERANDS];
                if evaluate_operands(session, program, &deferred.instruction, &mut values).is_err() || values[0].short {
                    return true;
                }
                // A linker decides how far other segments and modules are.
                if program.fields.is_some() && values[0].relocatable && values[0].anchor.0 != deferred.location.segment
                {
                    return false;
                }
                let operand = deferred.instruction.operands[0];
                if let NodeKind::Symbol(name, procedure) = session.expressions.node(operand).kind
                    && let Some(symbol) = program
                        .symbols
                        .get(program.symbols.index(&session.names, name, procedure))
                    && let Definition::Address(location) = symbol.definition
                {
                    self.target = Some(location);
                }
                values[0].number
            }
        };
        // 16-bit code wraps from FFFFh to offset 0.
        match program.layout.size_of(deferred.location.segment) {
            CodeSize::Bits16 => i8::try_from((target - after) as i16).is_ok(),
            CodeSize::Bits32 => i8::try_from(target - after).is_ok(),
        }
    }
}

/// Makes a short branch near; returns whether that is possible.
fn grow(session: &Session, program: &mut Program, index: usize) -> bool {
    let deferred = &program.deferred[index];
    let instruction = deferred.instruction;
    let mut values = [Value::number(0); MOST_OPERANDS];
    if evaluate_operands(session, program, &instruction, &mut values).is_err() {
        return false;
    }
    let site = deferred.site();
    let near = encode_values(
        session,
        program,
        &instruction,
        &values,
        site,
        Some(Distance::Near),
        false,
    );
    let Ok(encoded) = near else {
        return false;
    };
    program.deferred[index].branch = Some(true);
    set_length(program, index, u32::from(encoded.length));
    true
}
